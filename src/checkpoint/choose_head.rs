//! Chooses the head of a checkpoint to load.

use crate::config::{Config, HeadKind};
use crate::model::{available_heads, output_layer};
use crate::{Details, ErrorKind, Result};

/// Returns the head to load: the requested one, else the one named by config.json, else the best
/// one in the file.
pub(super) fn choose_head(
    config: &Config,
    asked: Option<HeadKind>,
    names: &dyn Fn(&str) -> bool,
) -> Result<HeadKind> {
    let mut available = available_heads(config, names);
    // several heads can use a "classifier"; if the config names one of them, the others do not
    // apply
    let shared = |head: HeadKind| output_layer(config.family, head) == "classifier";
    if let Some(named) = config.head.filter(|&named| shared(named)) {
        available.retain(|&head| head == named || !shared(head));
    }
    // the encoder alone is always available; transformers also falls back to it
    let head =
        asked.or(config.head).or_else(|| available.first().copied()).unwrap_or(HeadKind::Bare);
    if head == HeadKind::Bare || available.contains(&head) {
        return Ok(head);
    }
    let list: Vec<_> = available.iter().map(|head| head.name()).collect();
    let list = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    let custom_code = if config.has_custom_code {
        ". config.json has custom code (auto_map), which is not run"
    } else {
        ""
    };
    let name = head.name();
    let what = format_args!(
        "the checkpoint has no head for {name}; the heads in its file: {list}{custom_code}"
    );
    let details = Details::new(ErrorKind::Unsupported, "", format_args!(""), what);
    Err(details.values(format_args!("{name}"), format_args!("{list}")).error())
}
