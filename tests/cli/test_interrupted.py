#!/usr/bin/env python3
"""Commands that are interrupted, that end early, or whose output lies in the way; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_interrupted.py NORMSCOPE_CLI
"""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

from test_cli import CLI, PATIENCE_S, SMALL, main, run, sentence, until_busy

SETTINGS = [word for setting in SMALL for word in ("--set", setting)]
WILD = [word for setting in ("placement=none", "norm=none", "layers=30", "lr=100")
        for word in ("--set", setting)]
LONG = "1000000000"  # a day


def interrupted(*arguments, small=True):
    """What a command says that gets a SIGINT while it computes, and ends by it."""
    words = list(arguments[1:]) + (SETTINGS if small else [])
    process = subprocess.Popen([CLI, arguments[0], *words], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    until_busy(process)
    process.send_signal(signal.SIGINT)
    out, err = (text.decode() for text in process.communicate(timeout=PATIENCE_S))
    assert process.returncode == 130, (arguments, process.returncode, err)
    return out, err


def meta_of(folder):
    with open(os.path.join(folder, "meta.json"), encoding="utf-8") as file:
        return json.load(file)


def test_probe_keeps_its_seeds():
    out, err = interrupted("probe", "--seeds", "100000", "--json")
    value = json.loads(out)
    assert err == "" and 1 <= value["seeds"] < 100000, value["seeds"]
    again = json.loads(run("probe", "--seeds", str(value["seeds"]), "--json").stdout)
    assert again == value
    out, err = interrupted("probe", "--seeds", "100000")
    assert err == "" and " seeds\n" in out and "over 100000 seeds" not in out, out


def test_chart_keeps_its_run():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loss.csv")
        out, err = interrupted("chart", "--figure", "loss", "--steps", LONG, "--out", path)
        shown = run("show", path, small=False).stdout.decode()
        step = int(re.search(r", step ([\d,]*\d)", shown)[1].replace(",", ""))
        assert out == "" and step > 0
        assert err == (f"normscope-cli: Interrupted at step {step:,} of {int(LONG):,}; everything up to "
                       "that step has been written.\n"), err
        with open(path, encoding="utf-8") as file:
            steps = [line.split(",")[2] for line in file if ",training," in line]
        assert steps == [str(i) for i in range(step + 1)], len(steps)


def test_dump_keeps_its_step():
    with tempfile.TemporaryDirectory() as folder:
        out, err = interrupted("dump", "--steps", LONG, "--out", folder)
        step = meta_of(folder)["step"]
        assert out == "" and f"Interrupted at step {step:,} of {int(LONG):,};" in err, err
        assert len(os.listdir(folder)) == 4


def test_runs_that_diverge_before_their_step():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loss.png")
        for arguments in (["dump", "--out", folder], ["chart", "--figure", "loss", "--out", path]):
            result = run(*arguments, "--steps", "50", *WILD)
            text = result.stderr.decode()
            step = meta_of(folder)["step"]
            assert (result.returncode, result.stdout) == (0, b"") and step < 50, result
            assert text == (f"normscope-cli: The run diverged at step {step} of 50; everything "
                            "up to that step has been written.\n"), text


def test_studies_are_told_as_they_end():
    """Whoever ends the second study by force still has what the first has found."""
    for json_ in ([], ["--json"]):
        words = [CLI, "paper", "hidden-scale", "concentration", *json_]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
            first = process.stdout.readline()
            process.kill()
            out = (first + process.stdout.read()).decode()
        assert "Lemma 2" in out and "section 3.4" not in out, out


def test_folders_are_made_before_a_run():
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "plain")
        open(plain, "w", encoding="utf-8").close()
        assert "plain" in sentence(run("dump", "--steps", LONG, "--out", plain), 1)
        os.mkdir(os.path.join(folder, "run-loss.png"))
        text = sentence(run("chart", "--figure", "gradient-norm,loss", "--each", "--steps", LONG,
                            "--out", os.path.join(folder, "run.png")), 1)
        assert "run-loss.png" in text
        # A folder with the name that no file will have is in nobody's way.
        os.mkdir(os.path.join(folder, "two.png"))
        result = run("chart", "--figure", "loss", "--each", "--steps", "1", "--out",
                     os.path.join(folder, "two.png"))
        assert (result.returncode, result.stderr) == (0, b""), result


def test_what_is_read_is_not_written_over():
    with tempfile.TemporaryDirectory() as folder:
        book, link = (os.path.join(folder, name) for name in ("book.csv", "link.csv"))
        content = "step,loss\n" + "".join(f"{i},{100 / (i + 1)}\n" for i in range(500))
        with open(book, "w", encoding="utf-8") as file:
            file.write(content)
        os.symlink(book, link)
        lanes = ["--lane", "layers=1", "--lane", "layers=2"]
        text = ["--set", "text=" + book]
        pairs = ["--set", "arch=encoder-decoder", "--set", "source=" + book, "--set", "target=" + book]
        for arguments in (["train", *text, "--jsonl", link], ["train", *pairs, "--jsonl", book],
                          ["chart", "--figure", "loss", *pairs, "--out", book], ["compare", *lanes, *text, "--jsonl", book],
                          ["compare", *[f"{lane} text={book}" if "=" in lane else lane
                                        for lane in lanes], "--jsonl", book],
                          ["chart", "--figure", "loss", *text, "--out", link],
                          ["chart", "--figure", "loss", "--each", *text, "--out",
                           os.path.join(folder, "book.csv")],
                          ["sweep", "--x", "lr=1,2", "--y", "seed=1,2", *text, "--out", book]):
            if "--each" in arguments:  # which writes book-loss.csv
                assert run(*arguments, "--steps", "1").returncode == 0
            else:
                line = sentence(run(*arguments, "--steps", "1"), 2)
                assert os.path.basename(arguments[-1]) in line and "is an input" in line, line
            with open(book, encoding="utf-8") as file:
                assert file.read() == content, arguments


def test_a_run_is_not_written_over_itself():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.jsonl")
        assert run("train", "--steps", "3", "--jsonl", path).returncode == 0
        with open(path, "rb") as file:
            content = file.read()
        for arguments in (["train", "--from", path], ["compare", "--from", path, "--lane", "", "--lane",
                                                      "lr=1"]):
            assert "run.jsonl" in sentence(run(*arguments, "--jsonl", path, small=False), 2)
        preset = os.path.join(folder, "one.preset")
        with open(preset, "wb") as file:
            file.write(run("show", path, small=False).stdout)
        sentence(run("train", "--preset", preset, "--jsonl", preset, small=False), 2)
        with open(path, "rb") as file:
            assert file.read() == content


def test_files_that_may_not_grow():
    """As on a full disk: a sentence, and nothing half written in the place of a whole file."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    with tempfile.TemporaryDirectory() as folder:
        lines, picture = (os.path.join(folder, name) for name in ("run.jsonl", "run.png"))
        for arguments in (["train", "--steps", "200", "--jsonl", lines], ["dump", "--out", folder],
                          ["chart", "--figure", "loss", "--steps", "1", "--out", picture]):
            line = sentence(run(*arguments, preexec_fn=limit), 1)
            assert "the disk is full" in line and folder in line, line
        assert os.listdir(folder) == ["run.jsonl"], os.listdir(folder)
        # What there was room for can be read.
        assert b"layers = 2" in run("show", lines, small=False).stdout


def on_terminal(*arguments):
    """What a command writes to a terminal."""
    shown, terminal = os.openpty()
    subprocess.run([CLI, *arguments], stdout=subprocess.DEVNULL, stderr=terminal, check=True)
    os.close(terminal)
    text = b""
    try:
        while piece := os.read(shown, 65536):
            text += piece
    except OSError:  # the other side is closed, and all has been read
        pass
    os.close(shown)
    return text.decode()


def test_progress_is_wiped():
    for words, arguments in (("step 1 of 2, loss ", ["train", "--steps", "2", *SETTINGS]),
                             ("1 of 2", ["probe", "--seeds", "2", *SETTINGS]),
                             ("hidden-scale, ", ["paper", "hidden-scale"])):
        text = on_terminal(*arguments)
        assert text.startswith("\r\033[K" + words) and text.endswith("\r\033[K"), text


if __name__ == "__main__":
    sys.exit(main(globals()))
