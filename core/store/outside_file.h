/* The growing file or pipe of a run of another program.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/outside.h"

typedef struct NsOutsideFile NsOutsideFile;

/* `path`: "-" is standard input.  In a folder, the newest event file is read, and is replaced when
 * a newer one appears.  If the file does not exist yet, or the folder is empty, the reader waits
 * for it.  Returns NULL with NS_ERROR_FILE if it cannot be read.  `budget`: see ns_outside_new. */
NsOutsideFile *ns_outside_file_open(const char *path, size_t budget, GError **error);
void ns_outside_file_free(NsOutsideFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsOutsideFile, ns_outside_file_free)

/* Whether the beginning of a regular file has a supported format (ns_outside_are), or it has
 * numbers and the suffix of a table or of lines, so that its columns can be chosen. */
bool ns_outside_file_is(const char *path);

/* The number of logs in a folder that are not shown with it, because another run is. */
size_t ns_outside_file_left_out(const char *folder);

/* The run at the beginning of a log, which is *whole if that is below one mebibyte; NULL for a
 * folder, a project and a Git LFS pointer. */
NsOutside *ns_outside_file_head(const char *path, bool *whole);

/* Reads everything again, with columns as they were chosen (ns_outside_map).  NS_ERROR_FILE for a
 * pipe that is not saved. */
bool ns_outside_file_map(NsOutsideFile *file, const char *map, GError **error);

/* From now on, everything read from a pipe is also written to this new file, byte for byte.
 * NS_ERROR_FILE if it cannot be created. */
bool ns_outside_file_save(NsOutsideFile *file, const char *path, GError **error);

/* The file that is read, or the first of them; NULL if there is none or it is standard input. */
const char *ns_outside_file_path(const NsOutsideFile *file);

/* The run that was read, borrowed. */
NsOutside *ns_outside_file_run(NsOutsideFile *file);

/* Of several files, that of the highest number counts. */
typedef enum {
    NS_OUTSIDE_ABSENT, /* the file does not exist, or not yet */
    NS_OUTSIDE_CLOSED, /* the pipe has ended */
    NS_OUTSIDE_AGAIN,  /* the file was replaced, by no more than was read before
                          (core/store/outside_watch.h) */
    NS_OUTSIDE_OPEN,   /* more may be written */
    NS_OUTSIDE_GONE,   /* the file was read and has been deleted */
} NsOutsideState;

NsOutsideState ns_outside_file_state(const NsOutsideFile *file);

/* How often a file with records was replaced by another one. */
size_t ns_outside_file_replaced(const NsOutsideFile *file);

/* Reads at most one mebibyte of what arrived since the last call, and waits at most this many
 * milliseconds for it.  Returns whether anything was read, so that there may be more.  A file that
 * was replaced, truncated or overwritten is read from its beginning.  Any thread, one at a time. */
bool ns_outside_file_read(NsOutsideFile *file, int milliseconds);

/* If a regular file has not grown for half a second, takes the newest, possibly incomplete step of
 * an event file (ns_outside_pause).  Returns whether there was one. */
bool ns_outside_file_pause(NsOutsideFile *file);
