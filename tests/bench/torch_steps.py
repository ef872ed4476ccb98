#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Steps of the same model in PyTorch, measured as Normscope measures: prints one JSON object.

Written to be fast: one product for Q, K and V, scaled_dot_product_attention, fused Adam, the norms
of all hidden states in one call and those of all gradients in another, read once a step, threads
that wait passively, and memory that is not returned to the system between steps.

Usage: torch_steps.py --threads N [--compiled] [--steps N] [--set KEY=VALUE]...

--compiled compiles the layers by torch.compile.  PyTorch before 2.0 has no
scaled_dot_product_attention; there, two products and a softmax do the same.  The keys are those of
normscope-cli.
"""

import argparse
import json
import os
import statistics
import sys
import time

DEFAULTS = {
    "arch": "decoder", "placement": "post", "layers": 6, "decoder-layers": 0, "d-model": 64,
    "heads": 4, "d-ff": 0, "vocab": 96, "seq": 32, "source-seq": 0, "batch": 16, "lr": 3e-3,
    "beta1": 0.9, "beta2": 0.98, "eps": 1e-8, "optimizer": "adam", "seed": 1, "clip": 0.0,
}
ARCHS, PLACEMENTS = ("decoder", "encoder-decoder"), ("post", "pre")
# What has to be said before PyTorch is loaded.
ENVIRONMENT = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0", "THP_MEM_ALLOC_ENABLE": "1",
               "MALLOC_MMAP_THRESHOLD_": str(1 << 30), "MALLOC_TRIM_THRESHOLD_": str(1 << 32)}


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


def make_model(settings, compiled=False):
    import torch
    from torch import nn
    from torch.nn import functional as F

    D, H, ff = settings["d-model"], settings["heads"], settings["d-ff"]
    pre, both = settings["placement"] == "pre", settings["arch"] == "encoder-decoder"
    fused = hasattr(F, "scaled_dot_product_attention")

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
                q, k, v = self.qkv(x).view(B, T, 3, H, D // H).permute(2, 0, 3, 1, 4).unbind(0)
            else:
                q = self.q(x).view(B, T, H, D // H).transpose(1, 2)
                joined = self.kv(memory).view(B, memory.shape[1], 2, H, D // H)
                k, v = joined.permute(2, 0, 3, 1, 4).unbind(0)
            if fused:
                seen = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
            else:
                q, k, v = (one.reshape(B * H, -1, D // H) for one in (q, k, v))
                scale = (D // H) ** -0.5
                if self.causal:
                    scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=scale)
                else:
                    scores = torch.bmm(q * scale, k.transpose(1, 2))
                seen = torch.bmm(torch.softmax(scores, dim=-1), v).view(B, H, T, D // H)
            return self.out(seen.transpose(1, 2).reshape(B, T, D))

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
            self.embedded = nn.Identity()  # a module whose output is x_0, for the recorder
            self.layers = nn.ModuleList(Layer(causal, cross) for _ in range(layers))
            self.final_norm = nn.LayerNorm(D) if pre else nn.Identity()
            mask = torch.full((length, length), -torch.inf).triu(1) if causal else None
            self.register_buffer("mask", mask)
            self.states = None  # a list for x_0 and the hidden states after every layer, or None

        def forward(self, tokens, memory=None):
            x = self.embedded(self.tokens(tokens) + self.positions.weight)
            states = [x]
            for layer in self.layers:
                x = layer(x, memory, self.mask)
                states.append(x)
            if self.states is not None:
                self.states = [state.detach() for state in states]
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
    if compiled:
        model.compile()
    return model


def stacks_of(model):
    return [stack for stack in (getattr(model, "encoder", None), model.decoder) if stack]


class Measurement:
    """The norm of the hidden states after every layer and of every tensor's gradient."""

    def __init__(self, model):
        self.stacks, self.parameters = stacks_of(model), list(model.parameters())

    def attach(self, measured):
        for stack in self.stacks:
            stack.states = [] if measured else None

    def read(self):
        """Mean norms of the hidden states of every stack, then the norms of all gradients."""
        import torch

        norms = [torch.linalg.vector_norm(torch.stack(stack.states), dim=-1).mean(dim=(1, 2))
                 for stack in self.stacks]
        norms.append(torch.stack(torch._foreach_norm([p.grad for p in self.parameters])))
        for stack in self.stacks:
            stack.states = []
        return torch.cat(norms).tolist()


def fastest_adam(parameters, settings):
    """Fused where this PyTorch has that for the processor, from 2.4 on."""
    import torch

    same = {"lr": settings["lr"], "eps": settings["eps"],
            "betas": (settings["beta1"], settings["beta2"])}
    try:
        return torch.optim.Adam(parameters, fused=True, **same)
    except RuntimeError:
        return torch.optim.Adam(parameters, foreach=True, **same)


def run(settings, threads, compiled, warm_up, steps):
    """Milliseconds of every step, measured and not in turn, and the peak memory in MiB."""
    import resource

    import torch
    from torch.nn import functional as F

    torch.set_num_threads(threads)
    model = make_model(settings, compiled)
    optimizer = fastest_adam(list(model.parameters()), settings)
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

    measured, computing, unmeasured = [], [], []
    measurement.attach(True)
    for i in range(warm_up + steps):
        before = time.process_time()
        taken = step(True)
        if i >= warm_up:
            measured.append(taken)
            computing.append(1e3 * (time.process_time() - before))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    measurement.attach(False)
    for _ in range(max(1, steps // 2)):
        unmeasured.append(step(False))
    return {
        "version": torch.__version__,
        "compiled": compiled,
        "threads": threads,
        "ms_per_step": statistics.median(measured),
        "ms_least": min(measured),
        "cpu_ms_per_step": statistics.mean(computing),
        "ms_unmeasured": statistics.median(unmeasured),
        "peak_rss_mib": peak,
        "parameters": sum(p.numel() for p in model.parameters()),
        "ms": measured,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    settings = read_settings(options.set)
    environment = ENVIRONMENT | {name: str(options.threads) for name in
                                 ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    if any(os.environ.get(name) != value for name, value in environment.items()):
        os.execve(sys.executable, [sys.executable, "-B", *sys.argv], os.environ | environment)
    print(json.dumps(run(settings, options.threads, options.compiled, options.warm_up,
                         options.steps)))


if __name__ == "__main__":
    main()
