/* Nodes and wires, and moving a norm.  SPDX-License-Identifier: MIT */
#include "ui/figures/diagram-private.h"

#include <math.h>
#include <string.h>

unsigned ns_diagram_add(NsDiagram *d, NsNode node, NsPoint middle, double width, double height)
{
    node.box = (NsBox){middle.x - width / 2, middle.y - height / 2, width, height};
    g_array_append_val(d->nodes, node);
    return d->nodes->len - 1;
}

const NsNode *ns_diagram_node(const NsDiagram *d, size_t i)
{
    return i < d->nodes->len ? &g_array_index(d->nodes, NsNode, i) : NULL;
}

const NsWire *ns_diagram_wire(const NsDiagram *d, size_t i)
{
    return i < d->wires->len ? &g_array_index(d->wires, NsWire, i) : NULL;
}

NsPoint ns_diagram_middle(const NsDiagram *d, unsigned node)
{
    const NsBox *box = &ns_diagram_node(d, node)->box;
    return (NsPoint){box->x + box->width / 2, box->y + box->height / 2};
}

/* Where the horizontal or vertical line from a point within a box to another point leaves the
 * box. */
static NsPoint leave(const NsBox *box, NsPoint from, NsPoint to)
{
    if (fabs(to.x - from.x) > fabs(to.y - from.y))
        return (NsPoint){to.x > from.x ? box->x + box->width : box->x, from.y};
    return (NsPoint){from.x, to.y > from.y ? box->y + box->height : box->y};
}

NsWire *ns_diagram_connect(NsDiagram *d, NsWireKind kind, unsigned from, unsigned to,
                           NsFlowValues carries, const NsPoint *points, size_t n)
{
    NsWire wire = {.kind = kind, .from = from, .to = to, .numbered = {true, true}, .n = n};
    memcpy(wire.points, points, n * sizeof *points);
    memcpy(wire.value, carries.value, sizeof wire.value);
    wire.points[0] = leave(&ns_diagram_node(d, from)->box, points[0], points[1]);
    wire.points[n - 1] = leave(&ns_diagram_node(d, to)->box, points[n - 1], points[n - 2]);
    g_array_append_val(d->wires, wire);
    return &g_array_index(d->wires, NsWire, d->wires->len - 1);
}

size_t ns_diagram_stack(const NsStackWiring *stacks, size_t n, unsigned layer, unsigned *within)
{
    unsigned layers = stacks[n - 1].first + stacks[n - 1].layers;
    unsigned index = CLAMP(layer ? layer : layers, 1, layers) - 1;
    size_t stack = n > 1 && index >= stacks[1].first ? 1 : 0;
    *within = index - stacks[stack].first;
    return stack;
}

int ns_diagram_node_at(const NsDiagram *d, double x, double y)
{
    int found = -1;
    for (guint i = 0; i < d->nodes->len; i++)
        if (ns_box_contains(&ns_diagram_node(d, i)->box, x, y))
            found = (int)i; /* nodes come after the nodes that contain them */
    return found;
}

int ns_diagram_wire_at(const NsDiagram *d, double x, double y, double reach)
{
    int found = -1;
    for (guint i = 0; i < d->wires->len; i++) {
        const NsWire *wire = ns_diagram_wire(d, i);
        for (size_t p = 0; p + 1 < wire->n; p++) {
            NsPoint b = wire->points[p + 1];
            double px = CLAMP(x, MIN(wire->points[p].x, b.x), MAX(wire->points[p].x, b.x)),
                   py = CLAMP(y, MIN(wire->points[p].y, b.y), MAX(wire->points[p].y, b.y));
            double away = hypot(px - x, py - y);
            if (away > reach) continue;
            reach = away;
            found = (int)i;
        }
    }
    return found;
}

int ns_diagram_norm_at(const NsDiagram *d, int sublayer, NsPlace place)
{
    for (guint i = 0; i < d->nodes->len; i++) {
        const NsNode *node = ns_diagram_node(d, i);
        if (node->kind == NS_NODE_NORM && node->sublayer == sublayer && node->place == place)
            return (int)i;
    }
    return -1;
}

static void widen(NsRange *range, double value)
{
    if (value > 0) ns_range_widen(range, value);
}

NsRange ns_diagram_extent(const NsDiagram *d, NsFlow flow)
{
    NsRange range = {INFINITY, -INFINITY};
    for (guint i = 0; i < d->wires->len; i++) widen(&range, ns_diagram_wire(d, i)->value[flow]);
    for (size_t i = 0; d->data->values.value && i < d->data->layout.hidden; i++)
        widen(&range, ns_diagram_hidden(d->data, i).value[flow]);
    return range;
}

/* ---- moving a norm ---- */

static bool *norm_of(NsWiring *c, int place)
{
    return place == NS_PLACE_IN ? &c->in : place == NS_PLACE_BRANCH ? &c->branch : &c->out;
}

/* FALSE if there is no norm at `from`, or already one at `to`. */
static bool move(NsWiring *c, int from, int to)
{
    if (from >= 0) {
        if (!*norm_of(c, from)) return false;
        *norm_of(c, from) = false;
    }
    if (to >= 0) {
        if (*norm_of(c, to)) return false;
        *norm_of(c, to) = true;
    }
    return true;
}

/* The number of differences between two wirings with equal places of norms; -1 if these differ. */
static int difference(const NsWiring *a, const NsWiring *b)
{
    if (a->in != b->in || a->branch != b->branch || a->out != b->out) return -1;
    return (a->mid != b->mid) + (a->qk != b->qk) + (a->v != b->v) +
           (a->head_scale != b->head_scale) + !(fabs(a->s - b->s) < 1e-9) +
           !(fabs(a->b - b->b) < 1e-9) + !(fabs(a->a - b->a) < 1e-9) + (a->gain != b->gain) +
           (a->stream_gain != b->stream_gain) + (a->skip_layer != b->skip_layer) +
           !(fabs(a->init - b->init) < 1e-9) + !(fabs(a->init_qk - b->init_qk) < 1e-9) +
           !(fabs(a->lr - b->lr) < 1e-9) + !(fabs(a->eps - b->eps) < 1e-9);
}

static const NsPlacement *nearest(const NsDiagram *d, const NsWiring *wanted)
{
    const NsSettings *settings = &d->data->settings;
    const NsPlacement *present =
        ns_placement_at(settings, d->wiring[0].position.layer, d->wiring[0].position.layers);
    const NsPlacement *best = NULL, *row;
    int least = G_MAXINT;
    for (size_t i = 0; (row = ns_placement(i)); i++) {
        int sum = row->dual_stream != present->dual_stream;
        bool fits = row != present;
        for (size_t k = 0; k < d->sublayers && fits; k++) {
            NsWiring c = ns_placement_wiring(row, &d->wiring[k].position);
            int apart = difference(&wanted[k], &c);
            fits = apart >= 0;
            sum += apart;
        }
        if (!fits || sum >= least) continue;
        least = sum;
        best = row;
    }
    return best;
}

/* The placement without factors that has these norms in every sub-layer, as a formula; NULL if the
 * sub-layers differ or have anything else. */
static const NsPlacement *typed(const NsDiagram *d, const NsWiring *wanted)
{
    const NsWiring *c = &wanted[0];
    g_autofree char *formula =
        g_strdup_printf("%sx + %sF(%s)%s%s", c->out ? "N(" : "", c->branch ? "N(" : "",
                        c->in ? "N(x)" : "x", c->branch ? ")" : "", c->out ? ")" : "");
    const NsPlacement *placement = ns_mixture_at(formula, 0, 1, NULL);
    NsWiring plain = ns_placement_wiring(placement, &d->wiring[0].position);
    for (size_t k = 0; k < d->sublayers; k++)
        if (difference(&wanted[k], &plain) != 0) return NULL;
    return placement;
}

const NsPlacement *ns_diagram_moved(const NsDiagram *d, int sublayer, int from, int to)
{
    if (ns_settings_are_mixed(&d->data->settings) || from == to) return NULL;
    NsWiring wanted[NS_LAYER_SUBLAYERS];
    bool all = true;
    for (size_t k = 0; k < d->sublayers; k++) {
        wanted[k] = d->wiring[k].c;
        all &= move(&wanted[k], from, to);
    }
    const NsPlacement *placement = all ? nearest(d, wanted) : NULL;
    if (all && !placement) placement = typed(d, wanted);
    if (placement) return placement;
    for (size_t k = 0; k < d->sublayers; k++) wanted[k] = d->wiring[k].c;
    return move(&wanted[sublayer], from, to) ? nearest(d, wanted) : NULL;
}
