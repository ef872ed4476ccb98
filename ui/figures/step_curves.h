/* Curves over the steps of runs: of those that are shown, and of earlier ones behind them.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/curve.h"
#include "ui/figures/figure.h"

#define NS_STEP_CURVES 4

/* A run that is followed, what was read of it, and what smooths one of the curves; zeroed it is
 * none. */
typedef struct {
    NsSource run;
    NsCurve curves[NS_STEP_CURVES];
    NsSmoother smoother;
} NsStepCurves;

/* Forgets the curves and how one is smoothed, but not the run. */
void ns_step_curves_forget(NsStepCurves *curves);
void ns_step_curves_clear(NsStepCurves *curves);

/* How much the most thinned of the curves of n runs is thinned, as a sentence; NULL if none is.
 * Free with g_free. */
char *ns_step_curves_note(const NsStepCurves *curves, unsigned n, unsigned curve);

/* The run before and those that are pinned; zeroed it is none. */
typedef struct {
    struct {
        NsSource source;
        NsCurve curve;
        char *label;
        unsigned style, dash;
    } run[NS_FIGURE_PINNED + 1]; /* the last is the run before */
} NsPreviousCurves;

/* Appends what is new of a run's records to its curve, and counts them in source->steps. */
typedef void (*NsPreviousRead)(NsSource *source, NsCurve *curve, NsFigure *figure);

/* Follows the runs of the input and reads what is new of them for a figure; all of it anew after
 * ns_previous_curves_forget. */
void ns_previous_curves_follow(NsPreviousCurves *previous, NsFigure *figure,
                               const NsFigureInput *input, NsPreviousRead read);
void ns_previous_curves_forget(NsPreviousCurves *previous);
void ns_previous_curves_clear(NsPreviousCurves *previous);

/* Appends a series for each, in a muted tone of its lane's color and with another dash.  Returns
 * how many. */
size_t ns_previous_curves_show(const NsPreviousCurves *previous, NsSeries *series);
