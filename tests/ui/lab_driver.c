/* Labs under test.  SPDX-License-Identifier: MIT */
#include "tests/ui/lab_driver.h"

#include "core/experiment/assignment.h"

#define SMALL "layers=2 d-model=16 heads=2 seq=16 batch=4 eval-every=0 eval-batches=1 threads=2 "

static NsSettings settings_of(const char *words)
{
    NsSettings settings;
    g_autoptr(GError) error = NULL;
    g_autofree char *all = g_strconcat(SMALL, words, NULL);
    g_auto(GStrv) assignments = g_strsplit(all, " ", -1);
    ns_settings_init(&settings);
    for (size_t i = 0; assignments[i]; i++)
        if (*assignments[i]) ns_settings_assign(&settings, assignments[i], &error);
    g_assert_no_error(error);
    return settings;
}

NsLab *open_lab(const char *a, const char *b)
{
    NsSettings first = settings_of(a), second = settings_of(b ? b : a);
    const NsSettings *both[] = {&first, &second};
    NsLab *lab = ns_lab_new_lanes(both, b ? 2 : 1);
    ns_settings_clear(&first);
    ns_settings_clear(&second);
    return lab;
}

void wait_at_rest(NsLab *lab, int64_t step)
{
    LAB_UNTIL(lab, ns_lab_steps(lab) >= step && ns_lab_state(lab) == NS_TRAINER_PAUSED &&
                       !ns_lab_is_running(lab));
}

NsLab *open_at(const char *a, const char *b, int64_t step)
{
    NsLab *lab = open_lab(a, b);
    LAB_UNTIL(lab, ns_lab_state(lab) == NS_TRAINER_READY);
    if (step > 0) {
        ns_lab_step(lab, step);
        wait_at_rest(lab, step);
    }
    return lab;
}

const NsHistory *history_of(NsLab *lab, size_t lane)
{
    return ns_lab_view(lab)->lanes[lane].history;
}

void assert_same_losses(const NsHistory *a, const NsHistory *b, int64_t first, int64_t last)
{
    for (int64_t step = first; step <= last; step++) {
        size_t i = (size_t)(step - ns_history_first_step(a));
        size_t k = (size_t)(step - ns_history_first_step(b));
        double left = ns_history_step(a, i)->loss, right = ns_history_step(b, k)->loss;
        g_assert_cmpint(ns_history_step(a, i)->step, ==, step);
        g_assert_cmpint(ns_history_step(b, k)->step, ==, step);
        g_assert_true(memcmp(&left, &right, sizeof left) == 0);
    }
}
