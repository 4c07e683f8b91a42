//! The format since PyTorch 1.6: a zip file of stored entries. `torch.save` writes an entry's size
//! only after its bytes, in a descriptor. The pickle comes first, and it contains the size of each
//! storage. Any other entry ends at the first descriptor that states the number of bytes so far.

use std::collections::BTreeMap;

use super::Consumer;
use super::contents::Contents;
use super::cut_short;
use super::pickle::{Machine, shown};
use super::storage::Filling;
use crate::checkpoint::fault::{Outcome, append, bad, unsupported};
use crate::checkpoint::rows::take;

const ENTRY: &[u8] = b"PK\x03\x04";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";
const END: &[u8] = b"PK\x05\x06";

/// Length of a descriptor with 32-bit or 64-bit sizes, including the next two bytes, which are
/// always "PK".
const SHORT_DESCRIPTOR: usize = 18;
const LONG_DESCRIPTOR: usize = 26;

/// The size in a header if the 64-bit size is in the extra field.
const IN_EXTRA: u64 = 0xffff_ffff;

/// The maximum number of storage bytes that are kept until the pickle is read.
const MOST_EARLY: usize = 64 << 20;

/// The number of bytes that are searched at a time for a descriptor.
const WINDOW: usize = 1 << 12;

/// The maximum length of a text entry.
const LONGEST_TEXT: usize = 64;

/// A file that is being read.
#[derive(Default)]
pub(in crate::checkpoint) struct Zip {
    state: State,
    /// The first bytes of a header or of a possible descriptor.
    carry: Vec<u8>,
    /// The number of entries so far, and the number of entries in the list at the end.
    entries: u64,
    listed: u64,
    /// The folder of `data.pkl`, with a trailing slash.
    folder: String,
    machine: Machine,
    contents: Option<Contents>,
    /// Numbers of the storages by key.
    numbers: BTreeMap<String, usize>,
    /// Names and bytes of the entries before the pickle.
    early: Vec<(String, Vec<u8>)>,
    /// The total bytes of `early`.
    early_bytes: usize,
}

#[derive(Default)]
enum State {
    /// A header is next.
    #[default]
    Header,
    Entry(Entry),
    /// The list of entries has ended.
    Done,
}

/// An entry that is being read.
struct Entry {
    name: String,
    /// `None` until the descriptor is found.
    size: Option<u64>,
    /// The number of bytes read so far.
    at: u64,
    has_descriptor: bool,
    sink: Sink,
}

/// The destination of an entry's bytes.
enum Sink {
    Skip,
    Pickle,
    Storage(Filling),
    /// A short text, e.g. "little".
    Text(Vec<u8>),
    /// A storage before the pickle.
    Early(Vec<u8>),
}

/// The fields of an entry's header that are used.
struct Header {
    flags: u64,
    method: u64,
    packed: u64,
    size: u64,
    name_length: usize,
    extra_length: usize,
}

impl Zip {
    pub(super) fn push(&mut self, consumer: &mut impl Consumer, mut bytes: &[u8]) -> Outcome<()> {
        while !bytes.is_empty() {
            match std::mem::take(&mut self.state) {
                State::Header => self.header(consumer, &mut bytes)?,
                State::Entry(entry) => self.entry(consumer, entry, &mut bytes)?,
                State::Done => return bad("the file goes on after its end"),
            }
        }
        Ok(())
    }

    pub(super) fn finish(&self) -> Outcome<()> {
        let contents = self.contents.as_ref();
        match &self.state {
            State::Entry(Entry { sink: Sink::Storage(filling), .. }) => {
                let tensor = contents.and_then(|contents| filling.lacking(contents));
                match tensor {
                    Some(tensor) => cut_short(&format!("tensor \"{tensor}\"")),
                    None => cut_short("a storage"),
                }
            }
            State::Entry(entry) => cut_short(&format!("its entry \"{}\"", shown(&entry.name))),
            State::Header => cut_short("its list of entries"),
            State::Done => Ok(()),
        }
    }

    pub(super) fn skippable(&self) -> u64 {
        let State::Entry(Entry { size: Some(size), at, sink, .. }) = &self.state else { return 0 };
        // The last byte of an entry must be pushed, because it ends the entry.
        let left = (size - at).saturating_sub(1);
        match sink {
            Sink::Skip => left,
            Sink::Storage(filling) => filling.skippable().min(left),
            _ => 0,
        }
    }

    pub(super) fn skip(&mut self, bytes: u64) {
        if let State::Entry(entry) = &mut self.state {
            entry.at += bytes;
            if let Sink::Storage(filling) = &mut entry.sink {
                filling.skip(bytes);
            }
        }
    }

    /// Moves bytes from `bytes` until `carry` has `count` bytes. Returns whether it has enough.
    fn has(&mut self, bytes: &mut &[u8], count: usize) -> bool {
        if self.carry.len() < count {
            take(bytes, &mut self.carry, count);
        }
        self.carry.len() >= count
    }

    /// Reads a header, or a record of the list at the end of the file.
    fn header(&mut self, consumer: &mut impl Consumer, bytes: &mut &[u8]) -> Outcome<()> {
        if !self.has(bytes, 4) {
            return Ok(());
        }
        let (fixed, is_last) = match &self.carry[..4] {
            ENTRY => return self.entry_header(consumer, bytes),
            CENTRAL => (46, false),
            END_64 => (12, false),
            LOCATOR_64 => (20, false),
            END => (22, true),
            _ => return bad("expected an entry of a zip file, got other bytes: it is damaged"),
        };
        if !self.has(bytes, fixed) {
            return Ok(());
        }
        let carry = &self.carry;
        let more = match &carry[..4] {
            CENTRAL => [28, 30, 32].iter().map(|&at| number(carry, at, 2) as usize).sum(),
            END_64 => match number(carry, 4, 8) {
                length @ 0..=0xffff => length as usize,
                _ => return bad("the list of entries is damaged"),
            },
            END => number(carry, 20, 2) as usize,
            _ => 0,
        };
        if !self.has(bytes, fixed + more) {
            return Ok(());
        }
        if self.carry.starts_with(CENTRAL) {
            self.listed += 1;
        }
        self.carry.clear();
        if is_last {
            self.end()?;
            self.state = State::Done;
        }
        Ok(())
    }

    /// Checks that all entries were read.
    fn end(&self) -> Outcome<()> {
        let Some(contents) = &self.contents else {
            return bad("expected a file of torch.save, got a zip file without data.pkl");
        };
        if let Some(what) = contents.missing() {
            return bad(what);
        }
        match self.listed == self.entries {
            true => Ok(()),
            false => {
                bad(format!("the file has {} entries, its list has {}", self.entries, self.listed))
            }
        }
    }

    fn entry_header(&mut self, consumer: &mut impl Consumer, bytes: &mut &[u8]) -> Outcome<()> {
        if !self.has(bytes, 30) {
            return Ok(());
        }
        let header = Header {
            flags: number(&self.carry, 6, 2),
            method: number(&self.carry, 8, 2),
            packed: number(&self.carry, 18, 4),
            size: number(&self.carry, 22, 4),
            name_length: number(&self.carry, 26, 2) as usize,
            extra_length: number(&self.carry, 28, 2) as usize,
        };
        if !self.has(bytes, 30 + header.name_length + header.extra_length) {
            return Ok(());
        }
        let carry = std::mem::take(&mut self.carry);
        let (name, extra) = carry[30..].split_at(header.name_length);
        let name = String::from_utf8_lossy(name).into_owned();
        let shown_name = shown(&name);
        if header.flags & 1 != 0 {
            return unsupported(format!("entry \"{shown_name}\" is encrypted"));
        }
        if header.method != 0 {
            let method = header.method;
            return unsupported(format!(
                "entry \"{shown_name}\" is compressed by method {method}, expected stored bytes"
            ));
        }
        let has_descriptor = header.flags & 8 != 0;
        let sizes = sizes(&header, extra);
        let size = match sizes {
            (0, 0) if has_descriptor => None,
            (packed, size) if packed == size => Some(size),
            (packed, size) => {
                return bad(format!("entry \"{shown_name}\" has {size} bytes stored as {packed}"));
            }
        };
        self.entries += 1;
        let (sink, size) = self.sink(consumer, &name, size)?;
        let entry = Entry { name, size, at: 0, has_descriptor, sink };
        match entry.size {
            Some(0) if !has_descriptor => self.end_entry(consumer, entry),
            _ => {
                self.state = State::Entry(entry);
                Ok(())
            }
        }
    }

    /// Returns the destination of an entry, and its size if known.
    fn sink(
        &mut self,
        consumer: &mut impl Consumer,
        name: &str,
        size: Option<u64>,
    ) -> Outcome<(Sink, Option<u64>)> {
        let below = |folder: &str| name.strip_prefix(folder).map(str::to_owned);
        if self.contents.is_none() {
            return Ok(match name.strip_suffix("data.pkl") {
                Some(folder) if folder.is_empty() || folder.ends_with('/') => {
                    self.folder = folder.to_owned();
                    (Sink::Pickle, size)
                }
                _ if name.contains("data/") => (Sink::Early(Vec::new()), size),
                _ if name.ends_with("byteorder") => (Sink::Text(Vec::new()), size),
                _ => (Sink::Skip, size),
            });
        }
        let Some(name) = below(&self.folder) else { return Ok((Sink::Skip, size)) };
        if name == "byteorder" {
            return Ok((Sink::Text(Vec::new()), size));
        }
        match name.strip_prefix("data/").filter(|key| self.numbers.contains_key(*key)) {
            Some(key) => {
                let filling = self.storage(consumer, key, size)?;
                let length = filling.left();
                Ok((Sink::Storage(filling), Some(length)))
            }
            None if name == "data.pkl" => bad("the file has two entries \"data.pkl\""),
            None => Ok((Sink::Skip, size)),
        }
    }

    /// Begins the storage with this key.
    fn storage(
        &mut self,
        consumer: &mut impl Consumer,
        key: &str,
        size: Option<u64>,
    ) -> Outcome<Filling> {
        let (Some(contents), Some(&n)) = (&mut self.contents, self.numbers.get(key)) else {
            return bad("a storage comes before the tensors");
        };
        let storage = &mut contents.storages[n];
        if std::mem::replace(&mut storage.has_come, true) {
            return bad(format!("the file has storage {} twice", shown(key)));
        }
        let expected = storage.bytes;
        if let Some(size) = size.filter(|&size| size != expected) {
            return bad(format!("storage {}: expected {expected} bytes, got {size}", shown(key)));
        }
        Filling::new(contents, n, consumer)
    }

    /// Reads an entry's bytes, up to its end.
    fn entry(
        &mut self,
        consumer: &mut impl Consumer,
        mut entry: Entry,
        bytes: &mut &[u8],
    ) -> Outcome<()> {
        let ended = match entry.size {
            Some(size) => {
                let left = usize::try_from(size - entry.at).unwrap_or(usize::MAX);
                let (now, later) = bytes.split_at(left.min(bytes.len()));
                *bytes = later;
                self.take(consumer, &mut entry, now)?;
                entry.at == size && (!entry.has_descriptor || self.ends(&entry, bytes)?)
            }
            None => self.find_end(consumer, &mut entry, bytes)?,
        };
        match ended {
            true => self.end_entry(consumer, entry),
            false => {
                self.state = State::Entry(entry);
                Ok(())
            }
        }
    }

    /// Reads the descriptor of an entry whose size is known. Returns whether it is complete.
    fn ends(&mut self, entry: &Entry, bytes: &mut &[u8]) -> Outcome<bool> {
        let expected = || {
            bad(format!(
                "entry \"{}\" does not end after its {} bytes",
                shown(&entry.name),
                entry.at
            ))
        };
        if !self.has(bytes, SHORT_DESCRIPTOR) {
            return Ok(false);
        }
        let length = match descriptor(&self.carry, entry.at) {
            Some(length) => length,
            None if !self.has(bytes, LONG_DESCRIPTOR) => return Ok(false),
            None => match descriptor(&self.carry, entry.at) {
                Some(length) => length,
                None => return expected(),
            },
        };
        self.carry.drain(..length);
        Ok(true)
    }

    /// Searches for the descriptor of an entry whose size is unknown. Returns whether it was found.
    fn find_end(
        &mut self,
        consumer: &mut impl Consumer,
        entry: &mut Entry,
        bytes: &mut &[u8],
    ) -> Outcome<bool> {
        let mut window = std::mem::take(&mut self.carry);
        let before = window.len();
        let (now, later) = bytes.split_at(bytes.len().min(WINDOW));
        window.extend_from_slice(now);
        // A descriptor is recognised only when all its bytes have arrived.
        let mut from = 0;
        while window.len() - from >= LONG_DESCRIPTOR {
            let rest = &window[from..];
            let last = rest.len() - LONG_DESCRIPTOR;
            let found = rest[..last + DESCRIPTOR.len()]
                .windows(DESCRIPTOR.len())
                .position(|four| four == DESCRIPTOR);
            let data = found.unwrap_or(last + 1);
            self.take(consumer, entry, &rest[..data])?;
            from += data;
            if found.is_none() {
                break;
            }
            if let Some(length) = descriptor(&window[from..], entry.at) {
                // Bytes after the descriptor are still in `bytes`, or were kept before.
                let end = from + length;
                if end >= before {
                    *bytes = &bytes[end - before..];
                } else {
                    self.carry = window[end..before].to_vec();
                }
                return Ok(true);
            }
            self.take(consumer, entry, &window[from..=from])?;
            from += 1;
        }
        self.carry = window[from..].to_vec();
        *bytes = later;
        Ok(false)
    }

    /// Passes on bytes of an entry.
    fn take(
        &mut self,
        consumer: &mut impl Consumer,
        entry: &mut Entry,
        mut bytes: &[u8],
    ) -> Outcome<()> {
        entry.at += bytes.len() as u64;
        match &mut entry.sink {
            Sink::Skip => Ok(()),
            // Bytes after the pickle's end are ignored, as in Python.
            Sink::Pickle => self.machine.push(&mut bytes).map(|_| ()),
            Sink::Storage(filling) => match &self.contents {
                Some(contents) => filling.push(contents, consumer, &mut bytes),
                None => Ok(()),
            },
            Sink::Text(text) => {
                let room = LONGEST_TEXT.saturating_sub(text.len()).min(bytes.len());
                append(text, &bytes[..room], &entry.name)
            }
            Sink::Early(kept) => {
                self.early_bytes += bytes.len();
                if self.early_bytes > MOST_EARLY {
                    return unsupported(format!(
                        "expected data.pkl as the first entry, got more than {MOST_EARLY} bytes of others before it"
                    ));
                }
                append(kept, bytes, &entry.name)
            }
        }
    }

    fn end_entry(&mut self, consumer: &mut impl Consumer, entry: Entry) -> Outcome<()> {
        match entry.sink {
            Sink::Skip | Sink::Storage(_) => Ok(()),
            Sink::Text(text) if text.trim_ascii() == b"little" => Ok(()),
            Sink::Text(_) => unsupported("the file is big-endian"),
            Sink::Early(kept) => {
                self.early.push((entry.name, kept));
                Ok(())
            }
            Sink::Pickle => self.end_pickle(consumer),
        }
    }

    fn end_pickle(&mut self, consumer: &mut impl Consumer) -> Outcome<()> {
        let machine = std::mem::take(&mut self.machine);
        if machine.result().is_none() {
            return cut_short("its pickle, data.pkl");
        }
        let contents = Contents::read(&machine)?;
        drop(machine);
        consumer.found(&mut contents.tensors.iter().map(|placed| &placed.tensor))?;
        self.numbers = contents.numbers();
        self.contents = Some(contents);
        for (name, bytes) in std::mem::take(&mut self.early) {
            let (sink, _) = self.sink(consumer, &name, Some(bytes.len() as u64))?;
            if let (Sink::Storage(mut filling), Some(contents)) = (sink, &self.contents) {
                filling.push(contents, consumer, &mut &bytes[..])?;
            }
        }
        Ok(())
    }
}

/// Returns the length of the descriptor at the front of `bytes` for an entry of `size` bytes.
/// Returns `None` without a matching descriptor.
fn descriptor(bytes: &[u8], size: u64) -> Option<usize> {
    if !bytes.starts_with(DESCRIPTOR) {
        return None;
    }
    let is = |width: usize| {
        let next = 8 + 2 * width;
        bytes.get(next..next + 2) == Some(b"PK")
            && (number(bytes, 8, width), number(bytes, 8 + width, width)) == (size, size)
    };
    match (is(4), is(8)) {
        (true, _) => Some(SHORT_DESCRIPTOR - 2),
        (_, true) => Some(LONG_DESCRIPTOR - 2),
        _ => None,
    }
}

/// Returns an entry's stored and original size. They are in the extra field if they do not fit in
/// the header.
fn sizes(header: &Header, mut extra: &[u8]) -> (u64, u64) {
    let Header { mut packed, mut size, .. } = *header;
    while extra.len() >= 4 {
        let (id, length) = (number(extra, 0, 2), number(extra, 2, 2) as usize);
        let field = extra.get(4..4 + length).unwrap_or_default();
        if id == 1 {
            let mut at = 0;
            for (value, _) in [(&mut size, "size"), (&mut packed, "packed")] {
                if *value == IN_EXTRA && field.len() >= at + 8 {
                    *value = number(field, at, 8);
                    at += 8;
                }
            }
        }
        extra = extra.get(4 + length..).unwrap_or_default();
    }
    (packed, size)
}

/// Returns a little-endian integer of `width` bytes, or 0 if the bytes are missing.
fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let bytes = bytes.get(at..at + width).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
