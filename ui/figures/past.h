/* Curves of runs that are over, behind those of the present one.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/curve.h"
#include "ui/figures/figure.h"

/* The run before and those that are pinned; zeroed it is none. */
typedef struct {
    struct {
        NsSource source;
        NsCurve curve;
        char *label;
    } run[NS_FIGURE_PINNED + 1]; /* the last is the run before */
} NsPast;

/* Appends what is new of a run's records to its curve, and counts them in source->steps. */
typedef void (*NsPastRead)(NsSource *source, NsCurve *curve, void *data);

/* Follows the runs of the input and reads what is new of them; all of it anew after
 * ns_past_forget.  TRUE if anything visible differs. */
bool ns_past_follow(NsPast *past, const NsFigureInput *input, NsPastRead read, void *data);
void ns_past_forget(NsPast *past);
void ns_past_clear(NsPast *past);

/* Appends a series for each: the run before in grey, the pinned ones in pale tones.  Returns how
 * many. */
size_t ns_past_show(const NsPast *past, NsSeries *series);
