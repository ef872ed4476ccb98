/* Lectures: presets one after another.  SPDX-License-Identifier: MIT
 *
 *     title = Where the norm sits, in ten minutes
 *     note = For an audience that knows the Transformer.
 *
 *     [scene]
 *     title = Two models, one difference
 *     note = Lane A is Post-LN, lane B is Pre-LN; all else is the same.
 *     page = dashboard
 *     chart = loss
 *     step = 100
 *     layers = 6
 *
 *     [A]
 *     placement = post
 *
 *     [B]
 *     placement = pre
 *
 *     [scene]
 *     title = …
 *
 * The title and the note of the lecture come first.  Each section [scene] begins a scene, and what
 * follows up to the next one is the text of a preset (core/store/preset.h). */
#pragma once

#include "core/store/preset.h"

#define NS_LECTURE_SUFFIX ".lecture"

typedef struct {
    NsPreset preset;
    size_t line; /* where it begins in the text */
} NsScene;

/* Texts are owned; NULL if absent. */
typedef struct {
    char *title, *note;
    NsScene *scene; /* [n] */
    size_t n;       /* at least 1 */
} NsLecture;

/* Parses a lecture.  Returns NULL with NS_ERROR_SETTING; the message names the line. */
NsLecture *ns_lecture_new(const char *text, size_t size, GError **error);
void ns_lecture_free(NsLecture *lecture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLecture, ns_lecture_free)

/* Parses the i-th bundled lecture (ns_lecture_choice). */
NsLecture *ns_lecture_open(size_t i, GError **error);

/* Whether a file is a lecture, possibly with mistakes: it has a section [scene] and begins like a
 * preset, or its name ends in ".lecture". */
bool ns_lecture_is(const char *path);

/* The same as ns_lecture_new from a file, which the errors name.  Relative paths of texts are
 * looked up in its folder first. */
NsLecture *ns_lecture_load(const char *path, GError **error);

/* Appends a scene to the lecture in a file, or makes the file if there is none, and returns the
 * number of its scenes.  Nothing that the file has is changed; 0, without any change, if it is no
 * lecture without mistakes or cannot be written. */
size_t ns_lecture_append(const char *path, const NsPreset *scene, GError **error);

/* A scene of a file, with the title and the note that it shall have; "" for none. */
typedef struct {
    size_t scene;
    const char *title, *note;
} NsSceneEdit;

/* Gives the lecture in a file these of its first `listed` scenes, in this order; the others of them
 * are removed, and scenes that were added since stay at the end.  Of a scene only its title and
 * note change.  false, without any change, if the file has fewer scenes than `listed`, is no
 * lecture without mistakes or would be none afterwards, or if it cannot be written. */
bool ns_lecture_edit(const char *path, size_t listed, const NsSceneEdit *edits, size_t n,
                     GError **error);
