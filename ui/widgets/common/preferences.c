/* SPDX-License-Identifier: MIT */
#include "ui/widgets/common/preferences.h"

#include "ui/widgets/common/installed.h"

#define SCHEMA "org.normscope.Normscope"

GSettings *ns_preferences(void)
{
    static gsize once;
    static GSettings *preferences;
    if (g_once_init_enter(&once)) {
        /* The schema of the tree that was built comes before that of another version of the
         * program, which may lack a key. */
        GSettingsSchemaSource *all = g_settings_schema_source_get_default();
        g_autofree char *folder = ns_installed_folder("resources", "share/glib-2.0/schemas");
        g_autoptr(GSettingsSchemaSource) own =
            folder ? g_settings_schema_source_new_from_directory(folder, all, TRUE, NULL) : NULL;
        GSettingsSchemaSource *source = own ? own : all;
        g_autoptr(GSettingsSchema) schema =
            source ? g_settings_schema_source_lookup(source, SCHEMA, TRUE) : NULL;
        if (schema) preferences = g_settings_new_full(schema, NULL, NULL);
        g_once_init_leave(&once, 1);
    }
    return preferences;
}
