/* SPDX-License-Identifier: MIT
 *
 * To add a placement, add a row.  Rows that need constants name a function that fills them in. */
#include "core/model/placement.h"

#include <glib.h>
#include <math.h>

/* Decoder-only with M layers: alpha = (2 M)^(1/4), beta = (8 M)^(-1/4).  Wang et al. 2022, table 1.
 */
static void deepnorm(NsCoefficients *c, unsigned sublayer, unsigned layers)
{
    (void)sublayer;
    c->a = pow(2.0 * layers, 0.25);
    c->init_gain = pow(8.0 * layers, -0.25);
}

static const NsPlacement placements[] = {
    {.choice = {.key = "post",
                .label = "Post-LN",
                .formula = "x' = N(x + F(x))",
                .reference = "Vaswani et al. 2017, arXiv 1706.03762",
                .purpose = "The original Transformer: the norm follows the residual sum."},
     .norm_out = true,
     .embedding_norm = true},
    {.choice = {.key = "pre",
                .label = "Pre-LN",
                .formula = "x' = x + F(N(x)), N after the last layer",
                .reference = "Xiong et al. 2020, arXiv 2002.04745",
                .purpose = "The norm sits inside the branch, so that the skip path stays clear."},
     .norm_in = true,
     .final_norm = true},
    {.choice = {.key = "none",
                .label = "No norm",
                .formula = "x' = x + F(x)",
                .reference = NULL,
                .purpose = "What the norms are for: without any, the signal grows with depth."}},
    {.choice = {.key = "sandwich",
                .label = "Sandwich",
                .formula = "x' = x + N(F(N(x))), N after the last layer",
                .reference = "Ding et al. 2021, arXiv 2105.13290",
                .purpose = "Pre-LN with a second norm that bounds what each branch adds."},
     .norm_in = true,
     .norm_branch = true,
     .final_norm = true},
    {.choice = {.key = "deepnorm",
                .label = "DeepNorm",
                .formula = "x' = N(α x + F(x)), α = (2 L)^{1/4}, initial gain (8 L)^{−1/4}",
                .reference = "Wang et al. 2022, arXiv 2203.00555",
                .purpose = "Post-LN with a stronger skip path and smaller initial branches."},
     .norm_out = true,
     .embedding_norm = true,
     .coefficients = deepnorm},
};

const NsPlacement *ns_placement(size_t i)
{
    return i < G_N_ELEMENTS(placements) ? &placements[i] : NULL;
}

const NsChoice *ns_placement_choice(size_t i)
{
    return i < G_N_ELEMENTS(placements) ? &placements[i].choice : NULL;
}

NsCoefficients ns_placement_coefficients(const NsPlacement *placement, unsigned sublayer,
                                         unsigned layers)
{
    NsCoefficients c = {.s = 1, .b = 1, .a = 1, .init_gain = 1};
    if (placement->coefficients) placement->coefficients(&c, sublayer, layers);
    return c;
}
