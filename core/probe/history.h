/* The history of a run.  SPDX-License-Identifier: MIT
 *
 * There is one writer (the trainer) and any number of readers on any thread; neither waits while
 * another reads or writes (core/probe/latest.h).
 *
 * Scalars of every step, evaluations, continuations and events are stored for the whole run.
 * Profiles (the values by layer) take tens of kilobytes a step in a deep model, so they have a
 * memory budget: when it is spent, the oldest of the finest buckets are joined by fours, and a
 * joined bucket holds the minimum and the maximum of every value.  The resolution over the whole
 * run stays within a factor of four; the first and the newest record are never joined;
 * ns_history_stride returns how many steps a bucket has. */
#pragma once

#include "core/data/corpus.h"
#include "core/probe/quantity.h"
#include "core/probe/similarity.h"
#include "core/probe/token_snapshot.h"

/* Scalars of one step.  The record of step k is measured at the weights after k updates, on batch
 * k; lr and seconds belong to the update that led there. */
typedef struct {
    int64_t step;
    double loss;          /* training loss on this batch, nats a token */
    double lr;            /* 0 at step 0 */
    double grad_norm;     /* of all tensors together, before clipping */
    double seconds;       /* wall time of this step, including measurements; 0 if unknown */
    double probe_seconds; /* the part of `seconds` for expensive quantities; 0 if none was due */
    bool lr_absent, grad_norm_absent, seconds_absent; /* a run of another program did not report the
                                                         number, which is then meaningless */
} NsStep;

typedef struct {
    int64_t step;
    double loss; /* on held-out data, nats a token */
} NsEvaluation;

/* How a model continued a prompt. */
typedef struct {
    int64_t step;
    char prompt[256]; /* the end of a longer one */
    char text[512];
} NsContinuation;

typedef enum {
    NS_EVENT_DIVERGED,   /* a value is not finite */
    NS_EVENT_SETTING,    /* a live setting was changed, from this step on */
    NS_EVENT_SPIKE,      /* the loss or the gradient norm jumped (core/train/spike.h) */
    NS_EVENT_STUCK,      /* the loss has stayed at that of the frequencies of the tokens */
    NS_EVENT_FIRST_LOSS, /* the loss before any update is far above that of a uniform guess */
} NsEventKind;

typedef struct {
    int64_t step;
    NsEventKind kind;
    int layer;      /* from 1; 0 if the event is about no layer.  For a spike: that of
                       what left its usual range first (core/train/bands.h), else of
                       the tensor with the largest gradient */
    char what[48];  /* a tensor, "embedding", "hidden state", "loss" or "gradient norm"; or the key
                       of a setting */
    char text[640]; /* one sentence, in the language in which the program ran */
} NsEvent;

/* Formats the text of an event by a sentence that the catalogs have. */
void ns_event_describe(NsEvent *event, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Formats a number for it: "53.9", "1,372".  Free with g_free. */
char *ns_event_number(double value);

typedef struct NsHistory NsHistory;

/* The loss after an update, had it been made with other learning rates: 0, and a geometric sequence
 * from 1/64 of its critical rate, or from its own rate if that is smaller, to twice its critical
 * rate.  If there is no critical rate, its own takes the place of it. */
#define NS_ALONG_POINTS 11
typedef struct {
    int64_t step;             /* of the update */
    double lr, critical_rate; /* of the update; NaN: none */
    double rate[NS_ALONG_POINTS], loss[NS_ALONG_POINTS];
} NsLossAlong;

/* A history of a run that begins at first_step, with one reference.  budget: bytes for profiles. */
NsHistory *ns_history_new(const NsRecordLayout *layout, size_t budget, int64_t first_step);
NsHistory *ns_history_ref(NsHistory *history);
void ns_history_unref(NsHistory *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsHistory, ns_history_unref)

/* Writer.  `values` are [layout->width]; if values.has is NULL, all were measured.  The gradient
 * norm of the whole model is taken from `step`.  Steps ascend from the first step, without gaps in
 * a run of this program. */
void ns_history_append(NsHistory *history, const NsStep *step, NsValues values);
void ns_history_append_evaluation(NsHistory *history, const NsEvaluation *evaluation);
void ns_history_append_continuation(NsHistory *history, const NsContinuation *continuation);
void ns_history_append_event(NsHistory *history, const NsEvent *event);

/* Writer, before any other thread has the history; otherwise both are NaN. */
void ns_history_set_baselines(NsHistory *history, NsBaselines baselines);
NsBaselines ns_history_baselines(const NsHistory *history);

/* Writer, before any other thread has either history: adds the run of another seed, of which a
 * reference is taken. */
void ns_history_add_seed(NsHistory *history, NsHistory *other);

/* Writer.  Each replaces the previous one. */
void ns_history_publish_similarity(NsHistory *history, const NsSimilarity *similarity);
void ns_history_publish_token_snapshot(NsHistory *history, const NsTokenSnapshot *snapshot);
void ns_history_publish_along(NsHistory *history, const NsLossAlong *along);

/* For the writer of an empty history that begins at the same step as `past`: copies the records,
 * evaluations and events of `past` before step `end`, and the changes of settings up to that step.
 * A quantity that has different sizes in the two layouts, and profiles of records that were joined
 * (ns_history_stride), count as not measured.  Another thread may still be appending to `past`. */
void ns_history_take_past(NsHistory *history, const NsHistory *past, int64_t end);

/* Readers.  Records are numbered from 0; the numbers of their steps may differ. */
const NsRecordLayout *ns_history_layout(const NsHistory *history);
int64_t ns_history_first_step(const NsHistory *history); /* 0, except in a fork */
int64_t ns_history_last_step(const NsHistory *history);  /* -1 if there is no record */

/* A quantity that some of `n` histories, which may be NULL, record: that one, the usual one of its
 * domain (∇W_2, hidden states), or their first, of those that were named rather a gradient
 * ("grad_norm/layers"); that one if they record none. */
NsQuantity ns_history_recorded(NsHistory *const *histories, size_t n, NsQuantity quantity);

/* The last record at or before a step; -1 if there is none. */
int64_t ns_history_record(const NsHistory *history, int64_t step);

/* The number of seeds that are trained together, and the history of each (borrowed); the first is
 * this one. */
size_t ns_history_seeds(const NsHistory *history);
NsHistory *ns_history_seed(NsHistory *history, size_t i);

size_t ns_history_steps(const NsHistory *history); /* published records */
const NsStep *ns_history_step(const NsHistory *history, size_t record);
size_t ns_history_evaluations(const NsHistory *history);
const NsEvaluation *ns_history_evaluation(const NsHistory *history, size_t i);
size_t ns_history_continuations(const NsHistory *history);
const NsContinuation *ns_history_continuation(const NsHistory *history, size_t i);
size_t ns_history_events(const NsHistory *history);
const NsEvent *ns_history_event(const NsHistory *history, size_t i);

/* The newest event of a kind; NULL if there is none, or no history. */
const NsEvent *ns_history_last_event(const NsHistory *history, NsEventKind kind);

/* The event with which a run diverged; NULL if there is none, no history, or the loss was finite
 * again afterwards, as in logs of other programs that go on after a single NaN. */
const NsEvent *ns_history_divergence(const NsHistory *history);

/* The newest continuation at or before a step; NULL if there is none. */
const NsContinuation *ns_history_continuation_at(const NsHistory *history, int64_t step);

/* The last record at or before `record` in which the quantity was measured: `record` itself, except
 * for expensive quantities, and for runs of other programs, which may report any quantity only now
 * and then.  Also `record` if none of the thousand records before it has the quantity. */
size_t ns_history_measured(const NsHistory *history, NsQuantity quantity, size_t record);

/* Copies the newest similarity, snapshot of tokens (a megabyte), or losses along an update; false
 * if there is none. */
bool ns_history_similarity(const NsHistory *history, NsSimilarity *similarity);
bool ns_history_token_snapshot(const NsHistory *history, NsTokenSnapshot *snapshot);
bool ns_history_along(const NsHistory *history, NsLossAlong *along);

/* The steps that share a bucket. */
typedef struct {
    int64_t first, last;
} NsBucket;

/* Copies a quantity's values in `record` (below ns_history_steps), each an array of
 * [layout->count[quantity]] or NULL: the minimum and maximum over the measured values of the bucket
 * that contains the record, and whether any was measured (NsValues).  A measured NaN makes the
 * minimum and the maximum of its bucket NaN.  In a bucket of one record both are the values
 * themselves; the first and the newest record are always returned as buckets of one. */
NsBucket ns_history_read(const NsHistory *history, NsQuantity quantity, size_t record, float *min,
                         float *max, bool *has);

/* The extremes over the buckets that contain the records first..last (both included). */
NsBucket ns_history_read_range(const NsHistory *history, NsQuantity quantity, size_t first,
                               size_t last, float *min, float *max, bool *has);

/* The number of records in the coarsest bucket: 1 as long as none were joined. */
int64_t ns_history_stride(const NsHistory *history);
