# SPDX-License-Identifier: MIT
"""What the benchmarks measure, and how they call the programs."""

import json
import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

TORCH_STEPS = Path(__file__).with_name("torch_steps.py")
COMMON = ["placement=pre", "optimizer=adam", "clip=0", "lr=1e-4"]


@dataclass(frozen=True)
class Config:
    name: str
    settings: tuple  # KEY=VALUE
    goal: float  # how many times faster than PyTorch
    steps: int  # of PyTorch in one round

    @property
    def our_steps(self):
        """As many as take about as long: what other programs slow down for a while, they slow
        down on both sides."""
        return round(self.steps * self.goal)

    def number(self, key):
        return int(dict(setting.split("=") for setting in self.settings)[key])

    def unseen_gflop(self):
        """Of the products that the plan counts, those with keys that causal attention hides."""
        layers, d, seq, batch = map(self.number, ("layers", "d-model", "seq", "batch"))
        return 6e-9 * layers * batch * seq * (seq - 1) * d

    def gbytes(self, parameters):
        """What a step that keeps nothing in the caches reads and writes: see README.md."""
        layers, d, d_ff, heads = map(self.number, ("layers", "d-model", "d-ff", "heads"))
        seq, vocab = self.number("seq"), self.number("vocab")
        attention = 6 * d + heads * seq  # stream, norm, queries, keys, values, context; weights
        layer = attention + 2 * d + d_ff
        if "arch=encoder-decoder" in self.settings:
            layer = 2 * layer + attention
        activations = self.number("batch") * seq * (layers * layer + vocab)
        return 4e-9 * (10 * parameters + 2 * activations)


def decoder(layers, d, heads, d_ff, vocab, seq, batch):
    return (f"layers={layers}", f"d-model={d}", f"heads={heads}", f"d-ff={d_ff}",
            f"vocab={vocab}", f"seq={seq}", f"batch={batch}")


CONFIGS = (
    Config("tiny", decoder(6, 64, 4, 256, 96, 64, 16), 4, 60),
    Config("small", decoder(6, 128, 4, 512, 96, 128, 16), 2.8, 20),
    Config("medium", decoder(12, 256, 8, 1024, 512, 128, 8), 1.7, 10),
    Config("iwslt", ("arch=encoder-decoder", *decoder(6, 512, 4, 1024, 8000, 32, 32)), 1.6, 6),
    Config("deep", decoder(100, 64, 4, 256, 96, 32, 8), 5, 30),
    Config("verydeep", decoder(1000, 32, 2, 128, 96, 16, 4), 25, 12),
)


# What limits everybody to a set of instructions: Normscope; then OpenBLAS, which takes its oldest
# kernels on a processor that is newer than itself, and would be two to four times too slow on both
# sides of the comparison; and PyTorch's own kernels and those of oneDNN.
LIMITS = {
    "avx512": {"NORMSCOPE_INSTRUCTIONS": "avx512", "OPENBLAS_CORETYPE": "SkylakeX"},
    "avx2": {"NORMSCOPE_INSTRUCTIONS": "avx2", "OPENBLAS_CORETYPE": "Haswell",
             "ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
}


def instruction_sets(cli):
    """{key: (label, whether it is in use)} of the sets that this processor has."""
    rows = run_json([cli, "list", "instructions", "--json"])
    return {row["key"]: (row["label"], row["in_use"]) for row in rows if row["there"]}


def set_in_use(cli):
    return next(key for key, (_, in_use) in instruction_sets(cli).items() if in_use)


def environment(instructions):
    """For programs that compute with a set; what the caller of this one says of OpenBLAS counts."""
    limits = dict(LIMITS.get(instructions, {}))
    if "OPENBLAS_CORETYPE" in os.environ:
        limits.pop("OPENBLAS_CORETYPE", None)
    return {**os.environ, **limits}


def run(command, limit=None, instructions=None):
    """What a program prints; its failure ends this one."""
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=limit, check=False,
                          env=environment(instructions))
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with status {done.returncode}.")
    return done.stdout


def run_json(command, limit=None, instructions=None):
    return json.loads(run(command, limit, instructions))


def assignments(settings):
    return [word for setting in (*COMMON, *settings) for word in ("--set", setting)]


def run_normscope(cli, settings, steps, instructions):
    return run_json([cli, "bench", "--json", "--steps", str(steps), *assignments(settings)],
                    instructions=instructions)


def run_floor(floor, settings, steps, instructions):
    return run_json([floor, str(steps), *settings], instructions=instructions)


def run_peak(peak, instructions):
    return run_json([peak], instructions=instructions)


def run_torch(python, settings, steps, instructions, limit=None, ways=None):
    """PyTorch's steps in several ways, which are (threads, compiled), one thread and all cores
    unless told: {way: what torch_steps.py printed}, without ways that take longer than the limit in
    seconds.  A way that takes twice as long as another is not waited for."""
    found = {}
    for way in ways or [(threads, False) for threads in thread_counts()]:
        started = time.monotonic()
        result = run_torch_with(python, settings, steps, instructions, way, limit)
        if result:
            found[way] = result
        if not way[1]:
            taken = 10 + 2 * (time.monotonic() - started)
            limit = min(limit, taken) if limit else taken
    return found


def thread_counts():
    return sorted({1, len(os.sched_getaffinity(0))})


def fastest(found, threads=None):
    """The way that took the least time, of those with a number of threads if one is named; or
    None."""
    ways = [way for way in found if threads in (None, way[0])]
    return min(ways, key=lambda way: found[way]["ms_per_step"]) if ways else None


def run_torch_with(python, settings, steps, instructions, way, limit):
    threads, compiled = way
    command = [*python, "-B", TORCH_STEPS, "--threads", str(threads), "--steps", str(steps),
               *(["--compiled"] if compiled else []), *assignments(settings)]
    try:
        return run_json(command, None if compiled else limit, instructions)
    except subprocess.TimeoutExpired:
        return None


def find_torch(asked=None):
    """([a command that runs a Python with PyTorch], PyTorch's version), or (None, None).  Of the
    commands that are tried the one that was asked for is the only one."""
    tried = [shlex.split(asked)] if asked else [["/usr/bin/python3"], [sys.executable]]
    for python in tried:
        try:
            done = subprocess.run([*python, "-c", "import torch; print(torch.__version__)"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        except FileNotFoundError:
            continue
        if done.returncode == 0:
            return python, done.stdout.strip()
    if asked:
        sys.exit(f"“{asked}” runs no Python that has PyTorch.")
    return None, None
