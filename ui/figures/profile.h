/* Profiles over the layers: what gradient-norm and hidden-norm have in common.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/figure.h"

/* The values of one quantity at one step. */
typedef struct {
    NsSource source;
    float *min, *max; /* [n] as read */
    double *x, *y, *lo;
    size_t n;
    NsBucket bucket;
    bool thinned; /* the bucket holds several steps, lo..y is their range */
} NsColumn;

enum { NS_PROFILE_GHOST, NS_PROFILE_FIRST, NS_PROFILE_NOW, NS_PROFILE_COLUMNS };

typedef struct {
    NsFigure figure;
    NsColumn columns[NS_PROFILE_COLUMNS];
    NsQuantity quantity;
} NsProfile;

/* The whole update of a profile figure.  first_layer: of the abscissa, 0 or 1.  note (may be NULL)
 * is taken. */
bool ns_profile_update(NsProfile *profile, const NsFigureInput *input, NsQuantity quantity,
                       unsigned first_layer, char *note);
void ns_profile_clear(NsFigure *figure);

/* The step that profiles show of a history that has one; -1 where there is none. */
int64_t ns_profile_step(const NsFigureInput *input);
