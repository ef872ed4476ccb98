/* SPDX-License-Identifier: MIT */
#include "ui/widgets/common/text_label.h"

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
