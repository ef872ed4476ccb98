/* An experiment in words.  SPDX-License-Identifier: MIT */
#include "ui/session/experiment_words.h"

#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/figures/settings_caption.h"

#include <string.h>

/* ---- Changes ---- */

char *ns_settings_value_words(const NsSettings *settings, const NsParam *param)
{
    if (g_str_equal(param->key, "placement")) return ns_settings_placement_words(settings);
    if (param->type == NS_PARAM_CHOICE)
        return g_strdup(_(param->choices((size_t)ns_settings_get_number(settings, param))->label));
    g_autofree char *value = ns_settings_get(settings, param);
    const char *word = ns_param_word(param, value);
    if (word) return g_strdup(word);
    bool file = g_str_equal(param->key, "text") || strchr(value, '/');
    if (*value && param->type == NS_PARAM_TEXT && file) return g_path_get_basename(value);
    /* A seed is an identifier and not a count. */
    bool count = param->type == NS_PARAM_INT && !g_str_has_suffix(param->key, "seed");
    return count ? ns_group_plain(value) : g_steal_pointer(&value);
}

/* The lanes in which a setting differs. */
static char *lanes_of(const NsExperiment *from, const NsExperiment *to, const NsParam *param)
{
    g_autoptr(GString) names = g_string_new(NULL);
    for (size_t lane = 0; lane < to->n; lane++)
        if (!ns_settings_same(&from->lane[lane], &to->lane[lane], param))
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", ns_lane_letter(lane));
    return g_string_free(g_steal_pointer(&names), FALSE);
}

static char *change_of(const NsExperiment *from, const NsExperiment *to, const NsParam *param)
{
    g_autofree char *names = lanes_of(from, to, param);
    size_t lane = 0;
    while (!g_str_has_prefix(names, ns_lane_letter(lane))) lane++;
    g_autofree char *before = ns_settings_value_words(&from->lane[lane], param);
    g_autofree char *after = ns_settings_value_words(&to->lane[lane], param);
    if (ns_experiment_is_linked(to, param) || to->n == 1)
        return g_strdup_printf(_("%s: %s → %s"), _(param->label), before, after);
    return g_strdup_printf(_("%s of %s: %s → %s"), _(param->label), names, before, after);
}

/* The lanes of the first experiment that the other one lacks: "B", "C, D". */
static char *removed(const NsExperiment *from, const NsExperiment *to)
{
    size_t left = from->n - to->n;
    g_autoptr(GString) names = g_string_new(NULL);
    for (size_t lane = 0, k = 0; lane < from->n && left; lane++) {
        bool same = k < to->n;
        for (size_t i = 0; same && ns_param(i); i++)
            same = ns_settings_same(&from->lane[lane], &to->lane[k], ns_param(i));
        k += same;
        if (same) continue;
        g_string_append_printf(names, "%s%s", names->len ? ", " : "", ns_lane_letter(lane));
        left--;
    }
    return g_string_free(g_steal_pointer(&names), FALSE);
}

char *ns_experiment_again_words(const NsExperiment *from, const NsExperiment *to)
{
    bool back = to->n > from->n;
    size_t n = back ? to->n - from->n : from->n - to->n;
    if (n) {
        g_autofree char *names = back ? removed(to, from) : removed(from, to);
        return g_strdup_printf(back ? ns_plural("Lane %s is back", "Lanes %s are back", n)
                                    : ns_plural("Lane %s is removed", "Lanes %s are removed", n),
                               names);
    }
    const NsParam *changed = NULL, *split = NULL;
    for (size_t i = 0; ns_param(i); i++) {
        g_autofree char *names = lanes_of(from, to, ns_param(i));
        if (from->split[i] != to->split[i] && !split) split = ns_param(i);
        if (*names) changed = ns_param(i);
        n += *names != '\0';
    }
    if (n > 1)
        return g_strdup_printf(
            ns_plural("%zu setting is as it was", "%zu settings are as they were", n), n);
    if (!changed && !split) return g_strdup(_("The lanes are as they were"));
    if (!changed)
        return g_strdup_printf(ns_experiment_is_linked(to, split) ? _("%s is linked again")
                                                                  : _("%s is split again"),
                               _(split->label));
    g_autofree char *lanes = lanes_of(from, to, changed);
    size_t lane = 0;
    while (!g_str_has_prefix(lanes, ns_lane_letter(lane))) lane++;
    g_autofree char *value = ns_settings_value_words(&to->lane[lane], changed);
    const char *words = *value ? value : _("none");
    if (ns_experiment_is_linked(to, changed) || to->n == 1)
        return g_strdup_printf(_("%s is %s again"), _(changed->label), words);
    return g_strdup_printf(_("%s of %s is %s again"), _(changed->label), lanes, words);
}

/* If more settings than this differ, only the first one is named. */
#define NAMED_MOST 3

char *ns_experiment_difference_words(const NsExperiment *from, const NsExperiment *to)
{
    if (to->n != from->n) return ns_experiment_title(to);
    g_autoptr(GPtrArray) changes = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; ns_param(i); i++) {
        g_autofree char *names = lanes_of(from, to, ns_param(i));
        /* A run that continues may have other threads, which nobody chose. */
        bool chosen = !g_str_equal(ns_param(i)->key, "threads");
        if (*names && chosen) g_ptr_array_add(changes, change_of(from, to, ns_param(i)));
    }
    guint n = changes->len;
    if (n == 0) return NULL;
    if (n > NAMED_MOST)
        return g_strdup_printf(
            ns_plural("%s and %u more setting", "%s and %u more settings", n - 1),
            (const char *)changes->pdata[0], n - 1);
    g_ptr_array_add(changes, NULL);
    return g_strjoinv(", ", (char **)changes->pdata);
}

/* ---- Titles ---- */

static char *depth_of(const NsSettings *s)
{
    g_autofree char *layers = ns_group_digits(s->layers);
    if (s->arch != NS_ARCH_ENCODER_DECODER)
        return g_strdup_printf(ns_plural("%s layer", "%s layers", s->layers), layers);
    g_autofree char *decoder = ns_group_digits(ns_settings_decoder_layers(s));
    return g_strdup_printf(_("%s + %s layers"), layers, decoder);
}

/* "Post-LN vs Pre-LN", or "3 × Post-LN vs DeepNorm": the words of each lane, without duplicates. */
static char *versus(const NsExperiment *experiment, char *(*words)(const NsSettings *), bool count)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
    size_t lanes[NS_LANES_MAX] = {0};
    for (size_t lane = 0; lane < experiment->n; lane++) {
        g_autofree char *own = words(&experiment->lane[lane]);
        guint at = all->len;
        if (!g_ptr_array_find_with_equal_func(all, own, g_str_equal, &at))
            g_ptr_array_add(all, g_steal_pointer(&own));
        lanes[at]++;
    }
    for (guint i = 0; count && all->len > 1 && i < all->len; i++) {
        if (lanes[i] == 1) continue;
        g_autofree char *own = all->pdata[i];
        all->pdata[i] = g_strdup_printf("%zu × %s", lanes[i], own);
    }
    g_ptr_array_add(all, NULL);
    return g_strjoinv(C_("between lanes", " vs "), (char **)all->pdata);
}

static bool differs(const NsExperiment *experiment, const char *key)
{
    return ns_experiment_differs(experiment, ns_param_find(key));
}

size_t ns_experiment_differences(const NsExperiment *experiment)
{
    size_t n = 0;
    for (size_t i = 0; ns_param(i); i++) n += ns_experiment_differs(experiment, ns_param(i));
    return n;
}

char *ns_experiment_title(const NsExperiment *experiment)
{
    size_t n = ns_experiment_differences(experiment);
    bool placement = differs(experiment, "placement") || differs(experiment, "mixture");
    bool depth = differs(experiment, "layers") || differs(experiment, "decoder-layers");
    g_autofree char *left = versus(experiment, ns_settings_placement_words, true);
    g_autofree char *right = versus(experiment, depth_of, false);
    if (n == 0 || placement || depth) return g_strdup_printf(_("%s, %s"), left, right);
    const NsParam *param = ns_param(0);
    while (!ns_experiment_differs(experiment, param)) param++;
    if (n > 1)
        return g_strdup_printf(
            ns_plural("%s, %s; %zu setting differs", "%s, %s; %zu settings differ", n), left, right,
            n);
    return g_strdup_printf(_("%s, %s; “%s” differs"), left, right, _(param->label));
}

char *ns_experiment_brief_title(const NsExperiment *experiment)
{
    g_autofree char *placements = versus(experiment, ns_settings_placement_words, true);
    bool depth = differs(experiment, "layers") || differs(experiment, "decoder-layers");
    if (!depth || strstr(placements, C_("between lanes", " vs ")))
        return g_steal_pointer(&placements);
    return versus(experiment, depth_of, false);
}
