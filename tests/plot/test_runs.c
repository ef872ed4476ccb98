/* Figures that compare: two runs, theory and measurement, plan and run.
 * SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"
#include "core/model/placement.h"
#include "core/optim/schedule.h"
#include "core/train/run.h"
#include "run.h"
#include "ui/figures/spec.h"
#include "ui/plot/csv.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

static void set(Run *run, const char *key, const char *value)
{
    g_autoptr(GError) error = NULL;
    ns_settings_set(&run->settings, key, value, &error);
    g_assert_no_error(error);
}

/* Draws every figure of the registry for a run on a small and a large page. */
static void draw_all(const NsFigureInput *base)
{
    for (size_t i = 0; ns_figure_kind(i); i++) {
        const NsFigureKind *kind = ns_figure_kind(i);
        NsFigureInput input = *base;
        if (kind->initial) input.quantity = kind->initial;
        input.theory = true;
        input.smoothing = (NsSmoothing){NS_SMOOTH_EMA, 0.9};
        g_test_message("%s", kind->choice.key);
        g_autoptr(NsFigure) figure = figure_new(kind->choice.key);
        const NsPlot *plot = ns_figure_update(figure, &input);
        g_assert_nonnull(plot->title);
        draw_pages(plot);
        g_autofree char *spoken = ns_plot_describe(plot);
        g_assert_true(g_utf8_validate(spoken, -1, NULL));
        uint64_t version = plot->version;
        g_assert_cmpuint(ns_figure_update(figure, &input)->version, ==, version);
        /* The step that the run will go to is drawn at once: axes of steps end there. */
        input.end = 123456;
        g_assert_cmpfloat(ns_figure_update(figure, &input)->end, ==, 123456);
        g_assert_cmpuint(plot->version, !=, version);
    }
}

static void test_any_run(void)
{
    static const struct {
        const char *name;
        size_t layers;
        int steps;
        bool nan;
    } runs[] = {{"empty", 6, 0, false},
                {"one record", 6, 1, false},
                {"all NaN", 6, 30, true},
                {"100,000 steps", 2, 100000, false},
                {"1,000 layers", 1000, 40, false}};
    for (size_t r = 0; r < G_N_ELEMENTS(runs); r++) {
        g_test_message("%s", runs[r].name);
        g_autoptr(Run) run = run_made(runs[r].layers, BUDGET, true, 2, 0);
        g_autoptr(Run) other = run_made(runs[r].layers, BUDGET, true, 2, 0);
        for (int i = 0; i < runs[r].steps; i++) {
            if (!runs[r].nan) {
                append(run, 1 + 1.0 / (i + 1));
                append(other, 1);
                continue;
            }
            for (size_t k = 0; k < run->layout.width; k++)
                ns_values_put(run->values, k, (double)NAN);
            append_values(run, NAN);
            append(other, NAN);
        }
        NsFigureInput input = input_of(run);
        draw_all(&input);
        input.previous = other->history;
        input.previous_settings = &other->settings;
        draw_all(&input);
        /* A run of another program has none. */
        input.settings = input.previous_settings = NULL;
        draw_all(&input);
    }
}

static void test_compare(void)
{
    g_autoptr(Run) run = run_new(4, BUDGET);
    g_autoptr(Run) other = run_new(5, BUDGET);
    for (int i = 0; i < 5; i++) append(run, 1);
    for (int i = 0; i < 3; i++) append_with(other, 1, 2, 4);
    NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) figure = figure_new("compare");
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->n_series, ==, 1);
    g_assert_null(plot->lower);
    g_assert_nonnull(strstr(plot->note, "no other run"));

    input.previous = other->history;
    input.previous_settings = &other->settings;
    plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->n_series, ==, 2);
    g_assert_null(plot->note);
    /* Layer 2 of 4: 20.4 / 4; the fifth layer of the other run has no counterpart. */
    const NsSeries *ratio = &plot->lower->series[0];
    g_assert_cmpuint(ratio->n, ==, 4);
    g_assert_cmpfloat_with_epsilon(ratio->y[1], 20.4 / 4, 1e-6);
    g_assert_cmpfloat(ratio->x[1], ==, 2);
    /* If only one run has a step, the other shows its last. */
    input.step = 4;
    plot = ns_figure_update(figure, &input);
    g_assert_nonnull(strstr(plot->series[0].label, "step 4"));
    g_assert_nonnull(strstr(plot->series[1].label, "step 2"));
}

static void test_ratio(void)
{
    g_autoptr(Run) run = run_new(3, BUDGET);
    g_autoptr(Run) other = run_made(3, BUDGET, false, 0, 2);
    for (int i = 0; i < 2000; i++) append_with(run, 1, 2, i == 1500 ? NAN : 8);
    for (int i = 0; i < 300; i++) append_with(other, 1, 2, 2);
    NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) figure = figure_new("ratio");
    g_assert_null(ns_figure_update(figure, &input)->heatmap);
    input.previous = other->history;
    input.previous_settings = &other->settings;
    const NsPlot *plot = ns_figure_update(figure, &input);
    const NsHeatmap *map = plot->heatmap;
    g_assert_nonnull(map);
    g_assert_cmpint(map->colors, ==, NS_COLORS_DIVERGING);
    /* The common steps 2 to 301, in the wider columns of the long run. */
    g_assert_cmpfloat(map->x0, >=, 1.5);
    g_assert_cmpfloat(map->x1, >=, 301.5);
    g_assert_cmpfloat(map->x1, <=, 303.5);
    for (size_t c = 0; c < map->columns; c++) {
        g_assert_cmpfloat((double)ns_heatmap_row(map, 0)[c], ==, 0);
        g_assert_cmpfloat((double)ns_heatmap_row(map, 1)[c], ==, 2); /* log2(8 / 2) */
    }
}

static void test_lemma(void)
{
    g_autoptr(Run) run = run_made(12, BUDGET, true, 0, 0);
    set(run, "placement", "pre");
    set(run, "layers", "12");
    set(run, "d-model", "64");
    set(run, "d-ff", "64");
    size_t at = run->layout.offset[NS_QUANTITY_HIDDEN_SQ];
    for (size_t l = 0; l <= 12; l++) ns_values_put(run->values, at + l, 64 * (1 + 0.9 * (double)l));
    append_values(run, 1);
    NsFigureInput input = input_of(run);
    input.quantity = NS_QUANTITY_HIDDEN_SQ;
    g_autoptr(NsFigure) figure = figure_new("theory");
    const NsPlot *plot = ns_figure_update(figure, &input);
    const NsSeries *lower = series_named(plot, "lower bound");
    const NsSeries *upper = series_named(plot, "upper bound");
    g_assert_true(lower->theory && upper->theory);
    g_assert_cmpuint(lower->n, ==, 13);
    for (size_t l = 0; l <= 12; l++) {
        /* (1 + l / 2) d and (1 + 3 l / 2) d, where f = d. */
        g_assert_cmpfloat_with_epsilon(lower->y[l], 64 * (1 + 0.5 * (double)l), 1e-3);
        g_assert_cmpfloat_with_epsilon(upper->y[l], 64 * (1 + 1.5 * (double)l), 1e-3);
    }
    g_assert_nonnull(strstr(plot->note, "0.90 d"));
    const NsSeries *prediction = series_named(plot, "approximation");
    for (size_t l = 1; l <= 12; l++) {
        g_assert_cmpfloat(prediction->y[l], >, lower->y[l]);
        g_assert_cmpfloat(prediction->y[l], <, upper->y[l]);
    }

    /* Placements that the paper does not have are predicted, too, without its bounds. */
    g_autoptr(NsFigure) other = figure_new("theory");
    set(run, "placement", "sandwich");
    set(run, "norm-eps", "0");
    plot = ns_figure_update(other, &input);
    prediction = series_named(plot, "approximation");
    for (size_t l = 0; l <= 12; l++) /* every branch adds d */
        g_assert_cmpfloat_with_epsilon(prediction->y[l], 64 * (1 + 2 * (double)l), 1e-3);
    g_assert_null(strstr(plot->note, "Lemma"));
    set(run, "placement", "pre");

    /* No theory where the paper has none. */
    g_autoptr(NsFigure) outside = figure_new("theory");
    set(run, "activation", "gelu");
    plot = ns_figure_update(outside, &input);
    for (size_t i = 0; i < plot->n_series; i++) g_assert_false(plot->series[i].theory);
}

/* What the norms of Lemma 3 divide by in a model of the paper's, from the constants of Lemma 2. */
static void check_sigma(const char *placement, NsQuantity quantity, const double square[2],
                        double growth)
{
    NsSettings settings;
    g_autoptr(GError) error = NULL;
    ns_settings_init(&settings);
    g_autofree char *changes = g_strdup_printf(
        "task=gaussian positions=none attention=uniform heads=1 d-model=64 d-ff=64 placement=%s",
        placement);
    g_assert_true(ns_settings_assign_all(&settings, changes, &error));
    g_autoptr(NsRun) run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    NsFigureInput input = {.history = run->history,
                           .settings = &run->settings,
                           .quantity = quantity,
                           .step = -1,
                           .theory = true};
    g_autoptr(NsFigure) figure = figure_new("profile");
    const NsPlot *plot = ns_figure_update(figure, &input);
    size_t theories = 0;
    for (size_t i = 0; i < plot->n_series; i++) {
        const NsSeries *series = &plot->series[i];
        if (!series->theory) continue;
        size_t k = g_str_equal(series->label, "upper bound");
        for (size_t l = 0; l < series->n; l++)
            g_assert_cmpfloat_with_epsilon(
                series->y[l], sqrt(square[k] + (growth > 0 ? (growth + (double)k) * (double)l : 0)),
                0.03);
        theories++;
    }
    g_assert_cmpuint(theories, ==, square[1] > 0 ? 2 : 1);
    g_assert_nonnull(strstr(plot->note, "by Lemma 3"));
    ns_settings_clear(&settings);
}

static void test_sigma(void)
{
    check_sigma("post", NS_QUANTITY_NORM_SIGMA_FFN, (const double[]){1.5, 0}, 0);
    check_sigma("post", NS_QUANTITY_NORM_SIGMA_ATTENTION, (const double[]){1, 2}, 0);
    check_sigma("pre", NS_QUANTITY_NORM_SIGMA_ATTENTION, (const double[]){1, 1}, 0.5);
}

static void test_factor(void)
{
    g_autoptr(Run) run = run_new(6, BUDGET);
    set(run, "placement", "post");
    append(run, 1);
    NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) figure = figure_new("gradient-norm");
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->n_series, ==, 1);
    g_autoptr(NsFigure) with = figure_new("gradient-norm");
    input.theory = true;
    plot = ns_figure_update(with, &input);
    const NsSeries *factor = series_named(plot, "theory: × (2/3)^{(L−l)/2}");
    g_assert_cmpfloat_with_epsilon(factor->y[5], 60, 1e-3);
    g_assert_cmpfloat_with_epsilon(factor->y[3], 60 * 2 / 3.0, 1e-3);
    /* The best fit of an exponential to 10, 20 ... 60, by numpy and Student's t of 4. */
    g_assert_nonnull(strstr(plot->note, "intervals: × 1.41 (1.24 to 1.59)."));
    /* The theory can be hidden again. */
    input.theory = false;
    g_assert_cmpuint(ns_figure_update(with, &input)->n_series, ==, 1);
}

static bool has_abscissa(const NsSeries *series, double x)
{
    for (size_t i = 0; i < series->n; i++)
        if (series->x[i] == x) return true;
    return false;
}

static void test_schedule(void)
{
    g_autoptr(Run) run = run_new(2, BUDGET);
    set(run, "lr", "0.01");
    set(run, "warmup", "37");
    set(run, "steps", "1000");
    set(run, "schedule", "linear");
    set(run, "decay-start", "112");
    NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) figure = figure_new("schedule");
    const NsPlot *plot = ns_figure_update(figure, &input);
    const NsSeries *plan = series_named(plot, "scheduled");
    double peak = 0;
    for (size_t i = 0; i < plan->n; i++) {
        g_assert_cmpfloat(plan->y[i], ==, ns_schedule_lr(&run->settings, (int64_t)plan->x[i]));
        g_assert_true(!i || plan->x[i] > plan->x[i - 1]);
        peak = MAX(peak, plan->y[i]);
    }
    g_assert_cmpfloat(peak, ==, 0.01);
    /* The corners of the schedule are also points of the plan. */
    g_assert_true(has_abscissa(plan, 37) && has_abscissa(plan, 112));
    g_assert_cmpfloat(plan->x[plan->n - 1], ==, 1000);
    g_assert_cmpuint(plot->n_markers, ==, 1);
    g_assert_true(plot->markers[0].handle);
    g_assert_cmpfloat(plot->markers[0].x, ==, 37);
    /* The grip can be found where it is drawn. */
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 500, 300, ns_style(0));
    NsBox area = ns_plot_area(layout);
    double px = ns_plot_x_to_pixel(layout, 37);
    g_assert_cmpint(ns_plot_handle_at(layout, px + 2, area.y + 20), ==, 0);
    g_assert_cmpint(ns_plot_handle_at(layout, px + 60, area.y + 20), ==, -1);

    /* A rate that was changed during the run differs from the plan. */
    for (int i = 0; i < 10; i++) append(run, 1);
    set(run, "warmup", "50");
    plot = ns_figure_update(figure, &input);
    g_assert_cmpfloat(plot->markers[0].x, ==, 50);
    g_assert_cmpuint(series_named(plot, "so far")->n, ==, 9);
    g_assert_cmpfloat(series_named(plot, "scheduled")->y[0], ==, 0);

    /* Without a warm-up there is nothing to mark, and no ramp. */
    set(run, "warmup", "1");
    plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->n_markers, ==, 1);
    g_assert_true(plot->markers[0].handle && !plot->markers[0].text);
    g_assert_cmpfloat(series_named(plot, "scheduled")->y[0], ==, 0.01);
    g_autoptr(NsPlotLayout) bare = ns_plot_layout(plot, 500, 300, ns_style(0));
    g_assert_null(ns_layout_label(bare, NS_PART_MARKER));

    /* A late start of the decay is visible. */
    set(run, "schedule", "inverse-sqrt");
    set(run, "decay-start", "4000");
    plan = series_named(ns_figure_update(figure, &input), "scheduled");
    g_assert_cmpfloat(plan->x[plan->n - 1], ==, 6000);
    g_assert_cmpfloat(plan->y[plan->n - 1], <, 0.01);
}

static void test_tokens(void)
{
    g_autoptr(Run) run = run_made(6, BUDGET, false, 1, 0);
    g_autofree NsTokenSnapshot *snapshot = g_new0(NsTokenSnapshot, 1);
    snapshot->states = 7;
    for (unsigned i = 0; i < 7; i++) {
        snapshot->state[i] = i;
        snapshot->tokens[i] = 100;
        snapshot->count[i][20] = 90;
        snapshot->count[i][25 + i] = 10;
    }
    snapshot->count[6][31] = 7;
    snapshot->beyond[6] = 3;
    ns_history_publish_token_snapshot(run->history, snapshot);
    append(run, 1);
    NsFigureInput input = input_of(run);
    input.theory = true;
    g_autoptr(NsFigure) figure = figure_new("tokens");
    const NsPlot *plot = ns_figure_update(figure, &input);
    const NsSeries *last = series_named(plot, "after layer 6");
    g_assert_true(series_named(plot, "embedding")->previous);
    g_assert_cmpint(last->kind, ==, NS_SERIES_BARS);
    g_assert_cmpfloat(last->y[20], ==, 90);
    g_assert_cmpfloat_with_epsilon(last->edges[20], 0.975, 1e-12);
    g_assert_cmpuint(last->n, ==, 33);
    g_assert_nonnull(strstr(plot->note, "3 of 100 tokens"));
    /* The curve sums to the number of tokens, around their mean. */
    const NsSeries *normal = series_named(plot, "normal features, d 64");
    double sum = 0, mean = 0;
    for (size_t k = 0; k < normal->n; k++) {
        sum += normal->y[k];
        mean += normal->y[k] * normal->x[k];
    }
    g_assert_cmpfloat_with_epsilon(sum, 100, 1);
    g_assert_cmpfloat_with_epsilon(mean / sum, 1, 0.02);
    input.layer = 2;
    g_assert_cmpfloat(series_named(ns_figure_update(figure, &input), "after layer 2")->y[27], ==,
                      10);
}

static void test_attention(void)
{
    g_autoptr(Run) run = run_made(6, BUDGET, false, 1, 0);
    g_autofree NsTokenSnapshot *snapshot = g_new0(NsTokenSnapshot, 1);
    snapshot->maps = 4;
    snapshot->queries = snapshot->keys = 3;
    for (unsigned m = 0; m < 4; m++) {
        snapshot->layer[m] = m < 2 ? 1 : 6;
        snapshot->head[m] = m % 2 + 1;
        for (unsigned t = 0; t < 3; t++) snapshot->seen[m][t] = t + 1;
        for (unsigned i = 0; i < 9; i++) snapshot->weight[m][i] = 0.1f * (float)m;
    }
    ns_history_publish_token_snapshot(run->history, snapshot);
    append(run, 1);
    NsFigureInput input = input_of(run);
    g_autoptr(NsFigure) figure = figure_new("attention");
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpstr(plot->title, ==, "Attention, layer\u00a06, head\u00a01");
    g_assert_true(plot->left.reversed && plot->heatmap->square);
    g_assert_true(plot->heatmap->log && plot->heatmap->lo == 0.01 && plot->heatmap->hi == 1);
    g_assert_cmpstr(plot->note, ==, "Weights below 0.01 have the color of 0.01.");
    g_assert_cmpfloat_with_epsilon((double)ns_heatmap_row(plot->heatmap, 1)[0], 0.2, 1e-6);
    g_assert_true(ns_cell_is_blank(ns_heatmap_row(plot->heatmap, 1)[2]));
    input.layer = 2; /* not recorded: the nearest layer is */
    input.head = 2;
    g_assert_cmpstr(ns_figure_update(figure, &input)->title, ==,
                    "Attention, layer\u00a01, head\u00a02");
    /* Another measurement replaces it. */
    snapshot->step = 1;
    snapshot->weight[1][0] = 0.75f;
    ns_history_publish_token_snapshot(run->history, snapshot);
    append(run, 1);
    plot = ns_figure_update(figure, &input);
    g_assert_cmpfloat((double)ns_heatmap_row(plot->heatmap, 0)[0], ==, 0.75);
}

/* All labels of a part that are drawn, as one string. */
static char *labels_of(const NsPlotLayout *layout, NsPart part)
{
    GString *all = g_string_new(NULL);
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part == part) g_string_append(all, pango_layout_get_text(label->text));
    }
    return g_string_free(all, FALSE);
}

/* Positions are labeled with their tokens. */
static void test_attention_tokens(void)
{
    g_autoptr(Run) run = run_made(6, BUDGET, false, 1, 0);
    g_autofree NsTokenSnapshot *snapshot = g_new0(NsTokenSnapshot, 1);
    const char *text = "to_be^or not to be, that is the question: wheth";
    snapshot->maps = 2;
    snapshot->queries = snapshot->keys = strlen(text);
    snapshot->layer[0] = snapshot->head[0] = snapshot->head[1] = 1;
    snapshot->layer[1] = 6;
    snapshot->stack[1] = 1;
    for (size_t t = 0; t < strlen(text); t++) {
        g_snprintf(snapshot->token[0][t], NS_TOKEN_TEXT, "%c", text[t]);
        snapshot->seen[0][t] = (unsigned)t + 1;
    }
    ns_history_publish_token_snapshot(run->history, snapshot);
    append(run, 1);
    NsFigureInput input = input_of(run);
    input.layer = 1;
    g_autoptr(NsFigure) figure = figure_new("attention");
    const NsPlot *plot = ns_figure_update(figure, &input);
    const NsStyle *style = ns_style_find("paper");
    g_autoptr(NsPlotLayout) wide = ns_plot_layout(plot, 900, 900, style);
    g_autofree char *across = labels_of(wide, NS_PART_X_TICK);
    g_autofree char *down = labels_of(wide, NS_PART_LEFT_TICK);
    g_assert_cmpstr(across, ==, text);
    g_assert_cmpstr(down, ==, text);
    /* With less space, both axes have the numbers of every n-th position. */
    for (int side = 120; side <= 500; side += 20) {
        g_autoptr(NsPlotLayout) narrow = ns_plot_layout(plot, side + 60, side, style);
        g_autofree char *some = labels_of(narrow, NS_PART_X_TICK);
        g_autofree char *same = labels_of(narrow, NS_PART_LEFT_TICK);
        bool all = g_str_equal(some, text);
        g_assert_cmpstr(some, ==, same);
        g_assert_true(all || (*some && strspn(some, "0123456789") == strlen(some)));
    }
    /* A tooltip shows the position and the token. */
    NsReading reading;
    double py = ns_plot_row_to_pixel(wide, 8);
    g_assert_true(ns_plot_pick(wide, ns_plot_x_to_pixel(wide, 3), py, &reading));
    g_autofree char *tip = ns_text_plain(reading.text);
    g_assert_nonnull(strstr(tip, "key position 3: _\nquery position 8: r\n"));
    ns_reading_clear(&reading);
    /* Tables have positions as numbers. */
    g_autofree char *csv = g_string_free(ns_csv_write(&plot, 1, NULL), FALSE);
    g_assert_nonnull(strstr(csv, ",2,47,"));
    /* Padding is not part of the sequence. */
    for (size_t t = 20; t < strlen(text); t++) snapshot->token[0][t][0] = '\0';
    snapshot->step = 1;
    ns_history_publish_token_snapshot(run->history, snapshot);
    append(run, 1);
    plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->heatmap->rows, ==, 20);
    g_assert_cmpuint(plot->heatmap->columns, ==, 20);
    g_assert_cmpfloat(plot->heatmap->y1, ==, 20.5);
    g_assert_true(ns_cell_is_blank(ns_heatmap_row(plot->heatmap, 1)[2]));
    g_assert_false(ns_cell_is_blank(ns_heatmap_row(plot->heatmap, 19)[19]));
    /* Without names, positions are numbers. */
    input.layer = 6;
    plot = ns_figure_update(figure, &input);
    g_autoptr(NsPlotLayout) numbers = ns_plot_layout(plot, 400, 400, style);
    g_autofree char *counted = labels_of(numbers, NS_PART_X_TICK);
    g_assert_true(*counted && strspn(counted, "0123456789") == strlen(counted));
}

static void test_place(void)
{
    g_autoptr(GArray) specs = g_array_new(FALSE, FALSE, sizeof(NsFigureSpec));
    g_autoptr(GError) error = NULL;
    static const char *const texts[] = {"attention:3.2", "tokens:6", "attention"};
    g_assert_true(ns_figure_specs_read(specs, "attention:3.2,tokens:6,attention", &error));
    const NsFigureSpec *spec = (const NsFigureSpec *)(const void *)specs->data;
    g_assert_true(spec[0].layer == 3 && spec[0].head == 2 && spec[1].layer == 6);
    g_assert_true(ns_figure_spec_is_expensive(&spec[2]));
    g_assert_cmpuint(specs->len, ==, G_N_ELEMENTS(texts));
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *text = ns_figure_spec_text(&spec[i]);
        g_assert_cmpstr(text, ==, texts[i]);
    }
    static const char *const wrong[] = {"attention:0", "attention:x",     "attention:3.",
                                        "tokens:-1",   "tokens:99999999", "attention:3.2.1",
                                        "attention:"};
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) refused = NULL;
        g_assert_false(ns_figure_specs_read(specs, wrong[i], &refused));
        g_assert_nonnull(strstr(refused->message, "is not a place"));
    }
}

static void test_smoothing(void)
{
    g_autoptr(Run) run = run_new(2, BUDGET);
    for (int i = 0; i < 100; i++) append(run, i % 2 ? 3 : 1);
    NsFigureInput input = input_of(run);
    input.smoothing = (NsSmoothing){NS_SMOOTH_MEAN, 10};
    g_autoptr(NsFigure) loss = figure_new("loss");
    const NsPlot *plot = ns_figure_update(loss, &input);
    const NsSeries *smooth = series_named(plot, "training, mean of 10");
    const NsSeries *raw = series_named(plot, "training");
    g_assert_true(raw->muted && !smooth->muted);
    g_assert_cmpuint(raw->n, ==, 100);
    g_assert_cmpfloat_with_epsilon(smooth->y[99], 2, 1e-12);
    g_assert_cmpfloat(raw->y[99], ==, 3);
    /* Later values continue the average as if all had been received at once. */
    for (int i = 0; i < 5; i++) append(run, 8);
    plot = ns_figure_update(loss, &input);
    g_autoptr(NsFigure) fresh = figure_new("loss");
    smooth = series_named(plot, "training, mean of 10");
    const NsSeries *again = series_named(ns_figure_update(fresh, &input), "training, mean of 10");
    g_assert_cmpuint(smooth->n, ==, again->n);
    g_assert_cmpint(memcmp(smooth->y, again->y, smooth->n * sizeof *smooth->y), ==, 0);
    input.smoothing = (NsSmoothing){0};
    g_assert_false(series_named(ns_figure_update(loss, &input), "training")->muted);

    input.smoothing = (NsSmoothing){NS_SMOOTH_EMA, 0.9};
    g_autoptr(NsFigure) steps = figure_new("steps");
    plot = ns_figure_update(steps, &input);
    g_assert_nonnull(series_named(plot, "mean over the layers, EMA 0.9"));
    g_assert_true(series_named(plot, "mean over the layers")->muted);

    /* Losses, once there are 500 of them. */
    input.smoothing = (NsSmoothing){NS_SMOOTH_AUTO, 0};
    for (int i = 105; i < 500; i++) {
        g_assert_false(series_named(ns_figure_update(loss, &input), "training")->muted);
        append(run, 1);
    }
    plot = ns_figure_update(loss, &input);
    g_assert_nonnull(series_named(plot, "training, EMA 0.9"));
    g_assert_true(series_named(plot, "training")->muted);
    g_assert_false(series_named(ns_figure_update(steps, &input), "mean over the layers")->muted);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/runs/any", test_any_run);
    g_test_add_func("/runs/compare", test_compare);
    g_test_add_func("/runs/ratio", test_ratio);
    g_test_add_func("/runs/lemma", test_lemma);
    g_test_add_func("/runs/sigma", test_sigma);
    g_test_add_func("/runs/factor", test_factor);
    g_test_add_func("/runs/schedule", test_schedule);
    g_test_add_func("/runs/smoothing", test_smoothing);
    g_test_add_func("/runs/tokens", test_tokens);
    g_test_add_func("/runs/attention-tokens", test_attention_tokens);
    g_test_add_func("/runs/attention", test_attention);
    g_test_add_func("/runs/place", test_place);
    return g_test_run();
}
