/* Lanes that diverged with values so far beyond those of the others that an axis with room for both
 * would flatten the others: the axis ends above the others, and a note says so.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figures.h"

#include <glib.h>

typedef struct {
    const NsHistory *history; /* NULL while there is none */
    const char *name;
    double most; /* the largest finite value that is drawn of it; 0 where there is none */
    bool wild;   /* it leaves the axis */
} NsWildRun;

/* Says of each run whether it is wild on an axis of that scale.  Returns the upper end of the axis;
 * NaN where it has room for all. */
double ns_wild_find(NsWildRun *runs, size_t n, NsScaleKind scale);

/* Appends "B continues beyond the axis." for every wild run. */
void ns_wild_note(GString *words, const NsWildRun *runs, size_t n);
