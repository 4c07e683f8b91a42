//! Statistics of random choices in training (masks, spans, pairs, orders of rows), resuming a run,
//! and saved files, read back by the loader.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::HashMap;

use crate::common::{Golden, go_on};
use pollster::block_on;
use serde_json::Value;
use wasm_bindgen_test::wasm_bindgen_test;
use webert::backend::cpu::Cpu;
use webert::config::HeadKind;
use webert::engine::{Folder, LoadOptions, Model, ModelLoader, OutputRequest};
use webert::random::{Random, Stream};
use webert::tokenizer::train::{TokenizerTrainer, TrainOptions};
use webert::tokenizer::{EncodeOptions, Encoding, Files, Tokenizer};
use webert::train::arguments::{Objective, TrainingArguments};
use webert::train::data::batches::{MicroBatch, Place, Sampler};
use webert::train::data::masking::{Masking, span_length};
use webert::train::data::pairs::{self, IS_NEXT, NOT_NEXT, Packing, sentences};
use webert::train::data::rows::{Example, Target};
use webert::train::run::save::{Dtype, HeadConfig, config_with_head, safetensors_header};

const TEXT: &str = include_str!("../goldens/train/wordpiece/corpora/everyday.txt");

/// Returns a tokenizer of the text with about 1.5 tokens per word.
fn tokenizer() -> Tokenizer {
    let options = TrainOptions { vocab_size: 600, ..TrainOptions::default() };
    let mut trainer = TokenizerTrainer::new(options).unwrap();
    TEXT.lines().for_each(|line| trainer.add(line));
    let json = trainer.finish().unwrap().tokenizer_json().unwrap();
    Tokenizer::load(&Files { tokenizer_json: Some(json.as_bytes()), ..Files::default() }).unwrap()
}

fn encode(tokenizer: &Tokenizer, text: &str) -> Encoding {
    tokenizer.encode(text, None, &EncodeOptions::default()).unwrap().remove(0)
}

/// Returns the expected frequencies of the golden table.
fn expected(what: &str) -> Value {
    let golden: Value =
        serde_json::from_str(include_str!("../goldens/train/masking.json")).unwrap();
    let rows = golden["table"].as_array().unwrap();
    rows.iter().find(|row| row["what"] == what).unwrap_or_else(|| panic!("no {what}")).clone()
}

/// Checks a frequency within four standard deviations of a binomial distribution.
fn frequent(what: &str, count: usize, of: usize, expected: f64) {
    let (found, bound) =
        (count as f64 / of as f64, 4.0 * (expected * (1.0 - expected) / of as f64).sqrt());
    assert!(
        (found - expected).abs() <= bound,
        "{what}: {found} of {of}, expected {expected} ± {bound}"
    );
}

/// Statistics of the masks of many texts.
#[derive(Default)]
struct Seen {
    candidates: usize,
    chosen: usize,
    masked: usize,
    changed: usize,
    kept: usize,
}

/// Masks sentences of about 40 tokens. Calls `each` with the encoding and its mask.
fn mask_all(
    tokenizer: &Tokenizer,
    arguments: &TrainingArguments,
    mut each: impl FnMut(&Encoding, &[u32], &[i32]),
) -> Seen {
    let masking = Masking::new(tokenizer, arguments).unwrap();
    let special = tokenizer.special_ids();
    let mask = tokenizer.special().mask.as_ref().unwrap().id;
    let mut seen = Seen::default();
    let lines: Vec<&str> = TEXT.lines().collect();
    for (row, text) in lines.chunks(4).map(|lines| lines.join(" [SEP] ")).enumerate() {
        let encoding = encode(tokenizer, &text);
        for epoch in 0..4 {
            let mut random = Random::new(5, Stream::Mask, [epoch, row as u32]);
            let masked = masking.mask(&encoding, &mut random);
            assert_eq!((masked.ids.len(), masked.labels.len()), (encoding.len(), encoding.len()));
            let mut chosen = 0;
            for at in 0..encoding.len() {
                let (id, found) = (encoding.ids[at], masked.ids[at]);
                let is_special = encoding.sequence_ids[at].is_none() || special.contains(&id);
                seen.candidates += usize::from(!is_special);
                if masked.labels[at] == -100 {
                    assert_eq!(found, id, "a token that was not chosen stays");
                    continue;
                }
                assert!(!is_special, "a special token was chosen");
                assert_eq!(masked.labels[at], id as i32);
                chosen += 1;
                seen.masked += usize::from(found == mask);
                seen.kept += usize::from(found == id);
                seen.changed += usize::from(found != mask && found != id);
            }
            assert!(chosen > 0, "a text has one chosen token at least: {text}");
            seen.chosen += chosen;
            each(&encoding, &masked.ids, &masked.labels);
        }
    }
    seen
}

/// Checks the 80/10/10 rates. A random token equals the original, or the mask, with probability 1 /
/// vocabulary each.
fn check_rates(seen: &Seen, vocab: usize) {
    let (once, chosen) = (1.0 / vocab as f64, seen.chosen);
    frequent("[MASK]", seen.masked, chosen, 0.8 + 0.1 * once);
    frequent("kept", seen.kept, chosen, 0.1 + 0.1 * once);
    frequent("changed", seen.changed, chosen, 0.1 - 0.2 * once);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_seventh_of_the_tokens_is_masked_and_a_fifth_of_these_is_not_hidden() {
    let tokenizer = tokenizer();
    let seen = mask_all(&tokenizer, &TrainingArguments::default(), |encoding, _, labels| {
        let special = tokenizer.special_ids();
        let tokens = encoding.ids.iter().filter(|id| !special.contains(id)).count();
        let chosen = labels.iter().filter(|&&label| label != -100).count();
        assert_eq!(chosen, ((0.15 * tokens as f64).round() as usize).max(1));
    });
    assert!(seen.chosen > 20_000, "{} draws", seen.chosen);
    check_rates(&seen, tokenizer.vocab_size());
    let share = expected("chosen")["expected"].as_f64().unwrap();
    // The number per text is fixed, so only rounding changes the rate.
    assert!((seen.chosen as f64 / seen.candidates as f64 - share).abs() < 0.002);
}

#[wasm_bindgen_test(unsupported = test)]
fn masks_are_drawn_anew_each_epoch_and_alike_in_the_same() {
    let tokenizer = tokenizer();
    let masking = Masking::new(&tokenizer, &TrainingArguments::default()).unwrap();
    let encodings = vec![encode(&tokenizer, TEXT.lines().next().unwrap())];
    let examples = [Example { row: 0, encodings, target: Target::Class(1) }];
    let batch = |epoch| MicroBatch::collate(&examples, &[0], Some((&masking, 42)), epoch);
    assert_eq!(batch(3), batch(3));
    assert_eq!(batch(0).tokens.len(), batch(0).len());
    assert_eq!((batch(0).classes, batch(0).sequences), (vec![1], vec![1]));
    let different: std::collections::HashSet<_> =
        (0..20).map(|epoch| batch(epoch).tokens).collect();
    assert!(different.len() > 5, "{} masks in 20 epochs", different.len());
}

/// Returns chosen and total tokens of each word, by sequence and word.
fn words(encoding: &Encoding, labels: &[i32]) -> HashMap<u32, (usize, usize)> {
    let mut words: HashMap<u32, (usize, usize)> = HashMap::new();
    for (word, label) in encoding.word_ids.iter().zip(labels) {
        if let Some(word) = word {
            let (chosen, all) = words.entry(*word).or_default();
            *chosen += usize::from(*label != -100);
            *all += 1;
        }
    }
    words
}

#[wasm_bindgen_test(unsupported = test)]
fn whole_words_are_masked_whole() {
    let tokenizer = tokenizer();
    let arguments = TrainingArguments { whole_word_mask: true, ..TrainingArguments::default() };
    let mut long = 0;
    let seen = mask_all(&tokenizer, &arguments, |encoding, _, labels| {
        for (chosen, all) in words(encoding, labels).into_values() {
            assert!(chosen == 0 || chosen == all, "{chosen} of a word's {all} tokens");
            long += usize::from(chosen > 1);
        }
    });
    assert!(long > 1000, "{long} words of several tokens");
    check_rates(&seen, tokenizer.vocab_size());
    let band = expected("whole_word_mask: chosen")["band"].clone();
    let share = seen.chosen as f64 / seen.candidates as f64;
    assert!((band[0].as_f64().unwrap()..band[1].as_f64().unwrap()).contains(&share), "{share}");
}

#[wasm_bindgen_test(unsupported = test)]
fn spans_of_words_are_masked_as_one() {
    let tokenizer = tokenizer();
    let mask = tokenizer.special().mask.as_ref().unwrap().id;
    let arguments = TrainingArguments { ngram: true, ..TrainingArguments::default() };
    let (mut several, mut uniform) = (0, 0);
    let seen = mask_all(&tokenizer, &arguments, |encoding, ids, labels| {
        for (chosen, all) in words(encoding, labels).into_values() {
            assert!(chosen == 0 || chosen == all, "{chosen} of a word's {all} tokens");
        }
        // Neighbours usually belong to one span, and are then replaced alike.
        for at in 1..labels.len() {
            if labels[at - 1] != -100 && labels[at] != -100 {
                several += 1;
                uniform += usize::from((ids[at - 1] == mask) == (ids[at] == mask));
            }
        }
    });
    let share = seen.chosen as f64 / seen.candidates as f64;
    let band = expected("ngram: chosen")["band"].clone();
    assert!((band[0].as_f64().unwrap()..band[1].as_f64().unwrap()).contains(&share), "{share}");
    // With a draw per token it would be 0.8² + 0.2² = 0.68.
    assert!(several > 10_000 && uniform as f64 > 0.9 * several as f64, "{uniform} of {several}");
}

#[wasm_bindgen_test(unsupported = test)]
fn lengths_of_spans_are_geometric() {
    let mut random = Random::new(1, Stream::Mask, [0, 0]);
    let draws = 100_000;
    let mut counts = [0; 11];
    (0..draws).for_each(|_| counts[span_length(&mut random)] += 1);
    let expected = expected("ngram: a span's length in words is k")["expected"].clone();
    let expected = expected.as_array().unwrap();
    assert_eq!((counts[0], expected.len()), (0, 10));
    for (length, expected) in (1..).zip(expected) {
        frequent(&format!("length {length}"), counts[length], draws, expected.as_f64().unwrap());
    }
}

/// Returns the text as documents of forty sentences each.
fn documents() -> Vec<Vec<String>> {
    let lines: Vec<String> =
        TEXT.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    lines.chunks(40).map(<[String]>::to_vec).collect()
}

fn pack(tokenizer: &Tokenizer, objective: Objective, seed: u64) -> Vec<Example> {
    let packing = Packing { objective, max_length: 48, seed };
    pairs::pack(tokenizer, &documents(), &packing).unwrap()
}

/// Checks that a pair has two texts between special tokens, and fits.
fn check_pair(tokenizer: &Tokenizer, encoding: &Encoding) {
    let special = tokenizer.special();
    let [cls, sep] = [&special.cls, &special.sep].map(|special| special.as_ref().unwrap().id);
    let len = encoding.len();
    assert!((5..=48).contains(&len), "{len} tokens");
    let seps: Vec<usize> = (0..len).filter(|&at| encoding.ids[at] == sep).collect();
    assert_eq!((encoding.ids[0], seps.len(), seps[1]), (cls, 2, len - 1));
    let types: Vec<u32> = (0..len).map(|at| u32::from(at > seps[0])).collect();
    assert!(seps[0] > 1 && seps[1] > seps[0] + 1, "an empty text");
    assert_eq!(encoding.type_ids, types);
}

#[wasm_bindgen_test(unsupported = test)]
fn half_of_the_pairs_follow() {
    let tokenizer = tokenizer();
    for objective in [Objective::Nsp, Objective::Sop] {
        let (mut pairs, mut next) = (0, 0);
        for seed in 0..8 {
            for example in pack(&tokenizer, objective, seed) {
                let [encoding] = &example.encodings[..] else { panic!("one sequence a pair") };
                check_pair(&tokenizer, encoding);
                let Target::Class(label) = example.target else { panic!("{:?}", example.target) };
                assert!(label == IS_NEXT || label == NOT_NEXT);
                pairs += 1;
                next += usize::from(label == IS_NEXT);
            }
        }
        assert!(pairs > 5000, "{pairs} pairs");
        let share = expected("pre-training: label is_next")["expected"].as_f64().unwrap();
        frequent("follows", next, pairs, share);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_tenth_of_the_pairs_is_short() {
    // Sentences of one token each, so that pairs have exactly their target length.
    let tokenizer = tokenizer();
    let document = vec!["the".to_owned(); 200_000];
    let packing = Packing { objective: Objective::Sop, max_length: 48, seed: 1 };
    let pairs = pairs::pack(&tokenizer, &[document], &packing).unwrap();
    let (_, pairs) = pairs.split_last().unwrap();
    let short: Vec<usize> = pairs.iter().map(Example::len).filter(|&len| len < 48).collect();
    // A short pair has 2 to 45 tokens; with 45 it is full.
    let share = expected("pre-training: pairs made short")["expected"].as_f64().unwrap();
    frequent("short", short.len(), pairs.len(), share * 43.0 / 44.0);
    assert_eq!(short.iter().min(), Some(&5));
    let mean = short.iter().sum::<usize>() as f64 / short.len() as f64;
    // Uniform on 5 to 47: the deviation is √((43² - 1) / 12) = 12.4.
    assert!((mean - 26.0).abs() < 4.0 * 12.4 / (short.len() as f64).sqrt(), "{mean}");
}

#[wasm_bindgen_test(unsupported = test)]
fn pairs_that_follow_are_of_their_document_in_order() {
    let tokenizer = tokenizer();
    let sources: Vec<Vec<u32>> = documents()
        .iter()
        .map(|document| {
            document
                .iter()
                .flat_map(|text| tokenizer.segment(text).unwrap().ids().to_vec())
                .collect()
        })
        .collect();
    // Places of a text's tokens in its document. A short text may occur several times.
    let places = |row: usize, ids: &[u32]| -> Vec<usize> {
        let parts = sources[row].windows(ids.len()).enumerate();
        parts.filter(|(_, part)| *part == ids).map(|(at, _)| at).collect()
    };
    // Truncation of two texts leaves a gap between them.
    let follows = |row: usize, first: &[u32], second: &[u32]| {
        let (ends, starts) = (places(row, first), places(row, second));
        ends.iter()
            .map(|at| at + first.len())
            .any(|end| starts.iter().any(|&start| (end..end + 60).contains(&start)))
    };
    let (mut in_order, mut reversed, mut elsewhere) = (0, 0, 0);
    for objective in [Objective::Nsp, Objective::Sop] {
        for Example { row, encodings, target } in pack(&tokenizer, objective, 3) {
            let text = |sequence| -> Vec<u32> {
                let of = |at: &usize| encodings[0].sequence_ids[*at] == Some(sequence);
                (0..encodings[0].len()).filter(of).map(|at| encodings[0].ids[at]).collect()
            };
            let (first, second) = (text(0), text(1));
            match (target, objective) {
                (Target::Class(IS_NEXT), _) => {
                    assert!(follows(row, &first, &second));
                    in_order += 1;
                }
                (_, Objective::Sop) => {
                    assert!(follows(row, &second, &first));
                    reversed += 1;
                }
                (_, Objective::Nsp) => {
                    assert!(!places(row, &first).is_empty());
                    // A short text may occur in both documents.
                    assert!(second.len() < 6 || places(row, &second).is_empty());
                    elsewhere += 1;
                }
            }
        }
    }
    assert!(
        in_order > 500 && reversed > 250 && elsewhere > 250,
        "{in_order} {reversed} {elsewhere}"
    );
}

#[wasm_bindgen_test(unsupported = test)]
fn documents_that_make_no_pairs_are_refused() {
    let tokenizer = tokenizer();
    let refused = |documents: &[&[&str]], objective, max_length| {
        let documents: Vec<Vec<String>> = documents
            .iter()
            .map(|texts| texts.iter().map(|&text| text.to_owned()).collect())
            .collect();
        let packing = Packing { objective, max_length, seed: 1 };
        let error = pairs::pack(&tokenizer, &documents, &packing).unwrap_err();
        assert_eq!(error.code(), "bad_input");
        error.to_string()
    };
    let good = &["I have a sister.", "She is older."][..];
    assert!(
        refused(&[good], Objective::Nsp, 32).contains("expected two or more documents, got one")
    );
    assert!(
        refused(&[good, &[" "]], Objective::Nsp, 32)
            .starts_with("row 1: expected a document of two")
    );
    assert!(
        refused(&[good, good], Objective::Sop, 4)
            .starts_with("max_length: expected room for two texts between special tokens, got 4")
    );
}

#[wasm_bindgen_test(unsupported = test)]
fn texts_split_into_sentences() {
    assert_eq!(sentences("3.14 is pi... Is it?! Yes"), ["3.14 is pi...", "Is it?!", "Yes"]);
    assert_eq!(
        sentences("\u{4f60}\u{597d}\u{3002}\u{518d}\u{89c1}\u{ff01}"),
        ["\u{4f60}\u{597d}\u{3002}", "\u{518d}\u{89c1}\u{ff01}"]
    );
    assert_eq!(sentences("\n \n"), [""; 0]);
}

fn sampler(rows: usize, json: &str) -> (Sampler, TrainingArguments) {
    let arguments: TrainingArguments = serde_json::from_str(json).unwrap();
    let lengths = (0..rows).map(|row| 5 + row * 7 % 31).collect();
    (Sampler::new(lengths, &arguments).unwrap(), arguments)
}

#[wasm_bindgen_test(unsupported = test)]
fn every_epoch_has_each_row_once_in_an_order_of_its_own() {
    for grouped in [true, false] {
        let json = format!(r#"{{"group_by_length": {grouped}, "per_device_train_batch_size": 8}}"#);
        let (sampler, arguments) = sampler(203, &json);
        let orders: Vec<Vec<usize>> = (0..2).map(|epoch| sampler.epoch(epoch).concat()).collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..203).collect::<Vec<_>>());
        }
        assert_ne!(orders[0], orders[1]);
        assert_eq!(sampler.epoch(0).iter().map(Vec::len).collect::<Vec<_>>()[25..], [3]);
        assert_eq!(sampler.total_steps(&arguments), 78);
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn rows_of_similar_lengths_go_together_the_longest_first() {
    let (sampler, _) = sampler(800, "{}");
    let length = |row: &usize| 5 + row * 7 % 31;
    let spread = |batch: &Vec<usize>| {
        batch.iter().map(length).max().unwrap() - batch.iter().map(length).min().unwrap()
    };
    let batches = sampler.epoch(0);
    let mean = batches.iter().map(spread).sum::<usize>() as f64 / batches.len() as f64;
    assert!(mean < 4.0, "lengths differ by {mean} within a batch");
    let tokens = |batch: &Vec<usize>| batch.iter().map(length).sum::<usize>();
    assert_eq!(Some(tokens(&batches[0])), batches.iter().map(tokens).max());
    let lengths: Vec<usize> = batches.iter().map(tokens).collect();
    assert!(!lengths.is_sorted_by(|a, b| a >= b), "batches are in random order");
}

#[wasm_bindgen_test(unsupported = test)]
fn a_run_continues_from_its_place() {
    let json =
        r#"{"per_device_train_batch_size": 4, "gradient_accumulation_steps": 3, "max_steps": 9}"#;
    let (mut whole, arguments) = sampler(50, json);
    assert_eq!((whole.steps_per_epoch(), whole.total_steps(&arguments)), (5, 9));
    let mut steps: Vec<_> = (0..7).map(|_| whole.next_step()).collect();
    assert_eq!(steps[4].iter().map(Vec::len).collect::<Vec<_>>(), [2], "the rest of an epoch");
    assert_eq!(whole.place(), Place { epoch: 1, step: 2 });
    let saved = serde_json::to_string(&whole.place()).unwrap();
    steps.extend((0..6).map(|_| whole.next_step()));

    let (mut resumed, _) = sampler(50, json);
    resumed.resume(serde_json::from_str(&saved).unwrap());
    for step in &steps[7..] {
        assert_eq!(&resumed.next_step(), step);
    }
    let none = Sampler::new(Vec::new(), &arguments).unwrap_err();
    assert_eq!(none.code(), "bad_input");
}

/// Returns the tensors of an f32 safetensors file: names, shapes and numbers, in the order of the
/// file.
fn tensors(bytes: &[u8]) -> Vec<(String, Vec<usize>, Vec<f32>)> {
    let len = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header: Value = serde_json::from_slice(&bytes[8..8 + len]).unwrap();
    let data = &bytes[8 + len..];
    let index = |values: &Value, at: usize| values[at].as_u64().unwrap() as usize;
    let mut tensors: Vec<_> = header
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| *name != "__metadata__")
        .map(|(name, tensor)| {
            let offsets = &tensor["data_offsets"];
            let part = &data[index(offsets, 0)..index(offsets, 1)];
            let numbers =
                part.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
            let shape = tensor["shape"].as_array().unwrap();
            let shape = (0..shape.len()).map(|at| index(&tensor["shape"], at)).collect();
            (index(offsets, 0), name.clone(), shape, numbers.collect())
        })
        .collect();
    tensors.sort_by_key(|(offset, ..)| *offset);
    tensors.into_iter().map(|(_, name, shape, numbers)| (name, shape, numbers)).collect()
}

fn logits(model: &Model<Cpu>) -> Vec<f32> {
    let encoding = encode(model.tokenizer().unwrap(), "the old house near the river");
    let tick = || go_on();
    let tables = block_on(model.compute(&[encoding], OutputRequest::Logits, None, &tick)).unwrap();
    tables[0].rows().flatten().copied().collect()
}

#[wasm_bindgen_test(unsupported = test)]
fn what_is_saved_is_loaded_again() {
    let golden = Golden::named("bert-seqcls-3");
    let (_, weights) = golden.weights().next().unwrap();
    // A different order; the header may have any order.
    let mut tensors = tensors(weights);
    tensors.reverse();
    let names: Vec<(&str, &[usize])> =
        tensors.iter().map(|(name, shape, _)| (name.as_str(), &shape[..])).collect();
    let labels = ["refund", "login", "bug"].map(str::to_owned);
    let head =
        HeadConfig { kind: HeadKind::SequenceClassification, labels: &labels, problem: None };
    let mut files = golden.small_files();
    for (name, bytes) in &mut files {
        if name == "config.json" {
            *bytes = config_with_head(bytes, &head).unwrap().into_bytes();
        }
    }
    for (dtype, tolerance) in [(Dtype::F32, 0.0), (Dtype::F16, 0.02)] {
        let mut file = safetensors_header(&names, dtype).unwrap();
        tensors.iter().for_each(|(_, _, numbers)| file.extend(dtype.bytes(numbers)));
        let mut loader = ModelLoader::new(
            Folder::read(&files).unwrap(),
            Cpu::default(),
            LoadOptions::with_dtype("fp32", None).unwrap(),
        )
        .unwrap();
        loader.begin_file("model.safetensors").unwrap();
        loader.push(&file).unwrap();
        loader.end_file().unwrap();
        let saved = block_on(loader.finish()).unwrap();
        assert_eq!(saved.config().labels, labels);
        let (found, expected) = (logits(&saved), logits(&golden.load("fp32").unwrap()));
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                (found - expected).abs() <= tolerance,
                "{dtype:?}: {found}, expected {expected}"
            );
        }
    }
}
