/* Plots on a sheet.  SPDX-License-Identifier: MIT */
#include "ui/plot/plot-private.h"

#include "ui/plot/painter.h"
#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

/* The maximum height of a sheet relative to its width, which is about that of a journal column. */
#define MOST_TALL 2.7

/* In text sizes: the minimum height of a panel of a heatmap, and of a chart without panels. */
#define LEAST_PANEL 4
#define LEAST_AREA 7

/* The maximum part of its height that a plot area gives up for the same top as its neighbors', or
 * for the same bottom. */
#define MOST_ALIGNED 0.15

/* In text sizes: the height of a row on a page of fixed height below which its plots leave out what
 * a single chart would show besides the data, and the gap between such rows. */
#define LOW_ROW 18
#define LOW_GAP 0.9

#define CAPTION_SIZE 0.92 /* in text sizes */
#define CAPTION_LINES 4

NsPlotLayout *ns_plot_sheet_layout(const NsPlotSheet *sheet, size_t i)
{
    const NsSheetPlot *one = &sheet->plots[i];
    return ns_plot_layout_within(&one->plot, one->cell.width, one->cell.height,
                                 sheet->options->style, &one->least);
}

/* ---- a shared color bar ---- */

/* The margins of a plot in its cell, with or without its color bar. */
static NsMargins margins_of(const NsPlotSheet *sheet, size_t i, bool key)
{
    const NsSheetPlot *one = &sheet->plots[i];
    NsPlot plot = one->plot;
    NsHeatmap map = *plot.heatmap;
    map.square = false; /* a square area would make the margins wider */
    plot.heatmap = &map;
    plot.no_bar = !key;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout_within(&plot, one->cell.width, one->cell.height,
                                                           sheet->options->style, &one->least);
    return ns_layout_margins(layout);
}

/* The y of the bottom of the plot area on the sheet. */
static double foot_of(const NsPlotSheet *sheet, size_t i)
{
    g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(sheet, i);
    NsBox area = ns_plot_area(layout);
    return sheet->plots[i].cell.y + area.y + area.height;
}

/* Returns whether two heatmaps have the same colors, with limits that are fixed instead of derived
 * from the cells. */
static bool same_colors(const NsPlot *a, const NsPlot *b)
{
    const NsHeatmap *one = a->heatmap, *other = b->heatmap;
    return one && other && one->rows && one->columns && other->rows && other->columns &&
           one->lo < one->hi && one->lo == other->lo && one->hi == other->hi &&
           one->log == other->log && one->colors == other->colors &&
           g_strcmp0(one->label, other->label) == 0;
}

/* Consecutive heatmaps with the same colors have one color bar, beside the last plot of their first
 * row.  All cells are narrower by the same width, so that columns remain. */
static void share_bars(NsPlotSheet *sheet)
{
    size_t columns = sheet->columns;
    double most = 0;
    for (size_t first = 0; first < sheet->n; first++) {
        size_t end = first + 1;
        if (sheet->plots[first].slot % columns) continue;
        while (end < sheet->n && !sheet->plots[end].plot.no_bar &&
               same_colors(&sheet->plots[first].plot, &sheet->plots[end].plot))
            end++;
        if (end < sheet->n) end -= (end - first) % columns;
        if (end < first + 2) continue;
        size_t bearer = first + MIN(columns, end - first) - 1;
        double key = margins_of(sheet, bearer, true).right - margins_of(sheet, bearer, false).right;
        most = MAX(most, key);
        for (size_t i = first; i < end; i++) sheet->plots[i].plot.no_bar = i != bearer;
        sheet->plots[bearer].cell.width += key;
        sheet->plots[bearer].last = end - 1;
        first = end - 1;
    }
    for (size_t i = 0; i < sheet->n; i++) {
        NsSheetPlot *one = &sheet->plots[i];
        if (one->wide) continue;
        one->cell.x -= (double)(one->slot % columns) * most / (double)columns;
        one->cell.width -= most / (double)columns;
    }
}

/* ---- plots side by side ---- */

/* Returns whether a layout lacks a part that another one of the same plot has. */
static bool says_less(const NsPlotLayout *layout, const NsPlotLayout *than)
{
    static const NsPart parts[] = {NS_PART_TITLE,   NS_PART_SUBTITLE,   NS_PART_MARKER,
                                   NS_PART_X_LABEL, NS_PART_LEFT_LABEL, NS_PART_NOTE};
    bool less = layout->letters != than->letters || layout->legend->len != than->legend->len ||
                !layout->lower != !than->lower;
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        const NsLabel *a = ns_layout_label(layout, parts[i]);
        const NsLabel *b = ns_layout_label(than, parts[i]);
        less |= !a != !b || (a && !g_str_equal(ns_text_words(a->text), ns_text_words(b->text)));
    }
    return less || (layout->lower && says_less(layout->lower, than->lower));
}

/* Gives a plot larger minimum margins, unless it would say less with them. */
static void widen(NsPlotSheet *sheet, size_t i, NsMargins least)
{
    NsMargins before = sheet->plots[i].least;
    g_autoptr(NsPlotLayout) alone = ns_plot_sheet_layout(sheet, i);
    sheet->plots[i].least = least;
    g_autoptr(NsPlotLayout) aligned = ns_plot_sheet_layout(sheet, i);
    if (says_less(aligned, alone)) sheet->plots[i].least = before;
}

/* The areas of plots in a row have the same top and bottom, and those in a column the same left
 * end, unless one would become too low or too narrow. */
static void align(NsPlotSheet *sheet)
{
    size_t columns = sheet->columns;
    g_autofree NsMargins *own = g_new(NsMargins, MAX(sheet->n, 1));
    for (size_t i = 0; i < sheet->n && sheet->n > 1; i++) {
        const NsSheetPlot *one = &sheet->plots[i];
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(sheet, i);
        own[i] = ns_layout_margins(layout);
        if (one->plot.heatmap) own[i] = margins_of(sheet, i, !one->plot.no_bar);
        if (layout->lower) own[i].bottom = ns_layout_margins(layout->lower).bottom;
    }
    for (size_t i = 0; i < sheet->n && sheet->n > 1; i++) {
        const NsSheetPlot *one = &sheet->plots[i];
        double high = MOST_ALIGNED * (one->cell.height - own[i].top - own[i].bottom);
        double wide = MOST_ALIGNED * (one->cell.width - own[i].left - own[i].right);
        NsMargins most = own[i];
        for (size_t k = 0; k < sheet->n; k++) {
            size_t slot = sheet->plots[k].slot;
            if (sheet->plots[k].plot.drawing) continue;
            bool row = slot / columns == one->slot / columns;
            if (row && own[k].top <= own[i].top + high) most.top = MAX(most.top, own[k].top);
            if (row && own[k].bottom <= own[i].bottom + high)
                most.bottom = MAX(most.bottom, own[k].bottom);
            if (slot % columns == one->slot % columns && own[k].left <= own[i].left + wide)
                most.left = MAX(most.left, own[k].left);
        }
        if (one->plot.drawing) continue;
        NsMargins least = one->least;
        if (most.top > own[i].top || most.bottom > own[i].bottom) {
            least.top = most.top;
            least.bottom = most.bottom;
            widen(sheet, i, least);
        }
        if (most.left > own[i].left) {
            least = one->least;
            least.left = most.left;
            widen(sheet, i, least);
        }
    }
}

/* Maps with the same colors all have numbers in their cells, or none has. */
static void agree_on_values(NsPlotSheet *sheet)
{
    for (size_t first = 0, end; first < sheet->n; first = end) {
        unsigned with = 0;
        for (end = first; end < sheet->n; end++) {
            const NsHeatmap *map = sheet->plots[end].plot.heatmap;
            if (end > first && !same_colors(&sheet->plots[first].plot, &sheet->plots[end].plot))
                break;
            if (!map || !map->values) continue;
            g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(sheet, end);
            with += ns_layout_label(layout, NS_PART_CELL) != NULL;
        }
        for (size_t i = first; i < end && with < end - first; i++) {
            NsSheetPlot *one = &sheet->plots[i];
            if (!one->plot.heatmap) continue;
            one->map = *one->plot.heatmap;
            one->map.values = false;
            one->plot.heatmap = &one->map;
        }
    }
}

/* ---- a shared legend ---- */

/* Entries that all plots with curves have are in one legend at the top of the sheet, unless names
 * are at the ends of curves. */
static void share_legend(NsPlotSheet *sheet)
{
    const NsExport *options = sheet->options;
    NsPlot shared = {.lettered = true, .ordered = true};
    g_autoptr(GArray) common = g_array_new(FALSE, FALSE, sizeof(NsSeries));
    size_t plots = 0;
    for (size_t i = 0; i < sheet->n; i++) {
        const NsPlot *plot = &sheet->plots[i].plot;
        if (plot->heatmap || plot->drawing || !plot->n_series) continue;
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(sheet, i);
        if (layout->ends_space > 0) return;
        g_autoptr(GPtrArray) entries = ns_legend_entries(layout);
        g_autoptr(GArray) own = g_array_new(FALSE, FALSE, sizeof(NsSeries));
        for (unsigned k = 0; k < entries->len; k++) {
            NsSeries series = *(const NsSeries *)entries->pdata[k];
            const NsSeries *other = ns_legend_find(&shared, &series);
            if (plots && !other) continue;
            /* A sample with a mark is clear for curves without marks, too. */
            if (other && other->kind == NS_SERIES_POINTS) series.kind = other->kind;
            /* Only where all curves of a lane have its state do they share it. */
            if (other && g_strcmp0(other->state, series.state) != 0) series.state = NULL;
            series.clipped = false; /* no axis */
            g_array_append_val(own, series);
        }
        g_array_set_size(common, 0);
        g_array_append_vals(common, own->data, own->len);
        shared.series = (const NsSeries *)(const void *)common->data;
        shared.n_series = common->len;
        plots++;
    }
    if (plots < 2 || !common->len) return;
    sheet->shared = g_memdup2(&shared, sizeof shared);
    g_array_free(g_steal_pointer(&common), FALSE);
    sheet->head = ns_legend_layout(&sheet->legend, sheet->shared, options->width, options->style);
    if (!(sheet->head > 0)) g_clear_pointer(&sheet->legend, ns_plot_layout_free);
    for (size_t i = 0; i < sheet->n && sheet->head > 0; i++) {
        NsSheetPlot *one = &sheet->plots[i];
        double less = sheet->head / (double)sheet->rows;
        one->plot.shared = sheet->shared;
        one->cell.y += sheet->head - (double)(one->slot / sheet->columns) * less;
        one->cell.height = MAX(one->cell.height - less, 1);
    }
}

/* ---- the sheet ---- */

/* The text at the foot, as wide as the sheet, or NULL. */
static PangoLayout *caption_text(const NsExport *options)
{
    const NsStyle *style = options->style;
    const char *words = options->caption ? options->caption : options->moment;
    if (!words || !*words) return NULL;
    PangoContext *context = ns_text_context_new();
    PangoLayout *text = ns_text_new(context, style, style->text_size * CAPTION_SIZE, false, "");
    g_object_unref(context);
    /* Set it without markup, since settings may contain _ and ^. */
    pango_layout_set_attributes(text, NULL);
    pango_layout_set_text(text, words, -1);
    ns_text_limit(text, options->width - 2 * style->padding, CAPTION_LINES);
    return text;
}

/* The height of a cell in which the text of a drawing, or a matrix, is as large as its width
 * permits. */
static double height_for(const NsPlot *plot, double width, const NsExport *options)
{
    double tall = MOST_TALL * options->width;
    NsPlot own = *plot;
    NsHeatmap map = {0};
    if (plot->heatmap) map = *plot->heatmap;
    map.square = false; /* a square area would take the height */
    if (plot->heatmap) own.heatmap = &map;
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(&own, width, tall, options->style);
    NsBox area = ns_plot_area(layout);
    double column = options->width / (double)MAX(options->columns, 1);
    double height = plot->drawing
                        ? plot->drawing->height(plot->drawing->data, area.width, options->style)
                        : MIN(area.width, column) * (double)map.rows / (double)map.columns;
    return MIN(tall - area.height + height, tall);
}

/* Places plots row by row.  If the height of the sheet is free, a drawing beside other plots has a
 * row as wide as the sheet and as high as its text needs, because text that shrinks with a cell is
 * illegible; a plot that would be alone in the row before it is as wide.  A row of matrices is as
 * high as they are wide. */
static void place_cells(NsPlotSheet *sheet, double gutter)
{
    const NsExport *options = sheet->options;
    size_t columns = sheet->columns, slot = 0;
    for (size_t i = 0; i < sheet->n; i++) {
        NsSheetPlot *one = &sheet->plots[i];
        one->wide = one->plot.drawing && sheet->n > 1 && options->proposed;
        if (one->wide && slot % columns) {
            sheet->plots[i - 1].wide |= slot % columns == 1;
            slot += columns - slot % columns;
        }
        one->slot = slot;
        slot += one->wide ? columns : 1;
    }
    sheet->rows = (MAX(slot, 1) + columns - 1) / columns;
    double width = (options->width - gutter * (double)(columns - 1)) / (double)columns;
    double all = options->height - sheet->foot - sheet->between * (double)(sheet->rows - 1), y = 0;
    for (size_t i = 0; i < sheet->n; i++) {
        NsSheetPlot *one = &sheet->plots[i];
        one->cell = (NsBox){(double)(one->slot % columns) * (width + gutter), 0,
                            one->wide ? options->width : width, MAX(all / (double)sheet->rows, 1)};
    }
    share_bars(sheet);
    for (size_t i = 0, end; i < sheet->n && options->proposed; i = end) {
        double needed = 0;
        bool own = true;
        for (end = i; end < sheet->n; end++) {
            const NsSheetPlot *one = &sheet->plots[end];
            if (one->slot / columns != sheet->plots[i].slot / columns) break;
            const NsHeatmap *map = one->plot.heatmap;
            own = own &&
                  (one->plot.drawing ? one->wide : map && map->square && map->rows && map->columns);
            if (own) needed = MAX(needed, height_for(&one->plot, one->cell.width, options));
        }
        if (!own) continue;
        for (size_t k = i; k < end; k++) sheet->plots[k].needed = needed;
        sheet->wanted += needed;
        sheet->fixed++;
    }
    double height = (all - sheet->wanted) / (double)MAX(sheet->rows - sheet->fixed, 1);
    for (size_t i = 0; i < sheet->n; i++) {
        NsSheetPlot *one = &sheet->plots[i];
        one->cell.y = y;
        one->cell.height = MAX(one->needed > 0 ? one->needed : height, 1);
        bool last = i + 1 < sheet->n && sheet->plots[i + 1].slot / columns > one->slot / columns;
        if (last) y += one->cell.height + sheet->between;
    }
}

NsPlotSheet ns_plot_sheet(const NsPlot *const *plots, size_t n, const NsExport *options)
{
    NsPlotSheet sheet = {.options = options,
                         .n = n,
                         .plots = g_new0(NsSheetPlot, n),
                         .caption = caption_text(options)};
    double size = options->style->text_size;
    if (sheet.caption) sheet.foot = ns_text_height(sheet.caption) + 0.6 * size;
    sheet.columns = CLAMP(options->columns, 1, MAX(n, 1));
    double gutter = MAX(0, 1.3 * size - options->style->padding);
    /* Between rows, both paddings are part of the gap. */
    double between = MAX(0, gutter - options->style->padding);
    size_t rows = (MAX(n, 1) + sheet.columns - 1) / sheet.columns;
    bool low = n > 1 && !options->proposed && options->height < LOW_ROW * size * (double)rows;
    if (low) between = MIN(between, LOW_GAP * size - 2 * options->style->padding);
    /* Settings that all plots share are only in the first subtitle. */
    bool alike = true;
    for (size_t i = 1; i < n; i++) alike &= !g_strcmp0(plots[i]->subtitle, plots[0]->subtitle);
    for (size_t i = 0; i < n; i++) {
        NsSheetPlot *one = &sheet.plots[i];
        NsPlot *plot = &one->plot;
        *plot = *plots[i];
        plot->legend = options->legend;
        if (options->untitled) plot->title = NULL;
        if (options->unnoted) plot->note = NULL;
        /* A sentence about the runs below an earlier plot is not repeated. */
        for (size_t k = 0; k < i && plot->note && plot->of_runs; k++)
            if (plots[k]->note && plots[k]->of_runs == plot->of_runs &&
                !strncmp(plots[k]->note, plot->note, plot->of_runs)) {
                plot->note += plot->of_runs + strspn(plot->note + plot->of_runs, " ");
                plot->of_runs = 0;
                if (!*plot->note) plot->note = NULL;
            }
        if (options->untitled) plot->averaged = NULL;
        if (options->untitled || options->caption || low) {
            /* In low rows only some plots would have space for their settings. */
            const char *run = options->untitled ? NULL : plot->run;
            one->subtitle = run && plot->seed ? g_strdup_printf("%s, %s", run, plot->seed)
                                              : g_strdup(run ? run : plot->seed);
            plot->subtitle = one->subtitle;
            plot->special = 0;
            plot->moment = NULL;
        }
        if (i && alike) {
            plot->subtitle = plot->moment = NULL;
            plot->special = 0;
        }
        /* The titles of several plots start with their letters. */
        const char *title = plot->title ? plot->title : "";
        one->title = n < 2    ? g_strdup(title)
                     : i < 26 ? g_strdup_printf("(%c) %s", 'a' + (int)i, title)
                              : g_strdup_printf("(%zu) %s", i + 1, title);
        plot->title = *one->title ? one->title : NULL;
    }
    sheet.between = between;
    place_cells(&sheet, gutter);
    for (size_t i = 0; i < n && low; i++) {
        NsPlot *plot = &sheet.plots[i].plot;
        plot->lower = NULL;
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
        if (layout->n_level_keys) plot->n_levels = 0;
    }
    if (n > 1 && (options->legend == NS_LEGEND_OUTSIDE || options->legend == NS_LEGEND_ABOVE))
        share_legend(&sheet);
    align(&sheet);
    for (size_t i = 0; i < n; i++) {
        if (!sheet.plots[i].last) continue;
        double reach = foot_of(&sheet, sheet.plots[i].last) - foot_of(&sheet, i);
        sheet.plots[i].plot.key_reach = MAX(reach, 0);
    }
    agree_on_values(&sheet);
    return sheet;
}

void ns_plot_sheet_clear(NsPlotSheet *sheet)
{
    for (size_t i = 0; i < sheet->n; i++) {
        g_free(sheet->plots[i].title);
        g_free(sheet->plots[i].subtitle);
    }
    g_free(sheet->plots);
    g_clear_pointer(&sheet->legend, ns_plot_layout_free);
    if (sheet->shared) g_free((void *)(uintptr_t)sheet->shared->series);
    g_free(sheet->shared);
    g_clear_object(&sheet->caption);
}

/* ---- the height ---- */

/* Returns whether the note and the label of the horizontal axis are complete. */
static bool is_explained(const NsPlotLayout *layout)
{
    if (layout->lower) return is_explained(layout->lower);
    const NsAxis *x = &layout->plot->x;
    const NsLabel *note = ns_layout_label(layout, NS_PART_NOTE);
    bool noted = !layout->note || (note && g_str_equal(ns_text_words(note->text), layout->note));
    bool unnamed = !x->label || x->quiet || !layout->summary.any;
    return noted && (unnamed || ns_layout_label(layout, NS_PART_X_LABEL));
}

/* Returns whether a note is shortened, an axis has no label, or a chart or a panel of a heatmap is
 * too low. */
static bool lacks_height(const NsPlot *const *plots, size_t n, const NsExport *options)
{
    bool lacks = false;
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, options);
    for (size_t i = 0; i < n; i++) {
        if (sheet.plots[i].needed > 0) continue;
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(&sheet, i);
        size_t panels = plots[i]->heatmap ? plots[i]->heatmap->n_panels : 0;
        double least = MAX(LEAST_AREA, LEAST_PANEL * (double)panels) * options->style->text_size;
        lacks |= !is_explained(layout) || ns_plot_area(layout).height < least;
    }
    return lacks;
}

double ns_plot_sheet_height(const NsPlot *const *plots, size_t n, const NsExport *options)
{
    if (!options->proposed) return options->height;
    if (n == 1 && plots[0]->drawing) {
        /* The height of a sheet with a single drawing. */
        const NsPlot *plot = plots[0];
        double most = MAX(options->height, MOST_TALL * options->width);
        g_auto(NsPlotSheet) sheet = ns_plot_sheet(&plot, 1, options);
        double height = height_for(&sheet.plots[0].plot, options->width, options) + sheet.foot;
        return CLAMP(ceil(height), options->height, most);
    }
    /* Subtitles and notes of more than one line need additional height.  On a narrow page these may
     * leave so little space that even more is necessary. */
    g_auto(NsPlotSheet) sheet = ns_plot_sheet(plots, n, options);
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (!(sheet.plots[i].needed > 0))
            most = MAX(most, ns_plot_more_lines(&sheet.plots[i].plot, sheet.plots[i].cell.width,
                                                options->style));
    /* The proposed height is that of equal rows; some have their own. */
    double rows = (double)sheet.rows, free = (double)(sheet.rows - sheet.fixed);
    double equal = options->height / (double)((n + sheet.columns - 1) / sheet.columns);
    NsExport taller = *options;
    taller.height = (equal + ceil(most)) * free + ceil(sheet.wanted);
    if (free < 1) taller.height += sheet.foot + sheet.between * (rows - 1);
    while (taller.height < MOST_TALL * options->width * rows && lacks_height(plots, n, &taller))
        taller.height += options->style->text_size * rows;
    return taller.height;
}

/* ---- drawing ---- */

void ns_plot_sheet_draw(const NsPlotSheet *sheet, cairo_t *cr)
{
    const NsStyle *style = sheet->options->style;
    ns_set_color(cr, style->background);
    cairo_paint(cr);
    if (sheet->legend) ns_legend_draw(sheet->legend, cr);
    for (int key = 0; key < 2; key++)
        for (size_t i = 0; i < sheet->n; i++) {
            if (key && !(sheet->plots[i].plot.key_reach > 0)) continue;
            g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(sheet, i);
            cairo_save(cr);
            cairo_translate(cr, sheet->plots[i].cell.x, sheet->plots[i].cell.y);
            (key ? ns_plot_draw_key : ns_plot_draw)(layout, cr);
            cairo_restore(cr);
        }
    if (!sheet->caption) return;
    double height = ns_text_height(sheet->caption);
    cairo_save(cr);
    ns_set_color(cr, style->faint_text);
    cairo_translate(cr, style->padding, sheet->options->height - style->padding - height);
    ns_text_show(cr, sheet->caption, NS_ANCHOR_START);
    cairo_restore(cr);
}

cairo_status_t ns_plot_sheet_draw_image(const NsPlotSheet *sheet, cairo_surface_t **image)
{
    const NsExport *options = sheet->options;
    double scale = options->dpi / 72;
    int width = (int)round(options->width * scale), height = (int)round(options->height * scale);
    bool opaque = options->style->background.a >= 1;
    *image = cairo_image_surface_create(opaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32, width,
                                        height);
    cairo_t *cr = cairo_create(*image);
    cairo_scale(cr, width / options->width, height / options->height);
    ns_plot_sheet_draw(sheet, cr);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    return status;
}
