/* A project of trackio: the database of its runs as JSON lines.  Internal to outside*.c.
 * SPDX-License-Identifier: MIT
 *
 * trackio keeps a project in one SQLite file, by default ~/.cache/huggingface/trackio/PROJECT.db,
 * with a row for every call of its log(): metrics(id, timestamp, run_name, step, metrics), the last
 * one an object of JSON.  The file is read through SQLite while a training program writes it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct NsOutsideProject NsOutsideProject;

/* Returns NULL if the file is no such database or cannot be read. */
NsOutsideProject *ns_outside_project_open(const char *path);
void ns_outside_project_free(NsOutsideProject *project);

/* Whether the path is still this file. */
bool ns_outside_project_is_at(const NsOutsideProject *project, const char *path);

/* Writes at most n bytes of the lines that follow those already returned, and returns how many; 0
 * if there are none yet. */
size_t ns_outside_project_read(NsOutsideProject *project, char *bytes, size_t n);

/* The run of a lane, from 0; NULL if there is none. */
const char *ns_outside_project_run(const NsOutsideProject *project, size_t lane);

/* Which runs are left out, once; NULL if none is.  Free with g_free. */
char *ns_outside_project_take_message(NsOutsideProject *project);
