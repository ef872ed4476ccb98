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
#include "core/ops/norm.h"

#include <glib.h>
#include <stdbool.h>

typedef enum { NS_SELF_ATTENTION, NS_CROSS_ATTENTION, NS_FFN, NS_SUBLAYER_KINDS } NsSublayerKind;

/* What b is beside its constant: nothing, a learned scalar of the layer or of the sub-layer, or a
 * learned vector over the features. */
typedef enum { NS_GAIN_NONE, NS_GAIN_LAYER, NS_GAIN_SCALAR, NS_GAIN_VECTOR } NsBranchGain;

/* The features that a norm on queries and keys takes for one row: those of a head (Henry et al.
 * 2020; Qwen 3, Gemma 3), or all of a token, before the heads are split (OLMo 2).  A norm over the
 * batch takes every feature by itself, for which both are the same. */
typedef enum { NS_QK_NONE, NS_QK_HEAD, NS_QK_FULL } NsQkNorm;

/* The wiring of one sub-layer. */
typedef struct {
    const NsNorm *norm;   /* the kind of all of them; NULL: there is none */
    bool in, branch, out; /* N_in, N_br, N_out */
    bool mid;             /* a norm inside F, before its last matrix */
    NsQkNorm qk;          /* norms on queries and keys */
    bool v;               /* a norm on values, head by head */
    bool head_scale;      /* a learned factor on every head */
    double s, b, a;
    NsBranchGain gain; /* learned b, times the constant */
    double gain_start; /* its initial value */
    bool stream_gain;  /* a is a learned vector, set by a profiling pass (Admin) */
    bool skip_layer;   /* r = the input of the layer (B2T) */
    double init;       /* multiplies the initial std of W_V, W_O, W_1, W_2 and W_3 */
    double init_qk;    /* the same of W_Q and W_K */
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
    NsChoice choice; /* first, so that a row is an NsChoice */
    /* What `auto` means for the settings of these names.  The norm kind is LayerNorm where none is
     * named: those that name one have it in their paper's own models or released code.  An explicit
     * kind holds at every placement, so that a comparison can change the placement alone. */
    bool final_norm, embedding_norm;
    unsigned norm;    /* NS_NORM_RMSNORM, or 0 */
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
 * the embedding norm; norms on queries and keys and the kind of the norms are a matter of each
 * layer, and what surrounds the layers has the kind of the last one.  NULL with
 * NS_ERROR_SETTING if it cannot be read, or names a placement that needs a stack of its own
 * (ResiDual). */
const NsPlacement *ns_mixture_at(const char *mixture, unsigned layer, unsigned layers,
                                 GError **error);
