/* SPDX-License-Identifier: MIT */
#include "ui/figures/ratio_panel.h"

#include "core/base/words.h"

#include <math.h>
#include <string.h>

static const NsLevel equal = {.y = 1};

/* If a wild curve leaves the axis, the axis ends at this multiple of the largest other ratio. */
#define ABOVE 2

/* The upper limit of the axis; NaN if all values fit. */
static double upper_end(const NsRatioPanel *panel, const NsRatioCurve *curves, size_t n)
{
    double most = 1;
    bool wild = false;
    for (size_t i = 1; i < n; i++) {
        wild |= curves[i].wild;
        for (size_t k = 0; k < panel->points[i] && !curves[i].wild; k++)
            if (isfinite(panel->y[i][k])) most = MAX(most, panel->y[i][k]);
    }
    return wild && !curves[0].wild ? ABOVE * most : (double)NAN;
}

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

const NsPlot *ns_ratio_panel_fill(NsRatioPanel *panel, const NsRatioCurve *curves, size_t n,
                                  NsScaleKind scale)
{
    size_t shown = 0;
    for (size_t i = 1; i < n; i++) {
        const NsRatioCurve *curve = &curves[i];
        panel->x[i] = g_renew(double, panel->x[i], curve->n + 1);
        panel->y[i] = g_renew(double, panel->y[i], curve->n + 1);
        size_t points = divide(panel->x[i], panel->y[i], &curves[0], curve);
        panel->points[i] = points;
        g_free(panel->labels[i]);
        panel->labels[i] = g_strdup_printf("%s / %s", curve->name, curves[0].name);
        if (points)
            panel->series[shown++] = (NsSeries){.label = panel->labels[i],
                                                .kind = NS_SERIES_POINTS,
                                                .style = curve->style,
                                                .n = points,
                                                .x = panel->x[i],
                                                .y = panel->y[i]};
    }
    if (!shown) return NULL;
    g_free(panel->axis);
    bool letters = strlen(curves[0].name) == 1; /* names would not fit beside the panel */
    panel->axis = n == 2 && letters ? g_strdup(panel->labels[1])
                                    : g_strdup_printf(C_("ratio panel", "over %s"), curves[0].name);
    panel->plot = (NsPlot){.left = {.label = panel->axis,
                                    .scale = scale,
                                    .lo = NAN,
                                    .hi = upper_end(panel, curves, n)},
                           .series = panel->series,
                           .n_series = shown,
                           .levels = &equal,
                           .n_levels = 1};
    return &panel->plot;
}

void ns_ratio_panel_clear(NsRatioPanel *panel)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        g_free(panel->x[i]);
        g_free(panel->y[i]);
        g_free(panel->labels[i]);
    }
    g_free(panel->axis);
    *panel = (NsRatioPanel){0};
}
