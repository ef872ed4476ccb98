/* SPDX-License-Identifier: MIT */
#include "ui/widgets/settings/control.h"

static void control_free(gpointer data)
{
    NsControl *control = data;
    g_clear_pointer(&control->buttons, g_ptr_array_unref);
    g_free(control);
}

NsControl *ns_control_new(NsSession *session, const NsParam *param, GtkWidget *widget,
                          GCallback sync)
{
    NsControl *control = g_new0(NsControl, 1);
    control->session = ns_session_hold(session, widget);
    control->param = param;
    g_object_set_data_full(G_OBJECT(widget), "ns-control", control, control_free);
    ns_session_follow(session, param, sync, widget);
    return control;
}

NsControl *ns_control_of(GtkWidget *widget)
{
    return g_object_get_data(G_OBJECT(widget), "ns-control");
}
