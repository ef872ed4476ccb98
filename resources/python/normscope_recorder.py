# SPDX-License-Identifier: MIT
"""Records what Normscope draws while a PyTorch model trains.

    from normscope_recorder import Recorder

    recorder = Recorder(model, "mine.jsonl")
    for batch in batches:
        loss = ...
        loss.backward()
        recorder.step(loss, optimizer=optimizer)   # before the optimizer's step
        optimizer.step()
        optimizer.zero_grad()

and in another terminal: normscope --watch mine.jsonl, or at the end
normscope-cli chart --from mine.jsonl --figure gradient-norm,hidden-norm --out mine.pdf

A line is written for every step: the loss, the learning rate of the update that led there, the norm of
the whole gradient, the norm of every layer's gradient by role (wq, wk, wv, wo, w1, w2, ...) and of the
hidden state after every layer, as a mean over tokens.  The layers of torch.nn.Transformer and its encoder
and decoder, of GPT-2 and of Llama, and of models that are built like them, are found; else name them:
Recorder(model, path, layers="blocks") or layers=["first", "second"].  This file needs torch alone.
"""

import json
import os
import re
import time

import torch

# Words for the parameters of a layer, as they are named from its module on.  The first that fits counts.
# A joined matrix has several roles, one after another along the dimension that is so many times as large.
_ATTENTION, _CROSS = r"(?:self_attn|self_attention|attention|attn|att)", r"(?:multihead_attn|encoder_attn|cross\w*)"


def _both(names, weights, biases):
    """The weights and the biases of modules."""
    return [(names + r"\.weight", weights), (names + r"\.bias", biases)]


def _one(role):
    return ("w" + role,), ("b" + role,)


_ROLES = [
    (_CROSS + r"\.in_proj_weight", ("cross_wq", "cross_wk", "cross_wv")),
    (_CROSS + r"\.in_proj_bias", ("cross_bq", "cross_bk", "cross_bv")),
    *_both(_CROSS + r"\.kv", ("cross_wk", "cross_wv"), ("cross_bk", "cross_bv")),
    *(one for letter, word in (("q", "query"), ("k", "key"), ("v", "value"))
      for one in _both(_CROSS + rf"\.(?:{letter}|w{letter}|{letter}_proj|to_{letter}|{word})",
                       ("cross_w" + letter,), ("cross_b" + letter,))),
    *_both(_CROSS + r"\.(?:out|out_proj|o_proj|wo|to_out)", ("cross_wo",), ("cross_bo",)),
    (_ATTENTION + r"\.in_proj_weight", ("wq", "wk", "wv")),
    (_ATTENTION + r"\.in_proj_bias", ("bq", "bk", "bv")),
    *_both(_ATTENTION + r"\.(?:c_attn|qkv|qkv_proj|to_qkv|Wqkv|query_key_value)", ("wq", "wk", "wv"),
           ("bq", "bk", "bv")),
    *(one for letter, word in (("q", "query"), ("k", "key"), ("v", "value"))
      for one in _both(_ATTENTION + rf"\.(?:\w+\.)*(?:{letter}|w{letter}|{letter}_proj|to_{letter}|{word})",
                       *_one(letter))),
    *_both(_ATTENTION + r"\.(?:out_proj|c_proj|o_proj|proj|wo|to_out|to_out\.0|out|dense|output\.dense)",
           *_one("o")),
    *_both(r"(?:\w+\.)*(?:linear1|c_fc|fc1|fc_in|w1|up|gate_proj|wi|intermediate\.dense|dense_h_to_4h)", *_one("1")),
    (r"(?:\w+\.)*(?:up_proj|w3)\.weight", ("w3",)),
    *_both(r"(?:\w+\.)*(?:linear2|c_proj|fc2|fc_out|w2|down|down_proj|dense_4h_to_h|output\.dense)", *_one("2")),
    *_both(r"(?:ln_?1|input_layernorm|attention_norm|attn_norm|norm_?1|norms\.0|self_attn_layer_norm"
           r"|attention\.output\.LayerNorm)", ("norm1_gain",), ("norm1_bias",)),
    *_both(r"(?:ln_?2|post_attention_layernorm|ffn_norm|mlp_norm|norm_?2|norms\.1|final_layer_norm"
           r"|output\.LayerNorm)", ("norm2_gain",), ("norm2_bias",)),
]
_ROLES = [(re.compile(pattern), roles) for pattern, roles in _ROLES]


def _roles_of(name, parameter, crossed):
    """The roles of a parameter, and the dimension along which it is cut; of any other its own name."""
    # In a layer with cross-attention the second norm belongs to that, and the third is the last.
    if crossed and re.fullmatch(r"(?:norm2|norms\.1|encoder_attn_layer_norm)\..*", name):
        return ("cross_norm_" + ("gain" if name.endswith("weight") else "bias"),), 0
    if crossed and re.fullmatch(r"(?:norm3|norms\.2)\..*", name):
        return ("norm2_" + ("gain" if name.endswith("weight") else "bias"),), 0
    for pattern, roles in _ROLES:
        if not pattern.fullmatch(name):
            continue
        n, shape = len(roles), parameter.shape
        if n == 1:
            return roles, 0
        # PyTorch's linear maps are [out, in]; GPT-2's Conv1D is [in, out].
        cut = 1 if len(shape) == 2 and shape[1] == n * shape[0] else 0
        if shape[cut] % n == 0:
            return roles, cut
    return (re.sub(r"\W", "_", name),), 0


def find_layers(model):
    """[[layer, ...], ...]: the stacks of a model, the encoder's before the decoder's."""
    stacks = []
    for module in model.modules():
        children = list(module.children())
        alike = len({type(child) for child in children}) == 1
        deep = alike and all(any(p.dim() > 1 for p in child.parameters()) and list(child.children())
                             for child in children)
        listed = isinstance(module, (torch.nn.ModuleList, torch.nn.Sequential))
        if deep and listed and not any(module in list(layer.modules()) for stack in stacks for layer in stack):
            stacks.append(children)
    # Experts, heads and the like are lists as well; layers are the most of a model.
    sizes = [sum(p.numel() for layer in stack for p in layer.parameters()) for stack in stacks]
    found = [stack for stack, size in zip(stacks, sizes) if size > max(sizes) / 10]
    if not found:
        raise ValueError("The layers of this model are not found; name them: Recorder(model, path, "
                         "layers=\"name of their list\").")
    return found


class Recorder:
    """Writes a line for every step of a model.

    layers: the name of the list that holds them, or a list of the names of layers; None: find them.
    every: steps between two lines; those between cost nothing.  append: go on behind what the file has,
    so that a run which is started again is seen to begin again; False writes the file anew.
    """

    def __init__(self, model, path, layers=None, every=1, append=True):
        self.model, self.every, self.at, self.rate = model, max(1, int(every)), 0, None
        self.file = open(path, "a" if append else "w", encoding="utf-8")
        modules = dict(model.named_modules())
        if layers is None:
            self.stacks = find_layers(model)
        elif isinstance(layers, str):
            self.stacks = [list(modules[layers].children())]
        else:
            self.stacks = [[modules[name] for name in layers]]
        self.layers = [layer for stack in self.stacks for layer in stack]
        self.hidden, self.hooks, self.started = {}, [], time.perf_counter()
        self._plan()
        place = 0
        for stack in self.stacks:
            self.hooks.append(stack[0].register_forward_pre_hook(self._see_input(place)))
            for i, layer in enumerate(stack, start=1):
                self.hooks.append(layer.register_forward_hook(self._see_output(place + i)))
            place += len(stack) + 1
        self.states = place

    def _plan(self):
        """Which gradients there are: [(parameter, roles, layer, dimension along which it is cut)]."""
        self.plan, self.roles, seen = [], [], set()
        for i, layer in enumerate(self.layers):
            names = [name for name, _ in layer.named_parameters()]
            crossed = any(re.match(r"(?:multihead_attn|encoder_attn|cross)", name) for name in names)
            for name, parameter in layer.named_parameters():
                if not parameter.requires_grad or id(parameter) in seen:
                    continue
                seen.add(id(parameter))
                roles, cut = _roles_of(name, parameter, crossed)
                self.plan.append((parameter, roles, i, cut))
                self.roles += [role for role in roles if role not in self.roles]
        self.plan += [(p, (None,), None, 0) for p in self.model.parameters()
                      if p.requires_grad and id(p) not in seen]

    def _due(self):
        return self.at % self.every == 0 and torch.is_grad_enabled()

    def _see(self, place, value):
        value = value[0] if isinstance(value, (tuple, list)) else value
        if torch.is_tensor(value) and value.dim() > 1:
            self.hidden[place] = value.detach().float().norm(dim=-1).mean()

    def _see_input(self, place):
        def see(_module, inputs):
            if self._due() and inputs:
                self._see(place, inputs)
        return see

    def _see_output(self, place):
        def see(_module, _inputs, output):
            if self._due():
                self._see(place, output)
        return see

    @torch.no_grad()
    def step(self, loss, step=None, lr=None, optimizer=None, **more):
        """After backward and before the optimizer's step; gradients that were scaled must be unscaled.

        step: its number, if they are not counted from 0; lr: the rate of the update that comes, or the
        optimizer to read it from; more: numbers, or lists with one number a layer, by their names.
        """
        at = self.at if step is None else int(step)
        now, rate = time.perf_counter(), self.rate
        self.rate = lr if lr is not None else optimizer.param_groups[0]["lr"] if optimizer else None
        due, self.at = self.at % self.every == 0, at + 1
        if not due:
            return
        record = {"step": at, "loss": None}
        if rate is not None:
            record["lr"] = float(rate)
        record["seconds"] = now - self.started
        self._measure(record, loss)
        for name, value in more.items():
            record[name] = value.tolist() if torch.is_tensor(value) else value
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()
        self.hidden.clear()
        self.started = time.perf_counter()

    def _measure(self, record, loss):
        pieces, owners = [], []
        for parameter, roles, layer, cut in self.plan:
            gradient = parameter.grad
            if gradient is None:
                continue
            gradient = (gradient.coalesce().values() if gradient.is_sparse else gradient).float()
            pieces += gradient.chunk(len(roles), dim=cut) if len(roles) > 1 else [gradient]
            owners += [(role, layer) for role in roles]
        loss = loss.detach() if torch.is_tensor(loss) else torch.tensor(float(loss))
        places = sorted(self.hidden)
        # All leave the device at once.
        scalars = [*torch._foreach_norm(pieces), *(self.hidden[place] for place in places)]
        scalars.append(loss.float().reshape(()).to(scalars[0].device if scalars else loss.device))
        *values, record["loss"] = torch.stack([one.to(scalars[-1].device) for one in scalars]).tolist()
        by_role = {role: [None] * len(self.layers) for role in self.roles}
        squares, total = [0.0] * len(self.layers), 0.0
        for (role, layer), norm in zip(owners, values):
            total += norm * norm
            if layer is not None:
                by_role[role][layer] = norm
                squares[layer] += norm * norm
        record["grad_norm"] = {"total": total ** 0.5, **by_role}
        record["grad_layer"] = [square ** 0.5 for square in squares]
        if places:
            states = dict(zip(places, values[len(pieces):]))
            record["hidden_norm"] = [states.get(i) for i in range(self.states)]

    def close(self):
        for hook in self.hooks:
            hook.remove()
        self.hooks = []
        if not self.file.closed:
            self.file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
