/* Settings as words, "placement=pre layers=12".  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/param.h"

/* ns_settings_set for "key=value". */
bool ns_settings_assign(NsSettings *settings, const char *assignment, GError **error);

/* The same for "key=value key='a value'", shell words with spaces between; for none where the text
 * is empty.  Those before a wrong one keep their effect. */
bool ns_settings_assign_all(NsSettings *settings, const char *words, GError **error);

/* What a person has named so far, on one command line or in one file; zero at the beginning. */
typedef struct {
    uint64_t all, here; /* a bit for every row of the table: anywhere, and in this list */
} NsNamed;

/* What goes on in a list of its own, such as that of a lane: there the settings that all lanes have
 * may be named again, with another value. */
NsNamed ns_named_below(const NsNamed *named);

/* Whether a setting was named. */
bool ns_named_has(const NsNamed *named, const char *key);

/* As ns_settings_set, for settings that a person names, in whichever order.  NS_ERROR_SETTING too
 * where one of two that exclude each other is named beside the other, or one in a list twice with
 * different values: none of them would have been what was meant. */
bool ns_settings_name(NsSettings *settings, NsNamed *named, const char *key, const char *value,
                      GError **error);

/* The same for "key=value", and for "key=value key='a value'"; `named` is NULL for settings that no
 * person names, of which the last word counts. */
bool ns_settings_name_assignment(NsSettings *settings, NsNamed *named, const char *assignment,
                                 GError **error);
bool ns_settings_name_all(NsSettings *settings, NsNamed *named, const char *words, GError **error);

/* "placement=pre layers=12": every setting that differs from its default, in table order; with
 * `all`, every setting.  Values with spaces are quoted for a shell.  Free with g_free. */
char *ns_settings_line(const NsSettings *settings, bool all);

/* Appends key=value to such a line; and one setting. */
void ns_assignment_append(GString *line, const char *key, const char *value);
void ns_settings_append(GString *line, const NsSettings *settings, const NsParam *param);

/* A word as a shell reads it: quoted where a shell gives one of its characters a meaning, or where
 * it has one of `special`.  Free with g_free. */
char *ns_shell_word(const char *word, const char *special);
