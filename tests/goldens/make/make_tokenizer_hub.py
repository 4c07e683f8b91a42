"""tests/goldens/tokenizer-hub/cases.json: HerBERT, BERTweet, PhoBERT, CamemBERT, Gemma's BPE, and BPE over the words of Llama 3 and o200k,
by transformers, on texts of all kinds.

    python make_tokenizer_hub.py OUT.json [TEXTS [SEED]]

Requires transformers 5.24, sentencepiece and emoji 2.16. A second run with transformers 4.57 adds DeBERTa's `spm.model`, which 5.24
reads without sentencepiece's normalizer. A folder is `{files, rows}`: files to put into a folder (`golden` is the path
of another golden, `base64` is a binary file), and rows with a text and, in some, a pair. A row has `ids`, `types` and `decoded`; `offsets` are in code points and
absent for classes in Python, which have none. `rows` may name another folder with the same rows. `TEXTS` is the number of random texts (40), `SEED` their seed (7).
"""

import json
import os
import random
import sys
import tempfile

import emoji
import transformers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

assert emoji.__version__.startswith("2.16"), emoji.__version__
transformers.logging.set_verbosity_error()
COUNT, SEED = int((sys.argv[2:3] or [40])[0]), int((sys.argv[3:4] or [7])[0])
GOLDENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
CORPUS = """Kot śpi na łące, a pies pilnuje domu w Łodzi. Ala ma kota, kot ma Alę!
The piano stands near the window and the river runs under the old bridge.
Don't say you can't; it isn't so. We're sure they'll win, I'd bet.
Où est l'été dernier à Orléans ? Les élèves déjeunent chez François.
Tôi là sinh_viên trường đại_học Công_nghệ . Hà Nội là thủ đô của Việt Nam .
check this out user link winner great happy tweet morning 2024 at 12:30""".split("\n")
TEXTS = [
    "", " ", "\n", "the river", "The  piano\tstands\nnear the window.\n", "a", "the\nriver \n bridge", "THE RIVER", "kot śpi na łące",
    "@anna check http://example.org/x 😂 it's GREAT #win", "don't… “quote” 12:30pm & 5%", "www.example.com HTTPS://A.b/c example.org/ foo@bar.com",
    "I cannot say; ain't so, can't be. I'm he's they'll I'd we've you're", "at 5 p.m. or 6 p . m . or 7 a . m . sharp", ":-) :D <3 <-- --> >:( 8-) ;P",
    "&amp;&lt;b&gt; &quot;x&quot; &#65;&#x41;&#128512; &#133; &xi; &none; &#xZZ; &nbsp;&there4;", "!!!!!!! ...... ----- aaaaaa 11111 😂😂😂😂😂",
    "❤️ ❤ 👍🏽 👨‍👩‍👧 🇩🇪 ©®™ 1️⃣ \ufe0f \u200d", "+1 (555) 123-4567, 555-1234 5551234 1/2 3.14 -7,5+", ". . . a .. b", "#tag #_a-b' ##x #1 @_@ @a@b",
    "x<s>y</s> <mask> <pad><unk> z", "<s>NOTUSED the </s>NOTUSED <unk>NOTUSED", "a\u00a0b\u2003c\u0085d\u001ce\u200bf\u3000g", "e\u0301 \u1e9b\u0323 ﬁ Ⅷ ① ½ \u0000 \ufffd \u00ad",
    "钢琴 在 東京 피아노 ก็ ไทย עברית العربية हिन्दी", "\U0001d400\U0001f9ff\U0010ffff", "isn't n't 'm 's cannot", "ca n't ai n 't n 't x", "”’…’’' '' `` \"", "Straße İstanbul ǅ ſ K", "@@ a@@ @@@ the@@ </w> e</w> <\\w>",
]
ALPHABET = (
    list("abcdefghijklmnopqrstuvwxyzABCDEFXYZ0123456789") * 3 + list(" " * 60) + list(".,;:!?'\"-_/\\@#&<>()[]{}*+=%$|~^`") * 2
    + list("\n\t\u00a0\u3000\u200b\u2581łśąężźćńóŁéèêàçœñüöäßđươấệ’“”…–—😂❤️👍🏽🇩🇪©½①ﬁ钢琴東京피아노กעא\u0301\u0300") + ["</w>", "@@", "n't ", "'s ", "http://", "www.", "@u", "&amp;", "<mask>", "the ", "kot ", "là ", "été "] * 3
)
choice = random.Random(SEED)
TEXTS += ["".join(choice.choice(ALPHABET) for _ in range(choice.randint(1, 70))) for _ in range(COUNT)]
PAIRS = [("the river", "kot śpi"), ("Où est", "là"), ("a b", "don't @x")]
ROLES = dict(bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>", unk_token="<unk>", pad_token="<pad>", mask_token="<mask>")


def row(tokenizer, text, pair=None):
    offsets = dict(return_offsets_mapping=True) if tokenizer.is_fast else {}
    given = tokenizer(*([text] if pair is None else [text, pair]), **offsets)
    found = dict(text=text) | ({} if pair is None else dict(pair=pair)) | dict(ids=given["input_ids"], types=given.get("token_type_ids"))
    if offsets:
        found["offsets"] = [list(span) for span in given["offset_mapping"]]
    found["decoded"] = tokenizer.decode(given["input_ids"], clean_up_tokenization_spaces=False)
    found["decoded_skip"] = tokenizer.decode(given["input_ids"], skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return found


def folder(files):
    with tempfile.TemporaryDirectory() as path:
        for name, content in files.items():
            fields = content if isinstance(content, dict) else {}
            text = content if isinstance(content, str) else json.dumps(content)
            data = text.encode()
            if "golden" in fields:
                data = open(os.path.join(GOLDENS, fields["golden"]), "rb").read()
            if "base64" in fields:
                data = base64.b64decode(fields["base64"])
            open(os.path.join(path, name), "wb").write(data)
        tokenizer = transformers.AutoTokenizer.from_pretrained(path)
        saved = tempfile.mkdtemp(dir=path)
        tokenizer.save_pretrained(saved)
        read = lambda name: json.load(open(os.path.join(saved, name), encoding="utf8")) if os.path.exists(os.path.join(saved, name)) else None
        rows = [row(tokenizer, text) for text in TEXTS] + [row(tokenizer, *pair) for pair in PAIRS]
        return dict(files=files, rows=rows), {name: read(name) for name in ["tokenizer.json", "tokenizer_config.json"]}


def herbert():
    model = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    model.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    model.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    first = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    model.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=260, special_tokens=first, end_of_word_suffix="</w>", show_progress=False))
    bpe = json.loads(model.to_str())["model"]
    merges = "#version: 0.2\n" + "\n".join(" ".join(pair) for pair in bpe["merges"]) + "\n"
    return {"vocab.json": json.dumps(bpe["vocab"], ensure_ascii=False), "merges.txt": merges, "config.json": {"model_type": "bert", "tokenizer_class": "HerbertTokenizerFast"}}


def codes(name, **config):
    words = [word for line in CORPUS for word in line.split()]
    counts, merges = {}, []
    split = {word: list(word[:-1]) + [word[-1] + "</w>"] for word in words}
    for _ in range(120):
        counts = {}
        for word in words:
            for pair in zip(split[word], split[word][1:]):
                counts[pair] = counts.get(pair, 0) + 1
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append((*best, counts[best]))
        for word, parts in split.items():
            at = 0
            while at < len(parts) - 1:
                if (parts[at], parts[at + 1]) == best:
                    parts[at : at + 2] = ["".join(best)]
                at += 1
    # Every third merge has no token, as rare symbols of fastBPE have none.
    texts = sorted({left + right for at, (left, right, _) in enumerate(merges) if at % 3})
    texts += [form for c in sorted({c for word in words for c in word} - set("q")) for form in (c, c + "</w>")]
    texts += [part + "</w>" for part in ["@USER", "HTTPURL", ":", "_", "."]] + [":", "_"]
    tokens = [text[:-4] if text.endswith("</w>") else text + "@@" for text in texts]
    lines = [f"{token} {9000 - at}" for at, token in enumerate(dict.fromkeys(tokens))]
    merges += [("U", "S", 3), ("US", "E", 3), ("@", "USE", 3), ("@USE", "R</w>", 3)]
    files = {"vocab.txt": "\n".join(lines) + "\n", "bpe.codes": "".join(f"{a} {b} {n}\n" for a, b, n in merges) + "no line feed 1", "config.json": {"model_type": "roberta"}}
    return files | {"tokenizer_config.json": {"tokenizer_class": name, **config}}


LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
UPPER, LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
SHORT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K = rf"[^\r\n\p{{L}}\p{{N}}]?[{UPPER}]*[{LOWER}]+{SHORT}|[^\r\n\p{{L}}\p{{N}}]?[{UPPER}]+[{LOWER}]*{SHORT}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def generic(model, special):
    """Returns the folder of a tokenizer.json for the generic class."""
    template = dict(single="<s> $A </s>", pair="<s> $A </s> <s> $B </s>", special_tokens=[(token, model.token_to_id(token)) for token in ["<s>", "</s>"]])
    model.post_processor = processors.TemplateProcessing(**template)
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "mask_token": "<mask>", **special}
    return {"tokenizer.json": json.loads(model.to_str()), "tokenizer_config.json": config, "config.json": {"model_type": "modernbert"}}


def gemma():
    model = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    model.normalizer = normalizers.Replace(" ", "\u2581")
    model.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    first = ["<pad>", "</s>", "<s>", "<unk>", "<mask>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    model.train_from_iterator([line.replace(" ", "\u2581") for line in CORPUS], trainers.BpeTrainer(vocab_size=420, special_tokens=first[:5], initial_alphabet=[], show_progress=False))
    bpe = json.loads(model.to_str())["model"]
    tokens = first + [token for token in sorted(bpe["vocab"], key=bpe["vocab"].get) if token not in first]
    merges = [tuple(pair) for pair in bpe["merges"]]
    model.model = models.BPE({token: id for id, token in enumerate(tokens)}, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True)
    model.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    model.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
    return generic(model, {"unk_token": "<unk>"})


def by_regex(pattern, ignore_merges):
    model = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    model.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), byte_level])
    model.decoder = decoders.ByteLevel()
    first = ["<s>", "</s>", "<pad>", "<mask>"]
    model.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=420, special_tokens=first, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    return generic(model, {})


def deberta():
    path = tempfile.mkdtemp()
    rules = os.path.join(path, "rules.tsv")
    open(rules, "w").write("FB01\t66 69\nA0\t20\n9\t20\nA\t20\n3000\t20\n2460\t31\n65 301\tE9\n2026\t2E 2E 2E\nAD\t\n")
    ids = dict(pad_id=0, bos_id=1, eos_id=2, unk_id=3, pad_piece="[PAD]", bos_piece="[CLS]", eos_piece="[SEP]", unk_piece="[UNK]")
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(CORPUS * 20), model_prefix=path + "/m", vocab_size=110, normalization_rule_tsv=rules, minloglevel=2, **ids)
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(open(path + "/m.model", "rb").read())
    model.ClearField("trainer_spec")
    model.normalizer_spec.ClearField("normalization_rule_tsv")
    return {"spm.model": {"base64": base64.b64encode(model.SerializeToString()).decode()}, "config.json": {"model_type": "deberta-v2"}, "tokenizer_config.json": {"tokenizer_class": "DebertaV2Tokenizer"}}


if transformers.__version__.startswith("4"):
    import base64

    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2

    out = json.load(open(sys.argv[1], encoding="utf8"))
    out["deberta"], _ = folder(deberta())
    with open(sys.argv[1], "w", encoding="utf8") as file:
        json.dump(out, file, ensure_ascii=True, separators=(",", ":"))
        file.write("\n")
    sys.exit()

out = {}


def again(name, saved, model_type):
    """Adds the folder that the library saves, which must give the same rows."""
    found, _ = folder(saved | {"config.json": {"model_type": model_type}})
    assert found["rows"] == out[name]["rows"], name
    out[name + "-json"] = dict(files=found["files"], rows=name)


out["herbert"], saved = folder(herbert())
again("herbert", saved, "bert")
out["bertweet"], _ = folder(codes("BertweetTokenizer", normalization=True))
out["bertweet-plain"], _ = folder(codes("BertweetTokenizer"))
out["phobert"], _ = folder(codes("PhobertTokenizer"))
# The sentencepiece model of another golden has the pieces that CamemBERT's has: <unk>, <s>, </s>, then words.
model = {"golden": "families/xlmr-spiece/sentencepiece.bpe.model"}
out["camembert"], _ = folder({"sentencepiece.bpe.model": model, "config.json": {"model_type": "camembert"}})
out["gemma"], _ = folder(gemma())
out["llama3"], _ = folder(by_regex(LLAMA3, True))
out["o200k"], _ = folder(by_regex(O200K, False))
with open(sys.argv[1], "w", encoding="utf8") as file:
    json.dump(out, file, ensure_ascii=True, separators=(",", ":"))
    file.write("\n")
