/* Several runs in one figure.  SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "ui/figures/figure.h"

unsigned ns_figure_runs(const NsFigureInput *input)
{
    return MAX(MIN(input->n_lanes, NS_FIGURE_LANES), 1);
}

NsFigureRun ns_figure_run(const NsFigureInput *input, unsigned i)
{
    if (input->n_lanes > 1) return input->lanes[i];
    return (NsFigureRun){.history = input->history, .settings = input->settings};
}

NsFigureInput ns_figure_input_of(const NsFigureInput *input, unsigned i)
{
    NsFigureInput one = *input;
    NsFigureRun run = ns_figure_run(input, i);
    one.history = run.history;
    one.settings = run.settings;
    one.name = input->n_lanes > 1 ? run.name : input->name;
    one.n_beside = MAX(input->n_lanes, input->n_beside);
    one.n_lanes = 0;
    return one;
}

unsigned ns_figure_active(const NsFigureInput *input)
{
    for (unsigned i = 0; input->n_lanes > 1 && i < ns_figure_runs(input); i++)
        if (input->lanes[i].history == input->history) return i;
    return 0;
}

char *ns_figure_run_label(const NsFigureInput *input, unsigned i)
{
    unsigned n = ns_figure_runs(input);
    const NsSettings *settings[NS_FIGURE_LANES];
    for (unsigned k = 0; k < n; k++) {
        settings[k] = ns_figure_run(input, k).settings;
        if (!settings[k]) return g_strdup(ns_figure_run(input, i).name);
    }
    g_autofree char *special = ns_settings_special_words(settings, n, i);
    return *special ? ns_figure_run_words(input, i, special)
                    : g_strdup(ns_figure_run(input, i).name);
}

char *ns_figure_run_words(const NsFigureInput *input, unsigned i, const char *words)
{
    if (ns_figure_runs(input) < 2) return g_strdup(words);
    /* Translators: the name of a lane, such as A, and what is said of it. */
    return g_strdup_printf(C_("lane", "%s %s"), ns_figure_run(input, i).name, words);
}
