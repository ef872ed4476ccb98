/* The user's own lectures, and dialogs that add a scene to one and edit its scenes.
 * SPDX-License-Identifier: MIT
 *
 * New lectures are files in the folder “lectures” of the user's data, named by their titles, with a
 * number if there is one of that name. */
#pragma once

#include "core/store/lecture.h"

#include <gtk/gtk.h>

/* The files there, sorted; free with g_strfreev. */
char **ns_own_lectures(void);

/* The name of a file without its folder and suffix.  Free with g_free. */
char *ns_lecture_name(const char *path);

/* Takes what was entered; the file may not exist yet.  An empty text was not entered.  An error is
 * shown in the dialog, which stays. */
typedef bool (*NsSceneEntered)(gpointer window, const char *path, const char *title,
                               const char *note, GError **error);

/* Asks for the title of a scene and its note (`title` and `note`, or NULL, are suggested), and the
 * lecture: a new one, or one of those there, of which the one that was changed last is suggested;
 * `open` is another one, which is suggested in its place, or NULL.  `remark` says how the scene
 * will differ from what is shown; NULL if it does not. */
void ns_scene_dialog_show(GtkWindow *window, const char *title, const char *note, const char *open,
                          const char *remark, NsSceneEntered entered);

/* Takes the scenes as they shall be (ns_lecture_edit).  An error is shown among them. */
typedef bool (*NsScenesEdited)(gpointer window, const char *path, size_t listed,
                               const NsSceneEdit *edits, size_t n, GError **error);

/* Lists the scenes of the lecture in a file, to move, rename and remove them. */
void ns_scene_editor_show(GtkWindow *window, const char *path, const NsLecture *lecture,
                          NsScenesEdited edited);
