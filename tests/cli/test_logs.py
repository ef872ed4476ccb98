#!/usr/bin/env python3
"""Logs of other programs as these write them: names, steps, formats and folders; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_logs.py NORMSCOPE_CLI
"""

import gzip
import json
import os
import random
import struct
import subprocess
import sys
import time

from test_cli import CLI, main, run, sentence
from test_watch import Folder, add_rows, event, new_project, scalar, write


def read(path, *words):
    """The records of a log, {step: record}, and what was reported; watch, show and chart agree."""
    done = run("watch", path, "--once", "--jsonl", *words, small=False)
    assert done.returncode == 0, done
    records = [json.loads(line) for line in done.stdout.decode().splitlines()]
    found = {r["step"]: r for r in records}
    assert len(found) == len(records), records
    shown = run("show", path, *words, small=False)
    assert shown.returncode == 0 and f"steps {min(found)} to {max(found):,}" in shown.stdout.decode(), shown
    with Folder() as other:
        chart = run("chart", "--from", path, "--figure", "loss", "--out", other("a.csv"), *words, small=False)
        assert chart.returncode == 0, chart
    return found, done.stderr.decode()


def losses(found, key="loss"):
    return {step: round(r[key], 4) for step, r in found.items() if key in r}


def read_text(text, name="log.jsonl", words=()):
    with Folder() as path:
        with open(path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return read(path(name), *words)


def as_csv(rows, separator=","):
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


def test_names():
    """One meaning in tables, lines and event files, with any separator."""
    names = {"train/loss": 3.5, "eval/loss": 3.25, "train/learning_rate": 0.5, "grad_norm": 1.5,
             "grad_norm/w2/1": 1, "grad_norm/w2/2": 2, "hidden_norm/0": 8, "hidden_norm/1": 9, "hidden_norm/2": 10,
             "transformer.h.0.mlp.c_fc.weight/grad_norm": 4, "transformer.h.1.mlp.c_fc.weight/grad_norm": 5,
             "act/layer_0/rms": 6, "act/layer_1/rms": 7, "accuracy": 0.25}
    want = {"step": 7, "loss": 3.5, "validation_loss": 3.25, "lr": 0.5, "seconds": None, "hidden_norm": [8, 9, 10],
            "grad_norm": {"total": 1.5, "w2": [1, 2], "w1": [4, 5]}, "act/rms": [6, 7], "accuracy": 0.25}
    texts = {"a.csv": as_csv([["step", *names], [7, *names.values()]]),
             "b.csv": as_csv([["step", *names], [7, *names.values()]], ";"),
             "c.jsonl": json.dumps({"step": 7, **names}),
             "d.tfevents": b"".join([VERSION, *(scalar(7, *item) for item in names.items())])}
    for name, text in texts.items():
        found, err = read_text(text, name)
        got = found[7]
        assert got == want and err == "", (name, got, err)
    found, err = read_text('{"step":7,"loss":3,"grad_norm/encoder":1.5}\n{"step":8,"loss":3,"grad_norm/encoder":2}\n')
    assert losses(found, "grad-encoder") == {7: 1.5, 8: 2} and err == "", (found, err)
    for context, key in (("{'subset': 'val'}", "metric.context"), ("val", "context.subset"), ("subset=\"val\"", "context")):
        rows = [["metric.name", key, "step", "value"], ["loss", "x", 7, 3], ["loss", '"' + context.replace('"', '""') + '"', 7, 4]]
        found, err = read_text(as_csv(rows), "a.csv")
        assert (found[7]["loss"], found[7]["validation_loss"], err) == (3, 4, ""), (found, err)
    for loss, validation, rate in (("loss/train", "loss/val", "lr"), ("train.loss", "val.loss", "train.lr"),
                                   ("trainLoss", "valLoss", "learningRate"), ("Train Loss", "Dev Loss", "Learning Rate"),
                                   ("train_loss", "valid_loss", "lr-AdamW/pg1"),
                                   ("lm-loss-training/lm loss", "lm-loss-validation/lm loss validation", "learning-rate"),
                                   ("Train/Samples/train_loss", "Eval/loss", "Train/Samples/lr")):
        found, _ = read_text(json.dumps({"iteration": 3, loss: 2.5, validation: 2.25, rate: 0.5, "aux_loss": 9}))
        assert (found[3]["loss"], found[3]["validation_loss"], found[3]["lr"]) == (2.5, 2.25, 0.5), (loss, found)


def test_steps():
    """The names of the step, the epoch in its place, and the order of the records."""
    for name in ("step", "global_step", "_step", "trainer/global_step", "current_steps", "num_updates", "iter",
                 "time/batch", "Step"):
        found, err = read_text("".join(json.dumps({name: s, "loss": 3 - s / 8}) + "\n" for s in (1, 5, 9)))
        assert list(found) == [1, 5, 9] and err == "", (name, found, err)
    found, err = read_text("epoch,loss,val_loss\n0,3,4\n1,2,3\n", "keras.csv")
    assert losses(found) == {0: 3, 1: 2} and losses(found, "validation_loss") == {0: 4, 1: 3}
    assert "its epoch is shown as the step" in err, err
    found, err = read_text('{"loss": 3}\n{"loss": 2}\n')
    assert losses(found) == {0: 3, 1: 2} and "the order of its values is shown" in err, err
    found, err = read_text(b"".join([VERSION, *(scalar(0, "loss", v) for v in (3, 2.5, 2))]), "a.tfevents")
    assert losses(found) == {0: 3, 1: 2.5, 2: 2} and "the order of its values is shown" in err, err
    rows = [{"epoch": e, "step": s, "loss": 4 - e - s / 32} for e in range(3) for s in (0, 8, 16)]
    found, err = read_text("".join(json.dumps(r) + "\n" for r in rows))
    assert list(found) == list(range(0, 72, 8)) and "restart in every epoch" in err, (found, err)
    # All tokens so far are a step, also of a resumed run, but not those of a batch.
    for name in ("tokens", "num_tokens", "train/tokens_seen", "num_input_tokens_seen"):
        seen = [*range(64, 1088, 64), 768, 1152]
        rows = [{"loss": 9 - s / 256, name: s} for s in seen]
        for text in ("".join(json.dumps(r) + "\n" for r in rows), as_csv([rows[0], *(r.values() for r in rows)])):
            found, err = read_text(text, "a.csv" if text[0] == "l" else "a.jsonl")
            assert list(found) == [*range(64, 832, 64), 1152] and "goes back to step 768" in err, found
            assert f"its “{name}” is shown as the step" in err and name not in found[64], err
        found, _ = read_text("".join(json.dumps({name: 64, "loss": v}) + "\n" for v in (3, 2, 1)))
        assert losses(found) == {0: 3, 1: 2, 2: 1} and found[1][name.replace("train/", "")] == 64, found
        found, err = read_text("".join(json.dumps({name: 99 * s, "step": s, "loss": 3}) + "\n" for s in (1, 2)))
        assert losses(found, name.replace("train/", "")) == {1: 99, 2: 198} and err == "", (found, err)
    # A resumed run goes back in epochs, too.
    rows = [{"epoch": s / 100, "step": s, "loss": 4 - s / 100} for s in (50, 100, 150, 100, 150, 200)]
    found, err = read_text("".join(json.dumps(r) + "\n" for r in rows))
    assert list(found) == [50, 100, 150, 200] and "goes back to step 100" in err, err


def test_summary():
    """A mean of the run is no point, and never replaces the loss."""
    lines = [{"loss": 3, "step": 10}, {"loss": 2, "step": 20}]
    for last in ({"train_loss": 2.5, "step": 20}, {"train_loss": 2.5, "step": 20, "train_runtime": 9.5},
                 {"train_loss": 2.5, "step": 30, "train_runtime": 9.5}, {"train_loss": 2.5, "step": 30}):
        found, _ = read_text("".join(json.dumps(r) + "\n" for r in [*lines, last]))
        assert losses(found) == {10: 3, 20: 2}, found
        document = json.dumps({"global_step": 20, "log_history": [*lines, last]}, indent=1)
        assert losses(read_text(document, "trainer_state.json")[0]) == {10: 3, 20: 2}
    # The better name comes later.
    found, err = read_text('{"step":1,"train_loss_epoch":9}\n{"step":2,"train_loss_step":3}\n{"step":3,"train_loss_step":2}\n')
    assert losses(found) == {2: 3, 3: 2} and "replaced by “train_loss_step”" in err, err


def test_late():
    """Lines are grouped by their steps, wherever they are."""
    found, err = read_text('{"step":0,"val_loss":9}\n{"step":1,"loss":5,"a":[1,2]}\n{"step":10,"loss":4}\n'
                           '{"step":30,"loss":3,"a":[5,6]}\n{"step":20,"loss":3.5,"b":[7,8]}\n{"step":10,"val_loss":4.5}\n'
                           '{"step":10,"lr":0.5,"a":[3,4]}\n{"step":40,"loss":2}\n{"step":30,"val_loss":3.25}\n')
    assert losses(found) == {1: 5, 10: 4, 20: 3.5, 30: 3, 40: 2} and err == "", (found, err)
    assert losses(found, "validation_loss") == {10: 4.5, 30: 3.25}
    assert found[10]["lr"] == 0.5 and found[10]["a"] == [3, 4] and found[30]["a"] == [5, 6]
    assert found[20]["b"] == [7, 8] and "a" not in found[20]
    found, err = read_text('{"step":0,"loss":3}\n{"step":0,"grad_norm":2}\n{"step":0,"loss":9,"lr":1}\n{"step":5,"tokens":1}\n')
    assert (found[0]["loss"], found[0]["lr"], found[0]["grad_norm"]["total"]) == (9, 1, 2), found
    assert "Line 3: step 0 comes again" in err and "1 value is not drawn" in err and "tokens" in err, err


def test_tables():
    for text, words in (("\ufeffstep,loss\n0,3\n1,2\n", ""), ('step,loss,note\n0,3,"a, b"\n1,2,"say ""x"""\n', ""),
                        ("step,loss,\r\n0,3,\r\n1,2,\r\n", ""), (",step,loss\n0,0,3\n1,1,2\n", ""),
                        ("step;loss\n0;3,0\n1;2,0\n", "decimal comma"), ("step,loss\n0,3\nstep,loss\n1,2\n", ""),
                        ("Wall time,Step,Value\n1.5,0,3\n2.5,1,2\n", "“Value”"),
                        ('"step"\t"loss"\n"1"\t0\t3\n"2"\t1\t2\n', ""), ("step,loss,step,loss\n0,3,7,9\n1,2,8,9\n", "Two columns are called “step”"),
                        ('"Step","sun-7 - train/loss","sun-7 - train/loss__MIN"\n"0","3","1"\n"1","2","1"\n', "")):
        found, err = read_text(text, "a.csv")
        assert losses(found) == {0: 3, 1: 2} and words in err and bool(words) == bool(err), (text, found, err)
    for rows in (["Schritt;step;loss;Güte", "a;0;3;0.5", "ü;1;2;0.25"], ["step;Güte;loss", "0;0.5;3", "step;Güte;loss", "1;0.25;2"]):
        found, err = read_text("\n".join([*rows, ""]).encode("cp1252"), "a.csv")
        assert losses(found) == {0: 3, 1: 2} and losses(found, "Güte") == {0: 0.5, 1: 0.25}, found
        assert err.count("are read as Windows-1252") == 1 and err.count("\n") == 1, err
    with Folder() as path:
        write(path("a.csv"), ["Step,a - loss,b - loss", "0,3,4", "1,,5", "2,1,", "3,1"])
        done = run("watch", path("a.csv"), "--once", "--jsonl", small=False)
        found = sorted((r["lane"] if "lane" in r else 1, r["step"], r["loss"])
                       for r in map(json.loads, done.stdout.decode().splitlines()))
        assert found == [(1, 0, 3), (1, 2, 1), (2, 0, 4), (2, 1, 5)] and done.stderr.count(b"Line 5") == 1, done


def test_not_finite():
    words = ["nan", "NAN", '"Inf"', "+Infinity", '"-inf"', "1e999", "-nan", '"NaN"', "Infinity"]
    found, err = read_text("".join('{"step":%d,"loss":%s}\n' % item for item in enumerate(words)))
    assert [r["loss"] for r in found.values()] == ["NaN", "NaN", "Infinity", "Infinity", "-Infinity", "Infinity", "NaN",
                                                    "NaN", "Infinity"] and err == "", (found, err)
    found, err = read_text('{"num_updates": "5", "loss": "3"}\n{"train_loss": "9", "train_num_updates": "5"}\n{"num_updates": "7", "loss": "2"}\n'
                           '{"epoch": 1, "valid_loss": "4", "valid_num_updates": "7"}\n')
    assert losses(found) == {5: 3, 7: 2} and losses(found, "validation_loss") == {7: 4}, (found, err)
    found, _ = read_text('{"num_updates": "100", "loss": "3.5", "lr": "0.5", "name": "7"}')
    assert (found[100]["loss"], found[100]["lr"]) == (3.5, 0.5) and "name" not in found[100], found


def test_digits():
    """Numbers are the nearest ones, however they are written."""
    some = random.Random(1)
    words = ["0.1", "-0", "5.", ".5", "1e22", "1e23", "1e-22", "3e-23", "123456789012345", "1234567890123456", "9007199254740993",
             "0.30000000000000004", "1e400", "-1e-400", "1E+05", "0x10", "4.9e-324", "00012.50", "2.5e-05", "1e100"]
    words += [f"{some.uniform(-9, 9):.{some.randrange(18)}{some.choice('feg')}}" for _ in range(300)]
    words += [f"{some.randrange(10 ** some.randrange(1, 17))}e{some.randrange(-40, 40)}" for _ in range(300)]
    found, _ = read_text("step,loss\n" + "".join(f"{step},{word}\n" for step, word in enumerate(words)), "a.csv")
    for step, word in enumerate(words):
        want = float.fromhex(word) if "x" in word else float(word)
        assert float(found[step]["loss"]) == want, (word, found[step])


def test_documents():
    """JSON over several lines, curves as arrays, lines of Python and of text, gzip."""
    rows = [{"step": 0, "loss": 3}, {"step": 1, "loss": 2}]
    for text in (json.dumps(rows), json.dumps(rows, indent=2), json.dumps({"log_history": rows}),
                 json.dumps({"loss": [3, 2], "accuracy": [0, 1]}, indent=1), json.dumps({"loss": [3, 2]}),
                 "".join(f"{r}\n" for r in rows), "some words\n" + "".join(f"{r} 9%|#\n" for r in rows).replace(" 9%|#", ""),
                 "iter 0: loss 3.0, time 3.5ms\niter 1: loss 2.0, time 3.5ms\n",
                 "[2026] step=0 train_loss=3\n[2026] step=1 train_loss=2\n", "# a comment\nstep,loss\n0,3\n1,2\n",
                 '{"step":0,"loss":3}\n{"step":1,"loss":2}\n\0\0\0\0',
                 "Step 0 | loss:3 lr:0.5\nStep 1 | loss:2 lr:0.5\n",
                 " iteration 0/ 9 | lm loss: 3.0E+00 | loss scale: 1.0 |\n iteration 1/ 9 | lm loss: 2.0 | loss scale: 1.0 |\n",
                 gzip.compress("".join(json.dumps(r) + "\n" for r in rows).encode()),
                 '{"step":0,"train":{"loss":3}}\n{"step":1,"train":{"loss":2},"cfg":{"a":"b"}}\n',
                 '{"step":0,"loss":3}\n{"step":1,"loss":2}\n{"step":2,"lo'):
        found, err = read_text(text)
        assert losses(found) == {0: 3, 1: 2}, (text, found, err)
    for text in ('{"global_steps":0,"loss":3}\n{"global_steps":1,"loss":2}\n', '{"history":{"loss":[3,2]}}',
                 "10:00 INFO [step=0/10] train/CrossEntropyLoss=3.0 x=1\n10:01 INFO [step=1/10] train/CrossEntropyLoss=2.0\n",
                 "".join(f"[a] 2025-01-01 00:00:00,000 - root - INFO - step:  {s}  loss:  {3 - s}  tps: 1,234\n" for s in (0, 1))):
        found, err = read_text(text)
        assert losses(found) == {0: 3, 1: 2}, (text, found, err)
    found, _ = read_text("step 5: train loss 3.5, val loss 3.25\nstep 9: train loss 3.0, val loss 3.25\n")
    assert (found[5]["loss"], found[5]["validation_loss"]) == (3.5, 3.25), found


def test_shapes():
    """Tables by column, by row or by name, in JSON and in text, also below other text."""
    rows = [{"step": 5, "loss": 3, "val_loss": 4, "lr": 0.5}, {"step": 9, "loss": 2, "val_loss": 3, "lr": 0.25}]
    names = list(rows[0])
    rest = [{k: v for k, v in r.items() if k != "step"} for r in rows]
    points = [(r["step"], k, v) for r in rows for k, v in r.items() if k != "step"]
    aligned = [f"{'step':<6}{'loss':>10}{'val_loss':>10}{'lr':>6}", *(f"{r['step']:<6}{r['loss']:>10}{r['val_loss']:>10}{r['lr']:>6}" for r in rows)]
    texts = {
        "columns.json": json.dumps({k: {str(i): r[k] for i, r in enumerate(rows)} for k in names}),
        "columns by step.json": json.dumps({k: {str(r["step"]): r[k] for r in rows} for k in names if k != "step"}, indent=1),
        "index.json": json.dumps({str(i): r for i, r in enumerate(rows)}, indent=2),
        "steps.json": json.dumps({str(r["step"]): values for r, values in zip(rows, rest)}),
        "split.json": json.dumps({"columns": names, "index": [0, 1], "data": [list(r.values()) for r in rows]}),
        "points.csv": as_csv([["run", "step", "metric.name", "value"], *(["a", *p] for p in points)]),
        "points.json": json.dumps([{"metricName": k, "metricValue": str(v), "step": s, "runContext": "x"} for s, k, v in points]),
        "points.jsonl": "".join(json.dumps({"tag": k, "step": s, "value": v}) + "\n" for s, k, v in points),
        "frame.txt": "\n".join("  " * (i == 0) + f"{i - 1 if i else ''} " + line for i, line in enumerate(aligned)),
        "below.txt": "a word of text\n\n" + "\n".join(aligned) + "\nsaved\n",
        "ruled.txt": "\n".join([aligned[0], "----  ----  ---- ---", *aligned[1:]]),
        "tabs.txt": "Total steps = 60\n" + as_csv([["Step", "Training Loss", "Validation Loss", "lr"], *(r.values() for r in rows)], "\t"),
        "numpy.dat": "# step loss val_loss lr\n" + as_csv((r.values() for r in rows), " "),
        "mac.csv": as_csv([names, *(r.values() for r in rows)]).replace("\n", "\r"),
        "numpy.csv": "# step,loss,val_loss,lr\n" + as_csv(r.values() for r in rows),
    }
    for name, text in texts.items():
        found, err = read_text(text, name)
        got = losses(found), losses(found, "validation_loss"), losses(found, "lr")
        assert got == ({5: 3, 9: 2}, {5: 4, 9: 3}, {5: 0.5, 9: 0.25}) and err == "", (name, text, got, err)
    found, _ = read_text("10,3\n20,2\n", "a.csv", ("--map", "step=column 1,loss=column 2"))
    assert losses(found) == {10: 3, 20: 2}, found
    spacy = "E    #       LOSS TRANS...  LOSS NER  SCORE \n---  ------  -------------  --------  ------\n  0       5   398.25  3.0  0.5\n  3     200  15.5  2.0  0.5\n"
    found, _ = read_text(f"\033[38;5;4mℹ Using CPU\033[0m\n{spacy}", "a.log", ("--map", "loss=LOSS NER"))
    assert losses(found) == {5: 3, 200: 2} and found[200]["LOSS_TRANS..."] == 15.5, found
    with Folder() as path:
        for epoch in range(11):
            write(path(f"metrics_epoch_{epoch}.json"), [json.dumps({"epoch": epoch, "training_loss": 9 - epoch, "validation_loss": 8}, indent=2)])
        found, _ = read(path(""))
        assert losses(found) == {e: 9 - e for e in range(11)} and losses(found, "validation_loss") == {e: 8 for e in range(11)}, found


def test_printed():
    """What programs print: the step in another line, bars of progress, colors, groups of digits, objects behind words."""
    bar = "\r {0:2d}%|██▏   | {0}/100 [00:12<01:30,  3.31it/s]"
    cases = {
        # Trainers print an object after their bar; the bar of an evaluation counts something else.
        "".join(bar.format(s - 1) + bar.format(s) + f"\r{{'loss': {v}, 'epoch': 0.{s}}}\n" for s, v in ((5, 3), (9, 2)))
        + "\r 50%|██   | 2/4 [00:12<01:30]\n{'eval_loss': 4, 'epoch': 0.9}\n": ({5: 3, 9: 2}, {9: 4}),
        "".join(bar.format(s) + f"[00:30<00:40,  3.31it/s, loss={v}]" for s, v in ((5, 3), (9, 2))) + "\n": ({5: 3, 9: 2}, {}),
        "".join(f"Epoch {e}/2\n1/9 [>....] - ETA: 2s - loss: 9.5" + 3 * "\b" + f"\r9/9 [====] - 1s 9ms/step - loss: {4 - e} - "
                f"accuracy: 0.5 - val_loss: {5 - e}\n" for e in (1, 2)): ({1: 3, 2: 2}, {1: 4, 2: 3}),
        "".join(f"01:02 | INFO | inner | {json.dumps({'num_updates': str(s), 'loss': str(v)})}\n" for s, v in ((5, 3), (9, 2)))
        + '01:03 | INFO | valid | {"valid_loss": "4"}\n': ({5: 3, 9: 2}, {9: 4}),
        "".join(f"| INFO | train | epoch 001: {s} / 99 loss={v}, num_updates={s}\n" for s, v in ((5, 3), (9, 2)))
        + "| INFO | valid | epoch 001 | valid on 'valid' subset | loss 4 | nll_loss 3.5 | num_updates 9\n": ({5: 3, 9: 2}, {9: 4}),
        " iteration 5/ 9 | consumed samples: 64 | lm loss: 3.0E+00 |\n iteration 9/ 9 | consumed samples: 99 | lm loss: 2 |\n"
        " validation loss at iteration 9 | lm loss value: 4 | lm loss PPL: 54 |\n": ({5: 3, 9: 2}, {9: 4}),
        "".join(f"\033[32m12:00:01,5 - INFO - \033[1mstep: {s}  \033[38;2;1;2;3mloss:  {v}  tps: 1,234\033[0m\n"
                for s, v in ((5, 3), (9, 2))): ({5: 3, 9: 2}, {}),
        "".join(f"01:02 host:0 run.train:816 INFO [step={s}/900,epoch=0]\n    train/CrossEntropyLoss={v}\n    optim/total_grad_norm=1.5\n"
                for s, v in ((5, 3), (9, 2))): ({5: 3, 9: 2}, {}),
        "s:5 tel:4\ns:5 trl:3 lr:0.5\ns:9 trl:2 lr:0.5\n": ({5: 3, 9: 2}, {5: 4}),
        "5 val 4.0\n5 hella 0.25\n5 train 3.0\n9 train 2.0\n": ({5: 3, 9: 2}, {5: 4}),
        "step 5/99 | loss 3 (+nanz)| norm 1 | 9 ms\nval loss 4\nstep 9/99 | loss 2 (+nanz)| norm 1 | 9 ms\n": ({5: 3, 9: 2}, {5: 4}),
        "[01:02] Ep. 1 : Up. 5 : Sen. 6,400 : Cost 3 : gNorm 1.5 : L.r. 0.5\n[01:02] Ep. 1 : Up. 9 : Sen. 9,400 : Cost 2\n"
        "[01:03] [valid] Ep. 1 : Up. 9 : cross-entropy : 4 : new best\n": ({5: 3, 9: 2}, {9: 4}),
        "{'step': 5, 'loss': tensor(3., device='cuda:0', grad_fn=<NllLossBackward0>)}\n{'step': 9, 'loss': np.float64(2)}\n":
            ({5: 3, 9: 2}, {}),
        "iter 5 | loss train: 3, val: n/a | iter time: 12 ms\niter 9 | loss train: 2, val: 4 | iter time: 12 ms\n": ({5: 3, 9: 2}, {9: 4}),
        "# Model\n\n| Training Loss | Epoch | Step | Validation Loss |\n|:---:|:---:|:---:|:---:|\n| No log | 0.1 | 1 | 5 |\n"
        "| 3 | 0.5 | 5 | 4 |\n| 2 | 0.9 | 9 | 3 |\n\n### Versions\n- one 1.0\n": ({5: 3, 9: 2}, {5: 4, 9: 3}),
    }
    # Steps that restart in every epoch, with the numbers in brackets, with units, as ranges, or behind a logger's name.
    for head, line, result in (
            ("", "[x] INFO: {e}epoch:train:{a}-{s}batch: acc=0.5, loss={v}, optim0_lr0=0.5", "[x] INFO: {e}epoch results: [train] loss=9, [valid] loss={w}"),
            ("", "Train: {e} [{s:4d}/99 ( 5%)]  Loss: {v} ({v})  LR: 0.5", "Test: [ {s}/99]  Loss: {w} ({w})"),
            ("", "01-01 - mm - INFO - Epoch(train)  [{e}][ {s}/99]  lr: 0.5  loss: {v}", "01-01 - mm - INFO - Epoch(val)  [{e}][{s}/99]  loss: {w}"),
            ("", "Train: [{e}/9][{s}/99]\tlr 0.5\tloss {v} (9.5)", "Validation Epoch: {e} loss={w}"),
            ("", "Epoch: [{e}][ {s}/99]\tTime  1.5 ( 1.5)\tLoss {v} (9.5) lr=0.5", "Epoch: [{e}] validation: loss={w}"),
            ("", "2025 - root - [Epoch {e} Batch {s}/99] loss={v}, lr=0.5", "2025 - root - [Epoch {e}] val_loss={w}"),
            ("", "INFO:root:Epoch[{e}] Batch [{a}-{s}]\tSpeed: 9.5 samples/sec\tcross-entropy={v} lr=0.5", "INFO:root:Epoch[{e}] Validation-cross-entropy={w}"),
            ("Epoch {e}", "step {s} loss {v} lr 0.5", "eval metrics after step: {s}, loss={w}"),
            ("Epoch {e}/9", "Train Metrics (step {s}) - Loss: {v} | lr: 0.5", "Validation Metrics (step {s}) - Loss: {w}")):
        text = "".join(words.format(e=e, a=s - 4, s=s, v=8 - e - s / 10, w=9 - e) + "\n" for e in (1, 2)
                       for words, s in ((head, 5), (line, 5), (line, 10), (result, 10)))
        cases["a word\n" + text] = {5: 6.5, 10: 6, 15: 5.5, 20: 5}, {10: 8, 20: 7}
    cases["I01 10:00:00.5 7 writer.py:48] [5] loss=3, lr=0.5\nI01 10:00:00.5 7 writer.py:48] [9] loss=2\n"] = {5: 3, 9: 2}, {}
    bar = "INFO :: Progress on:{} {}it/{} rate:2.5it/s remaining:2:11:05 elapsed:01:40 postfix:loss={}\n"
    cases[bar.format("train", "5.0", "20.0kit", 3) + bar.format("train", "1.01k", "20.0kit", 2) + bar.format("train", "1.01k", "20.0kit", 9)
          + bar.format("eval", "20.0", "64.0it", 8) + "INFO :: validation loss: 4\n"] = {5: 3, 1010: 2}, {1010: 4}
    table = "-----\n| time/ | |\n|    total_timesteps | {0:<9}|\n| train/ | |\n|    loss | {1:<9}|\n-----\n"
    cases[table.format(5, 3) + table.format(9, 2)] = {5: 3, 9: 2}, {}
    cases["I0101 10:00:00.5 7 a.py:48] step 5 loss 3\nstep 9 loss 2\nstep 9 | Validation bpb: 1.5\n"] = {5: 3, 9: 2}, {}
    cases['{"event": "train", "step": 5, "loss": 3}\n{"event": "eval", "step": 5, "loss": 4}\n{"event": "train", "step": 9, "loss": 2}\n'] = {5: 3, 9: 2}, {5: 4}
    cases["INFO:tensorflow:loss = 3, step = 5\nINFO:tensorflow:loss = 2, step = 9 (1.5 sec)\n"] = {5: 3, 9: 2}, {}
    cases["epoch: 1, steps: 5, optimizer: Adam - train loss: 3 - valid loss: 4\nepoch: 2, steps: 9, optimizer: Adam - train loss: 2\n"] = {5: 3, 9: 2}, {5: 4}
    for text, (training, validation) in cases.items():
        found, err = read_text(text, "log.txt")
        got = losses(found), losses(found, "validation_loss")
        assert got == (training, validation) and "JSON" not in err, (text, got, err)
        assert "I0101" not in found[min(found)] and ("bpb" not in text or found[9]["Validation_bpb"] == 1.5), found
        assert "Epoch: [" not in text or losses(found, "lr") == {s: 0.5 for s in training}, (text, found)
    found, _ = read_text("".join(f"[x] step={s}, skipped=0, lr=[{r}], mom=[(0.9, 0.95)]\nsteps: {s} loss: {v}\n" for s, r, v in
                                 ((5, 0.5, 3), (9, 0.25, 2))), "a.log")
    assert losses(found, "lr") == {5: 0.5, 9: 0.25}, found
    found, _ = read_text("step 5: loss 3, lr 0.5, tokens 1,234,567, rate 1,234\nstep=6, lr=[0.25, 0.25]\nloss: 2 of step 6\n", "log.txt")
    assert found[5]["tokens"] == 1234567 and found[5]["rate"] == 1234 and (found[6]["lr"], found[6]["loss"]) == (0.25, 2), found


def test_launchers():
    """Several processes write one text: the first is shown.  A number before an object without a place is its step."""
    for label in ("{0}: ", " {0}: ", "[1,{0}]<stdout>:", "[rank{0}]: ", "[default{0}]:", "worker-{0}: "):
        lines = ('{{"step": {s}, "loss": {v}}}', "{{'loss': {v}, 'step': {s}}}", "step {s}: loss {v}, time 3ms")
        for line in lines[:2 if "worker" in label else 3]:
            text = "".join(label.format(r) + line.format(s=s, v=v + r) + "\n" for s, v in ((5, 3), (9, 2)) for r in (0, 1))
            found, err = read_text(text, "a.log")
            assert losses(found) == {5: 3, 9: 2} and err.endswith("2 lines of other processes are left out.\n"), (text, found, err)
    for line in ("{s}: {{'loss': {v}}}", "{s}: loss {v}", "step{s}: {{'loss': {v}}}"):
        found, err = read_text("".join(line.format(s=s, v=v) + "\n" for s, v in ((5, 3), (9, 2))), "a.log")
        assert (losses(found) == {5: 3, 9: 2} or line[1] == "t") and len(found) == 2 and "left out" not in err, (found, err)


def test_only_validation():
    """A log without a training loss shows that of validation, until there is one; a script is no log."""
    source = "".join(f"    x = f'{i}'\n" for i in range(40))
    text = source + "".join(f"step:{s}/9 train_time:{s}ms\n" + f"step:{s}/9 val_loss:{9 - s / 4} train_time:9ms\n" * (s % 4 == 0) for s in range(9))
    found, err = read_text(text, "a.txt")
    assert losses(found) == {0: 9, 4: 8, 8: 7} and not losses(found, "validation_loss") and err.count("“val_loss” is shown in its place") == 1, (found, err)
    found, err = read_text("step,val_loss\n0,4\n9,3\n", "a.csv")
    assert losses(found) == {0: 4, 9: 3} and "There is no training loss" in err, (found, err)
    with Folder() as path:
        write(path("train.py"), ["import torch", "print({'loss': 2.5, 'step': 1})", "print(\"step 1: loss 3\")"])
        write(path("a.md"), ["Some words.", "It prints {'loss': 2.5, 'step': 1} then."])
        assert b"no runs" in run("runs", path(""), small=False).stdout
        assert "neither a figure, a run" in sentence(run("show", path("train.py"), small=False), 1)


def test_curves_and_documents():
    """Curves beside their steps; a document in one line; tables with an empty cell, also below a bar."""
    rows = [{"step": 5, "loss": 3, "val_loss": 4}, {"step": 9, "loss": 2, "val_loss": 3}]
    points = [{"key": k, "value": r[k], "step": r["step"], "timestamp": 7} for r in rows for k in ("loss", "val_loss")]
    curves = {"loss": {"train": {"name": "a", "x": [5, 9], "y": [3, 2]}, "validation": {"name": "b", "x": [5, 9], "y": [4, 3]}}}
    series = {k: {"steps": [5, 9], "values": v, "timestamps": ["a", "b"]} for k, v in (("training.loss", [3, 2]), ("validation.loss", [4, 3]))}
    fields = [{"name": k, "type": "number"} for k in ("index", "step", "loss", "val_loss")]
    for document in (curves, series, {"metrics": points}, {"schema": {"fields": fields}, "data": rows}):
        for indent in (None, 1):
            found, err = read_text(json.dumps(document, indent=indent), "a.json")
            assert losses(found) == {5: 3, 9: 2} and losses(found, "validation_loss") == {5: 4, 9: 3} and err == "", (found, err)
    found, err = read_text(json.dumps({"model": [{"size": 8}]}) + "\n" + "".join(json.dumps(r) + "\n" for r in rows))
    assert losses(found) == {5: 3, 9: 2} and "Line 1: it has no step" in err, err
    text = ("iteration   main/loss   validation/main/loss  elapsed_time\n\033[J5           3           4                     1.5\n"
            "\033[J     total [###...]  3.33%\n100 iter, 0 epoch / 20 epochs\n  38.5 iters/sec. to finish\n"
            "\033[4A\033[J7           2.5                               2.5\n9           2           3                     3.5\n")
    found, err = read_text(text, "log.txt")
    assert losses(found) == {5: 3, 7: 2.5, 9: 2} and losses(found, "validation_loss") == {5: 4, 9: 3} and "skipped" not in err, (found, err)


def test_parts():
    """One loss of several is shown where there is no whole one; what is no part of it is not."""
    rows = [{"Step": s, "CTC Loss": 5 - s, "train/att_loss": 7, "val/ctc_loss": 4} for s in (1, 2)]
    for text in ("".join(json.dumps(r) + "\n" for r in rows), as_csv([rows[0], *(r.values() for r in rows)])):
        found, err = read_text(text, "a.csv" if text[0] == "S" else "a.jsonl")
        assert losses(found) == {1: 4, 2: 3} and losses(found, "validation_loss") == {1: 4, 2: 4}, (found, err)
        assert found[2]["att_loss"] == 7 and "“CTC Loss” is shown as the training loss" in err, (found, err)
    found, err = read_text('{"step":0,"ctc_loss":9}\n{"step":1,"ctc_loss":8,"loss":3}\n{"step":2,"ctc_loss":7}\n{"step":3,"loss":2,"val_ctc_loss":1}\n')
    assert losses(found) == {1: 3, 3: 2} and losses(found, "ctc_loss") == {1: 8} and "replaced by “loss”" in err, (found, err)
    assert found[3]["val_ctc_loss"] == 1 and "validation_loss" not in found[3], found
    with Folder() as path:
        for name in ("loss_scale", "aux_loss", "weight_loss", "time_of_loss"):
            write(path("a.jsonl"), [json.dumps({"step": 0, name: 3})])
            assert f"has step, {name}" in sentence(run("watch", path("a.jsonl"), "--once", small=False), 1), name


def test_words():
    """The words and marks around numbers in printed lines."""
    batches = [(e, b, 9 - e - b / 100) for e in (0, 1) for b in (0, 100, 200)]
    cases = {
        # An epoch and a batch of it; the batches of an evaluation are none of training.
        "".join(f"07,107 DEBUG TRAIN Batch {e}/{b} loss {v} loss_ctc 7 lr 0.5 rank 0\n" for e, b, v in batches[:3])
        + "07,107 DEBUG CV Batch 0/0 loss 6.5 history loss 6.25 rank 0\n07,107 DEBUG CV Batch 0/100 loss 6 rank 0\n"
        + "07,107 INFO Epoch 0 CV info cv_loss 6.75\n"
        + "".join(f"07,107 DEBUG TRAIN Batch {e}/{b} loss {v} loss_ctc 7 lr 0.5 rank 0\n" for e, b, v in batches[3:])
        + "07,108 DEBUG CV Batch 1/0 loss 5.5 rank 0\n07,108 DEBUG CV Batch 1/100 loss 5.25 rank 0\n":
            ({0: 9, 100: 8, 200: 7, 300: 8, 400: 7, 500: 6}, {200: 6.75, 500: 5.25}),
        "step 5 loss 3\nValidation: 50%|# | 1/2 [00:01<00:01, loss=6]\nValidation: 100%|##| 2/2 [00:02<00:00, loss=4]\nstep 9 loss 2\n":
            ({5: 3, 9: 2}, {5: 4}),
        "step 5 loss 3\nval loss 4\ntest loss 6\nstep 9 loss 2\n": ({5: 3, 9: 2}, {5: 4}),
        # A mean of an epoch is no point.
        "".join(f"10:00 | INFO | train_inner | epoch 001: {s} / 9 loss={v}, num_updates={s}, lr=0.5\n" for s, v in ((5, 3), (9, 2)))
        + "10:00 | INFO | train | epoch 001 | loss 2.75 | num_updates 10 | lr 0.5\n": ({5: 3, 9: 2}, {}),
        "10:00 | INFO | train | epoch 001 | loss 3 | num_updates 5\n10:00 | INFO | train | epoch 002 | loss 2 | num_updates 9\n": ({5: 3, 9: 2}, {}),
        "[5] loss 3\n[9] loss 2\n": ({5: 3, 9: 2}, {}),
        # Two processes; two counters, of which a validation names the other one.
        "".join(f"[rank{r}]: step {s} loss {v + r}\n" for r in (0, 1) for s, v in ((5, 3), (9, 2))): ({5: 3, 9: 2}, {}),
        "iter 20 step 5 | loss train: 3\niter 36 step 9 | loss train: 2\niter 36: val loss 4\n": ({5: 3, 9: 2}, {9: 4}),
        "[10:00:01] step 5 loss 3\n[10:00:02] step 9 loss 2\n": ({5: 3, 9: 2}, {}),
        "[5 | 20.5] loss=3 avg=3.25\n[9 | 40.5] loss=2 avg=2.75\n": ({5: 3, 9: 2}, {}),
        "".join(f"Step {s:6}: Ran 4 train steps in 9.5 secs\nStep {s:6}: train CrossEntropyLoss |  {v}\nStep {s:6}: eval  CrossEntropyLoss |  {v + 1}\n"
                for s, v in ((5, 3), (9, 2))): ({5: 3, 9: 2}, {5: 4, 9: 3}),
        "".join(f"{e}/2 * Epoch (train): 100% 9/9 [00:01<00:00, 9.9it/s]\n* Epoch {e} (train): loss: {4 - e} | lr: 0.5\n* Epoch {e} (valid): loss: {5 - e}\n"
                for e in (1, 2)): ({1: 3, 2: 2}, {1: 4, 2: 3}),
        "Train: 0 [ 5/99 ( 5%)]  Loss: 3\nTrain: 0 [ 9/99 ( 9%)]  Loss: 2\nTest: [ 1/48]  Loss: 4 (4)\n": ({5: 3, 9: 2}, {9: 4}),
        # An evaluation over batches belongs to the last step of its epoch; the mean of its batches is in parentheses.
        "".join(f"Epoch: [{e}][ {s}/99] Loss {8 - e - s / 10} (9.5)\n" + (s == 10) * f"Test: [ 0/48] Loss 6 (6)\nTest: [47/48] Loss 6.5 ({9 - e})\n"
                for e in (1, 2) for s in (5, 10)): ({5: 6.5, 10: 6, 15: 5.5, 20: 5}, {10: 8, 20: 7}),
        # The step after “at” or “after”, with or without the number that was measured there.
        "Average loss at step 5: 3\nAverage loss at step  9 :  2.0\n": ({5: 3, 9: 2}, {}),
        "completed step: 5, loss: 3\ncompleted step: 9, loss: 2\nCompleted eval step 0\naverage loss after step=9: eval_loss=4, weights=1.5\n": ({5: 3, 9: 2}, {9: 4}),
        "5: loss=3 current_lr=0.5\n9: loss=2 current_lr=0.5\n": ({5: 3, 9: 2}, {}),
        "".join(f"[default{r}]: step {s} loss {v + r}\n" for r in (0, 1) for s, v in ((5, 3), (9, 2))): ({5: 3, 9: 2}, {}),
        "| epoch 1 |   5/ 2983 batches | lr 0.5 | loss 3\n| epoch 1 |   9/ 2983 batches | lr 0.5 | loss 2\n"
        "| end of epoch 1 | time: 9s | valid loss 4\n": ({5: 3, 9: 2}, {9: 4}),
        "Step 5: {'loss': 3, 'lr': 0.5}\nStep 9: {'loss': 2, 'lr': 0.5}\n": ({5: 3, 9: 2}, {}),
        'time="2026" level=info msg="train" step=5 loss=3\nlevel=info step=9 loss=2\nlevel=info split=val step=9 loss=4\n': ({5: 3, 9: 2}, {9: 4}),
        "Epoch 1, Step: 5, Batch Loss: 3, Lr: 0.5\nEpoch 1, Step: 9, Batch Loss: 2, Lr: 0.5\n"
        "Evaluation result (greedy): bleu: 1.5, loss: 4\n": ({5: 3, 9: 2}, {9: 4}),
        "5 | loss 3 | lr 0.5 | 9.5ms\n9 | loss 2 | lr 0.5 | 9.5ms\n": ({5: 3, 9: 2}, {}),
        "epoch 1 iter 5: train loss 3.0000. lr 5e-01:   1%|1  | 6/99 [00:10]\nepoch 1 iter 9: train loss 2.0. lr 5e-01: 1%|1  | 10/99 [00:10]\n": ({5: 3, 9: 2}, {}),
        "Train Epoch: 1 [5/600 (1%)]\tLoss: 3\nTrain Epoch: 1 [9/600 (2%)]\tLoss: 2\nTest set: Average loss: 4, Accuracy: 9/10 (90%)\n": ({5: 3, 9: 2}, {9: 4}),
    }
    for text, want in cases.items():
        found, err = read_text(text, "log.txt")
        assert (losses(found), losses(found, "validation_loss")) == want, (text, found, err)
    found, err = read_text("".join(f"\r{s}%|# | {s}/60 [00:12]\n{{'loss': {v}, 'epoch': {s / 100}}}\n" for s, v in ((5, 3), (9, 2)))
                           + "{'train_runtime': 9.5, 'train_loss': 2.5, 'epoch': 1.0}\n", "log.txt")
    assert losses(found) == {5: 3, 9: 2} and "restart" not in err, (found, err)
    for text, lr in (("step 5/9 | loss 3 (+nanz)| norm 1.5 (+nanz)| lr 0.5 | 9 ms\n", 0.5), ("Up. 5 : Cost 3 * 2,345 @ 12 : Time 12s : 210 words/s : gNorm 1.5 : L.r. 0.5\n", 0.5),
                     ("[step=5/9]\n    train/loss=3\n    optim/LR (group 0)=0.5\n    optim/total grad norm=1.5\n", 0.5)):
        found, _ = read_text(text + text.replace("5", "6", 1), "log.txt")
        assert found[5]["lr"] == lr and found[5]["grad_norm"]["total"] == 1.5 and not {"*", "@", "/"} & set(found[5]), found
    found, err = read_text('{"loss": 3, "global_step/max_steps": "5/99"}\n{"loss": 2, "global_step/max_steps": "9/99"}\n')
    assert losses(found) == {5: 3, 9: 2} and err == "", (found, err)
    rows = [{"step": 5, "metrics": {"loss": 3, "lr": 0.5, "grad_norm": 1.5}}, {"training_iteration": 9, "metrics": {"loss": 2}, "loss_timestamp": 17e8}]
    found, err = read_text("".join(json.dumps(r) + "\n" for r in rows))
    assert losses(found) == {5: 3, 9: 2} and (found[5]["lr"], found[5]["grad_norm"]["total"]) == (0.5, 1.5), (found, err)
    assert "loss_timestamp" not in found[9], found
    found, err = read_text('metric.name,context,step,value\n' + "".join(f'loss,"{{""subset"": ""{w}""}}",5,{v}\n' for w, v in (("train", 3), ("val", 4))), "a.csv")
    assert losses(found) == {5: 3} and losses(found, "validation_loss") == {5: 4}, (found, err)


def test_splits():
    """A word beside the numbers says which are those of validation."""
    for name, word in (("split", "val"), ("mode", "eval"), ("phase", "Test"), ("stage", "validation")):
        rows = [{name: w, "step": s, "loss": s + v, "acc": v} for s in (1, 2) for w, v in (("train", 0.5), (word, 0.25))]
        for text in ("".join(json.dumps(r) + "\n" for r in rows), as_csv([rows[0], *(r.values() for r in rows)])):
            found, err = read_text(text, "a.jsonl" if text[0] == "{" else "a.csv")
            assert losses(found) == {1: 1.5, 2: 2.5} and losses(found, "validation_loss") == {1: 1.25, 2: 2.25}, (found, err)
            assert losses(found, "acc") == {1: 0.5, 2: 0.5} and err == "", (found, err)


def test_map():
    """Columns that have no known names, also by layer."""
    text = "t,objective,x/block-1-rms,x/block-2-rms\n0,3,1,2\n5,2,3,4\n"
    with Folder() as path:
        write(path("a.csv"), [text.strip()])
        found, _ = read(path("a.csv"), "--map", "loss=objective,step=t,layer='x/block-{l}-rms'")
        assert losses(found) == {0: 3, 5: 2} and [v for k, v in found[5].items() if k == "x-rms"] == [[3, 4]], found
        for words in ("loss", "loss=", "lose=a", "layer=a"):
            sentence(run("watch", path("a.csv"), "--once", "--map", words, small=False), 2)
        # It is remembered for logs with the same columns, however many layers they have.
        write(path("d.csv"), ["objective,t,x/block-1-rms", "4,1,5"])
        found, err = read(path("d.csv"))
        assert losses(found) == {1: 4} and found[1]["x-rms"] == [5] and "read as chosen before: loss=objective" in err
        piped = run("watch", "-", small=False, input=b'{"objective":4,"t":1,"x/block-1-rms":5}\n')
        assert piped.returncode == 0 and b"chosen before" in piped.stderr, piped
        write(path("e.csv"), ["objective,t,other", "4,1,5"])
        assert "has objective, t, other" in sentence(run("show", path("e.csv"), small=False), 1)
        found, _ = read(path("e.csv"), "--map", "loss=other,step=t,none=objective")
        assert losses(found) == {1: 5} and list(found[1]) == ["step", "loss", "lr", "seconds", "grad_norm"], found
        sentence(run("show", path("e.csv"), "--map", "auto", small=False), 1)
        sentence(run("show", path("e.csv"), small=False), 1)
        assert "no column “foo”; it has objective, t, other." in sentence(run("show", path("e.csv"), "--map", "loss=foo", small=False), 1)
        for name in ("foo", "foo/{l}"):
            _, err = read(path("e.csv"), "--map", f"loss=other,step=t,{'layer' if '{' in name else 'lr'}={name}")
            assert f"no column “{name}”; there are objective, t, other." in err, err
        sentence(run("show", path("e.csv"), "--map", "auto", small=False), 1)
        write(path("b.jsonl"), ['{"step":0,"reward":3}'])
        assert "has step, reward" in sentence(run("watch", path("b.jsonl"), "--once", small=False), 1)
        write(path("c.jsonl"), ["version https://git-lfs.github.com/spec/v1", "oid sha256:0", "size 9"])
        for words in (["watch", path("c.jsonl"), "--once"], ["show", path("c.jsonl")],
                      ["chart", "--from", path("c.jsonl"), "--figure", "loss", "--out", path("a.svg")]):
            assert "git lfs pull" in sentence(run(*words, small=False), 1)


def test_list():
    """Logs are listed like run files; other files are not."""
    with Folder() as path:
        for i in range(20):
            write(path(f"run{i:02}.csv"), ["step,train_loss", "0,9", f"{i + 1},{i / 8}"])
        os.mkdir(path("events"))
        with open(path("events/a.tfevents.1"), "wb") as file:
            file.write(VERSION + scalar(7, "loss", 2.5))
        write(path("notes.txt"), ["notes"])
        write(path("header.csv"), ["step,loss"])
        for name, lines in {"people.csv": ["age,height", "12,150", "13,155"], "steps.csv": ["step,who", "1,2"], "answers.jsonl": ['{"answer":3}'],
                            "config.json": ['{"layers":3,"lr":0.5,"steps":100}'], "words.csv": ["loss,mean", "a,b"],
                            "README.md": ["# Models", "", "| model | loss |", "|---|---|", "| 1 | 3.5 |", "| 2 | 2.5 |"]}.items():
            write(path(name), lines)
        rows = [json.loads(line) for line in run("runs", path(""), "--json", small=False).stdout.decode().splitlines()]
        found = {r["name"]: (r["steps"], r["loss"]) for r in rows if "error" not in r}
        assert found == {"events": (7, [2.5]), **{f"run{i:02}.csv": (i + 1, [i / 8]) for i in range(20)}}, found
        assert [r["name"] for r in rows if "error" in r] == ["header.csv"], rows
        assert "has age, height." in sentence(run("show", path("people.csv"), small=False), 1)
        for words in ((), ("--jsonl",)):
            sentence(run("watch", path("header.csv"), "--once", *words, small=False), 1)


def message(*fields):
    """A message of Protocol Buffers; a field is (number, bytes, text, message or float)."""
    out = b""
    for number, value in fields:
        if isinstance(value, float):
            out += bytes([number << 3 | 1]) + struct.pack("<d", value)
        elif isinstance(value, bool):
            out += bytes([number << 3, value])
        else:
            value, n = value.encode() if isinstance(value, str) else value, b""
            length = len(value)
            while length > 127:
                n, length = n + bytes([length & 127 | 128]), length >> 7
            out += bytes([number << 3 | 2]) + n + bytes([length]) + value
    return out


def text_summary(tag, text):
    return event(message((5, message((1, message((1, tag), (9, message((1, message((1, "text"))))),
                                                 (8, b"\x08\x07" + message((8, text)))))))))


def hyperparameters(**settings):
    kinds = {float: 2, str: 3, bool: 4}
    pairs = [(1, message((1, k), (2, message((kinds[type(v)], v))))) for k, v in settings.items()]
    content = message((3, message(*pairs)))
    plugin = message((1, "hparams"), (2, content))
    return event(message((5, message((1, message((1, "_hparams_/session_start_info"), (9, message((1, plugin)))))))))


def pairs_of(row):
    return dict(pair.split("=") for pair in row["settings"].split())


def test_settings():
    """Settings in event files, and in names of files and folders, are columns where they differ."""
    table = "|param|value|\n|-|-|\n|lr|%g|\n|decay|0.1|"
    kinds = [lambda i: hyperparameters(lr=i / 8, note="a" * i, deep=i > 1, decay=0.1),
             lambda i: text_summary("args/text_summary", json.dumps({"lr": i / 8, "note": "a" * i, "deep": i > 1}, indent=2)) +
             text_summary("model_config/text_summary", json.dumps({"width": 64 * i, "decay": 0.1})),
             lambda i: text_summary("hyperparameters/text_summary", table % (i / 8)),
             lambda i: text_summary("lr/text_summary", str(i / 8)) + text_summary("decay/text_summary", "0.1")]
    for kind, make in enumerate(kinds):
        with Folder() as path:
            for i in (1, 2):
                os.mkdir(path(f"{'ab'[i - 1]}"))
                with open(path(f"{'ab'[i - 1]}/a.tfevents.1"), "wb") as file:
                    file.write(VERSION + make(i) + scalar(1, "loss", 3) + scalar(2, "loss", 2))
            rows = [json.loads(line) for line in run("runs", path(""), "--json", small=False).stdout.decode().splitlines()]
            want = [{"lr": str(i / 8), **({"note": "a" * i, "deep": str(i > 1).lower()} if kind < 2 else {}),
                     **({"width": str(64 * i)} if kind == 1 else {})} for i in (1, 2)]
            assert [pairs_of(r) for r in rows] == want, (kind, rows)
    names = {"lr_1e-3_seed_2.jsonl": {"lr": "0.001", "seed": "2"}, "lr=1e-2,seed=2,opt=adam.csv": {"lr": "0.01", "seed": "2", "opt": "adam"},
             "run_7_weight_decay_0.5": {"weight_decay": "0.5"}, "gpt2-weight_decay=0.1_opt=sgd_seed=1": {"weight_decay": "0.1", "opt": "sgd", "seed": "1"},
             "2026-01-02_lr-1e-4-seed-3": {"lr": "0.0001", "seed": "3"}, "version_3": {}}
    with Folder() as path:
        for name in names:
            if "." not in name[-6:]:
                os.mkdir(path(name))
            log = name if "." in name[-6:] else f"{name}/metrics.csv"
            write(path(log), ['{"step":1,"loss":2}'] if name.endswith("jsonl") else ["step,loss", "1,2"])
        rows = [json.loads(line) for line in run("runs", path(""), "--json", small=False).stdout.decode().splitlines()]
        assert {r["name"]: pairs_of(r) for r in rows} == names, rows


def test_many_keys():
    """Thousands of keys in a step are profiles by layer."""
    layers, names = 24, 100
    rows = [{"step": s, "loss": 3, **{f"m/layer_{i}/stat{k}": i + k + s for i in range(layers) for k in range(names)}}
            for s in range(3)]
    found, err = read_text("".join(json.dumps(r) + "\n" for r in rows), "medicine.jsonl")
    assert found[2]["m/stat7"] == [i + 7 + 2 for i in range(layers)] and err == "", err
    assert len(found[2]) > names


# ---- Projects of trackio ----

def test_project():
    """The newest runs of a project, each with its curves and layers; another database is refused."""
    with Folder() as path:
        db = new_project(path("lab.db"))
        add_rows(db, [("one", s, {"train/loss": 4 - s / 10, "eval/loss": 3.5, "act/layer_1/rms": s, "act/layer_2/rms": 9,
                                  "bad": "Infinity", "note": "7"}) for s in range(5)])
        found, err = read(path("lab.db"))
        assert losses(found) == {s: round(4 - s / 10, 4) for s in range(5)} and err == "", (found, err)
        assert found[3]["act/rms"] == [3, 9] and found[3]["validation_loss"] == 3.5 and found[3]["bad"] == "Infinity", found
        assert "note" not in found[3], found
        add_rows(db, [(f"later {k}", s, {"loss": k + s / 10}) for s in range(3) for k in range(4)])
        done = run("watch", path("lab.db"), "--once", "--jsonl", small=False)
        lanes = [(r.get("lane", 1), r["step"], r["loss"]) for r in map(json.loads, done.stdout.decode().splitlines())]
        assert sorted(lanes) == [(k + 1, s, k + s / 10) for k in range(4) for s in range(3)], lanes
        assert b"has 5 runs; shown are later 0, later 1, later 2, later 3." in done.stderr, done
        db.execute("DROP TABLE metrics")
        db.execute("CREATE VIEW metrics AS SELECT 1 AS id, 'a' AS run_name, 1 AS step, '{}' AS metrics")
        db.commit()
        for command in ("show", "watch"):
            words = [command, path("lab.db")] + ["--once"] * (command == "watch")
            assert "database" in sentence(run(*words, small=False), 1), words


# ---- Event files ----

VERSION = event(b"\x09" + struct.pack("<d", 1e9) + b"\x1a\x0dbrain.Event:2")


def at(seconds, step, tag, value):
    """A scalar with its time."""
    part = scalar(step, tag, value)
    body = part[12:-4]
    return event(b"\x09" + struct.pack("<d", 1e9 + seconds) + body[9:])


def put(path, name, *events):
    os.makedirs(os.path.dirname(path(name)), exist_ok=True)
    with open(path(name), "wb") as file:
        file.write(VERSION + b"".join(events))


def test_folders():
    with Folder() as path:
        first, second = "run/events.out.tfevents.1700000000.a.1.0", "run/events.out.tfevents.1700000900.a.2.0"
        # Training, and an evaluation after it.
        put(path, first, *(at(s, s, "train/loss", 4 - s / 16) for s in (0, 16, 32)))
        put(path, second, at(99, 32, "eval/loss", 2.5))
        found, err = read(path("run"))
        assert losses(found) == {0: 4, 16: 3, 32: 2} and found[32]["validation_loss"] == 2.5 and err == "", (found, err)
        # A run that was resumed.
        put(path, second, *(at(99 + s, s, "train/loss", 5 - s / 16) for s in (16, 32, 48)))
        found, err = read(path("run"))
        assert losses(found) == {0: 4, 16: 4, 32: 3, 48: 2} and "goes back to step 16" in err, (found, err)
        # Two processes at the same time.
        put(path, second, *(at(s + 0.5, s, "train/loss", 9) for s in (0, 16, 32)))
        found, err = read(path("run"))
        assert losses(found) == {0: 4, 16: 3, 32: 2} and "are written at the same time" in err, err
        # A folder for each curve.
        for folder in (("train", "validation"), ("loss_train", "loss_val")):
            top = f"curves-{folder[0]}"
            put(path, f"{top}/{folder[0]}/events.out.tfevents.1.a.1.0", *(at(s, s, "epoch_loss", 3 - s) for s in (0, 1)))
            put(path, f"{top}/{folder[1]}/events.out.tfevents.1.a.1.0", *(at(s, s, "epoch_loss", 4 - s) for s in (0, 1)))
            found, _ = read(path(top))
            assert losses(found) == {0: 3, 1: 2} and losses(found, "validation_loss") == {0: 4, 1: 3}, found
        # A log further inside, of the last version.
        for version in (9, 10):
            os.makedirs(path(f"logs/version_{version}"))
            write(path(f"logs/version_{version}/metrics.csv"), ["epoch,step,train_loss_step,val_loss", f"0,5,{version},", "0,5,,2"])
        found, _ = read(path("logs"))
        assert losses(found) == {5: 10} and found[5]["validation_loss"] == 2, found
        # Logs by their usual names; lines of text, if there is nothing else; and a record that cannot be read.
        record = '{"iteration": 5, "total_loss": 3, "charts/learning_rate": 0.5}\n'
        for name, lines in (("d2/metrics.json", [record]), ("flair/loss.tsv", ["STEP\tTRAIN_LOSS", "5\t3"]), ("text/a.log", ["step 4 loss 4", "step 5 loss 3"]),
                            ("sb3/progress.csv", ["time/iterations,train/loss,time/total_timesteps", "1,3,5"]),
                            ("wandb/offline-run-1/files/output.log", ["step 4 loss 4", "step 5 loss 3"])):
            os.makedirs(os.path.dirname(path(name)))
            write(path(name), lines)
            found, _ = read(path(name.split("/")[0]))
            assert losses(found)[5] == 3 and (name[:2] != "d2" or found[5]["lr"] == 0.5), (name, found)
        with open(path("run-1.wandb"), "wb") as file:
            file.write(b":W&B\xee\xbe\x00" + bytes(99))
        for words in (["show", path("run-1.wandb")], ["watch", "--once", path("run-1.wandb")]):
            assert "binary record of Weights & Biases" in sentence(run(*words, small=False), 1)


def test_left_out():
    """The logs of a folder that are not shown with it are counted, without those of checkpoints."""
    log = '{"log_history":[{"step":1,"loss":3}]}'
    with Folder() as path:
        for i in range(6):
            put(path, f"events/run-{i}/events.out.tfevents.1.a.1.0", at(1, 1, "loss", 3))
            os.makedirs(path(f"trainer/run-{i % 3}/checkpoint-{i}"))
            os.makedirs(path("tables"), exist_ok=True)
            write(path(f"trainer/run-{i % 3}/checkpoint-{i}/trainer_state.json"), [log])
            write(path(f"tables/lr_{i}.csv"), ["step,loss", "1,3"])
        for name, left_out in (("events", 2), ("trainer", 2), ("tables", 5)):
            done = run("watch", path(name), "--once", small=False)
            assert f"Other logs in this folder are not shown ({left_out})" in done.stderr.decode(), (name, done)
        assert read(path("trainer/run-1"))[1] == ""


def test_folder_of_curves():
    """A table for each curve, as DeepSpeed writes them."""
    with Folder() as path:
        os.mkdir(path("run"))
        for name, values in (("lr", (0.5, 0.25)), ("train_loss", (3, 2))):
            write(path(f"run/Train_Samples_{name}.csv"), [f"step,Train/Samples/{name}", f"32,{values[0]}", f"64,{values[1]}"])
        found, _ = read(path(""))
        assert losses(found) == {32: 3, 64: 2} and losses(found, "lr") == {32: 0.5, 64: 0.25}, found
    for train, validation in (("train-tag-loss", "validation-tag-loss"), ("version_0-tag-train_loss", "version_0-tag-val_loss")):
        with Folder() as path:
            for name, values in ((train, (3, 2)), (validation, (4, 3)), ("version_0-tag-lr", (0.5, 0.25))):
                write(path(f"run-{name}.csv"), ["Wall time,Step,Value", f"1.5,5,{values[0]}", f"2.5,9,{values[1]}"])
            found, err = read(path(""))
            assert losses(found) == {5: 3, 9: 2} and losses(found, "validation_loss") == {5: 4, 9: 3}, (found, err)
            assert losses(found, "lr") == {5: 0.5, 9: 0.25} and err == "", (found, err)
            for name in os.listdir(path("")):  # the same as JSON
                rows = open(path(name), encoding="utf-8").read().split()[2:]
                os.remove(path(name))
                points = ", ".join(f"[{row.replace(',', ', ')}]" for row in rows)
                with open(path(name.replace(".csv", ".json")), "w", encoding="utf-8") as file:
                    file.write(f"[{points}]")
            again, err = read(path(""))
            assert again == found and err == "", (again, err)


def test_metrics_of_mlflow():
    """A file for each metric, in a folder of runs."""
    with Folder() as path:
        run_folder = "mlruns/123456789012345678/0a1b2c3d"
        os.makedirs(path(f"{run_folder}/metrics/train"))
        os.mkdir(path(f"{run_folder}/params"))
        write(path(f"{run_folder}/params/width"), ["64"])
        write(path("mlruns/123456789012345678/meta.yaml"), ["experiment_id: '123456789012345678'"])
        write(path(f"{run_folder}/meta.yaml"), ["run_name: swift-colt-1"])
        for name, values in (("train/loss", (3, "2.5e+00")), ("val_loss", (4, 3)), ("lr", (0.5, 0.25))):
            write(path(f"{run_folder}/metrics/{name}"), [f"1700000000123 {values[0]} 5", f"1700000000456 {values[1]} 9"])
        for folder in (run_folder, "mlruns"):
            found, err = read(path(folder))
            assert losses(found) == {5: 3, 9: 2.5} and losses(found, "validation_loss") == {5: 4, 9: 3}, (found, err)
            assert losses(found, "lr") == {5: 0.5, 9: 0.25} and err == "", (found, err)
        for name, values in (("train/loss", (3, 2)), ("val/loss", (4, 3)), ("lr", (0.5, 0.25))):  # of DVCLive
            os.makedirs(path(f"live/plots/metrics/{os.path.dirname(name)}"), exist_ok=True)
            write(path(f"live/plots/metrics/{name}.tsv"), [f"step\t{os.path.basename(name)}", f"5\t{values[0]}", f"9\t{values[1]}"])
        write(path("live/metrics.json"), ['{"train": {"loss": 2}, "step": 9}'])
        found, err = read(path("live"))
        assert losses(found) == {5: 3, 9: 2} and losses(found, "validation_loss") == {5: 4, 9: 3} and err == "", (found, err)


def test_live_processes():
    """Two processes write at the same time, while the folder is watched: no point twice, no restart."""
    with Folder() as path:
        os.mkdir(path("run"))
        files = []
        for rank in range(2):
            name = path(f"run/events.out.tfevents.170000000{rank}.host{rank}.1.0")
            put(path, name)
            files.append(name)
        watching = subprocess.Popen([CLI, "watch", "--jsonl", path("run")], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for step in range(12):
            for rank, name in enumerate(files):
                with open(name, "ab") as file:
                    file.write(at(2 * step + rank, step, "loss", 3 + rank))
                time.sleep(0.05)
        time.sleep(1)
        watching.send_signal(2)
        out, err = watching.communicate(timeout=60)
        found = [json.loads(line) for line in out.decode().splitlines()]
        assert [(r["step"], r["loss"]) for r in found] == [(step, 3) for step in range(12)], (found, err)
        assert b"goes back" not in err and b"are written at the same time" in err, err


def test_reserved():
    """Space at the end that is zero is filled later."""
    lines = b"".join(b'{"step": %d, "loss": 3}\n' % s for s in range(4))
    events = VERSION + b"".join(scalar(s, "loss", 3) for s in range(4))
    with Folder() as path:
        for name, whole, head, space in (
                ("events.out.tfevents.1", events, len(VERSION) + 2 * len(scalar(0, "loss", 3)) - 2, 4096),
                ("events.out.tfevents.2", events, len(VERSION) + 2 * len(scalar(0, "loss", 3)) - 2, 3 << 20),
                ("log.jsonl", lines, len(lines) // 2 + 5, 4096)):
            name = path(name)
            with open(name, "wb") as file:
                file.write(whole[:head] + bytes(len(whole) - head + space))
            assert losses(read(name)[0])
            watching = subprocess.Popen([CLI, "watch", "--jsonl", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(0.5)
            with open(name, "r+b") as file:
                file.write(whole)
            time.sleep(1.2)
            watching.send_signal(2)
            out, err = watching.communicate(timeout=60)
            steps = [json.loads(line)["step"] for line in out.decode().splitlines()]
            assert steps == [0, 1, 2, 3] and not err, (name, out, err)
        # Zeros that events follow are damage, which is reported.
        with open(path("events.out.tfevents.3"), "wb") as file:
            file.write(events + bytes(4096) + scalar(4, "loss", 3))
        found, err = read(path("events.out.tfevents.3"))
        assert len(losses(found)) == 4 and "its length field is damaged" in err, (found, err)


if __name__ == "__main__":
    sys.exit(main(globals()))
