/* Pointer and keyboard as the display server sees them.  SPDX-License-Identifier: MIT
 *
 * Events are made by the X server (its extension XTEST) and come to the window as a user's do:
 * through GDK, the gestures and the focus.  Where a display has no XTEST (Wayland), tests that need
 * it are skipped. */
#pragma once

#include <gtk/gtk.h>

#include <stdbool.h>

/* Whether there are such events; otherwise the running test is marked as skipped. */
bool ui_has_input(void);

/* Moves the pointer to a place on a widget, in its own coordinates. */
void ui_pointer_to(GtkWidget *widget, double x, double y);

/* Moves the pointer out of every window. */
void ui_pointer_away(void);

void ui_button(guint button, bool down);

/* Holds these modifiers, or lets go of them. */
void ui_hold(GdkModifierType modifiers, bool down);

/* Where the pointer is: a press and a release; two of each within the time of a double click.  A
 * click is never the second one of two by chance, however quickly it follows another. */
void ui_click_here(guint button);
void ui_double_click_here(void);

/* So many notches of the wheel where the pointer is, up where they are negative; they come in one
 * go. */
void ui_wheel(int notches);

/* Presses a key and lets go of it, in a window; the pointer is moved into it if it is not there, as
 * keys go where the pointer is while there is no window manager. */
void ui_stroke(GtkWidget *window, guint keyval, GdkModifierType modifiers);

/* Tells a window that it was minimized, or is not any more, as a window manager does; FALSE where
 * that cannot be. */
bool ui_minimize(GtkWidget *window, bool minimized);

/* Waits until all that was done has acted: the events have come, and frames were drawn since. Works
 * on every display. */
void ui_settle(GtkWidget *widget);
