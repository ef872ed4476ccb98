/* The runs of a folder.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/recorded_run.h"

/* The files next to the run file while it is being written, or after its writer was killed. */
#define NS_RUN_SUFFIXES 2
extern const char *const ns_run_suffixes[NS_RUN_SUFFIXES]; /* suffixes of the run file's name */

/* The runs (NsRecordedRun) in a folder, sorted by name: what the heads of their files say, which
 * are closed again.  `logs`: also files and folders of other programs, which are read to their
 * ends. NULL with NS_ERROR_FILE if the folder cannot be read. */
GPtrArray *ns_run_list(const char *folder, bool logs, GError **error);
