"""Answers of pipelines and of CrossEncoder.rank for options that few programs use: tests/goldens/calls.json.

Run it twice: with transformers 4.57, which has question answering, then with transformers 5 and sentence-transformers.

    python make_calls.py first && python5 make_calls.py second
"""

import base64
import json
import pathlib
import sys
import tempfile

import torch
import transformers
from safetensors.torch import save_file

OUT = pathlib.Path(__file__).parent.parent / "calls.json"
WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] who where is the anna lives in berlin piano ##s stands near window old house . , ' s".split()
LONG = "anna lives in the old house near the window . the piano stands in berlin , near the house"

CONFIG = {
    "model_type": "bert",
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "max_position_embeddings": 40,
    "type_vocab_size": 2,
    "vocab_size": len(WORDS),
    "pad_token_id": 0,
}
FILES = {
    "tokenizer_config.json": {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 40},
    "vocab.txt": "\n".join(WORDS) + "\n",
}
LABELS = {
    "numbers": {"0": 0, "1": 1.5, "2": -2},
    "booleans": {"0": False, "1": True, "2": "maybe"},
    "null": {"0": "a", "1": None, "2": "c"},
}


MODULES = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.base.modules.transformer.Transformer"}]
ENCODER = {"transformer_task": "sequence-classification", "modality_config": {"text": {"method": "forward", "method_output_name": "logits"}}, "module_output_name": "scores"}


def weights(labels):
    """The tensors of a model for each head that the pipelines need."""
    torch.manual_seed(7)
    config = transformers.BertConfig(**{k: v for k, v in CONFIG.items() if k != "model_type"}, num_labels=labels)
    tensors = transformers.BertForSequenceClassification(config).state_dict()
    tensors = {name: tensor * 12 if "weight" in name and "Norm" not in name else tensor for name, tensor in tensors.items()}
    if labels > 1:
        tensors["qa_outputs.weight"] = torch.randn(2, CONFIG["hidden_size"])
        tensors["qa_outputs.bias"] = torch.zeros(2)
    tensors = {name: tensor.contiguous() for name, tensor in tensors.items() if "position_ids" not in name}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.safetensors"
        save_file(tensors, path, {"format": "pt"})
        return path.read_bytes()


def folder(model, files):
    """A folder on disk with the files, and the weights."""
    path = pathlib.Path(tempfile.mkdtemp())
    for name, content in {**FILES, **files}.items():
        (path / name).write_text(content if isinstance(content, str) else json.dumps(content))
    (path / "model.safetensors").write_bytes(model)
    return path


def config(head, **fields):
    return {"config.json": {**CONFIG, "architectures": [f"BertFor{head}"], **fields}}


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return value.item() if hasattr(value, "item") else value


def case(task, model, files, calls):
    pipe = transformers.pipeline(task, str(folder(model, files)))
    answers = []
    for args, options in calls:
        given = {"question": args[0], "context": args[1]} if task == "question-answering" else None
        got = pipe(**given, **options) if given else pipe(args[0], **options)
        answers.append({"args": args, "options": options, "answers": plain(got)})
    return {"task": task, "files": files, "calls": answers}


def questions(model):
    asked = ["who lives in berlin", LONG]
    calls = [
        (["who", "anna lives"], {"top_k": 5, "handle_impossible_answer": True}),
        (["who", "anna lives"], {"top_k": 40}),
        (["who", "anna lives in"], {"top_k": 9, "max_answer_len": 1}),
        (["where is", "the pianos"], {"top_k": 6, "max_answer_len": 2, "handle_impossible_answer": True}),
        (["where is", "the pianos"], {"top_k": 6, "align_to_words": False}),
        (asked, {"top_k": 3}),
        (asked, {"handle_impossible_answer": True}),
        ([["who", "where"], "anna lives in berlin"], {"top_k": 2}),
        ([["who", "where"], ["anna lives", "in berlin"]], {}),
    ]
    return case("question-answering", model, config("QuestionAnswering"), calls)


def words(model):
    sentence = ["Anna", "lives", "pianos", "Berlin's", ""]
    labels = {"id2label": {"0": "O", "1": "B-LOC", "2": "I-LOC"}}
    calls = [
        ([sentence], {"is_split_into_words": True}),
        ([sentence], {"is_split_into_words": True, "delimiter": "", "ignore_labels": []}),
        ([sentence], {"is_split_into_words": True, "delimiter": " - ", "aggregation_strategy": "average", "ignore_labels": []}),
        ([[sentence, ["the", "old house", "é"]]], {"is_split_into_words": True, "aggregation_strategy": "simple"}),
    ]
    return case("token-classification", model, config("TokenClassification", **labels), calls)


def labels(model):
    for name, names in LABELS.items():
        fields = {"id2label": names, "label2id": {}}
        text = [["anna lives in berlin"], {"top_k": 3}]
        yield {"name": name, **case("text-classification", model, config("SequenceClassification", **fields), [text])}
        tokens = [["anna lives in berlin"], {"ignore_labels": []}]
        yield {"name": name, **case("token-classification", model, config("TokenClassification", **fields), [tokens])}


def ranks(model):
    from sentence_transformers import CrossEncoder

    documents = ["the piano stands near the window", "anna lives in berlin", "."]
    prompts = {"query": "who is ", "web": "where in the old house : "}
    settings = {
        "prompts": {"prompts": prompts, "default_prompt_name": None},
        "default": {"prompts": prompts, "default_prompt_name": "web"},
        # without modules.json the library reads no prompts
        "silent": {"prompts": prompts, "default_prompt_name": "web"},
        "tanh": {"activation_fn": "torch.nn.modules.activation.Tanh"},
    }
    for name, setting in settings.items():
        files = {**config("SequenceClassification", id2label={"0": "LABEL_0"}), "config_sentence_transformers.json": {"__version__": {"sentence_transformers": "5.7.0"}, "model_type": "CrossEncoder", **setting}}
        if name != "silent":
            files["modules.json"] = MODULES
            files["sentence_bert_config.json"] = ENCODER
        encoder = CrossEncoder(str(folder(model, files)), device="cpu")
        options = [{}, {"prompt": "near "}, {"prompt": ""}, {"prompt_name": "query"}, {"top_k": 2, "return_documents": True}]
        options = options[:1] if name in ["silent", "tanh"] else options
        calls = [{"args": ["where is the piano", documents], "options": o, "answers": plain(encoder.rank("where is the piano", documents, **o))} for o in options]
        yield {"name": name, "task": "text-ranking", "files": files, "calls": calls}


if sys.argv[1] == "first":
    model = weights(3)
    golden = {"files": FILES, "three": base64.b64encode(model).decode(), "library": transformers.__version__, "cases": [questions(model)]}
else:
    golden = json.loads(OUT.read_text())
    model = base64.b64decode(golden["three"])
    one = weights(1)
    golden["library"] += f", {transformers.__version__}"
    golden["one"] = base64.b64encode(one).decode()
    golden["cases"] += [words(model), *labels(model), *ranks(one)]
OUT.write_text(json.dumps(golden, separators=(",", ":"), ensure_ascii=False) + "\n")
