//! Columns of two matrices side by side, and sums of rows.

use super::*;

/// Returns the largest errors of columns and of a sum.
pub(crate) fn columns<B: Backend>(b: &mut B) -> [f64; 2] {
    let mut random = Random(41);
    let mut worst = 0.0;
    for (count, [left, right], ranges) in [
        (1, [4, 8], [0..4, 4..8]),
        (7, [33, 5], [3..20, 1..4]),
        (20, [10, 10], [5..10, 0..0]),
        (5, [9, 14], [2..9, 0..14]),
    ] {
        let (first, a) = rows(b, &mut random, count, left, (0.3, 1.0));
        let (second, other) = rows(b, &mut random, count, right, (-1.0, 2.0));
        let want: Table = (0..count)
            .flat_map(|row| {
                let left = a[row * left..].iter().skip(ranges[0].start).take(ranges[0].len());
                let right = other[row * right..].iter().skip(ranges[1].start);
                left.chain(right.take(ranges[1].len())).copied().collect::<Vec<_>>()
            })
            .collect();
        let mut y = B::Rows::default();
        b.columns([&first, &second], ranges, &mut y);
        worst = f64::max(worst, greatest(&read(b, &y), &want, |_| 1.0));
    }
    let (x, a) = rows(b, &mut random, 6, 7, (0.3, 1.0));
    let (mut y, other) = rows(b, &mut random, 6, 7, (0.1, 1.0));
    b.add(&x, &mut y);
    let want: Table = a.iter().zip(&other).map(|(x, y)| x + y).collect();
    [worst, greatest(&read(b, &y), &want, |_| 1.0)]
}
