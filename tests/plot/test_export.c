/* Figures in files.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/assignment.h"
#include "core/store/figure_file.h"
#include "core/store/output_file.h"
#include "support.h"
#include "ui/plot/export_choices.h"

#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETTINGS "normscope=0 placement=pre layers=6 lr=0.003 text=\u201cé & <b>\u201d"

static char *folder;

static char *path_of(const char *name)
{
    return g_build_filename(folder, name, NULL);
}

static NsExport options(NsFormat format)
{
    return (NsExport){.format = format,
                      .style = ns_style_find("paper"),
                      .width = 234,
                      .height = 160,
                      .columns = 2,
                      .dpi = 300,
                      .experiment = SETTINGS};
}

static size_t all(const NsPlot *plots[SAMPLES])
{
    for (Sample i = 0; i < SAMPLES; i++) plots[i] = sample(i);
    return SAMPLES;
}

static GBytes *exported(const NsPlot *const *plots, size_t n, const NsExport *how)
{
    g_autofree char *path = path_of("figure");
    g_autoptr(GError) error = NULL;
    g_assert_true(ns_export(plots, n, how, path, &error));
    g_assert_no_error(error);
    char *data;
    size_t size;
    g_assert_true(g_file_get_contents(path, &data, &size, NULL));
    g_unlink(path);
    return g_bytes_new_take(data, size);
}

/* The position of a string in the bytes, or NULL. */
static const char *find(GBytes *bytes, const char *text)
{
    size_t size;
    const char *data = g_bytes_get_data(bytes, &size);
    return memmem(data, size, text, strlen(text));
}

static void test_formats(void)
{
    static const struct {
        const char *path;
        NsFormat format;
    } rows[] = {{"a.png", NS_FORMAT_PNG},     {"/x.y/b.SVG", NS_FORMAT_SVG},
                {"c.tar.pdf", NS_FORMAT_PDF}, {"d.csv", NS_FORMAT_CSV},
                {"e.tex", NS_FORMAT_TEX},     {"f.gif", NS_FORMAT_GIF}};
    NsFormat format;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_assert_true(ns_format_from_path(rows[i].path, &format, NULL));
        g_assert_cmpint(format, ==, rows[i].format);
    }
    static const char *const bad[] = {"", "png", ".png", "a.jpg", "a", "a.png "};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_false(ns_format_from_path(bad[i], &format, &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_USAGE);
        g_assert_nonnull(strstr(error->message, ".svg"));
    }
}

static void test_same_bytes(void)
{
    const NsPlot *plots[SAMPLES];
    size_t n = all(plots);
    for (int format = 0; format < NS_FORMAT_GIF; format++) {
        NsExport how = options((NsFormat)format);
        how.height = 640;
        how.dpi = 72;
        g_autoptr(GBytes) first = exported(plots, n, &how);
        g_autoptr(GBytes) second = exported(plots, n, &how);
        g_assert_true(g_bytes_equal(first, second));
    }
}

/* The next chunk of a PNG file: its type and the position of its data. */
static const char *next_chunk(const guint8 *data, size_t *at, char type[5], guint32 *size)
{
    guint32 big;
    memcpy(&big, data + *at, 4);
    *size = GUINT32_FROM_BE(big);
    memcpy(type, data + *at + 4, 4);
    type[4] = '\0';
    const char *content = (const char *)data + *at + 8;
    *at += 12 + *size;
    return content;
}

static void test_png(void)
{
    const NsPlot *plot = sample(LOSS);
    NsExport how = options(NS_FORMAT_PNG);
    g_autoptr(GBytes) file = exported(&plot, 1, &how);
    size_t length, at = 8;
    const guint8 *data = g_bytes_get_data(file, &length);
    char type[5];
    guint32 size;
    bool settings = false, resolution = false, software = false;
    do {
        const char *content = next_chunk(data, &at, type, &size);
        if (strcmp(type, "pHYs") == 0)
            resolution = memcmp(content, "\0\0\x2e\x23\0\0\x2e\x23\1", 9) == 0;
        /* Text beyond ASCII follows a keyword and four bytes. */
        if (strcmp(type, "iTXt") == 0 && strcmp(content, "Experiment") == 0)
            settings = size == 11 + 4 + strlen(SETTINGS) &&
                       memcmp(content + 15, SETTINGS, strlen(SETTINGS)) == 0;
        software |= strcmp(type, "tEXt") == 0 && strcmp(content, "Software") == 0 &&
                    g_str_has_prefix(content + 9, "Normscope ");
    } while (strcmp(type, "IEND") != 0 && at < length);
    g_assert_cmpuint(at, ==, length);
    g_assert_true(settings && resolution && software);

    g_autofree char *path = path_of("size.png");
    g_assert_true(ns_export(&plot, 1, &how, path, NULL));
    cairo_surface_t *image = cairo_image_surface_create_from_png(path);
    g_assert_cmpint(cairo_surface_status(image), ==, CAIRO_STATUS_SUCCESS);
    g_assert_cmpint(cairo_image_surface_get_width(image), ==, 975);
    g_assert_cmpint(cairo_image_surface_get_height(image), ==, 667);
    cairo_surface_destroy(image);
    g_unlink(path);
}

/* The text of an SVG file, and whether each element is inside the page. */
typedef struct {
    GString *words; /* one <text> element per line */
    int depth;
    bool text, outlines;
} SvgReader;

static double number_of(const char **names, const char **values, const char *name)
{
    for (; *names; names++, values++)
        if (strcmp(*names, name) == 0) return g_ascii_strtod(*values, NULL);
    return (double)NAN;
}

static void on_start(GMarkupParseContext *context, const char *element, const char **names,
                     const char **values, gpointer data, GError **error)
{
    (void)context, (void)error;
    SvgReader *reader = data;
    reader->depth++;
    reader->outlines |= strcmp(element, "symbol") == 0 || strcmp(element, "use") == 0;
    if (strcmp(element, "text") != 0) return;
    reader->text = true;
    double x = number_of(names, values, "x"), y = number_of(names, values, "y");
    g_assert_true(x >= 0 && x <= 234 && y >= 0 && y <= 160);
    g_assert_cmpfloat(number_of(names, values, "font-size"), >, 5);
    g_assert_cmpfloat(number_of(names, values, "textLength"), >, 0);
    g_assert_cmpfloat(number_of(names, values, "textLength"), <, 234);
}

static void on_end(GMarkupParseContext *context, const char *element, gpointer data, GError **error)
{
    (void)context, (void)error;
    SvgReader *reader = data;
    reader->depth--;
    if (strcmp(element, "text") != 0) return;
    reader->text = false;
    g_string_append_c(reader->words, '\n');
}

static void on_words(GMarkupParseContext *context, const char *text, gsize size, gpointer data,
                     GError **error)
{
    (void)context, (void)error;
    SvgReader *reader = data;
    if (reader->text) g_string_append_len(reader->words, text, (gssize)size);
}

/* Free with g_free. */
static char *words_of_svg(GBytes *file)
{
    const GMarkupParser parser = {
        .start_element = on_start, .end_element = on_end, .text = on_words};
    SvgReader reader = {.words = g_string_new("\n")};
    GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, &reader, NULL);
    size_t size;
    const char *text = g_bytes_get_data(file, &size);
    g_assert_true(g_markup_parse_context_parse(context, text, (gssize)size, NULL));
    g_assert_true(g_markup_parse_context_end_parse(context, NULL));
    g_markup_parse_context_free(context);
    g_assert_cmpint(reader.depth, ==, 0);
    g_assert_false(reader.outlines);
    return g_string_free(reader.words, FALSE);
}

static void test_svg(void)
{
    const NsPlot *plot = sample(LOSS);
    NsExport how = options(NS_FORMAT_SVG);
    g_autoptr(GBytes) file = exported(&plot, 1, &how);
    g_assert_nonnull(find(file, "width=\"234pt\" height=\"160pt\""));
    g_assert_nonnull(find(file, "<title>Loss of a run</title>"));
    g_assert_nonnull(find(file, "text=“é &amp; &lt;b&gt;”</metadata>"));
    g_autofree char *words = words_of_svg(file);
    static const char *const expected[] = {"\nLoss of a run\n", "\ntraining loss\n",
                                           "\nmean loss\n",     "\nloss (nats)\n",
                                           "\ndiverged\n",      "\n3\n",
                                           "\nstep\n"};
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        if (!strstr(words, expected[i])) g_error("no%sin%s", expected[i], words);
}

/* Scripts are text of their own size, above or below the baseline, which then continues. */
static void test_svg_scripts(void)
{
    NsPlot plot = *sample(PROFILE);
    plot.title = "W_2 & x^{−1} <y>";
    plot.subtitle = "a text so long that it cannot end on a page as narrow as this one is, however "
                    "many lines it may fill, for there are only so many of them and each holds few "
                    "words, which it tells one after another until there is no more room and not "
                    "even one of them fits in the last line, as narrow as it is, however small its "
                    "letters are";
    const NsPlot *one = &plot;
    NsExport how = options(NS_FORMAT_SVG);
    g_autoptr(GBytes) file = exported(&one, 1, &how);
    g_autofree char *words = words_of_svg(file);
    g_assert_nonnull(strstr(words, "\nW2 & x−1 <y>\n"));
    g_assert_nonnull(strstr(words, "\na text so long that "));
    g_assert_nonnull(strstr(words, "…\n"));
    g_assert_null(strstr(words, "letters"));
    g_assert_nonnull(find(file, ">W<tspan dy=\"1.7\" font-size=\"6.375\">2</tspan>"
                                "<tspan dy=\"-1.7\"> &amp; x</tspan>"
                                "<tspan dy=\"-3.06\" font-size=\"6.375\">−1</tspan>"));
    g_assert_nonnull(find(file, "font-weight=\"bold\""));
    g_assert_nonnull(find(file, "text-anchor=\"end\""));
    g_assert_nonnull(find(file, "sans-serif\""));
}

/* The output of a poppler tool, or NULL if it is not installed. */
static char *poppler(const char *program, const char *path)
{
    g_autofree char *found = g_find_program_in_path(program);
    if (!found) return NULL;
    const char *const arguments[] = {found, path, NULL};
    char *output = NULL;
    g_assert_true(g_spawn_sync(NULL, (char **)(uintptr_t)arguments, NULL,
                               G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output, NULL, NULL, NULL));
    return output;
}

static void test_pdf(void)
{
    const NsPlot *plots[] = {sample(LOSS), sample(HEATMAP)};
    NsExport how = options(NS_FORMAT_PDF);
    how.width = 468;
    g_autofree char *path = path_of("figure.pdf");
    g_assert_true(ns_export(plots, 2, &how, path, NULL));
    g_autofree char *info = poppler("pdfinfo", path), *fonts = poppler("pdffonts", path);
    if (!info || !fonts) {
        g_unlink(path);
        g_test_skip("poppler-utils is not installed");
        return;
    }
    g_assert_nonnull(strstr(info, "Loss of a run; Gradient norm by layer and step"));
    g_assert_nonnull(strstr(info, SETTINGS));
    g_assert_nonnull(strstr(info, "468 x 160 pts"));
    g_auto(GStrv) lines = g_strsplit(g_strchomp(fonts), "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), >=, 3);
    for (unsigned i = 2; lines[i]; i++) {
        g_assert_null(strstr(lines[i], "Type 3"));
        /* The columns emb, sub and uni. */
        g_assert_nonnull(strstr(lines[i], "yes yes yes"));
    }
    g_unlink(path);
}

/* A heatmap is one image for any number of cells. */
static void test_heat_is_image(void)
{
    const NsPlot *plot = sample(HEATMAP);
    NsExport how = options(NS_FORMAT_SVG);
    g_autoptr(GBytes) file = exported(&plot, 1, &how);
    int images = 0;
    for (const char *p = g_bytes_get_data(file, NULL); (p = strstr(p, "<image")); p++) images++;
    g_assert_cmpint(images, ==, 2); /* and the color bar */
    g_assert_cmpuint(g_bytes_get_size(file), <, 300000);
}

static void test_csv(void)
{
    const NsPlot *plot = sample(LOSS);
    NsExport how = options(NS_FORMAT_CSV);
    g_autoptr(GBytes) file = exported(&plot, 1, &how);
    g_auto(GStrv) lines = g_strsplit(g_bytes_get_data(file, NULL), "\n", -1);
    g_assert_cmpstr(lines[0], ==, "figure,series,x,y,lo,hi,experiment");
    g_assert_true(g_str_has_suffix(lines[1], ",,," SETTINGS));
    g_assert_true(g_str_has_suffix(lines[2], ",,,"));
    size_t line = 1;
    for (size_t s = 0; s < plot->n_series; s++)
        for (size_t i = 0; i < plot->series[s].n; i++, line++) {
            /* Since the name "Post-LN, 12 layers" is quoted, the numbers are counted from the
             * end. */
            g_auto(GStrv) fields = g_strsplit(lines[line], ",", -1);
            unsigned end = g_strv_length(fields);
            g_assert_cmpfloat(g_ascii_strtod(fields[end - 5], NULL), ==, plot->series[s].x[i]);
            g_assert_cmpfloat(g_ascii_strtod(fields[end - 4], NULL), ==, plot->series[s].y[i]);
        }
    g_assert_cmpstr(lines[line], ==, "");
    g_assert_nonnull(find(file, "Loss of a run,\"Post-LN, 12 layers\",0,"));
}

static void test_csv_heatmap(void)
{
    const NsPlot *plots[] = {sample(HEATMAP), sample(PROFILE)};
    NsExport how = options(NS_FORMAT_CSV);
    how.experiment = NULL;
    g_autoptr(GBytes) alone = exported(plots, 1, &how);
    g_auto(GStrv) lines = g_strsplit(g_bytes_get_data(alone, NULL), "\n", -1);
    g_assert_cmpstr(lines[0], ==, "figure,step,layer,value");
    g_assert_cmpuint(g_strv_length(lines), ==, 1 + 12 * 400 + 1);
    g_assert_true(g_str_has_prefix(lines[1], "Gradient norm by layer and step,0,1,"));
    g_assert_cmpstr(lines[1 + 5 * 400 + 77], ==, "Gradient norm by layer and step,385,6,nan");
    for (int i = 0; i < 12 * 400; i++) {
        float z = (float)g_ascii_strtod(strrchr(lines[1 + i], ',') + 1, NULL);
        float expected = plots[0]->heatmap->z[i];
        g_assert_true(z == expected || (isnan(z) && isnan(expected)));
    }
    g_autoptr(GBytes) both = exported(plots, 2, &how);
    g_assert_nonnull(
        find(both, "figure,series,x,y,lo,hi\nGradient norm by layer and step,layer 1,0,"));
}

/* Every kind of series, labeled lines, a symmetric logarithmic scale, and a lower plot. */
static const NsPlot *kinds(void)
{
    static const double x[] = {1, 2, 3, 4}, y[] = {-20, 0.5, 3, 400}, lo[] = {-30, 0, 2, 300},
                        hi[] = {-10, 1, 4, 500}, edges[] = {0.5, 1.5, 2.5, 3.5, 4.5},
                        ratio[] = {0.5, 1, NAN, 2};
    static const NsSeries series[] = {
        {.label = "bars", .kind = NS_SERIES_BARS, .n = 4, .x = x, .y = y, .edges = edges},
        {.label = "line", .style = 1, .n = 4, .x = x, .y = hi},
        {.label = "cloud", .kind = NS_SERIES_SCATTER, .style = 2, .n = 4, .x = x, .y = lo},
        {.label = "band",
         .kind = NS_SERIES_BAND,
         .style = 3,
         .n = 4,
         .x = x,
         .y = y,
         .lo = lo,
         .hi = hi},
        {.label = "theory", .theory = true, .n = 4, .x = x, .y = y},
        {.label = "hidden", .hidden = true, .n = 4, .x = x, .y = y},
    };
    static const NsSeries lower[] = {{.label = "ratio", .n = 4, .x = x, .y = ratio}};
    static const NsLevel levels[] = {{.y = 100, .text = "bound √d"}};
    static const NsSlope slopes[] = {{.x0 = 1, .y0 = 1, .x1 = 4, .y1 = 200, .text = "∝ L^{−1/2}"}};
    static NsPlot plot, below;
    below =
        (NsPlot){.left = axis("A / B", NULL, NS_SCALE_LOG, false), .series = lower, .n_series = 1};
    plot = (NsPlot){.title = "Kinds",
                    .x = axis("layer", NULL, NS_SCALE_LINEAR, true),
                    .left = axis("value", NULL, NS_SCALE_SYMLOG, false),
                    .series = series,
                    .n_series = G_N_ELEMENTS(series),
                    .levels = levels,
                    .n_levels = 1,
                    .slopes = slopes,
                    .n_slopes = 1,
                    .legend = NS_LEGEND_INSIDE,
                    .lower = &below};
    return &plot;
}

/* The curves of a lower plot are data of the plot. */
static void test_csv_lower_plot(void)
{
    const NsPlot *plot = kinds();
    NsExport how = options(NS_FORMAT_CSV);
    how.experiment = NULL;
    g_autoptr(GBytes) file = exported(&plot, 1, &how);
    g_assert_nonnull(find(file, "\nKinds,bars,1,-20,,\n"));
    g_assert_nonnull(find(file, "\nKinds,band,1,-20,-30,-10\n"));
    g_assert_nonnull(find(file, "\nKinds,hidden,"));
    g_assert_nonnull(find(file, "\nKinds,ratio,3,nan,,\n"));
}

static unsigned files_in_folder(void)
{
    unsigned n = 0;
    GDir *dir = g_dir_open(folder, 0, NULL);
    while (g_dir_read_name(dir)) n++;
    g_dir_close(dir);
    return n;
}

static void test_no_folder(void)
{
    const NsPlot *plot = sample(PROFILE);
    for (int format = 0; format < NS_FORMAT_GIF; format++) {
        NsExport how = options((NsFormat)format);
        g_autofree char *path = path_of("missing/figure.png");
        g_autoptr(GError) error = NULL;
        g_assert_false(ns_export(&plot, 1, &how, path, &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
        g_assert_nonnull(strstr(error->message, path));
        g_assert_nonnull(strstr(error->message, "no such folder"));
        g_clear_error(&error);
        g_assert_false(ns_export(&plot, 1, &how, folder, &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
        g_clear_error(&error);
        g_assert_false(ns_export(&plot, 1, &how, "/dev/full", &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
        g_assert_nonnull(strstr(error->message, "the disk is full"));
    }
    g_assert_cmpuint(files_in_folder(), ==, 0);
}

/* Simulates a full disk with a limit on the file size. */
static void test_full_disk(void)
{
    g_autofree char *path = path_of("kept.csv");
    g_assert_true(g_file_set_contents(path, "before", -1, NULL));
    struct rlimit usual, small;
    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &usual), ==, 0);
    small = usual;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &small), ==, 0);
    const NsPlot *plot = sample(LOSS);
    NsExport how = options(NS_FORMAT_CSV);
    g_autoptr(GError) error = NULL;
    bool saved = ns_export(&plot, 1, &how, path, &error);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &usual), ==, 0);
    g_assert_false(saved);
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
    g_autofree char *kept = NULL;
    g_assert_true(g_file_get_contents(path, &kept, NULL, NULL));
    g_assert_cmpstr(kept, ==, "before");
    g_assert_cmpuint(files_in_folder(), ==, 1);
    g_unlink(path);
}

static void test_links_and_modes(void)
{
    g_autofree char *path = path_of("real.txt"), *link = path_of("link.txt");
    g_assert_true(g_file_set_contents(path, "old", -1, NULL));
    g_assert_cmpint(g_chmod(path, 0640), ==, 0);
    g_assert_cmpint(symlink("real.txt", link), ==, 0);
    g_assert_true(ns_save(link, "new", 3, NULL));
    g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, "new");
    GStatBuf info;
    g_assert_cmpint(g_stat(path, &info), ==, 0);
    g_assert_cmpint(info.st_mode & 0777, ==, 0640);
    g_unlink(link);
    g_unlink(path);
}

static void test_bad_sizes(void)
{
    static const double sizes[][3] = {{0, 100, 72},    {-1, 100, 72},        {100, NAN, 72},
                                      {1e9, 10, 72},   {100, 100, 0},        {100, 100, -3},
                                      {100, 100, NAN}, {10000, 10000, 1000}, {100, 100, 1e-9}};
    const NsPlot *plot = sample(PROFILE);
    g_autofree char *path = path_of("figure.png");
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        NsExport how = options(NS_FORMAT_PNG);
        how.width = sizes[i][0];
        how.height = sizes[i][1];
        how.dpi = sizes[i][2];
        g_autoptr(GError) error = NULL;
        g_assert_false(ns_export(&plot, 1, &how, path, &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_USAGE);
    }
    /* A tiny page has no space for numbers, and without plots the page is empty. */
    NsExport tiny = options(NS_FORMAT_PDF);
    tiny.width = tiny.height = 1;
    g_autoptr(GError) error = NULL;
    g_assert_false(ns_export(&plot, 1, &tiny, path, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_USAGE);
    g_autoptr(GBytes) none = exported(NULL, 0, &tiny);
    g_assert_true(g_str_has_prefix(g_bytes_get_data(none, NULL), "%PDF"));
    g_assert_cmpuint(files_in_folder(), ==, 0);
}

/* The experiment can be read back from a file of any format. */
static void test_experiment_inside(void)
{
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    g_assert_true(ns_settings_assign(&provenance.experiment.lane[0],
                                     "text=a é's & \\<b>\\ (c), \"d\"", NULL));
    provenance.step = 12;
    g_autofree char *line = ns_provenance_line(&provenance);
    const NsPlot *plots[] = {sample(LOSS), sample(HEATMAP)};
    for (int format = 0; format < NS_FORMAT_GIF; format++) {
        NsExport how = options((NsFormat)format);
        how.width = 468;
        how.experiment = line;
        g_autofree char *path = path_of("figure");
        g_assert_true(ns_export(plots, 2, &how, path, NULL));
        g_auto(NsProvenance) read;
        ns_provenance_init(&read);
        g_autoptr(GError) error = NULL;
        g_assert_true(ns_figure_file_read(&read, NULL, path, NULL, &error));
        g_assert_no_error(error);
        g_autofree char *again = ns_provenance_line(&read);
        g_assert_cmpstr(again, ==, line);
        how.experiment = NULL;
        g_assert_true(ns_export(plots, 2, &how, path, NULL));
        NsFileKind kind;
        g_assert_false(ns_figure_file_read(&read, NULL, path, &kind, NULL));
        g_assert_cmpint(kind, ==, format == NS_FORMAT_TEX ? NS_FILE_OTHER : NS_FILE_FIGURE);
        g_unlink(path);
    }
}

static cairo_surface_t *drawn(const NsExport *how)
{
    const NsPlot *plot = sample(PROFILE);
    g_autofree char *path = path_of("figure.png");
    g_assert_true(ns_export(&plot, 1, how, path, NULL));
    cairo_surface_t *image = cairo_image_surface_create_from_png(path);
    g_assert_cmpint(cairo_surface_status(image), ==, CAIRO_STATUS_SUCCESS);
    g_unlink(path);
    return image;
}

static uint32_t pixel(cairo_surface_t *image, int x, int y)
{
    const unsigned char *data = cairo_image_surface_get_data(image);
    size_t at = (size_t)y * (size_t)cairo_image_surface_get_stride(image) + 4 * (size_t)x;
    return *(const uint32_t *)(const void *)(data + at);
}

static void test_transparent(void)
{
    NsExportChoices choices;
    ns_export_choices_init(&choices);
    for (int clear = 0; clear < 2; clear++) {
        NsStyle style;
        NsExport how = {.format = NS_FORMAT_PNG};
        g_assert_true(
            ns_export_choices_set(&choices, "background", clear ? "none" : "style", NULL));
        ns_export_choices_apply(&choices, 1, &style, &how);
        cairo_surface_t *image = drawn(&how);
        bool alpha = cairo_image_surface_get_format(image) == CAIRO_FORMAT_ARGB32;
        g_assert_true(alpha == clear);
        int middle = cairo_image_surface_get_width(image) / 2;
        g_assert_cmphex(pixel(image, 0, 0) & 0xffffff, ==, clear ? 0 : 0xffffff);
        if (clear) g_assert_cmphex(pixel(image, middle, 300) >> 24, <, 255);
        cairo_surface_destroy(image);
    }
}

static void test_title_and_caption(void)
{
    const NsPlot *plots[] = {sample(PROFILE), sample(LOSS)};
    NsExport how = options(NS_FORMAT_SVG);
    how.untitled = true;
    g_autoptr(GBytes) bare = exported(plots, 1, &how);
    g_autofree char *words = words_of_svg(bare);
    g_assert_null(strstr(words, "Gradient norm by layer"));
    g_assert_null(strstr(words, "more"));
    g_assert_nonnull(strstr(words, "\nlayer\n"));
    how.caption = "lr=0.003 text=my_file^x, step 7";
    how.width = 468;
    g_autoptr(GBytes) pair = exported(plots, 2, &how);
    size_t size;
    const char *text = g_bytes_get_data(pair, &size);
    g_assert_nonnull(g_strstr_len(text, (gssize)size, ">(a) </text>") ||
                             g_strstr_len(text, (gssize)size, ">(a)</text>")
                         ? text
                         : NULL);
    g_assert_nonnull(find(pair, ">lr=0.003 text=my_file^x, step 7</text>"));
    how.untitled = false;
    g_autoptr(GBytes) titled = exported(plots, 2, &how);
    g_assert_nonnull(find(titled, "Gradient norm by layer</text>"));
    g_assert_null(find(titled, "Pre-LN, 6 layers"));
    how.caption = NULL;
    g_autoptr(GBytes) whole = exported(plots, 2, &how);
    g_assert_nonnull(find(whole, "Pre-LN, 6 layers"));
    how.height = 400;
    g_autoptr(GBytes) noted = exported(plots + 1, 1, &how);
    how.unnoted = true;
    g_autoptr(GBytes) silent = exported(plots + 1, 1, &how);
    g_assert_nonnull(find(noted, "every extreme is kept</text>"));
    g_assert_null(find(silent, "every extreme is kept</text>"));
    how.moment = "step 40 of 500";
    for (int tex = 0; tex < 2; tex++) {
        how.format = tex ? NS_FORMAT_TEX : NS_FORMAT_SVG;
        g_autoptr(GBytes) unfinished = exported(plots, 2, &how);
        g_assert_nonnull(find(unfinished, "step 40 of 500"));
    }
}

/* A page of every kind of plot, with texts that contain TeX commands. */
static char *tex_document(void)
{
    NsPlot plot = *sample(LOSS);
    plot.title = "100% of W_2^{−1} & {a} $x$~ #1 \\end ~ ‖∇L‖ é";
    const NsPlot *plots[] = {&plot,         sample(HEATMAP), sample(LONG_RUN), sample(ALL_NAN),
                             sample(EMPTY), sample(PROFILE), kinds()};
    NsExport how = options(NS_FORMAT_TEX);
    how.width = 468;
    how.height = 600;
    how.experiment = "normscope=1 text='a\n\\input{b}'";
    g_autoptr(GBytes) file = exported(plots, G_N_ELEMENTS(plots), &how);
    size_t size;
    const char *text = g_bytes_get_data(file, &size);
    return g_strndup(text, size);
}

/* Braces are balanced, and no text of the user is a command. */
static void test_tex(void)
{
    g_autofree char *document = tex_document();
    g_assert_true(g_str_has_prefix(document, "% normscope=1 text='a \\input{b}'\n"));
    g_assert_nonnull(strstr(document,
                            "{(a) 100\\% of W${}_{2}^{-1}$ \\& \\{a\\} \\$x\\$$\\sim $ \\#1 "
                            "$\\backslash $end $\\sim $ $\\|\\nabla $L$\\|$ é}"));
    int depth = 0, environments = 0;
    for (const char *p = document; *p; p++) {
        if (*p == '\\' && p[1] && strchr("{}\\%", p[1]))
            p++;
        else if (*p == '%')
            p += strcspn(p, "\n");
        depth += (*p == '{') - (*p == '}');
        g_assert_cmpint(depth, >=, 0);
        environments += g_str_has_prefix(p, "\\begin{") - g_str_has_prefix(p, "\\end{");
    }
    g_assert_cmpint(depth, ==, 0);
    g_assert_cmpint(environments, ==, 0);
    g_assert_null(strstr(document, "inf)"));
    g_assert_nonnull(strstr(document, "ymode=log"));
    g_assert_nonnull(strstr(document, "100000 points, reduced"));
    static const char *const drawn[] = {
        "\\fill[chart-0,", "only marks",         ") circle[radius=",           "-- cycle",
        "densely dotted",  "{bound $\\surd $d}", "{$\\propto $ L${}^{-1/2}$}", "bp}{A / B}},"};
    for (size_t i = 0; i < G_N_ELEMENTS(drawn); i++)
        if (!strstr(document, drawn[i])) g_error("no %s in the document", drawn[i]);
    g_assert_null(strstr(document, "{hidden}"));
    /* A long run must not result in a document that is too large for TeX. */
    g_assert_cmpuint(strlen(document), <, 2000000);
}

static void test_tex_typeset(void)
{
    g_autofree char *pdflatex = g_find_program_in_path("pdflatex");
    if (!pdflatex) {
        g_test_skip("pdflatex (texlive-latex-extra and texlive-pictures) is not installed");
        return;
    }
    g_autofree char *document = tex_document();
    g_autofree char *path = path_of("figure.tex");
    g_assert_true(g_file_set_contents(path, document, -1, NULL));
    const char *const arguments[] = {"pdflatex", "-interaction=nonstopmode", "-halt-on-error",
                                     "figure.tex", NULL};
    int status = -1;
    g_spawn_sync(folder, (char **)(uintptr_t)arguments, NULL,
                 G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status,
                 NULL);
    g_assert_cmpint(status, ==, 0);
    static const char *const made[] = {"figure.tex", "figure.log", "figure.aux", "figure.pdf"};
    for (size_t i = 0; i < G_N_ELEMENTS(made); i++) {
        g_autofree char *each = path_of(made[i]);
        g_unlink(each);
    }
}

/* ---- choices ---- */

static void test_choices(void)
{
    static const char *const good[][2] = {
        {"size", "slide"},      {"size", "88mm"},       {"size", "6x4in"},    {"size", "800x600px"},
        {"size", "400x300pt"},  {"size", "auto"},       {"style", "slide"},   {"style", "auto"},
        {"dpi", "600"},         {"dpi", "auto"},        {"font", "Sans"},     {"font", "auto"},
        {"text-size", "9.5"},   {"line-width", "0.75"}, {"legend", "inside"}, {"legend", "none"},
        {"background", "none"}, {"title", "off"},       {"caption", "on"},    {"experiment", "off"},
    };
    static const char *const bad[][2] = {
        {"size", "big"},         {"size", "nanx100"}, {"size", "0.5in"},     {"size", "88cm"},
        {"size", "201in"},       {"size", "100x"},    {"size", "100x100x1"}, {"style", "papr"},
        {"dpi", "35"},           {"dpi", "2401"},     {"dpi", "99.5"},       {"dpi", "nan"},
        {"font", "No Such 123"}, {"font", "a;b"},     {"text-size", "3"},    {"text-size", "big"},
        {"line-width", "0"},     {"legend", "right"}, {"background", "red"}, {"title", "yes"},
        {"color", "on"},
    };
    NsExportChoices choices;
    ns_export_choices_init(&choices);
    g_autofree char *none = ns_export_choices_flags(&choices);
    g_assert_cmpstr(none, ==, "");
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_true(ns_export_choices_set(&choices, good[i][0], good[i][1], &error));
        g_assert_no_error(error);
        g_autofree char *text = ns_export_choices_get(&choices, good[i][0]);
        g_assert_cmpstr(text, ==, good[i][1]);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *before = ns_export_choices_flags(&choices);
        g_autoptr(GError) error = NULL;
        if (ns_export_choices_set(&choices, bad[i][0], bad[i][1], &error))
            g_error("%s was set to “%s”", bad[i][0], bad[i][1]);
        g_assert_error(error, NS_ERROR, NS_ERROR_USAGE);
        g_assert_true(strchr(".?", error->message[strlen(error->message) - 1]) != NULL);
        g_autofree char *after = ns_export_choices_flags(&choices);
        g_assert_cmpstr(after, ==, before);
    }
    g_assert_true(ns_export_choices_set(&choices, "size", "6X4IN", NULL));
    g_assert_true(ns_export_choices_set(&choices, "font", "Sans", NULL));
    g_autofree char *flags = ns_export_choices_flags(&choices);
    g_assert_cmpstr(flags, ==,
                    "--size 6x4in --font Sans --text-size 9.5 --line-width 0.75 --legend none "
                    "--background none --title off --caption on --experiment off");
}

static void test_pages(void)
{
    static const struct {
        const char *size;
        size_t n, columns;
        double width, height, dpi; /* the size of a PNG in pixels is width times dpi / 72 */
    } rows[] = {
        {"auto", 1, 1, 234, 164, 300},         {"auto", 4, 2, 504, 353, 300},
        {"column", 4, 1, 234, 655, 300},       {"text", 2, 2, 396, 139, 300},
        {"column-3.5in", 1, 1, 252, 176, 300}, {"wide", 3, 2, 504, 353, 300},
        {"slide", 1, 1, 960, 540, 144},        {"slide", 4, 2, 960, 540, 144},
        {"slide", 3, 3, 960, 540, 144},        {"500x700", 3, 2, 500, 700, 300},
        {"slide", 9, 3, 960, 540, 144},        {"1920x1080px", 1, 1, 1440, 810, 96},
        {"127mm", 1, 1, 360, 252, 300},        {"100x200", 1, 1, 100, 200, 300},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        NsExportChoices choices;
        ns_export_choices_init(&choices);
        g_assert_true(ns_export_choices_set(&choices, "size", rows[i].size, NULL));
        NsStyle style;
        NsExport how = {0};
        ns_export_choices_apply(&choices, rows[i].n, &style, &how);
        g_assert_cmpuint(how.columns, ==, rows[i].columns);
        g_assert_cmpfloat_with_epsilon(how.width, rows[i].width, 1e-9);
        g_assert_cmpfloat_with_epsilon(how.height, rows[i].height, 1e-9);
        g_assert_cmpfloat(how.dpi, ==, rows[i].dpi);
        bool slide = g_str_equal(rows[i].size, "slide");
        g_assert_cmpstr(style.choice.key, ==, slide ? "slide" : "paper");
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("normscope-export-XXXXXX", NULL);
    g_test_add_func("/export/formats", test_formats);
    g_test_add_func("/export/same-bytes", test_same_bytes);
    g_test_add_func("/export/png", test_png);
    g_test_add_func("/export/svg", test_svg);
    g_test_add_func("/export/svg-scripts", test_svg_scripts);
    g_test_add_func("/export/pdf", test_pdf);
    g_test_add_func("/export/heat-is-image", test_heat_is_image);
    g_test_add_func("/export/csv", test_csv);
    g_test_add_func("/export/csv-heatmap", test_csv_heatmap);
    g_test_add_func("/export/csv-lower-plot", test_csv_lower_plot);
    g_test_add_func("/export/no-folder", test_no_folder);
    g_test_add_func("/export/full-disk", test_full_disk);
    g_test_add_func("/export/links-and-modes", test_links_and_modes);
    g_test_add_func("/export/bad-sizes", test_bad_sizes);
    g_test_add_func("/export/experiment-inside", test_experiment_inside);
    g_test_add_func("/export/transparent", test_transparent);
    g_test_add_func("/export/title-and-caption", test_title_and_caption);
    g_test_add_func("/export/tex", test_tex);
    if (g_test_slow()) g_test_add_func("/export/tex-typeset", test_tex_typeset);
    g_test_add_func("/export/choices", test_choices);
    g_test_add_func("/export/pages", test_pages);
    int status = g_test_run();
    g_rmdir(folder);
    g_free(folder);
    return status;
}
