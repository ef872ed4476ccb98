/* The charts of one file.  SPDX-License-Identifier: MIT */
#include "ui/figures/sheet.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "ui/plot/text.h"

#include <math.h>
#include <string.h>

#define NO_BREAK "\xc2\xa0"
#define MOST_CURVES 64 /* number of bits in `hidden` */

/* The keys of axes and scales. */
static const char *const axes[NS_VIEW_STATE_AXES] = {"x", "y"};
static const char *const scales[] = {
    [NS_SCALE_LINEAR] = "linear", [NS_SCALE_LOG] = "log", [NS_SCALE_SYMLOG] = "symlog"};

static void chart_clear(gpointer chart)
{
    g_free(((NsSheetChart *)chart)->title);
}

void ns_sheet_init(NsSheet *sheet)
{
    *sheet = (NsSheet){.charts = g_array_new(FALSE, FALSE, sizeof(NsSheetChart))};
    g_array_set_clear_func(sheet->charts, chart_clear);
}

void ns_sheet_clear(NsSheet *sheet)
{
    g_clear_pointer(&sheet->charts, g_array_unref);
    for (size_t i = 0; i < NS_LANES_MAX; i++) g_clear_pointer(&sheet->names[i], g_free);
}

void ns_sheet_copy(NsSheet *to, const NsSheet *from)
{
    ns_sheet_init(to);
    for (guint i = 0; i < from->charts->len; i++) {
        NsSheetChart chart = *ns_sheet_chart(from, i);
        chart.title = g_strdup(chart.title);
        g_array_append_val(to->charts, chart);
    }
    for (size_t i = 0; i < NS_LANES_MAX; i++) to->names[i] = g_strdup(from->names[i]);
}

NsSheetChart *ns_sheet_add(NsSheet *sheet, NsFigureSpec spec, int lane)
{
    NsSheetChart chart = {.spec = spec, .lane = lane};
    ns_view_state_init(&chart.view);
    g_array_append_val(sheet->charts, chart);
    return ns_sheet_chart(sheet, sheet->charts->len - 1);
}

void ns_sheet_move(NsSheet *sheet, guint from, guint to)
{
    NsSheetChart *charts = ns_sheet_chart(sheet, 0), moved = charts[from];
    if (from < to) memmove(&charts[from], &charts[from + 1], (to - from) * sizeof moved);
    if (from > to) memmove(&charts[to + 1], &charts[to], (from - to) * sizeof moved);
    charts[to] = moved;
}

/* ---- Reading ---- */

static bool refuse(GError **error, const char *what, const char *text, const char *advice)
{
    return ns_refuse(error, NS_ERROR_USAGE, "“%s” is not a %s; use %s.", text, what, advice);
}

/* Reads a single line of UTF-8 text; blank text becomes NULL. */
static bool read_line(char **line, const char *text, const char *what, glong most, GError **error)
{
    g_autofree char *stripped = g_strstrip(g_strdup(text));
    bool plain = g_utf8_validate(stripped, -1, NULL);
    for (const char *p = stripped; plain && *p; p = g_utf8_next_char(p))
        plain = !g_unichar_iscntrl(g_utf8_get_char(p));
    if (!plain || g_utf8_strlen(stripped, -1) > most) {
        g_autofree char *shown = plain ? g_utf8_substring(stripped, 0, 20) : g_strdup("");
        return ns_refuse(error, NS_ERROR_USAGE,
                         plain ? N_("“%s…” is too long for %s; use at most %ld characters.")
                               : N_("“%s…” is not a single line of text, as %s must be; use at "
                                    "most %ld characters."),
                         shown, _(what), most);
    }
    g_free(*line);
    *line = *stripped ? g_steal_pointer(&stripped) : NULL;
    return true;
}

bool ns_sheet_set_title(NsSheetChart *chart, const char *title, GError **error)
{
    return read_line(&chart->title, title, N_("a title"), NS_TITLE_MOST, error);
}

static bool check_range(NsScaleKind kind, NsRange range, GError **error)
{
    if (range.lo >= range.hi)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "The limits %g to %g are reversed; the lower one must come first.",
                         range.lo, range.hi);
    if (kind == NS_SCALE_LOG && (range.lo <= 0 || range.hi <= 0))
        return ns_refuse(
            error, NS_ERROR_USAGE,
            "A logarithmic axis cannot begin or end at %g; its limits must be positive.",
            range.lo <= 0 ? range.lo : range.hi);
    return true;
}

static bool read_limit(const char *text, double *value)
{
    char *end = NULL;
    *value = (double)NAN;
    if (!*text) return true;
    *value = g_ascii_strtod(text, &end);
    return !*end && isfinite(*value);
}

/* "0..200", "..4", "1e-3.. log", "linear" */
static bool set_axis(NsSheetChart *chart, int axis, const char *text, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, " ", 3);
    guint n = g_strv_length(words);
    const char *last = n ? words[n - 1] : "", *dots = strstr(text, "..");
    int kind = G_N_ELEMENTS(scales) - 1;
    while (kind >= 0 && !g_str_equal(last, scales[kind])) kind--;
    NsRange range = NS_RANGE_FREE;
    bool good = n > 0 && n == (guint)(dots != NULL) + (kind >= 0);
    if (good && dots) {
        dots = strstr(words[0], "..");
        g_autofree char *lo = dots ? g_strndup(words[0], (gsize)(dots - words[0])) : NULL;
        good = dots && read_limit(lo, &range.lo) && read_limit(dots + 2, &range.hi);
    }
    if (!good)
        return refuse(error, "range of an axis", text,
                      "two limits as in 0..200, either of which may be missing, then optionally a "
                      "space and linear, log or symlog");
    if (!check_range(kind >= 0 ? (NsScaleKind)kind : NS_SCALE_LINEAR, range, error)) return false;
    chart->view.range[axis] = range;
    chart->view.rescaled[axis] = kind >= 0;
    if (kind >= 0) chart->view.scale[axis] = (NsScaleKind)kind;
    return true;
}

static bool set_option(NsSheetChart *chart, char *option, GError **error)
{
    char *value = strchr(option, '=');
    if (value) {
        *value++ = '\0';
        g_strstrip(option);
        if (g_str_equal(option, "title")) return ns_sheet_set_title(chart, value, error);
        g_strstrip(value);
        for (int axis = 0; axis < NS_VIEW_STATE_AXES; axis++)
            if (g_str_equal(option, axes[axis])) return set_axis(chart, axis, value, error);
        if (g_str_equal(option, "hide")) {
            g_auto(GStrv) words = g_strsplit(value, ",", -1);
            for (char **word = words; *word; word++) {
                guint64 number = 0;
                if (!g_ascii_string_to_unsigned(*word, 10, 1, MOST_CURVES, &number, NULL))
                    return refuse(error, "list of curves to hide", value,
                                  "their numbers from 1, in the order of a CSV file, as in 2,3");
                chart->hidden |= UINT64_C(1) << (number - 1);
            }
            return true;
        }
        if (g_str_equal(option, "lane")) {
            chart->lane = (int)ns_lane_find(value);
            return chart->lane < NS_LANES_MAX ||
                   refuse(error, "lane", value, "its letter, such as B");
        }
        if (g_str_equal(option, "grid") && g_str_equal(value, "off")) {
            chart->view.no_grid = true;
            return true;
        }
        if (g_str_equal(option, "fit") && g_str_equal(value, "all")) {
            chart->view.all = true;
            return true;
        }
    }
    return refuse(error, "choice of a chart", option,
                  "title=TEXT, x or y=FROM..TO, hide=NUMBERS, lane=LETTER, grid=off or fit=all");
}

/* The text up to one of the characters in `ends`, without the \ of escaped characters. */
static char *take_until(const char **at, const char *ends)
{
    GString *word = g_string_new(NULL);
    for (; **at && !strchr(ends, **at); (*at)++) {
        if (**at == '\\' && (*at)[1]) (*at)++;
        g_string_append_c(word, **at);
    }
    return g_string_free(word, FALSE);
}

/* Reads the options in parentheses after a figure and applies them to the charts from `first`
 * on. */
static bool read_options(NsSheet *sheet, guint first, const char **at, GError **error)
{
    do {
        (*at)++;
        g_autofree char *option = take_until(at, ";)");
        if (!**at)
            return ns_refuse(error, NS_ERROR_USAGE,
                             "The choices of a chart, “%s”, lack the closing ).", option);
        for (guint i = first; i < sheet->charts->len; i++) {
            g_autofree char *copy = g_strdup(option);
            if (!set_option(ns_sheet_chart(sheet, i), copy, error)) return false;
        }
    } while (**at == ';');
    (*at)++;
    return true;
}

bool ns_sheet_read(NsSheet *sheet, const char *text, GError **error)
{
    const char *at = text;
    for (bool more = true; more; at++) {
        g_autoptr(GArray) specs = g_array_new(FALSE, FALSE, sizeof(NsFigureSpec));
        g_autofree char *word = take_until(&at, ",(");
        if (!ns_figure_specs_read(specs, word, error)) return false;
        guint first = sheet->charts->len;
        for (guint i = 0; i < specs->len; i++)
            ns_sheet_add(sheet, g_array_index(specs, NsFigureSpec, i), -1);
        if (*at == '(' && !read_options(sheet, first, &at, error)) return false;
        g_autofree char *rest = take_until(&at, ",");
        if (*g_strstrip(rest))
            return ns_refuse(error, NS_ERROR_USAGE,
                             "“%s” follows a figure; separate figures with commas.", rest);
        more = *at == ',';
    }
    return true;
}

/* ---- Writing ---- */

static void add_option(GString *options, const char *key, const char *value)
{
    g_string_append_printf(options, "%s%s=", options->len ? ";" : "", key);
    for (const char *p = value; *p; p++) {
        if (strchr("\\;)", *p)) g_string_append_c(options, '\\');
        g_string_append_c(options, *p);
    }
}

static void add_limit(GString *text, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    if (!isnan(value))
        g_string_append(text, g_ascii_formatd(digits, sizeof digits, "%.10g", value));
}

char *ns_sheet_text(const NsSheet *sheet, guint first, guint n)
{
    GString *text = g_string_new(NULL);
    for (guint i = first; i < first + n; i++) {
        const NsSheetChart *chart = ns_sheet_chart(sheet, i);
        g_autofree char *figure = ns_figure_spec_text(&chart->spec);
        g_autoptr(GString) options = g_string_new(NULL), hidden = g_string_new(NULL);
        if (chart->title) add_option(options, "title", chart->title);
        for (int axis = 0; axis < NS_VIEW_STATE_AXES; axis++) {
            g_autoptr(GString) limits = g_string_new(NULL);
            if (!ns_range_is_free(chart->view.range[axis])) {
                add_limit(limits, chart->view.range[axis].lo);
                g_string_append(limits, "..");
                add_limit(limits, chart->view.range[axis].hi);
            }
            if (chart->view.rescaled[axis])
                g_string_append_printf(limits, "%s%s", limits->len ? " " : "",
                                       scales[chart->view.scale[axis]]);
            if (limits->len) add_option(options, axes[axis], limits->str);
        }
        for (unsigned j = 0; j < MOST_CURVES; j++)
            if (chart->hidden & UINT64_C(1) << j)
                g_string_append_printf(hidden, "%s%u", hidden->len ? "," : "", j + 1);
        if (hidden->len) add_option(options, "hide", hidden->str);
        if (chart->lane >= 0) add_option(options, "lane", ns_lane_letter((size_t)chart->lane));
        if (chart->view.no_grid) add_option(options, "grid", "off");
        if (chart->view.all) add_option(options, "fit", "all");
        g_string_append_printf(text, "%s%s", text->len ? "," : "", figure);
        if (options->len) g_string_append_printf(text, "(%s)", options->str);
    }
    return g_string_free(text, FALSE);
}

static char *word_of(const NsSheet *sheet, guint i)
{
    return g_strdelimit(ns_figure_spec_text(&ns_sheet_chart(sheet, i)->spec), ":.", '-');
}

char *ns_sheet_word(const NsSheet *sheet, guint i)
{
    g_autofree char *word = word_of(sheet, i);
    unsigned before = 0;
    for (guint k = 0; k < i; k++) {
        g_autofree char *other = word_of(sheet, k);
        before += g_str_equal(other, word);
    }
    return before ? g_strdup_printf("%s-%u", word, before + 1) : g_steal_pointer(&word);
}

/* ---- Names of lanes (with non-breaking spaces, unlike a letter followed by a label) ---- */

bool ns_sheet_read_names(NsSheet *sheet, const char *text, size_t lanes, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text ? text : "", ";", -1);
    g_auto(NsSheet) read = {0};
    size_t n = g_strv_length(words);
    if (n > (lanes ? lanes : NS_LANES_MAX))
        return ns_refuse(error, NS_ERROR_USAGE,
                         "“%s” names %zu lanes, but there are at most %zu; omit some.", text, n,
                         lanes ? lanes : (size_t)NS_LANES_MAX);
    for (size_t i = 0; i < n; i++) {
        if (!read_line(&read.names[i], words[i], N_("the name of a lane"), NS_NAME_MOST, error))
            return false;
        for (size_t k = 0; read.names[i] && k < i; k++)
            if (g_strcmp0(read.names[i], read.names[k]) == 0)
                return ns_refuse(
                    error, NS_ERROR_USAGE,
                    N_("Two lanes cannot both be called “%s”; give each its own name."),
                    read.names[i]);
    }
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        g_auto(GStrv) parts = read.names[i] ? g_strsplit(read.names[i], " ", -1) : NULL;
        g_free(sheet->names[i]);
        sheet->names[i] = parts ? g_strjoinv(NO_BREAK, parts) : NULL;
    }
    return true;
}

char *ns_sheet_names_text(const NsSheet *sheet)
{
    size_t n = NS_LANES_MAX;
    while (n > 0 && !sheet->names[n - 1]) n--;
    if (!n) return NULL;
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < n; i++)
        g_string_append_printf(text, "%s%s", i ? ";" : "", sheet->names[i] ? sheet->names[i] : "");
    g_string_replace(text, NO_BREAK, " ", 0);
    return g_string_free(text, FALSE);
}

NsProvenance ns_sheet_provenance(const NsSheet *sheet, guint first, guint n,
                                 const NsFigureInput *input, int64_t newest,
                                 const NsExperiment *experiment)
{
    bool before = input->step >= 0 && input->step < newest;
    bool smooth = ns_figure_smoothing(input).kind != NS_SMOOTH_NONE;
    NsProvenance provenance = {
        .step = before ? input->step : newest,
        .until = before ? newest : 0,
        .figure = ns_sheet_text(sheet, first, n),
        .names = ns_sheet_names_text(sheet),
        .axes = g_strdup(input->log ? "log" : "linear"),
        .smooth = smooth ? ns_smoothing_text(input->smoothing) : g_strdup("none"),
        .theory = g_strdup(input->theory ? "on" : "off"),
    };
    ns_experiment_copy(&provenance.experiment, experiment);
    if (experiment->n > 1)
        provenance.heat = g_strdup(input->heat == NS_HEAT_RATIO ? "ratio" : "stacked");
    return provenance;
}

/* ---- Plots ---- */

unsigned ns_sheet_copies(const NsSheetChart *chart, size_t lanes)
{
    return chart->spec.kind->one_model && chart->lane < 0 ? (unsigned)MAX(lanes, 1) : 1;
}

NsFigureInput ns_sheet_input(const NsSheet *sheet, const NsSheetChart *chart, unsigned copy,
                             const NsFigureInput *input)
{
    NsFigureInput own = *input;
    ns_figure_spec_apply(&chart->spec, &own);
    for (unsigned i = 0; own.n_lanes > 1 && i < own.n_lanes; i++) {
        if (!sheet->names[i]) continue;
        own.lanes[i].name = sheet->names[i];
        own.named |= 1u << i;
    }
    bool one = chart->lane >= 0 || ns_sheet_copies(chart, own.n_lanes) > 1;
    unsigned lane = chart->lane >= 0 ? (unsigned)chart->lane : copy;
    return one && lane < own.n_lanes ? ns_figure_input_of(&own, lane) : own;
}

const char *ns_plot_curve(const NsPlot *plot, unsigned i)
{
    unsigned found = 0;
    for (size_t k = 0; k < plot->n_series; k++) {
        const char *name = ns_series_name(&plot->series[k]);
        bool known = !name || plot->series[k].hidden;
        for (size_t m = 0; m < k && !known; m++)
            known = g_strcmp0(ns_series_name(&plot->series[m]), name) == 0;
        if (!known && found++ == i) return name;
    }
    return NULL;
}

NsPlot *ns_sheet_plot(const NsSheetChart *chart, const NsPlot *plot, GError **error)
{
    const NsAxis *all[NS_VIEW_STATE_AXES] = {&plot->x, &plot->left};
    NsViewState view = chart->view;
    const char *name;
    unsigned n = 0;
    while (ns_plot_curve(plot, n)) n++;
    uint64_t there = n >= MOST_CURVES ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    if (chart->hidden & ~there) {
        ns_refuse(error, NS_ERROR_USAGE,
                  "“%s” has %u curves, and hide names another one; a CSV file of the chart "
                  "lists them in order.",
                  chart->spec.kind->choice.key, n);
        return NULL;
    }
    for (int axis = 0; axis < NS_VIEW_STATE_AXES; axis++) {
        NsScaleKind kind = view.rescaled[axis] ? view.scale[axis] : all[axis]->scale;
        if (!check_range(kind, view.range[axis], error)) return NULL;
    }
    for (unsigned i = 0; (name = ns_plot_curve(plot, i)); i++)
        if (chart->hidden & UINT64_C(1) << i) ns_view_state_hide(&view, name, true);
    NsPlot *shown = g_new(NsPlot, 1);
    GArray *series = g_array_new(FALSE, FALSE, sizeof(NsSeries));
    ns_view_state_apply(&view, plot, shown, series);
    ns_view_state_clear(&view);
    /* Hidden curves are struck out in the legend of a window, but omitted from files. */
    for (guint i = series->len; i-- > 0;)
        if (g_array_index(series, NsSeries, i).hidden) g_array_remove_index(series, i);
    shown->n_series = series->len;
    shown->series = (const NsSeries *)(const void *)g_array_free(series, FALSE);
    if (chart->title) shown->title = ns_text_literal_name(chart->title);
    return shown;
}

void ns_sheet_plot_free(NsPlot *plot)
{
    g_free((gpointer)(guintptr)plot->series);
    g_free(plot);
}
