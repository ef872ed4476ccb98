/* English sentences about small facts that the program writes itself.  SPDX-License-Identifier: MIT
 *
 * A fact says who did what to whom, and maybe where and when.  It can be written in many ways:
 * active or passive, with synonyms, with place and time in front or at the end.  Whether one
 * sentence means the same as another, or follows from it, is known from the facts, not from the
 * words. */
#pragma once

#include "core/base/rng.h"

#include <glib.h>

/* Appends n pairs of sentences that follow one another in a text, one sentence a line: in two of
 * three the second tells the first again in other words, maybe with less detail, otherwise it goes
 * on with another fact about the same agent.  The same seed gives the same sentences. */
void ns_fact_text(uint64_t seed, size_t n, GString *first, GString *second);

/* What is to be said of a pair of sentences. */
typedef enum {
    NS_PARAPHRASE, /* 1: both mean the same */
    NS_ENTAILMENT, /* 1: the second follows from the first */
} NsPairRelation;

/* Appends one pair without line ends, and returns its label: 0 and 1 are equally likely.  Pairs
 * with label 0 differ in one detail of the fact: a word, the roles, or a place or time that the
 * first does not mention. */
int ns_fact_pair(NsRng *rng, NsPairRelation relation, GString *first, GString *second);
