//! The tokenizer of ESM's protein models, as a `tokenizer.json`.

use crate::error::fault;
use serde_json::{Value, json};

use crate::Result;

/// The tokens of `EsmTokenizer` that decoding may leave out.
const SPECIAL: [&str; 5] = ["<cls>", "<pad>", "<eos>", "<unk>", "<mask>"];

/// Returns the `tokenizer.json` of `EsmTokenizer` with the tokens of this `vocab.txt`, one per line.
/// Each token is cut out of the text; what remains is split at whitespace and is unknown.
///
/// # Errors
/// `BadTokenizer` if the file is not UTF-8 or has no `<cls>`, `<eos>` or `<unk>`.
pub(super) fn tokenizer_json(vocab: &[u8]) -> Result<Vec<u8>> {
    let not_utf8 = |_| {
        fault!(BadTokenizer, "vocab.txt: expected UTF-8", file = "vocab.txt", expected = "UTF-8",)
    };
    let text = std::str::from_utf8(vocab).map_err(not_utf8)?;
    let tokens: Vec<&str> = text.lines().map(str::trim).collect();
    let id = |token: &str| {
        let missing = || {
            fault!(
                BadTokenizer,
                "vocab.txt: expected the token {token}, found none",
                file = "vocab.txt",
                expected = "the token {token}",
                found = "none",
            )
        };
        tokens.iter().position(|other| *other == token).ok_or_else(missing)
    };
    let (cls, eos) = (id("<cls>")?, id("<eos>")?);
    id("<unk>")?;
    let added =
        tokens.iter().enumerate().filter(|(_, token)| !token.is_empty()).map(|(id, token)| {
            json!({
                "id": id, "content": token, "special": SPECIAL.contains(token),
                "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
            })
        });
    let added: Vec<Value> = added.collect();
    let vocab: serde_json::Map<String, Value> =
        tokens.iter().enumerate().map(|(id, token)| ((*token).to_owned(), json!(id))).collect();
    let special = |id: &str| json!({"SpecialToken": {"id": id, "type_id": 0}});
    let sequence = |id: &str| json!({"Sequence": {"id": id, "type_id": 0}});
    let entry = |token: &str, id: usize| json!({"id": token, "ids": [id], "tokens": [token]});
    let (start, end) = (special("<cls>"), special("<eos>"));
    let json = json!({
        "version": "1.0",
        "truncation": null,
        "padding": null,
        "added_tokens": added,
        "normalizer": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [start, sequence("A"), end],
            "pair": [start, sequence("A"), end, sequence("B"), end],
            "special_tokens": {"<cls>": entry("<cls>", cls), "<eos>": entry("<eos>", eos)},
        },
        "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "<unk>"},
    });
    Ok(json.to_string().into_bytes())
}
