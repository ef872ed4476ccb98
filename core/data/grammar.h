/* Generated texts: a play, German and English sentences, and sentences about facts.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/rng.h"

#include <glib.h>

/* Writes a text of about `characters` ASCII characters: a play, whose speakers talk in sentences of
 * a small English grammar (agreement in number, nested clauses, brackets and quotation marks that
 * close, dates and sums that are right).  The same seed gives the same text.  Free with g_free. */
char *ns_grammar_text(uint64_t seed, size_t characters);

/* Appends n German sentences and their English translations, one a line.  They come from a
 * synchronous grammar: German articles and adjectives agree in gender and case, verbs agree in
 * number, and participles and the verbs of subordinate clauses come last.  The same seed gives the
 * same sentences. */
void ns_grammar_pairs(uint64_t seed, size_t n, GString *german, GString *english);

/* ---- Sentences about facts ----
 *
 * A fact says who did what to whom, and maybe where and when.  It can be written in many ways:
 * active or passive, with synonyms, with place and time in front or at the end.  The facts, not the
 * words, decide whether one sentence means the same as another or follows from it. */

/* Appends n pairs of consecutive sentences of a text, one sentence a line: in two pairs of three
 * the second sentence paraphrases the first, maybe with less detail; in the others it tells another
 * fact about the same agent.  The same seed gives the same sentences. */
void ns_fact_text(uint64_t seed, size_t n, GString *first, GString *second);

/* The meanings of the label of a pair of sentences. */
typedef enum {
    NS_PARAPHRASE, /* 1: both mean the same */
    NS_ENTAILMENT, /* 1: the second follows from the first */
} NsPairRelation;

/* Appends one pair without line ends, and returns its label: 0 and 1 are equally likely.  In a pair
 * with label 0 one detail of the second fact is changed: the agent, the patient, an adjective, the
 * place, the verb, or who does it to whom. */
int ns_fact_pair(NsRng *rng, NsPairRelation relation, GString *first, GString *second);
