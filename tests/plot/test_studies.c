/* Figures of sweeps and studies, named axes and hatched cells.  SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"
#include "tests/plot/support.h"
#include "ui/figures/figures.h"
#include "ui/plot/csv.h"
#include "ui/plot/plot-private.h"

#include <math.h>
#include <string.h>

#define WAIT_MS 600000

static const char *const names[] = {"0.1", "post", "1e3"};

/* Three by two cells; the middle cell of the upper row is not a number. */
static NsPlot map_plot(NsHeatmap *map)
{
    static const float z[] = {1, 2, 3, 4, NAN, -INFINITY};
    static const char *const notes[] = {"one", NULL, NULL, NULL, "diverged", "queued"};
    *map = (NsHeatmap){.z = z,
                       .rows = 2,
                       .columns = 3,
                       .x0 = -0.5,
                       .x1 = 2.5,
                       .y0 = -0.5,
                       .y1 = 1.5,
                       .label = "loss",
                       .hatch = true,
                       .notes = notes};
    NsPlot plot = {.x = axis("setting", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("row", NULL, NS_SCALE_LINEAR, true),
                   .heatmap = map};
    plot.x.names = names;
    plot.x.n_names = G_N_ELEMENTS(names);
    return plot;
}

static bool has_label(const NsPlotLayout *layout, NsPart part, const char *text)
{
    for (guint i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part == part && g_str_equal(pango_layout_get_text(label->text), text))
            return true;
    }
    return false;
}

static void test_names(void)
{
    NsHeatmap map;
    NsPlot plot = map_plot(&map);
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 480, 300, ns_style(0));
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        g_assert_true(has_label(layout, NS_PART_X_TICK, names[i]));
    g_assert_true(has_label(layout, NS_PART_LEFT_TICK, "1"));
    const NsPlot *plots[] = {&plot};
    g_autoptr(GString) csv = ns_csv_write(plots, 1, NULL);
    g_assert_nonnull(strstr(csv->str, ",post,0,2"));
    g_assert_nonnull(strstr(csv->str, ",1e3,1,"));
}

/* With little space, names are omitted one by one, and never overlap. */
static void test_many_names(void)
{
    static const char *many[64];
    static float z[64];
    for (size_t i = 0; i < 64; i++) many[i] = "0.000316";
    NsHeatmap map = {.z = z, .rows = 1, .columns = 64, .x0 = -0.5, .x1 = 63.5, .y0 = 0, .y1 = 1};
    NsPlot plot = {.x = axis("x", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("y", NULL, NS_SCALE_LINEAR, false),
                   .heatmap = &map};
    plot.x.names = many;
    plot.x.n_names = 64;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 400, 200, ns_style(0));
    double end = -INFINITY;
    unsigned shown = 0;
    for (guint i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part != NS_PART_X_TICK) continue;
        g_assert_cmpfloat(label->box.x, >, end);
        end = label->box.x + label->box.width;
        shown++;
    }
    g_assert_cmpuint(shown, >=, 2);
    g_assert_cmpuint(shown, <, 64);
}

static unsigned turned_labels(const NsPlotLayout *layout)
{
    unsigned n = 0;
    for (guint i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        n += label->part == NS_PART_X_TICK && label->rotated;
    }
    return n;
}

/* Names that a reader can guess are reduced to the shortest; all others are shown, rotated. */
static void test_narrow_names(void)
{
    static const char *const numbers[] = {"1e-5",    "3.16e-5", "1e-4",   "3.16e-4", "0.001",
                                          "0.00316", "0.01",    "0.0316", "0.1",     "0.316",
                                          "1",       "3.16",    "10"};
    static const float z[G_N_ELEMENTS(numbers)];
    NsHeatmap map = {.z = z, .rows = 1, .columns = 13, .x0 = -0.5, .x1 = 12.5, .y0 = 0, .y1 = 1};
    NsPlot plot = {.x = axis("x", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("y", NULL, NS_SCALE_LINEAR, false),
                   .heatmap = &map};
    plot.x.names = numbers;
    plot.x.n_names = G_N_ELEMENTS(numbers);
    plot.x.even = true;
    g_autoptr(NsPlotLayout) even = ns_plot_layout(&plot, 250, 170, ns_style_find("paper"));
    g_assert_cmpuint(turned_labels(even), ==, 0);
    g_assert_true(has_label(even, NS_PART_X_TICK, "1e-5"));
    g_assert_true(has_label(even, NS_PART_X_TICK, "0.001"));
    g_assert_false(has_label(even, NS_PART_X_TICK, "3.16e-4"));
    plot.x.even = false;
    g_autoptr(NsPlotLayout) uneven = ns_plot_layout(&plot, 250, 170, ns_style_find("paper"));
    g_assert_cmpuint(turned_labels(uneven), ==, G_N_ELEMENTS(numbers));
    g_assert_cmpfloat(ns_plot_area(uneven).height, <, ns_plot_area(even).height);
    for (guint i = 0; i < uneven->labels->len; i++)
        g_assert_cmpfloat(g_array_index(uneven->labels, NsLabel, i).box.y, >=, 0);
    plot.x.n_names = 4;
    map.columns = 4;
    map.x1 = 3.5;
    g_autoptr(NsPlotLayout) few = ns_plot_layout(&plot, 250, 170, ns_style_find("paper"));
    g_assert_cmpuint(turned_labels(few), ==, 0);
}

static char *tip_at(const NsPlotLayout *layout, double x, double y)
{
    NsReading reading;
    g_assert_true(ns_plot_pick(layout, ns_plot_x_to_pixel(layout, x), ns_plot_y_to_pixel(layout, y),
                               &reading));
    char *text = g_strdup(reading.text);
    ns_reading_clear(&reading);
    return text;
}

static void test_tips(void)
{
    NsHeatmap map;
    NsPlot plot = map_plot(&map);
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 480, 300, ns_style(0));
    g_autofree char *one = tip_at(layout, 0, 0), *two = tip_at(layout, 1, 0);
    g_autofree char *bad = tip_at(layout, 1, 1), *blank = tip_at(layout, 2, 1);
    g_assert_cmpstr(one, ==, "setting 0.1\nrow 0\nloss: 1.000\none");
    g_assert_cmpstr(two, ==, "setting post\nrow 0\nloss: 2.000");
    g_assert_cmpstr(bad, ==, "setting post\nrow 1\ndiverged");
    g_assert_cmpstr(blank, ==, "setting 1e3\nrow 1\nqueued");
}

/* The number of colors inside a cell: two or more if it is hatched, otherwise one. */
static unsigned colors_in(cairo_surface_t *image, const NsPlotLayout *layout, double x, double y)
{
    const NsBox *area = &layout->area;
    int px = (int)ns_plot_x_to_pixel(layout, x), half = (int)(area->width / 3 / 4);
    int py = (int)ns_plot_y_to_pixel(layout, y);
    const unsigned char *data = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (int dy = -half / 2; dy <= half / 2; dy++)
        for (int dx = -half; dx <= half; dx++) {
            uint32_t pixel;
            memcpy(&pixel, data + (size_t)(py + dy) * (size_t)stride + (size_t)(px + dx) * 4, 4);
            g_hash_table_add(seen, GUINT_TO_POINTER(pixel | 0xff000000));
        }
    return g_hash_table_size(seen);
}

static uint32_t pixel_at(cairo_surface_t *image, const NsPlotLayout *layout, double x, double y)
{
    uint32_t pixel;
    size_t stride = (size_t)cairo_image_surface_get_stride(image);
    size_t row = (size_t)ns_plot_y_to_pixel(layout, y), at = (size_t)ns_plot_x_to_pixel(layout, x);
    memcpy(&pixel, cairo_image_surface_get_data(image) + row * stride + at * sizeof pixel,
           sizeof pixel);
    return pixel;
}

static void test_hatch(void)
{
    for (size_t k = 0; ns_style(k); k++) {
        NsHeatmap map;
        NsPlot plot = map_plot(&map);
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, 600, 400, ns_style(k));
        cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 600, 400);
        cairo_t *cr = cairo_create(image);
        ns_plot_draw(layout, cr);
        cairo_destroy(cr);
        cairo_surface_flush(image);
        g_assert_cmpuint(colors_in(image, layout, 1, 1), >=, 2);
        g_assert_cmpuint(colors_in(image, layout, 0, 0), ==, 1);
        g_assert_cmpuint(colors_in(image, layout, 2, 1), ==, 1);
        /* A blank cell is outlined, so that a sweep has a shape before it begins. */
        g_assert_cmpuint(pixel_at(image, layout, 2, 1.5), !=, pixel_at(image, layout, 2, 1));
        /* The figure explains hatched cells, so that the note does not mention them. */
        g_autofree char *note = ns_data_summary_note(&plot, &layout->summary, NULL, NULL);
        g_assert_null(note);
        cairo_surface_destroy(image);
    }
}

/* ---- The figure of a sweep ---- */

static NsPhase *make_phase_of(int64_t seeds, const char *x_text, const char *y_text,
                              NsStudyWork **work)
{
    NsSettings settings;
    g_autoptr(GError) error = NULL;
    g_auto(NsStudyAxis) x = {0}, y = {0};
    g_auto(NsStudy) study;
    ns_study_init(&study);
    ns_settings_init(&settings);
    settings.layers = 4;
    settings.d_model = 8;
    settings.heads = 1;
    settings.seq = 4;
    settings.batch = 2;
    settings.optimizer = (unsigned)ns_choices_find(ns_param_find("optimizer")->choices, "sgd");
    g_assert_true(ns_study_axis_read(&x, x_text, &error) && ns_study_axis_read(&y, y_text, &error));
    ns_phase_study(&study, (const NsSettings *[]){&settings}, 1, &x, &y, 20, &error);
    g_assert_no_error(error);
    ns_settings_clear(&settings);
    study.seeds = seeds;
    *work = ns_study_work_new(&study, NULL, NULL);
    return ns_phase_new(*work, 0, 0, 1, NULL);
}

static NsPhase *make_phase(const char *x_text, const char *y_text, NsStudyWork **work)
{
    return make_phase_of(1, x_text, y_text, work);
}

static void train(NsStudyWork *work)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(ns_study_work_start(work, 1, &error));
    g_assert_true(ns_study_work_wait(work, WAIT_MS));
}

#define WIDTH 400
#define HEIGHT 300

static cairo_surface_t *picture(const NsPlotLayout *layout)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    cairo_t *cr = cairo_create(image);
    ns_plot_draw(layout, cr);
    cairo_destroy(cr);
    cairo_surface_flush(image);
    return image;
}

/* The frame of the current setting is inside its cell, here the upper left one. */
static void check_frame(const NsPlot *plot)
{
    const NsStyle *style = ns_style_find("screen-light");
    NsPlot bare = *plot;
    bare.n_spans = 0;
    g_autoptr(NsPlotLayout) marked = ns_plot_layout(plot, WIDTH, HEIGHT, style);
    g_autoptr(NsPlotLayout) unmarked = ns_plot_layout(&bare, WIDTH, HEIGHT, style);
    cairo_surface_t *a = picture(marked), *b = picture(unmarked);
    const NsBox *area = &marked->area;
    int stride = cairo_image_surface_get_stride(a), inside = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            long at = y * stride + 4 * x;
            if (!memcmp(cairo_image_surface_get_data(a) + at, cairo_image_surface_get_data(b) + at,
                        3))
                continue;
            g_assert_true(x >= area->x - 1 && x <= area->x + area->width / 2 + 1);
            g_assert_true(y >= area->y - 1 && y <= area->y + area->height / 2 + 1);
            inside++;
        }
    g_assert_true(inside > area->width + area->height);
    cairo_surface_destroy(a);
    cairo_surface_destroy(b);
}

/* A cell of several seeds names what its numbers are. */
static void test_phase_seeds(void)
{
    g_autoptr(NsStudyWork) work = NULL;
    g_autoptr(NsPhase) phase = make_phase_of(2, "lr=0.01", "placement=pre", &work);
    g_autoptr(NsFigure) figure = ns_figure_create(&ns_phase_kind);
    NsFigureInput input = {.step = -1, .phase = phase};
    train(work);
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_nonnull(strstr(plot->heatmap->notes[0], "loss of each seed: "));
}

static void test_phase(void)
{
    g_autoptr(NsStudyWork) work = NULL, second = NULL;
    g_autoptr(NsPhase) phase = make_phase("lr=0.01,100", "placement=none,pre", &work);
    g_autoptr(NsFigure) figure = ns_figure_create(&ns_phase_kind);
    NsFigureInput input = {.step = -1, .log = true};
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_null(plot->heatmap);
    input.phase = phase;
    plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->heatmap->columns, ==, 2);
    for (size_t i = 0; i < 4; i++) g_assert_true(ns_cell_is_blank(plot->heatmap->z[i]));
    g_assert_cmpstr(plot->heatmap->notes[0], ==, "queued");
    g_assert_nonnull(strstr(plot->note, "0 of 4 cells"));
    uint64_t version = plot->version;
    plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->version, ==, version);

    train(work);
    plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->version, !=, version);
    for (size_t i = 0; i < 4; i++) {
        NsStudyCell cell = ns_phase_cell(phase, i);
        bool diverged = cell.state == NS_CELL_DIVERGED;
        g_assert_true(diverged == isnan(plot->heatmap->z[i]));
        if (!diverged) g_assert_true(plot->heatmap->z[i] == (float)cell.loss);
        const char *word = diverged ? "diverged at step" : "validation loss";
        g_assert_nonnull(strstr(plot->heatmap->notes[i], word));
    }
    g_assert_true(isnan(plot->heatmap->z[1]));
    g_assert_nonnull(strstr(plot->note, "Hatched"));
    g_assert_nonnull(strstr(plot->note, "at Peak learning rate 100, Norm placement No norm "));
    g_assert_cmpstr(plot->left.names[1], ==, "Pre-LN");
    g_assert_cmpstr(plot->x.names[1], ==, "100");

    /* Fixed settings are listed, the current setting is framed, and a neighboring plot shares the
     * colors. */
    g_assert_nonnull(strstr(plot->subtitle, "4 layers, "));
    g_assert_nonnull(strstr(plot->subtitle, ", d-model 8, "));
    g_assert_null(strstr(plot->subtitle, "lr"));
    g_assert_null(strstr(plot->subtitle, "="));
    g_assert_cmpuint(plot->n_spans, ==, 0);
    NsSettings settings;
    ns_settings_copy(&settings, phase->settings);
    ns_settings_set(&settings, "lr", "0.01", NULL);
    ns_settings_set(&settings, "placement", "pre", NULL);
    input.settings = &settings;
    version = plot->version;
    plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->version, !=, version);
    g_assert_cmpuint(plot->n_spans, ==, 2);
    g_assert_cmpfloat(plot->spans[0].from, ==, -0.5);
    g_assert_cmpfloat(plot->spans[1].from, ==, 0.5);
    check_frame(plot);
    g_assert_nonnull(strstr(plot->note, "the current settings"));
    ns_settings_set(&settings, "lr", "0.02", NULL);
    plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->n_spans, ==, 2);
    g_assert_nonnull(strstr(plot->note, "nearest to the current settings"));
    ns_settings_set(&settings, "lr", "0.001", NULL);
    g_assert_cmpuint(ns_figure_update(figure, &input)->n_spans, ==, 0);
    ns_settings_clear(&settings);
    input.settings = NULL;
    g_autoptr(NsPhase) beside = make_phase("lr=0.001,0.003", "placement=none,pre", &second);
    train(second);
    g_autoptr(NsFigure) other = ns_figure_create(&ns_phase_kind);
    NsFigureInput right = {.step = -1, .log = true, .phase = beside, .alongside = phase};
    input.alongside = beside;
    const NsHeatmap *a = ns_figure_update(figure, &input)->heatmap;
    const NsHeatmap *b = ns_figure_update(other, &right)->heatmap;
    g_assert_cmpfloat(a->lo, ==, b->lo);
    g_assert_cmpfloat(a->hi, ==, b->hi);
}

/* The tick labels of a sweep, and the values between them. */
static void test_phase_axes(void)
{
    static const struct {
        const char *axis, *second;
        bool even;
    } axes[] = {
        {"lr=1e-5:10:13", "3.16e-5", true},        {"lr=0.0001,0.00037,0.01,3", "0.00037", false},
        {"lr=0.001,0.0001,0.01", "0.0001", false}, {"lr=0.00001,0.001,0.1", "1e-3", true},
        {"lr=0.1,0.2,0.3,0.4", "0.2", true},       {"lr=0.1,0.01", "0.01", false},
        {"dropout=0.1,off", "off", false},         {"placement=post,pre,sandwich", "Pre-LN", false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(axes); i++) {
        g_autoptr(NsStudyWork) work = NULL;
        g_autoptr(NsPhase) phase = make_phase(axes[i].axis, "warmup=1,10", &work);
        g_autoptr(NsFigure) figure = ns_figure_create(&ns_phase_kind);
        const NsPlot *plot = ns_figure_update(figure, &(NsFigureInput){.phase = phase, .step = -1});
        g_assert_cmpstr(plot->x.names[1], ==, axes[i].second);
        g_assert_cmpstr(plot->left.names[0], ==, "off");
        g_autofree char *title =
            g_strdup_printf("Final loss by %s and Warm-up", phase->x->param->label);
        g_assert_cmpstr(plot->title, ==, title);
        g_assert_true(plot->x.even == axes[i].even);
    }
}

/* ---- The figure of a study ---- */

/* The plots of single seeds have each measured curve, and the curve of the plot is their mean. */
static void check_singles(const NsPlot *plot, size_t seeds)
{
    g_assert_cmpuint(plot->n_singles, ==, seeds > 1 ? seeds : 0);
    for (size_t k = 0; plot->n_singles && k < plot->n_series; k++) {
        const NsSeries *mean = &plot->series[k];
        for (size_t i = 0; !mean->theory && i < mean->n; i++) {
            double sum = 0;
            for (size_t seed = 0; seed < seeds; seed++)
                sum += plot->singles[seed]->series[k].y[i] / (double)seeds;
            if (isfinite(sum))
                g_assert_cmpfloat_with_epsilon(sum, mean->y[i], 1e-12 + 1e-9 * fabs(sum));
        }
    }
}

/* Returns whether some claim concerns more than a number. */
static bool has_shape(const NsPaperStudy *row)
{
    bool shape = false;
    for (unsigned i = 0; i < ns_paper_claims(row); i++)
        shape |= row->claims[i].kind <= NS_CLAIM_UPPER || row->claims[i].kind == NS_CLAIM_TREND ||
                 row->claims[i].kind == NS_CLAIM_EVEN;
    return shape;
}

static void test_paper(void)
{
    for (size_t i = 0; ns_paper_study(i); i++) {
        NsPaperStudy small = *ns_paper_study(i);
        small.seeds = 2;
        bool tokens = g_str_equal(small.choice.key, "concentration");
        if (!strstr(small.settings, "steps=0")) continue; /* training would take seconds */
        if (tokens) small.arms[0].settings = small.arms[1].settings;
        g_autoptr(NsFigure) figure = ns_figure_create(&ns_paper_kind);
        NsFigureInput input = {.step = -1, .log = true, .study = &small};
        const NsPlot *plot = ns_figure_update(figure, &input);
        /* Before any measurement, expected values are drawn, or written if they are numbers. */
        for (size_t k = 0; k < plot->n_series; k++) {
            g_assert_true(plot->series[k].theory);
            g_assert_true(plot->series[k].tinted || plot->n_series == 1);
            for (size_t other = 0; other < k; other++) {
                const NsSeries *a = &plot->series[k], *b = &plot->series[other];
                bool one = g_str_equal(a->group, b->group); /* in encoder and decoder */
                g_assert_true((a->style == b->style) == one && (a->dash == b->dash) == one);
            }
        }
        g_assert_true((plot->n_series > 0) == has_shape(&small));
        g_assert_cmpstr(plot->n_series ? plot->note : plot->empty, ==,
                        plot->n_series ? "Expected shapes; nothing was measured."
                                       : "Not measured yet");
        g_autoptr(NsPlotLayout) before = ns_plot_layout(plot, 360, 260, ns_style(0));
        g_assert_cmpfloat(ns_plot_area(before).height, >, 60);
        g_autoptr(GError) error = NULL;
        NsStudy study;
        ns_paper_make(&small, &study, NULL);
        g_autoptr(NsStudyWork) work = ns_study_work_new(&study, NULL, NULL);
        train(work);
        g_autoptr(NsPaperResult) result = ns_paper_result_new(&small, work, &error);
        g_assert_no_error(error);
        input.result = result;
        plot = ns_figure_update(figure, &input);
        g_assert_cmpuint(plot->n_series, ==, result->n_series);
        for (size_t k = 0; k < plot->n_series; k++) {
            g_assert_true(plot->series[k].y == result->series[k].y);
            g_assert_true(plot->series[k].theory == result->series[k].theory);
        }
        check_singles(plot, (size_t)small.seeds);
        /* The caption is about the curves; the table has the findings, each with its interval. */
        g_assert_cmpstr(plot->note, ==, tokens ? NULL : "Mean and 16–84% range of 2 seeds.");
        for (size_t k = 0; k < result->n_findings; k++) {
            g_autofree char *words = ns_finding_words(&result->findings[k]);
            g_assert_true(!(result->findings[k].hi > result->findings[k].lo) ||
                          strstr(words, "95%"));
        }
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, 360, 260, ns_style(0));
        g_assert_cmpfloat(ns_plot_area(layout).height, >, 58);
        /* Legends on paper name the curves in the order of the arms. */
        g_autoptr(NsPlotLayout) printed = ns_plot_layout(plot, 360, 260, ns_style_find("paper"));
        for (guint k = 1; k < printed->legend->len; k++) {
            const NsLegendSample *one = &g_array_index(printed->legend, NsLegendSample, k - 1);
            g_assert_true(one[1].at_end || one[1].series->theory || one[0].series < one[1].series);
        }
    }
}

/* A stack without norms, whose loss starts a hundred times as high, does not flatten the other
 * curves. */
static void test_paper_decades(void)
{
    static const char *const settings[] = {"layers=2 d-model=8 steps=1",
                                           "layers=16 d-model=8 steps=1"};
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        NsPaperStudy small =
            *ns_paper_study((size_t)ns_choices_find(ns_paper_choice, "residual-ablation"));
        small.settings = settings[i];
        small.seeds = 1;
        NsStudy study;
        ns_paper_make(&small, &study, NULL);
        g_autoptr(NsStudyWork) work = ns_study_work_new(&study, NULL, NULL);
        train(work);
        g_autoptr(GError) error = NULL;
        g_autoptr(NsPaperResult) result = ns_paper_result_new(&small, work, &error);
        g_assert_no_error(error);
        g_autoptr(NsFigure) figure = ns_figure_create(&ns_paper_kind);
        NsFigureInput input = {.step = -1, .log = true, .study = &small, .result = result};
        const NsPlot *plot = ns_figure_update(figure, &input);
        g_assert_cmpint(plot->left.scale, ==, i ? NS_SCALE_LOG : NS_SCALE_LINEAR);
    }
}

/* Every result of a study has its own panel with its own title. */
static void test_paper_panels(void)
{
    int row = ns_choices_find(ns_paper_choice, "fig5");
    NsFigureInput input = {.step = -1, .log = true, .study = ns_paper_study((size_t)row)};
    g_auto(NsPaperPanels) panels = ns_paper_panels(&input);
    g_assert_cmpuint(panels.n, ==, 3);
    for (size_t i = 0; i < panels.n; i++) {
        const char *title = panels.plots[i]->title;
        g_assert_true((strstr(title, "Paraphrase") != NULL) == (i == 1));
        g_assert_true((strstr(title, "Entailment") != NULL) == (i == 2));
        g_assert_cmpstr(panels.plots[i]->left.unit, ==, i ? "%" : "nats");
        for (size_t k = 0; k < i; k++)
            g_assert_cmpstr(panels.plots[i]->title, !=, panels.plots[k]->title);
    }
}

/* ---- Gradient checks ---- */

/* After a reset, a check at the same step is a new one. */
static void test_gradient_check(void)
{
    g_autoptr(NsFigure) figure = ns_figure_create(&ns_gradient_check_kind);
    NsGradientCheckErrors check = {.step = 1, .along = 1e-4, .random = 1e-3};
    const NsFigureInput input = {.checks = &check, .n_checks = 1, .step = -1};
    uint64_t version = ns_figure_update(figure, &input)->version;
    g_assert_cmpuint(ns_figure_update(figure, &input)->version, ==, version);
    check.along = 2e-4;
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->version, !=, version);
    g_assert_cmpfloat(plot->series[0].y[0], ==, 2e-4);
}

/* Lanes of a study with made-up cells: B is lower by 1 at rates above 0.1. */
static NsStudyCell *make_cells(NsStudy *study, const char *text)
{
    g_autoptr(GError) error = NULL;
    ns_study_init(study);
    ns_study_read(study, text, strlen(text), &error);
    g_assert_no_error(error);
    ns_study_check(study, &error);
    g_assert_no_error(error);
    NsStudyCell *cells = g_new(NsStudyCell, ns_study_cells(study));
    for (size_t i = 0; i < ns_study_cells(study); i++) {
        NsSettings settings;
        ns_study_cell_settings(study, i, &settings);
        cells[i] = ns_cell_in(NS_CELL_DONE);
        cells[i].first = 9;
        cells[i].value = 3 + settings.lr + 0.1 * (double)ns_study_place(study, i).seed -
                         (ns_study_place(study, i).lane && settings.lr > 0.1 ? 1 : 0) +
                         0.01 * (double)settings.warmup;
        ns_settings_clear(&settings);
    }
    return cells;
}

#define STUDY_OF_TWO                                                                               \
    "steps = 20\nseeds = 2\n[grid]\nlr = 0.01,0.02,0.05,0.2,0.5,1\nwarmup = 1,10\n"                \
    "[A]\nname = first\n[B]\nclip = 1\n"

static void test_study(void)
{
    g_auto(NsStudy) study;
    g_autofree NsStudyCell *cells = make_cells(&study, STUDY_OF_TWO);
    g_autofree NsComparison *comparison =
        ns_comparison_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL);
    g_autoptr(NsSensitivity) sensitivity =
        ns_sensitivity_new(&(NsStudyResults){.study = &study, .cells = cells}, NULL);
    const NsStudyResults results = {.study = &study, .cells = cells};
    const NsComparedInput compared = {&results, comparison, sensitivity};
    const NsFigureInput nothing = {.step = -1}, input = {.compared = &compared, .step = -1};
    g_autoptr(NsFigure) best = ns_figure_create(&ns_best_of_kind);
    const NsPlot *plot = ns_figure_update(best, &nothing);
    g_assert_cmpuint(plot->n_series, ==, 0);
    g_assert_nonnull(plot->empty);
    plot = ns_figure_update(best, &input);
    g_assert_cmpuint(plot->n_series, ==, 2);
    g_assert_cmpuint(plot->series[1].n, ==, comparison->n_budgets);
    g_assert_cmpstr(plot->series[0].label, ==, "A first");
    for (size_t i = 0; i < comparison->n_budgets; i++) {
        g_assert_cmpfloat(plot->series[1].x[i], ==, (double)comparison->budgets[i]);
        g_assert_cmpfloat(plot->series[1].y[i], ==, comparison->best[1][i].value);
        g_assert_cmpfloat(plot->series[1].lo[i], ==, comparison->best[1][i].lo);
        g_assert_cmpfloat(plot->series[1].hi[i], ==, comparison->best[1][i].hi);
    }
    g_assert_cmpstr(plot->note, ==, "A against B at k = 6: B is better.");

    g_autoptr(NsFigure) rates = ns_figure_create(&ns_sensitivity_kind);
    plot = ns_figure_update(rates, &input);
    g_assert_cmpuint(plot->n_series, ==, 2);
    g_assert_cmpuint(plot->series[0].n, ==, 6);
    g_assert_cmpfloat(plot->series[0].x[3], ==, 0.2);
    g_assert_cmpfloat_with_epsilon(plot->series[0].y[3], 3 + 0.2 + 0.05 + 0.01, 1e-12);
    g_assert_cmpfloat_with_epsilon(plot->series[1].y[3], 2 + 0.2 + 0.05 + 0.01, 1e-12);
    g_assert_nonnull(strstr(plot->note, "A first 0.287"));
}

/* The grid of a study as a heatmap of means over seeds. */
static void test_study_phase(void)
{
    g_auto(NsStudy) study, drawn;
    g_autoptr(GError) error = NULL;
    g_autofree NsStudyCell *cells = make_cells(&study, STUDY_OF_TWO);
    cells[ns_study_cell(&study, (NsStudyPlace){2, 1, 1})] = ns_cell_in(NS_CELL_DIVERGED);
    cells[ns_study_cell(&study, (NsStudyPlace){3, 1, 0})] = ns_cell_in(NS_CELL_RUNNING);
    g_autoptr(NsStudyWork) work = ns_study_work_new(&study, NULL, NULL);
    ns_study_work_set_cells(work, cells);
    g_autoptr(NsPhase) phase = ns_phase_new(work, 1, 0, 1, &error);
    g_assert_no_error(error);
    g_autoptr(NsFigure) figure = ns_figure_create(&ns_phase_kind);
    const NsFigureInput input = {.phase = phase, .step = -1};
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_cmpuint(plot->heatmap->rows, ==, 2);
    g_assert_cmpuint(plot->heatmap->columns, ==, 6);
    g_assert_cmpfloat_with_epsilon(plot->heatmap->z[0], 3 + 0.01 + 0.05 + 0.01, 1e-6);
    g_assert_cmpfloat_with_epsilon(plot->heatmap->z[10], 2 + 0.5 + 0.05 + 0.1, 1e-6);
    g_assert_true(isnan(plot->heatmap->z[2]));
    g_assert_true(ns_cell_is_blank(plot->heatmap->z[3]));
    g_autofree NsStudyCell *few = make_cells(&drawn, "steps = 1\n[grid]\nlr = 0.1,0.2\n");
    g_autoptr(NsStudyWork) narrow = ns_study_work_new(&drawn, NULL, NULL);
    ns_study_work_set_cells(narrow, few);
    g_assert_null(ns_phase_new(narrow, 0, 0, 1, &error));
    g_assert_nonnull(error);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plot/studies/names", test_names);
    g_test_add_func("/plot/studies/many-names", test_many_names);
    g_test_add_func("/plot/studies/narrow-names", test_narrow_names);
    g_test_add_func("/plot/studies/phase-axes", test_phase_axes);
    g_test_add_func("/plot/studies/tips", test_tips);
    g_test_add_func("/plot/studies/hatch", test_hatch);
    g_test_add_func("/plot/studies/phase", test_phase);
    g_test_add_func("/plot/studies/phase-seeds", test_phase_seeds);
    g_test_add_func("/plot/studies/paper", test_paper);
    g_test_add_func("/plot/studies/paper-panels", test_paper_panels);
    g_test_add_func("/plot/studies/paper-decades", test_paper_decades);
    g_test_add_func("/plot/studies/gradient-check", test_gradient_check);
    g_test_add_func("/plot/studies/study", test_study);
    g_test_add_func("/plot/studies/study-phase", test_study_phase);
    return g_test_run();
}
