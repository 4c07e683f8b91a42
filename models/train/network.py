"""The network: transformers' BERT holds the parameters under their standard names; the forward pass here is the same function
without what training on one processor does not need (padding within a batch of one length, logits of unmasked tokens)."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import nn
from transformers import BertConfig, BertForMaskedLM


class Network(nn.Module):
    """A masked LM, classifiers of texts and of tokens, and sentence vectors over one encoder."""

    def __init__(self, config, labels, tags=()):
        """labels: {task: [label]} of texts; tags: the labels of tokens."""
        super().__init__()
        self.config = config
        self.mlm = BertForMaskedLM(config)
        self.poolers = nn.ModuleDict({task: nn.Linear(config.hidden_size, config.hidden_size) for task in labels})
        self.classifiers = nn.ModuleDict({task: nn.Linear(config.hidden_size, len(names)) for task, names in labels.items()})
        self.tagger = nn.Linear(config.hidden_size, len(tags))
        for classifier in [*self.classifiers.values(), self.tagger]:
            nn.init.normal_(classifier.weight, std=0.02)
            nn.init.zeros_(classifier.bias)

    def load_encoder(self, tensors):
        """Starts from a bare BERT encoder's tensors. The dense layer of the masked-LM head starts as the identity, each pooler as the
        encoder's."""
        own = {name: tensor for name, tensor in tensors.items() if not name.startswith("pooler.") and "position_ids" not in name}
        missing, unexpected = self.mlm.bert.load_state_dict(own, strict=False)
        assert not missing and not unexpected, (missing, unexpected)
        dense = self.mlm.cls.predictions.transform.dense
        nn.init.eye_(dense.weight)
        nn.init.zeros_(dense.bias)
        for pooler in self.poolers.values():
            pooler.weight.data.copy_(tensors["pooler.dense.weight"])
            pooler.bias.data.copy_(tensors["pooler.dense.bias"])

    def path(self, task):
        """The network that serves a task: this one, for all."""
        return self

    def load_masked_lm(self, tensors):
        """The encoder and the masked-LM head of a checkpoint of the masked LM alone."""
        missing, unexpected = self.mlm.load_state_dict(tensors, strict=False)
        assert not unexpected and all(name.startswith("cls.predictions.decoder") for name in missing), (missing, unexpected)  # tied

    def encode(self, ids, wanted, mask=None, dropout=0.0, types=None):
        """The last states [n, hidden] at the positions `wanted` [n] of the flattened batch, so that the last layer computes no others.

        ids [rows, length]; mask [rows, length] of bool, or None where nothing is padding; dropout: the share of zeros after the
        embeddings and each sublayer; types [rows, length], or None where all are 0.
        """
        table, layers = self.mlm.bert.embeddings, self.mlm.bert.encoder.layer
        ids, wanted, mask, types = (part if part is None else part.to(table.word_embeddings.weight.device) for part in (ids, wanted, mask, types))
        drop = partial(F.dropout, p=dropout, training=dropout > 0)
        of_types = table.token_type_embeddings.weight[0] if types is None else table.token_type_embeddings(types)
        x = table.word_embeddings(ids) + table.position_embeddings.weight[:ids.shape[1]] + of_types
        x = drop(self.norm(x, table.LayerNorm))
        for layer in layers:
            context = self.attention(x, layer.attention.self, mask)
            if layer is layers[-1]:
                x, context = x.flatten(0, 1)[wanted], context.flatten(0, 1)[wanted]
            x = self.norm(x + drop(layer.attention.output.dense(context)), layer.attention.output.LayerNorm)
            inner = F.gelu(layer.intermediate.dense(x))
            x = self.norm(x + drop(layer.output.dense(inner)), layer.output.LayerNorm)
        return x

    def states(self, ids, mask=None, dropout=0.0, types=None):
        """The last states of all tokens [rows, length, hidden]."""
        rows, length = ids.shape
        return self.encode(ids, torch.arange(rows * length), mask, dropout, types).view(rows, length, -1)

    def attention(self, x, own, mask):
        """x [rows, length, hidden] → the heads' contexts, of the same shape."""
        rows, length, hidden = x.shape
        heads = self.config.num_attention_heads
        q, k, v = (part(x).view(rows, length, heads, -1).transpose(1, 2) for part in (own.query, own.key, own.value))
        # Written out: on a CPU, PyTorch's fused attention takes ten times as long at sixteen tokens.
        scores = (q @ k.transpose(2, 3)) * (hidden // heads) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
        return (scores.softmax(-1).to(v.dtype) @ v).transpose(1, 2).reshape(rows, length, hidden)

    def norm(self, x, layer):
        return F.layer_norm(x, (x.shape[-1],), layer.weight.to(x.dtype), layer.bias.to(x.dtype), self.config.layer_norm_eps)

    def logits(self, states):
        """states [n, hidden] → logits [n, vocabulary]."""
        head = self.mlm.cls.predictions
        h = self.norm(F.gelu(head.transform.dense(states)), head.transform.LayerNorm)
        return F.linear(h, self.mlm.bert.embeddings.word_embeddings.weight, head.bias)

    def load_classifier(self, task, tensors):
        """The pooler and the classifier of a checkpoint of one of the classifiers of texts."""
        self.poolers[task].load_state_dict({part: tensors[f"bert.pooler.dense.{part}"] for part in ("weight", "bias")})
        self.classifiers[task].load_state_dict({part: tensors[f"classifier.{part}"] for part in ("weight", "bias")})

    def mlm_loss(self, ids, chosen, truth, teacher=None):
        """The mean cross-entropy at the chosen positions of the flattened batch; with a teacher, its mean with the divergence from the
        teacher's distribution (Hinton and others 2015)."""
        logits = self.logits(self.encode(ids, chosen))
        loss = F.cross_entropy(logits, truth.to(logits.device))
        if teacher is None:
            return loss
        with torch.no_grad():
            expected = F.log_softmax(teacher.logits(teacher.encode(ids, chosen)).float(), dim=-1)
        divergence = F.kl_div(F.log_softmax(logits.float(), dim=-1), expected, reduction="batchmean", log_target=True)
        return (loss + divergence) / 2

    def classify(self, task, ids, mask, dropout=0.0):
        """Logits [rows, labels]."""
        rows, length = ids.shape
        first = self.encode(ids, torch.arange(rows) * length, mask, dropout)
        return self.classifiers[task](F.dropout(torch.tanh(self.poolers[task](first)), dropout, dropout > 0)).float()

    def tag(self, ids, types, mask, dropout=0.0):
        """Logits of each token [rows, length, tags]."""
        return self.tagger(F.dropout(self.states(ids, mask, dropout, types), dropout, dropout > 0)).float()

    def vectors(self, ids, mask):
        """The sentences' vectors [rows, hidden], of length 1: sentence-transformers' Pooling by the mean, Normalize."""
        mask = mask.to(self.tagger.weight.device)
        return F.normalize(mean_pooled(self.states(ids, mask), mask).float(), dim=-1)


def mean_pooled(states, mask):
    """states [rows, length, hidden], mask [rows, length] of bool → [rows, hidden]."""
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1)


def bert_config(tensors):
    """all-MiniLM-L6-v2's shape."""
    return BertConfig(vocab_size=tensors["embeddings.word_embeddings.weight"].shape[0], hidden_size=384, num_hidden_layers=6,
                      num_attention_heads=12, intermediate_size=1536, hidden_act="gelu", layer_norm_eps=1e-12)
