/* What came before a fork, in the history of the fork.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/probe/history.h"

/* Writer, of a history that begins where `past` does and has nothing yet: takes over the records,
 * evaluations and events of the past before step `end`, and the settings that were changed at it.
 * A quantity that the layouts have in different sizes, and profiles of steps that the past has
 * joined (ns_history_stride), count as not measured.  The past may go on meanwhile. */
void ns_history_take_past(NsHistory *history, const NsHistory *past, int64_t end);
