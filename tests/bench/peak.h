/* Multiply-adds in registers: as many as a processor can do.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/clones.h"

enum { PEAK_SUMS = 12 };

/* As many sums as hide how long a multiply-add takes, in vectors that fill registers. */
#define MULTIPLY_ADD(name, target, bytes)                                                          \
    target static float name(size_t rounds)                                                        \
    {                                                                                              \
        typedef float Vector __attribute__((vector_size(bytes)));                                  \
        Vector sum[PEAK_SUMS], zero = {0}, factor = zero + 0.999F, term = zero + 1e-3F;            \
        for (size_t i = 0; i < PEAK_SUMS; i++)                                                     \
            sum[i] = zero + (float)i; /* alike, they would be one */                               \
        for (size_t round = 0; round < rounds; round++) {                                          \
            _Pragma("GCC unroll 12") for (size_t i = 0; i < PEAK_SUMS; i++) sum[i] =               \
                sum[i] * factor + term;                                                            \
        }                                                                                          \
        float all = 0;                                                                             \
        for (size_t i = 0; i < PEAK_SUMS; i++) all += sum[i][0];                                   \
        return all;                                                                                \
    }

#ifdef NS_CLONES_X86
MULTIPLY_ADD(multiply_add_avx512, NS_AVX512, 64)
MULTIPLY_ADD(multiply_add_avx2, NS_AVX2, 32)
#endif
MULTIPLY_ADD(multiply_add_portable, , 16)

static volatile float peak_sink; /* or the sums would not be computed */

/* Multiply-adds in single precision with these instructions; returns the number of operations, two
 * for each. */
static inline double multiply_adds(NsInstructions set, size_t rounds)
{
    static const size_t lanes[] = {
        [NS_INSTRUCTIONS_PORTABLE] = 4, [NS_INSTRUCTIONS_AVX2] = 8, [NS_INSTRUCTIONS_AVX512] = 16};
#ifdef NS_CLONES_X86
    if (set == NS_INSTRUCTIONS_AVX512)
        peak_sink = multiply_add_avx512(rounds);
    else if (set == NS_INSTRUCTIONS_AVX2)
        peak_sink = multiply_add_avx2(rounds);
    else
#endif
        peak_sink = multiply_add_portable(rounds);
    return 2.0 * PEAK_SUMS * (double)lanes[set] * (double)rounds;
}
