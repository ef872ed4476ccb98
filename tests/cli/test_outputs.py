#!/usr/bin/env python3
"""Every output of every command: whole or untouched, and never over a run or results; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_outputs.py NORMSCOPE_CLI [--every]

Without --every only some commands are killed.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from test_cli import CLI, SMALL, Skip, main, run, sentence
from test_study import HEAD, LANES

MODEL = [word for setting in SMALL for word in ("--set", setting)]
TRANSLATION = ["--set", "task=translation", "--set", "arch=encoder-decoder",
               *[word.replace("seq=8", "seq=32") for word in MODEL]]
PREVIOUS = b"what was here before\n"


class Inputs:
    """A folder with a file of every kind that commands read, made once."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        for name, words in (("a.nsrun", [*MODEL, "--steps", "300"]), ("t.nsrun", [*TRANSLATION, "--steps", "2"])):
            assert run("train", *words, "--run", self(name), small=False).returncode == 0
        with open(self("a.study"), "w", encoding="utf-8") as file:
            file.write(HEAD + "steps = 1\nseeds = 2\n[grid]\nlr = 1e-3:1e-2:2\n" + LANES)
        assert run("study", self("a.study"), small=False).returncode == 0
        with open(self("text"), "w", encoding="utf-8") as file:
            file.write("some words and more\n" * 9)
        with open(self("table.csv"), "w", encoding="utf-8") as file:
            file.write("step,loss\n" + "".join(f"{i},{9 / (i + 1)}\n" for i in range(9)))
        assert run("bpe", self("text"), "--out", self("merges"), small=False).returncode == 0

    def __call__(self, name):
        return os.path.join(self.folder.name, name)


def commands(of):
    """Name, the output's own name, and the command line up to the option with the output; a name with
    a slash is that of a file in the folder of the option."""
    chart = ["chart", "--from", of("a.nsrun")]
    rows = [(f"chart {kind}", f"out.{kind}", [*chart, "--figure", "loss", "--out"]) for kind in
            ("svg", "pdf", "png", "csv", "tex")]
    rows += [(f"export {kind}", "out", ["export", of("a.nsrun"), "--format", kind, "--out"])
             for kind in ("csv", "jsonl", "safetensors")]
    rows += [
        ("film", "out.gif", [*chart, "--figure", "gradient-norm", "--film", "1", "--size", "column",
                             "--dpi", "50", "--out"]),
        ("chart of each", "out.svg", [*chart, "--figure", "loss,schedule", "--each", "--out"]),
        ("study --csv", "out", ["study", of("a.study"), "--csv"]),
        ("study show --csv", "out", ["study", "show", of("a.nsstudy"), "--csv"]),
        ("study show --out", "out.svg", ["study", "show", of("a.nsstudy"), "--figure", "best-of", "--out"]),
        ("sweep", "out.svg", ["sweep", "--x", "lr=1e-3,1e-2", "--y", "warmup=1,2", "--steps", "1", *MODEL,
                              "--results", of("sweep.nsstudy"), "--out"]),
        ("bpe", "out", ["bpe", of("text"), "--out"]),
        ("bpe --apply", "out", ["bpe", "--apply", of("merges"), of("text"), "--out"]),
        ("translate", "out", ["translate", "--run", of("t.nsrun"), "--in", of("text"), "--out"]),
        ("dump weights", "out/params.safetensors", ["dump", *MODEL, "--out"]),
        ("dump meta", "out/meta.json", ["dump", *MODEL, "--out"]),
        ("paper", "out/hidden-scale.pdf", ["paper", "hidden-scale", "--out"]),
        ("report", "out/report.md", ["paper", "hidden-scale", "--report"]),
        ("jobs", "out.parts/study.study", ["study", of("a.study"), "--print-jobs", "--out"]),
        # These two hold databases, and take none of another kind.
        ("train --run", "out", ["train", *MODEL, "--steps", "1", "--run"]),
        ("study --out", "out", ["study", of("a.study"), "--out"]),
        # Lines grow under their own name.
        ("train --jsonl", "out", ["train", *MODEL, "--steps", "1", "--jsonl"]),
        ("compare --jsonl", "out", ["compare", *MODEL, "--steps", "1", "--lane", "lr=1", "--lane", "lr=2", "--jsonl"]),
    ]
    return rows


class Output:
    """A folder for an output; the file, and what the option is given."""

    def __init__(self, folder, name):
        first, slash, _ = name.partition("/")
        self.path = os.path.join(folder, name)
        self.given = os.path.join(folder, first)
        if slash:
            os.mkdir(self.given)
        # The parts of a study lie beside its results.
        self.given = self.given.replace(".parts", ".nsstudy")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def files_in(folder):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)


def test_no_output_replaces_a_run_or_results():
    of = Inputs()
    for name, own, words in commands(of):
        for kind, link in (("a.nsrun", os.symlink), ("a.nsstudy", os.link)):
            if (name, kind) == ("study --out", "a.nsstudy"):
                continue  # its own results, which it continues
            with tempfile.TemporaryDirectory() as folder:
                out = Output(folder, own)
                path = out.path.replace("out.svg", "out-loss.svg") if "each" in name else out.path
                link(of(kind), path)
                content, there = read(of(kind)), files_in(folder)
                result = run(*words, out.given, small=False)
                assert result.returncode in (1, 2), (name, kind, result)
                assert len(result.stderr.decode().splitlines()) == 1, (name, result)
                assert read(of(kind)) == read(path) == content, (name, kind)
                # A command that writes several files may have written those before this one.
                if "/" not in own:
                    assert files_in(folder) == there, name


def test_no_output_replaces_lines_or_a_log():
    """Recorded lines of this program and logs of others; a chart and tables are written anew in their place."""
    of = Inputs()
    assert run("train", "--jsonl", of("a.jsonl"), "--steps", "2").returncode == 0
    logs = {name: read(of(name)) for name in ("a.jsonl", "table.csv")}
    for words in (["train", "--steps", "1", "--jsonl"], ["chart", "--steps", "1", "--figure", "loss", "--out"],
                  ["bpe", of("text"), "--out"], ["export", of("a.nsrun"), "--format", "jsonl", "--out"],
                  ["study", "show", of("a.nsstudy"), "--csv"]):
        for name, content in logs.items():
            if words[0] == "chart" and name == "a.jsonl":
                continue  # no format of figures
            found = run(*words, of(name), small=words[0] in ("train", "chart"))
            assert found.returncode in (1, 2) and b"holds a recorded run" in found.stderr, (words, name, found)
            assert read(of(name)) == content, (words, name)
    for words in (["chart", "--from", of("a.nsrun"), "--figure", "loss,gradient-heatmap", "--out"],
                  ["study", "show", of("a.nsstudy"), "--csv"]):
        for _ in range(2):
            assert run(*words, of("new.csv"), small=False).returncode == 0, words
        assert "not the log of a run" in sentence(run("watch", "--once", of("new.csv"), small=False), 1), words
        os.remove(of("new.csv"))


def test_logs_of_databases_are_spared():
    of = Inputs()
    for end in ("-wal", "-shm", "-journal"):
        path = of("a.nsrun" + end)
        assert not os.path.exists(path)
        with open(path, "wb") as file:
            file.write(PREVIOUS)
        assert "recorded run" in sentence(run("bpe", of("text"), "--out", path, small=False), 1)
        assert read(path) == PREVIOUS
        os.remove(path)


def test_no_output_replaces_an_input_or_another_output():
    of = Inputs()
    for words in (["chart", "--from", of("table.csv"), "--figure", "loss", "--out", of("table.csv")],
                  ["bpe", of("text"), "--out", of("text")],
                  ["bpe", "--apply", of("merges"), of("text"), "--out", of("merges")],
                  ["translate", "--run", of("t.nsrun"), "--in", of("text"), "--out", of("text")],
                  ["study", of("a.study"), "--csv", of("a.study")],
                  ["study", of("a.study"), "--csv", of("new"), "--out", of("new")],
                  ["train", *MODEL, "--run", of("new"), "--jsonl", of("new")],
                  ["sweep", "--x", "lr=1,2", "--y", "seed=1,2", *MODEL, "--out", of("new.svg"), "--results",
                   of("new.svg")]):
        before = {path: read(path) for path in files_in(of.folder.name)}
        sentence(run(*words, small=False), 2)
        assert {path: read(path) for path in files_in(of.folder.name)} == before, words


def test_no_output_replaces_an_input_by_any_name():
    """A figure, a preset, a text, merges, a model or a log that any option names, under each name of the file."""
    of = Inputs()
    loss, axes = ["--figure", "loss", "--steps", "1"], ["--x", "lr=1,2", "--y", "warmup=1,2"]
    assert run("chart", "--figure", "loss,gradient-norm", "--steps", "2", "--out", of("figure.pdf")).returncode == 0
    for name in ("preset", "preset.csv", "preset.py", "preset-loss.csv"):
        with open(of(name), "wb") as file:
            file.write(run("show", of("figure.pdf"), small=False).stdout)
    for name in ("text.csv", "text.py", "text.jsonl"):
        with open(of(name), "wb") as file:
            file.write(20 * read(of("text")))
    os.rename(of("merges"), of("merges.jsonl"))
    os.mkdir(of("logs"))
    os.rename(of("table.csv"), of("logs/table.csv"))
    with open(of("b.study"), "w", encoding="utf-8") as file:
        file.write("text = text.csv\nsteps = 1\n" + "\n".join(SMALL[:5]) + "\n" +
                   "[grid]\nlr = 1e-3, 1e-2\n")
    found = run("study", of("b.study"), small=False)
    assert found.returncode == 0, found
    for name, text in (("weights", ["--set", "text=" + of("text.jsonl"), *MODEL]), ("pairs", TRANSLATION)):
        assert run("dump", *text, "--out", of(name), small=False).returncode == 0
    text, merges = ["--set", "text=" + of("text")], ["--set", "tokenizer=" + of("merges.jsonl")]
    cases = [
        ("figure.pdf", ["chart", "--from", of("figure.pdf"), "--set", "seed=9", "--figure", "loss"]),
        ("figure.pdf", ["chart", "--from", of("figure.pdf")]),
        ("preset-loss.csv", ["chart", "--preset", of("preset-loss.csv"), *loss, "--each", "--out", of("preset.csv")]),
        ("preset.csv", ["chart", "--preset", of("preset.csv"), *loss]),
        ("preset.csv", ["sweep", "--preset", of("preset.csv"), *axes]),
        ("preset.csv", ["sweep", "--from", of("preset.csv"), *axes]),
        ("preset.csv", ["sweep", "--from", of("preset.csv"), *axes, "--results"]),
        ("preset.py", ["dump", "--preset", of("preset.py"), "--pytorch"]),
        ("text.py", ["dump", *MODEL, "--set", "text=" + of("text.py"), "--pytorch"]),
        ("text.csv", ["chart", *MODEL, "--set", "text=" + of("text.csv"), *loss]),
        ("merges.jsonl", ["train", *MODEL, *text, *merges, "--steps", "1", "--jsonl"]),
        ("text.jsonl", ["train", "--checkpoint", of("weights"), "--steps", "1", "--jsonl"]),
        ("text.csv", ["study", of("b.study"), "--csv"]),
        ("text.csv", ["study", "show", of("b.nsstudy"), "--csv"]),
        ("text.csv", ["study", "show", of("b.nsstudy"), "--figure", "best-of"]),
        ("pairs/meta.json", ["translate", "--checkpoint", of("pairs"), "--in", of("text")]),
        ("logs/table.csv", ["runs", of("logs"), "--csv"]),
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, words in cases:
            content, ending = read(of(name)), os.path.splitext(name)[1]
            names = [of(name), os.path.join(of.folder.name, "logs", "..", name)]
            if not name.startswith("pairs") and words[0] != "runs":
                names += [os.path.join(folder, kind + ending) for kind in ("symbolic", "hard")]
                os.symlink(of(name), names[2])
                os.link(of(name), names[3])
            named = any(word in ("--out", "--results", "--pytorch", "--jsonl", "--csv") for word in words)
            for out in [[]] if "--each" in words else [[*([] if named else ["--out"]), out] for out in names]:
                line = sentence(run(*words, *out, small=False), 1 if words[0] == "runs" else 2)
                assert "is an input" in line or words[0] == "runs" and "recorded run" in line, line
                assert read(of(name)) == content, (words, out)
            for out in names[2:]:
                os.remove(out)
        shutil.copy(of("text"), of("logs/report.md"))
        for option in ("--report", "--out"):
            found = run("paper", "hidden-scale", "--set", "text=" + of("logs/report.md"), option, of("logs"), small=False)
            assert "is an input" in sentence(found, 2) and read(of("logs/report.md")) == read(of("text"))


def test_no_output_replaces_a_checkpoint_or_weights():
    """The files of a folder that is read, by any name of it, and weights that belong to no script."""
    with tempfile.TemporaryDirectory() as folder:
        dump, link = os.path.join(folder, "dump"), os.path.join(folder, "link")
        assert run("dump", "--out", dump).returncode == 0
        os.symlink(dump, link)
        weights = os.path.join(dump, "params.safetensors")
        before = read(weights)
        for out in (dump, link):
            assert "a dump replaces no file" in sentence(run("dump", "--steps", "1", "--out", out), 1)
        for out in (dump, link, dump + "/"):
            assert "is an input" in sentence(run("dump", "--checkpoint", dump, "--steps", "1", "--out", out), 2)
        for out in (weights, os.path.join(link, "params.safetensors")):
            assert "is an input" in sentence(run("train", "--checkpoint", dump, "--steps", "1", "--jsonl", out), 2)
        assert read(weights) == before
        other, script = os.path.join(folder, "m.safetensors"), os.path.join(folder, "m.py")
        with open(other, "wb") as file:
            file.write(PREVIOUS)
        assert "exists, and would be replaced" in sentence(run("dump", "--pytorch", script), 2)
        assert read(other) == PREVIOUS and not os.path.exists(script)


def test_lines_have_one_writer():
    with tempfile.TemporaryDirectory() as folder:
        lines = os.path.join(folder, "a.jsonl")
        with open(lines, "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            assert "is being written" in sentence(run("train", "--steps", "1", "--jsonl", lines), 1)
        assert run("train", "--steps", "1", "--jsonl", lines).returncode == 0


def test_full_disk():
    """The previous file is whole, and nothing lies beside it."""
    of = Inputs()
    with tempfile.TemporaryDirectory() as mounted:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", mounted],
                          stderr=subprocess.DEVNULL).returncode:
            raise Skip("a file system of its own may not be mounted here")
        try:
            for name, own, words in commands(of):
                if name in ("train --run", "study --out", "jobs", "report", "chart of each") or "jsonl" in words[-1]:
                    continue
                out, dump = Output(mounted, own), name.startswith("dump")  # which replaces nothing
                if not dump:
                    with open(out.path, "wb") as file:
                        file.write(PREVIOUS)
                with open(os.path.join(mounted, "filler"), "wb", buffering=0) as file:
                    try:
                        while file.write(bytes(1024)):
                            pass
                    except OSError:
                        pass
                there = files_in(mounted)
                result = run(*words, out.given, small=False)
                line = result.stderr.decode().splitlines()
                assert result.returncode == 1 and len(line) == 1, (name, result)
                assert "the disk is full" in line[0], line
                assert dump or read(out.path) == PREVIOUS, (name, read(out.path)[:99])
                left = [path for path in files_in(mounted) if not path.endswith((".nsstudy", "-wal", "-shm"))]
                assert left == there, (name, files_in(mounted), there)
                for path in files_in(mounted):
                    os.remove(path)
                if "/" in own:
                    os.rmdir(out.given)
        finally:
            subprocess.run(["umount", mounted], check=True)


def identity(path):
    try:
        info = os.stat(path)
    except FileNotFoundError:
        return None
    return info.st_ino, info.st_size, info.st_mtime_ns


def test_killed():
    """At every moment there is the previous file or the new one."""
    of = Inputs()
    some = ("export csv", "study show --csv", "bpe", "chart svg", "dump meta")
    signals = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
    for name, own, words in commands(of):
        if name in ("train --run", "study --out", "jobs", "paper", "report", "chart of each") or "jsonl" in words[-1]:
            continue
        if name not in some and "--every" not in sys.argv:
            continue
        with tempfile.TemporaryDirectory() as folder:
            out = Output(folder, own)
            started = time.monotonic()
            assert run(*words, out.given, small=False).returncode == 0, name
            needed = time.monotonic() - started
            whole = read(out.path)
            dump = name.startswith("dump")  # which replaces nothing
            # As soon as the file changes, and at some moments.
            for k, share in enumerate((2, 0.5, 0.8)):
                for path in files_in(out.given) if dump else ():
                    os.remove(path)
                if not dump:
                    with open(out.path, "wb") as file:
                        file.write(PREVIOUS)
                before, there = identity(out.path), files_in(folder)
                process = subprocess.Popen([CLI, *words, out.given], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                end = time.monotonic() + share * needed + 0.01
                while time.monotonic() < end and process.poll() is None and identity(out.path) == before:
                    pass
                process.send_signal(signals[k])
                process.wait()
                if dump:
                    # A dump without meta.json is not complete, so that comes after all others.
                    names = [path for path in os.listdir(out.given) if not path.startswith(".normscope-")]
                    assert "meta.json" not in names or len(names) == 4, names
                    continue
                content = read(out.path)

                def is_new(found):
                    # What tells of times is whole if it ends as the other does.
                    return found == whole or (len(found) > 99 and abs(len(found) - len(whole)) < 99)

                assert content == PREVIOUS or is_new(content), (name, signals[k], len(content), len(whole))
                # A kill between its last two calls leaves the new file under another name.
                left = {path for path in files_in(folder) if os.path.basename(path).startswith(".normscope-")}
                assert len(left) <= 1 and all(is_new(read(path)) for path in left), (name, left)
                assert set(files_in(folder)) - left == set(there), (name, files_in(folder))
                for path in left:
                    os.remove(path)


def test_streams():
    """Lines grow in the file that a reader has open, and pipes and /dev/stdout are written as they are."""
    of = Inputs()
    with tempfile.TemporaryDirectory() as folder:
        lines, table = (os.path.join(folder, name) for name in ("a.jsonl", "table"))
        with open(lines, "wb") as file:
            file.write(PREVIOUS)
        process = subprocess.Popen([CLI, "train", *MODEL, "--set", "steps=0", "--jsonl", lines])
        with open(lines, "rb") as file:
            end = time.monotonic() + 60
            while b'"step":1,' not in file.read() and time.monotonic() < end:
                time.sleep(0.05)
                file.seek(0)
            assert time.monotonic() < end and process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert run("study", "show", of("a.nsstudy"), "--csv", table, small=False).returncode == 0
        shown = run("study", "show", of("a.nsstudy"), small=False).stdout
        words = ["study", "show", of("a.nsstudy"), "--csv", "/dev/stdout"]
        assert run(*words, small=False).stdout == shown + read(table)
        with open(os.path.join(folder, "both"), "wb") as file:
            subprocess.run([CLI, *words], stdout=file, check=True)
        assert read(os.path.join(folder, "both")) == shown + read(table)
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
            assert run(*words[:-1], pipe, small=False).returncode == 0
            assert reader.stdout.read() == read(table)
        # A link stays a link, and a file keeps its mode.
        link = os.path.join(folder, "link")
        os.symlink(table, link)
        os.chmod(table, 0o640)
        assert run(*words[:-1], link, small=False).returncode == 0
        assert os.path.islink(link) and os.stat(table).st_mode & 0o777 == 0o640


if __name__ == "__main__":
    sys.exit(main({name: value for name, value in globals().items() if name != "test_study"}))
