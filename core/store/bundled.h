/* Presets, lessons, lectures and the paper's report, bundled with the program.
 * SPDX-License-Identifier: MIT
 *
 * They are files in resources/presets, lessons and lectures, listed in resources/bundled, in the
 * order of their names: 3-post-warmup.preset has the key post-warmup.  As in every registry, a
 * row's label is its title; its purpose is its note, or the summary of a lesson.  The
 * first lesson is the quick tour for newcomers; the others are numbered by their position. */
#pragma once

#include "core/base/choice.h"
#include "core/store/preset.h"

const NsChoice *ns_preset_choice(size_t i); /* NULL past the end */
const NsChoice *ns_lesson_choice(size_t i);
const NsChoice *ns_lecture_choice(size_t i);

/* The results of this release's studies on fresh seeds, a line each as ns_paper_json writes it;
 * unref with g_bytes_unref. */
GBytes *ns_bundled_report(void);

/* The unparsed text of the i-th lesson or lecture; unref it with g_bytes_unref. */
GBytes *ns_lesson_text(size_t i);
GBytes *ns_lecture_text(size_t i);

/* Reads a bundled preset by its key into an initialized one.  Fails with NS_ERROR_USAGE if no
 * preset has this key; the message names the nearest key or all keys. */
bool ns_preset_find(NsPreset *preset, const char *key, GError **error);

/* Reads a preset by its key, or from a file if the word contains a slash or a full stop, or if it
 * is not a key and a file of that name exists. */
bool ns_preset_open(NsPreset *preset, const char *word, GError **error);

/* The text of which a model in PyTorch is made (core/store/pytorch.h), with a zero byte after it;
 * unref it with g_bytes_unref. */
GBytes *ns_model_text(void);
