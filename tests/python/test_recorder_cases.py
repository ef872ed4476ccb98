#!/usr/bin/env python3
"""What the recorder for PyTorch measures, against plain loops written by hand; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_recorder_cases.py
"""

import contextlib
import copy
import functools
import inspect
import io
import json
import math
import os
import sys
import tempfile
import types
import warnings

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
    from torch.utils.checkpoint import checkpoint
except ImportError:
    print("1..0 # SKIP PyTorch (python3-torch) is not installed")
    sys.exit(0)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../resources/python"))

import recorder_models as models  # noqa: E402
from recorder_models import (B, D, L, T, V, Gpt2, Llama, Model, NeoX, gpt2_roles, llama_roles,  # noqa: E402
                             neox_roles, whole)
from normscope_recorder import Recorder, find_layers  # noqa: E402

STEPS = 3
NEW = "with_kwargs" in nn.Module.register_forward_pre_hook.__code__.co_varnames  # PyTorch 2


# ---- The plain loops ----


def norm_of(pieces, get):
    """Of the parts of some parameters that are trained; None if no part has a value."""
    squares = [(cut(get(p)).double() ** 2).sum().item() for p, cut in pieces if p.requires_grad and get(p) is not None]
    return sum(squares) ** 0.5 if squares else None


def angle_of(pieces, before, after):
    if not norm_of(pieces, before) or not norm_of(pieces, after):
        return None
    a, b = (torch.cat([cut(get(p)).double().flatten() for p, cut in pieces if p.requires_grad])
            for get in (before, after))
    a, b = a / a.norm(), b / b.norm()
    return 2 * math.atan2((a - b).norm().item(), (a + b).norm().item())


def same(got, want, what, relative=2e-6, absolute=1e-9):
    if isinstance(want, list):
        assert isinstance(got, list) and len(got) == len(want), f"{what}: {got} and {want}"
        for i, (a, b) in enumerate(zip(got, want)):
            same(a, b, f"{what}, layer {i}", relative, absolute)
        return
    assert (got is None) == (want is None), f"{what}: {got} and {want}"
    assert want is None or math.isclose(got, want, rel_tol=relative, abs_tol=absolute), f"{what}: {got} and {want}"


def compare(line, roles, outer, before, inner):
    """A line against loops over gradients and weights.  roles: {role: pieces} of every layer; before: the
    weights before the update that led to the step, or None; inner: the model without wrappers."""
    every = [(p, lambda t: t) for p in inner.parameters()]
    gradient, weight = (lambda p: p.grad), (lambda p: p.detach())
    update = before and (lambda p: p.detach() - before[id(p)])
    same(line["grad_norm"].pop("total"), norm_of(every, gradient), "total")
    same(line["grad_layer"], [norm_of(sum(layer.values(), []), gradient) for layer in roles], "grad_layer")
    rows = {role: [layer.get(role, []) for layer in roles] for layer in roles for role in layer}
    rows[""] = [sum(layer.values(), []) for layer in roles]
    single = {role: [(p, lambda t: t) for p in (tensors if isinstance(tensors, list) else [tensors])]
              for role, tensors in outer.items()}
    trained = {role for role, pieces in single.items() if norm_of(pieces, gradient) is not None}
    trained |= {role for role in rows if role and any(norm_of(p, gradient) is not None for p in rows[role])}
    assert set(line["grad_norm"]) == trained, set(line["grad_norm"]) ^ trained
    for role, pieces in {**single, **rows}.items():
        def each(measure, pieces=pieces, role=role):
            return [measure(p) for p in pieces] if role in rows else measure(pieces)

        def get(name, role=role):
            value = line.get(name + (role and "_" + role))
            return value if value is not None or role not in rows else [None] * len(roles)
        if role:
            same(line["grad_norm"].get(role, [None] * len(roles) if role in rows else None),
                 each(lambda p: norm_of(p, gradient)), role)
        same(get("weight_norm"), each(lambda p: norm_of(p, weight)), "weight norm " + role)
        if not before:
            assert not any(name.startswith("update") for name in line), list(line)
            continue

        def ratio(p):
            old = norm_of(p, lambda one: before[id(one)])
            return norm_of(p, update) / old if old else None
        # The difference of two weights has the rounding of the weights.
        same(get("update_norm"), each(lambda p: norm_of(p, update)), "update norm " + role, 1e-4)
        same(get("update_ratio"), each(ratio), "update ratio " + role, 1e-4)
        same(get("update_angle"), each(lambda p: angle_of(p, lambda one: before[id(one)], weight)),
             "update angle " + role, 2e-3, 2e-6)


def hidden_of(passes):
    """Mean norm and largest absolute value of every state, over the tokens of all passes."""
    states = [torch.cat([x.reshape(-1, x.shape[-1]) for x in same_place]).double() for same_place in zip(*passes)]
    return [x.norm(dim=-1).mean().item() for x in states], [x.abs().max().item() for x in states]


@contextlib.contextmanager
def recording(model, **options):
    """The recorder, a function that returns the lines of its file, and what it wrote to stderr."""
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(said):
        path = os.path.join(folder, "a.jsonl")

        def lines():
            with open(path, encoding="utf-8") as file:
                return [json.loads(line) for line in file]
        with Recorder(model, path, **options) as recorder:
            yield recorder, lines, said


def tokens_of(seed):
    return torch.randint(V, (B, T), generator=torch.Generator().manual_seed(seed))


def loss_of(model, seed=0):
    tokens = tokens_of(seed)
    return F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())


def check(inner, roles_of, blocks, model=None, micro=1, loss=loss_of, hidden=2e-6, **options):
    """Trains, and compares every line with plain loops."""
    model, before = model or inner, None
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    with recording(model, **options) as (recorder, lines, said):
        for step in range(STEPS):
            for i in range(micro):
                value = loss(model, 10 * step + i)
                (value / micro).backward()
            recorder.step(value, optimizer=optimizer)
            line = lines()[-1]
            assert line["step"] == step and math.isclose(line["loss"], value.item(), rel_tol=1e-5)
            compare(line, [roles_of(layer) for layer in blocks], inner.outer(), before, inner)
            norms, largest = hidden_of(inner.seen)
            same(line["hidden_norm"], norms, "hidden norm", hidden)
            same(line["hidden_max"], largest, "largest hidden value", hidden)
            inner.seen.clear()
            before = {id(p): p.detach().clone() for p in inner.parameters()}
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            with torch.no_grad():
                model(torch.zeros(B, T, dtype=torch.long))  # not measured
        assert len(lines()) == STEPS and not said.getvalue(), said.getvalue()


def model_of(block, **options):
    torch.manual_seed(1)
    return Model(block, **options)


# ---- Every family ----


def family(block, roles):
    model = model_of(block)
    check(model, roles, model.h)


def test_transformer():
    torch.manual_seed(1)
    model = models.Stock()

    def loss(_model, seed):
        tokens = tokens_of(seed)
        model.remember(tokens)
        return F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
    check(model, models.stock_roles, [*model.stack.encoder.layers, *model.stack.decoder.layers], loss=loss)


def test_gpt2():
    family(Gpt2, gpt2_roles)


def test_llama_with_grouped_queries():
    family(Llama, llama_roles)


def test_heads_that_are_modules():
    family(models.Lecture, models.lecture_roles)


def test_fused_grouped_queries():
    family(models.Phi3, models.phi3_roles)


def test_neox_heads():
    family(NeoX, neox_roles)


def test_neox_without_heads():
    """Nobody knows how it is cut: one joined name."""
    def roles(block):
        rows = neox_roles(block)
        qkv = block.attention.query_key_value
        rows = {role: pieces for role, pieces in rows.items() if role not in ("wq", "wk", "wv", "bq", "bk", "bv")}
        return {**rows, **whole({"wqkv": qkv.weight, "bqkv": qkv.bias})}
    family(lambda: NeoX(None), roles)


def test_experts():
    family(models.Mixtral, models.mixtral_roles)


def test_lora():
    family(models.LoraLlama, models.lora_roles)


def test_shared_layers():
    torch.manual_seed(1)
    for wrap in (None, lambda layer: functools.partial(checkpoint, layer, use_reentrant=True),
                 lambda layer: functools.partial(checkpoint, layer, use_reentrant=False)):
        model = models.Albert()
        model.wrap = wrap
        check(model, models.albert_roles, model.albert_layer_groups)


# ---- Every way to train ----


def test_checkpointing():
    for reentrant in (True, False):
        def wrap(layer, reentrant=reentrant):
            return functools.partial(checkpoint, layer, use_reentrant=reentrant)
        model = model_of(Gpt2, wrap=wrap)
        check(model, gpt2_roles, model.h)


def test_accumulation():
    model = model_of(Llama)
    check(model, llama_roles, model.h, micro=3)


def test_keywords():
    model = model_of(Llama, keywords=True)
    check(model, llama_roles, model.h)


def test_prefixes():
    class Wrapper(nn.Module):
        def __init__(self, name, module):
            super().__init__()
            setattr(self, name, module)
            self.name = name

        def forward(self, tokens):
            return getattr(self, self.name)(tokens)

    for layers in (None, "h"):
        model = model_of(NeoX)
        check(model, neox_roles, model.h, Wrapper("module", Wrapper("_orig_mod", model)), layers=layers)


def test_data_parallel():
    if not torch.distributed.is_available():
        return
    with tempfile.TemporaryDirectory() as folder:
        torch.distributed.init_process_group("gloo", init_method="file://" + folder + "/d", rank=0, world_size=1)
        try:
            model = model_of(Gpt2)
            check(model, gpt2_roles, model.h, nn.parallel.DistributedDataParallel(model), layers="h")
        finally:
            torch.distributed.destroy_process_group()


def test_sharded():
    """Of sharded parameters a process has a part, so that their norms are absent; hidden states are there."""
    class FullyShardedDataParallel(nn.Module):
        """As PyTorch's: the layer's parameters are views of a flat one while it is called."""

        def __init__(self, layer):
            super().__init__()
            self._fsdp_wrapped_module = layer
            self.places = [(layer.get_submodule(name.rpartition(".")[0]), name.rpartition(".")[2], p.shape)
                           for name, p in layer.named_parameters()]
            self._flat_param = nn.Parameter(torch.cat([p.detach().flatten() for p in layer.parameters()]))
            for module, name, _ in self.places:
                delattr(module, name)

        def forward(self, *inputs):
            parts = self._flat_param.split([shape.numel() for _, _, shape in self.places])
            for (module, name, shape), part in zip(self.places, parts):
                setattr(module, name, part.view(shape))
            return self._fsdp_wrapped_module(*inputs)

    model = model_of(Gpt2)
    model.h = nn.ModuleList(map(FullyShardedDataParallel, model.h))
    with recording(model) as (recorder, lines, said):
        loss = loss_of(model)
        loss.backward()
        recorder.step(loss)
        same(lines()[-1]["hidden_norm"], hidden_of(model.seen)[0], "hidden norm")
        assert lines()[-1]["grad_norm"] == {"total": None} and "weight_norm" not in lines()[-1], lines()
        once(said, "The parameters are sharded")


def test_autocast():
    """Gradients stay in single precision; hidden states have those of the pass."""
    def loss(model, seed):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return loss_of(model, seed)
    model = model_of(Gpt2)
    check(model, gpt2_roles, model.h, loss=loss, hidden=1e-5)


def test_half_precision():
    model = model_of(Llama).bfloat16()
    with recording(model) as (recorder, lines, _):
        loss = loss_of(model)
        loss.backward()
        recorder.step(loss)
        compare(lines()[-1], [llama_roles(layer) for layer in model.h], model.outer(), None, model)
        same(lines()[-1]["hidden_norm"], hidden_of(model.seen)[0], "hidden norm")


def test_frozen_and_unfrozen_layers():
    model = model_of(Gpt2)
    with recording(model) as (recorder, lines, _):
        for step in range(4):
            frozen = step < 2 or step == 3
            model.h[1].requires_grad_(not frozen)
            model.zero_grad(set_to_none=True)
            loss = loss_of(model, step)
            loss.backward()
            recorder.step(loss)
            line = lines()[-1]
            rows = [line["grad_layer"], line["weight_norm"],
                    *(values for values in line["grad_norm"].values() if isinstance(values, list))]
            assert all((values[1] is None) == frozen and values[0] is not None for values in rows), rows
            # After a change, nobody knows the weights before the update.
            same_set = step == 1
            assert ("update_norm" in line) == same_set and (not same_set or line["update_norm"][1] is None)
            before = {id(p): p.detach() for p in model.parameters()} if same_set else None
            compare(line, [gpt2_roles(layer) for layer in model.h], model.outer(), before, model)


def test_parameters_that_come_later():
    """Adapters that are added while it records."""
    model = model_of(Llama)
    with recording(model) as (recorder, lines, _):
        for step in range(2):
            if step == 1:
                for layer in model.h:
                    layer.requires_grad_(False)
                    layer.self_attn.q_proj = models.Lora()
            loss = loss_of(model)
            loss.backward()
            recorder.step(loss)
            model.seen.clear()
        model.zero_grad(set_to_none=True)
        loss_of(model).backward()
        recorder.step(1.0)
        compare(lines()[-1], [models.lora_roles(layer) for layer in model.h], model.outer(),
                {id(p): p.detach() for p in model.parameters()}, model)


def test_now_and_then():
    """Every third step, with the update of the step before it alone."""
    model, before = model_of(Llama), None
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    with recording(model, every=3) as (recorder, lines, _):
        for step in range(7):
            model.seen.clear()
            loss = loss_of(model, step)
            loss.backward()
            recorder.step(loss, optimizer=optimizer)
            if step % 3 == 0:
                compare(lines()[-1], [llama_roles(layer) for layer in model.h], model.outer(), before, model)
                same(lines()[-1]["hidden_norm"], hidden_of(model.seen)[0], "hidden norm")
            before = {id(p): p.detach().clone() for p in model.parameters()}
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        assert [line["step"] for line in lines()] == [0, 3, 6]


def test_steps_left_out():
    """The update between two calls that are several steps apart is not that of one step."""
    model = model_of(Llama)
    with recording(model) as (recorder, lines, _):
        for step in (3, 4, 9):
            loss = loss_of(model, step)
            loss.backward()
            recorder.step(loss, step=step)
        assert [("update_norm" in line) for line in lines()] == [False, True, False]


# ---- What must not be measured, and what must go on ----


def test_copies():
    model = model_of(Gpt2)
    with recording(model) as (recorder, lines, said):
        average = torch.optim.swa_utils.AveragedModel(model)
        file = io.BytesIO()
        torch.save(model, file)
        file.seek(0)
        saved = torch.load(file, **({"weights_only": False} if NEW else {}))
        loss = loss_of(model)
        loss.backward()
        for other in (average, copy.deepcopy(model), saved):
            with torch.no_grad():
                for parameter in other.parameters():
                    parameter.mul_(100)
            loss_of(other)
        model.eval()
        loss_of(model, 5)  # an evaluation that keeps gradients on
        model.train()
        recorder.step(loss)
        same(lines()[-1]["hidden_norm"], hidden_of(model.seen[:1])[0], "hidden norm")
        assert not said.getvalue(), said.getvalue()


def test_copy_with_its_recorder():
    model = model_of(Gpt2)
    with recording(model) as (model.recorder, lines, said):
        other = copy.deepcopy(model)
        loss = loss_of(other)
        other.recorder.step(loss)
        assert not lines() and not said.getvalue()


def test_evaluation_mode():
    """A model that is trained in evaluation mode is measured all the same."""
    model = model_of(Gpt2).eval()
    with recording(model) as (recorder, lines, _):
        loss = loss_of(model)
        loss.backward()
        recorder.step(loss)
        assert None not in lines()[-1]["hidden_norm"]


def test_no_call_of_the_model():
    """Its layers are called one by one, as in a loss that a script writes by hand."""
    model, albert = model_of(Gpt2), models.Albert()
    for one, layers in ((model, model.h), (albert, [albert.albert_layer_groups[0]] * 4)):
        with recording(one) as (recorder, lines, _):
            x = first = one.wte(torch.zeros(B, T, dtype=torch.long))
            for layer in layers:
                x = layer(x)[0]
            x.sum().backward()
            recorder.step(0.0)
            same(lines()[-1]["hidden_norm"][0], first.norm(dim=-1).mean().item(), "embedding")


def test_pass_through_a_wrapper():
    """A module that holds the model is called for a prediction, and in a step the model itself."""
    model, wrapper = model_of(Gpt2), nn.Module()
    wrapper.model, wrapper.forward = model, model.__call__
    check(model, gpt2_roles, model.h, wrapper, loss=lambda _, seed: loss_of(model, seed))


def test_signature():
    """Trainers read the signature of a model to know which columns it takes."""
    model = model_of(Llama)
    for module in (model, model.h[0]):
        signature = inspect.signature(module.forward)
        with recording(model):
            assert inspect.signature(module.forward) == signature, inspect.signature(module.forward)
        assert inspect.signature(module.forward) == signature


def test_complex_gradients():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.gain, self.map = nn.Parameter(torch.randn(D, dtype=torch.cfloat)), nn.Linear(D, D)

        def forward(self, x):
            return x + self.map(torch.view_as_real(x * self.gain).sum(-1))
    model = model_of(Block)
    with recording(model) as (recorder, lines, _):
        loss_of(model).backward()
        recorder.step(1.0)
        same(lines()[-1]["grad_norm"]["gain"], [layer.gain.grad.abs().norm().item() for layer in model.h], "complex")


def once(said, *words):
    text = said.getvalue()
    assert len(text.splitlines()) == len(words), text
    for word in words:
        assert word in text, text


def test_full_disk():
    model, said = model_of(Gpt2), io.StringIO()
    with contextlib.redirect_stderr(said), Recorder(model, "/dev/full") as recorder:
        for _ in range(3):
            recorder.step(loss_of(model))
    once(said, "No space left on device")
    said = io.StringIO()
    with contextlib.redirect_stderr(said), Recorder(model, "/nowhere/at/all/a.jsonl") as recorder:
        for _ in range(3):
            recorder.step(loss_of(model))
    once(said, "No such file")


def test_line_that_was_cut():
    """After a part of a line the next begins a line of its own; what a killed run left is removed."""
    model = model_of(Gpt2)
    with recording(model) as (recorder, lines, said):
        file = recorder.file
        recorder.file = types.SimpleNamespace(write=lambda line: file.write(line[:20]), close=file.close)
        recorder.step(1.0)
        recorder.file = file
        recorder.step(2.0)
        with open(file.name, encoding="utf-8") as text:
            assert [line[:9] for line in text] == ['{"step": ', '{"step": ']
        once(said, "only a part", "No hidden states")
    for left, kept in (('{"step": 0, "loss": 2}\n{"step": 1, "lo', 1), ('{"step": 0, "loss": 2}', 1), ('{"st', 0)):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said:
            path = os.path.join(folder, "a.jsonl")
            with open(path, "w", encoding="utf-8") as text:
                text.write(left)
            with Recorder(model, path) as recorder:
                recorder.step(1.0, step=1)
            with open(path, encoding="utf-8") as text:
                assert [json.loads(line)["step"] for line in text] == [0] * kept + [1], left


def test_values_that_are_no_numbers():
    model = model_of(Gpt2)
    with recording(model) as (recorder, lines, said):
        for _ in range(2):
            loss_of(model).backward()
            recorder.step("much", mine="a lot", grad_norm=3.0, ok=torch.ones(2), also=[torch.tensor(2.0), 1])
        line = lines()[-1]
        assert line["loss"] is None and line["ok"] == [1, 1] and line["also"] == [2, 1] and "mine" not in line
        assert isinstance(line["grad_norm"], dict) and line["grad_norm"]["wq"][0] > 0
        once(said, "The loss is no number", "mine", "grad_norm")
    with recording(model) as (recorder, lines, said):
        for rate in ("fast", [0.1], 0.2):
            recorder.step(torch.tensor([1.0, 3.0]), lr=rate)
            assert lines()[-1]["loss"] == 2 and "lr" not in lines()[-1]


def test_broken_gradients():
    """Infinite ones are recorded as such; one that cannot be measured does not end the training."""
    model = model_of(Gpt2)
    with recording(model) as (recorder, lines, said):
        loss_of(model).backward()
        model.h[0].ln_1.weight.grad[:] = math.inf
        recorder.step(1.0)
        assert lines()[-1]["grad_layer"][0] == math.inf and lines()[-1]["grad_layer"][1] < math.inf
        recorder._plan = lambda: 1 / 0
        for _ in range(2):
            recorder.step(1.0)
        assert lines()[-1]["loss"] == 1 and lines()[-1]["grad_norm"]["total"] is None, lines()[-1]
        once(said, "The parameters are not known", "No hidden states")
    model = model_of(Gpt2)
    with recording(model) as (recorder, lines, _):
        recorder.step(1.0)
        assert lines()[-1]["grad_norm"] == {"total": None} and lines()[-1]["grad_layer"] == [None] * L


def test_unknown_model():
    model = nn.Sequential(nn.Linear(D, D), nn.Linear(D, V))
    with recording(model) as (recorder, lines, said):
        for _ in range(2):
            loss = model(torch.randn(B, D)).sum()
            model.zero_grad()
            loss.backward()
            recorder.step(loss)
        line = lines()[-1]
        same(line["grad_norm"]["total"], norm_of([(p, lambda t: t) for p in model.parameters()],
                                                 lambda p: p.grad), "total")
        assert line["grad_layer"] == [] and "hidden_norm" not in line
        once(said, "The layers of this model are not found")
    try:
        Recorder(model_of(Gpt2), os.devnull, layers="blocks")
        raise AssertionError("a name that does not exist is taken")
    except ValueError as wrong:
        assert "no module “blocks”; its lists are: h" in str(wrong), wrong


def test_numbered_layers():
    """Layers in a dictionary by their numbers are a stack; modules by their names are not."""
    model = model_of(Gpt2)
    blocks = list(model.h)
    model.h = nn.ModuleDict({str(i): block for i, block in enumerate(blocks)})
    assert find_layers(model) == [blocks]
    model.h = nn.ModuleDict({"abc"[i]: block for i, block in enumerate(blocks)})
    try:
        raise AssertionError(find_layers(model))
    except ValueError as wrong:
        assert "are not found" in str(wrong), wrong


def test_compiled():
    """A model that was called before calls no hooks, which is said and not guessed."""
    if not NEW:
        return
    model = model_of(Llama)
    check(model, llama_roles, model.h, torch.compile(model, backend="eager"), layers="h")


def main():
    tests = [(name[5:].replace("_", " "), test) for name, test in globals().items() if name.startswith("test_")]
    tests = [(name, test) for name, test in tests if not sys.argv[1:] or any(word in name for word in sys.argv[1:])]
    print(f"1..{len(tests)}", flush=True)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for number, (name, test) in enumerate(tests, start=1):
        try:
            test()
            print(f"ok {number} {name}", flush=True)
        except Exception as wrong:  # pylint: disable=broad-except
            print(f"not ok {number} {name}\n# {type(wrong).__name__}: {str(wrong)[:600]}", flush=True)


if __name__ == "__main__":
    main()
