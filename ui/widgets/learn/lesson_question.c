/* SPDX-License-Identifier: MIT */
#include "ui/widgets/learn/lesson_question.h"

#include "core/base/words.h"
#include "ui/widgets/common/helpers.h"

#define VERDICT "ns-verdict"
#define CARD "ns-card"
#define PLACE "ns-place"

#define MOST_CHARS 46

static GtkWidget *new_label(const char *text, const char *style)
{
    GtkWidget *label = ns_text_label_new(text, style);
    gtk_label_set_width_chars(GTK_LABEL(label), 16);
    gtk_label_set_max_width_chars(GTK_LABEL(label), MOST_CHARS);
    return label;
}

/* Its label wraps, so that a long answer does not take room from the chart. */
static GtkWidget *new_choice(const char *words)
{
    GtkWidget *choice = gtk_check_button_new_with_label(words);
    GtkLabel *label = GTK_LABEL(gtk_widget_get_last_child(choice));
    gtk_label_set_wrap(label, TRUE);
    gtk_label_set_max_width_chars(label, MOST_CHARS);
    return choice;
}

static void on_choice(GtkCheckButton *choice, GtkWidget *question)
{
    if (!gtk_check_button_get_active(choice)) return;
    GtkWidget *verdict = g_object_get_data(G_OBJECT(question), VERDICT);
    const NsCard *card = g_object_get_data(G_OBJECT(question), CARD);
    size_t place = GPOINTER_TO_SIZE(g_object_get_data(G_OBJECT(choice), PLACE));
    const char *why = _(card->why[place]);
    g_autofree char *words = place == card->right ? g_strdup_printf(_("Yes. %s"), why)
                                                  : g_strdup_printf(_("Not quite. %s"), why);
    gtk_label_set_text(GTK_LABEL(verdict), words);
    gtk_widget_set_visible(verdict, TRUE);
}

GtkWidget *ns_lesson_question_new(const NsCard *card, GCallback changed, gpointer data)
{
    GtkWidget *question = gtk_box_new(GTK_ORIENTATION_VERTICAL, 3);
    gtk_widget_add_css_class(question, "question");
    gtk_box_append(GTK_BOX(question), new_label(_(card->ask), "row-title"));
    GtkWidget *first = NULL, *verdict = new_label(NULL, NULL);
    g_object_set_data(G_OBJECT(question), VERDICT, verdict);
    g_object_set_data(G_OBJECT(question), CARD, (gpointer)(guintptr)card);
    for (size_t i = 0; i < card->n_choices; i++) {
        GtkWidget *choice = new_choice(_(card->choices[i]));
        if (first) gtk_check_button_set_group(GTK_CHECK_BUTTON(choice), GTK_CHECK_BUTTON(first));
        if (!first) first = choice;
        g_object_set_data(G_OBJECT(choice), PLACE, GSIZE_TO_POINTER(i));
        g_signal_connect(choice, "toggled", G_CALLBACK(on_choice), question);
        g_signal_connect_data(choice, "toggled", changed, data, NULL,
                              G_CONNECT_SWAPPED | G_CONNECT_AFTER);
        gtk_box_append(GTK_BOX(question), choice);
    }
    gtk_widget_set_visible(verdict, FALSE);
    gtk_box_append(GTK_BOX(question), verdict);
    return question;
}

bool ns_lesson_question_is_answered(GtkWidget *question)
{
    return gtk_widget_get_visible(g_object_get_data(G_OBJECT(question), VERDICT));
}
