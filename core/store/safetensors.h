/* Files of tensors.  SPDX-License-Identifier: MIT
 *
 * The safetensors format: the length of the header in 8 little-endian bytes, a JSON header with
 * names, types, shapes and offsets, then the raw little-endian data. */
#pragma once

#include "core/base/real.h"
#include "core/base/tensor.h"
#include "core/data/batch.h"

typedef enum {
    NS_STORED_F32,
    NS_STORED_F64,
    NS_STORED_I64,
    NS_STORED_BOOL,
} NsStoredType;

typedef struct {
    const char *name;
    NsStoredType type;
    size_t dims; /* 1 to 3 */
    size_t shape[3];
    const void *data; /* borrowed */
} NsStoredTensor;

/* Makes the beginning of a file with these tensors: everything before their data, *bytes long.
 * Does not read their data.  `experiment` (or NULL) is stored in the metadata.  Free with
 * g_free. */
char *ns_safetensors_head(const NsStoredTensor *tensors, size_t n, const char *experiment,
                          size_t *bytes);

/* Writes a complete file, or none if an error occurs (NS_ERROR_FILE, which names the file and the
 * reason). */
bool ns_safetensors_write(const char *path, const NsStoredTensor *tensors, size_t n,
                          GError **error);

/* Writes the contents of such a file.  On failure errno contains the reason. */
bool ns_safetensors_fill(int fd, const NsStoredTensor *tensors, size_t n);

/* Tensors that are collected for a file; zeros: none. */
typedef struct {
    NsStoredTensor *tensor; /* [n] */
    size_t n;
    GPtrArray *owned; /* names, and data that is not borrowed */
} NsStoredTensors;

void ns_stored_tensors_clear(NsStoredTensors *tensors);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsStoredTensors, ns_stored_tensors_clear)

/* Adds the tensors of an arena, borrowed, with a prefix before their names; NULL: none. */
void ns_stored_tensors_add(NsStoredTensors *tensors, const char *prefix, const NsTensorTable *table,
                           const ns_real *arena);

/* Adds a copy of a matrix of whole numbers, or of a vector: cols = 0. */
void ns_stored_tensors_add_numbers(NsStoredTensors *tensors, const char *prefix, const char *name,
                                   const int32_t *numbers, size_t rows, size_t cols);

/* Adds what all models need of a batch; `segments`: each sequence has two and may have a label. */
void ns_stored_tensors_add_batch(NsStoredTensors *tensors, const char *prefix, const NsBatch *batch,
                                 bool segments);

/* A file opened for reading. */
typedef struct NsSafetensors NsSafetensors;

/* Number i of a buffer of half precision, or of bfloat16. */
double ns_f16_at(const void *buffer, size_t i);
double ns_bf16_at(const void *buffer, size_t i);

/* Reads the header.  Every size in it is checked against the size of the file before it is used.
 * Returns NULL with NS_ERROR_FILE, which names the file and the reason. */
NsSafetensors *ns_safetensors_open(const char *path, GError **error);
void ns_safetensors_free(NsSafetensors *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsSafetensors, ns_safetensors_free)

/* The names of all tensors, borrowed from the file.  Free with g_list_free. */
GList *ns_safetensors_names(const NsSafetensors *file);

/* Reads the shape of a tensor of floating-point numbers (F64, F32, F16 or BF16); the columns of a
 * vector are 0.  NS_ERROR_FILE if there is no tensor of this name, or it has another type or more
 * dimensions. */
bool ns_safetensors_shape(const NsSafetensors *file, const char *name, size_t shape[2],
                          GError **error);

/* Reads the first n elements of a tensor, which must have at least n.  Half precision and BF16 are
 * widened exactly.  Adds to *rounded how many elements of double precision ns_real cannot hold and
 * were rounded. */
bool ns_safetensors_read(const NsSafetensors *file, const char *name, ns_real *to, size_t n,
                         size_t *rounded, GError **error);
