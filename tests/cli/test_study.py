#!/usr/bin/env python3
"""Studies, as normscope-cli runs them; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_study.py NORMSCOPE_CLI
"""

import csv
import json
import math
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from test_cli import CLI, PATIENCE_S, SMALL, main, run, sentence

HEAD = "".join(setting.replace("=", " = ") + "\n" for setting in SMALL if "threads" not in setting)
LANES = "[A]\nname = Post-LN\nplacement = post\n[B]\nname = Pre-LN\nplacement = pre\n"
QUICK = HEAD + "steps = 4\nseeds = 2\n[random]\ndraws = 3\nlr = 1e-3:1e-1\n" + LANES
# Cells that take a while, so that a signal meets some of them.
LONG = HEAD + "steps = 800\n[grid]\nseed = 1:8:8\n" + LANES


class Folder(tempfile.TemporaryDirectory):
    """A folder with a study in it; paths of names."""

    def __init__(self, text=QUICK):
        super().__init__()
        self.text = text

    def __enter__(self):
        path = super().__enter__()
        with open(os.path.join(path, "a.study"), "w", encoding="utf-8") as file:
            file.write(self.text)
        return lambda name: os.path.join(path, name)


def study(*arguments, status=0, **options):
    result = run("study", *arguments, small=False, **options)
    assert result.returncode == status, result
    assert status or result.stderr == b"", result
    return result.stdout.decode()


def cells_of(path):
    """What a file has of every cell, by its hash, without what tells of the making."""
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT hash, state, step, first, loss, validation, value FROM cells "
                                "WHERE place >= 0")
        cells = {row[0]: row[1:] for row in rows}
    database.close()
    return cells


def whole(folder, *arguments):
    """The results of the study in one go."""
    path = folder("whole.nsstudy")
    study(folder("a.study"), "--out", path, *arguments)
    cells = cells_of(path)
    assert cells and all(cell[0] in ("done", "diverged") for cell in cells.values()), cells
    return cells


def start(*arguments, **options):
    return subprocess.Popen([CLI, "study", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            **options)


def until(condition, process=None):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.01)


def ended(path):
    if not os.path.exists(path):
        return 0
    try:
        return sum(cell[0] in ("done", "diverged") for cell in cells_of(path).values())
    except sqlite3.OperationalError:  # there is no table yet
        return 0


def test_study():
    with Folder() as folder:
        text = study(folder("a.study"), "--csv", folder("a.csv"))
        assert "12 of 12 cells" in text and "A Post-LN" in text and "lr=" in text, text
        again = study(folder("a.study"))
        assert again == text
        assert study("show", folder("a.nsstudy")) == text
        value = json.loads(study("show", folder("a.nsstudy"), "--json"))
        with open(folder("a.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == len(value["cells"]) == 12
        assert [lane["name"] for lane in value["lanes"]] == ["Post-LN", "Pre-LN"]
        for row, cell in zip(rows, value["cells"]):
            assert row["lane"] == cell["lane"] and row["lr"] == cell["configuration"]["lr"]
            assert int(row["seed"]) == cell["seed"] and float(row["value"]) == cell["value"], (row, cell)
            assert cell["state"] == "done" and cell["step"] == 4 and cell["first"] > 0, cell
        # A lane has the same configurations and seeds as the other.
        keys = [[(c["configuration"]["lr"], c["seed"]) for c in value["cells"] if c["lane"] == lane]
                for lane in "AB"]
        assert keys[0] == keys[1] and len(set(keys[0])) == 6, keys


def test_cell_is_a_run():
    with Folder(HEAD + "steps = 12\nplacement = pre\nseed = 3\ndata-seed = 3\nlr = 0.02\n") as folder:
        cell = json.loads(study(folder("a.study"), "--json"))["cells"][0]
    result = run("train", "--jsonl", "-", "--steps", "12", *shlex.split(
        "--set placement=pre --set seed=3 --set data-seed=3 --set lr=0.02 --set eval-every=0"))
    losses = [json.loads(line)["loss"] for line in result.stdout.decode().splitlines()
              if '"loss"' in line and '"step"' in line][-10:]
    assert len(losses) == 10 and abs(cell["value"] - math.fsum(losses) / 10) < 1e-12, (cell, losses)


def test_nothing_is_run_again():
    with Folder() as folder:
        study(folder("a.study"))
        with sqlite3.connect(folder("a.nsstudy")) as database:
            database.execute("UPDATE cells SET value = 123 WHERE place = 0")
        database.close()
        # Some more seeds, and back.
        more = json.loads(study(folder("a.study"), "--seeds", "3", "--json"))["cells"]
        assert len(more) == 18 and more[0]["value"] == 123
        assert all(cell["state"] == "done" for cell in more)
        assert json.loads(study(folder("a.study"), "--json"))["cells"][0]["value"] == 123
        # The file holds its study, and goes on by itself.
        assert "12 of 12 cells" in study(folder("a.nsstudy"))
        other = json.loads(study(folder("a.study"), "--set", "layers=1", "--json"))["cells"]
        assert len(other) == 12 and other[0]["value"] != 123


def test_interrupted():
    """Ctrl-C and kill -9 lose only the cells that are running."""
    with Folder(LONG) as folder:
        expected = whole(folder)
        path = folder("a.nsstudy")
        for number in (signal.SIGINT, signal.SIGKILL):
            before = ended(path)
            process = start(folder("a.study"), "--jobs", "2", "--lease", "1")
            until(lambda: ended(path) > before, process)
            process.send_signal(number)
            out, err = process.communicate(timeout=PATIENCE_S)
            assert process.returncode == (130 if number == signal.SIGINT else -number), (out, err)
            assert err == b"" and before < ended(path) < 16, (before, ended(path))
        seconds = {}
        with sqlite3.connect(path) as database:
            seconds.update(database.execute("SELECT hash, seconds FROM cells WHERE state = 'done'"))
        database.close()
        study(folder("a.study"), "--lease", "1")
        assert cells_of(path) == expected
        with sqlite3.connect(path) as database:
            after = dict(database.execute("SELECT hash, seconds FROM cells"))
        database.close()
        assert all(after[hash_] == seconds[hash_] for hash_ in seconds)


def test_processes_share():
    with Folder(LONG) as folder:
        expected = whole(folder)
        processes = [start(folder("a.study"), "--jobs", "1") for _ in range(3)]
        for process in processes:
            out, err = process.communicate(timeout=PATIENCE_S)
            assert process.returncode == 0 and err == b"", err
            assert b"16 of 16 cells" in out, out
        assert cells_of(folder("a.nsstudy")) == expected


def test_created_at_once():
    """Each of many processes that create one file finds it new, or as another has created it."""
    with Folder() as folder:
        for k in range(8):
            own = folder(f"{k}.nsstudy")
            processes = [start(folder("a.study"), "--cells", "0-0", "--out", own) for _ in range(6)]
            for process in processes:
                err = process.communicate(timeout=PATIENCE_S)[1]
                assert process.returncode == 0, err


def jobs_of(folder, *arguments):
    result = run("study", folder("a.study"), "--print-jobs", *arguments, small=False)
    assert result.returncode == 0, result
    return result.stdout.decode().splitlines(), result.stderr.decode()


def test_jobs():
    """A command for each part: lost, doubled and gathered twice, each result counts once."""
    with Folder() as folder:
        expected = whole(folder)
        jobs, hint = jobs_of(folder, "--chunk", "5")
        assert len(jobs) == 3 and "study merge" in hint, (jobs, hint)
        subprocess.run(jobs[0], shell=True, check=True, stdout=subprocess.DEVNULL)
        doubled = [subprocess.Popen(jobs[2], shell=True, stdout=subprocess.DEVNULL) for _ in range(3)]
        assert [process.wait(PATIENCE_S) for process in doubled] == [0] * 3
        parts = sorted(os.path.join(folder("a.parts"), name) for name in os.listdir(folder("a.parts"))
                       if name.endswith(".nsstudy"))
        assert len(parts) == 2, parts
        merge = [CLI, "study", "merge", folder("a.nsstudy"), *parts]
        gatherers = [subprocess.Popen(merge, stderr=subprocess.PIPE) for _ in range(3)]
        told = [process.communicate(timeout=PATIENCE_S)[1].decode() for process in gatherers]
        # Each part is added by one of them, whoever comes to it first.
        counts = [re.search(r"(\d+) results added(?:, (\d+) were known)?", line) for line in told]
        added = [int(count[1]) for count in counts]
        assert sum(added) == 7, told
        assert all(int(count[1]) + int(count[2] or 0) == 7 for count in counts), told
        assert all("7 of 12 cells" in line for line in told), told
        # What is left is the part that was lost.
        left, _ = jobs_of(folder, "--chunk", "5")
        assert left == jobs[1:2], left
        subprocess.run(left[0], shell=True, check=True, stdout=subprocess.DEVNULL)
        run("study", "merge", folder("a.nsstudy"), *parts, os.path.join(folder("a.parts"), "5-1.nsstudy"),
            small=False)
        assert cells_of(folder("a.nsstudy")) == expected
        assert jobs_of(folder)[0] == []


def test_merge_into_a_new_file():
    with Folder() as folder:
        expected = whole(folder)
        for part in ("0-6", "3-11"):
            study(folder("a.study"), "--cells", part, "--network", "--out", folder(part + ".nsstudy"))
        result = run("study", "merge", folder("new.nsstudy"), folder("0-6.nsstudy"),
                     folder("3-11.nsstudy"), small=False)
        assert result.returncode == 0 and b"12 results added, 4 were known" in result.stderr, result
        assert cells_of(folder("new.nsstudy")) == expected


def test_another_instruction_set():
    """A result of other instructions is told, and never replaces one that is there."""
    with Folder() as folder:
        study(folder("a.study"))
        before = cells_of(folder("a.nsstudy"))
        portable = dict(os.environ, NORMSCOPE_INSTRUCTIONS="portable")
        study(folder("a.study"), "--out", folder("b.nsstudy"), env=portable)
        result = run("study", "merge", folder("a.nsstudy"), folder("b.nsstudy"), small=False)
        same = cells_of(folder("b.nsstudy")) == before
        assert same or b"of the known results differ" in result.stderr, result
        assert cells_of(folder("a.nsstudy")) == before
        study(folder("a.study"), "--seeds", "3", env=portable)
        text = study("show", folder("a.nsstudy"))
        assert same or "different instruction sets" in text and "portable (6)" in text, text


def test_comparison():
    """The table, the JSON and the chart say the same."""
    text = HEAD + "steps = 3\n[grid]\nlr = 1e-3, 1e-2, 1e-1, 1\nwarmup = 1, 2\n" + LANES
    with Folder(text) as folder:
        table = study(folder("a.study"))
        value = json.loads(study("show", folder("a.nsstudy"), "--json"))
        comparison = value["comparison"]
        assert comparison["configurations"] == 8
        best = [row for row in comparison["best_of_k"] if row["lane"] == "B"]
        assert [row["k"] for row in best] == [1, 2, 3, 4], best
        scores = sorted(min(cell["value"], cell["first"]) for cell in value["cells"] if cell["lane"] == "B")
        assert abs(best[0]["best"]["value"] - sum(scores) / 8) < 1e-12, (best, scores)
        expected = sum(score * (7 - i) for i, score in enumerate(scores)) / 28
        assert abs(best[1]["best"]["value"] - expected) < 1e-12, (best, expected)
        pair = comparison["pairs"][0]
        for row in pair["budgets"]:
            difference = row["difference"]
            assert difference["lo"] is None and row["better"] == "no verdict" and 0 <= row["a_wins"] <= 1, row
        assert pair["verdict"] == "no verdict" and "One seed: no verdict.\n" in table and "Verdict" not in table, table
        assert f" {best[0]['best']['value']:.4g}\n" in table and "interval" not in table, table
        assert len(value["sensitivity"]) == 2 and len(value["sensitivity"][0]["lr"]) == 4
        assert comparison["better"] == "lower" and "lower is better" in table, table
        for figure in ("best-of", "lr-sensitivity", "phase"):
            study("show", folder("a.nsstudy"), "--figure", figure, "--out", folder(figure + ".csv"))
            with open(folder(figure + ".csv"), encoding="utf-8") as file:
                assert len(file.readlines()) > 8
        assert f"{best[0]['best']['value']:.6g}"[:6] in open(folder("best-of.csv"), encoding="utf-8").read()


def test_verdict():
    """With several seeds the table, the JSON and the chart have intervals and the same verdict."""
    text = HEAD + "steps = 3\nseeds = 3\n[grid]\nlr = 1e-3, 1e-2, 1e-1, 1\n" + LANES
    with Folder(text) as folder:
        table = study(folder("a.study"))
        comparison = json.loads(study("show", folder("a.nsstudy"), "--json"))["comparison"]
        pair = comparison["pairs"][0]
        for row in pair["budgets"]:
            decided = row["difference"]["lo"] > 0 or row["difference"]["hi"] < 0
            assert decided == (row["better"] != "undecided"), row
        words = {"a": "A is better", "b": "B is better", "undecided": "undecided"}[pair["verdict"]]
        assert pair["verdict"] == pair["budgets"][-1]["better"], pair
        assert f"Verdict, A against B at k = 2: {words}\n" in table, table
        assert f"{comparison['best_of_k'][0]['best']['value']:.4g} [" in table and "95% intervals" in table, table
        study("show", folder("a.nsstudy"), "--figure", "best-of", "--out", folder("a.svg"))
        with open(folder("a.svg"), encoding="utf-8") as file:
            assert f"A against B at k = 2: {words}." in file.read()


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


AXES = "[grid]\nlr = 1e-3, 1e-2\nwarmup = 1, 2\nclip = 0, 1\n" + LANES


def test_figures_have_single_seeds():
    """Every value of every seed is in the table of a figure, and nothing else under its name."""
    with Folder(HEAD + "steps = 3\nseeds = 2\n" + AXES) as folder:
        cells = json.loads(study(folder("a.study"), "--json"))["cells"]
        first = min(cell["seed"] for cell in cells)
        for figure in ("best-of", "lr-sensitivity", "phase"):
            study("show", folder("a.nsstudy"), "--figure", figure, "--out", folder(figure + ".csv"))
        for number in (1, 2):
            own = [cell for cell in cells if cell["seed"] == first + number - 1]
            name = f"seed {number} of 2"
            best = [float(row["y"]) for row in rows_of(folder("best-of.csv")) if row["figure"].endswith(name)]
            assert sorted(best) == sorted(cell["value"] for cell in own), (best, own)
            rates = [row for row in rows_of(folder("lr-sensitivity.csv")) if row["figure"].endswith(name)]
            scores = [min(cell["value"], cell["first"]) for cell in own]
            assert len(rates) == 4 and all(float(row["y"]) in scores for row in rates), rates
            maps = [row for row in rows_of(folder("phase.csv")) if row["figure"].endswith(name)]
            assert len(maps) == 8 and {row["figure"].split(", ")[-2] for row in maps} == {"A", "B"}, maps
            assert all(any(abs(float(row["value"]) - value) < 1e-6 for value in best) for row in maps), maps


def test_figures_keep_their_study():
    """The study comes back out of a figure, and then has the same cells."""
    with Folder(HEAD + 'title = a \\ "b"\nsteps = 1\n' + AXES) as folder:
        study(folder("a.study"))
        for name in ("best-of.png", "best-of.svg", "phase.pdf", "lr-sensitivity.csv"):
            study("show", folder("a.nsstudy"), "--figure", name.split(".")[0], "--out", folder(name))
            result = run("show", folder(name), small=False)
            assert result.returncode == 0 and b"normscope-cli study" in result.stdout, result
            again = write(folder("again.study"), result.stdout.decode())
            assert jobs_of_file(again, folder("a.nsstudy")) == [], result.stdout


def jobs_of_file(path, results):
    result = run("study", path, "--out", results, "--print-jobs", small=False)
    assert result.returncode == 0, result
    return result.stdout.decode().splitlines()


def test_axes_of_phase():
    with Folder(HEAD + "steps = 2\n" + AXES) as folder:
        cells = json.loads(study(folder("a.study"), "--json"))["cells"]
        show = ("show", folder("a.nsstudy"), "--figure", "phase", "--out", folder("p.csv"))
        for options, keys in (((), ("lr", "warmup")), (("--x", "clip"), ("clip", "lr")),
                              (("--y", "lr"), ("warmup", "lr")), (("--x", "warmup", "--y", "clip"), ("warmup", "clip"))):
            study(*show, *options)
            for row in rows_of(folder("p.csv")):
                x, y, value = list(row.values())[1:4]
                lane = row["figure"][-1]
                best = min(cell["value"] for cell in cells if cell["lane"] == lane
                           and (cell["configuration"][keys[0]], cell["configuration"][keys[1]]) == (x, y))
                assert abs(float(value) - best) < 1e-6, (options, row, best)
        study(*show[:-1], folder("p.svg"))
        with open(folder("p.svg"), encoding="utf-8") as file:
            assert "best result over Gradient clipping" in file.read()
        for options in (("--x", "seed"), ("--x", "lr", "--y", "lr")):
            assert "lr" in sentence(run("study", *show, *options, small=False), 2)
        for words in (("--figure", "best-of", "--out", folder("b.csv")), ()):
            sentence(run("study", "show", folder("a.nsstudy"), *words, "--x", "lr", small=False), 2)


def test_direction():
    """What is no loss is compared as the study says it, and else not, which is said."""
    head = HEAD + "steps = 2\n[grid]\nlr = 1e-3, 1e-2, 1e-1\n[result]\nquantity = grad-norm\n"
    with Folder(head + LANES) as folder:
        table = study(folder("a.study"))
        assert "better = higher" in table and "A against B" not in table, table
        assert "comparison" not in json.loads(study("show", folder("a.nsstudy"), "--json"))
        out = ("--figure", "best-of", "--out", folder("b.csv"))
        assert "better = higher" in sentence(run("study", "show", folder("a.nsstudy"), *out, small=False), 2)
        for better, pick in (("lower", min), ("higher", max)):
            path = write(folder("b.study"), head + f"better = {better}\n" + LANES)
            # The numbers of the cells are the same: nothing is run again.
            assert jobs_of_file(path, folder("a.nsstudy")) == []
            value = json.loads(study(path, "--out", folder("a.nsstudy"), "--json"))
            comparison = value["comparison"]
            assert comparison["better"] == better and f"{better} is better" in study(folder("a.nsstudy"))
            values = {lane: [cell["value"] for cell in value["cells"] if cell["lane"] == lane] for lane in "AB"}
            best = {row["lane"]: row["best"] for row in comparison["best_of_k"] if row["k"] == 1}
            for lane in "AB":
                assert abs(best[lane]["value"] - sum(values[lane]) / 3) < 1e-9, best
                assert best[lane]["lo"] is None and best[lane]["hi"] is None, best
            pair = comparison["pairs"][0]["budgets"][0]
            wins = sum(1 if pick(a, b) == a else 0 for a in values["A"] for b in values["B"]) / 9
            assert abs(pair["a_wins"] - wins) < 1e-9, pair
            rates = value["sensitivity"][0]
            assert [row["value"] for row in rates["best"]] == values["A"], rates
            distance = abs(pick(values["A"]) - sum(values["A"]) / 3)
            assert abs(rates["sensitivity"]["value"] - distance) < 1e-9, rates
        bad = write(folder("c.study"), HEAD + "[result]\nbetter = higher\n")
        assert "loss" in sentence(run("study", bad, small=False), 2)
        bad = write(folder("c.study"), HEAD + "[result]\nquantity = bleu\nbetter = lower\n")
        assert "BLEU" in sentence(run("study", bad, small=False), 2)
        pairs = write(folder("d.study"), HEAD.replace("seq = 8", "seq = 48") +
                      "task = translation\narch = encoder-decoder\nsteps = 1\n[grid]\nlr = 1e-3, 1e-2\n[result]\nquantity = bleu\n" + LANES)
        assert json.loads(study(pairs, "--json"))["comparison"]["better"] == "higher"
        bad = write(folder("c.study"), HEAD + "[result]\nbetter = more\n")
        assert "lower or higher" in sentence(run("study", bad, small=False), 2)


def test_figure_errors():
    with Folder() as folder:
        study(folder("a.study"))
        show = ("show", folder("a.nsstudy"), "--out", folder("a.pdf"))
        assert "best-of" in sentence(run("study", *show, "--figure", "best", small=False), 2)
        for name in ("none.nsstudy", "none.study"):
            said = sentence(run("study", "show", folder(name), "--csv", folder("a.csv"), small=False), 1)
            assert "there is no such file" in said, said
        assert "[grid]" in sentence(run("study", *show, "--figure", "phase", small=False), 2)
        assert "--figure" in sentence(run("study", *show, small=False), 2)
        assert "--out" in sentence(run("study", *show[:2], "--figure", "best-of", small=False), 2)
        sentence(run("study", *show[:2], "--size", "slide", small=False), 2)
        assert not os.path.exists(folder("a.pdf"))


def test_diverged():
    text = HEAD + "steps = 400\noptimizer = sgd\nlr = 100\n[A]\nplacement = none\n"
    with Folder(text) as folder:
        value = json.loads(study(folder("a.study"), "--json"))
        cell = value["cells"][0]
        assert cell["state"] == "diverged" and cell["step"] < 400 and cell["value"] is None, cell
        assert "Diverged at step" in cell["message"], cell
        assert "1 diverged" in study("show", folder("a.nsstudy"))


def test_tables_run_nothing():
    """A spreadsheet takes a cell that begins so for a formula; numbers stay numbers."""
    names = ["=1+1", "+cmd|x", "-2+3", "@sum", "-1.5"]
    expected = ["'=1+1", "'+cmd|x", "'-2+3", "'@sum", "-1.5"]
    for two, cells in ((names[:2], expected[:2]), (names[2:4], expected[2:4]), (names[3:], expected[3:])):
        lanes = "".join(f"[{letter}]\nname = {name}\nseed = {i}\n" for i, (letter, name) in enumerate(zip("AB", two)))
        with Folder(HEAD + "steps = 1\n" + lanes) as folder:
            study(folder("a.study"), "--csv", folder("a.csv"))
            with open(folder("a.csv"), encoding="utf-8") as file:
                assert [row["name"] for row in csv.DictReader(file)] == cells
    with Folder() as folder:
        out = folder("a.csv")
        result = run("chart", "--figure", "loss", "--steps", "1", "--lane", "lr=1", "--lane", "lr=2", "--names",
                     "=a;-b", "--out", out)
        assert result.returncode == 0, result
        with open(out, encoding="utf-8") as file:
            series = {row["series"] for row in csv.DictReader(file)}
        assert all(name[0] == "'" or name[0].isalpha() for name in series) and len(series) >= 2, series


def test_errors():
    with Folder() as folder:
        sentence(run("study", small=False), 2)
        assert "Line 2" in sentence(run("study", write(folder("b.study"), "steps = 1\nlrr = 2\n"),
                                        small=False), 2)
        near = write(folder("b.study"), "steps = 1\n[result]\nquantity = val_loss\n")
        assert "did you mean “validation-loss”?" in sentence(run("study", near, small=False), 2)
        short = write(folder("b.study"), HEAD + "seeds = 2\n" + LANES)
        assert "steps" in sentence(run("study", short, small=False), 2)
        study(short, "--set", "steps=2")
        path = folder("a.study")
        assert "varies lr" in sentence(run("study", path, "--set", "lr=1", small=False), 2)
        assert "--seeds" in sentence(run("study", path, "--set", "seeds=2", small=False), 2)
        sentence(run("study", path, "--jobs", "0", small=False), 2)
        sentence(run("study", path, "--seeds", "-1", small=False), 2)
        sentence(run("study", path, "--lease", "0", small=False), 2)
        sentence(run("study", path, "--chunk", "-1", small=False), 2)
        assert "0-11" in sentence(run("study", path, "--cells", "12-13", small=False), 2)
        sentence(run("study", path, "--cells", "0-1", "--slurm", small=False), 2)
        assert "overwritten" in sentence(run("study", path, "--out", path, small=False), 2)
        assert "overwritten" in sentence(run("study", path, "--csv", path, small=False), 2)
        assert "no such folder" in sentence(run("study", path, "--out", folder("b/a.nsstudy"),
                                                small=False), 1)
        assert "results of a study" in sentence(run("study", "show", path, small=False), 1)
        nothing = folder("nothing.nsstudy")
        sentence(run("study", "show", nothing, small=False), 1)
        assert not os.path.exists(nothing)
        study(path)
        assert "missing" in sentence(run("study", "merge", folder("a.nsstudy"), nothing, small=False), 1)
        other = write(folder("other.nsstudy"), "no database")
        assert "another kind" in sentence(run("study", "merge", folder("a.nsstudy"), other, small=False), 1)
        own = folder("a.nsstudy")
        os.link(own, folder("link.nsstudy"))
        for same in (own, folder("link.nsstudy")):
            begun = time.monotonic()
            assert "merged into" in sentence(run("study", "merge", own, same, small=False), 1)
            assert time.monotonic() - begun < 30


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


if __name__ == "__main__":
    sys.exit(main(globals()))
