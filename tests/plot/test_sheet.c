/* Sheets: their text form, their plots, and films.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/assignment.h"
#include "core/store/figure_file.h"
#include "run.h"
#include "ui/figures/sheet.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#include <gif_lib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void read_sheet(NsSheet *sheet, const char *text)
{
    g_autoptr(GError) error = NULL;
    ns_sheet_init(sheet);
    ns_sheet_read(sheet, text, &error);
    g_assert_no_error(error);
}

static char *text_of(const NsSheet *sheet)
{
    return ns_sheet_text(sheet, 0, sheet->charts->len);
}

/* A sheet that was parsed is written in the same form, with any title. */
static void test_text(void)
{
    static const char *const texts[] = {
        "loss",
        "loss,profile:token-cosine,attention:3.2(lane=B)",
        "loss(title=What is lost, and (so\\) on\\;;x=0..200;y=0.1..4 log;hide=2,3;grid=off)",
        "loss(grid=off;fit=all)",
        "gradient-norm(x=..10;y=1e-05.. symlog),loss(title=a = b \\\\ c)",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_auto(NsSheet) sheet, copy;
        read_sheet(&sheet, texts[i]);
        ns_sheet_copy(&copy, &sheet);
        g_autofree char *text = text_of(&copy);
        g_assert_cmpstr(text, ==, texts[i]);
    }
    g_auto(NsSheet) sheet;
    read_sheet(&sheet, texts[2]);
    const NsSheetChart *chart = ns_sheet_chart(&sheet, 0);
    g_assert_cmpstr(chart->title, ==, "What is lost, and (so) on;");
    g_assert_cmpuint(chart->hidden, ==, 6);
    g_assert_cmpfloat(chart->view.range[NS_VIEW_STATE_LEFT].lo, ==, 0.1);
    g_assert_true(chart->view.scale[NS_VIEW_STATE_LEFT] == NS_SCALE_LOG);
}

static void test_order(void)
{
    g_auto(NsSheet) sheet;
    read_sheet(&sheet, "loss,profile,steps,compare");
    static const struct {
        guint from, to;
        const char *text;
    } moves[] = {{0, 3, "profile,steps,compare,loss"},
                 {3, 1, "profile,loss,steps,compare"},
                 {2, 2, "profile,loss,steps,compare"},
                 {1, 0, "loss,profile,steps,compare"}};
    for (size_t i = 0; i < G_N_ELEMENTS(moves); i++) {
        ns_sheet_move(&sheet, moves[i].from, moves[i].to);
        g_autofree char *text = text_of(&sheet);
        g_assert_cmpstr(text, ==, moves[i].text);
    }
    /* Options of a group apply to each of its charts. */
    g_auto(NsSheet) all;
    read_sheet(&all, "all(grid=off)");
    g_assert_cmpuint(all.charts->len, ==, 4);
    g_assert_true(ns_sheet_chart(&all, 3)->view.no_grid);
}

static void test_refused(void)
{
    static const char *const table[][2] = {
        {"", "lacks the name"},
        {"loss,", "lacks the name"},
        {"loss(title=x", "lack the closing )"},
        {"loss(x=1..2)y", "separate figures"},
        {"loss(wings=3)", "not a choice of a chart"},
        {"loss(x=5..2)", "5 to 2 are reversed"},
        {"loss(x=2..2)", "reversed"},
        {"loss(y=0..2 log)", "cannot begin or end at 0"},
        {"loss(y=1..2..3)", "not a range of an axis"},
        {"loss(y=)", "not a range of an axis"},
        {"loss(y=nan..2)", "not a range of an axis"},
        {"loss(hide=0)", "not a list of curves"},
        {"loss(hide=65)", "not a list of curves"},
        {"loss(lane=E)", "not a lane"},
        {"loss(title=a\nb)", "not a single line of text"},
        {"loss(title="
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)",
         "too long for a title"}};
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        g_auto(NsSheet) sheet;
        g_autoptr(GError) error = NULL;
        ns_sheet_init(&sheet);
        g_assert_false(ns_sheet_read(&sheet, table[i][0], &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_USAGE);
        if (!strstr(error->message, table[i][1])) g_error("%s: %s", table[i][0], error->message);
    }
}

typedef struct {
    Run *runs[2];
    NsFigureInput input;
} Pair;

static Pair pair_new(int steps)
{
    Pair pair = {{run_new(3, BUDGET), run_new(3, BUDGET)}, {0}};
    ns_settings_assign(&pair.runs[1]->settings, "placement=pre", NULL);
    for (int i = 0; i < steps; i++) {
        append(pair.runs[0], 4.0 - 0.1 * i);
        append(pair.runs[1], 4.0 - 0.2 * i);
    }
    pair.input = input_of(pair.runs[0]);
    pair.input.n_lanes = 2;
    for (unsigned i = 0; i < 2; i++)
        pair.input.lanes[i] = (NsFigureRun){pair.runs[i]->history, &pair.runs[i]->settings,
                                            ns_lane_letter(i), .lane = i};
    return pair;
}

static void pair_clear(Pair *pair)
{
    run_free(pair->runs[0]);
    run_free(pair->runs[1]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pair, pair_clear)

/* The plot of the first chart of a sheet, created anew; `figure` owns it. */
static NsPlot *plot_of(const NsSheet *sheet, const NsFigureInput *input, NsFigure **figure,
                       GError **error)
{
    const NsSheetChart *chart = ns_sheet_chart(sheet, 0);
    NsFigureInput own = ns_sheet_input(sheet, chart, 0, input);
    *figure = ns_figure_create(chart->spec.kind);
    return ns_sheet_plot(chart, ns_figure_update(*figure, &own), error);
}

static void test_limits_and_title(void)
{
    g_auto(Pair) pair = pair_new(8);
    g_auto(NsSheet) sheet;
    g_autoptr(NsFigure) figure = NULL;
    g_autoptr(GError) error = NULL;
    read_sheet(&sheet, "loss(title=Mine;x=2..6;y=..5)");
    NsPlot *plot = plot_of(&sheet, &pair.input, &figure, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(plot->title, ==, "Mine");
    g_assert_true(plot->x.lo == 2 && plot->x.hi == 6 && isnan(plot->left.lo) && plot->left.hi == 5);
    ns_sheet_plot_free(plot);

    /* Only the plot shows that its axis is logarithmic by default. */
    g_auto(NsSheet) wrong;
    g_autoptr(NsFigure) other = NULL;
    read_sheet(&wrong, "gradient-norm(y=0..2)");
    g_assert_null(plot_of(&wrong, &pair.input, &other, &error));
    g_assert_nonnull(strstr(error->message, "logarithmic"));
}

/* The visible curves have the same data as without hidden ones. */
static void test_hidden(void)
{
    g_auto(Pair) pair = pair_new(8);
    g_auto(NsSheet) whole;
    g_autoptr(NsFigure) figure = NULL;
    g_autoptr(GError) error = NULL;
    read_sheet(&whole, "steps:grad-w2");
    NsPlot *plot = plot_of(&whole, &pair.input, &figure, &error);
    unsigned n = 0;
    while (ns_plot_curve(plot, n)) n++;
    g_assert_cmpuint(n, >=, 3);
    for (unsigned i = 0; i < n; i++) {
        g_autofree char *text = g_strdup_printf("steps:grad-w2(hide=%u)", i + 1);
        g_auto(NsSheet) sheet;
        g_autoptr(NsFigure) own = NULL;
        read_sheet(&sheet, text);
        NsPlot *less = plot_of(&sheet, &pair.input, &own, &error);
        g_assert_no_error(error);
        for (size_t k = 0; k < less->n_series; k++)
            g_assert_cmpstr(ns_series_name(&less->series[k]), !=, ns_plot_curve(plot, i));
        size_t gone = 0;
        for (size_t k = 0; k < plot->n_series; k++)
            gone += g_strcmp0(ns_series_name(&plot->series[k]), ns_plot_curve(plot, i)) == 0;
        g_assert_cmpuint(less->n_series + gone, ==, plot->n_series);
        ns_sheet_plot_free(less);
    }
    /* Lane B falls twice as fast, and remains if A is hidden. */
    g_auto(NsSheet) of_b;
    g_autoptr(NsFigure) own = NULL;
    read_sheet(&of_b, "loss(hide=1)");
    NsPlot *left = plot_of(&of_b, &pair.input, &own, &error);
    g_assert_cmpfloat(series_named(left, "B Pre-LN")->y[5], ==, 3.0);
    ns_sheet_plot_free(left);
    ns_sheet_plot_free(plot);

    g_auto(NsSheet) more;
    g_autoptr(NsFigure) none = NULL;
    read_sheet(&more, "loss(hide=60)");
    g_assert_null(plot_of(&more, &pair.input, &none, &error));
    g_assert_nonnull(strstr(error->message, "hide names another"));
}

static void test_names(void)
{
    g_auto(Pair) pair = pair_new(4);
    g_auto(NsSheet) sheet;
    g_autoptr(NsFigure) figure = NULL;
    g_autoptr(GError) error = NULL;
    read_sheet(&sheet, "loss");
    g_assert_true(ns_sheet_read_names(&sheet, ";Post, then  Pre", 2, NULL));
    g_autofree char *text = ns_sheet_names_text(&sheet);
    g_assert_cmpstr(text, ==, ";Post, then  Pre");
    g_assert_true(ns_sheet_read_names(&sheet, "Original;Today, with warm-up", 2, NULL));
    NsPlot *plot = plot_of(&sheet, &pair.input, &figure, NULL);
    series_named(plot, "Original");
    series_named(plot, "Today,\u00a0with\u00a0warm-up");
    /* The subtitle explains a custom name. */
    g_assert_nonnull(strstr(plot->subtitle, "Original: Post-LN; "));
    ns_sheet_plot_free(plot);
    static const char *const wrong[][2] = {
        {"a;b;c", "names 3 lanes"},
        {"a;a", "cannot both be called “a”"},
        {"abcdefghijabcdefghijabcdefghijabcdefghij1", "too long for the name of a lane"}};
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_clear_error(&error);
        g_assert_false(ns_sheet_read_names(&sheet, wrong[i][0], 2, &error));
        g_assert_nonnull(strstr(error->message, wrong[i][1]));
        g_assert_true(g_str_has_prefix(sheet.names[0], "Original"));
    }
    /* A single lane with its name. */
    g_auto(NsSheet) one;
    g_autoptr(NsFigure) other = NULL;
    read_sheet(&one, "loss(lane=B)");
    plot = plot_of(&one, &pair.input, &other, NULL);
    g_assert_cmpfloat(series_named(plot, "training")->y[3], <, 3.5);
    /* It keeps the color of its lane, with the line and the marks of a single run. */
    for (size_t i = 0; i < plot->n_series; i++) {
        g_assert_cmpuint(plot->series[i].style, ==, 1);
        g_assert_cmpuint((1 + plot->series[i].dash) % NS_SERIES_STYLES, ==, 0);
    }
    ns_sheet_plot_free(plot);
}

/* ---- films ---- */

typedef struct {
    int width, height, frames, time; /* time: of all frames, in hundredths of a second */
    bool stays;  /* the pixels left of the axes of the first chart, which all frames share */
    guint8 *rgb; /* [height, width, 3]: what is seen after the last frame */
} Decoded;

static Decoded decode(const char *path)
{
    GifFileType *gif = DGifOpenFileName(path, NULL);
    g_assert_nonnull(gif);
    g_assert_cmpint(DGifSlurp(gif), ==, GIF_OK);
    size_t width = (size_t)gif->SWidth;
    Decoded film = {gif->SWidth, gif->SHeight, gif->ImageCount, 0, true, NULL};
    film.rgb = g_malloc0(3 * width * (size_t)gif->SHeight);
    for (int i = 0; i < gif->ImageCount; i++) {
        const GifImageDesc *box = &gif->SavedImages[i].ImageDesc;
        GraphicsControlBlock control;
        g_assert_cmpint(DGifSavedExtensionToGCB(gif, i, &control), ==, GIF_OK);
        g_assert_cmpint(control.DisposalMode, ==, DISPOSE_DO_NOT);
        film.time += control.DelayTime;
        for (int k = 0; k < box->Width * box->Height; k++) {
            int entry = gif->SavedImages[i].RasterBits[k];
            int x = box->Left + k % box->Width, y = box->Top + k / box->Width;
            if (entry == control.TransparentColor) continue;
            g_assert_cmpint(entry, <, box->ColorMap->ColorCount);
            memcpy(film.rgb + 3 * ((size_t)y * width + (size_t)x), &box->ColorMap->Colors[entry],
                   3);
            bool beside = x < gif->SWidth / 24 && y > gif->SHeight / 8 && y < gif->SHeight / 3;
            film.stays &= !i || !beside;
        }
    }
    DGifCloseFile(gif, NULL);
    return film;
}

/* The largest difference from a PNG, and the share of pixels that are exactly as in it. */
static void compare_with(const Decoded *film, const char *path, int *most, double *exact)
{
    cairo_surface_t *png = cairo_image_surface_create_from_png(path);
    g_assert_cmpint(cairo_image_surface_get_width(png), ==, film->width);
    g_assert_cmpint(cairo_image_surface_get_height(png), ==, film->height);
    const guint32 *pixels = (const void *)cairo_image_surface_get_data(png);
    int n = film->width * film->height, same = 0;
    *most = 0;
    for (int i = 0; i < n; i++) {
        const guint8 *rgb = film->rgb + 3 * (size_t)i;
        int differs = 0;
        for (int part = 0; part < 3; part++)
            differs = MAX(differs, abs((int)(pixels[i] >> (16 - 8 * part) & 255) - rgb[part]));
        *most = MAX(*most, differs);
        same += !differs;
    }
    *exact = same / (double)n;
    cairo_surface_destroy(png);
}

static void test_film(void)
{
    g_auto(Pair) pair = pair_new(21);
    g_auto(NsSheet) sheet;
    g_auto(NsProvenance) provenance, read;
    g_autoptr(GError) error = NULL;
    NsExportChoices choices;
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "film.gif", NULL);
    g_autofree char *last = g_build_filename(folder, "last.png", NULL);
    read_sheet(&sheet, "loss,profile,gradient-heatmap");
    ns_provenance_init(&provenance);
    ns_provenance_init(&read);
    ns_export_choices_init(&choices);
    g_assert_true(ns_export_choices_set(&choices, "film", "0.64", NULL));
    g_assert_true(ns_export_choices_set(&choices, "background", "none", NULL)); /* without effect */
    const NsSheetFile file = {&choices, NS_FORMAT_GIF, &provenance, path, NULL, NULL};
    ns_sheet_write_film(&sheet, 0, 3, &pair.input, &file, &error);
    g_assert_no_error(error);
    Decoded film = decode(path);
    g_assert_cmpint(film.frames, ==, 8);
    g_assert_cmpint(film.time, ==, 64 + 200);
    g_assert_true(film.stays);
    ns_figure_file_read(&read, NULL, path, NULL, &error);
    g_assert_no_error(error);

    /* The format PNG gives the last frame. */
    const NsSheetFile still = {&choices, NS_FORMAT_PNG, &provenance, last, NULL, NULL};
    ns_sheet_write_film(&sheet, 0, 3, &pair.input, &still, &error);
    g_assert_no_error(error);
    int most;
    double exact;
    compare_with(&film, last, &most, &exact);
    g_assert_cmpint(most, <, 24);
    g_assert_cmpfloat(exact, >, 0.9);
    g_free(film.rgb);
    g_unlink(last);
    g_unlink(path);

    g_auto(NsSheet) kept;
    read_sheet(&kept, "loss,tokens");
    g_assert_false(ns_sheet_write_film(&kept, 0, 2, &pair.input, &file, &error));
    g_assert_nonnull(strstr(error->message, "figure tokens keeps only its newest"));
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    g_rmdir(folder);
}

/* Only the second frame has a note. */
static const NsPlot *const *growing_note(void *data, guint i, NsExport *options)
{
    static const double x[] = {1, 2};
    static const NsSeries series = {.label = "falls", .n = 2, .x = x, .y = x};
    static NsPlot plot = {.title = "Gradient norm",
                          .x = {.label = "layer", .lo = NAN, .hi = NAN},
                          .left = {.label = "norm", .lo = NAN, .hi = NAN},
                          .series = &series,
                          .n_series = 1};
    static const NsPlot *const plots[] = {&plot};
    (void)data, (void)options;
    plot.note = i ? "A first sentence of a note, which needs a line, and a second one, which needs "
                    "another, or more of them where the page is a narrow one."
                  : NULL;
    plot.version++;
    return plots;
}

/* A film has the height of the frame that needs the most. */
static void test_film_height(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "film.gif", NULL);
    g_autofree char *still = g_build_filename(folder, "still.png", NULL);
    NsExport options = {.format = NS_FORMAT_GIF,
                        .style = ns_style_find("paper"),
                        .width = 234,
                        .height = 160,
                        .proposed = true,
                        .dpi = 72};
    const NsFrames frames = {2, growing_note, NULL, NULL};
    g_autoptr(GError) error = NULL;
    ns_export_film(&frames, 1, &options, path, &error);
    g_assert_no_error(error);
    options.format = NS_FORMAT_PNG;
    ns_export(growing_note(NULL, 1, &options), 1, &options, still, &error);
    g_assert_no_error(error);
    Decoded film = decode(path);
    int most;
    double exact;
    compare_with(&film, still, &most, &exact);
    g_assert_cmpint(most, <, 8);
    g_free(film.rgb);
    g_unlink(path);
    g_unlink(still);
    g_rmdir(folder);
}

/* The name at the end of a curve needs more space in the last frame. */
static const NsPlot *const *growing_name(void *data, guint i, NsExport *options)
{
    static const double x[] = {1, 2}, y[] = {1, 1}, z[] = {2, 2};
    static NsSeries series[] = {{.label = "a", .n = 2, .x = x, .y = y},
                                {.n = 2, .x = x, .y = z, .kind = NS_SERIES_POINTS}};
    static NsPlot plot = {.x = {.label = "layer", .lo = NAN, .hi = NAN},
                          .left = {.label = "norm", .lo = NAN, .hi = NAN},
                          .series = series,
                          .n_series = 2};
    static const NsPlot *const plots[] = {&plot};
    (void)data, (void)options;
    series[1].label = i ? "step 1,000,000" : "step 1";
    plot.version++;
    return plots;
}

static void test_film_names(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "film.gif", NULL);
    const NsExport options = {.format = NS_FORMAT_GIF,
                              .style = ns_style_find("paper"),
                              .width = 360,
                              .height = 200,
                              .dpi = 72};
    g_autoptr(GError) error = NULL;
    ns_export_film(&(NsFrames){2, growing_name, NULL, NULL}, 1, &options, path, &error);
    g_assert_no_error(error);
    int failed;
    GifFileType *gif = DGifOpenFileName(path, &failed);
    g_assert_cmpint(DGifSlurp(gif), ==, GIF_OK);
    g_assert_cmpint(gif->ImageCount, ==, 2);
    /* Only the name changes, at the right. */
    g_assert_cmpint(gif->SavedImages[1].ImageDesc.Left, >, gif->SWidth * 2 / 3);
    DGifCloseFile(gif, NULL);
    g_unlink(path);
    g_rmdir(folder);
}

/* A diagram beside other charts has a row of its own, in which its words are legible. */
static void test_diagram(void)
{
    g_autoptr(NsRun) run = run_trained("placement=post", "layers=6");
    NsFigureInput input = {.history = run->history, .settings = &run->settings, .step = -1};
    for (unsigned i = 0; i < 2; i++)
        input.lanes[i] = (NsFigureRun){run->history, &run->settings, i ? "B" : "A", .lane = i};
    input.n_lanes = 2;
    static const char *const names[] = {"loss", "profile", "diagram", "loss", "diagram"};
    enum { N = G_N_ELEMENTS(names) };
    NsFigure *figures[N];
    const NsPlot *plots[N];
    for (int i = 0; i < N; i++) {
        figures[i] = figure_new(names[i]);
        plots[i] = ns_figure_update(figures[i], &input);
    }
    NsExportChoices choices;
    ns_export_choices_init(&choices);
    NsStyle style;
    NsExport options = {0};
    ns_export_choices_apply(&choices, N, &style, &options);
    options.height = ns_plot_sheet_height(plots, N, &options);
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, N, &options);
    const bool wide[N] = {false, false, true, true, true};
    for (size_t i = 0; i < N; i++) {
        const NsBox *cell = &sheet.plots[i].cell;
        g_assert_true((cell->width > 0.9 * options.width) == wide[i]);
        g_assert_cmpfloat(cell->y + cell->height, <=, options.height + 1);
        for (size_t k = 0; k < i; k++) g_assert_false(ns_boxes_overlap(cell, &sheet.plots[k].cell));
        if (!plots[i]->drawing) continue;
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
        NsBox area = ns_plot_area(layout);
        double needed = plots[i]->drawing->height(plots[i]->drawing->data, area.width, &style);
        g_assert_cmpfloat(area.height, >=, 0.95 * needed);
    }
    /* On a page of fixed height all charts have equal cells. */
    options.proposed = false;
    g_auto(NsPlotSheet) fixed = ns_plot_sheet(plots, N, &options);
    for (size_t i = 0; i < N; i++)
        g_assert_cmpfloat(fixed.plots[i].cell.height, ==, fixed.plots[0].cell.height);
    for (int i = 0; i < N; i++) ns_figure_free(figures[i]);
}

/* Beside each other on a slide the names of norms are whole, and the drawing is as high as its page
 * permits: its legend has the size of its text. */
static void test_diagram_slide(void)
{
    g_autoptr(NsRun) run = run_trained("placement=post", "layers=6");
    NsFigureInput input = {.history = run->history, .settings = &run->settings, .step = -1};
    static const char *const names[] = {"A", "B", "C", "D"};
    for (unsigned i = 0; i < NS_LANES_MAX; i++)
        input.lanes[i] = (NsFigureRun){run->history, &run->settings, names[i], .lane = i};
    g_autoptr(NsFigure) figure = figure_new("diagram");
    for (unsigned n = 2; n <= NS_LANES_MAX; n += 2) {
        input.n_lanes = n;
        const NsPlot *plot = ns_figure_update(figure, &input);
        cairo_surface_t *surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
        g_autoptr(GArray) words = ns_text_capture(surface);
        cairo_t *cr = cairo_create(surface);
        const double width = 225 * n, height = 440;
        plot->drawing->draw(plot->drawing->data, cr, width, height, ns_style_find("slide"));
        cairo_destroy(cr);
        cairo_surface_destroy(surface);
        double lowest = 0;
        unsigned norms = 0;
        for (guint i = 0; i < words->len; i++) {
            const NsCapturedText *one = &g_array_index(words, NsCapturedText, i);
            const char *text = pango_layout_get_text(one->text);
            if (g_str_equal(text, "LayerNorm")) norms++;
            if (g_str_equal(text, "LayerNorm"))
                g_assert_false(pango_layout_is_ellipsized(one->text));
            if (g_str_has_prefix(text, "layer 3")) lowest = MAX(lowest, one->matrix.y0);
        }
        g_assert_cmpuint(norms, >=, 2 * n);
        g_assert_cmpfloat(lowest, >=, 0.82 * height);
    }
}

/* Charts are on one grid, also beside maps that share a color bar, and matrices are as wide as
 * their columns.  The numbers at a bar beside two rows are apart. */
static void test_grid(void)
{
    g_autoptr(NsRun) post = run_trained("placement=post", "probe-every=1");
    g_autoptr(NsRun) pre = run_trained("placement=pre", "probe-every=1");
    NsFigureInput input = {.history = post->history,
                           .settings = &post->settings,
                           .step = -1,
                           .gradient = NS_QUANTITY_GRAD_W2,
                           .n_lanes = 2};
    input.lanes[0] = (NsFigureRun){post->history, &post->settings, "A", .lane = 0};
    input.lanes[1] = (NsFigureRun){pre->history, &pre->settings, "B", .lane = 1};
    static const char *const names[] = {"loss",       "gradient-norm", "similarity",
                                        "similarity", "similarity",    "similarity"};
    enum { N = G_N_ELEMENTS(names) };
    NsFigure *figures[N];
    const NsPlot *plots[N];
    for (unsigned i = 0; i < N; i++) {
        NsFigureInput one = ns_figure_input_of(&input, i % 2);
        figures[i] = figure_new(names[i]);
        plots[i] = ns_figure_update(figures[i], i < 2 ? &input : &one);
    }
    NsExportChoices choices;
    ns_export_choices_init(&choices);
    NsStyle style;
    NsExport options = {0};
    ns_export_choices_apply(&choices, N, &style, &options);
    options.height = ns_plot_sheet_height(plots, N, &options);
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, N, &options);
    NsBox area[N];
    for (size_t i = 0; i < N; i++) {
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
        const NsBox *cell = &sheet.plots[i].cell;
        area[i] = ns_plot_area(layout);
        area[i].x += cell->x;
        g_assert_cmpfloat(cell->y + cell->height, <=, options.height + 1);
        /* The subtitles are those of different lanes. */
        g_assert_nonnull(ns_layout_label(layout, NS_PART_SUBTITLE));
        if (i < 2) continue;
        g_assert_cmpfloat_with_epsilon(area[i].x, area[i % 2].x, 2);
        g_assert_cmpfloat_with_epsilon(area[i].width, area[i % 2].width, 0.1 * area[i].width);
        double before = -style.text_size;
        for (guint k = 0; k < layout->labels->len; k++) {
            const NsLabel *label = &g_array_index(layout->labels, NsLabel, k);
            if (label->part != NS_PART_BAR_TICK) continue;
            g_assert_cmpfloat(fabs(label->y - before), >=, style.text_size);
            before = label->y;
        }
        g_assert_cmpint(before > 0, ==, i == 3);
    }
    for (int i = 0; i < N; i++) ns_figure_free(figures[i]);
}

/* Where the rows of a slide are low, the data have the space: all charts leave out the same. */
static void test_slide(void)
{
    g_autoptr(NsRun) post = run_trained("placement=post", "layers=6");
    g_autoptr(NsRun) pre = run_trained("placement=pre", "layers=6");
    NsFigureInput input = {.history = post->history,
                           .settings = &post->settings,
                           .step = -1,
                           .gradient = NS_QUANTITY_GRAD_W2,
                           .hidden = NS_QUANTITY_HIDDEN_NORM,
                           .n_lanes = 2};
    input.lanes[0] = (NsFigureRun){post->history, &post->settings, "A", .lane = 0};
    input.lanes[1] = (NsFigureRun){pre->history, &pre->settings, "B", .lane = 1};
    static const char *const names[] = {"loss", "gradient-norm", "profile", "gradient-heatmap"};
    enum { N = G_N_ELEMENTS(names) };
    NsFigure *figures[N];
    const NsPlot *plots[N];
    for (int i = 0; i < N; i++) {
        figures[i] = figure_new(names[i]);
        plots[i] = ns_figure_update(figures[i], &input);
    }
    g_assert_nonnull(plots[1]->lower);
    NsExportChoices choices;
    ns_export_choices_init(&choices);
    g_assert_true(ns_export_choices_set(&choices, "size", "slide", NULL));
    NsStyle style;
    NsExport options = {0};
    for (size_t n = 2; n <= N; n++) {
        ns_export_choices_apply(&choices, n, &style, &options);
        g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, &options);
        for (size_t i = 0; i < n; i++) {
            g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
            if (n < 4) {
                g_assert_true(!layout->lower == !plots[i]->lower);
                /* The settings, which are the same for all charts, are said once. */
                g_assert_true(!ns_layout_label(layout, NS_PART_SUBTITLE) == (i > 0));
                continue;
            }
            g_assert_null(layout->lower);
            g_assert_null(ns_layout_label(layout, NS_PART_SUBTITLE));
            g_assert_cmpuint(layout->n_level_keys, ==, 0);
            /* The legend of the sheet has the names of the lanes, also for those of panels. */
            const NsLabel *entry = ns_layout_label(layout, NS_PART_LEGEND);
            g_assert_false(entry && strstr(ns_text_words(entry->text), "A"));
            g_assert_cmpfloat(ns_plot_area(layout).height, >=, 0.35 * sheet.plots[i].cell.height);
        }
    }
    for (int i = 0; i < N; i++) ns_figure_free(figures[i]);
}

/* The learning rate below the loss has a fifth of the height of both. */
static void test_rate(void)
{
    g_autoptr(NsRun) run = run_trained("placement=post", "warmup=20");
    NsFigureInput input = {.history = run->history, .settings = &run->settings, .step = -1};
    g_autoptr(NsFigure) figure = figure_new("loss");
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_nonnull(plot->lower);
    for (size_t i = 0; ns_style(i); i++) {
        const NsStyle *style = ns_style(i);
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(plot, 30 * style->text_size, 25 * style->text_size, style);
        g_assert_nonnull(layout->lower);
        double below = layout->lower->area.height, both = layout->area.height + below;
        g_assert_cmpfloat(below, <=, MAX(0.2 * both, 2.6 * style->text_size) + 2);
        const NsLabel *label = ns_layout_label(layout->lower, NS_PART_LEFT_LABEL);
        g_assert_cmpstr(ns_text_words(label->text), ==, "learning rate");
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sheet/text", test_text);
    g_test_add_func("/sheet/order", test_order);
    g_test_add_func("/sheet/refused", test_refused);
    g_test_add_func("/sheet/limits-and-title", test_limits_and_title);
    g_test_add_func("/sheet/hidden", test_hidden);
    g_test_add_func("/sheet/names", test_names);
    g_test_add_func("/sheet/film", test_film);
    g_test_add_func("/sheet/film-height", test_film_height);
    g_test_add_func("/sheet/film-names", test_film_names);
    g_test_add_func("/sheet/diagram", test_diagram);
    g_test_add_func("/sheet/diagram-slide", test_diagram_slide);
    g_test_add_func("/sheet/grid", test_grid);
    g_test_add_func("/sheet/slide", test_slide);
    g_test_add_func("/sheet/rate", test_rate);
    return g_test_run();
}
