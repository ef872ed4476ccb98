/* Generates a play from a grammar.  SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Writes a text of about `characters` ASCII characters: a play, whose speakers talk in sentences of
 * a small English grammar (agreement in number, nested clauses, brackets and quotation marks that
 * close, dates and sums that are right).  The same seed gives the same text.  Free with g_free. */
char *ns_grammar_text(uint64_t seed, size_t characters);
