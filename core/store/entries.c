/* SPDX-License-Identifier: MIT */
#include "core/store/entries.h"

#include "core/base/choice.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/reader.h"

#include <string.h>

#define KEY_CHARACTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-"

/* The strings of the entries point into the lines, which were cut by writing zero bytes. */
struct NsEntries {
    char **lines;
    GArray *rows; /* elements are NsEntry */
};

void ns_entries_free(NsEntries *entries)
{
    if (!entries) return;
    g_strfreev(entries->lines);
    g_array_unref(entries->rows);
    g_free(entries);
}

const NsEntry *ns_entries_at(const NsEntries *entries, size_t i)
{
    return i < entries->rows->len ? &g_array_index(entries->rows, NsEntry, i) : NULL;
}

static bool is_key(const char *word)
{
    return *word && strspn(word, KEY_CHARACTERS) == strlen(word);
}

/* Reads sections, "[A]", and values, "key = value". */
static bool read_lines(NsEntries *entries, GError **error)
{
    NsEntry entry = {.section = ""};
    for (char **line = entries->lines; *line; line++) {
        char *text = g_strstrip(*line);
        entry.line++;
        if (!*text || *text == '#') continue;
        char *end = text + strlen(text) - 1, *equals = strchr(text, '=');
        bool section = *text == '[', good = section ? *end == ']' : equals != NULL;
        if (good) *(section ? end : equals) = '\0';
        entry.key = entry.value = NULL;
        if (section) {
            entry.section = g_strstrip(text + 1);
        } else if (good) {
            entry.key = g_strstrip(text);
            entry.value = g_strstrip(equals + 1);
        }
        if (!good || !is_key(section ? entry.section : entry.key))
            return ns_refuse(error, NS_ERROR_SETTING,
                             N_("Line %zu is neither “key = value”, such as placement = pre, nor "
                                "the name of a section, such as [A]."),
                             entry.line);
        g_array_append_val(entries->rows, entry);
    }
    return true;
}

NsEntries *ns_entries_new(const char *text, size_t size, GError **error)
{
    if (size > NS_ENTRIES_MAX || !g_utf8_validate(text, (gssize)size, NULL))
        return ns_refuse_null(error, NS_ERROR_SETTING,
                              "This is not a text of lines “key = value”: it is %s.",
                              size > NS_ENTRIES_MAX ? "longer than 64 KiB" : "not UTF-8");
    g_autofree char *copy = g_strndup(text, size);
    memset(copy, ' ', ns_byte_order_mark(text, size));
    NsEntries *entries = g_new0(NsEntries, 1);
    entries->lines = g_strsplit(g_strdelimit(copy, "\r", ' '), "\n", -1);
    entries->rows = g_array_new(FALSE, FALSE, sizeof(NsEntry));
    if (read_lines(entries, error)) return entries;
    ns_entries_free(entries);
    return NULL;
}

bool ns_entry_blame(const NsEntry *entry, GError *wrong, GError **error)
{
    g_prefix_error(&wrong, _("Line %zu: "), entry->line);
    g_propagate_error(error, wrong);
    return false;
}

void ns_entry_list(const NsEntry *entry, char ***list)
{
    size_t n = *list ? g_strv_length(*list) : 0;
    *list = g_renew(char *, *list, n + 2);
    (*list)[n] = g_strdup(entry->value);
    (*list)[n + 1] = NULL;
}

void ns_entry_write(GString *out, const char *key, const char *value)
{
    g_autofree char *line = g_strdup(value);
    g_string_append_printf(out, "%s = %s\n", key, g_strdelimit(line, "\r\n", ' '));
}

bool ns_entry_unknown(const NsEntry *entry, const char *const *keys, GError **error)
{
    NsNearest near = {0};
    g_autoptr(GString) all = g_string_new(NULL);
    for (size_t i = 0; keys[i]; i++) {
        ns_nearest_look(&near, entry->key, keys[i]);
        g_string_append_printf(all, "%s%s", i ? ", " : "", keys[i]);
    }
    return ns_refuse(error, NS_ERROR_SETTING,
                     near.key ? N_("Line %zu: There is no key “%s”; did you mean “%s”?")
                              : N_("Line %zu: There is no key “%s”; there are %s."),
                     entry->line, entry->key, near.key ? near.key : all->str);
}
