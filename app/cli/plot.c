/* Draws columns of a table.  SPDX-License-Identifier: MIT */
#include "app/cli/plot_curves.h"
#include "app/cli/plot_heatmap.h"

#include "core/base/error.h"

#include <math.h>
#include <string.h>

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

static const NsChoice bands[] = {
    [NS_BAND_SD - 1] = {.key = "sd", .purpose = "one standard deviation to either side"},
    [NS_BAND_INTERVAL - 1] = {.key = "interval", .purpose = "95% confidence of the mean"},
    [NS_BAND_RANGE - 1] = {.key = "range", .purpose = "from the least to the largest"},
};

static const NsChoice *band_choice(size_t i)
{
    return i < G_N_ELEMENTS(bands) ? &bands[i] : NULL;
}

static void request_clear(NsPlotRequest *request)
{
    char *texts[] = {request->x,    request->z,    request->by,   request->log,
                     request->kind, request->band, request->title};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
    g_strfreev(request->y);
    g_strfreev(request->where);
    g_strfreev(request->labels);
    ns_picture_clear(&request->picture);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPlotRequest, request_clear)

static void sheet_clear(NsPlotSheet *sheet)
{
    if (sheet->rows) g_array_unref(sheet->rows);
    if (sheet->groups) g_ptr_array_unref(sheet->groups);
    if (sheet->strings) g_ptr_array_unref(sheet->strings);
    if (sheet->arrays) g_ptr_array_unref(sheet->arrays);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPlotSheet, sheet_clear)

static bool find_pair(const NsPlotSheet *sheet, const char *option, const char *pair,
                      size_t *column, const char **value, GError **error)
{
    const char *equals = strchr(pair, '=');
    if (!equals)
        return ns_refuse(error, NS_ERROR_USAGE, "“%s” has no “=”; write --%s.", pair, option);
    g_autofree char *name = g_strndup(pair, (size_t)(equals - pair));
    *value = equals + 1;
    return ns_table_find(sheet->table, name, column, error);
}

static bool choose_rows(NsPlotSheet *sheet, GError **error)
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

/* The values of --by, in order of first appearance in the chosen rows. */
static bool choose_groups(NsPlotSheet *sheet, GError **error)
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
        char *value =
            ns_plot_keep(sheet->strings, g_strdup(ns_table_cell(sheet->table, row, sheet->by)));
        bool known = g_ptr_array_find_with_equal_func(sheet->groups, value, g_str_equal, NULL);
        if (!known) g_ptr_array_add(sheet->groups, value);
    }
    return true;
}

/* Finds every error in the command line that can be found without the table. */
static bool understand(NsPlotRequest *request, int argc, char **argv, NsPlotSheet *sheet,
                       GError **error)
{
    size_t charts = request->y ? g_strv_length(request->y) : 0;
    if (argc != 2 || !request->x || charts == 0 || charts > NS_PLOT_CHARTS)
        return ns_refuse(
            error, NS_ERROR_USAGE,
            "One table and its columns are needed: FILE --x COLUMN --y COLUMN, the last up "
            "to %d times.",
            NS_PLOT_CHARTS);
    const char *kind = request->kind ? request->kind : "points";
    int i = ns_choices_require("kind", kind, kind_choice, error);
    if (i < 0) return false;
    sheet->kind = (NsSeriesKind)i;
    int band = request->band ? ns_choices_require("band", request->band, band_choice, error) : -1;
    if (request->band && band < 0) return false;
    sheet->band = (NsPlotBand)(band + 1);
    if (request->z && (charts > 1 || request->fit || request->band || request->kind))
        return ns_refuse(error, NS_ERROR_USAGE,
                         "--z draws heatmaps, which have one --y and neither --kind, --band nor "
                         "--fit.");
    return ns_picture_understand(&request->picture, error) &&
           ns_picture_check(&request->picture, NULL, argv[1], error);
}

/* Checks that the columns of --x, --log and --label exist. */
static bool check_names(NsPlotSheet *sheet, GError **error)
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

static bool draw(NsPlotRequest *request, NsPlotSheet *sheet, GError **error)
{
    const NsPlot *plots[NS_PLOT_CHARTS];
    sheet->strings = g_ptr_array_new_with_free_func(g_free);
    sheet->arrays = g_ptr_array_new_with_free_func(g_free);
    if (!check_names(sheet, error) || !choose_rows(sheet, error) || !choose_groups(sheet, error))
        return false;
    if (request->z && !ns_plot_add_heatmaps(sheet, error)) return false;
    for (char **words = request->y; !request->z && *words; words++)
        if (!ns_plot_add_curves(sheet, *words, error)) return false;
    for (size_t i = 0; i < sheet->n; i++) plots[i] = &sheet->plots[i];
    return ns_picture_write(&request->picture, plots, sheet->n, NULL, NULL, error);
}

/* Leaves out the export options that make no sense here: --title is an option of this command, and
 * a table has no experiment. */
static GOptionEntry *make_entries(NsPlotRequest *request)
{
    static const char *const without[] = {"title", "caption", "experiment", "film", NULL};
    const GOptionEntry own[] = {
        {"x", 'x', 0, G_OPTION_ARG_STRING, &request->x, "The column along the x axis", "COLUMN"},
        {"y", 'y', 0, G_OPTION_ARG_STRING_ARRAY, &request->y,
         "The column along the y axis, or several separated by commas; repeatable, one chart each",
         "COLUMN"},
        {"by", 'b', 0, G_OPTION_ARG_STRING, &request->by,
         "Draw one curve, or with --z one heatmap, for every value of this column", "COLUMN"},
        {"z", 'z', 0, G_OPTION_ARG_STRING, &request->z,
         "Draw a heatmap: cells at the values of x and y with the mean of this column as color",
         "COLUMN"},
        {"where", 'w', 0, G_OPTION_ARG_STRING_ARRAY, &request->where,
         "Use only rows with this value; repeatable", "COLUMN=VALUE"},
        {"log", 'l', 0, G_OPTION_ARG_STRING, &request->log,
         "Columns, separated by commas, whose axes or colors are logarithmic", "COLUMNS"},
        {"kind", 'k', 0, G_OPTION_ARG_STRING, &request->kind,
         "line, points (default), steps, scatter or bars", "KIND"},
        {"band", 0, 0, G_OPTION_ARG_STRING, &request->band,
         "Join the rows with the same x, such as seeds, to their mean, with a band: sd (standard "
         "deviation), interval (95% confidence interval of the mean) or range (smallest to "
         "largest)",
         "BAND"},
        {"fit", 0, 0, G_OPTION_ARG_NONE, &request->fit,
         "Fit a straight line to all rows of every curve, on the axes as they are drawn: between "
         "logarithmic ones a power law; prints its slope with a 95% confidence interval",
         NULL},
        {"label", 0, 0, G_OPTION_ARG_STRING_ARRAY, &request->labels,
         "Label of an axis, in place of the column's name; repeatable", "COLUMN=TEXT [UNIT]"},
        {"title", 't', 0, G_OPTION_ARG_STRING, &request->title, "The title above the first chart",
         "TEXT"},
    };
    return ns_picture_entries(&request->picture, own, G_N_ELEMENTS(own), without);
}

int ns_cli_plot(int argc, char **argv, GError **error)
{
    g_auto(NsPlotRequest) request = {0};
    ns_picture_init(&request.picture);
    g_autofree GOptionEntry *entries = make_entries(&request);
    const NsOptions options = {
        .command = "plot",
        .words = "FILE",
        .summary = "Draws columns of a table of comma-separated values whose first line names the\n"
                   "columns.  A unit may follow a name in brackets, as in “time [ms]”; _ and ^ in\n"
                   "labels make sub- and superscripts.  Empty cells are skipped, NaN is marked.",
        .examples =
            NS_CLI " chart --figure loss --out loss.csv\n" NS_CLI
                   " plot loss.csv --x x --y y --where series=training --kind line "
                   "--label x=step --label 'y=loss [nats]' --out loss.svg\n" NS_CLI
                   " plot loss.csv --x x --y y --by series --log y --out both.pdf\n" NS_CLI
                   " study post-pre.study --csv cells.csv\n" NS_CLI
                   " plot cells.csv --x lr --y warmup --z value --by lane --out map.pdf\n" NS_CLI
                   " plot scaling.csv --x layers --y norm --by placement --band "
                   "interval --fit --log layers,norm --out scaling.pdf",
        .entries = entries,
    };
    g_auto(NsPlotSheet) sheet = {.request = &request};
    if (!ns_options_read(&options, &argc, &argv, error) ||
        !understand(&request, argc, argv, &sheet, error))
        return NS_EXIT_OK;
    g_autoptr(NsTable) table = ns_table_new_from_file(argv[1], error);
    if (!table) return NS_EXIT_ERROR;
    sheet.table = table;
    return draw(&request, &sheet, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
}
