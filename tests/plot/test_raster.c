/* Strokes written into pixels, held against cairo's.  SPDX-License-Identifier: MIT */
#include "ui/plot/raster.h"

#include <math.h>
#include <string.h>

#define WIDTH 300
#define HEIGHT 160

static const NsColor blue = {0, 0.447, 0.698, 1};

typedef struct {
    const char *name;
    double (*y)(double x, GRand *random);
    double step; /* between points */
} Shape;

static double flat(double x, GRand *random)
{
    (void)x, (void)random;
    return 80.3;
}

static double slope(double x, GRand *random)
{
    (void)random;
    return 10 + 0.41 * x;
}

static double steep(double x, GRand *random)
{
    (void)random;
    return 150 - 140 / (1 + exp(-(x - 150.2) * 0.8));
}

static double wave(double x, GRand *random)
{
    (void)random;
    return 80 + 60 * sin(x / 9.3);
}

static double zigzag(double x, GRand *random)
{
    (void)random;
    return 80 + 50 * fabs(fmod(x, 40) - 20) / 20;
}

static double walk(double x, GRand *random)
{
    return 80 + 30 * sin(x / 40) + g_rand_double_range(random, -5, 5);
}

static double noise(double x, GRand *random)
{
    return 80 + 20 * sin(x / 40) + g_rand_double_range(random, -30, 30);
}

static const Shape shapes[] = {
    {"flat", flat, 10},     {"slope", slope, 25}, {"steep", steep, 0.7},     {"wave", wave, 1.5},
    {"zigzag", zigzag, 20}, {"walk", walk, 2},    {"dense walk", walk, 0.4}, {"noise", noise, 0.22},
};

static GArray *curve(const Shape *shape)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    GArray *points = g_array_new(FALSE, FALSE, sizeof(NsPoint));
    for (double x = 3.3; x < WIDTH - 3; x += shape->step) {
        NsPoint point = {x, shape->y(x, random)};
        g_array_append_val(points, point);
    }
    return points;
}

typedef struct {
    cairo_surface_t *image;
    cairo_t *cr;
} Page;

static Page page_new(double scale)
{
    Page page;
    page.image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)(WIDTH * scale),
                                            (int)(HEIGHT * scale));
    page.cr = cairo_create(page.image);
    cairo_scale(page.cr, scale, scale);
    cairo_set_source_rgb(page.cr, 1, 1, 1);
    cairo_paint(page.cr);
    return page;
}

static void page_free(Page *page)
{
    cairo_destroy(page->cr);
    cairo_surface_destroy(page->image);
}

static void stroke(Page *page, const GArray *points, const NsPen *pen, bool by_cairo)
{
    const NsPoint *p = (const NsPoint *)(const void *)points->data;
    if (!by_cairo) {
        g_autoptr(NsRaster) raster = ns_raster_new(page->cr);
        g_assert_nonnull(raster);
        ns_raster_stroke(raster, p, points->len, pen, blue);
        return;
    }
    cairo_set_source_rgb(page->cr, blue.r, blue.g, blue.b);
    cairo_set_line_join(page->cr, CAIRO_LINE_JOIN_BEVEL);
    cairo_set_line_width(page->cr, pen->width);
    double dash[8];
    for (int i = 0; i < pen->n_dash; i++) dash[i] = pen->dash[i] * pen->width;
    cairo_set_dash(page->cr, dash, pen->n_dash, 0);
    for (unsigned i = 0; i < points->len; i++) cairo_line_to(page->cr, p[i].x, p[i].y);
    cairo_stroke(page->cr);
}

static int red(const Page *page, int x, int y)
{
    return cairo_image_surface_get_data(
        page->image)[y * cairo_image_surface_get_stride(page->image) + 4 * x + 2];
}

/* Mean and greatest difference of the pixels that either has inked, 0..255 of red. */
static void distance(const Page *a, const Page *b, double *mean, int *most, double *bias)
{
    double sum = 0, ink_a = 0, ink_b = 0;
    int n = 0;
    *most = 0;
    for (int y = 0; y < cairo_image_surface_get_height(a->image); y++)
        for (int x = 0; x < cairo_image_surface_get_width(a->image); x++) {
            int p = red(a, x, y), q = red(b, x, y);
            ink_a += 255 - p;
            ink_b += 255 - q;
            if (p == 255 && q == 255) continue;
            n++;
            sum += abs(p - q);
            *most = MAX(*most, abs(p - q));
        }
    *mean = sum / MAX(n, 1);
    *bias = ink_a / ink_b - 1;
}

/* cairo itself samples a pixel at 15 heights only, so a flat line may differ by a fifteenth in any
 * one.  A solid curve has as much ink as cairo's and is nowhere far from it; dashes of a dense
 * curve may begin elsewhere, where a join is beveled another way. */
static void test_like_cairo(void)
{
    static const double dash[] = {6, 1.8, 1.6, 1.8};
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++)
        for (int scale = 1; scale <= 2; scale++)
            for (int dashed = 0; dashed < 2; dashed++) {
                g_autoptr(GArray) points = curve(&shapes[i]);
                NsPen pen = {.width = 1.75, .dash = dash, .n_dash = dashed ? 4 : 0};
                Page ours = page_new(scale), theirs = page_new(scale);
                stroke(&ours, points, &pen, false);
                stroke(&theirs, points, &pen, true);
                double mean, bias;
                int most;
                distance(&ours, &theirs, &mean, &most, &bias);
                g_test_message("%s, scale %d, %s: mean %.2f, most %d, ink %+.2f %%", shapes[i].name,
                               scale, dashed ? "dashed" : "solid", mean, most, 100 * bias);
                g_assert_cmpfloat(mean, <, 8);
                g_assert_cmpint(most, <, dashed ? 200 : 64);
                g_assert_cmpfloat(fabs(bias), <, 0.03);
                page_free(&ours);
                page_free(&theirs);
            }
}

/* Noise is traced and widened, which is coarser: by an eighth of a pixel to either side. */
static void test_noise_like_cairo(void)
{
    for (int scale = 1; scale <= 2; scale++) {
        g_autoptr(GArray) points = curve(&shapes[G_N_ELEMENTS(shapes) - 1]);
        NsPen plain = {.width = 1.75}, pen = {.width = 1.75, .across = true};
        Page ours = page_new(scale), theirs = page_new(scale);
        stroke(&ours, points, &pen, false);
        stroke(&theirs, points, &plain, true);
        double mean, bias;
        int most;
        distance(&ours, &theirs, &mean, &most, &bias);
        g_test_message("scale %d: mean %.2f, most %d, ink %+.2f %%", scale, mean, most, 100 * bias);
        g_assert_cmpfloat(mean, <, 8);
        g_assert_cmpfloat(fabs(bias), <, 0.03);
        page_free(&ours);
        page_free(&theirs);
    }
}

static uint32_t pixel(const Page *page, int x, int y)
{
    uint32_t value;
    memcpy(&value,
           cairo_image_surface_get_data(page->image) +
               y * cairo_image_surface_get_stride(page->image) + 4 * x,
           sizeof value);
    return value;
}

/* A picture drawn strip by strip is the picture drawn at once. */
static void test_clip(void)
{
    static const double dash[] = {6, 1.8};
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++)
        for (int kind = 0; kind < 3; kind++) {
            g_autoptr(GArray) points = curve(&shapes[i]);
            NsPen pen = {.width = 1.75, .dash = dash, .n_dash = kind ? 2 : 0, .across = kind == 2};
            Page whole = page_new(1), strips = page_new(1);
            stroke(&whole, points, &pen, false);
            for (int x = 0, next; x < WIDTH; x = next) {
                next = x + g_rand_int_range(random, 1, 40);
                cairo_save(strips.cr);
                cairo_rectangle(strips.cr, x, 0, next - x, HEIGHT);
                cairo_clip(strips.cr);
                stroke(&strips, points, &pen, false);
                cairo_restore(strips.cr);
            }
            for (int y = 0; y < HEIGHT; y++)
                for (int x = 0; x < WIDTH; x++)
                    g_assert_cmphex(pixel(&whole, x, y), ==, pixel(&strips, x, y));
            page_free(&whole);
            page_free(&strips);
        }
}

/* Nothing outside the clip is touched, and what no image takes is left to cairo. */
static void test_bounds(void)
{
    NsPoint far[] = {{-1e5, -1e5}, {40, 1e5}, {41, -1e5}, {1e5, 80}};
    NsPen pen = {.width = 3};
    Page page = page_new(2);
    cairo_rectangle(page.cr, 20, 30, 101, 50);
    cairo_clip(page.cr);
    g_autoptr(NsRaster) raster = ns_raster_new(page.cr);
    ns_raster_stroke(raster, far, G_N_ELEMENTS(far), &pen, blue);
    ns_raster_stroke(raster, far, 1, &pen, blue);
    ns_raster_stroke(raster, far, 0, &pen, blue);
    int inked = 0;
    for (int y = 0; y < 2 * HEIGHT; y++)
        for (int x = 0; x < 2 * WIDTH; x++) {
            bool white = pixel(&page, x, y) == 0xffffffff;
            inked += !white;
            if (x < 40 || x >= 242 || y < 60 || y >= 160) g_assert_true(white);
        }
    g_assert_cmpint(inked, >, 0);
    cairo_rotate(page.cr, 0.1);
    g_assert_null(ns_raster_new(page.cr));
    page_free(&page);

    cairo_surface_t *narrow = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 5, 5);
    cairo_t *cr = cairo_create(narrow);
    g_assert_null(ns_raster_new(cr));
    cairo_destroy(cr);
    cairo_surface_destroy(narrow);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/plot/raster/like-cairo", test_like_cairo);
    g_test_add_func("/plot/raster/noise-like-cairo", test_noise_like_cairo);
    g_test_add_func("/plot/raster/clip", test_clip);
    g_test_add_func("/plot/raster/bounds", test_bounds);
    return g_test_run();
}
