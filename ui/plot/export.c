/* Charts as files.  SPDX-License-Identifier: MIT */
#include "ui/plot/export.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/store/output_file.h"
#include "ui/plot/csv.h"
#include "ui/plot/painter.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/scale.h"
#include "ui/plot/text.h"

#include <cairo-svg.h>
#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define MOST_PIXELS 32767 /* maximum width and height of a cairo image */

static const char *const endings[NS_FORMATS] = {
    [NS_FORMAT_PDF] = "pdf", [NS_FORMAT_SVG] = "svg", [NS_FORMAT_PNG] = "png",
    [NS_FORMAT_CSV] = "csv", [NS_FORMAT_TEX] = "tex", [NS_FORMAT_GIF] = "gif",
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
        "“%s” does not name a file format: use the extension .png, .svg, .pdf, .csv, .tex or .gif.",
        name);
}

char *ns_export_path(const char *path, const char *key)
{
    const char *slash = strrchr(path, G_DIR_SEPARATOR), *dot = strrchr(path, '.');
    if (!dot || (slash && dot < slash)) return g_strconcat(path, "-", key, NULL);
    g_autofree char *stem = g_strndup(path, (gsize)(dot - path));
    return g_strconcat(stem, "-", key, dot, NULL);
}

static cairo_status_t draw_file(const NsPlot *const *plots, size_t n, const NsExport *options,
                                GByteArray *bytes)
{
    /* The title of the file, "Loss; Gradient norm", and the description for screen readers. */
    g_autoptr(GString) titles = g_string_new(NULL), words = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        g_autofree char *plain = ns_text_plain(plots[i]->title);
        g_autofree char *sentence = ns_plot_describe(plots[i]);
        g_string_append_printf(titles, "%s%s", i ? "; " : "", plain);
        g_string_append_printf(words, "%s%s", i ? "\n" : "", sentence);
    }
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, options);
    cairo_surface_t *surface;
    if (options->format == NS_FORMAT_PNG) {
        cairo_status_t status = ns_plot_sheet_draw_image(&sheet, &surface);
        if (!status) status = cairo_surface_write_to_png_stream(surface, ns_collect_bytes, bytes);
        cairo_surface_destroy(surface);
        if (options->experiment) ns_png_add_text(bytes, "Experiment", options->experiment);
        if (options->caption) ns_png_add_text(bytes, "Description", options->caption);
        ns_png_add_text(bytes, "Title", titles->str);
        ns_png_add_text(bytes, "Software", NS_SOFTWARE);
        ns_png_set_dpi(bytes, options->dpi);
        return status;
    }
    g_autoptr(GArray) texts = NULL;
    if (options->format == NS_FORMAT_PDF) {
        surface = ns_pdf_new(bytes, options->width, options->height);
        ns_pdf_describe(surface, titles->str, options->experiment, options->caption);
    } else {
        surface = cairo_svg_surface_create_for_stream(ns_collect_bytes, bytes, options->width,
                                                      options->height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PT);
        texts = ns_text_capture(surface);
    }
    cairo_t *cr = cairo_create(surface);
    ns_plot_sheet_draw(&sheet, cr);
    cairo_status_t status = ns_end_drawing(cr, surface);
    if (texts)
        ns_svg_finish(bytes, &(NsSvgWords){titles->str, words->str, options->experiment}, texts);
    return status;
}

bool ns_export_check_size(const NsExport *options, GError **error)
{
    double w = options->width, h = options->height, scale = options->dpi / 72;
    bool image = options->format == NS_FORMAT_PNG || options->format == NS_FORMAT_GIF;
    if (!(w >= 1 && h >= 1 && w <= 14400 && h <= 14400))
        return ns_refuse(error, NS_ERROR_USAGE,
                         N_("The width and height of a figure must be between 1 and 14,400 points "
                            "(200 inches): choose another size."));
    if (image && !(scale > 0 && w * scale >= 1 && h * scale >= 1 && w * scale <= MOST_PIXELS &&
                   h * scale <= MOST_PIXELS))
        return ns_refuse(error, NS_ERROR_USAGE,
                         N_("The width and height of an image must be between 1 and 32,767 "
                            "pixels: choose another size or resolution."));
    return true;
}

static bool moves_legend(const NsPlot *const *plots, size_t n, const NsExport *options)
{
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, options);
    bool any = false;
    for (size_t i = 0; i < n && !any; i++) {
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
        any = layout->plot->legend == NS_LEGEND_ABOVE;
    }
    return any;
}

/* Whether an axis or a color bar has no space for its numbers. */
static bool lacks_numbers(const NsPlotLayout *layout, const NsPlot *plot)
{
    const struct {
        NsPart part;
        const GArray *ticks;
    } scales[] = {
        {NS_PART_LEFT_TICK, plot->left.quiet ? NULL : layout->y_ticks},
        {NS_PART_X_TICK, plot->x.quiet || layout->lower ? NULL : layout->x_ticks},
        {NS_PART_BAR_TICK, layout->bar.width > 0 ? layout->z_ticks : NULL},
    };
    bool lacks = layout->lower && lacks_numbers(layout->lower, plot->lower);
    for (size_t i = 0; i < G_N_ELEMENTS(scales) && layout->summary.any && !plot->drawing; i++)
        lacks |= scales[i].ticks && ns_ticks_labeled(scales[i].ticks) > 0 &&
                 !ns_layout_label(layout, scales[i].part);
    return lacks;
}

/* Returns false with NS_ERROR_USAGE if an axis has no numbers, without which it says nothing. */
static bool check_numbers(const NsPlot *const *plots, size_t n, const NsExport *options,
                          GError **error)
{
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, options);
    for (size_t i = 0; i < n; i++) {
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
        if (!lacks_numbers(layout, &sheet.plots[i].plot)) continue;
        g_autofree char *title = ns_text_plain(plots[i]->title);
        return ns_refuse(error, NS_ERROR_USAGE,
                         N_("At this text size there is no space for the numbers at the axes of "
                            "“%s”: choose a smaller text or a larger figure."),
                         title);
    }
    return true;
}

/* Returns whether a title or the name of an axis, a lane or a panel is shortened or left out. */
static bool shortens_names(const NsPlotLayout *layout, const NsPlot *plot)
{
    bool any = plot->left.label && !plot->left.quiet && layout->summary.any && !plot->drawing &&
               !ns_layout_label(layout, NS_PART_LEFT_LABEL);
    for (guint i = 0; i < layout->labels->len && !any; i++)
        any = pango_layout_is_ellipsized(g_array_index(layout->labels, NsLabel, i).text);
    return any || (layout->lower && shortens_names(layout->lower, plot->lower));
}

/* A sentence about the parts of the plots for which there is no space, or NULL. */
static char *left_out(const NsPlot *const *plots, size_t n, const NsExport *options)
{
    bool lower = false, lines = false, names = false;
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, options);
    for (size_t i = 0; i < n; i++) {
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
        const NsPlot *plot = &sheet.plots[i].plot;
        lower |= plots[i]->lower && !layout->lower && layout->summary.any && !plot->heatmap;
        lines |= plot->n_levels < plots[i]->n_levels;
        names |= shortens_names(layout, plot);
    }
    const char *parts[] = {lower ? _("the panels below charts") : NULL,
                           lines ? _("reference lines") : NULL,
                           names ? _("complete names and titles") : NULL};
    g_autoptr(GString) list = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        if (parts[i]) g_string_append_printf(list, "%s%s", list->len ? ", " : "", parts[i]);
    if (!list->len) return NULL;
    return g_strdup_printf(
        _("There was no space for %s; a larger figure or a smaller text leaves more."), list->str);
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
    if (!ns_export_check_size(options, error)) return false;
    g_autoptr(GError) lack = NULL;
    if (!check_numbers(plots, n, options, &lack)) {
        if (!options->remark) {
            g_propagate_error(error, g_steal_pointer(&lack));
            return false;
        }
        *options->remark = g_strdup(lack->message);
    } else if (options->remark && options->legend == NS_LEGEND_INSIDE &&
               moves_legend(plots, n, options)) {
        *options->remark = g_strdup(_("Inside the plot the legend would hide data, so it is above; "
                                      "a larger figure may leave space for it."));
    } else if (options->remark) {
        *options->remark = left_out(plots, n, options);
    }
    for (size_t i = 0; options->format == NS_FORMAT_TEX && i < n; i++) {
        if (!plots[i]->drawing) continue;
        g_autofree char *title = ns_text_plain(plots[i]->title);
        return ns_refuse(
            error, NS_ERROR_USAGE,
            N_("“%s” is a diagram, which pgfplots cannot draw: choose PDF, SVG or PNG."), title);
    }
    if (options->format == NS_FORMAT_TEX) {
        g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, options);
        g_autoptr(GString) document = ns_pgfplots_write(&sheet);
        return ns_save(path, document->str, document->len, error);
    }
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    return ns_save_drawing(draw_file(plots, n, options, bytes), bytes, path, error);
}
