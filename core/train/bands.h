/* Which number of a model left its usual range first.  SPDX-License-Identifier: MIT
 *
 * Numbers that cost nothing, in the order in which a step computes them:
 *
 * - the gradient of every tensor relative to Adam's second moment, g^2 / v, in the update,
 * - the update of every tensor,
 * - the weights of every tensor that the update changed,
 * - every hidden state, and its largest value,
 * - the loss,
 * - the gradient of every tensor.
 *
 * A number of the newest NS_BANDS_NEWEST records is out of its usual range if its logarithm differs
 * from the median of the NS_BANDS_BASELINE records before them by more than 8 spreads (a spread is
 * the median absolute deviation times 1.4826, as in core/train/spike.h), and if the number exceeds
 * the largest of the last 10 of these records by a factor of 1.5; for weights and for the norm of a
 * hidden state also if it is as far below the smallest. */
#pragma once

#include "core/model/measure.h"
#include "core/optim/optimizer.h"
#include "core/probe/history.h"

#define NS_BANDS_BASELINE 40
#define NS_BANDS_NEWEST 8
/* The oldest record is for a checkpoint, which lacks the newest one: that is measured again. */
#define NS_BANDS_RECORDS (NS_BANDS_BASELINE + NS_BANDS_NEWEST + 1)

typedef enum {
    NS_BAND_RATIO,
    NS_BAND_UPDATE,
    NS_BAND_WEIGHT,
    NS_BAND_HIDDEN,
    NS_BAND_LOSS,
    NS_BAND_GRADIENT,
    NS_BAND_KINDS
} NsBandKind;

typedef struct {
    size_t tensors, hidden, width; /* width: numbers of a record */
    uint64_t n;                    /* records ever added */
    float *ring; /* [NS_BANDS_RECORDS, width] record i has row i modulo the rows */
} NsBands;

/* The first number of its kind that left its range. */
typedef struct {
    bool left;
    int64_t before; /* how many records before the newest one */
    size_t which;   /* the tensor, the hidden state, or 0 */
    size_t others;  /* further tensors or hidden states that left it in the same record */
    double times;   /* the number over its median; infinite if it is not finite */
} NsBandExit;

void ns_bands_init(NsBands *bands, size_t tensors, size_t hidden);
void ns_bands_clear(NsBands *bands);

/* Makes `to`, which may be all 0, a copy. */
void ns_bands_copy(NsBands *to, const NsBands *from);

/* Adds a record.  `updates`: of the update that led to it. */
void ns_bands_add(NsBands *bands, const NsMeasure *seen, const NsTensorUpdate *updates);

/* Finds what left its range in the newest records; the first of several numbers of a kind is the
 * one that a step computes first, among those at least half as far from their medians, on the
 * logarithmic scale, as the farthest.  Returns the kind that was the first of all, or NS_BAND_KINDS
 * if there is none or if there are fewer than 20 records to compare with. */
NsBandKind ns_bands_find(const NsBands *bands, NsBandExit exits[NS_BAND_KINDS]);

/* Adds to the sentence of an event what left its range first and what followed; a spike gets its
 * layer from it.  False, without a change, if nothing left.  first_stack: number of its layers. */
bool ns_bands_describe(const NsBands *bands, const NsTensorTable *table, size_t first_stack,
                       NsEvent *event);
