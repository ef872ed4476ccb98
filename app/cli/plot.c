/* Columns of a table as charts.  SPDX-License-Identifier: MIT */
#include "app/cli/picture.h"

#include "core/base/error.h"
#include "core/store/table.h"

#include <math.h>
#include <string.h>

/* Charts on one sheet, and curves in one chart. */
#define MOST_CHARTS 26
#define MOST_CURVES 64

static const NsChoice kinds[] = {
    [NS_SERIES_LINE] = {.key = "line", .purpose = "a curve"},
    [NS_SERIES_POINTS] = {.key = "points", .purpose = "a curve with a marker at every point"},
    [NS_SERIES_STEPS] = {.key = "steps", .purpose = "a value holds until the next point"},
    [NS_SERIES_SCATTER] = {.key = "scatter", .purpose = "markers only"},
    [NS_SERIES_BARS] = {.key = "bars", .purpose = "bars"},
};

static const NsChoice *kind_choice(size_t i)
{
    return i < G_N_ELEMENTS(kinds) ? &kinds[i] : NULL;
}

/* The command line as it was given. */
typedef struct {
    char *x, *by, *log, *kind, *title;
    char **y, **where, **labels;
    NsPicture picture;
} Request;

static void request_clear(Request *request)
{
    char *texts[] = {request->x, request->by, request->log, request->kind, request->title};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
    g_strfreev(request->y);
    g_strfreev(request->where);
    g_strfreev(request->labels);
    ns_picture_clear(&request->picture);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Request, request_clear)

/* What is to be drawn, and what the plots borrow. */
typedef struct {
    const Request *request;
    const NsTable *table;
    NsSeriesKind kind;
    GArray *rows;       /* size_t: those to be drawn */
    GPtrArray *groups;  /* the values of --by, or one NULL */
    size_t x, by;       /* columns */
    GPtrArray *strings; /* labels */
    GPtrArray *arrays;  /* series and their points */
    NsPlot plots[MOST_CHARTS];
    size_t n;
} Sheet;

static void sheet_clear(Sheet *sheet)
{
    if (sheet->rows) g_array_unref(sheet->rows);
    if (sheet->groups) g_ptr_array_unref(sheet->groups);
    if (sheet->strings) g_ptr_array_unref(sheet->strings);
    if (sheet->arrays) g_ptr_array_unref(sheet->arrays);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Sheet, sheet_clear)

static void *keep(GPtrArray *kept, void *taken)
{
    g_ptr_array_add(kept, taken);
    return taken;
}

/* ---- Words ---- */

/* A name of the file as it is, which must not become sub- and superscripts. */
static char *plain(const char *name)
{
    return g_strdelimit(g_strdup(name), "_^", ' ');
}

/* What --label says of a column, else its name; "time [ms]" is a label with a unit. */
static const char *label_of(Sheet *sheet, size_t column, const char **unit)
{
    const char *name = ns_table_name(sheet->table, column);
    char *label = NULL;
    for (char **given = sheet->request->labels; given && *given && !label; given++) {
        const char *equals = strchr(*given, '=');
        if (equals && strlen(name) == (size_t)(equals - *given) && g_str_has_prefix(*given, name))
            label = g_strdup(equals + 1);
    }
    label = keep(sheet->strings, label ? label : plain(name));
    char *bracket = strrchr(label, '[');
    *unit = NULL;
    if (bracket && g_str_has_suffix(bracket, "]")) {
        bracket[strlen(bracket) - 1] = '\0';
        *unit = bracket + 1;
        *bracket = '\0';
        g_strchomp(label);
    }
    return label;
}

static bool is_log(const Sheet *sheet, size_t column)
{
    if (!sheet->request->log) return false;
    g_auto(GStrv) names = g_strsplit(sheet->request->log, ",", -1);
    return g_strv_contains((const char *const *)names, ns_table_name(sheet->table, column));
}

/* ---- Rows ---- */

static bool find_pair(const Sheet *sheet, const char *option, const char *pair, size_t *column,
                      const char **value, GError **error)
{
    const char *equals = strchr(pair, '=');
    if (!equals)
        return ns_refuse(error, NS_ERROR_USAGE, "“%s” has no “=”; write --%s.", pair, option);
    g_autofree char *name = g_strndup(pair, (size_t)(equals - pair));
    *value = equals + 1;
    return ns_table_find(sheet->table, name, column, error);
}

static bool choose_rows(Sheet *sheet, GError **error)
{
    sheet->rows = g_array_new(FALSE, FALSE, sizeof(size_t));
    for (size_t row = 0; row < ns_table_rows(sheet->table); row++) {
        bool wanted = true;
        for (char **where = sheet->request->where; where && *where; where++) {
            size_t column = 0;
            const char *value = NULL;
            if (!find_pair(sheet, "where COLUMN=VALUE", *where, &column, &value, error))
                return false;
            wanted &= g_str_equal(ns_table_cell(sheet->table, row, column), value) != 0;
        }
        if (wanted) g_array_append_val(sheet->rows, row);
    }
    if (sheet->rows->len > 0) return true;
    return ns_refuse(error, NS_ERROR_USAGE, "%s",
                     ns_table_rows(sheet->table)
                         ? "No row of the table matches --where; choose other rows."
                         : "The table has column names but no rows to draw; choose another table.");
}

/* The values of --by, in the order in which the chosen rows have them. */
static bool choose_groups(Sheet *sheet, GError **error)
{
    sheet->groups = g_ptr_array_new();
    const char *by = sheet->request->by;
    if (!by) {
        g_ptr_array_add(sheet->groups, NULL);
        return true;
    }
    if (!ns_table_find(sheet->table, by, &sheet->by, error)) return false;
    for (guint i = 0; i < sheet->rows->len; i++) {
        size_t row = g_array_index(sheet->rows, size_t, i);
        char *value = keep(sheet->strings, g_strdup(ns_table_cell(sheet->table, row, sheet->by)));
        bool known = g_ptr_array_find_with_equal_func(sheet->groups, value, g_str_equal, NULL);
        if (!known) g_ptr_array_add(sheet->groups, value);
    }
    return true;
}

/* ---- Curves ---- */

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

/* The points of a curve, with ascending x; a row without one of the two has none. */
static bool gather(Sheet *sheet, size_t column, const char *group, NsSeries *series, GError **error)
{
    g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(Point));
    const NsTable *table = sheet->table;
    for (guint i = 0; i < sheet->rows->len; i++) {
        size_t row = g_array_index(sheet->rows, size_t, i);
        if (group && !g_str_equal(ns_table_cell(table, row, sheet->by), group)) continue;
        if (!*ns_table_cell(table, row, sheet->x) || !*ns_table_cell(table, row, column)) continue;
        Point point = {.order = i};
        if (!ns_table_number(table, row, sheet->x, &point.x, error) ||
            !ns_table_number(table, row, column, &point.y, error))
            return false;
        if (isfinite(point.x)) g_array_append_val(points, point);
    }
    g_array_sort(points, compare_points);
    double *x = keep(sheet->arrays, g_new(double, points->len));
    double *y = keep(sheet->arrays, g_new(double, points->len));
    for (guint i = 0; i < points->len; i++) {
        x[i] = g_array_index(points, Point, i).x;
        y[i] = g_array_index(points, Point, i).y;
    }
    *series = (NsSeries){.kind = sheet->kind, .n = points->len, .x = x, .y = y};
    return true;
}

/* "a", or where that is no column of its own, the columns "a" and "b" of "a,b". */
static GArray *columns_of(const Sheet *sheet, const char *words, GError **error)
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

static NsAxis axis_of(Sheet *sheet, size_t column)
{
    const char *unit;
    const char *label = label_of(sheet, column, &unit);
    return (NsAxis){.label = label,
                    .unit = unit,
                    .scale = is_log(sheet, column) ? NS_SCALE_LOG : NS_SCALE_LINEAR,
                    .lo = (double)NAN,
                    .hi = (double)NAN};
}

static bool make_plot(Sheet *sheet, const char *words, GError **error)
{
    g_autoptr(GArray) columns = columns_of(sheet, words, error);
    if (!columns) return false;
    size_t n = columns->len * sheet->groups->len;
    if (n > MOST_CURVES)
        return ns_refuse(
            error, NS_ERROR_USAGE,
            "A chart of %s would have %zu curves, more than %d; choose rows with --where.", words,
            n, MOST_CURVES);
    NsSeries *series = keep(sheet->arrays, g_new0(NsSeries, n));
    for (size_t i = 0; i < n; i++) {
        size_t column = g_array_index(columns, size_t, i % columns->len);
        const char *group = g_ptr_array_index(sheet->groups, i / columns->len), *unit;
        if (!gather(sheet, column, group, &series[i], error)) return false;
        const char *label = label_of(sheet, column, &unit);
        char *of_group = group ? keep(sheet->strings, plain(group)) : NULL;
        if (group && columns->len > 1)
            of_group = keep(sheet->strings, g_strdup_printf("%s, %s", of_group, label));
        series[i].label = group ? of_group : label;
        series[i].style = (unsigned)i;
    }
    NsPlot *plot = &sheet->plots[sheet->n];
    *plot = (NsPlot){.title = sheet->n == 0 ? sheet->request->title : NULL,
                     .x = axis_of(sheet, sheet->x),
                     .left = axis_of(sheet, g_array_index(columns, size_t, 0)),
                     .right = {.lo = (double)NAN, .hi = (double)NAN},
                     .series = series,
                     .n_series = n,
                     .legend = n > 1 ? NS_LEGEND_ABOVE : NS_LEGEND_NONE,
                     .version = 1};
    sheet->n++;
    plot->x.integer = all_whole(plot);
    if (columns->len > 1) plot->left.label = "value";
    return true;
}

/* Finds every mistake in the command line that needs no table. */
static bool understand(Request *request, int argc, char **argv, NsSeriesKind *kind, GError **error)
{
    size_t charts = request->y ? g_strv_length(request->y) : 0;
    if (argc != 2 || !request->x || charts == 0 || charts > MOST_CHARTS)
        return ns_refuse(
            error, NS_ERROR_USAGE,
            "One table and its columns are needed: FILE --x COLUMN --y COLUMN, the last up "
            "to %d times.",
            MOST_CHARTS);
    int i = ns_choices_find(kind_choice, request->kind ? request->kind : "points");
    if (i < 0) {
        ns_choices_unknown("kind", request->kind, kind_choice, error);
        return false;
    }
    *kind = (NsSeriesKind)i;
    return ns_picture_understand(&request->picture, error) &&
           ns_picture_check(&request->picture, NULL, argv[1], error);
}

/* Every column that --log and --label name must be there. */
static bool check_names(Sheet *sheet, GError **error)
{
    g_auto(GStrv) logs = g_strsplit(sheet->request->log ? sheet->request->log : "", ",", -1);
    size_t column;
    const char *value;
    for (char **name = logs; *name; name++)
        if (!ns_table_find(sheet->table, *name, &column, error)) return false;
    for (char **label = sheet->request->labels; label && *label; label++)
        if (!find_pair(sheet, "label COLUMN=TEXT", *label, &column, &value, error)) return false;
    return ns_table_find(sheet->table, sheet->request->x, &sheet->x, error);
}

static bool draw(Request *request, Sheet *sheet, GError **error)
{
    const NsPlot *plots[MOST_CHARTS];
    sheet->strings = g_ptr_array_new_with_free_func(g_free);
    sheet->arrays = g_ptr_array_new_with_free_func(g_free);
    if (!check_names(sheet, error) || !choose_rows(sheet, error) || !choose_groups(sheet, error))
        return false;
    for (char **words = request->y; *words; words++)
        if (!make_plot(sheet, *words, error)) return false;
    for (size_t i = 0; i < sheet->n; i++) plots[i] = &sheet->plots[i];
    return ns_picture_write(&request->picture, plots, sheet->n, NULL, NULL, error);
}

/* The title is a text of this command, and a table has no experiment. */
static GArray *make_entries(Request *request)
{
    static const char *const without[] = {"title", "caption", "experiment", "film", NULL};
    const GOptionEntry own[] = {
        {"x", 'x', 0, G_OPTION_ARG_STRING, &request->x, "The column along the x axis", "COLUMN"},
        {"y", 'y', 0, G_OPTION_ARG_STRING_ARRAY, &request->y,
         "The column along the y axis, or several separated by commas; repeatable, one chart each",
         "COLUMN"},
        {"by", 'b', 0, G_OPTION_ARG_STRING, &request->by,
         "Draw one curve for every value of this column", "COLUMN"},
        {"where", 'w', 0, G_OPTION_ARG_STRING_ARRAY, &request->where,
         "Use only rows with this value; repeatable", "COLUMN=VALUE"},
        {"log", 'l', 0, G_OPTION_ARG_STRING, &request->log,
         "Columns, separated by commas, whose axes are logarithmic", "COLUMNS"},
        {"kind", 'k', 0, G_OPTION_ARG_STRING, &request->kind,
         "line, points (default), steps, scatter or bars", "KIND"},
        {"label", 0, 0, G_OPTION_ARG_STRING_ARRAY, &request->labels,
         "The label of an axis, instead of the column's name; repeatable", "COLUMN=TEXT [UNIT]"},
        {"title", 't', 0, G_OPTION_ARG_STRING, &request->title, "The title above the first chart",
         "TEXT"},
    };
    GArray *entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
    g_array_append_vals(entries, own, G_N_ELEMENTS(own));
    ns_picture_add_entries(&request->picture, entries, without);
    return entries;
}

int ns_cli_plot(int argc, char **argv, GError **error)
{
    g_auto(Request) request = {0};
    ns_picture_init(&request.picture);
    g_autoptr(GArray) entries = make_entries(&request);
    const NsOptions options = {
        .command = "plot",
        .words = "FILE",
        .summary = "Draws columns of a table of comma-separated values whose first line names the\n"
                   "columns.  A unit may follow a name in brackets, as in “time [ms]”; _ and ^ in\n"
                   "labels make sub- and superscripts.  Empty cells are skipped, NaN is marked.",
        .examples = NS_CLI " chart --figure loss --out loss.csv\n" NS_CLI
                           " plot loss.csv --x x --y y --where series=training --kind line "
                           "--label x=step --label 'y=loss [nats]' --out loss.svg\n" NS_CLI
                           " plot loss.csv --x x --y y --by series --log y --out both.pdf",
        .entries = (const GOptionEntry *)(void *)entries->data,
    };
    g_auto(Sheet) sheet = {.request = &request};
    if (!ns_options_read(&options, &argc, &argv, error) ||
        !understand(&request, argc, argv, &sheet.kind, error))
        return NS_EXIT_OK;
    g_autoptr(NsTable) table = ns_table_new_from_file(argv[1], error);
    if (!table) return NS_EXIT_ERROR;
    sheet.table = table;
    return draw(&request, &sheet, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
}
