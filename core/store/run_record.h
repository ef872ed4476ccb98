/* A run that was written as JSON lines, read back.  SPDX-License-Identifier: MIT
 *
 * What core/store/jsonl.h writes comes back to the same bits: settings, scalars, every quantity
 * that the lines have, evaluations and events.  What is not in the lines (attention maps,
 * similarities, a quantity of another version) was not measured. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/probe/history.h"

#include <gio/gio.h>

/* A longer line is none of a run. */
#define NS_RUN_LINE_MAX ((size_t)64 << 20)

typedef struct {
    int64_t end;             /* set by the caller: records from this step on are left out; 0: none
                                are */
    NsExperiment experiment; /* n is 0 before its settings were read */
    NsHistory *histories[NS_LANES_MAX];
    size_t wrong_line; /* from 1: the first that is no line of the run, where reading ended; 0: all
                          of them are */
    bool cut;          /* it is the last, and no newline ends it */
} NsRunRecord;

void ns_run_record_clear(NsRunRecord *record);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsRunRecord, ns_run_record_clear)

/* Reads a run into a record that is all zero, but for `end`; any thread.  NS_ERROR_FILE where the
 * stream cannot be read, where it holds no experiment, or where a lane has no whole step;
 * NS_ERROR_SETTING where the settings cannot be used; a GIO error where it was canceled.  The
 * record may then be partly filled.  Messages call the stream by its name. */
bool ns_run_record_read(NsRunRecord *record, GInputStream *stream, const char *name,
                        GCancellable *cancellable, GError **error);

/* The same from a regular file, by its base name. */
bool ns_run_record_load(NsRunRecord *record, const char *path, GCancellable *cancellable,
                        GError **error);

/* Whether a regular file begins as such lines do. */
bool ns_run_record_is(const char *path);
