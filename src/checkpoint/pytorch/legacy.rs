//! The format before PyTorch 1.6. It begins with five pickles: a magic number, the format's
//! version, system information, the tensors, and the keys of the storages. The storages follow in
//! the order of their keys. Each is preceded by its length.

use std::collections::BTreeMap;

use super::Consumer;
use super::contents::Contents;
use super::cut_short;
use super::pickle::{Machine, Value, shown};
use super::storage::Filling;
use crate::checkpoint::fault::{Outcome, bad, unsupported};
use crate::checkpoint::rows::take;

/// The magic number at the start of a file, little-endian.
const MAGIC: [u8; 10] = [0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];

/// The version of the format.
const VERSION: i64 = 1001;

/// Names of the pickles, for messages.
const PICKLES: [&str; 5] =
    ["the magic number", "the format's version", "the system's facts", "the tensors", "the keys"];

/// A file that is being read.
#[derive(Default)]
pub(in crate::checkpoint) struct Legacy {
    /// Pickles that are complete.
    pickles: usize,
    machine: Machine,
    contents: Option<Contents>,
    /// Numbers of the storages that were not read yet, with the next one last.
    order: Vec<usize>,
    /// The first bytes of a storage's length.
    length: Vec<u8>,
    filling: Option<Filling>,
}

impl Legacy {
    pub(super) fn push(&mut self, consumer: &mut impl Consumer, mut bytes: &[u8]) -> Outcome<()> {
        while self.pickles < PICKLES.len() && !bytes.is_empty() {
            if self.machine.push(&mut bytes)? {
                let machine = std::mem::take(&mut self.machine);
                self.end_pickle(&machine, consumer)?;
                self.pickles += 1;
            }
        }
        let Some(contents) = &mut self.contents else { return Ok(()) };
        while !bytes.is_empty() {
            if let Some(filling) = &mut self.filling {
                filling.push(contents, consumer, &mut bytes)?;
                if filling.left() == 0 {
                    self.filling = None;
                }
                continue;
            }
            let Some(&storage) = self.order.last() else {
                return bad("the file goes on after its last storage");
            };
            take(&mut bytes, &mut self.length, 8);
            let Ok(length) = <[u8; 8]>::try_from(self.length.as_slice()) else { break };
            self.length.clear();
            self.order.pop();
            let known = &contents.storages[storage];
            let (found, expected) = (u64::from_le_bytes(length), known.bytes / known.width);
            if found != expected {
                return bad(format!(
                    "storage {}: expected {expected} elements, got {found}",
                    shown(&known.key)
                ));
            }
            let filling = Filling::new(contents, storage, consumer)?;
            self.filling = Some(filling).filter(|filling| filling.left() > 0);
        }
        Ok(())
    }

    fn end_pickle(&mut self, machine: &Machine, consumer: &mut impl Consumer) -> Outcome<()> {
        match (self.pickles, machine.result()) {
            (0, Some(Value::Large(number))) if number[..] == MAGIC => Ok(()),
            (0, _) => bad(
                "expected a file of torch.save, got a pickle that does not begin with its magic number",
            ),
            (1, Some(Value::Int(VERSION))) => Ok(()),
            (1, Some(Value::Int(other))) => {
                unsupported(format!("format version: expected {VERSION}, got {other}"))
            }
            (2, Some(Value::Dict(facts))) => {
                let is_big = facts.iter().any(|&(name, value)| {
                    machine.text(name) == Some("little_endian")
                        && matches!(machine.value(value), Value::Bool(false))
                });
                match is_big {
                    true => unsupported("the file is big-endian"),
                    false => Ok(()),
                }
            }
            (3, _) => {
                let contents = Contents::read(machine)?;
                consumer.found(&mut contents.tensors.iter().map(|placed| &placed.tensor))?;
                self.contents = Some(contents);
                Ok(())
            }
            (4, Some(Value::List(keys))) => {
                let keys: Vec<_> = keys.iter().map(|&key| machine.text(key)).collect();
                self.order(&keys)
            }
            (step, _) => bad(format!("{} are no such value", PICKLES[step])),
        }
    }

    fn order(&mut self, keys: &[Option<&str>]) -> Outcome<()> {
        let Some(contents) = &mut self.contents else { return Ok(()) };
        let numbers: BTreeMap<String, usize> = contents.numbers();
        for key in keys {
            let Some(&n) = key.and_then(|key| numbers.get(key)) else {
                return bad("the list of storages has one that the tensors do not have");
            };
            if std::mem::replace(&mut contents.storages[n].has_come, true) {
                return bad(format!(
                    "storage {} is listed twice",
                    shown(&contents.storages[n].key)
                ));
            }
            self.order.push(n);
        }
        self.order.reverse();
        match contents.missing() {
            Some(what) => bad(what),
            None => Ok(()),
        }
    }

    pub(super) fn finish(&self) -> Outcome<()> {
        if self.pickles < PICKLES.len() {
            return cut_short(PICKLES[self.pickles]);
        }
        let Some(contents) = &self.contents else { return Ok(()) };
        match (&self.filling, self.order.last()) {
            (Some(filling), _) => cut_short(&match filling.lacking(contents) {
                Some(tensor) => format!("tensor \"{tensor}\""),
                None => "a storage".to_owned(),
            }),
            (None, Some(&n)) => cut_short(&format!("storage {}", shown(&contents.storages[n].key))),
            (None, None) => Ok(()),
        }
    }

    pub(super) fn skippable(&self) -> u64 {
        // The last byte of a storage must be pushed, because it ends the storage.
        self.filling.as_ref().map_or(0, |filling| filling.skippable().min(filling.left() - 1))
    }

    pub(super) fn skip(&mut self, bytes: u64) {
        if let Some(filling) = &mut self.filling {
            filling.skip(bytes);
        }
    }
}
