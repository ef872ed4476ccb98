/* SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include "core/base/digits.h"
#include "core/base/words.h"

#include <math.h>

typedef struct {
    NsFigure figure;
    NsSimilarityKind kind;
    NsSimilarity similarity;
    bool there;
    NsHeatmap map;
    double lo, hi; /* limits of the color scale that the lanes share */
} Similarity;

static bool is_undefined(const Similarity *s, size_t state)
{
    return !s->similarity.has[s->kind][state * (s->similarity.n + 1)];
}

/* The matrix is symmetric, so one triangle is enough.  Cells are equally wide; if not all states
 * are compared, each cell covers several. */
static void fill_map(Similarity *s)
{
    size_t n = s->similarity.n, cells = n * n;
    ns_figure_forget(&s->figure);
    float *z = ns_figure_own(&s->figure, g_new(float, cells));
    bool *undefined = ns_figure_own(&s->figure, g_new(bool, cells));
    for (size_t i = 0; i < cells; i++) {
        bool shown = i % n >= i / n;
        z[i] = shown && s->similarity.has[s->kind][i] ? s->similarity.value[s->kind][i] : -INFINITY;
        undefined[i] = shown && (is_undefined(s, i % n) || is_undefined(s, i / n));
    }
    double end = (double)s->similarity.state[n - 1] + 0.5;
    s->map = (NsHeatmap){.z = z,
                         .rows = n,
                         .columns = n,
                         .x0 = -0.5,
                         .x1 = end,
                         .y0 = -0.5,
                         .y1 = end,
                         .label = ns_similarity_choice(s->kind)->formula,
                         .lo = s->lo,
                         .hi = s->hi,
                         .square = true,
                         .values = true,
                         .undefined = undefined};
}

static char *note(const Similarity *s, const NsFigureInput *input)
{
    if (!s->there) return NULL;
    GString *words = g_string_new(NULL);
    g_autofree char *step = ns_group_digits(s->similarity.step);
    bool all = s->similarity.state[s->similarity.n - 1] + 1 == s->similarity.n;
    bool shown = input->step < 0 || input->step == s->similarity.step;
    if (!all)
        ns_figure_add_sentence(words, _("%zu evenly spaced states are compared."), s->similarity.n);
    size_t undefined = 0;
    for (size_t i = 0; i < s->similarity.n; i++) undefined += is_undefined(s, i);
    if (undefined)
        ns_figure_add_sentence(
            words,
            s->kind == NS_SIMILARITY_CKA
                ? _("In %zu of %zu states all tokens are equal up to rounding: their CKA is 0/0 "
                    "(gray).")
                : _("In %zu of %zu states all tokens are zero and have no direction (gray)."),
            undefined, s->similarity.n);
    if (!shown)
        ns_figure_add_sentence(words, _("Only the newest matrix is kept, from step %s."), step);
    return g_string_free(words, words->len == 0);
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Similarity *s = (Similarity *)figure;
    NS_FIGURE_SET(figure, s->kind, input->similarity);
    NsSimilarity newest;
    bool there = input->history && ns_history_similarity(input->history, &newest);
    NS_FIGURE_SET(figure, s->there, there);
    if (there) {
        figure->changed |= newest.step != s->similarity.step;
        s->similarity = newest;
    }
    /* Set the limits of the color scale: all possible values, or for a cosine, which is rarely
     * negative, the range of the lanes; a single lane uses the range of its own values. */
    bool bounded = s->kind != NS_SIMILARITY_COSINE;
    NsRange range = bounded ? (NsRange){0, 1} : (NsRange){INFINITY, -INFINITY};
    for (unsigned lane = 0; lane < input->n_beside && !bounded; lane++) {
        NsSimilarity of;
        if (!input->lanes[lane].history || !ns_history_similarity(input->lanes[lane].history, &of))
            continue;
        for (size_t i = 0; i < of.n * of.n; i++) {
            if (of.has[s->kind][i]) ns_range_widen(&range, (double)of.value[s->kind][i]);
        }
    }
    if (!(range.lo < range.hi)) range = (NsRange){0, 0};
    NS_FIGURE_SET(&s->figure, s->lo, range.lo);
    NS_FIGURE_SET(&s->figure, s->hi, range.hi);

    g_autofree char *empty = ns_token_source_empty(input);
    g_autofree char *title =
        g_strdup_printf(_("%s of hidden states"), _(ns_similarity_choice(s->kind)->label));
    const char *axis = ns_figure_axis(NS_QUANTITY_HIDDEN_NORM, input->history);
    NS_FIGURE_SET(figure, figure->plot.x.label, axis);
    NS_FIGURE_SET(figure, figure->plot.left.label, axis);
    ns_figure_words(figure, input,
                    (NsFigureWords){
                        .title = title,
                        .empty = empty,
                        .step = s->there ? s->similarity.step : -1,
                        .note = note(s, input),
                    });
    if (!figure->changed) return;

    if (s->there) fill_map(s);
    figure->plot.heatmap = s->there ? &s->map : NULL;
}

static void init(NsFigure *figure)
{
    figure->plot.left.integer = true;
}

const NsFigureClass ns_similarity_class = {sizeof(Similarity), init, update, NULL, NS_SEEDS_FIRST};
