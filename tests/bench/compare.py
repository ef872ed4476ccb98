#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Normscope beside PyTorch: the same models, every step measured, in turns.

Usage: compare.py NORMSCOPE_CLI BENCH_FLOOR BENCH_PEAK [--instructions SET,...] [--rounds N]
                  [--only NAME,...] [--markdown]

A table for every set of instructions, AVX2 and better, that the processor has, or for those named;
all programs are limited to it.  Every round measures what the machine could do at most, and runs
each model in Normscope, its matrix products alone (the floor), and PyTorch: in the first round with
one thread and with all cores, then with whichever was faster, each for about as long.  A machine is
never quite quiet, so what counts is the median over rounds of the ratios within a round.  Without
PyTorch only Normscope's own table is shown.
"""

import argparse
import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass

import configs

FLOOR_LIMIT = 1.25  # times the products alone
MEASURING_LIMIT = 0.03  # of a step
MEMORY_LIMIT = 1 / 2  # of PyTorch's
MEMORY_OVER = 1.2  # times weights, gradients and moments, where that is more


def median(values):
    return statistics.median(values) if values else float("nan")


@dataclass(frozen=True)
class Programs:
    cli: str
    floor: str
    peak: str
    python: str  # that has PyTorch, or None
    instructions: str  # that all are limited to


def share_of_peak(config, ours, peak):
    """(the share that a step reaches of what the machine could do, what limits it)."""
    gflop = ours["gflop_per_step"] - config.unseen_gflop()
    bounds = {"FMA": gflop / peak["gflops"],
              "memory": config.gbytes(ours["parameters"]) / peak["gbytes_per_s"]}
    limit = max(bounds, key=bounds.get)
    return bounds[limit] / (1e-3 * ours["ms_per_step"]), limit


def measure(config, programs, rounds, found):
    """Rounds of a model, appended to what was found."""
    limits = programs.instructions
    for _ in range(rounds):
        peak = configs.run_peak(programs.peak, limits)
        ours = configs.run_normscope(programs.cli, config.settings, config.our_steps, limits)
        if ours["instructions"] != limits:
            sys.exit(f"{config.name}: ran on {ours['instructions']}, not on {limits}.")
        products = configs.run_floor(programs.floor, config.settings, config.our_steps, limits)
        if abs(products["gflop"] / ours["gflop_per_step"] - 1) > 1e-3:
            sys.exit(f"{config.name}: the floor has {products['gflop']:.4f} GFLOP a step, "
                     f"the plan {ours['gflop_per_step']:.4f}.")
        found["ms"].append(ours["ms_per_step"])
        found["share"].append(ours["probe_share"])
        found["mib"].append(ours["peak_rss_mib"] or float("nan"))
        found["floor"].append(products["ms"])
        found["over_floor"].append(ours["ms_per_step"] / products["ms"])
        share, found["limit"] = share_of_peak(config, ours, peak)
        found["peak_share"].append(share)
        found["parameters"] = ours["parameters"]
        if not programs.python:
            continue
        better = configs.run_torch(programs.python, config.settings, config.steps, limits,
                                   counts=found["torch_threads"][:1])
        if better["parameters"] != ours["parameters"]:
            sys.exit(f"{config.name}: PyTorch's model has {better['parameters']} parameters, "
                     f"Normscope's {ours['parameters']}.")
        found["torch_ms"].append(better["ms_per_step"])
        found["torch_threads"].append(better["threads"])
        found["torch_mib"].append(better["peak_rss_mib"])
        found["ratio"].append(better["ms_per_step"] / ours["ms_per_step"])


HEADER = ("config", "PyTorch ms", "Normscope ms", "ratio", "goal", "floor ms", "of floor",
          "of peak", "measuring", "MiB", "goal MiB")


def memory_goal(found):
    """In MiB."""
    least = MEMORY_OVER * 16 * found["parameters"] / (1 << 20)
    return max(least, median(found["torch_mib"]) * MEMORY_LIMIT)


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
        f"{median(found['peak_share']):.2f} {found['limit']}",
        f"{100 * median(found['share']):.1f} %",
        f"{median(found['mib']):.0f}",
        f"{memory_goal(found):.0f}" if torch else "-",
    )


def goals_of(config, found):
    """(what, met) for every goal that could be measured."""
    yield (f"within {FLOOR_LIMIT:g}x of the products alone",
           median(found["over_floor"]) <= FLOOR_LIMIT)
    yield f"measuring at most {100 * MEASURING_LIMIT:g} %", median(found["share"]) <= MEASURING_LIMIT
    if found["torch_ms"]:
        yield f"{config.goal:g}x faster than PyTorch", median(found["ratio"]) >= config.goal
        yield ("at most half of PyTorch's memory, or weights, gradients, moments and 20 %",
               median(found["mib"]) <= memory_goal(found))


def show(rows, markdown):
    if markdown:
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        lines.insert(1, "|---" * len(HEADER) + "|")
    else:
        widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
    print("\n".join(lines), flush=True)


def compare(chosen, programs, label, options):
    """The table and the goals for one set of instructions."""
    found = {config.name: defaultdict(list) for config in chosen}
    for config in chosen:
        measure(config, programs, options.rounds, found[config.name])
        print(f"{label}, {config.name}: measured", file=sys.stderr, flush=True)
    others = "OpenBLAS and PyTorch" if programs.python else "OpenBLAS"
    print(f"{label}, to which Normscope, {others} are limited:\n")
    show([HEADER, *(row_of(config, found[config.name]) for config in chosen)], options.markdown)
    print()
    for config in chosen:
        for what, met in goals_of(config, found[config.name]):
            print(f"{'met    ' if met else 'NOT MET'}  {label}, {config.name}: {what}")
    print(flush=True)


def sets_of(cli, asked):
    """{key: label} of the sets to measure, the best first."""
    there = {key: label for key, (label, _) in configs.instruction_sets(cli).items()
             if key in configs.LIMITS}
    if not there:
        sys.exit("This processor has neither AVX2 nor AVX-512, and there are no goals without.")
    wanted = asked.split(",") if asked else list(reversed(there))
    missing = [key for key in wanted if key not in there]
    if missing:
        sys.exit(f"There is no {', '.join(missing)} to measure here; choose of {', '.join(there)}.")
    return {key: there[key] for key in wanted}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cli")
    parser.add_argument("floor")
    parser.add_argument("peak")
    parser.add_argument("--instructions", help="sets, as NORMSCOPE_INSTRUCTIONS names them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(config.name for config in configs.CONFIGS))
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    python = configs.find_torch()
    if not python:
        print("PyTorch is not installed, so there is nothing to compare with.")
    chosen = [config for config in configs.CONFIGS if config.name in options.only.split(",")]
    for key, label in sets_of(options.cli, options.instructions).items():
        programs = Programs(options.cli, options.floor, options.peak, python, key)
        compare(chosen, programs, label, options)


if __name__ == "__main__":
    main()
