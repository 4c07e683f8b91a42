//! What a first answer does not wait for: compiles, tests and measures the variants other than the
//! defaults, in parts. Between two parts the device computes other requests.

use super::choice::{Class, Found, Op, OpenCall, Shape, Variant};
use super::measure::Measurement;
use super::self_test_fused::FusedTest;
use super::{Gpu, MAX_HEAD_DIM};
use crate::Result;

/// The next part.
#[derive(Default)]
pub(super) enum Improvement {
    /// Begins, if any class is open.
    #[default]
    First,
    /// Begins to compile one of these variants.
    Compile(Vec<(Op, Variant)>),
    /// Compares one of these variants with the CPU.
    Test(Vec<(Op, Variant)>),
    /// Makes a timing.
    Measure(Box<Measurement>),
    /// Begins to compile the chosen kernels of one of these calls.
    Fit(Vec<OpenCall>),
    /// Makes one of these tests with the chosen kernels, and adopts them after the last one.
    Prove(Vec<FusedTest>),
}

impl Gpu {
    /// Leaves the variants other than the defaults to [`Gpu::improve`]. If `times_defaults`, the defaults
    /// are measured before, for a comparison with the CPU.
    pub fn postpone(&mut self, times_defaults: bool) {
        self.postpones = true;
        self.times_defaults = times_defaults;
    }

    /// Does a part of what was postponed: at most one submission. Returns false if nothing is left
    /// and the chosen variants are in use. After an error the defaults stay in use.
    ///
    /// # Errors
    /// `DeviceLost`, also if the device does not answer in time, `OutOfMemory`, `Unsupported`.
    pub async fn improve(&mut self) -> Result<bool> {
        self.begin_patience();
        let more = match self.strike_compiled() {
            Ok(true) => self.take_part().await,
            waits => waits.map(|_| true),
        };
        self.device.patience = None;
        if more.is_err() {
            self.stop_improving();
        }
        more
    }

    /// Measures at once what is still to be chosen. Errors: as [`Gpu::improve`].
    pub(super) async fn choose(&mut self) -> Result<()> {
        while self.take_part().await? {
            self.settle_pipelines().await?;
        }
        Ok(())
    }

    /// Measures the defaults of short texts, once.
    pub(super) async fn time_defaults(&mut self) -> Result<()> {
        let ops = self.measured_ops().into_iter().filter(|op| matches!(op, Op::Linear(_)));
        let classes = ops.map(|op| (op, Shape::Short)).filter(|class| self.is_open(*class));
        let defaults: Vec<_> = classes.map(|class| (class, vec![self.variant(class)])).collect();
        if !self.times_defaults || defaults.is_empty() || self.choice.default_times.is_some() {
            return Ok(());
        }
        self.choice.default_times = Some(self.measure_at_once(defaults).await?);
        Ok(())
    }

    /// Takes the state between two calls.
    fn stop_improving(&mut self) {
        self.warming_up = false;
        self.choice.forced = None;
        self.choice.in_all_parts = false;
        self.choice.next = Found::default();
        self.unfinished = None;
        self.attending = None;
        self.held_lists.clear();
        self.recording.clear();
    }

    /// Does the next part. Returns false if there is none.
    async fn take_part(&mut self) -> Result<bool> {
        self.improvement = match std::mem::take(&mut self.improvement) {
            Improvement::First => match self.challengers() {
                Some(challengers) => Improvement::Compile(challengers),
                None => return Ok(false),
            },
            Improvement::Compile(mut left) => match left.pop() {
                Some((op, variant)) => {
                    self.warm_up(|gpu| gpu.record_test(op, variant))?;
                    Improvement::Compile(left)
                }
                None => Improvement::Test(self.challengers().unwrap_or_default()),
            },
            Improvement::Test(mut left) => match left.pop() {
                Some((op, variant)) => {
                    // It may not have compiled.
                    if !self.choice.is_struck(op, variant) {
                        self.test_variant(op, variant).await?;
                    }
                    Improvement::Test(left)
                }
                None => self.begin_tuning()?,
            },
            Improvement::Measure(mut measurement) => {
                match self.take_timing(&mut measurement).await? {
                    Some(found) => {
                        self.choice.next = self.choice.found.with(found);
                        Improvement::Fit(self.choice.open_calls.clone())
                    }
                    None => Improvement::Measure(measurement),
                }
            }
            Improvement::Fit(left) => {
                self.swap_next();
                let fitted = self.fit(left);
                self.swap_next();
                fitted?
            }
            Improvement::Prove(mut left) => match left.pop() {
                Some(test) => {
                    self.swap_next();
                    let tested = self.test_fused_by(test).await;
                    self.swap_next();
                    tested?;
                    Improvement::Prove(left)
                }
                None => {
                    let next = std::mem::take(&mut self.choice.next);
                    self.adopt(next);
                    return Ok(false);
                }
            },
        };
        Ok(true)
    }

    /// Returns the state that measures the open classes.
    fn begin_tuning(&mut self) -> Result<Improvement> {
        let open = self.open_classes(&self.measured_ops());
        if open.is_empty() {
            return Ok(Improvement::First);
        }
        Ok(Improvement::Measure(Box::new(self.begin_measurement(open)?)))
    }

    /// Begins to compile the kernels of a call, or those of the last tests.
    fn fit(&mut self, mut left: Vec<OpenCall>) -> Result<Improvement> {
        let Some(call) = left.pop() else {
            self.begin_fused_warm_up()?;
            return Ok(Improvement::Prove(self.fused_tests()));
        };
        self.warm_up(|gpu| gpu.compile_call(call))?;
        Ok(Improvement::Fit(left))
    }

    /// Exchanges the variants in use with those that are used next.
    fn swap_next(&mut self) {
        std::mem::swap(&mut self.choice.found, &mut self.choice.next);
    }

    /// Uses what was found.
    pub(super) fn adopt(&mut self, found: Found) {
        self.choice.found = found;
        self.choice.default_times = None;
        self.pace_submissions();
    }

    /// Runs `record` while calls only begin to compile their kernels.
    pub(super) fn warm_up(&mut self, record: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.warming_up = true;
        let recorded = record(self);
        self.finish();
        self.warming_up = false;
        self.held_lists.clear();
        recorded
    }

    /// Returns the operations of inference whose variants are measured.
    fn measured_ops(&self) -> Vec<Op> {
        let precisions = &self.low_precision.used;
        let mut ops: Vec<Op> = precisions.iter().map(|precision| Op::Linear(*precision)).collect();
        if self.head_dim <= MAX_HEAD_DIM {
            ops.extend(self.attention_ops());
        }
        ops
    }

    /// Returns the open classes of these operations with their variants, the default first.
    pub(super) fn open_classes(&self, ops: &[Op]) -> Vec<(Class, Vec<Variant>)> {
        // Small classes come first: they tell what the large ones will take.
        let mut classes: Vec<Class> = Vec::new();
        for shape in Shape::ALL {
            classes.extend(
                ops.iter().filter(|op| op.shapes().contains(&shape)).map(|op| (*op, shape)),
            );
        }
        let open = classes.into_iter().filter(|class| self.is_open(*class));
        open.map(|class| (class, self.candidates(class))).collect()
    }

    /// Returns the variants of open classes that the self-test has not compared. `None`: no class is
    /// open.
    fn challengers(&self) -> Option<Vec<(Op, Variant)>> {
        let open = self.open_classes(&self.measured_ops());
        let mut all = Vec::new();
        for ((op, _), variants) in &open {
            for variant in variants {
                if !all.contains(&(*op, *variant)) && !self.is_tested(*op, *variant) {
                    all.push((*op, *variant));
                }
            }
        }
        (!open.is_empty()).then_some(all)
    }
}
