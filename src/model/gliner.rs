//! The head of a GLiNER model (Zaratiana et al. 2023): scores of spans of words for labels, from the
//! encoder's states of labels and words. It runs on the host, in f32, on every device.
//!
//! A span's score is the product of its vector with the label's vector. The layers before and after
//! the activation are applied to words and to labels, not to spans, so that a span costs one row of
//! additions and one product per label.

use std::cell::RefCell;

use webert_kernels::{Matrix, Rows, Workspace, linear};

use super::{Layout, ParameterSpec, RowOrder, TensorName};
use crate::backend::{Activation, Precision};
use crate::config::{Config, Gliner, SpanMode};
use crate::{Error, Result};

/// Rows of spans that are scored at once.
const BLOCK: usize = 1024;

/// Returns the parameters of the head that `config` describes; none without a GLiNER head.
pub fn describe_gliner(config: &Config) -> Vec<ParameterSpec> {
    let Some(gliner) = &config.gliner else { return Vec::new() };
    let mut names = Names(Vec::new());
    let hidden = gliner.hidden;
    if hidden != config.hidden {
        names.linear("token_rep_layer.projection", hidden, config.hidden);
    }
    for layer in 0..gliner.rnn_layers {
        let inputs = if layer == 0 { hidden } else { hidden / 2 * 2 };
        for direction in ["", "_reverse"] {
            names.lstm(&format!("l{layer}{direction}"), hidden / 2, inputs);
        }
    }
    if gliner.span_mode == SpanMode::TokenLevel {
        names.linear("scorer.proj_token", 2 * hidden, hidden);
        names.linear("scorer.proj_label", 2 * hidden, hidden);
        names.linear("scorer.out_mlp.0", 4 * hidden, 3 * hidden);
        names.linear("scorer.out_mlp.3", 3, 4 * hidden);
        return names.0;
    }
    let of = |part: &str| format!("span_rep_layer.span_rep_layer.{part}");
    let inner = if gliner.span_mode == SpanMode::Marker { 2 } else { 4 };
    for side in ["project_start", "project_end"] {
        names.linear(&of(&format!("{side}.0")), inner * hidden, hidden);
        names.linear(&of(&format!("{side}.3")), hidden, inner * hidden);
    }
    let parts = if gliner.span_mode == SpanMode::MarkerV1 { 3 } else { 2 };
    if gliner.span_mode == SpanMode::Marker {
        names.linear(&of("out_project"), hidden, parts * hidden);
    } else {
        names.linear(&of("out_project.0"), 4 * hidden, parts * hidden);
        names.linear(&of("out_project.3"), hidden, 4 * hidden);
    }
    names.linear("prompt_rep_layer.0", 4 * hidden, hidden);
    names.linear("prompt_rep_layer.3", hidden, 4 * hidden);
    names.0
}

/// Collects parameters.
struct Names(Vec<ParameterSpec>);

impl Names {
    /// Adds `[rows, cols]`; `cols` is 1 for a vector.
    fn add(&mut self, name: String, rows: usize, cols: usize) {
        let tensor =
            TensorName { canonical: name.clone(), checkpoint: name, layout: Layout::Plain };
        let order = RowOrder::Plain;
        self.0.push(ParameterSpec { tensors: vec![tensor], rows, cols, decays: false, order });
    }

    fn linear(&mut self, name: &str, outputs: usize, inputs: usize) {
        self.add(format!("{name}.weight"), outputs, inputs);
        self.add(format!("{name}.bias"), outputs, 1);
    }

    /// Adds one direction of a layer, with four gates of `width` each.
    fn lstm(&mut self, direction: &str, width: usize, inputs: usize) {
        self.add(format!("rnn.lstm.weight_ih_{direction}"), 4 * width, inputs);
        self.add(format!("rnn.lstm.weight_hh_{direction}"), 4 * width, width);
        self.add(format!("rnn.lstm.bias_ih_{direction}"), 4 * width, 1);
        self.add(format!("rnn.lstm.bias_hh_{direction}"), 4 * width, 1);
    }
}

/// A linear layer on the host.
struct Dense {
    /// `[outputs, inputs]`
    weight: Matrix,
    /// `[outputs]`
    bias: Vec<f32>,
}

/// Two linear layers with ReLU between them.
struct TwoLayers(Dense, Dense);

/// One direction of a layer of the LSTM.
struct Direction {
    /// The gates' inputs: input, forget, cell, output. Both biases are in it.
    inputs: Dense,
    /// The gates' share of the previous state, without bias.
    states: Dense,
}

/// How spans are scored.
enum Scores {
    Spans(Box<SpanLayers>),
    Tokens(Box<TokenLayers>),
}

/// The layers of the span modes.
struct SpanLayers {
    start: TwoLayers,
    end: TwoLayers,
    /// The first layer over start, end and, if there is one, the mean: one part each. The bias is in
    /// the first part.
    parts: Vec<Dense>,
    /// The second layer: `[hidden, 4 · hidden]` row-major, and its bias.
    last: Option<(Vec<f32>, Vec<f32>)>,
    labels: TwoLayers,
}

/// The layers of `TokenLevel`.
struct TokenLayers {
    token: Dense,
    label: Dense,
    /// The first layer over tokens, over labels and over their products. The bias is in the first
    /// part.
    parts: Vec<Dense>,
    last: Dense,
}

/// The head of a GLiNER model on the host.
pub struct GlinerHead {
    config: Gliner,
    projection: Option<Dense>,
    lstm: Vec<[Direction; 2]>,
    scores: Scores,
    workspace: RefCell<Workspace>,
}

/// Takes the values of parameters in the order of [`describe_gliner`].
struct Take<'a>(std::slice::Iter<'a, Vec<f32>>);

impl<'a> Take<'a> {
    fn next(&mut self) -> Result<&'a [f32]> {
        let next = self.0.next().map(Vec::as_slice);
        next.ok_or_else(|| Error::BadWeights("a parameter has no tensors".into()))
    }

    fn dense(&mut self, outputs: usize, inputs: usize) -> Result<Dense> {
        let weight = matrix(self.next()?, outputs, inputs)?;
        Ok(Dense { weight, bias: self.next()?.to_vec() })
    }

    fn two_layers(&mut self, width: usize, inner: usize) -> Result<TwoLayers> {
        Ok(TwoLayers(self.dense(inner, width)?, self.dense(width, inner)?))
    }

    /// Takes a layer over `count` parts of `width` columns each.
    fn parts(&mut self, outputs: usize, width: usize, count: usize) -> Result<Vec<Dense>> {
        let (weight, bias) = (self.next()?, self.next()?);
        let part = |n: usize| {
            let rows = weight.chunks_exact(count * width);
            let values: Vec<f32> =
                rows.flat_map(|row| &row[n * width..(n + 1) * width]).copied().collect();
            let bias = if n == 0 { bias.to_vec() } else { vec![0.0; outputs] };
            Ok(Dense { weight: matrix(&values, outputs, width)?, bias })
        };
        (0..count).map(part).collect()
    }

    fn direction(&mut self, width: usize, inputs: usize) -> Result<Direction> {
        let inputs = matrix(self.next()?, 4 * width, inputs)?;
        let states = matrix(self.next()?, 4 * width, width)?;
        let (first, second) = (self.next()?, self.next()?);
        let bias = first.iter().zip(second).map(|(a, b)| a + b).collect();
        Ok(Direction {
            inputs: Dense { weight: inputs, bias },
            states: Dense { weight: states, bias: vec![0.0; 4 * width] },
        })
    }

    fn scores(&mut self, config: &Gliner) -> Result<Scores> {
        let (hidden, mode) = (config.hidden, config.span_mode);
        if mode == SpanMode::TokenLevel {
            return Ok(Scores::Tokens(Box::new(TokenLayers {
                token: self.dense(2 * hidden, hidden)?,
                label: self.dense(2 * hidden, hidden)?,
                parts: self.parts(4 * hidden, hidden, 3)?,
                last: self.dense(3, 4 * hidden)?,
            })));
        }
        let is_single = mode == SpanMode::Marker;
        let inner = if is_single { 2 } else { 4 } * hidden;
        let start = self.two_layers(hidden, inner)?;
        let end = self.two_layers(hidden, inner)?;
        let count = if mode == SpanMode::MarkerV1 { 3 } else { 2 };
        let outputs = if is_single { hidden } else { 4 * hidden };
        let parts = self.parts(outputs, hidden, count)?;
        let last = match is_single {
            true => None,
            false => Some((self.next()?.to_vec(), self.next()?.to_vec())),
        };
        let labels = self.two_layers(hidden, 4 * hidden)?;
        Ok(Scores::Spans(Box::new(SpanLayers { start, end, parts, last, labels })))
    }
}

fn matrix(values: &[f32], rows: usize, cols: usize) -> Result<Matrix> {
    let matrix = Matrix::zeros(rows, cols, Precision::F32);
    let mut matrix = matrix.map_err(|error| Error::OutOfMemory(error.to_string()))?;
    matrix.write(0, values);
    Ok(matrix)
}

impl GlinerHead {
    /// Returns the head with these values, in the order and of the shapes of [`describe_gliner`].
    /// `width` is the width of the encoder.
    ///
    /// # Errors
    /// `BadWeights` if values are missing; `OutOfMemory`.
    pub fn new(config: &Gliner, width: usize, values: &[Vec<f32>]) -> Result<Self> {
        let mut take = Take(values.iter());
        let hidden = config.hidden;
        let projection = match hidden == width {
            true => None,
            false => Some(take.dense(hidden, width)?),
        };
        let lstm = (0..config.rnn_layers).map(|layer| {
            let inputs = if layer == 0 { hidden } else { hidden / 2 * 2 };
            Ok([take.direction(hidden / 2, inputs)?, take.direction(hidden / 2, inputs)?])
        });
        let lstm = lstm.collect::<Result<_>>()?;
        let scores = take.scores(config)?;
        let workspace = RefCell::default();
        Ok(Self { config: config.clone(), projection, lstm, scores, workspace })
    }

    /// Returns the settings of the head.
    pub fn config(&self) -> &Gliner {
        &self.config
    }

    /// Returns the scores of a text, before the sigmoid, from the encoder's states of its labels,
    /// `[labels, width]`, and of its words, `[words, width]`. The result is
    /// `[words · max_width, labels]`: row w · `max_width` + n is the span of n + 1 words that begins
    /// at word w; rows of spans beyond the last word have no meaning. For `TokenLevel` the result is
    /// `[words · labels, 3]`: start, end and inside.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn scores(&self, labels: Rows, words: Rows) -> Result<Rows> {
        let (labels, mut words) = (self.projected(labels)?, self.projected(words)?);
        for layer in &self.lstm {
            words = self.lstm(layer, &words)?;
        }
        match &self.scores {
            Scores::Spans(layers) => self.span_scores(layers, &labels, &words),
            Scores::Tokens(layers) => self.token_scores(layers, &labels, &words),
        }
    }

    fn projected(&self, rows: Rows) -> Result<Rows> {
        match &self.projection {
            Some(projection) => self.run(projection, &rows, Activation::Identity),
            None => Ok(rows),
        }
    }

    fn run(&self, layer: &Dense, x: &Rows, activation: Activation) -> Result<Rows> {
        let mut y = Rows::default();
        let workspace = &mut self.workspace.borrow_mut();
        linear(x, &layer.weight, &layer.bias, activation, &mut y, workspace)
            .map_err(|error| Error::OutOfMemory(error.to_string()))?;
        Ok(y)
    }

    fn run_two(&self, TwoLayers(first, second): &TwoLayers, x: &Rows) -> Result<Rows> {
        self.run(second, &self.run(first, x, Activation::Relu)?, Activation::Identity)
    }

    /// Runs a bidirectional layer: `[words, inputs]` to `[words, 2 · width]`.
    fn lstm(&self, layer: &[Direction; 2], words: &Rows) -> Result<Rows> {
        let width = layer[0].states.weight.rows() / 4;
        let mut output = zeros(words.rows, 2 * width)?;
        for (side, direction) in layer.iter().enumerate() {
            let gates = self.run(&direction.inputs, words, Activation::Identity)?;
            let mut cell = vec![0.0; width];
            let mut state = zeros(1, width)?;
            for step in 0..words.rows {
                let word = if side == 0 { step } else { words.rows - 1 - step };
                let own = self.run(&direction.states, &state, Activation::Identity)?;
                let given = &gates.data[word * 4 * width..][..4 * width];
                for n in 0..width {
                    let gate = |part: usize| given[part * width + n] + own.data[part * width + n];
                    cell[n] = sigmoid(gate(1)) * cell[n] + sigmoid(gate(0)) * gate(2).tanh();
                    state.data[n] = sigmoid(gate(3)) * cell[n].tanh();
                }
                output.data[(2 * word + side) * width..][..width].copy_from_slice(&state.data);
            }
        }
        Ok(output)
    }

    fn span_scores(&self, layers: &SpanLayers, labels: &Rows, words: &Rows) -> Result<Rows> {
        let SpanLayers { start, end, parts, last, labels: of_labels } = layers;
        let first = self.part(&parts[0], self.run_two(start, words)?)?;
        let mut second = self.part(&parts[1], self.run_two(end, words)?)?;
        if let Some(mean) = parts.get(2) {
            let mean = self.part(mean, mean_row(words)?)?;
            let rows = second.data.chunks_exact_mut(mean.cols);
            rows.for_each(|row| row.iter_mut().zip(&mean.data).for_each(|(x, add)| *x += add));
        }
        let vectors = self.run_two(of_labels, labels)?;
        let products = match last {
            Some(last) => through(last, &vectors)?,
            None => Dense {
                weight: matrix(&vectors.data, vectors.rows, vectors.cols)?,
                bias: vec![0.0; vectors.rows],
            },
        };
        self.pair_scores(&first, &second, &products, last.is_some())
    }

    /// Runs a part of the first layer over ReLU of the rows.
    fn part(&self, part: &Dense, mut rows: Rows) -> Result<Rows> {
        rows.data.iter_mut().for_each(|x| *x = x.max(0.0));
        self.run(part, &rows, Activation::Identity)
    }

    /// Returns the products of labels with the sums of a row of `first` and one of `second`.
    fn pair_scores(&self, first: &Rows, second: &Rows, labels: &Dense, relu: bool) -> Result<Rows> {
        let (words, cols, width) = (first.rows, first.cols, self.config.max_width);
        let mut scores = Rows::default();
        shape(&mut scores, words * width, labels.weight.rows())?;
        let mut block = Rows::default();
        let mut done = 0;
        let starts = (BLOCK / width).max(1);
        for from in (0..words).step_by(starts) {
            let to = words.min(from + starts);
            shape(&mut block, (to - from) * width, cols)?;
            for (n, row) in block.data.chunks_exact_mut(cols).enumerate() {
                let begin = from + n / width;
                let end = (begin + n % width).min(words - 1);
                let (a, b) = (&first.data[begin * cols..], &second.data[end * cols..]);
                for ((x, a), b) in row.iter_mut().zip(a).zip(b) {
                    *x = if relu { (a + b).max(0.0) } else { a + b };
                }
            }
            let found = self.run(labels, &block, Activation::Identity)?;
            scores.data[done..done + found.data.len()].copy_from_slice(&found.data);
            done += found.data.len();
        }
        Ok(scores)
    }

    fn token_scores(&self, layers: &TokenLayers, labels: &Rows, words: &Rows) -> Result<Rows> {
        let TokenLayers { token, label, parts, last } = layers;
        let [tokens, labels] = [(token, words), (label, labels)]
            .map(|(layer, rows)| self.run(layer, rows, Activation::Identity).and_then(halves));
        let ([token, token_factor], [label, label_factor]) = (tokens?, labels?);
        let of_tokens = self.run(&parts[0], &token, Activation::Identity)?;
        let of_labels = self.run(&parts[1], &label, Activation::Identity)?;
        let (words, classes) = (token.rows, label.rows);
        let mut scores = zeros(words * classes, 3)?;
        let mut products = zeros(words, token.cols)?;
        for class in 0..classes {
            let factors = &label_factor.data[class * token.cols..][..token.cols];
            for (row, from) in products
                .data
                .chunks_exact_mut(token.cols)
                .zip(token_factor.data.chunks_exact(token.cols))
            {
                row.iter_mut().zip(from).zip(factors).for_each(|((x, a), b)| *x = a * b);
            }
            let mut inner = self.run(&parts[2], &products, Activation::Identity)?;
            let cols = inner.cols;
            let add = &of_labels.data[class * cols..][..cols];
            for (row, own) in
                inner.data.chunks_exact_mut(cols).zip(of_tokens.data.chunks_exact(cols))
            {
                row.iter_mut().zip(own).zip(add).for_each(|((x, a), b)| *x = (*x + a + b).max(0.0));
            }
            let found = self.run(last, &inner, Activation::Identity)?;
            for (word, three) in found.data.chunks_exact(3).enumerate() {
                scores.data[(word * classes + class) * 3..][..3].copy_from_slice(three);
            }
        }
        Ok(scores)
    }
}

/// Returns the left and the right half of each row.
fn halves(rows: Rows) -> Result<[Rows; 2]> {
    let width = rows.cols / 2;
    let half = |side: usize| {
        let mut half = zeros(rows.rows, width)?;
        for (to, from) in half.data.chunks_exact_mut(width).zip(rows.data.chunks_exact(rows.cols)) {
            to.copy_from_slice(&from[side * width..][..width]);
        }
        Ok(half)
    };
    Ok([half(0)?, half(1)?])
}

/// Returns the mean of all rows.
fn mean_row(rows: &Rows) -> Result<Rows> {
    let mut mean = zeros(1, rows.cols)?;
    for row in rows.data.chunks_exact(rows.cols) {
        mean.data.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    mean.data.iter_mut().for_each(|sum| *sum /= rows.rows as f32);
    Ok(mean)
}

/// Returns the layer that gives the products of labels with the output of `last`, from the input of
/// `last`: vectors · weight, and vectors · bias.
fn through((weight, bias): &(Vec<f32>, Vec<f32>), vectors: &Rows) -> Result<Dense> {
    let cols = weight.len() / bias.len();
    let mut products = zeros(vectors.rows, cols)?;
    let mut offsets = Vec::with_capacity(vectors.rows);
    for (row, vector) in
        products.data.chunks_exact_mut(cols).zip(vectors.data.chunks_exact(vectors.cols))
    {
        for (factor, from) in vector.iter().zip(weight.chunks_exact(cols)) {
            row.iter_mut().zip(from).for_each(|(sum, x)| *sum += factor * x);
        }
        offsets.push(vector.iter().zip(bias).map(|(a, b)| a * b).sum());
    }
    Ok(Dense { weight: matrix(&products.data, vectors.rows, cols)?, bias: offsets })
}

fn shape(rows: &mut Rows, count: usize, cols: usize) -> Result<()> {
    rows.shape(count, cols).map_err(|error| Error::OutOfMemory(error.to_string()))
}

fn zeros(count: usize, cols: usize) -> Result<Rows> {
    let mut rows = Rows::default();
    shape(&mut rows, count, cols)?;
    rows.data.fill(0.0);
    Ok(rows)
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
