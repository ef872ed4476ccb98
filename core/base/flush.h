/* Flushing denormal numbers to zero.  SPDX-License-Identifier: MIT
 *
 * A denormal number (below 1.2e-38 in single precision) has fewer significant digits, and most
 * processors need ten times as long or longer to compute with it.  The gradients of a deep Post-LN
 * stack become that small; between the two calls declared here denormal operands and results are
 * flushed to 0, as on most accelerators.  This works on x86-64 and AArch64; other processors
 * compute with denormals. */
#pragma once

#include <stdint.h>

/* Begin and end the work of one thread.  Each thread has its own mode, so every thread of a team
 * calls both, inside the parallel region.  Pairs may nest: ns_flush_end takes the value that
 * ns_flush_begin returned and restores the mode at that time. */
uint64_t ns_flush_begin(void);
void ns_flush_end(uint64_t before);
