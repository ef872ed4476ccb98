/* Where the norms sit: a registry of rows of the block equation.  SPDX-License-Identifier: MIT
 *
 * Every layer has two sub-layers F, self-attention and feed-forward.  Each is
 *
 *     u  = s N_in(x)
 *     y  = b N_br(F(u))
 *     x' = N_out(a x + y)
 *
 * and a placement says which of the three norms are there and what s, b and a are.  To add one, add
 * a row in placement.c; it then appears in the sidebar, on the command line and in every test. */
#pragma once

#include "core/base/choice.h"

#include <stdbool.h>

/* The constants of one sub-layer. */
typedef struct {
    double s, b, a;
    double init_gain; /* multiplies the initial std of W_V, W_O, W_1 and W_2 */
} NsCoefficients;

typedef struct {
    NsChoice choice; /* first, so that a row is an NsChoice */
    bool norm_in, norm_branch, norm_out;
    bool final_norm, embedding_norm; /* what `auto` means for these settings */
    /* Fills in what differs from 1; NULL where nothing does.  sublayer counts from 0 through the
     * whole stack (2 l is the attention of layer l), layers is L. */
    void (*coefficients)(NsCoefficients *c, unsigned sublayer, unsigned layers);
} NsPlacement;

const NsPlacement *ns_placement(size_t i); /* NULL past the end */
const NsChoice *ns_placement_choice(size_t i);

/* The constants of a sub-layer, 1 where the row names nothing else. */
NsCoefficients ns_placement_coefficients(const NsPlacement *placement, unsigned sublayer,
                                         unsigned layers);
