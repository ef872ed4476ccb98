/* A run that can be shown and is not training here.  SPDX-License-Identifier: MIT
 *
 * It is a run file, the JSON lines of this program, or a run of another program
 * (core/store/outside.h).  Each of these is a row {is, read, poll} of the registry in
 * recorded_run.c.  All parts of the program that show a run open it here, so that what one of them
 * reads all of them read, and what cannot be read is refused with the same sentence. */
#pragma once

#include "core/store/outside_file.h"
#include "core/store/run_reader.h"
#include "core/train/checkpoints.h"

#include <gio/gio.h>

typedef enum {
    NS_RECORDED_NONE,  /* it is not a run */
    NS_RECORDED_FILE,  /* a run file (core/store/run_reader.h) */
    NS_RECORDED_LINES, /* what “train --jsonl” wrote (core/store/jsonl.h) */
    NS_RECORDED_LOG,   /* a file or a folder of another program */
} NsRecordedKind;

/* The kind of a file or folder, by its first bytes. */
NsRecordedKind ns_recorded_kind(const char *path);

typedef struct {
    char *path, *name;       /* name: for display, the base name or what differs; NULL: no file */
    NsRecordedKind kind;     /* NONE: it was not read from a file */
    NsExperiment experiment; /* as it began; n is 0 for a run of another program */
    size_t lanes;
    char *names[NS_LANES_MAX]; /* of the lanes of a run of another program, or NULL */
    int64_t last;              /* the newest step of any lane and seed */
    int64_t read_to;           /* the step up to which `histories` were read; -1: not yet */
    NsHistory *histories[NS_LANES_MAX]; /* [lanes]: the first seed, which contains the others */
    NsRunReader *file;                  /* of a run file: what else it contains; NULL for others */
    NsOutsideFile *log;                 /* of a run of another program that is followed, or NULL */
    NsOutsideReading *reading;          /* how that is read; NULL before its first bytes */
    NsOutsideState state;               /* of a run that is followed: whether more may come */
    size_t replaced;                    /* how often its log was (ns_outside_file_replaced) */
    size_t budget;                      /* bytes of each history, for all of its seeds */
    NsCheckpoints *checkpoints;         /* from which it can continue, or NULL */
    GQueue messages;                    /* char *: sentences about what was left out */

    /* Only of run files: */
    double loss[NS_LANES_MAX]; /* at the newest step; the mean over seeds */
    int64_t began;             /* Unix time */
    char *settings;            /* those that differ from the defaults, or of a log from others */
    char *tags, *text, *given; /* notes, or NULL (core/store/run_notes.h); the last is a name */
    char *parent;              /* of a fork: base name of its parent's file, or NULL */
    int64_t fork_step;

    /* For lists of runs: */
    char *wrong; /* why the run cannot be read, or NULL */
    guint64 bytes;
    GHashTable *config; /* text by name: the settings of a log (core/store/run_table.h), or NULL */
    char *title, *differs; /* set by the caller: the run in words, and its changes to another */
} NsRecordedRun;

/* A run without lanes, to be filled in.  `path`: its file, the name of a stream, or NULL. */
NsRecordedRun *ns_recorded_run_new(const char *path);

/* Names that tell n files apart, the first of these that do: their base names without and with
 * their endings, the folders in which they are, and the folders of those.  Where none do, the
 * paths. */
char **ns_recorded_run_names(const char *const *paths, size_t n, bool endings);

/* Opens a run: after this, everything but the histories of a run file has been read.  NULL with
 * NS_ERROR_FILE if it is not a run, cannot be read or has no step; NS_ERROR_EMPTY if lines have
 * nothing but settings, NS_ERROR_SETTING if these cannot be used; a GIO error if it was canceled.
 * Any thread, one at a time. */
NsRecordedRun *ns_recorded_run_open(const char *path, GCancellable *cancellable, GError **error);

/* Reads the histories up to step `until`, inclusive, each with NS_HISTORY_BUDGET bytes for all of
 * its seeds.  They replace those that were read before.  Errors as above. */
bool ns_recorded_run_read(NsRecordedRun *run, int64_t until, GCancellable *cancellable,
                          GError **error);

/* Reads the checkpoints of a run file up to step `last`, thinned to `most` bytes, except those of
 * lanes that have diverged, which cannot be continued.  There may be none.  Errors as above. */
bool ns_recorded_run_read_checkpoints(NsRecordedRun *run, int64_t last, size_t most,
                                      GCancellable *cancellable, GError **error);

/* Opens a run that may still be written, or not exist yet, or be standard input: “-”.  Nothing is
 * read yet.  NULL with NS_ERROR_FILE if it cannot be read. */
NsRecordedRun *ns_recorded_run_follow(const char *path, size_t budget, GError **error);

/* Reads a part of what was added to such a run, and waits at most this many milliseconds for it.
 * Histories of lanes that have no record yet are NULL, and a history may be replaced by another
 * with the same records.  Returns whether anything was read. */
bool ns_recorded_run_poll(NsRecordedRun *run, int milliseconds);

/* Reads a run that is followed again, with its columns as they were chosen (ns_outside_map), and
 * remembers the choice.  NS_ERROR_USAGE if this text cannot be read, NS_ERROR_FILE. */
bool ns_recorded_run_map(NsRecordedRun *run, const char *map, GError **error);

/* Whether the newest record may still change (ns_outside_is_partial). */
bool ns_recorded_run_is_partial(const NsRecordedRun *run);

/* Nothing more will be read: the last line may lack its newline. */
void ns_recorded_run_end(NsRecordedRun *run);

/* Sets NS_ERROR_FILE for a run that was followed and has no record; returns false. */
bool ns_recorded_run_refuse_empty(const NsRecordedRun *run, GError **error);

/* Adds a message; for readers. */
void ns_recorded_run_report(NsRecordedRun *run, const char *format, ...) G_GNUC_PRINTF(2, 3);

void ns_recorded_run_free(NsRecordedRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsRecordedRun, ns_recorded_run_free)
