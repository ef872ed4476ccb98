#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Repeats what `normscope-cli dump` measured, in PyTorch and float64.

    check_dump.py BINARY --set placement=pre --set layers=12    one model, tensor by tensor
    check_dump.py BINARY --tap                                  placements, norms, options, as TAP

The error of a tensor is |difference| / |reference|; more than 1e-5 fails, and 1e-6 for the loss.
Gradients that are zero whatever the weights hold rounding alone.  They are measured against the
whole gradient, those of the key biases against |gradient of the query biases|: adding one vector to
all keys shifts every score of a query alike and softmax does not see it.  Where all keys are the
same that gradient is zero as well, and a thousandth of |gradient of W_O| stands in for it.

Where no norm holds the hidden state back, attention scores of six layers reach a thousand, and
single precision cannot hold their exponentials to 1e-5, in PyTorch either; where tokens have become
the same it cannot hold what is left of their differences.  Where something is off by more, the
limit is therefore three times what PyTorch itself is off by in single precision, in the worst of a
few passes with weights that differ in their last bit: in the loss, in a key bias, in the worst of the
other tensors.  Post-LN and Pre-LN with LayerNorm or RMSNorm have no such excuse.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP numpy (python3-numpy) is not installed")
    sys.exit(0)

TENSOR_LIMIT, LOSS_LIMIT, PROFILE_LIMIT = 1e-5, 1e-6, 1e-5
ZERO = 1e-12  # beside the whole gradient
SINGLE = 3  # times the error of PyTorch in single precision

ARCHITECTURES = ("decoder", "encoder", "encoder-decoder")

# Every placement in every architecture, and with every norm in one of them, after two steps, so
# that gains and biases have left their start and branches that begin with a factor of 0 take part.
PLACED = "layers=3 d-model=16 heads=2 d-ff=20 seq=10 batch=4 base-layers=1 steps=2 lr=0.01"
UNEQUAL = "decoder-layers=2 source-seq=7"

# Every norm where it stands in the branch, after it and outside.
NORMED = (
    "placement=pre layers=2 d-model=24 heads=1 d-ff=0 seq=16 batch=5",
    "placement=sandwich layers=6 d-model=32 heads=4 d-ff=33 seq=12 batch=4",
    "placement=post layers=1 d-model=16 heads=4 d-ff=21 seq=9 batch=3",
)
OPTIONS = (
    "placement=post layers=6 d-model=32 seq=12 batch=4",
    "placement=none layers=6 d-model=32 seq=12 batch=4",
    "placement=post embedding-norm=on layers=3 d-model=16 seq=8 batch=2",
    "placement=post final-norm=on layers=3 d-model=16 seq=8 batch=2",
    "placement=pre final-norm=off layers=3 d-model=16 seq=8 batch=2",
    "placement=pre embedding-norm=on norm-eps=0.01 layers=3 d-model=16 seq=8 batch=2",
    "placement=post layers=2 d-model=16 heads=16 seq=33 batch=7 threads=2",
    "arch=encoder tie-embeddings=on scale-embeddings=on placement=pre layers=2 d-model=16 seq=8 batch=3",
    "arch=encoder-decoder tie-embeddings=on task=reverse layers=2 d-model=16 seq=8 batch=3",
    "activation=gelu placement=pre layers=2 d-model=16 seq=8 batch=3",
    "activation=gelu-tanh placement=pre tie-embeddings=on layers=2 d-model=16 seq=8 batch=3",
    "activation=gelu placement=normformer arch=encoder-decoder layers=2 d-model=16 seq=8 batch=3",
    "kv-heads=1 placement=pre activation=relu-squared layers=2 d-model=16 heads=4 seq=8 batch=3",
    "kv-heads=2 qk-norm=full placement=post arch=encoder-decoder layers=2 d-model=16 heads=4 seq=8 batch=3",
    "kv-heads=2 qk-norm=head norm=batchnorm layers=2 d-model=16 heads=4 seq=8 batch=3",
    "activation=swiglu placement=subln layers=2 d-model=16 seq=8 batch=3",
    "activation=swiglu placement=pre arch=encoder-decoder layers=2 d-model=16 seq=8 batch=3",
    "attention=uniform heads=1 placement=post arch=encoder layers=3 d-model=16 d-ff=16 seq=8 "
    "batch=3",
    "attention=uniform heads=1 placement=pre layers=3 d-model=16 d-ff=16 seq=8 batch=3",
    "positions=sinusoidal placement=pre layers=2 d-model=18 heads=3 seq=8 batch=3",
    "positions=sinusoidal placement=post arch=encoder-decoder layers=2 d-model=16 seq=8 batch=3",
    "positions=rotary placement=pre layers=2 d-model=24 heads=4 kv-heads=2 qk-norm=head seq=8 batch=3",
    "positions=rotary placement=olmo2 layers=2 d-model=24 heads=4 seq=8 batch=3",
    "positions=rotary placement=post arch=encoder-decoder layers=2 d-model=16 seq=8 batch=3",
    "positions=none placement=pre layers=2 d-model=16 seq=8 batch=3",
    "positions=none placement=post arch=encoder layers=2 d-model=16 seq=8 batch=3",
    "tie-embeddings=on placement=pre layers=2 d-model=16 seq=8 batch=3",
    "tie-layers=on placement=post layers=4 d-model=16 seq=8 batch=3 threads=2",
    "tie-layers=on placement=pre arch=encoder-decoder layers=3 decoder-layers=2 d-model=16 seq=8 batch=3",
    "tie-embeddings=on task=sort arch=encoder layers=2 d-model=16 seq=12 batch=3",
    "qk-norm=head placement=pre layers=2 d-model=16 seq=8 batch=3",
    "qk-norm=full placement=pre layers=2 d-model=16 seq=8 batch=3",
    "qk-norm=head placement=post arch=encoder-decoder norm=rmsnorm layers=2 d-model=16 seq=8 "
    "batch=3",
    "qk-norm=full placement=post arch=encoder-decoder layers=2 d-model=16 seq=8 batch=3",
    "qk-norm=head norm=batchnorm task=reverse placement=pre layers=2 d-model=16 seq=20 batch=5",
    "qk-norm=full norm=batchnorm task=copy placement=pre arch=encoder-decoder layers=2 d-model=16 "
    "seq=12 batch=5",
    "placement=hybridnorm norm=batchnorm task=sort arch=encoder-decoder layers=2 d-model=16 seq=12 "
    "batch=5",
    "norm=layernorm placement=olmo2 layers=2 d-model=16 seq=8 batch=3",
    "norm=layernorm placement=keel layers=3 d-model=16 seq=8 batch=3",
    "placement=mix-ln layers=6 d-model=16 seq=8 batch=3",
    "mixture=olmo2,keel,post layers=3 d-model=16 seq=8 batch=3",
    "qk-norm=off placement=olmo2 layers=2 d-model=16 seq=8 batch=3",
    "weight-standardization=on placement=pre layers=2 d-model=16 seq=8 batch=3",
    "weight-standardization=on placement=post arch=encoder-decoder activation=swiglu layers=2 "
    "d-model=16 seq=8 batch=3",
    "label-smoothing=0.1 placement=post layers=2 d-model=16 seq=8 batch=3",
    "z-loss=0.01 label-smoothing=0.1 placement=pre layers=2 d-model=16 seq=8 batch=3",
    "z-loss=0.1 task=mlm arch=encoder placement=post layers=2 d-model=16 seq=32 batch=3",
    "label-smoothing=0.3 placement=pre arch=encoder task=sort layers=2 d-model=16 seq=12 batch=3",
    "mixture=post*1,pre*3 layers=4 d-model=16 seq=8 batch=3",
    "mixture=deepnorm,sandwich,b2t arch=encoder layers=6 d-model=16 seq=8 batch=3",
    "mixture=post*3,pre*9 arch=encoder-decoder layers=4 d-model=16 seq=8 batch=3",
    "placement=x+N(F(N(x))) layers=2 d-model=16 seq=8 batch=3",
    "placement=N(F(N(x))) layers=2 d-model=16 seq=8 batch=3",
    "placement=N(F(x))+x layers=2 d-model=16 seq=8 batch=3",
    "mixture=N(2x+0.5N(F(0.3N(x))))*2,0.7x+N(F(x)),N(x+N(F(x))) layers=4 d-model=16 seq=8 batch=3",
    "task=reverse placement=post norm=batchnorm layers=2 d-model=16 seq=20 batch=5",
    "task=copy placement=pre norm=batchnorm arch=encoder-decoder layers=2 d-model=16 seq=12 "
    "batch=5",
    "task=sort placement=pre arch=encoder-decoder layers=2 d-model=16 seq=12 batch=5 threads=2",
    "task=mlm arch=encoder tokenizer=bpe vocab=300 placement=pre layers=2 d-model=16 seq=24 batch=6",
    "task=mlm arch=encoder tokenizer=bpe vocab=300 placement=post label-smoothing=0.1 threads=2 "
    "embedding-norm=on layers=2 d-model=16 seq=40 batch=5",
    "task=mlm arch=encoder next-sentence=off tie-embeddings=on placement=deepnorm layers=2 "
    "d-model=16 seq=64 batch=3",
    "task=translation tokenizer=bpe vocab=300 label-smoothing=0.1 placement=pre arch=encoder-decoder "
    "layers=2 d-model=16 seq=32 batch=4",
    "task=translation tokenizer=bpe vocab=300 placement=post norm=batchnorm arch=encoder-decoder "
    "layers=2 d-model=16 seq=32 source-seq=40 batch=4",
    "task=translation tokenizer=bpe vocab=300 placement=pre arch=encoder-decoder layers=2 d-model=16 seq=40 "
    "batch-tokens=100",
    "task=translation vocabularies=separate tokenizer=bpe vocab=300 placement=pre arch=encoder-decoder layers=2 "
    "d-model=16 seq=40 batch=3",
    "task=translation vocabularies=separate tie-embeddings=on threads=2 placement=post arch=encoder-decoder "
    "layers=2 d-model=16 seq=100 batch=4",
)


def dump(binary, settings, folder):
    command = [binary, "dump", "--out", folder]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()}")


def read_dump(folder):
    """(weights, gradients, batch, meta), after a check that nothing is missing."""
    from tensors import read_safetensors

    path = pathlib.Path(folder)
    weights, _ = read_safetensors(path / "params.safetensors")
    gradients, _ = read_safetensors(path / "grads.safetensors")
    batch, _ = read_safetensors(path / "batch.safetensors")
    meta = json.loads((path / "meta.json").read_text())
    meta["settings"] = {key.replace("_", "-"): value for key, value in meta["settings"].items()}
    if weights.keys() != gradients.keys():
        raise RuntimeError(f"not in both files: {sorted(weights.keys() ^ gradients.keys())}")
    return weights, gradients, batch, meta


def roundings(weights, passes=4):
    """The weights, and the weights with their last single-precision bit changed at random."""
    yield weights
    random = np.random.default_rng(1)
    for _ in range(passes - 1):
        yield {
            name: array * (1 + random.choice([-1, 0, 1], array.shape) * np.finfo(np.float32).eps / 2)
            for name, array in weights.items()
        }


def held_by_norms(settings):
    """Whether norms keep all activations where single precision serves: 1e-5 without exception."""
    return (
        settings["placement"] in ("post", "pre")
        and not settings.get("mixture")
        and settings["norm"] in ("auto", "layernorm", "rmsnorm")
        and settings.get("weight-standardization", "off") == "off"
    )


def compare(weights, gradients, batch, meta):
    """[(name, error, limit)], the worst first."""
    from transformer import admin_profile, loss_and_gradients

    settings = meta["settings"] | {"vocab_out": meta["vocab"]}
    loss, reference = loss_and_gradients(weights, batch, settings)
    sizes = {name: np.linalg.norm(array) for name, array in reference.items()}
    whole = np.linalg.norm(list(sizes.values()))

    def error(name, gradient):
        scale = sizes[name]
        if name.endswith(".bk"):
            scale = max(scale, sizes[name[:-1] + "q"], 1e-3 * sizes[name[:-2] + "wo"])
        elif scale < ZERO * whole:
            scale = whole
        return np.linalg.norm(gradient.astype(np.float64) - reference[name]) / scale

    errors = {name: error(name, gradient) for name, gradient in gradients.items()}
    loss_error = abs(meta["loss"] - loss) / loss
    loss_limit, limits = LOSS_LIMIT, dict.fromkeys(errors, TENSOR_LIMIT)
    off = loss_error > loss_limit or max(errors.values()) > TENSOR_LIMIT
    if off and not held_by_norms(settings):
        for rounded in roundings(weights):
            rough, single = loss_and_gradients(rounded, batch, settings, precision=np.float32)
            loss_limit = max(loss_limit, SINGLE * abs(rough - loss) / loss)
            rough_errors = {name: error(name, gradient) for name, gradient in single.items()}
            worst = max(value for name, value in rough_errors.items() if not name.endswith(".bk"))
            for name, value in rough_errors.items():
                limit = SINGLE * (value if name.endswith(".bk") else worst)
                limits[name] = max(limits[name], limit)

    rows = [("loss", loss_error, loss_limit)]
    rows += [(name, value, limits[name]) for name, value in errors.items()]
    if settings["placement"] == "admin" and not settings.get("mixture") and meta["step"] == 0:
        for name, omega in admin_profile(weights, batch, settings).items():
            value = np.abs(weights[name] / omega - 1).max()
            rows.append((f"profile of {name}", value, PROFILE_LIMIT))
    return sorted(rows, key=lambda row: row[1] / row[2], reverse=True)


def compare_binary(binary, settings):
    with tempfile.TemporaryDirectory() as folder:
        dump(binary, settings, folder)
        return compare(*read_dump(folder))


def failed(rows):
    return [row for row in rows if not row[1] <= row[2]]


def keys(binary, registry):
    listed = subprocess.run([binary, "list", registry, "--json"], capture_output=True, check=True)
    return [row["key"] for row in json.loads(listed.stdout)]


def matrix(binary):
    for arch in ARCHITECTURES:
        shape = f"{PLACED} {UNEQUAL}" if arch == "encoder-decoder" else PLACED
        for placement in keys(binary, "placements"):
            yield f"arch={arch} placement={placement} {shape}"
        yield f"arch={arch} placement=admin layers=3 d-model=16 seq=8 batch=3"
    norms = keys(binary, "norms")
    crossed = itertools.product(norms[1:], keys(binary, "placements"))
    for (norm, placement), arch in zip(crossed, itertools.cycle(ARCHITECTURES)):
        shape = f"{PLACED} {UNEQUAL}" if arch == "encoder-decoder" else PLACED
        yield f"arch={arch} placement={placement} norm={norm} {shape}"
    for norm in norms:
        for shape in NORMED:
            yield f"norm={norm} {shape}"
    yield from OPTIONS


def report_tap(cases, check):
    """`check` makes the rows of a case."""
    print(f"1..{len(cases)}", flush=True)
    for number, case in enumerate(cases, start=1):
        try:
            rows = check(case)
            for name, error, limit in failed(rows):
                print(f"# {name}: {error:.2e} is above {limit:.1e}")
            verdict = "not ok" if failed(rows) else "ok"
            print(f"# worst: {rows[0][0]} {rows[0][1]:.2e}")
        except (RuntimeError, LookupError, ValueError, OSError) as error:
            print(f"# {type(error).__name__}: {error}".replace("\n", " "))
            verdict = "not ok"
        print(f"{verdict} {number} - dump {case}", flush=True)


def run_tap(binary):
    try:
        import torch
    except ImportError:
        print("1..0 # SKIP PyTorch (python3-torch) is not installed")
        return
    torch.set_num_threads(1)
    report_tap(list(matrix(binary)), lambda case: compare_binary(binary, case.split()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", help="normscope-cli")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--tap", action="store_true", help="run the whole matrix")
    arguments = parser.parse_args()
    if arguments.tap:
        run_tap(arguments.binary)
        return 0
    rows = compare_binary(arguments.binary, arguments.set)
    for name, error, limit in rows:
        print(f"{error:9.2e}  {name}{'' if error <= limit else '  FAILS'}")
    return 1 if failed(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
