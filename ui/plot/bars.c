/* Bars and histograms.  SPDX-License-Identifier: MIT */
#include "ui/plot/layout-private.h"

#include <math.h>

/* Of the room for a group: what its bars fill. */
#define FILL 0.8

/* Bars that touch may lie over others, which must show through. */
#define TOUCHING_ALPHA 0.35

/* How far beyond the plot area a bar reaches that does not end in it. */
#define BEYOND 10

/* In text sizes: between lines of hatching. */
#define HATCH 0.38

void ns_bar_ends(const NsPlotLayout *layout, size_t i, size_t j, double *from, double *to)
{
    const NsPlot *plot = layout->plot;
    const NsSeries *series = &plot->series[i];
    if (series->edges) {
        *from = series->edges[j];
        *to = series->edges[j + 1];
        return;
    }
    size_t before = 0;
    for (size_t k = 0; k < i; k++)
        before += plot->series[k].kind == NS_SERIES_BARS && !plot->series[k].hidden &&
                  !plot->series[k].edges;
    double room = layout->survey.bar_width * FILL;
    double width = room / (double)MAX(layout->survey.groups, 1);
    *from = series->x[j] - room / 2 + (double)before * width;
    *to = *from + width;
}

/* From zero, or from the foot of the axis where zero is not on it. */
static double foot(const NsPlotLayout *layout, NsAxisSide side)
{
    const NsScale *y = &layout->y[side];
    double zero = ns_scale_to_pixel(y, 0);
    double lower = layout->area.y + layout->area.height - layout->strip_bottom;
    double upper = layout->area.y + layout->strip_top;
    return isnan(zero) ? (y->p0 > y->p1 ? lower : upper) : CLAMP(zero, upper, lower);
}

/* Straight lines across the boxes; another direction and distance for every style. */
static void hatch(const NsPlotLayout *layout, const NsSeries *series, const NsBox *boxes, size_t n,
                  cairo_t *cr)
{
    static const double slopes[NS_SERIES_STYLES] = {1, -1, 0, 1, -1, 0, 1};
    unsigned style = series->style % NS_SERIES_STYLES;
    double size = layout->style->text_size, step = HATCH * size * (style < 3 ? 1 : 1.8);
    double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
    cairo_save(cr);
    for (size_t i = 0; i < n; i++) {
        cairo_rectangle(cr, boxes[i].x, boxes[i].y, boxes[i].width, boxes[i].height);
        left = MIN(left, boxes[i].x);
        right = MAX(right, boxes[i].x + boxes[i].width);
        top = MIN(top, boxes[i].y);
        bottom = MAX(bottom, boxes[i].y + boxes[i].height);
    }
    cairo_clip(cr);
    double slope = slopes[style], reach = fabs(slope) * (right - left);
    for (double y = top - reach; n && y <= bottom + reach; y += step) {
        cairo_move_to(cr, left, y);
        cairo_line_to(cr, right, y + slope * (right - left));
    }
    cairo_set_line_width(cr, layout->style->axis_width);
    cairo_stroke(cr);
    cairo_restore(cr);
}

void ns_fill_boxes(const NsPlotLayout *layout, const NsSeries *series, NsColor color,
                   const NsBox *boxes, size_t n, cairo_t *cr)
{
    bool faint = series->edges || series->kind == NS_SERIES_BAND || series->ghost;
    for (size_t i = 0; i < n; i++)
        cairo_rectangle(cr, boxes[i].x, boxes[i].y, boxes[i].width, boxes[i].height);
    if (layout->style->patterns && series->kind == NS_SERIES_BARS) {
        cairo_new_path(cr);
        hatch(layout, series, boxes, n, cr);
        for (size_t i = 0; i < n; i++)
            cairo_rectangle(cr, boxes[i].x, boxes[i].y, boxes[i].width, boxes[i].height);
        cairo_set_line_width(cr, layout->style->axis_width);
        cairo_stroke(cr);
        return;
    }
    ns_set_color(cr, faint ? ns_with_alpha(color, TOUCHING_ALPHA) : color);
    cairo_fill(cr);
    ns_set_color(cr, color);
}

/* The upper ends of bars that touch, as one line: it stays when another is filled over it. */
static void draw_outline(const NsPlotLayout *layout, const NsSeries *series, const NsBox *boxes,
                         size_t n, double base, cairo_t *cr)
{
    for (size_t i = 0; i < n; i++) {
        const NsBox *box = &boxes[i];
        double end = box->y < base - 1e-9 ? box->y : box->y + box->height;
        bool joined = i > 0 && fabs(boxes[i - 1].x + boxes[i - 1].width - box->x) < 1e-6;
        if (!joined) cairo_move_to(cr, box->x, base);
        cairo_line_to(cr, box->x, end);
        cairo_line_to(cr, box->x + box->width, end);
        bool last = i + 1 == n || fabs(boxes[i + 1].x - box->x - box->width) >= 1e-6;
        if (last) cairo_line_to(cr, box->x + box->width, base);
    }
    double width = 0.8 * layout->style->line_width;
    cairo_set_line_width(cr, width);
    ns_set_dash(cr, ns_series_style(layout->style, series), width);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
}

/* The boxes of a series; those narrower than a unit are joined by units, each as long as the
 * longest, so that a single high one is seen among thousands. */
static GArray *boxes_of(const NsPlotLayout *layout, size_t i, double base)
{
    const NsSeries *series = &layout->plot->series[i];
    const NsScale *y = &layout->y[series->side];
    GArray *boxes = g_array_new(FALSE, FALSE, sizeof(NsBox));
    const NsBox *area = &layout->area;
    double left = area->x - BEYOND, right = area->x + area->width + BEYOND;
    double top = area->y - BEYOND, bottom = area->y + area->height + BEYOND;
    for (size_t j = 0; j < series->n; j++) {
        double from, to, end = ns_scale_to_pixel(y, series->y[j]);
        ns_bar_ends(layout, i, j, &from, &to);
        double a = ns_scale_to_pixel(&layout->x, from), b = ns_scale_to_pixel(&layout->x, to);
        if (isnan(b + end)) continue;
        if (isnan(a)) a = left; /* zero is infinitely far away on a logarithmic axis */
        /* What lies beyond a fixed limit is left to the clip, but for a margin. */
        a = CLAMP(a, left, right);
        b = CLAMP(b, left, right);
        end = CLAMP(end, top, bottom);
        NsBox box = {MIN(a, b), MIN(base, end), fabs(b - a), fabs(end - base)};
        if (box.width <= 0) continue;
        if (box.width < 1 && !series->edges) {
            box.x = floor(box.x);
            box.width = 1;
            NsBox *last = boxes->len ? &g_array_index(boxes, NsBox, boxes->len - 1) : NULL;
            if (last && last->x == box.x && last->width == 1) {
                double upper = MIN(last->y, box.y);
                last->height = MAX(last->y + last->height, box.y + box.height) - upper;
                last->y = upper;
                continue;
            }
        }
        g_array_append_val(boxes, box);
    }
    return boxes;
}

void ns_draw_bars(const NsPlotLayout *layout, size_t i, cairo_t *cr)
{
    const NsSeries *series = &layout->plot->series[i];
    double base = foot(layout, series->side);
    g_autoptr(GArray) found = boxes_of(layout, i, base);
    const NsBox *boxes = (const NsBox *)(const void *)found->data;
    NsColor color = ns_series_color(layout->style, series);
    ns_set_color(cr, color);
    ns_fill_boxes(layout, series, color, boxes, found->len, cr);
    if (series->edges) draw_outline(layout, series, boxes, found->len, base, cr);
}
