//! The tasks a model can be trained for: names, heads, and the labels that occur in rows.

use serde::de::{Deserialize, Deserializer};

use crate::Result;
use crate::config::HeadKind;
use crate::train::data::rows::{self, text_classification, token_classification};

/// A training task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrainingTask {
    /// Classes, labels or scores of texts.
    TextClassification,
    /// A label per word.
    TokenClassification,
    /// Answers that are parts of a context.
    QuestionAnswering,
    /// The right one of several continuations.
    MultipleChoice,
    /// Next sentence prediction: does a text follow another?
    NextSentencePrediction,
    /// Masked language modelling.
    FillMask,
    /// Masked language modelling together with next sentence prediction.
    PreTraining,
    /// Embeddings that are near each other for related texts.
    FeatureExtraction,
    /// Detection of tokens that a generator has replaced.
    ReplacedTokenDetection,
}

impl TrainingTask {
    /// All tasks: the name for programs, the task, its head. The order equals the order of the
    /// variants.
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

    /// Returns the task with this name.
    ///
    /// ```
    /// use webert::config::HeadKind;
    /// use webert::train::data::dataset::TrainingTask;
    ///
    /// let task = TrainingTask::with_name("fill-mask").unwrap();
    /// assert_eq!((task.name(), task.head()), ("fill-mask", HeadKind::MaskedLm));
    /// ```
    pub fn with_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(other, ..)| *other == name).map(|(_, task, _)| *task)
    }

    /// Returns the name for programs.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// Returns the head that the task trains.
    pub fn head(self) -> HeadKind {
        Self::ALL[self as usize].2
    }

    /// Returns true if tokens are masked anew each time a text is seen.
    pub fn masks(self) -> bool {
        matches!(self, Self::FillMask | Self::PreTraining | Self::ReplacedTokenDetection)
    }

    /// Returns the label names that occur in rows, for a new head. Returns an empty list if the
    /// task's head has no labels. Classes are in alphabetical order. Entities start with `O`,
    /// followed by `B-` and `I-` of each type.
    ///
    /// # Errors
    /// `BadInput`, naming a row that is invalid, has no label, or has a number in place of a name.
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
