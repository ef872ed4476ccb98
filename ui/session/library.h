/* The run files of a folder.  SPDX-License-Identifier: MIT
 *
 * These functions read files, so they must not run on the main thread. */
#pragma once

#include "core/store/recorded_run.h"
#include "core/store/run_table.h"

/* ---- The list of runs ---- */

/* The runs (NsRecordedRun) of a folder, the newest first; empty if there is no folder.  `logs`:
 * also those of other programs, which have no settings, notes or time.  Names are without their
 * suffix; a title is “Post-LN vs Pre-LN, 6 layers”, and the differences, “Layers 6 → 12”, are those
 * of a fork to its parent, or NULL. */
GPtrArray *ns_library_list(const char *folder, bool logs);

/* Whether each of these words occurs in the name, title, tags, note, settings or differences of a
 * run, ignoring case. */
bool ns_library_matches(const NsRecordedRun *run, const char *words);

/* The number that a run has of a setting, in its first lane; NaN if it has none.  Any thread. */
double ns_library_number(const NsRecordedRun *run, const NsRunColumn *setting);

/* The marks of runs by a setting (ns_session_mark_runs): numbers have shades, on a logarithmic
 * scale if they are positive and far apart; words have the colors of lanes, in the order of their
 * first appearance.  Any thread.  Free with g_hash_table_unref. */
GHashTable *ns_library_marks(const GPtrArray *runs, const NsRunColumn *setting, const char *title);

guint64 ns_library_bytes(const GPtrArray *runs);

/* ---- The trash ---- */

/* Moves a file to the trash of the desktop or, if there is none, to the folder "trash" beside that
 * of the runs.  NS_ERROR_FILE, also if the file is being written. */
bool ns_library_trash(const char *path, GError **error);

/* Moves the oldest runs without a tag to the trash until the rest takes at most `most` bytes. The
 * newest run, those being written and the paths in `spared` stay.  Returns the number of runs
 * moved. */
unsigned ns_library_keep_bound(const char *folder, guint64 most, GPtrArray *spared);

/* ---- Loading one run ---- */

/* A run read from a file, for ns_session_open_saved. */
typedef struct NsPastRun NsPastRun;
void ns_past_run_free(NsPastRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsPastRun, ns_past_run_free)

/* A run file, which can be continued, or lines, which can only restart.  NULL with an error of
 * ns_recorded_run_open. */
NsPastRun *ns_past_run_read(const char *path, GCancellable *cancellable, GError **error);

/* The next message about what was read (core/store/recorded_run.h), or NULL.  Free with g_free. */
char *ns_past_run_take_message(NsPastRun *run);
