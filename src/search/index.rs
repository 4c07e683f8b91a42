//! The index: passages of documents, with their vectors and their pieces.

use webert_kernels::top_indices;

use super::fusion;
use super::vectors::{Similarity, Vectors};
use super::words::{Bm25, Words};
use crate::{Error, Result};

/// Documents in the order in which they were added, each of one passage or more.
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    pub(super) vectors: Vectors,
    /// Where each passage is.
    pub(super) places: Vec<Place>,
    /// Absent where nothing is to be found by words.
    pub(super) words: Option<Words>,
    pub(super) documents: u32,
}

/// Where a passage is: in which document, and from where to before where in its text, in the caller's units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) document: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// A passage that is added.
#[derive(Debug, Clone, Copy)]
pub struct Passage<'a> {
    /// Where it begins in its document, in units of the caller's.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// The ids of its pieces, special tokens left out.
    pub pieces: &'a [u32],
}

/// By what passages are found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Method {
    /// The similarity of vectors.
    #[default]
    Vectors,
    /// Words that a passage shares with the query, by BM25; what shares none is not found.
    Words,
    /// Both, words having such a share, 0 to 1: see [`fusion`].
    Hybrid(f32),
}

/// What is searched for.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// `[dimensions]`; empty where only words count.
    pub vector: &'a [f32],
    /// Ids of pieces, special tokens left out.
    pub pieces: &'a [u32],
    /// How many passages to find at most.
    pub top_k: usize,
    /// How many of them may be of one document.
    pub per_document: usize,
    /// By what.
    pub method: Method,
    /// How words count.
    pub bm25: Bm25,
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
        }
    }
}

/// A passage that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The document's number: how many were added before it and are still there.
    pub document: u32,
    /// Where the passage begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// The similarity, BM25, or what [`fusion`] makes of both.
    pub score: f32,
}

impl Index {
    /// An empty index of vectors of `dimensions` numbers. `quantizes`: whether many vectors are kept in 10 bits a number, rather
    /// than in f32; `words`: whether passages can be found by words.
    ///
    /// # Errors
    /// `bad_input` where there can be no such vectors.
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
            documents: 0,
        })
    }

    /// Numbers of a vector.
    pub fn dimensions(&self) -> usize {
        self.vectors.dimensions
    }

    /// What scores of vectors say.
    pub fn similarity(&self) -> Similarity {
        self.vectors.similarity
    }

    /// Whether many vectors are kept in 10 bits a number.
    pub fn quantizes(&self) -> bool {
        self.vectors.quantizes
    }

    /// Whether passages can be found by words.
    pub fn has_words(&self) -> bool {
        self.words.is_some()
    }

    /// How many documents there are.
    pub fn documents(&self) -> usize {
        self.documents as usize
    }

    /// How many passages there are.
    pub fn passages(&self) -> usize {
        self.places.len()
    }

    /// Bytes of memory: of the vectors, and of all else.
    pub fn bytes(&self) -> (usize, usize) {
        let words = self.words.as_ref().map_or(0, Words::bytes);
        (self.vectors.bytes(), words + size_of_val(&self.places[..]))
    }

    /// Adds a document of these passages, whose vectors are `[passages, dimensions]`.
    ///
    /// # Errors
    /// `bad_input` where these are no passages and their vectors; `out_of_memory`. The index is then unchanged.
    pub fn add(&mut self, passages: &[Passage<'_>], vectors: &[f32]) -> Result<()> {
        if passages.is_empty() {
            return Err(Error::BadInput("a document without a passage".into()));
        }
        if let Some(Passage { start, end, .. }) = passages.iter().find(|it| it.start > it.end) {
            return Err(Error::BadInput(format!("a passage from {start} to {end}")));
        }
        self.vectors.check(vectors, passages.len())?;
        self.vectors.push(vectors)?;
        let document = self.documents;
        for &Passage { start, end, pieces } in passages {
            self.places.push(Place { document, start, end });
            if let Some(words) = &mut self.words {
                words.push(pieces);
            }
        }
        self.documents += 1;
        Ok(())
    }

    /// Takes documents away, by their numbers; those behind them move up. One pass over the whole index, however many they are.
    ///
    /// # Errors
    /// `bad_input` where there is no document of a number.
    pub fn remove(&mut self, documents: &[u32]) -> Result<()> {
        let mut keep = vec![true; self.documents()];
        for &document in documents {
            let Some(keep) = keep.get_mut(document as usize) else {
                let count = self.documents;
                return Err(Error::BadInput(format!("document {document} of {count}")));
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
        self.places.retain_mut(|place| {
            let document = place.document as usize;
            place.document = numbers[document];
            keep[document]
        });
        self.documents = number;
        Ok(())
    }

    /// The passages that answer a query best, best first.
    ///
    /// # Errors
    /// `bad_input` where the vector is not one of this index's, or it has no words and is asked for them.
    pub fn search(&self, query: &Query<'_>) -> Result<Vec<Hit>> {
        if query.method != Method::Words {
            self.vectors.check(query.vector, 1)?;
        }
        let depth = query.top_k.saturating_mul(4).max(query.top_k.saturating_add(100));
        let words = match (&self.words, query.method) {
            (_, Method::Vectors) => Vec::new(),
            (Some(words), _) => words.scores(query.pieces, query.bm25),
            (None, _) => {
                return Err(Error::BadInput(
                    "the index was made without words, so nothing can be found by them".into(),
                ));
            }
        };
        let scores = match query.method {
            Method::Vectors => self.vectors.scores(query.vector, depth),
            Method::Words => words,
            Method::Hybrid(share) => {
                fusion::weighted(&self.vectors.scores(query.vector, depth), &words, share)
            }
        };
        Ok(self.best(&scores, query))
    }

    /// The best passages, no more than the query allows of one document. By words alone 0 says that there are none.
    fn best(&self, scores: &[f32], query: &Query<'_>) -> Vec<Hit> {
        let counts = |score: f32| query.method != Method::Words || score > 0.0;
        let mut considered = query.top_k;
        loop {
            let mut of_document = std::collections::BTreeMap::new();
            let mut hits = Vec::new();
            for passage in top_indices(scores, considered) {
                let Place { document, start, end } = self.places[passage];
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
