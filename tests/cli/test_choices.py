#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a command line leaves open is said, and what contradicts itself is refused (TAP).

Usage: test_choices.py normscope-cli
"""

import json
import math
import os
import re
import sys
import tempfile

from test_cli import main, number, records_of, run, sentence, train

WILD = ("--set", "placement=none", "--set", "layers=40", "--set", "init-scale=30")


def refused(*arguments, words, **options):
    """A command that ends with status 2 and one sentence with all these words."""
    line = sentence(run(*arguments, **options), 2)
    missing = [word for word in words if word not in line]
    assert not missing, (arguments, line)


def shown_step(path):
    """The step that the subtitle of a figure names."""
    with open(path, encoding="utf-8") as file:
        return int(re.search(r"step (\d+)<", file.read()).group(1))


def test_how_far_and_which_step():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.svg")
        chart = ("chart", "--figure", "gradient-norm", "--out", out)
        refused(*chart, "--steps", "2", "--step", "5", words=["--step 5", "--steps 2"])
        refused(*chart, "--set", "steps=2", "--step", "5", words=["--step 5"])
        refused(*chart, "--steps", "7", "--step", "5", "--until", "9", words=["--steps 7", "--until 9"])
        assert not os.listdir(folder)
        # How far, and what of it is shown.
        for more in (("--steps", "9"), ("--until", "9"), ("--set", "steps=9")):
            assert run(*chart, "--step", "5", *more).returncode == 0
            assert shown_step(out) == 5
            shown = run("show", out, small=False).stdout.decode()
            assert "step 5" in shown.splitlines()[0], shown
    refused("check", "--set", "steps=5", words=["--step"])
    refused("bench", "--set", "steps=5", words=["--steps"])


def test_the_step_that_was_asked_for():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.svg")
        for figure in ("attention", "tokens", "similarity", "profile:token-cosine"):
            for arguments, step in ((("--steps", "47"), 47), (("--step", "31", "--until", "45"), 31)):
                result = run("chart", "--figure", figure, *arguments, "--out", out)
                assert (result.returncode, result.stderr) == (0, b""), result
                assert shown_step(out) == step, (figure, arguments, shown_step(out))
                with open(out, encoding="utf-8") as file:
                    assert "Only the newest" not in file.read(), figure
        # Where a setting says what is measured, the figure says what it shows.
        result = run("chart", "--figure", "attention", "--steps", "47", "--set", "probe-every=20",
                     "--out", out)
        assert result.returncode == 0 and b"the figure shows step 40" in result.stderr, result
        assert shown_step(out) == 40


def test_given_twice():
    refused("train", "--set", "lr=1", "--set", "lr=2", words=["lr is given twice", "1", "2"])
    refused("train", "--steps", "1", "--steps", "2", words=["--steps is given twice"])
    refused("train", "-n", "1", "--steps=2", words=["--steps is given twice"])
    refused("compare", "--lane", "lr=1 lr=2", "--lane", "lr=3", words=["lr is given twice"])
    refused("sweep", "--x", "lr=1,2", "--y", "seed=1,2", "--set", "lr=4", words=["lr is given twice"])
    # The same value is no choice, and a lane says what is special about it.
    assert run("train", "--set", "lr=1", "--set", "lr=1.0", "--steps", "0").returncode == 0
    assert run("compare", "--set", "lr=1", "--lane", "lr=2", "--lane", "seed=2", "--steps",
               "0").returncode == 0


def test_numbers_out_of_range():
    for jobs in ("-1", "0", "257"):
        refused("paper", "fig3c", "--jobs", jobs, words=[f"--jobs must be between 1 and 256, not {jobs}"])
    refused("finetune", "--run", "a.nsrun", "--steps", "1", words=["--steps must be at least 2, not 1"])


def test_what_is_learned():
    with tempfile.TemporaryDirectory() as folder:
        book, preset = (os.path.join(folder, name) for name in ("book.txt", "one.preset"))
        with open(book, "w", encoding="utf-8") as file:
            file.write("what is learned, " * 60)
        text = "text=" + book
        for task in ("task=grammar", "task=copy"):
            for pair in ((task, text), (text, task)):
                refused("train", "--set", pair[0], "--set", pair[1], words=[task, text])
                refused("compare", "--set", pair[0], "--lane", pair[1], "--lane", "seed=2",
                        words=[task, text])
                refused("compare", "--lane", " ".join(pair), "--lane", "seed=2", words=[task, text])
                with open(preset, "w", encoding="utf-8") as file:
                    file.writelines(word.replace("=", " = ", 1) + "\n" for word in pair)
                refused("train", "--preset", preset, words=["one.preset", "Line 2", task, text])
        for settings in ((text,), (text, "task=text"), ("task=text", text)):
            words = [word for setting in settings for word in ("--set", setting)]
            assert train(*words, "--steps", "0")[0]["settings"]["task"] == "text"
    refused("compare", "--set", "task=copy", "--lane", "vocab=4", "--lane", "vocab=20",
            words=["vocab is 4", "20 in lane B"])


def test_where_the_norms_are():
    mixture = "mixture=post*3,pre*9"
    refused("train", "--set", "placement=pre", "--set", mixture, words=["placement=pre", mixture])
    refused("train", "--set", mixture, "--set", "placement=post", words=["placement=post", mixture])
    refused("sweep", "--x", "placement=post,pre", "--y", "seed=1,2", "--set", mixture,
            words=["placement=post", mixture])
    lanes = ("--lane", "placement=pre", "--lane", mixture)
    table = run("compare", *lanes, "--steps", "0").stdout.decode().splitlines()
    assert table[1].endswith("  placement=pre") and table[2].endswith("  " + mixture), table
    model = run("train", "--set", mixture, "--steps", "0").stdout.decode().splitlines()[1]
    assert "mixture post*3,pre*9" in model and "Post-LN" not in model, model
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.svg")
        assert run("chart", "--figure", "hidden-norm", *lanes, "--steps", "0", "--out",
                   out).returncode == 0
        with open(out, encoding="utf-8") as file:
            figure = file.read()
        legend = re.sub("<metadata.*?</metadata>", "", figure, flags=re.DOTALL)
        assert "B mixture post*3,pre*9" in legend and "B Post-LN" not in legend
        shown = run("show", out, small=False).stdout.decode()
        assert "mixture = post*3,pre*9" in shown and "placement = post" not in shown, shown
        # A file that named both beside one another is read as it was meant.
        both = figure.replace("mixture=&apos;\\&apos;&apos;post", "placement=post mixture=&apos;\\&apos;&apos;post")
        with open(out, "w", encoding="utf-8") as file:
            file.write(both)
        again = run("chart", "--from", out, "--out", os.path.join(folder, "again.svg"), small=False)
        assert (again.returncode, again.stderr) == (0, b""), again


def test_keys_that_mean_nothing():
    with tempfile.TemporaryDirectory() as folder:
        preset = os.path.join(folder, "one.preset")
        with open(preset, "w", encoding="utf-8") as file:
            file.write("layers = 2\n\nlayrs = 3\n")
        for option in ("--preset", "--from"):
            refused("train", option, preset, small=False,
                    words=["one.preset", "Line 3", "“layrs”", "“layers”"])
        out = os.path.join(folder, "out.svg")
        assert run("chart", "--figure", "loss", "--steps", "1", "--out", out).returncode == 0
        with open(out, encoding="utf-8") as file:
            figure = file.read()
        for version, words in (("0.1.0", []), ("9.9.9", ["Normscope 9.9.9"])):
            with open(out, "w", encoding="utf-8") as file:
                file.write(re.sub("normscope=[0-9.]+", f"normscope={version} beta9=1", figure))
            refused("train", "--from", out, small=False, words=["out.svg", "“beta9”", *words])


def test_figures_of_two_runs():
    with tempfile.TemporaryDirectory() as folder:
        for figure in ("ratio", "compare", "loss,ratio"):
            refused("chart", "--figure", figure, "--steps", "1", "--out",
                    os.path.join(folder, "out.pdf"), words=["two runs", "--lane"])
        assert not os.listdir(folder)


def test_looks_without_effect():
    refused("sweep", "--x", "lr=1,2", "--y", "seed=1,2", "--size", "slide", words=["--size", "--out"])
    with tempfile.TemporaryDirectory() as folder:
        for ending, options, said in (("csv", ("--size", "slide"), "--size"),
                                      ("pdf", ("--dpi", "150"), "--dpi")):
            result = run("chart", "--figure", "loss", "--steps", "1", *options, "--out",
                         os.path.join(folder, "out." + ending))
            assert result.returncode == 0 and said in result.stderr.decode(), result


def test_not_a_number():
    for command in (["train", "--steps", "3"], ["probe", "--seeds", "2"], ["probe", "--seeds", "1"],
                    ["compare", "--steps", "3", "--lane", "lr=1", "--lane", "lr=2"],
                    ["sweep", "--x", "lr=1,2", "--y", "seed=1,2", "--steps", "1"]):
        result = run(*command, *WILD)
        text = result.stdout.decode() + result.stderr.decode()
        assert result.returncode == 0 and "diverged" in text, result
        assert not re.search(r"\b(nan|inf)\b", text, re.IGNORECASE), text
    row = run("compare", "--steps", "3", "--lane", "lr=1", "--lane", "lr=2",
              *WILD).stdout.decode().splitlines()[1].split()
    assert row[:6] == ["1", "0", "diverged", "–", "–", "diverged"], row


def test_lines_of_old():
    """Lines that name settings with hyphens, as they did once, are read like those of today."""
    with tempfile.TemporaryDirectory() as folder:
        new, old = (os.path.join(folder, name) for name in ("new.jsonl", "old.jsonl"))
        result = run("train", "--steps", "1", "--set", "weight-decay=0.25", "--jsonl", new)
        assert result.returncode == 0, result
        with open(new, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        settings = lines[0]["settings"]
        assert settings["weight_decay"] == 0.25 and settings["d_model"] == 16
        lines[0]["settings"] = {key.replace("_", "-"): value for key, value in settings.items()}
        with open(old, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        again = [train("--from", path, "--steps", "1", small=False) for path in (new, old)]
        assert again[0][0]["settings"] == again[1][0]["settings"] == settings
        assert number(records_of(again[0])[1]["loss"]) == number(records_of(again[1])[1]["loss"])


def with_instructions(word, *arguments):
    return run(*arguments, env={**os.environ, "NORMSCOPE_INSTRUCTIONS": word})


def test_instructions():
    """The set that is asked for is in use and named, and the same set gives the same bits."""
    rows = json.loads(run("list", "instructions", "--json").stdout)
    assert [row["key"] for row in rows] == ["portable", "avx2", "avx512"], rows
    best = [row["key"] for row in rows if row["there"]][-1]
    assert [row["key"] for row in json.loads(with_instructions(
        "", "list", "instructions", "--json").stdout) if row["in_use"]] == [best]
    losses = {}
    for row in rows:
        key = row["key"]
        if not row["there"]:
            text = sentence(with_instructions(key, "list", "instructions"), 2)
            assert key in text and best in text, text
            continue
        train_once = ("train", "--steps", "5", "--jsonl", "-")
        lines = [list(map(json.loads, with_instructions(key, *train_once).stdout.splitlines()))
                 for _ in range(2)]
        assert lines[0][0]["instructions"] == key, lines[0][0]
        steps = [[line["loss"] for line in run_lines if "loss" in line] for run_lines in lines]
        assert len(steps[0]) > 5 and steps[0] == steps[1], steps
        losses[key] = steps[0]
        bench = json.loads(with_instructions(key, "bench", "--json", "--steps", "1").stdout)
        assert bench["instructions"] == key, bench
        for command in (["train", "--steps", "1"], ["bench", "--steps", "1"]):
            assert row["label"] in with_instructions(key, *command).stdout.decode(), command
    for steps in losses.values():
        assert all(math.isclose(a, b, rel_tol=1e-3) for a, b in zip(steps, losses["portable"])), losses
    for command in (["list", "instructions"], ["train", "--steps", "1"], ["--help"]):
        text = sentence(with_instructions("sse9", *command), 2)
        assert "sse9" in text and "avx2" in text, text


if __name__ == "__main__":
    sys.exit(main(globals()))
