/* A line of a run of another program (core/store/outside.h).  Internal to outside*.c.
 * SPDX-License-Identifier: MIT
 *
 * Lines are parsed directly into numbers: there may be a million lines with hundreds of numbers
 * each, and other programs write NaN and Infinity, which are not valid JSON. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of values and arrays in a line; no measurements of layers have more. */
#define NS_OUTSIDE_MOST_NUMBERS ((guint)1 << 22)
#define NS_OUTSIDE_MOST_ARRAYS 1024

typedef struct {
    double value;
    bool has; /* it is present and not null */
} NsOutsideNumber;

typedef struct {
    char name[64];
    bool gradient;   /* it is inside "grad_norm" */
    bool scalar;     /* it is a single number */
    size_t first, n; /* position among the numbers, and how many */
    size_t inner;    /* length of each array inside it; 0 if it contains none */
} NsOutsideArray;

typedef struct {
    bool passed_over; /* it is not a record, and not an error */
    bool again;       /* it replaces the step that was taken last */
    int64_t step;
    size_t lane; /* line number, from 1 */
    NsOutsideNumber loss, validation, lr, grad_norm, seconds, probe_seconds, seed;
    GArray *arrays;  /* elements are NsOutsideArray */
    GArray *numbers; /* elements are NsOutsideNumber */
} NsOutsideLine;

/* Adds a name that a message may list, unless there are enough of them. */
void ns_outside_note_name(GPtrArray *names, const char *name);

NsOutsideLine *ns_outside_line_new(void);
void ns_outside_line_free(NsOutsideLine *line);

/* Resets the line to the scalars of another one, without arrays. */
void ns_outside_line_begin(NsOutsideLine *line, NsOutsideLine told);

/* Parses a zero-terminated line of n bytes.  Returns NULL, or what is wrong with it as the
 * beginning of a sentence. */
const char *ns_outside_line_read(NsOutsideLine *line, const char *text, size_t n);

/* Reads the names of the columns of a table from its first line, and sets *separator.  Returns NULL
 * if no column is “step” or none is a loss.  Free with g_strfreev. */
char **ns_outside_columns(const char *text, char *separator);

/* Like ns_outside_line_read, for a row of such a table. */
const char *ns_outside_line_read_row(NsOutsideLine *line, char **columns, char separator,
                                     const char *text);
