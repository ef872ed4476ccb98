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

enum { NS_PROFILE_GHOST, NS_PROFILE_FIRST, NS_PROFILE_NOW, NS_PROFILE_END, NS_PROFILE_COLUMNS };
G_STATIC_ASSERT(NS_PROFILE_COLUMNS <= NS_FIGURE_SERIES);

/* What a profile shows. */
typedef struct {
    NsQuantity quantity;
    NsQuantity end; /* of domain STEP: a point of its own above the last layer, where `has_end` */
    bool has_end;
    const char *end_label;
} NsProfileSpec;

typedef struct {
    NsFigure figure;
    NsColumn columns[NS_PROFILE_COLUMNS];
    NsQuantity quantity;
} NsProfile;

/* The whole update of a profile figure. */
bool ns_profile_update(NsProfile *profile, const NsFigureInput *input, const NsProfileSpec *spec);
void ns_profile_clear(NsFigure *figure);
