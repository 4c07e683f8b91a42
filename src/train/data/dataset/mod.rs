//! The rows of a task, read and checked once: examples, how they are masked, and the references for
//! evaluation.

use crate::error::{fault, unexpected};
use serde::de::{Deserialize, Deserializer};

mod task;

pub use task::TrainingTask;

use crate::Result;
use crate::backend::Processor;
use crate::config::Problem;
use crate::engine::Model;
use crate::train::arguments::TrainingArguments;
use crate::train::data::batches::MicroBatch;
use crate::train::data::masking::Masking;
use crate::train::data::rows::{
    self, Example, Offsets, Reading, Target, choices, embeddings, question_answering,
    text_classification, texts, token_classification,
};
use crate::train::metrics::evaluate::names;

/// The rows of a run or an evaluation.
#[derive(Debug, Clone)]
pub struct Dataset {
    task: TrainingTask,
    examples: Vec<Example>,
    masking: Option<Masking>,
    problem: Option<Problem>,
    /// For question answering: one per row.
    questions: Vec<Question>,
}

/// The reference of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::train) struct Question {
    pub(in crate::train) context: String,
    /// All right answers. Empty means that the question has no answer.
    pub(in crate::train) answers: Vec<String>,
}

impl Dataset {
    /// Reads rows. Each row is a value that serde can deserialize from, e.g. a `serde_json::Value`
    /// or a `serde_wasm_bindgen::Deserializer`.
    ///
    /// # Errors
    /// `BadInput`, naming the first invalid row, or if there is no row. `Unsupported` if the task
    /// masks tokens and the tokenizer has no mask token.
    ///
    /// ```
    /// # use webert::tokenizer::{Files, Tokenizer};
    /// use serde_json::json;
    /// use webert::train::arguments::TrainingArguments;
    /// use webert::train::data::dataset::{Dataset, TrainingTask};
    /// use webert::train::data::rows::{Offsets, Reading};
    ///
    /// # let vocab_txt = Some(&b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nlow\nhigh\n"[..]);
    /// # let tokenizer = Tokenizer::load(&Files { vocab_txt, ..Files::default() })?;
    /// let (task, arguments) = (TrainingTask::TextClassification, TrainingArguments::default());
    /// let rows = [json!({ "text": "low", "label": "down" }), json!({ "text": "high", "label": "up" })];
    /// let labels = task.labels_of(rows.clone())?;
    /// let reading = Reading { labels: &labels, ..Reading::new(&tokenizer, 128) };
    /// let data = Dataset::read(task, rows, &reading, &arguments)?;
    /// assert_eq!(data.metric_names(), ["loss", "accuracy", "f1"]);
    /// # Ok::<(), webert::Error>(())
    /// ```
    pub fn read<'de, D: Deserializer<'de>>(
        task: TrainingTask,
        rows: impl IntoIterator<Item = D>,
        reading: &Reading<'_>,
        arguments: &TrainingArguments,
    ) -> Result<Self> {
        arguments.check()?;
        let masking =
            task.masks().then(|| Masking::new(reading.tokenizer, arguments)).transpose()?;
        let mut data =
            Self { task, examples: Vec::new(), masking, problem: None, questions: Vec::new() };
        data.examples = data.examples_of(rows, reading, arguments)?;
        data.checked()
    }

    /// Creates a data set from examples that were read elsewhere. `masking` is required if the task
    /// masks, and must be `None` otherwise.
    ///
    /// # Errors
    /// `BadInput` if there is no example, or if `masking` does not match the task. `Unsupported`
    /// for question answering, because its evaluation needs the rows.
    pub fn of_examples(
        task: TrainingTask,
        examples: Vec<Example>,
        masking: Option<Masking>,
    ) -> Result<Self> {
        let name = task.name();
        if task == TrainingTask::QuestionAnswering {
            return Err(fault!(
                Unsupported,
                "{name}: expected rows, got examples. Use Dataset::read.",
                item = "{name}",
                expected = "rows",
                found = "examples",
            ));
        }
        if task.masks() != masking.is_some() {
            let how = if task.masks() { "needs" } else { "has no use for" };
            return Err(fault!(BadInput, "{name} {how} masking", item = "{name}"));
        }
        let problem = match examples.first().map(|first| &first.target) {
            Some(Target::Scores(scores)) if scores.len() > 1 => Problem::MultiLabel,
            Some(Target::Scores(_)) => Problem::Regression,
            _ => Problem::SingleLabel,
        };
        let problem = Some(problem).filter(|_| task == TrainingTask::TextClassification);
        Self { task, examples, masking, problem, questions: Vec::new() }.checked()
    }

    fn checked(self) -> Result<Self> {
        match self.examples.is_empty() {
            true => Err(unexpected!(BadInput, "rows", "one or more", "none")),
            false => Ok(self),
        }
    }

    /// As [`Dataset::read`], with the tokenizer, labels and limits of a model. Texts are truncated
    /// to `arguments.max_length` or to the model's limit, whichever is less.
    ///
    /// # Errors
    /// As [`Dataset::read`]. `Unsupported` if the model has another head than the task, or no
    /// tokenizer.
    pub fn for_model<'de, B: Processor, D: Deserializer<'de>>(
        model: &Model<B>,
        task: TrainingTask,
        rows: impl IntoIterator<Item = D>,
        offsets: Offsets,
        arguments: &TrainingArguments,
    ) -> Result<Self> {
        model.need(task.name(), &[task.head()])?;
        let mut max_length = arguments.max_length.min(model.max_tokens());
        // sentence-transformers may store a smaller limit than the encoder's.
        if task == TrainingTask::FeatureExtraction {
            max_length = max_length.min(model.pooling()?.max_tokens.unwrap_or(max_length));
        }
        let reading = Reading {
            labels: &model.config().labels,
            problem: model.config().problem,
            offsets,
            ..Reading::new(model.tokenizer()?, max_length)
        };
        Self::read(task, rows, &reading, arguments)
    }

    fn examples_of<'de, D: Deserializer<'de>>(
        &mut self,
        rows: impl IntoIterator<Item = D>,
        reading: &Reading<'_>,
        arguments: &TrainingArguments,
    ) -> Result<Vec<Example>> {
        fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
            rows: impl IntoIterator<Item = D>,
        ) -> Result<Vec<T>> {
            rows::parse(rows, T::deserialize)
        }
        let masking = self.masking.as_ref();
        match self.task {
            TrainingTask::TextClassification => {
                let rows: Vec<text_classification::Row> = read(rows)?;
                let guess = || text_classification::problem(&rows, reading.labels.len());
                let problem = reading.problem.unwrap_or_else(guess);
                self.problem = Some(problem);
                let reading = Reading { problem: Some(problem), ..*reading };
                text_classification::examples(&rows, &reading)
            }
            TrainingTask::TokenClassification => token_classification::examples(
                &read::<token_classification::Row, D>(rows)?,
                reading,
            ),
            TrainingTask::QuestionAnswering => {
                let rows: Vec<question_answering::Row> = read(rows)?;
                let examples = question_answering::examples(&rows, arguments.doc_stride, reading)?;
                self.questions = rows.into_iter().map(Question::from).collect();
                Ok(examples)
            }
            TrainingTask::MultipleChoice => {
                choices::examples(&read::<choices::Row, D>(rows)?, reading)
            }
            TrainingTask::NextSentencePrediction => {
                choices::next_examples(&read::<choices::NextRow, D>(rows)?, reading)
            }
            TrainingTask::FillMask | TrainingTask::ReplacedTokenDetection => {
                texts::examples(&read::<texts::Row, D>(rows)?, masking, reading)
            }
            TrainingTask::PreTraining => {
                let documents: Vec<texts::Document> = read(rows)?;
                // `masking` is always present, because pre-training masks.
                masking.map_or(Ok(Vec::new()), |masking| {
                    texts::pretraining_examples(&documents, arguments, masking, reading)
                })
            }
            TrainingTask::FeatureExtraction => {
                embeddings::examples(&read::<embeddings::Row, D>(rows)?, reading)
            }
        }
    }

    /// Returns the task of the rows.
    pub fn task(&self) -> TrainingTask {
        self.task
    }

    /// Returns the examples, in the order of the rows. A long row may yield several examples.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// Returns how tokens are masked, if the task masks.
    pub fn masking(&self) -> Option<&Masking> {
        self.masking.as_ref()
    }

    /// Returns the meaning of a sequence classifier's scores.
    pub fn problem(&self) -> Option<Problem> {
        self.problem
    }

    pub(in crate::train) fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// Returns the examples of one forward pass, masked for this epoch of a run with this seed.
    pub fn collate(&self, batch: &[usize], seed: u64, epoch: u32) -> MicroBatch {
        let masking = self.masking.as_ref().map(|masking| (masking, seed));
        MicroBatch::collate(&self.examples, batch, masking, epoch)
    }

    /// Returns the names of the metrics of an evaluation over these rows, in order.
    pub fn metric_names(&self) -> &'static [&'static str] {
        match self.task {
            TrainingTask::TextClassification => match self.problem {
                Some(Problem::MultiLabel) => names::LABELS,
                Some(Problem::Regression) => names::REGRESSION,
                _ => names::CLASSES,
            },
            TrainingTask::TokenClassification => names::ENTITIES,
            TrainingTask::QuestionAnswering => names::ANSWERS,
            TrainingTask::MultipleChoice | TrainingTask::NextSentencePrediction => names::CHOICES,
            TrainingTask::FillMask => names::MASKED_LM,
            TrainingTask::PreTraining => names::PRE_TRAINING,
            TrainingTask::FeatureExtraction if self.has_scores() => names::SIMILARITIES,
            TrainingTask::FeatureExtraction => names::PAIRS,
            TrainingTask::ReplacedTokenDetection => names::CLASSES,
        }
    }

    /// Returns true if the first row has scores: one per label, or one for its pair of texts. All
    /// rows are then alike.
    pub(in crate::train) fn has_scores(&self) -> bool {
        self.examples.first().is_some_and(|first| matches!(first.target, Target::Scores(_)))
    }
}

impl From<question_answering::Row> for Question {
    fn from(row: question_answering::Row) -> Self {
        let answers = row.answers.into_iter().map(|answer| answer.text).collect();
        Self { context: row.context.unwrap_or_default(), answers }
    }
}
