# SPDX-License-Identifier: MIT
"""Runs the cases of a g_test program so that none hides another.

Usage: cases.py PROGRAM ARGUMENT...

Cases run in turn in one process, which starts only once.  The first that dies, fails or does not
end is the last one there, and those after it run in a new process.

Speaks TAP.  A case passes if its process reports it as passed, and only it; the last one of a
process also answers for the exit status.  The end of what was printed is shown where a case
failed.  NS_TEST_PATIENCE multiplies the time that a case may take.
"""

import os
import re
import select
import signal
import subprocess
import sys
import time

DEADLINE_S = 400 * float(os.environ.get("NS_TEST_PATIENCE", 1))
LINES_SHOWN = 80
POINT = re.compile(r"(?P<bad>not )?ok \d+ (?P<name>/\S*)(?: # SKIP ?(?P<skipped>.*))?")


def names(command):
    listed = subprocess.run([*command, "-l"], stdout=subprocess.PIPE, text=True, check=False)
    if listed.returncode:
        sys.exit(listed.returncode)
    # GLib 2.84 lists them as comments of TAP.
    lines = (line.removeprefix("# ") for line in listed.stdout.splitlines())
    return [line for line in lines if line.startswith("/")]


class Process:
    """A process that runs cases in turn, and what it prints."""

    def __init__(self, command, cases):
        chosen = [word for name in cases for word in ("-p", name)]
        self.process = subprocess.Popen([*command, "--tap", *chosen], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.pipe = self.process.stdout.fileno()
        self.end = os.pidfd_open(self.process.pid)
        self.rest = b""

    def line(self, deadline):
        """The next line that it prints; None once it has ended, whoever else still has the pipe."""
        while b"\n" not in self.rest:
            ready = select.select([self.pipe, self.end], [], [], max(0, deadline - time.monotonic()))[0]
            if not ready:
                raise TimeoutError
            more = os.read(self.pipe, 65536) if self.pipe in ready else b""
            if not more:
                last, self.rest = self.rest, b""
                return last.decode(errors="replace") if last else None
            self.rest += more
        line, _, self.rest = self.rest.partition(b"\n")
        return line.decode(errors="replace")

    def status(self, deadline):
        """What is wrong with the way in which it ends, or None."""
        try:
            status = self.process.wait(max(0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        if status < 0:
            return f"died of {signal.Signals(-status).name}"
        return f"exit status {status}" if status else None

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        os.close(self.end)


def run_case(process, name, last, printed):
    """What is wrong with a case, or None; why it was skipped, or None.  `printed` takes the lines."""
    deadline = time.monotonic() + DEADLINE_S
    points = []
    try:
        while last or not points:
            line = process.line(deadline)
            if line is None:
                break
            printed.append(line)
            points += filter(None, [POINT.fullmatch(line)])
        ended = process.status(deadline) if last or not points else None
    except TimeoutError:
        return f"no end after {DEADLINE_S:.0f} s", None
    reported = [point["name"] for point in points]
    if reported != [name]:
        return ended or f"reported {' and '.join(reported) or 'nothing'}", None
    return "not ok" if points[0]["bad"] else ended, points[0]["skipped"]


def main():
    command = sys.argv[1:]
    cases = names(command)
    print(f"1..{len(cases)}", flush=True)
    process = None
    for number, name in enumerate(cases, start=1):
        began = time.monotonic()
        process = process or Process(command, cases[number - 1:])
        printed = []
        wrong, skipped = run_case(process, name, number == len(cases), printed)
        if wrong:
            for line in printed[-LINES_SHOWN:]:
                print(f"#   {line}")
            print(f"# {name}: {wrong}")
            process.close()
            process = None
        reason = "" if skipped is None else f" # SKIP {skipped}"
        print(f"{'not ok' if wrong else 'ok'} {number} {name}{reason}")
        print(f"# {time.monotonic() - began:.1f} s", flush=True)
    if process:
        process.close()


if __name__ == "__main__":
    main()
