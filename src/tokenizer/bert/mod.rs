//! BERT's tokenizer, in one pass over a text.
//!
//! - `normalize`: cleans the text and removes accents and case, character by character
//! - `words`: splits at white space and punctuation
//! - `wordpiece`: cuts each word into the longest tokens of the vocabulary

pub(in crate::tokenizer) mod normalize;
pub(in crate::tokenizer) mod wordpiece;
pub(in crate::tokenizer) mod words;
