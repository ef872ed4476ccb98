#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Steps of a model of GPT-2's size and layout, here and in PyTorch.

Usage: gpt2.py NORMSCOPE_CLI [--seq N[,N...]] [--batch N] [--rounds N] [--steps N]
               [--torch-threads N...] [--folder FOLDER] [--text FILE]

Writes random weights in GPT-2's published layout (124 million: 12 layers, 768, 12 heads, 50,257
tokens, 1,024 positions) and a byte-level BPE of that size.  Both programs then train on the same
text, and in turns; PyTorch with one thread or as many as there are cores, whichever is faster in
the first round, or with those that are given.  Printed are the
milliseconds of a step and the peak memory of each, and how far loss and gradients of the first
batch differ.  With --folder the weights are kept there, and found there again.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import shutil
import re
import statistics
import subprocess
import sys
import tempfile
import time

SIZES = {"n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024, "vocab_size": 50257}
ROOT = pathlib.Path(__file__).resolve().parents[2]
WORD = re.compile(r"'(?:[stmd]|re|ve|ll)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+")


# ---- The folder ----

def bytes_to_unicode():
    seen = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    characters, free = {byte: chr(byte) for byte in seen}, 0
    for byte in range(256):
        if byte not in characters:
            characters[byte] = chr(256 + free)
            free += 1
    return [characters[byte] for byte in range(256)]


def make_merges(text, n):
    """Whole words, the most frequent first, from their beginnings; then pairs that never occur."""
    letters = bytes_to_unicode()
    known, merges = set(letters), []

    def merge(left, right):
        if len(merges) < n and left + right not in known:
            known.add(left + right)
            merges.append((left, right))

    for word, _ in collections.Counter(WORD.findall(text)).most_common():
        word = [letters[byte] for byte in word.encode()]
        for end in range(1, len(word)):
            merge("".join(word[:end]), word[end])
    for left in letters:
        for right in letters:
            merge(left, right)
    return merges


def shapes():
    C, layers = SIZES["n_embd"], SIZES["n_layer"]
    found = {"wte.weight": (SIZES["vocab_size"], C), "wpe.weight": (SIZES["n_positions"], C)}
    for layer in range(layers):
        for name, shape in {"ln_1.weight": (C,), "ln_1.bias": (C,), "attn.c_attn.weight": (C, 3 * C),
                            "attn.c_attn.bias": (3 * C,), "attn.c_proj.weight": (C, C),
                            "attn.c_proj.bias": (C,), "ln_2.weight": (C,), "ln_2.bias": (C,),
                            "mlp.c_fc.weight": (C, 4 * C), "mlp.c_fc.bias": (4 * C,),
                            "mlp.c_proj.weight": (4 * C, C), "mlp.c_proj.bias": (C,)}.items():
            found[f"h.{layer}.{name}"] = shape
    return found | {"ln_f.weight": (C,), "ln_f.bias": (C,)}


def make_weights():
    """As GPT-2 begins, but for biases, which would have nothing to show at 0."""
    import torch

    generator = torch.Generator().manual_seed(5)
    small = 0.02 / math.sqrt(2 * SIZES["n_layer"])
    weights = {}
    for name, shape in shapes().items():
        scale = 0.01 if name == "wpe.weight" else small if "c_proj.weight" in name else 0.02
        weights[name] = scale * torch.randn(shape, generator=generator)
        if ".weight" in name and "ln_" in name:
            weights[name] += 1
    return weights


def make_folder(folder, text):
    sys.path.insert(0, str(ROOT / "tests/reference"))
    import tensors

    letters = bytes_to_unicode()
    merges = make_merges(text, SIZES["vocab_size"] - 257)
    vocabulary = {token: i for i, token in enumerate(letters + ["".join(pair) for pair in merges])}
    vocabulary["<|endoftext|>"] = len(vocabulary)
    assert len(vocabulary) == SIZES["vocab_size"], len(vocabulary)
    config = {"model_type": "gpt2", **SIZES, "activation_function": "gelu_new",
              "layer_norm_epsilon": 1e-5}
    for name, content in (("config.json", json.dumps(config)), ("vocab.json", json.dumps(vocabulary)),
                          ("merges.txt", "".join(f"{a} {b}\n" for a, b in merges)),
                          ("text.txt", text)):
        (folder / name).write_text(content, encoding="utf-8")
    tensors.write_safetensors(folder / "model.safetensors",
                              {name: w.numpy() for name, w in make_weights().items()}, {})


# ---- PyTorch ----

def make_model(weights):
    """The loss of a batch, and the hidden states of it; what a good user would write."""
    import torch
    from torch.nn import functional as F

    C, H, layers = SIZES["n_embd"], SIZES["n_head"], SIZES["n_layer"]

    def norm(name, x):
        return F.layer_norm(x, (C,), weights[name + ".weight"], weights[name + ".bias"], 1e-5)

    def linear(name, x):
        flat = torch.addmm(weights[name + ".bias"], x.reshape(-1, x.shape[-1]),
                           weights[name + ".weight"])
        return flat.view(*x.shape[:-1], -1)

    def attend(h, x):
        B, T, _ = x.shape
        q, k, v = linear(h + "attn.c_attn", x).view(B, T, 3, H, C // H).permute(2, 0, 3, 1, 4)
        if hasattr(F, "scaled_dot_product_attention"):
            seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            q, k, v = (part.reshape(B * H, T, C // H) for part in (q, k, v))
            mask = torch.full((T, T), -torch.inf).triu(1)
            scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=(C // H) ** -0.5)
            seen = torch.bmm(torch.softmax(scores, dim=-1), v).view(B, H, T, C // H)
        return linear(h + "attn.c_proj", seen.transpose(1, 2).reshape(B, T, C))

    def forward(tokens, targets):
        x = weights["wte.weight"][tokens] + weights["wpe.weight"][:tokens.shape[1]]
        hidden = [x]
        for layer in range(layers):
            h = f"h.{layer}."
            x = x + attend(h, norm(h + "ln_1", x))
            inner = linear(h + "mlp.c_fc", norm(h + "ln_2", x))
            x = x + linear(h + "mlp.c_proj", F.gelu(inner, approximate="tanh"))
            hidden.append(x)
        logits = norm("ln_f", x).view(-1, C) @ weights["wte.weight"].T
        return F.cross_entropy(logits, targets.reshape(-1)), hidden

    return forward


def run_torch(folder, batch_file, threads, steps):
    """Steps on one batch: loss and norms of the first, milliseconds of all, peak memory."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(threads)
    import resource

    sys.path.insert(0, str(ROOT / "tests/reference"))
    import tensors
    import torch

    torch.set_num_threads(threads)
    read, _ = tensors.read_safetensors(folder / "model.safetensors")
    weights = {name: torch.from_numpy(w).requires_grad_() for name, w in read.items()}
    del read
    batch, _ = tensors.read_safetensors(batch_file)
    result = {"ms": []}
    tokens, targets = (torch.from_numpy(batch[name]).long() for name in ("tokens", "targets"))
    model = make_model(weights)
    parameters = list(weights.values())
    optimizer = torch.optim.Adam(parameters, lr=1e-5, betas=(0.9, 0.98), eps=1e-8)
    for _ in range(steps):
        started = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss, hidden = model(tokens, targets)
        loss.backward()
        torch.stack(torch._foreach_norm([p.grad for p in parameters])).tolist()
        states = torch.stack([x.detach().norm(dim=-1).mean() for x in hidden]).tolist()
        del hidden
        optimizer.step()
        value = loss.item()
        result["ms"].append(1e3 * (time.perf_counter() - started))
        if "loss" not in result:
            # Those of the step are sums in single precision, off by 1e-4 and more.
            exact = {name: w.grad.double().norm().item() for name, w in weights.items()}
            result |= {"loss": value, "norms": exact, "states": states}
    result["mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


# ---- Normscope ----

class Ours:
    def __init__(self, cli, folder, seq, batch):
        self.cli, self.folder = cli, folder
        self.words = ["--checkpoint", str(folder), "--set", f"text={folder / 'text.txt'}", "--set",
                      f"seq={seq}", "--set", f"batch={batch}", "--set", "lr=1e-5", "--set",
                      "eval-every=0", "--set", "eval-batches=1"]

    def run(self, command, *arguments):
        """What it prints, and its peak memory in MiB."""
        with subprocess.Popen([self.cli, command, *arguments, *self.words],
                              stdout=subprocess.PIPE) as process:
            out = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, (command, process.returncode)
        return out.decode(), usage.ru_maxrss / 1024

    def first_batch(self):
        out = self.folder / "dump"
        shutil.rmtree(out, ignore_errors=True)  # a dump replaces no file
        self.run("dump", "--steps", "0", "--out", str(out))
        return out / "batch.safetensors"

    def train(self, steps):
        """The records, that of the first batch first, and the peak memory."""
        out, mib = self.run("train", "--steps", str(steps), "--jsonl", "-")
        return [line for line in map(json.loads, out.splitlines()) if "step" in line], mib

    def probe(self):
        return self.run("probe", "--json")[1]


# ---- Side by side ----

def off(a, b):
    return abs(a - b) / abs(b)


def largest_difference(ours, theirs):
    """Of the loss, and of the norms of hidden states and gradients."""
    found = {"loss": off(ours["loss"], theirs["loss"])}
    found["hidden states"] = max(map(off, ours["hidden_norm"], theirs["states"]))
    norms, all_ = theirs["norms"], ours["grad_norm"]
    pieces = {"wo": "attn.c_proj", "w1": "mlp.c_fc", "w2": "mlp.c_proj"}
    found["gradients"] = max(off(value, norms[f"h.{layer}.{name}.weight"])
                             for role, name in pieces.items()
                             for layer, value in enumerate(all_[role]))
    for layer in range(SIZES["n_layer"]):
        qkv = math.sqrt(sum(all_[role][layer] ** 2 for role in ("wq", "wk", "wv")))
        found["gradients"] = max(found["gradients"],
                                 off(qkv, norms[f"h.{layer}.attn.c_attn.weight"]))
    found["whole gradient"] = off(all_["total"], math.sqrt(sum(n * n for n in norms.values())))
    return found


def torch_apart(folder, batch_file, threads, steps):
    command = [sys.executable, "-B", __file__, "--torch", str(folder), str(batch_file), str(threads),
               str(steps)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def compare(ours, options, seq):
    """The first step of a process prepares memory, and does not count."""
    batch_file = ours.first_batch()
    counts = options.torch_threads or sorted({1, len(os.sched_getaffinity(0))})
    times, peaks = collections.defaultdict(list), collections.defaultdict(float)
    ratios = []
    for round_ in range(options.rounds):
        records, peaks["Normscope"] = ours.train(options.steps + 1)
        own = statistics.median(1e3 * record["seconds"] for record in records[2:])
        times["Normscope"].append(own)
        best = math.inf
        for threads in counts if round_ == 0 else [fastest]:
            theirs = torch_apart(ours.folder, batch_file, threads, options.steps + 1)
            name = f"PyTorch ({threads})"
            times[name].append(statistics.median(theirs["ms"][1:]))
            peaks[name] = theirs["mib"]
            if times[name][-1] < best:
                best, fastest = times[name][-1], threads
        ratios.append(best / own)
        if round_ == 0:
            found = largest_difference(records[0], theirs)
            words = ", ".join(f"{name} {value:.1e}" for name, value in found.items())
            print(f"seq {seq}, batch {options.batch}: largest relative difference: {words}")
    for name, values in times.items():
        print(f"    {name:12} {statistics.median(values):8.0f} ms ({min(values):.0f} to "
              f"{max(values):.0f}, {len(values)} rounds), {peaks[name]:5.0f} MiB")
    print(f"    ratio        {statistics.median(ratios):8.2f} ({min(ratios):.2f} to {max(ratios):.2f});"
          f" probe: {ours.probe():.0f} MiB", flush=True)
    return max(found.values()) <= 1e-4 and peaks["Normscope"] <= 4096


def main():
    if sys.argv[1:2] == ["--torch"]:
        folder, batch_file, threads, steps = sys.argv[2:]
        return run_torch(pathlib.Path(folder), batch_file, int(threads), int(steps))
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--seq", default="128,256,512,1024")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--torch-threads", type=int, nargs="*")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--text", type=pathlib.Path, default=ROOT / "README.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        if not (folder / "model.safetensors").exists():
            folder.mkdir(parents=True, exist_ok=True)
            make_folder(folder, options.text.read_text(encoding="utf-8"))
        met = True
        for seq in map(int, options.seq.split(",")):
            ours = Ours(os.path.abspath(options.cli), folder, seq, options.batch)
            met &= compare(ours, options, seq)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
