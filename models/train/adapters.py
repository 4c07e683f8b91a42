"""Low-rank adapters of the encoder's matrices (LoRA, Hu and others 2021): W x + B A x, of which A and B train, so that one encoder's
weights serve skills that would take from each other. Biases and layer norms, which are small, are the adapter's own."""

import torch
import torch.nn.functional as F
from torch import nn

QUERY_KEY = ("attention.self.query", "attention.self.key")
OTHERS = ("attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense")
WORDS_RANK = 16  # of the word table's
DAMPING = 1e-3  # added to a covariance's diagonal, as a share of its mean


class Adapted(nn.Module):
    """A linear layer with B A beside its matrix [out, in], which stays: `lora_A` is A [rank, in], `lora_B` is B [out, rank]."""

    def __init__(self, linear, rank):
        super().__init__()
        out, inner = linear.weight.shape
        self.register_buffer("weight", linear.weight.detach())
        self.bias = nn.Parameter(linear.bias.detach().clone())
        self.lora_A = nn.Parameter(torch.randn(rank, inner) * inner ** -0.5)
        self.lora_B = nn.Parameter(torch.zeros(out, rank))

    def forward(self, x):
        return F.linear(x, self.weight, self.bias) + F.linear(F.linear(x, self.lora_A), self.lora_B)


def adapt(network, ranks):
    """Puts adapters into the encoder's layers, in place; they, biases and layer norms of the layers are all that trains then.
    ranks: that of queries' and keys' matrices, that of the others."""
    network.requires_grad_(False)
    layers = network.mlm.bert.encoder.layer
    for layer in layers:
        for names, rank in zip((QUERY_KEY, OTHERS), ranks):
            for name in names:
                parent, _, last = name.rpartition(".")
                holder = layer.get_submodule(parent)
                setattr(holder, last, Adapted(getattr(holder, last), rank))
    for name, parameter in layers.named_parameters():
        parameter.requires_grad_(name.endswith("bias") or "LayerNorm" in name or "lora_" in name)


@torch.no_grad()
def second_moments(network, run):
    """{name: X^T X / n} of the inputs X [n, in] that the linear layers of the network's encoder get while `run` runs."""
    sums, rows = {}, {}

    def watch(name):
        def add(_, inputs, __):
            x = inputs[0].flatten(0, -2).float()
            sums[name] = sums.get(name, 0) + x.T @ x
            rows[name] = rows.get(name, 0) + len(x)
        return add

    hooks = [module.register_forward_hook(watch(name)) for name, module in network.mlm.bert.named_modules()
             if isinstance(module, torch.nn.Linear) and ".layer." in name]
    run()
    for hook in hooks:
        hook.remove()
    return {name: total / rows[name] for name, total in sums.items()}


def factors(difference, rank, moment=None):
    """(B, A) of a rank, with B A as near as can be to a difference [out, in]: by what it makes of inputs of that second moment
    [in, in], or by its entries without one. The two are of like size."""
    root = inverse = torch.eye(difference.shape[1])
    if moment is not None:
        values, axes = torch.linalg.eigh(moment.cpu() + DAMPING * moment.diagonal().mean().cpu() * root)
        root, inverse = ((axes * values.clamp_min(1e-12) ** power) @ axes.T for power in (0.5, -0.5))
    u, s, v = torch.linalg.svd(difference.cpu() @ root, full_matrices=False)
    size = s[:rank].sqrt()
    return u[:, :rank] * size, (size[:, None] * v[:rank]) @ inverse


@torch.no_grad()
def begin_at(network, original, moments):
    """Lets adapters begin as near as they can to another encoder, {name: tensor} by BERT's own names, with the second moments of its
    linear layers' inputs. The word table gets one, too, which stays as it is."""
    bert = network.mlm.bert
    for name, module in bert.named_modules():
        if isinstance(module, Adapted):
            left, right = factors(original[f"{name}.weight"] - module.weight, len(module.lora_A), moments[name])
            module.lora_B.copy_(left)
            module.lora_A.copy_(right)
    for name, parameter in bert.named_parameters():
        if parameter.requires_grad and "lora_" not in name:
            parameter.copy_(original[name])
    words = bert.embeddings.word_embeddings
    left, right = (factor.to(words.weight) for factor in factors(original["embeddings.word_embeddings.weight"] - words.weight, WORDS_RANK))
    words.weight += left @ right
    words.register_buffer("lora_B", left)
    words.register_buffer("lora_A", right)


def adapter_tensors(network):
    """{name: tensor} of what belongs to the adapter, by BERT's names and PEFT's: `x.lora_A.weight` beside `x.weight`."""
    bert = network.mlm.bert
    own = [(name, parameter) for name, parameter in bert.named_parameters() if parameter.requires_grad]
    own += [(name, buffer) for name, buffer in bert.named_buffers() if "lora_" in name]
    return {f"{name}.weight" if "lora_" in name else name: tensor.detach() for name, tensor in own}


def merged(tensors):
    """{name: tensor} with the products of adapters in their matrices."""
    found = {name: tensor for name, tensor in tensors.items() if ".lora_" not in name}
    for name, left in tensors.items():
        if name.endswith(".lora_B.weight"):
            matrix = name.replace(".lora_B", "")
            found[matrix] = found[matrix] + left @ tensors[name.replace("lora_B", "lora_A")]
    return found
