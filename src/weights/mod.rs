//! The parameters of a model, and how they come from a checkpoint's safetensors.

mod header;
mod loader;
mod names;
mod rows;
mod slots;

pub use loader::{Loaded, Loader, Options};

use crate::backend::{Backend, Embeddings, Linear, Norm};
use crate::config::HeadKind;

/// Every parameter of a model; `M` is a backend's matrix, `V` its vector.
#[derive(Debug)]
pub struct Weights<M, V> {
    /// The input tables.
    pub embeddings: Embeddings<M, V>,
    /// From the width of the tables to the encoder's, where they differ.
    pub projection: Option<Linear<M, V>>,
    /// The transformer's layers: one for each, or a single one that all share (ALBERT).
    pub layers: Vec<Layer<M, V>>,
    /// The dense layer over a sequence's first token, where the head has one.
    pub pooler: Option<Linear<M, V>>,
    /// The output layer.
    pub head: Head<M, V>,
}

/// The parameters that live on a backend.
pub type WeightsOn<B> = Weights<<B as Backend>::Matrix, <B as Backend>::Vector>;

/// One transformer layer.
#[derive(Debug)]
pub struct Layer<M, V> {
    /// Queries, keys and values in one product: `[3 · hidden, hidden]`.
    pub qkv: Linear<M, V>,
    /// After attention: `[hidden, hidden]`.
    pub attention_output: Linear<M, V>,
    /// Over attention's residual.
    pub attention_norm: Norm<V>,
    /// `[intermediate, hidden]`
    pub intermediate: Linear<M, V>,
    /// `[hidden, intermediate]`
    pub output: Linear<M, V>,
    /// Over the feed-forward's residual.
    pub output_norm: Norm<V>,
}

/// The masked-LM head: transform, norm, decoder.
#[derive(Debug)]
pub struct MaskedLm<M, V> {
    /// `[embedding, hidden]`
    pub transform: Linear<M, V>,
    /// Over the transformed rows.
    pub norm: Norm<V>,
    /// `[vocabulary, embedding]`.
    pub decoder: Decoder<M, V>,
}

/// The matrix that scores the vocabulary.
#[derive(Debug)]
pub enum Decoder<M, V> {
    /// The word table serves; the bias is the head's own.
    Tied(V),
    /// A matrix of its own.
    Own(Linear<M, V>),
}

/// The output layer by kind.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one value a model")]
pub enum Head<M, V> {
    /// None.
    Bare,
    /// Vocabulary scores at each position.
    MaskedLm(MaskedLm<M, V>),
    /// Two scores from the pooled first token.
    NextSentence(Linear<M, V>),
    /// Masked LM and next sentence.
    PreTraining(MaskedLm<M, V>, Linear<M, V>),
    /// Scores of the labels from the pooled first token.
    SequenceClassification(Linear<M, V>),
    /// Scores of the labels at each position.
    TokenClassification(Linear<M, V>),
    /// Start and end scores at each position.
    QuestionAnswering(Linear<M, V>),
    /// One score from the pooled first token.
    MultipleChoice(Linear<M, V>),
    /// One score at each position.
    ReplacedToken(Linear<M, V>, Linear<M, V>),
}

impl<M, V> Head<M, V> {
    /// The kind without its parameters.
    pub fn kind(&self) -> HeadKind {
        match self {
            Self::Bare => HeadKind::Bare,
            Self::MaskedLm(..) => HeadKind::MaskedLm,
            Self::NextSentence(..) => HeadKind::NextSentence,
            Self::PreTraining(..) => HeadKind::PreTraining,
            Self::SequenceClassification(..) => HeadKind::SequenceClassification,
            Self::TokenClassification(..) => HeadKind::TokenClassification,
            Self::QuestionAnswering(..) => HeadKind::QuestionAnswering,
            Self::MultipleChoice(..) => HeadKind::MultipleChoice,
            Self::ReplacedToken(..) => HeadKind::ReplacedToken,
        }
    }
}
