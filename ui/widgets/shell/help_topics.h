/* What the help can tell: the handbook, and every row of every registry.
 * SPDX-License-Identifier: MIT */
#pragma once

#include <glib.h>

typedef struct {
    char *key;     /* of a setting, a placement, a quantity, ...; of the handbook "1", "2", ... */
    char *section; /* "Using Normscope", "Settings", ... */
    char *title;
    GPtrArray *paragraphs; /* char * */
} NsHelpTopic;

/* All topics, section by section, in the language of the desktop: NsHelpTopic *, which the array
 * owns. */
GPtrArray *ns_help_topics(void);

/* Whether every word of the question is somewhere in the topic, whatever its case. */
gboolean ns_help_topic_matches(const NsHelpTopic *topic, const char *question);
