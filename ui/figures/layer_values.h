/* The values of one quantity of one run at one step.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figure.h"

/* Owns all of its data; a zeroed struct is empty. */
typedef struct {
    NsSource source;
    NsBucket bucket;  /* the values are extremes over these steps; first == last: values of one
                       * step */
    size_t count;     /* number of values of the quantity; 0 if the run does not have it */
    float *min, *max; /* [count] */
    bool *has;        /* [count] whether each was measured */
    bool band;        /* layers have a range of values: over steps, or over heads */
    /* An entry for each layer with a measured value; those of heads are their extremes. */
    size_t n;
    double *x, *y, *lo; /* [n] layer, largest, smallest value */
} NsLayerValues;

/* Reads the newest measurement of the quantity at or before `record`.  The only value of a quantity
 * of domain STEP is that of the last hidden state.  A negative record clears the values.  TRUE if
 * the values or the step changed. */
bool ns_layer_values_read(NsLayerValues *values, NsHistory *history, NsQuantity quantity,
                          int64_t record);

void ns_layer_values_clear(NsLayerValues *values);

/* Makes the axis of layers logarithmic where runs of very different depths share it, so that the
 * shallow ones are not at its edge; with a place for 0, the embedding. */
void ns_layer_axis_fit(NsAxis *axis, const NsLayerValues *const *values, size_t n);

/* The ratio of every other run to the one at index `below` ("B / A") at the layers that both have,
 * on an axis of that scale with a line at 1.  Wild runs are ignored for its limits.  Returns the
 * plot, which the figure owns, or NULL if there is nothing to compare. */
const NsPlot *ns_ratio_panel_new(NsFigure *figure, const NsLayerValues *const *values,
                                 const NsWildRun *runs, size_t n, size_t below, NsScaleKind scale);
