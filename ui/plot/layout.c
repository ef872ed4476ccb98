/* From a plot to boxes and ticks.  SPDX-License-Identifier: MIT
 *
 * Heights come first: the lines of text above and below determine the height of the plot area; the
 * height determines the ticks of the vertical axes; the width of their labels determines the width
 * of the area; and the width determines the ticks of the horizontal axis.  Each step depends only
 * on those before it. */
#include "core/base/words.h"
#include "ui/plot/heatmap.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#include <math.h>

/* In text sizes: the width of the color bar, and the height of a strip. */
#define BAR 0.9
#define STRIP 0.95

/* The smallest distance of the ends of a diverging map from white; smaller differences are rounding
 * errors. */
#define FLATTEST 0.01

/* The minimum share of the page width for the data. */
#define LEAST_WIDTH 0.3

/* The maximum share of the page height for rotated names on the horizontal axis. */
#define MOST_TURNED 0.25

/* In text sizes: the minimum distance of numbers that replace tokens. */
#define NUMBERS_APART 2

/* In text sizes: the minimum height of the data below a legend of letters. */
#define LETTERED_LINES 2.2

/* The minimum share of the page height for the data below a subtitle of several lines. */
#define SUBTITLE_SHARE 0.36

/* In text sizes: the height of a legend that fits on a page of usual height. */
#define LEGEND_LINES 3

/* The minimum height of the data above a note of several lines: as a share of the page (windows
 * show longer notes and use SUBTITLE_SHARE); in text sizes for two plots with their labels; and for
 * the data of the lower one. */
#define NOTE_LEAVES 0.2
#define NOTE_LEAVES_TO_TWO 20
#define NOTE_LEAVES_TO_LOWER 2.5

/* In a window, the minimum height of the data in pixels above a note of more than NOTE_FREE_LINES
 * lines; and the height of the labels of the upper of two plots, in text sizes. */
#define NOTE_LEAVES_IN_WINDOW 300
#define NOTE_FREE_LINES 4
#define UPPER_WORDS 8.5

/* The height of a lower plot as a share of the page, without and with the labels of the x axis (in
 * text sizes), and the minimum share of the page for the plot above it. */
#define LOWER_SHARE 0.18
#define LOWER_SHARE_ON_SCREEN 0.13
#define LOWER_WORDS 4.2
#define LOWER_LEAVES 0.5

/* The largest share of a page of paper for the lower plot, and its least height with the name of
 * its axis, in text sizes. */
#define LOWER_MOST 0.45
#define LOWER_LEAST 5.8

/* The largest share of both areas for a lower plot of an input, and its least height in text sizes,
 * with which the name of its axis fits beside it and the words below. */
#define INPUT_MOST 0.2
#define INPUT_LEAST 2.6

static void clear_label(void *label)
{
    g_object_unref(((NsLabel *)label)->text);
}

static void measure_heights(NsFrame *frame)
{
    double size = frame->size;
    frame->top = ns_place_head(frame, false);
    if (frame->show[NS_PART_MARKER]) frame->top += frame->marker_line;
    frame->bottom = frame->layout->lower ? 0 : frame->layout->style->padding;
    if (frame->show[NS_PART_NOTE])
        frame->bottom += ns_text_height(frame->text[NS_PART_NOTE]) + NS_GAP * size;
    if (frame->show[NS_PART_X_LABEL]) frame->bottom += ns_text_height(frame->text[NS_PART_X_LABEL]);
    if (frame->show[NS_PART_X_TICK])
        frame->bottom += (NS_TICK + NS_TICK_GAP + NS_GAP) * size + frame->x_words;
    else
        frame->bottom += 0.5 * frame->digit;
    frame->top = MAX(frame->top, frame->least.top);
    frame->bottom = MAX(frame->bottom, frame->least.bottom);
}

static double area_height(const NsFrame *frame)
{
    return frame->layout->height - frame->top - frame->bottom;
}

/* Either names in the chart or the subtitle identify the runs. */
static void identify_runs(NsFrame *frame, bool by_names)
{
    frame->layout->identified = by_names;
    if (frame->show[NS_PART_SUBTITLE]) ns_frame_write_subtitle(frame, NS_SUBTITLE_LINES);
    measure_heights(frame);
}

/* Charts in a window have controls in their corner; files in the same style do not. */
static bool is_in_window(const NsStyle *style)
{
    return style->raster && style->corner > 0;
}

/* Shortens subtitle and note, then leaves out parts in this order until the plot area is large
 * enough.  Each part needs a minimum share of the page and a minimum number of lines for the
 * data. */
static void fit_height(NsFrame *frame)
{
    bool in_window = is_in_window(frame->layout->style) && !frame->x;
    double share = in_window ? SUBTITLE_SHARE : NOTE_LEAVES;
    /* On paper, the name of the axis of two plots matters more than the height of the lower one. */
    double x_lines = frame->x && !frame->layout->style->raster ? 2 : 3;
    const struct {
        NsPart part;
        double share, lines;
    } order[] = {
        {NS_PART_SUBTITLE, share, 3.5}, {NS_PART_LEGEND, 0.2, 3}, {NS_PART_X_LABEL, 0.2, x_lines},
        {NS_PART_MARKER, 0, 1.6},       {NS_PART_NOTE, 0.2, 1.6}, {NS_PART_TITLE, 0, 1.6},
        {NS_PART_X_TICK, 0, 1.6},
    };
    double height = frame->layout->height, size = frame->size;
    double fair = frame->x ? NOTE_LEAVES_TO_LOWER * size : MAX(share * height, 3.5 * size);
    double ample = MAX(SUBTITLE_SHARE * height, fair);
    measure_heights(frame);
    if (frame->layout->names && ns_frame_names_identify(frame)) identify_runs(frame, true);
    for (int lines = NS_SUBTITLE_LINES; lines > 1 && area_height(frame) < ample; lines--) {
        ns_frame_write_subtitle(frame, lines - 1);
        measure_heights(frame);
    }
    for (int lines = NS_NOTE_LINES; lines > 1; lines--) {
        bool many = in_window && lines > NOTE_FREE_LINES;
        if (area_height(frame) >= (many ? MAX(fair, NOTE_LEAVES_IN_WINDOW) : fair)) continue;
        lines = MIN(lines, ns_frame_write_note(frame, lines - 1) + 1);
        measure_heights(frame);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
        double least = MAX(order[i].share * height, order[i].lines * size);
        if (area_height(frame) >= least) continue;
        if (order[i].part == NS_PART_LEGEND && frame->layout->identified)
            identify_runs(frame, false);
        if (order[i].part == NS_PART_LEGEND && frame->layout->plot->lettered) {
            /* Letters remain if possible, because curves are useless if the runs cannot be
             * distinguished. */
            frame->layout->letters = true;
            measure_heights(frame);
            if (area_height(frame) >= LETTERED_LINES * frame->size) continue;
        }
        double before = area_height(frame);
        bool shown = frame->show[order[i].part];
        frame->show[order[i].part] = false;
        measure_heights(frame);
        if (area_height(frame) > before || order[i].part != NS_PART_X_LABEL) continue;
        /* A plot beside this one takes its space anyway. */
        frame->show[order[i].part] = shown;
        measure_heights(frame);
    }
}

static GArray *vertical_ticks(const NsFrame *frame, const NsScale *scale)
{
    double length = fabs(scale->p1 - scale->p0), apart = NS_TICK_APART * frame->size;
    double most = scale->counted ? length / apart : MIN(length / (2.4 * frame->size) + 1, 8);
    return ns_scale_ticks_apart(scale, (unsigned)most, apart);
}

/* Labels the first and the last number of an axis of whole numbers (layers) that has space for two
 * labels, also between panels.  With space for one, the last has it. */
static void label_ends(const NsScale *scale, GArray *ticks, double apart, bool alone)
{
    const double ends[] = {floor(scale->hi), ceil(scale->lo)};
    double between = fabs(ns_scale_to_pixel(scale, ends[0]) - ns_scale_to_pixel(scale, ends[1]));
    bool both = between >= apart && (alone || fabs(scale->p1 - scale->p0) - between >= apart);
    if (!scale->integer || scale->names || scale->blank || ns_ticks_labeled(ticks) > (both ? 2 : 1))
        return;
    for (unsigned i = ticks->len; i-- > 0;) {
        NsTick *tick = &g_array_index(ticks, NsTick, i);
        g_clear_pointer(&tick->label, g_free);
        if (tick->value == ends[0] || tick->value == ends[1]) g_array_remove_index(ticks, i);
    }
    for (unsigned i = 0; i <= both; i++) {
        NsTick tick = {.value = ends[i], .label = ns_text_fixed(ends[i], 0)};
        g_array_append_val(ticks, tick);
    }
}

/* The ticks of every panel, from bottom to top, in coordinates of the drawn axis. */
static GArray *panel_ticks(const NsFrame *frame, const NsScale *scale)
{
    const NsHeatmap *map = frame->layout->plot->heatmap;
    GArray *all = NULL;
    for (size_t i = map->n_panels; i-- > 0;) {
        NsPanel panel = ns_panel(map, i);
        NsScale own = *scale;
        own.lo = own.from = panel.y0;
        own.hi = own.to = panel.y1;
        own.blank = !panel.rows; /* the lane does not have the quantity */
        own.p0 = ns_scale_to_pixel(scale, panel.lo);
        own.p1 = ns_scale_to_pixel(scale, panel.hi);
        GArray *ticks = vertical_ticks(frame, &own);
        /* Labels that would touch the lowest one of the panel above are removed, so that all panels
         * of the same height have the same labels. */
        double apart = NS_TICK_APART * frame->size, height = fabs(own.p1 - own.p0), lowest = NAN;
        for (unsigned k = 0; k < ticks->len; k++) {
            NsTick *tick = &g_array_index(ticks, NsTick, k);
            double y = ns_scale_to_pixel(&own, tick->value);
            if (!tick->label) continue;
            if (isnan(lowest))
                lowest = y;
            else if (height - fabs(lowest - y) < apart)
                g_clear_pointer(&tick->label, g_free);
        }
        label_ends(&own, ticks, apart, false);
        for (unsigned k = 0; k < ticks->len; k++) {
            NsTick *tick = &g_array_index(ticks, NsTick, k);
            tick->value = ns_panel_to_axis(&panel, tick->value);
        }
        if (!all) {
            all = ticks;
            continue;
        }
        g_array_append_vals(all, ticks->data, ticks->len);
        for (unsigned k = 0; k < ticks->len; k++) g_array_index(ticks, NsTick, k).label = NULL;
        g_array_unref(ticks);
    }
    return all;
}

/* Tokens of which some are left out read as words that nobody wrote.  If not all have space, both
 * axes of a matrix have numbers instead, at the same positions. */
static size_t stride_of(const NsFrame *frame)
{
    const NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    const NsHeatmap *map = plot->heatmap;
    if (!map || !map->square || !plot->x.counted || !plot->left.counted) return 0;
    double cell = layout->area.height / (double)MAX(map->rows, 1), widest = 0;
    for (size_t i = 0; i < plot->x.n_names; i++) {
        g_autoptr(PangoLayout) text = ns_layout_text(layout, false, plot->x.names[i]);
        widest = MAX(widest, ns_text_width(text));
    }
    double least = NS_TICK_APART * frame->size;
    if (cell >= least && (widest <= cell || widest <= MOST_TURNED * layout->height)) return 1;
    static const size_t strides[] = {2, 5, 10, 20, 50, 100};
    size_t i = 0;
    while (i + 1 < G_N_ELEMENTS(strides) && (double)strides[i] * cell < NUMBERS_APART * frame->size)
        i++;
    return strides[i];
}

/* Fits vertical scales and ticks once the height of the area is known. */
static void fit_vertical(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    const NsDataSummary *summary = &layout->summary;
    const size_t *faults = summary->faults;
    double strip = STRIP * frame->size;
    layout->area.y = frame->top;
    layout->area.height = MAX(area_height(frame), 1);
    if (layout->style->raster) {
        double bottom = floor(layout->area.y + layout->area.height);
        layout->area.y = ceil(layout->area.y);
        layout->area.height = MAX(bottom - layout->area.y, 1);
    }
    layout->strip_top = faults[NS_FAULT_NAN] || faults[NS_FAULT_INFINITE] ? strip : 0;
    layout->strip_bottom = faults[NS_FAULT_LOW] ? strip : 0;
    double space = layout->area.height - layout->strip_top - layout->strip_bottom;
    double inset = summary->points ? layout->style->mark_size / 2 + 1 : 0;
    inset = MIN(inset, space / 4);
    NsScale *scale = &layout->y;
    ns_scale_fit(scale, &plot->left, summary->y.lo, summary->y.hi,
                 plot->heatmap ? 0 : NS_SCALE_PADDING);
    double foot = layout->area.y + layout->area.height - layout->strip_bottom - inset;
    double head = layout->area.y + layout->strip_top + inset;
    scale->p0 = plot->left.reversed ? head : foot;
    scale->p1 = plot->left.reversed ? foot : head;
    scale->stride = stride_of(frame);
    bool panels = plot->heatmap && plot->heatmap->n_panels;
    layout->y_ticks = panels ? panel_ticks(frame, scale) : vertical_ticks(frame, scale);
    if (!plot->heatmap) return;
    if (!panels) label_ends(scale, layout->y_ticks, NS_TICK_APART * frame->size, true);
    /* A diverging map is symmetric around white, so that equal distances have equal colors. */
    const NsHeatmap *map = plot->heatmap;
    NsAxis color = {.scale = map->log ? NS_SCALE_LOG : NS_SCALE_LINEAR, .lo = NAN, .hi = NAN};
    double lo = summary->z.lo, hi = summary->z.hi;
    if (map->lo < map->hi) {
        color.lo = map->lo;
        color.hi = map->hi;
    } else if (map->colors == NS_COLORS_DIVERGING && lo <= hi) {
        if (map->log) {
            color.hi = MAX(MAX(hi, 1 / lo), 1 + FLATTEST);
            color.lo = 1 / color.hi;
        } else {
            color.hi = MAX(MAX(fabs(hi), fabs(lo)), FLATTEST);
            color.lo = -color.hi;
        }
    } else if (map->log) {
        ns_scale_separate(&lo, &hi);
    }
    ns_scale_fit(&layout->z, &color, lo, hi, 0);
    layout->z.p0 = layout->area.y + layout->area.height + plot->key_reach;
    layout->z.p1 = layout->area.y;
    layout->z_ticks = vertical_ticks(frame, &layout->z);
}

/* Without tick labels a color bar would add nothing to the cells. */
static bool has_bar(const NsPlotLayout *layout)
{
    return layout->plot->heatmap && !layout->plot->no_bar;
}

static void measure_widths(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    double size = frame->size, ticks = (NS_TICK + NS_TICK_GAP) * size;
    frame->left = frame->right = layout->style->padding;
    if (frame->show[NS_PART_LEFT_LABEL])
        frame->left += ns_text_height(frame->text[NS_PART_LEFT_LABEL]) + NS_SIDE_GAP * size;
    if (frame->show[NS_PART_LEFT_TICK])
        frame->left += ns_tick_texts_width(layout, layout->y_ticks) + ticks;
    if (has_bar(layout)) frame->right += (0.8 + BAR) * size;
    if (frame->show[NS_PART_BAR_TICK])
        frame->right += ns_tick_texts_width(layout, layout->z_ticks) + ticks;
    if (frame->show[NS_PART_BAR_LABEL])
        frame->right += ns_text_height(frame->text[NS_PART_BAR_LABEL]) + NS_SIDE_GAP * size;
    frame->left = MAX(frame->left, frame->least.left);
    frame->right = MAX(frame->right, frame->least.right);
}

/* The left and right end of the area.  The last label of the x axis extends beyond its end. */
static void area_ends(const NsFrame *frame, double *left, double *right)
{
    const NsPlotLayout *layout = frame->layout;
    double padding = layout->style->padding, overhang = 0.9 * frame->size;
    *left = MAX(frame->left, padding + overhang * 0.5);
    *right = layout->width -
             (layout->plot->heatmap ? frame->right : MAX(frame->right, padding + overhang));
}

static void fit_horizontal(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsHeatmap *map = layout->plot->heatmap;
    double left, right;
    static const NsPart order[] = {NS_PART_BAR_LABEL, NS_PART_LEFT_LABEL, NS_PART_BAR_TICK,
                                   NS_PART_LEFT_TICK};
    double comfortable = MAX(7 * frame->size, 0.45 * layout->width);
    double least = MAX(3 * frame->size, LEAST_WIDTH * layout->width);
    measure_widths(frame);
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
        area_ends(frame, &left, &right);
        /* Beside panels are the names of their runs, which stay as long as the numbers do. */
        bool comfort = i == 0 || (i == 1 && !(map && map->n_panels));
        if (right - left >= (comfort ? comfortable : least)) continue;
        frame->show[order[i]] = false;
        measure_widths(frame);
    }
    area_ends(frame, &left, &right);
    if (layout->style->raster) {
        left = ceil(left);
        right = floor(right);
    }
    layout->area.x = left;
    layout->area.width = MAX(right - left, 1);
}

/* Shrinks the area so that cells are square, and centers it.  Returns true if the height changed,
 * on which everything else depends. */
static bool make_square(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsHeatmap *map = layout->plot->heatmap;
    if (!map || !map->square || !map->rows || !map->columns) return false;
    NsBox *area = &layout->area;
    double side = MIN(area->width / (double)map->columns, area->height / (double)map->rows);
    double spare_width = area->width - side * (double)map->columns;
    double spare_height = area->height - side * (double)map->rows;
    if (spare_height > 1) {
        frame->least.top = frame->top + spare_height / 2;
        frame->least.bottom = frame->bottom + spare_height / 2;
        return true;
    }
    if (layout->style->raster) spare_width = 2 * floor(spare_width / 2);
    frame->spare = spare_width / 2;
    frame->key_spare = layout->plot->key_reach > 0 ? 0 : frame->spare;
    area->x += spare_width / 2;
    area->width -= spare_width;
    return false;
}

/* Rotates names that would overlap, unless those left out could be guessed.  Returns true if it
 * did, since this changes the height. */
static bool turn_names(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsAxis *axis = &layout->plot->x;
    double widest = 0, gap = 0.7 * frame->size;
    bool guessed = axis->even || (axis->counted && layout->y.stride != 1);
    if (layout->turned || !axis->names || guessed || !frame->show[NS_PART_X_TICK]) return false;
    for (size_t i = 0; i < axis->n_names; i++) {
        g_autoptr(PangoLayout) text = ns_layout_text(layout, false, axis->names[i]);
        widest = MAX(widest, ns_text_width(text));
    }
    if (axis->counted) gap = 0;
    bool lie = widest + gap <= layout->area.width / (double)axis->n_names;
    if (lie || widest > MOST_TURNED * layout->height) return false;
    layout->turned = true;
    frame->x_words = widest;
    return true;
}

static void clear_ticks(NsPlotLayout *layout)
{
    g_clear_pointer(&layout->x_ticks, g_array_unref);
    g_clear_pointer(&layout->y_ticks, g_array_unref);
    g_clear_pointer(&layout->z_ticks, g_array_unref);
}

static NsPlotLayout *layout_new(const NsPlot *plot, double width, double height,
                                const NsStyle *style)
{
    NsPlotLayout *layout = g_new0(NsPlotLayout, 1);
    layout->plot = plot;
    layout->summary = ns_data_summary(plot);
    layout->style = style;
    layout->width = width;
    layout->height = height;
    layout->context = ns_text_context_new();
    layout->labels = g_array_new(FALSE, FALSE, sizeof(NsLabel));
    g_array_set_clear_func(layout->labels, clear_label);
    layout->legend = g_array_new(FALSE, FALSE, sizeof(NsLegendSample));
    return layout;
}

/* Computes boxes, ticks and the labels around the area from scratch. */
static void lay_out(NsPlotLayout *layout, const NsMargins *least, const NsPlotLayout *upper)
{
    const NsScale *x = upper ? &upper->x : NULL;
    NsFrame frame = {.layout = layout, .size = layout->style->text_size, .least = *least, .x = x};
    g_array_set_size(layout->labels, 0);
    g_array_set_size(layout->legend, 0);
    layout->turned = layout->listed = layout->identified = false;
    layout->letters = layout->plot->thumbnail;
    layout->n_keys = layout->plot->n_keys + layout->n_level_keys;
    ns_end_names_fit(layout);
    layout->beyond = upper ? upper->beyond : MAX(layout->ends_space, layout->plot->beyond);
    ns_frame_write(&frame);
    fit_height(&frame);
    for (int i = 0; i < 3; i++) {
        clear_ticks(layout);
        fit_vertical(&frame);
        fit_horizontal(&frame);
        /* The names beside panels make part of the subtitle redundant. */
        if (!frame.layout->identified && ns_frame_panels_named(&frame) &&
            ns_frame_names_identify(&frame))
            identify_runs(&frame, true);
        else if (ns_frame_list_panels(&frame))
            fit_height(&frame);
        else if (make_square(&frame) || turn_names(&frame))
            measure_heights(&frame);
        else
            break;
    }
    if (x) {
        layout->x = *x;
    } else {
        const NsDataSummary *summary = &layout->summary;
        const NsAxis *axis = &layout->plot->x;
        double lo = summary->x.lo, hi = summary->x.hi;
        if (axis->integer && lo == hi) {
            /* A single layer is in the middle, a first step at the left. */
            lo -= summary->points ? 0.5 : 0;
            hi += summary->points ? 0.5 : 1;
        }
        ns_scale_fit(&layout->x, axis, lo, hi, 0);
        layout->x.stride = layout->y.stride;
        double inset = layout->plot->heatmap ? 0 : layout->style->mark_size / 2 + 1;
        inset = MIN(inset + (summary->points ? 0.25 * layout->style->text_size : 0),
                    layout->area.width / 8);
        double left = layout->area.x + inset;
        double right = layout->area.x + layout->area.width - inset - layout->beyond;
        layout->x.p0 = axis->reversed ? right : left;
        layout->x.p1 = axis->reversed ? left : right;
    }
    if (has_bar(layout)) {
        bool raster = layout->style->raster;
        double right = layout->area.x + layout->area.width + frame.spare - frame.key_spare;
        double gap = 0.8 * frame.size, width = BAR * frame.size;
        layout->bar =
            (NsBox){right + (raster ? round(gap) : gap), layout->area.y,
                    raster ? round(width) : width, layout->area.height + layout->plot->key_reach};
    }
    ns_place_outer_labels(&frame);
    for (int part = 0; part < NS_PARTS; part++) g_clear_object(&frame.text[part]);
}

double ns_fault_size(const NsPlotLayout *layout)
{
    return layout->style->text_size * 0.55;
}

void ns_fault_corners(const NsPlotLayout *layout, const NsFaultMark *mark, NsPoint corners[3])
{
    bool low = mark->fault == NS_FAULT_LOW;
    const NsBox *area = &layout->area;
    double y =
        low ? area->y + area->height - layout->strip_bottom / 2 : area->y + layout->strip_top / 2;
    double r = ns_fault_size(layout) / 2, up = low ? -r : r;
    corners[0] = (NsPoint){mark->x, y - up};
    corners[1] = (NsPoint){mark->x + r, y + up * 0.8};
    corners[2] = (NsPoint){mark->x - r, y + up * 0.8};
}

/* Computes paths, and places the labels that must not cover them. */
static void fill(NsPlotLayout *layout)
{
    const NsPlot *plot = layout->plot;
    if (plot->drawing) return;
    layout->n_paths = plot->n_series;
    layout->paths = g_new0(NsPath, plot->n_series);
    for (size_t i = 0; i < plot->n_series; i++) {
        NsSeries series = plot->series[i];
        if (series.hidden) series.n = 0;
        /* In columns of half a line width, a reduced path covers the same pixels as the complete
         * one.  On a screen, a pixel that got only a part of a column would lack its extremes. */
        ns_path_build(&layout->paths[i], &series, &layout->x, &layout->y,
                      layout->style->raster ? 0.5 : layout->style->line_width / 2);
    }
    ns_place_inner_labels(layout);
}

NsMargins ns_layout_margins(const NsPlotLayout *layout)
{
    const NsBox *area = &layout->area;
    return (NsMargins){area->y, layout->width - area->x - area->width,
                       layout->height - area->y - area->height, area->x};
}

/* The height of a text of n lines without its first line.  Frees the text. */
static double further(PangoLayout *text, int n)
{
    double all = n ? ns_text_height(text) : 0;
    g_clear_object(&text);
    return n ? all - all / n : 0;
}

static double further_lines(NsPlotLayout *layout, int lines)
{
    NsFrame frame = {.layout = layout, .size = layout->style->text_size};
    int n = ns_frame_write_note(&frame, lines);
    return further(frame.text[NS_PART_NOTE], n);
}

/* Screens need more space for notes, which are longer and larger there. */
static double lower_share(const NsStyle *style)
{
    return style->raster ? LOWER_SHARE_ON_SCREEN : LOWER_SHARE;
}

/* The part of that height for which there is space below two plots. */
static double height_for_lines(NsPlotLayout *layout)
{
    double size = layout->style->text_size, words = (LOWER_WORDS + UPPER_WORDS) * size;
    double share = lower_share(layout->style);
    for (int lines = NS_NOTE_LINES; lines > 1; lines--) {
        double below = further_lines(layout, lines), height = layout->height - below;
        bool many = is_in_window(layout->style) && lines > NOTE_FREE_LINES;
        double upper = (1 - share) * height - words;
        if (height >= NOTE_LEAVES_TO_TWO * size && !(many && upper < NOTE_LEAVES_IN_WINDOW))
            return below;
    }
    return 0;
}

/* Lays out the plot and the lower one, with areas of the same width. */
static void lay_out_pair(NsPlotLayout *layout, double lower_height, const NsMargins *least)
{
    const NsPlot *upper = layout->plot, *below = upper->lower;
    NsSeries *series = ns_plot_series_below(upper);
    NsPlot shown = {.x = upper->x,
                    .cut = upper->cut,
                    .cut_at = upper->cut_at,
                    .left = below->left,
                    .series = series,
                    .n_series = below->n_series,
                    .spans = upper->spans,
                    .n_spans = upper->n_spans,
                    .levels = below->levels,
                    .n_levels = below->n_levels,
                    .slopes = below->slopes,
                    .n_slopes = below->n_slopes,
                    .no_grid = upper->no_grid,
                    .legend = NS_LEGEND_NONE};
    NsPlotLayout *lower = layout_new(&shown, layout->width, lower_height, layout->style);
    lower->own = shown;
    lower->series = series;
    lower->plot = &lower->own;
    /* The notes of both are below the lower plot. */
    if (!upper->thumbnail)
        lower->note = ns_data_summary_note(upper, &layout->summary, &lower->own, &lower->summary);
    lower->marks = g_strdup(layout->marks);
    layout->own = *upper;
    layout->own.x.quiet = true;
    layout->plot = &layout->own;
    layout->lower = lower;
    layout->lower_y = layout->height - lower_height;
    layout->height = layout->lower_y;
    NsMargins upper_least = *least, lower_least = *least;
    upper_least.bottom = lower_least.top = 0;
    lay_out(layout, &upper_least, NULL);
    lay_out(lower, &lower_least, layout);
    double both = layout->area.height + lower->area.height;
    double most = MAX(INPUT_MOST * both, INPUT_LEAST * layout->style->text_size);
    if (below->input && lower->area.height > most) {
        double less = lower->area.height - most;
        lower->height -= layout->style->raster ? ceil(less) : less;
        layout->height = layout->lower_y += layout->style->raster ? ceil(less) : less;
    }
    NsMargins a = ns_layout_margins(layout), b = ns_layout_margins(lower);
    double left = MAX(a.left, b.left), right = MAX(a.right, b.right);
    if (layout->width - left - right < LEAST_WIDTH * layout->width) {
        /* Each has space for its own labels at the sides, but not for the widest of both. */
        layout->own.left.quiet = lower->own.left.quiet = true;
        left = least->left;
        right = least->right;
    }
    upper_least.left = lower_least.left = left;
    upper_least.right = lower_least.right = right;
    lay_out(layout, &upper_least, NULL);
    lay_out(lower, &lower_least, layout);
}

static void make_notes(NsPlotLayout *layout)
{
    const NsPlot *plot = layout->plot;
    if (plot->thumbnail) return;
    layout->note = ns_data_summary_note(plot, &layout->summary, NULL, NULL);
    layout->marks = ns_data_summary_marks(plot, &layout->summary);
}

/* The words that are not at their usual place. */
typedef struct {
    unsigned listed_levels; /* bits: those whose names are in the legend */
    bool averaged;          /* in the subtitle instead of the legend */
} NsSaid;

/* With the legend above the plot if `above`, otherwise where the plot wants it; it has the names of
 * some levels. */
static NsPlotLayout *layout_of(const NsPlot *plot, const NsPoint *page, const NsStyle *style,
                               const NsMargins *least, bool above, NsSaid said)
{
    NsPlotLayout *layout = layout_new(plot, page->x, page->y, style);
    layout->listed_levels = said.listed_levels;
    layout->averaged = said.averaged;
    for (unsigned i = 0; i < NS_LEVELS_MAX; i++)
        if (said.listed_levels >> i & 1)
            layout->level_keys[layout->n_level_keys++] = (NsSeries){
                .label = plot->levels[i].text, .kind = NS_SERIES_LINE, .style = i, .theory = true};
    make_notes(layout);
    double further = plot->lower ? height_for_lines(layout) : 0;
    const size_t *faults = layout->summary.faults;
    double lower_height =
        lower_share(style) * (page->y - further) + LOWER_WORDS * style->text_size + further;
    double most = LOWER_MOST * page->y + further;
    if (!style->raster && most > LOWER_LEAST * style->text_size)
        lower_height = MIN(lower_height, most);
    bool pair = plot->lower && !plot->heatmap && !plot->drawing && layout->summary.any &&
                lower_height < LOWER_LEAVES * page->y;
    if (faults[NS_FAULT_NAN] || faults[NS_FAULT_INFINITE]) lower_height += STRIP * style->text_size;
    if (plot->drawing) {
        /* A drawing gets the space that title, subtitle and note leave. */
        layout->own = *plot;
        layout->own.x = layout->own.left =
            (NsAxis){.lo = (double)NAN, .hi = (double)NAN, .quiet = true};
        layout->own.legend = NS_LEGEND_NONE;
        layout->plot = &layout->own;
    }
    if (above) {
        layout->own = *layout->plot;
        layout->own.legend = NS_LEGEND_ABOVE;
        layout->plot = &layout->own;
    }
    if (pair)
        lay_out_pair(layout, style->raster ? round(lower_height) : lower_height, least);
    else
        lay_out(layout, least, NULL);
    fill(layout);
    if (layout->lower) fill(layout->lower);
    /* Names of levels that found no place are in the legend, which may take that of another one. */
    bool keyed = !plot->averaged || said.averaged || plot->legend == NS_LEGEND_INSIDE;
    for (unsigned i = 0; i < layout->legend->len && plot->n_keys; i++)
        keyed |=
            g_array_index(layout->legend, NsLegendSample, i).series == plot->keys && plot->keys->lo;
    if (!layout->unnamed_levels && keyed) return layout;
    said.listed_levels |= layout->unnamed_levels;
    said.averaged |= !keyed;
    ns_plot_layout_free(layout);
    return layout_of(plot, page, style, least, above, said);
}

NsPlotLayout *ns_plot_layout_within(const NsPlot *plot, double width, double height,
                                    const NsStyle *style, const NsMargins *least)
{
    const NsPoint page = {width, height};
    NsPlotLayout *layout = layout_of(plot, &page, style, least, false, (NsSaid){0});
    if (!layout->crowded) return layout;
    /* A legend that would hide data is above them, if it fits there. */
    NsPlotLayout *other = layout_of(plot, &page, style, least, true, (NsSaid){0});
    bool better = other->legend->len > 0;
    ns_plot_layout_free(better ? layout : other);
    return better ? other : layout;
}

NsPlotLayout *ns_plot_layout(const NsPlot *plot, double width, double height, const NsStyle *style)
{
    return ns_plot_layout_within(plot, width, height, style, &(NsMargins){0});
}

double ns_plot_more_lines(const NsPlot *plot, double width, const NsStyle *style)
{
    g_autoptr(NsPlotLayout) layout = layout_new(plot, width, width, style);
    make_notes(layout);
    NsFrame frame = {.layout = layout, .size = style->text_size};
    ns_end_names_fit(layout);
    double space = width - 2 * style->padding;
    bool listed = !plot->heatmap && !plot->drawing &&
                  (plot->legend == NS_LEGEND_OUTSIDE || plot->legend == NS_LEGEND_ABOVE);
    double legend = listed ? ns_legend_place(layout, 0, 0, space, width, false) : 0;
    frame.show[NS_PART_SUBTITLE] = plot->subtitle != NULL;
    layout->identified = layout->names && ns_frame_names_identify(&frame);
    int n = ns_frame_write_subtitle(&frame, NS_SUBTITLE_LINES);
    double more = further(frame.text[NS_PART_SUBTITLE], n);
    more += MAX(0, legend - LEGEND_LINES * style->text_size);
    return more / (1 - SUBTITLE_SHARE) + further_lines(layout, NS_NOTE_LINES);
}

double ns_legend_layout(NsPlotLayout **layout, const NsPlot *plot, double width,
                        const NsStyle *style)
{
    double pad = style->padding;
    *layout = layout_new(plot, width, width, style);
    double height = ns_legend_place(*layout, pad, pad, width - 2 * pad, width, true);
    /* The plots below begin with their own padding. */
    double gap = MAX(0, NS_GAP * style->text_size - pad);
    return (*layout)->names && height > 0 ? pad + height + gap : 0;
}

void ns_plot_layout_free(NsPlotLayout *layout)
{
    if (!layout) return;
    ns_plot_layout_free(layout->lower);
    g_free(layout->series);
    for (size_t i = 0; i < layout->n_paths; i++) ns_path_clear(&layout->paths[i]);
    g_free(layout->paths);
    g_free(layout->note);
    g_free(layout->marks);
    clear_ticks(layout);
    g_array_unref(layout->labels);
    g_array_unref(layout->legend);
    g_object_unref(layout->context);
    g_free(layout);
}

NsBox ns_plot_area(const NsPlotLayout *layout)
{
    return layout->area;
}

double ns_plot_x_to_pixel(const NsPlotLayout *layout, double x)
{
    return ns_scale_to_pixel(&layout->x, x);
}

double ns_plot_pixel_to_x(const NsPlotLayout *layout, double px)
{
    return ns_scale_to_value(&layout->x, px);
}

double ns_plot_row_to_pixel(const NsPlotLayout *layout, double value)
{
    const NsHeatmap *map = layout->plot->heatmap;
    double drawn = map ? ns_panels_to_axis(map, value) : value;
    return ns_scale_to_pixel(&layout->y, drawn);
}

double ns_plot_y_to_pixel(const NsPlotLayout *layout, double y)
{
    return ns_scale_to_pixel(&layout->y, y);
}
