/* SPDX-License-Identifier: MIT */
#include "core/store/lesson_measure.h"

#include <math.h>
#include <string.h>

typedef enum { MEAN, LEAST, MOST } Reduction;

typedef struct {
    const NsMeasureSource *source;
    const char *at;
    bool failed;
    Reduction reduction;
} Parser;

typedef struct {
    int64_t first, last;
    bool to_end; /* the last is the last that there is */
} Span;

/* ---- Measurements ---- */

typedef struct {
    double sum, least, most;
    size_t n;
} Sum;

static void take(Sum *sum, double value)
{
    sum->sum += value;
    sum->least = sum->n ? fmin(sum->least, value) : value;
    sum->most = sum->n ? fmax(sum->most, value) : value;
    sum->n++;
}

static double reduce(const Sum *sum, Reduction reduction)
{
    if (!sum->n || !isfinite(sum->sum)) return (double)NAN;
    return reduction == LEAST  ? sum->least
           : reduction == MOST ? sum->most
                               : sum->sum / (double)sum->n;
}

static NsHistory *history_at(const Parser *p, size_t lane, int64_t step)
{
    return p->source->history(p->source->data, lane, step);
}

/* The record of exactly this step; negative if there is none. */
static int64_t record_at(const NsHistory *history, int64_t step)
{
    int64_t record = history ? ns_history_record(history, step) : -1;
    bool there = record >= 0 && ns_history_step(history, (size_t)record)->step == step;
    return there ? record : -1;
}

static double measure_steps(Parser *p, const char *name, int key, size_t lane, Span span)
{
    Sum sum = {0};
    NsHistory *history = history_at(p, lane, span.last);
    for (int64_t step = span.first; step <= span.last; step++) {
        int64_t record = record_at(history, step);
        if (record < 0) return (double)NAN;
        const NsStep *at = ns_history_step(history, (size_t)record);
        double other = g_str_equal(name, "lr") ? at->lr : at->grad_norm;
        float value = (float)(g_str_equal(name, "loss") ? at->loss : other);
        bool has = key < 0; /* not a quantity of the table */
        if (!has) ns_history_read(history, (NsQuantity)key, (size_t)record, &value, NULL, &has);
        if (has) take(&sum, (double)value);
    }
    return reduce(&sum, p->reduction);
}

static double has_diverged(Parser *p, size_t lane, int64_t step)
{
    NsHistory *history = history_at(p, lane, step);
    if (!history) return (double)NAN;
    for (size_t i = 0; i < ns_history_events(history); i++) {
        const NsEvent *event = ns_history_event(history, i);
        if (event->kind == NS_EVENT_DIVERGED && event->step <= step) return 1;
    }
    return 0;
}

static double measure_layers(Parser *p, NsQuantity quantity, size_t lane, int64_t step, Span span)
{
    NsHistory *history = history_at(p, lane, step);
    int64_t record = record_at(history, step);
    if (record < 0) return (double)NAN;
    size_t n = ns_history_layout(history)->count[quantity];
    int64_t base = ns_quantity(quantity)->domain == NS_DOMAIN_LAYER ? 1 : 0;
    g_autofree float *values = g_new(float, n + 1);
    size_t measured = ns_history_measured(history, quantity, (size_t)record);
    ns_history_read(history, quantity, measured, values, NULL, NULL);
    if (span.to_end) span.last = (int64_t)n - 1 + base;
    if (span.first < 0) span.first = span.last;
    Sum sum = {0};
    for (int64_t layer = span.first; layer <= span.last; layer++) {
        bool there = layer >= base && layer - base < (int64_t)n;
        take(&sum, there ? (double)values[layer - base] : (double)NAN);
    }
    return reduce(&sum, p->reduction);
}

/* ---- Reading ---- */

static double fail(Parser *p)
{
    p->failed = true;
    return (double)NAN;
}

static void skip(Parser *p)
{
    while (*p->at == ' ') p->at++;
}

static bool accept(Parser *p, const char *token)
{
    skip(p);
    if (!g_str_has_prefix(p->at, token)) return false;
    p->at += strlen(token);
    return true;
}

static void expect(Parser *p, const char *token)
{
    if (!accept(p, token)) p->failed = true;
}

static int64_t read_integer(Parser *p)
{
    char *end;
    skip(p);
    gint64 number = g_ascii_strtoll(p->at, &end, 10);
    if (end == p->at) p->failed = true;
    p->at = end;
    return number;
}

/* "3", "last", "1..3", "1..last" */
static Span read_span(Parser *p)
{
    if (accept(p, "last")) return (Span){-1, 0, true};
    Span span = {.first = read_integer(p)};
    span.last = span.first;
    if (!accept(p, "..")) return span;
    span.to_end = accept(p, "last");
    if (!span.to_end) span.last = read_integer(p);
    return span;
}

static size_t read_lane(Parser *p)
{
    skip(p);
    size_t lane = (size_t)(*p->at - 'A');
    if (*p->at < 'A' || lane >= p->source->lanes) {
        p->failed = true;
        return 0;
    }
    p->at++;
    return lane;
}

static double read_sum(Parser *p);

static double read_reduced(Parser *p, Reduction reduction)
{
    Reduction before = p->reduction;
    p->reduction = reduction;
    double value = read_sum(p);
    expect(p, ")");
    p->reduction = before;
    return value;
}

static double read_measurement(Parser *p, const char *name)
{
    size_t lane = read_lane(p);
    expect(p, ",");
    int quantity = ns_choices_find(ns_quantity_choice, name);
    bool one = quantity >= 0 && ns_quantity((NsQuantity)quantity)->domain == NS_DOMAIN_STEP;
    if (one || g_str_equal(name, "loss") || g_str_equal(name, "grad") || g_str_equal(name, "lr")) {
        Span span = read_span(p);
        expect(p, ")");
        return p->failed ? fail(p) : measure_steps(p, name, quantity, lane, span);
    }
    int64_t step = read_integer(p);
    if (g_str_equal(name, "diverged")) {
        expect(p, ")");
        return p->failed ? fail(p) : has_diverged(p, lane, step);
    }
    expect(p, ",");
    Span span = read_span(p);
    expect(p, ")");
    if (p->failed || quantity < 0) return fail(p);
    return measure_layers(p, (NsQuantity)quantity, lane, step, span);
}

static double read_name(Parser *p)
{
    size_t length = strspn(p->at, G_CSET_a_2_z G_CSET_DIGITS "-");
    g_autofree char *name = g_strndup(p->at, length);
    const char *from = p->at;
    p->at += length;
    expect(p, "(");
    if (p->failed) return fail(p);
    if (g_str_equal(name, "min")) return read_reduced(p, LEAST);
    if (g_str_equal(name, "max")) return read_reduced(p, MOST);
    double value = read_measurement(p, name);
    if (p->source->seen)
        g_string_append_printf(p->source->seen, "%.*s = %.4g; ", (int)(p->at - from), from, value);
    return value;
}

static double read_factor(Parser *p)
{
    if (p->failed) return fail(p);
    if (accept(p, "(")) return read_reduced(p, p->reduction);
    if (g_ascii_islower(*p->at)) return read_name(p);
    char *end;
    double number = g_ascii_strtod(p->at, &end);
    if (end == p->at) return fail(p);
    p->at = end;
    return number;
}

static double read_product(Parser *p)
{
    double value = read_factor(p);
    while (!p->failed) {
        if (accept(p, "*"))
            value *= read_factor(p);
        else if (accept(p, "/"))
            value /= read_factor(p);
        else
            break;
    }
    return value;
}

static double read_sum(Parser *p)
{
    double value = read_product(p);
    while (!p->failed) {
        if (accept(p, "+"))
            value += read_product(p);
        else if (accept(p, "-"))
            value -= read_product(p);
        else
            break;
    }
    return value;
}

bool ns_measure(const NsMeasureSource *source, const char **at, double *value)
{
    Parser p = {.source = source, .at = *at};
    *value = read_sum(&p);
    *at = p.at;
    return !p.failed;
}

char *ns_measure_fill(const NsMeasureSource *source, const char *text, char *(*format)(double))
{
    GString *filled = g_string_new(NULL);
    for (const char *brace; (brace = strchr(text, '{')); text = brace) {
        double value;
        g_string_append_len(filled, text, brace - text);
        const char *end = brace + 1;
        bool read = ns_measure(source, &end, &value) && *end == '}';
        g_autofree char *words = read ? format(value) : g_strdup("{");
        g_string_append(filled, words);
        brace = read ? end + 1 : brace + 1;
    }
    return g_string_free(g_string_append(filled, text), FALSE);
}
