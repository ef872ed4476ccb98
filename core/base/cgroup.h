/* The limits that control groups set on the process (Linux).  SPDX-License-Identifier: MIT
 *
 * The limits of the group of the process and of all groups above it apply, as far as they are
 * visible: in a container, those up to the container's own group.  Version 2 has the files cpu.max
 * and memory.max, version 1 cpu.cfs_quota_us and memory.limit_in_bytes; both may be there at once.
 * A file that is missing or not understood sets no limit. */
#pragma once

#include <stdint.h>

/* Processors whose time a quota allows, 1.5 for 150 ms in every 100 ms; INFINITY without a quota.
 * `root`: where /proc and /sys lie, "" for the system's own. */
double ns_cgroup_processors(const char *root);

/* Bytes that can still be allocated: the limit minus the used memory that cannot be reclaimed from
 * the file cache; UINT64_MAX without a limit. */
uint64_t ns_cgroup_memory(const char *root);
