//! Attention over few rows and the layer after it.

use super::attention::attended;
use super::*;

/// Heads, columns of a head, columns of the layer's result, and lengths of the sequences.
pub(crate) type Shape<'a> = ([usize; 3], &'a [usize]);

/// Returns the largest errors of attention, and of the layer over its result in units of Σ |x · w|.
pub(crate) fn attention_output<B: Backend>(
    b: &mut B,
    precision: Precision,
    shapes: &[Shape<'_>],
) -> [f64; 2] {
    let mut random = Random(43);
    let mut worst = [0.0; 2];
    for &([heads, head_dim, outputs], lengths) in shapes {
        let width = heads * head_dim;
        let mut sequences = Vec::new();
        let mut start = 0;
        for (n, length) in lengths.iter().enumerate() {
            // the first token of one sequence is masked
            let keys = start + usize::from(n == 1)..start + length;
            sequences.push(Sequence { rows: start..start + length, keys });
            start += length;
        }
        let (qkv, exact) = rows(b, &mut random, start, 3 * width, (0.0, 2.0));
        let (weight, weights) = matrix(b, &random.take(outputs * width), width, precision);
        let shift = random.take(outputs);
        let bias = vector(b, &shift);
        let [ids, types, positions] = [(); 3].map(|()| vec![0; start]);
        let batch = Batch { ids, types, positions, sequences, ..Batch::default() };
        let (want, _) = attended(&exact, &batch, heads, head_dim);
        let batch = b.upload(batch).unwrap();
        let [mut x, mut y] = [(); 2].map(|()| B::Rows::default());
        b.attention(&qkv, &batch, heads, &mut x, None);
        b.linear(&x, &weight, &bias, Activation::Identity, &mut y);
        let got = pollster::block_on(b.read(&[&x, &y])).unwrap();
        worst[0] = f64::max(worst[0], greatest(&got[0], &want, |_| 1.0));
        let at = |n: usize| {
            let (x, w) = (&want[n / outputs * width..], &weights[n % outputs * width..]);
            x.iter().zip(w).take(width).map(|(x, w)| x * w)
        };
        let want: Table = (0..start * outputs)
            .map(|n| at(n).sum::<f64>() + f64::from(shift[n % outputs]))
            .collect();
        let size = |n| at(n).map(f64::abs).sum();
        worst[1] = f64::max(worst[1], greatest(&got[1], &want, size));
    }
    worst
}
