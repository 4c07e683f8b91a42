//! Decides which variants of a device's kernels are timed, and chooses the fastest, in a bounded
//! time.

use super::choice::{Class, Op, Shape, Variant};
use super::record::MULTIPLY_ADDS;
use crate::Result;

/// Seconds that the whole measurement may take.
pub(super) const BUDGET: f64 = 0.3;
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
pub(super) const WIDTH: usize = 768;
/// The same of the layer that is measured with the attention before it. Only narrow ones are
/// computed together.
const NARROW_WIDTH: usize = 384;

/// Times the calls of variants.
pub(super) trait Timer {
    /// Returns the seconds since some moment.
    fn now(&self) -> f64;
    /// Returns about the seconds that a call of this class by this variant will take, from a call
    /// with a part of its work.
    async fn forecast(&mut self, class: Class, variant: Variant) -> Result<f64>;
    /// Returns the seconds of a call of this class by this variant, as the mean of `calls`.
    async fn time(&mut self, class: Class, variant: Variant, calls: usize) -> Result<f64>;
    /// Is told which variant is the fastest of a class.
    fn found(&mut self, class: Class, variant: Variant);
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
        let mut tuning = ClassTuning::new(timer, (*class, variants), (forecast, end, left));
        let is_whole = tuning.run().await?;
        if let Some(seconds) = tuning.default {
            let (best, share) = tuning.best();
            found.push((*class, variants[best], seconds * share));
            tuning.timer.found(*class, variants[best]);
        } else if pace == 0.0 {
            found.push((*class, variants[0], tuning.longest));
        }
        // Narrow calls take longer per multiply-add.
        if width(class.0) == WIDTH {
            pace = tuning.longest / multiply_adds(*class) as f64;
        }
        if !is_whole {
            break;
        }
    }
    Ok(found)
}

/// The measurement of a class. A device's clock may change at any time, by several times. Variants
/// are therefore compared with the default only by timings before and after which the default took
/// the same time.
struct ClassTuning<'a, T> {
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

impl<'a, T: Timer> ClassTuning<'a, T> {
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
pub(super) fn rows((op, shape): Class) -> usize {
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
pub(super) fn multiply_adds(class: Class) -> u64 {
    let (rows, width) = (rows(class) as u64, width(class.0) as u64);
    if class.0 == Op::Attention { 2 * rows * rows * width } else { rows * width * width }
}

/// Returns the inputs of a measured call.
pub(super) fn width(op: Op) -> usize {
    if matches!(op, Op::AttentionOutput(_)) { NARROW_WIDTH } else { WIDTH }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
