//! The known fields of `tokenizer_config.json` and related files. `docs/tokenizer-fields.md`
//! describes each of them.

use super::json::lists;
use crate::json::Object;

/// Fields of `tokenizer_config.json` that change an answer or are rejected.
const READ: &str = "add_prefix_space added_tokens_decoder additional_special_tokens auto_map bos_token \
    clean_up_tokenization_spaces cls_token \
    do_lower_case eos_token extra_special_tokens keep_accents mask_token max_len model_input_names model_max_length \
    model_specific_special_tokens pad_token padding_side sep_token split_special_tokens strip_accents \
    subword_tokenizer_type token_types tokenize_chinese_chars tokenizer_class tokenizer_file trim_offsets truncation_side unk_token \
    word_tokenizer_type";

/// Fields of `tokenizer_config.json` that users may rely on, but that have no effect here or in
/// transformers.
const REPORTED: &str = "add_bos_token add_eos_token max_length normalization pad_to_multiple_of pad_token_type_id stride \
    truncation_strategy";

/// Fields of `tokenizer_config.json` without an effect here or in transformers.
const NO_EFFECT: &str = "_commit_hash backend clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output chat_control_tokens chat_template clean_text \
    do_basic_tokenize do_lowercase_and_remove_accent errors files_loaded from_slow id2lang init_inputs is_local lang2id \
    legacy local_files_only merges_file name_or_path never_split processor_class remove_space response_schema response_template sp_model_kwargs \
    special_tokens_map_file use_fast verbose vocab_file wordpieces_prefix";

/// Fields of a `tokenizer.json`.
const FILE: &str =
    "added_tokens decoder model normalizer padding post_processor pre_tokenizer truncation version";

/// Fields of `special_tokens_map.json` other than roles.
const MAP: &str = "additional_special_tokens extra_special_tokens";

/// Adds a warning for each unknown field. Every field `…_token` is a special token.
fn unknown(file: &str, fields: &Object<'_>, known: &[&str], warnings: &mut Vec<String>) {
    for (name, value) in &fields.0 {
        let is_off = ["null", "false", "0"].contains(&value.get());
        if known.iter().any(|names| lists(names, name)) || name.ends_with("_token") {
            continue;
        }
        if lists(REPORTED, name) {
            if !is_off {
                warnings.push(format!("{file}: field \"{name}\" has no effect"));
            }
        } else {
            warnings.push(format!("{file}: field \"{name}\" is unknown and has no effect"));
        }
    }
}

/// Adds a warning for each unknown field of the small files. `is_tweet` states whether the class is
/// BERTweet's, which reads `normalization`.
pub(in crate::tokenizer) fn of_settings(
    config: &Object<'_>,
    map: &Object<'_>,
    is_tweet: bool,
    warnings: &mut Vec<String>,
) {
    let own = if is_tweet { "normalization" } else { "" };
    unknown("tokenizer_config.json", config, &[READ, NO_EFFECT, own], warnings);
    unknown("special_tokens_map.json", map, &[MAP], warnings);
}

/// Adds a warning for each unknown field of a `tokenizer.json`.
pub(in crate::tokenizer) fn of_file(file: &Object<'_>, warnings: &mut Vec<String>) {
    unknown("tokenizer.json", file, &[FILE], warnings);
}
