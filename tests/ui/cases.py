# SPDX-License-Identifier: MIT
"""Runs every case of a g_test program in a process of its own, so that one that dies hides no other.

Usage: cases.py PROGRAM ARGUMENT...

Speaks TAP.  A case passes if its process reports it as passed and ends with status 0; the end of
what the process printed is shown where it failed.  NS_TEST_PATIENCE multiplies the time that a case
may take.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time

DEADLINE_S = 400 * float(os.environ.get("NS_TEST_PATIENCE", 1))
LINES_SHOWN = 80


def names(command):
    listed = subprocess.run([*command, "-l"], stdout=subprocess.PIPE, text=True, check=False)
    if listed.returncode:
        sys.exit(listed.returncode)
    # GLib 2.84 lists them as comments of TAP.
    lines = (line.removeprefix("# ") for line in listed.stdout.splitlines())
    return [line for line in lines if line.startswith("/")]


def status_of(process):
    """What is wrong with the way in which a process ends, or None."""
    try:
        status = process.wait(DEADLINE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return f"no end after {DEADLINE_S:.0f} s"
    if status < 0:
        return f"died of {signal.Signals(-status).name}"
    return f"exit status {status}" if status else None


def run(command, name):
    """What is wrong with a case, or None; why it was skipped, or None; what it printed."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        with subprocess.Popen([*command, "--tap", "-p", name], stdin=subprocess.DEVNULL, stdout=output,
                              stderr=subprocess.STDOUT) as process:
            wrong = status_of(process)
        output.seek(0)
        printed = output.read().splitlines()
    points = [point for point in (re.match(rf"(not )?ok \d+ {re.escape(name)}(?: # SKIP ?(.*))?$", line)
                                  for line in printed) if point]
    if not wrong and (len(points) != 1 or points[0][1]):
        wrong = f"reported {len(points)} times" if len(points) != 1 else "not ok"
    return wrong, points[0][2] if points else None, printed


def main():
    command = sys.argv[1:]
    cases = names(command)
    print(f"1..{len(cases)}", flush=True)
    for number, name in enumerate(cases, start=1):
        began = time.monotonic()
        wrong, skipped, printed = run(command, name)
        if wrong:
            for line in printed[-LINES_SHOWN:]:
                print(f"#   {line}")
            print(f"# {name}: {wrong}")
        reason = "" if skipped is None else f" # SKIP {skipped}"
        print(f"{'not ok' if wrong else 'ok'} {number} {name}{reason}")
        print(f"# {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
