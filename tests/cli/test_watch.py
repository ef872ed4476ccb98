#!/usr/bin/env python3
"""Runs of other programs: followed as they grow, and drawn; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_watch.py NORMSCOPE_CLI [--every]

With --every a million records are read.
"""

import csv
import json
import math
import os
import shutil
import resource
import select
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

from test_cli import CLI, PATIENCE_S, main, run, sentence, small_model

LAYERS = 6
RECORDS = 1000000 if "--every" in sys.argv else 30000


def record(step, loss=None, **more):
    return {"step": step, "loss": 4 * math.exp(-step / 900) if loss is None else loss, **more}


def whole(step):
    return record(step, lr=1e-3, my_ratio=[0.1 * (i + 1) + step for i in range(LAYERS)],
                  grad_norm={"total": 1.5, "w2": [0.3 / (i + 1) for i in range(LAYERS)]},
                  hidden_norm=[8.0 + i for i in range(LAYERS + 1)])


def write(path, records, mode="w"):
    with open(path, mode, encoding="utf-8") as file:
        for one in records:
            file.write((one if isinstance(one, str) else json.dumps(one)) + "\n")


def watch(*arguments, **more):
    return run("watch", *arguments, small=False, **more)


def good(*arguments):
    done = run(*arguments, small=False)
    assert (done.returncode, done.stderr) == (0, b""), done
    return done.stdout.decode()


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


class Folder(tempfile.TemporaryDirectory):
    def __enter__(self):
        return lambda name: os.path.join(super(Folder, self).__enter__(), name)


def test_lines_come_back():
    with Folder() as path:
        write(path("a.jsonl"), map(whole, range(0, 500, 25)))
        found = lines_of(good("watch", path("a.jsonl"), "--once", "--jsonl"))
        assert [r["step"] for r in found] == list(range(0, 500, 25))
        for one in found:
            want = whole(one["step"])
            assert one["loss"] == want["loss"] and one["grad_norm"]["total"] == 1.5
            assert all(abs(a / b - 1) < 1e-6 for a, b in zip(one["my_ratio"], want["my_ratio"]))
            assert len(one["hidden_norm"]) == LAYERS + 1
        # They are such lines again.
        write(path("b.jsonl"), found)
        assert lines_of(good("watch", path("b.jsonl"), "--once", "--jsonl")) == found
        table = good("watch", path("a.jsonl"), "--once").splitlines()
        assert len(table) == 2 and "0 to 475" in table[1] and "6 layers" in table[1], table


def test_untold():
    """What a program does not say is null, and not NaN, which it may say."""
    with Folder() as path:
        write(path("a.jsonl"), [record(0), record(1, lr="NaN", grad_norm="NaN")])
        found = lines_of(good("watch", path("a.jsonl"), "--once", "--jsonl"))
        assert [(r["lr"], r["grad_norm"]) for r in found] == [(None, {"total": None}),
                                                              ("NaN", {"total": "NaN"})], found


def test_charts():
    with Folder() as path:
        write(path("a.jsonl"), map(whole, range(0, 500, 25)))
        out = path("a.csv")
        good("chart", "--from", path("a.jsonl"), "--figure", "loss,profile:my_ratio,steps:grad-w2",
             "--out", out)
        with open(out, encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if line.strip()))
        loss = [float(r["y"]) for r in rows if r["figure"] == "a" or "Loss" in (r["figure"] or "")]
        assert len([y for y in loss if y == 4.0]) >= 1, rows[:3]
        values = {round(float(r["y"]), 4) for r in rows if r["y"] not in (None, "", "y")}
        assert 475.1 in values and 475.6 in values, sorted(values)[-8:]
        # At a step, and up to one; between two records the one before is shown.
        good("chart", "--from", path("a.jsonl"), "--step", "60", "--figure", "profile:my_ratio",
             "--out", out)
        assert ",50.0999" in open(out, encoding="utf-8").read()
        for figure in ("all", "heatmap:my_ratio", "hidden-norm", "steps:my_ratio"):
            good("chart", "--from", path("a.jsonl"), "--figure", figure, "--out", path("a.png"))
        assert good("show", path("a.jsonl")).startswith("# a.jsonl, a run of another program\n# lane A: steps 0 to ")
        good("chart", "--from", path("a.jsonl"), "--figure", "profile:my_ratio", "--film", "1",
             "--out", path("film.gif"))


def test_chart_refuses():
    with Folder() as path:
        write(path("a.jsonl"), map(whole, range(0, 100, 25)))
        out = ["--out", path("a.png")]
        for words, says in ((["--set", "lr=1"], "no setting"), (["--lane", "lr=1", "--lane", "lr=2"],
                            "no setting"), (["--steps", "76"], "Step 76 was not recorded")):
            text = sentence(run("chart", "--from", path("a.jsonl"), *words, "--figure", "loss", *out,
                                small=False), 2)
            assert says in text, text
        for figure in ("schedule", "diagram", "tokens", "attention", "similarity", "theory",
                       "compare", "heads"):
            sentence(run("chart", "--from", path("a.jsonl"), "--figure", figure, *out, small=False), 2)
        text = sentence(run("chart", "--from", path("a.jsonl"), "--figure", "heatmap:grad-wq", *out, small=False), 2)
        assert "This run did not record grad-wq" in text, text
        assert not os.path.exists(path("a.png"))
        # Without a choice, a figure shows what the log has, and says so.
        write(path("b.jsonl"), ['{"step":%d,"loss":3,"grad_norm/layers.0":1,"grad_norm/layers.1":2}' % i for i in range(4)])
        text = run("chart", "--from", path("b.jsonl"), "--figure", "gradient-norm", "--out", path("b.csv"), small=False)
        assert text.returncode == 0 and b"gradient-norm shows grad-layer, because" in text.stderr, text
        assert "whole layer" in open(path("b.csv"), encoding="utf-8").read()
        text = sentence(run("train", "--from", path("a.jsonl"), small=False), 2)
        assert "chart --from" in text, text
        sentence(watch(path("none.jsonl"), "--once"), 1)
        sentence(watch(), 2)
        os.mkdir(path("other"))
        write(path("other/notes.txt"), ["notes"])
        sentence(watch(path("other")), 1)


def test_pipe():
    text = "".join(json.dumps(whole(step)) + "\n" for step in range(10))
    done = watch("-", "--jsonl", input=text[:-1].encode())  # the last without its newline
    assert (done.returncode, done.stderr) == (0, b""), done
    assert [r["step"] for r in lines_of(done.stdout.decode())] == list(range(10))


def test_garbage():
    """What cannot be read is told with its line, and the rest counts."""
    with Folder() as path:
        write(path("a.jsonl"), [record(0), "garbage", '{"step": 1', record(1, loss="NaN"),
                                '{"step": 2, "loss": NaN, "x": [Infinity, 1]}', record(9),
                                *["?"] * 1000])
        done = watch(path("a.jsonl"), "--once")
        err = done.stderr.decode().splitlines()
        assert done.returncode == 0 and "Line 2: it is not a JSON object; it is skipped." in err[0], done
        assert "Line 3: it is incomplete" in err[1] and len(err) == 6, err
        assert b"1002 of 1006 lines could not be read" in done.stdout, done.stdout
        assert b"0 to 9" in done.stdout and b" 4 " in done.stdout, done.stdout


def test_no_record():
    """A file without a step and its loss is refused with what it has."""
    with Folder() as path:
        write(path("a.csv"), ["step,loss"])
        write(path("b.jsonl"), ['{"step": 0, "val_loss": 10.98}', '{"step": 1, "accuracy": 1}'])
        with open(path("c.tfevents"), "wb") as file:
            file.write(VERSION + scalar(0, "accuracy", 3.0) + scalar(0, "grad-norm", 1.0) + scalar(1, "accuracy", 2.0))
        for name, there in (("a.csv", "step, loss"), ("b.jsonl", "step, val_loss, accuracy"),
                            ("c.tfevents", "accuracy, grad-norm")):
            for words in (["watch", path(name), "--once"], ["show", path(name)],
                          ["chart", "--from", path(name), "--figure", "loss", "--out", path("x.svg")],
                          ["chart", "--from", path(name), "--beside", path(name), "--figure", "loss", "--out",
                           path("x.svg")]):
                line = sentence(run(*words, small=False), 1)
                has = "only the names" if name == "a.csv" else "has"
                assert name in line and f"{has} {there}." in line, line
                assert ("--map" in line) == (name != "a.csv"), line  # without numbers nothing can be mapped
        assert not os.path.exists(path("x.svg"))
        # Before its first step a run has none either.
        write(path("d.jsonl"), [record(5), record(6)])
        line = sentence(run("chart", "--from", path("d.jsonl"), "--figure", "loss", "--steps", "2", "--out",
                            path("x.svg"), small=False), 1)
        assert "d.jsonl" in line, line


def test_missing_folder():
    """A file may come later, but not a folder."""
    with Folder() as path:
        line = sentence(run("watch", path("nofolder/x.jsonl"), small=False, timeout=60), 1)
        assert "no such folder" in line, line


def test_many_names():
    with Folder() as path:
        names = {f"mine{i}": [1, 2] for i in range(260)}
        write(path("a.jsonl"), [json.dumps({"step": 0, "loss": 1, "grad_norm": {"w2": [1, 2]}, **names})])
        err = watch(path("a.jsonl"), "--once").stderr.decode()
        assert "“mine256” is skipped: at most 256 names" in err and "values" not in err, err


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def event(body):
    def check(part):
        crc = crc32c(part)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff)
    length = struct.pack("<Q", len(body))
    return length + check(length) + body + check(body)


def scalar(step, tag, value, tensor=False):
    """As TensorBoard's writers have it: an event for each tag."""
    def inside(number, part):
        return bytes([number << 3 | 2, len(part)]) + part
    number = inside(8, b"\x08\x01" + inside(4, struct.pack("<f", value))) if tensor else \
        b"\x15" + struct.pack("<f", value)
    summary = inside(1, inside(1, tag.encode()) + number)
    return event(b"\x09" + struct.pack("<d", 1e9) + b"\x10" + bytes([step]) + inside(5, summary))


def tagged(step):
    return [scalar(step, "train/loss", 3.0 - step / 8), scalar(step, "lr", 0.5, tensor=True),
            scalar(step, "grad_norm/total", 1.5),
            *[scalar(step, f"grad_norm/w2/{layer}", layer + step) for layer in (1, 2)],
            *[scalar(step, f"hidden_norm/{state}", 8 + state) for state in (0, 1, 2)],
            scalar(step, "mine/0", 4), scalar(step, "mine/1", 5), scalar(step, "epoch", 1)]


VERSION = event(b"\x09" + bytes(8) + b"\x1a\x0dbrain.Event:2")


def test_events():
    assert crc32c(b"123456789") == 0xe3069283
    with Folder() as path:
        name = path("events.out.tfevents.1")
        with open(name, "wb") as file:
            file.write(VERSION + b"".join(b"".join(tagged(step)) for step in range(5)))
            file.write(scalar(4, "val/loss", 2.25))
        found = lines_of(good("watch", name, "--once", "--jsonl"))
        assert [(r["step"], r["loss"], r["lr"]) for r in found] == [(s, 3 - s / 8, 0.5) for s in range(5)]
        assert found[4] == {"step": 4, "loss": 2.5, "lr": 0.5, "seconds": None, "validation_loss": 2.25,
                            "grad_norm": {"total": 1.5, "w2": [5, 6]}, "hidden_norm": [8, 9, 10],
                            "mine": [4, 5]}, found[4]
        good("chart", "--from", name, "--figure", "loss,gradient-norm,profile:mine", "--out", path("a.pdf"))


def test_damaged_events():
    """What can be read is, and the rest is told; a size that a file names is no promise."""
    first, second, third = (b"".join(tagged(step)) for step in range(3))
    broken = bytearray(scalar(1, "loss", 9.0))
    broken[-6] ^= 1
    length = struct.pack("<Q", 1 << 40)
    crc = crc32c(length)
    huge = length + struct.pack("<I", ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff)
    for data, steps, words in (
            (VERSION + first + bytes(broken) + second, [0, 1], b"Event 13: it is damaged; it is skipped."),
            (VERSION + first + b"?" * 40 + second, [0], b"its length field is damaged"),
            (VERSION + first + second + third[:-5], [0, 1, 2], b""),
            (VERSION + first + huge + second, [0], b"")):
        with Folder() as path:
            with open(path("a"), "wb") as file:
                file.write(data)
            done = watch(path("a"), "--once", "--jsonl")
            assert done.returncode == 0 and words in done.stderr and bool(words) == bool(done.stderr), done
            assert [r["step"] for r in lines_of(done.stdout.decode())] == steps, done


class Watching:
    """A watch that goes on, and the records that it has written."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([CLI, "watch", "--jsonl", *arguments], bufsize=0,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def next(self):
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
        assert ready, "no record came"
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=PATIENCE_S)
        assert self.process.returncode == 130, (self.process.returncode, err)
        return lines_of(out.decode()), err.decode()


def test_growing():
    """Half lines are waited for; files that are replaced, cut or come back begin again."""
    with Folder() as path:
        watching = Watching(path("a.jsonl"))
        write(path("a.jsonl"), [record(0)])
        assert watching.next()["step"] == 0
        with open(path("a.jsonl"), "a", encoding="utf-8") as file:
            text = json.dumps(record(5))
            file.write(text[:9])
            file.flush()
            time.sleep(0.2)
            file.write(text[9:] + "\n")
        assert watching.next()["step"] == 5
        write(path("new.jsonl"), [record(3), record(7)])
        os.replace(path("new.jsonl"), path("a.jsonl"))
        assert [watching.next()["step"] for _ in range(2)] == [3, 7]
        write(path("a.jsonl"), [record(2)])
        assert watching.next()["step"] == 2
        # Written over by one that is longer.
        with open(path("a.jsonl"), "r+", encoding="utf-8") as file:
            file.write(json.dumps(record(4, 0.123456789012345)) + "\n" + json.dumps(record(6)) + "\n")
        assert [watching.next()["step"] for _ in range(2)] == [4, 6]
        os.remove(path("a.jsonl"))
        time.sleep(0.2)
        write(path("a.jsonl"), [record(1)])
        assert watching.next()["step"] == 1
        # A run that goes on from a checkpoint.
        write(path("a.jsonl"), [record(10), record(20)], "a")
        assert [watching.next()["step"] for _ in range(2)] == [10, 20]
        write(path("a.jsonl"), [record(15)], "a")  # one that comes late
        assert watching.next()["step"] == 15
        write(path("a.jsonl"), [record(15, 9.0)], "a")
        assert watching.next() == {**record(15, 9.0), "lr": None, "seconds": None, "grad_norm": {"total": None}}
        rest, err = watching.end()
        assert rest == [] and err.count("replaced by another one") == 4, err
        assert "goes back to step 15 after step 20" in err, err


def test_rotated():
    """A logger renames its file, or copies and truncates it, and goes on in a new one: the run goes on as well."""
    with Folder() as path:
        watching = Watching(path("a.jsonl"))
        write(path("a.jsonl"), [record(0), record(5)])
        assert [watching.next()["step"] for _ in range(2)] == [0, 5]
        os.replace(path("a.jsonl"), path("a.jsonl.1"))
        write(path("a.jsonl"), [record(7)])
        assert watching.next()["step"] == 7
        os.replace(path("a.jsonl.1"), path("a.jsonl.2"))
        shutil.copy(path("a.jsonl"), path("a.jsonl.1"))
        write(path("a.jsonl"), [record(9)])
        while watching.next()["step"] != 9:
            pass
        rest, err = watching.end()
        assert rest == [] and "replaced" not in err, (rest, err)
        found = lines_of(good("watch", path("a.jsonl"), "--once", "--jsonl"))
        assert [r["step"] for r in found] == [0, 5, 7, 9], found


def test_growing_events():
    """The newest step of an event file is waited for half a second; every step is one line, the
    first and an interrupted one included."""
    with Folder() as path:
        name = path("events.out.tfevents.1")

        def add(*events):
            with open(name, "ab") as file:
                file.write(b"".join(events))

        add(VERSION, *tagged(0)[:5])  # its arrays may not be whole
        watching = Watching(name)
        time.sleep(0.8)
        add(*tagged(0)[5:], *tagged(1))
        assert watching.next()["hidden_norm"] == [8, 9, 10]
        assert watching.next()["step"] == 1
        add(*tagged(2)[:1])
        assert watching.next() == {"step": 2, "loss": 2.75, "lr": None, "seconds": None,
                                   "grad_norm": {"total": None}}
        add(*tagged(2)[1:], *tagged(3))
        assert watching.next()["grad_norm"] == {"total": 1.5, "w2": [4, 5]}
        add(*tagged(4)[:4])  # one layer of two
        time.sleep(0.8)
        rest, err = watching.end()
        assert [(r["step"], r["loss"]) for r in rest] == [(4, 2.5)], rest
        assert len(err.splitlines()) == 1 and "“w2” has 1 values" in err, err


def test_side_by_side():
    with Folder() as path:
        write(path("a.jsonl"), map(whole, range(3)))
        write(path("b.jsonl"), map(record, range(0, 9, 4)))
        found = lines_of(good("watch", path("a.jsonl"), path("b.jsonl"), "--once", "--jsonl"))
        assert [(r["lane"], r["step"]) for r in found] == [(1, 0), (1, 1), (1, 2), (2, 0), (2, 4), (2, 8)]
        write(path("both.jsonl"), found)
        good("chart", "--from", path("both.jsonl"), "--figure", "loss,compare:grad-w2", "--out",
             path("both.pdf"))


def test_beside():
    """A run of another program and one of this one at the same axes, by their files' names."""
    with Folder() as path:
        write(path("mine.jsonl"), map(whole, range(0, 60, 20)))
        assert run("train", "--steps", "30", "--run", path("own.nsrun")).returncode == 0

        def series(*words):
            good("chart", "--from", path("own.nsrun"), "--figure", "loss,gradient-norm", *words,
                 "--out", path("a.csv"))
            with open(path("a.csv"), encoding="utf-8") as file:
                rows = [row for row in csv.reader(file) if len(row) > 3 and row[0] != "figure"]
            return [(row[1], row[2], row[3]) for row in rows]

        rows = series("--beside", path("mine.jsonl"))
        mine = [(float(x), float(y)) for name, x, y in rows if name == "mine"][:3]
        assert mine == [(step, 4 * math.exp(-step / 900)) for step in (0, 20, 40)], mine
        assert sum(name == "own" for name, _, _ in rows) == 31 + 2, rows  # two layers
        assert max(float(x) for name, x, _ in series("--beside", path("mine.jsonl"), "--step", "20")) == 20
        good("chart", "--from", path("own.nsrun"), "--beside", path("mine.jsonl"), "--figure", "loss",
             "--out", path("a.svg"))
        assert ">step 40<" in open(path("a.svg"), encoding="utf-8").read()  # of the longer one
        # Of the same base name: they have the names of their folders.
        os.mkdir(path("other"))
        shutil.copy(path("own.nsrun"), path("other"))
        assert {os.path.basename(path("")[:-1]), "other"} <= {name for name, _, _ in series("--beside", path("other/own.nsrun"))}
        # Of names that are too long, of the same file twice, and of two lanes: they have letters.
        shutil.copy(path("own.nsrun"), path(41 * "a" + ".nsrun"))
        assert {"A", "B"} <= {name for name, _, _ in series("--beside", path(41 * "a" + ".nsrun"))}
        assert {"A", "B"} <= {name for name, _, _ in series("--beside", path("own.nsrun"))}
        for words, says, status in ((["--beside", path("none")], "as in “step 3, loss 2.1”", 1),
                                    (["--beside", path("mine.jsonl")] * 4, "more than 4 lanes", 2),
                                    (["--beside", path("mine.jsonl"), "--set", "lr=1"], "omit --set", 2),
                                    (["--beside", path("mine.jsonl"), "--step", "99"], "was not recorded", 2)):
            text = sentence(run("chart", "--from", path("own.nsrun"), *words, "--figure", "loss",
                                "--out", path("a.csv"), small=False), status)
            assert says in text, text
        text = sentence(run("chart", "--beside", path("own.nsrun"), "--figure", "loss", "--out",
                            path("a.csv"), small=False), 2)
        assert "needs --from" in text, text


def test_own_lines():
    """Of this program's lines, too, as they grow."""
    with Folder() as path:
        watching = Watching(path("a.jsonl"))
        assert run("train", "--steps", "5", "--jsonl", path("a.jsonl")).returncode == 0
        with open(path("a.jsonl"), encoding="utf-8") as file:
            want = [r for r in map(json.loads, file) if "step" in r]
        found = [watching.next() for _ in want]
        assert any("continuation" in one for one in want), want
        for one, other in zip(found, want):
            assert one == {k: v for k, v in other.items() if k not in ("events", "validation_loss")} or \
                {**one, "validation_loss": 0} == {**other, "validation_loss": 0}, (one, other)
        assert watching.end()[0] == []


def test_run_file():
    """A run file that another process writes, before it is there, when it takes a log's place, and when it has ended."""
    with Folder() as path:
        done = run("train", "--steps", "40", "--run", path("done.nsrun"), "--jsonl", path("done.jsonl"))
        assert done.returncode == 0, done
        with open(path("done.jsonl"), encoding="utf-8") as file:
            want = [r for r in map(json.loads, file) if "step" in r]
        assert [r["loss"] for r in lines_of(good("watch", path("done.nsrun"), "--jsonl"))] == [r["loss"] for r in want]
        assert "0 to 40" in good("watch", path("done.nsrun"))
        watching = Watching(path("a.nsrun"))
        with subprocess.Popen([CLI, "train", *small_model([]), "--steps", "2000", "--run", path("a.nsrun")],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            found = [watching.next() for _ in range(2001)]
        assert [r["step"] for r in found] == list(range(2001)) and all("w2" in r["grad_norm"] for r in found)
        assert found[0]["loss"] == want[0]["loss"]
        watching.process.wait(PATIENCE_S)  # the run has ended
        watching = Watching(path("b.jsonl"))
        write(path("b.jsonl"), [record(7)])
        assert watching.next()["step"] == 7
        os.replace(path("done.nsrun"), path("b.jsonl"))
        assert [watching.next()["step"] for _ in range(41)] == list(range(41))
        watching.process.wait(PATIENCE_S)
        write(path("c.nsrun"), ["no database"])
        assert "cannot be read as a run" in sentence(watch(path("c.nsrun"), "--once"), 1)


def test_many_records():
    """As many as there are, in bounded memory."""
    with Folder() as path:
        with open(path("a.jsonl"), "w", encoding="utf-8") as file:
            line = json.dumps({**whole(0), "step": "STEP"})
            for step in range(RECORDS):
                file.write(line.replace('"STEP"', str(3 * step)) + "\n")
        limit = 1 << 30
        done = subprocess.run([CLI, "watch", "--once", path("a.jsonl")], capture_output=True, text=True,
                              check=False, timeout=PATIENCE_S,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
        assert (done.returncode, done.stderr) == (0, ""), done
        assert f"0 to {3 * (RECORDS - 1):,}" in done.stdout and f"{RECORDS:,}" in done.stdout, done.stdout


# ---- Projects of trackio ----

def add_rows(db, rows):
    db.executemany("INSERT INTO metrics (timestamp, run_name, step, metrics) VALUES ('2026-01-01T00:00:00', ?, ?, ?)",
                   [(run_name, step, json.dumps(values)) for run_name, step, values in rows])
    db.commit()


def new_project(path):
    """As trackio makes it; its writer stays connected."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp TEXT NOT NULL, "
               "run_name TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL)")
    return db


def test_live_project():
    """Rows that another program commits are followed, also those of a run that begins later."""
    with Folder() as path:
        db = new_project(path("lab.db"))
        add_rows(db, [("one", 0, {"loss": 3})])
        watching = subprocess.Popen([CLI, "watch", "--jsonl", path("lab.db")], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.3)
        for step in range(1, 6):
            add_rows(db, [("one", step, {"loss": 3}), ("two", step, {"loss": 2})])
            time.sleep(0.05)
        add_rows(db, [(name, 9, {"loss": 1}) for name in ("three", "four", "five", "five")])
        time.sleep(1)
        watching.send_signal(2)
        out, err = watching.communicate(timeout=60)
        found = [(r.get("lane", 1), r["step"], r["loss"]) for r in map(json.loads, out.decode().splitlines())]
        want = [(1, s, 3) for s in range(6)] + [(2, s, 2) for s in range(1, 6)] + [(3, 9, 1), (4, 9, 1)]
        assert sorted(found) == want, (found, err)
        assert err.count(b"has 5 runs; shown are one, two, three, four.") == 1, err


def test_several_runs():
    """A log that names its runs, in order or interleaved, has a lane for each of the first four."""
    def lanes(name, text):
        with Folder() as path:
            with open(path(name), "w", encoding="utf-8") as file:
                file.write(text)
            done = run("watch", path(name), "--once", "--jsonl", small=False)
            found = {}
            for r in map(json.loads, done.stdout.decode().splitlines()):
                found.setdefault(r.get("lane", 1), {})[r["step"]] = r["loss"]
            return found, done.stderr.decode()
    def table(rows):
        return "".join(",".join(map(str, row)) + "\n" for row in rows)

    points = [(name, s, k + 3 - s) for k, name in enumerate(("base", "pre", "7")) for s in range(3)]
    want = {k + 1: {s: k + 3 - s for s in range(3)} for k in range(3)}
    for rows in (points, sorted(points, key=lambda p: p[1])):
        for name, text in (
                ("a.csv", table([("run_id", "step", "loss"), *rows])),
                ("a.csv", table([("step", "value", "run", "metric"), *((s, x, n, "train/loss") for n, s, x in rows)])),
                ("a.jsonl", "".join(json.dumps({"run": n, "step": s, "loss": x}) + "\n" for n, s, x in rows)),
                ("a.json", json.dumps([{"experimentKey": n, "metricName": "loss", "metricValue": str(x), "step": s}
                                       for n, s, x in rows]))):
            found, err = lanes(name, text)
            assert found == want and err.endswith("The log has 3 runs; shown are base, pre, 7.\n"), (text, found, err)
            assert err.count("\n") == 1, err
    found, err = lanes("a.csv", table([("experiment", "step", "loss"), *((f"r{k}", s, k) for s in (0, 1) for k in range(6))]))
    assert found == {k + 1: {0: k, 1: k} for k in range(4)} and "has 6 runs; shown are r0, r1, r2, r3." in err, (found, err)
    assert lanes("a.csv", table([("run", "step", "loss"), ("only", 0, 3), ("only", 1, 2)])) == ({1: {0: 3, 1: 2}}, "")
    # A line of JSON is one run, and “train” is none.
    found, err = lanes("a.jsonl", "".join(json.dumps({"step": s, **{f"{x} - loss": 3 - s for x in "abcde"}}) + "\n" for s in (1, 2)))
    assert found == {1: {1: 2, 2: 1}} and not err, (found, err)
    for name, text in (("a.csv", "step,train - loss,Val - loss\n1,2,3\n2,1,2\n"),
                       ("a.jsonl", '{"step": 1, "train - loss": 2, "Val - loss": 3}\n{"step": 2, "train - loss": 1}\n')):
        assert lanes(name, text) == ({1: {1: 2, 2: 1}}, ""), text


if __name__ == "__main__":
    sys.exit(main(globals()))
