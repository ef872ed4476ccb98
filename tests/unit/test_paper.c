/* Studies of the paper: they agree with the model as it is, and not with a wrong one.
 * SPDX-License-Identifier: MIT */
#include "core/data/json_object.h"
#include "core/experiment/assignment.h"
#include "core/optim/schedule.h"
#include "core/store/bundled.h"
#include "core/study/paper.h"
#include "core/train/finetune.h"
#include "core/train/run.h"
#include "tests/unit/support.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const NsPaperStudy *study(const char *key)
{
    int i = ns_choices_find(ns_paper_choice, key);
    g_assert_cmpint(i, >=, 0);
    return ns_paper_study((size_t)i);
}

#define WAIT_MS 600000

static NsStudyWork *begin(const NsPaperStudy *row)
{
    g_auto(NsStudy) study;
    ns_paper_make(row, &study, NULL);
    return ns_study_work_new(&study, NULL, NULL);
}

static NsPaperResult *finish(const NsPaperStudy *row, NsStudyWork *work)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(ns_study_work_start(work, 2, &error));
    g_assert_true(ns_study_work_wait(work, WAIT_MS));
    GError *failure = ns_study_work_take_failure(work);
    g_assert_no_error(failure);
    NsPaperResult *result = ns_paper_result_new(row, work, &error);
    g_assert_no_error(error);
    g_assert_nonnull(result);
    return result;
}

static NsPaperResult *run(const NsPaperStudy *row)
{
    g_autoptr(NsStudyWork) work = begin(row);
    return finish(row, work);
}

static void tell(const NsPaperResult *result)
{
    for (size_t i = 0; i < result->n_findings; i++) {
        g_autofree char *words = ns_finding_words(&result->findings[i]);
        g_test_message("%s: %s", result->study->choice.key, words);
    }
}

static bool trains(const NsPaperStudy *row)
{
    return strstr(row->settings, "steps=0") == NULL;
}

/* In the setting of the theory every claim holds, and at initialization none is refuted; of what
 * training finds here the study itself tells: since it takes long, one seed shows that every cell
 * has its results. */
static void test_agree(gconstpointer key)
{
    NsPaperStudy row = *study(key);
    if (trains(&row)) row.seeds = g_str_equal(key, "warmup") ? 3 : 1;
    if (g_str_equal(key, "depth-limit")) row.grid = "layers=4,16,64";
    g_autoptr(NsPaperResult) result = run(&row);
    tell(result);
    if (strstr(row.settings, "task=gaussian") || g_str_equal(key, "warmup"))
        g_assert_cmpint(result->verdict, ==, NS_VERDICT_AGREES);
    if (!trains(&row)) g_assert_cmpint(result->verdict, !=, NS_VERDICT_DISAGREES);
    g_assert_cmpuint(result->n_findings, ==, ns_paper_claims(result->study));
    for (size_t i = 0; i < result->n_series; i++)
        for (size_t k = 0; k < result->series[i].n; k++)
            g_assert_true(isfinite(result->series[i].y[k]));
}

/* With another model in place of an arm the finding about that arm must not agree, and that about
 * the other arm must. */
static void assert_wrong(const char *key, unsigned arm, const char *settings, size_t finding)
{
    NsPaperStudy wrong = *study(key);
    wrong.arms[arm].settings = settings;
    g_autoptr(NsPaperResult) result = run(&wrong);
    tell(result);
    g_assert_cmpint(result->verdict, !=, NS_VERDICT_AGREES);
    for (size_t i = 0; i < result->n_findings; i++)
        if (result->findings[i].counted)
            g_assert_true((result->findings[i].verdict == NS_VERDICT_AGREES) == (i != finding));
}

static void test_wrong_depth(void)
{
    assert_wrong("depth", 0, "placement=pre", 0);
    assert_wrong("depth", 1, "placement=post", 1);
    /* Without the final norm the gradient does not fall. */
    assert_wrong("depth", 1, "placement=pre final-norm=off", 1);
}

static void test_wrong_hidden(void)
{
    assert_wrong("hidden-scale", 1, "placement=post", 1);
    assert_wrong("hidden-scale", 1, "placement=pre init-scale=0.5", 1);
    assert_wrong("hidden-scale", 1, "placement=none", 1);
}

static void test_wrong_layers(void)
{
    assert_wrong("layers", 0, "placement=pre", 0);
    assert_wrong("layers", 1, "placement=post", 1);
    /* Without any norm the gradient doubles with every layer towards the input, in either place. */
    assert_wrong("layers", 0, "placement=none", 0);
    assert_wrong("layers", 1, "placement=none", 1);
}

static void test_wrong_others(void)
{
    assert_wrong("deepnorm", 1, "placement=pre", 0);
    assert_wrong("concentration", 0, "d-model=64 d-ff=64", 0);
    /* The interval of a share of two seeds, whose t is 12.7, ends where shares do. */
    NsPaperStudy few = *study("concentration");
    few.arms[0].settings = "d-model=192 d-ff=192";
    few.seeds = 2;
    g_autoptr(NsPaperResult) result = run(&few);
    tell(result);
    const NsFinding *share = &result->findings[0];
    g_assert_true(share->lo >= 0 && share->lo < share->value && share->hi <= 1);
    g_assert_true(share->lo == 0 || share->hi == 1);
}

/* A run that diverges is worse than one that does not, and no more than that. */
static void test_divergence(void)
{
    NsPaperStudy wild = *study("warmup");
    wild.arms[0].settings = "placement=none layers=30 lr=100 warmup=1";
    wild.settings = "layers=6 d-model=64 batch=8 seq=24 lr=3e-3 eval-every=0 steps=20";
    wild.seeds = 6;
    g_autoptr(NsPaperResult) result = run(&wild);
    tell(result);
    g_assert_true(isnan(result->series[0].y[20]));
    g_assert_cmpuint(result->series[0].diverged, ==, 6);
    g_assert_cmpuint(result->series[1].diverged, ==, 0);
    g_assert_true(result->findings[0].value == (double)INFINITY);
    g_assert_cmpint(result->findings[0].verdict, ==, NS_VERDICT_AGREES);
    g_autofree char *words = ns_finding_words(&result->findings[0]);
    g_assert_nonnull(strstr(words, " median ∞ (95%: ∞ to ∞), diverged in 6 of 6 seeds, "));

    wild.arms[1].settings = wild.arms[3].settings = wild.arms[0].settings;
    g_autoptr(NsPaperResult) both = run(&wild);
    g_assert_true(isnan(both->findings[0].value));
    g_assert_cmpint(both->findings[0].verdict, ==, NS_VERDICT_UNDECIDED);
    g_assert_true(both->findings[1].value == -(double)INFINITY);
    g_assert_cmpint(both->findings[1].verdict, ==, NS_VERDICT_AGREES);

    /* Fewer seeds have no interval of ranks. */
    wild.seeds = 5;
    g_autoptr(NsPaperResult) few = run(&wild);
    g_assert_cmpint(few->findings[1].verdict, ==, NS_VERDICT_NONE);
    g_assert_cmpint(few->verdict, ==, NS_VERDICT_NONE);
}

/* One seed has values and no verdict; what is true by construction does not count. */
static void test_one_seed(void)
{
    NsPaperStudy row = *study("hidden-scale");
    row.seeds = 1;
    g_autoptr(NsPaperResult) one = run(&row), several = run(study("hidden-scale"));
    for (size_t i = 0; i < one->n_findings; i++) {
        g_assert_true(isfinite(one->findings[i].value));
        g_assert_cmpint(one->findings[i].verdict, ==, NS_VERDICT_NONE);
    }
    g_assert_cmpint(one->verdict, ==, NS_VERDICT_NONE);
    g_assert_false(several->findings[0].counted);
    g_assert_cmpint(several->findings[0].verdict, ==, NS_VERDICT_NONE);
    g_assert_cmpint(several->verdict, ==, NS_VERDICT_AGREES);
}

/* Of generated pairs BLEU decides nothing, and of real pairs only if a translation has 10. */
static void test_bleu(void)
{
    NsPaperStudy row = *study("fig4");
    row.settings = "arch=encoder-decoder task=translation d-model=8 heads=2 layers=1 batch=2 "
                   "eval-every=2 eval-batches=1 bleu-sentences=2 steps=2";
    row.seeds = 2;
    g_autoptr(NsPaperResult) generated = run(&row);
    g_assert_true(generated->findings[2].counted);
    g_assert_false(generated->findings[3].counted);
    g_assert_nonnull(strstr(generated->findings[3].reason, "real pairs"));

    g_autofree char *folder = g_dir_make_tmp("ns-paper-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "pairs", NULL);
    g_autoptr(GString) lines = g_string_new(NULL);
    for (int i = 0; i < 40; i++) g_string_append_printf(lines, "zeile %d\n", i);
    g_assert_true(g_file_set_contents(path, lines->str, -1, NULL));
    g_autofree char *settings = g_strdup_printf("%s source=%s target=%s", row.settings, path, path);
    row.settings = settings;
    g_autoptr(NsPaperResult) real = run(&row);
    g_assert_false(real->findings[3].counted);
    g_assert_nonnull(strstr(real->findings[3].reason, "below 10"));
    g_assert_cmpint(remove(path), ==, 0);
    g_assert_cmpint(rmdir(folder), ==, 0);
}

/* The table is the one whose hash was fixed.  After a change of a claim, a tolerance, a number of
 * seeds or of steps this test fails: a new date, a new hash and fresh seeds are needed. */
static void test_fixed(void)
{
    for (unsigned i = 0; i < NS_PAPER_FIXINGS; i++) {
        g_autofree char *hash = ns_paper_fixing_hash(i);
        g_assert_cmpstr(hash, ==, ns_paper_fixing(i)->hash);
    }
    const NsPaperStudy *row = study("depth");
    g_auto(NsStudy) made;
    ns_paper_make(row, &made, NULL);
    g_autofree char *used = ns_paper_seeds_words(row, &made);
    g_assert_nonnull(strstr(used, "after runs with seeds such as 1 to 5"));
    ns_study_set(&made, "seed=1001", NULL);
    ns_study_set(&made, "data-seed=1001", NULL);
    g_autofree char *fresh = ns_paper_seeds_words(row, &made);
    g_assert_cmpstr(fresh, ==, "claims fixed on 2026-11-26, seeds 1001 to 1005 not seen before");
    ns_study_set(&made, "d-model=32", NULL);
    g_autofree char *changed = ns_paper_seeds_words(row, &made);
    g_assert_null(strstr(changed, "fixed on"));
    /* Other tolerances, seeds or steps are other claims. */
    for (int change = 0; change < 4; change++) {
        NsPaperStudy other = *row;
        if (change == 0) other.claims[1].hi = -0.3;
        if (change == 1) other.seeds = 7;
        if (change == 2) other.settings = "layers=6 steps=0";
        if (change == 3) other.claims[0].certain = true;
        g_autofree char *is = ns_paper_claims_text(&other), *was = ns_paper_claims_text(row);
        g_assert_cmpstr(is, !=, was);
        g_auto(NsStudy) again;
        ns_paper_make(row, &again, NULL);
        g_autofree char *words = ns_paper_seeds_words(&other, &again);
        g_assert_null(strstr(words, "fixed on"));
    }
}

/* A claim about the layers of a stack sees these alone, and every one of them. */
static void test_stacks(void)
{
    NsPaperStudy row = *study("fig3a");
    row.settings = "arch=encoder-decoder task=translation d-model=8 heads=2 layers=2 "
                   "decoder-layers=3 batch=2 eval-every=0 steps=1";
    row.seeds = 2;
    g_autoptr(NsPaperResult) result = run(&row);
    const NsPaperSeries *post = &result->series[0], *pre = &result->series[1];
    const NsPaperSeries *trained = &result->series[2];
    g_assert_cmpuint(pre->n, ==, 5);
    double product[6] = {1, 1, 1, 1, 1, 1};
    for (size_t seed = 0; seed < 2; seed++) {
        const double *a = post->singles + 5 * seed, *b = pre->singles + 5 * seed;
        const double *c = trained->singles + 5 * seed;
        product[0] *= a[1] / a[0];
        product[1] *= a[4] / a[2];
        product[2] *= fmax(b[0], b[1]) / fmin(b[0], b[1]);
        product[3] *= fmax(b[2], fmax(b[3], b[4])) / fmin(b[2], fmin(b[3], b[4]));
        product[4] *= fmax(c[0] / a[0], c[1] / a[1]);
        product[5] *= fmax(c[2] / a[2], fmax(c[3] / a[3], c[4] / a[4]));
    }
    for (size_t i = 0; i < 6; i++) {
        const NsFinding *finding = &result->findings[i];
        g_assert_cmpfloat_with_epsilon(finding->value, sqrt(product[i]), 1e-9 * finding->value);
        g_assert_true(finding->lo > 0 && finding->lo <= finding->value);
    }
}

/* What is said of the last layer is what a probe of that model says. */
static void test_values(void)
{
    NsPaperStudy small = *study("hidden-scale");
    small.seeds = 2;
    g_autoptr(NsPaperResult) result = run(&small);
    const NsPaperSeries *pre = &result->series[1];
    g_assert_cmpuint(pre->n, ==, 13);
    g_assert_cmpfloat(pre->x[0], ==, 0);
    g_assert_cmpfloat_with_epsilon(pre->y[0], 1, 0.05); /* standard Gaussian inputs */
    for (size_t k = 0; k < pre->n; k++) {
        g_assert_cmpfloat(pre->lo[k], <=, pre->y[k]);
        g_assert_cmpfloat(pre->hi[k], >=, pre->y[k]);
    }
    /* The bounds stand beside them. */
    g_assert_cmpuint(result->n_series, ==, 5);
    const NsPaperSeries *lemma = result->series + 2;
    for (size_t i = 0; i < 3; i++) g_assert_true(lemma[i].theory);
    g_assert_cmpstr(lemma[0].label, ==, "Post-LN: d");
    g_assert_cmpstr(lemma[1].label, ==, "Pre-LN: (1 + l/2) d");
    for (size_t k = 0; k < 13; k++) g_assert_cmpfloat(lemma[0].y[k], ==, 1);
    g_assert_cmpfloat_with_epsilon(lemma[1].y[12] - lemma[1].y[0], 6, 1e-9);
    g_assert_cmpfloat_with_epsilon(lemma[2].y[12] - lemma[2].y[0], 18, 1e-9);
}

/* Before a study is run: the curves of its claims, from 1. */
static void test_expected(void)
{
    g_autoptr(NsPaperResult) hidden = ns_paper_expected(study("hidden-scale"));
    g_assert_cmpuint(hidden->n_series, ==, 3);
    g_assert_cmpuint(hidden->n_findings, ==, 0);
    for (size_t i = 0; i < 13; i++) {
        double l = (double)i;
        g_assert_cmpfloat(hidden->series[0].x[i], ==, l);
        g_assert_cmpfloat(hidden->series[0].y[i], ==, 1);
        g_assert_cmpfloat(hidden->series[1].y[i], ==, 1 + 0.5 * l);
        g_assert_cmpfloat(hidden->series[2].y[i], ==, 1 + 1.5 * l);
    }
    g_autoptr(NsPaperResult) depth = ns_paper_expected(study("depth"));
    g_assert_cmpuint(depth->n_series, ==, 2);
    g_assert_cmpstr(depth->series[0].label, ==, "Post-LN: order of Theorem 1, L^0");
    g_assert_cmpstr(depth->series[1].label, ==, "Pre-LN: order of Theorem 1, L^{−1/2}");
    g_assert_cmpfloat(depth->series[0].y[4], ==, depth->series[0].y[0]);
    g_assert_cmpfloat(depth->series[1].x[4], ==, 32);
    g_assert_cmpfloat_with_epsilon(depth->series[1].y[4] / depth->series[1].y[0], 0.25, 1e-12);
    g_autoptr(NsPaperResult) layers = ns_paper_expected(study("layers"));
    g_assert_cmpuint(layers->series[0].n, ==, 7);
    g_assert_cmpfloat(layers->series[0].x[0], ==, 6);
    g_assert_cmpfloat_with_epsilon(layers->series[0].y[6], 1.5, 1e-12);
    g_assert_cmpfloat(layers->series[1].y[6], ==, 1);
    g_autoptr(NsPaperResult) warmup = ns_paper_expected(study("warmup"));
    g_assert_cmpuint(warmup->n_series, ==, 0);
}

/* The arms of the study on warm-up differ in placement and warm-up alone, and have the same rate
 * from the end of the longest warm-up on. */
static void test_same_rate(void)
{
    const NsPaperStudy *row = study("warmup");
    g_auto(NsStudy) made;
    g_assert_cmpuint(row->seeds, >=, 5);
    ns_paper_make(row, &made, NULL);
    const NsSettings *first = &made.experiment.lane[0];
    g_assert_cmpint(first->steps, ==, 200);
    for (size_t arm = 0; arm < made.experiment.n; arm++) {
        const NsSettings *other = &made.experiment.lane[arm];
        for (int64_t step = 100; step <= first->steps; step++)
            g_assert_cmpfloat(ns_schedule_lr(other, step), ==, first->lr);
        for (size_t i = 0; ns_param(i); i++) {
            const char *key = ns_param(i)->key;
            if (!g_str_equal(key, "placement") && !g_str_equal(key, "warmup"))
                g_assert_true(ns_settings_same(first, other, ns_param(i)));
        }
    }
}

/* Stopped and begun again it finds the same, and what had ended is not run again. */
static void test_interrupted(void)
{
    g_autoptr(GError) error = NULL;
    const NsPaperStudy *row = study("depth");
    g_autoptr(NsStudyWork) work = begin(row);
    g_assert_true(ns_study_work_start(work, 1, &error));
    while (ns_study_work_progress(work).ended < 3) g_usleep(200);
    ns_study_work_stop(work);
    g_assert_true(ns_study_work_wait(work, WAIT_MS));
    size_t ended = ns_study_work_progress(work).ended;
    g_assert_cmpuint(ended, <, ns_study_cells(ns_study_work_study(work)));
    g_assert_null(ns_paper_result_new(row, work, &error));
    g_assert_no_error(error);
    double seconds = ns_study_work_cell(work, 0).seconds;
    g_autoptr(NsPaperResult) result = finish(row, work), whole = run(row);
    g_assert_true(ns_study_work_cell(work, 0).seconds == seconds);
    for (size_t i = 0; i < whole->n_findings; i++)
        g_assert_true(result->findings[i].value == whole->findings[i].value);
}

static void assert_row(const NsPaperStudy *row)
{
    g_autoptr(GError) error = NULL;
    g_auto(NsStudy) made, again;
    ns_paper_make(row, &made, &error);
    g_assert_no_error(error);
    ns_study_check(&made, &error);
    g_assert_no_error(error);
    ns_study_copy(&again, &made);
    ns_study_check(&again, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ns_paper_curves(&made), <=, NS_PAPER_CURVES);
    bool told[NS_RESULTS_MAX] = {false};
    for (unsigned i = 0; i < ns_paper_claims(row); i++) {
        g_assert_cmpuint(row->claims[i].arm, <, ns_paper_curves(&made));
        g_assert_cmpuint(row->claims[i].other, <, ns_paper_curves(&made));
        g_assert_true(row->claims[i].lo < row->claims[i].hi);
        g_assert_cmpuint(row->claims[i].result, <, made.results.n);
        told[row->claims[i].result] = true;
    }
    for (size_t k = 0; k < made.results.n; k++) g_assert_true(told[k]);
    g_assert_cmpuint(ns_study_cells(&made), ==, ns_study_cells(&again));
    for (size_t k = 0; k < ns_study_cells(&made); k++) {
        char a[NS_STUDY_HASH + 1], b[NS_STUDY_HASH + 1];
        ns_study_hash(&made, k, a);
        ns_study_hash(&again, k, b);
        g_assert_cmpstr(a, ==, b);
    }
}

/* Every row is a study that can be run, written as a text and read again, at either scale; its
 * claims are about curves that it has, and about each of its results. */
static void test_rows(void)
{
    for (size_t i = 0; ns_paper_study(i); i++) {
        for (unsigned scale = 0; ns_paper_scale_key(scale); scale++) {
            const NsPaperStudy row = ns_paper_at_scale(ns_paper_study(i), scale);
            assert_row(&row);
        }
    }
}

/* At the paper's scale the sizes are those of the paper, the arms keep what makes them arms. */
static void test_scale(void)
{
    const NsPaperStudy row = ns_paper_at_scale(study("fig2a"), NS_PAPER_LARGE);
    g_auto(NsStudy) made;
    ns_paper_make(&row, &made, NULL);
    const NsSettings *lane = &made.experiment.lane[2];
    g_assert_cmpint(lane->d_model, ==, 512);
    g_assert_cmpint(lane->layers, ==, 6);
    g_assert_cmpint(lane->warmup, ==, 4000);
    g_assert_cmpint(made.experiment.lane[0].warmup, ==, 1);
    g_assert_cmpstr(made.grid[0].values[1], ==, "0.001");
    const NsPaperStudy same = ns_paper_at_scale(study("depth"), NS_PAPER_LARGE);
    g_assert_cmpstr(same.settings, ==, study("depth")->settings);
    const NsPaperStudy desk = ns_paper_at_scale(study("fig4"), NS_PAPER_DESK);
    g_auto(NsStudy) pairs;
    ns_paper_make(&desk, &pairs, NULL);
    g_assert_cmpint(pairs.experiment.lane[0].warmup, ==, 400);
    g_assert_cmpint(pairs.experiment.lane[1].d_model, ==, 128);
    g_assert_cmpint(pairs.seeds, ==, 3);
}

/* A study with a grid beside a curve has a curve of every arm in every configuration, and a layer
 * of either stack is one. */
static void test_curves(void)
{
    g_auto(NsStudy) rates, stacks;
    ns_paper_make(study("fig2a"), &rates, NULL);
    g_assert_cmpuint(ns_paper_curves(&rates), ==, 6);
    g_assert_cmpstr(ns_paper_curve_label(study("fig2a"), &rates, 4), ==, "short warm-up, lr=0.004");
    g_assert_cmpuint(ns_paper_points(&rates), ==, 11);
    double x[11];
    ns_paper_abscissae(&rates, x, 11);
    g_assert_cmpfloat(x[1], ==, 20);
    ns_paper_make(study("fig3a"), &stacks, NULL);
    g_assert_cmpuint(ns_paper_points(&stacks), ==, 12);

    NsPaperStudy small = *study("fig2a");
    small.settings = "arch=encoder-decoder task=translation d-model=8 heads=2 layers=1 batch=2 "
                     "eval-every=2 eval-batches=1 steps=4 placement=post";
    small.seeds = 1;
    g_autoptr(NsPaperResult) result = run(&small);
    g_assert_cmpuint(result->n_series, ==, 12); /* losses, then BLEU */
    for (size_t i = 0; i < 12; i++) {
        g_assert_cmpuint(result->series[i].result, ==, i / 6);
        g_assert_cmpuint(result->series[i].n, ==, 3);
        for (size_t k = 0; k < 3; k++) g_assert_true(isfinite(result->series[i].y[k]));
    }
    /* Before any update they are one model; afterwards the rates tell them apart. */
    g_assert_cmpfloat(result->series[0].y[0], ==, result->series[3].y[0]);
    g_assert_cmpfloat(result->series[0].y[2], !=, result->series[3].y[2]);
    g_assert_true(result->findings[0].value == result->series[3].y[2] - result->series[5].y[2]);
}

/* What fine-tuning from the weights at a step of a cell's run finds. */
static double accuracy_at(const NsStudy *study, size_t cell, int64_t step, NsPairRelation relation)
{
    g_autoptr(GError) error = NULL;
    NsSettings settings, tuning;
    ns_study_cell_settings(study, cell, &settings);
    g_autoptr(NsRun) run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    while (run->steps < step) ns_run_step(run);
    g_autoptr(NsCheckpoint) weights = ns_run_checkpoint(run, &error);
    NsLabeledLeftOut left_out;
    g_autoptr(NsCorpus) pairs = ns_labeled_new_generated(
        run->corpus, relation, (uint64_t)settings.data_seed, 2000, &left_out);
    ns_finetune_settings(&tuning, &settings, 5);
    const NsFinetuning finetuning = {.settings = &tuning, .pairs = pairs, .pretrained = weights};
    NsFinetuned tuned;
    g_assert_true(ns_finetune(&finetuning, &tuned, &error));
    ns_settings_clear(&settings);
    ns_settings_clear(&tuning);
    return 100 * tuned.accuracy;
}

/* A run of Figure 5 with few steps: its loss, and two tasks from every checkpoint. */
static void test_downstream(void)
{
    NsPaperStudy small = *study("fig5");
    g_autofree char *settings = g_strconcat(
        small.settings,
        " layers=1 d-model=16 heads=2 batch=4 eval-batches=1 eval-every=3 decay-start=2 steps=6",
        NULL);
    g_auto(GStrv) parts = g_strsplit(small.result, "accuracy\n", -1);
    g_autofree char *result_text = g_strjoinv("accuracy\nfinetune-steps = 5\n", parts);
    small.settings = settings;
    small.result = result_text;
    small.seeds = 1;
    g_autoptr(NsStudyWork) work = begin(&small);
    g_autoptr(NsPaperResult) result = finish(&small, work);
    const NsStudy *made = ns_study_work_study(work);
    g_assert_cmpuint(result->n_series, ==, 6);
    for (size_t i = 0; i < 6; i++) {
        const NsPaperSeries *series = &result->series[i];
        g_assert_cmpuint(series->result, ==, i / 2);
        g_assert_cmpuint(series->n, ==, 3);
        g_assert_cmpfloat(series->x[2], ==, 6);
        if (i < 2) continue;
        NsPairRelation relation = i < 4 ? NS_PARAPHRASE : NS_ENTAILMENT;
        size_t cell = ns_study_cell(made, (NsStudyPlace){.lane = i % 2});
        g_assert_cmpfloat_with_epsilon(series->y[2], accuracy_at(made, cell, 6, relation), 1e-9);
        g_assert_cmpfloat_with_epsilon(series->y[0], accuracy_at(made, cell, 0, relation), 1e-9);
    }
    /* The first two findings are of the loss, in nats; others in points. */
    g_assert_true(result->findings[0].value == result->series[1].y[2] - result->series[0].y[2]);
    g_assert_true(result->findings[2].value == result->series[3].y[2] - result->series[2].y[2]);
    g_assert_true(result->findings[5].value == result->series[5].y[2] - result->series[5].y[0]);
}

/* Memory is that of the plan, and a depth is learned where the loss is not above the first. */
static void test_depths(void)
{
    NsPaperStudy cost = *study("depth-cost");
    cost.grid = "layers=1,2,4";
    cost.seeds = 1;
    g_autoptr(NsPaperResult) result = run(&cost);
    g_assert_cmpuint(result->series[1].result, ==, 1);
    const double *mib = result->series[1].y;
    g_assert_cmpfloat_with_epsilon((mib[2] - mib[1]) / (mib[1] - mib[0]), 2, 0.05);
    NsSettings settings;
    g_auto(NsStudy) made;
    ns_paper_make(&cost, &made, NULL);
    ns_study_cell_settings(&made, 2, &settings);
    settings.eval_every = settings.bleu_sentences = settings.sample_every = 0;
    g_autoptr(NsRun) deepest = ns_run_new(&settings, NULL);
    ns_settings_clear(&settings);
    g_assert_cmpfloat_with_epsilon(mib[2] * (1 << 20), (double)deepest->plan.total_bytes, 1);

    NsPaperStudy limit = *study("depth-limit");
    limit.settings = "d-model=8 heads=2 batch=2 seq=8 lr=1e-9 eval-every=0 steps=2";
    limit.grid = "layers=2,3";
    limit.arms[1].settings = "placement=none init-scale=40 lr=100";
    limit.seeds = 1;
    g_autoptr(NsPaperResult) depths = run(&limit);
    tell(depths);
    g_assert_cmpfloat(depths->findings[1].value, ==, 0); /* diverges at once */
}

static void test_seconds(void)
{
    for (size_t i = 0; ns_paper_study(i); i++) {
        double seconds = ns_paper_seconds(ns_paper_study(i), 1);
        g_assert_true(seconds > 0 && isfinite(seconds));
    }
}

static void test_words(void)
{
    const NsClaim claim = {.label = "slope", .expected = 0, .lo = -0.15, .hi = 0.15};
    const NsFinding good = {.claim = &claim, .value = 0.021, .lo = -0.029, .hi = 0.071};
    const NsFinding bad = {
        .claim = &claim, .value = -0.5, .lo = -0.5, .hi = -0.5, .verdict = NS_VERDICT_DISAGREES};
    g_autofree char *agrees = ns_finding_words(&good);
    g_autofree char *disagrees = ns_finding_words(&bad);
    g_assert_cmpstr(agrees, ==, "slope 0.02 ± 0.05 (95%), expected 0 (−0.15 to 0.15): agrees");
    g_assert_cmpstr(disagrees, ==, "slope −0.50, expected 0 (−0.15 to 0.15): disagrees");
    const NsClaim below = {.label = "share", .expected = NAN, .lo = -INFINITY, .hi = 0.125};
    const NsFinding cut = {.claim = &below, .value = 0.05, .lo = 0, .hi = 0.12};
    /* An undecided verdict states which end of the range the interval crosses. */
    const NsFinding low = {
        .claim = &claim, .lo = -0.25, .hi = 0.05, .verdict = NS_VERDICT_UNDECIDED};
    const NsFinding wide = {
        .claim = &claim, .lo = -0.25, .hi = 0.35, .verdict = NS_VERDICT_UNDECIDED};
    g_autofree char *crossed = ns_finding_verdict_words(&low);
    g_autofree char *both = ns_finding_verdict_words(&wide), *no = ns_finding_verdict_words(&bad);
    g_assert_cmpstr(crossed, ==, "undecided: −0.25\u00a0to\u00a00.05 crosses\u00a0−0.15");
    g_assert_cmpstr(both, ==,
                    "undecided: −0.25\u00a0to\u00a00.35 crosses\u00a0−0.15 and\u00a00.15");
    g_assert_cmpstr(no, ==, "disagrees");
    g_autofree char *share = ns_finding_words(&cut);
    g_assert_cmpstr(share, ==, "share 0.05 (95%: 0.00 to 0.12), expected below 0.125: agrees");
}

/* The interval decides, not the mean: across an end of the tolerance nothing is decided. */
static void test_verdicts(void)
{
    const NsClaim both = {.label = "slope", .expected = 0, .lo = -0.15, .hi = 0.15};
    const NsClaim open = {.label = "loss", .expected = NAN, .lo = 0.3, .hi = INFINITY};
    g_assert_cmpint(ns_claim_verdict(&both, 0.1, 0.14), ==, NS_VERDICT_AGREES);
    g_assert_cmpint(ns_claim_verdict(&both, 0.06, 0.18), ==, NS_VERDICT_UNDECIDED);
    g_assert_cmpint(ns_claim_verdict(&both, -0.23, -0.11), ==, NS_VERDICT_UNDECIDED);
    g_assert_cmpint(ns_claim_verdict(&both, -0.36, -0.24), ==, NS_VERDICT_DISAGREES);
    g_assert_cmpint(ns_claim_verdict(&both, -1, 1), ==, NS_VERDICT_UNDECIDED);
    g_assert_cmpint(ns_claim_verdict(&open, INFINITY, INFINITY), ==, NS_VERDICT_AGREES);
    g_assert_cmpint(ns_claim_verdict(&open, 0.2, 0.6), ==, NS_VERDICT_UNDECIDED);
    g_assert_cmpint(ns_claim_verdict(&open, NAN, NAN), ==, NS_VERDICT_NONE);
    /* An order is claimed of several seeds. */
    for (size_t i = 0; ns_paper_study(i); i++) g_assert_cmpuint(ns_paper_study(i)->seeds, >=, 3);
}

static void test_json(void)
{
    g_autoptr(NsPaperResult) result = run(study("hidden-scale"));
    g_autofree char *text = ns_paper_json(result);
    g_autoptr(JsonNode) node = ns_test_parse(text);
    JsonObject *object = json_node_get_object(node);
    g_assert_cmpstr(json_object_get_string_member(object, "study"), ==, "hidden-scale");
    g_assert_true(json_object_get_boolean_member(object, "agrees"));
    JsonArray *findings = json_object_get_array_member(object, "findings");
    g_assert_cmpuint(json_array_get_length(findings), ==, 2);
    JsonObject *growth = json_array_get_object_element(findings, 1);
    g_assert_true(json_object_get_null_member(growth, "expected"));
    g_assert_true(json_object_get_double_member(growth, "value") == result->findings[1].value);
    JsonArray *series = json_object_get_array_member(object, "series");
    g_assert_cmpuint(json_array_get_length(series), ==, result->n_series);
}

/* The geometric mean over seeds of the largest point of the curve that is drawn. */
static void check_most(const NsPaperResult *result, const NsFinding *finding)
{
    const NsPaperSeries *curve = NULL;
    for (size_t i = 0; i < result->n_series && !curve; i++)
        if (result->series[i].result == finding->claim->result &&
            result->series[i].curve == finding->claim->arm)
            curve = &result->series[i];
    g_assert_nonnull(curve);
    double sum = 0;
    for (size_t seed = 0; seed < curve->seeds; seed++) {
        double most = 0;
        for (size_t i = 0; i < curve->n; i++) most = MAX(most, curve->singles[seed * curve->n + i]);
        sum += log(most) / (double)curve->seeds;
    }
    g_assert_cmpfloat_with_epsilon(finding->value, exp(sum), 1e-9 * exp(sum));
}

/* The report has every study with the seeds and points of today, and its values give the verdicts
 * and findings that it states. */
static void test_reported(void)
{
    g_autoptr(GBytes) report = ns_bundled_report();
    g_auto(GStrv) lines = g_strsplit(g_bytes_get_data(report, NULL), "\n", -1);
    for (size_t i = 0; ns_paper_study(i); i++) {
        g_autoptr(NsPaperResult) result = ns_paper_result_reported(ns_paper_study(i));
        g_assert_nonnull(result);
        g_assert_nonnull(strstr(result->claims, "seeds 1001 to 10"));
        g_assert_nonnull(strstr(result->claims, "not seen before"));
        /* A step at which nothing is measured is no point. */
        for (size_t k = 0; k < result->n_series; k++)
            for (size_t x = 0; !result->series[k].diverged && x < result->series[k].n; x++)
                g_assert_true(isfinite(result->series[k].y[x]));
        g_autoptr(JsonNode) node = ns_json_parse(lines[i], strlen(lines[i]));
        JsonObject *stated = json_node_get_object(node);
        g_assert_cmpstr(json_object_get_string_member(stated, "verdict"), ==,
                        ns_verdict_word(result->verdict));
        JsonArray *findings = json_object_get_array_member(stated, "findings");
        g_assert_cmpuint(json_array_get_length(findings), ==, result->n_findings);
        for (size_t k = 0; k < result->n_findings; k++) {
            JsonObject *finding = json_array_get_object_element(findings, (guint)k);
            const NsFinding *own = &result->findings[k];
            double value = json_object_get_double_member(finding, "value");
            g_assert_cmpfloat_with_epsilon(own->value, value, 1e-9 * fabs(value));
            if (own->claim->kind == NS_CLAIM_MOST) check_most(result, own);
            g_assert_cmpstr(json_object_get_string_member(finding, "verdict"), ==,
                            ns_verdict_word(own->verdict));
            g_assert_cmpint(json_object_get_int_member(finding, "diverged"), ==,
                            (gint64)own->diverged);
        }
    }
}

/* A repeated result is found again, curve by curve, as long as it was judged by the claims of
 * today; whatever else the file contains, there is none. */
static void test_stored(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *folder = g_dir_make_tmp("ns-paper-XXXXXX", NULL);
    g_autofree char *inner = g_build_filename(folder, "paper", NULL);
    g_autofree char *path = NULL, *text = NULL;
    const NsPaperStudy *row = study("hidden-scale");
    g_assert_null(ns_paper_result_saved(row, inner));
    g_autoptr(NsPaperResult) result = run(row);
    g_free(result->day);
    result->day = g_strdup("2026-11-29");
    g_assert_true(ns_paper_result_save(result, inner, &error));
    {
        g_autoptr(GDir) files = g_dir_open(inner, 0, NULL);
        path = g_build_filename(inner, g_dir_read_name(files), NULL);
        g_assert_null(g_dir_read_name(files));
    }
    g_autoptr(NsPaperResult) again = ns_paper_result_saved(row, inner);
    g_assert_nonnull(again);
    g_autofree char *before = ns_paper_json(result), *after = ns_paper_json(again);
    g_assert_cmpstr(after, ==, before);
    g_assert_cmpstr(again->day, ==, "2026-11-29");
    g_assert_cmpint(again->seed, ==, 1);

    /* Another tolerance, or other steps, are other claims. */
    NsPaperStudy other = *row;
    other.claims[0].hi *= 2;
    g_assert_null(ns_paper_result_saved(&other, inner));
    /* A result that they judged replaces no other. */
    result->study = &other;
    g_assert_true(ns_paper_result_save(result, inner, &error));
    result->study = row;
    g_autoptr(NsPaperResult) kept = ns_paper_result_saved(row, inner);
    g_autoptr(NsPaperResult) second = ns_paper_result_saved(&other, inner);
    g_assert_true(kept && second);
    other = *row;
    other.settings = g_intern_string(g_strconcat(row->settings, " batch=3", NULL));
    g_assert_null(ns_paper_result_saved(&other, inner));

    /* Damage: every end, and values of another type. */
    gsize size;
    g_assert_true(g_file_get_contents(path, &text, &size, NULL));
    for (gsize end = 0; end + 2 < size; end += 1 + size / 300) {
        g_assert_true(g_file_set_contents(path, text, (gssize)end, NULL));
        g_assert_null(ns_paper_result_saved(row, inner));
    }
    static const char *const damage[][2] = {
        {"\"series\":[", "\"series\":[7,[],"},        {"\"seeds\":[[", "\"seeds\":[7,["},
        {"\"seeds\":[[", "\"seeds\":[[\"7\","},       {"\"seeds\":[[", "\"seeds\":[[{},"},
        {"\"day\":\"2026-11-29\"", "\"day\":[]"},     {"\"day\":\"2026-11-29\",", ""},
        {"\"seconds\":", "\"seconds\":\"x\",\"s\":"}, {"{\"study\"", "[\"study\""}};
    for (size_t i = 0; i < G_N_ELEMENTS(damage); i++) {
        g_auto(GStrv) parts = g_strsplit(text, damage[i][0], 2);
        g_assert_nonnull(parts[1]);
        g_autofree char *damaged = g_strjoinv(damage[i][1], parts);
        g_assert_true(g_file_set_contents(path, damaged, -1, NULL));
        g_assert_null(ns_paper_result_saved(row, inner));
    }
    g_autoptr(GDir) files = g_dir_open(inner, 0, NULL);
    const char *name;
    while ((name = g_dir_read_name(files))) {
        g_autofree char *each = g_build_filename(inner, name, NULL);
        g_assert_cmpint(g_unlink(each), ==, 0);
    }
    g_assert_cmpint(g_rmdir(inner), ==, 0);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    /* A folder that cannot be made is an error with a sentence. */
    g_assert_false(ns_paper_result_save(result, "/dev/null/paper", &error));
    g_assert_true(error && strstr(error->message, "/dev/null"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; ns_paper_study(i); i++) {
        const NsPaperStudy *row = ns_paper_study(i);
        const char *key = row->choice.key;
        if (g_str_equal(key, "fig5")) continue; /* in short: test_downstream */
        bool slow = trains(row) || strstr(row->settings, "task=translation") ||
                    g_str_equal(key, "concentration");
        g_autofree char *path =
            g_strconcat("/study/paper/", slow ? "training/" : "agrees/", key, NULL);
        if (!slow || g_test_slow()) g_test_add_data_func(path, key, test_agree);
    }
    g_test_add_func("/study/paper/wrong/depth", test_wrong_depth);
    g_test_add_func("/study/paper/wrong/hidden-scale", test_wrong_hidden);
    g_test_add_func("/study/paper/wrong/layers", test_wrong_layers);
    g_test_add_func("/study/paper/wrong/others", test_wrong_others);
    g_test_add_func("/study/paper/divergence", test_divergence);
    g_test_add_func("/study/paper/one-seed", test_one_seed);
    g_test_add_func("/study/paper/bleu", test_bleu);
    g_test_add_func("/study/paper/reported", test_reported);
    g_test_add_func("/study/paper/fixed", test_fixed);
    g_test_add_func("/study/paper/stacks", test_stacks);
    g_test_add_func("/study/paper/values", test_values);
    g_test_add_func("/study/paper/expected", test_expected);
    g_test_add_func("/study/paper/same-rate", test_same_rate);
    g_test_add_func("/study/paper/interrupted", test_interrupted);
    g_test_add_func("/study/paper/rows", test_rows);
    g_test_add_func("/study/paper/scale", test_scale);
    g_test_add_func("/study/paper/curves", test_curves);
    g_test_add_func("/study/paper/downstream", test_downstream);
    g_test_add_func("/study/paper/depths", test_depths);
    g_test_add_func("/study/paper/seconds", test_seconds);
    g_test_add_func("/study/paper/words", test_words);
    g_test_add_func("/study/paper/verdicts", test_verdicts);
    g_test_add_func("/study/paper/json", test_json);
    g_test_add_func("/study/paper/stored", test_stored);
    return g_test_run();
}
