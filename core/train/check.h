/* Checks gradients against finite differences in a live run.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/train/run.h"

/* The largest number of tensors of a layer. */
#define NS_CHECK_ROWS 40

/* Tensors that are not checked after this many seconds are skipped. */
#define NS_CHECK_SECONDS 20

/* A derivative of the loss along one direction of unit length in the space of a tensor. */
typedef struct {
    double analytic;  /* gradient times direction */
    double numeric;   /* (loss(w + h d) - loss(w - h d)) / 2h */
    double error;     /* |numeric - analytic|, relative as explained at ns_gradient_check */
    double step_size; /* h */
    double unknown;   /* uncertainty of `numeric` from rounding and step size, relative to the same
                         number; above 0.1 the derivative is undecided */
} NsDerivative;

typedef struct {
    char tensor[48];
    NsDerivative along;  /* along the gradient, where the derivative is the norm of the gradient */
    NsDerivative random; /* along a random direction, which reveals a missing part of a gradient */
} NsCheckRow;

typedef struct {
    int64_t step;
    unsigned lane;  /* set by the trainer */
    unsigned layer; /* from 1, numbered through all layers */
    size_t n;
    NsCheckRow row[NS_CHECK_ROWS];
    size_t skipped;             /* tensors that were not checked for lack of time */
    size_t known, unknown;      /* derivatives that are decided (`unknown` <= 0.1) and undecided */
    double worst, worst_random; /* largest errors of decided ones, by direction */
    bool agrees; /* some are decided, and none of them has an error above the limits below */
    double seconds;
    char problem[160]; /* a sentence if the check has no result; else empty */
} NsGradientCheck;

/* Called between evaluations of the loss; true interrupts the check. */
typedef bool (*NsCheckStop)(void *data);

/* Checks every tensor of a layer (from 1) at the current weights, on the batch of the newest record
 * and without noise, with the same kernels as training; overwrites `check`.  Leaves weights,
 * gradients, moments and running statistics unchanged, bit for bit, so that the run continues as it
 * would have; the model then holds the activations of the newest record again.
 *
 * Step sizes h differ by factors of 4: the truncation error of a large step falls with h^2, and the
 * rounding error of a small step, which is measured first, grows with 1/h.  The check chooses the
 * step size with the smallest sum of both, using only the numeric slopes and not their agreement
 * with the gradient.
 *
 * The error is relative to the larger of both derivatives, or to a typical size if both are
 * smaller: along the gradient of a tensor 1/1000 of the norm of the gradient of the layer, since
 * some gradients are 0 except for rounding (that of the key bias, to which softmax is invariant);
 * along a random direction the tensor's |g| / sqrt(n), since a single derivative may be 0 by
 * chance.
 *
 * In single precision the loss has an accuracy of about 1e-8, so expect errors of 1e-5 to 3e-3
 * along the gradient and ten times as much along a random direction, whose derivative is smaller by
 * sqrt(n).  Every kink of a ReLU that a step crosses adds to the error, the more the fewer tokens
 * there are.  `unknown` is large if the gradient is as small as 1e-4, as on a plateau, where
 * rounding hides it, and if the loss is rough at the smallest step, as in a Post-LN model whose
 * attention is about to flip.  Derivatives agree if their error is at most 1e-2 (along the
 * gradient) or 1e-1 (random), or four times `unknown` if that is larger.  In double precision
 * without kinks errors are below 1e-5.  `stop` may be NULL. */
void ns_gradient_check(NsRun *run, unsigned layer, NsCheckStop stop, void *data,
                       NsGradientCheck *check);
