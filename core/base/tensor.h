/* The table of named tensors.  SPDX-License-Identifier: MIT
 *
 * Weights, gradients and moments are arenas that share the offsets of this table, so the optimizer,
 * the probes, checkpoints and tests are loops over it.  The role of a tensor in the model is its
 * parameter kind (core/model/parameter_kind.h); this table only stores the number. */
#pragma once

#include "core/base/real.h"
#include "core/base/team.h"

typedef enum {
    NS_INIT_ZERO,
    NS_INIT_ONE,
    NS_INIT_CONSTANT,
    NS_INIT_NORMAL,  /* N(0, std^2), drawn from the stream of the tensor's name */
    NS_INIT_UNIFORM, /* drawn from the same stream */
} NsInitKind;

typedef struct {
    char name[40];      /* as in files: blk3.attn.wq */
    unsigned parameter; /* NsParameterKind */
    int layer;          /* from 0; -1 outside the layers */
    unsigned layers; /* number of layers, from that one on, that use it: 1 unless layers are tied */
    size_t rows, cols; /* [rows, cols] = [out, in]; cols 0 for a vector [rows] */
    size_t offset;     /* first element, in elements from the start of an arena */
    NsInitKind init;
    /* NORMAL: standard deviation of the values.  UNIFORM: the interval is +- sqrt(3) std.
     * CONSTANT: the value. */
    double std;
    double lr, eps; /* multiply the optimizer's learning rate and epsilon */
    bool decay;     /* matrices of the layers and the head, which every decay-scope covers */
} NsTensor;

typedef struct {
    NsTensor *tensors;
    size_t n;        /* number of tensors */
    size_t size;     /* elements of an arena, gaps between tensors included */
    size_t elements; /* number of these that belong to a tensor */
} NsTensorTable;

/* Appends a tensor, sets its offset and returns its index.  Tensors start on a cache line; a
 * `joined` tensor follows the previous one without a gap, so that one product can use both. */
size_t ns_tensor_table_add(NsTensorTable *table, NsTensor tensor, bool joined);
void ns_tensor_table_clear(NsTensorTable *table);

/* Number of elements of a tensor. */
size_t ns_tensor_size(const NsTensor *tensor);

/* Whether layer `layer` (from 0) uses the tensor. */
bool ns_tensor_in_layer(const NsTensor *tensor, size_t layer);

/* Returns the tensor with this name, or NULL. */
const NsTensor *ns_tensor_find(const NsTensorTable *table, const char *name);

/* Writes the initial value of every tensor into an arena; the result does not depend on the number
 * of members of the team. */
void ns_tensor_table_init(const NsTensorTable *table, ns_real *arena, uint64_t seed, NsTeam *team);
