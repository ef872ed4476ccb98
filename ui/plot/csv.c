/* The data of charts as comma-separated values.  SPDX-License-Identifier: MIT */
#include "ui/plot/csv.h"

#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

/* RFC 4180: quotes where a field would be taken apart. */
static void add_word(GString *out, const char *text)
{
    g_autofree char *plain = ns_text_plain(text);
    if (!strpbrk(plain, ",\"\r\n")) {
        g_string_append(out, plain);
        return;
    }
    g_string_append_c(out, '"');
    for (const char *p = plain; *p; p++) {
        if (*p == '"') g_string_append_c(out, '"');
        g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
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

static void add_float(GString *out, float value)
{
    add_number(out, "%.9g", (double)value);
}

static void add_series(GString *out, const NsPlot *plot, const NsSeries *series)
{
    const NsAxis *axis = series->side == NS_AXIS_RIGHT ? &plot->right : &plot->left;
    for (size_t i = 0; i < series->n; i++) {
        add_word(out, plot->title);
        g_string_append_c(out, ',');
        add_word(out, series->label ? series->label : axis->label);
        add_double(out, series->x[i]);
        add_double(out, series->y[i]);
        if (series->lo && series->hi) {
            add_double(out, series->lo[i]);
            add_double(out, series->hi[i]);
            g_string_append_c(out, '\n');
        } else {
            g_string_append(out, ",,\n");
        }
    }
}

/* What a cell stands for: its first whole number, or its middle. */
static double cell_value(const NsAxis *axis, double lo, double hi, size_t i, size_t n)
{
    double width = (hi - lo) / (double)n, edge = lo + (double)i * width;
    /* Zero is added for its sign: the ceiling of -0.5 is -0. */
    return axis->integer ? ceil(edge - 1e-6) + 0.0 : edge + width / 2;
}

static void add_cell(GString *out, float z)
{
    if (ns_cell_is_blank(z))
        g_string_append_c(out, ',');
    else
        add_float(out, z);
}

static void add_heatmap(GString *out, const NsPlot *plot, bool as_series)
{
    const NsHeatmap *map = plot->heatmap;
    for (size_t row = 0; row < map->rows; row++) {
        double y = cell_value(&plot->left, map->y0, map->y1, row, map->rows);
        for (size_t column = 0; column < map->columns; column++) {
            double x = cell_value(&plot->x, map->x0, map->x1, column, map->columns);
            float z = ns_heatmap_row(map, row)[column];
            add_word(out, plot->title);
            if (as_series) {
                char digits[64];
                g_string_append_c(out, ',');
                add_word(out, plot->left.label ? plot->left.label : "row");
                g_string_append_c(out, ' ');
                g_string_append(out, g_ascii_formatd(digits, sizeof digits, "%.9g", y));
                add_double(out, x);
                add_cell(out, z);
                g_string_append(out, ",,\n");
            } else {
                add_double(out, x);
                add_double(out, y);
                add_cell(out, z);
                g_string_append_c(out, '\n');
            }
        }
    }
}

GString *ns_csv_write(const NsPlot *const *plots, size_t n, const char *settings)
{
    GString *out = g_string_new(NULL);
    bool only_maps = true;
    for (size_t i = 0; i < n; i++) only_maps &= plots[i]->heatmap != NULL;
    if (settings) {
        g_autofree char *line = g_strdelimit(g_strdup(settings), "\r\n", ' ');
        g_string_append_printf(out, "# settings: %s\n", line);
    }
    if (only_maps && n > 0) {
        g_string_append(out, "figure,");
        add_word(out, plots[0]->x.label ? plots[0]->x.label : "x");
        g_string_append_c(out, ',');
        add_word(out, plots[0]->left.label ? plots[0]->left.label : "y");
        g_string_append(out, ",value\n");
    } else {
        g_string_append(out, "figure,series,x,y,lo,hi\n");
    }
    for (size_t i = 0; i < n; i++) {
        if (plots[i]->heatmap) add_heatmap(out, plots[i], !only_maps);
        for (size_t k = 0; k < plots[i]->n_series && !only_maps; k++)
            add_series(out, plots[i], &plots[i]->series[k]);
    }
    return out;
}
