"""Low-rank adapters of the encoder's matrices (LoRA, Hu and others 2021): W x + B A x, where A and B train, so that one encoder's
weights serve tasks that would otherwise disturb each other. An adapter has its own biases and layer norms, which are small."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

QUERY_KEY = ("attention.self.query", "attention.self.key")
OTHERS = ("attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense")
BASE_TYPES = 2  # token types of the shared encoder
DAMPING = 1e-3  # added to a covariance's diagonal, as a share of its mean


class Adapted(nn.Module):
    """A linear layer with B A beside its matrix [out, in]: `lora_A` is A [rank, in], `lora_B` is B [out, rank]."""

    def __init__(self, linear, rank):
        super().__init__()
        out, inner = linear.weight.shape
        self.weight = linear.weight
        self.bias = nn.Parameter(linear.bias.detach().clone())
        self.lora_A = nn.Parameter(torch.randn(rank, inner) * inner ** -0.5)
        self.lora_B = nn.Parameter(torch.zeros(out, rank))

    def forward(self, x):
        return F.linear(x, self.weight, self.bias) + F.linear(F.linear(x, self.lora_A), self.lora_B)


class AdaptedTable(nn.Module):
    """A table of embeddings [entries, width] with B A beside it: `lora_A` is A [rank, width], `lora_B` is B [entries, rank]."""

    def __init__(self, embedding, rank):
        super().__init__()
        entries, width = embedding.weight.shape
        self.weight = embedding.weight
        self.lora_A = nn.Parameter(torch.randn(rank, width) * width ** -0.5)
        self.lora_B = nn.Parameter(torch.zeros(entries, rank))

    def forward(self, ids):
        return F.embedding(ids, self.weight) + F.embedding(ids, self.lora_B) @ self.lora_A


def adapt(network, ranks):
    """Puts adapters into the encoder's layers, in place, and beside the word table if its rank is not 0. Only adapters, biases and layer
    norms train then. ranks: of queries' and keys' matrices, of the other matrices, of the word table."""
    network.requires_grad_(False)
    bert = network.mlm.bert
    for layer in bert.encoder.layer:
        for names, rank in zip((QUERY_KEY, OTHERS), ranks):
            for name in names:
                parent, _, last = name.rpartition(".")
                holder = layer.get_submodule(parent)
                setattr(holder, last, Adapted(getattr(holder, last), rank))
    if ranks[2]:
        bert.embeddings.word_embeddings = AdaptedTable(bert.embeddings.word_embeddings, ranks[2])
    for _, parameter in own_parameters(bert):
        parameter.requires_grad_(True)


def widen_types(network, count):
    """Gives the encoder a table of `count` token types of its own, in place, each of which starts as the first."""
    table = network.mlm.bert.embeddings
    first = table.token_type_embeddings.weight.detach()[:1]
    table.token_type_embeddings = nn.Embedding(count, first.shape[1], _weight=first.repeat(count, 1))
    network.config.type_vocab_size = count


def own_parameters(bert):
    """[(name, parameter)] of the adapter in an encoder with adapters: its factors, biases and layer norms, and a table of token types that
    is not the shared one."""
    has_types = bert.embeddings.token_type_embeddings.num_embeddings > BASE_TYPES
    return [(name, parameter) for name, parameter in bert.named_parameters()
            if name.endswith("bias") or "LayerNorm" in name or "lora_" in name or has_types and "token_type" in name]


class TwoPaths(nn.Module):
    """Two networks over the same matrices; both train. `masks` uses the matrices directly, `vectors` with adapters."""

    def __init__(self, masks, ranks):
        super().__init__()
        self.config = masks.config
        self.masks, self.vectors = masks, copy.deepcopy(masks)
        adapt(self.vectors, ranks)
        adapted, base = self.vectors.mlm.bert, masks.mlm.bert
        for name, module in adapted.named_modules():
            if isinstance(module, Adapted | AdaptedTable):
                module.weight = base.get_submodule(name).weight
        for name in ("position_embeddings", "token_type_embeddings"):
            setattr(adapted.embeddings, name, getattr(base.embeddings, name))

    def path(self, task):
        """The network that serves a task."""
        return self.vectors if task == "vectors" else self.masks


@torch.no_grad()
def second_moments(network, run):
    """{name: X^T X / n} of the inputs X [n, in] of the linear layers of the network's encoder while `run(network)` runs."""
    sums, rows = {}, {}

    def watch(name):
        def add(_, inputs, __):
            x = inputs[0].flatten(0, -2).float()
            sums[name] = sums.get(name, 0) + x.T @ x
            rows[name] = rows.get(name, 0) + len(x)
        return add

    hooks = [module.register_forward_hook(watch(name)) for name, module in network.mlm.bert.named_modules()
             if isinstance(module, torch.nn.Linear | Adapted) and ".layer." in name]
    run(network)
    for hook in hooks:
        hook.remove()
    return {name: total / rows[name] for name, total in sums.items()}


def factors(difference, rank, moment=None):
    """(B, A) of a rank, with B A as close as possible to a difference [out, in]: measured by its output for inputs with this second
    moment [in, in], or by its entries without one. Both have similar norms."""
    root = inverse = torch.eye(difference.shape[1])
    if moment is not None:
        values, axes = torch.linalg.eigh(moment.cpu() + DAMPING * moment.diagonal().mean().cpu() * root)
        root, inverse = ((axes * values.clamp_min(1e-12) ** power) @ axes.T for power in (0.5, -0.5))
    u, s, v = torch.linalg.svd(difference.cpu() @ root, full_matrices=False)
    size = s[:rank].sqrt()
    return u[:, :rank] * size, (size[:, None] * v[:rank]) @ inverse


@torch.no_grad()
def begin_between(network, original, share):
    """Moves the encoder this share of the way to another encoder, {name: tensor} by BERT's own names."""
    for name, parameter in network.mlm.bert.named_parameters():
        parameter.lerp_(original[name], share)


@torch.no_grad()
def begin_at(network, original, moments):
    """Starts adapters as close as possible to another encoder, {name: tensor} by BERT's own names, with the second moments of its
    linear layers' inputs."""
    bert = network.mlm.bert
    for name, module in bert.named_modules():
        if isinstance(module, Adapted | AdaptedTable):
            left, right = factors(original[f"{name}.weight"] - module.weight, len(module.lora_A), moments.get(name))
            module.lora_B.copy_(left)
            module.lora_A.copy_(right)
    for name, parameter in own_parameters(bert):
        if "lora_" not in name:
            parameter.copy_(original[name])


@torch.no_grad()
def load_adapter(network, tensors):
    """Copies the adapter from the state of a `TwoPaths` with the same ranks."""
    for name, parameter in own_parameters(network.mlm.bert):
        parameter.copy_(tensors[f"vectors.mlm.bert.{name}"])


def ranks_of(tensors):
    """The ranks of a shipped adapter, as `adapt` takes them."""
    layer = "bert.encoder.layer.0"
    names = f"{layer}.{QUERY_KEY[0]}", f"{layer}.{OTHERS[0]}", "bert.embeddings.word_embeddings"
    return tuple(len(tensors.get(f"{name}.lora_A.weight", ())) for name in names)


@torch.no_grad()
def load_shipped(network, tensors):
    """Copies the adapter of a shipped file in f32, of the same ranks."""
    for name, parameter in adapter_tensors(network).items():
        parameter.copy_(tensors[f"bert.{name}"])


@torch.no_grad()
def load_cut(network, other, moments):
    """Starts adapters as close as possible to another network's, which may have other ranks, with the second moments of its linear
    layers' inputs. The rows of A beyond a lower rank keep their random values; B's columns are 0 there."""
    modules = dict(other.mlm.bert.named_modules())
    for name, module in network.mlm.bert.named_modules():
        if isinstance(module, Adapted | AdaptedTable) and name in modules:
            given = modules[name]
            known = min(len(given.lora_A), len(module.lora_A))
            if known == len(given.lora_A):
                left, right = given.lora_B, given.lora_A
            else:
                left, right = factors(given.lora_B @ given.lora_A, known, moments.get(name))
            module.lora_B[:, :known].copy_(left)
            module.lora_A[:known].copy_(right)
    own = dict(own_parameters(other.mlm.bert))
    for name, parameter in own_parameters(network.mlm.bert):
        if "lora_" not in name:
            parameter.copy_(own[name])


@torch.no_grad()
def load_tagger(network, tensors):
    """Copies the classifier of tokens from the file of minilm-entities. Tags which that file does not have, the last ones, stay untrained."""
    for part, parameter in network.tagger.named_parameters():
        known = tensors[f"classifier.{part}"]
        parameter[:len(known)].copy_(known)


def adapter_tensors(network):
    """{name: tensor} of the adapter, by BERT's names and PEFT's: `x.lora_A.weight` beside `x.weight`."""
    return {f"{name}.weight" if "lora_" in name else name: parameter.detach() for name, parameter in own_parameters(network.mlm.bert)}


def merged(tensors):
    """{name: tensor} with the products of adapters added to their matrices."""
    found = {name: tensor for name, tensor in tensors.items() if ".lora_" not in name}
    for name, left in tensors.items():
        if name.endswith(".lora_B.weight"):
            matrix = name.replace(".lora_B", "")
            found[matrix] = found[matrix] + left @ tensors[name.replace("lora_B", "lora_A")]
    return found
