//! `tokenizer_config.json` and the small files around it.

use super::{Files, Side, json, normalize::Normalizer};
use crate::json::Value;
use crate::{Error, Result};

/// From here on a `model_max_length` says that there is none: Hugging Face writes 1e30.
const NO_LIMIT: f64 = 1e20;

/// The roles of special tokens, and what BERT calls them.
pub(super) const ROLES: [(&str, &str); 5] = [
    ("unk_token", "[UNK]"),
    ("sep_token", "[SEP]"),
    ("pad_token", "[PAD]"),
    ("cls_token", "[CLS]"),
    ("mask_token", "[MASK]"),
];

/// What a checkpoint says besides its vocabulary; all of it may be absent.
#[derive(Debug)]
pub(super) struct Settings<'a> {
    config: Value<'a>,
    special_tokens_map: Value<'a>,
    /// Token to id.
    added_tokens: Value<'a>,
}

impl<'a> Settings<'a> {
    pub(super) fn read(files: &Files<'a>) -> Result<Self> {
        let read = |name, bytes: Option<&'a [u8]>| match bytes {
            Some(bytes) => json::parse(name, bytes),
            None => Ok(Value::Null),
        };
        Ok(Self {
            config: read("tokenizer_config.json", files.tokenizer_config)?,
            special_tokens_map: read("special_tokens_map.json", files.special_tokens_map)?,
            added_tokens: read("added_tokens.json", files.added_tokens)?,
        })
    }

    /// A special token by its role (`cls_token`), as a string or as an object with its flags.
    ///
    /// Where the config has no `added_tokens_decoder` it is an old one, to which
    /// `special_tokens_map.json` is the amendment.
    pub(super) fn special_token(&self, role: &str) -> Option<&Value<'a>> {
        let (config, map) = (self.config.get(role), self.special_tokens_map.get(role));
        let is_old = self.config.get("added_tokens_decoder").is_none();
        let token = if is_old { map.or(config) } else { config.or(map) };
        token.filter(|token| !token.is_null())
    }

    /// Further special tokens without a role.
    pub(super) fn additional_special_tokens(&self) -> &[Value<'a>] {
        let tokens = self.special_token("additional_special_tokens").and_then(Value::as_array);
        tokens.unwrap_or_default()
    }

    /// The texts of special tokens, with a role or without.
    pub(super) fn special_texts(&self) -> impl Iterator<Item = &str> {
        let of_roles = ROLES.iter().filter_map(|&(role, name)| match self.special_token(role) {
            Some(token) => json::content(token),
            None => Some(name),
        });
        self.additional_special_tokens().iter().filter_map(json::content).chain(of_roles)
    }

    /// Added tokens and their ids: those of `added_tokens.json`, where the config has
    /// none of its own.
    pub(super) fn old_added_tokens(&self) -> Result<Vec<(&str, u32)>> {
        if self.config.get("added_tokens_decoder").is_some() {
            return Ok(Vec::new());
        }
        let tokens = self.added_tokens.entries().iter().map(|(token, id)| {
            json::id(id).map(|id| (&**token, id)).ok_or_else(|| {
                Error::BadTokenizer(format!("added_tokens.json has no valid id for {token:?}"))
            })
        });
        tokens.collect()
    }

    /// The config's added tokens, as objects with their flags, and their ids.
    pub(super) fn added_tokens(&self) -> Result<Vec<(&Value<'a>, u32)>> {
        let tokens = self.config.get("added_tokens_decoder").map(Value::entries);
        let tokens = tokens.unwrap_or_default().iter().map(|(id, token)| {
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
        let class = self.config.get("tokenizer_class").and_then(Value::as_text).unwrap_or_default();
        if class.starts_with("PreTrainedTokenizer") {
            return;
        }
        let flag = |name| self.config.get(name).and_then(Value::as_bool);
        if let Some(lowercase) = flag("do_lower_case") {
            normalizer.lowercase = lowercase;
        }
        if let Some(isolates) = flag("tokenize_chinese_chars") {
            normalizer.handle_chinese_chars = isolates;
        }
        // Here null is a value: it means to do as `lowercase` does.
        if let Some(strip) = self.config.get("strip_accents") {
            normalizer.strip_accents = strip.as_bool();
        }
    }

    /// How many tokens the model takes.
    pub(super) fn model_max_length(&self) -> Option<usize> {
        let length = self.config.get("model_max_length")?.as_number()?;
        (1.0..NO_LIMIT).contains(&length).then_some(length as usize)
    }

    /// `padding_side` or `truncation_side`.
    pub(super) fn side(&self, name: &str) -> Result<Side> {
        let side = self.config.get(name).filter(|side| !side.is_null());
        match side.map(|side| (side, side.as_text())) {
            None | Some((_, Some("right"))) => Ok(Side::Right),
            Some((_, Some("left"))) => Ok(Side::Left),
            Some((side, _)) => Err(Error::BadTokenizer(format!(
                "tokenizer_config.json: {name} is {}, not \"left\" or \"right\"",
                side.describe()
            ))),
        }
    }
}
