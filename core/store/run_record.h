/* Reads a run that was written as JSON lines.  SPDX-License-Identifier: MIT
 *
 * What core/store/jsonl.h writes is read back to the same bits: settings, scalars, all quantities
 * in the lines, evaluations and events.  Anything that the lines do not contain (attention maps,
 * similarities, quantities of another version) is treated as not measured. */
#pragma once

#include "core/store/recorded_run.h"

/* A longer line cannot be one of a run. */
#define NS_RUN_LINE_MAX ((size_t)64 << 20)

/* Reads the experiment and the histories up to step `until`, which replace none.  Reading ends at
 * the first line that is not one of the run, with a message.  Any thread.  NS_ERROR_FILE if the
 * stream cannot be read, contains no experiment, or ends before a lane has a complete step;
 * NS_ERROR_EMPTY if there is nothing but settings, NS_ERROR_SETTING if they cannot be used; a GIO
 * error if the operation was canceled. */
bool ns_run_record_read(NsRecordedRun *run, int64_t until, GInputStream *stream,
                        GCancellable *cancellable, GError **error);

/* Whether a regular file begins like the JSON lines of a run. */
bool ns_run_record_is(const char *path);
