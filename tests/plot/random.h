/* Random plots of every kind.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"

#include <glib.h>

#define RANDOM_SERIES 6
#define RANDOM_POINTS 1000

typedef struct {
    NsPlot plot, below;
    NsSeries series[RANDOM_SERIES];
    NsHeatmap map;
    NsMarker markers[3];
    NsLevel levels[2];
    NsSpan spans[3];
    NsSlope slope;
    double x[RANDOM_SERIES][RANDOM_POINTS + 1], y[RANDOM_SERIES][RANDOM_POINTS];
    double lo[RANDOM_SERIES][RANDOM_POINTS], hi[RANDOM_SERIES][RANDOM_POINTS];
    float z[64 * 64];
} RandomPlot;

/* Overwrites it with another plot: a random mixture of kinds, scales, values that are not finite,
 * marks, and texts of any length. */
void random_plot(RandomPlot *random, GRand *rand);
