/* Draws a layout: axes, grid, markers, labels.  SPDX-License-Identifier: MIT */
#include "ui/plot/heatmap.h"
#include "ui/plot/painter.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

/* The opacity of the band behind a highlighted interval. */
#define BAND 0.08

/* Draws a horizontal or vertical line, aligned to pixels on a raster surface. */
static void rule(cairo_t *cr, double width, NsPoint from, NsPoint to)
{
    NsTarget target = ns_target_of(cr);
    double pixels = MAX(1, round(width * target.density));
    bool vertical = from.x == to.x;
    double at = vertical ? from.x : from.y;
    if (!target.vector) {
        width = pixels / target.density;
        double half = fmod(pixels, 2) / 2;
        at = (floor(at * target.density + 0.5 - half) + half) / target.density;
    }
    cairo_set_line_width(cr, width);
    cairo_move_to(cr, vertical ? at : from.x, vertical ? from.y : at);
    cairo_line_to(cr, vertical ? at : to.x, vertical ? to.y : at);
    cairo_stroke(cr);
}

/* Draws a horizontal or vertical line across the plot area. */
static void rule_area(const NsPlotLayout *layout, cairo_t *cr, double width, bool vertical,
                      double at)
{
    const NsBox *area = &layout->area;
    double right = area->x + area->width, bottom = area->y + area->height;
    rule(cr, width, vertical ? (NsPoint){at, area->y} : (NsPoint){area->x, at},
         vertical ? (NsPoint){at, bottom} : (NsPoint){right, at});
}

/* Returns whether a coordinate is a number inside the plot area. */
static bool is_shown(const NsPlotLayout *layout, bool vertical, double at)
{
    const NsBox *area = &layout->area;
    return vertical ? at >= area->x && at <= area->x + area->width
                    : at >= area->y && at <= area->y + area->height;
}

static void draw_grid(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsScale *scales[] = {&layout->y, &layout->x};
    const GArray *ticks[] = {layout->y_ticks, layout->x_ticks};
    ns_set_color(cr, layout->style->grid);
    for (int vertical = 0; vertical < 2; vertical++)
        for (unsigned i = 0; i < ticks[vertical]->len; i++) {
            const NsTick *tick = &g_array_index(ticks[vertical], NsTick, i);
            if (tick->label)
                rule_area(layout, cr, layout->style->axis_width, vertical,
                          ns_scale_to_pixel(scales[vertical], tick->value));
        }
}

/* Draws the ticks of a vertical axis at x, or of the horizontal axis at y; `direction` is that of
 * their ends. */
static void draw_ticks(const NsPlotLayout *layout, cairo_t *cr, const NsScale *scale,
                       const GArray *ticks, bool vertical, double at, int direction)
{
    for (unsigned i = 0; i < ticks->len; i++) {
        const NsTick *tick = &g_array_index(ticks, NsTick, i);
        double along = ns_scale_to_pixel(scale, tick->value);
        double end = at + direction * NS_TICK * layout->style->text_size * (tick->label ? 1 : 0.55);
        rule(cr, layout->style->axis_width, vertical ? (NsPoint){at, along} : (NsPoint){along, at},
             vertical ? (NsPoint){end, along} : (NsPoint){along, end});
    }
}

static void draw_axes(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsBox *area = &layout->area;
    double left = area->x, bottom = area->y + area->height;
    double width = layout->style->axis_width;
    /* An empty chart without labels has nothing to read. */
    bool labeled = layout->plot->x.label || layout->plot->left.label;
    if (!labeled && layout->x_ticks->len == 0 && layout->y_ticks->len == 0) return;
    ns_set_color(cr, layout->style->axis);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_SQUARE);
    rule_area(layout, cr, width, false, bottom);
    rule_area(layout, cr, width, true, left);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    draw_ticks(layout, cr, &layout->x, layout->x_ticks, false, bottom, 1);
    draw_ticks(layout, cr, &layout->y, layout->y_ticks, true, left, -1);
}

/* The strips separate the marks of values that have no place on the axis from the curves. */
static void draw_strips(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsBox *area = &layout->area;
    double top = area->y + layout->strip_top, width = layout->style->axis_width;
    double bottom = area->y + area->height - layout->strip_bottom;
    cairo_rectangle(cr, area->x, area->y, area->width, layout->strip_top);
    cairo_rectangle(cr, area->x, bottom, area->width, layout->strip_bottom);
    ns_fill(cr, ns_with_alpha(layout->style->grid, 0.5));
    ns_set_color(cr, layout->style->axis);
    if (layout->strip_top > 0) rule_area(layout, cr, width, false, top);
    if (layout->strip_bottom > 0) rule_area(layout, cr, width, false, bottom);
}

/* A band behind curves. */
static void draw_bands(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsBox *area = &layout->area;
    for (size_t i = 0; i < layout->plot->n_spans; i++) {
        const NsSpan *span = &layout->plot->spans[i];
        double from = ns_scale_to_pixel(&layout->x, span->from);
        double to = ns_scale_to_pixel(&layout->x, span->to);
        if (span->rows || span->from == span->to || isnan(from + to)) continue;
        double left = CLAMP(MIN(from, to), area->x, area->x + area->width);
        double right = CLAMP(MAX(from, to), area->x, area->x + area->width);
        cairo_rectangle(cr, left, area->y, right - left, area->height);
    }
    ns_fill(cr, ns_with_alpha(layout->style->text, BAND));
}

/* Draws a line that is visible on any color of cells. */
static void draw_light(const NsPlotLayout *layout, cairo_t *cr, bool vertical, double at)
{
    const double inks[] = {0, 1}, widths[] = {3, 1}, alphas[] = {0.45, 1};
    for (int pass = 0; pass < 2; pass++) {
        cairo_set_source_rgba(cr, inks[pass], inks[pass], inks[pass], alphas[pass]);
        rule_area(layout, cr, widths[pass] * layout->style->axis_width, vertical, at);
    }
}

/* The frame around cells, which lies inside them, and its outline, in axis widths. */
#define FRAME 2.5
#define RIM 5

/* Lines around rows and columns of cells, or a frame around cells. */
static void draw_cell_spans(const NsPlotLayout *layout, cairo_t *cr)
{
    NsBox box;
    if (ns_layout_framed(layout, &box)) {
        const double inks[] = {0, 1}, widths[] = {RIM, FRAME}, alphas[] = {0.7, 1};
        double inset = RIM * layout->style->axis_width / 2;
        for (int pass = 0; pass < 2; pass++) {
            cairo_set_source_rgba(cr, inks[pass], inks[pass], inks[pass], alphas[pass]);
            cairo_set_line_width(cr, widths[pass] * layout->style->axis_width);
            cairo_rectangle(cr, box.x + inset, box.y + inset, MAX(box.width - 2 * inset, 1),
                            MAX(box.height - 2 * inset, 1));
            cairo_stroke(cr);
        }
        return;
    }
    for (size_t i = 0; i < layout->plot->n_spans; i++) {
        const NsSpan *span = &layout->plot->spans[i];
        const NsScale *scale = span->rows ? &layout->y : &layout->x;
        for (int side = 0; side < 2 && span->from < span->to; side++) {
            double at = ns_scale_to_pixel(scale, side ? span->to : span->from);
            if (is_shown(layout, !span->rows, at)) draw_light(layout, cr, !span->rows, at);
        }
    }
}

/* Draws highlighted points of the horizontal axis: behind curves, but over cells. */
static void draw_points(const NsPlotLayout *layout, cairo_t *cr)
{
    for (size_t i = 0; i < layout->plot->n_spans; i++) {
        double x = ns_layout_point(layout, &layout->plot->spans[i]);
        if (isnan(x)) continue;
        if (layout->plot->heatmap) {
            draw_light(layout, cr, true, x);
        } else {
            ns_set_color(cr, layout->style->text);
            rule_area(layout, cr, layout->style->axis_width, true, x);
        }
    }
}

/* In a heatmap the line of a lane is in its panel only. */
static void draw_markers(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsHeatmap *map = layout->plot->heatmap;
    const double dash[] = {3 * layout->style->axis_width, 2 * layout->style->axis_width};
    for (size_t i = 0; i < layout->plot->n_markers; i++) {
        const NsMarker *marker = &layout->plot->markers[i];
        double x = ns_scale_to_pixel(&layout->x, marker->x);
        if (!is_shown(layout, true, x) || (marker->handle && !marker->text)) continue;
        NsColor color = ns_marker_color(layout->style, marker, layout->style->axis);
        size_t panels = map && marker->lanes ? map->n_panels : 0;
        cairo_save(cr);
        for (size_t k = 0; k < panels; k++) {
            double top = ns_scale_to_pixel(&layout->y, ns_panel(map, k).hi);
            double height = ns_scale_to_pixel(&layout->y, ns_panel(map, k).lo) - top;
            if (marker->lanes >> k & 1)
                cairo_rectangle(cr, layout->area.x, top, layout->area.width, height);
        }
        if (panels) cairo_clip(cr);
        if (map) draw_light(layout, cr, true, x);
        ns_set_color(cr, ns_with_alpha(color, marker->alarm && !map ? NS_ALARM_ALPHA : 1));
        cairo_set_dash(cr, dash, marker->alarm ? 0 : 2, 0);
        rule_area(layout, cr, layout->style->axis_width * (marker->alarm ? 1.5 : 1), true, x);
        cairo_restore(cr);
    }
}

/* The grip of a level is at its right end. */
static NsPoint level_grip(const NsPlotLayout *layout, const NsLevel *level)
{
    const NsBox *area = &layout->area;
    return (NsPoint){area->x + area->width - 1.5 * NS_GRIP * layout->style->text_size,
                     ns_scale_to_pixel(&layout->y, level->y)};
}

/* A knob with two arrow heads: left and right, or up and down. */
static void draw_grip(const NsStyle *style, NsPoint at, bool upright, cairo_t *cr)
{
    double r = NS_GRIP * style->text_size / 2;
    ns_set_color(cr, style->panel);
    ns_draw_mark(cr, NS_MARK_CIRCLE, at.x, at.y, 2 * r + 3 * style->axis_width);
    ns_set_color(cr, style->text);
    ns_draw_mark(cr, NS_MARK_CIRCLE, at.x, at.y, 2 * r);
    for (int side = -1; side <= 1; side += 2) {
        double out = side * (r + NS_GRIP_ARROW * style->axis_width), in = out - side * 0.45 * r;
        cairo_new_sub_path(cr);
        for (int corner = 0; corner < 3; corner++) {
            static const double sides[] = {0, -0.5, 0.5};
            double along = corner ? in : out, across = sides[corner] * r;
            cairo_line_to(cr, at.x + (upright ? across : along), at.y + (upright ? along : across));
        }
        cairo_close_path(cr);
    }
    cairo_fill(cr);
}

static void draw_grips(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsPlot *plot = layout->plot;
    for (size_t i = 0; i < plot->n_markers; i++) {
        /* The grip of a marker is at the upper end of its line. */
        NsPoint at = {ns_scale_to_pixel(&layout->x, plot->markers[i].x),
                      layout->area.y + NS_GRIP * layout->style->text_size};
        if (plot->markers[i].handle && is_shown(layout, true, at.x))
            draw_grip(layout->style, at, false, cr);
    }
    for (size_t i = 0; i < plot->n_levels; i++) {
        NsPoint at = level_grip(layout, &plot->levels[i]);
        if (plot->levels[i].handle && is_shown(layout, false, at.y))
            draw_grip(layout->style, at, true, cr);
    }
}

int ns_plot_handle_at(const NsPlotLayout *layout, double x, double y)
{
    const NsPlot *plot = layout->plot;
    double best = MAX(0.7 * layout->style->text_size, 8), reach = MAX(layout->style->text_size, 10);
    int found = -1;
    if (y < layout->area.y || y > layout->area.y + layout->area.height) return -1;
    for (size_t i = 0; i < plot->n_markers; i++) {
        double distance = fabs(ns_scale_to_pixel(&layout->x, plot->markers[i].x) - x);
        if (!plot->markers[i].handle || !(distance <= best)) continue;
        best = distance;
        found = (int)i;
    }
    for (size_t i = 0; i < plot->n_levels && found < 0; i++) {
        NsPoint at = level_grip(layout, &plot->levels[i]);
        if (plot->levels[i].handle && hypot(at.x - x, at.y - y) <= reach)
            found = (int)(plot->n_markers + i);
    }
    return found;
}

static void draw_levels(const NsPlotLayout *layout, cairo_t *cr)
{
    ns_set_color(cr, layout->style->faint_text);
    for (size_t i = 0; i < layout->plot->n_levels; i++) {
        const NsLevel *level = &layout->plot->levels[i];
        double y = ns_scale_to_pixel(&layout->y, level->y);
        if (!is_shown(layout, false, y) || !ns_level_is_shown(layout, i)) continue;
        ns_set_level_dash(cr, layout->style, i);
        rule_area(layout, cr, layout->style->axis_width, false, y);
    }
    cairo_set_dash(cr, NULL, 0, 0);
}

static void draw_slopes(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsStyle *style = layout->style;
    const double dash[] = {0.9 * style->line_width, 1.8 * style->line_width};
    cairo_set_dash(cr, dash, 2, 0);
    for (size_t i = 0; i < layout->plot->n_slopes; i++) {
        const NsSlope *slope = &layout->plot->slopes[i];
        const NsScale *y = &layout->y;
        NsPoint a = {ns_scale_to_pixel(&layout->x, slope->x0), ns_scale_to_pixel(y, slope->y0)};
        NsPoint b = {ns_scale_to_pixel(&layout->x, slope->x1), ns_scale_to_pixel(y, slope->y1)};
        if (isnan(a.x + a.y + b.x + b.y)) continue;
        cairo_move_to(cr, a.x, a.y);
        cairo_line_to(cr, b.x, b.y);
        ns_stroke(cr, style->series[slope->style % NS_SERIES_STYLES].color,
                  0.9 * style->line_width);
    }
    cairo_set_dash(cr, NULL, 0, 0);
}

static void draw_legend(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsBox *box = &layout->legend_box;
    if (box->width > 0) {
        cairo_rectangle(cr, box->x, box->y, box->width, box->height);
        ns_fill(cr, ns_with_alpha(layout->style->panel, 0.85));
    }
    for (unsigned i = 0; i < layout->legend->len; i++) {
        const NsLegendSample *sample = &g_array_index(layout->legend, NsLegendSample, i);
        if (!sample->at_end) ns_draw_sample(layout, sample->series, &sample->box, cr);
    }
}

/* The point that stays fixed if other software sets the text of a part wider; the start by
 * default. */
static const NsAnchor anchors[NS_PARTS] = {
    [NS_PART_LEFT_TICK] = NS_ANCHOR_END,    [NS_PART_X_TICK] = NS_ANCHOR_MIDDLE,
    [NS_PART_X_LABEL] = NS_ANCHOR_MIDDLE,   [NS_PART_LEFT_LABEL] = NS_ANCHOR_MIDDLE,
    [NS_PART_BAR_LABEL] = NS_ANCHOR_MIDDLE, [NS_PART_MARKER] = NS_ANCHOR_MIDDLE,
    [NS_PART_EMPTY] = NS_ANCHOR_MIDDLE,
};

/* In text sizes: the width of the edge around the name of a line. */
#define EDGE 0.25

/* Draws the labels of the color bar, or all others. */
static void draw_labels(const NsPlotLayout *layout, cairo_t *cr, bool bar)
{
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (bar != (label->part == NS_PART_BAR_TICK || label->part == NS_PART_BAR_LABEL)) continue;
        if (label->led) {
            cairo_move_to(cr, label->leader[0].x, label->leader[0].y);
            cairo_line_to(cr, label->leader[1].x, label->leader[1].y);
            ns_stroke(cr, label->color, layout->style->axis_width);
        }
        cairo_save(cr);
        cairo_translate(cr, label->x, label->y);
        if (label->part == NS_PART_LINE_NAME) {
            /* An edge around its letters keeps it readable on grid lines. */
            cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
            cairo_move_to(cr, 0, 0);
            pango_cairo_layout_path(cr, label->text);
            ns_stroke(cr, ns_with_alpha(layout->style->panel, 0.8),
                      EDGE * layout->style->text_size);
        }
        ns_set_color(cr, label->color);
        if (label->rotated) {
            double width, height;
            ns_text_size(label->text, &width, &height);
            cairo_translate(cr, 0, width);
            cairo_rotate(cr, -G_PI / 2);
        }
        ns_text_show(cr, label->text, anchors[label->part]);
        cairo_restore(cr);
    }
}

void ns_legend_draw(const NsPlotLayout *layout, cairo_t *cr)
{
    draw_legend(layout, cr);
    draw_labels(layout, cr, false);
}

/* Hides data beyond the cut of a film's frame, and behind names at the ends of curves. */
static void draw_data(const NsPlotLayout *layout, cairo_t *cr,
                      void (*draw)(const NsPlotLayout *layout, cairo_t *cr))
{
    const NsBox *area = &layout->area;
    const NsPlot *plot = layout->plot;
    double right = area->x + area->width, at = right - layout->beyond;
    if (plot->cut) at = CLAMP(ns_plot_x_to_pixel(layout, plot->cut_at), area->x, at);
    cairo_save(cr);
    if (at < right) {
        cairo_rectangle(cr, 0, 0, at, layout->height);
        cairo_clip(cr);
    }
    draw(layout, cr);
    cairo_restore(cr);
}

void ns_plot_draw_key(const NsPlotLayout *layout, cairo_t *cr)
{
    /* The color bar of a heatmap and its ticks. */
    ns_heatmap_draw_bar(layout, cr);
    ns_set_color(cr, layout->style->axis);
    if (layout->bar.width > 0)
        draw_ticks(layout, cr, &layout->z, layout->z_ticks, true, layout->bar.x + layout->bar.width,
                   1);
    draw_labels(layout, cr, true);
}

void ns_plot_draw(const NsPlotLayout *layout, cairo_t *cr)
{
    const NsStyle *style = layout->style;
    const NsBox *area = &layout->area;
    cairo_save(cr);
    cairo_rectangle(cr, 0, 0, layout->width, layout->height);
    cairo_clip_preserve(cr);
    ns_fill(cr, style->background);
    if (memcmp(&style->panel, &style->background, sizeof style->panel) != 0) {
        cairo_rectangle(cr, area->x, area->y, area->width, area->height);
        ns_fill(cr, style->panel);
    }
    draw_bands(layout, cr);
    if (layout->plot->drawing) {
        const NsPlotDrawing *drawing = layout->plot->drawing;
        draw_labels(layout, cr, false);
        cairo_translate(cr, area->x, area->y);
        drawing->draw(drawing->data, cr, area->width, area->height, style);
        cairo_restore(cr);
        return;
    }
    draw_strips(layout, cr);
    if (layout->plot->heatmap)
        draw_data(layout, cr, ns_heatmap_draw);
    else if (!layout->plot->no_grid)
        draw_grid(layout, cr);

    cairo_save(cr);
    cairo_rectangle(cr, area->x, area->y, area->width, area->height);
    cairo_clip(cr);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_BEVEL);
    if (layout->plot->heatmap) draw_cell_spans(layout, cr);
    draw_points(layout, cr);
    draw_slopes(layout, cr);
    draw_markers(layout, cr);
    draw_data(layout, cr, ns_draw_series);
    draw_levels(layout, cr);
    /* Grips are only useful on a screen. */
    if (style->raster) draw_grips(layout, cr);
    ns_set_color(cr, ns_with_alpha(layout->style->panel, 0.8));
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        const NsBox *box = &label->box;
        if (label->part == NS_PART_END_NAME)
            cairo_rectangle(cr, box->x - 2, box->y - 1, box->width + 4, box->height + 2);
    }
    cairo_fill(cr);
    cairo_restore(cr);

    draw_axes(layout, cr);
    ns_legend_draw(layout, cr);
    if (!(layout->plot->key_reach > 0)) ns_plot_draw_key(layout, cr);
    cairo_restore(cr);
    if (!layout->lower) return;
    cairo_save(cr);
    cairo_translate(cr, 0, layout->lower_y);
    ns_plot_draw(layout->lower, cr);
    cairo_restore(cr);
}
