/* Files of text.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Larger texts are refused. */
#define NS_TEXT_MAX ((size_t)256 << 20)

/* Checks a text.  NS_ERROR_TEXT if it is not UTF-8 or contains a zero byte (with the byte and line,
 * counted from 1).  `source` is its name in the message. */
bool ns_text_check(const char *text, size_t bytes, const char *source, GError **error);

/* Reads a text, plain or compressed by gzip, without its byte-order mark; a zero byte, not counted
 * in `bytes`, follows it.  NULL with the errors of ns_read_file and ns_text_check, or NS_ERROR_FILE
 * if the compressed data is damaged.  Free with g_free. */
char *ns_text_read(const char *path, size_t *bytes, GError **error);
