/* Help: its topics and its window.  SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>
#include <gtk/gtk.h>

/* ---- Topics ---- */

typedef struct {
    char *key;     /* of a setting, a placement, a quantity, ...; of the manual "1", "2", ... */
    char *section; /* a page of the manual, "Settings", ... */
    char *title;
    GPtrArray *paragraphs; /* char *; in the manual blocks as in ns_help_markup */
    gboolean manual;
} NsHelpTopic;

/* All topics, section by section, in the language of the desktop: NsHelpTopic *, which the array
 * owns. */
GPtrArray *ns_help_topics(void);

/* Whether every word of the question is somewhere in the topic, whatever its case. */
gboolean ns_help_topic_matches(const NsHelpTopic *topic, const char *question);

/* The block of a page of the manual, which is Markdown, in Pango's markup: a paragraph, a list
 * whose lines begin with "- ", or code, whose lines are indented by four spaces.  Free with g_free.
 */
char *ns_help_markup(const char *block);

/* ---- The window ---- */

/* Shows the help, one window for the whole program.  topic: the key of a setting, a placement, a
 * quantity or a chapter of the handbook; NULL leaves what is shown. */
void ns_help_present(GtkWindow *parent, const char *topic);
