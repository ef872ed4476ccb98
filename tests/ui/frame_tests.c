/* How long frames take, and what is shown of it.  SPDX-License-Identifier: MIT */
#include "tests/ui/support.h"
#include "ui/widgets/shell/frame_meter.h"
#include "ui/widgets/shell/toast.h"

#include <string.h>

static void test_times(void)
{
    NsFrameTimes times;
    ns_frame_times_init(&times, 100);
    g_assert_cmpfloat(ns_frame_times_within(&times, 0.99), ==, 0);
    ns_frame_times_add(&times, 7);
    g_assert_cmpfloat(ns_frame_times_within(&times, 0.01), ==, 7);
    g_assert_cmpfloat(ns_frame_times_within(&times, 1), ==, 7);
    /* 1 to 250 in another order, of which the last hundred are kept. */
    for (int i = 1; i <= 150; i++) ns_frame_times_add(&times, 1000);
    for (int i = 0; i < 100; i++) ns_frame_times_add(&times, 1 + (i * 37) % 100);
    g_assert_cmpuint(ns_frame_times_count(&times), ==, 100);
    g_assert_cmpfloat(ns_frame_times_within(&times, 0.5), ==, 50);
    g_assert_cmpfloat(ns_frame_times_within(&times, 0.99), ==, 99);
    g_assert_cmpfloat(ns_frame_times_within(&times, 1), ==, 100);
    ns_frame_times_clear(&times);
}

static const char *words(GtkWidget *meter)
{
    return gtk_label_get_text(GTK_LABEL(ui_first(meter, GTK_TYPE_LABEL)));
}

static void test_meter(void)
{
    NsWindow *window = ui_open("");
    GtkWidget *meter = ns_window_frame_meter(window);
    const NsFrameTimes *frames = ns_frame_meter_intervals(NS_FRAME_METER(meter));
    g_assert_false(gtk_widget_get_visible(meter));
    g_auto(GStrv) keys = gtk_application_get_accels_for_action(
        gtk_window_get_application(GTK_WINDOW(window)), "win.frame-times");
    g_assert_cmpstr(keys[0], ==, "<Shift><Control>f");
    g_action_group_activate_action(G_ACTION_GROUP(window), "frame-times", NULL);
    g_assert_true(gtk_widget_get_visible(meter));
    UI_UNTIL(ns_frame_times_count(frames) > 20);
    UI_UNTIL(strstr(words(meter), "ms per frame, 99th percentile"));
    g_assert_cmpfloat(ns_frame_times_within(frames, 0.5), >, 0);
    g_assert_cmpuint(ns_frame_times_count(ns_frame_meter_work(NS_FRAME_METER(meter))), >, 20);

    g_action_group_activate_action(G_ACTION_GROUP(window), "frame-times", NULL);
    g_assert_false(gtk_widget_get_visible(meter));
    size_t before = ns_frame_times_count(frames);
    ui_settle(GTK_WIDGET(window));
    g_assert_cmpuint(ns_frame_times_count(frames), ==, before);
    ui_close(window);
}

static GtkWidget *new_window_with_toast(void)
{
    GtkWidget *window = gtk_window_new();
    gtk_window_set_child(GTK_WINDOW(window), ns_toast_new());
    ns_toast_show(gtk_window_get_child(GTK_WINDOW(window)), "It is done.");
    return window;
}

/* What is said while there is no window yet waits for the window, however late that comes. */
static void test_toast_waits(void)
{
    GtkWidget *shown = new_window_with_toast(), *late = new_window_with_toast();
    GtkWidget *toast = gtk_window_get_child(GTK_WINDOW(shown));
    GtkWidget *waits = gtk_window_get_child(GTK_WINDOW(late));
    gtk_window_present(GTK_WINDOW(shown));
    UI_UNTIL(!ns_toast_text(toast));
    g_assert_cmpstr(ns_toast_text(waits), ==, "It is done.");
    gtk_window_present(GTK_WINDOW(late));
    UI_UNTIL(!ns_toast_text(waits));
    gtk_window_destroy(GTK_WINDOW(shown));
    gtk_window_destroy(GTK_WINDOW(late));
}

void ui_add_frame_tests(void)
{
    g_test_add_func("/ui/frame/times", test_times);
    g_test_add_func("/ui/frame/meter", test_meter);
    g_test_add_func("/ui/frame/toast-waits", test_toast_waits);
}
