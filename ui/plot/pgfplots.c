/* A figure as TeX, for the package pgfplots.  SPDX-License-Identifier: MIT
 *
 * Axes, ticks, labels and legend are at the positions of the layout, while curves and cells are
 * tables of values. */
#include "ui/plot/plot-private.h"

#include "ui/plot/heatmap.h"
#include "ui/plot/painter.h"
#include "ui/plot/text.h"

#include <locale.h>
#include <math.h>
#include <string.h>

/* In text sizes: tick labels are smaller because TeX's digits are wider than those of the
 * layout. */
#define TICK_SIZE 0.92

/* Limits on the numbers in a file, each of which TeX stores in a macro. */
#define MOST_POINTS 2000
#define MOST_CELLS 6000

/* TeX cannot represent lengths beyond some meters: coordinates are clamped to this many lengths of
 * the axis beyond it. */
#define BEYOND 30

#define print g_string_append_printf

/* Formats of a position in the coordinates of the axes, and on the page; two of them span a line or
 * a rectangle. */
#define COORDINATES "(axis cs:%.9g,%.9g)"
#define PLACE "(%.9gbp,%.9gbp)"
#define POINT "(%.9g,%.9g)\n"
#define LINE COORDINATES " -- " COORDINATES ";\n"
#define BOX " " COORDINATES " rectangle " COORDINATES ";\n"

/* A plot on the TeX page, with its upper left corner at (left, top). */
typedef struct {
    GString *out;
    const NsPlotLayout *layout;
    double left, top;
} Page;

/* ---- strings ---- */

/* Characters that need a command, each before its command, in math mode and in text.  All TeX
 * engines support these, independently of the fonts. */
static const char formulas[] =
    "\\ \\backslash ~ \\sim | | < < > > − - × \\times · \\cdot ± \\pm √ \\surd ∞ \\infty ∂ "
    "\\partial ∇ \\nabla ‖ \\| ∝ \\propto ≈ \\approx ≤ \\le ≥ \\ge ≪ \\ll ≫ \\gg ∈ \\in → \\to ← "
    "\\leftarrow ⊙ \\odot ⟨ \\langle ⟩ \\rangle ↵ \\hookleftarrow ⇥ \\mapsto △ \\triangle ▲ "
    "\\blacktriangle ▼ \\blacktriangledown α \\alpha β \\beta γ \\gamma δ \\delta Δ \\Delta ε "
    "\\varepsilon η \\eta θ \\theta λ \\lambda μ \\mu π \\pi ρ \\rho σ \\sigma Σ \\Sigma τ \\tau "
    "φ \\varphi ω \\omega ";
static const char texts[] = "^ \\textasciicircum{} { \\{ } \\} % \\% & \\& # \\# $ \\$ _ \\_ ␣ "
                            "\\textvisiblespace{} “ `` ” '' ‘ ` ’ ' "
                            "– -- — --- … \\dots{} \u2009 \\, \u00a0 ~ ";

/* TeX that is being written.  Math mode begins and ends as required by the next character. */
typedef struct {
    GString *out;
    bool formula; /* math mode is active */
    int depth;    /* nesting depth of scripts, which are all in math mode */
} Writer;

static void set_formula(Writer *writer, bool formula)
{
    if (writer->formula != formula && !writer->depth) {
        g_string_append_c(writer->out, '$');
        writer->formula = formula;
    }
}

static void convert(Writer *writer, const char *text, bool scripts)
{
    for (const char *p = text; *p;) {
        if (scripts && ns_text_is_script(p)) {
            bool base = writer->formula;
            set_formula(writer, true);
            print(writer->out, "%s%c{", base ? "" : "{}", *p);
            g_autofree char *group = ns_text_group(p + 1, &p);
            writer->depth++;
            convert(writer, group, true);
            writer->depth--;
            g_string_append_c(writer->out, '}');
            continue;
        }
        const char *next = g_utf8_find_next_char(p, NULL), *written = p;
        size_t size = (size_t)(next - p), length = size;
        /* These characters need no text font in math mode. */
        bool math = writer->depth && (g_ascii_isalnum(*p) || strchr("/+-=(),.*", *p));
        for (int table = 0; table < 2; table++)
            for (const char *sign = table ? texts : formulas, *end; *sign; sign = end + 1) {
                const char *command = strchr(sign, ' ') + 1;
                end = strchr(command, ' ');
                if (written != p || command != sign + size + 1 || strncmp(p, sign, size) != 0)
                    continue;
                math = !table;
                written = command;
                /* The space after a command of letters belongs to it. */
                length = (size_t)(end - command) + (math && g_ascii_isalpha(end[-1]));
            }
        if (!scripts || !g_str_has_prefix(p, NS_TEXT_LITERAL)) {
            set_formula(writer, math);
            print(writer->out, writer->formula && !math ? "\\text{%.*s}" : "%.*s", (int)length,
                  written);
        }
        p = next;
    }
}

/* Converts text with the markup of NsPlot to TeX: scripts and mathematical characters in math mode,
 * special characters escaped.  Without `scripts`, _ and ^ are literal.  NULL gives an empty string.
 * Free with g_free. */
static char *tex(const char *text, bool scripts)
{
    g_autofree char *valid = g_strdelimit(g_utf8_make_valid(text ? text : "", -1), "\n\r", ' ');
    Writer writer = {.out = g_string_new(NULL)};
    convert(&writer, valid, scripts);
    set_formula(&writer, false);
    return g_string_free(writer.out, FALSE);
}

/* ---- coordinates and looks ---- */

/* The coordinate at a position on the page.  pgfplots has no symmetric logarithmic scale: on it,
 * coordinates are shares of the axis, and only the tick labels are values. */
static double coordinate_at(const NsScale *scale, double pixel)
{
    if (scale->kind != NS_SCALE_SYMLOG) return ns_scale_to_value(scale, pixel) + 0.0; /* no -0 */
    return (pixel - scale->p0) / (scale->p1 - scale->p0) + 0.0;
}

/* A value as a coordinate of its axis, or NaN if the scale cannot show it. */
static double coordinate(const NsScale *scale, double value)
{
    double beyond = BEYOND * (scale->hi - scale->lo);
    if (!isfinite(value) || !ns_scale_shows(scale->kind, value)) return (double)NAN;
    if (scale->kind == NS_SCALE_LINEAR)
        return CLAMP(value, scale->lo - beyond, scale->hi + beyond) + 0.0;
    if (scale->kind == NS_SCALE_LOG) return value;
    return coordinate_at(scale, ns_scale_to_pixel(scale, value));
}

static const char *const level_dashes[2] = {"densely dashed", "densely dotted"};

/* The name of the color of run 1, 2, ..., or `usual` for 0. */
static const char *run_color(unsigned run, const char *usual)
{
    static const char *const names[NS_SERIES_STYLES] = {"chart-0", "chart-1", "chart-2", "chart-3",
                                                        "chart-4", "chart-5", "chart-6"};
    return run ? names[(run - 1) % NS_SERIES_STYLES] : usual;
}

static const char *series_color(const NsSeries *series)
{
    if (series->previous && !series->tinted) return "chart-previous";
    if (series->theory && !series->tinted) return "chart-words";
    return run_color(series->style % NS_SERIES_STYLES + 1, NULL);
}

/* Appends a command with the options of a series: color, dash, mark. */
static void append_look(GString *out, const char *command, const NsPlotLayout *layout,
                        const NsSeries *series)
{
    static const char *const marks[] = {"*", "square*", "triangle*", "diamond*"}; /* by NsMark */
    static const char *const dots[] = {"densely dotted", "dotted", "loosely dotted"};
    const NsStyle *style = layout->style;
    const NsSeriesStyle look = ns_series_style(style, series);
    bool scatter = series->kind == NS_SERIES_SCATTER;
    bool sparse = ns_series_has_marks(layout->plot, series);
    print(out, "%s%s", command, series_color(series));
    /* The line does not show through its marks. */
    if (series->muted || (series->tinted && !series->theory))
        print(out, "!%.0f!chart-page", 100 * (1 - ns_series_muted(series)));
    if (scatter) print(out, ", only marks");
    if (series->kind == NS_SERIES_POINTS || scatter || sparse) {
        print(out, ", mark=%s, mark size=%.9gbp, mark options={solid%s}", marks[look.mark],
              style->mark_size / 2, series->hollow ? ", fill=chart-page" : "");
        /* Marks that would overlap are omitted, except in a scatter plot. */
        double touching = ceil(1.35 * style->mark_size * (double)series->n / layout->area.width);
        if (touching > 1 && !scatter && !sparse) print(out, ", mark repeat=%.0f", touching);
        double every = MAX(1, (double)series->n / NS_SPARSE_MARKS);
        if (sparse)
            print(out, ", mark repeat=%.0f, mark phase=%.0f", every,
                  1 + NS_MARK_SHIFT(series) * every);
    }
    if (series->theory) print(out, ", %s", dots[series->dash % NS_THEORY_STYLES]);
    for (int i = 0; i < look.n_dash && !series->theory; i++)
        print(out, "%s%s %.9gbp ", i ? "" : ", dash pattern=", i % 2 ? "off" : "on",
              look.dash[i] * style->line_width);
}

/* ---- curves, bands and bars ---- */

/* Appends bars as rectangles; adjoining bars also have an outline, because others must show
 * through. */
static void append_bars(GString *out, const NsPlotLayout *layout, size_t i)
{
    const NsSeries *series = &layout->plot->series[i];
    const NsScale *x = &layout->x, *y = &layout->y;
    double foot = coordinate(y, y->kind == NS_SCALE_LOG ? y->lo : 0);
    for (size_t k = 0; k < series->n; k++) {
        double from, to, value = coordinate(y, series->y[k]);
        if (!isfinite(value)) continue;
        ns_bar_ends(layout, i, k, &from, &to);
        double left = coordinate(x, from);
        /* On a logarithmic axis a left edge at zero is infinitely far away. */
        if (isnan(left)) left = coordinate_at(x, layout->area.x);
        print(out, "\\fill[%s, fill opacity=%.9g]" BOX, series_color(series),
              ns_series_opacity(series), left, foot, coordinate(x, to), value);
    }
    if (!series->edges) return;
    append_look(out, "\\addplot[", layout, series);
    print(out, ", const plot, forget plot] coordinates {\n");
    for (size_t k = 0; k <= series->n; k++)
        print(out, POINT, coordinate(x, series->edges[k]),
              k < series->n ? coordinate(y, series->y[k]) : foot);
    print(out, "};\n");
}

/* Appends a curve with all its points, or the reduced path if there are too many.  A value between
 * two gaps has no line, so that it gets a dot. */
static void append_curve(GString *out, const NsPlotLayout *layout, size_t i)
{
    const NsSeries *series = &layout->plot->series[i];
    const NsScale *x = &layout->x, *y = &layout->y;
    const GArray *points = layout->paths[i].points, *runs = layout->paths[i].runs;
    bool reduced = series->n > MOST_POINTS && points && points->len;
    append_look(out, "\\addplot[", layout, series);
    bool bare = ns_series_has_marks(layout->plot, series) &&
                !ns_series_has_sparse_marks(layout->plot, series);
    print(out, "%s, forget plot] coordinates {\n", bare ? ", mark=none" : "");
    for (size_t k = 0; k < series->n && !reduced; k++)
        print(out, POINT, coordinate(x, series->x[k]), coordinate(y, series->y[k]));
    for (unsigned k = 0, run = 0; reduced && k < points->len; k++) {
        NsPoint point = g_array_index(points, NsPoint, k);
        bool first = run < runs->len && g_array_index(runs, unsigned, run) == k;
        if (first && run++) print(out, POINT, coordinate_at(x, point.x), (double)NAN);
        print(out, POINT, coordinate_at(x, point.x), coordinate_at(y, point.y));
    }
    print(out, "};\n");
    for (unsigned run = 0; series->kind == NS_SERIES_LINE && runs && run < runs->len; run++) {
        unsigned from = g_array_index(runs, unsigned, run);
        unsigned to = run + 1 < runs->len ? g_array_index(runs, unsigned, run + 1) : points->len;
        NsPoint point = g_array_index(points, NsPoint, from);
        if (to - from != 1) continue;
        append_look(out, "\\fill[", layout, series);
        print(out, "] " COORDINATES " circle[radius=%.9gbp];\n", coordinate_at(x, point.x),
              coordinate_at(y, point.y), layout->style->line_width);
    }
}

/* Appends a series with its band, whose lower edge goes to the right, its upper edge to the left.
 */
static void append_series(GString *out, const NsPlotLayout *layout, size_t i)
{
    const NsSeries *series = &layout->plot->series[i];
    if (!series->n || series->hidden) return;
    g_autofree char *label = tex(series->label, true);
    const char *note = ", reduced to first, lowest, highest and last of every column";
    print(out, "%% %s: %zu points%s\n", label, series->n, series->n > MOST_POINTS ? note : "");
    if (series->lo && series->hi) {
        size_t stride = (series->n + MOST_POINTS - 1) / MOST_POINTS;
        print(out, "\\addplot[draw=none, fill=%s, fill opacity=0.18, forget plot] coordinates {\n",
              series_color(series));
        for (int side = 0; side < 2; side++)
            for (size_t k = 0; k < series->n; k += stride) {
                size_t at = side ? (series->n - 1 - k) / stride * stride : k;
                double edge = side ? -INFINITY : INFINITY;
                for (size_t j = at; j < MIN(at + stride, series->n); j++)
                    edge = side ? MAX(edge, series->hi[j]) : MIN(edge, series->lo[j]);
                double x = coordinate(&layout->x, series->x[at]), y = coordinate(&layout->y, edge);
                if (isfinite(y)) print(out, POINT, x, y);
            }
        print(out, "} -- cycle;\n");
    }
    if (series->kind == NS_SERIES_BARS)
        append_bars(out, layout, i);
    else if (series->kind != NS_SERIES_BAND)
        append_curve(out, layout, i);
}

/* ---- heatmaps ---- */

/* Appends the cells of a panel as a matrix.  Of too many columns, the largest of several side by
 * side is shown.  Cells that it lacks, because they are not finite, or 0 or less on a logarithmic
 * scale, are filled in horizontal runs. */
static void append_cells(GString *out, const NsHeatmap *map, NsPanel panel)
{
    size_t most = MAX(1, MOST_CELLS / map->rows);
    size_t stride = (map->columns + most - 1) / most;
    size_t columns = (map->columns + stride - 1) / stride;
    double width = (map->x1 - map->x0) / (double)map->columns;
    double height = (panel.hi - panel.lo) / (double)panel.rows;
    print(out, "%% %zu x %zu cells", panel.rows, map->columns);
    if (stride > 1) print(out, ", of %zu side by side the largest", stride);
    /* pgfplots derives the size of a cell from its neighbor, so that a single cell needs a dummy.
     */
    print(out,
          "\n\\addplot[matrix plot*, mesh/ordering=x varies, mesh/cols=%zu, "
          "point meta=explicit] table[meta=z] {\nx y z\n",
          MAX(columns, 2));
    for (size_t row = 0; row < MAX(panel.rows, 2); row++)
        for (size_t i = 0; i < MAX(columns, 2); i++) {
            size_t last = row < panel.rows ? MIN((i + 1) * stride, map->columns) : 0;
            double meta = (double)NAN;
            for (size_t column = i * stride; column < last; column++) {
                double z = (double)ns_heatmap_row(map, panel.row + row)[column];
                if (map->log) z = z > 0 ? log10(z) : (double)NAN;
                if (isfinite(z) && !(z <= meta)) meta = z;
            }
            print(out, "%.9g %.9g %.9g\n", map->x0 + width * (double)stride * ((double)i + 0.5),
                  panel.lo + height * ((double)row + 0.5), meta + 0.0);
        }
    print(out, "};\n");
    const char *broken =
        map->hatch ? "pattern=north east lines, pattern color=chart-alarm" : "chart-alarm";
    for (int finite = 1; finite >= 0; finite--)
        for (size_t row = 0; row < panel.rows; row++)
            for (size_t first = 0, i = 0; i <= map->columns; i++) {
                float z = i < map->columns ? ns_heatmap_row(map, panel.row + row)[i] : 1;
                bool gray = map->undefined && i < map->columns &&
                            map->undefined[(panel.row + row) * map->columns + i];
                if (finite ? gray || (map->log && isfinite(z) && !(z > 0))
                           : !isfinite(z) && !ns_cell_is_blank(z))
                    continue;
                double y = panel.lo + height * (double)row;
                if (i > first)
                    print(out, "\\fill[%s]" BOX, finite ? "chart-previous" : broken,
                          map->x0 + width * (double)first, y, map->x0 + width * (double)i,
                          y + height);
                first = i + 1;
            }
}

/* ---- axes ---- */

/* Appends a tick and its label. */
static void add_tick(GString *at, GString *words, double where, const char *label)
{
    g_autofree char *text = tex(label, true);
    print(at, at->len ? ",%.9g" : "%.9g", where);
    print(words, words->len ? ",{%s}" : "{%s}", text);
}

/* Appends the options of an axis between two positions on the page. */
static void append_axis(GString *out, const char *name, const NsAxis *axis, const NsScale *scale,
                        const GArray *ticks, double from, double to)
{
    g_autoptr(GString) at = g_string_new(NULL), words = g_string_new(NULL);
    g_autoptr(GString) minor = g_string_new(NULL), none = g_string_new(NULL);
    double a = coordinate_at(scale, from), b = coordinate_at(scale, to);
    print(out, "  %smode=%s,\n  %smin=%.9g,\n  %smax=%.9g,\n", name,
          scale->kind == NS_SCALE_LOG ? "log" : "linear", name, MIN(a, b), name, MAX(a, b));
    if (a > b) print(out, "  %s dir=reverse,\n", name);
    for (unsigned i = 0; i < ticks->len; i++) {
        const NsTick *tick = &g_array_index(ticks, NsTick, i);
        bool major = tick->label != NULL;
        add_tick(major ? at : minor, major ? words : none, coordinate(scale, tick->value),
                 axis->quiet || tick->covered ? NULL : tick->label);
    }
    print(out, "  %stick={%s},\n  %sticklabels={%s},\n", name, at->len ? at->str : "\\empty", name,
          words->str);
    if (minor->len) print(out, "  minor %stick={%s},\n", name, minor->str);
}

/* Places an axis label as in the layout and with its length, because TeX's fonts have other widths.
 */
static void append_axis_label(GString *out, const NsPlotLayout *layout, const NsBox *box,
                              NsPart part, const char *axis, int angle)
{
    const NsLabel *label = ns_layout_label(layout, part);
    if (!label) return;
    double x = label->box.x + label->box.width / 2, y = label->box.y + label->box.height / 2;
    g_autofree char *text = tex(ns_text_words(label->text), true);
    print(out,
          "  %slabel={\\chartfit{%.9gbp}{%s}},\n  every axis %s label/.style={at={(axis "
          "description cs:%.9g,%.9g)}, "
          "anchor=center, rotate=%d, text=chart-words},\n",
          axis, ns_text_width(label->text), text, axis, (x - box->x) / box->width,
          (box->y + box->height - y) / box->height, angle);
}

/* Appends the options of the axes, whose box is the plot area without its strips. */
static void append_options(const Page *page, const NsBox *box)
{
    GString *out = page->out;
    const NsPlotLayout *layout = page->layout;
    const NsPlot *plot = layout->plot;
    const NsBox *bar = &layout->bar;
    const NsScale *z = &layout->z;
    double foot = box->y + box->height;
    print(out,
          "\\begin{axis}[\n  at={(%.9gbp,%.9gbp)}, anchor=south west, scale only axis,\n"
          "  width=%.9gbp,\n  height=%.9gbp,\n",
          page->left + box->x, page->top - foot, box->width, box->height);
    append_axis(out, "x", &plot->x, &layout->x, layout->x_ticks, box->x, box->x + box->width);
    /* The numbers of highlighted points of the horizontal axis are extra ticks. */
    g_autoptr(GString) at = g_string_new(NULL), words = g_string_new(NULL);
    for (size_t i = 0; i < plot->n_spans && !plot->x.quiet; i++) {
        if (isnan(ns_layout_point(layout, &plot->spans[i]))) continue;
        g_autofree char *number = ns_point_number(plot, &plot->spans[i]);
        add_tick(at, words, coordinate(&layout->x, plot->spans[i].from), number);
    }
    if (at->len)
        print(out,
              "  extra x ticks={%s}, extra x tick labels={%s},\n  extra x tick style={grid=none, "
              "tick label style={text=chart-words, font=\\charttickfont\\bfseries}},\n",
              at->str, words->str);
    if (layout->turned) print(out, "  x tick label style={rotate=90, anchor=east},\n");
    append_axis(out, "y", &plot->left, &layout->y, layout->y_ticks, foot, box->y);
    print(out, plot->heatmap || plot->no_grid ? "  axis on top,\n" : "  grid=major,\n");
    if (plot->heatmap) {
        /* pgfplots interpolates between nine colors of the palette, without a visible difference.
         */
        uint32_t palette[256];
        ns_level_palette(palette, layout->style, plot->heatmap->colors);
        print(out, "  colormap={cells}{");
        for (int i = 0; i <= 8; i++) {
            uint32_t color = palette[NS_LEVEL_LOW + (NS_LEVEL_HIGH - NS_LEVEL_LOW) * i / 8];
            print(out, " rgb255=(%u,%u,%u)", color >> 16 & 255, color >> 8 & 255, color & 255);
        }
        print(out, "},\n  point meta min=%.9g,\n  point meta max=%.9g,\n", z->from, z->to);
    }
    if (bar->width > 0 && !z->blank) {
        g_autoptr(GString) places = g_string_new(NULL), names = g_string_new(NULL);
        for (unsigned i = 0; i < layout->z_ticks->len; i++) {
            const NsTick *tick = &g_array_index(layout->z_ticks, NsTick, i);
            double along = (ns_scale_to_pixel(z, tick->value) - z->p0) / (z->p1 - z->p0);
            double place = z->from + along * (z->to - z->from);
            if (tick->label) add_tick(places, names, place, tick->label);
        }
        print(out,
              "  colorbar,\n  colorbar style={at={(%.9g,1)}, anchor=north west, axis lines=box, "
              "axis line style={draw=none}, width=%.9gbp, height=%.9gbp, ytick={%s}, "
              "yticklabels={%s},\n    ",
              (bar->x - layout->area.x) / layout->area.width, bar->width, bar->height, places->str,
              names->str);
        append_axis_label(out, layout, bar, NS_PART_BAR_LABEL, "y", 90);
        print(out, "  },\n");
    }
    append_axis_label(out, layout, box, NS_PART_X_LABEL, "x", 0);
    if (!plot->heatmap || !plot->heatmap->n_panels) /* panels have their own names */
        append_axis_label(out, layout, box, NS_PART_LEFT_LABEL, "y", 90);
    print(out, "]\n");
}

/* Appends the axes with everything that is drawn in their coordinates, from back to front. */
static void append_axes(const Page *page)
{
    GString *out = page->out;
    const NsPlotLayout *layout = page->layout;
    const NsPlot *plot = layout->plot;
    const NsHeatmap *map = plot->heatmap;
    const NsScale *x = &layout->x, *y = &layout->y;
    NsBox box = layout->area, framed;
    box.y += layout->strip_top;
    box.height -= layout->strip_top + layout->strip_bottom;
    append_options(page, &box);
    double x0 = coordinate_at(x, box.x), x1 = coordinate_at(x, box.x + box.width);
    double y0 = coordinate_at(y, box.y + box.height), y1 = coordinate_at(y, box.y);
    for (size_t i = 0; map && map->rows && map->columns && i < ns_panels(map); i++)
        append_cells(out, map, ns_panel(map, i));
    /* The gaps between panels have the color of the background. */
    for (size_t i = 0; map && layout->style->background.a > 0 && i + 1 < map->n_panels; i++)
        print(out, "\\fill[chart-page]" BOX, x0, ns_panel(map, i + 1).hi, x1, ns_panel(map, i).lo);
    for (size_t i = 0; i < plot->n_spans; i++) {
        double at = coordinate(x, plot->spans[i].from);
        if (!isnan(ns_layout_point(layout, &plot->spans[i])))
            print(out, "\\draw[%s] " LINE, map ? "white" : "chart-words", at, y0, at, y1);
    }
    /* A white frame around cells has an outline that is visible on white. */
    double unit = layout->style->axis_width, inset = 2.5 * unit;
    for (int pass = 0; pass < 2 && ns_layout_framed(layout, &framed); pass++)
        print(out, "\\draw[%s, line width=%.9gbp]" BOX, pass ? "white" : "black",
              (pass ? 2.5 : 5) * unit, coordinate_at(x, framed.x + inset),
              coordinate_at(y, framed.y + inset), coordinate_at(x, framed.x + framed.width - inset),
              coordinate_at(y, framed.y + framed.height - inset));
    for (size_t i = 0; i < plot->n_markers; i++) {
        const NsMarker *marker = &plot->markers[i];
        double at = coordinate(x, marker->x);
        if (!(at >= MIN(x0, x1) && at <= MAX(x0, x1)) || (marker->handle && !marker->text))
            continue;
        size_t panels = map && marker->lanes ? map->n_panels : 0;
        for (size_t k = 0; k < MAX(panels, 1); k++) {
            double from = panels ? ns_panel(map, k).lo : y0, to = panels ? ns_panel(map, k).hi : y1;
            if (panels && !(marker->lanes >> k & 1)) continue;
            if (map) print(out, "\\draw[white] " LINE, at, from, at, to);
            print(out, "\\draw[%s, opacity=%.9g, line width=%.9gbp%s] " LINE,
                  run_color(marker->style, marker->alarm ? "chart-alarm" : "chart-axis"),
                  marker->alarm && !map ? NS_ALARM_ALPHA : 1,
                  layout->style->axis_width * (marker->alarm ? 1.5 : 1),
                  marker->alarm ? "" : ", densely dashed", at, from, at, to);
        }
    }
    if (layout->beyond > 0) /* names at the ends of curves are there */
        print(out, "\\begin{scope}\n\\clip" BOX, x0, y0,
              coordinate_at(x, box.x + box.width - layout->beyond), y1);
    for (int rank = 0; rank < NS_SERIES_RANKS; rank++)
        for (size_t i = 0; i < plot->n_series; i++)
            if (ns_series_rank(&plot->series[i]) == rank) append_series(out, layout, i);
    if (layout->beyond > 0) print(out, "\\end{scope}\n");
    for (size_t i = 0; i < plot->n_levels; i++) {
        double at = coordinate(y, plot->levels[i].y);
        if (isfinite(at) && ns_level_is_shown(layout, i))
            print(out, "\\draw[chart-faint, line width=%.9gbp, %s] " LINE,
                  layout->style->axis_width, level_dashes[i % 2], x0, at, x1, at);
    }
    for (size_t i = 0; i < plot->n_slopes; i++) {
        const NsSlope *slope = &plot->slopes[i];
        print(out, "\\draw[chart-words, densely dotted] " LINE, coordinate(x, slope->x0),
              coordinate(y, slope->y0), coordinate(x, slope->x1), coordinate(y, slope->y1));
    }
    print(out, "\\end{axis}\n");
}

/* ---- texts and legend ---- */

/* The anchors of labels.  A centered label is at the middle of its ink, since it may be turned. */
typedef enum { CORNER, BASE, CENTER } Anchor;

/* Appends a text at the position of its label, shrunk if it would be wider than `width` in TeX's
 * fonts, or need more lines than in the layout. */
static void append_label(const Page *page, const NsLabel *label, Anchor anchor, double width,
                         const char *look)
{
    static const char *const anchors[] = {"north west", "base west", "center"};
    double x = page->left + label->x, y = page->top - label->y;
    double height = ns_text_height(label->text);
    bool wrapped = anchor != CENTER && pango_layout_get_line_count(label->text) > 1;
    g_autofree char *text = tex(ns_text_words(label->text), true);
    if (wrapped) anchor = CORNER;
    if (anchor == BASE) y -= ns_text_baseline(label->text);
    if (anchor == CENTER) x = page->left + label->box.x + label->box.width / 2;
    if (anchor == CENTER) y = page->top - label->box.y - label->box.height / 2;
    print(page->out, "\\node[anchor=%s, inner sep=0bp, rotate=%d, %s%s] at " PLACE " {",
          anchors[anchor], anchor == CENTER && label->rotated ? 90 : 0, look,
          label->alarm ? ", font=\\bfseries" : "", x, y);
    if (wrapped)
        print(page->out,
              "\\sbox0{\\parbox[t]{%.9gbp}{\\raggedright %s}}"
              "\\ifdim\\dimexpr\\ht0+\\dp0>%.9gbp\\resizebox*{!}{%.9gbp}"
              "{\\usebox0}\\else\\usebox0\\fi};\n",
              width, text, height, height);
    else
        print(page->out, "\\chartfit{%.9gbp}{%s}};\n", width, text);
}

/* Appends the texts of a plot around its axes, and those that the layout has placed at markers,
 * levels and slopes, in cells and at panels. */
static void append_texts(const Page *page)
{
    static const char *const looks[NS_PARTS] = {
        [NS_PART_TITLE] = "chart-words, font=\\charttitlefont",
        [NS_PART_SUBTITLE] = "chart-faint",
        [NS_PART_NOTE] = "chart-faint, font=\\charttickfont",
        [NS_PART_EMPTY] = "chart-faint",
    };
    const NsPlotLayout *layout = page->layout;
    const NsHeatmap *map = layout->plot->heatmap;
    double padding = layout->style->padding;
    size_t named[2] = {0}; /* panels with names beside them, and in the legend */
    for (unsigned i = 0; i < layout->labels->len; i++) {
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, i);
        bool legend = label->part == NS_PART_LEGEND;
        bool panel = map && (legend || label->part == NS_PART_LEFT_LABEL);
        const char *look = looks[label->part];
        Anchor anchor = CORNER;
        double width = ns_text_width(label->text);
        if (look) {
            bool wrapped = pango_layout_get_line_count(label->text) > 1;
            width = layout->width - padding - (wrapped ? padding : label->x);
        } else if (label->part == NS_PART_CELL) {
            anchor = CENTER;
            look = label->color.r > 0.5 ? "white" : "black";
        } else if (label->part == NS_PART_MARKER || label->part == NS_PART_LINE_NAME) {
            look = run_color(label->style, label->alarm ? "chart-alarm" : "chart-words");
        } else if (panel && named[legend] < map->n_panels) {
            anchor = CENTER;
            look = run_color(map->panels[named[legend]++].style, "chart-words");
        }
        if (look) append_label(page, label, anchor, width, look);
    }
}

/* Draws the legend as in the layout, with the entries of both axes: samples (an area, or a line and
 * mark) and names, or names at the ends of curves with their leader lines. */
static void append_legend(const Page *page)
{
    GString *out = page->out;
    const NsPlotLayout *layout = page->layout;
    const NsBox *inside = &layout->legend_box;
    if (inside->width > 0)
        print(out, "\\fill[chart-page, fill opacity=0.94] " PLACE " rectangle " PLACE " ;\n",
              page->left + inside->x, page->top - inside->y - inside->height,
              page->left + inside->x + inside->width, page->top - inside->y);
    for (unsigned i = 0; i < layout->legend->len; i++) {
        const NsLegendSample *sample = &g_array_index(layout->legend, NsLegendSample, i);
        const NsLabel *label = &g_array_index(layout->labels, NsLabel, sample->label);
        const NsPoint *from = &label->leader[0], *to = &label->leader[1];
        const NsSeries *series = sample->series;
        const NsBox *box = &sample->box;
        if (series->hidden) continue;
        double left = page->left + box->x, top = page->top - box->y, middle = top - box->height / 2;
        bool wide = series->kind == NS_SERIES_BARS || series->kind == NS_SERIES_BAND;
        if (!sample->at_end && (wide || (series->lo && series->hi))) {
            append_look(out, "\\fill[", layout, series);
            print(out, ", fill opacity=%.9g] " PLACE " rectangle " PLACE " ;\n",
                  wide ? ns_series_opacity(series) : 0.3, left, top - 0.78 * box->height,
                  left + box->width, top - 0.22 * box->height);
        }
        int level = ns_legend_level(layout, series);
        if (level >= 0)
            print(out, "\\draw[chart-faint, line width=%.9gbp, %s] " PLACE " -- " PLACE " ;\n",
                  layout->style->axis_width, level_dashes[level % 2], left, middle,
                  left + box->width, middle);
        if (!sample->at_end && !wide && level < 0) {
            print(out, "\\draw[line width=%.9gbp", layout->style->line_width);
            append_look(out, ", ", layout, series);
            const NsSeriesStyle look = ns_series_style(layout->style, series);
            print(out,
                  ", dash phase=%.9gbp, mark repeat=2, mark phase=2] plot coordinates {" PLACE
                  " " PLACE " " PLACE " };\n",
                  ns_dash_phase(&look, layout->style->line_width, box->width), left, middle,
                  left + box->width / 2, middle, left + box->width, middle);
        }
        if (sample->at_end && label->led)
            print(out, "\\draw[%s, line width=%.9gbp] " PLACE " -- " PLACE " ;\n",
                  series_color(series), layout->style->axis_width, page->left + from->x,
                  page->top - from->y, page->left + to->x, page->top - to->y);
        bool wrapped = pango_layout_get_line_count(label->text) > 1;
        append_label(page, label, BASE,
                     wrapped ? (double)pango_layout_get_width(label->text) / PANGO_SCALE
                             : ns_text_width(label->text),
                     sample->at_end ? series_color(series) : "chart-words");
    }
}

/* ---- the document ---- */

static void append_triangle(const Page *page, const NsSeries *series, bool hollow,
                            const NsPoint corners[3])
{
    print(page->out, "\\%s[%s, line width=%.9gbp] ", hollow ? "draw" : "fill", series_color(series),
          ns_fault_size(page->layout) * 0.14);
    for (int c = 0; c < 3; c++)
        print(page->out, PLACE " -- ", page->left + corners[c].x, page->top - corners[c].y);
    print(page->out, "cycle;\n");
}

/* Appends a plot and its lower plot. */
static void append_plot(const Page *page)
{
    const NsPlotLayout *layout = page->layout;
    g_autofree char *title = tex(layout->plot->title, true);
    print(page->out, "\n%% %s\n", title);
    append_axes(page);
    /* Draws triangles in the strips at the ends of the axes for values that have no place on the
     * axis, and arrows for curves that leave the plot area. */
    double size = ns_fault_size(layout);
    for (size_t i = 0; i < layout->n_paths; i++) {
        const NsSeries *series = &layout->plot->series[i];
        g_autoptr(GArray) shown = ns_path_shown_faults(&layout->paths[i], size / 2);
        for (unsigned k = 0; k < shown->len; k++) {
            const NsFaultMark *mark = &g_array_index(shown, NsFaultMark, k);
            NsPoint corners[3];
            ns_fault_corners(layout, mark, corners);
            append_triangle(page, series, mark->fault == NS_FAULT_NAN, corners);
        }
        if (series->hidden) continue;
        g_autoptr(GArray) exits = ns_series_exits(layout, i);
        for (unsigned k = 0; k < exits->len; k += 3)
            append_triangle(page, series, false, &g_array_index(exits, NsPoint, k));
    }
    append_legend(page);
    append_texts(page);
    if (layout->lower)
        append_plot(&(Page){page->out, layout->lower, page->left, page->top - layout->lower_y});
}

GString *ns_pgfplots_write(const NsPlotSheet *sheet)
{
    GString *out = g_string_new(NULL);
    const NsExport *options = sheet->options;
    const NsStyle *style = options->style;
    const struct {
        const char *name;
        NsColor color;
    } colors[] = {{"chart-previous", style->previous}, {"chart-alarm", style->alarm},
                  {"chart-words", style->text},        {"chart-faint", style->faint_text},
                  {"chart-axis", style->axis},         {"chart-grid", style->grid},
                  {"chart-page", style->background}};
    /* Numbers have a decimal point in this thread. */
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = uselocale(plain);
    if (options->experiment) {
        g_autofree char *line = g_strdelimit(g_strdup(options->experiment), "\r\n", ' ');
        print(out, "%% %s\n", line);
    }
    g_string_append(
        out, "% Typeset with pdflatex, lualatex or xelatex; to use it in a document, copy the "
             "preamble's packages,\n% colors and fonts, and the picture.\n"
             "\\documentclass[border=0pt]{standalone}\n\\usepackage{amsmath,amssymb}\n"
             "\\usepackage{pgfplots}\n\\usetikzlibrary{patterns}\n\\pgfplotsset{compat=1.16}\n");
    for (unsigned i = 0; i < NS_SERIES_STYLES + G_N_ELEMENTS(colors); i++) {
        unsigned k = i - NS_SERIES_STYLES;
        NsColor color = i < NS_SERIES_STYLES ? style->series[i].color : colors[k].color;
        const char *name = i < NS_SERIES_STYLES ? run_color(i + 1, NULL) : colors[k].name;
        print(out, "\\definecolor{%s}{RGB}{%ld,%ld,%ld}\n", name, lround(color.r * 255),
              lround(color.g * 255), lround(color.b * 255));
    }
    double text = style->text_size, tick = TICK_SIZE * text, title = style->title_size;
    print(
        out,
        "\\newcommand{\\chartfont}{\\fontsize{%.9gbp}{%.9gbp}\\selectfont}\n"
        "\\newcommand{\\charttickfont}{\\fontsize{%.9gbp}{%.9gbp}\\selectfont}\n"
        "%% Shrinks a text that is wider than a length.\n"
        "\\newcommand{\\chartfit}[2]{\\sbox0{#2}\\ifdim\\wd0>#1\\resizebox{#1}{!}{\\usebox0}"
        "\\else\\usebox0\\fi}\n"
        "\\newcommand{\\charttitlefont}{\\fontsize{%.9gbp}{%.9gbp}\\bfseries\\selectfont}\n"
        "\\pgfplotsset{every axis/.append style={\n  font=\\chartfont, unbounded coords=jump, "
        "axis lines=left,\n  axis line style={draw=chart-axis, -}, tick style={draw=chart-axis},\n"
        "  tick align=outside, scaled ticks=false,\n  tick label style={text=chart-faint, "
        "font=\\charttickfont}, label style={text=chart-words},\n  major grid "
        "style={draw=chart-grid, solid},\n  line width=%.9gbp,\n  major tick length=%.9gbp,\n  "
        "minor tick length=%.9gbp,\n  axis line style={line width=%.9gbp}, tick style={line "
        "width=%.9gbp}, major grid style={line width=%.9gbp}}}\n\\begin{document}\n"
        "\\begin{tikzpicture}[font=\\chartfont]\n\\path[use as bounding box%s] (0,0) rectangle "
        "(%.9gbp,%.9gbp);\n",
        text, 1.2 * text, tick, 1.2 * tick, title, 1.2 * title, style->line_width, 0.3 * text,
        0.165 * text, style->axis_width, style->axis_width, style->axis_width,
        style->background.a > 0 ? ", fill=chart-page" : "", options->width, options->height);
    if (sheet->legend) append_legend(&(Page){out, sheet->legend, 0, options->height});
    for (size_t i = 0; i < sheet->n; i++) {
        g_autoptr(NsPlotLayout) layout = ns_plot_sheet_layout(sheet, i);
        const NsBox *cell = &sheet->plots[i].cell;
        append_plot(&(Page){out, layout, cell->x, options->height - cell->y});
    }
    if (sheet->caption) {
        g_autofree char *caption = tex(pango_layout_get_text(sheet->caption), false);
        print(out,
              "\\node[anchor=south west, inner sep=0bp, chart-faint, align=left, "
              "text width=%.9gbp] at (%.9gbp,%.9gbp) {%s};\n",
              options->width - 2 * style->padding, style->padding, style->padding, caption);
    }
    print(out, "\\end{tikzpicture}\n\\end{document}\n");
    uselocale(before);
    freelocale(plain);
    return out;
}
