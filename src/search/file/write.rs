//! Writes an index to bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytemuck::cast_slice;

use super::{Header, SECTIONS, Section};
use crate::search::Index;
use crate::search::checksum::Checksum;
use crate::search::varint;
use crate::search::vectors::Rows;
use crate::search::words::Postings;

/// Returns the bytes of a section. They are empty for the sections that the caller writes.
pub fn section(index: &Index, section: Section) -> Cow<'_, [u8]> {
    match (section, &index.vectors.rows) {
        (Section::Description | Section::Documents, _) => Cow::default(),
        (Section::Places, _) => places(index).into(),
        (Section::Words, _) => {
            let words = index.words.as_ref().map(|words| &words.postings);
            let sparse = index.sparse.as_ref().map(|sparse| &sparse.postings);
            let parts = words.into_iter().chain(sparse).map(postings);
            parts.collect::<Vec<_>>().concat().into()
        }
        (Section::Scales, Rows::Quantized(rows)) => {
            floats(rows.centre.iter().chain(&rows.scales)).into()
        }
        (Section::Rows, Rows::Quantized(rows)) => Cow::Borrowed(cast_slice(&rows.high)),
        (Section::Rows, Rows::Exact(rows)) => floats(rows.iter()).into(),
        (Section::Low, Rows::Quantized(rows)) => Cow::Borrowed(&rows.low),
        (Section::Scales | Section::Low, Rows::Exact(_)) => Cow::default(),
    }
}

fn floats<'a>(numbers: impl Iterator<Item = &'a f32>) -> Vec<u8> {
    numbers.flat_map(|number| number.to_le_bytes()).collect()
}

fn places(index: &Index) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut next = 0;
    for (n, place) in index.places.iter().enumerate() {
        varint::push(&mut bytes, u32::from(place.document == next));
        next = place.document + 1;
        varint::push(&mut bytes, place.start);
        varint::push(&mut bytes, place.end - place.start);
        if let Some(words) = &index.words {
            varint::push(&mut bytes, words.lengths[n]);
        }
    }
    bytes
}

fn postings(all: &BTreeMap<u32, Postings>) -> Vec<u8> {
    let mut bytes = Vec::new();
    varint::push(&mut bytes, all.len() as u32);
    let mut last = 0;
    for (&piece, postings) in all {
        varint::push(&mut bytes, piece - last);
        varint::push(&mut bytes, postings.count);
        bytes.extend(&postings.bytes);
        last = piece;
    }
    bytes
}

/// Counts and checksums a file's sections while they are written, in any pieces. The header is made
/// from the result.
#[derive(Debug)]
pub struct Writer {
    sections: [(u64, Checksum); SECTIONS.len()],
}

impl Default for Writer {
    fn default() -> Self {
        Self { sections: [(0, Checksum::new()); SECTIONS.len()] }
    }
}

impl Writer {
    /// Takes the next bytes of a section.
    pub fn push(&mut self, section: Section, bytes: &[u8]) {
        let (length, checksum) = &mut self.sections[section as usize];
        *length += bytes.len() as u64;
        checksum.update(bytes);
    }

    /// Returns the header of a file with these sections of `index`.
    pub fn header(&self, index: &Index) -> Vec<u8> {
        let sections = self.sections.map(|(length, checksum)| (length, checksum.value()));
        Header { sections, ..Header::of(index) }.write()
    }
}
