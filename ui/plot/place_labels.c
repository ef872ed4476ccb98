/* Positions of all labels.  SPDX-License-Identifier: MIT
 *
 * Labels around the plot area are placed once the boxes are known.  Labels inside it come last,
 * when the curves are known: each is placed where it covers the least of them, and never over
 * another label. */
#include "ui/plot/plot-private.h"

#include "ui/plot/colormap.h"
#include "ui/plot/heatmap.h"
#include "ui/plot/painter.h"
#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

/* In text sizes: the maximum height of a legend above the plot area: three lines, or six for
 * several runs. */
#define LEGEND_MOST 4.4
#define LEGEND_MOST_OF_RUNS 8.8

/* In text sizes: the gap below a title of several lines. */
#define TITLE_GAP 0.25

/* Significant digits of a point's label on an axis that is not limited to whole numbers. */
#define DIGITS 4

/* In text sizes: the gap between a line and its name. */
#define CLEAR 0.15

/* The name of a level may be at this many places along its line. */
#define LEVEL_PLACES 7

/* Iterations that move labels of neighboring vertical lines apart. */
#define SPREAD_ROUNDS 20

/* Maximum significant digits of numbers in cells. */
#define CELL_DIGITS 3

/* Measuring and placing share this function, so that they agree. */
double ns_place_head(NsFrame *frame, bool place)
{
    NsPlotLayout *layout = frame->layout;
    /* A lower plot starts directly below the plot above it. */
    double pad = layout->style->padding, y = frame->x ? 0 : pad;
    static const NsPart parts[] = {NS_PART_TITLE, NS_PART_SUBTITLE};
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        NsPart part = parts[i];
        if (!frame->show[part]) continue;
        if (place) ns_layout_add_label(layout, part, frame->text[part], pad, y, false);
        /* Without subscripts, which would move what is below. */
        double text_size = part ? frame->size : layout->style->title_size;
        g_autoptr(PangoLayout) plain =
            ns_text_new(layout->context, layout->style, text_size, part == NS_PART_TITLE, "0");
        int lines = pango_layout_get_line_count(frame->text[part]);
        double plain_height = ns_text_height(plain) * lines;
        /* In a text of several lines they have already moved the last line. */
        y += lines > 1 ? MAX(plain_height, ns_text_height(frame->text[part])) : plain_height;
        /* Lines of one text are closer to each other than to the next text. */
        if (lines > 1 && part == NS_PART_TITLE) y += TITLE_GAP * frame->size;
        if (part == NS_PART_TITLE) y = MAX(y, layout->style->corner_height);
    }
    if (frame->show[NS_PART_LEGEND] && layout->listed) {
        y += y > pad ? 0.25 * frame->size : 0;
        y += ns_legend_place_panels(layout, pad, y, layout->width - 2 * pad, place);
    } else if (frame->show[NS_PART_LEGEND]) {
        double space = layout->width - 2 * pad, gap = y > pad ? 0.25 * frame->size : 0;
        /* Names of runs may use more space, because a letter does not describe a run. */
        bool runs = layout->plot->lettered;
        double most = MIN((runs ? 0.5 : 0.25) * layout->height,
                          (runs ? LEGEND_MOST_OF_RUNS : LEGEND_MOST) * frame->size);
        double height = ns_legend_place(layout, pad, y + gap, space, most, place);
        if (height > 0) y += gap + height;
    }
    return y + (y > pad ? NS_GAP * frame->size : 0.5 * frame->digit);
}

static void free_text(void *text)
{
    g_clear_object(&text);
}

/* The texts of labeled ticks, with NULL for the others. */
static GPtrArray *tick_texts(NsPlotLayout *layout, const GArray *ticks)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func(free_text);
    for (unsigned i = 0; i < ticks->len; i++) {
        const char *label = g_array_index(ticks, NsTick, i).label;
        g_ptr_array_add(texts, label ? ns_layout_text(layout, false, label) : NULL);
    }
    return texts;
}

double ns_tick_texts_width(NsPlotLayout *layout, const GArray *ticks)
{
    g_autoptr(GPtrArray) texts = tick_texts(layout, ticks);
    double widest = 0;
    for (unsigned i = 0; i < texts->len; i++)
        if (texts->pdata[i]) widest = MAX(widest, ns_text_width(texts->pdata[i]));
    return widest;
}

/* The left end of a label of this width under a tick: centered, but inside the page. */
static double label_start(const NsPlotLayout *layout, double px, double width)
{
    double most = layout->width - width - layout->style->padding * 0.5;
    return CLAMP(px - width / 2, MIN(layout->style->padding * 0.5, most), most);
}

/* The extent of a label along the axis. */
static double across(const NsPlotLayout *layout, PangoLayout *text)
{
    return layout->turned ? ns_text_height(text) : ns_text_width(text);
}

/* Returns whether a label of this width at `start` would overlap labels from .. to - 1. */
static bool is_covered(const NsPlotLayout *layout, unsigned from, unsigned to, double start,
                       double width)
{
    double gap = NS_GAP * layout->style->text_size;
    for (unsigned i = from; i < to; i++) {
        const NsBox *box = &g_array_index(layout->labels, NsLabel, i).box;
        if (start < box->x + box->width + gap && box->x < start + width + gap) return true;
    }
    return false;
}

double ns_layout_point(const NsPlotLayout *layout, const NsSpan *span)
{
    const NsBox *area = &layout->area;
    double x = ns_scale_to_pixel(&layout->x, span->from);
    bool shown =
        !span->rows && span->from == span->to && x >= area->x && x <= area->x + area->width;
    return shown ? x : (double)NAN;
}

bool ns_layout_framed(const NsPlotLayout *layout, NsBox *box)
{
    const NsPlot *plot = layout->plot;
    const NsScale *x = &layout->x, *y = &layout->y;
    double left = NAN, right = NAN, top = NAN, bottom = NAN;
    for (size_t i = 0; plot->heatmap && i < plot->n_spans; i++) {
        const NsSpan *span = &plot->spans[i];
        if (!(span->from < span->to)) continue;
        double *ends[2] = {span->rows ? &bottom : &left, span->rows ? &top : &right};
        *ends[0] = ns_scale_to_pixel(span->rows ? y : x, span->from);
        *ends[1] = ns_scale_to_pixel(span->rows ? y : x, span->to);
    }
    *box = (NsBox){MIN(left, right), MIN(top, bottom), fabs(right - left), fabs(bottom - top)};
    return box->width > 0 && box->height > 0;
}

char *ns_point_number(const NsPlot *plot, const NsSpan *span)
{
    return plot->x.integer ? ns_text_fixed(span->from, 0) : ns_text_number(span->from, DIGITS);
}

static void place_x_ticks(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    bool many = layout->turned || layout->x.counted;
    double least = layout->x.counted ? CLEAR : layout->turned ? NS_TICK_APART : 2.4;
    unsigned limit = many ? (unsigned)layout->plot->x.n_names : 11;
    unsigned most = (unsigned)CLAMP(layout->area.width / (least * frame->size), 2, MAX(limit, 2));
    double gap = (layout->x.counted ? CLEAR : layout->turned ? 0 : 0.7) * frame->size;
    g_autoptr(GPtrArray) texts = NULL;
    bool fits = false;
    for (; !fits && most >= 2; most--) {
        g_clear_pointer(&layout->x_ticks, g_array_unref);
        g_clear_pointer(&texts, g_ptr_array_unref);
        layout->x_ticks = ns_scale_ticks(&layout->x, most);
        texts = tick_texts(layout, layout->x_ticks);
        fits = true;
        double end = -INFINITY;
        for (unsigned i = 0; i < texts->len && fits; i++) {
            if (!texts->pdata[i]) continue;
            double width = across(layout, texts->pdata[i]);
            double px =
                ns_scale_to_pixel(&layout->x, g_array_index(layout->x_ticks, NsTick, i).value);
            double start = label_start(layout, px, width);
            fits = !(start < end + gap);
            end = start + width;
        }
    }
    if (!frame->show[NS_PART_X_TICK]) return;
    double foot = layout->area.y + layout->area.height + NS_TICK * frame->size +
                  NS_TICK_GAP * frame->size + frame->digit;
    unsigned from = layout->labels->len;
    /* The labels of highlighted points have priority. */
    const NsPlot *plot = layout->plot;
    for (size_t i = 0; i < plot->n_spans; i++) {
        double px = ns_layout_point(layout, &plot->spans[i]);
        if (isnan(px)) continue;
        g_autofree char *number = ns_point_number(plot, &plot->spans[i]);
        g_autoptr(PangoLayout) text = ns_layout_text(layout, true, number);
        double width = ns_text_width(text), start = label_start(layout, px, width);
        if (is_covered(layout, from, layout->labels->len, start, width)) continue;
        NsLabel *label = ns_layout_add_label(layout, NS_PART_X_TICK, text, start,
                                             foot - ns_text_baseline(text), false);
        label->color = layout->style->text;
    }
    unsigned to = layout->labels->len;
    for (unsigned i = 0; i < texts->len && fits; i++) {
        PangoLayout *text = texts->pdata[i];
        NsTick *tick = &g_array_index(layout->x_ticks, NsTick, i);
        if (!text) continue;
        double width = across(layout, text);
        double start = label_start(layout, ns_scale_to_pixel(&layout->x, tick->value), width);
        double y = layout->turned ? foot - frame->digit : foot - ns_text_baseline(text);
        tick->covered = is_covered(layout, from, to, start, width);
        if (!tick->covered)
            ns_layout_add_label(layout, NS_PART_X_TICK, text, start, y, layout->turned);
    }
}

/* Places the labels of a vertical scale, right-aligned at x, or left-aligned if `right`. */
static void place_y_ticks(NsFrame *frame, const NsScale *scale, const GArray *ticks, double x,
                          bool right)
{
    NsPlotLayout *layout = frame->layout;
    double foot = layout->height + (right ? layout->plot->key_reach : 0);
    g_autoptr(GPtrArray) texts = tick_texts(layout, ticks);
    for (unsigned i = 0; i < texts->len; i++) {
        PangoLayout *text = texts->pdata[i];
        double py = ns_scale_to_pixel(scale, g_array_index(ticks, NsTick, i).value);
        if (!text) continue;
        double y = py + frame->digit / 2 - ns_text_baseline(text);
        ns_layout_add_label(layout, right ? NS_PART_BAR_TICK : NS_PART_LEFT_TICK, text,
                            right ? x : x - ns_text_width(text),
                            MIN(y, foot - ns_text_height(text)), false);
    }
}

/* Labels beside a panel, from the longest to the shortest: the name of its run and the title of its
 * axis, or parts of these.  A letter with the title is better than the name alone, because the
 * subtitle or the lines above explain the letter. */
static const struct {
    bool letter; /* the letter of the run instead of its name */
    bool axis;
    bool brief; /* without the part of the axis title in parentheses */
} ways[] = {
    {.axis = true},
    {.axis = true, .brief = true},
    {.letter = true, .axis = true},
    {.letter = true, .axis = true, .brief = true},
    {.letter = false},
    {.letter = true},
};

static PangoLayout *panel_words(NsFrame *frame, const NsPanel *panel, size_t way)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    bool letter = ways[way].letter && plot->lettered, axis = ways[way].axis;
    g_autofree char *name = letter ? ns_text_letter(panel->name) : g_strdup(panel->name);
    g_autofree char *title = g_strdup(axis && plot->left.label ? plot->left.label : "");
    char *bracket = ways[way].brief ? strstr(title, " (") : NULL;
    if (bracket) *bracket = '\0';
    g_autofree char *words = g_strconcat(name, axis ? " · " : "", title, NULL);
    return ns_layout_text(layout, false, words);
}

/* The first of these labels that fits beside all panels.  If the names are in lines above, letters
 * show which panel belongs to which run. */
static size_t fit_panels(NsFrame *frame)
{
    const NsHeatmap *map = frame->layout->plot->heatmap;
    const NsScale *y = &frame->layout->y;
    size_t way = 0, last = G_N_ELEMENTS(ways) - 1;
    for (bool fits = false; way < last; way++) {
        fits = !frame->layout->listed || ways[way].letter;
        for (size_t i = 0; i < map->n_panels && fits; i++) {
            NsPanel panel = ns_panel(map, i);
            double height = ns_scale_to_pixel(y, panel.lo) - ns_scale_to_pixel(y, panel.hi);
            g_autoptr(PangoLayout) text = panel_words(frame, &panel, way);
            fits = !(ns_text_width(text) + NS_GAP / 2 * frame->size > height);
        }
        if (fits) break;
    }
    return way;
}

bool ns_frame_panels_named(NsFrame *frame)
{
    const NsHeatmap *map = frame->layout->plot->heatmap;
    return map && map->n_panels && frame->show[NS_PART_LEFT_LABEL] && !frame->layout->listed &&
           !ways[fit_panels(frame)].letter;
}

bool ns_frame_list_panels(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    bool named = plot->heatmap && plot->heatmap->n_panels && plot->lettered;
    if (layout->listed || layout->identified || !named || !frame->show[NS_PART_LEGEND] ||
        !frame->show[NS_PART_LEFT_LABEL] || !ways[fit_panels(frame)].letter)
        return false;
    /* The subtitle, or the legend of a sheet, may have them. */
    const NsPlot *shared = plot->shared;
    bool identified = true;
    for (size_t i = 0; i < plot->heatmap->n_panels && identified; i++) {
        const char *name = plot->heatmap->panels[i].name;
        identified = frame->show[NS_PART_SUBTITLE] &&
                     strstr(ns_text_words(frame->text[NS_PART_SUBTITLE]), name);
        for (size_t k = 0; shared && k < shared->n_series; k++)
            identified |= g_strcmp0(ns_series_name(&shared->series[k]), name) == 0;
    }
    layout->listed = !identified;
    return layout->listed;
}

/* Places the labels beside the panels in the colors of their runs. */
static void place_panel_names(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsHeatmap *map = layout->plot->heatmap;
    const NsStyle *style = layout->style;
    size_t way = fit_panels(frame);
    for (size_t i = 0; i < map->n_panels; i++) {
        NsPanel panel = ns_panel(map, i);
        double top = ns_scale_to_pixel(&layout->y, panel.hi);
        double height = ns_scale_to_pixel(&layout->y, panel.lo) - top;
        g_autoptr(PangoLayout) text = panel_words(frame, &panel, way);
        /* The title of a thumbnail has the name as well. */
        if (ns_text_width(text) > height && layout->plot->thumbnail) continue;
        if (ns_text_width(text) > height) ns_text_limit(text, height, 1);
        double x = style->padding + frame->spare, y = top + (height - ns_text_width(text)) / 2;
        NsLabel *label = ns_layout_add_label(layout, NS_PART_LEFT_LABEL, text, x, y, true);
        label->color = ns_run_color(style, panel.style, style->text);
    }
}

/* The title of an axis, without its unit if it is too long, and then without the part in
 * parentheses. */
static PangoLayout *fit_label(NsFrame *frame, NsPart part, double space)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    const NsAxis *axis = part == NS_PART_X_LABEL ? &plot->x : &plot->left;
    bool bar = part == NS_PART_BAR_LABEL;
    PangoLayout **text = &frame->text[part];
    if (ns_text_width(*text) <= space) return *text;
    if (axis->unit && !bar) {
        g_object_unref(*text);
        *text = ns_layout_text(layout, false, axis->label);
    }
    const char *label = bar ? plot->heatmap->label : axis->label;
    const char *bracket = label ? strstr(label, " (") : NULL;
    if (bracket && ns_text_width(*text) > space) {
        g_autofree char *brief = g_strndup(label, (gsize)(bracket - label));
        g_object_unref(*text);
        *text = ns_layout_text(layout, false, brief);
    }
    if (ns_text_width(*text) > space) ns_text_limit(*text, space, 1);
    return *text;
}

static void place_axis_labels(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsBox *area = &layout->area;
    double pad = layout->style->padding, y = layout->height - pad;
    if (frame->show[NS_PART_NOTE]) {
        PangoLayout *text = frame->text[NS_PART_NOTE];
        y -= ns_text_height(text);
        ns_layout_add_label(layout, NS_PART_NOTE, text, pad, y, false);
        y -= NS_GAP * frame->size;
    }
    if (frame->show[NS_PART_X_LABEL]) {
        /* The label stays near its axis even if a square area leaves space below it. */
        double ticks = frame->show[NS_PART_X_TICK]
                           ? (NS_TICK + NS_TICK_GAP + NS_GAP) * frame->size + frame->x_words
                           : 0.5 * frame->digit;
        y = MIN(y, area->y + area->height + ticks + ns_text_height(frame->text[NS_PART_X_LABEL]));
        /* The label must not overlap a color bar that extends below the area. */
        bool key = layout->plot->key_reach > 0 || layout->plot->no_bar;
        double end = layout->width - (key ? frame->right : pad);
        PangoLayout *text = fit_label(frame, NS_PART_X_LABEL, end - pad);
        double width = ns_text_width(text), x = area->x + (area->width - width) / 2;
        x = MAX(pad, MIN(x, end - width));
        ns_layout_add_label(layout, NS_PART_X_LABEL, text, x, y - ns_text_height(text), false);
    }
    static const NsPart sides[] = {NS_PART_LEFT_LABEL, NS_PART_BAR_LABEL};
    bool panels = layout->plot->heatmap && layout->plot->heatmap->n_panels;
    if (panels && frame->show[NS_PART_LEFT_LABEL]) place_panel_names(frame);
    for (size_t i = 0; i < G_N_ELEMENTS(sides); i++) {
        if (!frame->show[sides[i]] || (panels && i == 0)) continue;
        PangoLayout *text = frame->text[sides[i]];
        /* A title that is longer than the axis may extend below the area and up to the labels of
         * markers. */
        double x =
            i ? layout->width - pad - frame->key_spare - ns_text_height(text) : pad + frame->spare;
        double highest = area->y - NS_GAP / 2 * frame->size;
        if (frame->show[NS_PART_MARKER]) highest -= frame->marker_line;
        double height = area->height + (i ? layout->plot->key_reach : 0);
        double lowest = layout->height - pad, gap = NS_GAP * frame->size;
        for (unsigned k = 0; k < layout->labels->len; k++) {
            const NsBox *box = &g_array_index(layout->labels, NsLabel, k).box;
            if (box->y >= area->y + area->height && box->x < x + ns_text_height(text) + gap &&
                box->x + box->width > x - gap)
                lowest = MIN(lowest, box->y - gap);
        }
        lowest += height - area->height;
        /* Above a second panel it stops there, or the two titles would read as one. */
        if (layout->plot->lower) lowest = MIN(area->y + height, layout->height - gap / 2);
        text = fit_label(frame, sides[i], lowest - highest);
        /* A thumbnail leaves out a title that does not fit. */
        if (layout->plot->thumbnail && pango_layout_is_ellipsized(text)) continue;
        double width = ns_text_width(text), top = area->y + (height - width) / 2;
        top = MIN(MAX(top, highest), lowest - width);
        ns_layout_add_label(layout, sides[i], text, x, top, true);
    }
}

char *ns_marker_words(const NsMarker *marker)
{
    GString *words = g_string_new(NULL);
    for (unsigned i = 0; marker->lanes >> i; i++)
        if (marker->lanes >> i & 1)
            g_string_append_printf(words, "%s%s", words->len ? ", " : "", marker->names[i]);
    g_string_append(words, marker->what);
    return g_string_free(words, FALSE);
}

/* The label of a vertical line, or of n with the same words, from the first to the last. */
typedef struct {
    NsMarker marker; /* of all of their lanes */
    PangoLayout *text;
    double first, last, x, width;
    unsigned n;
    bool repeated; /* some lane has more than one of them */
} MarkerWords;

static void clear_words(void *words)
{
    g_object_unref(((MarkerWords *)words)->text);
}

static int compare_words(const void *pa, const void *pb)
{
    const MarkerWords *a = pa, *b = pb;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* Writes a label and centers it at its lines. */
static void write_marker(const NsPlotLayout *layout, MarkerWords *words)
{
    const NsBox *area = &layout->area;
    const NsMarker *marker = &words->marker;
    double right = layout->width - layout->style->padding;
    if (layout->plot->heatmap) right = area->x + area->width; /* its color bar is beyond */
    g_autofree char *lanes = marker->lanes ? ns_marker_words(marker) : g_strdup(marker->text);
    g_autofree char *all = g_strdup_printf("%s ×%u", lanes, words->n);
    g_clear_object(&words->text);
    words->text = ns_layout_text(layout, marker->alarm, words->repeated ? all : lanes);
    if (ns_text_width(words->text) > area->width) ns_text_limit(words->text, area->width, 1);
    words->width = ns_text_width(words->text);
    words->x =
        CLAMP((words->first + words->last - words->width) / 2, area->x, right - words->width);
}

/* The labels of a rank whose lines are visible, from left to right.  Labels of the same words that
 * would overlap are one: "spike ×4", "A, B stuck"; but each end of a run has its own. */
static GArray *words_of_markers(NsFrame *frame, unsigned of_rank)
{
    NsPlotLayout *layout = frame->layout;
    const NsBox *area = &layout->area;
    GArray *found = g_array_new(FALSE, FALSE, sizeof(MarkerWords));
    g_array_set_clear_func(found, clear_words);
    for (size_t i = 0; i < layout->plot->n_markers; i++) {
        const NsMarker *marker = &layout->plot->markers[i];
        double x = ns_scale_to_pixel(&layout->x, marker->x);
        MarkerWords words = {.marker = *marker, .first = x, .last = x, .n = 1};
        bool seen = x >= area->x - 1 && x <= area->x + area->width + 1;
        if (!marker->text || (marker->last ? 2 : marker->alarm) != of_rank || !seen) continue;
        write_marker(layout, &words);
        g_array_append_val(found, words);
    }
    g_array_sort(found, compare_words);
    for (unsigned i = 1; i < found->len;) {
        MarkerWords *a = &g_array_index(found, MarkerWords, i - 1), *b = a + 1;
        NsMarker *of = &a->marker, *next = &b->marker;
        bool apart = a->x + a->width + frame->size / 2 < b->x, same = next->lanes == of->lanes;
        bool joined = of->lanes && next->lanes
                          ? (same || of_rank < 2) && g_str_equal(of->what, next->what)
                          : g_str_equal(of->text, next->text);
        if (apart || !joined) {
            i++;
            continue;
        }
        a->last = b->last;
        a->n += b->n;
        a->repeated |= b->repeated || same || (of->lanes & next->lanes);
        of->lanes |= next->lanes;
        if (of->style != next->style) of->style = 0;
        g_array_remove_index(found, i);
        write_marker(layout, a);
        i = MAX(i - 1, 1);
    }
    return found;
}

/* Places the labels of markers on a line above the area.  If they would overlap, ends of runs have
 * priority, then other alarms, then later steps; the others move to the left.  A label that would
 * be far from its line is omitted. */
static void place_markers(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    double y = layout->area.y - frame->marker_line, gap = frame->size;
    unsigned first = layout->labels->len;
    for (int ranks = 3; ranks-- > 0;) {
        g_autoptr(GArray) all = words_of_markers(frame, (unsigned)ranks);
        if (ranks == 2) {
            /* Move labels of neighboring lines apart within the page. */
            double least = layout->style->padding, most = layout->width - layout->style->padding;
            for (int round = 0; round < SPREAD_ROUNDS; round++)
                for (unsigned i = 1; i < all->len; i++) {
                    MarkerWords *a = &g_array_index(all, MarkerWords, i - 1);
                    MarkerWords *b = &g_array_index(all, MarkerWords, i);
                    double missing = a->x + a->width + gap - b->x;
                    if (missing <= 0) continue;
                    a->x = MAX(a->x - missing / 2, least);
                    b->x = MIN(a->x + a->width + gap, most - b->width);
                    a->x = MIN(a->x, MAX(b->x - gap - a->width, least));
                }
        }
        for (unsigned i = all->len; i-- > 0;) {
            const MarkerWords *words = &g_array_index(all, MarkerWords, i);
            double x = words->x, far = ranks == 2 ? words->width : gap;
            for (unsigned k = first; k < layout->labels->len; k++) {
                const NsBox *box = &g_array_index(layout->labels, NsLabel, k).box;
                if (x + words->width + gap / 2 < box->x || x > box->x + box->width + gap / 2)
                    continue;
                x = box->x - gap - words->width; /* to its left, where others may be */
                k = first - 1;
            }
            bool near = words->last >= x - words->width && words->first <= x + words->width + far;
            if (!near || x < layout->style->padding) continue;
            NsLabel *label = ns_layout_add_label(layout, NS_PART_MARKER, words->text, x, y, false);
            label->color = ns_marker_color(layout->style, &words->marker, layout->style->text);
            label->alarm = words->marker.alarm;
            label->style = words->marker.style;
        }
    }
}

/* In a file, the unit of a vertical axis that is shorter than its label is in the title.  Two
 * labels above each other would read as one. */
static void move_unit(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    const NsPlot *plot = layout->plot;
    PangoLayout **label = &frame->text[NS_PART_LEFT_LABEL], **title = &frame->text[NS_PART_TITLE];
    if (!plot->left.unit || !frame->show[NS_PART_LEFT_LABEL] || !frame->show[NS_PART_TITLE] ||
        layout->style->corner > 0 || g_str_has_suffix(plot->title, " ") ||
        ns_text_width(*label) <= layout->area.height + (layout->lower ? -1 : 1) * frame->size)
        return;
    g_autofree char *words = g_strdup_printf("%s (%s)", plot->title, plot->left.unit);
    g_autoptr(PangoLayout) longer =
        ns_text_new(layout->context, layout->style, layout->style->title_size, true, words);
    if (ns_text_width(longer) > layout->width - 2 * layout->style->padding) return;
    g_set_object(title, longer);
    g_object_unref(*label);
    *label = ns_layout_text(layout, false, plot->left.label);
}

void ns_place_outer_labels(NsFrame *frame)
{
    NsPlotLayout *layout = frame->layout;
    double out = NS_TICK * frame->size + NS_TICK_GAP * frame->size;
    const NsBox *area = &layout->area, *bar = &layout->bar;
    move_unit(frame);
    ns_place_head(frame, true);
    if (frame->show[NS_PART_MARKER]) place_markers(frame);
    place_x_ticks(frame);
    if (frame->show[NS_PART_LEFT_TICK])
        place_y_ticks(frame, &layout->y, layout->y_ticks, area->x - out, false);
    if (frame->show[NS_PART_BAR_TICK] && bar->width > 0)
        place_y_ticks(frame, &layout->z, layout->z_ticks, bar->x + bar->width + out, true);
    place_axis_labels(frame);
    if (frame->show[NS_PART_EMPTY]) {
        PangoLayout *text = frame->text[NS_PART_EMPTY];
        ns_text_limit(text, area->width * 0.9, MAX(1, (int)(area->height / frame->line)));
        pango_layout_set_alignment(text, PANGO_ALIGN_CENTER);
        double x = area->x + area->width * 0.05;
        double y = area->y + (area->height - ns_text_height(text)) / 2;
        ns_layout_add_label(layout, NS_PART_EMPTY, text, x, y, false);
    }
}

static void add_line_name(NsPlotLayout *layout, PangoLayout *text, NsPoint at, NsColor color)
{
    ns_layout_add_label(layout, NS_PART_LINE_NAME, text, at.x, at.y, false)->color = color;
}

/* Places the name of a level directly above or below its line, as far to the right as possible,
 * where it covers no curve.  Returns false if there is no such place. */
static bool place_level(NsPlotLayout *layout, const NsLevel *level)
{
    const NsStyle *style = layout->style;
    NsBox space = ns_layout_inside(layout);
    double py = ns_scale_to_pixel(&layout->y, level->y);
    g_autoptr(PangoLayout) text = ns_layout_text(layout, false, level->text);
    if (ns_text_width(text) > space.width) ns_text_limit(text, space.width, 1);
    NsPoint size, at, places[2 * LEVEL_PLACES];
    ns_text_size(text, &size.x, &size.y);
    double gap = CLEAR * style->text_size;
    if (level->handle)
        gap = MAX(gap, NS_GRIP * style->text_size / 2 + (NS_GRIP_ARROW + 1) * style->axis_width);
    size_t n = 0;
    for (int i = 0; i < 2 * LEVEL_PLACES; i++) {
        double share = 1 - (double)(i / 2) / (LEVEL_PLACES - 1);
        double top = i % 2 ? py + gap : py - gap - size.y, middle = top + size.y / 2;
        double far = i % 2 ? top + size.y : top;
        /* Beyond another line, or nearer to it, it would seem to be that line's name. */
        bool other = false;
        for (size_t k = 0; k < layout->plot->n_levels; k++) {
            double y = ns_scale_to_pixel(&layout->y, layout->plot->levels[k].y);
            other |= (y - py) * (y - far) < 0 || fabs(y - middle) < fabs(py - middle);
        }
        if (!other) places[n++] = (NsPoint){space.x + share * (space.width - size.x), top};
    }
    unsigned covered;
    if (!ns_layout_least_crowded(layout, places, n, &size, &at, &covered) || covered) return false;
    add_line_name(layout, text, at, style->faint_text);
    return true;
}

/* Without its line, a name would seem to belong to another one. */
static void place_levels(NsPlotLayout *layout)
{
    const NsBox *area = &layout->area;
    for (size_t i = 0; i < MIN(layout->plot->n_levels, NS_LEVELS_MAX); i++) {
        const NsLevel *level = &layout->plot->levels[i];
        double py = ns_scale_to_pixel(&layout->y, level->y);
        bool named = level->text && !(layout->listed_levels >> i & 1);
        if (named && py >= area->y && py <= area->y + area->height && !place_level(layout, level))
            layout->unnamed_levels |= 1u << i;
    }
}

/* Places the name of a slope beside its middle, on the side with fewer curves. */
static void place_slope(NsPlotLayout *layout, const NsSlope *slope)
{
    const NsScale *y = &layout->y;
    NsPoint a = {ns_scale_to_pixel(&layout->x, slope->x0), ns_scale_to_pixel(y, slope->y0)};
    NsPoint b = {ns_scale_to_pixel(&layout->x, slope->x1), ns_scale_to_pixel(y, slope->y1)};
    if (!slope->text || isnan(a.x + a.y + b.x + b.y)) return;
    const NsStyle *style = layout->style;
    double gap = 0.5 * style->text_size;
    g_autoptr(PangoLayout) text = ns_layout_text(layout, false, slope->text);
    NsPoint size, corners[10];
    ns_text_size(text, &size.x, &size.y);
    size_t n = 0;
    for (int i = 0; i < 5; i++) {
        static const double parts[] = {0.5, 0.65, 0.35, 0.8, 0.2};
        double x = a.x + parts[i] * (b.x - a.x), py = a.y + parts[i] * (b.y - a.y);
        /* Above a line that falls on the page, the free side is to the right. */
        bool falls = (b.y - a.y) * (b.x - a.x) > 0;
        corners[n++] = (NsPoint){falls ? x + gap : x - gap - size.x, py - size.y};
        corners[n++] = (NsPoint){falls ? x - gap - size.x : x + gap, py};
    }
    NsPoint at;
    unsigned covered;
    const NsSeriesStyle *look = &style->series[slope->style % NS_SERIES_STYLES];
    if (ns_layout_least_crowded(layout, corners, n, &size, &at, &covered))
        add_line_name(layout, text, at, look->color);
}

/* On a logarithmic scale with significant digits, otherwise with the decimals that the largest
 * value would have. */
static PangoLayout *value_text(const NsPlotLayout *layout, double value, int digits)
{
    const NsStyle *style = layout->style;
    const NsScale *z = &layout->z;
    double largest = MAX(fabs(z->lo), fabs(z->hi));
    bool even = !layout->plot->heatmap->log && largest > 0;
    int before = even ? (int)ceil(log10(largest) - 1e-9) : 0;
    g_autofree char *number =
        even ? ns_text_fixed(value, MAX(digits - before, 0)) : ns_text_number(value, digits);
    return ns_text_new(layout->context, style, NS_SMALL_TEXT * style->text_size, false, number);
}

/* Places numbers in cells if all of them fit. */
static void place_values(NsPlotLayout *layout)
{
    const NsHeatmap *map = layout->plot->heatmap;
    const NsScale *x = &layout->x, *y = &layout->y, *z = &layout->z;
    double dx = (map->x1 - map->x0) / (double)map->columns;
    double dy = (map->y1 - map->y0) / (double)map->rows;
    double width = fabs(ns_scale_to_pixel(x, map->x0 + dx) - ns_scale_to_pixel(x, map->x0));
    double height = fabs(ns_scale_to_pixel(y, map->y0 + dy) - ns_scale_to_pixel(y, map->y0));
    double least = 2 * NS_SMALL_TEXT * layout->style->text_size;
    if (!(width > least && height > 0.6 * least)) return;
    const NsBox *area = &layout->area;
    /* The largest number of digits that fits into every cell; 1 if two do not. */
    int digits = CELL_DIGITS;
    for (size_t i = 0; i < map->rows * map->columns && digits > 1;) {
        double value = (double)ns_heatmap_row(map, i / map->columns)[i % map->columns];
        g_autoptr(PangoLayout) text = value_text(layout, value, digits);
        if (ns_scale_shows(z->kind, value) && ns_text_width(text) > 0.9 * width)
            digits--;
        else
            i++;
    }
    for (size_t row = 0; row < map->rows && digits > 1; row++)
        for (size_t column = 0; column < map->columns; column++) {
            double cx = ns_scale_to_pixel(x, map->x0 + ((double)column + 0.5) * dx);
            double cy = ns_scale_to_pixel(y, map->y0 + ((double)row + 0.5) * dy);
            double left = cx - width / 2, top = cy - height / 2, w, h;
            double value = (double)ns_heatmap_row(map, row)[column];
            /* Cells that are cut by fixed limits have no number. */
            if (left < area->x - 1 || left + width > area->x + area->width + 1 ||
                top < area->y - 1 || top + height > area->y + area->height + 1 ||
                !ns_scale_shows(z->kind, value))
                continue;
            g_autoptr(PangoLayout) text = value_text(layout, value, digits);
            ns_text_size(text, &w, &h);
            if (w > 0.9 * width || h > height) continue;
            NsLabel *label = ns_layout_add_label(layout, NS_PART_CELL, text, left + (width - w) / 2,
                                                 top + (height - h) / 2, false);
            /* Black or white, whichever has more contrast to the color of the cell. */
            double t = (ns_scale_position(z, value) - z->from) / (z->to - z->from);
            NsColor c = ns_map_color(map->colors, t);
            double light = 0.299 * c.r + 0.587 * c.g + 0.114 * c.b;
            label->color = light > 0.5 ? (NsColor){0, 0, 0, 1} : (NsColor){1, 1, 1, 1};
        }
}

void ns_place_inner_labels(NsPlotLayout *layout)
{
    const NsPlot *plot = layout->plot;
    if (!layout->summary.any) return;
    const NsHeatmap *map = plot->heatmap;
    if (map && map->values && map->rows && map->columns) place_values(layout);
    if (plot->legend == NS_LEGEND_INSIDE) ns_legend_place_inside(layout);
    ns_end_names_place(layout);
    place_levels(layout);
    for (size_t i = 0; i < plot->n_slopes; i++) place_slope(layout, &plot->slopes[i]);
}
