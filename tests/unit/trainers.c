/* SPDX-License-Identifier: MIT */
#include "tests/unit/trainers.h"

#include "core/experiment/assignment.h"

#include <string.h>

void ns_test_tiny_settings(NsSettings *settings, const char *const *more)
{
    static const char *const tiny[] = {"layers=2", "d-model=16",   "heads=2",        "seq=8",
                                       "batch=2",  "eval-every=0", "eval-batches=1", "threads=1"};
    GError *error = NULL;
    ns_settings_init(settings);
    for (size_t i = 0; i < G_N_ELEMENTS(tiny); i++) ns_settings_assign(settings, tiny[i], &error);
    for (; more && *more; more++) ns_settings_assign(settings, *more, &error);
    g_assert_no_error(error);
}

NsTrainer *ns_test_tiny_trainer(const char *const *more)
{
    NsSettings settings;
    ns_test_tiny_settings(&settings, more);
    GError *error = NULL;
    g_auto(NsExperiment) experiment = {0};
    ns_experiment_set_lanes(&experiment, (const NsSettings *[]){&settings}, 1);
    NsTrainer *trainer = ns_trainer_start(&experiment, &(NsTrainerStart){0}, &error);
    g_assert_no_error(error);
    ns_settings_clear(&settings);
    return trainer;
}

NsTrainer *ns_test_tiny_lanes(const char *common, const char *const *lanes, size_t n,
                              NsCheckpoint *const *origins)
{
    NsSettings settings[NS_LANES_MAX];
    const NsSettings *each[NS_LANES_MAX] = {NULL};
    for (size_t i = 0; i < n; i++) {
        g_autofree char *words = g_strdup_printf("%s %s", common, lanes[i]);
        g_auto(GStrv) more = g_strsplit(g_strstrip(words), " ", -1);
        ns_test_tiny_settings(&settings[i], (const char *const *)more);
        each[i] = &settings[i];
    }
    GError *error = NULL;
    g_auto(NsExperiment) experiment = {0};
    ns_experiment_set_lanes(&experiment, each, n);
    NsTrainer *trainer =
        ns_trainer_start(&experiment, &(NsTrainerStart){.origins = origins}, &error);
    g_assert_no_error(error);
    for (size_t i = 0; i < n; i++) ns_settings_clear(&settings[i]);
    return trainer;
}

void ns_test_expect(NsTrainer *trainer, NsTrainerState state, int64_t steps)
{
    g_assert_true(ns_trainer_wait(trainer, NS_TEST_PATIENCE_MS));
    g_assert_cmpstr(ns_trainer_state_word(ns_trainer_state(trainer)), ==,
                    ns_trainer_state_word(state));
    if (steps < 0) return;
    g_autoptr(NsHistory) history = ns_trainer_history(trainer, 0);
    g_assert_cmpuint(ns_history_steps(history), ==, (size_t)steps + 1);
}

void ns_test_until_steps(NsTrainer *trainer, size_t steps)
{
    for (int ms = 0; ms < NS_TEST_PATIENCE_MS; ms++) {
        g_autoptr(NsHistory) history = ns_trainer_history(trainer, 0);
        if (history && ns_history_steps(history) > steps) return;
        g_usleep(1000);
    }
    g_assert_not_reached();
}

void ns_test_same_records(NsHistory *a, size_t first, NsHistory *b)
{
    g_assert_cmpuint(ns_history_steps(a), ==, first + ns_history_steps(b));
    for (size_t i = 0; i < ns_history_steps(b); i++)
        g_assert_true(memcmp(ns_history_step(a, first + i), ns_history_step(b, i),
                             offsetof(NsStep, seconds)) == 0);
}
