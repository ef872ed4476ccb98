/* Lanes that diverged with values so far beyond those of the others that an axis with room for both
 * would flatten the others: the axis, or the color scale, ends with the others, and a note says so.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figures.h"
#include "ui/plot/zoom.h"

#include <glib.h>

typedef struct {
    const NsHistory *history; /* NULL while there is none */
    const char *name;
    double most;  /* the largest finite value that is drawn of it; 0 where there is none */
    double least; /* the smallest one, positive on a logarithmic scale; only colors need it */
    bool wild;    /* it leaves the axis, or the colors */
} NsWildRun;

/* Says of each run whether it is wild on an axis of that scale.  Returns the upper end of the axis;
 * NaN where it has room for all. */
double ns_wild_find(NsWildRun *runs, size_t n, NsScaleKind scale);

/* Appends "B continues beyond the axis." for every wild run. */
void ns_wild_note(GString *words, const NsWildRun *runs, size_t n);

/* The same for colors that runs share.  Returns the ends that suit the runs that are not wild;
 * {0, 0} where none is: then the colors are those of all. */
NsRange ns_wild_colors(NsWildRun *runs, size_t n, NsScaleKind scale);

/* Appends "Values of B above the color scale, up to 3e+20, have its last color." for every wild
 * run. */
void ns_wild_colors_note(GString *words, const NsWildRun *runs, size_t n);
