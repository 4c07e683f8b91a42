//! The forward pass against Hugging Face transformers: every head, every layer's states, attention.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use common::{Golden, TOLERANCE, compare_all, go_on, inputs, outputs};
use pollster::block_on;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::Precision;
use webert::batch::{Batch, Padded};
use webert::config::HeadKind;
use webert::engine::{Inputs, OutputRequest, Request};
#[cfg(feature = "families")]
use webert::engine::{ScorePooling, Tensor};
use webert::tokenizer::{EncodeOptions, Encoding, Padding};
use webert::{Error, Result};

#[wasm_bindgen_test(unsupported = test)]
fn every_output_equals_the_reference() {
    compare_all(TOLERANCE, |golden, _| golden.load("fp32").unwrap());
}

#[cfg(all(feature = "tokenizers", feature = "families", not(target_arch = "wasm32")))]
#[test]
fn every_output_of_other_families_equals_the_reference() {
    let goldens = common::families::goldens();
    common::compare_goldens(goldens, TOLERANCE, 150, |golden, _| golden.load("fp32").unwrap());
}

/// What tests/goldens/inside/make.py recorded by hooks in transformers.
#[cfg(all(feature = "families", not(target_arch = "wasm32")))]
#[test]
fn values_inside_layers_equal_the_reference() {
    let recorded: serde_json::Value =
        serde_json::from_str(include_str!("goldens/inside/inside.json")).unwrap();
    for (name, golden) in recorded.as_object().unwrap() {
        let model = Golden::named(name).load("fp32").unwrap();
        let inside = block_on(model.inside(&inputs(golden), &go_on)).unwrap();
        for (key, found) in
            [("activations", inside.activations), ("attention_scores", inside.attention_scores)]
        {
            let wanted = golden[key].as_array().unwrap();
            assert_eq!(found.len(), wanted.len(), "{name}: layers of {key}");
            for (layer, (found, wanted)) in found.iter().zip(wanted).enumerate() {
                let dims = common::flat(&wanted["dims"]);
                assert!(dims.iter().copied().eq(found.dims.iter().map(|&dim| dim as f64)));
                let most = common::flat(&wanted["data"])
                    .iter()
                    .zip(&found.data)
                    .map(|(want, &got)| (want - f64::from(got)).abs())
                    .fold(0.0, f64::max);
                assert_eq!(found.data.len(), dims.iter().product::<f64>() as usize);
                assert!(most < TOLERANCE, "{name}: {key} of layer {layer} differ by {most}");
            }
        }
    }
}

#[cfg(all(feature = "families", not(target_arch = "wasm32")))]
#[test]
fn refuses_values_inside_layers_that_are_not_as_berts() {
    let input = Inputs { dims: vec![1, 3], ids: vec![5; 3], ..Inputs::default() };
    for (name, family) in [
        ("families/modernbert-base", "modernbert"),
        ("families/mobilebert-base", "mobilebert"),
        ("families/deberta-v3-mlm", "deberta-v2"),
        ("families/bert-relative-key", "bert"),
        ("families/roberta-prelayernorm-base", "roberta-prelayernorm"),
    ] {
        let model = Golden::named(name).load("fp32").unwrap();
        let error = block_on(model.inside(&input, &go_on)).unwrap_err();
        let text = error.to_string();
        assert_eq!(error.code(), "unsupported", "{name}");
        assert!(text.contains(&format!("got model_type \"{family}\"")), "{name}: {text}");
    }
}

#[cfg(all(feature = "families", not(target_arch = "wasm32")))]
#[test]
fn a_masked_first_token_with_nothing_in_reach_has_no_scores() {
    let input = |masked| Inputs {
        dims: vec![1, 12],
        ids: vec![5; 12],
        mask: Some((0..12).map(|n| u32::from(n >= masked)).collect()),
        ..Inputs::default()
    };
    let load = |name| Golden::named(name).load("fp32").unwrap();
    // The window is 8: four tokens on each side.
    let mut model = load("families/modernbert-seqcls");
    assert!(outputs(&mut model, &input(4), false).is_ok());
    let Err(Error::BadInput(text)) = outputs(&mut model, &input(5), false) else { panic!() };
    assert!(text.contains("sequence 0 starts with 5 masked tokens"), "{text}");
    // These heads do not read the first token.
    for name in ["families/modernbert-seqcls-mean", "families/modernbert-tokencls"] {
        assert!(outputs(&mut load(name), &input(5), false).is_ok(), "{name}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_sequence_never_depends_on_its_batch_mates() {
    let golden = Golden::named("bert-base-gelu");
    let mut model = golden.load("fp32").unwrap();
    let case = golden.cases().into_iter().find(|case| case["name"] == "random_padded").unwrap();
    let together = inputs(&case);
    let length = together.dims[1];
    let all = outputs(&mut model, &together, true).unwrap();
    for row in 0..together.dims[0] {
        let part = |values: &[u32]| values[row * length..(row + 1) * length].to_vec();
        let mut alone = together.clone();
        alone.dims[0] = 1;
        alone.ids = part(&together.ids);
        alone.mask = together.mask.as_deref().map(part);
        alone.types = together.types.as_deref().map(part);
        let one = outputs(&mut model, &alone, true).unwrap();
        for (one, all) in one.hidden_states.iter().zip(&all.hidden_states) {
            let size = one.data.len();
            assert_eq!(one.data, all.data[row * size..(row + 1) * size], "row {row}, bit for bit");
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn states_of_choices_match_their_sequences() {
    let golden = Golden::named("bert-multiplechoice");
    let mut choosing = golden.load("fp32").unwrap();
    let mut bare = golden.load_head("fp32", Some(HeadKind::Bare)).unwrap();
    for case in golden.cases() {
        let choices = inputs(&case);
        let [batch, count, length] = choices.dims[..] else { panic!("{:?}", choices.dims) };
        let sequences = Inputs { dims: vec![batch * count, length], ..choices.clone() };
        let got = outputs(&mut choosing, &choices, true).unwrap();
        let want = outputs(&mut bare, &sequences, true).unwrap();
        assert_eq!(got.hidden_states[0].dims, [batch * count, length, 48]);
        assert_eq!(got.hidden_states, want.hidden_states);
        assert_eq!(got.attentions[0].dims, [batch * count, 4, length, length]);
        assert_eq!(got.attentions, want.attentions);
        assert_eq!(got.tensors[0].1.dims, [batch, count]);
    }
}

/// Two sequences of a vocabulary of 220 entries. Two tokens of the first one are masked.
#[cfg(feature = "families")]
fn two_sequences() -> Inputs {
    Inputs {
        dims: vec![2, 6],
        ids: (20..32).collect(),
        mask: Some(vec![1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1]),
        ..Inputs::default()
    }
}

#[cfg(feature = "families")]
#[test]
fn pooled_scores_are_the_scores_of_the_tokens_that_count() {
    let mut model = Golden::named("bert-mlm").load("fp32").unwrap();
    let inputs = two_sequences();
    let scores = outputs(&mut model, &inputs, false).unwrap().tensors.remove(0).1;
    let vocab = scores.dims[2];
    for (name, sum, twice) in [("max", false, false), ("sum", true, false), ("sum_log", true, true)]
    {
        let pooling = ScorePooling::named(name).unwrap();
        assert_eq!(pooling, ScorePooling { sum, log_twice: twice });
        let pooled = block_on(model.pooled_scores(&inputs, pooling, &go_on)).unwrap();
        assert_eq!(pooled.dims, [2, vocab]);
        for (sequence, row) in pooled.data.chunks(vocab).enumerate() {
            let tokens = scores.data.chunks(vocab).skip(6 * sequence).take([4, 6][sequence]);
            let weight = |x: f32| {
                let once = x.max(0.0).ln_1p();
                if twice { once.ln_1p() } else { once }
            };
            let mut wanted = vec![0.0_f32; vocab];
            for token in tokens {
                for (value, x) in wanted.iter_mut().zip(token) {
                    *value = if sum { *value + weight(*x) } else { value.max(weight(*x)) };
                }
            }
            let near = row.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-4);
            assert!(near, "{name}, sequence {sequence}");
        }
    }
    assert_eq!(ScorePooling::named("mean"), None);
    let bare = Golden::named("bert-base-gelu").load("fp32").unwrap();
    let refused =
        block_on(bare.pooled_scores(&inputs, ScorePooling::named("max").unwrap(), &go_on));
    assert!(matches!(refused, Err(Error::Unsupported(_))));
}

#[cfg(feature = "families")]
#[test]
fn masked_tokens_have_states_that_no_other_token_reads() {
    let mut model = Golden::named("bert-base-gelu").load("fp32").unwrap();
    let inputs = two_sequences();
    let known = outputs(&mut model, &inputs, false).unwrap().tensors.remove(0).1;
    let whole = block_on(model.whole_states(&inputs, &go_on)).unwrap();
    let other = Inputs { ids: (20..25).chain(41..42).chain(26..32).collect(), ..inputs.clone() };
    let changed = block_on(model.whole_states(&other, &go_on)).unwrap();
    assert_eq!(whole.dims, known.dims);
    let width = whole.dims[2];
    let rows = |states: &Tensor, row: usize| states.data[row * width..][..width].to_vec();
    let near = |a: Vec<f32>, b: Vec<f32>| a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-4);
    for row in 0..12 {
        let is_masked = row == 4 || row == 5;
        assert_eq!(near(rows(&whole, row), rows(&known, row)), !is_masked, "row {row}");
        assert_eq!(near(rows(&whole, row), rows(&changed, row)), row != 5, "row {row}");
    }
    let gap = Inputs { mask: Some(vec![1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]), ..inputs };
    assert!(matches!(block_on(model.whole_states(&gap, &go_on)), Err(Error::BadInput(_))));
}

/// A tick that lets other calls run.
fn step_aside() -> Pin<Box<dyn Future<Output = Result<()>>>> {
    let mut waited = false;
    Box::pin(poll_fn(move |_| match std::mem::replace(&mut waited, true) {
        true => Poll::Ready(Ok(())),
        false => Poll::Pending,
    }))
}

#[wasm_bindgen_test(unsupported = test)]
fn calls_that_take_turns_get_the_answers_that_each_gets_alone() {
    let model = Golden::named("bert-mlm").load("q8").unwrap();
    let encode = |words: &str, count: usize| -> Vec<Encoding> {
        let options = EncodeOptions::default();
        let text = model.tokenizer().unwrap().encode(words, None, &options).unwrap();
        std::iter::repeat_n(text, count).flatten().collect()
    };
    let (many, few) = (encode(&"a b ".repeat(20), 60), encode("b a", 3));
    let alone =
        |texts| block_on(model.compute(texts, OutputRequest::Logits, None, &go_on)).unwrap();
    let expected = [alone(&many), alone(&few)];

    let mut calls = [&many, &few]
        .map(|texts| Box::pin(model.compute(texts, OutputRequest::Logits, None, &step_aside)));
    let mut results = [None, None];
    let mut ended = Vec::new();
    let mut context = Context::from_waker(Waker::noop());
    while results.contains(&None) {
        for n in 0..2 {
            if results[n].is_none()
                && let Poll::Ready(result) = calls[n].as_mut().poll(&mut context)
            {
                results[n] = Some(result.unwrap());
                ended.push(n);
            }
        }
    }
    assert_eq!(ended, [1, 0], "the short call ends between two passes of the long one");
    assert_eq!(results, expected.map(Some), "bit for bit");
}

#[wasm_bindgen_test(unsupported = test)]
fn auto_is_int8() {
    let golden = Golden::named("bert-base-gelu");
    let input = inputs(&golden.cases()[0]);
    let [mut auto, mut int8] = ["auto", "q8"].map(|dtype| golden.load(dtype).unwrap());
    assert_eq!(auto.info().precision, Precision::I8);
    assert_eq!(golden.load("fp32").unwrap().info().precision, Precision::F32);
    let results = [&mut auto, &mut int8].map(|model| outputs(model, &input, true).unwrap());
    assert_eq!(results[0], results[1]);
}

#[wasm_bindgen_test(unsupported = test)]
fn half_widths_and_int8_stay_near() {
    let mut f32s = Golden::named("bert-base-gelu").load("fp32").unwrap();
    let case = &Golden::named("bert-base-gelu").cases()[0];
    let exact = outputs(&mut f32s, &inputs(case), false).unwrap();
    // Relative to the largest value: f16 has an 11-bit mantissa, and int8 has 7 bits below a row's
    // largest number.
    for (dtype, tolerance) in [("fp16", 2e-3), ("q8", 5e-2)] {
        let mut model = Golden::named("bert-base-gelu").load(dtype).unwrap();
        let near = outputs(&mut model, &inputs(case), false).unwrap();
        let (exact, near) = (&exact.tensors[0].1.data, &near.tensors[0].1.data);
        let greatest = exact.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
        let error = exact.iter().zip(near).fold(0.0_f32, |max, (a, b)| max.max((a - b).abs()));
        assert!(error > 0.0, "{dtype} is not f32");
        assert!(error / greatest < tolerance, "{dtype}: {}", error / greatest);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn shapes_that_do_not_agree_are_refused() {
    let mut model = Golden::named("bert-base-gelu").load("fp32").unwrap();
    let ids = |dims: &[usize], count| Inputs {
        dims: dims.to_vec(),
        ids: vec![5; count],
        ..Inputs::default()
    };
    // two passes of eight rows each
    let long = || ids(&[16, 60], 960);
    let cases = [
        (ids(&[1, 0], 0), "dims [1, 0]"),
        (ids(&[2, 0], 0), "dims [2, 0]"),
        (ids(&[0, 5], 0), "dims [0, 5]"),
        (ids(&[2, 3], 5), "5 entries"),
        (ids(&[1, 2, 3], 6), "expected 2 dims"),
        (ids(&[1 << (usize::BITS - 2), 4], 0), "0 entries"),
        (ids(&[(1 << (usize::BITS - 2)) + 1, 4], 4), "4 entries"),
        (
            Inputs { mask: Some(vec![1; 961]), ..long() },
            "attention_mask: expected 960 entries like input_ids, got 961",
        ),
        (
            Inputs { mask: Some(vec![1; 480]), ..long() },
            "attention_mask: expected 960 entries like input_ids, got 480",
        ),
        (
            Inputs { types: Some(vec![0; 480]), ..long() },
            "token_type_ids: expected 960 entries like input_ids, got 480",
        ),
        (
            Inputs { positions: Some(vec![0; 1]), ..long() },
            "position_ids: expected 960 entries like input_ids, got 1",
        ),
    ];
    let mut failed = Vec::new();
    for (input, what) in &cases {
        match outputs(&mut model, input, false) {
            Err(Error::BadInput(text)) if text.contains(what) => {}
            other => failed.push(format!("{what}: {other:?}")),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!(outputs(&mut model, &long(), false).unwrap().tensors[0].1.dims[..2], [16, 60]);
}

/// Returns the error of [`webert::engine::Model::compute`] for one text.
fn refusal(want: OutputRequest<'_>, padding: Padding) -> String {
    let model = Golden::named("bert-mlm").load("fp32").unwrap();
    let options = EncodeOptions { padding, max_length: Some(16), ..EncodeOptions::default() };
    let texts: Vec<Encoding> = model.tokenizer().unwrap().encode("a b", None, &options).unwrap();
    match block_on(model.compute(&texts, want, None, &go_on)) {
        Err(Error::BadInput(text)) => text,
        other => panic!("{want:?} gave {other:?}"),
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn padding_has_no_scores() {
    for want in [OutputRequest::Logits, OutputRequest::States(&[0])] {
        let text = refusal(want, Padding::MaxLength);
        assert!(text.contains("encoding 0: expected no padding"), "{text}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn the_best_scores_number_at_least_one_and_at_most_all() {
    for count in [0, 1000] {
        let text = refusal(OutputRequest::Best(count), Padding::None);
        assert!(text.contains(&format!("got {count}")), "{text}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_missing_layer_has_no_state() {
    let text = refusal(OutputRequest::States(&[0, 99]), Padding::None);
    assert!(text.contains("got 99"), "{text}");
}

#[wasm_bindgen_test(unsupported = test)]
fn a_state_is_the_same_whichever_others_are_asked_for() {
    // In the second model norms come first. The last layer's state exists both unchanged and
    // normalized.
    let families = cfg!(all(feature = "families", not(target_arch = "wasm32")));
    let names = ["bert-base-gelu", "families/modernbert-base"];
    for name in names.into_iter().take(if families { 2 } else { 1 }) {
        let model = Golden::named(name).load("fp32").unwrap();
        let ids = [5, 6, 7, 8, 9, 10];
        let padded = Padded { length: 6, ids: &ids, mask: None, types: None, positions: None };
        let states = |states: Vec<usize>| {
            let (batch, _) = Batch::pack_padded(model.config(), padded).unwrap();
            let request = Request { batch, states, ..Request::default() };
            block_on(model.forward(request)).unwrap().states
        };
        let last = model.config().last_state();
        let all = states((0..=last).collect());
        assert_eq!(all.len(), last + 1, "{name}");
        for (n, state) in all.iter().enumerate() {
            assert_eq!(states(vec![n]), std::slice::from_ref(state), "{name}: state {n}");
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn tables_are_handed_over_block_by_block() {
    let model = Golden::named("bert-mlm").load("fp32").unwrap();
    let options = EncodeOptions::default();
    let text = model.tokenizer().unwrap().encode(&"a b ".repeat(20), None, &options).unwrap();
    let texts: Vec<Encoding> = std::iter::repeat_n(text, 40).flatten().collect();
    let blocks = Rc::new(Cell::new(0));
    let counted = Rc::clone(&blocks);
    let tick = || {
        counted.set(counted.get() + 1);
        go_on()
    };
    let mut handed = vec![None; texts.len()];
    let mut each = |n: usize, _| handed[n] = Some(blocks.get());
    block_on(model.compute_each(&texts, OutputRequest::States(&[0]), None, &tick, &mut each))
        .unwrap();
    let mut in_blocks: Vec<_> = handed.into_iter().map(Option::unwrap).collect();
    in_blocks.dedup();
    assert!(blocks.get() > 1);
    assert_eq!(in_blocks, (1..=blocks.get()).collect::<Vec<_>>());
}
