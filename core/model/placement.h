/* Where the norms sit: a registry of rows of the block equation.  SPDX-License-Identifier: MIT
 *
 * Every layer has sub-layers F: self-attention, in the decoder of an encoder-decoder also
 * cross-attention, and a feed-forward network.  Each is
 *
 *     u  = s N_in(x)
 *     y  = b N_br(F(u))
 *     x' = N_out(a x + r + y)
 *
 * A placement says, for any sub-layer, which of these are there (its wiring), and what surrounds
 * the stack.  To add one, add a row in placement.c; it then appears in the sidebar, on the command
 * line and in every test. */
#pragma once

#include "core/base/choice.h"

#include <glib.h>
#include <stdbool.h>

typedef enum { NS_SELF_ATTENTION, NS_CROSS_ATTENTION, NS_FFN, NS_SUBLAYER_KINDS } NsSublayerKind;

/* What b is beside its constant: nothing, a learned scalar of the layer or of the sub-layer, or a
 * learned vector over the features. */
typedef enum { NS_GAIN_NONE, NS_GAIN_LAYER, NS_GAIN_SCALAR, NS_GAIN_VECTOR } NsBranchGain;

/* The wiring of one sub-layer. */
typedef struct {
    bool in, branch, out; /* N_in, N_br, N_out */
    bool mid;             /* a norm inside F, before its last matrix */
    bool qk, v;           /* norms on queries and keys, on values, head by head */
    bool head_scale;      /* a learned factor on every head */
    double s, b, a;
    NsBranchGain gain; /* learned b, times the constant */
    double gain_start; /* its initial value */
    bool stream_gain;  /* a is a learned vector, set by a profiling pass (Admin) */
    bool skip_layer;   /* r = the input of the layer (B2T) */
    double init;       /* multiplies the initial std of W_V, W_O, W_1, W_2 */
    double lr, eps;    /* multiply Adam's learning rate and epsilon */
} NsWiring;

/* Which sub-layer is asked about. */
typedef struct {
    NsSublayerKind kind;
    bool decoder;       /* of a decoder, alone or with an encoder */
    unsigned N, M;      /* layers of encoder and decoder; 0 where there is none */
    unsigned layer;     /* from 0, in its own stack */
    unsigned layers;    /* of its own stack */
    unsigned sublayer;  /* from 0, through its own stack */
    unsigned sublayers; /* of its own stack */
    double depth_ratio; /* layers over base-layers (CompleteP) */
} NsPosition;

typedef struct {
    NsChoice choice;                 /* first, so that a row is an NsChoice */
    bool final_norm, embedding_norm; /* what `auto` means for these settings */
    bool qk_norm;                    /* the same for qk-norm */
    bool dual_stream; /* a second stream D' = D + y beside the first; the output is x_L + N(D_L) */
    /* The standard deviation of both embeddings, in units of 1 / sqrt(d); or NULL. */
    double (*embedding_init)(const NsPosition *position);
    /* Fills in the wiring of a sub-layer, which arrives with no norm and every constant 1. */
    void (*wire)(NsWiring *wiring, const NsPosition *position);
} NsPlacement;

const NsPlacement *ns_placement(size_t i); /* NULL past the end */
const NsChoice *ns_placement_choice(size_t i);

NsWiring ns_placement_wiring(const NsPlacement *placement, const NsPosition *position);

/* Per-layer mixtures, "post*3,pre*9": the placement of layer `layer` (from 0) of `layers`, by the
 * pattern's shares, so that a pattern for 12 layers stretches to any depth.  A key without a number
 * counts once.  There is a final norm where any of the placements has one, and the same holds for
 * the embedding norm; norms on queries and keys are a matter of each layer.  NULL with
 * NS_ERROR_SETTING if it cannot be read, or names a placement that needs a stack of its own
 * (ResiDual). */
const NsPlacement *ns_mixture_at(const char *mixture, unsigned layer, unsigned layers,
                                 GError **error);
