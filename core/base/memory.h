/* The memory that the program uses, and how much more it can have.  SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Peak of the resident memory since the last reset (or since the program began, where the system
 * does not let itself be reset), in MiB; NaN where it does not say.  Linux: VmHWM of
 * /proc/self/status. */
double ns_memory_peak_mib(void);

/* Sets the peak to the memory that is resident now. */
void ns_memory_reset_peak(void);

/* Called first by the main of a program, while it has one thread.  From then on large arrays are
 * given back to the system when they are freed.  Where the address space is
 * limited, threads then share one arena of malloc: every other would reserve 64 MiB of it, and a
 * thread that gets none makes a system call for every few bytes. */
void ns_memory_init(void);

/* The limits on the memory of the program. */
typedef enum {
    NS_MEMORY_MACHINE, /* MemAvailable of /proc/meminfo: what can be had without swapping */
    NS_MEMORY_GROUP,   /* its control groups (core/base/cgroup.h) */
    NS_MEMORY_ADDRESS, /* RLIMIT_AS, “ulimit -v”: counts what is asked for, used or not */
    NS_MEMORY_DATA,    /* RLIMIT_DATA, “ulimit -d”: likewise */
    NS_MEMORY_LIMITS
} NsMemoryLimit;

/* Bytes available under a limit; SIZE_MAX if there is no limit, or if the system does not report
 * it. */
size_t ns_memory_left(NsMemoryLimit limit);

/* The smallest number of bytes available under any limit; 0 if the system reports nothing. */
size_t ns_memory_available(void);
