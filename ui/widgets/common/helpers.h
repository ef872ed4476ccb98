/* Functions that every widget uses: names, hiding, boxes, labels, the keyboard, signals, places.
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/settings/choices.h"

#include <gtk/gtk.h>

/* A new line in a tooltip: one with a newline character GTK does not wrap. */
#define NS_TOOLTIP_LINE "\u2028"
#include <stdbool.h>

/* ---- Names for screen readers ---- */

void ns_accessible_name(GtkWidget *widget, const char *name);

/* Sets a tooltip.  For a visible widget GTK asks the display server where the pointer is and waits
 * for the answer; this function avoids that for a widget that is not on the screen yet. */
void ns_tooltip(GtkWidget *widget, const char *words);

/* The same words for the tooltip. */
void ns_accessible_tooltip(GtkWidget *widget, const char *words);

/* The name of a control for screen readers, and its tooltip. */
void ns_name_control(GtkWidget *control, const char *name, const char *tooltip);

/* ---- Hiding ---- */

/* Reasons for which a part of the window is hidden.  Each reason is set by one part of the program,
 * independently of the others. */
typedef enum {
    NS_HIDDEN_USELESS = 1 << 0, /* it has no content or function now */
    NS_HIDDEN_CLOSED = 1 << 1,  /* the user closed it */
    NS_HIDDEN_PRESET = 1 << 2,  /* a preset or class mode hides it */
    NS_HIDDEN_SEARCH = 1 << 3,  /* it does not match the words of a search */
} NsHiddenBy;

/* Gives a widget a reason to be hidden, or takes it away.  It is visible while it has none: all
 * that can be hidden for several reasons is shown and hidden with this function alone. */
void ns_hide(GtkWidget *widget, NsHiddenBy reason, bool hidden);

/* Gives a widget a css class, or takes it away. */
/* A row of buttons that are drawn as one; a toggle in it, of the group of another or NULL. */
GtkWidget *ns_linked_new(void);
GtkWidget *ns_add_toggle(GtkWidget *box, GtkWidget *group, const char *label, const char *tip);

void ns_set_css_class(GtkWidget *widget, const char *css_class, bool on);

/* ---- Motion ---- */

/* The progress of a motion of 200 ms that began at this monotonic time, 0 .. 1; 1 where the user
 * wants no animations. */
double ns_motion(gint64 since);

/* A revealer of a child, which takes as long. */
GtkWidget *ns_revealer_new(GtkWidget *child, GtkRevealerTransitionType transition);

/* ---- Boxes and buttons ---- */

/* Appends widgets, which end with NULL, to a GtkBox. */
void ns_box_append(GtkWidget *box, ...) G_GNUC_NULL_TERMINATED;

/* A grid with gaps of so many pixels. */
GtkWidget *ns_grid_new(int row_spacing, int column_spacing);

/* A scrolled window that takes what height there is, and is as wide as its child. */
GtkWidget *ns_scrolled_new(GtkWidget *child);

/* Page Up, Page Down and the arrows scroll it; false where the key is another or all is seen. */
bool ns_scroll_by_key(GtkWidget *scrolled, guint keyval);

/* Scrolls to a widget as little as necessary, or to its top if it is too high. */
void ns_bring_into_view(GtkWidget *widget);

/* A drop-down of a first label (NULL: none), the labels of a registry from row `from` on, and a
 * last one (NULL: none). */
GtkWidget *ns_choice_drop_down_new(const char *first, NsChoices choices, size_t from,
                                   const char *last);

/* A button with a label, in which "_" marks the mnemonic, and a tooltip (NULL: none), which calls
 * clicked(object, button). */
GtkWidget *ns_button_new(const char *label, const char *tooltip, GCallback clicked,
                         gpointer object);

/* A flat button with an icon, which screen readers and its tooltip describe with the same words. */
GtkWidget *ns_icon_button_new(const char *icon, const char *words);

/* ---- Labels that begin at the left ---- */

/* A label with text that wraps; css_class may be NULL. */
GtkWidget *ns_text_label_new(const char *text, const char *css_class);

/* A label of a single line, which ends in "…" where it does not fit. */
GtkWidget *ns_line_label_new(const char *text, const char *css_class);

/* Sets the text if it differs, because GTK measures and draws a label again whenever its text is
 * set. */
void ns_text_label_set(GtkWidget *label, const char *text);

/* Sets a sentence in which "W_tok" is shown as a symbol with a subscript. */
void ns_text_label_set_sentence(GtkWidget *label, const char *sentence);

/* Shows the first sentence of a text of more than a few lines in a label, and the others in folded
 * details.  A shorter text is shown whole, without details. */
GtkWidget *ns_details_new(void);
void ns_sentences_set(GtkWidget *label, GtkWidget *details, const char *text);

/* ---- The keyboard after typing ---- */

/* Moves the keyboard focus back to the window, where Space and letters are commands. */
void ns_end_typing(GtkWidget *widget);

/* An entry with a name for screen readers that is as wide as `chars` characters. */
GtkWidget *ns_entry_new(const char *name, int chars);

/* A search entry.  Escape removes what was typed; in an empty one it closes the window or, in the
 * main window, ends typing. */
GtkWidget *ns_search_entry_new(const char *name);

/* ---- Signals ---- */

/* Calls the callback with the object, and then the arguments of the signal, while both exist. */
void ns_connect(gpointer source, const char *signal, GCallback callback, gpointer object);

/* The same for keys that are pressed in a widget, with the arguments of GtkEventControllerKey. */
void ns_connect_keys(GtkWidget *widget, GCallback pressed, gpointer object);

/* Adds an action without parameter and state, which calls run(object). */
void ns_add_command(GActionMap *map, const char *name, GCallback run, gpointer object);

/* Adds a signal without a return value to a class, with n arguments whose types follow. */
void ns_signal_new(GType type, const char *name, guint n, ...);

/* ---- Preferences ---- */

/* The keys are those of resources/org.normscope.Normscope.gschema.xml. */

/* The stored preferences, borrowed; NULL if their schema is missing (a program that was copied
 * without its files), in which case nothing is stored. */
GSettings *ns_preferences(void);

/* ---- Places of the program's files ---- */

/* The folder `in_build` of the tree in which the program was built, if it runs there, else the
 * folder `installed` below the prefix into which it was installed; NULL if there is neither.  Free
 * with g_free. */
char *ns_installed_folder(const char *in_build, const char *installed);

/* Makes a GtkBox a row of buttons of which those without space are hidden, from the first on; the
 * row may have no width. */
void ns_fold_buttons(GtkWidget *box);
