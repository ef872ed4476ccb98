#!/usr/bin/env python3
"""Studies of hundreds of cells on disks that fill up; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_study_disks.py NORMSCOPE_CLI
"""

import os
import resource
import subprocess
import sys
import tempfile

from test_cli import Skip, main, run, sentence
from test_study import HEAD, LANES, Folder, cells_of, ended, study, whole


def test_full_disk():
    """What there was room for stays; with more room the study goes on."""
    text = HEAD + "steps = 1\nseeds = 200\n" + LANES
    with Folder(text) as folder:
        expected = whole(folder)
        path = folder("a.nsstudy")
        # The log outgrows this once it has all cells.
        limit = os.path.getsize(folder("whole.nsstudy")) + 60000
        line = sentence(run("study", folder("a.study"), "--lease", "1", small=False, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (limit, limit))), 1)
        assert "the disk is full" in line and path in line, line
        there = cells_of(path)
        assert len(there) == len(expected), len(there)
        done = {hash_: cell for hash_, cell in there.items() if cell[0] == "done"}
        assert 0 < len(done) < len(expected)
        assert all(expected[hash_] == cell for hash_, cell in done.items())
        study(folder("a.study"), "--lease", "1")
        assert cells_of(path) == expected


def test_full_file_system():
    with tempfile.TemporaryDirectory() as mounted, Folder(HEAD + "steps = 1\nseeds = 500\n") as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", mounted],
                          stderr=subprocess.DEVNULL).returncode:
            raise Skip("a file system of its own may not be mounted here")
        try:
            path = os.path.join(mounted, "a.nsstudy")
            line = sentence(run("study", folder("a.study"), "--out", path, "--lease", "1", small=False), 1)
            assert "the disk is full" in line, line
            done = ended(path)
            subprocess.run(["mount", "-o", "remount,size=8m", mounted], check=True)
            study(folder("a.study"), "--out", path, "--lease", "1")
            assert done < ended(path) == 500
        finally:
            subprocess.run(["umount", mounted], check=True)


def test_full_shared_disk():
    """A part that finds no room, and a gatherer that finds none, lose nothing that there was."""
    with tempfile.TemporaryDirectory() as mounted, Folder(HEAD + "steps = 1\nseeds = 500\n") as folder:
        expected = whole(folder)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", mounted],
                          stderr=subprocess.DEVNULL).returncode:
            raise Skip("a file system of its own may not be mounted here")
        try:
            part, gathered = (os.path.join(mounted, name) for name in ("part.nsstudy", "a.nsstudy"))
            words = ("study", folder("a.study"), "--out", part, "--network", "--lease", "1", "--cells", "0-499")
            with open(os.path.join(mounted, "other"), "wb") as file:
                file.write(bytes(180000))
            line = sentence(run(*words, small=False), 1)
            assert "the disk is full" in line, line
            os.remove(os.path.join(mounted, "other"))
            assert run(*words, small=False).returncode == 0
            assert cells_of(part) == expected
            with open(os.path.join(mounted, "other"), "wb") as file:
                file.write(bytes(60000))
            merge = ("study", "merge", gathered, part)
            line = sentence(run(*merge, small=False), 1)
            assert "the disk is full" in line and ended(gathered) == 0, (line, ended(gathered))
            subprocess.run(["mount", "-o", "remount,size=8m", mounted], check=True)
            result = run(*merge, small=False)
            assert result.returncode == 0 and b"500 results added" in result.stderr, result
            assert cells_of(gathered) == expected
        finally:
            subprocess.run(["umount", mounted], check=True)


if __name__ == "__main__":
    sys.exit(main(globals()))
