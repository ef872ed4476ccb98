# SPDX-License-Identifier: MIT
"""Prints what the texts among the resources say as marked strings, which xgettext reads.

Usage: text_words.py RESOURCES

The handbook: paragraphs, set apart by empty lines, and titles.  Lessons and presets: the values of
the keys that are read by people.
"""

import json
import pathlib
import sys


def handbook(path):
    for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
        yield paragraph.strip().removeprefix("# ")


TOLD = ("title", "summary", "note", "text", "ask", "choice", "right", "why")


def told(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition("=")
        if key.strip() in TOLD:
            yield value.strip()


def main():
    resources = pathlib.Path(sys.argv[1])
    files = sorted([*resources.glob("lessons/*.lesson"), *resources.glob("presets/*.preset")])
    for words in (*handbook(resources / "help" / "handbook.txt"), *(w for f in files for w in told(f))):
        if words:
            print(f"N_({json.dumps(words, ensure_ascii=False)});")


if __name__ == "__main__":
    main()
