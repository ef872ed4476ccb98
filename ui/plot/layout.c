/* From a plot to boxes and ticks.  SPDX-License-Identifier: MIT
 *
 * Heights come first: the lines of text above and below decide the height of the plot area, this
 * decides the ticks of the vertical axes, their widths decide its width, and that the ticks of the
 * horizontal axis.  Each step depends on the ones before only. */
#include "ui/plot/layout-private.h"

#include <math.h>

/* Lengths in text sizes. */
#define GAP 0.4
#define TICK 0.3
#define TICK_GAP 0.32
#define BAR 0.9
#define STRIP 0.95

typedef struct {
    NsPlotLayout *layout;
    bool show[NS_PARTS];
    PangoLayout *text[NS_PARTS]; /* where a part is one text */
    double size;                 /* of text */
    double line;                 /* height of a line of text */
    double digit;                /* height of a digit */
    double legend;               /* height of the legend */
    double top, bottom, left, right;
} Frame;

static char *axis_title(const char *label, const char *unit)
{
    return label && unit ? g_strdup_printf("%s (%s)", label, unit) : g_strdup(label);
}

static double text_height(PangoLayout *text)
{
    double width, height;
    ns_text_size(text, &width, &height);
    return height;
}

static double text_width(PangoLayout *text)
{
    double width, height;
    ns_text_size(text, &width, &height);
    return width;
}

static NsColor part_color(const NsStyle *style, NsPart part)
{
    switch (part) {
    case NS_PART_SUBTITLE:
    case NS_PART_NOTE:
    case NS_PART_X_TICK:
    case NS_PART_LEFT_TICK:
    case NS_PART_RIGHT_TICK:
    case NS_PART_EMPTY:
        return style->faint_text;
    case NS_PART_TITLE:
    case NS_PART_LEGEND:
    case NS_PART_MARKER:
    case NS_PART_X_LABEL:
    case NS_PART_LEFT_LABEL:
    case NS_PART_RIGHT_LABEL:
    case NS_PARTS:
        break;
    }
    return style->text;
}

void ns_layout_add_label(NsPlotLayout *layout, NsPart part, PangoLayout *text, double x, double y,
                         bool rotated)
{
    PangoRectangle ink, logical;
    pango_layout_get_extents(text, &ink, &logical);
    double ix = (double)ink.x / PANGO_SCALE, iy = (double)ink.y / PANGO_SCALE;
    double iw = (double)ink.width / PANGO_SCALE, ih = (double)ink.height / PANGO_SCALE;
    NsLabel label = {
        .part = part,
        .text = text,
        .x = x,
        .y = y,
        .box = {x + ix, y + iy, iw, ih},
        .rotated = rotated,
        .color = part_color(layout->style, part),
    };
    if (rotated) {
        double length = (double)logical.width / PANGO_SCALE;
        label.box = (NsBox){x + iy, y + length - ix - iw, ih, iw};
    }
    g_array_append_val(layout->labels, label);
}

static void clear_label(void *label)
{
    g_object_unref(((NsLabel *)label)->text);
}

/* Text of the parts that are one text; a part without text is not shown. */
static void write_part(Frame *frame, NsPart part, const char *words, double size, bool bold)
{
    frame->show[part] = words && *words;
    if (frame->show[part])
        frame->text[part] =
            ns_text_new(frame->layout->context, frame->layout->style, size, bold, words);
}

static void write_texts(Frame *frame)
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
    frame->line = text_height(zero);
}

/* Where parts begin, from the top: shared by measuring and placing. */
static double stack_top(Frame *frame, bool place)
{
    NsPlotLayout *layout = frame->layout;
    double pad = layout->style->padding, y = pad;
    static const NsPart parts[] = {NS_PART_TITLE, NS_PART_SUBTITLE};
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        NsPart part = parts[i];
        if (!frame->show[part]) continue;
        if (place)
            ns_layout_add_label(layout, part, g_object_ref(frame->text[part]), pad, y, false);
        y += text_height(frame->text[part]);
    }
    if (frame->show[NS_PART_LEGEND]) {
        double room = layout->width - 2 * pad, gap = y > pad ? 0.25 * frame->size : 0;
        double most = MIN(0.25 * layout->height, 3 * frame->line);
        double height = ns_legend_place(layout, pad, y + gap, room, most, false);
        if (height > 0 && place) ns_legend_place(layout, pad, y + gap, room, most, true);
        if (height > 0) y += gap + height;
    }
    return y + (y > pad ? GAP * frame->size : 0.5 * frame->digit);
}

static void measure_heights(Frame *frame)
{
    double size = frame->size;
    frame->top = stack_top(frame, false);
    if (frame->show[NS_PART_MARKER]) frame->top += frame->line;
    frame->bottom = frame->layout->style->padding;
    if (frame->show[NS_PART_NOTE])
        frame->bottom += text_height(frame->text[NS_PART_NOTE]) + GAP * size;
    if (frame->show[NS_PART_X_LABEL]) frame->bottom += text_height(frame->text[NS_PART_X_LABEL]);
    if (frame->show[NS_PART_X_TICK])
        frame->bottom += (TICK + TICK_GAP + GAP) * size + frame->digit;
    else
        frame->bottom += 0.5 * frame->digit;
}

static double area_height(const Frame *frame)
{
    return frame->layout->height - frame->top - frame->bottom;
}

/* Leaves out parts until the plot area has a comfortable height, then more until it has any. */
static void fit_height(Frame *frame)
{
    static const struct {
        NsPart part;
        bool comfort;
    } order[] = {
        {NS_PART_NOTE, true},    {NS_PART_SUBTITLE, true}, {NS_PART_LEGEND, true},
        {NS_PART_X_LABEL, true}, {NS_PART_MARKER, false},  {NS_PART_TITLE, false},
        {NS_PART_X_TICK, false},
    };
    double comfortable = MAX(3.5 * frame->size, 0.36 * frame->layout->height);
    double least = 1.6 * frame->size;
    measure_heights(frame);
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
        if (area_height(frame) >= (order[i].comfort ? comfortable : least)) continue;
        frame->show[order[i].part] = false;
        measure_heights(frame);
    }
}

/* The texts of labelled ticks, NULL for the others. */
static GPtrArray *tick_texts(NsPlotLayout *layout, const GArray *ticks, double *widest)
{
    GPtrArray *texts = g_ptr_array_new_full(ticks->len, NULL);
    *widest = 0;
    for (unsigned i = 0; i < ticks->len; i++) {
        const char *label = g_array_index(ticks, NsTick, i).label;
        PangoLayout *text = NULL;
        if (label) {
            text =
                ns_text_new(layout->context, layout->style, layout->style->text_size, false, label);
            *widest = MAX(*widest, text_width(text));
        }
        g_ptr_array_add(texts, text);
    }
    return texts;
}

static void drop_texts(GPtrArray *texts)
{
    for (unsigned i = 0; i < texts->len; i++) g_clear_object(&texts->pdata[i]);
    g_ptr_array_unref(texts);
}

static double widest_label(NsPlotLayout *layout, const GArray *ticks)
{
    double widest;
    drop_texts(tick_texts(layout, ticks, &widest));
    return widest;
}

static GArray *vertical_ticks(const Frame *frame, const NsScale *scale)
{
    double length = fabs(scale->p1 - scale->p0);
    return ns_scale_ticks(scale, (unsigned)MIN(length / (2.4 * frame->size) + 1, 8));
}

/* Vertical scales and ticks, once the height of the area is known. */
static void fit_vertical(Frame *frame)
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

static bool has_right_axis(const Frame *frame)
{
    return frame->layout->survey.right && !frame->layout->plot->heatmap;
}

static void measure_widths(Frame *frame)
{
    NsPlotLayout *layout = frame->layout;
    double size = frame->size, ticks = (TICK + TICK_GAP) * size;
    frame->left = frame->right = layout->style->padding;
    if (frame->show[NS_PART_LEFT_LABEL])
        frame->left += text_height(frame->text[NS_PART_LEFT_LABEL]) + GAP * size;
    if (frame->show[NS_PART_LEFT_TICK])
        frame->left += widest_label(layout, layout->y_ticks[NS_AXIS_LEFT]) + ticks;
    if (layout->plot->heatmap) frame->right += (0.8 + BAR) * size;
    const GArray *right = layout->plot->heatmap ? layout->z_ticks : layout->y_ticks[NS_AXIS_RIGHT];
    if (frame->show[NS_PART_RIGHT_TICK] && (layout->plot->heatmap || has_right_axis(frame)))
        frame->right += widest_label(layout, right) + ticks;
    if (frame->show[NS_PART_RIGHT_LABEL])
        frame->right += text_height(frame->text[NS_PART_RIGHT_LABEL]) + GAP * size;
}

static void fit_width(Frame *frame)
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

/* Where a label of that width under a tick begins: centred, but on the page. */
static double label_start(const NsPlotLayout *layout, double px, double width)
{
    double most = layout->width - width - layout->style->padding * 0.5;
    return CLAMP(px - width / 2, MIN(layout->style->padding * 0.5, most), most);
}

static bool labels_fit(NsPlotLayout *layout, const GArray *ticks, const GPtrArray *texts)
{
    double end = -INFINITY;
    for (unsigned i = 0; i < ticks->len; i++) {
        if (!texts->pdata[i]) continue;
        double width = text_width(texts->pdata[i]);
        double px = ns_scale_to_pixel(&layout->x, g_array_index(ticks, NsTick, i).value);
        double start = label_start(layout, px, width);
        if (start < end + 0.7 * layout->style->text_size) return false;
        end = start + width;
    }
    return true;
}

static void place_x_ticks(Frame *frame)
{
    NsPlotLayout *layout = frame->layout;
    double size = frame->size, widest;
    unsigned most = (unsigned)CLAMP(layout->area.width / (3.2 * size), 2, 11);
    for (;; most--) {
        g_clear_pointer(&layout->x_ticks, g_array_unref);
        layout->x_ticks = ns_scale_ticks(&layout->x, most);
        GPtrArray *texts = tick_texts(layout, layout->x_ticks, &widest);
        bool fits = labels_fit(layout, layout->x_ticks, texts);
        if (!fits && most > 2) {
            drop_texts(texts);
            continue;
        }
        double top = layout->area.y + layout->area.height + layout->tick_length + layout->tick_gap;
        for (unsigned i = 0; i < texts->len && fits && frame->show[NS_PART_X_TICK]; i++) {
            PangoLayout *text = texts->pdata[i];
            if (!text) continue;
            double px =
                ns_scale_to_pixel(&layout->x, g_array_index(layout->x_ticks, NsTick, i).value);
            ns_layout_add_label(layout, NS_PART_X_TICK, g_object_ref(text),
                                label_start(layout, px, text_width(text)),
                                top + frame->digit - ns_text_baseline(text), false);
        }
        drop_texts(texts);
        return;
    }
}

/* Labels of a vertical scale: right-aligned at x, or left-aligned where `right`. */
static void place_y_ticks(Frame *frame, const NsScale *scale, const GArray *ticks, double x,
                          bool right)
{
    NsPlotLayout *layout = frame->layout;
    double widest, above = INFINITY;
    GPtrArray *texts = tick_texts(layout, ticks, &widest);
    for (unsigned i = 0; i < texts->len; i++) {
        PangoLayout *text = texts->pdata[i];
        double py = ns_scale_to_pixel(scale, g_array_index(ticks, NsTick, i).value);
        if (!text || py > above - 1.15 * frame->size) continue;
        above = py;
        ns_layout_add_label(layout, right ? NS_PART_RIGHT_TICK : NS_PART_LEFT_TICK,
                            g_object_ref(text), right ? x : x - text_width(text),
                            py + frame->digit / 2 - ns_text_baseline(text), false);
    }
    drop_texts(texts);
}

static void place_axis_labels(Frame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsBox *area = &layout->area;
    double pad = layout->style->padding, y = layout->height - pad;
    if (frame->show[NS_PART_NOTE]) {
        PangoLayout *text = frame->text[NS_PART_NOTE];
        y -= text_height(text);
        ns_layout_add_label(layout, NS_PART_NOTE, g_object_ref(text), pad, y, false);
        y -= GAP * frame->size;
    }
    if (frame->show[NS_PART_X_LABEL]) {
        PangoLayout *text = frame->text[NS_PART_X_LABEL];
        if (text_width(text) > layout->width - 2 * pad)
            ns_text_limit(text, layout->width - 2 * pad, 1);
        double width = text_width(text), x = area->x + (area->width - width) / 2;
        x = MAX(pad, MIN(x, layout->width - pad - width));
        ns_layout_add_label(layout, NS_PART_X_LABEL, g_object_ref(text), x, y - text_height(text),
                            false);
    }
    static const NsPart sides[] = {NS_PART_LEFT_LABEL, NS_PART_RIGHT_LABEL};
    for (size_t i = 0; i < G_N_ELEMENTS(sides); i++) {
        if (!frame->show[sides[i]]) continue;
        PangoLayout *text = frame->text[sides[i]];
        /* Longer than the axis, it may use the height of the page below the title. */
        double room = area->height + 2 * MIN(frame->size, frame->bottom - pad);
        if (text_width(text) > room) ns_text_limit(text, room, 1);
        double x = i ? layout->width - pad - text_height(text) : pad;
        double top = area->y + (area->height - text_width(text)) / 2;
        ns_layout_add_label(layout, sides[i], g_object_ref(text), x, top, true);
    }
}

/* Words of markers stand in a line above the area; alarms come first where they collide. */
static void place_markers(Frame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    double y = layout->area.y - frame->line, right = layout->area.x + layout->area.width;
    unsigned first = layout->labels->len;
    for (int alarm = 1; alarm >= 0; alarm--)
        for (size_t i = plot->n_markers; i-- > 0;) {
            const NsMarker *marker = &plot->markers[i];
            double px = ns_scale_to_pixel(&layout->x, marker->x);
            if (!marker->text || marker->alarm != alarm ||
                !(px >= layout->area.x - 1 && px <= right + 1))
                continue;
            g_autoptr(PangoLayout) text =
                ns_text_new(layout->context, layout->style, frame->size, alarm, marker->text);
            double room = layout->area.width;
            if (text_width(text) > room) ns_text_limit(text, room, 1);
            double width = text_width(text);
            double x = CLAMP(px - width / 2, layout->area.x, right - width);
            bool free_room = true;
            for (unsigned k = first; k < layout->labels->len; k++) {
                const NsBox *box = &g_array_index(layout->labels, NsLabel, k).box;
                free_room &=
                    x + width + frame->size < box->x || x > box->x + box->width + frame->size;
            }
            if (!free_room) continue;
            ns_layout_add_label(layout, NS_PART_MARKER, g_object_ref(text), x, y, false);
            if (alarm)
                g_array_index(layout->labels, NsLabel, layout->labels->len - 1).color =
                    layout->style->alarm;
        }
}

static void fit_horizontal(Frame *frame)
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

static void place_all(Frame *frame)
{
    NsPlotLayout *layout = frame->layout;
    double out = layout->tick_length + layout->tick_gap;
    const NsBox *area = &layout->area, *bar = &layout->bar;
    stack_top(frame, true);
    if (frame->show[NS_PART_MARKER]) place_markers(frame);
    place_x_ticks(frame);
    if (frame->show[NS_PART_LEFT_TICK])
        place_y_ticks(frame, &layout->y[NS_AXIS_LEFT], layout->y_ticks[NS_AXIS_LEFT], area->x - out,
                      false);
    if (frame->show[NS_PART_RIGHT_TICK] && has_right_axis(frame))
        place_y_ticks(frame, &layout->y[NS_AXIS_RIGHT], layout->y_ticks[NS_AXIS_RIGHT],
                      area->x + area->width + out, true);
    if (frame->show[NS_PART_RIGHT_TICK] && bar->width > 0)
        place_y_ticks(frame, &layout->z, layout->z_ticks, bar->x + bar->width + out, true);
    place_axis_labels(frame);
    if (frame->show[NS_PART_EMPTY]) {
        PangoLayout *text = frame->text[NS_PART_EMPTY];
        ns_text_limit(text, area->width * 0.9, MAX(1, (int)(area->height / frame->line)));
        pango_layout_set_alignment(text, PANGO_ALIGN_CENTER);
        double x = area->x + area->width * 0.05;
        double y = area->y + (area->height - text_height(text)) / 2;
        ns_layout_add_label(layout, NS_PART_EMPTY, g_object_ref(text), x, y, false);
    }
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
    layout->tick_length = TICK * style->text_size;
    layout->tick_gap = TICK_GAP * style->text_size;

    Frame frame = {.layout = layout, .size = style->text_size};
    write_texts(&frame);
    fit_height(&frame);
    fit_vertical(&frame);
    fit_horizontal(&frame);
    place_all(&frame);
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
