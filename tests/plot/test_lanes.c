/* Figures of several runs side by side.  SPDX-License-Identifier: MIT */
#include "core/experiment/assignment.h"
#include "run.h"
#include "ui/plot/csv.h"
#include "ui/plot/layout-private.h"
#include "ui/plot/panels.h"
#include "ui/plot/view_state.h"

#include <cairo.h>
#include <math.h>
#include <string.h>

static void set(Run *run, const char *assignment)
{
    g_autoptr(GError) error = NULL;
    ns_settings_assign(&run->settings, assignment, &error);
    g_assert_no_error(error);
}

/* The runs as lanes A, B, ... of which the first is the active one. */
static NsFigureInput lanes_of(Run *const *runs, unsigned n)
{
    static const char *const names[] = {"A", "B", "C", "D"};
    NsFigureInput input = input_of(runs[0]);
    input.n_lanes = n;
    for (unsigned i = 0; i < n; i++)
        input.lanes[i] = (NsFigureRun){runs[i]->history, &runs[i]->settings, names[i]};
    return input;
}

static void draw(const NsPlot *plot)
{
    static const double pages[][2] = {{200, 120}, {500, 320}};
    for (size_t p = 0; p < G_N_ELEMENTS(pages); p++) {
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(plot, pages[p][0], pages[p][1], ns_style(p % 2));
        cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 500, 320);
        cairo_t *cr = cairo_create(image);
        ns_plot_draw(layout, cr);
        g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
        for (double x = 5; x < pages[p][0]; x += 60)
            for (double y = 5; y < pages[p][1]; y += 40) {
                NsReading reading;
                if (ns_plot_pick(layout, x, y, &reading)) {
                    g_assert_true(g_utf8_validate(reading.text, -1, NULL));
                    g_assert_true(isfinite(reading.px) && isfinite(reading.py));
                    ns_reading_clear(&reading);
                }
            }
        cairo_destroy(cr);
        cairo_surface_destroy(image);
    }
}

/* Every figure, in every mode of the heatmaps. */
static void draw_all(const NsFigureInput *base)
{
    for (size_t i = 0; ns_figure_kind(i); i++)
        for (int mode = NS_HEAT_STACKED; mode <= NS_HEAT_RATIO; mode++) {
            const NsFigureKind *kind = ns_figure_kind(i);
            NsFigureInput input = *base;
            if (kind->initial) input.quantity = kind->initial;
            input.heat = (NsHeatMode)mode;
            input.theory = true;
            input.marked_layer = 2;
            input.smoothing = (NsSmoothing){NS_SMOOTH_EMA, 0.9};
            g_test_message("%s, mode %d", kind->choice.key, mode);
            g_autoptr(NsFigure) figure = ns_figure_new(kind->choice.key);
            const NsPlot *plot = ns_figure_update(figure, &input);
            draw(plot);
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
    const GArray *ticks = layout->y_ticks[NS_AXIS_LEFT];
    g_assert_cmpuint(ns_ticks_labeled(ticks), >, 0);
    for (unsigned i = 0; i < ticks->len; i++)
        g_assert_true(isfinite(g_array_index(ticks, NsTick, i).value));
}

/* A quantity that only one of them has. */
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
            g_autoptr(NsFigure) figure = ns_figure_new("heatmap");
            const NsPlot *plot = ns_figure_update(figure, &input);
            draw(plot);
            if (mode == NS_HEAT_STACKED) assert_finite_ticks(plot);
            if (mode != NS_HEAT_RATIO) continue;
            g_assert_null(plot->heatmap);
            g_assert_true(g_str_has_prefix(plot->empty, swap ? "A has no " : "B has no "));
        }
        g_autoptr(NsFigure) profile = ns_figure_new("profile");
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(ns_figure_update(profile, &input), 400, 300, ns_style(0));
        g_assert_true(ns_plot_has_legend(layout));
    }
    for (int i = 0; i < 2; i++) run_free(runs[i]);
}

typedef struct {
    Run *run[2];
    NsFigureInput input;
} Pair;

static Pair pair_new(size_t layers_a, size_t layers_b)
{
    Pair pair = {.run = {run_new(layers_a, BUDGET), run_new(layers_b, BUDGET)}};
    set(pair.run[0], "placement=post");
    set(pair.run[1], "placement=pre");
    pair.input = lanes_of(pair.run, 2);
    return pair;
}

static void pair_clear(Pair *pair)
{
    run_free(pair->run[0]);
    run_free(pair->run[1]);
}

static void test_profile(void)
{
    Pair pair = pair_new(4, 5);
    for (int i = 0; i < 3; i++) {
        append(pair.run[0], 1);
        append_with(pair.run[1], 1, 2, 4);
    }
    pair.input.marked_layer = 3;
    g_autoptr(NsFigure) figure = ns_figure_new("gradient-norm");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    const NsSeries *a = series_named(plot, "A Post-LN"), *b = series_named(plot, "B Pre-LN");
    g_assert_cmpuint(a->style, ==, 0);
    g_assert_cmpuint(b->style, ==, 1);
    g_assert_cmpuint(b->n, ==, 5);
    g_assert_true(series_named(plot, "A step 0")->muted);
    g_assert_true(g_str_has_prefix(plot->subtitle, "A Post-LN; B Pre-LN; 6 layers"));
    g_assert_cmpuint(plot->lower->n_series, ==, 1);
    const NsSeries *ratio = &plot->lower->series[0];
    g_assert_cmpstr(ratio->label, ==, "B / A");
    g_assert_cmpuint(ratio->n, ==, 4);
    g_assert_cmpfloat_with_epsilon(ratio->y[1], 4 / 20.2, 1e-6);
    g_assert_cmpuint(plot->n_spans, ==, 1);
    g_assert_cmpfloat(plot->spans[0].from, ==, 2.5);
    /* The same figure of one of them alone. */
    pair.input.n_lanes = 0;
    plot = ns_figure_update(figure, &pair.input);
    g_assert_null(plot->lower);
    g_assert_cmpstr(plot->series[plot->n_series - 1].label, ==, "step 2");
    pair_clear(&pair);
}

static void publish(Run *run, float least)
{
    g_autofree NsSimilarity *s = g_new0(NsSimilarity, 1);
    *s = (NsSimilarity){.step = 0, .n = 2, .state = {0, 1}};
    const float values[] = {1, least, least, 1};
    memcpy(s->value[NS_SIMILARITY_CKA], values, sizeof values);
    memset(s->has[NS_SIMILARITY_CKA], true, G_N_ELEMENTS(values));
    ns_history_publish_similarity(run->history, s);
}

/* A color is one value in every lane, though each has a chart of its own. */
static void test_similarity(void)
{
    Pair pair = pair_new(2, 2);
    for (int i = 0; i < 2; i++) append(pair.run[i], 1);
    publish(pair.run[0], 0.125F);
    publish(pair.run[1], 0.5F);
    g_autoptr(NsFigure) figure = ns_figure_new("similarity");
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
    pair.input.pinned[0] = (NsFigureRun){earlier->history, &earlier->settings, "run 1 A"};
    pair.input.n_pinned = 1;
    g_autoptr(NsFigure) figure = ns_figure_new("loss");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    g_assert_cmpuint(series_named(plot, "A Post-LN, warm-up 1")->style, ==, 0);
    g_assert_cmpuint(series_named(plot, "B Pre-LN, warm-up 100")->style, ==, 1);
    /* One curve for a rate that is the same. */
    g_assert_cmpuint(series_named(plot, "learning rate")->n, ==, 9);
    const NsSeries *past = series_named(plot, "run 1 A");
    g_assert_true(past->previous && past->tinted);
    g_assert_cmpuint(past->n, ==, 5);
    g_assert_cmpuint(plot->n_series, ==, 4);
    g_assert_cmpuint(plot->n_markers, ==, 2);
    g_assert_cmpstr(plot->markers[0].text, ==, "lr");
    g_assert_cmpuint(plot->markers[0].style, ==, 0);
    g_assert_cmpstr(plot->markers[1].text, ==, "B diverged");
    g_assert_cmpuint(plot->markers[1].style, ==, 2);
    g_assert_true(plot->markers[1].alarm);
    g_assert_cmpstr(plot->note, ==, "B: It diverged.");

    /* Two where they part. */
    NsStep step = {.step = 10, .loss = 1, .lr = 5e-3, .grad_norm = 1};
    append(pair.run[0], 2);
    ns_history_append(pair.run[1]->history, &step, pair.run[1]->values);
    plot = ns_figure_update(figure, &pair.input);
    g_assert_cmpuint(series_named(plot, "A learning rate")->n, ==, 10);
    g_assert_cmpuint(series_named(plot, "B learning rate")->n, ==, 10);
    pair_clear(&pair);
}

static void test_steps(void)
{
    Pair pair = pair_new(3, 3);
    for (int i = 0; i < 10; i++) {
        append(pair.run[0], 1);
        append_with(pair.run[1], 1, 2, 4);
    }
    g_autoptr(NsFigure) figure = ns_figure_new("steps");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    g_assert_cmpfloat_with_epsilon(series_named(plot, "A Post-LN")->y[0], 20, 1e-5);
    g_assert_cmpfloat_with_epsilon(series_named(plot, "B Pre-LN")->y[0], 2, 1e-6);
    const NsSeries *largest = series_named(plot, "B largest of any layer");
    g_assert_true(largest->muted);
    g_assert_cmpuint(largest->style, ==, 1);
    g_assert_cmpfloat(largest->y[0], ==, 4);
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
    g_autoptr(NsFigure) figure = ns_figure_new("heatmap");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    const NsHeatmap *map = plot->heatmap;
    g_assert_cmpuint(map->n_panels, ==, 2);
    g_assert_cmpuint(map->rows, ==, 8);
    g_assert_cmpstr(map->panels[0].name, ==, "A Post-LN");
    g_assert_cmpfloat((double)ns_heatmap_row(map, map->panels[0].row + 1)[3], ==, 8);
    g_assert_cmpfloat((double)ns_heatmap_row(map, map->panels[1].row + 1)[3], ==, 2);
    /* Layer 5 is in the lower panel only. */
    g_assert_cmpuint(plot->n_spans, ==, 1);
    g_assert_cmpfloat_with_epsilon(plot->spans[0].to, 1, 1e-9);

    /* A is above B, both are as high, and a tip tells both. */
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

/* Whatever order records come in, the cells are those of a figure that sees them all at once, and
 * what was called settled stays. */
static void test_growing(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    Pair pair = pair_new(3, 3);
    g_autoptr(NsFigure) figure = ns_figure_new("heatmap");
    g_autoptr(GArray) settled = g_array_new(FALSE, FALSE, sizeof(float));
    uint64_t stem = 0;
    for (int turn = 0; turn < 400; turn++) {
        for (int i = 0; i < 2; i++)
            for (int k = g_rand_int_range(random, 0, 12); k > 0 && pair.run[i]->steps < 3000; k--)
                append_with(pair.run[i], 1, 2, (float)(pair.run[i]->steps + 1));
        const NsHeatmap *map = ns_figure_update(figure, &pair.input)->heatmap;
        if (!map) continue;
        if (map->stem == stem)
            for (guint c = 0; c < settled->len; c++)
                g_assert_true(ns_heatmap_row(map, 4)[c] == g_array_index(settled, float, c));
        stem = map->stem;
        g_array_set_size(settled, 0);
        g_array_append_vals(settled, ns_heatmap_row(map, 4), (guint)map->settled);
    }
    const NsHeatmap *map = ns_figure_update(figure, &pair.input)->heatmap;
    g_autoptr(NsFigure) fresh = ns_figure_new("heatmap");
    const NsHeatmap *other = ns_figure_update(fresh, &pair.input)->heatmap;
    g_assert_cmpuint(map->columns, ==, other->columns);
    for (size_t row = 0; row < map->rows; row++)
        for (size_t c = 0; c < map->columns; c++)
            g_assert_true(ns_heatmap_row(map, row)[c] == ns_heatmap_row(other, row)[c]);
    /* And so is their ratio. */
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
    g_autoptr(NsFigure) heat = ns_figure_new("heatmap");
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
    g_autoptr(NsFigure) profile = ns_figure_new("gradient-norm");
    input.step = 100;
    const NsPlot *plot = ns_figure_update(profile, &input);
    g_assert_cmpuint(series_named(plot, "A")->n, ==, 3);
    g_assert_null(plot->lower);
    g_assert_nonnull(strstr(plot->note, "B begins at step 400."));
    /* While lanes report one after the other, the step that both have is shown. */
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
    g_autoptr(NsFigure) figure = ns_figure_new("gradient-norm");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    size_t theories = 0;
    for (size_t i = 0; i < plot->n_series; i++)
        theories += g_strcmp0(plot->series[i].group, "theory") == 0;
    g_assert_cmpuint(theories, ==, 2);
    NsViewState view_state;
    ns_view_state_init(&view_state);
    ns_view_state_hide(&view_state, "theory", true);
    NsPlot shown;
    g_autoptr(GArray) series = g_array_new(FALSE, FALSE, sizeof(NsSeries));
    ns_view_state_apply(&view_state, plot, &shown, series);
    for (size_t i = 0; i < shown.n_series; i++)
        g_assert_cmpint(shown.series[i].hidden, ==, shown.series[i].theory);
    ns_view_state_clear(&view_state);
    pair_clear(&pair);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lanes/any", test_any_lanes);
    g_test_add_func("/lanes/absent", test_absent);
    g_test_add_func("/lanes/profile", test_profile);
    g_test_add_func("/lanes/loss", test_loss);
    g_test_add_func("/lanes/similarity", test_similarity);
    g_test_add_func("/lanes/steps", test_steps);
    g_test_add_func("/lanes/stacked", test_stacked);
    g_test_add_func("/lanes/growing", test_growing);
    g_test_add_func("/lanes/fork", test_fork);
    g_test_add_func("/lanes/hidden-together", test_hidden_together);
    return g_test_run();
}
