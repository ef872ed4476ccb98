#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Steps of the same model in PyTorch, measured as Normscope measures: prints one JSON object.

What a good user of PyTorch would write, eager: one product for Q, K and V, scale and mask within
the product of the scores, Adam, a forward hook on every layer for the norms of the hidden states,
and the norm of every gradient after backward, read once a step.

Usage: torch_steps.py [--threads N] [--steps N] [--set KEY=VALUE]...

Without --threads it runs itself with one thread and with as many as there are cores, and keeps the
better.  The keys are those of normscope-cli.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

DEFAULTS = {
    "arch": "decoder", "placement": "post", "layers": 6, "decoder-layers": 0, "d-model": 64,
    "heads": 4, "d-ff": 0, "vocab": 96, "seq": 32, "source-seq": 0, "batch": 16, "lr": 3e-3,
    "beta1": 0.9, "beta2": 0.98, "eps": 1e-8, "optimizer": "adam", "seed": 1, "clip": 0.0,
}
ARCHS, PLACEMENTS = ("decoder", "encoder-decoder"), ("post", "pre")


def read_settings(assignments):
    """The settings as numbers; an error in words where PyTorch's side does not know one."""
    settings = dict(DEFAULTS)
    for assignment in assignments:
        key, found, value = assignment.partition("=")
        if not found or key not in DEFAULTS:
            sys.exit(f"torch_steps.py: there is no setting “{assignment}” here; choose one of "
                     f"{', '.join(DEFAULTS)}.")
        settings[key] = type(DEFAULTS[key])(value)
    if settings["arch"] not in ARCHS or settings["placement"] not in PLACEMENTS:
        sys.exit(f"torch_steps.py: arch is one of {', '.join(ARCHS)} and placement one of "
                 f"{', '.join(PLACEMENTS)}.")
    if settings["optimizer"] != "adam" or settings["clip"] != 0:
        sys.exit("torch_steps.py: optimizer is adam and clip 0.")
    settings["d-ff"] = settings["d-ff"] or 4 * settings["d-model"]
    settings["source-seq"] = settings["source-seq"] or settings["seq"]
    settings["decoder-layers"] = settings["decoder-layers"] or settings["layers"]
    return settings


def make_model(settings):
    import torch
    from torch import nn
    from torch.nn import functional as F

    D, H, ff = settings["d-model"], settings["heads"], settings["d-ff"]
    pre, both = settings["placement"] == "pre", settings["arch"] == "encoder-decoder"

    class Attention(nn.Module):
        def __init__(self, causal, cross):
            super().__init__()
            self.causal = causal
            if cross:
                self.q, self.kv = nn.Linear(D, D), nn.Linear(D, 2 * D)
            else:
                self.qkv = nn.Linear(D, 3 * D)
            self.out = nn.Linear(D, D)

        def forward(self, x, memory=None, mask=None):
            B, T, _ = x.shape
            if memory is None:
                joined = self.qkv(x).view(B, T, 3, H, D // H).permute(2, 0, 3, 1, 4)
                q, k, v = joined.reshape(3, B * H, T, D // H).unbind(0)
            else:
                S = memory.shape[1]
                q = self.q(x).view(B, T, H, D // H).transpose(1, 2).reshape(B * H, T, D // H)
                joined = self.kv(memory).view(B, S, 2, H, D // H).permute(2, 0, 3, 1, 4)
                k, v = joined.reshape(2, B * H, S, D // H).unbind(0)
            scale = (D // H) ** -0.5
            if self.causal:
                scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=scale)
            else:
                scores = torch.bmm(q * scale, k.transpose(1, 2))
            seen = torch.bmm(torch.softmax(scores, dim=-1), v)
            return self.out(seen.view(B, H, T, D // H).transpose(1, 2).reshape(B, T, D))

    class Layer(nn.Module):
        def __init__(self, causal, cross):
            super().__init__()
            self.attention = Attention(causal, False)
            self.cross = Attention(False, True) if cross else None
            self.w1, self.w2 = nn.Linear(D, ff), nn.Linear(ff, D)
            self.norms = nn.ModuleList(nn.LayerNorm(D) for _ in range(3 if cross else 2))

        def forward(self, x, memory=None, mask=None):
            branches = [lambda u: self.attention(u, mask=mask)]
            if self.cross is not None:
                branches.append(lambda u: self.cross(u, memory))
            branches.append(lambda u: self.w2(F.relu(self.w1(u))))
            for norm, branch in zip(self.norms, branches):
                x = x + branch(norm(x)) if pre else norm(x + branch(x))
            return x

    class Stack(nn.Module):
        def __init__(self, layers, length, inputs, causal, cross):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(inputs, D), nn.Embedding(length, D)
            self.embedded = nn.Identity()  # a place for the hook that measures x_0
            self.layers = nn.ModuleList(Layer(causal, cross) for _ in range(layers))
            self.final_norm = nn.LayerNorm(D) if pre else nn.Identity()
            mask = torch.full((length, length), -torch.inf).triu(1) if causal else None
            self.register_buffer("mask", mask)

        def forward(self, tokens, memory=None):
            x = self.embedded(self.tokens(tokens) + self.positions.weight)
            for layer in self.layers:
                x = layer(x, memory, self.mask)
            return self.final_norm(x)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            V, N, M = settings["vocab"], settings["layers"], settings["decoder-layers"]
            if both:
                self.encoder = Stack(N, settings["source-seq"], V, False, False)
            self.decoder = Stack(M if both else N, settings["seq"], V, True, both)
            self.head = nn.Linear(D, V, bias=False)

        def forward(self, tokens, source=None):
            memory = self.encoder(source) if both else None
            return self.head(self.decoder(tokens, memory))

        def initialize(self):
            for parameter in self.parameters():
                if parameter.dim() == 2:
                    nn.init.xavier_normal_(parameter)

    torch.manual_seed(settings["seed"])
    model = Model()
    model.initialize()
    return model


class Measurement:
    """The norm of the hidden states after every layer and of every tensor's gradient."""

    def __init__(self, model):
        self.model, self.hidden, self.parameters = model, [], list(model.parameters())
        self.hooks = []

    def attach(self):
        stacks = [s for s in (getattr(self.model, "encoder", None), self.model.decoder) if s]
        modules = [m for s in stacks for m in (s.embedded, *s.layers)]
        self.hooks = [module.register_forward_hook(self.see) for module in modules]

    def detach(self):
        for hook in self.hooks:
            hook.remove()
        self.hooks = []

    def see(self, module, inputs, output):
        self.hidden.append(output.detach().norm(dim=-1).mean())

    def read(self):
        import torch

        norms = torch.stack(torch._foreach_norm([p.grad for p in self.parameters]))
        record = norms.tolist(), torch.stack(self.hidden).tolist()
        self.hidden.clear()
        return record


def run(settings, threads, warm_up, steps):
    """Milliseconds of every step, measured and not in turn, and the peak memory in MiB."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(threads)
    import resource

    import torch
    from torch.nn import functional as F

    torch.set_num_threads(threads)
    model = make_model(settings)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings["lr"], eps=settings["eps"],
                                 betas=(settings["beta1"], settings["beta2"]))
    measurement = Measurement(model)
    V, B, T = settings["vocab"], settings["batch"], settings["seq"]
    generator = torch.Generator().manual_seed(settings["seed"])

    def step(measured):
        sequence = torch.randint(V, (B, T + 1), generator=generator)
        source = None
        if settings["arch"] == "encoder-decoder":
            source = torch.randint(V, (B, settings["source-seq"]), generator=generator)
        started = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(sequence[:, :-1], source).view(B * T, V),
                               sequence[:, 1:].reshape(B * T))
        loss.backward()
        if measured:
            measurement.read()
        optimizer.step()
        loss.item()
        return 1e3 * (time.perf_counter() - started)

    measured, unmeasured = [], []
    measurement.attach()
    for i in range(warm_up + steps):
        taken = step(True)
        if i >= warm_up:
            measured.append(taken)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    measurement.detach()
    for _ in range(max(1, steps // 2)):
        unmeasured.append(step(False))
    return {
        "threads": threads,
        "ms_per_step": statistics.median(measured),
        "ms_unmeasured": statistics.median(unmeasured),
        "peak_rss_mib": peak,
        "parameters": sum(p.numel() for p in model.parameters()),
        "ms": measured,
    }


def run_apart(threads, arguments):
    command = [sys.executable, "-B", __file__, "--threads", str(threads), *arguments]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    settings = read_settings(options.set)
    if options.threads:
        result = run(settings, options.threads, options.warm_up, options.steps)
    else:
        counts = sorted({1, len(os.sched_getaffinity(0))})
        results = [run_apart(n, sys.argv[1:]) for n in counts]
        result = min(results, key=lambda r: r["ms_per_step"])
        result["tried"] = {r["threads"]: r["ms_per_step"] for r in results}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
