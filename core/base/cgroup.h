/* The limits that control groups set on the process (Linux).  SPDX-License-Identifier: MIT
 *
 * The group of the process and all groups above it count, as far as they are seen from here: in a
 * container those up to its own.  Version 2 has the files cpu.max and memory.max, version 1
 * cpu.cfs_quota_us and memory.limit_in_bytes; both may be there at once.  A file that is missing or
 * not understood sets no limit. */
#pragma once

#include <stdint.h>

/* Processors whose time a quota allows, 1.5 for 150 ms in every 100 ms; INFINITY without a quota.
 * `root`: where /proc and /sys lie, "" for the system's own. */
double ns_cgroup_processors(const char *root);

/* Bytes that may still be had: the limit less what is used and could not be reclaimed from the
 * cache of files; UINT64_MAX without a limit. */
uint64_t ns_cgroup_memory(const char *root);
