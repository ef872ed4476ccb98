/* Charts by name.  SPDX-License-Identifier: MIT */
#include "ui/figures/spec.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "ui/figures/figure.h"

#include <math.h>
#include <string.h>

#define ALL "all"
#define MOST_PLACES 1000000 /* maximum number of a layer or a head */

static bool shows_quantity(const NsFigureKind *kind)
{
    return kind->subject == NS_SUBJECT_GRADIENT || kind->subject == NS_SUBJECT_HIDDEN ||
           kind->subject == NS_SUBJECT_QUANTITY;
}

NsFigureSpec ns_figure_spec(const NsFigureKind *kind)
{
    return (NsFigureSpec){.kind = kind, .quantity = kind->initial};
}

static bool show_quantity(NsFigureSpec *spec, const char *key, GError **error)
{
    static const char *const places[] = {
        [NS_DOMAIN_STEP] = N_("once a step"),
        [NS_DOMAIN_LAYER] = N_("in every layer"),
        [NS_DOMAIN_HIDDEN] = N_("on hidden states"),
        [NS_DOMAIN_HEAD] = N_("in every head"),
    };
    /* JSON lines have “_” for “-”. */
    g_autofree char *dashed = g_strdelimit(g_strdup(key), "_", '-');
    if (ns_choices_find(ns_quantity_choice, key) < 0 &&
        ns_choices_find(ns_quantity_choice, dashed) >= 0)
        key = dashed;
    g_autofree char *whole = g_strconcat("grad-", key, NULL);
    bool brief = ns_choices_find(ns_quantity_choice, key) < 0 &&
                 ns_choices_find(ns_quantity_choice, whole) >= 0;
    int i = ns_choices_require("quantity", brief ? whole : key, ns_quantity_choice, error);
    if (i < 0) return false;
    const NsQuantityInfo *info = ns_quantity((NsQuantity)i);
    if (!(spec->kind->domains & 1u << info->domain))
        return ns_refuse(
            error, NS_ERROR_USAGE,
            "%s is measured %s, which the figure %s does not show; “normscope-cli list quantities” "
            "shows where each is measured, and the figure steps can draw them all.",
            info->choice.key, _(places[info->domain]), spec->kind->choice.key);
    spec->quantity = (NsQuantity)i;
    return true;
}

/* "6", "6.2" */
static bool show_place(NsFigureSpec *spec, const char *key, GError **error)
{
    char *end;
    guint64 layer = g_ascii_strtoull(key, &end, 10), head = 0;
    bool good = end > key && layer > 0 && layer <= MOST_PLACES;
    if (good && *end == '.') {
        const char *rest = end + 1;
        head = g_ascii_strtoull(rest, &end, 10);
        good = end > rest && head > 0 && head <= MOST_PLACES;
    }
    if (!good || *end || !g_ascii_isdigit(*key))
        return ns_refuse(error, NS_ERROR_USAGE,
                         "“%s” is not a place in the figure %s; a place is a layer from 1, or a "
                         "layer and a head as in 6.2.",
                         key, spec->kind->choice.key);
    spec->layer = (unsigned)layer;
    spec->head = (unsigned)head;
    return true;
}

bool ns_figure_spec_show(NsFigureSpec *spec, const char *key, GError **error)
{
    if (shows_quantity(spec->kind)) return show_quantity(spec, key, error);
    if (spec->kind->subject == NS_SUBJECT_PLACE) return show_place(spec, key, error);
    if (spec->kind->subject != NS_SUBJECT_SIMILARITY)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "The figure %s has no choice of quantity; omit “%s”.",
                         spec->kind->choice.key, key);
    int i = ns_choices_require("similarity", key, ns_similarity_choice, error);
    if (i >= 0) spec->similarity = (NsSimilarityKind)i;
    return i >= 0;
}

bool ns_figure_specs_read(GArray *specs, const char *text, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    for (char **word = words; *word || word == words; word++) {
        if (!*word || !*g_strstrip(*word))
            return ns_refuse(
                error, NS_ERROR_USAGE,
                "“%s” lacks the name of a figure; write one name, or several separated by commas.",
                text);
        if (!g_str_equal(*word, ALL)) {
            char *colon = strchr(*word, ':');
            if (colon) *colon = '\0';
            int row = ns_choices_require("figure", g_strstrip(*word), ns_figure_choice, error);
            if (row < 0) return false;
            NsFigureSpec spec = ns_figure_spec(ns_figure_kind((size_t)row));
            if (colon && !ns_figure_spec_show(&spec, g_strstrip(colon + 1), error)) return false;
            g_array_append_val(specs, spec);
            continue;
        }
        const NsFigureKind *kind;
        for (size_t i = 0; (kind = ns_figure_kind(i)); i++) {
            NsFigureSpec spec = ns_figure_spec(kind);
            if (kind->overview) g_array_append_val(specs, spec);
        }
    }
    return true;
}

char *ns_figure_spec_text(const NsFigureSpec *spec)
{
    const NsFigureSpec usual = ns_figure_spec(spec->kind);
    GString *text = g_string_new(spec->kind->choice.key);
    if (shows_quantity(spec->kind) && spec->quantity != usual.quantity)
        g_string_append_printf(text, ":%s", ns_quantity(spec->quantity)->choice.key);
    if (spec->kind->subject == NS_SUBJECT_SIMILARITY && spec->similarity != usual.similarity)
        g_string_append_printf(text, ":%s", ns_similarity_choice(spec->similarity)->key);
    if (spec->kind->subject == NS_SUBJECT_PLACE && spec->layer)
        g_string_append_printf(text, ":%u", spec->layer);
    if (spec->kind->subject == NS_SUBJECT_PLACE && spec->layer && spec->head)
        g_string_append_printf(text, ".%u", spec->head);
    return g_string_free(text, FALSE);
}

const char *ns_figure_spec_every(const NsFigureSpec *spec)
{
    if (spec->kind->expensive) return "probe-every";
    if (spec->kind->of_curvature) return "curvature-every";
    return shows_quantity(spec->kind) ? ns_quantity(spec->quantity)->every : NULL;
}

bool ns_figure_spec_is_expensive(const NsFigureSpec *spec)
{
    return g_strcmp0(ns_figure_spec_every(spec), "probe-every") == 0;
}

void ns_figure_spec_apply(const NsFigureSpec *spec, NsFigureInput *input)
{
    NsSubject subject = spec->kind->subject;
    if (subject == NS_SUBJECT_GRADIENT) input->gradient = spec->quantity;
    if (subject == NS_SUBJECT_HIDDEN) input->hidden = spec->quantity;
    if (subject == NS_SUBJECT_QUANTITY) input->quantity = spec->quantity;
    if (subject == NS_SUBJECT_SIMILARITY) input->similarity = spec->similarity;
    if (subject == NS_SUBJECT_PLACE) input->layer = spec->layer;
    if (subject == NS_SUBJECT_PLACE) input->head = spec->head;
}

NsFigureSpec ns_figure_spec_of(const NsFigureKind *kind, const NsFigureInput *input)
{
    return (NsFigureSpec){.kind = kind,
                          .quantity = ns_figure_quantity(kind, input),
                          .similarity = input->similarity,
                          .layer = input->layer,
                          .head = input->head};
}

bool ns_smoothing_read(NsSmoothing *smoothing, const char *text, GError **error)
{
    const char *colon = strchr(text, ':');
    char *end = NULL;
    double amount = colon ? g_ascii_strtod(colon + 1, &end) : 0;
    bool number = colon && end > colon + 1 && !*end;
    bool none = g_str_equal(text, "none"), by_length = g_str_equal(text, "auto");
    bool ema = g_str_has_prefix(text, "ema:") && number && amount >= 0 && amount < 1;
    bool mean = g_str_has_prefix(text, "mean:") && number && amount >= 1 && amount <= 1e6 &&
                floor(amount) == amount;
    if (!none && !by_length && !ema && !mean)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "“%s” is not a smoothing; it must be none, auto, ema:WEIGHT with a weight "
                         "of the past below 1, or mean:STEPS.",
                         text);
    *smoothing = (NsSmoothing){none        ? NS_SMOOTH_NONE
                               : by_length ? NS_SMOOTH_AUTO
                               : ema       ? NS_SMOOTH_EMA
                                           : NS_SMOOTH_MEAN,
                               amount};
    return true;
}

char *ns_smoothing_text(NsSmoothing smoothing)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    if (smoothing.kind == NS_SMOOTH_NONE) return g_strdup("none");
    if (smoothing.kind == NS_SMOOTH_AUTO) return g_strdup("auto");
    g_ascii_formatd(digits, sizeof digits, "%.10g", smoothing.amount);
    return g_strconcat(smoothing.kind == NS_SMOOTH_EMA ? "ema:" : "mean:", digits, NULL);
}
