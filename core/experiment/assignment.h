/* Settings as words, "placement=pre layers=12".  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/param.h"

/* Calls ns_settings_set for "key=value". */
bool ns_settings_assign(NsSettings *settings, const char *assignment, GError **error);

/* The same for shell words separated by spaces, "key=value key='a value'"; the text may be empty.
 * Words before a wrong one keep their effect. */
bool ns_settings_assign_all(NsSettings *settings, const char *words, GError **error);

/* The settings that a user has named so far on one command line or in one file; initially all
 * zero. */
typedef struct {
    bool all[NS_PARAM_COUNT], here[NS_PARAM_COUNT]; /* by row of the table: named at all, and in
                                                       this list */
} NsNamed;

/* Begins a nested list, such as that of a lane, in which settings already named for all lanes may
 * be named again with other values. */
NsNamed ns_named_below(const NsNamed *named);

/* Adds what was named in another list. */
void ns_named_add(NsNamed *named, const NsNamed *other);

/* Whether a setting was named. */
bool ns_named_has(const NsNamed *named, const char *key);

/* Like ns_settings_set, for settings named by a user, in any order.  It is also an NS_ERROR_SETTING
 * if a setting excludes one that was named before, or is named twice in one list with different
 * values, because it is unclear which of them was meant. */
bool ns_settings_name(NsSettings *settings, NsNamed *named, const char *key, const char *value,
                      GError **error);

/* The same for "key=value", and for "key=value key='a value'".  `named` is NULL for settings that
 * were not named by a user; then the last word takes precedence. */
bool ns_settings_name_assignment(NsSettings *settings, NsNamed *named, const char *assignment,
                                 GError **error);
bool ns_settings_name_all(NsSettings *settings, NsNamed *named, const char *words, GError **error);

/* The settings as text, "placement=pre layers=12": those that differ from their defaults, or all of
 * them if `all`, in the order of the table.  Values are quoted for a shell if necessary.  Free with
 * g_free. */
char *ns_settings_line(const NsSettings *settings, bool all);

/* Appends key=value, or one setting, to such a line. */
void ns_assignment_append(GString *line, const char *key, const char *value);
void ns_settings_append(GString *line, const NsSettings *settings, const NsParam *param);

/* A word quoted for a shell if it contains a character with a meaning in a shell or one of
 * `special`.  Free with g_free. */
char *ns_shell_word(const char *word, const char *special);
