//! Rotary position embeddings (RoFormer: Su et al. 2021). Queries and keys are rotated by angles
//! proportional to their position, so that their product depends only on their distance.
//!
//! ```text
//! angle = position · theta^(-2i / head_dim)
//! x' = x · cos(angle) - y · sin(angle)
//! y' = y · cos(angle) + x · sin(angle)
//! ```
//!
//! The pair (x, y) is columns i and i + head_dim / 2 of a head, or columns 2i and 2i + 1.

use std::array::from_fn;

use crate::simd::F32x4;
use crate::threads::parallel_rows;
use crate::{Rows, Workspace};

/// Rows per work item.
const BAND: usize = 4;

/// The columns that are rotated, and their angles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rotation {
    /// The base of the angles.
    pub theta: f32,
    /// If true, columns 2i and 2i + 1 of a head are a pair. If false, columns i and i + head_dim / 2
    /// are.
    pub interleaved: bool,
    /// If true, values are rotated like queries and keys.
    pub values: bool,
}

/// Rotates the queries and keys of `qkv`, `[rows, 3 · width]`: queries, keys, values, and within
/// each of them the heads side by side. `positions` is `[rows]`; `head_dim` must be even. `table`, if
/// given, has the sines and then the cosines of each position, `[positions, head_dim]`; `theta` is then
/// not used.
pub fn rotary(
    qkv: &mut Rows,
    positions: &[u32],
    heads: usize,
    rotation: &Rotation,
    table: Option<&[f32]>,
    workspace: &mut Workspace,
) {
    let (cols, bands) = (qkv.cols, qkv.rows.div_ceil(BAND));
    let head_dim = cols / 3 / heads;
    let half = head_dim / 2;
    // Frequencies are rounded to f32 before they are multiplied, as in transformers. At position
    // 8000 the last digits differ otherwise.
    let frequency =
        |i: usize| f64::from(rotation.theta).powf(-(2.0 * i as f64) / head_dim as f64) as f32;
    let frequencies: Vec<f32> = (0..half).map(frequency).collect();
    let rotated = if rotation.values { cols } else { 2 * cols / 3 };
    let turn = if rotation.interleaved { turn_neighbours } else { turn };
    parallel_rows(&mut workspace.threads, &mut qkv.data, cols, bands, &|local, first, rows| {
        local.row.resize(head_dim);
        let (cosines, sines) = local.row.split_at_mut(half);
        for (row, position) in rows.chunks_exact_mut(cols).zip(&positions[first..]) {
            if let Some(table) = table {
                let known = &table[*position as usize * head_dim..][..head_dim];
                sines.copy_from_slice(&known[..half]);
                cosines.copy_from_slice(&known[half..]);
            } else {
                let turns = cosines.iter_mut().zip(&mut *sines).zip(&frequencies);
                for ((cosine, sine), frequency) in turns {
                    (*sine, *cosine) = (*position as f32 * frequency).sin_cos();
                }
            }
            for head in row[..rotated].chunks_exact_mut(head_dim) {
                turn(head, cosines, sines);
            }
        }
    });
}

/// Rotates the pairs of one head of one row.
fn turn(head: &mut [f32], cosines: &[f32], sines: &[f32]) {
    let (xs, ys) = head.split_at_mut(cosines.len());
    let ((xs, x_rest), (ys, y_rest)) = (xs.as_chunks_mut::<4>(), ys.as_chunks_mut::<4>());
    let ((cosines, last_cosines), (sines, last_sines)) = (cosines.as_chunks(), sines.as_chunks());
    for ((x, y), (cosines, sines)) in xs.iter_mut().zip(ys).zip(cosines.iter().zip(sines)) {
        let [turned_x, turned_y] = turned([F32x4::load(x), F32x4::load(y)], cosines, sines);
        turned_x.store(x);
        turned_y.store(y);
    }
    let last = last_cosines.iter().zip(last_sines);
    for ((x, y), (cosine, sine)) in x_rest.iter_mut().zip(y_rest).zip(last) {
        (*x, *y) = (*x * cosine - *y * sine, *y * cosine + *x * sine);
    }
}

/// Like [`turn`], for pairs of neighbours.
fn turn_neighbours(head: &mut [f32], cosines: &[f32], sines: &[f32]) {
    let (fours, rest) = head.as_chunks_mut::<2>().0.as_chunks_mut::<4>();
    let ((cosines, last_cosines), (sines, last_sines)) = (cosines.as_chunks(), sines.as_chunks());
    for (pairs, (cosines, sines)) in fours.iter_mut().zip(cosines.iter().zip(sines)) {
        let of_pairs = [0, 1].map(|part| F32x4::load(&from_fn(|n| pairs[n][part])));
        let turned = turned(of_pairs, cosines, sines).map(F32x4::to_array);
        *pairs = from_fn(|n| turned.map(|numbers| numbers[n]));
    }
    for ([x, y], (cosine, sine)) in rest.iter_mut().zip(last_cosines.iter().zip(last_sines)) {
        (*x, *y) = (*x * cosine - *y * sine, *y * cosine + *x * sine);
    }
}

/// Returns four pairs (x, y), rotated.
#[inline(always)]
fn turned([x, y]: [F32x4; 2], cosines: &[f32; 4], sines: &[f32; 4]) -> [F32x4; 2] {
    let (cosines, sines) = (F32x4::load(cosines), F32x4::load(sines));
    [x * cosines - y * sines, y * cosines + x * sines]
}
