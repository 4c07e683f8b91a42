//! Steps of the optimizers, over all parts of a parameter. The norm of the gradients, which
//! clipping needs, stays on the device.

use wgpu::Buffer;

use super::super::matrix::groups;
use super::super::record::folded;
use super::super::{Gpu, GpuMatrix, GpuRows, GpuVector};
use super::params::{AdamWParams, SgdParams};
use super::{Kernel, TrainKernel};
use crate::backend::train::{AdamW, Clip, Parameter};

/// Groups of a parameter in one buffer.
struct ParameterChunk {
    values: Buffer,
    /// Index in the gradient of the first group.
    first: u32,
    count: u32,
}

impl Gpu {
    /// Returns the parts of the parameter, or no parts if it cannot be trained.
    fn parameter_parts(
        &mut self,
        parameter: &Parameter<'_, GpuMatrix, GpuVector>,
    ) -> Vec<ParameterChunk> {
        match parameter {
            Parameter::Vector(vector) => {
                let count = groups(vector.len) as u32;
                vec![ParameterChunk { values: vector.buffer.clone(), first: 0, count }]
            }
            Parameter::Matrix(matrix) if self.expect_f32(matrix) => {
                let groups = groups(matrix.cols);
                let part = |part: &super::MatrixPart| ParameterChunk {
                    values: part.values.clone(),
                    first: (part.first * groups) as u32,
                    count: (part.rows * groups) as u32,
                };
                matrix.parts.iter().map(part).collect()
            }
            Parameter::Matrix(_) => Vec::new(),
        }
    }

    /// Returns the constant that enables clipping, the sum of squares (or a buffer bound in its
    /// place), and the largest norm.
    fn clipping(
        &mut self,
        clip: Option<&Clip<'_, GpuRows>>,
        gradient: &Buffer,
    ) -> ((&'static str, f64), Buffer, f32) {
        match clip {
            // WGSL has no infinity. The root of a sum of squares never exceeds 1e30.
            Some(clip) => (("CLIP", 1.0), self.buffer(clip.squares), clip.max_norm.min(1e30)),
            None => (("CLIP", 0.0), gradient.clone(), 0.0),
        }
    }

    /// Records one step of AdamW.
    pub(super) fn record_adamw(
        &mut self,
        parameter: &Parameter<'_, GpuMatrix, GpuVector>,
        [gradient, first, second]: [&GpuRows; 3],
        step: &AdamW,
        clip: Option<&Clip<'_, GpuRows>>,
    ) {
        let parts = self.parameter_parts(parameter);
        let [gradient, first, second] = [gradient, first, second].map(|rows| self.buffer(rows));
        let (constant, squares, max_norm) = self.clipping(clip, &gradient);
        let remaining = |beta: f32| 1.0 - f64::from(beta).powi(step.step as i32);
        let rate = f64::from(step.rate);
        for part in parts {
            let params = AdamWParams {
                count: part.count,
                first: part.first,
                beta1: step.beta1,
                beta2: step.beta2,
                decay: (1.0 - rate * f64::from(step.weight_decay)) as f32,
                step_size: (rate / remaining(step.beta1)) as f32,
                root_scale: (1.0 / remaining(step.beta2).sqrt()) as f32,
                epsilon: step.epsilon,
                max_norm,
            };
            let buffers =
                [(1, &part.values), (2, &gradient), (3, &squares), (4, &first), (5, &second)];
            let grid = folded((part.count as usize).div_ceil(64));
            self.run(Kernel::Train(TrainKernel::AdamW), &[constant], &params, &buffers, grid);
        }
    }

    /// Records one step of gradient descent.
    pub(super) fn record_sgd(
        &mut self,
        parameter: &Parameter<'_, GpuMatrix, GpuVector>,
        gradient: &GpuRows,
        [rate, weight_decay]: [f32; 2],
        clip: Option<&Clip<'_, GpuRows>>,
    ) {
        let parts = self.parameter_parts(parameter);
        let gradient = self.buffer(gradient);
        let (constant, squares, max_norm) = self.clipping(clip, &gradient);
        for ParameterChunk { values, first, count } in parts {
            let params = SgdParams { count, first, rate, weight_decay, max_norm };
            let buffers = [(1, &values), (2, &gradient), (3, &squares)];
            let grid = folded((count as usize).div_ceil(64));
            self.run(Kernel::Train(TrainKernel::Sgd), &[constant], &params, &buffers, grid);
        }
    }
}
