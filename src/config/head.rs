//! The output layers, by the names that files, programs and messages give them.

/// The output layer a checkpoint was trained with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadKind {
    /// The encoder alone, with its pooler where the checkpoint has one.
    Bare,
    /// Masked language modelling: a score for each vocabulary entry at each position.
    MaskedLm,
    /// Does the second text follow the first?
    NextSentence,
    /// Masked LM and next sentence together.
    PreTraining,
    /// One set of scores a text or pair.
    SequenceClassification,
    /// One set of scores a token.
    TokenClassification,
    /// A start and an end score a token.
    QuestionAnswering,
    /// One score a continuation.
    MultipleChoice,
    /// ELECTRA's discriminator: one score a token, positive where it was replaced.
    ReplacedToken,
}

impl HeadKind {
    /// The head named by a class in `architectures`, as in `BertForMaskedLM`.
    pub(super) fn of_architecture(name: &str) -> Option<Self> {
        let (family, head) = match name.split_once("For") {
            Some((family, head)) => (family, head),
            None => return name.ends_with("Model").then_some(Self::Bare),
        };
        Some(match head {
            "MaskedLM" => Self::MaskedLm,
            "NextSentencePrediction" => Self::NextSentence,
            "PreTraining" if family == "Electra" => Self::ReplacedToken,
            "PreTraining" => Self::PreTraining,
            "SequenceClassification" => Self::SequenceClassification,
            "TokenClassification" => Self::TokenClassification,
            "QuestionAnswering" => Self::QuestionAnswering,
            "MultipleChoice" => Self::MultipleChoice,
            _ => return None,
        })
    }

    /// The head a program calls `id`, as in [`HeadKind::id`].
    pub fn with_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|head| head.id() == id)
    }

    const ALL: [Self; 9] = [
        Self::Bare,
        Self::MaskedLm,
        Self::NextSentence,
        Self::PreTraining,
        Self::SequenceClassification,
        Self::TokenClassification,
        Self::QuestionAnswering,
        Self::MultipleChoice,
        Self::ReplacedToken,
    ];

    /// How programs name the head; part of the public JavaScript API.
    pub fn id(self) -> &'static str {
        match self {
            Self::Bare => "none",
            Self::MaskedLm => "masked-lm",
            Self::NextSentence => "next-sentence-prediction",
            Self::PreTraining => "pretraining",
            Self::SequenceClassification => "sequence-classification",
            Self::TokenClassification => "token-classification",
            Self::QuestionAnswering => "question-answering",
            Self::MultipleChoice => "multiple-choice",
            Self::ReplacedToken => "replaced-token-detection",
        }
    }

    /// Whether the head is a linear layer that most families call a "classifier".
    pub(crate) fn is_classifier(self) -> bool {
        matches!(
            self,
            Self::SequenceClassification | Self::TokenClassification | Self::MultipleChoice
        )
    }

    /// How messages name the head.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bare => "none",
            Self::MaskedLm => "masked LM",
            Self::NextSentence => "next sentence prediction",
            Self::PreTraining => "pre-training (masked LM and next sentence)",
            Self::SequenceClassification => "sequence classification",
            Self::TokenClassification => "token classification",
            Self::QuestionAnswering => "question answering",
            Self::MultipleChoice => "multiple choice",
            Self::ReplacedToken => "replaced token detection",
        }
    }
}
