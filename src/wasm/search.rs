//! The interface for JavaScript of a binary that only searches. Texts have UTF-16 offsets. It
//! contains no other logic.

#![allow(unreachable_pub, reason = "wasm_bindgen takes public functions alone")]

mod error;

use wasm_bindgen::prelude::*;

use crate::search::file::{Reader, SECTIONS, Writer, section};
use crate::search::passages::{Lengths, passages};
use crate::search::words::Bm25;
use crate::search::{self, Index, Method, Passage, Query, Similarity};
use error::{JsResult, bad_input, js_error};

/// An index over passages of documents.
#[wasm_bindgen]
pub struct SearchIndex(Index);

/// Creates an empty index. With `dot`, scores are dot products instead of cosines. With `sparse`,
/// passages have sparse vectors.
#[wasm_bindgen]
pub fn search_index(
    dimensions: usize,
    dot: bool,
    quantizes: bool,
    words: bool,
    sparse: bool,
) -> JsResult<SearchIndex> {
    let similarity = if dot { Similarity::Dot } else { Similarity::Cosine };
    let index = Index::new(dimensions, similarity, quantizes, words).map_err(js_error)?;
    Ok(SearchIndex(if sparse { index.with_sparse() } else { index }))
}

#[wasm_bindgen]
impl SearchIndex {
    /// Adds a document. For each passage: `places` has start and end, `counts` the number of its
    /// pieces; `pieces` has all pieces, concatenated; `vectors` its vector. Likewise for sparse
    /// vectors: `sparse_counts` has the number of tokens, `tokens` and `weights` all of them.
    #[allow(clippy::too_many_arguments, reason = "an object would need a reader of its own")]
    pub fn add(
        &mut self,
        places: &[u32],
        counts: &[u32],
        pieces: &[u32],
        vectors: &[f32],
        sparse_counts: &[u32],
        tokens: &[u32],
        weights: &[f32],
    ) -> JsResult<()> {
        let mut rest = pieces;
        let mut found = Vec::new();
        for (&[start, end], &count) in places.as_chunks().0.iter().zip(counts) {
            let Some((pieces, more)) = rest.split_at_checked(count as usize) else {
                return Err(bad_input("pieces: expected as many as the passages have, got fewer"));
            };
            found.push(Passage { start, end, pieces });
            rest = more;
        }
        let all = pairs(tokens, weights);
        let mut rest = &all[..];
        let mut sparse = Vec::new();
        for &count in sparse_counts {
            let Some((tokens, more)) = rest.split_at_checked(count as usize) else {
                return Err(bad_input("tokens: expected as many as the passages have, got fewer"));
            };
            sparse.push(tokens);
            rest = more;
        }
        self.0.add_sparse(&found, vectors, &sparse).map_err(js_error)
    }

    /// Removes documents by their numbers.
    pub fn remove(&mut self, documents: &[u32]) -> JsResult<()> {
        self.0.remove(documents).map_err(js_error)
    }

    /// Returns document, start, end and score of each passage found, best first. A `share_of_words`
    /// of 0 uses vectors only, 1 words only. A `per_document` of 0 means no limit. A
    /// `share_of_sparse` of 1 uses the sparse vectors only; `tokens` and `weights` are the query's.
    #[allow(clippy::too_many_arguments, reason = "an object would need a reader of its own")]
    pub fn search(
        &self,
        vector: &[f32],
        pieces: &[u32],
        share_of_words: f32,
        top_k: usize,
        per_document: usize,
        k1: f32,
        b: f32,
        share_of_sparse: f32,
        tokens: &[u32],
        weights: &[f32],
    ) -> JsResult<Vec<f64>> {
        let method = match share_of_words {
            0.0 => Method::Vectors,
            1.0 => Method::Words,
            share => Method::Hybrid(share),
        };
        let per_document = if per_document == 0 { usize::MAX } else { per_document };
        let bm25 = Bm25 { k1, b };
        let sparse = &pairs(tokens, weights)[..];
        let query =
            Query { vector, pieces, top_k, per_document, method, bm25, sparse, share_of_sparse };
        let hits = self.0.search(&query).map_err(js_error)?;
        let numbers = |hit: search::Hit| {
            [hit.document.into(), hit.start.into(), hit.end.into(), hit.score.into()]
        };
        Ok(hits.into_iter().flat_map(numbers).collect())
    }

    /// Returns the number of passages, the number of dimensions, the bytes of the vectors and of
    /// everything else; then 1 or 0 for dot products, quantizing, words and sparse vectors.
    pub fn info(&self) -> Vec<f64> {
        let index = &self.0;
        let (vectors, others) = index.bytes();
        let dot = index.similarity() == Similarity::Dot;
        let facts = [dot, index.quantizes(), index.has_words(), index.has_sparse()];
        let numbers = [index.passages(), index.dimensions(), vectors, others];
        let facts = facts.map(|fact| f64::from(u8::from(fact)));
        numbers.into_iter().map(|number| number as f64).chain(facts).collect()
    }

    /// Returns the bytes of a section of the file in the range from `from` to `to`, or fewer at the
    /// end of the section.
    pub fn section(&self, number: usize, from: usize, to: usize) -> Vec<u8> {
        let Some(&part) = SECTIONS.get(number) else { return Vec::new() };
        let bytes = section(&self.0, part);
        let to = to.min(bytes.len());
        bytes.get(from..to).unwrap_or_default().to_vec()
    }
}

/// Returns tokens with their weights.
fn pairs(tokens: &[u32], weights: &[f32]) -> Vec<(u32, f32)> {
    tokens.iter().copied().zip(weights.iter().copied()).collect()
}

/// Computes a file's header while its sections are written.
#[wasm_bindgen]
pub struct IndexWriter(Writer);

/// Creates a writer for a file without sections so far.
#[wasm_bindgen]
pub fn index_writer() -> IndexWriter {
    IndexWriter(Writer::default())
}

#[wasm_bindgen]
impl IndexWriter {
    /// Takes the next bytes of a section.
    pub fn push(&mut self, number: usize, bytes: &[u8]) {
        if let Some(&part) = SECTIONS.get(number) {
            self.0.push(part, bytes);
        }
    }

    /// Returns the header for these sections of an index.
    pub fn header(&self, index: &SearchIndex) -> Vec<u8> {
        self.0.header(&index.0)
    }
}

/// Reads a file in pieces.
#[wasm_bindgen]
pub struct IndexReader(Reader);

/// Reads the header of a file of `size` bytes. `bytes` is the start of the file.
#[wasm_bindgen]
pub fn index_reader(bytes: &[u8], size: f64) -> JsResult<IndexReader> {
    Reader::open(bytes, size as u64).map(IndexReader).map_err(js_error)
}

#[wasm_bindgen]
impl IndexReader {
    /// Returns the lengths of the header and of the sections, and the number of documents.
    pub fn lengths(&self) -> Vec<f64> {
        let header = search::file::HEADER as f64;
        let sections = self.0.lengths().map(|length| length as f64);
        [header].into_iter().chain(sections).chain([self.0.documents() as f64]).collect()
    }

    /// Takes the next bytes after the header.
    pub fn push(&mut self, bytes: &[u8]) -> JsResult<()> {
        self.0.push(bytes).map_err(js_error)
    }

    /// Returns the index after the last byte.
    pub fn finish(self) -> JsResult<SearchIndex> {
        self.0.finish().map(SearchIndex).map_err(js_error)
    }
}

/// Returns the starts and ends of a text's passages, in UTF-16 code units. `ends` are the ends of
/// its tokens, in the same unit.
#[wasm_bindgen]
pub fn cut_passages(text: &str, ends: &[u32], max: usize, overlap: usize) -> Vec<u32> {
    let mut units = 0_u32;
    let mut ends_in_bytes = Vec::with_capacity(ends.len());
    let mut left = ends.iter().copied().peekable();
    let mut starts: Vec<(usize, u32)> = Vec::new();
    for (byte, char) in text.char_indices() {
        while left.next_if(|&end| end <= units).is_some() {
            ends_in_bytes.push(byte as u32);
        }
        starts.push((byte, units));
        units += char.len_utf16() as u32;
    }
    ends_in_bytes.extend(left.map(|_| text.len() as u32));
    starts.push((text.len(), units));
    let unit = |byte: usize| {
        let place = starts.partition_point(|&(start, _)| start < byte);
        starts.get(place).map_or(units, |&(_, units)| units)
    };
    let cut = passages(text, &ends_in_bytes, Lengths { max, overlap });
    cut.into_iter().flat_map(|range| [unit(range.start), unit(range.end)]).collect()
}
