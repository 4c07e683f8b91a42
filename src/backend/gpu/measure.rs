//! Times the variants of a device's kernels, one submission after the other. autotune.rs decides
//! which.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::attention_output::IS_INCLUDED;
use super::autotune::{BUDGET, Fastest, Timer, WIDTH, fastest, multiply_adds, rows, width};
use super::choice::{Class, Found, Op, Shape, Variant};
use super::clock::seconds_now;
use super::record::Timestamps;
use super::unfinished::has_consumer;
use super::{Gpu, GpuBatch, GpuMatrix, GpuRows, GpuVector};
use crate::Result;
use crate::backend::{Activation, Backend, Precision};

/// Dispatches of a pass through a small model.
const DISPATCHES: usize = 48;
/// Columns of the rows that a small dispatch reads.
const SMALL_WIDTH: usize = 64;
/// A forecast divides inputs and outputs, or heads, by this number.
const FORECAST: usize = 4;
/// Times that a request is made. The shortest counts.
const REQUESTS: usize = 3;
/// Part of [`BUDGET`] after which a request is not repeated.
const REPEATED: f64 = 0.1;

/// Seconds of a submission on a measured device, which cannot draw meanwhile.
const SUBMISSION: f64 = 0.02;

/// Returns the dispatches that a variant needs for each call, on average, in addition to its own.
/// Half of the layers follow a norm, and those over few rows may compute it.
fn dispatches_apart((op, shape): Class, variant: Variant) -> f64 {
    let can_follow = matches!(op, Op::Linear(_)) && shape <= Shape::Short;
    if can_follow && !has_consumer(variant) { 0.5 } else { 0.0 }
}

/// A submission that is timed.
#[derive(Clone, Copy)]
enum Timing {
    /// A request of this number of small dispatches.
    Request(usize),
    /// Calls of a class by a variant, with the weights of this index.
    Calls { class: Class, variant: Variant, part: usize, calls: usize },
}

/// What the measurement and the device share. The measurement asks for a timing and waits until it
/// is made. Between two timings the device may compute other requests.
#[derive(Default)]
struct Exchange {
    wanted: Cell<Option<Timing>>,
    /// Seconds of the timing that was last wanted.
    seconds: Cell<Option<f64>>,
    /// Seconds that the timings have taken together.
    spent: Cell<f64>,
    /// Seconds of a request without work.
    request: Cell<f64>,
    /// Seconds of each small dispatch in a request.
    dispatch: Cell<f64>,
    /// The fastest variants so far.
    chosen: RefCell<Vec<(Class, Variant)>>,
}

impl Exchange {
    /// Returns the seconds of a timing.
    async fn ask(&self, timing: Timing) -> f64 {
        poll_fn(|_| match self.seconds.take() {
            Some(seconds) => Poll::Ready(seconds),
            None => {
                self.wanted.set(Some(timing));
                Poll::Pending
            }
        })
        .await
    }

    /// Returns the seconds of a request of this many small dispatches.
    async fn request_of(&self, dispatches: usize) -> f64 {
        let mut least = f64::INFINITY;
        for _ in 0..REQUESTS {
            let passed = self.ask(Timing::Request(dispatches)).await;
            least = least.min(passed);
            if passed > REPEATED * BUDGET {
                break;
            }
        }
        least
    }
}

impl Timer for Rc<Exchange> {
    fn now(&self) -> f64 {
        self.spent.get()
    }

    async fn forecast(&mut self, class: Class, variant: Variant) -> Result<f64> {
        let seconds = self.ask(Timing::Calls { class, variant, part: 1, calls: 1 }).await;
        // Heads are divided once, and inputs and outputs both.
        let share = if class.0 == Op::Attention { FORECAST } else { FORECAST * FORECAST };
        Ok(seconds * share as f64)
    }

    async fn time(&mut self, class: Class, variant: Variant, calls: usize) -> Result<f64> {
        let seconds = self.ask(Timing::Calls { class, variant, part: 0, calls }).await;
        Ok(seconds + dispatches_apart(class, variant) * self.dispatch.get())
    }

    fn found(&mut self, class: Class, variant: Variant) {
        self.chosen.borrow_mut().push((class, variant));
    }
}

/// Measures a request, then the variants of the classes.
async fn measure(
    mut exchange: Rc<Exchange>,
    classes: Vec<(Class, Vec<Variant>)>,
) -> Result<Vec<Fastest>> {
    let request = exchange.request_of(0).await;
    exchange.request.set(request);
    let dispatches = exchange.request_of(DISPATCHES).await;
    exchange.dispatch.set((dispatches - request).max(0.0) / DISPATCHES as f64);
    let budget = BUDGET - exchange.now();
    fastest(&mut exchange, &classes, budget).await
}

/// A measurement, and the parameters of the measured calls, whose values are zeros.
pub(super) struct Measurement {
    tuning: Pin<Box<dyn Future<Output = Result<Vec<Fastest>>>>>,
    exchange: Rc<Exchange>,
    /// Every class with its default.
    defaults: Vec<(Class, Variant)>,
    /// Weights of whole calls, and of calls with a part of the work.
    weights: [Vec<(Op, GpuMatrix)>; 2],
    bias: GpuVector,
    /// A sequence for attention, and a short one.
    batches: [GpuBatch; 2],
    timestamps: Option<Timestamps>,
}

impl Gpu {
    /// Prepares the measurement of classes by their variants, the default first. Errors: as
    /// [`Backend::matrix`].
    pub(super) fn begin_measurement(
        &mut self,
        classes: Vec<(Class, Vec<Variant>)>,
    ) -> Result<Measurement> {
        let mut weights: [Vec<(Op, GpuMatrix)>; 2] = Default::default();
        for ((op, _), _) in &classes {
            let precision = match op {
                Op::Linear(precision) | Op::AttentionOutput(precision) => *precision,
                _ => Precision::F32,
            };
            if *op == Op::Attention || weights[0].iter().any(|(of, _)| of == op) {
                continue;
            }
            for (part, weights) in weights.iter_mut().enumerate() {
                let width = self.measured_width(*op, part);
                weights.push((*op, self.matrix(width, width, precision)?));
            }
        }
        let bias = self.vector(WIDTH)?;
        let batches = [
            self.upload_sequence(rows((Op::Attention, Shape::Medium)))?,
            self.upload_sequence(rows((Op::Linear(Precision::F32), Shape::Short)))?,
        ];
        let timestamps = Timestamps::new(&self.device.raw);
        let exchange = Rc::new(Exchange::default());
        let defaults = classes.iter().map(|(class, variants)| (*class, variants[0])).collect();
        let tuning = Box::pin(measure(Rc::clone(&exchange), classes));
        Ok(Measurement { tuning, exchange, defaults, weights, bias, batches, timestamps })
    }

    /// Returns the inputs of a measured call, or of one with a part of the work.
    fn measured_width(&self, op: Op, part: usize) -> usize {
        let width = if part == 0 { width(op) } else { width(op) / FORECAST };
        match op {
            Op::Attention | Op::AttentionOutput(_) => {
                (width / self.head_dim).max(1) * self.head_dim
            }
            _ => width,
        }
    }

    /// Makes the next timing. Returns what was found if none is left.
    ///
    /// # Errors
    /// `DeviceLost`, `OutOfMemory`, `Unsupported`.
    pub(super) async fn take_timing(
        &mut self,
        measurement: &mut Measurement,
    ) -> Result<Option<Found>> {
        let next = measurement.tuning.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        if let Poll::Ready(fastest) = next {
            return Ok(Some(measurement.found(fastest?)));
        }
        let Some(timing) = measurement.exchange.wanted.take() else { return Ok(None) };
        let start = seconds_now();
        let seconds = match timing {
            Timing::Request(dispatches) => self.time_request(dispatches).await?,
            Timing::Calls { class, variant, part, calls } => {
                self.recording.swap_timestamps(&mut measurement.timestamps);
                let timed = self.time_calls(measurement, (class, variant), part, calls).await;
                self.recording.swap_timestamps(&mut measurement.timestamps);
                timed?
            }
        };
        let exchange = &measurement.exchange;
        exchange.spent.set(exchange.spent.get() + seconds_now() - start);
        exchange.seconds.set(Some(seconds));
        Ok(None)
    }

    /// Returns the seconds of a request, by the host's clock.
    async fn time_request(&mut self, dispatches: usize) -> Result<f64> {
        let (mut x, mut y) = (GpuRows::default(), GpuRows::default());
        self.shape(&mut x, 1, SMALL_WIDTH);
        let start = seconds_now();
        for _ in 0..dispatches {
            self.top(&x, 1, &mut y);
        }
        self.submit(&[], |_| ()).await?;
        Ok(seconds_now() - start)
    }

    /// Returns the seconds of a call, or of one with a part of the work.
    async fn time_calls(
        &mut self,
        measurement: &Measurement,
        (class, variant): (Class, Variant),
        part: usize,
        calls: usize,
    ) -> Result<f64> {
        let (mut x, mut y) = (GpuRows::default(), GpuRows::default());
        let width = self.measured_width(class.0, part);
        let attends = matches!(class.0, Op::Attention | Op::AttentionOutput(_));
        self.shape(&mut x, rows(class), if attends { 3 * width } else { width });
        let known = self.choice.found.chosen.len();
        if IS_INCLUDED && matches!(class.0, Op::AttentionOutput(_)) {
            // Apart, each has its fastest variant.
            self.choice.found.chosen.push((class, variant));
            self.choice.found.chosen.extend(measurement.exchange.chosen.borrow().iter());
        } else {
            self.choice.forced = Some(variant);
        }
        for _ in 0..calls {
            self.record_measured(measurement, class, part, &x, &mut y);
        }
        self.finish();
        self.choice.found.chosen.truncate(known);
        self.choice.forced = None;
        let start = seconds_now();
        let timestamps = self.recording.timestamps();
        let ticks = self.submit(timestamps.as_slice(), ticks).await?;
        let passed = match ticks {
            // The clock of some devices stands still for a short time.
            Some(ticks) if ticks > 0 => {
                ticks as f64 * f64::from(self.device.queue.get_timestamp_period()) * 1e-9
            }
            _ => (seconds_now() - start - measurement.exchange.request.get()).max(0.0),
        };
        Ok(passed / calls as f64)
    }

    /// Records a call. `part`: the index of its weights.
    fn record_measured(
        &mut self,
        Measurement { weights, bias, batches, .. }: &Measurement,
        class: Class,
        part: usize,
        x: &GpuRows,
        y: &mut GpuRows,
    ) {
        let weight = weights[part].iter().find(|(op, _)| *op == class.0).map(|(_, weight)| weight);
        let heads = x.cols / 3 / self.head_dim;
        match class.0 {
            Op::Linear(_) => {
                if let Some(weight) = weight {
                    self.linear(x, weight, bias, Activation::Identity, y);
                }
            }
            Op::Attention => self.attention(x, &batches[0], heads, y, None),
            Op::AttentionOutput(_) => {
                if let (Some(weight), true) = (weight, IS_INCLUDED) {
                    let mut context = GpuRows::default();
                    self.attention(x, &batches[1], heads, &mut context, None);
                    self.linear(&context, weight, bias, Activation::Identity, y);
                }
            }
            #[cfg(feature = "train")]
            Op::BackwardInput => {
                if let Some(weight) = weight {
                    self.record_linear_backward_input(x, weight, y);
                }
            }
            #[cfg(feature = "train")]
            Op::BackwardWeight => {
                let mut bias = GpuRows::default();
                self.shape(y, x.cols, x.cols);
                self.shape(&mut bias, 1, x.cols);
                self.record_linear_backward_weight(x, x, y, &bias);
            }
        }
    }

    /// Returns the multiply-adds per second of the measured layers over many rows; 0 if none was
    /// measured.
    pub(super) fn measured_rate(&self) -> f64 {
        let rate = |(class, nanos): &(Class, u32)| {
            let many = matches!(class.0, Op::Linear(_)) && class.1 == Shape::Many;
            if many { multiply_adds(*class) as f64 * 1e9 / f64::from(*nanos) } else { 0.0 }
        };
        self.choice.found.nanos.iter().map(rate).fold(0.0, f64::max)
    }

    /// Gives a fast device longer submissions: each costs some hundredths of a millisecond.
    pub(super) fn pace_submissions(&mut self) {
        let most = (SUBMISSION * self.measured_rate()) as u64;
        self.recording.max_multiply_adds = self.recording.max_multiply_adds.max(most);
    }

    /// Measures the open classes of these operations, at once.
    #[cfg(feature = "train")]
    pub(super) async fn choose_among(&mut self, ops: &[Op]) -> Result<()> {
        let open = self.open_classes(ops);
        if !open.is_empty() {
            let found = self.measure_at_once(open).await?;
            let found = self.choice.found.with(found);
            self.adopt(found);
        }
        Ok(())
    }

    /// Measures classes by their variants.
    pub(super) async fn measure_at_once(
        &mut self,
        classes: Vec<(Class, Vec<Variant>)>,
    ) -> Result<Found> {
        let mut measurement = self.begin_measurement(classes)?;
        loop {
            if let Some(found) = self.take_timing(&mut measurement).await? {
                return Ok(found);
            }
        }
    }
}

impl Measurement {
    fn found(&self, fastest: Vec<Fastest>) -> Found {
        let Exchange { spent, request, dispatch, .. } = &*self.exchange;
        let mut found = Found {
            micros: (spent.get() * 1e6) as u32,
            request: (request.get() * 1e6) as u32,
            dispatch: (dispatch.get() * 1e9) as u32,
            ..Found::default()
        };
        for (class, variant, seconds) in fastest {
            found.chosen.push((class, variant));
            found.nanos.push((class, ((seconds * 1e9) as u32).max(1)));
        }
        // The budget was too short for the others.
        for (class, default) in &self.defaults {
            if found.of(*class).is_none() {
                found.chosen.push((*class, *default));
            }
        }
        found
    }
}

/// Returns the ticks between two timestamps.
fn ticks(bytes: &[u8]) -> Option<u64> {
    let times: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
    times.get(1)?.checked_sub(times[0])
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::super::choice::{Arithmetic, Layout};
    use super::super::linear::Tiling;
    use super::super::variants::TILE_32X32;
    use super::*;

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
}
