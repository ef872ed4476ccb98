/* SPDX-License-Identifier: MIT */
#include "core/store/bundled.h"

#include "core/base/error.h"
#include "core/store/entries.h"

#include <gio/gio.h>
#include <string.h>

#define FOLDER "/org/normscope/bundled/"

/* The name that the resource compiler gives to the bundle. */
GResource *normscope_bundled_get_resource(void);

static GBytes *lookup(const char *path)
{
    return g_resource_lookup_data(normscope_bundled_get_resource(), path,
                                  G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
}

GBytes *ns_model_text(void)
{
    return lookup(FOLDER "python/model.py.in");
}

enum Kind { PRESETS, LESSONS, LECTURES };

/* A folder of the bundle, read once. */
typedef struct {
    const char *name;
    const char *purpose; /* the key in a file whose value is the row's purpose */
    char **names;        /* names of the files, sorted */
    NsChoice *rows;      /* [n] */
    size_t n;
} Folder;

static GBytes *read_file(const Folder *folder, size_t i)
{
    g_autofree char *path = g_strconcat(FOLDER, folder->name, "/", folder->names[i], NULL);
    return lookup(path);
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static const Folder *open_folder(enum Kind kind)
{
    static Folder folders[] = {
        [PRESETS] = {.name = "presets", .purpose = "note"},
        [LESSONS] = {.name = "lessons", .purpose = "summary"},
        [LECTURES] = {.name = "lectures", .purpose = "note"},
    };
    Folder *folder = &folders[kind];
    if (!g_once_init_enter(&folder->rows)) return folder;
    g_autofree char *path = g_strconcat(FOLDER, folder->name, NULL);
    folder->names = g_resource_enumerate_children(normscope_bundled_get_resource(), path,
                                                  G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    folder->n = folder->names ? g_strv_length(folder->names) : 0;
    if (folder->n) qsort(folder->names, folder->n, sizeof *folder->names, by_name);
    NsChoice *rows = g_new0(NsChoice, folder->n + 1);
    Folder filling = *folder;
    filling.rows = rows;
    for (size_t i = 0; i < folder->n; i++) {
        NsChoice *row = &filling.rows[i];
        /* The key of a file: "post-warmup" for "3-post-warmup.preset". */
        const char *begin = filling.names[i] + strspn(filling.names[i], G_CSET_DIGITS "-");
        *row = (NsChoice){.key = g_strndup(begin, strcspn(begin, "."))};
        g_autoptr(GBytes) bytes = read_file(&filling, i);
        gsize size;
        const char *text = g_bytes_get_data(bytes, &size);
        g_autoptr(NsEntries) entries = ns_entries_new(text, size, NULL);
        const NsEntry *entry;
        for (size_t e = 0; entries && (entry = ns_entries_at(entries, e)) && entry->key; e++) {
            if (g_str_equal(entry->key, "title")) row->label = g_strdup(entry->value);
            if (g_str_equal(entry->key, filling.purpose)) row->purpose = g_strdup(entry->value);
        }
    }
    g_once_init_leave(&folder->rows, rows);
    return folder;
}

static const NsChoice *row(enum Kind kind, size_t i)
{
    const Folder *folder = open_folder(kind);
    return i < folder->n ? &folder->rows[i] : NULL;
}

const NsChoice *ns_preset_choice(size_t i)
{
    return row(PRESETS, i);
}

const NsChoice *ns_lesson_choice(size_t i)
{
    return row(LESSONS, i);
}

const NsChoice *ns_lecture_choice(size_t i)
{
    return row(LECTURES, i);
}

GBytes *ns_bundled_report(void)
{
    return lookup(FOLDER "studies/paper-report.jsonl");
}

GBytes *ns_lesson_text(size_t i)
{
    return read_file(open_folder(LESSONS), i);
}

GBytes *ns_lecture_text(size_t i)
{
    return read_file(open_folder(LECTURES), i);
}

bool ns_preset_find(NsPreset *preset, const char *key, GError **error)
{
    int i = ns_choices_find(ns_preset_choice, key);
    if (i >= 0) {
        g_autoptr(GBytes) bytes = read_file(open_folder(PRESETS), (size_t)i);
        gsize size;
        const char *text = g_bytes_get_data(bytes, &size);
        return ns_preset_read(preset, text, size, error);
    }
    const NsChoice *near = ns_choices_nearest(ns_preset_choice, key);
    g_autofree char *keys = ns_choices_keys(ns_preset_choice);
    if (near)
        return ns_refuse(error, NS_ERROR_USAGE, "There is no preset “%s”; did you mean “%s”?", key,
                         near->key);
    return ns_refuse(error, NS_ERROR_USAGE,
                     "There is no preset “%s”; choose one of %s, or name a file.", key, keys);
}

bool ns_preset_open(NsPreset *preset, const char *word, GError **error)
{
    bool known = ns_choices_find(ns_preset_choice, word) >= 0;
    bool file = strpbrk(word, "./") || (!known && g_file_test(word, G_FILE_TEST_EXISTS));
    return file ? ns_preset_load(preset, word, error) : ns_preset_find(preset, word, error);
}
