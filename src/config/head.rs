//! The output layers: what a checkpoint's head is called, reads and gives, in one table.

use super::Config;

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

/// What the scores of a head are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// Of nothing: there are no scores.
    Nothing,
    /// Of a sequence, by its pooled first token.
    First,
    /// Of each token.
    Tokens,
    /// Of each token, and others of the sequence.
    Both,
}

/// How many scores the last linear layer of a head gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scores {
    /// There is no such layer.
    None,
    /// One for each label of the config.
    Labels,
    /// The same in every model.
    Fixed(usize),
}

/// The facts about a head.
struct Facts {
    kind: HeadKind,
    /// How programs name the head; part of the public JavaScript API.
    id: &'static str,
    /// How messages name the head.
    name: &'static str,
    /// What follows "For" in the names of Hugging Face's classes.
    class: &'static str,
    reads: Reads,
    scores: Scores,
    /// Its outputs, by Hugging Face's names.
    outputs: &'static [&'static str],
    /// The canonical name of its last linear layer, where the family has no other.
    layer: &'static str,
}

/// In the order of [`HeadKind`].
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

/// What most families call the last linear layer of several heads.
const CLASSIFIER: &str = "classifier";

impl HeadKind {
    fn facts(self) -> &'static Facts {
        &FACTS[self as usize]
    }

    /// The head named by a class in `architectures`, as in `BertForMaskedLM`.
    pub(super) fn of_architecture(name: &str) -> Option<Self> {
        let Some((family, class)) = name.split_once("For") else {
            return name.ends_with("Model").then_some(Self::Bare);
        };
        if (family, class) == ("Electra", "PreTraining") {
            return Some(Self::ReplacedToken);
        }
        let facts = FACTS.iter().find(|facts| !facts.class.is_empty() && facts.class == class);
        facts.map(|facts| facts.kind)
    }

    /// The head a program calls `id`, as in [`HeadKind::id`].
    pub fn with_id(id: &str) -> Option<Self> {
        FACTS.iter().find(|facts| facts.id == id).map(|facts| facts.kind)
    }

    /// How programs name the head; part of the public JavaScript API.
    pub fn id(self) -> &'static str {
        self.facts().id
    }

    /// How messages name the head.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Its outputs, by Hugging Face's names.
    pub fn outputs(self) -> &'static [&'static str] {
        self.facts().outputs
    }

    /// The canonical name of its last linear layer, where the family has no other.
    pub(crate) fn layer(self) -> &'static str {
        self.facts().layer
    }

    /// Whether it scores sequences, by their first tokens.
    pub fn reads_first(self) -> bool {
        matches!(self.facts().reads, Reads::First | Reads::Both)
    }

    /// Whether it scores tokens.
    pub fn reads_tokens(self) -> bool {
        matches!(self.facts().reads, Reads::Tokens | Reads::Both)
    }

    /// Whether it scores each entry of the vocabulary for each token.
    pub fn scores_vocabulary(self) -> bool {
        matches!(self, Self::MaskedLm | Self::PreTraining)
    }

    /// Outputs of its last linear layer, where it has one.
    pub(crate) fn outputs_of_layer(self, config: &Config) -> Option<usize> {
        match self.facts().scores {
            Scores::None => None,
            Scores::Labels => Some(config.labels.len()),
            Scores::Fixed(scores) => Some(scores),
        }
    }

    /// The scores of a token or, where it scores these alone, a sequence.
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
