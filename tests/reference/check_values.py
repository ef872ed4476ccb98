#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Numbers of matrices, gradients, predictions and hidden states beside NumPy and PyTorch, as TAP.

    check_values.py BINARY

What `train` records at a step is computed again from the weights and gradients that `dump` writes at
that step: singular values by NumPy's SVD, log Z and hidden states by the reference model.
"""

import json
import os
import subprocess
import sys
import tempfile

LIMIT = 1e-5
STEPS, LAYERS = 5, 3
SETTINGS = f"layers={LAYERS} d-model=32 heads=2 batch=8 probe-every={STEPS} eval-every=0"
PLACEMENTS = ("post", "pre")
MATRICES = {"wq": "attn.wq", "wk": "attn.wk", "wv": "attn.wv", "wo": "attn.wo", "w1": "ffn.w1", "w2": "ffn.w2"}


def check(binary, placement, folder):
    """[(key, recorded value, value here)]"""
    import numpy as np
    import torch

    from tensors import read_safetensors
    from transformer import Weights, as_leaves, run_model

    words = [word for setting in f"{SETTINGS} placement={placement}".split() for word in ("--set", setting)]
    run = (binary, "train", *words, "--steps", str(STEPS), "--jsonl", "-")
    lines = subprocess.run(run, check=True, capture_output=True, text=True).stdout.splitlines()
    step = next(line for line in map(json.loads, lines) if line.get("step") == STEPS)
    for steps in (STEPS - 1, STEPS):
        to = os.path.join(folder, str(steps))
        subprocess.run((binary, "dump", *words, "--steps", str(steps), "--out", to), check=True, capture_output=True)
    weights, gradients, batch = (read_safetensors(os.path.join(to, f"{name}.safetensors"))[0]
                                 for name in ("params", "grads", "batch"))
    before = read_safetensors(os.path.join(folder, str(STEPS - 1), "params.safetensors"))[0]
    with open(os.path.join(to, "meta.json"), encoding="utf-8") as file:
        settings = json.load(file)["settings"]
    whole = sum(np.square(g, dtype=float).sum() for g in gradients.values())
    for layer in range(LAYERS):
        own = [g for name, g in gradients.items() if name.startswith(f"blk{layer}.")]
        share = sum(np.square(g, dtype=float).sum() for g in own) / whole
        yield "grad_share", step["grad_share"][layer], share
        a, b = (np.concatenate([w.ravel() for name, w in sorted(tensors.items()) if name.startswith(f"blk{layer}.")]).astype(float)
                for tensors in (before, weights))
        chord = np.linalg.norm(b / np.linalg.norm(b) - a / np.linalg.norm(a))
        yield "update_angle", step["update_angle"][layer], 2 * np.arcsin(chord / 2)
        for key, name in MATRICES.items():
            w, g = (tensors[f"blk{layer}.{name}"].astype(float) for tensors in (weights, gradients))
            norm, largest = np.linalg.norm(w), np.linalg.svd(w, compute_uv=False)[0]
            for quantity, value in (("weight", norm), ("singular", largest), ("stable_rank", (norm / largest) ** 2),
                                    ("grad_cosine", (w * g).sum() / norm / np.linalg.norm(g))):
                yield quantity, step[f"{quantity}_{key}"][layer], value
    logits, stacks, hidden = run_model(Weights(as_leaves(weights, np.float64)), batch, settings)
    logits = logits[0] if isinstance(logits, tuple) else logits
    yield "log_z", step["log_z"], torch.logsumexp(logits, -1).mean().item()
    for layer in range(LAYERS):
        inputs = stacks["decoder"].inputs
        places = {"layer": hidden["decoder"][layer], "wqkv": inputs[f"blk{layer}.attn.wq"]}
        places.update({key: inputs[f"blk{layer}.{MATRICES[key]}"] for key in ("wo", "w1", "w2")})
        for place, x in places.items():
            sizes = np.abs(x.detach().numpy())
            for key, share in (("median", 0.5), ("p99", 0.99), ("max", 1)):
                value = np.quantile(sizes, share, method="inverted_cdf")
                yield f"input_{key}", step[f"{place}_input_{key}"][layer], value
    for place, x in enumerate(hidden["decoder"]):
        values = np.linalg.eigvalsh(np.cov(x.detach().numpy().reshape(-1, x.shape[-1]).T))
        yield "hidden_participation", step["hidden_participation"][place], values.sum() ** 2 / np.square(values).sum()


def main():
    try:
        import torch
    except ImportError:
        print("1..0 # SKIP PyTorch (python3-torch) is not installed")
        return
    torch.set_num_threads(1)
    print(f"1..{len(PLACEMENTS)}", flush=True)
    for number, placement in enumerate(PLACEMENTS, start=1):
        worst, failure = {}, None
        try:
            with tempfile.TemporaryDirectory() as folder:
                for key, recorded, value in check(sys.argv[1], placement, folder):
                    worst[key] = max(worst.get(key, 0), abs(recorded - value) / max(abs(value), 0.1))
        except (RuntimeError, LookupError, ValueError, TypeError, StopIteration, subprocess.CalledProcessError) as error:
            failure = f"{type(error).__name__}: {error}".replace("\n", " ")
        print(f"# {failure or ', '.join(f'{key} {error:.1e}' for key, error in worst.items())}")
        passed = not failure and len(worst) == 11 and all(error <= LIMIT for error in worst.values())
        print(f"{'ok' if passed else 'not ok'} {number} - values {placement}", flush=True)


if __name__ == "__main__":
    main()
