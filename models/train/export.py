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
from sources import Failure
from storage import replace_folder, save_checkpoint

MODELS = Path(__file__).parent.parent
COMMAND = MODELS.parent / "dist" / "cli.js"
SHARED = "../minilm-mlm/model.safetensors"
INDEX = "model.safetensors.index.json"
CLASSIFIER = "classifier.safetensors"


def export(network, tokenizer, labelled, tags, work):
    """Writes work/f32/NAME and models/NAME for the masked LM with its sentence vectors and for each classifier; a folder is replaced once
    its new one is whole."""
    exact, small = work / "f32", work / "int8"
    for folder in (exact, small):
        shutil.rmtree(folder, ignore_errors=True)
    write_mlm(network, exact / "minilm-mlm", tokenizer)
    write_sentence_modules(network, exact / "minilm-mlm")
    write_tagger(network, tags, exact / "minilm-entities", tokenizer)
    names = ["minilm-mlm", "minilm-entities"]
    for task, (_, development, labels) in labelled.items():
        temperature = calibrate(evaluate.label_logits(network, task, tokenizer, [text for _, text in development]),
                                torch.stack([classification.target(label, labels) for label, _ in development]))
        print(f"  {task}: temperature {temperature:.2f}")
        write_classifier(network, task, labels, temperature, exact / f"minilm-{task}", tokenizer)
        names.append(f"minilm-{task}")
    for name in names:
        quantize(exact / name, small / name)
    for name in names:
        place(small / name, MODELS / name)

# sentence-transformers' layout: each module's folder, and what it computes.
MODULES = {"": "Transformer", "1_Pooling": "Pooling", "2_Dense": "Dense", "3_Normalize": "Normalize"}
SENTENCE_FILES = {
    "modules.json": [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
                     for i, (path, kind) in enumerate(MODULES.items())],
    "sentence_bert_config.json": {"max_seq_length": 256, "do_lower_case": False},
    "1_Pooling/config.json": {"word_embedding_dimension": 384, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True,
                              "pooling_mode_max_tokens": False, "pooling_mode_mean_sqrt_len_tokens": False},
    "2_Dense/config.json": {"in_features": 384, "out_features": 384, "bias": True, "activation_function": "torch.nn.modules.linear.Identity"},
}
DENSE = "2_Dense/model.safetensors"


def write_sentence_modules(network, folder):
    """What makes the masked LM's folder one of sentence-transformers': the mean of the states, a dense layer, length 1."""
    for name, content in SENTENCE_FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content, indent=2) + "\n")
    save_checkpoint(folder / DENSE, {f"linear.{name}": tensor.detach() for name, tensor in network.dense.state_dict().items()})


def write_tagger(network, tags, folder, tokenizer):
    config = base_config(network, "BertForTokenClassification")
    config.update(id2label={str(i): tag for i, tag in enumerate(tags)}, label2id={tag: i for i, tag in enumerate(tags)}, transformers_weights=INDEX)
    common_files(folder, tokenizer, config)
    save_checkpoint(folder / CLASSIFIER, {f"classifier.{name}": tensor.detach() for name, tensor in network.tagger.state_dict().items()})
    write_index(folder)


def quantize(exact, small):
    """The folder `small`: `exact` with its own weights as int8. A classifier's encoder is the masked LM's, in int8 already. The dense
    layer of sentence vectors stays as it is."""
    convert(exact, small)
    if not (exact / INDEX).exists():
        return
    shutil.copy(exact / "config.json", small / "config.json")
    (small / "tokenizer.json").unlink(missing_ok=True)  # tokenizer_config.json names the masked LM's
    (small / "model.safetensors").rename(small / CLASSIFIER)
    write_index(small)


def convert(exact, small):
    """`webert convert` of what lies in `exact` itself: of a classifier without the encoder that its index names."""
    with tempfile.TemporaryDirectory(dir=exact.parent) as own:
        shutil.copytree(exact, own, dirs_exist_ok=True)
        if (exact / INDEX).exists():
            config = json.loads((exact / "config.json").read_text())
            (Path(own) / "config.json").write_text(json.dumps(config | {"transformers_weights": CLASSIFIER}))
        if subprocess.run(["node", str(COMMAND), "convert", own, "--dtype", "q8", "--to", str(small)]).returncode:
            raise Failure(f"{exact} could not be made int8; models/ is as it was")


def write_index(folder):
    """Of a classifier: its own tensors, and those of the encoder that it shares."""
    with safe_open(folder / SHARED, "pt") as encoder, safe_open(folder / CLASSIFIER, "pt") as own:
        weight_map = {name: SHARED for name in encoder.keys() if name.startswith("bert.")} | dict.fromkeys(own.keys(), CLASSIFIER)
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


def common_files(folder, tokenizer, config):
    """config.json, and the tokenizer without the encoder's own limit of length."""
    folder.mkdir(parents=True, exist_ok=True)
    own = folder.name == "minilm-mlm"  # the classifiers share its tokenizer, as they do its encoder
    if own:
        tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    shared = {} if own else {"tokenizer_file": "../minilm-mlm/tokenizer.json"}
    (folder / "tokenizer_config.json").write_text(json.dumps(TOKENIZER | shared, indent=2) + "\n")
    (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def base_config(network, architecture):
    config = network.config.to_diff_dict()
    config.update(architectures=[architecture], model_type="bert", hidden_size=384, num_hidden_layers=6, num_attention_heads=12,
                  intermediate_size=1536, vocab_size=network.config.vocab_size, hidden_act="gelu", layer_norm_eps=1e-12,
                  max_position_embeddings=512, type_vocab_size=2, pad_token_id=0)
    return config


def write_mlm(network, folder, tokenizer):
    common_files(folder, tokenizer, base_config(network, "BertForMaskedLM"))
    # The decoder is the word table, its bias the head's: each is stored once.
    tensors = {name: tensor for name, tensor in network.mlm.state_dict().items() if ".decoder." not in name}
    save_checkpoint(folder / "model.safetensors", tensors)


def write_classifier(network, task, labels, temperature, folder, tokenizer):
    config = base_config(network, "BertForSequenceClassification")
    config.update(id2label={str(i): label for i, label in enumerate(labels)}, label2id={label: i for i, label in enumerate(labels)},
                  problem_type="single_label_classification", transformers_weights=INDEX)
    common_files(folder, tokenizer, config)
    pooler, classifier = network.poolers[task], network.classifiers[task]
    own = {"bert.pooler.dense.weight": pooler.weight, "bert.pooler.dense.bias": pooler.bias,
           "classifier.weight": classifier.weight / temperature, "classifier.bias": classifier.bias / temperature}
    save_checkpoint(folder / CLASSIFIER, {name: tensor.detach() for name, tensor in own.items()})
    write_index(folder)


def calibrate(logits, targets):
    """The temperature by which the logits [n, labels] are divided to make the development set's targets likeliest."""
    steps = torch.linspace(-1.5, 1.5, 121).exp()
    losses = [-(targets * torch.log_softmax(logits / t, dim=-1)).sum() for t in steps]
    return steps[int(torch.stack(losses).argmin())].item()
