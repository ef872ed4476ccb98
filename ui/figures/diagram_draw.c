/* Draws a diagram with cairo, and its legend.  SPDX-License-Identifier: MIT */
#include "ui/figures/diagram-private.h"

#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/plot/colormap.h"
#include "ui/plot/painter.h"
#include "ui/plot/text.h"

#include <math.h>

typedef struct {
    const NsDiagram *d; /* NULL for the legend */
    const NsDiagramLook *look;
    const NsStyle *style;
    cairo_t *cr;
    PangoContext *context;
    double size; /* text size */
} Brush;

/* Lengths in text sizes. */
#define THIN 0.09     /* wires that are not measured */
#define THINNEST 0.16 /* measured wires */
#define THICKEST 0.62
#define ROUND 0.35 /* radius of corners */
#define CASING 0.05
#define CORNER 0.55
#define ARROW 0.55
#define GLOW 1.1
#define NUMBER_SIZE 0.9

/* In sizes of the number: the shortest vertical wire of a stack that has one, and of a layer, where
 * the number has a background. */
#define NUMBER_LEAST 0.75
#define NUMBER_BACKED_LEAST 1.2

/* How a wire with a given number is drawn. */
typedef struct {
    NsColor color;
    double width;
    bool measured, dashed;
} Stroke;

typedef struct {
    const char *text;
    NsColor color;
    double size;
    bool bold;
    NsAnchor align; /* which part of the text is at x: its start, middle or end */
    double x, y;    /* y: its vertical center */
    double space;   /* maximum width; 0: unlimited */
    bool backed;    /* it has a background */
} Text;

#define FILLED 0.72 /* most of the height of a box that its text has, which has descenders */
#define SHRINK 0.72 /* text is scaled down to this before it is truncated */

/* Limits of the color map on a dark and on a light background. */
#define DARKEST 0.3
#define BRIGHTEST 0.92

static NsColor mix(NsColor a, NsColor b, double share)
{
    return (NsColor){a.r + share * (b.r - a.r), a.g + share * (b.g - a.g),
                     a.b + share * (b.b - a.b), a.a + share * (b.a - a.a)};
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

static Stroke stroke_of(const Brush *p, double value)
{
    if (isnan(value)) return (Stroke){p->style->previous, THIN * p->size, false, false};
    if (isinf(value)) return (Stroke){p->style->alarm, 0.3 * p->size, true, true};
    NsRange ends = ends_of(p->look->range);
    double share = value > 0 ? CLAMP((log10(value) - ends.lo) / (ends.hi - ends.lo), 0, 1) : 0;
    return (Stroke){color_of(p->style, share), (THINNEST + share * (THICKEST - THINNEST)) * p->size,
                    true, !(value > 0)};
}

/* The background color of the frame of the layer. */
static NsColor ground_of(const Brush *p)
{
    return mix(p->style->panel, p->style->grid, 0.55);
}

/* ---- words ---- */

static void write_text(const Brush *p, const Text *text)
{
    double size = MAX(text->size, p->look->least), space = text->space;
    g_autoptr(PangoLayout) layout = ns_text_new(p->context, p->style, size, text->bold, text->text);
    double smaller = MAX(SHRINK * text->size, 0.99 * space / ns_text_width(layout) * size);
    /* A whole word that is too small is better than one that is truncated. */
    for (double least = p->look->least; space > 0 && ns_text_width(layout) > space; least = 0) {
        g_object_unref(layout);
        layout = ns_text_new(p->context, p->style, MAX(smaller, least), text->bold, text->text);
        if (least > 0) continue;
        ns_text_limit(layout, space, 1);
        break;
    }
    double width, height;
    ns_text_size(layout, &width, &height);
    double x = text->x - width * (double)text->align / 2, y = text->y - height / 2;
    if (text->backed) {
        /* Only as high as digits, so that it does not erase the edges of boxes. */
        cairo_rectangle(p->cr, x - 0.1 * size, y + 0.15 * height, width + 0.2 * size, 0.7 * height);
        ns_fill(p->cr, ns_with_alpha(ground_of(p), 0.8));
    }
    ns_set_color(p->cr, text->color);
    cairo_save(p->cr);
    cairo_translate(p->cr, x, y);
    ns_text_show(p->cr, layout, text->align);
    cairo_restore(p->cr);
}

/* Update-to-weight ratios (powers of ten) at which boxes flash with the thinnest and the thickest
 * frame. */
#define UPDATE_LO (-5.0)
#define UPDATE_HI (-1.0)

/* ---- wires ---- */

static NsPoint toward(NsPoint from, NsPoint to, double length)
{
    double whole = hypot(to.x - from.x, to.y - from.y);
    double share = whole > 0 ? MIN(length / whole, 1) : 0;
    return (NsPoint){from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)};
}

static void trace(const Brush *p, const NsPoint *points, size_t n)
{
    cairo_move_to(p->cr, points[0].x, points[0].y);
    for (size_t i = 1; i + 1 < n; i++) {
        NsPoint corner = points[i];
        double before = hypot(corner.x - points[i - 1].x, corner.y - points[i - 1].y);
        double after = hypot(points[i + 1].x - corner.x, points[i + 1].y - corner.y);
        double r = MIN(CORNER * p->size, MIN(before, after) / 2);
        NsPoint a = toward(corner, points[i - 1], r), b = toward(corner, points[i + 1], r);
        cairo_line_to(p->cr, a.x, a.y);
        cairo_curve_to(p->cr, (a.x + 2 * corner.x) / 3, (a.y + 2 * corner.y) / 3,
                       (b.x + 2 * corner.x) / 3, (b.y + 2 * corner.y) / 3, b.x, b.y);
    }
    cairo_line_to(p->cr, points[n - 1].x, points[n - 1].y);
}

static void arrow(const Brush *p, NsPoint tip, NsPoint back, double width, NsColor color)
{
    double length = MIN(ARROW * p->size + 0.5 * width, hypot(tip.x - back.x, tip.y - back.y));
    NsPoint foot = toward(tip, back, length);
    double half = 0.35 * p->size + 0.55 * width;
    double nx = -(tip.y - foot.y), ny = tip.x - foot.x, whole = hypot(nx, ny);
    if (!(whole > 0)) return;
    nx *= half / whole, ny *= half / whole;
    cairo_move_to(p->cr, tip.x, tip.y);
    cairo_line_to(p->cr, foot.x + nx, foot.y + ny);
    cairo_line_to(p->cr, foot.x - nx, foot.y - ny);
    cairo_close_path(p->cr);
    ns_fill(p->cr, color);
}

static void draw_wire(const Brush *p, const NsWire *w)
{
    Stroke stroke = stroke_of(p, w->value[p->look->flow]);
    NsPoint points[NS_WIRE_POINTS];
    /* The points along which a wire is drawn.  While norms move, its ends extend to the centers of
     * the norms. */
    for (size_t i = 0; i < w->n; i++) points[i] = w->points[i];
    const unsigned nodes[] = {w->from, w->to};
    for (int end = 0; end < 2 && p->look->from && p->look->moved < 1; end++) {
        if (ns_diagram_node(p->d, nodes[end])->kind != NS_NODE_NORM) continue;
        NsPoint middle = ns_diagram_middle(p->d, nodes[end]);
        NsPoint *at = &points[end ? w->n - 1 : 0];
        const NsPoint *next = &points[end ? w->n - 2 : 1];
        if (fabs(at->x - next->x) < 1e-6)
            at->y = middle.y;
        else
            at->x = middle.x;
    }
    bool down = p->look->flow == NS_FLOW_GRADIENT;
    /* A wire has an arrow at all nodes but forks. */
    bool pointed = ns_diagram_node(p->d, down ? w->from : w->to)->kind != NS_NODE_FORK;
    NsPoint *tip = down ? &points[0] : &points[w->n - 1];
    NsPoint back = down ? points[1] : points[w->n - 2], end = *tip;
    if (pointed) *tip = toward(end, back, ARROW * p->size * 0.7);
    cairo_set_line_join(p->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(p->cr, CAIRO_LINE_CAP_BUTT);
    const double dash[] = {0.5 * p->size, 0.35 * p->size};
    if (stroke.measured) {
        trace(p, points, w->n);
        if (stroke.dashed) cairo_set_dash(p->cr, dash, 2, 0);
        ns_stroke(p->cr, ns_with_alpha(p->style->text, 0.45), stroke.width + 2 * CASING * p->size);
    }
    trace(p, points, w->n);
    ns_stroke(p->cr, stroke.color, stroke.width);
    cairo_set_dash(p->cr, NULL, 0, 0);
    if (pointed)
        arrow(p, end, back, stroke.width,
              stroke.measured ? mix(stroke.color, p->style->text, 0.35) : p->style->axis);
}

/* Draws the number of a wire beside its longest segment. */
static void draw_number(const Brush *p, const NsWire *w)
{
    NsFlow flow = p->look->flow;
    double value = w->value[flow];
    if (!w->numbered[flow] || isnan(value)) return;
    size_t longest = 0;
    double length = -1;
    for (size_t i = 0; i + 1 < w->n; i++) {
        double l = hypot(w->points[i + 1].x - w->points[i].x, w->points[i + 1].y - w->points[i].y);
        if (l > length) longest = i, length = l;
    }
    NsPoint a = w->points[longest], b = w->points[longest + 1];
    double x = (a.x + b.x) / 2, y = (a.y + b.y) / 2, size = NUMBER_SIZE * p->size;
    double away = stroke_of(p, value).width / 2 + 0.55 * p->size;
    bool stack = ns_diagram_node(p->d, w->to)->sublayer < 0 &&
                 ns_diagram_node(p->d, w->to)->kind != NS_NODE_OUTPUT;
    g_autofree char *number = isinf(value) ? g_strdup(_("not finite")) : ns_text_number(value, 3);
    Text text = {.text = number,
                 .color = isinf(value) ? p->style->alarm : p->style->text,
                 .size = size,
                 .x = x,
                 .y = y};
    if (w->kind == NS_WIRE_MEMORY && ns_diagram_node(p->d, w->from)->kind == NS_NODE_MEMORY) {
        /* The wire from the encoder is too short for a number beside it, so the number is drawn
         * below its nodes. */
        const NsBox *from = &ns_diagram_node(p->d, w->from)->box,
                    *to = &ns_diagram_node(p->d, w->to)->box;
        text.align = NS_ANCHOR_END;
        text.x = from->x + from->width;
        text.y = MAX(from->y + from->height, to->y + to->height) + 0.75 * size;
    } else if (fabs(a.y - b.y) < 1e-6) {
        text.align = NS_ANCHOR_MIDDLE;
        text.y += away + 0.3 * size;
    } else {
        /* Between boxes that are too near, the number would cross their edges. */
        double least = stack ? NUMBER_LEAST : NUMBER_BACKED_LEAST;
        if (length < least * MAX(size, p->look->least)) return;
        bool right = stack ? !p->d->dual : w->kind == NS_WIRE_BRANCH || w->kind == NS_WIRE_EXTRA;
        text.align = right ? NS_ANCHOR_START : NS_ANCHOR_END;
        text.x += right ? away : -away;
        text.backed = !stack;
    }
    write_text(p, &text);
}

/* The vertical position of the lights in the stack or in the layer, between the bottom of the
 * lowest box and the top of the highest. */
static double level_of(const Brush *p, bool block)
{
    double top = INFINITY, bottom = -INFINITY;
    const NsNode *n;
    for (guint i = 0; (n = ns_diagram_node(p->d, i)); i++) {
        if ((n->box.x >= p->d->block.x) != block) continue;
        top = MIN(top, n->box.y);
        bottom = MAX(bottom, n->box.y + n->box.height);
    }
    return bottom + p->look->light * (top - bottom);
}

/* Draws a light where the current level crosses vertical wires, and a bright frame around the boxes
 * there. */
static void draw_lights(const Brush *p)
{
    if (isnan(p->look->light)) return;
    const double level[] = {level_of(p, false), level_of(p, true)};
    const NsWire *w;
    for (guint i = 0; (w = ns_diagram_wire(p->d, i)); i++)
        for (size_t k = 0; k + 1 < w->n; k++) {
            NsPoint a = w->points[k], b = w->points[k + 1];
            double y = level[a.x >= p->d->block.x];
            if (fabs(a.x - b.x) < 1e-6 && y >= MIN(a.y, b.y) && y <= MAX(a.y, b.y)) {
                NsColor c = p->style->series[4].color;
                cairo_pattern_t *glow =
                    cairo_pattern_create_radial(a.x, y, 0, a.x, y, GLOW * p->size);
                cairo_pattern_add_color_stop_rgba(glow, 0, 1, 1, 1, 1);
                cairo_pattern_add_color_stop_rgba(glow, 0.3, c.r, c.g, c.b, 0.9);
                cairo_pattern_add_color_stop_rgba(glow, 1, c.r, c.g, c.b, 0);
                cairo_set_source(p->cr, glow);
                cairo_arc(p->cr, a.x, y, GLOW * p->size, 0, 2 * G_PI);
                cairo_fill(p->cr);
                cairo_pattern_destroy(glow);
            }
        }
    const NsNode *n;
    for (guint i = 0; (n = ns_diagram_node(p->d, i)); i++) {
        double y = level[n->box.x >= p->d->block.x];
        if (n->parent >= 0 || y < n->box.y || y > n->box.y + n->box.height) continue;
        ns_rounded_box(p->cr, &n->box, ROUND * p->size);
        ns_stroke(p->cr, ns_with_alpha(p->style->series[4].color, 0.9), 0.3 * p->size);
    }
}

/* ---- nodes ---- */

static NsColor hue_of(const Brush *p, const NsNode *n)
{
    const NsSeriesStyle *series = p->style->series;
    if (n->kind == NS_NODE_NORM) return series[4].color;
    if (n->kind == NS_NODE_BRANCH || n->kind == NS_NODE_FACTOR)
        return series[n->part == NS_FFN ? 2 : 0].color;
    return n->kind == NS_NODE_LAYER && n->selected ? series[0].color : p->style->axis;
}

/* The box of a norm while it moves from its previous place in the sub-layer; a new norm grows. */
static NsBox box_of(const Brush *p, const NsNode *n)
{
    const NsDiagramLook *look = p->look;
    double t = look->moved;
    if (!look->from || t >= 1 || n->kind != NS_NODE_NORM || n->sublayer < 0 ||
        n->place > NS_PLACE_OUT)
        return n->box;
    if (ns_diagram_norm_at(look->from, n->sublayer, n->place) >= 0) return n->box;
    for (int place = 0; place < NS_PLACES_MOVABLE; place++) {
        int before = ns_diagram_norm_at(look->from, n->sublayer, (NsPlace)place);
        if (before < 0 || ns_diagram_norm_at(p->d, n->sublayer, (NsPlace)place) >= 0) continue;
        const NsBox *a = &ns_diagram_node(look->from, (size_t)before)->box, *b = &n->box;
        return (NsBox){a->x + t * (b->x - a->x), a->y + t * (b->y - a->y),
                       a->width + t * (b->width - a->width),
                       a->height + t * (b->height - a->height)};
    }
    NsBox box = n->box;
    box.x += (1 - t) * box.width / 2, box.y += (1 - t) * box.height / 2;
    box.width *= t, box.height *= t;
    return box;
}

static void fill_box(const Brush *p, const NsBox *box, NsColor hue, double strength, bool dashed)
{
    ns_rounded_box(p->cr, box, ROUND * p->size);
    const double dash[] = {0.3 * p->size, 0.25 * p->size};
    if (dashed) cairo_set_dash(p->cr, dash, 2, 0);
    ns_fill_and_stroke(p->cr, mix(p->style->panel, hue, strength), hue,
                       MAX(p->style->axis_width, 0.09 * p->size));
    cairo_set_dash(p->cr, NULL, 0, 0);
}

static void draw_flash(const Brush *p, const NsNode *n, const NsBox *box)
{
    bool weights = n->kind == NS_NODE_BRANCH || n->kind == NS_NODE_LAYER;
    if (!weights || !(p->look->flash > 0)) return;
    double ratio = ns_diagram_value(p->d->data, NS_QUANTITY_UPDATE_RATIO, n->layer - 1);
    if (!(ratio > 0) || !isfinite(ratio)) return;
    double share = CLAMP((log10(ratio) - UPDATE_LO) / (UPDATE_HI - UPDATE_LO), 0, 1);
    ns_rounded_box(p->cr, box, ROUND * p->size);
    ns_stroke(p->cr, ns_with_alpha(p->style->series[1].color, p->look->flash),
              (0.15 + 0.5 * share) * p->size);
}

static void draw_round(const Brush *p, const NsNode *n, const NsBox *box)
{
    double r = box->width / 2, x = box->x + r, y = box->y + r;
    if (n->kind == NS_NODE_FORK) {
        cairo_arc(p->cr, x, y, MAX(r, 0.2 * p->size), 0, 2 * G_PI);
        ns_fill(p->cr, p->style->text);
        return;
    }
    cairo_arc(p->cr, x, y, r, 0, 2 * G_PI);
    ns_fill_and_stroke(p->cr, p->style->panel, p->style->text,
                       MAX(p->style->axis_width, 0.09 * p->size));
    cairo_move_to(p->cr, x - 0.55 * r, y);
    cairo_line_to(p->cr, x + 0.55 * r, y);
    cairo_move_to(p->cr, x, y - 0.55 * r);
    cairo_line_to(p->cr, x, y + 0.55 * r);
    cairo_stroke(p->cr);
}

static void draw_texts(const Brush *p, const NsNode *n, const NsBox *box)
{
    double x = box->x + box->width / 2, y = box->y + box->height / 2;
    double space = box->width - 0.4 * p->size, size = p->size;
    /* Small boxes within F reduce the space for its text. */
    double top = box->y, bottom = box->y + box->height;
    for (guint i = 0; n->kind == NS_NODE_BRANCH && ns_diagram_node(p->d, i); i++) {
        const NsNode *part = ns_diagram_node(p->d, i);
        if (part->parent < 0 || ns_diagram_node(p->d, (size_t)part->parent) != n) continue;
        double middle = part->box.y + part->box.height / 2;
        if (middle < box->y + box->height / 2)
            top = part->box.y + part->box.height;
        else
            bottom = part->box.y;
    }
    y = (top + bottom) / 2;
    bool two = n->detail[0] && box->height > 2.6 * size;
    if (n->parent >= 0 || n->kind == NS_NODE_MEMORY) size *= 0.85;
    bool faint = n->kind == NS_NODE_DOTS || n->kind == NS_NODE_INPUT || n->kind == NS_NODE_OUTPUT;
    write_text(p, &(Text){.text = n->text,
                          .color = faint ? p->style->faint_text : p->style->text,
                          .size = MIN(size, FILLED * (bottom - top)),
                          .bold = n->selected,
                          .align = NS_ANCHOR_MIDDLE,
                          .x = x,
                          .y = two ? y - 0.62 * size : y,
                          .space = space});
    if (!two) return;
    write_text(p, &(Text){.text = n->detail,
                          .color = p->style->faint_text,
                          .size = 0.85 * size,
                          .align = NS_ANCHOR_MIDDLE,
                          .x = x,
                          .y = y + 0.68 * size,
                          .space = space});
}

static void draw_sigma(const Brush *p, const NsNode *n, const NsBox *box)
{
    double sigma = ns_diagram_sigma(p->d, n);
    if (p->look->flow != NS_FLOW_SIGNAL || !isfinite(sigma) || n->parent >= 0) return;
    g_autofree char *number = ns_text_number(sigma, 3);
    g_autofree char *text = g_strdup_printf("σ %s", number);
    write_text(p, &(Text){.text = text,
                          .color = p->style->faint_text,
                          .size = 0.82 * p->size,
                          .x = box->x + box->width + 0.35 * p->size,
                          .y = box->y + box->height / 2});
}

static void draw_node(const Brush *p, guint i)
{
    const NsNode *n = ns_diagram_node(p->d, i);
    NsBox box = box_of(p, n);
    const NsDiagramLook *look = p->look;
    bool away = look->carried && n->kind == NS_NODE_NORM && n->sublayer == look->sublayer &&
                (int)n->place == look->carried_from;
    if (n->kind == NS_NODE_FORK || n->kind == NS_NODE_SUM) {
        draw_round(p, n, &box);
    } else {
        bool bare = n->kind == NS_NODE_INPUT || n->kind == NS_NODE_OUTPUT;
        bool hovered = (int)i == look->hovered;
        double strength = n->kind == NS_NODE_DOTS ? 0 : n->selected ? 0.3 : 0.16;
        if (n->parent >= 0) strength = 0.4;
        if (!bare)
            fill_box(p, &box, hue_of(p, n), away ? 0 : strength + (hovered ? 0.14 : 0),
                     away || n->kind == NS_NODE_DOTS);
        draw_flash(p, n, &box);
        if (!away) draw_texts(p, n, &box);
        draw_sigma(p, n, &box);
    }
    if ((int)i != look->focused) return;
    NsBox ring = {box.x - 3, box.y - 3, box.width + 6, box.height + 6};
    ns_rounded_box(p->cr, &ring, ROUND * p->size + 3);
    ns_stroke(p->cr, p->style->series[0].color, 2);
}

/* ---- dragging a norm ---- */

static void draw_places(const Brush *p)
{
    const NsDiagramLook *look = p->look;
    if (!look->carried) return;
    NsColor hue = p->style->series[4].color;
    for (size_t k = 0; k < p->d->sublayers; k++)
        for (int place = 0; place < NS_PLACES_MOVABLE; place++) {
            if (look->carried_from >= 0 && (int)k != look->sublayer) continue;
            if (!ns_diagram_moved(p->d, (int)k, look->carried_from, place)) continue;
            bool aimed = place == look->aim && (int)k == look->sublayer;
            fill_box(p, &p->d->slot[k][place], hue, aimed ? 0.35 : 0, true);
        }
    if (isnan(look->at.x)) return;
    const NsBox *slot = &p->d->slot[0][0];
    NsBox box = {look->at.x - slot->width / 2, look->at.y - slot->height / 2, slot->width,
                 slot->height};
    cairo_push_group(p->cr);
    fill_box(p, &box, hue, 0.3, false);
    cairo_pop_group_to_source(p->cr);
    cairo_paint_with_alpha(p->cr, 0.75);
}

/* Draws the placement that dropping the norm would select beside the place. */
static void draw_promise(const Brush *p)
{
    const NsDiagramLook *look = p->look;
    if (!look->carried || !look->promise) return;
    const NsBox *box = look->aim < 0 ? &p->d->tray : &p->d->slot[look->sublayer][look->aim];
    g_autofree char *words_of_it = g_strdup_printf("→ %s", look->promise);
    write_text(p, &(Text){.text = words_of_it,
                          .color = p->style->text,
                          .size = p->size,
                          .bold = true,
                          .x = box->x + box->width + 0.5 * p->size,
                          .y = box->y + box->height / 2,
                          .space = p->d->width - box->x - box->width,
                          .backed = true});
}

static void draw_tray(const Brush *p)
{
    const NsDiagramLook *look = p->look;
    if (!look->tray) return;
    bool offered = look->carried && look->carried_from >= 0 &&
                   ns_diagram_moved(p->d, look->sublayer, look->carried_from, -1);
    bool aimed = offered && look->aim < 0;
    fill_box(p, &p->d->tray, offered ? p->style->series[4].color : p->style->previous,
             aimed ? 0.35 : 0, true);
    write_text(p, &(Text){.text = offered ? _("remove") : _("+ norm"),
                          .color = p->style->faint_text,
                          .size = 0.9 * p->size,
                          .align = NS_ANCHOR_MIDDLE,
                          .x = p->d->tray.x + p->d->tray.width / 2,
                          .y = p->d->tray.y + p->d->tray.height / 2,
                          .space = p->d->tray.width});
}

/* ---- a text that is read ---- */

/* Draws words above the head, or below the embedding. */
static void draw_words(const Brush *p, const char *words, NsNodeKind kind)
{
    const NsNode *node = ns_diagram_node(p->d, 0);
    for (guint i = 1; words && node->kind != kind && i < p->d->nodes->len; i++)
        node = ns_diagram_node(p->d, i);
    if (!words || node->kind != kind) return;
    g_autoptr(PangoLayout) layout =
        ns_text_new(p->context, p->style, MAX(p->size, p->look->least), true, "");
    pango_layout_set_text(layout, words, -1);
    double width, height;
    ns_text_size(layout, &width, &height);
    double gap = 0.4 * p->size, middle = node->box.x + node->box.width / 2;
    double y =
        kind == NS_NODE_HEAD ? node->box.y - gap - height : node->box.y + node->box.height + gap;
    cairo_save(p->cr);
    cairo_translate(p->cr, MAX(middle - width / 2, p->d->stacks.x), y);
    ns_set_color(p->cr, p->style->text);
    ns_text_show(p->cr, layout, NS_ANCHOR_START);
    cairo_restore(p->cr);
}

/* ---- the whole ---- */

static void draw_head(const Brush *p)
{
    g_autofree char *title = ns_diagram_title(p->d);
    write_text(p, &(Text){.text = title,
                          .color = p->style->text,
                          .size = p->style->title_size,
                          .bold = true,
                          .x = p->d->stacks.x,
                          .y = 0.8 * p->style->title_size,
                          .space = p->d->width - p->d->stacks.x});
    const char *formula = ns_diagram_formula(p->d);
    double space = p->d->width - p->d->stacks.x;
    g_autofree char *brief = ns_text_abridge(
        &(NsTextSpace){p->context, p->style, p->size, space, 1}, &(NsCaption){.text = formula});
    write_text(p, &(Text){.text = brief ? brief : formula,
                          .color = p->style->faint_text,
                          .size = p->size,
                          .x = p->d->stacks.x,
                          .y = 1.75 * p->style->title_size + 0.4 * p->size,
                          .space = space});
}

void ns_diagram_draw(const NsDiagram *d, const NsDiagramLook *look, cairo_t *cr)
{
    Brush pen = {d, look, look->style, cr, ns_text_context_new(), d->text_size}, *p = &pen;
    cairo_save(cr);
    draw_head(p);
    /* The frame of the layer, and the shaded area that connects it to its box in the stack. */
    const NsBox *block = &d->block;
    NsColor ground = ground_of(p);
    for (guint i = 0; i < d->nodes->len; i++) {
        const NsNode *n = ns_diagram_node(p->d, i);
        if (!n->selected) continue;
        cairo_move_to(cr, n->box.x + n->box.width, n->box.y);
        cairo_line_to(cr, block->x + 1, block->y + ROUND * p->size);
        cairo_line_to(cr, block->x + 1, block->y + block->height - ROUND * p->size);
        cairo_line_to(cr, n->box.x + n->box.width, n->box.y + n->box.height);
        cairo_close_path(cr);
        ns_fill(p->cr, ns_with_alpha(ground, 0.6));
    }
    ns_rounded_box(cr, block, 2 * ROUND * p->size);
    ns_fill_and_stroke(p->cr, ground, p->style->grid, p->style->axis_width);
    g_autofree char *at = ns_group_digits(d->layer);
    g_autofree char *of = ns_group_digits((int64_t)d->layers);
    g_autofree char *layer = g_strdup_printf(_("layer %s of %s"), at, of);
    write_text(p, &(Text){.text = layer,
                          .color = p->style->faint_text,
                          .size = 0.9 * p->size,
                          .align = NS_ANCHOR_END,
                          .x = block->x + (d->dual ? 0.76 : 0.97) * block->width,
                          .y = block->y + block->height - 0.95 * p->size});
    /* Measured wires are drawn above the others. */
    for (int measured = 0; measured < 2; measured++)
        for (guint i = 0; i < d->wires->len; i++) {
            const NsWire *w = ns_diagram_wire(d, i);
            if (isnan(w->value[look->flow]) != measured) draw_wire(p, w);
        }
    draw_tray(p);
    for (int on_its_way = 0; on_its_way < 2; on_its_way++)
        for (guint i = 0; i < d->nodes->len; i++) {
            const NsNode *n = ns_diagram_node(d, i);
            NsBox box = box_of(p, n);
            bool moves = box.x != n->box.x || box.y != n->box.y;
            if (moves == on_its_way) draw_node(p, i);
        }
    draw_lights(p);
    draw_words(p, look->read, NS_NODE_EMBEDDING);
    draw_words(p, look->expected, NS_NODE_HEAD);
    for (guint i = 0; i < d->wires->len; i++) draw_number(p, ns_diagram_wire(d, i));
    draw_places(p);
    draw_promise(p);
    cairo_restore(cr);
    g_object_unref(pen.context);
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

static double width_of(const Brush *p, const char *words, double size)
{
    g_autoptr(PangoLayout) text = ns_text_new(p->context, p->style, size, false, words);
    return ns_text_width(text);
}

void ns_diagram_draw_legend(const NsDiagramLook *look, double width, double height, cairo_t *cr)
{
    Brush pen = {NULL, look, look->style, cr, ns_text_context_new(), look->style->text_size};
    Brush *p = &pen;
    const char *what = look->flow == NS_FLOW_SIGNAL
                           ? _("signal norm (RMS over tokens)")
                           : _("gradient norm of the hidden state (all tokens)");
    const char *unmeasured =
        look->flow == NS_FLOW_SIGNAL ? _("not measured; σ: standard deviation") : _("not measured");
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
        double t = (i + 0.5) / STEPS, half = (THINNEST + t * (THICKEST - THINNEST)) * size / 2;
        cairo_rectangle(cr, length * i / STEPS, y - half, length / STEPS + 0.3, 2 * half);
        ns_fill(p->cr, color_of(p->style, t));
    }
    bool known = look->range.lo <= look->range.hi;
    for (int end = 0; end < 2 && known; end++) {
        write_text(p, &(Text){.text = end ? hi : lo,
                              .color = p->style->text,
                              .size = small,
                              .align = end ? NS_ANCHOR_END : NS_ANCHOR_START,
                              .x = end ? length : 0,
                              .y = y + 1.15 * size});
    }
    double x = length + size;
    g_autofree char *brief = ns_text_abridge(
        &(NsTextSpace){pen.context, p->style, small, width - x, 1}, &(NsCaption){.text = what});
    write_text(p, &(Text){.text = brief ? brief : what,
                          .color = p->style->faint_text,
                          .size = small,
                          .x = x,
                          .y = y,
                          .space = width - x});
    cairo_move_to(cr, x, y + 1.15 * size);
    cairo_line_to(cr, x + 2 * size, y + 1.15 * size);
    ns_stroke(p->cr, p->style->previous, THIN * size);
    write_text(p, &(Text){.text = unmeasured,
                          .color = p->style->faint_text,
                          .size = small,
                          .x = x + 2.5 * size,
                          .y = y + 1.15 * size,
                          .space = width - x - 2.5 * size});
    cairo_restore(cr);
    g_object_unref(pen.context);
}
