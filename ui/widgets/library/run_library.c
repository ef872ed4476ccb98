/* SPDX-License-Identifier: MIT */
#include "ui/widgets/library/run_library.h"

#include "core/base/words.h"
#include "core/store/run_notes.h"
#include "core/store/run_table.h"
#include "ui/plot/text.h"
#include "ui/session/experiment_words.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/windows.h"

#include <math.h>
#include <string.h>

/* Columns of settings that differ between runs. */
#define SETTINGS_MOST 5
#define NAME_CHARS 20 /* in each line of a name */
#define GIB ((double)(1 << 30))
#define BOUND_MOST 10000 /* GiB */
#define MIB ((double)(1 << 20))
#define CHECKPOINTS_MOST 1048576 /* MiB */

/* ---- A row ---- */

static const char RUN[] = "ns-run", RUNS[] = "ns-runs";

static const NsRecordedRun *run_of(gconstpointer row)
{
    return g_object_get_data((GObject *)(guintptr)row, RUN);
}

/* ---- Columns ---- */

typedef enum { NAME, LOSS, STEPS, STARTED, SETTING, SIZE, TAGS, NOTE } Shows;

typedef struct {
    Shows shows;
    const char *title;
    bool number, wide;
    const NsRunColumn *setting;
} Column;

static const Column BEFORE[] = {{NAME, N_("Experiment"), false, true, NULL},
                                {LOSS, N_("Loss"), true, false, NULL},
                                {STEPS, N_("Steps"), true, false, NULL},
                                {STARTED, N_("Started"), false, false, NULL}};
static const Column AFTER[] = {{SIZE, N_("Size"), true, false, NULL},
                               {TAGS, N_("Tags"), false, false, NULL},
                               {NOTE, N_("Note"), false, true, NULL}};

static char *cell_words(const Column *column, const NsRecordedRun *run)
{
    switch (column->shows) {
    case NAME: {
        if (run->wrong) return g_strdup(run->wrong);
        if (run->given) return g_strdup(run->given);
        const char *words = run->differs ? run->differs : run->title;
        if (!run->parent) return g_strdup(words);
        g_autofree char *step = ns_group_digits(run->fork_step);
        return g_strdup_printf(_("fork at step %s: %s"), step, words);
    }
    case LOSS: {
        g_autoptr(GString) words = g_string_new(NULL);
        for (size_t i = 0; !run->wrong && i < run->lanes; i++) {
            g_autofree char *number = ns_text_value(run->loss[i], 3);
            const char *loss = isfinite(run->loss[i]) ? number : _("not finite");
            g_string_append_printf(words, "%s%s", i ? " / " : "", loss);
        }
        return g_string_free(g_steal_pointer(&words), FALSE);
    }
    case STEPS:
        return run->wrong ? g_strdup("") : ns_group_digits(run->last);
    case STARTED: {
        g_autoptr(GDateTime) began = g_date_time_new_from_unix_local(run->began);
        if (run->kind != NS_RECORDED_FILE && !run->wrong) return g_strdup("");
        if (run->began && began) return g_date_time_format(began, "%Y-%m-%d %H:%M");
        return g_strdup(run->wrong ? "" : run->name);
    }
    case SETTING:
        return ns_run_value(run, column->setting, ns_settings_value_words);
    case SIZE:
        return g_format_size_full(run->bytes, G_FORMAT_SIZE_IEC_UNITS);
    case TAGS:
        return g_strdup(run->tags ? run->tags : "");
    case NOTE:
        break;
    }
    return g_strdup(run->text ? run->text : "");
}

/* The number by which a column is sorted, or NaN; of several losses the lowest. */
static double cell_number(const Column *column, const NsRecordedRun *run)
{
    double best = (double)NAN;
    if (column->setting) return ns_library_number(run, column->setting);
    if (column->shows == STEPS) return (double)run->last;
    if (column->shows == STARTED) return (double)run->began;
    if (column->shows == SIZE) return (double)run->bytes;
    for (size_t i = 0; !run->wrong && i < run->lanes; i++)
        if (!(run->loss[i] >= best)) best = run->loss[i];
    return best;
}

static int compare(gconstpointer a, gconstpointer b, gpointer data)
{
    const Column *column = data;
    const NsRecordedRun *left = run_of(a), *right = run_of(b);
    if (!column->number && column->shows != STARTED) {
        g_autofree char *one = cell_words(column, left);
        g_autofree char *other = cell_words(column, right);
        return g_utf8_collate(one, other);
    }
    double x = cell_number(column, left), y = cell_number(column, right);
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* ---- The table ---- */

G_DEFINE_FINAL_TYPE(NsRunLibrary, ns_run_library, GTK_TYPE_BOX)

static const NsRecordedRun *selected(NsRunLibrary *library)
{
    gpointer row = gtk_single_selection_get_selected_item(library->selection);
    return row ? run_of(row) : NULL;
}

static void setup_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
    (void)factory;
    const Column *column = data;
    GtkWidget *label = ns_line_label_new("", column->number ? "numeric" : NULL);
    if (column->number) gtk_label_set_xalign(GTK_LABEL(label), 1.0F);
    /* These columns are never cut off: part of a number, a name or a date would be misread. */
    if (column->number || column->shows == STARTED || column->shows == NAME)
        gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_NONE);
    gtk_label_set_wrap(GTK_LABEL(label), column->shows == NAME);
    if (column->shows == NAME) gtk_label_set_width_chars(GTK_LABEL(label), NAME_CHARS);
    gtk_list_item_set_child(item, label);
}

static void bind_cell(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
    (void)factory;
    const Column *column = data;
    const NsRecordedRun *run = run_of(gtk_list_item_get_item(item));
    GtkWidget *label = gtk_list_item_get_child(item);
    g_autofree char *words = cell_words(column, run);
    gtk_label_set_text(GTK_LABEL(label), words);
    g_autofree char *whole = g_strdup(words);
    if (column->shows == NAME && run->title) {
        g_free(whole);
        whole =
            g_str_equal(words, run->title)
                ? g_strconcat(words, NS_TOOLTIP_LINE, run->name, NULL)
                : g_strconcat(words, NS_TOOLTIP_LINE, run->title, NS_TOOLTIP_LINE, run->name, NULL);
    }
    gtk_widget_set_tooltip_text(label, whole);
}

/* ---- Pinned runs ---- */

static void sync_pin(NsRunLibrary *library, GtkListItem *item)
{
    const NsRecordedRun *run = run_of(gtk_list_item_get_item(item));
    GtkWidget *pin = gtk_list_item_get_child(item);
    bool pinned =
        library->pinned && g_strv_contains((const char *const *)library->pinned, run->path);
    library->syncs = true;
    gtk_check_button_set_active(GTK_CHECK_BUTTON(pin), pinned);
    library->syncs = false;
    gtk_widget_set_sensitive(pin, !run->wrong);
}

static void on_pin(GtkCheckButton *pin, GtkListItem *item)
{
    NsRunLibrary *library =
        NS_RUN_LIBRARY(gtk_widget_get_ancestor(GTK_WIDGET(pin), NS_TYPE_RUN_LIBRARY));
    if (!library || library->syncs) return;
    library->pinning = true;
    g_signal_emit_by_name(library, "pin", run_of(gtk_list_item_get_item(item))->path);
    library->pinning = false;
    sync_pin(library, item); /* there may have been no space for its curves */
}

static void setup_pin(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
    (void)factory, (void)data;
    GtkWidget *pin = gtk_check_button_new();
    ns_accessible_name(pin, _("Pin"));
    gtk_widget_set_halign(pin, GTK_ALIGN_CENTER);
    gtk_widget_set_tooltip_text(pin, _("Draw the curves of the run muted beside those of the "
                                       "current one; at most eight can be shown"));
    g_signal_connect(pin, "toggled", G_CALLBACK(on_pin), item);
    gtk_list_item_set_child(item, pin);
}

static void bind_pin(GtkSignalListItemFactory *factory, GtkListItem *item, NsRunLibrary *library)
{
    (void)factory;
    g_ptr_array_add(library->pins, item);
    sync_pin(library, item);
}

static void unbind_pin(GtkSignalListItemFactory *factory, GtkListItem *item, NsRunLibrary *library)
{
    (void)factory;
    g_ptr_array_remove(library->pins, item);
}

void ns_run_library_set_pinned(NsRunLibrary *library, const char *const *paths)
{
    g_strfreev(library->pinned);
    library->pinned = g_strdupv((char **)(uintptr_t)paths);
    for (guint i = 0; i < library->pins->len; i++) sync_pin(library, library->pins->pdata[i]);
    if (!library->pinning) ns_run_library_reload(library);
}

static const char *setting_title(const NsRunColumn *setting)
{
    return setting->param ? _(setting->param->label) : setting->key;
}

static void add_column(NsRunLibrary *library, const Column *column)
{
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(setup_cell), (gpointer)(guintptr)column);
    g_signal_connect(factory, "bind", G_CALLBACK(bind_cell), (gpointer)(guintptr)column);
    g_autoptr(GtkColumnViewColumn) shown = gtk_column_view_column_new(
        column->setting ? setting_title(column->setting) : _(column->title), factory);
    g_autoptr(GtkSorter) sorter =
        GTK_SORTER(gtk_custom_sorter_new(compare, (gpointer)(guintptr)column, NULL));
    gtk_column_view_column_set_sorter(shown, sorter);
    gtk_column_view_column_set_resizable(shown, TRUE);
    gtk_column_view_column_set_expand(shown, column->wide);
    gtk_column_view_append_column(GTK_COLUMN_VIEW(library->table), shown);
}

/* Makes a column of each setting that differs, after the results. */
static void sync_columns(NsRunLibrary *library)
{
    g_autoptr(GPtrArray) settings = ns_run_columns(library->runs);
    guint n = MIN(settings->len, SETTINGS_MOST);
    GtkColumnView *table = GTK_COLUMN_VIEW(library->table);
    GListModel *shown = gtk_column_view_get_columns(table);
    bool same = n == library->columns->len && g_list_model_get_n_items(shown) > 0;
    for (guint i = 0; same && i < n; i++) {
        const NsRunColumn *shows = ((const Column *)library->columns->pdata[i])->setting;
        const NsRunColumn *setting = settings->pdata[i];
        same = shows->param == setting->param && shows->number == setting->number &&
               g_str_equal(shows->key, setting->key);
    }
    if (same) return;
    for (guint left = g_list_model_get_n_items(shown); left > 0; left--) {
        g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(shown, left - 1);
        gtk_column_view_remove_column(table, column);
    }
    g_ptr_array_set_size(library->columns, 0);
    g_ptr_array_unref(library->settings);
    library->settings = g_steal_pointer(&settings);
    for (guint i = 0; i < n; i++) {
        const NsRunColumn *setting = library->settings->pdata[i];
        const Column column = {SETTING, NULL, setting->number, false, setting};
        g_ptr_array_add(library->columns, g_memdup2(&column, sizeof column));
    }
    library->syncs = true;
    GtkStringList *colors = gtk_string_list_new(NULL);
    gtk_string_list_append(colors, _("nothing"));
    for (guint i = 0; i < n; i++)
        gtk_string_list_append(colors, setting_title(library->settings->pdata[i]));
    gtk_drop_down_set_model(GTK_DROP_DOWN(library->color), G_LIST_MODEL(colors));
    g_object_unref(colors);
    gtk_widget_set_visible(gtk_widget_get_parent(library->color), n > 0);
    library->syncs = false;
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(setup_pin), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(bind_pin), library);
    g_signal_connect(factory, "unbind", G_CALLBACK(unbind_pin), library);
    g_autoptr(GtkColumnViewColumn) pins = gtk_column_view_column_new(_("Pin"), factory);
    gtk_column_view_append_column(table, pins);
    for (size_t i = 0; i < G_N_ELEMENTS(BEFORE); i++) add_column(library, &BEFORE[i]);
    for (guint i = 0; i < n; i++) add_column(library, library->columns->pdata[i]);
    for (size_t i = 0; i < G_N_ELEMENTS(AFTER); i++) add_column(library, &AFTER[i]);
}

/* ---- Changing, on a thread ---- */

typedef struct {
    char *path, *key, *value; /* no key: to the trash */
} Change;

static void change_free(gpointer data)
{
    Change *change = data;
    g_free(change->path);
    g_free(change->key);
    g_free(change->value);
    g_free(change);
}

static void make_change(GTask *task, gpointer library, gpointer data, GCancellable *cancellable)
{
    (void)library, (void)cancellable;
    const Change *change = data;
    GError *error = NULL;
    bool done = change->key ? ns_run_note_write(change->path, change->key, change->value, &error)
                            : ns_library_trash(change->path, &error);
    if (done)
        g_task_return_boolean(task, TRUE);
    else
        g_task_return_error(task, error);
}

static void on_changed(GObject *object, GAsyncResult *result, gpointer data)
{
    (void)data;
    NsRunLibrary *library = NS_RUN_LIBRARY(object);
    g_autoptr(GError) error = NULL;
    bool done = g_task_propagate_boolean(G_TASK(result), &error);
    if (!gtk_widget_get_root(GTK_WIDGET(library))) return; /* its window has gone */
    if (done)
        ns_run_library_reload(library);
    else
        gtk_label_set_text(GTK_LABEL(library->used), error->message);
}

static void change_run(NsRunLibrary *library, const char *key, const char *value)
{
    if (!library->chosen) return;
    Change *change = g_new0(Change, 1);
    *change = (Change){g_strdup(library->chosen), g_strdup(key), g_strdup(value)};
    g_autoptr(GTask) task = g_task_new(library, NULL, on_changed, NULL);
    g_task_set_task_data(task, change, change_free);
    g_task_run_in_thread(task, make_change);
}

/* ---- The run that is selected ---- */

static void set_note(GtkWidget *entry, const char *text)
{
    gtk_editable_set_text(GTK_EDITABLE(entry), text ? text : "");
}

static void save_note(NsRunLibrary *library, const char *key, GtkWidget *entry, const char *stored)
{
    const char *typed = gtk_editable_get_text(GTK_EDITABLE(entry));
    if (!g_str_equal(typed, stored ? stored : "")) change_run(library, key, typed);
}

/* Notes about a run are saved with Enter, and when another widget gets the focus. */
static void save_notes(NsRunLibrary *library)
{
    for (guint i = 0; library->chosen && i < library->runs->len; i++) {
        const NsRecordedRun *run = library->runs->pdata[i];
        if (run->wrong || !g_str_equal(run->path, library->chosen)) continue;
        save_note(library, NS_RUN_NOTE_NAME, library->given, run->given);
        save_note(library, NS_RUN_NOTE_TAGS, library->tags, run->tags);
        save_note(library, NS_RUN_NOTE_TEXT, library->text, run->text);
    }
}

static void sync_selected(NsRunLibrary *library)
{
    if (library->filling) return;
    const NsRecordedRun *run = selected(library);
    bool usable = run && !run->wrong, own = usable && run->kind == NS_RECORDED_FILE;
    /* The disk space of the runs, or the reason why a run cannot be read. */
    guint n = library->runs->len;
    g_autofree char *bytes =
        g_format_size_full(ns_library_bytes(library->runs), G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *words =
        n ? g_strdup_printf(ns_plural("%u run, %s", "%u runs, %s", n), n, bytes) : g_strdup("");
    const char *folder = library->shown_folder; /* NULL before the first one is shown */
    g_autofree char *name = g_filename_display_basename(folder ? folder : "");
    g_autofree char *other = g_strdup_printf(_("There are no runs in “%s”."), name);
    const char *empty = gtk_widget_get_visible(library->own) ? other
                        : gtk_switch_get_active(GTK_SWITCH(library->record))
                            ? _("No run has been saved yet: train one, and it will appear here.")
                            : _("No run has been saved yet. Turn on “Save every run” below: the "
                                "runs that you train then appear here.");
    gtk_label_set_text(GTK_LABEL(library->empty), n ? "" : empty);
    gtk_label_set_text(GTK_LABEL(library->used), run && run->wrong ? run->wrong : words);
    gtk_widget_set_sensitive(library->open, usable);
    gtk_widget_set_sensitive(library->trash, run != NULL);
    gtk_widget_set_sensitive(library->given, own);
    gtk_widget_set_sensitive(library->tags, own);
    gtk_widget_set_sensitive(library->text, own);
    if (g_strcmp0(library->chosen, run ? run->path : NULL) == 0) return;
    save_notes(library);
    g_free(library->chosen);
    library->chosen = run ? g_strdup(run->path) : NULL;
    set_note(library->given, run ? run->given : NULL);
    set_note(library->tags, run ? run->tags : NULL);
    set_note(library->text, run ? run->text : NULL);
}

static void open_selected(NsRunLibrary *library)
{
    const NsRecordedRun *run = selected(library);
    if (run && !run->wrong) g_signal_emit_by_name(library, "open", run->path);
}

/* ---- Colors of pinned runs ---- */

static void on_color(NsRunLibrary *library)
{
    if (library->syncs) return;
    guint chosen = gtk_drop_down_get_selected(GTK_DROP_DOWN(library->color));
    const Column *column =
        chosen > 0 && chosen <= library->columns->len ? library->columns->pdata[chosen - 1] : NULL;
    g_autoptr(GHashTable) marks =
        column ? ns_library_marks(library->runs, column->setting, setting_title(column->setting))
               : NULL;
    g_signal_emit_by_name(library, "marks", marks);
}

/* ---- Reading, on a thread ---- */

static void read_folder(GTask *task, gpointer library, gpointer folder, GCancellable *cancellable)
{
    (void)library, (void)cancellable;
    g_task_return_pointer(task, ns_library_list(folder, true), (GDestroyNotify)g_ptr_array_unref);
}

static void fill(NsRunLibrary *library)
{
    /* While the rows are replaced the selection stays, and so does text that is being typed. */
    library->filling = true;
    g_list_store_remove_all(library->store);
    sync_columns(library);
    for (guint i = 0; i < library->runs->len; i++) {
        /* A row has its run, and keeps the list that owns it. */
        g_autoptr(GObject) row = g_object_new(G_TYPE_OBJECT, NULL);
        g_object_set_data_full(row, RUNS, g_ptr_array_ref(library->runs),
                               (GDestroyNotify)g_ptr_array_unref);
        g_object_set_data(row, RUN, library->runs->pdata[i]);
        g_list_store_append(library->store, row);
    }
    GListModel *shown = G_LIST_MODEL(library->selection);
    for (guint i = 0; library->chosen && i < g_list_model_get_n_items(shown); i++) {
        g_autoptr(GObject) row = g_list_model_get_item(shown, i);
        if (g_str_equal(run_of(row)->path, library->chosen))
            gtk_single_selection_set_selected(library->selection, i);
    }
    library->filling = false;
    sync_selected(library);
}

static void on_read(GObject *object, GAsyncResult *result, gpointer data)
{
    (void)data;
    NsRunLibrary *library = NS_RUN_LIBRARY(object);
    GPtrArray *runs = g_task_propagate_pointer(G_TASK(result), NULL);
    library->reading = false;
    if (!runs) return; /* its window has gone */
    /* If no run has changed, the table stays where it was scrolled to. */
    bool same = runs->len && runs->len == library->runs->len;
    for (guint i = 0; same && i < runs->len; i++) {
        const NsRecordedRun *a = library->runs->pdata[i], *b = runs->pdata[i];
        same = g_str_equal(a->path, b->path) && a->bytes == b->bytes && a->last == b->last &&
               memcmp(a->loss, b->loss, sizeof a->loss) == 0 && !g_strcmp0(a->wrong, b->wrong) &&
               !g_strcmp0(a->differs, b->differs) && !g_strcmp0(a->given, b->given) &&
               !g_strcmp0(a->tags, b->tags) && !g_strcmp0(a->text, b->text);
    }
    GPtrArray *unused = same ? runs : library->runs;
    if (!same) library->runs = runs;
    g_ptr_array_unref(unused);
    if (!same) fill(library);
    if (library->again) ns_run_library_reload(library);
}

void ns_run_library_reload(NsRunLibrary *library)
{
    library->again = library->reading;
    if (library->reading) return;
    library->reading = true;
    g_autoptr(GTask) task = g_task_new(library, library->cancellable, on_read, NULL);
    g_task_set_task_data(task, g_strdup(library->shown_folder), g_free);
    g_task_run_in_thread(task, read_folder);
}

/* ---- Buttons and entries ---- */

/* Names a folder that is not the one of saved runs in the title of the window. */
static void sync_title(NsRunLibrary *library)
{
    GtkRoot *window = gtk_widget_get_root(GTK_WIDGET(library));
    g_autofree char *path = g_filename_display_name(library->shown_folder);
    bool own = g_str_equal(library->shown_folder, library->own_folder);
    gtk_widget_set_visible(library->own, !own);
    if (window) gtk_window_set_title(GTK_WINDOW(window), own ? _("Saved runs") : path);
}

static void on_folder(const char *path, gpointer owner)
{
    NsRunLibrary *library = owner;
    g_autofree char *replaced = library->shown_folder; /* may be `path` */
    library->shown_folder = g_strdup(path);
    sync_title(library);
    ns_run_library_reload(library);
    g_signal_emit_by_name(library, "folder", path);
}

void ns_run_library_show(NsRunLibrary *library, const char *folder)
{
    on_folder(folder, library);
}

static void choose_folder(NsRunLibrary *library, const GtkWidget *button)
{
    if (button == library->own)
        on_folder(library->own_folder, library);
    else
        ns_file_dialog_folder(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(library))),
                              _("Choose a folder of runs"), on_folder, library);
}

static void on_csv(const char *path, gpointer owner)
{
    NsRunLibrary *library = owner;
    g_autoptr(GError) error = NULL;
    g_autofree char *name = g_filename_display_basename(path);
    g_autofree char *words = ns_run_table_write(library->runs, path, &error)
                                 ? g_strdup_printf(_("The table is in “%s”."), name)
                                 : g_strdup(error->message);
    gtk_label_set_text(GTK_LABEL(library->used), words);
}

static void choose_csv(NsRunLibrary *library)
{
    ns_file_dialog_save(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(library))),
                        _("Export the table as CSV"), "runs.csv", on_csv, library);
}

static void on_trash(NsRunLibrary *library)
{
    change_run(library, NULL, NULL);
}

/* ---- Searching and keeping ---- */

static gboolean is_shown(gpointer row, gpointer data)
{
    NsRunLibrary *library = data;
    return ns_library_matches(run_of(row), gtk_editable_get_text(GTK_EDITABLE(library->search)));
}

static void on_searched(NsRunLibrary *library)
{
    gtk_filter_changed(library->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

static void on_recording(NsRunLibrary *library)
{
    sync_selected(library);
    double gib = gtk_spin_button_get_value(GTK_SPIN_BUTTON(library->bound));
    double mib = gtk_spin_button_get_value(GTK_SPIN_BUTTON(library->checkpoints));
    g_signal_emit_by_name(library, "recording", gtk_switch_get_active(GTK_SWITCH(library->record)),
                          (guint64)(gib * GIB), (guint64)(mib * MIB));
}

void ns_run_library_set_recording(NsRunLibrary *library, bool recording, guint64 most_bytes,
                                  size_t checkpoint_bytes)
{
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(library->checkpoints),
                              (double)checkpoint_bytes / MIB);
    gtk_switch_set_active(GTK_SWITCH(library->record), recording);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(library->bound), (double)most_bytes / GIB);
}

/* ---- Parts ---- */

static GtkWidget *named(const char *name, GtkWidget *widget, GtkWidget *row)
{
    GtkWidget *label = gtk_label_new_with_mnemonic(name);
    gtk_label_set_mnemonic_widget(GTK_LABEL(label), widget);
    gtk_widget_set_valign(widget, GTK_ALIGN_CENTER);
    gtk_accessible_update_relation(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                   label, NULL, -1);
    ns_box_append(row, label, widget, NULL);
    return widget;
}

static GtkWidget *make_row(NsRunLibrary *library)
{
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    gtk_box_append(GTK_BOX(library), row);
    return row;
}

static void make_search(NsRunLibrary *library)
{
    GtkWidget *row = make_row(library);
    library->search = ns_search_entry_new(_("Search the saved runs"));
    gtk_widget_set_hexpand(library->search, TRUE);
    library->open = ns_button_new(_("_Open"),
                                  _("Show the run with all its steps; Run continues it from its "
                                    "newest checkpoint (Enter)"),
                                  G_CALLBACK(open_selected), library);
    library->trash = ns_button_new(_("_Move to trash"), NULL, G_CALLBACK(on_trash), library);
    gtk_widget_add_css_class(library->open, "suggested-action");
    GtkWidget *color = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    library->color = named(_("Color b_y"), gtk_drop_down_new(NULL, NULL), color);
    gtk_widget_set_visible(color, FALSE); /* disabled until there are columns */
    gtk_widget_set_tooltip_text(library->color,
                                _("Pinned runs get the color of this setting's value, which the "
                                  "legend shows"));
    g_signal_connect_swapped(library->color, "notify::selected", G_CALLBACK(on_color), library);
    library->folder =
        ns_button_new(_("_Folder…"),
                      _("Show the runs of another folder, such as those of a sweep: run "
                        "files, logs, and folders with one log each"),
                      G_CALLBACK(choose_folder), library);
    library->csv =
        ns_button_new(_("CS_V…"), _("Export all runs and every setting that differs as a table"),
                      G_CALLBACK(choose_csv), library);
    library->own = ns_button_new(_("Saved _runs"), NULL, G_CALLBACK(choose_folder), library);
    gtk_widget_set_visible(library->own, FALSE);
    ns_box_append(row, library->search, library->open, library->trash, color, library->folder,
                  library->own, library->csv, NULL);
    g_signal_connect_swapped(library->search, "search-changed", G_CALLBACK(on_searched), library);
}

static void make_table(NsRunLibrary *library)
{
    library->store = g_list_store_new(G_TYPE_OBJECT);
    library->filter = GTK_FILTER(gtk_custom_filter_new(is_shown, library, NULL));
    GtkFilterListModel *filtered = gtk_filter_list_model_new(
        G_LIST_MODEL(g_object_ref(library->store)), g_object_ref(library->filter));
    GtkSortListModel *sorted = gtk_sort_list_model_new(G_LIST_MODEL(filtered), NULL);
    library->selection = gtk_single_selection_new(G_LIST_MODEL(g_object_ref(sorted)));
    GtkWidget *table = gtk_column_view_new(GTK_SELECTION_MODEL(g_object_ref(library->selection)));
    gtk_sort_list_model_set_sorter(sorted, gtk_column_view_get_sorter(GTK_COLUMN_VIEW(table)));
    g_object_unref(sorted);
    ns_accessible_name(table, _("Saved runs"));
    GtkWidget *scroller = gtk_scrolled_window_new();
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), table);
    gtk_widget_set_vexpand(scroller, TRUE);
    gtk_widget_add_css_class(scroller, "frame");
    GtkWidget *overlay = gtk_overlay_new();
    gtk_overlay_set_child(GTK_OVERLAY(overlay), scroller);
    library->empty = gtk_label_new(NULL);
    gtk_widget_set_can_target(library->empty, FALSE);
    gtk_overlay_add_overlay(GTK_OVERLAY(overlay), library->empty);
    gtk_box_append(GTK_BOX(library), overlay);
    library->table = table;
    g_signal_connect_swapped(table, "activate", G_CALLBACK(open_selected), library);
    g_signal_connect_swapped(library->selection, "notify::selected-item", G_CALLBACK(sync_selected),
                             library);
}

static void make_notes(NsRunLibrary *library)
{
    GtkWidget *row = make_row(library);
    library->given = named(_("N_ame"), gtk_entry_new(), row);
    library->tags = named(_("_Tags"), gtk_entry_new(), row);
    library->text = named(_("_Note"), gtk_entry_new(), row);
    gtk_widget_set_hexpand(library->text, TRUE);
    gtk_entry_set_placeholder_text(GTK_ENTRY(library->tags), _("lecture-3 keep"));
    gtk_widget_set_tooltip_text(library->tags,
                                _("Words separated by spaces. A run with a tag is never moved to "
                                  "the trash to free space."));
    GtkWidget *entries[] = {library->given, library->tags, library->text};
    for (size_t i = 0; i < G_N_ELEMENTS(entries); i++)
        g_signal_connect_swapped(entries[i], "activate", G_CALLBACK(save_notes), library);
    GtkEventController *focus = gtk_event_controller_focus_new();
    g_signal_connect_swapped(focus, "leave", G_CALLBACK(save_notes), library);
    gtk_widget_add_controller(row, focus);
}

static void make_footer(NsRunLibrary *library)
{
    GtkWidget *above = make_row(library), *row = make_row(library);
    library->used = ns_line_label_new("", "dim-label");
    gtk_widget_set_hexpand(library->used, TRUE);
    gtk_box_append(GTK_BOX(above), library->used);
    library->record = named(_("_Save every run"), gtk_switch_new(), above);
    gtk_widget_set_halign(row, GTK_ALIGN_END);
    library->bound =
        named(_("Limit in _GiB"), gtk_spin_button_new_with_range(0.0, BOUND_MOST, 1.0), row);
    gtk_widget_set_tooltip_text(library->bound, _("When saved runs take more than this, the oldest "
                                                  "without a tag are moved to the trash; 0: "
                                                  "no limit"));
    library->checkpoints = named(_("_Checkpoints in memory, MiB"),
                                 gtk_spin_button_new_with_range(1.0, CHECKPOINTS_MOST, 64.0), row);
    gtk_widget_set_tooltip_text(
        library->checkpoints,
        _("Memory limit for the checkpoints of this run and earlier runs together. Beyond it some "
          "are dropped, so fewer steps can be forked from"));
    g_signal_connect_swapped(library->checkpoints, "value-changed", G_CALLBACK(on_recording),
                             library);
    g_signal_connect_swapped(library->record, "notify::active", G_CALLBACK(on_recording), library);
    g_signal_connect_swapped(library->bound, "value-changed", G_CALLBACK(on_recording), library);
}

/* ---- Life ---- */

static void ns_run_library_dispose(GObject *object)
{
    NsRunLibrary *library = NS_RUN_LIBRARY(object);
    g_cancellable_cancel(library->cancellable);
    g_signal_handlers_disconnect_by_data(library->selection, library);
    G_OBJECT_CLASS(ns_run_library_parent_class)->dispose(object);
}

static void ns_run_library_finalize(GObject *object)
{
    NsRunLibrary *library = NS_RUN_LIBRARY(object);
    g_object_unref(library->selection);
    g_object_unref(library->filter);
    g_object_unref(library->store);
    g_ptr_array_unref(library->columns);
    g_ptr_array_unref(library->settings);
    g_ptr_array_unref(library->runs);
    g_object_unref(library->cancellable);
    g_free(library->own_folder);
    g_free(library->shown_folder);
    g_free(library->chosen);
    g_strfreev(library->pinned);
    g_ptr_array_unref(library->pins);
    G_OBJECT_CLASS(ns_run_library_parent_class)->finalize(object);
}

static void ns_run_library_class_init(NsRunLibraryClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = ns_run_library_dispose;
    G_OBJECT_CLASS(klass)->finalize = ns_run_library_finalize;
    ns_signal_new(NS_TYPE_RUN_LIBRARY, "open", 1, G_TYPE_STRING);
    ns_signal_new(NS_TYPE_RUN_LIBRARY, "pin", 1, G_TYPE_STRING);
    ns_signal_new(NS_TYPE_RUN_LIBRARY, "marks", 1, G_TYPE_HASH_TABLE);
    ns_signal_new(NS_TYPE_RUN_LIBRARY, "folder", 1, G_TYPE_STRING);
    ns_signal_new(NS_TYPE_RUN_LIBRARY, "recording", 3, G_TYPE_BOOLEAN, G_TYPE_UINT64,
                  G_TYPE_UINT64);
}

static void ns_run_library_init(NsRunLibrary *library)
{
    library->cancellable = g_cancellable_new();
    library->columns = g_ptr_array_new_with_free_func(g_free);
    library->settings = g_ptr_array_new();
    library->pins = g_ptr_array_new();
    library->runs = g_ptr_array_new();
    make_search(library);
    make_table(library);
    make_notes(library);
    make_footer(library);
    sync_selected(library);
}

GtkWidget *ns_run_library_new(const char *own, const char *folder, const char *const *pinned)
{
    NsRunLibrary *library = g_object_new(
        NS_TYPE_RUN_LIBRARY, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 10, "margin-top",
        12, "margin-bottom", 12, "margin-start", 12, "margin-end", 12, NULL);
    library->own_folder = g_strdup(own);
    library->pinned = g_strdupv((char **)(uintptr_t)pinned);
    on_folder(folder, library);
    g_signal_connect(library, "notify::root", G_CALLBACK(sync_title), NULL);
    return GTK_WIDGET(library);
}

/* ---- What others may ask ---- */

const NsRecordedRun *ns_run_library_row(NsRunLibrary *library, guint i)
{
    g_autoptr(GObject) row = g_list_model_get_item(G_LIST_MODEL(library->selection), i);
    return row ? run_of(row) : NULL;
}
