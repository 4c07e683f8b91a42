//! Time per kernel, compared with the limit of the device.

use crate::peaks::Peaks;

/// All dispatches of a kernel with the same parameters.
struct KernelTimes {
    name: String,
    dispatches: usize,
    seconds: f64,
    /// Lower bound in seconds, by arithmetic or memory.
    bound: f64,
}

/// Prints the kernels that take more than one percent, and the ones with the largest potential
/// gain.
pub(crate) fn print(times: Vec<(String, f64)>, peaks: &Peaks, length: usize) {
    let mut kernels: Vec<KernelTimes> = Vec::new();
    for (name, seconds) in times {
        let bound = bound(&name, peaks, length);
        match kernels.iter_mut().find(|kernel| kernel.name == name) {
            Some(kernel) => {
                kernel.dispatches += 1;
                kernel.seconds += seconds;
                kernel.bound += bound;
            }
            None => kernels.push(KernelTimes { name, dispatches: 1, seconds, bound }),
        }
    }
    let all: f64 = kernels.iter().map(|kernel| kernel.seconds).sum();
    for kernel in kernels.iter().filter(|kernel| kernel.seconds > all / 100.0) {
        println!(
            "    {:52} {:3} dispatches {:8.3} ms, {:2.0} % of the time, {:3.0} % of its limit",
            kernel.name,
            kernel.dispatches,
            kernel.seconds * 1e3,
            100.0 * kernel.seconds / all,
            100.0 * kernel.bound / kernel.seconds
        );
    }
    let loss = |kernel: &KernelTimes| kernel.seconds - kernel.bound;
    if let Some(worst) = kernels.iter().max_by(|a, b| loss(a).total_cmp(&loss(b))) {
        println!("    most to gain: {}, {:.3} ms", worst.name, loss(worst) * 1e3);
    }
}

/// Returns the lower bound of a dispatch in seconds. Its name ends with its parameters, in the
/// order of the shader.
fn bound(name: &str, peaks: &Peaks, length: usize) -> f64 {
    let (kernel, params) = name.split_once(" [").unwrap_or((name, ""));
    let params: Vec<f64> =
        params.trim_end_matches(']').split(", ").filter_map(|n| n.parse().ok()).collect();
    let at = |n: usize| params.get(n).copied().unwrap_or_default();
    let (flops, bytes) = if kernel.starts_with("Linear") {
        let (rows, inputs, outputs) = (at(0), 4.0 * at(1), at(4));
        let quantized = kernel.contains("LinearQuantized");
        let is_int8 = quantized
            || kernel.contains("LinearRounded")
            || kernel.contains("I8")
            || kernel.contains("Int8");
        let weight = if is_int8 {
            1.125
        } else if kernel.contains("F16") {
            2.0
        } else {
            4.0
        };
        let quantized = quantized || kernel.contains("BarrierFree") && is_int8;
        let x = if quantized { 1.125 } else { 4.0 };
        let bytes = weight * inputs * outputs + x * rows * inputs + 4.0 * rows * outputs;
        (2.0 * rows * inputs * outputs, bytes)
    } else if kernel.starts_with("Attention") {
        (4.0 * at(6) * length as f64 * at(0), 16.0 * at(6) * at(0))
    } else if kernel.starts_with("Norm") {
        (8.0 * at(0) * at(1), 12.0 * at(0) * at(1))
    } else {
        // gather and quantize_rows: f32 numbers are read and written
        (0.0, 32.0 * at(0) * at(1))
    };
    let peak = match kernel {
        "LinearFewRowsInt8" => peaks.int8,
        name if name.starts_with("LinearQuantized") => peaks.int8,
        name if name.starts_with("LinearRounded") => peaks.int8,
        name if name.starts_with("LinearF16") => peaks.half,
        _ => peaks.single,
    };
    f64::max(flops / peak, bytes / peaks.bytes)
}
