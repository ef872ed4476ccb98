/* A diagram in the making.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/figures/diagram.h"

/* Adds a node and returns its number.  Its box is as wide and high as asked, around a middle. */
unsigned ns_diagram_add(NsDiagram *diagram, NsNode node, NsPoint middle, double width,
                        double height);

NsPoint ns_diagram_middle(const NsDiagram *diagram, unsigned node);

/* What a wire carries. */
typedef struct {
    double value[NS_FLOWS];
} NsFlowValues;

extern const NsFlowValues ns_flow_unknown;

/* Adds a wire along points, the first and the last of which lie within the boxes of its nodes: it
 * begins and ends at their edges.  Every piece runs straight up, down or across. */
NsWire *ns_diagram_connect(NsDiagram *diagram, NsWireKind kind, unsigned from, unsigned to,
                           NsFlowValues carries, const NsPoint *points, size_t n);

/* Hidden state i of the model, counted as in NsMeasure. */
NsFlowValues ns_diagram_hidden(const NsDiagramData *data, size_t i);

/* What the head sees. */
NsFlowValues ns_diagram_final(const NsDiagramData *data);

/* One value of a quantity: NaN where it was not measured, infinite where it is not finite. */
double ns_diagram_value(const NsDiagramData *data, NsQuantity quantity, size_t i);

/* What the wires of a sub-layer carry. */
typedef struct {
    NsFlowValues x;         /* what arrives */
    NsFlowValues skip_in;   /* before a */
    NsFlowValues skip;      /* a x */
    NsFlowValues branch_in; /* what goes into the branch */
    NsFlowValues u;         /* s x, where there is no norm before F */
    NsFlowValues v;         /* before b */
    NsFlowValues y;         /* what is added, as it leaves the branch */
    NsFlowValues y_in;      /* the same as it arrives at the sum */
    NsFlowValues extra;     /* r */
    NsFlowValues z;         /* the sum */
    NsFlowValues out;       /* what leaves */
} NsSublayerFlows;

/* Of all sub-layers of the layer that is drawn, in stack `stack`.  Numbers are measured, or follow
 * from measured ones: x from a x where a is a constant, the gradient of the sum from what of it
 * goes past. */
void ns_diagram_flows(const NsDiagram *diagram, size_t stack, size_t layer,
                      NsSublayerFlows flows[NS_LAYER_SUBLAYERS]);

/* The stacks and the layer, each into its box. */
void ns_diagram_build_stacks(NsDiagram *diagram, const NsStackWiring *stacks, size_t n);
void ns_diagram_build_block(NsDiagram *diagram, const NsStackWiring *stacks, size_t stack);

/* How many rows the tallest stack has. */
size_t ns_diagram_stack_rows(const NsStackWiring *stacks, size_t n, unsigned layer);

/* Rows of a layer with so many sub-layers. */
double ns_diagram_block_rows(size_t sublayers);

bool ns_diagram_is_one(double x);

/* The stack of a layer (from 1; 0 for the last of all), and the layer in it from 0. */
size_t ns_diagram_stack(const NsStackWiring *stacks, size_t n, unsigned layer, unsigned *within);

/* What a norm divides by, where that is recorded; NaN elsewhere. */
double ns_diagram_sigma(const NsDiagram *diagram, const NsNode *node);
