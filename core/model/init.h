/* The registry of initializers.  SPDX-License-Identifier: MIT
 *
 * An initializer computes the standard deviation of a matrix from its shape.  It is multiplied by
 * the placement's factors on the matrices of a layer, unless the initializer names the placement
 * whose factors to use. */
#pragma once

#include "core/base/choice.h"
#include "core/base/tensor.h"
#include "core/model/placement.h"

typedef struct {
    NsChoice choice;
    NsInitKind kind;
    double (*std)(double out, double in);
    double embedding;      /* standard deviation of both embeddings; 0 for the default */
    bool scaled_residual;  /* W_O and W_2 are multiplied by 1 / sqrt(2 L) */
    const char *placement; /* key of the placement whose factors to use, or NULL */
} NsInit;

const NsInit *ns_init(size_t i); /* NULL past the end */
const NsChoice *ns_init_choice(size_t i);

/* The standard deviation of a matrix of a layer whose width is `ratio` times the base width (μP,
 * Yang et al. 2022, arXiv 2203.03466, table 8). */
double ns_init_std(const NsInit *init, double ratio, double out, double in);

/* The factors on the matrices of a sub-layer with this wiring. */
typedef struct {
    double qk;     /* on W_Q and W_K */
    double others; /* on W_V, W_O, W_1, W_2 and W_3 */
} NsInitFactors;

NsInitFactors ns_init_factors(const NsInit *init, const NsWiring *wiring,
                              const NsPosition *position);

/* The standard deviations of the embeddings of the stack at this position.  If the initializer or
 * the placement defines one, both embeddings use it; otherwise the token embedding has 1, or 1 /
 * sqrt(d) if it is also the head (`tied`), and the position embedding a tenth of that.  d:
 * width. */
typedef struct {
    double token, position;
} NsEmbeddingInit;

NsEmbeddingInit ns_init_embedding(const NsInit *init, const NsPlacement *placement,
                                  const NsPosition *position, double d, bool tied);
