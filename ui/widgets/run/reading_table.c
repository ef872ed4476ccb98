/* What the crosshair touches, as text.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/reading_table.h"

#include "core/base/words.h"
#include "core/probe/seeds.h"
#include "ui/plot/text.h"

#include <math.h>

/* The digits of numbers, as in the tips of charts; four columns have room for one less. */
#define DIGITS 4
#define DIGITS_OF_MANY 3

#define MOST_COLUMNS (1 + NS_LANES_MAX)
#define GAP 10
#define GAP_OF_MANY 6

struct _NsReadingTable {
    GtkBox parent;
    NsSession *session;
    GtkWidget *grid;
    GPtrArray *cells; /* of GtkLabel *, MOST_COLUMNS a row; grows and never shrinks */
};

G_DEFINE_FINAL_TYPE(NsReadingTable, ns_reading_table, GTK_TYPE_BOX)

/* The text for a step; NULL if there is none. */
typedef const double *(*Scalar)(const NsStep *step);

static const double *loss_of(const NsStep *step)
{
    return &step->loss;
}

static const double *gradient_of(const NsStep *step)
{
    return step->grad_norm_untold ? NULL : &step->grad_norm;
}

static const double *lr_of(const NsStep *step)
{
    return step->lr_untold ? NULL : &step->lr;
}

/* A number with so many digits, as in the lanes beside it. */
static char *number(double value, int digits)
{
    if (isnan(value)) return g_strdup(_("NaN"));
    return ns_text_value(value, digits);
}

/* A rate with the digits that it was set with. */
static char *rate(double value, int digits)
{
    return isfinite(value) ? ns_text_input(value, digits) : number(value, digits);
}

/* The record of a step, or the mean over several seeds; false if the history has none. */
static bool record_at(NsHistory *history, int64_t step, NsStep *record)
{
    int64_t at = history ? ns_seeds_record(history, step) : -1;
    if (at < 0 || at >= (int64_t)ns_seeds_records(history)) return false;
    *record = ns_seeds_step(history, (size_t)at);
    return true;
}

static void add_scalar(GPtrArray *rows, const char *name, Scalar scalar,
                       char *(*words)(double, int), const NsFigureInput *input, int64_t step)
{
    int digits = input->n_lanes > 3 ? DIGITS_OF_MANY : DIGITS;
    GString *row = g_string_new(name);
    for (unsigned i = 0; i < MAX(input->n_lanes, 1u); i++) {
        NsHistory *history = input->n_lanes ? input->lanes[i].history : input->history;
        NsStep record;
        const double *told = record_at(history, step, &record) ? scalar(&record) : NULL;
        g_autofree char *value = told ? words(*told, digits) : g_strdup("–");
        g_string_append_printf(row, "\t%s", value);
    }
    g_ptr_array_add(rows, g_string_free(row, FALSE));
}

/* While lanes and seeds run one of them may be a record ahead: the step before is that of all. */
static int64_t common_step(const NsFigureInput *input, int64_t step)
{
    for (unsigned i = 0; i < input->n_lanes; i++) {
        NsHistory *history = input->lanes[i].history;
        NsStep record;
        if (!record_at(history, step, &record) && record_at(history, step - 1, &record))
            return step - 1;
    }
    return step;
}

static double value_at(const NsSeries *series, double x)
{
    for (size_t i = series->n; i-- > 0;)
        if (series->x[i] <= x) return series->x[i] == x ? series->y[i] : (double)NAN;
    return NAN;
}

/* The measured curves of the first two lanes are the first two of their plot. */
static void add_ratio(GPtrArray *rows, const NsPlot *plot, const NsReading *reading)
{
    double values[2];
    size_t found = 0;
    for (size_t i = 0; i < plot->n_series && found < 2; i++) {
        const NsSeries *series = &plot->series[i];
        bool measured = !series->previous && !series->theory && !series->muted;
        if (!measured || series->kind == NS_SERIES_BAND) continue;
        if (series->style != found) return;
        values[found++] = value_at(series, reading->x);
    }
    if (found < 2 || !isfinite(values[0]) || !isfinite(values[1]) || values[0] == 0.0) return;
    g_autofree char *ratio = number(values[1] / values[0], DIGITS);
    g_ptr_array_add(rows, g_strdup_printf(_("B / A\t%s"), ratio));
}

static void add_reading(GPtrArray *rows, NsSession *session, NsChartView *chart)
{
    const NsReading *reading = ns_chart_view_reading(chart);
    const NsPlot *plot = ns_chart_view_plot(chart);
    if (!reading || !reading->text || !plot) return;
    g_auto(GStrv) lines = g_strsplit(reading->text, "\n", -1);
    g_ptr_array_add(rows, g_strdup("")); /* a gap */
    g_ptr_array_add(rows, ns_text_label(plot->title ? plot->title : ""));
    g_ptr_array_add(rows, ns_text_label(lines[0] ? lines[0] : ""));
    for (size_t i = 1; lines[0] && lines[i]; i++) {
        /* "label: value unit" becomes two cells. */
        g_autofree char *plain = ns_text_label(lines[i]);
        const char *colon = g_strrstr(plain, ": ");
        g_ptr_array_add(rows, colon ? g_strdup_printf("%.*s\t%s", (int)(colon - plain), plain,
                                                      colon + strlen(": "))
                                    : g_strdup(plain));
    }
    if (session->view->started.n > 1 && !plot->heatmap) add_ratio(rows, plot, reading);
}

static GtkLabel *cell_at(NsReadingTable *table, guint row, guint column)
{
    while (table->cells->len <= row * MOST_COLUMNS + column) {
        guint at = table->cells->len;
        GtkWidget *label = gtk_label_new(NULL);
        bool name = at % MOST_COLUMNS == 0;
        gtk_label_set_xalign(GTK_LABEL(label), name ? 0.0F : 1.0F);
        gtk_widget_set_focusable(label, FALSE);
        gtk_widget_set_hexpand(label, name);
        gtk_label_set_wrap(GTK_LABEL(label), name);
        gtk_widget_set_valign(label, GTK_ALIGN_START);
        gtk_widget_add_css_class(label, name ? "name" : "numeric");
        gtk_grid_attach(GTK_GRID(table->grid), label, (int)(at % MOST_COLUMNS),
                        (int)(at / MOST_COLUMNS), 1, 1);
        g_ptr_array_add(table->cells, label);
    }
    return table->cells->pdata[row * MOST_COLUMNS + column];
}

/* A row of one cell spans all columns; a single value spans the columns of all lanes. */
static void show_row(NsReadingTable *table, guint row, const char *text, guint columns)
{
    g_auto(GStrv) cells = g_strsplit(text, "\t", MOST_COLUMNS);
    guint n = g_strv_length(cells);
    for (guint i = 0; i < MOST_COLUMNS; i++) {
        GtkLabel *label = cell_at(table, row, i);
        bool used = i == 0 || i < n, last = i + 1 >= n && i < columns;
        const char *words = i < n ? cells[i] : "";
        GtkLayoutManager *layout = gtk_widget_get_layout_manager(table->grid);
        GtkLayoutChild *place = gtk_layout_manager_get_layout_child(layout, GTK_WIDGET(label));
        gtk_grid_layout_child_set_column_span(GTK_GRID_LAYOUT_CHILD(place),
                                              (int)(used && last ? columns - i : 1));
        if (!g_str_equal(gtk_label_get_text(label), words)) gtk_label_set_text(label, words);
        gtk_widget_set_visible(GTK_WIDGET(label), used);
    }
}

void ns_reading_table_sync(NsReadingTable *table, NsChartTile *tile)
{
    /* Of char *, cells with tabs between. */
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(g_free);
    NsFigureInput input = ns_view_input(table->session->view);
    int64_t step = common_step(&input, ns_session_shown_step(table->session));
    g_autofree char *digits = ns_group_digits(step);
    GString *head = g_string_new(NULL);
    g_string_append_printf(head, _("Step %s"), digits);
    for (unsigned i = 0; input.n_lanes > 1 && i < input.n_lanes; i++)
        g_string_append_printf(head, "\t%s", input.lanes[i].name);
    g_ptr_array_add(rows, g_string_free(head, FALSE));
    size_t seeds = input.history ? ns_history_seeds(input.history) : 1;
    if (seeds > 1) g_ptr_array_add(rows, g_strdup_printf(_("mean of %zu seeds"), seeds));
    add_scalar(rows, _("Loss"), loss_of, number, &input, step);
    add_scalar(rows, _("Gradient norm"), gradient_of, number, &input, step);
    add_scalar(rows, _("Learning rate"), lr_of, rate, &input, step);
    guint columns = 1 + (guint)table->session->view->started.n;
    bool many = columns > 4;
    gtk_grid_set_column_spacing(GTK_GRID(table->grid), many ? GAP_OF_MANY : GAP);
    (many ? gtk_widget_add_css_class : gtk_widget_remove_css_class)(table->grid, "many");
    guint heading = rows->len + 1;
    if (tile) add_reading(rows, table->session, ns_chart_tile_chart(tile));
    for (guint i = 0; i < rows->len; i++) {
        show_row(table, i, rows->pdata[i], columns);
        GtkWidget *name = GTK_WIDGET(cell_at(table, i, 0));
        gtk_label_set_wrap(GTK_LABEL(name), i != 0); /* a step stays in one piece */
        if (i == 0 || i == heading)
            gtk_widget_add_css_class(name, "heading");
        else
            gtk_widget_remove_css_class(name, "heading");
    }
    for (guint i = rows->len; i < table->cells->len / MOST_COLUMNS; i++) {
        show_row(table, i, "", columns);
        gtk_widget_set_visible(GTK_WIDGET(cell_at(table, i, 0)), FALSE);
    }
}

static void ns_reading_table_finalize(GObject *object)
{
    g_ptr_array_unref(NS_READING_TABLE(object)->cells);
    G_OBJECT_CLASS(ns_reading_table_parent_class)->finalize(object);
}

static void ns_reading_table_class_init(NsReadingTableClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = ns_reading_table_finalize;
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "readings");
}

static void ns_reading_table_init(NsReadingTable *table)
{
    table->cells = g_ptr_array_new();
    table->grid = gtk_grid_new();
    gtk_box_append(GTK_BOX(table), table->grid);
}

GtkWidget *ns_reading_table_new(NsSession *session)
{
    NsReadingTable *table =
        g_object_new(NS_TYPE_READING_TABLE, "orientation", GTK_ORIENTATION_VERTICAL, NULL);
    table->session = ns_session_hold(session, table);
    ns_reading_table_sync(table, NULL);
    return GTK_WIDGET(table);
}
