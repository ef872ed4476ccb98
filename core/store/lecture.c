/* SPDX-License-Identifier: MIT */
#include "core/store/lecture.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/reader.h"
#include "core/store/bundled.h"
#include "core/store/output_file.h"

#include <string.h>

void ns_lecture_free(NsLecture *lecture)
{
    if (!lecture) return;
    for (size_t i = 0; i < lecture->n; i++) ns_preset_clear(&lecture->scene[i].preset);
    g_free(lecture->scene);
    g_free(lecture->title);
    g_free(lecture->note);
    g_free(lecture);
}

NsLecture *ns_lecture_new(const char *text, size_t size, GError **error)
{
    static const char *const keys[] = {"title", "note", NULL};
    g_autoptr(NsEntries) entries = ns_entries_new(text, size, error);
    if (!entries) return NULL;
    g_autoptr(NsLecture) lecture = g_new0(NsLecture, 1);
    const NsEntry *entry;
    size_t at = 0;
    for (; (entry = ns_entries_at(entries, at)) && entry->key; at++) {
        if (!g_strv_contains(keys, entry->key)) return ns_entry_unknown(entry, keys, error), NULL;
        char **own = g_str_equal(entry->key, "title") ? &lecture->title : &lecture->note;
        g_free(*own);
        *own = g_strdup(entry->value);
    }
    if (!entry || !g_str_equal(entry->section, NS_SCENE))
        return ns_refuse_null(
            error, NS_ERROR_SETTING,
            N_("Line %zu: a lecture begins with its title, and then needs a [scene]."),
            entry ? entry->line : 1);
    while ((entry = ns_entries_at(entries, at++))) {
        GError *wrong = NULL;
        lecture->scene = g_renew(NsScene, lecture->scene, lecture->n + 1);
        NsScene *scene = &lecture->scene[lecture->n++];
        scene->line = entry->line;
        ns_preset_init(&scene->preset);
        if (ns_preset_read_entries(&scene->preset, entries, &at, &wrong)) continue;
        /* Settings that conflict are of no single line; at the end of the scene all were read. */
        const NsEntry *end = ns_entries_at(entries, at);
        bool whole = !end || (!end->key && g_str_equal(end->section, NS_SCENE));
        if (whole) g_prefix_error(&wrong, _("Line %zu: "), entry->line);
        g_propagate_error(error, wrong);
        return NULL;
    }
    return g_steal_pointer(&lecture);
}

NsLecture *ns_lecture_open(size_t i, GError **error)
{
    g_autoptr(GBytes) bytes = ns_lecture_text(i);
    gsize size;
    const char *text = g_bytes_get_data(bytes, &size);
    return ns_lecture_new(text, size, error);
}

bool ns_lecture_is(const char *path)
{
    size_t size;
    if (g_str_has_suffix(path, NS_LECTURE_SUFFIX)) return true;
    g_autofree char *text = ns_read_file(path, NS_ENTRIES_MAX, &size, NULL);
    if (!text || !ns_preset_begins(text, size)) return false;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        if (g_str_equal(g_strstrip(*line), "[" NS_SCENE "]")) return true;
    return false;
}

/* The text of a file and the lecture in it; the errors name the file. */
static NsLecture *load(const char *path, char **text, size_t *size, GError **error)
{
    g_autoptr(GError) wrong = NULL;
    *text = ns_read_file(path, NS_ENTRIES_MAX, size, error);
    NsLecture *lecture = *text ? ns_lecture_new(*text, *size, &wrong) : NULL;
    if (!wrong) return lecture;
    g_autofree char *name = g_filename_display_basename(path);
    return ns_refuse_null(error, NS_ERROR_SETTING, "“%s”: %s", name, wrong->message);
}

NsLecture *ns_lecture_load(const char *path, GError **error)
{
    size_t size;
    g_autofree char *text = NULL;
    NsLecture *lecture = load(path, &text, &size, error);
    g_autofree char *folder = g_path_get_dirname(path);
    for (size_t i = 0; lecture && i < lecture->n; i++)
        ns_preset_find_texts(&lecture->scene[i].preset.experiment, folder);
    return lecture;
}

size_t ns_lecture_append(const char *path, const NsPreset *scene, GError **error)
{
    size_t size = 0, scenes = 0;
    g_autofree char *text = NULL, *added = ns_preset_write(scene);
    g_autoptr(GString) out = g_string_new(NULL);
    if (g_file_test(path, G_FILE_TEST_EXISTS)) {
        g_autoptr(NsLecture) lecture = load(path, &text, &size, error);
        if (!lecture) return 0;
        scenes = lecture->n;
        g_string_append_len(out, text, (gssize)size);
        if (out->str[out->len - 1] != '\n') g_string_append_c(out, '\n');
    } else {
        g_autofree char *name = g_filename_display_basename(path);
        if (g_str_has_suffix(name, NS_LECTURE_SUFFIX))
            name[strlen(name) - strlen(NS_LECTURE_SUFFIX)] = '\0';
        ns_entry_write(out, "title", name);
    }
    g_string_append_printf(out, "\n[" NS_SCENE "]\n%s", added);
    /* A text that could not be opened again is not written. */
    g_autoptr(NsLecture) longer = ns_lecture_new(out->str, out->len, error);
    return longer && ns_save(path, out->str, out->len, error) ? scenes + 1 : 0;
}

bool ns_lecture_edit(const char *path, size_t listed, const NsSceneEdit *edits, size_t n,
                     GError **error)
{
    size_t size;
    g_autofree char *text = NULL;
    g_autoptr(NsLecture) lecture = load(path, &text, &size, error);
    if (!lecture) return false;
    if (lecture->n < listed)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "Scenes were removed from the file since they were listed here. List them "
                         "again.");
    size_t scenes = n + lecture->n - listed;
    g_autofree char *whole = g_strndup(text, size);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(whole), "\n", -1);
    g_autoptr(GString) out = g_string_new(NULL);
    for (size_t i = 0; i + 1 < lecture->scene[0].line; i++)
        g_string_append_printf(out, "%s\n", lines[i]);
    for (size_t i = 0; i < scenes; i++) {
        const NsSceneEdit *edit = i < n ? &edits[i] : NULL; /* newer scenes stay, at the end */
        size_t at = edit ? edit->scene : listed + i - n;
        const NsScene *scene = &lecture->scene[at];
        size_t end = at + 1 < lecture->n ? scene[1].line - 1 : g_strv_length(lines);
        bool words = !edit; /* a title and a note of its own stand before the lanes */
        g_string_append_printf(out, "%s\n", lines[scene->line - 1]);
        if (edit && *edit->title) ns_entry_write(out, "title", edit->title);
        if (edit && *edit->note) ns_entry_write(out, "note", edit->note);
        for (size_t k = scene->line; k < end; k++) {
            g_autofree char *key = g_strndup(lines[k], strcspn(lines[k], "="));
            g_strstrip(key);
            words |= *key == '[';
            if (!words && (g_str_equal(key, "title") || g_str_equal(key, "note"))) continue;
            g_string_append_printf(out, "%s\n", lines[k]);
        }
        if (end == g_strv_length(lines) && i + 1 < scenes) g_string_append_c(out, '\n');
    }
    g_autoptr(NsLecture) edited = ns_lecture_new(out->str, out->len, error);
    return edited && ns_save(path, out->str, out->len, error);
}
