/* Tensors in a file.  SPDX-License-Identifier: MIT
 *
 * The safetensors format: 8 bytes little-endian header length, a JSON header of names, types,
 * shapes and offsets, then the raw little-endian data. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum { NS_STORED_F32, NS_STORED_F64, NS_STORED_I64 } NsStoredType;

typedef struct {
    const char *name;
    NsStoredType type;
    size_t dims; /* 1 or 2 */
    size_t shape[2];
    const void *data; /* borrowed */
} NsStoredTensor;

/* Writes a whole file or, on an error (NS_ERROR_FILE: says which file and why), none. */
bool ns_safetensors_write(const char *path, const NsStoredTensor *tensors, size_t n,
                          GError **error);
