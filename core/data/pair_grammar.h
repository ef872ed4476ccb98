/* Sentences in German and English that the program writes itself.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* Appends n German sentences and their English translations, one a line.  They come from one
 * synchronous grammar: in German articles and adjectives agree in gender and case, verbs in number,
 * participles and the verbs of subordinate clauses stand at the end.  The same seed gives the same
 * sentences. */
void ns_grammar_pairs(uint64_t seed, size_t n, GString *german, GString *english);
