"""The token classifier for personal data: batches, the loss, scores."""

import random

import torch
import torch.nn.functional as F

from classification import DROPOUT, MAX_TOKENS
from entity_text import TAGS, tags

BATCH = 48
POOL = 40 * BATCH  # of which batches of like lengths are made
WEIGHT = 1.0  # of this loss beside the masked LM's


class Tagged:
    """Endless batches of (ids, mask, tags) of texts with similar lengths; -100 is ignored."""

    def __init__(self, examples, tokenizer, seed):
        """examples: [(text, spans)]."""
        encodings = tokenizer.encode_batch([text for text, _ in examples])
        self.rows = [(encoding.ids[:MAX_TOKENS], tags(encoding, spans)[:MAX_TOKENS]) for encoding, (_, spans) in zip(encodings, examples)]
        self.rng = random.Random(seed)
        self.queue = []

    def next(self):
        if not self.queue:
            rows = self.rng.sample(self.rows, len(self.rows))
            for i in range(0, len(rows), POOL):
                pool = sorted(rows[i:i + POOL], key=lambda row: len(row[0]))
                self.queue += [pool[j:j + BATCH] for j in range(0, len(pool), BATCH)]
            self.rng.shuffle(self.queue)
        return batch(self.queue.pop())


def batch(rows):
    """(ids, mask, tags) of [rows, the longest length]."""
    length = max(len(ids) for ids, _ in rows)
    ids = torch.zeros(len(rows), length, dtype=torch.long)
    targets = torch.full((len(rows), length), -100)
    for i, (own, known) in enumerate(rows):
        ids[i, :len(own)], targets[i, :len(own)] = torch.tensor(own), torch.tensor(known)
    return ids, ids != 0, targets


def loss(network, ids, mask, targets):
    logits = network.tag(ids, mask, DROPOUT)
    return WEIGHT * F.cross_entropy(logits.flatten(0, 1), targets.flatten().to(logits.device), ignore_index=-100)


@torch.no_grad()
def found(network, tokenizer, text):
    """{(start, end, label)} as webert's aggregation "first" groups tokens: a word has its first token's tag, and `I-` of the same label
    continues a group."""
    encoding = tokenizer.encode(text)
    best = network.tag(torch.tensor([encoding.ids]), None)[0].argmax(-1).tolist()
    groups, last = [], None
    for i, word in enumerate(encoding.word_ids):
        if word is None:
            continue
        start, end = encoding.offsets[i]
        if word == last:
            groups[-1][1] = end
            continue
        last = word
        begin, _, label = TAGS[best[i]].rpartition("-")
        if groups and begin != "B" and groups[-1][2] == label:
            groups[-1][1] = end
        else:
            groups.append([start, end, label])
    return {tuple(group) for group in groups if group[2] != "O"}


def score(network, tokenizer, examples):
    """The F1 of exact spans over [(text, spans)]."""
    right = there = given = 0
    for text, spans in examples:
        groups = found(network, tokenizer, text)
        right += len(groups & set(spans))
        there += len(spans)
        given += len(groups)
    return 2 * right / max(1, there + given)
