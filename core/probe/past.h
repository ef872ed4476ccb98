/* Copies what came before a fork to the history of the fork.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/probe/history.h"

/* Writer of an empty history that begins at the same step as `past`: copies the records,
 * evaluations and events of `past` before step `end`, and the changes of settings up to that step.
 * A quantity that has different sizes in the two layouts, and profiles of records that were joined
 * (ns_history_stride), count as not measured.  Another thread may still be appending to `past`. */
void ns_history_take_past(NsHistory *history, const NsHistory *past, int64_t end);
