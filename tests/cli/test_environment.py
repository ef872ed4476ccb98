#!/usr/bin/env python3
"""Trains under the variables with which a machine limits the threads of its programs; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_environment.py NORMSCOPE_CLI

Whatever they say, a step ends, and `threads=2` gives the numbers that it gives without them.
"""

import json
import os
import sys

from test_cli import main, run

HANG_S = 120  # a step takes a fraction of a second
VARIABLES = (
    "OMP_THREAD_LIMIT=1", "OMP_NUM_THREADS=1", "OMP_NUM_THREADS=1,1", "OMP_DYNAMIC=true",
    "OMP_MAX_ACTIVE_LEVELS=0", "OMP_WAIT_POLICY=active", "OMP_WAIT_POLICY=passive",
    "OMP_DYNAMIC=true OMP_THREAD_LIMIT=1 OMP_WAIT_POLICY=active", "OPENBLAS_NUM_THREADS=4")


def step(layers, variables=""):
    """Loss, gradient norms and hidden norms of both records of one step."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    environment.update(word.split("=", 1) for word in variables.split())
    result = run("train", "--steps", "1", "--jsonl", "-", "--set", "threads=2", "--set", f"layers={layers}",
                 env=environment, timeout=HANG_S)
    assert (result.returncode, result.stderr) == (0, b""), (variables, result)
    records = [line for line in map(json.loads, result.stdout.splitlines()) if "loss" in line]
    numbers = [[record["loss"], *record["grad_layer"], *record["hidden_norm"]] for record in records]
    assert len(numbers) == 2 and len(numbers[0]) == 2 + 2 * layers, numbers
    return [number for record in numbers for number in record]


def check(layers):
    usual = step(layers)
    for variables in VARIABLES:
        other = step(layers, variables)
        assert other == usual, (variables, usual, other)


def test_two_layers():
    check(2)


def test_twenty_layers():
    check(20)


if __name__ == "__main__":
    sys.exit(main(globals()))
