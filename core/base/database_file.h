/* Opens files that SQLite may have open.  SPDX-License-Identifier: MIT
 *
 * When a process closes any descriptor of a file, POSIX drops all locks of the process on the file,
 * those of SQLite too.  Another process may then delete the log of a database that is in use here,
 * and everything that is committed afterwards is lost if this process is killed.  So a database has
 * one descriptor beside those of SQLite, which is closed when this process no longer uses the file,
 * and every file that could be a database is opened here.  Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A database that is open in this process. */
typedef struct NsDatabaseFile NsDatabaseFile;

/* Has to be called before SQLite opens the file.  `flags`: 0, O_CREAT, or O_CREAT | O_EXCL.
 * Returns NULL with errno. */
NsDatabaseFile *ns_database_file_open(const char *path, int flags);

/* Has to be called after SQLite has closed the file.  NULL is ignored. */
void ns_database_file_close(NsDatabaseFile *file);

/* Locks the file for one writer, until ns_database_file_unlock or the end of the process.  Returns
 * false with errno, EWOULDBLOCK if it is locked in this or another process. */
bool ns_database_file_lock(NsDatabaseFile *file);
void ns_database_file_unlock(NsDatabaseFile *file);

/* Whether the file system has the locks that SQLite needs. */
bool ns_database_file_can_lock(const NsDatabaseFile *file);

/* Whether the path still names this file. */
bool ns_database_file_is_at(const NsDatabaseFile *file, const char *path);

/* Whether a writer in any process has locked the file at a path. */
bool ns_database_file_is_locked(const char *path);

/* Reads the first bytes of a regular file.  Returns how many there were, up to n; 0 if it cannot be
 * read. */
size_t ns_database_file_head(const char *path, void *head, size_t n);

/* Opens any other file, pipe or device for reading, without waiting for its other end.  Returns a
 * descriptor, or -1 with errno; EMEDIUMTYPE if it is a database of SQLite or its index, “-shm”. */
int ns_open_for_reading(const char *path);
