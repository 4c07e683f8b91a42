//! Passes the bytes of a storage to the tensors that view it.

use super::Consumer;
use super::contents::{Contents, Placed};
use super::pickle::shown;
use crate::checkpoint::fault::{Outcome, append};

/// Bytes of elements that are collected before they are passed on.
const BLOCK: usize = 1 << 15;

/// A storage that is being read.
pub(super) struct Filling {
    /// The number of bytes read so far.
    at: u64,
    length: u64,
    /// Wanted parts that were not read yet, with the next one last.
    parts: Vec<Part>,
    /// Whether the tensor of the next part was begun.
    is_begun: bool,
    /// Bytes of a part that must be kept until it is complete.
    kept: Vec<u8>,
}

/// A part of a storage. Each tensor is within one part.
struct Part {
    start: u64,
    end: u64,
    /// Numbers of the tensors.
    tensors: Vec<usize>,
    /// If true, the part is one contiguous tensor, and its bytes are passed on as they arrive.
    streams: bool,
}

impl Filling {
    /// Begins the storage with this number.
    pub(super) fn new(
        contents: &Contents,
        storage: usize,
        consumer: &mut impl Consumer,
    ) -> Outcome<Self> {
        let mut wanted: Vec<(usize, &Placed)> = Vec::new();
        for (n, placed) in contents.tensors.iter().enumerate() {
            if placed.storage != storage || !consumer.wants(&placed.tensor.name) {
                continue;
            }
            match placed.tensor.bytes {
                // the consumer still checks the shape
                0 => {
                    consumer.begin(&placed.tensor, 0)?;
                }
                _ => wanted.push((n, placed)),
            }
        }
        wanted.sort_by_key(|(_, placed)| (placed.start, placed.end));
        let mut parts: Vec<Part> = Vec::new();
        for (n, placed) in wanted {
            match parts.last_mut() {
                // overlapping tensors share a part, which must be kept until it is complete
                Some(part) if placed.start < part.end => {
                    part.end = part.end.max(placed.end);
                    part.tensors.push(n);
                    part.streams = false;
                }
                _ => parts.push(Part {
                    start: placed.start,
                    end: placed.end,
                    tensors: vec![n],
                    streams: placed.is_contiguous(),
                }),
            }
        }
        parts.reverse();
        let length = contents.storages[storage].bytes;
        Ok(Self { at: 0, length, parts, is_begun: false, kept: Vec::new() })
    }

    /// Returns the number of bytes that were not read yet.
    pub(super) fn left(&self) -> u64 {
        self.length - self.at
    }

    /// Returns how many of the next bytes do not belong to a wanted tensor.
    pub(super) fn skippable(&self) -> u64 {
        self.parts.last().map_or(self.length, |part| part.start).saturating_sub(self.at)
    }

    /// Skips `bytes` bytes, at most [`Self::skippable`].
    pub(super) fn skip(&mut self, bytes: u64) {
        self.at += bytes;
    }

    /// Takes bytes from the front of `bytes`, up to the end of the storage.
    pub(super) fn push(
        &mut self,
        contents: &Contents,
        consumer: &mut impl Consumer,
        bytes: &mut &[u8],
    ) -> Outcome<()> {
        while self.left() > 0 && !bytes.is_empty() {
            let skipped = self.skippable();
            if skipped > 0 {
                let now = self.next(bytes, skipped);
                self.at += now.len() as u64;
                continue;
            }
            let Some(Part { end, streams, .. }) = self.parts.last() else { break };
            let (end, streams) = (*end, *streams);
            let now = self.next(bytes, end - self.at);
            if streams {
                self.stream(contents, consumer, now)?;
            } else {
                append(&mut self.kept, now, "overlapping or strided tensors")?;
            }
            self.at += now.len() as u64;
            if self.at == end {
                self.end_part(contents, consumer)?;
            }
        }
        Ok(())
    }

    fn next<'a>(&self, bytes: &mut &'a [u8], most: u64) -> &'a [u8] {
        let count = usize::try_from(most).map_or(bytes.len(), |most| most.min(bytes.len()));
        let (now, later) = bytes.split_at(count);
        *bytes = later;
        now
    }

    fn stream(
        &mut self,
        contents: &Contents,
        consumer: &mut impl Consumer,
        bytes: &[u8],
    ) -> Outcome<()> {
        let part = self.parts.last().map_or(&[][..], |part| &part.tensors);
        for &n in part {
            let tensor = &contents.tensors[n].tensor;
            if !self.is_begun {
                consumer.begin(tensor, tensor.bytes)?;
            }
            consumer.push(bytes)?;
        }
        self.is_begun = true;
        Ok(())
    }

    fn end_part(&mut self, contents: &Contents, consumer: &mut impl Consumer) -> Outcome<()> {
        self.is_begun = false;
        let kept = std::mem::take(&mut self.kept);
        let Some(part) = self.parts.pop() else { return Ok(()) };
        for &n in part.tensors.iter().filter(|_| !part.streams) {
            let placed = &contents.tensors[n];
            let from = (placed.start - part.start) as usize; // within `kept`
            if consumer.begin(&placed.tensor, kept.len())? {
                gather(placed, &kept[from..], consumer)?;
            }
        }
        Ok(())
    }

    /// Returns the name of an incomplete tensor, for messages.
    pub(super) fn lacking(&self, contents: &Contents) -> Option<String> {
        let n = *self.parts.last()?.tensors.first()?;
        Some(shown(&contents.tensors[n].tensor.name))
    }
}

/// Passes on a tensor's elements in row-major order. `from` begins at the first element.
fn gather(placed: &Placed, from: &[u8], consumer: &mut impl Consumer) -> Outcome<()> {
    if placed.is_contiguous() {
        consumer.push(&from[..placed.tensor.bytes])?;
        return Ok(());
    }
    let shape = &placed.tensor.shape;
    let mut position = vec![0; shape.len()];
    let mut at = 0;
    let mut block = Vec::with_capacity(BLOCK.min(placed.tensor.bytes));
    for _ in 0..placed.tensor.bytes / placed.width {
        block.extend_from_slice(&from[at..at + placed.width]);
        if block.len() >= BLOCK {
            consumer.push(&block)?;
            block.clear();
        }
        for axis in (0..shape.len()).rev() {
            let stride = placed.strides[axis] as usize; // within `from`
            position[axis] += 1;
            if position[axis] < shape[axis] {
                at += stride;
                break;
            }
            at -= stride * (shape[axis] - 1);
            position[axis] = 0;
        }
    }
    if !block.is_empty() {
        consumer.push(&block)?;
    }
    Ok(())
}
