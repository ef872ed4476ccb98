#!/usr/bin/env python3
"""Runs the real normscope-cli and checks what it promises; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_cli.py NORMSCOPE_CLI
"""

import glob
import json
import math
import os
import re
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import time

CLI = os.path.abspath(sys.argv[1])
PATIENCE_S = 600  # a hang fails, a busy machine does not
SMALL = ["layers=2", "d-model=16", "heads=2", "seq=8", "batch=2", "eval-batches=1", "threads=1"]
PARAMETERS = ["wq", "wk", "wv", "wo", "w1", "w2"]
COMMANDS = ["train", "compare", "probe", "check", "dump", "chart", "bench", "sweep",
            "study", "paper", "translate", "finetune", "bleu", "bpe", "show", "resume", "runs", "export", "handout", "list"]
LISTS = ["placements", "norms", "tasks", "figures", "settings", "schedules", "quantities", "styles",
         "architectures", "activations", "attentions", "positions", "initializations", "optimizers",
         "similarities", "presets", "lectures", "studies", "instructions", "vocabularies"]
ARCHS = ["decoder", "encoder", "encoder-decoder"]
TASKS = ["grammar", "copy", "reverse", "sort", "gaussian", "random"]
FORMATS = ["pdf", "svg", "png", "csv", "tex"]
FIGURES = ["loss", "gradient-norm", "hidden-norm", "gradient-heatmap", "profile", "steps", "heatmap",
           "heads", "similarity", "theory", "schedule", "tokens", "attention", "all"]


# Choices of columns are remembered there.
DATA = tempfile.TemporaryDirectory()
os.environ["XDG_DATA_HOME"] = DATA.name


class Skip(Exception):
    pass


def small_model(arguments):
    """The options of the small model, but for what the arguments set or vary themselves."""
    named = {word.partition("=")[0].strip() for option, word in zip(arguments, arguments[1:])
             if option in ("--set", "-s", "--x", "--y")}
    return [word for setting in SMALL if setting.partition("=")[0] not in named
            for word in ("--set", setting)]


def run(*arguments, small=True, prefix=(), **options):
    """Runs a command; commands that train get the small model unless told otherwise."""
    arguments = list(arguments)
    if small and arguments and arguments[0] not in ("list", "help"):
        arguments[1:1] = small_model(arguments)
    options.setdefault("timeout", PATIENCE_S)
    return subprocess.run([*prefix, CLI, *arguments], capture_output=True, **options)


def until_busy(process):
    """Until a process has computed for longer than it takes to begin, or has ended."""
    ticks = os.sysconf("SC_CLK_TCK") / 4
    while process.poll() is None:
        with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
            user = int(file.read().rpartition(")")[2].split()[11])
        if user >= ticks:
            return
        time.sleep(0.01)


def sentence(result, status):
    """The one line on stderr of a run that must fail with this status."""
    text = result.stderr.decode()
    assert result.returncode == status, f"status {result.returncode}, not {status}: {text!r}"
    assert result.stdout == b"", f"unexpected output {result.stdout[:200]!r}"
    lines = text.splitlines()
    assert len(lines) == 1, f"not one line: {text!r}"
    assert lines[0].startswith("normscope-cli: "), text
    assert lines[0].rstrip()[-1] in ".?", f"no sentence: {text!r}"
    return lines[0]


def train(*arguments, **options):
    """The JSON lines of a run that must succeed."""
    result = run("train", "--jsonl", "-", *arguments, **options)
    assert result.returncode == 0, result.stderr.decode()
    assert result.stderr == b"", result.stderr.decode()
    return [json.loads(line) for line in result.stdout.decode().splitlines()]


def records_of(lines):
    return [line for line in lines if "step" in line and "loss" in line]


def number(value):
    """A JSON number, or one of the three strings."""
    if isinstance(value, str):
        assert value in ("NaN", "Infinity", "-Infinity"), value
        return float(value.replace("Infinity", "inf"))
    assert isinstance(value, (int, float)) and not isinstance(value, bool), repr(value)
    return float(value)


def check_records(lines, layers, steps):
    first, last = lines[0], lines[-1]
    assert first["layers"] == layers and isinstance(first["settings"], dict)
    assert list(last) == ["summary"]
    records = records_of(lines)
    assert [r["step"] for r in records] == list(range(steps + 1))
    for record in records:
        norms = record["grad_norm"]
        assert number(norms["total"]) > 0
        for parameter in PARAMETERS:
            assert len([number(v) for v in norms[parameter]]) == layers, parameter
        assert len([number(v) for v in record["hidden_norm"]]) == layers + 1
        assert len([number(v) for v in record["update_ratio"]]) == layers
        number(record["lr"])
    assert records[0]["lr"] == 0 and records[0]["update_ratio"] == [0] * layers
    return records


def test_json_lines():
    lines = train("--steps", "5")
    records = check_records(lines, layers=2, steps=5)
    assert records[1]["lr"] > 0 and all(v > 0 for v in records[1]["update_ratio"])
    summary = lines[-1]["summary"]
    assert summary["state"] == "finished" and summary["steps"] == 5
    assert summary["loss"] == records[-1]["loss"]
    assert number(summary["validation_loss"]) > 0 and number(summary["ms_per_step"]) > 0
    assert lines[0]["settings"]["layers"] == 2 and lines[0]["settings"]["placement"] == "post"
    assert [r["step"] for r in records if "validation_loss" in r] == [0, 5]
    assert records[5]["validation_loss"] == summary["validation_loss"]
    assert len(lines) == 1 + 6 + 1


def test_total_is_the_root_of_the_sum_of_squares():
    for record in records_of(train("--steps", "2")):
        norms = record["grad_norm"]
        layers = sum(number(v) ** 2 for parameter in PARAMETERS for v in norms[parameter])
        assert norms["total"] >= math.sqrt(layers) * (1 - 1e-6)


def test_steps_zero():
    lines = train("--steps", "0")
    check_records(lines, layers=2, steps=0)
    assert lines[-1]["summary"]["steps"] == 0


def test_default_is_300_steps():
    lines = train("--set", "eval-every=0", "--set", "layers=1", "--set", "seq=4")
    check_records(lines, layers=1, steps=300)
    assert lines[0]["settings"]["steps"] == 300


def test_setting_steps():
    check_records(train("--set", "steps=3"), layers=2, steps=3)
    check_records(train("--set", "steps=3", "--steps", "2"), layers=2, steps=2)


def test_jumps_are_told():
    wild = [word for setting in ("layers=3", "d-model=32", "batch=16", "seq=32", "lr=0.3")
            for word in ("--set", setting)]
    events = [event for record in records_of(train("--steps", "5", *wild))
              for event in record.get("events", [])]
    assert {event["kind"] for event in events} == {"spike"}, events
    for event in events:
        assert event["what"] == "loss" and event["text"].startswith("The loss jumped"), event
        # The largest gradient is that of a tensor, which lies in a layer or in none.
        layer = re.search(r" of layer (\d+)\.$", event["text"])
        assert event["layer"] == (int(layer[1]) if layer else None), event
    told = run("train", "--steps", "5", *wild).stdout.decode().splitlines()
    assert [line for line in told if line.startswith("The loss jumped")] == [
        event["text"] for event in events], told


def test_diverged_is_a_result():
    lines = train("--set", "placement=none", "--set", "norm=none", "--set", "layers=30",
                  "--set", "lr=100", "--steps", "50")
    assert lines[-1]["summary"]["state"] == "diverged", lines[-1]
    last = records_of(lines)[-1]
    assert [event["kind"] for event in last["events"]] == ["diverged"]
    text = json.dumps(last)
    assert '"NaN"' in text or 'Infinity"' in text, text[:400]


def test_same_seed_same_bytes():
    def stripped(lines):
        for line in lines:
            for holder in (line, line.get("summary", {})):
                for key in [k for k in holder if "ms" in k or "seconds" in k]:
                    del holder[key]
        return lines

    a, b = (stripped(train("--steps", "10")) for _ in range(2))
    assert a == b
    assert a != stripped(train("--steps", "10", "--set", "seed=2"))


def test_json_lines_file():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.jsonl")
        result = run("train", "--steps", "3", "--jsonl", path)
        assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
        with open(path) as file:
            check_records([json.loads(line) for line in file], layers=2, steps=3)


def test_every_task_for_every_architecture():
    for arch in ARCHS:
        for task in TASKS:
            lines = train("--steps", "3", "--set", "arch=" + arch, "--set", "task=" + task,
                          "--set", "decoder-layers=1", "--set", "probe-every=3")
            both = arch == "encoder-decoder"
            first, records = lines[0], records_of(lines)
            assert first["arch"] == arch and first["layers"] == (3 if both else 2)
            assert ("encoder_layers" in first, "decoder_layers" in first) == (both, both)
            assert first["vocab_in"] >= first["vocab"] or task == "gaussian"
            for record in records:
                assert number(record["loss"]) > 0
                assert len(record["grad_layer"]) == first["layers"]
                assert len(record["hidden_norm"]) == first["layers"] + (2 if both else 1)
                assert ("mean_grad_layer" in record) == (record["step"] % 3 == 0)
                assert ("probe_seconds" in record) == (record["step"] % 3 == 0)
            assert lines[-1]["summary"]["state"] == "finished"


def test_result_for_people():
    result = run("train", "--steps", "3")
    text = result.stdout.decode()
    assert result.returncode == 0 and result.stderr == b""
    for word in ("training loss", "validation loss", "finished", "ms per step", "Post-LN"):
        assert word in text, word
    # Counts for people stand in groups of digits, those for programs do not.
    assert re.search(r"text +generated text, \d{3},\d{3} characters, ", text), text
    table = run("train", "--steps", "1200", "--set", "seq=4").stdout.decode()
    assert "finished after 1,200 steps" in table, table
    lines = run("train", "--steps", "1200", "--set", "seq=4", "--jsonl", "-").stdout.decode()
    assert any(json.loads(line).get("step") == 1200 for line in lines.splitlines())


def test_numbers_do_not_depend_on_the_locale():
    for locale in ("C", "C.UTF-8", "de_DE.UTF-8"):
        env = dict(os.environ, LC_ALL=locale, LANGUAGE="de")
        result = run("train", "--steps", "1", "--jsonl", "-", env=env)
        assert result.returncode == 0, result.stderr
        check_records([json.loads(line) for line in result.stdout.decode().splitlines()], 2, 1)
        assert b"Usage:" in run("train", "--help", env=env).stdout


def test_interrupt():
    for number_ in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen(
            [CLI, "train", "--set", "steps=0", "--jsonl", "-"], stdout=subprocess.PIPE)
        for _ in range(3):
            process.stdout.readline()
        process.send_signal(number_)
        lines = process.communicate(timeout=PATIENCE_S)[0].decode().splitlines()
        assert process.returncode == 128 + number_, process.returncode
        assert json.loads(lines[-1])["summary"]["state"] == "paused"


def test_compare():
    result = run("compare", "--jsonl", "-", "--steps", "6", "--set", "eval-every=4",
                 "--lane", "placement=pre", "--lane", "placement=post lr=1e-2", "--lane", "")
    assert (result.returncode, result.stderr) == (0, b""), result
    lines = [json.loads(line) for line in result.stdout.decode().splitlines()]
    assert all(list(line)[0] == "lane" and line["lane"] in (1, 2, 3) for line in lines)
    lanes = [[line for line in lines if line["lane"] == lane] for lane in (1, 2, 3)]
    assert [lane[0]["settings"]["placement"] for lane in lanes] == ["pre", "post", "post"]
    assert [lane[0]["settings"]["lr"] for lane in lanes] == [0.003, 0.01, 0.003]
    for lane in lanes:
        assert [r["step"] for r in records_of(lane)] == list(range(7))
        assert [r["step"] for r in records_of(lane) if "validation_loss" in r] == [0, 4, 6]
        assert lane[-1]["summary"]["state"] == "finished"
    # The second and the third begin as the same model, and each is what it is on its own.
    assert records_of(lanes[1])[0]["grad_norm"] == records_of(lanes[2])[0]["grad_norm"]
    alone = records_of(train("--steps", "6", "--set", "eval-every=4"))
    for record, expected in zip(records_of(lanes[2]), alone):
        for key in expected:
            assert "seconds" in key or record[key] == expected[key], key


def test_compare_for_people():
    result = run("compare", "--steps", "3", "--lane", "layers=1", "--lane", "layers=3")
    assert (result.returncode, result.stderr) == (0, b""), result
    rows = [line.split() for line in result.stdout.decode().splitlines()]
    assert [row[:2] for row in rows[1:]] == [["1", "3"], ["2", "3"]], rows
    assert [row[-2:] for row in rows[1:]] == [["finished", "layers=1"], ["finished", "layers=3"]]


def test_compare_lanes_that_diverge():
    lines = [json.loads(line) for line in run(
        "compare", "--jsonl", "-", "--steps", "40", "--lane", "", "--lane",
        "placement=none norm=none layers=30 lr=100").stdout.decode().splitlines()]
    states = {line["lane"]: line["summary"] for line in lines if "summary" in line}
    assert states[1]["state"] == "finished" and states[1]["steps"] == 40
    assert states[2]["state"] == "diverged" and states[2]["steps"] < 40


def test_compare_errors():
    for lanes in ([], ["layers=1"], ["", "", "", "", ""], ["layers=1", "layer=2"],
                  ["layers=1", "layers='2"], ["layers=1", "d-model=63"], ["seq=4", "seq=8"],
                  ["", "data-seed=2"]):
        words = [word for lane in lanes for word in ("--lane", lane)]
        sentence(run("compare", "--steps", "1", *words, small=False), 2)


def test_one_validation_a_step():
    lines = train("--steps", "20", "--set", "eval-every=10")
    assert [r["step"] for r in records_of(lines) if "validation_loss" in r] == [0, 10, 20]


def test_reader_that_goes_away():
    process = subprocess.Popen([CLI, "train", "--set", "steps=0", "--jsonl", "-"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=PATIENCE_S) == 1
    assert process.stderr.read() == b""
    process.stderr.close()


def test_full_disk():
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    sentence(run("train", "--steps", "2", "--jsonl", "/dev/full"), 1)
    for arguments in (["train", "--steps", "2", "--jsonl", "-"], ["train", "--steps", "2"],
                      ["probe"], ["list", "settings"], ["--help"]):
        with open("/dev/full", "w") as full:
            if arguments[0] in ("train", "probe"):
                arguments += [word for setting in SMALL for word in ("--set", setting)]
            result = subprocess.run([CLI] + arguments, stdout=full, stderr=subprocess.PIPE)
        assert result.returncode == 1, (arguments, result.returncode)
        assert len(result.stderr.decode().splitlines()) == 1, result.stderr


def test_help():
    for command in COMMANDS:
        for arguments in ([command, "--help"], [command, "-h"], ["help", command]):
            result = run(*arguments, small=False)
            assert result.returncode == 0 and result.stderr == b"", arguments
            text = result.stdout.decode()
            assert f"normscope-cli {command}" in text and "Examples:" in text, text
    for arguments in (["--help"], ["-h"], ["help"]):
        text = run(*arguments).stdout.decode()
        assert all(command in text for command in COMMANDS), text
    assert "300" in run("train", "--help", small=False).stdout.decode()


def test_version():
    result = run("--version")
    assert result.returncode == 0 and result.stdout.startswith(b"normscope-cli ")


def test_usage_errors():
    for arguments in ([], ["trian"], ["help", "trian"], ["train", "--nothing"], ["train", "word"],
                      ["train", "--steps", "x"], ["train", "--steps", "-1"], ["train", "--steps"],
                      ["bench", "--steps", "0"], ["bench", "--steps", "many"], ["bench", "word"],
                      ["bench", "--steps", "2", "--set", "vocab=-1"],
                      ["bench", "--steps", "2", "--set", "vocab=1"], ["bench", "--jsonl", "-"],
                      ["probe", "--seeds", "0"], ["probe", "--seeds", "many"], ["dump"],
                      ["chart"], ["chart", "--figure", "loss"], ["chart", "--out", "a.png"],
                      ["chart", "--figure", "los", "--out", "a.png"],
                      ["chart", "--figure", "loss", "--out", "a.gif"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--size", "big"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--size", "nanx100"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--style", "pape"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--dpi", "1"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--font", "No Such Font"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--text-size", "huge"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--line-width", "-1"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--legend", "left"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--background", "pink"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--caption", "maybe"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--step", "-1"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--gradient", "hidden-norm"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--gradient", "grad-w9"],
                      ["chart", "--figure", "loss", "--out", "a.png", "--quantity", "grad-w2"],
                      ["chart", "--figure", "steps", "--out", "a.png", "--quantity", "grad-w9"],
                      ["chart", "--figure", "heads", "--out", "a.png", "--quantity", "grad-w2"],
                      ["chart", "--figure", "profile", "--out", "a.png", "--quantity",
                       "final-hidden-norm"],
                      ["chart", "--figure", "similarity", "--out", "a.png", "--similarity", "cca"],
                      ["train", "--preset", "no-norm", "--from", "x.svg"],
                      ["list"], ["list", "placement"], ["list", "norms", "tasks"]):
        sentence(run(*arguments, small=False), 2)


def test_errors_are_one_line():
    for status, *arguments in ((1, "show", "a\nb"), (2, "train", "--set", "lr=\n1\n2"), (2, "tr\nain"),
                               (1, "train", "--jsonl", "no/\x1b[2J")):
        assert "\x1b" not in sentence(run(*arguments, small=False), status)


def test_examples_can_be_given():
    """Those of --help, README and the manual: their commands and options, and the files in the checkout."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    lines = []
    for page in [os.path.join(root, "README.md"), *glob.glob(os.path.join(root, "resources", "help", "*.md"))]:
        with open(page, encoding="utf-8") as file:
            lines += re.findall(r"^    (normscope-cli .*)$", file.read().replace("\\\n", " "), re.M)
    assert len(lines) > 30, lines
    for command in COMMANDS:
        lines += re.findall(r"^  (normscope-cli .*)$", run("help", command).stdout.decode()
                            .split("Examples:")[1], re.M)
    for line in lines:
        words = shlex.split(line.split(">")[0])
        result = run(*words[1:], "--help", small=False)
        assert (result.returncode, result.stderr) == (0, b""), (line, result)
        for word in words:
            path = os.path.join(root, word.removeprefix("text="))
            assert "tests/" not in word or os.path.exists(path), line


def test_nearest_is_suggested():
    for arguments, word in ((["trian"], "train"), (["list", "placement"], "placements"),
                            (["chart", "--figure", "los", "--out", "a.png"], "loss"),
                            (["train", "--set", "layer=3"], "layers"),
                            (["train", "--set", "Layers=3"], "layers"),
                            (["train", "--set", "placement=PRE"], "pre"),
                            (["compare", "--lane", "placement=pre, warmup=9"], "pre"),
                            (["train", "--set", "placement=prre"], "pre")):
        text = sentence(run(*arguments, small=False), 2)
        assert re.search(rf"(did you mean|nearest|choose).*\b{word}\b", text), text


def test_bad_settings():
    for setting in ("layers", "layers=", "layers=many", "layers=0", "layers=1e9", "layers=2.5",
                    "lr=-1", "lr=nan", "lr=1,5", "lr=inf", "nonsense=1", "=", "placement=",
                    "placement=POST", "task=text", "d-model=63", "seed=-1", "text=\xff"):
        sentence(run("train", "--set", setting, small=False), 2 if setting != "text=\xff" else 1)


def test_mistakes_are_told_apart():
    """What a hurried user does wrong, and the word that says what to do."""
    for words, advice in ((["train", "--set", "lr=0,003"], "0.003"), (["train", "-n", "1,00"], "whole number"),
                          (["train", "--set", "layers=3 heads=2"], "separately"),
                          (["train", "--set", "xyzzy=3"], "list settings"),
                          (["--set", "layers=3"], "train --set"),
                          (["check", "--layer", "0"], "at least 1"), (["check", "--step", "-1"], "at least 0"),
                          (["compare", "--lane", "seed=2"], "--lane placement=post"),
                          (["chart", "--figure", "", "--out", "a.pdf"], "name of a figure"),
                          (["chart", "--figure", "loss,", "--out", "a.pdf"], "name of a figure"),
                          (["chart", "--figure", "diagram:3", "--out", "a.pdf"], "layer 3"),
                          (["chart", "--figure", "attention:2.5", "--out", "a.pdf"], "head 5")):
        small = words[0] == "chart"
        text = sentence(run(*words, small=small), 2)
        assert advice in text, text
    text = sentence(run("train", "--jsonl", "", small=False), 1)
    assert "no name" in text, text


def test_spaces_around_a_choice():
    assert train("--set", "placement = pre", "--steps", "0")[0]["settings"]["placement"] == "pre"


def test_bad_presets():
    with tempfile.TemporaryDirectory() as folder:
        def told(name, content, status, advice, *command):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
            text = sentence(run(*command, name, small=False, cwd=folder), status)
            assert advice in text and name in text, text
        told("empty", b"", 2, "empty", "train", "--preset")
        told("wrong", b"# mine\nplacement = pre\nlayers 3\n", 2, "Line 3", "train", "--from")
        told("wrong", b"\nplacement = pre\nlayers 3\n", 2, "Line 3", "train", "--preset")
        told("a text", b"layer upon layer\nplacement = pre\n", 1, "neither", "train", "--from")
        os.mkdir(os.path.join(folder, "folder"))
        assert "folder" in sentence(run("train", "--preset", "folder", small=False, cwd=folder), 1)
        marked = os.path.join(folder, "marked")
        with open(marked, "wb") as file:
            file.write(b"\xef\xbb\xbfplacement = pre\r\nlayers = 3\r\n")
        for option in ("--preset", "--from"):
            lines = train("--steps", "0", option, marked)
            assert lines[0]["settings"]["placement"] == "pre", option


def test_bad_texts():
    cases = {"empty": b"", "tiny": b"ab", "same": b"a" * 5000, "latin1": b"caf\xe9 " * 500,
             "cut": "héllo wörld ".encode() * 300 + b"\xc3", "zero": b"hello \0 world " * 300,
             "binary": bytes(range(256)) * 40}
    with tempfile.TemporaryDirectory() as folder:
        paths = [folder, os.path.join(folder, "missing"), "/dev/null"]
        for name, content in cases.items():
            paths.append(os.path.join(folder, name))
            with open(paths[-1], "wb") as file:
                file.write(content)
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        for path in paths + [fifo]:
            for command in (["train"], ["probe"], ["dump", "--out", os.path.join(folder, "d")],
                            ["chart", "--figure", "loss", "--out", os.path.join(folder, "c.png")]):
                text = sentence(run(*command, "--set", "text=" + path), 1)
                assert os.path.basename(path) in text, text


def test_own_text():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "große Schrift.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("Ein Text über Größen, immer wieder. " * 50)
        lines = train("--steps", "2", "--set", "text=" + path)
        assert lines[0]["settings"]["task"] == "text"
        assert lines[0]["settings"]["text"] == path


def test_outputs_that_cannot_be_written():
    with tempfile.TemporaryDirectory() as folder:
        missing = os.path.join(folder, "none", "x")
        plain = os.path.join(folder, "plain")
        open(plain, "w").close()
        sentence(run("train", "--steps", "1", "--jsonl", missing), 1)
        sentence(run("train", "--steps", "1", "--jsonl", folder), 1)
        sentence(run("chart", "--figure", "loss", "--out", missing + ".png"), 1)
        sentence(run("chart", "--figure", "loss", "--out", os.path.join(plain, "x.svg")), 1)
        sentence(run("dump", "--out", plain), 1)
        os.mkdir(os.path.join(folder, "dir.png"))
        sentence(run("chart", "--figure", "loss", "--out", os.path.join(folder, "dir.png")), 1)
        if os.geteuid() != 0:
            closed = os.path.join(folder, "closed")
            os.mkdir(closed, 0o500)
            sentence(run("chart", "--figure", "loss", "--out", os.path.join(closed, "x.png")), 1)


def test_probe():
    result = run("probe", "--seeds", "3", "--json")
    assert result.returncode == 0 and result.stderr == b""
    value = json.loads(result.stdout)
    assert value["seeds"] == 3 and value["layers"] == 2
    for parameter in PARAMETERS:
        cell = value["grad_norm"][parameter]
        assert len(cell["mean"]) == len(cell["sd"]) == 2
        assert all(number(v) > 0 for v in cell["mean"] + cell["sd"])
    assert len(value["hidden_norm"]["mean"]) == 3
    text = run("probe", "--seeds", "2").stdout.decode()
    rows = [line.split() for line in text.splitlines()]
    assert [row[0] for row in rows[-3:]] == ["0", "1", "2"], text
    assert "±" in text and "over 2 seeds" in text
    one = run("probe", "--seeds", "1", "--set", "seed=7").stdout.decode()
    assert "±" not in one and "seed 7" in one, one
    loss = records_of(train("--steps", "0", "--set", "seed=7"))[0]["loss"]
    assert f"loss {loss:.4g} nats" in one, one


OPERATORS = ["matmul", "attention", "norm", "activation", "residual", "embedding", "loss",
             "gradient_sum", "optimizer", "measure", "data", "other"]


def test_bench():
    result = run("bench", "--steps", "5", "--json", "--set", "vocab=31")
    assert (result.returncode, result.stderr) == (0, b""), result
    value = json.loads(result.stdout)
    ms = value["ms_per_step"]
    assert ms > 0
    assert len(value["each_ms"]) == value["steps"] == 5
    assert ms == sorted(value["each_ms"])[2]
    assert math.isclose(value["tokens_per_s"], 2 * 8 * 1e3 / ms)
    assert math.isclose(value["gflops"], 1e3 * value["gflop_per_step"] / ms)
    assert value["probe_share"] < 1 and value["ms_unmeasured"] > 0
    assert value["peak_rss_mib"] is None or 1 < value["peak_rss_mib"] < 4096
    assert list(value["operators"]) == OPERATORS
    assert all(taken >= 0 for taken in value["operators"].values())
    for operator in ("optimizer", "measure", "data"):
        assert value["operators"][operator] > 0, operator
    settings = value["settings"]
    assert settings["task"] == "random" and settings["vocab"] == 31 and settings["layers"] == 2
    # Of 31 symbols that are read and predicted: two matrices, positions, two layers.
    layer = 4 * 16 * 16 + 2 * 16 * 64 + 4 * 16 + 64 + 16 + 2 * 2 * 16
    assert value["parameters"] == 2 * 31 * 16 + 8 * 16 + 2 * layer
    assert value["threads"] == 1 and value["memory_bytes"] > 0


def test_bench_for_people():
    text = run("bench", "--steps", "1").stdout.decode()
    operators = [operator.replace("_", "-") for operator in OPERATORS]
    for word in ["Post-LN", "GFLOP/s", "tokens per second", "measuring"] + operators:
        assert word in text, text


def test_bench_that_cannot_go_on():
    sentence(run("bench", "--steps", "40", "--set", "placement=none", "--set", "norm=none",
                 "--set", "layers=30", "--set", "lr=100"), 2)
    process = subprocess.Popen([CLI, "bench", "--steps", "100000"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    until_busy(process)
    process.send_signal(signal.SIGINT)
    out, err = (text.decode() for text in process.communicate(timeout=PATIENCE_S))
    assert process.returncode == 130 and err == "" and "of 100,000 steps" not in out, (out, err)
    assert not out or "medians of" in out, out


def test_vocab():
    for task in ("copy", "reverse", "sort", "gaussian", "random"):
        first = train("--steps", "1", "--set", "task=" + task, "--set", "vocab=40")[0]
        assert first["vocab"] == 40 and first["settings"]["vocab"] == 40
        assert first["vocab_in"] == {"gaussian": 16, "random": 40}.get(task, 41)
        line = sentence(run("train", "--set", "task=" + task, "--set", "vocab=1"), 2)
        assert task in line and "vocab" in line
    assert train("--steps", "1", "--set", "vocab=1")[0]["vocab"] > 40


def test_random_tokens_teach_nothing():
    lines = train("--steps", "150", "--set", "task=random", "--set", "vocab=8", "--set", "batch=64")
    last = lines[-1]["summary"]["validation_loss"]
    assert math.log(8) - 0.01 < last < math.log(8) + 0.2, last


def test_probe_of_both_stacks():
    arguments = ("--seeds", "2", "--set", "arch=encoder-decoder", "--set", "decoder-layers=1")
    value = json.loads(run("probe", "--json", *arguments).stdout)
    assert value["encoder_layers"] == 2 and value["decoder_layers"] == 1
    assert len(value["hidden_norm"]["mean"]) == 5 and len(value["grad_layer"]["mean"]) == 3
    rows = [line.split() for line in run("probe", *arguments).stdout.decode().splitlines()]
    assert [row[0] for row in rows[-7:]] == ["encoder", "0", "1", "2", "decoder", "0", "1"], rows
    for row, layer, state in ((rows[-5], 0, 1), (rows[-4], 1, 2), (rows[-1], 2, 4)):
        assert math.isclose(float(row[1]), value["hidden_norm"]["mean"][state], rel_tol=1e-3)
        assert math.isclose(float(row[4]), value["grad_layer"]["mean"][layer], rel_tol=1e-3)


def test_probe_has_every_quantity():
    value = json.loads(run("probe", "--seeds", "2", "--json").stdout)
    rows = json.loads(run("list", "quantities", "--json").stdout)
    expensive = [row["key"].replace("-", "_") for row in rows if row["expensive"]]
    assert "mean_grad_layer" in expensive and "token_cosine" in expensive
    for key in expensive:
        assert key in value or "cross" in key or key == "noise_scale", key


def test_probe_agrees_with_train():
    probe = json.loads(run("probe", "--seeds", "1", "--json").stdout)
    record = records_of(train("--steps", "0"))[0]
    assert probe["loss"]["mean"] == record["loss"] and probe["loss"]["sd"] == 0
    for value, expected in zip(probe["grad_norm"]["w2"]["mean"], record["grad_norm"]["w2"]):
        assert math.isclose(value, expected, rel_tol=1e-8)


def safetensors(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        header.pop("__metadata__", None)
        size = os.path.getsize(path) - 8 - length
    assert max(entry["data_offsets"][1] for entry in header.values()) == size
    return {name: entry["shape"] for name, entry in header.items()}


def test_dump():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "made", "here")
        os.mkdir(os.path.dirname(out))
        result = run("dump", "--out", out, "--steps", "2")
        assert (result.returncode, result.stdout, result.stderr) == (0, b"", b""), result
        params = safetensors(os.path.join(out, "params.safetensors"))
        assert safetensors(os.path.join(out, "grads.safetensors")) == params
        assert params["blk1.ffn.w1"] == [64, 16] and params["blk0.attn.wq"] == [16, 16]
        batch = safetensors(os.path.join(out, "batch.safetensors"))
        assert batch == {"tokens": [2, 8], "targets": [2, 8], "length": [2]}
        with open(os.path.join(out, "meta.json")) as file:
            meta = json.load(file)
        record = records_of(train("--steps", "2"))[2]
        assert meta["loss"] == record["loss"] and meta["step"] == 2
        assert meta["grad_norm"] == {"total": record["grad_norm"]["total"]}


def test_dump_of_every_architecture():
    names = {"decoder": "blk1.attn.wq", "encoder": "blk1.attn.wq",
             "encoder-decoder": "dec.blk1.cross.wq"}
    for arch in ARCHS:
        with tempfile.TemporaryDirectory() as folder:
            result = run("dump", "--out", folder, "--set", "arch=" + arch, "--set", "task=sort",
                         "--set", "source-seq=5")
            assert (result.returncode, result.stdout, result.stderr) == (0, b"", b""), result
            params = safetensors(os.path.join(folder, "params.safetensors"))
            assert params[names[arch]] == [16, 16]
            assert safetensors(os.path.join(folder, "grads.safetensors")) == params
            expected = {"tokens": [2, 8], "targets": [2, 8], "length": [2]}
            if arch == "encoder-decoder":
                expected.update({"src": [2, 5], "src_mask": [2, 5]})
            assert safetensors(os.path.join(folder, "batch.safetensors")) == expected
            with open(os.path.join(folder, "meta.json")) as file:
                meta = json.load(file)
            assert meta["arch"] == arch and meta["vocab"] == len(meta["symbols"]) == 16
            assert meta["vocab_in"] == (16 if arch == "encoder" else 17)


def snake_case(value):
    """Whether every name in a value is in snake case."""
    if isinstance(value, list):
        return all(map(snake_case, value))
    return not isinstance(value, dict) or all(
        re.fullmatch("[a-z][a-z0-9_]*", key) and snake_case(inner) for key, inner in value.items())


def test_json_says_of_what_it_is():
    """Every JSON object has the program, its settings by their keys, and the same names."""
    version = run("--version").stdout.decode().split()[1]
    lines = train("--steps", "1")
    settings = list(lines[0]["settings"])
    assert all(snake_case(line) for line in lines)
    grid = ("--x", "lr=0.1,0.2", "--y", "seed=1,2", "--steps", "1")
    for command, *arguments in (["probe"], ["check"], ["bench", "--steps", "1"], ["sweep", *grid],
                                ["paper", "hidden-scale"]):
        result = run(command, "--json", *arguments, small=command != "paper")
        value = json.loads(result.stdout)
        assert value["program"] == lines[0]["program"] == "normscope " + version, command
        assert snake_case(value), (command, value)
        assert command == "paper" or list(value["settings"]) == settings, command
        # What --help does not name nobody can rely on; a quantity has a name of the registry.
        words = re.findall(r"\w+", run("help", command).stdout.decode())
        known = {row["key"].replace("-", "_")
                 for row in json.loads(run("list", "quantities", "--json").stdout)}
        if command != "probe":
            missing = [key for key in value if key not in words and key not in known]
            assert not missing, (command, missing)
    words = re.findall(r"\w+", run("help", "train").stdout.decode())
    for key in [*lines[0], "step", "loss", "lr", "seconds", "grad_norm", "validation_loss", "events",
                "probe_seconds", "thinned", *lines[-1]["summary"]]:
        assert key in words, key


def test_lists():
    for name in LISTS:
        rows = json.loads(run("list", name, "--json").stdout)
        assert rows and len({row["key"] for row in rows}) == len(rows)
        assert snake_case(rows), name
        text = run("list", name).stdout.decode()
        for row in rows:
            assert row["key"] in text and row["label"] in text, row
    settings = {row["key"]: row for row in json.loads(run("list", "settings", "--json").stdout)}
    for key in ("min", "max", "default", "effect", "help", "unit"):
        assert key in settings["layers"], key
    assert "pre" in settings["placement"]["choices"]
    assert settings["lr"]["effect"] == "live" and settings["layers"]["effect"] == "restart"
    assert settings["optimizer"]["effect"] == "fork"
    # What is not as in the reference, and the norm that a placement's paper has.
    placements = {row["key"]: row for row in json.loads(run("list", "placements", "--json").stdout)}
    assert (placements["keel"]["norm"], placements["post"]["norm"]) == ("rmsnorm", "layernorm")
    assert "embedding-norm=on" in placements["post"]["differs"], placements["post"]
    assert placements["pre"]["differs"] is None, placements["pre"]
    text = run("list", "placements").stdout.decode()
    assert placements["b2t"]["differs"] in text and "N is RMSNorm with norm=auto." in text, text


def test_no_gtk():
    try:
        text = subprocess.run(["ldd", CLI], capture_output=True, check=True).stdout.decode().lower()
    except (OSError, subprocess.CalledProcessError):
        raise Skip("no ldd")
    assert "cairo" in text, text
    # OpenBLAS is loaded by the program itself, where it is needed.
    for library in ("gtk", "gdk", "gsk", "graphene", "wayland", "blas"):
        assert library not in text, library


def test_no_display_is_needed():
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
    env = {name: value for name, value in os.environ.items() if name not in displays}
    with tempfile.TemporaryDirectory() as folder:
        result = run("chart", "--figure", "loss", "--steps", "1", "--out",
                     os.path.join(folder, "a.png"), env=env)
        assert result.returncode == 0, result.stderr


def main(names):
    tests = [(name, function) for name, function in names.items() if name.startswith("test_")]
    print(f"1..{len(tests)}", flush=True)
    failed = False
    for number_, (name, function) in enumerate(tests, 1):
        title = f"{number_} {name[5:].replace('_', ' ')}"
        started = time.monotonic()
        try:
            function()
        except Skip as reason:
            print(f"ok {title} # SKIP {reason}", flush=True)
        except Exception as error:
            failed = True
            print(f"not ok {title}\n# {type(error).__name__}: " + str(error).replace("\n", "\n# "),
                  flush=True)
        else:
            print(f"ok {title}\n# {time.monotonic() - started:.1f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(globals()))
