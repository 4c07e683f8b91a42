//! A roofline model of the forward pass: the work of each dispatch, as listed by the recorder, and
//! its lower bound in time on a device with given figures. docs/notes/webgpu.md describes what the
//! model includes.

mod banks;
mod devices;
mod work;

use webert::backend::gpu::{Dispatch, Gpu, GpuRows};
use webert::backend::{Backend, Precision};
use webert::model::encoder::{Scratch, Span, encode};

use crate::{MODELS, Model, Weights, batch};
use devices::Device;
use work::{Work, work};

/// Number of sequences, and tokens per sequence.
const WORKLOADS: [(usize, usize); 4] = [(1, 16), (1, 128), (1, 512), (32, 128)];
/// Clocks per barrier, a guess.
const BARRIER: f64 = 32.0;

/// Prints the dispatches of every case with their lower bounds. `arguments` name the device and its
/// figures. With `case=NAME`, only cases whose name contains NAME are printed, dispatch by
/// dispatch. With `tiles`, or `tiles=PARTS`, each case is printed in one line for each tile of linear.wgsl.
/// With `apart`, every norm and every table of embeddings has a dispatch of its own.
pub(crate) fn print(gpu: &mut Gpu, arguments: &[String]) -> Result<(), String> {
    let (wanted, arguments): (Vec<String>, Vec<String>) =
        arguments.iter().cloned().partition(|argument| argument.starts_with("case="));
    let wanted = wanted.first().and_then(|argument| argument.strip_prefix("case="));
    let (apart, arguments): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|argument| argument == "apart");
    gpu.set_fused(apart.is_empty());
    let (tiles, arguments): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|argument| argument.starts_with("tiles"));
    let parts = tiles.first().and_then(|tiles| tiles.split_once('=')?.1.parse().ok()).unwrap_or(1);
    let device = Device::parse(&arguments)?;
    let tilings: Vec<_> = match tiles.is_empty() {
        true => vec![None],
        // Sums over 768 inputs have this number of parts.
        false => gpu.tilings(false).into_iter().map(|tile| Some((tile, parts))).collect(),
    };
    gpu.set_barrier_free(false);
    gpu.set_low_precision(true);
    device.print();
    println!("On paper: nothing here is measured.");
    for model in MODELS.iter().filter(|model| model.layers > 2) {
        for precision in [Precision::F32, Precision::F16, Precision::I8] {
            for (count, length) in WORKLOADS {
                let name = format!("{} {precision:?} {count}x{length}", model.name);
                if wanted.is_some_and(|wanted| !name.contains(wanted)) {
                    continue;
                }
                for tiling in &tilings {
                    gpu.set_tiling(*tiling);
                    let dispatches = list(gpu, model, precision, count, length)?;
                    let tile = dispatches.iter().find_map(|dispatch| {
                        let tile = dispatch.kernel.rsplit(['(', ' ']).next()?;
                        let tile = tile.trim_end_matches(')');
                        tiling.filter(|_| tile.contains('/')).map(|_| format!("{name} {tile}"))
                    });
                    let detailed = wanted.is_some() && tiling.is_none();
                    let name = tile.as_ref().unwrap_or(&name);
                    print_case(name, &device, &dispatches, length, detailed);
                }
            }
        }
    }
    Ok(())
}

/// Returns the dispatches of a forward pass, as listed by the recorder.
fn list(
    gpu: &mut Gpu,
    model: &Model,
    precision: Precision,
    count: usize,
    length: usize,
) -> Result<Vec<Dispatch>, String> {
    gpu.begin_listing();
    let weights = Weights { gpu, precision, filled: false }.encoder(model);
    let span = Span { layers: model.layers, ..Span::default() };
    let mut scratch = Scratch::default();
    let batch = batch(count, length, crate::VOCABULARY);
    encode(gpu, &model.config(), &weights, batch, &mut scratch, &span)
        .map_err(|error| error.to_string())?;
    let mut first = GpuRows::default();
    gpu.gather(&scratch.state, &[0], &mut first);
    Ok(gpu.end_listing())
}

/// Lower bounds of a dispatch in seconds, by resource.
struct Bounds {
    /// Arithmetic, including cores that are idle at the end.
    arithmetic: f64,
    /// Workgroup memory, for the larger and for the smaller number of passes.
    shared: [f64; 2],
    /// Memory.
    memory: f64,
    /// The cache shared by all cores.
    cache: f64,
    /// Loads that depend on each other, and barriers.
    latency: f64,
    /// Workgroups per core that run at the same time.
    resident: f64,
}

impl Bounds {
    fn new(device: &Device, work: &Work) -> Self {
        let cores = device.get("cores");
        let lanes = device.get("lanes");
        let a_core = (work.workgroups / cores).ceil();
        // workgroups per core that run at the same time
        let resident = (device.get("threads") / work.threads)
            .min(1024.0 * device.get("storage") / work.storage.max(1.0))
            .min(device.get("workgroups"))
            .floor()
            .clamp(1.0, a_core);
        let busy = (resident * work.threads / lanes).min(1.0);
        // share of lanes in use: the last workgroups leave some idle
        let used = work.workgroups / (a_core * cores);
        let slots =
            work.floats + work.halves / device.get("half") * 2.0 + work.integers + work.dots;
        let slots =
            slots.max(work.integers / device.get("integer")).max(work.dots / device.get("dot"));
        let clock = 1.0 / device.clocks();
        let arithmetic = slots / (cores * lanes) * clock / used / busy;
        let pass = 128.0 / device.get("shared") / cores * clock / used;
        let shared = [work.shared.by_parts, work.shared.merged].map(|passes| passes * pass);
        let waves = (a_core / resident).ceil();
        let latency =
            waves * (work.steps * 1e-9 * device.get("latency") + work.barriers * BARRIER * clock);
        Self {
            arithmetic,
            shared,
            memory: work.bytes / (1e9 * device.get("memory")),
            cache: work.traffic / (1e9 * device.get("cache")),
            latency,
            resident,
        }
    }

    /// Returns the largest bound with its name, for the larger number of passes (0) or the smaller
    /// one (1).
    fn greatest(&self, passes: usize) -> (f64, &'static str) {
        let shared = self.shared[passes];
        let all = [
            (self.arithmetic, "arithmetic"),
            (shared, "workgroup memory"),
            (self.memory, "memory"),
            (self.cache, "cache"),
            // Work within a workgroup that no other workgroup can hide.
            (self.latency + self.arithmetic.max(shared) / self.resident, "waiting"),
        ];
        all.into_iter().fold((0.0, ""), |most, one| if one.0 > most.0 { one } else { most })
    }
}
/// Equal dispatches.
struct Kind<'a> {
    dispatch: &'a Dispatch,
    count: f64,
}

/// Counts equal dispatches.
fn kinds(dispatches: &[Dispatch]) -> Vec<Kind<'_>> {
    let mut kinds: Vec<Kind<'_>> = Vec::new();
    for dispatch in dispatches {
        let same = |kind: &&mut Kind<'_>| {
            kind.dispatch.kernel == dispatch.kernel
                && kind.dispatch.params == dispatch.params
                && kind.dispatch.constants == dispatch.constants
        };
        match kinds.iter_mut().find(same) {
            Some(kind) => kind.count += 1.0,
            None => kinds.push(Kind { dispatch, count: 1.0 }),
        }
    }
    kinds
}

fn print_case(name: &str, device: &Device, dispatches: &[Dispatch], length: usize, detailed: bool) {
    let launch = 1e-6 * device.get("launch");
    let mut totals = [1e-6 * device.get("submit"); 2];
    let mut flops = 0.0;
    for kind in kinds(dispatches) {
        let work = work(kind.dispatch, length);
        let bounds = Bounds::new(device, &work);
        let [(seconds, bound), (least, _)] = [0, 1].map(|passes| bounds.greatest(passes));
        totals[0] += kind.count * (seconds + launch);
        totals[1] += kind.count * (least + launch);
        flops += kind.count * work.flops;
        if !detailed {
            continue;
        }
        println!(
            "  {:3} x {:16} {:26} {:5} workgroups {:8.1} MFLOP {:6.2} MB {:7.1} us by {bound}, {:.0} to {:.0} % of peak; \
             us: arithmetic {:.1}, workgroup memory {:.1} or {:.1}, memory {:.1}, cache {:.1}, latency {:.1} ({} resident)",
            kind.count,
            kind.dispatch.kernel,
            shape(kind.dispatch),
            work.workgroups,
            work.flops / 1e6,
            work.bytes / 1e6,
            seconds * 1e6,
            100.0 * work.flops / device.peak() / seconds,
            100.0 * work.flops / device.peak() / least,
            bounds.arithmetic * 1e6,
            bounds.shared[0] * 1e6,
            bounds.shared[1] * 1e6,
            bounds.memory * 1e6,
            bounds.cache * 1e6,
            bounds.latency * 1e6,
            bounds.resident,
        );
    }
    let submissions = dispatches.last().map_or(0, |dispatch| dispatch.submission + 1);
    let share = |total: f64| 100.0 * flops / device.peak() / total;
    println!(
        "{name:24} {:3} dispatches in {submissions:2} submissions, {:8.3} GFLOP: {:8.2} to {:8.2} ms, of which launches {:.2}; \
         {:.0} to {:.0} % of peak",
        dispatches.len(),
        flops / 1e9,
        totals[1] * 1e3,
        totals[0] * 1e3,
        launch * dispatches.len() as f64 * 1e3,
        share(totals[0]),
        share(totals[1]),
    );
}

/// Returns the shape of a kernel's operands as text.
fn shape(dispatch: &Dispatch) -> String {
    let params = &dispatch.params;
    match dispatch.kernel.as_str() {
        kernel if kernel.starts_with("Linear") || kernel.starts_with("Normed") => {
            format!("{} x {} -> {}", params[0], 4 * params[1], params[4])
        }
        "Attention" => format!("{} x {}, heads of {}", params[6], params[0], params[1]),
        kernel if kernel.starts_with("AttentionOutput") => {
            format!("{} heads of {} -> {}", params[5], params[1], params[6])
        }
        "Norm" | "SumNorm" | "SumNormRead" | "Embed(F32)" | "Embed(F16)" | "Embed(I8)" => {
            format!("{} x {}", params[0], params[1])
        }
        _ => format!("{} x {}", params[0], 4 * params[1]),
    }
}
