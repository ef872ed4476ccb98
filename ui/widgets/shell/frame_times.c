/* How long the last frames took.  SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/frame_times.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>

void ns_frame_times_init(NsFrameTimes *times, size_t room)
{
    *times = (NsFrameTimes){.ms = g_new(double, room), .room = room};
}

void ns_frame_times_clear(NsFrameTimes *times)
{
    g_clear_pointer(&times->ms, g_free);
    times->n = 0;
}

void ns_frame_times_add(NsFrameTimes *times, double ms)
{
    times->ms[times->n++ % times->room] = ms;
}

size_t ns_frame_times_count(const NsFrameTimes *times)
{
    return MIN(times->n, times->room);
}

static int ascending(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

double ns_frame_times_within(const NsFrameTimes *times, double share)
{
    size_t n = ns_frame_times_count(times);
    if (!n) return 0;
    g_autofree double *sorted = g_memdup2(times->ms, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);
    double rank = ceil(share * (double)n) - 1;
    return sorted[(size_t)CLAMP(rank, 0, (double)n - 1)];
}
