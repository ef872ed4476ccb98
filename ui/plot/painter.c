/* Colors and marks.  SPDX-License-Identifier: MIT */
#include "ui/plot/painter.h"

#include "ui/plot/colormap.h"

#include <math.h>

/* The part of the color scale that is far from the background. */
#define SHADES 0.8

NsTarget ns_target_of(cairo_t *cr)
{
    cairo_surface_t *surface = cairo_get_group_target(cr);
    cairo_surface_type_t type = cairo_surface_get_type(surface);
    double sx, sy, dx = 1, dy = 0;
    cairo_surface_get_device_scale(surface, &sx, &sy);
    cairo_user_to_device_distance(cr, &dx, &dy);
    return (NsTarget){type, type == CAIRO_SURFACE_TYPE_PDF || type == CAIRO_SURFACE_TYPE_SVG,
                      MAX(hypot(dx, dy) * sx, 1e-3)};
}

NsColor ns_with_alpha(NsColor color, double alpha)
{
    color.a *= alpha;
    return color;
}

NsSeriesStyle ns_series_style(const NsStyle *style, const NsSeries *series)
{
    if (series->theory) return ns_theory_styles[series->dash % NS_THEORY_STYLES];
    NsSeriesStyle look = style->series[(series->style + series->dash) % NS_SERIES_STYLES];
    /* The first of the styles differ in mark; muted curves are set apart by their color. */
    bool marked = !series->dash && series->style <= NS_MARK_DIAMOND && !series->previous;
    if (series->muted || (marked && series->kind != NS_SERIES_BARS)) look.n_dash = 0;
    return look;
}

static bool is_present_curve(const NsSeries *series)
{
    return series->kind == NS_SERIES_LINE && series->n > 1 && !series->previous &&
           !series->theory && !series->muted && !(series->shade > 0);
}

bool ns_series_has_marks(const NsPlot *plot, const NsSeries *series)
{
    bool others = false;
    for (size_t k = 0; k < plot->n_series && !others; k++) {
        const NsSeries *one = &plot->series[k];
        others =
            is_present_curve(one) && (one->style != series->style || one->dash != series->dash);
    }
    return others && is_present_curve(series);
}

bool ns_series_has_sparse_marks(const NsPlot *plot, const NsSeries *series)
{
    bool along = false;
    for (size_t k = 0; k < plot->n_series; k++) {
        const NsSeries *one = &plot->series[k];
        along |= one->hollow && one->style == series->style && one->n > 2;
    }
    return !along && ns_series_has_marks(plot, series);
}

double ns_series_muted(const NsSeries *series)
{
    return series->previous && series->tinted && series->dash % 2 ? NS_LESS_MUTED : NS_MUTED;
}

NsColor ns_series_color(const NsStyle *style, const NsSeries *series)
{
    if (series->shade > 0) {
        /* Without the end of the scale that is close to the background. */
        bool dark = style->panel.r + style->panel.g + style->panel.b < 1.5;
        return ns_map_color(NS_COLORS_VIRIDIS, SHADES * series->shade + (dark ? 1 - SHADES : 0));
    }
    if (series->previous && !series->tinted) return style->previous;
    NsColor color = style->series[series->style % NS_SERIES_STYLES].color;
    if (series->theory) return series->tinted ? color : style->faint_text;
    /* Colors are mixed, because a transparent curve would be darker where it crosses itself. */
    bool pale = series->muted || series->tinted;
    return pale ? ns_color_mix(color, style->panel, ns_series_muted(series)) : color;
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

void ns_fill(cairo_t *cr, NsColor color)
{
    ns_set_color(cr, color);
    cairo_fill(cr);
}

void ns_stroke(cairo_t *cr, NsColor color, double width)
{
    ns_set_color(cr, color);
    cairo_set_line_width(cr, width);
    cairo_stroke(cr);
}

void ns_fill_and_stroke(cairo_t *cr, NsColor inside, NsColor edge, double width)
{
    ns_set_color(cr, inside);
    cairo_fill_preserve(cr);
    ns_stroke(cr, edge, width);
}

double ns_dash_phase(const NsSeriesStyle *look, double line_width, double length)
{
    double period = 0;
    for (int i = 0; i < look->n_dash; i++) period += look->dash[i] * line_width;
    if (!(period > 0 && length > 0)) return 0;
    double phase = fmod((look->dash[0] * line_width - length) / 2, period);
    return phase < 0 ? phase + period : phase;
}

void ns_set_dash(cairo_t *cr, const NsSeriesStyle *look, double line_width, double length)
{
    double dash[G_N_ELEMENTS(look->dash)];
    for (int i = 0; i < look->n_dash; i++) dash[i] = look->dash[i] * line_width;
    cairo_set_dash(cr, dash, look->n_dash, ns_dash_phase(look, line_width, length));
}

void ns_set_level_dash(cairo_t *cr, const NsStyle *style, size_t level)
{
    double unit = style->axis_width, on = level % 2 ? 1.5 : 4, off = level % 2 ? 2 : 2.5;
    cairo_set_dash(cr, (const double[]){on * unit, off * unit}, 2, 0);
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

/* Corners in half mark sizes, scaled so that all marks have about the same area. */
static const struct {
    int n;
    NsPoint at[4];
} corners[] = {
    [NS_MARK_SQUARE] = {4, {{-0.89, -0.89}, {0.89, -0.89}, {0.89, 0.89}, {-0.89, 0.89}}},
    [NS_MARK_TRIANGLE] = {3, {{0, -1.25}, {1.17, 0.8}, {-1.17, 0.8}}},
    [NS_MARK_DIAMOND] = {4, {{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}}},
};

void ns_draw_mark(cairo_t *cr, NsMark mark, double x, double y, double size)
{
    double r = size / 2;
    if (mark == NS_MARK_CIRCLE) {
        cairo_new_sub_path(cr);
        cairo_arc(cr, x, y, r, 0, 2 * G_PI);
    } else {
        for (int i = 0; i < corners[mark].n; i++)
            cairo_line_to(cr, x + r * corners[mark].at[i].x, y + r * corners[mark].at[i].y);
        cairo_close_path(cr);
    }
    cairo_fill(cr);
}
