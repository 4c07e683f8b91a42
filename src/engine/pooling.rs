//! How a sentence-transformers folder pools, as training of embeddings needs it: the losses compare pooled vectors.
//! Both generations of its files are read.

use std::borrow::Cow;

use serde::Deserialize;

use super::Files;
use super::folder::file;
use crate::json::{self, Object, Text};
use crate::{Error, Result};

/// How a folder turns token states into one vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pooling {
    /// Which states make the vector; the mean where the folder does not say.
    pub by: PoolBy,
    /// The most tokens a text may have, where the folder sets a limit of its own.
    pub max_tokens: Option<usize>,
}

/// Which token states make a text's vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PoolBy {
    /// Their mean.
    #[default]
    Mean,
    /// The first token's.
    Cls,
    /// The last token's.
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
    /// From `1_Pooling/config.json`, `modules.json` and `sentence_bert_config.json`. Scaling to length 1 changes no
    /// cosine.
    ///
    /// # Errors
    /// `BadConfig` for files that are no JSON; `Unsupported` for modules and kinds of pooling without a gradient here.
    pub(super) fn read(files: &Files) -> Result<Self> {
        let modules: Option<Vec<Object<'_>>> = read(files, "modules.json")?;
        for module in modules.iter().flatten() {
            let kind =
                module.get_as("type").map_or(Cow::Borrowed("without a type"), |Text(kind)| kind);
            let last = kind.rsplit('.').next().unwrap_or_default();
            if !["Transformer", "Pooling", "Normalize", "Dropout"].contains(&last) {
                return Err(Error::Unsupported(format!(
                    "training through the module {kind} of modules.json"
                )));
            }
        }
        let pooling: Option<Object<'_>> = read(files, "1_Pooling/config.json")?;
        let by = pooling.as_ref().map(pool_by).transpose()?.unwrap_or_default();
        let config: Option<Object<'_>> = read(files, "sentence_bert_config.json")?;
        let max_tokens = config.unwrap_or_default().get("max_seq_length").and_then(json::whole);
        Ok(Self { by, max_tokens: max_tokens.map(|tokens| tokens as usize) })
    }
}

/// The newer files name the kinds in `pooling_mode`, the older ones have a field of true or false for each.
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
        ["mean" | "mean_tokens"] => Ok(PoolBy::Mean),
        ["cls" | "cls_token"] => Ok(PoolBy::Cls),
        ["lasttoken"] => Ok(PoolBy::Last),
        _ => Err(Error::Unsupported(format!(
            "training of embeddings pooled by {}, only by mean, cls or lasttoken",
            kinds.join(", ")
        ))),
    }
}

/// A file, where the folder has it.
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
    }

    #[test]
    fn what_has_no_gradient_is_refused() {
        for config in [r#"{"pooling_mode": "max"}"#, r#"{"pooling_mode": ["mean", "cls"]}"#] {
            assert_eq!(pooled(config).unwrap_err().code(), "unsupported");
        }
        let dense = br#"[{"type": "sentence_transformers.models.Transformer"}, {"type": "sentence_transformers.models.Dense"}]"#;
        let files = vec![("modules.json".to_owned(), dense.to_vec())];
        assert!(Pooling::read(&files).unwrap_err().to_string().contains("Dense"));
    }
}
