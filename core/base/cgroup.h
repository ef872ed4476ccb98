/* The limits that control groups set on the process (Linux).  SPDX-License-Identifier: MIT
 *
 * The limits of the process's group and of all groups above it apply, if they are visible; in a
 * container, only those up to the container's own group are.  Version 2 has the files cpu.max and
 * memory.max, version 1 has cpu.cfs_quota_us and memory.limit_in_bytes; both may exist at once. A
 * file that is missing or cannot be parsed sets no limit. */
#pragma once

#include <stdint.h>

/* Number of processors whose time a quota allows: 1.5 for 150 ms in every 100 ms; INFINITY without
 * a quota.  `root`: the folder that contains /proc and /sys, "" for the system's own. */
double ns_cgroup_processors(const char *root);

/* Bytes that can still be allocated: the limit minus the used memory that cannot be reclaimed from
 * the file cache; UINT64_MAX without a limit. */
uint64_t ns_cgroup_memory(const char *root);
