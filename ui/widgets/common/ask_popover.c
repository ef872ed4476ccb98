/* Asks for one number.  SPDX-License-Identifier: MIT */
#include "ui/widgets/common/ask_popover.h"

#include "core/base/words.h"
#include "ui/widgets/common/passing_popover.h"
#include "ui/widgets/common/text_label.h"

#include <math.h>

#define CHARS 8

typedef struct {
    const NsAsk *ask;
    gpointer data;
    GtkWidget *popover, *entry, *hint;
} Question;

static void on_answer(Question *question)
{
    g_autofree char *text =
        g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(question->entry))));
    char *end = NULL;
    double number = g_ascii_strtod(text, &end);
    if (*text && !*end && isfinite(number) && question->ask->take(number, question->data)) {
        gtk_popover_popdown(GTK_POPOVER(question->popover));
        return;
    }
    gtk_label_set_text(GTK_LABEL(question->hint), _(question->ask->refusal));
    gtk_widget_set_visible(question->hint, TRUE);
}

static GtkWidget *make_contents(Question *question)
{
    GtkWidget *grid = gtk_grid_new();
    GtkWidget *label = gtk_label_new(_(question->ask->question));
    GtkWidget *button = gtk_button_new_with_label(_(question->ask->answer));
    question->entry = gtk_entry_new();
    question->hint = ns_text_label_new(NULL, "error");
    gtk_editable_set_text(GTK_EDITABLE(question->entry), question->ask->start);
    gtk_editable_set_width_chars(GTK_EDITABLE(question->entry), CHARS);
    gtk_accessible_update_relation(GTK_ACCESSIBLE(question->entry),
                                   GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
    gtk_widget_add_css_class(button, "suggested-action");
    gtk_label_set_max_width_chars(GTK_LABEL(question->hint), 32);
    gtk_widget_set_visible(question->hint, FALSE);
    gtk_widget_add_css_class(grid, "ask");
    gtk_grid_set_row_spacing(GTK_GRID(grid), 6);
    gtk_grid_set_column_spacing(GTK_GRID(grid), 8);
    gtk_grid_attach(GTK_GRID(grid), label, 0, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), question->entry, 1, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), button, 2, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), question->hint, 0, 1, 3, 1);
    g_signal_connect_swapped(question->entry, "activate", G_CALLBACK(on_answer), question);
    g_signal_connect_swapped(button, "clicked", G_CALLBACK(on_answer), question);
    return grid;
}

GtkWidget *ns_ask_popover(GtkWidget *at, const NsAsk *ask, gpointer data)
{
    Question *question = g_new0(Question, 1);
    GtkWidget *popover = gtk_popover_new();
    *question = (Question){.ask = ask, .data = data, .popover = popover};
    g_object_set_data_full(G_OBJECT(popover), "ns-question", question, g_free);
    gtk_popover_set_child(GTK_POPOVER(popover), make_contents(question));
    ns_popover_pass(popover, at, NULL);
    gtk_widget_grab_focus(question->entry);
    return popover;
}
