/* Runs of other programs that are followed while they are shown.
 * SPDX-License-Identifier: MIT
 *
 * A separate thread reads the files and pipes.  The functions return what it has read so far
 * without waiting, except the last one.  All functions but the last two are for one thread.
 *
 * A file that is replaced may begin a new run, or repeat the old one, as it does whenever a logger
 * writes all steps again.  The run read so far is shown until the new file has more, or another
 * value at some step. */
#pragma once

#include "core/store/recorded_run.h"

typedef struct NsOutsideWatch NsOutsideWatch;

/* Follows 1 to NS_LANES_MAX files at the same time; "-" is standard input, which is also written to
 * the file `save` unless that is NULL.  NS_ERROR_FILE if a file cannot be read or written. */
NsOutsideWatch *ns_outside_watch_new(const char *const *paths, size_t n, const char *save,
                                     GError **error);

/* Does not wait for the thread, which ends soon after.  If standard input is being saved, the
 * thread continues until its end (ns_outside_watch_wait_saved). */
void ns_outside_watch_free(NsOutsideWatch *watch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsOutsideWatch, ns_outside_watch_free)

/* Brings a run to what has been read, unless nothing is new since the last call; then it returns
 * false.  The lanes are in the order of the paths, each of which has at least one, and those beyond
 * NS_LANES_MAX are left out; the state is open if that of any path is.  *others: the number of
 * lanes or a history is another one. */
bool ns_outside_watch_update(NsOutsideWatch *watch, NsRecordedRun *run, bool *others);

/* The next run that was replaced in its file by another one, with all of its lanes, or NULL.
 * Nothing reads it any more.  *title: the name of the file; free with g_free. */
NsOutsideWatch *ns_outside_watch_take_earlier(NsOutsideWatch *watch, char **title);

/* The experiment of the run at the first path; NULL if another program trained it, or it was not
 * read yet. */
const NsExperiment *ns_outside_watch_experiment(NsOutsideWatch *watch);

/* How the run at a path is read: a reference, or NULL if it has no columns or was not read yet. */
NsOutsideReading *ns_outside_watch_reading(NsOutsideWatch *watch, size_t i);

/* Asks for this run to be read again with its columns as they were chosen (ns_recorded_run_map). */
void ns_outside_watch_map(NsOutsideWatch *watch, size_t i, const char *map);

/* For the end of the program: whether a watch is saving standard input, and a function that waits
 * until standard input has ended. */
bool ns_outside_watch_is_saving(void);
void ns_outside_watch_wait_saved(void);
