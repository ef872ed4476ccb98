/* Where the norms are placed: a registry of variants of the block equation.
 * SPDX-License-Identifier: MIT
 *
 * Every layer has sub-layers F: self-attention, in the decoder of an encoder-decoder also
 * cross-attention, and a feed-forward network.  Each computes
 *
 *     u  = s N_in(x)
 *     y  = b N_br(F(u))
 *     x' = N_out(a x + r + y)
 *
 * For any sub-layer, a placement defines which of these terms exist (its wiring), and what
 * surrounds the stack.  To add one, add a row in placement.c; it then appears in the sidebar, on
 * the command line and in every test. */
#pragma once

#include "core/base/choice.h"
#include "core/ops/norm.h"

#include <glib.h>
#include <stdbool.h>

typedef enum { NS_SELF_ATTENTION, NS_CROSS_ATTENTION, NS_FFN, NS_SUBLAYER_KINDS } NsSublayerKind;

/* The learned factor of b: none, a scalar per layer or per sub-layer, or a vector over the
 * features. */
typedef enum { NS_GAIN_NONE, NS_GAIN_LAYER, NS_GAIN_SCALAR, NS_GAIN_VECTOR } NsBranchGain;

/* The features that a norm on queries and keys normalizes together: those of a head (Henry et al.
 * 2020; Qwen 3, Gemma 3), or all of a token, before the heads are split (OLMo 2).  A norm over the
 * batch normalizes each feature separately, so both are the same for it. */
typedef enum { NS_QK_NONE, NS_QK_HEAD, NS_QK_FULL } NsQkNorm;

/* The wiring of one sub-layer. */
typedef struct {
    const NsNorm *norm;   /* the kind of all its norms; NULL for none */
    bool in, branch, out; /* N_in, N_br, N_out */
    bool mid;             /* a norm inside F, before its last matrix */
    NsQkNorm qk;          /* norms on queries and keys */
    bool v;               /* a norm on the values of each head */
    bool head_scale;      /* a learned factor for each head */
    double s, b, a;
    NsBranchGain gain; /* learned factor of b */
    double gain_start; /* initial value of the learned factor */
    bool stream_gain;  /* a is a learned vector, set by a profiling pass (Admin) */
    bool skip_layer;   /* r = the input of the layer (B2T) */
    double init;       /* factor on the initial std of W_V, W_O, W_1, W_2 and W_3 */
    double init_qk;    /* factor on the initial std of W_Q and W_K */
    double lr, eps;    /* factors on Adam's learning rate and epsilon */
} NsWiring;

/* Identifies a sub-layer. */
typedef struct {
    NsSublayerKind kind;
    bool decoder;       /* in a decoder, with or without an encoder */
    unsigned N, M;      /* layers of encoder and decoder; 0 if there is none */
    unsigned layer;     /* index in its stack */
    unsigned layers;    /* number of layers of its stack */
    unsigned sublayer;  /* index in its stack */
    unsigned sublayers; /* number of sub-layers of its stack */
    double depth_ratio; /* layers over base-layers (CompleteP) */
} NsPosition;

typedef struct {
    NsChoice choice; /* first, so that a row is an NsChoice */
    /* The meaning of `auto` in the settings of these names.  The norm kind is LayerNorm unless the
     * row names another one, which its paper's models or released code use.  A kind other than
     * `auto` applies to every placement, so that a comparison can change only the placement. */
    bool final_norm, embedding_norm;
    unsigned norm;    /* NS_NORM_RMSNORM, or 0 */
    bool dual_stream; /* a second stream D' = D + y; the output is x_L + N(D_L) */
    /* The standard deviation of both embeddings, in units of 1 / sqrt(d); or NULL. */
    double (*embedding_init)(const NsPosition *position);
    bool in, branch, out; /* the norms of every sub-layer: N_in, N_br, N_out */
    /* Changes the wiring of a sub-layer, which on entry has these norms and all constants 1; or
     * NULL. */
    void (*wire)(NsWiring *wiring, const NsPosition *position);
    const NsWiring *typed; /* of a formula: the wiring of all sub-layers, in place of `wire` */
} NsPlacement;

const NsPlacement *ns_placement(size_t i); /* NULL past the end */
const NsChoice *ns_placement_choice(size_t i);

NsWiring ns_placement_wiring(const NsPlacement *placement, const NsPosition *position);

/* Per-layer mixtures such as "post*3,pre*9".  Returns the placement of layer `layer` (from 0) of
 * `layers`; the counts are shares, so that a pattern for 12 layers stretches to any depth.  A part
 * without a number counts once.  There is a final norm if any of the placements has one, and
 * likewise an embedding norm; norms on queries and keys and the norm kind depend on the placement
 * of each layer, and norms outside the layers have the kind of the last layer.
 *
 * A part is the key of a placement or a formula for every sub-layer of its layers,
 *
 *     N(a x + b N(F(s N(x))))
 *
 * where each N can be missing, as can the term a x, and each factor, a number, is 1 where it is
 * missing: x + N(F(N(x))), N(2 x + F(x)).  A formula has no other constants or norms, and a final
 * norm unless its outermost operation is N or it has no norm.
 *
 * NULL with NS_ERROR_SETTING if the mixture cannot be parsed, or names a placement that requires
 * the whole stack (ResiDual). */
const NsPlacement *ns_mixture_at(const char *mixture, unsigned layer, unsigned layers,
                                 GError **error);

/* Whether a text is a formula and not the key of a placement. */
bool ns_placement_is_formula(const char *text);
