/* Pairs of sentences by length, for batches of pairs of similar length.
 * SPDX-License-Identifier: MIT
 *
 * The length of a pair is that of its longer side.  Pairs of neighboring lengths form a group, from
 * which whole batches are drawn, so that little of a batch is padding; a group has enough pairs for
 * several batches, so that they differ. */
#pragma once

#include "core/data/corpus.h"

typedef struct NsPairLengths NsPairLengths;

/* A group, and the batches that are drawn from it: B pairs of at most S and T tokens. */
typedef struct {
    size_t first, n; /* its pairs in the order of length */
    size_t B, T, S;
} NsPairGroup;

/* Of the first n pairs.  Free with ns_pair_lengths_free. */
NsPairLengths *ns_pair_lengths_new(const NsPair *pairs, size_t n);
void ns_pair_lengths_free(NsPairLengths *lengths);

/* The group that a batch is drawn from, where a batch has at most so many positions on either side.
 * Every pair is in as many batches as any other on average. */
NsPairGroup ns_pair_lengths_draw(const NsPairLengths *lengths, size_t tokens, NsRng *rng);

/* The number of the i-th pair in the order of length. */
size_t ns_pair_lengths_pair(const NsPairLengths *lengths, size_t i);

/* Which share of the positions of training batches like this one, of source and target, is padding
 * on average. */
double ns_pair_lengths_padding(const NsPairLengths *lengths, const NsBatch *batch);
