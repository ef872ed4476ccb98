/* A diagram of the wiring of one layer and of the stack around it.  SPDX-License-Identifier: MIT
 *
 * A diagram is a graph of nodes with boxes, and wires between nodes.  It is made from the same
 * wiring as the model (core/model/wiring.h), not from a stored picture of a placement, so that a
 * new row of the registry needs no further code to be drawn.  Signals run upwards.  On the left is
 * the stack, in which layers far from the chosen one are collapsed; on the right is the chosen
 * layer: the residual stream is a straight line, with the branches beside it.
 *
 *     u = s N_in(x)     y = b N_br(F(u))     x' = N_out(a x + r + y) */
#pragma once

#include "core/model/wiring.h"
#include "ui/figures/figures.h"
#include "ui/plot/layout.h"
#include "ui/plot/path.h"
#include "ui/plot/scale.h"

/* ---- Data ---- */

/* A model and the values measured in it at one step.  Owns all of its data. */
typedef struct {
    NsSettings settings;
    char *name;            /* "A"; NULL for the only one */
    bool pending;          /* no run trains this model yet */
    NsRecordLayout layout; /* layout of `values` */
    NsValues values;       /* [layout.width]; empty if no step was measured */
    NsBucket steps;        /* the values are the largest over these steps; first == last: values of
                            * one step */
} NsDiagramData;

/* Reads the newest record at or before `step` (negative: the newest).  history may be NULL. */
NsDiagramData *ns_diagram_data_new(const NsSettings *settings, const char *name, NsHistory *history,
                                   int64_t step);
void ns_diagram_data_free(NsDiagramData *data);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsDiagramData, ns_diagram_data_free)

/* Whether two models would be drawn identically. */
bool ns_diagram_data_equal(const NsDiagramData *a, const NsDiagramData *b);

/* The flow that wires carry: hidden states upwards, or gradients downwards. */
typedef enum { NS_FLOW_SIGNAL, NS_FLOW_GRADIENT, NS_FLOWS } NsFlow;

/* ---- The graph ---- */

typedef enum {
    NS_NODE_EMBEDDING, /* of the stack */
    NS_NODE_LAYER,
    NS_NODE_DOTS, /* collapsed layers */
    NS_NODE_HEAD,
    NS_NODE_INPUT, /* of the layer */
    NS_NODE_OUTPUT,
    NS_NODE_MEMORY, /* the output of the encoder */
    NS_NODE_FORK,
    NS_NODE_SUM,
    NS_NODE_SCALE,
    NS_NODE_NORM,
    NS_NODE_BRANCH, /* F */
    NS_NODE_FACTOR, /* within F: a learned factor of every head */
} NsNodeKind;

/* The place of a norm.  A norm can be moved between the first three. */
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
    NsSublayerKind part; /* the kind of its sub-layer */
    int sublayer;        /* from 0; -1: outside the sub-layers */
    unsigned layer;      /* from 1, counted over all stacks; 0: outside the layers */
    unsigned last;       /* of DOTS: the last collapsed layer; `layer` is the first */
    bool selected;       /* of LAYER: it is the one shown in detail */
    bool decoder;
    int parent;      /* the node that contains it; -1 for none */
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
    double value[NS_FLOWS];  /* norm of the carried signal; NaN: not measured, infinite: measured
                              * but not finite */
    bool numbered[NS_FLOWS]; /* whether its number is shown; each signal has its number only once */
} NsWire;

typedef struct {
    const NsDiagramData *data; /* borrowed */
    double text_size;
    GArray *nodes;  /* NsNode */
    GArray *wires;  /* NsWire */
    unsigned layer; /* the layer shown in detail, from 1 */
    size_t layers;  /* number of layers of all stacks */
    bool dual;      /* the stack has a second stream */
    double width, height;
    NsBox stacks, block;                               /* boxes of the stacks and of the layer */
    NsBox slot[NS_LAYER_SUBLAYERS][NS_PLACES_MOVABLE]; /* boxes for norms at each place */
    NsBox tray; /* from which a norm can be added, and to which one can be removed */
    size_t sublayers;
    NsSublayerWiring wiring[NS_LAYER_SUBLAYERS];
} NsDiagram;

/* Depends only on its arguments.  layer: from 1, 0 for the last.  Sizes are in units of the
 * drawing; text_size is the size of text. */
NsDiagram *ns_diagram_new(const NsDiagramData *data, unsigned layer, double width, double height,
                          double text_size);
void ns_diagram_free(NsDiagram *diagram);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsDiagram, ns_diagram_free)

const NsNode *ns_diagram_node(const NsDiagram *diagram, size_t i); /* NULL past the end */
const NsWire *ns_diagram_wire(const NsDiagram *diagram, size_t i);

/* The smallest size at which all text is legible. */
void ns_diagram_least(const NsDiagramData *data, double text_size, double *width, double *height);

/* The innermost node at a point; -1 for none. */
int ns_diagram_node_at(const NsDiagram *diagram, double x, double y);

/* The wire nearest to a point within `reach`; -1 for none. */
int ns_diagram_wire_at(const NsDiagram *diagram, double x, double y, double reach);

/* The movable norm at a place of a sub-layer; -1 for none. */
int ns_diagram_norm_at(const NsDiagram *diagram, int sublayer, NsPlace place);

/* The smallest and largest positive number of a flow, over all hidden states and the layer shown in
 * detail; lo > hi if there is none. */
NsRange ns_diagram_extent(const NsDiagram *diagram, NsFlow flow);

/* ---- Moving a norm ---- */

/* The placement that results from moving the norm at `from` to `to` in every sub-layer or, if there
 * is none, in this one; `from` -1 adds a norm, `to` -1 removes it.  If there are several, the one
 * most similar to the current placement in everything else; if no paper has such a placement, a
 * formula (core/model/placement.h).  NULL if there is none. */
const NsPlacement *ns_diagram_moved(const NsDiagram *diagram, int sublayer, int from, int to);

/* ---- Text ---- */

/* A sentence that describes a node, with its formula.  Free with g_free. */
char *ns_diagram_describe_node(const NsDiagram *diagram, size_t node);

/* The flow of a wire in words: "branch: norm of the signal 3.2".  Free with g_free. */
char *ns_diagram_describe_wire(const NsDiagram *diagram, size_t wire, NsFlow flow);

/* The layer as text: "layer 3, Post-LN: self-attention, residual addition, LayerNorm; ...; hidden
 * norm 8.0, gradient 0.031".  Free with g_free. */
char *ns_diagram_describe(const NsDiagram *diagram);

/* "A  Post-LN", "A  Post-LN (pending)" (free with g_free), and the equation of the placement, with
 * _ and ^ as in NsPlot. */
char *ns_diagram_title(const NsDiagram *diagram);
const char *ns_diagram_formula(const NsDiagram *diagram);

/* ---- Drawing ---- */

typedef struct {
    const NsStyle *style;
    NsFlow flow;
    NsRange range;         /* limits of the color scale */
    double least;          /* minimum size of text; 0: numbers and details are smaller than names */
    const NsDiagram *from; /* the diagram from which norms move to this one; NULL: they do not
                            * move */
    double moved;          /* progress of the move: 0 in `from`, 1 in this diagram */
    double light;          /* height of the lights on the wires, in 0..1; NaN for none */
    double flash;          /* strength in 0..1 at which boxes with weights flash for an update */
    const char *read;      /* the text below the stack; NULL for none */
    const char *expected;  /* lines above the head: what the model expects next; NULL for none */
    int hovered, focused;  /* nodes; -1 for none */
    bool tray;             /* the tray is shown */
    bool carried;          /* a norm is being dragged: its possible places are shown */
    int carried_from;      /* the place it is dragged from; -1: the tray */
    int sublayer;          /* its sub-layer; for a norm from the tray, the one below it */
    NsPoint at;            /* its center; NaN: it is moved with the keyboard */
    int aim;               /* the place where it would be dropped; -1: the tray */
    const char *promise;   /* the placement that dropping it would select; NULL for none */
} NsDiagramLook;

/* A look without animation, selection or dragging. */
NsDiagramLook ns_diagram_look(const NsStyle *style, NsFlow flow, NsRange range);

void ns_diagram_draw(const NsDiagram *diagram, const NsDiagramLook *look, cairo_t *cr);

/* Draws the legend of colors, widths and gray lines in a strip of this size at the origin. */
void ns_diagram_draw_legend(const NsDiagramLook *look, double width, double height, cairo_t *cr);
double ns_diagram_legend_height(const NsStyle *style);

/* ---- As a figure ---- */

extern const NsFigureClass ns_diagram_signal_class, ns_diagram_gradient_class;
