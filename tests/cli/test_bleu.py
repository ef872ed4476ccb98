#!/usr/bin/env python3
"""BLEU: published values of sacreBLEU, and an implementation by regular expressions; writes TAP.

SPDX-License-Identifier: MIT
Usage: test_bleu.py NORMSCOPE_CLI
"""

import collections
import json
import math
import os
import random
import re
import sys
import tempfile

from test_cli import main, run, sentence

# Examples in the README of sacreBLEU and in its tests, with the values given there.
HYPOTHESES = ["The dog bit the man.", "It wasn't surprising.", "The man had just bitten him."]
REFERENCES = [["The dog bit the man.", "It was not unexpected.", "The man bit him first."],
              ["The dog had bit the man.", "No one was surprised.", "The man had bitten the dog."]]
PUBLISHED = [
    (HYPOTHESES, REFERENCES, 48.530827),
    (["", "", ""], REFERENCES, 0.0),
    (["Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;"],
     [["producţia de zahăr brut se exprimă în zahăr alb;"]], 8.493),
    (["this is a cat"], [["okay thanks"]], 0.0),
    (["this is a test"], [["this is a test"]], 100.0),
]


def words_of(line):
    """The tokenizer of mteval-v13a."""
    line = line.rstrip().replace("<skipped>", "")
    for sign, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        line = line.replace(sign, character)
    line = f" {line} "
    line = re.sub(r"([{-~[-` -&(-+:-@/])", r" \1 ", line)
    line = re.sub(r"([^0-9])([.,])", r"\1 \2 ", line)
    line = re.sub(r"([.,])([^0-9])", r" \1 \2", line)
    line = re.sub(r"([0-9])(-)", r"\1 \2 ", line)
    return line.split()


def ngrams(words, order):
    return collections.Counter(tuple(words[i:i + order]) for i in range(len(words) - order + 1))


def bleu_of(hypotheses, references):
    matches, totals, c, r = [0] * 4, [0] * 4, 0, 0
    for i, line in enumerate(hypotheses):
        words, others = words_of(line), [words_of(lines[i]) for lines in references]
        c += len(words)
        r += min((abs(len(other) - len(words)), len(other)) for other in others)[1]
        for n in range(4):
            most = collections.Counter()
            for other in others:
                most |= ngrams(other, n + 1)
            matches[n] += sum((ngrams(words, n + 1) & most).values())
            totals[n] += sum(ngrams(words, n + 1).values())
    if matches[0] == 0 or 0 in totals:
        return 0.0
    product, unmatched = 1.0, 1
    for match, total in zip(matches, totals):
        if match == 0:
            unmatched *= 2
            match = 1 / unmatched
        product *= match / total
    return 100 * min(1, math.exp(1 - r / c)) * product ** 0.25


def write(path, lines):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write("".join(line + "\n" for line in lines))
    return path


def score(folder, hypotheses, references):
    path = write(os.path.join(folder, "hypotheses"), hypotheses)
    words = [word for i, lines in enumerate(references)
             for word in ("--reference", write(os.path.join(folder, f"reference{i}"), lines))]
    result = run("bleu", "--json", *words, path, small=False)
    assert (result.returncode, result.stderr) == (0, b""), result
    value = json.loads(result.stdout)
    assert value["signature"].startswith(
        f"nrefs:{len(references)}|case:mixed|eff:no|tok:13a|smooth:exp|version:normscope-"), value
    return value["bleu"]


def test_published():
    with tempfile.TemporaryDirectory() as folder:
        for hypotheses, references, expected in PUBLISHED:
            got = score(folder, hypotheses, references)
            assert abs(got - expected) < 0.001, (hypotheses, got, expected)
            assert abs(bleu_of(hypotheses, references) - expected) < 0.001, hypotheses


def test_reference():
    """Sentences with everything that the tokenizer treats in a way of its own."""
    pieces = ["the", "The", "dog", "3.5", "1,000", "a.b", "x,y", "end.", "Ende...", "..", "5-6", "well-known",
              "don't", "(so)", "[it]", "&quot;no&quot;", "&amp;", "&lt;b&gt;", "100%", "$5", "a/b", ":-)",
              "~", "`", "über", "語。", "5.", ".5", "-3", "3-", "<skipped>", "a\u00a0b", "e@mail.de", "5,.", "ä.ö",
              "x\ty", "#1", "^", "|", "{", "1.-2"]
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        for case in range(20):
            known = pieces[:draw.randint(3, len(pieces))]
            line = lambda: draw.choice(["", " "]) + " ".join(
                draw.choice(known) for _ in range(draw.randint(0, 12)))
            references = [[line() for _ in range(8)] for _ in range(1 + case % 3)]
            hypotheses = [draw.choice([line(), references[0][i], references[0][i] + " dog"])
                          for i in range(8)]
            got, expected = score(folder, hypotheses, references), bleu_of(hypotheses, references)
            assert abs(got - expected) < 1e-9, (case, got, expected)


def test_text():
    with tempfile.TemporaryDirectory() as folder:
        one = write(os.path.join(folder, "one"), HYPOTHESES)
        two = write(os.path.join(folder, "two"), REFERENCES[0])
        text = run("bleu", "--reference", two, one, small=False).stdout.decode()
        assert re.fullmatch(r"BLEU\|nrefs:1\|\S+ = \d+\.\d\d (\d+\.\d/){3}\d+\.\d \(BP = \d\.\d{3} ratio = "
                            r"\d\.\d{3} hyp_len = 17 ref_len = 17\)\n", text), text
        # Capitals count, and the last line end does not.
        assert "= 100.00 " in run("bleu", "--reference", one, one, small=False).stdout.decode()
        with open(two, "w", encoding="utf-8") as file:
            file.write("\n".join(HYPOTHESES).upper())
        assert "= 100.00 " not in run("bleu", "--reference", two, one, small=False).stdout.decode()


def test_errors():
    with tempfile.TemporaryDirectory() as folder:
        one = write(os.path.join(folder, "one"), HYPOTHESES)
        two = write(os.path.join(folder, "two"), HYPOTHESES[:2])
        assert "--reference" in sentence(run("bleu", one, small=False), 2)
        sentence(run("bleu", "--reference", one, small=False), 2)
        text = sentence(run("bleu", "--reference", two, one, small=False), 1)
        assert "2 lines" in text and "has 3" in text, text
        assert "nowhere" in sentence(run("bleu", "--reference", one, os.path.join(folder, "nowhere"),
                                         small=False), 1)


if __name__ == "__main__":
    sys.exit(main(globals()))
