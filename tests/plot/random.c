/* Random plots of every kind.  SPDX-License-Identifier: MIT */
#include "random.h"

#include <math.h>

static bool chance(GRand *rand, double p)
{
    return g_rand_double(rand) < p;
}

static const char *words(GRand *rand)
{
    static const char *const texts[] = {
        "loss",
        "‖∂L/∂W_2‖_F",
        "gradient norm of the feed-forward network, after warm-up",
        "W_2",
        "√⟨g^2/v⟩",
        "previous run: Pre-LN, 12 layers, lr 3×10^{−3}, warm-up 4,000 (changed)",
        "Γ",
    };
    return texts[g_rand_int_range(rand, 0, G_N_ELEMENTS(texts))];
}

static NsAxis any_axis(GRand *rand, bool vertical)
{
    NsAxis axis = {.label = chance(rand, 0.9) ? words(rand) : NULL,
                   .unit = chance(rand, 0.3) ? "nats" : NULL,
                   .scale = (NsScaleKind)g_rand_int_range(rand, 0, 3),
                   .lo = NAN,
                   .hi = NAN};
    if (!vertical) axis.scale = chance(rand, 0.8) ? NS_SCALE_LINEAR : axis.scale;
    axis.integer = !vertical && chance(rand, 0.6);
    axis.reversed = chance(rand, 0.1);
    if (chance(rand, 0.15)) axis.lo = g_rand_double_range(rand, -10, 200);
    if (chance(rand, 0.15)) axis.hi = g_rand_double_range(rand, 300, 900);
    return axis;
}

static double value(GRand *rand, double size)
{
    double chosen = g_rand_double(rand);
    if (chosen < 0.01) return NAN;
    if (chosen < 0.015) return INFINITY;
    if (chosen < 0.02) return -INFINITY;
    if (chosen < 0.03) return 0;
    return size * pow(10, g_rand_double_range(rand, -1, 1)) * (chosen < 0.1 ? -1 : 1);
}

static void fill_series(RandomPlot *random, GRand *rand, size_t i)
{
    static const size_t lengths[] = {0, 1, 2, 12, 400, RANDOM_POINTS};
    NsSeries *series = &random->series[i];
    size_t n = lengths[g_rand_int_range(rand, 0, G_N_ELEMENTS(lengths))];
    double size = pow(10, g_rand_double_range(rand, -8, 8));
    double first = chance(rand, 0.7) ? 0 : g_rand_double_range(rand, -50, 50);
    for (size_t k = 0; k <= n; k++) random->x[i][k] = first + (double)k;
    for (size_t k = 0; k < n; k++) {
        random->y[i][k] = value(rand, size);
        random->lo[i][k] = random->y[i][k] / 2;
        random->hi[i][k] = random->y[i][k] * 2;
    }
    *series = (NsSeries){.label = chance(rand, 0.9) ? words(rand) : NULL,
                         .kind = (NsSeriesKind)g_rand_int_range(rand, 0, NS_SERIES_BAND + 1),
                         .style = (unsigned)g_rand_int_range(rand, 0, 9),
                         .previous = chance(rand, 0.2),
                         .hidden = chance(rand, 0.15),
                         .muted = chance(rand, 0.1),
                         .theory = chance(rand, 0.1),
                         .n = n,
                         .x = random->x[i],
                         .y = random->y[i]};
    if (series->kind == NS_SERIES_BAND || chance(rand, 0.2)) {
        series->lo = random->lo[i];
        series->hi = random->hi[i];
    }
    if (series->kind == NS_SERIES_BARS && chance(rand, 0.5)) series->edges = random->x[i];
}

static void fill_map(RandomPlot *random, GRand *rand)
{
    NsHeatmap *map = &random->map;
    size_t rows = (size_t)g_rand_int_range(rand, 1, 65);
    size_t columns = chance(rand, 0.4) ? rows : (size_t)g_rand_int_range(rand, 0, 65);
    double size = pow(10, g_rand_double_range(rand, -6, 6));
    for (size_t i = 0; i < rows * columns; i++) random->z[i] = (float)value(rand, size);
    *map = (NsHeatmap){.z = random->z,
                       .rows = rows,
                       .columns = columns,
                       .x0 = -0.5,
                       .x1 = (double)columns - 0.5,
                       .y0 = 0.5,
                       .y1 = (double)rows + 0.5,
                       .log = chance(rand, 0.5),
                       .label = words(rand),
                       .colors = (NsColorMap)g_rand_int_range(rand, 0, 3),
                       .square = chance(rand, 0.5),
                       .values = chance(rand, 0.5)};
    if (chance(rand, 0.2)) {
        map->lo = 0.1 * size;
        map->hi = 2 * size;
    }
    random->plot.heatmap = map;
    random->plot.x.scale = random->plot.left.scale = NS_SCALE_LINEAR;
    random->plot.x.integer = random->plot.left.integer = true;
}

static void fill_marks(RandomPlot *random, GRand *rand)
{
    NsPlot *plot = &random->plot;
    for (size_t i = 0; i < G_N_ELEMENTS(random->markers); i++)
        random->markers[i] = (NsMarker){.x = g_rand_double_range(rand, -10, 3000),
                                        .text = chance(rand, 0.8) ? words(rand) : NULL,
                                        .alarm = chance(rand, 0.3),
                                        .handle = chance(rand, 0.3)};
    for (size_t i = 0; i < G_N_ELEMENTS(random->levels); i++)
        random->levels[i] = (NsLevel){.y = value(rand, 1), .text = words(rand)};
    for (size_t i = 0; i < G_N_ELEMENTS(random->spans); i++) {
        double from = g_rand_double_range(rand, -10, 1000), length = chance(rand, 0.4) ? 5 : 0;
        random->spans[i] =
            (NsSpan){.from = from, .to = from + length, .rows = length > 0 && chance(rand, 0.5)};
    }
    random->slope = (NsSlope){.x0 = 1, .y0 = 1, .x1 = 100, .y1 = 0.1, .text = "∝ l^{−1/2}"};
    plot->markers = random->markers;
    plot->n_markers = (size_t)g_rand_int_range(rand, 0, 4);
    plot->spans = random->spans;
    plot->n_spans = (size_t)g_rand_int_range(rand, 0, 4);
    plot->levels = random->levels;
    plot->n_levels = (size_t)g_rand_int_range(rand, 0, 3);
    plot->slopes = &random->slope;
    plot->n_slopes = (size_t)g_rand_int_range(rand, 0, 2);
}

void random_plot(RandomPlot *random, GRand *rand)
{
    NsPlot *plot = &random->plot;
    *plot = (NsPlot){.title = chance(rand, 0.9) ? words(rand) : NULL,
                     .subtitle = chance(rand, 0.7) ? words(rand) : NULL,
                     .x = any_axis(rand, false),
                     .left = any_axis(rand, true),
                     .series = random->series,
                     .n_series = (size_t)g_rand_int_range(rand, 0, RANDOM_SERIES + 1),
                     .legend = (NsLegendPlace)g_rand_int_range(rand, 0, 3),
                     .no_grid = chance(rand, 0.2),
                     .note = chance(rand, 0.3) ? words(rand) : NULL};
    for (size_t i = 0; i < plot->n_series; i++) fill_series(random, rand, i);
    fill_marks(random, rand);
    if (chance(rand, 0.3)) {
        plot->n_series = plot->n_levels = plot->n_slopes = 0;
        fill_map(random, rand);
    } else if (chance(rand, 0.3) && plot->n_series > 1) {
        random->below = (NsPlot){.left = any_axis(rand, true),
                                 .series = random->series,
                                 .n_series = 1,
                                 .levels = random->levels,
                                 .n_levels = 1,
                                 .note = chance(rand, 0.3) ? words(rand) : NULL};
        plot->lower = &random->below;
    }
}
