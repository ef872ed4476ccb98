/* SPDX-License-Identifier: MIT */
#include "app/cli/lanes.h"

#include "core/base/digits.h"
#include "core/experiment/param.h"
#include "core/store/dump.h"
#include "core/store/gpt2.h"

#include <math.h>
#include <stdio.h>

char **ns_lanes_names(const NsExperiment *experiment, char **words)
{
    if (words) return g_strdupv(words);
    char **names = g_new0(char *, experiment->n + 1);
    for (size_t i = 0; i < experiment->n; i++) names[i] = ns_experiment_lane_words(experiment, i);
    return names;
}

bool ns_checkpoint_open(NsArguments *a, NsCheckpoint **checkpoint, GError **error)
{
    NsSettings *settings = &a->experiment.lane[0];
    if (!a->checkpoint) return true;
    if (ns_dump_is(a->checkpoint)) {
        *checkpoint = ns_dump_read(a->checkpoint, error);
        for (size_t i = 0; *checkpoint && i < NS_PARAM_COUNT; i++) {
            const char *key = ns_param(i)->key;
            g_autofree char *value = ns_settings_get(&(*checkpoint)->settings, ns_param(i));
            if (!ns_named_has(&a->named, key) && !ns_settings_set(settings, key, value, error))
                return false;
        }
        return *checkpoint != NULL;
    }
    g_autofree char *words = ns_gpt2_settings(a->checkpoint, error);
    if (!words || !ns_settings_name_all(settings, &a->named, words, error)) return false;
    g_autofree char *note = NULL;
    *checkpoint = ns_gpt2_read(a->checkpoint, &a->experiment, &note, error);
    if (note) fprintf(stderr, NS_CLI ": %s\n", note);
    return *checkpoint != NULL;
}

NsLockstep *ns_lanes_start(const NsExperiment *experiment, NsCheckpoint *first, const char *out,
                           GError **error)
{
    if (!ns_output_spares_data(out, experiment, error)) return NULL;
    NsCheckpoint *origins[NS_LANES_MAX] = {first};
    g_autoptr(NsLockstep) lockstep =
        ns_lockstep_new(experiment, first ? origins : NULL, NULL, NULL, error);
    if (!lockstep || !first) return g_steal_pointer(&lockstep);
    const NsTensorTable *table = ns_model_tensors(ns_run_model(ns_lockstep_run(lockstep, 0, 0)));
    return ns_checkpoint_fits(first, table, error) ? g_steal_pointer(&lockstep) : NULL;
}

gint64 ns_lanes_steps(NsLockstep *lockstep)
{
    gint64 steps = 0;
    for (size_t i = 0; i < ns_lockstep_lanes(lockstep); i++)
        for (size_t k = 0; k < ns_lockstep_seeds(lockstep); k++) {
            const NsHistory *history = ns_run_history(ns_lockstep_run(lockstep, i, k));
            steps = MAX(steps, ns_history_step(history, ns_history_steps(history) - 1)->step);
        }
    return steps;
}

void ns_lanes_train(NsLockstep *lockstep, gint64 limit, NsInterruptFinish *finish, void *data)
{
    NsProgress progress;
    ns_progress_start(&progress, limit > 0);
    ns_interrupt_catch();
    bool go = true;
    while (go && !ns_interrupt_signal() && ns_lanes_steps(lockstep) < limit) {
        ns_interrupt_begin(finish, data);
        go = ns_lockstep_step(lockstep);
        ns_interrupt_end();
        if (go) ns_progress_step(&progress, ns_lanes_steps(lockstep), limit, (double)NAN);
    }
    ns_progress_end(&progress);
}

void ns_lanes_tell_end(NsLockstep *lockstep, gint64 limit)
{
    gint64 step = ns_lanes_steps(lockstep);
    if (step >= limit) return;
    const char *why = ns_interrupt_signal()             ? "Interrupted"
                      : ns_lockstep_seeds(lockstep) > 1 ? "The last seed diverged"
                      : ns_lockstep_lanes(lockstep) > 1 ? "The last lane diverged"
                                                        : "The run diverged";
    g_autofree char *at = ns_group_digits(step), *end = ns_group_digits(limit);
    fprintf(stderr, NS_CLI ": %s at step %s of %s; everything up to that step has been written.\n",
            why, at, end);
}
