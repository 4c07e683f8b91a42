//! The interface for training, beyond [`Backend`]: forward kernels that store the values a gradient
//! needs, their gradients, losses and optimizers.
//!
//! `dy` is the gradient of the loss with respect to y. Shapes are `[rows, columns]`, row-major,
//! f32. Weights in training must be f32: [`Backend::read`] returns `Unsupported` after a kernel got
//! a matrix in another precision. A kernel that adds to a gradient says so in its description;
//! other kernels set the shape of their outputs. As in [`Backend`], calls may only be recorded.

use std::ops::Range;

pub use webert_kernels::{AdamW, CrossEntropy, Dropout, IGNORED};

use super::{Activation, Backend, Disentangled, Norm};
use crate::Result;

/// Clipping by the norm of all gradients together, like `torch.nn.utils.clip_grad_norm_`: gradients
/// are multiplied by min(1, max_norm / (√squares + 1e-6)). If `squares` is not finite, parameters
/// and moments stay unchanged, so the last good step survives a bad one. An infinite `max_norm`
/// requests only this check.
#[derive(Debug)]
pub struct Clip<'a, R> {
    /// `[1, 1]`: the sum of the squares of all gradients, by [`Train::sum_of_squares`].
    pub squares: &'a R,
    /// Largest norm that is not clipped.
    pub max_norm: f32,
}

/// A parameter to be updated in place.
#[derive(Debug)]
pub enum Parameter<'a, M, V> {
    /// `[rows, cols]`. Gradient and moments have the same shape.
    Matrix(&'a mut M),
    /// `[len]`. Gradient and moments are `[1, len]`.
    Vector(&'a mut V),
}

/// A parameter of a backend.
pub type ParameterOn<'a, B> = Parameter<'a, <B as Backend>::Matrix, <B as Backend>::Vector>;

/// A device that can train.
#[allow(async_fn_in_trait, reason = "as Backend")]
pub trait Train: Backend {
    /// Waits until all allocations have succeeded or failed, and tests the training kernels. Must
    /// be called before the first step of a model.
    ///
    /// # Errors
    /// `OutOfMemory`; `Unsupported`, naming the kernel that computes a wrong result; `DeviceLost`.
    async fn settle_train(&mut self) -> Result<()> {
        Ok(())
    }
    /// Starts a dry run, if the device supports it: until [`Train::end_dry_run`], calls allocate
    /// memory and compute nothing, and reads return 0. Returns true if it is supported. A device
    /// whose calls report a lack of memory at once does not need it.
    fn begin_dry_run(&mut self) -> bool {
        false
    }
    /// Ends a dry run.
    ///
    /// # Errors
    /// `OutOfMemory` if an allocation of the dry run failed; `DeviceLost`.
    async fn end_dry_run(&mut self) -> Result<()> {
        Ok(())
    }
    /// Cleans up after an error: discards recorded calls that were not submitted, and frees memory
    /// that no rows use.
    fn release(&mut self) {}
    /// Returns zeros of a shape.
    ///
    /// # Errors
    /// `OutOfMemory`.
    fn zeros(&mut self, rows: usize, cols: usize) -> Result<Self::Rows>;
    /// Returns the number of rows.
    fn row_count(x: &Self::Rows) -> usize;
    /// Sets all elements to 0. The shape stays.
    fn clear(&mut self, x: &mut Self::Rows);
    /// Copies numbers from the host. y becomes `[rows, values.len() / rows]`.
    ///
    /// # Errors
    /// `OutOfMemory`.
    fn put(&mut self, values: &[f32], rows: usize, y: &mut Self::Rows) -> Result<()>;
    /// x = dropout(x). Its gradient is the same function, applied to dy.
    fn dropout(&mut self, x: &mut Self::Rows, dropout: &Dropout);

    /// y = activation(z), for each element.
    fn activation(&mut self, z: &Self::Rows, activation: Activation, y: &mut Self::Rows);
    /// dy = dy · activation'(z), in place.
    fn activation_backward(&mut self, z: &Self::Rows, activation: Activation, dy: &mut Self::Rows);

    /// dx = dy · weight for y = x · weightᵀ + bias, with dy `[rows, outputs]` and dx
    /// `[rows, inputs]`.
    fn linear_backward_input(
        &mut self,
        dy: &Self::Rows,
        weight: &Self::Matrix,
        dx: &mut Self::Rows,
    );
    /// Adds dyᵀ · x to `dweight` `[outputs, inputs]`, and the sums of dy's columns to `dbias`
    /// `[1, outputs]`.
    fn linear_backward_weight(
        &mut self,
        x: &Self::Rows,
        dy: &Self::Rows,
        dweight: &mut Self::Rows,
        dbias: &mut Self::Rows,
    );

    /// y = norm(x + residual). Also stores the values that the gradient needs: `normalized`
    /// `[rows, cols]`, before scale and shift, and `inverse` `[rows, 1]`, 1 / √(variance + eps).
    fn norm_forward(
        &mut self,
        x: &Self::Rows,
        residual: Option<&Self::Rows>,
        norm: &Norm<Self::Vector>,
        y: &mut Self::Rows,
        normalized: &mut Self::Rows,
        inverse: &mut Self::Rows,
    );
    /// dx = the gradient with respect to x + residual. Adds to `dweight` and `dbias`, `[1, cols]`.
    #[allow(clippy::too_many_arguments, reason = "as norm_forward")]
    fn norm_backward(
        &mut self,
        dy: &Self::Rows,
        normalized: &Self::Rows,
        inverse: &Self::Rows,
        norm: &Norm<Self::Vector>,
        dx: &mut Self::Rows,
        dweight: &mut Self::Rows,
        dbias: &mut Self::Rows,
    );

    /// [`Backend::attention`] with dropout of the probabilities. Stores the logarithm of each
    /// softmax's sum, including the largest score, in `log_sums` `[rows, heads]`.
    fn attention_forward(
        &mut self,
        qkv: &Self::Rows,
        batch: &Self::Batch,
        heads: usize,
        dropout: Option<&Dropout>,
        y: &mut Self::Rows,
        log_sums: &mut Self::Rows,
    );
    /// dqkv, `[rows, 3 · width]`, from the inputs and outputs of [`Train::attention_forward`].
    /// Probabilities are recomputed from `log_sums` and never stored for a whole sequence (Dao et
    /// al. 2022).
    #[allow(clippy::too_many_arguments, reason = "as attention_forward")]
    fn attention_backward(
        &mut self,
        qkv: &Self::Rows,
        batch: &Self::Batch,
        heads: usize,
        dropout: Option<&Dropout>,
        y: &Self::Rows,
        log_sums: &Self::Rows,
        dy: &Self::Rows,
        dqkv: &mut Self::Rows,
    );

    /// [`Backend::attention_disentangled`] with dropout of the probabilities.
    fn attention_disentangled_forward(
        &mut self,
        qkv: &Self::Rows,
        batch: &Self::Batch,
        heads: usize,
        disentangled: &Disentangled<'_, Self::Rows>,
        dropout: Option<&Dropout>,
        y: &mut Self::Rows,
    );
    /// dqkv, `[rows, 3 · width]`, and the gradient with respect to the positions, from the inputs of
    /// [`Train::attention_disentangled_forward`]. Probabilities are recomputed.
    #[allow(clippy::too_many_arguments, reason = "as attention_backward")]
    fn attention_disentangled_backward(
        &mut self,
        qkv: &Self::Rows,
        batch: &Self::Batch,
        heads: usize,
        disentangled: &Disentangled<'_, Self::Rows>,
        dropout: Option<&Dropout>,
        dy: &Self::Rows,
        dqkv: &mut Self::Rows,
        dpositions: &mut Self::Rows,
    );
    /// Adds each row of dy to the rows of the table gradients `[entries, width]` that it came from.
    /// The order is fixed, so sums are equal in every run. A token with the id `padding` adds
    /// nothing to `word`, like PyTorch's `padding_idx`.
    #[allow(clippy::too_many_arguments, reason = "three tables")]
    fn embed_backward(
        &mut self,
        dy: &Self::Rows,
        batch: &Self::Batch,
        padding: Option<u32>,
        word: &mut Self::Rows,
        position: Option<&mut Self::Rows>,
        token_type: Option<&mut Self::Rows>,
    );
    /// Adds row n of dy to row `rows[n]` of dx, which must already have its shape. A row may occur
    /// several times.
    fn gather_backward(&mut self, dy: &Self::Rows, rows: &[u32], dx: &mut Self::Rows);
    /// y = the mean over each of these ranges of rows, `[sequences, cols]`. Ranges must not be
    /// empty.
    fn mean_pool(&mut self, x: &Self::Rows, sequences: &[Range<usize>], y: &mut Self::Rows);
    /// Adds the gradient of [`Train::mean_pool`] to dx, which must have the shape of x.
    fn mean_pool_backward(
        &mut self,
        dy: &Self::Rows,
        sequences: &[Range<usize>],
        dx: &mut Self::Rows,
    );

    /// Cross-entropy of each row of `logits` `[rows, classes]` with its target, a class or
    /// [`IGNORED`]. The logits are replaced by their gradient, and the loss is added to `loss`
    /// `[1, 1]`. If every row is ignored, both are 0.
    fn cross_entropy(
        &mut self,
        logits: &mut Self::Rows,
        targets: &[i32],
        how: CrossEntropy<'_>,
        loss: &mut Self::Rows,
    );
    /// Cross-entropy along the columns: for each group of rows and each column, the softmax runs
    /// over the group's rows. `targets` `[groups, cols]` are rows within their group, or
    /// [`IGNORED`]. The loss is the mean over the targets of a column that are not ignored, then
    /// over the columns. Used for starts and ends of answers, and for multiple choice.
    fn cross_entropy_of_groups(
        &mut self,
        logits: &mut Self::Rows,
        groups: &[Range<usize>],
        targets: &[i32],
        scale: f32,
        loss: &mut Self::Rows,
    );
    /// Mean binary cross-entropy of sigmoid(logits) with `targets`, which are row-major like
    /// `logits`. The logits are replaced by the gradient times `scale`. Adds to `loss`.
    fn binary_cross_entropy(
        &mut self,
        logits: &mut Self::Rows,
        targets: &[f32],
        scale: f32,
        loss: &mut Self::Rows,
    );
    /// Mean square of logits - targets. The logits are replaced by the gradient times `scale`. Adds
    /// to `loss`.
    fn mean_square(
        &mut self,
        logits: &mut Self::Rows,
        targets: &[f32],
        scale: f32,
        loss: &mut Self::Rows,
    );

    /// Adds the sum of x's squares to `total` `[1, 1]`. The order does not depend on the number of
    /// threads.
    fn sum_of_squares(&mut self, x: &Self::Rows, total: &mut Self::Rows);
    /// One step of AdamW; `first` and `second` are the moments.
    fn adamw(
        &mut self,
        parameter: ParameterOn<'_, Self>,
        gradient: &Self::Rows,
        first: &mut Self::Rows,
        second: &mut Self::Rows,
        step: &AdamW,
        clip: Option<&Clip<'_, Self::Rows>>,
    ) where
        Self: Sized;
    /// p = p - rate · (gradient + weight_decay · p).
    fn sgd(
        &mut self,
        parameter: ParameterOn<'_, Self>,
        gradient: &Self::Rows,
        rate: f32,
        weight_decay: f32,
        clip: Option<&Clip<'_, Self::Rows>>,
    ) where
        Self: Sized;

    /// Returns the current values of a matrix, row-major.
    ///
    /// # Errors
    /// As [`Backend::read`].
    async fn read_matrix(&mut self, matrix: &Self::Matrix) -> Result<Vec<f32>>;
    /// Returns the current values of a vector. Errors: as [`Backend::read`].
    async fn read_vector(&mut self, vector: &Self::Vector) -> Result<Vec<f32>>;
}
