/* Labels that begin at the left.  SPDX-License-Identifier: MIT */
#pragma once

#include <gtk/gtk.h>

/* Running text, over as many lines as it needs; css_class may be NULL. */
GtkWidget *ns_text_label_new(const char *text, const char *css_class);

/* One line, which ends in "…" where it has no room. */
GtkWidget *ns_line_label_new(const char *text, const char *css_class);

/* Sets the text where it is another one: a label that is set is measured and drawn anew. */
void ns_text_label_set(GtkWidget *label, const char *text);

/* Sets a sentence in which "W_tok" is shown as a symbol with a subscript. */
void ns_text_label_set_sentence(GtkWidget *label, const char *sentence);
