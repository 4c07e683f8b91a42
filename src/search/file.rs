//! The file format of an index. A file is a header followed by seven sections. All numbers are
//! little-endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `WEBERTIX` |
//! | 4 | the version of the format, 1 |
//! | 4 | flags: 1 dot products, 2 vectors are kept in f32, 4 they are quantized by now, 8 there are words, 16 there are sparse vectors |
//! | 4 each | numbers of a vector, documents, passages |
//! | 7 · 12 | of each section its length in bytes, u64, and its CRC-32 |
//! | 4 | CRC-32 of all that precedes it |
//!
//! The sections have the order of [`Section`]. The counts in a header are checked against the
//! file's size and the sections' shapes before any memory is allocated. Checksums detect damage,
//! and every reference is checked against its target.

mod read;
mod write;

pub use read::Reader;
pub use write::{Writer, section};

use super::Index;
use super::checksum;
use super::vectors::{MAX_DIMENSIONS, MAX_ROWS, Rows, Similarity};
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"WEBERTIX";
const VERSION: u32 = 1;

/// Size of the header in bytes.
pub const HEADER: usize = 8 + 5 * 4 + SECTIONS.len() * 12 + 4;

/// The sections of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Description of the index by the caller: any bytes.
    Description,
    /// The documents, in the caller's format: any bytes.
    Documents,
    /// For each passage, as varints: 1 if it is the first of the next document, otherwise 0; its
    /// start; its length; and with words, its number of pieces.
    Places,
    /// As varints: the number of distinct pieces. For each piece: the difference of its id from the
    /// previous one, and its number of passages. For each passage of a piece: the number of
    /// passages skipped since the previous one, and how often it has the piece. With sparse vectors,
    /// the same follows for their tokens, with weights in units of 1 / 4096.
    Words,
    /// f32: the centre and the scale of each row. Empty if rows are exact.
    Scales,
    /// The upper 8 bits of each number of the rows. If rows are exact, the numbers as f32.
    Rows,
    /// The lower two bits of four numbers per byte. Empty if rows are exact.
    Low,
}

/// All sections, in order.
pub const SECTIONS: [Section; 7] = [
    Section::Description,
    Section::Documents,
    Section::Places,
    Section::Words,
    Section::Scales,
    Section::Rows,
    Section::Low,
];

impl Section {
    /// Returns the name for messages.
    fn name(self) -> &'static str {
        match self {
            Self::Description => "description",
            Self::Documents => "documents",
            Self::Places => "passages",
            Self::Words => "words",
            Self::Scales => "scales",
            Self::Rows => "vectors",
            Self::Low => "vectors' lower bits",
        }
    }
}

/// The contents of a header.
#[derive(Debug, Clone, PartialEq)]
struct Header {
    similarity: Similarity,
    quantizes: bool,
    quantized: bool,
    words: bool,
    sparse: bool,
    dimensions: u32,
    documents: u32,
    passages: u32,
    /// Length in bytes, and checksum.
    sections: [(u64, u32); SECTIONS.len()],
}

fn bad(what: impl AsRef<str>) -> Error {
    Error::BadInput(format!("the index file {}", what.as_ref()))
}

impl Header {
    fn of(index: &Index) -> Self {
        Self {
            similarity: index.vectors.similarity,
            quantizes: index.vectors.quantizes,
            quantized: matches!(index.vectors.rows, Rows::Quantized(_)),
            words: index.words.is_some(),
            sparse: index.sparse.is_some(),
            dimensions: index.vectors.dimensions as u32,
            documents: index.documents,
            passages: index.places.len() as u32,
            sections: [(0, 0); SECTIONS.len()],
        }
    }

    fn write(&self) -> Vec<u8> {
        let dot = self.similarity == Similarity::Dot;
        let flags = [dot, !self.quantizes, self.quantized, self.words, self.sparse];
        let flags = flags.iter().enumerate().map(|(n, &flag)| u32::from(flag) << n).sum();
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, flags, self.dimensions, self.documents, self.passages] {
            bytes.extend(number.to_le_bytes());
        }
        for (length, checksum) in self.sections {
            bytes.extend(length.to_le_bytes());
            bytes.extend(checksum.to_le_bytes());
        }
        bytes.extend(checksum::of(&bytes).to_le_bytes());
        bytes
    }

    /// Reads the header of a file of `size` bytes.
    fn read(bytes: &[u8], size: u64) -> Result<Self> {
        if !bytes.starts_with(MAGIC) {
            return Err(bad("is not a webert index: expected the magic WEBERTIX"));
        }
        if bytes.len() < HEADER {
            let found = bytes.len();
            return Err(bad(format!(
                "is truncated: expected a header of {HEADER} bytes, got {found}"
            )));
        }
        let number =
            |at: usize| bytes[at..].first_chunk().map_or(0, |four| u32::from_le_bytes(*four));
        let version = number(8);
        if version != VERSION {
            return Err(Error::Unsupported(format!(
                "the index file is of version {version}, expected {VERSION}"
            )));
        }
        if checksum::of(&bytes[..HEADER - 4]) != number(HEADER - 4) {
            return Err(bad("is damaged: the checksum of its header does not match"));
        }
        let [flags, dimensions, documents, passages] = [12, 16, 20, 24].map(number);
        let section = |n: usize| {
            let at = 28 + 12 * n;
            let length = u64::from(number(at)) | u64::from(number(at + 4)) << 32;
            (length, number(at + 8))
        };
        let flag = |n: u32| flags >> n & 1 == 1;
        let header = Self {
            similarity: if flag(0) { Similarity::Dot } else { Similarity::Cosine },
            quantizes: !flag(1),
            quantized: flag(2),
            words: flag(3),
            sparse: flag(4),
            dimensions,
            documents,
            passages,
            sections: std::array::from_fn(section),
        };
        if flags > 31 || (header.quantized && !header.quantizes) {
            return Err(bad(format!("has unknown flags {flags:#x}")));
        }
        header.check(size)?;
        Ok(header)
    }

    /// Checks that counts and lengths are possible for a file of `size` bytes.
    fn check(&self, size: u64) -> Result<()> {
        let Self { dimensions, documents, passages, .. } = *self;
        if dimensions == 0 || dimensions as usize > MAX_DIMENSIONS || passages as usize > MAX_ROWS {
            return Err(bad(format!(
                "has an invalid header: expected at most {MAX_ROWS} vectors of 1 to {MAX_DIMENSIONS} \
                 numbers, got {passages} of {dimensions}"
            )));
        }
        if documents > passages || (documents == 0 && passages > 0) {
            return Err(bad(format!(
                "has an invalid header: got {documents} documents with {passages} passages"
            )));
        }
        let whole = self.sections.iter().try_fold(HEADER as u64, |sum, it| sum.checked_add(it.0));
        match whole {
            Some(whole) if whole == size => {}
            Some(whole) if whole > size => {
                return Err(bad(format!("is truncated: expected {whole} bytes, got {size}")));
            }
            _ => return Err(bad(format!("has {size} bytes, more than its sections"))),
        }
        let (passages, dimensions) = (u64::from(passages), u64::from(dimensions));
        for (section, (found, _)) in SECTIONS.into_iter().zip(self.sections) {
            let expected = match section {
                Section::Scales if self.quantized => 4 * (dimensions + passages),
                Section::Rows if self.quantized => passages * dimensions,
                Section::Rows => 4 * passages * dimensions,
                Section::Low if self.quantized => passages * dimensions.div_ceil(4),
                Section::Scales | Section::Low => 0,
                Section::Words if !self.words && !self.sparse => 0,
                Section::Description | Section::Documents | Section::Places | Section::Words => {
                    continue;
                }
            };
            if found != expected {
                let name = section.name();
                return Err(bad(format!(
                    "has an invalid header: expected {expected} bytes of {name}, got {found}"
                )));
            }
        }
        Ok(())
    }
}
