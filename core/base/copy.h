/* Texts into rooms of fixed size.  SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* As much of a text as there is room for, in UTF-8 that is whole and valid, with a zero at its end.
 * size: at least 1. */
void ns_copy_text(char *to, size_t size, const char *text);
