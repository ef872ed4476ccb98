/* SPDX-License-Identifier: MIT */
#include "core/base/real.h"

#include "core/base/error.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The size of a cache line and of an AVX-512 register. */
#define ALIGNMENT 64

/* Large arrays use pages of 2 MiB if the system supports them: a step of a deep model iterates over
 * hundreds of megabytes, and would need a TLB entry for every 4 KiB of them. */
#define LARGE_PAGE ((size_t)2 << 20)

/* Smaller arrays use small pages, since alignment would waste too much of their memory. */
#define LARGE_PAGES 4

static void *allocate(size_t bytes)
{
    void *memory = NULL;
    bool large = bytes >= LARGE_PAGES * LARGE_PAGE;
    if (posix_memalign(&memory, large ? LARGE_PAGE : ALIGNMENT, MAX(bytes, ALIGNMENT)) != 0)
        return NULL;
    /* Only a hint: if it fails, the memory has small pages. */
    if (large) (void)madvise(memory, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
    return memory;
}

void ns_real_clear(ns_real *elements, size_t n)
{
    size_t bytes = n * sizeof *elements;
    bool large = bytes >= LARGE_PAGES * LARGE_PAGE;
    size_t unused = large ? bytes / LARGE_PAGE * LARGE_PAGE : 0;
    if (unused && madvise(elements, unused, MADV_DONTNEED) != 0) unused = 0;
    memset((char *)elements + unused, 0, bytes - unused);
}

ns_real *ns_real_new(size_t n, const char *what, GError **error)
{
    size_t bytes = n * sizeof(ns_real);
    bool overflow = n > SIZE_MAX / sizeof(ns_real) - LARGE_PAGE;
    ns_real *elements = overflow ? NULL : allocate(bytes);
    if (!elements) {
        g_autofree char *size = g_format_size_full(bytes, G_FORMAT_SIZE_IEC_UNITS);
        ns_refuse(error, NS_ERROR_MEMORY,
                  "There is not enough memory for %s of %s; choose fewer layers or a smaller "
                  "width, sequence or batch.",
                  size, what);
        return NULL;
    }
    ns_real_clear(elements, n);
    return elements;
}

void ns_real_free(ns_real *elements)
{
    free(elements);
}
