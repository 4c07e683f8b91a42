//! The names of the tensors that every family has, in the spelling of each. They are canonical:
//! without the family's prefix.

use crate::config::Family;

/// The names of one family.
pub(super) struct Spelling {
    /// Prefix of the names in the bare model.
    pub(super) prefix: &'static str,
    /// The table of words, and the norm over the embeddings.
    pub(super) words: &'static str,
    pub(super) embeddings_norm: &'static str,
    /// Prefix of a layer's names; `#` stands for the number of the layer.
    pub(super) layer: &'static str,
    /// Queries. If the names of keys and values are empty, one tensor has all three.
    pub(super) query: &'static str,
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    pub(super) attention_output: &'static str,
    pub(super) attention_norm: &'static str,
    /// The inner layer of the feed-forward; of a gated one, the half that is activated.
    pub(super) intermediate: &'static str,
    /// The other half of a gated feed-forward. If empty, one tensor has both halves.
    pub(super) gated: &'static str,
    pub(super) output: &'static str,
    pub(super) output_norm: &'static str,
    /// The norm after the last layer, if norms come first.
    pub(super) final_norm: &'static str,
    /// Projection from the width of the tables to the width of the encoder.
    pub(super) projection: &'static str,
    /// Masked language model head: dense layer, norm, decoder, and a bias outside the decoder.
    pub(super) transform: &'static str,
    pub(super) transform_norm: &'static str,
    pub(super) decoder: &'static str,
    pub(super) decoder_bias: &'static str,
}

impl Spelling {
    /// Returns the name of a part of a layer.
    pub(super) fn in_layer(&self, number: usize, part: &str) -> String {
        format!("{}{part}", self.layer.replace('#', &number.to_string()))
    }
}

pub(super) const BERT: Spelling = Spelling {
    prefix: "bert.",
    words: "embeddings.word_embeddings",
    embeddings_norm: "embeddings.LayerNorm",
    layer: "encoder.layer.#.",
    query: "attention.self.query",
    key: "attention.self.key",
    value: "attention.self.value",
    attention_output: "attention.output.dense",
    attention_norm: "attention.output.LayerNorm",
    intermediate: "intermediate.dense",
    gated: "",
    output: "output.dense",
    output_norm: "output.LayerNorm",
    final_norm: "",
    projection: "embeddings_project",
    transform: "cls.predictions.transform.dense",
    transform_norm: "cls.predictions.transform.LayerNorm",
    decoder: "cls.predictions.decoder",
    decoder_bias: "cls.predictions.bias",
};

const DISTILBERT: Spelling = Spelling {
    prefix: "distilbert.",
    layer: "transformer.layer.#.",
    query: "attention.q_lin",
    key: "attention.k_lin",
    value: "attention.v_lin",
    attention_output: "attention.out_lin",
    attention_norm: "sa_layer_norm",
    intermediate: "ffn.lin1",
    output: "ffn.lin2",
    output_norm: "output_layer_norm",
    transform: "vocab_transform",
    transform_norm: "vocab_layer_norm",
    decoder: "vocab_projector",
    decoder_bias: "vocab_projector.bias",
    ..BERT
};

const ELECTRA: Spelling = Spelling {
    prefix: "electra.",
    transform: "generator_predictions.dense",
    transform_norm: "generator_predictions.LayerNorm",
    decoder: "generator_lm_head",
    decoder_bias: "generator_lm_head.bias",
    ..BERT
};

const ROBERTA: Spelling = Spelling {
    prefix: "roberta.",
    transform: "lm_head.dense",
    transform_norm: "lm_head.layer_norm",
    decoder: "lm_head.decoder",
    decoder_bias: "lm_head.bias",
    ..BERT
};

const ALBERT: Spelling = Spelling {
    prefix: "albert.",
    words: "embeddings.word_embeddings",
    embeddings_norm: "embeddings.LayerNorm",
    layer: "encoder.albert_layer_groups.#.albert_layers.0.",
    query: "attention.query",
    key: "attention.key",
    value: "attention.value",
    attention_output: "attention.dense",
    attention_norm: "attention.LayerNorm",
    intermediate: "ffn",
    gated: "",
    output: "ffn_output",
    output_norm: "full_layer_layer_norm",
    final_norm: "",
    projection: "encoder.embedding_hidden_mapping_in",
    transform: "predictions.dense",
    transform_norm: "predictions.LayerNorm",
    decoder: "predictions.decoder",
    decoder_bias: "predictions.bias",
};

const MPNET: Spelling = Spelling {
    prefix: "mpnet.",
    query: "attention.attn.q",
    key: "attention.attn.k",
    value: "attention.attn.v",
    attention_output: "attention.attn.o",
    attention_norm: "attention.LayerNorm",
    ..ROBERTA
};

pub(super) const MODERNBERT: Spelling = Spelling {
    prefix: "model.",
    words: "embeddings.tok_embeddings",
    embeddings_norm: "embeddings.norm",
    layer: "layers.#.",
    query: "attn.Wqkv",
    key: "",
    value: "",
    attention_output: "attn.Wo",
    // The norm in front of the feed-forward. It follows attention's residual, like BERT's attention
    // norm.
    attention_norm: "mlp_norm",
    intermediate: "mlp.Wi",
    output: "mlp.Wo",
    // The norm in front of the next layer's attention.
    output_norm: "attn_norm",
    final_norm: "final_norm",
    transform: "head.dense",
    transform_norm: "head.norm",
    decoder: "decoder",
    decoder_bias: "decoder.bias",
    ..BERT
};

const DEBERTA_V2: Spelling = Spelling {
    prefix: "deberta.",
    query: "attention.self.query_proj",
    key: "attention.self.key_proj",
    value: "attention.self.value_proj",
    projection: "embeddings.embed_proj",
    ..BERT
};

const DEBERTA: Spelling =
    Spelling { query: "attention.self.in_proj", key: "", value: "", ..DEBERTA_V2 };

const DATA2VEC_TEXT: Spelling = Spelling { prefix: "data2vec_text.", ..ROBERTA };

const ERNIE: Spelling = Spelling { prefix: "ernie.", ..BERT };

const REMBERT: Spelling = Spelling {
    prefix: "rembert.",
    projection: "encoder.embedding_hidden_mapping_in",
    transform: "cls.predictions.dense",
    transform_norm: "cls.predictions.LayerNorm",
    decoder_bias: "cls.predictions.decoder.bias",
    ..BERT
};

/// In families whose norms come first, `attention_norm` is the norm in front of the feed-forward,
/// and `output_norm` the norm in front of attention.
const MEGATRON_BERT: Spelling = Spelling {
    attention_norm: "ln",
    output_norm: "attention.ln",
    final_norm: "encoder.ln",
    ..BERT
};

const XLM_ROBERTA_XL: Spelling = Spelling {
    attention_norm: "LayerNorm",
    output_norm: "attention.self_attn_layer_norm",
    final_norm: "encoder.LayerNorm",
    ..ROBERTA
};

const ROBERTA_PRELAYERNORM: Spelling = Spelling {
    prefix: "roberta_prelayernorm.",
    attention_norm: "intermediate.LayerNorm",
    output_norm: "attention.LayerNorm",
    final_norm: "LayerNorm",
    ..ROBERTA
};

const ESM: Spelling = Spelling {
    prefix: "esm.",
    embeddings_norm: "embeddings.layer_norm",
    attention_norm: "LayerNorm",
    output_norm: "attention.LayerNorm",
    final_norm: "encoder.emb_layer_norm_after",
    ..ROBERTA
};

const ROFORMER: Spelling = Spelling { prefix: "roformer.", ..BERT };

const SQUEEZEBERT: Spelling = Spelling {
    prefix: "transformer.",
    layer: "encoder.layers.#.",
    query: "attention.query",
    key: "attention.key",
    value: "attention.value",
    attention_output: "post_attention.conv1d",
    attention_norm: "post_attention.layernorm",
    intermediate: "intermediate.conv1d",
    output: "output.conv1d",
    output_norm: "output.layernorm",
    ..BERT
};

const MOBILEBERT: Spelling =
    Spelling { prefix: "mobilebert.", projection: "embeddings.embedding_transformation", ..BERT };

const CONVBERT: Spelling = Spelling { prefix: "convbert.", ..ELECTRA };

const NOMIC_BERT: Spelling = Spelling {
    prefix: "nomic_bert.",
    embeddings_norm: "emb_ln",
    layer: "encoder.layers.#.",
    query: "attn.Wqkv",
    key: "",
    value: "",
    attention_output: "attn.out_proj",
    attention_norm: "norm1",
    intermediate: "mlp.fc12",
    gated: "mlp.fc11",
    output: "mlp.fc2",
    output_norm: "norm2",
    transform_norm: "cls.predictions.transform.layer_norm",
    ..BERT
};

const JINA_EMBEDDINGS_V3: Spelling = Spelling {
    embeddings_norm: "emb_ln",
    layer: "encoder.layers.#.",
    query: "mixer.Wqkv",
    key: "",
    value: "",
    attention_output: "mixer.out_proj",
    attention_norm: "norm1",
    intermediate: "mlp.fc1",
    output: "mlp.fc2",
    output_norm: "norm2",
    ..ROBERTA
};

const GTE: Spelling = Spelling {
    prefix: "new.",
    query: "attention.qkv_proj",
    key: "",
    value: "",
    attention_output: "attention.o_proj",
    attention_norm: "attn_ln",
    intermediate: "mlp.up_gate_proj",
    output: "mlp.down_proj",
    output_norm: "mlp_ln",
    transform: "lm_head.dense",
    transform_norm: "lm_head.norm",
    decoder: "lm_head.decoder",
    decoder_bias: "lm_head.decoder.bias",
    ..BERT
};

const EUROBERT: Spelling = Spelling {
    prefix: "model.",
    words: "embed_tokens",
    layer: "layers.#.",
    query: "self_attn.q_proj",
    key: "self_attn.k_proj",
    value: "self_attn.v_proj",
    attention_output: "self_attn.o_proj",
    attention_norm: "post_attention_layernorm",
    intermediate: "mlp.gate_proj",
    gated: "mlp.up_proj",
    output: "mlp.down_proj",
    output_norm: "input_layernorm",
    final_norm: "norm",
    transform: "lm_head",
    decoder: "lm_head",
    decoder_bias: "lm_head.bias",
    ..BERT
};

pub(super) fn spelling(family: Family) -> &'static Spelling {
    match family {
        Family::Bert => &BERT,
        Family::DistilBert => &DISTILBERT,
        Family::Electra => &ELECTRA,
        Family::Roberta | Family::XlmRoberta | Family::Camembert => &ROBERTA,
        Family::Albert => &ALBERT,
        _ if cfg!(not(feature = "families")) => &BERT,
        Family::MpNet => &MPNET,
        Family::ModernBert => &MODERNBERT,
        Family::Deberta => &DEBERTA,
        Family::DebertaV2 => &DEBERTA_V2,
        Family::Data2VecText => &DATA2VEC_TEXT,
        Family::XlmRobertaXl => &XLM_ROBERTA_XL,
        Family::RobertaPreLayerNorm => &ROBERTA_PRELAYERNORM,
        Family::Ernie => &ERNIE,
        Family::RemBert => &REMBERT,
        Family::MegatronBert => &MEGATRON_BERT,
        Family::NomicBert => &NOMIC_BERT,
        Family::Gte => &GTE,
        Family::JinaEmbeddingsV3 => &JINA_EMBEDDINGS_V3,
        Family::EuroBert => &EUROBERT,
        Family::Esm => &ESM,
        Family::RoFormer => &ROFORMER,
        Family::SqueezeBert => &SQUEEZEBERT,
        Family::MobileBert => &MOBILEBERT,
        Family::ConvBert => &CONVBERT,
    }
}
