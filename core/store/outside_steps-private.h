/* The steps of one lane of a log of another program.  Internal to outside*.c.
 * SPDX-License-Identifier: MIT
 *
 * A line has its step, or it is counted: by a number of tokens that grows, by the epoch, or by the
 * order of the losses.  A step that is counted within a growing epoch continues. */
#pragma once

#include "core/store/outside_line-private.h"

typedef struct {
    GQueue *messages; /* borrowed */
    bool has_step, by_epoch, counted, in_epoch;
    const NsOutsideName *tokens; /* the count of tokens that is the step, or NULL */
    unsigned grown;              /* losses at a number of tokens that had grown */
    int64_t top, gap; /* the largest step with a loss, -1 before; that minus the one before */
    double epoch;     /* the largest one; -1 before the first */
    GArray *epochs;   /* the epochs that began with a step before `top`, ascending */
} NsOutsideSteps;

/* `messages`: a queue of sentences.  The caller frees the epochs. */
void ns_outside_steps_init(NsOutsideSteps *steps, GQueue *messages);

/* Finds the step of a line; returns false if it has none, although others of the lane do.
 * `newest`: the line before it, which may get another step, or NULL. */
bool ns_outside_steps_find(NsOutsideSteps *steps, NsOutsideLine *line, NsOutsideLine *newest);
