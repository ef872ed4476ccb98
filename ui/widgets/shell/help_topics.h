/* The topics of the help: the pages of the manual, and every row of every registry.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>

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

/* Whether a block of the manual is code. */
gboolean ns_help_is_code(const char *block);
