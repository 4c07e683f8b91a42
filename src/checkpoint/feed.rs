//! The bytes of a tensor: each goes to its row as it arrives.

use super::file::{Current, Data, Sink};
use super::header::{Tensor, bad_file, bad_tensor};
use super::loader::Loader;
use super::plan::SCALE_SUFFIX;
use super::rows::{all_finite, decode};
use crate::backend::Processor;
use crate::{Details, ErrorKind, Result};

/// One part in `SHARE` of a parameter's bytes must arrive before its memory is allocated. A header
/// alone does not prove that the rest of the file will arrive.
const SHARE: usize = 8;

impl<B: Processor> Loader<B> {
    /// Returns the next tensor with at least one byte.
    pub(super) fn next_tensor(
        &mut self,
        backend: &mut B,
        file: &str,
        tensors: &mut std::vec::IntoIter<Tensor>,
    ) -> Result<Option<Current>> {
        for tensor in tensors {
            let sink = self.sink(backend, file, &tensor)?;
            if tensor.bytes > 0 {
                return Ok(Some(Current { name: tensor.name, left: tensor.bytes, sink }));
            }
        }
        Ok(None)
    }

    pub(super) fn data(
        &mut self,
        backend: &mut B,
        file: &str,
        data: &mut Data,
        bytes: &mut &[u8],
    ) -> Result<()> {
        let Some(current) = &mut data.current else {
            let what = format_args!(
                "the file goes on for at least {} bytes after its last tensor",
                bytes.len()
            );
            return Err(bad_file(file, what));
        };
        let (now, later) = bytes.split_at(bytes.len().min(current.left));
        *bytes = later;
        self.feed(backend, file, current, now)?;
        if current.left == 0 {
            self.close(file, data.current.take())?;
            data.current = self.next_tensor(backend, file, &mut data.tensors)?;
        }
        Ok(())
    }

    /// Takes the next bytes of a tensor.
    pub(super) fn feed(
        &mut self,
        backend: &mut B,
        file: &str,
        current: &mut Current,
        now: &[u8],
    ) -> Result<()> {
        current.left -= now.len();
        let mut early = Vec::new();
        if let Sink::Early { bytes, .. } | Sink::Factor { bytes, .. } = &mut current.sink {
            bytes.try_reserve(now.len()).map_err(|_| {
                let (held, name) = (bytes.len() + now.len(), &current.name);
                let what = format_args!("no memory for {held} bytes of tensor \"{name}\"");
                Details::new(ErrorKind::OutOfMemory, file, format_args!(""), what).error()
            })?;
            bytes.extend_from_slice(now);
        }
        if let Sink::Early { rows, precision, bytes } = &mut current.sink {
            let slot = &mut self.slots[rows.slot()];
            let share = slot.claim(*precision).unwrap_or_default() / SHARE;
            if current.left > 0 && bytes.len() < share {
                return Ok(());
            }
            slot.allocate(backend, *precision)?;
            early = std::mem::take(bytes);
            current.sink = Sink::Rows(rows.clone());
        }
        let now = if early.is_empty() { now } else { &early };
        match &mut current.sink {
            Sink::Skip | Sink::Early { .. } | Sink::Factor { .. } => {}
            Sink::Scales { bytes, .. } => bytes.extend_from_slice(now),
            Sink::Rows(rows) => {
                let name = self.canonical(&current.name);
                let scales = self.scales.iter().find(|(of, _)| *of == name);
                let scales = scales.map_or(&[][..], |(_, scales)| scales);
                let slot = &mut self.slots[rows.slot()];
                #[cfg(feature = "families")]
                rows.prepare(slot)?;
                rows.push(backend, slot, scales, self.adapters.get(&name), now).map_err(|row| {
                    let what =
                        format_args!(" has NaN or infinity in row {row}, expected finite numbers");
                    bad_tensor(file, &current.name, what).error()
                })?;
            }
        }
        Ok(())
    }

    /// Ends a tensor after its last byte.
    pub(super) fn close(&mut self, file: &str, current: Option<Current>) -> Result<()> {
        let Some(current) = current else { return Ok(()) };
        let name = self.canonical(&current.name);
        match current.sink {
            Sink::Skip | Sink::Early { .. } => {}
            Sink::Scales { stored, bytes } => {
                let mut scales = Vec::new();
                decode(stored, &bytes, &mut scales);
                self.scales
                    .push((name.strip_suffix(SCALE_SUFFIX).unwrap_or(&name).to_owned(), scales));
            }
            Sink::Factor { of, side, rank, stored, bytes } => {
                let mut values = Vec::new();
                decode(stored, &bytes, &mut values);
                // an int8 factor is scaled here; the rows of matrices are scaled in `Rows`
                if let Some((_, scales)) = self.scales.iter().find(|(of, _)| *of == name) {
                    let cols = values.len() / scales.len().max(1);
                    for (row, scale) in values.chunks_mut(cols.max(1)).zip(scales) {
                        row.iter_mut().for_each(|value| *value *= scale);
                    }
                    self.scales.retain(|(of, _)| *of != name);
                }
                if !all_finite(&values) {
                    let what = format_args!(" has NaN or infinity, expected finite numbers");
                    return Err(bad_tensor(file, &current.name, what).error());
                }
                self.adapters.add(of, side, rank, values);
            }
            Sink::Rows(_) => {
                if let Some(target) = self.plan.as_mut().and_then(|p| p.targets.get_mut(&name)) {
                    target.filled = true;
                }
                self.scales.retain(|(of, _)| *of != name);
                self.adapters.remove(&name);
            }
        }
        Ok(())
    }
}
