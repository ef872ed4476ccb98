/* Words on the page, once the boxes are known.  SPDX-License-Identifier: MIT */
#include "ui/plot/frame.h"
#include "ui/plot/panels.h"

#include <math.h>

/* The highest legend above the plot area, in text sizes: three lines. */
#define LEGEND_MOST 4.4

/* Of the number of a point on an axis that is not of whole numbers. */
#define DIGITS 4

static NsColor part_color(const NsStyle *style, NsPart part)
{
    switch (part) {
    case NS_PART_SUBTITLE:
    case NS_PART_NOTE:
    case NS_PART_X_TICK:
    case NS_PART_LEFT_TICK:
    case NS_PART_RIGHT_TICK:
    case NS_PART_INSIDE:
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

bool ns_frame_has_right_axis(const NsFrame *frame)
{
    return frame->layout->survey.right && !frame->layout->plot->heatmap;
}

/* Where parts begin, from the top: shared by measuring and placing. */
double ns_frame_stack(NsFrame *frame, bool place)
{
    NsPlotLayout *layout = frame->layout;
    /* A strip begins where the plot above it ends. */
    double pad = layout->style->padding, y = frame->x ? 0 : pad;
    static const NsPart parts[] = {NS_PART_TITLE, NS_PART_SUBTITLE};
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        NsPart part = parts[i];
        if (!frame->show[part]) continue;
        if (place)
            ns_layout_add_label(layout, part, g_object_ref(frame->text[part]), pad, y, false);
        y += ns_text_height(frame->text[part]);
        if (part == NS_PART_TITLE) y = MAX(y, layout->style->corner_height);
    }
    if (frame->show[NS_PART_LEGEND]) {
        double room = layout->width - 2 * pad, gap = y > pad ? 0.25 * frame->size : 0;
        double most = MIN(0.25 * layout->height, LEGEND_MOST * frame->size);
        double height = ns_legend_place(layout, pad, y + gap, room, most, false);
        if (height > 0 && place) ns_legend_place(layout, pad, y + gap, room, most, true);
        if (height > 0) y += gap + height;
    }
    return y + (y > pad ? NS_GAP * frame->size : 0.5 * frame->digit);
}

/* The texts of labelled ticks, NULL for the others. */
GPtrArray *ns_tick_texts(NsPlotLayout *layout, const GArray *ticks, double *widest)
{
    GPtrArray *texts = g_ptr_array_new_full(ticks->len, NULL);
    *widest = 0;
    for (unsigned i = 0; i < ticks->len; i++) {
        const char *label = g_array_index(ticks, NsTick, i).label;
        PangoLayout *text = NULL;
        if (label) {
            text =
                ns_text_new(layout->context, layout->style, layout->style->text_size, false, label);
            *widest = MAX(*widest, ns_text_width(text));
        }
        g_ptr_array_add(texts, text);
    }
    return texts;
}

void ns_tick_texts_free(GPtrArray *texts)
{
    for (unsigned i = 0; i < texts->len; i++) g_clear_object(&texts->pdata[i]);
    g_ptr_array_unref(texts);
}

/* Where a label of that width under a tick begins: centred, but on the page. */
static double label_start(const NsPlotLayout *layout, double px, double width)
{
    double most = layout->width - width - layout->style->padding * 0.5;
    return CLAMP(px - width / 2, MIN(layout->style->padding * 0.5, most), most);
}

/* How much of the axis a word at it takes. */
static double across(const NsPlotLayout *layout, PangoLayout *text)
{
    return layout->turned ? ns_text_height(text) : ns_text_width(text);
}

static bool labels_fit(NsPlotLayout *layout, const GArray *ticks, const GPtrArray *texts)
{
    double end = -INFINITY;
    for (unsigned i = 0; i < ticks->len; i++) {
        if (!texts->pdata[i]) continue;
        double width = across(layout, texts->pdata[i]);
        double px = ns_scale_to_pixel(&layout->x, g_array_index(ticks, NsTick, i).value);
        double start = label_start(layout, px, width);
        if (layout->turned && start < end) return false;
        if (!layout->turned && start < end + 0.7 * layout->style->text_size) return false;
        end = start + width;
    }
    return true;
}

/* Whether labels from..to - 1 would meet one of that width that begins there. */
static bool is_covered(const NsPlotLayout *layout, unsigned from, unsigned to, double start,
                       double width)
{
    double gap = NS_GAP * layout->style->text_size;
    for (unsigned i = from; i < to; i++) {
        const NsBox *box = &g_array_index(layout->labels, NsLabel, i).box;
        if (start < box->x + box->width + gap && box->x < start + width + gap) return true;
    }
    return false;
}

char *ns_point_number(const NsPlot *plot, const NsSpan *span)
{
    return plot->x.integer ? ns_text_fixed(span->from, 0) : ns_text_number(span->from, DIGITS);
}

/* The numbers of points of the axis, in the line of the ticks' labels, which ends at this height.
 */
static void place_points(NsFrame *frame, double foot)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    unsigned first = layout->labels->len;
    for (size_t i = 0; i < plot->n_spans; i++) {
        double px = ns_layout_point(layout, &plot->spans[i]);
        if (isnan(px)) continue;
        g_autofree char *number = ns_point_number(plot, &plot->spans[i]);
        g_autoptr(PangoLayout) text =
            ns_text_new(layout->context, layout->style, frame->size, true, number);
        double width = ns_text_width(text), start = label_start(layout, px, width);
        if (is_covered(layout, first, layout->labels->len, start, width)) continue;
        ns_layout_add_label(layout, NS_PART_X_TICK, g_object_ref(text), start,
                            foot - ns_text_baseline(text), false);
        g_array_index(layout->labels, NsLabel, layout->labels->len - 1).color = layout->style->text;
    }
}

static void place_x_ticks(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    double size = frame->size, widest;
    double least = layout->turned ? NS_TICK_APART : 2.4;
    unsigned limit = layout->turned ? (unsigned)layout->plot->x.n_names : 11;
    unsigned most = (unsigned)CLAMP(layout->area.width / (least * size), 2, MAX(limit, 2));
    for (;; most--) {
        g_clear_pointer(&layout->x_ticks, g_array_unref);
        layout->x_ticks = ns_scale_ticks(&layout->x, most);
        GPtrArray *texts = ns_tick_texts(layout, layout->x_ticks, &widest);
        bool fits = labels_fit(layout, layout->x_ticks, texts);
        if (!fits && most > 2) {
            ns_tick_texts_free(texts);
            continue;
        }
        double foot = layout->area.y + layout->area.height + layout->tick_length +
                      layout->tick_gap + frame->digit;
        unsigned from = layout->labels->len;
        if (frame->show[NS_PART_X_TICK]) place_points(frame, foot);
        unsigned to = layout->labels->len;
        for (unsigned i = 0; i < texts->len && fits && frame->show[NS_PART_X_TICK]; i++) {
            PangoLayout *text = texts->pdata[i];
            NsTick *tick = &g_array_index(layout->x_ticks, NsTick, i);
            if (!text) continue;
            double width = across(layout, text);
            double start = label_start(layout, ns_scale_to_pixel(&layout->x, tick->value), width);
            double y = layout->turned ? foot - frame->digit : foot - ns_text_baseline(text);
            tick->covered = is_covered(layout, from, to, start, width);
            if (!tick->covered)
                ns_layout_add_label(layout, NS_PART_X_TICK, g_object_ref(text), start, y,
                                    layout->turned);
        }
        ns_tick_texts_free(texts);
        return;
    }
}

/* Labels of a vertical scale: right-aligned at x, or left-aligned where `right`. */
static void place_y_ticks(NsFrame *frame, const NsScale *scale, const GArray *ticks, double x,
                          bool right)
{
    NsPlotLayout *layout = frame->layout;
    double widest, before = INFINITY;
    GPtrArray *texts = ns_tick_texts(layout, ticks, &widest);
    for (unsigned i = 0; i < texts->len; i++) {
        PangoLayout *text = texts->pdata[i];
        double py = ns_scale_to_pixel(scale, g_array_index(ticks, NsTick, i).value);
        if (!text || fabs(py - before) < NS_TICK_APART * frame->size) continue;
        before = py;
        ns_layout_add_label(layout, right ? NS_PART_RIGHT_TICK : NS_PART_LEFT_TICK,
                            g_object_ref(text), right ? x : x - ns_text_width(text),
                            py + frame->digit / 2 - ns_text_baseline(text), false);
    }
    ns_tick_texts_free(texts);
}

/* How far down a column of the page is free of the words under the area. */
static double free_below(const NsPlotLayout *layout, double left, double right)
{
    double y = layout->height - layout->style->padding, gap = NS_GAP * layout->style->text_size;
    double below = layout->area.y + layout->area.height;
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsBox *box = &g_array_index(layout->labels, NsLabel, i).box;
        if (box->y >= below && box->x < right + gap && box->x + box->width > left - gap)
            y = MIN(y, box->y - gap);
    }
    return y;
}

/* What stands beside a panel: its name and what its axis counts, or less of it. */
enum { NAME_AND_AXIS, LETTER_AND_AXIS, NAME, LETTER, PANEL_WORDS };

static PangoLayout *panel_words(NsFrame *frame, const NsPanel *panel, int how)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    bool letter = plot->lettered && (how == LETTER_AND_AXIS || how == LETTER);
    bool axis = how == NAME_AND_AXIS || how == LETTER_AND_AXIS;
    g_autofree char *name = letter ? ns_text_letter(panel->name) : g_strdup(panel->name);
    g_autofree char *words =
        g_strconcat(name, axis ? " · " : "", axis ? plot->left.label : "", NULL);
    return ns_text_new(layout->context, layout->style, frame->size, false, words);
}

/* Where a panel is on the page. */
static void panel_room(const NsPlotLayout *layout, const NsPanel *panel, double *top,
                       double *height)
{
    *top = ns_scale_to_pixel(&layout->y[NS_AXIS_LEFT], panel->hi);
    *height = ns_scale_to_pixel(&layout->y[NS_AXIS_LEFT], panel->lo) - *top;
}

/* As much as all of them have room for. */
static int fit_panels(NsFrame *frame)
{
    const NsHeatmap *map = frame->layout->plot->heatmap;
    for (int how = 0; how < PANEL_WORDS - 1; how++) {
        bool fits = true;
        for (size_t i = 0; i < map->n_panels && fits; i++) {
            NsPanel panel = ns_panel(map, i);
            double top, height;
            panel_room(frame->layout, &panel, &top, &height);
            g_autoptr(PangoLayout) text = panel_words(frame, &panel, how);
            fits = ns_text_width(text) <= height;
        }
        if (fits) return how;
    }
    return PANEL_WORDS - 1;
}

/* Beside each panel, in the colour of its run. */
static void place_panel_names(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsHeatmap *map = layout->plot->heatmap;
    const NsStyle *style = layout->style;
    int how = fit_panels(frame);
    for (size_t i = 0; i < map->n_panels; i++) {
        NsPanel panel = ns_panel(map, i);
        double top, height;
        panel_room(layout, &panel, &top, &height);
        g_autoptr(PangoLayout) text = panel_words(frame, &panel, how);
        if (ns_text_width(text) > height) ns_text_limit(text, height, 1);
        ns_layout_add_label(layout, NS_PART_LEFT_LABEL, g_object_ref(text),
                            style->padding + frame->spare, top + (height - ns_text_width(text)) / 2,
                            true);
        if (panel.style)
            g_array_index(layout->labels, NsLabel, layout->labels->len - 1).color =
                style->series[(panel.style - 1) % NS_SERIES_STYLES].color;
    }
}

/* The title of an axis, without its unit where that has no room. */
static PangoLayout *fit_label(NsFrame *frame, NsPart part, double room)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    const NsAxis *axis = part == NS_PART_X_LABEL      ? &plot->x
                         : part == NS_PART_LEFT_LABEL ? &plot->left
                                                      : &plot->right;
    bool bar = part == NS_PART_RIGHT_LABEL && plot->heatmap;
    PangoLayout **text = &frame->text[part];
    if (ns_text_width(*text) <= room) return *text;
    if (axis->unit && !bar) {
        g_object_unref(*text);
        *text = ns_text_new(layout->context, layout->style, frame->size, false, axis->label);
    }
    if (ns_text_width(*text) > room) ns_text_limit(*text, room, 1);
    return *text;
}

static void place_axis_labels(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsBox *area = &layout->area;
    double pad = layout->style->padding, y = layout->height - pad;
    if (frame->show[NS_PART_NOTE]) {
        PangoLayout *text = frame->text[NS_PART_NOTE];
        y -= ns_text_height(text);
        ns_layout_add_label(layout, NS_PART_NOTE, g_object_ref(text), pad, y, false);
        y -= NS_GAP * frame->size;
    }
    if (frame->show[NS_PART_X_LABEL]) {
        /* A square area may leave room under it: the label stays with its axis. */
        double ticks = frame->show[NS_PART_X_TICK]
                           ? (NS_TICK + NS_TICK_GAP + NS_GAP) * frame->size + frame->x_words
                           : 0.5 * frame->digit;
        y = MIN(y, area->y + area->height + ticks + ns_text_height(frame->text[NS_PART_X_LABEL]));
        PangoLayout *text = fit_label(frame, NS_PART_X_LABEL, layout->width - 2 * pad);
        double width = ns_text_width(text), x = area->x + (area->width - width) / 2;
        x = MAX(pad, MIN(x, layout->width - pad - width));
        ns_layout_add_label(layout, NS_PART_X_LABEL, g_object_ref(text), x,
                            y - ns_text_height(text), false);
    }
    static const NsPart sides[] = {NS_PART_LEFT_LABEL, NS_PART_RIGHT_LABEL};
    bool panels = layout->plot->heatmap && layout->plot->heatmap->n_panels;
    if (panels && frame->show[NS_PART_LEFT_LABEL]) place_panel_names(frame);
    for (size_t i = 0; i < G_N_ELEMENTS(sides); i++) {
        if (!frame->show[sides[i]] || (panels && i == 0)) continue;
        PangoLayout *text = frame->text[sides[i]];
        /* Longer than the axis, it may reach beside the words of markers and below the area. */
        double x =
            i ? layout->width - pad - frame->spare - ns_text_height(text) : pad + frame->spare;
        double highest = area->y - NS_GAP / 2 * frame->size;
        if (frame->show[NS_PART_MARKER]) highest -= frame->marker_line;
        double lowest = free_below(layout, x, x + ns_text_height(text));
        text = fit_label(frame, sides[i], lowest - highest);
        double width = ns_text_width(text), top = area->y + (area->height - width) / 2;
        top = MIN(MAX(top, highest), lowest - width);
        ns_layout_add_label(layout, sides[i], g_object_ref(text), x, top, true);
    }
}

/* Words of markers stand in a line above the area; alarms come first where they collide. */
static void place_markers(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    double y = layout->area.y - frame->marker_line, right = layout->area.x + layout->area.width;
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
            if (ns_text_width(text) > room) ns_text_limit(text, room, 1);
            double width = ns_text_width(text);
            double x = CLAMP(px - width / 2, layout->area.x, right - width);
            bool free_room = true;
            for (unsigned k = first; k < layout->labels->len; k++) {
                const NsBox *box = &g_array_index(layout->labels, NsLabel, k).box;
                free_room &=
                    x + width + frame->size < box->x || x > box->x + box->width + frame->size;
            }
            if (!free_room) continue;
            ns_layout_add_label(layout, NS_PART_MARKER, g_object_ref(text), x, y, false);
            g_array_index(layout->labels, NsLabel, layout->labels->len - 1).color =
                ns_marker_color(layout->style, marker, layout->style->text);
        }
}

void ns_frame_place(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    double out = layout->tick_length + layout->tick_gap;
    const NsBox *area = &layout->area, *bar = &layout->bar;
    ns_frame_stack(frame, true);
    if (frame->show[NS_PART_MARKER]) place_markers(frame);
    place_x_ticks(frame);
    if (frame->show[NS_PART_LEFT_TICK])
        place_y_ticks(frame, &layout->y[NS_AXIS_LEFT], layout->y_ticks[NS_AXIS_LEFT], area->x - out,
                      false);
    if (frame->show[NS_PART_RIGHT_TICK] && ns_frame_has_right_axis(frame))
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
        double y = area->y + (area->height - ns_text_height(text)) / 2;
        ns_layout_add_label(layout, NS_PART_EMPTY, g_object_ref(text), x, y, false);
    }
}
