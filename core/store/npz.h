/* Arrays as NumPy saves several in one file.  SPDX-License-Identifier: MIT
 *
 * A zip file of files NAME.npy, none compressed, written from its beginning to its end: the data of
 * an array may come in pieces, go into a pipe and be of any size. */
#pragma once

#include "core/store/safetensors.h"

#include <stdint.h>

typedef struct {
    uint64_t written;    /* bytes of the file so far */
    uint64_t begin;      /* of the present array's entry */
    uint64_t size;       /* of its file */
    uint32_t crc;        /* of what was written of it */
    uint64_t entries;    /* ended */
    GByteArray *central; /* what the end says of them */
} NsNpz;

void ns_npz_init(NsNpz *npz);
void ns_npz_clear(NsNpz *npz);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsNpz, ns_npz_clear)

/* Appends what stands before the data of an array to `out`, which the caller writes.  Then the data
 * follows, of which ns_npz_add is told. */
void ns_npz_begin(NsNpz *npz, const NsStoredTensor *array, GByteArray *out);
void ns_npz_add(NsNpz *npz, const void *data, size_t bytes);

/* What stands behind its data. */
void ns_npz_end_array(NsNpz *npz, const char *name, GByteArray *out);

/* What stands at the end of the file. */
void ns_npz_end(NsNpz *npz, GByteArray *out);
