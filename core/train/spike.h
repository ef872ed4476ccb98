/* Jumps of the loss and of the gradient norm.  SPDX-License-Identifier: MIT
 *
 * A running mean with some standard deviations above it (as in the monitoring of large runs), with
 * floors that keep ordinary training silent:
 *
 * - The loss of a step is a spike if it lies above the mean of the 10 losses before it by more than
 *   15 % of that mean, than 6 standard deviations of the 50 losses before it (as soon as there
 *   are 20), and than 6 / sqrt(targets) nats, which is 6 standard deviations of a batch whose
 *   targets had independent losses that spread over 1 nat.
 * - The gradient norm of a step is a spike if it is more than 10 times the geometric mean of the 50
 *   before it (as soon as there are 10), and 4 times the largest there was: gradients that are
 *   small where a model is stuck may jump by far more than the first and do no harm.
 *
 * The loss goes first.  After a spike the means begin anew, so that one excursion is one event.
 * Chosen so that the default model in Post-LN and Pre-LN trains 2,000 steps without any, with every
 * seed that was tried, and that thirty times its learning rate gives one within the first ten. */
#pragma once

#include "core/probe/history.h"

#define NS_SPIKE_RECORDS 50

/* What is remembered; zero at the beginning. */
typedef struct {
    double loss[NS_SPIKE_RECORDS], log_norm[NS_SPIKE_RECORDS]; /* rings */
    size_t n;                                                  /* since the beginning or a spike */
    double most;                                               /* largest norm of all */
} NsSpikes;

/* Looks at the next record, which is finite, and remembers it.  `targets` of its batch.  True if it
 * is a spike: fills in an NS_EVENT_SPIKE, but for what the sentence may say of tensors. */
bool ns_spikes_watch(NsSpikes *spikes, const NsStep *step, size_t targets, NsEvent *event);
