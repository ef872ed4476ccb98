/* The run files of a folder.  SPDX-License-Identifier: MIT
 *
 * None of this belongs on the main thread: it reads files. */
#pragma once

#include "core/experiment/experiment.h"
#include "core/train/checkpoints.h"

#include <gio/gio.h>

/* ---- What there is ---- */

/* A file, or what is wrong with it. */
typedef struct {
    char *path, *name; /* the latter without a folder, for people */
    char *wrong;       /* NULL: nothing; else all below is empty but its bytes */
    char *title;       /* "Post-LN vs Pre-LN, 6 layers" */
    char *differs; /* "Layers 6 → 12" beside the run before; of a fork, beside the one that it comes
                      from; NULL for the first */
    char *parent; /* of a fork: the name of that one's file; NULL */
    int64_t fork_step;
    char *tags, *text; /* notes; NULL for none */
    gint64 began;      /* Unix time */
    NsExperiment experiment;
    int64_t steps;             /* the newest */
    double loss[NS_LANES_MAX]; /* there, of the first seed; NaN where there is none */
    guint64 bytes;
} NsLibraryRun;

/* NsLibraryRun of every run file of a folder, the newest first; empty where there is no folder. */
GPtrArray *ns_library_list(const char *folder);

/* Whether a run has all these words somewhere, in any case: in its name, title, tags, note, or what
 * differs. */
bool ns_library_matches(const NsLibraryRun *run, const char *words);

/* The settings whose values differ between any of these runs, in the order of the table, at most
 * `most`; where runs have several lanes, between any lanes of the same letter. */
size_t ns_library_columns(const GPtrArray *runs, const NsParam **columns, size_t most);

/* The value of a setting for people, "Post-LN / Pre-LN" where lanes differ.  Free with g_free. */
char *ns_library_value(const NsLibraryRun *run, const NsParam *param);

guint64 ns_library_bytes(const GPtrArray *runs);

/* ---- What is done to it ---- */

/* Whether nobody is writing a file. */
bool ns_library_is_whole(const char *path);

/* To the trash of the desktop, or where there is none, into the folder "trash" beside the runs'.
 * NS_ERROR_FILE, also for a file that is being written. */
bool ns_library_trash(const char *path, GError **error);

/* Trashes the oldest runs without a tag until the rest takes no more than `most` bytes; those that
 * are being written and those `spared` (paths) stay, and so does the newest.  How many went. */
unsigned ns_library_keep_bound(const char *folder, guint64 most, GPtrArray *spared);

/* ---- One of them, to be shown and continued ---- */

typedef struct {
    char *name;                         /* of its file, for people */
    NsExperiment started;               /* that it began with */
    NsHistory *histories[NS_LANES_MAX]; /* [started.n], with all seeds */

    /* Of a run file; nothing of a run of JSON lines. */
    char *path;                 /* the file that is continued */
    NsExperiment now;           /* by the newest checkpoint */
    NsCheckpoints *checkpoints; /* may be empty */
    int64_t fork_step;
} NsSavedRun;

/* NULL with NS_ERROR_FILE or NS_ERROR_SETTING, or a GIO error where it was canceled. */
NsSavedRun *ns_saved_run_read(const char *path, GCancellable *cancellable, GError **error);
void ns_saved_run_free(NsSavedRun *run);

/* Of its checkpoints those up to step `last`, thinned to `most` bytes.  NULL as above. */
NsCheckpoints *ns_saved_checkpoints_read(const char *path, int64_t last, size_t most,
                                         GCancellable *cancellable, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsSavedRun, ns_saved_run_free)
