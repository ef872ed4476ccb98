/* Creates the diagram of a layer, and shows the diagrams of all lanes side by side as a figure.
 * SPDX-License-Identifier: MIT */
#include "ui/figures/diagram-private.h"

#include "core/base/digits.h"
#include "core/base/words.h"
#include "ui/figures/figure.h"
#include "ui/plot/text.h"

#include <math.h>

/* Fractions of the width for one and for two stacks. */
static const double STACKS[NS_STACKS_MAX] = {0.27, 0.42};

/* Heights in text sizes: title and formula above the graph, margin below it. */
#define HEAD 3.9
#define FOOT 0.6
#define APART 1.2 /* gap between the stack and the frame of the layer */

/* Maximum width in text sizes; on a wider page the diagram is centered, since longer wires would
 * not help. */
#define WIDEST 64.0

/* Minimum sizes, in text sizes. */
#define BLOCK_LEAST 21.5
#define LAYER_LEAST 18.1 /* of a layer without stacks, with space around its text */
#define STACK_LEAST 8.5
#define ROW_LEAST 1.8
#define STACK_ROW_LEAST 2.2

static NsDiagram *diagram_new(const NsDiagramData *data, unsigned layer, double width,
                              double height, double text_size, bool with_stacks)
{
    NsDiagram *d = g_new0(NsDiagram, 1);
    d->data = data;
    d->text_size = text_size;
    d->width = width;
    d->height = height;
    d->nodes = g_array_new(FALSE, TRUE, sizeof(NsNode));
    d->wires = g_array_new(FALSE, TRUE, sizeof(NsWire));
    NsStackWiring stacks[NS_STACKS_MAX];
    size_t n = ns_stacks_wiring(&data->settings, NULL, stacks);
    unsigned within;
    size_t stack = ns_diagram_stack(stacks, n, layer, &within);
    d->layer = stacks[stack].first + within + 1;
    d->layers = stacks[n - 1].first + stacks[n - 1].layers;
    d->dual = stacks[stack].dual;
    d->sublayers = ns_layer_wiring(&data->settings, NULL, &stacks[stack], within, d->wiring);
    double top = HEAD * text_size, graph = MAX(height - top - FOOT * text_size, 1);
    double used = MIN(width, WIDEST * text_size), left = (width - used) / 2;
    double stacks_width = with_stacks ? STACKS[n - 1] * used : 0;
    double apart = with_stacks ? APART * text_size : 0;
    d->stacks = (NsBox){left, top, stacks_width, graph};
    d->block =
        (NsBox){left + stacks_width + apart, top, MAX(used - stacks_width - apart, 1), graph};
    if (with_stacks) ns_diagram_build_stacks(d, stacks, n);
    ns_diagram_build_block(d, stacks, stack);
    return d;
}

NsDiagram *ns_diagram_new(const NsDiagramData *data, unsigned layer, double width, double height,
                          double text_size)
{
    return diagram_new(data, layer, width, height, text_size, true);
}

void ns_diagram_free(NsDiagram *d)
{
    if (!d) return;
    g_array_unref(d->nodes);
    g_array_unref(d->wires);
    g_free(d);
}

static void least_size(const NsDiagramData *data, double text_size, bool with_stacks, double *width,
                       double *height)
{
    NsStackWiring stacks[NS_STACKS_MAX];
    size_t n = ns_stacks_wiring(&data->settings, NULL, stacks);
    double rows_height = ns_diagram_block_rows(n > 1 ? 3 : 2) * ROW_LEAST;
    *width = text_size * LAYER_LEAST;
    *height = text_size * (HEAD + FOOT + rows_height);
    if (!with_stacks) return;
    double block = BLOCK_LEAST / (1 - STACKS[n - 1]);
    double stacks_width = STACK_LEAST * (double)n / STACKS[n - 1];
    /* A layer in the middle of a deep stack needs the most rows. */
    double stack_rows = (double)ns_diagram_stack_rows(stacks, n, 4);
    *width = text_size * (MAX(block, stacks_width) + APART);
    *height = text_size * (HEAD + FOOT + MAX(rows_height, stack_rows * STACK_ROW_LEAST));
}

void ns_diagram_least(const NsDiagramData *data, double text_size, double *width, double *height)
{
    least_size(data, text_size, true, width, height);
}

/* ---- As a figure ---- */

/* The scale to which text may shrink on a small page, and the scale at which it is large enough. */
#define SMALLEST 0.5
#define LEGIBLE 0.8

/* Stacks are omitted if the page would be more than TALLEST times as high as wide with them; text
 * without stacks is large enough at LEGIBLE_ALONE. */
#define TALLEST 2.5
#define LEGIBLE_ALONE 0.72

/* The minimum text size as a fraction of the style's (6 points of 8), but at most LEAST_GROWS times
 * the scale of the boxes. */
#define LEAST_WORD 0.75
#define LEAST_GROWS 1.15

/* Gap between lanes in text sizes; layers without stacks are separated by their frames. */
#define GUTTER 1.6
#define GUTTER_ALONE 0.7
#define SQUARE 600.0 /* an arbitrary size, to count wires */

typedef struct {
    NsFigure figure;
    NsFlow flow;
    NsDiagramData *lanes[NS_LANES_MAX];
    size_t n;
    unsigned layer;
    NsWildRun wild[NS_LANES_MAX];
    NsRange range; /* limits of the color scale; lo > hi if nothing was measured */
    NsPlotDrawing drawing;
} Diagram;

/* The layout of lanes on a page. */
typedef struct {
    size_t columns, rows;
    double width, height; /* of a lane */
    double scale;         /* of its text */
    double least;         /* minimum height of a lane at that scale */
    bool stacks;          /* stacks are shown beside the layers */
} Grid;

static double gutter_of(const NsStyle *style, bool stacks)
{
    return (stacks ? GUTTER : GUTTER_ALONE) * style->text_size;
}

/* The size of gutters is that at full scale; the legend shrinks with the text. */
static Grid grid_of(const Diagram *diagram, size_t columns, bool stacks, const NsBox *page,
                    const NsStyle *style)
{
    Grid grid = {.columns = columns,
                 .rows = (diagram->n + columns - 1) / columns,
                 .scale = 1,
                 .stacks = stacks};
    double gutter = gutter_of(style, stacks), foot = ns_diagram_legend_height(style), highest = 0;
    double rows = (double)grid.rows, free = page->height - (rows - 1) * gutter;
    grid.width = (page->width - (double)(columns - 1) * gutter) / (double)columns;
    for (size_t i = 0; i < diagram->n; i++) {
        double width, height;
        least_size(diagram->lanes[i], style->text_size, stacks, &width, &height);
        grid.scale = MIN(grid.scale, MIN(grid.width / width, free / (rows * height + foot)));
        highest = MAX(highest, height);
    }
    grid.height = (free - foot * MAX(grid.scale, SMALLEST)) / rows;
    grid.least = highest * grid.scale;
    return grid;
}

/* The grid with the largest text, or the one with the most columns in which the text scale is at
 * least `enough`. */
static Grid best_grid(const Diagram *diagram, bool stacks, double enough, const NsBox *page,
                      const NsStyle *style)
{
    Grid best = grid_of(diagram, diagram->n, stacks, page, style);
    for (size_t columns = diagram->n; --columns > 0 && best.scale < enough;) {
        Grid grid = grid_of(diagram, columns, stacks, page, style);
        if (grid.scale > best.scale) best = grid;
    }
    return best;
}

static void draw(const void *data, cairo_t *cr, double width, double height, const NsStyle *style)
{
    const Diagram *diagram = data;
    const NsBox page = {.width = width, .height = height};
    Grid grid = best_grid(diagram, true, 1, &page, style);
    /* Stacks are omitted if the text would be illegible with them and larger without them. */
    if (diagram->n > 1 && grid.scale < LEGIBLE) {
        Grid layers = best_grid(diagram, false, 1, &page, style);
        if (layers.scale > grid.scale) grid = layers;
    }
    NsStyle small = ns_style_scaled(style, MAX(grid.scale, SMALLEST));
    NsDiagramLook look = ns_diagram_look(&small, diagram->flow, diagram->range);
    look.least = MIN(LEAST_WORD, LEAST_GROWS * grid.scale) * style->text_size;
    double gutter = gutter_of(style, grid.stacks), foot = ns_diagram_legend_height(&small);
    for (size_t i = 0; i < diagram->n; i++) {
        g_autoptr(NsDiagram) one =
            diagram_new(diagram->lanes[i], diagram->layer, MAX(grid.width, 1), MAX(grid.height, 1),
                        small.text_size, grid.stacks);
        cairo_save(cr);
        cairo_translate(cr, (double)(i % grid.columns) * (grid.width + gutter),
                        (double)(i / grid.columns) * (grid.height + gutter));
        ns_diagram_draw(one, &look, cr);
        cairo_restore(cr);
    }
    cairo_save(cr);
    cairo_translate(cr, 0, height - foot);
    ns_diagram_draw_legend(&look, width, foot, cr);
    cairo_restore(cr);
}

/* The minimum height of a page on which text is as large as the width permits. */
static double grid_height(const Grid *grid, const NsStyle *style)
{
    double rows = (double)grid->rows, gutter = gutter_of(style, grid->stacks);
    double foot = ns_diagram_legend_height(style) * MAX(grid->scale, SMALLEST);
    return rows * grid->least + (rows - 1) * gutter + foot;
}

static double needed_height(const void *data, double width, const NsStyle *style)
{
    const Diagram *diagram = data;
    const NsBox page = {.width = width, .height = G_MAXFLOAT};
    Grid grid = best_grid(diagram, true, LEGIBLE, &page, style);
    double needed = grid_height(&grid, style);
    if (diagram->n < 2 || needed <= TALLEST * width) return needed;
    grid = best_grid(diagram, false, LEGIBLE_ALONE, &page, style);
    return MIN(needed, grid_height(&grid, style));
}

static char *describe(const void *data)
{
    const Diagram *diagram = data;
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < diagram->n; i++) {
        g_autoptr(NsDiagram) one =
            ns_diagram_new(diagram->lanes[i], diagram->layer, SQUARE, SQUARE, 1);
        g_autofree char *words = ns_diagram_describe(one);
        g_string_append_printf(text, "%s%s.", i ? " " : "", words);
    }
    return g_string_free(text, FALSE);
}

/* Creates the series for tables: every number of the diagram, as a series of one point. */
static void fill_series(Diagram *diagram)
{
    NsFigure *figure = &diagram->figure;
    GArray *all = g_array_new(FALSE, FALSE, sizeof(NsSeries));
    ns_figure_forget(figure);
    for (size_t i = 0; i < diagram->n; i++) {
        g_autoptr(NsDiagram) lane =
            ns_diagram_new(diagram->lanes[i], diagram->layer, SQUARE, SQUARE, 1);
        for (guint k = 0; ns_diagram_wire(lane, k); k++) {
            const NsWire *wire = ns_diagram_wire(lane, k);
            if (isnan(wire->value[diagram->flow])) continue;
            unsigned layer = MAX(ns_diagram_node(lane, wire->from)->layer,
                                 ns_diagram_node(lane, wire->to)->layer);
            double *point = ns_figure_own(figure, g_new(double, 2));
            point[0] = (double)layer;
            point[1] = wire->value[diagram->flow];
            const char *name = lane->data->name;
            g_autofree char *from = ns_text_plain(ns_diagram_node(lane, wire->from)->text);
            g_autofree char *to = ns_text_plain(ns_diagram_node(lane, wire->to)->text);
            const char *kinds[] = {[NS_WIRE_STREAM] = "stream",      [NS_WIRE_SKIP] = "skip",
                                   [NS_WIRE_BRANCH] = "branch",      [NS_WIRE_EXTRA] = "extra skip",
                                   [NS_WIRE_DUAL] = "second stream", [NS_WIRE_MEMORY] = "encoder"};
            const NsNode *node = ns_diagram_node(lane, wire->from);
            int sublayer =
                node->sublayer >= 0 ? node->sublayer : ns_diagram_node(lane, wire->to)->sublayer;
            g_autofree char *place =
                sublayer < 0 ? g_strdup("stack") : g_strdup_printf("sub-layer %d", sublayer + 1);
            NsSeries series = {
                .label = ns_figure_own(figure,
                                       g_strdup_printf("%s%s%s, %s, %s to %s", name ? name : "",
                                                       name ? ": " : "", place, kinds[wire->kind],
                                                       *from ? from : "fork or sum",
                                                       *to ? to : "fork or sum")),
                .n = 1,
                .x = point,
                .y = point + 1};
            g_array_append_val(all, series);
        }
    }
    figure->plot.n_series = all->len;
    figure->plot.series = ns_figure_own(figure, g_array_free(all, FALSE));
}

/* Takes ownership of the lanes; TRUE if they would be drawn differently. */
static bool replace(Diagram *diagram, NsDiagramData *lanes[NS_LANES_MAX], size_t n)
{
    bool same = n == diagram->n;
    for (size_t i = 0; i < n && same; i++)
        same = ns_diagram_data_equal(diagram->lanes[i], lanes[i]);
    for (size_t i = 0; i < diagram->n; i++) ns_diagram_data_free(diagram->lanes[i]);
    for (size_t i = 0; i < n; i++) diagram->lanes[i] = lanes[i];
    diagram->n = n;
    return !same;
}

static char *note(const Diagram *diagram, NsBucket steps)
{
    GString *words = g_string_new(NULL);
    g_autofree char *first = ns_group_digits(steps.first), *last = ns_group_digits(steps.last);
    if (steps.last > steps.first)
        ns_figure_add_sentence(words, _("The largest values of steps %s to %s."), first, last);
    ns_wild_note(words, diagram->wild, diagram->n, true);
    return g_string_free(words, words->len == 0);
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Diagram *diagram = (Diagram *)figure;
    NsDiagramData *lanes[NS_LANES_MAX];
    size_t n = 0;
    bool several = input->n_lanes > 1;
    for (unsigned i = 0; several && i < input->n_lanes; i++) {
        const NsFigureRun *run = &input->lanes[i];
        if (!run->settings) continue;
        diagram->wild[n] = (NsWildRun){.history = run->history, .name = run->name};
        lanes[n++] = ns_diagram_data_new(run->settings, run->name, run->history, input->step);
    }
    if (!several && input->settings) {
        diagram->wild[n] = (NsWildRun){.history = input->history};
        lanes[n++] = ns_diagram_data_new(input->settings, NULL, input->history, input->step);
    }
    unsigned layer = input->layer ? input->layer : (unsigned)MAX(input->marked_layer, 0);
    figure->changed |= replace(diagram, lanes, n);
    NS_FIGURE_SET(figure, diagram->layer, layer);
    /* All lanes share a color scale, except those that diverged far beyond the others. */
    NsRange all = {INFINITY, -INFINITY};
    for (size_t i = 0; i < diagram->n; i++) {
        g_autoptr(NsDiagram) lane =
            ns_diagram_new(diagram->lanes[i], diagram->layer, SQUARE, SQUARE, 1);
        NsRange one = ns_diagram_extent(lane, diagram->flow);
        diagram->wild[i].most = MAX(one.hi, 0);
        diagram->wild[i].least = one.lo;
        all = (NsRange){MIN(all.lo, one.lo), MAX(all.hi, one.hi)};
    }
    all = ns_wild_colors(diagram->wild, diagram->n, NS_SCALE_LOG, all);
    NS_FIGURE_SET(&diagram->figure, diagram->range.lo, all.lo);
    NS_FIGURE_SET(&diagram->figure, diagram->range.hi, all.hi);
    NsBucket steps = n ? diagram->lanes[0]->steps : (NsBucket){-1, -1};
    const char *title = diagram->flow == NS_FLOW_SIGNAL ? _("Signal norms in a layer")
                                                        : _("Gradient norms in a layer");
    ns_figure_words(figure, input,
                    (NsFigureWords){.title = title,
                                    .empty = _("There is no model yet."),
                                    .step = steps.last,
                                    .note = note(diagram, steps)});
    if (!figure->changed) return;
    fill_series(diagram);
    figure->plot.drawing = n ? &diagram->drawing : NULL;
}

static void clear(NsFigure *figure)
{
    Diagram *diagram = (Diagram *)figure;
    for (size_t i = 0; i < diagram->n; i++) ns_diagram_data_free(diagram->lanes[i]);
}

static void init(NsFigure *figure, NsFlow flow)
{
    Diagram *diagram = (Diagram *)figure;
    diagram->flow = flow;
    diagram->drawing = (NsPlotDrawing){draw, needed_height, describe, diagram};
    figure->plot.x.label = "layer";
    figure->plot.left.label = "norm";
}

static void init_signal(NsFigure *figure)
{
    init(figure, NS_FLOW_SIGNAL);
}

static void init_gradient(NsFigure *figure)
{
    init(figure, NS_FLOW_GRADIENT);
}

const NsFigureClass ns_diagram_signal_class = {sizeof(Diagram), init_signal, update, clear,
                                               NS_SEEDS_FIRST};
const NsFigureClass ns_diagram_gradient_class = {sizeof(Diagram), init_gradient, update, clear,
                                                 NS_SEEDS_FIRST};
