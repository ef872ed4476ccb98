/* Files that are opened in a window or dropped on it.  SPDX-License-Identifier: MIT */
#include "ui/widgets/open_file.h"

#include "core/base/words.h"
#include "core/store/figure_file.h"
#include "ui/widgets/learning.h"

#include <inttypes.h>

static void restore(NsLab *lab, const NsExperiment *experiment)
{
    NsSettings lane[NS_EXPERIMENT_LANES];
    const NsSettings *lanes[NS_EXPERIMENT_LANES];
    size_t n = MAX(experiment->n_lanes, 1);
    for (size_t i = 0; i < n; i++) {
        ns_experiment_lane(experiment, i, &lane[i]);
        lanes[i] = &lane[i];
    }
    ns_lab_open(lab, lanes, n);
    for (size_t i = 0; i < n; i++) ns_settings_clear(&lane[i]);
}

static bool open_preset(NsWindow *window, const char *path)
{
    g_auto(NsPreset) preset;
    ns_preset_init(&preset);
    bool good = ns_preset_load(&preset, path, NULL);
    if (good) ns_window_open_preset(window, &preset);
    return good && preset.note && !preset.unknown; /* nothing is left to tell */
}

static void tell(NsWindow *window, const NsExperiment *experiment, const char *path)
{
    g_autofree char *name = g_filename_display_basename(path);
    GString *sentence = g_string_new(NULL);
    g_string_append_printf(sentence, _("Set up as in %s"), name);
    if (experiment->step > 0)
        g_string_append_printf(sentence, _(", which shows step %" PRId64), experiment->step);
    if (experiment->changes)
        g_string_append(sentence, _("; settings were changed on the way there"));
    if (experiment->unknown)
        g_string_append_printf(sentence, _("; not known here: %s"), experiment->unknown);
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
        bool preset = kind == NS_FILE_PRESET;
        if (!preset) restore(lab, &experiment);
        if (!preset || !open_preset(window, path)) tell(window, &experiment, path);
    } else if (kind == NS_FILE_OTHER) {
        ns_lab_set(lab, "text", path); /* says itself what is wrong with it */
    } else {
        ns_window_toast(window, error->message);
    }
}
