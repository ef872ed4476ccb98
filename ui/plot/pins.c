/* Pinned readings and the selection rectangle, drawn over a plot.  SPDX-License-Identifier: MIT */
#include "ui/plot/pins.h"

#include "ui/plot/painter.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#include <math.h>

/* In text sizes. */
#define BADGE 0.72 /* radius */
#define PAD 0.5    /* around the text of a pin */
#define GAP 0.55   /* between the line of a pin and its text */
#define REACH 0.45 /* distance at which the pointer selects a line */

#define WIDEST 0.85 /* maximum width of the text relative to the plot area */

static double badge_radius(const NsPlotLayout *layout)
{
    return BADGE * layout->style->text_size;
}

/* Badges are at the upper edge of the plot area. */
static double badge_y(const NsPlotLayout *layout)
{
    return layout->area.y + badge_radius(layout) + 1;
}

bool ns_plot_read_pin(const NsPlotLayout *layout, const NsPin *pin, NsReading *reading)
{
    const NsBox *area = &layout->area;
    NsRange extent = ns_plot_extent(layout->plot);
    double px = ns_plot_x_to_pixel(layout, pin->x);
    double py =
        isnan(pin->row) ? area->y + area->height / 2 : ns_plot_row_to_pixel(layout, pin->row);
    return pin->x >= extent.lo && pin->x <= extent.hi && ns_plot_pick(layout, px, py, reading);
}

unsigned ns_plot_pin_at(const NsPlotLayout *layout, const NsPin *pins, size_t n, double px,
                        double py)
{
    const NsBox *area = &layout->area;
    double reach = REACH * layout->style->text_size, radius = badge_radius(layout);
    if (py < area->y || py > area->y + area->height) return 0;
    for (size_t i = n; i-- > 0;) {
        double x = ns_plot_x_to_pixel(layout, pins[i].x);
        double y = ns_plot_row_to_pixel(layout, pins[i].row);
        bool badge = hypot(px - x, py - badge_y(layout)) <= radius;
        /* A pin in a heatmap is a single cell, because the cells above can be pinned too. */
        bool line = isnan(y) ? fabs(px - x) <= reach : hypot(px - x, py - y) <= reach;
        if (badge || line) return pins[i].number;
    }
    return 0;
}

/* Finds a free place for the text of a line: to its right or left, or else across it, as high as
 * possible. */
static bool find_place(const NsPlotLayout *layout, const GArray *taken, double px, NsBox *box)
{
    const NsBox *area = &layout->area;
    double gap = GAP * layout->style->text_size, radius = badge_radius(layout);
    double top = area->y + 2 * radius + gap, bottom = area->y + area->height - box->height - gap;
    double last = area->x + area->width - box->width;
    const double starts[] = {px + gap, px - gap - box->width,
                             CLAMP(px, area->x, MAX(last, area->x))};
    for (box->y = top; box->y <= bottom; box->y += box->height / 2)
        for (size_t k = 0; k < G_N_ELEMENTS(starts); k++) {
            box->x = starts[k];
            bool fits = box->x >= area->x && box->x <= last;
            for (guint i = 0; fits && i < taken->len; i++)
                fits = !ns_boxes_overlap(box, &g_array_index(taken, NsBox, i));
            if (fits) return true;
        }
    return false;
}

static void draw_words(const NsPlotLayout *layout, const NsReading *reading, GArray *taken,
                       cairo_t *cr)
{
    const NsStyle *style = layout->style;
    double size = style->text_size * 0.92, pad = PAD * size;
    g_autoptr(PangoLayout) text = ns_text_new(layout->context, style, size, false, reading->text);
    double most = WIDEST * layout->area.width;
    if (ns_text_width(text) > most) ns_text_limit(text, most, 1);
    NsBox box = {.width = ns_text_width(text) + 2 * pad, .height = ns_text_height(text) + pad};
    if (!find_place(layout, taken, reading->px, &box)) return;
    g_array_append_val(taken, box);
    cairo_rectangle(cr, box.x, box.y, box.width, box.height);
    ns_fill_and_stroke(cr, ns_with_alpha(style->background, 0.88), ns_with_alpha(style->axis, 0.6),
                       style->axis_width);
    ns_set_color(cr, style->text);
    cairo_move_to(cr, box.x + pad, box.y + pad / 2);
    pango_cairo_show_layout(cr, text);
    cairo_new_path(cr);
}

void ns_plot_draw_pins(const NsPlotLayout *layout, const NsPin *pins, size_t n, cairo_t *cr)
{
    g_autoptr(GArray) taken = g_array_new(FALSE, FALSE, sizeof(NsBox));
    const NsStyle *style = layout->style;
    const NsBox *area = &layout->area;
    const double dash[] = {3 * style->axis_width, 3 * style->axis_width};
    double radius = badge_radius(layout), y = badge_y(layout);
    cairo_save(cr);
    cairo_new_path(cr);
    for (size_t i = 0; i < n; i++) {
        NsReading reading;
        if (!ns_plot_read_pin(layout, &pins[i], &reading)) continue;
        bool cell = !isnan(reading.row);
        double x = style->raster ? floor(reading.px) + 0.5 : reading.px;
        cairo_set_line_width(cr, style->axis_width);
        cairo_set_dash(cr, dash, 2, 0);
        /* In a heatmap, a white line down to the cell. */
        ns_set_color(cr, cell ? (NsColor){1, 1, 1, 0.85} : ns_with_alpha(style->text, 0.6));
        cairo_move_to(cr, x, area->y + 2 * radius + 1);
        cairo_line_to(cr, x, cell ? reading.py : area->y + area->height);
        cairo_stroke(cr);
        cairo_set_dash(cr, NULL, 0, 0);
        if (cell) cairo_arc(cr, x, reading.py, style->mark_size * 0.8, 0, 2 * G_PI);
        cairo_stroke(cr);
        draw_words(layout, &reading, taken, cr);
        char digits[4] = "";
        g_snprintf(digits, sizeof digits, "%u", MIN(pins[i].number, 99));
        g_autoptr(PangoLayout) text =
            ns_text_new(layout->context, style, style->text_size * 0.9, true, digits);
        cairo_arc(cr, reading.px, y, radius, 0, 2 * G_PI);
        ns_fill(cr, style->text);
        ns_set_color(cr, style->background);
        cairo_move_to(cr, reading.px - ns_text_width(text) / 2, y - ns_text_height(text) / 2);
        pango_cairo_show_layout(cr, text);
        cairo_new_path(cr);
        ns_reading_clear(&reading);
    }
    cairo_restore(cr);
}

void ns_plot_draw_band(const NsPlotLayout *layout, NsBox band, cairo_t *cr)
{
    const NsStyle *style = layout->style;
    const NsBox *area = &layout->area;
    double left = MAX(band.x, area->x), right = MIN(band.x + band.width, area->x + area->width);
    double top = MAX(band.y, area->y), bottom = MIN(band.y + band.height, area->y + area->height);
    if (right <= left || bottom <= top) return;
    cairo_save(cr);
    cairo_rectangle(cr, floor(left) + 0.5, floor(top) + 0.5, ceil(right - left) - 1,
                    ceil(bottom - top) - 1);
    ns_fill_and_stroke(cr, ns_with_alpha(style->text, 0.12), ns_with_alpha(style->text, 0.7),
                       style->axis_width);
    cairo_restore(cr);
}
