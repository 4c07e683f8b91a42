//! Search: the kernel against an oracle, the loss by quantizing, BM25 against its formula,
//! passages, and valid and damaged files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeSet;

use wasm_bindgen_test::wasm_bindgen_test;
use webert::search::file::{HEADER, Reader, SECTIONS, Section, Writer, section};
use webert::search::passages::{Lengths, passages};
use webert::search::words::Bm25;
use webert::search::{Hit, Index, Method, Passage, Query, Similarity};
use webert_kernels::{QUERY_SUM_MAX, score_rows, score_rows_f32};

/// Pseudo-random numbers (Steele et al. 2014, `SplitMix`).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// Returns a number from -1 to 1.
    fn next(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Returns an approximately normal number with mean 0.
    fn normal(&mut self) -> f32 {
        (0..6).map(|_| self.next()).sum::<f32>() / std::f32::consts::SQRT_2
    }
}

/// Widths and counts with remainders in vectors and blocks of rows.
const SHAPES: [(usize, usize); 7] =
    [(1, 1), (15, 3), (16, 4), (17, 5), (384, 9), (50, 0), (387, 6)];

#[wasm_bindgen_test(unsupported = test)]
fn score_rows_gives_exact_sums() {
    let mut random = Random(1);
    for (cols, count) in SHAPES {
        let rows: Vec<i8> = (0..cols * count).map(|_| random.below(256) as u8 as i8).collect();
        let most = (i64::from(QUERY_SUM_MAX) / cols as i64).min(i64::from(i16::MAX)) as u64;
        let sign = |n: u64| if n & 1 == 1 { 1 } else { -1 };
        let query: Vec<i16> =
            (0..cols).map(|_| sign(random.bits()) * random.below(most + 1) as i16).collect();
        let mut found = vec![7; count];
        score_rows(&query, &rows, &mut found);
        for (n, found) in found.into_iter().enumerate() {
            let row = &rows[n * cols..][..cols];
            let pairs = query.iter().zip(row);
            let expected: i64 = pairs.map(|(&q, &x)| i64::from(q) * i64::from(x)).sum();
            assert_eq!(i64::from(found), expected, "row {n} of {count} of {cols}");
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn score_rows_f32_is_near_the_sum_in_f64() {
    let mut random = Random(2);
    for (cols, count) in SHAPES {
        let rows: Vec<f32> = (0..cols * count).map(|_| random.next()).collect();
        let query: Vec<f32> = (0..cols).map(|_| random.next()).collect();
        let mut found = vec![7.0; count];
        score_rows_f32(&query, &rows, &mut found);
        for (n, found) in found.into_iter().enumerate() {
            let pairs = query.iter().zip(&rows[n * cols..][..cols]);
            let expected: f64 = pairs.map(|(&q, &x)| f64::from(q) * f64::from(x)).sum();
            assert!((f64::from(found) - expected).abs() < 1e-5, "row {n} of {count} of {cols}");
        }
    }
}

/// Returns an index over rows. Each row is a document with one passage.
fn index_of(rows: &[Vec<f32>], similarity: Similarity, quantizes: bool) -> Index {
    let mut index = Index::new(rows[0].len(), similarity, quantizes, true).unwrap();
    for (n, row) in rows.iter().enumerate() {
        let pieces = [n as u32 % 7, 100 + n as u32];
        index.add(&[Passage { start: 0, end: n as u32, pieces: &pieces }], row).unwrap();
    }
    index
}

fn documents(hits: &[Hit]) -> Vec<u32> {
    hits.iter().map(|hit| hit.document).collect()
}

/// Returns the share of the ten nearest rows that are found, for vectors with a shared mean.
fn recall(shared: f32, quantized: bool) -> f64 {
    let (mut random, width) = (Random(3), 96);
    let centre: Vec<f32> = (0..width).map(|_| shared * random.normal()).collect();
    let mut row = || -> Vec<f32> { centre.iter().map(|c| c + random.normal()).collect() };
    let rows: Vec<Vec<f32>> = (0..2000).map(|_| row()).collect();
    let queries: Vec<Vec<f32>> = (0..50).map(|_| row()).collect();
    let index = index_of(&rows, Similarity::Cosine, quantized);
    let exact = index_of(&rows, Similarity::Cosine, false);
    let found = |index: &Index, vector: &[f32]| -> BTreeSet<u32> {
        let hits = index.search(&Query { vector, ..Query::default() }).unwrap();
        documents(&hits).into_iter().collect()
    };
    let of_query =
        |query: &Vec<f32>| found(&index, query).intersection(&found(&exact, query)).count();
    queries.iter().map(of_query).sum::<usize>() as f64 / (10.0 * queries.len() as f64)
}

#[wasm_bindgen_test(unsupported = test)]
fn quantized_vectors_find_what_exact_ones_find() {
    for shared in [0.0, 3.0] {
        let share = recall(shared, true);
        assert!(share >= 0.99, "of vectors with a common part of {shared}: {share}");
        assert!((recall(shared, false) - 1.0).abs() < 1e-9);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn exact_scores_are_cosines_or_dot_products() {
    let rows = vec![vec![3.0, 4.0], vec![0.0, 0.0], vec![-6.0, 8.0]];
    let query = Query { vector: &[2.0, 0.0], top_k: 3, ..Query::default() };
    let scores = |similarity| -> Vec<(u32, f32)> {
        let hits = index_of(&rows, similarity, true).search(&query).unwrap();
        hits.iter().map(|hit| (hit.document, hit.score)).collect()
    };
    assert_eq!(scores(Similarity::Cosine), [(0, 0.6), (1, 0.0), (2, -0.6)]);
    assert_eq!(scores(Similarity::Dot), [(0, 6.0), (1, 0.0), (2, -12.0)]);
}

/// BM25 by its definition, in f64, over lists of pieces.
fn naive_bm25(passages: &[Vec<u32>], query: &[u32], k1: f64, b: f64) -> Vec<f64> {
    let count = passages.len() as f64;
    let mean = passages.iter().map(Vec::len).sum::<usize>() as f64 / count;
    let times = |pieces: &[u32], piece| pieces.iter().filter(|&&it| it == piece).count() as f64;
    let of_passage = |pieces: &Vec<u32>| {
        let of_piece = |&piece: &u32| {
            let df = passages.iter().filter(|it| it.contains(&piece)).count() as f64;
            let idf = (1.0 + (count - df + 0.5) / (df + 0.5)).ln();
            let tf = times(pieces, piece);
            if tf == 0.0 {
                return 0.0;
            }
            idf * tf / (tf + k1 * (1.0 - b + b * pieces.len() as f64 / mean))
        };
        query.iter().map(of_piece).sum::<f64>()
    };
    passages.iter().map(of_passage).collect()
}

fn words_index(passages: &[Vec<u32>]) -> Index {
    let mut index = Index::new(1, Similarity::Cosine, true, true).unwrap();
    for pieces in passages {
        index.add(&[Passage { start: 0, end: 1, pieces }], &[1.0]).unwrap();
    }
    index
}

fn some_passages(random: &mut Random, count: usize) -> Vec<Vec<u32>> {
    let passage = |random: &mut Random| {
        let length = random.below(30);
        // a few frequent pieces, many rare ones
        (0..length).map(|_| (random.below(40) * random.below(40) / 20) as u32).collect()
    };
    (0..count).map(|_| passage(random)).collect()
}

#[wasm_bindgen_test(unsupported = test)]
fn words_are_scored_by_the_formula() {
    let mut random = Random(4);
    let passages = some_passages(&mut random, 300);
    let index = words_index(&passages);
    for (k1, b) in [(1.2, 0.75), (0.0, 0.0), (2.0, 1.0)] {
        for query in [vec![5, 7, 5], vec![1000], vec![60, 3], vec![]] {
            let expected = naive_bm25(&passages, &query, k1.into(), b.into());
            let asked = Query {
                pieces: &query,
                method: Method::Words,
                top_k: 1000,
                bm25: Bm25 { k1, b },
                ..Query::default()
            };
            let hits = index.search(&asked).unwrap();
            assert_eq!(hits.len(), expected.iter().filter(|&&score| score > 0.0).count());
            for hit in &hits {
                let expected = expected[hit.document as usize];
                assert!((f64::from(hit.score) - expected).abs() < 1e-5, "{hit:?}: {expected}");
            }
            assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_removed_row_leaves_no_trace() {
    let mut random = Random(5);
    let rows: Vec<Vec<f32>> = (0..40).map(|_| (0..9).map(|_| random.next()).collect()).collect();
    let kept: Vec<usize> = (0..40).filter(|n| n % 3 != 1).collect();
    let add = |index: &mut Index, n: usize| {
        let pieces = [n as u32 % 5, n as u32 % 4, 9];
        let passages = [(0, 3), (3, 8)].map(|(start, end)| Passage { start, end, pieces: &pieces });
        let count = 1 + n % 2;
        index
            .add(&passages[..count], &[&rows[n][..], &rows[39 - n]].concat()[..9 * count])
            .unwrap();
    };
    let empty = || Index::new(9, Similarity::Cosine, true, true).unwrap();
    let (mut whole, mut expected) = (empty(), empty());
    (0..40).for_each(|n| add(&mut whole, n));
    kept.iter().for_each(|&n| add(&mut expected, n));
    let gone: Vec<u32> = (0..40).filter(|n| n % 3 == 1).collect();
    whole.remove(&gone).unwrap();
    assert_eq!(whole, expected);
    assert_eq!(whole.remove(&[99]).unwrap_err().code(), "bad_input");
    whole.remove(&(0..kept.len() as u32).collect::<Vec<_>>()).unwrap();
    assert_eq!(whole, empty());
    assert!(whole.search(&Query { vector: &rows[0], ..Query::default() }).unwrap().is_empty());
}

#[wasm_bindgen_test(unsupported = test)]
fn no_more_passages_of_a_document_than_are_asked_for() {
    let mut index = Index::new(2, Similarity::Cosine, true, false).unwrap();
    let passages = [0, 1, 2, 3, 4].map(|n| Passage { start: n, end: n + 1, pieces: &[] });
    index.add(&passages, &[1.0, 0.0, 1.0, 0.1, 1.0, 0.2, 1.0, 0.3, 1.0, 0.4]).unwrap();
    index.add(&passages[..1], &[0.0, 1.0]).unwrap();
    let search = |per_document| {
        let query = Query { vector: &[1.0, 0.0], top_k: 2, per_document, ..Query::default() };
        documents(&index.search(&query).unwrap())
    };
    assert_eq!(search(usize::MAX), [0, 0]);
    assert_eq!(search(1), [0, 1]);
}

#[wasm_bindgen_test(unsupported = test)]
fn both_orders_become_one() {
    // The first is nearest, the third has the words, the second has a bit of both.
    let mut index = Index::new(2, Similarity::Cosine, true, true).unwrap();
    let vectors = [[1.0, 0.0], [1.0, 0.3], [-1.0, 0.0], [0.0, -1.0]];
    for (vector, pieces) in vectors.iter().zip([&[1, 2][..], &[8, 1], &[8, 8], &[3]]) {
        index.add(&[Passage { start: 0, end: 1, pieces }], vector).unwrap();
    }
    let asked = Query { vector: &[1.0, 0.0], pieces: &[8], top_k: 4, ..Query::default() };
    let order = |method| documents(&index.search(&Query { method, ..asked }).unwrap());
    assert_eq!(order(Method::Vectors), [0, 1, 3, 2]);
    assert_eq!(order(Method::Words), [2, 1]);
    assert_eq!(order(Method::Hybrid(0.5))[0], 1);
    assert_eq!(order(Method::Hybrid(0.0)), order(Method::Vectors));
    assert_eq!(order(Method::Hybrid(1.0))[..2], [2, 1]);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_score_by_both_is_the_similarity_with_a_bonus_for_words() {
    let mut index = Index::new(2, Similarity::Cosine, true, true).unwrap();
    let passage = [Passage { start: 0, end: 1, pieces: &[8] }];
    let asked = Query { vector: &[0.6, 0.8], pieces: &[8], top_k: 4, ..Query::default() };
    let scores = |index: &Index, method| -> Vec<f32> {
        let hits = index.search(&Query { method, ..asked }).unwrap();
        hits.iter().map(|hit| hit.score).collect()
    };
    let near = |found: &[f32], expected: &[f32]| {
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-5), "{found:?}");
    };
    index.add(&passage, &[0.6, 0.8]).unwrap();
    // A single passage: the mean is its own similarity, and the bonus is a quarter of the least range.
    near(&scores(&index, Method::Hybrid(0.2)), &[1.0025]);
    index.add(&[Passage { pieces: &[3], ..passage[0] }], &[-0.8, 0.6]).unwrap();
    // The best similarity is 1, the mean 0.5.
    near(&scores(&index, Method::Hybrid(0.2)), &[1.125, 0.0]);
    // Words order passages of equal similarity.
    index.add(&[Passage { pieces: &[3], ..passage[0] }], &[0.6, 0.8]).unwrap();
    index.remove(&[1]).unwrap();
    near(&scores(&index, Method::Hybrid(0.2)), &[1.0025, 1.0]);
}

#[wasm_bindgen_test(unsupported = test)]
fn what_cannot_be_added_or_searched_is_refused() {
    assert_eq!(Index::new(0, Similarity::Cosine, true, true).unwrap_err().code(), "bad_input");
    let mut index = Index::new(2, Similarity::Cosine, true, false).unwrap();
    let passage = Passage { start: 0, end: 5, pieces: &[] };
    for (passages, vectors) in [
        (&[][..], &[][..]),
        (&[passage], &[1.0]),
        (&[passage], &[1.0, f32::NAN]),
        (&[passage], &[1.0, 1e30]),
        (&[Passage { start: 2, end: 1, pieces: &[] }], &[1.0, 1.0]),
    ] {
        assert_eq!(index.add(passages, vectors).unwrap_err().code(), "bad_input");
    }
    assert_eq!((index.documents(), index.passages()), (0, 0));
    for method in [Method::Words, Method::Hybrid(0.2)] {
        let error = index.search(&Query { vector: &[1.0, 0.0], method, ..Query::default() });
        assert!(error.unwrap_err().to_string().contains("without words"));
    }
    let error = index.search(&Query { vector: &[1.0], ..Query::default() }).unwrap_err();
    assert!(error.to_string().contains("× 2 numbers"), "{error}");
}

/// Returns the ends of a text's words, used as its tokens.
fn ends(text: &str) -> Vec<u32> {
    let words = text.split_whitespace();
    words
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize + word.len()) as u32)
        .collect()
}

fn cut(text: &str, max: usize, overlap: usize) -> Vec<&str> {
    let ranges = passages(text, &ends(text), Lengths { max, overlap });
    ranges.into_iter().map(|range| &text[range]).collect()
}

#[wasm_bindgen_test(unsupported = test)]
fn long_texts_are_cut_at_ends_of_sentences_or_words() {
    assert_eq!(cut("", 5, 2), [""]);
    assert_eq!(cut("  one two  ", 5, 2), ["one two"]);
    let text = "A b c. D e f! G h i? J k l.";
    assert_eq!(cut(text, 6, 0), ["A b c. D e f!", "G h i? J k l."]);
    assert_eq!(cut(text, 6, 3), ["A b c. D e f!", "D e f! G h i?", "G h i? J k l."]);
    assert_eq!(cut("a b c d e f g h", 4, 1), ["a b c d", "d e f g", "g h"]);
    assert_eq!(cut("a b c d e f g h", 4, 0), ["a b c d", "e f g h"]);
    // An overlap as long as a passage is reduced by one token.
    assert_eq!(cut("a b c d", 2, 9), ["a b", "b c", "c d"]);
    assert_eq!(
        cut("Über die Straße. 東京は大きい。 Dann weiter.", 3, 0).join("|"),
        "Über die Straße.|東京は大きい。 Dann weiter."
    );
}

#[wasm_bindgen_test(unsupported = test)]
fn passages_hold_every_token_and_no_more_than_they_may() {
    let mut random = Random(6);
    for _ in 0..300 {
        let word = |random: &mut Random| {
            let letters: String = (0..1 + random.below(5))
                .map(|_| ['a', 'é', '中'][random.below(3) as usize])
                .collect();
            letters
                + ["", "", ".", ",", "!\n"][random.below(5) as usize]
                + [" ", "  ", "\n"][random.below(3) as usize]
        };
        let text: String = (0..random.below(60)).map(|_| word(&mut random)).collect();
        let (max, overlap) = (1 + random.below(12) as usize, random.below(12) as usize);
        let ends = ends(&text);
        let ranges = passages(&text, &ends, Lengths { max, overlap });
        assert!(ranges.is_sorted_by(|a, b| a.start < b.start && a.end < b.end), "{ranges:?}");
        for range in &ranges {
            let tokens =
                ends.iter().filter(|&&end| range.start < end as usize && end as usize <= range.end);
            assert!(tokens.count() <= max, "{range:?} of {text:?}");
        }
        for &end in &ends {
            let is_held = |range: &std::ops::Range<usize>| {
                range.start < end as usize && end as usize <= range.end
            };
            assert!(ranges.iter().any(is_held), "{end} of {text:?} in {ranges:?}");
        }
    }
}

fn sample(quantized: bool, words: bool, count: usize) -> Index {
    let mut random = Random(7);
    let mut index = Index::new(10, Similarity::Cosine, quantized, words).unwrap();
    for (n, pieces) in some_passages(&mut random, count).iter().enumerate() {
        let passages =
            [Passage { start: 0, end: 70_000, pieces }, Passage { start: 9, end: 9, pieces: &[] }];
        let vectors: Vec<f32> = (0..20).map(|_| random.normal()).collect();
        let taken = 1 + n % 2;
        index.add(&passages[..taken], &vectors[..10 * taken]).unwrap();
    }
    index
}

fn file_of(index: &Index) -> Vec<u8> {
    let mut writer = Writer::default();
    let bytes = |part| match part {
        Section::Description => b"{}".to_vec(),
        Section::Documents => b"[1]\n".to_vec(),
        other => section(index, other).into_owned(),
    };
    let parts = SECTIONS.map(bytes);
    for (part, bytes) in SECTIONS.into_iter().zip(&parts) {
        bytes.chunks(100).for_each(|chunk| writer.push(part, chunk));
    }
    [writer.header(index), parts.concat()].concat()
}

fn read(bytes: &[u8]) -> webert::Result<Index> {
    let mut reader = Reader::open(bytes, bytes.len() as u64)?;
    for piece in bytes[HEADER..].chunks(37) {
        reader.push(piece)?;
    }
    reader.finish()
}

#[wasm_bindgen_test(unsupported = test)]
fn a_file_gives_the_index_that_was_written() {
    for quantized in [true, false] {
        for words in [true, false] {
            for count in [0, 1, 300] {
                let index = sample(quantized, words, count);
                assert_eq!(read(&file_of(&index)).unwrap(), index);
            }
        }
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn any_damaged_byte_is_an_error() {
    let file = file_of(&sample(true, true, 200));
    for n in (0..file.len()).step_by(11).chain(0..HEADER) {
        let mut damaged = file.clone();
        damaged[n] ^= 1 << (n % 8);
        let error = read(&damaged).unwrap_err();
        assert!(["bad_input", "unsupported"].contains(&error.code()), "byte {n}: {error}");
        assert!(error.to_string().starts_with("the index file "), "byte {n}: {error}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn truncated_and_foreign_files_are_errors() {
    let file = file_of(&sample(true, true, 20));
    let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    for size in [HEADER, HEADER + 1, file.len() - 1] {
        let expected = format!("is truncated: expected {} bytes, got {size}", file.len());
        assert!(message(&file[..size]).contains(&expected), "{}", message(&file[..size]));
    }
    assert!(message(&[&file[..], &[0]].concat()).contains("more than its sections"));
    assert!(Reader::open(&file[..50], 50).unwrap_err().to_string().contains("bytes, got 50"));
    for other in [&b""[..], b"PK\x03\x04", b"{\"metadata\":{}}"] {
        assert!(
            Reader::open(other, other.len() as u64)
                .unwrap_err()
                .to_string()
                .contains("is not a webert index")
        );
    }
    let mut newer = file.clone();
    newer[8] = 2;
    let error = read(&newer).unwrap_err();
    assert_eq!(error.code(), "unsupported");
    assert!(error.to_string().contains("version 2, expected 1"), "{error}");
    // A file read only in part yields no index.
    let mut reader = Reader::open(&file, file.len() as u64).unwrap();
    reader.push(&file[HEADER..file.len() - 5]).unwrap();
    assert!(reader.finish().unwrap_err().to_string().contains("is truncated"));
}
