/* SPDX-License-Identifier: MIT */
#include "ui/figures/token_source.h"

#include "core/base/words.h"

#include <math.h>

typedef struct {
    NsFigure figure;
    NsTokenSource newest;
    unsigned layer, head; /* asked for */
    size_t shown;         /* the map */
    NsHeatmap map;
    float *z;
    const char *names[NS_TOKEN_SNAPSHOT_POSITIONS + 1]; /* of positions, which count from 1 */
} Attention;

/* The map of a layer and head, or of the nearest layer that was kept. */
static size_t find_map(const NsTokenSnapshot *snapshot, unsigned layer, unsigned head)
{
    unsigned wanted = layer ? layer : snapshot->layer[snapshot->maps - 1], first = MAX(head, 1);
    size_t best = 0;
    unsigned least = G_MAXUINT;
    for (size_t m = 0; m < snapshot->maps; m++) {
        unsigned far =
            (unsigned)ABS((int)snapshot->layer[m] - (int)wanted) * NS_TOKEN_SNAPSHOT_MAPS;
        far += (unsigned)ABS((int)snapshot->head[m] - (int)first);
        if (far >= least) continue;
        least = far;
        best = m;
    }
    return best;
}

/* The tokens at the ticks of both axes; where they are nameless their positions stay.  Returns how
 * many positions the sequence has, without its padding. */
static size_t name_positions(Attention *attention)
{
    const NsTokenSnapshot *snapshot = attention->newest.snapshot;
    unsigned stack = snapshot->stack[attention->shown];
    size_t n = 0;
    attention->names[0] = "";
    for (; n < snapshot->queries && *snapshot->token[stack][n]; n++)
        attention->names[n + 1] = snapshot->token[stack][n];
    bool named = n > 0;
    NsAxis *axes[] = {&attention->figure.plot.x, &attention->figure.plot.left};
    for (size_t i = 0; i < G_N_ELEMENTS(axes); i++) {
        axes[i]->names = named ? attention->names : NULL;
        axes[i]->n_names = named ? n + 1 : 0;
        axes[i]->counted = named;
    }
    return named ? n : snapshot->queries;
}

static void fill(Attention *attention)
{
    const NsTokenSnapshot *snapshot = attention->newest.snapshot;
    size_t n = name_positions(attention), m = attention->shown;
    attention->z = g_renew(float, attention->z, n *n);
    for (size_t t = 0; t < n; t++)
        for (size_t j = 0; j < n; j++)
            attention->z[t * n + j] =
                j < snapshot->seen[m][t] ? snapshot->weight[m][t * snapshot->keys + j] : -INFINITY;
    attention->map = ns_figure_cells(attention->z, n, n, 1);
    attention->map.label = _("attention weight");
    attention->map.hi = 1;
    attention->map.square = true;
}

static bool update(NsFigure *figure, const NsFigureInput *input)
{
    Attention *attention = (Attention *)figure;
    bool changed = ns_token_source_follow(&attention->newest, input->history);
    changed |= attention->layer != input->layer || attention->head != input->head;
    attention->layer = input->layer;
    attention->head = input->head;
    const NsTokenSnapshot *snapshot = attention->newest.snapshot;
    bool there = attention->newest.there && snapshot->maps;
    if (there) attention->shown = find_map(snapshot, input->layer, input->head);
    g_autofree char *title =
        there ? g_strdup_printf(_("Attention, layer %u, head %u"),
                                snapshot->layer[attention->shown], snapshot->head[attention->shown])
              : g_strdup(_("Attention"));
    g_autofree char *empty = ns_token_source_empty(
        _("Attention maps are expensive to measure; “probe-every” sets how often."), input);
    changed |= ns_figure_words(
        figure, input,
        (NsFigureWords){.title = title,
                        .empty = empty,
                        .step = there ? snapshot->step : -1,
                        .note = there ? ns_token_source_note(&attention->newest, input) : NULL});
    if (!changed) return false;
    if (there) fill(attention);
    figure->plot.heatmap = there ? &attention->map : NULL;
    return true;
}

static void clear(NsFigure *figure)
{
    Attention *attention = (Attention *)figure;
    ns_token_source_clear(&attention->newest);
    g_free(attention->z);
}

/* The looks of the axes of a new one. */
static void init(NsFigure *figure)
{
    figure->plot.x.label = _("key position");
    figure->plot.left.label = _("query position");
    figure->plot.left.integer = true;
    figure->plot.left.reversed = true;
}

const NsFigureClass ns_attention_class = {sizeof(Attention), init, update, clear, NS_SEEDS_FIRST};
