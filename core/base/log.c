/* SPDX-License-Identifier: MIT */
#include "core/base/log.h"

#include <stdatomic.h>
#include <string.h>

/* Block k holds FIRST << k elements, so that BLOCKS blocks are enough for any run, and their
 * addresses fit in a fixed array. */
#define FIRST ((size_t)256)
#define BLOCKS 40

struct NsLog {
    size_t element_size;
    char *blocks[BLOCKS];
    atomic_size_t count;
};

NsLog *ns_log_new(size_t element_size)
{
    NsLog *log = g_new0(NsLog, 1);
    log->element_size = element_size;
    return log;
}

void ns_log_free(NsLog *log)
{
    if (!log) return;
    for (size_t k = 0; k < BLOCKS; k++) g_free(log->blocks[k]);
    g_free(log);
}

/* Element i is in block k at index i - FIRST (2^k - 1), where k is the index of the top bit of i /
 * FIRST + 1. */
static char *element(const NsLog *log, size_t i, unsigned *block)
{
    unsigned k = (unsigned)g_bit_storage(i / FIRST + 1) - 1;
    *block = k;
    return log->blocks[k]
               ? log->blocks[k] + (i - FIRST * (((size_t)1 << k) - 1)) * log->element_size
               : NULL;
}

void ns_log_append(NsLog *log, const void *source)
{
    size_t count = atomic_load_explicit(&log->count, memory_order_relaxed);
    unsigned block;
    char *slot = element(log, count, &block);
    if (!slot) {
        log->blocks[block] = g_malloc_n(FIRST << block, log->element_size);
        slot = element(log, count, &block);
    }
    memcpy(slot, source, log->element_size);
    atomic_store_explicit(&log->count, count + 1, memory_order_release);
}

size_t ns_log_count(const NsLog *log)
{
    return atomic_load_explicit(&log->count, memory_order_acquire);
}

const void *ns_log_get(const NsLog *log, size_t i)
{
    unsigned block;
    return element(log, i, &block);
}
