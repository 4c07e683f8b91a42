//! Convolutions of the CPU: depthwise, and with kernels of each token.

use super::*;

/// Returns the largest errors of the depthwise and of the span-based convolution. Masked tokens are
/// neighbours, missing ones are not.
pub(crate) fn depthwise<B: Backend>(b: &mut B) -> [f64; 2] {
    let mut random = Random(43);
    let mut worst = [0.0; 2];
    for (heads, width, taps) in [(1, 1, 1), (2, 3, 3), (4, 5, 9), (3, 8, 5)] {
        let cols = heads * width;
        let (host, columns, sequences) = gaps();
        let batch = b.upload(host).unwrap();
        let (x, exact) = rows(b, &mut random, columns.len(), cols, (0.5, 2.0));
        let weights = random.take(cols * taps);
        let (kernels, scores) = rows(b, &mut random, columns.len(), heads * taps, (0.0, 1.0));
        let mut want = [Vec::new(), Vec::new()];
        for sequence in &sequences {
            for row in sequence.rows.clone() {
                for column in 0..cols {
                    let kernel = &scores[(row * heads + column / width) * taps..][..taps];
                    let sum: f64 = kernel.iter().map(|score| score.exp()).sum();
                    let mut sums = [0.0; 2];
                    for tap in 0..taps {
                        let place = i64::from(columns[row]) + tap as i64 - (taps / 2) as i64;
                        let mut others = sequence.rows.clone();
                        let from = others.find(|&other| i64::from(columns[other]) == place);
                        let value = from.map_or(0.0, |from| exact[from * cols + column]);
                        sums[0] += f64::from(weights[column * taps + tap]) * value;
                        sums[1] += kernel[tap].exp() / sum * value;
                    }
                    want[0].push(sums[0]);
                    want[1].push(sums[1]);
                }
            }
        }
        let weights = vector(b, &weights);
        let (mut static_kernels, mut dynamic) = (B::Rows::default(), B::Rows::default());
        b.depthwise(&x, &weights, &batch, &mut static_kernels);
        b.span_convolution(&x, &kernels, &batch, heads, &mut dynamic);
        for (n, got) in [&static_kernels, &dynamic].into_iter().enumerate() {
            worst[n] = f64::max(worst[n], greatest(&read(b, got), &want[n], |_| 1.0));
        }
    }
    worst
}
