"""The forward passes of `cargo bench --bench gpu` in onnxruntime's WebGPU provider.

Prints the milliseconds of `BertModel` in f32 from the call to the whole last state on the host. Random weights, the
median of ten runs after three others.

pip install onnxruntime-webgpu onnx torch transformers
python benches/gpu/onnxruntime_webgpu.py
"""

import statistics
import sys
import tempfile
import time

import numpy as np
import onnxruntime
import torch
from models import LastState
from transformers import BertConfig, BertModel

PROVIDER = "WebGpuExecutionProvider"
# name, layers, columns, heads
MODELS = [("MiniLM", 6, 384, 12), ("BERT-base", 12, 768, 12)]
# sequences, tokens of each
WORKLOADS = [(1, 1), (1, 16), (1, 128), (1, 512), (32, 128)]


def export(path, layers, width, heads):
    """Writes the model to an ONNX file with free sizes."""
    config = BertConfig(
        vocab_size=1000,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        attn_implementation="eager",
    )
    model = LastState(BertModel(config, add_pooling_layer=False).eval())
    example = (torch.zeros(2, 8, dtype=torch.long), torch.ones(2, 8, dtype=torch.long))
    sizes = {0: "count", 1: "length"}
    with torch.no_grad():
        torch.onnx.export(
            model,
            example,
            path,
            input_names=["ids", "mask"],
            output_names=["state"],
            dynamic_axes={"ids": sizes, "mask": sizes},
            dynamo=False,
            opset_version=17,
        )


def milliseconds(run):
    """Returns the median time of a call, after three others."""
    for _ in range(3):
        run()
    times = []
    for _ in range(10):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def main():
    if PROVIDER not in onnxruntime.get_available_providers():
        sys.exit(f"onnxruntime {onnxruntime.__version__}: expected {PROVIDER}; pip install onnxruntime-webgpu")
    print(f"onnxruntime {onnxruntime.__version__}")
    for name, layers, width, heads in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/model.onnx"
            export(path, layers, width, heads)
            session = onnxruntime.InferenceSession(path, providers=[PROVIDER, "CPUExecutionProvider"])
        for count, length in WORKLOADS:
            ones = np.ones((count, length), np.int64)
            taken = milliseconds(lambda: session.run(None, {"ids": ones, "mask": ones}))
            print(f"{name} F32 {count}×{length}: {taken:.2f} ms")


if __name__ == "__main__":
    main()
