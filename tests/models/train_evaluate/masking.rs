//! Tokens that an evaluation masks and replaces.

use pollster::block_on;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::engine::OutputRequest;
use webert::tokenizer::Encoding;
use webert::train::arguments::TrainingArguments;
use webert::train::data::dataset::TrainingTask;

use super::metrics::best;
use super::rows::{collated, text_rows};
use super::{data, generator, metrics, model, near, value};
use crate::common::go_on;

/// Returns -ln of the softmax probability of a target.
fn cross_entropy(scores: &[f32], target: usize) -> f64 {
    let sum: f64 = scores.iter().map(|&score| f64::from(score).exp()).sum();
    sum.ln() - f64::from(scores[target])
}

#[wasm_bindgen_test(unsupported = test)]
fn masked_tokens_are_weighed_by_rows_and_masked_by_the_seed() {
    let model = model("bert-mlm", None);
    let data = data(&model, TrainingTask::FillMask, &text_rows()).unwrap();
    let with =
        |seed| TrainingArguments { per_device_eval_batch_size: 2, seed, ..Default::default() };
    let found = metrics(&model, &data, &with(1));
    assert_eq!(found, metrics(&model, &data, &with(1)));
    assert_ne!(found, metrics(&model, &data, &with(2)));

    let micro = collated(&data, None, 1);
    let tables =
        block_on(model.compute(&micro.encodings, OutputRequest::Logits, None, &go_on)).unwrap();
    let (mut first, mut right, mut losses) = (0, 0, Vec::new());
    for table in &tables {
        let labels = micro.tokens[first..first + table.rows().len()].iter();
        first += table.rows().len();
        let chosen: Vec<_> = table.rows().zip(labels).filter(|(_, label)| **label >= 0).collect();
        right += chosen.iter().filter(|(scores, label)| best(scores) as i32 == **label).count();
        let of_row = chosen.iter().map(|(scores, label)| cross_entropy(scores, **label as usize));
        losses.push(of_row.collect::<Vec<f64>>());
    }
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
    let pair = mean(&[&losses[0][..], &losses[1][..]].concat());
    let loss = (2.0 * pair + mean(&losses[2])) / 3.0;
    near(value(&found, "loss"), loss, 1e-5);
    near(value(&found, "perplexity"), loss.exp(), 1e-4 * loss.exp());
    near(value(&found, "accuracy"), right as f64 / losses.concat().len() as f64, 1e-12);
}

/// Checks a share of `draws` within four standard deviations of a binomial distribution.
#[track_caller]
fn is_share(count: usize, draws: usize, share: f64) {
    let bound = 4.0 * (share * (1.0 - share) / draws as f64).sqrt();
    near(count as f64 / draws as f64, share, bound);
}

#[wasm_bindgen_test(unsupported = test)]
fn tokens_of_a_data_set_are_masked_and_replaced_at_their_rates() {
    let (model, generator) = (model("electra-discriminator", None), generator());
    // All rows have the same number of tokens, so the same number is chosen.
    let rows = json!([
        "alice walked near the river with a small computer every day",
        "the teacher works very often with paris and tokyo today",
    ]);
    let data = data(&model, TrainingTask::ReplacedTokenDetection, &rows).unwrap();
    let tokens = data.examples()[0].len() - 2;
    let a_text = (0.15 * tokens as f64).round() as usize;
    let mask = model.tokenizer().unwrap().special().mask.as_ref().unwrap().id;
    let (mut chosen, mut masked, mut same, mut replaced) = (0, 0, 0, 0);
    let mut expected = 0.0;
    for epoch in 0..400 {
        let mut micro = data.collate(&[0, 1], 7, epoch);
        assert_eq!(micro, data.collate(&[0, 1], 7, epoch));
        assert_eq!(micro.chosen_tokens().count(), 2 * a_text);
        let ids: Vec<u32> = micro.encodings.iter().flat_map(|e| e.ids.clone()).collect();
        for (token, label) in micro.chosen_tokens() {
            chosen += 1;
            masked += usize::from(ids[token] == mask);
            same += usize::from(ids[token] as usize == label);
        }
        if epoch >= 100 {
            continue;
        }
        // probability that the generator draws a different token than the original
        let tables =
            block_on(generator.compute(&micro.encodings, OutputRequest::Logits, None, &go_on));
        let rows: Vec<Vec<f32>> = tables
            .unwrap()
            .iter()
            .flat_map(|t| t.rows().map(<[f32]>::to_vec).collect::<Vec<_>>())
            .collect();
        let chances = micro.chosen_tokens();
        expected += chances
            .map(|(token, label)| 1.0 - (-cross_entropy(&rows[token], label)).exp())
            .sum::<f64>();
        let before = micro.clone();
        block_on(micro.replace(&generator, &[0, 1], 7, epoch)).unwrap();
        replaced += micro.tokens.iter().filter(|&&label| label == 1).count();
        let ids = |encodings: &mut dyn Iterator<Item = &Encoding>| -> Vec<u32> {
            encodings.flat_map(|encoding| encoding.ids.clone()).collect()
        };
        let was = ids(&mut data.examples().iter().flat_map(|example| &example.encodings));
        let is = ids(&mut micro.encodings.iter());
        for (token, &label) in micro.tokens.iter().enumerate() {
            assert_eq!(label == 1, is[token] != was[token], "epoch {epoch}, token {token}");
            assert!(label == 0 || before.tokens[token] >= 0, "a token that was not chosen");
        }
    }
    // Of the tenth drawn from the whole vocabulary, one in 160 is a mask, and one is the original.
    is_share(masked, chosen, 0.8 + 0.1 / 160.0);
    is_share(same, chosen, 0.1 + 0.1 / 160.0);
    let draws = 100 * 2 * a_text;
    is_share(replaced, draws, expected / draws as f64);
    let epochs: Vec<_> = (0..20).map(|epoch| data.collate(&[0], 7, epoch).tokens).collect();
    assert!(epochs.iter().any(|tokens| *tokens != epochs[0]));
}
