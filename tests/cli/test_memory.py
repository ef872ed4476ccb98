#!/usr/bin/env python3
"""Commands that may not use as much memory as they need: they say so, and end; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_memory.py NORMSCOPE_CLI [--every]

With --every the limits are close to one another; without, there is one for each way to fail.
"""

import os
import resource
import subprocess
import sys
import tempfile

from test_cli import CLI, Skip, main, run

EVERY = "--every" in sys.argv
REFUSED = "normscope-cli: "
SWEEP = ("sweep", "--x", "lr=1e-3,1e-2", "--y", "warmup=1,10", "--steps", "1", "--workers", "3")


def limited(kibibytes, *arguments, what=resource.RLIMIT_AS, **options):
    """A command under `ulimit -v`: it succeeds, or says in one sentence why it does not."""
    size = kibibytes << 10
    try:
        result = run(*arguments, preexec_fn=lambda: resource.setrlimit(what, (size, size)), **options)
    except subprocess.TimeoutExpired as hung:
        raise AssertionError(f"{arguments} never ends with {kibibytes} KiB") from hung
    text = result.stderr.decode()
    if result.returncode == 127:  # not even its libraries can be loaded
        assert "shared libraries" in text, text
    elif result.returncode == 0:
        assert text == "", text
    else:
        lines = text.splitlines()
        assert result.returncode == 1, (kibibytes, arguments, result)
        assert lines == [] or (len(lines) == 1 and lines[0].startswith(REFUSED)), text
    return result.returncode, text


def skip_sanitized():
    libraries = subprocess.run(["ldd", CLI], capture_output=True, check=False).stdout
    if b"asan" in libraries or b"tsan" in libraries:
        raise Skip("sanitizers need an address space without a limit")


def test_address_space():
    skip_sanitized()
    sizes = [20000, 40000, 60000, 100000, 160000, 190000, 400000]
    if EVERY:
        sizes += [*range(24000, 80000, 4000), 130000, 175000, 205000]
    ends = {size: limited(size, "train", "--set", "layers=2", "--steps", "1", small=False)
            for size in sizes}
    assert any("ulimit -v" in text and "MiB" in text for _, text in ends.values()), ends
    assert ends[190000][0] == ends[400000][0] == 0, ends


def test_address_space_of_openblas():
    skip_sanitized()
    env = dict(os.environ, NORMSCOPE_INSTRUCTIONS="portable")
    for size in range(60000, 400000, 20000) if EVERY else (120000, 230000, 300000):
        limited(size, "train", "--set", "layers=2", "--steps", "1", small=False, env=env)
        limited(size, *SWEEP, small=False, env=env)
    assert limited(1000000, "train", "--steps", "1", env=env)[0] == 0


def test_address_space_of_lanes_and_workers():
    skip_sanitized()
    for size in range(60000, 260000, 40000 if EVERY else 80000):
        limited(size, "compare", "--lane", "", "--lane", "seed=2", "--set", "layers=12", "--steps",
                "1", small=False)
        limited(size, *SWEEP, small=False)


def test_address_space_of_drawing():
    skip_sanitized()
    with tempfile.TemporaryDirectory() as folder:
        for size in range(40000, 200000, 20000 if EVERY else 60000):
            for name in ("run.png", "run.pdf"):
                status, text = limited(size, "chart", "--figure", "all", "--steps", "1", "--out",
                                       os.path.join(folder, name))
                assert status == 0 or "ulimit" in text or status == 127, (size, text)


def test_data():
    skip_sanitized()
    status, text = limited(20000, "train", "--steps", "1", "--set", "layers=30", small=False,
                           what=resource.RLIMIT_DATA)
    assert status == 1 and "ulimit -d" in text, text


if __name__ == "__main__":
    sys.exit(main(globals()))
