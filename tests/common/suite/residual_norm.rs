//! LayerNorm in front of a layer, and the mean of a sequence's tokens.

use super::*;

/// Returns the largest error of the sums and their norms.
pub(crate) fn residual_norm<B: Backend>(b: &mut B) -> f64 {
    let mut random = Random(29);
    let mut worst = 0.0;
    for (count, cols) in [(1, 4), (7, 33), (20, 96)] {
        let (mut x, first) = rows(b, &mut random, count, cols, (0.3, 1.0));
        let (mut residual, second) = rows(b, &mut random, count, cols, (-1.0, 2.0));
        let (weight, bias) = (random.take(cols), random.take(cols));
        let norm = Norm {
            weight: vector(b, &weight),
            bias: vector(b, &bias),
            eps: 1e-5,
            kind: NormKind::Layer,
        };
        let sums: Table = first.iter().zip(&second).map(|(x, y)| x + y).collect();
        let normed = sums.chunks(cols).flat_map(|row| {
            let mean = row.iter().sum::<f64>() / cols as f64;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / cols as f64;
            let scaled = move |x: &f64| (x - mean) / (variance + 1e-5).sqrt();
            let shifted = row.iter().map(scaled).zip(weight.iter().zip(&bias));
            shifted.map(|(x, (weight, bias))| x * f64::from(*weight) + f64::from(*bias))
        });
        let want: Table = normed.collect();
        b.residual_norm(&mut x, &mut residual, &norm);
        worst = f64::max(worst, greatest(&read(b, &residual), &sums, |_| 1.0));
        worst = f64::max(worst, greatest(&read(b, &x), &want, |_| 1.0));
    }
    worst
}

/// Returns the largest error of the means of three sequences. The first token of one of them is
/// masked.
pub(crate) fn mean<B: Backend>(b: &mut B) -> f64 {
    let (x, exact) = rows(b, &mut Random(31), 12, 10, (0.5, 1.0));
    let keys = [0..1, 2..7, 7..12];
    let rows = [0..1, 1..7, 7..12].into_iter().zip(keys.clone());
    let sequences = rows.map(|(rows, keys)| Sequence { rows, keys }).collect();
    let batch = b.upload(Batch { sequences, ..batch(12) }).unwrap();
    let mut y = B::Rows::default();
    b.mean(&x, &batch, &mut y);
    let mean = |keys: &std::ops::Range<usize>, column| {
        keys.clone().map(|row| exact[row * 10 + column]).sum::<f64>() / keys.len() as f64
    };
    let want: Table =
        keys.iter().flat_map(|keys| (0..10).map(move |column| mean(keys, column))).collect();
    greatest(&read(b, &y), &want, |_| 1.0)
}
