# SPDX-License-Identifier: MIT
"""Rules that the compiler does not check: dependencies between folders, format, required content, ceilings.

The output is TAP, with one test per rule.  A ceiling bounds how often something occurs in the product (app,
core, ui).  It only falls: lower it to what the rule prints when a change has removed some, or raise it in the
same commit as the change that needs it, with the reason in the commit's message.
"""

import collections
import functools
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
FOLDERS = ("app", "core", "ui", "resources", "tests")
TOP_LEVEL = {*FOLDERS, "meson.build", "README.md", "LICENSE"}
CLANG_FORMAT = 14  # other versions format the same code differently

MOST_LINES, MOST_COLUMNS = 800, 100
MOST_PARAMETERS = 7
README_WORDS = 1500

# Lines of .c and .h files in app, core and ui that are neither blank nor a comment.
MOST_PRODUCT_LINES = 85122
# Files *.c with fewer lines than SMALL_FILE, and static functions that are written better where they are called.
SMALL_FILE, MOST_SMALL_FILES = 80, 25
SMALL_FUNCTION, MOST_SMALL_FUNCTIONS = 6, 66
SMALL_FILES = {  # exceptions, with their reasons
    "app/desktop/main.c": "a program of its own",
}

# Words that are parts of names, what to write instead, and how many names have them.
WORDS = {
    "told": ("reported", 0),
    "tell": ("report", 0),
    "itself": ("alone, standalone", 0),
    "goes": ("continues", 0),
    "kept": ("retained, stored, checkpoint", 1),
    "room": ("layout, plan, space", 0),
    "dear": ("expensive", 0),
    "drawn": ("visible, rendered", 2),
    "of_texts": ("from_texts", 0),
    "weakened": ("faded, dimmed", 0),
    "say": ("report, describe", 0),
    "way_out": ("exit", 0),
    "whole": ("complete, intact", 5),
    "anew": ("again, new", 0),
    "beside": ("alongside, next_to", 1),
}
# Comments that begin with a bare word in place of the thing that they are about.
BARE, MOST_BARE_COMMENTS = r"What|Who|Whose|Such|One", 0

GTK = r"gtk/|gdk/|gsk/|gdk-pixbuf/|graphene"
CAIRO = r"cairo|pango/"

# Folder, headers that its files must not include, reason.  The build separates the folders of core.
WALLS = (
    ("core", rf"{GTK}|{CAIRO}", "core knows nothing of what is seen"),
    ("core", r"\.", "core/meson.build says which rooms a room sees, by paths from the root"),
    ("ui/plot", rf"{GTK}|ui/(?:figures|session|widgets)/|app/", "charts are drawn without GTK"),
    ("ui/figures", rf"{GTK}|ui/(?:session|widgets)/|app/", "figures are made without GTK"),
    ("ui/session", rf"{GTK}|ui/widgets/|app/|\.", "a session knows no GTK"),
    ("ui/widgets", r"app/|\.", "ui/widgets/meson.build says which rooms a room sees"),
    ("app/cli", rf"{GTK}|ui/(?:session|widgets)/", "the command line needs no display"),
)

# Functions that core, charts, figures and sessions must not call.
SILENCE = (r"\b(?:printf|fprintf|puts|fputs|perror|exit|abort|g_print|g_printerr|g_error|g_warning"
           r"|g_critical|g_message)\s*\(")

# Functions that open a file.  A process that closes a descriptor of a database drops the locks of
# SQLite on it (core/base/database_file.h).
OPENING = re.compile(r"(?<![\w.>])(open|openat|creat|fopen|freopen|g_open|g_fopen|g_creat|mmap"
                     r"|g_file_get_contents|g_file_read|g_file_load_contents|g_file_open_readwrite"
                     r"|g_file_copy|g_mapped_file_new|g_key_file_load_from_file"
                     r"|json_parser_load_from_file|gdk_texture_new_from_filename|sqlite3_open\w*)\s*\(")

# The files that may call them, and for which paths.
MAY_OPEN = {
    "app/cli/output.c": ("fopen",),  # an output, which is no run and no results
    "app/cli/study_jobs.c": ("open",),  # the number of a job
    "core/base/cgroup.c": ("g_file_get_contents",),  # of the kernel
    "core/base/database_file.c": ("open",),
    "core/base/memory.c": ("g_file_get_contents", "open"),  # of the kernel
    "core/store/database.c": ("sqlite3_open_v2",),
    "core/store/output_file.c": ("open",),  # a pipe or a device, and a new file without a name
    "core/store/outside_file.c": ("open",),  # a copy of standard input, which is new
    "ui/widgets/shell/export_dialog.c": ("gdk_texture_new_from_filename",),  # its own preview
}


def source_files(*suffixes, folder=""):
    for top in FOLDERS:
        for path in sorted((ROOT / top).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in suffixes and name.startswith(folder):
                yield path, name


def text(path):
    return path.read_text(encoding="utf-8")


def walls(folder, forbidden, why):
    pattern = re.compile(rf'^\s*#\s*include\s*[<"](?:{forbidden})')
    for path, name in source_files(".c", ".h", folder=folder + "/"):
        for number, line in enumerate(text(path).splitlines(), start=1):
            if pattern.match(line):
                yield f"{name}:{number}: {line.strip()} ({why})"


def blas_in_one_file():
    for path, name in source_files(".c", ".h"):
        if re.search(r"\bcblas_", text(path)) and name != "core/ops/blas.c":
            yield f"{name}: BLAS is called in core/ops/blas.c alone"


def silence():
    for folder in ("core/", "ui/plot/", "ui/figures/", "ui/session/"):
        for path, name in source_files(".c", ".h", folder=folder):
            for number, line in enumerate(text(path).splitlines(), start=1):
                if re.search(SILENCE, line):
                    yield f"{name}:{number}: {line.strip()} (errors go out as GError)"


def opened_files():
    for folder in ("app/", "core/", "ui/"):
        for path, name in source_files(".c", folder=folder):
            code = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text(path), flags=re.S)
            for match in OPENING.finditer(code):
                if match.group(1) not in MAY_OPEN.get(name, ()):
                    line = code.count("\n", 0, match.start()) + 1
                    yield f"{name}:{line}: {match.group(1)} (ns_open_for_reading or ns_database_open opens files)"


def format_():
    program = shutil.which(f"clang-format-{CLANG_FORMAT}") or shutil.which("clang-format")
    version = program and subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    if not version or f"version {CLANG_FORMAT}." not in version:
        return f"clang-format {CLANG_FORMAT} is not installed"
    files = [str(path) for path, _ in source_files(".c", ".h")]
    done = subprocess.run([program, "--dry-run", "-Werror", *files], capture_output=True, text=True,
                          cwd=ROOT)
    return [line for line in done.stderr.splitlines() if "error:" in line]


# A function that starts at the beginning of a line: its name and its parameters.
PROTOTYPE = re.compile(r"^[A-Za-z_][\w \t*]*?[ \t*]?(\w+)\(((?:[^()]|\([^()]*\))*)\)\s*[{;]", re.M)


def parameters():
    for folder in ("app/", "core/", "ui/"):
        for path, name in source_files(".c", ".h", folder=folder):
            code = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text(path), flags=re.S)
            for match in PROTOTYPE.finditer(code):
                count = re.sub(r"\([^()]*\)", "", match.group(2)).count(",") + 1
                if count > MOST_PARAMETERS:
                    line = code.count("\n", 0, match.start()) + 1
                    yield f"{name}:{line}: {match.group(1)} has {count} parameters; a struct reads better"


def sizes():
    for path, name in source_files(".c", ".h", ".py", ".css", ".build"):
        lines = text(path).splitlines()
        if len(lines) > MOST_LINES:
            yield f"{name}: {len(lines)} lines, more than {MOST_LINES}"
        if path.suffix not in (".c", ".h"):
            continue
        table = False  # formatted by hand, so lines may be longer
        for number, line in enumerate(lines, start=1):
            if re.search(r"clang-format (on|off)", line):
                table = "off" in line
            if len(line) > MOST_COLUMNS and not table:
                yield f"{name}:{number}: {len(line)} columns, more than {MOST_COLUMNS}"


def headers():
    for path, name in source_files(".c", ".h", ".py"):
        head = text(path)[:600]
        if "SPDX-License-Identifier: MIT" not in head:
            yield f"{name}: no SPDX line at the top"
        if path.suffix == ".h" and "#pragma once" not in text(path):
            yield f"{name}: no #pragma once"


def leftovers():
    words = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
    for path, name in source_files(".c", ".h", ".py", ".ui", ".css", ".build"):
        if path.samefile(__file__):
            continue
        for number, line in enumerate(text(path).splitlines(), start=1):
            if words.search(line):
                yield f"{name}:{number}: {line.strip()}"
            if line != line.rstrip() or "\t" in line:
                yield f"{name}:{number}: a tab, or white space at the end"


COMMENT_OR_TEXT = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.S)


@functools.lru_cache
def product():
    """[(name, text, code)] of the product's files; code has no comments and empty texts, but all lines."""
    def replaced(match):
        return "\n" * match[0].count("\n") if match[0][0] == "/" else match[0][0] * 2
    files = [(name, text(path)) for path, name in source_files(".c", ".h")
             if name.startswith(("app/", "core/", "ui/"))]
    return [(name, whole, COMMENT_OR_TEXT.sub(replaced, whole)) for name, whole in files]


def ceiling(what, found, most, advice):
    """The lines of a failure: all that was found, where it is more than the ceiling."""
    found = list(found)
    if len(found) > most:
        yield from found
        yield f"{len(found)} {what}, more than the ceiling of {most}; {advice}"
    elif len(found) < most:
        print(f"# {len(found)} {what}; the ceiling of {most} can be lowered")


def product_lines():
    lines = sum(1 for _, _, code in product() for line in code.splitlines() if line.strip())
    if lines > MOST_PRODUCT_LINES:
        yield f"{lines} lines of product, more than {MOST_PRODUCT_LINES}; remove some, or raise it with the reason"
    else:
        print(f"# {lines} lines of product, at most {MOST_PRODUCT_LINES}")


def small_files():
    found = (f"{name}: {whole.count(chr(10))} lines" for name, whole, _ in product()
             if name.endswith(".c") and name not in SMALL_FILES and whole.count("\n") < SMALL_FILE)
    return ceiling(f"files under {SMALL_FILE} lines", found, MOST_SMALL_FILES, "join one with its subject")


# A static function: its type, name and body.
STATIC = re.compile(r"^static ([\w \t*]+?)[ \t*]*\b(\w+)\((?:[^()]|\([^()]*\))*\)\s*\{\n(.*?)\n\}$", re.M | re.S)


def small_functions():
    """Static functions of few lines with one caller, except callbacks, entries of tables and formulas.

    A formula is one expression of type double or float.  A name without parentheses is a callback or an entry.
    """
    def found():
        for name, _, code in product():
            uses, calls = (collections.Counter(re.findall(pattern, code))
                           for pattern in (r"\w+", r"(\w+)\s*\("))
            prototypes = collections.Counter(re.findall(r"^static [\w \t*]*?(\w+)\([^;{}]*\);", code, re.M))
            for match in STATIC.finditer(code):
                type_, function, body = match.groups()
                if body.count("\n") >= SMALL_FUNCTION or (
                        re.search(r"\b(?:double|float|ns_real)$", type_) and body.lstrip().startswith("return")):
                    continue
                if uses[function] == calls[function] == 2 + prototypes[function] and name.endswith(".c"):
                    line = code.count("\n", 0, match.start()) + 1
                    yield f"{name}:{line}: {function}"
    return ceiling("small functions with one caller", found(), MOST_SMALL_FUNCTIONS, "write one where it is called")


def words():
    names = {}
    for name, _, code in product():
        for identifier in set(re.findall(r"\b[A-Za-z_]\w*", code)):
            names.setdefault(identifier, name)
    for word, (instead, most) in WORDS.items():
        part = re.compile(rf"(?:^|_){word}(?:_|$)")
        found = (f"{where}: {one}" for one, where in sorted(names.items()) if part.search(one.lower()))
        yield from ceiling(f"names with “{word}”", found, most, f"write {instead}")


def comments():
    bare = re.compile(rf"/\* (?:{BARE})\b")
    found = (f"{name}:{number}: {line.strip()}" for name, whole, _ in product()
             for number, line in enumerate(whole.splitlines(), start=1) if bare.search(line))
    return ceiling("comments that begin with a bare word", found, MOST_BARE_COMMENTS, "name the thing")


# The literal that a text of the window begins with, and a conversion in it: <inttypes.h> is known to gettext,
# the formats of GLib are not.
LITERAL = re.compile(r"""(?:N_\()?(?:"(?:\\.|[^"\\])*"|PRI[diux]64|\s)+\)?\s*[,)]""")
CHOSEN = re.compile(r"""[^";]*?\?\s*N_\(""")


def untranslated():
    """The format of a refusal is a literal, or N_ marks each that is chosen: so the catalogs have all of them."""
    for path, name in source_files(".c"):
        if not name.startswith(("core/", "ui/", "app/desktop/")) or name == "core/base/error.c":
            continue
        code = text(path)
        for match in re.finditer(r"\bg_set_error\(\s*&?\w+,\s*NS_ERROR|\bns_refuse(?:_null)?\(\s*&?\w+,\s*[^,]+,\s*", code):
            if match[0].startswith("ns_refuse") and (
                    LITERAL.match(code, match.end()) or CHOSEN.match(code, match.end())):
                continue
            line = code.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: a sentence that no catalog has; give ns_refuse a literal, or mark it by N_"


def translations():
    for path in sorted((ROOT / "resources/po").glob("*.po")):
        for entry in text(path).split("\n\n")[1:]:
            if "#, fuzzy" in entry or re.search(r'^msgstr(?:\[\d\])? ""$(?!\n")', entry, re.M):
                yield f"resources/po/{path.name}: untranslated: {entry.partition('msgid')[2][:80]}"


def decimal_points():
    """Numbers look the same in sentences as in entries, charts and files."""
    for entry in text(ROOT / "resources/po/de.po").split("\n\n"):
        message, _, translation = entry.partition("\nmsgstr")
        for number in set(re.findall(r"\d+\.\d+", message)):
            if re.search(rf"(?<![\d,]){number.replace('.', ',')}(?!\d)", translation):
                yield f"resources/po/de.po: {number} has a decimal comma"


def desktop_file():
    program = shutil.which("desktop-file-validate")
    if not program:
        return "desktop-file-validate is not installed"
    files = [str(path) for path, _ in source_files(".desktop")]
    done = subprocess.run([program, *files], capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines() if files else ["there is no desktop file"]


def top_level():
    for path in sorted(ROOT.iterdir()):
        if not path.name.startswith((".", "build")) and path.name not in TOP_LEVEL:
            yield f"{path.name}: not an entry of the top level"


def readme():
    """README is a page; the manual is in resources/help.  Every file that a page names exists."""
    words = len(text(ROOT / "README.md").split())
    if words > README_WORDS:
        yield f"README.md: {words} words, more than {README_WORDS}"
    pages = [ROOT / "README.md", *ROOT.glob(".github/*.md"), *ROOT.glob("tests/**/README.md"),
             *ROOT.glob("resources/help/*.md")]
    for page in pages:
        for link in re.findall(r"\]\(([^)#]+)", text(page)):
            if "://" not in link and not (page.parent / link).exists():
                yield f"{page.relative_to(ROOT)}: there is no {link}"


RULES = [
    *((f"walls of {wall[0]}", lambda wall=wall: walls(*wall)) for wall in WALLS),
    ("BLAS in one file", blas_in_one_file),
    ("core and charts never print", silence),
    ("no database is opened by hand", opened_files),
    (f"clang-format {CLANG_FORMAT}", format_),
    ("lengths of files and lines", sizes),
    ("parameters of a function", parameters),
    ("license lines and header guards", headers),
    ("no leftovers", leftovers),
    ("lines of product", product_lines),
    ("small files", small_files),
    ("small functions with one caller", small_functions),
    ("words in names", words),
    ("beginnings of comments", comments),
    ("refusals are translated", untranslated),
    ("catalogs are complete", translations),
    ("decimal points", decimal_points),
    ("desktop file", desktop_file),
    ("top level", top_level),
    ("README and links", readme),
]


def main():
    print(f"1..{len(RULES)}")
    for number, (name, rule) in enumerate(RULES, start=1):
        found = rule()
        if isinstance(found, str):
            print(f"ok {number} - {name} # SKIP {found}")
            continue
        found = list(found)
        for line in found:
            print(f"# {line}")
        print(f"{'not ok' if found else 'ok'} {number} - {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
