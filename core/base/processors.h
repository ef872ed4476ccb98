/* How many processors the process may use.  SPDX-License-Identifier: MIT */
#pragma once

/* The least of: the processors that it may be scheduled on (its affinity), those whose time the
 * quota of its control groups allows (1 for a quota of 1.5, since two threads would be made to
 * wait), and OMP_NUM_THREADS and OMP_THREAD_LIMIT, which may name what a cluster gives to a job.
 * At least 1.  Reads files: not for inner loops. */
unsigned ns_processors(void);
