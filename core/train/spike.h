/* Spikes of the loss and of the gradient norm.  SPDX-License-Identifier: MIT
 *
 * A record is held against a baseline: the newest 50 records that belong to no spike.  Its level is
 * a median and its spread the median absolute deviation times 1.4826, which is the standard
 * deviation where values are normal: half of the records may be anything, and both stay what they
 * were (Hampel 1974, JASA 69, 383; outliers by them: Davies and Gather 1993, JASA 88, 782).
 *
 * - The loss is high if it lies above the median of the newest 10 of the baseline by more than 15 %
 *   of that, than 6 spreads of all 50 (as soon as there are 20), and than 6 / sqrt(targets) nats,
 *   which is 6 standard deviations of a batch whose targets had independent losses that spread over
 *   1 nat.
 * - The gradient norm is high if it is more than 10 times the median of the baseline (as soon as
 *   there are 10), and 4 times the largest that ever belonged to it: gradients that are small where
 *   a model is stuck may rise by far more than tenfold and do no harm.
 *
 * The first high record is a spike, and an excursion begins.  No record of it enters the baseline,
 * so that the next spike is seen as this one was, however large this one is.  The excursion ends
 * with the first record that is back: its loss is above the median by less than half of what would
 * make it high, and its gradient norm by a factor below the square root of the one that would.  One
 * that is not over after 10 records is no excursion but a new level, and they are the baseline from
 * then on.  Either way one excursion is one event.
 *
 * The numbers are chosen so that the default model in Post-LN and Pre-LN trains 2,000 steps without
 * any, with every seed that was tried, and that thirty times its learning rate gives one within the
 * first ten. */
#pragma once

#include "core/probe/history.h"

#define NS_SPIKE_RECORDS 50
#define NS_SPIKE_EXCURSION 10

/* The state of the detector; all 0 at the beginning. */
typedef struct {
    double loss[NS_SPIKE_RECORDS], norm[NS_SPIKE_RECORDS]; /* of the baseline; rings */
    size_t n;    /* records that have entered the baseline */
    double most; /* the largest norm of them all */
    double high_loss[NS_SPIKE_EXCURSION], high_norm[NS_SPIKE_EXCURSION]; /* of the excursion */
    size_t high; /* records of the excursion; 0: there is none */
} NsSpikes;

/* Judges the next record, which is finite, and adds it to the state; `targets` are those of its
 * batch.  Returns true if it is a spike, and fills in an NS_EVENT_SPIKE; the caller adds the tensor
 * to its sentence. */
bool ns_spikes_watch(NsSpikes *spikes, const NsStep *step, size_t targets, NsEvent *event);
