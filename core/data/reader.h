/* Whole files into memory, within bounds.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stddef.h>

/* Reads a regular file of at most `limit` bytes.  Never waits for a pipe or a device: those are
 * refused.  A zero byte, not counted in `bytes`, follows the contents.  NULL with NS_ERROR_FILE
 * (says which file and why) or NS_ERROR_MEMORY.  Free with g_free. */
char *ns_read_file(const char *path, size_t limit, size_t *bytes, GError **error);

/* The bytes of the byte order mark that a text begins with, as spreadsheets and editors write it
 * before UTF-8; 0 where there is none. */
size_t ns_byte_order_mark(const char *text, size_t bytes);
