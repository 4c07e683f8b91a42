"""Scores on the development sets, by which choices are made. The shipped files are scored by ../eval/score.mjs."""

import numpy as np
import torch

import classification
import sources
import vectors
from masking import MASK_ID


def clozes(path):
    """[(sentence with [MASK], accepted answers)]."""
    return [(sentence, {answer.strip().lower() for answer in answers.split(",")}) for sentence, answers in sources.pairs(path)]


@torch.no_grad()
def top_tokens(network, tokenizer, sentences, count=5):
    """The best tokens of each sentence's [MASK]: [[token]]."""
    found = []
    for sentence in sentences:
        ids = torch.tensor([tokenizer.encode(sentence).ids])
        states = network.encode(ids, (ids[0] == MASK_ID).nonzero()[:1, 0])
        best = network.logits(states)[0].topk(count).indices.tolist()
        found.append([tokenizer.id_to_token(i) for i in best])
    return found


def score_clozes(network, tokenizer, pairs):
    """(share of right first answers, share of sentences with a right answer among five)."""
    answers = top_tokens(network, tokenizer, [sentence for sentence, _ in pairs])
    first = np.mean([best[0] in accepted for best, (_, accepted) in zip(answers, pairs)])
    five = np.mean([bool(accepted & set(best)) for best, (_, accepted) in zip(answers, pairs)])
    return first, five


@torch.no_grad()
def score_held_out(network, buckets):
    """(top-1, top-5) of the word with the greatest weight of each held-out sentence, where it is one token."""
    right = np.zeros(3)
    for tokens, _ in buckets.values():
        at = tokens.weights.shape[1] - 1 - np.argmax(tokens.weights[:, ::-1], axis=1)
        rows = np.arange(len(at))
        whole = (tokens.words == tokens.words[rows, at][:, None]).sum(axis=1) == 1
        ids = tokens.ids[whole].astype(np.int64)
        if not len(ids):
            continue
        rows, at = rows[:len(ids)], at[whole]
        truth = ids[rows, at].copy()
        ids[rows, at] = MASK_ID
        best = network.logits(network.encode(torch.from_numpy(ids), torch.from_numpy(rows * ids.shape[1] + at))).topk(5).indices.cpu().numpy()
        right += [np.sum(best[:, 0] == truth), np.sum(best == truth[:, None]), len(ids)]
    return right[:2] / max(1, right[2])


@torch.no_grad()
def label_logits(network, task, tokenizer, texts):
    """[texts, labels]."""
    return torch.cat([network.classify(task, torch.tensor([tokenizer.encode(text).ids]), None) for text in texts]).cpu()


def score_labels(network, task, tokenizer, pairs, labels):
    """The share of right labels; neutral texts have none, and some three hundred texts are enough to watch."""
    pairs = [(label, text) for label, text in pairs if label != classification.NEUTRAL]
    pairs = pairs[::max(1, len(pairs) // 300)]
    best = label_logits(network, task, tokenizer, [text for _, text in pairs]).argmax(-1).tolist()
    return float(np.mean([labels[i] == label for i, (label, _) in zip(best, pairs)]))


class Vectors:
    """How near the network's vectors are to the original's, on texts that are not trained on."""

    def __init__(self, network, tokenizer, texts):
        """The network has the original's tensors still."""
        self.tokenizer, self.texts = tokenizer, texts
        # Eight texts of each of six labels, and others: what programs teach a classifier.
        self.taught, self.asked = (sources.pairs(sources.need(sources.TICKETS / f"tickets-{part}.tsv", "it is part of the repository"))
                                   for part in ("train", "unseen"))
        self.targets = vectors.encoded(network, tokenizer, texts, vectors.own)
        self.accuracy = self.few_shot(network, vectors.own)

    def few_shot(self, network, vector):
        found = [vectors.encoded(network, self.tokenizer, [text for _, text in pairs], vector) for pairs in (self.taught, self.asked)]
        labels = [[label for label, _ in pairs] for pairs in (self.taught, self.asked)]
        return vectors.few_shot(found[0], labels[0], found[1], labels[1])

    def score(self, network):
        """(Spearman correlation of the cosines of all pairs, share of the nearest neighbours that are the same, accuracy of a classifier
        taught by eight texts of each label as a share of the original's)."""
        found = vectors.encoded(network, self.tokenizer, self.texts, vectors.own)
        return *vectors.agreement(found, self.targets), self.few_shot(network, vectors.own) / self.accuracy
