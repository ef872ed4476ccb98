/* Charts as files.  SPDX-License-Identifier: MIT */
#include "ui/plot/export.h"

#include "core/base/error.h"
#include "ui/plot/csv.h"
#include "ui/plot/png.h"
#include "ui/plot/save.h"
#include "ui/plot/svg.h"
#include "ui/plot/text.h"
#include "ui/plot/words.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <string.h>

#define SOFTWARE "Normscope " NS_VERSION
#define MOST_PIXELS 32767 /* a side of an image in cairo */

/* The date inside files that must have one, unless SOURCE_DATE_EPOCH says another: the same
 * experiment gives the same bytes on any day. */
#define EPOCH 1577836800 /* 2020-01-01 */

static const struct {
    const char *ending;
    NsFormat format;
} endings[] = {
    {".png", NS_FORMAT_PNG},
    {".svg", NS_FORMAT_SVG},
    {".pdf", NS_FORMAT_PDF},
    {".csv", NS_FORMAT_CSV},
};

bool ns_format_from_path(const char *path, NsFormat *format, GError **error)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
        if (length > 4 && g_ascii_strcasecmp(path + length - 4, endings[i].ending) == 0) {
            *format = endings[i].format;
            return true;
        }
    g_autofree char *name = g_filename_display_name(path);
    g_set_error(
        error, NS_ERROR, NS_ERROR_USAGE,
        "“%s” does not tell the kind of file to write: end it with .png, .svg, .pdf or .csv.",
        name);
    return false;
}

static cairo_status_t collect(void *bytes, const unsigned char *data, unsigned size)
{
    g_byte_array_append(bytes, data, size);
    return CAIRO_STATUS_SUCCESS;
}

/* A plot on a sheet of several begins with its letter. */
static char *lettered_title(const NsPlot *plot, size_t i, size_t n)
{
    if (n < 2) return g_strdup(plot->title);
    const char *title = plot->title ? plot->title : "";
    if (i < 26) return g_strdup_printf("(%c) %s", 'a' + (int)i, title);
    return g_strdup_printf("(%zu) %s", i + 1, title);
}

static void draw_sheet(cairo_t *cr, const NsPlot *const *plots, size_t n, size_t columns,
                       const NsExport *options)
{
    const NsStyle *style = options->style;
    columns = CLAMP(columns, 1, MAX(n, 1));
    size_t rows = (MAX(n, 1) + columns - 1) / columns;
    double gutter = MAX(0, 1.3 * style->text_size - style->padding);
    double width = (options->width - gutter * (double)(columns - 1)) / (double)columns;
    double height = (options->height - gutter * (double)(rows - 1)) / (double)rows;
    cairo_set_source_rgba(cr, style->background.r, style->background.g, style->background.b,
                          style->background.a);
    cairo_paint(cr);
    for (size_t i = 0; i < n; i++) {
        g_autofree char *title = lettered_title(plots[i], i, n);
        NsPlot plot = *plots[i];
        plot.title = title;
        g_autoptr(NsPlotLayout) layout = ns_plot_layout(&plot, width, height, style);
        cairo_save(cr);
        cairo_translate(cr, (double)(i % columns) * (width + gutter),
                        (double)(i / columns) * (height + gutter));
        ns_plot_draw(layout, cr);
        cairo_restore(cr);
    }
}

/* "Loss; Gradient norm": the title of the file. */
static char *sheet_title(const NsPlot *const *plots, size_t n)
{
    GString *title = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        g_autofree char *plain = ns_text_plain(plots[i]->title);
        g_string_append_printf(title, "%s%s", i ? "; " : "", plain);
    }
    return g_string_free(title, FALSE);
}

static char *creation_date(void)
{
    const char *given = g_getenv("SOURCE_DATE_EPOCH");
    gint64 seconds = EPOCH, parsed;
    if (given && g_ascii_string_to_signed(given, 10, 0, G_MAXINT32, &parsed, NULL))
        seconds = parsed;
    g_autoptr(GDateTime) date = g_date_time_new_from_unix_utc(seconds);
    return g_date_time_format(date, "%Y-%m-%dT%H:%M:%SZ");
}

static void describe_pdf(cairo_surface_t *surface, const char *title, const char *settings)
{
    g_autofree char *date = creation_date();
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, SOFTWARE);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, date);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_MOD_DATE, date);
    if (settings) cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_KEYWORDS, settings);
}

static cairo_surface_t *open_surface(const NsExport *options, GByteArray *bytes)
{
    switch (options->format) {
    case NS_FORMAT_PDF:
        return cairo_pdf_surface_create_for_stream(collect, bytes, options->width, options->height);
    case NS_FORMAT_SVG: {
        cairo_surface_t *surface =
            cairo_svg_surface_create_for_stream(collect, bytes, options->width, options->height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PT);
        return surface;
    }
    case NS_FORMAT_PNG:
    case NS_FORMAT_CSV:
        break;
    }
    double scale = options->dpi / 72;
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)round(options->width * scale),
                                      (int)round(options->height * scale));
}

static cairo_status_t draw_file(const NsPlot *const *plots, size_t n, size_t columns,
                                const NsExport *options, GByteArray *bytes)
{
    g_autofree char *title = sheet_title(plots, n);
    cairo_surface_t *surface = open_surface(options, bytes);
    g_autoptr(GArray) words = NULL;
    if (options->format == NS_FORMAT_SVG) words = ns_words_collect(surface);
    cairo_t *cr = cairo_create(surface);
    if (options->format == NS_FORMAT_PNG)
        cairo_scale(cr, cairo_image_surface_get_width(surface) / options->width,
                    cairo_image_surface_get_height(surface) / options->height);
    if (options->format == NS_FORMAT_PDF) describe_pdf(surface, title, options->settings);
    draw_sheet(cr, plots, n, columns, options);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    if (options->format == NS_FORMAT_PNG) {
        if (status == CAIRO_STATUS_SUCCESS)
            status = cairo_surface_write_to_png_stream(surface, collect, bytes);
        if (options->settings) ns_png_add_text(bytes, "Settings", options->settings);
        ns_png_add_text(bytes, "Title", title);
        ns_png_add_text(bytes, "Software", SOFTWARE);
        ns_png_set_dpi(bytes, options->dpi);
    }
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (options->format == NS_FORMAT_SVG) {
        const char *settings = options->settings ? options->settings : "";
        g_autofree char *metadata = g_strdup_printf("%s; settings: %s", SOFTWARE, settings);
        const NsSvgWords about = {.title = title, .metadata = metadata};
        ns_svg_finish(bytes, &about, words);
    }
    return status;
}

static bool check_size(const NsExport *options, GError **error)
{
    double w = options->width, h = options->height, scale = options->dpi / 72;
    bool png = options->format == NS_FORMAT_PNG;
    if (!(w >= 1 && h >= 1 && w <= 14400 && h <= 14400)) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "A figure is from 1 to 14,400 points (200 inches) wide and high: "
                    "choose another size.");
        return false;
    }
    if (png && !(scale > 0 && w * scale >= 1 && h * scale >= 1 && w * scale <= MOST_PIXELS &&
                 h * scale <= MOST_PIXELS)) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "A PNG image is from 1 to 32,767 pixels wide and high: "
                    "choose another size or another resolution.");
        return false;
    }
    return true;
}

bool ns_export(const NsPlot *const *plots, size_t n, size_t columns, const NsExport *options,
               const char *path, GError **error)
{
    if (options->format == NS_FORMAT_CSV) {
        GString *table = ns_csv_write(plots, n, options->settings);
        bool saved = ns_save(path, table->str, table->len, error);
        g_string_free(table, TRUE);
        return saved;
    }
    if (!check_size(options, error)) return false;
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    cairo_status_t status = draw_file(plots, n, columns, options, bytes);
    if (status != CAIRO_STATUS_SUCCESS) {
        g_autofree char *name = g_filename_display_name(path);
        g_set_error(error, NS_ERROR, NS_ERROR_FILE,
                    "Cannot draw “%s”: %s; choose a smaller size or a lower resolution.", name,
                    cairo_status_to_string(status));
        return false;
    }
    return ns_save(path, bytes->data, bytes->len, error);
}
