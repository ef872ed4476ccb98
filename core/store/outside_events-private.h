/* TensorBoard event files as runs of another program.  Internal to outside*.c.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/outside_line-private.h"

/* Number of bytes that are needed to recognize an event file. */
#define NS_OUTSIDE_EVENTS_HEAD 12

/* The checksum of n bytes in an event file: CRC-32C (Castagnoli), masked as in
 * tensorflow/core/lib/hash/crc32c.h. */
uint32_t ns_outside_events_check(const void *bytes, size_t n);

bool ns_outside_events_are(const char *bytes, size_t n);

typedef struct NsOutsideEvents NsOutsideEvents;

/* `prefix`: the folder that the tags belong to, or NULL.  The names are borrowed. */
NsOutsideEvents *ns_outside_events_new(NsOutsideNames *names, const char *prefix);
void ns_outside_events_free(NsOutsideEvents *events);

/* Appends the next bytes of the file, which may end in the middle of an event. */
void ns_outside_events_feed(NsOutsideEvents *events, const char *bytes, size_t n);

typedef enum {
    NS_OUTSIDE_EVENTS_NONE,  /* more bytes are needed */
    NS_OUTSIDE_EVENTS_STEP,  /* the line contains a complete step */
    NS_OUTSIDE_EVENTS_WRONG, /* an event was skipped; *why is the beginning of a sentence */
} NsOutsideEventsNews;

/* Reads events up to the end of a step.  `last`: no more bytes will arrive, so the newest step is
 * complete.  The line is borrowed until the next call, and may be exchanged. */
NsOutsideEventsNews ns_outside_events_next(NsOutsideEvents *events, bool last, NsOutsideLine *line,
                                           const char **why);

/* Called when no bytes have arrived for a moment: fills the line with the newest step so far.
 * Returns false if there is nothing new. */
bool ns_outside_events_pause(NsOutsideEvents *events, NsOutsideLine *line);

/* Whether the step that was returned at a pause is still incomplete, because an event or an array
 * is; false for NULL. */
bool ns_outside_events_are_partial(const NsOutsideEvents *events);

/* The settings that the events have, of TensorBoard's plugin for hyperparameters and texts at step
 * 0: names and texts in turn, borrowed. */
const GPtrArray *ns_outside_events_settings(const NsOutsideEvents *events);

/* The number of events read. */
size_t ns_outside_events_read(const NsOutsideEvents *events);

/* The times of the first and the last event, in seconds; false if there is none, also for NULL. */
bool ns_outside_events_times(const NsOutsideEvents *events, double *first, double *last);

/* Whether the events have no step, so that those of one tag are counted; true only once. */
bool ns_outside_events_are_counted(NsOutsideEvents *events);

/* If the bytes that were not read end in zeros, which is space that the writer has reserved:
 * forgets them and returns their number, which is 0 for NULL.  They have to be read again. */
size_t ns_outside_events_take_zeros(NsOutsideEvents *events);
