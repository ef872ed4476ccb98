/* The run files of a folder.  SPDX-License-Identifier: MIT
 *
 * These functions read files, so they must not run on the main thread. */
#pragma once

#include "core/experiment/experiment.h"
#include "core/train/checkpoints.h"

#include <gio/gio.h>

/* ---- The list of runs ---- */

/* A run file, or the reason why it cannot be read. */
typedef struct {
    char *path, *name; /* name: without folder and suffix, for display */
    char *wrong;       /* error message, or NULL; if set, the fields below except bytes are empty */
    char *title;       /* "Post-LN vs Pre-LN, 6 layers" */
    char *differs; /* "Layers 6 → 12" relative to the run before it, or to the parent of a fork;
                      NULL for the first */
    char *parent;  /* of a fork: base name of its parent's file; else NULL */
    int64_t fork_step;
    char *tags, *text; /* notes; NULL for none */
    gint64 began;      /* Unix time */
    NsExperiment experiment;
    int64_t steps;             /* the newest step */
    double loss[NS_LANES_MAX]; /* at that step, first seed; NaN if there is none */
    guint64 bytes;
} NsLibraryRun;

/* NsLibraryRun of every run file of a folder, the newest first; empty if there is no folder. */
GPtrArray *ns_library_list(const char *folder);

/* Whether each of these words occurs in the name, title, tags, note or differences of a run,
 * ignoring case. */
bool ns_library_matches(const NsLibraryRun *run, const char *words);

/* The settings whose values differ between any of these runs, in the order of the table, at most
 * `most`.  Lanes are compared with lanes of the same letter. */
size_t ns_library_columns(const GPtrArray *runs, const NsParam **columns, size_t most);

/* The value of a setting for display: "Post-LN / Pre-LN" if lanes differ.  Free with g_free. */
char *ns_library_value(const NsLibraryRun *run, const NsParam *param);

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

/* A run of histories that began with these settings; `name` is the base name of its file.  Each
 * history has at least one record.  It can only restart. */
NsPastRun *ns_past_run_new(const char *name, const NsExperiment *started,
                           NsHistory *const *histories);

/* A run file, which can be continued.  NULL with NS_ERROR_FILE or NS_ERROR_SETTING, or with a GIO
 * error if it was canceled. */
NsPastRun *ns_past_run_read(const char *path, GCancellable *cancellable, GError **error);

/* The checkpoints up to step `last`, thinned to `most` bytes.  NULL as above. */
NsCheckpoints *ns_saved_checkpoints_read(const char *path, int64_t last, size_t most,
                                         GCancellable *cancellable, GError **error);
