#!/usr/bin/env python3
"""Runs that go on: the checkpoints of run files; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_resume.py NORMSCOPE_CLI
"""

import fcntl
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from test_cli import CLI, PATIENCE_S, SMALL, main, run, sentence, small_model
from test_runs import LANES, SETTINGS, good

# Batch statistics, noise, expensive quantities, seeds, several lanes, every kind of moments.
KINDS = [
    ["train"],
    ["train", "--set", "norm=batchnorm", "--set", "dropout=0.2", "--set", "probe-every=7"],
    ["train", "--set", "optimizer=sgd", "--set", "seeds=2", "--set", "eval-every=10"],
    ["train", "--set", "optimizer=muon", "--set", "warmup=30", "--set", "schedule=linear",
     "--set", "decay-start=10", "--set", "decay-steps=35"],
    ["compare", *LANES, "--set", "seeds=2", "--set", "momentum=0.9", "--set", "threads=3"],
]
# A lane that diverges at once, and one that does not.
DIVERGING = ["compare", "--lane", "optimizer=sgd lr=100 placement=none", "--lane", "placement=pre"]
WEIGHTS = ("SELECT c.lane, c.seed, t.name, t.weights, t.first_moments, t.second_moments, "
           "t.moments_since, t.weight_sq, t.update_sq, t.ratio_sum, t.ratio_max, c.lr, c.spikes, "
           "c.state FROM tensors t JOIN checkpoints c ON c.id = t.checkpoint WHERE c.step = ? "
           "ORDER BY c.lane, c.seed, t.place")


def lines_of(path):
    """The lines of a run without what a clock has measured."""
    lines = [json.loads(line) for line in good("export", path, "--format", "jsonl").splitlines()]
    for line in lines:
        for part in (line, line.get("summary", {})):
            for name in ("seconds", "probe_seconds", "ms_per_step"):
                part.pop(name, None)
    return lines


def query(path, sql, *values):
    db = sqlite3.connect(path)
    rows = db.execute(sql, values).fetchall()
    db.close()
    return rows


def begin(folder, name, kind, steps, *more):
    path = os.path.join(folder, name)
    done = run(kind[0], *kind[1:], "--steps", str(steps), "--run", path, *more)
    assert (done.returncode, done.stderr) == (0, b""), done
    return path


def check_same(one, other, step):
    """The same records, and the same weights and moments at a step."""
    whole, parts = lines_of(one), lines_of(other)
    assert len(whole) == len(parts), (len(whole), len(parts))
    for want, found in zip(whole, parts):
        assert found == want, (found, want)
    want, found = query(one, WEIGHTS, step), query(other, WEIGHTS, step)
    assert len(want) > 0 and found == want
    # Other programs find one run, not two.
    first = query(other, "SELECT quantity, first, steps FROM profiles ORDER BY 1, 2")
    for (quantity, at, steps), (next_one, then, _) in zip(first, first[1:]):
        assert quantity != next_one or at + steps <= then, (quantity, at, steps, then)


def test_in_two_parts():
    """40 steps in one go are 20, an end, and 20 more."""
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            one = begin(folder, "one.nsrun", kind, 40)
            two = begin(folder, "two.nsrun", kind, 20)
            shown = good("resume", two, "--steps", "40").decode()
            assert "“two.nsrun” was continued from step 20." in shown, shown
            check_same(one, two, 40)
            summary = json.loads(
                good("export", two, "--format", "jsonl").splitlines()[-1])["summary"]
            whole, = query(two, "SELECT sum(seconds) FROM steps WHERE step > 0 AND lane = "
                                "(SELECT max(lane) FROM lanes) AND seed = "
                                "(SELECT max(seed) FROM lanes)")[0]
            assert abs(summary["seconds"] / whole - 1) < 1e-6, (summary, whole)


def test_stuck():
    """A plateau that began before the end of the first part is noted in the second one, once."""
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "letters.txt")
        with open(text, "w", encoding="ascii") as file:
            file.write("".join(random.Random(1).choices("aaab", k=20000)))
        kind = ["train", "--set", f"text={text}", "--set", "batch=16", "--set", "lr=1e-2"]
        one = begin(folder, "one.nsrun", kind, 200)
        stuck, = [line["step"] for line in lines_of(one)
                  if any(event["kind"] == "stuck" for event in line.get("events", []))]
        for name, steps in (("two.nsrun", stuck - 10), ("three.nsrun", stuck + 10)):
            parts = begin(folder, name, kind, steps)
            good("resume", parts, "--steps", "200")
            check_same(one, parts, 200)


def test_left_first():
    """What left its usual range first is found from records before the end of the first part."""
    with tempfile.TemporaryDirectory() as folder:
        kind = ["train", *(word for setting in (
            "layers=3", "d-model=16", "heads=2", "seq=16", "batch=4", "placement=pre",
            "optimizer=sgd", "lr=2.5", "warmup=100") for word in ("--set", setting))]
        one = begin(folder, "one.nsrun", kind, 115)
        texts = [event["text"] for line in lines_of(one) for event in line.get("events", [])]
        assert any("The first to leave its usual range was the weight norm of" in text
                   for text in texts), texts
        for name, steps in (("two.nsrun", 80), ("three.nsrun", 103)):
            parts = begin(folder, name, kind, steps)
            good("resume", parts, "--steps", "115")
            check_same(one, parts, 115)


def test_one_lane_diverged():
    """It stands still, and the other goes on."""
    with tempfile.TemporaryDirectory() as folder:
        one, two = (begin(folder, name, DIVERGING, steps)
                    for name, steps in (("one.nsrun", 40), ("two.nsrun", 20)))
        states = [line["summary"]["state"] for line in lines_of(two)[-2:]]
        assert states == ["diverged", "finished"], states
        good("resume", two, "--steps", "40")
        check_same(one, two, 40)


def until_two_checkpoints(path):
    """Waits until a file that another program writes has them."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if os.path.exists(path + "-wal"):
            if query(path, "SELECT count(DISTINCT step) FROM checkpoints")[0][0] > 1:
                return
        time.sleep(0.02)
    raise AssertionError("no checkpoint")


def test_killed():
    """After kill -9 it goes on from the last checkpoint; what lay beyond comes again."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.nsrun")
        words = ["compare", *LANES, "--set", "batch=32", "--set", "seq=64", "--set", "d-model=32"]
        settings = small_model(words)
        with subprocess.Popen([CLI, *words, *settings, "--set", "steps=0", "--checkpoint-every",
                               "5", "--run", path], stdout=subprocess.DEVNULL) as process:
            until_two_checkpoints(path)
            process.kill()
            process.wait(timeout=PATIENCE_S)
        newest, = query(path, "SELECT max(step) FROM checkpoints")[0]
        last, = query(path, "SELECT max(step) FROM steps")[0]
        assert last >= newest >= 10, (newest, last)
        assert all(line.get("summary") is None for line in lines_of(path))
        good("resume", path, "--steps", str(last + 5))
        whole = begin(folder, "whole.nsrun", words, last + 5)
        check_same(whole, path, last + 5)


def test_killed_again():
    """What was recorded beyond the checkpoint stays while it comes again, also where that is killed."""
    kind = ["train", "--set", "probe-every=4", "--set", "eval-every=20"]
    with tempfile.TemporaryDirectory() as folder:
        path = begin(folder, "a.nsrun", kind, 60,
                     "--checkpoint-every", "5")
        before = [line for line in lines_of(path) if "step" in line]
        db = sqlite3.connect(path)
        db.executescript("DELETE FROM tensors WHERE checkpoint IN "
                         "(SELECT id FROM checkpoints WHERE step > 20); "
                         "DELETE FROM checkpoints WHERE step > 20")
        db.close()
        with subprocess.Popen([CLI, "resume", path, "--steps", "0"],
                              stdout=subprocess.DEVNULL) as process:
            until = time.monotonic() + PATIENCE_S
            while query(path, "SELECT count(*) FROM lanes WHERE summary NOT NULL") != [(0,)]:
                assert process.poll() is None and time.monotonic() < until, process.poll()
            process.kill()
            process.wait(timeout=PATIENCE_S)
        after = [line for line in lines_of(path) if "step" in line]
        assert len(after) >= 61 and after[:60] == before[:60]
        last = len(after) + 3
        good("resume", path, "--steps", str(last))
        check_same(begin(folder, "whole.nsrun", kind, last), path, last)


def test_signal():
    """Ctrl-C leaves a checkpoint of the last step."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.nsrun")
        with subprocess.Popen([CLI, "train", *SETTINGS, "--set", "steps=0", "--checkpoint-every",
                               "30", "--run", path], stdout=subprocess.DEVNULL) as process:
            until_two_checkpoints(path)
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=PATIENCE_S) == 143
        steps, = query(path, "SELECT max(step) FROM steps")[0]
        assert query(path, "SELECT max(step) FROM checkpoints") == [(steps,)]


def test_without_a_checkpoint():
    """It begins at step 0, also where no step was stored, and the records are the same."""
    with tempfile.TemporaryDirectory() as folder:
        one = begin(folder, "one.nsrun", ["train"], 20)
        for last in (12, -1):
            two = begin(folder, f"two{last}.nsrun", ["train"], 20)
            db = sqlite3.connect(two)
            db.executescript("DELETE FROM checkpoints; DELETE FROM tensors; "
                             f"DELETE FROM steps WHERE step > {last}")
            db.close()
            good("resume", two)
            check_same(one, two, 20)


def test_live_settings():
    """A setting changes from the next step on and stays, whatever becomes of the run then."""
    with tempfile.TemporaryDirectory() as folder:
        path = begin(folder, "a.nsrun", ["compare", *LANES], 20)
        good("resume", path, "--steps", "30", "--set", "lr=1e-4", "--set", "clip=1")
        assert good("show", path).decode().count(" at step 21.\n") == 4
        # As if it had been killed before there was another checkpoint.
        db = sqlite3.connect(path)
        db.executescript("DELETE FROM tensors WHERE checkpoint IN "
                         "(SELECT id FROM checkpoints WHERE step = 30); "
                         "DELETE FROM checkpoints WHERE step = 30; UPDATE lanes SET summary = NULL")
        db.close()
        good("resume", path, "--steps", "40")
        rates = query(path, "SELECT lane, step, lr FROM steps WHERE step > 0")
        assert {rate for _, step, rate in rates if step <= 20} == {3e-3}
        assert {rate for _, step, rate in rates if step > 20} == {1e-4}
        assert len(rates) == 80
        events = query(path, "SELECT lane, step, what FROM events WHERE kind = 'setting' "
                             "ORDER BY lane, what")
        assert events == [(lane, 21, what) for lane in (1, 2) for what in ("clip", "lr")], events
        # The experiment is still that of the beginning.
        assert json.loads(good("export", path, "--format", "jsonl").splitlines()[0])[
            "settings"]["lr"] == 3e-3


def test_refused():
    """In a sentence, and the file stays as it is."""
    with tempfile.TemporaryDirectory() as folder:
        path = begin(folder, "a.nsrun", ["train"], 20)
        before = open(path, "rb").read()
        for key in ("layers=3", "threads=2", "batch=4", "optimizer=sgd", "seed=2"):
            text = sentence(run("resume", path, "--steps", "30", "--set", key, small=False), 2)
            assert f"“{key.partition('=')[0]}” cannot change during a run" in text, text
        text = sentence(run("resume", path, "--set", "steps=40", small=False), 2)
        assert "--steps can" in text, text
        for steps in ([], ["--steps", "20"], ["--steps", "3"]):
            text = sentence(run("resume", path, *steps, small=False), 2)
            assert "has step 20 already" in text, text
        for wrong in (["--steps", "many"], ["--set", "lr=fast"], ["--set", "nothing=1"],
                      ["--checkpoint-every", "-3"]):
            sentence(run("resume", path, "--steps", "30", *wrong, small=False), 2)
        sentence(run("resume", small=False), 2)
        sentence(run("resume", os.path.join(folder, "none.nsrun"), small=False), 1)
        sentence(run("train", "--steps", "1", "--checkpoint-every", "3"), 2)
        assert open(path, "rb").read() == before
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            text = sentence(run("resume", path, "--steps", "30", small=False), 1)
            assert "written by another program" in text, text
        assert open(path, "rb").read() == before
        db = sqlite3.connect(path)
        db.execute("UPDATE tensors SET weights = zeroblob(length(weights)) WHERE rowid = 1")
        db.commit()
        text = sentence(run("resume", path, "--steps", "30", small=False), 1)
        assert "does not give the recorded result here" in text, text
        db.execute("UPDATE tensors SET weights = substr(weights, 2)")
        db.commit()
        db.close()
        text = sentence(run("resume", path, "--steps", "30", small=False), 1)
        assert "a checkpoint is damaged" in text, text


def test_new_quantities():
    """A file of an older program, which lacks a quantity, has it from the continuation on."""
    with tempfile.TemporaryDirectory() as folder:
        path = begin(folder, "old.nsrun", KINDS[0], 20)
        db = sqlite3.connect(path)
        db.execute("DELETE FROM profiles WHERE quantity IN (SELECT id FROM quantities WHERE key = 'grad-share')")
        db.execute("DELETE FROM quantities WHERE key = 'grad-share'")
        db.commit()
        db.close()
        good("resume", path, "--steps", "40")
        measured = [line["step"] for line in lines_of(path) if "grad_share" in line and line["grad_share"][0] is not None]
        assert measured == list(range(21, 41)), measured


def test_size_is_bounded():
    """Older checkpoints go when 64 MiB are used, the newest stays."""
    with tempfile.TemporaryDirectory() as folder:
        wide = [s for s in SMALL if not s.startswith("d-model")] + ["d-model=256", "eval-every=0"]
        path = os.path.join(folder, "a.nsrun")
        good("train", *(word for s in wide for word in ("--set", s)), "--steps", "1", "--run", path)
        for step in range(2, 7):
            good("resume", path, "--steps", str(step))
        (steps, newest), = query(path, "SELECT count(DISTINCT step), max(step) FROM checkpoints")
        (used,), = query(path, "SELECT sum(length(weights) + length(first_moments) + "
                               "length(second_moments)) FROM tensors")
        assert 1 < steps < 6 and newest == 6, (steps, newest)
        assert 32 << 20 < used <= 64 << 20, used
        assert os.path.getsize(path) < 96 << 20


if __name__ == "__main__":
    sys.exit(main(globals()))
