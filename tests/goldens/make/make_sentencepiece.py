"""Writes ../families/albert-spiece and ../families/xlmr-spiece: folders without a tokenizer.json, each with a small
sentencepiece model of its own, and what the tokenizers that transformers converts them to give for the texts of
../families/unigram-bytefallback: python3 make_sentencepiece.py (transformers 4.57.6, tokenizers 0.22.2, sentencepiece 0.2.3).

The models are trained on the Latin texts of ../tokenizer/single.jsonl and the guides. Their normaliser is a small one: a rule a line.
"""

import json
import tempfile
from pathlib import Path

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from transformers import AlbertTokenizerFast, XLMRobertaTokenizerFast

GOLDENS = Path(__file__).parents[1]
TEXTS = GOLDENS / "families" / "unigram-bytefallback"
DOCS = GOLDENS.parents[1] / "docs"

# Code points, and what they become.
RULES = ["FB01\t66 69", "FF21\t41", "2026\t2E 2E 2E", "A0\t20", "9\t20", "A\t20", "3000\t20", "AD\t", "2460\t31", "E9 301\t E9", "65 301\tE9"]

# Pieces for which ALBERT's converter subtracts 100 from the score, and one piece for which it does not.
MORE = [("9,", -3.0), ("\u258117,", -3.5), ("x,", -3.0)]

# Windows over a pair: segments that are not kept.
WINDOWS = {
    "id": "s9999",
    "text": "The cat sleeps.",
    "text_pair": "Where does the cat sleep on the warm windowsill?",
    "options": {"truncation": "only_second", "max_length": 24, "stride": 2, "return_overflowing_tokens": True},
}

NAMES = {
    "albert-spiece": (
        AlbertTokenizerFast,
        "spiece.model",
        {"pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": -1, "control_symbols": "[CLS],[SEP],[MASK]", "user_defined_symbols": "(,),\u00a3"},
        {},
    ),
    "albert-cased-spiece": (AlbertTokenizerFast, None, None, {"do_lower_case": False, "keep_accents": True, "model_max_length": 24}),
    "xlmr-spiece": (XLMRobertaTokenizerFast, "sentencepiece.bpe.model", {"unk_id": 0, "bos_id": 1, "eos_id": 2}, {}),
}


def corpus():
    rows = (GOLDENS / "tokenizer" / "single.jsonl").read_text(encoding="ascii").splitlines()
    texts = [json.loads(row).get("text", "") for row in rows]
    texts += [line for path in sorted(DOCS.glob("*.md")) for line in path.read_text(encoding="utf-8").splitlines()]
    return [part for text in texts for part in text.split("\n") if 0 < len(part) < 2000 and max(part) < "\u0180"]


def train(path, options):
    with tempfile.TemporaryDirectory() as folder:
        rules, text = Path(folder) / "rules.tsv", Path(folder) / "text"
        rules.write_text("\n".join(rule.replace("\t ", "\t") for rule in RULES) + "\n", encoding="utf-8")
        text.write_text("\n".join(corpus()) + "\n", encoding="utf-8")
        sentencepiece.SentencePieceTrainer.train(
            input=str(text),
            model_prefix=str(Path(folder) / "m"),
            model_type="unigram",
            vocab_size=900,
            character_coverage=0.995,
            hard_vocab_limit=False,
            normalization_rule_tsv=str(rules),
            num_threads=1,
            max_sentence_length=8000,
            minloglevel=2,
            **options,
        )
        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString((Path(folder) / "m.model").read_bytes())
        for text, score in MORE:
            model.pieces.add(piece=text, score=score)
        path.write_bytes(model.SerializeToString())


def encoding_of(encoding):
    return {
        "ids": encoding.ids,
        "type_ids": encoding.type_ids,
        "attention_mask": encoding.attention_mask,
        "offsets": encoding.offsets,
        "word_ids": encoding.word_ids,
    }


def rows(file):
    return [json.loads(line) for line in (TEXTS / f"{file}.jsonl").read_text(encoding="ascii").splitlines()]


def write(folder, file, written):
    lines = [json.dumps(row, separators=(",", ":")) + "\n" for row in written]
    (folder / f"{file}.jsonl").write_text("".join(lines), encoding="ascii")


def call(tokenizer, row):
    options, row = dict(row["options"]), {k: row.get(k) for k in ["id", "text", "text_pair", "options"] if row.get(k) is not None}
    for side in ["padding_side", "truncation_side"]:
        setattr(tokenizer, side, options.pop(side, "right"))
    try:
        batch = tokenizer(row["text"], row.get("text_pair"), return_offsets_mapping=True, **options)
    except BaseException as error:  # what Rust panics with is no Exception
        return row | {"error": type(error).__name__}
    return row | {"outputs": [encoding_of(encoding) for encoding in batch.encodings]}


def main():
    for name, (kind, file, options, config) in NAMES.items():
        folder = GOLDENS / "families" / name
        folder.mkdir(exist_ok=True)
        if file:
            train(folder / file, options)
        else:
            file = "spiece.model"
            (folder / file).write_bytes((GOLDENS / "families" / "albert-spiece" / file).read_bytes())
        config = {"tokenizer_class": kind.__name__.removesuffix("Fast"), "clean_up_tokenization_spaces": False, **config}
        (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")
        tokenizer = kind.from_pretrained(str(folder))
        special = [tokenizer.mask_token, tokenizer.cls_token, tokenizer.sep_token, tokenizer.unk_token, tokenizer.pad_token]
        more = [" ".join(special), f"a  {special[0]} b{special[0]}", "9, 17, 217,5 (\u00a3)", "``x'' \u2026  y\tz \ufb01 \u2460, ", " two  three   ", "\u2581x \u2581\u2581 y", "cafe\u0301 x"]
        single = [*rows("single"), *({"id": f"s{at:04}", "category": "sentencepiece", "text": text} for at, text in enumerate(more))]
        written = []
        for row in single:
            found = encoding_of(tokenizer(row["text"]).encodings[0])
            del found["attention_mask"]
            written.append({"id": row["id"], "category": row["category"], "text": row["text"], **found})
        write(folder, "single", written)
        if name == "albert-cased-spiece":
            continue
        for file in ["pairs-truncation", "sliding-window", "padding"]:
            more = [WINDOWS] if file == "sliding-window" else []
            write(folder, file, [call(tokenizer, row) for row in rows(file) + more])
        tokenizer.padding_side = tokenizer.truncation_side = "right"
        decoded = []
        for row in rows("decode"):
            ids = tokenizer(row["text"])["input_ids"]
            both = [(skip, clean) for skip in [False, True] for clean in [False, True]]
            texts = {
                f"skip{skip:d}_clean{clean:d}": tokenizer.decode(ids, skip_special_tokens=skip, clean_up_tokenization_spaces=clean)
                for skip, clean in both
            }
            decoded.append({"id": row["id"], "text": row["text"], "ids": ids, **texts})
        write(folder, "decode", decoded)


if __name__ == "__main__":
    main()
