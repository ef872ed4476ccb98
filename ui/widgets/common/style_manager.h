/* Light, dark, high contrast, or as the desktop has it.  SPDX-License-Identifier: MIT
 *
 * Sets the color scheme of every window, and finds the style of charts that goes with one. */
#pragma once

#include "ui/plot/style.h"

#include <gtk/gtk.h>

typedef enum { NS_SCHEME_SYSTEM, NS_SCHEME_LIGHT, NS_SCHEME_DARK } NsScheme;

/* Follows the desktop's color scheme and contrast, as reported by the settings portal, from now on;
 * to be called once. */
void ns_styles_follow_desktop(void);

void ns_styles_set_scheme(NsScheme scheme);

/* Chooses high contrast independently of the desktop. */
void ns_styles_set_contrast(bool contrast);

/* The style of charts that goes with the widget's theme, whoever chose that: dark where it writes
 * light on dark, and of high contrast where it is a theme for that. */
const NsStyle *ns_chart_style_for(GtkWidget *widget);

/* The css class of a window whose texts are large, and the factor by which those of a widget in it
 * are larger; 1 elsewhere. */
#define NS_LARGE_TEXT_CLASS "large-text"
double ns_widget_text_scale(GtkWidget *widget);

/* The css class of such a window on a large screen, whose texts are larger still, for the back row;
 * to be set as soon as the size of the window has changed. */
#define NS_HALL_TEXT_CLASS "hall-text"
bool ns_text_is_for_hall(GtkWidget *widget);

/* The text factor for charts and diagrams. */
double ns_text_scale(GtkWidget *widget);
