/* The right pane.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/inspector.h"

#include "core/base/words.h"

#define SAY_EVERY_US 200000 /* numbers that change faster cannot be read */

struct _NsInspector {
    GtkBox parent;
    GtkWidget *readings, *pins, *events, *runs;
    NsChartTile *pointed; /* weak */
    gint64 said;
};

G_DEFINE_FINAL_TYPE(NsInspector, ns_inspector, GTK_TYPE_BOX)

void ns_inspector_point(NsInspector *inspector, NsChartTile *tile)
{
    g_set_weak_pointer(&inspector->pointed, tile);
}

/* A section without contents has no heading either. */
static void show_section(GtkWidget *contents, bool shown)
{
    gtk_widget_set_visible(contents, shown);
    gtk_widget_set_visible(gtk_widget_get_prev_sibling(contents), shown);
}

void ns_inspector_sync(NsInspector *inspector, NsPage *page, bool at_once)
{
    gint64 now = g_get_monotonic_time();
    if (!at_once && now - inspector->said < SAY_EVERY_US) return;
    if (!gtk_widget_get_mapped(GTK_WIDGET(inspector))) return;
    inspector->said = now;
    NsChartTile *tile = inspector->pointed;
    if (tile && !gtk_widget_is_ancestor(GTK_WIDGET(tile), GTK_WIDGET(page))) tile = NULL;
    ns_reading_table_sync(NS_READING_TABLE(inspector->readings),
                          tile ? tile : ns_page_current(page));
    bool pins = ns_pin_list_sync(NS_PIN_LIST(inspector->pins),
                                 NS_IS_DASHBOARD(page) ? NS_DASHBOARD(page) : NULL);
    show_section(inspector->pins, pins);
    show_section(inspector->runs, ns_run_tree_sync(NS_RUN_TREE(inspector->runs)));
    show_section(inspector->events, ns_event_list_sync(NS_EVENT_LIST(inspector->events)));
}

static void ns_inspector_dispose(GObject *object)
{
    g_clear_weak_pointer(&NS_INSPECTOR(object)->pointed);
    G_OBJECT_CLASS(ns_inspector_parent_class)->dispose(object);
}

static void ns_inspector_class_init(NsInspectorClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = ns_inspector_dispose;
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "inspector");
}

static void ns_inspector_init(NsInspector *inspector)
{
    (void)inspector;
}

static void add_section(NsInspector *inspector, const char *title, GtkWidget *contents)
{
    GtkWidget *label = gtk_label_new(title);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0F);
    gtk_widget_add_css_class(label, "heading");
    gtk_accessible_update_relation(GTK_ACCESSIBLE(contents), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                   label, NULL, -1);
    gtk_box_append(GTK_BOX(inspector), label);
    gtk_box_append(GTK_BOX(inspector), contents);
}

GtkWidget *ns_inspector_new(NsSession *session)
{
    NsInspector *inspector = g_object_new(NS_TYPE_INSPECTOR, "orientation",
                                          GTK_ORIENTATION_VERTICAL, "spacing", 6, NULL);
    inspector->readings = ns_reading_table_new(session);
    inspector->pins = ns_pin_list_new();
    inspector->events = ns_event_list_new(session);
    inspector->runs = ns_run_tree_new(session);
    gtk_box_append(GTK_BOX(inspector), inspector->readings);
    add_section(inspector, _("Pinned readings"), inspector->pins);
    add_section(inspector, _("Runs"), inspector->runs);
    add_section(inspector, _("Events"), inspector->events); /* last: it moves nothing */
    return GTK_WIDGET(inspector);
}
