/* The data of charts as comma-separated values.  SPDX-License-Identifier: MIT */
#include "ui/plot/csv.h"

#include "core/base/words.h"
#include "core/store/output_file.h"

#include "ui/plot/heatmap.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

static void add_word(GString *out, const char *text)
{
    g_autofree char *plain = ns_text_plain(text);
    ns_csv_add_field(out, plain);
}

static void add_number(GString *out, const char *format, double value)
{
    char digits[64];
    g_string_append_c(out, ',');
    if (isnan(value))
        g_string_append(out, "nan");
    else if (isinf(value))
        g_string_append(out, value < 0 ? "-inf" : "inf");
    else
        g_string_append(out, g_ascii_formatd(digits, sizeof digits, format, value));
}

static void add_double(GString *out, double value)
{
    add_number(out, "%.17g", value);
}

/* A table that is being written. */
typedef struct {
    GString *out;
    bool column;            /* there is a column for the experiment */
    const char *experiment; /* NULL after it was written */
} Table;

static void end_row(Table *table)
{
    if (table->column) g_string_append_c(table->out, ',');
    if (table->experiment) ns_csv_add_field(table->out, table->experiment);
    table->experiment = NULL;
    g_string_append_c(table->out, '\n');
}

static void add_series(Table *table, const NsPlot *plot, const char *title, const NsSeries *series)
{
    GString *out = table->out;
    const NsAxis *axis = &plot->left;
    for (size_t i = 0; i < series->n; i++) {
        add_word(out, title);
        g_string_append_c(out, ',');
        add_word(out, series->label ? series->label : axis->label);
        add_double(out, series->x[i]);
        add_double(out, series->y[i]);
        if (series->lo && series->hi) {
            add_double(out, series->lo[i]);
            add_double(out, series->hi[i]);
        } else {
            g_string_append(out, ",,");
        }
        end_row(table);
    }
}

/* The coordinate of the i-th of n cells between lo and hi. */
static double cell_value(const NsAxis *axis, double lo, double hi, size_t i, size_t n)
{
    double width = (hi - lo) / (double)n;
    return ns_cell_value(axis, lo + (double)i * width, width);
}

/* Appends the name of a value on its axis, or the value if it has no name. */
static void add_place(GString *out, const NsAxis *axis, double value)
{
    const char *name = ns_axis_name(axis, value);
    if (name && axis->in_tables) name = axis->in_tables[(size_t)value];
    if (!name || axis->counted) {
        add_double(out, value);
        return;
    }
    g_string_append_c(out, ',');
    add_word(out, name);
}

static void add_cell(GString *out, float z)
{
    if (ns_cell_is_blank(z))
        g_string_append_c(out, ',');
    else
        add_number(out, "%.9g", (double)z);
}

static void add_plot(Table *table, const NsPlot *plot, const char *title, bool maps)
{
    const NsPlot *lower = plot->lower;
    if (plot->heatmap) {
        GString *out = table->out;
        const NsHeatmap *map = plot->heatmap;
        for (size_t row = 0; row < map->rows; row++) {
            NsPanel panel = ns_panel(map, ns_panel_of_row(map, row));
            double y = cell_value(&plot->left, panel.y0, panel.y1, row - panel.row, panel.rows);
            g_autofree char *panel_title =
                panel.name ? g_strconcat(title, ", ", panel.name, NULL) : g_strdup(title);
            for (size_t column = 0; column < map->columns; column++) {
                double x = cell_value(&plot->x, map->x0, map->x1, column, map->columns);
                float z = ns_heatmap_row(map, row)[column];
                add_word(out, panel_title);
                if (!maps) {
                    char digits[64];
                    g_string_append_c(out, ',');
                    add_word(out, plot->left.label ? plot->left.label : "row");
                    g_string_append_c(out, ' ');
                    g_string_append(out, g_ascii_formatd(digits, sizeof digits, "%.9g", y));
                    add_double(out, x);
                    add_cell(out, z);
                    g_string_append(out, ",,");
                } else {
                    add_place(out, &plot->x, x);
                    add_place(out, &plot->left, y);
                    add_cell(out, z);
                }
                end_row(table);
            }
        }
    }
    for (size_t k = 0; k < plot->n_series; k++) add_series(table, plot, title, &plot->series[k]);
    for (size_t k = 0; k < plot->n_slopes; k++) {
        /* A fitted line is written as its two ends. */
        g_autofree char *name =
            g_strdup_printf(_("%s, fit: %s"), plot->slopes[k].of, plot->slopes[k].text);
        const double x[2] = {plot->slopes[k].x0, plot->slopes[k].x1},
                     y[2] = {plot->slopes[k].y0, plot->slopes[k].y1};
        add_series(table, plot, title, &(NsSeries){.label = name, .n = 2, .x = x, .y = y});
    }
    g_autofree NsSeries *below = lower ? ns_plot_series_below(plot) : NULL;
    for (size_t k = 0; lower && k < lower->n_series; k++)
        if (!below[k].hidden) add_series(table, lower, title, &below[k]);
}

GString *ns_csv_write(const NsPlot *const *plots, size_t n, const char *experiment)
{
    Table table = {g_string_new(NULL), experiment != NULL, experiment};
    bool maps = n > 0;
    for (size_t i = 0; i < n; i++) maps &= plots[i]->heatmap && !plots[i]->n_series;
    if (maps) {
        g_string_append(table.out, "figure,");
        add_word(table.out, plots[0]->x.label ? plots[0]->x.label : "x");
        g_string_append_c(table.out, ',');
        add_word(table.out, plots[0]->left.label ? plots[0]->left.label : "y");
        g_string_append(table.out, ",value");
    } else {
        g_string_append(table.out, "figure,series,x,y,lo,hi");
    }
    g_string_append(table.out, table.column ? ",experiment\n" : "\n");
    for (size_t i = 0; i < n; i++) {
        const NsPlot *plot = plots[i];
        g_autofree char *name =
            plot->run ? g_strdup_printf("%s, %s", plot->title, plot->run) : g_strdup(plot->title);
        add_plot(&table, plot, name, maps);
        for (size_t k = 0; k < plot->n_singles; k++) {
            g_autofree char *title =
                g_strdup_printf(_("%s, seed %zu of %zu"), name, k + 1, plot->n_singles);
            add_plot(&table, plot->singles[k], title, maps);
        }
    }
    return table.out;
}
