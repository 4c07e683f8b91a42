//! The forward pass against Hugging Face's: every head, every layer's states, attention.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use common::{GOLDENS, Golden, difference, dims, flat, inputs, outputs};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::model::{Outputs, Tensor};

/// f32 against f32: the goldens themselves differ from an f64 forward pass by 1.2e-5.
const TOLERANCE: f64 = 1e-4;

#[wasm_bindgen_test(unsupported = test)]
fn every_output_equals_the_reference() {
    let (mut passed, mut failed) = (0, Vec::new());
    for golden in GOLDENS {
        let mut model = golden.load("auto").unwrap();
        for case in golden.cases() {
            let all = case["outputs"].get("attentions").is_some();
            let got = outputs(&mut model, &inputs(&case), all).unwrap();
            for (name, want) in case["outputs"].as_object().unwrap() {
                for (part, difference) in
                    compare(golden, &got, name, want, &case["inputs"]["attention_mask"])
                {
                    if difference.as_ref().is_ok_and(|&difference| difference <= TOLERANCE) {
                        passed += 1;
                    } else {
                        failed.push(format!(
                            "{} {} {part}: {difference:?}",
                            golden.name, case["name"]
                        ));
                    }
                }
            }
        }
    }
    assert!(failed.is_empty(), "{passed} equal, {} not:\n{}", failed.len(), failed.join("\n"));
    assert!(passed >= 170, "only {passed} outputs compared");
}

/// Each tensor of one named output, with its greatest difference at unmasked positions.
fn compare(
    golden: &Golden,
    got: &Outputs,
    name: &str,
    want: &Value,
    mask: &Value,
) -> Vec<(String, Result<f64, String>)> {
    let list = match name {
        "hidden_states" => &got.hidden_states,
        "attentions" => &got.attentions,
        _ => {
            let Some((_, tensor)) = got.tensors.iter().find(|(n, _)| *n == name) else {
                return vec![(name.to_owned(), Err("is not there".to_owned()))];
            };
            return vec![(
                name.to_owned(),
                difference(tensor, &masked(golden, name, want, mask, tensor)),
            )];
        }
    };
    let wanted = want.as_array().unwrap();
    assert_eq!(list.len(), wanted.len(), "{name}");
    let each = list.iter().zip(wanted).enumerate();
    each.map(|(n, (got, want))| {
        (format!("{name}[{n}]"), difference(got, &masked(golden, name, want, mask, got)))
    })
    .collect()
}

/// The reference with zeros at masked positions, as webert gives them. `want` is
/// `[batch, length, …]` or, for attention, `[batch, heads, length, length]`.
fn masked(golden: &Golden, name: &str, want: &Value, mask: &Value, got: &Tensor) -> Value {
    let mut want = want.clone();
    let by_token = got.dims.len() > 2
        || matches!(name, "start_logits" | "end_logits")
        || golden.name == "electra-discriminator";
    if mask.is_null() || dims(mask).len() != 2 || !by_token {
        return want;
    }
    let length = dims(mask)[1];
    let zero = |value: &Value| {
        let mut value = value.clone();
        fill(&mut value);
        value
    };
    for (b, row) in mask.as_array().unwrap().iter().enumerate() {
        for (i, kept) in flat(row).iter().enumerate().filter(|(_, kept)| **kept == 0.0) {
            assert_eq!(*kept, 0.0);
            match want[b].as_array().map(Vec::len) {
                Some(_) if name != "attentions" => want[b][i] = zero(&want[b][i]),
                Some(heads) => {
                    for head in 0..heads {
                        want[b][head][i] = zero(&want[b][head][i]);
                        for query in 0..length {
                            want[b][head][query][i] = json!(0.0);
                        }
                    }
                }
                None => panic!("{name} has no row for each position"),
            }
        }
    }
    want
}

fn fill(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(fill),
        other => *other = json!(0.0),
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_sequence_never_depends_on_its_batch_mates() {
    let golden = Golden::named("bert-base-gelu");
    let mut model = golden.load("auto").unwrap();
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
fn half_widths_and_int8_stay_near() {
    let mut f32s = Golden::named("bert-base-gelu").load("fp32").unwrap();
    let case = &Golden::named("bert-base-gelu").cases()[0];
    let exact = outputs(&mut f32s, &inputs(case), false).unwrap();
    // of the greatest magnitude: f16 has 11 bits of mantissa, a row of int8 7 bits below its greatest
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
