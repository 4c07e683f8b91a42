"""Tiny random GLiNER models and what the gliner library says about them: python make.py (gliner 0.2.24, torch)."""
import json
import shutil
import sys
import warnings
from pathlib import Path

import torch
import transformers as T
from gliner import GLiNER
from gliner.config import UniEncoderSpanConfig, UniEncoderTokenConfig
from gliner.model import UniEncoderSpanGLiNER, UniEncoderTokenGLiNER
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

warnings.filterwarnings("ignore")
ROOT = Path(__file__).parent
TEXTS = [
    "Anna Kovács flew from Oslo to Rome on 3 May.",
    "Где музей? 😂 It's near the old-town_bridge, isn't it (Rome)!",
    "x",
]
LABELS = [["person", "city"], ["date"], ["a label of words", "Person", "city", "date", "city"]]
CORPUS = [*TEXTS, "person city date organisation place name", "The museum near the river in Rome is old.", "где музей у реки"] * 3
# as many words as max_len, and more tokens than DeBERTa's max_position_embeddings
LONG = " ".join(["Anna flew from Oslo to Rome near the old museum ."] * 3)


def byte_level():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return finished(tokenizer)


def unigram():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=120, special_tokens=["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"], unk_token="[UNK]", show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return finished(tokenizer, 512)


def word_piece():
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=150, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return finished(tokenizer)


def finished(tokenizer, length=96):
    ids = {name: tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]")}
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=list(ids.items()))
    return T.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]", mask_token="[MASK]", model_max_length=length)


SIZES = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, pad_token_id=0)
ENCODERS = {
    "bert": (T.BertConfig, dict(max_position_embeddings=96)),
    "deberta-v2": (T.DebertaV2Config, dict(max_position_embeddings=48, position_buckets=8, norm_rel_ebd="layer_norm", share_att_key=True, pos_att_type=["p2c", "c2p"], relative_attention=True, max_relative_positions=-1, position_biased_input=False, type_vocab_size=0)),
    "modernbert": (T.ModernBertConfig, dict(max_position_embeddings=96, global_attn_every_n_layers=2, local_attention=16, cls_token_id=1, sep_token_id=2, bos_token_id=1, eos_token_id=2)),
}


def randomized(model, seed):
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            parameter.data = torch.randn(parameter.shape, generator=generator) * (0.9 / parameter.shape[-1] ** 0.5)
        elif "norm" not in name.lower():
            parameter.data = torch.randn(parameter.shape, generator=generator) * 0.1
    return model


def u16(text, place):
    return len(text[:place].encode("utf-16-le")) // 2


def answers(model, text, labels, options):
    return [
        dict(entity_group=x["label"], score=round(x["score"], 6), word=x["text"], start=u16(text, x["start"]), end=u16(text, x["end"]))
        for x in model.predict_entities(text, labels, **options)
    ]


def calls(model, texts):
    every = [x["score"] for t in texts[:2] for x in model.predict_entities(t, LABELS[2], threshold=0.001, flat_ner=False, multi_label=True)]
    every.sort()
    found = []
    for text in texts:
        for labels in LABELS[: 1 if len(text) > 80 else 3]:
            for share, flat_ner, multi_label in ((0.8, True, False), (0.9, False, False), (0.9, False, True), (0.8, True, True)):
                options = dict(threshold=round(every[int(len(every) * share)], 3), flat_ner=flat_ner, multi_label=multi_label)
                near = [answers(model, text, labels, {**options, "threshold": options["threshold"] + by}) for by in (-2e-4, 2e-4)]
                here = answers(model, text, labels, options)
                scores = sorted(x["score"] for x in here)
                ties = any(b - a < 1e-5 for a, b in zip(scores, scores[1:]))
                if near[0] == near[1] == here and not ties:
                    found.append(dict(text=text, labels=labels, options=options, entities=here))
    return found


def make(name, note, family, tokenizer, seed, token_level=False, safe=True, adds=False, **fields):
    tokens = ["[FLERT]", "<<ENT>>", "<<SEP>>"]
    if not adds:
        tokenizer.add_tokens(tokens, special_tokens=True)
    cls, own = ENCODERS[family]
    encoder = cls(vocab_size=len(tokenizer) + (3 if adds else 0), **{**SIZES, **own})
    config = dict(encoder_config=encoder.to_dict(), model_name="none", hidden_size=16, max_width=4, max_len=24, vocab_size=-1 if adds else len(tokenizer), class_token_index=-1 if adds else tokenizer.convert_tokens_to_ids("<<ENT>>"))
    config.update(fields)
    made = UniEncoderTokenGLiNER(UniEncoderTokenConfig(**config), tokenizer=tokenizer) if token_level else UniEncoderSpanGLiNER(UniEncoderSpanConfig(**config), tokenizer=tokenizer)
    randomized(made.model, seed)
    folder = ROOT / name
    shutil.rmtree(folder, ignore_errors=True)
    made.save_pretrained(folder, safe_serialization=safe)
    model = GLiNER.from_pretrained(str(folder), local_files_only=True)
    model.eval()
    found = calls(model, [*TEXTS, " ".join(LONG.split()[:24])])
    (folder / "cases.json").write_text(json.dumps(dict(note=note, library="gliner 0.2.24", calls=found), ensure_ascii=False, indent=0) + "\n")
    print(name, len(found), "calls,", sum(len(call["entities"]) for call in found), "entities")


only = sys.argv[1:]
for arguments in (
    dict(name="deberta-lstm", note="markerV0, one LSTM layer, a projection to another width; texts longer than max_position_embeddings", family="deberta-v2", tokenizer=unigram, seed=1, hidden_size=12),
    dict(name="bert-marker", note="span mode marker, no LSTM, labels by the token behind <<ENT>>, pytorch_model.bin", family="bert", tokenizer=word_piece, seed=2, safe=False, num_rnn_layers=0, span_mode="marker", embed_ent_token=False),
    dict(name="modernbert-v1", note="markerV1, two LSTM layers", family="modernbert", tokenizer=byte_level, seed=3, num_rnn_layers=2, span_mode="markerV1"),
    dict(name="token-level", note="token_level", family="deberta-v2", tokenizer=unigram, seed=4, token_level=True),
    dict(name="added-tokens", note="class_token_index and vocab_size -1: the library adds its tokens to the tokenizer", family="bert", tokenizer=word_piece, seed=5, adds=True),
):
    if not only or arguments["name"] in only:
        arguments["tokenizer"] = arguments["tokenizer"]()
        make(**arguments)
