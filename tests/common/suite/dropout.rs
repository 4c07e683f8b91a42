//! Dropout.

use super::finite_differences::put;
use super::*;
use webert::backend::train::{Dropout, Train};
use webert_kernels::philox4x32;

/// Returns the dropout factor of the element in this row and column.
pub(super) fn factor(dropout: &Dropout, row: usize, column: usize) -> f64 {
    let key = [dropout.seed as u32, (dropout.seed >> 32) as u32];
    let counter = [(column / 4) as u32, row as u32, dropout.site, dropout.step];
    let word = philox4x32(counter, key)[column % 4];
    let stays = f64::from(word) >= (f64::from(dropout.rate) * 2.0_f64.powi(32)).round();
    if stays { 1.0 / (1.0 - f64::from(dropout.rate)) } else { 0.0 }
}

/// Returns the dropout factors `[rows, columns]`; ones without dropout. An oracle that is called for
/// each finite difference computes them once.
pub(super) fn factors(dropout: Option<&Dropout>, rows: usize, columns: usize) -> Table {
    (0..rows * columns)
        .map(|n| dropout.map_or(1.0, |of| factor(of, n / columns, n % columns)))
        .collect()
}

/// Returns the largest error against the formula. Zeros must be in the same places.
pub(crate) fn dropout<B: Train>(b: &mut B) -> f64 {
    let mut worst = 0.0;
    for (rows, cols) in [(1, 1), (1, 7), (5, 16), (33, 19), (9, 384), (2, 1030)] {
        for (rate, seed, site, step) in
            [(0.1, 42, 0, 1), (0.5, u64::MAX - 5, 7, 0), (0.0, 1, 2, 3), (0.9, 1 << 40, 3, 900)]
        {
            let dropout = Dropout { rate, seed, site, step };
            let (mut x, before) = put(b, &Random(15).take(rows * cols), cols);
            b.dropout(&mut x, &dropout);
            let got = read(b, &x);
            let want: Table = (0..rows * cols)
                .map(|n| before[n] * factor(&dropout, n / cols, n % cols))
                .collect();
            let same = got.iter().zip(&want).all(|(got, want)| (*got == 0.0) == (*want == 0.0));
            assert!(same, "other elements are dropped: {dropout:?}");
            worst = f64::max(worst, greatest(&got, &want, |n| want[n].abs()));
        }
    }
    worst
}

/// Returns, in standard deviations, how far the share of zeros is from the rate and the mean is
/// from 1, over 90,000 ones. Also how far the share of elements that two sites, steps or seeds
/// treat alike is from chance.
pub(crate) fn dropout_statistics<B: Train>(b: &mut B) -> f64 {
    let (rows, cols) = (300, 300);
    let count = (rows * cols) as f64;
    let mut worst = 0.0;
    let mut dropped = |dropout: &Dropout| {
        let (mut x, _) = put(b, &vec![1.0; rows * cols], cols);
        b.dropout(&mut x, dropout);
        read(b, &x)
    };
    for rate in [0.1, 0.5] {
        let first = Dropout { rate, seed: 1, site: 2, step: 3 };
        let x = dropped(&first);
        let rate = f64::from(rate);
        let deviation = (rate * (1.0 - rate) / count).sqrt();
        let zeros = x.iter().filter(|&&x| x == 0.0).count() as f64 / count;
        let mean = x.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
        worst = f64::max(worst, (zeros - rate).abs() / deviation);
        worst = f64::max(worst, (mean - 1.0).abs() / deviation * (1.0 - rate));
        for other in [
            Dropout { seed: 2, ..first },
            Dropout { seed: 1 | 1 << 32, ..first },
            Dropout { site: 3, ..first },
            Dropout { step: 4, ..first },
        ] {
            let alike = x.iter().zip(dropped(&other)).filter(|(x, y)| **x == *y).count() as f64;
            let chance = rate * rate + (1.0 - rate) * (1.0 - rate);
            let deviation = (chance * (1.0 - chance) / count).sqrt();
            worst = f64::max(worst, (alike / count - chance).abs() / deviation);
        }
    }
    worst
}
