/* SPDX-License-Identifier: MIT */
#include "core/train/run.h"

#include "core/base/clock.h"
#include "core/base/digits.h"
#include "core/base/words.h"
#include "core/data/task.h"
#include "core/experiment/param.h"
#include "core/optim/schedule.h"
#include "core/train/continuation.h"
#include "core/train/divergence.h"
#include "core/train/translate.h"

#include <math.h>
#include <string.h>

/* The seeds of a lane share one memory budget. */
static size_t budget_of(const NsRun *run)
{
    return NS_HISTORY_BUDGET / (size_t)run->settings.seeds;
}

/* ---- The record of a step ---- */

static void watch(NsRun *run, const NsMeasure *seen)
{
    const NsWatch watch = {
        .table = ns_model_tensors(run->model),
        .seen = seen,
        .updates = run->updates,
        .v = run->v_may_overflow ? run->v : NULL,
        .first_stack = (size_t)run->settings.layers,
        .final_norm = ns_recorder_layout(run->recorder)->count[NS_QUANTITY_FINAL_SQ] > 0,
        .step = run->steps,
    };
    NsEvent event;
    if (!ns_watch(&watch, &event)) return;
    ns_bands_describe(&run->bands, watch.table, watch.first_stack, &event);
    ns_history_append_event(run->history, &event);
    run->diverged = true;
}

/* Appends the record of a step that began at `started` (monotonic time). */
static void record_step(NsRun *run, const NsRecordInput *input, int64_t started)
{
    NsRecord record = ns_recorder_fill(run->recorder, input);
    run->grad_norm = record.grad_norm;
    NsStep step = {
        .step = run->steps,
        .loss = input->seen->loss,
        .lr = run->lr,
        .grad_norm = record.grad_norm,
        .seconds = (double)(g_get_monotonic_time() - started) / 1e6,
        .probe_seconds = record.probe_seconds,
    };
    if (record.similarity) ns_history_publish_similarity(run->history, record.similarity);
    if (record.token_snapshot)
        ns_history_publish_token_snapshot(run->history, record.token_snapshot);
    ns_history_append(run->history, &step, record.values);
    ns_bands_add(&run->bands, input->seen, run->updates);
    watch(run, input->seen);
    NsEvent event;
    run->spikes_before = run->spikes;
    if (run->diverged) return;
    if (ns_spikes_watch(&run->spikes, &step, ns_batch_targets(&run->batch), &event)) {
        /* Name what left its usual range before a jump, or else the tensor with the largest
         * gradient. */
        const NsTensorTable *table = ns_model_tensors(run->model);
        if (!ns_bands_describe(&run->bands, table, (size_t)run->settings.layers, &event)) {
            size_t largest = 0;
            for (size_t i = 1; i < table->n; i++)
                if (input->seen->grad_sq[i] > input->seen->grad_sq[largest]) largest = i;
            const NsTensor *tensor = &table->tensors[largest];
            event.layer = tensor->layer + 1;
            g_autofree char *jump = g_strdup(event.text), *words = ns_tensor_words(tensor);
            ns_event_describe(&event, N_("%s The largest gradient is that of %s."), jump, words);
        }
        ns_history_append_event(run->history, &event);
    }
    if (ns_first_loss_watch(&step, run->baselines, &event))
        ns_history_append_event(run->history, &event);
    if (ns_plateau_watch(&run->spikes, &step, run->baselines, &event))
        ns_history_append_event(run->history, &event);
}

/* Whether something is due that is measured at multiples of `every` steps; 0: never. */
static bool is_due(const NsRun *run, int64_t every)
{
    return !run->unmeasured && every > 0 && run->steps % every == 0;
}

/* Measures the validation BLEU of the current weights, if it is due; also at the last step, because
 * a record cannot be extended later.  False if it is not due, or there is no memory for it. */
static bool measure_bleu(NsRun *run, double *bleu)
{
    const NsSettings *s = &run->settings;
    bool last = !run->unmeasured && s->steps > 0 && run->steps == s->steps;
    if (!ns_recorder_layout(run->recorder)->count[NS_QUANTITY_BLEU]) return false;
    if (!last && !is_due(run, s->eval_every)) return false;
    return ns_translate_held_out(run->model, run->corpus, (size_t)s->bleu_sentences, bleu, NULL);
}

/* Appends how the current weights continue the prompt, if it is due; nothing if there is no memory
 * for it. */
static void continue_prompt(NsRun *run)
{
    const NsSettings *s = &run->settings;
    if (!run->prompt || run->diverged || !is_due(run, s->sample_every)) return;
    NsContinuation continuation = {.step = run->steps};
    if (ns_continue(run->model, run->corpus, s, run->prompt, &continuation, NULL))
        ns_history_append_continuation(run->history, &continuation);
}

/* Measures the current weights on the batch of this step. */
static void measure(NsRun *run, int64_t started)
{
    const NsSettings *s = &run->settings;
    double bleu;
    bool has_bleu = measure_bleu(run, &bleu);
    NsClockMark mark = ns_clock_begin();
    ns_corpus_train_batch(run->corpus, (uint64_t)s->data_seed, (uint64_t)run->steps, &run->batch);
    ns_clock_end(mark, NS_OP_DATA);
    const ns_real *state = ns_model_state(run->model, &run->n_state);
    if (run->n_state) memcpy(run->state, state, run->n_state * sizeof *state);
    /* The first sentence of the batch, whose attention is stored. */
    g_autofree char *translation =
        is_due(run, s->probe_every) && ns_task_translates(s)
            ? ns_translate_sentence(run->model, run->corpus, run->batch.source,
                                    (size_t)run->batch.source_length[0])
            : NULL;
    int64_t sharpness_started = g_get_monotonic_time();
    bool sharp = is_due(run, s->sharpness_every);
    if (sharp)
        ns_curvature_by_layer(run->curvature_probe, run->model, &run->batch, run->layer_sharpness);
    NsNoise noise = ns_run_noise(run);
    NsMeasure seen = {0};
    const NsRecordInput input = {
        .model = run->model,
        .settings = s,
        .corpus = run->corpus,
        .batch = &run->batch,
        .noise = &noise,
        .seen = &seen,
        .step = run->steps,
        .bleu = has_bleu ? &bleu : NULL,
        .translation = translation,
        .updated = run->steps > 0,
        .updates = run->updates,
        .curvature = &run->curvature,
        .lr = run->lr,
        .sharpness = sharp ? run->layer_sharpness : NULL,
        .sharpness_seconds = sharp ? (double)(g_get_monotonic_time() - sharpness_started) / 1e6 : 0,
    };
    mark = ns_clock_begin();
    if (!run->unmeasured) ns_recorder_run_probe_batches(run->recorder, &input);
    ns_clock_end(mark, NS_OP_MEASURE);
    seen = ns_model_measure(run->model, &run->batch, &noise);
    mark = ns_clock_begin();
    if (!run->unmeasured)
        record_step(run, &input, started);
    else if (s->clip > 0)
        run->grad_norm = ns_record_gradient_norm(ns_model_tensors(run->model), seen.grad_sq);
    ns_clock_end(mark, NS_OP_MEASURE);

    if (is_due(run, s->eval_every) && !run->diverged) ns_run_evaluate(run);
    mark = ns_clock_begin();
    continue_prompt(run);
    ns_clock_end(mark, NS_OP_MEASURE);
}

/* ---- A step ---- */

bool ns_run_step(NsRun *run)
{
    if (run->diverged) return false;
    int64_t started = g_get_monotonic_time();
    run->steps++;
    run->lr = ns_schedule_lr(&run->settings, run->steps);
    int64_t every = run->settings.curvature_every;
    bool curved = every > 0 && !run->unmeasured && (run->steps == 1 || run->steps % every == 0);
    if (curved) ns_curvature_begin(run->curvature_probe, run->model);
    NsClockMark mark = ns_clock_begin();
    const NsUpdate update = {
        .settings = &run->settings,
        .table = ns_model_tensors(run->model),
        .w = ns_model_weights(run->model),
        .m = run->m,
        .v = run->v,
        .scratch = run->scratch,
        .g = ns_model_gradients(run->model),
        .lr = run->lr,
        .grad_norm = run->grad_norm,
        .step = run->steps,
        .moments_since = run->moments_since,
        .team = ns_model_team(run->model),
        .tensors = run->updates,
        .ratios = run->optimizer->adam_moments && !run->unmeasured,
    };
    run->optimizer->step(&update);
    /* Whether a second moment may have overflowed in the last update.  A second moment is a mean of
     * squares of the gradient, to which weight decay may have been added; it is finite unless one
     * of these was near the square root of the largest number.  Thanks to this bound, most steps
     * need not inspect all second moments. */
    const double near_root = 1e18;
    double weight_sq = 0;
    for (size_t i = 0; i < ns_model_tensors(run->model)->n; i++)
        weight_sq += run->updates[i].weight_sq;
    run->v_may_overflow =
        !(run->grad_norm + run->settings.weight_decay * sqrt(weight_sq) < near_root);
    ns_clock_end(mark, NS_OP_OPTIMIZER);
    mark = ns_clock_begin();
    run->curvature = (NsCurvature){.measured = false};
    if (curved) {
        run->curvature =
            ns_curvature_measure(run->curvature_probe, run->model, &run->batch, &update);
        ns_history_publish_along(run->history, ns_curvature_along(run->curvature_probe));
    }
    ns_clock_end(mark, NS_OP_MEASURE);
    measure(run, started);
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
    double sum = 0, targets = 0;
    for (size_t i = 0; i < batches; i++) {
        ns_corpus_validation_batch(run->corpus, i, batches, &run->validation);
        double counted = (double)ns_batch_targets(&run->validation);
        if (counted > 0) sum += counted * ns_model_loss(run->model, &run->validation);
        targets += counted;
    }
    NsEvaluation evaluation = {.step = run->steps, .loss = sum / targets};
    ns_history_append_evaluation(run->history, &evaluation);
    return evaluation.loss;
}

void ns_run_set_measuring(NsRun *run, bool measuring)
{
    if (run->unmeasured == !measuring) return;
    run->unmeasured = !measuring;
    ns_model_set_measuring(run->model, measuring                ? NS_MEASURING_ALL
                                       : run->settings.clip > 0 ? NS_MEASURING_GRADIENTS
                                                                : NS_MEASURING_LOSS);
    if (run->unmeasured) return;
    ns_history_unref(run->history);
    run->history =
        ns_history_new(ns_recorder_layout(run->recorder), budget_of(run), run->steps + 1);
    ns_history_set_baselines(run->history, run->baselines);
}

/* ---- Changed settings ---- */

/* A pointer to a field of NsSettings. */
typedef union {
    int64_t *integer;
    double *real;
    unsigned *choice;
} Field;

static void copy_setting(NsSettings *to, double value, const NsParam *param)
{
    Field field = {.integer = (void *)((char *)to + param->offset)};
    switch (param->type) {
    case NS_PARAM_INT:
        *field.integer = (int64_t)CLAMP(value, param->least, param->most);
        return;
    case NS_PARAM_REAL:
        if (!isnan(value)) *field.real = CLAMP(value, param->least, param->most);
        return;
    case NS_PARAM_CHOICE:
        if (param->choices((size_t)value)) *field.choice = (unsigned)value;
        return;
    case NS_PARAM_TEXT:
        return;
    }
}

bool ns_live_differs(const NsSettings *a, const NsSettings *b)
{
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        if (param->effect != NS_EFFECT_LIVE || param->type == NS_PARAM_TEXT) continue;
        if (ns_settings_get_number(a, param) != ns_settings_get_number(b, param)) return true;
    }
    return false;
}

bool ns_live_copy(NsSettings *to, const NsSettings *from)
{
    bool changed = false;
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        if (param->effect != NS_EFFECT_LIVE || param->type == NS_PARAM_TEXT) continue;
        double before = ns_settings_get_number(to, param);
        copy_setting(to, ns_settings_get_number(from, param), param);
        changed |= ns_settings_get_number(to, param) != before;
    }
    return changed;
}

bool ns_live_only(const NsSettings *a, const NsSettings *b)
{
    for (size_t i = 0; ns_param(i); i++) {
        const NsParam *param = ns_param(i);
        bool how_long = ns_param_is_of_run(param) && param->effect == NS_EFFECT_FORK;
        if (param->effect == NS_EFFECT_LIVE || how_long) continue;
        if (!ns_settings_same(a, b, param)) return false;
    }
    return true;
}

/* The label of a choice, the word for no amount and grouped digits, as in the window. */
static char *value_words(const NsParam *param, const char *value)
{
    const char *word = ns_param_word(param, value);
    if (word) return g_strdup(word);
    if (param->type == NS_PARAM_INT) return ns_group_plain(value);
    int choice = param->choices ? ns_choices_find(param->choices, value) : -1;
    return g_strdup(choice >= 0 ? _(param->choices((size_t)choice)->label) : value);
}

static void note_change(NsRun *run, const NsParam *param, const NsSettings *before, int64_t step)
{
    g_autofree char *was = ns_settings_get(before, param);
    g_autofree char *is = ns_settings_get(&run->settings, param);
    if (g_str_equal(was, is)) return;
    NsEvent event = {.step = step, .kind = NS_EVENT_SETTING};
    g_strlcpy(event.what, param->key, sizeof event.what);
    g_autofree char *at = ns_group_digits(step);
    g_autofree char *old = value_words(param, was), *now = value_words(param, is);
    bool over =
        g_str_equal(param->key, "warmup") && step >= MAX(before->warmup, run->settings.warmup);
    ns_event_describe(&event,
                      over ? N_("%s changed from %s to %s at step %s, when it was over: the "
                                "learning rate stays the same. Reset to see its effect.")
                           : N_("%s changed from %s to %s at step %s."),
                      _(param->label), old, now, at);
    ns_history_append_event(run->history, &event);
}

void ns_run_set_live(NsRun *run, const NsSettings *settings)
{
    NsSettings before = run->settings; /* borrows the texts */
    if (!ns_live_copy(&run->settings, settings)) return;
    if (run->steps == 0 && !run->origin) return; /* no step was made with the old settings */
    for (size_t i = 0; ns_param(i); i++)
        if (ns_param(i)->effect == NS_EFFECT_LIVE)
            note_change(run, ns_param(i), &before, run->steps + 1);
}

/* ---- Checkpoints ---- */

/* Copies n elements to new memory; true also if there is nothing to copy. */
static bool keep(ns_real **to, const ns_real *from, size_t n, GError **error)
{
    if (!from || !n) return true;
    *to = ns_real_new(n, "a checkpoint", error);
    if (!*to) return false;
    memcpy(*to, from, n * sizeof **to);
    return true;
}

NsCheckpoint *ns_run_checkpoint(NsRun *run, GError **error)
{
    const NsTensorTable *table = ns_model_tensors(run->model);
    g_autoptr(NsCheckpoint) s = ns_checkpoint_new(run->experiment, &run->settings);
    s->corpus = ns_corpus_ref(run->corpus);
    s->table = *table;
    s->table.tensors = g_memdup2(table->tensors, table->n * sizeof *table->tensors);
    s->moments_since = g_memdup2(run->moments_since, table->n * sizeof *run->moments_since);
    s->updates = g_memdup2(run->updates, table->n * sizeof *run->updates);
    s->lr = run->lr;
    s->step = run->steps;
    s->diverged = run->diverged;
    s->spikes = run->spikes_before;
    ns_bands_copy(&s->bands, &run->bands);
    /* Without the newest record, which is measured again. */
    if (s->bands.n > 0) s->bands.n--;
    s->curvature = run->curvature;
    s->n_state = run->n_state;
    bool enough = keep(&s->w, ns_model_weights(run->model), table->size, error) &&
                  keep(&s->m, run->m, table->size, error) &&
                  keep(&s->v, run->v, table->size, error) &&
                  keep(&s->state, run->state, s->n_state, error);
    return enough ? g_steal_pointer(&s) : NULL;
}

size_t ns_run_checkpoint_size(const NsRun *run)
{
    size_t arenas = 1 + run->optimizer->moments;
    return (arenas * ns_model_tensors(run->model)->size + run->n_state) * sizeof(ns_real);
}

static void copy_tensor(ns_real *to, const NsTensor *at, const ns_real *from,
                        const NsTensor *source)
{
    if (to && from) memcpy(to + at->offset, from + source->offset, ns_tensor_size(at) * sizeof *to);
}

/* Takes over the state of the origin; the run must be as at step 0. */
static void restore(NsRun *run)
{
    const NsCheckpoint *s = run->origin;
    const NsTensorTable *table = ns_model_tensors(run->model);
    /* Maps the name of a tensor to its index + 1, so that 0 means absent. */
    g_autoptr(GHashTable) index = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < s->table.n; i++)
        g_hash_table_insert(index, s->table.tensors[i].name, GSIZE_TO_POINTER(i + 1));
    unsigned before = s->settings.optimizer, now = run->settings.optimizer;
    bool moments = before == now || (ns_optimizer(before)->adam_moments && /* of the same kind */
                                     ns_optimizer(now)->adam_moments);
    size_t fitting = 0;
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        size_t found = GPOINTER_TO_SIZE(g_hash_table_lookup(index, t->name));
        const NsTensor *source = found ? &s->table.tensors[found - 1] : NULL;
        bool fits = source && source->rows == t->rows && source->cols == t->cols;
        run->moments_since[i] = fits && moments ? s->moments_since[found - 1] : s->step;
        if (!fits) continue;
        fitting++;
        copy_tensor(ns_model_weights(run->model), t, s->w, source);
        if (moments) {
            copy_tensor(run->m, t, s->m, source);
            copy_tensor(run->v, t, s->v, source);
        }
        run->updates[i] = s->updates[found - 1];
    }

    ns_real *state = ns_model_state(run->model, &run->n_state);
    if (run->n_state && run->n_state == s->n_state && fitting == table->n && fitting == s->table.n)
        memcpy(state, s->state, run->n_state * sizeof *state);
    run->steps = s->step;
    run->lr = s->lr;
    run->curvature = s->curvature;
    /* A different model has a different loss, which is not a jump. */
    if (!ns_live_only(&s->settings, &run->settings)) return;
    run->spikes = s->spikes;
    /* A file may be damaged: its numbers of tensors and states must be those of the model. */
    if (s->bands.ring && s->bands.tensors == run->bands.tensors &&
        s->bands.hidden == run->bands.hidden)
        ns_bands_copy(&run->bands, &s->bands);
    run->diverged = s->diverged;
}

/* ---- Life ---- */

/* Sets the run to its beginning and measures the first record; the weights must be as initialized.
 */
static void begin(NsRun *run)
{
    int64_t started = g_get_monotonic_time();
    const NsTensorTable *table = ns_model_tensors(run->model);
    if (run->m) ns_real_clear(run->m, table->size);
    if (run->v) ns_real_clear(run->v, table->size);
    memset(run->moments_since, 0, table->n * sizeof *run->moments_since);
    for (size_t i = 0; i < table->n; i++)
        run->updates[i] = (NsTensorUpdate){.ratio_sum = -1, .ratio_max = -1};
    run->steps = 0;
    run->lr = 0;
    run->v_may_overflow = false;
    run->curvature = (NsCurvature){.measured = false};
    run->diverged = false;
    run->spikes = (NsSpikes){0};
    run->bands.n = 0;
    if (ns_model_needs_profile(run->model)) {
        ns_corpus_train_batch(run->corpus, (uint64_t)run->settings.data_seed, 0, &run->batch);
        ns_model_profile(run->model, &run->batch);
    }
    if (run->origin) restore(run);

    ns_history_unref(run->history);
    int64_t first = run->past ? ns_history_first_step(run->past) : run->steps;
    run->history = ns_history_new(ns_recorder_layout(run->recorder), budget_of(run), first);
    ns_history_set_baselines(run->history, run->baselines);
    if (run->past) ns_history_take_past(run->history, run->past, run->steps);
    /* A fork has an event for every setting in which it differs from the run it comes from, except
     * its length and what it measures. */
    for (size_t i = 0; run->origin && ns_param(i); i++)
        if (!ns_param_is_of_run(ns_param(i)))
            note_change(run, ns_param(i), &run->origin->settings, run->steps);
    measure(run, started);
}

NsRun *ns_run_new_from(const NsExperiment *experiment, const NsSettings *settings, NsCorpus *corpus,
                       NsBeginning beginning, atomic_uint *done, GError **error)
{
    g_autoptr(NsRun) run = g_new0(NsRun, 1);
    run->experiment = ns_experiment_ref(experiment);
    run->settings = *settings;
    run->origin = beginning.origin ? ns_checkpoint_ref(beginning.origin) : NULL;
    run->past = run->origin && beginning.past ? ns_history_ref(beginning.past) : NULL;
    /* Open the data and, if the plan fits into memory, allocate everything. */
    const NsSettings *s = &run->settings;
    if (!ns_settings_check(s, error)) return NULL;
    run->corpus = corpus ? ns_corpus_ref(corpus) : ns_corpus_open(s, error);
    if (!run->corpus) return NULL;
    NsVocab vocab = ns_corpus_vocab(run->corpus, s);
    run->baselines = ns_corpus_baselines(run->corpus, s);
    run->plan = ns_model_plan(s, vocab);
    if (!ns_plan_check(&run->plan, error)) return NULL;
    run->model = ns_model_new(s, vocab, error);
    if (!run->model) return NULL;
    const NsTensorTable *table = ns_model_tensors(run->model);
    run->optimizer = ns_optimizer(run->settings.optimizer);
    if (run->optimizer->moments > 0) {
        run->m = ns_real_new(table->size, "first moments", error);
        if (!run->m) return NULL;
    }
    if (run->optimizer->moments > 1) {
        run->v = ns_real_new(table->size, "second moments", error);
        if (!run->v) return NULL;
    }
    if (run->optimizer->scratch) {
        size_t elements = run->optimizer->scratch(table, run->plan.threads);
        run->scratch = ns_real_new(MAX(elements, 1), "the optimizer", error);
        if (!run->scratch) return NULL;
    }
    ns_model_state(run->model, &run->n_state);
    run->state = g_new0(ns_real, run->n_state);
    run->moments_since = g_new0(int64_t, table->n);
    run->updates = g_new0(NsTensorUpdate, table->n);
    if (s->curvature_every > 0 || s->sharpness_every > 0) {
        run->layer_sharpness = g_new0(double, ns_model_layers(run->model));
        run->curvature_probe = ns_curvature_probe_new(run->model, s, error);
        if (!run->curvature_probe) return NULL;
    }
    if (s->sample_every > 0 && ns_continuation_is_possible(run->corpus))
        run->prompt = ns_prompt_tokens(run->corpus, s, s->prompt);
    run->recorder = ns_recorder_new(run->model, s, error);
    if (!run->recorder) return NULL;
    ns_bands_init(&run->bands, table->n, ns_recorder_layout(run->recorder)->hidden);
    ns_batch_init_for(&run->batch, s);
    ns_batch_init(&run->validation, run->batch.B, run->batch.T, run->batch.S);

    if (done) atomic_fetch_add(done, 1);
    begin(run);
    if (done) atomic_fetch_add(done, 1);
    return g_steal_pointer(&run);
}

NsRun *ns_run_new_alone(const NsSettings *settings, NsCorpus *corpus, NsCheckpoint *origin,
                        GError **error)
{
    NsExperiment *one = ns_experiment_new_shared(&(NsExperiment){.n = 1, .lane = {*settings}});
    NsRun *run =
        ns_run_new_from(one, &one->lane[0], corpus, (NsBeginning){origin, NULL}, NULL, error);
    ns_experiment_unref(one);
    return run;
}

NsRun *ns_run_new(const NsSettings *settings, GError **error)
{
    return ns_run_new_alone(settings, NULL, NULL, error);
}

NsRun *ns_run_fork(NsCheckpoint *checkpoint, const NsSettings *settings, GError **error)
{
    return ns_run_new_alone(settings, ns_checkpoint_corpus(checkpoint, settings), checkpoint,
                            error);
}

void ns_run_free(NsRun *run)
{
    if (!run) return;
    ns_history_unref(run->history);
    ns_bands_clear(&run->bands);
    ns_batch_clear(&run->batch);
    ns_batch_clear(&run->validation);
    ns_real_free(run->m);
    ns_real_free(run->v);
    ns_real_free(run->scratch);
    g_free(run->state);
    g_free(run->moments_since);
    g_free(run->updates);
    ns_curvature_probe_free(run->curvature_probe);
    g_free(run->layer_sharpness);
    g_clear_pointer(&run->prompt, g_array_unref);
    ns_recorder_free(run->recorder);
    ns_model_free(run->model);
    g_clear_pointer(&run->corpus, ns_corpus_unref);
    g_clear_pointer(&run->origin, ns_checkpoint_unref);
    ns_history_unref(run->past);
    ns_experiment_unref(run->experiment);
    g_free(run);
}

void ns_run_reset(NsRun *run)
{
    ns_model_reset(run->model);
    begin(run);
}

/* ---- Properties ---- */

NsNoise ns_run_noise(const NsRun *run)
{
    return (NsNoise){
        .training = true, .seed = (uint64_t)run->settings.seed, .step = (uint64_t)run->steps};
}
