//! The options of an encoding in golden files.

use serde_json::Value;
use webert::tokenizer::{EncodeOptions, Padding, Truncation};

/// Returns the options of a golden, which have the names of Hugging Face's tokenizers.
pub(crate) fn options_of(options: &Value) -> EncodeOptions {
    let number = |name: &str| options[name].as_u64().map(|number| number as usize);
    EncodeOptions {
        add_special_tokens: options["add_special_tokens"].as_bool().unwrap_or(true),
        padding: match &options["padding"] {
            Value::Null | Value::Bool(false) => Padding::None,
            value if value == "max_length" => Padding::MaxLength,
            _ => Padding::Longest,
        },
        truncation: match options["truncation"].as_str() {
            None if options["truncation"] == true => Truncation::LongestFirst,
            None => Truncation::None,
            Some("longest_first") => Truncation::LongestFirst,
            Some("only_first") => Truncation::OnlyFirst,
            Some("only_second") => Truncation::OnlySecond,
            Some("do_not_truncate") => Truncation::None,
            Some(other) => panic!("no truncation {other}"),
        },
        max_length: number("max_length"),
        stride: number("stride").unwrap_or(0),
        pad_to_multiple_of: number("pad_to_multiple_of"),
        return_overflowing_tokens: options["return_overflowing_tokens"] == true,
        ..EncodeOptions::default()
    }
}
