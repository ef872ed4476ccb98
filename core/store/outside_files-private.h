/* The files of a run of another program.  Internal to outside_file.c, outside_find.c and
 * outside_project.c.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/database.h"
#include "core/store/outside.h"

/* ---- A project of trackio ---- */

typedef struct {
    NsDatabaseFile *file;
    sqlite3 *db;
    int64_t last;   /* id of the last row that was read */
    GString *lines; /* that were read and not returned yet */
    NsOutside *run; /* NULL: none */
} NsOutsideProject;

/* Returns NULL if the file is no such database or cannot be read.  `run`: NULL if it will not be
 * read. */
NsOutsideProject *ns_outside_project_open(const char *path, NsOutside *run);
void ns_outside_project_free(NsOutsideProject *project); /* also of NULL */
bool ns_outside_project_is(const char *path);

/* Writes at most n bytes of the lines that follow those already returned, and returns how many; 0
 * if there are none yet. */
size_t ns_outside_project_read(NsOutsideProject *project, char *bytes, size_t n);

/* ---- Files ---- */

/* The first bytes of a file distinguish one that was overwritten from one that grew. */
#define NS_OUTSIDE_HEAD ((size_t)256)

/* A regular file, or the only one. */
typedef struct {
    char *path;
    char *prefix;              /* the folder of its tags, or NULL */
    size_t lane;               /* see ns_outside_add_file */
    char split;                /* 'v': named after validation, 't': after training; or 0 */
    int fd;                    /* -1: it does not exist, or is a project */
    NsOutsideProject *project; /* NULL: it is none */
    off_t at;                  /* offset in a regular file */
    char head[NS_OUTSIDE_HEAD];
} NsOutsideStream;

NsOutsideStream *ns_outside_stream_new(const char *path, const char *prefix, size_t lane);
void ns_outside_stream_close(NsOutsideStream *stream);
void ns_outside_stream_free(gpointer stream);

/* Whether the name is that of a table. */
bool ns_outside_is_table(const char *name);

/* The reason why a file that begins so has no log, to be translated; or NULL. */
const char *ns_outside_refusal(const char *path, const char *head, size_t n);

/* The files (NsOutsideStream) of the run in a folder, in the order of time.  *left_out counts the
 * other logs in it; NULL: they are not looked for. */
GPtrArray *ns_outside_find(const char *folder, size_t *left_out);

/* Puts the files that a logger has rotated, “train.log.1”, before the log that they belong to.
 * Returns whether there are more of them than before. */
bool ns_outside_find_rotated(GPtrArray *streams);
