//! The architectures.

/// If false, the build runs only the first families of [`Family::ALL`]. The compiler then leaves out
/// code for the others.
pub(super) const HAS_ALL: bool = cfg!(feature = "families");

/// The architectures that share BERT's encoder. They differ in tensor names and a few options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// BERT: Devlin et al. 2018.
    Bert,
    /// DistilBERT: no token types, no pooler.
    DistilBert,
    /// ELECTRA: embeddings may be narrower than the encoder.
    Electra,
    /// RoBERTa: positions start after the padding id and skip padding.
    Roberta,
    /// XLM-RoBERTa: RoBERTa with a vocabulary of a hundred languages.
    XlmRoberta,
    /// ALBERT: all layers share their weights, and embeddings are narrow.
    Albert,
    /// MPNet: attention has a bias per distance; no token types.
    MpNet,
    /// ModernBERT: rotary positions and local attention. Norms come first, the feed-forward is gated,
    /// and layers have no biases.
    ModernBert,
    /// DeBERTa: attention compares contents with relative positions; no pooler in the encoder.
    Deberta,
    /// DeBERTa-v2 and v3: relative positions in logarithmic buckets.
    DebertaV2,
    /// CamemBERT: RoBERTa for French.
    Camembert,
    /// Data2VecText: RoBERTa with another way of pre-training.
    Data2VecText,
    /// XLM-RoBERTa-XL: RoBERTa whose norms come first.
    XlmRobertaXl,
    /// RoBERTa-PreLayerNorm: RoBERTa whose norms come first.
    RobertaPreLayerNorm,
    /// ERNIE: BERT with a table of task types.
    Ernie,
    /// RemBERT: BERT with narrow embeddings.
    RemBert,
    /// Megatron-BERT: BERT whose norms come first.
    MegatronBert,
    /// NomicBERT: rotary positions and a gated feed-forward.
    NomicBert,
    /// GTE as in transformers 5: rotary positions and a gated feed-forward.
    Gte,
    /// jina-embeddings-v3 as in transformers 5: XLM-RoBERTa with rotary positions.
    JinaEmbeddingsV3,
    /// EuroBERT: rotary positions, RMSNorm and a gated feed-forward. Norms come first.
    EuroBert,
    /// ESM-2: protein sequences. Norms come first.
    Esm,
    /// RoFormer: rotary positions over neighbouring columns.
    RoFormer,
    /// SqueezeBERT: BERT whose linear layers are grouped convolutions of width 1.
    SqueezeBert,
    /// MobileBERT: narrow layers with several feed-forwards; words are embedded with their
    /// neighbours.
    MobileBert,
    /// ConvBERT: a convolution beside attention, each with half of the columns.
    ConvBert,
}

impl Family {
    /// The family's `model_type` in `config.json`.
    pub fn model_type(self) -> &'static str {
        match self {
            Self::Bert => "bert",
            Self::DistilBert => "distilbert",
            Self::Electra => "electra",
            Self::Roberta => "roberta",
            Self::XlmRoberta => "xlm-roberta",
            Self::Albert => "albert",
            // no other family is ever made
            _ if cfg!(not(feature = "families")) => "",
            Self::MpNet => "mpnet",
            Self::ModernBert => "modernbert",
            Self::Deberta => "deberta",
            Self::DebertaV2 => "deberta-v2",
            Self::Camembert => "camembert",
            Self::Data2VecText => "data2vec-text",
            Self::XlmRobertaXl => "xlm-roberta-xl",
            Self::RobertaPreLayerNorm => "roberta-prelayernorm",
            Self::Ernie => "ernie",
            Self::RemBert => "rembert",
            Self::MegatronBert => "megatron-bert",
            Self::NomicBert => "nomic_bert",
            Self::Gte => "gte",
            Self::JinaEmbeddingsV3 => "jina_embeddings_v3",
            Self::EuroBert => "eurobert",
            Self::Esm => "esm",
            Self::RoFormer => "roformer",
            Self::SqueezeBert => "squeezebert",
            Self::MobileBert => "mobilebert",
            Self::ConvBert => "convbert",
        }
    }

    /// All families, in the order of messages. The first `IN_ALL_BUILDS` run in every binary.
    pub const ALL: [Self; 26] = [
        Self::Bert,
        Self::DistilBert,
        Self::Electra,
        Self::Roberta,
        Self::XlmRoberta,
        Self::Albert,
        Self::MpNet,
        Self::ModernBert,
        Self::Deberta,
        Self::DebertaV2,
        Self::Camembert,
        Self::Data2VecText,
        Self::XlmRobertaXl,
        Self::RobertaPreLayerNorm,
        Self::Ernie,
        Self::RemBert,
        Self::MegatronBert,
        Self::NomicBert,
        Self::Gte,
        Self::JinaEmbeddingsV3,
        Self::EuroBert,
        Self::Esm,
        Self::RoFormer,
        Self::SqueezeBert,
        Self::MobileBert,
        Self::ConvBert,
    ];

    /// Returns whether the family's code in transformers reads `position_embedding_type`.
    pub(super) fn reads_position_type(self) -> bool {
        !matches!(
            self,
            Self::DistilBert
                | Self::MpNet
                | Self::ModernBert
                | Self::Deberta
                | Self::DebertaV2
                | Self::RemBert
                | Self::NomicBert
                | Self::Gte
                | Self::JinaEmbeddingsV3
                | Self::EuroBert
                | Self::RoFormer
                | Self::MobileBert
                | Self::ConvBert
        )
    }

    /// The number of families that every build runs.
    pub(super) const IN_ALL_BUILDS: usize = 6;

    /// Returns whether the family is RoBERTa with other weights, other norms or another order of
    /// norms. Its heads are RoBERTa's.
    pub(crate) fn has_heads_of_roberta(self) -> bool {
        matches!(
            self,
            Self::Roberta
                | Self::XlmRoberta
                | Self::MpNet
                | Self::Camembert
                | Self::Data2VecText
                | Self::XlmRobertaXl
                | Self::RobertaPreLayerNorm
                | Self::JinaEmbeddingsV3
                | Self::Esm
        )
    }

    /// Returns whether positions start after the padding id and count only tokens that are not
    /// padding.
    pub(super) fn counts_positions(self) -> bool {
        self.has_heads_of_roberta() && self != Self::JinaEmbeddingsV3
    }
}
