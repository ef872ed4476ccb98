/* What the controls of settings have in common.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/widgets/settings/controls.h"

/* A control of one setting.  Each sort of control uses those of the widgets that it has. */
typedef struct {
    NsSession *session;
    const NsParam *param;
    bool syncing; /* the control follows the session: the user did not cause this change */
    GtkWidget *entry;
    GtkRange *range;
    double least, most; /* of the range */
    GPtrArray *buttons; /* toggles, one for each of the registry's first rows */
    GtkWidget *others;  /* drop-down of the rows without a button, or NULL */
    GtkWidget *label;   /* formula, or file name */
    GtkWidget *clear;
} NsControl;

/* Belongs to its widget, and follows the session by calling sync with the widget. */
NsControl *ns_control_new(NsSession *session, const NsParam *param, GtkWidget *widget,
                          GCallback sync);
NsControl *ns_control_of(GtkWidget *widget);
