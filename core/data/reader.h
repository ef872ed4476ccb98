/* Reads whole files into memory, up to a limit.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stddef.h>

/* Reads a regular file of at most `limit` bytes.  Pipes and devices are refused, without waiting
 * for them.  A zero byte, not counted in `bytes`, follows the contents.  NULL with NS_ERROR_FILE,
 * whose message names the file and the reason, or NS_ERROR_MEMORY.  Free with g_free. */
char *ns_read_file(const char *path, size_t limit, size_t *bytes, GError **error);

/* The length in bytes of the UTF-8 byte order mark that a text begins with, which some spreadsheets
 * and editors write; 0 if there is none. */
size_t ns_byte_order_mark(const char *text, size_t bytes);
