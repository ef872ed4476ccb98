/* From a plot to boxes and ticks.  SPDX-License-Identifier: MIT
 *
 * Heights come first: the lines of text above and below decide the height of the plot area, this
 * decides the ticks of the vertical axes, their widths decide its width, and that the ticks of the
 * horizontal axis.  Each step depends on the ones before only. */
#include "ui/plot/frame.h"

#include <math.h>

/* Lengths in text sizes. */
#define BAR 0.9
#define STRIP 0.95

static char *axis_title(const char *label, const char *unit)
{
    return label && unit ? g_strdup_printf("%s (%s)", label, unit) : g_strdup(label);
}

static void clear_label(void *label)
{
    g_object_unref(((NsLabel *)label)->text);
}

/* Text of the parts that are one text; a part without text is not shown. */
static void write_part(NsFrame *frame, NsPart part, const char *words, double size, bool bold)
{
    frame->show[part] = words && *words;
    if (frame->show[part])
        frame->text[part] =
            ns_text_new(frame->layout->context, frame->layout->style, size, bold, words);
}

static void write_texts(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    const NsStyle *style = layout->style;
    double size = style->text_size, room = layout->width - 2 * style->padding;
    g_autofree char *x = axis_title(plot->x.label, plot->x.unit);
    g_autofree char *left = axis_title(plot->left.label, plot->left.unit);
    g_autofree char *right = axis_title(plot->right.label, plot->right.unit);
    g_autofree char *note = ns_survey_note(plot, &layout->survey);
    write_part(frame, NS_PART_TITLE, plot->title, style->title_size, true);
    write_part(frame, NS_PART_SUBTITLE, plot->subtitle, size, false);
    write_part(frame, NS_PART_NOTE, note, size * 0.92, false);
    write_part(frame, NS_PART_X_LABEL, x, size, false);
    write_part(frame, NS_PART_LEFT_LABEL, left, size, false);
    if (plot->heatmap)
        write_part(frame, NS_PART_RIGHT_LABEL, plot->heatmap->label, size, false);
    else if (layout->survey.right)
        write_part(frame, NS_PART_RIGHT_LABEL, right, size, false);
    if (!layout->survey.any)
        write_part(frame, NS_PART_EMPTY, plot->empty ? plot->empty : "no data", size, false);
    static const NsPart across[] = {NS_PART_TITLE, NS_PART_SUBTITLE};
    for (size_t i = 0; i < G_N_ELEMENTS(across); i++)
        if (frame->show[across[i]]) ns_text_limit(frame->text[across[i]], room, 1);
    if (frame->show[NS_PART_NOTE]) ns_text_limit(frame->text[NS_PART_NOTE], room, 2);
    frame->show[NS_PART_X_TICK] = frame->show[NS_PART_LEFT_TICK] = true;
    frame->show[NS_PART_RIGHT_TICK] = true;
    frame->show[NS_PART_LEGEND] = true;
    for (size_t i = 0; i < plot->n_markers; i++)
        frame->show[NS_PART_MARKER] |= plot->markers[i].text != NULL;

    g_autoptr(PangoLayout) zero = ns_text_new(layout->context, style, size, false, "0");
    PangoRectangle ink;
    pango_layout_get_extents(zero, &ink, NULL);
    frame->digit = (double)ink.height / PANGO_SCALE;
    frame->line = ns_text_height(zero);
}

static void measure_heights(NsFrame *frame)
{
    double size = frame->size;
    frame->top = ns_frame_stack(frame, false);
    if (frame->show[NS_PART_MARKER]) frame->top += NS_MARKER_LINE * frame->line;
    frame->bottom = frame->layout->style->padding;
    if (frame->show[NS_PART_NOTE])
        frame->bottom += ns_text_height(frame->text[NS_PART_NOTE]) + NS_GAP * size;
    if (frame->show[NS_PART_X_LABEL]) frame->bottom += ns_text_height(frame->text[NS_PART_X_LABEL]);
    if (frame->show[NS_PART_X_TICK])
        frame->bottom += (NS_TICK + NS_TICK_GAP + NS_GAP) * size + frame->digit;
    else
        frame->bottom += 0.5 * frame->digit;
}

static double area_height(const NsFrame *frame)
{
    return frame->layout->height - frame->top - frame->bottom;
}

/* Leaves out parts until the plot area has the share of the page, and the lines of text, that each
 * is worth. */
static void fit_height(NsFrame *frame)
{
    static const struct {
        NsPart part;
        double share, lines;
    } order[] = {
        {NS_PART_NOTE, 0.36, 3.5}, {NS_PART_SUBTITLE, 0.36, 3.5}, {NS_PART_LEGEND, 0.2, 3},
        {NS_PART_X_LABEL, 0.2, 3}, {NS_PART_MARKER, 0, 1.6},      {NS_PART_TITLE, 0, 1.6},
        {NS_PART_X_TICK, 0, 1.6},
    };
    measure_heights(frame);
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
        double least = MAX(order[i].share * frame->layout->height, order[i].lines * frame->size);
        if (area_height(frame) >= least) continue;
        frame->show[order[i].part] = false;
        measure_heights(frame);
    }
}

static double widest_label(NsPlotLayout *layout, const GArray *ticks)
{
    double widest;
    ns_tick_texts_free(ns_tick_texts(layout, ticks, &widest));
    return widest;
}

static GArray *vertical_ticks(const NsFrame *frame, const NsScale *scale)
{
    double length = fabs(scale->p1 - scale->p0);
    return ns_scale_ticks(scale, (unsigned)MIN(length / (2.4 * frame->size) + 1, 8));
}

/* Vertical scales and ticks, once the height of the area is known. */
static void fit_vertical(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    const NsSurvey *survey = &layout->survey;
    const size_t *faults = survey->faults;
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
    double room = layout->area.height - layout->strip_top - layout->strip_bottom;
    double inset = survey->points ? layout->style->mark_size / 2 + 1 : 0;
    inset = MIN(inset, room / 4);
    const NsAxis *axes[2] = {&plot->left, &plot->right};
    for (int side = 0; side < 2; side++) {
        NsScale *scale = &layout->y[side];
        double padding = plot->heatmap ? 0 : 0.04;
        ns_scale_fit(scale, axes[side], survey->lo[side], survey->hi[side], padding);
        scale->p0 = layout->area.y + layout->area.height - layout->strip_bottom - inset;
        scale->p1 = layout->area.y + layout->strip_top + inset;
        layout->y_ticks[side] = vertical_ticks(frame, scale);
    }
    if (!plot->heatmap) return;
    NsAxis color = {
        .scale = plot->heatmap->log ? NS_SCALE_LOG : NS_SCALE_LINEAR, .lo = NAN, .hi = NAN};
    ns_scale_fit(&layout->z, &color, survey->z_lo, survey->z_hi, 0);
    layout->z.p0 = layout->area.y + layout->area.height;
    layout->z.p1 = layout->area.y;
    layout->z_ticks = vertical_ticks(frame, &layout->z);
}

static void measure_widths(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    double size = frame->size, ticks = (NS_TICK + NS_TICK_GAP) * size;
    frame->left = frame->right = layout->style->padding;
    if (frame->show[NS_PART_LEFT_LABEL])
        frame->left += ns_text_height(frame->text[NS_PART_LEFT_LABEL]) + NS_GAP * size;
    if (frame->show[NS_PART_LEFT_TICK])
        frame->left += widest_label(layout, layout->y_ticks[NS_AXIS_LEFT]) + ticks;
    if (layout->plot->heatmap) frame->right += (0.8 + BAR) * size;
    const GArray *right = layout->plot->heatmap ? layout->z_ticks : layout->y_ticks[NS_AXIS_RIGHT];
    if (frame->show[NS_PART_RIGHT_TICK] &&
        (layout->plot->heatmap || ns_frame_has_right_axis(frame)))
        frame->right += widest_label(layout, right) + ticks;
    if (frame->show[NS_PART_RIGHT_LABEL])
        frame->right += ns_text_height(frame->text[NS_PART_RIGHT_LABEL]) + NS_GAP * size;
}

static void fit_width(NsFrame *frame)
{
    static const struct {
        NsPart part;
        bool comfort;
    } order[] = {
        {NS_PART_RIGHT_LABEL, true},
        {NS_PART_LEFT_LABEL, true},
        {NS_PART_RIGHT_TICK, false},
        {NS_PART_LEFT_TICK, false},
    };
    NsPlotLayout *layout = frame->layout;
    double comfortable = MAX(7 * frame->size, 0.45 * layout->width), least = 3 * frame->size;
    measure_widths(frame);
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
        double width = layout->width - frame->left - frame->right;
        if (width >= (order[i].comfort ? comfortable : least)) continue;
        frame->show[order[i].part] = false;
        measure_widths(frame);
    }
}

static void fit_x_range(NsPlotLayout *layout)
{
    const NsSurvey *survey = &layout->survey;
    const NsAxis *axis = &layout->plot->x;
    double lo = survey->x_lo, hi = survey->x_hi;
    if (axis->integer && lo == hi) {
        /* A single layer stands in the middle, a first step at the left. */
        lo -= survey->points ? 0.5 : 0;
        hi += survey->points ? 0.5 : 1;
    }
    ns_scale_fit(&layout->x, axis, lo, hi, 0);
    double inset = layout->plot->heatmap ? 0 : layout->style->mark_size / 2 + 1;
    inset =
        MIN(inset + (survey->points ? 0.25 * layout->style->text_size : 0), layout->area.width / 8);
    layout->x.p0 = layout->area.x + inset;
    layout->x.p1 = layout->area.x + layout->area.width - inset;
}

static void fit_horizontal(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsStyle *style = layout->style;
    double size = frame->size;
    fit_width(frame);
    /* The last label under the axis reaches beyond its end. */
    double overhang = 0.9 * size;
    double left = MAX(frame->left, style->padding + overhang * 0.5);
    double right = layout->width - MAX(frame->right, style->padding + overhang);
    double bar = layout->plot->heatmap ? BAR * size : 0;
    if (bar > 0) right = layout->width - frame->right;
    if (style->raster) {
        left = ceil(left);
        right = floor(right);
        bar = round(bar);
    }
    layout->area.x = left;
    layout->area.width = MAX(right - left, 1);
    if (bar > 0)
        layout->bar = (NsBox){right + (style->raster ? round(0.8 * size) : 0.8 * size),
                              layout->area.y, bar, layout->area.height};
    fit_x_range(layout);
}

NsPlotLayout *ns_plot_layout(const NsPlot *plot, double width, double height, const NsStyle *style)
{
    NsPlotLayout *layout = g_new0(NsPlotLayout, 1);
    layout->plot = plot;
    layout->style = style;
    layout->width = width;
    layout->height = height;
    layout->context = ns_text_context_new();
    layout->survey = ns_survey(plot);
    layout->labels = g_array_new(FALSE, FALSE, sizeof(NsLabel));
    g_array_set_clear_func(layout->labels, clear_label);
    layout->legend = g_array_new(FALSE, FALSE, sizeof(NsLegendSample));
    layout->tick_length = NS_TICK * style->text_size;
    layout->tick_gap = NS_TICK_GAP * style->text_size;

    NsFrame frame = {.layout = layout, .size = style->text_size};
    write_texts(&frame);
    fit_height(&frame);
    fit_vertical(&frame);
    fit_horizontal(&frame);
    ns_frame_place(&frame);
    for (int part = 0; part < NS_PARTS; part++) g_clear_object(&frame.text[part]);

    /* Columns of half a line's width: a reduced curve covers what the whole one would. */
    layout->n_paths = plot->n_series;
    layout->paths = g_new0(NsPath, plot->n_series);
    for (size_t i = 0; i < plot->n_series; i++)
        ns_path_build(&layout->paths[i], &plot->series[i], &layout->x,
                      &layout->y[plot->series[i].side], style->line_width / 2);
    if (plot->heatmap) ns_heat_levels(layout);
    return layout;
}

void ns_plot_layout_free(NsPlotLayout *layout)
{
    if (!layout) return;
    for (size_t i = 0; i < layout->plot->n_series; i++) ns_path_clear(&layout->paths[i]);
    g_free(layout->paths);
    g_free(layout->levels);
    g_clear_pointer(&layout->x_ticks, g_array_unref);
    g_clear_pointer(&layout->y_ticks[0], g_array_unref);
    g_clear_pointer(&layout->y_ticks[1], g_array_unref);
    g_clear_pointer(&layout->z_ticks, g_array_unref);
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

double ns_plot_y_to_pixel(const NsPlotLayout *layout, NsAxisSide side, double y)
{
    return ns_scale_to_pixel(&layout->y[side], y);
}
