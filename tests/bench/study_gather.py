#!/usr/bin/env python3
"""How long studies of 10, 1,000 and 100,000 cells take besides their training.

SPDX-License-Identifier: MIT
Usage: study_gather.py NORMSCOPE_CLI [CELLS...]

The results are made up: files of parts as jobs would have left them, 100 cells each.  What is timed is what
the program does with them: making the list of jobs, gathering all parts, and showing the table with its
comparison: seconds that passed, and in
brackets those of processors.  The memory is the most that a command had resident.
"""

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

CHUNK = 100


def timed(*arguments):
    """Seconds that passed, those of processors, and the MiB that the command had resident."""
    started = time.monotonic()
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        out, err = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, err
    words = f"{time.monotonic() - started:.1f} ({usage.ru_utime + usage.ru_stime:.1f})"
    return words, usage.ru_maxrss / 1024, out


def write_parts(whole, folder, chunk):
    """The files of all parts, each as a job with so many cells leaves it."""
    with sqlite3.connect(whole) as database:
        tables = [row[0] for row in database.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")]
        application, version = (database.execute(f"PRAGMA {name}").fetchone()[0]
                                for name in ("application_id", "user_version"))
        text, = database.execute("SELECT text FROM study").fetchone()
        cells = database.execute("SELECT hash, place FROM cells ORDER BY place").fetchall()
    database.close()
    rng = random.Random(1)
    for first in range(0, len(cells), chunk):
        path = os.path.join(folder, f"{chunk}-{first // chunk}.nsstudy")
        with sqlite3.connect(path) as part:
            part.execute(f"PRAGMA application_id = {application}")
            part.execute(f"PRAGMA user_version = {version}")
            for table in tables:
                part.execute(table)
            part.execute("INSERT INTO study VALUES (?, 'normscope', 0)", (text,))
            part.executemany(
                "INSERT INTO cells VALUES (?, ?, 'done', NULL, NULL, 100, 4, ?, ?, ?, 1, NULL, 'normscope', 'avx2')",
                [(hash_, place, *[2 + abs(rng.gauss(0, 0.5)) + 0.2 * (place % 2)] * 3)
                 for hash_, place in cells[first:first + chunk]])
        part.close()
    return -(-len(cells) // chunk)


def bench(cli, cells):
    with tempfile.TemporaryDirectory() as folder:
        study, out = os.path.join(folder, "a.study"), os.path.join(folder, "a.nsstudy")
        with open(study, "w", encoding="utf-8") as file:
            file.write(f"steps = 100\n[random]\ndraws = {cells // 2}\nlr = 1e-4:1e-1:log\nwarmup = 1:100\ndropout = 0:0.5\n"
                       "[A]\nplacement = post\n[B]\nplacement = pre\n")
        chunk = min(CHUNK, cells // 2)
        listing = timed(cli, "study", study, "--print-jobs", "--chunk", str(chunk))
        parts = os.path.join(folder, "a.parts")
        files = write_parts(out, parts, chunk)
        gather = timed(cli, "study", "merge", out, *sorted(os.path.join(parts, name) for name in os.listdir(parts)
                                                           if name.endswith(".nsstudy")))
        again = timed(cli, "study", study, "--print-jobs", "--chunk", str(chunk))
        show = timed(cli, "study", "show", out)
        assert again[2] == b"" and f"{cells} of {cells} cells".encode() in show[2], show[2][:500]
        size = os.path.getsize(out) / 2 ** 20
        print(f"| {cells:,} | {files:,} | {size:.1f} | {listing[0]} | {gather[0]} | {show[0]} "
              f"| {max(listing[1], gather[1], show[1]):.0f} |", flush=True)


def main():
    print("| cells | files of parts | results, MiB | list of jobs, s | gathering, s | table, s | memory, MiB |")
    print("|---|---|---|---|---|---|---|")
    for cells in [int(word) for word in sys.argv[2:]] or [10, 1000, 100000]:
        bench(os.path.abspath(sys.argv[1]), cells)


if __name__ == "__main__":
    main()
