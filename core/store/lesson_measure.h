/* Numbers that lessons and presets measure in a run.  SPDX-License-Identifier: MIT
 *
 * Numbers, + - * / and parentheses, and these measurements of a lane:
 *
 *     loss(A, 300), loss(A, 290..300)   training loss, of several steps their mean
 *     grad(A, 10), lr(A, 10)            norm of the whole gradient, learning rate
 *     KEY(A, 1), KEY(A, 1..100)         a quantity of a step, of several the mean of those measured
 *     KEY(A, 0, 3), KEY(A, 0, 1..last)  a quantity of a layer, of several layers their mean;
 *                                       `last` is the last that has one
 *     min(...), max(...)                of a measurement of several, in place of the mean
 *     diverged(A, 300)                  1 if the lane has diverged by then, else 0
 *
 * A value that is missing is NaN. */
#pragma once

#include "core/probe/history.h"

#include <glib.h>

typedef struct {
    size_t lanes;
    /* The history of a lane up to this step, as far as there is one; NULL: none.  Borrowed. */
    NsHistory *(*history)(void *data, size_t lane, int64_t step);
    void *data;
    GString *seen; /* measurements are appended as text; or NULL */
} NsMeasureSource;

/* Evaluates the sum at *at, and moves *at behind it.  FALSE if it cannot be read; *at is then where
 * reading failed. */
bool ns_measure(const NsMeasureSource *source, const char **at, double *value);

/* A text whose sums in braces are replaced by their values: "A is at {loss(A, 10)}".  `format`
 * returns a value as text, to be freed; what cannot be read stays, with its braces.  Free with
 * g_free. */
char *ns_measure_fill(const NsMeasureSource *source, const char *text, char *(*format)(double));
