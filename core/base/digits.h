/* How people read numbers, in figures, the window and the tables of the command line.
 * SPDX-License-Identifier: MIT
 *
 * Digits before the point stand in groups of three, as the language of the desktop does it, and a
 * negative number begins with a real minus: "1,240", "−1,372.50".  What a program reads, or what is
 * typed, has neither. */
#pragma once

#include <stdint.h>

/* Of a count.  Free with g_free. */
char *ns_group_digits(int64_t number);

/* Of a number that is written plainly, as "-1372.50".  Free with g_free. */
char *ns_group_plain(const char *number);
