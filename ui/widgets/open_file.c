/* Files that are opened in a window or dropped on it.  SPDX-License-Identifier: MIT */
#include "ui/widgets/open_file.h"

#include "core/store/figure_file.h"

/* The task comes last: naming a text chooses one. */
static void restore(NsLab *lab, const NsSettings *settings)
{
    const NsParam *param, *task = ns_param_find("task");
    for (size_t i = 0; (param = ns_param(i)); i++) {
        g_autofree char *value = ns_settings_get(settings, param);
        g_autofree char *present = ns_settings_get(ns_lab_settings(lab), param);
        if (param != task && !g_str_equal(value, present)) ns_lab_set(lab, param->key, value);
    }
    g_autofree char *value = ns_settings_get(settings, task);
    ns_lab_set(lab, task->key, value);
}

static void tell(NsWindow *window, const NsExperiment *experiment, const char *path)
{
    g_autofree char *name = g_filename_display_basename(path);
    GString *sentence = g_string_new(NULL);
    g_string_append_printf(sentence, "Set up as in %s", name);
    if (experiment->step > 0)
        g_string_append_printf(sentence, ", which shows step %" G_GINT64_FORMAT, experiment->step);
    if (experiment->changes) g_string_append(sentence, "; settings were changed on the way there");
    if (experiment->unknown)
        g_string_append_printf(sentence, "; not known here: %s", experiment->unknown);
    ns_window_toast(window, sentence->str);
    g_string_free(sentence, TRUE);
}

void ns_window_open(NsWindow *window, const char *path)
{
    NsLab *lab = ns_window_lab(window);
    NsFileKind kind;
    g_auto(NsExperiment) experiment;
    g_autoptr(GError) error = NULL;
    ns_experiment_init(&experiment);
    if (ns_figure_file_read(&experiment, path, &kind, &error)) {
        restore(lab, &experiment.settings);
        tell(window, &experiment, path);
    } else if (kind == NS_FILE_OTHER) {
        ns_lab_set(lab, "text", path); /* says itself what is wrong with it */
    } else {
        ns_window_toast(window, error->message);
    }
}
