//! The parts of a `tokenizer.json` by the names that it has for them. What is not known is
//! `Unsupported`.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{
    Decoders, NO_TOKEN, Pipeline, Subwords, Trim, WordLevel, WordPiece,
    bpe::{Bpe, BpeOptions},
    charsmap::Charsmap,
    decoders::DecodeStep,
    forms::Form,
    normalizers::{Pattern, Step},
    pre_tokenizers::{Prepend, Splitter},
    unigram::Unigram,
};
use crate::json::{Object, Text, read_as};
use crate::tokenizer::{
    cache::Cache,
    json::{self, id, refuse_other_formats},
    template::Template,
    tokenizer_json::{
        WordPieceModel, bad, bert_normalizer, get_text, kind, template, token_ids, vocab,
        word_piece_model,
    },
    vocab::VocabBuilder,
};
use crate::{Error, Result};

/// How deep sequences of parts may lie in each other.
const MAX_DEPTH: usize = 8;

/// The model of the type `kind`, and what prepares the text for it.
pub(in crate::tokenizer) fn model(
    kind: &str,
    file: &Object<'_>,
    model: &Object<'_>,
) -> Result<Pipeline> {
    let pre_tokenizers = pre_tokenizers(file.get("pre_tokenizer"))?;
    let byte_level = matches!(pre_tokenizers.last(), Some(Splitter::ByteLevel { .. }));
    let model = match kind {
        "BPE" => Subwords::Bpe(Box::new(bpe(model, byte_level)?)),
        "Unigram" if byte_level => {
            return Err(unsupported("pre_tokenizer", "ByteLevel before a Unigram model"));
        }
        "Unigram" => Subwords::Unigram(Box::new(unigram(model)?)),
        "WordPiece" => Subwords::WordPiece(Box::new(word_piece(model)?)),
        "WordLevel" => {
            let unk = get_text(model, "unk_token").unwrap_or("<unk>".into());
            Subwords::WordLevel(Box::new(WordLevel::new(vocab(model.get("vocab"))?, &unk)))
        }
        other => return Err(unsupported("model", other)),
    };
    let normalizers = normalizers(file.get("normalizer"))?;
    Ok(Pipeline { normalizers, pre_tokenizers, model, cache: Cache::default() })
}

/// RoBERTa's, of a `vocab.json` and a `merges.txt`.
pub(in crate::tokenizer) fn of_merges(
    vocab: &[u8],
    merges: &[u8],
) -> Result<(Pipeline, Trim, Decoders)> {
    refuse_other_formats("merges.txt", merges)?;
    let vocab = json::vocab("vocab.json", &json::parse("vocab.json", vocab)?)?;
    let merges = pairs(merges)?;
    let model = Bpe::new(vocab, merges.into_iter(), BpeOptions::default(), true)?;
    let words = Splitter::ByteLevel { add_prefix_space: false, use_regex: true };
    let pipeline = Pipeline {
        normalizers: Vec::new(),
        pre_tokenizers: vec![words],
        model: Subwords::Bpe(Box::new(model)),
        cache: Cache::default(),
    };
    let trim = Trim { add_prefix_space: false };
    Ok((pipeline, trim, Decoders(vec![DecodeStep::ByteLevel])))
}

/// Where special tokens go, and whether spans are trimmed.
pub(in crate::tokenizer) fn processors(part: Object<'_>) -> Result<(Template, Option<Trim>)> {
    let (mut found, mut trim) = (None, None);
    for part in members("post_processor", part, "processors")? {
        let kind = kind(&part);
        let here = match &*kind {
            "RobertaProcessing" => {
                let (cls, sep) = token_ids(&part)?;
                Some(Template::roberta(cls, sep))
            }
            "ByteLevel" => None,
            other => Some(template(&part)?.ok_or_else(|| unsupported("post_processor", other))?),
        };
        if found.is_some() && here.is_some() {
            return Err(unsupported("post_processor", "a Sequence with two templates"));
        }
        found = here.or(found);
        if kind == "ByteLevel" || kind == "RobertaProcessing" {
            let flag = |name| part.get_as(name).unwrap_or(true);
            let new = Trim { add_prefix_space: flag("add_prefix_space") };
            trim = flag("trim_offsets").then_some(new).or(trim);
        }
    }
    Ok((found.unwrap_or_else(Template::bare), trim))
}

/// As [`members`], of a part of the file; none where it is absent.
fn flat<'a>(name: &str, part: Option<&'a RawValue>, list: &str) -> Result<Vec<Object<'a>>> {
    let Some(part) = part else { return Ok(Vec::new()) };
    let part = read_as(part).ok_or_else(|| bad(&format!("the {name} is no object")))?;
    members(name, part, list)
}

/// The members of a part that is a Sequence of others, in order, or else the part alone.
fn members<'a>(name: &str, part: Object<'a>, list: &str) -> Result<Vec<Object<'a>>> {
    let mut members = Vec::new();
    flatten(name, part, list, MAX_DEPTH, &mut members)?;
    Ok(members)
}

fn flatten<'a>(
    name: &str,
    part: Object<'a>,
    list: &str,
    depth: usize,
    flat: &mut Vec<Object<'a>>,
) -> Result<()> {
    if kind(&part) != "Sequence" {
        flat.push(part);
        return Ok(());
    }
    let parts: Option<Vec<Object<'_>>> = part.get_as(list);
    let parts = parts.ok_or_else(|| bad(&format!("the {name} is a Sequence without {list}")))?;
    let depth = depth.checked_sub(1).ok_or_else(|| unsupported(name, "nested too deeply"))?;
    parts.into_iter().try_for_each(|part| flatten(name, part, list, depth, flat))
}

fn unsupported(part: &str, found: &str) -> Error {
    let found = if found.is_empty() { "of no type" } else { found };
    Error::Unsupported(format!("tokenizer.json: the {part} is {found}, which is not supported"))
}

/// A member of a part that has to be there.
fn need<T: DeserializeOwned>(part: &Object<'_>, name: &str) -> Result<T> {
    part.get_as(name).ok_or_else(|| bad(&format!("a part has no valid {name}")))
}

fn need_text<'a>(part: &Object<'a>, name: &str) -> Result<Cow<'a, str>> {
    get_text(part, name).ok_or_else(|| bad(&format!("a part has no valid {name}")))
}

fn normalizers(part: Option<&RawValue>) -> Result<Vec<Step>> {
    let form = |composes, compatible| Step::Form(Form { composes, compatible });
    let step = |part: Object<'_>| {
        Ok(match &*kind(&part) {
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
            "BertNormalizer" => Step::Bert(bert_normalizer(&part)),
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

fn pre_tokenizers(part: Option<&RawValue>) -> Result<Vec<Splitter>> {
    let step = |part: Object<'_>| {
        Ok(match &*kind(&part) {
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

/// Decoders other than WordPiece's alone.
pub(in crate::tokenizer) fn decoder(part: Object<'_>) -> Result<Decoders> {
    let parts = members("decoder", part, "decoders")?;
    Ok(Decoders(parts.iter().map(decode_step).collect::<Result<_>>()?))
}

fn decode_step(part: &Object<'_>) -> Result<DecodeStep> {
    Ok(match &*kind(part) {
        "ByteLevel" => DecodeStep::ByteLevel,
        "Metaspace" => DecodeStep::Metaspace {
            replacement: part.get_as("replacement").unwrap_or('\u{2581}'),
            drops_first: prepend(part)? != Prepend::Never,
        },
        "BPEDecoder" => {
            DecodeStep::Suffix(get_text(part, "suffix").unwrap_or("</w>".into()).into_owned())
        }
        "Replace" => match pattern("decoder", part)? {
            Pattern::Text(pattern) => {
                DecodeStep::Replace { pattern, content: need(part, "content")? }
            }
            Pattern::Run { .. } => return Err(unsupported("decoder", "Replace with a Regex")),
        },
        "ByteFallback" => DecodeStep::ByteFallback,
        "Fuse" => DecodeStep::Fuse,
        "Strip" => DecodeStep::Strip {
            content: need(part, "content")?,
            start: need(part, "start")?,
            stop: need(part, "stop")?,
        },
        other => return Err(unsupported("decoder", other)),
    })
}

/// A BPE model; `byte_level`: its words are bytes.
fn bpe(model: &Object<'_>, byte_level: bool) -> Result<Bpe> {
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

/// A WordPiece model behind parts that are not BERT's.
fn word_piece(model: &Object<'_>) -> Result<WordPiece> {
    let WordPieceModel { vocab, unk_token, prefix, max_chars } = word_piece_model(model)?;
    let unk = unk_token.and_then(|token| vocab.id(&token)).unwrap_or(NO_TOKEN);
    WordPiece::new(vocab, prefix, unk, max_chars)
}

/// A Unigram model.
fn unigram(model: &Object<'_>) -> Result<Unigram> {
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
fn pairs(bytes: &[u8]) -> Result<Vec<(&str, &str)>> {
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
