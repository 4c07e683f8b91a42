//! Search among passages of texts: by the similarity of vectors, by the pieces of words that they share with a query
//! (BM25), or by both. Nothing here computes a vector or cuts a word: a model and its tokenizer do.
//!
//! - [`vectors`]: rows of 10 bits a number, an exhaustive scan, the best once more in f32
//! - [`words`]: an inverted index of pieces, and BM25 over it
//! - [`fusion`]: one order of two
//! - [`passages`]: long texts cut at ends of sentences
//! - [`mod@file`]: an index as bytes, and bytes that may be damaged as an index
//!
//! # Example
//!
//! ```
//! use webert::search::{Index, Passage, Query, Similarity};
//!
//! # fn main() -> webert::Result<()> {
//! let mut index = Index::new(2, Similarity::Cosine, true, true)?;
//! let passage = |pieces| Passage { start: 0, end: 5, pieces };
//! index.add(&[passage(&[7, 8])], &[0.0, 1.0])?;
//! index.add(&[passage(&[9])], &[1.0, 1.0])?;
//! let query = Query { vector: &[1.0, 0.0], pieces: &[7], top_k: 1, ..Query::default() };
//! let [best] = index.search(&query)?[..] else { unreachable!("there are two passages") };
//! assert_eq!((best.document, best.start, best.end), (1, 0, 5));
//! # Ok(())
//! # }
//! ```

mod checksum;
pub mod file;
pub mod fusion;
mod index;
pub mod passages;
mod varint;
pub mod vectors;
pub mod words;

pub use index::{Hit, Index, Method, Passage, Query};
pub use vectors::Similarity;
