#!/usr/bin/env python3
"""Run files: what is recorded, read, drawn, listed and written out again; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_runs.py NORMSCOPE_CLI
"""

import csv
import json
import os
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

from test_cli import CLI, PATIENCE_S, SMALL, Skip, main, run, sentence

SETTINGS = [word for setting in SMALL for word in ("--set", setting)]
LANES = ["--lane", "placement=post", "--lane", "placement=pre"]
STEPS = 60
MEASURED = ["--set", "probe-every=7", "--set", "eval-every=20"]

# The queries of the README.
PANDAS = "SELECT * FROM steps"
QUERY = "SELECT step, loss FROM steps WHERE lane = 1 ORDER BY loss LIMIT 1"


class Recorded:
    """A folder with the run file of two lanes, and its JSON lines."""

    def __enter__(self):
        self.kept = tempfile.TemporaryDirectory()
        self.run, self.lines = self.path("a.nsrun"), self.path("a.jsonl")
        done = run("compare", *LANES, *MEASURED, "--steps", str(STEPS), "--run", self.run,
                   "--jsonl", self.lines)
        assert (done.returncode, done.stderr) == (0, b""), done
        return self

    def __exit__(self, *_):
        self.kept.cleanup()

    def path(self, name):
        return os.path.join(self.kept.name, name)


def good(*arguments):
    done = run(*arguments, small=False)
    assert (done.returncode, done.stderr) == (0, b""), done
    return done.stdout


def test_lines_come_back():
    """Byte for byte what --jsonl wrote of the same run."""
    with Recorded() as a:
        with open(a.lines, "rb") as file:
            assert good("export", a.run, "--format", "jsonl") == file.read()
        assert os.listdir(a.kept.name).count("a.nsrun-wal") == 0


def test_table_is_complete():
    """Every value of the lines is in the table, at nine digits or more."""
    with Recorded() as a:
        out = a.path("a.csv")
        good("export", a.run, "--format", "csv", "--out", out)
        with open(out, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found = {(r["lane"], r["step"], r["quantity"], r["index"]): float(r["value"]) for r in rows}
        assert len(found) == len(rows)
        with open(a.lines, encoding="utf-8") as file:
            records = [line for line in map(json.loads, file) if "step" in line]
        assert len(records) == 2 * (STEPS + 1)
        validations = 0
        for line in records:
            at = (str(line["lane"]), str(line["step"]))
            assert found[(*at, "loss", "")] == line["loss"]
            assert found[(*at, "lr", "")] == line["lr"]
            assert found[(*at, "grad-norm", "")] == line["grad_norm"]["total"]
            validations += "validation_loss" in line
            for layer, value in enumerate(line["grad_norm"]["w2"], 1):
                assert found[(*at, "grad-w2", str(layer))] == value
            for layer, value in enumerate(line["hidden_norm"]):
                assert found[(*at, "hidden-norm", str(layer))] == value
            assert ((*at, "token-cosine", "0") in found) == (line["step"] % 7 == 0)
        assert sum(r["quantity"] == "validation-loss" for r in rows) == validations > 0


def records_by_lane(path):
    with open(path, encoding="utf-8") as file:
        lines = [line for line in map(json.loads, file) if "step" in line]
    return {lane: [r for r in lines if r["lane"] == lane] for lane in (1, 2)}


def check_arrays(arrays, lines):
    """Of two lanes, against their JSON lines; arrays: name to (shape, flat list of numbers)."""
    expensive = 0
    for lane, records in records_by_lane(lines).items():
        def array(name, prefix=f"lane{lane}/"):
            return arrays[prefix + name]
        n = len(records)
        for name, of in (("step", lambda r: r["step"]), ("loss", lambda r: r["loss"]),
                         ("lr", lambda r: r["lr"]), ("seconds", lambda r: r["seconds"]),
                         ("grad-norm", lambda r: r["grad_norm"]["total"])):
            assert array(name) == ((n,), [of(r) for r in records]), name
        validations = [r for r in records if "validation_loss" in r]
        assert array("validation-step")[1] == [r["step"] for r in validations] != []
        assert array("validation-loss")[1] == [r["validation_loss"] for r in validations]
        for name, of in (("grad-w2", lambda r: r["grad_norm"]["w2"]),
                         ("hidden-norm", lambda r: r["hidden_norm"])):
            shape, values = array(name)
            assert shape == (n, len(of(records[0]))), shape
            assert [float(f"{v:.9g}") for v in values] == [v for r in records for v in of(r)]
            assert f"lane{lane}/{name}/measured" not in arrays
        shape, values = array("token-cosine")
        measured = array("token-cosine/measured")
        assert shape == measured[0]
        for i, record in enumerate(records):
            here = slice(i * shape[1], (i + 1) * shape[1])
            assert measured[1][here] == [("token_cosine" in record)] * shape[1]
            if "token_cosine" in record:
                expensive += 1
                assert [float(f"{v:.9g}") for v in values[here]] == record["token_cosine"]
        heads = array("head-attention-entropy")[0]
        assert heads[0] == n and len(heads) == 3, heads
    assert expensive > 10


def opened(path):
    """The run as resources/python/normscope_reader.py opens it, and its arrays."""
    try:
        import numpy  # noqa: F401
    except ImportError as missing:
        raise Skip("python3-numpy is not installed") from missing
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../resources/python"))
    from normscope_reader import open_run
    return open_run(path)


def test_reader():
    """Every value in the CSV of the same file is in the arrays, by lane, seed, step, layer and head, and no other."""
    with Recorded() as a:
        runs = opened(a.run)
        assert [(r.lane, r.seed, r.settings["placement"]) for r in runs] == [(1, 1, "post"), (2, 1, "pre")]
        assert runs.experiment.startswith("normscope=") and runs[0].summary["state"] == "finished"
        check_arrays({name: (f.shape, f.ravel().tolist()) for name, f in runs.arrays().items()}, a.lines)
        compare_with_table(a.run, runs)
        assert runs.find(2) is runs[1] and runs[0].index(7) == 7 and "placement=post" in runs.experiment
        for wrong in (lambda: runs.find(3), lambda: runs.find(1, seed=2), lambda: runs[0].index(STEPS + 1),
                      lambda: runs[0]["grad-w9"]):
            try:
                wrong()
                raise AssertionError("found")
            except KeyError:
                pass
        opened_before = sorted(os.listdir(a.kept.name))
        runs = opened(a.run)
        assert sorted(os.listdir(a.kept.name)) == opened_before, os.listdir(a.kept.name)


def compare_with_table(path, runs):
    table = csv.DictReader(good("export", path, "--format", "csv").decode().splitlines())
    records, arrays, seen = {(r.lane, r.seed): r for r in runs}, {}, {}
    for row in table:
        which, key = (int(row["lane"]), int(row["seed"])), row["quantity"]
        record, value, step = records[which], float(row["value"]), int(row["step"])
        if key == "validation-loss":
            found = record.validation_loss[record.validation_steps.tolist().index(step)]
        elif hasattr(record, key.replace("-", "_")):
            found = getattr(record, key.replace("-", "_"))[record.index(step)]
        else:
            place = (*which, key)
            if place not in arrays:
                values = record[key]
                arrays[place] = values.reshape(len(values), -1), record.measured(key).sum()
            first = key.startswith(("hidden", "token-cosine")) or row["index"] == ""
            found = arrays[place][0][record.index(step), int(row["index"] or 0) - (not first)]
            seen[place] = seen.get(place, 0) + 1
            value = struct.unpack("f", struct.pack("f", value))[0]
        assert found == value or (found != found and value != value), (row, found)
    assert seen == {place: n for place, (_, n) in arrays.items()}
    assert {place[2] for place in seen} == {key for r in runs for key in r.keys() if r.measured(key).any()}


def test_reader_of_seeds_and_odd_files():
    """Seeds and layers, heads apart, a run that diverged and one that goes on; no other file is opened."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a b%20?.nsrun")
        done = run("train", "--set", "seeds=2", "--set", "seed=5", "--set", "heads=2", "--set", "probe-every=2",
                   "--set", "lr=100", "--set", "optimizer=sgd", "--steps", "40", "--run", path)
        assert os.path.exists(path), done
        runs = opened(path)
        compare_with_table(path, runs)
        assert [r.seed for r in runs] == [5, 6] and "seed6/loss" in runs.arrays()
        assert any(e["kind"] == "diverged" for e in runs[0].events), runs[0].events
        shape = runs[0]["head-attention-entropy"].shape
        assert shape == (len(runs[0].steps), runs[0].settings["layers"], 2), shape
        for wrong, kind in ((path + "x", FileNotFoundError), (os.path.join(folder, "b.nsrun"), Exception)):
            if kind is Exception:
                with open(wrong, "w", encoding="utf-8") as file:
                    file.write("no database" * 100)
            try:
                opened(wrong)
                raise AssertionError("opened")
            except (FileNotFoundError, ValueError, sqlite3.Error) as error:
                assert kind is Exception or isinstance(error, kind), error


def test_safetensors():
    with Recorded() as a:
        data = good("export", a.run, "--format", "safetensors")
        length, = struct.unpack("<Q", data[:8])
        head = json.loads(data[8:8 + length])
        assert head.pop("__metadata__")["experiment"].startswith("normscope=")
        body, arrays, end = data[8 + length:], {}, 0
        for name, tensor in head.items():
            first, last = tensor["data_offsets"]
            assert first == end, name
            end = last
            code = {"F32": "f", "F64": "d", "I64": "q", "BOOL": "?"}[tensor["dtype"]]
            values = [v for v, in struct.iter_unpack("<" + code, body[first:last])]
            arrays[name] = (tuple(tensor["shape"]), values)
        assert end == len(body)
        check_arrays(arrays, a.lines)


def test_one_lane_of_seeds():
    """What is told apart has it in its name, and nothing else has."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.nsrun")
        assert run("train", "--set", "seeds=2", "--steps", "3", "--run", path).returncode == 0
        data = good("export", path, "--format", "safetensors")
        names = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
        assert "seed1/loss" in names and "seed2/grad-w2" in names, list(names)
        text = sentence(run("export", path, "--format", "nothing", small=False), 2)
        assert "safetensors" in text, text


def test_without_continuations():
    """A file of schema 3 is read, and resumed with continuations from then on."""
    with Recorded() as a:
        db = sqlite3.connect(a.run)
        every = db.execute("SELECT step FROM continuations WHERE lane = 1").fetchall()
        assert every == [(0,), (50,)], every
        db.executescript("DROP TABLE continuations; PRAGMA user_version = 3")
        db.close()
        assert "it continues" not in good("show", a.run).decode()
        good("resume", a.run, "--steps", "100")
        db = sqlite3.connect(a.run)
        every = db.execute("SELECT step FROM continuations WHERE lane = 2").fetchall()
        assert every == [(100,)] and db.execute("PRAGMA user_version").fetchone() == (4,), every
        db.close()


def test_schema():
    """Other programs read it as the header of run_writer.h says."""
    with Recorded() as a:
        db = sqlite3.connect(a.run)
        assert db.execute("PRAGMA application_id").fetchone() == (0x4e735275,)
        assert db.execute("PRAGMA user_version").fetchone() == (4,)
        with open(a.lines, encoding="utf-8") as file:
            records = {(l["lane"], l["step"]): l for l in map(json.loads, file) if "step" in l}
        best = min((l["loss"], step) for (lane, step), l in records.items() if lane == 1)
        assert db.execute(QUERY).fetchone() == (best[1], best[0])
        rows = db.execute("SELECT q.lane, p.first, p.steps, q.size, p.data, p.present "
                          "FROM profiles p JOIN quantities q ON q.id = p.quantity "
                          "WHERE q.key = 'grad-w2'").fetchall()
        seen = 0
        for lane, first, steps, size, data, present in rows:
            values = struct.unpack(f"<{steps * size}f", data)
            assert present is None
            for i in range(steps):
                want = records[lane, first + i]["grad_norm"]["w2"]
                assert [float(f"{v:.9g}") for v in values[i * size:(i + 1) * size]] == want
            seen += steps
        assert seen == len(records)
        db.close()


def test_pandas():
    """The table that the README shows."""
    try:
        import pandas
    except ImportError as missing:
        raise Skip("python3-pandas is not installed") from missing
    with Recorded() as a:
        db = sqlite3.connect(a.run)
        steps = pandas.read_sql(PANDAS, db)
        table = steps.pivot_table(index="step", columns="lane", values="loss")
        db.close()
        assert table.shape == (STEPS + 1, 2) and table.notna().all().all()


def test_chart_of_what_was_recorded():
    with Recorded() as a:
        old, new = a.path("old.csv"), a.path("new.csv")
        figure = ["--figure", "loss,gradient-norm,steps:token-cosine", "--out"]
        trained = run("chart", *LANES, *MEASURED, "--steps", str(STEPS), *figure, old)
        assert trained.returncode == 0, trained
        good("chart", "--from", a.run, *figure, new)
        assert open(old, "rb").read() == open(new, "rb").read()
        # At a step within it.
        for step in (["--step", "20"], ["--step", "20", "--until", "40"]):
            trained = run("chart", *LANES, *MEASURED, *step, "--set", "steps=60", "--figure",
                          "profile:grad-w2", "--out", old)
            good("chart", "--from", a.run, *step, "--figure", "profile:grad-w2", "--out", new)
            assert trained.returncode == 0, trained
            assert open(old, "rb").read() == open(new, "rb").read(), step
        # It is the file that is drawn, and nothing is trained.
        db = sqlite3.connect(a.run)
        db.execute("UPDATE steps SET loss = 1234.5 WHERE lane = 2 AND step = 30")
        db.commit()
        db.close()
        good("chart", "--from", a.run, "--figure", "loss", "--out", new)
        assert ",30,1234.5," in open(new, encoding="utf-8").read()
        # Another experiment is trained.
        assert run("chart", "--from", a.run, "--set", "seed=2", "--figure", "loss", "--out", new,
                   small=False).returncode == 0
        assert ",1234.5," not in open(new, encoding="utf-8").read()
        text = sentence(run("chart", "--from", a.run, "--figure", "loss", "--steps", "61", "--out",
                            new, small=False), 2)
        assert "Step 61 was not recorded" in text, text
        text = sentence(run("chart", "--from", a.run, "--figure", "similarity", "--out", new,
                            small=False), 2)
        assert "--set probe-every=" in text, text


def test_show_and_runs():
    with Recorded() as a:
        shown = good("show", a.run).decode()
        assert f"# lane B: steps 0 to {STEPS}, last training loss " in shown, shown
        assert "[B]\nplacement = pre" in shown and "layers = 2" in shown, shown
        assert "# lane B: at step 0 it continues “" in shown, shown
        assert "# lane B: at step 50 it continues “" in shown, shown
        assert good("show", "--from", a.run).decode() == shown
        sentence(run("show", "--from", a.run, a.run, small=False), 2)
        assert good("show", a.lines).decode() == shown.replace("a.nsrun", "a.jsonl")
        with open(a.path("broken.nsrun"), "wb"):
            pass
        lines, one, other = (json.loads(line) for line in good("runs", a.kept.name, "--json").splitlines())
        assert lines["name"] == "a.jsonl" and lines["loss"] == one["loss"], lines
        assert one["name"] == "a.nsrun" and one["lanes"] == 2 and one["steps"] == STEPS, one
        assert one["bytes"] == os.path.getsize(a.run) and len(one["loss"]) == 2, one
        assert "A: placement=post, B: placement=pre, layers=2" in one["settings"], one
        assert "nothing has been recorded yet" in other["error"], other
        table = good("runs", a.kept.name).decode().splitlines()
        assert len(table) == 4 and table[2].startswith("a.nsrun ") and " 60 " in table[2], table
        assert "error" not in sentence(run("runs", a.path("none"), small=False), 1)
        sentence(run("export", a.run, "--format", "xls", small=False), 2)
        for other, why in (("none", "there is no such file"), (".", "it is a folder")):
            assert why in sentence(run("export", a.path(other), "--format", "csv", small=False), 1)
            assert why in sentence(run("resume", a.path(other), small=False), 1)
        sentence(run("export", a.run, "--format", "csv", "--out", a.run, small=False), 2)


def test_logs_have_the_settings_beside_them():
    """Those that differ are columns, numbers first and paths last, whatever program wrote them."""
    with tempfile.TemporaryDirectory() as folder:
        first = [json.dumps({"config": {"lr": 1e-2, "warmup": 10, "data": {"name": "=wiki"}, "out": "c"}}) + "\n",
                 "", "", ""]
        beside = [
            ("unused.txt", ""),
            ("config.json", '{"lr": 0.001, "warmup": 100, "data": {"name": "books"}, "heads": 4, "out": "a"}'),
            ("hparams.yaml", "# run\nlr: 1.0e-3\nwarmup: 0  # steps\ndata:\n  name: 'books'\nheads: 4\nout: b\n"),
            ("config.yaml", "_wandb:\n  value:\n    t: 1\nlr:\n  desc: null\n  value: 0.01\nwarmup:\n  value: 10\n"
                            "data:\n  value:\n    name: books\nheads:\n  value: 4\nout:\n  value: d\n")]
        for i, (name, text) in enumerate(beside):
            run_folder = os.path.join(folder, f"run{i}")
            os.mkdir(run_folder)
            with open(os.path.join(run_folder, name), "w", encoding="utf-8") as file:
                file.write(text)
            with open(os.path.join(run_folder, "log.jsonl"), "w", encoding="utf-8") as file:
                file.write(first[i] + "".join(json.dumps({"step": s, "loss": 3 - 0.1 * s - i}) + "\n" for s in range(9)))
        out = os.path.join(folder, "runs.csv")
        good("runs", folder, "--csv", out)
        with open(out, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == ["name", "lr", "warmup", "data.name", "out", "steps", "loss", "bytes", "tags", "note",
                           "error"], rows[0]
        assert [row[:6] for row in rows[1:]] == [
            ["run0", "0.01", "10", "'=wiki", "c", "8"], ["run1", "0.001", "100", "books", "a", "8"],
            ["run2", "0.001", "0", "books", "b", "8"], ["run3", "0.01", "10", "books", "d", "8"]], rows
        assert abs(float(rows[2][6]) - 1.2) < 1e-12, rows[2]
        # What the window searches in and the table shows.
        listed = [json.loads(line) for line in good("runs", folder, "--json").splitlines()]
        assert listed[1]["settings"] == "lr=0.001 warmup=100 data.name=books out=a", listed[1]
    with Recorded() as a:
        assert "is a recorded run" in sentence(run("runs", a.kept.name, "--csv", a.run, small=False), 1)


def test_weights_come_back():
    """Training begins with the weights that dump wrote, and with its settings but for those named."""
    with tempfile.TemporaryDirectory() as folder:
        first, again, trained = (os.path.join(folder, name) for name in ("first", "again", "trained"))
        settings = ["--set", "placement=pre", "--set", "lr=1e-2"]
        good("dump", *settings, "--steps", "20", "--out", first)
        weights = [None, None]
        for i, (command, where) in enumerate(((["--steps", "0"], again),
                                              (["--steps", "3", "--set", "lr=1e-4"], trained))):
            done = run("dump", "--checkpoint", first, *command, "--out", where, small=False)
            assert (done.returncode, done.stderr) == (0, b""), done
            weights[i] = open(os.path.join(where, "params.safetensors"), "rb").read()
        assert weights[0] == open(os.path.join(first, "params.safetensors"), "rb").read() != weights[1]
        lines = run("train", "--checkpoint", first, "--steps", "3", "--set", "lr=1e-4", "--jsonl", "-", small=False)
        records = [json.loads(line) for line in lines.stdout.splitlines()]
        assert records[0]["settings"]["placement"] == "pre" and records[0]["settings"]["lr"] == 1e-4, records[0]
        assert records[1]["loss"] == json.load(open(os.path.join(again, "meta.json"), encoding="utf-8"))["loss"]
        assert "does not fit" in sentence(run("train", "--checkpoint", first, "--set", "layers=5", small=False), 2)


def test_seeds():
    """Every seed is recorded, and comes back as lines and as a chart."""
    for command in (["train"], ["compare", *LANES]):
        with tempfile.TemporaryDirectory() as folder:
            path, lines, old, new = (os.path.join(folder, name)
                                     for name in ("a.nsrun", "a.jsonl", "old.csv", "new.csv"))
            words = [*command[1:], *MEASURED, "--set", "seeds=3", "--steps", "40"]
            done = run(command[0], *words, "--run", path, "--jsonl", lines)
            assert (done.returncode, done.stderr) == (0, b""), done
            with open(lines, "rb") as file:
                assert good("export", path, "--format", "jsonl") == file.read()
            figure = ["--figure", "loss,gradient-norm,steps:token-cosine", "--out"]
            trained = run("chart", *words, *figure, old)
            assert trained.returncode == 0, trained
            for file in (path, lines):
                good("chart", "--from", file, *figure, new)
                assert open(old, "rb").read() == open(new, "rb").read(), file
            table = list(csv.DictReader(
                good("export", path, "--format", "csv").decode().splitlines()))
            assert {row["seed"] for row in table} == {"1", "2", "3"}
            shown = good("show", path).decode()
            assert "# lane A, seed 3: steps 0 to 40, " in shown, shown


def test_chart_of_lines():
    """What JSON lines hold is drawn, and nothing is trained; what they do not hold is said."""
    with Recorded() as a:
        old, new, cut = a.path("old.csv"), a.path("new.csv"), a.path("cut.jsonl")
        figure = ["--figure", "loss,gradient-norm,profile:grad-w2,steps:token-cosine", "--out"]
        for step in ([], ["--step", "20"], ["--step", "20", "--until", "40"]):
            good("chart", "--from", a.run, *step, *figure, old)
            good("chart", "--from", a.lines, *step, *figure, new)
            assert open(old, "rb").read() == open(new, "rb").read(), step
        text = sentence(run("chart", "--from", a.lines, "--figure", "loss", "--steps", "61",
                            "--out", new, small=False), 2)
        assert "Step 61 was not recorded" in text, text
        text = sentence(run("chart", "--from", a.lines, "--figure", "similarity", "--out", new,
                            small=False), 2)
        assert "“a.jsonl” does not contain" in text and "--set probe-every=" in text, text
        hint = text.partition("--set ")[2].split()[0]
        good("chart", "--from", a.lines, "--set", hint, "--figure", "similarity", "--out", new)
        # It is the file that is drawn, up to where it is whole.
        with open(a.lines, encoding="utf-8") as file:
            lines = file.readlines()
        third = json.loads(lines[2 + 2 * 3])
        assert (third["lane"], third["step"]) == (1, 3), third
        lines[2 + 2 * 3] = json.dumps({**third, "loss": 1234.5}) + "\n"
        with open(cut, "w", encoding="utf-8") as file:
            file.writelines(lines[:42])
            file.write(lines[42][:30])
        done = run("chart", "--from", cut, "--figure", "loss", "--out", new, small=False)
        assert done.returncode == 0 and b"is cut off in line 43; everything before it is shown, up to step 19." in done.stderr, done
        drawn = open(new, encoding="utf-8").read()
        assert ",3,1234.5," in drawn and ",19," in drawn and ",20," not in drawn


def test_no_lines_no_file():
    """Where the lines cannot be written, nothing is made."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.nsrun")
        sentence(run("train", "--steps", "2", "--run", path, "--jsonl", "/nowhere/a.jsonl"), 1)
        assert os.listdir(folder) == [], os.listdir(folder)
        lines = os.path.join(folder, "a.jsonl")
        for file in (path, lines):
            with open(file, "w", encoding="utf-8") as old:
                old.write("old\n")
        sentence(run("train", "--steps", "2", "--run", path, "--jsonl", lines), 2)
        assert open(lines, encoding="utf-8").read() == "old\n"


def test_ends_by_a_signal():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.nsrun")
        with subprocess.Popen([CLI, "train", *SETTINGS, "--set", "steps=0", "--run", path],
                              stdout=subprocess.DEVNULL) as process:
            # Another program reads it meanwhile, as soon as something was committed.
            until, shown = time.monotonic() + PATIENCE_S, ""
            while "; it is still running or was interrupted" not in shown:
                assert process.poll() is None and time.monotonic() < until, shown
                shown = run("show", path, small=False).stdout.decode()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=PATIENCE_S) == 130
        assert os.listdir(folder) == ["a.nsrun"], os.listdir(folder)
        summary = json.loads(good("export", path, "--format", "jsonl").splitlines()[-1])["summary"]
        assert summary["state"] == "paused" and summary["steps"] > 0, summary


if __name__ == "__main__":
    sys.exit(main(globals()))
