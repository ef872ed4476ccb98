#!/usr/bin/env python3
"""The processors that a command may use, and that a signal ends every command; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_limits.py NORMSCOPE_CLI

A deadline is much longer than what it is for: it tells "never" from "late".
"""

import fcntl
import json
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from test_cli import CLI, COMMANDS, PATIENCE_S, SMALL, main, run, until_busy

SETTINGS = [word for setting in SMALL for word in ("--set", setting)]
# Each record of these takes minutes, since the gradient is averaged over so many batches, and
# hardly any memory.
ENDLESS = [word for setting in ("probe-every=1", "probe-batches=10000", "seq=64", "batch=64",
                                "layers=12", "d-model=256", "heads=4", "threads=1")
           for word in ("--set", setting)]
# Steps that take longer than the patience with a signal.
SLOW = [word for setting in ("layers=2", "d-model=256", "d-ff=1024", "heads=4", "seq=256",
                             "batch=16", "eval-every=0", "threads=1")
        for word in ("--set", setting)]
END_S = 30  # within which a command that is told to ends; meant is one second


def status_of(process):
    """As a shell tells it."""
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def threads_of(*prefix, settings=(), **options):
    result = run("train", "--set", "threads=0", "--set", "batch=64", "--steps", "0", "--jsonl", "-",
                 *settings, prefix=prefix, **options)
    assert result.returncode == 0, result
    return json.loads(result.stdout.decode().splitlines()[0])["threads"]


# ---- The stack ----

def test_stack():
    small = run("train", "--steps", "2", "--jsonl", "-", preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_STACK, (65536, 65536)))
    assert small.returncode == 0 and len(small.stdout.decode().splitlines()) == 5, small


# ---- Processors ----

def test_affinity():
    here = os.sched_getaffinity(0)
    assert 1 <= threads_of() <= len(here), (threads_of(), here)
    one = {min(here)}
    assert threads_of(preexec_fn=lambda: os.sched_setaffinity(0, one)) == 1


def test_environment_of_openmp():
    for name in ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT"):
        assert threads_of(env=dict(os.environ, **{name: "1"})) == 1, name
        assert threads_of(env=dict(os.environ, **{name: "none"})) == threads_of(), name


def test_lanes_share_the_processors():
    one = {min(os.sched_getaffinity(0))}
    result = run("compare", "--set", "threads=0", "--set", "batch=64", "--lane", "", "--lane", "",
                 "--steps", "0", "--jsonl", "-", preexec_fn=lambda: os.sched_setaffinity(0, one))
    lines = [json.loads(line) for line in result.stdout.decode().splitlines()]
    assert [line["threads"] for line in lines[:2]] == [1, 1], lines[:2]


# ---- Signals ----

def start(*arguments, **options):
    return subprocess.Popen([CLI, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            **options)


def end(process, number=signal.SIGTERM):
    """What a command has written that is told to end."""
    process.send_signal(number)
    try:
        out, err = process.communicate(timeout=END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f"{process.args} goes on after signal {number}") from None
    assert status_of(process) == 128 + number, (process.args, process.returncode, err)
    return out.decode(), err.decode()


def test_every_command():
    with tempfile.TemporaryDirectory() as folder:
        path, plain, file, study = (os.path.join(folder, name)
                                    for name in ("loss.csv", "plain", "a.nsrun", "a.study"))
        with open(study, "w", encoding="utf-8") as text:
            text.write("steps = 1000\nlayers = 2\nd-model = 256\nseq = 256\nbatch = 16\nseeds = 4\n")
        begun = run("train", "--steps", "0", "--run", file, *SLOW, small=False)
        assert begun.returncode == 0, begun
        masked, pairs, sentences = (os.path.join(folder, name)
                                    for name in ("m.nsrun", "t.nsrun", "sentences"))
        for task, arch, to in (("mlm", "encoder", masked), ("translation", "encoder-decoder", pairs)):
            begun = run("train", "--steps", "0", "--run", to, "--set", f"task={task}",
                        "--set", f"arch={arch}", "--set", "layers=2", small=False)
            assert begun.returncode == 0, begun
        with open(sentences, "w", encoding="utf-8") as text:
            text.write("der hund\n" * 200000)
        axes = ["--x", "lr=1e-3,1e-2", "--y", "seed=1,2"]
        lanes = ["--lane", "", "--lane", "placement=pre"]
        commands = {
            "train": ENDLESS, "compare": lanes + ENDLESS, "probe": ENDLESS, "bench": ENDLESS,
            "check": SLOW, "dump": ["--steps", "1000", "--out", plain] + SLOW,
            "chart": ["--figure", "loss", "--set", "seeds=3", "--out", path] + ENDLESS,
            "sweep": axes + ENDLESS, "study": [study], "paper": [], "resume": [file, "--steps", "1000"],
            "finetune": ["--run", masked, "--steps", "1000000"],
            "handout": ["10", "--out", plain + ".pdf"],
            "translate": ["--run", pairs, "--in", sentences, "--out", sentences + ".en"],
        }
        for command, arguments in commands.items():
            process = start(command, *arguments)
            until_busy(process)
            end(process, signal.SIGINT if command == "probe" else signal.SIGTERM)
        # The rest only reads and draws, and is over before a signal comes.
        assert set(commands) | {"bleu", "bpe", "show", "runs", "export", "list"} == set(COMMANDS)


def test_lines_within_a_step():
    for words in (["train"], ["compare", "--lane", "", "--lane", "placement=pre"]):
        process = start(*words, "--steps", "1000", "--jsonl", "-", *SLOW)
        lines = []
        while not lines or '"step":1,' not in lines[-1]:
            lines.append(process.stdout.readline().decode())
        out, err = end(process)
        lines = [json.loads(line) for line in lines + out.splitlines()]
        steps = [line["step"] for line in lines if "step" in line and line.get("lane", 1) == 1]
        assert err == "" and steps == list(range(len(steps))), (err, steps)
        n = 2 if words[0] == "compare" else 1
        summaries = [line["summary"] for line in lines[-n:]]
        assert all(summary["state"] == "paused" for summary in summaries), summaries
        assert summaries[0]["steps"] == steps[-1], (summaries, steps)


def test_table_within_a_step():
    process = start("train", "--steps", "1000", *SLOW)
    until_busy(process)
    out, err = end(process)
    assert err == "" and (out == "" or "paused after" in out), (out, err)


def until_used(process, seconds):
    """Until a process has computed for so long."""
    ticks = os.sysconf("SC_CLK_TCK") * seconds
    while process.poll() is None:
        with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
            if int(file.read().rpartition(")")[2].split()[11]) >= ticks:
                return
        time.sleep(0.01)


def test_seeds_within_a_seed():
    process = start("probe", "--json", "--seeds", "1000", *SLOW, "--set", "probe-batches=2")
    until_used(process, 2)
    out, err = end(process)
    assert err == "" and (out == "" or json.loads(out)["seeds"] >= 1), (out, err)


def test_bench_within_a_step():
    process = start("bench", "--json", "--steps", "1000", *SLOW)
    until_used(process, 3)
    out, err = end(process)
    assert err == "" and (out == "" or 1 <= json.loads(out)["steps"] < 1000), (out, err)
    if out:
        value = json.loads(out)
        assert len(value["each_ms"]) == value["steps"] and value["operators"]["matmul"] is None


def test_chart_within_a_step():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "loss.csv")
        process = start("chart", "--figure", "loss", "--steps", "1000", "--out", path, *SLOW)
        until_used(process, 1.5)
        _, err = end(process)
        if os.path.exists(path):
            assert "Interrupted at step" in err, err


def test_reader_that_stops_reading():
    """The lines do not come to an end, and the program does."""
    process = start("train", "--set", "steps=0", "--jsonl", "-", *SETTINGS)
    waiting = 0
    while waiting < 60000:
        buffer = fcntl.ioctl(process.stdout, termios.FIONREAD, b"\0" * 4)
        waiting = struct.unpack("i", buffer)[0]
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError("it waits for its reader for ever") from None
    assert process.wait(timeout=PATIENCE_S) == 128 + signal.SIGTERM
    process.stdout.close()
    process.stderr.close()


if __name__ == "__main__":
    sys.exit(main(globals()))
