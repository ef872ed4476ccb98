/* A figure as TeX, for the package pgfplots.  SPDX-License-Identifier: MIT */
#include "ui/plot/pgfplots.h"

#include "ui/plot/colormap.h"
#include "ui/plot/layout-private.h"
#include "ui/plot/tex.h"

#include <math.h>

/* TeX holds every number in a macro of its own. */
#define MOST_POINTS 2000
#define MOST_CELLS 6000

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
    append_rgb(out, "chart-ghost", &style->ghost);
    append_rgb(out, "chart-alarm", &style->alarm);
    append_rgb(out, "chart-words", &style->text);
    append_rgb(out, "chart-faint", &style->faint_text);
    append_rgb(out, "chart-axis", &style->axis);
    append_rgb(out, "chart-grid", &style->grid);
    append_rgb(out, "chart-page", &style->background);
}

/* ---- axes ---- */

/* On a symmetric logarithmic scale, which pgfplots does not have, coordinates are those of the
 * page, and only the ticks tell the values. */
static double coordinate(const NsScale *scale, double value)
{
    if (scale->kind != NS_SCALE_SYMLOG)
        return ns_scale_shows(scale->kind, value) ? value : (double)NAN;
    return (ns_scale_to_pixel(scale, value) - scale->p0) / (scale->p1 - scale->p0);
}

/* The coordinate at a place on the page. */
static double coordinate_at(const NsScale *scale, double pixel)
{
    if (scale->kind == NS_SCALE_SYMLOG) return (pixel - scale->p0) / (scale->p1 - scale->p0);
    return ns_scale_to_value(scale, pixel);
}

static void append_ticks(GString *out, const char *axis, const NsScale *scale, const GArray *ticks,
                         bool quiet)
{
    g_autoptr(GString) at = g_string_new(NULL), words = g_string_new(NULL);
    g_autoptr(GString) minor = g_string_new(NULL);
    for (unsigned i = 0; i < ticks->len; i++) {
        const NsTick *tick = &g_array_index(ticks, NsTick, i);
        GString *list = tick->label ? at : minor;
        if (list->len) g_string_append_c(list, ',');
        ns_tex_number(list, coordinate(scale, tick->value));
        if (!tick->label) continue;
        g_autofree char *label = ns_tex_text(tick->label);
        g_string_append_printf(words, "%s{%s}", words->len ? "," : "", quiet ? "" : label);
    }
    g_string_append_printf(out, "  %stick={%s},\n  %sticklabels={%s},\n", axis,
                           at->len ? at->str : "\\empty", axis, words->str);
    if (minor->len) g_string_append_printf(out, "  minor %stick={%s},\n", axis, minor->str);
}

static void append_axis(GString *out, const char *axis, const NsAxis *what, const NsScale *scale,
                        const GArray *ticks, double from, double to)
{
    g_autofree char *label = ns_tex_text(what->label), *unit = ns_tex_text(what->unit);
    double a = coordinate_at(scale, from), b = coordinate_at(scale, to);
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

/* ---- series ---- */

static void append_look(GString *out, const NsPlotLayout *layout, const NsSeries *series)
{
    const NsStyle *style = layout->style;
    static const char *const marks[] = {[NS_MARK_CIRCLE] = "*",
                                        [NS_MARK_SQUARE] = "square*",
                                        [NS_MARK_TRIANGLE] = "triangle*",
                                        [NS_MARK_DIAMOND] = "diamond*"};
    unsigned index = series->style % NS_SERIES_STYLES;
    const NsSeriesStyle *look = &style->series[index];
    if (series->ghost)
        g_string_append(out, "chart-ghost");
    else if (series->theory)
        g_string_append(out, "chart-words");
    else
        g_string_append_printf(out, "chart-%u", index);
    if (series->pale) g_string_append(out, ", opacity=0.35");
    bool marked = series->kind == NS_SERIES_POINTS || series->kind == NS_SERIES_SCATTER;
    /* Marks that would touch are left out, but for those of a cloud. */
    size_t touching =
        (size_t)ceil(1.35 * style->mark_size * (double)series->n / layout->area.width);
    if (series->kind == NS_SERIES_SCATTER) touching = 1;
    if (series->kind == NS_SERIES_SCATTER) g_string_append(out, ", only marks");
    if (series->kind == NS_SERIES_STEPS) g_string_append(out, ", const plot");
    if (marked) {
        g_string_append_printf(out, ", mark=%s, mark size=", marks[look->mark]);
        ns_tex_number(out, style->mark_size / 2);
        g_string_append(out, "bp, mark options={solid}");
        if (touching > 1) g_string_append_printf(out, ", mark repeat=%zu", touching);
    }
    if (series->theory) {
        g_string_append(out, ", densely dotted");
    } else if (look->n_dash) {
        g_string_append(out, ", dash pattern=");
        for (int i = 0; i < look->n_dash; i++) {
            g_string_append(out, i % 2 ? " off " : i ? " on " : "on ");
            ns_tex_number(out, look->dash[i] * style->line_width);
            g_string_append(out, "bp");
        }
    }
}

static void append_point(GString *out, double x, double y)
{
    g_string_append_c(out, '(');
    ns_tex_number(out, x);
    g_string_append_c(out, ',');
    ns_tex_number(out, y);
    g_string_append(out, ")\n");
}

/* Every point or, where there are too many, those that the curve on the page is drawn through. */
static void append_points(GString *out, const NsPlotLayout *layout, size_t i)
{
    const NsSeries *series = &layout->plot->series[i];
    const NsScale *x = &layout->x, *y = &layout->y[series->side];
    const NsPath *path = &layout->paths[i];
    if (series->n <= MOST_POINTS || !path->points || !path->points->len) {
        for (size_t k = 0; k < series->n; k++)
            append_point(out, coordinate(x, series->x[k]), coordinate(y, series->y[k]));
        return;
    }
    for (unsigned k = 0, run = 0; k < path->points->len; k++) {
        const NsPoint *point = &g_array_index(path->points, NsPoint, k);
        bool first = run < path->runs->len && g_array_index(path->runs, unsigned, run) == k;
        if (first && run++) append_point(out, coordinate_at(x, point->x), (double)NAN);
        append_point(out, coordinate_at(x, point->x), coordinate_at(y, point->y));
    }
}

static void append_band(GString *out, const NsPlotLayout *layout, const NsSeries *series)
{
    const NsScale *x = &layout->x, *y = &layout->y[series->side];
    if (!series->lo || !series->hi || !series->n) return;
    size_t stride = (series->n + MOST_POINTS - 1) / MOST_POINTS;
    g_string_append_printf(out,
                           "\\addplot[draw=none, fill=chart-%u, fill opacity=0.18, "
                           "forget plot] coordinates {\n",
                           series->style % NS_SERIES_STYLES);
    for (int side = 0; side < 2; side++)
        for (size_t k = 0; k < series->n; k += stride) {
            size_t at = side ? (series->n - 1 - k) / stride * stride : k;
            double edge = side ? -INFINITY : INFINITY;
            for (size_t j = at; j < MIN(at + stride, series->n); j++)
                edge = side ? MAX(edge, series->hi[j]) : MIN(edge, series->lo[j]);
            double value = coordinate(y, edge);
            if (isfinite(value)) append_point(out, coordinate(x, series->x[at]), value);
        }
    g_string_append(out, "} -- cycle;\n");
}

static void append_bars(GString *out, const NsPlotLayout *layout, const NsSeries *series)
{
    const NsScale *x = &layout->x, *y = &layout->y[series->side];
    double foot = y->kind == NS_SCALE_LOG ? y->lo : 0;
    for (size_t k = 0; k < series->n; k++) {
        double value = coordinate(y, series->y[k]);
        double a = series->edges ? series->edges[k] : series->x[k] - 0.4;
        double b = series->edges ? series->edges[k + 1] : series->x[k] + 0.4;
        if (!isfinite(value)) continue;
        g_string_append_printf(out, "\\fill[chart-%u] (axis cs:", series->style % NS_SERIES_STYLES);
        ns_tex_number(out, coordinate(x, a));
        g_string_append_c(out, ',');
        ns_tex_number(out, coordinate(y, foot));
        g_string_append(out, ") rectangle (axis cs:");
        ns_tex_number(out, coordinate(x, b));
        g_string_append_c(out, ',');
        ns_tex_number(out, value);
        g_string_append(out, ");\n");
    }
}

static void append_series(GString *out, const NsPlotLayout *layout, size_t i)
{
    const NsSeries *series = &layout->plot->series[i];
    g_autofree char *label = ns_tex_text(series->label);
    g_string_append_printf(out, "%% %s: %zu points", label, series->n);
    if (series->n > MOST_POINTS)
        g_string_append(out, ", reduced to first, lowest, highest and last of every column");
    g_string_append_c(out, '\n');
    append_band(out, layout, series);
    if (series->kind == NS_SERIES_BAND) return;
    if (series->kind == NS_SERIES_BARS) {
        append_bars(out, layout, series);
        return;
    }
    g_string_append(out, "\\addplot[");
    append_look(out, layout, series);
    g_string_append(out, ", forget plot] coordinates {\n");
    append_points(out, layout, i);
    g_string_append(out, "};\n");
}

static void append_all_series(GString *out, const NsPlotLayout *layout, NsAxisSide side)
{
    const NsPlot *plot = layout->plot;
    for (size_t i = 0; i < plot->n_series; i++)
        if (plot->series[i].side == side && plot->series[i].n && !plot->series[i].hidden)
            append_series(out, layout, i);
}

/* ---- lines with words ---- */

static void append_straight(GString *out, const char *look, double x0, double y0, double x1,
                            double y1, const char *words)
{
    g_autofree char *text = ns_tex_text(words);
    g_string_append_printf(out, "\\draw[%s] (axis cs:", look);
    ns_tex_number(out, x0);
    g_string_append_c(out, ',');
    ns_tex_number(out, y0);
    g_string_append(out, ") -- (axis cs:");
    ns_tex_number(out, x1);
    g_string_append_c(out, ',');
    ns_tex_number(out, y1);
    g_string_append_printf(out, ") node[anchor=south east, inner sep=1bp, solid] {%s};\n", text);
}

static void append_annotations(GString *out, const NsPlotLayout *layout, double x0, double x1,
                               double y0, double y1)
{
    const NsPlot *plot = layout->plot;
    for (size_t i = 0; i < plot->n_levels; i++) {
        const NsLevel *level = &plot->levels[i];
        double y = coordinate(&layout->y[level->side], level->y);
        if (level->side == NS_AXIS_LEFT && isfinite(y))
            append_straight(out, "chart-words, densely dashed", x0, y, x1, y, level->text);
    }
    for (size_t i = 0; i < plot->n_slopes; i++) {
        const NsSlope *slope = &plot->slopes[i];
        const NsScale *y = &layout->y[slope->side];
        if (slope->side == NS_AXIS_LEFT)
            append_straight(out, "chart-words, densely dotted", coordinate(&layout->x, slope->x0),
                            coordinate(y, slope->y0), coordinate(&layout->x, slope->x1),
                            coordinate(y, slope->y1), slope->text);
    }
    for (size_t i = 0; i < plot->n_markers; i++) {
        const NsMarker *marker = &plot->markers[i];
        double x = coordinate(&layout->x, marker->x);
        if (!(x >= MIN(x0, x1) && x <= MAX(x0, x1))) continue;
        const char *look = marker->alarm ? "chart-alarm" : "chart-axis, densely dashed";
        append_straight(out, look, x, y0, x, y1, NULL);
    }
}

/* ---- heatmaps ---- */

/* Nine colours between which pgfplots mixes are as near to the palette as eyes can tell. */
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

static double cell_meta(const NsHeatmap *map, size_t row, size_t first, size_t last)
{
    double meta = (double)NAN;
    for (size_t column = first; column < last; column++) {
        double z = (double)ns_heatmap_row(map, row)[column];
        if (map->log) z = z > 0 ? log10(z) : (double)NAN;
        if (isfinite(z) && !(z <= meta)) meta = z;
    }
    return meta;
}

static void append_cells(GString *out, const NsPlotLayout *layout)
{
    const NsHeatmap *map = layout->plot->heatmap;
    if (!map || !map->rows || !map->columns) return;
    size_t most = MAX(1, MOST_CELLS / map->rows);
    size_t stride = (map->columns + most - 1) / most,
           columns = (map->columns + stride - 1) / stride;
    double width = (map->x1 - map->x0) / (double)map->columns;
    double height = (map->y1 - map->y0) / (double)map->rows;
    g_string_append_printf(out, "%% %zu x %zu cells", map->rows, map->columns);
    if (stride > 1) g_string_append_printf(out, ", of %zu side by side the largest", stride);
    g_string_append(out, "\n\\addplot[matrix plot*, mesh/ordering=x varies, mesh/cols=");
    g_string_append_printf(out, "%zu, point meta=explicit] table[meta=z] {\nx y z\n",
                           MAX(columns, 2));
    for (size_t row = 0; row < MAX(map->rows, 2); row++)
        for (size_t i = 0; i < MAX(columns, 2); i++) {
            /* pgfplots takes the size of a cell from its neighbour: a single one needs another. */
            bool real = row < map->rows && i < columns;
            size_t first = i * stride, last = MIN(first + stride, map->columns);
            double meta = real ? cell_meta(map, row, first, last) : (double)NAN;
            ns_tex_number(out, map->x0 + width * (double)stride * ((double)i + 0.5));
            g_string_append_c(out, ' ');
            ns_tex_number(out, map->y0 + height * ((double)row + 0.5));
            g_string_append_c(out, ' ');
            ns_tex_number(out, meta);
            g_string_append_c(out, '\n');
        }
    g_string_append(out, "};\n");
}

/* ---- the page ---- */

static void append_node(GString *out, const char *words, const char *look, double x, double y)
{
    g_autofree char *text = ns_tex_text(words);
    g_string_append_printf(out, "\\node[anchor=north west, inner sep=0bp, %s] at (", look);
    ns_tex_number(out, x);
    g_string_append(out, "bp,");
    ns_tex_number(out, y);
    g_string_append_printf(out, "bp) {%s};\n", text);
}

/* A text of the plot at the upper left corner of the label that the layout placed. */
static void append_label(GString *out, const NsPlotLayout *layout, NsPart part, const char *words,
                         const char *look, double left, double top)
{
    for (unsigned i = 0; words && *words && i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        if (label->part != part) continue;
        append_node(out, words, look, left + label->x, top - label->y);
        return;
    }
}

/* The words that found room above the area. */
static void append_marker_words(GString *out, const NsPlotLayout *layout, double left, double top)
{
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        for (size_t k = 0; label->part == NS_PART_MARKER && k < layout->plot->n_markers; k++) {
            const NsMarker *marker = &layout->plot->markers[k];
            g_autofree char *plain = ns_text_plain(marker->text);
            if (!marker->text || !g_str_equal(pango_layout_get_text(label->text), plain)) continue;
            append_node(out, marker->text,
                        marker->alarm ? "chart-alarm, font=\\bfseries" : "chart-words",
                        left + label->x, top - label->y);
            break;
        }
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

/* The entries in the order of the layout, of both axes. */
static void append_entries(GString *out, const NsPlotLayout *layout)
{
    for (unsigned i = 0; i < layout->legend->len; i++) {
        const NsSeries *series = g_array_index(layout->legend, NsLegendSample, i).series;
        g_autofree char *label = ns_tex_text(series->label);
        if (series->hidden) continue;
        g_string_append(out, "\\addlegendimage{");
        append_look(out, layout, series);
        g_string_append_printf(out, "}\n\\addlegendentry{%s%s}\n", label,
                               series->side == NS_AXIS_RIGHT ? " (right)" : "");
    }
}

/* As many entries side by side as in the layout. */
static void append_legend(GString *out, const NsPlotLayout *layout)
{
    if (!layout->legend->len) return;
    const NsLegendSample *first = &g_array_index(layout->legend, NsLegendSample, 0);
    unsigned row = 0;
    while (row < layout->legend->len &&
           g_array_index(layout->legend, NsLegendSample, row).box.y <= first->box.y)
        row++;
    g_string_append_printf(out, "  legend columns=%u, legend style={", row);
    NsBox frame = frame_of(layout);
    append_relative(out, &frame, first->box.x, first->box.y);
    g_string_append(out, "},\n");
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
    append_axis(out, "y", &plot->left, y, layout->y_ticks[NS_AXIS_LEFT], ends[2], ends[3]);
    g_string_append(out, plot->heatmap || plot->no_grid ? "  axis on top,\n" : "  grid=major,\n");
    if (plot->heatmap) append_colormap(out, layout);
    if (plot->heatmap) append_colorbar(out, layout);
    append_legend(out, layout);
    append_label_place(out, layout, &frame, NS_PART_X_LABEL, "x", 0);
    append_label_place(out, layout, &frame, NS_PART_LEFT_LABEL, "y", 90);
    g_string_append(out, "]\n");
    append_cells(out, layout);
    append_all_series(out, layout, NS_AXIS_LEFT);
    append_annotations(out, layout, coordinate_at(x, ends[0]), coordinate_at(x, ends[1]),
                       coordinate_at(y, ends[2]), coordinate_at(y, ends[3]));
    append_entries(out, layout);
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
    append_all_series(out, layout, NS_AXIS_RIGHT);
    g_string_append(out, "\\end{axis}\n");
}

/* A plot, and the strip below it; (left, top) is their upper left corner. */
static void append_layout(GString *out, const NsPlotLayout *layout, double left, double top)
{
    const NsPlot *plot = layout->plot;
    g_autofree char *note = ns_survey_note(plot, &layout->survey);
    g_autofree char *title = ns_tex_text(plot->title);
    g_string_append_printf(out, "\n%% %s\n", title);
    append_left(out, layout, left, top);
    if (layout->survey.right && !plot->heatmap) append_right(out, layout, left, top);
    append_label(out, layout, NS_PART_TITLE, plot->title, "chart-words, font=\\charttitlefont",
                 left, top);
    append_label(out, layout, NS_PART_SUBTITLE, plot->subtitle, "chart-faint", left, top);
    append_label(out, layout, NS_PART_NOTE, note, "chart-faint", left, top);
    append_marker_words(out, layout, left, top);
    if (!layout->survey.any)
        append_label(out, layout, NS_PART_EMPTY, plot->empty ? plot->empty : "no data",
                     "chart-faint", left, top);
    if (layout->strip) append_layout(out, layout->strip, left, top - layout->strip_y);
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
                    "the preamble's packages,\n% colours and fonts, and the picture.\n"
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
                         "  major grid style={draw=chart-grid, solid},\n"
                         "  legend style={draw=none, fill=none, text=chart-words, inner sep=0bp,\n"
                         "    anchor=north west, cells={anchor=west}},\n"
                         "  /tikz/every even column/.append style={column sep=8bp},\n");
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
    if (!options->transparent) g_string_append(out, ", fill=chart-page");
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
