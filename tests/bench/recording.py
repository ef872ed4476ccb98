#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What it costs to record a run while it trains.

Usage: recording.py NORMSCOPE_CLI [--pairs N] [--seconds N]

Trains two models, whose steps take about 13 and 50 ms on a quiet machine, with and without --run, in
turns.  Printed are the medians of the pairs: by how much a step takes longer, and by how much the
program computes longer, which a busy machine changes less.  No pair can tell 1 % on a busy machine, so
the processor time of the thread that writes is printed, too, as a share of that of all threads.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

MODELS = {"13 ms": ["layers=6", "d-model=64", "heads=4", "seq=128", "batch=16"],
          "50 ms": ["layers=6", "d-model=128", "heads=4", "seq=128", "batch=16"]}


def train(cli, settings, steps, path):
    """Milliseconds a step by the clock, and of computing in all threads."""
    words = [word for setting in [*settings, "eval-every=0", "eval-batches=1"] for word in ("--set", setting)]
    command = [cli, "train", "--steps", str(steps), "--jsonl", "-", *words]
    with subprocess.Popen(command + (["--run", path] if path else []), stdout=subprocess.PIPE) as process:
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    seconds = [line["seconds"] for line in map(json.loads, out.splitlines()) if line.get("step", 0) > 0]
    computed = 1e3 * (usage.ru_utime + usage.ru_stime) / steps
    return 1e3 * statistics.median(seconds), 1e3 * statistics.mean(seconds), computed


def share_of_writer(cli, settings, path):
    """Of the processor time: the share of the threads that do not train, in %."""
    words = [word for setting in [*settings, "threads=1"] for word in ("--set", setting)]
    with subprocess.Popen([cli, "train", "--steps", "1000000", *words, "--run", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        time.sleep(10)
        times = {}
        for task in os.listdir(f"/proc/{process.pid}/task"):
            with open(f"/proc/{process.pid}/task/{task}/schedstat", encoding="ascii") as file:
                times[int(task)] = int(file.read().split()[0])  # ns
        process.terminate()
    return 100 * (1 - times[process.pid] / sum(times.values()))


def compare(options, name, settings):
    _, _, computed = train(options.cli, settings, 20, None)
    steps = max(20, int(1e3 * options.seconds / computed))
    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.pairs):
            path = os.path.join(folder, f"{i}.nsrun")
            both = [train(options.cli, settings, steps, path if record else None)
                    for record in ((False, True) if i % 2 else (True, False))]
            without, with_ = both if i % 2 else both[::-1]
            pairs.append((without, with_))
    print(f"{name}: {options.pairs} pairs of {steps} steps, {statistics.median(a[0] for a, _ in pairs):.1f} ms a step")
    for what, k in (("median step", 0), ("mean step", 1), ("computing", 2)):
        shares = sorted(100 * (b[k] / a[k] - 1) for a, b in pairs)
        print(f"    {what:12} {statistics.median(shares):+6.2f} % ({shares[0]:+.1f} to {shares[-1]:+.1f})", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        share = share_of_writer(options.cli, settings, os.path.join(folder, "a.nsrun"))
        print(f"    {'writing':12} {share:6.2f} %", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=10)  # of computing, each
    options = parser.parse_args()
    options.cli = os.path.abspath(options.cli)
    for name, settings in MODELS.items():
        compare(options, name, settings)


if __name__ == "__main__":
    sys.exit(main())
