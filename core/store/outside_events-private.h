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

typedef struct {
    GByteArray *bytes; /* bytes from `at` on have not been read */
    size_t at;
    uint64_t passing;             /* remaining bytes of an event that is too large */
    bool damaged;                 /* the beginning of the next event is unknown */
    size_t *read;                 /* counts the events; borrowed */
    double first_time, last_time; /* of the events, in seconds; 0 before the first */
    NsOutsideNames *names;        /* borrowed */
    const char *prefix;           /* borrowed */

    NsOutsideLine *step; /* that is being read */
    bool left_out;       /* arrays that were incomplete at a pause */
    bool grown;          /* more of it was read since it was returned at a pause */
    GHashTable *at_zero; /* names to numbers of their values at step 0; NULL after another step */
    bool counted;        /* the values of a tag are counted, because the events have no step */

    /* The part of the newest event that has not been processed yet. */
    GByteArray *event;
    const uint8_t *summary, *summary_end;
    int64_t event_step;

    /* Names and texts in turn, of TensorBoard's plugin for hyperparameters and texts at step 0. */
    GPtrArray *settings;
} NsOutsideEvents;

/* `prefix`: the folder that the tags belong to, or NULL.  It is borrowed, and so are the names and
 * *read, which counts the events. */
NsOutsideEvents *ns_outside_events_new(NsOutsideNames *names, const char *prefix, size_t *read);
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

/* Fills the line with a copy of the newest step so far, which is `whole`, or no bytes have arrived
 * for a moment.  Returns false if there is nothing new. */
bool ns_outside_events_show(NsOutsideEvents *events, NsOutsideLine *line, bool whole);
