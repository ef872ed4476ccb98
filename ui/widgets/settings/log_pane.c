/* SPDX-License-Identifier: MIT */
#include "ui/widgets/settings/log_pane.h"

#include "core/base/words.h"
#include "core/store/outside_name.h"
#include "core/store/recorded_run.h"
#include "ui/widgets/common/helpers.h"

#include <string.h>

/* Columns that have a row; a log may have thousands. */
#define ROWS_MOST 100
#define NAME_CHARS 16

typedef struct {
    NsSession *session;
    GtkWidget *box; /* rebuilt when the log or its columns change */
    GPtrArray *readings;
    GHashTable *places; /* of each path: a table of the names of columns, from 1 */
    GPtrArray *facts;   /* GtkLabel of each source: lines, steps */
    GtkWidget *left_out;
} Parts;

static const char PARTS[] = "ns-log-pane", SOURCE[] = "ns-source", COLUMN[] = "ns-column";

static void parts_free(gpointer data)
{
    Parts *parts = data;
    g_ptr_array_unref(parts->readings);
    g_ptr_array_unref(parts->facts);
    g_hash_table_unref(parts->places);
    g_free(parts);
}

/* ---- In words ---- */

/* A line each: the files in a folder, the format and the program, the lines that were read, and
 * those that were skipped. */
static char *facts_words(const NsOutsideReading *reading)
{
    if (!reading) return g_strdup(_("Nothing has been read yet."));
    GString *words = g_string_new(NULL);
    g_autofree char *file = reading->file ? g_filename_display_name(reading->file) : NULL;
    if (file) g_string_append_printf(words, "%s\n", file);
    if (reading->files > 1) {
        g_string_append_printf(words, ns_plural("%zu file", "%zu files", reading->files),
                               reading->files);
        g_string_append_c(words, '\n');
    }
    if (reading->program)
        g_string_append_printf(words, _("%s, written by %s"), reading->format, reading->program);
    else
        g_string_append(words, reading->format);
    g_autofree char *lines = ns_group_digits((int64_t)reading->lines);
    if (*reading->format) g_string_append_c(words, '\n');
    g_string_append_printf(
        words, ns_plural("%s line read", "%s lines read", (gint64)reading->lines), lines);
    g_autofree char *wrong = ns_group_digits((int64_t)reading->wrong);
    if (!reading->wrong) return g_string_free(words, FALSE);
    g_string_append_c(words, '\n');
    g_string_append_printf(
        words, ns_plural("%s line skipped", "%s lines skipped", (gint64)reading->wrong), wrong);
    return g_string_free(words, FALSE);
}

/* columns: some can be chosen; loss: one is the loss. */
static char *steps_words(NsSession *session, bool columns, bool loss)
{
    const NsView *view = session->view;
    size_t records = 0;
    for (unsigned i = 0; i < view->started.n; i++)
        records += view->histories[i] ? ns_history_steps(view->histories[i]) : 0;
    if (!records)
        return g_strdup(
            columns && !loss ? _("No column is recognized as the loss; choose one above.")
            : columns
                ? _("No step with a training loss has been read yet; choose its column above.")
                : _("No step with a training loss has been read yet."));
    g_autofree char *n = ns_group_digits((int64_t)records);
    g_autofree char *first = ns_group_digits(ns_session_first_step(session));
    g_autofree char *last = ns_group_digits(ns_session_steps(session));
    return g_strdup_printf(_("Steps %s to %s, %s records."), first, last, n);
}

/* ---- Columns ---- */

static void on_chosen(GtkDropDown *list, GParamSpec *property, GtkWidget *pane)
{
    (void)property;
    const Parts *parts = g_object_get_data(G_OBJECT(pane), PARTS);
    guint source = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(list), SOURCE));
    guint chosen = gtk_drop_down_get_selected(list);
    const NsOutsideReading *reading = parts->readings->pdata[source];
    if (!reading || chosen >= NS_OUTSIDE_MEANINGS) return;
    g_autofree char *map =
        ns_outside_map_change(reading->map, g_object_get_data(G_OBJECT(list), COLUMN), chosen);
    ns_session_map_columns(parts->session, source, map);
}

static void on_reset(GtkButton *button, GtkWidget *pane)
{
    const Parts *parts = g_object_get_data(G_OBJECT(pane), PARTS);
    guint source = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), SOURCE));
    ns_session_map_columns(parts->session, source, "");
}

static void add_column(GtkWidget *pane, GtkGrid *grid, guint source, const NsOutsideColumn *column)
{
    const char *labels[NS_OUTSIDE_MEANINGS + 1] = {NULL};
    for (guint i = 0; i < NS_OUTSIDE_MEANINGS; i++) labels[i] = _(ns_outside_meanings[i].label);
    g_autofree char *words =
        column->layers
            ? g_strdup_printf(ns_plural("%s, %zu layer", "%s, %zu layers", column->layers),
                              column->name, column->layers)
            : g_strdup(column->name);
    GtkWidget *name = ns_line_label_new(column->name, NULL),
              *list = gtk_drop_down_new_from_strings(labels);
    gtk_label_set_ellipsize(GTK_LABEL(name), PANGO_ELLIPSIZE_MIDDLE);
    gtk_label_set_width_chars(GTK_LABEL(name), NAME_CHARS);
    gtk_widget_set_hexpand(name, TRUE);
    gtk_widget_set_tooltip_text(name, words);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(list), column->meaning);
    g_autofree char *accessible = g_strdup_printf(_("What %s is"), column->name);
    ns_accessible_name(list, accessible);
    g_object_set_data(G_OBJECT(list), SOURCE, GUINT_TO_POINTER(source));
    g_object_set_data_full(G_OBJECT(list), COLUMN, g_strdup(column->name), g_free);
    g_signal_connect(list, "notify::selected", G_CALLBACK(on_chosen), pane);
    int row = 0;
    while (gtk_grid_get_child_at(grid, 0, row)) row++;
    gtk_grid_attach(grid, name, 0, row, 1, 1);
    gtk_grid_attach(grid, list, 1, row, 1, 1);
}

static int compare_places(const void *a, const void *b, gpointer data)
{
    const NsOutsideColumn *one = *(const NsOutsideColumn *const *)a,
                          *other = *(const NsOutsideColumn *const *)b;
    GHashTable *places = data;
    guint first = GPOINTER_TO_UINT(g_hash_table_lookup(places, one->name));
    guint second = GPOINTER_TO_UINT(g_hash_table_lookup(places, other->name));
    /* 0, the place of a new column, is after all others. */
    return (first - 1 > second - 1) - (first - 1 < second - 1);
}

/* Columns with a meaning come first; but while a person chooses what columns are, each row stays
 * where it is. */
static GPtrArray *rows_of(Parts *parts, guint source)
{
    const NsOutsideReading *reading = parts->readings->pdata[source];
    GPtrArray *rows = g_ptr_array_new();
    for (guint i = 0; reading && i < NS_OUTSIDE_MEANINGS; i++)
        for (guint k = 0; k < reading->columns->len; k++) {
            NsOutsideColumn *column = reading->columns->pdata[k];
            if (column->meaning == i) g_ptr_array_add(rows, column);
        }
    if (!reading) return rows;
    const char *path = ns_session_source(parts->session, source);
    GHashTable *places = g_hash_table_lookup(parts->places, path);
    if (!places || !*reading->map) {
        places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        g_hash_table_insert(parts->places, g_strdup(path), places);
    }
    g_ptr_array_sort_with_data(rows, compare_places, places);
    for (guint i = 0; i < rows->len; i++) {
        const NsOutsideColumn *column = rows->pdata[i];
        if (g_hash_table_contains(places, column->name)) continue;
        guint place = g_hash_table_size(places) + 1;
        g_hash_table_insert(places, g_strdup(column->name), GUINT_TO_POINTER(place));
    }
    return rows;
}

static void add_columns(GtkWidget *pane, Parts *parts, guint source)
{
    const NsOutsideReading *reading = parts->readings->pdata[source];
    g_autoptr(GPtrArray) rows = rows_of(parts, source);
    GtkWidget *grid = ns_grid_new(2, 6);
    for (guint i = 0; i < MIN(rows->len, ROWS_MOST); i++)
        add_column(pane, GTK_GRID(grid), source, rows->pdata[i]);
    gtk_box_append(GTK_BOX(parts->box), grid);
    if (rows->len > ROWS_MOST) {
        guint more = rows->len - ROWS_MOST;
        g_autofree char *words =
            g_strdup_printf(ns_plural("%u more column is recognized by its name.",
                                      "%u more columns are recognized by their names.", more),
                            more);
        gtk_box_append(GTK_BOX(parts->box), ns_text_label_new(words, "hint"));
    }
    if (!reading || !*reading->map) return;
    GtkWidget *reset = gtk_button_new_with_label(_("Read as named"));
    gtk_widget_set_tooltip_text(reset,
                                _("Forget what was chosen here for logs with these columns"));
    gtk_widget_set_halign(reset, GTK_ALIGN_START);
    g_object_set_data(G_OBJECT(reset), SOURCE, GUINT_TO_POINTER(source));
    g_signal_connect(reset, "clicked", G_CALLBACK(on_reset), pane);
    gtk_box_append(GTK_BOX(parts->box), reset);
}

/* ---- The pane ---- */

/* Whether two readings have the same rows. */
static bool is_same(const NsOutsideReading *a, const NsOutsideReading *b)
{
    if (!a || !b) return a == b;
    bool same = a->columns->len == b->columns->len && g_str_equal(a->map, b->map);
    for (guint i = 0; same && i < a->columns->len; i++) {
        const NsOutsideColumn *one = a->columns->pdata[i], *other = b->columns->pdata[i];
        same = g_str_equal(one->name, other->name) && one->meaning == other->meaning &&
               one->layers == other->layers;
    }
    return same;
}

static void make_rows(GtkWidget *pane, Parts *parts)
{
    for (GtkWidget *child; (child = gtk_widget_get_first_child(parts->box));)
        gtk_box_remove(GTK_BOX(parts->box), child);
    g_ptr_array_set_size(parts->facts, 0);
    gtk_box_append(GTK_BOX(parts->box), ns_line_label_new(_("Run of another program"), "heading"));
    const char *paths[NS_LANES_MAX];
    for (guint i = 0; i < parts->readings->len; i++)
        paths[i] = ns_session_source(parts->session, i);
    g_auto(GStrv) names = ns_recorded_run_names(paths, parts->readings->len, true);
    for (guint i = 0; i < parts->readings->len; i++) {
        const char *path = paths[i];
        GtkWidget *label = ns_line_label_new(names[i], NULL),
                  *facts = ns_text_label_new(NULL, "hint");
        gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
        gtk_widget_set_tooltip_text(label, path);
        ns_box_append(parts->box, label, facts, NULL);
        g_ptr_array_add(parts->facts, facts);
        add_columns(pane, parts, i);
    }
    parts->left_out = ns_text_label_new(NULL, NULL);
    gtk_box_append(GTK_BOX(parts->box), parts->left_out);
}

static void sync_pane(GtkWidget *pane)
{
    Parts *parts = g_object_get_data(G_OBJECT(pane), PARTS);
    if (!ns_session_is_watching(parts->session)) return;
    GPtrArray *readings = g_ptr_array_new_with_free_func((GDestroyNotify)ns_outside_reading_unref);
    for (size_t i = 0; ns_session_source(parts->session, i); i++)
        g_ptr_array_add(readings, ns_session_reading(parts->session, i));
    bool same = parts->left_out && readings->len == parts->readings->len;
    for (guint i = 0; same && i < readings->len; i++) {
        GtkWidget *name = gtk_widget_get_prev_sibling(parts->facts->pdata[i]);
        same =
            is_same(readings->pdata[i], parts->readings->pdata[i]) &&
            g_strcmp0(gtk_widget_get_tooltip_text(name), ns_session_source(parts->session, i)) == 0;
    }
    g_ptr_array_unref(parts->readings);
    parts->readings = readings;
    if (!same) make_rows(pane, parts);
    bool columns = false, loss = false;
    for (guint i = 0; i < readings->len; i++) {
        const NsOutsideReading *reading = readings->pdata[i];
        g_autofree char *words = facts_words(reading);
        ns_text_label_set(parts->facts->pdata[i], words);
        columns |= reading && reading->columns->len;
        for (guint k = 0; reading && k < reading->columns->len; k++)
            loss |=
                ((const NsOutsideColumn *)reading->columns->pdata[k])->meaning == NS_OUTSIDE_LOSS;
    }
    GString *words = g_string_new(NULL);
    g_autofree char *steps = steps_words(parts->session, columns, loss);
    g_string_append(words, steps);
    const GPtrArray *messages = ns_session_watch_messages(parts->session);
    for (guint i = 0; i < messages->len; i++)
        g_string_append_printf(words, "\n\n%s", (const char *)messages->pdata[i]);
    ns_text_label_set(parts->left_out, words->str);
    g_string_free(words, TRUE);
}

GtkWidget *ns_log_pane_new(NsSession *session)
{
    Parts *parts = g_new0(Parts, 1);
    parts->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    GtkWidget *pane = ns_scrolled_new(parts->box);
    parts->session = ns_session_hold(session, pane);
    parts->readings = g_ptr_array_new();
    parts->facts = g_ptr_array_new();
    parts->places =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_hash_table_unref);
    g_object_set_data_full(G_OBJECT(pane), PARTS, parts, parts_free);
    gtk_widget_add_css_class(parts->box, "settings");
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_pane), pane);
    ns_session_listen(session, "runs-changed", G_CALLBACK(sync_pane), pane);
    return pane;
}
