//! Batches as callers pass them: padded ids, and labels with Hugging Face's names.

use crate::Result;
use crate::backend::train::IGNORED;
use crate::batch::Batch;
use crate::config::{Config, HeadKind, Problem};
use crate::engine::Inputs;
use crate::error::{fault, unexpected};
use crate::train::step::loss::Labels;

/// Numbers with a shape, row-major.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values {
    /// The shape.
    pub dims: Vec<usize>,
    /// The numbers. Labels are whole numbers, except scores.
    pub data: Vec<f32>,
}

/// Labels by name. The head decides which are required. -100 is ignored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PaddedLabels {
    /// A class or scores per sequence, a choice per question, or a class per token.
    pub labels: Option<Values>,
    /// Per sequence: 0 if the second text follows the first.
    pub next_sentence_label: Option<Values>,
    /// Per sequence: column of the answer's first token.
    pub start_positions: Option<Values>,
    /// Per sequence: column of the answer's last token.
    pub end_positions: Option<Values>,
}

/// Packs a batch, and its labels in the order of the batch's rows. For embeddings, `inputs` has two
/// or three batches: texts, texts related to them, and optionally texts not related to them.
///
/// # Errors
/// `BadInput` for ids as in [`Batch::pack_padded`]. `BadInput` naming labels that are missing, do
/// not match the shape of the ids, or are not whole numbers.
///
/// ```
/// use webert::config::{Config, HeadKind};
/// use webert::engine::Inputs;
/// use webert::train::step::loss::Labels;
/// use webert::train::data::padded::{PaddedLabels, Values, pack};
///
/// # let config = Config::parse(br#"{"model_type": "bert", "hidden_size": 4, "num_hidden_layers": 1,
/// #     "num_attention_heads": 1, "intermediate_size": 4, "vocab_size": 9, "max_position_embeddings": 9}"#)?;
/// let (ids, mask) = (vec![2, 5, 3, 2, 3, 0], Some(vec![1, 1, 1, 1, 1, 0]));
/// let inputs = Inputs { dims: vec![2, 3], ids, mask, ..Inputs::default() };
/// let tokens = Values { dims: vec![2, 3], data: vec![-100., 7., -100., 8., -100., 1.] };
/// let labels = PaddedLabels { labels: Some(tokens), ..PaddedLabels::default() };
/// let (batch, labels) = pack(&config, HeadKind::MaskedLm, &[inputs], &labels)?;
/// assert_eq!(batch.ids, [2, 5, 3, 2, 3]);
/// assert_eq!(labels, Labels::Tokens(vec![-100, 7, -100, 8, -100])); // padding has no row
/// # Ok::<(), webert::Error>(())
/// ```
pub fn pack(
    config: &Config,
    head: HeadKind,
    inputs: &[Inputs],
    labels: &PaddedLabels,
) -> Result<(Batch, Labels)> {
    if head == HeadKind::Bare {
        return similar(config, inputs, labels);
    }
    let [inputs] = inputs else {
        let count = inputs.len();
        return Err(unexpected!(BadInput, "ids", "one batch", "{count}"));
    };
    let padded = inputs.padded(head)?;
    // transformers also scores padding as a possible answer.
    let (batch, places) = match head {
        HeadKind::QuestionAnswering => (Batch::pack_whole(config, padded)?, Vec::new()),
        _ => Batch::pack_padded(config, padded)?,
    };
    let labels = Grid { inputs, places: &places }.labels(config, head, labels)?;
    Ok((batch, labels))
}

/// Packs texts for embeddings. Each column of texts is a batch of its own.
fn similar(config: &Config, inputs: &[Inputs], given: &PaddedLabels) -> Result<(Batch, Labels)> {
    if inputs.len() < 2 {
        let count = inputs.len();
        return Err(unexpected!(BadInput, "ids", "two or three batches", "{count}"));
    }
    let mut all = Batch::default();
    for batch in inputs {
        let (batch, _) = Batch::pack_padded(config, batch.padded(HeadKind::Bare)?)?;
        all.append(&batch);
    }
    let count = inputs[0].dims[0];
    if let Some(other) = inputs.iter().find(|other| other.dims[0] != count) {
        let found = other.dims[0];
        return Err(unexpected!(BadInput, "ids", "{count} texts in each batch", "{found}"));
    }
    let scores = match &given.labels {
        Some(values) => {
            check("labels", values, &[count])?;
            Some(values.data.clone())
        }
        None => None,
    };
    Ok((all, Labels::Similarity { columns: inputs.len(), scores }))
}

/// Where the rows of a batch are in the padded ids.
struct Grid<'a> {
    inputs: &'a Inputs,
    /// Place in the padded ids of each row.
    places: &'a [usize],
}

impl Grid<'_> {
    fn labels(&self, config: &Config, head: HeadKind, given: &PaddedLabels) -> Result<Labels> {
        let labels = || need("labels", given.labels.as_ref());
        Ok(match head {
            HeadKind::PreTraining => Labels::PreTraining {
                tokens: self.tokens(labels()?)?,
                next_sentence: self.classes("next_sentence_label", &given.next_sentence_label)?,
            },
            HeadKind::QuestionAnswering => Labels::Answers {
                starts: self.classes("start_positions", &given.start_positions)?,
                ends: self.classes("end_positions", &given.end_positions)?,
            },
            HeadKind::SequenceClassification => self.sequence_labels(config, labels()?)?,
            _ if head.reads_tokens() => Labels::Tokens(self.tokens(labels()?)?),
            _ => Labels::Classes(self.classes("labels", &given.labels)?),
        })
    }

    /// Returns classes or scores, depending on the config and the shape of the labels.
    fn sequence_labels(&self, config: &Config, values: &Values) -> Result<Labels> {
        let classes = config.labels.len();
        let guess = match values.dims.len() {
            _ if classes == 1 => Problem::Regression,
            1 => Problem::SingleLabel,
            _ => Problem::MultiLabel,
        };
        let count = self.inputs.dims[0];
        match config.problem.unwrap_or(guess) {
            Problem::SingleLabel => Ok(Labels::Classes(whole("labels", values, &[count])?)),
            Problem::Regression if values.dims.len() == 1 && classes == 1 => {
                check("labels", values, &[count])?;
                Ok(Labels::Scores(values.data.clone()))
            }
            _ => {
                check("labels", values, &[count, classes])?;
                Ok(Labels::Scores(values.data.clone()))
            }
        }
    }

    /// Returns one class per entry of the first dimension.
    fn classes(&self, name: &str, values: &Option<Values>) -> Result<Vec<i32>> {
        whole(name, need(name, values.as_ref())?, &self.inputs.dims[..1])
    }

    /// Returns a class per row of the batch. A masked first token has a row and no label.
    fn tokens(&self, values: &Values) -> Result<Vec<i32>> {
        let classes = whole("labels", values, &self.inputs.dims)?;
        let mask = self.inputs.mask.as_deref();
        let of = |&place: &usize| match mask {
            Some(mask) if mask[place] == 0 => IGNORED,
            _ => classes[place],
        };
        Ok(self.places.iter().map(of).collect())
    }
}

fn need<'a>(name: &str, values: Option<&'a Values>) -> Result<&'a Values> {
    values.ok_or_else(|| fault!(BadInput, "{name} are missing", item = "{name}"))
}

fn check(name: &str, values: &Values, dims: &[usize]) -> Result<()> {
    let Values { dims: found, data } = values;
    if found != dims || data.len() != dims.iter().product::<usize>() {
        return Err(unexpected!(BadInput, "{name}", "dims {dims:?}", "{found:?}"));
    }
    Ok(())
}

fn whole(name: &str, values: &Values, dims: &[usize]) -> Result<Vec<i32>> {
    check(name, values, dims)?;
    match values.data.iter().find(|value| value.fract() != 0.0 || value.abs() > 1e9) {
        Some(value) => Err(unexpected!(BadInput, "{name}", "whole numbers", "{value}")),
        None => Ok(values.data.iter().map(|&value| value as i32).collect()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use super::{PaddedLabels, Values, pack};
    use crate::config::{Config, HeadKind, Problem};
    use crate::engine::Inputs;
    use crate::train::step::loss::Labels;

    fn config(labels: usize) -> Config {
        let json = format!(
            r#"{{"model_type": "bert", "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1,
            "intermediate_size": 4, "vocab_size": 9, "max_position_embeddings": 9, "num_labels": {labels}}}"#
        );
        Config::parse(json.as_bytes()).unwrap()
    }

    /// Two sequences: the first starts with padding, the second ends with it.
    fn inputs() -> Inputs {
        let (ids, mask) = (vec![0, 2, 5, 3, 2, 3, 0, 0], vec![0, 1, 1, 1, 1, 1, 0, 0]);
        Inputs { dims: vec![2, 4], ids, mask: Some(mask), ..Inputs::default() }
    }

    fn values(dims: &[usize], data: &[f32]) -> Option<Values> {
        Some(Values { dims: dims.to_vec(), data: data.to_vec() })
    }

    fn packed(labels: usize, head: HeadKind, given: &PaddedLabels) -> crate::Result<Labels> {
        pack(&config(labels), head, &[inputs()], given).map(|(_, labels)| labels)
    }

    #[test]
    fn answers_are_looked_for_among_padding() {
        let (start_positions, end_positions) = (values(&[2], &[1., 9.]), values(&[2], &[2., 3.]));
        let given = PaddedLabels { start_positions, end_positions, ..Default::default() };
        let head = HeadKind::QuestionAnswering;
        let (batch, labels) = pack(&config(2), head, &[inputs()], &given).unwrap();
        assert_eq!(batch.ids, [0, 2, 5, 3, 2, 3, 0, 0]);
        assert_eq!(labels, Labels::Answers { starts: vec![1, 9], ends: vec![2, 3] });

        let given = PaddedLabels { end_positions: None, ..given };
        let error = packed(2, head, &given).unwrap_err();
        assert_eq!(error.to_string(), "end_positions are missing");
    }

    #[test]
    fn the_shape_decides_between_scores_and_classes() {
        let head = HeadKind::SequenceClassification;
        let of = |labels| PaddedLabels { labels, ..PaddedLabels::default() };
        let classes = of(values(&[2], &[1., 0.]));
        assert_eq!(packed(3, head, &classes).unwrap(), Labels::Classes(vec![1, 0]));
        assert_eq!(packed(1, head, &classes).unwrap(), Labels::Scores(vec![1., 0.]));
        let shares = of(values(&[2, 2], &[1., 0., 0., 0.5]));
        assert_eq!(packed(2, head, &shares).unwrap(), Labels::Scores(vec![1., 0., 0., 0.5]));
        for (labels, given, text) in [
            (3, &shares, "labels: expected dims [2, 3], got [2, 2]"),
            (3, &of(values(&[2], &[0.5, 1.])), "labels: expected whole numbers, got 0.5"),
            (3, &of(None), "labels are missing"),
        ] {
            assert_eq!(packed(labels, head, given).unwrap_err().to_string(), text);
        }
    }

    #[test]
    fn a_regression_has_a_number_for_each_row_and_label() {
        let scores = |labels, dims: &[usize], data: &[f32]| {
            let config = Config { problem: Some(Problem::Regression), ..config(labels) };
            let given = PaddedLabels { labels: values(dims, data), ..PaddedLabels::default() };
            let packed = pack(&config, HeadKind::SequenceClassification, &[inputs()], &given);
            packed.map(|(_, labels)| labels).map_err(|error| error.to_string())
        };
        let numbers = [1., 0.5, -2., 0.];
        assert_eq!(scores(2, &[2, 2], &numbers), Ok(Labels::Scores(numbers.to_vec())));
        for dims in [&[2][..], &[2, 1]] {
            assert_eq!(scores(1, dims, &[1., 0.5]), Ok(Labels::Scores(vec![1., 0.5])));
        }
        let error = "labels: expected dims [2, 2], got [2]";
        assert_eq!(scores(2, &[2], &[1., 0.5]), Err(error.to_owned()));
    }

    #[test]
    fn texts_follow_each_other_by_kind() {
        let two =
            [inputs(), Inputs { ids: vec![2, 6, 3, 7], dims: vec![2, 2], ..Inputs::default() }];
        let labels = PaddedLabels { labels: values(&[2], &[0.5, 1.]), ..Default::default() };
        let (batch, labels) = pack(&config(2), HeadKind::Bare, &two, &labels).unwrap();
        assert_eq!(batch.ids, [0, 2, 5, 3, 2, 3, 2, 6, 3, 7]);
        assert_eq!(batch.first_rows(), [0, 4, 6, 8]);
        assert_eq!(labels, Labels::Similarity { columns: 2, scores: Some(vec![0.5, 1.]) });
        for (inputs, text) in [
            (&two[..1], "ids: expected two or three batches, got 1"),
            (
                &[inputs(), Inputs { ids: vec![2, 3], dims: vec![1, 2], ..Inputs::default() }],
                "ids: expected 2 texts in each batch, got 1",
            ),
        ] {
            let error =
                pack(&config(2), HeadKind::Bare, inputs, &PaddedLabels::default()).unwrap_err();
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn padding_has_no_label() {
        let labels = values(&[2, 4], &[1., -100., 2., 3., 4., 5., 6., 7.]);
        let found = packed(2, HeadKind::MaskedLm, &PaddedLabels { labels, ..Default::default() });
        assert_eq!(found.unwrap(), Labels::Tokens(vec![-100, -100, 2, 3, 4, 5]));
    }
}
