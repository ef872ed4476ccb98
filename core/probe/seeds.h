/* Means over seeds that are trained together.  SPDX-License-Identifier: MIT
 *
 * A number for a run of several seeds is the mean over the seeds that have not diverged, as in its
 * curves; if all have diverged, it is the mean over all. */
#pragma once

#include "core/probe/history.h"

/* The number of records that all of these seeds have; seeds without any record do not count. */
size_t ns_seeds_records(NsHistory *history);

/* The last record at or before a step; -1 before the first step and after the last. */
int64_t ns_seeds_record(NsHistory *history, int64_t step);

/* A record of the first of these seeds, with the mean loss and the mean gradient norm of all. */
NsStep ns_seeds_step(NsHistory *history, size_t record);

/* The same record with the standard deviations of these two. */
NsStep ns_seeds_deviation(NsHistory *history, size_t record);
