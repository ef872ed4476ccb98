/* The merges of a byte-pair encoding.  SPDX-License-Identifier: MIT
 *
 * The pair of adjacent tokens of a word that comes first in the list of merges is joined wherever
 * it occurs in the word, until no listed pair is left.  Sennrich, Haddow, Birch 2016, arXiv
 * 1508.07909, 3.2. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A token fits into 16 bits. */
#define NS_TOKENS_MAX ((size_t)65536)

typedef struct {
    uint16_t left, right, joined;
} NsMerge;

typedef struct NsMerges NsMerges;

NsMerges *ns_merges_new(void);
void ns_merges_free(NsMerges *merges);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsMerges, ns_merges_free)

/* Appends a merge, unless its pair is in the list already. */
void ns_merges_add(NsMerges *merges, NsMerge merge);

size_t ns_merges_count(const NsMerges *merges);
NsMerge ns_merges_at(const NsMerges *merges, size_t i);

/* Applies the merges to a word of n tokens in place; returns how many tokens are left. */
size_t ns_merges_join(const NsMerges *merges, uint16_t *word, size_t n);

/* Applies one merge, from left to right, to a word of n tokens in place; returns how many tokens
 * are left. */
size_t ns_merge_apply(NsMerge merge, uint16_t *word, size_t n);
