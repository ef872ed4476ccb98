/* The texts of a layout, its labels, and the space between them.  SPDX-License-Identifier: MIT */
#include "ui/plot/plot-private.h"

#include "core/base/words.h"
#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

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

/* Returns whether some part of the segment from a to b is inside the box (Liang and Barsky 1984).
 */
static bool crosses(const NsBox *box, const NsPoint *a, const NsPoint *b)
{
    const double step[] = {b->x - a->x, b->y - a->y};
    const double least[] = {box->x - a->x, box->y - a->y};
    const double size[] = {box->width, box->height};
    double from = 0, to = 1;
    for (int k = 0; k < 2; k++) {
        double one = least[k], other = least[k] + size[k];
        if (step[k] == 0) {
            if (one > 0 || other < 0) return false;
            continue;
        }
        from = MAX(from, MIN(one / step[k], other / step[k]));
        to = MIN(to, MAX(one / step[k], other / step[k]));
    }
    return from <= to;
}

/* The number of segments of a curve, or of its bars or its band, that a box would cover. */
static unsigned covered_of(const NsPlotLayout *layout, size_t which, const NsBox *box)
{
    const NsSeriesKind kind = layout->plot->series[which].kind;
    const NsPath *path = &layout->paths[which];
    bool marks = kind == NS_SERIES_POINTS || kind == NS_SERIES_SCATTER;
    const NsStyle *style = layout->style;
    double reach = (marks ? style->mark_size : style->line_width) / 2;
    NsBox near = {box->x - reach, box->y - reach, box->width + 2 * reach, box->height + 2 * reach};
    double foot = layout->area.y + layout->area.height;
    unsigned found = 0, n = path->points ? path->points->len : 0;
    for (unsigned k = 0; k < n; k++) {
        const NsPoint *a = &g_array_index(path->points, NsPoint, k);
        /* Nothing is drawn between scatter marks. */
        const NsPoint *b = k + 1 < n && kind != NS_SERIES_SCATTER ? a + 1 : a;
        if (MIN(a->x, b->x) > near.x + near.width || MAX(a->x, b->x) < near.x) continue;
        const NsPoint down = {a->x, foot};
        if (kind == NS_SERIES_BARS) b = &down;
        found += crosses(&near, a, b);
    }
    for (unsigned k = 0; path->band && k < path->band->len; k++) {
        const NsBandColumn *column = &g_array_index(path->band, NsBandColumn, k);
        found += !isnan(column->x) && crosses(box, &(NsPoint){column->x, column->top},
                                              &(NsPoint){column->x, column->bottom});
    }
    return found;
}

/* The number of named lines that a box would cover. */
static unsigned covered_lines(const NsPlotLayout *layout, const NsBox *box)
{
    const NsPlot *plot = layout->plot;
    const NsBox *area = &layout->area;
    unsigned found = 0;
    for (size_t i = 0; i < plot->n_levels; i++) {
        double y = ns_scale_to_pixel(&layout->y, plot->levels[i].y);
        found += y >= box->y && y <= box->y + box->height;
    }
    for (size_t i = 0; i < plot->n_markers; i++) {
        double x = ns_scale_to_pixel(&layout->x, plot->markers[i].x);
        found += x >= area->x && x >= box->x && x <= box->x + box->width;
    }
    for (size_t i = 0; i < plot->n_slopes; i++) {
        const NsSlope *slope = &plot->slopes[i];
        NsPoint a = {ns_scale_to_pixel(&layout->x, slope->x0),
                     ns_scale_to_pixel(&layout->y, slope->y0)};
        NsPoint b = {ns_scale_to_pixel(&layout->x, slope->x1),
                     ns_scale_to_pixel(&layout->y, slope->y1)};
        found += !isnan(a.x + a.y + b.x + b.y) && crosses(box, &a, &b);
    }
    return found;
}

bool ns_layout_least_crowded(const NsPlotLayout *layout, const NsPoint *corners, size_t n,
                             const NsPoint *size, NsPoint *best, unsigned *covered)
{
    NsBox space = ns_layout_inside(layout);
    *covered = G_MAXUINT;
    for (size_t i = 0; i < n && *covered; i++) {
        NsBox box = {corners[i].x, corners[i].y, size->x, size->y};
        if (!(box.x >= space.x - 1e-6 && box.x + box.width <= space.x + space.width + 1e-6 &&
              box.y >= space.y - 1e-6 && box.y + box.height <= space.y + space.height + 1e-6) ||
            is_taken(layout, &box))
            continue;
        unsigned found = covered_lines(layout, &box);
        for (size_t s = 0; s < layout->n_paths; s++) found += covered_of(layout, s, &box);
        if (found >= *covered) continue;
        *covered = found;
        *best = corners[i];
    }
    return *covered < G_MAXUINT;
}

/* ---- the texts around a plot ---- */

/* In text sizes: the minimum height of a page whose title may have another line. */
#define TWO_TITLE_LINES 18

/* In text sizes: the gap between a title and the controls in the corner beside it. */
#define CORNER_GAP 0.5

static char *axis_title(const char *label, const char *unit)
{
    return label && unit ? g_strdup_printf("%s (%s)", label, unit) : g_strdup(label);
}

/* Creates the text of a part; a part without text is not shown. */
static void write_part(NsFrame *frame, NsPart part, const char *words, double size, bool bold)
{
    frame->show[part] = words && *words;
    if (frame->show[part])
        frame->text[part] =
            ns_text_new(frame->layout->context, frame->layout->style, size, bold, words);
}

/* Returns whether every run that the subtitle lists is also named, with the same words, at a curve
 * or beside a panel. */
bool ns_frame_names_identify(const NsFrame *frame)
{
    const NsPlot *plot = frame->layout->plot;
    if (!plot->special || !frame->show[NS_PART_SUBTITLE]) return false;
    g_autofree char *special = g_strndup(plot->subtitle, plot->special);
    g_auto(GStrv) runs = g_strsplit(special, "; ", -1);
    g_autoptr(GPtrArray) entries = ns_legend_entries(frame->layout);
    bool all = true;
    for (char **run = runs; *run && all; run++) {
        bool found = false;
        for (size_t i = 0; plot->heatmap && i < plot->heatmap->n_panels && !found; i++)
            found = g_str_has_prefix(plot->heatmap->panels[i].name, *run);
        for (unsigned i = 0; i < entries->len && !found; i++)
            found = g_str_has_prefix(ns_series_name(entries->pdata[i]), *run);
        all = found;
    }
    return all;
}

/* "step 40, mean and s.d. of 5 seeds" */
static char *with_seeds(const NsPlotLayout *layout, const char *words)
{
    const char *seeds = layout->averaged ? layout->plot->averaged : NULL;
    return words && *words && seeds ? g_strconcat(words, ", ", seeds, NULL) : g_strdup(seeds);
}

int ns_frame_write_subtitle(NsFrame *frame, int lines)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    const NsStyle *style = layout->style;
    NsCaption caption = {plot->subtitle, plot->special, plot->moment};
    if (layout->identified) {
        caption.text += plot->special + strspn(plot->subtitle + plot->special, ";, ");
        caption.keep = 0;
    }
    g_autofree char *whole = with_seeds(layout, caption.text);
    g_autofree char *end = with_seeds(layout, caption.end);
    if (layout->averaged) caption = (NsCaption){whole, caption.keep, end};
    const NsTextSpace space = {layout->context, style, style->text_size,
                               layout->width - 2 * style->padding, MAX(lines, 1)};
    g_autofree char *words = caption.text ? ns_text_abridge(&space, &caption) : NULL;
    g_clear_object(&frame->text[NS_PART_SUBTITLE]);
    write_part(frame, NS_PART_SUBTITLE, words, space.size, false);
    if (!frame->show[NS_PART_SUBTITLE]) return 0;
    PangoLayout *text = frame->text[NS_PART_SUBTITLE];
    if (ns_text_width(text) > space.width) ns_text_limit(text, space.width, G_MAXINT16);
    return pango_layout_get_line_count(text);
}

/* If one line is too short for the note, only the marks are explained. */
int ns_frame_write_note(NsFrame *frame, int lines)
{
    NsPlotLayout *layout = frame->layout;
    const NsStyle *style = layout->style;
    const NsTextSpace space = {layout->context, style, NS_SMALL_TEXT * style->text_size,
                               layout->width - 2 * style->padding, lines};
    g_clear_object(&frame->text[NS_PART_NOTE]);
    frame->show[NS_PART_NOTE] = layout->note && !layout->lower;
    if (!frame->show[NS_PART_NOTE]) return 0;
    g_autofree char *brief = ns_text_abridge(&space, &(NsCaption){.text = layout->note});
    const char *words = brief ? brief : layout->note;
    bool cut = !brief || !g_str_equal(brief, layout->note);
    if (cut && lines == 1 && layout->marks) words = layout->marks;
    write_part(frame, NS_PART_NOTE, words, space.size, false);
    ns_text_limit(frame->text[NS_PART_NOTE], space.width, lines);
    return pango_layout_get_line_count(frame->text[NS_PART_NOTE]);
}

void ns_frame_write(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    const NsStyle *style = layout->style;
    double size = style->text_size, space = layout->width - 2 * style->padding;
    g_autofree char *x = axis_title(plot->x.label, plot->x.unit);
    g_autofree char *left = axis_title(plot->left.label, plot->left.unit);
    write_part(frame, NS_PART_TITLE, plot->title, style->title_size, true);
    ns_frame_write_subtitle(frame, NS_SUBTITLE_LINES);
    ns_frame_write_note(frame, NS_NOTE_LINES);
    write_part(frame, NS_PART_X_LABEL, plot->x.quiet ? NULL : x, size, false);
    write_part(frame, NS_PART_LEFT_LABEL, plot->left.quiet ? NULL : left, size, false);
    /* Before the first value there are no colors to explain. */
    bool bar = plot->heatmap && !plot->no_bar && layout->summary.z.lo <= layout->summary.z.hi;
    if (bar) write_part(frame, NS_PART_BAR_LABEL, plot->heatmap->label, size, false);
    if (!layout->summary.any)
        write_part(frame, NS_PART_EMPTY, plot->empty ? plot->empty : _("no data"), size, false);
    if (frame->show[NS_PART_TITLE]) {
        /* A title has one line, one more on a high page, and one more beside controls. */
        double taken = MAX(style->corner + CORNER_GAP * size - style->padding, 0);
        bool alongside = style->corner > 0, high = layout->height >= TWO_TITLE_LINES * size;
        ns_text_limit(frame->text[NS_PART_TITLE], alongside ? space - taken : space,
                      1 + alongside + high);
    }
    frame->show[NS_PART_X_TICK] = !plot->x.quiet;
    frame->show[NS_PART_LEFT_TICK] = !plot->left.quiet;
    frame->show[NS_PART_BAR_TICK] = bar;
    bool inside = plot->legend == NS_LEGEND_INSIDE && !plot->heatmap;
    frame->show[NS_PART_LEGEND] = plot->legend != NS_LEGEND_NONE && !inside;
    g_autoptr(PangoLayout) zero = ns_layout_text(layout, false, "0");
    PangoRectangle ink;
    pango_layout_get_extents(zero, &ink, NULL);
    frame->digit = (double)ink.height / PANGO_SCALE;
    frame->line = ns_text_height(zero);
    frame->x_words = frame->digit;
    /* Subscripts and large brackets extend below the line. */
    frame->marker_line = NS_MARKER_LINE * frame->line;
    for (size_t i = 0; i < plot->n_markers; i++) {
        if (!plot->markers[i].text) continue;
        g_autoptr(PangoLayout) text =
            ns_layout_text(layout, plot->markers[i].alarm, plot->markers[i].text);
        PangoRectangle depth;
        pango_layout_get_extents(text, &depth, NULL);
        frame->marker_line =
            MAX(frame->marker_line, (double)(depth.y + depth.height) / PANGO_SCALE);
        frame->show[NS_PART_MARKER] = true;
    }
}
