//! Data of tensors in a file beside the ONNX file, e.g. `model.onnx_data`. The tensors are read in
//! the order of their offsets.

use super::wanted::Begin;
use super::{Consumer, RAW_DATA, Reader, Task};
use crate::checkpoint::fault::{Outcome, append, bad};

impl Reader {
    /// Returns the names of the files with data that is needed, without duplicates.
    pub(in crate::checkpoint) fn external_files(&self) -> Vec<String> {
        let wanted = self.wanted.iter().flat_map(|wanted| &wanted.external);
        let mut files: Vec<_> = wanted.map(|(_, external)| external.file.clone()).collect();
        files.sort();
        files.dedup();
        files
    }

    /// Begins one of [`Self::external_files`].
    pub(in crate::checkpoint) fn begin_external(&mut self, file: &str) {
        let Some(wanted) = &mut self.wanted else { return };
        let all = std::mem::take(&mut wanted.external);
        let (here, others) = all.into_iter().partition(|(_, external)| external.file == file);
        wanted.external = others;
        self.external = here;
        self.external.sort_by_key(|(_, external)| std::cmp::Reverse(external.offset));
        self.position = 0;
        self.is_external = true;
        self.task = Task::Field;
    }

    /// Reads the next bytes of a file with external data.
    pub(super) fn read_external(
        &mut self,
        size: Option<u64>,
        consumer: &mut impl Consumer,
        mut bytes: &[u8],
    ) -> Outcome<()> {
        while !bytes.is_empty() {
            let now = |left: u64| bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let count = match &mut self.task {
                Task::Field => {
                    self.next_external(size, consumer)?;
                    0
                }
                Task::Skip(left) | Task::Flow(left) | Task::Keep { left, .. } => {
                    let count = now(*left);
                    *left -= count as u64;
                    count
                }
            };
            let (piece, rest) = bytes.split_at(count);
            match &mut self.task {
                Task::Keep { bytes: kept, .. } => append(kept, piece, "a tensor")?,
                Task::Flow(_) => {
                    if let Some(wanted) = self.wanted.as_mut().filter(|_| !piece.is_empty()) {
                        wanted.flow(piece, consumer)?;
                    }
                }
                Task::Field | Task::Skip(_) => {}
            }
            self.position += count as u64;
            bytes = rest;
            self.end_external(consumer)?;
        }
        Ok(())
    }

    /// Starts the next tensor, or skips the bytes before it.
    fn next_external(&mut self, size: Option<u64>, consumer: &mut impl Consumer) -> Outcome<()> {
        let Some((head, external)) = self.external.last() else {
            self.task = Task::Skip(u64::MAX);
            return Ok(());
        };
        let (offset, bytes) = (external.offset, head.implied_bytes()? as u64);
        let end = offset.checked_add(bytes);
        if end.is_none_or(|end| size.is_some_and(|size| end > size)) {
            return bad(format!(
                "{} has {bytes} bytes at {offset}, more than the file has: it is cut short or damaged",
                head.title()
            ));
        }
        if offset < self.position {
            return bad(format!("{} shares bytes with another tensor", head.title()));
        }
        if offset > self.position {
            self.task = Task::Skip(offset - self.position);
            return Ok(());
        }
        let Some((head, _)) = self.external.pop() else { return Ok(()) };
        self.tensor = head;
        self.tensor.settle_external();
        let Some(wanted) = &mut self.wanted else { return Ok(()) };
        self.task = match wanted.begin(&self.tensor, bytes, consumer)? {
            Begin::Skip => Task::Skip(bytes),
            Begin::Hold => Task::Keep { number: RAW_DATA, left: bytes, bytes: Vec::new() },
            Begin::Flow => Task::Flow(bytes),
        };
        Ok(())
    }

    /// Ends a tensor after its last byte.
    fn end_external(&mut self, consumer: &mut impl Consumer) -> Outcome<()> {
        let (Task::Skip(0) | Task::Flow(0) | Task::Keep { left: 0, .. }) = &self.task else {
            return Ok(());
        };
        let Some(wanted) = &mut self.wanted else { return Ok(()) };
        match std::mem::replace(&mut self.task, Task::Field) {
            Task::Keep { bytes, .. } => {
                let mut tensor = std::mem::take(&mut self.tensor);
                tensor.take_raw(bytes)?;
                wanted.take(tensor, consumer)
            }
            Task::Flow(_) => {
                wanted.end_flow();
                Ok(())
            }
            Task::Field | Task::Skip(_) => Ok(()),
        }
    }
}
