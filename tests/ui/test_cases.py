# SPDX-License-Identifier: MIT
"""Whatever becomes of a case, it is one failure, and every other case is reported.  Speaks TAP.

Usage: test_cases.py FATES
"""

import os
import pathlib
import re
import subprocess
import sys

CASES = pathlib.Path(__file__).with_name("cases.py")
# Case, what is reported of it, why.
EXPECTED = (
    ("good", "ok", None), ("fails", "not ok", None), ("aborts", "not ok", "died of SIGABRT"),
    ("crashes", "not ok", "died of SIGSEGV"), ("leaves", "not ok", "reported nothing"),
    ("hangs", "not ok", "no end after 2 s"), ("skips", "ok", None), ("goes-on", "ok", None),
    ("last", "not ok", "exit status 3"))


def main():
    print(f"1..{len(EXPECTED) + 1}")
    said = subprocess.run([sys.executable, "-B", CASES, sys.argv[1]], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "NS_TEST_PATIENCE": "0.005"}, check=True).stdout
    for number, (name, verdict, why) in enumerate(EXPECTED, start=1):
        path = f"/fate/{name}"
        wanted = [f"{verdict} {number} {path}" + (" # SKIP no moon tonight" if name == "skips" else "")]
        good = re.findall(rf"^(?:not )?ok .*{path}\b.*$", said, re.M) == wanted \
            and (why is None or f"# {path}: {why}\n" in said)
        print(f"{'ok' if good else 'not ok'} {number} {name}")
    good = said.startswith(f"1..{len(EXPECTED)}\n") and "#   the last words\n" in said
    print(f"{'ok' if good else 'not ok'} {len(EXPECTED) + 1} plan and last words")
    if not good:
        print("\n".join("# " + line for line in said.splitlines()))


if __name__ == "__main__":
    main()
