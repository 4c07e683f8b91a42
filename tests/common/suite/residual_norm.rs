//! LayerNorm in front of a layer, and the mean of a sequence's tokens.

use super::*;

/// The kinds that a build has.
const KINDS: &[NormKind] = if cfg!(feature = "families") {
    &[NormKind::Layer, NormKind::Rms, NormKind::Affine]
} else {
    &[NormKind::Layer]
};

/// Returns the largest error of the sums and their norms, and of norms of each kind by themselves.
pub(crate) fn residual_norm<B: Backend>(b: &mut B) -> f64 {
    let mut random = Random(29);
    let mut worst = 0.0;
    for (count, cols) in [(1, 4), (7, 33), (20, 96)] {
        for &kind in KINDS {
            let (mut x, first) = rows(b, &mut random, count, cols, (0.3, 1.0));
            let (mut residual, second) = rows(b, &mut random, count, cols, (-1.0, 2.0));
            let (weight, bias) = (random.take(cols), random.take(cols));
            let norm = Norm { weight: vector(b, &weight), bias: vector(b, &bias), eps: 1e-5, kind };
            let of = |x: &[f64]| -> Table {
                x.chunks(cols).flat_map(|row| of_kind(kind, row, &weight, &bias)).collect()
            };
            let sums: Table = first.iter().zip(&second).map(|(x, y)| x + y).collect();
            let same: Vec<u32> = (0..count as u32).collect();
            let (mut alone, mut added) = (B::Rows::default(), B::Rows::default());
            b.gather(&x, &same, &mut alone);
            b.gather(&x, &same, &mut added);
            b.norm(&mut alone, &norm);
            b.add_norm(&mut added, &residual, &norm);
            b.residual_norm(&mut x, &mut residual, &norm);
            worst = f64::max(worst, greatest(&read(b, &alone), &of(&first), |_| 1.0));
            for (got, want) in [(&added, of(&sums)), (&residual, sums.clone()), (&x, of(&sums))] {
                worst = f64::max(worst, greatest(&read(b, got), &want, |_| 1.0));
            }
        }
    }
    worst
}

/// Returns a norm of this kind of one row.
fn of_kind(kind: NormKind, row: &[f64], weight: &[f32], bias: &[f32]) -> Vec<f64> {
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    let center = if kind == NormKind::Layer { mean } else { 0.0 };
    let squares = row.iter().map(|x| (x - center).powi(2)).sum::<f64>();
    let deviation = match kind {
        NormKind::Affine => 1.0,
        _ => (squares / row.len() as f64 + 1e-5).sqrt(),
    };
    let scale = weight.iter().zip(bias);
    let each = row.iter().zip(scale);
    each.map(|(x, (w, b))| (x - center) / deviation * f64::from(*w) + f64::from(*b)).collect()
}

/// Returns the largest error of rows times factors.
pub(crate) fn scale_rows<B: Backend>(b: &mut B) -> f64 {
    let (mut x, exact) = rows(b, &mut Random(37), 19, 10, (0.5, 1.0));
    let factors: Vec<f32> = (0..19).map(|row| row as f32 / 4.0 - 1.0).collect();
    b.scale_rows(&mut x, &factors);
    let scaled = exact.chunks(10).zip(&factors);
    let want: Table =
        scaled.flat_map(|(row, factor)| row.iter().map(|x| x * f64::from(*factor))).collect();
    greatest(&read(b, &x), &want, |_| 1.0)
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
