//! Sums of embeddings, and the gradients of the tables.

use super::embed::{ENTRIES, batch_of_entries};
use super::finite_differences::{dot, gradient_error, put};
use super::*;
use webert::backend::train::Train;

/// Returns the largest errors of the sums and of the gradients of the three tables.
pub(crate) fn embed_backward<B: Train>(b: &mut B) -> [f64; 2] {
    let mut random = Random(17);
    let mut worst = [0.0; 2];
    for (cols, count, typed) in [(1, 1, true), (10, 7, false), (28, 130, true), (384, 33, true)] {
        let held = ENTRIES.map(|entries| random.take(entries * cols));
        let [word, position, types] =
            held.each_ref().map(|numbers| matrix(b, numbers, cols, Precision::F32).0);
        let norm = zero_norm(b, cols, 0.0);
        let tables = Embeddings {
            position: Some(position),
            token_type: typed.then_some(types),
            norm: Some(norm),
            ..Embeddings::new(word)
        };
        let batch = batch_of_entries(count);
        let indices = [batch.ids.clone(), batch.positions.clone(), batch.types.clone()];
        let tables_used = if typed { 3 } else { 2 };
        let sums = |held: [&[f64]; 3]| -> Table {
            let number = |n: usize, which: usize| {
                held[which][indices[which][n / cols] as usize * cols + n % cols]
            };
            let sum = |n| (0..tables_used).map(|which| number(n, which)).sum();
            (0..count * cols).map(sum).collect()
        };
        let on_device = b.upload(batch).unwrap();
        let mut y = B::Rows::default();
        b.embed_sum(&tables, &on_device, &mut y);
        let exact = held.each_ref().map(|numbers| wide(numbers));
        let [words, positions, kinds] = exact.each_ref().map(|numbers| &numbers[..]);
        let want = sums([words, positions, kinds]);
        worst[0] = f64::max(worst[0], greatest(&read(b, &y), &want, |_| 1.0));

        let (dy, dys) = put(b, &random.take(count * cols), cols);
        let padding = Some(14); // id of the third token
        let mut gradients = ENTRIES.map(|entries| put(b, &random.take(entries * cols), cols));
        let before = gradients.each_ref().map(|(_, numbers)| numbers.clone());
        let [(word, _), (position, _), (kind, _)] = &mut gradients;
        b.embed_backward(&dy, &on_device, padding, word, Some(position), typed.then_some(kind));
        let of = |which: usize, table: &[f64]| {
            let mut held = [words, positions, kinds];
            held[which] = table;
            let mut dys = dys.clone();
            if which == 0 {
                let padded = |n: usize| Some(indices[0][n / cols]) == padding;
                dys.iter_mut()
                    .enumerate()
                    .filter(|(n, _)| padded(*n))
                    .for_each(|(_, dy)| *dy = 0.0);
            }
            dot(&sums(held), &dys) + dot(table, &before[which])
        };
        for which in 0..3 {
            let got = read(b, &gradients[which].0);
            let error = gradient_error(&got, &exact[which], |table| of(which, table));
            worst[1] = f64::max(worst[1], error);
        }
    }
    worst
}
