/* Functions that build a diagram.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/diagram.h"

/* Adds a node with a box of the given size and center; returns its index. */
unsigned ns_diagram_add(NsDiagram *diagram, NsNode node, NsPoint middle, double width,
                        double height);

NsPoint ns_diagram_middle(const NsDiagram *diagram, unsigned node);

/* The numbers of a wire. */
typedef struct {
    double value[NS_FLOWS];
} NsFlowValues;

extern const NsFlowValues ns_flow_unknown;

/* Adds a wire along points; the first and the last lie within the boxes of its nodes, and the wire
 * is clipped at the edges of these.  Every segment is horizontal or vertical. */
NsWire *ns_diagram_connect(NsDiagram *diagram, NsWireKind kind, unsigned from, unsigned to,
                           NsFlowValues carries, const NsPoint *points, size_t n);

/* Hidden state i of the model, numbered as in NsMeasure. */
NsFlowValues ns_diagram_hidden(const NsDiagramData *data, size_t i);

/* The input of the head. */
NsFlowValues ns_diagram_final(const NsDiagramData *data);

/* A value of a quantity: NaN if it was not measured, infinity if it is not finite. */
double ns_diagram_value(const NsDiagramData *data, NsQuantity quantity, size_t i);

/* The numbers of the wires of a sub-layer. */
typedef struct {
    NsFlowValues x;         /* input */
    NsFlowValues skip_in;   /* before the factor a */
    NsFlowValues skip;      /* a x */
    NsFlowValues branch_in; /* input of the branch */
    NsFlowValues u;         /* s x, if there is no norm before F */
    NsFlowValues v;         /* before the factor b */
    NsFlowValues y;         /* output of the branch */
    NsFlowValues y_in;      /* the same at the sum */
    NsFlowValues extra;     /* r */
    NsFlowValues z;         /* the sum */
    NsFlowValues out;       /* output */
} NsSublayerFlows;

/* Fills in the numbers of all sub-layers of the given layer, in stack `stack`.  Numbers are
 * measured or derived from measured ones: x from a x if a is a constant, and the gradient of the
 * sum from that of the residual connection. */
void ns_diagram_flows(const NsDiagram *diagram, size_t stack, size_t layer,
                      NsSublayerFlows flows[NS_LAYER_SUBLAYERS]);

/* Add the stacks and the layer, each within its box. */
void ns_diagram_build_stacks(NsDiagram *diagram, const NsStackWiring *stacks, size_t n);
void ns_diagram_build_block(NsDiagram *diagram, const NsStackWiring *stacks, size_t stack);

/* The number of rows of the tallest stack. */
size_t ns_diagram_stack_rows(const NsStackWiring *stacks, size_t n, unsigned layer);

/* The number of rows of a layer with this number of sub-layers. */
double ns_diagram_block_rows(size_t sublayers);

bool ns_diagram_is_one(double x);

/* The stack of a layer (from 1; 0 for the last), and the index of the layer within it. */
size_t ns_diagram_stack(const NsStackWiring *stacks, size_t n, unsigned layer, unsigned *within);

/* The divisor of a norm, if it is recorded; otherwise NaN. */
double ns_diagram_sigma(const NsDiagram *diagram, const NsNode *node);
