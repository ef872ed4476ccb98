#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How time, memory and the cost of measuring grow with depth, width, sequence and batch.

Usage: growth.py NORMSCOPE_CLI FOLDER [--only SWEEP,...] [--quick] [--table-only]

Writes FOLDER/growth.csv, one row a point, and prints it as a table of Markdown.  PyTorch follows with one thread and with as many as there are cores, whichever is
faster, for as long as a point takes it no more than a minute.  Rows of sweeps that are not measured
anew stay.
"""

import argparse
import csv
from dataclasses import dataclass
from pathlib import Path

import configs

COLUMNS = ("sweep", "curve", "layers", "width", "sequence", "batch", "ms", "mib", "measuring",
           "gflops", "threads")
SECONDS, MOST_STEPS = 2, 40  # a point
TORCH_LIMIT = 60  # seconds
TABLE_HEAD = ("along", "", "ms", "PyTorch", "MiB", "PyTorch", "measuring %")
LAYERS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)


@dataclass(frozen=True)
class Sweep:
    name: str
    along: str  # the column that grows
    words: str
    points: tuple
    base: dict
    curves: tuple = ({},)  # what tells curves of one program apart


SWEEPS = (
    Sweep("depth", "layers", "layers", LAYERS,
          {"width": 32, "heads": 2, "sequence": 16, "batch": 4}, ({"width": 16}, {"width": 32})),
    Sweep("width", "width", "width d", (16, 32, 64, 128, 256, 512, 1024),
          {"layers": 4, "heads": 4, "sequence": 32, "batch": 8}),
    Sweep("sequence", "sequence", "sequence T", (16, 32, 64, 128, 256, 512, 1024),
          {"layers": 4, "width": 64, "heads": 4, "batch": 4}),
    Sweep("batch", "batch", "batch B", (1, 2, 4, 8, 16, 32, 64, 128, 256),
          {"layers": 4, "width": 64, "heads": 4, "sequence": 32}),
)


def settings_of(shape):
    return configs.decoder(shape["layers"], shape["width"], shape["heads"], 4 * shape["width"], 96,
                           shape["sequence"], shape["batch"])


def row_of(sweep, program, shape, curve, result):
    name = ", ".join([program, *(f"{'d' if k == 'width' else k} = {v}" for k, v in curve.items())])
    return {
        "sweep": sweep.name,
        "curve": name,
        **{key: shape[key] for key in ("layers", "width", "sequence", "batch")},
        "ms": f"{result['ms_per_step']:.4g}",
        "mib": f"{result['peak_rss_mib']:.4g}" if result["peak_rss_mib"] else "",
        "measuring": f"{100 * result['probe_share']:.2f}" if "probe_share" in result else "",
        "gflops": f"{result['gflops']:.3g}" if "gflops" in result else "",
        "threads": result["threads"],
    }


def steps_for(ms, seconds):
    """As many steps as fit into the time, where one takes about so long."""
    return max(3, min(MOST_STEPS, int(1e3 * seconds / ms)))


def measure_curve(sweep, curve, points, cli, python, seconds):
    """Rows of one curve of both programs."""
    in_use = configs.set_in_use(cli)
    ms = torch_ms = 1.0
    last = None
    for point in points:
        shape = {**sweep.base, **curve, sweep.along: point}
        growth = point / last if last else 1
        ours = configs.run_normscope(cli, settings_of(shape), steps_for(ms * growth, seconds), in_use)
        yield row_of(sweep, "Normscope", shape, curve, ours)
        ms, last = ours["ms_per_step"], point
        if not python:
            continue
        steps = steps_for(torch_ms * growth, seconds)
        found = configs.run_torch(python, settings_of(shape), steps, in_use, TORCH_LIMIT)
        if not found:
            python = None
            continue
        better = found[configs.fastest(found)]
        torch_ms = better["ms_per_step"]
        yield row_of(sweep, "PyTorch", shape, curve, better)


def read_rows(path):
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def print_table(rows):
    """One table in Markdown: Normscope's time, memory and cost of measuring beside PyTorch's."""
    print("| " + " | ".join(TABLE_HEAD) + " |\n" + "|---" * len(TABLE_HEAD) + "|")
    for row in rows:
        if row["curve"].startswith("PyTorch"):
            continue
        sweep = next(sweep for sweep in SWEEPS if sweep.name == row["sweep"])
        place = ("sweep", "layers", "width", "sequence", "batch")
        torch = next((other for other in rows if other["curve"].startswith("PyTorch")
                      and all(other[key] == row[key] for key in place)), {"ms": "", "mib": ""})
        print("| " + " | ".join([sweep.words + row["curve"].removeprefix("Normscope"), row[sweep.along], row["ms"],
                                 torch["ms"], row["mib"], torch["mib"], row["measuring"]]) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cli")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default=",".join(sweep.name for sweep in SWEEPS))
    parser.add_argument("--quick", action="store_true", help="three points a curve")
    parser.add_argument("--table-only", action="store_true")
    options = parser.parse_args()
    table = options.folder / "growth.csv"
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = [sweep for sweep in SWEEPS if sweep.name in options.only.split(",")]
    python, _ = configs.find_torch()
    for sweep in () if options.table_only else chosen:
        rows = [row for row in read_rows(table) if row["sweep"] != sweep.name]
        points = sweep.points[:3] if options.quick else sweep.points
        for curve in sweep.curves:
            for row in measure_curve(sweep, curve, points, options.cli, python,
                                     0.2 if options.quick else SECONDS):
                rows.append(row)
                write_rows(table, rows)
                print(", ".join(f"{key} {row[key]}" for key in COLUMNS if row[key] != ""),
                      flush=True)
    print_table(read_rows(table))


if __name__ == "__main__":
    main()
