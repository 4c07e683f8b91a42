"""Makes the folders of `npm run bench -- visits`: one model in five layouts that people publish.

Usage: python benches/visits.py MODEL FOLDER. MODEL is a folder of a BERT encoder as transformers saves it, e.g. all-MiniLM-L6-v2.
Needs torch, transformers, sentence-transformers, peft, onnx and onnxruntime."""

import shutil
import sys
from pathlib import Path

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from peft import LoraConfig, get_peft_model
from sentence_transformers import SentenceTransformer
from transformers import AutoModel

source, out = Path(sys.argv[1]), Path(sys.argv[2])
TOKENIZER = ["tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"]


def encoder() -> torch.nn.Module:
    """Returns the model in f32."""
    return AutoModel.from_pretrained(source, dtype=torch.float32, attn_implementation="eager").eval()


def folder(name: str) -> Path:
    """Returns a new folder with the files beside the weights."""
    made = out / name
    made.mkdir(parents=True)
    encoder().config.save_pretrained(made)
    for file in TOKENIZER:
        if (source / file).exists():
            shutil.copy(source / file, made / file)
    return made


def export(path: Path) -> None:
    """Writes the graph in f32."""
    names = ["input_ids", "attention_mask", "token_type_ids"]
    model = encoder()
    forward = model.forward
    # A graph has positional inputs and a tensor as its output; transformers 5 takes names and returns an object.
    model.forward = lambda ids, mask, types: forward(
        input_ids=ids, attention_mask=mask, token_type_ids=types
    ).last_hidden_state
    ids = torch.ones(2, 8, dtype=torch.int64)
    axes = {name: {0: "batch", 1: "tokens"} for name in [*names, "last_hidden_state"]}
    torch.onnx.export(
        model, (ids, ids, ids * 0), str(path), input_names=names, output_names=["last_hidden_state"],
        dynamic_axes=axes, opset_version=17, dynamo=False,
    )  # fmt: skip


encoder().save_pretrained(folder("safetensors"))
torch.save(encoder().state_dict(), folder("pytorch") / "pytorch_model.bin")

# The files of a repository of onnx-community: the exact graph, and 8 bits per channel as transformers.js quantises.
graphs = folder("onnx") / "onnx"
graphs.mkdir()
export(graphs / "model.onnx")
quantize_dynamic(
    graphs / "model.onnx", graphs / "model_quantized.onnx", per_channel=True, reduce_range=True, weight_type=QuantType.QInt8
)  # fmt: skip

SentenceTransformer(str(source), device="cpu").save(str(out / "sentence-transformers"), create_model_card=False)

# An adapter beside its base; the factors are random, because their values do not change what a visit costs.
torch.manual_seed(0)
config = LoraConfig(r=8, target_modules=["query", "value"], init_lora_weights=False)
adapter = get_peft_model(encoder(), config)
adapter.peft_config["default"].base_model_name_or_path = "../safetensors"
adapter.save_pretrained(out / "adapter")
