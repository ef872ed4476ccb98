/* One layer drawn as its placement wires it, and the stack around it.  SPDX-License-Identifier: MIT
 *
 * A diagram is a graph: nodes with boxes, wires from node to node.  It is made from the wiring from
 * which the model is built (core/model/wiring.h), not from a stored picture of a placement, so that
 * a new row of the registry is drawn without further code.  Signals run upwards.  Left the stack,
 * folded around the chosen layer; right that layer: the residual stream is its straight line,
 * branches stand beside it.
 *
 *     u = s N_in(x)     y = b N_br(F(u))     x' = N_out(a x + r + y) */
#pragma once

#include "core/model/wiring.h"
#include "ui/figures/figures.h"
#include "ui/plot/layout.h"
#include "ui/plot/path.h"
#include "ui/plot/zoom.h"

/* ---- What is drawn ---- */

/* A model and what was measured in it at one step.  Owns all of it. */
typedef struct {
    NsSettings settings;
    char *name;            /* "A"; NULL for the only one */
    NsRecordLayout layout; /* of values */
    NsValues values;       /* [layout.width]; not there without a step */
    NsBucket steps;        /* that the values are the largest of; first == last: they are its own */
} NsDiagramData;

/* Reads the newest record at or before `step` (negative: the newest).  history may be NULL. */
NsDiagramData *ns_diagram_data_new(const NsSettings *settings, const char *name, NsHistory *history,
                                   int64_t step);
void ns_diagram_data_free(NsDiagramData *data);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsDiagramData, ns_diagram_data_free)

/* Whether two models would be drawn in the same way. */
bool ns_diagram_data_equal(const NsDiagramData *a, const NsDiagramData *b);

/* What wires carry: states upwards, or gradients downwards. */
typedef enum { NS_FLOW_SIGNAL, NS_FLOW_GRADIENT, NS_FLOWS } NsFlow;

/* ---- The graph ---- */

typedef enum {
    NS_NODE_EMBEDDING, /* of the stack */
    NS_NODE_LAYER,
    NS_NODE_DOTS, /* layers that are folded away */
    NS_NODE_HEAD,
    NS_NODE_INPUT, /* of the layer */
    NS_NODE_OUTPUT,
    NS_NODE_MEMORY, /* the output of the encoder */
    NS_NODE_FORK,
    NS_NODE_SUM,
    NS_NODE_SCALE,
    NS_NODE_NORM,
    NS_NODE_BRANCH, /* F */
    NS_NODE_FACTOR, /* within F: a learned factor on every head */
} NsNodeKind;

/* Where a norm stands.  The first three are the places that one can be moved between. */
typedef enum {
    NS_PLACE_IN,
    NS_PLACE_BRANCH,
    NS_PLACE_OUT,
    NS_PLACE_MID,
    NS_PLACE_QUERY,
    NS_PLACE_KEY,
    NS_PLACE_VALUE,
    NS_PLACE_EMBEDDING,
    NS_PLACE_FINAL,
} NsPlace;

#define NS_PLACES_MOVABLE 3

typedef enum { NS_FACTOR_S, NS_FACTOR_B, NS_FACTOR_A } NsFactor;

typedef struct {
    NsNodeKind kind;
    NsPlace place;       /* of a norm */
    NsFactor factor;     /* of a scaling */
    double number;       /* of a scaling: its constant */
    NsSublayerKind part; /* of what belongs to a sub-layer */
    int sublayer;        /* from 0; -1: of the stack or around the sub-layers */
    unsigned layer;      /* from 1, numbered through; 0: of no layer */
    unsigned last;       /* of DOTS: the last that is folded away; `layer` is the first */
    bool selected;       /* of LAYER: it is the one that is drawn beside */
    bool decoder;
    int parent;      /* the node that it stands within; -1 for none */
    char text[48];   /* with _ and ^ as in NsPlot */
    char detail[48]; /* a second line; "" for none */
    NsBox box;
} NsNode;

typedef enum {
    NS_WIRE_STREAM,
    NS_WIRE_SKIP,
    NS_WIRE_BRANCH,
    NS_WIRE_EXTRA,  /* r */
    NS_WIRE_DUAL,   /* the second stream */
    NS_WIRE_MEMORY, /* from the encoder to cross-attention */
} NsWireKind;

#define NS_WIRE_POINTS 5

typedef struct {
    NsWireKind kind;
    unsigned from, to; /* nodes, in the direction of the signal */
    NsPoint points[NS_WIRE_POINTS];
    size_t n;
    double value[NS_FLOWS];  /* the norm of what it carries; NaN: not measured, infinite: measured
                              * and not finite */
    bool numbered[NS_FLOWS]; /* its number stands beside it: once for every signal */
} NsWire;

typedef struct {
    const NsDiagramData *data; /* borrowed */
    double text_size;
    GArray *nodes;  /* NsNode */
    GArray *wires;  /* NsWire */
    unsigned layer; /* that is drawn, from 1 */
    size_t layers;  /* of all stacks */
    bool dual;      /* its stack has a second stream */
    double width, height;
    NsBox stacks, block;                               /* where either is drawn */
    NsBox slot[NS_LAYER_SUBLAYERS][NS_PLACES_MOVABLE]; /* where a norm would be */
    NsBox tray; /* from where a norm can be taken, and where one can be put away */
    size_t sublayers;
    NsSublayerWiring wiring[NS_LAYER_SUBLAYERS];
} NsDiagram;

/* A pure function of its arguments.  layer: from 1, 0 for the last.  Sizes in units of the drawing;
 * text_size is that of the words. */
NsDiagram *ns_diagram_new(const NsDiagramData *data, unsigned layer, double width, double height,
                          double text_size);
void ns_diagram_free(NsDiagram *diagram);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsDiagram, ns_diagram_free)

const NsNode *ns_diagram_node(const NsDiagram *diagram, size_t i); /* NULL past the end */
const NsWire *ns_diagram_wire(const NsDiagram *diagram, size_t i);

/* The least size at which all words are legible. */
void ns_diagram_least(const NsDiagramData *data, double text_size, double *width, double *height);

/* The node at a point, the innermost; -1 for none. */
int ns_diagram_node_at(const NsDiagram *diagram, double x, double y);

/* The wire within `reach` of a point; -1 for none. */
int ns_diagram_wire_at(const NsDiagram *diagram, double x, double y, double reach);

/* The movable norm at a place of a sub-layer; -1 for none. */
int ns_diagram_norm_at(const NsDiagram *diagram, int sublayer, NsPlace place);

/* The least and the greatest positive number of a flow, in all layers and in the one that is drawn;
 * lo > hi where there is none. */
NsRange ns_diagram_extent(const NsDiagram *diagram, NsFlow flow);

/* ---- Moving a norm ---- */

/* The placement that has the norms of this layer as they would be with the norm at `from` moved to
 * `to`, in every sub-layer or else in this one; -1 for `from` adds one, for `to` takes it away.
 * Among several the one that is otherwise most like the present.  NULL where there is none. */
const NsPlacement *ns_diagram_moved(const NsDiagram *diagram, int sublayer, int from, int to);

/* ---- Words ---- */

/* One sentence of what a node is, with its formula.  Free with g_free. */
char *ns_diagram_tell(const NsDiagram *diagram, size_t node);

/* What a wire carries: "branch, feed-forward: norm 3.2".  Free with g_free. */
char *ns_diagram_tell_wire(const NsDiagram *diagram, size_t wire, NsFlow flow);

/* The whole as text: "layer 3, Post-LN: attention, sum with the skip path, LayerNorm; ...; hidden
 * norm 8.0, gradient 0.031".  Free with g_free. */
char *ns_diagram_describe(const NsDiagram *diagram);

/* "A Post-LN", and the equation of the placement, with _ and ^ as in NsPlot. */
char *ns_diagram_title(const NsDiagramData *data, unsigned layer);
const char *ns_diagram_formula(const NsDiagramData *data, unsigned layer);

/* ---- Drawing ---- */

typedef struct {
    const NsStyle *style;
    NsFlow flow;
    NsRange range;         /* the ends of the colors */
    double least;          /* no word is smaller; 0: numbers and details are smaller than names */
    const NsDiagram *from; /* where norms come from; NULL: they rest */
    double moved;          /* 0 there, 1 here */
    double light;          /* how far up lights on the wires are, in 0..1; NaN for none */
    double flash;          /* strength in 0..1 with which weights' boxes show their update */
    int hovered, focused;  /* nodes; -1 for none */
    bool tray;             /* there is one */
    bool carried;          /* a norm is: the places it can go to are shown */
    int carried_from;      /* its place; -1: the tray */
    int sublayer;          /* its own; of one from the tray, the one that it is above */
    NsPoint at;            /* its middle; NaN: it is carried by the keyboard */
    int aim;               /* the place where it would be put; -1: the tray */
    const char *promise;   /* what putting it there would choose; NULL for nothing */
} NsDiagramLook;

/* A look at rest. */
NsDiagramLook ns_diagram_look(const NsStyle *style, NsFlow flow, NsRange range);

void ns_diagram_draw(const NsDiagram *diagram, const NsDiagramLook *look, cairo_t *cr);

/* Colors and widths, and what gray means, in a strip of this size at the origin. */
void ns_diagram_draw_legend(const NsDiagramLook *look, double width, double height, cairo_t *cr);
double ns_diagram_legend_height(const NsStyle *style);

/* ---- As a figure ---- */

extern const NsFigureClass ns_diagram_signal_class, ns_diagram_gradient_class;
