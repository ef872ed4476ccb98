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
 * Settings before the first section apply to all lanes, those in a section to that lane.  Without
 * sections there is one lane.  The other keys belong before the first section:
 *
 *     title, note   for people
 *     page          the page of the window to begin with
 *     chart         the chart to look at, as “loss” or “hidden-norm:token-cosine”
 *     step          the step to run to before it is shown
 *     run           the step where Run stops in lecture mode
 *     hide          settings and parts of the window that are not shown, with commas between
 *     large-text    on: text for the last row of a lecture hall
 *     claim         what the note says, for the tests to measure; repeatable, and not written */
#pragma once

#include "core/experiment/experiment.h"
#include "core/store/entries.h"

/* The section that begins a scene of a lecture; a preset has none. */
#define NS_SCENE "scene"

/* Texts are owned; NULL if absent. */
typedef struct {
    NsExperiment experiment;
    char *note, *page, *chart;
    char **claims; /* NULL-terminated; NULL if there are none */
    int64_t step;  /* 0: not to run */
    int64_t run;   /* 0: Run does not stop */
    bool large_text;
} NsPreset;

/* Initializes one lane with the default settings. */
void ns_preset_init(NsPreset *preset);
void ns_preset_clear(NsPreset *preset);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsPreset, ns_preset_clear)

/* Whether a text has the format of a preset: it consists of entries, and the first one is the
 * section [A] or has a key of presets. */
bool ns_preset_is(const char *text, size_t size);

/* Whether only the first entry is like that of a preset, whatever follows: it may be a preset with
 * a mistake. */
bool ns_preset_begins(const char *text, size_t size);

/* Reads a preset into an initialized one with one lane, whose settings are the initial values of
 * every lane.  NS_ERROR_SETTING names the line: one that is not an entry, an unknown key (with the
 * nearest known one), a value that is invalid or conflicts with another named setting, a lane out
 * of order or repeated; or it names the lane whose settings conflict.  The preset may then be
 * partly changed, and can be cleared. */
bool ns_preset_read(NsPreset *preset, const char *text, size_t size, GError **error);

/* The same from a part of a text, from the entry *at to the next section [scene]
 * (core/store/lecture.h) or to the end, where *at then is. */
bool ns_preset_read_entries(NsPreset *preset, const NsEntries *entries, size_t *at, GError **error);

/* The same from a file; errors name the file.  Relative paths of texts are looked up in the folder
 * of the preset first. */
bool ns_preset_load(NsPreset *preset, const char *path, GError **error);

/* Replaces the relative path of every training text that exists in this folder by its path
 * there. */
void ns_preset_find_texts(NsExperiment *experiment, const char *folder);

/* The text of a preset, which reads back to the same bits.  Settings that all lanes share come
 * before the sections; those that are the default in all lanes are omitted.  Free with g_free. */
char *ns_preset_write(const NsPreset *preset);
