//! The k largest scores of each row.

use super::*;

/// Takes the k largest of rows with many equal numbers. Columns must be exact. Returns the largest
/// relative error of the softmax sum.
pub(crate) fn top_k<B: Backend>(b: &mut B) -> f64 {
    let mut random = Random(9);
    let mut worst = 0.0;
    for (cols, k) in [(3, 1), (10, 10), (70, 5), (515, 64), (3000, 7)] {
        for count in [1, 3, 33] {
            // 0 · x + bias: every row has the same scores, and many are equal.
            let scores: Vec<f32> = random.take(cols).iter().map(|v| (v * 20.0).round()).collect();
            let (x, _) = rows(b, &mut random, count, 4, (0.0, 1.0));
            let (weight, _) = matrix(b, &vec![0.0; 4 * cols], 4, Precision::F32);
            let bias = vector(b, &scores);
            let (mut logits, mut best) = (B::Rows::default(), B::Rows::default());
            b.linear(&x, &weight, &bias, Activation::Identity, &mut logits);
            b.top(&logits, k, &mut best);
            let mut order: Vec<usize> = (0..cols).collect();
            order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a])); // stable sort
            let sum: f64 = scores.iter().map(|s| f64::from(s - scores[order[0]]).exp()).sum();
            let got = read(b, &best);
            assert_eq!(got.len(), count * (1 + 2 * k));
            for row in got.chunks(1 + 2 * k) {
                let columns = order.iter().take(k);
                let values: Vec<f32> = columns.clone().map(|&n| scores[n]).collect();
                assert_eq!(row[1..=k], values);
                assert_eq!(row[1 + k..], columns.map(|&n| n as f32).collect::<Vec<_>>());
                worst = f64::max(worst, (f64::from(row[0]) / sum - 1.0).abs());
            }
        }
    }
    worst
}
