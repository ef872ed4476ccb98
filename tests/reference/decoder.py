# SPDX-License-Identifier: MIT
"""An independent decoder-only Transformer in float64, written from the formulas alone.

Nothing here follows the C sources: a placement is spelled out as its paper writes it, autograd
takes the gradients, and Adam and the schedule are written down from their definitions.

A model is a dict of tensors under the names that `normscope-cli dump` uses; weights are [out, in].
"""

import json
import math
import struct

import numpy as np
import torch

DTYPES = {"F32": "<f4", "F64": "<f8", "I64": "<i8"}


def read_safetensors(path):
    """(tensors as numpy arrays by name, metadata)."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        array = np.frombuffer(data[start:end], DTYPES[entry["dtype"]])
        tensors[name] = array.reshape(entry["shape"]).copy()
    return tensors, metadata


def write_safetensors(path, tensors, metadata):
    """Writes numpy arrays in the order given; the same input gives the same bytes."""
    names = {np.dtype(code): name for name, code in DTYPES.items()}
    header, blobs, offset = {"__metadata__": metadata}, [], 0
    for name, array in tensors.items():
        blob = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": names[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(blob)],
        }
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def layer_count(weights):
    return 1 + max(int(name[3 : name.index(".")]) for name in weights if name.startswith("blk"))


def normalise(weights, prefix, x, kind, eps):
    """The norm of this name, over the last dimension; x itself where the model has none."""
    if kind == "none" or prefix + ".gain" not in weights:
        return x
    gain = weights[prefix + ".gain"]
    if kind == "rmsnorm":
        return gain * x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps)
    if kind == "layernorm":
        centred = x - x.mean(-1, keepdim=True)
        variance = (centred * centred).mean(-1, keepdim=True)
        return gain * centred / torch.sqrt(variance + eps) + weights[prefix + ".bias"]
    raise ValueError(f"unknown norm {kind}")


def attention(weights, prefix, x, heads):
    """Causal self-attention; every head sees d / heads features and scales by their root."""
    batch, length, width = x.shape
    head_width = width // heads

    def project(name):
        y = x @ weights[f"{prefix}.w{name}"].T + weights[f"{prefix}.b{name}"]
        return y.view(batch, length, heads, head_width).transpose(1, 2)

    q, k, v = project("q"), project("k"), project("v")
    scores = q @ k.transpose(-1, -2) / math.sqrt(head_width)
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    seen = torch.softmax(scores.masked_fill(future, -math.inf), dim=-1) @ v
    seen = seen.transpose(1, 2).reshape(batch, length, width)
    return seen @ weights[f"{prefix}.wo"].T + weights[f"{prefix}.bo"]


def feed_forward(weights, prefix, x):
    inner = torch.relu(x @ weights[f"{prefix}.w1"].T + weights[f"{prefix}.b1"])
    return inner @ weights[f"{prefix}.w2"].T + weights[f"{prefix}.b2"]


def sub_layer(placement, layers, x, function, norm, branch_norm):
    """One residual sub-layer, as each paper writes it."""
    if placement == "post":  # Vaswani et al. 2017
        return norm(x + function(x))
    if placement == "pre":  # Xiong et al. 2020, Table 1
        return x + function(norm(x))
    if placement == "none":
        return x + function(x)
    if placement == "sandwich":  # Ding et al. 2021
        return x + branch_norm(function(norm(x)))
    if placement == "deepnorm":  # Wang et al. 2022, decoder-only
        return norm((2 * layers) ** 0.25 * x + function(x))
    raise ValueError(f"unknown placement {placement}")


def loss(weights, tokens, targets, placement, kind, heads, eps=1e-5):
    """Mean cross-entropy in nats a token."""
    layers = layer_count(weights)
    x = weights["tok_emb"][tokens] + weights["pos_emb"][: tokens.shape[1]]
    x = normalise(weights, "emb_norm", x, kind, eps)
    for layer in range(layers):
        block = f"blk{layer}"
        functions = (
            lambda u: attention(weights, block + ".attn", u, heads),
            lambda u: feed_forward(weights, block + ".ffn", u),
        )
        for number, function in enumerate(functions, start=1):
            x = sub_layer(
                placement,
                layers,
                x,
                function,
                lambda u: normalise(weights, f"{block}.norm{number}", u, kind, eps),
                lambda u: normalise(weights, f"{block}.branch_norm{number}", u, kind, eps),
            )
    x = normalise(weights, "final_norm", x, kind, eps)
    log_probability = torch.log_softmax(x @ weights["head"].T, dim=-1)
    return -log_probability.gather(-1, targets.unsqueeze(-1)).mean()


def loss_and_gradients(weights, tokens, targets, precision=np.float64, **model):
    """(loss, gradients by name); weights are numpy arrays of any float type."""
    leaves = {
        name: torch.tensor(np.asarray(array, precision), requires_grad=True)
        for name, array in weights.items()
    }
    value = loss(leaves, torch.from_numpy(tokens), torch.from_numpy(targets), **model)
    value.backward()
    gradients = {
        name: np.zeros(leaf.shape) if leaf.grad is None else leaf.grad.numpy()
        for name, leaf in leaves.items()
    }
    return value.item(), gradients


def learning_rate(step, peak, warmup):
    """Of update `step`, from 1: linear warm-up (Xiong et al. 2020, eq. 1), then the inverse square
    root; without a warm-up (1) the rate stays at its peak."""
    if warmup == 1:
        return peak
    return peak * step / warmup if step <= warmup else peak * math.sqrt(warmup / step)


class Adam:
    """Kingma and Ba 2015, algorithm 1, on numpy arrays."""

    def __init__(self, beta1, beta2, eps):
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.first, self.second, self.step = {}, {}, 0

    def update(self, weights, gradients, rate):
        self.step += 1
        for name, g in gradients.items():
            m = self.beta1 * self.first.get(name, 0.0) + (1 - self.beta1) * g
            v = self.beta2 * self.second.get(name, 0.0) + (1 - self.beta2) * g * g
            self.first[name], self.second[name] = m, v
            m_hat = m / (1 - self.beta1**self.step)
            v_hat = v / (1 - self.beta2**self.step)
            weights[name] = weights[name] - rate * m_hat / (np.sqrt(v_hat) + self.eps)
