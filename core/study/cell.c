/* SPDX-License-Identifier: MIT */
#include "core/study/cell.h"

#include "core/base/copy.h"
#include "core/probe/token_snapshot.h"
#include "core/train/run.h"

#include <math.h>
#include <string.h>

/* Bin of NsTokenSnapshot from which on tokens count as beyond 1.1 means: that which holds 1.1. */
#define BEYOND_BIN ((size_t)22)

const char *ns_cell_state_word(NsCellState state)
{
    static const char *const words[] = {
        [NS_CELL_WAITING] = "waiting",   [NS_CELL_RUNNING] = "running", [NS_CELL_DONE] = "done",
        [NS_CELL_DIVERGED] = "diverged", [NS_CELL_FAILED] = "failed",
    };
    return words[state];
}

NsStudyCell ns_cell_in(NsCellState state)
{
    return (NsStudyCell){
        .state = state, .first = NAN, .loss = NAN, .validation = NAN, .value = NAN};
}

bool ns_result_is_loss(const NsResult *result)
{
    return result->kind == NS_RESULT_LOSS || result->kind == NS_RESULT_VALIDATION;
}

int ns_result_direction(const NsResult *result)
{
    if (ns_result_is_loss(result)) return -1;
    return result->kind == NS_RESULT_QUANTITY && result->quantity == NS_QUANTITY_BLEU;
}

/* Whether a run has a curve besides: over its steps, its layers or, of tokens, the bins of
 * core/probe/token_snapshot.h. */
static bool has_curve(const NsResult *result)
{
    return result->layer == NS_LAYER_ALL || result->at == NS_RESULT_EVERY ||
           result->kind == NS_RESULT_TOKENS;
}

/* Nothing is measured but what the result asks for: an expensive quantity at the one step that
 * counts, or as often as the settings say. */
static void prepare(NsSettings *settings, const NsResult *result)
{
    bool expensive = result->kind == NS_RESULT_TOKENS || (result->kind == NS_RESULT_QUANTITY &&
                                                          ns_quantity(result->quantity)->expensive);
    bool often = result->kind == NS_RESULT_VALIDATION &&
                 (result->at == NS_RESULT_MINIMUM || result->at == NS_RESULT_EVERY);
    settings->threads = 1;
    settings->seeds = 1;
    bool bleu = result->kind == NS_RESULT_QUANTITY && ns_quantity(result->quantity)->validated;
    if (!often && !bleu) settings->eval_every = 0;
    if (!bleu) settings->bleu_sentences = 0;
    if (!expensive) settings->probe_every = 0;
    if (!expensive || settings->probe_every > 0) return;
    int64_t at = result->at == NS_RESULT_STEP ? result->n : settings->steps;
    settings->probe_every = MAX(at, 1);
}

/* ---- The result ---- */

/* The values of the records so far that have one. */
typedef struct {
    const NsResult *result;
    GArray *values; /* double */
    GArray *curve;  /* or NULL */
    double at_step; /* of NS_RESULT_STEP; NaN before it */
    size_t evaluations;
} Meter;

static void meter_clear(Meter *meter)
{
    g_array_unref(meter->values);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Meter, meter_clear)

/* Where the value lies among those of its quantity; -1 where the model has none. */
static int64_t place_of(const NsResult *result, const NsRecordLayout *layout)
{
    int64_t n = (int64_t)layout->count[result->quantity], heads = (int64_t)layout->heads;
    bool hidden = ns_quantity(result->quantity)->domain == NS_DOMAIN_HIDDEN;
    int64_t i = 0;
    switch (ns_quantity(result->quantity)->domain) {
    case NS_DOMAIN_STEP:
        break;
    case NS_DOMAIN_LAYER:
    case NS_DOMAIN_HIDDEN:
        i = result->layer < 0 ? n - 1 : result->layer - (hidden ? 0 : 1);
        break;
    case NS_DOMAIN_HEAD:
        if (result->head > heads) return -1;
        i = (result->layer < 0 ? n / MAX(heads, 1) : result->layer) - 1;
        i = i * heads + result->head - 1;
        break;
    }
    return i < n ? i : -1;
}

/* A curve of one step: that of the record that was looked at last. */
static double *new_curve(const Meter *meter, size_t n)
{
    if (!meter->curve || meter->result->at == NS_RESULT_EVERY) return NULL;
    g_array_set_size(meter->curve, (guint)n);
    return (double *)(void *)meter->curve->data;
}

static bool read_quantity(const Meter *meter, const NsHistory *history, double *value)
{
    const NsResult *result = meter->result;
    size_t n = ns_history_layout(history)->count[result->quantity];
    g_auto(NsValues) values = ns_values_new(n);
    ns_history_read(history, result->quantity, ns_history_steps(history) - 1, NULL, values.value,
                    values.has);
    double *curve = result->layer == NS_LAYER_ALL ? new_curve(meter, n) : NULL;
    for (size_t i = 0; curve && i < n; i++)
        curve[i] = values.has[i] ? (double)values.value[i] : (double)NAN;
    size_t i = (size_t)place_of(result, ns_history_layout(history));
    *value = (double)values.value[i];
    return values.has[i];
}

/* The share of tokens in each bin; the last one takes those that lie beyond. */
static bool read_tokens(const Meter *meter, const NsHistory *history, int64_t step, double *value)
{
    g_autofree NsTokenSnapshot *snapshot = g_new0(NsTokenSnapshot, 1);
    ns_history_token_snapshot(history, snapshot);
    if (snapshot->step != step || snapshot->states == 0) return false;
    size_t last = snapshot->states - 1;
    double *curve = new_curve(meter, NS_TOKEN_SNAPSHOT_BINS);
    *value = 0;
    for (size_t bin = 0; bin < NS_TOKEN_SNAPSHOT_BINS; bin++) {
        double share = (double)snapshot->count[last][bin] / (double)snapshot->tokens[last];
        if (bin == NS_TOKEN_SNAPSHOT_BINS - 1)
            share += (double)snapshot->beyond[last] / (double)snapshot->tokens[last];
        if (curve) curve[bin] = share;
        if (bin >= BEYOND_BIN) *value += share;
    }
    return true;
}

/* Takes the newest record; of losses on held-out text those that are new. */
static void look(Meter *meter, const NsHistory *history)
{
    const NsStep *step = ns_history_step(history, ns_history_steps(history) - 1);
    if (meter->result->at == NS_RESULT_STEP && step->step != meter->result->n) return;
    double value = NAN;
    bool there = true;
    switch (meter->result->kind) {
    case NS_RESULT_LOSS:
        value = step->loss;
        break;
    case NS_RESULT_GRADIENT:
        value = step->grad_norm;
        break;
    case NS_RESULT_SECONDS:
        there = step->step > 0;
        value = step->seconds;
        break;
    case NS_RESULT_QUANTITY:
        there = read_quantity(meter, history, &value);
        break;
    case NS_RESULT_TOKENS:
        there = read_tokens(meter, history, step->step, &value);
        break;
    case NS_RESULT_VALIDATION:
        there = meter->evaluations < ns_history_evaluations(history);
        if (there) value = ns_history_evaluation(history, meter->evaluations++)->loss;
        break;
    }
    if (!there && meter->result->kind == NS_RESULT_VALIDATION) return;
    if (!there || !isfinite(value)) value = NAN;
    if (meter->curve && meter->result->at == NS_RESULT_EVERY)
        g_array_append_val(meter->curve, value);
    if (isnan(value)) return;
    g_array_append_val(meter->values, value);
    if (step->step == meter->result->n) meter->at_step = value;
}

static double value_of(const Meter *meter)
{
    const double *values = (const double *)(void *)meter->values->data;
    size_t n = meter->values->len, last = MIN(n, (size_t)meter->result->n);
    double result = 0;
    switch (meter->result->at) {
    case NS_RESULT_STEP:
        return meter->at_step;
    case NS_RESULT_MINIMUM:
        result = NAN;
        for (size_t i = 0; i < n; i++) result = fmin(result, values[i]);
        return result;
    case NS_RESULT_LAST:
    case NS_RESULT_EVERY:
        for (size_t i = n - last; i < n; i++) result += values[i] / (double)last;
        return last ? result : (double)NAN;
    }
    return NAN;
}

/* ---- The run ---- */

static double mean_of_last(const NsHistory *history)
{
    size_t records = ns_history_steps(history), n = MIN(records, NS_CELL_LAST);
    double sum = 0;
    for (size_t k = records - n; k < records; k++) sum += ns_history_step(history, k)->loss;
    return sum / (double)n;
}

static void note_divergence(NsStudyCell *cell, const NsHistory *history)
{
    cell->state = NS_CELL_DIVERGED;
    for (size_t i = ns_history_events(history); i-- > 0;) {
        const NsEvent *event = ns_history_event(history, i);
        if (event->kind != NS_EVENT_DIVERGED) continue;
        ns_copy_text(cell->text, sizeof cell->text, event->text);
        return;
    }
}

/* Whether a rule ends the run here. */
static bool stops(const NsStopRules *stop, NsStudyCell *cell, double loss)
{
    bool below = loss<stop->loss_below, above = loss> stop->loss_above;
    if (below || above)
        g_snprintf(cell->text, sizeof cell->text,
                   "Stopped at step %" G_GINT64_FORMAT ": the training loss was %s %g.", cell->step,
                   below ? "below" : "above", below ? stop->loss_below : stop->loss_above);
    return below || above;
}

static NsStudyCell fail(const char *sentence)
{
    NsStudyCell cell = ns_cell_in(NS_CELL_FAILED);
    ns_copy_text(cell.text, sizeof cell.text, sentence);
    return cell;
}

static void finish(NsStudyCell *cell, NsRun *run, Meter *meter)
{
    if (ns_run_diverged(run))
        note_divergence(cell, ns_run_history(run));
    else {
        cell->state = NS_CELL_DONE;
        cell->loss = mean_of_last(ns_run_history(run));
        bool evaluate = cell->step > 0 || meter->result->kind == NS_RESULT_VALIDATION;
        if (evaluate) cell->validation = ns_run_evaluate(run);
        if (meter->result->kind == NS_RESULT_VALIDATION) look(meter, ns_run_history(run));
    }
    /* The end of a run that diverged is no result; what it had before is. */
    bool last = meter->result->at == NS_RESULT_LAST || meter->result->at == NS_RESULT_EVERY;
    if (cell->state == NS_CELL_DONE || !last) cell->value = value_of(meter);
}

static NsStudyCell train(NsRun *run, const NsCellWork *work, gint64 started)
{
    NsStudyCell cell = ns_cell_in(NS_CELL_RUNNING);
    g_auto(Meter) meter = {.result = &work->result,
                           .values = g_array_new(FALSE, FALSE, sizeof(double)),
                           .curve = has_curve(&work->result) ? work->curve : NULL,
                           .at_step = NAN};
    const NsHistory *history = ns_run_history(run);
    bool stopped = false;
    cell.first = ns_history_step(history, 0)->loss;
    look(&meter, history);
    while (!stopped && !ns_run_diverged(run) && cell.step < ns_run_settings(run)->steps) {
        bool goes = ns_run_step(run);
        cell.step = ns_run_steps(run);
        cell.seconds = (double)(g_get_monotonic_time() - started) / 1e6;
        if (work->progress && !work->progress(work->data, &cell))
            return ns_cell_in(NS_CELL_WAITING);
        if (!goes) break;
        look(&meter, history);
        stopped = stops(&work->stop, &cell,
                        ns_history_step(history, ns_history_steps(history) - 1)->loss);
    }
    finish(&cell, run, &meter);
    return cell;
}

NsStudyCell ns_cell_train(const NsSettings *settings, const NsCellWork *work)
{
    gint64 started = g_get_monotonic_time();
    NsSettings own;
    ns_settings_copy(&own, settings);
    prepare(&own, &work->result);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsRun) run = ns_run_new(&own, &error);
    ns_settings_clear(&own);
    NsStudyCell cell;
    if (!run)
        cell = fail(error->message);
    else if (work->result.kind == NS_RESULT_QUANTITY &&
             place_of(&work->result, ns_history_layout(ns_run_history(run))) < 0)
        cell = fail("The model of this cell has no such result; change the section [result].");
    else
        cell = train(run, work, started);
    if (cell.state > NS_CELL_RUNNING)
        cell.seconds = (double)(g_get_monotonic_time() - started) / 1e6;
    return cell;
}
