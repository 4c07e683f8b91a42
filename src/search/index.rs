//! The index: passages of documents, with their vectors and pieces.

use webert_kernels::top_indices;

use super::fusion;
use super::vectors::{Similarity, Vectors};
use super::words::{Bm25, Sparse, Words};
use crate::{Error, ErrorKind, Result};

/// Weights of sparse vectors are below this number.
const MAX_WEIGHT: f32 = (1 << 19) as f32;

/// Documents in the order in which they were added. Each has at least one passage.
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    pub(super) vectors: Vectors,
    /// Place of each passage.
    pub(super) places: Vec<PassagePlace>,
    /// `None` if the index does not support search by words.
    pub(super) words: Option<Words>,
    /// `None` if passages have no sparse vectors.
    pub(super) sparse: Option<Sparse>,
    pub(super) documents: u32,
}

/// Place of a passage: its document, and its range within the document's text, in the caller's
/// unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PassagePlace {
    pub(super) document: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// A passage to be added.
#[derive(Debug, Clone, Copy)]
pub struct Passage<'a> {
    /// Start within its document, in the caller's unit.
    pub start: u32,
    /// End within its document, exclusive.
    pub end: u32,
    /// Ids of its pieces, without special tokens.
    pub pieces: &'a [u32],
}

/// How passages are found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Method {
    /// By similarity of vectors.
    #[default]
    Vectors,
    /// By words shared with the query, scored by BM25. A passage without shared words is not found.
    Words,
    /// By both. The number is the share of words, 0 to 1: see [`fusion`].
    Hybrid(f32),
}

/// A query.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// `[dimensions]`. Empty for a search by words only.
    pub vector: &'a [f32],
    /// Ids of pieces, without special tokens.
    pub pieces: &'a [u32],
    /// Largest number of passages to return.
    pub top_k: usize,
    /// Largest number of passages per document.
    pub per_document: usize,
    /// How passages are found.
    pub method: Method,
    /// Parameters of the word scores.
    pub bm25: Bm25,
    /// Sparse vector, as tokens with their weights.
    pub sparse: &'a [(u32, f32)],
    /// Share of the sparse vectors' dot products in the score, 0 to 1. 1: nothing else counts, and
    /// a passage without a shared token is not found.
    pub share_of_sparse: f32,
}

impl Default for Query<'_> {
    fn default() -> Self {
        Self {
            vector: &[],
            pieces: &[],
            top_k: 10,
            per_document: usize::MAX,
            method: Method::default(),
            bm25: Bm25::default(),
            sparse: &[],
            share_of_sparse: 0.0,
        }
    }
}

/// A passage that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Number of the document: how many documents come before it.
    pub document: u32,
    /// Start of the passage.
    pub start: u32,
    /// End of the passage, exclusive.
    pub end: u32,
    /// Similarity, BM25 score, or the combination of both by [`fusion`].
    pub score: f32,
}

impl Index {
    /// Creates an empty index for vectors of `dimensions` numbers. With `quantizes`, the index
    /// stores 10 bits per number once it has many vectors, otherwise f32. With `words`, passages
    /// can be found by words.
    ///
    /// # Errors
    /// `bad_input` if the number of dimensions is out of range.
    pub fn new(
        dimensions: usize,
        similarity: Similarity,
        quantizes: bool,
        words: bool,
    ) -> Result<Self> {
        Ok(Self {
            vectors: Vectors::new(dimensions, similarity, quantizes)?,
            places: Vec::new(),
            words: words.then(Words::default),
            sparse: None,
            documents: 0,
        })
    }

    /// Returns the empty index with sparse vectors beside the others.
    pub fn with_sparse(self) -> Self {
        Self { sparse: Some(Sparse::default()), ..self }
    }

    /// Returns the number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.vectors.dimensions
    }

    /// Returns the meaning of vector scores.
    pub fn similarity(&self) -> Similarity {
        self.vectors.similarity
    }

    /// Returns true if many vectors are stored with 10 bits per number.
    pub fn quantizes(&self) -> bool {
        self.vectors.quantizes
    }

    /// Returns true if passages can be found by words.
    pub fn has_words(&self) -> bool {
        self.words.is_some()
    }

    /// Returns true if passages have sparse vectors.
    pub fn has_sparse(&self) -> bool {
        self.sparse.is_some()
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> usize {
        self.documents as usize
    }

    /// Returns the number of passages.
    pub fn passages(&self) -> usize {
        self.places.len()
    }

    /// Returns the memory in bytes: of the vectors, and of everything else.
    pub fn bytes(&self) -> (usize, usize) {
        let words = self.words.as_ref().map_or(0, Words::bytes);
        let sparse = self.sparse.as_ref().map_or(0, Sparse::bytes);
        (self.vectors.bytes(), words + sparse + size_of_val(&self.places[..]))
    }

    /// Adds a document with these passages and their vectors, `[passages, dimensions]`.
    ///
    /// # Errors
    /// `bad_input` if the passages and vectors do not fit together. `out_of_memory`. The index is
    /// unchanged after an error.
    pub fn add(&mut self, passages: &[Passage<'_>], vectors: &[f32]) -> Result<()> {
        self.add_sparse(passages, vectors, &[])
    }

    /// Like [`Index::add`], with a sparse vector per passage: tokens with their weights.
    ///
    /// # Errors
    /// `bad_input` if the number of sparse vectors is not the number of passages, or 0 in an index
    /// without them; or if a weight is no finite number below 2^19. As [`Index::add`].
    pub fn add_sparse(
        &mut self,
        passages: &[Passage<'_>],
        vectors: &[f32],
        sparse: &[&[(u32, f32)]],
    ) -> Result<()> {
        let expected = if self.sparse.is_some() { passages.len() } else { 0 };
        if sparse.len() != expected {
            return Err(Error::unexpected(
                ErrorKind::BadInput,
                format_args!("document"),
                format_args!("{expected} sparse vectors"),
                format_args!("{}", sparse.len()),
            ));
        }
        let mut weights = sparse.iter().flat_map(|tokens| tokens.iter());
        if let Some((_, weight)) = weights.find(|(_, x)| x.is_nan() || x.abs() >= MAX_WEIGHT) {
            return Err(Error::unexpected(
                ErrorKind::BadInput,
                format_args!("sparse vector"),
                format_args!("weights below {MAX_WEIGHT}"),
                format_args!("{weight}"),
            ));
        }
        if passages.is_empty() {
            return Err(Error::BadInput(
                "document: expected one or more passages, got none".into(),
            ));
        }
        if let Some(Passage { start, end, .. }) = passages.iter().find(|it| it.start > it.end) {
            return Err(Error::unexpected(
                ErrorKind::BadInput,
                format_args!("passage"),
                format_args!("an end of {start} or more"),
                format_args!("{end}"),
            ));
        }
        // Vectors come first, because only they can fail: after an error the index is unchanged.
        self.vectors.check(vectors, passages.len())?;
        self.vectors.push(vectors)?;
        let document = self.documents;
        for tokens in sparse {
            if let Some(sparse) = &mut self.sparse {
                sparse.push(tokens);
            }
        }
        for &Passage { start, end, pieces } in passages {
            self.places.push(PassagePlace { document, start, end });
            if let Some(words) = &mut self.words {
                words.push(pieces);
            }
        }
        self.documents += 1;
        Ok(())
    }

    /// Removes documents by their numbers. Later documents move up. Takes one pass over the index,
    /// for any number of documents.
    ///
    /// # Errors
    /// `bad_input` if a number is out of range.
    pub fn remove(&mut self, documents: &[u32]) -> Result<()> {
        let mut keep = vec![true; self.documents()];
        for &document in documents {
            let Some(keep) = keep.get_mut(document as usize) else {
                let count = self.documents;
                return Err(Error::unexpected(
                    ErrorKind::BadInput,
                    format_args!("document"),
                    format_args!("a number less than {count}"),
                    format_args!("{document}"),
                ));
            };
            *keep = false;
        }
        let mut number = 0;
        let mut numbers = Vec::with_capacity(keep.len());
        for &keep in &keep {
            numbers.push(number);
            number += u32::from(keep);
        }
        let passages: Vec<bool> =
            self.places.iter().map(|place| keep[place.document as usize]).collect();
        self.vectors.retain(&passages);
        if let Some(words) = &mut self.words {
            words.retain(&passages);
        }
        if let Some(sparse) = &mut self.sparse {
            sparse.retain(&passages);
        }
        self.places.retain_mut(|place| {
            let document = place.document as usize;
            place.document = numbers[document];
            keep[document]
        });
        self.documents = number;
        Ok(())
    }

    /// Returns the passages that answer a query best, best first.
    ///
    /// # Errors
    /// `bad_input` if the vector does not fit the index, or for a search by words or by sparse
    /// vectors in an index without them.
    pub fn search(&self, query: &Query<'_>) -> Result<Vec<Hit>> {
        let others = query.share_of_sparse < 1.0;
        if others && query.method != Method::Words {
            self.vectors.check(query.vector, 1)?;
        }
        let scores = if others { self.scores(query)? } else { Vec::new() };
        if query.share_of_sparse == 0.0 {
            return Ok(self.best(&scores, query));
        }
        let Some(sparse) = &self.sparse else {
            return Err(Error::BadInput(
                "the index was made without sparse vectors, so it cannot be searched by them"
                    .into(),
            ));
        };
        let sparse = sparse.scores(query.sparse);
        if !others {
            return Ok(self.best(&sparse, query));
        }
        Ok(self.best(&fusion::weighted(&scores, &sparse, query.share_of_sparse), query))
    }

    /// Returns the score of every passage by vectors and words.
    fn scores(&self, query: &Query<'_>) -> Result<Vec<f32>> {
        // More passages than `top_k` are scored exactly, because quantized scores may order
        // neighbours wrongly.
        let depth = query.top_k.saturating_mul(4).max(query.top_k.saturating_add(100));
        let words = match (&self.words, query.method) {
            (_, Method::Vectors) => Vec::new(),
            (Some(words), _) => words.scores(query.pieces, query.bm25),
            (None, _) => {
                return Err(Error::BadInput(
                    "the index was made without words, so it cannot be searched by words".into(),
                ));
            }
        };
        Ok(match query.method {
            Method::Vectors => self.vectors.scores(query.vector, depth),
            Method::Words => words,
            Method::Hybrid(share) => {
                fusion::weighted(&self.vectors.scores(query.vector, depth), &words, share)
            }
        })
    }

    /// Returns the best passages, respecting the query's limit per document. In a search by words or
    /// by sparse vectors alone, a score of 0 means that no word is shared.
    fn best(&self, scores: &[f32], query: &Query<'_>) -> Vec<Hit> {
        let by_words = query.method == Method::Words && query.share_of_sparse == 0.0;
        let needs_one = by_words || query.share_of_sparse == 1.0;
        let counts = |score: f32| !needs_one || score > 0.0;
        // Start with `top_k` candidates; if the limit per document rejects some, take four times as
        // many.
        let mut considered = query.top_k;
        loop {
            let mut of_document = std::collections::BTreeMap::new();
            let mut hits = Vec::new();
            for passage in top_indices(scores, considered) {
                let PassagePlace { document, start, end } = self.places[passage];
                let found = of_document.entry(document).or_insert(0);
                if hits.len() < query.top_k
                    && *found < query.per_document
                    && counts(scores[passage])
                {
                    *found += 1;
                    hits.push(Hit { document, start, end, score: scores[passage] });
                }
            }
            if hits.len() == query.top_k || considered >= scores.len() {
                return hits;
            }
            considered = considered.saturating_mul(4);
        }
    }
}
