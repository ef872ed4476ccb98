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

/* Allocates n zeroed elements on a cache-line boundary; pages of large arrays take memory only when
 * they are used.  NULL with NS_ERROR_MEMORY, which names `what` and the size, if memory is
 * insufficient.  Free with ns_real_free. */
ns_real *ns_real_new(size_t n, const char *what, GError **error);

/* Zeros all n elements of such an allocation.  Pages of large arrays return to the system until
 * they are used again. */
void ns_real_clear(ns_real *elements, size_t n);
void ns_real_free(ns_real *elements);

/* n rounded up to whole cache lines: adjacent pieces of such sizes all begin on a cache line. */
static inline size_t ns_real_lines(size_t n)
{
    return (n + 15) / 16 * 16;
}
