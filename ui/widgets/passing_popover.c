/* A popover that is there as long as it is open.  SPDX-License-Identifier: MIT */
#include "ui/widgets/passing_popover.h"

void ns_popover_part(GtkWidget *popover)
{
    gtk_widget_set_sensitive(popover, FALSE);
}

static gboolean let_go(gpointer popover)
{
    ns_popover_part(popover);
    gtk_widget_unparent(popover);
    return G_SOURCE_REMOVE;
}

/* It must not go while it tells that it was closed, nor while it is what the pointer is over: when
 * this event is done. */
static void on_closed(GtkWidget *popover)
{
    g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, let_go, g_object_ref(popover), g_object_unref);
}

void ns_popover_pass(GtkWidget *popover, GtkWidget *at, const GdkRectangle *place)
{
    gtk_widget_set_parent(popover, at);
    if (place) gtk_popover_set_pointing_to(GTK_POPOVER(popover), place);
    g_signal_connect(popover, "closed", G_CALLBACK(on_closed), NULL);
    /* Widgets do not let go of a child that they do not know of. */
    g_signal_connect_object(at, "destroy", G_CALLBACK(gtk_widget_unparent), popover,
                            G_CONNECT_SWAPPED);
    gtk_popover_popup(GTK_POPOVER(popover));
}
