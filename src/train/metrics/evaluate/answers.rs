//! Answers in question answering, found by the task's own search over all windows of a question.

use super::{Scores, cross_entropy, mean};
use crate::batch::Batch;
use crate::engine::{Response, Table};
use crate::tasks::question_answering::{QuestionAnsweringOptions, Search};
use crate::tokenizer::Encoding;
use crate::train::data::batches::MicroBatch;
use crate::train::data::dataset::Dataset;
use crate::train::metrics::answer_scores;

/// Longest answer in tokens, as in transformers' `run_qa.py`.
const MAX_ANSWER_LEN: usize = 30;

/// Collects the answers to all questions.
pub(super) struct Answers<'a> {
    data: &'a Dataset,
    cls: u32,
    options: QuestionAnsweringOptions,
    /// Number of examples seen. Each is a window of its row's context.
    examples: usize,
    /// Windows of the last row seen.
    windows: Vec<(Encoding, Table)>,
    answers: Vec<String>,
}

impl<'a> Answers<'a> {
    pub(super) fn new(data: &'a Dataset, cls: u32) -> Self {
        // As in SQuAD 2: if some questions have no answer, "no answer" is a possible prediction.
        let options = QuestionAnsweringOptions {
            max_answer_len: MAX_ANSWER_LEN,
            handle_impossible_answer: data
                .questions()
                .iter()
                .any(|question| question.answers.is_empty()),
            ..QuestionAnsweringOptions::default()
        };
        Self { data, cls, options, examples: 0, windows: Vec::new(), answers: Vec::new() }
    }

    /// Returns the best answer in the windows of the next row.
    fn answer(&self, windows: &[(Encoding, Table)]) -> String {
        let context = &self.data.questions()[self.answers.len()].context;
        let mut search = Search::new(context, self.cls, &self.options);
        windows.iter().for_each(|(encoding, table)| search.window(encoding, table));
        search.finish().into_iter().next().map(|best| best.answer).unwrap_or_default()
    }
}

impl Scores for Answers<'_> {
    fn add(&mut self, micro: &MicroBatch, batch: &Batch, response: &Response) -> Option<f64> {
        let examples = self.data.examples();
        for (encoding, sequence) in micro.encodings.iter().zip(&batch.sequences) {
            let scores = &response.logits[2 * sequence.rows.start..2 * sequence.rows.end];
            self.windows.push((encoding.clone(), Table { cols: 2, data: scores.to_vec() }));
            let row = examples[self.examples].row;
            self.examples += 1;
            if examples.get(self.examples).is_none_or(|next| next.row != row) {
                let windows = std::mem::take(&mut self.windows);
                self.answers.push(self.answer(&windows));
            }
        }
        let column = |column: usize, places: &[i32]| {
            let sequences = batch.sequences.iter().zip(places);
            mean(sequences.map(|(sequence, &place)| {
                let rows = sequence.rows.clone();
                let scores: Vec<f32> = rows.map(|row| response.logits[2 * row + column]).collect();
                cross_entropy(&scores, place as usize)
            }))
        };
        Some((column(0, &micro.starts)? + column(1, &micro.ends)?) / 2.0)
    }

    fn finish(&self, _: f64) -> Vec<f64> {
        let expected: Vec<&[String]> =
            self.data.questions().iter().map(|question| &question.answers[..]).collect();
        let scores = answer_scores(&self.answers, &expected);
        vec![scores.exact_match, scores.f1]
    }
}
