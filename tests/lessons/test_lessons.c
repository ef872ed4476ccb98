/* What lessons, presets and lectures say is measured, at the scale at which they say it.
 * SPDX-License-Identifier: MIT */
#include "core/experiment/assignment.h"
#include "core/model/placement.h"
#include "core/store/bundled.h"
#include "core/store/lecture.h"
#include "core/store/lesson.h"
#include "core/store/lesson_measure.h"
#include "tests/lessons/claim.h"

#include <math.h>
#include <string.h>

#define PRESET_STEPS 20

/* ---- The measure itself ---- */

/* A small model whose numbers are known from its history. */
static NsBench *small_bench(void)
{
    static const char *const lanes[] = {"", "placement=pre"};
    g_auto(NsExperiment) experiment;
    g_autoptr(GError) error = NULL;
    ns_experiment_init(&experiment);
    ns_settings_assign_all(&experiment.lane[0],
                           "layers=2 d-model=8 heads=2 seq=5 batch=3 threads=1 eval-every=0 "
                           "curvature-every=2",
                           &error);
    ns_experiment_read_lanes(&experiment, lanes, 2, NULL, &error);
    NsBench *bench = ns_bench_new(&experiment, &error);
    g_assert_no_error(error);
    return bench;
}

static bool holds(NsBench *bench, const char *claim)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) seen = g_string_new(NULL);
    bool result = ns_claim_holds(bench, claim, seen, &error);
    g_test_message("%s: %s", claim, seen->str);
    g_assert_no_error(error);
    return result;
}

static void test_measure(void)
{
    g_autoptr(NsBench) bench = small_bench();
    g_assert_true(holds(bench, "1 + 2 * 3 > 6.9 and (1 + 2) * 3 > 8.9 and 6 / 3 - 1 < 1.1"));
    g_assert_false(holds(bench, "1 < 2 and 2 < 1"));
    g_assert_false(holds(bench, "2 < 1 and 1 < 2"));
    ns_bench_run(bench, 4);
    NsHistory *history = ns_bench_lane(bench, 1)->history;
    double first = ns_history_step(history, 3)->loss, second = ns_history_step(history, 4)->loss;
    g_autofree char *claim = g_strdup_printf(
        "loss(B, 3..4) > %.6f and loss(B, 3..4) < %.6f and max(loss(B, 3..4)) > %f",
        (first + second) / 2 - 1e-5, (first + second) / 2 + 1e-5, MAX(first, second) - 1e-5);
    g_assert_true(holds(bench, claim));
    float norms[3], gradients[2];
    ns_history_read(history, NS_QUANTITY_HIDDEN_NORM, 4, norms, NULL, NULL);
    ns_history_read(history, NS_QUANTITY_GRAD_LAYER, 4, gradients, NULL, NULL);
    g_autofree char *layers = g_strdup_printf(
        "hidden-norm(B, 4, 0) - %f < 1e-5 and hidden-norm(B, 4, last) > %f and "
        "grad-layer(B, 4, 2) > %f and grad-layer(B, 4, 2) < %f and "
        "min(hidden-norm(B, 4, 0..last)) > %f",
        (double)norms[0], (double)norms[2] - 1e-5, (double)gradients[1] - 1e-5,
        (double)gradients[1] + 1e-5, (double)MIN(norms[0], MIN(norms[1], norms[2])) - 1e-5);
    g_assert_true(holds(bench, layers));
    /* Of a quantity of a step, the steps at which it was not measured are left out. */
    float ratio[2];
    ns_history_read(history, NS_QUANTITY_CRITICAL_RATIO, 2, &ratio[0], NULL, NULL);
    ns_history_read(history, NS_QUANTITY_CRITICAL_RATIO, 4, &ratio[1], NULL, NULL);
    g_autofree char *steps = g_strdup_printf(
        "critical-ratio(B, 2..4) > %.9g and critical-ratio(B, 2..4) < %.9g and "
        "max(critical-ratio(B, 2..4)) > %.9g",
        (double)(ratio[0] + ratio[1]) * 0.49999, (double)(ratio[0] + ratio[1]) * 0.50001,
        (double)MAX(ratio[0], ratio[1]) * 0.99999);
    g_assert_true(holds(bench, steps));
    g_assert_false(holds(bench, "critical-ratio(B, 3) > 0"));
    g_assert_false(holds(bench, "critical-ratio(B, 3) < 1e9"));
    /* What is not there makes no claim true. */
    g_assert_false(holds(bench, "grad-layer(A, 4, 3) > 0"));
    g_assert_false(holds(bench, "grad-layer(A, 4, 0) < 1e9"));
    g_assert_true(holds(bench, "diverged(A, 4) < 1"));
}

/* A claim with seeds is one about each of them, in weights and data. */
static void test_seeds(void)
{
    g_autoptr(NsBench) bench = small_bench();
    double first = ns_history_step(ns_bench_lane(bench, 0)->history, 0)->loss;
    g_autoptr(GString) seen = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    g_assert_true(ns_claim_holds(bench, "with 3 seeds: loss(A, 0) > 0", seen, &error));
    g_assert_no_error(error);
    double loss[3];
    const char *at = seen->str;
    for (size_t i = 0; i < 3; i++) {
        at = strstr(at, "= ") + 2;
        loss[i] = g_ascii_strtod(at, NULL);
        for (size_t k = 0; k < i; k++) g_assert_cmpfloat(loss[i], !=, loss[k]);
    }
    g_assert_cmpfloat_with_epsilon(loss[0], first, 1e-3);
    double least = MIN(loss[0], MIN(loss[1], loss[2])), most = MAX(loss[0], MAX(loss[1], loss[2]));
    g_autofree char *below = g_strdup_printf("with 3 seeds: loss(A, 0) < %f and loss(A, 0) > %f",
                                             most + 0.01, least - 0.01);
    g_assert_true(holds(bench, below));
    /* The largest is not below what lies between it and the others. */
    double middle = loss[0] + loss[1] + loss[2] - least - most;
    g_autofree char *two = g_strdup_printf("loss(A, 0) < %f", (middle + most) / 2);
    g_autofree char *with_3 = g_strconcat("with 3 seeds: ", two, NULL);
    g_autofree char *with_2_of_3 = g_strconcat("with 2 of 3 seeds: ", two, NULL);
    g_assert_false(holds(bench, with_3));
    g_assert_true(holds(bench, with_2_of_3));
}

static void test_refused(void)
{
    static const char *const claims[] = {"",
                                         "loss(A, 0)",
                                         "loss(C, 0) > 1",
                                         "loss(A) > 1",
                                         "lost(A, 0, 1) > 1",
                                         "1 > 0 and",
                                         "1 > 0 or 2 > 1",
                                         "(1 > 0",
                                         "with 1 seeds: 1 > 0",
                                         "with 11 seeds: 1 > 0",
                                         "with seeds: 1 > 0",
                                         "with 2 seeds 1 > 0",
                                         "with 3 of 2 seeds: 1 > 0",
                                         "with 0 of 2 seeds: 1 > 0",
                                         "with 2 seeds: 1 > 0 and",
                                         "event(A, 3)",
                                         "event(C, 3) says \"loss\"",
                                         "event(A, 3) says loss",
                                         "event(A, 3) says \"loss"};
    g_autoptr(NsBench) bench = small_bench();
    for (size_t i = 0; i < G_N_ELEMENTS(claims); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GString) seen = g_string_new(NULL);
        g_test_message("%s", claims[i]);
        g_assert_false(ns_claim_holds(bench, claims[i], seen, &error));
        g_assert_nonnull(error);
    }
}

/* ---- Claims ---- */

static void check_claims(NsBench *bench, char **claims)
{
    for (char **claim = claims; claim && *claim; claim++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GString) seen = g_string_new(NULL);
        bool is_true = ns_claim_holds(bench, *claim, seen, &error);
        g_assert_no_error(error);
        g_test_message("%s: %s", *claim, seen->str);
        if (is_true) continue;
        g_test_message("not true: %s", *claim);
        g_test_fail();
    }
}

static NsBench *start(const NsExperiment *experiment)
{
    g_autoptr(GError) error = NULL;
    NsBench *bench = ns_bench_new(experiment, &error);
    g_assert_no_error(error);
    return bench;
}

static void test_preset(gconstpointer data)
{
    const NsChoice *row = ns_preset_choice(GPOINTER_TO_SIZE(data));
    g_auto(NsPreset) preset;
    g_autoptr(GError) error = NULL;
    ns_preset_init(&preset);
    ns_preset_find(&preset, row->key, &error);
    g_assert_no_error(error);
    g_assert_nonnull(preset.experiment.title);
    g_assert_nonnull(preset.note);
    g_autoptr(NsBench) bench = start(&preset.experiment);
    ns_bench_run(bench, PRESET_STEPS);
    for (size_t i = 0; i < preset.experiment.n; i++)
        g_assert_cmpint(ns_bench_lane(bench, i)->steps, ==, PRESET_STEPS);
    check_claims(bench, preset.claims);
}

static bool same_lanes(const NsExperiment *a, const NsExperiment *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++) {
        g_autofree char *one = ns_settings_line(&a->lane[i], true);
        g_autofree char *other = ns_settings_line(&b->lane[i], true);
        same = g_str_equal(one, other);
    }
    return same;
}

static NsHistory *history_of(void *bench, size_t lane, int64_t step)
{
    ns_bench_run(bench, step);
    return ns_bench_lane(bench, lane)->history;
}

static char *number(double value)
{
    g_assert_true(isfinite(value));
    return g_strdup_printf("%.3g", value);
}

/* Every number that a card asks for is measured. */
static void check_texts(NsBench *bench, const NsCard *card)
{
    const NsMeasureSource source = {card->end.n, history_of, bench, NULL};
    for (char **text = card->texts; *text; text++) {
        g_autofree char *filled = ns_measure_fill(&source, *text, number);
        if (strchr(*text, '{')) g_test_message("%s", filled);
        g_assert_null(strchr(filled, '{'));
    }
}

/* A run is used again for the next card that is about the same settings. */
static void test_lesson(gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsLesson) lesson = ns_lesson_open(GPOINTER_TO_SIZE(data), &error);
    g_assert_no_error(error);
    g_autoptr(NsBench) bench = NULL;
    const NsExperiment *running = NULL;
    size_t claims = 0;
    for (size_t i = 0; i < lesson->n; i++) {
        NsCard *card = &lesson->card[i];
        bool numbers = false;
        for (char **text = card->texts; *text; text++) numbers |= strchr(*text, '{') != NULL;
        if (!card->claims && !numbers && !card->change) continue;
        claims += card->claims ? g_strv_length(card->claims) : 0;
        const NsExperiment *before = card->change ? &card[-1].end : &card->end;
        if (!running || !same_lanes(running, before)) {
            g_clear_pointer(&bench, ns_bench_free);
            bench = start(before);
        }
        if (card->change) ns_bench_change(bench, card->change, &card->end);
        running = &card->end;
        g_test_message("card %zu, %s", i + 1, card->title);
        check_claims(bench, card->claims);
        check_texts(bench, card);
    }
    g_assert_cmpuint(claims, >, 0);
}

/* The same for the scenes of a lecture. */
static void test_lecture(gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsLecture) lecture = ns_lecture_open(GPOINTER_TO_SIZE(data), &error);
    g_assert_no_error(error);
    g_autoptr(NsBench) bench = NULL;
    const NsExperiment *running = NULL;
    for (size_t i = 0; i < lecture->n; i++) {
        const NsPreset *scene = &lecture->scene[i].preset;
        if (!scene->claims) continue;
        if (!running || !same_lanes(running, &scene->experiment)) {
            g_clear_pointer(&bench, ns_bench_free);
            bench = start(&scene->experiment);
            running = &scene->experiment;
        }
        g_test_message("%s", scene->experiment.title);
        check_claims(bench, scene->claims);
    }
}

/* Cards that ask for something wait for it, and every lesson asks one question at least. */
static void test_form(void)
{
    for (size_t i = 0; ns_lesson_choice(i); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(NsLesson) lesson = ns_lesson_open(i, &error);
        g_test_message("%s", ns_lesson_choice(i)->key);
        g_assert_no_error(error);
        size_t questions = 0;
        g_assert_cmpuint(lesson->card[0].begin.n, >, 0);
        for (size_t c = 0; c < lesson->n; c++) {
            const NsCard *card = &lesson->card[c];
            questions += card->ask || card->draws;
            bool asks =
                card->asks_for_settings || card->change || card->run || card->ask || card->draws;
            if (asks && !card->conditions.n) g_error("card %zu waits for nothing", c + 1);
            if (card->run) g_assert_cmpuint(card->end.n, >, 0);
        }
        g_assert_cmpuint(questions, >, 0);
    }
}

static void add(const char *folder, NsChoices rows, GTestDataFunc test)
{
    for (size_t i = 0; rows(i); i++) {
        g_autofree char *path = g_strconcat("/lessons/", folder, "/", rows(i)->key, NULL);
        g_test_add_data_func(path, GSIZE_TO_POINTER(i), test);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_set_nonfatal_assertions();
    g_test_add_func("/lessons/claims/measure", test_measure);
    g_test_add_func("/lessons/claims/seeds", test_seeds);
    g_test_add_func("/lessons/claims/refused", test_refused);
    g_test_add_func("/lessons/claims/form", test_form);
    add("preset", ns_preset_choice, test_preset);
    add("lesson", ns_lesson_choice, test_lesson);
    add("lecture", ns_lecture_choice, test_lecture);
    return g_test_run();
}
