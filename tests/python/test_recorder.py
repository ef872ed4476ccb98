#!/usr/bin/env python3
"""The recorder for PyTorch (resources/python) against PyTorch and against the program; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_recorder.py NORMSCOPE_CLI
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import types

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    print("1..0 # SKIP PyTorch (python3-torch) is not installed")
    sys.exit(0)

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("../../resources/python", "../bench", "../reference"):
    sys.path.insert(0, os.path.join(HERE, folder))

import check_same  # noqa: E402
import torch_steps  # noqa: E402
from normscope_recorder import Recorder, find_layers  # noqa: E402

CLI = sys.argv[1]
STEPS = 6
SAME = 2e-5  # of a value: single precision on both sides, after some updates
D, H, L, V, T, B = 16, 2, 3, 11, 7, 4


def read(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Folder(tempfile.TemporaryDirectory):
    def __enter__(self):
        return lambda name: os.path.join(super(Folder, self).__enter__(), name)


# ---- The same model in both ----


def close(a, b, what):
    flat = [(x, y) for x, y in zip(a, b)] if isinstance(a, list) else [(a, b)]
    assert not isinstance(a, list) or len(a) == len(b), f"{what}: {len(a)} and {len(b)} values"
    for x, y in flat:
        assert (x is None) == (y is None), f"{what}: {a} and {b}"
        assert x is None or math.isclose(x, y, rel_tol=SAME, abs_tol=1e-7), f"{what}: {x} and {y}"


def compare(arch, placement, more):
    # The gradient of the keys' bias is rounding noise, which Adam with a small eps would magnify.
    settings = ["arch=" + arch, "placement=" + placement, *check_same.SHAPE, *more, "lr=0.003",
                "warmup=3", "threads=1", "eps=1e-5"]
    words = [word for setting in ("task=random", *settings) for word in ("--set", setting)]
    with Folder() as path:
        subprocess.run([CLI, "train", *words, "--steps", str(STEPS), "--jsonl", path("own.jsonl")],
                       check=True, stdout=subprocess.DEVNULL)
        own = [line for line in read(path("own.jsonl")) if "step" in line]
        known = [s for s in settings if s.partition("=")[0] in torch_steps.DEFAULTS]
        model = torch_steps.make_model(torch_steps.read_settings(known))
        optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-5)
        with Recorder(model, path("torch.jsonl")) as recorder:
            for step in range(STEPS + 1):
                folder = path(f"step{step}")
                subprocess.run([CLI, "dump", *words, "--steps", str(step), "--out", folder], check=True,
                               stdout=subprocess.DEVNULL)
                weights, _, batch, _ = check_same.dump_of(folder)
                for parameter, names in check_same.names_of(model) if step == 0 else ():
                    parameter.data = torch.cat([weights[name] for name in names])
                # The rate of the update that comes is in the line of the step after.
                optimizer.param_groups[0]["lr"] = own[min(step + 1, STEPS)]["lr"]
                optimizer.zero_grad()
                loss = F.cross_entropy(model(batch["tokens"], batch.get("src")).flatten(0, 1),
                                       batch["targets"].flatten())
                loss.backward()
                recorder.step(loss, optimizer=optimizer)
                optimizer.step()
        made = read(path("torch.jsonl"))
        assert len(made) == len(own) == STEPS + 1
        for a, b in zip(made, own):
            assert a["step"] == b["step"]
            close(a["loss"], b["loss"], "loss")
            close(a["grad_norm"]["total"], b["grad_norm"]["total"], "total")
            close(a["hidden_norm"], b["hidden_norm"], "hidden_norm")
            close(a["grad_layer"], b["grad_layer"], "grad_layer")
            if a["step"]:
                close(a["lr"], b["lr"], "lr")
            roles = set(a["grad_norm"]) & set(b["grad_norm"])
            assert {"wq", "wk", "wv", "wo", "w1", "w2", "b1", "norm1_gain", "norm2_bias"} <= roles, roles
            assert arch == "decoder" or {"cross_wq", "cross_wo", "cross_norm_gain"} <= roles, roles
            assert set(a["grad_norm"]) <= set(b["grad_norm"]), set(a["grad_norm"]) - roles
            assert {"tok_emb", "pos_emb", "head"} <= roles and (placement == "post") != ("final_norm_gain" in roles)
            close(a["hidden_max"], b["hidden_max"], "hidden_max")
            close(a.get("final_hidden_norm"), b.get("final_hidden_norm"), "final_hidden_norm")
            if a["step"]:
                close(a["update_ratio"], b["update_ratio"], "update_ratio")
            for role in roles:
                close(a["grad_norm"][role], b["grad_norm"][role], f"step {a['step']}: {role}")
        # And so the charts are the same but for the time that steps took.
        for file in ("own", "torch"):
            subprocess.run([CLI, "watch", "--once", "--jsonl", path(file + ".jsonl")], check=True,
                           stdout=open(path(file + ".seen"), "w", encoding="utf-8"))
        seen = read(path("torch.seen")), read(path("own.seen"))
        assert [r["step"] for r in seen[0]] == [r["step"] for r in seen[1]]


def test_same_curves_decoder_pre():
    compare("decoder", "pre", [])


def test_same_curves_decoder_post():
    compare("decoder", "post", [])


def test_same_curves_both_stacks():
    compare("encoder-decoder", "pre", ["source-seq=5", "decoder-layers=3"])


# ---- Models as others build them ----


class Conv1D(nn.Module):
    """GPT-2's: [in, out]."""

    def __init__(self, out, into):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(into, out) / 9), nn.Parameter(torch.zeros(out))

    def forward(self, x):
        return x @ self.weight + self.bias


class Gpt2Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_attn, self.c_proj = Conv1D(3 * D, D), Conv1D(D, D)

    def forward(self, x):
        q, k, v = self.c_attn(x).split(D, dim=2)
        return self.c_proj(torch.softmax(q @ k.transpose(1, 2) / D**0.5, dim=-1) @ v)


class Gpt2Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.c_fc, self.c_proj = Conv1D(4 * D, D), Conv1D(D, 4 * D)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x)))


class Gpt2Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.attn, self.ln_2, self.mlp = nn.LayerNorm(D), Gpt2Attention(), nn.LayerNorm(D), Gpt2Mlp()

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return (x + self.mlp(self.ln_2(x)), None)


class LlamaAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q_proj, self.o_proj = nn.Linear(D, D, bias=False), nn.Linear(D, D, bias=False)
        self.k_proj, self.v_proj = nn.Linear(D, D // 2, bias=False), nn.Linear(D, D // 2, bias=False)

    def forward(self, x):
        q, k, v = self.q_proj(x)[..., :D // 2], self.k_proj(x), self.v_proj(x)
        seen = torch.softmax(q @ k.transpose(1, 2), dim=-1) @ v
        return self.o_proj(torch.cat([seen, seen], dim=-1)) + 0 * self.q_proj(x)


class LlamaMlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(D, 2 * D, bias=False), nn.Linear(D, 2 * D, bias=False)
        self.down_proj = nn.Linear(2 * D, D, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class LlamaBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attn, self.mlp = LlamaAttention(), LlamaMlp()
        self.input_layernorm, self.post_attention_layernorm = nn.LayerNorm(D), nn.LayerNorm(D)

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Model(nn.Module):
    def __init__(self, block, name):
        super().__init__()
        self.embedding, self.head = nn.Embedding(V, D), nn.Linear(D, V)
        setattr(self, name, nn.ModuleList(block() for _ in range(L)))
        self.name = name

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in getattr(self, self.name):
            x = layer(x)
            x = x[0] if isinstance(x, tuple) else x
        return self.head(x)


class Stock(nn.Module):
    """torch.nn.Transformer, or its encoder alone."""

    def __init__(self, both):
        super().__init__()
        self.embedding, self.head, self.both = nn.Embedding(V, D), nn.Linear(D, V), both
        if both:
            self.stack = nn.Transformer(D, H, L, L + 1, 2 * D, dropout=0.0, batch_first=True)
        else:
            layer = nn.TransformerEncoderLayer(D, H, 2 * D, dropout=0.0, batch_first=True)
            self.stack = nn.TransformerEncoder(layer, L)

    def forward(self, tokens):
        x = self.embedding(tokens)
        return self.head(self.stack(x, x) if self.both else self.stack(x))


def recorded(model, steps=2, **options):
    torch.manual_seed(1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with Folder() as path:
        with Recorder(model, path("a.jsonl"), **options) as recorder:
            for _ in range(steps):
                tokens = torch.randint(V, (B, T))
                optimizer.zero_grad()
                loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
                loss.backward()
                recorder.step(loss, optimizer=optimizer, mine=[1.0] * len(recorder.layers), tokens=B * T)
                norms = {name: p.grad.norm().item() for name, p in model.named_parameters()
                         if p.grad is not None}
                optimizer.step()
                with torch.no_grad():
                    model(tokens)  # is not measured
        done = subprocess.run([CLI, "watch", "--once", "--jsonl", path("a.jsonl")], check=True,
                              capture_output=True)
        assert done.stderr == b"", done.stderr
        seen = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(seen) == len(read(path("a.jsonl")))
        # Whatever has one value a layer or a state can be drawn.
        for line, drawn in zip(read(path("a.jsonl")), seen):
            assert {name for name, value in line.items() if isinstance(value, list)} <= set(drawn), set(drawn)
        return read(path("a.jsonl")), norms


def check(model, roles, states, **options):
    """Every role of the last line is the norm that PyTorch has for it; joined ones by their squares."""
    lines, norms = recorded(model, **options)
    line = lines[-1]
    assert [r["step"] for r in lines] == [0, 1] and "lr" not in lines[0] and line["lr"] == 0.1
    found = {role: values for role, values in line["grad_norm"].items() if isinstance(values, list)}
    assert set(found) == set(roles), set(found) ^ set(roles)
    assert len(line["hidden_norm"]) == states and None not in line["hidden_norm"], line["hidden_norm"]
    assert all(value > 0 for value in line["hidden_norm"])
    layers = len(line["grad_layer"])
    assert all(len(values) == layers for values in found.values())
    close(line["grad_norm"]["total"], sum(v * v for v in norms.values()) ** 0.5, "total")
    for i in range(layers):
        joined = sum(values[i] ** 2 for values in found.values() if values[i] is not None) ** 0.5
        close(line["grad_layer"][i], joined, f"layer {i}")
    return line, norms


NORMS = ["norm1_gain", "norm1_bias", "norm2_gain", "norm2_bias"]
BIASED = ["wq", "wk", "wv", "wo", "w1", "w2", "bq", "bk", "bv", "bo", "b1", "b2", *NORMS]


def test_gpt2():
    model = Model(Gpt2Block, "h")
    line, norms = check(model, BIASED, L + 1)
    close(line["grad_norm"]["wo"], [norms[f"h.{i}.attn.c_proj.weight"] for i in range(L)], "wo")
    close(line["grad_norm"]["w1"], [norms[f"h.{i}.mlp.c_fc.weight"] for i in range(L)], "w1")
    gradient = model.h[0].attn.c_attn.weight.grad
    close(line["grad_norm"]["wk"][0], gradient[:, D:2 * D].norm().item(), "wk")


class Named(nn.Module):
    """A block of which only the names matter: they stand for others of the same roles."""

    def __init__(self, names):
        super().__init__()
        self.config = types.SimpleNamespace(num_attention_heads=H)
        for name, (out, into) in names.items():
            *path, last = name.split(".")
            module = self
            for word in path:
                if not hasattr(module, word):
                    module.add_module(word, nn.Module())
                module = getattr(module, word)
            module.add_module(last, nn.Linear(into, out) if into else nn.LayerNorm(out))

    def forward(self, x):
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.LayerNorm)):
                x = x + module(x if isinstance(module, nn.LayerNorm) else x[..., :1].expand(
                    *x.shape[:-1], module.in_features)).mean(dim=-1, keepdim=True)
        return x


def test_roles():
    """Of ViT, GPT-NeoX, OPT, BERT, Llama as its authors wrote it, and others: the program's own roles."""
    joined, single, wide, narrow, norm = (3 * D, D), (D, D), (4 * D, D), (D, 4 * D), (D, 0)
    apart = lambda words: {word: single for word in words.split()}  # noqa: E731
    for names in (
            {"norm1": norm, "attn.qkv": joined, "attn.proj": single, "norm2": norm, "mlp.fc1": wide,
             "mlp.fc2": narrow},
            {"norm_1": norm, "attn.to_qkv": joined, "attn.to_out.0": single, "norm_2": norm,
             "ff.w1": wide, "ff.w2": narrow},
            {"input_layernorm": norm, "attention.query_key_value": joined, "attention.dense": single,
             "post_attention_layernorm": norm, "mlp.dense_h_to_4h": wide, "mlp.dense_4h_to_h": narrow},
            {**apart("self_attn.q_proj self_attn.k_proj self_attn.v_proj self_attn.out_proj"),
             "self_attn_layer_norm": norm, "final_layer_norm": norm, "fc1": wide, "fc2": narrow},
            {**apart("attention.self.query attention.self.key attention.self.value"),
             "attention.output.dense": single, "attention.output.LayerNorm": norm,
             "intermediate.dense": wide, "output.dense": narrow, "output.LayerNorm": norm},
            {**apart("attention.wq attention.wk attention.wv attention.wo"), "attention_norm": norm,
             "ffn_norm": norm, "feed_forward.w1": wide, "feed_forward.w2": narrow}):
        check(Model(lambda names=names: Named(names), "layers"), BIASED, L + 1)
    # T5 with both stacks' layers, and ModernBERT.
    attention = lambda place: apart(" ".join(f"layer.{place}.{x}" for x in "qkvo"))  # noqa: E731
    t5 = {**attention("0.SelfAttention"), "layer.0.layer_norm": norm}
    ends = [f"{letter}{role}" for letter in "wb" for role in ("q", "k", "v", "o")]
    for last in (1, 2):
        other = {**attention("1.EncDecAttention"), "layer.1.layer_norm": norm} if last == 2 else {}
        names = {**t5, **other, **{f"layer.{last}.DenseReluDense.{x}": wide for x in ("wi_0", "wi_1")},
                 f"layer.{last}.DenseReluDense.wo": narrow, f"layer.{last}.layer_norm": norm}
        crossed = [f"cross_{x}" for x in (*ends, "norm_gain", "norm_bias")] if other else []
        check(Model(lambda names=names: Named(names), "layers"), [*BIASED, "w3", "b3", *crossed], L + 1)
    names = {"attn_norm": norm, "attn.Wqkv": joined, "attn.Wo": single, "mlp_norm": norm, "mlp.Wi": wide, "mlp.Wo": narrow}
    check(Model(lambda: Named(names), "layers"), [*BIASED, "w3", "b3"], L + 1)


def test_llama():
    line, norms = check(Model(LlamaBlock, "layers"), ["wq", "wk", "wv", "wo", "w1", "w3", "w2", *NORMS], L + 1)
    close(line["grad_norm"]["w2"], [norms[f"layers.{i}.mlp.down_proj.weight"] for i in range(L)], "w2")
    close(line["grad_norm"]["wk"], [norms[f"layers.{i}.self_attn.k_proj.weight"] for i in range(L)], "wk")


def test_encoder():
    line, norms = check(Stock(False), BIASED, L + 1)
    close(line["grad_norm"]["w2"], [norms[f"stack.layers.{i}.linear2.weight"] for i in range(L)], "w2")


def test_transformer():
    cross = [name for word in ("w{}", "b{}") for name in ("cross_" + word.format(x) for x in "qkvo")]
    roles = [*BIASED, *cross, "cross_norm_gain", "cross_norm_bias"]
    line, _ = check(Stock(True), roles, 2 * L + 3)
    assert line["grad_norm"]["cross_wq"][:L] == [None] * L
    assert None not in line["grad_norm"]["cross_wq"][L:]


def test_names():
    """Layers that are named by hand, and one that nothing is known of."""
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two, self.embedding = nn.Linear(D, D), nn.Linear(D, D), nn.Embedding(V, D)

        def forward(self, tokens):
            return self.two(torch.relu(self.one(self.embedding(tokens))))[..., :V]

    try:
        find_layers(Odd())
        raise AssertionError("layers were found")
    except ValueError as wrong:
        assert "name them" in str(wrong)
    check(Odd(), ["weight", "bias"], 3, layers=["one", "two"])
    check(Model(Gpt2Block, "blocks"), BIASED, L + 1, layers="blocks")


def test_now_and_then():
    lines, _ = recorded(Model(LlamaBlock, "layers"), steps=7, every=3)
    assert [line["step"] for line in lines] == [0, 3, 6]
    assert all(line["mine"] == [1.0] * L and "hidden_norm" in line for line in lines)


def main():
    tests = [(name[5:].replace("_", " "), test) for name, test in globals().items()
             if name.startswith("test_")]
    print(f"1..{len(tests)}", flush=True)
    for number, (name, test) in enumerate(tests, start=1):
        try:
            test()
            print(f"ok {number} {name}", flush=True)
        except Exception as wrong:  # pylint: disable=broad-except
            print(f"not ok {number} {name}\n# {type(wrong).__name__}: {str(wrong)[:600]}", flush=True)


if __name__ == "__main__":
    main()
