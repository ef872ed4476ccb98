/* The BLEU score of a corpus, as sacreBLEU computes it.  SPDX-License-Identifier: MIT
 *
 *     BLEU = 100 BP exp(1/4 sum_{n=1..4} ln p_n),   BP = min(1, exp(1 - r / c))
 *
 * p_n: the share of the n-grams of the hypotheses that also occur in a reference, where the count
 * of an n-gram is clipped to its largest count in one reference; c and r: the numbers of words in
 * the hypotheses and in the references.  The tokenizer is mteval-v13a, case matters, and the i-th
 * order without any match is smoothed to p_n = 1 / (2^i n-grams).  Papineni et al. 2002; Chen and
 * Cherry 2014, method 3; Post 2018, arXiv 1804.08771. */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

#define NS_BLEU_ORDERS 4

/* Sums over sentences; starts as {0}. */
typedef struct {
    int64_t matches[NS_BLEU_ORDERS], ngrams[NS_BLEU_ORDERS]; /* of orders 1 to 4 */
    int64_t hypothesis_words, reference_words;
} NsBleu;

/* Adds a hypothesis and its n references, all UTF-8.  The reference length r is that of the
 * reference whose length is nearest to the hypothesis; of two equally near ones, the shorter. */
void ns_bleu_add(NsBleu *bleu, const char *hypothesis, const char *const *references, size_t n);

/* The precisions p_n in percent, the brevity penalty BP, and the score, 0 to 100.  The score is 0
 * if there is no match at all, or no n-gram of some order. */
typedef struct {
    double precision[NS_BLEU_ORDERS], brevity, score;
} NsBleuScore;

NsBleuScore ns_bleu_score(const NsBleu *bleu);
