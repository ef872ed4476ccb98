/* An experiment of one to four lanes as a text.  SPDX-License-Identifier: MIT
 *
 *     title = Post-LN without warm-up
 *     note = The loss of A falls to that of counting characters and stays there.
 *     page = dashboard
 *     steps = 300
 *
 *     [A]
 *     placement = post
 *
 *     [B]
 *     placement = pre
 *
 * Settings before the first section hold for every lane, those in a section for that lane.  Without
 * a section there is one lane.  The other keys stand before the first section:
 *
 *     title, note   for people
 *     page          the page of the window to begin with
 *     hide          settings and parts of the window that are not shown, with commas between
 *     large-text    on: text for the last row of a lecture hall
 *     claim         what the note says, for the tests to measure; repeatable, and not written */
#pragma once

#include "core/experiment/experiment.h"

/* Texts are owned; NULL where there is none. */
typedef struct {
    NsExperiment experiment;
    char *note, *page;
    char **claims; /* ends with NULL; NULL where there are none */
    bool large_text;
} NsPreset;

/* One lane with the defaults. */
void ns_preset_init(NsPreset *preset);
void ns_preset_clear(NsPreset *preset);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPreset, ns_preset_clear)

/* Whether a text has the form of a preset: entries alone, of which the first is the name of a lane
 * or has a key that a preset knows. */
bool ns_preset_is(const char *text, size_t size);

/* Whether its first entry alone is such a one, whatever follows: a preset that has a mistake. */
bool ns_preset_begins(const char *text, size_t size);

/* Reads a preset into one that is initialized and has one lane, with which every lane begins.
 * NS_ERROR_SETTING names the line: what is no entry, a key that means nothing (and the nearest that
 * does), a value that cannot be used or excludes one that is named, a lane out of order or twice;
 * or says of which lane the settings do not go together.  The preset may then be changed in part,
 * and can be cleared. */
bool ns_preset_read(NsPreset *preset, const char *text, size_t size, GError **error);

/* The same from a file; errors name it.  A text file that lies beside the preset is found there. */
bool ns_preset_load(NsPreset *preset, const char *path, GError **error);

/* Puts the paths of those texts to learn that lie in this folder, relative to it, in the place of
 * their names. */
void ns_preset_find_texts(NsExperiment *experiment, const char *folder);

/* The text, which reads back to the same bits.  What all lanes share stands before the sections;
 * what is a default in all of them is left out.  Free with g_free. */
char *ns_preset_write(const NsPreset *preset);
