//! Time of each variant of the linear layers, by shape.

use pollster::block_on;
use webert::backend::gpu::{Gpu, GpuRows};
use webert::backend::{Activation, Backend, Precision};

use crate::VOCABULARY;

/// Rows of the layers.
const ROWS: [usize; 5] = [16, 64, 128, 512, 4096];
/// Inputs and outputs of the layers of MiniLM and BERT-base.
const SHAPES: [(usize, usize); 8] = [
    (384, 1152),
    (384, 384),
    (384, 1536),
    (1536, 384),
    (768, 2304),
    (768, 768),
    (768, 3072),
    (3072, 768),
];
/// Parts that the sums of a row are computed in.
const PARTS: [u32; 4] = [1, 2, 4, 8];
/// Number of timed dispatches, of which the least counts.
const REPEATS: usize = 6;

/// Prints for each shape the times in µs of all variants, the fastest first.
pub(crate) fn print(gpu: &mut Gpu) -> Result<(), webert::Error> {
    for precision in [Precision::F32, Precision::F16] {
        for low in [false, true] {
            if low && (precision == Precision::F32 || !gpu.has_half()) {
                continue;
            }
            gpu.set_low_precision(low);
            println!("{precision:?}, 16-bit arithmetic {low}: µs of a layer, by variant");
            for (inputs, outputs) in SHAPES {
                let table = filled(gpu, VOCABULARY, inputs, Precision::F32)?;
                let weight = filled(gpu, outputs, inputs, precision)?;
                let bias = gpu.vector(outputs)?;
                for rows in ROWS {
                    let mut x = GpuRows::default();
                    let ids: Vec<u32> = (0..rows).map(|n| (n * 7919 % VOCABULARY) as u32).collect();
                    gpu.lookup(&table, &ids, &mut x);
                    let mut times = Vec::new();
                    for tile in gpu.tilings() {
                        for parts in PARTS.into_iter().take(if rows > 128 { 1 } else { 4 }) {
                            gpu.set_tiling(Some((tile, parts)));
                            times.push(timed(gpu, &x, &weight, &bias)?);
                        }
                    }
                    gpu.set_tiling(None);
                    let today = timed(gpu, &x, &weight, &bias)?;
                    print_shape([rows, inputs, outputs], times, today);
                }
            }
        }
    }
    Ok(())
}

/// Returns a matrix of numbers.
fn filled(
    gpu: &mut Gpu,
    rows: usize,
    cols: usize,
    precision: Precision,
) -> Result<<Gpu as Backend>::Matrix, webert::Error> {
    let mut matrix = gpu.matrix(rows, cols, precision)?;
    let values: Vec<f32> =
        (0..rows * cols).map(|n| (n * 7919 % 2003) as f32 / 1001.0 - 1.0).collect();
    gpu.write(&mut matrix, 0, &values);
    Ok(matrix)
}

/// Returns the variant's name, the least seconds of a layer, and the result's sum of magnitudes.
fn timed(
    gpu: &mut Gpu,
    x: &GpuRows,
    weight: &<Gpu as Backend>::Matrix,
    bias: &<Gpu as Backend>::Vector,
) -> Result<(String, f64, f64), webert::Error> {
    let mut y = GpuRows::default();
    gpu.linear(x, weight, bias, Activation::Identity, &mut y);
    block_on(gpu.read(&[]))?;
    assert!(gpu.time(), "the device has no clock");
    for _ in 0..REPEATS {
        gpu.linear(x, weight, bias, Activation::Identity, &mut y);
    }
    let mut some = GpuRows::default();
    gpu.gather(&y, &[0, 1, 4], &mut some);
    let sums = block_on(gpu.read(&[&some]))?;
    let sum = sums[0].iter().map(|v| f64::from(v.abs())).sum();
    let mut times = gpu.times();
    times.truncate(times.len() / REPEATS * REPEATS);
    let each = times.len() / REPEATS;
    let least = times
        .chunks(each)
        .map(|layer| layer.iter().map(|(_, seconds)| seconds).sum())
        .fold(f64::INFINITY, f64::min);
    let kernel = times[0].0.split(" [").next().unwrap_or_default();
    let tile = kernel.split(", ").nth(1).unwrap_or(kernel).trim_end_matches(')');
    let name = if each > 1 { format!("{tile} in parts") } else { tile.to_owned() };
    Ok((name, least, sum))
}

fn print_shape(
    [rows, inputs, outputs]: [usize; 3],
    mut times: Vec<(String, f64, f64)>,
    today: (String, f64, f64),
) {
    times.sort_by(|a, b| a.1.total_cmp(&b.1));
    let flops = (2 * rows * inputs * outputs) as f64;
    let shown: Vec<String> =
        times.iter().map(|(name, seconds, _)| format!("{name} {:.1}", seconds * 1e6)).collect();
    println!(
        "{rows} × {inputs} → {outputs}: {:.1} TFLOP/s, chosen {} {:.1}; {}",
        flops / times[0].1 / 1e12,
        today.0,
        today.1 * 1e6,
        shown.join(", ")
    );
    for (name, _, sum) in &times {
        if (sum / today.2 - 1.0).abs() > 1e-3 {
            println!("    WRONG: {name}: {sum} {}", today.2);
        }
    }
}
