/* SPDX-License-Identifier: MIT */
#include "core/optim/optimizer-private.h"

static const NsOptimizer optimizers[] = {
    {{.key = "adam",
      .label = "Adam",
      .formula = "w −= lr m̂ / (√v̂ + ε)",
      .reference = "Kingma and Ba 2015, algorithm 1",
      .purpose =
          "A separate step size for every weight; weight decay, if any, is added to the gradient."},
     .moments = 2,
     .adam_moments = true,
     .step = ns_adam_update},
    {{.key = "adamw",
      .label = "AdamW",
      .formula = "w −= lr (m̂ / (√v̂ + ε) + λ w)",
      .reference = "Loshchilov and Hutter 2019, arXiv 1711.05101",
      .purpose = "Adam with weight decay decoupled from the gradient.",
      .differs = "λ is multiplied by the learning rate, as in PyTorch; in the paper by the "
                 "schedule alone, so that the paper's λ is this one times the peak rate."},
     .moments = 2,
     .adam_moments = true,
     .step = ns_adamw_update},
    {{.key = "sgd",
      .label = "SGD",
      .formula = "m = μ m + g,  w −= lr m",
      .reference = "Polyak 1964",
      .purpose = "Plain gradient descent, with momentum if it is above 0; each layer moves in "
                 "proportion to its gradient.",
      .differs = "The learning rate multiplies the momentum buffer m, as in PyTorch; in Sutskever "
                 "et al. 2013 it is inside m, which differs only while the rate changes."},
     .moments = 1,
     .step = ns_sgd_update},
    {{.key = "radam",
      .label = "RAdam",
      .formula = "w −= lr r_t m̂ / (√v̂ + ε), and lr m̂ while ρ_t ≤ 4",
      .reference = "Liu et al. 2020, arXiv 1908.03265, algorithm 2",
      .purpose = "Adam with a built-in warm-up: plain momentum while the second moment is "
                 "estimated from too few gradients, then small steps that grow.",
      .differs = "The released code skips the first updates by default and begins at ρ_t ≥ 5. The "
                 "algorithm has no weight decay; here it is added to the gradient."},
     .moments = 2,
     .adam_moments = true,
     .step = ns_radam_update},
    {{.key = "muon",
      .label = "Muon",
      .formula = "m = μ m + g,  W −= lr √max(1, rows / cols) U Vᵀ of g + μ m",
      .reference = "Jordan et al. 2024, kellerjordan.github.io/posts/muon",
      .purpose =
          "Orthogonalizes the updates of the layers' matrices in five Newton–Schulz steps, so that "
          "they are equally large in every direction; AdamW updates the other parameters.",
      .differs = "The usual momentum is 0.95 and has to be set. Weight decay follows Moonlight, "
                 "whose factor 0.2 √max(rows, cols) is also common."},
     .moments = 2,
     .scratch = ns_muon_scratch,
     .step = ns_muon_update},
    {{.key = "adamh",
      .label = "AdamH",
      .formula = "W = |W| normalize(W − lr |W| u / |u|),  u = m̂ / (√v̂ + ε)",
      .reference = "Wen et al. 2026, arXiv 2606.16899",
      .purpose =
          "Adam's direction for the layers' matrices, whose norms stay constant, so the learning "
          "rate is roughly the angle of a step; AdamW updates the other parameters.",
      .differs = "The head belongs to the other parameters; levanter includes it. The other "
                 "parameters have the same learning rate; in levanter they have their own."},
     .moments = 2,
     .scratch = ns_muon_scratch,
     .step = ns_adamh_update},
    {{.key = "muonh",
      .label = "MuonH",
      .formula = "W = |W| normalize(W − lr |W| u / |u|),  u = U Vᵀ of g + μ m",
      .reference = "Wen et al. 2026, arXiv 2606.16899",
      .purpose =
          "Muon's direction for the layers' matrices, whose norms stay constant, so the learning "
          "rate is roughly the angle of a step; AdamW updates the other parameters.",
      .differs =
          "The usual momentum is 0.95 and has to be set. The head and all vectors have the "
          "same learning rate; in levanter AdamH updates the head, and Adam has its own rate."},
     .moments = 2,
     .scratch = ns_muon_scratch,
     .step = ns_muonh_update},
};

const NsOptimizer *ns_optimizer(size_t i)
{
    return i < G_N_ELEMENTS(optimizers) ? &optimizers[i] : NULL;
}

NS_CHOICES(ns_optimizer_choice, optimizers)

size_t ns_optimizer_bytes(const NsOptimizer *optimizer, const NsTensorTable *table,
                          unsigned threads)
{
    size_t scratch = optimizer->scratch ? optimizer->scratch(table, threads) : 0;
    return (optimizer->moments * table->size + scratch) * sizeof(ns_real);
}
