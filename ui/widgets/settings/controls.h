/* Controls, each for one setting of a session.  SPDX-License-Identifier: MIT
 *
 * A control shows a setting, follows its changes and sets it.  Its range and its words come from
 * the table of settings (core/settings/params.h). */
#pragma once

#include "core/experiment/param.h"
#include "ui/session/session.h"

#include <gtk/gtk.h>

/* Text size of labels in points, by which the sub- and superscripts of formulas are shifted. */
#define NS_LABEL_SIZE 11

/* An entry with buttons for less and more; Up and Down do the same.  A logarithmic setting moves
 * to the next power of two.  Enter or leaving the entry sets the value, Escape takes back what was
 * typed. */
GtkWidget *ns_number_control_new(NsSession *session, const NsParam *param);

/* An entry alone. */
GtkWidget *ns_entry_control_new(NsSession *session, const NsParam *param);

/* A logarithmic slider from least to most; a value beyond them is shown at the end. */
GtkWidget *ns_slider_control_new(NsSession *session, const NsParam *param, double least,
                                 double most);

/* The first rows of the setting's registry as linked toggle buttons, the others in a drop-down, and
 * the formula of the one that is chosen below. */
GtkWidget *ns_toggle_control_new(NsSession *session, const NsParam *param);

/* The rows of the setting's registry as a drop-down. */
GtkWidget *ns_choice_control_new(NsSession *session, const NsParam *param);

/* A switch, for a setting that is off or on. */
GtkWidget *ns_switch_control_new(NsSession *session, const NsParam *param);

/* A button that asks for a file, and one that sets the default. */
GtkWidget *ns_file_control_new(NsSession *session, const NsParam *param);

/* An entry with a button that draws a new seed. */
GtkWidget *ns_seed_control_new(NsSession *session, const NsParam *param);
