#!/usr/bin/env python3
"""Logs that programs write in rarer forms: messages of loggers, frames, other encodings, several lines; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_log_formats.py NORMSCOPE_CLI
"""

import gzip
import json
import os
import subprocess
import sys

from test_cli import CLI, main, run, sentence
from test_logs import as_csv, at, losses, put, read, read_text
from test_watch import Folder, write

ROWS = ((5, 3), (9, 2))


def lines(text):
    return "".join(text.format(s=s, v=v) + "\n" for s, v in ROWS)


def test_loggers():
    """A record that is a member of an object, or the message of a logger; texts in quotes; numbers with a unit."""
    cases = [lines('{{"level": "INFO", "fields": {{"step": {s}, "loss": {v}, "lr": 0.5}}}}'),
             lines('{{"record": {{"train/loss": {v}, "global_step": {s}, "learning_rate": 0.5}}, "time": "10:00:00"}}'),
             lines('{{"asctime": "2026-01-01 10:00:00", "levelname": "INFO", "message": "step {s} loss {v} lr 0.5"}}'),
             lines('{{"log": "step {s}: loss {v}, lr 0.5\\n", "stream": "stdout", "time": "2026-01-01T10:00:00Z"}}'),
             lines('{{"msg": "train", "step": {s}, "loss": {v}, "lr": 0.5}}'),
             lines('time="2026-01-01T10:00:00Z" level=info msg="train step" step={s} loss={v} lr=0.5'),
             lines("I0101 10:00:00.5 7 metric_writers.py] [{s}] [collection=train] loss={v}, lr=0.5"),
             lines("step: 0.00{s}k, loss: {v}, lr: 0.5, tok/s: 12.3k")]
    cases += [lines("2026-01-01T10:00:00.5Z stderr F step={s} loss={v} lr=0.5"), lines("2026-01-01T10:00:00.5Z stdout F {{'loss': {v}, 'lr': 0.5, 'step': {s}}}"),
              lines("[10:00:00] node7: step={s} loss={v} lr=0.5"), lines("Metrics(step={s}, loss={v}, lr=0.5)"),
              lines("step: {s}\nloss: {v}\nlr: 0.5\n"), lines("step: {s}\nlr: 0.5\nloss: {v}\n"), lines("step：{s}，loss：{v}，lr\u00a00.5"),
              "[[log]]\n" + lines("step = {s}\nloss = {v}\nlr = 0.5"), lines('{{"step": {s}, "loss": {v}, "lr": 0.5}},')]
    cases += [lines("2026-01-01T10:00:00.5Z [info     ] train                  loss={v} lr=0.5 step={s}")]
    cases += [lines("🚀 Step {s} → loss = {v} ✅ lr = 0.5"), lines("📉 step {s}: loss {v} ➡️ lr 0.5")]
    cases += [lines('{{"text": "10:00 | INFO | step {s} loss {v} lr 0.5\\n", "record": {{"line": 7, "level": {{"no": 20}}}}}}'),
              lines('{{"textPayload": "step={s} loss={v} lr=0.5", "severity": "INFO"}}')]
    for text in cases:
        found, err = read_text(text, "a.jsonl" if text[0] == "{" else "a.log")
        assert losses(found) == dict(ROWS) and losses(found, "lr") == {5: 0.5, 9: 0.5} and err == "", (text, found, err)
        assert "tok/s" not in text or found[9]["tok/s"] == 12300, found
    # What comes before the first loss of a step, and is indented, is of this step.
    found, err = read_text(lines("10:00 INFO [step={s}/99,epoch=1]\n    optim/LR=0.5\n    optim/total grad norm=1.5\n    train/CE loss={v}"), "a.log")
    assert {s: r["grad_norm"]["total"] for s, r in found.items()} == {5: 1.5, 9: 1.5} and losses(found, "lr") == {5: 0.5, 9: 0.5}, found


def test_programs():
    """Lines as programs print them: quoted numbers, counts of NaN, units, and evaluations."""
    validation = "validation_loss"
    cases = (  # text, other numbers at the last step, and what is reported
        (lines("{{'loss': '{v}', 'kl': '0.5', 'epoch': '1', 'step': '{s}'}}") + "{'train_runtime': '3.5', 'train_loss': '2.5', 'step': '9'}\n",
         {"kl": 0.5}, "mean training loss"),
        (lines(" iteration {s}/ 10 | lm loss: {v}E+00 | number of nan iterations:   1 |"), {"number_of_nan_iterations": 1}, "lm loss"),
        (lines("step {s}/10 | loss {v} (+nanz)| lr 0.5 | 7.5 ms | 50.0% bf16 MFU | 1310 tok/s"), {"lr": 0.5, "ms": None, "bf16_MFU": None}, ""),
        (lines("[10:00] Ep. 1 : Up. {s} : Cost {v} * 7") + "[10:00] [valid] Ep. 1 : Up. 9 : ce-mean-words : 4 : new best\n"
         "[10:00] [valid] Ep. 1 : Up. 9 : bleu : 12.5 : new best\n", {validation: 4, "validation/bleu": 12.5}, "Cost"),
        (lines("INFO:tensorflow:loss = {v}, step = {s} (7 sec)") + "INFO:tensorflow:Saving dict for global step 9: global_step = 9, loss = 4\n",
         {validation: 4}, ""),
        (lines('{{"global_step": {s}, "loss/out": {v}, "optim/lr": 0.5}}'), {"lr": 0.5}, ""),
        (lines('{{"step": {s}.0, "learning/loss": {v}, "learning/current_learning_rate": 0.5, "learning/grad_norm": 1.5}}'),
         {"lr": 0.5, "grad_norm": {"total": 1.5}}, ""),
        (lines('{{"_step": {s}, "loss": {v}, "grads": {{"_type": "histogram", "values": [1, 2], "bins": [1, 2, 3]}}, "rms": [1, 2, 3]}}'),
         {"rms": [1, 2, 3], "grads/values": None, "grad_norm": {"total": None}}, ""),
        ("".join(f"Epoch {e}/2: 100%|██| 5/5 [00:10<00:00, 5.00it/s, loss={v}]\n" for e, v in ((1, 3), (2, 2))), {}, "restart in every epoch"),
        (lines("Iter {s}: Loss {v} (avg 3.5), Val 4.0"), {validation: 4}, ""),
        (lines("| train | {{\"loss\": {v}, \"num_updates\": {s}}}\n| valid | {{\"loss\": 4, \"num_updates\": {s}}}"), {validation: 4}, ""),
        (lines("    clip  gnorm  loss  total_train_updates\n       1    1.5     {v}    {s}"), {"grad_norm": {"total": 1.5}}, ""))
    for text, other, reported in cases:
        found, err = read_text(text, "a.jsonl" if text.startswith('{"') else "a.log")
        assert losses(found) == ({5: 3, 10: 2} if "Epoch" in text else dict(ROWS)), (text, found, err)
        assert {k: found[max(found)].get(k) for k in other} == other and (reported in err if reported else err == ""), (text, found, err)
    found, err = read_text("Loading checkpoint shards: 100%|██| 4/4 [00:05<00:00, 1.3s/it]\nMap (num_proc=2): 100%|██| 7/7 [00:01<00:00, 9 examples/s]\n"
                           + lines("{{'loss': {v}, 'epoch': 0.{s}}}"), "a.log")
    assert losses(found) == {0: 3, 1: 2} and "the order of its values" in err, (found, err)


def test_other_files():
    """What cannot be read says what can be done; runs without a loss are left out, and rows may be runs."""
    for name, head, word in (("a.jsonl.zst", b"\x28\xb5\x2f\xfd", "decompress"), ("a.tar.gz", gzip.compress(b"a"), "extract"),
                             ("a.xlsx", b"PK\x03\x04", "as CSV"), ("a.parquet", b"PAR1", "to_csv"), ("a.ipynb", b'{"cells": []}', "copy"),
                             ("a.html", b"<html></html>\n", "copy")):
        with Folder() as path:
            with open(path(name), "wb") as file:
                file.write(head + bytes(40))
            for words in (("show",), ("watch", "--once"), ("chart", "--figure", "loss", "--out", path("b.csv"), "--from")):
                done = run(*words, path(name), small=False)
                assert done.returncode == 1 and word in done.stderr.decode() and done.stderr.count(b"\n") == 1, (name, words, done)
    for text, name in (('{"run": "a", "step": 5, "acc": 1}\n' + lines('{{"run": "b", "step": {s}, "loss": {v}}}'), "a.jsonl"),
                       ("run_id,step,loss\na,5,\n" + lines("b,{s},{v}"), "a.csv")):
        found, err = read_text(text, name)
        assert losses(found) == dict(ROWS) and "shown are b." in err, (found, err)
    with Folder() as path:
        write(path("a.csv"), ['"Name","State","loss"', '"amber","finished",3', '"calm","finished",2'])
        done = run("watch", path("a.csv"), "--once", "--jsonl", small=False)
        assert [json.loads(r)["loss"] for r in done.stdout.splitlines()] == [3, 2] and b"shown are amber, calm." in done.stderr, done
        os.makedirs(path("b/attempt_0/0"))
        write(path("b/attempt_0/0/stdout.log"), [f"step {s} loss {v}" for s, v in ROWS])
        assert losses(read(path("b"))[0]) == dict(ROWS)
    for text, name in (("Table 1,,\nstep,loss,lr\n" + lines("{s},{v},"), "a.csv"), ("step;loss\n5;3'000.5\n1 000;2,5\n", "b.csv")):
        found, err = read_text(text, name)
        assert losses(found) == (dict(ROWS) if name == "a.csv" else {5: 3000.5, 1000: 2.5}), (found, err)


def test_several_lines():
    """Objects over several lines, and cells with a newline; a line that was cut off ends with itself."""
    for text in (lines("{{'epoch': 1,\n 'nested': {{'a': 1,\n            'b': 2}},\n 'loss': {v},\n 'step': {s}}}"),
                 "text\n" + lines('{{"step": {s},\n  "loss": {v}\n}}'),
                 '{"step":5,"loss":3}\n{"step":7,\n{"step":9,"loss":2}\n'):
        found, err = read_text(text, "a.txt")
        assert losses(found) == dict(ROWS), (text, found, err)
    found, err = read_text('note,step,loss\n"a\nb, ""c""",5,3\n"d",9,2\n', "a.csv")
    assert losses(found) == dict(ROWS) and err == "", (found, err)
    found, err = read_text('note,step,loss\na 5" b,5,3\n"d",9,2\n"e', "a.csv")
    assert losses(found) == dict(ROWS) and "Line 4" in err, (found, err)


def test_tables():
    """Tables by row, in frames, in UTF-16 without a mark, with the separators of Europe."""
    framed = "┌──────┬──────┐\n│ step ┆ loss │\n╞══════╪══════╡\n" + lines("│ {s}   ┆ {v}  │") + "└──────┴──────┘\n"
    cases = {"framed.txt": framed, "rich.txt": framed.replace("│ step ┆ loss │", "┃ step ┃ loss ┃").replace("┆", "│"),
             "sql.txt": "+------+------+\n| step | loss |\n+------+------+\n" + lines("|  {s} |   {v} |") + "+------+------+\n",
             "psql.txt": " step | loss \n------+------\n" + lines("  {s} |  {v}"),
             "row.csv": "step,5,9\nloss,3,2\nstep_time,7,7\n", "epochs.tsv": "epoch\t5\t9\nloss\t3\t2\n",
             "excel.csv": "sep=;\nstep;loss\n5;3,0\n9;2,0\n", "quoted.csv": 'step,loss\n5,"3,00"\n9,"2,00"\n',
             "of.csv": "step,loss\n" + lines("{s}/99,{v}"), "k.csv": "step,loss\n" + lines("0.00{s}k,{v}"),
             "bold.md": "# Words\n\n| Step | **Train loss** |\n|---|---|\n" + lines("| {s} | **{v}** |"),
             "percent.csv": "step,loss,accuracy\n5,3,50%\n9,2,60%\n",
             "single.csv": "'step','loss','note'\n" + lines("'{s}','{v}','a, it''s'"), "single.tsv": "'step'\t'loss'\n" + lines("{s}\t{v}"),
             "units.csv": "Step [1],loss (train) [nats/token],time [s]\n" + lines("{s},{v},1"), "splits.csv": "Iteration (#),loss (train)\n" + lines("{s},{v}"),
             "zeros.csv": "step,loss\n5,3\n" + "\0" * 64 + "9,2\n" + "\0" * 64}
    text = as_csv([["step", "loss"], *ROWS])
    for code in ("utf-16-le", "utf-16-be"):
        cases[f"{code}.csv"] = text.encode(code)
    for name, text in cases.items():
        found, err = read_text(text, name)
        kinds = "epoch is shown as the step" in err if name[0] == "e" and name[1] == "p" else "comma" in err
        assert losses(found) == dict(ROWS) and kinds == (name[:2] in ("ep", "ex", "qu")) and err.count("\n") == kinds, (name, found, err)
    assert losses(read_text(cases["percent.csv"], "a.csv")[0], "accuracy") == {5: 50, 9: 60}
    found, err = read_text("step;loss;tokens\n5;1.003,5;1.234.567\n9;2,25;2.000.000\n", "a.csv")
    assert losses(found) == {5: 1003.5, 9: 2.25} and losses(found, "tokens") == {5: 1234567, 9: 2000000}, (found, err)
    assert losses(read_text(cases["row.csv"], "a.csv")[0], "step_time") == {5: 7, 9: 7}
    found, err = read_text("   step  loss  val_loss\n0     5     3       NaN\n1     9     2       4.0\n", "a.txt")
    assert losses(found) == dict(ROWS) and losses(found, "validation_loss") == {9: 4} and err == "", (found, err)
    found, err = read_text("loss\n3\n2\n", "a.csv")
    assert losses(found) == {0: 3, 1: 2} and "the order of its values" in err, (found, err)
    curves = {"train": [{"step": s, "loss": v} for s, v in ROWS], "val": [{"step": 9, "loss": 4}]}
    for document in (curves, {"train_loss": [*ROWS], "val_loss": [[9, 4], [11, 5]]}):
        for indent in (None, 1):
            found, err = read_text(json.dumps(document, indent=indent), "a.json")
            assert losses(found) == dict(ROWS) and losses(found, "validation_loss") == {9: 4} and err == "", (document, found, err)
    by_name = {"train/loss": [{"step": s, "value": v, "wall_time": 1.5} for s, v in ROWS], "val_loss": [{"step": 9, "value": 4}],
               "acc": [{"step": 9, "value": 7}]}
    found, err = read_text(json.dumps(by_name, indent=1), "a.json")
    assert losses(found) == dict(ROWS) and (found[9]["validation_loss"], found[9]["acc"], err) == (4, 7, ""), (found, err)
    found, err = read_text(json.dumps({f"epoch_{s}": {"train_loss": v, "val_loss": 4} for s, v in ROWS}), "a.json")
    assert losses(found) == dict(ROWS) and losses(found, "validation_loss") == {5: 4, 9: 4} and err == "", (found, err)
    points = [{"name": f"{k}_loss", "x": [5, 9], "y": y, "type": "scatter"} for k, y in (("train", [3, 2]), ("val", [4, 3]))]
    found, err = read_text(json.dumps({"data": points}, indent=1), "a.json")
    assert losses(found) == dict(ROWS) and losses(found, "validation_loss") == {5: 4, 9: 3} and err == "", (found, err)


def test_heads():
    """Names that change where a run resumes, in several lines, missing, equal or of a split; grouped steps; gradients by layer."""
    cases = (  # text, validation losses, and what is reported
        ("step,loss\n5,3\nstep,lr,loss,val_loss\n9,0.5,2,4\n", {9: 4}, ""),
        (",loss,loss\n,train,val\nstep,,\n5,3,\n9,2,4\n", {9: 4}, ""),
        (",loss\n5,3\n9,2\n", {}, "no name and is shown as the step"),
        ("Step,loss - train,loss - validation\n5,3,\n9,2,4\n", {9: 4}, ""),
        ("Step,Train,Valid\n5,3,\n9,2,4\n", {9: 4}, "“Train” is shown as the training loss"),
        ("name,metricName,metricValue,step\n" + lines("a,loss,{v},{s}"), {}, ""),
        ("Run ID,Name,Metric,Value,Step\n" + lines("1a,b,train_loss,{v},{s}") + "1a,b,val_loss,4,9\n", {9: 4}, ""),
        ("name;step;loss\n" + lines("a;{s};{v},0"), {}, "decimal comma"))
    for text, validation, word in cases:
        found, err = read_text(text, "a.csv")
        assert losses(found) == dict(ROWS) and losses(found, "validation_loss") == validation, (text, found, err)
        assert word in err and err.count("\n") == bool(word), (text, err)
    found, err = read_text(lines('{{"step": {s}, "loss": {v}}}') + 2 * '{"step": 9, "val_loss": 4}\n')
    assert found[9]["validation_loss"] == 4 and "1 value was repeated" in err, (found, err)
    for text in ('{"step":1,"loss":5}\n{"step":5,"loss":9}\n{"step":5,"loss":3}\n{"step":9,"loss":2}\n', "step,loss\n1,5\n5,9\nstep,loss\n5,3\n9,2\n"):
        found, err = read_text(text, "a.csv" if text[0] == "s" else "a.jsonl")
        assert losses(found) == {1: 5, 5: 3, 9: 2} and err.count("step 5 comes again; its newer values are shown") == 1, (found, err)
    found, err = read_text(",loss\na,3\nb,2\n", "a.csv")
    assert losses(found) == {0: 3, 1: 2} and "the order of its values" in err, (found, err)
    found, err = read_text("epoch,loss,note\n5,3,a\nresumed here,,\n9,2,b\n", "a.csv")
    assert losses(found) == dict(ROWS) and "Line 3: it has no step" in err, (found, err)
    found, err = read_text("step;loss\n999;3,0\n1.000;2,5\n", "a.csv")
    assert losses(found) == {999: 3, 1000: 2.5}, (found, err)
    found, err = read_text(json.dumps({"columns": ["loss"], "index": [5, 9], "data": [[3], [2]]}), "a.json")
    assert losses(found) == dict(ROWS), (found, err)
    valid = "| epoch 001 | valid on 'valid' subset | loss 4 | num_updates {s}\n"
    found, err = read_text(lines("| epoch 001 | loss {v} | num_updates {s}\n" + valid), "a.log")
    assert losses(found) == dict(ROWS) and losses(found, "validation_loss") == {5: 4, 9: 4} and err == "", (found, err)
    for name, kind in (("grad_norm_{}", "grad_layer"), ("grad_norm[{}]", "grad_layer"), ("blocks[{}].norm", "norm"), ("l2_norm/grad/layers.{}.mlp.up_proj.weight", "w3")):
        found, err = read_text(json.dumps({"step": 5, "loss": 3, **{name.format(i): i for i in range(3)}}))
        assert (found[5]["grad_norm"] if kind == "w3" else found[5])[kind] == [0, 1, 2] and err == "", (name, found, err)
    names = [f"m{i}" for i in range(4200)] + [f"grad_norm/layers.{i}.w2" for i in range(2)]
    found, err = read_text(",".join(["step,loss", *names]) + "\n" + lines("{s},{v}" + ",7" * 4202), "a.csv")
    assert found[9]["grad_norm"]["w2"] == [7, 7] and "8352 values" in err, err
    found, err = read_text(lines('{{"step": {s}, "loss": {v}, "a": [1, 2], "b": [1, 2, 3, 4]}}'))
    assert err.count("has 4 values") == 1 and "1 value is not drawn" in err, err


def test_names():
    """Two quantities of one name have two names; layers in a list of objects; gradients below points."""
    for text in ('{"step":5,"train/loss":3,"loss":4,"grad_norm":[1,2]}', '{"step":5,"loss":3,"train/loss":4,"grad_norm":[1,2]}'):
        with Folder() as path:
            write(path("a.jsonl"), [text])
            out = run("watch", path("a.jsonl"), "--once", "--jsonl", small=False).stdout.decode()
        found = json.loads(out)
        assert out.count('"loss":') == out.count('"grad_norm":') == 1 and (found["loss"], found["loss_2"], found["grad_layer"]) == (3, 4, [1, 2]), out
    found, err = read_text(json.dumps({"step": 5, "loss": 3, "layers": [{"grad_norm": 1, "rms": 3}, {"grad_norm": 2, "rms": 4}]}))
    assert (found[5]["grad_layer"], found[5]["rms"], err) == ([1, 2], [3, 4], ""), (found, err)
    found, err = read_text(json.dumps({"step": 5, "loss": 3, **{f"gradient_norm/blocks.{i}.mlp.fc2.weight": i for i in range(2)}}))
    assert found[5]["grad_norm"]["w2"] == [0, 1], found


    for step in ("iters", "trainer/step", "step_num", "current_iteration", "update_num", "batch_idx", "consumed_samples"):
        for loss, validation, rate, norm in (("tr_loss", "holdout_loss", "learningrate", "gradnorm"), ("losses/ce", "val/ce", "scheduler/lr", "raw_grad_norm"),
                                             ("train_ce", "eval/all/loss", "lr", "pre_clip_grad_norm")):
            found, err = read_text("".join(json.dumps({step: s, loss: v, validation: 4, rate: 0.5, norm: 1.5}) + "\n" for s, v in ROWS))
            got = losses(found), losses(found, "validation_loss"), losses(found, "lr"), found[9]["grad_norm"]["total"]
            assert got == (dict(ROWS), {5: 4, 9: 4}, {5: 0.5, 9: 0.5}, 1.5), (step, loss, found, err)


def test_other_losses():
    """The logarithm of a perplexity, a split without a quantity, and a total loss deep in a tree, where there is no other loss."""
    e = {5: 20.085536923187668, 9: 7.38905609893065}
    for name in ("ppl", "train_perplexity", "train/ppl"):
        rows = [{"step": s, name: v, "val_ppl": v, "lr": 0.5} for s, v in e.items()]
        for text, end in (("".join(json.dumps(r) + "\n" for r in rows), "jsonl"), (as_csv([rows[0], *(r.values() for r in rows)]), "csv"),
                          ("".join(f"step {s} | {name} {v} | val_ppl {v} | lr 0.5\n" for s, v in e.items()), "log")):
            found, err = read_text(text, "a." + end)
            assert losses(found) == losses(found, "validation_loss") == dict(ROWS) and losses(found, "lr") == {5: 0.5, 9: 0.5}, (text, found)
            assert f"The logarithm of “{name}” is shown as the training loss." in err, err
    found, err = read_text(lines('{{"step": {s}, "ppl": 7, "lm loss PPL": 7, "loss": {v}}}'))
    assert losses(found) == dict(ROWS) and found[9]["ppl"] == found[9]["lm_loss_PPL"] == 7 and err == "", (found, err)
    for text in ("step,train,val\n" + lines("{s},{v},4"), json.dumps([{"name": "train", "x": [5, 9], "y": [3, 2]}, {"name": "validation", "x": [5, 9], "y": [4, 4]}]),
                 "train 5000, val 700\n" + lines("step {s}: train {v}, val 4")):
        found, err = read_text(text, "a.csv" if "," in text[:5] else "a.json" if text[0] == "[" else "a.log")
        assert losses(found) == dict(ROWS) and losses(found, "validation_loss") == {5: 4, 9: 4} and "“train” is shown as the training loss." in err, (text, found, err)
    found, err = read_text(json.dumps({"train": {"step": [5, 9], "loss": [3, 2], "lr": [0.5, 0.25]}, "val": {"step": [9], "loss": [4]}}), "a.json")
    assert losses(found) == dict(ROWS) and losses(found, "lr") == {5: 0.5, 9: 0.25} and losses(found, "validation_loss") == {9: 4} and err == "", (found, err)
    deep = "info/learner/default_policy/learner_stats"
    for text in (lines(f'{{{{"training_iteration": {{s}}, "{deep}/policy_loss": 0.5, "{deep}/total_loss": {{v}}}}}}'),
                 f"training_iteration,{deep}/policy_loss,{deep}/total_loss\n" + lines("{s},0.5,{v}")):
        found, err = read_text(text, "a.csv" if text[0] == "t" else "a.jsonl")
        assert losses(found) == dict(ROWS) and found[9][f"{deep}/policy_loss"] == 0.5 and f"“{deep}/total_loss” is shown" in err, (text, found, err)


def test_stacks():
    """Stacks of different depth, each with its own layers; the parameters of another one, and experts, have no common role."""
    three, six = ([1, 2, 3], "encoder/layer_{}/rms"), ([2, 4, 6, 8, 10, 12], "decoder/layer_{}/rms")
    for order in ((three, six), (six, three)):
        row = {name.format(i): v for values, name in order for i, v in enumerate(values)}
        for text, name in (("".join(json.dumps({"step": s, "loss": v, **row}) + "\n" for s, v in ROWS), "a.jsonl"),
                           (as_csv([["step", "loss", *row], *([s, v, *row.values()] for s, v in ROWS)]), "a.csv")):
            found, err = read_text(text, name)
            for s in found:
                assert found[s]["encoder/rms"] == [1, 2, 3, None, None, None] and found[s]["decoder/rms"] == six[0] and err == "", (found, err)
    # So is what has one value more than the first stack, before and after the deeper one comes.
    stack = {name: {f"{name}/layer_{i}": i for i in range(n)} for name, n in (("a", 3), ("b", 6))}
    more = ({}, {"x": [1, 2, 3, 4]}, {"x": [5, 6, 7, 8], **stack["b"]}, {"x": [5, 6, 7, 8], "y": [*range(7)], **stack["b"]})
    found, _ = read_text("".join(json.dumps({"step": s, "loss": 3, **stack["a"], **rest}) + "\n" for s, rest in enumerate(more)))
    nothing = [None] * 3
    assert [found[s]["x"] for s in (1, 2, 3)] == [[1, 2, 3, 4, *nothing], *2 * ([5, 6, 7, 8, *nothing],)], found
    assert found[2]["b"] == list(range(6)) and found[3]["y"] == list(range(7)), found
    gradients = {f"grad_norm/model.{stack}.layers.{i}.self_attn.q_proj.weight": v + i for stack, n, v in (("encoder", 2, 1), ("decoder", 3, 5)) for i in range(n)}
    gradients |= {f"grad_norm/model.layers.{i}.mlp.experts.{e}.down_proj.weight": e + i for i in range(2) for e in (1, 2)}
    found, err = read_text("".join(json.dumps({"step": s, "loss": v, **gradients}) + "\n" for s, v in ROWS))
    assert found[9]["grad_norm"] == {"total": None, "wq": [1, 2, None]} and err == "", (found, err)
    assert found[9]["grad-model.decoder.self_attn.q_proj"] == [5, 6, 7], found
    assert found[9]["grad-model.mlp.experts.1.down_proj"] == [1, 2, None] and found[9]["grad-model.mlp.experts.2.down_proj"] == [2, 3, None], found
    found, err = read_text("step,train_loss,val_loss/dataloader_idx_0,val_loss/dataloader_idx_1\n5,3,,\n9,2,4,7\n", "a.csv")
    assert found[9]["validation_loss"] == 4 and found[9]["val_loss/dataloader_idx_1"] == 7, found


def test_folders():
    """Texts are read where a folder has nothing else; fairseq's folders; metrics of MLflow on a set of data."""
    for name in ("slurm-7.out", "train_log.txt", "log.json"):
        with Folder() as path:
            write(path(name), [json.dumps({"step": s, "loss": v}) if name[0] == "l" else f"step {s} loss {v}" for s, v in ROWS])
            assert losses(read(path(""))[0]) == dict(ROWS), name
            os.makedirs(path("checkpoint-9"))
            write(path("checkpoint-9/trainer_state.json"), [json.dumps({"log_history": [{"step": 7, "loss": 1}]})])
            assert losses(read(path(""))[0]) == {7: 1}, name
    with Folder() as path:
        for folder, rows in (("train_inner", ROWS), ("train", ((9, 2.5),)), ("valid", ((9, 4),))):
            put(path, f"run/{folder}/events.out.tfevents.1.a.1.0", *(at(s, s, "loss", v) for s, v in rows))
        found, err = read(path("run"))
        assert losses(found) == dict(ROWS) and found[9]["validation_loss"] == 4 and err == "", (found, err)
        for names in (("a/train.csv", "a/val.csv"), ("b/train_log.csv", "b/eval_log.csv"), ("c/train/metrics.csv", "c/validation/metrics.csv"),
                      ("e/train.jsonl", "e/val.jsonl")):
            for name, text in zip(names, (lines("{s},{v}"), "9,4\n")):
                os.makedirs(os.path.dirname(path(name)), exist_ok=True)
                write(path(name), [json.dumps({"step": int(r[0]), "loss": int(r[2])}) for r in text.split()] if name[-1] == "l" else ["step,loss", text])
            found, err = read(path(name[0]))
            assert losses(found) == dict(ROWS) and found[9]["validation_loss"] == 4 and err == "", (names, found, err)
            assert "validation_loss" not in read(path(name[0]), "--map", "none=validation/loss")[0][9], names
        for name in ("d/val.csv", "d/val_7b.csv"):
            os.makedirs(path("d"), exist_ok=True)
            write(path(name), ["step,loss", lines("{s},{v}")])
        found, err = read(path("d"))
        assert losses(found) == dict(ROWS) and "(1)" in err, (found, err)
        # What is further inside comes after what is nearer, and a text of any name after logs with usual names.
        for name in ("deep/logs/a/runs/b/csv/version_0/metrics.csv", "hydra/outputs/a/b/train.log", "slurm/logs/slurm-7.out", "zipped/metrics.csv.gz",
                     "many/data/x.csv", "many/log/out.log", "near/a/b/history.csv", "near/c/b/d/e/metrics.csv"):
            os.makedirs(os.path.dirname(path(name)), exist_ok=True)
            text = "age,height\n5,150\n" if "/x." in name else "step,loss\n" + lines("{s},{v}") if ".csv" in name else lines("step {s} loss {v}")
            with open(path(name), "wb") as file:
                file.write(gzip.compress(text.encode()) if name[-1] == "z" else text.encode())
        for name in ("deep", "hydra", "slurm", "zipped", "many", "near"):
            found, err = read(path(name))
            assert losses(found) == dict(ROWS) and err == "", (name, found, err)
        os.remove(path("many/log/out.log"))
        assert "a folder without an event file or a log" in sentence(run("watch", "--once", path("many"), small=False), 1)
        os.makedirs(path("rotated"))
        for i, (name, step) in enumerate((("train.log.2", 5), ("train.log.1", 7), ("train.log", 9))):
            write(path("rotated/" + name), [f"step {step + k} loss {3 - i}" for k in range(2)])
        for name in ("rotated", "rotated/train.log"):
            found, err = read(path(name))
            assert losses(found) == {5: 3, 6: 3, 7: 2, 8: 2, 9: 1, 10: 1} and err == "", (name, found, err)
        os.makedirs(path("ml/0/ab/metrics"))
        write(path("ml/0/ab/meta.yaml"), ["run_name: a"])
        write(path("ml/0/ab/metrics/loss"), [f"1700000000123 {v} {s} data 12ab" for s, v in ROWS])
        assert losses(read(path("ml"))[0]) == dict(ROWS)


def test_no_loss():
    """Without a name of a loss the lines are not told to lack a step; with one in a later line they are."""
    with Folder() as path:
        write(path("a.csv"), ["a,b", "0,0", "1,1"])
        write(path("b.jsonl"), ['{"a": 0, "b": 0}', '{"a": 1, "b": 1}'])
        for name in ("a.csv", "b.jsonl"):
            why = sentence(run("watch", "--once", path(name), small=False), 1)
            assert "Line" not in why and "--map loss=NAME" in why, why
    found, err = read_text('{"a": 0}\n{"step": 1, "loss": 2}\n')
    assert losses(found) == {1: 2} and "Line 1: it has no step" in err, (found, err)


if __name__ == "__main__":
    sys.exit(main(globals()))
