/* The stacks around the layer, with distant layers collapsed.  SPDX-License-Identifier: MIT */
#include "ui/figures/diagram-private.h"

#include "core/base/copy.h"
#include "core/base/words.h"
#include "core/ops/norm.h"

#include <math.h>

/* Heights as fractions of a row. */
#define BOX_HEIGHT 0.58
#define FORK_HEIGHT 0.1
#define SUM_HEIGHT 0.34

/* Widths as fractions of the column of a stack. */
#define BOX_WIDTH 0.74
#define DUAL_ASIDE 0.31 /* distance of the second stream from the first */
#define NORM_CLEAR 0.55 /* text sizes between the norm of the second stream and the first */
#define NORM_WORD 5.5   /* width of the name of a norm in text sizes */

/* Space for words in text sizes, with the margins of boxes in their rows. */
#define ABOVE 4.8
#define BELOW 0.6

#define BOX_MOST 9.5 /* maximum width in text sizes */

/* Number of layers at either end that are never collapsed. */
#define ENDS 2

/* Consecutive layers that are drawn as one box: a layer, or several as dots. */
typedef struct {
    unsigned first, last; /* from 1 within the stack */
} Piece;

typedef struct {
    NsDiagram *d;
    const NsStackWiring *stack;
    size_t index;       /* index of the stack */
    double unit;        /* height of a row */
    double bottom;      /* position of row 0 on the page */
    double x, width;    /* of its column */
    double row;         /* the next free row */
    unsigned top, dual; /* the nodes from which the next wires start */
    NsFlowValues carries;
} Builder;

static void add_piece(GArray *pieces, unsigned first, unsigned last)
{
    /* A single layer is shown as itself, since dots would not save space. */
    if (first <= last) g_array_append_val(pieces, ((Piece){first, last}));
}

/* Divides the layers into pieces.  chosen: 0 if the chosen layer is in another stack. */
static GArray *fold(unsigned layers, unsigned chosen)
{
    GArray *pieces = g_array_new(FALSE, FALSE, sizeof(Piece));
    unsigned shown = 0; /* the layers up to this one are in pieces */
    for (unsigned l = 1; l <= layers; l++) {
        bool visible = l <= ENDS || l == chosen || l + ENDS > layers;
        if (!visible) continue;
        add_piece(pieces, shown + 1, l - 1);
        add_piece(pieces, l, l);
        shown = l;
    }
    return pieces;
}

static unsigned chosen_in(const NsStackWiring *stack, unsigned layer)
{
    bool inside = layer > stack->first && layer <= stack->first + stack->layers;
    return inside ? layer - stack->first : 0;
}

size_t ns_diagram_stack_rows(const NsStackWiring *stacks, size_t n, unsigned layer)
{
    size_t rows = 0;
    for (const NsStackWiring *s = stacks; s < stacks + n; s++) {
        g_autoptr(GArray) pieces = fold(s->layers, chosen_in(s, layer));
        bool head = s == stacks + n - 1;
        rows = MAX(rows, 1 + s->embedding_norm + pieces->len + s->final_norm + s->dual + head);
    }
    return rows;
}

static NsPoint at(const Builder *b, double aside, double row)
{
    return (NsPoint){b->x + b->width / 2 + aside, b->bottom - (row + 0.5) * b->unit};
}

static double aside_of_dual(const Builder *b)
{
    return DUAL_ASIDE * MIN(b->width, BOX_MOST * b->d->text_size / BOX_WIDTH);
}

static unsigned add_box(Builder *b, NsNode n)
{
    n.decoder = b->stack->decoder;
    n.parent = n.sublayer = -1;
    return ns_diagram_add(b->d, n, at(b, 0, b->row++),
                          MIN(BOX_WIDTH * b->width, BOX_MOST * b->d->text_size),
                          BOX_HEIGHT * b->unit);
}

/* Connects the top of the first stream to a node. */
static NsWire *connect(Builder *b, unsigned to, NsFlowValues carries)
{
    NsPoint begin = ns_diagram_middle(b->d, b->top), end = ns_diagram_middle(b->d, to);
    begin.x = end.x = b->x + b->width / 2;
    const NsPoint way[] = {begin, end};
    return ns_diagram_connect(b->d, NS_WIRE_STREAM, b->top, to, carries, way, 2);
}

static void connect_dual(Builder *b, unsigned to)
{
    NsPoint begin = ns_diagram_middle(b->d, b->dual), end = ns_diagram_middle(b->d, to);
    double x = b->x + b->width / 2 + aside_of_dual(b);
    const NsPoint way[] = {{x, begin.y}, {x, end.y}};
    ns_diagram_connect(b->d, NS_WIRE_DUAL, b->dual, to, ns_flow_unknown, way, 2);
}

static NsNode norm_node(const Builder *b, NsPlace place)
{
    NsNode n = {.kind = NS_NODE_NORM, .place = place};
    ns_copy_text(n.text, sizeof n.text, _(b->stack->norm->choice.label));
    return n;
}

static void add_foot(Builder *b)
{
    NsNode embedding = {.kind = NS_NODE_EMBEDDING};
    ns_copy_text(embedding.text, sizeof embedding.text, _("Embedding"));
    b->top = add_box(b, embedding);
    if (b->stack->embedding_norm) {
        unsigned norm = add_box(b, norm_node(b, NS_PLACE_EMBEDDING));
        connect(b, norm, ns_flow_unknown);
        b->top = norm;
    }
    b->dual = b->top;
    if (!b->stack->dual) return;
    NsNode fork = {.kind = NS_NODE_FORK, .parent = -1, .sublayer = -1};
    NsPoint middle = at(b, 0, b->row - 0.5);
    middle.y += 0.06 * b->unit;
    unsigned split =
        ns_diagram_add(b->d, fork, middle, FORK_HEIGHT * b->unit, FORK_HEIGHT * b->unit);
    NsWire *wire = connect(b, split, ns_diagram_hidden(b->d->data, b->stack->first + b->index));
    wire->numbered[NS_FLOW_SIGNAL] = wire->numbered[NS_FLOW_GRADIENT] = false;
    b->top = b->dual = split;
}

static void add_layers(Builder *b)
{
    unsigned first = b->stack->first;
    g_autoptr(GArray) pieces = fold(b->stack->layers, chosen_in(b->stack, b->d->layer));
    for (guint i = 0; i < pieces->len; i++) {
        const Piece *piece = &g_array_index(pieces, Piece, i);
        bool dots = piece->first != piece->last;
        NsNode n = {.kind = dots ? NS_NODE_DOTS : NS_NODE_LAYER,
                    .layer = first + piece->first,
                    .last = first + piece->last,
                    .selected = !dots && first + piece->first == b->d->layer};
        if (dots)
            g_snprintf(n.text, sizeof n.text, "%u … %u", n.layer, n.last);
        else
            g_snprintf(n.text, sizeof n.text, _("Layer %u"), n.layer);
        unsigned box = add_box(b, n);
        connect(b, box, ns_diagram_hidden(b->d->data, first + piece->first - 1 + b->index));
        if (b->stack->dual && i == 0) {
            NsPoint fork = ns_diagram_middle(b->d, b->dual), end = ns_diagram_middle(b->d, box);
            double x = b->x + b->width / 2 + aside_of_dual(b);
            const NsPoint way[] = {fork, {x, fork.y}, {x, end.y}};
            NsWire *wire = ns_diagram_connect(
                b->d, NS_WIRE_DUAL, b->dual, box,
                ns_diagram_hidden(b->d->data, b->stack->first + b->index), way, 3);
            wire->numbered[NS_FLOW_SIGNAL] = false;
            wire->value[NS_FLOW_GRADIENT] = NAN;
        }
        if (b->stack->dual && i > 0) connect_dual(b, box);
        b->top = b->dual = box;
    }
}

/* Adds the sum x_L + N(D_L). */
static void join_dual(Builder *b, NsFlowValues carries)
{
    double side = SUM_HEIGHT * b->unit;
    unsigned from = b->dual;
    double x = b->x + b->width / 2 + aside_of_dual(b);
    if (b->stack->final_norm) {
        NsNode n = norm_node(b, NS_PLACE_FINAL);
        n.parent = n.sublayer = -1;
        double aside = aside_of_dual(b), clear = NORM_CLEAR * b->d->text_size;
        double width = 2 * MIN(aside - clear, b->width / 2 - aside - clear / 2);
        if (width < NORM_WORD * b->d->text_size) g_strlcpy(n.text, "N", sizeof n.text);
        unsigned norm =
            ns_diagram_add(b->d, n, at(b, aside_of_dual(b), b->row), width, BOX_HEIGHT * b->unit);
        connect_dual(b, norm);
        from = norm;
        b->row++;
    }
    NsNode n = {.kind = NS_NODE_SUM, .parent = -1, .sublayer = -1};
    unsigned sum = ns_diagram_add(b->d, n, at(b, 0, b->row++), side, side);
    NsPoint end = ns_diagram_middle(b->d, sum);
    const NsPoint way[] = {{x, ns_diagram_middle(b->d, from).y}, {x, end.y}, end};
    ns_diagram_connect(b->d, NS_WIRE_DUAL, from, sum, ns_flow_unknown, way, 3);
    connect(b, sum, carries);
    b->top = sum;
}

/* Adds the final norm and, to the last stack, the head. */
static void add_top(Builder *b, bool head)
{
    const NsDiagramData *data = b->d->data;
    NsFlowValues carries = ns_diagram_hidden(data, b->stack->first + b->stack->layers + b->index);
    if (b->stack->dual) {
        join_dual(b, carries);
        carries = head ? ns_diagram_final(data) : ns_flow_unknown;
    } else if (b->stack->final_norm) {
        unsigned norm = add_box(b, norm_node(b, NS_PLACE_FINAL));
        connect(b, norm, carries);
        b->top = norm;
        carries = head ? ns_diagram_final(data) : ns_flow_unknown;
    }
    b->carries = carries;
    if (!head) return;
    NsNode n = {.kind = NS_NODE_HEAD};
    ns_copy_text(n.text, sizeof n.text, _("Head, loss"));
    unsigned loss = add_box(b, n);
    connect(b, loss, carries);
}

/* Connects the output of the encoder to every layer of the decoder that is drawn. */
static void connect_memory(NsDiagram *d, const Builder *encoder, double x)
{
    NsPoint begin = ns_diagram_middle(d, encoder->top);
    for (unsigned i = 0; ns_diagram_node(d, i); i++) {
        const NsNode *n = ns_diagram_node(d, i);
        if (n->sublayer >= 0 || !n->decoder) continue;
        if (n->kind != NS_NODE_LAYER && n->kind != NS_NODE_DOTS) continue;
        NsPoint end = ns_diagram_middle(d, i);
        const NsPoint way[] = {begin, {x, begin.y}, {x, end.y}, end};
        NsFlowValues carries = encoder->carries;
        carries.value[NS_FLOW_GRADIENT] = NAN; /* it is the sum over all layers */
        NsWire *wire = ns_diagram_connect(d, NS_WIRE_MEMORY, encoder->top, i, carries, way, 4);
        wire->numbered[NS_FLOW_SIGNAL] = false;
    }
}

void ns_diagram_build_stacks(NsDiagram *d, const NsStackWiring *stacks, size_t n)
{
    double rows = (double)ns_diagram_stack_rows(stacks, n, d->layer);
    double size = d->text_size, height = d->stacks.height;
    /* Where rows stay high enough, words have space above the head and below the embedding. */
    double unit =
        CLAMP((height - (ABOVE + BELOW) * size) / rows, MIN(height / rows, 3 * size), 4.5 * size);
    double spare = height - rows * unit;
    double below = MIN(spare / 2, MAX(0, spare - ABOVE * size));
    Builder b[NS_STACKS_MAX];
    for (size_t i = 0; i < n; i++) {
        double width = d->stacks.width / (double)n;
        b[i] = (Builder){.d = d,
                         .stack = &stacks[i],
                         .index = i,
                         .unit = unit,
                         .bottom = d->stacks.y + height - below,
                         .x = d->stacks.x + (double)i * width,
                         .width = width};
        add_foot(&b[i]);
        add_layers(&b[i]);
        add_top(&b[i], i + 1 == n);
    }
    if (n > 1) connect_memory(d, &b[0], b[1].x);
}
