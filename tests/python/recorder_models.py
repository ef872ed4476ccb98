"""Models as they are trained, small, for the tests of the recorder, and which parameter has which role.

SPDX-License-Identifier: MIT

They have the modules, the names and the shapes of torch.nn.Transformer, and of the library transformers
those of GPT-2, Llama, Phi-3, GPT-NeoX, Mixtral and ALBERT, and adapters as PEFT adds them.  Roles of a layer
are {role: [(parameter, function that cuts the role's part out of it), ...]}.
"""

import types

import torch
from torch import nn
from torch.nn import functional as F

D, H, L, V, T, B = 16, 4, 3, 11, 7, 4
HEAD = D // H


def attend(q, k, v, heads):
    """q: [B, T, heads * HEAD]; k, v may have fewer heads, each for several of q."""
    q, k, v = (x.reshape(B, -1, x.shape[-1] // HEAD, HEAD).transpose(1, 2) for x in (q, k, v))
    k, v = (x.repeat_interleave(heads // x.shape[1], dim=1) for x in (k, v))
    y = (q @ k.transpose(-1, -2) / HEAD**0.5).softmax(-1) @ v
    return y.transpose(1, 2).reshape(B, -1, heads * HEAD)


def tree(**modules):
    module = nn.Module()
    for name, child in modules.items():
        setattr(module, name, child)
    return module


def linear(out, into=D):
    return nn.Linear(into, out, bias=False)


class Conv1D(nn.Module):
    def __init__(self, out, into):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(into, out) / 9), nn.Parameter(torch.zeros(out))

    def forward(self, x):
        return x @ self.weight + self.bias


class Gpt2(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.attn = tree(c_attn=Conv1D(3 * D, D), c_proj=Conv1D(D, D))
        self.mlp = tree(c_fc=Conv1D(4 * D, D), c_proj=Conv1D(D, 4 * D))

    def forward(self, x):
        q, k, v = self.attn.c_attn(self.ln_1(x)).split(D, dim=2)
        x = x + self.attn.c_proj(attend(q, k, v, H))
        return (x + self.mlp.c_proj(F.gelu(self.mlp.c_fc(self.ln_2(x)))),)


def gpt2_roles(block):
    rows = {"wo": block.attn.c_proj.weight, "bo": block.attn.c_proj.bias, "w1": block.mlp.c_fc.weight,
            "b1": block.mlp.c_fc.bias, "w2": block.mlp.c_proj.weight, "b2": block.mlp.c_proj.bias,
            "norm1_gain": block.ln_1.weight, "norm1_bias": block.ln_1.bias, "norm2_gain": block.ln_2.weight,
            "norm2_bias": block.ln_2.bias}
    fused = block.attn.c_attn
    return {**whole(rows),
            **{"w" + x: [(fused.weight, lambda t, i=i: t[:, i * D:(i + 1) * D])] for i, x in enumerate("qkv")},
            **{"b" + x: [(fused.bias, lambda t, i=i: t[i * D:(i + 1) * D])] for i, x in enumerate("qkv")}}


def whole(rows):
    return {role: [(parameter, lambda t: t)] for role, parameter in rows.items()}


class Llama(nn.Module):
    """Grouped queries: four heads, of which two share a key and a value."""

    def __init__(self):
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = nn.LayerNorm(D), nn.LayerNorm(D)
        self.self_attn = tree(q_proj=linear(D), k_proj=linear(D // 2), v_proj=linear(D // 2), o_proj=linear(D))
        self.mlp = tree(gate_proj=linear(2 * D), up_proj=linear(2 * D), down_proj=linear(D, 2 * D))

    def forward(self, hidden_states):
        a, m, y = self.self_attn, self.mlp, self.input_layernorm(hidden_states)
        x = hidden_states + a.o_proj(attend(a.q_proj(y), a.k_proj(y), a.v_proj(y), H))
        y = self.post_attention_layernorm(x)
        return x + m.down_proj(F.silu(m.gate_proj(y)) * m.up_proj(y))


def norms_of(block):
    return {"norm1_gain": block.input_layernorm.weight, "norm1_bias": block.input_layernorm.bias,
            "norm2_gain": block.post_attention_layernorm.weight, "norm2_bias": block.post_attention_layernorm.bias}


def llama_roles(block):
    a, m = block.self_attn, block.mlp
    return whole({"wq": a.q_proj.weight, "wk": a.k_proj.weight, "wv": a.v_proj.weight, "wo": a.o_proj.weight,
                  "w1": m.gate_proj.weight, "w3": m.up_proj.weight, "w2": m.down_proj.weight, **norms_of(block)})


class Lecture(nn.Module):
    """Every head is a module, and the feed-forward network a Sequential, as in lectures."""

    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(D), nn.LayerNorm(D)
        heads = nn.ModuleList(tree(key=linear(HEAD), query=linear(HEAD), value=linear(HEAD)) for _ in range(H))
        self.sa = tree(heads=heads, proj=nn.Linear(D, D))
        self.ffwd = tree(net=nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D), nn.Dropout(0.0)))

    def forward(self, x):
        y = self.ln1(x)
        heads = [attend(head.query(y), head.key(y), head.value(y), 1) for head in self.sa.heads]
        x = x + self.sa.proj(torch.cat(heads, dim=-1))
        return x + self.ffwd.net(self.ln2(x))


def lecture_roles(block):
    net, proj = block.ffwd.net, block.sa.proj
    rows = {"wo": proj.weight, "bo": proj.bias, "w1": net[0].weight, "b1": net[0].bias, "w2": net[2].weight,
            "b2": net[2].bias, "norm1_gain": block.ln1.weight, "norm1_bias": block.ln1.bias,
            "norm2_gain": block.ln2.weight, "norm2_bias": block.ln2.bias}
    return {**whole(rows), **{"w" + word[0]: [(getattr(head, word).weight, lambda t: t) for head in block.sa.heads]
                              for word in ("query", "key", "value")}}


class Phi3(nn.Module):
    """Query, key and value in one map, with one key and value for all heads; gate and up in another."""

    def __init__(self):
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = nn.LayerNorm(D), nn.LayerNorm(D)
        self.self_attn = tree(qkv_proj=linear((H + 2) * HEAD), o_proj=linear(D))
        self.self_attn.config = types.SimpleNamespace(num_attention_heads=H, num_key_value_heads=1)
        self.mlp = tree(gate_up_proj=linear(4 * D), down_proj=linear(D, 2 * D))

    def forward(self, x):
        q, k, v = self.self_attn.qkv_proj(self.input_layernorm(x)).split([D, HEAD, HEAD], dim=-1)
        x = x + self.self_attn.o_proj(attend(q, k, v, H))
        gate, up = self.mlp.gate_up_proj(self.post_attention_layernorm(x)).chunk(2, dim=-1)
        return x + self.mlp.down_proj(up * F.silu(gate))


def phi3_roles(block):
    qkv, both = block.self_attn.qkv_proj.weight, block.mlp.gate_up_proj.weight
    return {**whole({"wo": block.self_attn.o_proj.weight, "w2": block.mlp.down_proj.weight, **norms_of(block)}),
            "wq": [(qkv, lambda t: t[:D])], "wk": [(qkv, lambda t: t[D:D + HEAD])],
            "wv": [(qkv, lambda t: t[D + HEAD:])], "w1": [(both, lambda t: t[:2 * D])],
            "w3": [(both, lambda t: t[2 * D:])]}


class NeoX(nn.Module):
    """The rows of query, key and value of a head follow each other."""

    def __init__(self, heads=H):
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = nn.LayerNorm(D), nn.LayerNorm(D)
        self.attention = tree(query_key_value=nn.Linear(D, 3 * D), dense=nn.Linear(D, D))
        if heads:
            self.attention.num_attention_heads, self.attention.head_size = heads, HEAD
        self.mlp = tree(dense_h_to_4h=nn.Linear(D, 4 * D), dense_4h_to_h=nn.Linear(4 * D, D))

    def forward(self, x):
        qkv = self.attention.query_key_value(self.input_layernorm(x)).view(B, T, H, 3 * HEAD)
        q, k, v = (one.reshape(B, T, D) for one in qkv.chunk(3, dim=-1))
        y = self.attention.dense(attend(q, k, v, H))
        return x + y + self.mlp.dense_4h_to_h(F.gelu(self.mlp.dense_h_to_4h(self.post_attention_layernorm(x))))


def neox_roles(block):
    qkv, a, m, rows = block.attention.query_key_value, block.attention, block.mlp, {}
    for i, x in enumerate("qkv"):
        for head in range(H):
            first = (3 * head + i) * HEAD
            for letter, parameter in (("w", qkv.weight), ("b", qkv.bias)):
                rows.setdefault(letter + x, []).append((parameter, lambda t, at=first: t[at:at + HEAD]))
    return {**rows, **whole({"wo": a.dense.weight, "bo": a.dense.bias, "w1": m.dense_h_to_4h.weight,
                             "b1": m.dense_h_to_4h.bias, "w2": m.dense_4h_to_h.weight, "b2": m.dense_4h_to_h.bias,
                             **norms_of(block)})}


class Mixtral(Llama):
    def __init__(self):
        super().__init__()
        del self.mlp
        experts = nn.ModuleList(tree(w1=linear(2 * D), w2=linear(D, 2 * D), w3=linear(2 * D)) for _ in range(4))
        self.block_sparse_moe = tree(gate=linear(4), experts=experts)

    def forward(self, x):
        a, y = self.self_attn, self.input_layernorm(x)
        x = x + a.o_proj(attend(a.q_proj(y), a.k_proj(y), a.v_proj(y), H))
        y, moe = self.post_attention_layernorm(x), self.block_sparse_moe
        share = moe.gate(y).softmax(-1)
        for i, e in enumerate(list(moe.experts)[:3]):  # nothing is routed to the last expert
            x = x + share[..., i:i + 1] * e.w2(F.silu(e.w1(y)) * e.w3(y))
        return x


def mixtral_roles(block):
    a, moe = block.self_attn, block.block_sparse_moe
    return {**whole({"wq": a.q_proj.weight, "wk": a.k_proj.weight, "wv": a.v_proj.weight, "wo": a.o_proj.weight,
                     "block_sparse_moe_gate_weight": moe.gate.weight, **norms_of(block)}),
            **{w: [(getattr(e, w).weight, lambda t: t) for e in moe.experts] for w in ("w1", "w2", "w3")}}


class Lora(nn.Module):
    """A map as PEFT changes it: frozen, with a trained one of rank two beside it."""

    def __init__(self):
        super().__init__()
        self.base_layer = linear(D).requires_grad_(False)
        self.lora_A, self.lora_B = nn.ModuleDict({"default": linear(2)}), nn.ModuleDict({"default": linear(D, 2)})

    def forward(self, x):
        return self.base_layer(x) + self.lora_B["default"](self.lora_A["default"](x))


class LoraLlama(Llama):
    def __init__(self):
        super().__init__()
        self.requires_grad_(False)
        self.self_attn.q_proj = Lora()


def lora_roles(block):
    q = block.self_attn.q_proj
    return whole({"wq_lora_A": q.lora_A["default"].weight, "wq_lora_B": q.lora_B["default"].weight})


class Model(nn.Module):
    """Embedding, layers, final norm and head; remembers its hidden states."""

    def __init__(self, block, wrap=None, keywords=False):
        super().__init__()
        self.wte, self.ln_f, self.lm_head = nn.Embedding(V, D), nn.LayerNorm(D), linear(V)
        self.h = nn.ModuleList(block() for _ in range(L))
        self.seen, self.wrap, self.keywords = [], wrap, keywords

    def forward(self, tokens):
        x = self.wte(tokens)
        seen = [x]
        for layer in self.h:
            call = self.wrap(layer) if self.wrap else layer
            x = call(hidden_states=x) if self.keywords else call(x)
            x = x[0] if isinstance(x, tuple) else x
            seen.append(x)
        self.remember(seen)
        return self.lm_head(self.ln_f(x))

    def remember(self, seen):
        if torch.is_grad_enabled() and self.training:
            self.seen.append([x.detach() for x in seen])

    def outer(self):
        return {"tok_emb": self.wte.weight, "final_norm_gain": self.ln_f.weight,
                "final_norm_bias": self.ln_f.bias, "head": self.lm_head.weight}


class Albert(Model):
    """One layer that is used four times, as in the library: groups of layers, each a list in a module."""

    def __init__(self):
        super().__init__(Gpt2)
        del self.h

        class Layer(nn.Module):
            def __init__(self):
                super().__init__()
                self.full_layer_layer_norm = nn.LayerNorm(D)
                self.attention = tree(query=nn.Linear(D, D), key=nn.Linear(D, D), value=nn.Linear(D, D),
                                      dense=nn.Linear(D, D), LayerNorm=nn.LayerNorm(D))
                self.ffn, self.ffn_output = nn.Linear(D, 2 * D), nn.Linear(2 * D, D)

            def forward(self, x):
                a = self.attention
                y = a.LayerNorm(x + a.dense(attend(a.query(x), a.key(x), a.value(x), H)))
                return (self.full_layer_layer_norm(self.ffn_output(F.gelu(self.ffn(y))) + y),)

        class Group(nn.Module):
            def __init__(self):
                super().__init__()
                self.albert_layers = nn.ModuleList([Layer()])

            def forward(self, x):
                for layer in self.albert_layers:
                    x = layer(x)[0]
                return (x,)

        self.albert_layer_groups = nn.ModuleList([Group()])

    def forward(self, tokens):
        x = self.wte(tokens)
        uses = []
        for _ in range(4):
            group = self.albert_layer_groups[0]
            uses.append((self.wrap(group) if self.wrap else group)(x if not uses else uses[-1])[0])
        self.remember([x, torch.stack(uses)])
        return self.lm_head(self.ln_f(uses[-1]))


def albert_roles(group):
    layer = group.albert_layers[0]
    a = layer.attention
    rows = {"norm1": a.LayerNorm, "norm2": layer.full_layer_layer_norm}
    pairs = {"q": a.query, "k": a.key, "v": a.value, "o": a.dense, "1": layer.ffn, "2": layer.ffn_output}
    return whole({**{"w" + x: m.weight for x, m in pairs.items()}, **{"b" + x: m.bias for x, m in pairs.items()},
                  **{name + "_gain": m.weight for name, m in rows.items()},
                  **{name + "_bias": m.bias for name, m in rows.items()}})


class Stock(nn.Module):
    """torch.nn.Transformer, with more layers in its decoder."""

    def __init__(self):
        super().__init__()
        self.embedding, self.head, self.seen = nn.Embedding(V, D), nn.Linear(D, V), []
        self.stack = nn.Transformer(D, H, L - 1, L, 2 * D, dropout=0.0, batch_first=True)

    def forward(self, tokens):
        x = self.embedding(tokens)
        return self.head(self.stack(x, x))

    @torch.no_grad()
    def remember(self, tokens):
        states = [self.embedding(tokens)]
        for layer in self.stack.encoder.layers:
            states.append(layer(states[-1]))
        memory = self.stack.encoder.norm(states[-1])
        states.append(states[0])
        for layer in self.stack.decoder.layers:
            states.append(layer(states[-1], memory))
        self.seen.append(states)

    def outer(self):
        norms = self.stack.encoder.norm, self.stack.decoder.norm
        return {"tok_emb": self.embedding.weight, "head": self.head.weight,
                "final_norm_gain": [norm.weight for norm in norms],
                "final_norm_bias": [norm.bias for norm in norms]}


def stock_roles(layer):
    rows = {}
    for name, a in (("", layer.self_attn), ("cross_", getattr(layer, "multihead_attn", None))):
        if a is not None:
            for i, x in enumerate("qkv"):
                rows[name + "w" + x] = [(a.in_proj_weight, lambda t, i=i: t[i * D:(i + 1) * D])]
                rows[name + "b" + x] = [(a.in_proj_bias, lambda t, i=i: t[i * D:(i + 1) * D])]
            rows.update(whole({name + "wo": a.out_proj.weight, name + "bo": a.out_proj.bias}))
    last = getattr(layer, "norm3", layer.norm2)
    if last is not layer.norm2:
        rows.update(whole({"cross_norm_gain": layer.norm2.weight, "cross_norm_bias": layer.norm2.bias}))
    return {**rows, **whole({"w1": layer.linear1.weight, "b1": layer.linear1.bias, "w2": layer.linear2.weight,
                             "b2": layer.linear2.bias, "norm1_gain": layer.norm1.weight,
                             "norm1_bias": layer.norm1.bias, "norm2_gain": last.weight, "norm2_bias": last.bias})}
