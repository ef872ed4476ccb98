/* SPDX-License-Identifier: MIT */
#include "core/study/cell.h"

#include "core/base/copy.h"
#include "core/probe/token_snapshot.h"
#include "core/train/finetune.h"
#include "core/train/run.h"

#include <math.h>
#include <string.h>

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

bool ns_result_is_downstream(const NsResult *result)
{
    return result->kind == NS_RESULT_ENTAILMENT || result->kind == NS_RESULT_PARAPHRASE;
}

static bool is_bleu(const NsResult *result)
{
    return result->kind == NS_RESULT_QUANTITY && result->quantity == NS_QUANTITY_BLEU;
}

bool ns_result_is_validated(const NsResult *result)
{
    return result->kind == NS_RESULT_VALIDATION || is_bleu(result) ||
           ns_result_is_downstream(result);
}

bool ns_results_are_validated(const NsResults *results)
{
    bool any = false;
    for (size_t i = 0; i < results->n; i++) any |= ns_result_is_validated(&results->of[i]);
    return any;
}

int ns_result_direction(const NsResult *result)
{
    if (ns_result_is_loss(result)) return -1;
    return is_bleu(result) || ns_result_is_downstream(result);
}

bool ns_result_is_measured_every(const NsResult *result, const char *key)
{
    if (result->kind == NS_RESULT_TOKENS) return g_str_equal(key, "probe-every");
    return result->kind == NS_RESULT_QUANTITY &&
           g_strcmp0(ns_quantity(result->quantity)->every, key) == 0;
}

/* An interval of measuring: 0 if no result needs it; otherwise the given one or, if that is 0, the
 * step of the result, which is the last one by default. */
static int64_t interval_of(const NsCellWork *work, const char *key, int64_t given, int64_t steps)
{
    int64_t at = steps;
    bool any = false;
    for (size_t i = 0; i < work->results.n; i++) {
        const NsResult *result = &work->results.of[i];
        if (!ns_result_is_measured_every(result, key)) continue;
        if (result->at == NS_RESULT_STEP) at = result->n;
        any = true;
    }
    return !any ? 0 : given > 0 ? given : MAX(at, 1);
}

/* ---- The result ---- */

/* The values of one result so far. */
typedef struct {
    const NsResult *result;
    GArray *values; /* double, for the records that have a value */
    GArray *curve;  /* double */
    double at_step; /* for NS_RESULT_STEP; NaN before this step */
    size_t evaluations;
    NsCorpus *pairs; /* sentence pairs for fine-tuning; NULL before the first use */
} Meter;

/* A run and the meters of its results. */
typedef struct {
    const NsCellWork *work;
    NsRun *run;
    NsStudyCell cell;
    gint64 started;
    bool ended; /* `progress` has ended the run */
    Meter meters[NS_RESULTS_MAX];
} Training;

static void training_clear(Training *training)
{
    for (size_t i = 0; i < training->work->results.n; i++) {
        g_array_unref(training->meters[i].values);
        g_array_unref(training->meters[i].curve);
        g_clear_pointer(&training->meters[i].pairs, ns_corpus_unref);
    }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Training, training_clear)

/* The index of the result among the values of its quantity; -1 if the model does not have it. */
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

/* Prepares the curve of a single record, which replaces that of the previous one.  NULL if the
 * curve is over steps. */
static double *new_curve(const Meter *meter, size_t n)
{
    if (meter->result->at == NS_RESULT_EVERY) return NULL;
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

/* Computes the fraction of tokens in each bin; the last bin includes all larger values. */
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
        if (bin >= NS_CELL_BEYOND_BIN) *value += share;
    }
    return true;
}

/* ---- Downstream tasks ---- */

static bool report_progress(void *data)
{
    Training *training = data;
    const NsCellWork *work = training->work;
    training->cell.seconds = (double)(g_get_monotonic_time() - training->started) / 1e6;
    bool continues = !work->progress || work->progress(work->data, &training->cell);
    training->ended |= !continues;
    return continues;
}

/* Measures the accuracy after fine-tuning from the current weights.  Returns false if `progress`
 * ended it or there is not enough memory. */
static bool finetune(Training *training, Meter *meter, double *value)
{
    NsRun *run = training->run;
    const NsSettings *pretraining = &run->settings;
    bool entailment = meter->result->kind == NS_RESULT_ENTAILMENT;
    NsLabeledLeftOut left_out;
    if (!meter->pairs)
        meter->pairs = ns_labeled_new_generated(
            run->corpus, entailment ? NS_ENTAILMENT : NS_PARAPHRASE,
            (uint64_t)pretraining->data_seed, NS_CELL_FINETUNE_PAIRS, &left_out);
    int64_t steps = meter->result->finetune;
    g_auto(NsSettings) settings;
    g_autoptr(NsCheckpoint) weights = ns_run_checkpoint(run, NULL);
    ns_finetune_settings(&settings, pretraining, steps ? steps : NS_CELL_FINETUNE_STEPS);
    const NsFinetuning finetuning = {&settings, meter->pairs, weights, report_progress, training};
    NsFinetuned tuned = {0};
    bool good = weights && ns_finetune(&finetuning, &tuned, NULL);
    *value = tuned.accuracy;
    return good;
}

/* ---- Records ---- */

/* Reads the result from the newest record; a validated result only after a new evaluation. */
static void look(Training *training, Meter *meter)
{
    const NsHistory *history = training->run->history;
    const NsStep *step = ns_history_step(history, ns_history_steps(history) - 1);
    const NsResult *result = meter->result;
    if (result->at == NS_RESULT_STEP && step->step != result->n) return;
    bool validated = ns_result_is_validated(result), there = true;
    size_t evaluations = ns_history_evaluations(history);
    if (validated && meter->evaluations >= evaluations) return;
    if (validated) meter->evaluations = evaluations;
    double value = NAN;
    switch (result->kind) {
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
    case NS_RESULT_MEMORY:
        value = (double)training->run->plan.total_bytes;
        break;
    case NS_RESULT_QUANTITY:
        there = read_quantity(meter, history, &value);
        break;
    case NS_RESULT_TOKENS:
        there = read_tokens(meter, history, step->step, &value);
        break;
    case NS_RESULT_VALIDATION:
        value = ns_history_evaluation(history, meter->evaluations - 1)->loss;
        break;
    case NS_RESULT_ENTAILMENT:
    case NS_RESULT_PARAPHRASE:
        there = finetune(training, meter, &value);
        break;
    }
    if (!there || !isfinite(value)) value = NAN;
    if (result->at == NS_RESULT_EVERY) g_array_append_val(meter->curve, value);
    if (isnan(value)) return;
    g_array_append_val(meter->values, value);
    if (step->step == result->n) meter->at_step = value;
}

static void look_all(Training *training)
{
    for (size_t i = 0; i < training->work->results.n; i++) look(training, &training->meters[i]);
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

static void finish(Training *training)
{
    NsStudyCell *cell = &training->cell;
    const NsHistory *history = training->run->history;
    bool validated = ns_results_are_validated(&training->work->results);
    if (training->run->diverged) {
        cell->state = NS_CELL_DIVERGED;
        const NsEvent *event = ns_history_last_event(history, NS_EVENT_DIVERGED);
        if (event) ns_copy_text(cell->text, sizeof cell->text, event->text);
    } else {
        cell->state = NS_CELL_DONE;
        size_t records = ns_history_steps(history), n = MIN(records, NS_CELL_LAST);
        double sum = 0;
        for (size_t k = records - n; k < records; k++) sum += ns_history_step(history, k)->loss;
        cell->loss = sum / (double)n;
        if (cell->step > 0 || validated) cell->validation = ns_run_evaluate(training->run);
        for (size_t i = 0; i < training->work->results.n; i++)
            if (ns_result_is_validated(training->meters[i].result))
                look(training, &training->meters[i]);
    }
    /* If a run diverged, its last values are not a result; a minimum or the value at an earlier
     * step is. */
    const Meter *first = &training->meters[0];
    bool last = first->result->at == NS_RESULT_LAST || first->result->at == NS_RESULT_EVERY;
    if (cell->state == NS_CELL_DONE || !last) cell->value = value_of(first);
    /* Copy the curve to the caller.  For several results, it has all values of each point next to
     * each other, and NaN if a result has fewer points. */
    size_t results = training->work->results.n, n = 0;
    GArray *curve = training->work->curve;
    bool every = training->work->results.of[0].at == NS_RESULT_EVERY;
    /* A single result has a curve over steps, layers or, for tokens, the bins of
     * core/probe/token_snapshot.h. */
    const NsResult *result = &training->work->results.of[0];
    bool has_curve =
        every || result->layer == NS_LAYER_ALL || result->kind == NS_RESULT_TOKENS || results != 1;
    if (!curve || !has_curve) return;
    for (size_t i = 0; i < results; i++) n = MAX(n, training->meters[i].curve->len);
    if (results > 1 && !every) n = 1;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < results; i++) {
            const Meter *meter = &training->meters[i];
            double value = results > 1 && !every ? value_of(meter) : (double)NAN;
            if (k < meter->curve->len) value = g_array_index(meter->curve, double, k);
            g_array_append_val(curve, value);
        }
}

static bool takes_step(Training *training)
{
    NsRun *run = training->run;
    if (run->diverged || training->cell.step >= run->settings.steps) return false;
    bool continues = ns_run_step(run);
    training->cell.step = run->steps;
    if (!report_progress(training) || !continues) return false;
    look_all(training);
    const NsHistory *history = run->history;
    const NsStopRules *stop = &training->work->stop;
    double loss = ns_history_step(history, ns_history_steps(history) - 1)->loss;
    bool below = loss<stop->loss_below, above = loss> stop->loss_above;
    if (!training->ended && (below || above))
        g_snprintf(training->cell.text, sizeof training->cell.text,
                   "Stopped at step %" G_GINT64_FORMAT ": the training loss was %s %g.",
                   training->cell.step, below ? "below" : "above",
                   below ? stop->loss_below : stop->loss_above);
    return !training->ended && !below && !above;
}

static NsStudyCell train(NsRun *run, const NsCellWork *work, gint64 started)
{
    g_auto(Training) training = {
        .work = work, .run = run, .cell = ns_cell_in(NS_CELL_RUNNING), .started = started};
    for (size_t i = 0; i < MIN(work->results.n, NS_RESULTS_MAX); i++)
        training.meters[i] = (Meter){.result = &work->results.of[i],
                                     .values = g_array_new(FALSE, FALSE, sizeof(double)),
                                     .curve = g_array_new(FALSE, FALSE, sizeof(double)),
                                     .at_step = NAN};
    training.cell.first = ns_history_step(run->history, 0)->loss;
    look_all(&training);
    while (takes_step(&training)) continue;
    if (!training.ended) finish(&training);
    return training.ended ? ns_cell_in(NS_CELL_WAITING) : training.cell;
}

/* Returns NULL, or the reason why the run cannot have these results. */
static const char *refusal(const NsCellWork *work, NsRun *run)
{
    for (size_t i = 0; i < work->results.n; i++) {
        const NsResult *result = &work->results.of[i];
        if (result->kind == NS_RESULT_QUANTITY &&
            place_of(result, ns_history_layout(run->history)) < 0)
            return "The model of this cell has no such result; change the section [result].";
        if (ns_result_is_downstream(result) && !ns_finetune_can(run->corpus))
            return "The vocabulary of this cell cannot tokenize the sentences of the fine-tuning; "
                   "choose tokenizer=char or bpe and a text of several lines.";
    }
    return NULL;
}

NsStudyCell ns_cell_train(const NsSettings *settings, const NsCellWork *work)
{
    gint64 started = g_get_monotonic_time();
    g_auto(NsSettings) own;
    ns_settings_copy(&own, settings);
    /* A cell measures only what the results need; expensive quantities only at the step that
     * counts, or as often as the settings specify. */
    bool often = false, bleu = false;
    for (size_t i = 0; i < work->results.n; i++) {
        const NsResult *result = &work->results.of[i];
        often |= ns_result_is_validated(result) &&
                 (result->at == NS_RESULT_MINIMUM || result->at == NS_RESULT_EVERY);
        bleu |= is_bleu(result);
    }
    own.threads = 1;
    own.seeds = 1;
    if (!often && !bleu) own.eval_every = 0;
    if (!bleu) own.bleu_sentences = 0;
    own.sample_every = 0;
    own.probe_every = interval_of(work, "probe-every", own.probe_every, own.steps);
    own.curvature_every = interval_of(work, "curvature-every", own.curvature_every, own.steps);
    own.sharpness_every =
        interval_of(work, "layer-sharpness-every", own.sharpness_every, own.steps);
    own.ablation_every = interval_of(work, "ablation-every", own.ablation_every, own.steps);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsRun) run = ns_run_new(&own, &error);
    const char *refused = run ? refusal(work, run) : error->message;
    NsStudyCell cell = refused ? ns_cell_in(NS_CELL_FAILED) : train(run, work, started);
    if (refused) ns_copy_text(cell.text, sizeof cell.text, refused);
    if (cell.state > NS_CELL_RUNNING)
        cell.seconds = (double)(g_get_monotonic_time() - started) / 1e6;
    return cell;
}
