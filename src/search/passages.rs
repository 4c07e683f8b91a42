//! Splits long texts into passages that fit into a model, at sentence ends or, within long
//! sentences, at word ends.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Lengths of passages, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    /// Largest number of tokens per passage, at least 1.
    pub max: usize,
    /// Largest number of tokens that a passage repeats from the end of the previous one. Less than
    /// `max`.
    pub overlap: usize,
}

/// Returns the byte ranges of a text's passages, in order. `ends` are the byte ends of its tokens,
/// ascending.
///
/// A passage ends at a sentence end (UAX #29), if that leaves it at least a quarter of the largest
/// length; otherwise at a word end. The next passage starts with a sentence, or a word, within the
/// last `overlap` tokens. White space around a passage is left out. A text without tokens is one
/// passage.
///
/// ```
/// use webert::search::passages::{Lengths, passages};
///
/// let text = "One two three. Four five. Six seven eight.";
/// let words = text.match_indices([' ', '.']).filter(|&(at, _)| !text[..at].ends_with('.'));
/// let ends: Vec<u32> = words.map(|(at, _)| at as u32).collect();
/// let cut = passages(text, &ends, Lengths { max: 5, overlap: 2 });
/// let texts: Vec<&str> = cut.into_iter().map(|range| &text[range]).collect();
/// assert_eq!(texts, ["One two three. Four five.", "Four five. Six seven eight."]);
/// ```
pub fn passages(text: &str, ends: &[u32], lengths: Lengths) -> Vec<Range<usize>> {
    let cutter = Cutter { text, ends, sentences: boundaries(text) };
    let mut found = Vec::new();
    let max = lengths.max.max(1);
    let overlap = lengths.overlap.min(max - 1);
    let (mut start, mut end) = (0, 0);
    loop {
        end = cutter.end(start, end, max);
        let passage = trimmed(text, start..end);
        let begin = if passage.is_empty() { start } else { passage.start };
        if !passage.is_empty() || found.is_empty() {
            found.push(passage);
        }
        if cutter.tokens(end..text.len()) == 0 {
            return found;
        }
        start = cutter.next(begin..end, overlap);
    }
}

struct Cutter<'a> {
    text: &'a str,
    ends: &'a [u32],
    /// Starts of sentences, and the end of the text.
    sentences: Vec<usize>,
}

fn boundaries(text: &str) -> Vec<usize> {
    let starts = text.split_sentence_bound_indices().map(|(start, _)| start);
    starts.chain([text.len()]).collect()
}

impl Cutter<'_> {
    /// Returns the number of tokens that end at or before a byte.
    fn before(&self, byte: usize) -> usize {
        self.ends.partition_point(|&end| end as usize <= byte)
    }

    fn tokens(&self, range: Range<usize>) -> usize {
        self.before(range.end) - self.before(range.start)
    }

    /// Returns the end of the passage that starts at `start`. It must be after the end of the
    /// previous passage.
    fn end(&self, start: usize, last_end: usize, max: usize) -> usize {
        let first = self.before(start);
        let Some(&beyond) = self.ends.get(first + max) else { return self.text.len() };
        let fits = |end: usize| self.before(end) <= first + max;
        let sentence = self.sentences.partition_point(|&end| fits(end));
        if let Some(&end) = self.sentences[..sentence].last()
            && end > last_end
            && self.before(end) - first > max / 4
        {
            return end;
        }
        // No sentence ends here: cut at a word end, or within a word that is too long.
        let last = self.ends[first + max - 1] as usize;
        let window = &self.text[start..self.ceil(beyond as usize)];
        let mut words = window.split_word_bound_indices().map(|(word, _)| start + word);
        let word = words.rfind(|&word| word > last_end && fits(word));
        match word {
            Some(word) if self.before(word) > first => word,
            _ => self.ceil(last.max(last_end + 1)),
        }
    }

    /// Returns the start of the passage after `last`: after its start, and at most `overlap` tokens
    /// before its end.
    fn next(&self, last: Range<usize>, overlap: usize) -> usize {
        let least = self.before(last.end) - overlap.min(self.before(last.end));
        let fits = |start: &usize| self.before(*start) >= least && *start > last.start;
        let sentence = self.sentences.partition_point(|start| !fits(start));
        match self.sentences.get(sentence) {
            Some(&start) if start < last.end => return start,
            _ if overlap == 0 => return last.end,
            _ => {}
        }
        let words = self.text[last.clone()].split_word_bound_indices();
        words.map(|(word, _)| last.start + word).find(fits).unwrap_or(last.end)
    }

    /// Returns the first character boundary at or after a byte.
    fn ceil(&self, byte: usize) -> usize {
        (byte..self.text.len())
            .find(|&byte| self.text.is_char_boundary(byte))
            .unwrap_or(self.text.len())
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    start..start + part.trim().len()
}
