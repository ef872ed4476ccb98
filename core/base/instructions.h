/* The processor's instructions.  SPDX-License-Identifier: MIT
 *
 * Kernels exist for several sets of instructions: the loops under NS_CLONES (core/base/clones.h),
 * and the matrix products of core/ops/gemm.h.  All of a process use the same set: the best one that
 * the processor has, or the one that the environment names in NORMSCOPE_INSTRUCTIONS.  Another set
 * rounds otherwise, so that results agree to their precision, but not bit for bit. */
#pragma once

#include "core/base/choice.h"

#include <stdbool.h>

/* A better set has a larger number. */
typedef enum {
    NS_INSTRUCTIONS_PORTABLE, /* what every processor of this kind has; products by OpenBLAS */
    NS_INSTRUCTIONS_AVX2,     /* with FMA, 8 floats at a time */
    NS_INSTRUCTIONS_AVX512,   /* 16 */
    NS_INSTRUCTIONS_COUNT
} NsInstructions;

/* What a function has that is compiled for a set; NS_CLONES_X86: these sets can be there. */
#if defined __x86_64__ && defined __GNUC__
#define NS_CLONES_X86
#define NS_AVX2 __attribute__((target("avx2,fma,bmi,bmi2")))
#define NS_AVX512                                                                                  \
    __attribute__((target("avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")))
#endif

/* The set in use: always one that the processor has.  It is decided at the first call, by any
 * thread, and stays. */
NsInstructions ns_instructions(void);

/* Whether this processor has the set, and the program kernels for it. */
bool ns_instructions_there(NsInstructions set);

/* The i-th as a choice; its key is what NORMSCOPE_INSTRUCTIONS takes. */
const NsChoice *ns_instructions_choice(size_t i);

/* FALSE with NS_ERROR_USAGE where NORMSCOPE_INSTRUCTIONS names no set, or one that is not there;
 * the best is in use then.  For the programs, before they begin. */
bool ns_instructions_check(GError **error);
