/* The panel below curves of several runs that shows their ratios.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figures.h"

/* A curve over layers, in ascending order. */
typedef struct {
    size_t n;
    const double *x, *y;
    const char *name; /* of the run: "B" */
    unsigned style;   /* of the ratio's curve */
    bool wild;        /* ignored for the limits of the axis */
} NsRatioCurve;

/* Owns all of its data; a zeroed panel is empty. */
typedef struct {
    NsPlot plot;
    NsSeries series[NS_LANES_MAX];
    double *x[NS_LANES_MAX], *y[NS_LANES_MAX];
    size_t points[NS_LANES_MAX];
    char *labels[NS_LANES_MAX];
    char *axis;
} NsRatioPanel;

/* Fills the panel with the ratio of every other curve to the first one ("B / A") at the layers that
 * both have, on an axis of that scale with a line at 1.  Returns its plot, or NULL if there is
 * nothing to compare. */
const NsPlot *ns_ratio_panel_fill(NsRatioPanel *panel, const NsRatioCurve *curves, size_t n,
                                  NsScaleKind scale);

void ns_ratio_panel_clear(NsRatioPanel *panel);
