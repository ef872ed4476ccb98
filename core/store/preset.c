/* SPDX-License-Identifier: MIT */
#include "core/store/preset.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/reader.h"
#include "core/experiment/param.h"

#include <string.h>

#define LAST_STEP 1000000000

/* The keys that are no settings. */
static const char *const keys[] = {"title", "note",       "page", "chart", "step",
                                   "run",   "large-text", "hide", "claim", NULL};

void ns_preset_init(NsPreset *preset)
{
    *preset = (NsPreset){0};
    ns_experiment_init(&preset->experiment);
}

void ns_preset_clear(NsPreset *preset)
{
    ns_experiment_clear(&preset->experiment);
    g_clear_pointer(&preset->note, g_free);
    g_clear_pointer(&preset->page, g_free);
    g_clear_pointer(&preset->chart, g_free);
    g_clear_pointer(&preset->claims, g_strfreev);
}

/* ---- Reading ---- */

typedef struct {
    NsPreset *preset;
    size_t lane;         /* the lane that is being read */
    NsNamed head, named; /* keys set before the first section, and those in the current section */
    bool sections;
} Reader;

/* `others`: valid keys that are not settings; may be NULL. */
static bool refuse_key(const NsEntry *entry, const char *const *others, GError **error)
{
    GError *wrong = NULL;
    ns_settings_unknown(entry->key, others, &wrong);
    return ns_entry_blame(entry, wrong, error);
}

/* Reads a key that is not a setting. */
static bool read_other(NsPreset *preset, const NsEntry *entry, GError **error)
{
    char **text = g_str_equal(entry->key, "title")   ? &preset->experiment.title
                  : g_str_equal(entry->key, "note")  ? &preset->note
                  : g_str_equal(entry->key, "page")  ? &preset->page
                  : g_str_equal(entry->key, "chart") ? &preset->chart
                                                     : NULL;
    if (g_str_equal(entry->key, "large-text")) {
        int i = ns_choices_find(ns_toggle_choice, entry->value);
        preset->large_text = i == NS_TOGGLE_ON;
        if (i >= 0) return true;
        return ns_refuse(error, NS_ERROR_SETTING, N_("Line %zu: %s is “%s”; it must be on or off."),
                         entry->line, entry->key, entry->value);
    }
    int64_t *step = g_str_equal(entry->key, "step")  ? &preset->step
                    : g_str_equal(entry->key, "run") ? &preset->run
                                                     : NULL;
    if (step)
        return g_ascii_string_to_signed(entry->value, 10, 0, LAST_STEP, step, NULL) ||
               ns_refuse(error, NS_ERROR_SETTING,
                         N_("Line %zu: %s is “%s”; it must be a number of steps, at most %d."),
                         entry->line, entry->key, entry->value, LAST_STEP);
    if (text) {
        g_free(*text);
        *text = *entry->value ? g_strdup(entry->value) : NULL;
    } else if (g_str_equal(entry->key, "hide")) {
        g_strfreev(preset->experiment.hide);
        g_autoptr(GStrvBuilder) list = g_strv_builder_new();
        g_auto(GStrv) words = g_strsplit(entry->value, ",", -1);
        for (char **word = words; *word; word++)
            if (*g_strstrip(*word)) g_strv_builder_add(list, *word);
        preset->experiment.hide = g_strv_builder_end(list);
    } else if (g_str_equal(entry->key, "claim")) {
        ns_entry_list(entry, &preset->claims);
    } else {
        return refuse_key(entry, keys, error);
    }
    return true;
}

static bool read_entry(Reader *reader, const NsEntry *entry, GError **error)
{
    NsPreset *preset = reader->preset;
    if (!entry->key) {
        /* Lanes have to come in order.  Each begins with the settings from before the first
         * section. */
        size_t next = reader->sections ? reader->lane + 1 : 0;
        if (next >= NS_LANES_MAX || ns_lane_find(entry->section) != next)
            return ns_refuse(error, NS_ERROR_SETTING,
                             N_("Line %zu: [%s] was not expected here; lanes are [A], [B], [C] and "
                                "[D], in this order, each at most once."),
                             entry->line, entry->section);
        if (!reader->sections) reader->head = reader->named;
        reader->sections = true;
        reader->lane = next;
        reader->named = ns_named_below(&reader->head);
        return true;
    }
    if (ns_param_find(entry->key)) {
        GError *wrong = NULL;
        return ns_settings_name(&preset->experiment.lane[reader->lane], &reader->named, entry->key,
                                entry->value, &wrong) ||
               ns_entry_blame(entry, wrong, error);
    }
    return reader->sections ? refuse_key(entry, NULL, error) : read_other(preset, entry, error);
}

bool ns_preset_read_entries(NsPreset *preset, const NsEntries *entries, size_t *at, GError **error)
{
    Reader reader = {.preset = preset};
    const NsEntry *entry;
    size_t lanes = 0, end = *at;
    for (; (entry = ns_entries_at(entries, end)); end++) {
        if (!entry->key && g_str_equal(entry->section, NS_SCENE)) break;
        lanes += !entry->key;
    }
    for (; *at < end && (entry = ns_entries_at(entries, *at))->key; ++*at)
        if (!read_entry(&reader, entry, error)) return false;
    ns_experiment_resize(&preset->experiment, CLAMP(lanes, 1, NS_LANES_MAX), 0);
    for (; *at < end; ++*at)
        if (!read_entry(&reader, ns_entries_at(entries, *at), error)) return false;
    ns_experiment_link(&preset->experiment);
    ns_experiment_settle(&preset->experiment, preset->experiment.n);
    size_t lane;
    if (ns_experiment_check(&preset->experiment, &lane, error)) return true;
    if (preset->experiment.n > 1) g_prefix_error(error, "Lane %s: ", ns_lane_letter(lane));
    return false;
}

bool ns_preset_read(NsPreset *preset, const char *text, size_t size, GError **error)
{
    size_t at = 0;
    g_autoptr(NsEntries) entries = ns_entries_new(text, size, error);
    if (!entries || !ns_preset_read_entries(preset, entries, &at, error)) return false;
    const NsEntry *scene = ns_entries_at(entries, at);
    return !scene ||
           ns_refuse(error, NS_ERROR_SETTING,
                     N_("Line %zu: [scene] belongs to a lecture; a preset has none."), scene->line);
}

/* Whether a preset can begin with this entry. */
static bool opens(const NsEntry *first)
{
    if (!first) return false;
    if (!first->key) return ns_lane_find(first->section) == 0;
    bool other = g_strv_contains(keys, first->key) && !g_str_equal(first->key, "claim");
    return other || ns_param_find(first->key);
}

bool ns_preset_is(const char *text, size_t size)
{
    g_autoptr(NsEntries) entries = ns_entries_new(text, size, NULL);
    return entries && opens(ns_entries_at(entries, 0));
}

bool ns_preset_begins(const char *text, size_t size)
{
    for (const char *at = text, *end = text + size; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        g_autoptr(NsEntries) entries = ns_entries_new(at, (size_t)(next - at), NULL);
        if (!entries) return false;
        if (ns_entries_at(entries, 0)) return opens(ns_entries_at(entries, 0));
        at = next;
    }
    return false;
}

void ns_preset_find_texts(NsExperiment *experiment, const char *folder)
{
    for (size_t i = 0; i < experiment->n; i++) {
        char **path;
        for (size_t k = 0; (path = ns_settings_file(&experiment->lane[i], k)); k++) {
            if (!**path || g_path_is_absolute(*path)) continue;
            g_autofree char *neighbor = g_build_filename(folder, *path, NULL);
            if (!g_file_test(neighbor, G_FILE_TEST_EXISTS)) continue;
            g_free(*path);
            *path = g_steal_pointer(&neighbor);
        }
    }
}

bool ns_preset_load(NsPreset *preset, const char *path, GError **error)
{
    size_t size;
    g_autofree char *text = ns_read_file(path, NS_ENTRIES_MAX, &size, error);
    if (!text) return false;
    if (size == 0) {
        g_autofree char *name = g_filename_display_basename(path);
        return ns_refuse(
            error, NS_ERROR_SETTING,
            N_("“%s” is empty; a preset consists of lines “key = value”, such as placement = pre."),
            name);
    }
    g_autoptr(GError) wrong = NULL;
    if (!ns_preset_read(preset, text, size, &wrong)) {
        g_autofree char *name = g_filename_display_basename(path);
        return ns_refuse(error, NS_ERROR_SETTING, "“%s”: %s", name, wrong->message);
    }
    g_autofree char *folder = g_path_get_dirname(path);
    ns_preset_find_texts(&preset->experiment, folder);
    return true;
}

/* ---- Writing ---- */

static void write_setting(GString *out, const NsSettings *settings, const NsParam *param)
{
    g_autofree char *value = ns_settings_get(settings, param);
    ns_entry_write(out, param->key, value);
}

char *ns_preset_write(const NsPreset *preset)
{
    GString *out = g_string_new(NULL);
    const NsParam *param;
    const NsExperiment *experiment = &preset->experiment;
    if (experiment->title) ns_entry_write(out, "title", experiment->title);
    if (preset->note) ns_entry_write(out, "note", preset->note);
    if (preset->page) ns_entry_write(out, "page", preset->page);
    if (preset->chart) ns_entry_write(out, "chart", preset->chart);
    if (preset->step) g_string_append_printf(out, "step = %" G_GINT64_FORMAT "\n", preset->step);
    if (preset->run) g_string_append_printf(out, "run = %" G_GINT64_FORMAT "\n", preset->run);
    if (experiment->hide && *experiment->hide) {
        g_autofree char *list = g_strjoinv(", ", experiment->hide);
        ns_entry_write(out, "hide", list);
    }
    if (preset->large_text) ns_entry_write(out, "large-text", "on");
    for (size_t i = 0; (param = ns_param(i)); i++)
        if (!ns_experiment_differs(experiment, param) &&
            !ns_settings_is_default(&experiment->lane[0], param))
            write_setting(out, &experiment->lane[0], param);
    for (size_t lane = 0; experiment->n > 1 && lane < experiment->n; lane++) {
        g_string_append_printf(out, "%s[%s]\n", out->len ? "\n" : "", ns_lane_letter(lane));
        for (size_t i = 0; (param = ns_param(i)); i++)
            if (ns_experiment_names(experiment, lane, param))
                write_setting(out, &experiment->lane[lane], param);
    }
    return g_string_free(out, FALSE);
}
