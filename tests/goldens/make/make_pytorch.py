"""Writes tests/goldens/pytorch: files of torch.save in all forms, and their tensors as torch.load returns them.

    python make_pytorch.py --out tests/goldens/pytorch [--seed N]

`files` has all files one after another, and `files.json` a row for each: where its bytes are, and where a safetensors file
of its tensors is, as torch.load returns them; or the expected error code and words of its
message. Files named `model…` have the weights of models/electra-mlm. Needs torch and safetensors; another seed makes
other numbers and shapes.
"""
import argparse
import base64
import collections
import datetime
import io
import json
import os
import pathlib
import pickle
import random
import struct
import zipfile

import torch
from safetensors.torch import load, load_file, save

args = argparse.ArgumentParser()
args.add_argument("--out", required=True)
args.add_argument("--seed", type=int, default=1)
args = args.parse_args()
OUT = pathlib.Path(args.out)
OUT.mkdir(parents=True, exist_ok=True)
FILES = bytearray()
RANDOM = random.Random(args.seed)
torch.manual_seed(args.seed)
ROWS = {}
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


def some(dtype=torch.float32, *shape):
    shape = shape or [RANDOM.randint(1, 5) for _ in range(RANDOM.randint(1, 3))]
    return (torch.randn(*shape) * 10 ** RANDOM.randint(-3, 3)).to(dtype)


def state(count=4):
    return collections.OrderedDict((f"layer.{n}.weight", some()) for n in range(count))


def saved(value, **options):
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    return buffer.getvalue()


def legacy(value, **options):
    return saved(value, _use_new_zipfile_serialization=False, **options)


def keep(data):
    """Adds bytes to the file of all files; returns where they are."""
    start = len(FILES)
    FILES.extend(data)
    return [start, len(FILES)]


def put(name, data, tensors=None):
    """Adds a file that is read, with the tensors that torch finds in it."""
    if tensors is None:
        try:
            value = torch.load(io.BytesIO(data), weights_only=True)
        except pickle.UnpicklingError:  # newer protocols
            value = torch.load(io.BytesIO(data), weights_only=False)
        found = {key: tensor for key, tensor in value.items() if isinstance(key, str) and torch.is_tensor(tensor)}
        tensors = {key: tensor.detach().clone().contiguous() for key, tensor in found.items()}
    ROWS[name] = {"bytes": keep(data), "tensors": keep(save(tensors))}


def refuse(name, data, code, *words):
    """Adds a file that must be refused."""
    ROWS[name] = {"bytes": keep(data), "code": code, "words": words}


def both(name, value, **options):
    put(name, saved(value, **options))
    put(f"{name}-legacy", legacy(value, **options))


def rezipped(data, change=lambda name, content: content, order=lambda entries: entries, stream=False, **options):
    """The file zipped again. `stream`: sizes stand behind the bytes, in descriptors."""
    old = zipfile.ZipFile(io.BytesIO(data))
    buffer = io.BytesIO()

    class Unseekable(io.RawIOBase):
        def writable(self):
            return True

        def write(self, content):
            return buffer.write(content)

    new = zipfile.ZipFile(Unseekable() if stream else buffer, "w", options.pop("compression", zipfile.ZIP_STORED))
    for info in order(old.infolist()):
        content = change(info.filename, old.read(info.filename))
        if content is not None:
            entry_info = zipfile.ZipInfo(info.filename)
            entry_info.compress_type = new.compression
            with new.open(entry_info, "w", **options) as entry:
                entry.write(content)
    new.close()
    return buffer.getvalue()


def with_pickle(data, pickled):
    return rezipped(data, lambda name, content: pickled if name.endswith("data.pkl") else content)


class Call:
    def __init__(self, function, *arguments):
        self.function, self.arguments = function, arguments

    def __reduce__(self):
        return self.function, self.arguments


class Raw:
    """Assembles pickles by hand."""

    def text(self, value):
        return b"X" + struct.pack("<I", len(value)) + value.encode()

    def python2(self, value):
        return b"U" + bytes([len(value)]) + value.encode()

    def number(self, value):
        return b"J" + struct.pack("<i", value)

    def tensor(self, storage, offset, shape, strides, rebuild="_rebuild_tensor", rest=b""):
        tuple_of = lambda items: b"(" + b"".join(map(self.number, items)) + b"t"
        return (
            f"ctorch._utils\n{rebuild}\n".encode()
            + b"(" + storage + b"Q" + self.number(offset) + tuple_of(shape) + tuple_of(strides) + rest + b"tR"
        )

    def storage(self, key, length, kind="FloatStorage", view=b"N", text=None):
        text = text or self.text
        return b"(" + text("storage") + f"ctorch\n{kind}\n".encode() + text(key) + text("cpu") + self.number(length) + view + b"t"

    def dictionary(self, *items):
        return b"\x80\x02}(" + b"".join(items) + b"u."


RAW = Raw()


def legacy_file(pickled, storages):
    magic = pickle.dumps(0x1950A86A20F9469CFC6C, 2) + pickle.dumps(1001, 2)
    facts = pickle.dumps({"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}, 2)
    out = magic + facts + pickled + pickle.dumps([key for key, _ in storages], 2)
    for _, numbers in storages:
        out += struct.pack("<q", len(numbers)) + struct.pack(f"<{len(numbers)}f", *numbers)
    return out


# Forms of the file.
model = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.LayerNorm(5))
both("state-dict", model.state_dict())
for protocol in (3, 4, 5):
    both(f"protocol-{protocol}", state(), pickle_protocol=protocol)
put("plain-dict", saved(dict(sorted(state(6).items()))))
both("parameters", collections.OrderedDict(model.named_parameters()))
marked = torch.nn.Linear(2, 3)
marked.weight.is_marked = {"by": "a name", "at": 3}
both("parameter-with-attributes", dict(marked.named_parameters()))
tagged = some(torch.float32, 2, 3)
tagged.tag = "x"
both("tensor-with-attributes", {"a": tagged})
both("many", {f"tensor {n}": some(RANDOM.choice(FLOATS)) for n in range(40)})
both("names", {"": some(), "ünïcode ☃ 𝒳": some(), "a.b.c": some(), "x" * 300: some()})
both("other-values", {"a": some(), "epoch": 3, "loss": 0.25, "name": "x", "flags": [True, None, (1, 2, 3, 4)], "big": 2**70, "negative": -(2**40), "bytes": b"abc", 5: some()})
both("empty-dict", {})

# Dtypes and values.
for dtype in FLOATS + [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]:
    both(str(dtype).split(".")[1], {"a": some(dtype, 3, 4), "b": some(dtype, 2)})
for dtype in [torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2]:
    numbers = torch.arange(6, dtype=torch.uint8).repeat(dtype.itemsize).view(dtype)
    put("bytes-" + str(dtype).split(".")[1], saved({"a": numbers.reshape(2, 3), "b": numbers[1:]}))
special = torch.tensor([0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-45, -1e-40, 3.4e38, 1.17549435e-38])
bits = torch.tensor([0x7FC00001, 0x7F800001, 0x00000001, 0x7F7FFFFF], dtype=torch.int32).view(torch.float32)
both("special-numbers", {"a": special, "half": special.half(), "b": special.bfloat16(), "double": special.double(), "bits": bits})

# Views.
both("scalars-and-empty", {"scalar": torch.tensor(3.5), "empty": torch.empty(0), "empty-rows": torch.empty(0, 4), "empty-columns": torch.empty(4, 0), "one": torch.ones(1, 1, 1), "a": some()})
big = some(torch.float32, 400)
both("pieces", {"front": big[:7], "middle": big[50:90].view(5, 8), "single": big[91], "next": big[92:100], "end": big[-4:]})
both("overlaps", {"all": big[:60].view(6, 10), "inside": big[10:20], "across": big[55:65], "same": big[:60].view(10, 6), "apart": big[200:210]})
grid = some(torch.float32, 6, 8)
both("strides", {"transposed": grid.t(), "columns": grid[:, 2:5], "every-other": grid[::2, ::3], "row": grid[3], "column": grid[:, 7], "window": grid.as_strided((4, 3), (1, 2), 5), "diagonal": grid.diagonal(), "permuted": some(torch.float32, 2, 3, 4).permute(2, 0, 1)})
both("expanded", {"row": some(torch.float32, 1, 4).expand(3, 4), "scalar": torch.tensor(2.0).expand(2, 5), "column": some(torch.float16, 3, 1).expand(3, 4), "part": some(torch.float32, 2, 1, 3).expand(2, 4, 3)})
tied = some(torch.float32, 5, 3)
both("tied", {"a.weight": tied, "b.weight": tied, "c.weight": tied.t(), "d": some()})
put("long", saved({"a": some(torch.float32, 190, 90).t(), "b": some(torch.bfloat16, 900)[3:]}))

# Other writers.
file = saved(state(5))
put("rezipped", rezipped(file))
put("rezipped-stream", rezipped(file, stream=True))
put("rezipped-zip64", rezipped(file, force_zip64=True))
put("rezipped-zip64-stream", rezipped(file, stream=True, force_zip64=True))
put("rezipped-shuffled", rezipped(file, order=lambda entries: sorted(entries, key=lambda info: (not info.filename.endswith("data.pkl"), info.filename[::-1]))))
put("rezipped-pickle-last", rezipped(file, order=lambda entries: sorted(entries, key=lambda info: info.filename.endswith("data.pkl"))))
put("rezipped-stream-pickle-last", rezipped(saved({"a": torch.ones(3), "b": big}), stream=True, order=lambda entries: sorted(entries, key=lambda info: info.filename.endswith("data.pkl"))))
trap = torch.frombuffer(bytearray(b"PK\x07\x08" * 8 + b"PK\x03\x04" * 2 + struct.pack("<4sIII", b"PK\x07\x08", 0, 40, 40)), dtype=torch.int32)
put("rezipped-trap", rezipped(saved({"a": trap, "PK\x07\x08" * 3: trap[3:]}), stream=True))
put("trap", saved({"a": trap, "PK\x07\x08" * 3: trap[3:]}))
# As Python 2 wrote the older format, and a view of a storage.
item = lambda key, tensor: RAW.python2(key) + tensor
two = RAW.dictionary(
    item("a", RAW.tensor(RAW.storage("1", 6, view=b"N", text=RAW.python2), 1, [2, 2], [2, 1])),
    item("b", RAW.tensor(RAW.storage("2", 4, text=RAW.python2, view=b"N"), 0, [4], [1], rebuild="_rebuild_tensor_v2", rest=b"\x89ccollections\nOrderedDict\n]\x85R")),
)
python2 = legacy_file(two, [("2", [1, 2, 3, 4]), ("1", [5, 6, 7, 8, 9, 10])])
put("python-2", python2, {"a": torch.tensor([[6.0, 7], [8, 9]]), "b": torch.tensor([1.0, 2, 3, 4])})
view = RAW.dictionary(
    RAW.text("a") + RAW.tensor(RAW.storage("1", 6, view=b"(" + RAW.text("7") + RAW.number(2) + RAW.number(3) + b"t"), 1, [2], [1]),
    RAW.text("b") + RAW.tensor(RAW.storage("1", 6, view=b"N"), 0, [6], [1]),
)
put("storage-view", legacy_file(view, [("1", [5, 6, 7, 8, 9, 10])]))

# The weights of a model that other goldens have.
GOLDEN = OUT.parent / "models/electra-mlm/model.safetensors"
if GOLDEN.exists():
    weights = load_file(GOLDEN)
    put("model", saved(weights), {})
    put("model-legacy", legacy(weights), {})
    flat = torch.cat([tensor.reshape(-1) for tensor in weights.values()])
    at, views = 0, {}
    for n, (name, tensor) in enumerate(weights.items()):
        views[name] = tensor.t().contiguous().t() if tensor.dim() == 2 and n % 3 == 0 else flat[at:at + tensor.numel()].view(tensor.shape)
        at += tensor.numel()
    put("model-views", saved(views), {})
    # Shards, of which the second is in the older format.
    names = list(weights)
    for n, write in enumerate([saved, legacy]):
        put(f"model-shard-{n}", write({name: weights[name] for name in names[n::2]}), {})

# Weights of folders.json as old releases wrote them; the names are the case and the file.
FOLDERS = OUT.parent / "folders.json"
if FOLDERS.exists():
    folders = json.loads(FOLDERS.read_text())
    cases = {"encoder": folders["encoder"], **{case["name"]: case["files"] for case in folders["cases"]}}
    for name, write in [("encoder", saved), ("two-dense", legacy), ("layers", saved), ("static-dense", saved)]:
        for part, content in cases[name].items():
            if part.endswith("model.safetensors"):
                put(f"{name}/{part}", write(load(base64.b64decode(content["base64"]))))

# The model of the fuzz targets.
linear = lambda name, rows, columns: {f"{name}.weight": some(torch.float32, rows, columns), f"{name}.bias": some(torch.float32, rows)}
norm = lambda name: {f"{name}.LayerNorm.weight": some(torch.float32, 8), f"{name}.LayerNorm.bias": some(torch.float32, 8)}
layer = "bert.encoder.layer.0"
tiny = {f"bert.embeddings.{name}_embeddings.weight": some(torch.float32, rows, 8) for name, rows in [("word", 26), ("position", 16), ("token_type", 2)]}
tiny |= norm("bert.embeddings") | norm(f"{layer}.attention.output") | norm(f"{layer}.output") | norm("cls.predictions.transform")
for name in ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"]:
    tiny |= linear(f"{layer}.{name}", 8, 8)
tiny |= linear(f"{layer}.intermediate.dense", 16, 8) | linear(f"{layer}.output.dense", 8, 16)
tiny |= linear("cls.predictions.transform.dense", 8, 8) | {"cls.predictions.bias": some(torch.float32, 26)}
both("tiny", tiny)
flat = torch.cat([tensor.reshape(-1) for tensor in tiny.values()]).half()
at = 0
for name, tensor in tiny.items():
    tiny[name] = flat[at:at + tensor.numel()].view(tensor.shape[::-1]).t() if tensor.dim() == 2 else flat[at:at + tensor.numel()]
    at += tensor.numel()
both("tiny-views", tiny)

# What must be refused.
CALLS = {"os-system": Call(os.system, "touch ran"), "eval": Call(eval, "open('ran', 'w')"), "exec": Call(exec, "open('ran', 'w')"), "getattr": Call(getattr, "abc", "upper"), "import": Call(__import__, "os"), "open": Call(open, "ran", "w"), "torch-load": Call(torch.load, "x"), "hub": Call(torch.hub.load, "x")}
NAMES = {"os-system": "system", "import": "__import__", "torch-load": "torch.serialization.load", "hub": "torch.hub.load"}
for name, call in CALLS.items():
    for protocol in (2, 4):
        pickled = pickle.dumps({"x": call}, protocol=protocol)
        word = NAMES.get(name, name)
        refuse(f"bad-{name}-{protocol}", with_pickle(file, pickled), "unsupported", word, "nothing of it is run")
        refuse(f"bad-{name}-{protocol}-bare", pickled, "unsupported", word)
        facts = legacy(state())
        at = [n for n in range(len(facts)) if facts.startswith(b"\x80\x02", n)][3]
        refuse(f"bad-{name}-{protocol}-legacy", facts[:at] + pickled + facts[at:], "unsupported", word)
import argparse as namespace_module

refuse("bad-namespace", saved({**state(), "args": namespace_module.Namespace(lr=1)}), "unsupported", "argparse.Namespace")
refuse("bad-datetime", saved({**state(), "when": datetime.datetime(2020, 1, 1)}), "unsupported", "datetime")
refuse("bad-module", saved(torch.nn.Linear(2, 2)), "unsupported", "Linear")
refuse("bad-numpy", saved({"a": __import__("numpy").float32(1)}), "unsupported", "numpy")
refuse("bad-set", saved({"a": some(), "s": {1, 2}}), "unsupported", "set")
refuse("bad-sparse", saved({"a": torch.eye(3).to_sparse()}), "unsupported", "_rebuild_sparse_tensor")
refuse("bad-quantized", saved({"a": torch.quantize_per_tensor(some(torch.float32, 3), 0.1, 0, torch.qint8)}), "unsupported", "_rebuild_qtensor")
refuse("bad-meta", saved({"a": torch.empty(3, device="meta")}), "unsupported", "_rebuild_meta_tensor_no_storage")
refuse("bad-conjugate", saved({"a": torch.randn(3, dtype=torch.complex64).conj()}), "unsupported", "conjugate")
refuse("bad-list", saved([some()]), "unsupported", "dictionary of tensors")
refuse("bad-tensor", saved(some()), "unsupported", "dictionary of tensors")
refuse("bad-nested", saved({"state_dict": state(), "epoch": 3}), "unsupported", "state_dict")
refuse("bad-nested-model", legacy({"model": dict(state()), "optimizer": {}}), "unsupported", "\"model\"")
refuse("bad-deflated", rezipped(file, compression=zipfile.ZIP_DEFLATED), "unsupported", "compressed")
refuse("bad-big-endian", rezipped(file, lambda name, content: b"big" if name.endswith("byteorder") else content), "unsupported", "big-endian")
script = io.BytesIO()
torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), script)
refuse("bad-script", script.getvalue(), "unsupported", "__torch__")
dump = lambda *parts: b"\x80\x02" + b"".join(parts) + b"."
OPERATIONS = {"INST": b"(ios\nsystem\n", "OBJ": b"(cos\nsystem\no", "EXT1": b"\x82\x01", "PERSID": b"P1\n", "NEWOBJ_EX": b"ccollections\nOrderedDict\n)}\x92", "POP": b"N0", "DUP": b"N2", "STRING": b"S'a'\n", "BYTEARRAY8": b"\x96" + bytes(8), "NEXT_BUFFER": b"\x97", "FROZENSET": b"(\x91", "GET": b"g0\n"}
for name, operation in OPERATIONS.items():
    word = "os.system" if name == "OBJ" else name
    refuse(f"bad-operation-{name.lower()}", with_pickle(file, dump(operation)), "unsupported", word)
refuse("bad-operation-unknown", with_pickle(file, dump(b"\xff")), "unsupported", "0xff")
BAD = {
    "stack": b"R",
    "stack-below-mark": b"N(a",
    "mark": b"u",
    "memo": b"h\x07",
    "append": b"}Na",
    "items": b"](K\x01K\x02u",
    "odd-items": b"}(K\x01u",
    "call": b"K\x01)R",
    "arguments": b"ccollections\nOrderedDict\nNR",
    "tensor": b"ctorch._utils\n_rebuild_tensor\n)R",
    "parameter": b"ctorch._utils\n_rebuild_parameter\n(NNNtR",
    "storage": b"NQ",
    "size": b"ctorch\nSize\n)R",
}
for name, operations in BAD.items():
    refuse(f"bad-pickle-{name}", with_pickle(file, dump(operations)), "bad_weights", "pickle" if name != "storage" else "")
refuse("bad-pickle-global-is-called", with_pickle(file, dump(b"ctorch\nFloatStorage\n)R")), "unsupported", "storage")
refuse("bad-pickle-new-object", with_pickle(file, dump(b"ctorch\nTensor\n)\x81")), "unsupported", "torch.Tensor")
refuse("bad-pickle-state", with_pickle(file, dump(b"K\x01}b")), "unsupported", "state")
refuse("bad-pickle-module", with_pickle(file, dump(b"(" + RAW.text("module") + b"NNNtQ")), "unsupported", "module")
refuse("bad-pickle-cut", with_pickle(file, zipfile.ZipFile(io.BytesIO(file)).read("archive/data.pkl")[:100]), "bad_weights", "cut short")
refuse("bad-pickle-long-name", with_pickle(file, b"\x80\x02c" + b"x" * 4000), "bad_weights", "name")
for name, offset, shape, strides, word in [("beyond", 3, [2], [1], "storage"), ("stride", 0, [2, 2], [3, 1], "storage"), ("negative-size", 0, [-1], [1], "whole number"), ("negative-stride", 3, [2], [-1], "whole number"), ("negative-offset", -1, [1], [1], "whole number"), ("huge", 0, [2**31 - 1] * 3, [0, 0, 0], "too large"), ("huge-stride", 0, [2, 2], [2**31 - 1, 1], "storage"), ("dimensions", 0, [1] * 70, [1] * 70, "70 sizes"), ("ranks", 0, [2, 2], [1], "2 sizes")]:
    pickled = RAW.dictionary(RAW.text("a.b") + RAW.tensor(RAW.storage("0", 4, view=b"N"), offset, shape, strides))
    refuse(f"bad-view-{name}", legacy_file(pickled, [("0", [1, 2, 3, 4])]), "bad_weights", word)
tensor = RAW.text("a") + RAW.tensor(RAW.storage("0", 4), 0, [4], [1])
refuse("bad-storage-twice", legacy_file(RAW.dictionary(tensor), [("0", [1, 2, 3, 4]), ("0", [1, 2, 3, 4])]), "bad_weights", "twice")
refuse("bad-storage-unknown", legacy_file(RAW.dictionary(tensor), [("0", [1, 2, 3, 4]), ("1", [1])]), "bad_weights", "storages")
refuse("bad-storage-unlisted", legacy_file(RAW.dictionary(tensor), []), "bad_weights", "storage 0 is missing")
refuse("bad-storage-length", legacy_file(RAW.dictionary(tensor), [("0", [1, 2, 3])]), "bad_weights", "4 elements, got 3")
refuse("bad-storage-two-ways", legacy_file(RAW.dictionary(tensor, RAW.text("b") + RAW.tensor(RAW.storage("0", 4, "HalfStorage"), 0, [4], [1])), [("0", [1, 2, 3, 4])]), "bad_weights", "two ways")
refuse("bad-goes-on", legacy_file(RAW.dictionary(tensor), [("0", [1, 2, 3, 4])]) + b"x", "bad_weights", "goes on")
refuse("bad-goes-on-zip", file + b"x" * 40, "bad_weights", "goes on")
refuse("bad-entry-missing", rezipped(file, lambda name, content: None if name.endswith("data/3") else content), "bad_weights", "layer.3.weight", "missing")
refuse("bad-entry-short", rezipped(file, lambda name, content: content[:len(content) // 2] if name.endswith("data/1") else content), "bad_weights", "storage 1")
refuse("bad-entry-short-stream", rezipped(file, lambda name, content: content[:len(content) // 2] if name.endswith("data/1") else content, stream=True), "bad_weights", "data/1")
refuse("bad-no-pickle", rezipped(file, lambda name, content: None if name.endswith("data.pkl") else content), "bad_weights", "data.pkl")
refuse("bad-two-pickles", rezipped(rezipped(file), order=lambda entries: entries + entries[:1]), "bad_weights", "data.pkl")
refuse("bad-list-of-entries", file.replace(b"PK\x01\x02", b"PK\x01\x03", 1), "bad_weights", "damaged")
for part in (1, 3, 30, 200, len(file) // 2, len(file) - 30, len(file) - 1):
    refuse(f"bad-cut-{part}", file[:part], "bad_weights", "cut short" if part > 24 else "")
old = legacy(state(5))
for part in (1, 30, 200, len(old) // 2, len(old) - 1):
    refuse(f"bad-cut-legacy-{part}", old[:part], "bad_weights", "cut short" if part > 24 else "")
refuse("bad-html", b"<!doctype html><title>404</title>", "bad_weights", "HTML")
refuse("bad-lfs", b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 440473133\n", "bad_weights", "LFS")
refuse("bad-empty", b"", "bad_weights", "empty")
refuse("bad-safetensors", save({"a": torch.ones(3)}), "bad_weights", "safetensors")
refuse("bad-other", b"GGUF" + bytes(60), "bad_weights", "torch.save")
refuse("bad-number", pickle.dumps(7, 2) * 20, "bad_weights", "magic number")
# A pickle that would take time or memory: texts without an end, containers that hold themselves, copies of copies.
refuse("bad-bomb-text", with_pickle(file, b"\x80\x02X\xff\xff\xff\x7f" + b"x" * 100), "bad_weights", "cut short")
refuse("bad-bomb-text-8", with_pickle(file, b"\x80\x02\x8d" + b"\xff" * 8 + b"x" * 100), "bad_weights", "cut short")
refuse("bad-bomb-copies", with_pickle(file, dump(b"](" + b"K\x01" * 3000 + b"eq\x00" + b"ctorch\nSize\nh\x00\x85R" * 400)), "bad_weights", "copies")
refuse("bad-bomb-deep", with_pickle(file, dump(b")" + b"\x85" * 9000)), "unsupported", "dictionary")
refuse("bad-bomb-loop", with_pickle(file, dump(b"]q\x00h\x00ah\x00a")), "unsupported", "dictionary")
loop = b"\x80\x02}q\x00(" + RAW.text("self") + b"h\x00" + tensor + b"u."
put("loop", legacy_file(loop, [("0", [1, 2, 3, 4])]))
(OUT / "files").write_bytes(FILES)
rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in ROWS.items())
(OUT / "files.json").write_text("{\n" + rows + "\n}\n")
print(len(ROWS), "files,", len(FILES), "bytes")
