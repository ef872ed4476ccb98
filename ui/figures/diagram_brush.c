/* Basic drawing functions of diagrams, and their legend.  SPDX-License-Identifier: MIT */
#include "ui/figures/diagram_brush.h"

#include "core/base/words.h"
#include "ui/plot/colormap.h"
#include "ui/plot/text.h"

#include <math.h>

#define SHRINK 0.72 /* text is scaled down to this before it is truncated */

/* Limits of the color map on a dark and on a light background. */
#define DARKEST 0.3
#define BRIGHTEST 0.92

NsColor ns_brush_mix(NsColor a, NsColor b, double share)
{
    return (NsColor){a.r + share * (b.r - a.r), a.g + share * (b.g - a.g),
                     a.b + share * (b.b - a.b), a.a + share * (b.a - a.a)};
}

void ns_brush_use(const NsBrush *p, NsColor color, double alpha)
{
    cairo_set_source_rgba(p->cr, color.r, color.g, color.b, color.a * alpha);
}

NsDiagramLook ns_diagram_look(const NsStyle *style, NsFlow flow, NsRange range)
{
    return (NsDiagramLook){.style = style,
                           .flow = flow,
                           .range = range,
                           .moved = 1,
                           .light = NAN,
                           .hovered = -1,
                           .focused = -1,
                           .carried_from = -1,
                           .aim = -1};
}

/* ---- numbers as color and width ---- */

/* The limits of the color scale, at least a decade, so that small differences are not
 * exaggerated. */
static NsRange ends_of(NsRange range)
{
    if (!(range.lo <= range.hi)) return (NsRange){-1, 1};
    double lo = log10(range.lo), hi = log10(range.hi);
    if (hi - lo < 1) {
        double middle = (lo + hi) / 2;
        lo = middle - 0.5;
        hi = middle + 0.5;
    }
    return (NsRange){lo, hi};
}

/* The end of the color map that resembles the background is left out. */
static NsColor color_of(const NsStyle *style, double share)
{
    NsColor ground = style->background;
    bool dark = ground.r + ground.g + ground.b < 1.5;
    return ns_map_color(NS_COLORS_VIRIDIS,
                        dark ? DARKEST + share * (1 - DARKEST) : share * BRIGHTEST);
}

NsBrushStroke ns_brush_stroke(const NsBrush *p, double value)
{
    if (isnan(value))
        return (NsBrushStroke){p->style->previous, NS_BRUSH_THIN * p->size, false, false};
    if (isinf(value)) return (NsBrushStroke){p->style->alarm, 0.3 * p->size, true, true};
    NsRange ends = ends_of(p->look->range);
    double share = value > 0 ? CLAMP((log10(value) - ends.lo) / (ends.hi - ends.lo), 0, 1) : 0;
    return (NsBrushStroke){color_of(p->style, share),
                           (NS_BRUSH_THINNEST + share * (NS_BRUSH_THICKEST - NS_BRUSH_THINNEST)) *
                               p->size,
                           true, !(value > 0)};
}

NsColor ns_brush_ground(const NsBrush *p)
{
    return ns_brush_mix(p->style->panel, p->style->grid, 0.55);
}

/* ---- words ---- */

void ns_brush_text(const NsBrush *p, const NsBrushText *text)
{
    double size = MAX(text->size, p->look->least), space = text->space;
    g_autoptr(PangoLayout) layout = ns_text_new(p->context, p->style, size, text->bold, text->text);
    if (space > 0 && ns_text_width(layout) > space) {
        double smaller = MAX(SHRINK, space / ns_text_width(layout)) * size;
        g_object_unref(layout);
        layout =
            ns_text_new(p->context, p->style, MAX(smaller, p->look->least), text->bold, text->text);
        if (ns_text_width(layout) > space) ns_text_limit(layout, space, 1);
    }
    double width, height;
    ns_text_size(layout, &width, &height);
    double x = text->x - width * (double)text->align / 2, y = text->y - height / 2;
    if (text->backed) {
        cairo_pattern_t *source = cairo_pattern_reference(cairo_get_source(p->cr));
        ns_brush_use(p, ns_brush_ground(p), 0.8);
        cairo_rectangle(p->cr, x - 0.1 * size, y, width + 0.2 * size, height);
        cairo_fill(p->cr);
        cairo_set_source(p->cr, source);
        cairo_pattern_destroy(source);
    }
    cairo_save(p->cr);
    cairo_translate(p->cr, x, y);
    ns_text_show(p->cr, layout, text->align);
    cairo_restore(p->cr);
}

/* ---- the legend ---- */

#define LEGEND 3.6 /* height in text sizes */
#define BAR_WIDTH 13.0
#define BAR_LEAST 5.0
#define STEPS 48

double ns_diagram_legend_height(const NsStyle *style)
{
    return LEGEND * style->text_size;
}

static double width_of(const NsBrush *p, const char *words, double size)
{
    g_autoptr(PangoLayout) text = ns_text_new(p->context, p->style, size, false, words);
    return ns_text_width(text);
}

void ns_diagram_draw_legend(const NsDiagramLook *look, double width, double height, cairo_t *cr)
{
    NsBrush pen = {NULL, look, look->style, cr, ns_text_context_new(), look->style->text_size};
    NsBrush *p = &pen;
    const char *what = look->flow == NS_FLOW_SIGNAL
                           ? _("signal norm (RMS over tokens)")
                           : _("gradient norm (over all tokens of the batch)");
    const char *unmeasured = look->flow == NS_FLOW_SIGNAL
                                 ? _("not measured; σ: divisor of the norm")
                                 : _("not measured");
    double size = p->size, small = MAX(0.9 * size, look->least), y = height / 2 - 0.35 * size;
    /* The color bar is shortened in favor of the text. */
    g_autoptr(PangoLayout) whole = ns_text_new(pen.context, p->style, small, false, what);
    NsRange ends = ends_of(look->range);
    g_autofree char *lo = ns_text_number(pow(10, ends.lo), 2);
    g_autofree char *hi = ns_text_number(pow(10, ends.hi), 2);
    double numbers = width_of(p, lo, small) + width_of(p, hi, small) + size;
    double most = MIN(MAX(BAR_WIDTH * size, numbers), 0.4 * width);
    double least = MIN(MAX(BAR_LEAST * size, numbers), most);
    double below = width_of(p, unmeasured, small) + 2.5 * size;
    double length = CLAMP(width - 1.2 * size - MAX(ns_text_width(whole), below), least, most);
    cairo_save(cr);
    /* A wedge of colors that is as thick as the wires. */
    for (int i = 0; i < STEPS; i++) {
        double t = (i + 0.5) / STEPS,
               half = (NS_BRUSH_THINNEST + t * (NS_BRUSH_THICKEST - NS_BRUSH_THINNEST)) * size / 2;
        cairo_rectangle(cr, length * i / STEPS, y - half, length / STEPS + 0.3, 2 * half);
        ns_brush_use(p, color_of(p->style, t), 1);
        cairo_fill(cr);
    }
    ns_brush_use(p, p->style->text, 1);
    bool known = look->range.lo <= look->range.hi;
    for (int end = 0; end < 2 && known; end++) {
        ns_brush_text(p, &(NsBrushText){.text = end ? hi : lo,
                                        .size = small,
                                        .align = end ? NS_ANCHOR_END : NS_ANCHOR_START,
                                        .x = end ? length : 0,
                                        .y = y + 1.15 * size});
    }
    ns_brush_use(p, p->style->faint_text, 1);
    double x = length + size;
    g_autofree char *brief = ns_text_abridge(
        &(NsTextRoom){pen.context, p->style, small, width - x, 1}, &(NsCaption){.text = what});
    ns_brush_text(
        p, &(NsBrushText){
               .text = brief ? brief : what, .size = small, .x = x, .y = y, .space = width - x});
    ns_brush_use(p, p->style->previous, 1);
    cairo_set_line_width(cr, NS_BRUSH_THIN * size);
    cairo_move_to(cr, x, y + 1.15 * size);
    cairo_line_to(cr, x + 2 * size, y + 1.15 * size);
    cairo_stroke(cr);
    ns_brush_use(p, p->style->faint_text, 1);
    ns_brush_text(p, &(NsBrushText){.text = unmeasured,
                                    .size = small,
                                    .x = x + 2.5 * size,
                                    .y = y + 1.15 * size,
                                    .space = width - x - 2.5 * size});
    cairo_restore(cr);
    g_object_unref(pen.context);
}
