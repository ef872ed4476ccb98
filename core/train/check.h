/* Gradients against finite differences, in a live run.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/train/run.h"

/* Tensors of a layer that have a row; no layer has more. */
#define NS_CHECK_ROWS 40

/* After so many seconds the tensors that are left are skipped. */
#define NS_CHECK_SECONDS 20

/* A derivative of the loss along one direction of unit length in the space of a tensor. */
typedef struct {
    double analytic;  /* gradient times direction */
    double numeric;   /* (loss(w + h d) - loss(w - h d)) / 2h */
    double error;     /* |numeric - analytic|, relative as said at ns_gradient_check */
    double step_size; /* h */
    double unknown;   /* relative alike: what rounding and the size of the step leave unknown of
                         `numeric`; above 0.1 it says nothing about the gradient */
} NsDerivative;

typedef struct {
    char tensor[48];
    NsDerivative along;  /* the gradient itself, where the derivative is its norm */
    NsDerivative random; /* a random direction, along which a missing part of the gradient shows */
} NsCheckRow;

typedef struct {
    int64_t step;
    unsigned lane;  /* set by the trainer */
    unsigned layer; /* from 1, numbered through all layers */
    size_t n;
    NsCheckRow row[NS_CHECK_ROWS];
    size_t skipped;             /* tensors for which there was no time */
    size_t known, unknown;      /* derivatives whose `unknown` is at most 0.1, and the others */
    double worst, worst_random; /* largest errors of the known ones, by direction */
    bool agrees; /* some are known, and none of them has an error above the limits below */
    double seconds;
    char problem[160]; /* a sentence where nothing could be told; else empty */
} NsGradientCheck;

/* Between evaluations: TRUE to give up at once. */
typedef bool (*NsCheckStop)(void *data);

/* Checks every tensor of a layer (from 1) at the present weights, on the batch of the newest record
 * and without noise, with the kernels that train; overwrites `check`.  Leaves weights, gradients,
 * moments and running statistics as they were, to the last bit, so that the run goes on as it would
 * have; what a model keeps of its last pass is that of the newest record again.
 *
 * The step size is one of a few, by factors of 4: too large a step cuts the series of the
 * loss off too early (that error falls with h^2), too small a one drowns in the rounding of the
 * loss (that grows with 1/h, and is measured first).  The check takes the step size at the bottom
 * of that V, found from the numeric slopes alone; how well they agree with the gradient plays no
 * part in the choice.
 *
 * The error is relative to the larger of both derivatives, or to their natural size where they are
 * less: along the gradient of a tensor 1/1000 of the norm of the layer's whole gradient, since some
 * gradients are 0 but for rounding (that of the keys' bias, which softmax does not see); along a
 * random direction the tensor's share of it, |g| / sqrt(n), since a single one may happen to be 0.
 *
 * In single precision the loss is known to about 1e-8, so expect errors of 1e-5 to 3e-3 along the
 * gradient and ten times that along a random direction, whose derivative is smaller by sqrt(n);
 * with a ReLU every kink that a step crosses bends the loss, the more the fewer tokens there are.
 * Where the gradient itself is as small as 1e-4, as on a plateau, rounding hides much of it, and
 * `unknown` says so; and so it does where the loss is rougher than the smallest step, as in a
 * Post-LN whose attention is about to flip.  Derivatives agree with errors up to 1e-2 and 1e-1, or
 * four times what is unknown where that is more.  In double precision without kinks errors lie
 * below 1e-5.  `stop` may be NULL. */
void ns_gradient_check(NsRun *run, unsigned layer, NsCheckStop stop, void *data,
                       NsGradientCheck *check);
