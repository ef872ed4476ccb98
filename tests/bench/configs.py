# SPDX-License-Identifier: MIT
"""What the benchmarks measure, and how they call the programs."""

import json
import os
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
    settings: tuple
    goal: float  # how many times faster than PyTorch
    steps: int  # of PyTorch in one round

    @property
    def our_steps(self):
        """As many as take about as long: what other programs slow down for a while, they slow
        down on both sides."""
        return round(self.steps * self.goal)


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


def best_kernels():
    """OpenBLAS takes its oldest kernels on a processor that is newer than itself, and would be two
    to four times too slow on both sides of the comparison: tells it what the processor has."""
    if "OPENBLAS_CORETYPE" in os.environ:
        return {}
    try:
        flags = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    except OSError:
        return {}
    if {"avx512f", "avx512vl", "avx512dq", "avx512bw"} <= flags:
        return {"OPENBLAS_CORETYPE": "SkylakeX"}
    return {"OPENBLAS_CORETYPE": "Haswell"} if {"avx2", "fma"} <= flags else {}


def run(command, limit=None):
    """What a program prints; its failure ends this one."""
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=limit, check=False,
                          env={**os.environ, **best_kernels()})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with status {done.returncode}.")
    return done.stdout


def run_json(command, limit=None):
    return json.loads(run(command, limit))


def assignments(settings):
    return [word for setting in (*COMMON, *settings) for word in ("--set", setting)]


def run_normscope(cli, settings, steps):
    return run_json([cli, "bench", "--json", "--steps", str(steps), *assignments(settings)])


def run_floor(floor, settings, steps):
    return run_json([floor, str(steps), *settings])


def run_torch(python, settings, steps, limit=None, counts=None):
    """PyTorch's steps with the better of several numbers of threads, one and all cores unless told;
    None where they take longer than the limit in seconds.  Who takes twice as long as another is
    not waited for."""
    best = None
    for threads in counts or sorted({1, os.cpu_count()}):
        started = time.monotonic()
        result = run_torch_with(python, settings, steps, threads, limit)
        if result and (not best or result["ms_per_step"] < best["ms_per_step"]):
            best = result
        taken = 10 + 2 * (time.monotonic() - started)
        limit = min(limit, taken) if limit else taken
    return best


def run_torch_with(python, settings, steps, threads, limit):
    command = [python, "-B", TORCH_STEPS, "--threads", str(threads), "--steps", str(steps),
               *assignments(settings)]
    try:
        return run_json(command, limit)
    except subprocess.TimeoutExpired:
        return None


def find_torch():
    """A Python that has PyTorch, or None."""
    for python in ("/usr/bin/python3", sys.executable):
        done = subprocess.run([python, "-c", "import torch"], stderr=subprocess.DEVNULL,
                              check=False) if os.path.exists(python) else None
        if done and done.returncode == 0:
            return python
    return None
