# SPDX-License-Identifier: MIT
"""Optimizers on numpy arrays, each from its paper; the learning rate; clipping.

An optimizer keeps its moments by tensor name.  Weight decay acts on the matrices of the layers and
on the head (OLMo), on the embeddings too (BERT, GPT-2), or on everything (PyTorch, fairseq).
"""

import math

import numpy as np


def in_layer(name):
    return any(part.startswith("blk") for part in name.split("."))


def decays(name, array, scope):
    if scope == "all":
        return True
    embeds = name.split(".")[-1] in ("tok_emb", "pos_emb")
    return array.ndim == 2 and (scope == "embeddings" or not embeds)


def learning_rate(step, settings):
    """Of update `step`, from 1: linear warm-up (Xiong et al. 2020, eq. 1) and, apart from it, the
    inverse square root after `decay-start`."""
    rate = float(settings["lr"]) * min(1, step / int(settings.get("warmup", 1)))
    if settings.get("schedule", "constant") == "constant":
        return rate
    return rate * min(1, math.sqrt(int(settings["decay-start"]) / step))


def clipped(gradients, limit):
    """Scaled down to this norm of them all (Pascanu et al. 2013), with PyTorch's 1e-6."""
    norm = math.sqrt(sum(float((g * g).sum()) for g in gradients.values()))
    if not 0 < limit < norm:
        return gradients
    return {name: g * (limit / (norm + 1e-6)) for name, g in gradients.items()}


class Optimizer:
    def __init__(self, settings):
        self.settings = settings
        self.beta1 = float(settings.get("beta1", 0.9))
        self.beta2 = float(settings.get("beta2", 0.98))
        self.eps = float(settings.get("eps", 1e-8))
        self.decay = float(settings.get("weight-decay", 0))
        self.momentum = float(settings.get("momentum", 0))
        self.first, self.second, self.step = {}, {}, 0

    def update(self, weights, gradients, rate):
        self.step += 1
        for name, g in clipped(gradients, float(self.settings.get("clip", 0))).items():
            lr, eps = depth_factors(name, self.settings)
            weights[name] = self.updated(name, weights[name], g, rate * lr, self.eps * eps)

    def decay_of(self, name, w):
        scope = self.settings.get("decay-scope", "matrices")
        return self.decay if decays(name, w, scope) else 0.0

    def averages(self, name, g):
        """Both moments and their corrections (Kingma and Ba 2015, algorithm 1)."""
        m = self.beta1 * self.first.get(name, 0.0) + (1 - self.beta1) * g
        v = self.beta2 * self.second.get(name, 0.0) + (1 - self.beta2) * g * g
        self.first[name], self.second[name] = m, v
        return m / (1 - self.beta1**self.step), v / (1 - self.beta2**self.step)


class Adam(Optimizer):
    """Weight decay is part of the gradient."""

    def updated(self, name, w, g, rate, eps):
        m, v = self.averages(name, g + self.decay_of(name, w) * w)
        return w - rate * m / (np.sqrt(v) + eps)


class AdamW(Optimizer):
    """Loshchilov and Hutter 2019: weight decay apart from the gradient."""

    def updated(self, name, w, g, rate, eps):
        m, v = self.averages(name, g)
        return w - rate * self.decay_of(name, w) * w - rate * m / (np.sqrt(v) + eps)


class Sgd(Optimizer):
    """Polyak 1964, as PyTorch writes it."""

    def updated(self, name, w, g, rate, eps):
        g = g + self.decay_of(name, w) * w
        self.first[name] = self.momentum * self.first.get(name, 0.0) + g
        return w - rate * self.first[name]


class RAdam(Optimizer):
    """Liu et al. 2020, algorithm 2: a step with momentum alone while rho_t <= 4."""

    def updated(self, name, w, g, rate, eps):
        m, v = self.averages(name, g + self.decay_of(name, w) * w)
        power = self.beta2**self.step
        rho_inf = 2 / (1 - self.beta2) - 1
        rho = rho_inf - 2 * self.step * power / (1 - power)
        if rho <= 4:
            return w - rate * m
        r = ((rho - 4) * (rho - 2) * rho_inf) / ((rho_inf - 4) * (rho_inf - 2) * rho)
        return w - rate * math.sqrt(r) * m / (np.sqrt(v) + eps)


class Muon(AdamW):
    """Jordan et al. 2024: Nesterov momentum, orthogonalized by five Newton-Schulz steps, for the
    matrices of the layers; AdamW for the rest."""

    def updated(self, name, w, g, rate, eps):
        if not (in_layer(name) and w.ndim == 2):
            return super().updated(name, w, g, rate, eps)
        self.first[name] = self.momentum * self.first.get(name, 0.0) + g
        x = g + self.momentum * self.first[name]
        x = x / (np.linalg.norm(x) + 1e-7)
        tall = x.shape[0] > x.shape[1]
        x = x.T if tall else x
        for _ in range(5):
            square = x @ x.T
            x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
        x = x.T if tall else x
        scale = math.sqrt(max(1, w.shape[0] / w.shape[1]))
        return w - rate * self.decay_of(name, w) * w - rate * scale * x


def depth_factors(name, settings):
    """What the depth-wise rules multiply Adam's rate and epsilon by: m^(alpha - 1) and m^-alpha for
    everything inside a layer, m = layers / base-layers (Dey et al. 2025, Table 1)."""
    alpha = {"completep": 1.0, "depth-mup": 0.5}.get(settings["placement"])
    if alpha is None or not in_layer(name):
        return 1.0, 1.0
    m = int(settings["layers"]) / int(settings.get("base-layers", 2))
    return m ** (alpha - 1), m**-alpha


OPTIMIZERS = {"adam": Adam, "adamw": AdamW, "sgd": Sgd, "radam": RAdam, "muon": Muon}
