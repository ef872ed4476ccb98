#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Normscope beside PyTorch: the same models, every step measured, in turns.

Usage: compare.py NORMSCOPE_CLI BENCH_FLOOR [--rounds N] [--only NAME,...] [--markdown]

Every round runs each model in Normscope, its matrix products alone (the floor), and PyTorch: in the
first round with one thread and with all cores, then with whichever was faster, each for about as
long.  A machine is never quite quiet, so what counts is the median over rounds of the ratios within
a round.  Without PyTorch only Normscope's own table is shown.
"""

import argparse
import statistics
import sys
from collections import defaultdict

import configs

FLOOR_LIMIT = 1.25  # times the products alone
MEASURING_LIMIT = 0.03  # of a step
MEMORY_LIMIT = 1 / 3  # of PyTorch's


def median(values):
    return statistics.median(values) if values else float("nan")


def measure(config, programs, rounds, found):
    """One round of a model, appended to what was found."""
    cli, floor, python = programs
    for _ in range(rounds):
        ours = configs.run_normscope(cli, config.settings, config.our_steps)
        products = configs.run_floor(floor, config.settings, config.our_steps)
        if abs(products["gflop"] / ours["gflop_per_step"] - 1) > 1e-3:
            sys.exit(f"{config.name}: the floor has {products['gflop']:.4f} GFLOP a step, "
                     f"the plan {ours['gflop_per_step']:.4f}.")
        found["ms"].append(ours["ms_per_step"])
        found["share"].append(ours["probe_share"])
        found["mib"].append(ours["peak_rss_mib"] or float("nan"))
        found["floor"].append(products["ms"])
        found["over_floor"].append(ours["ms_per_step"] / products["ms"])
        if not python:
            continue
        better = configs.run_torch(python, config.settings, config.steps,
                                   counts=found["torch_threads"][:1])
        if better["parameters"] != ours["parameters"]:
            sys.exit(f"{config.name}: PyTorch's model has {better['parameters']} parameters, "
                     f"Normscope's {ours['parameters']}.")
        found["torch_ms"].append(better["ms_per_step"])
        found["torch_threads"].append(better["threads"])
        found["torch_mib"].append(better["peak_rss_mib"])
        found["ratio"].append(better["ms_per_step"] / ours["ms_per_step"])


HEADER = ("config", "PyTorch ms", "Normscope ms", "ratio", "goal", "floor ms", "of floor",
          "measuring", "MiB", "PyTorch MiB / 3")


def row_of(config, found):
    torch = found["torch_ms"]
    threads = "/".join(str(n) for n in sorted(set(found["torch_threads"])))
    return (
        config.name,
        f"{median(torch):.1f} ({threads})" if torch else "-",
        f"{median(found['ms']):.1f}",
        f"{median(found['ratio']):.2f}" if torch else "-",
        f"{config.goal:g}",
        f"{median(found['floor']):.1f}",
        f"{median(found['over_floor']):.2f}",
        f"{100 * median(found['share']):.1f} %",
        f"{median(found['mib']):.0f}",
        f"{median(found['torch_mib']) * MEMORY_LIMIT:.0f}" if torch else "-",
    )


def goals_of(config, found):
    """(what, met) for every goal that could be measured."""
    yield (f"within {FLOOR_LIMIT:g}x of the products alone",
           median(found["over_floor"]) <= FLOOR_LIMIT)
    yield f"measuring at most {100 * MEASURING_LIMIT:g} %", median(found["share"]) <= MEASURING_LIMIT
    if found["torch_ms"]:
        yield f"{config.goal:g}x faster than PyTorch", median(found["ratio"]) >= config.goal
        yield ("at most a third of PyTorch's memory",
               median(found["mib"]) <= MEMORY_LIMIT * median(found["torch_mib"]))


def show(rows, markdown):
    if markdown:
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        lines.insert(1, "|---" * len(HEADER) + "|")
    else:
        widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
    print("\n".join(lines), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cli")
    parser.add_argument("floor")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(config.name for config in configs.CONFIGS))
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    python = configs.find_torch()
    if not python:
        print("PyTorch is not installed, so there is nothing to compare with.")
    chosen = [config for config in configs.CONFIGS if config.name in options.only.split(",")]
    found = {config.name: defaultdict(list) for config in chosen}
    for config in chosen:
        measure(config, (options.cli, options.floor, python), options.rounds, found[config.name])
        print(f"{config.name}: measured", file=sys.stderr, flush=True)
    show([HEADER, *(row_of(config, found[config.name]) for config in chosen)], options.markdown)
    print()
    for config in chosen:
        for what, met in goals_of(config, found[config.name]):
            print(f"{'met    ' if met else 'NOT MET'}  {config.name}: {what}")


if __name__ == "__main__":
    main()
