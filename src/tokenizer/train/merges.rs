//! Builds a vocabulary from words and their counts. Pairs of neighbouring pieces are merged, the
//! most frequent pair first, until the vocabulary has its size. The rules follow `tokenizers` 0.22
//! (`BpeTrainer::do_train`), including the quirks that decide which pieces exist.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::{PREFIX, TrainOptions};

/// The ids of two neighbouring pieces of a word.
type Pair = (u32, u32);

/// Returns a vocabulary of `words`, which must be distinct and may be in any order.
pub(super) fn vocabulary(words: &[(String, u64)], options: &TrainOptions) -> Vec<String> {
    let mut vocab = Vocabulary::default();
    options.special_tokens.iter().for_each(|token| {
        vocab.add(token.clone());
    });
    for c in alphabet(words, options) {
        vocab.add(c.to_string());
    }
    let words = vocab.spell(words);
    Merger::new(vocab, words).run(options.vocab_size, options.min_frequency.max(1))
}

/// Returns the initial characters, ordered by code point. These are the most frequent characters.
/// For equal counts, smaller code points come first.
fn alphabet(words: &[(String, u64)], options: &TrainOptions) -> Vec<char> {
    let mut counts: HashMap<char, u64> = HashMap::new();
    for (word, count) in words {
        for c in word.chars() {
            *counts.entry(c).or_default() += count;
        }
    }
    for c in options.initial_alphabet.iter().filter_map(|text| text.chars().next()) {
        counts.insert(c, u64::MAX);
    }
    let mut by_count: Vec<(Reverse<u64>, char)> =
        counts.into_iter().map(|(c, count)| (Reverse(count), c)).collect();
    by_count.sort_unstable();
    by_count.truncate(options.limit_alphabet.unwrap_or(usize::MAX));
    let mut alphabet: Vec<char> = by_count.into_iter().map(|(_, c)| c).collect();
    alphabet.sort_unstable();
    alphabet
}

/// A word, split into pieces.
struct Word {
    pieces: Vec<u32>,
    count: i64,
}

/// The tokens so far.
#[derive(Default)]
struct Vocabulary {
    tokens: Vec<String>,
    ids: HashMap<String, u32>,
}

impl Vocabulary {
    /// Returns the id of a token, and adds the token if it is new.
    fn add(&mut self, token: String) -> u32 {
        if let Some(&id) = self.ids.get(&token) {
            return id;
        }
        let id = self.tokens.len() as u32;
        self.tokens.push(token.clone());
        self.ids.insert(token, id);
        id
    }

    fn id_of_char(&self, c: char) -> Option<u32> {
        self.ids.get(c.encode_utf8(&mut [0; 4]) as &str).copied()
    }

    /// Adds a piece `##c` for each character inside a word, ordered by code point. Returns the
    /// words as pieces. Characters outside the alphabet are omitted; the piece after an omitted
    /// first character still has `##`.
    fn spell(&mut self, words: &[(String, u64)]) -> Vec<Word> {
        let mut inner: Vec<char> =
            words.iter().flat_map(|(word, _)| word.chars().skip(1)).collect();
        inner.sort_unstable();
        inner.dedup();
        inner.retain(|&c| self.id_of_char(c).is_some());
        let inner: HashMap<char, u32> =
            inner.into_iter().map(|c| (c, self.add(format!("{PREFIX}{c}")))).collect();
        let spell = |(word, count): &(String, u64)| {
            let mut chars = word.chars();
            let first = chars.next().and_then(|c| self.id_of_char(c));
            let rest = chars.filter_map(|c| inner.get(&c).copied());
            Word { pieces: first.into_iter().chain(rest).collect(), count: *count as i64 }
        };
        words.iter().map(spell).collect()
    }

    /// Returns the text of two joined pieces.
    fn joined(&self, (first, second): Pair) -> String {
        let second = &self.tokens[second as usize];
        let second = second.strip_prefix(PREFIX).unwrap_or(second);
        format!("{}{second}", self.tokens[first as usize])
    }
}

/// A pair that may be merged. The greatest candidate is merged next.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// The count of the pair when the candidate was added to the heap.
    count: i64,
    /// For equal counts, smaller ids come first.
    pair: Reverse<Pair>,
    /// A pair can have two candidates and must be merged in the words of both. The older candidate
    /// comes first.
    age: Reverse<usize>,
    /// The words to merge the pair in.
    words: Vec<u32>,
}

struct Merger {
    vocab: Vocabulary,
    words: Vec<Word>,
    /// The count of each pair. As in the library, the count of a merged pair is not reset.
    counts: HashMap<Pair, i64>,
    heap: BinaryHeap<Candidate>,
    /// The number of candidates so far.
    age: usize,
}

impl Merger {
    fn new(vocab: Vocabulary, words: Vec<Word>) -> Self {
        let mut counts: HashMap<Pair, i64> = HashMap::new();
        let mut places: HashMap<Pair, Vec<u32>> = HashMap::new();
        for (at, word) in words.iter().enumerate() {
            for pair in word.pieces.windows(2).map(|pair| (pair[0], pair[1])) {
                *counts.entry(pair).or_default() += word.count;
                note(&mut places, pair, at as u32);
            }
        }
        let mut merger = Self { vocab, words, counts, heap: BinaryHeap::new(), age: 0 };
        merger.push(places);
        merger
    }

    /// Adds pairs to the heap, with the words in which they are new.
    fn push(&mut self, places: HashMap<Pair, Vec<u32>>) {
        for (pair, words) in places {
            let count = self.counts.get(&pair).copied().unwrap_or(0);
            if count > 0 {
                self.age += 1;
                let (pair, age) = (Reverse(pair), Reverse(self.age));
                self.heap.push(Candidate { count, pair, age, words });
            }
        }
    }

    /// Merges until the vocabulary has `size` tokens, or no pair occurs at least `least` times.
    fn run(mut self, size: usize, least: u64) -> Vec<String> {
        while self.vocab.tokens.len() < size {
            let Some(mut next) = self.heap.pop() else { break };
            let Reverse(pair) = next.pair;
            let count = self.counts.get(&pair).copied().unwrap_or(0);
            // the count has changed since the candidate was added
            if next.count != count {
                next.count = count;
                self.heap.push(next);
            } else if u64::try_from(count).is_ok_and(|count| count >= least) {
                self.merge(pair, &next.words);
            } else {
                break;
            }
        }
        self.vocab.tokens
    }

    /// Joins the two pieces in these words. Other words have their own candidate.
    fn merge(&mut self, pair: Pair, words: &[u32]) {
        let token = self.vocab.joined(pair);
        let merged = self.vocab.add(token);
        let mut arisen: HashMap<Pair, Vec<u32>> = HashMap::new();
        for &at in words {
            let Word { pieces, count } = &mut self.words[at as usize];
            merge_in(pieces, pair, merged, |pair, sign| {
                *self.counts.entry(pair).or_default() += sign * *count;
                if sign > 0 {
                    note(&mut arisen, pair, at);
                }
            });
        }
        self.push(arisen);
    }
}

/// Records that a word has a pair, once per word. Words must be recorded in order.
fn note(places: &mut HashMap<Pair, Vec<u32>>, pair: Pair, word: u32) {
    let words = places.entry(pair).or_default();
    if words.last() != Some(&word) {
        words.push(word);
    }
}

/// Merges a pair in a word from left to right. Calls `change` with -1 for each neighbouring pair
/// that disappears, and with 1 for each new one.
fn merge_in(pieces: &mut Vec<u32>, pair: Pair, merged: u32, mut change: impl FnMut(Pair, i64)) {
    let (mut read, mut write) = (0, 0);
    while read < pieces.len() {
        let is_pair = pieces[read] == pair.0 && pieces.get(read + 1) == Some(&pair.1);
        if !is_pair {
            pieces[write] = pieces[read];
            read += 1;
            write += 1;
            continue;
        }
        if let Some(before) = write.checked_sub(1).map(|before| pieces[before]) {
            change((before, pair.0), -1);
            change((before, merged), 1);
        }
        if let Some(&after) = pieces.get(read + 2) {
            change((pair.1, after), -1);
            change((merged, after), 1);
        }
        pieces[write] = merged;
        read += 2;
        write += 1;
    }
    pieces.truncate(write);
}

#[cfg(test)]
mod tests {
    use super::{merge_in, vocabulary};
    use crate::tokenizer::train::TrainOptions;

    #[test]
    fn merging_goes_from_left_to_right_and_tells_of_the_neighbours() {
        let mut pieces = vec![1, 1, 1, 2];
        let mut changes = Vec::new();
        merge_in(&mut pieces, (1, 1), 9, |pair, sign| changes.push((pair, sign)));
        assert_eq!(pieces, [9, 1, 2]);
        assert_eq!(changes, [((1, 1), -1), ((9, 1), 1)]);
    }

    #[test]
    fn ties_go_to_the_smaller_ids() {
        let options = TrainOptions { vocab_size: 12, min_frequency: 1, ..TrainOptions::default() };
        let words = ["cd", "ab"].map(|word| (word.to_owned(), 3));
        let tokens = vocabulary(&words, &options);
        // the alphabet a, b, c, d, then ##b and ##d, and one place for a merge
        assert_eq!(tokens[5..], ["a", "b", "c", "d", "##b", "##d", "ab"]);
    }
}
