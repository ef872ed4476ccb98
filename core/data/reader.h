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

/* Larger texts are refused. */
#define NS_TEXT_MAX ((size_t)256 << 20)

/* Checks a text.  NS_ERROR_TEXT if it is not UTF-8 or contains a zero byte (with the byte and line,
 * counted from 1).  `source` is its name in the message. */
bool ns_text_check(const char *text, size_t bytes, const char *source, GError **error);

/* Reads a text, plain or compressed by gzip, without its byte-order mark; a zero byte, not counted
 * in `bytes`, follows it.  NULL with the errors of ns_read_file and ns_text_check, or NS_ERROR_FILE
 * if the compressed data is damaged.  Free with g_free. */
char *ns_text_read(const char *path, size_t *bytes, GError **error);
