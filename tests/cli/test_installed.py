#!/usr/bin/env python3
"""Installs into an empty folder and checks what is there; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_installed.py MESON BUILD_FOLDER PREFIX [DESKTOP]
"""

import locale
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from test_cli import PATIENCE_S, Skip, main

MESON, BUILD, PREFIX, *DESKTOP = sys.argv[1:]
ID = "org.normscope.Normscope"
PROGRAMS = ["normscope-cli"] + DESKTOP
LANGUAGES = ("de", "zh_CN")
FILES = {"bin/normscope-cli", "share/man/man1/normscope-cli.1",
         "share/normscope/python/normscope_recorder.py",
         "share/normscope/python/normscope_reader.py", "share/normscope/studies/post-pre.study"}
DESKTOP_FILES = {
    "bin/normscope", "share/man/man1/normscope.1",
    f"share/applications/{ID}.desktop", f"share/metainfo/{ID}.metainfo.xml",
    f"share/glib-2.0/schemas/{ID}.gschema.xml",
    f"share/icons/hicolor/scalable/apps/{ID}.svg", f"share/icons/hicolor/symbolic/apps/{ID}-symbolic.svg",
}


def run(*command, **environment):
    """What a command that must succeed says, on either stream."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, encoding="utf-8", timeout=PATIENCE_S, env={**os.environ, **environment})
    assert done.returncode == 0, f"{command[0]}: status {done.returncode}: {done.stdout}"
    return done.stdout


def need(program):
    if not shutil.which(program):
        raise Skip(f"{program} is not installed")


def need_desktop():
    if not DESKTOP:
        raise Skip("built without the desktop")


def need_catalogs():
    if not (ROOT / "share/locale").is_dir():
        raise Skip("msgfmt was not there when this was built")


def test_files():
    found = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()}
    wanted = FILES | DESKTOP_FILES if DESKTOP else FILES
    if (ROOT / "share/locale").is_dir():
        wanted = wanted | {f"share/locale/{language}/LC_MESSAGES/normscope.mo" for language in LANGUAGES}
    assert found == wanted, f"missing {sorted(wanted - found)}, not expected {sorted(found - wanted)}"


def test_programs():
    for name in PROGRAMS:
        assert run(ROOT / "bin" / name, "--version").startswith(f"{name} ")


def test_language():
    """The installed program finds the catalog below its own prefix."""
    need_desktop()
    need_catalogs()
    try:
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")  # in those of C nothing is translated
    except locale.Error as error:
        raise Skip("the locale de_DE.UTF-8 is not installed") from error
    help_ = run(ROOT / "bin/normscope", "--help", LC_ALL="de_DE.UTF-8", LANGUAGE="de")
    assert "Sofort trainieren" in help_, help_


def test_schema():
    need_desktop()
    need("glib-compile-schemas")
    run("glib-compile-schemas", "--strict", "--dry-run", ROOT / "share/glib-2.0/schemas")


def test_desktop_file():
    need_desktop()
    need("desktop-file-validate")
    path = ROOT / f"share/applications/{ID}.desktop"
    said = run("desktop-file-validate", path)
    assert not said, said
    need_catalogs()
    for language in LANGUAGES:
        assert f"\nComment[{language}]=" in path.read_text(encoding="utf-8"), language


def test_metainfo():
    need_desktop()
    need("appstreamcli")
    path = ROOT / f"share/metainfo/{ID}.metainfo.xml"
    said = subprocess.run(["appstreamcli", "validate", "--no-net", path], stdout=subprocess.PIPE, text=True,
                          encoding="utf-8").stdout
    # The project has no page of its own, which only newer versions mind.
    wrong = [line for line in said.splitlines()
             if line.startswith(("E: ", "W: ")) and "url-homepage-missing" not in line]
    assert "Validation" in said and not wrong, said
    need_catalogs()
    told = re.findall(r'<summary xml:lang="([^"]*)">', path.read_text(encoding="utf-8"))
    # What is zh_CN to one gettext is zh-Hans-CN to the next.
    assert {language[:2] for language in told} == {language[:2] for language in LANGUAGES}, told


def test_manuals_set():
    need("groff")
    for name in PROGRAMS:
        for device in ("utf8", "ascii"):
            said = run("groff", "-ww", "-man", f"-T{device}", "-Kutf8", "-z", ROOT / f"share/man/man1/{name}.1")
            assert not said, f"{name}, {device}: {said}"


def test_manuals_tell_all():
    """Every command and option that --help names, and no other option."""
    for name in PROGRAMS:
        page = (ROOT / f"share/man/man1/{name}.1").read_text(encoding="utf-8").replace("\\-", "-").replace("...", "…")
        program = ROOT / "bin" / name
        help_ = run(program, "--help", LC_ALL="C.UTF-8", LANGUAGE="")
        commands = re.findall(r"^  (\w+)  ", help_.partition("Commands:\n")[2], re.M)
        for command in commands:
            if command != "help":
                help_ += run(program, command, "--help")
                assert f"\n.SH {command.upper()}\n" in page, f"{name}: {command} has no section"
        rows = set(re.findall(r"^  (-.*?)(?:  |$)", help_, re.M))
        told = set(re.findall(r"^\\fB(-.*)\\fR$", page, re.M))
        assert rows == told, f"{name}: missing {sorted(rows - told)}, not in --help {sorted(told - rows)}"
        assert rows, name


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="normscope installed ") as folder:
        run(MESON, "install", "-C", BUILD, "--no-rebuild", "--destdir", folder)
        ROOT = pathlib.Path(folder) / pathlib.Path(PREFIX).relative_to("/")
        sys.exit(main(globals()))
