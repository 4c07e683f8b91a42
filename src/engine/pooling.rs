//! Pooling of a sentence-transformers folder, for training embeddings: the losses compare pooled
//! vectors. Files of all releases are read, with the rules of `src/js/embeddings/modules.ts`.

use std::borrow::Cow;

use serde::Deserialize;

use super::Files;
use super::folder::file;
use crate::json::{self, Object, Text};
use crate::{Details, Error, ErrorKind, Result};

/// How token states become one vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pooling {
    /// States that form the vector. The default is their mean.
    pub by: PoolBy,
    /// Largest number of tokens per text, if the folder sets its own limit.
    pub max_tokens: Option<usize>,
}

/// The token states that form a text's vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PoolBy {
    /// Mean of all tokens.
    #[default]
    Mean,
    /// First token.
    Cls,
    /// Last token.
    Last,
}

/// One kind of pooling, or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Modes {
    One(String),
    Several(Vec<String>),
}

impl Pooling {
    /// Reads `modules.json`, the config of its Pooling module, and `sentence_bert_config.json`. A
    /// Normalize module is ignored, because scaling to length 1 changes no cosine.
    ///
    /// # Errors
    /// `BadConfig` for invalid JSON; `Unsupported` for modules and kinds of pooling that cannot be
    /// trained.
    pub(super) fn read(files: &Files) -> Result<Self> {
        let modules: Option<Vec<Object<'_>>> = read(files, "modules.json")?;
        let mut name = "1_Pooling/config.json".to_owned();
        for module in modules.iter().flatten() {
            let kind =
                module.get_as("type").map_or(Cow::Borrowed("without a type"), |Text(kind)| kind);
            let last = kind.rsplit('.').next().unwrap_or_default();
            let is_own = kind.starts_with("sentence_transformers.");
            if !is_own || !["Transformer", "Pooling", "Normalize", "Dropout"].contains(&last) {
                let expected =
                    format_args!("Transformer, Pooling, Normalize and Dropout in training");
                let what = format_args!("expected {expected}, got {kind}");
                let details =
                    Details::new(ErrorKind::Unsupported, "modules.json", format_args!(""), what);
                return Err(details.values(expected, format_args!("{kind}")).error());
            }
            if let ("Pooling", Some(Text(path))) = (last, module.get_as("path")) {
                let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
                name = parts.chain(["config.json"]).collect::<Vec<_>>().join("/");
            }
        }
        let pooling: Option<Object<'_>> = read(files, &name)?;
        let by = pooling.as_ref().map(pool_by).transpose()?.unwrap_or_default();
        let config: Option<Object<'_>> = read(files, "sentence_bert_config.json")?;
        let max_tokens = config.unwrap_or_default().get("max_seq_length").and_then(json::whole);
        Ok(Self { by, max_tokens: max_tokens.map(|tokens| tokens as usize) })
    }
}

/// Returns the kind of pooling. Newer files name it in `pooling_mode`; older files have a boolean
/// field per kind. The default is the mean.
fn pool_by(pooling: &Object<'_>) -> Result<PoolBy> {
    let kinds = match pooling.get_as("pooling_mode") {
        Some(Modes::One(kind)) => vec![kind],
        Some(Modes::Several(kinds)) => kinds,
        None => {
            let fields = pooling.0.iter().filter(|(_, value)| value.get() == "true");
            fields
                .filter_map(|(name, _)| name.strip_prefix("pooling_mode_"))
                .map(str::to_owned)
                .collect()
        }
    };
    match kinds.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["mean" | "mean_tokens"] => Ok(PoolBy::Mean),
        ["cls" | "cls_token"] => Ok(PoolBy::Cls),
        ["lasttoken"] => Ok(PoolBy::Last),
        _ => Err(Error::unexpected(
            ErrorKind::Unsupported,
            format_args!("pooling in training"),
            format_args!("mean, cls or lasttoken"),
            format_args!("{}", kinds.join(", ")),
        )),
    }
}

/// Reads a file. Returns `None` if the folder does not have it.
fn read<'a, T: Deserialize<'a>>(files: &'a Files, name: &str) -> Result<Option<T>> {
    let file = file(files, name).map(|bytes| json::read(name, bytes).map_err(Error::BadConfig));
    file.transpose()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use super::{PoolBy, Pooling};
    use crate::Result;

    fn pooled(config: &str) -> Result<Pooling> {
        Pooling::read(&vec![("1_Pooling/config.json".to_owned(), config.as_bytes().to_vec())])
    }

    #[test]
    fn both_generations_are_read() {
        assert_eq!(Pooling::read(&Vec::new()).unwrap(), Pooling::default());
        let older = r#"{"word_embedding_dimension": 8, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#;
        assert_eq!(pooled(older).unwrap().by, PoolBy::Cls);
        assert_eq!(pooled(r#"{"pooling_mode": "lasttoken"}"#).unwrap().by, PoolBy::Last);
        assert_eq!(pooled(r#"{"pooling_mode": ["mean"]}"#).unwrap().by, PoolBy::Mean);
        assert_eq!(pooled(r#"{"pooling_mode_cls_token": false}"#).unwrap().by, PoolBy::Mean);
    }

    #[test]
    fn the_pooling_lies_where_modules_json_has_it() {
        let modules = br#"[{"type": "sentence_transformers.base.modules.transformer.Transformer", "path": "0_T"},
            {"type": "sentence_transformers.sentence_transformer.modules.pooling.Pooling", "path": "heads/pool/"}]"#;
        let files = vec![
            ("modules.json".to_owned(), modules.to_vec()),
            ("heads/pool/config.json".to_owned(), br#"{"pooling_mode": "cls"}"#.to_vec()),
        ];
        assert_eq!(Pooling::read(&files).unwrap().by, PoolBy::Cls);
    }

    #[test]
    fn what_has_no_gradient_is_refused() {
        for config in [r#"{"pooling_mode": "max"}"#, r#"{"pooling_mode": ["mean", "cls"]}"#] {
            assert_eq!(pooled(config).unwrap_err().code(), "unsupported");
        }
        let dense = br#"[{"type": "sentence_transformers.models.Transformer"}, {"type": "sentence_transformers.models.Dense"}]"#;
        let files = vec![("modules.json".to_owned(), dense.to_vec())];
        assert!(Pooling::read(&files).unwrap_err().to_string().contains("Dense"));
        let custom = br#"[{"type": "custom_st.Transformer", "path": ""}]"#;
        let files = vec![("modules.json".to_owned(), custom.to_vec())];
        assert!(Pooling::read(&files).unwrap_err().to_string().contains("custom_st"));
    }
}
