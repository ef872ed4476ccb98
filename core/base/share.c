/* SPDX-License-Identifier: MIT */
#include "core/base/share.h"

/* Elements in a block, unless the tensor would have too many blocks; 64 KiB in single precision. */
#define BLOCK ((size_t)1 << 14)

/* Below this number of elements, even the most expensive pass takes one thread less than a tenth of
 * a millisecond. */
#define WORTH_SHARING ((size_t)1 << 16)

static size_t block_size(size_t size)
{
    size_t least = (size + NS_BLOCKS_MAX - 1) / NS_BLOCKS_MAX;
    return MAX(ns_real_lines(least), BLOCK);
}

NsShare ns_share(const NsTensorTable *table, unsigned k, unsigned n)
{
    size_t begin = table->size * k / n;
    size_t end = k + 1 == n ? table->size : table->size * (k + 1) / n;
    /* Find the tensor in which the range begins, or the one before the gap in which it begins. */
    size_t low = 0, high = table->n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(table->tensors[middle].offset <= begin ? &low : &high) = middle;
    }
    NsShare share = {.table = table, .end = end, .tensor = low};
    if (k > 0 && low < table->n) {
        const NsTensor *t = &table->tensors[low];
        size_t block = block_size(ns_tensor_size(t));
        share.at = (begin - t->offset + block - 1) / block * block;
        share.late = share.at > 0;
    }
    return share;
}

bool ns_share_next(NsShare *s, NsBlock *block)
{
    for (; s->tensor < s->table->n; s->tensor++, s->at = 0, s->late = false) {
        const NsTensor *t = &s->table->tensors[s->tensor];
        size_t size = ns_tensor_size(t);
        if (s->at >= size) continue;
        if (t->offset + s->at >= s->end) return false;
        *block = (NsBlock){.tensor = s->tensor,
                           .offset = t->offset + s->at,
                           .n = MIN(block_size(size), size - s->at),
                           .first = s->at == 0,
                           .late = s->late};
        s->at += block->n;
        return true;
    }
    return false;
}

size_t ns_share_most(const NsTensorTable *table)
{
    return table->elements < WORTH_SHARING ? 1 : G_MAXSIZE;
}
