# SPDX-License-Identifier: MIT
"""The display goes away while a model trains in the window: the run file is whole and goes on.

Usage: display.py DESKTOP NORMSCOPE_CLI

Needs Xvfb, which it starts and kills itself.  Speaks TAP.
"""

import contextlib
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 300 * float(os.environ.get("NS_TEST_PATIENCE", 1))
SMALL = [word for setting in ("layers=2", "d-model=16", "heads=2", "seq=8", "batch=2", "steps=0", "threads=1")
         for word in ("--set", setting)]


def wait_for(condition, what):
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.02)


def cli(*arguments):
    done = subprocess.run([os.path.abspath(sys.argv[2]), *arguments], capture_output=True, text=True,
                          timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done
    return done.stdout


def steps_of(path):
    lines = map(json.loads, cli("export", str(path), "--format", "jsonl").splitlines())
    return [line["step"] for line in lines if line.get("lane", 1) == 1 and "step" in line]


def newest(path):
    """The newest step that was committed; -1 before the first."""
    with contextlib.closing(sqlite3.connect(path, timeout=PATIENCE_S)) as db:
        try:
            return db.execute("SELECT ifnull(max(step), -1) FROM steps").fetchone()[0]
        except sqlite3.OperationalError:
            return -1


def start_screen():
    reader, writer = os.pipe()
    screen = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "1400x900x24",
                               "-nolisten", "tcp", "-noreset"], pass_fds=[writer],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    os.close(writer)
    with open(reader, encoding="ascii") as pipe:
        return screen, pipe.readline().strip()


def lose_display(home):
    """The run file of a window whose display is killed in the middle of training."""
    screen, display = start_screen()
    environment = dict(os.environ, DISPLAY=f":{display}", GDK_BACKEND="x11", GSK_RENDERER="cairo",
                       HOME=home, XDG_CONFIG_HOME=home, XDG_DATA_HOME=home, XDG_CACHE_HOME=home,
                       GSETTINGS_BACKEND="memory", GTK_A11Y="none", G_DEBUG="")
    environment.pop("WAYLAND_DISPLAY", None)
    runs = pathlib.Path(home) / "normscope" / "runs"
    try:
        with subprocess.Popen([os.path.abspath(sys.argv[1]), *SMALL, "--run"], cwd=home,
                              env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as window:
            def is_written():
                assert window.poll() is None, window.returncode
                return any(newest(path) > 20 for path in runs.glob("*.nsrun"))
            wait_for(is_written, "a run file")
            screen.send_signal(signal.SIGKILL)
            wait_for(lambda: window.poll() is not None, "the end of the program")
    finally:
        screen.kill()
        screen.wait()
    paths = list(runs.glob("*.nsrun"))
    assert len(paths) == 1, paths
    return paths[0]


def main():
    print("1..1")
    with tempfile.TemporaryDirectory() as home:
        try:
            path = lose_display(home)
            steps = steps_of(path)
            assert steps == list(range(len(steps))) and len(steps) > 21, steps[-3:]
            cli("resume", str(path), "--steps", str(len(steps) + 5))
            assert steps_of(path) == list(range(len(steps) + 6))
            print(f"# {len(steps)} steps")
            verdict = "ok"
        except (AssertionError, OSError) as error:
            print(f"# {type(error).__name__}: {error}".replace("\n", " "))
            verdict = "not ok"
    print(f"{verdict} 1 - the display goes away")


if __name__ == "__main__":
    main()
