/* Writes a file completely or not at all.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Writes a temporary file beside the target, then renames it.  On an error (NS_ERROR_FILE, with the
 * file and the reason) no partial file remains, and an existing one is unchanged.  Devices and
 * pipes are written directly. */
bool ns_save(const char *path, const void *data, size_t size, GError **error);
