"""Labelled sentences for the classifiers: batches, the loss, the split."""

import random

import numpy as np
import torch
import torch.nn.functional as F

BATCH = 48
POOL = 40 * BATCH  # of which batches of like lengths are made
SMOOTHING = 0.05  # so that probabilities mean something
DROPOUT = 0.1
MAX_TOKENS = 64
NEUTRAL = "neutral"  # no label of the classifier: such a text is to be split evenly among the labels


def split(pairs, block=20, every=10):
    """[(label, text)] → (training, development, labels in order of name).

    Every tenth block of neighbouring lines is held out: texts that mirror each other stand near each other, and a line whose
    mirror image was trained on says little.
    """
    pairs = list(dict.fromkeys(pairs))
    parts = [], []
    for i, pair in enumerate(pairs):
        parts[i // block % every == every - 1].append(pair)
    return *parts, sorted({label for label, _ in pairs} - {NEUTRAL})


def padded(encodings, limit=MAX_TOKENS):
    """(ids, mask) of [rows, the longest length], `limit` at most."""
    rows = [encoding.ids[:limit] for encoding in encodings]
    length = max(map(len, rows))
    ids = np.zeros((len(rows), length), dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, :len(row)] = row
    return torch.from_numpy(ids), torch.from_numpy(ids != 0)


class Examples:
    """Endless batches of [(encoding, target distribution over the labels)]. The texts of a batch have similar lengths, so
    little is padded."""

    def __init__(self, examples, seed):
        self.examples = examples
        self.rng = random.Random(seed)
        self.queue = []

    def one_pass(self):
        """[batch]: each example once."""
        examples = self.rng.sample(self.examples, len(self.examples))
        batches = []
        for i in range(0, len(examples), POOL):
            pool = sorted(examples[i:i + POOL], key=lambda example: len(example[0].ids))
            batches += [pool[j:j + BATCH] for j in range(0, len(pool), BATCH)]
        self.rng.shuffle(batches)
        return batches

    def next(self):
        """(ids, mask, targets [rows, labels])."""
        if not self.queue:
            self.queue = self.one_pass()
        taken = self.queue.pop()
        ids, mask = padded([encoding for encoding, _ in taken])
        return ids, mask, torch.stack([target for _, target in taken])


def target(label, labels):
    """The target probabilities [labels]: smoothed, and even for a neutral text."""
    if label == NEUTRAL:
        return torch.full((len(labels),), 1 / len(labels))
    return F.one_hot(torch.tensor(labels.index(label)), len(labels)) * (1 - SMOOTHING) + SMOOTHING / len(labels)


def targets(pairs, labels, tokenizer):
    """[(encoding, target)]."""
    encodings = tokenizer.encode_batch([text for _, text in pairs])
    return [(encoding, target(label, labels)) for encoding, (label, _) in zip(encodings, pairs)]


def loss(logits, target):
    return -(target.to(logits.device) * F.log_softmax(logits, dim=-1)).sum(-1).mean()
