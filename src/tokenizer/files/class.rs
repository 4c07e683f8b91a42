//! The class of a tokenizer. `tokenizer_class` takes precedence over the names of the files.

use super::json::lists;
use crate::json::{Object, Text, read_as, text};
use crate::tokenizer::Files;
use crate::{Error, Result};

/// The algorithm for a text, chosen as in transformers' `AutoTokenizer`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tokenizer) enum Class {
    /// No file names a class or a `model_type`. The names of the files decide.
    Any,
    /// A `tokenizer.json` without changes. `types` states whether a call returns token types.
    File {
        /// False for a class that only transformers 5 knows.
        types: bool,
    },
    /// BERT's WordPiece. The class settings override the parts of a `tokenizer.json`.
    Bert,
    /// The same as `Bert`, but the model has no token types.
    DistilBert,
    /// A `tokenizer.json` without changes except for BERT's special tokens. The class is a subclass
    /// without its own settings.
    ConvBert,
    /// WordPiece with RoBERTa's special tokens.
    MPNet,
    /// Byte-level BPE.
    Roberta,
    /// Unigram.
    XlmRoberta,
    /// Unigram.
    Albert,
    /// Unigram.
    Camembert,
    /// BPE over BERT's words. The last symbol of a word ends with `</w>`.
    Herbert,
    /// BPE of fastBPE, after a normalizer for tweets.
    Bertweet,
    /// BPE of fastBPE.
    Phobert,
    /// Byte-level BPE with BERT's special tokens.
    Deberta,
    /// Unigram with BERT's special tokens.
    DebertaV2,
    /// Tokens of a `vocab.txt`, each of which is cut out of the text like a special token.
    Esm,
}

/// Names without the suffixes `Tokenizer` and `Fast`.
const BERT: &str = "Bert Electra ConvBert MobileBert SqueezeBert LayoutLM Lxmert";
/// Classes that equal `RobertaTokenizer`.
const ROBERTA: &str = "Roberta Longformer Bart LED";
/// If false, the build has BERT's tokenizers only and refuses other classes by name.
const HAS_ALL: bool = cfg!(feature = "tokenizers");

/// Classes with Python code. They never read a `tokenizer.json`, so its contents do not match the
/// class.
const PYTHON: &str = "Bartpho BertGeneration BertJapanese BertLegacy BioGpt BlenderbotSmall ByT5 CTRL Canine Clvp \
    CpmAnt Cpm Dia FSMT FastSpeech2Conformer Flaubert GPTNeoXJapanese GPTSw3 M2M100 Marian Mgpstr MyT5 PLBart \
    Perceiver ProphetNet RoCBert Siglip Speech2Text SpeechT5 Tapas Vits Wav2Vec2CTC Wav2Vec2PhonemeCTC XLM";
/// The class that reads a `tokenizer.json` without changes.
const FILE: &str = "TokenizersBackend";

/// Model types and their classes. `FILE` takes precedence over the class that a file names.
const BY_MODEL: [(&str, &str); 11] = [
    ("modernbert modernbert-decoder xlm-roberta-xl nystromformer", FILE),
    ("roberta roberta-prelayernorm data2vec-text longformer ibert bart", "Roberta"),
    ("xlm-roberta xmod jina_embeddings_v3 gte", "XLMRoberta"),
    ("albert", "Albert"),
    ("deberta", "Deberta"),
    ("deberta-v2", "DebertaV2"),
    ("mpnet", "MPNet"),
    ("camembert", "Camembert"),
    ("herbert", "Herbert"),
    ("esm", "Esm"),
    (
        "bert distilbert electra convbert mobilebert squeezebert layoutlm lxmert ernie megatron-bert nomic_bert",
        "Bert",
    ),
];

/// Returns a name without the suffixes of tokenizer classes.
fn short(name: &str) -> &str {
    let name = name.strip_suffix("Fast").unwrap_or(name);
    name.strip_suffix("Tokenizer").unwrap_or(name)
}

fn string(object: &Object<'_>, name: &str) -> Option<String> {
    object.get_as(name).map(|Text(text)| text.into_owned()).filter(|text| !text.is_empty())
}

impl Class {
    /// Reads the class from `tokenizer_config.json`, else from `config.json`, else the default for
    /// its `model_type`.
    ///
    /// # Errors
    /// `Unsupported` with the name of an unsupported class.
    pub(in crate::tokenizer) fn read(
        files: &Files<'_>,
        config: &Object<'_>,
        model: &Object<'_>,
    ) -> Result<Self> {
        let has_json = files.tokenizer_json.is_some();
        let model_type = string(model, "model_type");
        let default = model_type.as_deref().map(default_class);
        let own = [("tokenizer_config", config), ("config", model)]
            .into_iter()
            .find_map(|(file, object)| Some((file, string(object, "tokenizer_class")?)));
        let code = custom_code(config).filter(|_| !has_json);
        let class = match (&own, default) {
            (Some((_, name)), _) if HAS_ALL && lists(PYTHON, short(name)) => None,
            (own, Some(FILE)) if has_json => {
                let types = own.as_ref().is_none_or(|(_, name)| short(name) == "PreTrained");
                Some(Self::File { types })
            }
            (Some((_, name)), _) => Self::named(short(name), has_json),
            (None, _) if code.is_some() => None,
            (None, Some(name)) => Self::named(name, has_json),
            (None, None) => Some(Self::Any),
        };
        let takes_types =
            default.is_none_or(|name| ["", "Bert", "Deberta", "DebertaV2", FILE].contains(&name));
        let Some(class) = class else {
            let named = own.map(|(file, name)| format!("{file}.json: tokenizer_class {name}"));
            let what = match (named, code) {
                (Some(named), _) => named,
                (None, Some(code)) => format!("tokenizer_config.json: {code} of auto_map"),
                (None, None) => {
                    let kind = model_type.unwrap_or_default();
                    format!("config.json: the tokenizer of model_type \"{kind}\"")
                }
            };
            return Err(unsupported(&what, has_json));
        };
        for name in ["word_tokenizer_type", "subword_tokenizer_type"] {
            if HAS_ALL && config.get(name).is_some() {
                let what = format!("tokenizer_config.json: {name} of BertJapaneseTokenizer");
                return Err(unsupported(&what, true));
            }
        }
        Ok(match class {
            Self::File { types } => Self::File { types: types && takes_types },
            other => other,
        })
    }

    /// Returns the class for a name without suffixes.
    fn named(name: &str, has_json: bool) -> Option<Self> {
        Some(match name {
            "DistilBert" => Self::DistilBert,
            "Bert" | "Electra" => Self::Bert,
            "" | "PreTrained" | FILE if has_json => Self::File { types: name != FILE },
            _ if !HAS_ALL => return None,
            "MPNet" => Self::MPNet,
            "XLMRoberta" => Self::XlmRoberta,
            "Albert" => Self::Albert,
            "Camembert" => Self::Camembert,
            "Herbert" => Self::Herbert,
            "Bertweet" => Self::Bertweet,
            "Phobert" => Self::Phobert,
            "Deberta" if !has_json => Self::Deberta,
            "DebertaV2" if !has_json => Self::DebertaV2,
            "ConvBert" if has_json => Self::ConvBert,
            "Esm" if !has_json => Self::Esm,
            _ if lists(BERT, name) => Self::Bert,
            _ if lists(ROBERTA, name) => Self::Roberta,
            _ if lists(PYTHON, name) => return None,
            _ if has_json => Self::File { types: matches!(name, "Deberta" | "DebertaV2") },
            _ => return None,
        })
    }

    /// Returns the files that the class reads without a `tokenizer.json`.
    #[cfg(feature = "tokenizers")]
    pub(in crate::tokenizer) fn files(self) -> &'static str {
        match self {
            Self::Roberta | Self::Herbert | Self::Deberta => "vocab.json with merges.txt",
            Self::XlmRoberta | Self::Camembert => "sentencepiece.bpe.model",
            Self::Bertweet | Self::Phobert => "vocab.txt with bpe.codes",
            Self::DebertaV2 => "spm.model",
            Self::Albert => "spiece.model",
            _ => "vocab.txt",
        }
    }

    /// Returns whether a `tokenizer.json` is read without changes.
    pub(in crate::tokenizer) fn is_file(self) -> bool {
        matches!(self, Self::File { .. })
    }

    /// Returns whether this is one of `classes` that need a build with all tokenizers.
    pub(in crate::tokenizer) fn is_one_of(self, classes: &[Self]) -> bool {
        HAS_ALL && classes.contains(&self)
    }

    /// Returns whether the class is Python code, which never reads a `tokenizer.json`.
    pub(in crate::tokenizer) fn is_python(self) -> bool {
        HAS_ALL && matches!(self, Self::Bertweet | Self::Phobert)
    }

    /// Returns whether a call returns token types by default. `model_input_names` can override
    /// this.
    pub(in crate::tokenizer) fn has_types(self) -> bool {
        match self {
            Self::Any | Self::Bert | Self::ConvBert | Self::Albert | Self::Herbert => true,
            Self::Deberta | Self::DebertaV2 => true,
            Self::File { types } => types,
            _ => false,
        }
    }

    /// Returns whether the class is WordPiece.
    pub(in crate::tokenizer) fn is_word_piece(self) -> bool {
        matches!(self, Self::Bert | Self::DistilBert | Self::MPNet)
    }
}

/// Returns the default class for a `model_type`. Empty if the type has no supported class.
fn default_class(model_type: &str) -> &'static str {
    if !HAS_ALL {
        let is_bert = ["bert", "distilbert", "electra"].contains(&model_type);
        return if is_bert { "Bert" } else { "of another family" };
    }
    let found = BY_MODEL.iter().find(|(kinds, _)| lists(kinds, model_type));
    found.map_or("", |&(_, class)| class)
}

/// Returns the class in `auto_map.AutoTokenizer`. The value is a name, or a list with the names of
/// the slow and the fast class.
fn custom_code(config: &Object<'_>) -> Option<String> {
    let map = config.get("auto_map")?;
    let class = match read_as::<Object<'_>>(map) {
        Some(map) => map.get("AutoTokenizer")?,
        None => map,
    };
    let names: Vec<Option<Text<'_>>> = read_as(class).unwrap_or_default();
    let name = text(class).or_else(|| names.into_iter().flatten().next().map(|Text(name)| name));
    Some(name.unwrap_or_default().into_owned())
}

#[cfg(not(feature = "tokenizers"))]
fn unsupported(what: &str, _has_json: bool) -> Error {
    crate::tokenizer::pipeline::lacking(what)
}

#[cfg(feature = "tokenizers")]
fn unsupported(what: &str, has_json: bool) -> Error {
    let way_out = match has_json {
        false => {
            "Save the tokenizer with a tokenizer.json: save_pretrained of transformers 5 writes one for most classes."
        }
        true => "Its text is cut by Python code: tokenize elsewhere and pass ids to the model.",
    };
    crate::error::fault!(Unsupported, "{what} is not supported. {way_out}", item = "{what}")
}
