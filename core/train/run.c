/* SPDX-License-Identifier: MIT */
#include "core/train/run.h"

#include "core/ops/blas.h"
#include "core/train/optimizer.h"
#include "core/train/schedule.h"

#include <math.h>
#include <string.h>

struct NsRun {
    NsSettings settings;
    NsCorpus *corpus;
    NsPlan plan;
    NsModel *model;
    NsBatch batch, validation;
    ns_real *m, *v; /* Adam's moments: arenas */

    NsRecordLayout layout;
    NsHistory *history;
    float *values;                           /* [layout.width] */
    double *grad_sq, *weight_sq, *update_sq; /* [tensors] */
    double *layer_sq;                        /* [2, L] */

    int64_t steps;
    bool diverged;
};

/* ---- Divergence ---- */

static void diverge(NsRun *run, int layer, const char *what, const char *sentence)
{
    NsEvent event = {.step = run->steps, .kind = NS_EVENT_DIVERGED, .layer = layer};
    g_strlcpy(event.what, what, sizeof event.what);
    g_snprintf(event.text, sizeof event.text, "Diverged at step %" G_GINT64_FORMAT ": %s.",
               run->steps, sentence);
    ns_history_append_event(run->history, &event);
    run->diverged = true;
}

/* "blk3.ffn.w1 (layer 4)" */
static char *tensor_words(const NsTensor *tensor)
{
    if (tensor->layer < 0) return g_strdup(tensor->name);
    return g_strdup_printf("%s (layer %d)", tensor->name, tensor->layer + 1);
}

static void diverge_at_tensor(NsRun *run, size_t i, const char *format_before,
                              const char *format_after)
{
    const NsTensor *tensor = &ns_model_tensors(run->model)->tensors[i];
    g_autofree char *words = tensor_words(tensor);
    g_autofree char *sentence = g_strconcat(format_before, words, format_after, NULL);
    diverge(run, tensor->layer + 1, tensor->name, sentence);
}

/* The first value that is not finite, in the order in which a step computes them: the update that
 * led here, hidden states, loss, gradients from the last tensor back to the first. */
static void watch(NsRun *run, const NsMeasure *seen)
{
    const NsTensorTable *table = ns_model_tensors(run->model);
    for (size_t i = 0; i < table->n; i++)
        if (!isfinite(run->update_sq[i])) {
            diverge_at_tensor(run, i, "the update of ", " is not finite");
            return;
        }
    for (size_t l = 0; l <= run->layout.layers; l++)
        if (!isfinite(seen->hidden_sq[l])) {
            g_autofree char *sentence =
                l ? g_strdup_printf("the hidden state after layer %zu is not finite", l)
                  : g_strdup("the embedding is not finite");
            diverge(run, (int)l, l ? "hidden state" : "embedding", sentence);
            return;
        }
    if (run->layout.count[NS_QUANTITY_FINAL_SQ] && !isfinite(seen->final_sq)) {
        diverge(run, 0, "hidden state", "the hidden state after the final norm is not finite");
        return;
    }
    if (!isfinite(seen->loss)) {
        diverge(run, 0, "loss", "the loss is not finite");
        return;
    }
    for (size_t i = table->n; i-- > 0;)
        if (!isfinite(run->grad_sq[i])) {
            diverge_at_tensor(run, i, "the gradient of ", " is not finite");
            return;
        }
}

/* ---- The record of a step ---- */

static float *values_of(NsRun *run, NsQuantity quantity)
{
    return run->values + run->layout.offset[quantity];
}

/* Fewer gradients than this are squared before a second thread has woken. */
#define WORTH_SHARING ((size_t)1 << 20)

/* Squared gradient norms of all tensors; each is one thread's work. */
static void square_gradients(NsRun *run)
{
    const NsTensorTable *table = ns_model_tensors(run->model);
    const ns_real *gradients = ns_model_gradients(run->model);
    int threads = table->elements < WORTH_SHARING ? 1 : (int)run->plan.threads;
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        double norm = ns_real_norm(gradients + t->offset, ns_tensor_size(t));
        run->grad_sq[i] = norm * norm;
    }
}

/* Fills in the gradient norms, and returns the norm of all tensors together. */
static double record_gradients(NsRun *run)
{
    const NsTensorTable *table = ns_model_tensors(run->model);
    double total = 0, *layer_sq = run->layer_sq;
    memset(layer_sq, 0, run->layout.layers * sizeof *layer_sq);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        size_t l = t->layer < 0 ? 0 : (size_t)t->layer;
        values_of(run, (NsQuantity)t->role)[l] = (float)sqrt(run->grad_sq[i]);
        total += run->grad_sq[i];
        if (t->layer >= 0) layer_sq[l] += run->grad_sq[i];
    }
    float *layers = values_of(run, NS_QUANTITY_GRAD_LAYER);
    for (size_t l = 0; l < run->layout.layers; l++) layers[l] = (float)sqrt(layer_sq[l]);
    return sqrt(total);
}

static void record_updates(NsRun *run)
{
    const NsTensorTable *table = ns_model_tensors(run->model);
    size_t L = run->layout.layers;
    float *ratio = values_of(run, NS_QUANTITY_UPDATE_RATIO);
    if (run->steps == 0) {
        memset(ratio, 0, L * sizeof *ratio);
        return;
    }
    double *weight = run->layer_sq, *update = run->layer_sq + L;
    memset(run->layer_sq, 0, 2 * L * sizeof *run->layer_sq);
    for (size_t i = 0; i < table->n; i++) {
        int l = table->tensors[i].layer;
        if (l < 0) continue;
        weight[l] += run->weight_sq[i];
        update[l] += run->update_sq[i];
    }
    for (size_t l = 0; l < L; l++) ratio[l] = (float)sqrt(update[l] / weight[l]);
}

static void record_hidden(NsRun *run, const NsMeasure *seen)
{
    float *norm = values_of(run, NS_QUANTITY_HIDDEN_NORM),
          *sq = values_of(run, NS_QUANTITY_HIDDEN_SQ);
    for (size_t l = 0; l <= run->layout.layers; l++) {
        norm[l] = (float)seen->hidden_norm[l];
        sq[l] = (float)seen->hidden_sq[l];
    }
    if (run->layout.count[NS_QUANTITY_FINAL_SQ]) {
        *values_of(run, NS_QUANTITY_FINAL_NORM) = (float)seen->final_norm;
        *values_of(run, NS_QUANTITY_FINAL_SQ) = (float)seen->final_sq;
    }
}

/* Measures the present weights on the batch of this step; `started` is when the step began. */
static void measure(NsRun *run, double lr, int64_t started)
{
    const NsSettings *s = &run->settings;
    ns_corpus_train_batch(run->corpus, (uint64_t)s->data_seed, (uint64_t)run->steps, &run->batch);
    NsMeasure seen = ns_model_measure(run->model, &run->batch);
    square_gradients(run);

    NsStep step = {.step = run->steps, .loss = seen.loss, .lr = lr};
    step.grad_norm = record_gradients(run);
    record_hidden(run, &seen);
    record_updates(run);
    step.seconds = (double)(g_get_monotonic_time() - started) / 1e6;
    ns_history_append(run->history, &step, run->values);
    watch(run, &seen);

    bool due = s->eval_every > 0 && run->steps % s->eval_every == 0;
    if (due && !run->diverged) ns_run_evaluate(run);
}

/* ---- A step ---- */

/* Step 0, from weights that are as they were drawn. */
static void start(NsRun *run)
{
    int64_t started = g_get_monotonic_time();
    const NsTensorTable *table = ns_model_tensors(run->model);
    memset(run->m, 0, table->size * sizeof *run->m);
    memset(run->v, 0, table->size * sizeof *run->v);
    memset(run->update_sq, 0, table->n * sizeof *run->update_sq);
    run->steps = 0;
    run->diverged = false;
    ns_history_unref(run->history);
    run->history = ns_history_new(&run->layout, NS_HISTORY_BUDGET);
    measure(run, 0, started);
}

bool ns_run_step(NsRun *run)
{
    if (run->diverged) return false;
    int64_t started = g_get_monotonic_time();
    const NsSettings *s = &run->settings;
    run->steps++;
    double lr = ns_schedule_lr(s, run->steps);
    ns_adam_step(&(NsAdam){.beta1 = s->beta1, .beta2 = s->beta2, .eps = s->eps},
                 ns_model_tensors(run->model), ns_model_weights(run->model), run->m, run->v,
                 ns_model_gradients(run->model), lr, run->steps, run->plan.threads, run->weight_sq,
                 run->update_sq);
    measure(run, lr, started);
    return !run->diverged;
}

double ns_run_evaluate(NsRun *run)
{
    size_t n = ns_history_evaluations(run->history);
    if (n) {
        const NsEvaluation *last = ns_history_evaluation(run->history, n - 1);
        if (last->step == run->steps) return last->loss;
    }
    size_t batches = (size_t)run->settings.eval_batches;
    double sum = 0;
    for (size_t i = 0; i < batches; i++) {
        ns_corpus_validation_batch(run->corpus, i, batches, &run->validation);
        sum += ns_model_loss(run->model, &run->validation);
    }
    NsEvaluation evaluation = {.step = run->steps, .loss = sum / (double)batches};
    ns_history_append_evaluation(run->history, &evaluation);
    return evaluation.loss;
}

/* ---- Live changes ---- */

static void note_change(NsRun *run, const char *key, const NsSettings *before)
{
    const NsParam *param = ns_param_find(key);
    g_autofree char *was = ns_settings_get(before, param);
    g_autofree char *is = ns_settings_get(&run->settings, param);
    if (g_str_equal(was, is)) return;
    NsEvent event = {.step = run->steps + 1, .kind = NS_EVENT_SETTING};
    g_strlcpy(event.what, key, sizeof event.what);
    g_snprintf(event.text, sizeof event.text,
               "%s changed from %s to %s at step %" G_GINT64_FORMAT ".", param->label, was, is,
               event.step);
    ns_history_append_event(run->history, &event);
}

static double within_range(const char *key, double value, double present)
{
    const NsParam *param = ns_param_find(key);
    return isnan(value) ? present : CLAMP(value, param->least, param->most);
}

void ns_run_set_live(NsRun *run, double lr, int64_t warmup, unsigned schedule)
{
    NsSettings before = run->settings; /* borrows the texts */
    run->settings.lr = within_range("lr", lr, before.lr);
    run->settings.warmup = (int64_t)within_range("warmup", (double)warmup, 0);
    if (ns_schedule(schedule)) run->settings.schedule = schedule;
    note_change(run, "lr", &before);
    note_change(run, "warmup", &before);
    note_change(run, "schedule", &before);
}

/* ---- Life ---- */

/* Opens the text and allocates what the plan has found room for. */
static bool prepare(NsRun *run, GError **error)
{
    const NsSettings *s = &run->settings;
    if (!ns_settings_check(s, error)) return false;
    run->corpus = ns_corpus_open(s, error);
    if (!run->corpus) return false;
    run->plan = ns_model_plan(s, run->corpus->V);
    if (!ns_plan_check(&run->plan, error)) return false;
    run->model = ns_model_new(s, run->corpus->V, error);
    if (!run->model) return false;

    const NsTensorTable *table = ns_model_tensors(run->model);
    run->m = ns_real_new(table->size, "first moments", error);
    if (!run->m) return false;
    run->v = ns_real_new(table->size, "second moments", error);
    if (!run->v) return false;

    bool final_norm = ns_tensor_find(table, "final_norm.gain") != NULL;
    ns_record_layout_init(&run->layout, table, ns_model_layers(run->model), final_norm);
    run->values = g_new(float, run->layout.width);
    for (size_t i = 0; i < run->layout.width; i++) run->values[i] = NAN;
    run->grad_sq = g_new0(double, table->n);
    run->weight_sq = g_new0(double, table->n);
    run->update_sq = g_new0(double, table->n);
    run->layer_sq = g_new0(double, 2 * run->layout.layers);
    ns_batch_init(&run->batch, (size_t)s->batch, (size_t)s->seq);
    ns_batch_init(&run->validation, (size_t)s->batch, (size_t)s->seq);
    return true;
}

NsRun *ns_run_new(const NsSettings *settings, GError **error)
{
    ns_blas_init();
    g_autoptr(NsRun) run = g_new0(NsRun, 1);
    ns_settings_copy(&run->settings, settings);
    if (!prepare(run, error)) return NULL;
    start(run);
    return g_steal_pointer(&run);
}

void ns_run_free(NsRun *run)
{
    if (!run) return;
    ns_history_unref(run->history);
    ns_batch_clear(&run->batch);
    ns_batch_clear(&run->validation);
    ns_real_free(run->m);
    ns_real_free(run->v);
    g_free(run->values);
    g_free(run->grad_sq);
    g_free(run->weight_sq);
    g_free(run->update_sq);
    g_free(run->layer_sq);
    ns_model_free(run->model);
    g_clear_pointer(&run->corpus, ns_corpus_unref);
    ns_settings_clear(&run->settings);
    g_free(run);
}

void ns_run_reset(NsRun *run)
{
    ns_model_reset(run->model);
    start(run);
}

bool ns_run_diverged(const NsRun *run)
{
    return run->diverged;
}

int64_t ns_run_steps(const NsRun *run)
{
    return run->steps;
}

NsHistory *ns_run_history(NsRun *run)
{
    return run->history;
}

NsModel *ns_run_model(NsRun *run)
{
    return run->model;
}

const NsCorpus *ns_run_corpus(const NsRun *run)
{
    return run->corpus;
}

const NsSettings *ns_run_settings(const NsRun *run)
{
    return &run->settings;
}

NsPlan ns_run_plan(const NsRun *run)
{
    return run->plan;
}

const NsBatch *ns_run_batch(const NsRun *run)
{
    return &run->batch;
}
