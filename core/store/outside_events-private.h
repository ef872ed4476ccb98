/* Event files of TensorBoard as runs from outside.  Internal to outside*.c.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/outside_line-private.h"

/* So many bytes tell whether it is such a file. */
#define NS_OUTSIDE_EVENTS_HEAD 12

bool ns_outside_events_are(const char *bytes, size_t n);

typedef struct NsOutsideEvents NsOutsideEvents;

NsOutsideEvents *ns_outside_events_new(void);
void ns_outside_events_free(NsOutsideEvents *events);

/* The next bytes of the file, which may end anywhere. */
void ns_outside_events_feed(NsOutsideEvents *events, const char *bytes, size_t n);

/* What there is of it: */
typedef enum {
    NS_OUTSIDE_EVENTS_NONE,  /* nothing more before the next bytes */
    NS_OUTSIDE_EVENTS_STEP,  /* the line is filled with what was told of a step */
    NS_OUTSIDE_EVENTS_WRONG, /* something was left out: *why begins a sentence */
} NsOutsideEventsNews;

/* `last`: no more bytes are coming, so that the newest step is whole. */
NsOutsideEventsNews ns_outside_events_next(NsOutsideEvents *events, bool last, NsOutsideLine *line,
                                           const char **why);

/* Nothing has come for a moment: fills the line with what was told of the newest step so far. False
 * where there is nothing new. */
bool ns_outside_events_pause(NsOutsideEvents *events, NsOutsideLine *line);

/* Whether more is coming of the step that was handed over at a pause: an event or an array is not
 * whole. */
bool ns_outside_events_are_partial(const NsOutsideEvents *events);

/* How many events were read. */
size_t ns_outside_events_read(const NsOutsideEvents *events);
