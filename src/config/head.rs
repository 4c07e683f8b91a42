//! The output layers. One table holds each head's names, inputs and outputs.

use super::Config;

/// The output layer a checkpoint was trained with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadKind {
    /// The encoder alone, with its pooler if the checkpoint has one.
    Bare,
    /// Masked language modelling: a score for each vocabulary entry at each position.
    MaskedLm,
    /// Whether the second text follows the first.
    NextSentence,
    /// Masked LM and next sentence together.
    PreTraining,
    /// One set of scores per text or pair.
    SequenceClassification,
    /// One set of scores per token.
    TokenClassification,
    /// A start score and an end score per token.
    QuestionAnswering,
    /// One score per continuation.
    MultipleChoice,
    /// ELECTRA's discriminator: one score per token, positive if the token was replaced.
    ReplacedToken,
}

/// What a head scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// The head has no scores.
    Nothing,
    /// Scores the sequence, from its pooled first token.
    First,
    /// Scores each token.
    Tokens,
    /// Scores each token and the sequence.
    Both,
}

/// The number of scores that a head's last linear layer returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scores {
    /// The head has no such layer.
    None,
    /// One score per label of the config.
    Labels,
    /// The same number in every model.
    Fixed(usize),
}

/// The properties of a head.
struct Facts {
    kind: HeadKind,
    /// The head's name in programs; part of the public JavaScript API.
    id: &'static str,
    /// The head's name in messages.
    name: &'static str,
    /// The part after "For" in Hugging Face's class names.
    class: &'static str,
    reads: Reads,
    scores: Scores,
    /// The names of the outputs, as in Hugging Face.
    outputs: &'static [&'static str],
    /// The canonical name of the last linear layer, unless the family has another name for it.
    layer: &'static str,
}

/// One row per head, in the order of [`HeadKind`].
const FACTS: [Facts; 9] = [
    Facts {
        kind: HeadKind::Bare,
        id: "none",
        name: "none",
        class: "",
        reads: Reads::Nothing,
        scores: Scores::None,
        outputs: &["last_hidden_state", "pooler_output"],
        layer: "",
    },
    Facts {
        kind: HeadKind::MaskedLm,
        id: "masked-lm",
        name: "masked LM",
        class: "MaskedLM",
        reads: Reads::Tokens,
        scores: Scores::None,
        outputs: &["logits"],
        layer: "",
    },
    Facts {
        kind: HeadKind::NextSentence,
        id: "next-sentence-prediction",
        name: "next sentence prediction",
        class: "NextSentencePrediction",
        reads: Reads::First,
        scores: Scores::Fixed(2),
        outputs: &["logits"],
        layer: "cls.seq_relationship",
    },
    Facts {
        kind: HeadKind::PreTraining,
        id: "pretraining",
        name: "pre-training (masked LM and next sentence)",
        class: "PreTraining",
        reads: Reads::Both,
        scores: Scores::Fixed(2),
        outputs: &["prediction_logits", "seq_relationship_logits"],
        layer: "cls.seq_relationship",
    },
    Facts {
        kind: HeadKind::SequenceClassification,
        id: "sequence-classification",
        name: "sequence classification",
        class: "SequenceClassification",
        reads: Reads::First,
        scores: Scores::Labels,
        outputs: &["logits"],
        layer: CLASSIFIER,
    },
    Facts {
        kind: HeadKind::TokenClassification,
        id: "token-classification",
        name: "token classification",
        class: "TokenClassification",
        reads: Reads::Tokens,
        scores: Scores::Labels,
        outputs: &["logits"],
        layer: CLASSIFIER,
    },
    Facts {
        kind: HeadKind::QuestionAnswering,
        id: "question-answering",
        name: "question answering",
        class: "QuestionAnswering",
        reads: Reads::Tokens,
        scores: Scores::Fixed(2),
        outputs: &["start_logits", "end_logits"],
        layer: "qa_outputs",
    },
    Facts {
        kind: HeadKind::MultipleChoice,
        id: "multiple-choice",
        name: "multiple choice",
        class: "MultipleChoice",
        reads: Reads::First,
        scores: Scores::Fixed(1),
        outputs: &["logits"],
        layer: CLASSIFIER,
    },
    Facts {
        kind: HeadKind::ReplacedToken,
        id: "replaced-token-detection",
        name: "replaced token detection",
        class: "",
        reads: Reads::Tokens,
        scores: Scores::Fixed(1),
        outputs: &["logits"],
        layer: "discriminator_predictions.dense_prediction",
    },
];

/// The last linear layer's name in most families, shared by several heads.
const CLASSIFIER: &str = "classifier";

impl HeadKind {
    fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// Returns the head named by a class in `architectures`, e.g. `BertForMaskedLM`.
    pub(super) fn of_architecture(name: &str) -> Option<Self> {
        let Some((family, class)) = name.split_once("For") else {
            return name.ends_with("Model").then_some(Self::Bare);
        };
        // ELECTRA's "PreTraining" class is the discriminator, not masked LM with next sentence
        if (family, class) == ("Electra", "PreTraining") {
            return Some(Self::ReplacedToken);
        }
        let facts = FACTS.iter().find(|facts| !facts.class.is_empty() && facts.class == class);
        facts.map(|facts| facts.kind)
    }

    /// Returns every head.
    #[cfg(feature = "families")]
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        FACTS.iter().map(|facts| facts.kind)
    }

    /// Returns the head with this [`HeadKind::id`].
    pub fn with_id(id: &str) -> Option<Self> {
        FACTS.iter().find(|facts| facts.id == id).map(|facts| facts.kind)
    }

    /// Returns the head's name in programs; part of the public JavaScript API.
    pub fn id(self) -> &'static str {
        self.facts().id
    }

    /// Returns the head's name in messages.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Returns the names of the outputs, as in Hugging Face.
    pub fn outputs(self) -> &'static [&'static str] {
        self.facts().outputs
    }

    /// Returns the canonical name of the last linear layer, unless the family has another name for
    /// it.
    pub(crate) fn layer(self) -> &'static str {
        self.facts().layer
    }

    /// Returns whether the head scores sequences by their first token.
    pub fn reads_first(self) -> bool {
        matches!(self.facts().reads, Reads::First | Reads::Both)
    }

    /// Returns whether the head scores tokens.
    pub fn reads_tokens(self) -> bool {
        matches!(self.facts().reads, Reads::Tokens | Reads::Both)
    }

    /// Returns whether the head scores each vocabulary entry for each token.
    pub fn scores_vocabulary(self) -> bool {
        matches!(self, Self::MaskedLm | Self::PreTraining)
    }

    /// Returns the number of outputs of the last linear layer, if the head has one.
    pub(crate) fn outputs_of_layer(self, config: &Config) -> Option<usize> {
        match self.facts().scores {
            Scores::None => None,
            Scores::Labels => Some(config.labels.len()),
            Scores::Fixed(scores) => Some(scores),
        }
    }

    /// Returns the number of scores per token, or per sequence if the head scores only sequences.
    pub fn scores(self, config: &Config) -> usize {
        match self.scores_vocabulary() {
            true => config.vocab,
            false => self.outputs_of_layer(config).unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FACTS;

    #[test]
    fn facts_are_those_of_their_head() {
        for (n, facts) in FACTS.iter().enumerate() {
            assert_eq!(facts.kind as usize, n, "{}", facts.id);
        }
    }
}

/// The meaning of a sequence classifier's scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The labels exclude each other: softmax.
    SingleLabel,
    /// Each label is independent: sigmoid.
    MultiLabel,
    /// The score is the answer.
    Regression,
}
