/* Notes on a run that are stored in its file.  SPDX-License-Identifier: MIT
 *
 * A note is a short text with a key.  Users edit those of name, tags and text.  A fork
 * stores the run from which it was made. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define NS_RUN_NOTE_TAGS "tags" /* words separated by spaces */
#define NS_RUN_NOTE_TEXT "text"
#define NS_RUN_NOTE_NAME "name"             /* the name that a user gave the run */
#define NS_RUN_NOTE_PARENT "parent"         /* in a fork: base name of the original run file */
#define NS_RUN_NOTE_FORK_STEP "fork-step"   /* in a fork: the step at which it begins */
#define NS_RUN_NOTE_VOCABULARY "vocabulary" /* of sentence pairs, with the lane: "vocabulary-1" */
#define NS_RUN_NOTE_BASELINES                                                                      \
    "baselines" /* losses to compare with, with the lane: "baselines-1"                            \
                 */

/* The maximum length of a note in bytes; ns_run_note_write truncates longer ones. */
#define NS_RUN_NOTE_MOST 4096

/* Replaces the note with this key; NULL or "" deletes it.  Another thread or program may be writing
 * the run at the same time.  NS_ERROR_FILE, also if the file is not a run. */
bool ns_run_note_write(const char *path, const char *key, const char *value, GError **error);
