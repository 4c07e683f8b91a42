//! Reads the parts of a `tokenizer.json` by their names. Unknown parts are `Unsupported`.

use crate::error::fault;
use std::borrow::Cow;
use std::num::NonZeroUsize;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{
    Decoders, NO_TOKEN, Pipeline, Subwords, Trim, WordLevel, WordPiece,
    bpe::{Bpe, BpeOptions},
    byte_level,
    charsmap::Charsmap,
    decoders::DecodeStep,
    fast_bpe::{CONTINUED, FastBpe},
    forms::Form,
    normalizers::{Pattern, PipelineNormalizer},
    pre_tokenizers::{Prepend, Splitter},
    processors::Chain,
    regex::{Cause, Regex},
    splits::Behavior,
    tweets::Tweets,
    unigram::Unigram,
};
use crate::json::{Object, Text, read_as};
use crate::tokenizer::bert::normalize::Normalizer;
use crate::tokenizer::cache::Cache;
use crate::tokenizer::files::class::Class;
use crate::tokenizer::files::json::{self, id, refuse_other_formats};
use crate::tokenizer::files::settings::Settings;
use crate::tokenizer::files::tokenizer_json::{
    WordPieceModel, bad, bert_normalizer, get_text, kind, pieces, token_ids, vocab,
    word_piece_model,
};
use crate::tokenizer::template::Template;
use crate::tokenizer::vocab::VocabBuilder;
use crate::{Error, ErrorKind, Result};

/// The maximum depth of nested Sequences.
const MAX_DEPTH: usize = 8;

/// The maximum number of members of a Sequence. Each works on the whole text.
const MAX_PARTS: usize = 64;

/// The number of characters of a regular expression in an error.
const SHOWN: usize = 80;

/// The default length of FixedLength.
const DEFAULT_LENGTH: NonZeroUsize = NonZeroUsize::MIN.saturating_add(4);

/// Reads a model of type `kind`, and the parts that prepare the text for it.
pub(in crate::tokenizer) fn model(
    kind: &str,
    file: &Object<'_>,
    model: &Object<'_>,
) -> Result<Pipeline> {
    let mut pre_tokenizers = pre_tokenizers(file.get("pre_tokenizer"))?;
    let model = match kind {
        "BPE" => {
            let last = pre_tokenizers.last_mut();
            Subwords::Bpe(Box::new(bpe(model, last.and_then(Splitter::writes_bytes))?))
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

/// Builds RoBERTa's pipeline, or HerBERT's, from a `vocab.json` and a `merges.txt`. HerBERT's words
/// are BERT's, and their last symbol ends with `</w>`.
pub(in crate::tokenizer) fn of_merges(
    vocab: &[u8],
    merges: &[u8],
    settings: &Settings<'_>,
) -> Result<(Pipeline, Option<Trim>, Decoders)> {
    refuse_other_formats("merges.txt", merges)?;
    let vocab = json::vocab("vocab.json", &json::parse("vocab.json", vocab)?)?;
    let merges = pairs(merges)?;
    let built = |model, normalizers, words| Pipeline {
        normalizers,
        pre_tokenizers: vec![words],
        model: Subwords::Bpe(Box::new(model)),
        cache: Cache::default(),
    };
    if settings.class != Class::Herbert {
        let model = Bpe::new(vocab, merges.into_iter(), BpeOptions::default(), true)?;
        let words = Splitter::ByteLevel { add_prefix_space: false, use_regex: true, writes: false };
        let decoders = Decoders(vec![DecodeStep::ByteLevel]);
        return Ok((built(model, Vec::new(), words), Some(Trim::new(false)), decoders));
    }
    let suffix = "</w>";
    let unk = vocab.id(&settings.text_of("unk_token"));
    let options = BpeOptions { unk, suffix: suffix.into(), ..BpeOptions::default() };
    let model = Bpe::new(vocab, merges.into_iter(), options, false)?;
    let normalizer = Normalizer {
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: Some(false),
        lowercase: false,
    };
    let pipeline = built(model, vec![PipelineNormalizer::Bert(normalizer)], Splitter::Bert);
    Ok((pipeline, None, Decoders(vec![DecodeStep::Suffix(suffix.into())])))
}

/// Builds the pipeline of BERTweet or PhoBERT from a `vocab.txt` and a `bpe.codes`.
pub(in crate::tokenizer) fn of_codes(
    vocab: &[u8],
    codes: &[u8],
    settings: &Settings<'_>,
) -> Result<(Pipeline, Decoders)> {
    refuse_other_formats("vocab.txt", vocab)?;
    refuse_other_formats("bpe.codes", codes)?;
    let first = ["bos_token", "pad_token", "eos_token", "unk_token"];
    let [bos, pad, eos, unk] = first.map(|role| settings.text_of(role));
    let mask = settings.text_of("mask_token");
    let model = FastBpe::read(vocab, codes, [&*bos, &*pad, &*eos, &*unk], &mask)?;
    let is_tweet =
        settings.class == Class::Bertweet && settings.flag("normalization") == Some(true);
    let tweets = is_tweet.then(Tweets::new).transpose()?;
    let pipeline = Pipeline {
        normalizers: tweets.map(PipelineNormalizer::Tweets).into_iter().collect(),
        pre_tokenizers: vec![Splitter::Lines],
        model: Subwords::FastBpe(Box::new(model)),
        cache: Cache::default(),
    };
    Ok((pipeline, Decoders(vec![DecodeStep::Continued(CONTINUED)])))
}

/// Reads the positions of special tokens, and how spans are trimmed.
pub(in crate::tokenizer) fn processors(part: Object<'_>) -> Result<(Template, Option<Trim>)> {
    let mut chain = Chain::default();
    for part in members("post_processor", part, "processors")? {
        let kind = part.kind();
        if kind == "ByteLevel" || kind == "RobertaProcessing" {
            let flag = |name| part.get(name).unwrap_or(true);
            if flag("trim_offsets") {
                chain.trim(flag("add_prefix_space"));
            }
        }
        let pieces = match &*kind {
            "ByteLevel" => continue,
            "RobertaProcessing" => {
                let (cls, sep) = token_ids(&part.fields)?;
                chain.roberta(cls, sep);
                continue;
            }
            "BertProcessing" => {
                let (cls, sep) = token_ids(&part.fields)?;
                chain.bert(cls, sep);
                continue;
            }
            "TemplateProcessing" => pieces(&part.fields)?,
            other => return Err(part.unsupported(other)),
        };
        if !chain.template(&pieces) {
            let what = "TemplateProcessing after a processor that returns more than two parts";
            return Err(part.unsupported(what));
        }
    }
    chain.finish()
}

/// A part of the file, other than a Sequence.
struct Part<'a> {
    /// The name and the position in each Sequence, e.g. `pre_tokenizer[1]`.
    place: String,
    fields: Object<'a>,
}

impl<'a> Part<'a> {
    fn kind(&self) -> Cow<'a, str> {
        kind(&self.fields)
    }

    /// Returns a field; `None` if it is absent, null or of another type.
    fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        self.fields.get_as(name)
    }

    /// Returns a required field.
    fn need<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        self.get(name).ok_or_else(|| self.lacks(name))
    }

    /// Returns a required string.
    fn need_text(&self, name: &str) -> Result<Cow<'a, str>> {
        get_text(&self.fields, name).ok_or_else(|| self.lacks(name))
    }

    fn lacks(&self, name: &str) -> Error {
        let kind = self.kind();
        let place = &self.place;
        fault!(
            BadTokenizer,
            "tokenizer.json: {place}: {kind}: \"{name}\" is missing or not valid",
            file = "tokenizer.json",
            item = "{place}: {kind}: \"{name}\"",
        )
    }

    /// Returns the error for a feature of the part that is not supported.
    fn unsupported(&self, what: &str) -> Error {
        unsupported(&self.place, what)
    }
}

/// Returns the members of the part `name` of the file, in order. Empty if the part is absent.
fn flat<'a>(name: &str, part: Option<&'a RawValue>, list: &str) -> Result<Vec<Part<'a>>> {
    let Some(part) = part else { return Ok(Vec::new()) };
    let part = read_as(part).ok_or_else(|| bad(&format!("the {name} is no object")))?;
    members(name, part, list)
}

/// Returns the members of a Sequence, in order. For any other part, returns only the part.
fn members<'a>(name: &str, part: Object<'a>, list: &str) -> Result<Vec<Part<'a>>> {
    let mut members = Vec::new();
    flatten(Part { place: name.into(), fields: part }, list, MAX_DEPTH, &mut members)?;
    Ok(members)
}

fn flatten<'a>(part: Part<'a>, list: &str, depth: usize, flat: &mut Vec<Part<'a>>) -> Result<()> {
    if part.kind() != "Sequence" {
        if flat.len() == MAX_PARTS {
            return Err(part.unsupported(&format!("a member beyond {MAX_PARTS}")));
        }
        flat.push(part);
        return Ok(());
    }
    let parts: Vec<Object<'_>> = part.fields.get_as(list).ok_or_else(|| part.lacks(list))?;
    let deeper = || part.unsupported(&format!("a Sequence in {MAX_DEPTH} others"));
    let depth = depth.checked_sub(1).ok_or_else(deeper)?;
    for (at, fields) in parts.into_iter().enumerate() {
        let place = format!("{}[{at}]", part.place);
        flatten(Part { place, fields }, list, depth, flat)?;
    }
    Ok(())
}

fn unsupported(place: &str, what: &str) -> Error {
    let what = if what.is_empty() { "a part without a type" } else { what };
    fault!(
        Unsupported,
        "tokenizer.json: {place}: {what} is not supported",
        file = "tokenizer.json",
        item = "{place}",
        found = "{what}",
    )
}

fn normalizers(part: Option<&RawValue>) -> Result<Vec<PipelineNormalizer>> {
    let form = |composes, compatible| PipelineNormalizer::Form(Form { composes, compatible });
    let step = |part: Part<'_>| {
        Ok(match &*part.kind() {
            "NFC" => form(true, false),
            "NFD" => form(false, false),
            "NFKC" => form(true, true),
            "NFKD" => form(false, true),
            "Lowercase" => PipelineNormalizer::Lowercase,
            "StripAccents" => PipelineNormalizer::StripAccents,
            "Strip" => PipelineNormalizer::Strip {
                left: part.need("strip_left")?,
                right: part.need("strip_right")?,
            },
            "Nmt" => PipelineNormalizer::Nmt,
            "ByteLevel" => PipelineNormalizer::ByteLevel,
            "Prepend" => PipelineNormalizer::Prepend(part.need("prepend")?),
            "Replace" => PipelineNormalizer::Replace {
                pattern: pattern(&part)?,
                content: part.need("content")?,
            },
            "Precompiled" => PipelineNormalizer::Precompiled(Charsmap::new(
                &part.need_text("precompiled_charsmap")?,
            )?),
            "BertNormalizer" => PipelineNormalizer::Bert(bert_normalizer(&part.fields)),
            other => return Err(part.unsupported(other)),
        })
    };
    flat("normalizer", part, "normalizers")?.into_iter().map(step).collect()
}

/// Returns the field `pattern`: `{"String": …}` or `{"Regex": …}`.
fn pattern(part: &Part<'_>) -> Result<Pattern> {
    #[derive(Deserialize)]
    enum Json {
        String(String),
        Regex(String),
    }
    let regex = match part.need("pattern")? {
        Json::String(text) if !text.is_empty() => return Ok(Pattern::Text(text)),
        // The empty text matches at every position, as the empty expression does.
        Json::String(text) | Json::Regex(text) => text,
    };
    let compiled = Regex::new(&regex, &part.place);
    compiled.map(|regex| Pattern::Regex(Box::new(regex))).map_err(|cause| {
        let mut shown: String = regex.chars().take(SHOWN).collect();
        if shown.len() < regex.len() {
            shown.push('…');
        }
        match cause {
            Cause::Unsupported(what) => {
                part.unsupported(&format!("regular expression {shown:?}: {what}"))
            }
            Cause::Syntax(what) => {
                let place = &part.place;
                fault!(
                    BadTokenizer,
                    "tokenizer.json: {place}: regular expression {shown:?}: {what}",
                    file = "tokenizer.json",
                    item = "{place}: regular expression {shown:?}",
                )
            }
        }
    })
}

fn pre_tokenizers(part: Option<&RawValue>) -> Result<Vec<Splitter>> {
    let step = |part: Part<'_>| {
        Ok(match &*part.kind() {
            "ByteLevel" => Splitter::ByteLevel {
                add_prefix_space: part.get("add_prefix_space").unwrap_or(true),
                use_regex: part.get("use_regex").unwrap_or(true),
                writes: true,
            },
            "Metaspace" => Splitter::Metaspace {
                replacement: part.get("replacement").unwrap_or('\u{2581}'),
                prepend: prepend(&part)?,
                split: part.get("split").unwrap_or(true),
            },
            "WhitespaceSplit" => Splitter::WhitespaceSplit,
            "Whitespace" => Splitter::Whitespace,
            "BertPreTokenizer" => Splitter::Bert,
            "CharDelimiterSplit" => Splitter::Delimiter(part.need("delimiter")?),
            "Digits" => Splitter::Digits { individual: part.need("individual_digits")? },
            "Punctuation" => Splitter::Punctuation(match part.fields.get("behavior") {
                None => Behavior::Isolated,
                Some(_) => part.need("behavior")?,
            }),
            "Split" => Splitter::Split {
                pattern: pattern(&part)?,
                behavior: part.need("behavior")?,
                invert: part.need("invert")?,
            },
            "UnicodeScripts" => Splitter::Scripts,
            "FixedLength" => Splitter::FixedLength(match part.fields.get("length") {
                None => DEFAULT_LENGTH,
                Some(_) => part.need("length")?,
            }),
            other => return Err(part.unsupported(other)),
        })
    };
    flat("pre_tokenizer", part, "pretokenizers")?.into_iter().map(step).collect()
}

/// Reads `prepend_scheme`. Older files have `add_prefix_space` instead.
fn prepend(metaspace: &Part<'_>) -> Result<Prepend> {
    match get_text(&metaspace.fields, "prepend_scheme").as_deref() {
        Some("always") => Ok(Prepend::Always),
        Some("first") => Ok(Prepend::First),
        Some("never") => Ok(Prepend::Never),
        Some(other) => {
            Err(metaspace.unsupported(&format!("Metaspace with prepend_scheme \"{other}\"")))
        }
        None if metaspace.get("add_prefix_space") == Some(false) => Ok(Prepend::Never),
        None => Ok(Prepend::Always),
    }
}

/// Reads any decoder except WordPiece alone.
pub(in crate::tokenizer) fn decoder(part: Object<'_>) -> Result<Decoders> {
    let steps = || {
        let parts = members("decoder", part, "decoders")?;
        Ok(Decoders(parts.iter().map(decode_step).collect::<Result<_>>()?))
    };
    // The caller keeps the text of an unsupported decoder and fails when a text is decoded.
    steps().map_err(|error: Error| match error.kind() {
        ErrorKind::Unsupported => Error::Unsupported(error.to_string()),
        _ => error,
    })
}

fn decode_step(part: &Part<'_>) -> Result<DecodeStep> {
    let text = |name: &str, default: &'static str| {
        get_text(&part.fields, name).unwrap_or(default.into()).into_owned()
    };
    let cleanup = || part.get("cleanup").unwrap_or(true);
    Ok(match &*part.kind() {
        "ByteLevel" => DecodeStep::ByteLevel,
        "WordPiece" => DecodeStep::WordPiece { prefix: text("prefix", "##"), cleanup: cleanup() },
        "Metaspace" => DecodeStep::Metaspace {
            replacement: part.get("replacement").unwrap_or('\u{2581}'),
            drops_first: prepend(part)? != Prepend::Never,
        },
        "BPEDecoder" => DecodeStep::Suffix(text("suffix", "</w>")),
        "CTC" => DecodeStep::Ctc {
            pad: text("pad_token", "<pad>"),
            delimiter: text("word_delimiter_token", "|"),
            cleanup: cleanup(),
        },
        "Replace" => {
            DecodeStep::Replace { pattern: pattern(part)?, content: part.need("content")? }
        }
        "ByteFallback" => DecodeStep::ByteFallback,
        "Fuse" => DecodeStep::Fuse,
        "Strip" => DecodeStep::Strip {
            content: part.need("content")?,
            start: part.need("start")?,
            stop: part.need("stop")?,
        },
        other => return Err(part.unsupported(other)),
    })
}

/// Reads a BPE model. `writes` is the flag of a preceding ByteLevel, which states whether it writes
/// characters for bytes. It is cleared for a model without prefix and suffix, which takes the bytes
/// themselves.
fn bpe(model: &Object<'_>, writes: Option<&mut bool>) -> Result<Bpe> {
    let dropout: f64 = model.get_as("dropout").unwrap_or(0.0);
    if dropout > 0.0 && dropout < 1.0 {
        return Err(unsupported("model", &format!("BPE with dropout {dropout}, which is random,")));
    }
    let vocab = vocab(model.get("vocab"))?;
    let unk = get_text(model, "unk_token");
    let flag = |name| model.get_as(name).unwrap_or(false);
    let mark = |name| get_text(model, name).unwrap_or_default().into_owned();
    let options = BpeOptions {
        unk: unk.map(|token| vocab.id(&token).unwrap_or(NO_TOKEN)),
        fuse_unk: flag("fuse_unk"),
        byte_fallback: flag("byte_fallback"),
        ignore_merges: flag("ignore_merges") && dropout == 0.0,
        prefix: mark("continuing_subword_prefix"),
        suffix: mark("end_of_word_suffix"),
    };
    let has_marks = !options.prefix.is_empty() || !options.suffix.is_empty();
    // An omitted byte shifts the following spans by the length of its character.
    let has_bytes = || options.unk.is_some() || byte_level::all_in(&vocab);
    let byte_level = match writes {
        Some(writes) if !has_marks && !options.byte_fallback && has_bytes() => {
            *writes = false;
            true
        }
        _ => false,
    };
    if dropout > 0.0 {
        // With a dropout of 1, every merge is dropped.
        return Bpe::new(vocab, std::iter::empty(), options, byte_level);
    }
    let damaged = || bad("model.merges is not a list of pairs of tokens");
    // A pair is `["a", "b"]`; in older files, it is `"a b"`.
    if let Some(pairs) = model.get_as::<Vec<(Text<'_>, Text<'_>)>>("merges") {
        let pairs = pairs.iter().map(|(Text(left), Text(right))| (&**left, &**right));
        return Bpe::new(vocab, pairs, options, byte_level);
    }
    let lines: Vec<Text<'_>> = model.get_as("merges").ok_or_else(damaged)?;
    let lines = lines.iter().filter(|Text(line)| !line.starts_with("#version"));
    let pairs: Option<Vec<_>> = lines.map(|Text(line)| line.split_once(' ')).collect();
    Bpe::new(vocab, pairs.ok_or_else(damaged)?.into_iter(), options, byte_level)
}

/// Reads a WordPiece model with parts that differ from BERT's.
fn word_piece(model: &Object<'_>) -> Result<WordPiece> {
    let WordPieceModel { vocab, unk_token, prefix, max_chars } = word_piece_model(model)?;
    let unk = unk_token.and_then(|token| vocab.id(&token)).unwrap_or(NO_TOKEN);
    WordPiece::new(vocab, prefix, unk, max_chars)
}

/// Reads a Unigram model.
fn unigram(model: &Object<'_>) -> Result<Unigram> {
    let damaged = || bad("model.vocab is not a list of tokens and scores");
    let entries: Vec<(Text<'_>, f64)> = model.get_as("vocab").ok_or_else(damaged)?;
    let mut vocab = VocabBuilder::with_capacity(entries.len() * 8);
    for (at, (Text(token), _)) in (0..).zip(&entries) {
        vocab.insert(token, at)?;
    }
    let scores = entries.iter().map(|&(_, score)| score).collect();
    let unk = model.get("unk_id").map(|unk| id(unk).ok_or_else(|| bad("model.unk_id is no id")));
    let unk = unk.transpose()?.unwrap_or(NO_TOKEN);
    Unigram::new(vocab.finish(), scores, unk, model.get_as("byte_fallback").unwrap_or(false))
}

/// Reads the merges of a `merges.txt`: a line with the version, then one pair per line.
fn pairs(bytes: &[u8]) -> Result<Vec<(&str, &str)>> {
    let file = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        fault!(
            BadTokenizer,
            "merges.txt is not UTF-8: the byte at {at} is not",
            file = "merges.txt",
            item = "the byte at {at}",
            expected = "UTF-8",
        )
    })?;
    let lines = file.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).enumerate();
    let pairs = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with("#version"));
    pairs
        .map(|(at, line)| {
            line.split_once(' ').ok_or_else(|| {
                let line = at + 1;
                fault!(
                    BadTokenizer,
                    "merges.txt: line {line} is not a pair of tokens",
                    file = "merges.txt",
                    item = "line {line}",
                    expected = "a pair of tokens",
                )
            })
        })
        .collect()
}
