/* SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"
#include "ui/figures/layer_values.h"

#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/plot/scale.h"

#include <math.h>

typedef struct {
    NsFigure figure;
    NsQuantity quantity;
    NsLayerValues values;
    NsHeatmap map;
    NsLayerValues alongside[NS_LANES_MAX]; /* values of all lanes */
    NsWildRun wild[NS_LANES_MAX];          /* the same lanes */
    double lo, hi;                         /* limits of the color scale that the lanes share */
    bool log;
} Heads;

/* Sets the limits of the color scale; a single lane uses the range of its own values. */
static void share_colors(Heads *heads, const NsFigureInput *input, bool log)
{
    NsRange range = {INFINITY, -INFINITY};
    for (unsigned i = 0; i < input->n_beside; i++) {
        NsLayerValues *values = &heads->alongside[i];
        NsHistory *history = input->lanes[i].history;
        int64_t record = ns_figure_record_at(history, input->step);
        ns_layer_values_read(values, history, heads->quantity, record);
        NsRange own = {INFINITY, -INFINITY};
        for (size_t k = 0; k < values->count; k++) {
            double value = (double)values->max[k];
            if (values->has[k] && (!log || value > 0)) ns_range_widen(&own, value);
        }
        heads->wild[i] = (NsWildRun){.history = history,
                                     .name = input->lanes[i].name,
                                     .most = MAX(own.hi, 0),
                                     .least = own.lo};
        range = (NsRange){MIN(range.lo, own.lo), MAX(range.hi, own.hi)};
    }
    range =
        ns_wild_colors(heads->wild, input->n_beside, log ? NS_SCALE_LOG : NS_SCALE_LINEAR, range);
    if (!(range.lo < range.hi)) range = (NsRange){0, 0};
    NS_FIGURE_SET(&heads->figure, heads->lo, range.lo);
    NS_FIGURE_SET(&heads->figure, heads->hi, range.hi);
}

static char *note(const Heads *heads, const NsFigureInput *input)
{
    GString *words = g_string_new(NULL);
    const NsBucket *steps = &heads->values.bucket;
    g_autofree char *first = ns_group_digits(steps->first);
    g_autofree char *last = ns_group_digits(steps->last);
    if (steps->first < steps->last)
        ns_figure_add_sentence(words, _("The largest of steps %s–%s."), first, last);
    for (unsigned i = 0; i < input->n_beside; i++)
        if (input->lanes[i].history == input->history)
            ns_wild_note(words, &heads->wild[i], 1, true);
    return g_string_free(words, words->len == 0);
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Heads *heads = (Heads *)figure;
    /* The quantity of the input; the entropy if that quantity is not measured in heads. */
    bool of_heads = ns_quantity(input->quantity)->domain == NS_DOMAIN_HEAD;
    NsQuantity quantity = of_heads ? input->quantity : NS_QUANTITY_HEAD_ENTROPY_ATTENTION;
    const NsQuantityInfo *info = ns_quantity(quantity);
    bool log = ns_figure_scale(quantity, input) == NS_SCALE_LOG;
    int64_t record = ns_figure_record(input->history, input->step);
    NS_FIGURE_SET(figure, heads->quantity, quantity);
    NS_FIGURE_SET(figure, heads->log, log);
    figure->changed |= ns_layer_values_read(&heads->values, input->history, quantity, record);
    share_colors(heads, input, log);
    bool there = heads->values.count > 0, missing = record >= 0 && !there;

    g_autofree char *empty = missing ? ns_figure_absent(quantity, input) : NULL;
    NS_FIGURE_SET(figure, figure->plot.x.label,
                  ns_figure_axis(NS_QUANTITY_GRAD_LAYER, input->history));
    ns_figure_words(figure, input,
                    (NsFigureWords){.title = _(info->choice.label),
                                    .empty = empty,
                                    .step = there ? heads->values.bucket.last : -1,
                                    .note = there ? note(heads, input) : NULL});
    if (!figure->changed) return;

    if (there) {
        /* Fills the cells with the value of every head (the largest if steps are grouped). */
        const NsRecordLayout *layout = ns_history_layout(heads->values.source.history);
        size_t L = layout->layers, H = layout->heads;
        ns_figure_forget(&heads->figure);
        float *z = ns_figure_own(&heads->figure, g_new(float, L *H)); /* [H, L] */
        for (size_t l = 0; l < L; l++)
            for (size_t h = 0; h < H; h++) {
                size_t i = l * H + h;
                z[h * L + l] = heads->values.has[i] ? heads->values.max[i] : -INFINITY;
            }
        heads->map = ns_figure_cells(z, H, L, 1);
        heads->map.label = ns_quantity(heads->quantity)->symbol;
        heads->map.lo = heads->lo;
        heads->map.hi = heads->hi;
        heads->map.log = heads->log;
    }
    figure->plot.heatmap = there ? &heads->map : NULL;
}

static void clear(NsFigure *figure)
{
    Heads *heads = (Heads *)figure;
    ns_layer_values_clear(&heads->values);
    for (unsigned i = 0; i < NS_LANES_MAX; i++) ns_layer_values_clear(&heads->alongside[i]);
}

static void init(NsFigure *figure)
{
    figure->plot.left.label = _("head");
    figure->plot.left.integer = true;
}

const NsFigureClass ns_heads_class = {sizeof(Heads), init, update, clear, NS_SEEDS_FIRST};
