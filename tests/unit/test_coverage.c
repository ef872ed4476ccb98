/* Intervals and verdicts of studies hold what they say: thousands of synthetic studies whose lanes
 * are equal.  SPDX-License-Identifier: MIT */
#include "core/base/rng.h"
#include "core/study/compare.h"
#include "core/study/statistics.h"
#include "tests/unit/studies.h"

#include <glib.h>
#include <math.h>

#define STUDIES 2000
#define N 8 /* configurations */
#define LANES "[A]\n[B]\nclip = 1\n"
#define BUDGETS 6

/* The studies that are drawn. */
typedef struct {
    int seeds;
    bool random;                                 /* configurations are drawn anew in each study */
    bool paired;                                 /* lanes share the effects of a seed */
    double common, configuration, interaction;   /* standard deviations of effects of a seed, a
                                                  * configuration and both, */
    double lane_seed, lane_configuration, noise; /* of a lane and a seed, and so on */
} Design;

/* Effects of configurations, by lane. */
static void draw_configurations(const Design *d, NsRng *rng, double effects[2][N])
{
    for (size_t i = 0; i < N; i++) {
        double common = d->configuration * ns_rng_normal(rng);
        for (size_t lane = 0; lane < 2; lane++)
            effects[lane][i] =
                common + (d->random ? d->lane_configuration * ns_rng_normal(rng) : 0);
    }
}

static void draw_study(const Design *d, const NsStudy *study, NsRng *rng, double effects[2][N],
                       NsStudyCell *cells)
{
    for (size_t seed = 0; seed < (size_t)d->seeds; seed++) {
        double common[2], own[2];
        for (size_t lane = 0; lane < 2; lane++) {
            common[lane] = d->common * ns_rng_normal(rng);
            own[lane] = d->lane_seed * ns_rng_normal(rng);
        }
        for (size_t i = 0; i < N; i++) {
            double both[2] = {ns_rng_normal(rng), ns_rng_normal(rng)};
            for (size_t lane = 0; lane < 2; lane++) {
                size_t from = d->paired ? 0 : lane;
                NsStudyCell cell = ns_cell_in(NS_CELL_DONE);
                cell.first = 1000;
                cell.value = 3 + common[from] + own[lane] + effects[lane][i] +
                             d->interaction * both[from] + d->noise * ns_rng_normal(rng);
                cells[ns_study_cell(study, (NsStudyPlace){i, lane, seed})] = cell;
            }
        }
    }
}

static void read_study(NsStudy *study, int seeds, bool random)
{
    g_autofree char *text = g_strdup_printf("steps = 1\nseeds = %d\n%s" LANES, seeds,
                                            random ? "[random]\ndraws = 8\nlr = 0.1:1\n"
                                                   : "[grid]\nlr = 0.1:1:4\nwarmup = 1, 2\n");
    ns_test_read_study(study, text);
}

/* The share of intervals that contain the mean of all values, which have no bias. */
static double coverage(const NsInterval *intervals)
{
    double mean = 0, covered = 0;
    for (size_t i = 0; i < STUDIES; i++) mean += intervals[i].value / STUDIES;
    for (size_t i = 0; i < STUDIES; i++)
        covered += intervals[i].lo <= mean && mean <= intervals[i].hi;
    return covered / STUDIES;
}

static void check_coverage(const Design *d, const char *what, const NsInterval *intervals)
{
    double share = coverage(intervals);
    g_test_message("%d seeds, %s, %s, %s: coverage %.1f %%", d->seeds,
                   d->random ? "random" : "grid", d->paired ? "paired" : "unpaired", what,
                   100 * share);
    if (share < 0.93 || share > 0.97) g_test_fail();
}

static void check_design(const Design *d)
{
    g_auto(NsStudy) study;
    NsRng rng;
    double effects[2][N];
    size_t n_budgets = 0, verdicts = 0;
    read_study(&study, d->seeds, d->random);
    ns_rng_init(&rng, 3, 0);
    draw_configurations(d, &rng, effects);
    g_autofree NsStudyCell *cells = g_new0(NsStudyCell, ns_study_cells(&study));
    g_autofree NsInterval *best = g_new(NsInterval, BUDGETS * STUDIES);
    g_autofree NsInterval *difference = g_new(NsInterval, BUDGETS * STUDIES);
    g_autofree NsInterval *sensitivity = g_new(NsInterval, STUDIES);
    size_t duels[BUDGETS] = {0};
    for (size_t i = 0; i < STUDIES; i++) {
        if (d->random) draw_configurations(d, &rng, effects);
        draw_study(d, &study, &rng, effects, cells);
        g_autofree NsComparison *c =
            ns_comparison_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL);
        g_autoptr(NsSensitivity) s =
            ns_sensitivity_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL);
        n_budgets = MIN(c->n_budgets, BUDGETS);
        for (size_t k = 0; k < n_budgets; k++) {
            best[k * STUDIES + i] = c->best[0][k];
            difference[k * STUDIES + i] = c->duels[0][1][k].difference;
            duels[k] += c->duels[0][1][k].better != NS_BETTER_NEITHER;
        }
        verdicts += c->verdicts[0][1] != NS_BETTER_NEITHER;
        if (s) sensitivity[i] = s->sensitivity[0];
    }
    for (size_t k = 0; k < n_budgets; k++) {
        check_coverage(d, "best", best + k * STUDIES);
        check_coverage(d, "difference", difference + k * STUDIES);
        g_test_message("false: %.1f %%", 100.0 * (double)duels[k] / STUDIES);
        if (duels[k] > 0.07 * STUDIES) g_test_fail();
    }
    if (!d->random) check_coverage(d, "sensitivity", sensitivity);
    g_test_message("false verdicts: %.1f %%", 100.0 * (double)verdicts / STUDIES);
    if (verdicts > 0.07 * STUDIES) g_test_fail();
}

/* Every number of seeds, grid and random, paired and unpaired. */
static void test_designs(void)
{
    static const int seeds[] = {2, 3, 5, 10};
    for (size_t i = 0; i < G_N_ELEMENTS(seeds); i++)
        for (int random = 0; random < 2; random++)
            for (int paired = 0; paired < 2; paired++)
                check_design(&(Design){.seeds = seeds[i],
                                       .random = random,
                                       .paired = paired,
                                       .common = 0.3,
                                       .configuration = 0.5,
                                       .interaction = 0.1,
                                       .lane_seed = 0.1,
                                       .lane_configuration = 0.1,
                                       .noise = 0.2});
}

/* Tables of a mean and random effects of rows and columns: coverage of the mean for every share
 * that rows, columns and rest have in its variance. */
static void test_tables(void)
{
    static const size_t rows[] = {2, 3, 5, 10}, columns[] = {8, 32};
    static const double shares[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1},  {1, 1, 1}, {3, 1, 0},
                                       {1, 3, 0}, {3, 0, 1}, {10, 0, 1}, {0, 3, 1}};
    double table[320], most = 0, least = 1;
    NsRng rng;
    ns_rng_init(&rng, 5, 0);
    for (size_t at = 0; at < G_N_ELEMENTS(rows) * G_N_ELEMENTS(columns) * G_N_ELEMENTS(shares);
         at++) {
        size_t n = rows[at % 4], m = columns[at / 4 % 2], covered = 0;
        const double *share = shares[at / 8];
        for (size_t i = 0; i < STUDIES; i++) {
            double mean = 0, column[32];
            for (size_t k = 0; k < m; k++)
                column[k] = sqrt(share[1] * (double)m) * ns_rng_normal(&rng);
            for (size_t k = 0; k < n * m; k++) {
                if (k % m == 0) mean = sqrt(share[0] * (double)n) * ns_rng_normal(&rng);
                table[k] =
                    mean + column[k % m] + sqrt(share[2] * (double)(n * m)) * ns_rng_normal(&rng);
            }
            mean = 0;
            for (size_t k = 0; k < n * m; k++) mean += table[k] / (double)(n * m);
            covered += fabs(mean) <= ns_crossed_reach(table, n, m, 0.95);
        }
        double part = (double)covered / STUDIES;
        g_test_message("%zu x %zu, shares %g %g %g: %.1f %%", n, m, share[0], share[1], share[2],
                       100 * part);
        most = fmax(most, part);
        least = fmin(least, part);
    }
    g_test_message("%.1f to %.1f %%", 100 * least, 100 * most);
    g_assert_cmpfloat(least, >=, 0.93);
    g_assert_cmpfloat(most, <=, 0.98);
}

/* Trains the cells of a study whose lanes differ in nothing but their seeds. */
static NsBetter train_equal_lanes(size_t number, const char *varied)
{
    g_auto(NsStudy) study;
    g_autofree char *text = g_strdup_printf(
        "layers = 1\nd-model = 4\nheads = 1\nd-ff = 4\nseq = 4\nbatch = 2\nsteps = 12\nseeds = 5\n"
        "task = copy\nvocab = 8\n%s[A]\nseed = %zu\ndata-seed = %zu\n[B]\nseed = %zu\ndata-seed = "
        "%zu\n",
        varied, 1000 + 20 * number, 1000 + 20 * number, 1010 + 20 * number, 1010 + 20 * number);
    ns_test_read_study(&study, text);
    g_autofree NsStudyCell *cells = g_new(NsStudyCell, ns_study_cells(&study));
    for (size_t i = 0; i < ns_study_cells(&study); i++) {
        NsSettings settings;
        ns_study_cell_settings(&study, i, &settings);
        cells[i] =
            ns_cell_train(&settings, &(NsCellWork){.results = study.results, .stop = study.stop});
        ns_settings_clear(&settings);
    }
    g_autofree NsComparison *c =
        ns_comparison_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL);
    g_assert_null(c->no_verdict);
    return c->verdicts[0][1];
}

/* Real runs with equal lanes: 7% of 300 verdicts. */
static void test_real(void)
{
    static const char *const varied[] = {"[grid]\nlr = 1e-3:1:4\n",
                                         "[random]\ndraws = 6\nlr = 1e-3:1:log\n"};
    for (size_t at = 0; at < G_N_ELEMENTS(varied); at++) {
        size_t verdicts = 0;
        for (size_t i = 0; i < 300; i++)
            verdicts += train_equal_lanes(i, varied[at]) != NS_BETTER_NEITHER;
        g_test_message("%s: %zu verdicts of 300 studies", varied[at], verdicts);
        g_assert_cmpuint(verdicts, <=, 21);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/study/coverage/tables", test_tables);
    g_test_add_func("/study/coverage/designs", test_designs);
    if (g_test_slow()) g_test_add_func("/study/coverage/real", test_real); /* hundreds of studies */
    return g_test_run();
}
