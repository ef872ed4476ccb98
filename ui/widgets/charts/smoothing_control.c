/* A slider for how much curves are smoothed.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/smoothing_control.h"

#include "core/base/words.h"
#include "ui/widgets/common/accessible.h"

#include <math.h>

#define CONTROL "ns-smoothing" /* of the object */

#define MOST 0.99
#define STEP 0.01
#define WIDTH 150 /* pixels */

typedef struct {
    NsSession *session; /* of the tile that the control belongs to */
    GtkWidget *scale, *words;
    bool syncing;
    guint tick;
} Control;

static void show(Control *control)
{
    NsSmoothing smoothing = control->session->view->smoothing;
    g_autofree char *words = ns_smoothing_words(smoothing);
    control->syncing = true;
    if (!control->tick)
        gtk_range_set_value(GTK_RANGE(control->scale),
                            smoothing.kind == NS_SMOOTH_EMA ? smoothing.amount : 0);
    control->syncing = false;
    gtk_label_set_text(GTK_LABEL(control->words), words ? words : _("off"));
}

static void on_view(GtkWidget *box)
{
    show(g_object_get_data(G_OBJECT(box), CONTROL));
}

static gboolean act(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)widget, (void)clock;
    Control *control = data;
    double amount = round(gtk_range_get_value(GTK_RANGE(control->scale)) / STEP) * STEP;
    control->tick = 0;
    ns_session_show_smoothing(
        control->session,
        (NsSmoothing){amount > 0 ? NS_SMOOTH_EMA : NS_SMOOTH_NONE, amount > 0 ? amount : 0});
    return G_SOURCE_REMOVE;
}

static void on_value(Control *control)
{
    if (control->syncing || control->tick) return;
    control->tick = gtk_widget_add_tick_callback(control->scale, act, control, NULL);
}

GtkWidget *ns_smoothing_control_new(NsSession *session)
{
    Control *control = g_new0(Control, 1);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *label = gtk_label_new(_("Smoothing"));
    control->session = session;
    control->scale = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, MOST, STEP);
    control->words = gtk_label_new(NULL);
    gtk_widget_add_css_class(box, "smoothing");
    gtk_widget_add_css_class(control->words, "numeric");
    gtk_widget_set_hexpand(label, TRUE);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0F);
    gtk_widget_set_size_request(control->scale, WIDTH, -1);
    gtk_widget_set_tooltip_text(control->scale,
                                _("Exponential moving average of curves over steps: weight of the "
                                  "past.  The measured curve stays visible behind it. (S)"));
    ns_accessible_name(control->scale, _("Smoothing, weight of the past"));
    gtk_box_append(GTK_BOX(line), label);
    gtk_box_append(GTK_BOX(line), control->words);
    gtk_box_append(GTK_BOX(box), line);
    gtk_box_append(GTK_BOX(box), control->scale);
    g_object_set_data_full(G_OBJECT(box), CONTROL, control, g_free);
    g_signal_connect_swapped(control->scale, "value-changed", G_CALLBACK(on_value), control);
    ns_session_listen(session, "view-changed", G_CALLBACK(on_view), box);
    show(control);
    return box;
}
