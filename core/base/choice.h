/* The fields that the rows of all registries share.  SPDX-License-Identifier: MIT
 *
 * Placements, norms, tasks, schedules and figures are registries: tables whose rows begin with an
 * NsChoice, so that the sidebar, the command line and the help can show any of them.  Keys must not
 * change, because files and command lines contain them. */
#pragma once

#include <glib.h>
#include <stddef.h>

typedef struct {
    const char *key;       /* "pre" */
    const char *label;     /* "Pre-LN" */
    const char *formula;   /* "x' = x + F(N(x))", or NULL */
    const char *reference; /* paper, or NULL */
    const char *purpose;   /* one line: what it is for */
    const char *differs;   /* differences from the reference or from common use, or NULL */
    const char *former;    /* the key in older files, or NULL */
} NsChoice;

/* Accesses a registry as choices: returns the i-th row, or NULL past the end. */
typedef const NsChoice *(*NsChoices)(size_t i);

/* Defines such a function for a table whose rows are, or begin with, an NsChoice. */
#define NS_CHOICES(function, rows)                                                                 \
    const NsChoice *function(size_t i)                                                             \
    {                                                                                              \
        return i < G_N_ELEMENTS(rows) ? (const NsChoice *)&(rows)[i] : NULL;                       \
    }

/* Returns the index of the row with this key, current or former, or -1. */
int ns_choices_find(NsChoices choices, const char *key);

/* Returns the row whose key is closest in spelling to `word`, ignoring case, for "did you mean";
 * NULL if none is close. */
const NsChoice *ns_choices_nearest(NsChoices choices, const char *word);

/* Finds the key closest in spelling to a word; of several equally close keys, the first. */
typedef struct {
    const char *key; /* borrowed; NULL if no key is close enough */
    size_t edits;
} NsNearest;

/* Compares one more key; *nearest starts as {0}.  Ignores case in the word. */
void ns_nearest_look(NsNearest *nearest, const char *word, const char *key);

/* Returns the keys for a message: "post, pre, none".  Free with g_free. */
char *ns_choices_keys(NsChoices choices);

/* Sets NS_ERROR_USAGE: "There is no figure “los”; did you mean “loss”?"  If no key is close, the
 * message lists the keys, or gives their number if they are too many for a sentence. */
void ns_choices_unknown(const char *what, const char *word, NsChoices choices, GError **error);

/* Same as ns_choices_find; if it returns -1, sets the error of ns_choices_unknown. */
int ns_choices_require(const char *what, const char *word, NsChoices choices, GError **error);
