/* The floating-point type of weights, activations and gradients.  SPDX-License-Identifier: MIT
 *
 * The programs are built in single precision.  The same sources are built a second time with
 * NS_DOUBLE, so that finite differences can check every gradient to ten digits. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef NS_DOUBLE
typedef double ns_real;
#else
typedef float ns_real;
#endif

/* Allocates n zeroed elements on a cache-line boundary; many of them take memory where they are
 * used.  NULL with NS_ERROR_MEMORY, which names
 * `what` and the size, if there is no room.  Free with ns_real_free. */
ns_real *ns_real_new(size_t n, const char *what, GError **error);

/* Zeros all n elements of such an allocation.  Pages of large ones go back to the system until they
 * are used again. */
void ns_real_clear(ns_real *elements, size_t n);
void ns_real_free(ns_real *elements);

/* n elements, and as many more as fill their last cache line: pieces of such sizes side by side all
 * begin on one. */
static inline size_t ns_real_lines(size_t n)
{
    return (n + 15) / 16 * 16;
}
