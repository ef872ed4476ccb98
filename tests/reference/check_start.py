#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The weights that a model starts from, against the rules of the papers, as TAP.

    check_start.py BINARY

The root mean square of a kind of matrix, over all its layers, must be the standard deviation that
the rule gives, within sampling error; uniform ones must also fill their interval and stay inside.
"""

import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass

D, F, N, M = 64, 128, 3, 2
SIGMAS = 4.5
SHAPE = f"d-model={D} heads=4 d-ff={F} seq=16 batch=2"

BRANCH = ("wv", "wo", "w1", "w2", "w3")  # what depth-wise rules scale


def xavier(rows, columns):
    return math.sqrt(2 / (rows + columns))


def kaiming(rows, columns):
    del rows
    return math.sqrt(2 / columns)


def fixed(rows, columns):
    del rows, columns
    return 0.02


@dataclass
class Kind:
    """All matrices of one name in one stack."""

    stack: str  # "enc.", "dec." or ""
    name: str  # "wq"
    rows: int
    columns: int

    @property
    def scaled(self):
        return self.name in BRANCH


def no_scale(kind, arch):
    del kind, arch
    return 1.0


def deepnorm(kind, arch):  # Wang et al. 2022, Table 1
    if not kind.scaled:
        return 1.0
    if arch != "encoder-decoder":
        return (8 * N) ** -0.25
    return 0.87 * (N**4 * M) ** (-1 / 16) if kind.stack == "enc." else (12 * M) ** -0.25


def t_fixup(kind, arch):  # Huang et al. 2020, 3.2
    if not kind.scaled:
        return 1.0
    if arch == "encoder" or kind.stack == "enc.":
        return 0.67 * N**-0.25
    return (9 * (M if kind.stack else N)) ** -0.25


def subln(kind, arch):  # Wang et al. 2022 (Magneto), Table 2
    if not kind.scaled:
        return 1.0
    if arch != "encoder-decoder":
        return math.sqrt(math.log(2 * N))
    encoder = math.sqrt(math.log(3 * M) * math.log(2 * N) / 3)
    return encoder if kind.stack == "enc." else math.sqrt(math.log(3 * M))


def gpt2(kind, arch):  # Radford et al. 2019, 2.3
    del arch
    return 1 / math.sqrt(2 * N) if kind.name in ("wo", "w2") else 1.0


def b2t(kind, arch):  # takase/b2t_connection, rescaling_init: every matrix of a layer, L^-1/2
    return (M if kind.stack == "dec." else N) ** -0.5


ALL = ("decoder", "encoder", "encoder-decoder")

# settings, the architectures in which the rule is defined, standard deviation, factor, uniform
CASES = [
    ("placement=post", ALL, xavier, no_scale, False),
    ("placement=deepnorm", ALL, xavier, deepnorm, False),
    ("placement=t-fixup", ALL, xavier, t_fixup, False),
    ("placement=subln", ALL, xavier, subln, False),
    ("placement=b2t", ALL, xavier, b2t, False),
    ("placement=pre init=xavier-uniform", ALL, xavier, no_scale, True),
    ("placement=pre init=kaiming-normal", ("decoder",), kaiming, no_scale, False),
    ("placement=pre init=kaiming-uniform", ("decoder",), kaiming, no_scale, True),
    ("placement=pre init=normal", ALL, fixed, no_scale, False),
    ("placement=pre init=gpt2", ("decoder", "encoder"), fixed, gpt2, False),
    ("placement=post init=deepnorm", ALL, xavier, deepnorm, False),
    ("placement=post init=t-fixup", ALL, xavier, t_fixup, False),
    ("placement=pre activation=swiglu init-scale=0.5", ("decoder",), xavier, lambda *_: 0.5, False),
]

# What stands at every element of these at the start.
CONSTANTS = {
    "placement=pre": {".gain": 1.0, ".bias": 0.0, ".bq": 0.0, ".b1": 0.0, ".b2": 0.0, ".bo": 0.0},
    "placement=pre norm=scalenorm": {".gain": math.sqrt(D)},
    "placement=pre norm=dyt": {".gain": 1.0, ".alpha": 0.5, ".bias": 0.0},
    "placement=rezero": {".branch_gain": 0.0},
    "placement=skipinit": {".branch_gain": 0.0},
    "placement=layerscale": {".branch_gain": 0.1},  # Touvron et al. 2021, up to 18 layers
    "placement=normformer": {".head_scale": 1.0},
}


def dump(binary, settings):
    from check_dump import dump, read_dump

    with tempfile.TemporaryDirectory() as folder:
        dump(binary, settings.split(), folder)
        return read_dump(folder)[0]


def shape_of(arch):
    second = f" decoder-layers={M}" if arch == "encoder-decoder" else ""
    return f"arch={arch} layers={N}{second} {SHAPE}"


def kinds_of(weights):
    """[(kind, elements)]"""
    import numpy as np

    found = {}
    for name, array in weights.items():
        parts = name.split(".")
        if array.ndim != 2 or not any(part.startswith("blk") for part in parts):
            continue
        stack = "" if parts[0].startswith("blk") else parts[0] + "."
        found.setdefault((stack, parts[-1], *array.shape), []).append(array.ravel())
    return [(Kind(*key), np.concatenate(arrays)) for key, arrays in found.items()]


def check_spread(binary, case, arch):
    import numpy as np

    settings, _, deviation, factor, uniform = case
    for kind, elements in kinds_of(dump(binary, f"{settings} {shape_of(arch)}")):
        expected = deviation(kind.rows, kind.columns) * factor(kind, arch)
        found = float(np.sqrt((elements.astype(np.float64) ** 2).mean()))
        # The variance of a square is 2 for the normal distribution and 4/5 for the uniform one.
        slack = SIGMAS * math.sqrt((0.8 if uniform else 2) / 4 / elements.size)
        right = abs(found / expected - 1) <= slack
        if uniform:
            end = float(np.abs(elements).max()) / (math.sqrt(3) * expected)
            right = right and 0.99 < end <= 1 + 1e-6
        yield f"{kind.stack}{kind.name}: {found:.5f}, rule {expected:.5f}", right


def check_constants(binary, settings, constants, arch):
    weights = dump(binary, f"{settings} {shape_of(arch)}")
    for suffix, value in constants.items():
        arrays = [array for name, array in weights.items() if name.endswith(suffix)]
        close = all(abs(array - value).max() <= 1e-6 * max(abs(value), 1e-6) for array in arrays)
        yield f"{len(arrays)} tensors *{suffix}: {value}", bool(arrays) and close


def main():
    binary = sys.argv[1]
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("1..0 # SKIP numpy (python3-numpy) is not installed")
        return
    checks = [
        (f"{case[0]} arch={arch}", check_spread, (case, arch)) for case in CASES for arch in case[1]
    ]
    checks += [
        (f"{settings} arch={arch}", check_constants, (settings, constants, arch))
        for settings, constants in CONSTANTS.items()
        for arch in (ALL[0], ALL[2])
    ]
    print(f"1..{len(checks)}", flush=True)
    for number, (name, check, arguments) in enumerate(checks, start=1):
        passed = True
        try:
            for text, right in check(binary, *arguments):
                print(f"# {text}{'' if right else '  FAILS'}")
                passed = passed and right
        except (RuntimeError, LookupError, ValueError, OSError) as error:
            print(f"# {type(error).__name__}: {error}".replace("\n", " "))
            passed = False
        print(f"{'ok' if passed else 'not ok'} {number} - start {name}", flush=True)


if __name__ == "__main__":
    main()
