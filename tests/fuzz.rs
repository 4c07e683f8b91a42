//! The fuzz targets over their seeds and over mutations with a fixed seed, so that bugs found by
//! fuzzing stay fixed. `npm run fuzz` runs the long form under libFuzzer. `WEBERT_FUZZ_RUNS` sets
//! the number of mutations per target, and `WEBERT_FUZZ_TARGET` names one target.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::path::Path;

/// Default number of mutations per target.
const RUNS: usize = 1000;

/// Largest mutated input in bytes.
const LONGEST: usize = 1 << 15;

/// Numbers and marks that often break file readers.
const PARTS: [&[u8]; 24] = [
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"-1",
    b"0",
    b"1e999",
    b"4294967295",
    b"4294967296",
    b"18446744073709551615",
    b"9007199254740993",
    b"\"\"",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"[[[[",
    b"\\ud800",
    b"\\u0000",
    "\u{301}".as_bytes(),
    "\u{1f600}".as_bytes(),
    "\u{4e2d}".as_bytes(),
    b"[MASK]",
    b" ",
    b"##",
];

#[test]
fn targets_hold_over_seeds_and_their_mutations() {
    let runs = std::env::var("WEBERT_FUZZ_RUNS").map_or(RUNS, |runs| runs.parse().unwrap());
    let only = std::env::var("WEBERT_FUZZ_TARGET").ok();
    for (name, run) in targets::TARGETS {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "fuzz/seeds/{name} is empty");
        for (file, seed) in &seeds {
            // Mutations of a rejected seed are mostly rejected as well, and test little.
            assert_eq!(
                check(name, run, seed),
                !file.starts_with("bad-"),
                "fuzz/seeds/{name}/{file}"
            );
        }
        let seeds: Vec<_> = seeds.into_iter().map(|(_, seed)| seed).collect();
        let mut random = Random(1);
        for _ in 0..runs {
            check(name, run, &mutated(&seeds, &mut random));
        }
    }
}

/// Returns the seeds of a target, sorted by file name. Names of seeds that must be rejected start
/// with `bad-`.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let read = |entry: fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
    };
    let mut seeds: Vec<_> = entries.map(read).collect();
    seeds.sort();
    seeds
}

/// Runs a target. If it panics, prints the input as a Rust literal.
fn check(name: &str, run: fn(&[u8]) -> bool, input: &[u8]) -> bool {
    let shown = Shown { name, input };
    let taken = run(input);
    drop(shown);
    taken
}

struct Shown<'a> {
    name: &'a str,
    input: &'a [u8],
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("target {}, input b\"{}\"", self.name, self.input.escape_ascii());
        }
    }
}

/// Returns a seed with up to eight changes.
fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 + random.below(8) {
        mutate(&mut bytes, seeds, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn mutate(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let from = random.below(bytes.len() + 1);
    let to = (from + 1 + random.below(24)).min(bytes.len());
    match random.below(8) {
        0 => bytes.iter_mut().skip(from).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
        1 => bytes.iter_mut().skip(from).take(1).for_each(|byte| *byte = random.below(256) as u8),
        2 => drop(bytes.drain(from..to)),
        3 => drop(bytes.splice(from..from, PARTS[random.below(PARTS.len())].iter().copied())),
        4 => drop(bytes.splice(from..to, PARTS[random.below(PARTS.len())].iter().copied())),
        5 => {
            let repeated = bytes[from..to].repeat(1 + random.below(40));
            drop(bytes.splice(from..from, repeated));
        }
        6 => {
            let other = &seeds[random.below(seeds.len())];
            let start = random.below(other.len() + 1);
            let part = other[start..other.len().min(start + 64)].to_vec();
            drop(bytes.splice(from..to, part));
        }
        _ => replace_number(bytes, from, random),
    }
}

/// Replaces the first number after `from`.
fn replace_number(bytes: &mut Vec<u8>, from: usize, random: &mut Random) {
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit) else { return };
    let start = from + start;
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = match random.below(4) {
        0 => PARTS[3 + random.below(7)].to_vec(),
        1 => (1_u64 << random.below(64)).to_string().into_bytes(),
        _ => random.below(40).to_string().into_bytes(),
    };
    drop(bytes.splice(start..start + length, number));
}

/// Counter-based random numbers (Steele et al. 2014, `SplitMix`).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((z ^ (z >> 27)) >> 33) as usize % end
    }
}
