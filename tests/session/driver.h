/* A session under test, without a window.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <string.h>

/* A session of small models with these "key=value key=value" besides; b: the second lane, or NULL.
 */
NsSession *open_session(const char *a, const char *b);

/* The same, at rest after so many steps. */
NsSession *open_at(const char *a, const char *b, int64_t step);

/* How long a condition is waited for before the test fails: a busy machine, or a sanitized program,
 * takes many times as long as a quiet one. */
#define SESSION_PATIENCE_S 120

/* Moves a session forward, as a window does, until an expression is true. */
#define SESSION_UNTIL(session, expression)                                                         \
    do {                                                                                           \
        gint64 deadline = g_get_monotonic_time() + SESSION_PATIENCE_S * G_USEC_PER_SEC;            \
        while (ns_session_poll(session), !(expression)) {                                          \
            if (g_get_monotonic_time() > deadline)                                                 \
                g_error("%s: waited in vain for %s", G_STRLOC, #expression);                       \
            session_turn();                                                                        \
        }                                                                                          \
    } while (0)

/* Runs the main loop until something has happened there, or for a moment. */
void session_turn(void);

/* Until a run that was told to go has paused, at `step` or after it. */
void wait_at_rest(NsSession *session, int64_t step);

/* Of a lane on view. */
const NsHistory *history_of(NsSession *session, size_t lane);

/* The losses of steps first .. last are the same bits in both. */
void assert_same_losses(const NsHistory *a, const NsHistory *b, int64_t first, int64_t last);

/* Removes a folder with all that is in it. */
void remove_all(const char *path);
