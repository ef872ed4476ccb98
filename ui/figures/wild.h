/* "Wild" lanes: they diverged, and their values are so far beyond those of the others that a common
 * axis would flatten the others.  The axis, or the color scale, is fitted to the other lanes, and a
 * note says so. SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figures.h"
#include "ui/plot/scale.h"

#include <glib.h>

typedef struct {
    const NsHistory *history; /* NULL before it exists */
    const char *name;
    double most;  /* the largest finite value that is drawn; 0 if there is none */
    double least; /* the smallest value, positive on a logarithmic scale; needed for colors only */
    bool wild;    /* it extends beyond the axis or the color scale */
} NsWildRun;

/* Sets `wild` of each run for an axis of that scale.  Returns the upper limit of the axis; NaN if
 * all runs fit. */
double ns_wild_find(NsWildRun *runs, size_t n, NsScaleKind scale);

/* Appends "B is off the scale: up to 2.8×10^{10}." for every wild run. */
void ns_wild_note(GString *words, const NsWildRun *runs, size_t n);

/* The same for a color scale that runs share.  Returns the ends that fit the runs that are not
 * wild; `all`, the ends that fit all runs, if no run is wild or the others have no range. */
NsRange ns_wild_colors(NsWildRun *runs, size_t n, NsScaleKind scale, NsRange all);

/* Appends "Values of B above the color scale, up to 3e+20, have its last color." for every wild
 * run. */
void ns_wild_colors_note(GString *words, const NsWildRun *runs, size_t n);
