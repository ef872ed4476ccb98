# SPDX-License-Identifier: MIT
"""app/setup.sh with an apt-get that cannot configure some packages; writes TAP.

Usage: test_setup.py app/setup.sh
"""

import os
import pathlib
import subprocess
import sys
import tempfile

SETUP = sys.argv[1]

# Packages are files of $STATE.  As with dpkg, a package that cannot be configured ends the command, and makes
# every later one fail too, after it has installed the others.
STUBS = {
    "apt-get": """
        while [[ $# -gt 0 && $1 != install ]]; do shift; done
        (($# > 0)) || exit 0
        for package in "${@:2}"; do
            if [[ " $BROKEN " == *" $package "* ]]; then touch "$STATE/../broken"; exit 100; fi
            touch "$STATE/$package"
        done
        [[ ! -e $STATE/../broken ]] || exit 100""",
    "dpkg-query": """[[ -e $STATE/${!#} ]] && printf installed""",
    "apt-cache": """[[ ${!#} == nowhere ]] || echo 'Candidate: 1'""",
    "sudo": """while [[ $1 == -* ]]; do shift; done; "$@\"""",
}


def install(broken, required, optional, before=False):
    """The exit status, the messages, and the packages that are installed."""
    with tempfile.TemporaryDirectory() as folder:
        stubs, state = pathlib.Path(folder, "bin"), pathlib.Path(folder, "state")
        stubs.mkdir()
        state.mkdir()
        if before:
            pathlib.Path(folder, "broken").touch()
        for name, body in STUBS.items():
            (stubs / name).write_text("#!/usr/bin/env bash\n" + body.replace("\n        ", "\n").strip() + "\n")
            (stubs / name).chmod(0o755)
        script = (f'set -euo pipefail; source "{SETUP}"; install_packages {required} -- {optional}; '
                  "echo changed=$packages_changed")
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, env={
            **os.environ, "PATH": f"{stubs}:{os.environ['PATH']}", "STATE": str(state), "BROKEN": broken,
            "TMPDIR": folder})
        return done.returncode, done.stdout + done.stderr, {path.name for path in state.iterdir()}


def test_all_can_be_installed():
    status, said, found = install("", "a b", "c nowhere d")
    assert (status, found) == (0, {"a", "b", "c", "d"}), said
    assert "changed=true" in said and "Continuing" not in said, said


def test_a_broken_optional_package():
    status, said, found = install("c", "a b", "c d e")
    assert (status, found) == (0, {"a", "b", "d", "e"}), said
    assert "Continuing without c;" in said, said


def test_a_broken_required_package():
    status, said, found = install("a", "a b x", "c")
    assert (status, found) == (1, {"b", "x"}), said
    assert "could not be installed: a; as root, run: dpkg --configure -a" in said, said


def test_a_package_broken_before():
    """Required packages that are installed are enough, though apt-get fails for another one."""
    status, said, found = install("", "a b", "c", before=True)
    assert (status, found) == (0, {"a", "b", "c"}), said


def main():
    tests = [(name[5:].replace("_", " "), test) for name, test in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    for number, (name, test) in enumerate(tests, start=1):
        try:
            test()
            print(f"ok {number} - {name}")
        except AssertionError as wrong:
            print(f"not ok {number} - {name}")
            print("".join(f"# {line}\n" for line in str(wrong).splitlines()), end="")


if __name__ == "__main__":
    main()
