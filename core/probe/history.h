/* The history of a run.  SPDX-License-Identifier: MIT
 *
 * One writer (the trainer), any number of readers on any thread; nobody waits while another reads
 * or writes (core/probe/latest.h).
 *
 * Three parts.  Scalars of every step, evaluations and events are kept for the whole run.  Profiles
 * (the values by layer) take tens of kilobytes a step in a deep model, so they have a budget: when
 * it is spent, the finest and oldest buckets are joined by fours, each keeping the minimum and the
 * maximum of every value, until there is room.  The resolution over the whole run stays within a
 * factor of four; the first and the newest record are always kept unchanged; ns_history_stride
 * tells how far steps were joined. */
#pragma once

#include "core/probe/quantity.h"
#include "core/probe/similarity.h"
#include "core/probe/token_snapshot.h"

/* Scalars of one step.  A record of step k is measured at the weights after k updates, on batch k;
 * lr and seconds belong to the update that led there. */
typedef struct {
    int64_t step;
    double loss;          /* training loss on this batch, nats a token */
    double lr;            /* 0 at step 0 */
    double grad_norm;     /* of all tensors together, before clipping */
    double seconds;       /* wall time of this step, measuring included; 0 where that is untold */
    double probe_seconds; /* of these, for expensive quantities; 0 where none was measured */
    bool lr_untold, grad_norm_untold, seconds_untold; /* a run of another program does not say it:
                                                         the number means nothing */
} NsStep;

typedef struct {
    int64_t step;
    double loss; /* on held-out text, nats a token */
} NsEvaluation;

typedef enum {
    NS_EVENT_DIVERGED, /* a value is not finite */
    NS_EVENT_SETTING,  /* a live setting was changed, from this step on */
    NS_EVENT_SPIKE,    /* the loss or the gradient norm jumped (core/train/spike.h) */
} NsEventKind;

typedef struct {
    int64_t step;
    NsEventKind kind;
    int layer;      /* from 1; 0 where the event is about no layer.  Of a spike: the one of the
                       tensor with the largest gradient */
    char what[48];  /* a tensor, "embedding", "hidden state", "loss" or "gradient norm"; or the key
                       of a setting */
    char text[160]; /* one sentence for people */
} NsEvent;

typedef struct NsHistory NsHistory;

/* budget: bytes for profiles.  The run begins at first_step.  Starts with one reference. */
NsHistory *ns_history_new(const NsRecordLayout *layout, size_t budget, int64_t first_step);
NsHistory *ns_history_ref(NsHistory *history);
void ns_history_unref(NsHistory *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsHistory, ns_history_unref)

/* Writer.  `values` are [layout->width]; all were measured where `has` is NULL.  Steps ascend from
 * the first step: one by one in a run of this program, with gaps in one from outside. */
void ns_history_append(NsHistory *history, const NsStep *step, NsValues values);
void ns_history_append_evaluation(NsHistory *history, const NsEvaluation *evaluation);
void ns_history_append_event(NsHistory *history, const NsEvent *event);

/* Writer, before anybody else knows of either: the run of another seed beside this one, which takes
 * a reference. */
void ns_history_add_seed(NsHistory *history, NsHistory *other);

/* Writer.  Only the newest of each is kept. */
void ns_history_publish_similarity(NsHistory *history, const NsSimilarity *similarity);
void ns_history_publish_token_snapshot(NsHistory *history, const NsTokenSnapshot *snapshot);

/* Readers.  They count records from 0; what they read tells of steps. */
const NsRecordLayout *ns_history_layout(const NsHistory *history);
int64_t ns_history_first_step(const NsHistory *history); /* 0, but for a fork */
int64_t ns_history_last_step(const NsHistory *history);  /* the newest; -1 before any */

/* The record of a step, or where the run has none of it the one before; -1 before the first. */
int64_t ns_history_record(const NsHistory *history, int64_t step);

/* How many seeds run side by side, and the history of each, borrowed; the first is this one. */
size_t ns_history_seeds(const NsHistory *history);
NsHistory *ns_history_seed(NsHistory *history, size_t i);

size_t ns_history_steps(const NsHistory *history); /* published records */
const NsStep *ns_history_step(const NsHistory *history, size_t record);
size_t ns_history_evaluations(const NsHistory *history);
const NsEvaluation *ns_history_evaluation(const NsHistory *history, size_t i);
size_t ns_history_events(const NsHistory *history);
const NsEvent *ns_history_event(const NsHistory *history, size_t i);

/* The record at or before `record` in which the quantity was measured last: `record` itself, but
 * for expensive quantities, and for runs from outside, which may measure anything now and then.
 * Also `record` where none of the thousand records before it has the quantity. */
size_t ns_history_measured(const NsHistory *history, NsQuantity quantity, size_t record);

/* Copies the newest similarity, or the newest snapshot of tokens (a megabyte); false where there is
 * none. */
bool ns_history_similarity(const NsHistory *history, NsSimilarity *similarity);
bool ns_history_token_snapshot(const NsHistory *history, NsTokenSnapshot *snapshot);

/* The steps that share a bucket. */
typedef struct {
    int64_t first, last;
} NsBucket;

/* Copies a quantity's values in `record` (below ns_history_steps): minimum and maximum over what
 * was measured in the bucket that holds it, and whether anything was (NsValues), each
 * [layout->count[quantity]]; any may be NULL.  A NaN that was measured makes the minimum and the
 * maximum of its bucket NaN.  Where nothing was thinned both are the values themselves, and so they
 * are at the first and at the newest step, which are given as buckets of one. */
NsBucket ns_history_read(const NsHistory *history, NsQuantity quantity, size_t record, float *min,
                         float *max, bool *has);

/* The extremes over records first..last (both included, whole buckets). */
NsBucket ns_history_read_range(const NsHistory *history, NsQuantity quantity, size_t first,
                               size_t last, float *min, float *max, bool *has);

/* Steps in the coarsest bucket: 1 as long as nothing was thinned. */
int64_t ns_history_stride(const NsHistory *history);
