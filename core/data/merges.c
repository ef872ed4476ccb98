/* SPDX-License-Identifier: MIT */
#include "core/data/merges.h"

struct NsMerges {
    GArray *list;      /* NsMerge */
    GHashTable *ranks; /* from a pair (key_of) to its index in the list + 1 */
};

static gpointer key_of(uint16_t left, uint16_t right)
{
    return GUINT_TO_POINTER((guint)left << 16 | right);
}

NsMerges *ns_merges_new(void)
{
    NsMerges *merges = g_new(NsMerges, 1);
    merges->list = g_array_new(FALSE, FALSE, sizeof(NsMerge));
    merges->ranks = g_hash_table_new(NULL, NULL);
    return merges;
}

void ns_merges_free(NsMerges *merges)
{
    if (!merges) return;
    g_array_unref(merges->list);
    g_hash_table_unref(merges->ranks);
    g_free(merges);
}

void ns_merges_add(NsMerges *merges, NsMerge merge)
{
    gpointer key = key_of(merge.left, merge.right);
    if (g_hash_table_contains(merges->ranks, key)) return;
    g_array_append_val(merges->list, merge);
    g_hash_table_insert(merges->ranks, key, GUINT_TO_POINTER(merges->list->len));
}

size_t ns_merges_count(const NsMerges *merges)
{
    return merges->list->len;
}

NsMerge ns_merges_at(const NsMerges *merges, size_t i)
{
    return g_array_index(merges->list, NsMerge, i);
}

size_t ns_merge_apply(NsMerge merge, uint16_t *word, size_t n)
{
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        bool pair = i + 1 < n && word[i] == merge.left && word[i + 1] == merge.right;
        word[left++] = pair ? merge.joined : word[i];
        i += pair;
    }
    return left;
}

size_t ns_merges_join(const NsMerges *merges, uint16_t *word, size_t n)
{
    for (;;) {
        guint first = G_MAXUINT;
        for (size_t i = 0; i + 1 < n; i++) {
            gpointer rank = g_hash_table_lookup(merges->ranks, key_of(word[i], word[i + 1]));
            if (rank) first = MIN(first, GPOINTER_TO_UINT(rank) - 1);
        }
        if (first == G_MAXUINT) return n;
        n = ns_merge_apply(ns_merges_at(merges, first), word, n);
    }
}
