//! BERT in the browser: text goes in once, ids cross to the device once, logits come back once,
//! answers go out once.
//!
//! The rooms, from the text inwards:
//!
//! - [`tokenizer`]: text and pairs to WordPiece ids with byte ranges, and back
//! - [`error`]: the one [`Error`] of the crate

pub mod error;
pub mod tokenizer;

pub use error::{Error, Result};
