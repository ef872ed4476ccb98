/* SPDX-License-Identifier: MIT */
#include "ui/figures/strip.h"

#include "core/base/words.h"

static const NsLevel equal = {.y = 1};

/* Ratios at the abscissas that both have; returns how many. */
static size_t divide(double *x, double *y, const NsStripCurve *a, const NsStripCurve *b)
{
    size_t n = 0;
    for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
        if (a->x[i] < b->x[k]) {
            i++;
        } else if (b->x[k] < a->x[i]) {
            k++;
        } else {
            x[n] = b->x[k];
            y[n++] = b->y[k++] / a->y[i++];
        }
    }
    return n;
}

const NsPlot *ns_strip_fill(NsStrip *strip, const NsStripCurve *curves, size_t n, NsScaleKind scale)
{
    size_t shown = 0;
    for (size_t i = 1; i < n; i++) {
        const NsStripCurve *curve = &curves[i];
        strip->x[i] = g_renew(double, strip->x[i], curve->n + 1);
        strip->y[i] = g_renew(double, strip->y[i], curve->n + 1);
        size_t points = divide(strip->x[i], strip->y[i], &curves[0], curve);
        g_free(strip->labels[i]);
        strip->labels[i] = g_strdup_printf("%s / %s", curve->name, curves[0].name);
        if (points)
            strip->series[shown++] = (NsSeries){.label = strip->labels[i],
                                                .kind = NS_SERIES_POINTS,
                                                .style = curve->style,
                                                .n = points,
                                                .x = strip->x[i],
                                                .y = strip->y[i]};
    }
    if (!shown) return NULL;
    g_free(strip->axis);
    strip->axis = n == 2 ? g_strdup(strip->labels[1])
                         : g_strdup_printf(C_("ratio strip", "over %s"), curves[0].name);
    strip->plot = (NsPlot){.left = {.label = strip->axis, .scale = scale, .lo = NAN, .hi = NAN},
                           .series = strip->series,
                           .n_series = shown,
                           .levels = &equal,
                           .n_levels = 1};
    return &strip->plot;
}

void ns_strip_clear(NsStrip *strip)
{
    for (size_t i = 0; i < NS_FIGURE_LANES; i++) {
        g_free(strip->x[i]);
        g_free(strip->y[i]);
        g_free(strip->labels[i]);
    }
    g_free(strip->axis);
    *strip = (NsStrip){0};
}
