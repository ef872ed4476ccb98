#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Normscope beside PyTorch: the same models, every step measured, in turns.

Usage: compare.py NORMSCOPE_CLI BENCH_FLOOR BENCH_PEAK [--python COMMAND] [--compiled]
                  [--instructions SET,...] [--rounds N] [--only NAME,...] [--markdown]

--python is a command that runs a Python with PyTorch, such as “chroot FOLDER python3” where this
file has the same path in FOLDER.

Three tables, with all cores, with one thread each, and of the fastest steps, for every set of
instructions, AVX2 and better, that the processor has, or for those named; all programs are limited
to it.  Every round measures what the machine could do at most, and runs each model in Normscope,
its matrix products alone (the floor), and PyTorch: in the first round with one thread and with all
cores, and compiled too if --compiled says so, then in the ways that were the fastest, each for
about as long.  A machine is never quite quiet, so what counts is the median over rounds of the
ratios within a round; the lowest and the highest say how quiet it was.  On a machine that others
share the fastest steps, which were disturbed least, say more.  Without PyTorch only Normscope's own
table is shown.
"""

import argparse
import os
import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass

import configs

FLOOR_LIMIT = 1.25  # times the products alone
MEASURING_LIMIT = 0.03  # of a step
MEMORY_LIMIT = 1 / 2  # of PyTorch's
MEMORY_OVER = 1.2  # times weights, gradients and moments, where that is more
PEAK_GOALS = {"medium": 0.82, "iwslt": 0.82}  # of what the machine could do at most


def median(values):
    return statistics.median(values) if values else float("nan")


@dataclass(frozen=True)
class Programs:
    cli: str
    floor: str
    peak: str
    python: list  # a command that runs a Python with PyTorch, or None
    instructions: str  # that all are limited to


def share_of_peak(config, ours, peak):
    """(the share that a step reaches of what the machine could do, what limits it)."""
    gflop = ours["gflop_per_step"] - config.unseen_gflop()
    bounds = {"FMA": gflop / peak["gflops"],
              "memory": config.gbytes(ours["parameters"]) / peak["gbytes_per_s"]}
    limit = max(bounds, key=bounds.get)
    return bounds[limit] / (1e-3 * ours["ms_per_step"]), limit


def measure_torch(config, programs, ways, found):
    """A round of PyTorch in these ways, appended; returns the fastest way of all and the fastest
    with one thread."""
    results = configs.run_torch(programs.python, config.settings, config.steps,
                                programs.instructions, ways=ways)
    best, single = configs.fastest(results), configs.fastest(results, threads=1)
    for prefix, way in (("", best), ("single_", single)):
        result = results[way]
        if result["parameters"] != found["parameters"]:
            sys.exit(f"{config.name}: PyTorch's model has {result['parameters']} parameters, "
                     f"Normscope's {found['parameters']}.")
        found[prefix + "torch_ms"].append(result["ms_per_step"])
        found[prefix + "torch_least"].append(result["ms_least"])
        found[prefix + "ratio"].append(result["ms_per_step"] / found[prefix + "ms"][-1])
        found[prefix + "torch_ways"].append(way)
    found["torch_mib"].append(results[best]["peak_rss_mib"])
    return sorted({best, single})


def measure(config, programs, options, found):
    """Rounds of a model, appended to what was found."""
    limits = programs.instructions
    ways = [(threads, compiled) for compiled in ([False, True] if options.compiled else [False])
            for threads in configs.thread_counts()]
    for _ in range(options.rounds):
        peak = configs.run_peak(programs.peak, limits)
        ours = configs.run_normscope(programs.cli, config.settings, config.our_steps, limits)
        if ours["instructions"] != limits:
            sys.exit(f"{config.name}: ran on {ours['instructions']}, not on {limits}.")
        products = configs.run_floor(programs.floor, config.settings, config.our_steps, limits)
        if abs(products["gflop"] / ours["gflop_per_step"] - 1) > 1e-3:
            sys.exit(f"{config.name}: the floor has {products['gflop']:.4f} GFLOP a step, "
                     f"the plan {ours['gflop_per_step']:.4f}.")
        found["ms"].append(ours["ms_per_step"])
        found["least"].append(min(ours["each_ms"]))
        found["share"].append(ours["probe_share"])
        found["mib"].append(ours["peak_rss_mib"] or float("nan"))
        found["floor"].append(products["ms"])
        found["over_floor"].append(ours["ms_per_step"] / products["ms"])
        share, found["limit"] = share_of_peak(config, ours, peak)
        found["peak_share"].append(share)
        found["peak"].append(share * ours["ms_per_step"])
        found["parameters"] = ours["parameters"]
        single = configs.run_normscope(programs.cli, (*config.settings, "threads=1"),
                                       config.our_steps, limits)
        found["single_ms"].append(single["ms_per_step"])
        found["single_least"].append(min(single["each_ms"]))
        if programs.python:
            ways = measure_torch(config, programs, ways, found)


HEADER = ("config", "PyTorch ms", "Normscope ms", "ratio", "goal", "floor ms", "of floor",
          "of peak", "measuring", "MiB", "goal MiB")
SINGLE_HEADER = ("config", "PyTorch ms", "Normscope ms", "ratio")
FASTEST_HEADER = ("config", "PyTorch ms", "Normscope ms", "ratio", "of peak",
                  "one thread: PyTorch ms", "Normscope ms", "ratio", "of peak")


def memory_goal(found):
    """In MiB."""
    least = MEMORY_OVER * 16 * found["parameters"] / (1 << 20)
    return max(least, median(found["torch_mib"]) * MEMORY_LIMIT)


def beside_torch(found, prefix=""):
    """PyTorch's time and how it was got, ours, and the ratio with its range."""
    ours, torch, ratio = (found[prefix + key] for key in ("ms", "torch_ms", "ratio"))
    if not torch:
        return "-", f"{median(ours):.1f}", "-"
    ways = "/".join(f"{threads}{', compiled' if compiled else ''}"
                    for threads, compiled in sorted(set(found[prefix + "torch_ways"])))
    spread = f" ({min(ratio):.2f} to {max(ratio):.2f})" if len(ratio) > 1 else ""
    return f"{median(torch):.1f} ({ways})", f"{median(ours):.1f}", f"{median(ratio):.2f}{spread}"


def fastest_row(config, found):
    """Of all rounds the fastest step of each, with the share of the highest peak of any round."""
    row, bound = [config.name], min(found["peak"])
    for prefix, cores in (("", 1), ("single_", len(os.sched_getaffinity(0)))):
        ours = min(found[prefix + "least"])
        torch = min(found[prefix + "torch_least"], default=float("nan"))
        row += [f"{torch:.1f}", f"{ours:.1f}", f"{torch / ours:.2f}", f"{cores * bound / ours:.2f}"]
    return row


def row_of(config, found):
    return (
        config.name,
        *beside_torch(found),
        f"{config.goal:g}",
        f"{median(found['floor']):.1f}",
        f"{median(found['over_floor']):.2f}",
        f"{median(found['peak_share']):.2f} {found['limit']}",
        f"{100 * median(found['share']):.1f} %",
        f"{median(found['mib']):.0f}",
        f"{memory_goal(found):.0f}" if found["torch_ms"] else "-",
    )


def goals_of(config, found):
    """(what, met) for every goal that could be measured."""
    yield (f"within {FLOOR_LIMIT:g}x of the products alone",
           median(found["over_floor"]) <= FLOOR_LIMIT)
    yield f"measuring at most {100 * MEASURING_LIMIT:g} %", median(found["share"]) <= MEASURING_LIMIT
    if config.name in PEAK_GOALS:
        goal = PEAK_GOALS[config.name]
        yield f"at least {100 * goal:g} % of the peak", median(found["peak_share"]) >= goal
    if found["torch_ms"]:
        yield f"{config.goal:g}x faster than PyTorch", median(found["ratio"]) >= config.goal
        yield ("at most half of PyTorch's memory, or weights, gradients, moments and 20 %",
               median(found["mib"]) <= memory_goal(found))


def show(rows, markdown):
    if markdown:
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        lines.insert(1, "|---" * len(rows[0]) + "|")
    else:
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
    print("\n".join(lines), flush=True)


def compare(chosen, programs, label, options):
    """The table and the goals for one set of instructions."""
    found = {config.name: defaultdict(list) for config in chosen}
    for config in chosen:
        measure(config, programs, options, found[config.name])
        print(f"{label}, {config.name}: measured", file=sys.stderr, flush=True)
    others = "OpenBLAS and PyTorch" if programs.python else "OpenBLAS"
    print(f"{label}, to which Normscope, {others} are limited:\n")
    show([HEADER, *(row_of(config, found[config.name]) for config in chosen)], options.markdown)
    print(f"\n{label}, with one thread each:\n")
    show([SINGLE_HEADER, *((config.name, *beside_torch(found[config.name], "single_"))
                           for config in chosen)], options.markdown)
    print(f"\n{label}, the fastest step of each:\n")
    show([FASTEST_HEADER, *(fastest_row(config, found[config.name]) for config in chosen)],
         options.markdown)
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
    parser.add_argument("--python", help="a command that runs a Python with PyTorch")
    parser.add_argument("--compiled", action="store_true", help="tries torch.compile, too")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default=",".join(config.name for config in configs.CONFIGS))
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    python, version = configs.find_torch(options.python)
    print(f"The rival: PyTorch {version}\n" if python
          else "PyTorch is not installed, so there is nothing to compare with.\n", flush=True)
    chosen = [config for config in configs.CONFIGS if config.name in options.only.split(",")]
    for key, label in sets_of(options.cli, options.instructions).items():
        programs = Programs(options.cli, options.floor, options.peak, python, key)
        compare(chosen, programs, label, options)


if __name__ == "__main__":
    main()
