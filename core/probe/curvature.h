/* How large a step the loss allows: critical rate and sharpness.  SPDX-License-Identifier: MIT
 *
 * Measured for one update w - lr u of an optimizer, on the batch that its gradient came from, at
 * the weights w before it, without dropout and stochastic depth.  H is the Hessian of the mean
 * loss, with ReLU taken as linear around its input, as in automatic differentiation.
 *
 * Critical rate: the smallest eta > 0 at which loss(w - eta u) >= loss(w).  Where the loss is
 * quadratic, it is 2 g'u / u'Hu.  Kalra et al. 2026, arXiv 2601.16979.
 *
 * Sharpness: the largest eigenvalue of H, and of P^-1 H, where the step of the optimizer is P^-1
 * times its first moment: P = (1 - beta1^t) (sqrt(v_hat) + eps) for Adam, 1 for SGD, each over the
 * tensor's factor on the learning rate.  Cohen et al. 2021, arXiv 2103.00065; 2022, 2207.14484. */
#pragma once

#include "core/data/batch.h"
#include "core/model/model.h"
#include "core/optim/optimizer.h"
#include "core/probe/history.h"

/* NaN: not measured.  A sharpness is measured only if its relative residual, |A x - lambda x| /
 * lambda for the unit vector x that was found, is at most NS_CURVATURE_RESIDUAL. */
typedef struct {
    double critical_rate;
    double sharpness, residual;
    double preconditioned, preconditioned_residual;
    double seconds; /* the time that it took */
    bool measured;  /* false: curvature was not due, and the other fields have no meaning */
} NsCurvature;

#define NS_CURVATURE_RESIDUAL 0.01

typedef struct NsCurvatureProbe NsCurvatureProbe;

/* Allocates NS_CURVATURE_ARENAS and ns_plan_gates.  NULL with NS_ERROR_MEMORY. */
NsCurvatureProbe *ns_curvature_probe_new(const NsModel *model, const NsSettings *settings,
                                         GError **error);
void ns_curvature_probe_free(NsCurvatureProbe *probe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsCurvatureProbe, ns_curvature_probe_free)

/* Copies the weights.  Call before the update. */
void ns_curvature_begin(NsCurvatureProbe *probe, NsModel *model);

/* Measures the update that was made since.  Overwrites the gradients and activations of the model;
 * weights, moments and running statistics have the same bits afterwards.  The result depends on
 * nothing but the arguments and ns_curvature_begin.  Allocates nothing. */
NsCurvature ns_curvature_measure(NsCurvatureProbe *probe, NsModel *model, const NsBatch *batch,
                                 const NsUpdate *update);

/* The sharpness of every layer: the largest eigenvalue of the block of H that belongs to its
 * tensors, at the present weights; NaN where it did not converge.  Overwrites and leaves the same
 * as ns_curvature_measure.  sharpness: [layers]. */
void ns_curvature_by_layer(NsCurvatureProbe *probe, NsModel *model, const NsBatch *batch,
                           double *sharpness);

/* The losses along the update that was measured last. */
const NsLossAlong *ns_curvature_along(const NsCurvatureProbe *probe);

/* Whether the step of the optimizer is a diagonal matrix P^-1 times a moment (all but Muon). */
bool ns_curvature_has_preconditioner(const NsSettings *settings);

/* The value of lr lambda_max(P^-1 H) at which a quadratic loss begins to oscillate with growing
 * amplitude: 2 (1 + beta1) / (1 - beta1) with the moments of Adam, 2 (1 + momentum) for SGD; NaN
 * for Muon.  Cohen et al. 2022, arXiv 2207.14484, 2. */
double ns_curvature_edge(const NsSettings *settings);
