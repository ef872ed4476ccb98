/* Plots for tests of the chart engine.  SPDX-License-Identifier: MIT */
#include "support.h"

#include <glib.h>
#include <math.h>

#define STEPS 100000
#define LAYERS 1000

const char *const sample_names[SAMPLES] = {
    "empty", "one point", "all NaN", "loss", "long run", "profile", "deep", "heatmap",
};

static double steps[STEPS], noisy[STEPS], smooth[STEPS], mean[STEPS], nothing[STEPS];
static double layers[LAYERS], growing[LAYERS], falling[LAYERS];
static float cells[12 * 400];
static NsSeries curves[4], profile[3], deep[2], single, broken;
static NsHeatmap map;
static NsPlot plots[SAMPLES];

static const NsMarker markers[] = {
    {.x = 500, .text = "lr 3×10^{−3} → 10^{−3}"},
    {.x = 520, .text = "warm-up 200"},
    {.x = 1900, .text = "diverged", .alarm = true},
};

NsAxis axis(const char *label, const char *unit, NsScaleKind scale, bool integer)
{
    return (NsAxis){
        .label = label, .unit = unit, .scale = scale, .integer = integer, .lo = NAN, .hi = NAN};
}

static void fill_columns(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    for (int i = 0; i < STEPS; i++) {
        steps[i] = i;
        smooth[i] = 1.7 + 2.5 * exp(-i / 300.0);
        noisy[i] = smooth[i] + g_rand_double_range(rand, -0.2, 0.2);
        mean[i] = 1.5 + 2 * MIN(i / 100.0, sqrt(100.0 / MAX(i, 1)));
        nothing[i] = NAN;
    }
    for (int i = 0; i < LAYERS; i++) {
        layers[i] = i + 1;
        growing[i] = 1e-4 * pow(1.5, i < 24 ? i : 24) * g_rand_double_range(rand, 0.7, 1.3);
        falling[i] = 0.3 / sqrt(i + 1);
    }
    for (int i = 0; i < 12 * 400; i++)
        cells[i] = (float)exp(g_rand_double_range(rand, -5, 0) + i / 400 * 0.3);
    cells[5 * 400 + 77] = NAN;
}

static void fill_series(void)
{
    curves[0] = (NsSeries){.label = "training loss", .n = 2000, .x = steps, .y = noisy};
    curves[1] = (NsSeries){.label = "validation loss",
                           .kind = NS_SERIES_POINTS,
                           .style = 1,
                           .n = 2000,
                           .x = steps,
                           .y = smooth};
    curves[2] = (NsSeries){.label = "mean loss", .style = 2, .n = 2000, .x = steps, .y = mean};
    curves[3] = (NsSeries){
        .label = "Post-LN, 12 layers", .previous = true, .n = 1500, .x = steps, .y = smooth};
    profile[0] = (NsSeries){
        .label = "step 1 240", .kind = NS_SERIES_POINTS, .n = 6, .x = layers, .y = growing};
    profile[1] = (NsSeries){.label = "step 0",
                            .kind = NS_SERIES_POINTS,
                            .style = 1,
                            .previous = true,
                            .n = 6,
                            .x = layers,
                            .y = falling};
    deep[0] = profile[0];
    deep[1] = profile[1];
    deep[0].n = deep[1].n = LAYERS;
    single = (NsSeries){.label = "loss", .n = 1, .x = steps, .y = noisy};
    broken = (NsSeries){.label = "loss", .n = 500, .x = steps, .y = nothing};
    map = (NsHeatmap){.z = cells,
                      .rows = 12,
                      .columns = 400,
                      .x0 = -0.5,
                      .x1 = 1999.5,
                      .y0 = 0.5,
                      .y1 = 12.5,
                      .log = true,
                      .label = "gradient norm of W_2"};
}

static NsPlot over_steps(const char *title, const NsSeries *series, size_t n)
{
    return (NsPlot){.title = title,
                    .subtitle = "Pre-LN, 6 layers, d 64",
                    .x = axis("step", NULL, NS_SCALE_LINEAR, true),
                    .left = axis("loss", "nats", NS_SCALE_LINEAR, false),
                    .series = series,
                    .n_series = n,
                    .empty = "Press Run to train"};
}

static NsPlot over_layers(const char *title, const NsSeries *series, size_t n)
{
    return (NsPlot){.title = title,
                    .subtitle = "‖∂L/∂W_2‖_F & <more>",
                    .x = axis("layer", NULL, NS_SCALE_LINEAR, true),
                    .left = axis("gradient norm of W_2", NULL, NS_SCALE_LOG, false),
                    .series = series,
                    .n_series = n};
}

const NsPlot *sample(Sample which)
{
    if (plots[PROFILE].title) return &plots[which];
    fill_columns();
    fill_series();
    plots[EMPTY] = over_steps("Loss of a run", NULL, 0);
    plots[ONE_POINT] = over_steps("Loss of a run", &single, 1);
    plots[ALL_NAN] = over_steps("Loss of a run", &broken, 1);
    plots[LOSS] = over_steps("Loss of a run", curves, 4);
    plots[LOSS].markers = markers;
    plots[LOSS].n_markers = G_N_ELEMENTS(markers);
    static const NsLevel level = {.y = 2.9, .text = "letters alone"};
    plots[LOSS].levels = &level;
    plots[LOSS].n_levels = 1;
    plots[LOSS].note = "thinned to 2 000 of 8 000 steps; every extreme is kept";
    static NsSeries long_run;
    long_run = curves[0];
    long_run.n = STEPS;
    plots[LONG_RUN] = over_steps("A long run", &long_run, 1);
    plots[DEEP] = over_layers("Gradient norm by layer", deep, 2);
    plots[HEATMAP] = over_layers("Gradient norm by layer and step", NULL, 0);
    plots[HEATMAP].x = axis("step", NULL, NS_SCALE_LINEAR, true);
    plots[HEATMAP].left = axis("layer", NULL, NS_SCALE_LINEAR, true);
    plots[HEATMAP].heatmap = &map;
    plots[PROFILE] = over_layers("Gradient norm by layer", profile, 2);
    return &plots[which];
}
