/* A line of a run from outside (core/store/outside.h).  Internal to outside*.c.
 * SPDX-License-Identifier: MIT
 *
 * Lines are read straight into numbers: there may be a million of them, each with hundreds, and
 * other programs write NaN and Infinity, which are no JSON. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Beyond it not every whole number is one of JSON. */
#define NS_OUTSIDE_LAST_STEP ((int64_t)1 << 53)

typedef struct {
    double value;
    bool has; /* it stands there, and is not null */
} NsOutsideNumber;

typedef struct {
    char name[64];
    bool gradient;   /* it stands in "grad_norm" */
    bool scalar;     /* it is a single number */
    size_t first, n; /* of the numbers */
    size_t inner;    /* numbers of each array in it; 0 where it has none inside */
} NsOutsideArray;

typedef struct {
    bool passed_over; /* it is no record, and is none that is wrong */
    bool again;       /* it tells more of the step that was taken last */
    int64_t step;
    size_t lane; /* from 1 */
    NsOutsideNumber loss, validation, lr, grad_norm, seconds, probe_seconds, seed;
    GArray *arrays;  /* of NsOutsideArray */
    GArray *numbers; /* of NsOutsideNumber */
} NsOutsideLine;

NsOutsideLine *ns_outside_line_new(void);
void ns_outside_line_free(NsOutsideLine *line);

/* Reads a line of n bytes, after which a zero stands.  NULL, or what is wrong with it: the
 * beginning of a sentence. */
const char *ns_outside_line_read(NsOutsideLine *line, const char *text, size_t n);

/* The names of the columns of a table, by its first line, and what stands between them; NULL where
 * none is “step” or none is a loss.  Free with g_strfreev. */
char **ns_outside_columns(const char *text, char *separator);

/* The same as ns_outside_line_read for a row of such a table. */
const char *ns_outside_line_read_row(NsOutsideLine *line, char **columns, char separator,
                                     const char *text);
