/* Writing files, and messages where they cannot be written.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* NS_ERROR_FILE of an errno: "Cannot write “a.pdf”: writing is not allowed there; choose another
 * folder." */
void ns_file_error(const char *path, int code, GError **error);

/* EFBIG where files may only grow to a limit (“ulimit -f”), else 0: SQLite may not say which error
 * it met. */
int ns_file_size_limit(void);

/* Makes a folder and those above it, where they are missing.  NS_ERROR_FILE. */
bool ns_folder_make(const char *path, GError **error);

/* Writes all of the bytes to an open file.  FALSE with errno. */
bool ns_write_all(int fd, const void *data, size_t bytes);
