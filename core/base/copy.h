/* Copying text into arrays of fixed size.  SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* Copies as much of a text as fits in `size` bytes, always as valid UTF-8 with a terminating zero.
 * NULL is an empty text.  size: at least 1. */
void ns_copy_text(char *to, size_t size, const char *text);
