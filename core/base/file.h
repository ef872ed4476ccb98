/* Writing files, and the errors of writing.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Sets NS_ERROR_FILE from an errno: "Cannot write “a.pdf”: you are not allowed to write there;
 * choose another folder."  Returns false. */
bool ns_file_error(const char *path, int code, GError **error);

/* EFBIG if the size of files is limited (“ulimit -f”), else 0.  For SQLite, which may not report
 * the error that it encountered. */
int ns_file_size_limit(void);

/* Creates a folder and its missing parents.  NS_ERROR_FILE. */
bool ns_folder_make(const char *path, GError **error);

/* Writes all of the bytes to an open file.  On failure returns false and sets errno. */
bool ns_write_all(int fd, const void *data, size_t bytes);

/* Reads so many bytes of an open file from a place on; false if there are fewer. */
bool ns_read_all(int fd, uint64_t at, void *to, size_t bytes);
