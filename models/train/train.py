"""The training loop: the masked LM, the sentence vectors and the classifiers of texts and tokens, over one encoder."""

import ctypes
import itertools
import math
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import torch

import classification
import entities
import vectors
from masking import Batches
from storage import save_checkpoint


@dataclass
class Stage:
    name: str
    steps: int
    peak: float  # learning rate
    end: float  # as a fraction of the peak
    warm_up: int = 50  # steps
    minutes: float | None = None  # of training, instead of steps
    rate: float = 0.18  # of the words masked
    tokens: int = 2560  # a batch, of which `batches` make a step
    batches: int = 2  # of the masked LM a step; with 0 it does not train
    average: float = 0.99  # decay of the moving average of the weights, a step
    between: float = 10.0  # weight of the cosines between sentence vectors, which differ by hundredths
    types: int = 0  # token types of their own that adapters have, or 0
    ranks: tuple | None = None  # of adapters: of queries and keys, of other matrices, of the word table or 0
    # task → its batches a step, ¼ for one in every fourth; a task that is not there is left out. Beside the classifiers' names
    # there are "vectors" and "entities".
    tasks: dict = field(default_factory=dict)


DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
# bf16 is several times as fast as f32 where the processor multiplies it itself, and slower than f32 where it does not.
BF16 = DEVICE == "cuda" or any(torch.cpu.get_capabilities().get(name, False) for name in ("amx_bf16", "avx512_bf16"))
REPORT_STEPS = 25
SAVE_SECONDS = 500
DEPTH_DECAY = 0.95  # the learning rate of each layer below the last
NEW_PARTS = 2.0  # the rate of the untrained heads and token types
ADAPTERS = 4.0  # the rate of adapters that train together with the matrices that they adapt


def learning_rate(stage, step, done):
    """`done`: the completed share of the stage."""
    return stage.peak * min((step + 1) / stage.warm_up, 1) * (stage.end + (1 - stage.end) * (1 - done))


def share_done(stage, step, begun):
    """By steps, or by the clock if a stage has minutes instead."""
    return (time.time() - begun) / (60 * stage.minutes) if stage.minutes else step / stage.steps


def parameter_groups(network):
    layers = network.config.num_hidden_layers
    groups = {}
    for name, parameter in network.named_parameters():
        if not parameter.requires_grad:
            continue
        scale = NEW_PARTS
        if ".layer." in name:
            scale = DEPTH_DECAY ** (layers - 1 - int(name.split(".layer.")[1].split(".")[0]))
        elif "token_type" in name:
            scale = NEW_PARTS
        elif "embeddings" in name:
            scale = DEPTH_DECAY ** layers
        elif "pooler" in name:
            scale = 1.0
        if name.startswith("vectors."):
            scale *= ADAPTERS
        decay = 0.01 if parameter.ndim == 2 and "embeddings" not in name else 0.0
        groups.setdefault((scale, decay), []).append(parameter)
    return [{"params": parameters, "scale": scale, "weight_decay": decay} for (scale, decay), parameters in groups.items()]


class Average:
    """The moving average of the weights, which is what ships."""

    def __init__(self, network, decay, every=5):
        self.network, self.decay, self.every, self.seen = network, decay, every, 0
        self.weights = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}

    def update(self, step):
        if step % self.every:
            return
        self.seen += 1
        share = max(1 - self.decay ** self.every, 1 / (self.seen + 1))
        with torch.no_grad():
            for name, tensor in self.network.state_dict().items():
                self.weights[name].lerp_(tensor, share)

    def swapped(self, function):
        """Returns the result of `function` over the network with the averaged weights."""
        own = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
        self.network.load_state_dict(self.weights)
        try:
            return function(self.network)
        finally:
            self.network.load_state_dict(own)


def run_stage(network, stage, buckets, data, folder, seed, evaluate, teacher=None):
    """`data`: {task: iterator of its batches (ids, mask, targets)}; teacher: a network whose masked LM this one should
    resemble. Trains in place; returns the averaged weights. Prints progress, and saves both every few minutes."""
    torch.manual_seed(seed)
    batches = Batches(buckets, stage.tokens, stage.rate, seed, network.config.vocab_size)
    optimizer = torch.optim.AdamW(parameter_groups(network), lr=stage.peak, betas=(0.9, 0.98), eps=1e-6, fused=True)
    average = Average(network, stage.average)
    workers = Workers(network)
    begun = saved = time.time()
    losses = {}
    for step in itertools.count():
        done = share_done(stage, step, begun)
        if done >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(stage, step, done) * group["scale"]
        jobs = [mlm_job(network, stage, batches, teacher) for _ in range(stage.batches)]
        jobs += task_jobs(network, stage, step, data)
        for name, value in workers.step(jobs):
            losses.setdefault(name, []).append(value)
        norm = torch.nn.utils.clip_grad_norm_(workers.parameters, 1.0)
        if not math.isfinite(norm):
            raise FloatingPointError(f"step {step}: the gradient is not finite")
        optimizer.step()
        average.update(step)
        if (step + 1) % REPORT_STEPS == 0:
            report(stage, step + 1, losses, begun, batches.passes)
            losses.clear()
            give_memory_back()
        if time.time() - saved > SAVE_SECONDS:
            save_checkpoint(folder / f"{stage.name}.safetensors", average.weights)
            print("   ", average.swapped(evaluate), flush=True)
            saved = time.time()
    save_checkpoint(folder / f"{stage.name}.safetensors", average.weights)
    print(f"{stage.name}: {step} steps in {(time.time() - begun) / 60:.0f} min;", average.swapped(evaluate), flush=True)
    return average.weights


def give_memory_back():
    """Batches of many shapes leave holes in the heap, gigabytes of them in an hour."""
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)


class Workers:
    """Runs batches side by side, one thread each. PyTorch's own threads wait for each other after every operation, which takes most of the
    time on a busy machine."""

    def __init__(self, network):
        self.network = network
        self.parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
        self.pool = ThreadPoolExecutor(1 if DEVICE == "cuda" else os.cpu_count() or 1)

    def step(self, jobs):
        """jobs: [(name, weight, function without arguments → loss)]. Sets the gradients; returns [(name, loss)]."""
        results = list(self.pool.map(self.gradients, jobs))
        for parameter, *parts in zip(self.parameters, *(gradients for _, _, gradients in results)):
            known = [part for part in parts if part is not None]
            parameter.grad = sum(known[1:], start=known[0]) if known else None
        return [(name, loss) for name, loss, _ in results]

    def gradients(self, job):
        name, weight, loss_of = job
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=BF16):
            loss = loss_of()
        return name, loss.item(), torch.autograd.grad(loss * weight, self.parameters, allow_unused=True)


def mlm_job(network, stage, batches, teacher):
    ids, chosen, truth = (torch.from_numpy(array.astype("int64")) for array in batches.next())
    return "mlm", 1 / stage.batches, lambda: network.path("mlm").mlm_loss(ids, chosen, truth, teacher)


def task_jobs(network, stage, step, data):
    for task, share in stage.tasks.items():
        if step % max(1, round(1 / share)) == 0:
            count = max(1, round(share))
            yield from (task_job(network.path(task), task, data[task].next(), count, stage.between) for _ in range(count))


def task_job(network, task, batch, count, between):
    ids, mask, target = batch

    def loss_of():
        if task == "vectors":
            return vectors.loss(network, ids, mask, target, between)
        if task == "entities":
            return entities.loss(network, ids, mask, target)
        return classification.loss(network.classify(task, ids, mask, classification.DROPOUT), target)

    return task, 1 / count, loss_of


def report(stage, steps, losses, begun, passes):
    seconds = time.time() - begun
    left = seconds * (1 / share_done(stage, steps, begun) - 1)
    means = ", ".join(f"{name} {sum(values) / len(values):.3f}" for name, values in losses.items())
    rate = f"pass {passes}; {steps * stage.batches * stage.tokens / seconds:,.0f} tokens/s; " if stage.batches else ""
    print(f"{stage.name} {steps}: {means}; {rate}{left / 60:.1f} min left", flush=True)
