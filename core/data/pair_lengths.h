/* Pairs of sentences by length, for batches of pairs of similar length.
 * SPDX-License-Identifier: MIT
 *
 * The length of a pair is that of its longer side.  Pairs of similar length form a group, from
 * which whole batches are drawn, so that batches have little padding.  A group has enough pairs for
 * several different batches. */
#pragma once

#include "core/data/corpus.h"

typedef struct NsPairLengths NsPairLengths;

/* A group, and the batches that are drawn from it: B pairs of at most S and T tokens. */
typedef struct {
    size_t first, n; /* range of its pairs in the order of length */
    size_t B, T, S;
} NsPairGroup;

/* Sorts n pairs by length.  Free with ns_pair_lengths_free. */
NsPairLengths *ns_pair_lengths_new(const NsPair *pairs, size_t n);
void ns_pair_lengths_free(NsPairLengths *lengths);

/* Draws the group of a batch that has at most `tokens` positions on each side.  On average every
 * pair occurs in the same number of batches. */
NsPairGroup ns_pair_lengths_draw(const NsPairLengths *lengths, size_t tokens, NsRng *rng);

/* The index of the i-th pair in the order of length. */
size_t ns_pair_lengths_pair(const NsPairLengths *lengths, size_t i);

/* The average share of padding among the source and target positions of training batches that have
 * the sizes of this one. */
double ns_pair_lengths_padding(const NsPairLengths *lengths, const NsBatch *batch);
