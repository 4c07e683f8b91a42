//! A head over an engine, with the config and tokenizer of its checkpoint: what tasks call.

use std::cell::{Ref, RefCell};
use std::future::Future;
use std::ops::DerefMut;
use std::pin::Pin;
use std::rc::Rc;

use super::blocks::blocks;
use super::pass::{Request, Response};
use super::{Engine, Size};
#[cfg(doc)]
use crate::backend::Backend;
use crate::backend::{Precision, Processor};
use crate::batch::Batch;
use crate::config::{Config, HeadKind};
use crate::model::{Head, HeadOn, ParameterSpec};
use crate::tokenizer::{Encoding, Tokenizer};
use crate::{Error, Result};
use webert_kernels::top_indices;

/// Called between blocks of work; an error from it ends the work.
pub type Tick<'a> = &'a dyn Fn() -> Pin<Box<dyn Future<Output = Result<()>>>>;

/// A model ready to run. Several calls may be under way at a time, of it and of others over the same engine; their
/// forward passes wait for each other.
pub struct Model<B: Processor> {
    engine: Rc<Engine<B>>,
    tokens: Tokens,
    head: RefCell<HeadOn<B>>,
    head_spec: Head<ParameterSpec, ParameterSpec>,
    head_size: Size,
    /// As [`Info::note`], when the model was loaded.
    note: Option<String>,
}

/// What a checkpoint says of its texts and labels.
pub(super) struct Tokens {
    pub(super) config: Config,
    pub(super) tokenizer: Option<Rc<Tokenizer>>,
    #[cfg(feature = "train")]
    pub(super) pooling: Result<super::Pooling>,
}

/// Facts about a loaded model.
#[derive(Debug, Clone)]
pub struct Info {
    /// "wasm" (the CPU) or "webgpu".
    pub device: &'static str,
    /// How the matrices are kept.
    pub precision: Precision,
    /// The instructions computed with.
    pub simd: &'static str,
    /// The threads computed with, on the CPU.
    pub threads: usize,
    /// The head in use.
    pub head: HeadKind,
    /// How many numbers the parameters are.
    pub parameters: usize,
    /// Bytes of memory they take.
    pub bytes: usize,
    /// What of the device is not used because it computes wrongly or slowly, and what is instead.
    pub note: Option<String>,
}

/// What [`Model::compute`] is to bring back for a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want<'a> {
    /// The head's scores: `[tokens asked for, scores]`, or `[1, scores]` of a whole text's head.
    Logits,
    /// The same with the head over the state of this layer, 0 being the embeddings' output.
    LogitsAt(usize),
    /// Of each token's scores only so many, as [`Backend::top`] gives them.
    Best(usize),
    /// These states, side by side: `[tokens, layers asked for · hidden]`.
    States(&'a [usize]),
}

/// A result for one sequence, row-major.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Columns.
    pub cols: usize,
    /// Rows after one another.
    pub data: Vec<f32>,
}

impl Table {
    /// The rows.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f32> {
        self.data.chunks_exact(self.cols.max(1))
    }

    /// One row.
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
        note: Option<String>,
    ) -> Self {
        Self { engine, tokens, head: RefCell::new(head), head_spec, head_size, note }
    }

    /// The encoder and its device, which other models may share.
    pub fn engine(&self) -> &Rc<Engine<B>> {
        &self.engine
    }

    /// The head's parameters, as [`Model::head_spec`] lists them.
    pub fn head(&self) -> Ref<'_, HeadOn<B>> {
        self.head.borrow()
    }

    /// The head's parameters, to be changed.
    ///
    /// # Errors
    /// `BadInput` while somebody reads them.
    pub fn head_mut(&self) -> Result<impl DerefMut<Target = HeadOn<B>>> {
        self.head.try_borrow_mut().map_err(|_| Error::BadInput("the head is in use".into()))
    }

    /// Names and shapes of the head's parameters.
    pub fn head_spec(&self) -> &Head<ParameterSpec, ParameterSpec> {
        &self.head_spec
    }

    /// The config.
    pub fn config(&self) -> &Config {
        &self.tokens.config
    }

    /// The tokenizer.
    ///
    /// # Errors
    /// `Unsupported` where the folder had none.
    pub fn tokenizer(&self) -> Result<&Rc<Tokenizer>> {
        self.tokens.tokenizer.as_ref().ok_or_else(|| {
            Error::Unsupported(
                "the checkpoint has no WordPiece tokenizer (tokenizer.json or vocab.txt): pass ids"
                    .into(),
            )
        })
    }

    /// What the folder says about pooling.
    ///
    /// # Errors
    /// Those of its sentence-transformers files.
    #[cfg(feature = "train")]
    pub fn pooling(&self) -> Result<super::Pooling> {
        self.tokens.pooling.clone()
    }

    /// Facts about the model.
    pub fn info(&self) -> Info {
        let Size { parameters, bytes } = self.engine.size + self.head_size;
        Info {
            device: B::NAME,
            precision: self.engine.precision,
            simd: B::SIMD,
            threads: self.engine.threads.get(),
            head: self.head_spec.kind,
            parameters,
            bytes,
            note: self.note.clone(),
        }
    }

    /// The most tokens a text may have, special tokens included.
    pub fn max_tokens(&self) -> usize {
        let tokenizer = self.tokens.tokenizer.as_ref();
        let limit = tokenizer.and_then(|tokenizer| tokenizer.model_max_length());
        self.config().max_tokens().min(limit.unwrap_or(usize::MAX))
    }

    /// Refuses a task whose head is not the loaded one.
    ///
    /// # Errors
    /// `Unsupported`, naming the heads that are there.
    pub fn need(&self, task: &str, heads: &[HeadKind]) -> Result<()> {
        let own = self.head_spec.kind;
        if heads.contains(&own) {
            return Ok(());
        }
        let needed: Vec<_> = heads.iter().map(|head| head.name()).collect();
        Err(Error::Unsupported(format!(
            "{task} needs a head for {}; the model was loaded with its head for {}",
            needed.join(" or "),
            own.name()
        )))
    }

    /// One forward pass, after those of this and other models over the engine that are under way.
    ///
    /// # Errors
    /// The backend's.
    pub async fn forward(&self, request: Request) -> Result<Response> {
        self.engine.forward(&self.head, request).await
    }

    /// Runs `order` in blocks of neighbours, each a pass: `request` makes it, `each` takes what it gives. `size` are
    /// an item's rows and the numbers made of them.
    ///
    /// # Errors
    /// The backend's, and what the functions return.
    pub(super) async fn passes(
        &self,
        order: &[usize],
        size: impl Fn(&usize) -> (usize, usize),
        tick: Tick<'_>,
        mut request: impl FnMut(&[usize]) -> Result<Request>,
        mut each: impl FnMut(&[usize], Response) -> Result<()>,
    ) -> Result<()> {
        for block in blocks(self.engine.pass_rows, order, size) {
            tick().await?;
            let response = self.forward(request(block)?).await?;
            each(block, response)?;
        }
        Ok(())
    }

    /// Runs sequences of any lengths, packed into blocks of similar ones; one table each, in the
    /// order given. `tokens` gives for each sequence the tokens to score, `None` for all.
    ///
    /// # Errors
    /// As [`Model::compute_each`].
    pub async fn compute(
        &self,
        encodings: &[Encoding],
        want: Want<'_>,
        tokens: Option<&[Vec<u32>]>,
        tick: Tick<'_>,
    ) -> Result<Vec<Table>> {
        let mut tables = vec![Table::default(); encodings.len()];
        let mut keep = |n: usize, table| tables[n] = table;
        self.compute_each(encodings, want, tokens, tick, &mut keep).await?;
        Ok(tables)
    }

    /// As [`Model::compute`]: calls `each` with the number of a sequence and its table once a block
    /// is done, so that not all tables have to be held.
    ///
    /// # Errors
    /// `BadInput` for encodings with padding, scores or layers that there are not; as
    /// [`Batch::pack`], the backend's, and what `tick` returns.
    pub async fn compute_each(
        &self,
        encodings: &[Encoding],
        want: Want<'_>,
        tokens: Option<&[Vec<u32>]>,
        tick: Tick<'_>,
        each: &mut dyn FnMut(usize, Table),
    ) -> Result<()> {
        self.check(encodings, want)?;
        let lengths: Vec<f32> = encodings.iter().map(|e| e.ids.len() as f32).collect();
        let order = top_indices(&lengths, lengths.len());
        let counted = |n: usize| match tokens {
            Some(tokens) => tokens[n].len(),
            None => encodings[n].ids.len(),
        };
        let made = match want {
            Want::States(asked) => asked.len() * self.config().hidden,
            _ if self.scores_tokens() => self.scores(),
            _ => 0,
        };
        let size = |&n: &usize| (encodings[n].ids.len(), made.saturating_mul(counted(n)));
        let request = |block: &[usize]| self.request(block, encodings, want, tokens);
        let each = |block: &[usize], response: Response| {
            let counts = block.iter().map(|&n| counted(n));
            let joined = match want {
                Want::States(asked) => self.states_tables(asked, &response, counts),
                _ => self.logits_table(&response, block.len(), counts),
            }?;
            block.iter().zip(joined).for_each(|(&n, table)| each(n, table));
            Ok(())
        };
        self.passes(&order, size, tick, request, each).await
    }

    /// Refuses what there are no tables of.
    fn check(&self, encodings: &[Encoding], want: Want<'_>) -> Result<()> {
        let refuse = |what: String| Err(Error::BadInput(what));
        // a batch leaves padding out: rows would not be where tables have them
        let is_padded = |encoding: &Encoding| encoding.attention_mask.contains(&0);
        if let Some(n) = encodings.iter().position(is_padded) {
            return refuse(format!("encoding {n} is padded, expected none that is"));
        }
        let (scores, layers) = (self.scores(), self.config().last_state());
        let no_layer = |asked: &[usize]| match asked.iter().find(|&&layer| layer > layers) {
            Some(layer) => refuse(format!("states of layer {layer}, expected 0 to {layers}")),
            None => Ok(()),
        };
        match want {
            Want::Best(count) if !(1..=scores).contains(&count) => {
                refuse(format!("the {count} best scores, expected the best 1 to {scores}"))
            }
            Want::LogitsAt(layer) => no_layer(&[layer]),
            Want::States(asked) => no_layer(asked),
            _ => Ok(()),
        }
    }

    /// The forward pass of those encodings that `block` names.
    fn request(
        &self,
        block: &[usize],
        encodings: &[Encoding],
        want: Want<'_>,
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
            head: !matches!(want, Want::States(_)),
            tokens: chosen,
            best: if let Want::Best(count) = want { Some(count) } else { None },
            layers: if let Want::LogitsAt(layer) = want { Some(layer) } else { None },
            states: if let Want::States(states) = want { states.to_vec() } else { Vec::new() },
            attentions: false,
        })
    }

    /// Cuts a block's scores into one table a sequence.
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

    /// Puts a block's states side by side in the order asked for, in one table a sequence.
    fn states_tables(
        &self,
        asked: &[usize],
        response: &Response,
        counts: impl Iterator<Item = usize>,
    ) -> Result<Vec<Table>> {
        // the response has each state once, in the order of the layers
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

    /// The scores of a token or, where the head scores these, a text.
    pub(super) fn scores(&self) -> usize {
        self.head_spec.kind.scores(self.config())
    }

    /// Whether the head scores tokens; else it scores whole texts.
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

/// A vector of these `count` numbers.
pub(super) fn copy<'a>(numbers: impl Iterator<Item = &'a f32>, count: usize) -> Result<Vec<f32>> {
    let mut copy = Vec::new();
    reserve(&mut copy, &[count])?;
    copy.extend(numbers);
    Ok(copy)
}

/// Makes room in `data` for the numbers of a tensor of shape `dims`.
pub(super) fn reserve(data: &mut Vec<f32>, dims: &[usize]) -> Result<()> {
    let len = dims.iter().try_fold(1, |len: usize, &dim| len.checked_mul(dim));
    len.and_then(|len| data.try_reserve_exact(len).ok())
        .ok_or_else(|| Error::OutOfMemory(format!("no memory for results of {dims:?} numbers")))
}
