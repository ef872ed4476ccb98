/* Measures the frames of a window, and shows them.  SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/frame_meter.h"

#include "core/base/words.h"

#define SAY_EVERY_US (G_USEC_PER_SEC / 2)

/* A longer pause is no frame: the window was not shown. */
#define PAUSE_US (5 * G_USEC_PER_SEC)

struct _NsFrameMeter {
    GtkBox parent;
    GtkWidget *label;
    NsFrameTimes intervals, work;
    GdkFrameClock *clock; /* while measuring */
    gint64 began, said;   /* 0: not yet */
};

G_DEFINE_FINAL_TYPE(NsFrameMeter, ns_frame_meter, GTK_TYPE_BOX)

static void on_begin(NsFrameMeter *meter)
{
    gint64 now = g_get_monotonic_time(), since = now - meter->began;
    if (meter->began && since < PAUSE_US)
        ns_frame_times_add(&meter->intervals, (double)since / 1000.0);
    meter->began = now;
}

static void say(NsFrameMeter *meter)
{
    const NsFrameTimes *times[] = {&meter->intervals, &meter->work};
    char median[2][G_ASCII_DTOSTR_BUF_SIZE], most[2][G_ASCII_DTOSTR_BUF_SIZE];
    for (int i = 0; i < 2; i++) {
        g_ascii_formatd(median[i], sizeof median[i], "%.1f", ns_frame_times_within(times[i], 0.5));
        g_ascii_formatd(most[i], sizeof most[i], "%.1f", ns_frame_times_within(times[i], 0.99));
    }
    g_autofree char *words = g_strdup_printf(_("%s ms per frame, 99th percentile %s ms\n"
                                               "%s ms of work, 99th percentile %s ms"),
                                             median[0], most[0], median[1], most[1]);
    gtk_label_set_text(GTK_LABEL(meter->label), words);
}

static void on_end(NsFrameMeter *meter)
{
    gint64 now = g_get_monotonic_time();
    if (meter->began) ns_frame_times_add(&meter->work, (double)(now - meter->began) / 1000.0);
    if (now - meter->said < SAY_EVERY_US) return;
    meter->said = now;
    say(meter);
}

static void ns_frame_meter_map(GtkWidget *widget)
{
    NsFrameMeter *meter = NS_FRAME_METER(widget);
    GTK_WIDGET_CLASS(ns_frame_meter_parent_class)->map(widget);
    meter->clock = g_object_ref(gtk_widget_get_frame_clock(widget));
    meter->began = 0;
    g_signal_connect_swapped(meter->clock, "before-paint", G_CALLBACK(on_begin), meter);
    g_signal_connect_swapped(meter->clock, "after-paint", G_CALLBACK(on_end), meter);
    gdk_frame_clock_begin_updating(meter->clock);
}

static void ns_frame_meter_unmap(GtkWidget *widget)
{
    NsFrameMeter *meter = NS_FRAME_METER(widget);
    g_signal_handlers_disconnect_by_data(meter->clock, meter);
    gdk_frame_clock_end_updating(meter->clock);
    g_clear_object(&meter->clock);
    GTK_WIDGET_CLASS(ns_frame_meter_parent_class)->unmap(widget);
}

static void ns_frame_meter_finalize(GObject *object)
{
    NsFrameMeter *meter = NS_FRAME_METER(object);
    ns_frame_times_clear(&meter->intervals);
    ns_frame_times_clear(&meter->work);
    G_OBJECT_CLASS(ns_frame_meter_parent_class)->finalize(object);
}

static void ns_frame_meter_class_init(NsFrameMeterClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->finalize = ns_frame_meter_finalize;
    widget_class->map = ns_frame_meter_map;
    widget_class->unmap = ns_frame_meter_unmap;
    gtk_widget_class_set_css_name(widget_class, "framemeter");
}

static void ns_frame_meter_init(NsFrameMeter *meter)
{
    GtkWidget *widget = GTK_WIDGET(meter);
    meter->label = gtk_label_new(_("Measuring frames…"));
    gtk_label_set_xalign(GTK_LABEL(meter->label), 0.0f);
    gtk_box_append(GTK_BOX(meter), meter->label);
    gtk_widget_add_css_class(widget, "frame-meter");
    gtk_widget_set_halign(widget, GTK_ALIGN_END);
    gtk_widget_set_valign(widget, GTK_ALIGN_END);
    gtk_widget_set_can_target(widget, FALSE);
    gtk_widget_set_visible(widget, FALSE);
}

GtkWidget *ns_frame_meter_new(size_t frames)
{
    NsFrameMeter *meter = g_object_new(NS_TYPE_FRAME_METER, NULL);
    ns_frame_times_init(&meter->intervals, frames);
    ns_frame_times_init(&meter->work, frames);
    return GTK_WIDGET(meter);
}

const NsFrameTimes *ns_frame_meter_intervals(NsFrameMeter *meter)
{
    return &meter->intervals;
}

const NsFrameTimes *ns_frame_meter_work(NsFrameMeter *meter)
{
    return &meter->work;
}
