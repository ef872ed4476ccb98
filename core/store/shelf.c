/* SPDX-License-Identifier: MIT */
#include "core/store/shelf.h"

#include "core/base/error.h"
#include "core/store/entries.h"

#include <gio/gio.h>
#include <string.h>

#define FOLDER "/org/normscope/shelf/"

/* The name that the resource compiler gives to the bundle. */
GResource *normscope_shelf_get_resource(void);

/* One folder of the bundle, read once. */
typedef struct {
    const char *folder;
    const char *purpose; /* the key of the row's purpose */
    char **names;        /* of files, sorted */
    NsChoice *rows;      /* [n] */
    size_t n;
} Shelf;

static GBytes *read_file(const Shelf *shelf, size_t i)
{
    g_autofree char *path = g_strconcat(FOLDER, shelf->folder, "/", shelf->names[i], NULL);
    return g_resource_lookup_data(normscope_shelf_get_resource(), path,
                                  G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
}

/* "3-post-warmup.preset": "post-warmup" */
static char *key_of(const char *name)
{
    const char *begin = name + strspn(name, G_CSET_DIGITS "-");
    return g_strndup(begin, strcspn(begin, "."));
}

static void read_row(const Shelf *shelf, size_t i)
{
    NsChoice *row = &shelf->rows[i];
    *row = (NsChoice){.key = key_of(shelf->names[i])};
    g_autoptr(GBytes) bytes = read_file(shelf, i);
    gsize size;
    const char *text = g_bytes_get_data(bytes, &size);
    g_autoptr(NsEntries) entries = ns_entries_new(text, size, NULL);
    const NsEntry *entry;
    for (size_t e = 0; entries && (entry = ns_entries_at(entries, e)) && entry->key; e++) {
        if (g_str_equal(entry->key, "title")) row->label = g_strdup(entry->value);
        if (g_str_equal(entry->key, shelf->purpose)) row->purpose = g_strdup(entry->value);
    }
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static const Shelf *open_shelf(Shelf *shelf)
{
    if (!g_once_init_enter(&shelf->rows)) return shelf;
    g_autofree char *path = g_strconcat(FOLDER, shelf->folder, NULL);
    shelf->names = g_resource_enumerate_children(normscope_shelf_get_resource(), path,
                                                 G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    shelf->n = shelf->names ? g_strv_length(shelf->names) : 0;
    if (shelf->n) qsort(shelf->names, shelf->n, sizeof *shelf->names, by_name);
    NsChoice *rows = g_new0(NsChoice, shelf->n + 1);
    Shelf filling = *shelf;
    filling.rows = rows;
    for (size_t i = 0; i < shelf->n; i++) read_row(&filling, i);
    g_once_init_leave(&shelf->rows, rows);
    return shelf;
}

static const Shelf *presets(void)
{
    static Shelf shelf = {.folder = "presets", .purpose = "note"};
    return open_shelf(&shelf);
}

static const Shelf *lessons(void)
{
    static Shelf shelf = {.folder = "lessons", .purpose = "summary"};
    return open_shelf(&shelf);
}

static const NsChoice *row(const Shelf *shelf, size_t i)
{
    return i < shelf->n ? &shelf->rows[i] : NULL;
}

const NsChoice *ns_preset_choice(size_t i)
{
    return row(presets(), i);
}

const NsChoice *ns_lesson_choice(size_t i)
{
    return row(lessons(), i);
}

GBytes *ns_preset_text(size_t i)
{
    return read_file(presets(), i);
}

GBytes *ns_lesson_text(size_t i)
{
    return read_file(lessons(), i);
}

bool ns_preset_find(NsPreset *preset, const char *key, GError **error)
{
    int i = ns_choices_find(ns_preset_choice, key);
    if (i >= 0) {
        g_autoptr(GBytes) bytes = ns_preset_text((size_t)i);
        gsize size;
        const char *text = g_bytes_get_data(bytes, &size);
        return ns_preset_read(preset, text, size, error);
    }
    const NsChoice *near = ns_choices_nearest(ns_preset_choice, key);
    g_autofree char *keys = ns_choices_keys(ns_preset_choice);
    if (near)
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE, "There is no preset “%s”; did you mean “%s”?",
                    key, near->key);
    else
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "There is no preset “%s”; choose one of %s, or name a file.", key, keys);
    return false;
}

bool ns_preset_open(NsPreset *preset, const char *word, GError **error)
{
    bool known = ns_choices_find(ns_preset_choice, word) >= 0;
    bool file = strpbrk(word, "./") || (!known && g_file_test(word, G_FILE_TEST_EXISTS));
    return file ? ns_preset_load(preset, word, error) : ns_preset_find(preset, word, error);
}
