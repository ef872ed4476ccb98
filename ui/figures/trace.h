/* Curves over the steps of one run.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/curve.h"
#include "ui/figures/figure.h"

#define NS_TRACE_CURVES 4

/* A run that is followed, what was read of it, and what smooths one of the curves; zeroed it is
 * none. */
typedef struct {
    NsSource run;
    NsCurve curves[NS_TRACE_CURVES];
    NsSmoother smoother;
} NsTrace;

/* Forgets the curves and how one is smoothed, but not the run. */
void ns_trace_forget(NsTrace *trace);
void ns_trace_clear(NsTrace *trace);

/* How a curve of n runs is thinned, the most that any is, as a sentence; NULL where none is.  Free
 * with g_free. */
char *ns_traces_note(const NsTrace *traces, unsigned n, unsigned curve);
