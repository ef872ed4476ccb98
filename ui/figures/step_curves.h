/* Curves over the steps of the current runs, and of earlier runs behind them.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figure.h"

#define NS_CURVE_POINTS ((size_t)50000)

typedef struct {
    double *x, *y;
    size_t n, capacity;
    int64_t stride; /* steps per bucket; 0 or 1: all points are stored */
    size_t open;    /* index of the first point of the newest bucket */
} NsCurve;

/* x: a step >= 0 and >= the previous one. */
void ns_curve_append(NsCurve *curve, double x, double y);

/* Sets the points of a series, which borrows them until the next append. */
void ns_curve_show(const NsCurve *curve, NsSeries *series);

/* Frees the points; the curve is then empty, as is a zeroed struct. */
void ns_curve_clear(NsCurve *curve);

#define NS_STEP_CURVES 4

/* A run that is followed, the curves read from it, and the smoother of one of them.  A zeroed
 * struct follows no run. */
typedef struct {
    NsSource run;
    NsCurve curves[NS_STEP_CURVES];
    NsSmoother smoother;
} NsStepCurves;

/* Follows a run (or none), one of whose curves is smoothed.  If the run or the smoothing differs
 * from before, or `restart` is set, this empties the curves, sets all counts to 0 and returns TRUE.
 */
bool ns_step_curves_follow(NsStepCurves *curves, NsHistory *history, NsSmoothing how, bool restart);
void ns_step_curves_clear(NsStepCurves *curves);

/* A sentence that states the largest stride of this curve over n runs; NULL if none is thinned.
 * Free with g_free. */
char *ns_step_curves_note(const NsStepCurves *curves, unsigned n, unsigned curve);

/* The curves of the previous run and of pinned runs; a zeroed struct has none. */
typedef struct {
    struct {
        NsSource source;
        NsCurve curve;
    } run[NS_FIGURE_PINNED + 1]; /* the last one is the previous run */
} NsPreviousCurves;

/* Appends the new records of a run to its curve, and counts them in source->steps. */
typedef void (*NsPreviousRead)(NsSource *source, NsCurve *curve, NsFigure *figure);

/* Follows the earlier runs of the input and reads their new records; after
 * ns_previous_curves_forget all records are read again. */
void ns_previous_curves_follow(NsPreviousCurves *previous, NsFigure *figure,
                               const NsFigureInput *input, NsPreviousRead read);
void ns_previous_curves_forget(NsPreviousCurves *previous);
void ns_previous_curves_clear(NsPreviousCurves *previous);

/* Makes a series for each run the first series of the figure, in a muted tone of its lane's color
 * and with a different dash pattern. */
void ns_previous_curves_show(const NsPreviousCurves *previous, NsFigure *figure,
                             const NsFigureInput *input);

/* The look of the i-th pinned run of the input: a muted tone of its lane's color, with a dash
 * pattern that neither a lane nor another pinned run of that lane has; it enlarges no axis. */
NsSeries ns_pinned_look(const NsFigureInput *input, unsigned i);
