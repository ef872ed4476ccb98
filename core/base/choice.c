/* SPDX-License-Identifier: MIT */
#include "core/base/choice.h"

#include "core/base/error.h"
#include "core/base/words.h"

#include <string.h>

/* Most keys that an error message lists. */
#define MOST_NAMED 40

int ns_choices_find(NsChoices choices, const char *key)
{
    for (size_t i = 0; choices(i); i++)
        if (g_str_equal(choices(i)->key, key) || g_strcmp0(choices(i)->former, key) == 0)
            return (int)i;
    return -1;
}

char *ns_choices_keys(NsChoices choices)
{
    GString *keys = g_string_new(NULL);
    for (size_t i = 0; choices(i); i++)
        g_string_append_printf(keys, "%s%s", i ? ", " : "", choices(i)->key);
    return g_string_free(keys, FALSE);
}

/* Number of edits between two words (Levenshtein 1966). */
static size_t edit_distance(const char *a, const char *b)
{
    size_t columns = strlen(b);
    g_autofree size_t *row = g_new(size_t, columns + 1);
    for (size_t j = 0; j <= columns; j++) row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < columns; j++) {
            size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = MIN(replaced, MIN(row[j], diagonal) + 1);
        }
    }
    return row[columns];
}

void ns_nearest_look(NsNearest *nearest, const char *word, const char *key)
{
    g_autofree char *small = g_ascii_strdown(word, -1);
    /* Whether the parts of a word are the beginnings of those of a key: “val_loss” of
     * “validation-loss”. */
    g_auto(GStrv) parts = g_strsplit_set(small, "-_ ", -1), all = g_strsplit_set(key, "-_ ", -1);
    size_t n = g_strv_length(parts);
    bool begins = n > 1 && n == g_strv_length(all);
    for (size_t i = 0; begins && i < n; i++)
        begins = *parts[i] && g_str_has_prefix(all[i], parts[i]);
    size_t edits = begins ? 1 : edit_distance(small, key);
    size_t close = MAX(strlen(small) / 2, 1);
    if (edits > close || (nearest->key && edits >= nearest->edits)) return;
    *nearest = (NsNearest){key, edits};
}

const NsChoice *ns_choices_nearest(NsChoices choices, const char *word)
{
    NsNearest nearest = {0};
    for (size_t i = 0; choices(i); i++) ns_nearest_look(&nearest, word, choices(i)->key);
    return nearest.key ? choices((size_t)ns_choices_find(choices, nearest.key)) : NULL;
}

void ns_choices_unknown(const char *what, const char *word, NsChoices choices, GError **error)
{
    const NsChoice *near = ns_choices_nearest(choices, word);
    g_autofree char *keys = ns_choices_keys(choices);
    size_t n = 0;
    while (choices(n)) n++;
    if (near)
        ns_refuse(error, NS_ERROR_USAGE, "There is no %s “%s”; did you mean “%s”?", _(what), word,
                  near->key);
    else if (n <= MOST_NAMED)
        ns_refuse(error, NS_ERROR_USAGE, "There is no %s “%s”; choose one of %s.", _(what), word,
                  keys);
    else
        ns_refuse(error, NS_ERROR_USAGE, "There is no %s “%s”; “normscope-cli list” shows all %zu.",
                  _(what), word, n);
}

int ns_choices_require(const char *what, const char *word, NsChoices choices, GError **error)
{
    int i = ns_choices_find(choices, word);
    if (i < 0) ns_choices_unknown(what, word, choices, error);
    return i;
}
