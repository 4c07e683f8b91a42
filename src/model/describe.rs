//! The declaration of every parameter of a model: names, shape and order.

use super::names::{
    CONVOLUTION, CONVOLUTION_NORM, NEWER_BIAS, NEWER_NORM, NEWER_TRANSFORM, RELATIVE_BIAS,
    RELATIVE_NORM, RELATIVE_TABLE, ROTARY_TABLE, Spelling, WIDER_DECODER, has_newer_head,
    output_layer, pooler, position_projections, spelling,
};
use super::{
    Bottleneck, Convolution, Encoder, FeedForward, Head, Layer, MaskedLm, Normed, RelativeTable,
    SpanConvolution,
};
use crate::backend::{Activation, Embeddings, Linear, Norm, NormKind};
use crate::config::{self, BottleneckAttention, Config, Family, HeadKind, Pooling};

const IDENTITY: Activation = Activation::Identity;

/// Description of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSpec {
    /// Tensors that are stacked by rows into the parameter, all with the same shape. Usually one. A
    /// bias that the family does not have has no tensor and is zeros; if only a part is missing, its
    /// name is empty.
    pub tensors: Vec<TensorName>,
    /// Rows of the whole parameter. For a vector, its length.
    pub rows: usize,
    /// Columns. For a vector usually 1.
    pub cols: usize,
    /// True if weight decay applies. Biases and LayerNorms do not decay.
    pub decays: bool,
    /// How a tensor's rows are placed.
    pub order: RowOrder,
}

/// How the rows of a tensor in a file are placed in its parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RowOrder {
    /// One after another.
    #[default]
    Plain,
    /// The file has the queries, keys and values of each head in turn. In the parameter all queries
    /// come first, then all keys, then all values.
    ByHeads {
        /// Number of heads.
        heads: usize,
    },
    /// The weight of a convolution, `[outputs, inputs / groups, taps]`. In the parameter a row has
    /// the inputs of all groups, and zeros where a group does not read.
    Taps {
        /// Number of taps.
        taps: usize,
        /// Number of groups of inputs and outputs.
        groups: usize,
    },
}

impl RowOrder {
    /// Returns the row of the parameter for a tensor's row; `rows` is the number of its rows.
    pub fn row(self, row: usize, rows: usize) -> usize {
        match self {
            Self::Plain | Self::Taps { .. } => row,
            Self::ByHeads { heads } => {
                let head_dim = rows / (3 * heads);
                let (head, part) = (row / head_dim / 3, row / head_dim % 3);
                (part * heads + head) * head_dim + row % head_dim
            }
        }
    }

    /// Returns the number of columns of a tensor whose parameter has `cols` columns.
    pub fn cols(self, cols: usize) -> usize {
        match self {
            Self::Taps { groups, .. } => cols / groups,
            Self::Plain | Self::ByHeads { .. } => cols,
        }
    }

    /// Returns the shape of a tensor with `rows` rows whose parameter has `cols` columns.
    pub fn shape(self, rows: usize, cols: usize) -> Vec<usize> {
        match self {
            Self::Taps { taps, groups } => vec![rows, cols / groups / taps, taps],
            Self::Plain | Self::ByHeads { .. } => vec![rows, cols],
        }
    }
}

/// Names of a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorName {
    /// Name without the family's prefix, used to look a tensor up in files of any origin.
    pub canonical: String,
    /// Name in checkpoints of Hugging Face's classes with a head.
    pub checkpoint: String,
    /// How its rows lie in the parameter.
    pub layout: Layout,
}

/// How the rows of a tensor lie in its rows of the parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// In the same order.
    #[default]
    Plain,
    /// The second half comes first.
    HalvesSwapped,
    /// Each head's rows are repeated: `times` heads of queries share one head of keys and values.
    HeadsRepeated {
        /// Rows of a head.
        head_dim: usize,
        /// Number of copies.
        times: usize,
    },
    /// The rows fall into this many groups, and each group has a group of the columns. The other
    /// columns are zeros.
    Groups(usize),
    /// Rows and columns are exchanged. The tensor has a block for each group of rows, which reads a
    /// group of the columns; the other columns are zeros.
    Transposed {
        /// Number of groups.
        groups: usize,
    },
    /// The tensor has the columns of the next word, of the word and of the word before it, one
    /// after another. In the parameter each column has its three neighbours side by side, the
    /// earliest first.
    Trigrams,
}

impl Layout {
    /// Returns the rows and columns of the tensor, given the size of its part of the parameter.
    pub fn tensor_shape(self, rows: usize, cols: usize) -> [usize; 2] {
        match self {
            Self::Plain | Self::HalvesSwapped | Self::Trigrams => [rows, cols],
            Self::HeadsRepeated { times, .. } => [rows / times, cols],
            Self::Groups(groups) => [rows, cols / groups],
            Self::Transposed { groups } => [cols, rows / groups],
        }
    }

    /// Returns the shape of the tensor in its file, given the size of its part of the parameter.
    pub fn file_shape(self, rows: usize, cols: usize) -> Vec<usize> {
        let [first, second] = self.tensor_shape(rows, cols);
        match self {
            // grouped layers are stored as convolutions of width 1
            Self::Groups(_) => vec![first, second, 1],
            Self::Transposed { groups } if groups > 1 => vec![groups, first / groups, second],
            _ => vec![first, second],
        }
    }

    /// Adds row `row` of a transposed tensor to `whole`, the tensor's part of the parameter. Calls
    /// `write` with `whole` after the last row.
    #[cfg(feature = "families")]
    pub(crate) fn transpose(
        self,
        [rows, cols]: [usize; 2],
        row: usize,
        values: &[f32],
        whole: &mut Vec<f32>,
        write: &mut dyn FnMut(usize, &[f32]),
    ) {
        let Self::Transposed { groups } = self else { return };
        let first = row * groups / cols * (rows / groups);
        for (to, value) in (first..).zip(values) {
            whole[to * cols + row] = *value;
        }
        if row + 1 == cols {
            write(0, &std::mem::take(whole));
        }
    }

    /// Calls `write` with each row of the parameter that row `row` of the tensor fills, and with
    /// the values of that row. `rows` and `cols` are the size of the tensor's part of the
    /// parameter.
    pub fn place(
        self,
        [rows, cols]: [usize; 2],
        row: usize,
        values: &[f32],
        write: &mut dyn FnMut(usize, &[f32]),
    ) {
        match self {
            Self::Plain => write(row, values),
            Self::HalvesSwapped => write((row + rows / 2) % rows.max(1), values),
            Self::HeadsRepeated { head_dim, times } => {
                let (head, within) = (row / head_dim, row % head_dim);
                for copy in 0..times {
                    write((head * times + copy) * head_dim + within, values);
                }
            }
            Self::Groups(groups) => {
                let mut whole = vec![0.0; cols];
                let first = row * groups / rows.max(1) * values.len();
                whole[first..first + values.len()].copy_from_slice(values);
                write(row, &whole);
            }
            Self::Trigrams => {
                let words = cols / 3;
                let place = |column: usize| (2 - column % 3) * words + column / 3;
                let whole: Vec<f32> = (0..cols).map(|column| values[place(column)]).collect();
                write(row, &whole);
            }
            // a row of the tensor is a column of the parameter: see [`Layout::transpose`]
            Self::Transposed { .. } => {}
        }
    }
}

impl ParameterSpec {
    /// Returns the rows of each of its tensors.
    pub fn tensor_rows(&self) -> usize {
        self.rows / self.tensors.len().max(1)
    }
}

/// Returns the parameters of the encoder that `config` describes.
///
/// ```
/// use webert::config::Config;
/// use webert::model::describe_encoder;
///
/// # fn main() -> webert::Result<()> {
/// let config = Config::parse(br#"{"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 1,
///     "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 9, "max_position_embeddings": 9}"#)?;
/// let encoder = describe_encoder(&config);
/// let qkv = &encoder.layers[0].qkv.weight;
/// assert_eq!((qkv.rows, qkv.cols, qkv.decays), (24, 8, true));
/// assert_eq!(qkv.tensors[0].checkpoint, "bert.encoder.layer.0.attention.self.query.weight");
/// let leaves = encoder.leaves().into_iter().map(|leaf| leaf.into_inner());
/// let numbers: usize = leaves.map(|spec| spec.rows * spec.cols).sum();
/// assert_eq!(numbers, (9 + 9 + 2 + 2) * 8 + 4 * (8 + 1) * 8 + (8 + 1) * 16 + (16 + 1) * 8 + 4 * 8);
/// # Ok(())
/// # }
/// ```
pub fn describe_encoder(config: &Config) -> Encoder<ParameterSpec, ParameterSpec> {
    let names = Describe { config, names: spelling(config.family), in_base: true };
    let (width, structure) = (config.embedding, config.structure());
    let added = if structure.embeds_words_first { config.hidden } else { width };
    let table =
        |name: &str, rows| names.matrix(&[format!("embeddings.{name}_embeddings")], rows, added);
    let embeddings = Embeddings {
        word: names.matrix(&[names.names.words.into()], config.vocab, width),
        position: structure.adds_positions().then(|| table("position", config.positions)),
        token_type: (config.types > 0).then(|| table("token_type", config.types)),
        task_type: (structure.task_types > 0).then(|| table("task_type", structure.task_types)),
        norm: structure.embedding_norm.then(|| {
            let width = if structure.projects_first { config.hidden } else { added };
            names.outer_norm(names.names.embeddings_norm, width)
        }),
    };
    // ALBERT and RemBERT have the projection even if both widths are equal.
    let always = matches!(config.family, Family::Albert | Family::RemBert);
    let is_projected = always || structure.trigrams || width != config.hidden;
    let projection = is_projected.then(|| {
        let name = [names.names.projection.into()];
        let inputs = if structure.trigrams { 3 * width } else { width };
        let mut weight = names.matrix(&name, config.hidden, inputs);
        if structure.trigrams {
            weight.tensors.iter_mut().for_each(|tensor| tensor.layout = Layout::Trigrams);
        }
        let bias = names.bias(&name, config.hidden, !structure.projects_first);
        Linear { weight, bias, activation: IDENTITY }
    });
    let buckets = structure.relative_buckets;
    let relative_bias = (buckets > 0).then(|| {
        let bias = names.vector(vec![RELATIVE_BIAS.into()], buckets);
        ParameterSpec { cols: config.heads, ..bias }
    });
    let first_norm = (structure.first_norm && config.layers > 0)
        .then(|| names.norm(&names.names.in_layer(0, names.names.output_norm), config.hidden));
    let layers = (0..config.own_layers).map(|number| names.layer(number)).collect();
    let rotary_table = structure.has_rotary_table.then(|| {
        let table = names.vector(vec![ROTARY_TABLE.into()], config.positions);
        ParameterSpec { cols: config.hidden / config.heads, ..table }
    });
    Encoder {
        embeddings,
        projection,
        relative_bias,
        relative: names.relative(),
        convolution: names.convolution(),
        rotary_table,
        first_norm,
        layers,
        depth: config.layers,
    }
}

/// Returns the parameters of a head over the encoder that `config` describes. `has` returns true if
/// the checkpoint has a tensor with this canonical name. It decides whether a bare model has a
/// pooler, and which of two names a decoder's bias has.
pub fn describe_head(
    config: &Config,
    kind: HeadKind,
    has: &dyn Fn(&str) -> bool,
) -> Head<ParameterSpec, ParameterSpec> {
    let names = Describe { config, names: spelling(config.family), in_base: false };
    let (hidden, structure) = (config.hidden, config.structure());
    let pooler = pooler(config, kind)
        .filter(|(name, _)| kind != HeadKind::Bare || has(&format!("{name}.weight")))
        .map(|(name, activation)| {
            // DeBERTa's pooler belongs to the heads.
            let in_base = name.starts_with("pooler") && structure.disentangled.is_none();
            let names = Describe { in_base, ..names };
            names.dense(name, structure.pooler_activation.unwrap_or(activation))
        });
    let has_dense = structure.head_activation.is_some() && !kind.scores_vocabulary();
    let pools_dense = structure.pooling == Pooling::MeanOfDense;
    let dense = if kind == HeadKind::SequenceClassification && pools_dense {
        Some(names.dense("dense", Activation::Gelu))
    } else if kind == HeadKind::ReplacedToken {
        Some(names.dense("discriminator_predictions.dense", config.activation))
    } else {
        (has_dense && kind.reads_tokens()).then(|| names.dense(names.names.transform, IDENTITY))
    };
    let norm = (has_dense && kind != HeadKind::Bare)
        .then(|| names.norm(names.names.transform_norm, hidden));
    let output = kind.outputs_of_layer(config).map(|outputs| {
        let name = output_layer(config.family, kind);
        names.linear(&[name.into()], outputs, hidden, IDENTITY)
    });
    let masked_lm = kind.scores_vocabulary().then(|| names.masked_lm(has));
    Head { kind, pooler, masked_lm, dense, norm, output }
}

/// Returns the parameters of a new head, with the names of Hugging Face's classes.
pub fn describe_new_head(config: &Config, kind: HeadKind) -> Head<ParameterSpec, ParameterSpec> {
    let own_bias = format!("{}.bias", spelling(config.family).decoder);
    describe_head(config, kind, &|name| name != own_bias)
}

#[derive(Clone, Copy)]
struct Describe<'a> {
    config: &'a Config,
    names: &'static Spelling,
    /// True for tensors of the bare model, whose names start with the family's prefix.
    in_base: bool,
}

impl Describe<'_> {
    fn layer(&self, number: usize) -> Layer<ParameterSpec, ParameterSpec> {
        let names = self.names;
        let (structure, width) = (self.config.structure(), self.config.layer_width());
        let of = |part: &str| names.in_layer(number, part);
        // If norms come first, the norm after this layer is the first norm of the next one.
        let output_norm = match structure.norm_first {
            true if number + 1 == self.config.layers => names.final_norm.to_owned(),
            true => names.in_layer(number + 1, names.output_norm),
            false => of(names.output_norm),
        };
        let bias = &structure.biases;
        let linear = |name, inputs, has_bias| {
            self.linear_with(&[of(name)], width, inputs, IDENTITY, has_bias)
        };
        let mut layer = Layer {
            qkv: self.qkv(&of),
            positions: self.positions(&of),
            distances: self.distances(&of),
            attention_output: linear(names.attention_output, width, bias.attention),
            attention_norm: self.norm(&of(names.attention_norm), width),
            intermediate: self.intermediate(&of),
            output: linear(names.output, self.config.intermediate, bias.output),
            output_norm: self.outer_norm(&output_norm, width),
            bottleneck: self.bottleneck(&of),
            feed_forwards: self.feed_forwards(&of),
            span: self.span(&of),
        };
        self.group(&mut layer);
        layer
    }

    /// Returns the queries, keys and values, without the values if they read another input. `of`
    /// completes a name within the layer.
    fn qkv(&self, of: &dyn Fn(&str) -> String) -> Linear<ParameterSpec, ParameterSpec> {
        let Config { hidden, heads, .. } = *self.config;
        let (names, structure) = (self.names, self.config.structure());
        let (width, attended) = (self.config.layer_width(), self.config.attention_width());
        let (read, parts) = match structure.bottleneck.map(|of| of.attention) {
            Some(BottleneckAttention::Narrow) => (width, 3),
            // values read the whole state
            Some(BottleneckAttention::Shared) => (width, 2),
            Some(BottleneckAttention::State) | None => (hidden, 3),
        };
        // Queries, keys and values are one tensor in ModernBERT, three in most families.
        let separate = [names.query, names.key, names.value].map(of);
        let tensors = if names.key.is_empty() { &separate[..1] } else { &separate[..parts] };
        let outputs = parts * attended / tensors.len();
        let has_bias = structure.biases.attention;
        let mut qkv = self.linear_with(tensors, outputs, read, IDENTITY, has_bias);
        if structure.disentangled.is_some_and(|of| of.by_heads) {
            qkv.weight.order = RowOrder::ByHeads { heads };
            // The keys have no bias.
            let biases = ["attention.self.q_bias", "", "attention.self.v_bias"];
            let biases = biases.map(|bias| if bias.is_empty() { String::new() } else { of(bias) });
            qkv.bias = self.vector(biases.into(), hidden);
        }
        if let Some(key_heads) = structure.key_value_heads {
            let layout =
                Layout::HeadsRepeated { head_dim: hidden / heads, times: heads / key_heads };
            for spec in [&mut qkv.weight, &mut qkv.bias] {
                spec.tensors.iter_mut().skip(1).for_each(|tensor| tensor.layout = layout);
            }
        }
        qkv
    }

    /// Returns the first layer of the feed-forward, with its gate if it has one. `of` completes a
    /// name within the layer.
    fn intermediate(&self, of: &dyn Fn(&str) -> String) -> Linear<ParameterSpec, ParameterSpec> {
        let Config { intermediate, activation, .. } = *self.config;
        let (names, structure) = (self.names, self.config.structure());
        // The two halves of a gated layer are one tensor or two.
        let halves = [of(names.intermediate), of(names.gated)];
        let (halves, rows) = match (structure.gated, names.gated.is_empty()) {
            (true, true) => (&halves[..1], 2 * intermediate),
            (true, false) => (&halves[..], intermediate),
            (false, _) => (&halves[..1], intermediate),
        };
        // The gate applies the activation, so the layer itself has none.
        let activation = if structure.gated { IDENTITY } else { activation };
        let (width, has_bias) = (self.config.layer_width(), structure.biases.intermediate);
        let mut layer = self.linear_with(halves, rows, width, activation, has_bias);
        if self.config.family == Family::Gte {
            for spec in [&mut layer.weight, &mut layer.bias] {
                spec.tensors.iter_mut().for_each(|tensor| tensor.layout = Layout::HalvesSwapped);
            }
        }
        layer
    }

    /// Returns the vectors of distances that attention reads. `of` completes a name within the
    /// layer.
    fn distances(&self, of: &dyn Fn(&str) -> String) -> Option<ParameterSpec> {
        self.config.structure().distances?;
        let name = format!("{}.weight", of("attention.self.distance_embedding"));
        let vectors = self.vector(vec![name], 2 * self.config.positions - 1);
        Some(ParameterSpec { cols: self.config.hidden / self.config.heads, ..vectors })
    }

    /// Sets the layout of matrices that the file has in groups of rows and columns.
    fn group(&self, layer: &mut Layer<ParameterSpec, ParameterSpec>) {
        let structure = self.config.structure();
        if structure.feed_forward_groups > 1 {
            let layout = Layout::Transposed { groups: structure.feed_forward_groups };
            for linear in [&mut layer.intermediate, &mut layer.output] {
                linear.weight.tensors.iter_mut().for_each(|tensor| tensor.layout = layout);
            }
        }
        let Some(groups) = structure.groups else { return };
        let each = [
            (&mut layer.qkv, &groups.qkv[..]),
            (&mut layer.attention_output, &[groups.attention_output]),
            (&mut layer.intermediate, &[groups.intermediate]),
            (&mut layer.output, &[groups.output]),
        ];
        for (linear, groups) in each {
            for (tensor, groups) in linear.weight.tensors.iter_mut().zip(groups) {
                tensor.layout = Layout::Groups(*groups);
            }
        }
    }

    /// Returns the linear layers around a narrower layer. `of` completes a name within the layer.
    fn bottleneck(
        &self,
        of: &dyn Fn(&str) -> String,
    ) -> Option<Bottleneck<ParameterSpec, ParameterSpec>> {
        let config::Bottleneck { width, attention } = self.config.structure().bottleneck?;
        let hidden = self.config.hidden;
        let normed = |name: &str, outputs, inputs| Normed {
            linear: self.linear(&[of(&format!("{name}.dense"))], outputs, inputs, IDENTITY),
            norm: self.norm(&of(&format!("{name}.LayerNorm")), outputs),
        };
        let is_shared = attention == BottleneckAttention::Shared;
        let value =
            is_shared.then(|| self.linear(&[of(self.names.value)], width, hidden, IDENTITY));
        Some(Bottleneck {
            input: normed("bottleneck.input", width, hidden),
            attention: is_shared.then(|| normed("bottleneck.attention", width, hidden)),
            value,
            output: normed("output.bottleneck", hidden, width),
        })
    }

    /// Returns the feed-forwards before the last one. `of` completes a name within the layer.
    fn feed_forwards(
        &self,
        of: &dyn Fn(&str) -> String,
    ) -> Vec<FeedForward<ParameterSpec, ParameterSpec>> {
        if !cfg!(feature = "families") {
            return Vec::new();
        }
        let Config { intermediate, activation, .. } = *self.config;
        let width = self.config.layer_width();
        let feed_forward = |number: usize| {
            let part = |name: &str| of(&format!("ffn.{number}.{name}"));
            FeedForward {
                intermediate: self.linear(
                    &[part("intermediate.dense")],
                    intermediate,
                    width,
                    activation,
                ),
                output: self.linear(&[part("output.dense")], width, intermediate, IDENTITY),
                norm: self.norm(&part("output.LayerNorm"), width),
            }
        };
        (1..self.config.structure().feed_forwards).map(|number| feed_forward(number - 1)).collect()
    }

    /// Returns the convolution beside attention. `of` completes a name within the layer.
    fn span(
        &self,
        of: &dyn Fn(&str) -> String,
    ) -> Option<SpanConvolution<ParameterSpec, ParameterSpec>> {
        let taps = self.config.structure().span?.taps;
        let (hidden, width) = (self.config.hidden, self.config.attention_width());
        let part = |name: &str| of(&format!("attention.self.{name}"));
        let depthwise = self.vector(vec![part("key_conv_attn_layer.depthwise.weight")], hidden);
        let order = RowOrder::Taps { taps, groups: 1 };
        let mut pointwise =
            self.linear(&[part("key_conv_attn_layer.pointwise")], width, hidden, IDENTITY);
        pointwise.bias = self.vector(vec![part("key_conv_attn_layer.bias")], width);
        // both are stored with another dimension of 1
        for spec in [&mut pointwise.weight, &mut pointwise.bias] {
            spec.tensors.iter_mut().for_each(|tensor| tensor.layout = Layout::Groups(1));
        }
        let kernels = self.config.heads * taps;
        Some(SpanConvolution {
            depthwise: ParameterSpec { cols: taps, order, ..depthwise },
            pointwise,
            kernel: self.linear(&[part("conv_kernel_layer")], kernels, width, IDENTITY),
            value: self.linear(&[part("conv_out_layer")], width, hidden, IDENTITY),
        })
    }

    /// Returns a norm whose eps may be set by the family.
    fn outer_norm(&self, name: &str, width: usize) -> Norm<ParameterSpec> {
        let norm = self.norm(name, width);
        Norm { eps: self.config.structure().outer_eps.unwrap_or(norm.eps), ..norm }
    }

    /// Returns the table of relative positions, if attention compares contents with it.
    fn relative(&self) -> Option<RelativeTable<ParameterSpec, ParameterSpec>> {
        let of = self.config.structure().disentangled.filter(|of| of.has_positions())?;
        let hidden = self.config.hidden;
        Some(RelativeTable {
            table: self.matrix(&[RELATIVE_TABLE.into()], 2 * of.distances.span, hidden),
            norm: of.norm.then(|| self.norm(RELATIVE_NORM, hidden)),
        })
    }

    /// Returns a layer's own projections of relative positions. `of` completes a name within the
    /// layer.
    fn positions(
        &self,
        of: &dyn Fn(&str) -> String,
    ) -> Option<Linear<ParameterSpec, ParameterSpec>> {
        let disentangled = self.config.structure().disentangled?;
        if disentangled.shares_projections || !disentangled.has_positions() {
            return None;
        }
        let [query, key] = position_projections(self.config.family).map(of);
        let mut names = Vec::new();
        names.extend(disentangled.position_to_content.then_some(query));
        names.extend(disentangled.content_to_position.then_some(key.clone()));
        let hidden = self.config.hidden;
        let mut positions = self.linear(&names, hidden, hidden, IDENTITY);
        if disentangled.by_heads {
            // The projection as keys has no bias.
            let bias =
                |name: &String| if *name == key { String::new() } else { format!("{name}.bias") };
            positions.bias = match disentangled.position_to_content {
                true => self.vector(names.iter().map(bias).collect(), hidden),
                false => self.bias(&names, hidden, false),
            };
        }
        Some(positions)
    }

    /// Returns the convolution over the embeddings, if the model has one.
    fn convolution(&self) -> Option<Convolution<ParameterSpec, ParameterSpec>> {
        let of = self.config.structure().convolution?;
        let hidden = self.config.hidden;
        let name = [CONVOLUTION.to_owned()];
        let mut linear = self.linear(&name, hidden, hidden * of.taps, of.activation);
        linear.weight.order = RowOrder::Taps { taps: of.taps, groups: of.groups };
        Some(Convolution { linear, norm: self.norm(CONVOLUTION_NORM, hidden) })
    }

    /// Returns the dense layer of a head, `[hidden, hidden]`. Its activation is the one in the
    /// family's config, otherwise `activation`.
    fn dense(&self, name: &str, activation: Activation) -> Linear<ParameterSpec, ParameterSpec> {
        let (structure, hidden) = (self.config.structure(), self.config.hidden);
        let activation = structure.head_activation.unwrap_or(activation);
        let names = [name.to_owned()];
        Linear {
            bias: self.bias(&names, hidden, structure.biases.dense),
            ..self.linear(&names, hidden, hidden, activation)
        }
    }

    /// Returns the biases of these layers; zeros if the family has none.
    fn bias(&self, names: &[String], outputs: usize, is_there: bool) -> ParameterSpec {
        let tensors = names.iter().filter(|_| is_there).map(|name| format!("{name}.bias"));
        ParameterSpec { rows: outputs * names.len(), ..self.vector(tensors.collect(), outputs) }
    }

    fn masked_lm(&self, has: &dyn Fn(&str) -> bool) -> MaskedLm<ParameterSpec, ParameterSpec> {
        let (config, names) = (self.config, self.names);
        let activation = match config.family {
            Family::ModernBert => config.structure().head_activation.unwrap_or(IDENTITY),
            // transformers uses the erf form in these heads, whatever the config says.
            Family::Electra | Family::Gte | Family::ConvBert => Activation::Gelu,
            family if family.has_heads_of_roberta() => Activation::Gelu,
            _ => config.activation,
        };
        if has_newer_head(config.family, has) {
            return self.newer_masked_lm();
        }
        let decoder = [names.decoder.to_owned()];
        let own_bias = format!("{}.bias", names.decoder);
        let bias = if has(&own_bias) { own_bias } else { names.decoder_bias.to_owned() };
        let biases = &config.structure().biases;
        let bias = if biases.decoder { vec![bias] } else { Vec::new() };
        let transform = [names.transform.to_owned()];
        let plain = config.structure().plain_decoder;
        let widens = config.structure().widens_decoder && config.hidden > config.embedding;
        let columns = config.structure().decoder_width.unwrap_or(config.embedding);
        let width = if widens { config.hidden } else { columns };
        MaskedLm {
            transform: (!plain).then(|| Linear {
                bias: self.bias(&transform, width, biases.dense),
                ..self.linear(&transform, width, config.hidden, activation)
            }),
            // MobileBERT's other norms need not be LayerNorms
            norm: (!plain)
                .then(|| Norm { kind: NormKind::Layer, ..self.norm(names.transform_norm, width) }),
            decoder: (!config.tied).then(|| self.matrix(&decoder, config.vocab, columns)),
            wider: widens.then(|| self.wider(width - columns)),
            widths: [columns, width - columns],
            bias: ParameterSpec { rows: config.vocab, ..self.vector(bias, config.vocab) },
        }
    }

    /// Returns the columns of MobileBERT's decoder that the word table does not have.
    fn wider(&self, columns: usize) -> Linear<ParameterSpec, ParameterSpec> {
        let mut weight = self.matrix(&[WIDER_DECODER.into()], self.config.vocab, columns);
        let layout = Layout::Transposed { groups: 1 };
        weight.tensors.iter_mut().for_each(|tensor| tensor.layout = layout);
        let bias = self.bias(&[WIDER_DECODER.into()], self.config.vocab, false);
        Linear { weight, bias, activation: IDENTITY }
    }

    /// Returns DeBERTa's newer masked language model head.
    fn newer_masked_lm(&self) -> MaskedLm<ParameterSpec, ParameterSpec> {
        let Config { hidden, vocab, activation, .. } = *self.config;
        MaskedLm {
            transform: Some(self.linear(&[NEWER_TRANSFORM.into()], hidden, hidden, activation)),
            norm: Some(self.norm(NEWER_NORM, hidden)),
            decoder: None,
            wider: None,
            widths: [hidden, 0],
            bias: self.vector(vec![NEWER_BIAS.into()], vocab),
        }
    }

    /// Returns linear layers of `[outputs, inputs]` each, stacked into one.
    fn linear(
        &self,
        names: &[String],
        outputs: usize,
        inputs: usize,
        activation: Activation,
    ) -> Linear<ParameterSpec, ParameterSpec> {
        Linear {
            weight: self.matrix(names, outputs, inputs),
            bias: self.bias(names, outputs, true),
            activation,
        }
    }

    /// Like [`Describe::linear`], with biases only if the family has them.
    fn linear_with(
        &self,
        names: &[String],
        outputs: usize,
        inputs: usize,
        activation: Activation,
        has_bias: bool,
    ) -> Linear<ParameterSpec, ParameterSpec> {
        let bias = self.bias(names, outputs, has_bias);
        Linear { bias, ..self.linear(names, outputs, inputs, activation) }
    }

    fn norm(&self, name: &str, width: usize) -> Norm<ParameterSpec> {
        let weight = self.vector(vec![format!("{name}.weight")], width);
        let bias = self.bias(&[name.to_owned()], width, self.config.structure().biases.norms);
        let kind = self.config.structure().norm;
        Norm { weight, bias, eps: self.config.norm_eps, kind }
    }

    /// Returns weights of `[rows, cols]` each, stacked.
    fn matrix(&self, names: &[String], rows: usize, cols: usize) -> ParameterSpec {
        let tensors = names.iter().map(|name| self.tensor(format!("{name}.weight"))).collect();
        ParameterSpec {
            tensors,
            rows: rows * names.len(),
            cols,
            decays: true,
            order: RowOrder::Plain,
        }
    }

    /// Returns vectors of `[len]` each, stacked, by the names of their tensors.
    fn vector(&self, names: Vec<String>, len: usize) -> ParameterSpec {
        let rows = len * names.len();
        let tensors = names.into_iter().map(|name| self.tensor(name)).collect();
        ParameterSpec { tensors, rows, cols: 1, decays: false, order: RowOrder::Plain }
    }

    fn tensor(&self, canonical: String) -> TensorName {
        let prefix = if self.in_base && !canonical.is_empty() { self.names.prefix } else { "" };
        TensorName { checkpoint: format!("{prefix}{canonical}"), canonical, layout: Layout::Plain }
    }
}
