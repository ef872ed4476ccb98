/* SPDX-License-Identifier: MIT */
#include "tests/lessons/claim.h"

#include "core/base/error.h"
#include "core/base/processors.h"
#include "core/store/lesson_measure.h"

#include <stdio.h>
#include <string.h>

struct NsBench {
    NsExperiment experiment, changed; /* changed: from the step `change` on, if that is not 0 */
    int64_t change;
    NsLockstep *seed[NS_BENCH_SEEDS]; /* the first is always there */
    int64_t steps[NS_BENCH_SEEDS];
};

typedef struct {
    NsBench *bench;
    size_t seed;
    const char *at;
    bool failed;
    GString *seen;
} Parser;

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
    ns_experiment_clear(&bench->changed);
    g_free(bench);
}

static void run(NsBench *bench, size_t seed, int64_t step)
{
    while (bench->steps[seed] < step) {
        if (bench->change && bench->steps[seed] == bench->change)
            ns_lockstep_set_live(bench->seed[seed], &bench->changed);
        if (!ns_lockstep_step(bench->seed[seed])) break;
        bench->steps[seed]++;
    }
}

void ns_bench_change(NsBench *bench, int64_t step, const NsExperiment *experiment)
{
    g_assert_cmpint(bench->change, ==, 0);
    for (size_t i = 0; i < NS_BENCH_SEEDS; i++) g_assert_cmpint(bench->steps[i], <=, step);
    bench->change = step;
    ns_experiment_assign(&bench->changed, experiment);
}

void ns_bench_run(NsBench *bench, int64_t step)
{
    run(bench, 0, step);
}

NsRun *ns_bench_lane(NsBench *bench, size_t lane)
{
    return ns_lockstep_run(bench->seed[0], lane, 0);
}

/* ---- Reading ---- */

/* The history of a lane with the seed at hand, which is trained up to the step. */
static NsHistory *history_at(void *data, size_t lane, int64_t step)
{
    Parser *p = data;
    run(p->bench, p->seed, step);
    return ns_lockstep_run(p->bench->seed[p->seed], lane, 0)->history;
}

static double read_sum(Parser *p)
{
    double value;
    const NsMeasureSource source = {p->bench->experiment.n, history_at, p, p->seen};
    p->failed |= !ns_measure(&source, &p->at, &value);
    return value;
}

/* Moves behind spaces and this text; false, and nowhere, if it does not follow. */
static bool accept(Parser *p, const char *text)
{
    const char *at = p->at + strspn(p->at, " ");
    if (!g_str_has_prefix(at, text)) return false;
    p->at = at + strlen(text);
    return true;
}

/* The text of the first jump or divergence; NULL if there is none. */
static const char *event_text(const NsHistory *history, int64_t step)
{
    for (size_t i = 0; i < ns_history_events(history); i++) {
        const NsEvent *event = ns_history_event(history, i);
        bool counts = event->kind == NS_EVENT_SPIKE || event->kind == NS_EVENT_DIVERGED;
        if (counts && event->step <= step) return event->text;
    }
    return NULL;
}

/* What follows "event(": 'A, 110) says "some words" "other words"', or 'A, 110)' alone. */
static bool read_event(Parser *p, bool none)
{
    char lane;
    int step, end = 0;
    sscanf(p->at, "%c, %d)%n", &lane, &step, &end);
    p->at += end;
    p->failed |= !end || lane < 'A' || (size_t)(lane - 'A') >= p->bench->experiment.n ||
                 (!none && !accept(p, "says"));
    if (p->failed) return false;
    const char *text = event_text(history_at(p, (size_t)(lane - 'A'), step), step);
    g_string_append_printf(p->seen, "%s; ", text ? text : "no event");
    while (!none && accept(p, "\"")) {
        g_autofree char *words = g_strndup(p->at, strcspn(p->at, "\""));
        text = text ? strstr(text, words) : NULL;
        p->at += strlen(words);
        p->failed |= !accept(p, "\"");
    }
    return none == !text;
}

static bool read_comparison(Parser *p)
{
    bool none = accept(p, "no ");
    if (accept(p, "event(")) return read_event(p, none);
    double left = read_sum(p);
    bool below = accept(p, "<");
    p->failed |= !below && !accept(p, ">");
    double right = read_sum(p);
    return below ? left < right : left > right;
}

/* "with 5 seeds:", "with 4 of 5 seeds:", or nothing, which is one; `least` is with how many of
 * them the claim has to hold. */
static int64_t read_seeds(Parser *p, int64_t *least)
{
    int some, all, end = 0;
    *least = 1;
    if (!g_str_has_prefix(p->at, "with ")) return 1;
    if (sscanf(p->at, "with %d of %d seeds:%n", &some, &all, &end) < 2 || !end) {
        end = 0;
        if (sscanf(p->at, "with %d seeds:%n", &all, &end) == 1) some = all;
    }
    p->at += end;
    p->failed |= !end || some < 1 || all < 2 || all > NS_BENCH_SEEDS || some > all;
    if (p->failed) return 1;
    *least = some;
    return all;
}

static bool read_comparisons(Parser *p)
{
    bool holds = true;
    do holds = read_comparison(p) && holds;
    while (!p->failed && accept(p, "and"));
    p->failed |= p->at[strspn(p->at, " ")] != '\0';
    return holds;
}

/* What follows the seeds of a claim, with one of them. */
typedef struct {
    Parser p;
    bool holds;
} Part;

static void read_part(gpointer data, gpointer user_data)
{
    Part *part = data;
    (void)user_data;
    part->holds = read_comparisons(&part->p);
}

bool ns_claim_holds(NsBench *bench, const char *claim, GString *seen, GError **error)
{
    Parser p = {.bench = bench, .at = claim};
    int64_t least, seeds = read_seeds(&p, &least), held = 0;
    for (int64_t i = 1; !p.failed && i < seeds; i++)
        if (!bench->seed[i] && !start(bench, (size_t)i, error)) return false;
    Part part[NS_BENCH_SEEDS];
    GThreadPool *pool = g_thread_pool_new(read_part, NULL, (int)ns_processors(), FALSE, NULL);
    for (int64_t i = 0; !p.failed && i < seeds; i++) {
        part[i] = (Part){.p = p};
        part[i].p.seed = (size_t)i;
        part[i].p.seen = g_string_new(NULL);
        g_thread_pool_push(pool, &part[i], NULL);
    }
    g_thread_pool_free(pool, FALSE, TRUE); /* waits */
    const char *at = p.at;
    bool failed = p.failed;
    for (int64_t i = 0; !p.failed && i < seeds; i++) {
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
