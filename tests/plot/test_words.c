/* Labels with little space.  SPDX-License-Identifier: MIT */
#include "support.h"
#include "ui/plot/export.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define SUBTITLE "A Post-LN, lr 0.003; B Pre-LN; 6 layers, warm-up 100, step 12405"
#define MOMENT "step 12405"

static const NsStyle *paper(void)
{
    return ns_style_find("paper");
}

/* Checks that every word, without trailing commas and ellipses, is a word of the complete text. */
static void check_whole_words(const char *part)
{
    g_auto(GStrv) whole = g_strsplit_set(SUBTITLE, " ,;", -1);
    g_auto(GStrv) words = g_strsplit_set(part, " ,;", -1);
    for (char **word = words; *word; word++) {
        if (g_str_has_suffix(*word, "…")) (*word)[strlen(*word) - strlen("…")] = '\0';
        g_assert_true(g_strv_contains((const char *const *)whole, *word));
    }
}

static void test_abridge(void)
{
    const NsStyle *style = paper();
    PangoContext *context = ns_text_context_new();
    static const char *const ends[] = {MOMENT, NULL};
    for (size_t e = 0; e < G_N_ELEMENTS(ends); e++) {
        size_t before = strlen(SUBTITLE);
        for (double width = 400; width > 2; width -= 1.5) {
            g_autofree char *words =
                ns_text_abridge(&(NsTextSpace){context, style, style->text_size, width, 1},
                                &(NsCaption){SUBTITLE, 0, ends[e]});
            if (!words) {
                before = 0;
                continue;
            }
            g_assert_cmpuint(strlen(words), <=, before + strlen("…, "));
            before = strlen(words);
            g_autoptr(PangoLayout) text =
                ns_text_new(context, style, style->text_size, false, words);
            g_assert_cmpfloat(ns_text_width(text), <=, width);
            check_whole_words(words);
            g_assert_true(ends[e] ? g_str_has_suffix(words, MOMENT)
                                  : g_str_has_prefix(words, "A Post-LN") || width < 60);
        }
        g_assert_cmpuint(before, ==, 0);
    }
    g_autofree char *narrow =
        ns_text_abridge(&(NsTextSpace){context, style, style->text_size, 110, 1},
                        &(NsCaption){SUBTITLE, 0, MOMENT});
    g_assert_cmpstr(narrow, ==, "A Post-LN, …, step 12405");
    g_object_unref(context);
}

/* A text of several lines has no line of one word at its end, and none that ends in “Pre-”. */
static void test_last_line(void)
{
    const NsStyle *style = paper();
    PangoContext *context = ns_text_context_new();
    bool wrapped = false;
    for (double width = 400; width > 60; width -= 3) {
        g_autoptr(PangoLayout) text =
            ns_text_new(context, style, style->text_size, false, SUBTITLE " of W_2");
        ns_text_limit(text, width, 9);
        int lines = pango_layout_get_line_count(text);
        PangoLayoutLine *last = pango_layout_get_line_readonly(text, lines - 1);
        const char *words = pango_layout_get_text(text) + last->start_index;
        wrapped |= lines > 1;
        for (int i = 1; i < lines; i++) {
            int begin = pango_layout_get_line_readonly(text, i)->start_index;
            g_assert_false(g_str_has_prefix(pango_layout_get_text(text) + begin - 1, "-LN"));
        }
        if (lines > 1) g_assert_true(strchr(words, ' '));
    }
    g_assert_true(wrapped);
    /* Unless it would be cut then. */
    g_autoptr(PangoLayout) title =
        ns_text_new(context, style, style->text_size, false, "C DeepNorm, LayerNorm");
    ns_text_limit(title, ns_text_width(title) * 0.65, 2);
    g_assert_false(pango_layout_is_ellipsized(title));
    g_object_unref(context);
}

static const NsLabel *label_of(const NsPlotLayout *layout, NsPart part, unsigned which)
{
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part == part && which-- == 0) return label;
    }
    return NULL;
}

static const char *words_of(const NsPlotLayout *layout, NsPart part, unsigned which)
{
    const NsLabel *label = label_of(layout, part, which);
    return label ? pango_layout_get_text(label->text) : NULL;
}

static void test_moment(void)
{
    NsPlot plot = *sample(LOSS);
    plot.subtitle = SUBTITLE;
    plot.moment = MOMENT;
    g_autoptr(NsPlotLayout) wide = ns_plot_layout(&plot, 600, 300, paper());
    g_assert_cmpstr(words_of(wide, NS_PART_SUBTITLE, 0), ==, SUBTITLE);
    /* More lines are preferred to a shortened text. */
    g_autoptr(NsPlotLayout) narrow = ns_plot_layout(&plot, 150, 300, paper());
    g_assert_cmpstr(words_of(narrow, NS_PART_SUBTITLE, 0), ==, SUBTITLE);
    g_autoptr(NsPlotLayout) low = ns_plot_layout(&plot, 150, 120, paper());
    g_assert_true(g_str_has_suffix(words_of(low, NS_PART_SUBTITLE, 0), "…, " MOMENT));
}

/* The part that distinguishes runs is complete on a page of any width. */
static void test_special(void)
{
#define DIFFERENT "A Post-LN, lr 0.003, warm-up 100; B Pre-LN; C Sandwich, lr 0.01; D DeepNorm"
    NsPlot plot = *sample(PROFILE);
    plot.subtitle = DIFFERENT "; encoder, RMSNorm, 6 layers, d-model 64, batch 32, " MOMENT;
    plot.special = strlen(DIFFERENT);
    plot.moment = MOMENT;
    bool cut = false;
    for (double width = 500; width > 90; width -= 7) {
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, width, 400, paper());
        const char *words = words_of(layout, NS_PART_SUBTITLE, 0);
        cut |= strlen(words) < strlen(plot.subtitle);
        g_assert_true(g_str_has_prefix(words, DIFFERENT "; "));
        g_assert_true(g_str_has_suffix(words, ", " MOMENT));
    }
    g_assert_true(cut);
    /* A page grows by the necessary lines. */
    g_assert_cmpfloat(ns_plot_more_lines(&plot, 250, paper()), >, 8);
    g_assert_cmpfloat(ns_plot_more_lines(&plot, 900, paper()), <, 1);
}

/* ---- Points on the axis ---- */

/* The label of a point is at the axis, and tick labels that it would overlap are hidden. */
static void test_point(void)
{
    for (Sample which = 0; which < SAMPLES; which++) {
        if (which != LOSS && which != HEATMAP) continue;
        for (double step = 0; step < 2000; step += 37) {
            const NsSpan span = {.from = step, .to = step};
            NsPlot plot = *sample(which);
            plot.spans = &span;
            plot.n_spans = 1;
            g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 300, 200, paper());
            double x = ns_plot_x_to_pixel(layout, step);
            g_autofree char *number = ns_text_fixed(step, 0);
            unsigned found = 0;
            const NsLabel *label, *before = NULL;
            for (unsigned i = 0; (label = label_of(layout, NS_PART_X_TICK, i)); i++) {
                bool own = g_str_equal(pango_layout_get_text(label->text), number);
                found += own;
                if (own) g_assert_cmpfloat(fabs(label->box.x + label->box.width / 2 - x), <, 12);
                if (i > 1) g_assert_cmpfloat(label->box.x, >, before->box.x + before->box.width);
                before = label;
            }
            g_assert_cmpuint(found, ==, 1);
        }
    }
}

/* ---- Runs ---- */

#define RUNS 4
static const char *const names[RUNS] = {"A Post-LN", "B Pre-LN", "C Sandwich", "D DeepNorm"};

/* Curves that end the higher, the later they are in the list. */
static NsPlot runs_of(NsSeries series[RUNS], double y[RUNS][2])
{
    static const double x[] = {0, 1};
    for (int i = 0; i < RUNS; i++) {
        y[i][0] = 1;
        y[i][1] = i + 2;
        series[i] = (NsSeries){.label = names[i], .style = (unsigned)i, .n = 2, .x = x, .y = y[i]};
    }
    static const NsAxis axis = {.label = "step", .lo = (double)NAN, .hi = (double)NAN};
    return (NsPlot){.x = axis, .left = axis, .series = series, .n_series = RUNS, .version = 1};
}

static void test_legend(void)
{
    NsSeries series[RUNS];
    double y[RUNS][2];
    NsPlot plot = runs_of(series, y);
    plot.legend = NS_LEGEND_ABOVE;
    for (int lettered = 0; lettered < 2; lettered++) {
        plot.lettered = lettered;
        for (int screen = 0; screen < 2; screen++) {
            const NsStyle *style = screen ? ns_style_find("screen-light") : paper();
            g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 600, 300, style);
            g_assert_cmpuint(layout->legend->len, ==, RUNS);
            for (unsigned i = 0; i < RUNS; i++)
                g_assert_cmpstr(words_of(layout, NS_PART_LEGEND, i), ==,
                                names[lettered || screen ? i : RUNS - 1 - i]);
        }
    }
}

/* A name that is wider than the page continues on another line, and the next name starts below
 * it. */
static void test_wide_names(void)
{
    NsSeries series[RUNS];
    double y[RUNS][2];
    NsPlot plot = runs_of(series, y);
    plot.lettered = true;
    series[1].label = "B Pre-LN, RMSNorm, warm-up 1,000, inverse square root";
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 150, 300, paper());
    g_assert_cmpstr(words_of(layout, NS_PART_LEGEND, 1), ==, series[1].label);
    const NsBox *wide = &g_array_index(layout->legend, NsLegendSample, 1).entry;
    const NsBox *next = &g_array_index(layout->legend, NsLegendSample, 2).entry;
    g_assert_cmpfloat(wide->height, >, 1.9 * next->height);
    g_assert_cmpfloat(wide->x + wide->width, <=, 150);
    g_assert_cmpfloat(next->y, >=, wide->y + wide->height);
    g_assert_cmpfloat(layout->area.y, >=, next->y + next->height);
}

/* Letters are used if names do not fit. */
static void test_letters(void)
{
    NsSeries series[RUNS];
    double y[RUNS][2];
    NsPlot plot = runs_of(series, y);
    g_autoptr(NsPlotLayout) none = ns_plot_layout(&plot, 180, 90, paper());
    g_assert_false(ns_plot_has_legend(none));
    plot.lettered = true;
    g_autoptr(NsPlotLayout) letters = ns_plot_layout(&plot, 180, 60, paper());
    g_assert_cmpstr(words_of(letters, NS_PART_LEGEND, 0), ==, "A");
    g_assert_cmpstr(words_of(letters, NS_PART_LEGEND, RUNS - 1), ==, "D");
    /* Names would fit, but not together with the curves and the other parts. */
    plot.title = "A title";
    g_autoptr(NsPlotLayout) low = ns_plot_layout(&plot, 250, 76, paper());
    g_assert_cmpstr(words_of(low, NS_PART_LEGEND, 0), ==, "A");
}

/* ---- Names at the ends of curves ---- */

static const NsLegendSample *entry_of(const NsPlotLayout *layout, const char *name)
{
    for (unsigned i = 0; i < layout->legend->len; i++) {
        const NsLegendSample *sample = &g_array_index(layout->legend, NsLegendSample, i);
        if (g_str_equal(ns_series_name(sample->series), name)) return sample;
    }
    g_assert_not_reached();
}

static void test_ends(void)
{
    NsSeries series[RUNS];
    double y[RUNS][2];
    NsPlot plot = runs_of(series, y);
    const NsStyle *style = ns_style_find("screen-light");
    plot.lettered = true;
    /* The first three curves end at nearly the same height. */
    y[0][1] = 4.99;
    y[1][1] = 5;
    y[2][1] = 4.98;
    y[3][1] = 2;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 600, 300, style);
    g_assert_null(words_of(layout, NS_PART_LEGEND, 0));
    g_assert_false(ns_plot_has_legend(layout));
    double end = ns_plot_x_to_pixel(layout, 1);
    for (unsigned i = 0; i < RUNS; i++) {
        const NsLegendSample *sample = entry_of(layout, names[i]);
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, sample->label);
        const NsBox *area = &layout->area;
        NsColor color = style->series[i].color;
        g_assert_true(sample->at_end);
        g_assert_cmpstr(pango_layout_get_text(label->text), ==, names[i]);
        g_assert_true(memcmp(&label->color, &color, sizeof color) == 0);
        g_assert_cmpfloat(label->box.x, >, end);
        g_assert_cmpfloat(label->box.x + label->box.width, <, area->x + area->width);
        g_assert_cmpint(
            ns_plot_legend_at(layout, label->box.x + 2, label->box.y + label->box.height / 2), ==,
            (int)i);
        for (unsigned k = 0; k < i; k++) {
            const NsBox *other =
                &g_array_index(layout->labels, NsLabel, entry_of(layout, names[k])->label).box;
            g_assert_true(label->box.y >= other->y + other->height ||
                          other->y >= label->box.y + label->box.height);
        }
    }
    /* A name that was moved has a leader line; a name without neighbors at its height does not. */
    unsigned led = 0;
    for (unsigned i = 0; i < layout->labels->len; i++)
        led += g_array_index(layout->labels, NsLabel, i).led;
    g_assert_cmpuint(led, ==, 2);
}

/* The legend has what is not at the end of a curve: theory, and on a small page all names.  A
 * hidden curve keeps its name. */
static void test_no_ends(void)
{
    NsSeries series[RUNS];
    double y[RUNS][2];
    NsPlot plot = runs_of(series, y);
    const NsStyle *style = ns_style_find("screen-light");
    plot.lettered = true;
    series[2].theory = true;
    series[2].label = "C, in the limit of many layers as the paper has it in its appendix";
    series[3].hidden = true;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 600, 300, style);
    g_assert_true(entry_of(layout, names[0])->at_end && entry_of(layout, names[1])->at_end);
    g_assert_false(entry_of(layout, series[2].label)->at_end);
    g_assert_true(entry_of(layout, names[3])->at_end);
    g_assert_nonnull(words_of(layout, NS_PART_LEGEND, 0));
    g_assert_null(words_of(layout, NS_PART_LEGEND, 1));
    for (int small = 0; small < 2; small++) {
        g_autoptr(NsPlotLayout) other =
            ns_plot_layout(&plot, small ? 400 : 600, small ? 300 : 150, style);
        g_assert_cmpuint(other->legend->len, ==, RUNS);
        g_assert_false(entry_of(other, names[0])->at_end);
    }
}

/* In a frame of a film, names are at the ends of the visible parts of curves. */
static void test_ends_of_frames(void)
{
    static const double x[] = {0, 25, 50, 75, 100}, y[] = {5, 4, 3, 2, 1};
    NsSeries series[2] = {{.label = "falls", .n = 5, .x = x, .y = y},
                          {.label = "rises", .style = 1, .n = 5, .x = x, .y = x}};
    NsPlot plot = {.x = axis("step", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("value", NULL, NS_SCALE_LINEAR, false),
                   .series = series,
                   .n_series = 2,
                   .cut = true,
                   .version = 1};
    double before = 0;
    for (plot.cut_at = 0; plot.cut_at <= 100; plot.cut_at += 25) {
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 400, 200, paper());
        const NsLegendSample *sample = entry_of(layout, "rises");
        g_assert_true(sample->at_end);
        g_assert_cmpfloat(sample->entry.x, >, before);
        g_assert_cmpfloat(sample->entry.x, >, ns_plot_x_to_pixel(layout, plot.cut_at));
        before = sample->entry.x;
    }
}

/* ---- Panels ---- */

enum { ROWS = 6, CELLS = 8 };

static NsPlot panels_of(NsHeatmap *map, NsHeatPanel panels[RUNS])
{
    static float z[RUNS * ROWS * CELLS];
    for (int i = 0; i < RUNS; i++)
        panels[i] = (NsHeatPanel){names[i], (unsigned)i + 1, (size_t)i * ROWS, ROWS, 0.5};
    *map = (NsHeatmap){.z = z,
                       .rows = sizeof z / sizeof *z / CELLS,
                       .columns = CELLS,
                       .x0 = -0.5,
                       .x1 = CELLS - 0.5,
                       .y1 = RUNS,
                       .panels = panels,
                       .n_panels = RUNS};
    return (NsPlot){.x = {.label = "step", .integer = true, .lo = NAN, .hi = NAN},
                    .left = {.label = "layer", .integer = true, .lo = NAN, .hi = NAN},
                    .heatmap = map,
                    .lettered = true,
                    .version = 1};
}

/* Checks the labels beside panels on a page of this height, and that all panels have the same
 * ticks. */
static void check_panels(double height, const char *words)
{
    NsHeatmap map;
    NsHeatPanel panels[RUNS];
    NsPlot plot = panels_of(&map, panels);
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 250, height, paper());
    g_assert_cmpstr(words_of(layout, NS_PART_LEFT_LABEL, 0), ==, words);
    unsigned n = 0;
    while (words_of(layout, NS_PART_LEFT_TICK, n)) n++;
    g_assert_cmpuint(n, >=, RUNS);
    g_assert_cmpuint(n % RUNS, ==, 0);
    for (unsigned i = n / RUNS; i < n; i++)
        g_assert_cmpstr(words_of(layout, NS_PART_LEFT_TICK, i), ==,
                        words_of(layout, NS_PART_LEFT_TICK, i - n / RUNS));
}

static void test_panels(void)
{
    check_panels(700, "A Post-LN · layer");
    check_panels(240, "A · layer");
    check_panels(110, "A");
}

/* A title gets a second line before it is shortened, and an axis title loses its part in
 * parentheses. */
static void test_titles(void)
{
    static const char title[] = "(a) Linear centered kernel alignment of all of the hidden states";
    NsPlot plot = *sample(HEATMAP);
    plot.title = title;
    plot.left.label = "layer (0: the embedding before the first of them)";
    NsHeatmap map = *plot.heatmap;
    map.label = "share (of all that the branches add to the stream)";
    plot.heatmap = &map;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 220, 170, paper());
    g_assert_cmpstr(words_of(layout, NS_PART_TITLE, 0), ==, title);
    const NsLabel *wrapped = ns_layout_label(layout, NS_PART_TITLE);
    const NsLabel *subtitle = ns_layout_label(layout, NS_PART_SUBTITLE);
    double gap = subtitle->y - wrapped->y - ns_text_height(wrapped->text);
    g_assert_cmpfloat(gap, >=, 0.2 * layout->style->text_size);
    g_assert_false(pango_layout_is_ellipsized(label_of(layout, NS_PART_TITLE, 0)->text));
    g_assert_cmpstr(words_of(layout, NS_PART_LEFT_LABEL, 0), ==, "layer");
    g_assert_cmpstr(words_of(layout, NS_PART_BAR_LABEL, 0), ==, "share");
}

/* A figure is refused where its text leaves no space for the numbers at its axes or colors. */
static void test_numbers(void)
{
    const NsPlot *plots[] = {sample(LOSS), sample(HEATMAP)};
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "figure.svg", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(plots); i++)
        for (int large = 0; large < 2; large++) {
            NsStyle style = ns_style_scaled(paper(), large ? 7 : 1);
            NsExport how = {.format = NS_FORMAT_SVG,
                            .style = &style,
                            .width = 234,
                            .height = 164,
                            .proposed = true};
            g_autoptr(GError) error = NULL;
            g_assert_cmpint(ns_export(&plots[i], 1, &how, path, &error), ==, !large);
            g_assert_cmpint(g_file_test(path, G_FILE_TEST_EXISTS), ==, !large);
            if (large) g_assert_nonnull(strstr(error->message, "choose a smaller text"));
            /* Whoever takes remarks gets the figure. */
            g_autofree char *remark = NULL;
            how.remark = &remark;
            g_assert_true(ns_export(&plots[i], 1, &how, path, NULL));
            g_assert_cmpstr(remark, ==, large ? error->message : NULL);
            g_unlink(path);
        }
    g_rmdir(folder);
}

/* If the height of a page is free, the note is complete at any width, in every style and format. */
static void test_notes(void)
{
    static const double widths[] = {170, 249, 510};
    static const NsFormat formats[] = {NS_FORMAT_SVG, NS_FORMAT_TEX};
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "figure", NULL);
    NsPlot plot = *sample(LOSS);
    plot.note = "Faint lines: step 0. A, B: one sentence that says something of both lanes. "
                "A mark by itself is what was measured after the final norm of the model. "
                "Another sentence, which is here so that the note is longer than a column is wide. "
                "The last sentence of all of them, which a reader must not miss: ultimately.";
    const NsPlot *plots[] = {&plot, sample(HEATMAP)};
    for (size_t i = 0; ns_style(i); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(widths) * G_N_ELEMENTS(formats); k++) {
            NsStyle style = ns_style_scaled(ns_style(i), 8 / ns_style(i)->text_size);
            NsExport how = {.format = formats[k % 2],
                            .style = &style,
                            .width = widths[k / 2],
                            .height = round(0.7 * widths[k / 2]),
                            .columns = 2,
                            .proposed = true,
                            .dpi = 72};
            for (size_t n = 1; n <= (how.width > 500 ? 2 : 1); n++) {
                g_autofree char *file = NULL;
                g_assert_true(ns_export(plots, n, &how, path, NULL));
                g_assert_true(g_file_get_contents(path, &file, NULL, NULL));
                g_test_message("%s, %g, %zu charts", style.choice.key, how.width, n);
                g_assert_nonnull(strstr(file, "ultimately."));
            }
        }
    g_unlink(path);
    g_rmdir(folder);
}

/* Values that two plots cannot show are counted for each curve, by its name. */
static void test_faults(void)
{
    const double x[] = {1, 2, 3}, a[] = {0, 0, 1}, b[] = {NAN, 1, 1}, past[] = {1, NAN, 1};
    const double ratio[] = {NAN, INFINITY, INFINITY};
    const NsSeries series[] = {
        {.label = "A Post-LN", .n = 3, .x = x, .y = a},
        {.label = "B Pre-LN", .style = 1, .n = 3, .x = x, .y = b},
        {.label = "step 0", .style = 1, .previous = true, .n = 3, .x = x, .y = past}};
    const NsSeries quotient = {.label = "B", .style = 1, .n = 3, .x = x, .y = ratio};
    const NsPlot lower = {
        .left = axis("B / A", NULL, NS_SCALE_LOG, false), .series = &quotient, .n_series = 1};
    NsPlot plot = {.x = axis("layer", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("norm", NULL, NS_SCALE_LOG, false),
                   .series = series,
                   .n_series = 3,
                   .lettered = true,
                   .lower = &lower,
                   .note = "Faint lines: step 0."};
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 600, 300, paper());
    g_assert_cmpstr(layout->lower->note, ==,
                    "A: 2 values are 0 (▼) · B: 2 values are not a number (△) · B / A: 1 value is "
                    "not a number (△), 2 values are infinite (▲) · Faint lines: step 0.");
    plot.lettered = false;
    plot.lower = NULL;
    g_autoptr(NsPlotLayout) single = ns_plot_layout(&plot, 600, 300, paper());
    g_assert_cmpstr(single->note, ==,
                    "2 values are not a number (△) · 2 values are 0 (▼) · Faint lines: step 0.");
}

/* Each of many vertical lines is named: those with the same text together where names would
 * overlap, and the last one may be beyond the plot area. */
static void test_marker_names(void)
{
    static const double at[] = {2, 14, 18, 21, 25, 41, 48};
    static const double x[] = {0, 48}, y[] = {0, 1};
    const NsSeries series = {.label = "training", .n = 2, .x = x, .y = y};
    NsMarker markers[G_N_ELEMENTS(at)];
    for (size_t i = 0; i < G_N_ELEMENTS(at); i++)
        markers[i] = (NsMarker){.x = at[i], .text = i < 6 ? "spike" : "diverged", .alarm = true};
    markers[6].last = true;
    const NsPlot plot = {.x = axis("step", NULL, NS_SCALE_LINEAR, true),
                         .left = axis("loss", NULL, NS_SCALE_LINEAR, false),
                         .series = &series,
                         .n_series = 1,
                         .markers = markers,
                         .n_markers = G_N_ELEMENTS(at)};
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 248, 160, paper());
    unsigned named = 0;
    for (unsigned i = 0; label_of(layout, NS_PART_MARKER, i); i++) {
        const NsLabel *label = label_of(layout, NS_PART_MARKER, i);
        const char *several = strstr(ns_text_words(label->text), "×");
        named += several ? (unsigned)atoi(several + strlen("×")) : 1;
        g_assert_cmpfloat(label->box.x + label->box.width, <=, 248);
    }
    g_assert_cmpuint(named, ==, G_N_ELEMENTS(at));
}

/* What is about the runs is said once on a sheet, below the first plot. */
static void test_said_once(void)
{
    static const char *const notes[] = {"Diverged at step 3.", "Diverged at step 3. Thick: means.",
                                        "Diverged at step 3."};
    static const char *const shown[] = {"Diverged at step 3.", "Thick: means.", NULL};
    NsPlot plots[3];
    const NsPlot *all[3];
    for (size_t i = 0; i < 3; i++) {
        plots[i] = *sample(LOSS);
        plots[i].note = notes[i];
        plots[i].of_runs = strlen(notes[0]);
        all[i] = &plots[i];
    }
    const NsExport how = {.style = paper(), .width = 500, .height = 400, .columns = 2};
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(all, 3, &how);
    for (size_t i = 0; i < 3; i++) g_assert_cmpstr(sheet.plots[i].plot.note, ==, shown[i]);
}

/* In a file, the unit of a low axis is in the title, if there is one that has space for it. */
static void check_unit(const NsPlot *plot, double height)
{
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 248, height, paper());
    const NsLabel *axis_label = label_of(layout, NS_PART_LEFT_LABEL, 0);
    const char *title = words_of(layout, NS_PART_TITLE, 0);
    if (!axis_label || !title) return;
    if (g_str_has_suffix(plot->title, " ")) {
        g_assert_cmpstr(title, ==, plot->title);
        return;
    }
    bool moved = !strstr(ns_text_words(axis_label->text), "nats");
    g_assert_true(moved == !!strstr(title, "(nats per token)"));
    double size = paper()->text_size, over = layout->lower ? -size : size;
    if (!moved) g_assert_cmpfloat(axis_label->box.height, <=, layout->area.height + over);
}

static void test_unit(void)
{
    static const double x[] = {0, 40}, rate[] = {0, 0.003};
    const NsSeries series = {.label = "rate", .n = 2, .x = x, .y = rate};
    const NsPlot lower = {.left = axis("learning rate", NULL, NS_SCALE_LINEAR, false),
                          .series = &series,
                          .n_series = 1,
                          .input = true};
    NsPlot plot = *sample(LOSS);
    plot.left.label = "loss";
    plot.left.unit = "nats per token";
    for (int which = 0; which < 4; which++)
        for (double height = 80; height < 260; height += 5) {
            plot.title = which & 1 ? "(a) Loss" : "(a) ";
            plot.lower = which & 2 ? &lower : NULL;
            check_unit(&plot, height);
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/words/abridge", test_abridge);
    g_test_add_func("/words/last-line", test_last_line);
    g_test_add_func("/words/moment", test_moment);
    g_test_add_func("/words/special", test_special);
    g_test_add_func("/words/ends", test_ends);
    g_test_add_func("/words/no-ends", test_no_ends);
    g_test_add_func("/words/ends-of-frames", test_ends_of_frames);
    g_test_add_func("/words/point", test_point);
    g_test_add_func("/words/legend", test_legend);
    g_test_add_func("/words/wide-names", test_wide_names);
    g_test_add_func("/words/letters", test_letters);
    g_test_add_func("/words/panels", test_panels);
    g_test_add_func("/words/titles", test_titles);
    g_test_add_func("/words/numbers", test_numbers);
    g_test_add_func("/words/notes", test_notes);
    g_test_add_func("/words/faults", test_faults);
    g_test_add_func("/words/marker-names", test_marker_names);
    g_test_add_func("/words/said-once", test_said_once);
    g_test_add_func("/words/unit", test_unit);
    return g_test_run();
}
