//! Activation functions as separate operations, and their gradients. In training the input of the
//! activation is kept for the backward pass, so the function cannot overwrite it.

use super::elementwise::update;
use crate::simd::{F32x4, Math};
use crate::{Activation, OutOfMemory, Rows, Workspace};

/// Writes activation(z) to `y`, in the shape of `z`.
///
/// # Errors
/// Returns [`OutOfMemory`] if `y` does not fit in memory.
pub fn activation(
    z: &Rows,
    activation: Activation,
    y: &mut Rows,
    workspace: &mut Workspace,
) -> Result<(), OutOfMemory> {
    y.shape(z.rows, z.cols)?;
    let math = Math::new();
    match activation {
        Activation::Identity => y.data.copy_from_slice(&z.data),
        Activation::Gelu => update(z, y, workspace, |z, _| math.gelu(z)),
        Activation::GeluTanh => update(z, y, workspace, |z, _| math.gelu_tanh(z)),
        Activation::Relu => update(z, y, workspace, |z, _| z.max(F32x4::ZERO)),
        Activation::Silu => update(z, y, workspace, |z, _| math.silu(z)),
        Activation::Tanh => update(z, y, workspace, |z, _| math.tanh(z)),
        #[cfg(feature = "families")]
        Activation::QuickGelu => update(z, y, workspace, |z, _| math.quick_gelu(z)),
        #[cfg(feature = "families")]
        Activation::ClippedGelu => update(z, y, workspace, |z, _| math.clipped_gelu(z)),
        #[cfg(feature = "families")]
        Activation::HardSwish => update(z, y, workspace, |z, _| math.hard_swish(z)),
        #[cfg(feature = "families")]
        Activation::Laplace => update(z, y, workspace, |z, _| math.laplace(z)),
        #[cfg(feature = "families")]
        Activation::LeakyRelu => update(z, y, workspace, |z, _| math.leaky_relu(z)),
        #[cfg(feature = "families")]
        Activation::Mish => update(z, y, workspace, |z, _| math.mish(z)),
        #[cfg(feature = "families")]
        Activation::ReluSquared => update(z, y, workspace, |z, _| math.relu_squared(z)),
        #[cfg(feature = "families")]
        Activation::Relu6 => update(z, y, workspace, |z, _| math.relu6(z)),
        #[cfg(feature = "families")]
        Activation::Sigmoid => update(z, y, workspace, |z, _| math.sigmoid(z)),
        #[cfg(feature = "families")]
        Activation::SqrtSoftplus => update(z, y, workspace, |z, _| math.sqrt_softplus(z)),
    }
    Ok(())
}

/// Multiplies `dy` by activation'(z) in place. The derivative of `Relu` at 0 is 0, as in PyTorch.
pub fn activation_backward(
    z: &Rows,
    activation: Activation,
    dy: &mut Rows,
    workspace: &mut Workspace,
) {
    let math = Math::new();
    match activation {
        Activation::Identity => {}
        Activation::Gelu => update(z, dy, workspace, |z, dy| dy * math.gelu_derivative(z)),
        Activation::GeluTanh => update(z, dy, workspace, |z, dy| dy * math.gelu_tanh_derivative(z)),
        Activation::Relu => update(z, dy, workspace, |z, dy| dy.where_positive(z)),
        Activation::Silu => update(z, dy, workspace, |z, dy| dy * math.silu_derivative(z)),
        Activation::Tanh => update(z, dy, workspace, |z, dy| dy * math.tanh_derivative(z)),
        #[cfg(feature = "families")]
        Activation::QuickGelu => {
            update(z, dy, workspace, |z, dy| dy * math.quick_gelu_derivative(z));
        }
        #[cfg(feature = "families")]
        Activation::ClippedGelu => {
            update(z, dy, workspace, |z, dy| dy * math.clipped_gelu_derivative(z));
        }
        #[cfg(feature = "families")]
        Activation::HardSwish => {
            update(z, dy, workspace, |z, dy| dy * math.hard_swish_derivative(z));
        }
        #[cfg(feature = "families")]
        Activation::Laplace => {
            update(z, dy, workspace, |z, dy| dy * math.laplace_derivative(z));
        }
        #[cfg(feature = "families")]
        Activation::LeakyRelu => {
            update(z, dy, workspace, |z, dy| dy * math.leaky_relu_derivative(z));
        }
        #[cfg(feature = "families")]
        Activation::Mish => {
            update(z, dy, workspace, |z, dy| dy * math.mish_derivative(z));
        }
        #[cfg(feature = "families")]
        Activation::ReluSquared => {
            update(z, dy, workspace, |z, dy| dy * math.relu_squared_derivative(z));
        }
        #[cfg(feature = "families")]
        Activation::Relu6 => {
            update(z, dy, workspace, |z, dy| dy * math.relu6_derivative(z));
        }
        #[cfg(feature = "families")]
        Activation::Sigmoid => {
            update(z, dy, workspace, |z, dy| dy * math.sigmoid_derivative(z));
        }
        #[cfg(feature = "families")]
        Activation::SqrtSoftplus => {
            update(z, dy, workspace, |z, dy| dy * math.sqrt_softplus_derivative(z));
        }
    }
}
