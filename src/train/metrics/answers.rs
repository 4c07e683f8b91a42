//! Answers: exact match and F1 over words, by the rules of SQuAD's evaluation script.

use std::collections::HashMap;

use serde::Serialize;

use super::mean;

/// Quality of answers, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Answers {
    /// Share of answers that equal an expected answer after normalization.
    pub exact_match: f64,
    /// Mean F1 over the words of the answers.
    pub f1: f64,
}

/// Scores answers, each against the best of its references. An empty list of references means that
/// the question has no answer; the right prediction is then empty.
///
/// ```
/// let answers = webert::train::metrics::answer_scores(&["the Nile", ""], &[vec!["Nile."], vec![]]);
/// assert_eq!((answers.exact_match, answers.f1), (100.0, 100.0));
/// ```
pub fn answer_scores<S: AsRef<str>, L: AsRef<[S]>>(predictions: &[S], references: &[L]) -> Answers {
    let scores: Vec<(f64, f64)> = (predictions.iter().zip(references))
        .map(|(prediction, expected)| best(prediction.as_ref(), expected.as_ref()))
        .collect();
    Answers {
        exact_match: 100.0 * mean(scores.iter().map(|score| score.0)),
        f1: 100.0 * mean(scores.iter().map(|score| score.1)),
    }
}

/// Returns the best exact match and the best F1, each from 0 to 1.
fn best<S: AsRef<str>>(prediction: &str, expected: &[S]) -> (f64, f64) {
    let prediction = normalize_answer(prediction);
    let score = |expected: &str| {
        let expected = normalize_answer(expected);
        (f64::from(u8::from(prediction == expected)), word_f1(&prediction, &expected))
    };
    if expected.is_empty() {
        return score("");
    }
    let scores = expected.iter().map(|expected| score(expected.as_ref()));
    scores.fold((0.0, 0.0), |best, score| (best.0.max(score.0), best.1.max(score.1)))
}

/// Normalizes an answer: lower case, no ASCII punctuation, no English articles, single spaces.
///
/// ```
/// assert_eq!(webert::train::metrics::normalize_answer("The  U.S. Navy!"), "us navy");
/// ```
pub fn normalize_answer(answer: &str) -> String {
    let lower = answer.to_lowercase();
    let text: String = lower.chars().filter(|c| !c.is_ascii_punctuation()).collect();
    // An article between any two non-word characters is removed: in "the-" as well as in "the ".
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let between = rest[word..].find(is_word).map_or(rest.len(), |at| word + at);
        kept.push_str(if matches!(&rest[..word], "a" | "an" | "the") {
            " "
        } else {
            &rest[..word]
        });
        kept.push_str(&rest[word..between]);
        rest = &rest[between..];
    }
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns F1 over two bags of words. If one is empty, F1 is 1 if both are, and 0 otherwise.
fn word_f1(prediction: &str, expected: &str) -> f64 {
    let count = |text: &str| text.split(' ').filter(|word| !word.is_empty()).count();
    let (found, there) = (count(prediction), count(expected));
    if found == 0 || there == 0 {
        return f64::from(u8::from(found == there));
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in expected.split(' ') {
        *left.entry(word).or_default() += 1;
    }
    let mut right = 0;
    for word in prediction.split(' ') {
        if let Some(count) = left.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            right += 1;
        }
    }
    super::Scores::of(right, found, there).f1
}
