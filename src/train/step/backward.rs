//! The gradients of encoder and heads: [`crate::model::encoder`] and [`crate::model::heads`] in
//! reverse. `dx` is the gradient of the loss with respect to x. Gradients of parameters are added
//! up in the structure of the model: `[rows, cols]` for a matrix, `[1, len]` for a vector.

use super::gradients::MatrixGradient;
use super::tape::{AddNormGradients, DisentangledGradients, Recorder, Tape};
use crate::backend::train::Train;
use crate::backend::{Backend, Embeddings, Linear};
use crate::config::Config;
use crate::model::disentangled::{of_layer, table_rows};
use crate::model::encoder::{Scratch, Uploaded, run_layer};
use crate::model::heads::{HeadOutputs, HeadRows};
use crate::model::{Encoder, EncoderOn, Head, HeadOn, Layer, MaskedLm};

/// Gradients of an encoder's parameters.
pub(in crate::train) type EncoderGradients<B> = Encoder<MatrixGradient<B>, <B as Backend>::Rows>;
/// Gradients of a layer's parameters.
type LayerGradients<B> = Layer<MatrixGradient<B>, <B as Backend>::Rows>;
/// Gradients of a head's parameters.
pub(in crate::train) type HeadGradients<B> = Head<MatrixGradient<B>, <B as Backend>::Rows>;

/// Gradients with respect to the inputs of the encoder's layers.
pub(in crate::train) struct LayersGradients<B: Backend> {
    /// With respect to the input of the first of these layers, `[tokens, hidden]`.
    pub(in crate::train) dstate: B::Rows,
    /// With respect to the table of relative positions. `None` if the model has none.
    pub(in crate::train) drelative: Option<B::Rows>,
}

/// Gradients with respect to what a feed-forward reads.
struct FeedForwardGradients<B: Backend> {
    /// With respect to attention's output, `[tokens, hidden]`.
    dcontext: B::Rows,
    /// With respect to the layer's input, through the residual around attention only.
    dresidual: B::Rows,
}

/// The backward pass of an encoder over a batch.
pub(in crate::train) struct Backward<'a, B: Train> {
    pub(in crate::train) tape: &'a mut Tape<B>,
    pub(in crate::train) backend: &'a mut B,
    pub(in crate::train) config: &'a Config,
    pub(in crate::train) encoder: &'a EncoderOn<B>,
    pub(in crate::train) uploaded: &'a Uploaded<B>,
}

impl<B: Train> Backward<'_, B> {
    /// Adds the gradients of the encoder's parameters, given the gradient with respect to its
    /// output, `[tokens, hidden]`. `first_layer` is the first trained layer: the layers below it
    /// and the embeddings are skipped. `None` trains all.
    pub(in crate::train) fn encoder(
        &mut self,
        gradients: &mut EncoderGradients<B>,
        dstate: B::Rows,
        first_layer: Option<usize>,
    ) {
        let first = first_layer.unwrap_or(0);
        let LayersGradients { dstate, drelative } = self.layers(gradients, dstate, first);
        if first_layer.is_some() {
            return;
        }
        if let Some(drelative) = drelative {
            self.relative_table(gradients, drelative);
        }
        self.embeddings(gradients, dstate);
    }

    /// Adds the gradients of the embeddings, given the gradient with respect to their output.
    fn embeddings(&mut self, gradients: &mut EncoderGradients<B>, mut dstate: B::Rows) {
        let Self { tape, backend, config, encoder, uploaded } = self;
        if config.structure().disentangled.is_some() && !uploaded.masked.is_empty() {
            backend.clear_rows(&mut dstate, &uploaded.masked);
        }
        let projection = encoder.projection.as_ref().zip(gradients.projection.as_mut());
        if let Some((projection, to)) = projection {
            dstate = linear_backward(tape, backend, projection, to, &mut dstate);
        }
        let Embeddings { word, position, token_type, norm, .. } = &mut gradients.embeddings;
        // Families without this norm never get here: Trainer::new rejects them.
        let Some((norm, to)) = encoder.embeddings.norm.as_ref().zip(norm.as_mut()) else { return };
        let dsum = tape.norm_backward(backend, norm, to, &mut dstate);
        let (batch, padding) = (uploaded.batch(), Some(config.pad_id));
        let position = position.as_mut().map(|table| &mut table.whole);
        let token_type = token_type.as_mut().map(|table| &mut table.whole);
        backend.embed_backward(&dsum, batch, padding, &mut word.whole, position, token_type);
    }

    /// Adds the gradients of the table of relative positions and of its norm.
    fn relative_table(&mut self, gradients: &mut EncoderGradients<B>, mut drelative: B::Rows) {
        let Self { tape, backend, config, encoder, uploaded } = self;
        let table = encoder.relative.as_ref().zip(gradients.relative.as_mut());
        let Some(((table, to), of)) = table.zip(config.structure().disentangled) else { return };
        if let Some((norm, to)) = table.norm.as_ref().zip(to.norm.as_mut()) {
            drelative = tape.norm_backward(backend, norm, to, &mut drelative);
        }
        let (first, last) = table_rows(&of, uploaded.reach);
        let rows: Vec<u32> = (first as u32..=last as u32).collect();
        backend.gather_backward(&drelative, &rows, &mut to.table.whole);
    }

    /// Returns the gradients with respect to the inputs of layers `first` to the last, given the
    /// gradient with respect to the encoder's output.
    pub(in crate::train) fn layers(
        &mut self,
        gradients: &mut EncoderGradients<B>,
        mut dstate: B::Rows,
        first: usize,
    ) -> LayersGradients<B> {
        let (config, encoder) = (self.config, self.encoder);
        let (mut drelative, mut scratch) = (None, Scratch::default());
        for number in (first..config.layers).rev() {
            let layer = encoder.layer(number);
            // The last layer's values are all on the tape. The other layers are recomputed from
            // their state if it was kept.
            if let Some(state) = self.tape.take_state().filter(|_| number + 1 < config.layers) {
                scratch.state = state;
                let batch = self.uploaded.batch();
                let mut pass = Recorder::new(self.tape).with_encoder(encoder, gradients);
                run_layer(&mut pass, self.backend, layer, config.heads, batch, &mut scratch);
            }
            let place = gradients.layer_place(number);
            let to = &mut gradients.layers[place];
            let FeedForwardGradients { dcontext, dresidual } = self.feed_forward(layer, to, dstate);
            dstate = if config.structure().disentangled.is_some() {
                self.attend_disentangled(layer, to, &dcontext, &mut drelative)
            } else {
                self.attend(layer, to, &dcontext)
            };
            self.backend.add(&dresidual, &mut dstate);
        }
        LayersGradients { dstate, drelative }
    }

    /// Pops a layer's feed-forward and the norm after attention. Returns the gradients with respect
    /// to their inputs.
    fn feed_forward(
        &mut self,
        layer: &Layer<B::Matrix, B::Vector>,
        to: &mut LayerGradients<B>,
        dstate: B::Rows,
    ) -> FeedForwardGradients<B> {
        let Self { tape, backend, .. } = self;
        let norm = &layer.output_norm;
        let AddNormGradients { dx: mut doutput, dresidual: mut dnext } =
            tape.add_norm_backward(backend, norm, &mut to.output_norm, &dstate);
        let mut dwide = linear_backward(tape, backend, &layer.output, &mut to.output, &mut doutput);
        let (intermediate, to_intermediate) = (&layer.intermediate, &mut to.intermediate);
        let dinput = linear_backward(tape, backend, intermediate, to_intermediate, &mut dwide);
        backend.add(&dinput, &mut dnext);
        let norm = &layer.attention_norm;
        let AddNormGradients { dx: mut doutput, dresidual } =
            tape.add_norm_backward(backend, norm, &mut to.attention_norm, &dnext);
        let (output, to_output) = (&layer.attention_output, &mut to.attention_output);
        let dcontext = linear_backward(tape, backend, output, to_output, &mut doutput);
        FeedForwardGradients { dcontext, dresidual }
    }

    /// Returns the gradient with respect to the layer's input, through attention only.
    fn attend(
        &mut self,
        layer: &Layer<B::Matrix, B::Vector>,
        to: &mut LayerGradients<B>,
        dcontext: &B::Rows,
    ) -> B::Rows {
        let Self { tape, backend, config, uploaded, .. } = self;
        let mut dqkv = tape.attention_backward(backend, uploaded.batch(), config.heads, dcontext);
        linear_backward(tape, backend, &layer.qkv, &mut to.qkv, &mut dqkv)
    }

    /// [`Backward::attend`] for scores that compare contents with relative positions. Adds to the
    /// gradient with respect to these.
    fn attend_disentangled(
        &mut self,
        layer: &Layer<B::Matrix, B::Vector>,
        to: &mut LayerGradients<B>,
        dcontext: &B::Rows,
        drelative: &mut Option<B::Rows>,
    ) -> B::Rows {
        let Self { tape, backend, config, encoder, uploaded } = self;
        let Some(of) = config.structure().disentangled else { return B::Rows::default() };
        let (batch, heads) = (uploaded.batch(), config.heads);
        let of = of_layer(config, &of, uploaded.reach, None);
        let DisentangledGradients { mut dqkv, mut dpositions } =
            tape.attention_disentangled_backward(backend, batch, heads, of, dcontext);
        let dstate = linear_backward(tape, backend, &layer.qkv, &mut to.qkv, &mut dqkv);
        if encoder.relative.is_some() {
            let own = layer.positions.as_ref().zip(to.positions.as_mut());
            let (projection, to) = own.unwrap_or((&layer.qkv, &mut to.qkv));
            let dtable = linear_backward(tape, backend, projection, to, &mut dpositions);
            match drelative {
                Some(sum) => backend.add(&dtable, sum),
                None => *drelative = Some(dtable),
            }
        }
        dstate
    }
}

/// The word table and its gradient, `None` if the table is frozen.
pub(in crate::train) struct WordTable<'a, B: Train> {
    pub(in crate::train) weights: &'a B::Matrix,
    pub(in crate::train) gradient: Option<&'a mut MatrixGradient<B>>,
}

/// A head, its gradients, and the rows of the batch that it has read.
pub(in crate::train) struct HeadBackward<'a, B: Train> {
    pub(in crate::train) head: &'a HeadOn<B>,
    pub(in crate::train) gradients: &'a mut HeadGradients<B>,
    pub(in crate::train) word: WordTable<'a, B>,
    pub(in crate::train) rows: &'a HeadRows<'a>,
}

/// Adds a head's contribution to `dstate`, `[tokens, hidden]`, and to the head's gradients, given
/// the gradients with respect to its outputs. A decoder that shares the word table adds to the
/// table's gradient.
pub(in crate::train) fn head_backward<B: Train>(
    tape: &mut Tape<B>,
    backend: &mut B,
    HeadBackward { head, gradients: to_head, word, rows }: HeadBackward<'_, B>,
    outputs: HeadOutputs<B>,
    dstate: &mut B::Rows,
) {
    let HeadOutputs { logits, relation, .. } = outputs;
    let mut output_backward = |tape: &mut Tape<B>, backend: &mut B, mut dy: B::Rows| {
        let output = head.output.as_ref().zip(to_head.output.as_mut())?;
        Some(linear_backward(tape, backend, output.0, output.1, &mut dy))
    };
    let (mut dpooled, mut dtokens) = (None, None);
    if let Some((head_lm, to)) = head.masked_lm.as_ref().zip(to_head.masked_lm.as_mut()) {
        dpooled = relation.and_then(|dy| output_backward(tape, backend, dy));
        dtokens = logits.map(|mut dlogits| {
            let scored = rows.tokens.map_or(0, <[u32]>::len);
            masked_lm_backward(tape, backend, word, head_lm, to, &mut dlogits, scored)
        });
    } else if head.kind.reads_tokens() {
        dtokens = logits.and_then(|dy| output_backward(tape, backend, dy));
        if let Some((dense, to)) = head.dense.as_ref().zip(to_head.dense.as_mut()) {
            dtokens = dtokens.map(|mut dy| linear_backward(tape, backend, dense, to, &mut dy));
        }
    } else {
        dpooled = logits.and_then(|dy| output_backward(tape, backend, dy));
    }
    if let Some(dtokens) = dtokens {
        chosen_backward(backend, &dtokens, rows.tokens, dstate);
    }
    let pooler = head.pooler.as_ref().zip(to_head.pooler.as_mut());
    if let Some(((pooler, to), mut dpooled)) = pooler.zip(dpooled) {
        let dfirst = linear_backward(tape, backend, pooler, to, &mut dpooled);
        chosen_backward(backend, &dfirst, rows.first, dstate);
    }
}

/// Returns the gradient with respect to the rows that the head scores. `scored` is their number.
fn masked_lm_backward<B: Train>(
    tape: &mut Tape<B>,
    backend: &mut B,
    word: WordTable<'_, B>,
    head: &MaskedLm<B::Matrix, B::Vector>,
    to: &mut MaskedLm<MatrixGradient<B>, B::Rows>,
    dlogits: &mut B::Rows,
    scored: usize,
) -> B::Rows {
    let decoder = head.decoder.as_ref().unwrap_or(word.weights);
    let mut dnormed = match to.decoder.as_mut().or(word.gradient) {
        Some(to_decoder) => {
            tape.linear_backward(backend, decoder, to_decoder, &mut to.bias, dlogits)
        }
        None => tape.frozen_linear_backward(backend, decoder, scored, &mut to.bias, dlogits),
    };
    if let Some((norm, to)) = head.norm.as_ref().zip(to.norm.as_mut()) {
        dnormed = tape.norm_backward(backend, norm, to, &mut dnormed);
    }
    match head.transform.as_ref().zip(to.transform.as_mut()) {
        Some((transform, to)) => linear_backward(tape, backend, transform, to, &mut dnormed),
        None => dnormed,
    }
}

/// Adds the gradient of the chosen rows to `dstate`. `None` means that all rows were chosen.
fn chosen_backward<B: Train>(
    backend: &mut B,
    drows: &B::Rows,
    rows: Option<&[u32]>,
    dstate: &mut B::Rows,
) {
    match rows {
        Some(rows) => backend.gather_backward(drows, rows, dstate),
        None => backend.add(drows, dstate),
    }
}

fn linear_backward<B: Train>(
    tape: &mut Tape<B>,
    backend: &mut B,
    layer: &Linear<B::Matrix, B::Vector>,
    to: &mut Linear<MatrixGradient<B>, B::Rows>,
    dy: &mut B::Rows,
) -> B::Rows {
    tape.linear_backward(backend, &layer.weight, &mut to.weight, &mut to.bias, dy)
}
