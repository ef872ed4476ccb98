/* Spikes of the loss and of the gradient norm, and plateaus.  SPDX-License-Identifier: MIT
 *
 * A record is compared with a baseline: the newest 50 records that belong to no spike.  The level
 * of the baseline is a median, and its spread is the median absolute deviation times 1.4826, which
 * is the standard deviation of normal values.  Both are robust: up to half of the records may be
 * outliers (Hampel 1974, JASA 69, 383; Davies and Gather 1993, JASA 88, 782).
 *
 * - The loss is high if it exceeds the median of the newest 10 records of the baseline by more than
 *   15 % of that median, by more than 6 spreads of all 50 (as soon as there are 20), and by more
 *   than 6 / sqrt(targets) nats, which is 6 standard deviations of the mean of independent losses
 *   with a standard deviation of 1 nat.
 * - The gradient norm is high if it exceeds 10 times the median of the baseline (as soon as there
 *   are 10 records) and 4 times the largest norm that was ever in it: small gradients, as on a
 *   plateau, may grow more than tenfold without harm.
 *
 * The first high record is a spike and begins an excursion.  Its records do not enter the baseline,
 * so that a large spike does not hide the next one.  The excursion ends with the first record whose
 * loss exceeds the median by at most half of what would make it high, and whose gradient norm
 * exceeds its median, and its largest value, by at most the square roots of the factors above.  An
 * excursion of 10 records is a new level instead, and these records become the baseline.  Either
 * way an excursion is one event.
 *
 * The numbers are chosen so that the default model in Post-LN and Pre-LN trains 2,000 steps without
 * a spike, with every seed that was tried, and has one within the first ten steps at thirty times
 * its learning rate.
 *
 * A run is stuck on the plateau if the loss of the newest 50 records is that of the frequencies of
 * the tokens: the means of their two halves are within 3 % of it and differ by at most 1 %. */
#pragma once

#include "core/probe/history.h"

/* The median of n > 0 values, which it sorts; for few values. */
double ns_median(double *values, size_t n);

#define NS_SPIKE_RECORDS 50
#define NS_SPIKE_EXCURSION 10
#define NS_PLATEAU_RECORDS 50

/* The state of the detector; all 0 at the beginning. */
typedef struct {
    double loss[NS_SPIKE_RECORDS], norm[NS_SPIKE_RECORDS]; /* of the baseline; rings */
    size_t n;    /* number of records added to the baseline */
    double most; /* the largest norm ever added to the baseline */
    double high_loss[NS_SPIKE_EXCURSION], high_norm[NS_SPIKE_EXCURSION]; /* of the excursion */
    size_t high;                       /* number of records of the excursion; 0: no excursion */
    double newest[NS_PLATEAU_RECORDS]; /* losses of the newest records; a ring */
    size_t records;                    /* number of records ever added to it */
    bool stuck;                        /* whether the plateau has been noted */
} NsSpikes;

/* Judges the next record, which must be finite, and adds it to the state; `targets`: number of
 * targets of its batch.  If it is a spike, fills in an NS_EVENT_SPIKE, to whose sentence the caller
 * adds the tensor, and returns true. */
bool ns_spikes_watch(NsSpikes *spikes, const NsStep *step, size_t targets, NsEvent *event);

/* Adds the loss of the next record, which must be finite.  Fills in an NS_EVENT_STUCK and returns
 * true when the loss is found on the plateau for the first time; never without baselines (NAN). */
bool ns_plateau_watch(NsSpikes *spikes, const NsStep *step, NsBaselines baselines, NsEvent *event);

/* A loss above this multiple of that of a uniform guess is one with which training cannot begin. */
#define NS_FAR_FROM_UNIFORM 1.5

/* Judges the loss before any update.  Fills in an NS_EVENT_FIRST_LOSS and returns true if it is
 * far from that of a uniform guess; never without baselines. */
bool ns_first_loss_watch(const NsStep *step, NsBaselines baselines, NsEvent *event);
