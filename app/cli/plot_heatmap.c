/* SPDX-License-Identifier: MIT */
#include "app/cli/plot_heatmap.h"

#include "core/base/error.h"
#include "ui/plot/scale.h"

#include <math.h>
#include <string.h>

#define MOST_CELLS ((size_t)1 << 20)

/* The distinct values of a column; numbers are equal whatever their spelling. */
typedef struct {
    GPtrArray *names;  /* in axis order; borrowed from the table */
    GHashTable *index; /* name to 1 + its position */
    bool numbers;      /* all values are numbers */
} Values;

static void values_clear(Values *values)
{
    if (values->names) g_ptr_array_unref(values->names);
    if (values->index) g_hash_table_unref(values->index);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Values, values_clear)

static double number_of(const char *text)
{
    char *end;
    double number = g_ascii_strtod(text, &end);
    return *text && !*end && isfinite(number) ? number : (double)NAN;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = number_of(*(const char *const *)a), y = number_of(*(const char *const *)b);
    return (x > y) - (x < y);
}

/* Collects the values; numbers are sorted, other values stay in order of appearance. */
static void find_values(const NsPlotSheet *sheet, size_t column, Values *values)
{
    values->names = g_ptr_array_new();
    values->index = g_hash_table_new(g_str_hash, g_str_equal);
    values->numbers = true;
    for (guint i = 0; i < sheet->rows->len; i++) {
        size_t row = g_array_index(sheet->rows, size_t, i);
        const char *cell = ns_table_cell(sheet->table, row, column);
        if (!*cell || !g_hash_table_add(values->index, (gpointer)(uintptr_t)cell)) continue;
        g_ptr_array_add(values->names, (gpointer)(uintptr_t)cell);
        values->numbers &= !isnan(number_of(cell));
    }
    if (values->numbers) g_ptr_array_sort(values->names, compare_numbers);
    g_hash_table_remove_all(values->index);
    guint n = 0;
    for (guint i = 0; i < values->names->len; i++) {
        const char *name = values->names->pdata[i];
        bool same =
            n && values->numbers && compare_numbers(&name, &values->names->pdata[n - 1]) == 0;
        if (!same) values->names->pdata[n++] = (gpointer)(uintptr_t)name;
        g_hash_table_insert(values->index, (gpointer)(uintptr_t)name, GUINT_TO_POINTER(n));
    }
    g_ptr_array_set_size(values->names, (int)n);
}

/* The position of a cell's value on its axis; -1 if the cell is empty. */
static int place_of(const NsPlotSheet *sheet, size_t row, size_t column, const Values *values)
{
    const char *cell = ns_table_cell(sheet->table, row, column);
    return GPOINTER_TO_INT(g_hash_table_lookup(values->index, cell)) - 1;
}

/* An axis whose values are placed at 0, 1, ... */
static void set_axis(NsPlotSheet *sheet, NsAxis *axis, size_t column, const Values *values)
{
    size_t n = values->names->len;
    char **names = ns_plot_keep(sheet->arrays, g_new0(char *, n));
    g_autofree double *numbers = g_new(double, n);
    for (size_t i = 0; i < n; i++) {
        names[i] = ns_plot_keep(sheet->strings, ns_plot_plain(values->names->pdata[i]));
        numbers[i] = number_of(values->names->pdata[i]);
    }
    *axis = ns_plot_axis_of(sheet, column);
    axis->scale = NS_SCALE_LINEAR;
    axis->integer = true;
    axis->names = (const char *const *)names;
    axis->n_names = n;
    axis->even = values->numbers && ns_scale_is_even(numbers, n);
}

/* The mean over the rows of every cell; -infinity if it has none. */
static bool fill(const NsPlotSheet *sheet, const char *group, const size_t columns[3],
                 const Values values[2], float *z, GError **error)
{
    size_t nx = values[0].names->len, cells = nx * values[1].names->len;
    g_autofree double *sum = g_new0(double, cells), *n = g_new0(double, cells);
    for (guint i = 0; i < sheet->rows->len; i++) {
        size_t row = g_array_index(sheet->rows, size_t, i);
        if (!ns_plot_in_group(sheet, row, group)) continue;
        int x = place_of(sheet, row, columns[0], &values[0]);
        int y = place_of(sheet, row, columns[1], &values[1]);
        double value;
        if (x < 0 || y < 0 || !*ns_table_cell(sheet->table, row, columns[2])) continue;
        if (!ns_table_number(sheet->table, row, columns[2], &value, error)) return false;
        sum[(size_t)y * nx + (size_t)x] += value;
        n[(size_t)y * nx + (size_t)x]++;
    }
    for (size_t i = 0; i < cells; i++)
        z[i] = n[i] > 0 ? isfinite(sum[i]) ? (float)(sum[i] / n[i]) : NAN : -INFINITY;
    return true;
}

/* Extends lo and hi to all cells that can be shown on the color scale. */
static void stretch(const NsHeatmap *map, double *lo, double *hi)
{
    for (size_t i = 0; i < map->rows * map->columns; i++) {
        double z = (double)map->z[i];
        if (!isfinite(z) || (map->log && z <= 0)) continue;
        *lo = MIN(*lo, z);
        *hi = MAX(*hi, z);
    }
}

static const char *color_label(NsPlotSheet *sheet, size_t column)
{
    const char *unit, *label = ns_plot_label(sheet, column, &unit);
    return unit ? ns_plot_keep(sheet->strings, g_strdup_printf("%s (%s)", label, unit)) : label;
}

static const char *title_of(NsPlotSheet *sheet, const char *group)
{
    const char *title = sheet->n == 0 ? sheet->request->title : NULL;
    if (!group) return title;
    char *name = ns_plot_keep(sheet->strings, ns_plot_plain(group));
    return title ? ns_plot_keep(sheet->strings, g_strdup_printf("%s: %s", title, name)) : name;
}

static bool add(NsPlotSheet *sheet, const char *group, const size_t columns[3],
                const Values values[2], NsHeatmap *map, GError **error)
{
    size_t nx = values[0].names->len, ny = values[1].names->len;
    float *z = ns_plot_keep(sheet->arrays, g_new(float, nx *ny));
    if (!fill(sheet, group, columns, values, z, error)) return false;
    *map = (NsHeatmap){.z = z,
                       .rows = ny,
                       .columns = nx,
                       .x0 = -0.5,
                       .x1 = (double)nx - 0.5,
                       .y0 = -0.5,
                       .y1 = (double)ny - 0.5,
                       .log = ns_plot_is_log(sheet, columns[2]),
                       .label = color_label(sheet, columns[2]),
                       .values = true,
                       .hatch = true};
    NsPlot *plot = &sheet->plots[sheet->n];
    *plot = (NsPlot){.title = title_of(sheet, group),
                     .right = {.lo = (double)NAN, .hi = (double)NAN},
                     .heatmap = map,
                     .version = 1};
    set_axis(sheet, &plot->x, columns[0], &values[0]);
    set_axis(sheet, &plot->left, columns[1], &values[1]);
    sheet->n++;
    return true;
}

bool ns_plot_add_heatmaps(NsPlotSheet *sheet, GError **error)
{
    const NsPlotRequest *request = sheet->request;
    size_t columns[3] = {sheet->x}, n = sheet->groups->len;
    g_auto(Values) x = {0}, y = {0};
    if (!ns_table_find(sheet->table, request->y[0], &columns[1], error) ||
        !ns_table_find(sheet->table, request->z, &columns[2], error))
        return false;
    find_values(sheet, columns[0], &x);
    find_values(sheet, columns[1], &y);
    const Values values[] = {x, y}; /* borrowed */
    size_t cells = (size_t)x.names->len * y.names->len;
    if (n > NS_PLOT_CHARTS || cells == 0 || cells > MOST_CELLS)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "There would be %zu heatmaps of %zu cells each; there can be 1 to %d, of "
                         "1 to %zu cells.",
                         n, cells, NS_PLOT_CHARTS, MOST_CELLS);
    NsHeatmap *maps = ns_plot_keep(sheet->arrays, g_new0(NsHeatmap, n));
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!add(sheet, g_ptr_array_index(sheet->groups, i), columns, values, &maps[i], error))
            return false;
        stretch(&maps[i], &lo, &hi);
    }
    for (size_t i = 0; lo < hi && i < n; i++) {
        maps[i].lo = lo;
        maps[i].hi = hi;
    }
    return true;
}
