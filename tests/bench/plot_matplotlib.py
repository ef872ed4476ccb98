#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The charts of a page beside matplotlib drawing the same figure.

    plot_matplotlib.py BENCH-PLOT [ROUNDS]

The two take turns in one run, on one core, so that what else the machine does meets both; of each
the median of all rounds counts.  matplotlib draws with Agg into a canvas that is made before; only
canvas.draw() is timed, as it would be in a program that redraws its figure.  The last lines hold
the goals against it; the exit status is 0 if all are met, 77 without matplotlib.
"""

import os
import statistics
import subprocess
import sys
import time

try:
    import numpy
    import matplotlib
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

matplotlib.use("Agg")
from matplotlib import colors, pyplot  # noqa: E402  (after the choice of a backend)

WIDTH, HEIGHT, DPI = 1200, 800, 100
POINT = DPI / 72

# What is compared: ours, theirs, how many times as fast it is to be.
GOALS = (
    ("full", "page", 30, "the page, drawn whole"),
    ("follow", "page", 30, "the page, one step on"),
    ("long", "page", None, "the same with curves of 50,000 points; page of 10,000"),
    ("cells", "pcolormesh", 100, "1,000 x 1,000 cells from nothing; pcolormesh"),
    ("lanes", "imshow", None, "two lanes of 1,000 layers, one step on; imshow of one"),
    ("cells", "imshow", None, "1,000 x 1,000 cells from nothing; imshow"),
    ("full", "cairo", None, "the page, beside cairo stroking the curves alone"),
)


def new_figure():
    figure = pyplot.figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI)
    figure.set_layout_engine("none")
    return figure


def page(random):
    figure = new_figure()
    curves = figure.add_axes((0.05, 0.57, 0.93, 0.36))
    steps = numpy.arange(10000)
    for k in range(8):
        loss = 0.5 * k + numpy.exp(-steps / 2000) + random.uniform(-0.3, 0.3, steps.size)
        curves.plot(steps, loss, linewidth=1.75 / POINT, label="abcdefgh"[k])
    curves.set(title="Loss of eight runs", xlabel="step", ylabel="loss")
    curves.grid(True)
    curves.legend(ncols=8, loc="lower left", bbox_to_anchor=(0, 1))
    heat = figure.add_axes((0.05, 0.07, 0.38, 0.39))
    cells = numpy.exp(random.uniform(-4, 0, (100, 1000)) - 0.03 * numpy.arange(100)[:, None])
    image = heat.imshow(cells.astype(numpy.float32), norm=colors.LogNorm(), aspect="auto", origin="lower",
                        interpolation="nearest", extent=(-0.5, 9999.5, 0.5, 100.5))
    heat.set(title="Gradient norm by layer and step", xlabel="step", ylabel="layer")
    figure.colorbar(image, cax=figure.add_axes((0.44, 0.07, 0.01, 0.39)), label="gradient norm")
    profile = figure.add_axes((0.55, 0.07, 0.43, 0.39))
    profile.semilogy(numpy.arange(1, 101), numpy.exp(random.uniform(-1, 0, 100) - 0.03 * numpy.arange(100)),
                     "o-", linewidth=1.75 / POINT, markersize=6.5 / POINT)
    profile.set(title="Gradient norm by layer", xlabel="layer", ylabel="norm")
    profile.grid(True)
    return figure


def heatmap(random, how):
    figure = new_figure()
    axes = figure.add_axes((0.06, 0.07, 0.84, 0.87))
    cells = numpy.exp(random.uniform(-4, 0, (1000, 1000)) - 0.003 * numpy.arange(1000)[:, None])
    cells = cells.astype(numpy.float32)
    if how == "imshow":
        drawn = axes.imshow(cells, norm=colors.LogNorm(), aspect="auto", origin="lower",
                            interpolation="nearest")
    else:
        drawn = axes.pcolormesh(cells, norm=colors.LogNorm())
    axes.set(title="Gradient norm by layer and step", xlabel="step", ylabel="layer")
    figure.colorbar(drawn, cax=figure.add_axes((0.92, 0.07, 0.02, 0.87)), label="gradient norm")
    return figure


def main():
    bench, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 15
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    random = numpy.random.default_rng(1)
    figures = {"page": page(random), "imshow": heatmap(random, "imshow"),
               "pcolormesh": heatmap(random, "pcolormesh")}
    process = subprocess.Popen([bench], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    times = {}

    def ours(word):
        process.stdin.write(word + "\n")
        process.stdin.flush()
        times.setdefault(word, []).append(float(process.stdout.readline()))

    def theirs(name):
        begin = time.perf_counter()
        figures[name].canvas.draw()
        times.setdefault(name, []).append((time.perf_counter() - begin) * 1000)

    for _ in range(rounds):
        for name in figures:
            theirs(name)
            for word in ("full", "follow", "long", "lanes", "cells", "cairo"):
                ours(word)
    process.stdin.close()
    process.wait()
    median = {name: statistics.median(values) for name, values in times.items()}
    print(f"matplotlib {matplotlib.__version__}, {WIDTH} x {HEIGHT} pixels, one core, medians of "
          f"{rounds} rounds\n")
    print(f"{'':52}{'ours':>9}{'beside':>10}{'times':>8}{'goal':>7}")
    met = True
    for word, name, goal, what in GOALS:
        ratio = median[name] / median[word]
        verdict = "" if goal is None else "  met" if ratio >= goal else "  NOT MET"
        met &= goal is None or ratio >= goal
        print(f"{what:52}{median[word]:6.2f} ms{median[name]:7.0f} ms{ratio:8.0f}"
              f"{goal if goal else '':>7}{verdict}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
