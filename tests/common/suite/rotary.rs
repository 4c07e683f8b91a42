//! Rotary positions, small and large.

use super::*;

/// Returns the largest error.
pub(crate) fn rotary<B: Backend>(b: &mut B) -> f64 {
    let mut random = Random(19);
    let mut worst = 0.0;
    for (heads, head_dim, theta) in [(1, 2, 10_000.0), (3, 10, 160_000.0), (2, 64, 10_000.0)] {
        let width = heads * head_dim;
        let (mut qkv, mut want) = rows(b, &mut random, 13, 3 * width, (0.0, 1.0));
        let positions: Vec<u32> = (0..13).map(|row| row * 31 % 400).collect();
        for (row, position) in want.chunks_mut(3 * width).zip(&positions) {
            for head in row[..2 * width].chunks_mut(head_dim) {
                let half = head_dim / 2;
                for i in 0..half {
                    let frequency = f64::from(theta).powf(-2.0 * i as f64 / head_dim as f64);
                    let (sine, cosine) = (f64::from(*position) * frequency).sin_cos();
                    let (x, y) = (head[i], head[half + i]);
                    head[i] = x * cosine - y * sine;
                    head[half + i] = y * cosine + x * sine;
                }
            }
        }
        let batch = b.upload(Batch { positions, ..batch(13) }).unwrap();
        b.rotary(&mut qkv, &batch, heads, theta);
        worst = f64::max(worst, greatest(&read(b, &qkv), &want, |_| 1.0));
    }
    worst
}
