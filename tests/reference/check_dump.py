#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Repeats what `normscope-cli dump` measured, in PyTorch and float64.

    check_dump.py BINARY --set placement=pre --set layers=12    one model, tensor by tensor
    check_dump.py BINARY --tap                                  placement x norm x shape, as TAP

The error of a tensor is |difference| / |reference|; more than 1e-5 fails, and 1e-6 for the loss.
The key biases are measured against |gradient of the query biases|: adding one vector to all keys
shifts every score of a query alike and softmax does not see it, so that their own gradient is zero.

Where no norm holds the hidden state back, attention scores of six layers reach a thousand, and single
precision cannot hold their exponentials to 1e-5, in PyTorch either.  A model without norms may
therefore be off by ten times what PyTorch itself is in single precision.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

TENSOR_LIMIT, LOSS_LIMIT = 1e-5, 1e-6

SHAPES = (
    "layers=1 d-model=16 heads=4 d-ff=21 seq=9 batch=3",
    "layers=2 d-model=24 heads=1 d-ff=0 seq=16 batch=5",
    "layers=6 d-model=32 heads=4 d-ff=33 seq=12 batch=4",
)
EXTRA = (
    "placement=post embedding-norm=off layers=3 d-model=16 seq=8 batch=2",
    "placement=post final-norm=on layers=3 d-model=16 seq=8 batch=2",
    "placement=pre final-norm=off layers=3 d-model=16 seq=8 batch=2",
    "placement=pre embedding-norm=on norm-eps=0.01 layers=3 d-model=16 seq=8 batch=2",
    "placement=post layers=2 d-model=16 heads=16 seq=33 batch=7 threads=2",
)


def dump(binary, settings, folder):
    command = [binary, "dump", "--out", folder]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.strip()}")


def compare(binary, settings):
    """[(name, error, limit)], the worst first, after a check that nothing is missing."""
    import numpy as np

    from decoder import loss_and_gradients, read_safetensors

    with tempfile.TemporaryDirectory() as folder:
        dump(binary, settings, folder)
        path = pathlib.Path(folder)
        weights, _ = read_safetensors(path / "params.safetensors")
        gradients, _ = read_safetensors(path / "grads.safetensors")
        batch, _ = read_safetensors(path / "batch.safetensors")
        meta = json.loads((path / "meta.json").read_text())
    if weights.keys() != gradients.keys():
        raise RuntimeError(f"not in both files: {sorted(weights.keys() ^ gradients.keys())}")
    chosen = meta["settings"]
    model = {
        "placement": chosen["placement"],
        "kind": chosen["norm"],
        "heads": int(chosen["heads"]),
        "eps": float(chosen["norm-eps"]),
    }
    loss, reference = loss_and_gradients(weights, **batch, **model)

    def error(name, gradient):
        scale = reference[name.replace(".bk", ".bq")]
        difference = gradient.astype(np.float64) - reference[name]
        return np.linalg.norm(difference) / np.linalg.norm(scale)

    limit = TENSOR_LIMIT
    if "none" in (chosen["placement"], chosen["norm"]):
        _, single = loss_and_gradients(weights, **batch, precision=np.float32, **model)
        limit = max(limit, 10 * max(error(name, gradient) for name, gradient in single.items()))

    rows = [("loss", abs(meta["loss"] - loss) / loss, LOSS_LIMIT)]
    rows += [(name, error(name, gradient), limit) for name, gradient in gradients.items()]
    return sorted(rows, key=lambda row: row[1] / row[2], reverse=True)


def failed(rows):
    return [row for row in rows if not row[1] <= row[2]]


def keys(binary, registry):
    listed = subprocess.run([binary, "list", registry, "--json"], capture_output=True, check=True)
    return [row["key"] for row in json.loads(listed.stdout)]


def matrix(binary):
    registries = keys(binary, "placements"), keys(binary, "norms")
    for placement, norm, shape in itertools.product(*registries, SHAPES):
        yield f"placement={placement} norm={norm} {shape}"
    yield from EXTRA


def run_tap(binary):
    cases = list(matrix(binary))
    try:
        import torch  # noqa: F401
    except ImportError:
        print("1..0 # SKIP PyTorch (python3-torch) is not installed")
        return
    print(f"1..{len(cases)}", flush=True)
    for number, case in enumerate(cases, start=1):
        try:
            rows = compare(binary, case.split())
            for name, error, limit in failed(rows):
                print(f"# {name}: {error:.2e} is above {limit:.1e}")
            verdict = "not ok" if failed(rows) else "ok"
            print(f"# worst: {rows[0][0]} {rows[0][1]:.2e}")
        except (RuntimeError, KeyError, ValueError, OSError) as error:
            print(f"# {type(error).__name__}: {error}".replace("\n", " "))
            verdict = "not ok"
        print(f"{verdict} {number} - dump {case}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", help="normscope-cli")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--tap", action="store_true", help="run the whole matrix")
    arguments = parser.parse_args()
    if arguments.tap:
        run_tap(arguments.binary)
        return 0
    rows = compare(arguments.binary, arguments.set)
    for name, error, limit in rows:
        print(f"{error:9.2e}  {name}{'' if error <= limit else '  FAILS'}")
    return 1 if failed(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
