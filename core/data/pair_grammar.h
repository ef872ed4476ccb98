/* Generated pairs of German and English sentences.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* Appends n German sentences and their English translations, one a line.  They come from a
 * synchronous grammar: German articles and adjectives agree in gender and case, verbs agree in
 * number, and participles and the verbs of subordinate clauses come last.  The same seed gives the
 * same sentences. */
void ns_grammar_pairs(uint64_t seed, size_t n, GString *german, GString *english);
