//! Loads a tokenizer from the files of a checkpoint.

use serde_json::value::RawValue;

use super::class::Class;
use super::json::{TokenJson, refuse_other_formats};
use super::settings::{Named, Settings};
use super::tokenizer_json::{ModelParts, TokenizerJson, WordPieceModel};
use crate::tokenizer::added::{AddedToken, AddedTokens};
use crate::tokenizer::bert::normalize::Normalizer;
use crate::tokenizer::bert::wordpiece::WordPiece;
use crate::tokenizer::decode::Decoder;
use crate::tokenizer::options::Side;
use crate::tokenizer::pipeline::{self, Trim};
#[cfg(feature = "tokenizers")]
use crate::tokenizer::pipeline::{Decoders, Pipeline, SentencePiece};
use crate::tokenizer::template::Template;
use crate::tokenizer::vocab::{Hash, Vocab, VocabBuilder};
use crate::tokenizer::{Model, Special, SpecialTokens, Tokenizer};
use crate::{Error, Result};

/// The tokenizer files of a checkpoint folder. Absent files are `None`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files<'a> {
    /// `tokenizer.json`: the whole tokenizer. It takes precedence over the other vocabularies.
    pub tokenizer_json: Option<&'a [u8]>,
    /// `vocab.txt`: WordPiece, one token per line. BERTweet and PhoBERT have a count after it.
    pub vocab_txt: Option<&'a [u8]>,
    /// `vocab.json`: tokens and ids of RoBERTa's or HerBERT's BPE. It requires `merges.txt`.
    pub vocab_json: Option<&'a [u8]>,
    /// `merges.txt`: one pair per line, in the order of merging.
    pub merges_txt: Option<&'a [u8]>,
    /// `bpe.codes`: the merges of BERTweet and PhoBERT, written by fastBPE. It requires `vocab.txt`.
    pub bpe_codes: Option<&'a [u8]>,
    /// `spiece.model`: ALBERT's Unigram model, written by sentencepiece.
    pub spiece_model: Option<&'a [u8]>,
    /// `sentencepiece.bpe.model`: the model of XLM-RoBERTa or CamemBERT. It is Unigram despite its name.
    pub sentencepiece_bpe_model: Option<&'a [u8]>,
    /// `spm.model`: DeBERTa-v2's Unigram model.
    pub spm_model: Option<&'a [u8]>,
    /// `tokenizer_config.json`: case and accents, lengths and sides, special tokens.
    pub tokenizer_config: Option<&'a [u8]>,
    /// `special_tokens_map.json`: the texts of `[CLS]` and the other special tokens.
    pub special_tokens_map: Option<&'a [u8]>,
    /// `added_tokens.json`: tokens and ids in old checkpoints.
    pub added_tokens: Option<&'a [u8]>,
    /// `config.json`: the class of the tokenizer if `tokenizer_config.json` does not name one.
    pub config: Option<&'a [u8]>,
}

/// The contents of any kind of vocabulary file.
struct Parts<'a> {
    /// The file's name, for errors.
    name: &'static str,
    model: ModelParts,
    added_tokens: Vec<&'a RawValue>,
    /// For a sentencepiece model: added tokens, and whether they are special.
    pieces: Vec<(String, bool)>,
    /// `None` if the file does not define one. The template of the model's family is used then.
    template: Option<Template>,
    trim: Option<Trim>,
    decoder: Decoder,
    /// `padding.pad_token` and the sides of `padding` and `truncation` in a `tokenizer.json`.
    blocks: Blocks,
}

/// The values of `padding` and `truncation` in a `tokenizer.json` that are still used after
/// loading.
#[derive(Debug, Default)]
pub(in crate::tokenizer) struct Blocks {
    pub(in crate::tokenizer) pad_token: Option<String>,
    pub(in crate::tokenizer) padding_side: Option<Side>,
    pub(in crate::tokenizer) truncation_side: Option<Side>,
    /// Warnings about unknown fields of the file.
    pub(in crate::tokenizer) warnings: Vec<String>,
}

impl Tokenizer {
    /// Loads the files of a checkpoint folder. It must have a `tokenizer.json`, a `vocab.txt`, a
    /// `vocab.json` with a `merges.txt`, or a sentencepiece model.
    ///
    /// # Errors
    /// `BadTokenizer` if a file is damaged or incomplete; `Unsupported` if it names an unknown
    /// part.
    pub fn load(files: &Files<'_>) -> Result<Self> {
        let settings = Settings::read(files)?;
        let class = settings.class;
        #[cfg(feature = "tokenizers")]
        if let (Class::Esm, Some(vocab)) = (settings.class, files.vocab_txt) {
            let json = super::esm::tokenizer_json(vocab)?;
            return Self::load(&Files { tokenizer_json: Some(&json), ..*files });
        }
        let mut parts = Parts::read(files, &settings)?;
        parts.amend(&settings);
        let mut added = additions(&parts, &settings)?;
        let Parts { name, model, decoder, trim, blocks, .. } = parts;
        let has_plain_mask =
            class.is_python() || class.is_one_of(&[Class::Herbert, Class::DebertaV2]);
        if matches!(model, ModelParts::Pipeline(_)) && name != "tokenizer.json" && !has_plain_mask {
            settings.amend_mask(&mut added);
        }
        let special = special_tokens(name, &model, &added, &settings, blocks.pad_token)?;
        let template = match parts.template {
            Some(template) => template,
            None => class_template(name, &model, &special, &settings)?,
        };
        let added = match &model {
            &ModelParts::WordPiece(_, Some(bert)) => {
                AddedTokens::new(added, |text| Ok(bert.text(text, 0).text))
            }
            ModelParts::WordPiece(_, None) => AddedTokens::new(added, |text| Ok(text.to_owned())),
            ModelParts::Pipeline(pipeline) => {
                AddedTokens::new(added, |text| pipeline.normalize(text))
            }
        };
        let flag = |name| settings.flag(name) == Some(true);
        let (has_types, has_mask) = settings.inputs();
        Ok(Self {
            model: match &special.unk {
                Some(unk) => model.finish(unk.id)?,
                None => model.finish(0)?,
            },
            trim,
            added: added?,
            template,
            decoder,
            special,
            model_max_length: settings.model_max_length(),
            cleans_up: flag("clean_up_tokenization_spaces"),
            splits_special: flag("split_special_tokens"),
            has_types,
            has_word_shapes: settings.has_word_shapes()?,
            has_mask,
            warnings: [settings.warnings(), blocks.warnings].concat(),
            padding_side: settings.side("padding_side", blocks.padding_side)?,
            truncation_side: settings.side("truncation_side", blocks.truncation_side)?,
        })
    }
}

/// Returns the template of the tokenizer's class, for files that have none.
fn class_template(
    name: &str,
    model: &ModelParts,
    special: &SpecialTokens,
    settings: &Settings<'_>,
) -> Result<Template> {
    let need = |role: &str, token: &Option<Special>| {
        let missing = || {
            // the indices of `cls_token` and `sep_token` in `Roles`
            let (_, default) = settings.roles[if role == "cls_token" { 3 } else { 1 }];
            let stated = settings.special_token(role).and_then(|token| token.content);
            lacks(name, stated.as_deref().unwrap_or(default), role)
        };
        token.as_ref().map(|token| token.id).ok_or_else(missing)
    };
    let cls = need("cls_token", &special.cls)?;
    let sep = need("sep_token", &special.sep)?;
    let class = settings.class;
    let is_bert = matches!(model, ModelParts::WordPiece(..)) && !class.is_one_of(&[Class::MPNet]);
    Ok(match is_bert || class.is_one_of(&[Class::Herbert, Class::Deberta]) {
        true => Template::bert(cls, sep),
        false => Template::roberta(cls, sep),
    })
}

impl ModelParts {
    fn vocab(&self) -> &Vocab {
        match self {
            Self::WordPiece(model, _) => &model.vocab,
            Self::Pipeline(pipeline) => pipeline.vocab(),
        }
    }

    fn finish(self, unk: u32) -> Result<Model> {
        Ok(match self {
            Self::Pipeline(pipeline) => Model::Pipeline(pipeline),
            Self::WordPiece(WordPieceModel { vocab, prefix, max_chars, .. }, normalizer) => {
                Model::WordPiece {
                    model: Box::new(WordPiece::new(vocab, prefix, unk, max_chars)?),
                    normalizer,
                    ascii: Box::new(normalizer.unwrap_or_default().ascii()),
                }
            }
        })
    }
}

impl<'a> Parts<'a> {
    #[cfg(not(feature = "tokenizers"))]
    fn read(files: &Files<'a>, settings: &Settings<'_>) -> Result<Self> {
        let others = [
            ("vocab.json", files.vocab_json),
            ("spm.model", files.spm_model),
            ("spiece.model", files.spiece_model),
            ("sentencepiece.bpe.model", files.sentencepiece_bpe_model),
        ];
        match (files.tokenizer_json, files.vocab_txt) {
            (Some(bytes), _) => Self::from_json(bytes, settings.class),
            (None, Some(bytes)) => Ok(Self::from_vocab("vocab.txt", lines(bytes)?)),
            _ => Err(match others.iter().find(|(_, file)| file.is_some()) {
                Some((name, _)) => pipeline::lacking(&format!("the vocabulary is {name}")),
                None => {
                    Error::BadTokenizer("there is neither a tokenizer.json nor a vocab.txt".into())
                }
            }),
        }
    }

    #[cfg(feature = "tokenizers")]
    fn read(files: &Files<'a>, settings: &Settings<'_>) -> Result<Self> {
        let class = settings.class;
        let is_word_piece = class.is_word_piece();
        let reads = |other: Class| class == Class::Any || class == other;
        match *files {
            Files { vocab_txt: Some(vocab), bpe_codes: Some(codes), .. } if class.is_python() => {
                Self::from_codes(vocab, codes, settings)
            }
            Files { tokenizer_json: Some(bytes), .. } if !class.is_python() => {
                Self::from_json(bytes, class)
            }
            Files { vocab_txt: Some(bytes), .. } if is_word_piece || reads(Class::Any) => {
                Ok(Self::from_vocab("vocab.txt", lines(bytes)?))
            }
            Files { vocab_json: Some(vocab), merges_txt: Some(merges), .. }
                if reads(Class::Roberta) || [Class::Herbert, Class::Deberta].contains(&class) =>
            {
                Self::from_merges(vocab, merges, settings)
            }
            Files { vocab_json: Some(_), merges_txt: None, .. }
                if reads(Class::Roberta) || class == Class::Herbert =>
            {
                Err(crate::error::fault!(
                    BadTokenizer,
                    "there is a vocab.json, but no merges.txt",
                    file = "merges.txt",
                    found = "none",
                ))
            }
            Files { spm_model: Some(bytes), .. } if reads(Class::DebertaV2) => {
                Self::from_sentencepiece("spm.model", bytes, settings)
            }
            Files { spiece_model: Some(bytes), .. }
                if !is_word_piece && class != Class::Roberta =>
            {
                Self::from_sentencepiece("spiece.model", bytes, settings)
            }
            Files { sentencepiece_bpe_model: Some(bytes), .. }
                if !is_word_piece && class != Class::Roberta =>
            {
                Self::from_sentencepiece("sentencepiece.bpe.model", bytes, settings)
            }
            _ if class == Class::Any => {
                Err(Error::BadTokenizer("there is neither a tokenizer.json nor a vocab.txt".into()))
            }
            _ => {
                let json = if class.is_python() { "" } else { "tokenizer.json or " };
                let files = class.files();
                Err(crate::error::fault!(
                    Unsupported,
                    "tokenizer_class {class:?}Tokenizer: expected {json}{files}, got none of them",
                    item = "tokenizer_class {class:?}Tokenizer",
                    expected = "{json}{files}",
                    found = "none of them",
                ))
            }
        }
    }

    fn from_json(bytes: &'a [u8], class: Class) -> Result<Self> {
        let file = TokenizerJson::read(bytes)?;
        let blocks = file.blocks();
        let added_tokens = file.added_tokens();
        if class.is_word_piece() && file.is_bert() {
            let parts = Self::from_vocab("tokenizer.json", file.vocab()?);
            let trim = if class.is_one_of(&[Class::MPNet]) { file.processors()?.1 } else { None };
            return Ok(Self { blocks, added_tokens, trim, ..parts });
        }
        let model = file.model()?;
        let (template, trim) = file.processors()?;
        Ok(Self {
            name: "tokenizer.json",
            model,
            template: Some(template),
            trim,
            decoder: file.decoder()?,
            added_tokens,
            pieces: Vec::new(),
            blocks,
        })
    }

    /// Returns the default parts of BERT's class with a vocabulary.
    fn from_vocab(name: &'static str, vocab: Vocab) -> Self {
        let prefix = String::from("##");
        let normalizer = Normalizer {
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: None,
            lowercase: true,
        };
        let decoder = Decoder::WordPiece { prefix: prefix.clone(), cleanup: true };
        let model = WordPieceModel { vocab, unk_token: None, prefix, max_chars: 100 };
        Self {
            name,
            decoder,
            model: ModelParts::WordPiece(model, Some(normalizer)),
            added_tokens: Vec::new(),
            pieces: Vec::new(),
            template: None,
            trim: None,
            blocks: Blocks::default(),
        }
    }

    /// Returns the parts of RoBERTa or HerBERT.
    #[cfg(feature = "tokenizers")]
    fn from_merges(vocab: &[u8], merges: &[u8], settings: &Settings<'_>) -> Result<Self> {
        let (pipeline, trim, decoders) = pipeline::of_merges(vocab, merges, settings)?;
        Ok(Self { trim, ..Self::of_pipeline("vocab.json", pipeline, decoders) })
    }

    /// Returns the parts of BERTweet or PhoBERT.
    #[cfg(feature = "tokenizers")]
    fn from_codes(vocab: &[u8], codes: &[u8], settings: &Settings<'_>) -> Result<Self> {
        let (pipeline, decoders) = pipeline::of_codes(vocab, codes, settings)?;
        Ok(Self::of_pipeline("vocab.txt", pipeline, decoders))
    }

    #[cfg(feature = "tokenizers")]
    fn of_pipeline(name: &'static str, pipeline: Pipeline, decoders: Decoders) -> Self {
        Self {
            name,
            decoder: Decoder::Steps(decoders),
            model: ModelParts::Pipeline(pipeline),
            added_tokens: Vec::new(),
            pieces: Vec::new(),
            template: None,
            trim: None,
            blocks: Blocks::default(),
        }
    }

    /// Returns the parts of ALBERT, CamemBERT or XLM-RoBERTa.
    #[cfg(feature = "tokenizers")]
    fn from_sentencepiece(
        name: &'static str,
        bytes: &[u8],
        settings: &Settings<'_>,
    ) -> Result<Self> {
        let SentencePiece { pipeline, decoders, template, added } =
            pipeline::of_sentencepiece(name, bytes, settings)?;
        let parts = Self::of_pipeline(name, pipeline, decoders);
        Ok(Self { pieces: added, template: Some(template), ..parts })
    }

    /// Overrides the parts with the settings of the class and of `tokenizer_config.json`. A
    /// `tokenizer.json` that is read without changes keeps its parts.
    fn amend(&mut self, settings: &Settings<'_>) {
        let class = settings.class;
        match &mut self.model {
            _ if class.is_file() => {}
            _ if class.is_one_of(&[Class::ConvBert]) => self.template = None,
            ModelParts::WordPiece(_, Some(normalizer)) => {
                settings.amend(normalizer);
            }
            ModelParts::WordPiece(_, None) => {}
            ModelParts::Pipeline(pipeline) => {
                let is_class = class == Class::Roberta || self.name == "vocab.json";
                let is_class = is_class && pipeline.is_byte_level();
                pipeline.amend(settings, &mut self.trim, is_class);
                if is_class {
                    self.template = None;
                }
            }
        }
    }
}

/// Reads one token per line. The id is the line number. As in Python's text files, a line ends with
/// LF, CR LF or CR.
fn lines(bytes: &[u8]) -> Result<Vocab> {
    refuse_other_formats("vocab.txt", bytes)?;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        Error::BadTokenizer(format!("vocab.txt is not UTF-8: the byte at {at} is not"))
    })?;
    let mut vocab = VocabBuilder::with_capacity(text.len());
    let (mut rest, mut id) = (text, 0);
    while !rest.is_empty() {
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        vocab.insert(&rest[..end], id)?;
        id += 1;
        let ending = if rest[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = rest.get(end + ending..).unwrap_or_default();
    }
    Ok(vocab.finish())
}

/// Returns the added tokens of all files. They are renumbered as in the library: a token in the
/// vocabulary keeps the vocabulary's id, and every other token has the next free id.
fn additions(parts: &Parts<'_>, settings: &Settings<'_>) -> Result<Vec<AddedToken>> {
    let vocab = parts.model.vocab();
    let mut tokens =
        Additions { vocab, tokens: Vec::new(), slots: vec![None; 64], free: vocab.count() as u32 };
    let is_kept = settings.class == Class::Any || settings.class.is_one_of(&[Class::ConvBert]);
    let is_rebuilt = parts.template.is_none() && !is_kept;
    let named = settings.named();
    let as_mpnet = settings.class.is_one_of(&[Class::MPNet]);
    if !is_rebuilt {
        for token in &parts.added_tokens {
            tokens.add(token)?;
        }
    }
    if cfg!(feature = "tokenizers") {
        tokens.add_pieces(&parts.pieces);
    }
    let mut by_id: Vec<(u32, std::result::Result<&RawValue, &str>)> = Vec::new();
    for (token, id) in settings.old_added_tokens()? {
        by_id.push((id, Err(token)));
    }
    let of_file = parts.added_tokens.iter().filter(|_| !settings.has_decoder());
    for token in of_file {
        by_id.push((TokenJson::read(token).id().unwrap_or_default(), Ok(*token)));
    }
    by_id.extend(settings.added_tokens()?.into_iter().map(|(token, id)| (id, Ok(token))));
    // The last token of an id is the one that counts.
    by_id.reverse();
    by_id.sort_by_key(|&(id, _)| id);
    by_id.dedup_by_key(|&mut (id, _)| id);
    for (_, token) in &by_id {
        match token {
            Ok(token) => tokens.add(token)?,
            Err(text) => {
                let is = |named: &Named<'_>| named.token.content.as_deref() == Some(*text);
                tokens.add_text(text, &TokenJson::default(), named.iter().any(is));
            }
        }
    }
    for named in &named {
        let text = named.token.content.as_deref().unwrap_or_default();
        if named.is_special {
            tokens.mark_special(text);
        }
        if tokens.find(text).is_none() {
            tokens.add_named(text, named, as_mpnet);
        }
    }
    if !settings.class.is_file() {
        tokens.add_roles(settings, as_mpnet);
    }
    Ok(tokens.tokens)
}

/// The added tokens so far. A file may have any number of added tokens, so lookups use a hash table.
struct Additions<'a> {
    vocab: &'a Vocab,
    tokens: Vec<AddedToken>,
    /// Indices in `tokens`, by the hashes of their texts, with open addressing. The length is a power
    /// of two, and at most half of it is used. The standard library's maps would add 2 kB to every
    /// first load.
    slots: Vec<Option<u32>>,
    /// The next free id.
    free: u32,
}

impl Additions<'_> {
    /// Returns the slot of the token with this text: its own or a free one.
    fn slot(&self, text: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = Hash::of(text.as_bytes()).place() & mask;
        while self.slots[slot].is_some_and(|at| self.tokens[at as usize].content != text) {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Returns the index of the token with this text.
    fn find(&self, text: &str) -> Option<usize> {
        self.slots[self.slot(text)].map(|at| at as usize)
    }

    /// Adds a token whose text is new.
    fn push(&mut self, token: AddedToken) {
        self.tokens.push(token);
        let is_full = self.tokens.len() * 2 > self.slots.len();
        let first = if is_full { 0 } else { self.tokens.len() - 1 };
        if is_full {
            self.slots = vec![None; self.slots.len() * 2];
        }
        for at in first..self.tokens.len() {
            let slot = self.slot(&self.tokens[at].content);
            self.slots[slot] = Some(at as u32);
        }
    }

    /// Adds a token from a file.
    fn add(&mut self, token: &RawValue) -> Result<()> {
        let token = TokenJson::read(token);
        let content = token.content.as_deref().ok_or_else(|| {
            Error::BadTokenizer("an added token has no text (\"content\")".into())
        })?;
        let special = token.flag("special").unwrap_or(false);
        self.add_text(content, &token, special);
        Ok(())
    }

    /// Adds the default token of each role that no file names.
    fn add_roles(&mut self, settings: &Settings<'_>, as_mpnet: bool) {
        for (role, default) in settings.roles {
            // A default token outside the vocabulary is omitted, because the model has no embedding
            // for it.
            // DeBERTa-v2's mask follows the pieces of its model.
            let is_next = settings.class.is_one_of(&[Class::DebertaV2]) && role == "mask_token";
            let is_known = self.find(default).is_some() || self.vocab.id(default).is_some();
            if settings.special_token(role).is_none() && (is_known || is_next) {
                let token = TokenJson::default();
                let is_mask = role == "mask_token";
                let named = Named { token, is_text: true, is_mask, is_special: true };
                self.mark_special(default);
                if self.find(default).is_none() {
                    self.add_named(default, &named, as_mpnet);
                }
            }
        }
    }

    /// Adds a special token named by a file. With `as_mpnet`, a token without flags is matched in
    /// the normalised text, and the mask includes the space before it.
    fn add_named(&mut self, text: &str, named: &Named<'_>, as_mpnet: bool) {
        let special = named.token.flag("special").unwrap_or(false);
        self.add_text(text, &named.token, special || named.is_text);
        if let Some(at) = self.find(text) {
            let token = &mut self.tokens[at];
            token.special |= named.is_special;
            if named.is_text && as_mpnet {
                (token.normalized, token.lstrip) = (true, named.is_mask);
            }
        }
    }

    /// Adds a token by its text, with new flags. A special token stays special.
    fn add_text(&mut self, content: &str, token: &TokenJson<'_>, special: bool) {
        if content.is_empty() {
            return;
        }
        let known = self.find(content);
        let known_id = known.map(|at| self.tokens[at].id);
        let id = self.vocab.id(content).or(known_id).unwrap_or(self.free);
        self.free = self.free.max(id.saturating_add(1));
        let token = AddedToken {
            content: content.into(),
            id,
            special: special || known.is_some_and(|at| self.tokens[at].special),
            normalized: token.flag("normalized").unwrap_or(!special),
            lstrip: token.flag("lstrip").unwrap_or(false),
            rstrip: token.flag("rstrip").unwrap_or(false),
            single_word: token.flag("single_word").unwrap_or(false),
        };
        match known {
            Some(at) => self.tokens[at] = token,
            None => self.push(token),
        }
    }

    /// Adds the pieces of a sentencepiece model that are matched in the text before normalisation.
    fn add_pieces(&mut self, pieces: &[(String, bool)]) {
        for (text, special) in pieces {
            self.add_text(text, &TokenJson::default(), *special);
            if let Some(at) = self.find(text) {
                self.tokens[at].normalized = false;
            }
        }
    }

    /// Marks a token as special, if it exists.
    fn mark_special(&mut self, text: &str) {
        if let Some(at) = self.find(text) {
            self.tokens[at].special = true;
        }
    }
}

fn lacks(name: &str, token: &str, role: &str) -> Error {
    Error::BadTokenizer(format!("{name} has no token {token:?}, which is the {role}"))
}

/// Returns the tokens with a role. `pad_of_file` is the padding token of `tokenizer.json`, used if
/// no other file names one.
fn special_tokens(
    name: &str,
    model: &ModelParts,
    added: &[AddedToken],
    settings: &Settings<'_>,
    pad_of_file: Option<String>,
) -> Result<SpecialTokens> {
    let vocab = model.vocab();
    let text = |role: &str, default: &str| {
        let token = settings.special_token(role).and_then(|token| token.content);
        token.map_or_else(|| default.to_owned(), std::borrow::Cow::into_owned)
    };
    let find = |role: &str, default: &str| {
        let token = text(role, default);
        let added = added.iter().find(|added| added.content == token).map(|added| added.id);
        added.or_else(|| vocab.id(&token)).map(|id| Special { token, id })
    };
    let [(_, unk), (_, sep), (_, pad), (_, cls), (_, mask)] = settings.roles;
    let pad = pad_of_file.as_deref().unwrap_or(pad);
    let unk = match model {
        // WordPiece requires the unknown token in its own vocabulary.
        ModelParts::WordPiece(model, _) => {
            let token = model.unk_token.clone().unwrap_or_else(|| text("unk_token", unk));
            let id = vocab.id(&token).ok_or_else(|| lacks(name, &token, "unk_token"))?;
            Some(Special { token, id })
        }
        ModelParts::Pipeline(pipeline) => match pipeline.unk() {
            Some(id) => Some(Special { token: vocab.token(id).unwrap_or_default().to_owned(), id }),
            None => find("unk_token", unk),
        },
    };
    Ok(SpecialTokens {
        cls: find("cls_token", cls),
        sep: find("sep_token", sep),
        pad: find("pad_token", pad),
        unk,
        mask: find("mask_token", mask),
    })
}
