//! Linear layers in int8.

use super::*;

/// Returns the largest error of a linear layer with int8 weights, in units of |x| · |w| /
/// sqrt(inputs). The device may quantize the rows as well. Rounding to -127..=127 causes an error
/// of 1 / 127 / sqrt(12) of the largest number, which is about three standard deviations for 384
/// numbers.
///
/// A row must not depend on other rows, bit for bit, nor on the buffers of a wider layer.
pub(crate) fn linear_int8<B: Backend>(b: &mut B) -> f64 {
    let mut random = Random(7);
    let mut worst = 0.0;
    let (wide, _) = matrix(b, &random.take(8 * 1200), 1200, Precision::I8);
    let zeros = vector(b, &[0.0; 8]);
    for (inputs, outputs) in [(10, 28), (28, 10), (7, 3), (384, 130), (96, 515), (1100, 20)] {
        let (huge, _) = rows(b, &mut random, 2, 1200, (0.0, 1e6));
        b.linear(&huge, &wide, &zeros, Activation::Identity, &mut B::Rows::default());
        let numbers = random.take(inputs * outputs);
        let (weight, _) = matrix(b, &numbers, inputs, Precision::I8);
        let shift = random.take(outputs);
        let bias = vector(b, &shift);
        let (x, exact) = rows(b, &mut random, 130, inputs, (0.1, 1.0));
        let mut y = B::Rows::default();
        b.linear(&x, &weight, &bias, Activation::Identity, &mut y);
        let all = read(b, &y);
        for (n, &got) in all.iter().enumerate() {
            let (x, w) =
                (&exact[n / outputs * inputs..][..inputs], &numbers[n % outputs * inputs..]);
            let pairs = || x.iter().zip(w).map(|(&x, &w)| (x, f64::from(w)));
            let want = pairs().map(|(x, w)| x * w).sum::<f64>() + f64::from(shift[n % outputs]);
            let lengths: f64 =
                pairs().map(|(x, _)| x * x).sum::<f64>() * pairs().map(|(_, w)| w * w).sum::<f64>();
            worst =
                f64::max(worst, (f64::from(got) - want).abs() / (lengths / inputs as f64).sqrt());
        }
        for count in (1..20).chain([32, 35, 61]) {
            let (mut some, mut few) = (B::Rows::default(), B::Rows::default());
            b.gather(&x, &(0..count).map(|n| n * 2).collect::<Vec<_>>(), &mut some);
            b.linear(&some, &weight, &bias, Activation::Identity, &mut few);
            for (n, row) in read(b, &few).chunks_exact(outputs).enumerate() {
                assert_eq!(row, &all[n * 2 * outputs..][..outputs], "row {n} of {count}");
            }
        }
    }
    worst
}
