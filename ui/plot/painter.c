/* Colors, strokes, areas and marks.  SPDX-License-Identifier: MIT */
#include "ui/plot/painter.h"

#include <math.h>

/* Corners of a circle: it is nowhere a hundredth of a pixel off, at the size of a mark. */
#define ROUND 32

#define MOST_DASHES 8

/* How much of the panel is in a curve that stands behind its smoothed one. */
#define MUTED 0.62

NsColor ns_with_alpha(NsColor color, double alpha)
{
    color.a *= alpha;
    return color;
}

const NsSeriesStyle *ns_series_style(const NsStyle *style, const NsSeries *series)
{
    if (series->theory) return &ns_theory_styles[series->dash % NS_THEORY_STYLES];
    return &style->series[(series->style + series->dash) % NS_SERIES_STYLES];
}

/* Opaque, so that a curve that crosses itself is as muted everywhere. */
static NsColor mix(NsColor a, NsColor b, double share)
{
    return (NsColor){a.r + share * (b.r - a.r), a.g + share * (b.g - a.g),
                     a.b + share * (b.b - a.b), a.a};
}

NsColor ns_series_color(const NsStyle *style, const NsSeries *series)
{
    if (series->previous && !series->tinted) return style->previous;
    NsColor color = style->series[series->style % NS_SERIES_STYLES].color;
    if (series->theory) return series->tinted ? color : style->faint_text;
    return series->muted || series->tinted ? mix(color, style->panel, MUTED) : color;
}

NsColor ns_run_color(const NsStyle *style, unsigned run, NsColor usual)
{
    return run ? style->series[(run - 1) % NS_SERIES_STYLES].color : usual;
}

NsColor ns_marker_color(const NsStyle *style, const NsMarker *marker, NsColor usual)
{
    return ns_run_color(style, marker->style, marker->alarm ? style->alarm : usual);
}

void ns_set_color(cairo_t *cr, NsColor color)
{
    cairo_set_source_rgba(cr, color.r, color.g, color.b, color.a);
}

void ns_set_dash(cairo_t *cr, const NsSeriesStyle *look, double line_width)
{
    double dash[G_N_ELEMENTS(look->dash)];
    for (int i = 0; i < look->n_dash; i++) dash[i] = look->dash[i] * line_width;
    cairo_set_dash(cr, dash, look->n_dash, 0);
}

void ns_rounded_box(cairo_t *cr, const NsBox *box, double radius)
{
    double r = MIN(radius, MIN(box->width, box->height) / 2);
    double x = box->x, y = box->y, w = box->width, h = box->height;
    cairo_new_sub_path(cr);
    cairo_arc(cr, x + w - r, y + r, r, -G_PI / 2, 0);
    cairo_arc(cr, x + w - r, y + h - r, r, 0, G_PI / 2);
    cairo_arc(cr, x + r, y + h - r, r, G_PI / 2, G_PI);
    cairo_arc(cr, x + r, y + r, r, G_PI, 1.5 * G_PI);
    cairo_close_path(cr);
}

NsPainter ns_painter_new(cairo_t *cr, NsColor color)
{
    return (NsPainter){cr, ns_raster_new(cr), color};
}

void ns_painter_clear(NsPainter *painter)
{
    g_clear_pointer(&painter->raster, ns_raster_free);
}

/* Whether x falls on a stroke of a dash that is counted along x. */
static bool dash_on(const NsPen *pen, double x)
{
    double period = 0;
    for (int i = 0; i < pen->n_dash; i++) period += pen->dash[i] * pen->width;
    if (period <= 0) return true;
    double at = fmod(fmod(x, period) + period, period);
    for (int i = 0; i < pen->n_dash; i++) {
        at -= pen->dash[i] * pen->width;
        if (at < 0) return i % 2 == 0;
    }
    return true;
}

/* Noise as the outline that its stroke would fill: one polygon instead of thousands of segments. */
static void fill_noise(const NsPainter *painter, const NsPoint *points, size_t n, const NsPen *pen,
                       double column)
{
    cairo_t *cr = painter->cr;
    g_autoptr(GArray) outline = g_array_new(FALSE, FALSE, sizeof(NsBandColumn));
    for (size_t i = 0; i < n;) {
        double index = floor(points[i].x / column);
        /* From the point before, so that neighboring columns join. */
        size_t k = i ? i - 1 : i;
        NsBandColumn part = {points[i].x, points[k].y, points[k].y};
        for (; i < n && floor(points[i].x / column) == index; i++) {
            part.top = MIN(part.top, points[i].y);
            part.bottom = MAX(part.bottom, points[i].y);
        }
        g_array_append_val(outline, part);
    }
    const NsBandColumn *parts = (const NsBandColumn *)(const void *)outline->data;
    double half = pen->width / 2;
    for (unsigned from = 0, to; from < outline->len; from = to) {
        bool on = dash_on(pen, parts[from].x);
        for (to = from; to < outline->len && dash_on(pen, parts[to].x) == on; to++)
            if (on) cairo_line_to(cr, parts[to].x, parts[to].top - half);
        for (unsigned i = to; i-- > from && on;)
            cairo_line_to(cr, parts[i].x, parts[i].bottom + half);
        cairo_close_path(cr);
        cairo_new_sub_path(cr);
    }
    cairo_fill(cr);
}

void ns_painter_stroke(NsPainter *painter, const NsPoint *points, size_t n, const NsPen *pen,
                       double column)
{
    if (painter->raster) {
        ns_raster_stroke(painter->raster, points, n, pen, painter->color);
        return;
    }
    ns_set_color(painter->cr, painter->color);
    if (pen->across) {
        fill_noise(painter, points, n, pen, column);
        return;
    }
    double dash[MOST_DASHES];
    int n_dash = MIN(pen->n_dash, MOST_DASHES);
    for (int i = 0; i < n_dash; i++) dash[i] = pen->dash[i] * pen->width;
    cairo_set_dash(painter->cr, dash, n_dash, 0);
    cairo_set_line_width(painter->cr, pen->width);
    for (size_t i = 0; i < n; i++) cairo_line_to(painter->cr, points[i].x, points[i].y);
    cairo_stroke(painter->cr);
    cairo_set_dash(painter->cr, NULL, 0, 0);
}

void ns_painter_fill(NsPainter *painter, const NsPoint *corners, size_t n)
{
    if (painter->raster) {
        ns_raster_fill(painter->raster, corners, n, painter->color);
        return;
    }
    ns_set_color(painter->cr, painter->color);
    for (size_t i = 0; i < n; i++) cairo_line_to(painter->cr, corners[i].x, corners[i].y);
    cairo_close_path(painter->cr);
    cairo_fill(painter->cr);
}

void ns_painter_band(NsPainter *painter, const NsBandColumn *band, size_t n)
{
    g_autoptr(GArray) corners = g_array_new(FALSE, FALSE, sizeof(NsPoint));
    for (size_t from = 0, to; from < n; from = to + 1) {
        g_array_set_size(corners, 0);
        for (to = from; to < n && !isnan(band[to].x); to++)
            g_array_append_vals(corners, &(NsPoint){band[to].x, band[to].top}, 1);
        for (size_t i = to; i-- > from;)
            g_array_append_vals(corners, &(NsPoint){band[i].x, band[i].bottom}, 1);
        ns_painter_fill(painter, (const NsPoint *)(const void *)corners->data, corners->len);
    }
}

/* Marks of equal area look equally large. */
static size_t mark_corners(NsPoint corners[ROUND], NsMark mark, double x, double y, double size)
{
    double r = size / 2;
    switch (mark) {
    case NS_MARK_CIRCLE:
        break;
    case NS_MARK_SQUARE:
        r *= 0.89;
        corners[0] = (NsPoint){x - r, y - r};
        corners[1] = (NsPoint){x + r, y - r};
        corners[2] = (NsPoint){x + r, y + r};
        corners[3] = (NsPoint){x - r, y + r};
        return 4;
    case NS_MARK_TRIANGLE:
        corners[0] = (NsPoint){x, y - 1.25 * r};
        corners[1] = (NsPoint){x + 1.17 * r, y + 0.8 * r};
        corners[2] = (NsPoint){x - 1.17 * r, y + 0.8 * r};
        return 3;
    case NS_MARK_DIAMOND:
        r *= 1.25;
        corners[0] = (NsPoint){x, y - r};
        corners[1] = (NsPoint){x + r, y};
        corners[2] = (NsPoint){x, y + r};
        corners[3] = (NsPoint){x - r, y};
        return 4;
    }
    for (int i = 0; i < ROUND; i++)
        corners[i] =
            (NsPoint){x + r * cos(2 * G_PI * i / ROUND), y + r * sin(2 * G_PI * i / ROUND)};
    return ROUND;
}

void ns_painter_mark(NsPainter *painter, NsMark mark, double x, double y, double size)
{
    if (!painter->raster && mark == NS_MARK_CIRCLE) {
        /* Vector files have true circles. */
        ns_set_color(painter->cr, painter->color);
        cairo_new_sub_path(painter->cr);
        cairo_arc(painter->cr, x, y, size / 2, 0, 2 * G_PI);
        cairo_fill(painter->cr);
        return;
    }
    NsPoint corners[ROUND];
    size_t n = mark_corners(corners, mark, x, y, size);
    ns_painter_fill(painter, corners, n);
}

void ns_painter_triangle(NsPainter *painter, const NsPoint corners[3], double width)
{
    if (!painter->raster) {
        ns_set_color(painter->cr, painter->color);
        cairo_set_line_width(painter->cr, width);
        for (int i = 0; i < 3; i++) cairo_line_to(painter->cr, corners[i].x, corners[i].y);
        cairo_close_path(painter->cr);
        cairo_stroke(painter->cr);
        return;
    }
    /* Each side as a quadrangle, cut slantwise where it meets the next. */
    NsPoint middle = {(corners[0].x + corners[1].x + corners[2].x) / 3,
                      (corners[0].y + corners[1].y + corners[2].y) / 3};
    for (int i = 0; i < 3; i++) {
        NsPoint a = corners[i], b = corners[(i + 1) % 3];
        double length = hypot(b.x - a.x, b.y - a.y);
        double depth = fabs((b.x - a.x) * (middle.y - a.y) - (b.y - a.y) * (middle.x - a.x));
        if (!(depth > 0)) continue;
        double share = width / 2 * length / depth;
        double out = 1 + share, in = MAX(1 - share, 0);
        NsPoint side[] = {
            {middle.x + out * (a.x - middle.x), middle.y + out * (a.y - middle.y)},
            {middle.x + out * (b.x - middle.x), middle.y + out * (b.y - middle.y)},
            {middle.x + in * (b.x - middle.x), middle.y + in * (b.y - middle.y)},
            {middle.x + in * (a.x - middle.x), middle.y + in * (a.y - middle.y)},
        };
        ns_raster_fill(painter->raster, side, G_N_ELEMENTS(side), painter->color);
    }
}

void ns_draw_mark(cairo_t *cr, NsMark mark, double x, double y, double size)
{
    NsPainter painter = {.cr = cr};
    cairo_pattern_get_rgba(cairo_get_source(cr), &painter.color.r, &painter.color.g,
                           &painter.color.b, &painter.color.a);
    ns_painter_mark(&painter, mark, x, y, size);
}
