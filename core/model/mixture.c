/* A placement for each layer, written as a pattern.  SPDX-License-Identifier: MIT */
#include "core/model/placement.h"

#include "core/base/error.h"

#include <string.h>

/* A larger count is a typo, since no model has more layers. */
#define REPEATS_MAX 10000

typedef struct {
    const NsPlacement *placement;
    unsigned repeats;
} Part;

static bool read_repeats(const char *text, const char *part, unsigned *repeats, GError **error)
{
    guint64 n;
    if (g_ascii_string_to_unsigned(text, 10, 1, REPEATS_MAX, &n, NULL)) {
        *repeats = (unsigned)n;
        return true;
    }
    return ns_refuse(error, NS_ERROR_SETTING,
                     "The part “%s” of the mixture has no count; write a placement, * and a number "
                     "from 1 to %d, such as post*3.",
                     part, REPEATS_MAX);
}

static bool read_part(const char *text, Part *part, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, "*", 2);
    const char *key = g_strstrip(words[0] ? words[0] : (char[]){""});
    int row = ns_choices_find(ns_placement_choice, key);
    if (row < 0) {
        g_autofree char *keys = ns_choices_keys(ns_placement_choice);
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The mixture names “%s”, which is not a placement; choose from %s.", key,
                         keys);
    }
    part->placement = ns_placement((size_t)row);
    part->repeats = 1;
    if (part->placement->dual_stream)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The placement “%s” runs a second stream through all layers and cannot be "
                         "part of a mixture; choose it with placement=%s.",
                         key, key);
    return !words[1] || read_repeats(g_strstrip(words[1]), text, &part->repeats, error);
}

const NsPlacement *ns_mixture_at(const char *mixture, unsigned layer, unsigned layers,
                                 GError **error)
{
    g_auto(GStrv) texts = g_strsplit(mixture, ",", -1);
    unsigned n = g_strv_length(texts);
    g_autofree Part *parts = g_new0(Part, n + 1);
    guint64 total = 0;
    for (unsigned i = 0; i < n; i++) {
        if (!read_part(texts[i], &parts[i], error)) return NULL;
        total += parts[i].repeats;
    }
    guint64 at = layer * total / MAX(layers, 1);
    for (unsigned i = 0; i < n; i++) {
        if (at < parts[i].repeats) return parts[i].placement;
        at -= parts[i].repeats;
    }
    ns_refuse(error, NS_ERROR_SETTING,
              "The mixture is empty; write placements and their counts, such as post*3,pre*9.");
    return NULL;
}
