/* SPDX-License-Identifier: MIT */
#include "ui/widgets/common/text_label.h"

#include <string.h>

GtkWidget *ns_text_label_new(const char *text, const char *css_class)
{
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0F);
    if (css_class) gtk_widget_add_css_class(label, css_class);
    return label;
}

GtkWidget *ns_line_label_new(const char *text, const char *css_class)
{
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0F);
    if (css_class) gtk_widget_add_css_class(label, css_class);
    return label;
}

void ns_text_label_set(GtkWidget *label, const char *text)
{
    if (!g_str_equal(gtk_label_get_text(GTK_LABEL(label)), text))
        gtk_label_set_text(GTK_LABEL(label), text);
}

void ns_text_label_set_sentence(GtkWidget *label, const char *sentence)
{
    g_autofree char *escaped = g_markup_escape_text(sentence, -1);
    g_autoptr(GString) markup = g_string_new(NULL);
    for (const char *at = escaped; *at; at++) {
        size_t length = *at == '_' ? strspn(at + 1, G_CSET_A_2_Z G_CSET_a_2_z) : 0;
        if (length == 0)
            g_string_append_c(markup, *at);
        else
            g_string_append_printf(markup, "<sub>%.*s</sub>", (int)length, at + 1);
        at += length;
    }
    gtk_label_set_markup(GTK_LABEL(label), markup->str);
}
