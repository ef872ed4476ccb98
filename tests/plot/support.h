/* Plots for tests of the chart engine.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"

typedef enum {
    EMPTY,     /* no data yet */
    ONE_POINT, /* first step only */
    ALL_NAN,   /* no value can be shown */
    LOSS,      /* everything: noisy curve, marked curve, previous run, markers, note */
    LONG_RUN,  /* 100,000 steps */
    PROFILE,   /* 6 layers on a logarithmic axis */
    DEEP,      /* 1,000 layers */
    HEATMAP,   /* 12 x 400 cells, one of them not finite */
    SAMPLES,
} Sample;

extern const char *const sample_names[SAMPLES];

/* A plot of this kind, which is created once and remains valid. */
const NsPlot *sample(Sample which);

/* An axis without limits. */
NsAxis axis(const char *label, const char *unit, NsScaleKind scale, bool integer);
