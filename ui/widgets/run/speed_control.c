/* How fast a run may go.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/speed_control.h"

#include "core/base/words.h"
#include "ui/widgets/common/accessible.h"

#include <math.h>

#define FASTEST 1000.0 /* steps a second; what lies to the right of it has no limit */
#define UNLIMITED 1.0  /* on the slider, whose 0 is one step a second */
#define LAST_LIMIT 0.95
#define SLIDER_WIDTH 96

struct _NsSpeedControl {
    GtkBox parent;
    NsSession *session;
    GtkWidget *slider;
    bool syncing;
};

G_DEFINE_FINAL_TYPE(NsSpeedControl, ns_speed_control, GTK_TYPE_BOX)

static double speed_at(double place)
{
    return place > LAST_LIMIT ? 0.0 : pow(FASTEST, place / LAST_LIMIT);
}

static double place_of(double speed)
{
    return speed <= 0.0 ? UNLIMITED : LAST_LIMIT * log(CLAMP(speed, 1.0, FASTEST)) / log(FASTEST);
}

double ns_speed_next(double steps_per_second, bool faster)
{
    static const double leading[] = {1.0, 2.0, 5.0};
    double below = 0.0;
    for (double power = 1.0; power <= FASTEST; power *= 10.0)
        for (size_t i = 0; i < G_N_ELEMENTS(leading); i++) {
            double speed = leading[i] * power;
            if (speed > FASTEST) break;
            bool above = steps_per_second > 0.0 && speed > steps_per_second * 1.001;
            if (faster && above) return speed;
            if (steps_per_second <= 0.0 || speed < steps_per_second * 0.999) below = speed;
        }
    if (faster) return 0.0;
    return below > 0.0 ? below : 1.0;
}

char *ns_speed_words(double steps_per_second)
{
    if (steps_per_second <= 0.0) return g_strdup(_("as fast as possible"));
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    const char *format = steps_per_second < 9.95 ? "%.1f" : "%.0f";
    g_ascii_formatd(number, sizeof number, format, steps_per_second);
    return g_strdup_printf(_("at most %s steps per second"), number);
}

void ns_speed_control_sync(NsSpeedControl *control)
{
    double speed = control->session->speed;
    g_autofree char *words = ns_speed_words(speed);
    g_autofree char *tip = g_strdup_printf(_("Speed: %s ([ slower, ] faster)"), words);
    control->syncing = true;
    gtk_range_set_value(GTK_RANGE(control->slider), place_of(speed));
    control->syncing = false;
    gtk_widget_set_tooltip_text(control->slider, tip);
    gtk_accessible_update_property(GTK_ACCESSIBLE(control->slider),
                                   GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, words, -1);
}

static void on_moved(NsSpeedControl *control)
{
    if (control->syncing) return;
    ns_session_set_speed(control->session,
                         speed_at(gtk_range_get_value(GTK_RANGE(control->slider))));
    ns_speed_control_sync(control);
}

static void ns_speed_control_class_init(NsSpeedControlClass *klass)
{
    (void)klass;
}

static void ns_speed_control_init(NsSpeedControl *control)
{
    control->slider = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0.0, UNLIMITED, 0.025);
    gtk_scale_set_draw_value(GTK_SCALE(control->slider), FALSE);
    gtk_widget_set_size_request(control->slider, SLIDER_WIDTH, -1);
    ns_accessible_name(control->slider, _("Speed"));
    g_signal_connect_swapped(control->slider, "value-changed", G_CALLBACK(on_moved), control);
    gtk_box_append(GTK_BOX(control), control->slider);
}

GtkWidget *ns_speed_control_new(NsSession *session)
{
    NsSpeedControl *control = g_object_new(NS_TYPE_SPEED_CONTROL, NULL);
    control->session = ns_session_hold(session, control);
    ns_speed_control_sync(control);
    return GTK_WIDGET(control);
}
