/* SPDX-License-Identifier: MIT */
#include "ui/figures/ratio_panel.h"

#include "core/base/words.h"

#include <math.h>
#include <string.h>

static const NsLevel equal = {.y = 1};

/* If a wild curve leaves the axis, the axis ends at this multiple of the largest other ratio. */
#define ABOVE 2

/* Computes the ratios b / a at the abscissas that both have; returns their number. */
static size_t divide(double *x, double *y, const NsRatioCurve *a, const NsRatioCurve *b)
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

const NsPlot *ns_ratio_panel_new(NsFigure *figure, const NsRatioCurve *curves, size_t n,
                                 NsScaleKind scale)
{
    NsSeries *series = ns_figure_own(figure, g_new(NsSeries, n));
    size_t shown = 0;
    double most = 1;
    bool wild = false;
    for (size_t i = 1; i < n; i++) {
        const NsRatioCurve *curve = &curves[i];
        double *x = ns_figure_own(figure, g_new(double, curve->n));
        double *y = ns_figure_own(figure, g_new(double, curve->n));
        size_t points = divide(x, y, &curves[0], curve);
        wild |= curve->wild;
        for (size_t k = 0; k < points && !curve->wild; k++)
            if (isfinite(y[k])) most = MAX(most, y[k]);
        if (!points) continue;
        char *label = g_strdup_printf("%s / %s", curve->name, curves[0].name);
        series[shown++] = (NsSeries){.label = ns_figure_own(figure, label),
                                     .kind = NS_SERIES_POINTS,
                                     .style = curve->style,
                                     .n = points,
                                     .x = x,
                                     .y = y};
    }
    if (!shown) return NULL;
    bool letters = strlen(curves[0].name) == 1; /* names would not fit beside the panel */
    char *over = g_strdup_printf(C_("ratio panel", "over %s"), curves[0].name);
    const char *axis = ns_figure_own(figure, over);
    if (n == 2 && letters) axis = series[0].label;
    NsPlot *plot = ns_figure_own(figure, g_new(NsPlot, 1));
    *plot = (NsPlot){.left = {.label = axis,
                              .scale = scale,
                              .lo = NAN,
                              .hi = wild && !curves[0].wild ? ABOVE * most : (double)NAN},
                     .series = series,
                     .n_series = shown,
                     .levels = &equal,
                     .n_levels = 1};
    return plot;
}
