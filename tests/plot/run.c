/* Histories to test figures with.  SPDX-License-Identifier: MIT */
#include "run.h"

#include "core/experiment/assignment.h"
#include "core/experiment/param.h"

Run *run_made(size_t layers, size_t budget, bool final_norm, int64_t probe_every, int64_t first)
{
    Run *run = g_new0(Run, 1);
    NsTensorTable table = {0};
    for (size_t l = 0; l < layers; l++)
        ns_tensor_table_add(
            &table, (NsTensor){.parameter = NS_PARAMETER_W2, .layer = (int)l, .rows = 1, .cols = 1},
            false);
    ns_record_layout_init(&run->layout,
                          &(NsRecordShape){.table = &table,
                                           .layers = layers,
                                           .hidden = layers + 1,
                                           .heads = HEADS,
                                           .has = final_norm ? NS_NEED_FINAL_NORM : NS_NEED_NOTHING,
                                           .probe_every = probe_every});
    ns_tensor_table_clear(&table);
    run->history = ns_history_new(&run->layout, budget, first);
    run->steps = first;
    ns_settings_init(&run->settings);
    run->values = ns_values_new(run->layout.width);
    return run;
}

Run *run_with_norm(size_t layers, size_t budget, bool final_norm)
{
    return run_made(layers, budget, final_norm, 0, 0);
}

Run *run_new(size_t layers, size_t budget)
{
    return run_with_norm(layers, budget, false);
}

void run_free(Run *run)
{
    ns_history_unref(run->history);
    ns_settings_clear(&run->settings);
    ns_values_free(&run->values);
    g_free(run);
}

void append_values(Run *run, double loss)
{
    NsStep step = {.step = run->steps++, .loss = loss, .lr = 1e-3, .grad_norm = 1, .seconds = 1e-3};
    ns_history_append(run->history, &step, run->values);
}

void append(Run *run, double loss)
{
    for (size_t q = 0; q < NS_QUANTITY_COUNT; q++)
        for (size_t i = 0; i < run->layout.count[q]; i++)
            ns_values_put(run->values, run->layout.offset[q] + i,
                          (double)(10.0f * (float)(i + 1) + (float)(run->steps % 10) / 10.0f));
    append_values(run, loss);
}

void append_with(Run *run, double loss, size_t layer, float value)
{
    size_t at = run->layout.offset[NS_QUANTITY_GRAD_W2] + layer - 1;
    for (size_t q = 0; q < run->layout.width; q++) ns_values_put(run->values, q, 1);
    ns_values_put(run->values, at, (double)value);
    append_values(run, loss);
}

NsFigureInput input_of(const Run *run)
{
    return (NsFigureInput){.history = run ? run->history : NULL,
                           .settings = run ? &run->settings : NULL,
                           .gradient = NS_QUANTITY_GRAD_W2,
                           .hidden = NS_QUANTITY_HIDDEN_NORM,
                           .quantity = NS_QUANTITY_GRAD_W2,
                           .log = true,
                           .step = -1};
}

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
        input.lanes[i] = (NsFigureRun){runs[i]->history, &runs[i]->settings, names[i], 0};
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

const NsSeries *series_named(const NsPlot *plot, const char *label)
{
    for (size_t i = 0; i < plot->n_series; i++)
        if (g_str_equal(plot->series[i].label, label)) return &plot->series[i];
    g_test_message("no series “%s”", label);
    g_test_fail();
    return &plot->series[0];
}
