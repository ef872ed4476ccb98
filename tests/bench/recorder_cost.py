#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the recorder for PyTorch (resources/python) adds to a step of training.

Usage: recorder_cost.py [--pairs N] [--layers N] [--d-model N]

Two copies of a model take turns, one with the recorder, on one thread; which of a pair comes first is
random.  Printed is the median of the differences within a pair as a share of the median step, by the
clock and of processor time, which a busy machine changes less; the intervals are of 95 % (percentile
bootstrap over pairs).  The goal is at most 5 % of a step, and the whole interval has to be below it.
"""

import argparse
import copy
import os
import random
import statistics
import sys
import tempfile
import time

# A second thread that waits actively would count as computing, and slow this one down.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

try:
    import torch
    from torch.nn import functional as F
except ImportError:
    sys.exit("PyTorch (python3-torch) is not installed.")

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../resources/python"))

import torch_steps  # noqa: E402
from normscope_recorder import Recorder  # noqa: E402

WARM_UP, BATCH, SEQ, LIMIT, RESAMPLES = 3, 16, 64, 0.05, 1000


def seconds(model, optimizer, tokens, recorder):
    """By the clock, and of computing."""
    started = time.perf_counter(), time.process_time()
    optimizer.zero_grad()
    loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    loss.backward()
    if recorder:
        recorder.step(loss, optimizer=optimizer)
    optimizer.step()
    return time.perf_counter() - started[0], time.process_time() - started[1]


def share(pairs):
    return statistics.median(b - a for a, b in pairs) / statistics.median(a for a, _ in pairs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--d-model", type=int, default=128)
    options = parser.parse_args()
    torch.set_num_threads(1)
    random.seed(1)
    settings = torch_steps.read_settings(["placement=pre", f"layers={options.layers}", f"batch={BATCH}",
                                          f"d-model={options.d_model}", f"seq={SEQ}"])
    model = torch_steps.make_model(settings)
    models = model, copy.deepcopy(model)
    optimizers = [torch.optim.Adam(model.parameters()) for model in models]
    tokens = torch.randint(96, (BATCH, SEQ + 1))
    pairs = []
    with tempfile.TemporaryDirectory() as folder, Recorder(models[1], os.path.join(folder, "run.jsonl")) as recorder:
        for _ in range(WARM_UP + options.pairs):
            took = {}
            for i in random.sample((0, 1), 2):
                took[i] = seconds(models[i], optimizers[i], tokens, recorder if i else None)
            pairs.append((took[0], took[1]))
    del pairs[:WARM_UP]
    for k, what in enumerate(("a step", "its computing")):
        own = [(a[k], b[k]) for a, b in pairs]
        shares = sorted(share(random.choices(own, k=len(own))) for _ in range(RESAMPLES))
        low, high = shares[RESAMPLES // 40], shares[-1 - RESAMPLES // 40]
        verdict = "met" if high <= LIMIT else "NOT MET" if low > LIMIT else "undecided: repeat it with more --pairs"
        print(f"The recorder takes {100 * share(own):.1f} % of {what}, [{100 * low:.1f}, {100 * high:.1f}] ({len(own)} "
              f"pairs, a step without it {1000 * statistics.median(a for a, _ in own):.0f} ms); at most "
              f"{100 * LIMIT:.0f} %: {verdict}")


if __name__ == "__main__":
    main()
