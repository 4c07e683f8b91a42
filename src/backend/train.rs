//! What training asks of a device beyond [`Backend`]: the forward kernels that keep what a gradient needs,
//! their gradients, losses and the optimiser. Names: `dy` is the loss's gradient by y. Shapes are `[rows,
//! columns]`, row-major, f32, and weights in training are f32: [`Backend::read`] reports `Unsupported` after a kernel
//! here was given a matrix in another precision. A kernel that adds to a gradient says so; others
//! give their outputs their shape. Calls may only be recorded, as those of [`Backend`].

use std::ops::Range;

pub use webert_kernels::{AdamW, CrossEntropy, Dropout, IGNORED};

use super::{Activation, Backend, Embeddings, Norm};
use crate::Result;

/// Clipping by the norm of all gradients together, as `torch.nn.utils.clip_grad_norm_`: gradients are multiplied
/// by min(1, max_norm / (√squares + 1e-6)). Where `squares` is not finite, parameters and moments stay as they are,
/// so that the last good step survives a bad one; `max_norm` may be infinite, for this alone.
#[derive(Debug)]
pub struct Clip<'a, R> {
    /// `[1, 1]`: the sum of the squares of all gradients, by [`Train::sum_of_squares`].
    pub squares: &'a R,
    /// The greatest norm that is left as it is.
    pub max_norm: f32,
}

/// A parameter to be changed in place.
#[derive(Debug)]
pub enum Parameter<'a, M, V> {
    /// `[rows, cols]`; its gradient and moments have that shape.
    Matrix(&'a mut M),
    /// `[len]`; its gradient and moments are `[1, len]`.
    Vector(&'a mut V),
}

/// A parameter of a backend.
pub type ParameterOn<'a, B> = Parameter<'a, <B as Backend>::Matrix, <B as Backend>::Vector>;

/// A device that trains.
#[allow(async_fn_in_trait, reason = "as Backend")]
pub trait Train: Backend {
    /// Waits until it is known that there is memory for all that was asked for, and that the device computes what is
    /// below as it should; called before the first step of a model.
    ///
    /// # Errors
    /// `OutOfMemory`; `Unsupported` naming what is computed wrongly; `DeviceLost`.
    async fn settle_train(&mut self) -> Result<()> {
        Ok(())
    }
    /// Begins a dry run, where the device has such: until [`Train::end_dry_run`] calls give rows their memory and compute
    /// nothing; what is read is 0. Gives whether it has: one whose calls report by themselves that there is no memory
    /// has not.
    fn begin_dry_run(&mut self) -> bool {
        false
    }
    /// Ends a dry run.
    ///
    /// # Errors
    /// `OutOfMemory` where there was no memory for what was asked for meanwhile; `DeviceLost`.
    async fn end_dry_run(&mut self) -> Result<()> {
        Ok(())
    }
    /// After an error: forgets what was recorded and not submitted, and gives back the memory that no rows hold.
    fn release(&mut self) {}
    /// Zeros of a shape.
    ///
    /// # Errors
    /// `OutOfMemory`.
    fn zeros(&mut self, rows: usize, cols: usize) -> Result<Self::Rows>;
    /// All numbers become 0; the shape stays.
    fn clear(&mut self, x: &mut Self::Rows);
    /// Copies numbers of the host: y is `[rows, values.len() / rows]`.
    ///
    /// # Errors
    /// `OutOfMemory`.
    fn put(&mut self, values: &[f32], rows: usize, y: &mut Self::Rows) -> Result<()>;
    /// y += x.
    fn add(&mut self, x: &Self::Rows, y: &mut Self::Rows);
    /// x = dropout(x). Its gradient is the same function of dy.
    fn dropout(&mut self, x: &mut Self::Rows, dropout: &Dropout);

    /// y = activation(z), element by element.
    fn activation(&mut self, z: &Self::Rows, activation: Activation, y: &mut Self::Rows);
    /// dy = dy · activation'(z), in place.
    fn activation_backward(&mut self, z: &Self::Rows, activation: Activation, dy: &mut Self::Rows);

    /// dx = dy · weight for y = x · weightᵀ + bias: dy `[rows, outputs]`, dx `[rows, inputs]`.
    fn linear_backward_input(
        &mut self,
        dy: &Self::Rows,
        weight: &Self::Matrix,
        dx: &mut Self::Rows,
    );
    /// Adds dyᵀ · x to `dweight` `[outputs, inputs]` and the sums of dy's columns to `dbias` `[1, outputs]`.
    fn linear_backward_weight(
        &mut self,
        x: &Self::Rows,
        dy: &Self::Rows,
        dweight: &mut Self::Rows,
        dbias: &mut Self::Rows,
    );

    /// y = norm(x + residual), and what the gradient needs: `normalized` `[rows, cols]` before scale and shift, and
    /// `inverse` `[rows, 1]`, 1 / √(variance + eps).
    fn norm_forward(
        &mut self,
        x: &Self::Rows,
        residual: Option<&Self::Rows>,
        norm: &Norm<Self::Vector>,
        y: &mut Self::Rows,
        normalized: &mut Self::Rows,
        inverse: &mut Self::Rows,
    );
    /// dx, the gradient by x + residual; adds to `dweight` and `dbias`, `[1, cols]`.
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

    /// As [`Backend::attention`], with dropout over the probabilities; keeps the logarithm of each softmax's sum,
    /// greatest score included, in `log_sums` `[rows, heads]`.
    fn attention_forward(
        &mut self,
        qkv: &Self::Rows,
        batch: &Self::Batch,
        heads: usize,
        dropout: Option<&Dropout>,
        y: &mut Self::Rows,
        log_sums: &mut Self::Rows,
    );
    /// dqkv, `[rows, 3 · width]`, from what [`Train::attention_forward`] was given and gave. Probabilities are
    /// computed again from `log_sums`, never held for a whole sequence (Dao et al. 2022).
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

    /// y = word\[id\] + position\[p\] + token_type\[t\], not normalised.
    fn embed_sum(
        &mut self,
        tables: &Embeddings<Self::Matrix, Self::Vector>,
        batch: &Self::Batch,
        y: &mut Self::Rows,
    );
    /// Adds each row of dy to the rows of the gradients `[entries, width]` that it came from, in the order of the
    /// rows, so that sums are the same in every run. A token of the id `padding` adds nothing to `word`, as
    /// PyTorch's `padding_idx`.
    #[allow(clippy::too_many_arguments, reason = "three tables")]
    fn embed_backward(
        &mut self,
        dy: &Self::Rows,
        batch: &Self::Batch,
        padding: Option<u32>,
        word: &mut Self::Rows,
        position: &mut Self::Rows,
        token_type: Option<&mut Self::Rows>,
    );
    /// Adds row n of dy to row `rows[n]` of dx, which has its shape. A row may occur twice.
    fn gather_backward(&mut self, dy: &Self::Rows, rows: &[u32], dx: &mut Self::Rows);
    /// The mean over each of these ranges of rows: y is `[sequences, cols]`. Ranges are not empty.
    fn mean_pool(&mut self, x: &Self::Rows, sequences: &[Range<usize>], y: &mut Self::Rows);
    /// Adds to dx, which has the shape of x.
    fn mean_pool_backward(
        &mut self,
        dy: &Self::Rows,
        sequences: &[Range<usize>],
        dx: &mut Self::Rows,
    );

    /// The cross-entropy of each row of `logits` `[rows, classes]` with its target, a class or [`IGNORED`]: becomes
    /// its own gradient in place; the loss is added to `loss` `[1, 1]`. Where no row counts both are 0.
    fn cross_entropy(
        &mut self,
        logits: &mut Self::Rows,
        targets: &[i32],
        how: CrossEntropy<'_>,
        loss: &mut Self::Rows,
    );
    /// The same down the columns: in each group of rows and each column the softmax is over the group's rows, and
    /// `targets` `[groups, cols]` are rows within their group, or [`IGNORED`]. The loss is the mean over all that
    /// count of a column, then over the columns. Answers' starts and ends, and choices.
    fn cross_entropy_of_groups(
        &mut self,
        logits: &mut Self::Rows,
        groups: &[Range<usize>],
        targets: &[i32],
        scale: f32,
        loss: &mut Self::Rows,
    );
    /// The mean binary cross-entropy of sigmoid(logits) with `targets`, row-major as `logits`, which become the
    /// gradient times `scale`. Adds to `loss`.
    fn binary_cross_entropy(
        &mut self,
        logits: &mut Self::Rows,
        targets: &[f32],
        scale: f32,
        loss: &mut Self::Rows,
    );
    /// The mean square of logits - targets, likewise.
    fn mean_square(
        &mut self,
        logits: &mut Self::Rows,
        targets: &[f32],
        scale: f32,
        loss: &mut Self::Rows,
    );

    /// Adds the sum of x's squares to `total` `[1, 1]`, in an order that does not hang on the number of threads.
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

    /// A matrix's numbers as they now are, row-major.
    ///
    /// # Errors
    /// As [`Backend::read`].
    async fn read_matrix(&mut self, matrix: &Self::Matrix) -> Result<Vec<f32>>;
    /// A vector's numbers. Errors as [`Backend::read`].
    async fn read_vector(&mut self, vector: &Self::Vector) -> Result<Vec<f32>>;
}
