/* Fair comparison of lanes.  SPDX-License-Identifier: MIT */
#include "core/study/compare.h"

#include "core/base/rng.h"
#include "tests/unit/studies.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define N 8

static NsStudyCell done(double value)
{
    NsStudyCell cell = ns_cell_in(NS_CELL_DONE);
    cell.value = value;
    cell.first = 9;
    return cell;
}

/* The subsets of k of N, as bits, one by one. */
static double brute_best(const double *values, unsigned k)
{
    double sum = 0, n = 0;
    for (unsigned bits = 0; bits < 1u << N; bits++) {
        if ((unsigned)__builtin_popcount(bits) != k) continue;
        double best = INFINITY;
        for (unsigned i = 0; i < N; i++)
            if (bits & 1u << i) best = fmin(best, values[i]);
        sum += best;
        n++;
    }
    return sum / n;
}

static double brute_beats(const double *a, const double *b, unsigned k)
{
    double sum = 0, n = 0;
    for (unsigned x = 0; x < 1u << N; x++)
        for (unsigned y = 0; y < 1u << N; y++) {
            if ((unsigned)__builtin_popcount(x) != k || (unsigned)__builtin_popcount(y) != k)
                continue;
            double best_a = INFINITY, best_b = INFINITY;
            for (unsigned i = 0; i < N; i++) {
                if (x & 1u << i) best_a = fmin(best_a, a[i]);
                if (y & 1u << i) best_b = fmin(best_b, b[i]);
            }
            sum += best_a < best_b ? 1 : best_a > best_b ? 0 : 0.5;
            n++;
        }
    return sum / n;
}

/* Every subset, counted. */
static void test_exact(void)
{
    static const double a[N] = {3, 1, 4, 1, 5, 9, 2, 6}, b[N] = {2, 7, 1, 8, 2, 8, 1, 8};
    g_auto(NsStudy) study;
    ns_test_read_study(&study, "steps = 1\n[grid]\nlr = 0.1:1:8\n[A]\n[B]\nclip = 1\n");
    NsStudyCell cells[2 * N];
    for (size_t i = 0; i < N; i++) {
        cells[ns_study_cell(&study, (NsStudyPlace){i, 0, 0})] = done(a[i]);
        cells[ns_study_cell(&study, (NsStudyPlace){i, 1, 0})] = done(b[i]);
    }
    g_autofree NsComparison *c =
        ns_comparison_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL);
    g_assert_cmpuint(c->configurations, ==, N);
    g_assert_cmpuint(c->n_budgets, ==, 4);
    for (size_t i = 0; i < c->n_budgets; i++) {
        unsigned k = (unsigned)c->budgets[i];
        g_assert_cmpuint(k, ==, i + 1);
        double best_a = brute_best(a, k), best_b = brute_best(b, k);
        const NsDuel *duel = &c->duels[0][1][i];
        g_assert_cmpfloat_with_epsilon(c->best[0][i].value, best_a, 1e-12);
        g_assert_cmpfloat_with_epsilon(c->best[1][i].value, best_b, 1e-12);
        g_assert_cmpfloat_with_epsilon(duel->difference.value, best_a - best_b, 1e-12);
        g_assert_cmpfloat_with_epsilon(duel->beats, brute_beats(a, b, k), 1e-12);
        g_assert_true(isnan(c->best[0][i].lo) && isnan(duel->difference.hi));
        g_assert_cmpint(duel->better, ==, NS_BETTER_UNKNOWN);
    }
    g_assert_cmpint(c->verdicts[0][1], ==, NS_BETTER_UNKNOWN);
    g_assert_cmpstr(c->no_verdict, ==, "One seed: no verdict.");
}

/* Without random samples of seeds and draws there are values, but no verdict. */
static void test_no_verdict(void)
{
    static const struct {
        const char *text, *reason;
    } rows[] = {
        {"seeds = 3\n[random]\ndraws = 1\nwarmup = 1:9\n[grid]\nlr = 1, 2, 3, 4\n", "One draw"},
        {"seeds = 3\n[grid]\nseed = 1, 2, 3, 4\n", "The seed"},
        {"seeds = 3\n[random]\ndraws = 4\ndata-seed = 1:1000\n", "The seed"},
        {"seeds = 3\n[grid]\nlr = 1, 2, 3, 4\n", NULL},
        {"seeds = 3\n[random]\ndraws = 4\nlr = 1:2\n", NULL},
    };
    for (size_t at = 0; at < G_N_ELEMENTS(rows); at++) {
        g_auto(NsStudy) study;
        g_autofree char *text =
            g_strconcat("steps = 1\n", rows[at].text, "[A]\n[B]\nclip = 1\n", NULL);
        ns_test_read_study(&study, text);
        g_autofree NsStudyCell *cells = g_new(NsStudyCell, ns_study_cells(&study));
        for (size_t i = 0; i < ns_study_cells(&study); i++)
            cells[i] = done(ns_study_place(&study, i).lane ? 2 : 1);
        g_autofree NsComparison *c =
            ns_comparison_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL);
        bool decided = !rows[at].reason;
        g_assert_true(decided ? !c->no_verdict : g_str_has_prefix(c->no_verdict, rows[at].reason));
        g_assert_cmpint(c->verdicts[0][1], ==, decided ? NS_BETTER_A : NS_BETTER_UNKNOWN);
        g_assert_cmpint(c->duels[0][1][0].better, ==, c->verdicts[0][1]);
        g_assert_cmpfloat_with_epsilon(c->duels[0][1][0].difference.value, -1, 1e-12);
        g_assert_cmpfloat_with_epsilon(c->duels[0][1][0].beats, 1, 1e-12);
    }
}

/* A difference is found, and never the other way round; test_coverage.c has equal lanes. */
static void test_verdict(void)
{
    g_auto(NsStudy) study;
    unsigned verdicts[NS_BETTER_UNKNOWN + 1] = {0};
    ns_test_read_study(&study, "steps = 1\nseeds = 5\n[random]\ndraws = 40\nlr = 0.1:1\n"
                               "[A]\n[B]\nclip = 1\n");
    NsRng rng;
    ns_rng_init(&rng, 7, 0);
    for (int trial = 0; trial < 100; trial++) {
        NsStudyCell cells[400];
        for (size_t i = 0; i < 40; i++) {
            double shared = fabs(ns_rng_normal(&rng));
            for (size_t k = 0; k < 10; k++)
                cells[ns_study_cell(&study, (NsStudyPlace){i, k % 2, k / 2})] =
                    done(2 + shared + 0.2 * ns_rng_normal(&rng) + (k % 2 ? 0.3 : 0));
        }
        g_autofree NsComparison *c =
            ns_comparison_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL);
        verdicts[c->verdicts[0][1]]++;
    }
    g_test_message("B is worse: %u A, %u undecided, %u B", verdicts[0], verdicts[1], verdicts[2]);
    g_assert_cmpuint(verdicts[NS_BETTER_A], >=, 90);
    g_assert_cmpuint(verdicts[NS_BETTER_B], ==, 0);
}

/* Seeds are averaged; what diverged, or is worse than it began, is the untrained model; what is
 * missing in one lane is left out in both. */
static void test_scores(void)
{
    g_auto(NsStudy) study;
    ns_test_read_study(
        &study, "steps = 1\nseeds = 2\n[random]\ndraws = 4\nlr = 0.1:1\n[A]\n[B]\nclip = 1\n");
    NsStudyCell cells[16];
    for (size_t i = 0; i < 16; i++) cells[i] = done((double)i);
    cells[0] = ns_cell_in(NS_CELL_DIVERGED);
    cells[0].first = 4;
    cells[1] = cells[0];
    cells[14] = ns_cell_in(NS_CELL_RUNNING);
    g_autofree NsComparison *c =
        ns_comparison_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL);
    g_assert_cmpuint(c->configurations, ==, 3);
    g_assert_cmpuint(c->untrained[0], ==, 2); /* 0 and 1 */
    g_assert_cmpuint(c->untrained[1], ==, 2); /* 10 and 11, which count as 9 */
    g_assert_cmpfloat_with_epsilon(c->best[0][0].value, (4 + 4 + 4 + 5 + 8 + 9) / 6.0, 1e-12);
    g_assert_cmpfloat_with_epsilon(c->best[1][0].value, (2 + 3 + 6 + 7 + 9 + 9) / 6.0, 1e-12);
    g_assert_false(isnan(c->duels[0][1][0].difference.lo));
    g_assert_cmpstr(c->no_verdict, ==, "Not all runs have ended: no verdict yet.");
    cells[1] = done(1);
    g_autofree NsComparison *mixed =
        ns_comparison_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL);
    g_assert_cmpfloat_with_epsilon(mixed->best[0][0].value, (4 + 1 + 4 + 5 + 8 + 9) / 6.0, 1e-12);
    g_assert_true(isnan(mixed->duels[0][1][0].difference.lo));
    g_assert_cmpstr(mixed->no_verdict, ==, "Two seeds, one of which diverged: no verdict.");
    study.results.of[0].kind = NS_RESULT_GRADIENT;
    g_assert_null(ns_comparison_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL));
}

static void test_sensitivity(void)
{
    g_auto(NsStudy) study;
    ns_test_read_study(&study,
                       "steps = 1\nseeds = 2\n[grid]\nwarmup = 1, 10\nlr = 0.1, 0.2, 0.4\n");
    NsStudyCell cells[12];
    /* [rate][warm-up], the same for both seeds but at the last rate */
    static const double values[3][2] = {{3, 4}, {2, 1}, {20, 8}};
    for (size_t rate = 0; rate < 3; rate++)
        for (size_t warmup = 0; warmup < 2; warmup++)
            for (size_t seed = 0; seed < 2; seed++)
                cells[ns_study_cell(&study, (NsStudyPlace){rate * 2 + warmup, 0, seed})] =
                    done(values[rate][warmup] - (rate == 2 ? (double)seed : 0));
    g_autoptr(NsSensitivity) s =
        ns_sensitivity_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL);
    g_assert_cmpuint(s->n, ==, 3);
    g_assert_cmpfloat(s->rates[2], ==, 0.4);
    const double expected[] = {3, 1, 7.5};
    for (size_t i = 0; i < 3; i++) g_assert_cmpfloat(s->scores[0][i].value, ==, expected[i]);
    g_assert_cmpfloat_with_epsilon(s->sensitivity[0].value, (3 + 1 + 7.5) / 3 - 1, 1e-12);
    g_assert_cmpfloat(s->scores[0][0].lo, ==, 3);
    g_assert_cmpfloat_with_epsilon(s->scores[0][2].lo, 7.5 - 12.7062047 * 0.5, 1e-6);
    g_assert_cmpfloat_with_epsilon(s->sensitivity[0].hi, 17 / 6.0 + 12.7062047 / 6, 1e-6);
    cells[0] = ns_cell_in(NS_CELL_WAITING);
    g_autoptr(NsSensitivity) missing =
        ns_sensitivity_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL);
    g_assert_true(isnan(missing->sensitivity[0].value) && isnan(missing->scores[0][0].value));
    g_assert_cmpfloat(missing->scores[0][1].value, ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/study/compare/exact", test_exact);
    g_test_add_func("/study/compare/no-verdict", test_no_verdict);
    g_test_add_func("/study/compare/verdict", test_verdict);
    g_test_add_func("/study/compare/scores", test_scores);
    g_test_add_func("/study/compare/sensitivity", test_sensitivity);
    return g_test_run();
}
