/* A line of a log of another program (core/store/outside.h).  Internal to outside*.c.
 * SPDX-License-Identifier: MIT
 *
 * Lines are parsed directly into numbers: there may be a million lines with hundreds of numbers
 * each, and other programs write NaN and Infinity, which are not valid JSON. */
#pragma once

#include "core/probe/history.h"
#include "core/store/outside_name.h"

/* Maximum number of values and arrays in a line; no measurements of layers have more. */
#define NS_OUTSIDE_MOST_NUMBERS ((guint)1 << 22)
#define NS_OUTSIDE_MOST_ARRAYS 4096

typedef struct {
    double value;
    bool has; /* it is present and not null */
} NsOutsideNumber;

/* A number under a name, which is NULL if there is none. */
typedef struct {
    const NsOutsideName *name;
    double value;
} NsOutsideCell;

typedef struct {
    NsOutsideGroup *group;
    const NsOutsideName *name; /* that of its first number, or of the array in JSON */
    bool scalar;               /* it is a single number */
    NsQuantity quantity;       /* as it is drawn, once its line is placed */
    size_t first, n;           /* position among the numbers, and how many */
    size_t inner;              /* length of each array inside it; 0 if it contains none */
    bool outputs;              /* the outputs of blocks 1 to L: hidden states without x_0 */
} NsOutsideArray;

typedef struct {
    bool passed_over; /* it is not a record, and not an error */
    bool again;       /* it has what was already read of a step, and more */
    bool repeats;     /* its step has had a loss, such as that before the mean of an epoch */
    bool summary;     /* it has values of the whole run */
    bool partial;     /* more of its step may follow */
    bool batches;     /* its validation is over some batches; another at its step takes its place */
    int64_t step;     /* -1 if it has none */
    const NsOutsideName *worse; /* another name of a step than the one that is taken; or NULL */
    size_t lane;                /* from 1 */
    size_t repeated;            /* names that it has twice, of which the first was taken */
    NsOutsideCell scalars[NS_OUTSIDE_SCALARS];
    GArray *cells;                /* elements are NsOutsideCell: numbers under names of their own */
    GArray *arrays;               /* elements are NsOutsideArray */
    GArray *numbers;              /* elements are NsOutsideNumber */
    NsContinuation *continuation; /* NULL: it has none; its step is that of the line */
} NsOutsideLine;

NsOutsideLine *ns_outside_line_new(void);
void ns_outside_line_free(NsOutsideLine *line);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsOutsideLine, ns_outside_line_free)

/* Makes the line empty. */
void ns_outside_line_clear(NsOutsideLine *line);

/* Adds what `from` has and the line does not have; both are of one step. */
void ns_outside_line_merge(NsOutsideLine *line, const NsOutsideLine *from);

/* Whether the line has any number beside the step. */
bool ns_outside_line_has_any(const NsOutsideLine *line);

/* Adds a number under a name of its own. */
void ns_outside_line_add(NsOutsideLine *line, NsOutsideCell cell);

/* Adds a number under a name.  Of two names of one quantity the better one is taken, and the other
 * keeps its own name.  Returns NULL, or what is wrong as the beginning of a sentence. */
const char *ns_outside_line_put(NsOutsideLine *line, const NsOutsideName *name, double value);

/* The best of its cells that is one loss of several, of training or of validation; NULL if there is
 * none. */
const NsOutsideCell *ns_outside_line_part(const NsOutsideLine *line, NsOutsideKind kind);

/* Gives the number under “value” this name, unless it is NULL; returns whether there is one. */
bool ns_outside_line_call_value(NsOutsideLine *line, const NsOutsideName *name);

/* Makes the loss of the line, and the numbers under names of their own, those of validation. */
void ns_outside_line_validate(NsOutsideLine *line, NsOutsideNames *names);

/* Turns the cells of the line into arrays by layer, and into single numbers.  If the step of the
 * line is incomplete, an array has to have the size that it had in an earlier step.  Returns
 * whether no array was left out. */
bool ns_outside_line_gather(NsOutsideLine *line);

/* Parses a zero-terminated line of n bytes: an object of JSON, or of Python.  Returns NULL, or what
 * is wrong with it as the beginning of a sentence. */
const char *ns_outside_line_read(NsOutsideLine *line, NsOutsideNames *names, const char *text,
                                 size_t n);

/* Returns what is wrong, as the beginning of a sentence, if the line lacks what a record must have.
 */
const char *ns_outside_line_check(const NsOutsideLine *line);

/* Reads a number at the beginning of a text, also NaN and infinity in the spellings of many
 * languages: nan, NaN, -nan, inf, Infinity, +Inf, 1e999.  Returns NULL if there is none, otherwise
 * the first byte after it. */
const char *ns_outside_read_number(const char *text, double *value);

/* Multiplies the number before a unit, “12.3k”; returns the first byte after it. */
const char *ns_outside_read_unit(const char *end, double *value);

/* The same for a whole number with groups of digits, such as 1,234,567.  `step`: one group is
 * enough; in any other number a single comma could be a decimal one. */
const char *ns_outside_read_groups(const char *text, bool step, double *value);
