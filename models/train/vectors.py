"""Sentence vectors: the original encoder's as a target, and the distance of a network's vectors.

The original is all-MiniLM-L6-v2: the mean of the last states over all tokens, [CLS] and [SEP] included, scaled to length 1
(Reimers and Gurevych 2019, sentence-transformers)."""

import random

import numpy as np
import torch
import torch.nn.functional as F

import vector_text
from classification import padded
from network import mean_pooled

BATCH = 64  # texts encoded at once
ROWS = 96  # sentences a batch of training, fewer where they are more than this many tokens:
TOKENS = 3072
STATES = 0.3  # of the loss of the tokens' states
WEIGHT = 12.0  # of this loss beside the masked LM's
SHARPNESS = 10.0  # by which cosines are multiplied before a softmax


@torch.no_grad()
def encoded(network, tokenizer, texts, vector):
    """The results of `vector` for (network, ids, mask) of each text: [texts, width]. Texts of similar lengths run together."""
    encodings = tokenizer.encode_batch(list(texts))
    order = sorted(range(len(encodings)), key=lambda i: len(encodings[i].ids))
    rows = [None] * len(encodings)
    for at in range(0, len(order), BATCH):
        part = order[at:at + BATCH]
        ids, mask = padded([encodings[i] for i in part])
        for i, row in zip(part, vector(network, ids, mask)):
            rows[i] = row
    return torch.stack(rows)


def own(network, ids, mask):
    """The vectors of the network's encoder; the original's while it has the original's tensors."""
    return network.vectors(ids, mask).cpu()


class Targets:
    """Endless batches of (ids, mask, the original's states): sentences of similar lengths."""

    def __init__(self, original, tokenizer, texts, seed):
        """original: the network with the original's tensors."""
        self.original = original
        self.rng = random.Random(seed)
        self.encodings = tokenizer.encode_batch(texts)
        self.queue = []

    def one_pass(self):
        """[the numbers of a batch's sentences]: each sentence once."""
        lengths = [min(len(encoding.ids), vector_text.MAX_TOKENS) for encoding in self.encodings]
        order = sorted(range(len(lengths)), key=lambda i: lengths[i] + 3 * self.rng.random())
        batches, at = [], 0
        while at < len(order):
            rows = min(ROWS, max(1, TOKENS // (lengths[order[at]] + 3)))
            batches.append(order[at:at + rows])
            at += rows
        self.rng.shuffle(batches)
        return batches

    @torch.no_grad()
    def next(self):
        if not self.queue:
            self.queue = self.one_pass()
        ids, mask = padded([self.encodings[i] for i in self.queue.pop()], vector_text.MAX_TOKENS)
        return ids, mask, lambda: self.original.states(ids, mask)


def loss(network, ids, mask, original, between):
    """One minus the cosine of the vectors to the original's, the error of all cosines within the batch, since searching and comparing
    rest on how vectors lie to each other, and one minus the cosine of the tokens' states.

    original: gives the original's states [rows, length, width]; between: the weight of the cosines' mean square error.
    """
    with torch.no_grad():
        targets = original()
    states, mask = network.states(ids, mask), mask.to(targets.device)
    a, b = (F.normalize(mean_pooled(x, mask).float(), dim=-1) for x in (states, targets))
    tokens = 1 - F.cosine_similarity(states[mask].float(), targets[mask].float(), dim=-1).mean()
    return WEIGHT * (1 - (a * b).sum(-1).mean() + between * F.mse_loss(a @ a.T, b @ b.T) + STATES * tokens)


def spearman(a, b):
    """The rank correlation of two lists."""
    ranks = [np.argsort(np.argsort(np.asarray(values))) for values in (a, b)]
    return float(np.corrcoef(*ranks)[0, 1])


def agreement(vectors, targets):
    """(Spearman correlation of the cosines of all pairs, share of the rows whose nearest other row is the same)."""
    tables = [(rows @ rows.T).numpy() for rows in (F.normalize(vectors, dim=-1), F.normalize(targets, dim=-1))]
    upper = np.triu_indices(len(vectors), 1)
    nearest = []
    for table in tables:
        other = table.copy()
        np.fill_diagonal(other, -np.inf)
        nearest.append(other.argmax(1))
    return spearman(tables[0][upper], tables[1][upper]), float(np.mean(nearest[0] == nearest[1]))


def few_shot(vectors, labels, asked, truth):
    """The share of the rows of `asked` to which a softmax classifier taught by `vectors` [rows, width] and their labels gives the label in
    `truth`."""
    names = sorted(set(labels))
    targets = torch.tensor([names.index(label) for label in labels])
    vectors, asked = F.normalize(vectors.float(), dim=-1), F.normalize(asked.float(), dim=-1)
    weights = torch.zeros(len(names), vectors.shape[1], requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], lr=1.0, max_iter=50)

    def step():
        optimizer.zero_grad()
        value = F.cross_entropy(SHARPNESS * vectors @ weights.T, targets) + 1e-3 * weights.square().sum()
        value.backward()
        return value

    optimizer.step(step)
    best = (asked @ weights.detach().T).argmax(1).tolist()
    return float(np.mean([names[i] == label for i, label in zip(best, truth)]))
