/* SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include "core/base/words.h"
#include "ui/plot/text.h"

#include <math.h>

typedef struct {
    NsFigure figure;
    NsTokenSource newest;
    bool cross;           /* of cross-attention, where keys are tokens of the source */
    unsigned layer, head; /* as requested */
    size_t shown;         /* index of the map */
    NsHeatmap map;
    /* Labels of queries and keys, which are numbered from 1. */
    const char *names[2][NS_TOKEN_SNAPSHOT_POSITIONS + 1];
} Attention;

/* The number of maps of the kind that the figure shows, which start at *first. */
static size_t maps_of(const Attention *attention, const NsTokenSnapshot *snapshot, size_t *first)
{
    *first = attention->cross ? snapshot->maps : 0;
    return attention->cross ? snapshot->cross_maps : snapshot->maps;
}

/* The map of a layer and head, or of the nearest layer in the snapshot, which must have at least
 * one. */
static size_t find_map(const Attention *attention, unsigned layer, unsigned head)
{
    const NsTokenSnapshot *snapshot = &attention->newest.snapshot;
    size_t first, n = maps_of(attention, snapshot, &first), best = first;
    unsigned wanted = layer ? layer : snapshot->layer[first + n - 1], least = G_MAXUINT;
    for (size_t m = first; m < first + n; m++) {
        unsigned far =
            (unsigned)ABS((int)snapshot->layer[m] - (int)wanted) * NS_TOKEN_SNAPSHOT_MAPS;
        far += (unsigned)ABS((int)snapshot->head[m] - (int)MAX(head, 1));
        if (far >= least) continue;
        least = far;
        best = m;
    }
    return best;
}

/* Labels the ticks of an axis with the tokens of a stack; if tokens have no text, the positions
 * remain.  Returns the length of the sequence without padding. */
static size_t name_positions(Attention *attention, unsigned stack, NsAxis *axis, const char **names)
{
    const NsTokenSnapshot *snapshot = &attention->newest.snapshot;
    size_t n = 0;
    names[0] = "";
    for (; n < snapshot->queries && *snapshot->token[stack][n]; n++)
        names[n + 1] = ns_text_literal_name(snapshot->token[stack][n]);
    bool named = n > 0;
    axis->names = named ? names : NULL;
    axis->n_names = named ? n + 1 : 0;
    axis->counted = named;
    return named ? n : snapshot->queries;
}

/* At most a tenth of uniform attention over all keys: 0.001 for 32 keys. */
static double least_color(const NsTokenSnapshot *snapshot)
{
    return pow(10, floor(-log10(10.0 * (double)snapshot->keys)));
}

/* The sentence whose attention is shown, and its translation by the model. */
static char *note_of(const Attention *attention, const NsFigureInput *input)
{
    const NsTokenSnapshot *snapshot = &attention->newest.snapshot;
    GString *note = g_string_new(NULL);
    if (snapshot->translated && attention->cross)
        g_string_printf(note,
                        _("Source: %s\nReference: %s\nTranslation by the model at this step: %s"),
                        snapshot->source, snapshot->reference,
                        *snapshot->translation ? snapshot->translation : _("(nothing)"));
    g_autofree char *least = ns_text_value(least_color(snapshot), 1);
    if (note->len) g_string_append_c(note, '\n');
    g_string_append_printf(note, _("Weights below %s have the color of %s."), least, least);
    g_autofree char *older = ns_figure_newest_note(input, true, snapshot->step);
    if (older) ns_figure_add_sentence(note, "%s", older);
    return g_string_free(note, note->len == 0);
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Attention *attention = (Attention *)figure;
    ns_token_source_follow(&attention->newest, figure, input->history);
    NS_FIGURE_SET(figure, attention->layer, input->layer);
    NS_FIGURE_SET(figure, attention->head, input->head);
    const NsTokenSnapshot *snapshot = &attention->newest.snapshot;
    size_t first;
    bool there = attention->newest.there && maps_of(attention, snapshot, &first) > 0;
    if (there) attention->shown = find_map(attention, input->layer, input->head);
    bool cross = attention->cross;
    g_autofree char *title =
        !there
            ? g_strdup(cross ? _("Cross-attention") : _("Attention"))
            : g_strdup_printf(cross ? _("Cross-attention, layer %u, head %u")
                                    : _("Attention, layer %u, head %u"),
                              snapshot->layer[attention->shown], snapshot->head[attention->shown]);
    bool lacks = cross && input->settings && input->history &&
                 input->settings->arch != NS_ARCH_ENCODER_DECODER;
    g_autofree char *empty = lacks ? g_strdup(_("Only an encoder-decoder has cross-attention."))
                                   : ns_token_source_empty(input);
    ns_figure_words(figure, input,
                    (NsFigureWords){.title = title,
                                    .empty = empty,
                                    .step = there ? snapshot->step : -1,
                                    .note = there ? note_of(attention, input) : NULL});
    if (!figure->changed) return;
    if (there) {
        size_t m = attention->shown;
        unsigned stack = snapshot->stack[m];
        NsPlot *plot = &figure->plot;
        size_t queries = name_positions(attention, stack, &plot->left, attention->names[0]);
        size_t keys = name_positions(attention, cross ? 0 : stack, &plot->x, attention->names[1]);
        ns_figure_forget(figure);
        float *z = ns_figure_own(figure, g_new(float, queries *keys));
        for (size_t t = 0; t < queries; t++)
            for (size_t j = 0; j < keys; j++)
                z[t * keys + j] = j < snapshot->seen[m][t]
                                      ? snapshot->weight[m][t * snapshot->keys + j]
                                      : -INFINITY;
        attention->map = ns_figure_cells(z, queries, keys, 1);
        attention->map.label = _("attention weight");
        attention->map.log = true; /* linear colors would be dark but for the first rows */
        attention->map.lo = least_color(snapshot);
        attention->map.hi = 1;
        attention->map.square = true;
    }
    figure->plot.heatmap = there ? &attention->map : NULL;
}

static void init(NsFigure *figure)
{
    figure->plot.x.label = _("key position");
    figure->plot.left.label = _("query position");
    figure->plot.left.integer = true;
    figure->plot.left.reversed = true;
}

static void init_cross(NsFigure *figure)
{
    init(figure);
    figure->plot.x.label = _("source position");
    figure->plot.left.label = _("target position");
    ((Attention *)figure)->cross = true;
}

const NsFigureClass ns_attention_class = {sizeof(Attention), init, update, NULL, NS_SEEDS_FIRST};
const NsFigureClass ns_cross_attention_class = {sizeof(Attention), init_cross, update, NULL,
                                                NS_SEEDS_FIRST};
