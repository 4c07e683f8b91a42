"""The trained network as Hugging Face checkpoints: f32 in the work folder, then int8 where the package has them."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import torch
from safetensors import safe_open

import classification
import evaluate
from adapters import adapter_tensors, merged
from dequantize import INDEX
from sources import Failure
from storage import load_checkpoint, replace_folder, save_checkpoint

MODELS = Path(__file__).parent.parent
COMMAND = MODELS.parent / "dist" / "cli.js"
SHARED = "../minilm-mlm/model.safetensors"
CLASSIFIER = "classifier.safetensors"
ADAPTER = "adapter.safetensors"


def encoder(paths, tokenizer, labelled, work):
    """Writes work/f32/NAME and models/NAME for the masked LM and for each classifier of texts; a folder is replaced once its new one
    is whole."""
    network = paths.path("mlm")
    exact, small = emptied(work, ["minilm-mlm", *(f"minilm-{task}" for task in labelled)])
    write_mlm(network, exact / "minilm-mlm", tokenizer)
    for task, (_, development, labels) in labelled.items():
        temperature = calibrate(evaluate.label_logits(network, task, tokenizer, [text for _, text in development]),
                                torch.stack([classification.target(label, labels) for label, _ in development]))
        print(f"  {task}: temperature {temperature:.2f}")
        write_classifier(network, task, labels, temperature, exact / f"minilm-{task}")
    names = ["minilm-mlm", *(f"minilm-{task}" for task in labelled)]
    for name in names:
        quantize(exact / name, small / name)
    for name in names:
        place(small / name, MODELS / name)


def embeddings(network, work):
    """As `encoder`, for the sentence embeddings: an adapter over the masked LM's encoder."""
    write_adapted(network, "minilm-embeddings", "BertModel", {}, {}, work, SENTENCE_FILES, {})


# What `redact` adds to the logits, by the language of the text, so that less stays. Chosen by what it leaves and takes in ../eval.
REDACT_LABEL_BIAS = {"en": {"O": -1.2}, "other": {"O": -0.6}}


def entities(network, tags, work):
    """As `encoder`, for the classifier of tokens: an adapter over the masked LM's encoder, and the classifier."""
    labels = {"id2label": {str(i): tag for i, tag in enumerate(tags)}, "label2id": {tag: i for i, tag in enumerate(tags)}}
    labels |= {"lower_case": True, "redact_label_bias": REDACT_LABEL_BIAS}
    tagger = {f"classifier.{name}": tensor.detach() for name, tensor in network.tagger.state_dict().items()}
    write_adapted(network, "minilm-entities", "BertForTokenClassification", labels, tagger, work, {}, {"token_types": "word_shape"})


def emptied(work, names):
    """(the folder of f32, the folder of int8), without the tensors of these names."""
    for folder in (work / "f32", work / "int8"):
        for name in names:
            shutil.rmtree(folder / name, ignore_errors=True)
    return work / "f32", work / "int8"


def write_adapted(network, name, architecture, labels, head, work, files, of_tokenizer):
    """A folder of an adapter and a head over the masked LM's encoder: f32 with the adapter in the matrices, and as it ships. of_tokenizer:
    additional fields of tokenizer_config.json."""
    exact, small = (folder / name for folder in emptied(work, [name]))
    config = base_config(network, architecture) | labels
    base = {f"bert.{tensor}": values for tensor, values in network.mlm.bert.state_dict().items() if "lora_" not in tensor}
    own = {f"bert.{tensor}": values for tensor, values in adapter_tensors(network).items()}
    for folder in (exact, small):
        common_files(folder, config | ({"transformers_weights": INDEX} if folder is small else {}), of_tokenizer=of_tokenizer)
        write_files(folder, files)
    save_checkpoint(exact / "model.safetensors", merged(base | own) | head)
    shutil.copy(MODELS / "minilm-mlm/tokenizer.json", exact)
    save_checkpoint(small / ADAPTER, rounded(own) | {name: tensor.half() for name, tensor in head.items()})
    write_index(small, ADAPTER, MODELS / "minilm-mlm/model.safetensors")
    place(small, MODELS / name)


def rounded(adapter):
    """{name: tensor} with the factors of adapters in int8, a scale a row, and biases, layer norms and token types in f16. First the rows of A take over
    the lengths of B's columns: each has a scale of its own, a row of B one for all its columns."""
    found = {name: tensor.half() for name, tensor in adapter.items() if ".lora_" not in name}
    for name, left in adapter.items():
        if not name.endswith(".lora_B.weight"):
            continue
        other = name.replace("lora_B", "lora_A")
        lengths = left.norm(dim=0)
        for factor, values in ((name, left / lengths), (other, adapter[other] * lengths[:, None])):
            scales = bfloat16_above(values.abs().amax(1) / 127)
            found[factor] = (values / scales.float().clamp_min(1e-30)[:, None]).round().to(torch.int8)
            found[f"{factor}_scale"] = scales
    return found


def bfloat16_above(values):
    """The least numbers of bf16 that are not below `values`, which are 0 or more: scales as `webert convert` writes them."""
    return ((values.float().view(torch.int32) + 0xffff) >> 16).to(torch.int16).view(torch.bfloat16)


# sentence-transformers' layout: each module's folder, and what it computes.
MODULES = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
SENTENCE_FILES = {
    "modules.json": [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
                     for i, (path, kind) in enumerate(MODULES.items())],
    "sentence_bert_config.json": {"max_seq_length": 256, "do_lower_case": False},
    "1_Pooling/config.json": {"word_embedding_dimension": 384, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True,
                              "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False},
}


def write_files(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content, indent=2) + "\n")


def quantize(exact, small):
    """The folder `small`: `exact` with its own weights as int8. A classifier's encoder is the masked LM's, in int8 already."""
    convert(exact, small)
    save_checkpoint(small / "model.safetensors", narrow(load_checkpoint(small / "model.safetensors")))
    if not (exact / INDEX).exists():
        return
    shutil.copy(exact / "config.json", small / "config.json")
    (small / "tokenizer.json").unlink(missing_ok=True)  # tokenizer_config.json names the masked LM's
    (small / "model.safetensors").rename(small / CLASSIFIER)
    write_index(small, CLASSIFIER, small / SHARED)


def narrow(tensors):
    """{name: tensor} with vectors, which are biases and layer norms, in f16 where they are f32."""
    return {name: tensor.half() if tensor.dtype == torch.float32 and tensor.ndim == 1 else tensor for name, tensor in tensors.items()}


def convert(exact, small):
    """`webert convert` of what lies in `exact` itself: of a classifier without the encoder that its index names."""
    with tempfile.TemporaryDirectory(dir=exact.parent) as own:
        shutil.copytree(exact, own, dirs_exist_ok=True)
        if (exact / INDEX).exists():
            config = json.loads((exact / "config.json").read_text())
            (Path(own) / "config.json").write_text(json.dumps(config | {"transformers_weights": CLASSIFIER}))
        if subprocess.run(["node", str(COMMAND), "convert", own, "--dtype", "q8", "--to", str(small)]).returncode:
            raise Failure(f"{exact} could not be made int8; models/ is as it was")


def write_index(folder, own, encoder):
    """The index of a folder over the masked LM's encoder: the tensors of its file `own`, and of the shared file `encoder`."""
    with safe_open(encoder, "pt") as shared, safe_open(folder / own, "pt") as tensors:
        given = list(tensors.keys())
        scales = [f"{name}_scale" for name in given]  # of tensors of the encoder in whose place the file has its own
        weight_map = {name: SHARED for name in shared.keys() if name.startswith("bert.") and name not in scales}
        weight_map |= dict.fromkeys(given, own)
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weight_map}, indent=1) + "\n")


def place(built, folder):
    card = folder / "README.md"
    if card.exists():
        shutil.copy(card, built / "README.md")
    copy = folder.with_name(folder.name + ".new")  # work may lie on another disk, from which nothing can be renamed
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(built, copy)
    replace_folder(copy, folder)


TOKENIZER = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 512, "unk_token": "[UNK]",
             "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]", "mask_token": "[MASK]"}


def common_files(folder, config, tokenizer=None, of_tokenizer=None):
    """config.json, and the tokenizer without the encoder's own limit of length; without one the masked LM's."""
    folder.mkdir(parents=True, exist_ok=True)
    if tokenizer:
        tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    shared = {} if tokenizer else {"tokenizer_file": "../minilm-mlm/tokenizer.json"}
    (folder / "tokenizer_config.json").write_text(json.dumps(TOKENIZER | shared | (of_tokenizer or {}), indent=2) + "\n")
    (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def base_config(network, architecture):
    config = network.config.to_diff_dict()
    config.update(architectures=[architecture], model_type="bert", hidden_size=384, num_hidden_layers=6, num_attention_heads=12,
                  intermediate_size=1536, vocab_size=network.config.vocab_size, hidden_act="gelu", layer_norm_eps=1e-12,
                  max_position_embeddings=512, type_vocab_size=network.config.type_vocab_size, pad_token_id=0)
    return config


def write_mlm(network, folder, tokenizer):
    common_files(folder, base_config(network, "BertForMaskedLM"), tokenizer)
    # The decoder is the word table, its bias the head's: each is stored once.
    tensors = {name: tensor for name, tensor in network.mlm.state_dict().items() if ".decoder." not in name}
    save_checkpoint(folder / "model.safetensors", tensors)


def write_classifier(network, task, labels, temperature, folder):
    config = base_config(network, "BertForSequenceClassification")
    config.update(id2label={str(i): label for i, label in enumerate(labels)}, label2id={label: i for i, label in enumerate(labels)},
                  problem_type="single_label_classification", transformers_weights=INDEX)
    common_files(folder, config)
    pooler, classifier = network.poolers[task], network.classifiers[task]
    own = {"bert.pooler.dense.weight": pooler.weight, "bert.pooler.dense.bias": pooler.bias,
           "classifier.weight": classifier.weight / temperature, "classifier.bias": classifier.bias / temperature}
    save_checkpoint(folder / CLASSIFIER, {name: tensor.detach() for name, tensor in own.items()})
    write_index(folder, CLASSIFIER, folder / SHARED)


def calibrate(logits, targets):
    """The temperature by which the logits [n, labels] are divided to make the development set's targets likeliest."""
    steps = torch.linspace(-1.5, 1.5, 121).exp()
    losses = [-(targets * torch.log_softmax(logits / t, dim=-1)).sum() for t in steps]
    return steps[int(torch.stack(losses).argmin())].item()
