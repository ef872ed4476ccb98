/* How long the last frames took.  SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* The newest of them, in milliseconds, in a ring. */
typedef struct {
    double *ms;
    size_t room, n; /* n: how many came in all */
} NsFrameTimes;

void ns_frame_times_init(NsFrameTimes *times, size_t room);
void ns_frame_times_clear(NsFrameTimes *times);
void ns_frame_times_add(NsFrameTimes *times, double ms);

/* How many are kept. */
size_t ns_frame_times_count(const NsFrameTimes *times);

/* The least time that so large a share, in (0, 1], of those that are kept did not exceed; 0 for
 * none. */
double ns_frame_times_within(const NsFrameTimes *times, double share);
