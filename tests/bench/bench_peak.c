/* What this machine could do at most with the instructions in use: multiply-adds in registers, and
 * numbers from and to memory, by all threads at once.  SPDX-License-Identifier: MIT
 *
 *     bench-peak
 *
 * prints {"instructions", "threads", "gflops", "gbytes_per_s"}: single precision; the best of a few
 * turns; bytes as STREAM's triad counts them (McCalpin 1995), two numbers read and one written. */
#include "core/base/clones.h"
#include "core/base/processors.h"
#include "core/base/real.h"
#include "core/base/team.h"

#include <stdio.h>

enum { TURNS = 10, ROUNDS = 1 << 22, SUMS = 12, ELEMENTS = 16 << 20 };

/* As many sums as hide how long a multiply-add takes, in vectors that fill registers. */
#define MULTIPLY_ADD(name, target, bytes)                                                          \
    target static float name(void)                                                                 \
    {                                                                                              \
        typedef float Vector __attribute__((vector_size(bytes)));                                  \
        Vector sum[SUMS], zero = {0}, factor = zero + 0.999F, term = zero + 1e-3F;                 \
        for (size_t i = 0; i < SUMS; i++) sum[i] = zero + (float)i; /* alike, they would be one */ \
        for (size_t round = 0; round < ROUNDS; round++) {                                          \
            _Pragma("GCC unroll 12") for (size_t i = 0; i < SUMS; i++) sum[i] =                    \
                sum[i] * factor + term;                                                            \
        }                                                                                          \
        float all = 0;                                                                             \
        for (size_t i = 0; i < SUMS; i++) all += sum[i][0];                                        \
        return all;                                                                                \
    }

#ifdef NS_CLONES_X86
MULTIPLY_ADD(multiply_add_avx512, NS_AVX512, 64)
MULTIPLY_ADD(multiply_add_avx2, NS_AVX2, 32)
#endif
MULTIPLY_ADD(multiply_add_portable, , 16)

/* Floats of the vectors above. */
static size_t lanes(void)
{
    static const size_t of[] = {
        [NS_INSTRUCTIONS_PORTABLE] = 4, [NS_INSTRUCTIONS_AVX2] = 8, [NS_INSTRUCTIONS_AVX512] = 16};
    return of[ns_instructions()];
}

static volatile float sink; /* or the sums would not be computed */

static void multiply_add(void *data, const NsMember *member)
{
    (void)data, (void)member;
#ifdef NS_CLONES_X86
    if (ns_instructions() == NS_INSTRUCTIONS_AVX512)
        sink = multiply_add_avx512();
    else if (ns_instructions() == NS_INSTRUCTIONS_AVX2)
        sink = multiply_add_avx2();
    else
#endif
        sink = multiply_add_portable();
}

NS_CLONES(static, triad,
          (ns_real *a, const ns_real *b, const ns_real *c, size_t n), (a, b, c, n))
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) a[i] = b[i] + 3 * c[i];
}

typedef struct {
    ns_real *a, *b, *c;
} Arrays;

static void move(void *data, const NsMember *member)
{
    const Arrays *x = data;
    size_t begin = ns_member_begin(member, ELEMENTS), n = ns_member_end(member, ELEMENTS) - begin;
    triad(x->a + begin, x->b + begin, x->c + begin, n);
}

/* Seconds of the fastest run. */
static double least(NsTeam *team, NsTeamWork work, void *data)
{
    double best = 1e9;
    for (int i = 0; i < TURNS; i++) {
        gint64 started = g_get_monotonic_time();
        ns_team_run(team, ns_team_threads(team), work, data);
        best = MIN(best, 1e-6 * (double)(g_get_monotonic_time() - started));
    }
    return best;
}

int main(void)
{
    NsTeam *team = ns_team_new(ns_processors());
    Arrays arrays = {ns_real_new(ELEMENTS, "an array", NULL),
                     ns_real_new(ELEMENTS, "an array", NULL),
                     ns_real_new(ELEMENTS, "an array", NULL)};
    if (!arrays.a || !arrays.b || !arrays.c) return 1;
    double threads = (double)ns_team_threads(team);
    double operations = 2 * threads * SUMS * (double)lanes() * ROUNDS;
    double bytes = 3.0 * sizeof(ns_real) * ELEMENTS;
    printf(
        "{\"instructions\": \"%s\", \"threads\": %.0f, \"gflops\": %.1f, \"gbytes_per_s\": %.1f}\n",
        ns_instructions_choice(ns_instructions())->key, threads,
        1e-9 * operations / least(team, multiply_add, NULL),
        1e-9 * bytes / least(team, move, &arrays));
    ns_team_free(team);
    ns_real_free(arrays.a);
    ns_real_free(arrays.b);
    ns_real_free(arrays.c);
    return 0;
}
