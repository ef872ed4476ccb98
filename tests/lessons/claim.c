/* SPDX-License-Identifier: MIT */
#include "tests/lessons/claim.h"

#include "core/base/error.h"

#include <math.h>
#include <string.h>

struct NsBench {
    NsExperiment experiment;
    NsLockstep *seed[NS_BENCH_SEEDS]; /* the first is always there */
    int64_t steps[NS_BENCH_SEEDS];
};

typedef enum { MEAN, LEAST, MOST } Reduction;

typedef struct {
    NsBench *bench;
    size_t seed;
    const char *at;
    bool failed;
    Reduction reduction;
    GString *seen;
} Parser;

typedef struct {
    int64_t first, last;
    bool to_end; /* the last is the last that there is */
} Span;

static bool start(NsBench *bench, size_t seed, GError **error)
{
    g_auto(NsExperiment) own;
    ns_experiment_copy(&own, &bench->experiment);
    for (size_t i = 0; i < own.n; i++) {
        own.lane[i].threads = 1; /* the same numbers on every machine; seeds run side by side */
        own.lane[i].seed += (int64_t)seed;
        own.lane[i].data_seed += (int64_t)seed;
    }
    bench->seed[seed] = ns_lockstep_new(&own, NULL, NULL, NULL, error);
    return bench->seed[seed] != NULL;
}

NsBench *ns_bench_new(const NsExperiment *experiment, GError **error)
{
    NsBench *bench = g_new0(NsBench, 1);
    ns_experiment_copy(&bench->experiment, experiment);
    if (!start(bench, 0, error)) g_clear_pointer(&bench, ns_bench_free);
    return bench;
}

void ns_bench_free(NsBench *bench)
{
    if (!bench) return;
    for (size_t i = 0; i < NS_BENCH_SEEDS; i++) g_clear_pointer(&bench->seed[i], ns_lockstep_free);
    ns_experiment_clear(&bench->experiment);
    g_free(bench);
}

static void run(NsBench *bench, size_t seed, int64_t step)
{
    while (bench->steps[seed] < step && ns_lockstep_step(bench->seed[seed])) bench->steps[seed]++;
}

void ns_bench_run(NsBench *bench, int64_t step)
{
    run(bench, 0, step);
}

NsRun *ns_bench_lane(NsBench *bench, size_t lane)
{
    return ns_lockstep_run(bench->seed[0], lane, 0);
}

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

/* The history of a lane with the seed at hand, up to a step at least. */
static NsHistory *history_at(Parser *p, size_t lane, int64_t step)
{
    run(p->bench, p->seed, step);
    return ns_run_history(ns_lockstep_run(p->bench->seed[p->seed], lane, 0));
}

/* The record of a step; NULL where there is none. */
static const NsStep *record(NsHistory *history, int64_t step)
{
    bool there = step >= 0 && (size_t)step < ns_history_steps(history);
    return there ? ns_history_step(history, (size_t)step) : NULL;
}

static double measure_steps(Parser *p, const char *name, size_t lane, Span span)
{
    Sum sum = {0};
    NsHistory *history = history_at(p, lane, span.last);
    for (int64_t step = span.first; step <= span.last; step++) {
        const NsStep *at = record(history, step);
        if (!at) return (double)NAN;
        take(&sum, g_str_equal(name, "loss") ? at->loss
                   : g_str_equal(name, "lr") ? at->lr
                                             : at->grad_norm);
    }
    return reduce(&sum, p->reduction);
}

static double has_diverged(Parser *p, size_t lane, int64_t step)
{
    NsHistory *history = history_at(p, lane, step);
    for (size_t i = 0; i < ns_history_events(history); i++) {
        const NsEvent *event = ns_history_event(history, i);
        if (event->kind == NS_EVENT_DIVERGED && event->step <= step) return 1;
    }
    return 0;
}

static double measure_layers(Parser *p, NsQuantity quantity, size_t lane, int64_t step, Span span)
{
    NsHistory *history = history_at(p, lane, step);
    if (!record(history, step)) return (double)NAN;
    size_t n = ns_history_layout(history)->count[quantity];
    int64_t base = ns_quantity(quantity)->domain == NS_DOMAIN_LAYER ? 1 : 0;
    g_autofree float *values = g_new(float, n + 1);
    size_t measured = ns_history_measured(history, quantity, (size_t)step);
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
    if (*p->at < 'A' || lane >= p->bench->experiment.n) {
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
    if (g_str_equal(name, "loss") || g_str_equal(name, "grad") || g_str_equal(name, "lr")) {
        Span span = read_span(p);
        expect(p, ")");
        return p->failed ? fail(p) : measure_steps(p, name, lane, span);
    }
    int64_t step = read_integer(p);
    if (g_str_equal(name, "diverged")) {
        expect(p, ")");
        return p->failed ? fail(p) : has_diverged(p, lane, step);
    }
    int quantity = ns_choices_find(ns_quantity_choice, name);
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
    g_string_append_printf(p->seen, "%.*s = %.4g; ", (int)(p->at - from), from, value);
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

static bool read_comparison(Parser *p)
{
    double left = read_sum(p);
    bool below = accept(p, "<");
    if (!below) expect(p, ">");
    double right = read_sum(p);
    return below ? left < right : left > right;
}

/* "with 5 seeds:", "with 4 of 5 seeds:", or nothing, which is one; `least` is with how many of
 * them the claim has to hold. */
static int64_t read_seeds(Parser *p, int64_t *least)
{
    *least = 1;
    if (!accept(p, "with ")) return 1;
    int64_t seeds = *least = read_integer(p);
    if (accept(p, "of ")) seeds = read_integer(p);
    expect(p, "seeds:");
    if (*least < 1 || seeds < 2 || seeds > NS_BENCH_SEEDS || *least > seeds) p->failed = true;
    return seeds;
}

static bool read_comparisons(Parser *p)
{
    bool holds = true;
    do holds = read_comparison(p) && holds;
    while (!p->failed && accept(p, "and"));
    skip(p);
    p->failed |= *p->at != '\0';
    return holds;
}

/* What follows the seeds of a claim, with one of them. */
typedef struct {
    Parser p;
    bool holds;
    GThread *thread;
} Part;

static gpointer read_part(gpointer data)
{
    Part *part = data;
    part->holds = read_comparisons(&part->p);
    return NULL;
}

bool ns_claim_holds(NsBench *bench, const char *claim, GString *seen, GError **error)
{
    Parser p = {.bench = bench, .at = claim};
    int64_t least, seeds = read_seeds(&p, &least), held = 0;
    for (int64_t i = 1; !p.failed && i < seeds; i++)
        if (!bench->seed[i] && !start(bench, (size_t)i, error)) return false;
    Part part[NS_BENCH_SEEDS];
    for (int64_t i = 0; !p.failed && i < seeds; i++) {
        part[i] = (Part){.p = p};
        part[i].p.seed = (size_t)i;
        part[i].p.seen = g_string_new(NULL);
        part[i].thread = g_thread_new("seed", read_part, &part[i]);
    }
    const char *at = p.at;
    bool failed = p.failed;
    for (int64_t i = 0; !p.failed && i < seeds; i++) {
        g_thread_join(part[i].thread);
        if (seeds > 1) g_string_append_printf(seen, "seed +%d: ", (int)i);
        g_string_append(seen, part[i].p.seen->str);
        g_string_free(part[i].p.seen, TRUE);
        held += part[i].holds;
        failed |= part[i].p.failed;
        at = part[i].p.at;
    }
    if (!failed) return held >= least;
    g_set_error(error, NS_ERROR, NS_ERROR_SETTING, "The claim “%s” cannot be read from “%s” on.",
                claim, at);
    return false;
}
