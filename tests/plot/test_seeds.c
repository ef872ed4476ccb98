/* Figures of lanes with several seeds.  SPDX-License-Identifier: MIT */
#include "run.h"
#include "ui/plot/csv.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/view_state.h"

#include <string.h>

#define SEEDS 3
#define STEPS 4

/* Two lanes of three seeds; the loss of seed k of lane i at step s is 10 i + k + s. */
typedef struct {
    Run *runs[2][SEEDS];
    NsFigureInput input;
} Lanes;

static void add_step(Lanes *lanes, unsigned lane, unsigned seed)
{
    Run *run = lanes->runs[lane][seed];
    append(run, 10.0 * lane + seed + (double)run->steps);
}

static Lanes lanes_made(void)
{
    static const char *const names[] = {"A", "B"};
    Lanes lanes = {.input = input_of(NULL)};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < SEEDS; k++) {
            lanes.runs[i][k] = run_new(3, BUDGET);
            if (k) ns_history_add_seed(lanes.runs[i][0]->history, lanes.runs[i][k]->history);
            for (size_t s = 0; s < STEPS; s++) add_step(&lanes, i, k);
        }
        Run *first = lanes.runs[i][0];
        lanes.input.lanes[i] = (NsFigureRun){first->history, &first->settings, names[i], .lane = i};
    }
    lanes.input.n_lanes = 2;
    lanes.input.history = lanes.runs[0][0]->history;
    lanes.input.settings = &lanes.runs[0][0]->settings;
    return lanes;
}

static void lanes_free(Lanes *lanes)
{
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < SEEDS; k++) run_free(lanes->runs[i][k]);
}

static void diverge(Run *run)
{
    NsEvent event = {.step = run->steps - 1, .kind = NS_EVENT_DIVERGED};
    g_strlcpy(event.text, "The loss is not finite at step 3.", sizeof event.text);
    ns_history_append_event(run->history, &event);
}

static const NsSeries *lane_series(const NsPlot *plot, const char *letter)
{
    for (size_t i = 0; i < plot->n_series; i++)
        if (g_str_has_prefix(plot->series[i].label, letter) && !plot->series[i].previous &&
            !plot->series[i].muted)
            return &plot->series[i];
    g_assert_not_reached();
}

static void test_mean(void)
{
    Lanes lanes = lanes_made();
    g_autoptr(NsFigure) figure = figure_new("loss");
    const NsPlot *plot = ns_figure_update(figure, &lanes.input);
    const NsSeries *a = lane_series(plot, "A"), *b = lane_series(plot, "B");
    g_assert_cmpuint(a->n, ==, STEPS);
    for (size_t s = 0; s < STEPS; s++) {
        g_assert_cmpfloat(a->y[s], ==, 1.0 + (double)s);
        g_assert_cmpfloat(a->lo[s], ==, (double)s);
        g_assert_cmpfloat(a->hi[s], ==, 2.0 + (double)s);
        g_assert_cmpfloat(b->y[s], ==, 11.0 + (double)s);
    }
    g_assert_cmpstr(plot->averaged, ==, "mean and s.d. of 3 seeds");
    g_assert_cmpuint(plot->n_singles, ==, SEEDS);
    g_assert_cmpfloat(lane_series(plot->singles[2], "A")->y[0], ==, 2);

    /* A seed that is a step ahead waits for the others, and without a common step nothing
     * changes. */
    uint64_t version = plot->version;
    g_assert_true(ns_figure_update(figure, &lanes.input)->version == version);
    add_step(&lanes, 0, 1);
    plot = ns_figure_update(figure, &lanes.input);
    g_assert_cmpuint(lane_series(plot, "A")->n, ==, STEPS);
    add_step(&lanes, 0, 0);
    add_step(&lanes, 0, 2);
    plot = ns_figure_update(figure, &lanes.input);
    g_assert_cmpuint(lane_series(plot, "A")->n, ==, STEPS + 1);
    g_assert_true(plot->version > version);
    lanes_free(&lanes);
}

/* In figures over layers all seeds show the same step. */
static void test_profile(void)
{
    Lanes lanes = lanes_made();
    g_autoptr(NsFigure) figure = figure_new("gradient-norm");
    add_step(&lanes, 0, 1);
    const NsPlot *plot = ns_figure_update(figure, &lanes.input);
    const NsSeries *a = lane_series(plot, "A");
    g_assert_nonnull(strstr(plot->subtitle, "step 3"));
    g_assert_cmpuint(a->n, ==, 3);
    g_assert_cmpfloat_with_epsilon(a->y[1], 20.3, 1e-5);
    lanes_free(&lanes);
}

/* A diverged seed is omitted from the mean of its lane, and named; tables include it. */
static void test_diverged(void)
{
    Lanes lanes = lanes_made();
    g_autoptr(NsFigure) figure = figure_new("loss");
    ns_figure_update(figure, &lanes.input);
    diverge(lanes.runs[0][0]);
    const NsPlot *plot = ns_figure_update(figure, &lanes.input);
    g_assert_cmpfloat(lane_series(plot, "A")->y[0], ==, 1.5);
    g_assert_cmpfloat(lane_series(plot, "B")->y[0], ==, 11);
    g_assert_nonnull(strstr(plot->subtitle, "(A: 1 of 3 seeds diverged)"));
    g_assert_nonnull(strstr(plot->moment, "(A: 1 of 3 seeds diverged)"));
    g_assert_cmpstr(plot->x.label, ==, "step");
    g_assert_cmpfloat(lane_series(plot->singles[0], "A")->y[0], ==, 0);
    for (unsigned k = 1; k < SEEDS; k++) diverge(lanes.runs[0][k]);
    plot = ns_figure_update(figure, &lanes.input);
    g_assert_nonnull(strstr(plot->subtitle, "(A: 3 of 3 seeds diverged)"));
    lanes_free(&lanes);
}

static void test_table(void)
{
    Lanes lanes = lanes_made();
    g_autoptr(NsFigure) figure = figure_new("loss");
    const NsPlot *plot = ns_figure_update(figure, &lanes.input);
    g_autoptr(GString) table = ns_csv_write(&plot, 1, NULL);
    g_assert_nonnull(strstr(table->str, "seed 2 of 3\",A"));
    g_assert_nonnull(strstr(table->str, "seed 3 of 3\",B"));
    lanes_free(&lanes);
}

/* Figures without curves show the first seed, and say so unless all seeds are equal. */
static void test_first(void)
{
    Lanes lanes = lanes_made();
    g_autoptr(NsFigure) heatmap = figure_new("gradient-heatmap");
    g_autoptr(NsFigure) schedule = figure_new("schedule");
    const NsPlot *plot = ns_figure_update(heatmap, &lanes.input);
    g_assert_true(g_str_has_suffix(plot->subtitle, "seed 1 of 3"));
    g_assert_true(g_str_has_suffix(plot->moment, "seed 1 of 3"));
    g_assert_null(strstr(ns_figure_update(schedule, &lanes.input)->subtitle, "seed 1 of"));
    /* It says so in a file without titles, too. */
    const NsExport untitled = {
        .style = ns_style_find("paper"), .width = 400, .height = 300, .untitled = true};
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(&plot, 1, &untitled);
    g_assert_cmpstr(sheet.plots[0].plot.subtitle, ==, "seed 1 of 3");
    lanes_free(&lanes);
}

/* The tooltip has the deviation that the band has, where a value is a mean. */
static void test_reading(void)
{
    Lanes lanes = lanes_made();
    g_autoptr(NsFigure) figure = figure_new("loss");
    const NsPlot *plot = ns_figure_update(figure, &lanes.input);
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 600, 400, ns_style_find("paper"));
    NsReading reading;
    NsBox area = ns_plot_area(layout);
    double x = ns_plot_x_to_pixel(layout, 1);
    g_assert_true(ns_plot_pick(layout, x, area.y + area.height / 2, &reading));
    g_assert_nonnull(strstr(reading.text, ": 2.000 ± 1.0\n"));
    g_assert_null(strstr(reading.text, "nats")); /* which the axis says */
    g_assert_nonnull(strstr(reading.text, ": 12.00 ± 1.0"));
    ns_reading_clear(&reading);
    NsFigureInput one = input_of(lanes.runs[0][1]);
    g_autoptr(NsPlotLayout) single =
        ns_plot_layout(ns_figure_update(figure, &one), 600, 400, ns_style_find("paper"));
    x = ns_plot_x_to_pixel(single, 1);
    g_assert_true(ns_plot_pick(single, x, area.y + area.height / 2, &reading));
    g_assert_null(strstr(reading.text, "±"));
    ns_reading_clear(&reading);
    lanes_free(&lanes);
}

/* A lane that is hidden takes its learning rate with it, on the page and in a table. */
static void test_hidden(void)
{
    Lanes lanes = lanes_made();
    g_autoptr(NsFigure) figure = figure_new("loss");
    for (unsigned i = 0; i < 2; i++) lanes.runs[i][0]->settings.warmup = 10;
    const NsPlot *plot = ns_figure_update(figure, &lanes.input);
    g_autoptr(GArray) series = g_array_new(FALSE, FALSE, sizeof(NsSeries));
    NsViewState view;
    NsPlot shown;
    ns_view_state_init(&view);
    ns_view_state_hide(&view, ns_series_name(lane_series(plot, "A")), true);
    ns_view_state_apply(&view, plot, &shown, series);
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&shown, 600, 400, ns_style_find("paper"));
    g_assert_cmpuint(layout->lower->plot->n_series, ==, 2);
    g_assert_true(layout->lower->plot->series[0].hidden);
    g_assert_false(layout->lower->plot->series[1].hidden);
    const NsPlot *hiding = &shown;
    shown.n_singles = 0;
    g_autoptr(GString) table = ns_csv_write(&hiding, 1, NULL);
    g_assert_null(strstr(table->str, "A learning rate"));
    g_assert_nonnull(strstr(table->str, "B learning rate"));
    ns_view_state_clear(&view);
    lanes_free(&lanes);
}

/* Another run with a single seed is drawn as it is, as a new version. */
static void test_one_seed_again(void)
{
    Lanes lanes = lanes_made();
    g_autoptr(NsFigure) figure = figure_new("loss");
    uint64_t version = ns_figure_update(figure, &lanes.input)->version;
    g_autoptr(Run) run = run_new(3, BUDGET);
    append(run, 5);
    NsFigureInput input = input_of(run);
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_true(plot->version > version);
    g_assert_cmpuint(plot->n_singles, ==, 0);
    g_assert_null(plot->series[0].lo);
    lanes_free(&lanes);
}

/* The legend counts every seed that is stuck, the first as well. */
static void test_stuck(void)
{
    Lanes lanes = lanes_made();
    g_autoptr(NsFigure) figure = figure_new("loss");
    const NsEvent stuck = {.step = STEPS, .kind = NS_EVENT_STUCK, .what = "loss", .text = "It is."};
    double level = 3;
    for (size_t k = 0; k < SEEDS; k++) {
        Run *run = lanes.runs[0][k];
        ns_history_set_baselines(run->history, (NsBaselines){4.5, level, true});
        for (int i = 0; i < 30; i++)
            ns_history_append(run->history, &(NsStep){.step = STEPS + i, .loss = level},
                              run->values);
    }
    static const char *const words[] = {NULL, "1 of 3 seeds stuck", "2 of 3 seeds stuck", "stuck"};
    for (size_t k = 0; k <= SEEDS; k++) {
        const NsPlot *plot = ns_figure_update(figure, &lanes.input);
        g_assert_cmpstr(lane_series(plot, "A")->state, ==, words[k]);
        g_assert_cmpuint(plot->n_markers, ==, 0);
        if (k < SEEDS) ns_history_append_event(lanes.runs[0][k]->history, &stuck);
    }
    lanes_free(&lanes);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/seeds/mean", test_mean);
    g_test_add_func("/seeds/profile", test_profile);
    g_test_add_func("/seeds/diverged", test_diverged);
    g_test_add_func("/seeds/table", test_table);
    g_test_add_func("/seeds/first", test_first);
    g_test_add_func("/seeds/reading", test_reading);
    g_test_add_func("/seeds/hidden", test_hidden);
    g_test_add_func("/seeds/one-seed-again", test_one_seed_again);
    g_test_add_func("/seeds/stuck", test_stuck);
    return g_test_run();
}
