"""tests/goldens/tokenizer-config/cases.json: small folders, and transformers 5.24's results for texts with them.

    python make_tokenizer_config.py BASE.json OUT.json

BASE.json is an earlier OUT.json; its vocabularies are kept, so that the ids stay. A case is `{note, files, calls}`: files
to put into a folder (`tokenizer.json` is `{"same": "cased"}` with `edits`, or spelled out), and calls with their answers.
"""

import copy
import json
import os
import sys
import tempfile

import transformers

transformers.logging.set_verbosity_error()
base = json.load(open(sys.argv[1], encoding="utf8"))
WORDPIECE, BPE = base["wordpiece"], base["bpe"]
ROLES = dict(unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]", mask_token="[MASK]")
ROBERTA = dict(bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>", unk_token="<unk>", pad_token="<pad>", mask_token="<mask>")
A, B = "The Cat sat, isn't it? Café Über 北京", "dog ran in the Park"
SPECIAL = "the [SEP] cat  [MASK] x <ent>  <rel>y Über [X] <img> <new>"
cases = []


def token(content, special=True, **flags):
    return dict(content=content, lstrip=False, rstrip=False, normalized=False, single_word=False, special=special) | flags


def put(note, config=None, edits=None, model="wordpiece", model_type="bert", **files):
    files = dict(files)
    if edits is not None:
        files["tokenizer.json"] = dict(same=model, edits=edits)
    if config is not None:
        files["tokenizer_config.json"] = config
    files.setdefault("config.json", {"model_type": model_type})
    calls = [
        dict(text=A), dict(text=SPECIAL), dict(text=A, text_pair=B), dict(text=SPECIAL, split_special_tokens=True),
        dict(decode="it ' s nice , is n't it ?"), dict(decode=SPECIAL, skip_special_tokens=True),
        dict(texts=[A, B], padding=True), dict(text=A + " " + B, truncation=True), dict(text=A, text_pair=B, truncation=True, max_length=9),
    ]
    cases.append(dict(note=note, files=files, calls=calls))


def build():
    for name in ["BertTokenizer", "BertTokenizerFast", "DistilBertTokenizer", "ElectraTokenizerFast", "ConvBertTokenizer", "PreTrainedTokenizerFast", "TokenizersBackend", "NoSuchTokenizer"]:
        put(f"{name} over a cased tokenizer.json", {"tokenizer_class": name, **ROLES}, {})
        put(f"{name}, settings that differ from the file's", {"tokenizer_class": name, **ROLES, "do_lower_case": False, "strip_accents": True, "tokenize_chinese_chars": False}, {"decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False}})
    put("no class: the default of model_type", dict(ROLES), {})
    put("the class of config.json", dict(ROLES), {}, **{"config.json": {"model_type": "electra", "tokenizer_class": "PreTrainedTokenizerFast"}})
    put("modernbert goes before a class", {"tokenizer_class": "BertTokenizer", **ROLES}, {}, model_type="modernbert")
    vocab = "\n".join(sorted(WORDPIECE["model"]["vocab"], key=WORDPIECE["model"]["vocab"].get)) + "\n"
    put("vocab.txt alone", **{"vocab.txt": vocab})
    put("vocab.txt, DistilBertTokenizer, clean-up", {"tokenizer_class": "DistilBertTokenizer", "clean_up_tokenization_spaces": True}, **{"vocab.txt": vocab})
    mpnet = "\n".join(["<s>", "<pad>", "</s>", "<mask>"]) + "\n" + vocab
    put("MPNet from vocab.txt", {"tokenizer_class": "MPNetTokenizer"}, model_type="mpnet", **{"vocab.txt": mpnet})
    for name in ["BertTokenizer", "PreTrainedTokenizerFast"]:
        named = {"tokenizer_class": name, **ROLES}
        put(f"{name}: added_tokens_decoder goes before the file", {**named, "added_tokens_decoder": {"4": token("[MASK]", lstrip=True), "900": token("<rel>"), "700": token("<ent>", False, rstrip=True)}}, {"added_tokens": [dict(id=500, **token("[X]"))]})
        put(f"{name}: ids with gaps", named, {"added_tokens": [dict(id=900, **token("<rel>")), dict(id=5, **token("<ent>", False))]})
        put(f"{name}: added_tokens.json", {**named, "extra_special_tokens": ["[X]"]}, {}, **{"added_tokens.json": {"<rel>": 900, "<ent>": 800, "[X]": 700}})
        put(f"{name}: extra tokens as a list", {**named, "extra_special_tokens": ["<ent>", "cat"], "additional_special_tokens": ["<rel>"]}, {})
        put(f"{name}: extra tokens as an object, tokens of own names", {**named, "extra_special_tokens": {"x": "<ent>"}, "image_token": "<img>"}, {})
        put(f"{name}: additional tokens, one with flags", {**named, "additional_special_tokens": ["<rel>", {"__type": "AddedToken", **token("<ent>", False, lstrip=True)}]}, {})
        put(f"{name}: special_tokens_map.json", {**named, "pad_token": "[UNK]"}, {}, **{"special_tokens_map.json": {"pad_token": "[PAD]", "mask_token": {k: v for k, v in token("[MASK]", lstrip=True).items() if k != "special"}, "additional_special_tokens": ["<new>"]}})
        put(f"{name}: special_tokens_map.json is older than added_tokens_decoder", {**named, "added_tokens_decoder": {}}, {}, **{"special_tokens_map.json": {"pad_token": "[UNK]", "additional_special_tokens": ["<new>"]}})
        put(f"{name}: a special token beside the vocabulary", {**named, "mask_token": "<new>"}, {})
        put(f"{name}: split_special_tokens", {**named, "split_special_tokens": True}, {})
        put(f"{name}: inputs without types", {**named, "model_input_names": ["input_ids", "attention_mask"]}, {})
        put(f"{name}: ids alone", {**named, "model_input_names": ["input_ids"]}, {})
        put(f"{name}: sides of the blocks", named, {"truncation": {"direction": "Left", "max_length": 8, "strategy": "OnlyFirst", "stride": 2}, "padding": {"strategy": {"Fixed": 30}, "direction": "Left", "pad_to_multiple_of": 8, "pad_id": 0, "pad_type_id": 1, "pad_token": "[PAD]"}})
        put(f"{name}: sides of the config", {**named, "padding_side": "left", "truncation_side": "left", "model_max_length": 10, "pad_token_type_id": 1, "add_bos_token": True, "add_eos_token": True}, {"padding": {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": 8, "pad_id": 0, "pad_type_id": 0, "pad_token": "[UNK]"}})
        put(f"{name}: max_len, no post_processor", {**named, "max_len": 9}, {"post_processor": None})
    put("the padding block names the padding token", {"tokenizer_class": "PreTrainedTokenizerFast"}, {"padding": {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_id": 1, "pad_type_id": 0, "pad_token": "[UNK]"}})
    put("bos and eos alone", {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "[CLS]", "eos_token": "[SEP]", "pad_token": "[PAD]"}, {})
    for name in ["RobertaTokenizer", "RobertaTokenizerFast", "PreTrainedTokenizerFast"]:
        for own in (True, False, None):
            config = {"tokenizer_class": name, **ROBERTA} | ({} if own is None else {"add_prefix_space": own})
            put(f"{name}, add_prefix_space {own}, the file's is {not own}", config, {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": not own, "trim_offsets": True, "use_regex": True}}, model="bpe", model_type="roberta")


def answer(call, tokenizer):
    options = {k: v for k, v in call.items() if k not in ("text", "texts", "text_pair", "decode")}
    try:
        if "decode" in call:
            ids = tokenizer(call["decode"])["input_ids"]
            return dict(ids=ids, decoded=tokenizer.decode(ids, **options))
        texts = (call.get("texts", call.get("text")),) + ((call["text_pair"],) if "text_pair" in call else ())
        found = tokenizer(*texts, **options)
        return dict(ids=found["input_ids"], types=found.get("token_type_ids"), mask=found.get("attention_mask"))
    except ValueError as error:
        return dict(threw=str(error)[:60])


build()
for case in cases:
    with tempfile.TemporaryDirectory() as folder:
        for name, value in case["files"].items():
            if name == "tokenizer.json":
                value = {**copy.deepcopy(base[value["same"]]), **value["edits"]}
            with open(os.path.join(folder, name), "w", encoding="utf8") as file:
                file.write(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        case["class"] = type(tokenizer).__name__
        for call in case["calls"]:
            call["want"] = answer(call, tokenizer)
    if case["files"].get("vocab.txt") == "\n".join(sorted(WORDPIECE["model"]["vocab"], key=WORDPIECE["model"]["vocab"].get)) + "\n":
        case["files"]["vocab.txt"] = None
with open(sys.argv[2], "w", encoding="utf8") as out:
    lines = ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in cases)
    parts = [f'"{name}":{json.dumps(base[name], ensure_ascii=False, separators=(",", ":"))}' for name in ("wordpiece", "bpe")]
    out.write("{" + ",\n".join(parts) + ',\n"library":"transformers ' + transformers.__version__ + '",\n"cases":[\n' + lines + "\n]}\n")
