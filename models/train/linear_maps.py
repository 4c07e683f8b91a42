"""`python models/train/linear_maps.py ENCODER [SENTENCES]`: how near linear maps of the states of models/minilm-mlm come to the sentence
vectors of the encoder that it was made from (the folder ENCODER), fitted by least squares to its vectors of so many training sentences
(12,000), and few-shot classifiers on the vectors of both. Prints the table of README.md."""

import random
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

import sources
from dequantize import exact
from network import mean_pooled
from storage import load_checkpoint
from vectors import agreement, encoded, few_shot

MODELS = Path(__file__).resolve().parent.parent
WIDTH, LAYERS = 384, 6
RIDGE = 1e-2
MAPS = {"layer 6": [6], "layer 5": [5], "layer 4": [4], "layer 3": [3], "layers 5 and 6": [5, 6], "layers 4 to 6": [4, 5, 6],
        "the embeddings and all layers": list(range(LAYERS + 1))}


def bert(tensors):
    config = BertConfig(vocab_size=30522, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=12, intermediate_size=1536)
    model = BertModel(config, add_pooling_layer=False)
    missing = model.load_state_dict({name.removeprefix("bert."): x.float() for name, x in tensors.items()}, strict=False).missing_keys
    if any("position_ids" not in name for name in missing):
        raise sources.Failure(f"the encoder lacks {missing[0]}")
    return model.eval()


def means(network, ids, mask):
    """The mean states of the embeddings and of each layer: [texts, (layers + 1) · width]."""
    states = network(input_ids=ids, attention_mask=mask.long(), output_hidden_states=True).hidden_states
    return torch.cat([mean_pooled(x, mask) for x in states], -1)


def columns(layers):
    return torch.cat([torch.arange(layer * WIDTH, (layer + 1) * WIDTH) for layer in layers])


def with_one(x):
    return torch.cat([x, torch.ones(len(x), 1)], 1)


def fitted(x, y):
    """The matrix W of least squares for y = [x, 1] · W."""
    x, y = with_one(x).double(), y.double()
    return torch.linalg.solve(x.T @ x + RIDGE * torch.eye(x.shape[1], dtype=torch.double), x.T @ y).float()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 12_000
    tokenizer = Tokenizer.from_file(str(sources.need(folder / "tokenizer.json", "ENCODER is a folder of Hugging Face's layout")))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    original = bert(load_checkpoint(folder / "model.safetensors"))
    ships = bert(exact(load_checkpoint(MODELS / "minilm-mlm/model.safetensors")))
    states = lambda texts: encoded(ships, tokenizer, texts, means)
    targets = lambda texts: F.normalize(encoded(original, tokenizer, texts, means)[:, -WIDTH:], dim=-1)

    texts = list(dict.fromkeys([*sources.everyday_sentences(), *(text for name in ("sentiment", "topic") for _, text in sources.labelled(name))]))
    random.Random(1).shuffle(texts)
    seen = states(texts[:count]), targets(texts[:count])
    asked = {name: [text for _, text in sources.pairs(MODELS / f"eval/{name}.tsv")] for name in ("topic", "sentiment")}
    asked = {name: (states(texts), targets(texts)) for name, texts in asked.items()}

    def show(name, of):
        scores = (agreement(of(own), target) for own, target in asked.values())
        print(f"| {name} | {' | '.join(f'{rho:.3f}, {100 * same:.0f} %' for rho, same in scores)} |", flush=True)

    print("| | topic.tsv | sentiment.tsv |\n| --- | --- | --- |")
    show("the last layer's mean", lambda x: x[:, -WIDTH:])
    for name, layers in MAPS.items():
        chosen = columns(layers)
        weights = fitted(seen[0][:, chosen], seen[1])
        show(f"linear, {name}", lambda x: with_one(x[:, chosen]) @ weights)

    taught, unseen = (sources.pairs(sources.TICKETS / f"tickets-{part}.tsv") for part in ("train", "unseen"))
    (labels, shown), (truth, others) = zip(*taught), zip(*unseen)
    for name, vectors in {"original": targets, "ships": lambda texts: states(texts)[:, -WIDTH:]}.items():
        print(f"few-shot, {name}: {100 * few_shot(vectors(shown), labels, vectors(others), truth):.1f} %")


if __name__ == "__main__":
    try:
        main()
    except (sources.Failure, OSError) as failure:
        sys.exit(f"models/train: {failure}")
