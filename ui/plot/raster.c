/* Strokes and areas written straight into the pixels of an image.  SPDX-License-Identifier: MIT */
#include "ui/plot/raster.h"

#include "core/base/clones.h"

#include <math.h>

/* Places across a pixel at which ink is looked at. */
#define SAMPLES 4

/* Pixels across that are painted together: a cache line of the image. */
#define TILE 16

struct NsRaster {
    NsPixels on;
    float *upper, *lower; /* ink at every place of the clip; upper > lower where is none */
    long places;
    long first, end; /* places that may have ink */
};

bool ns_pixels_of(NsPixels *pixels, cairo_t *cr)
{
    cairo_surface_t *target = cairo_get_group_target(cr);
    if (cairo_surface_get_type(target) != CAIRO_SURFACE_TYPE_IMAGE) return false;
    cairo_format_t format = cairo_image_surface_get_format(target);
    if (format != CAIRO_FORMAT_ARGB32 && format != CAIRO_FORMAT_RGB24) return false;
    cairo_matrix_t matrix;
    cairo_get_matrix(cr, &matrix);
    double sx, sy, ox, oy;
    cairo_surface_get_device_scale(target, &sx, &sy);
    cairo_surface_get_device_offset(target, &ox, &oy);
    double scale = matrix.xx * sx;
    bool upright = matrix.xy == 0 && matrix.yx == 0 && scale > 0;
    if (!upright || fabs(matrix.yy * sy - scale) > 1e-9 * scale) return false;
    int width = cairo_image_surface_get_width(target);
    int height = cairo_image_surface_get_height(target);
    double x0, y0, x1, y1, tx = matrix.x0 * sx + ox, ty = matrix.y0 * sy + oy;
    cairo_clip_extents(cr, &x0, &y0, &x1, &y1);
    int left = (int)CLAMP(lround(x0 * scale + tx), 0, width);
    int top = (int)CLAMP(lround(y0 * scale + ty), 0, height);
    *pixels = (NsPixels){
        .target = target,
        .scale = scale,
        .tx = tx,
        .ty = ty,
        .left = left,
        .top = top,
        .right = (int)CLAMP(lround(x1 * scale + tx), left, width),
        .bottom = (int)CLAMP(lround(y1 * scale + ty), top, height),
    };
    return true;
}

NsRaster *ns_raster_new(cairo_t *cr)
{
    NsPixels on;
    if (!ns_pixels_of(&on, cr) || cairo_image_surface_get_width(on.target) < TILE) return NULL;
    NsRaster *raster = g_new0(NsRaster, 1);
    raster->on = on;
    raster->places = (long)(on.right - on.left) * SAMPLES;
    raster->upper = g_new(float, (size_t)raster->places);
    raster->lower = g_new(float, (size_t)raster->places);
    for (long i = 0; i < raster->places; i++) {
        raster->upper[i] = INFINITY;
        raster->lower[i] = -INFINITY;
    }
    raster->first = raster->places;
    return raster;
}

void ns_raster_free(NsRaster *raster)
{
    if (!raster) return;
    g_free(raster->upper);
    g_free(raster->lower);
    g_free(raster);
}

/* A point of the context in pixels of the clip. */
static NsPoint to_pixels(const NsRaster *raster, NsPoint p)
{
    return (NsPoint){p.x * raster->on.scale + raster->on.tx - raster->on.left,
                     p.y * raster->on.scale + raster->on.ty};
}

static long ceiling(double value)
{
    long whole = (long)value;
    return whole + ((double)whole < value);
}

/* Widens the ink at every place between two points of an outline so that it reaches their line. */
static void reach(NsRaster *raster, NsPoint a, NsPoint b)
{
    if (a.x > b.x) {
        NsPoint swap = a;
        a = b;
        b = swap;
    }
    /* A place looks at its middle. */
    double from = a.x * SAMPLES - 0.5;
    long first = MAX(ceiling(from), 0);
    long end = MIN(ceiling(b.x * SAMPLES - 0.5), raster->places);
    if (first >= end) return;
    raster->first = MIN(raster->first, first);
    raster->end = MAX(raster->end, end);
    double slope = (b.y - a.y) / ((b.x - a.x) * SAMPLES);
    float *upper = raster->upper, *lower = raster->lower;
    for (long i = first; i < end; i++) {
        float y = (float)(a.y + ((double)i - from) * slope);
        upper[i] = y < upper[i] ? y : upper[i];
        lower[i] = y > lower[i] ? y : lower[i];
    }
}

/* The ink of a tile, place by place. */
typedef struct {
    float upper[SAMPLES][TILE], lower[SAMPLES][TILE];
} Tile;

/* src over dst, src being a color with the coverage 0..255 of every pixel. */
static inline uint32_t blend(uint32_t dst, uint32_t color, uint32_t coverage)
{
    const uint32_t mask = 0x00ff00ff, half = 0x00800080;
    uint32_t rest = 255 - coverage;
    uint32_t rb = (dst & mask) * rest + (color & mask) * coverage + half;
    uint32_t ag = (dst >> 8 & mask) * rest + (color >> 8 & mask) * coverage + half;
    rb = (rb + (rb >> 8 & mask)) >> 8 & mask;
    ag = (ag + (ag >> 8 & mask)) & ~mask;
    return rb | ag;
}

/* Rows first..end - 1 of a tile: the mean over the places of what is covered of each pixel. */
NS_CLONES(static, paint_rows,
          (uint32_t *pixels, ptrdiff_t stride, int first, int end, const Tile *tile, uint32_t color,
           float alpha),
          (pixels, stride, first, end, tile, color, alpha))
{
    for (int y = first; y < end; y++) {
        float covered[TILE] = {0}, row = (float)y;
        for (int s = 0; s < SAMPLES; s++)
            for (int i = 0; i < TILE; i++) {
                float upper = tile->upper[s][i], lower = tile->lower[s][i];
                upper = upper > row ? upper : row;
                lower = lower < row + 1 ? lower : row + 1;
                float part = lower - upper;
                covered[i] += part > 0 ? part : 0;
            }
        uint32_t *out = pixels + y * stride;
        for (int i = 0; i < TILE; i++)
            out[i] = blend(out[i], color, (uint32_t)(int)(covered[i] * alpha + 0.5f));
    }
}

/* Takes the ink of the pixels from `column` on and reports the rows that have some, first..end - 1.
 */
static void take_tile(NsRaster *raster, int column, Tile *tile, float *first, float *end)
{
    *first = INFINITY;
    *end = -INFINITY;
    for (int i = 0; i < TILE; i++)
        for (int s = 0; s < SAMPLES; s++) {
            long place = (long)(column + i - raster->on.left) * SAMPLES + s;
            bool inside = place >= raster->first && place < raster->end;
            float upper = inside ? raster->upper[place] : INFINITY;
            float lower = inside ? raster->lower[place] : -INFINITY;
            tile->upper[s][i] = upper;
            tile->lower[s][i] = lower;
            *first = MIN(*first, upper);
            *end = MAX(*end, lower);
        }
}

static uint32_t opaque_pixel(NsColor c)
{
    return 0xff000000 | (uint32_t)lround(c.r * 255) << 16 | (uint32_t)lround(c.g * 255) << 8 |
           (uint32_t)lround(c.b * 255);
}

/* Paints what was reached, and forgets it. */
static void paint(NsRaster *raster, NsColor color)
{
    if (raster->first >= raster->end) return;
    cairo_surface_flush(raster->on.target);
    uint32_t *pixels = (uint32_t *)(void *)cairo_image_surface_get_data(raster->on.target);
    ptrdiff_t stride = cairo_image_surface_get_stride(raster->on.target) / 4;
    int width = cairo_image_surface_get_width(raster->on.target);
    uint32_t pixel = opaque_pixel(color);
    float alpha = (float)(color.a * 255 / SAMPLES);
    long forget = raster->first;
    int from = raster->on.left + (int)(raster->first / SAMPLES);
    int to = raster->on.left + (int)((raster->end - 1) / SAMPLES) + 1;
    for (int column = from; column < to; column += TILE) {
        Tile tile;
        float first, end;
        /* The last tile ends with the image; places before `from` are empty, so nothing is painted
         * twice: what was painted is forgotten. */
        int x = MIN(column, width - TILE);
        take_tile(raster, x, &tile, &first, &end);
        raster->first = (long)(column + TILE - raster->on.left) * SAMPLES;
        if (first > end) continue;
        float top = (float)raster->on.top, bottom = (float)raster->on.bottom;
        int above = (int)floorf(CLAMP(first, top, bottom));
        int below = (int)ceilf(CLAMP(end, top, bottom));
        paint_rows(pixels + x, stride, above, below, &tile, pixel, alpha);
    }
    for (long i = forget; i < raster->end; i++) {
        raster->upper[i] = INFINITY;
        raster->lower[i] = -INFINITY;
    }
    raster->first = raster->places;
    raster->end = 0;
    cairo_surface_mark_dirty(raster->on.target);
}

static NsPoint aside(NsPoint p, NsPoint by, double sign)
{
    return (NsPoint){p.x + sign * by.x, p.y + sign * by.y};
}

/* The last of the points before x, or the first. */
static size_t last_before(const NsPoint *points, size_t n, double x)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (points[middle].x < x)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo > 0 ? lo - 1 : 0;
}

/* Reaches the two sides of a stroke: along its pieces, across its joins and ends.  Pieces that stay
 * outside the clip are passed over. */
static void outline(NsRaster *raster, const NsPoint *points, size_t n, double width)
{
    double half = width * raster->on.scale / 2, right = raster->on.right - raster->on.left + half;
    size_t start =
        last_before(points, n, (raster->on.left - raster->on.tx - half) / raster->on.scale);
    NsPoint from = to_pixels(raster, points[start]), side = {0, 0};
    bool begun = false;
    for (size_t i = start + 1; i < n && from.x <= right; i++) {
        NsPoint to = to_pixels(raster, points[i]);
        double dx = to.x - from.x, dy = to.y - from.y, length = sqrt(dx * dx + dy * dy);
        if (!(length > 0)) continue;
        NsPoint next = {-dy * half / length, dx * half / length};
        if (begun) {
            double outer = side.x * next.y < side.y * next.x ? 1 : -1;
            reach(raster, aside(from, side, outer), aside(from, next, outer));
        } else {
            reach(raster, aside(from, next, 1), aside(from, next, -1));
        }
        reach(raster, aside(from, next, 1), aside(to, next, 1));
        reach(raster, aside(from, next, -1), aside(to, next, -1));
        side = next;
        from = to;
        begun = true;
    }
    if (begun) reach(raster, aside(from, side, 1), aside(from, side, -1));
}

static double period_of(const NsPen *pen)
{
    double period = 0;
    for (int i = 0; i < pen->n_dash; i++) period += pen->dash[i] * pen->width;
    return period;
}

/* Forgets ink from x to x of the context. */
static void erase(NsRaster *raster, double x0, double x1)
{
    double origin = raster->on.tx - raster->on.left;
    long first = ceiling((x0 * raster->on.scale + origin) * SAMPLES - 0.5);
    long end = ceiling((x1 * raster->on.scale + origin) * SAMPLES - 0.5);
    for (long i = MAX(first, raster->first); i < MIN(end, raster->end); i++) {
        raster->upper[i] = INFINITY;
        raster->lower[i] = -INFINITY;
    }
}

static void dash_across(NsRaster *raster, const NsPen *pen, double period)
{
    double left = (raster->on.left - raster->on.tx) / raster->on.scale;
    double right = (raster->on.right - raster->on.tx) / raster->on.scale;
    for (double k = floor(left / period); k * period < right; k++) {
        double x = k * period;
        for (int i = 0; i < pen->n_dash; i++) {
            double next = x + pen->dash[i] * pen->width;
            if (i % 2) erase(raster, x, next);
            x = next;
        }
    }
}

/* Strokes a curve dash by dash, each on its own: on a steep piece several stand above one place. */
static void dash_along(NsRaster *raster, const NsPoint *points, size_t n, const NsPen *pen,
                       NsColor color)
{
    double right = (raster->on.right - raster->on.tx) / raster->on.scale + pen->width;
    double left = (raster->on.left - raster->on.tx) / raster->on.scale - pen->width;
    g_autoptr(GArray) dash = g_array_new(FALSE, FALSE, sizeof(NsPoint));
    g_array_append_val(dash, points[0]);
    int at = 0;
    double rest = pen->dash[0] * pen->width;
    for (size_t i = 1; i < n && points[i - 1].x <= right; i++) {
        NsPoint from = points[i - 1], to = points[i];
        double length = hypot(to.x - from.x, to.y - from.y), done = 0;
        while (length - done > rest) {
            done += rest;
            double t = done / length;
            NsPoint cut = {from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
            bool on = at % 2 == 0;
            if (on && cut.x >= left) {
                g_array_append_val(dash, cut);
                outline(raster, (NsPoint *)(void *)dash->data, dash->len, pen->width);
                paint(raster, color);
            }
            g_array_set_size(dash, 0);
            if (!on) g_array_append_val(dash, cut);
            at = (at + 1) % pen->n_dash;
            rest = pen->dash[at] * pen->width;
        }
        rest -= length - done;
        if (at % 2 == 0) g_array_append_val(dash, to);
    }
    if (dash->len > 1) outline(raster, (NsPoint *)(void *)dash->data, dash->len, pen->width);
    paint(raster, color);
}

void ns_raster_stroke(NsRaster *raster, const NsPoint *points, size_t n, const NsPen *pen,
                      NsColor color)
{
    if (n < 2) return;
    if (points[0].x > points[n - 1].x) {
        /* On a reversed axis. */
        g_autofree NsPoint *ascending = g_new(NsPoint, n);
        for (size_t i = 0; i < n; i++) ascending[i] = points[n - 1 - i];
        ns_raster_stroke(raster, ascending, n, pen, color);
        return;
    }
    double period = period_of(pen);
    if (period > 0 && !pen->across) {
        dash_along(raster, points, n, pen, color);
        return;
    }
    outline(raster, points, n, pen->width);
    if (period > 0) dash_across(raster, pen, period);
    paint(raster, color);
}

void ns_raster_fill(NsRaster *raster, const NsPoint *corners, size_t n, NsColor color)
{
    for (size_t i = 0; i < n; i++)
        reach(raster, to_pixels(raster, corners[i]), to_pixels(raster, corners[(i + 1) % n]));
    paint(raster, color);
}
