/* Bytes into a file, whole or not at all.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Writes beside the file, then puts the new one in its place: on an error (NS_ERROR_FILE: which
 * file and why) there is no half file, and one that was there is kept.  Devices and pipes are
 * written directly. */
bool ns_save(const char *path, const void *data, size_t size, GError **error);
