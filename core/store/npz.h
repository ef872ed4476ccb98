/* Several arrays in one file of NumPy's format npz.  SPDX-License-Identifier: MIT
 *
 * The file is a zip archive of uncompressed files NAME.npy.  It is written sequentially, so the
 * data of an array may come in pieces, be of any size, and be written to a pipe. */
#pragma once

#include "core/store/safetensors.h"

#include <stdint.h>

typedef struct {
    uint64_t written;    /* bytes of the archive so far */
    uint64_t begin;      /* where the entry of the current array begins */
    uint64_t size;       /* bytes of its .npy file so far */
    uint32_t crc;        /* checksum of these bytes */
    uint64_t entries;    /* completed entries */
    GByteArray *central; /* the central directory of these entries */
} NsNpz;

void ns_npz_init(NsNpz *npz);
void ns_npz_clear(NsNpz *npz);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsNpz, ns_npz_clear)

/* Appends the headers of an array to `out`, which the caller writes.  The caller writes the data
 * next and passes the same bytes to ns_npz_add. */
void ns_npz_begin(NsNpz *npz, const NsStoredTensor *array, GByteArray *out);
void ns_npz_add(NsNpz *npz, const void *data, size_t bytes);

/* Appends what follows the data of an array. */
void ns_npz_end_array(NsNpz *npz, const char *name, GByteArray *out);

/* Appends the end of the archive. */
void ns_npz_end(NsNpz *npz, GByteArray *out);
