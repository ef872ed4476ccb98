/* SPDX-License-Identifier: MIT */
#include "ui/figures/layer_values.h"
#include "core/base/words.h"

#include <math.h>
#include <string.h>

static bool is_same(const NsLayerValues *a, const NsLayerValues *b)
{
    size_t n = a->count;
    return a->source.history == b->source.history && n == b->count &&
           a->bucket.first == b->bucket.first && a->bucket.last == b->bucket.last &&
           (!n || (!memcmp(a->min, b->min, n * sizeof *a->min) &&
                   !memcmp(a->max, b->max, n * sizeof *a->max) &&
                   !memcmp(a->has, b->has, n * sizeof *a->has)));
}

bool ns_layer_values_read(NsLayerValues *values, NsHistory *history, NsQuantity quantity,
                          int64_t record)
{
    if (record < 0) {
        bool any = values->source.history != NULL;
        ns_layer_values_clear(values);
        return any;
    }
    const NsRecordLayout *layout = ns_history_layout(history);
    size_t n = layout->count[quantity];
    NsLayerValues now = {
        .count = n, .min = g_new(float, n), .max = g_new(float, n), .has = g_new(bool, n)};
    ns_source_follow(&now.source, history);
    if (n) {
        size_t measured = ns_history_measured(history, quantity, (size_t)record);
        now.bucket = ns_history_read(history, quantity, measured, now.min, now.max, now.has);
    }
    if (is_same(values, &now)) {
        ns_layer_values_clear(&now);
        return false;
    }
    now.x = g_new(double, n);
    now.y = g_new(double, n);
    now.lo = g_new(double, n);
    size_t heads = ns_quantity(quantity)->domain == NS_DOMAIN_HEAD ? layout->heads : 1;
    now.band = now.bucket.last > now.bucket.first || heads > 1;
    unsigned first_layer = ns_quantity(quantity)->domain == NS_DOMAIN_STEP
                               ? (unsigned)layout->hidden - 1
                               : ns_figure_first_layer(quantity);
    /* The range of the measured values of a layer: over its heads, or its only value. */
    for (size_t layer = 0; layer * heads < n; layer++) {
        float least = INFINITY, most = -INFINITY;
        bool any = false;
        for (size_t i = layer * heads; i < (layer + 1) * heads; i++) {
            if (!now.has[i]) continue;
            least = now.min[i] < least || isnan(now.min[i]) ? now.min[i] : least;
            most = now.max[i] > most || isnan(now.max[i]) ? now.max[i] : most;
            any = true;
        }
        if (!any) continue;
        now.x[now.n] = (double)(layer + first_layer);
        now.y[now.n] = (double)most;
        now.lo[now.n++] = (double)least;
    }
    ns_layer_values_clear(values);
    *values = now;
    return true;
}

void ns_layer_values_clear(NsLayerValues *values)
{
    ns_source_follow(&values->source, NULL);
    g_free(values->min);
    g_free(values->max);
    g_free(values->has);
    g_free(values->x);
    g_free(values->y);
    g_free(values->lo);
    *values = (NsLayerValues){0};
}

#define DEPTHS_APART 1.5 /* in decades */

void ns_layer_axis_fit(NsAxis *axis, const NsLayerValues *const *values, size_t n)
{
    double first = INFINITY, least = INFINITY, most = 0;
    for (size_t i = 0; i < n; i++) {
        if (!values[i]->n) continue;
        first = MIN(first, values[i]->x[0]);
        least = MIN(least, values[i]->x[values[i]->n - 1]);
        most = MAX(most, values[i]->x[values[i]->n - 1]);
    }
    bool apart = least > 0 && most >= pow(10, DEPTHS_APART) * least;
    axis->scale = !apart ? NS_SCALE_LINEAR : first > 0 ? NS_SCALE_LOG : NS_SCALE_SYMLOG;
}

static const NsLevel equal = {.y = 1};

/* If a wild curve leaves the axis, the axis ends at this multiple of the largest other ratio. */
#define ABOVE 2

const NsPlot *ns_ratio_panel_new(NsFigure *figure, const NsLayerValues *const *values,
                                 const NsWildRun *runs, size_t n, size_t below, NsScaleKind scale)
{
    NsSeries *series = ns_figure_own(figure, g_new(NsSeries, n));
    const char *name = runs[below].name;
    size_t shown = 0;
    double most = 1;
    bool wild = false;
    for (size_t i = 0; i < n; i++) {
        if (i == below) continue;
        double *x = ns_figure_own(figure, g_new(double, values[i]->n));
        double *y = ns_figure_own(figure, g_new(double, values[i]->n));
        const NsLayerValues *a = values[below], *b = values[i];
        size_t points = 0;
        for (size_t j = 0, k = 0; j < a->n && k < b->n;) {
            if (a->x[j] < b->x[k]) {
                j++;
            } else if (b->x[k] < a->x[j]) {
                k++;
            } else {
                x[points] = b->x[k];
                y[points++] = b->y[k++] / a->y[j++];
            }
        }
        /* With depths far apart most layers have no ratio. */
        if (!points || 2 * points < MAX(a->n, b->n)) continue;
        wild |= runs[i].wild;
        for (size_t k = 0; k < points && !runs[i].wild; k++)
            if (isfinite(y[k])) most = MAX(most, y[k]);
        series[shown++] = (NsSeries){
            .label = ns_figure_own(figure, g_strdup_printf("%s / %s", runs[i].name, name)),
            .kind = NS_SERIES_POINTS,
            .style = (unsigned)i,
            .n = points,
            .x = x,
            .y = y};
    }
    if (!shown) return NULL;
    bool letters = strlen(name) == 1; /* names would not fit beside the panel */
    char *over = g_strdup_printf(C_("ratio panel", "over %s"), name);
    const char *axis = ns_figure_own(figure, over);
    if (n == 2 && letters)
        axis = ns_figure_own(figure, g_strdup_printf(_("ratio %s"), series[0].label));
    NsPlot *plot = ns_figure_own(figure, g_new(NsPlot, 1));
    *plot = (NsPlot){.left = {.label = axis,
                              .scale = scale,
                              .lo = NAN,
                              .hi = wild && !runs[below].wild ? ABOVE * most : (double)NAN},
                     .series = series,
                     .n_series = shown,
                     .levels = &equal,
                     .n_levels = 1,
                     .denominator = 1 + (unsigned)below};
    return plot;
}
