/* SPDX-License-Identifier: MIT */
#include "ui/widgets/common/fold_box.h"

#define GAP 6 /* pixels between two buttons, as in a header bar */

struct _NsFoldBox {
    GtkWidget parent;
};

G_DEFINE_FINAL_TYPE(NsFoldBox, ns_fold_box, GTK_TYPE_WIDGET)

static int width_of(GtkWidget *child)
{
    int least = 0;
    gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
    return least;
}

static void ns_fold_box_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                int *minimum, int *natural, int *minimum_baseline,
                                int *natural_baseline)
{
    (void)for_size;
    bool across = orientation == GTK_ORIENTATION_HORIZONTAL;
    *minimum = *natural = 0;
    *minimum_baseline = *natural_baseline = -1;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child)) {
        int least, usual;
        if (!gtk_widget_should_layout(child)) continue;
        gtk_widget_measure(child, orientation, -1, &least, &usual, NULL, NULL);
        *minimum = across ? 0 : MAX(*minimum, least);
        *natural = across ? *natural + least + (*natural ? GAP : 0) : MAX(*natural, usual);
    }
}

static void ns_fold_box_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    int right = width;
    bool room = true;
    for (GtkWidget *child = gtk_widget_get_last_child(widget); child;
         child = gtk_widget_get_prev_sibling(child)) {
        if (!gtk_widget_should_layout(child)) continue;
        int least = width_of(child);
        room = room && least <= right;
        gtk_widget_set_child_visible(child, room);
        if (!room) continue;
        GtkAllocation place = {right - least, 0, least, height};
        if (gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL) place.x = width - right;
        gtk_widget_size_allocate(child, &place, baseline);
        right -= least + GAP;
    }
}

static void ns_fold_box_dispose(GObject *object)
{
    GtkWidget *child;
    while ((child = gtk_widget_get_first_child(GTK_WIDGET(object)))) gtk_widget_unparent(child);
    G_OBJECT_CLASS(ns_fold_box_parent_class)->dispose(object);
}

static void ns_fold_box_class_init(NsFoldBoxClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->dispose = ns_fold_box_dispose;
    widget_class->measure = ns_fold_box_measure;
    widget_class->size_allocate = ns_fold_box_size_allocate;
}

static void ns_fold_box_init(NsFoldBox *box)
{
    (void)box;
}
