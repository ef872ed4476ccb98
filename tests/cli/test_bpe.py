#!/usr/bin/env python3
"""Byte-pair encodings, compared with an implementation that counts everything anew at every merge;
writes TAP.

SPDX-License-Identifier: MIT
Usage: test_bpe.py NORMSCOPE_CLI
"""

import collections
import json
import os
import random
import sys
import tempfile

from test_cli import main, run, sentence

VOCAB = 180


def spelled(word):
    return (*word[:-1], word[-1] + "</w>")


def pairs_of(symbols):
    return list(zip(symbols, symbols[1:]))


def joined(symbols, pair):
    out, i = [], 0
    while i < len(symbols):
        if tuple(symbols[i:i + 2]) == pair:
            out.append(pair[0] + pair[1])
            i += 2
        else:
            out.append(symbols[i])
            i += 1
    return tuple(out)


def learn(text, vocab):
    """Sennrich, Haddow, Birch 2016, Algorithm 1, with the ties of subword-nmt."""
    words = [(spelled(word), count)
             for word, count in collections.Counter(text.split()).items()]
    symbols = {"\n"} | {symbol for word, _ in words for symbol in word}
    merges = []
    while len(symbols) < vocab:
        counts = collections.Counter()
        for word, count in words:
            for pair in pairs_of(word):
                counts[pair] += count
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        if counts[best] < 2:
            break
        merges.append(best)
        symbols.add("".join(best))
        words = [(joined(word, best), count) for word, count in words]
    return merges


def cut(word, merges):
    symbols = spelled(word)
    for pair in merges:  # in their order: the first of the list is always joined first
        symbols = joined(symbols, pair)
    return " ".join([*(symbol + "@@" for symbol in symbols[:-1]), symbols[-1].removesuffix("</w>")])


def a_text(seed):
    """Lines of words out of few letters, so that pairs overlap (aaa) and counts are often equal."""
    draw = random.Random(seed)
    word = lambda: "".join(draw.choice("aabcdeäß語") for _ in range(draw.randint(1, 9)))
    words = [word() for _ in range(150)]
    return "".join(" ".join(draw.choice(words) for _ in range(draw.randint(0, 12))) + "\n"
                   for _ in range(120))


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return path


def bpe(*arguments):
    result = run("bpe", *arguments, small=False)
    assert (result.returncode, result.stderr) == (0, b""), result
    return result.stdout.decode()


def test_reference():
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(4):
            text, other = a_text(seed), a_text(seed + 100)
            first, second = write(folder, "first", text), write(folder, "second", other)
            merges = learn(text + other, VOCAB)
            assert len(merges) > 100, len(merges)
            written = bpe("--vocab", str(VOCAB), first, second)
            expected = "#version: 0.2\n" + "".join(" ".join(pair) + "\n" for pair in merges)
            assert written == expected, seed
            path = write(folder, "merges", written)
            expected = "".join(" ".join(cut(word, merges) for word in line.split()) + "\n"
                               for line in other.splitlines())
            assert bpe("--apply", path, second) == expected, seed
            # Joining the symbols gives the text again.
            assert expected.replace("@@ ", "") == "".join(
                " ".join(line.split()) + "\n" for line in other.splitlines())


def losses(*arguments):
    result = run("train", "--jsonl", "-", *arguments)
    assert (result.returncode, result.stderr) == (0, b""), result
    lines = [json.loads(line) for line in result.stdout.decode().splitlines()]
    return [line["loss"] for line in lines if "step" in line and "loss" in line]


def test_training():
    """A model learns the tokens; merges that were learned before, from the same words, are the same
    tokens; a run file continues with the same bits."""
    setting = ("--set", "tokenizer=bpe", "--set", "vocab=200", "--set", "placement=pre")
    whole = losses(*setting, "--steps", "6")
    assert len(whole) == 7 and whole == losses(*setting, "--steps", "6")
    assert whole != losses("--set", "tokenizer=char", *setting[4:], "--steps", "6")
    assert losses("--set", "tokenizer=char", "--steps", "2") == losses("--steps", "2")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.nsrun")
        assert losses(*setting, "--steps", "3", "--run", path) == whole[:4]
        result = run("resume", path, "--steps", "6", small=False)
        assert result.returncode == 0, result
        result = run("export", path, "--format", "jsonl", "--out", "-", small=False)
        lines = [json.loads(line) for line in result.stdout.decode().splitlines()]
        assert [line["loss"] for line in lines if "step" in line and "loss" in line] == whole
        text = write(folder, "text", a_text(1) * 4)
        merges = os.path.join(folder, "merges")
        bpe("--vocab", "60", "--out", merges, text)
        assert len(losses("--set", "text=" + text, "--set", "tokenizer=" + merges, "--steps", "2")) == 3


def test_errors():
    with tempfile.TemporaryDirectory() as folder:
        text = write(folder, "text", "low lower\n")
        merges = write(folder, "merges", "l o\n")
        assert "A text is missing" in sentence(run("bpe", small=False), 2)
        assert "--vocab" in sentence(run("bpe", "--vocab", "0", text, small=False), 2)
        assert "vocab is 3" in sentence(run("bpe", "--vocab", "3", text, small=False), 1)
        assert "#version: 0.2" in sentence(run("bpe", "--apply", merges, text, small=False), 1)
        assert "nowhere" in sentence(run("bpe", os.path.join(folder, "nowhere"), small=False), 1)
        sentence(run("bpe", "--out", text, text, small=False), 2)
        with open(text, encoding="utf-8") as file:
            assert file.read() == "low lower\n"
        words = sentence(run("train", "--set", "tokenizer=bep"), 2)
        assert "“bep”" in words and "char" in words


if __name__ == "__main__":
    sys.exit(main(globals()))
