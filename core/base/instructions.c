/* SPDX-License-Identifier: MIT */
#include "core/base/instructions.h"

#include "core/base/error.h"

#include <stdatomic.h>

#define VARIABLE "NORMSCOPE_INSTRUCTIONS"

static const NsChoice sets[] = {
    [NS_INSTRUCTIONS_PORTABLE] =
        {.key = "portable",
         .label = "portable",
         .purpose = "The instructions that every processor has; matrix products use OpenBLAS."},
    [NS_INSTRUCTIONS_AVX2] = {.key = "avx2",
                              .label = "AVX2",
                              .purpose = "AVX2, FMA, BMI and BMI2: eight numbers at a time."},
    [NS_INSTRUCTIONS_AVX512] = {.key = "avx512",
                                .label = "AVX-512",
                                .purpose = "AVX-512 F, BW, CD, DQ and VL: sixteen numbers at a "
                                           "time."},
};

NS_CHOICES(ns_instructions_choice, sets)

#ifdef NS_CLONES_X86

/* The extensions that NS_AVX2 and NS_AVX512 enable in the compiler. */
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

#else

static bool has_avx2(void)
{
    return false;
}

static bool has_avx512(void)
{
    return false;
}

#endif

bool ns_instructions_there(NsInstructions set)
{
    if (set == NS_INSTRUCTIONS_AVX512) return has_avx512();
    return set == NS_INSTRUCTIONS_AVX2 ? has_avx2() : set == NS_INSTRUCTIONS_PORTABLE;
}

static NsInstructions best(void)
{
    NsInstructions set = NS_INSTRUCTIONS_COUNT - 1;
    while (!ns_instructions_there(set)) set--;
    return set;
}

/* Sets *word to the value of the variable, or NULL if it is unset or empty.  Returns the set that
 * it names, or -1. */
static int asked(const char **word)
{
    *word = g_getenv(VARIABLE);
    if (*word && !**word) *word = NULL;
    return *word ? ns_choices_find(ns_instructions_choice, *word) : -1;
}

NsInstructions ns_instructions(void)
{
    /* Threads that call this first at the same time all reach the same decision. */
    static atomic_uint decided = NS_INSTRUCTIONS_COUNT;
    unsigned set = atomic_load_explicit(&decided, memory_order_relaxed);
    if (set == NS_INSTRUCTIONS_COUNT) {
        const char *word;
        int i = asked(&word);
        set = i >= 0 && ns_instructions_there((NsInstructions)i) ? (NsInstructions)i : best();
        atomic_store_explicit(&decided, set, memory_order_relaxed);
    }
    return (NsInstructions)set;
}

bool ns_instructions_check(GError **error)
{
    const char *word;
    int i = asked(&word);
    if (!word || (i >= 0 && ns_instructions_there((NsInstructions)i))) return true;
    if (i >= 0)
        ns_refuse(error, NS_ERROR_USAGE,
                  "This processor does not support the instruction set “%s” named in %s; the best "
                  "one it supports is “%s”.",
                  word, VARIABLE, sets[best()].key);
    else {
        g_autofree char *keys = ns_choices_keys(ns_instructions_choice);
        ns_refuse(error, NS_ERROR_USAGE,
                  "%s is “%s”, which is not an instruction set; set it to one of %s, or leave it "
                  "unset to use the best one that the processor supports.",
                  VARIABLE, word, keys);
    }
    return false;
}
