//! `tokenizer_config.json` and related small files.

use serde_json::value::RawValue;

use super::class::Class;
use super::fields;
use super::json::{self, TokenJson};
use crate::json::{Object, Text, describe, read_as, text};
use crate::tokenizer::added::AddedToken;
use crate::tokenizer::bert::normalize::Normalizer;
use crate::tokenizer::{Files, Side};
use crate::{Error, Result};

/// A `model_max_length` of at least this value means no limit. Hugging Face writes 1e30.
const NO_LIMIT: f64 = 1e20;

/// The roles of special tokens, and the default text for each.
pub(in crate::tokenizer) type Roles = [(&'static str, &'static str); 5];

const fn roles(cls: &'static str, sep: &'static str, others: [&'static str; 3]) -> Roles {
    let [unk, pad, mask] = others;
    let first = [("unk_token", unk), ("sep_token", sep), ("pad_token", pad)];
    [first[0], first[1], first[2], ("cls_token", cls), ("mask_token", mask)]
}

/// The defaults of BERT.
const BERT: Roles = roles("[CLS]", "[SEP]", ["[UNK]", "[PAD]", "[MASK]"]);
/// The defaults of RoBERTa and XLM-RoBERTa.
const ROBERTA: Roles = roles("<s>", "</s>", ["<unk>", "<pad>", "<mask>"]);
const MPNET: Roles = roles("<s>", "</s>", ["[UNK]", "<pad>", "<mask>"]);
const ALBERT: Roles = roles("[CLS]", "[SEP]", ["<unk>", "<pad>", "[MASK]"]);

/// The settings of a checkpoint besides its vocabulary. All of them are optional.
#[derive(Debug)]
pub(in crate::tokenizer) struct Settings<'a> {
    config: Object<'a>,
    special_tokens_map: Object<'a>,
    /// Maps tokens to ids.
    added_tokens: Object<'a>,
    /// The default special tokens of the tokenizer's class.
    pub(in crate::tokenizer) roles: Roles,
    /// The class of the tokenizer.
    pub(in crate::tokenizer) class: Class,
    /// Whether the config has `added_tokens_decoder`. Files without it are older.
    is_new: bool,
}

/// A special token named by a file.
pub(in crate::tokenizer) struct Named<'a> {
    /// The token's text and flags.
    pub(in crate::tokenizer) token: TokenJson<'a>,
    /// Whether the token is a string without flags.
    pub(in crate::tokenizer) is_text: bool,
    /// Whether the token is the mask.
    pub(in crate::tokenizer) is_mask: bool,
    /// Whether the token is special regardless of its flags, even if it was added before.
    pub(in crate::tokenizer) is_special: bool,
}

/// The roles in the order in which the library adds them.
const ROLES: [&str; 7] =
    ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

impl<'a> Settings<'a> {
    pub(in crate::tokenizer) fn read(files: &Files<'a>) -> Result<Self> {
        let read = |name, bytes: Option<&'a [u8]>| match bytes {
            Some(bytes) => json::parse(name, bytes),
            None => Ok(Object::default()),
        };
        let config: Object<'a> = read("tokenizer_config.json", files.tokenizer_config)?;
        // A damaged file is reported by the reader of the model.
        let model = files.config.and_then(|bytes| json::parse("config.json", bytes).ok());
        let class = Class::read(files, &config, &model.unwrap_or_default())?;
        let roles = match class {
            Class::Bert | Class::DistilBert | Class::ConvBert => BERT,
            _ if cfg!(not(feature = "tokenizers")) => BERT,
            Class::Deberta | Class::DebertaV2 => BERT,
            Class::Roberta | Class::XlmRoberta | Class::Camembert => ROBERTA,
            Class::Herbert | Class::Bertweet | Class::Phobert => ROBERTA,
            Class::MPNet => MPNET,
            Class::Albert => ALBERT,
            _ if files.tokenizer_json.is_some() || files.vocab_txt.is_some() => BERT,
            _ if files.vocab_json.is_some() => ROBERTA,
            _ if files.spiece_model.is_some() => ALBERT,
            _ if files.sentencepiece_bpe_model.is_some() => ROBERTA,
            _ => BERT,
        };
        let is_new = config.value_or_null("added_tokens_decoder").is_some();
        let other = |name, bytes| if is_new { Ok(Object::default()) } else { read(name, bytes) };
        Ok(Self {
            roles,
            class,
            special_tokens_map: other("special_tokens_map.json", files.special_tokens_map)?,
            added_tokens: other("added_tokens.json", files.added_tokens)?,
            config,
            is_new,
        })
    }

    /// Returns a warning for each unknown field, and for custom code that is not run.
    pub(in crate::tokenizer) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let is_tweet = self.class == Class::Bertweet;
        fields::of_settings(&self.config, &self.special_tokens_map, is_tweet, &mut warnings);
        if self.config.get("auto_map").is_some() {
            warnings
                .push("tokenizer_config.json: the code that auto_map names does not run".into());
        }
        warnings
    }

    /// Returns a special token by its role (e.g. `cls_token`). In the file, it is a string or an
    /// object with flags.
    ///
    /// `special_tokens_map.json` takes precedence over the config, unless the config has
    /// `added_tokens_decoder`.
    pub(in crate::tokenizer) fn special_token(&self, role: &str) -> Option<TokenJson<'a>> {
        self.stated(role).map(TokenJson::read)
    }

    fn stated(&self, name: &str) -> Option<&'a RawValue> {
        let value = self.special_tokens_map.value_or_null(name);
        value.or_else(|| self.config.value_or_null(name)).filter(|value| value.get() != "null")
    }

    /// Returns the class of a sentencepiece model. If no file names a class, the file's `name`
    /// decides.
    ///
    /// # Errors
    /// `Unsupported` for a model of another class.
    #[cfg(feature = "tokenizers")]
    pub(in crate::tokenizer) fn sentencepiece_class(&self, name: &str) -> Result<Class> {
        match self.class {
            class @ (Class::Albert | Class::XlmRoberta | Class::Camembert) => Ok(class),
            Class::Any if name == "spiece.model" => Ok(Class::Albert),
            Class::Any => Ok(Class::XlmRoberta),
            other => Err(crate::error::fault!(
                Unsupported,
                "{name}: expected AlbertTokenizer, CamembertTokenizer or XLMRobertaTokenizer, got {other:?}Tokenizer",
                file = "{name}",
                item = "tokenizer_class",
                expected = "AlbertTokenizer, CamembertTokenizer or XLMRobertaTokenizer",
                found = "{other:?}Tokenizer",
            )),
        }
    }

    /// Returns the text of the token with a role: the text in a file, else the default of the
    /// class. `bos_token` and `eos_token` have the defaults of `cls_token` and `sep_token`.
    #[cfg(feature = "tokenizers")]
    pub(in crate::tokenizer) fn text_of(&self, role: &str) -> String {
        let stated = self.special_token(role).and_then(|token| token.content);
        let alike = match role {
            "bos_token" => "cls_token",
            "eos_token" => "sep_token",
            role => role,
        };
        let default = self.roles.iter().find(|(other, _)| *other == alike);
        let default = || default.map(|&(_, text)| text.into());
        stated.or_else(default).unwrap_or_default().into_owned()
    }

    /// Sets the default that the mask includes the space before it, unless a file sets another
    /// value. The classes of all tokenizers except BERT's have this default.
    pub(in crate::tokenizer) fn amend_mask(&self, tokens: &mut [AddedToken]) {
        let given = self.special_token("mask_token").unwrap_or_default();
        let (_, default) = self.roles[4];
        let text = given.content.as_deref().unwrap_or(default);
        let of_config = self.added_tokens().unwrap_or_default();
        let is_given =
            |(token, _): &(&RawValue, u32)| TokenJson::read(token).content.as_deref() == Some(text);
        if of_config.iter().any(is_given) {
            return;
        }
        if let Some(token) = tokens.iter_mut().find(|token| token.content == text) {
            token.lstrip = given.flag("lstrip").unwrap_or(true);
        }
    }

    /// Returns the special tokens named by the files: first the tokens with a role, then tokens
    /// with other names, then tokens without a name.
    pub(in crate::tokenizer) fn named(&self) -> Vec<Named<'a>> {
        let read = |name: &str, token: &'a RawValue, is_special: bool| {
            let is_text = text(token).is_some();
            let token = TokenJson::read(token);
            Named { token, is_text, is_mask: name == "mask_token", is_special }
        };
        let roles = ROLES.iter().filter_map(|name| Some(read(name, self.stated(name)?, true)));
        let mut named: Vec<_> = roles.collect();
        let files = [&self.config, &self.special_tokens_map];
        for (name, value) in files.iter().flat_map(|file| &file.0) {
            let is_token = text(value).is_some() || read_as::<Object<'_>>(value).is_some();
            if name.ends_with("_token") && !ROLES.contains(&&**name) && is_token {
                named.push(read(name, value, true));
            }
        }
        for file in files {
            for list in ["model_specific_special_tokens", "extra_special_tokens"] {
                let tokens: Object<'_> = file.get_as(list).unwrap_or_default();
                named.extend(tokens.0.into_iter().map(|(name, token)| read(&name, token, true)));
            }
        }
        named.extend(self.extra_tokens().into_iter().map(|token| read("", token, false)));
        named
    }

    /// Returns the list `extra_special_tokens`. Its older name is `additional_special_tokens`.
    fn extra_tokens(&self) -> Vec<&'a RawValue> {
        let list = |file: &Object<'a>, name| -> Option<Vec<&'a RawValue>> { file.get_as(name) };
        let (extra, additional) = ("extra_special_tokens", "additional_special_tokens");
        let given = list(&self.config, extra);
        let own = given.clone().filter(|tokens| !tokens.is_empty());
        let own = own.or_else(|| list(&self.config, additional)).or(given);
        if let Some(more) = list(&self.special_tokens_map, extra) {
            return own.into_iter().flatten().chain(more).collect();
        }
        own.or_else(|| list(&self.special_tokens_map, additional)).unwrap_or_default()
    }

    /// Returns the added tokens of `added_tokens.json` and their ids. Empty if the config lists
    /// added tokens.
    pub(in crate::tokenizer) fn old_added_tokens(&self) -> Result<Vec<(&str, u32)>> {
        let tokens = self.added_tokens.0.iter().map(|(token, id)| {
            json::id(id).map(|id| (&**token, id)).ok_or_else(|| {
                Error::BadTokenizer(format!("added_tokens.json has no valid id for {token:?}"))
            })
        });
        tokens.collect()
    }

    /// Returns whether the config lists all added tokens itself.
    pub(in crate::tokenizer) fn has_decoder(&self) -> bool {
        self.is_new
    }

    /// Returns the config's added tokens and their ids.
    pub(in crate::tokenizer) fn added_tokens(&self) -> Result<Vec<(&'a RawValue, u32)>> {
        let tokens: Object<'_> = self.config.get_as("added_tokens_decoder").unwrap_or_default();
        let tokens = tokens.0.into_iter().map(|(id, token)| {
            let id = id.parse().map_err(|_| {
                Error::BadTokenizer(format!(
                    "tokenizer_config.json: added_tokens_decoder has the id {id:?}, not a number"
                ))
            })?;
            Ok((token, id))
        });
        tokens.collect()
    }

    /// Overrides the options of `normalizer` that the config sets.
    pub(in crate::tokenizer) fn amend(&self, normalizer: &mut Normalizer) {
        if let Some(lowercase) = self.flag("do_lower_case") {
            normalizer.lowercase = lowercase;
        }
        if let Some(isolates) = self.flag("tokenize_chinese_chars") {
            normalizer.handle_chinese_chars = isolates;
        }
        // Here null is a value, which means the value of `lowercase`.
        if let Some(strip) = self.config.value_or_null("strip_accents") {
            normalizer.strip_accents = read_as(strip);
        }
    }

    /// Returns a flag of the config, if present.
    pub(in crate::tokenizer) fn flag(&self, name: &str) -> Option<bool> {
        self.config.get_as(name)
    }

    /// Returns the model's maximum number of tokens.
    pub(in crate::tokenizer) fn model_max_length(&self) -> Option<usize> {
        let length = self.config.value_or_null("model_max_length");
        let length: f64 = length.or_else(|| self.config.get("max_len")).and_then(read_as)?;
        (1.0..NO_LIMIT).contains(&length).then_some(length as usize)
    }

    /// Returns `padding_side` or `truncation_side`. `default` is used if the config does not set
    /// it.
    pub(in crate::tokenizer) fn side(&self, name: &str, default: Option<Side>) -> Result<Side> {
        let Some(value) = self.config.get(name) else { return Ok(default.unwrap_or_default()) };
        match text(value).as_deref() {
            Some("right") => Ok(Side::Right),
            Some("left") => Ok(Side::Left),
            _ => Err(Error::BadTokenizer(format!(
                "tokenizer_config.json: {name} is {}, not \"left\" or \"right\"",
                describe(value.get())
            ))),
        }
    }

    /// Returns whether token types say how a word is written: `"token_types": "word_shape"`.
    pub(in crate::tokenizer) fn has_word_shapes(&self) -> Result<bool> {
        match self.config.value_or_null("token_types") {
            Some(value) if text(value).as_deref() == Some("word_shape") => Ok(true),
            Some(value) if value.get() != "null" => Err(Error::Unsupported(format!(
                "tokenizer_config.json: token_types: expected \"word_shape\", got {}",
                describe(value.get())
            ))),
            _ => Ok(false),
        }
    }

    /// Returns the optional inputs that a call returns, as `(token types, mask)`.
    /// `model_input_names` lists them.
    pub(in crate::tokenizer) fn inputs(&self) -> (bool, bool) {
        match self.config.get_as::<Vec<Text<'_>>>("model_input_names") {
            Some(names) => {
                let has = |wanted: &str| names.iter().any(|Text(name)| name == wanted);
                (has("token_type_ids"), has("attention_mask"))
            }
            None => (self.class.has_types(), true),
        }
    }
}
