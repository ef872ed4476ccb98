/* SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include "core/base/words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct {
    NsFigure figure;
    NsSource run;
    NsQuantity quantity;
    NsHeatmap map;
    float *z;        /* [heads, layers] */
    NsValues values; /* [layers, heads] as read */
    NsBucket bucket;
} Heads;

/* Where the quantity is none of heads, the entropy is shown. */
static NsQuantity shown_quantity(const NsFigureInput *input)
{
    bool of_heads = ns_quantity(input->quantity)->domain == NS_DOMAIN_HEAD;
    return of_heads ? input->quantity : NS_QUANTITY_HEAD_ENTROPY_ATTENTION;
}

static void restart(Heads *heads, const NsHistory *history)
{
    const NsRecordLayout *layout = history ? ns_history_layout(history) : NULL;
    size_t count = layout ? layout->count[heads->quantity] : 0;
    g_clear_pointer(&heads->z, g_free);
    ns_values_free(&heads->values);
    heads->map = (NsHeatmap){.x0 = 0.5, .y0 = 0.5};
    heads->bucket = (NsBucket){-1, -1};
    if (!count) return;
    heads->map.rows = layout->heads;
    heads->map.columns = layout->layers;
    heads->map.x1 = (double)layout->layers + 0.5;
    heads->map.y1 = (double)layout->heads + 0.5;
    heads->z = g_new(float, count);
    heads->values = ns_values_new(count);
}

/* TRUE if a value or the step differs from what is there. */
static bool read_record(Heads *heads, NsHistory *history, size_t record)
{
    size_t L = heads->map.columns, H = heads->map.rows, n = L * H;
    g_auto(NsValues) values = ns_values_new(n);
    record = ns_history_measured(history, heads->quantity, record);
    NsBucket bucket =
        ns_history_read(history, heads->quantity, record, NULL, values.value, values.has);
    if (bucket.first == heads->bucket.first && bucket.last == heads->bucket.last &&
        !memcmp(values.value, heads->values.value, n * sizeof *values.value) &&
        !memcmp(values.has, heads->values.has, n * sizeof *values.has))
        return false;
    heads->bucket = bucket;
    memcpy(heads->values.value, values.value, n * sizeof *values.value);
    memcpy(heads->values.has, values.has, n * sizeof *values.has);
    for (size_t l = 0; l < L; l++)
        for (size_t h = 0; h < H; h++)
            heads->z[h * L + l] = values.has[l * H + h] ? values.value[l * H + h] : -INFINITY;
    return true;
}

static char *note(const Heads *heads)
{
    if (heads->bucket.first == heads->bucket.last) return NULL;
    return g_strdup_printf(_("The largest of steps %" PRId64 "–%" PRId64 "."), heads->bucket.first,
                           heads->bucket.last);
}

static bool update(NsFigure *figure, const NsFigureInput *input)
{
    Heads *heads = (Heads *)figure;
    NsQuantity quantity = shown_quantity(input);
    const NsQuantityInfo *info = ns_quantity(quantity);
    bool log = ns_figure_scale(quantity, input) == NS_SCALE_LOG;
    int64_t record = ns_figure_record(input);
    bool changed = ns_source_follow(&heads->run, input->history) || heads->quantity != quantity;
    heads->quantity = quantity;
    if (changed) restart(heads, input->history);
    if (record >= 0 && heads->z) changed |= read_record(heads, input->history, (size_t)record);
    changed |= heads->map.log != log;

    bool missing = record >= 0 && !heads->z, there = record >= 0 && heads->z;
    g_autofree char *empty = missing ? ns_figure_absent(quantity, input->history)
                                     : g_strdup(_("No step has been measured yet."));
    changed |= ns_figure_text(&figure->left_label, g_strdup(info->symbol));
    changed |=
        ns_figure_text(&figure->x_label, ns_figure_axis(NS_QUANTITY_GRAD_LAYER, input->history));
    changed |= ns_figure_words(figure, input,
                               (NsFigureWords){.title = _(info->choice.label),
                                               .empty = empty,
                                               .step = there ? heads->bucket.last : -1,
                                               .note = there ? note(heads) : NULL});
    if (!changed) return false;

    heads->map.z = heads->z;
    heads->map.log = log;
    heads->map.label = figure->left_label;
    figure->plot.x.label = figure->x_label;
    figure->plot.heatmap = there ? &heads->map : NULL;
    return true;
}

static void clear(NsFigure *figure)
{
    Heads *heads = (Heads *)figure;
    ns_source_follow(&heads->run, NULL);
    g_free(heads->z);
    ns_values_free(&heads->values);
}

NsFigure *ns_heads_new(void)
{
    static const NsFigureClass class = {sizeof(Heads), update, clear, NS_SEEDS_FIRST};
    NsFigure *figure = ns_figure_alloc(&class);
    figure->one_model = true;
    figure->plot.left.label = _("head");
    figure->plot.left.integer = true;
    return figure;
}
