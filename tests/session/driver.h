/* Helpers for tests of sessions without a window.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <string.h>

/* A session of small models with additional settings "key=value key=value"; b: the second lane, or
 * NULL. */
NsSession *open_session(const char *a, const char *b);

/* The same, paused after the given number of steps. */
NsSession *open_at(const char *a, const char *b, int64_t step);

/* The timeout of a condition in seconds, long enough for busy machines and for programs with
 * sanitizers. */
#define SESSION_PATIENCE_S 120

/* Polls a session, as a window does, until an expression is true. */
#define SESSION_UNTIL(session, expression)                                                         \
    do {                                                                                           \
        gint64 deadline = g_get_monotonic_time() + SESSION_PATIENCE_S * G_USEC_PER_SEC;            \
        while (ns_session_poll(session), !(expression)) {                                          \
            if (g_get_monotonic_time() > deadline)                                                 \
                g_error("%s: waited in vain for %s", G_STRLOC, #expression);                       \
            session_turn();                                                                        \
        }                                                                                          \
    } while (0)

/* Runs the main loop until an event has been handled, or for a few milliseconds. */
void session_turn(void);

/* Waits until a run has paused at `step` or later. */
void wait_at_rest(NsSession *session, int64_t step);

/* The history of a lane on view. */
const NsHistory *history_of(NsSession *session, size_t lane);

/* Asserts that the losses of steps first .. last are bitwise equal. */
void assert_same_losses(const NsHistory *a, const NsHistory *b, int64_t first, int64_t last);

/* Removes a folder and its contents. */
void remove_all(const char *path);
