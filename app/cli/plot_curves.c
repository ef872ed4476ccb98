/* SPDX-License-Identifier: MIT */
#include "app/cli/plot_curves.h"

#include "core/base/error.h"
#include "core/study/statistics.h"
#include "ui/plot/text.h"

#include <math.h>
#include <stdio.h>

#define MOST_CURVES 64
#define DIGITS 3 /* of a slope */

typedef struct {
    double x, y;
    guint order; /* of the row */
} Point;

static int compare_points(const void *a, const void *b)
{
    const Point *p = a, *q = b;
    if (p->x < q->x || p->x > q->x) return p->x < q->x ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

/* The points of a curve, sorted by x; rows with an empty x or y are skipped. */
static GArray *gather(const NsPlotSheet *sheet, size_t column, const char *group, GError **error)
{
    g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(Point));
    const NsTable *table = sheet->table;
    for (guint i = 0; i < sheet->rows->len; i++) {
        size_t row = g_array_index(sheet->rows, size_t, i);
        if (!ns_plot_in_group(sheet, row, group)) continue;
        if (!*ns_table_cell(table, row, sheet->x) || !*ns_table_cell(table, row, column)) continue;
        Point point = {.order = i};
        if (!ns_table_number(table, row, sheet->x, &point.x, error) ||
            !ns_table_number(table, row, column, &point.y, error))
            return NULL;
        if (isfinite(point.x)) g_array_append_val(points, point);
    }
    g_array_sort(points, compare_points);
    return g_steal_pointer(&points);
}

static void set_points(NsPlotSheet *sheet, const GArray *points, NsSeries *series)
{
    double *x = ns_plot_keep(sheet->arrays, g_new(double, points->len));
    double *y = ns_plot_keep(sheet->arrays, g_new(double, points->len));
    for (guint i = 0; i < points->len; i++) {
        x[i] = g_array_index(points, Point, i).x;
        y[i] = g_array_index(points, Point, i).y;
    }
    series->n = points->len;
    series->x = x;
    series->y = y;
}

/* ---- Bands ---- */

static void find_ends(NsPlotBand band, const double *values, size_t n, double *lo, double *hi)
{
    NsMoments moments = ns_moments(values, n);
    double least = values[0], most = values[0];
    for (size_t i = 1; i < n; i++) {
        least = MIN(least, values[i]);
        most = MAX(most, values[i]);
    }
    double reach = band == NS_BAND_SD || n == 1 ? moments.sd : moments.reach;
    *lo = band == NS_BAND_RANGE ? least : moments.mean - reach;
    *hi = band == NS_BAND_RANGE ? most : moments.mean + reach;
    /* A positive quantity gets no band at or below zero, which a logarithmic axis could not
     * show. */
    if (least > 0 && *lo <= 0) *lo = least;
}

/* Replaces points with the same x by their mean, with a band around it.  FALSE if no x occurs
 * twice, so that there is no band. */
static bool set_band(NsPlotSheet *sheet, NsSeries *series)
{
    const double *x = series->x, *y = series->y;
    double *at = ns_plot_keep(sheet->arrays, g_new(double, series->n));
    double *mean = ns_plot_keep(sheet->arrays, g_new(double, series->n));
    double *lo = ns_plot_keep(sheet->arrays, g_new(double, series->n));
    double *hi = ns_plot_keep(sheet->arrays, g_new(double, series->n));
    size_t n = 0;
    for (size_t i = 0, end; i < series->n; i = end, n++) {
        for (end = i + 1; end < series->n && !(x[end] > x[i]); end++) continue;
        at[n] = x[i];
        mean[n] = ns_moments(y + i, end - i).mean;
        find_ends(sheet->band, y + i, end - i, &lo[n], &hi[n]);
    }
    bool band = n < series->n;
    *series = (NsSeries){.kind = series->kind,
                         .label = series->label,
                         .style = series->style,
                         .n = n,
                         .x = at,
                         .y = mean,
                         .lo = band ? lo : NULL,
                         .hi = band ? hi : NULL};
    return band;
}

static bool set_bands(NsPlotSheet *sheet, NsSeries *series, size_t n, GError **error)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) any |= set_band(sheet, &series[i]);
    return any || ns_refuse(error, NS_ERROR_USAGE,
                            "No two rows of a curve have the same x, so there is nothing to draw a "
                            "band of; leave --band out.");
}

static const char *band_note(NsPlotBand band)
{
    switch (band) {
    case NS_BAND_SD:
        return "Mean ± standard deviation of the rows with the same x.";
    case NS_BAND_INTERVAL:
        return "Mean of the rows with the same x, with its 95% confidence interval.";
    case NS_BAND_RANGE:
        return "Mean of the rows with the same x, and their least and largest value.";
    case NS_BAND_NONE:
        break;
    }
    return NULL;
}

/* ---- Fits ---- */

/* The name of the slope of a straight line on these axes. */
static const char *slope_word(bool log_x, bool log_y)
{
    if (log_x) return log_y ? "exponent" : "slope per decade";
    return log_y ? "rate of the exponential" : "slope";
}

static double position(double value, bool log)
{
    return log ? log10(value) : value;
}

static double value_at(double position, bool log)
{
    return log ? pow(10, position) : position;
}

/* "∝ depth^{−0.51 ± 0.02}" */
static char *fit_words(const NsPlot *plot, double slope, double reach)
{
    bool log_x = plot->x.scale == NS_SCALE_LOG, log_y = plot->left.scale == NS_SCALE_LOG;
    g_autofree char *value = ns_text_value(slope, DIGITS), *error = ns_text_value(reach, 2);
    g_autofree char *number =
        isnan(reach) ? g_strdup(value) : g_strdup_printf("%s ± %s", value, error);
    return log_x && log_y ? g_strdup_printf("∝ %s^{%s}", plot->x.label, number)
                          : g_strdup_printf("%s %s", slope_word(log_x, log_y), number);
}

static void tell_fit(const NsPlot *plot, const NsSeries *series, double slope, double reach,
                     size_t n)
{
    const char *word = slope_word(plot->x.scale == NS_SCALE_LOG, plot->left.scale == NS_SCALE_LOG);
    g_autofree char *value = ns_text_value(slope, DIGITS);
    g_autofree char *lo = ns_text_value(slope - reach, DIGITS);
    g_autofree char *hi = ns_text_value(slope + reach, DIGITS);
    if (isnan(reach))
        printf("%s: %s %s, %zu points are too few for an interval\n", series->label, word, value,
               n);
    else
        printf("%s: %s %s, 95%% confidence interval %s to %s, %zu points\n", series->label, word,
               value, lo, hi, n);
}

/* Fits a straight line to all points of a series on the axes of the plot; between logarithmic axes
 * it is a power law. */
static bool fit_series(NsPlotSheet *sheet, const NsPlot *plot, const NsSeries *series,
                       NsSlope *slope)
{
    bool log_x = plot->x.scale == NS_SCALE_LOG, log_y = plot->left.scale == NS_SCALE_LOG;
    g_autofree double *x = g_new(double, series->n + 1), *y = g_new(double, series->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < series->n; i++) {
        if (!isfinite(series->y[i]) || (log_x && series->x[i] <= 0) || (log_y && series->y[i] <= 0))
            continue;
        x[n] = position(series->x[i], log_x);
        y[n++] = position(series->y[i], log_y);
    }
    NsFit fit;
    if (!ns_fit_line(&fit, x, y, n)) {
        printf("%s: there are too few points for a fit\n", series->label);
        return false;
    }
    /* The rate of an exponential refers to base e, not to base 10. */
    double unit = log_y && !log_x ? G_LN10 : 1;
    tell_fit(plot, series, unit * fit.slope, unit * fit.reach, n);
    *slope = (NsSlope){
        .x0 = value_at(x[0], log_x),
        .y0 = value_at(fit.at + fit.slope * x[0], log_y),
        .x1 = value_at(x[n - 1], log_x),
        .y1 = value_at(fit.at + fit.slope * x[n - 1], log_y),
        .of = series->label,
        .text = ns_plot_keep(sheet->strings, fit_words(plot, unit * fit.slope, unit * fit.reach)),
        .style = series->style};
    return true;
}

static void fit_all(NsPlotSheet *sheet, NsPlot *plot)
{
    NsSlope *slopes = ns_plot_keep(sheet->arrays, g_new0(NsSlope, plot->n_series));
    for (size_t i = 0; i < plot->n_series; i++)
        plot->n_slopes += fit_series(sheet, plot, &plot->series[i], &slopes[plot->n_slopes]);
    plot->slopes = slopes;
}

/* ---- Charts ---- */

/* The column "a,b" if it exists, otherwise the columns "a" and "b". */
static GArray *columns_of(const NsPlotSheet *sheet, const char *words, GError **error)
{
    g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(size_t));
    g_auto(GStrv) names = g_strsplit(words, ",", -1);
    size_t column = 0;
    if (ns_table_find(sheet->table, words, &column, NULL)) {
        g_array_append_val(columns, column);
        return g_steal_pointer(&columns);
    }
    for (char **name = names; *name; name++) {
        if (!ns_table_find(sheet->table, *name, &column, error)) return NULL;
        g_array_append_val(columns, column);
    }
    return g_steal_pointer(&columns);
}

static bool all_whole(const NsPlot *plot)
{
    for (size_t i = 0; i < plot->n_series; i++)
        for (size_t k = 0; k < plot->series[i].n; k++)
            if (plot->series[i].x[k] != floor(plot->series[i].x[k])) return false;
    return true;
}

/* "ours, time": value of --by and name of the column; the column only if there are several. */
static const char *series_label(NsPlotSheet *sheet, size_t column, const char *group, bool columns)
{
    const char *unit, *label = ns_plot_label(sheet, column, &unit);
    if (!group) return label;
    char *name = ns_plot_keep(sheet->strings, ns_plot_plain(group));
    return columns ? ns_plot_keep(sheet->strings, g_strdup_printf("%s, %s", name, label)) : name;
}

bool ns_plot_add_curves(NsPlotSheet *sheet, const char *words, GError **error)
{
    g_autoptr(GArray) columns = columns_of(sheet, words, error);
    if (!columns) return false;
    size_t n = columns->len * sheet->groups->len;
    if (n > MOST_CURVES)
        return ns_refuse(
            error, NS_ERROR_USAGE,
            "A chart of %s would have %zu curves, more than %d; choose rows with --where.", words,
            n, MOST_CURVES);
    NsSeries *series = ns_plot_keep(sheet->arrays, g_new0(NsSeries, n));
    for (size_t i = 0; i < n; i++) {
        size_t column = g_array_index(columns, size_t, i % columns->len);
        const char *group = g_ptr_array_index(sheet->groups, i / columns->len);
        g_autoptr(GArray) points = gather(sheet, column, group, error);
        if (!points) return false;
        series[i] = (NsSeries){.kind = sheet->kind,
                               .label = series_label(sheet, column, group, columns->len > 1),
                               .style = (unsigned)i};
        set_points(sheet, points, &series[i]);
    }
    NsPlot *plot = &sheet->plots[sheet->n];
    *plot = (NsPlot){.title = sheet->n == 0 ? sheet->request->title : NULL,
                     .x = ns_plot_axis_of(sheet, sheet->x),
                     .left = ns_plot_axis_of(sheet, g_array_index(columns, size_t, 0)),
                     .right = {.lo = (double)NAN, .hi = (double)NAN},
                     .series = series,
                     .n_series = n,
                     .legend = n > 1 ? NS_LEGEND_ABOVE : NS_LEGEND_NONE,
                     .note = band_note(sheet->band),
                     .version = 1};
    sheet->n++;
    plot->x.integer = all_whole(plot);
    if (columns->len > 1) plot->left.label = "value";
    if (sheet->request->fit) fit_all(sheet, plot);
    return !sheet->band || set_bands(sheet, series, n, error);
}
