/* The panel below curves of several runs that shows their ratios.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figure.h"

/* A curve over layers, in ascending order. */
typedef struct {
    size_t n;
    const double *x, *y;
    const char *name; /* of the run: "B" */
    unsigned style;   /* of the ratio's curve */
    bool wild;        /* ignored for the limits of the axis */
} NsRatioCurve;

/* The ratio of every other curve to the first one ("B / A") at the layers that both have, on an
 * axis of that scale with a line at 1.  Returns the plot, which the figure owns, or NULL if there
 * is nothing to compare. */
const NsPlot *ns_ratio_panel_new(NsFigure *figure, const NsRatioCurve *curves, size_t n,
                                 NsScaleKind scale);
