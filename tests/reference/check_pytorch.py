#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs what `normscope-cli dump --pytorch` wrote beside `normscope-cli train`, as TAP.

    check_pytorch.py BINARY                 the cases below
    check_pytorch.py BINARY --set KEY=VALUE ...    one model

The first ten losses must agree to 1e-5 of their value: both train in single precision, and ten
updates let its rounding grow.  A case that ends in “| N” is written after N updates, with moments.
"""

import contextlib
import io
import itertools
import json
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile

LIMIT = 1e-5
COLUMNS = 100  # of the program's docstrings
SMALL = {"layers": 2, "d-model": 16, "heads": 2, "seq": 10, "batch": 3, "lr": 1e-3}
CASES = (
    "placement=pre optimizer=adamw weight-decay=0.1 warmup=4 clip=0.5 schedule=cosine decay-start=2 decay-steps=8",
    "placement=pre optimizer=adamw weight-decay=0.1 clip=0.5 schedule=cosine decay-start=2 steps=20 | 4",
    "placement=post optimizer=adam weight-decay=0.01 decay-scope=all schedule=inverse-sqrt decay-start=3 | 7",
    "placement=pre optimizer=sgd momentum=0.9 lr=0.1 schedule=linear decay-start=2 decay-steps=12 | 3",
    "placement=pre optimizer=radam weight-decay=0.1 decay-scope=embeddings schedule=step decay-steps=6",
    "placement=pre optimizer=muon momentum=0.95 lr=0.02 weight-decay=0.1 | 2",
    "placement=pre optimizer=adamh lr=0.02 weight-decay=0.1 clip=0.5 | 2",
    "placement=pre optimizer=muonh momentum=0.95 lr=0.02 | 2",
    "placement=completep optimizer=adamw weight-decay=0.1 layers=4",
    "placement=depth-mup layers=4 | 5",
    "placement=completep base-width=8 d-model=32 heads=4 layers=3 optimizer=adamw weight-decay=0.1",
    "placement=post base-width=48 d-model=16 init=normal task=mlm arch=encoder seq=64 lr=0.01",
    "norm=rmsnorm placement=sandwich activation=swiglu",
    "placement=pre heads=4 kv-heads=2 norm=rmsnorm qk-norm=full activation=relu-squared | 3",
    "placement=hybridnorm heads=4 kv-heads=1 arch=encoder-decoder task=sort seq=12",
    "norm=batchnorm placement=pre task=reverse seq=20 batch=5 qk-norm=head",
    "norm=batchnorm placement=hybridnorm task=sort arch=encoder-decoder seq=12 batch=5",
    "norm=scalenorm placement=pre qk-norm=head",
    "norm=dyt placement=post lr=1e-4",
    "norm=none placement=pre init-scale=0.5",
    "mixture=post*1,pre*2,olmo2,hybridnorm layers=5",
    "mixture=deepnorm,keel,b2t arch=encoder layers=3",
    "mixture=N(2x+0.5N(F(0.3N(x)))),0.7x+N(F(x)),x+F(2x) layers=3",
    "placement=pre activation=gelu positions=sinusoidal scale-embeddings=on label-smoothing=0.1 z-loss=0.01",
    "placement=pre activation=gelu-tanh positions=none tie-embeddings=on weight-standardization=on",
    "placement=post embedding-norm=on final-norm=on qk-norm=full weight-decay=0.1 tie-embeddings=on",
    "positions=rotary placement=pre heads=4 kv-heads=2 qk-norm=head norm=rmsnorm activation=swiglu",
    "positions=rotary placement=post arch=encoder-decoder task=sort seq=12",
    "attention=uniform heads=1 placement=pre d-ff=16",
    "task=mlm arch=encoder tokenizer=bpe vocab=300 seq=24 batch=6 placement=pre",
    "task=mlm arch=encoder next-sentence=off tie-embeddings=on seq=64 z-loss=0.1",
    "task=translation arch=encoder-decoder tokenizer=bpe vocab=300 seq=40 batch-tokens=100 placement=post",
    "task=translation arch=encoder-decoder vocabularies=separate tie-embeddings=on seq=100 batch=4 weight-decay=0.1",
    "tie-layers=on layers=3 placement=post weight-decay=0.1 clip=0.5 | 3",
    "tie-layers=on layers=3 placement=pre arch=encoder-decoder decoder-layers=2 task=sort optimizer=muon lr=0.02",
    "task=gaussian placement=post",
    "task=copy placement=residual arch=encoder-decoder decoder-layers=3",
)


def run(binary, *arguments):
    result = subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=300, check=False)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip())
    return result.stdout


def sets(settings):
    return [word for setting in settings for word in ("--set", setting)]


def compare(binary, case, folder):
    """The greatest difference of ten losses, relative to the loss."""
    settings, _, start = case.partition("|")
    start = int(start or 0)
    settings = SMALL | dict(setting.split("=", 1) for setting in settings.split())
    settings = [f"{key}={value}" for key, value in settings.items()]
    program = pathlib.Path(folder) / "one model.py"
    run(binary, "dump", *sets(settings), "--steps", str(start), "--pytorch", str(program))
    length = [] if any(setting.startswith("steps=") for setting in settings) else ["--steps", str(start + 9)]
    lines = run(binary, "train", *sets(settings), *length, "--jsonl", "-").splitlines()
    records = [record for record in map(json.loads, lines) if "loss" in record and "step" in record]
    expected = {record["step"]: record["loss"] for record in records}
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        runpy.run_path(str(program), run_name="__main__")
    shown = output.getvalue()
    found = {int(step): float(loss) for step, loss in re.findall(r"step (\d+): loss (\S+)", shown)}
    assert list(found) == list(range(start, start + 10)), shown
    text = program.read_text(encoding="utf-8")
    assert "#?" not in text and "@" not in text.replace(" @ ", "").replace("@torch", ""), text
    prose = re.findall(r'^.*?"""(?s:.*?)"""', text, re.M)
    assert len(prose) > 9 and all(len(line) <= COLUMNS for part in prose for line in part.split("\n")), prose
    return max(abs(found[step] - expected[step]) / abs(expected[step]) for step in found)


def cases(binary):
    listed = json.loads(run(binary, "list", "placements", "--json"))
    for row, arch in zip(listed, itertools.cycle(("decoder", "encoder", "encoder-decoder"))):
        yield f"arch={arch} placement={row['key']}"
    yield from CASES


def test_refused(binary, folder):
    def says(*words, arguments):
        command = [binary, "dump", *arguments]
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert result.returncode != 0 and result.stderr.count("\n") == 1, result
        assert all(word in result.stderr for word in words), result

    program = str(pathlib.Path(folder) / "a.py")
    says("dropout", arguments=(*sets(["dropout=0.1"]), "--pytorch", program))
    says("dropout", arguments=(*sets(["drop-path=0.1"]), "--pytorch", program))
    says(".py", arguments=("--pytorch", str(pathlib.Path(folder) / "a.txt")))
    says("--pytorch", arguments=("--steps", "1"))
    assert not list(pathlib.Path(folder).iterdir())


def main():
    binary = sys.argv[1]
    try:
        import torch  # noqa: F401
    except ImportError:
        print("1..0 # SKIP PyTorch (python3-torch) is not installed")
        return
    if len(sys.argv) > 2:
        with tempfile.TemporaryDirectory() as folder:
            print(compare(binary, " ".join(word for word in sys.argv[2:] if word != "--set"), folder))
        return
    tests = list(cases(binary))
    print(f"1..{len(tests) + 1}", flush=True)
    for number, case in enumerate([*tests, None], start=1):
        verdict = "ok"
        with tempfile.TemporaryDirectory() as folder:
            try:
                if case:
                    error = compare(binary, case, folder)
                    verdict = "ok" if error <= LIMIT else "not ok"
                    print(f"# {error:.1e}")
                else:
                    test_refused(binary, folder)
            except (AssertionError, RuntimeError, KeyError, ValueError) as error:
                print(f"# {type(error).__name__}: {error}".replace("\n", " ")[:1500])
                verdict = "not ok"
        print(f"{verdict} {number} - pytorch {case or 'refused'}", flush=True)


if __name__ == "__main__":
    main()
