/* The memory that the program uses and may still use.  SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Peak of the resident memory in MiB since the last reset, or since the program started if the
 * system does not support a reset; NaN if the system does not report it.  Linux: VmHWM of
 * /proc/self/status. */
double ns_memory_peak_mib(void);

/* Resets the peak to the current resident memory. */
void ns_memory_reset_peak(void);

/* Must be called first in main, while the program has a single thread.  From then on large arrays
 * are returned to the system when they are freed.  If the address space is limited, all threads
 * share one malloc arena: every other arena would reserve 64 MiB of address space, and a thread
 * that cannot get one makes a system call for every few bytes. */
void ns_memory_init(void);

/* The limits on the memory of the program. */
typedef enum {
    NS_MEMORY_MACHINE, /* MemAvailable of /proc/meminfo: available without swapping */
    NS_MEMORY_GROUP,   /* the control groups of the process (core/base/cgroup.h) */
    NS_MEMORY_ADDRESS, /* RLIMIT_AS, “ulimit -v”: counts address space, used or not */
    NS_MEMORY_DATA,    /* RLIMIT_DATA, “ulimit -d”: counts data, used or not */
    NS_MEMORY_LIMITS
} NsMemoryLimit;

/* Bytes available under a limit; SIZE_MAX if there is no limit, or if the system does not report
 * it. */
size_t ns_memory_left(NsMemoryLimit limit);

/* The smallest number of bytes available under any limit; 0 if the system reports nothing. */
size_t ns_memory_available(void);
