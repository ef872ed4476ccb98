/* A figure as TeX, for the package pgfplots.  SPDX-License-Identifier: MIT */
#include "ui/plot/pgfplots.h"

#include "ui/plot/colormap.h"
#include "ui/plot/draw_series.h"
#include "ui/plot/heatmap.h"
#include "ui/plot/labels.h"
#include "ui/plot/legend.h"
#include "ui/plot/panels.h"
#include "ui/plot/pgfplots-private.h"
#include "ui/plot/place_labels.h"
#include "ui/plot/tex.h"
#include "ui/plot/text.h"

#include <math.h>

/* In text sizes: tick labels are smaller because TeX's digits are wider than those of the
 * layout. */
#define TICK_SIZE 0.92

/* A plot on the TeX page, with its upper left corner at (left, top). */
typedef struct {
    GString *out;
    const NsPlotLayout *layout;
    double left, top;
} Page;

static void append_rgb(GString *out, const char *name, const NsColor *color)
{
    g_string_append_printf(out, "\\definecolor{%s}{RGB}{%d,%d,%d}\n", name,
                           (int)lround(color->r * 255), (int)lround(color->g * 255),
                           (int)lround(color->b * 255));
}

static void append_colors(GString *out, const NsStyle *style)
{
    for (int i = 0; i < NS_SERIES_STYLES; i++) {
        char name[16];
        g_snprintf(name, sizeof name, "chart-%d", i);
        append_rgb(out, name, &style->series[i].color);
    }
    append_rgb(out, "chart-previous", &style->previous);
    append_rgb(out, "chart-alarm", &style->alarm);
    append_rgb(out, "chart-words", &style->text);
    append_rgb(out, "chart-faint", &style->faint_text);
    append_rgb(out, "chart-axis", &style->axis);
    append_rgb(out, "chart-grid", &style->grid);
    append_rgb(out, "chart-page", &style->background);
}

/* ---- axes ---- */

/* Appends a tick and its label. */
static void add_tick(GString *at, GString *words, double coordinate, const char *label)
{
    g_autofree char *text = ns_tex_text(label);
    ns_tex_printf(at, at->len ? ",%g" : "%g", coordinate);
    g_string_append_printf(words, words->len ? ",{%s}" : "{%s}", text);
}

static void append_ticks(GString *out, const char *axis, const NsScale *scale, const GArray *ticks,
                         bool quiet)
{
    g_autoptr(GString) at = g_string_new(NULL), words = g_string_new(NULL);
    g_autoptr(GString) minor = g_string_new(NULL), none = g_string_new(NULL);
    for (unsigned i = 0; i < ticks->len; i++) {
        const NsTick *tick = &g_array_index(ticks, NsTick, i);
        bool major = tick->label != NULL;
        add_tick(major ? at : minor, major ? words : none, ns_pgf_coordinate(scale, tick->value),
                 quiet || tick->covered ? NULL : tick->label);
    }
    g_string_append_printf(out, "  %stick={%s},\n  %sticklabels={%s},\n", axis,
                           at->len ? at->str : "\\empty", axis, words->str);
    if (minor->len) g_string_append_printf(out, "  minor %stick={%s},\n", axis, minor->str);
}

static void append_axis(GString *out, const char *axis, const NsAxis *what, const NsScale *scale,
                        const GArray *ticks, double from, double to)
{
    g_autofree char *label = ns_tex_text(what->label), *unit = ns_tex_text(what->unit);
    double a = ns_pgf_coordinate_at(scale, from), b = ns_pgf_coordinate_at(scale, to);
    ns_tex_printf(out, "  %smode=%s,\n  %smin=%g,\n  %smax=%g,\n", axis,
                  scale->kind == NS_SCALE_LOG ? "log" : "linear", axis, MIN(a, b), axis, MAX(a, b));
    if (a > b) g_string_append_printf(out, "  %s dir=reverse,\n", axis);
    if (*label && !what->quiet)
        g_string_append_printf(out, *unit ? "  %slabel={%s (%s)},\n" : "  %slabel={%s},\n", axis,
                               label, unit);
    append_ticks(out, axis, scale, ticks, what->quiet);
}

/* ---- lines with labels ---- */

static void append_straight(GString *out, const char *look, double x0, double y0, double x1,
                            double y1)
{
    ns_tex_printf(out, "\\draw[%s] (axis cs:%g,%g) -- (axis cs:%g,%g);\n", look, x0, y0, x1, y1);
}

/* Lines at highlighted points of the horizontal axis. */
static void append_points(GString *out, const NsPlotLayout *layout, double y0, double y1)
{
    const NsPlot *plot = layout->plot;
    for (size_t i = 0; i < plot->n_spans; i++) {
        double x = ns_pgf_coordinate(&layout->x, plot->spans[i].from);
        if (!isnan(ns_layout_point(layout, &plot->spans[i])))
            append_straight(out, plot->heatmap ? "white" : "chart-words", x, y0, x, y1);
    }
}

/* A white frame around cells, with an outline that is visible on white. */
static void append_frame(GString *out, const NsPlotLayout *layout)
{
    static const double widths[] = {5, 2.5};
    const NsScale *x = &layout->x, *y = &layout->y[NS_AXIS_LEFT];
    NsBox box;
    for (int pass = 0; pass < 2 && ns_layout_framed(layout, &box); pass++) {
        double width = widths[pass] * layout->style->axis_width, inset = widths[0] / 2;
        inset *= layout->style->axis_width;
        ns_tex_printf(out,
                      "\\draw[%s, line width=%gbp] (axis cs:%g,%g) rectangle (axis cs:%g,%g);\n",
                      pass ? "white" : "black", width, ns_pgf_coordinate_at(x, box.x + inset),
                      ns_pgf_coordinate_at(y, box.y + inset),
                      ns_pgf_coordinate_at(x, box.x + box.width - inset),
                      ns_pgf_coordinate_at(y, box.y + box.height - inset));
    }
}

/* The labels of these points at the axis. */
static void append_point_ticks(GString *out, const NsPlotLayout *layout)
{
    const NsPlot *plot = layout->plot;
    g_autoptr(GString) at = g_string_new(NULL), words = g_string_new(NULL);
    for (size_t i = 0; i < plot->n_spans && !plot->x.quiet; i++) {
        if (isnan(ns_layout_point(layout, &plot->spans[i]))) continue;
        g_autofree char *number = ns_point_number(plot, &plot->spans[i]);
        add_tick(at, words, ns_pgf_coordinate(&layout->x, plot->spans[i].from), number);
    }
    if (at->len)
        g_string_append_printf(
            out,
            "  extra x ticks={%s}, extra x tick labels={%s},\n"
            "  extra x tick style={grid=none, tick label style={text=chart-words, "
            "font=\\charttickfont\\bfseries}},\n",
            at->str, words->str);
}

static void append_annotations(GString *out, const NsPlotLayout *layout, double x0, double x1,
                               double y0, double y1)
{
    const NsPlot *plot = layout->plot;
    for (size_t i = 0; i < plot->n_levels; i++) {
        const NsLevel *level = &plot->levels[i];
        double y = ns_pgf_coordinate(&layout->y[level->side], level->y);
        if (level->side == NS_AXIS_LEFT && isfinite(y))
            append_straight(out, "chart-words, densely dashed", x0, y, x1, y);
    }
    for (size_t i = 0; i < plot->n_slopes; i++) {
        const NsSlope *slope = &plot->slopes[i];
        const NsScale *y = &layout->y[slope->side];
        if (slope->side == NS_AXIS_LEFT)
            append_straight(
                out, "chart-words, densely dotted", ns_pgf_coordinate(&layout->x, slope->x0),
                ns_pgf_coordinate(y, slope->y0), ns_pgf_coordinate(&layout->x, slope->x1),
                ns_pgf_coordinate(y, slope->y1));
    }
    for (size_t i = 0; i < plot->n_markers; i++) {
        const NsMarker *marker = &plot->markers[i];
        double x = ns_pgf_coordinate(&layout->x, marker->x);
        if (!(x >= MIN(x0, x1) && x <= MAX(x0, x1))) continue;
        char look[64];
        if (marker->style)
            g_snprintf(look, sizeof look, "chart-%u%s", (marker->style - 1) % NS_SERIES_STYLES,
                       marker->alarm ? "" : ", densely dashed");
        else
            g_strlcpy(look, marker->alarm ? "chart-alarm" : "chart-axis, densely dashed",
                      sizeof look);
        append_straight(out, look, x, y0, x, y1);
    }
}

/* ---- heatmaps ---- */

/* Nine colors, between which pgfplots interpolates, approximate the palette without a visible
 * difference. */
static void append_colormap(GString *out, const NsPlotLayout *layout)
{
    uint32_t palette[256];
    ns_level_palette(palette, layout->style, layout->plot->heatmap->colors);
    g_string_append(out, "  colormap={cells}{");
    for (int i = 0; i <= 8; i++) {
        uint32_t color = palette[NS_LEVEL_LOW + (NS_LEVEL_HIGH - NS_LEVEL_LOW) * i / 8];
        g_string_append_printf(out, " rgb255=(%u,%u,%u)", color >> 16 & 255, color >> 8 & 255,
                               color & 255);
    }
    g_string_append(out, "},\n");
    ns_tex_printf(out, "  point meta min=%g,\n  point meta max=%g,\n", layout->z.from,
                  layout->z.to);
}

/* The box of the axes is the plot area without its strips. */
static NsBox frame_of(const NsPlotLayout *layout)
{
    NsBox box = layout->area;
    box.y += layout->strip_top;
    box.height -= layout->strip_top + layout->strip_bottom;
    return box;
}

/* Places an axis label as in the layout, because TeX's fonts have other widths. */
static void append_label_place(GString *out, const NsPlotLayout *layout, const NsBox *box,
                               NsPart part, const char *axis, int angle)
{
    const NsLabel *label = ns_layout_label(layout, part);
    if (!label) return;
    double x = label->box.x + label->box.width / 2, y = label->box.y + label->box.height / 2;
    ns_tex_printf(out,
                  "  every axis %s label/.style={at={(axis description cs:%g,%g)}, "
                  "anchor=center, rotate=%d, text=chart-words},\n",
                  axis, (x - box->x) / box->width, (box->y + box->height - y) / box->height, angle);
}

static void append_colorbar(GString *out, const NsPlotLayout *layout)
{
    const NsBox *area = &layout->area, *bar = &layout->bar;
    if (!(bar->width > 0) || layout->z.blank) return;
    g_autofree char *label = ns_tex_text(layout->plot->heatmap->label);
    g_autoptr(GString) at = g_string_new(NULL), words = g_string_new(NULL);
    for (unsigned i = 0; i < layout->z_ticks->len; i++) {
        const NsTick *tick = &g_array_index(layout->z_ticks, NsTick, i);
        if (!tick->label) continue;
        double along = (ns_scale_to_pixel(&layout->z, tick->value) - layout->z.p0) /
                       (layout->z.p1 - layout->z.p0);
        add_tick(at, words, layout->z.from + along * (layout->z.to - layout->z.from), tick->label);
    }
    ns_tex_printf(out,
                  "  colorbar,\n  colorbar style={at={(%g,1)}, anchor=north west, axis lines=box, "
                  "axis line style={draw=none}, width=%gbp, height=%gbp, ylabel={%s}, ytick={%s}, "
                  "yticklabels={%s},\n    ",
                  (bar->x - area->x) / area->width, bar->width, bar->height, label, at->str,
                  words->str);
    append_label_place(out, layout, bar, NS_PART_RIGHT_LABEL, "y", 90);
    g_string_append(out, "  },\n");
}

/* ---- the page ---- */

/* Shrinks a text that would be too wide in TeX's fonts. */
static void append_within(GString *out, const char *text, double room)
{
    ns_tex_printf(out,
                  "{\\sbox0{%s}\\ifdim\\wd0>%gbp\\resizebox{%gbp}{!}{\\usebox0}"
                  "\\else\\usebox0\\fi};\n",
                  text, room, room);
}

/* Begins a node with its upper left corner at the position of the label. */
static void open_node(const Page *page, const char *look, const NsLabel *label)
{
    ns_tex_printf(page->out, "\\node[anchor=north west, inner sep=0bp, %s] at (%gbp,%gbp) ", look,
                  page->left + label->x, page->top - label->y);
}

/* Writes one line of text, which ends at the edge of the page at the latest. */
static void append_line(const Page *page, NsPart part, const char *look)
{
    const NsPlotLayout *layout = page->layout;
    const NsLabel *label = ns_layout_label(layout, part);
    if (!label) return;
    g_autofree char *text = ns_tex_text(ns_text_words(label->text));
    open_node(page, look, label);
    append_within(page->out, text, layout->width - layout->style->padding - label->x);
}

/* Writes a wrapped text, shrunk if TeX's fonts need more lines. */
static void append_paragraph(GString *out, const char *text, double width, double height)
{
    ns_tex_printf(out,
                  "{\\sbox0{\\parbox[t]{%gbp}{\\raggedright %s}}"
                  "\\ifdim\\dimexpr\\ht0+\\dp0>%gbp"
                  "\\resizebox*{!}{%gbp}{\\usebox0}\\else\\usebox0\\fi};\n",
                  width, text, height, height);
}

/* Writes a subtitle or note, which may have several lines. */
static void append_lines(const Page *page, NsPart part, const char *look)
{
    const NsPlotLayout *layout = page->layout;
    const NsLabel *label = ns_layout_label(layout, part);
    if (!label || pango_layout_get_line_count(label->text) < 2) {
        append_line(page, part, look);
        return;
    }
    g_autofree char *text = ns_tex_text(ns_text_words(label->text));
    open_node(page, look, label);
    append_paragraph(page->out, text, layout->width - 2 * layout->style->padding,
                     ns_text_height(label->text));
}

/* The look of a marker's label: the color of its run, or else that of an alarm. */
static char *marker_words_look(const NsMarker *marker)
{
    const char *bold = marker->alarm ? ", font=\\bfseries" : "";
    if (marker->style)
        return g_strdup_printf("chart-%u%s", (marker->style - 1) % NS_SERIES_STYLES, bold);
    return g_strconcat(marker->alarm ? "chart-alarm" : "chart-words", bold, NULL);
}

/* Writes a text in the middle of its label. */
static void append_centered(const Page *page, const NsLabel *label, const char *look)
{
    g_autofree char *text = ns_tex_text(ns_text_words(label->text));
    ns_tex_printf(page->out, "\\node[inner sep=0bp, rotate=%d, %s] at (%gbp,%gbp) ",
                  label->rotated ? 90 : 0, look, page->left + label->box.x + label->box.width / 2,
                  page->top - label->box.y - label->box.height / 2);
    append_within(page->out, text, ns_text_width(label->text));
}

/* Writes the labels of markers, levels and slopes, and the numbers in cells, if the layout has
 * placed them. */
static void append_names(const Page *page)
{
    const NsPlotLayout *layout = page->layout;
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part == NS_PART_CELL)
            append_centered(page, label, label->color.r > 0.5 ? "white" : "black");
        if (!label->marker && label->part != NS_PART_LINE_NAME) continue;
        g_autofree char *look =
            label->marker ? marker_words_look(label->marker) : g_strdup("chart-words");
        g_autofree char *text = ns_tex_text(ns_text_words(label->text));
        open_node(page, look, label);
        append_within(page->out, text, ns_text_width(label->text));
    }
}

/* Writes the names of panels in the colors of their runs, centered in their labels: beside the
 * panels, or in the legend if they do not fit there. */
static void append_panel_names(const Page *page)
{
    const NsHeatmap *map = page->layout->plot->heatmap;
    size_t beside = 0, listed = 0;
    for (unsigned i = 0; i < page->layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(page->layout->labels, NsLabel, i);
        if (label->part != NS_PART_LEFT_LABEL && label->part != NS_PART_LEGEND) continue;
        size_t *at = label->part == NS_PART_LEGEND ? &listed : &beside;
        if (*at >= map->n_panels) continue;
        unsigned style = map->panels[(*at)++].style;
        g_autofree char *look = style ? g_strdup_printf("chart-%u", (style - 1) % NS_SERIES_STYLES)
                                      : g_strdup("chart-words");
        append_centered(page, label, look);
    }
}

/* Draws gaps between panels in the color of the background. */
static void append_seams(GString *out, const NsPlotLayout *layout, double x0, double x1)
{
    const NsHeatmap *map = layout->plot->heatmap;
    bool bare = layout->style->background.a > 0;
    for (size_t i = 0; bare && map && i + 1 < map->n_panels; i++) {
        g_autoptr(GString) look = g_string_new(NULL);
        ns_tex_printf(look, "chart-page, line width=%gbp", NS_SEAM * layout->style->text_size);
        double y = ns_panel(map, i).lo;
        append_straight(out, look->str, x0, y, x1, y);
    }
}

static void append_place(const Page *page)
{
    NsBox frame = frame_of(page->layout);
    ns_tex_printf(page->out,
                  "  at={(%gbp,%gbp)}, anchor=south west, scale only axis,\n"
                  "  width=%gbp,\n  height=%gbp,\n",
                  page->left + frame.x, page->top - frame.y - frame.height, frame.width,
                  frame.height);
}

/* Draws the sample of a legend entry: an area, or a line and mark. */
static void append_sample(const Page *page, const NsLegendSample *sample)
{
    const NsSeries *series = sample->series;
    const NsBox *box = &sample->box;
    double left = page->left + box->x, top = page->top - box->y;
    bool wide = series->kind == NS_SERIES_BARS || series->kind == NS_SERIES_BAND;
    if (wide || (series->lo && series->hi)) {
        g_string_append(page->out, "\\fill[");
        ns_pgf_look(page->out, page->layout, series);
        ns_tex_printf(page->out, ", fill opacity=%g] (%gbp,%gbp) rectangle (%gbp,%gbp) ;\n",
                      wide ? ns_series_opacity(series) : 0.3, left, top - 0.78 * box->height,
                      left + box->width, top - 0.22 * box->height);
    }
    if (wide) return;
    double middle = top - box->height / 2;
    ns_tex_printf(page->out, "\\draw[line width=%gbp, ", page->layout->style->line_width);
    ns_pgf_look(page->out, page->layout, series);
    ns_tex_printf(page->out,
                  ", mark repeat=2, mark phase=2] plot coordinates "
                  "{(%gbp,%gbp) (%gbp,%gbp) (%gbp,%gbp) };\n",
                  left, middle, left + box->width / 2, middle, left + box->width, middle);
}

/* Writes the name of a legend entry, which may have several lines. */
static void append_entry(const Page *page, const NsLabel *label, const char *color)
{
    g_autofree char *text = ns_tex_text(ns_text_words(label->text));
    if (pango_layout_get_line_count(label->text) > 1) {
        double room = (double)pango_layout_get_width(label->text) / PANGO_SCALE;
        open_node(page, color, label);
        append_paragraph(page->out, text, room, ns_text_height(label->text));
        return;
    }
    ns_tex_printf(page->out, "\\node[anchor=base west, inner sep=0bp, %s] at (%gbp,%gbp) ", color,
                  page->left + label->x, page->top - label->y - ns_text_baseline(label->text));
    append_within(page->out, text, ns_text_width(label->text));
}

/* Writes a name at the end of its curve, with its leader line. */
static void append_end_name(const Page *page, const NsSeries *series, const NsLabel *label)
{
    const NsPoint *from = &label->leader[0], *to = &label->leader[1];
    g_autofree char *color = ns_pgf_color(series);
    if (label->led)
        ns_tex_printf(page->out, "\\draw[%s, line width=%gbp] (%gbp,%gbp) -- (%gbp,%gbp) ;\n",
                      color, page->layout->style->axis_width, page->left + from->x,
                      page->top - from->y, page->left + to->x, page->top - to->y);
    append_entry(page, label, color);
}

/* Draws the legend as in the layout, with the entries of both axes. */
static void append_legend(const Page *page)
{
    const NsPlotLayout *layout = page->layout;
    const NsBox *inside = &layout->legend_box;
    if (inside->width > 0)
        ns_tex_printf(page->out,
                      "\\fill[chart-page, fill opacity=0.94] (%gbp,%gbp) "
                      "rectangle (%gbp,%gbp) ;\n",
                      page->left + inside->x, page->top - inside->y - inside->height,
                      page->left + inside->x + inside->width, page->top - inside->y);
    for (unsigned i = 0; i < layout->legend->len; i++) {
        const NsLegendSample *sample = &g_array_index(layout->legend, NsLegendSample, i);
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, sample->label);
        if (sample->series->hidden) continue;
        if (sample->at_end) {
            append_end_name(page, sample->series, label);
        } else {
            append_sample(page, sample);
            append_entry(page, label, "chart-words");
        }
    }
}

static void append_left(const Page *page)
{
    GString *out = page->out;
    const NsPlotLayout *layout = page->layout;
    const NsPlot *plot = layout->plot;
    const NsBox *area = &layout->area;
    NsBox frame = frame_of(layout);
    const NsScale *x = &layout->x, *y = &layout->y[NS_AXIS_LEFT];
    double ends[] = {area->x, area->x + area->width, area->y + area->height - layout->strip_bottom,
                     area->y + layout->strip_top};
    g_string_append(out, "\\begin{axis}[\n");
    append_place(page);
    append_axis(out, "x", &plot->x, x, layout->x_ticks, ends[0], ends[1]);
    append_point_ticks(out, layout);
    if (layout->turned) g_string_append(out, "  x tick label style={rotate=90, anchor=east},\n");
    append_axis(out, "y", &plot->left, y, layout->y_ticks[NS_AXIS_LEFT], ends[2], ends[3]);
    g_string_append(out, plot->heatmap || plot->no_grid ? "  axis on top,\n" : "  grid=major,\n");
    if (plot->heatmap) append_colormap(out, layout);
    if (plot->heatmap) append_colorbar(out, layout);
    append_label_place(out, layout, &frame, NS_PART_X_LABEL, "x", 0);
    if (plot->heatmap && plot->heatmap->n_panels)
        g_string_append(out, "  ylabel={},\n"); /* the panels have their own names */
    else
        append_label_place(out, layout, &frame, NS_PART_LEFT_LABEL, "y", 90);
    g_string_append(out, "]\n");
    double foot = ns_pgf_coordinate_at(y, ends[2]), head = ns_pgf_coordinate_at(y, ends[3]);
    ns_pgf_cells(out, layout);
    append_seams(out, layout, ns_pgf_coordinate_at(x, ends[0]), ns_pgf_coordinate_at(x, ends[1]));
    append_points(out, layout, foot, head);
    append_frame(out, layout);
    ns_pgf_series(out, layout, NS_AXIS_LEFT);
    append_annotations(out, layout, ns_pgf_coordinate_at(x, ends[0]),
                       ns_pgf_coordinate_at(x, ends[1]), foot, head);
    g_string_append(out, "\\end{axis}\n");
}

static void append_right(const Page *page)
{
    GString *out = page->out;
    const NsPlotLayout *layout = page->layout;
    const NsPlot *plot = layout->plot;
    const NsBox *area = &layout->area;
    g_string_append(out, "\\begin{axis}[\n");
    append_place(page);
    const NsAxis silent = {.quiet = true};
    NsBox frame = frame_of(layout);
    append_axis(out, "x", &silent, &layout->x, layout->x_ticks, area->x, area->x + area->width);
    append_axis(out, "y", &plot->right, &layout->y[NS_AXIS_RIGHT], layout->y_ticks[NS_AXIS_RIGHT],
                area->y + area->height - layout->strip_bottom, area->y + layout->strip_top);
    append_label_place(out, layout, &frame, NS_PART_RIGHT_LABEL, "y", 90);
    g_string_append(out, "  axis x line=none, axis y line*=right,\n]\n");
    ns_pgf_series(out, layout, NS_AXIS_RIGHT);
    g_string_append(out, "\\end{axis}\n");
}

/* Draws triangles in the strips at the ends of the axes for values that have no place on the
 * axis. */
static void append_faults(const Page *page)
{
    const NsPlotLayout *layout = page->layout;
    double size = ns_fault_size(layout);
    for (size_t i = 0; i < layout->n_paths; i++) {
        g_autofree char *color = ns_pgf_color(&layout->plot->series[i]);
        g_autoptr(GArray) shown = ns_path_shown_faults(&layout->paths[i], size / 2);
        for (unsigned k = 0; k < shown->len; k++) {
            const NsFaultMark *mark = &g_array_index(shown, NsFaultMark, k);
            NsPoint corners[3];
            ns_fault_corners(layout, mark, corners);
            ns_tex_printf(page->out,
                          mark->fault == NS_FAULT_NAN ? "\\draw[%s, line width=%gbp]"
                                                      : "\\fill[%s, line width=%gbp]",
                          color, size * 0.14);
            for (int c = 0; c < 3; c++)
                ns_tex_printf(page->out, " (%gbp,%gbp) --", page->left + corners[c].x,
                              page->top - corners[c].y);
            g_string_append(page->out, " cycle;\n");
        }
    }
}

/* Writes a plot and its lower plot. */
static void append_layout(const Page *page)
{
    const NsPlotLayout *layout = page->layout;
    const NsPlot *plot = layout->plot;
    g_autofree char *title = ns_tex_text(plot->title);
    g_string_append_printf(page->out, "\n%% %s\n", title);
    append_left(page);
    if (layout->summary.right && !plot->heatmap) append_right(page);
    append_faults(page);
    append_legend(page);
    append_line(page, NS_PART_TITLE, "chart-words, font=\\charttitlefont");
    append_lines(page, NS_PART_SUBTITLE, "chart-faint");
    append_lines(page, NS_PART_NOTE, "chart-faint, font=\\charttickfont");
    append_names(page);
    if (plot->heatmap && plot->heatmap->n_panels) append_panel_names(page);
    append_line(page, NS_PART_EMPTY, "chart-faint");
    if (layout->lower)
        append_layout(&(Page){page->out, layout->lower, page->left, page->top - layout->lower_y});
}

static void append_font(GString *out, const char *command, double size, const char *series)
{
    ns_tex_printf(out, "\\newcommand{\\%s}{\\fontsize{%gbp}{%gbp}%s\\selectfont}\n", command, size,
                  1.2 * size, series);
}

static void append_preamble(GString *out, const NsExport *options)
{
    const NsStyle *style = options->style;
    if (options->experiment) {
        g_autofree char *line = g_strdelimit(g_strdup(options->experiment), "\r\n", ' ');
        g_string_append_printf(out, "%% %s\n", line);
    }
    g_string_append(
        out, "% Typeset with pdflatex, lualatex or xelatex; to use it in a document, copy "
             "the preamble's packages,\n% colors and fonts, and the picture.\n"
             "\\documentclass[border=0pt]{standalone}\n"
             "\\usepackage{amsmath,amssymb}\n\\usepackage{pgfplots}\n\\usetikzlibrary{patterns}\n"
             "\\pgfplotsset{compat=1.16}\n");
    append_colors(out, style);
    append_font(out, "chartfont", style->text_size, "");
    append_font(out, "charttickfont", style->text_size * TICK_SIZE, "");
    append_font(out, "charttitlefont", style->title_size, "\\bfseries");
    g_string_append(out, "\\pgfplotsset{every axis/.append style={\n"
                         "  font=\\chartfont, unbounded coords=jump, axis lines=left,\n"
                         "  axis line style={draw=chart-axis, -}, tick style={draw=chart-axis},\n"
                         "  tick align=outside, scaled ticks=false,\n"
                         "  tick label style={text=chart-faint, font=\\charttickfont}, label "
                         "style={text=chart-words},\n"
                         "  major grid style={draw=chart-grid, solid},\n");
    ns_tex_printf(out,
                  "  line width=%gbp,\n  major tick length=%gbp,\n  minor tick length=%gbp,\n"
                  "  axis line style={line width=%gbp}, tick style={line width=%gbp}, "
                  "major grid style={line width=%gbp}}}\n\\begin{document}\n",
                  style->line_width, 0.3 * style->text_size, 0.165 * style->text_size,
                  style->axis_width, style->axis_width, style->axis_width);
}

GString *ns_pgfplots_write(const NsPlotSheet *sheet)
{
    GString *out = g_string_new(NULL);
    const NsExport *options = sheet->options;
    const NsStyle *style = options->style;
    append_preamble(out, options);
    ns_tex_printf(out,
                  "\\begin{tikzpicture}[font=\\chartfont]\n\\path[use as bounding box%s] (0,0) "
                  "rectangle (%gbp,%gbp);\n",
                  style->background.a > 0 ? ", fill=chart-page" : "", options->width,
                  options->height);
    for (size_t i = 0; i < sheet->n; i++) {
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(sheet, i);
        const NsBox *cell = &sheet->plots[i].cell;
        append_layout(&(Page){out, layout, cell->x, options->height - cell->y});
    }
    if (sheet->caption) {
        g_autofree char *caption = ns_tex_literal(pango_layout_get_text(sheet->caption));
        ns_tex_printf(out,
                      "\\node[anchor=south west, inner sep=0bp, chart-faint, align=left, "
                      "text width=%gbp] at (%gbp,%gbp) {%s};\n",
                      options->width - 2 * style->padding, style->padding, style->padding, caption);
    }
    g_string_append(out, "\\end{tikzpicture}\n\\end{document}\n");
    return out;
}
