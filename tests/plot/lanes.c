/* SPDX-License-Identifier: MIT */
#include "lanes.h"

#include "core/experiment/assignment.h"

void set(Run *run, const char *assignment)
{
    g_autoptr(GError) error = NULL;
    ns_settings_assign(&run->settings, assignment, &error);
    g_assert_no_error(error);
}

void append_lane(Run *run, unsigned i)
{
    for (size_t k = 0; k < run->layout.width; k++)
        ns_values_put(run->values, k, (double)(i + 1) + (double)k / 8);
    NsStep step = {.step = run->steps++,
                   .loss = 3.0 + i,
                   .lr = (i == 2 ? 1 : i + 1) * 1e-3,
                   .grad_norm = 1,
                   .seconds = 1e-3};
    ns_history_append(run->history, &step, run->values);
}

NsFigureInput lanes_of(Run *const *runs, unsigned n)
{
    static const char *const names[] = {"A", "B", "C", "D"};
    NsFigureInput input = input_of(runs[0]);
    input.n_lanes = n;
    for (unsigned i = 0; i < n; i++)
        input.lanes[i] = (NsFigureRun){runs[i]->history, &runs[i]->settings, names[i], .lane = 0};
    return input;
}

Pair pair_new(size_t layers_a, size_t layers_b)
{
    Pair pair = {.run = {run_new(layers_a, BUDGET), run_new(layers_b, BUDGET)}};
    set(pair.run[0], "placement=post");
    set(pair.run[1], "placement=pre");
    pair.input = lanes_of(pair.run, 2);
    return pair;
}

void pair_clear(Pair *pair)
{
    run_free(pair->run[0]);
    run_free(pair->run[1]);
}
