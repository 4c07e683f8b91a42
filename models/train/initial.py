"""The network that each stage begins with."""

import torch

import adapters
import entity_text
import export
import sources
from dequantize import exact
from network import Network, bert_config
from storage import load_checkpoint
from train import DEVICE

TOWARDS_ORIGINAL = 0.4  # the share of the way from the masked LM to the original at which the stage encoder begins


class Initial:
    """The networks of a run, by its options: `masks`, `work`, `resume`."""

    def __init__(self, tensors, labelled, seed, options):
        """tensors: the original encoder's; labelled: {task: (training, development, labels)}."""
        self.tensors, self.seed, self.options = tensors, seed, options
        self.labels = {task: labels for task, (_, _, labels) in labelled.items()}

    def of(self, stage, original, run):
        """The network of a stage. original: a network with the original's tensors; run: runs a network over some texts, from which adapters
        learn what the linear layers get."""
        match stage.name:
            case "masks":
                network = self.bare()
            case "encoder":
                network = self.one_encoder(stage.ranks, original, run)
            case "embeddings" | "entities":
                network = self.adapted(stage.ranks, stage.types)
                if self.options.resume:
                    shipped = int8(export.MODELS / f"minilm-{stage.name}" / export.ADAPTER, "it is part of the repository")
                    self.begin_at_shipped(network, shipped, stage.types, run)
                elif stage.name == "embeddings":
                    adapters.load_adapter(network, self.checkpoint("encoder"))
                if stage.name == "entities":
                    network.tagger.requires_grad_(True)
                    if self.options.resume:
                        adapters.load_tagger(network, shipped)
        return network.to(DEVICE)

    def bare(self):
        """The original encoder with untrained heads."""
        torch.manual_seed(self.seed)
        network = Network(bert_config(self.tensors), self.labels, entity_text.TAGS)
        network.load_encoder(self.tensors)
        return network.to(DEVICE)

    def masked_lm(self):
        """What the stage masks made, or the folder --masks."""
        network = self.bare()
        if not self.options.masks:
            network.load_state_dict(self.checkpoint("masks"))
            return network
        network.load_masked_lm(int8(self.options.masks / "minilm-mlm/model.safetensors", "--masks is the folder of minilm-mlm"))
        for task in self.labels:
            file = self.options.masks / f"minilm-{task}/classifier.safetensors"
            network.load_classifier(task, int8(file, f"--masks is the folder of minilm-{task}, too"))
        return network

    def one_encoder(self, ranks, original, run):
        """Matrices between the masked LM's and the original's, and adapters that make the rest of the way to the original as far as
        they can."""
        network, states = self.masked_lm(), original.mlm.bert.state_dict()
        adapters.begin_between(network, states, TOWARDS_ORIGINAL)
        paths = adapters.TwoPaths(network, ranks)
        adapters.begin_at(paths.vectors, states, adapters.second_moments(original, run))
        return paths

    def adapted(self, ranks, types):
        """The masked LM of models/, in int8's numbers, with adapters that alone train. types: the number of token types of their own, or 0."""
        network = self.bare()
        network.load_masked_lm(int8(export.MODELS / "minilm-mlm/model.safetensors", "run the stage encoder before"))
        if types:
            adapters.widen_types(network, types)
        adapters.adapt(network, ranks)
        return network

    def begin_at_shipped(self, network, shipped, types, run):
        """Starts adapters at a shipped file's, cut by singular values where its ranks are higher."""
        whole = self.adapted(adapters.ranks_of(shipped), types)
        adapters.load_shipped(whole, shipped)
        adapters.load_cut(network, whole, adapters.second_moments(whole.to(DEVICE), run))

    def checkpoint(self, stage):
        return load_checkpoint(sources.need(self.options.work / f"{stage}.safetensors", f"run the stage {stage} before"))


def int8(path, hint):
    """The f32 numbers of a file of int8 weights."""
    return exact(load_checkpoint(sources.need(path, hint)))
