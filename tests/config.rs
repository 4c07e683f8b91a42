//! `config.json`, field by field: the rules of each family, the defaults, and both sides of every
//! limit.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;
use webert::config::{Config, Family, HeadKind, Problem};
use webert::{Details, ErrorKind, Result};

/// Parses the config of a small model of this family, with these fields replaced.
fn parse(family: &str, fields: Value) -> Result<Config> {
    let mut config = json!({
        "model_type": family, "hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 2,
        "intermediate_size": 16, "vocab_size": 9, "max_position_embeddings": 20,
    });
    for (name, value) in fields.as_object().unwrap() {
        config[name] = value.clone();
    }
    Config::parse(&serde_json::to_vec(&config).unwrap())
}

fn read(family: &str, fields: Value) -> Config {
    parse(family, fields).unwrap()
}

/// Checks an error's code, and that its text contains every one of `words`.
#[track_caller]
fn refused(result: Result<Config>, code: &str, words: &[&str]) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "\"{error}\" does not name {word}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn a_model_type_is_a_family() {
    let families = [
        ("bert", Family::Bert),
        ("distilbert", Family::DistilBert),
        ("electra", Family::Electra),
        ("roberta", Family::Roberta),
        ("albert", Family::Albert),
    ];
    for (name, family) in families {
        let config = read(name, json!({}));
        assert_eq!((config.family, family.model_type()), (family, name));
    }
    let unnamed = json!({ "model_type": null });
    assert_eq!(read("", unnamed).family, Family::Bert);
}

#[wasm_bindgen_test(unsupported = test)]
fn distilbert_has_names_of_its_own_no_token_types_and_one_epsilon() {
    let json = json!({
        "model_type": "distilbert", "dim": 8, "n_layers": 3, "n_heads": 2, "hidden_dim": 16, "vocab_size": 9,
        "max_position_embeddings": 20, "activation": "relu", "type_vocab_size": 2, "layer_norm_eps": 0.5,
    });
    let config = Config::parse(&serde_json::to_vec(&json).unwrap()).unwrap();
    assert_eq!([config.hidden, config.embedding, config.layers], [8, 8, 3]);
    assert_eq!([config.heads, config.intermediate, config.types], [2, 16, 0]);
    assert_eq!(config.norm_eps, 1e-12);
    let bert = read("bert", json!({ "layer_norm_eps": 0.5 }));
    assert_eq!((bert.types, bert.norm_eps), (2, 0.5));
}

#[wasm_bindgen_test(unsupported = test)]
fn electra_and_albert_have_narrow_embeddings() {
    for (family, narrow) in [
        ("bert", false),
        ("distilbert", false),
        ("roberta", false),
        ("electra", true),
        ("albert", true),
    ] {
        let width = |fields| read(family, fields).embedding;
        assert_eq!(width(json!({})), if narrow { 128 } else { 8 }, "{family}");
        assert_eq!(width(json!({ "embedding_size": 5 })), if narrow { 5 } else { 8 }, "{family}");
    }
}

#[wasm_bindgen_test(unsupported = test)]
fn positions_start_behind_robertas_padding() {
    let limits = |family, fields| {
        let config = read(family, fields);
        (config.pad_id, config.first_position(), config.max_tokens())
    };
    assert_eq!(limits("bert", json!({})), (0, 0, 20));
    assert_eq!(limits("bert", json!({ "pad_token_id": 3 })), (3, 0, 20));
    assert_eq!(limits("roberta", json!({})), (1, 2, 18));
    assert_eq!(limits("roberta", json!({ "pad_token_id": 5 })), (5, 6, 14));
    assert_eq!(limits("roberta", json!({ "pad_token_id": 18 })), (18, 19, 1));
    let none = parse("roberta", json!({ "pad_token_id": 19 }));
    refused(none, "bad_config", &["max_position_embeddings 20", "pad_token_id 19"]);
    let large = parse("bert", json!({ "pad_token_id": 1_u64 << 32 }));
    refused(large, "bad_config", &["pad_token_id", "4294967296"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn products_match_the_layers_matrices() {
    // the four square matrices and the two of the feed-forward
    assert_eq!(read("bert", json!({})).products(), 3 * (4 * 8 * 8 + 2 * 16 * 8));
    let base = json!({
        "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
    });
    assert_eq!(read("bert", base).products(), 84_934_656);
}

#[wasm_bindgen_test(unsupported = test)]
fn sizes_have_limits() {
    let most = 1_u64 << 24;
    for name in ["intermediate_size", "vocab_size", "max_position_embeddings"] {
        let with = |size: u64| parse("bert", json!({ name: size }));
        assert!(with(1).is_ok() && with(most).is_ok(), "{name}");
        refused(with(0), "bad_config", &[name, "is 0", "16777216"]);
        refused(with(most + 1), "bad_config", &[name, "16777217"]);
    }
    let with = |name: &str, size: u64| parse("electra", json!({ name: size }));
    refused(with("embedding_size", 0), "bad_config", &["embedding_size", "is 0"]);
    refused(with("hidden_size", 9), "bad_config", &["hidden_size 9", "num_attention_heads 2"]);
    assert!(with("num_hidden_layers", 1024).is_ok() && with("type_vocab_size", 65536).is_ok());
    refused(with("num_hidden_layers", 1025), "bad_config", &["1024 layers"]);
    refused(with("type_vocab_size", 65537), "bad_config", &["65536 token types"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn an_error_has_the_parts_of_its_text_as_fields() {
    let error = parse("bert", json!({ "hidden_size": 0 })).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadConfig);
    assert_eq!(error.to_string(), "config.json: hidden_size is 0, expected 1 to 16777216");
    let parts = error.details().map(Details::parts).unwrap();
    assert_eq!(*parts, ["config.json", "hidden_size", "1 to 16777216", "0"]);
    let error = parse("bert", json!({ "hidden_size": "8" })).unwrap_err();
    assert_eq!(error.details().unwrap().found(), Some("\"8\""));
}

#[wasm_bindgen_test(unsupported = test)]
fn labels_are_named_or_numbered() {
    let labels = |fields| read("bert", fields).labels;
    assert_eq!(labels(json!({})), ["LABEL_0", "LABEL_1"]);
    assert_eq!(labels(json!({ "num_labels": 1 })), ["LABEL_0"]);
    let named = json!({ "num_labels": 7, "id2label": { "1": "b", "0": "a" } });
    assert_eq!(labels(named), ["a", "b"]);
    // transformers creates as many scores as the map has entries.
    let hole = json!({ "id2label": { "0": "a", "2": "c" } });
    assert_eq!(labels(hole), ["a", "LABEL_1"]);
    let most = 1_u64 << 20;
    assert_eq!(labels(json!({ "num_labels": most })).len() as u64, most);
    let more = parse("bert", json!({ "num_labels": most + 1 }));
    refused(more, "bad_config", &["1048577 labels"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn heads_problems_and_ties_are_as_the_file_says() {
    let config = read("bert", json!({}));
    assert_eq!((config.head, config.problem, config.tied), (None, None, true));
    assert!(!read("bert", json!({ "tie_word_embeddings": false })).tied);
    let head = |name: &str| read("bert", json!({ "architectures": [name] })).head;
    assert_eq!(head("BertModel"), Some(HeadKind::Bare));
    assert_eq!(head("BertForMaskedLM"), Some(HeadKind::MaskedLm));
    assert_eq!(head("BertForPreTraining"), Some(HeadKind::PreTraining));
    assert_eq!(head("ElectraForPreTraining"), Some(HeadKind::ReplacedToken));
    assert_eq!(head("BertFor"), None);
    for kind in [HeadKind::Bare, HeadKind::MaskedLm, HeadKind::PreTraining, HeadKind::ReplacedToken]
    {
        assert_eq!(HeadKind::with_id(kind.id()), Some(kind));
    }
    assert_eq!(HeadKind::with_id("head"), None);
    let problem = |name: &str| parse("bert", json!({ "problem_type": name }));
    let known = [
        ("regression", Problem::Regression),
        ("single_label_classification", Problem::SingleLabel),
        ("multi_label_classification", Problem::MultiLabel),
    ];
    for (name, expected) in known {
        assert_eq!(problem(name).unwrap().problem, Some(expected));
    }
    refused(problem("other"), "bad_config", &["problem_type", "other"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn what_is_not_computed_is_unsupported() {
    let with = |fields| parse("albert", fields);
    refused(with(json!({ "is_decoder": true })), "unsupported", &["is_decoder"]);
    refused(with(json!({ "inner_group_num": 2 })), "unsupported", &["group"]);
    let ordinary = json!({ "is_decoder": false, "num_hidden_groups": 1, "inner_group_num": 1 });
    assert!(with(ordinary).is_ok());
}

#[wasm_bindgen_test(unsupported = test)]
fn albert_has_from_one_layer_of_its_own_to_all() {
    let with = |groups: u64| parse("albert", json!({ "num_hidden_groups": groups }));
    assert_eq!(with(1).unwrap().own_layers, 1);
    assert_eq!(with(3).unwrap().own_layers, 3);
    refused(with(0), "bad_config", &["num_hidden_groups is 0", "1 to the 3 layers"]);
    refused(with(4), "bad_config", &["num_hidden_groups is 4", "1 to the 3 layers"]);
}

#[wasm_bindgen_test(unsupported = test)]
fn a_cross_encoders_function_is_where_either_version_writes_it() {
    let function = |fields| read("bert", fields).score_function;
    let name = "torch.nn.modules.linear.Identity";
    let newer = json!({ "sentence_transformers": { "activation_fn": name } });
    assert_eq!(function(newer).as_deref(), Some(name));
    let older = json!({ "sbert_ce_default_activation_function": name });
    assert_eq!(function(older).as_deref(), Some(name));
    assert_eq!(function(json!({})), None);
}

#[cfg(feature = "train")]
#[wasm_bindgen_test(unsupported = test)]
fn new_weights_are_as_wide_as_the_file_says() {
    let with = |range: f64| parse("bert", json!({ "initializer_range": range }));
    assert_eq!(read("bert", json!({})).initializer_range, 0.02);
    for range in [0.0, 0.5, 999.0] {
        assert_eq!(with(range).unwrap().initializer_range, range);
    }
    refused(with(-0.5), "bad_config", &["initializer_range is -0.5"]);
    refused(with(1000.0), "bad_config", &["initializer_range is 1000"]);
}

#[cfg(feature = "families")]
#[wasm_bindgen_test(unsupported = test)]
fn modernbert_turns_pairs_of_columns_by_two_thetas() {
    let thetas = |fields| {
        let rotary = read("modernbert", fields).structure().rotary.unwrap();
        (rotary.global_theta, rotary.local_theta)
    };
    assert_eq!(thetas(json!({})), (160_000.0, 10_000.0));
    assert_eq!(thetas(json!({ "local_rope_theta": 500.0 })), (160_000.0, 500.0));
    let same = json!({ "global_rope_theta": 8000.0, "local_rope_theta": null });
    assert_eq!(thetas(same), (8000.0, 8000.0));
    let odd = parse("modernbert", json!({ "hidden_size": 6 }));
    refused(odd, "bad_config", &["a head has 3 columns"]);
}

#[cfg(feature = "families")]
#[wasm_bindgen_test(unsupported = test)]
fn debertas_fields_are_read_as_their_class_reads_them() {
    let v3 = json!({ "relative_attention": true, "pos_att_type": "P2C | c2p", "share_att_key": true,
        "norm_rel_ebd": "layer_norm", "position_buckets": 8, "max_relative_positions": -1,
        "position_biased_input": false });
    let config = read("deberta-v2", v3.clone());
    let of = config.structure().disentangled.unwrap();
    assert!(of.content_to_position && of.position_to_content && of.shares_projections && of.norm);
    assert_eq!((of.factor, of.distances.span, of.distances.furthest), (3, 8, 20));
    assert_eq!((config.types, config.norm_eps, config.structure().has_positions), (0, 1e-7, false));
    // the first version has no buckets and counts types of scores that it does not know
    let v1 = json!({ "relative_attention": true, "pos_att_type": ["c2p", "p2p"],
        "position_buckets": 8, "max_relative_positions": 6 });
    let of = read("deberta", v1).structure().disentangled.unwrap();
    assert_eq!((of.factor, of.distances.span, of.distances.buckets), (3, 6, 0));
    assert!(of.content_to_position && !of.position_to_content && of.by_heads);
    let with = |name: &str, value: Value| {
        let mut fields = v3.clone();
        fields[name] = value;
        parse("deberta-v2", fields)
    };
    refused(with("position_buckets", json!(3)), "bad_config", &["position_buckets is 3"]);
    refused(with("position_buckets", json!(40)), "bad_config", &["position_buckets is 40"]);
    refused(with("attention_head_size", json!(3)), "unsupported", &["attention_head_size is 3"]);
    refused(with("pooler_hidden_size", json!(3)), "unsupported", &["pooler_hidden_size is 3"]);
    refused(with("pooler_hidden_act", json!("prelu")), "unsupported", &["prelu"]);
    refused(with("conv_kernel_size", json!(4)), "bad_config", &["conv_kernel_size is 4"]);
    refused(with("talking_head", json!(true)), "unsupported", &["talking_head"]);
}
