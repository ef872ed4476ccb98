/* The data of a figure as TeX, for the package pgfplots.  SPDX-License-Identifier: MIT */
#include "ui/plot/draw_series.h"
#include "ui/plot/panels.h"
#include "ui/plot/pgfplots-private.h"
#include "ui/plot/tex.h"

#include <math.h>

/* Limits on the numbers in a file, each of which TeX stores in a macro. */
#define MOST_POINTS 2000
#define MOST_CELLS 6000

/* TeX cannot represent lengths beyond some meters: coordinates are clamped to this many lengths of
 * the axis beyond it. */
#define BEYOND 30

/* ---- coordinates ---- */

double ns_pgf_coordinate(const NsScale *scale, double value)
{
    double beyond = BEYOND * (scale->hi - scale->lo);
    if (scale->kind == NS_SCALE_LINEAR && isfinite(value))
        return CLAMP(value, scale->lo - beyond, scale->hi + beyond);
    if (scale->kind != NS_SCALE_SYMLOG)
        return ns_scale_shows(scale->kind, value) ? value : (double)NAN;
    return (ns_scale_to_pixel(scale, value) - scale->p0) / (scale->p1 - scale->p0);
}

double ns_pgf_coordinate_at(const NsScale *scale, double pixel)
{
    if (scale->kind == NS_SCALE_SYMLOG) return (pixel - scale->p0) / (scale->p1 - scale->p0);
    return ns_scale_to_value(scale, pixel);
}

/* ---- series ---- */

char *ns_pgf_color(const NsSeries *series)
{
    if (series->previous && !series->tinted) return g_strdup("chart-previous");
    if (series->theory && !series->tinted) return g_strdup("chart-words");
    return g_strdup_printf("chart-%u", series->style % NS_SERIES_STYLES);
}

void ns_pgf_look(GString *out, const NsPlotLayout *layout, const NsSeries *series)
{
    const NsStyle *style = layout->style;
    static const char *const marks[] = {[NS_MARK_CIRCLE] = "*",
                                        [NS_MARK_SQUARE] = "square*",
                                        [NS_MARK_TRIANGLE] = "triangle*",
                                        [NS_MARK_DIAMOND] = "diamond*"};
    unsigned index = series->style % NS_SERIES_STYLES;
    const NsSeriesStyle *look = &style->series[(index + series->dash) % NS_SERIES_STYLES];
    g_autofree char *color = ns_pgf_color(series);
    g_string_append(out, color);
    if (series->muted || (series->tinted && !series->theory))
        g_string_append(out, ", opacity=0.35");
    bool marked = series->kind == NS_SERIES_POINTS || series->kind == NS_SERIES_SCATTER;
    /* Marks that would overlap are omitted, except in a scatter plot. */
    size_t touching =
        (size_t)ceil(1.35 * style->mark_size * (double)series->n / layout->area.width);
    if (series->kind == NS_SERIES_SCATTER) touching = 1;
    if (series->kind == NS_SERIES_SCATTER) g_string_append(out, ", only marks");
    if (series->kind == NS_SERIES_STEPS) g_string_append(out, ", const plot");
    if (marked) {
        ns_tex_printf(out, ", mark=%s, mark size=%gbp, mark options={solid}", marks[look->mark],
                      style->mark_size / 2);
        if (touching > 1) g_string_append_printf(out, ", mark repeat=%zu", touching);
    }
    if (series->theory) {
        static const char *const dots[NS_THEORY_STYLES] = {"densely dotted", "dotted",
                                                           "loosely dotted"};
        g_string_append_printf(out, ", %s", dots[series->dash % NS_THEORY_STYLES]);
    } else if (look->n_dash) {
        g_string_append(out, ", dash pattern=");
        for (int i = 0; i < look->n_dash; i++)
            ns_tex_printf(out, "%s %gbp",
                          i % 2 ? " off"
                          : i   ? " on"
                                : "on",
                          look->dash[i] * style->line_width);
    }
}

static void append_point(GString *out, double x, double y)
{
    ns_tex_printf(out, "(%g,%g)\n", x, y);
}

/* Appends all points, or the reduced path if there are too many. */
static void append_points(GString *out, const NsPlotLayout *layout, size_t i)
{
    const NsSeries *series = &layout->plot->series[i];
    const NsScale *x = &layout->x, *y = &layout->y[series->side];
    const NsPath *path = &layout->paths[i];
    if (series->n <= MOST_POINTS || !path->points || !path->points->len) {
        for (size_t k = 0; k < series->n; k++)
            append_point(out, ns_pgf_coordinate(x, series->x[k]),
                         ns_pgf_coordinate(y, series->y[k]));
        return;
    }
    for (unsigned k = 0, run = 0; k < path->points->len; k++) {
        const NsPoint *point = &g_array_index(path->points, NsPoint, k);
        bool first = run < path->runs->len && g_array_index(path->runs, unsigned, run) == k;
        if (first && run++) append_point(out, ns_pgf_coordinate_at(x, point->x), (double)NAN);
        append_point(out, ns_pgf_coordinate_at(x, point->x), ns_pgf_coordinate_at(y, point->y));
    }
}

static void append_band(GString *out, const NsPlotLayout *layout, const NsSeries *series)
{
    const NsScale *x = &layout->x, *y = &layout->y[series->side];
    if (!series->lo || !series->hi || !series->n) return;
    size_t stride = (series->n + MOST_POINTS - 1) / MOST_POINTS;
    g_autofree char *color = ns_pgf_color(series);
    g_string_append_printf(
        out, "\\addplot[draw=none, fill=%s, fill opacity=0.18, forget plot] coordinates {\n",
        color);
    for (int side = 0; side < 2; side++)
        for (size_t k = 0; k < series->n; k += stride) {
            size_t at = side ? (series->n - 1 - k) / stride * stride : k;
            double edge = side ? -INFINITY : INFINITY;
            for (size_t j = at; j < MIN(at + stride, series->n); j++)
                edge = side ? MAX(edge, series->hi[j]) : MIN(edge, series->lo[j]);
            double value = ns_pgf_coordinate(y, edge);
            if (isfinite(value)) append_point(out, ns_pgf_coordinate(x, series->x[at]), value);
        }
    g_string_append(out, "} -- cycle;\n");
}

/* Appends bars as rectangles; adjoining bars also have an outline, because others must show
 * through. */
static void append_bars(GString *out, const NsPlotLayout *layout, size_t i)
{
    const NsSeries *series = &layout->plot->series[i];
    const NsScale *x = &layout->x, *y = &layout->y[series->side];
    double foot = ns_pgf_coordinate(y, y->kind == NS_SCALE_LOG ? y->lo : 0);
    g_autofree char *color = ns_pgf_color(series);
    double opacity = ns_series_opacity(series);
    for (size_t k = 0; k < series->n; k++) {
        double from, to, value = ns_pgf_coordinate(y, series->y[k]);
        if (!isfinite(value)) continue;
        ns_bar_ends(layout, i, k, &from, &to);
        double left = ns_pgf_coordinate(x, from);
        /* On a logarithmic axis a left edge at zero is infinitely far away. */
        if (isnan(left)) left = ns_pgf_coordinate_at(x, layout->area.x);
        ns_tex_printf(out,
                      "\\fill[%s, fill opacity=%g] (axis cs:%g,%g) rectangle (axis cs:%g,%g);\n",
                      color, opacity, left, foot, ns_pgf_coordinate(x, to), value);
    }
    if (!series->edges) return;
    g_string_append(out, "\\addplot[");
    ns_pgf_look(out, layout, series);
    g_string_append(out, ", const plot, forget plot] coordinates {\n");
    for (size_t k = 0; k <= series->n; k++)
        append_point(out, ns_pgf_coordinate(x, series->edges[k]),
                     k < series->n ? ns_pgf_coordinate(y, series->y[k]) : foot);
    g_string_append(out, "};\n");
}

/* A value between two gaps has no line, so that it needs a dot. */
static void append_lone_points(GString *out, const NsPlotLayout *layout, size_t i)
{
    const NsPath *path = &layout->paths[i];
    const NsSeries *series = &layout->plot->series[i];
    bool open = false;
    if (series->kind != NS_SERIES_LINE || !path->runs) return;
    for (unsigned run = 0; run < path->runs->len; run++) {
        unsigned from = g_array_index(path->runs, unsigned, run);
        unsigned to = run + 1 < path->runs->len ? g_array_index(path->runs, unsigned, run + 1)
                                                : path->points->len;
        if (to - from != 1) continue;
        if (!open) {
            g_string_append(out, "\\addplot[");
            ns_pgf_look(out, layout, series);
            ns_tex_printf(out, ", only marks, mark=*, mark size=%gbp, forget plot] coordinates {\n",
                          layout->style->line_width);
        }
        open = true;
        const NsPoint *point = &g_array_index(path->points, NsPoint, from);
        append_point(out, ns_pgf_coordinate_at(&layout->x, point->x),
                     ns_pgf_coordinate_at(&layout->y[series->side], point->y));
    }
    if (open) g_string_append(out, "};\n");
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
        append_bars(out, layout, i);
        return;
    }
    g_string_append(out, "\\addplot[");
    ns_pgf_look(out, layout, series);
    g_string_append(out, ", forget plot] coordinates {\n");
    append_points(out, layout, i);
    g_string_append(out, "};\n");
    append_lone_points(out, layout, i);
}

void ns_pgf_series(GString *out, const NsPlotLayout *layout, NsAxisSide side)
{
    for (int rank = 0; rank < NS_SERIES_RANKS; rank++)
        for (size_t i = 0; i < layout->plot->n_series; i++) {
            const NsSeries *series = &layout->plot->series[i];
            bool shown = series->side == side && series->n && !series->hidden;
            if (shown && ns_series_rank(series) == rank) append_series(out, layout, i);
        }
}

/* ---- heatmaps ---- */

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

static void append_cells(GString *out, const NsHeatmap *map, const NsPanel *panel)
{
    size_t most = MAX(1, MOST_CELLS / map->rows);
    size_t stride = (map->columns + most - 1) / most,
           columns = (map->columns + stride - 1) / stride;
    double width = (map->x1 - map->x0) / (double)map->columns;
    double height = (panel->hi - panel->lo) / (double)panel->rows;
    g_string_append_printf(out, "%% %zu x %zu cells", panel->rows, map->columns);
    if (stride > 1) g_string_append_printf(out, ", of %zu side by side the largest", stride);
    g_string_append(out, "\n\\addplot[matrix plot*, mesh/ordering=x varies, mesh/cols=");
    g_string_append_printf(out, "%zu, point meta=explicit] table[meta=z] {\nx y z\n",
                           MAX(columns, 2));
    for (size_t row = 0; row < MAX(panel->rows, 2); row++)
        for (size_t i = 0; i < MAX(columns, 2); i++) {
            /* pgfplots derives the size of a cell from its neighbor, so that a single cell needs a
             * dummy. */
            bool real = row < panel->rows && i < columns;
            size_t first = i * stride, last = MIN(first + stride, map->columns);
            double meta = real ? cell_meta(map, panel->row + row, first, last) : (double)NAN;
            ns_tex_printf(out, "%g %g %g\n", map->x0 + width * (double)stride * ((double)i + 0.5),
                          panel->lo + height * ((double)row + 0.5), meta);
        }
    g_string_append(out, "};\n");
}

/* Returns whether a cell is omitted from the matrix plot: because it is not finite, or (if
 * `finite`) because it is 0 or less. */
static bool is_left_out(const NsHeatmap *map, float z, bool finite)
{
    return finite ? map->log && isfinite(z) && !(z > 0) : !isfinite(z) && !ns_cell_is_blank(z);
}

/* Draws each horizontal run of cells omitted for the same reason as one rectangle. */
static void append_left_out(GString *out, const NsHeatmap *map, const NsPanel *panel, bool finite,
                            const char *look)
{
    double width = (map->x1 - map->x0) / (double)map->columns;
    double height = (panel->hi - panel->lo) / (double)panel->rows;
    for (size_t row = 0; row < panel->rows; row++) {
        const float *z = ns_heatmap_row(map, panel->row + row);
        size_t first = 0;
        for (size_t i = 0; i <= map->columns; i++) {
            if (i < map->columns && is_left_out(map, z[i], finite)) continue;
            double y = panel->lo + height * (double)row;
            if (i > first)
                ns_tex_printf(out, "\\fill[%s] (axis cs:%g,%g) rectangle (axis cs:%g,%g);\n", look,
                              map->x0 + width * (double)first, y, map->x0 + width * (double)i,
                              y + height);
            first = i + 1;
        }
    }
}

void ns_pgf_cells(GString *out, const NsPlotLayout *layout)
{
    const NsHeatmap *map = layout->plot->heatmap;
    if (!map || !map->rows || !map->columns) return;
    for (size_t i = 0; i < ns_panels(map); i++) {
        NsPanel panel = ns_panel(map, i);
        append_cells(out, map, &panel);
        append_left_out(out, map, &panel, true, "chart-previous");
        append_left_out(out, map, &panel, false,
                        map->hatch ? "pattern=north east lines, pattern color=chart-alarm"
                                   : "chart-alarm");
    }
}
