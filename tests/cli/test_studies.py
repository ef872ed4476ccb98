#!/usr/bin/env python3
"""Sweeps, figures of the paper and checks, as normscope-cli runs them; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_studies.py NORMSCOPE_CLI
"""

import contextlib
import csv
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from test_cli import CLI, SMALL, main, number, run, sentence

GRID = ["--x", "lr=0.01,0.1,100", "--y", "warmup=1,10", "--steps", "8", "--set", "optimizer=sgd"]


def sweep(*arguments, grid=GRID):
    """The JSON object of a sweep that must succeed."""
    result = run("sweep", "--json", *grid, *arguments)
    assert (result.returncode, result.stderr) == (0, b""), result
    return json.loads(result.stdout)


def without_times(value):
    return [{key: cell[key] for key in cell if key != "seconds"} for cell in value["cells"]]


def test_sweep():
    value = sweep()
    assert value["x"] == {"key": "lr", "values": ["0.01", "0.1", "100"]}
    assert value["y"] == {"key": "warmup", "values": ["1", "10"]}
    assert value["steps"] == 8 and value["settings"]["layers"] == 2
    cells = value["cells"]
    assert [(c["x"], c["y"]) for c in cells] == [(x, y) for y in value["y"]["values"]
                                                 for x in value["x"]["values"]]
    for cell in cells:
        if cell["x"] == "100":
            assert cell["state"] == "diverged" and cell["loss"] is None
            assert 1 <= cell["step"] <= 8 and f"step {cell['step']}:" in cell["message"]
        else:
            assert cell["state"] == "done" and cell["step"] == 8
            assert number(cell["loss"]) > 0 and number(cell["validation_loss"]) > 0


def test_sweep_has_one_result():
    assert without_times(sweep("--workers", "1")) == without_times(sweep("--workers", "3"))


def test_sweep_is_a_run():
    """A cell ends like a run of its own."""
    value = sweep()
    result = run("train", "--jsonl", "-", "--steps", "8", "--set", "optimizer=sgd", "--set",
                 "lr=0.1", "--set", "warmup=10", "--set", "eval-every=0")
    records = [json.loads(line) for line in result.stdout.decode().splitlines()]
    losses = [record["loss"] for record in records if "loss" in record]
    cell = [c for c in value["cells"] if (c["x"], c["y"]) == ("0.1", "10")][0]
    assert abs(cell["loss"] - sum(losses) / len(losses)) < 1e-12, (cell, losses)


def test_sweep_for_people():
    text = run("sweep", *GRID).stdout.decode()
    table, messages = text.split("\n\n")[1:]
    assert messages.startswith("lr=100 warmup=1: Diverged at step"), messages
    rows = [line.replace("diverged ", "diverged-").split() for line in table.splitlines()]
    assert rows[0] == ["0.01", "0.1", "100"] and [row[0] for row in rows[1:]] == ["1", "10"], rows
    cells = sweep()["cells"]
    for shown, cell in zip(rows[1][1:] + rows[2][1:], cells):
        diverged = cell["state"] == "diverged"
        assert shown == (f"diverged-{cell['step']}" if diverged else f"{cell['loss']:.5g}"), shown


def test_sweep_drawn():
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("pdf", "svg", "png", "tex", "csv"):
            path = os.path.join(folder, "phase." + ending)
            result = run("sweep", *GRID, "--out", path)
            assert (result.returncode, result.stderr) == (0, b""), result
            assert os.path.getsize(path) > 200
        with open(os.path.join(folder, "phase.csv"), encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        assert [row[1:3] for row in rows] == [[x, y] for y in ("1", "10")
                                              for x in ("0.01", "0.1", "100")], rows
        assert rows[2][3].lower() == "nan" and float(rows[0][3]) > 0, rows


def test_sweep_again():
    """A figure repeats its sweep: the same bytes, from any format; options have the last word."""
    with tempfile.TemporaryDirectory() as folder:
        def draw(name, *arguments):
            path = os.path.join(folder, name)
            result = run("sweep", *arguments, "--out", path, small=False)
            assert (result.returncode, result.stderr) == (0, b""), result
            with open(path, "rb") as file:
                return path, file.read()

        small = [word for setting in SMALL for word in ("--set", setting)]
        for ending in ("pdf", "svg", "png", "tex", "csv"):
            path, first = draw("a." + ending, *GRID, *small, "--set", "seed=7", "--linear")
            _, again = draw("b." + ending, "--from", path)
            assert again == first, ending
        shown = run("show", path, small=False).stdout.decode()
        assert "--x lr=0.01,0.1,100 --y warmup=1,10" in shown and "steps = 8" in shown, shown
        other, _ = draw("c.csv", "--from", path, "--x", "lr=0.1,0.2", "--steps", "2")
        shown = run("show", other, small=False).stdout.decode()
        assert "--x lr=0.1,0.2 --y warmup=1,10" in shown and "steps = 2" in shown, shown
        again = os.path.join(folder, "d.pdf")
        sentence(run("chart", "--from", path, "--out", again, small=False), 2)
        loss = run("chart", "--from", path, "--figure", "loss", "--out", again, small=False)
        assert loss.returncode == 0, loss


def test_sweep_of_seeds():
    """A cell is the mean of its seeds, each of which is the sweep of that seed alone."""
    value = sweep("--seeds", "2")
    one, two = (sweep("--set", f"seed={seed}", "--set", f"data-seed={seed}") for seed in (1, 2))
    assert value["seeds"] == 2 and value == {**value, "x": one["x"], "y": one["y"]}
    for cell, first, second in zip(value["cells"], one["cells"], two["cells"]):
        assert cell["state"] == first["state"] and len(cell["seeds"]) == 2, cell
        if cell["state"] == "done":
            assert cell["seeds"] == [first["loss"], second["loss"]], (cell, first, second)
            assert abs(cell["loss"] - sum(cell["seeds"]) / 2) < 1e-12, cell
    text = run("sweep", *GRID, "--seeds", "2").stdout.decode()
    assert "means of 2 seeds" in text, text


def test_sweep_goes_on():
    """What is in the file of results is not trained again; the file is one of a study."""
    with tempfile.TemporaryDirectory() as folder:
        path, kept = (os.path.join(folder, name) for name in ("a.csv", "a.nsstudy"))
        assert run("sweep", *GRID, "--out", path).returncode == 0
        with sqlite3.connect(kept) as database:
            assert database.execute("SELECT COUNT(*) FROM cells").fetchone() == (6,)
            database.execute("UPDATE cells SET value = 1.25 WHERE state = 'done'")
            database.execute("UPDATE cells SET state = 'waiting', value = NULL WHERE place = 1")
        database.close()
        cells = sweep("--results", kept)["cells"]
        losses = [cell["loss"] for cell in cells if cell["state"] == "done"]
        assert losses.count(1.25) == 3 and cells[1]["loss"] == sweep()["cells"][1]["loss"], losses
        more = sweep("--results", kept, "--y", "warmup=1,10,20", "--x", "lr=0.01,0.1", grid=GRID[4:])["cells"]
        assert [cell["loss"] for cell in more][2] == 1.25 and all(c["loss"] for c in more), more
        shown = run("study", "show", kept, small=False)
        assert b"6 of 6 cells" in shown.stdout, shown


def test_sweep_caption():
    """The caption does not tell one value of what has several."""
    with tempfile.TemporaryDirectory() as folder:
        path, preset = (os.path.join(folder, name) for name in ("phase.svg", "hot.preset"))
        with open(preset, "w", encoding="utf-8") as file:
            file.write("lr = 0.5\n")
        result = run("sweep", "--x", "seed=1,2", "--y", "lr=0.1,0.2", "--steps", "3",
                     "--preset", preset, "--caption", "on", "--size", "300x150mm", "--out", path)
        assert result.returncode == 0, result
        with open(path, encoding="utf-8") as file:
            drawn = file.read().split("</metadata>")[1]
        assert "Normscope" in drawn and "seed=" not in drawn and "lr=0.5" not in drawn


def test_sweep_errors():
    sentence(run("sweep", "--x", "lr=1,2"), 2)
    sentence(run("sweep", "--x", "lr=1,2", "--y", "lr=1,2"), 2)
    sentence(run("sweep", "--x", "lr=1,2", "--y", "wormup=1,2"), 2)
    sentence(run("sweep", "--x", "lr=1:2", "--y", "warmup=1,2"), 2)
    sentence(run("sweep", "--x", "heads=2,3", "--y", "warmup=1,2"), 2)
    sentence(run("sweep", *GRID, "--workers", "0"), 2)
    assert "--x is given twice" in sentence(run("sweep", *GRID, "--x", "lr=1,2"), 2)
    sentence(run("sweep", *GRID, "--out", "phase.bmp"), 2)


def paper(*arguments, status=0):
    result = run("paper", *arguments, small=False)
    assert result.returncode == status and result.stderr == b"", result
    return result.stdout.decode()


def test_paper():
    lines = [json.loads(line) for line in paper("depth", "hidden-scale", "--json").splitlines()]
    assert [line["study"] for line in lines] == ["depth", "hidden-scale"]
    for line in lines:
        assert line["agrees"] is True and all(f["agrees"] for f in line["findings"] if f["counted"]), line
        for series in line["series"]:
            assert len(series["x"]) == len(series["y"]) > 0
    slopes = [finding["value"] for finding in lines[0]["findings"]]
    assert abs(slopes[0]) < 0.15 and abs(slopes[1] + 0.5) < 0.15, slopes


def test_paper_for_people():
    text = paper("hidden-scale")
    assert "Lemma 2" in text and "expectation" in text and ": agrees" in text, text
    assert "true by construction, not counted" in text and "claims fixed on" in text, text
    one = paper("hidden-scale", "--seeds", "1")
    assert "agrees" not in one and "no verdict (one seed decides nothing)" in one, one


def test_paper_diverged():
    """Where runs diverged, five seeds have no verdict, and a claim without a value does not agree."""
    wild = ("residual-ablation", "--set", "lr=0.3", "--set", "steps=40", "--json", "--seeds", "5")
    findings = json.loads(paper(*wild, status=1))["findings"]
    norms = findings[1]
    assert norms["diverged"] > 0 and norms["verdict"] == "no verdict" and norms["interval"] == [None, None], norms
    for finding in findings:
        assert finding["value"] is not None or not finding["agrees"], finding


def test_paper_drawn():
    with tempfile.TemporaryDirectory() as folder:
        new = os.path.join(folder, "a", "b")
        paper("layers", "--out", new)
        with open(os.path.join(new, "layers.pdf"), "rb") as file:
            assert file.read(5) == b"%PDF-"
        shown = run("show", os.path.join(new, "layers.pdf"), small=False).stdout.decode()
        assert "normscope-cli paper layers" in shown, shown
        blocked = os.path.join(folder, "file")
        open(blocked, "w", encoding="utf-8").close()
        sentence(run("paper", "layers", "--out", os.path.join(blocked, "x"), small=False), 1)


def test_paper_goes_on():
    """With a folder, what has ended is not run again, and the jobs of a scheduler are the same runs."""
    with tempfile.TemporaryDirectory() as folder:
        text = ("hidden-scale", "--seeds", "2", "--set", "layers=3", "--json", "--out", folder)
        first = json.loads(paper(*text))
        kept = os.path.join(folder, "hidden-scale.nsstudy")
        with sqlite3.connect(kept) as database:
            assert database.execute("SELECT COUNT(*) FROM curves").fetchone() == (4,)
            database.execute("UPDATE cells SET seconds = 1000")
            database.execute("UPDATE cells SET state = 'waiting' WHERE place = 2")
        database.close()
        again = json.loads(paper(*text))
        assert 3000 <= again.pop("seconds") < 3900 and first.pop("seconds") < 900
        assert again == first
        assert len(first["series"][0]["x"]) == 4, first
        for series in first["series"]:
            seeds = series["seeds"]
            assert len(seeds) == (0 if series["theory"] else 2), series
            for i, mean in enumerate(series["y"] if seeds else []):
                assert abs(mean - (seeds[0][i] + seeds[1][i]) / 2) < 1e-12, series
            assert not seeds or seeds[0] != seeds[1], series
        os.remove(kept)
        jobs = run("paper", *text[:-3], "--out", folder, "--list-jobs", small=False)
        for line in jobs.stdout.decode().splitlines():
            subprocess.run(line, shell=True, check=True, stdout=subprocess.DEVNULL)
        parts = os.path.join(folder, "hidden-scale.parts")
        files = [os.path.join(parts, name) for name in os.listdir(parts) if name.endswith(".nsstudy")]
        assert len(files) == 4, files
        assert run("study", "merge", kept, *files, small=False).returncode == 0
        with sqlite3.connect(kept) as database:
            database.execute("UPDATE cells SET seconds = 2000")
        database.close()
        gathered = json.loads(paper(*text))
        assert gathered.pop("seconds") == 8000 and gathered == first


def test_paper_report():
    """One document of the studies that were named, whose figures and results lie beside it."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "new")
        words = ("hidden-scale", "init-scale", "--seeds", "2", "--report", report)
        told = paper(*words)
        names = sorted(os.listdir(report))
        assert names == ["hidden-scale.nsstudy", "hidden-scale.svg", "init-scale.nsstudy",
                         "init-scale.svg", "report.md", "report.pdf"], names
        with open(os.path.join(report, "report.md"), encoding="utf-8") as file:
            text = file.read()
        for line in told.splitlines():
            if line.startswith("  → "):
                assert "- " + line[4:] in text, line
        for name in ("hidden-scale", "init-scale"):
            assert f"({name}.svg)" in text, text
        assert "placement = post" in text and "seeds = 2" in text and "Of 2 studies" in text, text
        assert re.search("SHA-256 [0-9a-f]{64}, as fixed on", text) and "had been seen when" in text, text
        with open(os.path.join(report, "report.pdf"), "rb") as file:
            pdf = file.read()
        assert pdf.startswith(b"%PDF-1.4") and pdf.count(b"/Type /Page") >= 4, pdf[:20]
        # Again it is the same document, from what was kept.
        paper(*words)
        with open(os.path.join(report, "report.pdf"), "rb") as file:
            assert file.read() == pdf
        sentence(run("paper", "depth", "--report", report, "--out", report, small=False), 2)


def test_paper_scale():
    """At the paper's scale a study has the paper's sizes, unless somebody sets others."""
    with tempfile.TemporaryDirectory() as folder:
        words = ("fig4", "--scale", "paper", "--out", folder, "--list-jobs", "--set", "d-ff=2048")
        assert run("paper", *words, small=False).returncode == 0
        with open(os.path.join(folder, "fig4.parts", "study.study"), encoding="utf-8") as file:
            study = file.read()
        assert "d-model = 512" in study and "d-ff = 2048" in study, study
        assert "warmup = 4000" in study and "optimizer = radam" in study, study
        assert "schedule = step" in study and "schedule = linear" in study, study
        assert "small, desk or paper" in sentence(run("paper", "fig4", "--scale", "large", small=False), 2)
        tiny = ("d-model=8", "heads=2", "d-ff=8", "batch=1", "tokenizer=char")
        paper("fig3d", "--scale", "paper", "--seeds", "1", "--out", folder, *[w for s in tiny for w in ("--set", s)])
        shown = run("show", os.path.join(folder, "fig3d.pdf"), small=False).stdout.decode()
        words = re.search("“(normscope-cli paper .*)” repeats", shown).group(1).split()
        assert words[:5] == ["normscope-cli", "paper", "fig3d", "--scale", "paper"] and words[-2:] == ["--seeds", "1"], shown
        assert set(words[5:-2]) == {"--set", *tiny}, shown


def test_paper_desk():
    """Real pairs overnight: what an interrupt has left is not run again."""
    assert "source=FILE" in sentence(run("paper", "fig4", "--scale", "desk", small=False), 2)
    assert "no sizes" in sentence(run("paper", "fig3a", "--scale", "desk", small=False), 2)
    with tempfile.TemporaryDirectory() as folder:
        pairs, out = os.path.join(folder, "pairs"), os.path.join(folder, "out")
        with open(pairs, "w", encoding="utf-8") as file:
            file.writelines(f"satz {i} hat {i * i} worte\n" for i in range(60))
        sizes = ("d-model=8", "heads=2", "d-ff=8", "layers=1", "tokenizer=char", "batch-tokens=256", "steps=60",
                 "decay-start=40", "eval-every=30", "eval-batches=1", "bleu-sentences=2", f"source={pairs}",
                 f"target={pairs}")
        words = ["paper", "fig4", "--scale", "desk", "--seeds", "1", "--jobs", "1", "--json", "--out", out,
                 *[word for size in sizes for word in ("--set", size)]]
        process = subprocess.Popen([CLI, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        kept, ended = os.path.join(out, "fig4.nsstudy"), []
        while not ended and process.poll() is None:
            time.sleep(0.01)
            if os.path.exists(kept):
                with contextlib.closing(sqlite3.connect(kept)) as database, contextlib.suppress(sqlite3.Error):
                    ended = database.execute("SELECT place, value, seconds FROM cells WHERE state = 'done'").fetchall()
        process.send_signal(signal.SIGINT)
        process.communicate()
        assert ended and process.returncode == 130, process.returncode
        result = json.loads(paper(*words[1:]))
        with contextlib.closing(sqlite3.connect(kept)) as database:
            cells = database.execute("SELECT place, value, seconds FROM cells WHERE state = 'done'").fetchall()
        assert len(cells) == 4 and set(ended) <= set(cells), (ended, cells)
        assert result["verdict"] == "no verdict", result
        assert result["findings"][3]["reason"] == "BLEU below 10, not counted", result


def test_paper_errors():
    assert "--list-jobs" in sentence(run("paper", "hidden-scale", "--list-jobs", small=False), 2)
    assert "varies layers" in sentence(run("paper", "depth", "--set", "layers=3", small=False), 2)
    assert "--seeds" in sentence(run("paper", "depth", "--seeds", "-1", small=False), 2)
    assert "hidden-scale" in sentence(run("paper", "hiden", small=False), 2)


def test_check():
    result = run("check", "--layer", "2", "--step", "3", "--json",
                 "--set", "placement=pre", "--set", "activation=gelu")
    value = json.loads(result.stdout)
    assert result.returncode == 0 and result.stderr == b""
    assert value["step"] == 3 and value["layer"] == 2 and value["agrees"] and value["skipped"] == 0
    assert value["settings"]["placement"] == "pre"
    names = [row["tensor"] for row in value["tensors"]]
    assert "blk1.attn.wq" in names and "blk1.ffn.w2" in names and len(names) == len(set(names))
    assert all(name.startswith("blk1.") for name in names)
    for kind, key in (("along", "worst"), ("random", "worst_random")):
        known = [row[kind]["error"] for row in value["tensors"] if row[kind]["unknown"] <= 0.1]
        assert value[key] == max(known), (key, value[key], known)
    for row in value["tensors"]:
        assert row["along"]["analytic"] >= 0 and row["along"]["step_size"] > 0
        if row["along"]["unknown"] <= 0.1:
            assert row["along"]["error"] <= value["worst"] < 0.02
    assert value["known"] + value["unknown"] == 2 * len(names)
    text = run("check", "--set", "activation=gelu").stdout.decode()
    assert "layer 1 at step 0" in text and "The gradients agree with finite differences" in text
    assert "blk0.norm1.gain" in text
    # A model that learns nothing, of which a check has nothing to say.
    still = ("--set", "placement=no-residual", "--set", "init-scale=0.001")
    assert "too small" in sentence(run("check", *still), 2)
    # Before a run that would never end.
    assert "no layer 3" in sentence(run("check", "--layer", "3", "--step", "1000000000"), 2)
    assert "--layer" in sentence(run("check", "--layer", "0"), 2)
    diverged = ("--set", "placement=none", "--set", "layers=30", "--set", "lr=100")
    assert "diverged" in sentence(run("check", "--step", "50", *diverged), 2)


if __name__ == "__main__":
    sys.exit(main(globals()))
