#!/usr/bin/env python3
"""Fine-tuning, as normscope-cli does it; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_finetune.py NORMSCOPE_CLI
"""

import csv
import io
import os
import sys
import tempfile

from test_cli import main, run, sentence

SIZE = ["layers=1", "d-model=16", "heads=2", "seq=40", "batch=8", "threads=1", "tokenizer=bpe", "vocab=500"]
WORDS = ("dog", "cat")


def sets(words):
    return [part for word in words for part in ("--set", word)]


def pretrain(folder):
    path = os.path.join(folder, "bert.nsrun")
    result = run("train", *sets(["task=mlm", "arch=encoder", "placement=pre", "eval-batches=1"] + SIZE),
                 "--steps", "6", "--checkpoint-every", "3", "--run", path, small=False)
    assert result.returncode == 0, result.stderr
    return path


def finetune(path, *arguments):
    result = run("finetune", "--run", path, "--csv", *arguments, small=False)
    assert result.returncode == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout.decode())))


def table(folder, form, lines):
    """Pairs whose label a single word of the second sentence decides."""
    labels = {"mrpc": ("0", "1"), "rte": ("not_entailment", "entailment")}[form]
    head, row = {
        "mrpc": ("Quality\t#1 ID\t#2 ID\t#1 String\t#2 String", "{label}\t{i}\t{i}\tthe boy .\tthe {word} ."),
        "rte": ("index\tsentence1\tsentence2\tlabel", "{i}\tthe boy .\tthe {word} .\t{label}"),
    }[form]

    def make(i, k):
        return row.format(i=i, label=labels[k], word=WORDS[k])

    path = os.path.join(folder, form + ".tsv")
    with open(path, "w", encoding="utf-8-sig") as file:
        file.write("\n".join([head] + [make(i, i % 3 == 0) for i in range(lines)]) + "\n")
    return path


def test_checkpoint():
    """What dump wrote is fine-tuned as the run file of the same training is."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--generated", "40", "--seeds", "2", "--steps", "5"]
        expected = finetune(pretrain(folder), *options)
        weights = os.path.join(folder, "weights")
        result = run("dump", *sets(["task=mlm", "arch=encoder", "placement=pre", "eval-batches=1"] + SIZE), "--steps", "6",
                     "--out", weights, small=False)
        assert result.returncode == 0, result.stderr

        def other(*arguments):
            return run("finetune", "--checkpoint", weights, *arguments, small=False)

        rows = list(csv.DictReader(io.StringIO(other("--csv", *options).stdout.decode())))
        for row in expected + rows:
            del row["step"]
        assert rows == expected, (rows, expected)
        assert "--every-checkpoint" in sentence(other("--every-checkpoint"), 2)
        assert "--run" in sentence(other("--run", "x.nsrun"), 2)


def test_files():
    """A label that one word decides is learned from either format, and the same again."""
    with tempfile.TemporaryDirectory() as folder:
        path = pretrain(folder)
        for form in ("mrpc", "rte"):
            pairs = table(folder, form, 150)
            arguments = ("--pairs", pairs, "--format", form, "--seeds", "2", "--steps", "80", "--set", "lr=0.01", "--from-scratch")
            rows = finetune(path, *arguments)
            assert [row["start"] for row in rows] == ["majority", "scratch", "pre-trained"], rows
            assert abs(float(rows[0]["accuracy"]) - 2 / 3) < 1e-6, rows
            assert abs(float(rows[0]["f1"]) - 0.5) < 1e-6, rows
            for row in rows[1:]:
                assert float(row["accuracy"]) == 1 and float(row["f1"]) == 1, rows
            assert finetune(path, *arguments) == rows


def test_gaps():
    """Blank lines and pairs with an empty sentence are left out and counted."""
    with tempfile.TemporaryDirectory() as folder:
        path = pretrain(folder)
        for form, empty in (("mrpc", ("1\t8\t9\tthe boy .\t", "0\t8\t9\t\tthe dog .")),
                            ("rte", ("8\tthe boy .\t\tentailment", "9\t \tthe dog .\tentailment"))):
            pairs = table(folder, form, 30)
            arguments = ("finetune", "--run", path, "--csv", "--pairs", pairs, "--format", form, "--seeds", "1", "--steps", "2")
            plain = run(*arguments, small=False)
            with open(pairs, encoding="utf-8-sig") as file:
                lines = file.read().splitlines()
            with open(pairs, "w", encoding="utf-8", newline="") as file:
                file.write("\r\n".join([lines[0], "", *lines[1:9], " \t", empty[0], *lines[9:], empty[1], "", "", ""]))
            result = run(*arguments, small=False)
            assert result.returncode == 0 and result.stdout == plain.stdout, (plain, result)
            assert b"Blank lines (4) and pairs with an empty sentence (2) are left out" in result.stderr, result
            # Before the header line, and without the tab that an editor has removed from the end of a line
            with open(pairs, "w", encoding="utf-8") as file:
                file.write("\n".join(["", *lines, *([empty[0].strip()] if form == "mrpc" else [])]))
            result = run(*arguments, small=False)
            assert result.returncode == 0 and result.stdout == plain.stdout, (plain, result)
            assert b"Blank lines (1) and pairs with an empty sentence (%d) are left out" % (form == "mrpc") in result.stderr, result


def test_checkpoints():
    """Every checkpoint gives a row, and begins with its own weights, which a rate of 0 keeps."""
    with tempfile.TemporaryDirectory() as folder:
        path = pretrain(folder)
        for kind in ("entailment", "paraphrase"):
            rows = finetune(path, "--every-checkpoint", "--format", kind, "--seeds", "2", "--steps", "2", "--generated", "20")
            steps = [int(row["step"]) for row in rows if row["start"] == "pre-trained"]
            assert steps[-1] == 6 and len(steps) >= 2, rows
            for row in rows[1:]:
                low, mean, high = (float(row[name]) for name in ("accuracy_low", "accuracy", "accuracy_high"))
                assert low <= mean <= high and row["seeds"] == "2", row
        rows = finetune(path, "--every-checkpoint", "--from-scratch", "--steps", "2", "--set", "lr=0")
        assert len({(row["accuracy"], row["f1"]) for row in rows}) == len(rows), rows


def test_errors():
    with tempfile.TemporaryDirectory() as folder:
        path = pretrain(folder)
        pairs = table(folder, "rte", 10)
        with open(pairs, "a", encoding="utf-8") as file:
            file.write("10\tthe boy .\tthe dog .\tmaybe\n")
        arguments = ("finetune", "--run", path, "--pairs", pairs)
        said = sentence(run(*arguments, "--format", "rte", small=False), 1)
        assert "Line 12 of “rte.tsv”" in said, said
        assert "--format" in sentence(run(*arguments, small=False), 2)
        other = os.path.join(folder, "other.nsrun")
        assert run("train", "--run", other, "--steps", "1").returncode == 0
        assert "task=mlm" in sentence(run("finetune", "--run", other, small=False), 1)
        assert "--run" in sentence(run("finetune"), 2)


if __name__ == "__main__":
    sys.exit(main(globals()))
