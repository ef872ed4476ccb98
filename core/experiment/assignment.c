/* SPDX-License-Identifier: MIT */
#include "core/experiment/assignment.h"

#include "core/base/error.h"

#include <string.h>

/* ---- Settings named by a user ---- */

static size_t row_of(const NsParam *param)
{
    return (size_t)(param - ns_param(0));
}

NsNamed ns_named_below(const NsNamed *named)
{
    NsNamed below = {0};
    ns_named_add(&below, named);
    return below;
}

void ns_named_add(NsNamed *named, const NsNamed *other)
{
    for (size_t i = 0; i < NS_PARAM_COUNT; i++) named->all[i] |= other->all[i];
}

bool ns_named_has(const NsNamed *named, const char *key)
{
    return named->all[row_of(ns_param_find(key))];
}

/* Whether a setting that was just named, in `after`, did not change or disable one that was named
 * before. */
static bool agrees(const NsSettings *before, const NsSettings *after, const bool *named,
                   const NsParam *param, GError **error)
{
    const NsParam *other;
    for (size_t i = 0; (other = ns_param(i)); i++) {
        if (other == param || !named[i] ||
            (ns_settings_same(before, after, other) && !ns_settings_is_idle(after, other)))
            continue;
        g_autofree char *x = ns_settings_get(before, other), *y = ns_settings_get(after, param);
        bool first = other < param; /* earlier in the table */
        return ns_refuse(error, NS_ERROR_SETTING,
                         "%s=%s and %s=%s cannot be combined; omit one of them.",
                         (first ? other : param)->key, first ? x : y, (first ? param : other)->key,
                         first ? y : x);
    }
    return true;
}

bool ns_settings_name(NsSettings *settings, NsNamed *named, const char *key, const char *value,
                      GError **error)
{
    g_auto(NsSettings) after;
    ns_settings_copy(&after, settings);
    const NsParam *param = ns_param_of(key, value);
    if (!ns_settings_set(&after, key, value, error) ||
        !agrees(settings, &after, named->all, param, error))
        return false;
    if (named->here[row_of(param)] && !ns_settings_same(settings, &after, param)) {
        g_autofree char *x = ns_settings_get(settings, param), *y = ns_settings_get(&after, param);
        return ns_refuse(error, NS_ERROR_SETTING,
                         "%s is given twice, as %s and as %s; omit one of them.", param->key, x, y);
    }
    NsSettings before = *settings;
    *settings = after;
    after = before; /* which is cleared */
    named->all[row_of(param)] = named->here[row_of(param)] = true;
    return true;
}

/* ---- Lists of assignments ---- */

bool ns_settings_name_assignment(NsSettings *settings, NsNamed *named, const char *assignment,
                                 GError **error)
{
    const char *equals = strchr(assignment, '=');
    if (!equals)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "“%s” is not a setting; write key=value, such as placement=pre.",
                         assignment);
    g_autofree char *key = g_strndup(assignment, (size_t)(equals - assignment));
    g_strstrip(key);
    return named ? ns_settings_name(settings, named, key, equals + 1, error)
                 : ns_settings_set(settings, key, equals + 1, error);
}

bool ns_settings_name_all(NsSettings *settings, NsNamed *named, const char *words, GError **error)
{
    g_auto(GStrv) assignments = NULL;
    g_autoptr(GError) wrong = NULL;
    if (!g_shell_parse_argv(words, NULL, &assignments, &wrong) &&
        !g_error_matches(wrong, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
        return ns_refuse(error, NS_ERROR_SETTING,
                         "“%s” cannot be read: its quotation marks do not match.", words);
    for (char **at = assignments; at && *at; at++)
        if (!ns_settings_name_assignment(settings, named, *at, error)) return false;
    return true;
}

bool ns_settings_assign(NsSettings *settings, const char *assignment, GError **error)
{
    return ns_settings_name_assignment(settings, NULL, assignment, error);
}

bool ns_settings_assign_all(NsSettings *settings, const char *words, GError **error)
{
    return ns_settings_name_all(settings, NULL, words, error);
}

char *ns_shell_word(const char *word, const char *special)
{
    bool plain =
        *word && !strpbrk(word, " \t\r\n\\'\"`$&|;<>()*?[]#~%!{}^") && !strpbrk(word, special);
    return plain ? g_strdup(word) : g_shell_quote(word);
}

void ns_assignment_append(GString *line, const char *key, const char *value)
{
    g_autofree char *word = ns_shell_word(value, "=");
    g_string_append_printf(line, "%s%s=%s", line->len ? " " : "", key, word);
}

void ns_settings_append(GString *line, const NsSettings *settings, const NsParam *param)
{
    g_autofree char *value = ns_settings_get(settings, param);
    ns_assignment_append(line, param->key, value);
}

char *ns_settings_line(const NsSettings *settings, bool all)
{
    GString *line = g_string_new(NULL);
    for (size_t i = 0; i < NS_PARAM_COUNT; i++)
        if (all || !ns_settings_is_default(settings, ns_param(i)))
            ns_settings_append(line, settings, ns_param(i));
    return g_string_free(line, FALSE);
}
