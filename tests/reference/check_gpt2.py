#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A model in GPT-2's published layout, written here by PyTorch, beside what Normscope makes of it.

    check_gpt2.py BINARY

The folder has config.json, model.safetensors, vocab.json and merges.txt; its byte-level BPE is
learned and applied here as the published code does.  Loss and gradients of the first batch, which
`dump --checkpoint` writes, are compared with those of the same model in float64.  TAP.
"""

import collections
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
except ImportError:
    print("1..0 # SKIP PyTorch (python3-torch) is not installed")
    sys.exit(0)

import tensors

LAYERS, D, HEADS, PLACES, MERGES = 2, 32, 4, 24, 60
SEQ, BATCH = 16, 4
LOSS_LIMIT, TENSOR_LIMIT, ZERO = 1e-6, 1e-5, 1e-6
TEXT = ("The fox's brown coat isn't new; we've seen 3 of 12 coats, they're worn.\n"
        "  Naïve café owners said: “nothing (new) here”, and I'll agree!!\n\n\tSo it goes… ") * 40
CLI = sys.argv[1]


# ---- Byte-level BPE, as the published code has it ----

def bytes_to_unicode():
    seen = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    characters, free = {byte: chr(byte) for byte in seen}, 0
    for byte in range(256):
        if byte not in characters:
            characters[byte] = chr(256 + free)
            free += 1
    return characters


BYTES = bytes_to_unicode()


def words_of(text):
    """By the published pattern, spelled out, since Python's own expressions lack its classes."""
    kinds = ["L" if c.isalpha() else "N" if c.isnumeric() else "S" if c.isspace() else "O" for c in text]
    at, words = 0, []
    while at < len(text):
        ending = next((e for e in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")
                       if text.startswith(e, at)), None)
        begin = at + (text[at] == " " and at + 1 < len(text))
        end = begin
        while end < len(text) and kinds[end] == kinds[begin]:
            end += 1
        if ending:
            end = at + len(ending)
        elif kinds[begin] == "S":
            end = at
            while end < len(text) and kinds[end] == "S":
                end += 1
            if end < len(text) and end > at + 1:
                end -= 1
        words.append(tuple(BYTES[byte] for byte in text[at:end].encode()))
        at = end
    return words


def join(word, pair):
    out, i = [], 0
    while i < len(word):
        if tuple(word[i:i + 2]) == pair:
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return tuple(out)


def learn(words):
    merges = []
    for _ in range(MERGES):
        pairs = collections.Counter()
        for word, count in collections.Counter(words).items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        words = [join(word, best) for word in words]
    return merges


def encode(words, merges, vocabulary):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for word in words:
        while len(word) > 1:
            pair = min(zip(word, word[1:]), key=lambda pair: ranks.get(pair, math.inf))
            if pair not in ranks:
                break
            word = join(word, pair)
        tokens += [vocabulary[token] for token in word]
    return tokens


# ---- The model ----

def make_weights(words):
    generator = torch.Generator().manual_seed(5)
    shapes = {"wte.weight": (words, D), "wpe.weight": (PLACES, D)}
    for layer in range(LAYERS):
        for name, shape in {"ln_1.weight": (D,), "ln_1.bias": (D,), "attn.c_attn.weight": (D, 3 * D),
                            "attn.c_attn.bias": (3 * D,), "attn.c_proj.weight": (D, D),
                            "attn.c_proj.bias": (D,), "ln_2.weight": (D,), "ln_2.bias": (D,),
                            "mlp.c_fc.weight": (D, 4 * D), "mlp.c_fc.bias": (4 * D,),
                            "mlp.c_proj.weight": (4 * D, D), "mlp.c_proj.bias": (D,)}.items():
            shapes[f"h.{layer}.{name}"] = shape
    shapes |= {"ln_f.weight": (D,), "ln_f.bias": (D,)}
    return {name: (0.2 * torch.randn(shape, generator=generator) + (".weight" in name and "ln_" in name)).float()
            for name, shape in shapes.items()}


def loss_of(weights, tokens, targets):
    T = tokens.shape[1]
    x = weights["wte.weight"][tokens] + weights["wpe.weight"][:T]

    def norm(name, value):
        return torch.nn.functional.layer_norm(value, (D,), weights[name + ".weight"], weights[name + ".bias"], 1e-5)

    def linear(name, value):
        return value @ weights[name + ".weight"] + weights[name + ".bias"]

    hidden = torch.triu(torch.ones(T, T, dtype=torch.bool), 1)
    for layer in range(LAYERS):
        h = f"h.{layer}."
        q, k, v = (part.unflatten(2, (HEADS, -1)).transpose(1, 2)
                   for part in linear(h + "attn.c_attn", norm(h + "ln_1", x)).split(D, 2))
        scores = (q @ k.transpose(2, 3) / math.sqrt(D / HEADS)).masked_fill(hidden, -math.inf)
        x = x + linear(h + "attn.c_proj", (scores.softmax(3) @ v).transpose(1, 2).flatten(2))
        inner = torch.nn.functional.gelu(linear(h + "mlp.c_fc", norm(h + "ln_2", x)), approximate="tanh")
        x = x + linear(h + "mlp.c_proj", inner)
    logits = norm("ln_f", x) @ weights["wte.weight"].T
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def ours(grads):
    """Gradients by the names and in the layout of the file."""
    found = {"wte.weight": grads["tok_emb"], "ln_f.weight": grads["final_norm.gain"],
             "ln_f.bias": grads["final_norm.bias"]}
    found["wpe.weight"] = np.concatenate([grads["pos_emb"], np.zeros((PLACES - SEQ, D))])
    for layer in range(LAYERS):
        h, b = f"h.{layer}.", f"blk{layer}."
        for theirs, name in (("ln_1", "norm1"), ("ln_2", "norm2")):
            found[h + theirs + ".weight"] = grads[b + name + ".gain"]
            found[h + theirs + ".bias"] = grads[b + name + ".bias"]
        found[h + "attn.c_attn.weight"] = np.concatenate([grads[b + "attn.w" + p] for p in "qkv"]).T
        found[h + "attn.c_attn.bias"] = np.concatenate([grads[b + "attn.b" + p] for p in "qkv"])
        for theirs, name, bias in (("attn.c_proj", "attn.wo", "attn.bo"), ("mlp.c_fc", "ffn.w1", "ffn.b1"),
                                   ("mlp.c_proj", "ffn.w2", "ffn.b2")):
            found[h + theirs + ".weight"] = grads[b + name].T
            found[h + theirs + ".bias"] = grads[b + bias]
    return found


# ---- The checks ----

def run(*arguments, status=0):
    result = subprocess.run([CLI, *arguments], capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == status, (arguments, result)
    return result.stdout if status == 0 else result.stderr


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")


class Model:
    def __init__(self, folder):
        self.folder = folder
        words = words_of(TEXT)
        self.merges = learn(words)
        self.vocabulary = {BYTES[byte]: byte for byte in range(256)}
        for left, right in self.merges:
            self.vocabulary.setdefault(left + right, len(self.vocabulary))
        self.vocabulary["<|endoftext|>"] = len(self.vocabulary)
        self.tokens = encode(words, self.merges, self.vocabulary)
        write(folder, "vocab.json", json.dumps(self.vocabulary))
        write(folder, "merges.txt", "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in self.merges))
        self.config = {"model_type": "gpt2", "n_layer": LAYERS, "n_embd": D, "n_head": HEADS,
                       "n_positions": PLACES, "n_inner": None, "vocab_size": len(self.vocabulary),
                       "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5}
        write(folder, "config.json", json.dumps(self.config))
        write(folder, "text.txt", TEXT)
        self.weights = make_weights(len(self.vocabulary))
        self.save(self.weights)
        self.arguments = ("--checkpoint", str(folder), "--set", f"text={folder / 'text.txt'}", "--set", f"seq={SEQ}",
                          "--set", f"batch={BATCH}", "--set", "threads=2")

    def save(self, weights):
        tensors.write_safetensors(self.folder / "model.safetensors",
                                  {name: weight.numpy() for name, weight in weights.items()}, {})

    def dump_to_folder(self):
        out = self.folder / "dump"
        shutil.rmtree(out, ignore_errors=True)  # a dump replaces no file
        run("dump", *self.arguments, "--steps", "0", "--out", str(out))
        return out

    def dump(self):
        out = self.dump_to_folder()
        read = [tensors.read_safetensors(out / (name + ".safetensors"))[0] for name in ("batch", "grads")]
        return (*read, json.loads((out / "meta.json").read_text()))


def test_tokens(model):
    """Every sequence of the batch stands in the text as the published algorithm cuts it."""
    batch, _, _ = model.dump()
    whole = "," + ",".join(map(str, model.tokens)) + ","
    for tokens, targets in zip(batch["tokens"], batch["targets"]):
        assert "," + ",".join(map(str, [*tokens, targets[-1]])) + "," in whole, tokens


def test_loss_and_gradients(model):
    batch, grads, meta = model.dump()
    weights = {name: weight.double().requires_grad_() for name, weight in model.weights.items()}
    loss = loss_of(weights, torch.tensor(batch["tokens"]), torch.tensor(batch["targets"]))
    loss.backward()
    assert abs(loss.item() - meta["loss"]) <= LOSS_LIMIT * loss.item(), (loss.item(), meta["loss"])
    whole = math.sqrt(sum(weight.grad.square().sum().item() for weight in weights.values()))
    assert abs(whole - meta["grad_norm"]["total"]) <= TENSOR_LIMIT * whole, (whole, meta)
    for name, found in ours(grads).items():
        expected = weights[name].grad.numpy()
        if name == "h.0.attn.c_attn.bias" or name == "h.1.attn.c_attn.bias":
            found, expected = (np.delete(bias, range(D, 2 * D)) for bias in (found, expected))  # keys: 0
        size = max(np.linalg.norm(expected), ZERO * whole)
        error = np.linalg.norm(found - expected) / size
        assert found.shape == expected.shape and error <= TENSOR_LIMIT, (name, error)


def test_probe_and_train(model):
    """What is probed is the step 0 that is trained from, and training goes on from there."""
    probed = json.loads(run("probe", "--json", *model.arguments))
    lines = [json.loads(line) for line in
             run("train", "--steps", "20", "--set", "lr=1e-3", "--jsonl", "-", *model.arguments).splitlines()]
    records = [line for line in lines if "step" in line and "loss" in line]
    assert probed["loss"]["mean"] == records[0]["loss"], (probed["loss"], records[0]["loss"])
    norms = probed["hidden_norm"]["mean"], records[0]["hidden_norm"]
    assert np.array_equal(*(np.array(values, np.float32) for values in norms)), norms
    assert records[20]["loss"] < records[0]["loss"], records[20]["loss"]
    assert lines[0]["settings"]["activation"] == "gelu-tanh", lines[0]
    assert lines[0]["vocab"] == len(model.vocabulary), lines[0]


def test_other_layouts(model):
    """A prefix before every name, and a head of its own."""
    plain = model.dump()[2]["loss"]
    model.save({"transformer." + name: weight for name, weight in model.weights.items()})
    assert model.dump()[2]["loss"] == plain
    head = {"lm_head.weight": model.weights["wte.weight"]}
    model.save(model.weights | head)
    write(model.folder, "config.json", json.dumps(model.config | {"tie_word_embeddings": False}))
    assert model.dump()[2]["loss"] == plain
    model.save(model.weights)
    write(model.folder, "config.json", json.dumps(model.config))


def test_refused(model):
    def says(*words, arguments=()):
        line = run("train", *model.arguments, *arguments, "--steps", "0", status=2 if arguments else 1)
        assert line.count("\n") == 1 and all(word in line for word in words), line

    says("layers", "2", "7", arguments=("--set", "layers=7"))
    for change, word in (({"model_type": "llama"}, "model_type"), ({"n_head": None}, "n_head"),
                         ({"activation_function": "silu"}, "silu"),
                         ({"scale_attn_by_inverse_layer_idx": True}, "attention")):
        write(model.folder, "config.json", json.dumps(model.config | change))
        result = subprocess.run([CLI, "train", *model.arguments], capture_output=True, text=True, check=False)
        assert result.returncode != 0 and word in result.stderr and result.stderr.count("\n") == 1, result
    write(model.folder, "config.json", json.dumps(model.config | {"n_layer": 3}))
    result = subprocess.run([CLI, "train", *model.arguments], capture_output=True, text=True, check=False)
    assert result.returncode != 0 and "h.2.ln_1.weight" in result.stderr, result
    write(model.folder, "config.json", json.dumps(model.config))
    path = model.folder / "model.safetensors"
    whole = path.read_bytes()
    for broken in (b"", whole[:6], whole[:40], whole[:-4], b"\xff" * 8 + whole[8:],
                   whole.replace(b"F32", b"I32", 1), whole.replace(b"[0,", b"[4,", 1)):
        path.write_bytes(broken)
        result = subprocess.run([CLI, "train", *model.arguments], capture_output=True, text=True, check=False)
        assert result.returncode == 1 and "model.safetensors" in result.stderr and \
            result.stderr.count("\n") == 1, (broken[:60], result)
        assert ("download it again" in result.stderr) == (len(broken) < len(whole) or broken.startswith(b"\xff")), result
    path.write_bytes(whole)
    result = subprocess.run([CLI, "train", *model.arguments[:-6], "--set", "seq=25"], capture_output=True, text=True,
                            check=False)
    assert result.returncode != 0 and "positions" in result.stderr, result


# ---- Models as people publish them ----

def store(path, weights, codes=None):
    """A safetensors file; `codes` names the type of tensors that are not in single precision."""
    header, blobs, offset = {"__metadata__": {"format": "pt"}}, [], 0
    for name, weight in weights.items():
        code = (codes or {}).get(name, "F32")
        if code == "BF16":
            blob = weight.bfloat16().view(torch.int16).numpy().tobytes()
        else:
            types = {"F32": torch.float32, "F64": torch.float64, "F16": torch.float16, "U8": torch.uint8,
                     "I8": torch.int8, "I64": torch.int64, "BOOL": torch.bool}
            blob = weight.to(types[code]).contiguous().numpy().tobytes()
        header[name] = {"dtype": code, "shape": list(weight.shape), "data_offsets": [offset, offset + len(blob)]}
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(blobs))


def loss_from(model, note=None):
    """Loss at the start of training, and what is said on stderr."""
    result = subprocess.run([CLI, "train", *model.arguments, "--steps", "0", "--jsonl", "-"], capture_output=True,
                            text=True, timeout=300, check=False)
    assert result.returncode == 0, result
    said = result.stderr.strip()
    assert (note in said) if note else not said, (note, said)
    return next(record["loss"] for record in map(json.loads, result.stdout.splitlines()) if "loss" in record)


def refuses(model, *words):
    result = subprocess.run([CLI, "train", *model.arguments, "--steps", "0"], capture_output=True, text=True,
                            timeout=300, check=False)
    assert result.returncode in (1, 2) and result.stderr.count("\n") == 1, result
    assert all(word in result.stderr for word in words), (words, result.stderr)


def clean(model):
    for file in model.folder.glob("*.safetensors*"):
        file.unlink()
    for name in ("pytorch_model.bin", "tokenizer.json", "added_tokens.json"):
        (model.folder / name).unlink(missing_ok=True)
    write(model.folder, "vocab.json", json.dumps(model.vocabulary))
    write(model.folder, "merges.txt", "#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in model.merges))
    write(model.folder, "config.json", json.dumps(model.config))
    model.save(model.weights)


def test_prefixes(model):
    plain = loss_from(model)
    head = model.weights["wte.weight"]
    for prefix in ("transformer.", "_orig_mod.", "module.", "_orig_mod.module.transformer.",
                   "module._orig_mod.transformer.", "model.transformer."):
        weights = {prefix + name: weight for name, weight in model.weights.items()}
        outer = prefix.removesuffix("transformer.")
        store(model.folder / "model.safetensors", weights | {outer + "lm_head.weight": head})
        assert loss_from(model) == plain, prefix
    write(model.folder, "config.json", json.dumps(model.config | {"tie_word_embeddings": False}))
    assert loss_from(model) == plain
    store(model.folder / "model.safetensors", weights)
    refuses(model, "lm_head.weight")
    store(model.folder / "model.safetensors", weights | {"other." + name: w for name, w in model.weights.items()})
    refuses(model, "two models", "wte.weight")


def test_types(model):
    """Half precision is widened exactly; double is rounded, and that is said."""
    for code, narrow in (("F16", torch.float16), ("BF16", torch.bfloat16)):
        weights = {name: weight.to(narrow).float() for name, weight in model.weights.items()}
        store(model.folder / "model.safetensors", weights)
        plain = loss_from(model)
        store(model.folder / "model.safetensors", model.weights, dict.fromkeys(weights, code))
        assert loss_from(model) == plain, code
    # All numbers of 16 bits, as the weights of one tensor: what dump writes is what they stand for.
    bits = torch.arange(-2**15, 2**15, dtype=torch.int32).to(torch.int16)
    for code, narrow in (("F16", torch.float16), ("BF16", torch.bfloat16)):
        values = bits.view(narrow)
        every = values[: len(model.vocabulary) * D].reshape(-1, D)
        for part in (every, values[2**15:][: every.numel()].reshape(-1, D)):
            store(model.folder / "model.safetensors", model.weights | {"wte.weight": part}, {"wte.weight": code})
            found = tensors.read_safetensors(model.dump_to_folder() / "params.safetensors")[0]["tok_emb"]
            assert np.array_equal(found, part.float().numpy(), equal_nan=True), code
            assert np.array_equal(np.signbit(found), np.signbit(part.float().numpy())), code
    store(model.folder / "model.safetensors", model.weights, dict.fromkeys(model.weights, "F64"))
    model.save(model.weights)
    plain = loss_from(model)
    store(model.folder / "model.safetensors", model.weights, dict.fromkeys(model.weights, "F64"))
    assert loss_from(model) == plain
    finer = model.weights["ln_f.bias"].double() + 1e-12
    store(model.folder / "model.safetensors", model.weights | {"ln_f.bias": finer}, {"ln_f.bias": "F64"})
    assert abs(loss_from(model, f"{D} numbers of double precision were rounded") - plain) < 1e-6 * plain
    store(model.folder / "model.safetensors", model.weights, {"h.1.mlp.c_fc.weight": "I8"})
    refuses(model, "h.1.mlp.c_fc.weight", "I8", "F32")


def test_more_tensors(model):
    """Buffers are no weights; other tensors are left out, and that is said."""
    plain = loss_from(model)
    buffers = {f"h.{layer}.attn.bias": torch.ones(1, 1, PLACES, PLACES) for layer in range(LAYERS)}
    buffers |= {f"h.{layer}.attn.masked_bias": torch.tensor(-1e4) for layer in range(LAYERS)}
    codes = {name: "U8" for name in buffers if name.endswith("attn.bias")}
    store(model.folder / "model.safetensors", model.weights | buffers, codes)
    assert loss_from(model) == plain
    store(model.folder / "model.safetensors", model.weights | buffers | {"score.weight": torch.ones(2, D)}, codes)
    assert loss_from(model, "1 of 33 tensors were left out, which this model does not have, such as “score.weight”") == plain
    store(model.folder / "model.safetensors", model.weights | {"lm_head.weight": 2 * model.weights["wte.weight"]})
    assert loss_from(model, "such as “lm_head.weight”") == plain
    write(model.folder, "config.json", json.dumps(model.config | {"n_layer": 1}))
    model.save(model.weights)
    loss_from(model, "12 of 28 tensors were left out, which this model does not have, such as “h.1.")


def test_shards(model):
    plain = loss_from(model)
    names = list(model.weights)
    shards = [names[:9], names[9:20], names[20:]]
    files = [f"model-0000{i}-of-00003.safetensors" for i in (1, 2, 3)]
    index = model.folder / "model.safetensors.index.json"
    places = {name: file for file, shard in zip(files, shards) for name in shard}
    (model.folder / "model.safetensors").unlink()
    for file, shard in zip(files, shards):
        store(model.folder / file, {name: model.weights[name] for name in shard})
    index.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": places}))
    assert loss_from(model) == plain
    # A tensor that two files have is read from the one that the index names.
    store(model.folder / files[2], {name: model.weights[name] for name in shards[2]} | {names[0]: torch.zeros(3, 3)})
    assert loss_from(model) == plain
    for bad in ("../" + files[0], "/etc/passwd", "..", "sub\\" + files[0], "", 7, None):
        index.write_text(json.dumps({"weight_map": places | {names[3]: bad}}))
        refuses(model, "index.json", names[3], "the same folder")
    index.write_text(json.dumps({"weight_map": places | {names[3]: "model-00004-of-00003.safetensors"}}))
    refuses(model, "model-00004-of-00003.safetensors")
    index.write_text(json.dumps({"weight_map": places | {names[3]: files[2]}}))
    refuses(model, files[2], names[3])
    index.write_text(json.dumps({"weight_map": {name: file for name, file in places.items() if name != names[25]}}))
    refuses(model, names[25])
    index.write_text(json.dumps({"metadata": {}}))
    refuses(model, "weight_map")
    index.unlink()
    refuses(model, "index")


def test_other_files(model):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + 64 * "e" + "\nsize 548105171\n"
    for name in ("model.safetensors", "config.json", "vocab.json", "merges.txt", "text.txt"):
        whole = (model.folder / name).read_bytes()
        write(model.folder, name, pointer)
        refuses(model, name, "Git LFS")
        (model.folder / name).write_bytes(whole)
    turned = {name: weight.T if weight.ndim == 2 and "h." in name else weight for name, weight in model.weights.items()}
    store(model.folder / "model.safetensors", turned)
    refuses(model, "h.0.attn.c_attn.weight", "torch.nn.Linear", "transpose")
    (model.folder / "model.safetensors").unlink()
    refuses(model, "model.safetensors")
    write(model.folder, "pytorch_model.bin", "x")
    refuses(model, "pytorch_model.bin", "safe_serialization=True")
    # Sizes that overflow, negative ones, others than the data has.
    for entry in ({"dtype": "F32", "shape": [2**62, 4], "data_offsets": [0, 0]},
                  {"dtype": "F32", "shape": [2**40, 2**40], "data_offsets": [0, 64]},
                  {"dtype": "F32", "shape": [-1, 4], "data_offsets": [0, 64]},
                  {"dtype": "F32", "shape": [4, 4], "data_offsets": [64, 0]},
                  {"dtype": "F32", "shape": [4, 4], "data_offsets": [2**63 - 64, 2**63 - 1]},
                  {"dtype": "F32", "shape": [4, 4], "data_offsets": [0, 10**30]},
                  {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}, {"dtype": "F32"}, {}, [], 4):
        text = json.dumps({"wte.weight": entry}).encode()
        (model.folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + bytes(64))
        refuses(model, "wte.weight")
    text = json.dumps({"wpe.weight": 1}).encode()
    (model.folder / "model.safetensors").write_bytes((2**63).to_bytes(8, "little") + text)
    refuses(model, "model.safetensors", "longer than the file")


def test_config(model):
    plain = loss_from(model)
    config = {key: value for key, value in model.config.items() if key != "n_inner"}
    for absent in ({"n_layer"}, {"n_embd"}, {"vocab_size"}, {"model_type"}, {"activation_function"},
                   {"layer_norm_epsilon"}, {"n_positions"}, set(config) - {"n_head"}):
        write(model.folder, "config.json", json.dumps({k: v for k, v in config.items() if k not in absent}))
        assert loss_from(model) == plain, absent
    renamed = {"num_hidden_layers": LAYERS, "hidden_size": D, "num_attention_heads": HEADS}
    write(model.folder, "config.json", json.dumps(renamed))
    assert loss_from(model) == plain
    for name in ("gelu_pytorch_tanh", "gelu_fast", "gelu_accurate"):
        write(model.folder, "config.json", json.dumps(model.config | {"activation_function": name}))
        assert loss_from(model) == plain, name
    write(model.folder, "config.json", json.dumps(model.config | {"activation_function": 3}))
    refuses(model, "activation_function")


def test_vocabularies(model):
    """Rows without a word, tokens that no text has, and one file for words and merges."""
    plain = loss_from(model)
    V = len(model.vocabulary)
    padded = model.weights | {"wte.weight": torch.cat([model.weights["wte.weight"], torch.full((11, D), -1.0)])}
    store(model.folder / "model.safetensors", padded)
    more = loss_from(model)  # whatever config.json says
    assert more != plain
    write(model.folder, "config.json", json.dumps(model.config | {"vocab_size": V + 11}))
    assert loss_from(model) == more
    write(model.folder, "added_tokens.json", json.dumps({"<pad>": V, "〈問い〉": V + 4}))
    assert loss_from(model) == more
    special = {"〈end〉 of text": V, "<|pad|>": V + 1, "\n\n": V + 5}
    write(model.folder, "vocab.json", json.dumps(model.vocabulary | special))
    (model.folder / "added_tokens.json").unlink()
    assert loss_from(model) == more
    write(model.folder, "merges.txt", "\ufeff#version: 0.2\r\n" + "".join(f"{a} {b}\r\n" for a, b in model.merges))
    assert loss_from(model) == more
    (model.folder / "vocab.json").unlink()
    tokenizer = {"version": "1.0", "normalizer": None, "pre_tokenizer": {"type": "ByteLevel", "use_regex": True},
                 "added_tokens": [{"id": V - 1, "content": "<|endoftext|>"}, {"id": V, "content": "〈問い〉"}],
                 "model": {"type": "BPE", "vocab": model.vocabulary, "merges": [f"{a} {b}" for a, b in model.merges]}}
    write(model.folder, "tokenizer.json", json.dumps(tokenizer))
    assert loss_from(model) == more
    tokenizer["model"]["merges"] = [list(pair) for pair in model.merges]
    write(model.folder, "tokenizer.json", json.dumps(tokenizer))
    assert loss_from(model) == more
    for change, words in (({"pre_tokenizer": {"type": "Metaspace"}}, ["another way"]),
                          ({"pre_tokenizer": None}, ["another way"]), ({"normalizer": {"type": "NFC"}}, ["another way"]),
                          ({"model": tokenizer["model"] | {"type": "WordPiece"}}, ["another way"]),
                          ({"model": tokenizer["model"] | {"merges": [["a", "zz"]]}}, ["merge 1"]),
                          ({"model": tokenizer["model"] | {"merges": 4}}, ["merges"]),
                          ({"added_tokens": [{"id": 3, "content": "<x>"}]}, ["two words"])):
        write(model.folder, "tokenizer.json", json.dumps(tokenizer | change))
        refuses(model, "tokenizer.json", *words)
    (model.folder / "tokenizer.json").unlink()
    (model.folder / "merges.txt").unlink()
    refuses(model, "vocab.json", "merges.txt", "missing")


def main():
    torch.set_num_threads(1)
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    with tempfile.TemporaryDirectory() as folder:
        model = Model(pathlib.Path(folder))
        for number, test in enumerate(tests, start=1):
            try:
                clean(model)
                test(model)
                verdict = "ok"
            except (AssertionError, KeyError, OSError, ValueError) as error:
                print(f"# {type(error).__name__}: {error}".replace("\n", " ")[:2000])
                verdict = "not ok"
            print(f"{verdict} {number} - gpt2 {test.__name__}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
