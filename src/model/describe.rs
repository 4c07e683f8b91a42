//! The declaration of every parameter of a model: names, shape and order.

mod heads;

pub use heads::{describe_head, describe_new_head};

use super::names::{
    CONVOLUTION, CONVOLUTION_NORM, RELATIVE_BIAS, RELATIVE_NORM, RELATIVE_TABLE, ROTARY_TABLE,
    position_projections,
};
use super::spec::{Layout, ParameterSpec, RowOrder, TensorName};
use super::spelling::{Spelling, spelling};
use super::{
    Bottleneck, Convolution, Encoder, FeedForward, Layer, Normed, RelativeTable, SpanConvolution,
};
use crate::backend::{Activation, Embeddings, Linear, Norm};
use crate::config;
use crate::config::{BottleneckAttention, Config, Family};

const IDENTITY: Activation = Activation::Identity;

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
