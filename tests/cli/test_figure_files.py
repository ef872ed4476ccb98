#!/usr/bin/env python3
"""Charts as files: what is asked of them, and the experiment inside; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_figure_files.py NORMSCOPE_CLI
"""

import contextlib
import csv
import json
import os
import re
import resource
import sqlite3
import struct
import sys
import tempfile

from test_cli import FIGURES, FORMATS, main, run, sentence, train


def png_header(path):
    """Width, height and color type."""
    with open(path, "rb") as file:
        header = file.read(26)
    return (*struct.unpack(">II", header[16:24]), header[25])


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def strokes(text):
    """The widths of lines: cairo 1.16 writes them as a style, 1.18 as attributes."""
    return set(re.findall(r'stroke-width(?::|=")([\d.]+)[;"]', text))


def chart(out, *arguments, figure="loss", steps="2"):
    result = run("chart", "--figure", figure, "--steps", steps, "--out", out, *arguments)
    assert (result.returncode, result.stdout) == (0, b""), result
    # An inch has no space for all words.
    assert (b"no space for complete names" in result.stderr) if "1x1in" in arguments else not result.stderr, result


def test_chart_choices():
    with tempfile.TemporaryDirectory() as folder:
        png, svg = os.path.join(folder, "a.png"), os.path.join(folder, "a.svg")
        for arguments, header in ((("--size", "slide"), (1920, 1080, 2)),
                                  (("--size", "640x480px"), (640, 480, 2)),
                                  (("--size", "1x1in", "--dpi", "150"), (150, 150, 2)),
                                  (("--size", "slide", "--background", "none"), (1920, 1080, 6))):
            chart(png, *arguments)
            assert png_header(png) == header, (arguments, png_header(png))
        chart(svg)
        usual = read_text(svg)
        assert "Loss</text>" in usual and "<use" not in usual
        assert 'font-size="8"' in usual and "1" in strokes(usual) and 'width="234pt"' in usual
        chart(svg, "--title", "off", "--text-size", "9", "--line-width", "1.5", "--legend", "none",
              "--caption", "on", "--font", "Sans", "--size", "180x120mm")
        other = read_text(svg)
        assert "Loss</text>" not in other and "training</text>" not in other
        assert 'font-size="9"' in other and "1.5" in strokes(other) and "1.5" not in strokes(usual)
        assert 'font-family="sans-serif"' in other and 'width="510.' in other
        assert "seed=1, step 2, Normscope" in other.split("<g font-family")[1]


def test_several_figures():
    with tempfile.TemporaryDirectory() as folder:
        chart(os.path.join(folder, "a.svg"), figure="loss, profile:token-cosine,loss")
        text = read_text(os.path.join(folder, "a.svg"))
        assert ">(a) " in text and ">(b) " in text and ">(c) " in text
        chart(os.path.join(folder, "run.pdf"), "--each", figure="all,profile:wq,loss")
        assert sorted(os.listdir(folder)) == ["a.svg"] + sorted(
            f"run-{figure}.pdf" for figure in [*FIGURES[:4], "profile-grad-wq", "loss-2"])
        sentence(run("chart", "--figure", "loss:grad-w2", "--out", "a.png"), 2)
        sentence(run("chart", "--figure", "heads:grad-w2", "--out", "a.png"), 2)
        sentence(run("chart", "--figure", "loss,", "--out", "a.png"), 2)


SHEET = "loss(title=What is lost\\; (a\\);x=0..3;hide=2),gradient-norm(y=1e-3..10;grid=off),heatmap(lane=B)"


def test_a_sheet_restores_itself():
    """Titles, limits, hidden curves and names of lanes: in the figure, in its metadata, again from there."""
    lanes = ("--lane", "placement=post", "--lane", "placement=pre", "--names", "Original;Today, as in GPT")
    with tempfile.TemporaryDirectory() as folder:
        for ending in FORMATS:
            first, second = (os.path.join(folder, name + "." + ending) for name in "ab")
            caption = () if ending == "csv" else ("--caption", "on")
            chart(first, *lanes, *caption, figure=SHEET)
            result = run("chart", "--from", first, *caption, "--out", second, small=False)
            assert (result.returncode, result.stderr) == (0, b""), result
            with open(first, "rb") as a, open(second, "rb") as b:
                assert a.read() == b.read(), ending
        text = read_text(os.path.join(folder, "a.svg"))
        for words in ("(a) What is lost; (a)</text>", "Original</text>", "Today,\u00a0as\u00a0in\u00a0GPT</text>",
                      "Today, as in GPT: placement=pre"):
            assert words in text, words
        chart(os.path.join(folder, "each.svg"), *lanes, "--each", figure=SHEET)
        assert {"each-loss.svg", "each-gradient-norm.svg", "each-heatmap.svg"} <= set(os.listdir(folder))
        chart(os.path.join(folder, "order.svg"), figure="steps,loss(title=Second)")
        assert "(b) Second</text>" in read_text(os.path.join(folder, "order.svg"))


def test_a_sheet_that_cannot_be():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "a.png")
        for figure, words in (("loss(x=3..1)", "reversed"), ("loss(hide=9)", "hide names another"),
                              ("gradient-norm(y=0..1)", "logarithmic"), ("loss(lane=B)", "there are 1 lanes"),
                              (f"loss(title={'x' * 81})", "too long"), ("", "lacks the name")):
            said = sentence(run("chart", "--figure", figure, "--steps", "1", "--out", out), 2)
            assert words in said, (figure, said)
        for arguments, words in ((("--names", "a;b"), "names 2 lanes"), (("--film", "8@9"), "not a film"),
                                 (("--film", "101"), "0.5 to 100")):
            said = sentence(run("chart", "--figure", "loss", "--steps", "1", "--out", out, *arguments), 2)
            assert words in said, (arguments, said)
        said = sentence(run("chart", "--figure", "loss", "--film", "2", "--out", out), 2)
        assert "output file ending in .gif" in said, said
        assert not os.listdir(folder), os.listdir(folder)


def frames_of(path):
    """Position, size and duration of every frame, the latter in hundredths of a second: GIF89a."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:6] == b"GIF89a" and data[-1:] == b";"
    at, time, frames = 13, 0, []
    while data[at:at + 1] != b";":
        image = data[at:at + 1] == b","
        if image:
            frames.append((*struct.unpack("<4H", data[at + 1:at + 9]), time))
            at += 11 + (3 << (data[at + 9] & 7) + 1)  # the palette, and the size of the first code
        else:
            time = struct.unpack("<H", data[at + 4:at + 6])[0]
            at += 2
        while data[at]:
            at += data[at] + 1
        at += 1
    return frames


def check_film(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        film, again = (os.path.join(folder, name + ".gif") for name in ("film", "again"))
        for out in (film, again):
            chart(out, "--film", "0.64", "--size", "5x2in", "--dpi", "72", *arguments, figure="profile,loss", steps="14")
        with open(film, "rb") as a, open(again, "rb") as b:
            assert a.read() == b.read()
        frames = frames_of(film)
        assert frames[0][:4] == (0, 0, 360, 144)
        assert [time for *_, time in frames] == 7 * [8] + [8 + 200]
        assert min(width * height for _, _, width, height, _ in frames) > 1000
        assert run("chart", "--from", film, "--out", os.path.join(folder, "a.png"), small=False).returncode == 0


def test_film():
    """So many frames, none like the one before; the last one stays."""
    check_film()
    check_film("--set", "seeds=3")


def test_handout():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "lesson.pdf")
        result = run("handout", "2", "--out", out, small=False)
        assert result.returncode == 0, result
        with open(out, "rb") as file:
            pdf = file.read()
        assert pdf.startswith(b"%PDF-1.4") and b"Gradients at step 0" in pdf
        assert len(re.findall(rb"/Type /Page\b", pdf)) >= 3  # the answers are on a page of their own
        # Its last card, which has no chart, is on the page of the card before.
        assert run("handout", "7", "--out", out, small=False).returncode == 0
        with open(out, "rb") as file:
            assert len(re.findall(rb"/Type /Page\b", file.read())) == 3
        assert "12345" in sentence(run("handout", "12345", "--out", out, small=False), 2)
        assert "--out" in sentence(run("handout", "2", small=False), 2)


def test_full_disk():
    """What was there before is kept."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "film.gif")
        chart(out, "--film", "1")
        with open(out, "rb") as file:
            before = file.read()
        said = sentence(run("chart", "--figure", "loss", "--steps", "2", "--film", "1", "--out", out,
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)),
                            restore_signals=False), 1)
        assert "film.gif" in said, said
        with open(out, "rb") as file:
            assert file.read() == before
        assert os.listdir(folder) == ["film.gif"]


def test_unwritable_folder():
    # Root may write everywhere, but for this capability.
    unprivileged = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)
        said = sentence(run("chart", "--figure", "loss", "--steps", "1000000000", "--out",
                            os.path.join(folder, "a.pdf"), prefix=unprivileged), 1)
        os.chmod(folder, 0o755)
        assert "not allowed to write there" in said, said


def settings_of(*arguments):
    lines = train("--steps", "0", *arguments, small=False)
    return lines[0]["settings"]


def test_a_figure_restores_its_experiment():
    changed = ("--set", "placement=pre", "--set", "lr=0.0123", "--set", "seed=7", "--set",
               "schedule=cosine", "--set", "decay-start=1")
    with tempfile.TemporaryDirectory() as folder:
        for ending in FORMATS:
            first, second = (os.path.join(folder, name + "." + ending) for name in "ab")
            chart(first, *changed, figure="gradient-norm:grad-wq")
            result = run("chart", "--from", first, "--out", second, small=False)
            assert (result.returncode, result.stderr) == (0, b""), result
            with open(first, "rb") as a, open(second, "rb") as b:
                assert a.read() == b.read(), ending
            settings = settings_of("--from", first)
            assert (settings["placement"], settings["lr"], settings["seed"]) == ("pre", 0.0123, 7)
            assert settings["layers"] == 2 and settings["d_model"] == 16, settings
            assert settings_of("--from", first, "--set", "layers=1")["layers"] == 1
            # --steps has the last word on how far it goes.
            longer = run("chart", "--from", first, "--steps", "3", "--out", second, small=False)
            assert longer.returncode == 0, longer
            assert b", step 3, " in run("show", second, small=False).stdout
            shown = run("show", first, small=False)
            assert shown.returncode == 0 and shown.stderr == b"", shown
            text = shown.stdout.decode()
            assert text.startswith(f"# a.{ending}: figure gradient-norm:grad-wq, step 2, Normscope ")
            assert "\nlr = 0.0123\n" in text and "\nplacement = pre\n" in text
            preset = os.path.join(folder, "a.preset")
            with open(preset, "w", encoding="utf-8") as file:
                file.write(text)
            again = settings_of("--from", preset)
            assert {**again, "steps": 0} == {**settings, "steps": 0}


def test_files_of_other_kinds():
    """A sentence says what such a file is, and one thing to do."""
    with tempfile.TemporaryDirectory() as folder:
        database, archive = (os.path.join(folder, name) for name in ("a.db", "a.zip"))
        with contextlib.closing(sqlite3.connect(database)) as file:
            file.execute("CREATE TABLE t(a)")
        with open(archive, "wb") as file:
            file.write(b"PK\x03\x04" + bytes(99))
        for words in (["show", database], ["train", "--from", database]):
            line = sentence(run(*words, small=False), 1)
            assert "a.db” is a database, but not a run; choose a run" in line, line
        for words in (["show", archive], ["watch", "--once", archive]):
            line = sentence(run(*words, small=False), 1)
            assert line.count("cannot be read: it is an archive") == 1 and "choose another file" not in line, line


def test_lanes():
    """Figures of two lanes: every one, in every format, restored bit for bit."""
    lanes = ("--lane", "placement=post", "--lane", "placement=pre warmup=3")
    shown = "loss,profile:hidden-grad,steps,heatmap,compare,ratio,similarity"
    with tempfile.TemporaryDirectory() as folder:
        for ending in FORMATS:
            first, second = (os.path.join(folder, name + "." + ending) for name in "ab")
            chart(first, *lanes, "--set", "seed=5", figure=shown)
            result = run("chart", "--from", first, "--out", second, small=False)
            assert (result.returncode, result.stderr) == (0, b""), result
            with open(first, "rb") as a, open(second, "rb") as b:
                assert a.read() == b.read(), ending
        table = os.path.join(folder, "t.csv")
        chart(table, *lanes, figure="gradient-norm")
        with open(table, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        series = {row["series"] for row in rows}
        assert {"A Post-LN, no warm-up", "B Pre-LN, warm-up 3", "B / A"} <= series, series
        assert "lane='placement=post warmup=1' lane='placement=pre warmup=3'" in rows[0]["experiment"]
        # A chart of one model is there for each of them.
        chart(table, *lanes, figure="similarity")
        assert read_text(table).count(",0,0,1") == 2
        # Both lanes take what --set says; a command of one lane takes the first, and says so.
        again = os.path.join(folder, "again.csv")
        chart(again, "--from", table, "--set", "placement=sandwich", figure="gradient-norm")
        text = read_text(again)
        assert "A no warm-up" in text and "Post-LN" not in text, text
        # So do the axes and the heat.
        looks = ["--linear", "--heat", "ratio"]
        chart(table, *lanes, figure="heatmap")
        stacked = read_text(table)
        chart(table, *lanes, *looks, figure="heatmap")
        text = read_text(table)
        assert " axes=linear " in text and " heat=ratio " in text and " axes=log " in stacked
        assert text.count("\n") < stacked.count("\n")
        assert run("chart", "--from", table, "--out", again, small=False).returncode == 0
        assert read_text(again) == text
        settings = run("train", "--from", first, "--steps", "0", "--jsonl", "-", small=False)
        assert b"has 2 lanes" in settings.stderr, settings.stderr
        preset = os.path.join(folder, "p.preset")
        with open(preset, "wb") as file:
            file.write(run("show", first, small=False).stdout)
        chart(again, "--from", preset, figure="gradient-norm")
        assert "B Pre-LN" in read_text(again)
        sentence(run("chart", "--figure", "loss", "--out", table, "--lane", "seq=8", "--lane",
                     "seq=16"), 2)
        sentence(run("chart", "--figure", "loss", "--out", table, *("--lane", "") * 5), 2)


def test_a_step_within_a_longer_run():
    with tempfile.TemporaryDirectory() as folder:
        path, again = os.path.join(folder, "a.csv"), os.path.join(folder, "again.csv")
        chart(path, "--set", "schedule=cosine", "--set", "decay-start=1", "--step", "1")
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["x"] for row in rows} == {"0", "1"}
        assert " step=1 " in rows[0]["experiment"] and " steps=2 " in rows[0]["experiment"]
        shown = run("chart", "--from", path, "--out", again, small=False)
        assert shown.returncode == 0
        with open(again, newline="") as file:
            assert list(csv.DictReader(file)) == rows


def test_a_step_of_a_run_that_went_on():
    with tempfile.TemporaryDirectory() as folder:
        path, again = os.path.join(folder, "a.csv"), os.path.join(folder, "again.csv")
        chart(path, "--step", "1", "--until", "3", figure="loss,gradient-norm", steps="4")
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["x"] for row in rows if row["series"] == "training"} == set("0123")
        assert {row["series"] for row in rows if row["figure"].startswith("Gradient")} >= {"step 1"}
        assert " step=1 until=3 " in rows[0]["experiment"]
        assert run("chart", "--from", path, "--out", again, small=False).returncode == 0
        assert read_text(again) == read_text(path)
        picture = os.path.join(folder, "a.svg")
        chart(picture, "--step", "1", "--until", "3", "--caption", "on", steps="4")
        assert "step 1 of 3, Normscope" in read_text(picture)
        words = sentence(run("chart", "--figure", "loss", "--step", "3", "--until", "2", "--out", path),
                         2)
        assert "--until 2" in words, words
        sentence(run("chart", "--figure", "loss", "--until", "2", "--out", path), 2)


def test_smoothing_and_theory():
    with tempfile.TemporaryDirectory() as folder:
        path, again = os.path.join(folder, "a.svg"), os.path.join(folder, "b.svg")
        chart(path, "--smooth", "ema:0.9", figure="steps")
        assert "EMA 0.9" in read_text(path) and " smooth=ema:0.9 theory=off " in read_text(path)
        assert run("chart", "--from", path, "--out", again, small=False).returncode == 0
        assert read_text(path) == read_text(again)
        chart(path, "--theory", "on", figure="hidden-norm")
        assert "theory" in read_text(path).replace(" theory=on ", "")
        assert run("chart", "--from", path, "--out", again, small=False).returncode == 0
        assert read_text(path) == read_text(again)
        chart(path, "--smooth", "auto", figure="loss")
        assert "EMA" not in read_text(path) and " smooth=none " in read_text(path)
        chart(path, "--smooth", "auto", figure="loss", steps="500")
        assert "EMA 0.9" in read_text(path) and " smooth=auto " in read_text(path)
        for wrong in ("ema:1", "ema:", "mean:0", "mean:1.5", "0.9"):
            sentence(run("chart", "--figure", "loss", "--out", path, "--smooth", wrong), 2)
        sentence(run("chart", "--figure", "loss", "--out", path, "--theory", "maybe"), 2)


def test_prediction_says_its_error():
    """With the tokens of the batch it is a prediction, without them (an older run) an approximation."""
    with tempfile.TemporaryDirectory() as folder:
        path, lines = os.path.join(folder, "a.svg"), os.path.join(folder, "a.jsonl")
        assert run("train", "--steps", "1", "--jsonl", lines).returncode == 0
        for counted, words in ((True, "within 3% and two"), (False, "Approximation: this run")):
            if not counted:
                text = re.sub(r'"(sequence|equal)_tokens":[-0-9.e]+,?', "", read_text(lines))
                with open(lines, "w", encoding="utf-8") as file:
                    file.write(text.replace(",}", "}"))
            result = run("chart", "--from", lines, "--figure", "theory", "--caption", "on", "--out", path,
                         "--size", "300x200mm", small=False)
            assert result.returncode == 0, result
            assert words in " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", read_text(path))), counted


def test_without_the_experiment():
    with tempfile.TemporaryDirectory() as folder:
        for ending in FORMATS:
            path = os.path.join(folder, "a." + ending)
            chart(path, "--experiment", "off")
            with open(path, "rb") as file:
                assert b"normscope=" not in file.read()
            assert "a." + ending in sentence(run("show", path, small=False), 1)


def test_presets():
    with tempfile.TemporaryDirectory() as folder:
        one, two = os.path.join(folder, "one.preset"), os.path.join(folder, "two.preset")
        with open(one, "w", encoding="utf-8") as file:
            file.write("title = One\nlayers = 3\nplacement = pre\nlr = 0.01\n")
        with open(two, "w", encoding="utf-8") as file:
            file.write("layers = 1\nlr = 0.01\n[A]\nplacement = post\n[B]\nplacement = pre\n")
        settings = train("--preset", one, "--steps", "1")[0]["settings"]
        # --set has the last word.
        assert settings["layers"] == 2 and settings["placement"] == "pre", settings
        assert settings["lr"] == 0.01 and settings["steps"] == 1, settings
        result = run("compare", "--preset", two, "--steps", "2", "--jsonl", "-")
        rows = [json.loads(line) for line in result.stdout.decode().splitlines()]
        lanes = [row["settings"] for row in rows if "settings" in row]
        assert [lane["placement"] for lane in lanes] == ["post", "pre"], lanes
        assert [lane["layers"] for lane in lanes] == [2, 2] and lanes[1]["steps"] == 2, lanes
        lines = os.path.join(folder, "two.jsonl")
        run("compare", "--preset", two, "--steps", "1", "--jsonl", lines)
        again = run("compare", "--from", lines, small=False).stdout.decode().splitlines()
        assert [row.split()[-1] for row in again[1:]] == ["placement=post", "placement=pre"], again
        table = run("compare", "--preset", two, "--steps", "1").stdout.decode().splitlines()
        assert "placement=pre" not in table[1] and "placement=pre" in table[2], table
        words = ["--lane", "lr=0.1", "--lane", ""]
        result = run("compare", "--preset", one, *words, "--steps", "1", "--jsonl", "-")
        rows = [json.loads(line) for line in result.stdout.decode().splitlines()]
        lanes = [row["settings"] for row in rows if "settings" in row]
        assert [lane["lr"] for lane in lanes] == [0.1, 0.01], lanes
        assert lanes[0]["placement"] == lanes[1]["placement"] == "pre", lanes
        assert "compare --preset" in sentence(run("train", "--preset", two, small=False), 2)
        assert "--lane" in sentence(run("compare", "--preset", two, *words, small=False), 2)
        assert "sgd-adam" in sentence(run("train", "--preset", "sgd-adan", small=False), 2)
        sentence(run("train", "--preset", os.path.join(folder, "none.preset"), small=False), 1)
        with open(one, "w", encoding="utf-8") as file:
            file.write("title = One\nlayers = x\n")
        assert "Line 2" in sentence(run("train", "--preset", one, small=False), 2)


def test_from_what_is_no_experiment():
    with tempfile.TemporaryDirectory() as folder:
        book, preset = os.path.join(folder, "book.txt"), os.path.join(folder, "a.preset")
        with open(book, "w", encoding="utf-8") as file:
            file.write("Once upon a time")
        for path in (book, folder, os.path.join(folder, "missing"), "/dev/zero"):
            sentence(run("show", path, small=False), 1)
            sentence(run("train", "--from", path, small=False), 1)
        with open(preset, "w", encoding="utf-8") as file:
            file.write("layers = many\n")
        assert "a.preset" in sentence(run("train", "--from", preset, small=False), 2)
        with open(preset, "w", encoding="utf-8") as file:
            file.write("layers = 1\nsteps = 1\n")
        assert train("--from", preset)[0]["settings"]["layers"] == 2
        with open(preset, "w", encoding="utf-8") as file:
            file.write("layers = 1\nwings = 2\nsteps = 1\n")
        assert "wings" in sentence(run("train", "--from", preset), 2)
        sentence(run("show", small=False), 2)
        sentence(run("show", book, book, small=False), 2)


def test_chart_help_has_every_choice():
    text = run("chart", "--help").stdout.decode()
    for option in ("size", "style", "dpi", "font", "text-size", "line-width", "legend", "background",
                   "title", "note", "caption", "experiment", "from", "step", "each", "lane"):
        assert f"--{option}" in text, option
    for word in ("column-88mm", "slide", "inside", "tex"):
        assert word in text, word


if __name__ == "__main__":
    sys.exit(main(globals()))
