# SPDX-License-Identifier: MIT
"""Runs a program on a screen that nobody sees, on a session bus and with a data folder of its own.

Usage: session.py PROGRAM ARGUMENT...

Needs Xvfb, which takes the first display that is free, so that many sessions can begin at once, and
dbus-run-session.  The exit status is that of the program.
"""

import os
import subprocess
import sys
import tempfile

SCREEN = ["-screen", "0", "1920x1200x24", "-nolisten", "tcp", "-noreset"]
# Services of the bus write to standard error, not between the program's own lines, which are TAP.
OWN_OUTPUT = ["sh", "-c", 'exec "$@" >&3 3>&-', "session"]


def main():
    reader, writer = os.pipe()
    with subprocess.Popen(["Xvfb", "-displayfd", str(writer), *SCREEN], pass_fds=[writer],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as screen:
        os.close(writer)
        with open(reader, encoding="ascii") as pipe:
            display = pipe.readline().strip()
        if not display:
            return f"Xvfb ended with status {screen.wait()} before it had a display."
        os.dup2(1, 3)
        try:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as data:
                environment = {**os.environ, "DISPLAY": f":{display}", "XDG_DATA_HOME": data}
                environment.pop("WAYLAND_DISPLAY", None)
                return subprocess.call(["dbus-run-session", "--", *OWN_OUTPUT, *sys.argv[1:]],
                                       stdout=2, env=environment, pass_fds=[3])
        finally:
            screen.terminate()


if __name__ == "__main__":
    sys.exit(main())
