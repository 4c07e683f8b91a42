//! The parts of a `tokenizer.json` by the names that it has for them. What is not known is
//! `Unsupported`.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{
    bpe::{Bpe, BpeOptions},
    charsmap::Charsmap,
    decode::Decoder,
    decoders::DecodeStep,
    forms::Form,
    json::id,
    normalizers::{Pattern, Step},
    pre_tokenizers::{Prepend, Splitter},
    tokenizer_json::{bad, get_text, kind, typed, unsupported, vocab},
    unigram::Unigram,
    vocab::VocabBuilder,
};
use crate::json::{Object, Text, read_as};
use crate::{Error, Result};

/// How deep sequences of parts may lie in each other.
const MAX_DEPTH: usize = 8;

/// A part that is a list of others, in order, or else the part alone.
pub(super) fn flat<'a>(
    name: &str,
    part: Option<&'a RawValue>,
    list: &str,
) -> Result<Vec<(Cow<'a, str>, &'a RawValue)>> {
    let mut flat = Vec::new();
    if let Some(part) = part {
        flatten(name, part, list, MAX_DEPTH, &mut flat)?;
    }
    Ok(flat)
}

fn flatten<'a>(
    name: &str,
    part: &'a RawValue,
    list: &str,
    depth: usize,
    flat: &mut Vec<(Cow<'a, str>, &'a RawValue)>,
) -> Result<()> {
    let kind = kind(Some(part));
    if kind != "Sequence" {
        flat.push((kind, part));
        return Ok(());
    }
    let parts: Option<Vec<&RawValue>> =
        read_as(part).and_then(|part: Object<'_>| part.get_as(list));
    let parts = parts.ok_or_else(|| bad(&format!("the {name} is a Sequence without {list}")))?;
    let depth = depth.checked_sub(1).ok_or_else(|| unsupported(name, "nested too deeply"))?;
    parts.into_iter().try_for_each(|part| flatten(name, part, list, depth, flat))
}

/// A member of a part that has to be there.
fn need<T: DeserializeOwned>(part: &Object<'_>, name: &str) -> Result<T> {
    part.get_as(name).ok_or_else(|| bad(&format!("a part has no valid {name}")))
}

fn need_text<'a>(part: &Object<'a>, name: &str) -> Result<Cow<'a, str>> {
    get_text(part, name).ok_or_else(|| bad(&format!("a part has no valid {name}")))
}

pub(super) fn normalizers(part: Option<&RawValue>) -> Result<Vec<Step>> {
    let form = |composes, compatible| Step::Form(Form { composes, compatible });
    let step = |(kind, part): (Cow<'_, str>, _)| {
        let part: Object<'_> = typed("normalizer", part)?;
        Ok(match &*kind {
            "NFC" => form(true, false),
            "NFD" => form(false, false),
            "NFKC" => form(true, true),
            "NFKD" => form(false, true),
            "Lowercase" => Step::Lowercase,
            "StripAccents" => Step::StripAccents,
            "Strip" => {
                Step::Strip { left: need(&part, "strip_left")?, right: need(&part, "strip_right")? }
            }
            "Prepend" => Step::Prepend(need(&part, "prepend")?),
            "Replace" => Step::Replace {
                pattern: pattern("normalizer", &part)?,
                content: need(&part, "content")?,
            },
            "Precompiled" => {
                Step::Precompiled(Charsmap::new(&need_text(&part, "precompiled_charsmap")?)?)
            }
            other => return Err(unsupported("normalizer", other)),
        })
    };
    flat("normalizer", part, "normalizers")?.into_iter().map(step).collect()
}

/// A pattern: `{"String": …}`, or the one kind of regular expression that these files have, a
/// character so many times or more: `{"Regex": " {2,}"}`.
fn pattern(name: &str, part: &Object<'_>) -> Result<Pattern> {
    #[derive(Deserialize)]
    enum Json {
        String(String),
        Regex(String),
    }
    match need(part, "pattern")? {
        Json::String(text) => Ok(Pattern::Text(text)),
        Json::Regex(regex) => run(&regex)
            .ok_or_else(|| unsupported(name, &format!("Replace with the Regex {regex:?}"))),
    }
}

fn run(regex: &str) -> Option<Pattern> {
    let mut rest = regex.chars();
    let of = rest.next().filter(|&c| c == ' ' || c.is_alphanumeric() || c == '\u{2581}')?;
    let least = match rest.as_str() {
        "+" => 1,
        times => times.strip_prefix('{')?.strip_suffix(",}")?.parse().ok().filter(|&n| n > 0)?,
    };
    Some(Pattern::Run { of, least })
}

pub(super) fn pre_tokenizers(part: Option<&RawValue>) -> Result<Vec<Splitter>> {
    let step = |(kind, part): (Cow<'_, str>, _)| {
        let part: Object<'_> = typed("pre_tokenizer", part)?;
        Ok(match &*kind {
            "ByteLevel" => Splitter::ByteLevel {
                add_prefix_space: part.get_as("add_prefix_space").unwrap_or(true),
                use_regex: part.get_as("use_regex").unwrap_or(true),
            },
            "Metaspace" => Splitter::Metaspace {
                replacement: part.get_as("replacement").unwrap_or('\u{2581}'),
                prepend: prepend(&part)?,
                split: part.get_as("split").unwrap_or(true),
            },
            "WhitespaceSplit" => Splitter::WhitespaceSplit,
            "Whitespace" => Splitter::Whitespace,
            "BertPreTokenizer" => Splitter::Bert,
            other => return Err(unsupported("pre_tokenizer", other)),
        })
    };
    let steps: Vec<_> = flat("pre_tokenizer", part, "pretokenizers")?
        .into_iter()
        .map(step)
        .collect::<Result<_>>()?;
    match steps.split_last() {
        Some((_, before)) if before.iter().any(|s| matches!(s, Splitter::ByteLevel { .. })) => {
            Err(unsupported("pre_tokenizer", "a Sequence that goes on after ByteLevel"))
        }
        _ => Ok(steps),
    }
}

/// Older files have `add_prefix_space` in the place of `prepend_scheme`.
fn prepend(metaspace: &Object<'_>) -> Result<Prepend> {
    match get_text(metaspace, "prepend_scheme").as_deref() {
        Some("always") => Ok(Prepend::Always),
        Some("first") => Ok(Prepend::First),
        Some("never") => Ok(Prepend::Never),
        Some(other) => Err(unsupported("prepend_scheme of Metaspace", other)),
        None if metaspace.get_as("add_prefix_space") == Some(false) => Ok(Prepend::Never),
        None => Ok(Prepend::Always),
    }
}

pub(super) fn decoder(part: Option<&RawValue>) -> Result<Decoder> {
    let parts = flat("decoder", part, "decoders")?;
    if let [(kind, part)] = &parts[..]
        && kind == "WordPiece"
    {
        let part: Object<'_> = typed("decoder", part)?;
        return Ok(Decoder::WordPiece {
            prefix: get_text(&part, "prefix").unwrap_or("##".into()).into_owned(),
            cleanup: part.get_as("cleanup").unwrap_or(true),
        });
    }
    if part.is_none() {
        return Ok(Decoder::Plain);
    }
    let steps: Result<_> = parts.into_iter().map(|(kind, part)| decode_step(&kind, part)).collect();
    Ok(Decoder::Steps(steps?))
}

fn decode_step(kind: &str, part: &RawValue) -> Result<DecodeStep> {
    let part: Object<'_> = typed("decoder", part)?;
    Ok(match kind {
        "ByteLevel" => DecodeStep::ByteLevel,
        "Metaspace" => DecodeStep::Metaspace {
            replacement: part.get_as("replacement").unwrap_or('\u{2581}'),
            drops_first: prepend(&part)? != Prepend::Never,
        },
        "BPEDecoder" => {
            DecodeStep::Suffix(get_text(&part, "suffix").unwrap_or("</w>".into()).into_owned())
        }
        "Replace" => match pattern("decoder", &part)? {
            Pattern::Text(pattern) => {
                DecodeStep::Replace { pattern, content: need(&part, "content")? }
            }
            Pattern::Run { .. } => return Err(unsupported("decoder", "Replace with a Regex")),
        },
        "ByteFallback" => DecodeStep::ByteFallback,
        "Fuse" => DecodeStep::Fuse,
        "Strip" => DecodeStep::Strip {
            content: need(&part, "content")?,
            start: need(&part, "start")?,
            stop: need(&part, "stop")?,
        },
        other => return Err(unsupported("decoder", other)),
    })
}

/// A BPE model; `byte_level`: its words are bytes.
pub(super) fn bpe(model: &Object<'_>, byte_level: bool) -> Result<Bpe> {
    if model.get_as::<f64>("dropout").is_some_and(|dropout| dropout > 0.0) {
        return Err(unsupported("model", "BPE with dropout"));
    }
    let vocab = vocab(model.get("vocab"))?;
    let unk = get_text(model, "unk_token");
    let unk = unk.map(|token| {
        vocab.id(&token).ok_or_else(|| {
            bad(&format!("the model has no token {token:?}, which is its unk_token"))
        })
    });
    let flag = |name| model.get_as(name).unwrap_or(false);
    let mark = |name| get_text(model, name).unwrap_or_default().into_owned();
    let options = BpeOptions {
        unk: unk.transpose()?,
        fuse_unk: flag("fuse_unk"),
        byte_fallback: flag("byte_fallback"),
        ignore_merges: flag("ignore_merges"),
        prefix: mark("continuing_subword_prefix"),
        suffix: mark("end_of_word_suffix"),
    };
    let damaged = || bad("model.merges is not a list of pairs of tokens");
    // A pair is `["a", "b"]`, in older files `"a b"`.
    if let Some(pairs) = model.get_as::<Vec<(Text<'_>, Text<'_>)>>("merges") {
        let pairs = pairs.iter().map(|(Text(left), Text(right))| (&**left, &**right));
        return Bpe::new(vocab, pairs, options, byte_level);
    }
    let lines: Vec<Text<'_>> = model.get_as("merges").ok_or_else(damaged)?;
    let pairs: Option<Vec<_>> = lines.iter().map(|Text(line)| line.split_once(' ')).collect();
    Bpe::new(vocab, pairs.ok_or_else(damaged)?.into_iter(), options, byte_level)
}

/// A Unigram model.
pub(super) fn unigram(model: &Object<'_>) -> Result<Unigram> {
    let damaged = || bad("model.vocab is not a list of tokens and scores");
    let entries: Vec<(Text<'_>, f64)> = model.get_as("vocab").ok_or_else(damaged)?;
    let mut vocab = VocabBuilder::with_capacity(entries.len() * 8);
    for (at, (Text(token), _)) in (0..).zip(&entries) {
        vocab.insert(token, at)?;
    }
    let scores = entries.iter().map(|&(_, score)| score).collect();
    let unk = model.get("unk_id").and_then(id);
    let unk = unk.ok_or_else(|| unsupported("model", "Unigram without an unk_id"))?;
    Unigram::new(vocab.finish(), scores, unk, model.get_as("byte_fallback").unwrap_or(false))
}

/// The merges of a `merges.txt`: a line that names the version, then a pair a line.
pub(super) fn merges(bytes: &[u8]) -> Result<Vec<(&str, &str)>> {
    let file = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Error::BadTokenizer(format!("merges.txt is not UTF-8: the byte at {at} is not"))
    })?;
    let lines = file.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).enumerate();
    let pairs = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("#version"));
    pairs
        .map(|(at, line)| {
            line.split_once(' ').ok_or_else(|| {
                let line = at + 1;
                Error::BadTokenizer(format!("merges.txt: line {line} is not a pair of tokens"))
            })
        })
        .collect()
}
