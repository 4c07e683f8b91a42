//! Measures the variants of a device's kernels and chooses the fastest, in a bounded time.

use super::choice::{Class, Op, Shape, Variant};
use super::clock::seconds_now;
use super::record::MULTIPLY_ADDS;
use super::{Gpu, GpuBatch, GpuMatrix, GpuRows, GpuVector, MAX_HEAD_DIM};
use crate::Result;
use crate::backend::{Activation, Backend, Precision};
use crate::batch::{Batch, Sequence};

/// Seconds that the whole measurement may take.
const BUDGET: f64 = 0.3;
/// Seconds of work per timing. Browsers round the device's clock and their own to 0.1 ms.
const WORK: f64 = 0.002;
/// Largest number of calls per timing.
const MOST_CALLS: usize = 64;
/// Error of a timing, in seconds.
const NOISE: f64 = 0.0002;
/// A variant that is this many times as slow as the fastest is not timed again.
const CLEAR: f64 = 1.3;
/// The default is kept unless another variant takes at most this share of its time.
const GAIN: f64 = 0.97;
/// Inputs and outputs of the measured layer.
const WIDTH: usize = 768;
/// Dispatches of a pass through a small model.
const DISPATCHES: usize = 48;
/// Columns of the rows that a small dispatch reads.
const SMALL_WIDTH: usize = 64;
/// A forecast divides inputs and outputs, or heads, by this number.
const FORECAST: usize = 4;
/// Part of [`BUDGET`] after which a request is not repeated.
const REPEATED: f64 = 0.1;

/// Seconds of a submission on a measured device, which cannot draw meanwhile.
const SUBMISSION: f64 = 0.02;

/// Times the calls of variants.
pub(super) trait Timer {
    /// Returns the seconds since some moment.
    fn now(&self) -> f64;
    /// Returns about the seconds that a call of this class by this variant will take, from a call
    /// with a part of its work.
    async fn forecast(&mut self, class: Class, variant: Variant) -> Result<f64>;
    /// Returns the seconds of a call of this class by this variant, as the mean of `calls`.
    async fn time(&mut self, class: Class, variant: Variant, calls: usize) -> Result<f64>;
}

/// The fastest variant of a class, and the seconds that a call takes.
pub(super) type Fastest = (Class, Variant, f64);

/// Measures classes in order and returns the fastest variant of each. Stops before a timing that
/// would exceed `budget` seconds; a class without a finished timing of its default is left out,
/// except for the first class, which then has the forecast of its default.
/// Errors: those of the timer.
pub(super) async fn fastest(
    timer: &mut impl Timer,
    classes: &[(Class, Vec<Variant>)],
    budget: f64,
) -> Result<Vec<Fastest>> {
    let end = timer.now() + budget;
    let mut found = Vec::new();
    // Seconds per multiply-add of the slowest variant of the class before.
    let mut pace = 0.0;
    for (class, variants) in classes {
        let work = multiply_adds(*class) as f64;
        let mut times = Times::default();
        for variant in variants {
            // The first class has no class before it.
            let forecast =
                if pace > 0.0 { pace * work } else { timer.forecast(*class, *variant).await? };
            if timer.now() + times.longest().max(forecast) > end {
                if pace == 0.0 && times.0.is_empty() {
                    times.push(forecast);
                }
                break;
            }
            times.push(timer.time(*class, *variant, 1).await?);
        }
        pace = times.longest() / work;
        times.refine(timer, (*class, variants), end).await?;
        if let Some(best) = times.best() {
            found.push((*class, variants[best], times.0[best].0));
        }
        if times.0.len() < variants.len() {
            break;
        }
    }
    Ok(found)
}

/// Seconds per call of each variant, and their greatest error.
#[derive(Default)]
struct Times(Vec<(f64, f64)>);

impl Times {
    fn push(&mut self, seconds: f64) {
        self.0.push((seconds, NOISE));
    }

    fn longest(&self) -> f64 {
        self.0.iter().fold(0.0, |most, (seconds, _)| most.max(*seconds))
    }

    fn shortest(&self) -> f64 {
        self.0.iter().fold(f64::INFINITY, |least, (seconds, _)| least.min(*seconds))
    }

    /// Returns true if a variant may be the fastest, by the timings so far.
    fn is_near(&self, n: usize) -> bool {
        let (seconds, error) = self.0[n];
        seconds - error <= CLEAR * self.shortest()
    }

    /// Times the variants that may be the fastest twice more, with more calls. Ends early if only
    /// one is left.
    async fn refine(
        &mut self,
        timer: &mut impl Timer,
        (class, variants): (Class, &[Variant]),
        end: f64,
    ) -> Result<()> {
        for _ in 0..2 {
            let near: Vec<usize> = (0..self.0.len()).filter(|n| self.is_near(*n)).collect();
            if near.len() < 2 {
                break;
            }
            for n in near {
                let (seconds, error) = self.0[n];
                let calls = calls(class, seconds);
                if timer.now() + calls as f64 * seconds > end {
                    return Ok(());
                }
                let again = timer.time(class, variants[n], calls).await?;
                let known = if error == NOISE { again } else { again.min(seconds) };
                self.0[n] = (known, NOISE / calls as f64);
            }
        }
        Ok(())
    }

    /// Returns the fastest variant: the default, unless another one is faster by more than
    /// [`GAIN`].
    fn best(&self) -> Option<usize> {
        let limit = GAIN * self.0.first()?.0;
        let mut best = 0;
        for (n, (seconds, _)) in self.0.iter().enumerate().skip(1) {
            if *seconds < limit && (best == 0 || *seconds < self.0[best].0) {
                best = n;
            }
        }
        Some(best)
    }
}

/// Returns the number of calls for a timing of about [`WORK`] seconds, in one submission.
fn calls(class: Class, seconds: f64) -> usize {
    let wanted = (WORK / seconds.max(1e-6)) as usize;
    let fitting = MULTIPLY_ADDS / multiply_adds(class);
    wanted.clamp(1, MOST_CALLS).min(fitting.max(1) as usize)
}

/// Returns the rows with which a class is measured.
fn rows((op, shape): Class) -> usize {
    match (op, shape) {
        (Op::Attention, _) => 256,
        (_, Shape::Few) => 3, // as in the self-test, which has compiled the kernel for them
        (_, Shape::Short) => 16,
        (_, Shape::Medium) => 128,
        (_, Shape::Large) => 512,
        (_, Shape::Many) => 4096,
    }
}

/// Returns the multiply-adds of a measured call.
fn multiply_adds(class: Class) -> u64 {
    let (rows, width) = (rows(class) as u64, WIDTH as u64);
    if class.0 == Op::Attention { 2 * rows * rows * width } else { rows * width * width }
}

/// A measurement: the parameters of the measured calls, whose values are zeros.
struct Measurement<'a> {
    gpu: &'a mut Gpu,
    /// Weights of whole calls, and of calls with a part of the work.
    weights: [Vec<GpuMatrix>; 2],
    bias: GpuVector,
    batch: GpuBatch,
    /// Seconds of a request without work.
    request: f64,
    /// Seconds of each small dispatch in a request.
    dispatch: f64,
}

impl<'a> Measurement<'a> {
    async fn new(gpu: &'a mut Gpu, precisions: &[Precision]) -> Result<Self> {
        let mut weights = [Vec::new(), Vec::new()];
        for (matrices, width) in weights.iter_mut().zip([WIDTH, WIDTH / FORECAST]) {
            for precision in precisions {
                matrices.push(gpu.matrix(width, width, *precision)?);
            }
        }
        let bias = gpu.vector(WIDTH)?;
        let length = rows((Op::Attention, Shape::Medium));
        let sequences = vec![Sequence { rows: 0..length, keys: 0..length }];
        let [ids, types, positions] = [(); 3].map(|()| vec![0; length]);
        let batch = gpu.upload(Batch { ids, types, positions, sequences, ..Batch::default() })?;
        let mut measurement = Self { gpu, weights, bias, batch, request: 0.0, dispatch: 0.0 };
        measurement.request = measurement.request_of(0).await?;
        measurement.dispatch = (measurement.request_of(DISPATCHES).await? - measurement.request)
            .max(0.0)
            / DISPATCHES as f64;
        measurement.gpu.recording.begin_timestamps(&measurement.gpu.device.raw);
        Ok(measurement)
    }

    /// Returns the seconds of a request of this many small dispatches, by the host's clock.
    async fn request_of(&mut self, dispatches: usize) -> Result<f64> {
        let mut least = f64::INFINITY;
        for _ in 0..3 {
            let (mut x, mut y) = (GpuRows::default(), GpuRows::default());
            self.gpu.shape(&mut x, 1, SMALL_WIDTH);
            let start = self.now();
            for _ in 0..dispatches {
                self.gpu.top(&x, 1, &mut y);
            }
            self.gpu.submit(&[], |_| ()).await?;
            let passed = self.now() - start;
            least = least.min(passed);
            if passed > REPEATED * BUDGET {
                break;
            }
        }
        Ok(least)
    }

    /// Records a call. `part`: the index of its weights.
    fn record(&mut self, class: Class, part: usize, x: &GpuRows, y: &mut GpuRows) {
        let weight = |wanted: Precision| self.weights[part].iter().find(|w| w.precision == wanted);
        match class.0 {
            Op::Linear(precision) => {
                if let Some(weight) = weight(precision) {
                    self.gpu.linear(x, weight, &self.bias, Activation::Identity, y);
                }
            }
            Op::Attention => {
                let heads = x.cols / 3 / self.gpu.head_dim;
                self.gpu.attention(x, &self.batch, heads, y, None);
            }
            #[cfg(feature = "train")]
            Op::BackwardInput => {
                if let Some(weight) = weight(Precision::F32) {
                    self.gpu.record_linear_backward_input(x, weight, y);
                }
            }
            #[cfg(feature = "train")]
            Op::BackwardWeight => {
                let mut bias = GpuRows::default();
                self.gpu.shape(y, x.cols, x.cols);
                self.gpu.shape(&mut bias, 1, x.cols);
                self.gpu.record_linear_backward_weight(x, x, y, &bias);
            }
        }
    }
}

impl Timer for Measurement<'_> {
    fn now(&self) -> f64 {
        seconds_now()
    }

    async fn forecast(&mut self, class: Class, variant: Variant) -> Result<f64> {
        let seconds = self.time_part(class, variant, 1, 1).await?;
        // Heads are divided once, and inputs and outputs both.
        let share = if class.0 == Op::Attention { FORECAST } else { FORECAST * FORECAST };
        Ok(seconds * share as f64)
    }

    async fn time(&mut self, class: Class, variant: Variant, calls: usize) -> Result<f64> {
        self.time_part(class, variant, 0, calls).await
    }
}

impl Measurement<'_> {
    /// Returns the seconds of a call, or of one with a part of the work.
    async fn time_part(
        &mut self,
        class: Class,
        variant: Variant,
        part: usize,
        calls: usize,
    ) -> Result<f64> {
        let (mut x, mut y) = (GpuRows::default(), GpuRows::default());
        let width = if part == 0 { WIDTH } else { WIDTH / FORECAST };
        let head_dim = self.gpu.head_dim;
        let attends = class.0 == Op::Attention;
        let cols = if attends { 3 * (width / head_dim).max(1) * head_dim } else { width };
        self.gpu.shape(&mut x, rows(class), cols);
        self.gpu.choice.forced = Some(variant);
        for _ in 0..calls {
            self.record(class, part, &x, &mut y);
        }
        self.gpu.choice.forced = None;
        let start = self.now();
        let timestamps = self.gpu.recording.timestamps();
        let ticks = self.gpu.submit(timestamps.as_slice(), ticks).await?;
        let passed = match ticks {
            // The clock of some devices stands still for a short time.
            Some(ticks) if ticks > 0 => {
                ticks as f64 * f64::from(self.gpu.device.queue.get_timestamp_period()) * 1e-9
            }
            _ => (self.now() - start - self.request).max(0.0),
        };
        Ok(passed / calls as f64)
    }
}

/// Returns the ticks between two timestamps.
fn ticks(bytes: &[u8]) -> Option<u64> {
    let times: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
    times.get(1)?.checked_sub(times[0])
}

impl Gpu {
    /// Measures the operations whose variants are still to be chosen, and chooses. Then compiles
    /// the kernels of the calls that were warmed up meanwhile.
    ///
    /// # Errors
    /// `DeviceLost`, `OutOfMemory`, `Unsupported`.
    pub(super) async fn choose(&mut self) -> Result<()> {
        let precisions = self.low_precision.used.clone();
        let mut ops: Vec<Op> = precisions.iter().map(|precision| Op::Linear(*precision)).collect();
        if self.head_dim <= MAX_HEAD_DIM {
            ops.push(Op::Attention);
        }
        self.choose_among(&ops, &precisions).await?;
        self.compile_deferred()?;
        self.settle_pipelines().await?;
        Ok(())
    }

    /// Returns the multiply-adds per second of the measured layers over many rows; 0 if none was
    /// measured.
    pub(super) fn measured_rate(&self) -> f64 {
        let rate = |(class, nanos): &(Class, u32)| {
            let many = matches!(class.0, Op::Linear(_)) && class.1 == Shape::Many;
            if many { multiply_adds(*class) as f64 * 1e9 / f64::from(*nanos) } else { 0.0 }
        };
        self.choice.nanos.iter().map(rate).fold(0.0, f64::max)
    }

    /// Gives a fast device longer submissions: each costs some hundredths of a millisecond.
    pub(super) fn pace_submissions(&mut self) {
        let most = (SUBMISSION * self.measured_rate()) as u64;
        self.recording.max_multiply_adds = self.recording.max_multiply_adds.max(most);
    }

    /// Measures the open classes of these operations.
    pub(super) async fn choose_among(
        &mut self,
        ops: &[Op],
        precisions: &[Precision],
    ) -> Result<()> {
        // Small classes come first: they tell what the large ones will take.
        let mut classes: Vec<Class> = Vec::new();
        for shape in Shape::ALL {
            classes.extend(
                ops.iter().filter(|op| op.shapes().contains(&shape)).map(|op| (*op, shape)),
            );
        }
        let open: Vec<_> = classes
            .into_iter()
            .filter(|class| self.is_open(*class))
            .map(|class| (class, self.candidates(class)))
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        let start = seconds_now();
        let mut measurement = Measurement::new(self, precisions).await?;
        let budget = BUDGET - (seconds_now() - start);
        let found = fastest(&mut measurement, &open, budget).await;
        let (request, dispatch) = (measurement.request, measurement.dispatch);
        self.recording.end_timestamps();
        let found = found?;
        self.choice.micros += ((seconds_now() - start) * 1e6) as u32;
        self.choice.request = (request * 1e6) as u32;
        self.choice.dispatch = (dispatch * 1e9) as u32;
        for (class, variant, seconds) in found {
            self.choice.chosen.push((class, variant));
            self.choice.nanos.push((class, ((seconds * 1e9) as u32).max(1)));
        }
        self.pace_submissions();
        // The budget was too short for the others.
        for (class, candidates) in open {
            if self.choice.of(class).is_none() {
                self.choice.chosen.push((class, candidates[0]));
            }
        }
        Ok(())
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::super::choice::{Arithmetic, Layout};
    use super::*;
    use crate::Error;

    const NAMES: [&str; 3] = ["first", "second", "third"];
    const LAYOUTS: [Layout; 3] = [Layout::FewRows, Layout::BarrierFree, Layout::Tiles(32)];

    /// A clock that only timings advance, and the seconds of each variant's call.
    struct Fake {
        now: f64,
        seconds: [f64; 3],
        /// Number of calls of each timing, with the variant.
        timings: Vec<(&'static str, usize)>,
        /// The timing at which the device is lost.
        lost_at: usize,
    }

    impl Fake {
        fn new(seconds: [f64; 3]) -> Self {
            Self { now: 5.0, seconds, timings: Vec::new(), lost_at: usize::MAX }
        }

        fn seconds_of(&self, class: Class, variant: usize) -> f64 {
            let work = multiply_adds(class) as f64 / multiply_adds((class.0, Shape::Few)) as f64;
            self.seconds[variant] * work
        }

        fn choose(&mut self, shapes: &[Shape], budget: f64) -> Result<Vec<Fastest>> {
            let variants = LAYOUTS.map(|layout| Variant { arithmetic: Arithmetic::F32, layout });
            let class = |shape: &Shape| (Op::Linear(Precision::F32), *shape);
            let classes: Vec<_> =
                shapes.iter().map(|shape| (class(shape), variants.to_vec())).collect();
            pollster::block_on(fastest(self, &classes, budget))
        }
    }

    impl Timer for Fake {
        fn now(&self) -> f64 {
            self.now
        }

        async fn forecast(&mut self, class: Class, variant: Variant) -> Result<f64> {
            let seconds = self.seconds_of(class, number(variant));
            self.now += seconds / 16.0;
            Ok(seconds)
        }

        async fn time(&mut self, class: Class, variant: Variant, calls: usize) -> Result<f64> {
            if self.timings.len() == self.lost_at {
                return Err(Error::DeviceLost("lost".into()));
            }
            let variant = number(variant);
            self.timings.push((NAMES[variant], calls));
            let seconds = self.seconds_of(class, variant);
            self.now += seconds * calls as f64;
            Ok(seconds)
        }
    }

    fn number(variant: Variant) -> usize {
        LAYOUTS.iter().position(|layout| *layout == variant.layout).unwrap_or_default()
    }

    fn names(found: &[Fastest]) -> Vec<&'static str> {
        found.iter().map(|(_, variant, _)| NAMES[number(*variant)]).collect()
    }

    #[test]
    fn the_fastest_variant_is_chosen_and_the_default_wins_a_tie() {
        for (seconds, want) in [
            ([3e-5, 2e-5, 4e-5], "second"),
            ([3e-5, 3e-5, 1e-5], "third"),
            ([3e-5, 2.95e-5, 4e-5], "first"),
            ([2e-5, 2e-5, 2e-5], "first"),
        ] {
            let found = Fake::new(seconds).choose(&[Shape::Few], 1.0);
            assert_eq!(found.map(|found| names(&found)).unwrap_or_default(), [want], "{seconds:?}");
        }
    }

    #[test]
    fn a_variant_that_is_clearly_slower_is_timed_once() {
        let mut fake = Fake::new([0.01, 0.002, 0.0021]);
        fake.choose(&[Shape::Few], 1.0).unwrap_or_default();
        let times = |name: &str| fake.timings.iter().filter(|(n, _)| *n == name).count();
        assert_eq!(NAMES.map(times), [1, 3, 3]);
        let mut fake = Fake::new([0.01, 0.002, 0.02]);
        fake.choose(&[Shape::Few], 1.0).unwrap_or_default();
        assert_eq!(fake.timings.len(), 3, "one is left: {:?}", fake.timings);
    }

    #[test]
    fn the_budget_is_kept_even_if_kernels_are_slow() {
        for slow in [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1] {
            for seconds in [[slow; 3], [slow, slow / 3.0, slow / 2.0], [slow / 9.0, slow, slow]] {
                let mut fake = Fake::new(seconds);
                let found = fake.choose(&Shape::ALL, BUDGET).unwrap_or_default();
                let taken = fake.now - 5.0;
                // A forecast takes a sixteenth of its call.
                let forecast = seconds.iter().sum::<f64>() / 16.0;
                assert!(taken <= BUDGET + forecast + 1e-9, "{seconds:?}: {taken} s");
                assert!(!found.is_empty(), "{seconds:?}");
            }
        }
        let mut fake = Fake::new([1.0; 3]);
        let found = fake.choose(&Shape::ALL, BUDGET).unwrap_or_default();
        assert_eq!(fake.timings, [], "each would exceed the budget");
        assert_eq!(names(&found), ["first"]);
        assert_eq!(found[0].2, 1.0, "the forecast");
    }

    #[test]
    fn a_device_that_is_lost_during_the_measurement_is_an_error() {
        for lost_at in [0, 1, 4, 9] {
            let mut fake = Fake { lost_at, ..Fake::new([3e-5, 2e-5, 4e-5]) };
            let found = fake.choose(&Shape::ALL, 1.0);
            assert!(matches!(found, Err(Error::DeviceLost(_))), "timing {lost_at}");
        }
    }
}
