"""The forward passes of `cargo bench --bench gpu` in PyTorch, on the first CUDA device.

Prints the milliseconds of `BertModel` from the call to one row on the host (eager), and of its CUDA
graph alone, in f32 without TF32. Random weights, the median of 15 runs.

pip install torch transformers
python benches/gpu/pytorch.py
"""

import statistics
import time

import torch
from transformers import BertConfig, BertModel

# name, layers, columns, heads
MODELS = [("MiniLM", 6, 384, 12), ("BERT-base", 12, 768, 12)]
# sequences, tokens of each
WORKLOADS = [(1, 1), (1, 16), (1, 128), (1, 512), (32, 128)]
VOCABULARY = 1000


def milliseconds(run):
    """Returns the median time of a call, after three others."""
    for _ in range(3):
        run()
    times = []
    for _ in range(15):
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def graph_of(model, ids):
    """Returns a function that replays the model's kernels and waits for them."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            model(input_ids=ids)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        model(input_ids=ids)

    def replay():
        graph.replay()
        torch.cuda.synchronize()

    return replay


def main():
    torch.backends.cuda.matmul.allow_tf32 = False
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
    a = torch.randn(8192, 8192, device="cuda")

    def product():
        (a @ a).sum().item()

    print(f"8192³ in f32: {2 * 8192**3 / milliseconds(product) / 1e9:.1f} TFLOP/s")
    for name, layers, width, heads in MODELS:
        config = BertConfig(
            vocab_size=VOCABULARY,
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=4 * width,
        )
        model = BertModel(config, add_pooling_layer=False).eval().cuda()
        for count, length in WORKLOADS:
            ids = (torch.arange(count * length) % VOCABULARY).view(count, length)
            with torch.inference_mode():
                eager = milliseconds(lambda: model(input_ids=ids.cuda()).last_hidden_state[0, 0].cpu())
                graph = milliseconds(graph_of(model, ids.cuda()))
            flops = layers * count * length * (24 * width * width + 4 * length * width)
            print(
                f"{name} F32 {count}×{length}: {eager:.2f} ms, as a graph {graph:.2f} ms, "
                f"{flops / eager / 1e9:.1f} TFLOP/s"
            )


if __name__ == "__main__":
    main()
