/* What is noted of a run in its file, beside what was measured.  SPDX-License-Identifier: MIT
 *
 * A note is a short text with a key.  People write NS_RUN_NOTE_TAGS and NS_RUN_NOTE_TEXT.  A fork
 * names the run that it comes from. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define NS_RUN_NOTE_TAGS "tags" /* words with spaces between */
#define NS_RUN_NOTE_TEXT "text"
#define NS_RUN_NOTE_PARENT "parent"         /* of a fork: the base name of the file of its run */
#define NS_RUN_NOTE_FORK_STEP "fork-step"   /* where it left that */
#define NS_RUN_NOTE_VOCABULARY "vocabulary" /* of pairs, with the lane: "vocabulary-1" */

/* No note that is written later is longer, in bytes. */
#define NS_RUN_NOTE_MOST 4096

/* Puts a note in the place of the one with this key; NULL or "" takes it away.  Another thread or
 * program may be writing the run.  NS_ERROR_FILE, also where the file is no run. */
bool ns_run_note_write(const char *path, const char *key, const char *value, GError **error);
