/* A sentence that comes up for a moment.  SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/toast.h"

#define SECONDS 4
#define OFFER_SECONDS 8 /* time to reach the button */

static const char TIMER[] = "ns-toast-timer", LABEL[] = "ns-toast-label",
                  BUTTON[] = "ns-toast-button", OFFER[] = "ns-toast-offer";

typedef struct {
    GFunc chosen;
    gpointer data;
    GDestroyNotify free;
} Offer;

static void offer_free(gpointer data)
{
    Offer *offer = data;
    if (offer->free) offer->free(offer->data);
    g_free(offer);
}

static void stop_timer(GtkWidget *toast)
{
    guint timer = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(toast), TIMER));
    if (timer) g_source_remove(timer);
    g_object_set_data(G_OBJECT(toast), TIMER, NULL);
}

static void hide(GtkWidget *toast)
{
    stop_timer(toast);
    gtk_revealer_set_reveal_child(GTK_REVEALER(toast), FALSE);
    /* While it fades, what lies below can be clicked again. */
    gtk_widget_set_can_target(toast, FALSE);
}

static gboolean on_time(gpointer toast)
{
    g_object_set_data(G_OBJECT(toast), TIMER, NULL);
    hide(toast);
    return G_SOURCE_REMOVE;
}

static void on_button(GtkWidget *toast)
{
    const Offer *offer = g_object_get_data(G_OBJECT(toast), OFFER);
    hide(toast);
    if (offer) offer->chosen(offer->data, toast);
}

GtkWidget *ns_toast_new(void)
{
    GtkWidget *toast = gtk_revealer_new();
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
    GtkWidget *label = gtk_label_new(NULL), *button = gtk_button_new();
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_box_append(GTK_BOX(box), label);
    gtk_box_append(GTK_BOX(box), button);
    gtk_widget_add_css_class(box, "toast");
    gtk_revealer_set_child(GTK_REVEALER(toast), box);
    gtk_revealer_set_transition_type(GTK_REVEALER(toast), GTK_REVEALER_TRANSITION_TYPE_CROSSFADE);
    gtk_widget_set_halign(toast, GTK_ALIGN_CENTER);
    gtk_widget_set_valign(toast, GTK_ALIGN_END);
    gtk_widget_set_can_target(toast, FALSE);
    g_object_set_data(G_OBJECT(toast), LABEL, label);
    g_object_set_data(G_OBJECT(toast), BUTTON, button);
    g_signal_connect_swapped(button, "clicked", G_CALLBACK(on_button), toast);
    g_signal_connect(toast, "destroy", G_CALLBACK(stop_timer), NULL);
    return toast;
}

static void show(GtkWidget *toast, const char *sentence, const char *button_label, guint seconds,
                 Offer *offer)
{
    GtkWidget *button = g_object_get_data(G_OBJECT(toast), BUTTON);
    stop_timer(toast);
    gtk_label_set_text(g_object_get_data(G_OBJECT(toast), LABEL), sentence);
    if (offer) gtk_button_set_label(GTK_BUTTON(button), button_label);
    gtk_widget_set_visible(button, offer != NULL);
    gtk_widget_set_can_target(toast, offer != NULL);
    g_object_set_data_full(G_OBJECT(toast), OFFER, offer, offer ? offer_free : NULL);
    gtk_revealer_set_reveal_child(GTK_REVEALER(toast), TRUE);
    guint timer = g_timeout_add_seconds(seconds, on_time, toast);
    g_object_set_data(G_OBJECT(toast), TIMER, GUINT_TO_POINTER(timer));
}

void ns_toast_show(GtkWidget *toast, const char *sentence)
{
    show(toast, sentence, NULL, SECONDS, NULL);
}

void ns_toast_offer(GtkWidget *toast, const char *sentence, const char *label, GFunc chosen,
                    gpointer data, GDestroyNotify free)
{
    Offer *offer = g_new0(Offer, 1);
    *offer = (Offer){chosen, data, free};
    show(toast, sentence, label, OFFER_SECONDS, offer);
}

const char *ns_toast_text(GtkWidget *toast)
{
    if (!gtk_revealer_get_reveal_child(GTK_REVEALER(toast))) return NULL;
    return gtk_label_get_text(g_object_get_data(G_OBJECT(toast), LABEL));
}
