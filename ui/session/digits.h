/* Counts for people.  SPDX-License-Identifier: MIT */
#pragma once

#include <stdint.h>

/* A count with its digits grouped in threes: "1,240", or as the language of the desktop does it.
 * Free with g_free. */
char *ns_group_digits(int64_t number);
