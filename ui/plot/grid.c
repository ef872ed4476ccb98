/* SPDX-License-Identifier: MIT */
#include "ui/plot/grid.h"

#include "ui/plot/layout-private.h"
#include "ui/plot/painter.h"

#include <math.h>

/* Widths of the words beside the areas depend on the sizes of the areas, and the other way round:
 * so often both are brought into line. */
#define ROUNDS 3

typedef struct {
    NsPlot plot; /* as it stands in the grid */
    NsHeatmap map;
    NsPlotLayout *layout;
    NsBox place;
} Cell;

struct NsGridLayout {
    const NsStyle *style;
    double width, height, top; /* top: of the cells */
    Cell *cells;
    size_t n, columns, rows;
    NsPlot head; /* title and legend of all */
    NsSeries *listed;
    NsPlotLayout *head_layout;
};

static void join(NsAxis *axis, const NsScale *range)
{
    if (isnan(axis->lo)) axis->lo = range->lo;
    if (isnan(axis->hi)) axis->hi = range->hi;
}

/* One range for all that have the first one's kind of scale. */
static void share_ranges(NsGridLayout *layout, const NsPlotGrid *grid)
{
    double x_lo = INFINITY, x_hi = -INFINITY, y_lo = INFINITY, y_hi = -INFINITY;
    double z_lo = INFINITY, z_hi = -INFINITY;
    for (size_t i = 0; i < layout->n; i++) {
        NsDataSummary summary = ns_data_summary(&layout->cells[i].plot);
        x_lo = MIN(x_lo, summary.x_lo);
        x_hi = MAX(x_hi, summary.x_hi);
        y_lo = MIN(y_lo, summary.lo[NS_AXIS_LEFT]);
        y_hi = MAX(y_hi, summary.hi[NS_AXIS_LEFT]);
        z_lo = MIN(z_lo, summary.z_lo);
        z_hi = MAX(z_hi, summary.z_hi);
    }
    const NsPlot *first = &layout->cells[0].plot;
    NsScale x = {0}, y = {0};
    NsAxis x_axis = first->x, y_axis = first->left;
    ns_scale_fit(&x, &x_axis, x_lo, x_hi, 0);
    ns_scale_fit(&y, &y_axis, y_lo, y_hi, first->heatmap ? 0 : 0.04);
    for (size_t i = 0; i < layout->n; i++) {
        Cell *cell = &layout->cells[i];
        bool last = i + layout->columns >= layout->n;
        if (grid->share_x && x_lo <= x_hi && cell->plot.x.scale == x.kind) {
            join(&cell->plot.x, &x);
            cell->plot.x.quiet = !last;
        }
        if (grid->share_y && y_lo <= y_hi && cell->plot.left.scale == y.kind) {
            join(&cell->plot.left, &y);
            cell->plot.left.quiet = i % layout->columns != 0;
        }
        if (grid->share_colors && cell->plot.heatmap && z_lo < z_hi &&
            !(cell->map.lo < cell->map.hi)) {
            cell->map.lo = z_lo;
            cell->map.hi = z_hi;
        }
    }
}

/* Every label once. */
static size_t list_series(NsGridLayout *layout)
{
    size_t most = 0, n = 0;
    for (size_t i = 0; i < layout->n; i++) most += layout->cells[i].plot.n_series;
    layout->listed = g_new(NsSeries, most);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < layout->n; i++) {
        const NsPlot *plot = &layout->cells[i].plot;
        for (size_t k = 0; k < plot->n_series; k++) {
            const NsSeries *series = &plot->series[k];
            if (series->label && series->n &&
                g_hash_table_add(seen, (char *)(uintptr_t)series->label))
                layout->listed[n++] = *series;
        }
    }
    return n;
}

/* Title and legend of all, and where they end. */
static void lay_out_head(NsGridLayout *layout, const NsPlotGrid *grid)
{
    layout->head = (NsPlot){.title = grid->title,
                            .x = {.lo = NAN, .hi = NAN},
                            .left = {.lo = NAN, .hi = NAN},
                            .right = {.lo = NAN, .hi = NAN}};
    if (grid->one_legend) {
        layout->head.n_series = list_series(layout);
        layout->head.series = layout->listed;
        for (size_t i = 0; i < layout->n; i++) layout->cells[i].plot.legend = NS_LEGEND_NONE;
    }
    layout->head_layout = ns_head_layout(&layout->head, layout->width, layout->height / 3,
                                         layout->style, &layout->top);
}

/* Widest margins of a column or a row, and how many plots share the rest. */
typedef struct {
    double *left, *right, *top, *bottom;
} Lines;

static void measure(const NsGridLayout *layout, const Lines *lines)
{
    for (size_t i = 0; i < layout->n; i++) {
        size_t column = i % layout->columns, row = i / layout->columns;
        NsMargins margins = ns_layout_margins(layout->cells[i].layout);
        lines->left[column] = MAX(lines->left[column], margins.left);
        lines->right[column] = MAX(lines->right[column], margins.right);
        lines->top[row] = MAX(lines->top[row], margins.top);
        lines->bottom[row] = MAX(lines->bottom[row], margins.bottom);
    }
}

static double sum(const double *values, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; i++) total += values[i];
    return total;
}

static void lay_out_cells(NsGridLayout *layout, const Lines *lines)
{
    double width =
        layout->width - sum(lines->left, layout->columns) - sum(lines->right, layout->columns);
    double height = layout->height - layout->top - sum(lines->top, layout->rows) -
                    sum(lines->bottom, layout->rows);
    width = MAX(width / (double)layout->columns, 1);
    height = MAX(height / (double)layout->rows, 1);
    double y = layout->top;
    for (size_t row = 0; row < layout->rows; row++) {
        double x = 0, full = lines->top[row] + height + lines->bottom[row];
        for (size_t column = 0; column < layout->columns; column++) {
            size_t i = row * layout->columns + column;
            double wide = lines->left[column] + width + lines->right[column];
            if (i < layout->n) {
                Cell *cell = &layout->cells[i];
                NsMargins least = {lines->top[row], lines->right[column], lines->bottom[row],
                                   lines->left[column]};
                ns_plot_layout_free(cell->layout);
                cell->place = (NsBox){x, y, wide, full};
                cell->layout =
                    ns_plot_layout_within(&cell->plot, wide, full, layout->style, &least);
            }
            x += wide;
        }
        y += full;
    }
}

NsGridLayout *ns_grid_layout(const NsPlotGrid *grid, double width, double height,
                             const NsStyle *style)
{
    NsGridLayout *layout = g_new0(NsGridLayout, 1);
    layout->style = style;
    layout->width = width;
    layout->height = height;
    layout->n = grid->n;
    layout->columns = CLAMP(grid->columns, 1, MAX(grid->n, 1));
    layout->rows = (grid->n + layout->columns - 1) / layout->columns;
    layout->cells = g_new0(Cell, grid->n);
    for (size_t i = 0; i < grid->n; i++) {
        Cell *cell = &layout->cells[i];
        cell->plot = *grid->plots[i];
        if (!cell->plot.heatmap) continue;
        cell->map = *cell->plot.heatmap;
        cell->plot.heatmap = &cell->map;
    }
    if (grid->n) share_ranges(layout, grid);
    lay_out_head(layout, grid);
    g_autofree double *margins = g_new0(double, 2 * (layout->columns + layout->rows) + 1);
    Lines lines = {margins, margins + layout->columns, margins + 2 * layout->columns,
                   margins + 2 * layout->columns + layout->rows};
    for (int round = 0; round < ROUNDS && grid->n; round++) {
        lay_out_cells(layout, &lines);
        if (round + 1 < ROUNDS) measure(layout, &lines);
    }
    return layout;
}

void ns_grid_layout_free(NsGridLayout *layout)
{
    if (!layout) return;
    for (size_t i = 0; i < layout->n; i++) ns_plot_layout_free(layout->cells[i].layout);
    ns_plot_layout_free(layout->head_layout);
    g_free(layout->listed);
    g_free(layout->cells);
    g_free(layout);
}

void ns_grid_draw(const NsGridLayout *layout, cairo_t *cr)
{
    cairo_save(cr);
    cairo_rectangle(cr, 0, 0, layout->width, layout->height);
    ns_set_color(cr, layout->style->background);
    cairo_fill(cr);
    ns_draw_words(layout->head_layout, cr);
    for (size_t i = 0; i < layout->n; i++) {
        const Cell *cell = &layout->cells[i];
        cairo_save(cr);
        cairo_translate(cr, cell->place.x, cell->place.y);
        ns_plot_draw(cell->layout, cr);
        cairo_restore(cr);
    }
    cairo_restore(cr);
}

const NsPlotLayout *ns_grid_cell(const NsGridLayout *layout, size_t i, NsBox *place)
{
    *place = layout->cells[i].place;
    return layout->cells[i].layout;
}
