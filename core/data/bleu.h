/* The BLEU score of a corpus, as sacreBLEU computes it.  SPDX-License-Identifier: MIT
 *
 *     BLEU = 100 BP exp(1/4 sum_{n=1..4} ln p_n),   BP = min(1, exp(1 - r / c))
 *
 * p_n: the share of the n-grams of the hypotheses that are in a reference, each at most as often as
 * in one of its references; c and r: the words of the hypotheses and of the references.  Words are
 * those of the tokenizer of mteval-v13a, capitals count, and the i-th order without any match has
 * p_n = 1 / (2^i n-grams).  Papineni et al. 2002; Chen and Cherry 2014, method 3; Post 2018, arXiv
 * 1804.08771. */
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

/* Adds a sentence with its references, which are UTF-8; of several the one counts as its length
 * that is nearest to the hypothesis, the shorter one where two are. */
void ns_bleu_add(NsBleu *bleu, const char *hypothesis, const char *const *references, size_t n);

/* The precisions p_n in percent, the brevity penalty BP, and the score, 0 to 100.  A corpus without
 * any match, or without any n-gram of some order, has score 0. */
typedef struct {
    double precision[NS_BLEU_ORDERS], brevity, score;
} NsBleuScore;

NsBleuScore ns_bleu_score(const NsBleu *bleu);
