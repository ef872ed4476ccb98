/* SPDX-License-Identifier: MIT */
#include "ui/figures/layer_values.h"

#include <math.h>
#include <string.h>

static void resize(NsLayerValues *values, size_t count)
{
    values->count = count;
    values->n = 0;
    values->min = g_renew(float, values->min, count);
    values->max = g_renew(float, values->max, count);
    values->has = g_renew(bool, values->has, count);
    values->x = g_renew(double, values->x, count);
    values->y = g_renew(double, values->y, count);
    values->lo = g_renew(double, values->lo, count);
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
    bool changed = ns_source_follow(&values->source, history);
    if (changed || n != values->count) {
        resize(values, n);
        changed = true;
    }
    if (n == 0) return changed;

    g_autofree float *min = g_new(float, n), *max = g_new(float, n);
    g_autofree bool *has = g_new(bool, n);
    size_t measured = ns_history_measured(history, quantity, (size_t)record);
    NsBucket bucket = ns_history_read(history, quantity, measured, min, max, has);
    changed |= bucket.first != values->bucket.first || bucket.last != values->bucket.last ||
               memcmp(min, values->min, n * sizeof *min) ||
               memcmp(max, values->max, n * sizeof *max) ||
               memcmp(has, values->has, n * sizeof *has);
    if (!changed) return false;

    values->bucket = bucket;
    values->n = 0;
    memcpy(values->min, min, n * sizeof *min);
    memcpy(values->max, max, n * sizeof *max);
    memcpy(values->has, has, n * sizeof *has);
    size_t heads = ns_quantity(quantity)->domain == NS_DOMAIN_HEAD ? layout->heads : 1;
    values->band = bucket.last > bucket.first || heads > 1;
    for (size_t layer = 0; layer < n / heads; layer++) add_layer(values, layer, heads, first_layer);
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
