/* SPDX-License-Identifier: MIT */
#include "ui/widgets/common/accessible.h"

void ns_accessible_name(GtkWidget *widget, const char *name)
{
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

void ns_tooltip(GtkWidget *widget, const char *words)
{
    if (g_strcmp0(gtk_widget_get_tooltip_text(widget), words) == 0) return;
    bool hides = gtk_widget_get_visible(widget) && !gtk_widget_get_mapped(widget);
    if (hides) gtk_widget_set_visible(widget, FALSE);
    gtk_widget_set_tooltip_text(widget, words);
    if (hides) gtk_widget_set_visible(widget, TRUE);
}

void ns_accessible_tooltip(GtkWidget *widget, const char *words)
{
    ns_tooltip(widget, words);
    ns_accessible_name(widget, words);
}
