//! Ids, masks, types and positions from a caller. They yield finite tensors with the expected
//! shapes, each sequence as if it were alone, or `bad_input`.

use std::future::Future;
use std::pin::Pin;

use webert::Result;
use webert::backend::cpu::Cpu;
use webert::config::HeadKind;
use webert::engine::{Inputs, Model, Outputs, Tensor};

use super::check::allowed;
use super::source::Source;
use super::tiny::{HEADS, POSITIONS, VOCABULARY, with_model};

pub fn run(data: &[u8]) -> bool {
    let mut source = Source::new(data);
    let kind = source.one_of(&HEADS);
    let inputs = inputs(&mut source, kind);
    with_model(kind, |model| {
        let Some(outputs) = allowed(outputs(model, &inputs), &["bad_input"]) else { return false };
        check_shapes(&inputs, &outputs);
        for place in 0..inputs.dims[0] {
            let alone = outputs_of(model, &part(&inputs, place));
            check_same(&inputs, &outputs, &alone, place);
        }
        true
    })
}

/// Returns inputs that are mostly valid. Each third byte of choices may make them invalid.
fn inputs(source: &mut Source<'_>, kind: HeadKind) -> Inputs {
    let choices = source.byte();
    let length = 1 + source.below(POSITIONS);
    let batch = 1 + source.below(3);
    let mut dims =
        if kind == HeadKind::MultipleChoice { vec![batch, 2, length] } else { vec![batch, length] };
    match choices >> 4 {
        14 => dims.push(1),
        15 => dims[0] = usize::MAX,
        _ => {}
    }
    let count = dims.iter().fold(1, |product: usize, dim| product.saturating_mul(*dim)).min(128);
    let vocab = if choices & 8 == 8 { VOCABULARY.len() + 1 } else { VOCABULARY.len() };
    let ids = source.numbers(count, vocab);
    let mask = (choices & 1 == 1).then(|| source.numbers(count, 3));
    let types =
        (choices & 2 == 2).then(|| source.numbers(count, 2 + usize::from(choices & 8 == 8)));
    let positions = (choices & 4 == 4).then(|| source.numbers(count, POSITIONS));
    Inputs { dims, ids, mask, types, positions }
}

fn go_on() -> Pin<Box<dyn Future<Output = Result<()>>>> {
    Box::pin(async { Ok(()) })
}

fn outputs(model: &Model<Cpu>, inputs: &Inputs) -> Result<Outputs> {
    pollster::block_on(model.outputs(inputs, true, true, &go_on))
}

fn outputs_of(model: &Model<Cpu>, inputs: &Inputs) -> Outputs {
    outputs(model, inputs).expect("what is taken in a batch is taken alone")
}

/// Returns all tensors.
fn all(outputs: &Outputs) -> impl Iterator<Item = &Tensor> {
    let named = outputs.tensors.iter().map(|(_, tensor)| tensor);
    named.chain(&outputs.hidden_states).chain(&outputs.attentions)
}

fn check_shapes(inputs: &Inputs, outputs: &Outputs) {
    assert!(
        !outputs.tensors.is_empty()
            && outputs.hidden_states.len() == 3
            && outputs.attentions.len() == 2
    );
    for tensor in all(outputs) {
        assert_eq!(tensor.dims.iter().product::<usize>(), tensor.data.len(), "{:?}", tensor.dims);
        assert!(tensor.data.iter().all(|number| number.is_finite()), "{inputs:?}: {tensor:?}");
    }
    for tensor in outputs.tensors.iter().map(|(_, tensor)| tensor) {
        assert_eq!(tensor.dims[0], inputs.dims[0], "{:?}", tensor.dims);
    }
}

/// Returns one entry of the batch.
fn part(inputs: &Inputs, place: usize) -> Inputs {
    let each = inputs.ids.len() / inputs.dims[0];
    let of = |values: &Vec<u32>| values[place * each..(place + 1) * each].to_vec();
    let mut dims = inputs.dims.clone();
    dims[0] = 1;
    Inputs {
        dims,
        ids: of(&inputs.ids),
        mask: inputs.mask.as_ref().map(of),
        types: inputs.types.as_ref().map(of),
        positions: inputs.positions.as_ref().map(of),
    }
}

fn check_same(inputs: &Inputs, together: &Outputs, alone: &Outputs, place: usize) {
    for (all, one) in all(together).zip(all(alone)) {
        let each = one.data.len();
        let part = &all.data[place * each..(place + 1) * each];
        let greatest = part.iter().zip(&one.data).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(greatest <= 1e-4, "{inputs:?}: sequence {place} differs by {greatest}");
    }
}
