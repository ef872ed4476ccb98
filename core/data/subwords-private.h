/* Types for learning and using subwords, internal to core/data.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/subwords.h"

struct NsSubwords {
    GPtrArray *symbols;  /* as written in a file of merges: "lo", "w</w>"; number 0 is "\n" */
    GHashTable *numbers; /* from a symbol to its number */
    NsMerges *merges;
    gatomicrefcount refs;
};

/* A vocabulary with the line end as its only symbol. */
NsSubwords *ns_subwords_new(void);

/* The number of a symbol, which is added if it is new; NS_TOKENS_MAX if the vocabulary is full. */
size_t ns_subwords_symbol(NsSubwords *subwords, const char *symbol);

/* Writes the characters of a word as symbols, at most one for each of its bytes; returns how many.
 */
size_t ns_subwords_spell(const NsSubwords *subwords, const char *word, size_t bytes,
                         uint16_t *symbols);
