/* The run files of a folder.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/run_reader.h"

#define NS_RUN_SUFFIX ".nsrun"

/* What a run that is being written, or whose writer was killed, has beside its file. */
#define NS_RUN_BESIDE 2
extern const char *const ns_run_beside[NS_RUN_BESIDE]; /* suffixes of the file's name */

/* Names (char *, without the folder) of the run files of a folder, sorted.  NS_ERROR_FILE. */
GPtrArray *ns_run_list(const char *folder, GError **error);

/* What a run takes: its file, and what is beside it. */
guint64 ns_run_bytes(const char *path);

/* The training loss of a lane at its newest step, of the first seed; NaN where there is none. */
bool ns_run_last_loss(NsRunReader *reader, size_t lane, double *loss, GError **error);
