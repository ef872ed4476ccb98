/* Names at the right ends of curves.  SPDX-License-Identifier: MIT */
#include "ui/plot/plot-private.h"

#include "ui/plot/painter.h"
#include "ui/plot/text.h"

#include <math.h>

/* In text sizes: the minimum size of a page with such names, the space before and behind a name,
 * and the distance of names. */
#define LEAST_WIDTH 36
#define LEAST_HEIGHT 16
#define BEFORE 0.9
#define BEHIND 0.6
#define LINE 1.3

/* With more names than this, or a wider one (as a share of the page), all are in the legend. */
#define MOST_NAMES 6
#define MOST_WIDTH 0.27

/* In text sizes: the end of a noisy curve is averaged over STRETCH; names whose curves end within
 * COLUMN share a column. */
#define STRETCH 1.5
#define COLUMN 3

/* Each round removes half of the remaining overlaps. */
#define ROUNDS 80

typedef struct {
    const NsSeries *series;
    PangoLayout *text;
    NsPoint end;  /* the end of the curve */
    double x, y;  /* the left end of the name, and its vertical middle */
    double width; /* width of the name */
} Name;

static void clear_name(void *name)
{
    g_object_unref(((Name *)name)->text);
}

static PangoLayout *name_text(NsPlotLayout *layout, const NsSeries *series)
{
    g_autofree char *words = ns_legend_words(series, false);
    PangoLayout *text = ns_layout_text(layout, true, words);
    if (series->hidden) ns_text_strike(text);
    return text;
}

/* The width that names need, or 0 if there are too many or they are too wide. */
static double room_for(NsPlotLayout *layout, const GPtrArray *entries)
{
    double size = layout->style->text_size, widest = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < entries->len; i++) {
        if (!ns_legend_is_at_end(layout, entries->pdata[i])) continue;
        g_autoptr(PangoLayout) text = name_text(layout, entries->pdata[i]);
        widest = MAX(widest, ns_text_width(text));
        n++;
    }
    bool fits = n > 0 && n <= MOST_NAMES && widest <= MOST_WIDTH * layout->width;
    /* Whole text sizes keep the axis from shifting with every digit of a step. */
    return fits ? (ceil(widest / size) + BEFORE + BEHIND) * size : 0;
}

void ns_end_names_fit(NsPlotLayout *layout)
{
    const NsPlot *plot = layout->plot;
    double size = layout->style->text_size;
    layout->ends_room = 0;
    bool data = layout->summary.any && !plot->heatmap && !plot->drawing;
    if (plot->legend != NS_LEGEND_OUTSIDE || !data || plot->x.reversed ||
        layout->width < LEAST_WIDTH * size || layout->height < LEAST_HEIGHT * size)
        return;
    g_autoptr(GPtrArray) entries = ns_legend_entries(layout);
    if (entries->len < ns_legend_least(layout)) return;
    for (int ends = NS_ENDS_ALL; ends <= NS_ENDS_OWN && layout->ends_room <= 0; ends++) {
        layout->ends = (NsEnds)ends;
        layout->ends_room = size;
        layout->ends_room = room_for(layout, entries);
    }
}

/* Finds the visible end of a curve, at the average height of its last stretch.  A hidden curve
 * keeps its name, so that a second click shows it again; its height is clamped to the axis. */
static bool find_end(const NsPlotLayout *layout, const NsSeries *series, NsPoint *end)
{
    const NsPlot *plot = layout->plot;
    const NsScale *x = &layout->x, *y = &layout->y;
    const NsBox *area = &layout->area;
    double right = area->x + area->width - layout->ends_room, sum = 0;
    unsigned n = 0;
    for (size_t i = series->n; i-- > 0;) {
        double px = ns_scale_to_pixel(x, series->x[i]), py = ns_scale_to_pixel(y, series->y[i]);
        if (series->hidden) py = CLAMP(py, area->y, area->y + area->height);
        bool seen = px >= area->x && px <= right && py >= area->y && py <= area->y + area->height &&
                    !(plot->cut && series->x[i] > plot->cut_at);
        if (n && (!seen || end->x - px > STRETCH * layout->style->text_size)) break;
        if (!seen) continue;
        if (!n) end->x = px;
        sum += py;
        n++;
    }
    if (n) end->y = sum / n;
    if (!n && series->hidden) *end = (NsPoint){right, area->y};
    return n > 0 || series->hidden;
}

/* Sorts from top to bottom.  Names whose curves end at nearly the same height keep their order,
 * which noise would otherwise change in every frame. */
static int compare(const void *pa, const void *pb)
{
    const Name *a = pa, *b = pb;
    double half = ns_text_height(a->text) / 2;
    double row_a = floor(a->end.y / half), row_b = floor(b->end.y / half);
    if (row_a < row_b) return -1;
    return row_a > row_b ? 1 : a->series < b->series ? -1 : 1;
}

static void add(NsPlotLayout *layout, const Name *name, double line)
{
    double size = layout->style->text_size, height = ns_text_height(name->text);
    NsBox box = {name->x, name->y - height / 2, name->width, height};
    NsLegendSample sample = {
        .series = name->series, .at_end = true, .label = layout->labels->len, .entry = box};
    g_array_append_val(layout->legend, sample);
    NsLabel *label = ns_layout_add_label(layout, NS_PART_END_NAME, name->text, box.x, box.y, false);
    bool hidden = name->series->hidden;
    label->color =
        hidden ? layout->style->faint_text : ns_series_color(layout->style, name->series);
    label->backed = true;
    label->led = fabs(name->y - name->end.y) > line / 2 || name->x - name->end.x > 2 * size;
    if (!label->led) return;
    label->leader[0] = name->end;
    label->leader[1] = (NsPoint){name->x - 0.25 * size, name->y};
}

void ns_end_names_place(NsPlotLayout *layout)
{
    if (layout->ends_room <= 0) return;
    double size = layout->style->text_size, line = LINE * size, last = 0;
    NsBox room = ns_layout_inside(layout);
    g_autoptr(GArray) names = g_array_new(FALSE, TRUE, sizeof(Name));
    g_array_set_clear_func(names, clear_name);
    g_autoptr(GPtrArray) entries = ns_legend_entries(layout);
    for (unsigned i = 0; i < entries->len && (names->len + 1) * line <= room.height; i++) {
        Name name = {.series = entries->pdata[i]};
        if (!ns_legend_is_at_end(layout, name.series) || !find_end(layout, name.series, &name.end))
            continue;
        name.text = name_text(layout, name.series);
        name.width = ns_text_width(name.text);
        name.y = name.end.y;
        last = MAX(last, name.end.x);
        g_array_append_val(names, name);
    }
    Name *all = (Name *)(void *)names->data;
    for (unsigned i = 0; i < names->len; i++) {
        double end = last - all[i].end.x < COLUMN * size ? last : all[i].end.x;
        all[i].x = end + BEFORE * size;
    }
    g_array_sort(names, compare);
    /* Moves overlapping names apart, as little as possible. */
    unsigned n = names->len;
    for (int round = 0; round < ROUNDS; round++)
        for (unsigned j = 0; j < n; j++) {
            for (unsigned k = 0; k < j; k++) {
                double missing = line - (all[j].y - all[k].y);
                if (missing <= 0 ||
                    (all[j].x > all[k].x + all[k].width || all[k].x > all[j].x + all[j].width))
                    continue;
                all[j].y += missing / 2;
                all[k].y -= missing / 2;
            }
            double least = room.y + line / 2 + line * j;
            double most = room.y + room.height - line / 2 - line * (n - 1 - j);
            all[j].y = CLAMP(all[j].y, MIN(least, most), most);
        }
    for (unsigned i = 0; i < names->len; i++) add(layout, &all[i], line);
}
