#!/usr/bin/env python3
"""Charts and plots, as normscope-cli draws them; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_charts.py NORMSCOPE_CLI [--every]
"""

import csv
import json
import math
import os
import struct
import sys
import tempfile

from test_cli import FIGURES, FORMATS, main, records_of, run, sentence, train

DRAWINGS = ["diagram", "diagram-gradient"]
EVERY = "--every" in sys.argv


def test_charts():
    """Every figure, in two formats each; with --every in all of them."""
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "csv": b"figure,",
              "tex": b"% normscope="}
    with tempfile.TemporaryDirectory() as folder:
        for i, figure in enumerate(FIGURES + DRAWINGS):
            for k, (ending, start) in enumerate(starts.items()):
                if not EVERY and (k - i) % len(starts) > 1:
                    continue
                path = os.path.join(folder, f"{figure}.{ending}")
                result = run("chart", "--figure", figure, "--steps", "5", "--out", path)
                if figure in DRAWINGS and ending == "tex":
                    assert "pgfplots" in sentence(result, 2)
                    continue
                assert (result.returncode, result.stdout, result.stderr) == (0, b"", b""), result
                with open(path, "rb") as file:
                    assert file.read(len(start)) == start, path


def test_chart_is_the_same_every_time():
    with tempfile.TemporaryDirectory() as folder:
        for ending in FORMATS:
            contents = []
            for name in ("a", "b"):
                path = os.path.join(folder, name + "." + ending)
                assert run("chart", "--figure", "gradient-norm", "--steps", "3",
                           "--out", path).returncode == 0
                with open(path, "rb") as file:
                    contents.append(file.read())
            assert contents[0] == contents[1], ending


def test_legend_without_room():
    with tempfile.TemporaryDirectory() as folder:
        for size, moved in (("column", True), ("slide", False)):
            result = run("chart", "--figure", "steps", "--steps", "30", "--legend", "inside",
                         "--size", size, "--out", os.path.join(folder, size + ".png"))
            assert result.returncode == 0, result
            assert (b"so it is above" in result.stderr) == moved, result


def test_what_is_left_out():
    lanes = ("--lane", "placement=post", "--lane", "placement=pre", "--steps", "5")
    long_names = ("--names", "a first name that is long;a second name that is long")
    with tempfile.TemporaryDirectory() as folder:
        out = ("--out", os.path.join(folder, "out.svg"))
        for figure, more, words in (
                ("all", (), None), ("loss,profile", ("--size", "slide"), None),
                ("all", ("--size", "slide"), "the panels below charts, reference lines;"),
                ("all", ("--text-size", "24") + long_names, "complete names and titles;")):
            said = run("chart", "--figure", figure, *lanes, *more, *out, small=False).stderr.decode()
            assert (f"There was no space for {words}" in said) if words else not said, said


def test_chart_size():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.png")
        assert run("chart", "--figure", "loss", "--steps", "2", "--size", "200x100", "--dpi", "144",
                   "--out", path).returncode == 0
        with open(path, "rb") as file:
            assert struct.unpack(">II", file.read(24)[16:]) == (400, 200)


def test_axis_is_named():
    """A figure whose height is free grows until the axis under two plots has its name."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.svg")
        assert run("chart", "--figure", "hidden-norm", "--step", "1", "--set", "layers=6", "--lane", "placement=post",
                   "--lane", "placement=pre", "--out", path).returncode == 0
        with open(path, encoding="utf-8") as file:
            assert ">layer (0: embedding)<" in file.read()


def test_names_are_literal():
    """Names of users and of their files are drawn as they are, whatever _ and ^ mean in labels of the program."""
    with tempfile.TemporaryDirectory() as folder:
        common = ("chart", "--steps", "2", "--figure", "loss(title=run_2^{k} of me)", "--lane", "placement=post", "--lane", "placement=pre",
                  "--names", "lr_1e-3;b^2_{x}")
        for ending, expected in (("svg", (">run_2^{k} of me<", ">lr_1e-3: Post-LN; b^2_{x}: Pre-LN",
                                                  "<desc>run_2^{k} of me; lr_1e-3 ", "b^2_{x}: validation")),
                                 ("csv", ("lr_1e-3", "b^2_{x}")),
                                 ("tex", (r"lr\_1e-3", r"b\textasciicircum{}2\_\{x\}", r"run\_2\textasciicircum{}\{k\} of me"))):
            path = os.path.join(folder, "chart." + ending)
            result = run(*common, "--experiment", "off", "--size", "wide", "--out", path)
            assert result.returncode == 0, result
            with open(path, encoding="utf-8") as file:
                written = file.read()
            assert all(name in written for name in expected), (ending, written[:6000])
            assert "\u2060" not in written, ending


def test_chart_data():
    record = records_of(train("--steps", "4"))[4]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.csv")
        assert run("chart", "--figure", "gradient-norm", "--gradient", "w1", "--steps", "4",
                   "--out", path).returncode == 0
        with open(path) as file:
            rows = [line.rstrip("\n").split(",") for line in file]
    where = rows[0].index("y")
    values = [float(row[where]) for row in rows[1:] if row[rows[0].index("series")] == "step 4"]
    assert len(values) == 2
    for value, expected in zip(values, record["grad_norm"]["w1"]):
        assert math.isclose(value, expected, rel_tol=1e-6), (values, record["grad_norm"]["w1"])


def test_a_run_that_ends_is_validated():
    """At its last step, as “train” and the window do; not at a step before it, where a longer run was paused."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.csv")
        for every in ("3", "0"):
            lines = records_of(train("--steps", "5", "--set", "eval-every=" + every))
            validated = {line["step"]: line["validation_loss"] for line in lines
                         if line.get("validation_loss") is not None and "lr" in line}
            assert list(validated) == ([0, 3, 5] if every == "3" else [5]), validated
            for words, to in ((["--step", "5"], 5), (["--step", "2", "--until", "5"], 5), (["--step", "4"], 4)):
                assert run("chart", "--figure", "loss", "--set", "steps=5", "--set", "eval-every=" + every, *words,
                           "--out", path).returncode == 0
                shown = {x: y for x, (y, _, _) in curve(path, "validation").items()}
                assert shown == {step: loss for step, loss in validated.items() if step <= to}, (every, words, shown)


def curve(path, series):
    """What a table has of one curve of the loss: (y, lo, hi) of every x."""
    with open(path, newline="") as file:
        rows = [row for row in csv.DictReader(file)
                if row["series"] == series and row["figure"] == "Loss"]
    return {float(row["x"]): [float(row[key] or "nan") for key in ("y", "lo", "hi")] for row in rows}


def test_chart_of_several_seeds():
    """The mean and the deviation of the runs that each seed gives by itself."""
    with tempfile.TemporaryDirectory() as folder:
        path, again = os.path.join(folder, "a.csv"), os.path.join(folder, "b.csv")
        common = ["--steps", "3", "--lane", "placement=post seed=7", "--lane", "placement=pre"]
        result = run("chart", "--figure", "loss,gradient-norm", "--set", "seeds=3", "--out", path, *common)
        assert (result.returncode, result.stderr) == (0, b""), result
        drawn = curve(path, "A Post-LN, seed 7")
        single = [[r["loss"] for r in records_of(train("--steps", "3", "--set", "placement=post",
                                                        "--set", f"seed={seed}"))]
                  for seed in (7, 8, 9)]
        for step in range(4):
            values = [losses[step] for losses in single]
            mean = sum(values) / 3
            sd = math.sqrt(sum((v - mean) ** 2 for v in values) / 2)
            for found, wanted in zip(drawn[step], (mean, mean - sd, mean + sd)):
                assert abs(found - wanted) < 1e-9, (step, found, wanted)
        for seed in range(3):
            with open(path, newline="") as file:
                own = [float(row["y"]) for row in csv.DictReader(file)
                       if row["figure"] == f"Loss, seed {seed + 1} of 3"
                       and row["series"] == "A Post-LN, seed 7"]
            assert own == single[seed], (seed, own)
        shown = run("show", path, small=False).stdout.decode()
        assert "seeds = 3" in shown, shown
        assert run("chart", "--from", path, "--out", again, small=False).returncode == 0
        assert open(path).read() == open(again).read()
        assert run("chart", "--from", path, "--set", "seeds=1", "--out", again,
                   small=False).returncode == 0
        assert math.isnan(curve(again, "A Post-LN, seed 7")[0][1])


def test_seeds_that_cannot_be():
    for words, advice in ((["seeds=0"], "1 and 10"), (["seeds=11"], "1 and 10"), (["seeds=2,5"], "number"),
                          (["seeds=3", "--set", "seed=2147483646"], "2147483647")):
        text = sentence(run("chart", "--out", "a.pdf", "--figure", "loss", "--set", *words), 2)
        assert advice in text, text


def test_commands_of_one_seed():
    """They refuse further seeds, also those of a file, and say what to do."""
    with tempfile.TemporaryDirectory() as folder:
        preset, out = os.path.join(folder, "seeds.preset"), os.path.join(folder, "out")
        with open(preset, "w") as file:
            file.write("seeds = 3\n")
        for command, advice in ((["bench"], "seeds=1"), (["check"], "seeds=1"), (["dump", "--out", out], "seeds=1"),
                                (["probe"], "--seeds")):
            for more in (["--set", "seeds=3"], ["--from", preset]):
                text = sentence(run(*command, *more), 2)
                assert advice in text and "seed" in text, (command, text)
        text = sentence(run("sweep", "--x", "seeds=1,2", "--y", "warmup=1,2"), 2)
        assert "seeds" in text and "axis" in text, text
        assert not os.path.exists(out)


def values_in_record(record, row):
    """What a record says of a quantity, in one row of numbers; None if it says nothing."""
    key = row["key"]
    special = {"hidden-sq": "hidden_norm_sq", "final-hidden-sq": "final_hidden_norm_sq"}
    parameter = key[len("grad-"):].replace("-", "_") if key.startswith("grad-") else None
    value = record["grad_norm"].get(parameter, record.get(special.get(key, key.replace("-", "_"))))
    if value is None or isinstance(value, (int, float)):
        return value if value is None else [value]
    flat = [v for item in value for v in (item if isinstance(item, list) else [item])]
    return [v for v in flat if v is not None]


def drawn_values(path, figure):
    """The numbers of a table that belong to step 2."""
    with open(path, newline="") as file:
        lines = list(csv.DictReader(file))
    if figure == "heads":
        return [line["value"] for line in lines if line["value"]]
    if figure == "profile":
        return [line["y"] for line in lines if "step 2" in line["series"] and line["y"]]
    return [line["y"] for line in lines if line["x"] == "2"]


def test_chart_of_every_quantity():
    """Each is drawn, and the numbers drawn are those of the JSON lines."""
    figures = {"step": "steps", "layer": "profile", "hidden": "profile", "head": "heads"}
    model = ("--steps", "2", "--set", "arch=encoder-decoder", "--set", "probe-every=2",
             "--set", "curvature-every=2", "--set", "ablation-every=2", "--set",
             "layer-sharpness-every=2", "--set", "seq=5", "--set", "eval-every=0")
    record = records_of(train(*model))[2]
    rows = json.loads(run("list", "quantities", "--json").stdout)
    expected = {row["key"]: values_in_record(record, row) for row in rows}
    figure_of = {row["key"]: figures[row["domain"]] for row in rows}
    drawn = [key for key, values in expected.items() if values is not None]
    assert len(drawn) > 60, drawn
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.csv")
        for key in set(expected) - set(drawn):
            sentence(run("chart", "--figure", figure_of[key], "--quantity", key, "--out", path, *model), 2)
        sheet = ",".join(f"{figure_of[key]}:{key}" for key in drawn)
        result = run("chart", "--figure", sheet, "--each", "--out", path, *model)
        assert (result.returncode, result.stdout, result.stderr) == (0, b"", b""), result
        for key in drawn:
            named = os.path.join(folder, f"a-{figure_of[key]}-{key}.csv")
            # What a figure shows by itself is not in the name.
            usual = os.path.join(folder, f"a-{figure_of[key]}.csv")
            found = drawn_values(named if os.path.exists(named) else usual, figure_of[key])
            assert len(found) == len(expected[key]), (key, found, expected[key])
            for a, b in zip(sorted(map(float, found)), sorted(expected[key])):
                assert math.isclose(a, b, rel_tol=1e-6), (key, found, expected[key])
        for figure in ("steps", "heatmap", "profile"):
            assert run("chart", "--figure", figure, "--quantity", "token-cosine", "--steps", "5",
                       "--out", path).returncode == 0
        # The name that JSON lines have.
        assert run("chart", "--figure", "profile:update_angle", "--steps", "2", "--out", path).returncode == 0


def test_chart_measures_what_is_expensive():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.csv")
        for settings, steps in (((), range(0, 41, 2)), (("--set", "probe-every=8"), range(0, 41, 8))):
            assert run("chart", "--figure", "steps", "--quantity", "token-cosine", "--steps", "40",
                       "--out", path, *settings).returncode == 0
            with open(path, newline="") as file:
                lines = list(csv.DictReader(file))
            assert {int(line["x"]) for line in lines if line["y"]} == set(steps)


if __name__ == "__main__":
    sys.exit(main(globals()))
