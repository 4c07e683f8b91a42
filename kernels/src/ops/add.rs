//! The sum of two matrices.

use super::elementwise::update;
use crate::{Rows, Workspace};

/// y += x, which have the same shape.
pub fn add(x: &Rows, y: &mut Rows, workspace: &mut Workspace) {
    update(x, y, workspace, |x, y| y + x);
}
