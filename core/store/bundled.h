/* The presets and lessons that are bundled with the program.  SPDX-License-Identifier: MIT
 *
 * They are files in resources/presets and resources/lessons, listed in resources/bundled, in the
 * order of their names: 3-post-warmup.preset has the key post-warmup.  As in every registry, a
 * row's label is its title; its purpose is the note of a preset or the summary of a lesson.  The
 * first lesson is the quick tour for newcomers; the others are numbered by their position. */
#pragma once

#include "core/base/choice.h"
#include "core/store/preset.h"

const NsChoice *ns_preset_choice(size_t i); /* NULL past the end */
const NsChoice *ns_lesson_choice(size_t i);

/* The text of the i-th lesson as it is; unref it with g_bytes_unref. */
GBytes *ns_lesson_text(size_t i);

/* Reads a preset of the program by its key into one that is initialized.  NS_ERROR_USAGE where
 * there is none, with the nearest or with all keys. */
bool ns_preset_find(NsPreset *preset, const char *key, GError **error);

/* By its key, or from a file where the word is no plain key: it holds a slash or a full stop. */
bool ns_preset_open(NsPreset *preset, const char *word, GError **error);
