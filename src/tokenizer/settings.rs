//! `tokenizer_config.json` and the small files around it.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{
    Files, Side,
    added::AddedToken,
    json::{self, TokenJson},
    normalize::Normalizer,
};
use crate::json::{Object, Text, describe, read_as, text};
use crate::{Error, Result};

/// From here on a `model_max_length` says that there is none: Hugging Face writes 1e30.
const NO_LIMIT: f64 = 1e20;

/// The roles of special tokens, and what they are called where no file says it.
pub(super) type Roles = [(&'static str, &'static str); 5];

const fn roles(cls: &'static str, sep: &'static str, others: [&'static str; 3]) -> Roles {
    let [unk, pad, mask] = others;
    let first = [("unk_token", unk), ("sep_token", sep), ("pad_token", pad)];
    [first[0], first[1], first[2], ("cls_token", cls), ("mask_token", mask)]
}

/// What BERT calls them.
const BERT: Roles = roles("[CLS]", "[SEP]", ["[UNK]", "[PAD]", "[MASK]"]);
/// RoBERTa and XLM-RoBERTa.
const ROBERTA: Roles = roles("<s>", "</s>", ["<unk>", "<pad>", "<mask>"]);
const MPNET: Roles = roles("<s>", "</s>", ["[UNK]", "<pad>", "<mask>"]);
const ALBERT: Roles = roles("[CLS]", "[SEP]", ["<unk>", "<pad>", "[MASK]"]);

/// What a checkpoint says besides its vocabulary; all of it may be absent.
#[derive(Debug)]
pub(super) struct Settings<'a> {
    config: Object<'a>,
    special_tokens_map: Object<'a>,
    /// Token to id.
    added_tokens: Object<'a>,
    /// By the class of the tokenizer.
    pub(super) roles: Roles,
    /// `tokenizer_class` without `Fast`; empty where the config does not say it.
    #[cfg(feature = "tokenizers")]
    class: String,
}

impl<'a> Settings<'a> {
    pub(super) fn read(files: &Files<'a>) -> Result<Self> {
        let read = |name, bytes: Option<&'a [u8]>| match bytes {
            Some(bytes) => json::parse(name, bytes),
            None => Ok(Object::default()),
        };
        let config: Object<'a> = read("tokenizer_config.json", files.tokenizer_config)?;
        let class: Option<Text<'_>> = config.get_as("tokenizer_class");
        let class = class.as_ref().map_or("", |Text(class)| class.trim_end_matches("Fast"));
        let roles = match class {
            "RobertaTokenizer" | "XLMRobertaTokenizer" => ROBERTA,
            "MPNetTokenizer" => MPNET,
            "AlbertTokenizer" => ALBERT,
            _ if files.tokenizer_json.is_some() || files.vocab_txt.is_some() => BERT,
            _ if files.vocab_json.is_some() => ROBERTA,
            _ if files.spiece_model.is_some() => ALBERT,
            _ if files.sentencepiece_bpe_model.is_some() => ROBERTA,
            _ => BERT,
        };
        Ok(Self {
            roles,
            #[cfg(feature = "tokenizers")]
            class: class.to_owned(),
            config,
            special_tokens_map: read("special_tokens_map.json", files.special_tokens_map)?,
            added_tokens: read("added_tokens.json", files.added_tokens)?,
        })
    }

    /// A special token by its role (`cls_token`), as a string or as an object with its flags.
    ///
    /// Where the config has no `added_tokens_decoder` it is an old one, to which
    /// `special_tokens_map.json` is the amendment.
    pub(super) fn special_token(&self, role: &str) -> Option<TokenJson<'a>> {
        self.amended(role).map(TokenJson::read)
    }

    /// A value of the config that `special_tokens_map.json` may amend.
    fn amended(&self, name: &str) -> Option<&'a RawValue> {
        let in_config = self.config.value_or_null(name);
        let in_map = self.special_tokens_map.value_or_null(name);
        let is_old = self.config.value_or_null("added_tokens_decoder").is_none();
        let value = if is_old { in_map.or(in_config) } else { in_config.or(in_map) };
        value.filter(|value| value.get() != "null")
    }

    /// Whether a sentencepiece model, by the name of its file where the config names no class, is
    /// ALBERT's; otherwise it is XLM-RoBERTa's.
    ///
    /// # Errors
    /// `Unsupported` for the model of another class.
    #[cfg(feature = "tokenizers")]
    pub(super) fn is_albert(&self, name: &str) -> Result<bool> {
        match &*self.class {
            "AlbertTokenizer" => Ok(true),
            "XLMRobertaTokenizer" => Ok(false),
            "" => Ok(name == "spiece.model"),
            other => Err(Error::Unsupported(format!(
                "{name} is read for AlbertTokenizer and XLMRobertaTokenizer; the tokenizer_class is \
                 {other}"
            ))),
        }
    }

    /// The mask takes the space before it where no file says otherwise, as in the classes of all
    /// tokenizers but BERT's.
    pub(super) fn amend_mask(&self, tokens: &mut [AddedToken]) {
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

    /// Further special tokens without a role.
    pub(super) fn additional_special_tokens(&self) -> Vec<TokenJson<'a>> {
        let tokens: Option<Vec<&RawValue>> =
            self.amended("additional_special_tokens").and_then(read_as);
        tokens.into_iter().flatten().map(TokenJson::read).collect()
    }

    /// The texts of special tokens, with a role or without.
    pub(super) fn special_texts(&self) -> Vec<Cow<'a, str>> {
        let of_roles =
            self.roles.iter().filter_map(|&(role, name)| match self.special_token(role) {
                Some(token) => token.content,
                None => Some(name.into()),
            });
        self.additional_special_tokens()
            .into_iter()
            .filter_map(|token| token.content)
            .chain(of_roles)
            .collect()
    }

    /// Added tokens and their ids: those of `added_tokens.json`, where the config has
    /// none of its own.
    pub(super) fn old_added_tokens(&self) -> Result<Vec<(&str, u32)>> {
        if self.config.value_or_null("added_tokens_decoder").is_some() {
            return Ok(Vec::new());
        }
        let tokens = self.added_tokens.0.iter().map(|(token, id)| {
            json::id(id).map(|id| (&**token, id)).ok_or_else(|| {
                Error::BadTokenizer(format!("added_tokens.json has no valid id for {token:?}"))
            })
        });
        tokens.collect()
    }

    /// The config's added tokens and their ids.
    pub(super) fn added_tokens(&self) -> Result<Vec<(&'a RawValue, u32)>> {
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

    /// Puts what the config says in the place of what `normalizer` has, as far as it says
    /// anything. A config for no BERT class in particular leaves `tokenizer.json` alone.
    pub(super) fn amend(&self, normalizer: &mut Normalizer) {
        let class: Option<Text<'_>> = self.config.get_as("tokenizer_class");
        if class.is_some_and(|Text(class)| class.starts_with("PreTrainedTokenizer")) {
            return;
        }
        if let Some(lowercase) = self.flag("do_lower_case") {
            normalizer.lowercase = lowercase;
        }
        if let Some(isolates) = self.flag("tokenize_chinese_chars") {
            normalizer.handle_chinese_chars = isolates;
        }
        // Here null is a value: it means to do as `lowercase` does.
        if let Some(strip) = self.config.value_or_null("strip_accents") {
            normalizer.strip_accents = read_as(strip);
        }
    }

    /// A flag of the config, where it says it.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.config.get_as(name)
    }

    /// How many tokens the model takes.
    pub(super) fn model_max_length(&self) -> Option<usize> {
        let length: f64 = self.config.get_as("model_max_length")?;
        (1.0..NO_LIMIT).contains(&length).then_some(length as usize)
    }

    /// `padding_side` or `truncation_side`.
    pub(super) fn side(&self, name: &str) -> Result<Side> {
        let Some(value) = self.config.get(name) else { return Ok(Side::Right) };
        match text(value).as_deref() {
            Some("right") => Ok(Side::Right),
            Some("left") => Ok(Side::Left),
            _ => Err(Error::BadTokenizer(format!(
                "tokenizer_config.json: {name} is {}, not \"left\" or \"right\"",
                describe(value.get())
            ))),
        }
    }
}
