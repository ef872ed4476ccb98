#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks that torch_steps.py times the same model: same weights, same loss, same gradients (TAP).

Usage: check_same.py NORMSCOPE_CLI
"""

import json
import os
import subprocess
import sys
import tempfile

try:
    import torch
    from torch.nn import functional as F
except ImportError:
    print("1..0 # SKIP PyTorch (python3-torch) is not installed")
    sys.exit(0)

import torch_steps

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "reference"))
from tensors import read_safetensors  # noqa: E402

LIMIT = 1e-5  # of the largest gradient of a tensor: single precision on both sides
SHAPE = ["layers=2", "d-model=16", "heads=2", "d-ff=24", "vocab=12", "seq=7", "batch=3"]
CASES = [(arch, placement, more)
         for arch, more in (("decoder", []), ("encoder-decoder", ["source-seq=5", "decoder-layers=3"]))
         for placement in ("pre", "post")]


def dump(cli, settings, folder):
    words = [word for setting in ("task=random", *settings) for word in ("--set", setting)]
    subprocess.run([cli, "dump", "--out", folder, *words], check=True)
    return dump_of(folder)


def dump_of(folder):
    """Weights, gradients and batch by name, and what meta.json says."""
    files = [{name: torch.from_numpy(array) for name, array in
              read_safetensors(os.path.join(folder, part + ".safetensors"))[0].items()}
             for part in ("params", "grads", "batch")]
    with open(os.path.join(folder, "meta.json"), encoding="utf-8") as file:
        return *files, json.load(file)


def attention_names(attention, name):
    if hasattr(attention, "qkv"):
        yield attention.qkv.weight, [f"{name}.w{letter}" for letter in "qkv"]
        yield attention.qkv.bias, [f"{name}.b{letter}" for letter in "qkv"]
    else:
        yield attention.q.weight, [name + ".wq"]
        yield attention.q.bias, [name + ".bq"]
        yield attention.kv.weight, [name + ".wk", name + ".wv"]
        yield attention.kv.bias, [name + ".bk", name + ".bv"]
    yield attention.out.weight, [name + ".wo"]
    yield attention.out.bias, [name + ".bo"]


def norm_names(norm, name):
    if isinstance(norm, torch.nn.LayerNorm):
        yield norm.weight, [name + ".gain"]
        yield norm.bias, [name + ".bias"]


def stack_names(stack, prefix):
    yield stack.tokens.weight, [prefix + "tok_emb"]
    yield stack.positions.weight, [prefix + "pos_emb"]
    yield from norm_names(stack.final_norm, prefix + "final_norm")
    for i, layer in enumerate(stack.layers):
        name = f"{prefix}blk{i}"
        yield from attention_names(layer.attention, name + ".attn")
        if layer.cross is not None:
            yield from attention_names(layer.cross, name + ".cross")
        for linear, number in ((layer.w1, 1), (layer.w2, 2)):
            yield linear.weight, [f"{name}.ffn.w{number}"]
            yield linear.bias, [f"{name}.ffn.b{number}"]
        norms = ["norm1", "norm2"] if layer.cross is None else ["norm1", "cross_norm", "norm2"]
        for norm, place in zip(layer.norms, norms):
            yield from norm_names(norm, f"{name}.{place}")


def names_of(model):
    """Every parameter, with the names of the tensors that it joins."""
    both = hasattr(model, "encoder")
    if both:
        yield from stack_names(model.encoder, "enc.")
    yield from stack_names(model.decoder, "dec." if both else "")
    yield model.head.weight, ["head"]


def differences(cli, arch, placement, more):
    """What differs, in words."""
    settings = ["arch=" + arch, "placement=" + placement, *SHAPE, *more]
    with tempfile.TemporaryDirectory() as folder:
        weights, gradients, batch, meta = dump(cli, settings, folder)
    model = torch_steps.make_model(torch_steps.read_settings(settings))
    joined = list(names_of(model))
    if len(joined) != len(list(model.parameters())):
        yield f"{len(list(model.parameters()))} parameters, of which {len(joined)} have names"
    for parameter, names in joined:
        parameter.data = torch.cat([weights.pop(name) for name in names])
    if weights:
        yield "PyTorch's model has no " + ", ".join(weights)
    loss = F.cross_entropy(model(batch["tokens"], batch.get("src")).flatten(0, 1),
                           batch["targets"].flatten())
    loss.backward()
    if abs(loss.item() / meta["loss"] - 1) > LIMIT:
        yield f"loss {loss.item()}, not {meta['loss']}"
    for parameter, names in joined:
        expected = torch.cat([gradients[name] for name in names])
        error = (parameter.grad - expected).abs().max() / expected.abs().max().clamp(min=1e-6)
        if not error <= LIMIT:
            yield f"gradient of {', '.join(names)} differs by {error:.1e} of its largest value"


def main():
    print(f"1..{len(CASES)}", flush=True)
    for number, (arch, placement, more) in enumerate(CASES, start=1):
        found = list(differences(sys.argv[1], arch, placement, more))
        for line in found:
            print("# " + line)
        print(f"{'not ok' if found else 'ok'} {number} {arch}, {placement}", flush=True)


if __name__ == "__main__":
    main()
