/* SPDX-License-Identifier: MIT */
#include "ui/widgets/learn/lesson_progress.h"

#include "ui/widgets/common/preferences.h"

#define KEY "lessons"

/* The keys of finished lessons; where there are no preferences, those of this session. */
static GHashTable *finished(void)
{
    static GHashTable *keys;
    if (keys) return keys;
    keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GSettings *preferences = ns_preferences();
    g_auto(GStrv) known = preferences ? g_settings_get_strv(preferences, KEY) : NULL;
    for (char **key = known; key && *key; key++) g_hash_table_add(keys, g_strdup(*key));
    return keys;
}

bool ns_lesson_is_finished(const char *key)
{
    return g_hash_table_contains(finished(), key);
}

void ns_lesson_set_finished(const char *key)
{
    g_hash_table_add(finished(), g_strdup(key));
    GSettings *preferences = ns_preferences();
    if (!preferences) return;
    g_autofree gpointer *keys = g_hash_table_get_keys_as_array(finished(), NULL);
    g_settings_set_strv(preferences, KEY, (const char *const *)keys);
}
