/* SPDX-License-Identifier: MIT */
#include "ui/widgets/learn/lesson_highlight.h"

#include "ui/widgets/charts/chart_tile.h"
#include "ui/widgets/settings/settings_pane.h"

#include <string.h>

#define POINTED_OUT "pointed-out"

static GtkWidget *find(GtkWidget *widget, const char *name)
{
    const char *id = NS_IS_CHART_TILE(widget)
                         ? NS_CHART_TILE(widget)->own.kind->choice.key
                         : gtk_buildable_get_buildable_id(GTK_BUILDABLE(widget));
    g_autofree char *button = g_strconcat(name, "_button", NULL);
    if (id && (g_str_equal(id, name) || g_str_equal(id, button))) return widget;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child)) {
        GtkWidget *found = find(child, name);
        if (found) return found;
    }
    return NULL;
}

GtkWidget *ns_lesson_part(GtkWidget *root, GtkWidget *settings_pane, const char *name)
{
    GtkWidget *row = ns_settings_pane_row(settings_pane, name);
    return row ? row : find(root, name);
}

/* A widget that was unfolded has its place at the end of the first frame. */
static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer frames)
{
    (void)clock;
    if (++*(unsigned *)frames < 2) return G_SOURCE_CONTINUE;
    /* Scrolls as little as necessary. */
    GtkWidget *scroller = gtk_widget_get_ancestor(widget, GTK_TYPE_SCROLLED_WINDOW);
    graphene_rect_t bounds;
    if (!scroller || !gtk_widget_compute_bounds(widget, scroller, &bounds)) return G_SOURCE_REMOVE;
    GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller));
    double top = gtk_adjustment_get_value(adjustment) + (double)bounds.origin.y;
    gtk_adjustment_clamp_page(adjustment, top - 8, top + (double)bounds.size.height + 8);
    return G_SOURCE_REMOVE;
}

void ns_lesson_point_out(GtkWidget *root, GtkWidget *widget)
{
    GtkWidget *before = g_object_get_data(G_OBJECT(root), POINTED_OUT);
    if (before) gtk_widget_remove_css_class(before, POINTED_OUT);
    g_object_set_data_full(G_OBJECT(root), POINTED_OUT, widget ? g_object_ref(widget) : NULL,
                           widget ? g_object_unref : NULL);
    if (!widget) return;
    gtk_widget_add_css_class(widget, POINTED_OUT);
    gtk_widget_add_tick_callback(widget, on_tick, g_new0(unsigned, 1), g_free);
}
