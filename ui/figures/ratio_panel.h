/* The ratio panel under curves of several runs.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figures.h"

/* Points of a curve over layers; ascending. */
typedef struct {
    size_t n;
    const double *x, *y;
    const char *name; /* of the run: "B" */
    unsigned style;   /* of the ratio's curve */
    bool wild;        /* has no say in where the axis ends */
} NsRatioCurve;

/* All of it belongs to the panel; zeroed it is an empty one. */
typedef struct {
    NsPlot plot;
    NsSeries series[NS_LANES_MAX];
    double *x[NS_LANES_MAX], *y[NS_LANES_MAX];
    size_t points[NS_LANES_MAX];
    char *labels[NS_LANES_MAX];
    char *axis;
} NsRatioPanel;

/* Every curve over the first one, where both have a point: "B / A", on an axis of that scale with a
 * line where they are equal.  The first one's style and name are not shown by themselves.  Returns
 * its plot, or NULL where there is nothing to compare. */
const NsPlot *ns_ratio_panel_fill(NsRatioPanel *panel, const NsRatioCurve *curves, size_t n,
                                  NsScaleKind scale);

void ns_ratio_panel_clear(NsRatioPanel *panel);
