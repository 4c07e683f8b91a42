"""The PyTorch side of `npm run bench -- train`.

Each line of standard input is `forward` (no gradients) or `step` (forward, backward, clipping, AdamW). Runs it once and
answers with its seconds. The argument is JSON: sizes, threads, labels, batch, tokens."""

import json
import sys
import time

import torch
from transformers import BertConfig, BertForSequenceClassification

told = json.loads(sys.argv[1])
torch.set_num_threads(told["threads"])
sizes = {name: told[name] for name in ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")}
config = BertConfig(**sizes, num_labels=told["labels"], hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
model = BertForSequenceClassification(config).train()
ids = torch.randint(1000, 30000, (told["batch"], told["tokens"]))
labels = torch.arange(told["batch"]) % told["labels"]
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, weight_decay=0.01)


def forward():
    with torch.no_grad():
        model(input_ids=ids, labels=labels).loss.item()


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = model(input_ids=ids, labels=labels).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    loss.item()


print(f"PyTorch {torch.__version__} ({torch.backends.cpu.get_cpu_capability()})", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    {"forward": forward, "step": step}[line.strip()]()
    print(time.perf_counter() - start, flush=True)
