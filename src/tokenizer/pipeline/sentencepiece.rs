//! Unigram models in sentencepiece's format: a `ModelProto` in the wire format of protocol buffers.
//! It contains the pieces, their scores and the normalizer. All other parts are the parts that
//! Hugging Face's converters add.

use super::{
    Decoders, Pipeline, Subwords,
    charsmap::Charsmap,
    decoders::DecodeStep,
    forms::Form,
    normalizers::{Pattern, PipelineNormalizer},
    pre_tokenizers::{Prepend, Splitter},
    splits::Behavior,
    unigram::Unigram,
};
use crate::error::fault;
use crate::tokenizer::cache::Cache;
use crate::tokenizer::files::class::Class;
use crate::tokenizer::files::json::refuse_other_formats;
use crate::tokenizer::files::settings::Settings;
use crate::tokenizer::template::Template;
use crate::tokenizer::unicode;
use crate::tokenizer::vocab::VocabBuilder;
use crate::{Error, ErrorKind, Result};

/// The character for a space.
const SPACE: char = '\u{2581}';

/// The maximum number of pieces. The largest vocabularies in use have a quarter of a million.
const MAX_PIECES: usize = 1 << 20;

/// The contents of a file.
pub(in crate::tokenizer) struct SentencePiece {
    pub(in crate::tokenizer) pipeline: Pipeline,
    pub(in crate::tokenizer) decoders: Decoders,
    pub(in crate::tokenizer) template: Template,
    /// Pieces that are matched in the text before normalisation, and whether they are special.
    pub(in crate::tokenizer) added: Vec<(String, bool)>,
}

/// A piece of the vocabulary.
struct Entry<'a> {
    text: &'a str,
    score: f32,
    kind: u64,
}

/// Values of `SentencePiece.Type`.
const NORMAL: u64 = 1;
const CONTROL: u64 = 3;
const USER_DEFINED: u64 = 4;

/// The parts of a `ModelProto` that are used.
struct Proto<'a> {
    pieces: Vec<Entry<'a>>,
    /// `trainer_spec.model_type`
    model_type: u64,
    /// `trainer_spec.unk_id`
    unk_id: u64,
    /// `normalizer_spec.precompiled_charsmap`
    charsmap: &'a [u8],
}

/// The tokens that XLM-RoBERTa puts before the pieces, and their scores.
const XLM_ROBERTA: [(&str, f64); 4] = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)];

/// The tokens that CamemBERT puts before the pieces, and their scores. `<s>` and `</s>` are the
/// model's second and third piece, with the ids 5 and 6.
const CAMEMBERT: [(&str, f64); 5] = [
    ("<s>NOTUSED", 0.0),
    ("<pad>", 0.0),
    ("</s>NOTUSED", 0.0),
    ("<unk>", 0.0),
    ("<unk>NOTUSED", -100.0),
];

/// Values of `TrainerSpec.ModelType`.
const UNIGRAM: u64 = 1;

/// Reads `spiece.model` (ALBERT), `sentencepiece.bpe.model` (XLM-RoBERTa, CamemBERT) or `spm.model`
/// (DeBERTa-v2). The ids of ALBERT and DeBERTa-v2 are the ids in the file. `name` is the name of the
/// file.
pub(in crate::tokenizer) fn of_sentencepiece(
    name: &'static str,
    bytes: &[u8],
    settings: &Settings<'_>,
) -> Result<SentencePiece> {
    refuse_other_formats(name, bytes)?;
    let proto = Proto::read(name, bytes)?;
    let kind = match proto.model_type {
        UNIGRAM => None,
        2 => Some("BPE"),
        3 => Some("WORD"),
        4 => Some("CHAR"),
        _ => Some("of no known type"),
    };
    if let Some(kind) = kind {
        return Err(fault!(
            Unsupported,
            "{name}: the model is {kind}; Unigram is supported",
            file = "{name}",
            item = "the model",
            expected = "Unigram",
            found = "{kind}",
        ));
    }
    if settings.class == Class::DebertaV2 || name == "spm.model" {
        return deberta(name, &proto, settings);
    }
    match settings.sentencepiece_class(name)? {
        Class::Albert => albert(name, &proto, settings),
        Class::Camembert => fairseq(name, &proto, &CAMEMBERT, 1),
        _ => fairseq(name, &proto, &XLM_ROBERTA, 3),
    }
}

fn albert(name: &str, proto: &Proto<'_>, settings: &Settings<'_>) -> Result<SentencePiece> {
    let quotes = |pattern: &str| PipelineNormalizer::Replace {
        pattern: Pattern::Text(pattern.into()),
        content: "\"".into(),
    };
    let mut normalizers = vec![quotes("``"), quotes("''")];
    if settings.flag("keep_accents") != Some(true) {
        normalizers.push(PipelineNormalizer::Form(Form { composes: false, compatible: true }));
        normalizers.push(PipelineNormalizer::StripAccents);
    }
    if settings.flag("do_lower_case") != Some(false) {
        normalizers.push(PipelineNormalizer::Lowercase);
    }
    normalizers.extend(charsmap(name, proto)?);
    normalizers.push(runs_of_spaces(" "));
    // A lower score makes a number with a comma split before the comma.
    let is_number_comma = |text: &str| {
        text.strip_suffix(',').and_then(|rest| rest.chars().next_back()).is_some_and(is_digit)
    };
    let less = |text: &str| if is_number_comma(text) { 100.0 } else { 0.0 };
    let pieces = proto.pieces.iter();
    let vocab = pieces.map(|&Entry { text, score, .. }| (text, f64::from(score) - less(text)));
    let vocab = vocab.collect();
    let unk = u32::try_from(proto.unk_id).unwrap_or(u32::MAX);
    let pipeline = pipeline(name, vocab, unk, normalizers)?;
    let template = template(name, &pipeline, ["[CLS]", "[SEP]"], Template::bert)?;
    Ok(SentencePiece { pipeline, decoders: decoders(), template, added: proto.added() })
}

fn deberta(name: &str, proto: &Proto<'_>, settings: &Settings<'_>) -> Result<SentencePiece> {
    let mut normalizers = Vec::new();
    if settings.flag("do_lower_case") == Some(true) {
        normalizers.push(PipelineNormalizer::Lowercase);
    }
    normalizers.push(PipelineNormalizer::Strip { left: true, right: true });
    normalizers.extend(charsmap(name, proto)?);
    normalizers.push(runs_of_spaces(" "));
    let vocab = proto.pieces.iter().map(|entry| (entry.text, f64::from(entry.score))).collect();
    let unk = u32::try_from(proto.unk_id).unwrap_or(u32::MAX);
    let mut pipeline = pipeline(name, vocab, unk, normalizers)?;
    if settings.flag("split_by_punct") == Some(true) {
        pipeline.pre_tokenizers.insert(0, Splitter::Punctuation(Behavior::Isolated));
    }
    let template = template(name, &pipeline, ["[CLS]", "[SEP]"], Template::bert)?;
    Ok(SentencePiece { pipeline, decoders: decoders(), template, added: proto.added() })
}

/// Numbers the pieces as fairseq does: its own tokens, then the model's pieces without the first
/// `skipped`, then the mask. The unknown token has the id 3.
fn fairseq(
    name: &str,
    proto: &Proto<'_>,
    own: &[(&'static str, f64)],
    skipped: usize,
) -> Result<SentencePiece> {
    let others = proto.pieces.iter().skip(skipped);
    let others = others.map(|entry| (entry.text, f64::from(entry.score)));
    let vocab = own.iter().copied().chain(others).chain([("<mask>", 0.0)]).collect();
    let mut normalizers: Vec<_> = charsmap(name, proto)?.into_iter().collect();
    let is_camembert = own.len() == CAMEMBERT.len();
    if !is_camembert {
        normalizers.push(PipelineNormalizer::Strip { left: false, right: true });
        normalizers.push(runs_of_spaces("\u{2581}"));
    }
    let mut pipeline = pipeline(name, vocab, 3, normalizers)?;
    if is_camembert {
        pipeline.pre_tokenizers.insert(0, Splitter::WhitespaceSplit);
    }
    let template = template(name, &pipeline, ["<s>", "</s>"], Template::roberta)?;
    Ok(SentencePiece { pipeline, decoders: decoders(), template, added: proto.added() })
}

/// Returns Python's `str.isdigit`. It also accepts superscript, subscript, circled and
/// parenthesized digits.
fn is_digit(c: char) -> bool {
    unicode::is_digit(c)
        || matches!(c, '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{2070}' | '\u{2074}'..='\u{2079}'
            | '\u{2080}'..='\u{2089}' | '\u{2460}'..='\u{2468}' | '\u{2474}'..='\u{247c}'
            | '\u{2488}'..='\u{2490}' | '\u{24ea}' | '\u{24f5}'..='\u{24fd}' | '\u{24ff}'
            | '\u{2776}'..='\u{277e}' | '\u{2780}'..='\u{2788}' | '\u{278a}'..='\u{2792}'
            | '\u{1369}'..='\u{1371}' | '\u{19da}')
}

fn charsmap(name: &str, proto: &Proto<'_>) -> Result<Option<PipelineNormalizer>> {
    if proto.charsmap.is_empty() {
        return Ok(None);
    }
    match Charsmap::of_bytes(proto.charsmap) {
        Some(charsmap) => Ok(Some(PipelineNormalizer::Precompiled(charsmap))),
        None => Err(damaged(name, "its precompiled_charsmap")),
    }
}

/// Returns a normalizer that replaces two or more consecutive spaces by `content`.
fn runs_of_spaces(content: &str) -> PipelineNormalizer {
    PipelineNormalizer::Replace {
        pattern: Pattern::Run { of: ' ', least: 2 },
        content: content.into(),
    }
}

fn pipeline(
    name: &str,
    entries: Vec<(&str, f64)>,
    unk: u32,
    normalizers: Vec<PipelineNormalizer>,
) -> Result<Pipeline> {
    let mut vocab = VocabBuilder::with_capacity(entries.len() * 8);
    for (at, (text, _)) in (0..).zip(&entries) {
        vocab.insert(text, at)?;
    }
    if unk as usize >= entries.len() {
        return Err(damaged(name, "its unk_id, which no piece has"));
    }
    let scores = entries.iter().map(|&(_, score)| score).collect();
    let model = Unigram::new(vocab.finish(), scores, unk, false).map_err(|error| {
        if error.kind() != ErrorKind::BadTokenizer {
            return error;
        }
        fault!(BadTokenizer, "{name}: {error}", file = "{name}")
    })?;
    let words = Splitter::Metaspace { replacement: SPACE, prepend: Prepend::Always, split: true };
    Ok(Pipeline {
        normalizers,
        pre_tokenizers: vec![words],
        model: Subwords::Unigram(Box::new(model)),
        cache: Cache::default(),
    })
}

fn decoders() -> Decoders {
    Decoders(vec![DecodeStep::Metaspace { replacement: SPACE, drops_first: true }])
}

/// Returns the template with the first and the last token of a text.
fn template(
    name: &str,
    pipeline: &Pipeline,
    tokens: [&str; 2],
    template: fn(u32, u32) -> Template,
) -> Result<Template> {
    let id = |token: &str| {
        let lacks = || {
            fault!(
                BadTokenizer,
                "{name} has no piece {token:?}",
                file = "{name}",
                expected = "the piece {token:?}",
            )
        };
        pipeline.vocab().id(token).ok_or_else(lacks)
    };
    let template = template(id(tokens[0])?, id(tokens[1])?);
    Ok(template.with_types_of_rest())
}

fn damaged(name: &str, what: &str) -> Error {
    fault!(
        BadTokenizer,
        "{name} is not what sentencepiece writes: {what} is damaged",
        file = "{name}",
        item = "{what}",
    )
}

impl<'a> Proto<'a> {
    fn read(name: &str, bytes: &'a [u8]) -> Result<Self> {
        // The defaults in sentencepiece_model.proto.
        let mut proto = Self { pieces: Vec::new(), model_type: UNIGRAM, unk_id: 0, charsmap: &[] };
        let at_fault = |what: &'static str| move || damaged(name, what);
        for field in fields(bytes) {
            match field.ok_or_else(at_fault("the file"))? {
                (1, Value::Bytes(piece)) if proto.pieces.len() < MAX_PIECES => {
                    proto.pieces.push(Entry::read(piece).ok_or_else(at_fault("a piece"))?);
                }
                (1, Value::Bytes(_)) => {
                    return Err(fault!(
                        BadTokenizer,
                        "{name} has more than {MAX_PIECES} pieces",
                        file = "{name}",
                        expected = "at most {MAX_PIECES} pieces",
                    ));
                }
                (2, Value::Bytes(spec)) => {
                    for field in fields(spec) {
                        match field.ok_or_else(at_fault("its trainer_spec"))? {
                            (3, Value::Number(model_type)) => proto.model_type = model_type,
                            (40, Value::Number(unk_id)) => proto.unk_id = unk_id,
                            _ => {}
                        }
                    }
                }
                (3, Value::Bytes(spec)) => {
                    for field in fields(spec) {
                        let field = field.ok_or_else(at_fault("its normalizer_spec"))?;
                        if let (2, Value::Bytes(charsmap)) = field {
                            proto.charsmap = charsmap;
                        }
                    }
                }
                (1..=3, _) => return Err(damaged(name, "the file")),
                _ => {}
            }
        }
        match proto.pieces.is_empty() {
            true => Err(fault!(
                BadTokenizer,
                "{name} has no pieces",
                file = "{name}",
                expected = "pieces",
                found = "none",
            )),
            false => Ok(proto),
        }
    }

    /// Returns control symbols, which are special, and user-defined symbols.
    fn added(&self) -> Vec<(String, bool)> {
        let is_added = |entry: &&Entry<'_>| matches!(entry.kind, CONTROL | USER_DEFINED);
        let added = |entry: &Entry<'_>| (entry.text.to_owned(), entry.kind == CONTROL);
        self.pieces.iter().filter(is_added).map(added).collect()
    }
}

impl<'a> Entry<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut entry = Self { text: "", score: 0.0, kind: NORMAL };
        for field in fields(bytes) {
            match field? {
                (1, Value::Bytes(text)) => entry.text = std::str::from_utf8(text).ok()?,
                (2, Value::Fixed32(bytes)) => entry.score = f32::from_le_bytes(bytes),
                (3, Value::Number(kind)) => entry.kind = kind,
                (1..=3, _) => return None,
                _ => {}
            }
        }
        entry.score.is_finite().then_some(entry)
    }
}

/// The value of a field.
enum Value<'a> {
    Number(u64),
    Fixed32([u8; 4]),
    Fixed64,
    Bytes(&'a [u8]),
}

/// Returns the fields of a message by number. The last one is `None` if the message is damaged.
fn fields<'a>(mut bytes: &'a [u8]) -> impl Iterator<Item = Option<(u64, Value<'a>)>> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let field = field(&mut bytes);
        if field.is_none() {
            bytes = &[];
        }
        Some(field)
    })
}

fn field<'a>(bytes: &mut &'a [u8]) -> Option<(u64, Value<'a>)> {
    let key = varint(bytes)?;
    let value = match key & 7 {
        0 => Value::Number(varint(bytes)?),
        1 => {
            take(bytes, 8)?;
            Value::Fixed64
        }
        2 => {
            let len = varint(bytes)?;
            Value::Bytes(take(bytes, len.try_into().ok()?)?)
        }
        5 => Value::Fixed32(take(bytes, 4)?.try_into().ok()?),
        _ => return None,
    };
    (key >> 3 != 0).then_some((key >> 3, value))
}

fn take<'a>(bytes: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(taken)
}

/// Reads a number with 7 bits per byte, lowest bits first.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for at in 0..10 {
        let byte = take(bytes, 1)?[0];
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
