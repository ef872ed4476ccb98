/* A placement for each layer, written as a pattern of keys and formulas.
 * SPDX-License-Identifier: MIT */
#include "core/model/placement.h"

#include "core/base/error.h"
#include "core/base/thread.h"

#include <math.h>
#include <string.h>

/* ---- Formulas ---- */

/* Longer texts are not read, so that brackets do not nest deeply. */
#define LONGEST 200

/* An expression that was parsed, as far as the block equation (core/model/placement.h) allows. */
typedef struct {
    enum { STREAM, NORMED_STREAM, BRANCH, NORMED_BRANCH, SUM, NORMED_SUM } form;
    NsWiring c; /* of a stream: s or a in `s`; of a branch: s, b; of a sum: s, b, a */
} Expression;

static bool parse_sum(const char **at, Expression *e);

/* A factor or none, then x, F(...) or N(...). */
static bool parse_term(const char **at, Expression *e)
{
    double factor = 1;
    char *end;
    if (g_ascii_isdigit(**at)) {
        factor = g_ascii_strtod(*at, &end);
        *at = end;
        if (!isfinite(factor)) return false;
    }
    char function = *(*at)++;
    if (function == 'x') {
        *e = (Expression){
            STREAM,
            {.s = factor, .b = 1, .gain_start = 1, .init = 1, .init_qk = 1, .lr = 1, .eps = 1}};
        return true;
    }
    if ((function != 'F' && function != 'N') || *(*at)++ != '(' || !parse_sum(at, e) ||
        *(*at)++ != ')')
        return false;
    bool stream = e->form == STREAM || e->form == NORMED_STREAM;
    if (function == 'F') {
        e->form = BRANCH;
        e->c.b = factor;
        return stream;
    }
    /* A norm undoes a factor on all that it normalizes. */
    bool plain = e->form == STREAM ? !(e->c.s < 1 || e->c.s > 1) : !(e->c.b < 1 || e->c.b > 1);
    switch ((int)e->form) {
    case STREAM:
        e->form = NORMED_STREAM;
        e->c.in = true;
        e->c.s = factor;
        return plain;
    case BRANCH:
        e->form = NORMED_BRANCH;
        e->c.branch = true;
        e->c.b = factor;
        return plain;
    case SUM:
        e->form = NORMED_SUM;
        e->c.out = true;
        return !(factor < 1 || factor > 1);
    default:
        return false;
    }
}

/* A term, or the sum of the stream and a branch in either order. */
static bool parse_sum(const char **at, Expression *e)
{
    Expression other;
    if (!parse_term(at, e)) return false;
    if (**at != '+') return true;
    ++*at;
    if (!parse_term(at, &other)) return false;
    if (e->form == STREAM) {
        Expression stream = *e;
        *e = other;
        other = stream;
    }
    bool fits = other.form == STREAM && (e->form == BRANCH || e->form == NORMED_BRANCH);
    e->form = SUM;
    e->c.a = other.c.s;
    return fits;
}

bool ns_placement_is_formula(const char *text)
{
    return strpbrk(text, "(+") != NULL;
}

/* The placement of a formula; NULL if it cannot be built.  A pointer to it stays valid, since
 * models refer to their placements. */
static const NsPlacement *typed_placement(const char *formula)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static GHashTable *typed; /* from the formula, written alike, to NsPlacement */
    g_autoptr(GString) text = g_string_new(formula);
    g_string_replace(text, " ", "", 0);
    if (g_str_has_prefix(text->str, "x'=")) g_string_erase(text, 0, strlen("x'="));
    const char *at = text->str;
    Expression e;
    if (text->len > LONGEST || !parse_sum(&at, &e) || *at || e.form < BRANCH) return NULL;
    g_string_replace(text, "+", " + ", 0);
    NS_HELD held = ns_hold(&mutex);
    if (!typed) typed = g_hash_table_new(g_str_hash, g_str_equal);
    NsPlacement *placement = g_hash_table_lookup(typed, text->str);
    if (!placement) {
        bool normed = e.form == NORMED_BRANCH || e.form == NORMED_SUM;
        char *key = g_strdup(text->str);
        placement = g_new(NsPlacement, 1);
        *placement = (NsPlacement){.choice = {.key = key, .label = g_strconcat("x' = ", key, NULL)},
                                   .final_norm = !normed && (e.c.in || e.c.branch),
                                   .typed = g_memdup2(&e.c, sizeof e.c)};
        g_hash_table_insert(typed, key, placement);
    }
    return placement;
}

/* ---- Mixtures ---- */

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
    char *key = g_strstrip(words[0] ? words[0] : (char[]){""});
    part->repeats = 1;
    if (ns_placement_is_formula(key)) {
        part->placement = typed_placement(key);
        if (!part->placement)
            return ns_refuse(error, NS_ERROR_SETTING,
                             "No sub-layer can be built from the formula “%s”; write N(a x + b "
                             "N(F(s N(x)))), where each N is optional and a, b and s are numbers "
                             "or omitted, such as x + N(F(N(x))).",
                             key);
        return !words[1] || read_repeats(g_strstrip(words[1]), text, &part->repeats, error);
    }
    int row = ns_choices_find(ns_placement_choice, key);
    if (row < 0) {
        g_autofree char *keys = ns_choices_keys(ns_placement_choice);
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The mixture names “%s”, which is not a placement; choose from %s.", key,
                         keys);
    }
    part->placement = ns_placement((size_t)row);
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
    return ns_refuse_null(
        error, NS_ERROR_SETTING,
        "The mixture is empty; write placements and their counts, such as post*3,pre*9.");
}
