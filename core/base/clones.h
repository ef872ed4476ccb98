/* Functions that are compiled for several instruction sets.  SPDX-License-Identifier: MIT
 *
 *     NS_CLONES(static, widen, (float *x, const float *y, size_t n), (x, y, n))
 *     {
 *         ...
 *     }
 *
 * defines `static void widen(float *x, const float *y, size_t n)`: its body is compiled once for
 * every set of ns_instructions(), and the function calls the version for the set in use.  Inline
 * helpers of the body are compiled with it.  NS_CLONES_OF is for functions that return a value. */
#pragma once

#include "core/base/instructions.h"

#ifdef NS_CLONES_X86

/* `back`: `return`, or empty if the type is void. */
#define NS_CLONES_WITH(linkage, type, back, name, parameters, arguments)                           \
    static inline __attribute__((always_inline)) type name##_body parameters;                      \
    NS_AVX512 static type name##_avx512 parameters                                                 \
    {                                                                                              \
        back name##_body arguments;                                                                \
    }                                                                                              \
    NS_AVX2 static type name##_avx2 parameters                                                     \
    {                                                                                              \
        back name##_body arguments;                                                                \
    }                                                                                              \
    static type name##_portable parameters                                                         \
    {                                                                                              \
        back name##_body arguments;                                                                \
    }                                                                                              \
    linkage type name parameters                                                                   \
    {                                                                                              \
        NsInstructions set = ns_instructions();                                                    \
        if (set == NS_INSTRUCTIONS_AVX512)                                                         \
            back name##_avx512 arguments;                                                          \
        else if (set == NS_INSTRUCTIONS_AVX2)                                                      \
            back name##_avx2 arguments;                                                            \
        else                                                                                       \
            back name##_portable arguments;                                                        \
    }                                                                                              \
    static inline __attribute__((always_inline)) type name##_body parameters

#else

#define NS_CLONES_WITH(linkage, type, back, name, parameters, arguments)                           \
    linkage type name parameters

#endif

#define NS_CLONES(linkage, name, parameters, arguments)                                            \
    NS_CLONES_WITH(linkage, void, , name, parameters, arguments)
#define NS_CLONES_OF(linkage, type, name, parameters, arguments)                                   \
    NS_CLONES_WITH(linkage, type, return, name, parameters, arguments)
