/* Lines of text that a program prints while it trains.  Internal to outside*.c.
 * SPDX-License-Identifier: MIT
 *
 * “iter 100: loss 2.5, time 3ms”, objects of Python or JSON behind other words, and progress bars.
 * The step may be in a line before that of the loss: “Epoch 1/3”, “[step=10/500]”, or a bar. */
#pragma once

#include "core/store/outside_line-private.h"

/* The step that lines of text have named for lines after them; initialized with zeros. */
typedef struct {
    NsOutsideCell at[NS_OUTSIDE_EPOCH + 1]; /* the last step and epoch; NULL: none */
    NsOutsideCell epoch;                    /* the one of that step */
    double bar;                             /* the length of the bar that had the step; 0: none */
    double bar_of_steps;                    /* of the bar that counts the steps; 0: not known */
    double total;   /* of “[10/500]”, of which the training batches are counted; 0: not known */
    double pair[2]; /* of the last “Batch 2/300” */
    const NsOutsideName *worse; /* of a step, in lines that have a better one; or NULL */
    bool pairs;                 /* the first of them is the epoch */
    bool used;                  /* a loss was read at the step or epoch in `at` */
    bool begun, stepped;        /* a loss was read; in a line that has its step */
} NsOutsideText;

/* Makes a line of text ready to be read, in place: without colors, and with “\r” where a progress
 * bar begins again. */
void ns_outside_text_clean(char *text);

/* Reads a text without “\r” into the line.  `last`: nothing takes its place on the screen.  Returns
 * whether it is a record; *object, whether it is one of Python or JSON. */
bool ns_outside_text_read(NsOutsideText *text, NsOutsideLine *line, NsOutsideNames *names,
                          const char *part, bool last, bool *object);
