//! Config, tokenizer and engine together: what tasks call. The only place that knows which
//! backends there are.

mod blocks;
mod forward;
mod load;
#[cfg(feature = "gpu")]
mod rehearsal;

pub use forward::{Inputs, Outputs, Tensor};
pub use load::{Files, ModelLoader, PoolBy, Pooling, load_tokenizer};

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;

#[cfg(doc)]
use crate::backend::Backend;
use crate::backend::Precision;
#[cfg(feature = "cpu")]
use crate::backend::cpu::Cpu;
#[cfg(feature = "gpu")]
use crate::backend::gpu::Gpu;
use crate::batch::Batch;
use crate::config::{Config, HeadKind};
use crate::network::{Network, Request, Response};
use crate::ranking::top_k;
use crate::tokenizer::{Encoding, Tokenizer};
use crate::{Error, Result};
use blocks::{Processor, blocks};

/// Called between blocks of work; an error from it ends the work.
pub type Tick<'a> = &'a dyn Fn() -> Pin<Box<dyn Future<Output = Result<()>>>>;

/// A model ready to run. Several calls may be under way at a time, each between two of its forward
/// passes; of passes there is one at a time.
pub struct Model {
    config: Config,
    tokenizer: Option<Tokenizer>,
    pooling: Result<Pooling>,
    /// Borrowed for the length of a pass.
    engine: RefCell<Engine>,
    /// Rows of a pass, about.
    most_rows: usize,
    info: Info,
}

enum Engine {
    #[cfg(feature = "cpu")]
    Cpu(Box<Network<Cpu>>),
    #[cfg(feature = "gpu")]
    Gpu(Box<Network<Gpu>>),
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

impl Model {
    /// The config.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The tokenizer.
    ///
    /// # Errors
    /// `Unsupported` where the folder had none.
    pub fn tokenizer(&self) -> Result<&Tokenizer> {
        self.tokenizer.as_ref().ok_or_else(|| {
            Error::Unsupported(
                "the checkpoint has no WordPiece tokenizer (tokenizer.json or vocab.txt): pass ids"
                    .into(),
            )
        })
    }

    /// What the folder says about pooling.
    ///
    /// # Errors
    /// Those of its sentence-transformers files, which matter to who asks for them alone.
    pub fn pooling(&self) -> Result<Pooling> {
        self.pooling.clone()
    }

    /// Facts about the model.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// Computes with up to `threads` threads of the CPU from now on.
    pub fn set_threads(&mut self, threads: usize) {
        self.info.threads = match self.engine.get_mut() {
            #[cfg(feature = "cpu")]
            Engine::Cpu(network) => network.backend().set_threads(threads),
            #[cfg(feature = "gpu")]
            Engine::Gpu(_) => threads.min(1),
        };
    }

    /// Whether the device has gone, and with it the weights. Not known during a pass, which then
    /// fails by itself.
    pub fn is_lost(&self) -> bool {
        self.engine.try_borrow_mut().is_ok_and(|mut engine| match &mut *engine {
            #[cfg(feature = "cpu")]
            Engine::Cpu(_) => false,
            #[cfg(feature = "gpu")]
            Engine::Gpu(network) => network.backend().is_lost(),
        })
    }

    /// Whether the GPU ever refused a command. Not known during a pass.
    pub fn has_refused(&self) -> bool {
        self.engine.try_borrow_mut().is_ok_and(|mut engine| match &mut *engine {
            #[cfg(feature = "cpu")]
            Engine::Cpu(_) => false,
            #[cfg(feature = "gpu")]
            Engine::Gpu(network) => network.backend().has_refused(),
        })
    }

    /// The most tokens a text may have, special tokens included.
    pub fn max_tokens(&self) -> usize {
        let limit = self.tokenizer.as_ref().and_then(Tokenizer::model_max_length);
        self.config.max_tokens().min(limit.unwrap_or(usize::MAX))
    }

    /// Refuses a task whose head is not the loaded one.
    ///
    /// # Errors
    /// `Unsupported`, naming the heads that are there.
    pub fn need(&self, task: &str, heads: &[HeadKind]) -> Result<()> {
        if heads.contains(&self.info.head) {
            return Ok(());
        }
        let needed: Vec<_> = heads.iter().map(|head| head.name()).collect();
        Err(Error::Unsupported(format!(
            "{task} needs a head for {}; the model was loaded with its head for {}",
            needed.join(" or "),
            self.info.head.name()
        )))
    }

    /// What computes a pass, as far as its size goes.
    fn processor(&mut self) -> Processor {
        match self.engine.get_mut() {
            #[cfg(feature = "cpu")]
            Engine::Cpu(_) => Processor::Cpu,
            #[cfg(feature = "gpu")]
            Engine::Gpu(network) => match network.backend().is_software() {
                true => Processor::Cpu,
                false => Processor::Gpu { products: self.config.products() },
            },
        }
    }

    /// One forward pass. Errors as [`Model::compute_each`].
    #[expect(
        clippy::await_holding_refcell_ref,
        reason = "that is how a pass begun meanwhile is found out and refused"
    )]
    async fn forward(&self, request: Request) -> Result<Response> {
        let Ok(mut engine) = self.engine.try_borrow_mut() else {
            return Err(Error::BadInput("the model is at work on another pass".into()));
        };
        match &mut *engine {
            #[cfg(feature = "cpu")]
            Engine::Cpu(network) => network.forward(&self.config, request).await,
            #[cfg(feature = "gpu")]
            Engine::Gpu(network) => network.forward(&self.config, request).await,
        }
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
    /// [`Batch::pack`], the backend's, and what `tick` returns. `BadInput` also for a pass while
    /// another call's is not done: who makes several calls at a time lets them take turns in `tick`.
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
        let order = top_k(&lengths, lengths.len());
        let counted = |n: usize| match tokens {
            Some(tokens) => tokens[n].len(),
            None => encodings[n].ids.len(),
        };
        let made = match want {
            Want::Logits | Want::Best(_) if self.scores_tokens() => self.scores(),
            Want::Logits | Want::Best(_) => 0,
            Want::States(asked) => asked.len() * self.config.hidden,
        };
        let size = |&n: &usize| (encodings[n].ids.len(), made.saturating_mul(counted(n)));
        for block in blocks(self.most_rows, &order, size) {
            tick().await?;
            let request = self.request(block, encodings, want, tokens)?;
            let response = self.forward(request).await?;
            let counts = block.iter().map(|&n| counted(n));
            let joined = match want {
                Want::Logits | Want::Best(_) => self.logits_table(&response, block.len(), counts),
                Want::States(asked) => self.states_tables(asked, &response, counts),
            }?;
            for (&n, table) in block.iter().zip(joined) {
                each(n, table);
            }
        }
        Ok(())
    }

    /// Refuses what there are no tables of.
    fn check(&self, encodings: &[Encoding], want: Want<'_>) -> Result<()> {
        let refuse = |what: String| Err(Error::BadInput(what));
        // a batch leaves padding out: rows would not be where tables have them
        let is_padded = |encoding: &Encoding| encoding.attention_mask.contains(&0);
        if let Some(n) = encodings.iter().position(is_padded) {
            return refuse(format!("encoding {n} is padded, expected none that is"));
        }
        let (scores, layers) = (self.scores(), self.config.layers);
        match want {
            Want::Best(count) if !(1..=scores).contains(&count) => {
                refuse(format!("the {count} best scores, expected the best 1 to {scores}"))
            }
            Want::States(asked) => match asked.iter().find(|&&layer| layer > layers) {
                Some(layer) => refuse(format!("states of layer {layer}, expected 0 to {layers}")),
                None => Ok(()),
            },
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
        let batch = Batch::pack(&self.config, block.iter().map(|&n| &encodings[n]))?;
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
        let hidden = self.config.hidden;
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
    fn scores(&self) -> usize {
        match self.info.head {
            HeadKind::Bare => 0,
            HeadKind::MaskedLm | HeadKind::PreTraining => self.config.vocab,
            HeadKind::SequenceClassification | HeadKind::TokenClassification => {
                self.config.labels.len()
            }
            HeadKind::NextSentence | HeadKind::QuestionAnswering => 2,
            HeadKind::MultipleChoice | HeadKind::ReplacedToken => 1,
        }
    }

    /// Whether the head scores tokens; else it scores whole texts.
    fn scores_tokens(&self) -> bool {
        !matches!(
            self.info.head,
            HeadKind::NextSentence | HeadKind::SequenceClassification | HeadKind::MultipleChoice
        )
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
fn copy<'a>(numbers: impl Iterator<Item = &'a f32>, count: usize) -> Result<Vec<f32>> {
    let mut copy = Vec::new();
    reserve(&mut copy, &[count])?;
    copy.extend(numbers);
    Ok(copy)
}

/// Makes room in `data` for the numbers of a tensor of shape `dims`.
fn reserve(data: &mut Vec<f32>, dims: &[usize]) -> Result<()> {
    let len = dims.iter().try_fold(1, |len: usize, &dim| len.checked_mul(dim));
    len.and_then(|len| data.try_reserve_exact(len).ok())
        .ok_or_else(|| Error::OutOfMemory(format!("no memory for results of {dims:?} numbers")))
}
