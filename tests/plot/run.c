/* Histories for tests of figures.  SPDX-License-Identifier: MIT */
#include "run.h"

#include "core/experiment/assignment.h"
#include "core/experiment/param.h"
#include "ui/plot/layout.h"

#include <cairo.h>
#include <math.h>

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
                                           .has = (final_norm ? NS_NEED_FINAL_NORM : 0u) |
                                                  NS_NEED_CURVATURE | NS_NEED_PRECONDITIONER,
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

NsFigure *figure_new(const char *key)
{
    const NsFigureKind *kind = ns_figure_find(key);
    g_assert_nonnull(kind);
    return ns_figure_create(kind);
}

const NsSeries *series_named(const NsPlot *plot, const char *label)
{
    for (size_t i = 0; i < plot->n_series; i++)
        if (g_str_equal(plot->series[i].label, label)) return &plot->series[i];
    g_test_message("no series “%s”", label);
    g_test_fail();
    return &plot->series[0];
}

void draw_pages(const NsPlot *plot)
{
    static const double pages[][2] = {{200, 120}, {500, 320}};
    for (size_t p = 0; p < G_N_ELEMENTS(pages); p++) {
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(plot, pages[p][0], pages[p][1], ns_style(p % 2));
        cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 500, 320);
        cairo_t *cr = cairo_create(image);
        ns_plot_draw(layout, cr);
        g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
        for (double x = 5; x < pages[p][0]; x += 60)
            for (double y = 5; y < pages[p][1]; y += 40) {
                NsReading reading;
                if (ns_plot_pick(layout, x, y, &reading)) {
                    g_assert_true(g_utf8_validate(reading.text, -1, NULL));
                    g_assert_true(isfinite(reading.px) && isfinite(reading.py));
                    ns_reading_clear(&reading);
                }
            }
        cairo_destroy(cr);
        cairo_surface_destroy(image);
    }
}

#define SMALL "layers=3", "d-model=16", "heads=2", "seq=8", "batch=4", "threads=1"

NsRun *run_trained(const char *placement, const char *other)
{
    const char *assignments[] = {placement, other, SMALL, NULL};
    NsSettings settings;
    ns_settings_init(&settings);
    for (size_t i = 0; assignments[i]; i++)
        g_assert_true(ns_settings_assign(&settings, assignments[i], NULL));
    g_autoptr(GError) error = NULL;
    NsRun *run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    ns_settings_clear(&settings);
    for (int i = 0; i < 3; i++) g_assert_true(ns_run_step(run));
    return run;
}
