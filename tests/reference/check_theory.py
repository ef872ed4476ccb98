#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Xiong et al. 2020 (arXiv 2002.04745) in its own setting, as TAP.

    check_theory.py BINARY

The setting: an encoder with uniform attention of one head without W_Q, W_K and W_O, square W_V, W_1
and W_2 of variance 1/d, i.i.d. Gaussian inputs, random targets, before any update.  What must hold
comes from the paper's lemmas, and from a simulation of the same setting in PyTorch (left out where
that is not installed), which is itself held against figures from an independent program.
"""

import json
import math
import subprocess
import sys

D, SEEDS = 128, 10
LENGTH, BATCH, VOCAB = 64, 8, 256  # 256: what task=gaussian predicts
DEPTHS = (2, 6, 12, 24)
SIGMAS = 4  # standard errors within which two means count as equal
PAIRS = [(placement, layers) for placement in ("post", "pre") for layers in DEPTHS]

# Last-layer W_2 gradient norm for a head of variance 1/d, and Pre-LN's |x_L|^2 / d: an independent
# program, ten seeds.
W2_GRADIENT = {
    "post": {2: 0.32, 6: 0.52, 12: 0.56, 24: 0.58},
    "pre": {2: 0.263, 6: 0.193, 12: 0.145, 24: 0.116},
}
PRE_OUTPUT = {2: 2.1, 6: 5.6, 12: 12.4, 24: 28.5}


class Sample:
    """Values over seeds."""

    def __init__(self, values):
        self.mean = sum(values) / len(values)
        squares = sum((x - self.mean) ** 2 for x in values)
        self.error = math.sqrt(squares / (len(values) - 1) / len(values))

    def __str__(self):
        return f"{self.mean:.4g} ± {self.error:.2g}"

    def is_near(self, value, error=0.0, slack=0.0):
        """Within SIGMAS standard errors, of both where `value` is a mean as well."""
        return abs(self.mean - value) <= SIGMAS * math.hypot(self.error, error) + slack

    def agrees(self, other):
        return self.is_near(other.mean, other.error)


class Program:
    """`normscope-cli probe`, one call a seed: inputs, targets and weights are all drawn anew."""

    def __init__(self, binary):
        self.binary, self.seen = binary, {}

    def probe(self, placement, layers, d_ff=D):
        key = placement, layers, d_ff
        if key not in self.seen:
            self.seen[key] = [self.call(*key, seed) for seed in range(1, SEEDS + 1)]
        return self.seen[key]

    def call(self, placement, layers, d_ff, seed):
        settings = (
            "arch=encoder attention=uniform heads=1 task=gaussian positions=none "
            f"embedding-norm=off placement={placement} layers={layers} d-model={D} d-ff={d_ff} "
            f"seq={LENGTH} batch={BATCH} seed={seed} data-seed={seed} probe-batches=1"
        )
        command = [self.binary, "probe", "--json", "--seeds", "1"]
        for setting in settings.split():
            command += ["--set", setting]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def hidden(self, placement, layers, layer, d_ff=D):
        """|x_l|^2 / d."""
        records = self.probe(placement, layers, d_ff)
        return Sample([record["hidden_norm_sq"]["mean"][layer] / D for record in records])

    def sigma_sq(self, placement, layers, kind, layer, d_ff=D):
        """sigma^2 of the input of the norm of a sub-layer, layers from 1."""
        records = self.probe(placement, layers, d_ff)
        return Sample([record[f"norm_sigma_{kind}"]["mean"][layer - 1] ** 2 for record in records])

    def w2_gradient(self, placement, layers):
        records = self.probe(placement, layers)
        return Sample([record["grad_norm"]["w2"]["mean"][-1] for record in records])


def simulate(placement, layers, head_variance):
    """(last-layer W_2 gradient norms, |x_L|^2 / d), by seed, from PyTorch."""
    import numpy as np

    from transformer import Weights, as_leaves, loss_and_gradients, run_model

    settings = {
        "arch": "encoder", "attention": "uniform", "heads": 1, "positions": "none",
        "layers": layers, "placement": placement, "norm": "layernorm", "embedding-norm": "off",
    }  # fmt: skip
    gradients, outputs = [], []
    for seed in range(SEEDS):
        random = np.random.RandomState(seed)
        weights = {
            "tok_emb": random.normal(size=(BATCH * LENGTH, D)),
            "head": random.normal(0, math.sqrt(head_variance), (VOCAB, D)),
        }
        for block in (f"blk{layer}" for layer in range(layers)):
            for matrix in ("attn.wv", "ffn.w1", "ffn.w2"):
                weights[f"{block}.{matrix}"] = random.normal(0, 1 / math.sqrt(D), (D, D))
            for bias in ("attn.bv", "ffn.b1", "ffn.b2", "norm1.bias", "norm2.bias"):
                weights[f"{block}.{bias}"] = np.zeros(D)
            for gain in ("norm1.gain", "norm2.gain"):
                weights[f"{block}.{gain}"] = np.ones(D)
        if placement == "pre":
            weights |= {"final_norm.gain": np.ones(D), "final_norm.bias": np.zeros(D)}
        batch = {
            "tokens": np.arange(BATCH * LENGTH).reshape(BATCH, LENGTH),
            "targets": random.randint(0, VOCAB, (BATCH, LENGTH)),
        }
        _, found = loss_and_gradients(weights, batch, settings, np.float32)
        gradients.append(np.linalg.norm(found[f"blk{layers - 1}.ffn.w2"]))
        _, _, hidden = run_model(Weights(as_leaves(weights, np.float32)), batch, settings)
        outputs.append((hidden["encoder"][-1] ** 2).sum(-1).mean().item() / D)
    return Sample(gradients), Sample(outputs)


def lemma_2_post(program):
    """|x_l|^2 = d exactly for every l > 0."""
    for layer in range(1, 7):
        x = program.hidden("post", 6, layer)
        yield f"|x_{layer}|^2 / d = {x}", abs(x.mean - 1) < 1e-4 and x.error < 1e-5


def lemma_2_post_sums(program):
    """E|x_5|^2 = 3d/2 and d <= E|x_2|^2 <= 2d; sigma^2 leaves out the square of the mean over
    features, 1/d of what the branch adds."""
    for layer in range(1, 7):
        x5 = program.sigma_sq("post", 6, "ffn", layer)
        yield f"sigma^2 of x_5 in layer {layer}: {x5}", x5.is_near(1.5, slack=0.5 / D + 0.01)
        x2 = program.sigma_sq("post", 6, "attention", layer)
        inside = 1 - 0.02 <= x2.mean + SIGMAS * x2.error and x2.mean - SIGMAS * x2.error <= 2
        yield f"sigma^2 of x_2 in layer {layer}: {x2}", inside


def lemma_2_pre(program):
    """(1 + l/2) d <= E|x_l|^2 <= (1 + 3l/2) d."""
    for layer in range(1, 25):
        x = program.hidden("pre", 24, layer)
        low, high = 1 + layer / 2, 1 + 3 * layer / 2
        inside = low - SIGMAS * x.error <= x.mean <= high + SIGMAS * x.error
        yield f"{low} <= |x_{layer}|^2 / d = {x} <= {high}", inside


def other_widths(program):
    """With d_ff = f and Xavier's variance the branch adds 2 d f / (d + f)^2 instead of 1/2."""
    for f in (2 * D, 4 * D):
        expected = 1 + 2 * D * f / (D + f) ** 2
        x5 = program.sigma_sq("post", 2, "ffn", 1, f)
        yield f"d_ff = {f}: sigma^2 of x_5 = {x5}, {expected:.3f}", x5.is_near(expected, slack=0.01)


def uniform_entropy(program):
    """Uniform attention has the entropy ln n."""
    for record in program.probe("pre", 6):
        for value in record["attention_entropy"]["mean"]:
            yield f"entropy / ln n = {value:.8f}", abs(value - 1) < 1e-5


def published_output(program):
    for layers, expected in PRE_OUTPUT.items():
        x = program.hidden("pre", layers, layers)
        near = x.is_near(expected, x.error, slack=0.05)
        yield f"L = {layers}: |x_L|^2 / d = {x}, {expected}", near


def simulated_gradient(program):
    """The program's head is Xavier's, of variance 2 / (V + d)."""
    for placement, layers in PAIRS:
        ours = program.w2_gradient(placement, layers)
        theirs, _ = simulate(placement, layers, 2 / (VOCAB + D))
        yield f"{placement} L = {layers}: {ours}, PyTorch {theirs}", ours.agrees(theirs)


def published_gradient(program):
    del program
    for placement, layers in PAIRS:
        x, _ = simulate(placement, layers, 1 / D)
        expected = W2_GRADIENT[placement][layers]
        near = x.is_near(expected, x.error, slack=0.005)
        yield f"{placement} L = {layers}: PyTorch {x}, {expected}", near


def simulated_output(program):
    for layers in DEPTHS:
        ours = program.hidden("pre", layers, layers)
        _, theirs = simulate("pre", layers, 1 / D)
        yield f"L = {layers}: |x_L|^2 / d = {ours}, PyTorch {theirs}", ours.agrees(theirs)


def gradient_and_depth(program):
    """Theorem 1: Pre-LN's last gradient falls with depth, Post-LN's does not."""
    for placement, falls in (("post", False), ("pre", True)):
        shallow, deep = (program.w2_gradient(placement, layers) for layers in (2, 24))
        margin = SIGMAS * math.hypot(shallow.error, deep.error)
        right = deep.mean < shallow.mean - margin if falls else deep.mean > shallow.mean - margin
        yield f"{placement}: {shallow} at 2 layers, {deep} at 24", right


CHECKS = (
    (lemma_2_post, False),
    (lemma_2_post_sums, False),
    (lemma_2_pre, False),
    (other_widths, False),
    (uniform_entropy, False),
    (published_output, False),
    (gradient_and_depth, False),
    (simulated_output, True),
    (simulated_gradient, True),
    (published_gradient, True),
)


def main():
    program = Program(sys.argv[1])
    try:
        import torch

        torch.set_num_threads(1)
        have_torch = True
    except ImportError:
        have_torch = False
    print(f"1..{len(CHECKS)}", flush=True)
    for number, (check, wants_torch) in enumerate(CHECKS, start=1):
        name = check.__name__.replace("_", " ")
        if wants_torch and not have_torch:
            print(f"ok {number} - theory {name} # SKIP PyTorch (python3-torch) is not installed")
            continue
        passed = True
        try:
            for text, right in check(program):
                print(f"# {text}{'' if right else '  FAILS'}")
                passed = passed and right
        except (RuntimeError, LookupError, TypeError, ValueError) as error:
            print(f"# {type(error).__name__}: {error}".replace("\n", " "))
            passed = False
        print(f"{'ok' if passed else 'not ok'} {number} - theory {name}", flush=True)


if __name__ == "__main__":
    main()
