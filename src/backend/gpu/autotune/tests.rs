//! The measurement over a simulated device.

use super::super::choice::{Arithmetic, Layout};
use super::*;
use crate::Error;
use crate::backend::Precision;

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
        let classes: Vec<_> = shapes.iter().map(|shape| (class(shape), variants.clone())).collect();
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
    fn found(&mut self, _: Class, _: Variant) {}

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
                let clock = Clock::Changing { period, offset: period * f64::from(phase) / 20.0 };
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
