/* A session under test, without a window.  SPDX-License-Identifier: MIT */
#pragma once

#include "tests/ui/support.h"

/* A session of small models with these "key=value key=value" besides; b: the second lane, or NULL.
 */
NsSession *open_session(const char *a, const char *b);

/* The same, at rest after so many steps. */
NsSession *open_at(const char *a, const char *b, int64_t step);

/* A session is moved forward as a window does it. */
#define LAB_UNTIL(session, expression) UI_UNTIL((ns_session_poll(session), (expression)))

/* Until a run that was told to go has paused, at `step` or after it. */
void wait_at_rest(NsSession *session, int64_t step);

/* Of a lane on view. */
const NsHistory *history_of(NsSession *session, size_t lane);

/* The losses of steps first .. last are the same bits in both. */
void assert_same_losses(const NsHistory *a, const NsHistory *b, int64_t first, int64_t last);
