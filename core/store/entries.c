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

static bool refuse(size_t line, GError **error)
{
    return ns_refuse(
        error, NS_ERROR_SETTING,
        N_("Line %zu is neither “key = value”, such as placement = pre, nor the name of a "
           "section, such as [A]."),
        line);
}

static bool is_key(const char *word)
{
    return *word && strspn(word, KEY_CHARACTERS) == strlen(word);
}

/* Reads a section, "[A]". */
static bool read_section(NsEntry *entry, char *line, GError **error)
{
    size_t length = strlen(line);
    if (line[length - 1] != ']') return refuse(entry->line, error);
    line[length - 1] = '\0';
    if (!is_key(g_strstrip(line + 1))) return refuse(entry->line, error);
    entry->section = line + 1;
    entry->key = entry->value = NULL;
    return true;
}

static bool read_value(NsEntry *entry, char *line, GError **error)
{
    char *equals = strchr(line, '=');
    if (!equals) return refuse(entry->line, error);
    *equals = '\0';
    entry->key = g_strstrip(line);
    entry->value = g_strstrip(equals + 1);
    return is_key(entry->key) || refuse(entry->line, error);
}

static bool read_lines(NsEntries *entries, GError **error)
{
    NsEntry entry = {.section = ""};
    for (char **line = entries->lines; *line; line++) {
        entry.line++;
        g_strstrip(*line);
        if (!**line || **line == '#') continue;
        bool ok =
            **line == '[' ? read_section(&entry, *line, error) : read_value(&entry, *line, error);
        if (!ok) return false;
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
