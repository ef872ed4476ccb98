# SPDX-License-Identifier: MIT
"""Random clicks, keys, drags, scrolling and sizes on the real window, always the same for one seed.

Usage: monkey.py DESKTOP [--seed N] [--events N | --seconds N] [--log FILE]

Needs a display of its own (xvfb-run -a python3 monkey.py ...) and xdotool.  Works in an empty home
folder.  A program that was closed is started again.  Speaks TAP; it fails if the program dies of
anything but its own end, or prints a warning or a sanitizer's report.  The log holds what was done
before, and all that the program printed when something was found.
"""

import argparse
import collections
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ANSWER_S = 30  # a sanitized program on a busy machine is slow
WIDTH, HEIGHT = 1400, 900  # of the screen
SIZES = ((1280, 800), (720, 600), (1400, 900), (560, 420), (900, 700), (1024, 500))
TOLD = 30  # events that are shown when something was found

KEYS = (
    "space F5 period comma Right Left Up Down Home End Page_Up Page_Down Tab shift+Tab Return Escape "
    "Escape Escape 1 2 3 4 5 6 7 8 9 l shift+l s t g m r alt+r shift+r b p f bracketleft bracketright "
    "ctrl+e ctrl+shift+e ctrl+z ctrl+shift+z ctrl+z ctrl+n ctrl+o ctrl+s ctrl+c ctrl+shift+c F1 F9 "
    "ctrl+F9 F10 F11 ctrl+question shift+period shift+comma Delete BackSpace Menu shift+F10 plus minus "
    "ctrl+a ctrl+v").split()
WORDS = ("12", "0", "-3", "1e-3", "nan", "1e999", "999999999999", "pre", "", "x", "3.5", "post*3,pre*3", "64")

# What a program may print: notes of libraries about the machine, and what GTK says of itself
# (a window that opens under a pressed button; the labels of its shortcuts window; a popover of a
# window that no window manager has placed).
HARMLESS = re.compile(r"dconf|portal|Vulkan|libEGL|MESA|dbus|at-spi|AT-SPI|theme|fd limit|GLib-GIO"
                      r"|gdk_monitor_get_geometry|Broken accounting of active state|GtkLabel \S+ \(label\) reported min width -[34]", re.I)
FOUND = re.compile(r"Sanitizer|runtime error|WARNING|CRITICAL|ERROR|assert", re.I)


class Monkey:
    def __init__(self, program, seed, log):
        self.program, self.random, self.log = program, random.Random(seed), log
        self.home = tempfile.mkdtemp(prefix="normscope-monkey-")
        self.done = collections.deque(maxlen=TOLD)
        self.problems = []
        self.starts = 0
        self.process = self.output = self.window = None

    def start(self):
        environment = dict(os.environ, HOME=self.home, XDG_CONFIG_HOME=self.home, XDG_DATA_HOME=self.home,
                           XDG_CACHE_HOME=self.home, GSETTINGS_BACKEND="memory", GSK_RENDERER="cairo",
                           GDK_BACKEND="x11", GTK_A11Y="none", LC_ALL="C.UTF-8",
                           OPENBLAS_NUM_THREADS="1")
        self.output = open(pathlib.Path(self.home) / "output", "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen([self.program], cwd=self.home, env=environment,
                                        stdout=self.output, stderr=subprocess.STDOUT)
        self.starts += 1
        end = time.monotonic() + ANSWER_S
        while time.monotonic() < end and self.process.poll() is None:
            found = self.tool("search", "--onlyvisible", "--name", "Normscope").split()
            if found:
                self.window = found[-1]
                self.tool("windowmove", self.window, "0", "0")
                return
            time.sleep(0.1)
        self.problem("no window appeared")

    def tool(self, *words):
        try:
            return subprocess.run(["xdotool", *words], capture_output=True, text=True, timeout=ANSWER_S,
                                  check=False).stdout
        except subprocess.TimeoutExpired:
            self.problem("the display does not answer")
            return ""

    def problem(self, sentence):
        self.problems.append(sentence)
        self.log.write(f"# {sentence}\n")

    def ended(self, statuses=(0,)):
        """What the program left; it may have been closed by a key."""
        self.output.seek(0)
        printed = self.output.read().splitlines()
        for line in printed:
            if FOUND.search(line) and not HARMLESS.search(line):
                self.problem(f"printed: {line[:300]}")
        self.output.close()
        if self.process.returncode not in statuses:
            self.problem(f"ended with status {self.process.returncode}")
        if self.problems:
            self.log.writelines(f"#   {line}\n" for line in printed)

    def place(self):
        return str(self.random.randrange(WIDTH)), str(self.random.randrange(HEIGHT))

    def event(self):
        """One line for xdotool."""
        r = self.random
        kind = r.choices(("click", "key", "drag", "scroll", "move", "type", "size", "double", "right"),
                         (30, 34, 10, 6, 6, 5, 2, 3, 4))[0]
        x, y = self.place()
        if kind == "click":
            return f"mousemove {x} {y} click 1"
        if kind == "key":
            name = r.choice(KEYS)
            # The dialog for files is GTK's, whose own keys can end the program (GTK 4.8, Alt+R).
            return f"key Escape key Escape key {name}" if name == "alt+r" else f"key {name}"
        if kind == "drag":
            to = self.place()
            return f"mousemove {x} {y} mousedown 1 mousemove {to[0]} {to[1]} sleep 0.02 mouseup 1"
        if kind == "scroll":
            return f"mousemove {x} {y} click --repeat {r.randint(1, 6)} --delay 5 {r.choice((4, 5))}"
        if kind == "move":
            return f"mousemove {x} {y}"
        if kind == "type":
            word = r.choice(WORDS)
            return f"key ctrl+a type --delay 1 -- {word or 'z'}"
        if kind == "size":
            width, height = r.choice(SIZES)
            # In steps, as by hand: no window manager is here that keeps it as wide as it has to be.
            return f"windowsize {self.window} 880 {height} sleep 0.2 windowsize {self.window} 750 {height} " \
                f"sleep 0.2 windowsize {self.window} {width} {height}"
        if kind == "double":
            return f"mousemove {x} {y} click --repeat 2 --delay 30 1"
        return f"mousemove {x} {y} click 3"

    def act(self):
        if self.process.poll() is not None:
            self.ended()
            self.start()
        line = self.event()
        self.done.append(line)
        self.log.write(line + "\n")
        self.tool(*line.split())

    def finish(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        self.ended((0, -signal.SIGTERM))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("desktop")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--events", type=int, default=300)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--log")
    options = parser.parse_args()
    print("1..1")
    if not shutil.which("xdotool"):
        print("ok 1 - monkey # SKIP xdotool is not installed")
        return 0
    with open(options.log or os.devnull, "w", encoding="utf-8", buffering=1) as log:
        monkey = Monkey(os.path.abspath(options.desktop), options.seed, log)
        monkey.start()
        until = time.monotonic() + options.seconds if options.seconds else None
        events = 0
        while not monkey.problems and (time.monotonic() < until if until else events < options.events):
            monkey.act()
            events += 1
        monkey.finish()
        shutil.rmtree(monkey.home, ignore_errors=True)
    for sentence in monkey.problems:
        print(f"# {sentence}")
    for line in monkey.done if monkey.problems else ():
        print(f"#   {line}")
    print(f"# seed {options.seed}: {events} events, {monkey.starts} starts")
    print(f"{'not ok' if monkey.problems else 'ok'} 1 - monkey, seed {options.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
