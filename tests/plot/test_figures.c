/* Figures: from a history to a plot.  SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"
#include "run.h"
#include "ui/figures/settings_caption.h"
#include "ui/figures/step_curves.h"
#include "ui/plot/layout.h"

#include <math.h>
#include <string.h>

static void test_registry(void)
{
    static const char *const keys[] = {
        "loss",      "gradient-norm",   "hidden-norm", "gradient-heatmap",
        "profile",   "steps",           "edge",        "update-loss",
        "heatmap",   "heads",           "similarity",  "theory",
        "compare",   "ratio",           "schedule",    "tokens",
        "attention", "cross-attention", "diagram",     "diagram-gradient"};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_assert_cmpstr(ns_figure_choice(i)->key, ==, keys[i]);
        g_assert_true(ns_figure_kind(i)->overview == (i < 4));
    }
    g_assert_null(ns_figure_choice(G_N_ELEMENTS(keys)));
    g_assert_null(ns_figure_kind(G_N_ELEMENTS(keys)));
    g_assert_null(ns_figure_find("losses"));
}

static void test_empty(void)
{
    const NsFigureInput input = input_of(NULL);
    for (size_t i = 0; ns_figure_choice(i); i++) {
        g_autoptr(NsFigure) figure = figure_new(ns_figure_choice(i)->key);
        const NsPlot *plot = ns_figure_update(figure, &input);
        uint64_t version = plot->version;
        g_assert_cmpuint(plot->n_series, ==, 0);
        g_assert_null(plot->heatmap);
        g_assert_nonnull(plot->title);
        g_assert_nonnull(plot->empty);
        g_assert_cmpuint(ns_figure_update(figure, &input)->version, ==, version);
    }
}

/* Counts in a figure have the same format as in the window, on axes and in texts. */
static void test_digits(void)
{
    g_autoptr(Run) run = run_new(6, BUDGET);
    ns_settings_set(&run->settings, "warmup", "2000", NULL);
    for (int i = 0; i <= 1240; i++) append(run, 4.5);
    const NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) profile = figure_new("profile");
    const NsPlot *plot = ns_figure_update(profile, &input);
    g_assert_cmpstr(plot->subtitle, ==, "Post-LN, 6 layers, lr 0.003, warm-up 2,000, step 1,240");
    g_assert_nonnull(series_named(plot, "step 1,240"));
}

static void test_one_record(void)
{
    g_autoptr(Run) run = run_new(6, BUDGET);
    append(run, 4.5);
    const NsFigureInput input = input_of(run);

    g_autoptr(NsFigure) loss = figure_new("loss");
    const NsPlot *plot = ns_figure_update(loss, &input);
    const NsSeries *training = series_named(plot, "training");
    g_assert_cmpuint(training->n, ==, 1);
    g_assert_cmpfloat(training->y[0], ==, 4.5);
    g_assert_cmpstr(plot->subtitle, ==, "Post-LN, 6 layers, lr 0.003, no warm-up, step 0");

    g_autoptr(NsFigure) gradient = figure_new("gradient-norm");
    plot = ns_figure_update(gradient, &input);
    g_assert_cmpuint(plot->n_series, ==, 1); /* step 0 is not a previous series of itself */
    g_assert_cmpuint(plot->series[0].n, ==, 6);
    g_assert_cmpfloat(plot->series[0].x[0], ==, 1);
    g_assert_cmpfloat(plot->series[0].x[5], ==, 6);
    g_assert_cmpfloat(plot->series[0].y[5], ==, 60);
    g_assert_null(plot->series[0].lo);
    g_assert_null(plot->note);

    g_autoptr(NsFigure) hidden = figure_new("hidden-norm");
    plot = ns_figure_update(hidden, &input);
    g_assert_cmpuint(plot->series[0].n, ==, 7);
    g_assert_cmpfloat(plot->series[0].x[0], ==, 0);

    g_autoptr(NsFigure) heatmap = figure_new("gradient-heatmap");
    plot = ns_figure_update(heatmap, &input);
    g_assert_cmpuint(plot->heatmap->rows, ==, 6);
    g_assert_cmpuint(plot->heatmap->columns, ==, 1);
    g_assert_cmpfloat(plot->heatmap->y1, ==, 6.5);
}

static void test_version_follows_what_is_visible(void)
{
    g_autoptr(Run) run = run_new(3, BUDGET);
    append(run, 4);
    append(run, 3);
    NsFigureInput input = input_of(run);
    input.step = 1;
    g_autoptr(NsFigure) gradient = figure_new("gradient-norm");
    g_autoptr(NsFigure) loss = figure_new("loss");
    uint64_t still = ns_figure_update(gradient, &input)->version;
    uint64_t moving = ns_figure_update(loss, &input)->version;
    append(run, 2);
    g_assert_cmpuint(ns_figure_update(gradient, &input)->version, ==, still);
    g_assert_cmpuint(ns_figure_update(loss, &input)->version, >, moving);
    input.step = 2;
    g_assert_cmpuint(ns_figure_update(gradient, &input)->version, >, still);
    still = ns_figure_update(gradient, &input)->version;
    input.log = false;
    g_assert_cmpuint(ns_figure_update(gradient, &input)->version, >, still);
    g_assert_cmpint(ns_figure_update(gradient, &input)->left.scale, ==, NS_SCALE_LINEAR);
}

static void test_previous_and_swap(void)
{
    g_autoptr(Run) first = run_new(3, BUDGET);
    g_autoptr(Run) second = run_new(5, BUDGET);
    g_assert_true(ns_settings_set(&first->settings, "placement", "pre", NULL));
    g_assert_true(ns_settings_set(&first->settings, "layers", "3", NULL));
    for (int i = 0; i < 4; i++) append(first, 9 - i);
    for (int i = 0; i < 3; i++) append(second, 5 - i);

    NsFigureInput input = input_of(first);
    g_autoptr(NsFigure) loss = figure_new("loss");
    g_autoptr(NsFigure) gradient = figure_new("gradient-norm");
    g_autoptr(NsFigure) heatmap = figure_new("gradient-heatmap");
    ns_figure_update(loss, &input);
    ns_figure_update(gradient, &input);
    ns_figure_update(heatmap, &input);

    input = input_of(second);
    input.previous = first->history;
    input.previous_settings = &first->settings;
    const NsPlot *plot = ns_figure_update(loss, &input);
    g_assert_cmpuint(series_named(plot, "training")->n, ==, 3);
    const NsSeries *previous = series_named(plot, "previous run: Pre-LN, 3 layers");
    g_assert_true(previous->previous);
    g_assert_cmpuint(previous->n, ==, 4);
    g_assert_cmpfloat(previous->y[3], ==, 6);

    /* A setting that was changed during the run is not part of its name, but the change is
     * mentioned. */
    NsEvent measured = {.step = 2, .kind = NS_EVENT_SETTING, .what = "probe-every"};
    NsEvent event = {.step = 3, .kind = NS_EVENT_SETTING, .what = "lr"};
    ns_history_append_event(first->history, &measured);
    ns_history_append_event(first->history, &event);
    plot = ns_figure_update(loss, &input);
    g_assert_null(strstr(plot->subtitle, "changed"));
    g_assert_nonnull(series_named(plot, "previous run: Pre-LN, 3 layers (changed)"));

    plot = ns_figure_update(gradient, &input);
    g_assert_cmpuint(plot->n_series, ==, 3);
    g_assert_cmpuint(series_named(plot, "step 2")->n, ==, 5);
    g_assert_true(series_named(plot, "step 0")->previous);
    previous = series_named(plot, "previous run: Pre-LN, 3 layers (changed), step 3");
    g_assert_true(previous->previous);
    g_assert_cmpuint(previous->n, ==, 3);
    g_assert_cmpfloat_with_epsilon(previous->y[2], 30.3, 1e-5);

    plot = ns_figure_update(heatmap, &input);
    g_assert_cmpuint(plot->heatmap->rows, ==, 5);
    g_assert_cmpuint(plot->heatmap->columns, ==, 3);

    /* In the settings that a figure names, too. */
    input = input_of(first);
    plot = ns_figure_update(loss, &input);
    g_assert_nonnull(strstr(plot->subtitle, "no warm-up (changed at step 3), step 3"));

    /* The settings are those with which the run began, also if those of now are given. */
    NsSettings now = first->settings;
    now.warmup = 400;
    input.settings = &now;
    input.started = &first->settings;
    plot = ns_figure_update(loss, &input);
    g_assert_nonnull(strstr(plot->subtitle, "no warm-up (changed at step 3), step 3"));

    input = input_of(NULL);
    g_assert_cmpuint(ns_figure_update(gradient, &input)->n_series, ==, 0);
    g_assert_null(ns_figure_update(heatmap, &input)->heatmap);
}

static void test_diverged(void)
{
    g_autoptr(Run) run = run_new(4, BUDGET);
    append(run, 4);
    append_with(run, (double)NAN, 2, NAN);
    NsEvent event = {.step = 1, .kind = NS_EVENT_DIVERGED, .layer = 2};
    g_strlcpy(event.text, "Diverged at step 1: something.", sizeof event.text);
    ns_history_append_event(run->history, &event);

    const NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) loss = figure_new("loss");
    const NsPlot *plot = ns_figure_update(loss, &input);
    g_assert_true(isnan(series_named(plot, "training")->y[1]));
    g_assert_cmpuint(plot->n_markers, ==, 1);
    g_assert_true(plot->markers[0].alarm);
    g_assert_cmpfloat(plot->markers[0].x, ==, 1);
    g_assert_cmpstr(plot->note, ==, "Diverged at step 1: something.");
    g_assert_cmpuint(plot->of_runs, ==, strlen(plot->note));

    g_autoptr(NsFigure) gradient = figure_new("gradient-norm");
    plot = ns_figure_update(gradient, &input);
    g_assert_true(isnan(series_named(plot, "step 1")->y[1]));
    g_assert_cmpfloat(series_named(plot, "step 1")->y[2], ==, 1);

    g_autoptr(NsFigure) heatmap = figure_new("gradient-heatmap");
    plot = ns_figure_update(heatmap, &input);
    g_assert_true(isnan(ns_heatmap_row(plot->heatmap, 1)[1]));
    g_assert_cmpuint(plot->n_markers, ==, 1);
}

static void test_all_nan_profile(void)
{
    g_autoptr(Run) run = run_new(4, BUDGET);
    for (size_t i = 0; i < run->layout.width; i++) ns_values_put(run->values, i, (double)NAN);
    NsStep step = {.loss = (double)NAN, .grad_norm = (double)NAN};
    ns_history_append(run->history, &step, run->values);
    const NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) gradient = figure_new("gradient-norm");
    const NsPlot *plot = ns_figure_update(gradient, &input);
    for (size_t i = 0; i < 4; i++) g_assert_true(isnan(plot->series[0].y[i]));
    uint64_t version = plot->version;
    g_assert_cmpuint(ns_figure_update(gradient, &input)->version, ==, version);
}

/* Step 0 has no update: the chart says so in place of values that are 0 or missing. */
static void test_step_before_updates(void)
{
    static const NsQuantity of_update[] = {NS_QUANTITY_UPDATE_RATIO, NS_QUANTITY_WEIGHT_NORM};
    g_autoptr(Run) run = run_new(4, BUDGET);
    append(run, 4);
    NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) figure = figure_new("gradient-norm");
    for (size_t i = 0; i < G_N_ELEMENTS(of_update); i++) {
        input.gradient = of_update[i];
        const NsPlot *plot = ns_figure_update(figure, &input);
        g_assert_cmpuint(plot->n_series, ==, 0);
        g_assert_cmpstr(plot->empty, ==, "First measured at step 1, after the first update.");
        g_assert_true(g_str_has_suffix(plot->subtitle, "step 0"));
    }
    append(run, 4);
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->series[0].n, ==, 4);
    input.step = 0;
    g_assert_cmpuint(ns_figure_update(figure, &input)->n_series, ==, 0);
}

static void test_quantity_that_is_not_there(void)
{
    g_autoptr(Run) run = run_new(4, BUDGET);
    append(run, 4);
    NsFigureInput input = input_of(run);
    input.gradient = NS_QUANTITY_GRAD_WQ;
    static const char *const keys[] = {"gradient-norm", "gradient-heatmap"};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_autoptr(NsFigure) figure = figure_new(keys[i]);
        const NsPlot *plot = ns_figure_update(figure, &input);
        g_assert_cmpuint(plot->n_series, ==, 0);
        g_assert_null(plot->heatmap);
        g_assert_nonnull(strstr(plot->empty, "This model has no"));
        NsFigureInput outside = input;
        outside.settings = NULL;
        g_autoptr(NsFigure) other = figure_new(keys[i]);
        plot = ns_figure_update(other, &outside);
        g_assert_nonnull(strstr(plot->empty, "This run did not record"));
    }
}

static void test_final_norm_is_a_point(void)
{
    g_autoptr(Run) run = run_with_norm(4, BUDGET, true);
    append(run, 4);
    const NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) hidden = figure_new("hidden-norm");
    const NsPlot *plot = ns_figure_update(hidden, &input);
    g_assert_cmpuint(plot->n_series, ==, 2);
    const NsSeries *end = series_named(plot, "after the final norm");
    g_assert_cmpuint(end->n, ==, 1);
    g_assert_cmpfloat(end->x[0], ==, 4);
    g_assert_cmpfloat(end->y[0], ==, 10);
    /* A single run has one color, that of its lane; the colors of other lanes would mislead. */
    g_autoptr(NsFigure) steps = figure_new("steps");
    for (int i = 0; i < 2; i++) {
        if (i) plot = ns_figure_update(steps, &input);
        for (size_t k = 0; k < plot->n_series; k++) g_assert_cmpuint(plot->series[k].style, ==, 0);
    }
}

static void test_thousand_layers(void)
{
    g_autoptr(Run) run = run_new(1000, BUDGET);
    for (int i = 0; i < 50; i++) append(run, 4);
    const NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) heatmap = figure_new("gradient-heatmap");
    const NsHeatmap *map = ns_figure_update(heatmap, &input)->heatmap;
    g_assert_cmpuint(map->rows, ==, 1000);
    for (size_t row = 0; row < 1000; row++)
        for (size_t c = 0; c < 50; c++) {
            float expected = 10.0f * (float)(row + 1) + (float)(c % 10) / 10.0f;
            g_assert_cmpfloat(ns_heatmap_row(map, row)[c], ==, expected);
        }
}

/* A figure that received every step and one that received all at once must both show every
 * spike. */
static void test_long_run(gconstpointer at_once)
{
    enum { STEPS = 100000, SPIKE = 31415, HOLE = 77777 };
    g_autoptr(Run) run = run_new(3, (size_t)1 << 20);
    g_autoptr(NsFigure) loss = figure_new("loss");
    g_autoptr(NsFigure) heatmap = figure_new("gradient-heatmap");
    const NsFigureInput input = input_of(run);
    for (int i = 0; i < STEPS; i++) {
        if (i == SPIKE)
            append_with(run, 99, 2, 12345);
        else if (i == HOLE)
            append_with(run, (double)NAN, 3, NAN);
        else
            append(run, 2 + (double)(i % 7));
        if (at_once || i % 100) continue;
        ns_figure_update(loss, &input);
        ns_figure_update(heatmap, &input);
    }

    const NsPlot *plot = ns_figure_update(loss, &input);
    const NsSeries *training = series_named(plot, "training");
    g_assert_cmpuint(training->n, <=, NS_CURVE_POINTS);
    g_assert_cmpuint(training->n, >, NS_CURVE_POINTS / 4);
    g_assert_cmpfloat(training->x[training->n - 1], ==, STEPS - 1);
    g_assert_cmpfloat(training->y[training->n - 1], ==, 2 + (STEPS - 1) % 7);
    size_t spikes = 0, holes = 0;
    for (size_t i = 0; i < training->n; i++) {
        if (i) g_assert_cmpfloat(training->x[i], >, training->x[i - 1]);
        spikes += training->x[i] == SPIKE && training->y[i] == 99;
        holes += training->x[i] == HOLE && isnan(training->y[i]);
    }
    g_assert_cmpuint(spikes, ==, 1);
    g_assert_cmpuint(holes, ==, 1);
    g_assert_nonnull(strstr(plot->note, "groups"));

    const NsHeatmap *map = ns_figure_update(heatmap, &input)->heatmap;
    g_assert_cmpuint(map->columns, <=, 1024);
    size_t stride = (size_t)((map->x1 - map->x0) / (double)map->columns);
    g_assert_cmpuint(map->columns * stride, >=, STEPS);
    g_assert_cmpuint((map->columns - 1) * stride, <, STEPS);
    g_assert_cmpfloat(ns_heatmap_row(map, 1)[SPIKE / stride], ==, 12345);
    g_assert_true(isnan(ns_heatmap_row(map, 2)[HOLE / stride]));
    g_assert_cmpfloat(map->z[0], ==, 10.9f);
}

static void test_thinned_profile_has_a_band(void)
{
    g_autoptr(Run) run = run_new(50, (size_t)1 << 18);
    for (int i = 0; i < 20000; i++) append(run, 4);
    g_assert_cmpint(ns_history_stride(run->history), >, 1);
    NsFigureInput input = input_of(run);
    input.step = 5000;
    g_autoptr(NsFigure) gradient = figure_new("gradient-norm");
    const NsPlot *plot = ns_figure_update(gradient, &input);
    const NsSeries *now = &plot->series[plot->n_series - 1];
    g_assert_nonnull(now->lo);
    g_assert_true(g_str_has_prefix(now->label, "largest of steps "));
    g_assert_cmpfloat_with_epsilon(now->lo[0], 10, 1e-5);
    g_assert_cmpfloat_with_epsilon(now->y[0], 10.9, 1e-5);
    g_assert_nonnull(plot->note);
    input.step = -1;
    plot = ns_figure_update(gradient, &input);
    g_assert_null(series_named(plot, "step 19,999")->lo);
}

static void test_words(void)
{
    NsSettings a, b;
    ns_settings_init(&a);
    ns_settings_init(&b);
    g_autofree char *same = ns_settings_difference(&a, &b);
    g_assert_cmpstr(same, ==, "same settings");
    g_assert_true(ns_settings_set(&b, "norm", "rmsnorm", NULL));
    g_assert_true(ns_settings_set(&b, "layers", "1", NULL));
    g_assert_true(ns_settings_set(&b, "warmup", "100", NULL));
    g_autofree char *words = ns_settings_words(&b);
    g_assert_cmpstr(words, ==, "Post-LN, RMSNorm, 1 layer, lr 0.003, warm-up 100");
    g_autofree char *three = ns_settings_difference(&b, &a);
    g_assert_cmpstr(three, ==, "RMSNorm, 1 layer, warm-up 100");
    g_assert_true(ns_settings_set(&b, "lr", "100", NULL));
    g_assert_true(ns_settings_set(&b, "placement", "none", NULL));
    g_autofree char *plain = ns_settings_words(&b);
    g_assert_cmpstr(plain, ==, "No norm, 1 layer, lr 100, warm-up 100");
    g_assert_true(ns_settings_set(&b, "lr", "3e-3", NULL));
    g_assert_true(ns_settings_set(&b, "placement", "post", NULL));
    g_assert_true(ns_settings_set(&b, "seed", "7", NULL));
    g_assert_true(ns_settings_set(&b, "steps", "7", NULL));
    g_autofree char *more = ns_settings_difference(&b, &a);
    g_assert_cmpstr(more, ==, "RMSNorm, 1 layer, warm-up 100, …");

    /* A placement that implies its own norm differs in two settings until a norm is chosen. */
    ns_settings_clear(&b);
    ns_settings_init(&b);
    g_assert_true(ns_settings_set(&b, "placement", "keel", NULL));
    const NsSettings *const lanes[] = {&a, &b};
    g_autofree char *of_a = ns_settings_special_words(lanes, 2, 0);
    g_autofree char *of_b = ns_settings_special_words(lanes, 2, 1);
    g_assert_cmpstr(of_a, ==, "Post-LN");
    g_assert_cmpstr(of_b, ==, "Keel, RMSNorm");
    g_autofree char *keel = ns_settings_words(&b);
    g_assert_cmpstr(keel, ==, "Keel, RMSNorm, 6 layers, lr 0.003, no warm-up");
    g_assert_true(ns_settings_set(&b, "norm", "layernorm", NULL));
    g_autofree char *alone = ns_settings_special_words(lanes, 2, 1);
    g_assert_cmpstr(alone, ==, "Keel");

    /* A setting in which only one of them differs is not among the words for all. */
    static const char *const own[][2] = {
        {"lr", "0.001"}, {"clip", "1"}, {"optimizer", "radam"}, {"placement", "deepnorm"}};
    NsSettings four[4];
    const NsSettings *const of[] = {&four[0], &four[1], &four[2], &four[3]};
    for (size_t i = 0; i < 4; i++) {
        ns_settings_init(&four[i]);
        g_assert_true(ns_settings_set(&four[i], own[i][0], own[i][1], NULL));
    }
    g_autofree char *clipped = ns_settings_special_words(of, 4, 1);
    g_autofree char *all = ns_settings_common_words(of, 4);
    g_assert_cmpstr(clipped, ==, "Post-LN, clip 1, lr 0.003");
    g_assert_cmpstr(all, ==, "6 layers, no warm-up");
    for (size_t i = 0; i < 4; i++) ns_settings_clear(&four[i]);
    ns_settings_clear(&a);
    ns_settings_clear(&b);
}

/* Four remedies: the name of each has its learning rate and the setting that the others lack. */
static void test_brief_words(void)
{
    static const char *const special[][3] = {{"lr", "0.001", "Post-LN, lr 0.001"},
                                             {"clip", "1", "Post-LN, clip 1, lr 0.003"},
                                             {"optimizer", "radam", "Post-LN, RAdam, lr 0.003"},
                                             {"placement", "deepnorm", "DeepNorm, lr 0.003"}};
    enum { N = G_N_ELEMENTS(special) };
    NsSettings lanes[N];
    const NsSettings *all[N];
    for (size_t i = 0; i < N; i++) {
        ns_settings_init(&lanes[i]);
        g_assert_true(ns_settings_set(&lanes[i], special[i][0], special[i][1], NULL));
        all[i] = &lanes[i];
    }
    for (size_t i = 0; i < N; i++) {
        g_autofree char *words = ns_settings_special_words(all, N, i);
        g_assert_cmpstr(words, ==, special[i][2]);
    }
    for (size_t i = 0; i < N; i++) ns_settings_clear(&lanes[i]);
}

/* A caption has a word where 0 is no amount, which the help of the setting explains. */
static void test_words_for_zero(void)
{
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        bool explained = strstr(param->help, "0 means") || strstr(param->help, "0 measures");
        if (explained && param->type != NS_PARAM_CHOICE) {
            g_test_message("%s", param->key);
            g_assert_nonnull(ns_param_word(param, "0"));
        }
    }
    static const char *const off[] = {"dropout", "drop-path",    "label-smoothing", "z-loss",
                                      "clip",    "weight-decay", "momentum"};
    for (size_t i = 0; i < G_N_ELEMENTS(off); i++)
        g_assert_cmpstr(ns_param_word(ns_param_find(off[i]), "0"), ==, "off");
    g_assert_cmpstr(ns_param_word(ns_param_find("warmup"), "1"), ==, "off");
    NsSettings without, with;
    ns_settings_init(&without);
    ns_settings_init(&with);
    g_assert_true(ns_settings_set(&with, "clip", "1", NULL));
    const NsSettings *const lanes[] = {&without, &with};
    g_autofree char *words = ns_settings_special_words(lanes, 2, 0);
    g_assert_cmpstr(words, ==, "clip off");
    ns_settings_clear(&without);
    ns_settings_clear(&with);
}

/* ---- Any quantity ---- */

/* Like append, but with expensive quantities only at multiples of 10, and none of them in layer
 * 2. */
static void append_expensive(Run *run)
{
    ns_values_reset(run->values, run->layout.width);
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        for (size_t i = 0; i < run->layout.count[q]; i++) {
            bool expensive = ns_quantity((NsQuantity)q)->expensive;
            bool lacks = expensive && (run->steps % 10 || (run->layout.count[q] == 3 && i == 1));
            if (!lacks)
                ns_values_put(run->values, run->layout.offset[q] + i,
                              (double)((int64_t)(i + 1) * (run->steps + 1)));
        }
    NsStep step = {.step = run->steps++, .loss = 3, .lr = 1e-3, .grad_norm = 1, .seconds = 1e-3};
    ns_history_append(run->history, &step, run->values);
}

static const char *const any_keys[] = {"profile", "steps", "heatmap"};

/* Every available quantity is drawn, without marks for values that are not finite. */
static void test_every_quantity(void)
{
    g_autoptr(Run) run = run_made(3, BUDGET, true, 10, 0);
    for (int i = 0; i < 25; i++) append_expensive(run);
    NsFigureInput input = input_of(run);
    /* An axis has words where the title does not explain its letters. */
    static const char *const letters[] = {"H /", "min_h H", "‖y‖ /"};
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        for (size_t i = 0; i < G_N_ELEMENTS(letters); i++)
            g_assert_false(g_str_has_prefix(ns_quantity((NsQuantity)q)->symbol, letters[i]));
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        for (size_t k = 0; k < G_N_ELEMENTS(any_keys); k++) {
            input.quantity = (NsQuantity)q;
            g_autoptr(NsFigure) figure = figure_new(any_keys[k]);
            const NsPlot *plot = ns_figure_update(figure, &input);
            bool scalar = ns_quantity((NsQuantity)q)->domain == NS_DOMAIN_STEP;
            bool drawn = run->layout.count[q] > 0 && (!scalar || k == 1);
            g_assert_true(drawn == (plot->n_series > 0 || plot->heatmap));
            g_assert_true(drawn || strlen(plot->empty) > 0);
            for (size_t i = 0; i < plot->n_series; i++)
                for (size_t p = 0; p < plot->series[i].n; p++)
                    g_assert_true(isfinite(plot->series[i].y[p]));
            uint64_t version = plot->version;
            g_assert_cmpuint(ns_figure_update(figure, &input)->version, ==, version);
        }
}

/* The edge of stability is that of the optimizer, and marked once there is something to compare. */
static void test_edge(void)
{
    g_autoptr(Run) run = run_made(3, BUDGET, false, 0, 0);
    NsFigureInput input = input_of(run);
    input.quantity = NS_QUANTITY_RATE_SHARPNESS;
    g_autoptr(NsFigure) figure = figure_new("edge");
    g_assert_cmpuint(ns_figure_update(figure, &input)->n_levels, ==, 0);
    append_expensive(run);
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpstr(plot->title, ==, "Rate × sharpness"); /* short enough for half a page */
    g_assert_cmpuint(plot->n_levels, ==, 1);
    g_assert_cmpfloat(fabs(plot->levels[0].y - 38), <, 1e-9);
    input.quantity = NS_QUANTITY_CRITICAL_RATIO;
    g_assert_cmpfloat(ns_figure_update(figure, &input)->levels[0].y, ==, 1);
    input.quantity = NS_QUANTITY_SHARPNESS;
    g_assert_cmpuint(ns_figure_update(figure, &input)->n_levels, ==, 0);
}

/* The loss along an update, with marks at its own rate, at the lowest point and at the critical
 * rate. */
static void test_update_loss(void)
{
    g_autoptr(Run) run = run_made(3, BUDGET, false, 0, 0);
    append(run, 4);
    append(run, 3);
    NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) figure = figure_new("update-loss");
    g_assert_cmpuint(ns_figure_update(figure, &input)->n_series, ==, 0);
    NsLossAlong along = {.step = 1, .lr = 0.01, .critical_rate = 0.16};
    for (int i = 0; i < NS_ALONG_POINTS; i++) {
        along.rate[i] = 0.02 * i;
        along.loss[i] = 4 + 0.01 * (i - 8) * i;
    }
    ns_history_publish_along(run->history, &along);
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->series[0].n, ==, NS_ALONG_POINTS - 1);
    g_assert_cmpfloat(plot->series[0].x[0], ==, 0.02);
    g_assert_cmpfloat(plot->levels[0].y, ==, 4);
    g_assert_cmpuint(plot->n_markers, ==, 3);
    g_assert_cmpfloat(plot->markers[0].x, ==, 0.01);
    g_assert_cmpfloat(plot->markers[1].x, ==, 0.08);
    g_assert_cmpfloat(plot->markers[2].x, ==, 0.16);
    g_assert_null(plot->note);
    input.step = 0;
    g_assert_nonnull(strstr(ns_figure_update(figure, &input)->note, "from step 1"));
    along.step = 2;
    along.critical_rate = (double)NAN;
    ns_history_publish_along(run->history, &along);
    g_assert_cmpuint(ns_figure_update(figure, &input)->n_markers, ==, 2);
}

static void test_expensive_quantity(void)
{
    g_autoptr(Run) run = run_made(3, BUDGET, false, 10, 0);
    for (int i = 0; i < 25; i++) append_expensive(run);
    NsFigureInput input = input_of(run);
    input.quantity = NS_QUANTITY_MEAN_GRAD_LAYER;

    g_autoptr(NsFigure) profile = figure_new("profile");
    const NsPlot *plot = ns_figure_update(profile, &input);
    const NsSeries *now = series_named(plot, "step 20");
    g_assert_cmpuint(now->n, ==, 2); /* layer 2 has no value */
    g_assert_cmpfloat(now->x[1], ==, 3);
    g_assert_cmpfloat(now->y[1], ==, 63);
    g_assert_true(g_str_has_suffix(plot->subtitle, "step 20"));
    input.step = 7;
    plot = ns_figure_update(profile, &input);
    g_assert_cmpfloat(series_named(plot, "step 0")->y[0], ==, 1);

    g_autoptr(NsFigure) steps = figure_new("steps");
    plot = ns_figure_update(steps, &input);
    const NsSeries *mean = series_named(plot, "mean over the layers");
    g_assert_cmpuint(mean->n, ==, 3);
    g_assert_cmpfloat(mean->x[2], ==, 20);
    g_assert_cmpfloat(mean->y[2], ==, 42);
    g_assert_cmpfloat(series_named(plot, "largest of any layer")->y[2], ==, 63);
    g_assert_cmpfloat(series_named(plot, "smallest of any layer")->y[2], ==, 21);

    g_autoptr(NsFigure) heatmap = figure_new("heatmap");
    const NsHeatmap *map = ns_figure_update(heatmap, &input)->heatmap;
    g_assert_cmpuint(map->columns, ==, 3);
    g_assert_cmpfloat(map->x1, ==, 29.5);
    g_assert_cmpfloat(ns_heatmap_row(map, 2)[2], ==, 63);
    g_assert_true(ns_cell_is_blank(ns_heatmap_row(map, 1)[2]));

    input.quantity = NS_QUANTITY_TOKEN_COSINE;
    g_assert_cmpint(ns_figure_update(profile, &input)->left.scale, ==, NS_SCALE_LINEAR);
    map = ns_figure_update(heatmap, &input)->heatmap;
    g_assert_false(map->log);
    g_assert_cmpfloat(map->y0, ==, -0.5);

    g_autoptr(Run) without = run_new(3, BUDGET);
    append(without, 4);
    input = input_of(without);
    input.quantity = NS_QUANTITY_TOKEN_COSINE;
    g_assert_nonnull(strstr(ns_figure_update(profile, &input)->empty, "Measure attention every"));
    g_autoptr(NsFigure) cross = figure_new("cross-attention");
    g_assert_nonnull(strstr(ns_figure_update(cross, &input)->empty, "Only an encoder-decoder"));
}

/* A fork starts at a later step: steps are those of the original run. */
static void test_fork(void)
{
    g_autoptr(Run) run = run_made(3, BUDGET, false, 10, 25);
    for (int i = 0; i < 20; i++) append_expensive(run);
    NsFigureInput input = input_of(run);
    input.quantity = NS_QUANTITY_MEAN_GRAD_LAYER;
    g_autoptr(NsFigure) heatmap = figure_new("heatmap");
    const NsHeatmap *map = ns_figure_update(heatmap, &input)->heatmap;
    g_assert_cmpuint(map->columns, ==, 3);
    g_assert_cmpfloat(map->x0, ==, 19.5);
    g_assert_true(ns_cell_is_blank(map->z[0]));
    g_assert_cmpfloat(map->z[1], ==, 31);
    g_assert_cmpfloat(map->z[2], ==, 41);
    g_autoptr(NsFigure) steps = figure_new("steps");
    const NsSeries *mean = series_named(ns_figure_update(steps, &input), "mean over the layers");
    g_assert_cmpuint(mean->n, ==, 2);
    g_assert_cmpfloat(mean->x[0], ==, 30);
    g_autoptr(NsFigure) profile = figure_new("gradient-norm");
    input.step = 33;
    const NsPlot *plot = ns_figure_update(profile, &input);
    g_assert_cmpfloat(series_named(plot, "step 33")->y[0], ==, 34);
    series_named(plot, "step 25");
    input.step = 3; /* before its first step */
    g_assert_cmpfloat(series_named(ns_figure_update(profile, &input), "step 25")->y[0], ==, 26);
}

static void test_heads(void)
{
    g_autoptr(Run) run = run_made(3, BUDGET, false, 10, 0);
    for (int i = 0; i < 12; i++) append_expensive(run);
    NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) heads = figure_new("heads");
    const NsHeatmap *map = ns_figure_update(heads, &input)->heatmap;
    g_assert_cmpuint(map->rows, ==, HEADS);
    g_assert_cmpuint(map->columns, ==, 3);
    g_assert_cmpfloat(map->z[1 * 3 + 2], ==, 6 * 11); /* layer 3, head 2 at step 10 */

    input.quantity = NS_QUANTITY_HEAD_ENTROPY_ATTENTION;
    g_autoptr(NsFigure) profile = figure_new("profile");
    const NsSeries *now = series_named(ns_figure_update(profile, &input), "step 10");
    g_assert_cmpuint(now->n, ==, 3);
    g_assert_cmpfloat(now->lo[2], ==, 5 * 11);
    g_assert_cmpfloat(now->y[2], ==, 6 * 11);
}

static void test_similarity(void)
{
    g_autoptr(Run) run = run_made(2, BUDGET, false, 10, 0);
    append_expensive(run);
    NsFigureInput input = input_of(run);
    input.similarity = NS_SIMILARITY_COSINE;
    g_autoptr(NsFigure) figure = figure_new("similarity");
    g_assert_null(ns_figure_update(figure, &input)->heatmap);
    /* Other expensive quantities were measured, so that the matrix is missing because it was not
     * recorded. */
    g_assert_nonnull(strstr(ns_figure_update(figure, &input)->empty, "does not contain this"));
    g_autoptr(Run) young = run_made(2, BUDGET, false, 10, 3);
    append_values(young, 1.0);
    NsFigureInput early = input_of(young);
    g_autoptr(NsFigure) waits = figure_new("similarity");
    g_assert_nonnull(strstr(ns_figure_update(waits, &early)->empty, "measured yet"));
    g_autofree NsSimilarity *s = g_new0(NsSimilarity, 1);
    *s = (NsSimilarity){.step = 0, .n = 3, .state = {0, 1, 2}};
    for (size_t i = 0; i < 9; i++) {
        s->value[NS_SIMILARITY_COSINE][i] = (float)i / 8;
        s->has[NS_SIMILARITY_COSINE][i] = i != 1;
        s->has[NS_SIMILARITY_CKA][i] = true;
    }
    ns_history_publish_similarity(run->history, s);
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->heatmap->rows, ==, 3);
    g_assert_cmpfloat(plot->heatmap->x0, ==, -0.5);
    g_assert_cmpfloat(plot->heatmap->x1, ==, 2.5);
    g_assert_true(ns_cell_is_blank(plot->heatmap->z[1]));
    g_assert_cmpfloat(plot->heatmap->z[8], ==, 1);
    g_assert_cmpfloat(plot->heatmap->z[5], ==, 5.f / 8);
    g_assert_true(ns_cell_is_blank(plot->heatmap->z[7])); /* the same pair as 5 */
    uint64_t version = plot->version;
    g_assert_cmpuint(ns_figure_update(figure, &input)->version, ==, version);
    input.similarity = NS_SIMILARITY_CKA;
    plot = ns_figure_update(figure, &input);
    g_assert_cmpfloat(plot->heatmap->z[8], ==, 0);
    g_assert_null(plot->note);
    g_assert_false(plot->heatmap->undefined[4]);
    /* A state in which all tokens are equal has no CKA, not even to itself; a pair without one
     * whose states have some is of an encoder and a decoder. */
    s->step = 1;
    for (size_t i = 0; i < 3; i++)
        s->has[NS_SIMILARITY_CKA][i * 3 + 1] = s->has[NS_SIMILARITY_CKA][3 + i] = false;
    s->has[NS_SIMILARITY_CKA][2] = s->has[NS_SIMILARITY_CKA][6] = false;
    ns_history_publish_similarity(run->history, s);
    plot = ns_figure_update(figure, &input);
    const bool gray[9] = {false, true, false, false, true, true, false, false, false};
    for (size_t i = 0; i < 9; i++) g_assert_true(plot->heatmap->undefined[i] == gray[i]);
    g_assert_true(ns_cell_is_blank(plot->heatmap->z[1]) && ns_cell_is_blank(plot->heatmap->z[2]));
    g_assert_nonnull(strstr(plot->note, "In 1 of 3 states all tokens are equal"));
    append_expensive(run);
    s->step = 0;
    ns_history_publish_similarity(run->history, s);
    input.step = 1;
    g_assert_nonnull(strstr(ns_figure_update(figure, &input)->note, "from step 0"));
}

/* In figures over steps, a line marks the selected step while the run continues. */
static void test_viewed(void)
{
    g_autoptr(Run) run = run_made(3, BUDGET, false, 2, 0);
    for (int i = 0; i < 50; i++) append(run, 3 - 0.01 * i);
    for (size_t i = 0; ns_figure_kind(i); i++) {
        const NsFigureKind *kind = ns_figure_kind(i);
        static const struct {
            int64_t step;
            bool line;
        } views[] = {{-1, false}, {20, true}, {49, false}, {0, true}, {30, true}, {80, false}};
        NsFigureInput input = input_of(run);
        NsFigureRun before = {run->history, &run->settings, NULL, .lane = 0};
        if (kind->initial) input.quantity = kind->initial;
        if (g_str_equal(kind->choice.key, "ratio")) input.previous = before.history;
        g_autoptr(NsFigure) figure = figure_new(kind->choice.key);
        g_test_message("%s", kind->choice.key);
        for (size_t v = 0; v < G_N_ELEMENTS(views); v++) {
            input.step = views[v].step;
            const NsPlot *plot = ns_figure_update(figure, &input);
            bool line = views[v].line && kind->abscissa == NS_OVER_STEPS;
            g_assert_cmpuint(plot->n_spans, ==, line);
            if (!line) continue;
            g_assert_cmpfloat(plot->spans[0].from, ==, (double)input.step);
            g_assert_cmpfloat(plot->spans[0].to, ==, (double)input.step);
            g_assert_false(plot->spans[0].rows);
            g_autofree char *spoken = ns_plot_describe(plot);
            g_autofree char *words = g_strdup_printf("; a line at step %d", (int)input.step);
            g_assert_nonnull(strstr(spoken, words));
        }
        /* A selected layer is shown in addition. */
        input.marked_layer = 2;
        input.step = 30;
        const NsPlot *plot = ns_figure_update(figure, &input);
        size_t rows = kind->rows_are_layers && kind->abscissa == NS_OVER_STEPS;
        if (kind->abscissa == NS_OVER_STEPS) g_assert_cmpuint(plot->n_spans, ==, rows + 1);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/figures/registry", test_registry);
    g_test_add_func("/figures/empty", test_empty);
    g_test_add_func("/figures/digits", test_digits);
    g_test_add_func("/figures/one-record", test_one_record);
    g_test_add_func("/figures/version", test_version_follows_what_is_visible);
    g_test_add_func("/figures/previous-and-swap", test_previous_and_swap);
    g_test_add_func("/figures/diverged", test_diverged);
    g_test_add_func("/figures/all-nan", test_all_nan_profile);
    g_test_add_func("/figures/absent-quantity", test_quantity_that_is_not_there);
    g_test_add_func("/figures/final-norm", test_final_norm_is_a_point);
    g_test_add_func("/figures/thousand-layers", test_thousand_layers);
    g_test_add_data_func("/figures/long-run/as-it-comes", NULL, test_long_run);
    g_test_add_data_func("/figures/long-run/at-once", "", test_long_run);
    g_test_add_func("/figures/thinned-profile", test_thinned_profile_has_a_band);
    g_test_add_func("/figures/words", test_words);
    g_test_add_func("/figures/brief-words", test_brief_words);
    g_test_add_func("/figures/words-for-zero", test_words_for_zero);
    g_test_add_func("/figures/every-quantity", test_every_quantity);
    g_test_add_func("/figures/edge", test_edge);
    g_test_add_func("/figures/update-loss", test_update_loss);
    g_test_add_func("/figures/expensive-quantity", test_expensive_quantity);
    g_test_add_func("/figures/fork", test_fork);
    g_test_add_func("/figures/step-before-updates", test_step_before_updates);
    g_test_add_func("/figures/heads", test_heads);
    g_test_add_func("/figures/similarity", test_similarity);
    g_test_add_func("/figures/viewed", test_viewed);
    return g_test_run();
}
