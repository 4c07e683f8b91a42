//! The table of tasks, by which programs call one by its name.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::feature_extraction::Features;
use super::*;
use crate::config::HeadKind;

/// One input of a task.
pub trait Input: DeserializeOwned {
    /// The text whose bytes the offsets of the answer count.
    fn text(&self) -> &str;
}

impl Input for String {
    fn text(&self) -> &str {
        self
    }
}

/// A question and its context, a text and what may follow.
impl Input for (String, String) {
    fn text(&self) -> &str {
        &self.1
    }
}

/// A text and its labels, a prompt and its choices.
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

/// The options of a call by their names; those that are not given have their defaults.
pub trait CallOptions: DeserializeOwned + Serialize {}

impl<O: DeserializeOwned + Serialize> CallOptions for O {}

/// What a task says of one input.
pub trait Answer: Serialize {
    /// Replaces each offset in bytes of the input's text by what `to` makes of it.
    fn map_offsets(&mut self, _to: &dyn Fn(u32) -> u32) {}

    /// Itself, where it is a tensor: not every format has these as lists of numbers.
    fn as_features(&self) -> Option<&Features> {
        None
    }
}

impl<A: Answer> Answer for Vec<A> {
    fn map_offsets(&mut self, to: &dyn Fn(u32) -> u32) {
        self.iter_mut().for_each(|answer| answer.map_offsets(to));
    }
}

/// A call of a task that is known by its name: reads what goes in and writes what comes out.
pub trait Caller {
    /// The device of the model.
    type Device: Processor;
    /// What comes of the call.
    type Output;

    /// Calls `task`, which answers inputs `I` under options `O`.
    fn call<I: Input, O: CallOptions, A: Answer>(
        self,
        task: impl AsyncFnOnce(&Model<Self::Device>, &[I], &O, Tick<'_>) -> Result<Vec<A>>,
    ) -> impl Future<Output = Self::Output>;
}

/// Of each task its module, which declares its name, options and answers, its function, and the
/// head that it wants of a checkpoint with several.
macro_rules! tasks {
    ($($module:ident :: $task:ident => $head:ident,)*) => {
        /// The tasks by their names, and the head that each wants of a checkpoint with several.
        pub const TASKS: &[(&str, HeadKind)] = &[$(($module::TASK, HeadKind::$head)),*];

        /// Calls the task of that name.
        ///
        /// # Errors
        /// `Unsupported` where there is none.
        pub async fn run<C: Caller>(name: &str, caller: C) -> Result<C::Output> {
            match name {
                $($module::TASK => Ok(caller.call($module::$task).await),)*
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
}

/// The head a task wants of a checkpoint that has several; `None` for a task of another name.
pub fn head_of(task: &str) -> Option<HeadKind> {
    TASKS.iter().find(|(name, _)| *name == task).map(|&(_, head)| head)
}
