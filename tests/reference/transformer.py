# SPDX-License-Identifier: MIT
"""An independent Transformer in float64, written from the formulas alone.

Nothing here follows the C sources: a placement is spelled out as its paper writes it
(placements.py), and autograd takes the gradients.  A model is a dict of tensors under the names
that `normscope-cli dump` uses, weights [out, in], and a dict of settings under the keys of the
command line.
"""

import math
from dataclasses import dataclass, field

import numpy as np
import torch

import placements


class Weights:
    """Tensors by name, and which of them a pass has used."""

    def __init__(self, tensors):
        self.tensors, self.used = tensors, set()

    def __contains__(self, name):
        return name in self.tensors

    def __getitem__(self, name):
        self.used.add(name)
        return self.tensors[name]


@dataclass
class Stack:
    """An encoder or a decoder on one batch."""

    settings: dict
    weights: Weights
    prefix: str
    layers: int
    encoder: int  # layers of the whole model
    decoder: int
    in_decoder: bool
    real: torch.Tensor  # [B, T] where a token stands, not padding
    memory: torch.Tensor = None  # [B, S, D] output of the encoder
    memory_real: torch.Tensor = None
    second_stream: torch.Tensor = None
    variances: dict = field(default_factory=dict)  # of what every branch adds, by its name
    inputs: dict = field(default_factory=dict)  # of matrices, by the name of the matrix

    def standardized(self, name):
        """A matrix of a layer, its rows centered and scaled where the model says so."""
        w = self.weights[name]
        if self.settings.get("weight-standardization", "off") != "on":
            return w
        centered = w - w.mean(1, keepdim=True)
        deviation = (centered * centered).mean(1, keepdim=True).sqrt()
        return centered / (deviation + 1e-5)

    def kind(self, placement):
        """The kind of a placement's norms: what its paper has, unless one is chosen."""
        kind = self.settings.get("norm", "auto")
        if kind != "auto":
            return kind
        return "rmsnorm" if placement in placements.RMSNORM else "layernorm"

    def norm(self, name, x, placement, real=None):
        real = self.real if real is None else real
        return normalize(
            self.weights, self.prefix + name, x, self.kind(placement), self.eps, real
        )

    def outer_norm(self, name, x):
        """Outside the layers the norms are of the last one's kind."""
        last = placements.placement_of(self.settings, self.layers - 1, self.layers)
        return self.norm(name, x, last)

    @property
    def eps(self):
        return float(self.settings.get("norm-eps", 1e-5))


def normalize(weights, name, x, kind, eps, real):
    """The norm of this name over the last dimension of x; BatchNorm over the real tokens."""
    if kind == "none":
        return x
    gain = weights[name + ".gain"]
    if kind == "rmsnorm":  # Zhang and Sennrich 2019
        return gain * x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps)
    if kind == "layernorm":  # Ba, Kiros, Hinton 2016
        centered = x - x.mean(-1, keepdim=True)
        variance = (centered * centered).mean(-1, keepdim=True)
        return gain * centered / torch.sqrt(variance + eps) + weights[name + ".bias"]
    if kind == "batchnorm":  # Ioffe and Szegedy 2015, in training
        tokens = x[real]
        variance, mean = torch.var_mean(tokens, dim=0, unbiased=False)
        return gain * (x - mean) / torch.sqrt(variance + eps) + weights[name + ".bias"]
    if kind == "scalenorm":  # Nguyen and Salazar 2019
        return gain * x / x.norm(dim=-1, keepdim=True).clamp(min=eps)
    if kind == "dyt":  # Zhu et al. 2025
        return gain * torch.tanh(weights[name + ".alpha"] * x) + weights[name + ".bias"]
    raise ValueError(f"unknown norm {kind}")


def rotated(y):
    """Su et al. 2021, eq. 34, of y [B, H, T, h] as a complex number for each pair of features."""
    half = y.shape[3] // 2
    angle = torch.arange(y.shape[2])[:, None] / 10000.0 ** (torch.arange(half) / half)
    turned = torch.complex(y[..., :half], y[..., half:]) * torch.polar(torch.ones_like(angle), angle)
    return torch.cat((turned.real, turned.imag), 3)


def attention(stack, block, name, placement, x, keys, keys_real, causal):
    """Multi-head attention of x to `keys`: [B, T, D] to [B, S, D]."""
    settings, weights = stack.settings, stack.weights
    owner = f"{stack.prefix}{block}.{name}"
    batch, queries, width = x.shape
    heads = int(settings["heads"])
    uniform = settings.get("attention", "softmax") == "uniform"
    qk_norm = settings.get("qk-norm", "auto")
    if qk_norm == "auto":
        qk_norm = placements.QK_NORM.get(placement, "off")

    def project(letter, y, extent, real):
        """The queries, keys or values by heads, normalized over each head, over the full width
        before the heads are split, or not at all (off)."""
        y = y @ stack.standardized(f"{owner}.w{letter}").T + weights[f"{owner}.b{letter}"]
        # BatchNorm takes every feature of every head by itself, so that there is one way alone.
        if extent == "head" and stack.kind(placement) == "batchnorm":
            extent = "full"
        here = f"{block}.{name}.{letter}_norm"
        if extent == "full":
            y = stack.norm(here, y, placement, real)
        y = y.view(batch, keys.shape[1] if letter != "q" else queries, -1, width // heads).transpose(1, 2)
        if extent == "head":
            y = stack.norm(here, y, placement)
        if settings.get("positions") == "rotary" and letter in "qk" and name == "attn":
            y = rotated(y)
        return y.repeat_interleave(heads // y.shape[1], dim=1)  # Ainslie et al. 2023, 2.2

    visible = keys_real[:, None, None, :].expand(batch, heads, queries, keys.shape[1])
    if causal:
        visible = visible & torch.ones(queries, queries, dtype=torch.bool).tril()
    if uniform:
        share = visible.to(x.dtype)
        share = share / share.sum(-1, keepdim=True)
    else:
        q = project("q", x, qk_norm, stack.real)
        k = project("k", keys, qk_norm, keys_real)
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // heads)
        share = torch.softmax(scores.masked_fill(~visible, -math.inf), dim=-1)
    v = project("v", keys, placements.V_NORM.get(placement, "off"), keys_real)
    seen = share @ v
    if placement in placements.HEAD_SCALE:
        seen = weights[f"{owner}.head_scale"].view(1, heads, 1, 1) * seen
    seen = seen.transpose(1, 2).reshape(batch, queries, width)
    if placement in placements.MID_NORM_ATTENTION:
        seen = stack.norm(f"{block}.{name}.mid_norm", seen, placement)
    stack.inputs[f"{owner}.wq"], stack.inputs[f"{owner}.wo"] = x, seen
    if uniform:
        return seen
    return seen @ stack.standardized(f"{owner}.wo").T + weights[f"{owner}.bo"]


def feed_forward(stack, block, placement, x):
    owner, weights = f"{stack.prefix}{block}.ffn", stack.weights
    inner = x @ stack.standardized(f"{owner}.w1").T + weights[f"{owner}.b1"]
    activation = stack.settings.get("activation", "relu")
    if activation == "relu":
        inner = torch.relu(inner)
    elif activation == "relu-squared":  # So et al. 2021
        inner = torch.relu(inner) ** 2
    elif activation == "gelu":  # Hendrycks and Gimpel 2016, x Phi(x)
        inner = inner * (1 + torch.erf(inner / math.sqrt(2))) / 2
    elif activation == "gelu-tanh":  # the same, section 2: its approximation by tanh
        inner = torch.nn.functional.gelu(inner, approximate="tanh")
    elif activation == "swiglu":  # Shazeer 2020
        inner = inner * torch.sigmoid(inner) * (x @ stack.standardized(f"{owner}.w3").T)
    else:
        raise ValueError(f"unknown activation {activation}")
    if placement in placements.MID_NORM_FFN:
        inner = stack.norm(f"{block}.ffn.mid_norm", inner, placement)
    stack.inputs[f"{owner}.w1"], stack.inputs[f"{owner}.w2"] = x, inner
    return inner @ stack.standardized(f"{owner}.w2").T + weights[f"{owner}.b2"]


class SubLayer:
    """What a placement sees of a sub-layer; see placements.py."""

    NORMS = {"attn": "norm1", "cross": "cross_norm", "ffn": "norm2"}

    def __init__(self, stack, layer, name, number, placement, layer_input):
        tied = stack.settings.get("tie-layers", "off") == "on"
        self.stack, self.name, self.placement = stack, name, placement
        self.block = "blk0" if tied else f"blk{layer}"
        self.l, self.L = layer + 1, stack.layers
        kinds = len(sub_layers(stack))
        self.k, self.S = layer * kinds + number + 1, stack.layers * kinds
        self.encoder, self.decoder, self.in_decoder = stack.encoder, stack.decoder, stack.in_decoder
        self.is_ffn, self.is_attention = name == "ffn", name != "ffn"
        self.layer_input = layer_input
        self.base = float(stack.settings.get("base-layers", 2))

    def F(self, u):
        stack, here = self.stack, (self.block, self.name, self.placement)
        if self.is_ffn:
            y = feed_forward(stack, self.block, self.placement, u)
        elif self.name == "cross":
            y = attention(stack, *here, u, stack.memory, stack.memory_real, causal=False)
        else:
            y = attention(stack, *here, u, u, stack.real, causal=stack.in_decoder)
        owner = f"{stack.prefix}{self.block}.{self.name}"
        stack.variances[owner] = y[stack.real].var(unbiased=False)
        return y

    def _norm(self, place, x):
        return self.stack.norm(f"{self.block}.{place}{self.NORMS[self.name]}", x, self.placement)

    def N(self, x):
        return self._norm("", x)

    def N_branch(self, x):
        return self._norm("branch_", x)

    def N_out(self, x):
        return self._norm("out_", x)

    def weight(self, name):
        return self.stack.weights[f"{self.stack.prefix}{self.block}.{self.name}.{name}"]

    def layer_weight(self, name):
        return self.stack.weights[f"{self.stack.prefix}{self.block}.{name}"]

    def add_to_second_stream(self, y):
        self.stack.second_stream = self.stack.second_stream + y


def sub_layers(stack):
    return ("attn", "ffn") if stack.memory is None else ("attn", "cross", "ffn")


def sinusoids(length, width, dtype):
    """Vaswani et al. 2017, 3.5."""
    angle = torch.arange(length, dtype=torch.float64)[:, None]
    feature = torch.arange(width)
    angle = angle / 10000.0 ** ((feature - feature % 2).to(torch.float64) / width)
    return torch.where(feature % 2 == 0, torch.sin(angle), torch.cos(angle)).to(dtype)


def token_embedding(weights, prefix):
    """Tied embeddings are one tensor without a prefix."""
    return weights["tok_emb" if "tok_emb" in weights else prefix + "tok_emb"]


def embed(stack, tokens, second=None):
    weights, settings = stack.weights, stack.settings
    x = token_embedding(weights, stack.prefix)[tokens]
    if settings.get("scale-embeddings") == "on":  # Vaswani et al. 2017, 3.4
        x = x * x.shape[-1] ** 0.5
    positions = settings.get("positions", "learned")
    if positions == "learned":
        x = x + weights[stack.prefix + "pos_emb"][: tokens.shape[1]]
    elif positions == "sinusoidal":
        x = x + sinusoids(tokens.shape[1], x.shape[-1], x.dtype)
    if second is not None:  # Devlin et al. 2018
        later = torch.arange(tokens.shape[1])[None, :] >= torch.from_numpy(second)[:, None]
        x = x + weights[stack.prefix + "seg_emb"][later.long()]
    # No placement's paper has a norm here; BERT has one.
    if settings.get("embedding-norm", "auto") == "on":
        x = stack.outer_norm("emb_norm", x)
    return x


def run_stack(stack, tokens, second=None):
    """x_0 .. x_L and what comes after the last norm."""
    settings = stack.settings
    x = embed(stack, tokens, second)
    stack.second_stream = x
    hidden, chosen = [x], set()
    for layer in range(stack.layers):
        placement = placements.placement_of(settings, layer, stack.layers)
        chosen.add(placement)
        layer_input = x
        for number, name in enumerate(sub_layers(stack)):
            s = SubLayer(stack, layer, name, number, placement, layer_input)
            x = placements.apply(placement, s, x)
        hidden.append(x)
    switch = settings.get("final-norm", "auto")
    final = switch == "on" or (switch == "auto" and any(map(placements.has_final_norm, chosen)))
    if "residual" in chosen:
        second = stack.second_stream
        return hidden, x + (stack.outer_norm("final_norm", second) if final else second)
    return hidden, stack.outer_norm("final_norm", x) if final else x


def run_model(weights, batch, settings):
    """(logits [B, T, V] and of classes [B, classes] or None, stacks by name, hidden states by
    name)."""
    tokens = torch.from_numpy(batch["tokens"])
    size, length = tokens.shape
    full = np.full(size, length)

    def mask(lengths, columns):
        return torch.arange(columns)[None, :] < torch.from_numpy(np.asarray(lengths))[:, None]

    arch = settings.get("arch", "decoder")
    n = 0 if arch == "decoder" else int(settings["layers"])
    m = 0 if arch == "encoder" else int(settings["layers"])
    if arch == "encoder-decoder" and int(settings.get("decoder-layers", 0)):
        m = int(settings["decoder-layers"])
    real = mask(batch.get("length", full), length)
    stacks, hidden = {}, {}
    memory = memory_real = None
    if arch == "encoder-decoder":
        memory_real = torch.from_numpy(batch["src_mask"]) != 0
        stacks["encoder"] = Stack(settings, weights, "enc.", n, n, m, False, memory_real)
        source = torch.from_numpy(batch["src"])
        hidden["encoder"], memory = run_stack(stacks["encoder"], source)
    name = "encoder" if arch == "encoder" else "decoder"
    prefix = "dec." if arch == "encoder-decoder" else ""
    stacks[name] = Stack(
        settings, weights, prefix, m or n, n, m, name == "decoder", real, memory, memory_real
    )
    hidden[name], x = run_stack(stacks[name], tokens, batch.get("second"))
    tied = settings.get("tie-embeddings", "off") == "on"
    # Symbols that are only read come after those that are predicted.
    predicted = settings.get("vocab_out")
    head = token_embedding(weights, prefix)[:predicted] if tied else weights["head"]
    pairs = batch.get("second") is not None and "class_head" in weights
    classes = x[:, 0] @ weights["class_head"].T if pairs else None
    return (x @ head.T, classes), stacks, hidden


def cross_entropy(logits, targets, smoothing=0.0, z=0.0):
    """Mean over the positions with a target, in nats; label smoothing of Szegedy et al. 2016, z-loss
    of Chowdhery et al. 2022."""
    chosen = targets >= 0
    log_probability = torch.log_softmax(logits[chosen], dim=-1)
    hit = log_probability.gather(-1, targets[chosen].unsqueeze(-1)).squeeze(-1)
    log_z = torch.logsumexp(logits[chosen], dim=-1)
    return (z * log_z**2 - (1 - smoothing) * hit - smoothing * log_probability.mean(-1)).mean()


def as_leaves(weights, precision=np.float64):
    return {
        name: torch.tensor(np.asarray(array, precision), requires_grad=True)
        for name, array in weights.items()
    }


def loss_and_gradients(weights, batch, settings, precision=np.float64):
    """(loss, gradients by name); weights and batch are numpy arrays.  KeyError where the model
    lacks a tensor that its settings ask for, ValueError where it has one that nothing uses."""
    leaves = Weights(as_leaves(weights, precision))
    (logits, classes), _, _ = run_model(leaves, batch, settings)
    unused = leaves.tensors.keys() - leaves.used
    if unused:
        raise ValueError(f"nothing uses {', '.join(sorted(unused))}")
    smoothing = float(settings.get("label-smoothing", 0))
    z = float(settings.get("z-loss", 0))
    value = cross_entropy(logits, torch.from_numpy(batch["targets"]), smoothing, z)
    if classes is not None:
        value = value + cross_entropy(classes, torch.from_numpy(batch["labels"]))
    value.backward()
    gradients = {
        name: np.zeros(leaf.shape) if leaf.grad is None else leaf.grad.numpy()
        for name, leaf in leaves.tensors.items()
    }
    return value.item(), gradients


def admin_profile(weights, batch, settings):
    """omega of every sub-layer: one pass with all omega = 1, then omega_k^2 = 1 + the variances of
    what the branches below it in its stack add (Liu et al. 2020, section 4)."""
    leaves = {
        name: torch.ones_like(leaf) if name.endswith("stream_gain") else leaf
        for name, leaf in as_leaves(weights).items()
    }
    _, stacks, _ = run_model(Weights(leaves), batch, settings)
    omegas = {}
    for stack in stacks.values():
        square = 1.0
        for name, variance in stack.variances.items():
            omegas[name + ".stream_gain"] = math.sqrt(square)
            square += variance.item()
    return omegas
