/* SPDX-License-Identifier: MIT */
#include "core/probe/similarity.h"

#include "core/base/squares.h"
#include "core/ops/gemm.h"
#include "core/ops/residual.h"

#include <math.h>
#include <string.h>

static const NsChoice kinds[NS_SIMILARITY_COUNT] = {
    [NS_SIMILARITY_CKA] = {.key = "cka",
                           .label = "Linear CKA",
                           .formula = "‖Y^T X‖^2 / (‖X^T X‖ ‖Y^T Y‖)",
                           .reference = "Kornblith et al. 2019, arXiv 1905.00414",
                           .purpose = "How similarly two states arrange the tokens, regardless of "
                                      "rotation and scale; 1 means identical up to these."},
    [NS_SIMILARITY_COSINE] =
        {.key = "cosine",
         .label = "Cosine",
         .formula = "⟨cos(x_i, x_j)⟩",
         .reference = "Men et al. 2024, ShortGPT, arXiv 2403.03853",
         .purpose =
             "Mean cosine between two states of the same token; 1 means the same direction."},
    [NS_SIMILARITY_ANGLE] =
        {.key = "angle",
         .label = "Angular distance",
         .formula = "⟨arccos(cos(x_i, x_j))⟩ / π",
         .reference = "Gromov et al. 2024, arXiv 2403.17887",
         .purpose =
             "Mean angle between two states of the same token over π; 0 means the same direction."},
};

NS_CHOICES(ns_similarity_choice, kinds)

size_t ns_similarity_scratch(size_t n, size_t tokens, size_t D)
{
    return n * tokens * tokens + tokens * D;
}

/* Variation below this fraction of the norm of a state is rounding error. */
#define ROUNDING 1e-6

/* Writes the features without their means over the tokens to `to`: [tokens, D].  Returns the norm
 * of the centered features; 0 if the tokens differ only by rounding. */
static double center(ns_real *to, const ns_real *const *rows, size_t tokens, size_t D)
{
    double total = 0, left = 0;
    for (size_t i = 0; i < D; i++) {
        double sum = 0;
        for (size_t t = 0; t < tokens; t++) sum += (double)rows[t][i];
        for (size_t t = 0; t < tokens; t++) {
            double x = (double)rows[t][i], centered = x - sum / (double)tokens;
            total += x * x;
            left += centered * centered;
            to[t * D + i] = (ns_real)centered;
        }
    }
    return left < ROUNDING * ROUNDING * total ? 0 : sqrt(left);
}

/* K = X X^T over tokens, scaled to norm 1, so that <K, L> is the CKA, because
 * |Y^T X|^2 = <X X^T, Y Y^T>.  All 0 if X has no variance.  Returns the participation ratio, or 0:
 * with a trace of 1, the norm of X X^T is the root of its inverse. */
static double gram(ns_real *K, ns_real *centered, const ns_real *const *rows, size_t tokens,
                   size_t D)
{
    double norm = center(centered, rows, tokens, D);
    ns_real scale = norm > 0 || isnan(norm) ? (ns_real)(1 / norm) : 0;
    for (size_t i = 0; i < tokens * D; i++) centered[i] *= scale;
    ns_gemm(&(NsGemm){.tb = true,
                      .M = tokens,
                      .N = tokens,
                      .K = D,
                      .alpha = 1,
                      .A = centered,
                      .lda = D,
                      .B = centered,
                      .ldb = D,
                      .C = K,
                      .ldc = tokens});
    double size = ns_real_norm(K, tokens * tokens);
    if (size <= 0) return 0;
    ns_real inverse = (ns_real)(1 / size);
    for (size_t i = 0; i < tokens * tokens; i++) K[i] *= inverse;
    return 1 / (size * size);
}

static void put(NsSimilarity *to, NsSimilarityKind kind, size_t i, size_t j, double value)
{
    size_t n = to->n, a = i * n + j, b = j * n + i;
    to->value[kind][a] = to->value[kind][b] = (float)value;
    to->has[kind][a] = to->has[kind][b] = true;
}

/* Cosine and angle of two states over their tokens. */
static void compare_directions(NsSimilarity *to, const NsSimilarityInput *in, size_t i, size_t j,
                               size_t tokens)
{
    const ns_real *const *x = in->rows + i * NS_SIMILARITY_TOKENS;
    const ns_real *const *y = in->rows + j * NS_SIMILARITY_TOKENS;
    const double *nx = in->norms + i * NS_SIMILARITY_TOKENS;
    const double *ny = in->norms + j * NS_SIMILARITY_TOKENS;
    double cosines = 0, angles = 0, n = 0;
    for (size_t t = 0; t < tokens; t++) {
        if (nx[t] == 0 || ny[t] == 0) continue;
        double cosine = i == j ? 1 : ns_inner(x[t], y[t], in->D) / (nx[t] * ny[t]);
        cosines += cosine;
        angles += acos(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine);
        n++;
    }
    if (!(n > 0)) return;
    put(to, NS_SIMILARITY_COSINE, i, j, cosines / n);
    put(to, NS_SIMILARITY_ANGLE, i, j, angles / n / G_PI);
}

typedef struct {
    NsSimilarity *to;
    const NsSimilarityInput *in;
    const ns_real *grams; /* [n, most, most] */
    size_t most;
} Comparison;

/* Compares a state with itself and with the states after it. */
static void compare_state(void *data, size_t i, unsigned member)
{
    (void)member;
    const Comparison *c = data;
    const NsSimilarityInput *in = c->in;
    size_t size = c->most * c->most, tokens = in->tokens[in->stack[i]];
    size_t elements = tokens * tokens;
    for (size_t j = i; j < in->n; j++) {
        if (in->stack[i] != in->stack[j]) continue;
        compare_directions(c->to, in, i, j, tokens);
        const ns_real *K = c->grams + i * size, *L = c->grams + j * size;
        double cka = i == j ? 1 : ns_inner(K, L, elements);
        bool flat = K[0] == 0 && ns_real_norm(K, elements) == 0;
        flat = flat || (L[0] == 0 && ns_real_norm(L, elements) == 0);
        if (!flat) put(c->to, NS_SIMILARITY_CKA, i, j, cka);
    }
}

void ns_similarity_measure(NsSimilarity *to, const NsSimilarityInput *in)
{
    size_t n = in->n, most = in->tokens[0] > in->tokens[1] ? in->tokens[0] : in->tokens[1];
    ns_real *grams = in->scratch, *centered = grams + n * most * most;
    to->n = n;
    to->tokens = most;
    memset(to->has, 0, sizeof to->has);
    for (size_t i = 0; i < n; i++) {
        size_t tokens = in->tokens[in->stack[i]];
        const ns_real *const *rows = in->rows + i * NS_SIMILARITY_TOKENS;
        for (size_t t = 0; t < tokens; t++)
            in->norms[i * NS_SIMILARITY_TOKENS + t] = ns_real_norm(rows[t], in->D);
        in->participation[i] = gram(grams + i * most * most, centered, rows, tokens, in->D);
    }
    ns_team_each(in->team, n, compare_state, &(Comparison){to, in, grams, most});
}
