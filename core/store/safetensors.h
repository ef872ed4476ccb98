/* Tensors in a file.  SPDX-License-Identifier: MIT
 *
 * The safetensors format: 8 bytes little-endian header length, a JSON header of names, types,
 * shapes and offsets, then the raw little-endian data. */
#pragma once

#include "core/base/real.h"

typedef enum {
    NS_STORED_F32,
    NS_STORED_F64,
    NS_STORED_I64,
    NS_STORED_BOOL,
    NS_STORED_TEXT, /* not in safetensors: so many bytes as one element */
} NsStoredType;

typedef struct {
    const char *name;
    NsStoredType type;
    size_t dims; /* 1 to 3 */
    size_t shape[3];
    const void *data; /* borrowed */
} NsStoredTensor;

/* What stands in a file before the data of these tensors, one after another: *bytes of it.  Their
 * own data is not read.  `experiment` (NULL for none) goes into its metadata.  Free with g_free. */
char *ns_safetensors_head(const NsStoredTensor *tensors, size_t n, const char *experiment,
                          size_t *bytes);

/* Writes a whole file or, on an error (NS_ERROR_FILE: says which file and why), none. */
bool ns_safetensors_write(const char *path, const NsStoredTensor *tensors, size_t n,
                          GError **error);

/* A file that is open for reading. */
typedef struct NsSafetensors NsSafetensors;

/* Reads the header; every size that it names is held against the file before it is used.  NULL with
 * NS_ERROR_FILE, which says which file and what is wrong with it. */
NsSafetensors *ns_safetensors_open(const char *path, GError **error);
void ns_safetensors_free(NsSafetensors *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsSafetensors, ns_safetensors_free)

bool ns_safetensors_has(const NsSafetensors *file, const char *name);

/* The rows and columns of a tensor of single precision; columns 0 for a vector.  NS_ERROR_FILE
 * where there is none of this name, or it has another type or more dimensions. */
bool ns_safetensors_shape(const NsSafetensors *file, const char *name, size_t shape[2],
                          GError **error);

/* The first n elements of a tensor, which has so many. */
bool ns_safetensors_read(const NsSafetensors *file, const char *name, ns_real *to, size_t n,
                         GError **error);
