/* Reads whole files into memory, up to a limit.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Reads a regular file of at most `limit` bytes.  Pipes and devices are refused, without waiting
 * for them, and so are pointers of Git LFS.  A zero byte, not counted in `bytes`, follows the
 * contents.  NULL with NS_ERROR_FILE, whose message names the file and the reason, or
 * NS_ERROR_MEMORY.  Free with g_free. */
char *ns_read_file(const char *path, size_t limit, size_t *bytes, GError **error);

/* The length in bytes of the UTF-8 byte order mark that a text begins with, which some spreadsheets
 * and editors write; 0 if there is none. */
size_t ns_byte_order_mark(const char *text, size_t bytes);

/* Git LFS stores a large file elsewhere and leaves a short text in its place, a pointer.  Whether a
 * file begins like one; its first NS_LFS_POINTER_BYTES are sufficient. */
#define NS_LFS_POINTER_BYTES 34
bool ns_lfs_pointer_is(const char *data, size_t bytes);

/* Sets NS_ERROR_FILE for a file of this display name, and returns false. */
bool ns_lfs_pointer_refuse(const char *name, GError **error);
