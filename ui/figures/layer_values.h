/* The values of one quantity of one run at one step.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figure.h"

/* All of it belongs to the struct; zeroed it is empty. */
typedef struct {
    NsSource source;
    NsBucket bucket;  /* the steps whose extremes the values are; first == last: they are its own */
    size_t count;     /* values of the quantity; 0 where the run has none of it */
    float *min, *max; /* [count] */
    bool *has;        /* [count] it was measured */
    bool band;        /* a layer has a range: of the steps, or of its heads */
    /* By layer, the values that were measured; those of heads are one a layer, their extremes. */
    size_t n;
    double *x, *y, *lo; /* [n] layer, the largest, the smallest */
} NsLayerValues;

/* Reads the values of the record in which the quantity was measured last, at or before this one;
 * layers count from `first_layer`.  Of a negative record it forgets all.  TRUE if the values or the
 * step differ from what is there. */
bool ns_layer_values_read(NsLayerValues *values, NsHistory *history, NsQuantity quantity,
                          int64_t record, unsigned first_layer);

void ns_layer_values_clear(NsLayerValues *values);
