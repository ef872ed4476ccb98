/* The instruction set in use.  SPDX-License-Identifier: MIT
 *
 * Kernels exist for several instruction sets: the loops under NS_CLONES (core/base/clones.h) and
 * the matrix products of core/ops/gemm.h.  The whole process uses one set: the best one that the
 * processor supports, or the one that the environment variable NORMSCOPE_INSTRUCTIONS names. Sets
 * round differently, so that their results agree up to rounding errors, but not bit for bit. */
#pragma once

#include "core/base/choice.h"

#include <stdbool.h>

/* A better set has a larger number. */
typedef enum {
    NS_INSTRUCTIONS_PORTABLE, /* supported by every processor; products use OpenBLAS */
    NS_INSTRUCTIONS_AVX2,     /* with FMA; 8 floats at a time */
    NS_INSTRUCTIONS_AVX512,   /* 16 floats at a time */
    NS_INSTRUCTIONS_COUNT
} NsInstructions;

/* The attributes of a function compiled for a set.  NS_CLONES_X86: these sets may be available. */
#if defined __x86_64__ && defined __GNUC__
#define NS_CLONES_X86
#define NS_AVX2 __attribute__((target("avx2,fma,bmi,bmi2")))
#define NS_AVX512                                                                                  \
    __attribute__((target("avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")))
#endif

/* Returns the set in use, which the processor always supports.  The first call decides, on any
 * thread, and the decision never changes. */
NsInstructions ns_instructions(void);

/* Whether this processor supports the set and the program has kernels for it. */
bool ns_instructions_there(NsInstructions set);

/* The i-th set as a choice; its key is a value of NORMSCOPE_INSTRUCTIONS. */
const NsChoice *ns_instructions_choice(size_t i);

/* Returns false with NS_ERROR_USAGE if NORMSCOPE_INSTRUCTIONS names an unknown or unsupported set;
 * the best set is used then.  Programs call it first. */
bool ns_instructions_check(GError **error);
