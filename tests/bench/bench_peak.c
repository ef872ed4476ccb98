/* What this machine could do at most with the instructions in use: multiply-adds in registers, and
 * numbers from and to memory, by all threads at once.  SPDX-License-Identifier: MIT
 *
 *     bench-peak
 *
 * prints {"instructions", "threads", "gflops", "gbytes_per_s"}: single precision; the best of a few
 * turns; bytes as STREAM's triad counts them (McCalpin 1995), two numbers read and one written. */
#include "core/base/processors.h"
#include "core/base/real.h"
#include "core/base/team.h"
#include "tests/bench/peak.h"

#include <stdio.h>

enum { TURNS = 10, ROUNDS = 1 << 22, ELEMENTS = 16 << 20 };

static void multiply_add(void *data, const NsMember *member)
{
    (void)data, (void)member;
    multiply_adds(ns_instructions(), ROUNDS);
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
    double operations = threads * multiply_adds(ns_instructions(), ROUNDS);
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
