//! Element-wise sum of two matrices.

use super::elementwise::update;
use crate::{Rows, Workspace};

/// Adds `x` to `y`; both have the same shape.
pub fn add(x: &Rows, y: &mut Rows, workspace: &mut Workspace) {
    update(x, y, workspace, |x, y| y + x);
}
