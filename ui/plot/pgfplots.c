/* A figure as TeX, for the package pgfplots.  SPDX-License-Identifier: MIT */
#include "ui/plot/pgfplots.h"

#include "core/base/words.h"
#include "ui/plot/colormap.h"
#include "ui/plot/heatmap.h"
#include "ui/plot/labels.h"
#include "ui/plot/legend.h"
#include "ui/plot/panels.h"
#include "ui/plot/pgfplots-private.h"
#include "ui/plot/place_labels.h"
#include "ui/plot/tex.h"
#include "ui/plot/text.h"

#include <math.h>

/* In text sizes: the digits of TeX's fonts are wider than those the layout was made with. */
#define TICK_SIZE 0.92

static void option(GString *out, const char *key, double value)
{
    g_string_append_printf(out, "  %s=", key);
    ns_tex_number(out, value);
    g_string_append(out, ",\n");
}

static void length(GString *out, const char *key, double points)
{
    g_string_append_printf(out, "  %s=", key);
    ns_tex_number(out, points);
    g_string_append(out, "bp,\n");
}

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

static void append_ticks(GString *out, const char *axis, const NsScale *scale, const GArray *ticks,
                         bool quiet)
{
    g_autoptr(GString) at = g_string_new(NULL), words = g_string_new(NULL);
    g_autoptr(GString) minor = g_string_new(NULL);
    for (unsigned i = 0; i < ticks->len; i++) {
        const NsTick *tick = &g_array_index(ticks, NsTick, i);
        GString *list = tick->label ? at : minor;
        if (list->len) g_string_append_c(list, ',');
        ns_tex_number(list, ns_pgf_coordinate(scale, tick->value));
        if (!tick->label) continue;
        g_autofree char *label = ns_tex_text(tick->label);
        g_string_append_printf(words, "%s{%s}", words->len ? "," : "",
                               quiet || tick->covered ? "" : label);
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
    char key[8];
    g_string_append_printf(out, "  %smode=%s,\n", axis,
                           scale->kind == NS_SCALE_LOG ? "log" : "linear");
    g_snprintf(key, sizeof key, "%smin", axis);
    option(out, key, MIN(a, b));
    g_snprintf(key, sizeof key, "%smax", axis);
    option(out, key, MAX(a, b));
    if (a > b) g_string_append_printf(out, "  %s dir=reverse,\n", axis);
    if (*label && !what->quiet)
        g_string_append_printf(out, *unit ? "  %slabel={%s (%s)},\n" : "  %slabel={%s},\n", axis,
                               label, unit);
    append_ticks(out, axis, scale, ticks, what->quiet);
}

/* ---- lines with words ---- */

static void append_straight(GString *out, const char *look, double x0, double y0, double x1,
                            double y1)
{
    g_string_append_printf(out, "\\draw[%s] (axis cs:", look);
    ns_tex_number(out, x0);
    g_string_append_c(out, ',');
    ns_tex_number(out, y0);
    g_string_append(out, ") -- (axis cs:");
    ns_tex_number(out, x1);
    g_string_append_c(out, ',');
    ns_tex_number(out, y1);
    g_string_append(out, ");\n");
}

/* Points of the horizontal axis. */
static void append_points(GString *out, const NsPlotLayout *layout, double y0, double y1)
{
    const NsPlot *plot = layout->plot;
    for (size_t i = 0; i < plot->n_spans; i++) {
        double x = ns_pgf_coordinate(&layout->x, plot->spans[i].from);
        if (!isnan(ns_layout_point(layout, &plot->spans[i])))
            append_straight(out, plot->heatmap ? "white" : "chart-words", x, y0, x, y1);
    }
}

/* A frame around cells: white, with a rim that shows on white. */
static void append_frame(GString *out, const NsPlotLayout *layout)
{
    static const double widths[] = {5, 2.5};
    const NsScale *x = &layout->x, *y = &layout->y[NS_AXIS_LEFT];
    NsBox box;
    for (int pass = 0; pass < 2 && ns_layout_framed(layout, &box); pass++) {
        double width = widths[pass] * layout->style->axis_width, inset = widths[0] / 2;
        inset *= layout->style->axis_width;
        g_string_append_printf(out, "\\draw[%s, line width=", pass ? "white" : "black");
        ns_tex_number(out, width);
        g_string_append(out, "bp] (axis cs:");
        ns_tex_number(out, ns_pgf_coordinate_at(x, box.x + inset));
        g_string_append_c(out, ',');
        ns_tex_number(out, ns_pgf_coordinate_at(y, box.y + inset));
        g_string_append(out, ") rectangle (axis cs:");
        ns_tex_number(out, ns_pgf_coordinate_at(x, box.x + box.width - inset));
        g_string_append_c(out, ',');
        ns_tex_number(out, ns_pgf_coordinate_at(y, box.y + box.height - inset));
        g_string_append(out, ");\n");
    }
}

/* Their numbers. */
static void append_point_ticks(GString *out, const NsPlotLayout *layout)
{
    const NsPlot *plot = layout->plot;
    g_autoptr(GString) at = g_string_new(NULL), words = g_string_new(NULL);
    for (size_t i = 0; i < plot->n_spans && !plot->x.quiet; i++) {
        if (isnan(ns_layout_point(layout, &plot->spans[i]))) continue;
        g_autofree char *number = ns_point_number(plot, &plot->spans[i]);
        g_autofree char *label = ns_tex_text(number);
        const char *between = at->len ? "," : "";
        g_string_append(at, between);
        ns_tex_number(at, ns_pgf_coordinate(&layout->x, plot->spans[i].from));
        g_string_append_printf(words, "%s{%s}", between, label);
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

/* Nine colors between which pgfplots mixes are as near to the palette as eyes can tell. */
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
    option(out, "point meta min", layout->z.from);
    option(out, "point meta max", layout->z.to);
}

/* Where the axes stand: without the strips, which there are none of here. */
static NsBox frame_of(const NsPlotLayout *layout)
{
    NsBox box = layout->area;
    box.y += layout->strip_top;
    box.height -= layout->strip_top + layout->strip_bottom;
    return box;
}

/* A place on the page in the lengths of a box. */
static void append_relative(GString *out, const NsBox *box, double x, double y)
{
    g_string_append(out, "at={(axis description cs:");
    ns_tex_number(out, (x - box->x) / box->width);
    g_string_append_c(out, ',');
    ns_tex_number(out, (box->y + box->height - y) / box->height);
    g_string_append(out, ")}");
}

/* The label of an axis stands where the layout has put it: TeX's fonts have other widths. */
static void append_label_place(GString *out, const NsPlotLayout *layout, const NsBox *box,
                               NsPart part, const char *axis, int angle)
{
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part != part) continue;
        double x = label->box.x + label->box.width / 2, y = label->box.y + label->box.height / 2;
        g_string_append_printf(out, "  every axis %s label/.style={", axis);
        append_relative(out, box, x, y);
        g_string_append_printf(out, ", anchor=center, rotate=%d, text=chart-words},\n", angle);
        return;
    }
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
        g_autofree char *text = ns_tex_text(tick->label);
        double along = (ns_scale_to_pixel(&layout->z, tick->value) - layout->z.p0) /
                       (layout->z.p1 - layout->z.p0);
        if (at->len) g_string_append_c(at, ',');
        ns_tex_number(at, layout->z.from + along * (layout->z.to - layout->z.from));
        g_string_append_printf(words, "%s{%s}", words->len ? "," : "", text);
    }
    g_string_append(out, "  colorbar,\n  colorbar style={at={(");
    ns_tex_number(out, (bar->x - area->x) / area->width);
    g_string_append(out,
                    ",1)}, anchor=north west, axis lines=box, axis line style={draw=none}, width=");
    ns_tex_number(out, bar->width);
    g_string_append_printf(out, "bp, ylabel={%s}, ytick={%s}, yticklabels={%s},\n    ", label,
                           at->str, words->str);
    append_label_place(out, layout, bar, NS_PART_RIGHT_LABEL, "y", 90);
    g_string_append(out, "  },\n");
}

/* ---- the page ---- */

static void append_page_point(GString *out, double x, double y)
{
    g_string_append_c(out, '(');
    ns_tex_number(out, x);
    g_string_append(out, "bp,");
    ns_tex_number(out, y);
    g_string_append(out, "bp) ");
}

/* Since TeX's fonts are wider, words are made smaller where they have no room. */
static void append_within(GString *out, const char *text, double room)
{
    g_autoptr(GString) width = g_string_new(NULL);
    ns_tex_number(width, room);
    g_string_append_printf(out,
                           "{\\sbox0{%s}\\ifdim\\wd0>%sbp\\resizebox{%sbp}{!}{\\usebox0}"
                           "\\else\\usebox0\\fi};\n",
                           text, width->str, width->str);
}

static const NsLabel *label_of(const NsPlotLayout *layout, NsPart part)
{
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part == part) return label;
    }
    return NULL;
}

static void open_node(GString *out, const char *look, double x, double y)
{
    g_string_append_printf(out, "\\node[anchor=north west, inner sep=0bp, %s] at ", look);
    append_page_point(out, x, y);
}

/* A line of the plot from the upper left corner of the label that the layout placed, at most to the
 * edge of the page. */
static void append_label(GString *out, const NsPlotLayout *layout, NsPart part, const char *words,
                         const char *look, double left, double top)
{
    const NsLabel *label = label_of(layout, part);
    if (!label || !words || !*words) return;
    g_autofree char *text = ns_tex_text(words);
    open_node(out, look, left + label->x, top - label->y);
    append_within(out, text, layout->width - layout->style->padding - label->x);
}

/* A subtitle or note may have several lines, and more of them in TeX's fonts. */
static void append_lines(GString *out, const NsPlotLayout *layout, NsPart part, const char *words,
                         const char *look, double left, double top)
{
    const NsLabel *label = label_of(layout, part);
    if (!label || !words || !*words) return;
    if (pango_layout_get_line_count(label->text) < 2) {
        append_label(out, layout, part, words, look, left, top);
        return;
    }
    g_autofree char *text = ns_tex_text(words);
    g_autoptr(GString) width = g_string_new(NULL), height = g_string_new(NULL);
    ns_tex_number(width, layout->width - 2 * layout->style->padding);
    ns_tex_number(height, ns_text_height(label->text));
    open_node(out, look, left + label->x, top - label->y);
    g_string_append_printf(out,
                           "{\\sbox0{\\parbox[t]{%sbp}{\\raggedright %s}}"
                           "\\ifdim\\dimexpr\\ht0+\\dp0>%sbp"
                           "\\resizebox*{!}{%sbp}{\\usebox0}\\else\\usebox0\\fi};\n",
                           width->str, text, height->str, height->str);
}

/* Puts words where the layout has them, if they are those of the label. */
static bool append_if(GString *out, const NsLabel *label, const char *words, const char *look,
                      double left, double top)
{
    g_autofree char *drawn = ns_text_drawn(words);
    if (!words || g_strcmp0(pango_layout_get_text(label->text), drawn) != 0) return false;
    g_autofree char *text = ns_tex_text(words);
    open_node(out, look, left + label->x, top - label->y);
    g_string_append_printf(out, "{%s};\n", text);
    return true;
}

/* The words of markers, levels and slopes that found room. */
static void append_names(GString *out, const NsPlotLayout *layout, double left, double top)
{
    const NsPlot *plot = layout->plot;
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        bool marker = label->part == NS_PART_MARKER, found = false;
        if (!marker && label->part != NS_PART_INSIDE) continue;
        for (size_t k = 0; marker && !found && k < plot->n_markers; k++)
            found = append_if(
                out, label, plot->markers[k].text,
                plot->markers[k].alarm ? "chart-alarm, font=\\bfseries" : "chart-words", left, top);
        for (size_t k = 0; !marker && !found && k < plot->n_levels; k++)
            found = append_if(out, label, plot->levels[k].text, "chart-words", left, top);
        for (size_t k = 0; !marker && !found && k < plot->n_slopes; k++)
            found = append_if(out, label, plot->slopes[k].text, "chart-words", left, top);
    }
}

/* The color of a panel's name. */
static char *panel_look(const NsHeatPanel *panel)
{
    if (!panel->style) return g_strdup("chart-words");
    return g_strdup_printf("chart-%u", (panel->style - 1) % NS_SERIES_STYLES);
}

/* Words in the middle of a label's box. */
static void append_fitted(GString *out, const NsLabel *label, const char *look, double left,
                          double top)
{
    g_autofree char *text = ns_tex_literal(pango_layout_get_text(label->text));
    g_string_append_printf(out, "\\node[inner sep=0bp, rotate=%d, %s] at ", label->rotated ? 90 : 0,
                           look);
    append_page_point(out, left + label->box.x + label->box.width / 2,
                      top - label->box.y - label->box.height / 2);
    append_within(out, text, ns_text_width(label->text));
}

/* The names of panels stand beside them, and in the legend where they have no room there. */
static void append_panel_names(GString *out, const NsPlotLayout *layout, double left, double top)
{
    const NsHeatmap *map = layout->plot->heatmap;
    size_t beside = 0, listed = 0;
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part != NS_PART_LEFT_LABEL && label->part != NS_PART_LEGEND) continue;
        size_t *at = label->part == NS_PART_LEGEND ? &listed : &beside;
        if (*at >= map->n_panels) continue;
        g_autofree char *look = panel_look(&map->panels[(*at)++]);
        append_fitted(out, label, look, left, top);
    }
}

/* Bare ground between panels. */
static void append_seams(GString *out, const NsPlotLayout *layout, double x0, double x1)
{
    const NsHeatmap *map = layout->plot->heatmap;
    bool bare = layout->style->background.a > 0;
    for (size_t i = 0; bare && map && i + 1 < map->n_panels; i++) {
        g_autoptr(GString) line = g_string_new("chart-page, line width=");
        ns_tex_number(line, NS_SEAM * layout->style->text_size);
        g_string_append(line, "bp");
        double y = ns_panel(map, i).lo;
        append_straight(out, line->str, x0, y, x1, y);
    }
}

static void append_place(GString *out, const NsPlotLayout *layout, double left, double top)
{
    NsBox frame = frame_of(layout);
    g_string_append(out, "  at={(");
    ns_tex_number(out, left + frame.x);
    g_string_append(out, "bp,");
    ns_tex_number(out, top - frame.y - frame.height);
    g_string_append(out, "bp)}, anchor=south west, scale only axis,\n");
    length(out, "width", frame.width);
    length(out, "height", frame.height);
}

/* The line and mark before the words of a legend. */
static void append_sample(GString *out, const NsPlotLayout *layout, const NsLegendSample *sample,
                          double left, double top)
{
    const NsBox *box = &sample->box;
    if (sample->series->lo && sample->series->hi) {
        g_string_append(out, "\\fill[");
        ns_pgf_look(out, layout, sample->series);
        g_string_append(out, ", fill opacity=0.3] ");
        append_page_point(out, left + box->x, top - box->y - 0.78 * box->height);
        g_string_append(out, "rectangle ");
        append_page_point(out, left + box->x + box->width, top - box->y - 0.22 * box->height);
        g_string_append(out, ";\n");
    }
    g_string_append(out, "\\draw[line width=");
    ns_tex_number(out, layout->style->line_width);
    g_string_append(out, "bp, ");
    ns_pgf_look(out, layout, sample->series);
    g_string_append(out, ", mark repeat=2, mark phase=2] plot coordinates {");
    for (int i = 0; i <= 2; i++)
        append_page_point(out, left + box->x + i * box->width / 2, top - box->y - box->height / 2);
    g_string_append(out, "};\n");
}

/* The words of an entry, scripts and all where the layout has room for all of them. */
static void append_entry(GString *out, const NsLegendSample *sample, const NsLabel *label,
                         const char *color, double left, double top)
{
    g_autofree char *words = ns_legend_words(sample->series, sample->letter);
    g_autofree char *drawn = ns_text_drawn(words);
    const char *shown = pango_layout_get_text(label->text);
    g_autofree char *text = g_str_equal(shown, drawn) ? ns_tex_text(words) : ns_tex_literal(shown);
    g_string_append_printf(out, "\\node[anchor=base west, inner sep=0bp, %s] at ", color);
    append_page_point(out, left + label->x, top - label->y - ns_text_baseline(label->text));
    append_within(out, text, ns_text_width(label->text));
}

/* A name at the end of its curve, with the line that leads to it. */
static void append_end_name(GString *out, const NsPlotLayout *layout, const NsLegendSample *sample,
                            double left, double top)
{
    const NsLabel *label = &g_array_index(layout->labels, NsLabel, sample->label);
    const NsSeries *series = sample->series;
    if (series->hidden) return;
    g_autofree char *color = series->theory && !series->tinted ? g_strdup("chart-words")
                             : series->previous && !series->tinted
                                 ? g_strdup("chart-previous")
                                 : g_strdup_printf("chart-%u", series->style % NS_SERIES_STYLES);
    if (label->led) {
        g_string_append_printf(out, "\\draw[%s, line width=", color);
        ns_tex_number(out, layout->style->axis_width);
        g_string_append(out, "bp] ");
        append_page_point(out, left + label->leader[0].x, top - label->leader[0].y);
        g_string_append(out, "-- ");
        append_page_point(out, left + label->leader[1].x, top - label->leader[1].y);
        g_string_append(out, ";\n");
    }
    append_entry(out, sample, label, color, left, top);
}

/* The entries of both axes where the layout has them. */
static void append_legend(GString *out, const NsPlotLayout *layout, double left, double top)
{
    const NsBox *inside = &layout->legend_box;
    if (inside->width > 0) {
        g_string_append(out, "\\fill[chart-page, fill opacity=0.94] ");
        append_page_point(out, left + inside->x, top - inside->y - inside->height);
        g_string_append(out, "rectangle ");
        append_page_point(out, left + inside->x + inside->width, top - inside->y);
        g_string_append(out, ";\n");
    }
    unsigned entries = 0;
    for (unsigned i = 0; i < layout->labels->len && entries < layout->legend->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part != NS_PART_LEGEND) continue;
        const NsLegendSample *sample = &g_array_index(layout->legend, NsLegendSample, entries++);
        if (sample->series->hidden) continue;
        append_sample(out, layout, sample, left, top);
        append_entry(out, sample, label, "chart-words", left, top);
    }
    for (; entries < layout->legend->len; entries++)
        append_end_name(out, layout, &g_array_index(layout->legend, NsLegendSample, entries), left,
                        top);
}

static void append_left(GString *out, const NsPlotLayout *layout, double left, double top)
{
    const NsPlot *plot = layout->plot;
    const NsBox *area = &layout->area;
    NsBox frame = frame_of(layout);
    const NsScale *x = &layout->x, *y = &layout->y[NS_AXIS_LEFT];
    double ends[] = {area->x, area->x + area->width, area->y + area->height - layout->strip_bottom,
                     area->y + layout->strip_top};
    g_string_append(out, "\\begin{axis}[\n");
    append_place(out, layout, left, top);
    append_axis(out, "x", &plot->x, x, layout->x_ticks, ends[0], ends[1]);
    append_point_ticks(out, layout);
    if (layout->turned) g_string_append(out, "  x tick label style={rotate=90, anchor=east},\n");
    append_axis(out, "y", &plot->left, y, layout->y_ticks[NS_AXIS_LEFT], ends[2], ends[3]);
    g_string_append(out, plot->heatmap || plot->no_grid ? "  axis on top,\n" : "  grid=major,\n");
    if (plot->heatmap) append_colormap(out, layout);
    if (plot->heatmap) append_colorbar(out, layout);
    append_label_place(out, layout, &frame, NS_PART_X_LABEL, "x", 0);
    if (plot->heatmap && plot->heatmap->n_panels)
        g_string_append(out, "  ylabel={},\n"); /* The panels have their names. */
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

static void append_right(GString *out, const NsPlotLayout *layout, double left, double top)
{
    const NsPlot *plot = layout->plot;
    const NsBox *area = &layout->area;
    g_string_append(out, "\\begin{axis}[\n");
    append_place(out, layout, left, top);
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

/* A plot, and the lower plot it; (left, top) is their upper left corner. */
static void append_layout(GString *out, const NsPlotLayout *layout, double left, double top)
{
    const NsPlot *plot = layout->plot;
    g_autofree char *title = ns_tex_text(plot->title);
    g_string_append_printf(out, "\n%% %s\n", title);
    append_left(out, layout, left, top);
    if (layout->summary.right && !plot->heatmap) append_right(out, layout, left, top);
    append_legend(out, layout, left, top);
    append_label(out, layout, NS_PART_TITLE, plot->title, "chart-words, font=\\charttitlefont",
                 left, top);
    append_lines(out, layout, NS_PART_SUBTITLE, layout->subtitle, "chart-faint", left, top);
    append_lines(out, layout, NS_PART_NOTE, layout->shown, "chart-faint, font=\\charttickfont",
                 left, top);
    append_names(out, layout, left, top);
    if (plot->heatmap && plot->heatmap->n_panels) append_panel_names(out, layout, left, top);
    if (!layout->summary.any)
        append_label(out, layout, NS_PART_EMPTY, plot->empty ? plot->empty : _("no data"),
                     "chart-faint", left, top);
    if (layout->lower) append_layout(out, layout->lower, left, top - layout->lower_y);
}

static void append_plot(GString *out, const NsPlot *plot, const NsBox *cell,
                        const NsExport *options)
{
    g_autoptr(NsPlotLayout) layout =
        ns_plot_layout(plot, cell->width, cell->height, options->style);
    append_layout(out, layout, cell->x, options->height - cell->y);
}

static void append_font(GString *out, const char *command, double size, const char *series)
{
    g_string_append_printf(out, "\\newcommand{\\%s}{\\fontsize{", command);
    ns_tex_number(out, size);
    g_string_append(out, "bp}{");
    ns_tex_number(out, 1.2 * size);
    g_string_append_printf(out, "bp}%s\\selectfont}\n", series);
}

static void append_preamble(GString *out, const NsExport *options)
{
    const NsStyle *style = options->style;
    if (options->experiment) {
        g_autofree char *line = g_strdelimit(g_strdup(options->experiment), "\r\n", ' ');
        g_string_append_printf(out, "%% %s\n", line);
    }
    g_string_append(out,
                    "% Typeset with pdflatex, lualatex or xelatex; to use it in a document, copy "
                    "the preamble's packages,\n% colors and fonts, and the picture.\n"
                    "\\documentclass[border=0pt]{standalone}\n"
                    "\\usepackage{amsmath,amssymb}\n\\usepackage{pgfplots}\n"
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
    length(out, "line width", style->line_width);
    length(out, "major tick length", 0.3 * style->text_size);
    length(out, "minor tick length", 0.165 * style->text_size);
    g_string_append(out, "  axis line style={line width=");
    ns_tex_number(out, style->axis_width);
    g_string_append(out, "bp}, tick style={line width=");
    ns_tex_number(out, style->axis_width);
    g_string_append(out, "bp}, major grid style={line width=");
    ns_tex_number(out, style->axis_width);
    g_string_append(out, "bp}}}\n\\begin{document}\n");
}

GString *ns_pgfplots_write(const NsPlot *plots, const NsBox *cells, size_t n,
                           const NsExport *options)
{
    GString *out = g_string_new(NULL);
    append_preamble(out, options);
    g_string_append(out, "\\begin{tikzpicture}[font=\\chartfont]\n\\path[use as bounding box");
    if (options->style->background.a > 0) g_string_append(out, ", fill=chart-page");
    g_string_append(out, "] (0,0) rectangle (");
    ns_tex_number(out, options->width);
    g_string_append(out, "bp,");
    ns_tex_number(out, options->height);
    g_string_append(out, "bp);\n");
    for (size_t i = 0; i < n; i++) append_plot(out, &plots[i], &cells[i], options);
    if (options->caption) {
        g_autofree char *caption = ns_tex_literal(options->caption);
        g_string_append(out, "\\node[anchor=south west, inner sep=0bp, chart-faint, align=left, "
                             "text width=");
        ns_tex_number(out, options->width - 2 * options->style->padding);
        g_string_append(out, "bp] at (");
        ns_tex_number(out, options->style->padding);
        g_string_append(out, "bp,");
        ns_tex_number(out, options->style->padding);
        g_string_append_printf(out, "bp) {%s};\n", caption);
    }
    g_string_append(out, "\\end{tikzpicture}\n\\end{document}\n");
    return out;
}
