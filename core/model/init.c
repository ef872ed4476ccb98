/* SPDX-License-Identifier: MIT */
#include "core/model/init.h"

#include <math.h>

/* If a norm follows the embeddings or starts the first branch, only the ratio of these two
 * matters. */
#define TOKEN_STD 1.0
#define POSITION_STD 0.1

/* Glorot and Bengio 2010, eq. 12 and 16. */
static double xavier(double out, double in)
{
    return sqrt(2 / (in + out));
}

/* He et al. 2015, eq. 10. */
static double kaiming(double out, double in)
{
    (void)out;
    return sqrt(2 / in);
}

#define NORMAL_STD 0.02

static double fixed(double out, double in)
{
    (void)out;
    (void)in;
    return NORMAL_STD;
}

static const NsInit inits[] = {
    {.choice = {.key = "xavier-normal",
                .label = "Xavier, normal",
                .formula = "N(0, 2 / (n_in + n_out))",
                .reference = "Glorot and Bengio 2010, eq. 12",
                .purpose =
                    "The paper's initialization; signals and gradients keep about the same size."},
     .kind = NS_INIT_NORMAL,
     .std = xavier},
    {.choice = {.key = "xavier-uniform",
                .label = "Xavier, uniform",
                .formula = "U(±√(6 / (n_in + n_out)))",
                .reference = "Glorot and Bengio 2010, eq. 16",
                .purpose = "The same variance without the tails of a normal distribution."},
     .kind = NS_INIT_UNIFORM,
     .std = xavier},
    {.choice = {.key = "kaiming-normal",
                .label = "Kaiming, normal",
                .formula = "N(0, 2 / n_in)",
                .reference = "He et al. 2015, arXiv 1502.01852, eq. 10",
                .purpose = "Compensates for the half of the signal that ReLU cuts off."},
     .kind = NS_INIT_NORMAL,
     .std = kaiming},
    {.choice = {.key = "kaiming-uniform",
                .label = "Kaiming, uniform",
                .formula = "U(±√(6 / n_in))",
                .reference = "He et al. 2015, arXiv 1502.01852, eq. 10",
                .purpose = "The same variance without the tails of a normal distribution."},
     .kind = NS_INIT_UNIFORM,
     .std = kaiming},
    {.choice = {.key = "normal",
                .label = "Normal 0.02",
                .formula = "N(0, 0.02^2), embeddings too",
                .reference = "Devlin et al. 2018, arXiv 1810.04805",
                .purpose = "BERT's initialization: the same standard deviation for every matrix, "
                           "whatever its width."},
     .kind = NS_INIT_NORMAL,
     .std = fixed,
     .embedding = NORMAL_STD},
    {.choice = {.key = "gpt2",
                .label = "GPT-2",
                .formula = "N(0, 0.02^2), W_O and W_2 times 1 / √(2 L)",
                .reference = "Radford et al. 2019, 2.3",
                .purpose = "Smaller output matrices in the branches, so that the residual stream "
                           "does not grow with depth."},
     .kind = NS_INIT_NORMAL,
     .std = fixed,
     .embedding = NORMAL_STD,
     .scaled_residual = true},
    {.choice = {.key = "deepnorm",
                .label = "DeepNorm",
                .formula = "Xavier, W_V, W_O, W_1, W_2 times β of the depth",
                .reference = "Wang et al. 2022, arXiv 2203.00555",
                .purpose = "DeepNorm's smaller branches with any placement."},
     .kind = NS_INIT_NORMAL,
     .std = xavier,
     .placement = "deepnorm"},
    {.choice = {.key = "t-fixup",
                .label = "T-Fixup",
                .formula = "Xavier, W_V, W_O, W_1, W_2 and the embeddings times about L^{−1/4}",
                .reference = "Huang et al. 2020, ICML",
                .purpose = "T-Fixup's smaller branches and embeddings with any placement."},
     .kind = NS_INIT_NORMAL,
     .std = xavier,
     .placement = "t-fixup"},
};

const NsInit *ns_init(size_t i)
{
    return i < G_N_ELEMENTS(inits) ? &inits[i] : NULL;
}

NS_CHOICES(ns_init_choice, inits)

double ns_init_std(const NsInit *init, double ratio, double out, double in)
{
    return init->std(out / ratio, in / ratio) / sqrt(ratio);
}

static const NsPlacement *lender(const NsInit *init)
{
    return ns_placement((size_t)ns_choices_find(ns_placement_choice, init->placement));
}

NsInitFactors ns_init_factors(const NsInit *init, const NsWiring *wiring,
                              const NsPosition *position)
{
    NsWiring w = init->placement ? ns_placement_wiring(lender(init), position) : *wiring;
    return (NsInitFactors){.qk = w.init_qk, .others = w.init};
}

NsEmbeddingInit ns_init_embedding(const NsInit *init, const NsPlacement *placement,
                                  const NsPosition *position, double d, bool tied)
{
    if (init->placement) placement = lender(init);
    double std = init->embedding;
    if (placement->embedding_init) std = placement->embedding_init(position) / sqrt(d);
    if (std > 0) return (NsEmbeddingInit){.token = std, .position = std};
    std = tied ? 1 / sqrt(d) : 1;
    return (NsEmbeddingInit){.token = std * TOKEN_STD, .position = std * POSITION_STD};
}
