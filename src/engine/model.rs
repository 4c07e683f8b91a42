//! A head over an engine, with the config and tokenizer of its checkpoint. Tasks use it.

use std::cell::{Ref, RefCell};
use std::future::Future;
use std::ops::DerefMut;
use std::pin::Pin;
use std::rc::Rc;

use super::pass::{Request, Response};
use super::passes_by_size::blocks;
use super::{Engine, Size};
#[cfg(doc)]
use crate::backend::Backend;
use crate::backend::{Precision, Processor};
use crate::batch::Batch;
use crate::config::{Config, HeadKind};
#[cfg(feature = "families")]
use crate::model::GlinerHead;
use crate::model::{Head, HeadOn, ParameterSpec};
use crate::tokenizer::{Encoding, Tokenizer};
use crate::{Error, Result};
use webert_kernels::top_indices;

/// Called between blocks of work. An error ends the work.
pub type Tick<'a> = &'a dyn Fn() -> Pin<Box<dyn Future<Output = Result<()>>>>;

/// A loaded model. Several calls may run concurrently, on this model and on others over the same
/// engine; their forward passes run one after another.
pub struct Model<B: Processor> {
    engine: Rc<Engine<B>>,
    tokens: Tokens,
    head: RefCell<HeadOn<B>>,
    head_spec: Head<ParameterSpec, ParameterSpec>,
    head_size: Size,
    /// [`Info::note`] at the time of loading.
    note: Option<String>,
    /// [`Info::kernels`] at the time of loading.
    kernels: Option<String>,
}

/// Tokenizer and config of a checkpoint, and the head on the host.
pub(super) struct Tokens {
    pub(super) config: Config,
    pub(super) tokenizer: Option<Rc<Tokenizer>>,
    /// The head of a GLiNER model.
    #[cfg(feature = "families")]
    pub(super) gliner: Option<GlinerHead>,
    #[cfg(feature = "train")]
    pub(super) pooling: Result<super::Pooling>,
    /// Canonical names of the tensors that no file has and that were drawn.
    #[cfg(feature = "train")]
    pub(super) drawn: Vec<String>,
}

/// Facts about a loaded model.
#[derive(Debug, Clone)]
pub struct Info {
    /// Device: "wasm" (the CPU) or "webgpu".
    pub device: &'static str,
    /// Precision of the matrices.
    pub precision: Precision,
    /// SIMD instruction set in use.
    pub simd: &'static str,
    /// Number of CPU threads in use.
    pub threads: usize,
    /// Head of the model.
    pub head: HeadKind,
    /// Number of parameters.
    pub parameters: usize,
    /// Memory of the parameters, in bytes.
    pub bytes: usize,
    /// Part of `bytes` that was loaded for a model with another adapter, or without one.
    pub shared_bytes: usize,
    /// Which feature of the device is not used because it is wrong or slow, and what replaces it.
    pub note: Option<String>,
    /// Which variants of a GPU's kernels are in use: see
    /// [`Processor::kernels`](crate::backend::Processor::kernels).
    pub kernels: Option<String>,
}

/// What [`Model::compute`] returns for each sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputRequest<'a> {
    /// The head's scores: `[tokens, scores]`, or `[1, scores]` if the head scores whole texts.
    Logits,
    /// The head's scores, computed from the state of this layer. Layer 0 is the embeddings' output.
    LogitsAt(usize),
    /// The best scores of each token, this many, as returned by [`Backend::top`].
    Best(usize),
    /// These states, side by side: `[tokens, layers · hidden]`.
    States(&'a [usize]),
}

/// The result for one sequence, row-major.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Number of columns.
    pub cols: usize,
    /// The rows, concatenated.
    pub data: Vec<f32>,
}

impl Table {
    /// Returns the rows.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f32> {
        self.data.chunks_exact(self.cols.max(1))
    }

    /// Returns one row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.data[row * self.cols..(row + 1) * self.cols]
    }
}

impl<B: Processor> Model<B> {
    pub(super) fn new(
        engine: Rc<Engine<B>>,
        tokens: Tokens,
        head: HeadOn<B>,
        head_spec: Head<ParameterSpec, ParameterSpec>,
        head_size: Size,
        (note, kernels): (Option<String>, Option<String>),
    ) -> Self {
        Self { engine, tokens, head: RefCell::new(head), head_spec, head_size, note, kernels }
    }

    /// Returns the device, with the kernels that it has compiled, for the next model. Returns `None`
    /// if other models use it.
    pub fn into_backend(self) -> Option<B> {
        let common = Rc::into_inner(self.engine)?.common;
        Some(Rc::into_inner(common)?.device.into_inner().backend)
    }

    /// Returns the encoder and its device, which other models may share.
    pub fn engine(&self) -> &Rc<Engine<B>> {
        &self.engine
    }

    /// Returns the head's parameters, with the structure of [`Model::head_spec`].
    pub fn head(&self) -> Ref<'_, HeadOn<B>> {
        self.head.borrow()
    }

    /// Returns the head's parameters for changes.
    ///
    /// # Errors
    /// `BadInput` while they are being read.
    pub fn head_mut(&self) -> Result<impl DerefMut<Target = HeadOn<B>>> {
        self.head.try_borrow_mut().map_err(|_| Error::BadInput("the head is in use".into()))
    }

    /// Returns names and shapes of the head's parameters.
    pub fn head_spec(&self) -> &Head<ParameterSpec, ParameterSpec> {
        &self.head_spec
    }

    /// Returns the config.
    pub fn config(&self) -> &Config {
        &self.tokens.config
    }

    /// Returns the head of a GLiNER model.
    #[cfg(feature = "families")]
    pub fn gliner(&self) -> Option<&GlinerHead> {
        self.tokens.gliner.as_ref()
    }

    /// Returns the tokenizer.
    ///
    /// # Errors
    /// `Unsupported` if the folder has no tokenizer.
    pub fn tokenizer(&self) -> Result<&Rc<Tokenizer>> {
        self.tokens.tokenizer.as_ref().ok_or_else(|| {
            Error::Unsupported(
                "the checkpoint has no tokenizer (tokenizer.json or a vocabulary). Pass ids."
                    .into(),
            )
        })
    }

    /// Returns the canonical names of the tensors that no file had and that were drawn.
    #[cfg(feature = "train")]
    pub(crate) fn drawn(&self) -> &[String] {
        &self.tokens.drawn
    }

    /// Returns the pooling that the folder defines.
    ///
    /// # Errors
    /// The error of an invalid or unsupported sentence-transformers file.
    #[cfg(feature = "train")]
    pub fn pooling(&self) -> Result<super::Pooling> {
        self.tokens.pooling.clone()
    }

    /// Returns facts about the model.
    pub fn info(&self) -> Info {
        let Size { parameters, bytes, shared_bytes } = self.engine.size + self.head_size;
        Info {
            device: B::NAME,
            precision: self.engine.precision,
            simd: B::SIMD,
            threads: self.engine.common.threads.get(),
            head: self.head_spec.kind,
            parameters,
            bytes,
            shared_bytes,
            note: self.note.clone(),
            kernels: self.kernels.clone(),
        }
    }

    /// Returns the largest number of tokens per text, including special tokens.
    pub fn max_tokens(&self) -> usize {
        let tokenizer = self.tokens.tokenizer.as_ref();
        let limit = tokenizer.and_then(|tokenizer| tokenizer.model_max_length());
        self.config().max_tokens().min(limit.unwrap_or(usize::MAX))
    }

    /// Checks that the model has one of the heads that a task requires.
    ///
    /// # Errors
    /// `Unsupported`, naming the required heads and the head of the model.
    pub fn need(&self, task: &str, heads: &[HeadKind]) -> Result<()> {
        let own = self.head_spec.kind;
        if heads.contains(&own) {
            return Ok(());
        }
        let needed: Vec<_> = heads.iter().map(|head| head.name()).collect();
        Err(Error::Unsupported(format!(
            "{task}: expected a model with a head for {}, got one with a head for {}",
            needed.join(" or "),
            own.name()
        )))
    }

    /// Runs one forward pass, after the passes of all models over the engine that are running.
    ///
    /// # Errors
    /// Errors of the backend.
    pub async fn forward(&self, request: Request) -> Result<Response> {
        let mut device = self.engine.common.device.lock().await;
        self.engine.forward(&mut device, &self.head, request).await
    }

    /// Runs the items of `order` in blocks of neighbours, with one pass per block. `request` makes
    /// the pass, `each` takes its results. `size` returns an item's rows and its number of results.
    ///
    /// # Errors
    /// Errors of the backend and of the functions.
    pub(super) async fn passes(
        &self,
        order: &[usize],
        size: impl Fn(&usize) -> (usize, usize),
        tick: Tick<'_>,
        mut request: impl FnMut(&[usize]) -> Result<Request>,
        mut each: impl FnMut(&[usize], Response) -> Result<()>,
    ) -> Result<()> {
        for block in blocks(self.engine.pass_rows(), order, size) {
            let response = {
                let mut device = self.engine.turn(tick).await?;
                self.engine.forward(&mut device, &self.head, request(block)?).await?
            };
            each(block, response)?;
        }
        Ok(())
    }

    /// Runs sequences of any length, packed into blocks of similar lengths. Returns one table per
    /// sequence, in the given order. `tokens` lists the tokens to score for each sequence; `None`
    /// scores all.
    ///
    /// # Errors
    /// As [`Model::compute_each`].
    pub async fn compute(
        &self,
        encodings: &[Encoding],
        want: OutputRequest<'_>,
        tokens: Option<&[Vec<u32>]>,
        tick: Tick<'_>,
    ) -> Result<Vec<Table>> {
        let mut tables = vec![Table::default(); encodings.len()];
        let mut keep = |n: usize, table| tables[n] = table;
        self.compute_each(encodings, want, tokens, tick, &mut keep).await?;
        Ok(tables)
    }

    /// Like [`Model::compute`], but calls `each` with the number of a sequence and its table after
    /// each block, so that the caller need not hold all tables.
    ///
    /// # Errors
    /// `BadInput` for encodings with padding, and for scores or layers that do not exist. As
    /// [`Batch::pack`]. Errors of the backend and of `tick`.
    pub async fn compute_each(
        &self,
        encodings: &[Encoding],
        want: OutputRequest<'_>,
        tokens: Option<&[Vec<u32>]>,
        tick: Tick<'_>,
        each: &mut dyn FnMut(usize, Table),
    ) -> Result<()> {
        self.check(encodings, want)?;
        let lengths: Vec<f32> = encodings.iter().map(|e| e.ids.len() as f32).collect();
        // Longest first, so that the sequences of a block have similar lengths.
        let order = top_indices(&lengths, lengths.len());
        let counted = |n: usize| match tokens {
            Some(tokens) => tokens[n].len(),
            None => encodings[n].ids.len(),
        };
        let made = match want {
            OutputRequest::States(asked) => asked.len() * self.config().hidden,
            _ if self.scores_tokens() => self.scores(),
            _ => 0,
        };
        let size = |&n: &usize| (encodings[n].ids.len(), made.saturating_mul(counted(n)));
        let request = |block: &[usize]| self.request(block, encodings, want, tokens);
        let each = |block: &[usize], response: Response| {
            let counts = block.iter().map(|&n| counted(n));
            let joined = match want {
                OutputRequest::States(asked) => self.states_tables(asked, &response, counts),
                _ => self.logits_table(&response, block.len(), counts),
            }?;
            block.iter().zip(joined).for_each(|(&n, table)| each(n, table));
            Ok(())
        };
        self.passes(&order, size, tick, request, each).await
    }

    /// Checks the encodings, scores and layers of a call.
    fn check(&self, encodings: &[Encoding], want: OutputRequest<'_>) -> Result<()> {
        let refuse = |what: String| Err(Error::BadInput(what));
        // A batch drops padding, so the rows of a table would no longer match the tokens.
        let is_padded = |encoding: &Encoding| encoding.attention_mask.contains(&0);
        if let Some(n) = encodings.iter().position(is_padded) {
            return refuse(format!("encoding {n}: expected no padding"));
        }
        let (scores, layers) = (self.scores(), self.config().last_state());
        let no_layer = |asked: &[usize]| match asked.iter().find(|&&layer| layer > layers) {
            Some(layer) => refuse(format!("layer: expected 0 to {layers}, got {layer}")),
            None => Ok(()),
        };
        match want {
            OutputRequest::Best(count) if !(1..=scores).contains(&count) => {
                refuse(format!("number of best scores: expected 1 to {scores}, got {count}"))
            }
            OutputRequest::LogitsAt(layer) => no_layer(&[layer]),
            OutputRequest::States(asked) => no_layer(asked),
            _ => Ok(()),
        }
    }

    /// Returns the forward pass for the encodings listed in `block`.
    fn request(
        &self,
        block: &[usize],
        encodings: &[Encoding],
        want: OutputRequest<'_>,
        tokens: Option<&[Vec<u32>]>,
    ) -> Result<Request> {
        let batch = Batch::pack(self.config(), block.iter().map(|&n| &encodings[n]))?;
        let starts = batch.sequences.iter().map(|sequence| sequence.rows.start as u32);
        let chosen = tokens.map(|tokens| {
            let of = |(&n, start): (&usize, u32)| tokens[n].iter().map(move |token| start + token);
            block.iter().zip(starts).flat_map(of).collect()
        });
        Ok(Request {
            batch,
            head: !matches!(want, OutputRequest::States(_)),
            tokens: chosen,
            best: if let OutputRequest::Best(count) = want { Some(count) } else { None },
            layers: if let OutputRequest::LogitsAt(layer) = want { Some(layer) } else { None },
            states: if let OutputRequest::States(states) = want {
                states.to_vec()
            } else {
                Vec::new()
            },
            attentions: false,
        })
    }

    /// Splits the scores of a block into one table per sequence.
    fn logits_table(
        &self,
        response: &Response,
        sequences: usize,
        counts: impl Iterator<Item = usize>,
    ) -> Result<Vec<Table>> {
        let by_token = self.scores_tokens();
        let counts: Vec<usize> = if by_token { counts.collect() } else { vec![1; sequences] };
        let rows: usize = counts.iter().sum();
        let cols = response.logits.len() / rows.max(1);
        cut(&response.logits, cols, &counts)
    }

    /// Puts the states of a block side by side in the requested order. Returns one table per
    /// sequence.
    fn states_tables(
        &self,
        asked: &[usize],
        response: &Response,
        counts: impl Iterator<Item = usize>,
    ) -> Result<Vec<Table>> {
        // The response has each state once, in the order of the layers.
        let place = |layer: &usize| (0..*layer).filter(|other| asked.contains(other)).count();
        let states: Vec<_> = asked.iter().map(|layer| &response.states[place(layer)]).collect();
        let hidden = self.config().hidden;
        let cols = asked.len() * hidden;
        let mut first = 0;
        let table = |count| {
            let mut data = Vec::new();
            reserve(&mut data, &[count, cols])?;
            for row in first..first + count {
                for state in &states {
                    data.extend_from_slice(&state[row * hidden..(row + 1) * hidden]);
                }
            }
            first += count;
            Ok(Table { cols, data })
        };
        counts.map(table).collect()
    }

    /// Returns the number of scores per token or, if the head scores texts, per text.
    pub(super) fn scores(&self) -> usize {
        self.head_spec.kind.scores(self.config())
    }

    /// Returns true if the head scores tokens, and false if it scores whole texts.
    pub(super) fn scores_tokens(&self) -> bool {
        self.head_spec.kind.reads_tokens()
    }
}

fn cut(data: &[f32], cols: usize, counts: &[usize]) -> Result<Vec<Table>> {
    let mut rest = data;
    let table = |&count: &usize| {
        let (now, later) = rest.split_at(count * cols);
        rest = later;
        Ok(Table { cols, data: copy(now.iter(), now.len())? })
    };
    counts.iter().map(table).collect()
}

/// Returns a vector of these `count` numbers.
pub(super) fn copy<'a>(numbers: impl Iterator<Item = &'a f32>, count: usize) -> Result<Vec<f32>> {
    let mut copy = Vec::new();
    reserve(&mut copy, &[count])?;
    copy.extend(numbers);
    Ok(copy)
}

/// Reserves memory in `data` for a tensor with the shape `dims`.
pub(super) fn reserve(data: &mut Vec<f32>, dims: &[usize]) -> Result<()> {
    let len = dims.iter().try_fold(1, |len: usize, &dim| len.checked_mul(dim));
    len.and_then(|len| data.try_reserve_exact(len).ok())
        .ok_or_else(|| Error::OutOfMemory(format!("no memory for results of {dims:?} numbers")))
}
