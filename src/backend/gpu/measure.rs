//! Measures the variants of a device's kernels and chooses the fastest, in a bounded time.

use super::choice::{Class, Op, Shape, Variant};
use super::clock::seconds_now;
use super::record::MULTIPLY_ADDS;
use super::unfinished::has_consumer;
use super::{Gpu, GpuBatch, GpuMatrix, GpuRows, GpuVector, MAX_HEAD_DIM};
use crate::Result;
use crate::backend::{Activation, Backend, Precision};
use crate::batch::{Batch, Sequence};

/// Seconds that the whole measurement may take.
const BUDGET: f64 = 0.3;
/// Seconds of work per timing. Browsers round the device's clock and their own to 0.1 ms.
const WORK: f64 = 0.002;
/// Seconds of work before the first comparison.
const WARM_UP: f64 = 0.01;
/// Variants that are timed between two timings of the default.
const TOGETHER: usize = 3;
/// Times that these are timed until the default has taken the same time before and after.
const TRIES: usize = 3;
/// Variants that are timed again, and once more.
const FINALISTS: [usize; 2] = [4, 2];
/// Difference of two timings of the default, in units of the shorter one, by which the device's
/// clock has not changed.
const STEADY: f64 = 0.08;
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
    // Seconds per multiply-add of the slowest variant of the class before. 0: there is none.
    let mut pace = 0.0;
    for (number, (class, variants)) in classes.iter().enumerate() {
        let forecast = pace * multiply_adds(*class) as f64;
        let left = classes.len() - number;
        let mut race = Race::new(timer, (*class, variants), (forecast, end, left));
        let is_whole = race.run().await?;
        if let Some(seconds) = race.default {
            let (best, share) = race.best();
            found.push((*class, variants[best], seconds * share));
        } else if pace == 0.0 {
            found.push((*class, variants[0], race.longest));
        }
        pace = race.longest / multiply_adds(*class) as f64;
        if !is_whole {
            break;
        }
    }
    Ok(found)
}

/// The measurement of a class. A device's clock may change at any time, by several times. Variants
/// are therefore compared with the default only by timings before and after which the default took
/// the same time.
struct Race<'a, T> {
    timer: &'a mut T,
    class: Class,
    variants: &'a [Variant],
    /// Seconds that any variant will take, by the class before; 0: not known.
    forecast: f64,
    /// The moment at which the measurement must end.
    end: f64,
    /// Classes that are still to be measured, this one included.
    left: usize,
    /// Least seconds of a call by the default.
    default: Option<f64>,
    /// Seconds of a call by the default at last, as the mean of this number of calls.
    last: Option<(f64, usize)>,
    /// Most seconds of a call, or the default's forecast if none was timed.
    longest: f64,
    /// For each variant its time as a share of the default's, and the greatest error.
    shares: Vec<Option<(f64, f64)>>,
}

impl<'a, T: Timer> Race<'a, T> {
    fn new(
        timer: &'a mut T,
        (class, variants): (Class, &'a [Variant]),
        (forecast, end, left): (f64, f64, usize),
    ) -> Self {
        let shares = vec![None; variants.len()];
        let (default, last) = (None, None);
        Self { timer, class, variants, forecast, end, left, default, last, longest: 0.0, shares }
    }

    /// Times every variant, then those that may be the fastest twice more, with more calls, in this
    /// class's share of the time. Returns false if there was no time for a first timing of each.
    async fn run(&mut self) -> Result<bool> {
        let first = self.forecast == 0.0;
        if self.time(0, 1).await?.is_none() {
            return Ok(false);
        }
        if first {
            self.warm_up().await?;
        }
        let others: Vec<usize> = (1..self.variants.len()).collect();
        if !self.compare(&others, 1).await? {
            return Ok(false);
        }
        let now = self.timer.now();
        self.end = now + (self.end - now) / self.left as f64;
        for most in FINALISTS {
            let near = self.nearest(most);
            if near.is_empty() || near.len() == 1 && !self.is_near(0) {
                break;
            }
            let calls = calls(self.class, self.default.unwrap_or(self.longest));
            if !self.compare(&near, calls).await? {
                break;
            }
        }
        Ok(true)
    }

    /// Lets the device raise its clock.
    async fn warm_up(&mut self) -> Result<()> {
        let start = self.timer.now();
        let calls = calls(self.class, self.longest);
        while self.timer.now() < start + WARM_UP && self.time(0, calls).await?.is_some() {}
        Ok(())
    }

    /// Compares variants with the default. Returns false if there was no time for all.
    async fn compare(&mut self, others: &[usize], calls: usize) -> Result<bool> {
        for group in others.chunks(TOGETHER) {
            match self.compare_group(group, calls).await? {
                None => return Ok(false),
                Some(true) => continue,
                Some(false) => {}
            }
            // The clock has changed: one by one, they take less time.
            for one in group.chunks(1) {
                for _ in 0..TRIES {
                    match self.compare_group(one, calls).await? {
                        None => return Ok(false),
                        Some(true) => break,
                        Some(false) => {}
                    }
                }
            }
        }
        Ok(true)
    }

    /// Times the default, some variants, and the default again. Returns false if the clock has
    /// changed; `None` if there was no time for all.
    async fn compare_group(&mut self, group: &[usize], calls: usize) -> Result<Option<bool>> {
        let before = match self.last.filter(|(_, of)| *of == calls) {
            Some((seconds, _)) => Some(seconds),
            None => self.time(0, calls).await?,
        };
        let mut times = Vec::new();
        for n in group {
            let Some(seconds) = self.time(*n, calls).await? else { return Ok(None) };
            times.push((*n, seconds));
        }
        let after = self.time(0, calls).await?;
        let (Some(before), Some(after)) = (before, after) else { return Ok(None) };
        let noise = NOISE / calls as f64;
        let is_steady = (before - after).abs() <= STEADY * before.min(after) + noise;
        if is_steady {
            let default = (before + after) / 2.0;
            self.shares[0] = Some((1.0, noise / default));
            for (n, seconds) in times {
                self.add(n, seconds / default, noise / default);
            }
        }
        Ok(Some(is_steady))
    }

    /// Adds a comparison of a variant with the default. Of the equally exact ones, the worst counts.
    fn add(&mut self, n: usize, share: f64, error: f64) {
        let known = self.shares[n].filter(|(_, known)| *known <= 2.0 * error);
        let share = known.map_or(share, |(known, _)| known.max(share));
        self.shares[n] = Some((share, error));
    }

    /// Returns the seconds of a call by a variant, as the mean of `calls`; `None` if there is no
    /// time for it.
    async fn time(&mut self, n: usize, calls: usize) -> Result<Option<f64>> {
        let (class, variant) = (self.class, self.variants[n]);
        let mut expected = match (self.shares[n], self.default) {
            (Some((share, _)), Some(default)) => share * default,
            // The first class has no class before it.
            _ if self.forecast == 0.0 => self.timer.forecast(class, variant).await?,
            _ => self.forecast,
        };
        if calls == 1 {
            expected = expected.max(self.longest);
        }
        if self.timer.now() + expected * calls as f64 > self.end {
            if self.longest == 0.0 {
                self.longest = expected;
            }
            return Ok(None);
        }
        let seconds = self.timer.time(class, variant, calls).await?;
        self.longest = self.longest.max(seconds);
        if n == 0 {
            self.default = Some(self.default.map_or(seconds, |least| least.min(seconds)));
            self.last = Some((seconds, calls));
        }
        Ok(Some(seconds))
    }

    /// Returns true if a variant may be the fastest, by the timings so far.
    fn is_near(&self, n: usize) -> bool {
        let least = self.shares.iter().flatten().fold(1.0, |least: f64, of| least.min(of.0));
        self.shares[n].is_none_or(|(share, error)| share - error <= CLEAR * least)
    }

    /// Returns up to `most` of the variants other than the default that may be the fastest, the
    /// fastest first. Sorting would add 2 kB.
    fn nearest(&self, most: usize) -> Vec<usize> {
        let mut near: Vec<usize> = Vec::new();
        let share = |n: usize| self.shares[n].map_or(0.0, |(share, _)| share);
        while near.len() < most {
            let others = (1..self.shares.len()).filter(|n| !near.contains(n) && self.is_near(*n));
            let next = others.reduce(|best, n| if share(n) < share(best) { n } else { best });
            let Some(next) = next else { break };
            near.push(next);
        }
        near
    }

    /// Returns the fastest variant, and its time as a share of the default's: the default, unless
    /// another one is faster by more than [`GAIN`].
    fn best(&self) -> (usize, f64) {
        let mut best = (0, 1.0);
        for (n, share) in self.shares.iter().enumerate().skip(1) {
            if let Some((share, _)) = *share
                && share < GAIN
                && share < best.1
            {
                best = (n, share);
            }
        }
        best
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

/// Returns the dispatches that a variant needs for each call, on average, in addition to its own.
/// Half of the layers follow a norm, and those over few rows may compute it.
fn dispatches_apart((op, shape): Class, variant: Variant) -> f64 {
    let can_follow = matches!(op, Op::Linear(_)) && shape <= Shape::Short;
    if can_follow && !has_consumer(variant) { 0.5 } else { 0.0 }
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
        let seconds = self.time_part(class, variant, 0, calls).await?;
        Ok(seconds + dispatches_apart(class, variant) * self.dispatch)
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
    use super::super::linear::Tiling;
    use super::super::variants::TILE_32X32;
    use super::*;
    use crate::Error;

    const NAMES: [&str; 3] = ["first", "second", "third"];

    /// A clock that only timings advance, and a device with the seconds of each variant's call.
    struct Fake {
        now: f64,
        clock: Clock,
        /// Seconds of each request beside its work.
        request: f64,
        /// Of the smallest class. Larger ones take more, in proportion to their work.
        seconds: Vec<f64>,
        /// Work that every call has in addition, in units of the smallest class.
        launch: f64,
        /// Number of calls of each timing, with the variant.
        timings: Vec<(&'static str, usize)>,
        /// The timing at which the device is lost.
        lost_at: usize,
    }

    /// How fast the device is.
    #[derive(Clone, Copy)]
    enum Clock {
        Steady,
        /// A third as fast in every second period.
        Changing {
            period: f64,
            offset: f64,
        },
    }

    impl Fake {
        fn new(seconds: impl Into<Vec<f64>>) -> Self {
            Self {
                now: 5.0,
                clock: Clock::Steady,
                request: 0.0,
                seconds: seconds.into(),
                launch: 0.0,
                timings: Vec::new(),
                lost_at: usize::MAX,
            }
        }

        fn seconds_of(&self, class: Class, variant: usize) -> f64 {
            let work = multiply_adds(class) as f64 / multiply_adds((class.0, Shape::Few)) as f64;
            self.seconds[variant] * (work + self.launch)
        }

        fn choose(&mut self, shapes: &[Shape], budget: f64) -> Result<Vec<Fastest>> {
            let of = |n: usize| Layout::Queries(n as u8);
            let variant = |n| Variant { arithmetic: Arithmetic::F32, layout: of(n) };
            let variants: Vec<Variant> = (0..self.seconds.len()).map(variant).collect();
            let class = |shape: &Shape| (Op::Linear(Precision::F32), *shape);
            let classes: Vec<_> =
                shapes.iter().map(|shape| (class(shape), variants.clone())).collect();
            pollster::block_on(fastest(self, &classes, budget))
        }

        /// Returns the seconds of this much work from now on.
        fn duration(&self, work: f64) -> f64 {
            let Clock::Changing { period, offset } = self.clock else { return work };
            let (mut left, mut taken) = (work, 0.0);
            let step = period / 64.0;
            while left > 0.0 {
                let is_slow = ((self.now + taken + offset) / period) as u64 % 2 == 1;
                let done = if is_slow { step / 3.0 } else { step };
                taken += step * (left / done).min(1.0);
                left -= done;
            }
            taken
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
            self.timings.push((NAMES.get(variant).unwrap_or(&"other"), calls));
            let taken = self.duration(self.seconds_of(class, variant) * calls as f64);
            self.now += taken + self.request;
            Ok(taken / calls as f64)
        }
    }

    fn number(variant: Variant) -> usize {
        let Layout::Queries(number) = variant.layout else { return 0 };
        usize::from(number)
    }

    fn names(found: &[Fastest]) -> Vec<&'static str> {
        let name = |variant| *NAMES.get(number(variant)).unwrap_or(&"other");
        found.iter().map(|(_, variant, _)| name(*variant)).collect()
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
        assert_eq!([times("second"), times("third")], [3, 3]);
        let mut fake = Fake::new([0.01, 0.002, 0.02]);
        fake.choose(&[Shape::Few], 1.0).unwrap_or_default();
        let times = |name: &str| fake.timings.iter().filter(|(n, _)| *n == name).count();
        assert_eq!([times("second"), times("third")], [1, 1], "one is left: {:?}", fake.timings);
    }

    /// The clock of a device rises and falls with its load and its temperature.
    #[test]
    fn a_clock_that_changes_does_not_decide() {
        // Seconds between changes of the clock, and the share of choices that keep the default for
        // want of time.
        for (period, most) in [(0.012, 0.15), (0.03, 0.15), (0.07, 0.0), (0.15, 0.0)] {
            let (mut kept, mut all) = (0, 0);
            for phase in 0..40 {
                let choose = |seconds: [f64; 3]| {
                    let clock =
                        Clock::Changing { period, offset: period * f64::from(phase) / 20.0 };
                    let mut fake = Fake { clock, request: 0.0003, ..Fake::new(seconds) };
                    names(&fake.choose(&Shape::ALL, BUDGET).unwrap_or_default())
                };
                let chosen = choose([6e-6, 4e-6, 5.2e-6]);
                kept += chosen.iter().filter(|name| **name != "second").count();
                all += chosen.len();
                let chosen = choose([4e-6, 5.2e-6, 6e-6]);
                assert!(chosen.iter().all(|name| *name == "first"), "{period} {phase}: {chosen:?}");
            }
            assert!(kept as f64 <= most * all as f64, "{period}: {kept} of {all}");
        }
    }

    /// Ten variants, as on a GPU that takes 9 µs for the smallest class and 132 for the largest.
    #[test]
    fn every_class_of_a_fast_device_is_measured_within_the_budget() {
        for best in 1..10 {
            let mut seconds: Vec<f64> = (0..10).map(|n| 9e-8 * (0.8 + 0.05 * n as f64)).collect();
            (seconds[0], seconds[best]) = (9e-8, 5e-8);
            let mut fake = Fake { request: 0.0005, launch: 100.0, ..Fake::new(seconds) };
            let found = fake.choose(&Shape::ALL, BUDGET).unwrap_or_default();
            let numbers: Vec<_> = found.iter().map(|(_, variant, _)| number(*variant)).collect();
            assert_eq!(numbers, [best; 5]);
            assert!(fake.now - 5.0 < 0.8 * BUDGET, "{}", fake.now - 5.0);
        }
    }

    /// A class leaves time to the others: it may have many variants that are nearly as fast.
    #[test]
    fn no_class_takes_the_time_of_the_others() {
        let seconds: Vec<f64> = (0..10).map(|n| 9e-8 * (1.0 - 0.02 * n as f64)).collect();
        for request in [0.0005, 0.002] {
            let mut fake = Fake { request, launch: 100.0, ..Fake::new(seconds.clone()) };
            let found = fake.choose(&Shape::ALL, BUDGET).unwrap_or_default();
            assert_eq!(found.len(), 5, "requests of {request} s");
            assert!(fake.now - 5.0 < BUDGET + 0.01, "{}", fake.now - 5.0);
        }
    }

    #[test]
    fn a_layer_that_cannot_follow_a_norm_is_charged_for_its_dispatch() {
        let tiling = Tiling { tile: TILE_32X32, parts: 1 };
        let charge = |arithmetic, layout, shape| {
            dispatches_apart((Op::Linear(Precision::I8), shape), Variant { arithmetic, layout })
        };
        let (int8, tiled) = (Arithmetic::Int8, Layout::Tiling(tiling));
        assert_eq!(charge(int8, tiled, Shape::Short), 0.5);
        assert_eq!(charge(int8, Layout::Rounding(tiling), Shape::Short), 0.0);
        assert_eq!(charge(Arithmetic::F32, tiled, Shape::Short), 0.0);
        assert_eq!(charge(int8, tiled, Shape::Medium), 0.0);
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
