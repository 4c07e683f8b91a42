//! `config.json`: any bytes yield a consistent config or an error. A config rewritten for another
//! head differs only in the head.

use webert::config::{Config, HeadKind};
use webert::model::{describe_encoder, describe_new_head};
use webert::train::run::save::{HeadConfig, config_with_head};

use super::check::allowed;

pub fn run(data: &[u8]) -> bool {
    let Some(config) = allowed(Config::parse(data), &["bad_config", "unsupported"]) else {
        return false;
    };
    let sizes = [config.hidden, config.embedding, config.heads, config.vocab, config.positions];
    assert!(sizes.iter().all(|&size| size > 0), "{config:?}");
    assert_eq!(config.hidden % config.heads, 0, "{config:?}");
    assert!(config.first_position() < config.positions, "{config:?}");
    assert_eq!(config.max_tokens() + config.first_position(), config.positions);
    assert_eq!(config.products() == 0, config.layers == 0);
    check_other_head(data, &config);
    if config.layers <= 4 && config.labels.len() <= 64 {
        check_parameters(&config);
    }
    true
}

/// Checks the file rewritten for a head with its own labels.
fn check_other_head(json: &[u8], config: &Config) {
    let labels = ["no", "yes"].map(str::to_owned);
    let kind = HeadKind::SequenceClassification;
    let head = HeadConfig { kind, labels: &labels, problem: None };
    let written = allowed(config_with_head(json, &head), &["bad_config", "unsupported"]);
    let Some(written) = written else { return };
    let mut read = Config::parse(written.as_bytes()).expect("a config that was written is read");
    assert_eq!((read.head, read.labels.as_slice()), (Some(kind), &labels[..]));
    (read.head, read.labels, read.problem) = (config.head, config.labels.clone(), config.problem);
    assert_eq!(read, *config);
}

/// Checks that every parameter has a shape without overflow, and that its tensors divide its rows.
/// A parameter of zeros has no tensor.
fn check_parameters(config: &Config) {
    let encoder = describe_encoder(config);
    let head = describe_new_head(config, config.head.unwrap_or(HeadKind::Bare));
    let leaves = encoder.leaves().into_iter().chain(head.leaves());
    for spec in leaves.map(|leaf| leaf.into_inner()) {
        assert!(spec.rows.checked_mul(spec.cols).is_some(), "{spec:?}");
        assert_eq!(spec.rows % spec.tensors.len().max(1), 0, "{spec:?}");
    }
}
