/* SPDX-License-Identifier: MIT */
#include "ui/widgets/pages/range_button.h"

#include "core/base/words.h"
#include "core/study/phase.h"
#include "ui/widgets/common/helpers.h"

#include <string.h>

#define CHARS 8

typedef struct {
    GtkWidget *entry; /* that is written to */
    GtkWidget *from, *to, *count, *log;
    bool syncing;
} Range;

static void on_changed(Range *range)
{
    const char *from = gtk_editable_get_text(GTK_EDITABLE(range->from));
    const char *to = gtk_editable_get_text(GTK_EDITABLE(range->to));
    bool log = gtk_check_button_get_active(GTK_CHECK_BUTTON(range->log));
    if (range->syncing || !*from || !*to) return;
    g_autofree char *text = g_strdup_printf(
        "%s:%s:%d:%s", from, to, gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(range->count)),
        log ? "log" : "linear");
    gtk_editable_set_text(GTK_EDITABLE(range->entry), text);
}

/* A range as it is; of a list its ends and its length. */
static void on_shown(Range *range)
{
    const char *text = gtk_editable_get_text(GTK_EDITABLE(range->entry));
    bool list = !strchr(text, ':');
    g_auto(GStrv) words = g_strsplit(text, list ? "," : ":", -1);
    guint n = g_strv_length(words);
    if (n < 2) return;
    range->syncing = true;
    gtk_editable_set_text(GTK_EDITABLE(range->from), g_strstrip(words[0]));
    gtk_editable_set_text(GTK_EDITABLE(range->to), g_strstrip(words[list ? n - 1 : 1]));
    double count = list ? n : n > 2 ? g_ascii_strtod(words[2], NULL) : 5.0;
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(range->count), count);
    bool linear = !list && n > 3 && g_str_equal(g_strstrip(words[3]), "linear");
    gtk_check_button_set_active(GTK_CHECK_BUTTON(range->log),
                                !linear && g_ascii_strtod(words[0], NULL) > 0.0);
    range->syncing = false;
}

static void add_field(GtkWidget *grid, int row, const char *label, GtkWidget *field)
{
    GtkWidget *name = gtk_label_new(label);
    gtk_label_set_xalign(GTK_LABEL(name), 0.0F);
    gtk_accessible_update_relation(GTK_ACCESSIBLE(field), GTK_ACCESSIBLE_RELATION_LABELLED_BY, name,
                                   NULL, -1);
    gtk_grid_attach(GTK_GRID(grid), name, 0, row, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), field, 1, row, 1, 1);
}

static GtkWidget *new_number(Range *range)
{
    GtkWidget *entry = gtk_entry_new();
    gtk_editable_set_width_chars(GTK_EDITABLE(entry), CHARS);
    g_signal_connect_swapped(entry, "changed", G_CALLBACK(on_changed), range);
    return entry;
}

GtkWidget *ns_range_button_new(GtkWidget *entry)
{
    GtkWidget *button = gtk_menu_button_new(), *popover = gtk_popover_new();
    GtkWidget *grid = ns_grid_new(6, 12);
    Range *range = g_new0(Range, 1);
    range->entry = entry;
    range->from = new_number(range);
    range->to = new_number(range);
    range->count = gtk_spin_button_new_with_range(2, NS_STUDY_VALUES, 1);
    range->log = gtk_check_button_new_with_label(_("Logarithmic spacing"));
    g_signal_connect_swapped(range->count, "value-changed", G_CALLBACK(on_changed), range);
    g_signal_connect_swapped(range->log, "toggled", G_CALLBACK(on_changed), range);
    add_field(grid, 0, _("From"), range->from);
    add_field(grid, 1, _("To"), range->to);
    add_field(grid, 2, _("Count"), range->count);
    gtk_grid_attach(GTK_GRID(grid), range->log, 0, 3, 2, 1);
    gtk_popover_set_child(GTK_POPOVER(popover), grid);
    g_signal_connect_swapped(popover, "show", G_CALLBACK(on_shown), range);
    ns_accessible_name(button, _("Range"));
    gtk_menu_button_set_popover(GTK_MENU_BUTTON(button), popover);
    gtk_widget_set_tooltip_text(
        button, _("Enter the first value, the last value and the number of values"));
    g_object_set_data_full(G_OBJECT(button), "ns-range", range, g_free);
    return button;
}
