/* SPDX-License-Identifier: MIT */
#include "ui/widgets/diagram/diagram_lanes.h"

#include "ui/widgets/common/helpers.h"

#define LANE 300 /* minimum width in pixels if there are several */
#define GAP 12

struct _NsDiagramLanes {
    GtkWidget parent;
    size_t active;
    bool abreast;
    guint telling;
};

G_DEFINE_FINAL_TYPE(NsDiagramLanes, ns_diagram_lanes, GTK_TYPE_WIDGET)

static int count(GtkWidget *widget)
{
    int n = 0;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        n++;
    return n;
}

void ns_diagram_lanes_add(NsDiagramLanes *lanes, GtkWidget *child)
{
    gtk_widget_set_parent(child, GTK_WIDGET(lanes));
}

void ns_diagram_lanes_set_active(NsDiagramLanes *lanes, size_t lane)
{
    if (lanes->active == lane) return;
    lanes->active = lane;
    gtk_widget_queue_allocate(GTK_WIDGET(lanes));
}

bool ns_diagram_lanes_abreast(NsDiagramLanes *lanes)
{
    return lanes->abreast;
}

static void ns_diagram_lanes_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                     int *minimum, int *natural, int *minimum_baseline,
                                     int *natural_baseline)
{
    (void)for_size;
    int least = 0, one;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child)) {
        gtk_widget_measure(child, orientation, -1, &one, NULL, NULL, NULL);
        least = MAX(least, one);
    }
    *minimum = *natural = least;
    *minimum_baseline = *natural_baseline = -1;
}

static gboolean tell(gpointer data)
{
    NsDiagramLanes *lanes = data;
    lanes->telling = 0;
    g_signal_emit_by_name(lanes, "folded");
    return G_SOURCE_REMOVE;
}

static void ns_diagram_lanes_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    NsDiagramLanes *lanes = NS_DIAGRAM_LANES(widget);
    int n = MAX(count(widget), 1), i = 0, least;
    gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
    int each = (width - (n - 1) * GAP) / n;
    bool abreast = n == 1 || each >= MAX(LANE, least);
    /* Nobody may change what is visible while sizes are being given out. */
    if (abreast != lanes->abreast && !lanes->telling) lanes->telling = g_idle_add(tell, lanes);
    lanes->abreast = abreast;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child), i++) {
        bool shown = lanes->abreast || (size_t)i == lanes->active;
        gtk_widget_set_child_visible(child, shown);
        if (!shown) continue;
        GtkAllocation place = {lanes->abreast ? i * (each + GAP) : 0, 0,
                               lanes->abreast ? each : width, height};
        gtk_widget_size_allocate(child, &place, baseline);
    }
}

static void ns_diagram_lanes_dispose(GObject *object)
{
    g_clear_handle_id(&NS_DIAGRAM_LANES(object)->telling, g_source_remove);
    GtkWidget *child;
    while ((child = gtk_widget_get_first_child(GTK_WIDGET(object)))) gtk_widget_unparent(child);
    G_OBJECT_CLASS(ns_diagram_lanes_parent_class)->dispose(object);
}

static void ns_diagram_lanes_class_init(NsDiagramLanesClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->dispose = ns_diagram_lanes_dispose;
    ns_signal_new(NS_TYPE_DIAGRAM_LANES, "folded", 0);
    widget_class->measure = ns_diagram_lanes_measure;
    widget_class->size_allocate = ns_diagram_lanes_size_allocate;
}

static void ns_diagram_lanes_init(NsDiagramLanes *lanes)
{
    gtk_widget_set_hexpand(GTK_WIDGET(lanes), TRUE);
    gtk_widget_set_vexpand(GTK_WIDGET(lanes), TRUE);
}

GtkWidget *ns_diagram_lanes_new(void)
{
    return g_object_new(NS_TYPE_DIAGRAM_LANES, NULL);
}
