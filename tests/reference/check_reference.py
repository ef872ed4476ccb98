#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Holds the reference itself against PyTorch's own layers, losses and optimizers, as TAP.

PyTorch has Post-LN and Pre-LN encoders and decoders, so the parts that all placements share
(attention, masks, feed-forward network, norm, loss) are checked through those two.
"""

import sys

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP numpy (python3-numpy) is not installed")
    sys.exit(0)

LIMIT = 1e-12


def fill(attention, weights, name):
    import torch

    attention.in_proj_weight.data = torch.cat([weights[f"{name}.w{x}"] for x in "qkv"])
    attention.in_proj_bias.data = torch.cat([weights[f"{name}.b{x}"] for x in "qkv"])
    attention.out_proj.weight.data = weights[name + ".wo"]
    attention.out_proj.bias.data = weights[name + ".bo"]


def fill_layer(layer, weights, name, norms):
    fill(layer.self_attn, weights, name + ".attn")
    for linear, number in ((layer.linear1, 1), (layer.linear2, 2)):
        linear.weight.data = weights[f"{name}.ffn.w{number}"]
        linear.bias.data = weights[f"{name}.ffn.b{number}"]
    for number, norm in enumerate(norms, start=1):
        own = getattr(layer, f"norm{number}")
        own.weight.data = weights[f"{name}.{norm}.gain"]
        own.bias.data = weights[f"{name}.{norm}.bias"]


def torch_logits(weights, batch, settings):
    """The same model out of torch.nn."""
    import torch
    from torch import nn

    width, pre = int(settings["d-model"]), settings["placement"] == "pre"
    shape = (width, int(settings["heads"]), int(settings["d-ff"]), 0.0, settings["activation"])
    layers, arch = int(settings["layers"]), settings["arch"]

    def norm(name, x):
        if name + ".gain" not in weights:
            return x
        return nn.functional.layer_norm(
            x, (width,), weights[name + ".gain"], weights[name + ".bias"]
        )

    def embed(prefix, tokens):
        x = weights[prefix + "tok_emb"][torch.from_numpy(tokens)]
        return norm(prefix + "emb_norm", x + weights[prefix + "pos_emb"][: tokens.shape[1]])

    def encode(prefix, tokens, padding, mask):
        x = embed(prefix, tokens)
        for number in range(layers):
            layer = nn.TransformerEncoderLayer(*shape, batch_first=True, norm_first=pre)
            fill_layer(layer, weights, f"{prefix}blk{number}", ("norm1", "norm2"))
            x = layer(x, src_mask=mask, src_key_padding_mask=padding)
        return norm(prefix + "final_norm", x)

    length = batch["tokens"].shape[1]
    padding = torch.from_numpy(np.arange(length) >= batch["length"][:, None])
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    if arch != "encoder-decoder":
        x = encode("", batch["tokens"], padding, future if arch == "decoder" else None)
        return x @ weights["head"].T
    source_padding = torch.from_numpy(batch["src_mask"]) == 0
    memory = encode("enc.", batch["src"], source_padding, None)
    x = embed("dec.", batch["tokens"])
    for number in range(layers):
        layer = nn.TransformerDecoderLayer(*shape, batch_first=True, norm_first=pre)
        name = f"dec.blk{number}"
        fill_layer(layer, weights, name, ("norm1", "cross_norm", "norm2"))
        fill(layer.multihead_attn, weights, name + ".cross")
        x = layer(
            x,
            memory,
            tgt_mask=future,
            tgt_key_padding_mask=padding,
            memory_key_padding_mask=source_padding,
        )
    return norm("dec.final_norm", x) @ weights["head"].T


def model_error(arch, placement, activation, smoothing):
    import torch

    from make_fixtures import Start, make_batch, parse
    from transformer import cross_entropy, run_model

    settings = parse(
        f"arch={arch} placement={placement} activation={activation} norm=layernorm layers=2 "
        "d-model=8 heads=2 d-ff=12 seq=6 source-seq=5 batch=3"
    )
    batch = make_batch(arch, np.random.RandomState(1))
    start = Start(settings, {})
    (logits, _), _, _ = run_model(start, batch, settings)
    weights = {name: leaf.detach() for name, leaf in start.tensors.items()}
    targets = torch.from_numpy(batch["targets"])
    theirs = torch.nn.functional.cross_entropy(
        torch_logits(weights, batch, settings).transpose(1, 2),
        targets,
        ignore_index=-1,
        label_smoothing=smoothing,
    )
    return abs(cross_entropy(logits, targets, smoothing).item() - theirs.item())


def optimizer_error(name, steps=30):
    """PyTorch's RAdam differs by definition while rho_t < 5, so that ours starts from its weights
    after that, and has its epsilon before the bias correction, so that there is none."""
    import torch

    from optimizers import OPTIMIZERS

    decay, eps = (0.0, 0.0) if name == "radam" else (0.1, 1e-8)
    adam = {"lr": 0.01, "betas": (0.9, 0.98), "eps": eps, "weight_decay": decay}
    sgd = {"lr": 0.01, "momentum": 0.9, "weight_decay": decay}
    make, options = {
        "adam": (torch.optim.Adam, adam),
        "adamw": (torch.optim.AdamW, adam),
        "radam": (torch.optim.RAdam, adam),
        "sgd": (torch.optim.SGD, sgd),
    }[name]
    random = np.random.RandomState(0)
    parameter = torch.nn.Parameter(torch.tensor(random.normal(size=(4, 5))))
    theirs = make([parameter], **options)
    settings = {"placement": "post", "momentum": 0.9, "weight-decay": decay, "eps": eps}
    ours = OPTIMIZERS[name](settings | {"clip": 4.0})
    weights = {"head": parameter.detach().numpy().copy()}
    error = 0.0
    for step in range(1, steps + 1):
        gradient = random.normal(size=(4, 5))
        parameter.grad = torch.tensor(gradient)
        torch.nn.utils.clip_grad_norm_([parameter], 4.0)
        theirs.step()
        ours.update(weights, {"head": gradient}, 0.01)
        if name == "radam" and step <= 6:
            weights["head"] = parameter.detach().numpy().copy()
        error = max(error, np.abs(weights["head"] - parameter.detach().numpy()).max())
    return error


def main():
    try:
        import torch
    except ImportError:
        print("1..0 # SKIP PyTorch (python3-torch) is not installed")
        return
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    checks = [
        (f"{arch} {placement} {activation} label-smoothing={smoothing}", model_error,
         (arch, placement, activation, smoothing))
        for arch in ("decoder", "encoder", "encoder-decoder")
        for placement in ("post", "pre")
        for activation, smoothing in (("relu", 0.0), ("gelu", 0.1))
    ]  # fmt: skip
    checks += [(name, optimizer_error, (name,)) for name in ("adam", "adamw", "sgd", "radam")]
    print(f"1..{len(checks)}")
    for number, (name, measure, arguments) in enumerate(checks, start=1):
        error = measure(*arguments)
        print(f"# error {error:.1e}")
        print(f"{'ok' if error <= LIMIT else 'not ok'} {number} - reference {name}")


if __name__ == "__main__":
    sys.exit(main())
