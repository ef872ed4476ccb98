/* Reads a run that was written as JSON lines.  SPDX-License-Identifier: MIT
 *
 * What core/store/jsonl.h writes is read back to the same bits: settings, scalars, all quantities
 * in the lines, evaluations and events.  Anything that the lines do not contain (attention maps,
 * similarities, quantities of another version) is treated as not measured. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/probe/history.h"

#include <gio/gio.h>

/* A longer line cannot be one of a run. */
#define NS_RUN_LINE_MAX ((size_t)64 << 20)

typedef struct {
    int64_t end;             /* set by the caller: records before this step are read; 0: all */
    NsExperiment experiment; /* n is 0 before the settings have been read */
    NsHistory *histories[NS_LANES_MAX];
    size_t wrong_line; /* from 1: the first line that is not one of the run, where reading ended; 0:
                        * there is none */
    bool cut;          /* the wrong line is the last one and has no newline */
} NsRunRecord;

void ns_run_record_clear(NsRunRecord *record);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsRunRecord, ns_run_record_clear)

/* Reads a run into a record that is all zero except for `end`.  Any thread.  NS_ERROR_FILE if the
 * stream cannot be read, contains no experiment, or a lane has no complete step; NS_ERROR_SETTING
 * if the settings cannot be used; a GIO error if the operation was canceled.  After an error the
 * record may be partly filled.  `name` is the name of the stream in messages. */
bool ns_run_record_read(NsRunRecord *record, GInputStream *stream, const char *name,
                        GCancellable *cancellable, GError **error);

/* The same for a regular file; messages use its base name. */
bool ns_run_record_load(NsRunRecord *record, const char *path, GCancellable *cancellable,
                        GError **error);

/* Whether a regular file begins like the JSON lines of a run. */
bool ns_run_record_is(const char *path);
