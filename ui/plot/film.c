/* Films: a sheet that changes, as an animated GIF.  SPDX-License-Identifier: MIT
 *
 * All frames of a film have the same axes, colors and margins.  GIF allows 256 colors, of which
 * every frame has its own, and a frame contains only the rectangle that differs from the one
 * before, so that texts and axes never change. */
#include "core/base/error.h"
#include "ui/plot/export.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/scale.h"

#include <gif_lib.h>
#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define MOST_COLORS 255 /* the last of 256 stands for SAME */
#define FIRST 160       /* entries of the palette for the most frequent colors */
#define FINE 4          /* the difference from each other that these have at most */
#define ONE_PIXEL (UINT64_C(1) << 32)
#define SAME UINT32_MAX /* no color: the pixel remains as it is */
#define HOLD 200        /* additional duration of the last frame, in hundredths of a second */

/* ---- frames ---- */

/* Limits that all frames of a plot share. */
typedef struct {
    NsRange left, lower, color;
    NsMargins margins; /* the widest of all frames, so that the plot area does not move */
    double beyond;     /* so that the horizontal scale does not either */
} Limits;

static void widen(NsRange *range, const NsScale *scale)
{
    if (scale->blank) return;
    ns_range_widen(range, scale->lo);
    ns_range_widen(range, scale->hi);
}

/* Lays out a frame only for its limits. */
static void measure(const NsPlot *const *plots, size_t n, const NsExport *options, Limits *limits)
{
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, options);
    for (size_t i = 0; i < n; i++) {
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
        NsMargins own = ns_layout_margins(layout), *most = &limits[i].margins;
        most->top = MAX(most->top, own.top);
        most->right = MAX(most->right, own.right);
        most->bottom = MAX(most->bottom, own.bottom);
        most->left = MAX(most->left, own.left);
        limits[i].beyond = MAX(limits[i].beyond, layout->beyond);
        widen(&limits[i].left, &layout->y);
        if (layout->plot->heatmap) widen(&limits[i].color, &layout->z);
        if (layout->lower) widen(&limits[i].lower, &layout->lower->y);
    }
}

static void fix(NsAxis *axis, NsRange range)
{
    if (isnan(axis->lo)) axis->lo = range.lo;
    if (isnan(axis->hi)) axis->hi = range.hi;
}

/* Draws a frame with the limits of all frames. */
static cairo_status_t draw_frame(const NsPlot *const *plots, size_t n, const NsExport *options,
                                 const Limits *limits, cairo_surface_t **image)
{
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, options);
    g_autofree NsPlot *lower = g_new(NsPlot, n);
    g_autofree NsHeatmap *maps = g_new(NsHeatmap, n);
    for (size_t i = 0; i < n; i++) {
        NsPlot *plot = &sheet.plots[i].plot;
        sheet.plots[i].least = limits[i].margins;
        plot->beyond = limits[i].beyond;
        if (!plot->heatmap) {
            fix(&plot->left, limits[i].left);
        } else if (!(plot->heatmap->lo < plot->heatmap->hi) && !isnan(limits[i].color.lo)) {
            maps[i] = *plot->heatmap;
            maps[i].lo = limits[i].color.lo;
            maps[i].hi = limits[i].color.hi;
            plot->heatmap = &maps[i];
        }
        if (plot->lower) {
            lower[i] = *plot->lower;
            fix(&lower[i].left, limits[i].lower);
            plot->lower = &lower[i];
        }
    }
    return ns_plot_sheet_draw_image(&sheet, image);
}

/* ---- GIF ---- */

static void end(GifFileType *gif)
{
    EGifCloseFile(gif, NULL);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GifFileType, end)

static int append(GifFileType *gif, const GifByteType *bytes, int size)
{
    g_byte_array_append(gif->UserData, bytes, (guint)size);
    return size;
}

/* Colors with their numbers of pixels in the upper half, of which the largest comes first. */
static int by_count(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* The largest difference of two colors in red, green or blue. */
static int distance(uint32_t a, uint32_t b)
{
    int most = 0;
    for (int shift = 0; shift < 24; shift += 8)
        most = MAX(most, abs((int)(a >> shift & 255) - (int)(b >> shift & 255)));
    return most;
}

/* Chooses a palette and sets in `entries` the position of the entry for every color, plus 1.  The
 * most frequent colors come first, and colors nearer than a limit to one that was chosen are
 * omitted.  The limit is the smallest for which the palette is large enough, but for the first
 * entries at most FINE: surfaces, lines and scales of colors are exact or nearly so, and the
 * shades of antialiased edges are merged. */
static int choose_palette(GArray *colors, GHashTable *entries, GifColorType *palette)
{
    uint32_t chosen[MOST_COLORS];
    unsigned n = 0, i = 0;
    g_array_sort(colors, by_count);
    for (int limit = 1; i < colors->len; limit++)
        for (n = i = 0; i < colors->len; i++) {
            uint32_t rgb = (uint32_t)g_array_index(colors, uint64_t, i);
            unsigned k = 0;
            while (k < n && distance(chosen[k], rgb) >= (n < FIRST ? MIN(limit, FINE) : limit)) k++;
            if (k == MOST_COLORS) break;
            if (k == n) chosen[n++] = rgb;
        }
    for (i = 0; i < colors->len; i++) {
        uint32_t rgb = (uint32_t)g_array_index(colors, uint64_t, i);
        unsigned nearest = 0;
        for (unsigned k = 1; k < n; k++)
            if (distance(chosen[k], rgb) < distance(chosen[nearest], rgb)) nearest = k;
        g_hash_table_insert(entries, GUINT_TO_POINTER(rgb), GUINT_TO_POINTER(nearest + 1));
    }
    for (i = 0; i < n; i++)
        palette[i] = (GifColorType){(GifByteType)(chosen[i] >> 16), (GifByteType)(chosen[i] >> 8),
                                    (GifByteType)chosen[i]};
    return (int)n;
}

/* Adds a frame, shown for a time in hundredths of a second, and replaces the pixels that are
 * shown. */
static bool add(GifFileType *gif, const uint32_t *frame, uint32_t *shown, int time)
{
    int width = gif->SWidth, height = gif->SHeight;
    int left = width, right = 0, top = height, bottom = 0;
    size_t n = (size_t)width * (size_t)height;
    g_autofree uint32_t *changed = g_new(uint32_t, n);
    g_autoptr(GArray) colors = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    g_autoptr(GHashTable) entries = g_hash_table_new(NULL, NULL);
    for (int y = 0, i = 0; y < height; y++)
        for (int x = 0; x < width; x++, i++) {
            uint32_t rgb = frame[i] & 0xffffff;
            changed[i] = rgb == shown[i] ? SAME : rgb;
            shown[i] = rgb;
            if (changed[i] == SAME) continue;
            left = MIN(left, x);
            right = MAX(right, x);
            top = MIN(top, y);
            bottom = y;
            guint at = GPOINTER_TO_UINT(g_hash_table_lookup(entries, GUINT_TO_POINTER(rgb)));
            if (!at) {
                g_array_append_val(colors, (uint64_t){rgb});
                at = colors->len;
                g_hash_table_insert(entries, GUINT_TO_POINTER(rgb), GUINT_TO_POINTER(at));
            }
            g_array_index(colors, uint64_t, at - 1) += ONE_PIXEL;
        }
    if (left > right) left = top = 0; /* nothing has changed: one pixel */
    GifColorType palette[MOST_COLORS + 1] = {0};
    int bits = GifBitSize(choose_palette(colors, entries, palette) + 1);
    ColorMapObject *map = GifMakeMapObject(1 << bits, palette);
    if (!map) return false;
    GifByteType control[4], same = (GifByteType)(map->ColorCount - 1);
    EGifGCBToExtension(&(GraphicsControlBlock){DISPOSE_DO_NOT, false, time, same}, control);
    width = right - left + 1;
    bool good = EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, sizeof control, control) &&
                EGifPutImageDesc(gif, left, top, width, bottom - top + 1, false, map);
    g_autofree GifPixelType *row = g_new(GifPixelType, width);
    for (int y = top; good && y <= bottom; y++) {
        for (int x = 0; x < width; x++) {
            uint32_t rgb = changed[y * gif->SWidth + left + x];
            gpointer at = g_hash_table_lookup(entries, GUINT_TO_POINTER(rgb));
            row[x] = rgb == SAME ? same : (GifPixelType)(GPOINTER_TO_UINT(at) - 1);
        }
        good = EGifPutLine(gif, row, width);
    }
    GifFreeMapObject(map);
    return good;
}

/* ---- the film ---- */

static bool continues(const NsFrames *frames, guint done, GError **error)
{
    NsExportWatch *watch = frames->watch;
    if (!watch) return true;
    g_atomic_int_set(&watch->all, (int)(2 * frames->n));
    g_atomic_int_set(&watch->done, (int)done);
    if (!g_atomic_int_get(&watch->stop)) return true;
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "The film was stopped.");
    return false;
}

bool ns_export_film(const NsFrames *frames, size_t n, const NsExport *asked, const char *path,
                    GError **error)
{
    NsExport options = *asked;
    bool film = options.format == NS_FORMAT_GIF;
    g_autofree Limits *limits = g_new(Limits, n);
    g_autofree uint32_t *shown = NULL;
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_autoptr(GifFileType) gif = film ? EGifOpen(bytes, append, NULL) : NULL;
    cairo_status_t status = gif || !film ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
    for (size_t k = 0; k < n; k++)
        limits[k] = (Limits){NS_RANGE_FREE, NS_RANGE_FREE, NS_RANGE_FREE, {0, 0, 0, 0}, 0};
    /* The last frame has the most notes, for which the sheet may have to be higher. */
    const NsPlot *const *plots = frames->frame(frames->data, frames->n - 1, &options);
    options.height = ns_plot_sheet_height(plots, n, &options);
    if (!ns_export_check_size(&options, error)) return false;
    for (guint i = 0; i < frames->n; i++) {
        if (!continues(frames, i, error)) return false;
        measure(frames->frame(frames->data, i, &options), n, &options, limits);
    }
    for (guint i = film ? 0 : frames->n - 1; !status && i < frames->n; i++) {
        if (!continues(frames, frames->n + i, error)) return false;
        cairo_surface_t *image;
        plots = frames->frame(frames->data, i, &options);
        status = draw_frame(plots, n, &options, limits, &image);
        int width = cairo_image_surface_get_width(image);
        int height = cairo_image_surface_get_height(image);
        int time = NS_FRAME_TIME + (i + 1 == frames->n ? HOLD : 0);
        bool good = true;
        if (film && !status && !i) {
            shown = g_malloc((size_t)width * (size_t)height * sizeof *shown);
            memset(shown, 0xff, (size_t)width * (size_t)height * sizeof *shown); /* SAME */
            /* The film repeats forever, with a comment or NULL. */
            const char *comment = options.experiment;
            EGifSetGifVersion(gif, true);
            good = EGifPutScreenDesc(gif, width, height, 8, 0, NULL) &&
                   EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) &&
                   EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") &&
                   EGifPutExtensionBlock(gif, 3, "\1\0\0") && EGifPutExtensionTrailer(gif) &&
                   (!comment || EGifPutComment(gif, comment));
        }
        if (film && !status)
            good = good && add(gif, (const void *)cairo_image_surface_get_data(image), shown, time);
        else if (!status)
            status = cairo_surface_write_to_png_stream(image, ns_collect_bytes, bytes);
        if (!good) status = CAIRO_STATUS_NO_MEMORY;
        cairo_surface_destroy(image);
    }
    if (gif) end(g_steal_pointer(&gif));
    return ns_save_drawing(status, bytes, path, error);
}
