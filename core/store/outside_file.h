/* The file or pipe of a run of another program, as it grows.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/outside.h"

typedef struct NsOutsideFile NsOutsideFile;

/* path: "-" is standard input; of a folder the newest event file is read, and another that is newer
 * takes its place.  A file that is not there yet is waited for, and so is one in an empty folder.
 * NULL with NS_ERROR_FILE where it cannot be read.  budget: as in ns_outside_new. */
NsOutsideFile *ns_outside_file_open(const char *path, size_t budget, GError **error);
void ns_outside_file_free(NsOutsideFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsOutsideFile, ns_outside_file_free)

/* Whether a regular file begins as such lines do (ns_outside_are). */
bool ns_outside_file_is(const char *path);

/* From now on what a pipe brings is also written to this new file, byte for byte.  NS_ERROR_FILE
 * where it cannot be made. */
bool ns_outside_file_save(NsOutsideFile *file, const char *path, GError **error);

/* Whether there is a file: it may not have come yet, or have gone. */
bool ns_outside_file_is_there(const NsOutsideFile *file);

/* What was read, borrowed. */
NsOutside *ns_outside_file_run(NsOutsideFile *file);

/* The next sentence about what was read or could not be saved; NULL where there is none.  Free with
 * g_free. */
char *ns_outside_file_take_message(NsOutsideFile *file);

typedef enum {
    NS_OUTSIDE_MORE,  /* something came, of which there may be more at once */
    NS_OUTSIDE_NONE,  /* nothing new: the file may grow or come back */
    NS_OUTSIDE_ENDED, /* the pipe was closed */
} NsOutsideNews;

/* Reads what came since the last call, a mebibyte at most, and waits for it no longer than so many
 * milliseconds.  A file that was replaced, cut or written over begins again.  Any thread, one at a
 * time. */
NsOutsideNews ns_outside_file_read(NsOutsideFile *file, int milliseconds);

/* Where nothing has come to a regular file for half a second: takes the newest step of an event
 * file as far as it was told (ns_outside_pause).  Whether there was one. */
bool ns_outside_file_pause(NsOutsideFile *file);
