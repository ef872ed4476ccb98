/* Plots to test the chart engine with.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/plot/plot.h"

typedef enum {
    EMPTY,     /* nothing yet */
    ONE_POINT, /* the first step */
    ALL_NAN,   /* no value has a place */
    LOSS,      /* noisy curve, marked curve, right axis, previous run, markers, note: everything */
    LONG_RUN,  /* 100,000 steps */
    PROFILE,   /* 6 layers on a logarithmic axis */
    DEEP,      /* 1,000 layers */
    HEATMAP,   /* 12 x 400 cells, one of them not finite */
    SAMPLES,
} Sample;

extern const char *const sample_names[SAMPLES];

/* The plot of that kind; built once, kept until the end. */
const NsPlot *sample(Sample which);

/* An axis without limits. */
NsAxis axis(const char *label, const char *unit, NsScaleKind scale, bool integer);
