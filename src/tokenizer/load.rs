//! From the files of a checkpoint to a tokenizer.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::{
    Model, Special, SpecialTokens, Tokenizer,
    added::{AddedToken, AddedTokens},
    decode::Decoder,
    json::{TokenJson, refuse_other_formats},
    normalize::Normalizer,
    pipeline::{self, SentencePiece, Trim},
    settings::Settings,
    template::Template,
    tokenizer_json::{ModelParts, TokenizerJson, WordPieceModel},
    vocab::{Vocab, VocabBuilder},
    wordpiece::WordPiece,
};
use crate::{Error, Result};

/// The files of a checkpoint folder that concern its tokenizer, those that are there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files<'a> {
    /// `tokenizer.json`: everything in one file. It wins over the other vocabularies.
    pub tokenizer_json: Option<&'a [u8]>,
    /// `vocab.txt`: WordPiece, a token a line.
    pub vocab_txt: Option<&'a [u8]>,
    /// `vocab.json`: tokens and ids of RoBERTa's byte-level BPE, which needs `merges.txt`, too.
    pub vocab_json: Option<&'a [u8]>,
    /// `merges.txt`: a pair a line, in the order in which they are merged.
    pub merges_txt: Option<&'a [u8]>,
    /// `spiece.model`: ALBERT's Unigram, as sentencepiece writes it.
    pub spiece_model: Option<&'a [u8]>,
    /// `sentencepiece.bpe.model`: XLM-RoBERTa's Unigram, whatever its name says.
    pub sentencepiece_bpe_model: Option<&'a [u8]>,
    /// `tokenizer_config.json`: case and accents, lengths and sides, special tokens.
    pub tokenizer_config: Option<&'a [u8]>,
    /// `special_tokens_map.json`: what `[CLS]` and the others are called.
    pub special_tokens_map: Option<&'a [u8]>,
    /// `added_tokens.json`: tokens and ids, of old checkpoints.
    pub added_tokens: Option<&'a [u8]>,
}

/// What either kind of vocabulary file gives.
struct Parts<'a> {
    /// The file, for errors.
    name: &'static str,
    model: ModelParts,
    added_tokens: Vec<&'a RawValue>,
    /// Of a sentencepiece model: added tokens, and whether they are special.
    pieces: Vec<(String, bool)>,
    /// `None` for what the file itself does not say: that of the model's own family.
    template: Option<Template>,
    trim: Option<Trim>,
    decoder: Decoder,
}

impl Tokenizer {
    /// Reads the files of a checkpoint folder, of which there must be a `tokenizer.json`, a
    /// `vocab.txt`, a `vocab.json` with a `merges.txt`, or a sentencepiece model.
    ///
    /// # Errors
    /// `BadTokenizer` where a file is damaged or lacks what a tokenizer needs, `Unsupported` where
    /// it names a part that is not known.
    pub fn load(files: &Files<'_>) -> Result<Self> {
        let settings = Settings::read(files)?;
        let mut parts = Parts::read(files, &settings)?;
        parts.amend(&settings);
        let Parts { name, model, decoder, trim, .. } = parts;
        let mut added = additions(model.vocab(), &parts.added_tokens, &parts.pieces, &settings)?;
        if matches!(model, ModelParts::Pipeline(_)) && name != "tokenizer.json" {
            settings.amend_mask(&mut added);
        }
        let special = special_tokens(name, &model, &added, &settings)?;
        let template = parts.template.unwrap_or_else(|| match &model {
            ModelParts::WordPiece(..) => Template::bert(special.cls.id, special.sep.id),
            ModelParts::Pipeline(_) => Template::roberta(special.cls.id, special.sep.id),
        });
        let added = match &model {
            &ModelParts::WordPiece(_, Some(bert)) => {
                AddedTokens::new(added, |text| bert.text(text, 0).text)
            }
            ModelParts::WordPiece(_, None) => AddedTokens::new(added, str::to_owned),
            ModelParts::Pipeline(pipeline) => {
                AddedTokens::new(added, |text| pipeline.normalize(text))
            }
        };
        Ok(Self {
            model: model.finish(special.unk.id)?,
            trim,
            added: added?,
            template,
            decoder,
            special,
            model_max_length: settings.model_max_length(),
            cleans_up: settings.flag("clean_up_tokenization_spaces") != Some(false),
            padding_side: settings.side("padding_side")?,
            truncation_side: settings.side("truncation_side")?,
        })
    }
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
    fn read(files: &Files<'a>, settings: &Settings<'_>) -> Result<Self> {
        match *files {
            Files { tokenizer_json: Some(bytes), .. } => Self::from_json(bytes),
            Files { vocab_txt: Some(bytes), .. } => Self::from_vocab(bytes),
            Files { vocab_json: Some(vocab), merges_txt: Some(merges), .. } => {
                Self::from_merges(vocab, merges)
            }
            Files { vocab_json: Some(_), .. } => {
                Err(Error::BadTokenizer("there is a vocab.json, but no merges.txt".into()))
            }
            Files { spiece_model: Some(bytes), .. } => {
                Self::from_sentencepiece("spiece.model", bytes, settings)
            }
            Files { sentencepiece_bpe_model: Some(bytes), .. } => {
                Self::from_sentencepiece("sentencepiece.bpe.model", bytes, settings)
            }
            _ => {
                Err(Error::BadTokenizer("there is neither a tokenizer.json nor a vocab.txt".into()))
            }
        }
    }

    fn from_json(bytes: &'a [u8]) -> Result<Self> {
        let file = TokenizerJson::read(bytes)?;
        let model = file.model()?;
        let (template, trim) = file.processors()?;
        Ok(Self {
            name: "tokenizer.json",
            model,
            template: Some(template),
            trim,
            decoder: file.decoder()?,
            added_tokens: file.added_tokens(),
            pieces: Vec::new(),
        })
    }

    fn from_vocab(bytes: &[u8]) -> Result<Self> {
        let prefix = String::from("##");
        let normalizer = Normalizer {
            clean_text: true,
            handle_chinese_chars: true,
            strip_accents: None,
            lowercase: true,
        };
        let decoder = Decoder::WordPiece { prefix: prefix.clone(), cleanup: true };
        let unk_token = "[UNK]".into();
        let model = WordPieceModel { vocab: lines(bytes)?, unk_token, prefix, max_chars: 100 };
        Ok(Self {
            name: "vocab.txt",
            decoder,
            model: ModelParts::WordPiece(model, Some(normalizer)),
            added_tokens: Vec::new(),
            pieces: Vec::new(),
            template: None,
            trim: None,
        })
    }

    /// RoBERTa's.
    fn from_merges(vocab: &[u8], merges: &[u8]) -> Result<Self> {
        let (pipeline, trim, decoders) = pipeline::of_merges(vocab, merges)?;
        Ok(Self {
            name: "vocab.json",
            decoder: Decoder::Steps(decoders),
            model: ModelParts::Pipeline(pipeline),
            added_tokens: Vec::new(),
            pieces: Vec::new(),
            template: None,
            trim: Some(trim),
        })
    }

    /// ALBERT's and XLM-RoBERTa's.
    fn from_sentencepiece(
        name: &'static str,
        bytes: &[u8],
        settings: &Settings<'_>,
    ) -> Result<Self> {
        let SentencePiece { pipeline, decoders, template, added } =
            pipeline::of_sentencepiece(name, bytes, settings)?;
        Ok(Self {
            name,
            decoder: Decoder::Steps(decoders),
            model: ModelParts::Pipeline(pipeline),
            added_tokens: Vec::new(),
            pieces: added,
            template: Some(template),
            trim: None,
        })
    }

    /// Puts what `tokenizer_config.json` says in the place of what the parts have.
    fn amend(&mut self, settings: &Settings<'_>) {
        match &mut self.model {
            ModelParts::WordPiece(_, Some(normalizer)) => settings.amend(normalizer),
            ModelParts::WordPiece(_, None) => {}
            ModelParts::Pipeline(pipeline) => {
                pipeline.amend(settings, &mut self.trim, self.name == "vocab.json");
            }
        }
    }
}

/// A token a line, its id the number of the line. Lines end as they do in Python's text files:
/// with LF, CR LF or CR.
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

/// All added tokens of the files, those that come later over those of the same text before.
fn additions(
    vocab: &Vocab,
    of_file: &[&RawValue],
    pieces: &[(String, bool)],
    settings: &Settings<'_>,
) -> Result<Vec<AddedToken>> {
    let mut tokens =
        Additions { vocab, tokens: Vec::new(), places: BTreeMap::new(), free: vocab.size() as u32 };
    for (token, id) in settings.old_added_tokens()? {
        tokens.add_text(token, &TokenJson::default(), false, Some(id));
    }
    settings.special_texts().iter().for_each(|text| tokens.mark_special(text));
    for token in of_file {
        tokens.add(token, None)?;
    }
    if cfg!(feature = "tokenizers") {
        tokens.add_pieces(pieces);
    }
    for (token, id) in settings.added_tokens()? {
        tokens.add(token, Some(id))?;
    }
    for token in settings.additional_special_tokens() {
        tokens.add_special(token.content.as_deref().unwrap_or_default(), &token, true);
    }
    for (role, default) in settings.roles {
        let token = settings.special_token(role).unwrap_or_default();
        // One that the vocabulary has not is left out: a model has no embedding for it.
        tokens.add_special(token.content.as_deref().unwrap_or(default), &token, false);
    }
    Ok(tokens.tokens)
}

/// A file may have as many added tokens as it likes: none is looked for among all.
struct Additions<'a> {
    vocab: &'a Vocab,
    tokens: Vec<AddedToken>,
    /// Text to index into `tokens`.
    places: BTreeMap<String, usize>,
    /// The next id that no token has.
    free: u32,
}

impl Additions<'_> {
    /// Adds a token of a file; `id`, where it is given, is the token's in place of its own.
    fn add(&mut self, token: &RawValue, id: Option<u32>) -> Result<()> {
        let token = TokenJson::read(token);
        let content = token.content.as_deref().ok_or_else(|| {
            Error::BadTokenizer("an added token has no text (\"content\")".into())
        })?;
        let special = token.flag("special").unwrap_or(false);
        self.add_text(content, &token, special, id.or_else(|| token.id()));
        Ok(())
    }

    /// Adds a token by its text, with its other flags. The id is the vocabulary's where it has the
    /// text, else the one given, else the next that is free.
    fn add_text(&mut self, content: &str, token: &TokenJson<'_>, special: bool, id: Option<u32>) {
        if content.is_empty() {
            return;
        }
        let known = self.places.get(content).copied();
        let known_id = known.map(|at| self.tokens[at].id);
        let id = self.vocab.id(content).or(id).or(known_id).unwrap_or(self.free);
        self.free = self.free.max(id.saturating_add(1));
        let token = AddedToken {
            content: content.into(),
            id,
            special,
            normalized: token.flag("normalized").unwrap_or(!special),
            lstrip: token.flag("lstrip").unwrap_or(false),
            rstrip: token.flag("rstrip").unwrap_or(false),
            single_word: token.flag("single_word").unwrap_or(false),
        };
        match known {
            Some(at) => self.tokens[at] = token,
            None => {
                self.places.insert(content.into(), self.tokens.len());
                self.tokens.push(token);
            }
        }
    }

    /// Adds the pieces of a sentencepiece model that are found in the text as they stand.
    fn add_pieces(&mut self, pieces: &[(String, bool)]) {
        for (text, special) in pieces {
            self.add_text(text, &TokenJson::default(), *special, None);
            if let Some(&at) = self.places.get(text) {
                self.tokens[at].normalized = false;
            }
        }
    }

    /// Makes a token special, if it is there.
    fn mark_special(&mut self, text: &str) {
        if let Some(&at) = self.places.get(text) {
            let token = &mut self.tokens[at];
            (token.special, token.normalized) = (true, false);
        }
    }

    /// Adds a special token that is not there yet.
    fn add_special(&mut self, text: &str, token: &TokenJson<'_>, may_be_new: bool) {
        let is_known = self.places.contains_key(text);
        if !is_known && (may_be_new || self.vocab.id(text).is_some()) {
            self.add_text(text, token, true, None);
        }
    }
}

/// The ids of the tokens with a role, of which only the mask may be missing.
fn special_tokens(
    name: &str,
    model: &ModelParts,
    added: &[AddedToken],
    settings: &Settings<'_>,
) -> Result<SpecialTokens> {
    let vocab = model.vocab();
    let find = |role: &str, default: &str| {
        let token = settings.special_token(role).unwrap_or_default();
        let token = token.content.as_deref().unwrap_or(default).to_owned();
        let added = added.iter().find(|added| added.content == token).map(|added| added.id);
        let id = added.or_else(|| vocab.id(&token));
        id.map(|id| Special { token: token.clone(), id }).ok_or(token)
    };
    let lacks = |token: &str, role: &str| {
        Error::BadTokenizer(format!("{name} has no token {token:?}, which is the {role}"))
    };
    let need = |role: &str, default: &str| find(role, default).map_err(|token| lacks(&token, role));
    let [(_, unk), (_, sep), (_, pad), (_, cls), (_, mask)] = settings.roles;
    let unk = match model {
        // WordPiece asks its own vocabulary for the unknown token, and no other.
        ModelParts::WordPiece(model, _) => {
            let token = match name {
                "vocab.txt" => need("unk_token", &model.unk_token)?.token,
                _ => model.unk_token.clone(),
            };
            let id = vocab.id(&token).ok_or_else(|| lacks(&token, "unk_token"))?;
            Special { token, id }
        }
        ModelParts::Pipeline(pipeline) => match pipeline.unk() {
            Some(id) => Special { token: vocab.token(id).unwrap_or_default().to_owned(), id },
            None => need("unk_token", unk)?,
        },
    };
    Ok(SpecialTokens {
        cls: need("cls_token", cls)?,
        sep: need("sep_token", sep)?,
        pad: need("pad_token", pad)?,
        unk,
        mask: find("mask_token", mask).ok(),
    })
}
