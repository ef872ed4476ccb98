/* The labels of a layout, and the space between them.  SPDX-License-Identifier: MIT */
#include "ui/plot/plot-private.h"

#include "ui/plot/text.h"

#include <math.h>

/* Parts of minor importance, written in a muted color. */
static const bool faint[NS_PARTS] = {
    [NS_PART_SUBTITLE] = true,  [NS_PART_NOTE] = true,     [NS_PART_X_TICK] = true,
    [NS_PART_LEFT_TICK] = true, [NS_PART_BAR_TICK] = true, [NS_PART_LINE_NAME] = true,
    [NS_PART_EMPTY] = true,
};

PangoLayout *ns_layout_text(const NsPlotLayout *layout, bool bold, const char *words)
{
    return ns_text_new(layout->context, layout->style, layout->style->text_size, bold, words);
}

NsLabel *ns_layout_add_label(NsPlotLayout *layout, NsPart part, PangoLayout *text, double x,
                             double y, bool rotated)
{
    PangoRectangle ink, logical;
    pango_layout_get_extents(text, &ink, &logical);
    double ix = (double)ink.x / PANGO_SCALE, iy = (double)ink.y / PANGO_SCALE;
    double iw = (double)ink.width / PANGO_SCALE, ih = (double)ink.height / PANGO_SCALE;
    NsLabel label = {
        .part = part,
        .text = g_object_ref(text),
        .x = x,
        .y = y,
        .box = {x + ix, y + iy, iw, ih},
        .rotated = rotated,
        .color = faint[part] ? layout->style->faint_text : layout->style->text,
    };
    if (rotated) {
        double length = (double)logical.width / PANGO_SCALE;
        label.box = (NsBox){x + iy, y + length - ix - iw, ih, iw};
    }
    g_array_append_val(layout->labels, label);
    return &g_array_index(layout->labels, NsLabel, layout->labels->len - 1);
}

const NsLabel *ns_layout_label(const NsPlotLayout *layout, NsPart part)
{
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part == part) return label;
    }
    return NULL;
}

NsBox ns_layout_inside(const NsPlotLayout *layout)
{
    double gap = 0.4 * layout->style->text_size;
    const NsBox *area = &layout->area;
    return (NsBox){area->x + gap, area->y + layout->strip_top + gap, area->width - 2 * gap,
                   area->height - layout->strip_top - layout->strip_bottom - 2 * gap};
}

static bool is_taken(const NsPlotLayout *layout, const NsBox *box)
{
    if (layout->legend_box.width > 0 && ns_boxes_overlap(&layout->legend_box, box)) return true;
    for (unsigned i = 0; i < layout->labels->len; i++)
        if (ns_boxes_overlap(&g_array_index(layout->labels, NsLabel, i).box, box)) return true;
    return false;
}

/* The number of segments of curves whose bounding boxes overlap a box. */
static unsigned crowd(const NsPlotLayout *layout, const NsBox *box)
{
    unsigned found = 0;
    for (size_t s = 0; s < layout->n_paths; s++) {
        const GArray *points = layout->paths[s].points;
        for (unsigned i = 0; points && i + 1 < MAX(points->len, 2u) && points->len; i++) {
            const NsPoint *a = &g_array_index(points, NsPoint, i);
            const NsPoint *b = i + 1 < points->len ? a + 1 : a;
            NsBox span = {MIN(a->x, b->x), MIN(a->y, b->y), fabs(a->x - b->x) + 1e-3,
                          fabs(a->y - b->y) + 1e-3};
            found += ns_boxes_overlap(&span, box);
        }
    }
    return found;
}

bool ns_layout_least_crowded(const NsPlotLayout *layout, const NsPoint *corners, size_t n,
                             double width, double height, NsPoint *best)
{
    NsBox room = ns_layout_inside(layout);
    unsigned least = G_MAXUINT;
    for (size_t i = 0; i < n; i++) {
        NsBox box = {corners[i].x, corners[i].y, width, height};
        if (!(box.x >= room.x - 1e-6 && box.x + width <= room.x + room.width + 1e-6 &&
              box.y >= room.y - 1e-6 && box.y + height <= room.y + room.height + 1e-6) ||
            is_taken(layout, &box))
            continue;
        unsigned found = crowd(layout, &box);
        if (found >= least) continue;
        least = found;
        *best = corners[i];
    }
    return least < G_MAXUINT;
}
