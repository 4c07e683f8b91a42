"""Writes tests/goldens/onnx: ONNX files of a small BERT as exporters and quantisers write them, and its outputs.

    python make_onnx.py --out tests/goldens/onnx [--seed N]

`files` has all files one after another, and `files.json` a row for each: where its bytes are, and its outputs by PyTorch over the weights that the file
holds, dequantised; or the expected error code and words of its message. A weight is found by its numbers, not by its name. Needs torch 2.9 or later,
transformers, onnx and onnxruntime.
"""
import argparse
import copy
import io
import json
import pathlib
import tempfile
import warnings

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
from transformers import BertConfig, BertForMaskedLM, BertForSequenceClassification

warnings.filterwarnings("ignore")
args = argparse.ArgumentParser()
args.add_argument("--out", required=True)
args.add_argument("--seed", type=int, default=1)
args = args.parse_args()
OUT = pathlib.Path(args.out)
OUT.mkdir(parents=True, exist_ok=True)
torch.manual_seed(args.seed)
FILES, ROWS = bytearray(), {}
SIZES = dict(
    vocab_size=48, hidden_size=24, num_hidden_layers=1, num_attention_heads=2, intermediate_size=40, max_position_embeddings=16,
    num_labels=3, attn_implementation="eager",
)
IDS = torch.tensor([[2, 9, 30, 17, 44, 3], [2, 40, 3, 0, 0, 0]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
TYPES = torch.tensor([[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0]])


def model_of(kind, **sizes):
    model = kind(BertConfig(**SIZES | sizes)).eval()
    for name, parameter in model.named_parameters():
        # biases and norms are random too, so that mistakes show
        parameter.data = torch.randn_like(parameter) * 0.2 + (1 if "LayerNorm.weight" in name else 0)
    return model


def exported(model):
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch", 1: "sequence"} for name in names}
    buffer = io.BytesIO()
    model.config.return_dict = False
    torch.onnx.export(
        model, (IDS, MASK, TYPES), buffer, input_names=names, output_names=["logits"], dynamic_axes=axes, opset_version=17, dynamo=False,
        do_constant_folding=True,
    )
    model.config.return_dict = True
    return onnx.load_from_string(buffer.getvalue())


def halves(graph):
    """Returns the file with all floats as halves, with Casts where a weight is used."""
    graph = copy.deepcopy(graph)
    for tensor in graph.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), tensor.name))
    for node in graph.graph.node:
        for attribute in node.attribute:
            if attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.FLOAT16
    return graph


def dynamic(graph, **options):
    with tempfile.TemporaryDirectory() as folder:
        before, after = f"{folder}/a.onnx", f"{folder}/b.onnx"
        onnx.save(graph, before)
        quantize_dynamic(before, after, extra_options={"EnableSubgraph": False, "ForceQuantizeNoInputCheck": False}, **options)
        return onnx.load(after)


def blocks(graph, **options):
    quantizer = MatMulNBitsQuantizer(copy.deepcopy(graph), algo_config=DefaultWeightOnlyQuantConfig(**options))
    quantizer.process()
    return quantizer.model.model


def numbers(graph):
    """Returns the float tensors that the file holds, dequantised, by name."""
    tensors = {t.name: numpy_helper.to_array(t) for t in graph.graph.initializer if t.data_type != TensorProto.UINT4}
    found = {}
    for node in graph.graph.node:
        if node.op_type != "MatMulNBits":
            continue
        at = {a.name: a.i for a in node.attribute}
        data, scale = tensors[node.input[1]], tensors[node.input[2]].astype(np.float32).reshape(at["N"], -1)
        low_first = np.stack([data & 15, data >> 4], -1).reshape(at["N"], scale.shape[1], at["block_size"]).astype(np.float32)
        zero = np.full_like(scale, 8)
        if len(node.input) > 3:
            packed = tensors[node.input[3]].reshape(at["N"], -1)
            zero = np.stack([packed & 15, packed >> 4], -1).reshape(at["N"], -1)[:, : scale.shape[1]].astype(np.float32)
        found[node.input[1]] = ((low_first - zero[..., None]) * scale[..., None]).reshape(at["N"], -1)[:, : at["K"]]
    for name, value in tensors.items():
        if name.endswith("_quantized"):
            base = name[: -len("_quantized")]
            zero, scale = tensors[base + "_zero_point"].astype(np.float32), tensors[base + "_scale"]
            found[name] = (value.astype(np.float32) - zero) * scale
        elif value.dtype in (np.float32, np.float16):
            found[name] = value.astype(np.float32)
    return found


def outputs(model, graph):
    """Returns the outputs over the weights that the file holds, each found by its numbers."""
    found, other = numbers(graph), copy.deepcopy(model)
    if hasattr(other, "cls"):
        # a quantiser rounds the decoder by itself if the exporter has written a matrix for it
        other.cls.predictions.decoder.weight = torch.nn.Parameter(other.bert.embeddings.word_embeddings.weight.detach().clone())
    for name, parameter in other.named_parameters():
        want = parameter.detach().numpy()
        fits = [v for v in found.values() if v.shape == want.shape]
        turned = [v.T for v in found.values() if v.T.shape == want.shape and v.ndim == 2]
        fits = turned or fits if "decoder" in name else fits if "word_embeddings" in name else fits + turned
        near = min(fits, key=lambda v: np.abs(v - want).max())
        assert np.abs(near - want).max() < 0.2, (name, np.abs(near - want).max())
        parameter.data = torch.tensor(np.ascontiguousarray(near))
    with torch.no_grad():
        return other(IDS, attention_mask=MASK, token_type_ids=TYPES).logits


def keep(data):
    start = len(FILES)
    FILES.extend(data)
    return [start, len(FILES)]


def add(name, graph, model=None, data=None, **row):
    for entry in graph.graph.value_info[:]:
        graph.graph.value_info.remove(entry)
    for node in graph.graph.node:
        node.ClearField("doc_string")
    row["bytes"] = keep(graph.SerializeToString())
    if data is not None:
        row["data"] = keep(data)
    if model is not None:
        row["logits"] = [round(x, 6) for x in outputs(model, graph).flatten().tolist()]
    ROWS[name] = row


def refused(name, data, code, *words):
    """Adds a file that is refused: the bytes between its first and its last bytes, which are those of `fp32`."""
    most = min(len(data), len(WHOLE))
    first = next((n for n in range(most) if data[n] != WHOLE[n]), most)
    last = next((n for n in range(most - first) if data[-1 - n] != WHOLE[-1 - n]), most - first)
    ROWS[name] = {"first": first, "bytes": keep(data[first : len(data) - last]), "last": last, "code": code, "words": list(words)}


torch.manual_seed(args.seed)
MODEL, LM = model_of(BertForSequenceClassification), model_of(BertForMaskedLM)
GRAPH, LM_GRAPH = exported(MODEL), exported(LM)
add("fp32", GRAPH, MODEL)
add("fp16", halves(GRAPH), MODEL)
add("int8-channels", dynamic(GRAPH, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8), MODEL)
add("int8-tensors", dynamic(GRAPH, weight_type=QuantType.QInt8), MODEL)
add("uint8-channels", dynamic(GRAPH, per_channel=True, weight_type=QuantType.QUInt8), MODEL)
add("q4", blocks(GRAPH, block_size=32, is_symmetric=True), MODEL)
add("q4-zero-points", blocks(GRAPH, block_size=16, is_symmetric=False), MODEL)
add("lm-fp32", LM_GRAPH, LM)
add("lm-int8", dynamic(LM_GRAPH, weight_type=QuantType.QInt8), LM)

# for the fuzz target: small enough to be mutated
TINY = model_of(BertForSequenceClassification, hidden_size=8, intermediate_size=8, max_position_embeddings=8)
TINY_GRAPH = exported(TINY)
add("tiny-fp32", TINY_GRAPH, TINY)
add("tiny-int8", dynamic(TINY_GRAPH, per_channel=True, weight_type=QuantType.QInt8), TINY)


def external(graph):
    """Returns the file with its large tensors in another one, and that file."""
    graph, data = copy.deepcopy(graph), bytearray()
    for tensor in graph.graph.initializer:
        if len(tensor.raw_data) < 256:
            continue
        data.extend(bytes(-len(data) % 64))
        entries = {"location": "model.onnx_data", "offset": str(len(data)), "length": str(len(tensor.raw_data))}
        data.extend(tensor.raw_data)
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in entries.items():
            tensor.external_data.add(key=key, value=value)
    return graph, bytes(data)


outside, beside = external(GRAPH)
add("external", outside, None, beside, logits=ROWS["fp32"]["logits"])

QUERY = "layer.0.attention.self.query"


def changed(change):
    graph = copy.deepcopy(GRAPH)
    change(graph.graph)
    return graph.SerializeToString()


def node_of(graph, part, op):
    return next(node for node in graph.node if node.op_type == op and part in node.name)


def between(op):
    def change(graph):
        node = node_of(graph, "self/query", "MatMul")
        graph.node.insert(0, helper.make_node(op, [node.input[1]] * (2 if op == "Mul" else 1), ["changed"], name="between"))
        node.input[1] = "changed"

    return change


def without(part):
    def change(graph):
        kept = [tensor for tensor in graph.initializer if part not in tensor.name]
        del graph.initializer[:]
        graph.initializer.extend(kept)

    return change


def cycle(graph):
    node = node_of(graph, "self/query", "MatMul")
    graph.node.append(helper.make_node("Transpose", ["b"], ["a"], name="one", perm=[1, 0]))
    graph.node.append(helper.make_node("Transpose", ["a"], ["b"], name="other", perm=[1, 0]))
    node.input[1] = "a"


def dims(graph):
    tensor = next(t for t in graph.initializer if t.name.endswith("word_embeddings.weight"))
    tensor.dims[0] = 1 << 40


WHOLE = GRAPH.SerializeToString()
refused("unknown-op", changed(between("MysteryUnpack")), "unsupported", "MysteryUnpack", "between")
refused("product", changed(between("Mul")), "unsupported", "Mul", "between")
refused("cycle", changed(cycle), "unsupported", "MatMul")
refused("no-bias", changed(without("self.query.bias")), "bad_weights", f"{QUERY}.bias")
refused("no-words", changed(without("word_embeddings")), "bad_weights", "word_embeddings")
refused("no-tensors", changed(without("")), "bad_weights", "is missing")
refused("huge", changed(dims), "bad_weights", "word_embeddings")
refused("cut", WHOLE[:-1], "bad_weights", "cut short")
refused("zeros", bytes(4096), "bad_weights", "field of number 0")
refused("varint", b"\x3a" + b"\xff" * 63, "bad_weights", "varint")
refused("page", b"<!DOCTYPE html><html><body>no such file</body></html>", "bad_weights", "HTML")
refused("pointer", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n", "bad_weights", "Git LFS")
refused("no-graph", b"\x08\x08" + b"\x12\x16" + b"a producer of no graph", "bad_weights", "graph")

def field(number, data):
    """Returns a field with bytes in the wire format."""
    length, head = len(data), bytearray([number << 3 | 2])
    while length > 127:
        head.append(length & 127 | 128)
        length >>= 7
    return bytes(head) + bytes([length]) + data


nested = b""
for _ in range(100):
    nested = field(1, field(4, b"If") + field(5, field(1, b"then_branch") + field(6, nested)))
refused("nested", field(7, nested), "bad_weights", "nested")

for name, model in (("config", MODEL), ("lm-config", LM), ("tiny-config", TINY)):
    config = json.loads(model.config.to_json_string(use_diff=False))
    keys = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "max_position_embeddings", "type_vocab_size")
    small = {key: config[key] for key in keys} | {"model_type": "bert", "architectures": [type(model).__name__]}
    small["id2label"] = {str(n): f"LABEL_{n}" for n in range(3)}
    small["layer_norm_eps"] = config["layer_norm_eps"]
    ROWS[name] = small
ROWS["inputs"] = {"input_ids": IDS.tolist(), "attention_mask": MASK.tolist(), "token_type_ids": TYPES.tolist()}
(OUT / "files").write_bytes(FILES)
(OUT / "files.json").write_text(json.dumps(ROWS) + "\n")
print(len(FILES), "bytes,", len(ROWS), "rows")
