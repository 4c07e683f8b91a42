//! Long texts as passages that a model can take, cut where sentences end, or within long ones where words do.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// How long passages are, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    /// The most tokens of a passage, 1 or more.
    pub max: usize,
    /// How many of a passage's last tokens the next one may begin with, less than `max`.
    pub overlap: usize,
}

/// The byte ranges of a text's passages, in order; `ends` are the ends of its tokens in bytes, ascending. Each passage ends with a
/// sentence (by the boundaries of UAX #29), as long as that leaves it a quarter of the greatest length or more, else with a word, and the
/// next one begins with a sentence, or word, in the last `overlap` tokens of it. White space around a passage is left out. A text
/// without tokens is one passage.
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
    /// Where sentences begin, and the text's end.
    sentences: Vec<usize>,
}

fn boundaries(text: &str) -> Vec<usize> {
    let starts = text.split_sentence_bound_indices().map(|(start, _)| start);
    starts.chain([text.len()]).collect()
}

impl Cutter<'_> {
    /// How many tokens end up to a byte.
    fn before(&self, byte: usize) -> usize {
        self.ends.partition_point(|&end| end as usize <= byte)
    }

    fn tokens(&self, range: Range<usize>) -> usize {
        self.before(range.end) - self.before(range.start)
    }

    /// Where the passage from `start` on ends, which is behind the end of the one before it.
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
        // whole words, or of one that is too long so many tokens
        let last = self.ends[first + max - 1] as usize;
        let window = &self.text[start..self.ceil(beyond as usize)];
        let mut words = window.split_word_bound_indices().map(|(word, _)| start + word);
        let word = words.rfind(|&word| word > last_end && fits(word));
        match word {
            Some(word) if self.before(word) > first => word,
            _ => self.ceil(last.max(last_end + 1)),
        }
    }

    /// Where the passage after `last` begins: behind its beginning, and `overlap` tokens before its end at most.
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

    /// The first boundary of a character at a byte or behind it.
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
