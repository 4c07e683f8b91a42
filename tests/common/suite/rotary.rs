//! Rotary positions, small and large.

use super::*;

/// Returns the largest error.
pub(crate) fn rotary<B: Backend>(b: &mut B) -> f64 {
    let mut random = Random(19);
    let mut worst = 0.0;
    for (heads, head_dim, theta, interleaved, values) in [
        (1, 2, 10_000.0, false, false),
        (3, 10, 160_000.0, false, false),
        (2, 64, 10_000.0, false, false),
        (2, 64, 10_000.0, true, false),
        (3, 10, 160_000.0, false, true),
        (3, 6, 10_000.0, true, true),
    ] {
        let width = heads * head_dim;
        let (mut qkv, mut want) = rows(b, &mut random, 13, 3 * width, (0.0, 1.0));
        let positions: Vec<u32> = (0..13).map(|row| row * 31 % 400).collect();
        for (row, position) in want.chunks_mut(3 * width).zip(&positions) {
            let rotated = if values { 3 * width } else { 2 * width };
            for head in row[..rotated].chunks_mut(head_dim) {
                let half = head_dim / 2;
                for i in 0..half {
                    let frequency = f64::from(theta).powf(-2.0 * i as f64 / head_dim as f64);
                    let (sine, cosine) = (f64::from(*position) * frequency).sin_cos();
                    let [low, high] = if interleaved { [2 * i, 2 * i + 1] } else { [i, half + i] };
                    let (x, y) = (head[low], head[high]);
                    head[low] = x * cosine - y * sine;
                    head[high] = y * cosine + x * sine;
                }
            }
        }
        let batch = b.upload(Batch { positions, ..batch(13) }).unwrap();
        let mut by_table = copy(b, &qkv);
        let rotation = Rotation { theta, interleaved, values };
        b.rotary(&mut qkv, &batch, heads, &rotation, None);
        worst = f64::max(worst, greatest(&read(b, &qkv), &want, |_| 1.0));
        let half = head_dim / 2;
        let angle = |position: usize, i: usize| {
            position as f64 * f64::from(theta).powf(-2.0 * i as f64 / head_dim as f64)
        };
        let turn = |n: usize| match (n / head_dim, n % head_dim) {
            (position, i) if i < half => angle(position, i).sin() as f32,
            (position, i) => angle(position, i - half).cos() as f32,
        };
        let table = vector(b, &(0..400 * head_dim).map(turn).collect::<Vec<_>>());
        b.rotary(&mut by_table, &batch, heads, &Rotation { theta: 1.0, ..rotation }, Some(&table));
        worst = f64::max(worst, greatest(&read(b, &by_table), &want, |_| 1.0));
    }
    worst
}

fn copy<B: Backend>(b: &mut B, x: &B::Rows) -> B::Rows {
    let mut y = B::Rows::default();
    b.gather(x, &(0..13).collect::<Vec<_>>(), &mut y);
    y
}
