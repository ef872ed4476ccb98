#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sharpness and critical rate that the program measures, beside PyTorch in float64, as TAP.

    check_curvature.py BINARY

The sharpness, of all weights and of every layer, must agree to 1e-3, the preconditioned one to 3e-3: with those of exact Hessian-vector products, by Lanczos iteration with full
orthogonalization.  At the critical rate the loss must be that before the update, within what 5 % of
the rate change it.
"""

import json
import subprocess
import sys
import tempfile

LIMITS = {"sharpness": 1e-3, "layer": 1e-3, "preconditioned_sharpness": 3e-3}
RATE_LIMIT = 0.05
SMALL = "layers=2 d-model=16 heads=2 seq=12 batch=4 eval-every=0 "
# After this many updates curvature is measured at the next one.
CASES = (
    (0, "placement=post activation=gelu"),
    (6, "placement=post activation=gelu lr=3e-3"),
    (6, "placement=pre activation=gelu-tanh lr=3e-3 threads=2"),
    (5, "placement=pre activation=swiglu norm=rmsnorm optimizer=adamw weight-decay=0.1"),
    (4, "placement=post activation=gelu optimizer=sgd lr=0.1 arch=encoder task=sort"),
    (6, "placement=post lr=3e-3"),
)


def record(binary, settings, step, every=None):
    every = step if every is None else every
    command = [binary, "train", "--steps", str(max(step, 1)), "--jsonl", "-", "--set", f"curvature-every={every}"]
    for setting in settings:
        command += ["--set", setting]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [json.loads(line) for line in lines if f'"step":{step},' in line and '"loss"' in line][-1]


def dumped(binary, settings, step):
    from check_dump import dump, read_dump

    with tempfile.TemporaryDirectory() as folder:
        dump(binary, [*settings, f"steps={step}"], folder)
        return read_dump(folder)


class Model:
    """The loss of one batch as a function of a flat vector of weights."""

    def __init__(self, weights, batch, meta):
        self.shapes = {name: array.shape for name, array in weights.items()}
        self.batch = batch
        self.settings = meta["settings"] | {"vocab_out": meta["vocab"]}

    def flat(self, arrays):
        import numpy as np

        return np.concatenate([arrays[name].astype(np.float64).ravel() for name in self.shapes])

    def loss(self, vector):
        import torch
        from transformer import Weights, cross_entropy, run_model

        leaves, at = {}, 0
        for name, shape in self.shapes.items():
            size = int(torch.Size(shape).numel())
            leaves[name] = vector[at : at + size].reshape(shape)
            at += size
        (logits, _), _, _ = run_model(Weights(leaves), self.batch, self.settings)
        targets = torch.from_numpy(self.batch["targets"])
        smoothing, z = (float(self.settings.get(key, 0)) for key in ("label-smoothing", "z-loss"))
        return cross_entropy(logits, targets, smoothing, z)

    def value(self, vector):
        import torch

        return self.loss(torch.from_numpy(vector)).item()

    def product(self, vector, direction):
        import torch

        leaf = torch.from_numpy(vector.copy()).requires_grad_()
        (gradient,) = torch.autograd.grad(self.loss(leaf), leaf, create_graph=True)
        (product,) = torch.autograd.grad(gradient @ torch.from_numpy(direction), leaf)
        return product.numpy()


def largest(multiply, start, steps=50):
    """The largest eigenvalue by Lanczos iteration with full orthogonalization."""
    import numpy as np

    basis, images = [start / np.linalg.norm(start)], []
    for _ in range(steps):
        images.append(multiply(basis[-1]))
        rest = images[-1].copy()
        for _ in range(2):
            for vector in basis:
                rest -= (vector @ rest) * vector
        basis.append(rest / np.linalg.norm(rest))
    square = np.array([[vector @ image for image in images] for vector in basis[:-1]])
    return np.linalg.eigvalsh((square + square.T) / 2)[-1]


def check(binary, updates, case):
    """[(text, whether it is right)]"""
    import numpy as np

    settings = (SMALL + case).split()
    found = record(binary, settings, updates + 1)
    second, beta1, beta2 = 0, 0, 0
    for step in range(updates + 1):
        weights, gradients, batch, meta = dumped(binary, settings, step)
        model = Model(weights, batch, meta)
        beta1, beta2 = float(meta["settings"]["beta1"]), float(meta["settings"]["beta2"])
        second = beta2 * second + (1 - beta2) * model.flat(gradients) ** 2
    before = model.flat(weights)
    update = before - model.flat(dumped(binary, settings, updates + 1)[0])

    def compare(key, expected):
        error = abs(found[key] / expected - 1)
        return f"{key} {found[key]:.6g}, PyTorch {expected:.6g}: {error:.1e}", error <= LIMITS[key]

    yield compare("sharpness", largest(lambda x: model.product(before, x), update))
    scale = np.ones_like(before)
    if "optimizer=sgd" not in case:
        t = updates + 1
        scale = (1 - beta1**t) * (np.sqrt(second / (1 - beta2**t)) + float(meta["settings"]["eps"]))
    root = scale**-0.5
    preconditioned = largest(lambda x: root * model.product(before, root * x), update / root)
    yield compare("preconditioned_sharpness", preconditioned)

    # Of every layer, on the weights and the batch of the record before.
    of_layers = record(binary, [*settings, f"layer-sharpness-every={max(updates, 1)}"], updates, 0)["layer_sharpness"]
    for layer, value in enumerate(of_layers):
        part = np.concatenate(
            [np.full(int(np.prod(shape)), float(f"blk{layer}." in name)) for name, shape in model.shapes.items()]
        )
        expected = largest(lambda x, part=part: part * model.product(before, part * x), part * update)
        error = abs(value / expected - 1)
        yield f"layer {layer + 1} {value:.6g}, PyTorch {expected:.6g}: {error:.1e}", error <= LIMITS["layer"]

    start, part = model.value(before), found["critical_rate"] / found["lr"]
    below = model.value(before - part * (1 - RATE_LIMIT) * update)
    above = model.value(before - part * (1 + RATE_LIMIT) * update)
    yield f"loss {below - start:.2e}, {above - start:.2e} about the critical rate", below < start < above


def main():
    binary = sys.argv[1]
    try:
        import torch
    except ImportError:
        print("1..0 # SKIP PyTorch (python3-torch) is not installed")
        return
    torch.set_num_threads(1)
    print(f"1..{len(CASES)}", flush=True)
    for number, (updates, case) in enumerate(CASES, start=1):
        passed = True
        try:
            for text, right in check(binary, updates, case):
                print(f"# {text}{'' if right else '  FAILS'}")
                passed = passed and bool(right)
        except (RuntimeError, LookupError, ValueError, TypeError, subprocess.CalledProcessError) as error:
            print(f"# {type(error).__name__}: {error}".replace("\n", " "))
            passed = False
        print(f"{'ok' if passed else 'not ok'} {number} - curvature {case} | {updates}", flush=True)


if __name__ == "__main__":
    main()
