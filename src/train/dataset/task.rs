//! What a model can be trained for: names, heads, and the labels that rows name.

use serde::de::{Deserialize, Deserializer};

use crate::Result;
use crate::config::HeadKind;
use crate::train::rows::{self, text_classification, token_classification};

/// What a model is trained for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrainingTask {
    /// Classes, labels or scores of texts.
    TextClassification,
    /// A label for each word.
    TokenClassification,
    /// Parts of a context.
    QuestionAnswering,
    /// One of several continuations.
    MultipleChoice,
    /// Whether a text follows another.
    NextSentencePrediction,
    /// Masked tokens.
    FillMask,
    /// Masked tokens, and whether a text follows another.
    PreTraining,
    /// Embeddings, near for texts that belong together.
    FeatureExtraction,
    /// Tokens that a generator has put in the place of others.
    ReplacedTokenDetection,
}

impl TrainingTask {
    /// All of them, by the names that programs use, with their heads.
    pub const ALL: [(&str, Self, HeadKind); 9] = [
        ("text-classification", Self::TextClassification, HeadKind::SequenceClassification),
        ("token-classification", Self::TokenClassification, HeadKind::TokenClassification),
        ("question-answering", Self::QuestionAnswering, HeadKind::QuestionAnswering),
        ("multiple-choice", Self::MultipleChoice, HeadKind::MultipleChoice),
        ("next-sentence-prediction", Self::NextSentencePrediction, HeadKind::NextSentence),
        ("fill-mask", Self::FillMask, HeadKind::MaskedLm),
        ("pre-training", Self::PreTraining, HeadKind::PreTraining),
        ("feature-extraction", Self::FeatureExtraction, HeadKind::Bare),
        ("replaced-token-detection", Self::ReplacedTokenDetection, HeadKind::ReplacedToken),
    ];

    /// The task of this name.
    ///
    /// ```
    /// use webert::config::HeadKind;
    /// use webert::train::dataset::TrainingTask;
    ///
    /// let task = TrainingTask::with_name("fill-mask").unwrap();
    /// assert_eq!((task.name(), task.head()), ("fill-mask", HeadKind::MaskedLm));
    /// ```
    pub fn with_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(other, ..)| *other == name).map(|(_, task, _)| *task)
    }

    /// How programs name it.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// The head that it trains.
    pub fn head(self) -> HeadKind {
        Self::ALL[self as usize].2
    }

    /// Whether tokens are masked, anew each time a text is seen.
    pub fn masks(self) -> bool {
        matches!(self, Self::FillMask | Self::PreTraining | Self::ReplacedTokenDetection)
    }

    /// The labels that rows name, for a head that is made for them; empty where the task's head has no labels. Classes
    /// come in the order of the alphabet; of entities `O`, then `B-` and `I-` of each kind.
    ///
    /// # Errors
    /// `BadInput` naming a row that cannot be read, has no label, or a number in the place of a name.
    pub fn labels_of<'de, D: Deserializer<'de>>(
        self,
        rows: impl IntoIterator<Item = D>,
    ) -> Result<Vec<String>> {
        match self {
            Self::TextClassification => {
                text_classification::label_names(&rows::parse(rows, Deserialize::deserialize)?)
            }
            Self::TokenClassification => {
                token_classification::label_names(&rows::parse(rows, Deserialize::deserialize)?)
            }
            _ => Ok(Vec::new()),
        }
    }
}
