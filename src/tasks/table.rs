//! The table of tasks. Programs call a task by its name.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::feature_extraction::Features;
use super::*;
#[cfg(feature = "families")]
use crate::config::GLINER_CONFIG;
use crate::config::{Config, HeadKind};

/// One input of a task.
pub trait Input: DeserializeOwned {
    /// Returns the text that the answer's byte offsets refer to.
    fn text(&self) -> &str;
}

impl Input for String {
    fn text(&self) -> &str {
        self
    }
}

/// A question and its context, or a text and its possible continuation.
impl Input for (String, String) {
    fn text(&self) -> &str {
        &self.1
    }
}

/// A text and its labels, or a prompt and its choices.
impl Input for (String, Vec<String>) {
    fn text(&self) -> &str {
        &self.0
    }
}

impl Input for Text {
    fn text(&self) -> &str {
        self.parts().0
    }
}

/// The options of a call by name. Absent options have their defaults.
pub trait CallOptions: DeserializeOwned + Serialize {}

impl<O: DeserializeOwned + Serialize> CallOptions for O {}

/// The answer of a task for one input.
pub trait Answer: Serialize {
    /// Replaces each byte offset in the answer by the result of `to`.
    fn map_offsets(&mut self, _to: &dyn Fn(u32) -> u32) {}

    /// Returns the answer as a tensor if it is one. Some formats cannot hold tensors as lists of
    /// numbers.
    fn as_features(&self) -> Option<&Features> {
        None
    }
}

impl<A: Answer> Answer for Vec<A> {
    fn map_offsets(&mut self, to: &dyn Fn(u32) -> u32) {
        self.iter_mut().for_each(|answer| answer.map_offsets(to));
    }
}

/// Calls a task selected by name: reads its inputs and writes its answers.
pub trait Caller {
    /// The device of the model.
    type Device: Processor;
    /// The result of the call.
    type Output;

    /// Calls `task`, which answers inputs of type `I` with options of type `O`.
    fn call<I: Input, O: CallOptions, A: Answer>(
        self,
        task: impl AsyncFnOnce(&Model<Self::Device>, &[I], &O, Tick<'_>) -> Result<Vec<A>>,
    ) -> impl Future<Output = Self::Output>;
}

/// Per task: its module and function, and the head that it prefers in a checkpoint with several
/// heads. The module declares the task's name, options and answers.
macro_rules! tasks {
    ($($(#[$cfg:meta])? $module:ident :: $task:ident => $head:ident,)*) => {
        /// The names of the tasks, each with the head that it prefers in a checkpoint with several
        /// heads.
        pub const TASKS: &[(&str, HeadKind)] = &[$($(#[$cfg])? ($module::TASK, HeadKind::$head)),*];

        /// Calls the task with this name.
        ///
        /// # Errors
        /// `Unsupported` for an unknown name.
        pub async fn run<C: Caller>(name: &str, caller: C) -> Result<C::Output> {
            match name {
                $($(#[$cfg])? $module::TASK => Ok(caller.call($module::$task).await),)*
                other => Err(Error::Unsupported(format!("there is no task \"{other}\""))),
            }
        }
    };
}

tasks! {
    fill_mask::fill_mask => MaskedLm,
    text_classification::text_classification => SequenceClassification,
    token_classification::token_classification => TokenClassification,
    question_answering::question_answering => QuestionAnswering,
    zero_shot::zero_shot => SequenceClassification,
    feature_extraction::feature_extraction => Bare,
    next_sentence::next_sentence => NextSentence,
    multiple_choice::multiple_choice => MultipleChoice,
    replaced_tokens::replaced_tokens => ReplacedToken,
    text_ranking::text_ranking => SequenceClassification,
    #[cfg(feature = "families")]
    zero_shot_tokens::zero_shot_tokens => Bare,
}

/// Returns the head that a task prefers in a checkpoint with several heads; `None` for an unknown
/// task.
pub fn head_of(task: &str) -> Option<HeadKind> {
    TASKS.iter().find(|(name, _)| *name == task).map(|&(_, head)| head)
}

/// Checks that the model of a folder is one of the kind that a task needs: GLiNER's head belongs to
/// its own task alone.
///
/// # Errors
/// `Unsupported`, naming the task that runs the model, or the models that the task runs.
pub fn check(task: Option<&str>, config: &Config) -> Result<()> {
    #[cfg(feature = "families")]
    {
        let own = zero_shot_tokens::TASK;
        let is_own = task == Some(own);
        if config.gliner.is_some() && !is_own {
            let found = task.map_or_else(String::new, |task| format!(" for {task}"));
            return Err(Error::Unsupported(format!(
                "expected a model{found}, got a GLiNER model ({GLINER_CONFIG}): use the task \"{own}\""
            )));
        }
        if config.gliner.is_none() && is_own {
            return Err(Error::Unsupported(format!(
                "{own}: expected a GLiNER model, which has a {GLINER_CONFIG}, got another one. \
                 Models for token-classification find entities of fixed labels."
            )));
        }
    }
    let _ = (task, config);
    Ok(())
}
