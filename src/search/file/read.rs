//! Reads an index from bytes, which may be damaged.

use std::collections::BTreeMap;

use super::{Header, SECTIONS, Section, bad};
use crate::search::checksum::Checksum;
use crate::search::index::{Index, PassagePlace};
use crate::search::varint;
use crate::search::vectors::{MAX_NUMBER, Quantized, Rows, Vectors};
use crate::search::words::{Postings, Sparse, Words};
use crate::{Error, Result};

/// Reads a file in pieces of any size.
///
/// ```
/// use webert::search::file::{Reader, SECTIONS, Writer, section};
/// use webert::search::{Index, Passage, Similarity};
///
/// # fn main() -> webert::Result<()> {
/// let mut index = Index::new(2, Similarity::Cosine, true, true)?;
/// index.add(&[Passage { start: 0, end: 5, pieces: &[7] }], &[0.0, 1.0])?;
///
/// let mut writer = Writer::default();
/// let parts = SECTIONS.map(|part| section(&index, part));
/// SECTIONS.iter().zip(&parts).for_each(|(&part, bytes)| writer.push(part, bytes));
/// let file = [&writer.header(&index), &parts.concat()[..]].concat();
///
/// let mut reader = Reader::open(&file, file.len() as u64)?;
/// reader.push(&file[webert::search::file::HEADER..])?;
/// assert_eq!(reader.finish()?, index);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Reader {
    header: Header,
    /// Section of the next byte. Beyond the last section, no byte may follow.
    current: usize,
    /// Number of bytes of this section so far.
    taken: u64,
    checksum: Checksum,
    /// Bytes of the sections, except the caller's own.
    kept: [Vec<u8>; SECTIONS.len()],
}

impl Reader {
    /// Reads the header of a file of `size` bytes. `bytes` is the start of the file.
    ///
    /// # Errors
    /// `bad_input` if the header is invalid or does not match the size, `unsupported` for another
    /// version.
    pub fn open(bytes: &[u8], size: u64) -> Result<Self> {
        let header = Header::read(bytes, size)?;
        let mut reader = Self {
            header,
            current: 0,
            taken: 0,
            checksum: Checksum::new(),
            kept: Default::default(),
        };
        reader.skip_ended()?;
        Ok(reader)
    }

    /// Returns the lengths of the sections in bytes.
    pub fn lengths(&self) -> [u64; SECTIONS.len()] {
        self.header.sections.map(|(length, _)| length)
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> usize {
        self.header.documents as usize
    }

    /// Takes the next bytes after the header.
    ///
    /// # Errors
    /// `bad_input` if a completed section is damaged or if bytes follow the last section.
    /// `out_of_memory`.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let Some(&section) = SECTIONS.get(self.current) else {
                return Err(bad(format!("has {} bytes after its end", bytes.len())));
            };
            let left = self.header.sections[self.current].0 - self.taken;
            let count = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
            let (part, rest) = bytes.split_at(count);
            self.checksum.update(part);
            self.taken += count as u64;
            if !matches!(section, Section::Description | Section::Documents) {
                self.keep(part)?;
            }
            bytes = rest;
            self.skip_ended()?;
        }
        Ok(())
    }

    fn keep(&mut self, part: &[u8]) -> Result<()> {
        let to = &mut self.kept[self.current];
        // The header's lengths were checked against the file's size, so a false length cannot
        // exhaust memory.
        let length = self.header.sections[self.current].0;
        let more = usize::try_from(length).ok().map(|length| length.saturating_sub(to.len()));
        let reserved = more.is_some_and(|more| to.try_reserve_exact(more).is_ok());
        if !reserved {
            return Err(Error::OutOfMemory(format!("no memory for {length} bytes of the index")));
        }
        to.extend(part);
        Ok(())
    }

    /// Checks complete sections and moves on to the next section that has bytes.
    fn skip_ended(&mut self) -> Result<()> {
        // A loop, because several sections in a row may be empty.
        while let Some(&(length, checksum)) = self.header.sections.get(self.current)
            && self.taken == length
        {
            if self.checksum.value() != checksum {
                let name = SECTIONS[self.current].name();
                return Err(bad(format!("is damaged: the checksum of its {name} does not match")));
            }
            (self.current, self.taken, self.checksum) = (self.current + 1, 0, Checksum::new());
        }
        Ok(())
    }

    /// Returns the index after the last byte.
    ///
    /// # Errors
    /// `bad_input` if bytes are missing or the contents are inconsistent.
    pub fn finish(mut self) -> Result<Index> {
        if let Some(section) = SECTIONS.get(self.current) {
            let (length, name) = (self.header.sections[self.current].0, section.name());
            return Err(bad(format!(
                "is truncated: expected {length} bytes of {name}, got {}",
                self.taken
            )));
        }
        let places = std::mem::take(&mut self.kept[Section::Places as usize]);
        let (places, lengths) = self.places(&places)?;
        let words = std::mem::take(&mut self.kept[Section::Words as usize]);
        let mut rest = &words[..];
        let words = self.header.words.then(|| read_words(&mut rest, lengths)).transpose()?;
        let sparse = self.header.sparse.then(|| self.sparse(&mut rest)).transpose()?;
        if !rest.is_empty() {
            return Err(wrong_words());
        }
        let Header { dimensions, similarity, quantizes, documents, .. } = self.header;
        let vectors = Vectors {
            rows: self.rows()?,
            ..Vectors::new(dimensions as usize, similarity, quantizes)?
        };
        Ok(Index { vectors, places, words, sparse, documents })
    }

    /// Returns the passages, and the number of pieces of each.
    fn places(&self, mut bytes: &[u8]) -> Result<(Vec<PassagePlace>, Vec<u32>)> {
        let (mut places, mut lengths) = (Vec::new(), Vec::new());
        let mut documents = 0_u32;
        for n in 0..self.header.passages {
            let mut number =
                || varint::take(&mut bytes).ok_or_else(|| bad(format!("ends within passage {n}")));
            let (is_new, start, length) = (number()?, number()?, number()?);
            let pieces = if self.header.words { number()? } else { 0 };
            documents = documents.saturating_add(is_new);
            match (is_new, documents, start.checked_add(length)) {
                (0 | 1, 1.., Some(end)) => {
                    places.push(PassagePlace { document: documents - 1, start, end });
                }
                _ => return Err(bad(format!("has an invalid passage {n}"))),
            }
            lengths.push(pieces);
        }
        if !bytes.is_empty() || documents != self.header.documents {
            let expected = self.header.documents;
            return Err(bad(format!(
                "is damaged: expected passages of {expected} documents, got {documents}"
            )));
        }
        Ok((places, lengths))
    }

    fn sparse(&self, bytes: &mut &[u8]) -> Result<Sparse> {
        let passages = self.header.passages;
        let (postings, _) = read_postings(bytes, passages as usize)?;
        Ok(Sparse { postings, passages })
    }

    fn rows(&mut self) -> Result<Rows> {
        let [scales, rows, low] = [Section::Scales, Section::Rows, Section::Low]
            .map(|section| std::mem::take(&mut self.kept[section as usize]));
        if !self.header.quantized {
            return Ok(Rows::Exact(floats(&rows)?));
        }
        let mut centre = floats(&scales)?;
        let scales = centre.split_off(self.header.dimensions as usize);
        let high = rows.into_iter().map(|byte| byte as i8).collect();
        Ok(Rows::Quantized(Quantized { centre, scales, high, low }))
    }
}

fn floats(bytes: &[u8]) -> Result<Vec<f32>> {
    let (fours, _) = bytes.as_chunks();
    let numbers: Vec<f32> = fours.iter().map(|&four| f32::from_le_bytes(four)).collect();
    match numbers.iter().find(|number| number.is_nan() || number.abs() > MAX_NUMBER) {
        None => Ok(numbers),
        Some(number) => Err(bad(format!("has the invalid number {number} in its vectors"))),
    }
}

/// Returns the postings and the sum of the numbers of each passage.
type ReadPostings = (BTreeMap<u32, Postings>, Vec<u32>);

fn wrong_words() -> Error {
    bad("has words that do not fit its passages")
}

/// Reads the words. Their counts must add up to the passages' numbers of pieces.
fn read_words(bytes: &mut &[u8], lengths: Vec<u32>) -> Result<Words> {
    let (postings, found) = read_postings(bytes, lengths.len())?;
    if found != lengths {
        return Err(wrong_words());
    }
    Ok(Words { postings, lengths })
}

/// Reads postings. Each must name an existing passage.
fn read_postings(bytes: &mut &[u8], passages: usize) -> Result<ReadPostings> {
    let wrong = wrong_words;
    let mut next = || varint::take(bytes).ok_or_else(wrong);
    let mut all = BTreeMap::new();
    let mut found = vec![0_u32; passages];
    let mut piece = 0_u32;
    for n in 0..next()? {
        let more = next()?;
        piece = piece.checked_add(more).filter(|_| n == 0 || more > 0).ok_or_else(wrong)?;
        let mut postings = Postings::default();
        let mut passage = 0_u32;
        for _ in 0..next()? {
            passage = passage.checked_add(next()?).ok_or_else(wrong)?;
            let times = next()?;
            let sum = found.get_mut(passage as usize).ok_or_else(wrong)?;
            if times == 0 {
                return Err(wrong());
            }
            *sum = sum.saturating_add(times);
            postings.push(passage, times);
            passage += 1;
        }
        if postings.count == 0 {
            return Err(wrong());
        }
        all.insert(piece, postings);
    }
    Ok((all, found))
}
