#!/usr/bin/env python3
"""Run files when something goes wrong: kills, full disks, damage; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_faults.py NORMSCOPE_CLI [--every | --kills=N]

Programs that write a run are killed 5 times, with --every 100 times, or so often as --kills says;
what was found is said in comments.
"""

import contextlib
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

from test_cli import CLI, PATIENCE_S, Skip, main, run, sentence
from test_resume import WEIGHTS, query
from test_runs import Recorded, good

KILLS = 100 if "--every" in sys.argv else 5
for argument in sys.argv:
    if argument.startswith("--kills="):
        KILLS = int(argument.partition("=")[2])

COMMON = ["threads=1", "eval-batches=1", "eval-every=40", "probe-every=25", "steps=0"]
# Steps of a third of a millisecond and of many; checkpoints of kilobytes and of megabytes. A short
# test takes the first.
MODELS = {
    "six layers": ["layers=6"],
    "small": ["layers=1", "d-model=8", "heads=1", "seq=8", "batch=2"],
    "deep": ["layers=40", "d-model=16", "heads=2", "seq=16", "batch=4"],
    "wide": ["layers=2", "d-model=256", "seq=16", "batch=2"],
}
# A program is killed so often before the run is continued to its end.
KILLS_A_RUN = 5
# A commit comes twice a second: 1,000 kills on two processors at a load of 25 lost 0.94 s at most.
# A machine that is even busier fails nothing.
MOST_LOST_S = 3.0


def size_of(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def records_of(path):
    """The records of a run without their times."""
    lines = [json.loads(line) for line in good("export", path, "--format", "jsonl").splitlines()]
    for line in lines:
        line.pop("seconds", None)
        line.pop("probe_seconds", None)
    return [line for line in lines if "step" in line]


def newest(path):
    """The newest step that another program finds in a run; -1 where there is none yet."""
    if not os.path.exists(path):
        return -1
    db = sqlite3.connect(path, timeout=PATIENCE_S)
    try:
        return db.execute("SELECT ifnull(max(step), -1) FROM steps").fetchone()[0]
    except sqlite3.OperationalError:  # it has no tables yet
        return -1
    finally:
        db.close()


# ---- Kills ----

class Killed:
    """A run whose programs are killed, again and again."""

    def __init__(self, folder, name, dice):
        self.path = os.path.join(folder, "a.nsrun")
        self.lines = os.path.join(folder, "a.jsonl")
        self.dice = dice
        self.settings = [word for setting in MODELS[name] + COMMON for word in ("--set", setting)]
        self.every = dice.choice([None, 1, 20])
        self.kinds = {"train": 0, "resume": 0, "read meanwhile": 0, "every step a checkpoint": 0}

    def command(self):
        if newest(self.path) >= 0:
            words = ["resume", self.path, "--steps", "0"]
        else:
            for path in (self.path, self.path + "-wal", self.path + "-shm", self.lines):
                if os.path.exists(path):
                    os.remove(path)
            words = ["train", *self.settings, "--run", self.path, "--jsonl", self.lines]
        every = ["--checkpoint-every", str(self.every)] if self.every else []
        return [CLI, *words, *every]

    def kill(self):
        """The newest step that was seen in the file before the kill."""
        command, before = self.command(), newest(self.path)
        self.kinds[command[1]] += 1
        self.kinds["every step a checkpoint"] += self.every == 1
        with contextlib.ExitStack() as stack:
            process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.DEVNULL))
            time.sleep(self.dice.uniform(0.05, 1.8))
            seen = newest(self.path)
            if self.dice.random() < 0.3 and seen >= 0:
                # Another program has the file open, and goes on reading it.
                reader = stack.enter_context(contextlib.closing(sqlite3.connect(self.path)))
                reader.execute("BEGIN")
                reader.execute("SELECT count(*) FROM profiles").fetchone()
                self.kinds["read meanwhile"] += 1
                time.sleep(self.dice.uniform(0, 0.6))
            assert process.poll() is None, process.returncode
            process.kill()
            process.wait(timeout=PATIENCE_S)
        return max(before, seen), command[1]

    def lost(self, last):
        """The seconds of the steps that the lines have and the run file has not."""
        with open(self.lines, encoding="utf-8") as file:
            lines = [line for line in file if line.endswith("\n")]
        records = [line for line in map(json.loads, lines) if "step" in line]
        return sum(line["seconds"] for line in records if line["step"] > last)


def check_same(wanted, found, what):
    for then, now in zip(wanted, found):
        differ = [key for key in {*then, *now} if then.get(key) != now.get(key)]
        assert not differ, (what, then["step"], differ)


def check_end(killed, folder, step):
    """It is continued to a step; records and weights are those of a run that nobody killed."""
    good("resume", killed.path, "--steps", str(step))
    whole = os.path.join(folder, "whole.nsrun")
    subprocess.run([CLI, "train", *killed.settings[:-2], "--steps", str(step), "--run", whole],
                   check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE_S)
    there, wanted = records_of(killed.path), records_of(whole)
    assert len(there) == len(wanted) == step + 1
    check_same(wanted, there, "the end")
    assert query(killed.path, WEIGHTS, step) == query(whole, WEIGHTS, step) != []


def test_killed():
    """What was committed is there and right, at most a second is lost, and the run goes on with the
    same bits."""
    dice = random.Random(2)
    kills, most, kinds = 0, 0.0, {}
    while kills < KILLS:
        name = list(MODELS)[kills // KILLS_A_RUN % len(MODELS)]
        with tempfile.TemporaryDirectory() as folder:
            killed, longest = Killed(folder, name, dice), []
            for _ in range(min(KILLS_A_RUN, KILLS - kills)):
                seen, command = killed.kill()
                kills += 1
                last = newest(killed.path)
                assert last >= seen, (name, command, last, seen)
                if last < 0:
                    continue
                records = records_of(killed.path)
                assert [r["step"] for r in records] == list(range(last + 1))
                check_same(longest, records, (name, command))
                longest = max(records, longest, key=len)
                if command == "train":
                    most = max(most, killed.lost(last))
            if longest:
                check_end(killed, folder, len(longest) + 2)
            for kind, n in killed.kinds.items():
                kinds[kind] = kinds.get(kind, 0) + n
    print(f"# {kills} kills ({', '.join(f'{kind}: {n}' for kind, n in kinds.items())}), "
          f"{most:.2f} s of training lost at most", flush=True)
    assert most < MOST_LOST_S, most


# ---- Disks ----

LONG = [CLI, "train", "--set", "layers=6", "--set", "threads=1", "--set", "eval-batches=1"]


def wait_until(condition, process):
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.01)


@contextlib.contextmanager
def own_disk(size):
    """A folder that is a file system of so many MiB."""
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", folder],
                          stderr=subprocess.DEVNULL, check=False).returncode:
            raise Skip("a file system of its own may not be mounted here")
        try:
            yield folder
        finally:
            subprocess.run(["umount", folder], check=True)


def fill(path):
    with open(os.path.join(os.path.dirname(path), "other"), "wb", buffering=0) as other:
        try:
            while other.write(bytes(4096)):
                pass
        except OSError:
            pass


def nothing(_path):
    pass


def test_trouble_while_it_is_written():
    """A disk that fills up, one that is too small, a file that is removed: the run is trained to its
    end, one sentence says what happened, and what was committed is there."""
    for size, trouble, words, stays in ((32, fill, "the disk is full", True),
                                        (1, nothing, "the disk is full", True),
                                        (32, os.remove, "removed", False)):
        with own_disk(size) as folder:
            path = os.path.join(folder, "a.nsrun")
            with subprocess.Popen([*LONG, "--steps", "150", "--run", path], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                wait_until(lambda path=path: newest(path) > 5, process)
                trouble(path)
                out, err = process.communicate(timeout=PATIENCE_S)
            assert process.returncode == 1 and "150 steps" in out, (process.returncode, out)
            assert len(err.splitlines()) == 1 and "has stopped" in err and words in err, err
            if stays:
                there = records_of(path)
                assert [r["step"] for r in there] == list(range(len(there))) != []


def test_lock_of_another_program():
    """What is measured meanwhile waits, two sentences say so, and no step is missing."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.nsrun")
        with subprocess.Popen([*LONG, "--set", "steps=0", "--run", path], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            wait_until(lambda: newest(path) > 5, process)
            db = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
            db.execute("BEGIN IMMEDIATE")
            before = newest(path)
            time.sleep(4.5)
            assert newest(path) == before
            db.execute("ROLLBACK")
            db.close()
            wait_until(lambda: newest(path) > before, process)
            time.sleep(0.5)
            process.terminate()
            _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 143, (process.returncode, err)
        lines = err.splitlines()
        assert len(lines) == 2 and "is locked" in lines[0] and "no longer" in lines[1], err
        there = records_of(path)
        assert [r["step"] for r in there] == list(range(len(there))) and len(there) > before, before


def test_no_place():
    """One sentence, and nothing is trained that would not be recorded; a file that is there is left alone.  If the
    place runs out later, training goes on."""
    with Recorded() as a:
        before = open(a.run, "rb").read()
        assert "exists already" in sentence(run("train", "--steps", "2", "--run", a.run), 2)
        assert open(a.run, "rb").read() == before
        done = run("train", "--steps", "2", "--run", "/proc/a.nsrun")
        assert done.returncode == 1 and b"2 steps" not in done.stdout, done
        assert len(done.stderr.splitlines()) == 1 and b"/proc/a.nsrun" in done.stderr, done
        full = a.path("full.nsrun")
        done = run("train", "--steps", "2000", "--run", full,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)))
        assert done.returncode == 1 and b"2,000 steps" in done.stdout, done
        assert len(done.stderr.splitlines()) == 1 and b"has stopped" in done.stderr, done
        assert b"the limit of file sizes" in done.stderr, done


def test_read_only():
    """A file that may not be written is read, also where its writer was killed; continuing it is
    refused in a sentence."""
    with own_disk(32) as folder:
        path, killed = (os.path.join(folder, name) for name in ("a.nsrun", "killed.nsrun"))
        assert run("train", "--steps", "20", "--run", path).returncode == 0
        with subprocess.Popen([*LONG, "--set", "steps=0", "--run", killed],
                              stdout=subprocess.DEVNULL) as process:
            wait_until(lambda: newest(killed) > 5, process)
            process.kill()
        os.remove(shutil.copy(killed, killed + "-shm"))  # as after a restart of the machine
        subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
        there = records_of(path)
        assert [r["step"] for r in there] == list(range(21))
        assert "only be read in a folder that can be written" in sentence(
            run("show", killed, small=False), 1)
        for file in (path, killed):
            text = sentence(run("resume", file, "--steps", "100000", small=False), 1)
            assert os.path.basename(file) in text, text
        with tempfile.TemporaryDirectory() as other:
            for end in ("", "-wal"):
                shutil.copy(killed + end, other)
            there = records_of(os.path.join(other, "killed.nsrun"))
            assert [r["step"] for r in there] == list(range(len(there))) != []


# ---- Damage ----

def test_damaged():
    """One sentence or the run, whatever became of the bytes (tests/unit/test_damage.c has many more
    of them)."""
    with Recorded() as a:
        whole = open(a.run, "rb").read()
        dice = random.Random(1)
        bad = a.path("bad.nsrun")
        refused = 0
        for case in range(60):
            data = bytearray(whole)
            if case % 2:
                del data[dice.randrange(len(data)):]
            for _ in range(0 if case % 2 else dice.choice([1, 20, 2000])):
                data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
            with open(bad, "wb") as file:
                file.write(data)
            done = run("export", bad, "--format", "jsonl", small=False)
            assert done.returncode in (0, 1, 2), done
            if done.returncode:
                assert len(done.stderr.splitlines()) == 1, done.stderr
                assert b"bad.nsrun" in done.stderr, done.stderr
                refused += 1
        assert refused > 20, refused


if __name__ == "__main__":
    sys.exit(main(globals()))
