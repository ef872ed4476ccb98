#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the reference values that test_reference.c compares the core with.

start.safetensors holds the weights and the batches of all cases: weights that single precision
holds exactly, with gains, biases and all norms away from their usual start.  A model takes of each
stored tensor as many elements as its own has.  ARCH.safetensors holds the cases of one
architecture; a case NAME is

    metadata  NAME/settings     of the model
              NAME/names        its tensors, in the order of the rows of the signatures
              NAME/single       how far PyTorch is off in single precision: the largest relative
                                error of a gradient, where that is above 1e-5
    tensors   NAME/loss         [1]
              NAME/gradients    [tensors, 3] a signature of each gradient
              NAME/grad.TENSOR  the whole gradient, for some cases
    and for those that also take steps on the same batch
    metadata  NAME/steps
    tensors   NAME/after        [tensors, 3] a signature of each weight after the steps
              NAME/after.loss   [1]

The signature of a tensor is its norm and its sums with the weights cos(0.7 i + 0.3) and
cos(1.9 i + 1.1) over its elements i.

    make_fixtures.py [FOLDER]
"""

import pathlib
import sys
import zlib

import numpy as np

from optimizers import OPTIMIZERS, learning_rate
from placements import PLACEMENTS, QK_NORM, RMSNORM, placement_of
from tensors import write_safetensors
from transformer import Weights, as_leaves, loss_and_gradients, run_model

LAYERS, WIDTH, HEADS, FFN, VOCAB, LENGTH, SOURCE, BATCH = 2, 8, 2, 12, 11, 6, 5, 3
LENGTHS, SOURCE_LENGTHS = (6, 4, 5), (3, 5, 1)
STEPS = 10
ARCHITECTURES = ("decoder", "encoder", "encoder-decoder")
NORMS = ("rmsnorm", "batchnorm", "scalenorm", "dyt", "none")

ADAM = "lr=0.003 beta1=0.9 beta2=0.98 eps=1e-8"
WARM = "warmup=4 schedule=inverse-sqrt decay-start=4"

# What a case sets beside its architecture, for every one of them ...
OPTIONS = {
    **{
        f"{placement}-layernorm": f"placement={placement} base-layers=1"
        for placement in PLACEMENTS
    },
    **{f"{placement}-own": f"placement={placement} norm=auto" for placement in sorted(RMSNORM)},
    **{f"pre-{norm}": f"placement=pre norm={norm}" for norm in NORMS},
    "sandwich-rmsnorm": "placement=sandwich norm=rmsnorm",
    "sandwich-batchnorm": "placement=sandwich norm=batchnorm",
    "post-rmsnorm": "placement=post norm=rmsnorm",
    "post-batchnorm": "placement=post norm=batchnorm",
    "embedding-norm": "placement=post embedding-norm=on",
    "final-norm-on": "placement=post final-norm=on norm-eps=0.01",
    "final-norm-off": "placement=pre final-norm=off embedding-norm=on",
    "gelu": "placement=pre activation=gelu",
    "swiglu": "placement=subln activation=swiglu",
    "uniform": "placement=post attention=uniform heads=1",
    "sinusoidal": "placement=pre positions=sinusoidal",
    "no-positions": "placement=pre positions=none",
    "tied": "placement=pre tie-embeddings=on",
    "qk-norm": "placement=pre qk-norm=head",
    "qk-norm-full": "placement=pre qk-norm=full",
    "qk-norm-off": "placement=olmo2 norm=auto qk-norm=off",
    "qk-norm-batchnorm": "placement=pre qk-norm=head norm=batchnorm",
    "qkv-norm-batchnorm": "placement=hybridnorm norm=batchnorm",
    "weight-standardization": "placement=pre weight-standardization=on",
    "label-smoothing": "placement=post label-smoothing=0.1",
    "mixture": "mixture=post*3,pre*3",
    "mixture-own": "mixture=olmo2,post norm=auto",
}
# ... for one alone ...
EXTRA = {
    "encoder-decoder": {
        "deeper-decoder": "placement=deepnorm layers=1 decoder-layers=2",
        "deeper-encoder": "placement=subln layers=2 decoder-layers=1",
        "tied-sinusoidal": "placement=pre tie-embeddings=on positions=sinusoidal",
    },
}
# ... and what trains: the same, and the optimizer.
TRAINED = {
    "post-layernorm": f"{ADAM} {WARM}",
    "post-rmsnorm": f"{ADAM} warmup=1",
    "pre-layernorm": f"{ADAM} warmup=1",
    "pre-rmsnorm": f"{ADAM} {WARM}",
    "none-layernorm": f"{ADAM} {WARM}",
    "sandwich-layernorm": f"{ADAM} {WARM}",
    "sandwich-rmsnorm": f"{ADAM} {WARM}",
    "deepnorm-layernorm": f"{ADAM} {WARM}",
}
OPTIMIZER_CASES = {
    "adam-clip": f"placement=pre optimizer=adam clip=0.5 {ADAM} {WARM}",
    "adam-decay": f"placement=pre optimizer=adam weight-decay=0.1 {ADAM}",
    "adamw": f"placement=pre optimizer=adamw weight-decay=0.1 {ADAM} {WARM}",
    "sgd": "placement=pre optimizer=sgd momentum=0 lr=0.1",
    "sgd-momentum": "placement=post optimizer=sgd momentum=0.9 weight-decay=0.01 lr=0.05",
    "radam": f"placement=post optimizer=radam {ADAM}",
    "adamw-embeddings": "placement=pre optimizer=adamw weight-decay=0.1 decay-scope=embeddings "
    f"{ADAM}",
    "adam-all": f"placement=pre optimizer=adam weight-decay=0.1 decay-scope=all {ADAM}",
    "muon-all": "placement=pre optimizer=muon momentum=0.95 weight-decay=0.1 decay-scope=all "
    f"{ADAM}",
    "muon": f"placement=pre optimizer=muon momentum=0.95 weight-decay=0.1 {ADAM}",
    "completep": f"placement=completep base-layers=1 {ADAM}",
    "depth-mup": f"placement=depth-mup base-layers=1 {ADAM}",
}
WHOLE = ("post-layernorm",)


def parse(line):
    return dict(part.split("=", 1) for part in line.split())


class Start(Weights):
    """Makes up every tensor that a pass asks for, each from its own name; `made` keeps the largest
    of a name, of which the smaller ones are the beginning."""

    def __init__(self, settings, made):
        super().__init__({})
        self.settings, self.made = settings, made

    def __contains__(self, name):
        """Only of the tied embedding, which has no prefix, a pass asks whether it is there."""
        arch = self.settings["arch"]
        return arch != "encoder-decoder" or self.settings.get("tie-embeddings") == "on"

    def __getitem__(self, name):
        if name not in self.tensors:
            shape = self.shape(name)
            array = draw(name, shape)
            if array.size > self.made.get(name, np.empty(0)).size:
                self.made[name] = array
            self.tensors |= as_leaves({name: array})
        return super().__getitem__(name)

    def shape(self, name):
        *owners, leaf = name.split(".")
        heads = int(self.settings["heads"])
        if leaf in ("tok_emb", "head"):
            return VOCAB, WIDTH
        if leaf == "pos_emb":
            return SOURCE if owners == ["enc"] else LENGTH, WIDTH
        if leaf in ("w1", "w3"):
            return FFN, WIDTH
        if leaf == "w2":
            return WIDTH, FFN
        if leaf in ("wq", "wk", "wv", "wo"):
            return WIDTH, WIDTH
        if leaf == "alpha" or (leaf == "gain" and self.settings["norm"] == "scalenorm"):
            return (1,)
        if leaf == "branch_gain":
            return (WIDTH if self.settings["placement"] == "layerscale" else 1,)
        if leaf == "head_scale":
            return (heads,)
        if owners[-1] in ("q_norm", "k_norm", "v_norm"):
            block = next(int(part[3:]) for part in owners if part.startswith("blk"))
            placement = placement_of(self.settings, block, LAYERS)
            full = self.settings.get("qk-norm", QK_NORM.get(placement)) == "full"
            whole = self.settings["norm"] == "batchnorm" or (full and owners[-1] != "v_norm")
            return (WIDTH if whole else WIDTH // heads,)
        if leaf == "b1" or owners[-2:] == ["ffn", "mid_norm"]:
            return (FFN,)
        return (WIDTH,)


def draw(name, shape):
    """Random but for the name; a larger tensor of the same name begins like a smaller one."""
    random = np.random.RandomState(zlib.crc32(name.encode()))
    leaf = name.rsplit(".", 1)[-1]
    mean, deviation = 0.0, 0.2
    if len(shape) == 2:
        deviation = np.sqrt(2 / sum(shape))
    elif leaf in ("gain", "head_scale", "branch_gain", "stream_gain"):
        mean = 1.0
    elif leaf == "alpha":
        mean, deviation = 0.5, 0.1
    return random.normal(mean, deviation, shape).astype(np.float32)


def signature(array):
    flat = array.ravel()
    i = np.arange(flat.size)
    sums = (flat @ np.cos(a * i + b) for a, b in ((0.7, 0.3), (1.9, 1.1)))
    return [np.linalg.norm(flat), *sums]


def make_batch(arch, random):
    """Sequences of different lengths; beside the padding one position has no target either."""
    text = random.randint(0, VOCAB, (BATCH, LENGTH + 1)).astype(np.int64)
    tokens, targets = text[:, :-1].copy(), text[:, 1:].copy()
    padding = np.arange(LENGTH) >= np.array(LENGTHS)[:, None]
    tokens[padding], targets[padding] = 0, -1
    targets[0, 1] = -1
    batch = {"tokens": tokens, "targets": targets, "length": np.array(LENGTHS, np.int64)}
    if arch == "encoder-decoder":
        real = np.arange(SOURCE) < np.array(SOURCE_LENGTHS)[:, None]
        source = random.randint(1, VOCAB, (BATCH, SOURCE)).astype(np.int64)
        batch |= {"src": source * real, "src_mask": real.astype(np.int64)}
    return batch


def single_error(weights, batch, settings, gradients):
    """Key biases, whose gradient is zero, apart."""
    _, single = loss_and_gradients(weights, batch, settings, precision=np.float32)
    whole = np.linalg.norm([np.linalg.norm(array) for array in gradients.values()])
    return max(
        np.linalg.norm(single[name] - array) / np.linalg.norm(array)
        for name, array in gradients.items()
        if not name.endswith(".bk") and np.linalg.norm(array) > 1e-12 * whole
    )


def make_case(settings, batch, made, steps, whole):
    """(tensors, metadata) of a case; adds what the model needs to `made`."""
    start = Start(settings, made)
    run_model(start, batch, settings)
    weights = {name: leaf.detach().numpy() for name, leaf in start.tensors.items()}
    loss, gradients = loss_and_gradients(weights, batch, settings)
    tensors = {"loss": np.array([loss])}
    tensors["gradients"] = np.array([signature(gradients[name]) for name in weights])
    if whole:
        tensors |= {"grad." + name: array for name, array in gradients.items()}
    metadata = {"names": " ".join(weights)}
    single = single_error(weights, batch, settings, gradients)
    if single > 1e-5:
        metadata["single"] = f"{single:.0e}"
    if steps:
        optimizer = OPTIMIZERS[settings.get("optimizer", "adam")](settings)
        for step in range(1, STEPS + 1):
            optimizer.update(weights, gradients, learning_rate(step, settings))
            after, gradients = loss_and_gradients(weights, batch, settings)
        tensors["after"] = np.array([signature(array) for array in weights.values()])
        tensors["after.loss"] = np.array([after])
        metadata["steps"] = str(STEPS)
    return tensors, metadata


def cases_of(arch):
    """(name, assignments, whether it takes steps)."""
    trained = TRAINED if arch == "decoder" else {}
    for name, line in (OPTIONS | EXTRA.get(arch, {})).items():
        yield name, f"{line} {trained.get(name, '')}".strip(), name in trained
    if arch == "decoder":
        for name, line in OPTIMIZER_CASES.items():
            yield "steps-" + name, line, True


def main():
    here = pathlib.Path(__file__).parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "fixtures"
    folder.mkdir(parents=True, exist_ok=True)
    shape = f"layers={LAYERS} d-model={WIDTH} heads={HEADS} d-ff={FFN} seq={LENGTH} batch={BATCH}"
    made, batches = {}, {}
    for number, arch in enumerate(ARCHITECTURES):
        batch = make_batch(arch, np.random.RandomState(20 + number))
        batches |= {f"{arch}/{name}": array for name, array in batch.items()}
        tensors, metadata = {}, {"cases": ""}
        for case, line, steps in cases_of(arch):
            source = f" source-seq={SOURCE}" if arch == "encoder-decoder" else ""
            line = f"arch={arch} {shape}{source} norm=layernorm {line}"
            values, words = make_case(parse(line), batch, made, steps, case in WHOLE)
            words["settings"] = line
            tensors |= {f"{case}/{name}": array for name, array in values.items()}
            metadata |= {f"{case}/{name}": text for name, text in words.items()}
            metadata["cases"] += " " + case
            print(f"{arch} {case}: loss {values['loss'][0]:.6f}")
        metadata["cases"] = metadata["cases"].strip()
        write_safetensors(folder / f"{arch}.safetensors", tensors, metadata)
    write_safetensors(folder / "start.safetensors", made | batches, {"vocab": str(VOCAB)})


if __name__ == "__main__":
    main()
