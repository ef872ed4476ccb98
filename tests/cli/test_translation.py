#!/usr/bin/env python3
"""The task translation, as normscope-cli trains it; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_translation.py NORMSCOPE_CLI
"""

import csv
import gzip
import json
import os
import sqlite3
import sys
import tempfile

from test_cli import main, run, sentence

TASK = ["--set", "task=translation", "--set", "arch=encoder-decoder", "--set", "placement=pre"]
SOURCE = [f"{a} {b}\n" for a in ("eins", "zwei", "drei", "vier") for b in ("Hund", "Katze", "Äpfel")]
TARGET = [f"{a} {b}\n" for a in ("one", "two", "three", "four") for b in ("dog", "cat", "apples")]


def write(folder, name, lines, opener=open):
    path = os.path.join(folder, name)
    with opener(path, "wt", encoding="utf-8") as file:
        file.writelines(lines)
    return path


def train(*arguments):
    result = run("train", "--jsonl", "-", *TASK, *arguments)
    assert (result.returncode, result.stderr) == (0, b""), result
    lines = [json.loads(line) for line in result.stdout.decode().splitlines()]
    return lines[0], [line["loss"] for line in lines if "step" in line and "loss" in line]


def test_files():
    with tempfile.TemporaryDirectory() as folder:
        losses = []
        for opener, suffix in ((open, ""), (gzip.open, ".gz")):
            words = [word for key, lines in (("source", SOURCE), ("target", TARGET),
                                             ("valid-source", SOURCE[:2]), ("valid-target", TARGET[:2]))
                     for word in ("--set", f"{key}={write(folder, key + suffix, lines, opener)}")]
            first, values = train(*words, "--set", "seq=16", "--steps", "5")
            assert first["text"] == f"source{suffix} (14 pairs)", first["text"]
            losses.append(values)
        assert losses[0] == losses[1] and len(losses[0]) == 6, losses
        # A damaged file.
        with open(os.path.join(folder, "source.gz"), "rb") as file:
            data = file.read()
        with open(os.path.join(folder, "source.gz"), "wb") as file:
            file.write(data[:len(data) // 2])
        text = sentence(run("train", *TASK, *words, "--steps", "1"), 1)
        assert "source.gz" in text and "decompressed" in text, text
        # Every text may be compressed.
        path = write(folder, "text.gz", SOURCE * 20, gzip.open)
        result = run("train", "--set", "text=" + path, "--steps", "1")
        assert result.returncode == 0, result


def test_learns():
    """Within steps that take seconds the model knows more than how often the tokens occur, and a run
    repeats from what it has written."""
    words = ["--set", "tokenizer=bpe", "--set", "vocab=250", "--set", "seq=48", "--set", "batch=16",
             "--set", "d-model=32", "--set", "lr=5e-3", "--set", "eval-every=0", "--steps", "150"]
    with tempfile.TemporaryDirectory() as folder:
        first, values = train(*words)
        assert "generated pairs" in first["text"] and first["vocab"] == 250, first
        assert sum(values[-10:]) / 10 < 0.5 * values[0], (values[0], values[-10:])
        path = os.path.join(folder, "loss.svg")
        result = run("chart", "--figure", "loss", *TASK, *words[:-1], "2", "--out", path)
        assert result.returncode == 0, result
        shown = run("show", path, small=False).stdout.decode()
        for word in ("task", "translation", "tokenizer", "bpe", "250"):
            assert word in shown, shown


def test_what_is_learned():
    """A file selects the task; a task or a text beside it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["--set", "source=" + write(folder, "source", SOURCE), "--set",
                 "target=" + write(folder, "target", TARGET), "--set", "arch=encoder-decoder"]
        result = run("train", "--jsonl", "-", *words, "--set", "seq=16", "--steps", "0")
        assert json.loads(result.stdout.splitlines()[0])["settings"]["task"] == "translation", result
        for other in ("task=copy", "text=" + os.path.join(folder, "source")):
            for arguments in (["--set", other, *words], [*words, "--set", other]):
                text = sentence(run("train", *arguments), 2)
                assert other.split("=")[0] in text and "source" in text, text


def translate(run_file, source, *arguments, status=0):
    """The lines that are written, and what is said."""
    result = run("translate", "--run", run_file, "--in", source, *arguments, small=False)
    assert result.returncode == status, result
    return result.stdout.decode().splitlines(), result.stderr.decode()


def go_on(run_file, steps):
    """Every command ends with a checkpoint."""
    result = run("resume", run_file, "--steps", steps, "--checkpoint-every", "1000", small=False)
    assert result.returncode == 0, result


def test_translate():
    """A model that has learned its pairs by heart writes them, however it searches; lines and
    characters that it cannot read are counted."""
    with tempfile.TemporaryDirectory() as folder:
        files = [word for key, lines in (("source", SOURCE), ("target", TARGET),
                                         ("valid-source", SOURCE[:2]), ("valid-target", TARGET[:2]))
                 for word in ("--set", f"{key}={write(folder, key, lines)}")]
        source, expected = os.path.join(folder, "source"), [line.strip() for line in TARGET]
        for tokenizer, vocabularies in (("char", "joint"), ("bpe", "separate"), ("bpe", "joint")):
            path = os.path.join(folder, tokenizer + vocabularies + ".nsrun")
            words = [*TASK, *files, "--set", f"tokenizer={tokenizer}", "--set", "vocab=60", "--set", "seq=16",
                     "--set", f"vocabularies={vocabularies}",
                     "--set", "source-seq=12", "--set", "batch=12", "--set", "d-model=32", "--set", "lr=5e-3",
                     "--set", "eval-every=0"]
            result = run("train", *words, "--steps", "1", "--run", path)
            assert result.returncode == 0, result
            for steps in ("2", "3", "4", "5", "6", "7", "150"):
                go_on(path, steps)
            assert translate(path, source)[0] == expected, tokenizer
            # The mean with models that have learned nothing is another model.
            assert translate(path, source, "--average", "8")[0] != expected, tokenizer
            go_on(path, "155")
            go_on(path, "160")
            for options in ([], ["--beam", "1"], ["--beam", "3", "--length-penalty", "0"], ["--average", "3"]):
                assert translate(path, source, *options) == (expected, ""), (tokenizer, options)
            hypotheses = os.path.join(folder, "hypotheses")
            assert translate(path, source, "--out", hypotheses) == ([], ""), tokenizer
            with open(hypotheses, encoding="utf-8") as file:
                assert file.read().splitlines() == expected, tokenizer
            other = write(folder, "other", ["eins Hund\r\n", "zwei ☃Katze☃\n", "\n", "drei " * 12])
            lines, said = translate(path, other)
            assert lines[:2] == [expected[0], expected[4]] and len(lines) == 4, lines
            assert "for 2 characters" in said and "1 lines have more tokens" in said, said
            assert "--average" in sentence(run("translate", "--run", path, "--in", source, "--average", "99",
                                               small=False), 2)
        # More lines than are written at once, in their order; and none.
        many = write(folder, "many", (SOURCE * 60)[7:])
        assert translate(path, many, "--beam", "1") == ((expected * 60)[7:], "")
        assert translate(path, write(folder, "none", [])) == ([], "")
        diverged = os.path.join(folder, "diverged.nsrun")
        result = run("train", *words[:-4], "--set", "lr=100", "--set", "optimizer=sgd", "--steps", "20", "--run",
                     diverged)
        assert result.returncode == 0, result
        lines, said = translate(diverged, source)
        assert lines == [""] * 12 and "had diverged" in said, (lines, said)
        text = os.path.join(folder, "text.nsrun")
        assert run("train", "--steps", "1", "--run", text).returncode == 0
        said = sentence(run("translate", "--run", text, "--in", source, small=False), 1)
        assert "task grammar" in said and "text.nsrun" in said, said
        for words, part in ((["--beam", "0"], "--beam"), (["--lane", "2"], "--lane"),
                            (["--length-penalty", "-1"], "--length-penalty"), (["word"], "word")):
            said = sentence(run("translate", "--run", path, "--in", source, *words, small=False), 2)
            assert part in said, said
        said = sentence(run("translate", "--run", path, "--in", source, "--out", path, small=False), 1)
        assert "bpejoint.nsrun" in said, said
        assert "--in FILE" in sentence(run("translate", "--run", path, small=False), 2)
        # It has no --set.
        said = sentence(run("translate", source, small=False), 2)
        assert "--run FILE" in said and "--set" not in said, said
        # The run file has the vocabulary; one without it is told what is missing.
        moved = os.path.join(folder, "moved")
        os.rename(source, moved)
        assert translate(path, moved)[0] == expected
        with sqlite3.connect(path) as database:
            words = database.execute("SELECT value FROM notes WHERE key = 'vocabulary-1'").fetchone()[0]
            for damaged in (words[:30], words.replace("version", "v"), words + "x y z\n", words + "q q\n", "x"):
                database.execute("UPDATE notes SET value = ? WHERE key = 'vocabulary-1'", (damaged,))
                database.commit()
                said = sentence(run("translate", "--run", path, "--in", moved, small=False), 1)
                assert "vocabulary" in said and "damaged" in said, (damaged, said)
            database.execute("DELETE FROM notes")
        said = sentence(run("translate", "--run", path, "--in", moved, small=False), 1)
        assert "source" in said, said


def test_checkpoint():
    """What dump wrote translates as the run file of the same training does, however its weights came
    there; other folders are refused by one sentence."""
    with tempfile.TemporaryDirectory() as folder:
        words = [word for key, lines in (("source", SOURCE), ("target", TARGET))
                 for word in ("--set", f"{key}={write(folder, key, lines)}")]
        words = [*TASK, *words, "--set", "seq=16", "--set", "d-model=32", "--set", "lr=5e-3", "--set",
                 "vocabularies=separate", "--set", "tie-embeddings=on", "--steps", "60"]
        path, weights, source = (os.path.join(folder, name) for name in ("a.nsrun", "weights", "source"))
        for arguments in (["train", *words, "--run", path], ["dump", *words, "--out", weights]):
            result = run(*arguments)
            assert result.returncode == 0, result
        expected = translate(path, source)[0]
        assert len(set(expected)) > 3, expected

        def refused(where, *options, status=1):
            return sentence(run("translate", "--checkpoint", where, "--in", source, *options, small=False), status)

        result = run("translate", "--checkpoint", weights, "--in", source, small=False)
        assert (result.returncode, result.stdout.decode().splitlines()) == (0, expected), result
        assert "--average" in refused(weights, "--average", "2", status=2)
        assert "--checkpoint" in refused(weights, "--run", path, status=2)
        assert "meta.json" in refused(folder)
        for task in ("arch=encoder", "norm=batchnorm"):
            other = os.path.join(folder, task)
            assert run("dump", *(TASK if "norm" in task else []), "--set", task, "--set", "seq=80", "--out", other).returncode == 0
            assert ("task grammar" if "arch" in task else "running statistics") in refused(other), task
        meta = os.path.join(weights, "meta.json")
        with open(meta, encoding="utf-8") as file:
            line = file.read()
        with open(meta, "w", encoding="utf-8") as file:
            file.write(line.replace('"d_model":32', '"d_model":48'))
        assert "48" in refused(weights)
        with open(meta, "w", encoding="utf-8") as file:
            file.write("{}")
        assert "no settings" in refused(weights)


def test_validation():
    """The BLEU score of a step is that of the greedy translations of the held-out sentences by its
    model; the run file has it, and a chart draws it, where the validation was."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = ([f"{a.strip()} {word} {b}" for i, a in enumerate(side) for b in side[i:]]
                          for side, word in ((SOURCE, "und"), (TARGET, "and")))
        files = {key: write(folder, key, lines) for key, lines in (
            ("source", source), ("target", target), ("valid-source", source[::20]),
            ("valid-target", [line.replace("apples", "pears") for line in target[::20]]))}
        words = [word for key, path in files.items() for word in ("--set", f"{key}={path}")]
        path, lines = os.path.join(folder, "a.nsrun"), os.path.join(folder, "a.jsonl")
        result = run("train", *TASK, *words, "--set", "seq=16", "--set", "source-seq=16", "--set", "tokenizer=bpe",
                     "--set", "vocab=60", "--set", "batch=12", "--set", "d-model=32", "--set", "lr=5e-3", "--set", "eval-every=20", "--steps", "110", "--run", path, "--jsonl", lines)
        assert result.returncode == 0, result
        with open(lines, encoding="utf-8") as file:
            bleu = {line["step"]: line["bleu"] for line in map(json.loads, file) if "bleu" in line}
        assert list(bleu) == [0, 20, 40, 60, 80, 100, 110], bleu
        hypotheses = os.path.join(folder, "hypotheses")
        translate(path, files["valid-source"], "--beam", "1", "--out", hypotheses)
        result = run("bleu", "--reference", files["valid-target"], hypotheses, "--json", small=False)
        assert abs(json.loads(result.stdout)["bleu"] - bleu[110]) < 0.01 and 20 < bleu[110] < 100, (result, bleu)
        drawn = os.path.join(folder, "bleu.csv")
        result = run("chart", "--from", path, "--figure", "steps:bleu", "--out", drawn, small=False)
        assert result.returncode == 0, result
        with open(drawn, encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["series"] == "BLEU"]
        assert [float(row["x"]) for row in rows] == list(bleu), rows
        assert all(abs(float(row["y"]) - bleu[int(float(row["x"]))]) < 1e-3 for row in rows), (rows, bleu)
        result = run("train", *TASK, *words, "--set", "bleu-sentences=0", "--set", "seq=80", "--steps", "1", "--jsonl",
                     "-")
        assert b'"bleu"' not in result.stdout and b'"bleu_sentences":0' in result.stdout, result


def test_batch_tokens():
    """Batches by tokens have less padding, which is told, and the same bits where a run goes on;
    where all sequences are equally long, the batch has as many as fit."""
    words = ["--set", "tokenizer=bpe", "--set", "vocab=250", "--set", "seq=48", "--set", "eval-every=0"]
    by_tokens = [*words, "--set", "batch-tokens=300"]
    padded, _ = train(*words, "--set", "batch=6", "--steps", "0")
    first, values = train(*by_tokens, "--steps", "12")
    assert 0 < 3 * first["padding"] < padded["padding"] < 0.8, (first["padding"], padded["padding"])
    with tempfile.TemporaryDirectory() as folder:
        path, lines = os.path.join(folder, "a.nsrun"), os.path.join(folder, "a.jsonl")
        result = run("train", *TASK, *by_tokens, "--steps", "5", "--run", path)
        assert result.returncode == 0, result
        text = [line for line in result.stdout.decode().splitlines() if line.startswith("padding")]
        assert f"{100 * first['padding']:.1f}%" in text[0], (text, first["padding"])
        go_on(path, "12")
        result = run("export", path, "--format", "jsonl", "--out", lines, small=False)
        assert result.returncode == 0, result
        with open(lines, encoding="utf-8") as file:
            again = [line["loss"] for line in map(json.loads, file) if "step" in line and "loss" in line]
        assert again == values, (again, values)
    for arch in ("decoder", "encoder-decoder"):
        task = ["train", "--jsonl", "-", "--set", "task=copy", "--set", f"arch={arch}", "--set", "seq=12", "--steps", "3"]
        losses = [[json.loads(line).get("loss") for line in run(*task, "--set", size).stdout.splitlines()]
                  for size in ("batch=4", "batch-tokens=50", "batch=5")]
        assert losses[0] == losses[1] != losses[2], losses


def test_errors():
    assert "arch=encoder-decoder" in sentence(run("train", "--set", "task=translation"), 2)
    assert "two files" in sentence(run("train", *TASK, "--set", "source=x"), 2)
    text = sentence(run("train", *TASK, "--set", "source=nowhere", "--set", "target=x"), 1)
    assert "nowhere" in text


def planned(threads, *settings):
    words = ("arch=encoder-decoder", "task=translation", "seq=40", "layers=1", f"threads={threads}", *settings)
    result = run("train", "--steps", "0", "--jsonl", "-", *[w for s in words for w in ("--set", s)])
    assert result.returncode == 0, result
    return json.loads(result.stdout.decode().splitlines()[0])["memory_bytes"]


def test_decoders_are_planned():
    """The keys and values of translations count, once for every thread that translates."""
    without = [planned(n, "bleu-sentences=0", "probe-every=0", "sample-every=0") for n in (1, 2)]
    scored = [planned(n, "bleu-sentences=4", "eval-every=5", "probe-every=0", "sample-every=0") for n in (1, 2)]
    own = [a - b for a, b in zip(scored, without)]
    assert own[0] > 0 and own[1] == 2 * own[0], (without, scored)
    never = planned(1, "bleu-sentences=4", "eval-every=0", "probe-every=0", "sample-every=0")
    assert never == without[0], (never, without)


if __name__ == "__main__":
    sys.exit(main(globals()))
