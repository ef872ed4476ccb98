/* Charts as files.  SPDX-License-Identifier: MIT */
#include "ui/plot/export.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "ui/plot/csv.h"
#include "ui/plot/layout-private.h"
#include "ui/plot/painter.h"
#include "ui/plot/pdf.h"
#include "ui/plot/pgfplots.h"
#include "ui/plot/plot_sheet.h"
#include "ui/plot/png.h"
#include "ui/plot/save.h"
#include "ui/plot/svg.h"
#include "ui/plot/text.h"
#include "ui/plot/text_capture.h"
#include "ui/plot/zoom.h"

#include <cairo-svg.h>
#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define MOST_PIXELS 32767 /* maximum width and height of a cairo image */

static const char *const endings[NS_FORMATS] = {
    [NS_FORMAT_PDF] = "pdf", [NS_FORMAT_SVG] = "svg", [NS_FORMAT_PNG] = "png",
    [NS_FORMAT_CSV] = "csv", [NS_FORMAT_TEX] = "tex",
};

const char *ns_format_ending(NsFormat format)
{
    return endings[format];
}

bool ns_format_from_path(const char *path, NsFormat *format, GError **error)
{
    size_t length = strlen(path);
    for (unsigned i = 0; i < NS_FORMATS; i++)
        if (length > 4 && path[length - 4] == '.' &&
            g_ascii_strcasecmp(path + length - 3, endings[i]) == 0) {
            *format = (NsFormat)i;
            return true;
        }
    g_autofree char *name = g_filename_display_name(path);
    return ns_refuse(
        error, NS_ERROR_USAGE,
        "“%s” does not name a file format: use the extension .png, .svg, .pdf, .csv or .tex.",
        name);
}

char *ns_export_path(const char *path, const char *key)
{
    const char *slash = strrchr(path, G_DIR_SEPARATOR), *dot = strrchr(path, '.');
    if (!dot || (slash && dot < slash)) return g_strconcat(path, "-", key, NULL);
    g_autofree char *stem = g_strndup(path, (gsize)(dot - path));
    return g_strconcat(stem, "-", key, dot, NULL);
}

static void draw_caption(cairo_t *cr, PangoLayout *text, const NsExport *options)
{
    const NsStyle *style = options->style;
    cairo_save(cr);
    ns_set_color(cr, style->faint_text);
    cairo_translate(cr, style->padding, options->height - style->padding - ns_text_height(text));
    ns_text_show(cr, text, NS_ANCHOR_START);
    cairo_restore(cr);
}

static void draw_sheet(cairo_t *cr, const NsPlotSheet *sheet)
{
    ns_set_color(cr, sheet->options->style->background);
    cairo_paint(cr);
    for (int key = 0; key < 2; key++)
        for (size_t i = 0; i < sheet->n; i++) {
            if (key && !(sheet->plots[i].plot.key_reach > 0)) continue;
            g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(sheet, i);
            cairo_save(cr);
            cairo_translate(cr, sheet->plots[i].cell.x, sheet->plots[i].cell.y);
            (key ? ns_plot_draw_key : ns_plot_draw)(layout, cr);
            cairo_restore(cr);
        }
    if (sheet->caption) draw_caption(cr, sheet->caption, sheet->options);
}

/* The title of the file: "Loss; Gradient norm". */
static char *sheet_title(const NsPlot *const *plots, size_t n)
{
    GString *title = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        g_autofree char *plain = ns_text_plain(plots[i]->title);
        g_string_append_printf(title, "%s%s", i ? "; " : "", plain);
    }
    return g_string_free(title, FALSE);
}

/* The description of the charts for screen readers. */
static char *sheet_description(const NsPlot *const *plots, size_t n)
{
    GString *words = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        g_autofree char *sentence = ns_plot_describe(plots[i]);
        g_autofree char *plain = ns_text_plain(sentence);
        g_string_append_printf(words, "%s%s", i ? "\n" : "", plain);
    }
    return g_string_free(words, FALSE);
}

static cairo_status_t draw_pdf(const NsPlotSheet *sheet, const char *title, GByteArray *bytes)
{
    const NsExport *options = sheet->options;
    cairo_surface_t *surface = ns_pdf_new(bytes, options->width, options->height);
    ns_pdf_describe(surface, title, options->experiment, options->caption);
    cairo_t *cr = cairo_create(surface);
    draw_sheet(cr, sheet);
    return ns_end_drawing(cr, surface);
}

static cairo_status_t draw_svg(const NsPlotSheet *sheet, const NsSvgWords *about, GByteArray *bytes)
{
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(
        ns_collect_bytes, bytes, sheet->options->width, sheet->options->height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PT);
    g_autoptr(GArray) texts = ns_text_capture(surface);
    cairo_t *cr = cairo_create(surface);
    draw_sheet(cr, sheet);
    cairo_status_t status = ns_end_drawing(cr, surface);
    ns_svg_finish(bytes, about, texts);
    return status;
}

static cairo_status_t draw_png(const NsPlotSheet *sheet, const char *title, GByteArray *bytes)
{
    const NsExport *options = sheet->options;
    double scale = options->dpi / 72;
    int width = (int)round(options->width * scale), height = (int)round(options->height * scale);
    bool opaque = options->style->background.a >= 1;
    cairo_surface_t *surface = cairo_image_surface_create(
        opaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32, width, height);
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, width / options->width, height / options->height);
    draw_sheet(cr, sheet);
    cairo_status_t written = cairo_surface_write_to_png_stream(surface, ns_collect_bytes, bytes);
    cairo_status_t status = ns_end_drawing(cr, surface);
    if (options->experiment) ns_png_add_text(bytes, "Experiment", options->experiment);
    if (options->caption) ns_png_add_text(bytes, "Description", options->caption);
    ns_png_add_text(bytes, "Title", title);
    ns_png_add_text(bytes, "Software", NS_SOFTWARE);
    ns_png_set_dpi(bytes, options->dpi);
    return status == CAIRO_STATUS_SUCCESS ? written : status;
}

static cairo_status_t draw_file(const NsPlot *const *plots, size_t n, const NsExport *options,
                                const NsMargins *least, GByteArray *bytes)
{
    g_autofree char *title = sheet_title(plots, n);
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, options, least);
    if (options->format == NS_FORMAT_PDF) return draw_pdf(&sheet, title, bytes);
    if (options->format == NS_FORMAT_PNG) return draw_png(&sheet, title, bytes);
    g_autofree char *description = sheet_description(plots, n);
    return draw_svg(&sheet, &(NsSvgWords){title, description, options->experiment}, bytes);
}

static bool check_size(const NsExport *options, GError **error)
{
    double w = options->width, h = options->height, scale = options->dpi / 72;
    bool png = options->format == NS_FORMAT_PNG;
    if (!(w >= 1 && h >= 1 && w <= 14400 && h <= 14400))
        return ns_refuse(error, NS_ERROR_USAGE,
                         N_("The width and height of a figure must be between 1 and 14,400 points "
                            "(200 inches): choose another size."));
    if (png && !(scale > 0 && w * scale >= 1 && h * scale >= 1 && w * scale <= MOST_PIXELS &&
                 h * scale <= MOST_PIXELS))
        return ns_refuse(error, NS_ERROR_USAGE,
                         N_("The width and height of a PNG image must be between 1 and 32,767 "
                            "pixels: choose another size or resolution."));
    return true;
}

bool ns_export(const NsPlot *const *plots, size_t n, const NsExport *asked, const char *path,
               GError **error)
{
    if (asked->format == NS_FORMAT_CSV) {
        g_autoptr(GString) table = ns_csv_write(plots, n, asked->experiment);
        return ns_save(path, table->str, table->len, error);
    }
    NsExport own = *asked, *options = &own;
    own.height = ns_plot_sheet_height(plots, n, asked);
    if (!check_size(options, error)) return false;
    for (size_t i = 0; options->format == NS_FORMAT_TEX && i < n; i++) {
        if (!plots[i]->drawing) continue;
        g_autofree char *title = ns_text_plain(plots[i]->title);
        return ns_refuse(
            error, NS_ERROR_USAGE,
            N_("“%s” is a diagram, which pgfplots cannot draw: choose PDF, SVG or PNG."), title);
    }
    if (options->format == NS_FORMAT_TEX) {
        g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, options, NULL);
        g_autoptr(GString) document = ns_pgfplots_write(&sheet);
        return ns_save(path, document->str, document->len, error);
    }
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    return ns_save_drawing(draw_file(plots, n, options, NULL, bytes), bytes, path, error);
}

/* ---- films ---- */

/* Limits that all frames of a plot share. */
typedef struct {
    NsRange left, right, lower, color;
    NsMargins margins; /* the widest of all frames, so that the plot area does not move */
} Limits;

static void widen(NsRange *range, const NsScale *scale)
{
    if (scale->blank) return;
    ns_range_widen(range, scale->lo);
    ns_range_widen(range, scale->hi);
}

static void widen_all(Limits *limits, const NsPlotLayout *layout)
{
    widen(&limits->left, &layout->y[NS_AXIS_LEFT]);
    if (layout->summary.right) widen(&limits->right, &layout->y[NS_AXIS_RIGHT]);
    if (layout->plot->heatmap) widen(&limits->color, &layout->z);
    if (layout->lower) widen(&limits->lower, &layout->lower->y[NS_AXIS_LEFT]);
}

/* Lays out a frame only for its limits. */
static void measure(const NsPlot *const *plots, size_t n, const NsExport *options, Limits *limits)
{
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, options, NULL);
    for (size_t i = 0; i < n; i++) {
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
        NsMargins own = ns_layout_margins(layout), *most = &limits[i].margins;
        most->top = MAX(most->top, own.top);
        most->right = MAX(most->right, own.right);
        most->bottom = MAX(most->bottom, own.bottom);
        most->left = MAX(most->left, own.left);
        widen_all(&limits[i], layout);
    }
}

static void fix(NsAxis *axis, NsRange range)
{
    if (isnan(axis->lo)) axis->lo = range.lo;
    if (isnan(axis->hi)) axis->hi = range.hi;
}

/* A plot of a frame with the limits of all frames. */
typedef struct {
    NsPlot plot, lower;
    NsHeatmap map;
} Fixed;

static void fix_plot(Fixed *fixed, const NsPlot *plot, const Limits *limits)
{
    fixed->plot = *plot;
    if (!plot->heatmap) fix(&fixed->plot.left, limits->left);
    fix(&fixed->plot.right, limits->right);
    if (plot->heatmap && !(plot->heatmap->lo < plot->heatmap->hi) && !isnan(limits->color.lo)) {
        fixed->map = *plot->heatmap;
        fixed->map.lo = limits->color.lo;
        fixed->map.hi = limits->color.hi;
        fixed->plot.heatmap = &fixed->map;
    }
    if (plot->lower) {
        fixed->lower = *plot->lower;
        fix(&fixed->lower.left, limits->lower);
        fixed->plot.lower = &fixed->lower;
    }
}

static cairo_status_t draw_frame(const NsFrames *frames, guint i, size_t n, NsExport *options,
                                 const Limits *limits, GByteArray *bytes)
{
    const NsPlot *const *plots = frames->frame(frames->data, i, options);
    g_autofree Fixed *fixed = g_new0(Fixed, n);
    g_autofree const NsPlot **borrowed = g_new(const NsPlot *, n);
    for (size_t k = 0; k < n; k++) {
        fix_plot(&fixed[k], plots[k], &limits[k]);
        borrowed[k] = &fixed[k].plot;
    }
    g_autofree NsMargins *least = g_new(NsMargins, n);
    for (size_t k = 0; k < n; k++) least[k] = limits[k].margins;
    return draw_file(borrowed, n, options, least, bytes);
}

static bool go_on(const NsFrames *frames, guint done)
{
    NsExportWatch *watch = frames->watch;
    if (!watch) return true;
    g_atomic_int_set(&watch->all, (int)(3 * frames->n));
    g_atomic_int_set(&watch->done, (int)done);
    return !g_atomic_int_get(&watch->stop);
}

static bool refuse_stopped(GError **error)
{
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The film was stopped.");
    return false;
}

bool ns_export_film(const NsFrames *frames, size_t n, const NsExport *asked, const char *path,
                    GError **error)
{
    NsExport options = *asked;
    g_autofree Limits *limits = g_new(Limits, n);
    g_autoptr(GByteArray) film = g_byte_array_new();
    guint32 sequence = 0;
    for (size_t k = 0; k < n; k++)
        limits[k] = (Limits){.left = NS_RANGE_FREE,
                             .right = NS_RANGE_FREE,
                             .lower = NS_RANGE_FREE,
                             .color = NS_RANGE_FREE};
    /* Later steps may add notes, so that every frame is measured. */
    double height = 0;
    for (guint i = 0; i < frames->n && go_on(frames, i); i++)
        height = MAX(height,
                     ns_plot_sheet_height(frames->frame(frames->data, i, &options), n, &options));
    if (!go_on(frames, frames->n)) return refuse_stopped(error);
    options.height = height;
    if (!check_size(&options, error)) return false;
    for (guint i = 0; i < frames->n && go_on(frames, frames->n + i); i++)
        measure(frames->frame(frames->data, i, &options), n, &options, limits);
    cairo_status_t status = draw_frame(frames, frames->n - 1, n, &options, limits, film);
    if (status == CAIRO_STATUS_SUCCESS) ns_png_begin_film(film, frames->n);
    for (guint i = 0; status == CAIRO_STATUS_SUCCESS && i < frames->n; i++) {
        if (!go_on(frames, 2 * frames->n + i)) return refuse_stopped(error);
        g_autoptr(GByteArray) png = g_byte_array_new();
        status = draw_frame(frames, i, n, &options, limits, png);
        if (status == CAIRO_STATUS_SUCCESS) ns_png_add_frame(film, png, frames->rate, &sequence);
    }
    ns_png_end_film(film);
    return ns_save_drawing(status, film, path, error);
}
