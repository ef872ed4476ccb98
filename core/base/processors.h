/* How many processors the process may use.  SPDX-License-Identifier: MIT */
#pragma once

/* Returns the smallest of: the number of processors that the process may be scheduled on (its
 * affinity); the number whose time the quota of its control groups allows, rounded down, since with
 * a quota of 1.5 two threads would be throttled; and OMP_NUM_THREADS and OMP_THREAD_LIMIT, which a
 * cluster may set for a job.  At least 1.  Reads files, so it must not be called in inner loops. */
unsigned ns_processors(void);
