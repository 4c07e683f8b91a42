//! The file of an index. The first byte decides if its checksums are corrected, so that the code
//! behind the checks is reached. Read in pieces of any size, the file yields the same index or
//! error as read whole. An index that was read can be searched, and writes the same file.

use webert::search::file::{HEADER, Reader, SECTIONS, Section, Writer, section};
use webert::search::{Index, Method, Query};

use super::check::allowed;

const CODES: [&str; 2] = ["bad_input", "unsupported"];

pub fn run(data: &[u8]) -> bool {
    let Some((&choice, file)) = data.split_first() else { return false };
    let mut file = file.to_vec();
    if choice & 1 == 1 {
        mend(&mut file);
    }
    let whole = allowed(read(&file, file.len().max(1)), &CODES);
    let pieces = allowed(read(&file, 1 + usize::from(choice >> 1)), &CODES);
    assert_eq!(whole, pieces);
    let Some(index) = whole else { return false };
    search(&index);
    assert_eq!(read(&written(&index), 1 << 20).as_ref(), Ok(&index));
    true
}

fn read(file: &[u8], piece: usize) -> webert::Result<Index> {
    let mut reader = Reader::open(file, file.len() as u64)?;
    for piece in file[HEADER..].chunks(piece) {
        reader.push(piece)?;
    }
    reader.finish()
}

fn search(index: &Index) {
    let vector = vec![0.5; index.dimensions()];
    let pieces = [0, 1, 2, 7, 7];
    let methods = [Method::Vectors, Method::Words, Method::Hybrid(0.3)];
    for method in
        methods.into_iter().filter(|method| index.has_words() || *method == Method::Vectors)
    {
        for (top_k, per_document) in [(3, usize::MAX), (100, 1)] {
            let query = Query {
                vector: &vector,
                pieces: &pieces,
                top_k,
                per_document,
                method,
                ..Query::default()
            };
            let hits = index.search(&query).expect("the query is of this index's shape");
            assert!(hits.len() <= top_k.min(index.passages()));
            assert!(hits.iter().all(|hit| (hit.document as usize) < index.documents()));
        }
    }
    let mut rest = index.clone();
    if rest.documents() > 0 {
        rest.remove(&[0]).expect("there is a document");
        assert_eq!(rest.documents() + 1, index.documents());
    }
}

/// Returns the file of an index, without the caller's sections.
fn written(index: &Index) -> Vec<u8> {
    let mut writer = Writer::default();
    let parts = SECTIONS.map(|part| section(index, part));
    SECTIONS.iter().zip(&parts).for_each(|(&part, bytes)| writer.push(part, bytes));
    [writer.header(index), parts.concat()].concat()
}

/// Replaces the checksums of a file by the right ones, as far as its lengths allow.
fn mend(file: &mut [u8]) {
    if file.len() < HEADER {
        return;
    }
    let mut at = HEADER;
    for n in 0..SECTIONS.len() {
        let field = 28 + 12 * n;
        let length =
            u32::from_le_bytes([file[field], file[field + 1], file[field + 2], file[field + 3]])
                as usize;
        let end = at.saturating_add(length).min(file.len());
        let sum = checksum(&file[at..end]);
        file[field + 8..field + 12].copy_from_slice(&sum);
        at = end;
    }
    let sum = checksum(&file[..HEADER - 4]);
    file[HEADER - 4..HEADER].copy_from_slice(&sum);
}

/// Returns the CRC-32, little-endian, computed bit by bit from its definition.
fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut rest = !0_u32;
    for byte in bytes {
        rest ^= u32::from(*byte);
        for _ in 0..8 {
            rest = if rest & 1 == 1 { (rest >> 1) ^ 0xedb8_8320 } else { rest >> 1 };
        }
    }
    (!rest).to_le_bytes()
}

/// Checks that [`mend`] looks for lengths in the right place.
#[allow(dead_code, reason = "it fails to compile where the format has another shape")]
const SHAPE: () = assert!(HEADER == 28 + 12 * 7 + 4 && Section::Low as usize == 6);
