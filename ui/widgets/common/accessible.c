/* SPDX-License-Identifier: MIT */
#include "ui/widgets/common/accessible.h"

void ns_accessible_name(GtkWidget *widget, const char *name)
{
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

void ns_accessible_tooltip(GtkWidget *widget, const char *words)
{
    gtk_widget_set_tooltip_text(widget, words);
    ns_accessible_name(widget, words);
}
