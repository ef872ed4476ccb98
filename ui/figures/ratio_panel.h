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

/* Every curve over the first one, where both have a point: "B / A", on an axis of that scale with a
 * line where they are equal.  The first one's style and name are not shown by themselves.  Returns
 * its plot, which the figure owns, or NULL where there is nothing to compare. */
const NsPlot *ns_ratio_panel_new(NsFigure *figure, const NsRatioCurve *curves, size_t n,
                                 NsScaleKind scale);
