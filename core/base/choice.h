/* What every row of every registry has.  SPDX-License-Identifier: MIT
 *
 * Placements, norms, tasks, schedules and figures are registries: tables whose rows begin with an
 * NsChoice, so that the sidebar, the command line and the help can show any of them.  Keys are
 * stable; they stand in files and on command lines. */
#pragma once

#include <glib.h>
#include <stddef.h>

typedef struct {
    const char *key;       /* "pre" */
    const char *label;     /* "Pre-LN" */
    const char *formula;   /* "x' = x + F(N(x))", or NULL */
    const char *reference; /* paper, or NULL */
    const char *purpose;   /* one line: what it is for */
    const char *differs;   /* what is not as in the reference, or in use beside it; or NULL */
    const char *former;    /* a key that older files have for it, or NULL */
} NsChoice;

/* A registry seen as choices: the i-th, or NULL past the end. */
typedef const NsChoice *(*NsChoices)(size_t i);

/* The index of the row with this key, be it a former one, or -1. */
int ns_choices_find(NsChoices choices, const char *key);

/* The row whose key is spelled most like `word`, capitals or not, for "did you mean"; NULL if none
 * is close. */
const NsChoice *ns_choices_nearest(NsChoices choices, const char *word);

/* Finds, among keys that are visited one after another, the first of those spelled most like a
 * word. */
typedef struct {
    const char *key; /* borrowed; NULL: none was close enough to have been meant */
    size_t edits;
} NsNearest;

/* Starts from {0}; capitals in the word do not count. */
void ns_nearest_look(NsNearest *nearest, const char *word, const char *key);

/* "post, pre, none": the keys, for messages.  Free with g_free. */
char *ns_choices_keys(NsChoices choices);

/* NS_ERROR_USAGE: "There is no figure “los”; did you mean “loss”?"; if no key is close, the message
 * lists the keys, or their number if they are too many for a sentence. */
void ns_choices_unknown(const char *what, const char *word, NsChoices choices, GError **error);

/* As ns_choices_find; -1 with this error. */
int ns_choices_require(const char *what, const char *word, NsChoices choices, GError **error);
