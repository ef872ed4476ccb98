# SPDX-License-Identifier: MIT
"""Prints what the texts among the resources say as marked strings, which xgettext reads.

Usage: text_words.py RESOURCES

The handbook: paragraphs, set apart by empty lines, and titles.
"""

import json
import pathlib
import sys


def handbook(path):
    for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
        yield paragraph.strip().removeprefix("# ")


def main():
    resources = pathlib.Path(sys.argv[1])
    for words in handbook(resources / "help" / "handbook.txt"):
        if words:
            print(f"N_({json.dumps(words, ensure_ascii=False)});")


if __name__ == "__main__":
    main()
