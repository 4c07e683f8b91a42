//! The work of a dispatch. It is counted from the shader and from the machine code that Mesa
//! generates for AMD's RDNA 2, including wgpu's bounds checks; see docs/notes/webgpu.md.

use super::banks::{Passes, SUBGROUP, passes};
use webert::backend::gpu::Dispatch;

/// The work of a dispatch.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    /// Operations for the result, two per multiply-add.
    pub(crate) flops: f64,
    /// Instructions of all invocations: 32-bit floats, pairs of 16-bit floats, integers, and
    /// products of four 8-bit integers.
    pub(crate) floats: f64,
    pub(crate) halves: f64,
    pub(crate) integers: f64,
    pub(crate) dots: f64,
    /// Bytes that must be read from and written to memory, each once.
    pub(crate) bytes: f64,
    /// Bytes loaded and stored by all workgroups.
    pub(crate) traffic: f64,
    /// Passes of all subgroups over workgroup memory.
    pub(crate) shared: Passes,
    /// Loads of a workgroup that wait for the previous one.
    pub(crate) steps: f64,
    /// Barriers per workgroup.
    pub(crate) barriers: f64,
    pub(crate) workgroups: f64,
    /// Invocations per workgroup.
    pub(crate) threads: f64,
    /// Workgroup memory in bytes.
    pub(crate) storage: f64,
}

impl Work {
    fn new(workgroups: [u32; 3], threads: f64, storage: f64) -> Self {
        Self {
            flops: 0.0,
            floats: 0.0,
            halves: 0.0,
            integers: 0.0,
            dots: 0.0,
            bytes: 0.0,
            traffic: 0.0,
            shared: Passes::NONE,
            steps: 0.0,
            barriers: 0.0,
            workgroups: workgroups.map(f64::from).iter().product(),
            threads,
            storage,
        }
    }

    /// Adds instructions per invocation, repeated `times` times.
    fn run(&mut self, [floats, halves, integers, dots]: [f64; 4], times: f64) {
        let all = self.workgroups * self.threads * times;
        self.floats += all * floats;
        self.halves += all * halves;
        self.integers += all * integers;
        self.dots += all * dots;
    }

    /// Adds loads of more parts of sums, `numbers` each, that do not wait for each other.
    fn reading(mut self, parts: f64, numbers: f64) -> Self {
        self.bytes += 4.0 * parts * numbers;
        self.traffic += 4.0 * parts * numbers;
        self
    }

    /// Adds what shared/x_normed.wgsl does for up to 32 rows: every workgroup passes twice over the
    /// rows and their residual, then adds the residual and normalizes as it loads x.
    fn normalizing(mut self, rows: f64, groups: f64) -> Self {
        let lanes = (self.threads / rows).floor().max(1.0);
        let turns = (groups / lanes).ceil();
        self.flops += 8.0 * rows * 4.0 * groups;
        self.bytes += 8.0 * rows * 4.0 * groups;
        // The second pass and the layer's own loads find most of this in the core's cache.
        self.traffic += self.workgroups * 8.0 * rows * 4.0 * groups;
        // Four loads of a pass are under way at a time.
        self.steps += (turns / 4.0).ceil() + 2.0;
        self.barriers += 4.0;
        self.storage += 1536.0;
        self.run([8.0, 0.0, 12.0, 0.0], turns);
        self.run([12.0, 0.0, 12.0, 0.0], turns);
        self.run([lanes * 2.0 + 20.0, 0.0, lanes * 2.0 + 20.0, 0.0], 1.0);
        // Each load of x: the residual's, and two multiply-adds for four columns.
        let loads = 4.0 * rows * groups / 4.0 / self.threads;
        self.run([16.0, 0.0, 20.0, 0.0], loads);
        self
    }

    /// Adds accesses to workgroup memory per subgroup, repeated `times` times.
    fn access(&mut self, passes: Passes, times: f64) {
        let subgroups = self.workgroups * (self.threads / f64::from(SUBGROUP)).ceil();
        self.shared = self.shared.and(passes.times(subgroups * times));
    }
}

/// Returns the work of a dispatch over sequences of `length` tokens.
///
/// # Panics
/// Panics if the kernel is not part of a forward pass on a GPU.
pub(crate) fn work(dispatch: &Dispatch, length: usize) -> Work {
    let at = |n: usize| f64::from(dispatch.params[n]);
    let normed = dispatch.kernel.strip_prefix("Normed(").and_then(|k| k.strip_suffix(')'));
    let kernel = normed.unwrap_or(&dispatch.kernel);
    let linear = |weight| Linear { rows: at(0), groups: at(1), count: at(4), weight };
    let variant = kernel.split_once('(').map_or("", |(_, variant)| variant.trim_end_matches(')'));
    let (precision, tile) = variant.split_once(", ").unwrap_or((variant, variant));
    let weight = match precision {
        "F32" => 4.0,
        "F16" | "Bf16" => 2.0,
        _ => 1.125,
    };
    let constant = |name| dispatch.constants.iter().find(|(n, _)| *n == name).map_or(0.0, |c| c.1);
    let workgroups = dispatch.workgroups;
    let work = match kernel.split_once('(').map_or(kernel, |(name, _)| name) {
        name @ ("Linear" | "LinearF16") => {
            linear(weight).floats(workgroups, &Tile::parse(tile), name == "LinearF16")
        }
        name @ ("LinearQuantized" | "LinearRounded") => {
            linear(weight).integers(workgroups, &Tile::parse(tile), name == "LinearRounded")
        }
        "QuantizeRows" => quantize_rows(workgroups, at(0), at(1)),
        "LinearFewRows" => linear(weight).few_rows(workgroups),
        "LinearFewRowsInt8" => linear(weight).few_rows_int8(workgroups),
        "Attention" => attention(workgroups, [at(6), at(0), at(1)], length),
        "AttentionOutput" => {
            attention_output(workgroups, [at(0), at(1), at(5), at(6)], length, weight)
        }
        "Norm" => norm(workgroups, at(0), at(1)),
        "SumNorm" | "SumNormRead" => {
            norm(workgroups, at(0), at(1)).reading(constant("PARTS") - 1.0, at(0) * at(1))
        }
        "LinearSumParts" => sum_parts(workgroups, at(0) * at(2), constant("PARTS")),
        "Embed" => embed(workgroups, at(0), at(1), weight),
        "Gather" => gather(workgroups, at(0) * at(1), weight, constant("ADD")),
        other => panic!("the work of {other} is not known"),
    };
    if normed.is_some() { work.normalizing(at(0), at(1)) } else { work }
}

/// A variant of linear.wgsl, as its kernel's name writes it.
struct Tile {
    height: u32,
    width: u32,
    /// Rows and columns per invocation.
    rows: u32,
    columns: u32,
    slices: u32,
    /// Groups of inputs per step.
    groups: u32,
    /// Steps in workgroup memory.
    buffers: u32,
}

impl Tile {
    /// Parses rows × columns of the tile, rows × columns of an invocation, slices, groups and buffers.
    fn parse(name: &str) -> Self {
        let numbers: Vec<u32> = name.split(['x', '/']).filter_map(|n| n.parse().ok()).collect();
        let [height, width, rows, columns, slices, groups, buffers] = numbers[..] else {
            panic!("the tile {name} is not known");
        };
        Self { height, width, rows, columns, slices, groups, buffers }
    }
}

/// A linear layer.
struct Linear {
    rows: f64,
    /// Groups of four inputs.
    groups: f64,
    count: f64,
    /// Bytes per weight.
    weight: f64,
}

impl Linear {
    fn base(&self, workgroups: [u32; 3], threads: f64, storage: f64) -> Work {
        let inputs = 4.0 * self.groups;
        let mut work = Work::new(workgroups, threads, storage);
        work.flops = 2.0 * self.rows * inputs * self.count;
        let weights = self.weight * inputs * self.count;
        work.bytes = weights + 4.0 * self.rows * (inputs + self.count);
        work
    }

    /// linear.wgsl. A load's instructions are counted in RADV's code for tiles of 64.
    fn floats(&self, workgroups: [u32; 3], tile: &Tile, half: bool) -> Work {
        let &Tile { height, width, rows, columns, slices, groups, buffers } = tile;
        let across = width / columns;
        let threads = f64::from(across * (height / rows) * slices);
        let operand = if half { 8.0 } else { 16.0 };
        let sums = if slices > 1 { 4.0 * f64::from(height * width) } else { 0.0 };
        let storage = operand * f64::from(groups * buffers * (height + width)) + sums;
        let mut work = self.base(workgroups, threads, storage);
        let steps = (self.groups / f64::from(groups)).ceil();
        work.steps = steps + 2.0;
        work.barriers = 2.0 * steps / f64::from(buffers);
        let products = f64::from(4 * groups / slices * rows * columns);
        let products = if half { products * 0.75 } else { products };
        let loads = f64::from(groups * (height + width)) / threads;
        let [floats, halves] =
            if half { [products / 3.0, products * 2.0 / 3.0] } else { [products, 0.0] };
        work.run([floats, halves, 4.0, 0.0], steps);
        work.run([0.0, 0.0, 12.0 * loads, 0.0], steps);
        let stores = f64::from(rows * columns);
        work.run([6.0 * stores, 0.0, 6.0 * stores, 0.0], 1.0); // activation and stores
        let words = if half { 2 } else { 4 };
        let of_columns = passes(words, |n| n % across).times(f64::from(columns));
        let of_rows = passes(words, |n| n / across).times(f64::from(rows));
        work.access(of_columns.and(of_rows), f64::from(groups / slices) * steps);
        work.access(passes(words, |n| n), loads * steps);
        let size = f64::from(height) * 4.0 + f64::from(width) * self.weight;
        work.traffic = work.workgroups * size * 4.0 * self.groups + 4.0 * self.rows * self.count;
        work
    }

    /// linear.wgsl in integers, over quantized rows or rows that it quantizes. A group is 16
    /// inputs, and two are a block.
    fn integers(&self, workgroups: [u32; 3], tile: &Tile, rounds: bool) -> Work {
        let &Tile { height, width, rows, columns, slices, groups, buffers } = tile;
        let across = width / columns;
        let threads = f64::from(across * (height / rows) * slices);
        let sums = if slices > 1 { 4.0 * f64::from(height * width) } else { 0.0 };
        let storage = 18.0 * f64::from(groups * buffers * (height + width)) + sums;
        let mut work = self.base(workgroups, threads, storage);
        let inputs = 4.0 * self.groups;
        let x = if rounds { 4.0 } else { 1.125 };
        work.bytes -= (4.0 - x) * self.rows * inputs;
        let steps = (inputs / f64::from(16 * groups)).ceil();
        work.steps = steps + 2.0;
        work.barriers = 2.0 * steps / f64::from(buffers);
        let results = f64::from(rows * columns);
        let blocks = f64::from(groups / slices / 2) * steps;
        // The number of a sum, the product of two scales, and their product.
        work.run([3.0 * results, 0.0, 4.0, 8.0 * results], blocks);
        let loads = f64::from(groups * (height + width)) / threads;
        work.run([2.0 * loads, 0.0, 24.0 * loads, 0.0], steps);
        if rounds {
            // Invocations without a block to quantize wait for the others.
            let turns = (f64::from(groups / 2 * height) / threads).ceil();
            work.run([185.0, 0.0, 90.0, 0.0], turns * steps);
            work.steps += steps; // rows are loaded after the barrier
        }
        work.run([6.0 * results, 0.0, 6.0 * results, 0.0], 1.0); // activation and stores
        let vectors = passes(4, |n| n % across).times(f64::from(2 * columns));
        let vectors = vectors.and(passes(4, |n| n / across).times(f64::from(2 * rows)));
        let scales = passes(1, |n| n % across).times(f64::from(columns));
        let scales = scales.and(passes(1, |n| n / across).times(f64::from(rows)));
        work.access(vectors.and(scales), blocks);
        // Of the invocations that load the groups of a row, each second one stores a scale.
        let scale = passes(1, |n| n / groups + n % groups / 2 * height);
        work.access(passes(4, |n| n).and(scale), loads * steps);
        let size = f64::from(height) * x + f64::from(width) * 1.125;
        work.traffic = work.workgroups * size * inputs + 4.0 * self.rows * self.count;
        work
    }

    /// linear_few_rows.wgsl: eight invocations per output, which read neighbouring groups.
    fn few_rows(&self, workgroups: [u32; 3]) -> Work {
        let mut work = self.base(workgroups, 64.0, 1024.0);
        let turns = (self.groups / 8.0).ceil();
        work.steps = turns + 2.0;
        work.barriers = 1.0;
        work.run([if self.rows > 1.0 { 20.0 } else { 5.0 }, 0.0, 16.0, 0.0], turns);
        work.run([30.0, 0.0, 50.0, 0.0], 1.0);
        work.access(passes(4, |n| n).and(passes(4, |n| n / 8 * 8).times(8.0)), 1.0);
        let x = work.workgroups * 8.0 * 4.0 * self.groups * 4.0 * self.rows;
        work.traffic = x + self.weight * 4.0 * self.groups * self.count;
        work
    }

    /// linear_few_rows_int8.wgsl: eight invocations per four outputs.
    fn few_rows_int8(&self, workgroups: [u32; 3]) -> Work {
        let mut work = self.base(workgroups, 64.0, 4096.0);
        let turns = (self.groups / 64.0).ceil();
        work.steps = turns * (1.0 + self.rows) + 2.0;
        work.barriers = 1.0;
        work.run([4.0, 0.0, 36.0, 0.0], turns);
        work.run([220.0, 0.0, 170.0, 32.0], turns * self.rows);
        work.run([100.0, 0.0, 60.0, 0.0], 1.0);
        work.access(passes(4, |n| n).and(passes(4, |n| n / 8 * 8).times(8.0)), self.rows);
        let x = work.workgroups * 8.0 * 4.0 * self.groups * 4.0 * self.rows;
        work.traffic = x + self.weight * 4.0 * self.groups * self.count;
        work
    }
}

/// attention.wgsl: a workgroup handles 16 queries of a head, with 16 keys per step.
fn attention(workgroups: [u32; 3], [rows, width, head_dim]: [f64; 3], length: usize) -> Work {
    let mut work = Work::new(workgroups, 64.0, 14336.0);
    let keys = length as f64;
    let groups = head_dim / 4.0;
    let tiles = (keys / 16.0).ceil();
    let turns = (groups / 4.0).ceil();
    work.flops = 4.0 * rows * keys * width;
    work.bytes = 16.0 * rows * width;
    // Queries and results once; keys and values for each block of queries.
    work.traffic = 8.0 * rows * width + work.workgroups * keys * head_dim * 8.0;
    work.steps = tiles * turns + 4.0;
    work.barriers = 4.0 * tiles;
    // Counted for heads of 16 and of 8 groups: a term per group and a constant one.
    work.run([33.0 * groups + 26.0, 0.0, 0.75 * groups + 33.0, 0.0], tiles);
    work.run([0.0, 0.0, 60.0, 0.0], turns * tiles);
    let query = passes(4, |n| n / 4);
    let key = passes(4, |n| n % 4).times(4.0);
    let value = passes(4, |n| n % 4);
    let share = passes(4, |n| n / 4 * 4);
    let of_group = |n: u32| n / groups as u32;
    let store_key = passes(4, |n| n % groups as u32 * 16 + of_group(n) % 4 * 4 + of_group(n) / 4);
    let store_value = passes(4, |n| of_group(n) * 16 + n % groups as u32);
    work.access(query.and(key), groups * tiles);
    work.access(value, 16.0 * turns * tiles);
    work.access(share, 8.0 * tiles); // scores for the maximum, exps for the sum and the products
    work.access(passes(4, |n| n), 2.0 * tiles);
    work.access(store_key.and(store_value), turns * tiles);
    work
}

/// attention_output.wgsl: a workgroup computes attention of four queries for all heads, and multiplies
/// it with the weights of some columns.
fn attention_output(
    [across, queries, _]: [u32; 3],
    [width, head_dim, heads, outputs]: [f64; 4],
    length: usize,
    weight: f64,
) -> Work {
    // Workgroups without queries end at once.
    let queries = queries.min(queries / 4 * length.div_ceil(4) as u32);
    let mut work = Work::new([across, queries, 1], 256.0, 16384.0);
    let across = f64::from(across);
    let (rows, keys) = (4.0 * f64::from(queries), (length as f64 / 4.0).ceil() * 4.0);
    let (groups, head_groups) = (width / 4.0, head_dim / 4.0);
    work.flops = 4.0 * rows * keys * width + 2.0 * rows * width * outputs;
    let result = 4.0 * rows * (width + outputs);
    work.bytes = 12.0 * rows * width + weight * width * outputs + result;
    let weights = f64::from(queries) * weight * width * outputs;
    work.traffic = work.workgroups * 4.0 * width * (2.0 * keys + 4.0) + weights + result;
    let scores = (heads * keys / 256.0).ceil();
    let values = (groups / 256.0).ceil();
    let tiles = (outputs / 64.0 / across).ceil();
    let turns = tiles * (groups / 16.0).ceil();
    // The list, queries, keys of a score, four values at a time, and four weights at a time.
    work.steps = 3.0 + scores + values * keys / 4.0 + turns;
    work.barriers = 3.0 + 8.0 * tiles;
    let queries_loaded = (4.0 * groups / 256.0).ceil();
    work.run([4.0, 0.0, 16.0, 0.0], queries_loaded);
    work.run([16.0 * head_groups + 8.0, 0.0, 5.0 * head_groups + 24.0, 0.0], scores);
    work.run([4.0 * keys, 0.0, keys, 0.0], values); // greatest score
    work.run([120.0, 0.0, 40.0, 0.0], values * keys / 4.0);
    work.run([64.0, 0.0, 40.0, 0.0], turns);
    work.run([80.0, 0.0, 120.0, 0.0], tiles); // sums over invocations, bias and stores
    let lanes = passes(4, |n| n);
    work.access(lanes, queries_loaded + scores + 4.0 * values + 4.0 * tiles);
    // Queries of a key's head; scores of a group's head; the attention of four rows.
    work.access(passes(4, |n| n / keys as u32), 4.0 * head_groups * scores);
    work.access(passes(4, |n| n / head_groups as u32 * keys as u32), 2.0 * keys * values);
    work.access(passes(4, |n| n % 16), 4.0 * turns);
    work.access(passes(1, |n| n), 64.0 * tiles);
    work
}

/// norm.wgsl: a workgroup per row, with three passes over the row.
fn norm(workgroups: [u32; 3], rows: f64, width: f64) -> Work {
    let mut work = Work::new(workgroups, 64.0, 1024.0);
    let turns = (width / 256.0).ceil();
    work.flops = 8.0 * rows * width;
    work.bytes = 12.0 * rows * width;
    work.traffic = 24.0 * rows * width;
    work.steps = 3.0 * turns;
    work.barriers = 14.0;
    work.run([40.0, 0.0, 60.0, 0.0], turns);
    work.run([50.0, 0.0, 60.0, 0.0], 1.0);
    work.access(passes(4, |n| n), 2.0 * 20.0);
    work
}

/// quantize_rows.wgsl: an invocation per block.
fn quantize_rows(workgroups: [u32; 3], rows: f64, groups: f64) -> Work {
    let mut work = Work::new(workgroups, 32.0, 0.0);
    work.bytes = (4.0 + 1.125) * 4.0 * rows * groups;
    work.traffic = work.bytes;
    work.steps = 2.0;
    work.run([185.0, 0.0, 90.0, 0.0], 1.0);
    work
}

/// embed.wgsl and norm.wgsl: the rows of three tables are loaded in the first of the three passes.
fn embed(workgroups: [u32; 3], rows: f64, width: f64, weight: f64) -> Work {
    let mut work = norm(workgroups, rows, width);
    let turns = (width / 256.0).ceil();
    let tables = 3.0 * rows * width;
    work.flops += tables;
    work.bytes = tables * weight + 4.0 * rows * width;
    work.traffic += tables * weight;
    work.steps += 1.0; // the row numbers
    work.run([12.0, 0.0, 60.0, 0.0], turns);
    work
}

/// linear_sum_parts.wgsl: an invocation per group of y.
fn sum_parts(workgroups: [u32; 3], numbers: f64, parts: f64) -> Work {
    let mut work = Work::new(workgroups, 64.0, 0.0);
    work.bytes = 4.0 * numbers;
    work.traffic = work.bytes;
    work.steps = 2.0;
    work.run([8.0 + 4.0 * parts, 0.0, 40.0 + 6.0 * parts, 0.0], 1.0);
    work.reading(parts, numbers)
}

/// gather.wgsl: an invocation per group.
fn gather(workgroups: [u32; 3], groups: f64, weight: f64, add: f64) -> Work {
    let mut work = Work::new(workgroups, 64.0, 0.0);
    work.bytes = 4.0 * groups * (weight + 4.0 + 4.0 * add);
    work.traffic = work.bytes + 4.0 * groups;
    work.steps = 2.0;
    work.run([4.0, 0.0, 40.0, 0.0], 1.0);
    work
}
