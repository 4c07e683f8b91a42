//! Search among passages: by similarity of vectors, by pieces of words shared with the query
//! (BM25), or by both. Vectors and pieces come from the caller, i.e. from a model and its
//! tokenizer.
//!
//! - [`vectors`]: rows with 10 bits per number, an exhaustive scan, and exact scores for the best
//! - [`words`]: an inverted index of pieces, with BM25
//! - [`fusion`]: combines both rankings
//! - [`passages`]: splits long texts at sentence ends
//! - [`mod@file`]: an index as bytes, read back with checks for damage
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
