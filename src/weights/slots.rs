//! A place for each parameter while a checkpoint loads. The table of names is walked twice, in the
//! same order: first to make the places, last to take what has come to them.

use std::collections::BTreeMap;

use super::names::Place;
use crate::backend::{Backend, Precision};
use crate::{Error, Result};

#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) slot: usize,
    pub(super) first_row: usize,
    pub(super) rows: usize,
    pub(super) filled: bool,
}

/// A parameter on its way: allocated when its first tensor appears. A vector has one column.
pub(super) struct Slot<B: Backend> {
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) kind: Kind<B>,
}

pub(super) enum Kind<B: Backend> {
    Matrix(Option<(B::Matrix, Precision)>),
    Vector(Option<B::Vector>),
}

impl<B: Backend> Slot<B> {
    pub(super) fn allocate(&mut self, backend: &mut B, precision: Precision) -> Result<()> {
        match &mut self.kind {
            Kind::Matrix(matrix @ None) => {
                *matrix = Some((backend.matrix(self.rows, self.cols, precision)?, precision));
            }
            Kind::Vector(vector @ None) => *vector = Some(backend.vector(self.rows)?),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn is_allocated(&self) -> bool {
        matches!(self.kind, Kind::Matrix(Some(_)) | Kind::Vector(Some(_)))
    }

    /// Bytes of memory that [`Self::allocate`] takes; `None`: more than can be addressed.
    pub(super) fn claim(&self, precision: Precision) -> Option<usize> {
        let width = match precision {
            Precision::F32 => 4,
            Precision::F16 | Precision::Bf16 => 2,
            Precision::I8 => 1,
        };
        let scales = self.rows.checked_mul(8)?;
        self.rows.checked_mul(self.cols)?.checked_mul(width)?.checked_add(scales)?;
        Some(match self.kind {
            Kind::Matrix(_) => precision.bytes(self.rows, self.cols),
            Kind::Vector(_) => self.rows * 4,
        })
    }

    /// A place of the same shape for which nothing has come.
    pub(super) fn empty(&self) -> Self {
        let kind = match self.kind {
            Kind::Matrix(_) => Kind::Matrix(None),
            Kind::Vector(_) => Kind::Vector(None),
        };
        Self { kind, ..*self }
    }

    /// Bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        match self.kind {
            Kind::Matrix(Some((_, precision))) => precision.bytes(self.rows, self.cols),
            Kind::Matrix(None) => 0,
            Kind::Vector(_) => self.rows * 4,
        }
    }

    pub(super) fn write(&mut self, backend: &mut B, first_row: usize, values: &[f32]) {
        match &mut self.kind {
            Kind::Matrix(Some((matrix, _))) => backend.write(matrix, first_row, values),
            Kind::Vector(Some(vector)) => backend.write_vector(vector, first_row, values),
            _ => {}
        }
    }
}

/// First walk: gives every parameter a slot and every tensor its target.
pub(super) struct Planner<'a, B: Backend> {
    pub(super) slots: Vec<Slot<B>>,
    pub(super) targets: BTreeMap<String, Target>,
    pub(super) has: &'a dyn Fn(&str) -> bool,
}

impl<B: Backend> Planner<'_, B> {
    fn slot(&mut self, tensors: &[String], rows: usize, cols: usize, kind: Kind<B>) {
        for (n, tensor) in tensors.iter().enumerate() {
            let target =
                Target { slot: self.slots.len(), first_row: n * rows, rows, filled: false };
            self.targets.insert(tensor.clone(), target);
        }
        self.slots.push(Slot { rows: rows * tensors.len(), cols, kind });
    }
}

impl<B: Backend> Place for Planner<'_, B> {
    type Matrix = ();
    type Vector = ();

    fn matrix(&mut self, tensors: &[String], rows: usize, cols: usize) -> Result<()> {
        self.slot(tensors, rows, cols, Kind::Matrix(None));
        Ok(())
    }

    fn vector(&mut self, tensors: &[String], len: usize) -> Result<()> {
        self.slot(tensors, len, 1, Kind::Vector(None));
        Ok(())
    }

    fn has(&self, tensor: &str) -> bool {
        (self.has)(tensor)
    }
}

/// Second walk, in the same order: takes the filled slots.
pub(super) struct Assemble<'a, B: Backend> {
    pub(super) slots: std::vec::IntoIter<Slot<B>>,
    pub(super) has: &'a dyn Fn(&str) -> bool,
}

impl<B: Backend> Place for Assemble<'_, B> {
    type Matrix = B::Matrix;
    type Vector = B::Vector;

    fn matrix(&mut self, tensors: &[String], _: usize, _: usize) -> Result<B::Matrix> {
        match self.slots.next().map(|slot| slot.kind) {
            Some(Kind::Matrix(Some((matrix, _)))) => Ok(matrix),
            _ => Err(never_came(tensors)),
        }
    }

    fn vector(&mut self, tensors: &[String], _: usize) -> Result<B::Vector> {
        match self.slots.next().map(|slot| slot.kind) {
            Some(Kind::Vector(Some(vector))) => Ok(vector),
            _ => Err(never_came(tensors)),
        }
    }

    fn has(&self, tensor: &str) -> bool {
        (self.has)(tensor)
    }
}

fn never_came(tensors: &[String]) -> Error {
    Error::BadWeights(format!("tensor \"{}\" is missing", tensors.join("\", \"")))
}
