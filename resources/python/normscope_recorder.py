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

A line is written for every step.  Norms are Euclidean; each has one number per layer.

    loss, seconds   the loss as given to step(), and the time since the line before
    lr              learning rate of the update that led to this step
    grad_norm       of the gradient: "total", by role (wq, wk, wv, wo, w1, w2, ...), and of the embedding
                    (tok_emb, pos_emb), the final norm and the head, which have one number each
    grad_layer      of the gradient of all parameters of a layer
    hidden_norm     of the hidden state before the first layer and after every layer, mean over tokens
    hidden_max      largest absolute value of any feature of the same states
    final_hidden_norm   of the hidden state after the final norm
    weight_norm     of the weights; update_norm, of the update that led to this step; update_ratio, of the
                    update to the weights before it; update_angle, between the weights before and after it,
                    in radians.  Each of a whole layer, and by role: weight_norm_wq, update_angle_tok_emb, ...

A role that several parameters of a layer share, such as experts, has the norm of all of them.  A value
that does not exist, or that cannot be measured, is null or left out: gradients, weights and updates of
frozen parameters, for instance.  Hidden states are those of all forward passes since the last step, so of
all micro-batches, and of all uses of a layer that is shared; passes without gradients do not count, and
passes in evaluation mode only if there are no others.

The layers of torch.nn.Transformer and its encoder and decoder, of GPT-2, Llama, GPT-NeoX, BERT and of
models that are built like them, are found; else name them: Recorder(model, path, layers="blocks") or
layers=["first", "second"].  Create the recorder before a compiled model is called, and in one of several
processes, or give each a file.  Nothing that goes wrong while it records ends the training: it is written
to stderr once.  This file needs only torch.
"""

import contextlib
import inspect
import json
import math
import os
import re
import sys
import time
import weakref

import torch

# ---- The roles of parameters, from their names ----

# Wrappers add these to the names of parameters.
_WRAPPERS = re.compile(r"\b(?:module|_orig_mod|_fsdp_wrapped_module|_checkpoint_wrapped_module|base_layer)\.")
_CROSS = re.compile(r"\b(?:multihead_attn|encoder_attn|EncDecAttention|cross\w*)\.")
_SELF = re.compile(r"\b(?:self_attn|self_attention|SelfAttention|attention|attn|att|sa|mha)\.")
_QKV = r"in_proj|c_attn|qkv|qkv_proj|to_qkv|Wqkv|W_pack|query_key_value"

_ATTENTION_ROLES = [
    *((rf"{x}|w{x}|{x}_proj|to_{x}|{x}_lin|{x}_attn|linear_{x}|{word}", x)
      for x, word in (("q", "query"), ("k", "key"), ("v", "value"))),
    (r"out_proj|c_proj|o_proj|proj|wo|Wo|o|to_out|to_out\.0|out|out_lin|dense|output\.dense", "o"),
    (_QKV, "qkv"),
    (r"kv|kv_proj|to_kv", "kv"),
]
_FEED_FORWARD_ROLES = [
    (r"linear1|c_fc|fc1|fc_in|w1|gate_proj|wi|wi_0|lin1|ffn|intermediate\.dense|dense_h_to_4h", "1"),
    (r"linear2|c_proj|fc2|fc_out|w2|down|down_proj|wo|Wo|lin2|ffn_output|output\.dense|dense_4h_to_h", "2"),
    (r"w3|wi_1", "3"),
    (r"gate_up_proj|Wi", "13"),
]
_NORM_ROLES = [
    (r"ln_?1|ln_attn|input_layernorm|attention_norm|attn_norm|norm_?1|norms\.0|self_attn_layer_norm"
     r"|sa_layer_norm|layer\.0\.layer_norm|attention\.output\.LayerNorm|attention\.LayerNorm", "norm1"),
    (r"ln_?2|ln_mlp|post_attention_layernorm|pre_feedforward_layernorm|ffn_norm|mlp_norm|norm_?2|norms\.1"
     r"|final_layer_norm|layer\.1\.layer_norm|output_layer_norm|output\.LayerNorm|full_layer_layer_norm", "norm2"),
    (r"encoder_attn_layer_norm|ln_cross_attn", "cross_norm"),
    (r"\w+\.q_norm", "q_norm"),
    (r"\w+\.k_norm", "k_norm"),
]
# In a layer with cross-attention the second norm belongs to that; where branches have norms, so does this.
_CROSSED_NORMS = [(r"norm2|norms\.1|layer\.1\.layer_norm", "cross_norm"),
                  (r"norm3|norms\.2|layer\.2\.layer_norm", "norm2")]
_BRANCH_NORMS = [(r"post_attention_layernorm", "branch_norm1"), (r"post_feedforward_layernorm", "branch_norm2")]


def _find(roles, path):
    return next((role for words, role in roles if re.search(rf"(?:^|\.)(?:{words})$", path)), None)


def _role_of(name, names):
    """The role of a parameter of a layer that has these names: "wq", "norm1_gain", "wqkv" if it is fused."""
    adapter = re.fullmatch(r"(.*)\.(lora_\w+?)(?:\.\w+)*", name)
    if adapter:
        return _role_of(adapter[1] + ".weight", names) + "_" + adapter[2]
    path, _, kind = re.sub(r"\b((?:in|[qkv])_proj)_(weight|bias)$", r"\1.\2", name).rpartition(".")
    if kind not in ("weight", "bias"):
        path, kind = name, "weight"
    letter, crossed = kind[0], any(map(_CROSS.search, names))
    norm = _find((_CROSSED_NORMS if crossed else []) +
                 (_BRANCH_NORMS if any("post_feedforward" in other for other in names) else []) +
                 _NORM_ROLES, path)
    if norm:
        return norm + ("_gain" if letter == "w" else "_bias")
    if _CROSS.search(name) or _SELF.search(name):
        role = "kv" if re.search(r"\bcrossattention\.c_attn$", path) else _find(_ATTENTION_ROLES, path)
        role = role and ("cross_" if _CROSS.search(name) else "") + letter + role
    else:
        gated = any(re.search(r"\bgate(?:_proj)?\.", other) for other in names)
        role = "3" if gated else "1"
        role = role if re.search(r"\b(?:up|up_proj)$", path) else _find(_FEED_FORWARD_ROLES, path)
        # A feed-forward network in a Sequential: two maps whose names are their places.
        maps = [other[:-7] for other in names if re.search(r"\.\d+\.weight$", other) and not _SELF.search(other)]
        if not role and path in maps and len({one.rpartition(".")[0] for one in maps}) == 1 and len(maps) == 2:
            role = "12"[maps.index(path)]
        role = role and letter + role
    return role or re.sub(r"\W", "_", re.sub(r"\bexperts\.\d+", "experts", name))[-48:]


def _outer_role_of(name, owner):
    """The role of a parameter outside the layers; None if it counts for the total only."""
    path, _, kind = _WRAPPERS.sub("", name).rpartition(".")
    last = path.rpartition(".")[2]
    if isinstance(owner, torch.nn.Embedding) or re.search("pos_emb|position_emb", kind):
        return ("pos" if re.search("pos|wpe", last + kind) else
                "seg" if re.search("type|seg", last) else "tok") + "_emb"
    if "norm" in type(owner).__name__.lower():
        norm = ("emb_norm" if "emb" in path else
                "final_norm" if re.fullmatch(r"ln_f|norm|norm_f|ln_out|final\w*norm|layer_?norm", last) else None)
        return norm and norm + ("_gain" if kind == "weight" else "_bias")
    if re.fullmatch(r"lm_head|head|embed_out|output|out|unembed\w*|to_logits|generator|classifier|score|decoder", last):
        return "head" if kind == "weight" else None
    return None


def _number(chain, names):
    """An attribute of the innermost module of a chain that has one of these names, or whose config has."""
    for module in reversed(chain):
        for holder in (module, getattr(module, "config", None)):
            for name in names:
                value = getattr(holder, name, None)
                if isinstance(value, int) and value > 0:
                    return value
    return None


def _cut_of(parameter, role, name, chain):
    """How a fused parameter is cut into its roles, a function; None if that is not known.

    Query, key and value follow each other, but for models that keep them together by heads: GPT-NeoX, BLOOM
    and Falcon, whose name for them is query_key_value, and GPT-BigCode without multi_query.
    """
    weight = getattr(chain[-1], name.rpartition(".")[2].replace("bias", "weight"), parameter)
    if weight.dim() != 2:
        return None
    parts = 2 if role.endswith(("kv", "13")) and not role.endswith("qkv") else 3
    # Linear maps are [out, in], and GPT-2's Conv1D is [in, out].
    out = 1 if "Conv1D" in type(chain[-1]).__name__ or weight.shape[1] == parts * weight.shape[0] else 0
    size, into, along = weight.shape[out], weight.shape[1 - out], out if parameter.dim() > 1 else 0
    if parts == 2:
        return None if size % 2 else lambda tensor: tensor.chunk(2, along)
    attention = chain[-2] if len(chain) > 1 else chain[-1]
    by_heads = "query_key_value" in name or getattr(attention, "multi_query", None) is False
    heads = _number(chain, ("num_attention_heads", "num_heads", "n_head", "n_heads", "nhead", "heads"))
    width = _number(chain, ("head_dim", "head_size", "dim_head"))
    groups = _number(chain, ("num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_kv_head", "kv_heads",
                             "num_query_groups", "n_query_groups"))
    if not groups and size == 3 * (heads * width if heads and width else into):
        groups = heads
    if "CodeGen" in type(attention).__name__ or hasattr(attention, "multi_query_attention"):
        return None
    if not heads:
        return None if by_heads or size != 3 * into else lambda tensor: tensor.chunk(3, along)
    if not groups or heads % groups or size % (heads + 2 * groups):
        return None
    unit = size // (heads + 2 * groups)
    if width and width != unit:
        return None
    if not by_heads:
        return lambda tensor: tensor.split_with_sizes([heads * unit, groups * unit, groups * unit], along)

    def cut(tensor):
        tensor = tensor.reshape(groups, heads // groups + 2, unit, *tensor.shape[1:])
        return tensor[:, :-2], tensor[:, -2], tensor[:, -1]
    return cut


def find_layers(model):
    """[[layer, ...], ...]: the stacks of a model, the encoder's before the decoder's."""
    stacks = []
    for module in model.modules():
        children = list(module.children())
        alike = len({type(child) for child in children}) == 1
        # A list may hold layers of several kinds.
        alike = alike or len(children) > 2 and isinstance(module, torch.nn.ModuleList)
        # FSDP has one flat parameter for a layer that it wraps.
        deep = alike and all(any(p.dim() > 1 or hasattr(child, "_fsdp_wrapped_module") for p in child.parameters())
                             and list(child.children()) for child in children)
        listed = (isinstance(module, (torch.nn.ModuleList, torch.nn.Sequential)) or
                  isinstance(module, torch.nn.ModuleDict) and all(map(str.isdigit, module)))
        if deep and listed and not any(module in list(layer.modules()) for stack in stacks for layer in stack):
            stacks.append(children)
    # Experts, heads and the like are lists as well; layers are the most of a model.
    sizes = [sum(p.numel() for layer in stack for p in layer.parameters()) for stack in stacks]
    found = [stack for stack, size in zip(stacks, sizes) if size > max(sizes) / 10]
    if not found:
        raise ValueError("The layers of this model are not found; name them: Recorder(model, path, "
                         "layers=\"name of their list\").")
    return found


# ---- Values ----

# Weights that are compared with those before at a time, on a processor.
PART = 1 << 16


def _state_of(value):
    """The hidden state in what a layer takes or returns: a tensor, the first of several, or one by its name."""
    if isinstance(value, dict):
        names = ("hidden_states", "last_hidden_state", "x", "src", "tgt", "input", "inputs")
        value = next((value[name] for name in names if name in value), None)
    elif isinstance(value, (tuple, list)):
        value = value[0] if value else None
    return value if torch.is_tensor(value) and value.is_floating_point() and value.dim() > 1 else None


def _plain(value):
    """A number, or lists of numbers, as JSON has them."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, int) else float(value)


def _single(tensor):
    """In single precision, at least."""
    tensor = torch.view_as_real(tensor) if tensor.is_complex() else tensor
    return tensor if tensor.dtype in (torch.float32, torch.float64) else tensor.float()


def _norms(plan, tensors):
    """([(role, layer), ...], [norm, ...]) of the tensors, which have the places of the plan's parameters."""
    owners, pieces = [], []
    for (_, own, cut), tensor in zip(plan, tensors):
        if tensor is None:
            continue
        tensor = _single(tensor.coalesce().values() if tensor.is_sparse else tensor)
        if cut:
            pieces += cut(tensor)
        else:
            pieces.append(tensor)
        owners += own
    return owners, list(torch._foreach_norm(pieces)) if pieces else []


class _Layout:
    """How the norms of these owners are summed: by role and layer, with the role "" for all roles of a layer
    and "total" for everything."""

    def __init__(self, owners, layers):
        sources = {("total", None): range(len(owners))}
        for i, (role, layer) in enumerate(owners):
            for key in [(role, layer)] * (role is not None) + [("", layer)] * (layer is not None):
                sources.setdefault(key, []).append(i)
        self.sources, self.rows = list(sources.values()), {}
        # A role has a place, or one for each layer; behind the last place is what is missing.
        for place, (role, layer) in enumerate(sources):
            if layer is None:
                self.rows[role] = place
            else:
                self.rows.setdefault(role, [len(sources)] * layers)[layer] = place

    def sums(self, norms):
        """The norms of everything that has a place, from the norms of the owners."""
        squares = [norm * norm for norm in norms]
        return [sum([squares[i] for i in own]) ** 0.5 for own in self.sources]

    def put(self, into, name, values):
        """Puts values into a record as JSON; the digits are those of single precision."""
        texts = ["null" if value is None else "%.7g" % value for value in values] + ["null"]
        if "nan" in texts or "inf" in texts:
            texts = [text.replace("nan", "NaN").replace("inf", "Infinity") for text in texts]
        for role, places in self.rows.items():
            text = texts[places] if isinstance(places, int) else f"[{', '.join([texts[i] for i in places])}]"
            if text.strip("[null, ]"):  # there is a number
                into[name + role if role else name.rstrip("_")] = text


def _angle(a, b, difference):
    """The angle between two vectors, from their norms and that of their difference, also if it is small."""
    if not a * b:
        return None
    sine = (difference * difference - (a - b) * (a - b)) / (4 * a * b)
    return sine if math.isnan(sine) else 2 * math.asin(min(1.0, max(0.0, sine) ** 0.5))


def _line(record):
    """JSON of a record, whose texts are JSON already."""
    parts = []
    for key, value in record.items():
        if not isinstance(value, str):
            value = _line(value) if isinstance(value, dict) else json.dumps(value)
        parts.append(f"{json.encoder.encode_basestring_ascii(key)}: {value}")
    return "{" + ", ".join(parts) + "}"


class _Hook:
    """Calls a method of the recorder.  In a copy of the model, or in one that is saved, it does nothing."""

    def __init__(self, method, *arguments):
        self.method, self.arguments = method, arguments

    def __call__(self, _module, *values):
        self.method(*self.arguments, *values)

    def __reduce__(self):
        return getattr, (contextlib.nullcontext(), "__exit__")


class _Forward:
    """Shows what a module takes, for PyTorch before 2.0, which does not show keywords to hooks."""

    def __init__(self, module, see):
        # Trainers ask for the signature of a model, which inspect follows by this name.
        self.module, self.see, self.__wrapped__ = module, see, module.forward
        module.forward = self

    def __call__(self, *inputs, **keywords):
        self.see(self.module, inputs, keywords)
        return self.__wrapped__(*inputs, **keywords)

    def __reduce__(self):
        return getattr, (self.module, "forward")

    def remove(self):
        self.module.forward = self.__wrapped__


class Recorder:
    """Writes a line for every step of a model.

    layers: the name of the list that holds them, or a list of the names of layers; None: find them.
    every: steps between two lines; those between cost next to nothing.  append: go on behind what the
    file has, so that a run which is started again is seen to begin again; False writes the file anew.
    updates: keep a copy of the trained weights, to measure updates.
    """

    file = None  # a copy of a recorder records nothing

    def __init__(self, model, path, layers=None, every=1, append=True, updates=True):
        self.model, self.every, self.at, self.rate, self.updates = model, max(1, int(every)), 0, None, updates
        self.said, self.hooks, self.before, self.torn = set(), [], None, False
        self.plan, self.tables, self.known, self.layouts = [], [], None, {}
        self.stacks = self._stacks(layers)
        self.layers = [layer for stack in self.stacks for layer in stack]
        with self._harmless("The file cannot be opened"):
            if append and os.path.isfile(path):
                self._mend(path)
            self.file = open(path, "ab" if append else "wb", buffering=0)
        with self._harmless("The hidden states cannot be observed"):
            self._observe()
        self._begin()

    def __reduce__(self):
        return object.__new__, (Recorder,)

    def _say(self, what, why=""):
        if what not in self.said:
            self.said.add(what)
            print(f"normscope_recorder: {what}{why and ': '}{why}", file=sys.stderr, flush=True)

    @contextlib.contextmanager
    def _harmless(self, what):
        """Training goes on, whatever happens to its record."""
        try:
            yield
        except Exception as wrong:  # pylint: disable=broad-except
            self._say(what, f"{type(wrong).__name__}: {wrong}; training goes on")

    def _mend(self, path):
        """Removes what a run that was killed wrote of its last line."""
        with open(path, "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            begin = file.seek(max(0, size - (16 << 20)))
            *before, last = file.read().rsplit(b"\n", 1)
            self.torn = last != b""
            with contextlib.suppress(ValueError):
                return json.loads(last or "0")
            if before or begin == 0:
                file.truncate(size - len(last))
                self.torn = False
                self._say(f"The last line of {path} was incomplete and is removed.")

    def _stacks(self, layers):
        modules = dict(self.model.named_modules())
        modules.update({_WRAPPERS.sub("", name + ".")[:-1]: modules[name] for name in modules if name})
        for name in () if layers is None else [layers] if isinstance(layers, str) else layers:
            if name not in modules:
                lists = [name for name in modules if isinstance(modules[name], torch.nn.ModuleList)]
                raise ValueError(f"This model has no module “{name}”; its lists are: {', '.join(lists)}.")
        if isinstance(layers, str):
            return [list(modules[layers].children())]
        if layers is not None:
            return [[modules[name] for name in layers]]
        try:
            return find_layers(self.model)
        except ValueError as wrong:
            self._say(f"{wrong}  The norm of the whole gradient is recorded.")
            return []

    # ---- Hidden states ----

    def _observe(self):
        """Places the hooks that see hidden states, and those that see where a forward pass begins and ends."""
        known = "with_kwargs" in inspect.signature(torch.nn.Module.register_forward_pre_hook).parameters

        def before(module, method, *arguments):
            hook = _Hook(method, *arguments)
            self.hooks.append(module.register_forward_pre_hook(hook, with_kwargs=True) if known else
                              _Forward(module, hook))

        def after(module, method, *arguments):
            self.hooks.append(module.register_forward_hook(_Hook(method, *arguments)))

        self.places, self.final = 0, None
        for stack in self.stacks:
            for i, layer in enumerate(stack):
                if isinstance(layer, torch.nn.ModuleList):
                    self._say("The layers are lists, which PyTorch does not call: a hidden state is what the "
                              "first module of the next layer takes, and the last one is not measured.")
                    before(next(layer.children()), self._see_input, self.places + i)
                    continue
                if i == 0:
                    before(layer, self._see_input, self.places)
                after(layer, self._see_output, self.places + i + 1)
            self.places += len(stack) + 1
        names = {id(module): name for name, module in self.model.named_modules()}
        inside = {id(module) for layer in self.layers for module in layer.modules()}
        for name, module in self.model.named_modules():
            above = name + "." if name else ""
            if id(module) in inside:
                continue
            if any(names[id(layer)].startswith(above) for layer in self.layers):
                level = above.count(".")
                before(module, self._enter, module, level)
                after(module, self._leave, level)
            elif hasattr(module, "weight") and _outer_role_of(name + ".weight", module) == "final_norm_gain":
                self.final = module  # the decoder's, if the encoder has one as well
        if self.final is not None:
            after(self.final, self._see_output, "final")

    def _begin(self):
        """Forgets the hidden states of the last step."""
        # The outermost module that is called makes the passes; what is called in a backward pass is not one.
        self.level, self.watching, self.mode, self.unseen = math.inf, False, True, set()
        self.states, self.last, self.started = {True: {}, False: {}}, lambda: None, time.perf_counter()

    def _due(self):
        return self.file is not None and self.at % self.every == 0 and torch.is_grad_enabled()

    def _enter(self, module, level, *_inputs):
        if level <= self.level:
            self.watching = self._due()
            if self.watching:
                self.level, self.mode, self.unseen = level, module.training, set(range(self.places))

    def _leave(self, level, *_values):
        if level == self.level:
            self.watching = False

    def _see_input(self, place, inputs, keywords):
        """Layers that are used again take the output of a layer: only the first input of a pass counts."""
        state = _state_of(inputs or keywords)
        if self.level == math.inf and state is not self.last() or place in self.unseen:
            self.unseen.discard(place)
            self._see(place, state)

    def _see_output(self, place, _inputs, output):
        state = _state_of(output)
        self._see(place, state)
        if self.level == math.inf and state is not None:
            self.last = weakref.ref(state)

    def _see(self, place, state):
        if state is None or not (self._due() if self.level == math.inf else self.watching) or not state.numel():
            return
        with self._harmless("A hidden state cannot be measured"):
            state = _single(state.detach())
            norms, (low, high) = torch.linalg.vector_norm(state, dim=-1), torch.aminmax(state)
            total, count, known = norms.sum(), norms.numel(), self.states[self.mode].get(place)
            if known:
                total, high, low = known[0] + total, torch.maximum(known[1], high), torch.minimum(known[2], low)
                count += known[3]
            self.states[self.mode][place] = total, high, low, count

    # ---- A step ----

    @torch.no_grad()
    def step(self, loss, step=None, lr=None, optimizer=None, **more):
        """After backward and before the optimizer's step; gradients that were scaled must be unscaled.

        step: its number, if they are not counted from 0; lr: the rate of the update that comes, or the
        optimizer to read it from; more: numbers, or lists with one number a layer, by their names.
        """
        if self.file is None:
            return
        now, rate, due, self.rate = time.perf_counter(), self.rate, self.at % self.every == 0, None
        with self._harmless("The learning rate or the step is no number"):
            self.at = self.at if step is None else int(step)
            lr = lr if lr is not None else optimizer.param_groups[0]["lr"] if optimizer else None
            self.rate = None if lr is None else float(lr)
        at, self.at, self.weights, self.compared, plan = self.at, self.at + 1, None, False, []
        remembers = self.updates and self.at % self.every == 0
        with self._harmless("The parameters are not known"):
            plan = self._plan() if due or remembers else []
        if due:
            record = {"step": at, "loss": None, "lr": rate, "seconds": now - self.started}
            if rate is None:
                del record["lr"]
            self._measure(record, loss, at, plan)
            for name, value in more.items():
                with self._harmless(f"The value of {name} is left out"):
                    if name in record:
                        raise ValueError("the recorder has one of this name")
                    record[name] = _plain(value)
            with self._harmless("A line cannot be written, and later ones are tried again"):
                line = b"\n" * self.torn + _line(record).encode() + b"\n"
                self.torn = True
                if self.file.write(line) < len(line):
                    raise OSError("only a part of it was written")
                self.torn = False
        if remembers:
            with self._harmless("The updates cannot be measured"):
                self._remember(at, plan)
        if due:
            self._begin()

    def _plan(self):
        """Which parameters there are: [(parameter, [(role, layer), ...], function that cuts it into its roles)]."""
        if [value for table in self.tables for value in map(id, table.values())] != self.known:
            self.tables = [table for module in self.model.modules() for table in (module._parameters, module._modules)]
            self.known = [value for table in self.tables for value in map(id, table.values())]
            self.layouts = {}
            self.plan, plan, seen = [], [], set()  # it stays empty if this fails
            for i, layer in enumerate(self.layers):
                names = [_WRAPPERS.sub("", name) for name, _ in layer.named_parameters()]
                for (raw, parameter), name in zip(layer.named_parameters(), names):
                    if id(parameter) in seen:
                        continue
                    seen.add(id(parameter))
                    role, chain = _role_of(name, names), [self.model, layer]
                    for word in raw.split(".")[:-1]:
                        chain.append(getattr(chain[-1], word))
                    fused = re.fullmatch(r"((?:cross_)?[wb])(qkv|kv|13)", role)
                    cut = fused and _cut_of(parameter, role, name, chain)
                    roles = [fused[1] + x for x in fused[2]] if cut else [role]
                    plan.append((parameter, [(role, i) for role in roles], cut))
            inner = {role for _, own, _ in plan for role, _ in own}
            modules = dict(self.model.named_modules())
            for name, parameter in self.model.named_parameters():
                if id(parameter) not in seen:
                    role = _outer_role_of(name, modules[name.rpartition(".")[0]])
                    plan.append((parameter, [(None if role in inner else role, None)], None))
            if any(type(module).__name__.startswith(("FSDP", "FullyShardedDataParallel"))
                   for module in self.model.modules()):
                self._say("The parameters are sharded, so gradients, weights and updates are not measured.")
            else:
                self.plan = plan
        # Layers may be frozen, and unfrozen, at any time.
        return [entry for entry in self.plan if entry[0].requires_grad]

    def _remember(self, at, plan):
        """Copies the weights before the optimizer's step, where they were not compared with those before."""
        weights = [parameter for parameter, _, _ in plan]
        if not self.compared:
            copies = [parameter.detach().clone() for parameter in weights]
            self.before = at, weights, copies, self.weights or _norms(plan, weights)

    def _compare(self, at, plan):
        """Norms of the weights, and of the updates since the last step, whose weights are replaced by these."""
        weights, (_, before, copies, norms) = [parameter for parameter, _, _ in plan], self.before or 4 * (None,)
        moved = self.before and self.before[0] == at - 1 and list(map(id, before)) == list(map(id, weights))
        owners, sizes, changes, begin, numbers = [], [], [], 0, 0
        self.before = None if moved else self.before  # unless all of it succeeds
        for end, parameter in enumerate(weights, 1):
            # A processor has in its caches what it has read of a part.
            numbers += parameter.numel()
            if end < len(weights) and (numbers < PART or parameter.device.type != "cpu"):
                continue
            own, part = weights[begin:end], plan[begin:end]
            if moved:
                old = copies[begin:end]
                torch._foreach_sub_(old, own)
                changes += _norms(part, old)[1]
                for copy, parameter in zip(old, own):
                    copy.copy_(parameter)
            for gathered, some in zip((owners, sizes), _norms(part, own)):
                gathered += some
            begin, numbers = end, 0
        self.weights, self.compared = (owners, sizes), bool(moved)
        if not moved:
            return {"weight": self.weights}
        self.before = at, weights, copies, self.weights
        return {"weight": self.weights, "update": (owners, changes), "before": norms}

    def _measure(self, record, loss, at, plan):
        groups = {}
        with self._harmless("The gradients cannot be measured"):
            groups["grad"] = _norms(plan, [parameter.grad for parameter, _, _ in plan])
        with self._harmless("The weights cannot be measured"):
            groups.update(self._compare(at, plan))
        with self._harmless("The loss is no number"):
            if torch.is_tensor(loss):
                groups["loss"] = ["loss"], [_single(loss.detach()).mean() if loss.dim() else _single(loss.detach())]
            else:
                record["loss"] = float(loss)
        states = self.states[True] or self.states[False]
        for i, name in enumerate(("hidden", "high", "low")):
            groups[name] = list(states), [state[i] for state in states.values()]
        with self._harmless("The measured values cannot be read"):
            # All leave the device at once.
            scalars = [scalar for _, group in groups.values() for scalar in group]
            if len({scalar.device for scalar in scalars}) > 1:
                scalars = [scalar.to(scalars[0].device) for scalar in scalars]
            read = iter(torch.stack(scalars).tolist() if scalars else [])
            groups = {name: (owners, [next(read) for _ in group]) for name, (owners, group) in groups.items()}
            if "loss" in groups:
                record["loss"] = groups["loss"][1][0]
            self._fill(record, groups)
            hidden = {place: value / states[place][3] for place, value in zip(*groups["hidden"])}
            largest = {place: max(high, -low) for place, high, low in zip(*groups["high"], groups["low"][1])}
            if self.stacks and not hidden:
                self._say("No hidden states were seen in a step: the layers were not called, or the model was "
                          "compiled and called before the recorder was made.")
            if hidden:
                record["hidden_norm"] = [hidden.get(i) for i in range(self.places)]
                record["hidden_max"] = [largest.get(i) for i in range(self.places)]
            if "final" in hidden:
                record["final_hidden_norm"] = hidden["final"]

    def _layout(self, owners):
        key = tuple(owners)
        if key not in self.layouts:
            # Experts may have gradients in some steps only.
            self.layouts = {} if len(self.layouts) > 99 else self.layouts
            self.layouts[key] = _Layout(owners, len(self.layers))
        return self.layouts[key]

    def _fill(self, record, groups):
        """Puts gradients, weights and updates by role and layer into the record."""
        gradients, none = {"total": None}, ((), ())
        record["grad_norm"], record["grad_layer"] = gradients, [None] * len(self.layers)
        owners, norms = groups.get("grad", none)
        if owners:
            layout = self._layout(owners)
            layout.put(gradients, "", layout.sums(norms))
            record["grad_layer"] = gradients.pop("", record["grad_layer"])
        owners, norms = groups.get("weight", none)
        if not owners:
            return
        layout = self._layout(owners)
        weight = layout.sums(norms)
        layout.put(record, "weight_norm_", weight)
        if "update" in groups and groups["before"][0] == owners:
            update, before = (layout.sums(groups[name][1]) for name in ("update", "before"))
            layout.put(record, "update_norm_", update)
            layout.put(record, "update_ratio_", [moved / a if a else None for moved, a in zip(update, before)])
            layout.put(record, "update_angle_", map(_angle, before, weight, update))

    def close(self):
        for hook in self.hooks:
            hook.remove()
        self.hooks = []
        if self.file is not None:
            with self._harmless("The file cannot be closed"):
                self.file.close()
            self.file = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
