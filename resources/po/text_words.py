# SPDX-License-Identifier: MIT
"""Prints what the texts among the resources say as marked strings, which xgettext reads.

Usage: text_words.py RESOURCES

The pages of the manual: titles, paragraphs, and the lines of lists; code is not translated.
"""

import json
import pathlib
import sys


def manual(path):
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        block = block.rstrip()
        if block.startswith("    "):
            continue
        if block.startswith("- "):
            yield from (line.removeprefix("- ") for line in block.split("\n"))
        else:
            yield block.lstrip("#").strip()


def main():
    resources = pathlib.Path(sys.argv[1])
    for page in sorted((resources / "help").glob("*.md")):
        for words in manual(page):
            if words:
                # A percent sign is one.
                print(f"/* xgettext:no-c-format */ N_({json.dumps(words, ensure_ascii=False)});")


if __name__ == "__main__":
    main()
