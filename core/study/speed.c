/* SPDX-License-Identifier: MIT */
#include "core/study/speed.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/store/json.h"

#include <math.h>
#include <stdlib.h>

/* Steps between two changes from measuring to not measuring: so few that whatever else the machine
 * does slows both, and so many that a change costs nothing. */
#define TURN 2

/* Steps with the clock on. */
#define PROFILED 8

/* A measurement under way. */
typedef struct {
    NsRun *run;
    size_t done, all; /* steps */
    NsSpeedProgress progress;
    void *data;
} Work;

/* Milliseconds of one step; negative where it was the last. */
static double step(Work *work, GError **error)
{
    gint64 started = g_get_monotonic_time();
    bool went = ns_run_step(work->run);
    double ms = (double)(g_get_monotonic_time() - started) / 1e3;
    work->done++;
    if (!went) {
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "The run diverges at step %" G_GINT64_FORMAT
                    ", so that later steps cannot be timed; choose a smaller lr.",
                    ns_run_steps(work->run));
        return -1;
    }
    bool on =
        !work->progress || work->progress(work->data, (int64_t)work->done, (int64_t)work->all);
    return on ? ms : -1;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Leaves x as it is. */
static double median(const double *x, size_t n)
{
    g_autofree double *sorted = g_memdup2(x, n * sizeof *x);
    qsort(sorted, n, sizeof *sorted, compare);
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/* The share that measuring takes, from the turns that followed one another: whatever slows the
 * machine for longer than two of them cancels. */
static double share_of(const double *measured, const double *bare, size_t n)
{
    g_autofree double *shares = g_new(double, n);
    size_t turns = 0;
    for (size_t k = 0; k < n; k += TURN) {
        size_t steps = MIN(TURN, n - k);
        shares[turns++] = 1 - median(bare + k, steps) / median(measured + k, steps);
    }
    return median(shares, turns);
}

/* With and without measuring in turns: with, without, without, with, and so on, so that a drift of
 * the machine touches both alike. */
static bool time_steps(Work *work, NsSpeed *speed, GError **error)
{
    g_autofree double *bare = g_new(double, speed->steps);
    size_t done[2] = {0};
    for (size_t turn = 0; done[false] < speed->steps || done[true] < speed->steps; turn++) {
        bool measuring = (turn + 1) / 2 % 2 == 0;
        double *ms = measuring ? speed->each : bare;
        ns_run_set_measuring(work->run, measuring);
        for (size_t k = 0; k < TURN && done[measuring] < speed->steps; k++) {
            double taken = step(work, error);
            if (taken < 0) return false;
            ms[done[measuring]++] = taken;
        }
    }
    ns_run_set_measuring(work->run, true);
    speed->ms_per_step = median(speed->each, speed->steps);
    speed->ms_unmeasured = median(bare, speed->steps);
    speed->probe_share = share_of(speed->each, bare, speed->steps);
    return true;
}

static bool time_operators(Work *work, NsSpeed *speed, GError **error)
{
    double ms[NS_OP_COUNT][PROFILED], seconds[NS_OP_COUNT];
    for (size_t k = 0; k < PROFILED; k++) {
        ns_clock_enable(true);
        double rest = step(work, error);
        ns_clock_enable(false);
        if (rest < 0) return false;
        ns_clock_read(seconds);
        for (size_t op = 0; op < NS_OP_COUNT; op++) rest -= ms[op][k] = 1e3 * seconds[op];
        ms[NS_OP_OTHER][k] = MAX(rest, 0);
    }
    for (size_t op = 0; op < NS_OP_COUNT; op++) speed->operators[op] = median(ms[op], PROFILED);
    return true;
}

NsSpeed *ns_speed_new(const NsSettings *settings, size_t warm_up, size_t steps,
                      NsSpeedProgress progress, void *data, GError **error)
{
    ns_memory_reset_peak();
    g_autoptr(NsRun) run = ns_run_new(settings, error);
    if (!run) return NULL;
    g_autoptr(NsSpeed) speed = g_new0(NsSpeed, 1);
    speed->steps = steps;
    speed->each = g_new0(double, steps);
    speed->plan = ns_run_plan(run);
    Work work = {
        .run = run, .all = warm_up + 2 * steps + PROFILED, .progress = progress, .data = data};
    for (size_t i = 0; i < warm_up; i++)
        if (step(&work, error) < 0) return NULL;
    if (!time_steps(&work, speed, error)) return NULL;
    speed->peak_rss_mib = ns_memory_peak_mib();
    if (!time_operators(&work, speed, error)) return NULL;

    double tokens = (double)settings->batch * (double)settings->seq;
    speed->tokens_per_s = 1e3 * tokens / speed->ms_per_step;
    speed->gflops = 1e3 * speed->plan.gflop_per_step / speed->ms_per_step;
    return g_steal_pointer(&speed);
}

bool ns_speed_estimate(const NsSettings *settings, size_t steps, double *start, double *step_,
                       GError **error)
{
    gint64 started = g_get_monotonic_time();
    g_autoptr(NsRun) run = ns_run_new(settings, error);
    if (!run) return false;
    *start = (double)(g_get_monotonic_time() - started) / 1e6;
    *step_ = 0;
    for (size_t i = 0; i < steps; i++) {
        started = g_get_monotonic_time();
        ns_run_step(run);
        double seconds = (double)(g_get_monotonic_time() - started) / 1e6;
        *step_ = i ? MIN(*step_, seconds) : seconds;
    }
    return true;
}

void ns_speed_free(NsSpeed *speed)
{
    if (!speed) return;
    g_free(speed->each);
    g_free(speed);
}

char *ns_speed_json(const NsSpeed *speed, const NsSettings *settings)
{
    NsJson json;
    ns_json_init(&json);
    ns_json_double(&json, "ms_per_step", speed->ms_per_step);
    ns_json_double(&json, "tokens_per_s", speed->tokens_per_s);
    ns_json_double(&json, "gflops", speed->gflops);
    ns_json_double(&json, "probe_share", speed->probe_share);
    if (isnan(speed->peak_rss_mib))
        ns_json_null(&json, "peak_rss_mib");
    else
        ns_json_double(&json, "peak_rss_mib", speed->peak_rss_mib);
    ns_json_open(&json, "operators", '{');
    for (size_t op = 0; op < NS_OP_COUNT; op++)
        ns_json_double(&json, ns_op_key((NsOp)op), speed->operators[op]);
    ns_json_close(&json, '}');
    ns_json_double(&json, "ms_unmeasured", speed->ms_unmeasured);
    ns_json_int(&json, "steps", (int64_t)speed->steps);
    ns_json_doubles(&json, "each_ms", speed->each, speed->steps);
    ns_json_int(&json, "threads", speed->plan.threads);
    ns_json_int(&json, "parameters", (int64_t)speed->plan.parameters);
    ns_json_double(&json, "gflop_per_step", speed->plan.gflop_per_step);
    ns_json_int(&json, "memory_bytes", (int64_t)speed->plan.total_bytes);
    ns_json_settings(&json, "settings", settings);
    ns_json_program(&json);
    return ns_json_finish(&json);
}
