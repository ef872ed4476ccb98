/* Which lessons were gone through to their end, remembered from session to session where the
 * desktop remembers anything.  SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>

bool ns_lesson_is_finished(const char *key);
void ns_lesson_set_finished(const char *key);
