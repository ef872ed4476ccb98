/* What learning and using subwords share.  Internal to core/data.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/subwords.h"

struct NsSubwords {
    GPtrArray *symbols;  /* as a file of merges has them: "lo", "w</w>"; number 0 is "\n" */
    GHashTable *numbers; /* from a symbol to its number */
    NsMerges *merges;
    gatomicrefcount refs;
};

/* With the line end as the only symbol. */
NsSubwords *ns_subwords_new(void);

/* The number of a symbol, which is made where it is none; NS_TOKENS_MAX where there is no room. */
size_t ns_subwords_symbol(NsSubwords *subwords, const char *symbol);

/* Writes the characters of a word as symbols: at most as many as it has bytes; returns how many. */
size_t ns_subwords_spell(const NsSubwords *subwords, const char *word, size_t bytes,
                         uint16_t *symbols);
