/* SPDX-License-Identifier: MIT */
#include "ui/figures/layer_values.h"

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

/* Adds the range of the measured values of a layer: over its heads, or its only value. */
static void add_layer(NsLayerValues *values, size_t layer, size_t heads, unsigned first_layer)
{
    float least = INFINITY, most = -INFINITY;
    bool any = false;
    for (size_t i = layer * heads; i < (layer + 1) * heads; i++) {
        if (!values->has[i]) continue;
        least = values->min[i] < least || isnan(values->min[i]) ? values->min[i] : least;
        most = values->max[i] > most || isnan(values->max[i]) ? values->max[i] : most;
        any = true;
    }
    if (!any) return;
    values->x[values->n] = (double)(layer + first_layer);
    values->y[values->n] = (double)most;
    values->lo[values->n++] = (double)least;
}

bool ns_layer_values_read(NsLayerValues *values, NsHistory *history, NsQuantity quantity,
                          int64_t record, unsigned first_layer)
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
    for (size_t layer = 0; layer * heads < n; layer++) add_layer(&now, layer, heads, first_layer);
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
