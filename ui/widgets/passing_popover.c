/* A popover that is there as long as it is open.  SPDX-License-Identifier: MIT */
#include "ui/widgets/passing_popover.h"

static const char BEFORE[] = "ns-focus-before";

static bool has_focus(GtkWidget *popover, GtkRoot *root)
{
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
    return focus && gtk_widget_is_ancestor(focus, popover);
}

static void leave(GtkWidget *popover, GtkWidget *to)
{
    GtkRoot *root = gtk_widget_get_root(popover);
    if (!has_focus(popover, root)) return;
    if (to && gtk_widget_get_mapped(to)) gtk_widget_grab_focus(to);
    if (has_focus(popover, root)) gtk_root_set_focus(root, NULL);
}

static void free_before(gpointer before)
{
    g_weak_ref_clear(before);
    g_free(before);
}

static void remember_focus(GtkWidget *popover, GtkWidget *at)
{
    GtkRoot *root = gtk_widget_get_root(at);
    GWeakRef *before = g_new0(GWeakRef, 1);
    g_weak_ref_init(before, root ? gtk_root_get_focus(root) : NULL);
    g_object_set_data_full(G_OBJECT(popover), BEFORE, before, free_before);
}

static void give_focus_back(GtkWidget *popover)
{
    g_autoptr(GtkWidget) before = g_weak_ref_get(g_object_get_data(G_OBJECT(popover), BEFORE));
    leave(popover, before);
}

void ns_popover_part(GtkWidget *popover)
{
    leave(popover, gtk_widget_get_parent(popover));
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
    give_focus_back(popover);
    g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, let_go, g_object_ref(popover), g_object_unref);
}

void ns_popover_pass(GtkWidget *popover, GtkWidget *at, const GdkRectangle *place)
{
    remember_focus(popover, at);
    gtk_widget_set_parent(popover, at);
    if (place) gtk_popover_set_pointing_to(GTK_POPOVER(popover), place);
    g_signal_connect(popover, "closed", G_CALLBACK(on_closed), NULL);
    /* Widgets do not let go of a child that they do not know of. */
    g_signal_connect_object(at, "destroy", G_CALLBACK(gtk_widget_unparent), popover,
                            G_CONNECT_SWAPPED);
    gtk_popover_popup(GTK_POPOVER(popover));
}
