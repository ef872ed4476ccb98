/* Records as JSON lines.  SPDX-License-Identifier: MIT */
#include "core/store/jsonl.h"

#include "core/data/pair_corpus.h"

void ns_jsonl_add_model(NsJson *json, NsRun *run)
{
    const NsSettings *settings = &run->settings;
    const NsCorpus *corpus = run->corpus;
    NsVocab vocab = ns_corpus_vocab(corpus, settings);
    ns_json_settings(json, settings);
    ns_json_layers(json, settings);
    ns_json_int(json, "parameters", (int64_t)ns_model_tensors(run->model)->elements);
    ns_json_int(json, "vocab", (int64_t)vocab.out);
    ns_json_int(json, "vocab_in", (int64_t)vocab.in);
    if (vocab.source) ns_json_int(json, "vocab_source", (int64_t)vocab.source);
    ns_json_string(json, "text", corpus->name);
}

char *ns_jsonl_settings(NsRun *run)
{
    const NsCorpus *corpus = run->corpus;
    NsPlan plan = run->plan;
    const NsCorpus *source = corpus->source;
    size_t training = corpus->n_train + (source ? source->n_train : 0);
    size_t all = corpus->n + (source ? source->n : 0);
    NsJson json;
    ns_json_init(&json);
    ns_jsonl_add_model(&json, run);
    ns_json_int(&json, "training_characters", (int64_t)training);
    ns_json_int(&json, "held_out_characters", (int64_t)(all - training));
    if (corpus->lengths)
        ns_json_double(&json, "padding", ns_pair_lengths_padding(corpus->lengths, &run->batch));
    ns_json_int(&json, "threads", plan.threads);
    ns_json_double(&json, "gflop_per_step", plan.gflop_per_step);
    ns_json_int(&json, "memory_bytes", (int64_t)plan.total_bytes);
    ns_json_program(&json);
    return ns_json_finish(&json);
}

typedef struct {
    NsJson json;
    const NsHistory *history;
    size_t record;
    NsValues buffer; /* buffer for the longest quantity */
    NsBucket steps;  /* range of steps covered by the values written so far */
} Record;

/* Writes nothing if the model does not have the quantity or it was not measured at this step;
 * otherwise a number for one value per step, an array, or for heads an array per layer. */
static void write_quantity(Record *record, NsQuantity quantity)
{
    const NsRecordLayout *layout = ns_history_layout(record->history);
    size_t n = layout->count[quantity];
    if (n == 0) return;

    const float *values = record->buffer.value;
    const bool *has = record->buffer.has;
    NsBucket bucket = ns_history_read(record->history, quantity, record->record, NULL,
                                      record->buffer.value, record->buffer.has);
    record->steps.first = MIN(record->steps.first, bucket.first);
    record->steps.last = MAX(record->steps.last, bucket.last);
    bool has_any = false;
    for (size_t i = 0; i < n; i++) has_any |= has[i];
    if (!has_any) return;

    NsJson *json = &record->json;
    const char *key = ns_json_quantity_key(quantity);
    switch (ns_quantity(quantity)->domain) {
    case NS_DOMAIN_STEP:
        ns_json_float(json, key, values[0]);
        break;
    case NS_DOMAIN_LAYER:
    case NS_DOMAIN_HIDDEN:
        ns_json_values(json, key, values, has, n);
        break;
    case NS_DOMAIN_HEAD:
        ns_json_open(json, key, '[');
        for (size_t i = 0; i < n; i += layout->heads)
            ns_json_values(json, NULL, values + i, has + i, layout->heads);
        ns_json_close(json, ']');
        break;
    }
}

static const char *const event_words[] = {
    [NS_EVENT_DIVERGED] = "diverged",     [NS_EVENT_SETTING] = "setting",
    [NS_EVENT_SPIKE] = "spike",           [NS_EVENT_STUCK] = "stuck",
    [NS_EVENT_FIRST_LOSS] = "first-loss",
};

const char *ns_jsonl_event_word(NsEventKind kind)
{
    return event_words[kind];
}

bool ns_jsonl_find_event(const char *word, NsEventKind *kind)
{
    for (size_t i = 0; i < G_N_ELEMENTS(event_words); i++) {
        if (!g_str_equal(word, event_words[i])) continue;
        *kind = (NsEventKind)i;
        return true;
    }
    return false;
}

static void write_events(NsJson *json, const NsHistory *history, int64_t step)
{
    size_t first = ns_history_events(history), end = first;
    while (first > 0 && ns_history_event(history, first - 1)->step >= step) first--;
    bool open = false;
    for (; first < end; first++) {
        const NsEvent *event = ns_history_event(history, first);
        if (event->step != step) continue;
        if (!open) ns_json_open(json, "events", '[');
        open = true;
        ns_json_open(json, NULL, '{');
        ns_json_string(json, "kind", event_words[event->kind]);
        if (event->layer > 0)
            ns_json_int(json, "layer", event->layer);
        else
            ns_json_null(json, "layer");
        ns_json_string(json, "what", event->what);
        ns_json_string(json, "text", event->text);
        ns_json_close(json, '}');
    }
    if (open) ns_json_close(json, ']');
}

static void write_scalar(NsJson *json, const char *key, double value, bool absent)
{
    if (absent)
        ns_json_null(json, key);
    else
        ns_json_double(json, key, value);
}

char *ns_jsonl_record(const NsHistory *history, size_t index)
{
    const NsStep *scalars = ns_history_step(history, index);
    g_auto(NsValues) buffer = ns_values_new(ns_history_layout(history)->width);
    Record record = {
        .history = history,
        .record = index,
        .buffer = buffer,
        .steps = {scalars->step, scalars->step},
    };

    NsJson *json = &record.json;
    ns_json_init(json);
    ns_json_int(json, "step", scalars->step);
    ns_json_double(json, "loss", scalars->loss);
    write_scalar(json, "lr", scalars->lr, scalars->lr_absent);
    write_scalar(json, "seconds", scalars->seconds, scalars->seconds_absent);
    if (scalars->probe_seconds > 0) ns_json_double(json, "probe_seconds", scalars->probe_seconds);
    ns_json_open(json, "grad_norm", '{');
    write_scalar(json, "total", scalars->grad_norm, scalars->grad_norm_absent);
    for (unsigned q = 0; q < NS_PARAMETER_COUNT; q++) write_quantity(&record, (NsQuantity)q);
    ns_json_close(json, '}');
    for (unsigned q = NS_PARAMETER_COUNT; q < NS_QUANTITY_ALL; q++)
        if (q != NS_QUANTITY_GRAD_TOTAL) write_quantity(&record, (NsQuantity)q);

    if (record.steps.first != record.steps.last) {
        ns_json_open(json, "thinned", '{');
        ns_json_int(json, "first", record.steps.first);
        ns_json_int(json, "last", record.steps.last);
        ns_json_string(json, "values", "maximum");
        ns_json_close(json, '}');
    }
    for (size_t i = ns_history_evaluations(history); i-- > 0;) {
        const NsEvaluation *evaluation = ns_history_evaluation(history, i);
        if (evaluation->step < scalars->step) break;
        if (evaluation->step == scalars->step)
            ns_json_double(json, "validation_loss", evaluation->loss);
    }
    const NsContinuation *continuation = ns_history_continuation_at(history, scalars->step);
    if (continuation && continuation->step == scalars->step) {
        ns_json_open(json, "continuation", '{');
        ns_json_string(json, "prompt", continuation->prompt);
        ns_json_string(json, "text", continuation->text);
        ns_json_close(json, '}');
    }
    write_events(json, history, scalars->step);
    return ns_json_finish(json);
}

char *ns_jsonl_summary(NsRun *run, const char *state)
{
    NsHistory *history = run->history;
    size_t records = ns_history_steps(history);
    size_t evaluations = ns_history_evaluations(history);
    double seconds = 0; /* of the steps that updated the weights */
    for (size_t i = 1; i < records; i++) seconds += ns_history_step(history, i)->seconds;

    NsJson json;
    ns_json_init(&json);
    ns_json_open(&json, "summary", '{');
    ns_json_string(&json, "state", state);
    ns_json_int(&json, "steps", ns_history_step(history, records - 1)->step);
    ns_json_double(&json, "loss", ns_history_step(history, records - 1)->loss);
    if (evaluations > 0) {
        const NsEvaluation *last = ns_history_evaluation(history, evaluations - 1);
        ns_json_double(&json, "validation_loss", last->loss);
        ns_json_int(&json, "validation_step", last->step);
    } else {
        ns_json_null(&json, "validation_loss");
        ns_json_null(&json, "validation_step");
    }
    ns_json_double(&json, "seconds", seconds);
    if (records > 1)
        ns_json_double(&json, "ms_per_step", 1e3 * seconds / (double)(records - 1));
    else
        ns_json_null(&json, "ms_per_step");
    ns_json_close(&json, '}');
    return ns_json_finish(&json);
}

char *ns_jsonl_of(size_t lane, int64_t seed, const char *line)
{
    GString *text = g_string_new("{");
    if (lane) g_string_append_printf(text, "\"lane\":%zu,", lane);
    if (seed >= 0) g_string_append_printf(text, "\"seed\":%" G_GINT64_FORMAT ",", seed);
    g_string_append(text, line + 1);
    return g_string_free(text, FALSE);
}
