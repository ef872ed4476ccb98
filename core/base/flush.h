/* Numbers too small to compute with.  SPDX-License-Identifier: MIT
 *
 * A denormal number (below 1.2e-38 in single precision) keeps only some of its digits, and most
 * processors need ten times as long or longer for it.  The gradients of a deep Post-LN stack become
 * that small; between the two calls here such numbers are flushed to 0, read or computed, as on
 * most accelerators.  x86-64 and AArch64 can do so; elsewhere they are computed with. */
#pragma once

#include <stdint.h>

/* Begins and ends the work of one thread.  The mode is the thread's own, so every thread of a team
 * calls both, inside the parallel region.  Pairs may nest: the end takes what its beginning
 * returned, and brings back the mode that was found there. */
uint64_t ns_flush_begin(void);
void ns_flush_end(uint64_t before);
