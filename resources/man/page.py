# SPDX-License-Identifier: MIT
"""Writes the manual page of a program, from what the program itself says with --help.

Usage: page.py PROGRAM NAME SEE_ALSO VERSION

Help is blocks with empty lines between; a line that begins with two blanks is a row of a table: a
word or an option, two blanks or more, and what it means, which may go on below.  Where a program
has commands, the help of each becomes a section, and options that mean the same in several of them
are told once.
"""

import collections
import itertools
import os
import re
import subprocess
import sys

ROW = re.compile(r"  (\S.*?)(?:\s{2,}(\S.*))?$")
LONG = re.compile(r"--[\w-]+")


def help_of(program, *command):
    # In English; a sanitized program need not give everything back.
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": "", "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([program, *command, "--help"], capture_output=True, text=True, encoding="utf-8",
                          check=True, env=environment)
    return [block.split("\n") for block in re.split(r"\n{2,}", done.stdout.strip("\n"))]


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti").replace("`", "\\(ga").replace("…", "...")
    return f"\\&{text}" if text.startswith(".") else text


def rows(lines):
    """[(word, meaning)] of a table; a line without a row of its own continues the last."""
    found = []
    for line in lines:
        row = ROW.match(line)
        if row and not line.startswith("   "):
            found.append((row[1], row[2] or ""))
        else:
            word, meaning = found[-1]
            found[-1] = (word, f"{meaning} {line.strip()}".strip())
    return found


def table(pairs):
    for word, meaning in pairs:
        yield ".TP"
        yield f"\\fB{escaped(word)}\\fR"
        yield escaped(meaning)


def prose(lines):
    """Sentences and tables, as they come."""
    for is_table, group in itertools.groupby(lines, lambda line: line.startswith("  ")):
        if is_table:
            yield from table(rows(group))
        else:
            yield ".PP"
            yield escaped(" ".join(group))


class Help:
    """Usage, sentences, options and examples of a program or of one of its commands."""

    def __init__(self, program, *command):
        self.usage, self.about, self.options, self.examples = "", [], [], []
        for head, *lines in help_of(program, *command):
            if head == "Usage:":
                self.usage = lines[0].strip()
            elif head == "Examples:":
                self.examples = [line.strip() for line in lines]
            elif head.endswith("Options:"):
                # What every program has comes last.
                self.options = self.options + rows(lines) if head == "Help Options:" else rows(lines) + self.options
            else:
                self.about.append([head, *lines])

    def commands(self):
        for head, *lines in self.about:
            if head == "Commands:":
                yield from (word for word, _ in rows(lines) if word != "help")

    def page(self, name, shared=()):
        yield f"\\fB{escaped(name)}\\fR{escaped(self.usage.removeprefix(name))}"
        for block in self.about:
            yield from prose(block)
        yield from table(option for option in self.options if option not in shared)
        elsewhere = [LONG.search(word)[0] for word, meaning in self.options if (word, meaning) in shared]
        if elsewhere:
            yield ".PP"
            yield escaped(f"Options of several commands, explained below: {', '.join(elsewhere)}.")
        if self.examples:
            yield from (".PP", "Examples:", ".PP", ".EX", *map(escaped, self.examples), ".EE")


def main():
    program, name, see_also, version = sys.argv[1:]
    whole = Help(program)
    commands = {command: Help(program, command) for command in whole.commands()}
    count = collections.Counter(option for each in commands.values() for option in each.options)
    shared = [option for option, times in count.items() if times > 1]
    usage, *description = whole.page(name)
    purpose = " ".join(whole.about[0]).rstrip(".")
    lines = [f'.TH {name.upper()} 1 "" "Normscope {version}" "User Commands"', ".ad l", ".nh",
             ".SH NAME", f"{escaped(name)} \\- {escaped(purpose[0].lower() + purpose[1:])}",
             ".SH SYNOPSIS", usage, ".SH DESCRIPTION", *description[1:]]  # a section begins its paragraph itself
    for command, each in commands.items():
        lines += [f".SH {command.upper()}", *each.page(f"{name} {command}", shared)]
    if shared:
        lines += [".SH OPTIONS OF SEVERAL COMMANDS", *table(shared)]
    lines += [".SH SEE ALSO", f"\\fB{escaped(see_also)}\\fR(1)"]
    sys.stdout.reconfigure(encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
