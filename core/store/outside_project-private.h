/* A project of trackio: the database of its runs as JSON lines.  Internal to outside*.c.
 * SPDX-License-Identifier: MIT
 *
 * trackio keeps a project in one SQLite file, by default ~/.cache/huggingface/trackio/PROJECT.db,
 * with a row for every call of its log(): metrics(id, timestamp, run_name, step, metrics), the last
 * one an object of JSON.  The file is read through SQLite while a training program writes it. */
#pragma once

#include "core/store/database.h"

#include <glib.h>

typedef struct {
    NsDatabaseFile *file;
    sqlite3 *db;
    int64_t last;         /* id of the last row that was read */
    GPtrArray *runs;      /* names of the runs that are shown, by lane */
    GHashTable *left_out; /* a set of the names of others */
    GString *lines;       /* that were read and not returned yet */
    char *message;        /* which runs are left out; NULL if there is nothing new */
} NsOutsideProject;

/* Returns NULL if the file is no such database or cannot be read. */
NsOutsideProject *ns_outside_project_open(const char *path);
void ns_outside_project_free(NsOutsideProject *project);

/* Writes at most n bytes of the lines that follow those already returned, and returns how many; 0
 * if there are none yet. */
size_t ns_outside_project_read(NsOutsideProject *project, char *bytes, size_t n);
