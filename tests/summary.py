# SPDX-License-Identifier: MIT
"""Counts the test cases in meson's logs (testlog.json) and shows what failed.

Usage: summary.py LOG...

A program that speaks TAP counts once for every case it reported, and once more as failed if it
died, hung, or stopped before its plan was fulfilled and no failed case says why.  Any other program
is one case.
"""

import json
import re
import sys

POINT = re.compile(r"^(not )?ok\b[ \t]*\d*[ \t]*(?:- )?(.*?)(?:[ \t]+#[ \t]*(skip)\b[ \t:-]*(.*))?$", re.I)
PLAN_SKIP = re.compile(r"^1\.\.0\b[ \t]*(?:#[ \t]*skip\b[ \t:-]*(.*))?", re.I)
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


def cases(test):
    """[(verdict, name, reason)] of one test program."""
    name, result = test["name"].rpartition(" / ")[2], test["result"]
    found, planned_none = [], None
    for line in test.get("stdout", "").splitlines():
        point, plan = POINT.match(line), PLAN_SKIP.match(line)
        if point:
            verdict = FAILED if point[1] else SKIPPED if point[3] else PASSED
            found.append((verdict, f"{name}: {point[2]}", point[4] or ""))
        elif plan:
            planned_none = plan[1] or ""
    if not found and planned_none is not None:
        found.append((SKIPPED, name, planned_none))
    if result in ("OK", "EXPECTEDFAIL"):
        return found or [(PASSED, name, "")]
    if result == "SKIP":
        return found or [(SKIPPED, name, "")]
    if not any(verdict == FAILED for verdict, _, _ in found):
        found.append((FAILED, name, f"{result.lower()}, exit status {test['returncode']}"))
    return found


def main():
    counts = {PASSED: 0, FAILED: 0, SKIPPED: 0}
    skipped = []
    tests = []
    for log in sys.argv[1:]:
        try:
            with open(log, encoding="utf-8") as file:
                tests += [json.loads(line) for line in file if line.strip()]
        except OSError as error:
            print(f"FAILED: No test ran: {error}")
            counts[FAILED] += 1
    for test in tests:
        found = cases(test)
        for verdict, name, reason in found:
            counts[verdict] += 1
            if verdict == SKIPPED:
                skipped.append(f"skipped: {name}{': ' + reason if reason else ''}")
        failures = [case for case in found if case[0] == FAILED]
        if failures:
            print(f"--- log of {test['name']}")
            for stream in ("stdout", "stderr"):
                print("\n".join(test.get(stream, "").splitlines()[-200:]))
            for _, name, reason in failures:
                print(f"FAILED: {name}{': ' + reason if reason else ''}")
    for line in skipped:
        print(line)
    print(", ".join(f"{counts[verdict]} {verdict}" for verdict in (PASSED, FAILED, SKIPPED)))
    return 0 if counts[FAILED] == 0 and counts[PASSED] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
