/* Names of lanes in figures, and their places.  SPDX-License-Identifier: MIT */
#include "lanes.h"
#include "ui/figures/diagram.h"
#include "ui/figures/figure.h"
#include "ui/figures/settings_caption.h"
#include "ui/plot/painter.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

/* Four runs of six layers that differ in placement and warm-up. */
static void four_lanes(Run *runs[4], int steps)
{
    static const char *const special[][2] = {{"placement=post", "warmup=1"},
                                             {"placement=post", "warmup=100"},
                                             {"placement=pre", "warmup=1"},
                                             {"placement=deepnorm", "warmup=1"}};
    for (unsigned i = 0; i < 4; i++) {
        runs[i] = run_made(6, BUDGET, true, 1, 0);
        for (int k = 0; k < 2; k++) set(runs[i], special[i][k]);
        for (int k = 0; k < steps; k++) append_lane(runs[i], i);
    }
}

/* The legend of a one-column chart describes each of three or four lanes. */
static void test_column(void)
{
    Run *runs[4];
    four_lanes(runs, 1);
    static const char *const figures[] = {"loss", "gradient-norm", "hidden-norm", "steps"};
    for (unsigned n = 3; n <= 4; n++)
        for (size_t f = 0; f < G_N_ELEMENTS(figures); f++) {
            NsFigureInput input = lanes_of(runs, n);
            input.theory = true;
            g_autoptr(NsFigure) figure = figure_new(figures[f]);
            const NsPlot *plot = ns_figure_update(figure, &input);
            g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 234, 164, ns_style_find("paper"));
            g_test_message("%s of %u lanes", figures[f], n);
            g_assert_cmpuint(layout->legend->len, >=, n);
            for (unsigned i = 0; i < layout->legend->len; i++) {
                unsigned at = g_array_index(layout->legend, NsLegendSample, i).label;
                PangoLayout *text = g_array_index(layout->labels, NsLabel, at).text;
                g_assert_cmpuint(strlen(ns_text_words(text)), >, 1); /* not only a letter */
            }
        }
    for (unsigned i = 0; i < 4; i++) run_free(runs[i]);
}

/* Panels have names beside them if these fit, otherwise in the subtitle or in lines above. */
static void test_panel_names(void)
{
    Run *runs[4];
    four_lanes(runs, 4);
    NsFigureInput input = lanes_of(runs, 4);
    g_autoptr(NsFigure) figure = figure_new("gradient-heatmap");
    const NsPlot *plot = ns_figure_update(figure, &input);
    for (int tall = 0; tall < 2; tall++) {
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(plot, 249, tall ? 900 : 174, ns_style_find("paper"));
        for (unsigned i = 0; i < 4; i++) {
            bool found = false;
            for (unsigned k = 0; k < layout->labels->len && !found; k++) {
                const NsLabel *label = &g_array_index(layout->labels, NsLabel, k);
                bool above = label->part == NS_PART_LEGEND || label->part == NS_PART_SUBTITLE;
                if (tall ? label->part != NS_PART_LEFT_LABEL : !above) continue;
                const char *text = pango_layout_get_text(label->text);
                found = strstr(text, plot->heatmap->panels[i].name) &&
                        !pango_layout_is_ellipsized(label->text) &&
                        (!tall || g_str_has_suffix(text, " · layer"));
            }
            g_assert_true(found);
        }
    }
    /* A narrow thumbnail has their letters beside them. */
    NsPlot narrow = *plot;
    narrow.thumbnail = true;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&narrow, 110, 330, ns_style_find("paper"));
    unsigned beside = 0;
    for (unsigned k = 0; k < layout->labels->len; k++)
        beside += g_array_index(layout->labels, NsLabel, k).part == NS_PART_LEFT_LABEL;
    g_assert_cmpuint(beside, ==, 4);
    for (unsigned i = 0; i < 4; i++) run_free(runs[i]);
}

/* Counts the occurrences of a text in a layout. */
static unsigned count_words(const NsPlotLayout *layout, const char *words)
{
    unsigned n = 0;
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        const char *text = pango_layout_get_text(label->text);
        for (const char *at = text; (at = strstr(at, words)); at++) n++;
    }
    return n;
}

/* Counts the tick labels of the left axis. */
static unsigned count_ticks(const NsPlotLayout *layout)
{
    unsigned n = 0;
    for (unsigned i = 0; i < layout->labels->len; i++)
        n += g_array_index(layout->labels, NsLabel, i).part == NS_PART_LEFT_TICK;
    return n;
}

/* Each lane is described exactly once and completely: in the legend, at the end of its curve or
 * beside its panel, or else in the subtitle.  The same is true of the step.  The note is never
 * shortened if the height of the page is free, and the scale of ratios is readable. */
static void test_told_once(void)
{
    static const char *const figures[] = {"loss",  "gradient-norm", "hidden-norm",
                                          "steps", "compare",       "gradient-heatmap"};
    static const struct {
        double width, height;
        const char *style;
    } pages[] = {{234, 164, "paper"},
                 {504, 353, "paper"},
                 {960, 540, "slide"},
                 {900, 560, "screen-light"},
                 {249, 360, "high-contrast-dark"}};
    Run *runs[4];
    four_lanes(runs, 3);
    for (unsigned n = 2; n <= 4; n++)
        for (size_t f = 0; f < G_N_ELEMENTS(figures); f++)
            for (size_t p = 0; p < G_N_ELEMENTS(pages); p++) {
                NsFigureInput input = lanes_of(runs, n);
                input.theory = true;
                g_autoptr(NsFigure) figure = figure_new(figures[f]);
                const NsPlot *plot = ns_figure_update(figure, &input);
                const NsStyle *style = ns_style_find(pages[p].style);
                double more = ns_plot_more_lines(plot, pages[p].width, style);
                g_autoptr(NsPlotLayout) layout =
                    ns_plot_layout(plot, pages[p].width, pages[p].height + more, style);
                g_test_message("%s of %u lanes, %s %g", figures[f], n, pages[p].style,
                               pages[p].width);
                for (unsigned i = 0; i < n; i++) {
                    g_autofree char *name = ns_figure_run_label(&input, i);
                    g_assert_cmpuint(count_words(layout, name), ==, 1);
                    g_assert_cmpuint(count_words(layout, "step 2"), <=, 1);
                }
                if (layout->lower) g_assert_cmpuint(count_ticks(layout->lower), >=, 2);
                const NsPlotLayout *last = layout->lower ? layout->lower : layout;
                const NsLabel *note = ns_layout_label(last, NS_PART_NOTE);
                g_assert_cmpstr(note ? ns_text_words(note->text) : NULL, ==, last->note);
            }
    for (unsigned i = 0; i < 4; i++) run_free(runs[i]);
}

/* The curve of a lane without finite values has no end, so that its name is in the legend.  Values
 * that are not numbers in both plots are mentioned once. */
static void test_no_end(void)
{
    Pair pair = pair_new(6, 6);
    set(pair.run[1], "placement=pre");
    append(pair.run[0], 1);
    append(pair.run[1], 1);
    append(pair.run[0], 1);
    for (size_t i = 0; i < pair.run[1]->layout.width; i++)
        ns_values_put(pair.run[1]->values, i, (double)NAN);
    append_values(pair.run[1], (double)NAN);
    g_autoptr(NsFigure) figure = figure_new("gradient-norm");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 900, 560, ns_style_find("screen-light"));
    g_assert_cmpfloat(layout->ends_space, >, 0);
    g_assert_cmpuint(count_words(layout, "A Post-LN"), ==, 1);
    g_assert_cmpuint(count_words(layout, "B Pre-LN"), ==, 1);
    g_assert_cmpuint(count_words(layout->lower, "6 values are not a number"), ==, 1);
    /* The same is true of a curve that is completely outside of the axis. */
    Pair wild = pair_new(2, 2);
    set(wild.run[1], "placement=pre");
    for (int k = 0; k < 5; k++) append(wild.run[0], 4 - 0.1 * k);
    append(wild.run[1], 100);
    append(wild.run[1], (double)NAN);
    g_autoptr(NsFigure) loss = figure_new("loss");
    plot = ns_figure_update(loss, &wild.input);
    g_autoptr(NsPlotLayout) page = ns_plot_layout(plot, 900, 560, ns_style_find("screen-light"));
    g_assert_cmpfloat(page->ends_space, >, 0);
    g_assert_cmpuint(count_words(page, "A Post-LN"), ==, 1);
    g_assert_cmpuint(count_words(page, "B Pre-LN"), ==, 1);
    pair_clear(&wild);
    pair_clear(&pair);
}

/* A lane that diverged at its first step, with less loss than the others reach, takes no other lane
 * off the scale; if all diverged, the axis fits the lowest. */
static void test_diverged_first(void)
{
    for (int all = 0; all < 2; all++) {
        Pair pair = pair_new(2, 2);
        const NsEvent event = {.step = 1, .kind = NS_EVENT_DIVERGED, .what = "h1", .text = "It."};
        for (int k = 0; k < 5; k++) append(pair.run[0], k ? 3000 - 10 * k : 5);
        append(pair.run[1], 28);
        append(pair.run[1], (double)NAN);
        ns_history_append_event(pair.run[1]->history, &event);
        if (all) ns_history_append_event(pair.run[0]->history, &event);
        g_autoptr(NsFigure) figure = figure_new("loss");
        const NsPlot *plot = ns_figure_update(figure, &pair.input);
        g_assert_cmpstr(plot->series[0].state, ==, all ? "off the scale, 2,990 ↑" : NULL);
        g_assert_cmpstr(plot->series[1].state, ==, NULL);
        g_assert_cmpint(isnan(plot->left.hi), ==, !all);
        pair_clear(&pair);
    }
}

/* Lanes that diverge at the same step share a line and its label; the tooltip lists each. */
static void test_diverge_together(void)
{
    Run *runs[4];
    four_lanes(runs, 6);
    NsEvent ends[] = {
        {.step = 3, .kind = NS_EVENT_DIVERGED, .what = "h1", .text = "Layer 1 is not finite."},
        {.step = 3, .kind = NS_EVENT_DIVERGED, .what = "h2", .text = "Layer 2 is not finite."},
        {.step = 5, .kind = NS_EVENT_DIVERGED, .what = "h1", .text = "Layer 1 is not finite."}};
    ns_history_append_event(runs[3]->history, &ends[1]);
    ns_history_append_event(runs[2]->history, &ends[0]);
    ns_history_append_event(runs[1]->history, &ends[2]);
    NsFigureInput input = lanes_of(runs, 4);
    g_autoptr(NsFigure) figure = figure_new("loss");
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->n_markers, ==, 2);
    g_assert_cmpstr(plot->markers[0].text, ==, "B diverged");
    g_assert_cmpuint(plot->markers[0].style, ==, 2);
    g_assert_cmpstr(plot->markers[1].text, ==, "C, D diverged");
    g_assert_cmpuint(plot->markers[1].style, ==, 0);
    g_assert_cmpstr(plot->markers[1].sentence, ==,
                    "C: Layer 1 is not finite.\nD: Layer 2 is not finite.");
    for (unsigned i = 0; i < 4; i++) run_free(runs[i]);
}

/* Lanes that jump at the same step are named together; a later jump of one of them is its own. */
static void test_spike_together(void)
{
    Run *runs[4];
    four_lanes(runs, 6);
    NsEvent jump = {.step = 2, .kind = NS_EVENT_SPIKE, .what = "loss", .text = "It jumped."};
    ns_history_append_event(runs[0]->history, &jump);
    ns_history_append_event(runs[2]->history, &jump);
    jump.step = 4;
    ns_history_append_event(runs[2]->history, &jump);
    NsFigureInput input = lanes_of(runs, 4);
    g_autoptr(NsFigure) figure = figure_new("loss");
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->n_markers, ==, 2);
    g_assert_cmpstr(plot->markers[0].text, ==, "A, C spike");
    g_assert_true(plot->markers[0].alarm);
    g_assert_cmpstr(plot->markers[1].text, ==, "C spike");
    for (unsigned i = 0; i < 4; i++) run_free(runs[i]);
}

/* Near each other, the words of lanes that jump are one, and only jumps of one lane are counted. */
static void test_spike_near(void)
{
    static const struct {
        int64_t steps[4][2];
        const char *words;
        unsigned style;
    } table[] = {{{{20}, {22}, {20}}, "A, B, C spike", 0},
                 {{{20}, {22, 26}, {0}}, "A, B spike ×3", 0},
                 {{{0}, {22, 26}, {0}}, "B spike ×2", 2},
                 {{{0}, {22}, {0}, {23}}, "B, D spike", 0}};
    for (size_t t = 0; t < G_N_ELEMENTS(table); t++) {
        Run *runs[4];
        four_lanes(runs, 60);
        for (unsigned i = 0; i < 8; i++) {
            const NsEvent jump = {.step = table[t].steps[i / 2][i % 2],
                                  .kind = NS_EVENT_SPIKE,
                                  .what = "loss",
                                  .text = "It."};
            if (jump.step) ns_history_append_event(runs[i / 2]->history, &jump);
        }
        NsFigureInput input = lanes_of(runs, 4);
        g_autoptr(NsFigure) figure = figure_new("loss");
        const NsPlot *plot = ns_figure_update(figure, &input);
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 234, 300, ns_style_find("paper"));
        const NsLabel *label = ns_layout_label(layout, NS_PART_MARKER);
        g_assert_cmpstr(pango_layout_get_text(label->text), ==, table[t].words);
        g_assert_cmpuint(label->style, ==, table[t].style);
        g_assert_cmpuint(count_words(layout, "spike"), ==, 1);
        for (unsigned i = 0; i < 4; i++) run_free(runs[i]);
    }
}

/* Lanes that diverge at neighboring steps each have a label at any position, which no label of a
 * spike replaces. */
static void test_diverge_near(void)
{
    static const int64_t at[] = {1, 30, 59};
    static const struct {
        double width, height;
        const char *style;
    } pages[] = {{234, 300, "paper"}, {960, 540, "slide"}};
    for (size_t p = 0; p < G_N_ELEMENTS(at) * G_N_ELEMENTS(pages); p++) {
        int64_t step = at[p / G_N_ELEMENTS(pages)];
        Run *runs[4];
        four_lanes(runs, 60);
        NsEvent ends[] = {
            {.step = step - 1, .kind = NS_EVENT_SPIKE, .what = "h1", .text = "It jumped."},
            {.step = step - 1, .kind = NS_EVENT_DIVERGED, .what = "h1", .text = "Not finite."},
            {.step = step, .kind = NS_EVENT_DIVERGED, .what = "h1", .text = "Not finite."}};
        ns_history_append_event(runs[3]->history, &ends[0]);
        ns_history_append_event(runs[1]->history, &ends[1]);
        ns_history_append_event(runs[2]->history, &ends[2]);
        NsFigureInput input = lanes_of(runs, 4);
        g_autoptr(NsFigure) figure = figure_new("loss");
        const NsPlot *plot = ns_figure_update(figure, &input);
        size_t page = p % G_N_ELEMENTS(pages);
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, pages[page].width, pages[page].height,
                                                        ns_style_find(pages[page].style));
        g_assert_cmpuint(count_words(layout, "B diverged"), ==, 1);
        g_assert_cmpuint(count_words(layout, "C diverged"), ==, 1);
        for (unsigned i = 0; i < 4; i++) run_free(runs[i]);
    }
}

/* The titles of the loss and the learning rate are in one line of text, but do not read as one. */
static void test_titles_apart(void)
{
    Pair pair = pair_new(2, 2);
    for (unsigned i = 0; i < 2; i++) {
        set(pair.run[i], "warmup=2");
        for (int k = 0; k < 4; k++) append(pair.run[i], 4 - 0.1 * k);
    }
    g_autoptr(NsFigure) figure = figure_new("loss");
    const NsPlot *plot = ns_figure_update(figure, &pair.input);
    unsigned pages = 0;
    for (double height = 150; height < 300; height += 2) {
        g_autoptr(NsPlotLayout) page = ns_plot_layout(plot, 320, height, ns_style_find("paper"));
        const NsLabel *upper = ns_layout_label(page, NS_PART_LEFT_LABEL);
        const NsLabel *lower =
            page->lower ? ns_layout_label(page->lower, NS_PART_LEFT_LABEL) : NULL;
        if (!upper || !lower) continue;
        double above = upper->box.y + upper->box.height, below = page->lower_y + lower->box.y;
        g_assert_cmpfloat(below - above, >=, 0.6 * page->style->text_size);
        pages++;
    }
    g_assert_cmpuint(pages, >, 10);
    pair_clear(&pair);
}

/* A loss with known baselines has two lines, and a run at the second of them is called stuck. */
static void test_baselines(void)
{
    Run *run = run_new(2, BUDGET);
    NsFigureInput input = {.history = run->history, .settings = &run->settings, .step = -1};
    g_autoptr(NsFigure) figure = figure_new("loss");
    append(run, 1);
    g_assert_cmpuint(ns_figure_update(figure, &input)->n_levels, ==, 0);
    NsEvent stuck = {.step = 1, .kind = NS_EVENT_STUCK, .what = "loss", .text = "It is stuck."};
    double level = ns_history_step(run->history, 0)->loss;
    ns_history_set_baselines(run->history, (NsBaselines){4.5, level, true});
    for (int i = 0; i < 30; i++)
        ns_history_append(run->history, &(NsStep){.step = i + 1, .loss = level}, run->values);
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->n_levels, ==, 2);
    g_assert_cmpstr(plot->levels[0].text, ==, "uniform guess");
    g_assert_cmpstr(plot->levels[1].text, ==, "character frequencies only");
    g_assert_nonnull(series_named(plot, "training"));
    ns_history_append_event(run->history, &stuck);
    plot = ns_figure_update(figure, &input);
    g_assert_cmpstr(series_named(plot, "training")->state, ==, "stuck");
    g_assert_cmpstr(plot->markers[0].text, ==, "stuck");
    /* A film does not know what is still to come. */
    input.cut = true;
    input.step = 0;
    plot = ns_figure_update(figure, &input);
    g_assert_nonnull(series_named(plot, "training"));
    g_assert_cmpuint(plot->n_markers, ==, 0);
    input.cut = false;
    input.step = -1;
    plot = ns_figure_update(figure, &input);
    g_assert_cmpstr(plot->markers[0].text, ==, "stuck");
    g_assert_false(plot->markers[0].alarm);
    /* A loss that rises has left the level, and yet the run has not learned. */
    const NsFigureInput whole = {0};
    g_assert_cmpint(ns_figure_plateau(&whole, run->history), ==, NS_PLATEAU_STUCK);
    Run *other = run_new(2, BUDGET);
    append(other, 1);
    ns_history_set_baselines(other->history, (NsBaselines){4.5, level, true});
    for (int i = 0; i < 60; i++)
        ns_history_append(other->history,
                          &(NsStep){.step = i + 1, .loss = i < 30 ? level : (double)NAN},
                          other->values);
    ns_history_append_event(other->history, &stuck);
    g_assert_cmpint(ns_figure_plateau(&whole, other->history), ==, NS_PLATEAU_ELSEWHERE);
    run_free(other);
    /* Neither word stays once the run learns, and neither comes again. */
    for (int i = 30; i < 60; i++)
        ns_history_append(run->history, &(NsStep){.step = i + 1, .loss = level - 1}, run->values);
    plot = ns_figure_update(figure, &input);
    for (int i = 60; i < 90; i++)
        ns_history_append(run->history, &(NsStep){.step = i + 1, .loss = level}, run->values);
    plot = ns_figure_update(figure, &input);
    g_assert_nonnull(series_named(plot, "training"));
    g_assert_cmpuint(plot->n_markers, ==, 0);
    g_assert_cmpint(ns_figure_plateau(&whole, run->history), ==, NS_PLATEAU_LEARNED);
    run_free(run);
}

/* In a sheet the words of a marker may be the state of a lane; a different state is in the legend
 * of its chart, as is one whose marker is outside of the axis. */
static void test_sheet_states(void)
{
    const NsEvent events[] = {{.step = 1, .kind = NS_EVENT_SPIKE, .what = "loss", .text = "It."},
                              {.step = 1, .kind = NS_EVENT_STUCK, .what = "loss", .text = "It."}};
    for (int stuck = 0; stuck < 2; stuck++) {
        Pair pair = pair_new(2, 2);
        for (int k = 0; k < 30; k++) {
            append(pair.run[0], 4);
            append(pair.run[1], stuck ? 4 : 4 + 40 * k);
        }
        ns_history_set_baselines(pair.run[1]->history, (NsBaselines){4.5, 4, true});
        ns_history_append_event(pair.run[1]->history, &events[stuck]);
        g_autoptr(NsFigure) loss = figure_new("loss");
        g_autoptr(NsFigure) gradient = figure_new("gradient-norm");
        NsPlot plots[] = {*ns_figure_update(loss, &pair.input),
                          *ns_figure_update(gradient, &pair.input)};
        const NsPlot *of[] = {&plots[0], &plots[1]};
        for (int late = 0; late < 2; late++) {
            if (late) plots[0].x.lo = 5;
            const NsExport how = {.style = ns_style_find("paper"), .width = 468, .height = 200};
            g_auto(NsPlotSheet) sheet = ns_plot_sheet(of, 2, &how);
            g_assert_nonnull(sheet.shared);
            g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, 0);
            const char *state = stuck ? "stuck" : "off the scale, 1,164 ↑";
            g_assert_cmpuint(count_words(layout, state), ==, 1);
            g_assert_cmpuint(count_words(layout, "B stuck"), ==, stuck && !late);
        }
        pair_clear(&pair);
    }
}

/* A lane whose curve is smoothed keeps the name that it has in other charts, so that a sheet shares
 * its legend; a chart with smoothed curves says how, once. */
static void test_sheet_smoothing(void)
{
    Pair pair = pair_new(2, 2);
    for (int k = 0; k < 30; k++) {
        append(pair.run[0], 4);
        append(pair.run[1], 3);
    }
    pair.input.smoothing = (NsSmoothing){NS_SMOOTH_EMA, 0.9};
    g_autoptr(NsFigure) loss = figure_new("loss");
    g_autoptr(NsFigure) steps = figure_new("steps");
    g_autoptr(NsFigure) gradient = figure_new("gradient-norm");
    const NsPlot *of[] = {ns_figure_update(loss, &pair.input), ns_figure_update(steps, &pair.input),
                          ns_figure_update(gradient, &pair.input)};
    const NsExport how = {
        .style = ns_style_find("paper"), .width = 468, .height = 400, .legend = NS_LEGEND_ABOVE};
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(of, 3, &how);
    g_assert_nonnull(sheet.shared);
    g_assert_cmpuint(sheet.shared->n_series, ==, 2);
    for (size_t i = 0; i < 3; i++) {
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
        g_assert_cmpuint(count_words(layout, "before EMA 0.9"), ==, i < 2);
        g_assert_cmpuint(count_words(layout, "EMA"), ==, i < 2);
    }
    pair_clear(&pair);
}

/* Where depths are far apart, layers are on a logarithmic axis; with a place for layer 0. */
static void test_depths(void)
{
    for (size_t deep = 20; deep <= 200; deep += 180) {
        Pair pair = pair_new(4, deep);
        for (int i = 0; i < 2; i++) append(pair.run[i], 1);
        g_autoptr(NsFigure) gradient = figure_new("gradient-norm");
        g_autoptr(NsFigure) hidden = figure_new("hidden-norm");
        const NsPlot *of_gradient = ns_figure_update(gradient, &pair.input);
        const NsPlot *of_hidden = ns_figure_update(hidden, &pair.input);
        bool apart = deep == 200;
        g_assert_true(of_gradient->x.scale == (apart ? NS_SCALE_LOG : NS_SCALE_LINEAR));
        g_assert_true(of_hidden->x.scale == (apart ? NS_SCALE_SYMLOG : NS_SCALE_LINEAR));
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(of_hidden, 500, 320, ns_style(0));
        double zero = ns_plot_x_to_pixel(layout, 0), one = ns_plot_x_to_pixel(layout, 1);
        double two = ns_plot_x_to_pixel(layout, 2), four = ns_plot_x_to_pixel(layout, 4);
        if (apart) g_assert_cmpfloat_with_epsilon(four - two, two - one, 1e-6);
        g_assert_cmpfloat(zero, <, one);
        pair_clear(&pair);
    }
}

/* Pinned runs are faint in profiles too, in place of what else is faint, and enlarge no axis. */
static void test_pinned(void)
{
    Pair pair = pair_new(4, 4), before = pair_new(4, 4);
    g_autoptr(Run) brief = run_made(4, BUDGET, true, 1, 0);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 3; k++) {
            append(pair.run[i], 1);
            append_with(before.run[i], 1, 2, 4000);
        }
    append(brief, 1);
    static const char *const figures[] = {"gradient-norm", "steps"};
    static const char *const names[] = {"run 1 A", "run 1 B", "run 2 A"};
    for (size_t f = 0; f < G_N_ELEMENTS(figures); f++) {
        g_autoptr(NsFigure) figure = figure_new(figures[f]);
        pair.input.n_pinned = 0;
        const NsPlot *plot = ns_figure_update(figure, &pair.input);
        size_t usual = plot->n_series;
        g_assert_cmpuint(plot->n_keys, ==, 1); /* step 0, the largest and smallest layer */
        for (unsigned i = 0; i < 3; i++) {
            Run *run = i < 2 ? before.run[i] : brief;
            pair.input.pinned[i] =
                (NsFigureRun){run->history, &run->settings, names[i], .lane = i % 2};
        }
        pair.input.n_pinned = 3;
        plot = ns_figure_update(figure, &pair.input);
        const NsSeries *a = series_named(plot, names[0]), *b = series_named(plot, names[1]);
        const NsSeries *again = series_named(plot, f ? names[2] : "run 2 A, step 0");
        g_assert_true(a->style == 0 && b->style == 1 && again->style == 0);
        g_assert_true(a->tinted && a->clipped && a->previous && a->n);
        g_assert_true(a->dash != again->dash);
        /* Blue is strongest in the curve of the run itself, and differs between earlier ones. */
        const NsStyle *paper = ns_style_find("paper");
        double first = ns_series_color(paper, a).r, second = ns_series_color(paper, again).r;
        g_assert_cmpfloat(first, >, second + 0.15);
        g_assert_cmpfloat(second, >, paper->series[0].color.r + 0.15);
        g_assert_cmpuint(plot->n_keys, ==, 0);
        for (size_t i = 0; i < plot->n_series; i++) g_assert_false(plot->series[i].muted);
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 600, 400, ns_style(0));
        g_assert_cmpfloat(layout->summary.y.hi, <, 1000);
        /* A run with the same values would be hidden below the curves: it is left out of a profile,
         * in which what is faint is step 0. */
        for (unsigned i = 0; i < 2; i++)
            pair.input.pinned[i] =
                (NsFigureRun){pair.run[i]->history, &pair.run[i]->settings, names[i], .lane = i};
        pair.input.n_pinned = 2;
        plot = ns_figure_update(figure, &pair.input);
        if (f == 0) g_assert_true(plot->n_keys == 1 && plot->n_series == usual);
        pair.input.n_pinned = 0;
        plot = ns_figure_update(figure, &pair.input);
        g_assert_cmpuint(plot->n_series, ==, usual);
    }
    pair_clear(&pair);
    pair_clear(&before);
}

/* The title of a vertical axis, whose index may reach down to the end of its line, keeps a distance
 * from the widest number. */
static void test_side_gap(void)
{
    static const double x[] = {1, 2}, now[] = {0.1, 0.15};
    const NsSeries series = {.label = "now", .n = 2, .x = x, .y = now};
    const NsPlot plot = {.x = {.label = "layer", .integer = true, .lo = NAN, .hi = NAN},
                         .left = {.label = "‖∇W_{2}‖", .lo = NAN, .hi = NAN},
                         .series = &series,
                         .n_series = 1};
    for (double width = 200; width <= 400; width += 20) {
        const NsStyle *style = ns_style_find("screen-light");
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, width, 200, style);
        double title = -INFINITY, number = INFINITY;
        for (unsigned i = 0; i < layout->labels->len; i++) {
            const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
            if (label->part == NS_PART_LEFT_LABEL) title = label->box.x + label->box.width;
            if (label->part == NS_PART_LEFT_TICK) number = MIN(number, label->box.x);
        }
        g_assert_true(isfinite(title) && isfinite(number));
        g_assert_cmpfloat(number - title, >=, 0.9 * style->text_size);
    }
}

static const char *second_name(const NsPlotLayout *layout)
{
    const NsLegendSample *sample = &g_array_index(layout->legend, NsLegendSample, 1);
    return pango_layout_get_text(g_array_index(layout->labels, NsLabel, sample->label).text);
}

/* Arrows at the edge of a chart are of curves of which the legend says how far they go, within the
 * axes that are shown. */
static void test_off_scale(void)
{
    static const double x[] = {0, 1, 2}, now[] = {3, 2, 4},
                        y[][3] = {{2800, 1, 9000}, {0.01, 2, 4}, {3, 2, 4}};
    static const char *const words[] = {"run 1 (off the scale, 2,800 ↑)",
                                        "run 1 (off the scale, 0.010 ↓)", "run 1"};
    for (size_t i = 0; i < G_N_ELEMENTS(y); i++) {
        const NsSeries series[] = {
            {.label = "now", .kind = NS_SERIES_POINTS, .n = 2, .x = x, .y = now},
            {.label = "run 1", .previous = true, .clipped = true, .n = 3, .x = x, .y = y[i]}};
        const NsPlot plot = {.x = {.label = "layer", .integer = true, .lo = NAN, .hi = NAN},
                             .left = {.scale = NS_SCALE_LOG, .lo = NAN, .hi = NAN},
                             .legend = NS_LEGEND_ABOVE,
                             .series = series,
                             .n_series = 2};
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 400, 300, ns_style_find("paper"));
        g_assert_cmpstr(second_name(layout), ==, words[i]);
        /* The legend that two charts of a sheet share has no axis. */
        const NsPlot *both[] = {&plot, &plot};
        const NsExport how = {.format = NS_FORMAT_TEX,
                              .style = ns_style_find("paper"),
                              .width = 400,
                              .height = 300,
                              .dpi = 300,
                              .columns = 2};
        g_auto(NsPlotSheet) sheet = ns_plot_sheet(both, 2, &how);
        g_assert_cmpstr(second_name(sheet.legend), ==, "run 1");
        g_autoptr(NsPlotLayout) own = ns_plot_sheet_layout(&sheet, 0);
        g_assert_cmpuint(own->legend->len, ==, strcmp(words[i], "run 1") != 0);
    }
}

/* A setting that is changed after the last step of a run did not change that run. */
static void test_late_change(void)
{
    Pair pair = pair_new(2, 2);
    NsHistory *history = pair.run[0]->history;
    const NsEvent event = {.step = 3, .kind = NS_EVENT_SETTING, .what = "lr"};
    for (int k = 0; k < 3; k++) append(pair.run[0], 1);
    ns_history_append_event(history, &event);
    g_assert_cmpint(ns_figure_first_change(history), ==, 0);
    append(pair.run[0], 1);
    g_assert_cmpint(ns_figure_first_change(history), ==, 3);
    pair_clear(&pair);
}

/* A model without the final norm of its placement is named so, beside one that has it. */
static void test_final_norm(void)
{
    static const char *const words[] = {"final norm", "no final norm"};
    static const char *const titles[] = {"Pre-LN", "Pre-LN, no final norm"};
    NsSettings own[2];
    const NsSettings *const lanes[] = {&own[0], &own[1]};
    for (int i = 0; i < 2; i++) {
        ns_settings_init(&own[i]);
        g_assert_true(ns_settings_assign(&own[i], "placement=pre", NULL));
    }
    g_assert_true(ns_settings_assign(&own[1], "final-norm=off", NULL));
    for (size_t i = 0; i < 2; i++) {
        g_autofree char *special = ns_settings_special_words(lanes, 2, i);
        g_assert_cmpstr(special, ==, words[i]);
        g_autoptr(NsDiagramData) data = ns_diagram_data_new(&own[i], NULL, NULL, -1);
        g_autoptr(NsDiagram) diagram = ns_diagram_new(data, 1, 600, 600, 11);
        g_autofree char *title = ns_diagram_title(diagram);
        g_assert_cmpstr(title, ==, titles[i]);
    }
    for (int i = 0; i < 2; i++) ns_settings_clear(&own[i]);
}

/* Curves of several runs are solid and differ in their sparse marks; a run whose validation has
 * marks along its curve needs no more, and a run by itself none. */
static void test_sparse_marks(void)
{
    static const double x[] = {1, 2, 3}, y[] = {3, 2, 1};
    NsSeries series[3];
    for (unsigned i = 0; i < 3; i++)
        series[i] = (NsSeries){.label = "run", .style = i % 2, .n = 3, .x = x, .y = y};
    series[2].kind = NS_SERIES_SCATTER;
    series[2].hollow = true;
    for (size_t n = 1; n <= 3; n++) {
        const NsPlot plot = {.series = series, .n_series = n};
        for (size_t i = 0; i < n; i++) {
            g_assert_cmpint(ns_series_style(ns_style(0), &series[i]).n_dash, ==, 0);
            g_assert_cmpint(ns_series_has_marks(&plot, &series[i]), ==, n > 1 && i < 2);
            g_assert_cmpint(ns_series_has_sparse_marks(&plot, &series[i]), ==,
                            n > 1 && i < 2 && (n < 3 || i == 1));
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lane-names/column", test_column);
    g_test_add_func("/lane-names/panels", test_panel_names);
    g_test_add_func("/lane-names/told-once", test_told_once);
    g_test_add_func("/lane-names/no-end", test_no_end);
    g_test_add_func("/lane-names/diverged-first", test_diverged_first);
    g_test_add_func("/lane-names/diverge-together", test_diverge_together);
    g_test_add_func("/lane-names/spike-together", test_spike_together);
    g_test_add_func("/lane-names/spike-near", test_spike_near);
    g_test_add_func("/lane-names/titles-apart", test_titles_apart);
    g_test_add_func("/lane-names/baselines", test_baselines);
    g_test_add_func("/lane-names/diverge-near", test_diverge_near);
    g_test_add_func("/lane-names/sheet-states", test_sheet_states);
    g_test_add_func("/lane-names/sheet-smoothing", test_sheet_smoothing);
    g_test_add_func("/lane-names/depths", test_depths);
    g_test_add_func("/lane-names/final-norm", test_final_norm);
    g_test_add_func("/lane-names/pinned", test_pinned);
    g_test_add_func("/lane-names/sparse-marks", test_sparse_marks);
    g_test_add_func("/lane-names/off-scale", test_off_scale);
    g_test_add_func("/lane-names/side-gap", test_side_gap);
    g_test_add_func("/lane-names/late-change", test_late_change);
    return g_test_run();
}
