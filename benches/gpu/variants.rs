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
/// Precisions of the weights, each with true for arithmetic in as few bits.
const PRECISIONS: [(Precision, bool); 4] = [
    (Precision::I8, true),
    (Precision::F32, false),
    (Precision::F16, false),
    (Precision::F16, true),
];

/// Prints for each shape the times in µs of all variants, the fastest first. `only`: a precision,
/// as `I8`, and a number of rows.
pub(crate) fn print(gpu: &mut Gpu, only: &[String]) -> Result<(), webert::Error> {
    gpu.set_barrier_free(false);
    for (precision, low) in PRECISIONS {
        let is_wanted = only.first().is_none_or(|only| *only == format!("{precision:?}"));
        if !is_wanted || low && precision == Precision::F16 && !gpu.has_half() {
            continue;
        }
        gpu.set_low_precision(low);
        println!("{precision:?}, arithmetic in as few bits {low}: µs of a layer, by variant");
        for (inputs, outputs) in SHAPES {
            let table = filled(gpu, VOCABULARY, inputs, Precision::F32)?;
            let weight = filled(gpu, outputs, inputs, precision)?;
            let bias = gpu.vector(outputs)?;
            for rows in ROWS {
                if only.get(1).is_some_and(|only| *only != rows.to_string()) {
                    continue;
                }
                let mut x = GpuRows::default();
                let ids: Vec<u32> = (0..rows).map(|n| (n * 7919 % VOCABULARY) as u32).collect();
                gpu.lookup(&table, &ids, &mut x);
                let (times, today) = of_shape(gpu, (&x, rows), (&weight, precision), &bias)?;
                print_shape([rows, inputs, outputs], times, today);
            }
        }
    }
    Ok(())
}

/// The variant's name, the least seconds of a layer, and the result's sum of magnitudes.
type Timed = (String, f64, f64);

/// Times every variant, and the one that the device uses.
fn of_shape(
    gpu: &mut Gpu,
    (x, rows): (&GpuRows, usize),
    (weight, precision): (&<Gpu as Backend>::Matrix, Precision),
    bias: &<Gpu as Backend>::Vector,
) -> Result<(Vec<Timed>, Timed), webert::Error> {
    let integers = precision == Precision::I8;
    let mut times = Vec::new();
    for tile in gpu.tilings(integers) {
        for parts in PARTS.into_iter().take(if rows > 128 { 1 } else { 4 }) {
            gpu.set_tiling(Some((tile, parts)));
            let (name, seconds, sum) = timed(gpu, x, weight, bias)?;
            let name = if parts > 1 { format!("{name} by {parts}") } else { name };
            times.push((name, seconds, sum));
            if integers && (rows <= 512 || tile < 2) {
                gpu.set_rounding_tiling(tile, parts);
                let (name, seconds, sum) = timed(gpu, x, weight, bias)?;
                times.push((format!("{name} rounding by {parts}"), seconds, sum));
            }
        }
    }
    gpu.set_tiling(None);
    Ok((times, timed(gpu, x, weight, bias)?))
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

/// Times the variant in use.
fn timed(
    gpu: &mut Gpu,
    x: &GpuRows,
    weight: &<Gpu as Backend>::Matrix,
    bias: &<Gpu as Backend>::Vector,
) -> Result<Timed, webert::Error> {
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
    let kernel = |n: usize| times[n].0.split(" [").next().unwrap_or_default();
    let quantize = usize::from(kernel(0) == "QuantizeRows");
    let tile = kernel(quantize).rsplit([',', '(', ' ']).next().unwrap_or_default();
    let mut name = tile.trim_end_matches(')').to_owned();
    if quantize == 1 {
        let least = times.chunks(each).map(|layer| layer[0].1).fold(f64::INFINITY, f64::min);
        name += &format!(" (quantize {:.1})", least * 1e6);
    }
    Ok((name, least, sum))
}

fn print_shape([rows, inputs, outputs]: [usize; 3], mut times: Vec<Timed>, today: Timed) {
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
