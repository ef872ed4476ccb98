/* The one table of named tensors.  SPDX-License-Identifier: MIT
 *
 * Weights, gradients and moments are arenas that share the offsets of this table, so the optimizer,
 * the probes, checkpoints and tests are loops over it.  What a tensor means to the model is its
 * kind of parameter (core/model/parameter_kind.h); this table only carries the number. */
#pragma once

#include "core/base/real.h"

typedef enum {
    NS_INIT_ZERO,
    NS_INIT_ONE,
    NS_INIT_CONSTANT,
    NS_INIT_NORMAL,  /* N(0, std^2), drawn from the stream that the tensor's name gives */
    NS_INIT_UNIFORM, /* the same stream */
} NsInitKind;

typedef struct {
    char name[40];      /* as in files: blk3.attn.wq */
    unsigned parameter; /* NsParameterKind */
    int layer;          /* from 0; -1 outside the layers */
    size_t rows, cols;  /* [rows, cols] = [out, in]; cols 0 for a vector [rows] */
    size_t offset;      /* first element, in elements from the start of an arena */
    NsInitKind init;
    double std; /* NORMAL: its own; UNIFORM: of the interval +- sqrt(3) std; CONSTANT: the value */
    double lr, eps; /* multiply the optimizer's learning rate and epsilon */
    bool decay;     /* a matrix of the layers, or the head, which weight decay always covers */
} NsTensor;

typedef struct {
    NsTensor *tensors;
    size_t n;        /* tensors */
    size_t size;     /* elements of an arena, gaps between tensors included */
    size_t elements; /* of these, those that belong to a tensor */
} NsTensorTable;

/* Appends a tensor (its offset is set here) and returns its index.  Tensors start on a cache line,
 * except those `joined` to the one before, which follow it without a gap so that one product can
 * run over both. */
size_t ns_tensor_table_add(NsTensorTable *table, NsTensor tensor, bool joined);
void ns_tensor_table_clear(NsTensorTable *table);

/* Elements of a tensor. */
size_t ns_tensor_size(const NsTensor *tensor);

/* The tensor with this name, or NULL. */
const NsTensor *ns_tensor_find(const NsTensorTable *table, const char *name);
