/* Numbers formatted for people, in figures, the window and the tables of the command line.
 * SPDX-License-Identifier: MIT
 *
 * Digits before the decimal point are grouped by threes, with the separator of the desktop's
 * language, and a negative number begins with a minus sign instead of a hyphen: "1,240",
 * "−1,372.50".  Numbers that a program reads have neither. */
#pragma once

#include <stdint.h>

/* Formats a count.  Free with g_free. */
char *ns_group_digits(int64_t number);

/* Formats a number given as plain text, such as "-1372.50".  Free with g_free. */
char *ns_group_plain(const char *number);

/* A count as a user may type it, "10,000" or "10 000", without its separators; any other text, such
 * as "0,003", is returned as it is.  Free with g_free. */
char *ns_ungroup_digits(const char *text);
