/* Figures of several lanes.  SPDX-License-Identifier: MIT */
#include "core/experiment/assignment.h"
#include "lanes.h"
#include "ui/figures/figure.h"
#include "ui/plot/csv.h"
#include "ui/plot/heatmap.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"
#include "ui/plot/view_state.h"

#include <math.h>
#include <string.h>

/* Draws every figure, and heatmaps in every mode. */
static void draw_all(const NsFigureInput *base)
{
    for (size_t i = 0; ns_figure_kind(i); i++)
        for (int mode = NS_HEAT_STACKED; mode <= NS_HEAT_RATIO; mode++) {
            const NsFigureKind *kind = ns_figure_kind(i);
            if (mode != NS_HEAT_STACKED && !strstr(kind->choice.key, "heatmap")) break;
            NsFigureInput input = *base;
            if (kind->initial) input.quantity = kind->initial;
            input.heat = (NsHeatMode)mode;
            input.theory = true;
            input.marked_layer = 2;
            input.smoothing = (NsSmoothing){NS_SMOOTH_EMA, 0.9};
            g_test_message("%s, mode %d", kind->choice.key, mode);
            g_autoptr(NsFigure) figure = figure_new(kind->choice.key);
            const NsPlot *plot = ns_figure_update(figure, &input);
            draw_pages(plot);
            g_autofree char *spoken = ns_plot_describe(plot);
            g_assert_true(g_utf8_validate(spoken, -1, NULL));
            g_autofree char *csv = g_string_free(ns_csv_write(&plot, 1, NULL), FALSE);
            g_assert_true(g_utf8_validate(csv, -1, NULL));
            uint64_t version = plot->version;
            g_assert_cmpuint(ns_figure_update(figure, &input)->version, ==, version);
        }
}

static void fill(Run *run, int steps, bool nan)
{
    for (int i = 0; i < steps; i++) {
        if (!nan) {
            append(run, 1 + 1.0 / (i + 1));
            continue;
        }
        for (size_t k = 0; k < run->layout.width; k++) ns_values_put(run->values, k, (double)NAN);
        append_values(run, NAN);
    }
}

static void test_any_lanes(void)
{
    static const struct {
        const char *name;
        size_t layers[2];
        int64_t first[2];
        int steps[2];
        bool nan;
    } cases[] = {
        {"empty", {6, 6}, {0, 0}, {0, 0}, false},
        {"one record", {6, 6}, {0, 0}, {1, 1}, false},
        {"all NaN", {6, 6}, {0, 0}, {30, 30}, true},
        {"60,000 steps", {2, 2}, {0, 0}, {60000, 60000}, false},
        {"1,000 layers", {1000, 1000}, {0, 0}, {40, 40}, false},
        {"a fork", {6, 6}, {0, 400}, {500, 100}, false},
        {"forks", {6, 6}, {400, 400}, {10, 10}, false},
        {"a fork that has not begun", {6, 6}, {0, 400}, {500, 0}, false},
        {"one stands still", {6, 6}, {0, 0}, {500, 100}, false},
        {"other depths", {6, 40}, {0, 0}, {50, 50}, false},
        {"one layer", {1, 1}, {0, 0}, {50, 50}, false},
    };
    for (size_t c = 0; c < G_N_ELEMENTS(cases); c++) {
        g_test_message("%s", cases[c].name);
        Run *runs[4];
        for (size_t i = 0; i < 4; i++) {
            runs[i] = run_made(cases[c].layers[i % 2], BUDGET, i % 2, 2, cases[c].first[i % 2]);
            fill(runs[i], cases[c].steps[i % 2], cases[c].nan);
        }
        bool large = cases[c].steps[0] > 1000 || cases[c].layers[0] > 100;
        for (unsigned n = 2; n <= (large ? 2 : 4); n += 2) {
            NsFigureInput input = lanes_of(runs, n);
            draw_all(&input);
            if (large) continue;
            input.step = 30;
            draw_all(&input);
        }
        for (size_t i = 0; i < 4; i++) run_free(runs[i]);
    }
}

static void assert_finite_ticks(const NsPlot *plot)
{
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 400, 300, ns_style(0));
    const GArray *ticks = layout->y_ticks;
    g_assert_cmpuint(ns_ticks_labeled(ticks), >, 0);
    for (unsigned i = 0; i < ticks->len; i++)
        g_assert_true(isfinite(g_array_index(ticks, NsTick, i).value));
}

/* A quantity that only one of the lanes has. */
static void test_absent(void)
{
    Run *runs[] = {run_made(3, BUDGET, false, 2, 0), run_made(3, BUDGET, false, 0, 0)};
    for (int i = 0; i < 2; i++) fill(runs[i], 20, false);
    for (int swap = 0; swap < 2; swap++) {
        Run *const order[] = {runs[swap], runs[1 - swap]};
        NsFigureInput input = lanes_of(order, 2);
        input.quantity = NS_QUANTITY_TOKEN_COSINE;
        for (int mode = NS_HEAT_STACKED; mode <= NS_HEAT_RATIO; mode++) {
            input.heat = (NsHeatMode)mode;
            g_autoptr(NsFigure) figure = figure_new("heatmap");
            const NsPlot *plot = ns_figure_update(figure, &input);
            draw_pages(plot);
            if (mode == NS_HEAT_STACKED) assert_finite_ticks(plot);
            if (mode != NS_HEAT_RATIO) continue;
            g_assert_null(plot->heatmap);
            g_assert_true(g_str_has_prefix(plot->empty, swap ? "A has no " : "B has no "));
        }
        g_autoptr(NsFigure) profile = figure_new("profile");
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(ns_figure_update(profile, &input), 400, 300, ns_style(0));
        g_assert_true(ns_plot_has_legend(layout));
    }
    for (int i = 0; i < 2; i++) run_free(runs[i]);
}

static void test_profile(void)
{
    Pair pair = pair_new(4, 5);
    g_autoptr(Run) normed = run_with_norm(5, BUDGET, true);
    for (int i = 0; i < 3; i++) {
        append(pair.run[0], 1);
        append_with(pair.run[1], 1, 2, 4);
        append(normed, 1);
    }
    pair.input.marked_layer = 3;
    g_autoptr(NsFigure) figure = figure_new("gradient-norm");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    const NsSeries *a = series_named(plot, "A Post-LN"), *b = series_named(plot, "B Pre-LN");
    g_assert_true(a->style == 0 && b->style == 1 && b->n == 5);
    g_assert_true(series_named(plot, "A step 0")->muted);
    g_assert_cmpstr(plot->keys[0].label, ==, "step 0");
    /* Nor does a note name them, which would change the height of the plot after step 0. */
    g_assert_null(plot->note);
    g_assert_true(g_str_has_prefix(plot->subtitle, "A Post-LN; B Pre-LN; 6 layers"));
    g_assert_cmpuint(plot->lower->n_series, ==, 1);
    const NsSeries *ratio = &plot->lower->series[0];
    g_assert_cmpstr(ratio->label, ==, "B / A");
    g_assert_cmpstr(plot->lower->left.label, ==, "ratio B / A");
    g_assert_cmpuint(ratio->n, ==, 4);
    g_assert_cmpfloat_with_epsilon(ratio->y[1], 4 / 20.2, 1e-6);
    g_assert_cmpuint(plot->n_spans, ==, 1);
    g_assert_cmpfloat(plot->spans[0].from, ==, 2.5);
    g_assert_cmpuint(plot->n_keys, ==, 1);
    /* The norm after the final norm is a mark without a line, and the legend names it. */
    g_autoptr(NsFigure) hidden = figure_new("hidden-norm");
    NsFigureInput with_norm = pair.input;
    with_norm.lanes[1].history = normed->history;
    const NsPlot *states = ns_figure_update(hidden, &with_norm);
    g_assert_cmpuint(states->n_keys, ==, 2);
    g_assert_cmpstr(states->keys[1].label, ==, "after the final norm");
    g_assert_cmpint(states->keys[1].kind, ==, NS_SERIES_SCATTER);
    /* The same figure with one lane. */
    pair.input.n_lanes = 0;
    plot = ns_figure_update(figure, &pair.input);
    g_assert_true(!plot->lower && !plot->n_keys);
    g_assert_cmpstr(plot->series[plot->n_series - 1].label, ==, "step 2");
    pair_clear(&pair);
}

static void publish(Run *run, float least)
{
    g_autofree NsSimilarity *s = g_new0(NsSimilarity, 1);
    *s = (NsSimilarity){.step = 0, .n = 2, .state = {0, 1}};
    const float values[] = {1, least, least, 1};
    memcpy(s->value[NS_SIMILARITY_COSINE], values, sizeof values);
    memset(s->has[NS_SIMILARITY_COSINE], true, G_N_ELEMENTS(values));
    ns_history_publish_similarity(run->history, s);
}

/* The colors of all lanes have the same scale, although each lane has its own chart: from 0 to 1
 * for what is bounded by these. */
static void test_similarity(void)
{
    Pair pair = pair_new(2, 2);
    pair.input.similarity = NS_SIMILARITY_COSINE;
    for (int i = 0; i < 2; i++) append(pair.run[i], 1);
    publish(pair.run[0], 0.125F);
    publish(pair.run[1], 0.5F);
    g_autoptr(NsFigure) figure = figure_new("similarity");
    NsFigureInput one = ns_figure_input_of(&pair.input, 1);
    const NsPlot *plot = ns_figure_update(figure, &one);
    g_assert_cmpfloat(plot->heatmap->z[1], ==, 0.5);
    g_assert_cmpfloat(plot->heatmap->lo, ==, 0.125);
    g_assert_cmpfloat(plot->heatmap->hi, ==, 1);
    publish(pair.run[0], 0.25F);
    g_assert_cmpfloat(ns_figure_update(figure, &one)->heatmap->lo, ==, 0.25);
    pair.input.n_lanes = 0;
    plot = ns_figure_update(figure, &pair.input);
    g_assert_cmpfloat(plot->heatmap->lo, ==, plot->heatmap->hi);
    pair.input.similarity = NS_SIMILARITY_CKA;
    plot = ns_figure_update(figure, &pair.input);
    g_assert_cmpfloat(plot->heatmap->lo, ==, 0);
    g_assert_cmpfloat(plot->heatmap->hi, ==, 1);
    pair_clear(&pair);
}

static void test_loss(void)
{
    Pair pair = pair_new(2, 2);
    set(pair.run[1], "warmup=100");
    g_autoptr(Run) earlier = run_new(2, BUDGET);
    fill(earlier, 5, false);
    for (int i = 0; i < 10; i++) {
        append(pair.run[0], 2);
        append(pair.run[1], 1);
    }
    NsEvent both = {.step = 4, .kind = NS_EVENT_SETTING, .what = "lr", .text = "lr was changed."};
    NsEvent end = {.step = 9, .kind = NS_EVENT_DIVERGED, .what = "loss", .text = "It diverged."};
    ns_history_append_event(pair.run[0]->history, &both);
    ns_history_append_event(pair.run[1]->history, &both);
    ns_history_append_event(pair.run[1]->history, &end);
    pair.input.pinned[0] = (NsFigureRun){earlier->history, &earlier->settings, .name = "run_1 A"};
    pair.input.n_pinned = 1;
    g_autoptr(NsFigure) figure = figure_new("loss");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    g_assert_cmpuint(series_named(plot, "A Post-LN, no warm-up")->style, ==, 0);
    g_assert_cmpuint(series_named(plot, "B Pre-LN, warm-up 100")->style, ==, 1);
    /* The learning rates are in a strip of their own. */
    g_assert_cmpuint(series_named(plot->lower, "A learning rate")->n, ==, 9);
    g_assert_cmpstr(plot->title, ==, "Loss");
    const NsSeries *past = series_named(plot, ns_text_literal_name("run_1 A"));
    g_assert_true(past->previous && past->tinted && past->n == 5);
    g_assert_cmpuint(plot->n_series, ==, 3);
    g_assert_cmpuint(plot->n_markers, ==, 2);
    g_assert_cmpstr(plot->markers[0].text, ==, "lr");
    g_assert_cmpuint(plot->markers[0].style, ==, 0);
    g_assert_cmpstr(plot->markers[1].text, ==, "B diverged");
    g_assert_cmpuint(plot->markers[1].style, ==, 2);
    g_assert_true(plot->markers[1].alarm);
    g_assert_cmpstr(plot->note, ==, "B: It diverged.");

    NsStep step = {.step = 10, .loss = 1, .lr = 5e-3, .grad_norm = 1};
    append(pair.run[0], 2);
    ns_history_append(pair.run[1]->history, &step, pair.run[1]->values);
    plot = ns_figure_update(figure, &pair.input);
    g_assert_cmpuint(series_named(plot->lower, "A learning rate")->n, ==, 10);
    g_assert_cmpuint(series_named(plot->lower, "B learning rate")->style, ==, 1);
    pair_clear(&pair);
}

/* Curves are hidden by their index, which does not depend on which lane is a step ahead. */
static void test_loss_order(void)
{
    Pair pair = pair_new(2, 2);
    g_autoptr(NsFigure) figure = figure_new("loss");
    for (int i = 0; i < 8; i++) {
        append(pair.run[i % 4 == 1 || i % 4 == 2], 1); /* A, B, B, A */
        const NsPlot *plot = ns_figure_update(figure, &pair.input);
        if (i >= 3) g_assert_true(series_named(plot, "B Pre-LN") == &plot->series[1]);
    }
    pair_clear(&pair);
}

static void test_steps(void)
{
    Pair pair = pair_new(3, 3);
    for (int i = 0; i < 10; i++) {
        append(pair.run[0], 1);
        append_with(pair.run[1], 1, 2, 4);
    }
    g_autoptr(NsFigure) figure = figure_new("steps");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    g_assert_cmpfloat_with_epsilon(series_named(plot, "A Post-LN")->y[0], 20, 1e-5);
    g_assert_cmpfloat_with_epsilon(series_named(plot, "B Pre-LN")->y[0], 2, 1e-6);
    const NsSeries *largest = series_named(plot, "B largest of any layer");
    g_assert_true(largest->muted);
    g_assert_cmpuint(largest->style, ==, 1);
    g_assert_cmpfloat(largest->y[0], ==, 4);
    g_assert_cmpstr(plot->keys[0].label, ==, "largest and smallest layer");
    pair.input.n_lanes = 0; /* the same figure with one lane */
    plot = ns_figure_update(figure, &pair.input);
    /* Its extremes are solid and faint, too, so that the mean stands out. */
    const NsSeries *least = series_named(plot, "smallest of any layer");
    g_assert_true(plot->n_keys == 1 && least->muted && !least->dash);
    pair_clear(&pair);
}

static void test_stacked(void)
{
    Pair pair = pair_new(3, 5);
    for (int i = 0; i < 8; i++) {
        append_with(pair.run[0], 1, 2, 8);
        append_with(pair.run[1], 1, 2, 2);
    }
    pair.input.marked_layer = 5;
    g_autoptr(NsFigure) figure = figure_new("heatmap");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    const NsHeatmap *map = plot->heatmap;
    g_assert_cmpuint(map->n_panels, ==, 2);
    g_assert_cmpuint(map->rows, ==, 8);
    g_assert_cmpstr(map->panels[0].name, ==, "A Post-LN");
    g_assert_cmpfloat((double)ns_heatmap_row(map, map->panels[0].row + 1)[3], ==, 8);
    g_assert_cmpfloat((double)ns_heatmap_row(map, map->panels[1].row + 1)[3], ==, 2);
    /* Only the lower panel has layer 5. */
    g_assert_cmpuint(plot->n_spans, ==, 1);
    g_assert_cmpfloat_with_epsilon(plot->spans[0].to, ns_panel(map, 1).hi, 1e-9);

    /* A is above B with the same height, and a tooltip shows both. */
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 500, 320, ns_style(0));
    NsBox area = ns_plot_area(layout);
    double upper = ns_plot_row_to_pixel(layout, 2), x = ns_plot_x_to_pixel(layout, 3);
    g_assert_cmpfloat_with_epsilon(upper, area.y + area.height / 4, 1);
    NsReading reading;
    g_assert_true(ns_plot_pick(layout, x, area.y + area.height * 0.85, &reading));
    g_assert_cmpuint(ns_panel_of_row(map, (size_t)reading.row), ==, 1);
    g_assert_cmpstr(reading.text, ==, "step 3\nlayer 2\nA Post-LN: 8.000\nB Pre-LN: 2.000");
    ns_reading_clear(&reading);
    g_assert_true(ns_plot_pick(layout, x, area.y + area.height * 0.55, &reading));
    g_assert_cmpfloat_with_epsilon(ns_panel_row_value(map, (size_t)reading.row), 5, 1e-9);
    g_assert_cmpstr(reading.text, ==, "step 3\nlayer 5\nB Pre-LN: 1.000");
    ns_reading_clear(&reading);
    g_autofree char *csv = g_string_free(ns_csv_write(&plot, 1, NULL), FALSE);
    g_assert_nonnull(strstr(csv, "A Post-LN\",3,2,8\n"));
    g_assert_nonnull(strstr(csv, "B Pre-LN\",3,2,2\n"));

    pair.input.heat = NS_HEAT_LANE;
    map = ns_figure_update(figure, &pair.input)->heatmap;
    g_assert_cmpuint(map->n_panels, ==, 0);
    g_assert_cmpuint(map->rows, ==, 3);
    pair.input.heat = NS_HEAT_RATIO;
    map = ns_figure_update(figure, &pair.input)->heatmap;
    g_assert_cmpint(map->colors, ==, NS_COLORS_DIVERGING);
    g_assert_cmpuint(map->rows, ==, 3);
    g_assert_cmpfloat((double)ns_heatmap_row(map, 1)[3], ==, -2); /* log2(2 / 8) */
    g_assert_cmpfloat((double)ns_heatmap_row(map, 0)[3], ==, 0);
    g_assert_cmpstr(map->label, ==, "log_2(B / A)");
    pair_clear(&pair);
}

/* Records in any order give the same cells as in a figure that receives all at once. */
static void test_growing(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    Pair pair = pair_new(3, 3);
    g_autoptr(NsFigure) figure = figure_new("heatmap");
    for (int turn = 0; turn < 400; turn++) {
        for (int i = 0; i < 2; i++)
            for (int k = g_rand_int_range(random, 0, 12); k > 0 && pair.run[i]->steps < 3000; k--)
                append_with(pair.run[i], 1, 2, (float)(pair.run[i]->steps + 1));
        ns_figure_update(figure, &pair.input);
    }
    const NsHeatmap *map = ns_figure_update(figure, &pair.input)->heatmap;
    g_autoptr(NsFigure) fresh = figure_new("heatmap");
    const NsHeatmap *other = ns_figure_update(fresh, &pair.input)->heatmap;
    g_assert_cmpuint(map->columns, ==, other->columns);
    for (size_t row = 0; row < map->rows; row++)
        for (size_t c = 0; c < map->columns; c++)
            g_assert_true(ns_heatmap_row(map, row)[c] == ns_heatmap_row(other, row)[c]);
    /* The same is true of their ratio. */
    pair.input.heat = NS_HEAT_RATIO;
    map = ns_figure_update(figure, &pair.input)->heatmap;
    other = ns_figure_update(fresh, &pair.input)->heatmap;
    for (size_t c = 0; c < map->columns; c++)
        g_assert_true(ns_heatmap_row(map, 1)[c] == ns_heatmap_row(other, 1)[c]);
    pair_clear(&pair);
}

static void test_fork(void)
{
    g_autoptr(Run) a = run_new(3, BUDGET);
    g_autoptr(Run) b = run_made(3, BUDGET, false, 0, 400);
    Run *runs[] = {a, b};
    fill(a, 500, false);
    for (int i = 0; i < 50; i++) append_with(b, 1, 2, 2);
    NsFigureInput input = lanes_of(runs, 2);
    g_autoptr(NsFigure) heat = figure_new("heatmap");
    const NsHeatmap *map = ns_figure_update(heat, &input)->heatmap;
    g_assert_cmpfloat(map->x0, ==, -0.5);
    size_t row = map->panels[1].row + 1;
    g_assert_true(ns_cell_is_blank(ns_heatmap_row(map, row)[399]));
    g_assert_cmpfloat((double)ns_heatmap_row(map, row)[400], ==, 2);
    input.heat = NS_HEAT_RATIO;
    map = ns_figure_update(heat, &input)->heatmap;
    g_assert_cmpfloat(map->x0, ==, 399.5);
    g_assert_cmpfloat(map->x1, ==, 449.5);

    /* Before it began a lane is not shown, and after its end it shows its last step. */
    g_autoptr(NsFigure) profile = figure_new("gradient-norm");
    input.step = 100;
    const NsPlot *plot = ns_figure_update(profile, &input);
    g_assert_cmpuint(series_named(plot, "A")->n, ==, 3);
    g_assert_null(plot->lower);
    g_assert_nonnull(strstr(plot->note, "B begins at step 400."));
    /* While lanes report one after the other, the last common step is shown. */
    input.step = -1;
    plot = ns_figure_update(profile, &input);
    g_assert_cmpuint(series_named(plot, "A")->n, ==, 3);
    g_assert_nonnull(strstr(plot->subtitle, "step 449"));
    input.step = 480;
    plot = ns_figure_update(profile, &input);
    g_assert_cmpuint(series_named(plot, "B, step 449")->n, ==, 3);
    g_assert_nonnull(strstr(plot->subtitle, "step 480"));
}

static void test_hidden_together(void)
{
    Pair pair = pair_new(6, 6);
    append(pair.run[0], 1);
    append(pair.run[1], 1);
    pair.input.theory = true;
    g_autoptr(NsFigure) figure = figure_new("gradient-norm");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    /* Each theory has the color of its lane and a name of its own. */
    for (size_t i = 0, lane = 0; i < plot->n_series; i++) {
        const NsSeries *series = &plot->series[i];
        if (!series->theory) continue;
        g_assert_true(series->tinted && series->style == lane);
        g_assert_true(g_str_has_prefix(series->group, lane ? "B theory: equal" : "A theory: ×"));
        lane++;
    }
    g_assert_true(g_str_has_prefix(plot->note, "Dotted: theory at initialization"));
    g_assert_nonnull(strstr(plot->note, " A: The theory bounds the gradient from above"));
    g_assert_null(strstr(plot->note, "Training moves"));
    g_assert_nonnull(strstr(plot->note, "Growth per layer at step 0, with 95% intervals: A × "));
    NsViewState view_state;
    ns_view_state_init(&view_state);
    ns_view_state_hide(&view_state, "B theory: equal in all layers", true);
    NsPlot shown;
    g_autoptr(GArray) series = g_array_new(FALSE, FALSE, sizeof(NsSeries));
    ns_view_state_apply(&view_state, plot, &shown, series);
    for (size_t i = 0; i < shown.n_series; i++)
        g_assert_cmpint(shown.series[i].hidden, ==,
                        shown.series[i].theory && shown.series[i].style == 1);
    ns_view_state_clear(&view_state);
    pair_clear(&pair);
}

/* ---- Order ---- */

static gint by_text(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Curves with their bands. */
static void add_curves(GPtrArray *lines, const NsPlot *plot)
{
    for (size_t i = 0; i < plot->n_series; i++) {
        const NsSeries *series = &plot->series[i];
        GString *line = g_string_new(NULL);
        g_string_printf(line, "%s of %s, kind %d, muted %d, theory %d:", series->label,
                        series->group, (int)series->kind, series->muted, series->theory);
        for (size_t k = 0; k < series->n; k++) {
            g_string_append_printf(line, " %.9g %.9g", series->x[k], series->y[k]);
            if (series->lo)
                g_string_append_printf(line, " (%.9g to %.9g)", series->lo[k], series->hi[k]);
        }
        g_ptr_array_add(lines, g_string_free(line, FALSE));
    }
}

/* Everything drawn except colors, which depend on the index: curves, marks and panels, sorted by
 * their text. */
static char *drawn(const NsPlot *plot)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    add_curves(lines, plot);
    for (size_t i = 0; i < plot->n_markers; i++)
        g_ptr_array_add(lines, g_strdup_printf("mark %s, %s, alarm %d: %.9g", plot->markers[i].text,
                                               plot->markers[i].sentence, plot->markers[i].alarm,
                                               plot->markers[i].x));
    const NsHeatmap *map = plot->heatmap;
    for (size_t p = 0; map && p < map->n_panels; p++) {
        GString *line = g_string_new(map->panels[p].name);
        for (size_t r = 0; r < map->panels[p].rows; r++)
            for (size_t c = 0; c < map->columns; c++)
                g_string_append_printf(line, " %.9g",
                                       (double)ns_heatmap_row(map, map->panels[p].row + r)[c]);
        g_ptr_array_add(lines, g_string_free(line, FALSE));
    }
    g_ptr_array_sort(lines, by_text);
    g_ptr_array_add(lines, NULL);
    return g_strjoinv("\n", (char **)lines->pdata);
}

/* The k-th permutation of the lanes of an input, by swapping one lane after the other. */
static NsFigureInput permuted(NsFigureInput input, unsigned k)
{
    for (unsigned i = 0; i + 1 < input.n_lanes; i++) {
        unsigned left = input.n_lanes - i, other = i + k % left;
        NsFigureRun run = input.lanes[i];
        input.lanes[i] = input.lanes[other];
        input.lanes[other] = run;
        k /= left;
    }
    return input;
}

/* The panel below the curves, sorted by text. */
static char *ratios(const NsPlot *plot)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
    if (plot->lower) add_curves(lines, plot->lower);
    g_ptr_array_sort(lines, by_text);
    g_ptr_array_add(lines, NULL);
    return g_strjoinv("\n", (char **)lines->pdata);
}

/* Checks that every curve of the panel is the value of a lane divided by that of the first lane. */
static void assert_ratios(const NsPlot *plot, const NsFigureInput *input)
{
    if (g_str_equal(plot->lower->left.label, "learning rate")) return; /* the strip of the loss */
    for (size_t i = 0; i < plot->lower->n_series; i++) {
        const NsSeries *series = &plot->lower->series[i];
        const NsSeries *over = NULL, *under = NULL;
        for (size_t k = 0; k < plot->n_series; k++) {
            const NsSeries *curve = &plot->series[k];
            if (curve->muted || curve->theory || curve->n != series->n) continue;
            if (curve->label[0] == series->label[0]) over = curve;
            if (curve->label[0] == input->lanes[0].name[0]) under = curve;
        }
        g_assert_true(over && under);
        for (size_t k = 0; k < series->n; k++)
            g_assert_cmpfloat_with_epsilon(series->y[k], over->y[k] / under->y[k], 1e-9);
    }
}

/* The ratio of the first lane and another one does not depend on the other lanes. */
static void assert_ratio_map(const NsFigureInput *input)
{
    for (unsigned active = 0; active < input->n_lanes; active++) {
        NsFigureInput shown = *input, pair = *input;
        unsigned upper = MAX(active, 1);
        shown.history = input->lanes[active].history;
        pair.history = input->lanes[0].history;
        pair.lanes[1] = input->lanes[upper];
        pair.n_lanes = 2;
        g_autoptr(NsFigure) figure = figure_new("ratio");
        g_autoptr(NsFigure) alone = figure_new("ratio");
        const NsPlot *plot = ns_figure_update(figure, &shown);
        const NsPlot *two = ns_figure_update(alone, &pair);
        g_assert_cmpstr(plot->subtitle, ==, two->subtitle);
        g_assert_cmpstr(plot->heatmap->label, ==, two->heatmap->label);
        g_assert_cmpuint(plot->n_markers, ==, two->n_markers);
        for (size_t i = 0; i < plot->n_markers; i++)
            g_assert_true(plot->markers[i].style == 1 || plot->markers[i].style == upper + 1);
        size_t cells = two->heatmap->rows * two->heatmap->columns;
        g_assert_cmpuint(plot->heatmap->rows * plot->heatmap->columns, ==, cells);
        for (size_t i = 0; i < cells; i++) g_assert_true(plot->heatmap->z[i] == two->heatmap->z[i]);
    }
}

/* Lanes in another order have the same curves, bands and marks, and the same ratios to the first
 * lane.  Checks all orders with `-m slow`. */
static void test_order(void)
{
    static const char *const special[] = {"placement=post", "placement=post", "placement=pre",
                                          "placement=deepnorm"};
    Run *runs[4];
    for (unsigned i = 0; i < 4; i++) {
        runs[i] = run_made(4, BUDGET, true, 1, 0);
        set(runs[i], special[i]);
        set(runs[i], i == 1 ? "warmup=100" : "warmup=1");
        for (int k = 0; k < 12; k++) append_lane(runs[i], i);
        NsEvent event = {
            .step = 3 + (int64_t)i, .kind = NS_EVENT_SETTING, .text = "It was changed."};
        g_strlcpy(event.what, i == 2 ? "clip" : "lr", sizeof event.what);
        ns_history_append_event(runs[i]->history, &event);
    }
    for (unsigned n = 3, orders = 6; n <= 4; n++, orders *= n) {
        const NsFigureInput input = lanes_of(runs, n);
        for (size_t f = 0; ns_figure_kind(f); f++) {
            const char *key = ns_figure_kind(f)->choice.key;
            bool ratio = g_str_equal(key, "ratio");
            g_autoptr(NsFigure) figure = figure_new(key);
            g_autofree char *first = drawn(ns_figure_update(figure, &input));
            for (unsigned k = 1; k < orders; k += g_test_slow() ? 1 : 5) {
                NsFigureInput other = permuted(input, k);
                g_test_message("%s, %u lanes, order %u", key, n, k);
                if (ratio) {
                    assert_ratio_map(&other);
                    continue;
                }
                g_autoptr(NsFigure) fresh = figure_new(key);
                const NsPlot *plot = ns_figure_update(fresh, &other);
                g_autofree char *again = drawn(plot), *below = ratios(plot);
                g_assert_cmpstr(again, ==, first);
                if (plot->lower) assert_ratios(plot, &other);
                /* The same is true of a figure that has already shown the first order. */
                plot = ns_figure_update(figure, &other);
                g_autofree char *followed = drawn(plot), *followed_below = ratios(plot);
                g_assert_cmpstr(followed, ==, first);
                g_assert_cmpstr(followed_below, ==, below);
            }
        }
    }
    for (unsigned i = 0; i < 4; i++) run_free(runs[i]);
}

/* The strip of the learning rate is there if a lane has a warm-up, and no axis is on the right. */
static void test_rates(void)
{
    Pair pair = pair_new(2, 2);
    g_autoptr(NsFigure) figure = figure_new("loss");
    for (unsigned i = 0; i < 2; i++) {
        set(pair.run[i], "warmup=1");
        for (int k = 0; k < 3; k++) append_lane(pair.run[i], i);
    }
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    g_assert_null(plot->lower);
    g_assert_cmpstr(plot->title, ==, "Loss");
    for (size_t i = 0; i < plot->n_series; i++) set(pair.run[1], "warmup=2");
    append_lane(pair.run[1], 1);
    plot = ns_figure_update(figure, &pair.input);
    g_assert_cmpuint(plot->lower->n_series, ==, 2);
    g_assert_cmpfloat(plot->lower->left.lo, ==, 0);
    pair_clear(&pair);
}

/* Earlier lanes have the colors of their lanes, with other dashes. */
static void test_earlier(void)
{
    Pair pair = pair_new(2, 2), before = pair_new(2, 2);
    for (unsigned i = 0; i < 2; i++) {
        append(pair.run[i], 1);
        append(before.run[i], 1);
        for (unsigned k = 0; k < 2; k++)
            pair.input.pinned[2 * k + i] = (NsFigureRun){
                before.run[i]->history, &before.run[i]->settings, .lane = i,
                .name = (const char *[]){"run 1 A", "run 1 B", "run 2 A", "run 2 B"}[2 * k + i]};
    }
    pair.input.n_pinned = 4;
    static const char *const figures[] = {"loss", "steps"};
    for (size_t f = 0; f < G_N_ELEMENTS(figures); f++) {
        g_autoptr(NsFigure) figure = figure_new(figures[f]);
        const NsPlot *plot = ns_figure_update(figure, &pair.input);
        const NsSeries *a = series_named(plot, "run 1 A"), *b = series_named(plot, "run 1 B");
        const NsSeries *again = series_named(plot, "run 2 B");
        g_assert_true(a->style == 0 && a->dash && a->tinted);
        g_assert_true(b->style == 1 && b->dash && b->tinted);
        g_assert_true(again->style == 1 && again->dash && again->dash != b->dash);
    }
    pair_clear(&pair);
    pair_clear(&before);
}

/* A lane that diverged with huge values does not extend the axes; a lane that continues does. */
static void test_wild_quantities(void)
{
    static const char *const figures[] = {"gradient-norm", "compare", "profile", "steps"};
    Run *runs[3];
    for (unsigned i = 0; i < 3; i++) {
        runs[i] = run_made(4, BUDGET, true, 1, 0);
        set(runs[i], i == 1 ? "placement=none" : "placement=pre");
        append_with(runs[i], 1, 2, i == 1 ? 1e20f : 4);
    }
    NsFigureInput input = lanes_of(runs, 3);
    for (int diverged = 0; diverged < 2; diverged++) {
        const NsEvent event = {.kind = NS_EVENT_DIVERGED};
        if (diverged) ns_history_append_event(runs[1]->history, &event);
        for (unsigned i = 0; diverged && i < 3; i += 2) append_with(runs[i], 1, 2, 4);
        for (size_t f = 0; f < 2 * G_N_ELEMENTS(figures); f++) {
            input.log = input.log_loss = f % 2;
            g_autoptr(NsFigure) figure = figure_new(figures[f / 2]);
            const NsPlot *plot = ns_figure_update(figure, &input);
            g_test_message("%s, log %d, diverged %d", figures[f / 2], input.log, diverged);
            bool noted = plot->note && strstr(plot->note, "B is off the scale: up to ");
            g_assert_cmpint(noted, ==, diverged);
            if (diverged) {
                if (f < 2)
                    g_assert_cmpstr(series_named(plot, "B No norm, step 0")->state, ==,
                                    "off the scale, 1.0×10^{20} ↑");
                g_assert_true(plot->left.hi >= 4 && plot->left.hi < 100);
                if (plot->lower) g_assert_cmpfloat(plot->lower->left.hi, <, 100);
                continue;
            }
            g_assert_true(isnan(plot->left.hi));
            if (plot->lower) g_assert_true(isnan(plot->lower->left.hi));
        }
    }
    for (unsigned i = 0; i < 3; i++) run_free(runs[i]);
}

/* A reason why theory is missing or differs is given once for all lanes to which it applies. */
static void test_theory(void)
{
    static const char *const special[] = {"placement=pre lr=0.1", "placement=pre", "norm=rmsnorm",
                                          "placement=deepnorm"};
    Run *runs[4];
    for (unsigned i = 0; i < 4; i++) {
        runs[i] = run_made(6, BUDGET, true, 1, 0);
        set(runs[i], i < 3 ? "placement=pre" : "placement=post");
        g_auto(GStrv) words = g_strsplit(special[i], " ", -1);
        for (char **word = words; *word; word++) set(runs[i], *word);
        for (int k = 0; k < 2; k++) append_lane(runs[i], i);
    }
    NsFigureInput input = lanes_of(runs, 4);
    input.theory = true;
    g_autoptr(NsFigure) figure = figure_new("gradient-norm");
    const char *note = ns_figure_update(figure, &input)->note;
    g_assert_nonnull(strstr(note, "A, B: Dotted: theory at initialization"));
    g_assert_null(strstr(strstr(note, "Dotted:") + 1, "Dotted:"));
    g_assert_nonnull(strstr(note, "C: No theory: the paper covers LayerNorm only."));
    g_assert_nonnull(strstr(note, "D: No theory: the paper covers Post-LN and Pre-LN only."));
    g_assert_nonnull(strstr(note, "The theory holds at step 0 only."));
    for (unsigned i = 0; i < 4; i++) run_free(runs[i]);
}

/* In TeX's fonts, names beside panels are as long as in the layout, where they do not overlap. */
static void test_tex_panels(void)
{
    Pair pair = pair_new(6, 6);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 2; i++) append(pair.run[i], 1);
    g_autoptr(NsFigure) figure = figure_new("heatmap");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    const NsExport how = {.format = NS_FORMAT_TEX,
                          .style = ns_style_find("paper"),
                          .width = 234,
                          .height = 164,
                          .dpi = 300};
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(&plot, 1, &how);
    g_autofree char *tex = g_string_free(ns_pgfplots_write(&sheet), FALSE);
    g_auto(GStrv) lines = g_strsplit(tex, "\n", -1);
    size_t limited = 0;
    for (size_t i = 0; lines[i]; i++)
        limited += g_str_has_prefix(lines[i], "\\node[anchor=center, inner sep=0bp, rotate=90, ") &&
                   strstr(lines[i], "\\chartfit{");
    g_assert_cmpuint(limited, ==, 2);
    pair_clear(&pair);
}

/* A lane whose loss is a decade above the others shares a logarithmic axis with them, as the label
 * says; on a linear one it is off the scale, and its label says so. */
static void test_wild(void)
{
    Pair pair = pair_new(2, 2);
    for (int k = 0; k < 10; k++) {
        append(pair.run[0], 4 - 0.1 * k);
        append(pair.run[1], 4 + 40 * k);
    }
    for (int log = 0; log < 2; log++) {
        pair.input.log_loss = log;
        g_autoptr(NsFigure) figure = figure_new("loss");
        const NsPlot *plot = ns_figure_update(figure, &pair.input);
        g_assert_cmpstr(plot->left.label, ==, log ? "loss, logarithmic axis" : "loss");
        g_assert_cmpfloat_with_epsilon(log ? 4.2 : plot->left.hi, 4.2, 1e-9);
        g_assert_cmpint(isnan(plot->left.hi), ==, log);
        g_assert_cmpstr(plot->series[1].label, ==, "B Pre-LN");
        g_assert_cmpstr(plot->series[1].state, ==, log ? NULL : "off the scale, 364 ↑");
        NsFigureInput input = input_of(pair.run[1]); /* alone it determines the axis */
        g_assert_true(isnan(ns_figure_update(figure, &input)->left.hi) && plot->left.wide);
    }
    pair_clear(&pair);
}

/* So it is with a lane that diverged at a few times the other losses; one that continues counts. */
static void test_wild_start(void)
{
    for (int diverged = 0; diverged < 2; diverged++) {
        Pair pair = pair_new(2, 2);
        for (int k = 0; k < 10; k++) append(pair.run[0], 4 - 0.1 * k);
        append(pair.run[1], 20);
        const NsEvent event = {.step = 1, .kind = NS_EVENT_DIVERGED, .what = "loss", .text = "It."};
        if (diverged) ns_history_append_event(pair.run[1]->history, &event);
        g_autoptr(NsFigure) figure = figure_new("loss");
        const NsPlot *plot = ns_figure_update(figure, &pair.input);
        g_assert_cmpint(plot->left.scale, ==, NS_SCALE_LINEAR); /* less than a decade */
        g_assert_cmpint(isnan(plot->left.hi), ==, !diverged);
        g_assert_cmpstr(plot->series[1].state, ==, diverged ? "off the scale, 20 ↑" : NULL);
        pair_clear(&pair);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lanes/any", test_any_lanes);
    g_test_add_func("/lanes/absent", test_absent);
    g_test_add_func("/lanes/profile", test_profile);
    g_test_add_func("/lanes/loss", test_loss);
    g_test_add_func("/lanes/loss-order", test_loss_order);
    g_test_add_func("/lanes/similarity", test_similarity);
    g_test_add_func("/lanes/steps", test_steps);
    g_test_add_func("/lanes/stacked", test_stacked);
    g_test_add_func("/lanes/growing", test_growing);
    g_test_add_func("/lanes/fork", test_fork);
    g_test_add_func("/lanes/hidden-together", test_hidden_together);
    g_test_add_func("/lanes/order", test_order);
    g_test_add_func("/lanes/rates", test_rates);
    g_test_add_func("/lanes/earlier", test_earlier);
    g_test_add_func("/lanes/wild-quantities", test_wild_quantities);
    g_test_add_func("/lanes/theory", test_theory);
    g_test_add_func("/lanes/tex-panels", test_tex_panels);
    g_test_add_func("/lanes/wild", test_wild);
    g_test_add_func("/lanes/wild-start", test_wild_start);
    return g_test_run();
}
