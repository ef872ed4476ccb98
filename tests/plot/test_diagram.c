/* The diagram of a layer matches the table of placements.  SPDX-License-Identifier: MIT */
#include "core/experiment/assignment.h"
#include "run.h"
#include "ui/figures/diagram.h"
#include "ui/plot/export.h"
#include "ui/plot/text.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define TEXT 12.0 /* text size */
#define NEAR 1e-6

static NsDiagramData *data_of(const char *const *assignments, NsHistory *history)
{
    NsSettings settings;
    ns_settings_init(&settings);
    for (size_t i = 0; assignments[i]; i++) {
        g_autoptr(GError) error = NULL;
        ns_settings_assign(&settings, assignments[i], &error);
        g_assert_no_error(error);
    }
    NsDiagramData *data = ns_diagram_data_new(&settings, NULL, history, -1);
    ns_settings_clear(&settings);
    return data;
}

/* ---- wiring: the graph, traversed backwards, against the equation of the placement ---- */

static char *read_back(const NsDiagram *d, unsigned node);

static int by_text(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A sum of terms in an order that does not depend on the drawing.  Takes ownership of the array. */
static char *sum_of(GPtrArray *terms)
{
    g_ptr_array_sort(terms, by_text);
    GString *sum = g_string_new(terms->len > 1 ? "(" : "");
    for (guint i = 0; i < terms->len; i++)
        g_string_append_printf(sum, "%s%s", i ? " + " : "", (char *)terms->pdata[i]);
    g_string_append(sum, terms->len > 1 ? ")" : "");
    g_ptr_array_unref(terms);
    return g_string_free(sum, FALSE);
}

static GPtrArray *inputs_of(const NsDiagram *d, unsigned node, bool memory)
{
    GPtrArray *inputs = g_ptr_array_new_with_free_func(g_free);
    const NsWire *wire;
    for (size_t i = 0; (wire = ns_diagram_wire(d, i)); i++)
        if (wire->to == node && (wire->kind == NS_WIRE_MEMORY) == memory)
            g_ptr_array_add(inputs, read_back(d, wire->from));
    return inputs;
}

static char *scaled(NsFactor factor, double number, const NsWiring *c, const char *what)
{
    const char *learned = factor == NS_FACTOR_A && c->stream_gain            ? " ω"
                          : factor == NS_FACTOR_B && c->gain != NS_GAIN_NONE ? " g"
                                                                             : "";
    return g_strdup_printf("%.6g%s %s", number, learned, what);
}

static const char *const KINDS[NS_SUBLAYER_KINDS] = {"A", "C", "F"};

static char *branch_of(NsSublayerKind kind, const NsWiring *c, const char *u, bool memory)
{
    return g_strdup_printf("%s[%s%s%s%s](%s%s)", KINDS[kind], c->qk ? "qk" : "", c->v ? "v" : "",
                           c->mid ? "m" : "", c->head_scale ? "h" : "", u, memory ? "; m" : "");
}

/* The nodes inside F as a wiring of their own. */
static NsWiring chips_of(const NsDiagram *d, int f)
{
    NsWiring c = {0};
    bool q = false, k = false;
    const NsNode *n;
    for (size_t i = 0; (n = ns_diagram_node(d, i)); i++) {
        if (n->parent != f) continue;
        c.head_scale |= n->kind == NS_NODE_FACTOR;
        if (n->kind != NS_NODE_NORM) continue;
        q |= n->place == NS_PLACE_QUERY;
        k |= n->place == NS_PLACE_KEY;
        c.v |= n->place == NS_PLACE_VALUE;
        c.mid |= n->place == NS_PLACE_MID;
    }
    g_assert_true(q == k);
    c.qk = q;
    return c;
}

static char *read_back(const NsDiagram *d, unsigned node)
{
    const NsNode *n = ns_diagram_node(d, node);
    if (n->kind == NS_NODE_INPUT) return g_strndup(n->text, 1);
    if (n->kind == NS_NODE_MEMORY) return g_strdup("m");
    GPtrArray *inputs = inputs_of(d, node, false);
    if (n->kind != NS_NODE_SUM) g_assert_cmpuint(inputs->len, ==, 1);
    g_autofree char *in = sum_of(inputs);
    if (n->kind == NS_NODE_NORM) return g_strdup_printf("N(%s)", in);
    if (n->kind == NS_NODE_SCALE)
        return scaled(n->factor, n->number, &d->wiring[n->sublayer].c, in);
    if (n->kind != NS_NODE_BRANCH) return g_steal_pointer(&in);
    NsWiring chips = chips_of(d, (int)node);
    g_autoptr(GPtrArray) memory = inputs_of(d, node, true);
    return branch_of(n->part, &chips, in, memory->len > 0);
}

static bool is_one(double x)
{
    return fabs(x - 1) < 1e-12;
}

/* The expected equation x' = N_out(a x + r + y), y = b N_br(F(u)), u = s N_in(x) over all
 * sub-layers; *dual is D + all y. */
static char *equation(const NsSublayerWiring *sublayers, size_t n, bool cross, char **dual)
{
    char *x = g_strdup("x");
    *dual = g_strdup("D");
    for (size_t k = 0; k < n; k++) {
        const NsWiring *c = &sublayers[k].c;
        NsSublayerKind kind = sublayers[k].position.kind;
        g_autofree char *normed = c->in ? g_strdup_printf("N(%s)", x) : g_strdup(x);
        g_autofree char *u = is_one(c->s) ? g_strdup(normed) : scaled(NS_FACTOR_S, c->s, c, normed);
        g_autofree char *f = branch_of(kind, c, u, cross && kind == NS_CROSS_ATTENTION);
        g_autofree char *v = c->branch ? g_strdup_printf("N(%s)", f) : g_strdup(f);
        bool plain = is_one(c->b) && c->gain == NS_GAIN_NONE;
        g_autofree char *y = plain ? g_strdup(v) : scaled(NS_FACTOR_B, c->b, c, v);
        GPtrArray *terms = g_ptr_array_new_with_free_func(g_free);
        g_ptr_array_add(terms, g_strdup(y));
        bool bare = is_one(c->a) && !c->stream_gain;
        if (c->a != 0) g_ptr_array_add(terms, bare ? g_strdup(x) : scaled(NS_FACTOR_A, c->a, c, x));
        if (c->skip_layer) g_ptr_array_add(terms, g_strdup("x"));
        g_autofree char *z = sum_of(terms);
        GPtrArray *streams = g_ptr_array_new_with_free_func(g_free);
        g_ptr_array_add(streams, g_steal_pointer(dual));
        g_ptr_array_add(streams, g_strdup(y));
        *dual = sum_of(streams);
        g_free(x);
        x = c->out ? g_strdup_printf("N(%s)", z) : g_strdup(z);
    }
    return x;
}

static void check_equation(const NsDiagram *d, const NsStackWiring *stack)
{
    NsSublayerWiring sublayers[NS_LAYER_SUBLAYERS];
    size_t n =
        ns_layer_wiring(&d->data->settings, NULL, stack, d->layer - 1 - stack->first, sublayers);
    g_autofree char *dual = NULL, *x = equation(sublayers, n, stack->cross, &dual);
    int outputs = 0;
    const NsNode *node;
    for (unsigned i = 0; (node = ns_diagram_node(d, i)); i++) {
        if (node->kind != NS_NODE_OUTPUT) continue;
        g_autofree char *drawn = read_back(d, i);
        g_assert_cmpstr(drawn, ==, node->text[0] == 'D' ? dual : x);
        outputs++;
    }
    g_assert_cmpint(outputs, ==, stack->dual ? 2 : 1);
}

/* ---- positions ---- */

static bool overlap(const NsBox *a, const NsBox *b)
{
    return a->x + NEAR < b->x + b->width && b->x + NEAR < a->x + a->width &&
           a->y + NEAR < b->y + b->height && b->y + NEAR < a->y + a->height;
}

static bool within(const NsBox *inner, const NsBox *outer)
{
    return inner->x > outer->x - NEAR && inner->y > outer->y - NEAR &&
           inner->x + inner->width < outer->x + outer->width + NEAR &&
           inner->y + inner->height < outer->y + outer->height + NEAR;
}

static void check_boxes(const NsDiagram *d)
{
    const NsBox page = {0, 0, d->width, d->height};
    const NsNode *a, *b;
    for (size_t i = 0; (a = ns_diagram_node(d, i)); i++) {
        g_assert_true(within(&a->box, &page));
        g_assert_true(a->sublayer < 0 || within(&a->box, &d->block));
        if (a->parent >= 0)
            g_assert_true(within(&a->box, &ns_diagram_node(d, (size_t)a->parent)->box));
        for (size_t k = 0; k < i; k++) {
            b = ns_diagram_node(d, k);
            if (a->parent == (int)k || b->parent == (int)i) continue;
            if (overlap(&a->box, &b->box))
                g_error("%s: “%s” lies over “%s”",
                        ns_placement(d->data->settings.placement)->choice.key, a->text, b->text);
        }
    }
}

static bool on_edge(const NsBox *box, NsPoint p)
{
    bool across = p.x > box->x - NEAR && p.x < box->x + box->width + NEAR;
    bool down = p.y > box->y - NEAR && p.y < box->y + box->height + NEAR;
    bool side = fabs(p.x - box->x) < NEAR || fabs(p.x - box->x - box->width) < NEAR;
    bool end = fabs(p.y - box->y) < NEAR || fabs(p.y - box->y - box->height) < NEAR;
    return (side && down) || (end && across);
}

/* Checks that every wire is a straight line between the edges of two boxes, and crosses none. */
static void check_wires(const NsDiagram *d)
{
    const NsWire *w;
    for (size_t i = 0; (w = ns_diagram_wire(d, i)); i++) {
        g_assert_true(on_edge(&ns_diagram_node(d, w->from)->box, w->points[0]));
        g_assert_true(on_edge(&ns_diagram_node(d, w->to)->box, w->points[w->n - 1]));
        for (size_t p = 0; p + 1 < w->n; p++) {
            NsPoint a = w->points[p], b = w->points[p + 1];
            g_assert_true(fabs(a.x - b.x) < NEAR || fabs(a.y - b.y) < NEAR);
            const NsBox line = {MIN(a.x, b.x) - 2 * NEAR, MIN(a.y, b.y) - 2 * NEAR,
                                fabs(a.x - b.x) + 4 * NEAR, fabs(a.y - b.y) + 4 * NEAR};
            const NsNode *n;
            for (unsigned k = 0; (n = ns_diagram_node(d, k)); k++) {
                if (k == w->from || k == w->to || n->parent >= 0) continue;
                const NsBox inside = {n->box.x + 0.5, n->box.y + 0.5, n->box.width - 1,
                                      n->box.height - 1};
                if (overlap(&line, &inside))
                    g_error("%s: a wire from “%s” to “%s” runs through “%s”",
                            ns_placement(d->data->settings.placement)->choice.key,
                            ns_diagram_node(d, w->from)->text, ns_diagram_node(d, w->to)->text,
                            n->text);
            }
        }
    }
}

/* Checks that, from the head down, every node but the embeddings has an input, and every layer is
 * in a box. */
static void check_stack(const NsDiagram *d)
{
    unsigned seen = 0, selected = 0;
    const NsNode *n;
    for (unsigned i = 0; (n = ns_diagram_node(d, i)); i++) {
        if (n->kind == NS_NODE_LAYER) seen++;
        if (n->kind == NS_NODE_DOTS) seen += n->last - n->layer + 1;
        if (n->kind == NS_NODE_LAYER && n->selected) {
            g_assert_cmpuint(n->layer, ==, d->layer);
            selected++;
        }
        if (n->sublayer >= 0 || n->kind == NS_NODE_EMBEDDING || n->kind == NS_NODE_INPUT) continue;
        unsigned inputs = 0;
        for (size_t k = 0; ns_diagram_wire(d, k); k++) inputs += ns_diagram_wire(d, k)->to == i;
        g_assert_cmpuint(inputs, >=, 1);
    }
    g_assert_cmpuint(seen, ==, d->layers);
    g_assert_cmpuint(selected, ==, 1);
}

static void check(const NsDiagramData *data, unsigned layer)
{
    double width, height;
    ns_diagram_least(data, TEXT, &width, &height);
    const double pages[][2] = {{width, height}, {1.6 * width, 1.1 * height}, {2000, 1400}};
    NsStackWiring stacks[NS_STACKS_MAX];
    size_t n = ns_stacks_wiring(&data->settings, NULL, stacks);
    for (size_t i = 0; i < G_N_ELEMENTS(pages); i++) {
        g_autoptr(NsDiagram) d = ns_diagram_new(data, layer, pages[i][0], pages[i][1], TEXT);
        size_t stack = n > 1 && d->layer > stacks[1].first ? 1 : 0;
        if (layer) g_assert_cmpuint(d->layer, ==, layer);
        check_boxes(d);
        check_wires(d);
        check_stack(d);
        check_equation(d, &stacks[stack]);
    }
}

/* Every placement in every architecture, at the ends and in the middle of the stacks. */
static void test_wiring(void)
{
    static const char *const archs[] = {"arch=decoder", "arch=encoder", "arch=encoder-decoder"};
    static const char *const more[] = {"qk-norm=auto", "qk-norm=head",   "qk-norm=full",
                                       "norm=none",    "final-norm=off", "attention=uniform"};
    static const char *const depths[] = {"layers=1", "layers=2", "layers=9"};
    for (size_t p = 0; ns_placement(p); p++)
        for (size_t a = 0; a < G_N_ELEMENTS(archs); a++)
            for (size_t m = 0; m < G_N_ELEMENTS(more); m++)
                for (size_t l = 0; l < G_N_ELEMENTS(depths); l++) {
                    g_autofree char *placement =
                        g_strdup_printf("placement=%s", ns_placement(p)->choice.key);
                    const char *assignments[] = {placement, archs[a], more[m], depths[l], NULL};
                    g_autoptr(NsDiagramData) data = data_of(assignments, NULL);
                    NsStackWiring stacks[NS_STACKS_MAX];
                    size_t n = ns_stacks_wiring(&data->settings, NULL, stacks);
                    unsigned layers = stacks[n - 1].first + stacks[n - 1].layers;
                    const unsigned at[] = {0, 1, (layers + 1) / 2, layers};
                    for (size_t i = 0; i < G_N_ELEMENTS(at); i++) check(data, at[i]);
                }
}

/* Each layer of a mixture is wired according to its own placement. */
static void test_mixture(void)
{
    static const char *const assignments[] = {"mixture=post*1,keel*1,sandwich*1", "layers=6", NULL};
    g_autoptr(NsDiagramData) data = data_of(assignments, NULL);
    static const char *const titles[] = {"Post-LN", "Post-LN",  "Keel",
                                         "Keel",    "Sandwich", "Sandwich"};
    for (unsigned l = 1; l <= 6; l++) {
        check(data, l);
        g_autoptr(NsDiagram) d = ns_diagram_new(data, l, 600, 600, TEXT);
        g_autofree char *title = ns_diagram_title(d);
        g_assert_cmpstr(title, ==, titles[l - 1]);
        g_assert_null(ns_diagram_moved(d, 0, NS_PLACE_OUT, NS_PLACE_IN));
    }
}

/* ---- values on wires ---- */

static double value_of(const NsDiagram *d, NsNodeKind from, NsNodeKind to, int sublayer,
                       NsWireKind kind, NsFlow flow)
{
    const NsWire *w;
    for (size_t i = 0; (w = ns_diagram_wire(d, i)); i++) {
        const NsNode *a = ns_diagram_node(d, w->from), *b = ns_diagram_node(d, w->to);
        bool here = MAX(a->sublayer, b->sublayer) == sublayer;
        if (w->kind == kind && a->kind == from && b->kind == to && here) return w->value[flow];
    }
    g_assert_not_reached();
}

static void close_to(double a, double b)
{
    g_assert_cmpfloat(fabs(a - b), <=, 1e-5 * fabs(b));
}

static double recorded(NsHistory *history, NsQuantity quantity, size_t i)
{
    g_autofree float *values = g_new(float, ns_history_layout(history)->count[quantity]);
    ns_history_read(history, quantity, ns_history_steps(history) - 1, values, NULL, NULL);
    return (double)values[i];
}

static void test_values(void)
{
    g_autoptr(NsRun) run = run_trained("placement=pre", "arch=decoder");
    NsHistory *h = run->history;
    g_autoptr(NsDiagramData) data = ns_diagram_data_new(&run->settings, "A", h, -1);
    g_assert_cmpint(data->steps.last, ==, 3);
    g_autoptr(NsDiagram) d = ns_diagram_new(data, 2, 600, 600, TEXT);
    close_to(value_of(d, NS_NODE_INPUT, NS_NODE_FORK, 0, NS_WIRE_STREAM, NS_FLOW_SIGNAL),
             sqrt(recorded(h, NS_QUANTITY_HIDDEN_SQ, 1)));
    close_to(value_of(d, NS_NODE_FORK, NS_NODE_SUM, 1, NS_WIRE_SKIP, NS_FLOW_SIGNAL),
             recorded(h, NS_QUANTITY_SKIP_SIGNAL_FFN, 1));
    close_to(value_of(d, NS_NODE_BRANCH, NS_NODE_SUM, 1, NS_WIRE_BRANCH, NS_FLOW_SIGNAL),
             recorded(h, NS_QUANTITY_BRANCH_SIGNAL_FFN, 1));
    close_to(value_of(d, NS_NODE_SUM, NS_NODE_OUTPUT, 1, NS_WIRE_STREAM, NS_FLOW_GRADIENT),
             recorded(h, NS_QUANTITY_HIDDEN_GRAD, 2));
    close_to(value_of(d, NS_NODE_FORK, NS_NODE_NORM, 0, NS_WIRE_BRANCH, NS_FLOW_GRADIENT),
             recorded(h, NS_QUANTITY_BRANCH_GRAD_ATTENTION, 1));
    /* Between the sub-layers of Pre-LN, the skip connection passes the gradient of the sum
     * unchanged. */
    close_to(value_of(d, NS_NODE_SUM, NS_NODE_FORK, 1, NS_WIRE_STREAM, NS_FLOW_GRADIENT),
             recorded(h, NS_QUANTITY_SKIP_GRAD_ATTENTION, 1));
    /* The input of F after the norm is not measured. */
    g_assert_true(
        isnan(value_of(d, NS_NODE_NORM, NS_NODE_BRANCH, 0, NS_WIRE_BRANCH, NS_FLOW_SIGNAL)));
    NsRange range = ns_diagram_extent(d, NS_FLOW_SIGNAL);
    g_assert_cmpfloat(range.lo, >, 0);
    g_assert_cmpfloat(range.lo, <, range.hi);

    g_autofree char *words = ns_diagram_describe(d);
    g_assert_true(
        g_str_has_prefix(words, "layer 2, A  Pre-LN: LayerNorm, self-attention, residual addition; "
                                "LayerNorm, feed-forward, residual addition; hidden norm "));
    g_assert_nonnull(strstr(words, ", gradient 0."));
}

/* DeepNorm: the skip gradient divided by α is the gradient of the sum, which also enters the
 * branch. */
static void test_scaled_values(void)
{
    g_autoptr(NsRun) run = run_trained("placement=deepnorm", "arch=decoder");
    NsHistory *h = run->history;
    g_autoptr(NsDiagramData) data = ns_diagram_data_new(&run->settings, NULL, h, -1);
    g_autoptr(NsDiagram) d = ns_diagram_new(data, 3, 600, 600, TEXT);
    double a = d->wiring[0].c.a, past = recorded(h, NS_QUANTITY_SKIP_GRAD_ATTENTION, 2);
    g_assert_cmpfloat(a, >, 1.1);
    close_to(value_of(d, NS_NODE_FORK, NS_NODE_SCALE, 0, NS_WIRE_SKIP, NS_FLOW_GRADIENT), past);
    close_to(value_of(d, NS_NODE_SCALE, NS_NODE_SUM, 0, NS_WIRE_SKIP, NS_FLOW_GRADIENT), past / a);
    close_to(value_of(d, NS_NODE_BRANCH, NS_NODE_SUM, 0, NS_WIRE_BRANCH, NS_FLOW_GRADIENT),
             past / a);
    close_to(value_of(d, NS_NODE_SCALE, NS_NODE_SUM, 0, NS_WIRE_SKIP, NS_FLOW_SIGNAL),
             a * value_of(d, NS_NODE_INPUT, NS_NODE_FORK, 0, NS_WIRE_STREAM, NS_FLOW_SIGNAL));
    g_assert_true(isnan(value_of(d, NS_NODE_SUM, NS_NODE_NORM, 1, NS_WIRE_STREAM, NS_FLOW_SIGNAL)));
}

/* A wire of the first encoder state must not show a value of the decoder. */
static void test_two_stacks(void)
{
    g_autoptr(NsRun) run = run_trained("placement=pre", "arch=encoder-decoder");
    NsHistory *h = run->history;
    g_autoptr(NsDiagramData) data = ns_diagram_data_new(&run->settings, NULL, h, -1);
    g_autoptr(NsDiagram) d = ns_diagram_new(data, 4, 600, 600, TEXT);
    g_assert_cmpuint(d->sublayers, ==, 3);
    close_to(value_of(d, NS_NODE_INPUT, NS_NODE_FORK, 0, NS_WIRE_STREAM, NS_FLOW_SIGNAL),
             sqrt(recorded(h, NS_QUANTITY_HIDDEN_SQ, 4)));
    close_to(value_of(d, NS_NODE_BRANCH, NS_NODE_SUM, 1, NS_WIRE_BRANCH, NS_FLOW_SIGNAL),
             recorded(h, NS_QUANTITY_BRANCH_SIGNAL_CROSS, 3));
}

/* ---- moving a norm ---- */

static const char *moved(const char *placement, int sublayer, int from, int to)
{
    g_autofree char *assignment = g_strdup_printf("placement=%s", placement);
    const char *assignments[] = {assignment, NULL};
    g_autoptr(NsDiagramData) data = data_of(assignments, NULL);
    g_autoptr(NsDiagram) d = ns_diagram_new(data, 4, 600, 600, TEXT);
    const NsPlacement *row = ns_diagram_moved(d, sublayer, from, to);
    return row ? row->choice.key : NULL;
}

static void test_moves(void)
{
    g_assert_cmpstr(moved("post", 0, NS_PLACE_OUT, NS_PLACE_IN), ==, "pre");
    g_assert_cmpstr(moved("pre", 1, NS_PLACE_IN, NS_PLACE_OUT), ==, "post");
    g_assert_cmpstr(moved("pre", 0, -1, NS_PLACE_BRANCH), ==, "sandwich");
    g_assert_cmpstr(moved("pre", 0, NS_PLACE_IN, NS_PLACE_BRANCH), ==, "olmo2");
    g_assert_cmpstr(moved("sandwich", 1, NS_PLACE_BRANCH, -1), ==, "pre");
    g_assert_cmpstr(moved("sandwich", 0, NS_PLACE_BRANCH, NS_PLACE_OUT), ==, "keel");
    g_assert_cmpstr(moved("post", 1, NS_PLACE_OUT, -1), ==, "none");
    g_assert_cmpstr(moved("none", 0, -1, NS_PLACE_OUT), ==, "post");
    /* Only the norm of the attention can move if no placement has the change everywhere. */
    g_assert_cmpstr(moved("hybridnorm", 0, NS_PLACE_OUT, -1), ==, "none");
    /* A placement that no paper has is a formula, from which a norm can move on. */
    g_assert_cmpstr(moved("post", 0, -1, NS_PLACE_BRANCH), ==, "N(x + N(F(x)))");
    g_assert_cmpstr(moved("N(x + N(F(x)))", 1, -1, NS_PLACE_IN), ==, "N(x + N(F(N(x))))");
    g_assert_cmpstr(moved("N(x + N(F(x)))", 1, NS_PLACE_BRANCH, -1), ==, "post");
    /* An occupied place, a norm that does not exist, and a result that is neither are refused. */
    g_assert_null(moved("sandwich", 0, NS_PLACE_IN, NS_PLACE_BRANCH));
    g_assert_null(moved("post", 0, NS_PLACE_IN, NS_PLACE_OUT));
    g_assert_null(moved("deepnorm", 0, -1, NS_PLACE_BRANCH));
    /* The placement that otherwise equals the current one is preferred. */
    g_assert_cmpstr(moved("peri", 0, NS_PLACE_BRANCH, -1), ==, "pre");
}

/* ---- drawing ---- */

static size_t ink_of(const NsDiagram *d, NsFlow flow, const NsStyle *style, size_t *alarmed)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 640, 640);
    cairo_t *cr = cairo_create(image);
    NsDiagramLook look = ns_diagram_look(style, flow, ns_diagram_extent(d, flow));
    look.tray = true;
    look.light = 0.4;
    look.flash = 0.5;
    look.focused = 3;
    ns_diagram_draw(d, &look, cr);
    ns_diagram_draw_legend(&look, 600, ns_diagram_legend_height(style), cr);
    g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
    cairo_destroy(cr);
    cairo_surface_flush(image);
    const unsigned char *bytes = cairo_image_surface_get_data(image);
    size_t ink = 0;
    *alarmed = 0;
    NsColor alarm = style->alarm;
    for (int i = 0; i < 640 * 640; i++) {
        const unsigned char *p = bytes + 4 * i;
        ink += p[0] || p[1] || p[2];
        *alarmed += abs(p[2] - (int)(255 * alarm.r)) + abs(p[1] - (int)(255 * alarm.g)) +
                        abs(p[0] - (int)(255 * alarm.b)) <
                    12;
    }
    cairo_surface_destroy(image);
    return ink;
}

static guint hash_of(const NsDiagram *d, const NsDiagramLook *look, const NsBox *box)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 640, 640);
    cairo_t *cr = cairo_create(image);
    cairo_rectangle(cr, box->x, box->y, box->width, box->height);
    cairo_clip(cr);
    ns_diagram_draw(d, look, cr);
    cairo_destroy(cr);
    g_autoptr(GBytes) bytes = g_bytes_new(cairo_image_surface_get_data(image), 4 * 640 * 640);
    cairo_surface_destroy(image);
    return g_bytes_hash(bytes);
}

/* A text stands below the stack, and what is expected after it above, as signs that are no markup.
 */
static void test_line(void)
{
    static const char *const assignments[] = {"placement=pre", "layers=3", NULL};
    g_autoptr(NsDiagramData) data = data_of(assignments, NULL);
    g_autoptr(NsDiagram) d = ns_diagram_new(data, 0, 640, 640, TEXT);
    NsDiagramLook look = ns_diagram_look(ns_style(0), NS_FLOW_SIGNAL, (NsRange){1, 0});
    const NsBox stack = d->stacks;
    NsBox above = stack, below = stack;
    const NsNode *n;
    for (size_t i = 0; (n = ns_diagram_node(d, i)); i++) {
        if (n->kind == NS_NODE_HEAD) above.height = n->box.y - stack.y - 1;
        if (n->kind == NS_NODE_EMBEDDING) below.y = n->box.y + n->box.height + 1;
    }
    below.height = stack.y + stack.height - below.y;
    guint none_above = hash_of(d, &look, &above), none_below = hash_of(d, &look, &below);
    look.read = "a _b^";
    g_assert_cmpuint(hash_of(d, &look, &above), ==, none_above);
    g_assert_cmpuint(hash_of(d, &look, &below), !=, none_below);
    look.expected = "next:\n< 40 %\n& 3 %";
    g_assert_cmpuint(hash_of(d, &look, &above), !=, none_above);
}

static void test_drawing(void)
{
    g_autoptr(NsRun) run = run_trained("placement=residual", "arch=encoder-decoder");
    g_autoptr(NsDiagramData) data = ns_diagram_data_new(&run->settings, NULL, run->history, -1);
    g_autoptr(NsDiagram) d = ns_diagram_new(data, 5, 640, 640, TEXT);
    size_t alarmed;
    for (size_t i = 0; ns_style(i); i++)
        for (NsFlow flow = 0; flow < NS_FLOWS; flow++) {
            g_assert_cmpuint(ink_of(d, flow, ns_style(i), &alarmed), >, 10000);
            g_assert_cmpuint(alarmed, <, 20);
        }
    /* A value that is not finite counts as measured and is visible. */
    ns_values_put(data->values, data->layout.offset[NS_QUANTITY_HIDDEN_SQ] + 4, (double)NAN);
    g_autoptr(NsDiagram) broken = ns_diagram_new(data, 4, 640, 640, TEXT);
    g_assert_true(
        isinf(value_of(broken, NS_NODE_INPUT, NS_NODE_FORK, 0, NS_WIRE_STREAM, NS_FLOW_SIGNAL)));
    ink_of(broken, NS_FLOW_SIGNAL, ns_style(0), &alarmed);
    g_assert_cmpuint(alarmed, >, 50);
}

static void test_hits(void)
{
    static const char *const assignments[] = {"placement=sandwich", "layers=9", NULL};
    g_autoptr(NsDiagramData) data = data_of(assignments, NULL);
    g_autoptr(NsDiagram) d = ns_diagram_new(data, 5, 640, 640, TEXT);
    const NsNode *n;
    for (int i = 0; (n = ns_diagram_node(d, (size_t)i)); i++) {
        double x = n->box.x + n->box.width / 2, y = n->box.y + n->box.height / 2;
        g_assert_cmpint(ns_diagram_node_at(d, x, y), ==, i);
        g_autofree char *words = ns_diagram_describe_node(d, (size_t)i);
        g_assert_true(g_str_has_suffix(words, "."));
    }
    g_assert_cmpint(ns_diagram_node_at(d, -1, -1), ==, -1);
    const NsWire *w;
    for (int i = 0; (w = ns_diagram_wire(d, (size_t)i)); i++) {
        g_assert_cmpint(ns_diagram_wire_at(d, w->points[0].x, w->points[0].y, 2), >=, 0);
        g_autofree char *words = ns_diagram_describe_wire(d, (size_t)i, NS_FLOW_GRADIENT);
        g_assert_nonnull(strstr(words, "not measured"));
    }
    g_assert_cmpint(ns_diagram_norm_at(d, 0, NS_PLACE_BRANCH), >=, 0);
    g_assert_cmpint(ns_diagram_norm_at(d, 0, NS_PLACE_OUT), ==, -1);
}

/* ---- the figure ---- */

static void test_figure(void)
{
    g_autoptr(NsRun) a = run_trained("placement=post", "arch=decoder");
    g_autoptr(NsRun) b = run_trained("placement=pre", "arch=decoder");
    NsFigureInput input = {
        .history = a->history,
        .settings = &a->settings,
        .lanes = {{a->history, &a->settings, "A"}, {b->history, &b->settings, "B"}},
        .n_lanes = 2,
        .marked_layer = 2,
        .step = -1};
    g_autoptr(NsFigure) figure = figure_new("diagram");
    const NsPlot *plot = ns_figure_update(figure, &input);
    g_assert_nonnull(plot->drawing);
    g_assert_cmpuint(plot->n_series, >, 20);
    uint64_t version = plot->version;
    g_assert_cmpuint(ns_figure_update(figure, &input)->version, ==, version);
    g_autofree char *words = plot->drawing->describe(plot->drawing->data);
    g_assert_nonnull(strstr(words, "layer 2, A  Post-LN"));
    g_assert_nonnull(strstr(words, "layer 2, B  Pre-LN"));
    input.layer = 3;
    g_assert_cmpuint(ns_figure_update(figure, &input)->version, >, version);
    version = ns_figure_update(figure, &input)->version;
    g_assert_true(ns_run_step(b));
    g_assert_cmpuint(ns_figure_update(figure, &input)->version, >, version);
    /* The table has every number of the drawing, with its layer. */
    for (size_t i = 0; i < plot->n_series; i++) {
        g_assert_true(isfinite(plot->series[i].y[0]));
        g_assert_cmpfloat(plot->series[i].x[0], <=, 3);
    }
}

/* The pixel height of a PNG of the plot for a requested size in points. */
static unsigned height_of(const NsPlot *plot, double width, double height, bool proposed)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "a.png", NULL);
    const NsExport how = {.format = NS_FORMAT_PNG,
                          .style = ns_style_find("paper"),
                          .width = width,
                          .height = height,
                          .proposed = proposed,
                          .dpi = 72};
    g_autoptr(GError) error = NULL;
    ns_export(&plot, 1, &how, path, &error);
    g_assert_no_error(error);
    cairo_surface_t *image = cairo_image_surface_create_from_png(path);
    unsigned found = (unsigned)cairo_image_surface_get_height(image);
    cairo_surface_destroy(image);
    g_unlink(path);
    g_rmdir(folder);
    return found;
}

/* If the height of the page is free, text has its normal size if the width allows. */
static void test_page(void)
{
    g_autoptr(NsRun) run = run_trained("placement=post", "arch=decoder");
    static const char *const names[] = {"A", "B", "C", "D"};
    NsFigureInput input = {.history = run->history, .settings = &run->settings, .step = -1};
    for (unsigned i = 0; i < NS_LANES_MAX; i++)
        input.lanes[i] = (NsFigureRun){run->history, &run->settings, names[i], .lane = i};
    for (unsigned n = 1; n <= NS_LANES_MAX; n++) {
        input.n_lanes = n > 1 ? n : 0;
        g_autoptr(NsFigure) figure = figure_new("diagram");
        const NsPlot *plot = ns_figure_update(figure, &input);
        g_assert_cmpuint(height_of(plot, 234, 164, false), ==, 164);
        /* Two lanes fill a column; with more, single layers are placed two side by side. */
        unsigned column = height_of(plot, 234, 164, true);
        g_assert_cmpuint(column, >, n == 2 ? 500 : 250);
        g_assert_cmpuint(column, <, n == 1 ? 340 : n == 2 ? 632 : 500);
        g_assert_cmpuint(height_of(plot, 504, 700, true), >=, 700);
        /* Four lanes are placed two by two, because three side by side would need small text. */
        unsigned wide = height_of(plot, 504, 353, true);
        g_assert_true(n > 2 ? wide > 500 : wide < 400);
    }
}

/* The ink box of a captured text on the page. */
static NsBox box_of_text(const NsCapturedText *captured)
{
    PangoRectangle ink;
    pango_layout_get_extents(captured->text, &ink, NULL);
    double x = (double)ink.x / PANGO_SCALE, y = (double)ink.y / PANGO_SCALE;
    cairo_matrix_transform_point(&captured->matrix, &x, &y);
    return (NsBox){x, y, (double)ink.width / PANGO_SCALE, (double)ink.height / PANGO_SCALE};
}

/* The ink of a letter such as “A” may begin a little before its origin.  Pango 1.56 measures that
 * (0.008 points in these titles); older versions round it off. */
#define OVERHANG 0.02

/* Checks that every label has at least 6 points, is complete, inside the page, and overlaps no
 * other. */
static void check_words(const NsPlot *plot, double width, const char *key)
{
    const NsStyle *style = ns_style_find(key);
    double height = plot->drawing->height(plot->drawing->data, width, style);
    cairo_surface_t *surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    g_autoptr(GArray) words = ns_text_capture(surface);
    cairo_t *cr = cairo_create(surface);
    plot->drawing->draw(plot->drawing->data, cr, width, height, style);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    g_assert_cmpuint(words->len, >, 10);
    for (guint i = 0; i < words->len; i++) {
        const NsCapturedText *one = &g_array_index(words, NsCapturedText, i);
        const char *text = pango_layout_get_text(one->text);
        double size =
            pango_font_description_get_size(pango_layout_get_font_description(one->text)) /
            (double)PANGO_SCALE;
        NsBox box = box_of_text(one);
        g_test_message("%g wide: %s, %g", width, text, size);
        g_assert_cmpfloat(size, >=, 6 - 1e-6);
        g_assert_false(pango_layout_is_ellipsized(one->text));
        g_assert_cmpfloat(box.x, >=, -OVERHANG);
        g_assert_cmpfloat(box.x + box.width, <=, width + OVERHANG);
        g_assert_cmpfloat(box.y + box.height, <=, height + OVERHANG);
        for (guint k = 0; k < i; k++) {
            NsBox other = box_of_text(&g_array_index(words, NsCapturedText, k));
            if (ns_boxes_overlap(&box, &other))
                g_error("“%s” lies on “%s”", text,
                        pango_layout_get_text(g_array_index(words, NsCapturedText, k).text));
        }
    }
}

/* The texts of a diagram of signals. */
static GArray *words_of(const NsDiagram *d, const NsStyle *style, double least)
{
    NsDiagramLook look =
        ns_diagram_look(style, NS_FLOW_SIGNAL, ns_diagram_extent(d, NS_FLOW_SIGNAL));
    look.least = least;
    cairo_surface_t *surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, NULL);
    GArray *words = ns_text_capture(surface);
    cairo_t *cr = cairo_create(surface);
    ns_diagram_draw(d, &look, cr);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    return words;
}

/* In a small diagram no number crosses the edge of a box. */
static void test_small(void)
{
    g_autoptr(NsRun) run = run_trained("placement=post", "layers=6");
    g_autoptr(NsDiagramData) data = ns_diagram_data_new(&run->settings, NULL, run->history, -1);
    guint numbers[2] = {0, 0};
    for (int small = 0; small < 2; small++) {
        g_autoptr(NsDiagram) d = ns_diagram_new(data, 3, 300, small ? 200 : 640, TEXT);
        g_autoptr(GArray) words = words_of(d, ns_style(0), TEXT);
        for (guint i = 0; i < words->len; i++) {
            const NsCapturedText *one = &g_array_index(words, NsCapturedText, i);
            char *end;
            g_ascii_strtod(pango_layout_get_text(one->text), &end);
            if (*end) continue;
            numbers[small]++;
            NsBox box = box_of_text(one);
            const NsNode *node;
            for (size_t k = 0; (node = ns_diagram_node(d, k)); k++)
                g_assert_false(ns_boxes_overlap(&box, &node->box));
        }
    }
    g_assert_cmpuint(numbers[0], >, numbers[1]);
    g_assert_cmpuint(numbers[1], >, 0);
}

/* At the smallest size that is offered, as on a slide, the name of a norm with its descender is
 * inside its box, and the norm of the output of the layer is shown. */
static void test_least(void)
{
    g_autoptr(NsRun) run = run_trained("placement=post", "layers=6");
    g_autoptr(NsDiagramData) data = ns_diagram_data_new(&run->settings, NULL, run->history, -1);
    const NsStyle *style = ns_style_find("slide");
    double width, height;
    ns_diagram_least(data, style->text_size, &width, &height);
    g_autoptr(NsDiagram) d = ns_diagram_new(data, 6, width, height, style->text_size);
    g_autoptr(GArray) words = words_of(d, style, 0);
    const NsNode *norm = ns_diagram_node(d, (size_t)ns_diagram_norm_at(d, 1, NS_PLACE_OUT));
    unsigned outputs = 0;
    for (guint i = 0; i < words->len; i++) {
        const NsCapturedText *one = &g_array_index(words, NsCapturedText, i);
        NsBox box = box_of_text(one);
        char *end;
        g_ascii_strtod(pango_layout_get_text(one->text), &end);
        outputs += !*end && box.x > d->block.x && box.y + box.height < norm->box.y;
        if (!ns_boxes_overlap(&box, &norm->box)) continue;
        double edge = 0.05 * style->text_size, bottom = norm->box.y + norm->box.height;
        g_assert_cmpfloat(box.y, >=, norm->box.y + edge);
        g_assert_cmpfloat(box.y + box.height, <=, bottom - edge);
    }
    g_assert_cmpuint(outputs, ==, 1);
}

/* In a journal column text is legible for any number of lanes and stacks. */
static void test_column(void)
{
    static const char *const names[] = {"A", "B", "C", "D"};
    static const char *const placements[] = {"placement=post", "placement=pre",
                                             "placement=deepnorm", "placement=sandwich"};
    static const char *const architectures[] = {"arch=decoder", "arch=encoder-decoder"};
    for (size_t a = 0; a < G_N_ELEMENTS(architectures); a++) {
        NsRun *runs[NS_LANES_MAX];
        NsFigureInput input = {.step = -1};
        for (unsigned i = 0; i < NS_LANES_MAX; i++) {
            runs[i] = run_trained(placements[i], architectures[a]);
            input.lanes[i] = (NsFigureRun){runs[i]->history, &runs[i]->settings, .name = names[i]};
        }
        input.history = input.lanes[0].history;
        input.settings = input.lanes[0].settings;
        for (unsigned n = 1; n <= NS_LANES_MAX; n++)
            for (int gradient = 0; gradient < 2; gradient++) {
                input.n_lanes = n > 1 ? n : 0;
                g_autoptr(NsFigure) figure = figure_new(gradient ? "diagram-gradient" : "diagram");
                const NsPlot *plot = ns_figure_update(figure, &input);
                g_test_message("%s, %u lanes", architectures[a], n);
                check_words(plot, 226, "paper");
                check_words(plot, 241, "paper");
                if (n == 1 && a == 0) check_words(plot, 234, "screen-dark");
            }
        for (unsigned i = 0; i < NS_LANES_MAX; i++) ns_run_free(runs[i]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/diagram/wiring", test_wiring);
    g_test_add_func("/diagram/mixture", test_mixture);
    g_test_add_func("/diagram/values", test_values);
    g_test_add_func("/diagram/scaled-values", test_scaled_values);
    g_test_add_func("/diagram/two-stacks", test_two_stacks);
    g_test_add_func("/diagram/moves", test_moves);
    g_test_add_func("/diagram/drawing", test_drawing);
    g_test_add_func("/diagram/line", test_line);
    g_test_add_func("/diagram/hits", test_hits);
    g_test_add_func("/diagram/figure", test_figure);
    g_test_add_func("/diagram/page", test_page);
    g_test_add_func("/diagram/column", test_column);
    g_test_add_func("/diagram/small", test_small);
    g_test_add_func("/diagram/least", test_least);
    return g_test_run();
}
