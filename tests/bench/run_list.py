#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How long the table of 200 runs takes: own run files, and folders with a log each.

Usage: run_list.py NORMSCOPE_CLI [--runs N] [--steps N] [--times N]

The run files are copies of one of 200 steps of a model with 6 layers; a log is a CSV table of 2,000 steps
with five columns, beside a config.json.  Printed are the medians by the clock and of processor time.
"""

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def make_files(cli, folder, runs):
    os.mkdir(folder)
    first = os.path.join(folder, "000.nsrun")
    subprocess.run([cli, "train", "--steps", "200", "--set", "layers=6", "--set", "d-model=32", "--run", first], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for i in range(1, runs):
        shutil.copy(first, os.path.join(folder, f"{i:03}.nsrun"))


def make_logs(folder, runs, steps):
    for i in range(runs):
        run = os.path.join(folder, f"lr_{i + 1}e-5_seed_{i % 5}")
        os.makedirs(run)
        with open(os.path.join(run, "config.json"), "w", encoding="utf-8") as file:
            json.dump({"warmup": 100 * (i % 3), "width": 512}, file)
        with open(os.path.join(run, "metrics.csv"), "w", encoding="utf-8") as file:
            file.write("step,loss,lr,grad_norm,val_loss\n")
            for step in range(steps):
                validation = f"{3.5 + i / 99:.4f}" if step % 100 == 0 else ""
                file.write(f"{step},{3 + math.exp(-step / 500):.6f},{1e-5 * (i + 1):.6g},{1 + step % 7 / 9:.5f},{validation}\n")


def measure(cli, folder, runs, times):
    pairs = []
    for _ in range(times):
        start = time.perf_counter()
        with subprocess.Popen([cli, "runs", folder, "--json"], stdout=subprocess.PIPE) as process:
            rows = process.stdout.read().splitlines()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        pairs.append((time.perf_counter() - start, usage.ru_utime + usage.ru_stime))
        assert process.returncode == 0 and len(rows) == runs and not any(b'"error"' in row for row in rows), rows[:3]
    clock, computed = (statistics.median(values) for values in zip(*pairs))
    return f"{clock:.2f} s by the clock, {computed:.2f} s of processor time"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files, logs = os.path.join(folder, "files"), os.path.join(folder, "logs")
        make_files(options.cli, files, options.runs)
        make_logs(logs, options.runs, options.steps)
        for what, where in (("run files", files), (f"logs of {options.steps} steps", logs)):
            print(f"{options.runs} {what}: {measure(options.cli, where, options.runs, options.times)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
