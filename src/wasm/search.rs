//! All that JavaScript sees of a binary that only searches. Texts come with offsets in UTF-16; nothing else happens here.

#![allow(unreachable_pub, reason = "wasm_bindgen takes public functions alone")]

mod error;

use wasm_bindgen::prelude::*;

use crate::search::file::{Reader, SECTIONS, Writer, section};
use crate::search::passages::{Lengths, passages};
use crate::search::words::Bm25;
use crate::search::{self, Index, Method, Passage, Query, Similarity};
use error::{JsResult, bad_input, js_error};

/// Passages of documents, to be searched.
#[wasm_bindgen]
pub struct SearchIndex(Index);

/// An empty index; `dot`: by dot products in place of cosines.
#[wasm_bindgen]
pub fn search_index(
    dimensions: usize,
    dot: bool,
    quantizes: bool,
    words: bool,
) -> JsResult<SearchIndex> {
    let similarity = if dot { Similarity::Dot } else { Similarity::Cosine };
    Index::new(dimensions, similarity, quantizes, words).map(SearchIndex).map_err(js_error)
}

#[wasm_bindgen]
impl SearchIndex {
    /// Adds a document: of each passage its start and its end, the number of its pieces, these all after one another, and its vector.
    pub fn add(
        &mut self,
        places: &[u32],
        counts: &[u32],
        pieces: &[u32],
        vectors: &[f32],
    ) -> JsResult<()> {
        let mut rest = pieces;
        let mut found = Vec::new();
        for (&[start, end], &count) in places.as_chunks().0.iter().zip(counts) {
            let Some((pieces, more)) = rest.split_at_checked(count as usize) else {
                return Err(bad_input("there are fewer pieces than passages have"));
            };
            found.push(Passage { start, end, pieces });
            rest = more;
        }
        self.0.add(&found, vectors).map_err(js_error)
    }

    /// Takes documents away by their numbers.
    pub fn remove(&mut self, documents: &[u32]) -> JsResult<()> {
        self.0.remove(documents).map_err(js_error)
    }

    /// Of each passage that was found, best first: its document, start, end, and score. A share of words of 0 is vectors alone, 1 words alone;
    /// `per_document` 0: any number.
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
    ) -> JsResult<Vec<f64>> {
        let method = match share_of_words {
            0.0 => Method::Vectors,
            1.0 => Method::Words,
            share => Method::Hybrid(share),
        };
        let per_document = if per_document == 0 { usize::MAX } else { per_document };
        let bm25 = Bm25 { k1, b };
        let query = Query { vector, pieces, top_k, per_document, method, bm25 };
        let hits = self.0.search(&query).map_err(js_error)?;
        let numbers = |hit: search::Hit| {
            [hit.document.into(), hit.start.into(), hit.end.into(), hit.score.into()]
        };
        Ok(hits.into_iter().flat_map(numbers).collect())
    }

    /// Passages, numbers of a vector, bytes of all vectors and of all else; whether there are dot products, quantizing, words.
    pub fn info(&self) -> Vec<f64> {
        let index = &self.0;
        let (vectors, others) = index.bytes();
        let facts = [index.similarity() == Similarity::Dot, index.quantizes(), index.has_words()];
        let numbers = [index.passages(), index.dimensions(), vectors, others];
        let facts = facts.map(|fact| f64::from(u8::from(fact)));
        numbers.into_iter().map(|number| number as f64).chain(facts).collect()
    }

    /// Bytes of a section of the file, from `from` to before `to`, or as many as there are.
    pub fn section(&self, number: usize, from: usize, to: usize) -> Vec<u8> {
        let Some(&part) = SECTIONS.get(number) else { return Vec::new() };
        let bytes = section(&self.0, part);
        let to = to.min(bytes.len());
        bytes.get(from..to).unwrap_or_default().to_vec()
    }
}

/// What a file's header is made by, as its sections are written.
#[wasm_bindgen]
pub struct IndexWriter(Writer);

/// Of a file without sections.
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

    /// The header of these sections of an index.
    pub fn header(&self, index: &SearchIndex) -> Vec<u8> {
        self.0.header(&index.0)
    }
}

/// Takes a file in pieces.
#[wasm_bindgen]
pub struct IndexReader(Reader);

/// Reads the header at the front of `bytes`, of a file of `size` bytes.
#[wasm_bindgen]
pub fn index_reader(bytes: &[u8], size: f64) -> JsResult<IndexReader> {
    Reader::open(bytes, size as u64).map(IndexReader).map_err(js_error)
}

#[wasm_bindgen]
impl IndexReader {
    /// The lengths of the header and of the sections, and the number of documents.
    pub fn lengths(&self) -> Vec<f64> {
        let header = search::file::HEADER as f64;
        let sections = self.0.lengths().map(|length| length as f64);
        [header].into_iter().chain(sections).chain([self.0.documents() as f64]).collect()
    }

    /// Takes the next bytes behind the header.
    pub fn push(&mut self, bytes: &[u8]) -> JsResult<()> {
        self.0.push(bytes).map_err(js_error)
    }

    /// The index, once all bytes were there.
    pub fn finish(self) -> JsResult<SearchIndex> {
        self.0.finish().map(SearchIndex).map_err(js_error)
    }
}

/// The starts and the ends of a text's passages, in UTF-16 code units, as are the ends of its tokens.
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
