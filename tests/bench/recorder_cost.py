#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the recorder for PyTorch (resources/python) adds to a step of training.

Usage: recorder_cost.py

Steps with the recorder and without it take turns, on one thread.  What counts is the median over turns
of the ratio within a turn.  The goal is 5 % of a step at most.  Beside it stands by how much longer the
thread computes, which a busy machine changes less.
"""

import os
import statistics
import sys
import tempfile
import time

try:
    import torch
    from torch.nn import functional as F
except ImportError:
    sys.exit("PyTorch (python3-torch) is not installed.")

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../resources/python"))

import torch_steps  # noqa: E402
from normscope_recorder import Recorder  # noqa: E402

TURNS, STEPS, BATCH, SEQ, LIMIT = 30, 3, 16, 64, 0.05


def seconds(model, optimizer, tokens, recorder):
    """By the clock, and of computing."""
    started = time.perf_counter(), time.process_time()
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        if recorder:
            recorder.step(loss, optimizer=optimizer)
        optimizer.step()
    return time.perf_counter() - started[0], time.process_time() - started[1]


def main():
    torch.set_num_threads(1)
    settings = torch_steps.read_settings(["placement=pre", "layers=4", "d-model=128", f"batch={BATCH}",
                                          f"seq={SEQ}"])
    model = torch_steps.make_model(settings)
    optimizer = torch.optim.Adam(model.parameters())
    tokens = torch.randint(96, (BATCH, SEQ + 1))
    shares = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(TURNS + 1):
            without = seconds(model, optimizer, tokens, None)
            with Recorder(model, os.path.join(folder, "run.jsonl")) as recorder:
                with_it = seconds(model, optimizer, tokens, recorder)
                shares.append([a / b - 1 for a, b in zip(with_it, without)])
    clock, computing = (sorted(column) for column in zip(*shares[1:]))  # the first turn warms up
    share = statistics.median(clock)
    for what, column in (("a step", clock), ("its computing", computing)):
        print(f"The recorder takes {100 * statistics.median(column):.1f} % of {what} (median of {TURNS} "
              f"turns, from {100 * column[0]:.1f} to {100 * column[-1]:.1f} %).")
    print(f"{'met    ' if share <= LIMIT else 'NOT MET'}  at most {100 * LIMIT:.0f} % of a step")


if __name__ == "__main__":
    main()
