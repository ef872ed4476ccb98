/* What the program has in memory, and could have.  SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Peak of the resident memory since the last reset (or since the program began, where the system
 * does not let itself be reset), in MiB; NaN where it does not say.  Linux: VmHWM of
 * /proc/self/status. */
double ns_memory_peak_mib(void);

/* The peak begins anew at what is resident now. */
void ns_memory_reset_peak(void);

/* Bytes that could be had without swapping; 0 where the system does not say.  Linux: MemAvailable
 * of /proc/meminfo. */
size_t ns_memory_available(void);
