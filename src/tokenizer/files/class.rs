//! The class of a tokenizer: `tokenizer_class` decides how a text is cut before any name of a file does.

use crate::json::{Object, Text, read_as, text};
use crate::tokenizer::Files;
use crate::{Error, Result};

/// What cuts a text, as transformers' `AutoTokenizer` chooses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tokenizer) enum Class {
    /// No file names a class or a `model_type`: the names of the files decide.
    Any,
    /// A `tokenizer.json` as it stands. `types`: a call returns token types.
    File {
        /// A class that only transformers 5 knows leaves them out.
        types: bool,
    },
    /// BERT's WordPiece. Settings of the class go before the parts of a `tokenizer.json`.
    Bert,
    /// As `Bert`, and the model takes no token types.
    DistilBert,
    /// A `tokenizer.json` as it stands, but for BERT's special tokens: a subclass without settings of its own.
    ConvBert,
    /// WordPiece with RoBERTa's special tokens.
    MPNet,
    /// Byte-level BPE.
    Roberta,
    /// Unigram.
    XlmRoberta,
    /// Unigram.
    Albert,
}

/// Names without `Tokenizer` and `Fast` at their end.
const BERT: &str = "Bert Electra ConvBert MobileBert SqueezeBert LayoutLM Lxmert";
/// Classes that equal `RobertaTokenizer`.
const ROBERTA: &str = "Roberta Longformer Bart LED";
/// Classes whose code is Python. They never read a `tokenizer.json`, which therefore says something else.
const PYTHON: &str = "Bartpho BertGeneration BertJapanese BertLegacy Bertweet BioGpt BlenderbotSmall ByT5 CTRL Canine Clvp \
    CpmAnt Cpm Dia Esm FSMT FastSpeech2Conformer Flaubert GPTNeoXJapanese GPTSw3 M2M100 Marian Mgpstr MyT5 PLBart \
    Perceiver Phobert ProphetNet RoCBert Siglip Speech2Text SpeechT5 Tapas Vits Wav2Vec2CTC Wav2Vec2PhonemeCTC XLM";
/// The class that reads a `tokenizer.json` as it stands.
const FILE: &str = "TokenizersBackend";

/// Model types and their classes. Where this is `FILE`, it goes before the class that a file names.
const BY_MODEL: [(&str, &str); 8] = [
    ("modernbert modernbert-decoder xlm-roberta-xl nystromformer", FILE),
    ("roberta roberta-prelayernorm data2vec-text longformer ibert bart", "Roberta"),
    ("xlm-roberta xmod jina_embeddings_v3 gte", "XLMRoberta"),
    ("albert", "Albert"),
    ("mpnet", "MPNet"),
    ("camembert", "Camembert"),
    ("herbert", "Herbert"),
    (
        "bert distilbert electra convbert mobilebert squeezebert layoutlm lxmert ernie megatron-bert nomic_bert",
        "Bert",
    ),
];

fn lists(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|other| other == name)
}

/// A name without the ends that all classes have.
fn short(name: &str) -> &str {
    let name = name.strip_suffix("Fast").unwrap_or(name);
    name.strip_suffix("Tokenizer").unwrap_or(name)
}

fn string(object: &Object<'_>, name: &str) -> Option<String> {
    object.get_as(name).map(|Text(text)| text.into_owned()).filter(|text| !text.is_empty())
}

impl Class {
    /// Reads the class of `tokenizer_config.json`, else that of `config.json`, else the default of its `model_type`.
    ///
    /// # Errors
    /// `Unsupported` for a class that is not supported, which the message names.
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
            (Some((_, name)), _) if lists(PYTHON, short(name)) => None,
            (own, Some(FILE)) if has_json => {
                let types = own.as_ref().is_none_or(|(_, name)| short(name) == "PreTrained");
                Some(Self::File { types })
            }
            (Some((_, name)), _) => Self::named(short(name), has_json),
            (None, _) if code.is_some() => None,
            (None, Some(name)) => Self::named(name, has_json),
            (None, None) => Some(Self::Any),
        };
        let takes_types = default.is_none_or(|name| ["", "Bert", FILE].contains(&name));
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
            if config.get(name).is_some() {
                let what = format!("tokenizer_config.json: {name} of BertJapaneseTokenizer");
                return Err(unsupported(&what, true));
            }
        }
        Ok(match class {
            Self::File { types } => Self::File { types: types && takes_types },
            other => other,
        })
    }

    /// The class of that name without its ends.
    fn named(name: &str, has_json: bool) -> Option<Self> {
        Some(match name {
            "DistilBert" => Self::DistilBert,
            "MPNet" => Self::MPNet,
            "XLMRoberta" => Self::XlmRoberta,
            "Albert" => Self::Albert,
            "ConvBert" if has_json => Self::ConvBert,
            _ if lists(BERT, name) => Self::Bert,
            _ if lists(ROBERTA, name) => Self::Roberta,
            _ if lists(PYTHON, name) => return None,
            _ if has_json => Self::File { types: matches!(name, "" | "PreTrained") },
            _ => return None,
        })
    }

    /// The files that the class reads in the place of a `tokenizer.json`.
    pub(in crate::tokenizer) fn files(self) -> &'static str {
        match self {
            Self::Roberta => "vocab.json with merges.txt",
            Self::XlmRoberta => "sentencepiece.bpe.model",
            Self::Albert => "spiece.model",
            _ => "vocab.txt",
        }
    }

    /// Whether a `tokenizer.json` is read as it stands.
    pub(in crate::tokenizer) fn is_file(self) -> bool {
        matches!(self, Self::File { .. })
    }

    /// Whether a call returns token types, if `model_input_names` does not say it.
    pub(in crate::tokenizer) fn has_types(self) -> bool {
        match self {
            Self::Any | Self::Bert | Self::ConvBert | Self::Albert => true,
            Self::File { types } => types,
            _ => false,
        }
    }

    /// Whether the class is WordPiece.
    pub(in crate::tokenizer) fn is_word_piece(self) -> bool {
        matches!(self, Self::Bert | Self::DistilBert | Self::MPNet)
    }
}

/// The class that a `model_type` has where no file names one; empty for a type without a supported one.
fn default_class(model_type: &str) -> &'static str {
    let found = BY_MODEL.iter().find(|(kinds, _)| lists(kinds, model_type));
    found.map_or("", |&(_, class)| class)
}

/// The class of `auto_map.AutoTokenizer`: a name, or a list of such for the slow class and the fast one.
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

fn unsupported(what: &str, has_json: bool) -> Error {
    let way_out = match has_json {
        false => {
            "Save the tokenizer with a tokenizer.json: save_pretrained of transformers 5 writes one for most classes."
        }
        true => "Its text is cut by Python code: tokenize elsewhere and pass ids to the model.",
    };
    Error::Unsupported(format!("{what} is not supported. {way_out}"))
}
