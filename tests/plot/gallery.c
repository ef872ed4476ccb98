/* Draws a gallery for visual inspection: `gallery FOLDER` writes one sheet for each style, and
 * every kind of chart as a PNG.  The data are always the same.
 * SPDX-License-Identifier: MIT */
#include "ui/plot/layout.h"

#include <cairo.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>

#define STEPS 2000
#define LAYERS 12
#define BINS 40
#define TILE_WIDTH 400.0
#define TILE_HEIGHT 270.0
#define COLUMNS 3

static double steps[STEPS], noisy[STEPS], smooth[STEPS], validation[STEPS], rate[STEPS];
static double broken[STEPS], spread_lo[STEPS], spread_hi[STEPS], gradient[STEPS];
static double layers[LAYERS], post[LAYERS], pre[LAYERS], bound[LAYERS], ratio[LAYERS];
static double edges[BINS + 1], centers[BINS], first[BINS], second[BINS], density[BINS];
static double depths[8], pre_last[8], post_last[8], scatter_x[400], scatter_y[400];
static float heat[LAYERS * 300], log_ratio[LAYERS * 300], similar[9 * 9], attention[20 * 20];

static double noise(GRand *rand)
{
    double sum = 0;
    for (int i = 0; i < 6; i++) sum += g_rand_double(rand);
    return (sum - 3) * M_SQRT2;
}

static void fill_steps(GRand *rand)
{
    double mean = 0, weight = 0;
    for (int i = 0; i < STEPS; i++) {
        double trend = 1.55 + 2.6 * exp(-i / 260.0) + 0.35 * exp(-i / 1500.0);
        steps[i] = i;
        noisy[i] = trend + 0.09 * noise(rand) + (i == 730 ? 1.9 : 0);
        mean = 0.95 * mean + 0.05 * noisy[i];
        weight = 0.95 * weight + 0.05;
        smooth[i] = mean / weight;
        validation[i] = trend + 0.07 + 0.02 * noise(rand);
        rate[i] = 3e-3 * (i < 400 ? i / 400.0 : sqrt(400.0 / i));
        gradient[i] = trend * (i % 2 ? 1 : -1) * pow(10, 2 * noise(rand) - 2);
        broken[i] = 0.02 * exp(noise(rand) * 0.3 + i / 700.0);
        if (i > 1500) broken[i] = i % 90 < 45 ? NAN : INFINITY;
        if (i > 300 && i < 420 && i % 17 == 0) broken[i] = 0;
        spread_lo[i] = trend - 0.25;
        spread_hi[i] = trend + 0.3;
    }
}

static void fill_layers(GRand *rand)
{
    for (int l = 0; l < LAYERS; l++) {
        layers[l] = l + 1;
        post[l] = 1.6 * pow(2 / 3.0, (LAYERS - 1 - l) / 2.0) * exp(0.05 * noise(rand));
        pre[l] = 0.48 / sqrt(l + 1) * exp(0.05 * noise(rand));
        bound[l] = 1.9 * pow(2 / 3.0, (LAYERS - 1 - l) / 2.0);
        ratio[l] = post[l] / pre[l];
        for (int c = 0; c < 300; c++) {
            double fall = exp(-c / 140.0) * 1.2 - 0.4 + 0.08 * noise(rand);
            heat[l * 300 + c] = (float)(post[l] * exp(fall) + (c == 210 ? 2 * post[l] : 0));
            log_ratio[l * 300 + c] = (float)((l - 5) * 0.35 - c / 300.0 + 0.12 * noise(rand));
        }
    }
    heat[4 * 300 + 250] = NAN;
    for (int i = 0; i < 8; i++) {
        depths[i] = pow(2, i + 1);
        pre_last[i] = 0.52 / sqrt(depths[i]) * exp(0.04 * noise(rand));
        post_last[i] = 0.55 * exp(0.04 * noise(rand));
    }
}

static void fill_rest(GRand *rand)
{
    for (int b = 0; b <= BINS; b++) edges[b] = 0.4 + b * 0.03;
    for (int i = 0; i < 5000; i++) {
        double a = 1 + 0.1 * noise(rand), b = 1.12 + 0.16 * noise(rand);
        int at = (int)((a - 0.4) / 0.03), other = (int)((b - 0.4) / 0.03);
        if (at >= 0 && at < BINS) first[at]++;
        if (other >= 0 && other < BINS) second[other]++;
    }
    for (int b = 0; b < BINS; b++) {
        centers[b] = (edges[b] + edges[b + 1]) / 2;
        density[b] = 5000 * 0.03 * exp(-0.5 * pow((centers[b] - 1) / 0.1, 2)) / (0.1 * 2.5066);
    }
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 9; k++) similar[i * 9 + k] = (float)exp(-abs(i - k) * 0.14);
    for (int q = 0; q < 20; q++) {
        double sum = 0;
        for (int k = 0; k < 20; k++)
            attention[q * 20 + k] =
                k > q ? -INFINITY : (float)exp(1.5 * noise(rand) - 0.1 * (q - k));
        for (int k = 0; k <= q; k++) sum += (double)attention[q * 20 + k];
        for (int k = 0; k <= q; k++) attention[q * 20 + k] /= (float)sum;
    }
    for (int i = 0; i < 400; i++) {
        scatter_x[i] = pow(10, -3 + 3 * i / 400.0);
        scatter_y[i] = 0.3 * pow(scatter_x[i], 0.5) * exp(0.4 * noise(rand));
    }
}

static NsAxis axis(const char *label, const char *unit, NsScaleKind scale, bool integer)
{
    return (NsAxis){
        .label = label, .unit = unit, .scale = scale, .integer = integer, .lo = NAN, .hi = NAN};
}

#define CHARTS 15
static NsPlot charts[CHARTS], lower, lanes_lower;
static const char *const names[CHARTS] = {
    "loss", "profile", "depth",  "heatmap", "ratio", "similarity", "attention", "histogram",
    "bars", "spread",  "faults", "symlog",  "lanes", "norms",      "panels"};

static void describe_curves(void)
{
    static const NsMarker events[] = {{.x = 400, .text = "warm-up", .handle = true},
                                      {.x = 1200, .text = "clip"}};
    static const NsLevel level = {.y = 2.9, .text = "frequency of letters alone"};
    static NsSeries loss[3], rates;
    static NsPlot strip;
    loss[0] = (NsSeries){
        .label = "training", .n = STEPS, .x = steps, .y = noisy, .muted = true, .style = 0};
    loss[1] = (NsSeries){.label = "training, EMA 0.95", .n = STEPS, .x = steps, .y = smooth};
    loss[2] =
        (NsSeries){.label = "validation", .n = STEPS, .x = steps, .y = validation, .style = 1};
    rates = (NsSeries){.label = "learning rate", .n = STEPS, .x = steps, .y = rate};
    strip = (NsPlot){.left = axis("learning rate", NULL, NS_SCALE_LINEAR, false),
                     .series = &rates,
                     .n_series = 1};
    charts[0] = (NsPlot){.title = "Loss",
                         .subtitle = "Pre-LN, 6 layers, lr 0.003, warm-up 400",
                         .x = axis("step", NULL, NS_SCALE_LINEAR, true),
                         .left = axis("loss", "nats per token", NS_SCALE_LINEAR, false),
                         .series = loss,
                         .n_series = 3,
                         .lower = &strip,
                         .markers = events,
                         .n_markers = 2,
                         .levels = &level,
                         .n_levels = 1};
    static NsSeries seeds[2];
    seeds[0] = (NsSeries){.label = "range of ten seeds",
                          .kind = NS_SERIES_BAND,
                          .n = STEPS,
                          .x = steps,
                          .y = validation,
                          .lo = spread_lo,
                          .hi = spread_hi};
    seeds[1] = (NsSeries){.label = "mean", .n = STEPS, .x = steps, .y = validation};
    charts[9] = (NsPlot){.title = "Validation loss of ten seeds",
                         .x = axis("step", NULL, NS_SCALE_LINEAR, true),
                         .left = axis("loss", "nats per token", NS_SCALE_LINEAR, false),
                         .series = seeds,
                         .n_series = 2,
                         .legend = NS_LEGEND_INSIDE};
    static NsSeries faults;
    faults = (NsSeries){.label = "norm", .n = STEPS, .x = steps, .y = broken};
    static const NsMarker diverged = {.x = 1501, .text = "diverged", .alarm = true};
    charts[10] = (NsPlot){.title = "A run that diverges",
                          .x = axis("step", NULL, NS_SCALE_LINEAR, true),
                          .left = axis("‖∇W_2‖", NULL, NS_SCALE_LOG, false),
                          .series = &faults,
                          .n_series = 1,
                          .markers = &diverged,
                          .n_markers = 1};
    static NsSeries signed_values;
    signed_values = (NsSeries){
        .label = "change", .kind = NS_SERIES_SCATTER, .n = 300, .x = steps, .y = gradient};
    charts[11] = (NsPlot){.title = "Change of the loss a step",
                          .x = axis("step", NULL, NS_SCALE_LINEAR, true),
                          .left = axis("Δ loss", "nats", NS_SCALE_SYMLOG, false),
                          .series = &signed_values,
                          .n_series = 1};
}

static void describe_layers(void)
{
    static NsSeries profile[3], below, depth[2];
    profile[0] = (NsSeries){.label = "Post-LN",
                            .kind = NS_SERIES_POINTS,
                            .style = 1,
                            .n = LAYERS,
                            .x = layers,
                            .y = post};
    profile[1] =
        (NsSeries){.label = "Pre-LN", .kind = NS_SERIES_POINTS, .n = LAYERS, .x = layers, .y = pre};
    profile[2] = (NsSeries){
        .label = "theory: × (2/3)^{(L−l)/2}", .theory = true, .n = LAYERS, .x = layers, .y = bound};
    below = (NsSeries){.label = "Post-LN / Pre-LN",
                       .kind = NS_SERIES_POINTS,
                       .style = 3,
                       .n = LAYERS,
                       .x = layers,
                       .y = ratio};
    static const NsLevel one = {.y = 1, .text = "equal"};
    lower = (NsPlot){.left = axis("ratio", NULL, NS_SCALE_LOG, false),
                     .series = &below,
                     .n_series = 1,
                     .levels = &one,
                     .n_levels = 1};
    charts[1] = (NsPlot){.title = "Gradient norm of W_2 by layer",
                         .subtitle = "12 layers, d 64, step 1 240",
                         .x = axis("layer", NULL, NS_SCALE_LINEAR, true),
                         .left = axis("‖∂L/∂W_2‖_F", NULL, NS_SCALE_LOG, false),
                         .series = profile,
                         .n_series = 3,
                         .lower = &lower};
    depth[0] = (NsSeries){.label = "Post-LN",
                          .kind = NS_SERIES_SCATTER,
                          .style = 1,
                          .n = 8,
                          .x = depths,
                          .y = post_last};
    depth[1] = (NsSeries){
        .label = "Pre-LN", .kind = NS_SERIES_SCATTER, .n = 8, .x = depths, .y = pre_last};
    static const NsSlope slopes[] = {{2, 0.368, 256, 0.0325, "Post-LN", "∝ L^{−0.50}", 0},
                                     {2, 0.55, 256, 0.55, "Pre-LN", "∝ L^{0.00}", 1}};
    charts[2] = (NsPlot){.title = "Gradient of the last layer",
                         .subtitle = "at initialization, ten seeds",
                         .x = axis("layers L", NULL, NS_SCALE_LOG, true),
                         .left = axis("‖∇W_2‖_F of layer L", NULL, NS_SCALE_LOG, false),
                         .series = depth,
                         .n_series = 2,
                         .slopes = slopes,
                         .n_slopes = 2};
}

static void describe_maps(void)
{
    static NsHeatmap maps[4];
    maps[0] = (NsHeatmap){.z = heat,
                          .rows = LAYERS,
                          .columns = 300,
                          .x0 = -0.5,
                          .x1 = 299.5,
                          .y0 = 0.5,
                          .y1 = LAYERS + 0.5,
                          .log = true,
                          .label = "‖∇W_2‖_F"};
    maps[1] = maps[0];
    maps[1].z = log_ratio;
    maps[1].log = false;
    maps[1].colors = NS_COLORS_DIVERGING;
    maps[1].label = "log_2(B/A)";
    maps[2] = (NsHeatmap){.z = similar,
                          .rows = 9,
                          .columns = 9,
                          .x0 = -0.5,
                          .x1 = 8.5,
                          .y0 = -0.5,
                          .y1 = 8.5,
                          .label = "linear CKA",
                          .colors = NS_COLORS_CIVIDIS,
                          .lo = 0,
                          .hi = 1,
                          .square = true,
                          .values = true};
    maps[3] = (NsHeatmap){.z = attention,
                          .rows = 20,
                          .columns = 20,
                          .x0 = 0.5,
                          .x1 = 20.5,
                          .y0 = 0.5,
                          .y1 = 20.5,
                          .label = "weight",
                          .square = true};
    static const char *const titles[] = {"Gradient norm by layer and step", "B against A",
                                         "Similarity of hidden states",
                                         "Attention, layer 3, head 2"};
    for (int i = 0; i < 4; i++) {
        NsPlot *plot = &charts[3 + i];
        *plot = (NsPlot){.title = titles[i],
                         .x = axis(i < 2    ? "step"
                                   : i == 2 ? "layer (0: embedding)"
                                            : "key position",
                                   NULL, NS_SCALE_LINEAR, true),
                         .left = axis(i < 2    ? "layer"
                                      : i == 2 ? "layer"
                                               : "query position",
                                      NULL, NS_SCALE_LINEAR, true),
                         .heatmap = &maps[i]};
    }
    charts[6].left.reversed = true;
}

/* Two lanes with a selected step. */
static void describe_lanes(void)
{
    static const char *const lanes[] = {"A Post-LN", "B Pre-LN"};
    static const NsSpan viewed = {.from = 640, .to = 640}, seen = {.from = 64, .to = 64};
    static const NsMarker diverged = {.x = 1501, .text = "B diverged", .alarm = true, .style = 2};
    static NsSeries loss[2], norms[2], below;
    static float cells[2 * LAYERS * 300];
    static NsHeatPanel panels[2];
    static NsHeatmap map;
    for (unsigned i = 0; i < 2; i++) {
        loss[i] = (NsSeries){.label = lanes[i],
                             .style = i,
                             .n = i ? 1501 : STEPS,
                             .x = steps,
                             .y = i ? validation : noisy};
        norms[i] = (NsSeries){.label = lanes[i],
                              .kind = NS_SERIES_POINTS,
                              .style = i,
                              .n = LAYERS,
                              .x = layers,
                              .y = i ? pre : post};
        panels[i] = (NsHeatPanel){lanes[i], i + 1, i * LAYERS, LAYERS, 0.5};
    }
    charts[12] = (NsPlot){.title = "Loss of two lanes",
                          .subtitle = "A Post-LN; B Pre-LN; 12 layers, lr 0.003, step 1999",
                          .moment = "step 1999",
                          .x = axis("step", NULL, NS_SCALE_LINEAR, true),
                          .left = axis("loss", "nats per token", NS_SCALE_LINEAR, false),
                          .series = loss,
                          .n_series = 2,
                          .markers = &diverged,
                          .n_markers = 1,
                          .spans = &viewed,
                          .n_spans = 1,
                          .lettered = true};
    static const NsLevel one = {.y = 1};
    below = norms[1];
    below.label = "B / A";
    below.y = ratio;
    lanes_lower = (NsPlot){.left = axis("B / A", NULL, NS_SCALE_LOG, false),
                           .series = &below,
                           .n_series = 1,
                           .levels = &one,
                           .n_levels = 1};
    charts[13] = (NsPlot){.title = "Gradient norm of two lanes",
                          .subtitle = "A Post-LN; B Pre-LN; 12 layers, lr 0.003, step 640",
                          .moment = "step 640",
                          .x = axis("layer", NULL, NS_SCALE_LINEAR, true),
                          .left = axis("‖∇W_2‖", NULL, NS_SCALE_LOG, false),
                          .series = norms,
                          .n_series = 2,
                          .lower = &lanes_lower,
                          .lettered = true};
    for (int i = 0; i < 2 * LAYERS * 300; i++)
        cells[i] = i < LAYERS * 300 ? heat[i] : 0.3f / (float)(1 + i % 300) + 0.01f;
    map = (NsHeatmap){.z = cells,
                      .rows = 2 * (size_t)LAYERS,
                      .columns = 300,
                      .x0 = -0.5,
                      .x1 = 299.5,
                      .y1 = 2,
                      .panels = panels,
                      .n_panels = 2,
                      .log = true,
                      .label = "‖∇W_2‖"};
    charts[14] = (NsPlot){.title = "Gradient norm of two lanes by step",
                          .subtitle = "A Post-LN; B Pre-LN; 12 layers, lr 0.003, step 299",
                          .moment = "step 299",
                          .x = axis("step", NULL, NS_SCALE_LINEAR, true),
                          .left = axis("layer", NULL, NS_SCALE_LINEAR, true),
                          .heatmap = &map,
                          .spans = &seen,
                          .n_spans = 1,
                          .lettered = true};
}

static void describe_bars(void)
{
    static NsSeries counts[3], bars[2];
    counts[0] = (NsSeries){.label = "Pre-LN",
                           .kind = NS_SERIES_BARS,
                           .n = BINS,
                           .x = centers,
                           .y = first,
                           .edges = edges};
    counts[1] = counts[0];
    counts[1].label = "Post-LN";
    counts[1].style = 1;
    counts[1].y = second;
    counts[2] =
        (NsSeries){.label = "normal", .theory = true, .n = BINS, .x = centers, .y = density};
    charts[7] = (NsPlot){.title = "Hidden norm of tokens",
                         .subtitle = "squared, over its mean",
                         .x = axis("‖x‖^2 / ⟨‖x‖^2⟩", NULL, NS_SCALE_LINEAR, false),
                         .left = axis("tokens", NULL, NS_SCALE_LINEAR, true),
                         .series = counts,
                         .n_series = 3};
    bars[0] = (NsSeries){.label = "Pre-LN", .kind = NS_SERIES_BARS, .n = 6, .x = layers, .y = pre};
    bars[1] = (NsSeries){
        .label = "Post-LN", .kind = NS_SERIES_BARS, .style = 1, .n = 6, .x = layers, .y = post};
    charts[8] = (NsPlot){.title = "Gradient norm of six layers",
                         .x = axis("layer", NULL, NS_SCALE_LINEAR, true),
                         .left = axis("‖∇_l‖", NULL, NS_SCALE_LINEAR, false),
                         .series = bars,
                         .n_series = 2};
}

static cairo_surface_t *page(double width, double height, double scale)
{
    cairo_surface_t *image = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)ceil(width * scale), (int)ceil(height * scale));
    cairo_surface_set_device_scale(image, scale, scale);
    return image;
}

static void save(cairo_surface_t *image, const char *folder, const char *style, const char *name)
{
    g_autofree char *file = g_strdup_printf("%s-%s.png", style, name);
    g_autofree char *path = g_build_filename(folder, file, NULL);
    cairo_surface_flush(image);
    cairo_status_t status = cairo_surface_write_to_png(image, path);
    if (status != CAIRO_STATUS_SUCCESS)
        g_printerr("%s: %s\n", path, cairo_status_to_string(status));
    cairo_surface_destroy(image);
}

static double linear(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double encoded(double v)
{
    v = CLAMP(v, 0, 1);
    return v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

/* Simulates deuteranopia (Machado, Oliveira and Fernandes 2009, severity 1). */
static void simulate_deuteranopia(cairo_surface_t *image)
{
    static const double m[3][3] = {{0.367322, 0.860646, -0.227968},
                                   {0.280085, 0.672501, 0.047413},
                                   {-0.011820, 0.042940, 0.968881}};
    cairo_surface_flush(image);
    unsigned char *data = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    for (int y = 0; y < cairo_image_surface_get_height(image); y++)
        for (int x = 0; x < cairo_image_surface_get_width(image); x++) {
            unsigned char *pixel = data + y * stride + 4 * x;
            double rgb[3];
            for (int i = 0; i < 3; i++) rgb[i] = linear(pixel[2 - i] / 255.0);
            for (int i = 0; i < 3; i++)
                pixel[2 - i] = (unsigned char)lround(
                    255 * encoded(m[i][0] * rgb[0] + m[i][1] * rgb[1] + m[i][2] * rgb[2]));
        }
    cairo_surface_mark_dirty(image);
}

static void draw(const NsPlot *plot, double width, double height, const NsStyle *style, cairo_t *cr)
{
    g_autoptr(NsPlotLayout) layout = ns_plot_layout(plot, width, height, style);
    ns_plot_draw(layout, cr);
}

static void draw_sheet(const char *folder, const NsStyle *style, const char *name)
{
    double size = style->text_size / 12, width = TILE_WIDTH * size, height = TILE_HEIGHT * size;
    double scale = style->raster ? 1 : 1 / size;
    int rows = (CHARTS + COLUMNS - 1) / COLUMNS;
    cairo_surface_t *sheet = page(COLUMNS * width, rows * height, scale);
    cairo_t *cr = cairo_create(sheet);
    for (int i = 0; i < CHARTS; i++) {
        cairo_save(cr);
        cairo_translate(cr, i % COLUMNS * width, i / COLUMNS * height);
        draw(&charts[i], width, height, style, cr);
        cairo_restore(cr);
        cairo_surface_t *alone = page(width, height, 2 * scale);
        cairo_t *one = cairo_create(alone);
        draw(&charts[i], width, height, style, one);
        cairo_destroy(one);
        save(alone, folder, name, names[i]);
    }
    cairo_destroy(cr);
    save(cairo_surface_reference(sheet), folder, name, "all");
    simulate_deuteranopia(sheet);
    save(sheet, folder, name, "deuteranopia");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        g_printerr("usage: gallery FOLDER\n");
        return 2;
    }
    if (g_mkdir_with_parents(argv[1], 0755) != 0) {
        perror(argv[1]);
        return 1;
    }
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    fill_steps(rand);
    fill_layers(rand);
    fill_rest(rand);
    describe_curves();
    describe_layers();
    describe_maps();
    describe_bars();
    describe_lanes();
    for (size_t i = 0; ns_style(i); i++) draw_sheet(argv[1], ns_style(i), ns_style(i)->choice.key);
    return 0;
}
