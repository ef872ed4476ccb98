/* The registry of placements.  SPDX-License-Identifier: MIT
 *
 * To add one, add a row, with a function if more than norms differs or if sub-layers do. */
#include "core/model/placement.h"

#include <glib.h>
#include <math.h>

static bool is_attention(const NsPosition *p)
{
    return p->kind != NS_FFN;
}

static void no_residual(NsWiring *w, const NsPosition *p)
{
    (void)p;
    w->a = 0;
}

static void olmo2(NsWiring *w, const NsPosition *p)
{
    if (is_attention(p)) w->qk = NS_QK_FULL;
}

/* Wang et al. 2022, table 1. */
static void deepnorm(NsWiring *w, const NsPosition *p)
{
    double N = p->N, M = p->M;
    if (p->N && p->M && !p->decoder) {
        w->a = 0.81 * pow(N * N * N * N * M, 1.0 / 16);
        w->init = 0.87 * pow(N * N * N * N * M, -1.0 / 16);
    } else if (p->N && p->M) {
        w->a = pow(3 * M, 0.25);
        w->init = pow(12 * M, -0.25);
    } else {
        w->a = pow(2.0 * p->layers, 0.25);
        w->init = pow(8.0 * p->layers, -0.25);
    }
}

/* The first sub-layer has no outer norm; the sub-layers of the first layer have no factor S. */
static void keel(NsWiring *w, const NsPosition *p)
{
    w->out = p->sublayer > 0;
    w->a = p->layer > 0 ? p->sublayers : 1;
}

static void layernorm_scaling(NsWiring *w, const NsPosition *p)
{
    w->s = 1 / sqrt(p->layer + 1.0);
}

/* Post-LN in the first floor(L / 4) layers. */
static void mix_ln(NsWiring *w, const NsPosition *p)
{
    w->out = p->layer < p->layers / 4;
    w->in = !w->out;
}

static void hybridnorm(NsWiring *w, const NsPosition *p)
{
    if (!is_attention(p)) return;
    w->qk = NS_QK_HEAD;
    w->v = true;
    w->out = true;
}

/* Pre-LN in the first layer, whose norms on queries, keys and values remain. */
static void hybridnorm_star(NsWiring *w, const NsPosition *p)
{
    hybridnorm(w, p);
    if (p->layer > 0) return;
    w->in = true;
    w->out = false;
}

static void b2t(NsWiring *w, const NsPosition *p)
{
    w->skip_layer = p->kind == NS_FFN;
    w->init = w->init_qk = 1 / sqrt(p->layers);
}

static void rezero(NsWiring *w, const NsPosition *p)
{
    (void)p;
    w->gain = NS_GAIN_LAYER;
    w->gain_start = 0;
}

static void skipinit(NsWiring *w, const NsPosition *p)
{
    (void)p;
    w->gain = NS_GAIN_SCALAR;
    w->gain_start = 0;
}

/* Touvron et al. 2021, 3. */
static void layerscale(NsWiring *w, const NsPosition *p)
{
    w->gain = NS_GAIN_VECTOR;
    w->gain_start = p->layers <= 18 ? 0.1 : p->layers <= 24 ? 1e-5 : 1e-6;
}

static void admin(NsWiring *w, const NsPosition *p)
{
    (void)p;
    w->stream_gain = true;
}

static void t_fixup(NsWiring *w, const NsPosition *p)
{
    w->init = p->decoder ? pow(9.0 * p->M, -0.25) : 0.67 * pow(p->N, -0.25);
}

/* Embeddings N(0, 1 / d) times (9 N)^(-1/4), where N is the depth of the stack that they feed. */
static double t_fixup_embedding(const NsPosition *p)
{
    return pow(9.0 * p->layers, -0.25);
}

static void normformer(NsWiring *w, const NsPosition *p)
{
    w->branch = is_attention(p);
    w->head_scale = is_attention(p);
    w->mid = p->kind == NS_FFN;
}

/* The factor on V, O, W_1 and W_2; Wang et al. 2022 (Magneto), table 2. */
static void subln(NsWiring *w, const NsPosition *p)
{
    w->in = w->mid = true;
    if (p->N && p->M)
        w->init = sqrt(p->decoder ? log(3.0 * p->M) : log(3.0 * p->M) * log(2.0 * p->N) / 3);
    else
        w->init = sqrt(log(2.0 * p->layers));
}

static void completep(NsWiring *w, const NsPosition *p)
{
    w->b = 1 / p->depth_ratio;
    w->eps = 1 / p->depth_ratio;
}

static void depth_mup(NsWiring *w, const NsPosition *p)
{
    w->b = w->lr = w->eps = 1 / sqrt(p->depth_ratio);
}

static const NsPlacement placements[] = {
    {.choice = {.key = "post",
                .label = "Post-LN",
                .formula = "x' = N(x + F(x))",
                .reference = "Vaswani et al. 2017, arXiv 1706.03762",
                .purpose = "The original Transformer: the norm follows the residual addition.",
                .differs = "BERT, also Post-LN, has a norm after the embedding as well: "
                           "embedding-norm=on."},
     .out = true},
    {.choice =
         {.key = "pre",
          .label = "Pre-LN",
          .formula = "x' = x + F(N(x))",
          .reference = "Xiong et al. 2020, arXiv 2002.04745",
          .purpose =
              "The norm is inside the branch, and none is on the residual stream; one more norm "
              "follows the last layer."},
     .final_norm = true,
     .in = true},
    {.choice = {.key = "none",
                .label = "No norm",
                .formula = "x' = x + F(x)",
                .reference = "Zhang, Dauphin, Ma 2019, arXiv 1901.09321",
                .purpose = "A baseline without norms: the signal grows with depth."}},
    {.choice = {.key = "sandwich",
                .label = "Sandwich",
                .formula = "x' = x + N(F(N(x)))",
                .reference = "Ding et al. 2021, arXiv 2105.13290",
                .purpose = "Pre-LN with a second norm that bounds what each branch adds.",
                .differs = "CogView divides by max|x| / 8 before each norm to avoid overflow in "
                           "half precision; this is omitted, since a norm is invariant to scale."},
     .final_norm = true,
     .in = true,
     .branch = true},
    {.choice =
         {.key = "deepnorm",
          .label = "DeepNorm",
          .formula =
              "x' = N(α x + F(x)), α = (2 L)^{1/4}, initial gain (8 L)^{−1/4} in a single stack",
          .reference = "Wang et al. 2022, arXiv 2203.00555",
          .purpose = "Post-LN with a stronger residual connection and smaller initial branches."},
     .out = true,
     .wire = deepnorm},
    {.choice = {.key = "no-residual",
                .label = "No residual",
                .formula = "x' = N(F(x))",
                .reference = "Dong, Cordonnier, Loukas 2021, arXiv 2103.03404",
                .purpose = "A baseline without residual connections: all tokens become alike.",
                .differs = "The paper also looks at stacks without norms: norm=none."},
     .out = true,
     .wire = no_residual},
    {.choice =
         {.key = "peri",
          .label = "Peri-LN",
          .formula = "x' = x + N(F(N(x)))",
          .reference = "Kim et al. 2025, arXiv 2502.02732",
          .purpose =
              "Norms around every branch, as in Gemma 2 and 3; the residual stream grows linearly.",
          .differs = "The norm after the embedding, optional in the paper, is "
                     "embedding-norm=on; Gemma 3 also has qk-norm=head."},
     .norm = NS_NORM_RMSNORM,
     .final_norm = true,
     .in = true,
     .branch = true},
    {.choice =
         {.key = "olmo2",
          .label = "OLMo 2",
          .formula = "x' = x + N(F(x)), norms on queries and keys",
          .reference = "OLMo team 2025, arXiv 2501.00656",
          .purpose = "The norm after the branch, before the residual addition; queries and keys "
                     "are normalized over the full width, before the heads are split.",
          .differs =
              "OLMo 2 itself uses rotary positions, SwiGLU (activation=swiglu) and no biases."},
     .norm = NS_NORM_RMSNORM,
     .final_norm = true,
     .branch = true,
     .wire = olmo2},
    {.choice = {.key = "keel",
                .label = "Keel",
                .formula = "x' = N(S x + F(N(x))), S = number of sub-layers",
                .reference = "Keel 2026, arXiv 2601.19895",
                .purpose =
                    "Post-LN whose residual connection is scaled so that gradients do not vanish.",
                .differs = "The paper also tunes S in small models; here S counts the sub-layers."},
     .norm = NS_NORM_RMSNORM,
     .in = true,
     .wire = keel},
    {.choice = {.key = "ln-scaling",
                .label = "LayerNorm scaling",
                .formula = "x' = x + F(N(x) / √l)",
                .reference = "Sun et al. 2025, arXiv 2502.05795",
                .purpose = "Pre-LN that scales the norm of layer l by 1/√l, so that deep layers "
                           "keep contributing."},
     .norm = NS_NORM_RMSNORM,
     .final_norm = true,
     .in = true,
     .wire = layernorm_scaling},
    {.choice = {.key = "mix-ln",
                .label = "Mix-LN",
                .formula = "Post-LN in the first ⌊L / 4⌋ layers, Pre-LN above",
                .reference = "Li et al. 2024, arXiv 2412.13795",
                .purpose = "Combines both placements for more uniform gradients across layers.",
                .differs = "With fewer than 4 layers, all are Pre-LN. The share α = 1/4 is the "
                           "paper's; the setting mixture allows another."},
     .norm = NS_NORM_RMSNORM,
     .final_norm = true,
     .wire = mix_ln},
    {.choice = {.key = "hybridnorm",
                .label = "HybridNorm",
                .formula = "x' = N(x + A(x)), norms on q, k and v; x'' = x' + F(x')",
                .reference = "Zhuo et al. 2025, arXiv 2503.04598",
                .purpose = "Norms on queries, keys and values, and one between attention and FFN."},
     .norm = NS_NORM_RMSNORM,
     .final_norm = true,
     .wire = hybridnorm},
    {.choice = {.key = "hybridnorm-star",
                .label = "HybridNorm*",
                .formula = "HybridNorm, but Pre-LN in the first layer",
                .reference = "Zhuo et al. 2025, arXiv 2503.04598",
                .purpose = "The paper's better variant; the first layer still has its norms on "
                           "queries, keys and values."},
     .norm = NS_NORM_RMSNORM,
     .final_norm = true,
     .wire = hybridnorm_star},
    {.choice = {.key = "b2t",
                .label = "B2T",
                .formula = "h = N(x + A(x)); x' = N(x + h + F(h)), initial gain L^{−1/2}",
                .reference = "Takase et al. 2022, arXiv 2206.00330; takase/b2t_connection",
                .purpose = "Post-LN with a connection from the layer's bottom to its top.",
                .differs = "The gain on all matrices of the layers is that of the released code; "
                           "init-scale=√L cancels it."},
     .out = true,
     .wire = b2t},
    {.choice = {.key = "residual",
                .label = "ResiDual",
                .formula = "x' = N(x + F(x)), D' = D + F(x); output x_L + N(D_L)",
                .reference = "Xie et al. 2023, arXiv 2304.14802",
                .purpose = "A Post-LN and a Pre-LN stream that share every branch.",
                .differs = "The released code can scale D by a constant to avoid overflow in half "
                           "precision; it is 1 here, since the norm is invariant to scale."},
     .final_norm = true,
     .dual_stream = true,
     .out = true},
    {.choice = {.key = "rezero",
                .label = "ReZero",
                .formula = "x' = x + α_l F(x), α_l = 0 at the start, one per layer",
                .reference = "Bachlechner et al. 2020, arXiv 2003.04887",
                .purpose = "No norm; every layer starts as the identity."},
     .wire = rezero},
    {.choice = {.key = "skipinit",
                .label = "SkipInit",
                .formula = "x' = x + α F(x), α = 0 at the start, one per sub-layer",
                .reference = "De and Smith 2020, arXiv 2002.10444",
                .purpose = "No norm; each branch has its own learned factor.",
                .differs = "Proposed for residual convolutional networks; the branches here are "
                           "attention and FFN."},
     .wire = skipinit},
    {.choice = {.key = "layerscale",
                .label = "LayerScale",
                .formula = "x' = x + g ⊙ F(N(x)), g = 0.1 at the start up to 18 layers, 1e−5 up "
                           "to 24, then 1e−6",
                .reference = "Touvron et al. 2021, arXiv 2103.17239",
                .purpose = "Pre-LN with a learned factor for every feature of every branch."},
     .final_norm = true,
     .in = true,
     .wire = layerscale},
    {.choice = {.key = "admin",
                .label = "Admin",
                .formula = "x' = N(ω ⊙ x + F(x)), ω_k^2 = 1 + Σ_{j<k} Var F_j at the start",
                .reference = "Liu et al. 2020, arXiv 2004.08249",
                .purpose =
                    "Post-LN whose residual connection is scaled once, by profiling the branches."},
     .out = true,
     .wire = admin},
    {.choice = {.key = "t-fixup",
                .label = "T-Fixup",
                .formula = "x' = x + F(x), initial weights scaled by the depth",
                .reference = "Huang et al. 2020, ICML",
                .purpose = "No norm and no warm-up: the initialization bounds the updates.",
                .differs = "Derived for an encoder-decoder; a single stack uses the rule for its "
                           "kind with its own depth."},
     .embedding_init = t_fixup_embedding,
     .wire = t_fixup},
    {.choice =
         {.key = "normformer",
          .label = "NormFormer",
          .formula =
              "Pre-LN, with norms after attention and inside the FFN, and one factor per head",
          .reference = "Shleifer et al. 2021, arXiv 2110.09456",
          .purpose = "Evens out the gradients of Pre-LN, which are large in lower layers and small "
                     "in upper ones.",
          .differs =
              "The factor on a head is applied before W_O, as in the paper's equation; fairseq "
              "applies it after. The optional factor on the FFN's residual connection is omitted."},
     .final_norm = true,
     .in = true,
     .wire = normformer},
    {.choice =
         {.key = "subln",
          .label = "SubLN",
          .formula =
              "Pre-LN, with norms before W_O and W_2, initial gain √(ln 2L) in a single stack",
          .reference = "Wang et al. 2022, arXiv 2210.06423",
          .purpose = "Pre-LN with a second norm inside each branch (Magneto)."},
     .final_norm = true,
     .wire = subln},
    {.choice = {.key = "completep",
                .label = "CompleteP",
                .formula = "x' = x + F(N(x)) / m, ε / m, m = L / base-layers",
                .reference = "Dey et al. 2025, arXiv 2505.01618",
                .purpose = "Pre-LN whose optimal learning rate does not change with depth.",
                .differs = "These are its rules for depth; those for width are base-width."},
     .final_norm = true,
     .in = true,
     .wire = completep},
    {.choice = {.key = "depth-mup",
                .label = "Depth-μP",
                .formula = "x' = x + F(N(x)) / √m, lr / √m, ε / √m, m = L / base-layers",
                .reference = "Yang et al. 2023, arXiv 2310.02244",
                .purpose =
                    "The gentler of the two rules that transfer a learning rate across depths.",
                .differs = "The rules for depth are in the form given by the authors of CompleteP "
                           "(their α = 1/2); those for width are base-width."},
     .final_norm = true,
     .in = true,
     .wire = depth_mup},
};

const NsPlacement *ns_placement(size_t i)
{
    return i < G_N_ELEMENTS(placements) ? &placements[i] : NULL;
}

NS_CHOICES(ns_placement_choice, placements)

NsWiring ns_placement_wiring(const NsPlacement *placement, const NsPosition *position)
{
    if (placement->typed) return *placement->typed;
    NsWiring wiring = {.in = placement->in, .branch = placement->branch, .out = placement->out};
    wiring.s = wiring.b = wiring.a = wiring.gain_start = 1;
    wiring.init = wiring.init_qk = wiring.lr = wiring.eps = 1;
    if (placement->wire) placement->wire(&wiring, position);
    return wiring;
}
