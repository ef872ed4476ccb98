/* The run files of a folder.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/run_reader.h"

/* The files next to the run file while it is being written, or after its writer was killed. */
#define NS_RUN_BESIDE 2
extern const char *const ns_run_beside[NS_RUN_BESIDE]; /* suffixes of the run file's name */

/* The names (char *, without the folder) of the run files in a folder, sorted.  NULL with
 * NS_ERROR_FILE if the folder cannot be read. */
GPtrArray *ns_run_list(const char *folder, GError **error);

/* The size of a run on disk in bytes: its file and the files next to it. */
guint64 ns_run_bytes(const char *path);

/* Reads the training loss of a lane at its newest step, for the first seed; NaN if there is
 * none. */
bool ns_run_last_loss(NsRunReader *reader, size_t lane, double *loss, GError **error);
