/* A lab under test, without a window.  SPDX-License-Identifier: MIT */
#pragma once

#include "tests/ui/support.h"

/* A lab of small models with these "key=value key=value" besides; b: the second lane, or NULL. */
NsLab *open_lab(const char *a, const char *b);

/* The same, at rest after so many steps. */
NsLab *open_at(const char *a, const char *b, int64_t step);

/* A lab is moved forward as a window does it. */
#define LAB_UNTIL(lab, expression) UI_UNTIL((ns_lab_poll(lab), (expression)))

/* Until a run that was told to go has paused, at `step` or after it. */
void wait_at_rest(NsLab *lab, int64_t step);

/* Of a lane on view. */
const NsHistory *history_of(NsLab *lab, size_t lane);

/* The losses of steps first .. last are the same bits in both. */
void assert_same_losses(const NsHistory *a, const NsHistory *b, int64_t first, int64_t last);
