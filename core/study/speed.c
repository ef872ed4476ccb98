/* SPDX-License-Identifier: MIT */
#include "core/study/speed.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/store/json.h"
#include "core/study/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Number of steps between switching measuring on and off: few, so that other load on the machine
 * affects both alike, but enough to make the cost of switching negligible. */
#define TURN 2

/* Number of steps with the operator clock enabled. */
#define PROFILED 8

/* Other threads may read it during the timing: entries below a count do not change. */
struct NsTiming {
    NsRun *run; /* NULL until it is created */
    size_t warm_up;
    size_t steps;                /* number of steps to time with measuring, and as many without */
    double *ms[2];               /* [without, with measuring][steps] */
    double *ops[NS_OP_COUNT];    /* [PROFILED] */
    atomic_size_t timed[2];      /* number of entries in ms */
    atomic_size_t profiled;      /* number of entries in ops */
    size_t done, all;            /* steps of all kinds */
    _Atomic double peak_rss_mib; /* NaN until the timing with the operator clock begins */
    NsTimingProgress progress;
    void *data;
};

/* Executes a step and returns its milliseconds. */
static double step(NsTiming *timing)
{
    gint64 started = g_get_monotonic_time();
    ns_run_step(timing->run);
    timing->done++;
    return (double)(g_get_monotonic_time() - started) / 1e3;
}

/* Whether to continue: false with an error if the run has diverged, and without one if `progress`
 * ended the timing. */
static bool go_on(NsTiming *timing, GError **error)
{
    if (timing->run->diverged)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The run diverges at step %" PRId64
                         ", so later steps cannot be timed; choose a smaller lr.",
                         timing->run->steps);
    return !timing->progress ||
           timing->progress(timing->data, (int64_t)timing->done, (int64_t)timing->all);
}

/* Does not modify x; NaN for no values. */
static double median(const double *x, size_t n)
{
    if (n == 0) return (double)NAN;
    g_autofree double *sorted = g_memdup2(x, n * sizeof *x);
    qsort(sorted, n, sizeof *sorted, ns_compare_doubles);
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/* The fraction of a step that measuring takes, from pairs of adjacent blocks: slow changes of the
 * machine's speed cancel. */
static double share_of(const double *measured, const double *unmeasured, size_t n)
{
    g_autofree double *shares = g_new(double, n + 1);
    size_t turns = 0;
    for (size_t k = 0; k < n; k += TURN) {
        size_t steps = MIN(TURN, n - k);
        shares[turns++] = 1 - median(unmeasured + k, steps) / median(measured + k, steps);
    }
    return median(shares, turns);
}

NsSpeed *ns_speed_new(const NsTiming *timing)
{
    size_t steps = timing->timed[true], unmeasured = timing->timed[false],
           profiled = timing->profiled;
    if (steps == 0) return NULL;
    NsSpeed *speed = g_new0(NsSpeed, 1);
    speed->steps = steps;
    speed->each = g_memdup2(timing->ms[true], steps * sizeof *speed->each);
    speed->plan = timing->run->plan;
    speed->ms_per_step = median(speed->each, steps);
    speed->ms_unmeasured = median(timing->ms[false], unmeasured);
    speed->probe_share = share_of(speed->each, timing->ms[false], MIN(steps, unmeasured));
    speed->peak_rss_mib = timing->peak_rss_mib;
    if (isnan(speed->peak_rss_mib)) speed->peak_rss_mib = ns_memory_peak_mib();
    for (size_t op = 0; op < NS_OP_COUNT; op++)
        speed->operators[op] = median(timing->ops[op], profiled);
    const NsSettings *settings = &timing->run->settings;
    double tokens = (double)ns_settings_batch(settings) * (double)settings->seq;
    speed->tokens_per_s = 1e3 * tokens / speed->ms_per_step;
    speed->gflops = 1e3 * speed->plan.gflop_per_step / speed->ms_per_step;
    return speed;
}

NsTiming *ns_timing_new(size_t warm_up, size_t steps)
{
    NsTiming *timing = g_new0(NsTiming, 1);
    timing->warm_up = warm_up;
    timing->steps = steps;
    timing->all = warm_up + 2 * steps + PROFILED;
    timing->peak_rss_mib = (double)NAN;
    for (size_t i = 0; i < G_N_ELEMENTS(timing->ms); i++) timing->ms[i] = g_new0(double, steps);
    for (size_t op = 0; op < NS_OP_COUNT; op++) timing->ops[op] = g_new0(double, PROFILED);
    return timing;
}

void ns_timing_free(NsTiming *timing)
{
    ns_run_free(timing->run);
    for (size_t i = 0; i < G_N_ELEMENTS(timing->ms); i++) g_free(timing->ms[i]);
    for (size_t op = 0; op < NS_OP_COUNT; op++) g_free(timing->ops[op]);
    g_free(timing);
}

bool ns_timing_run(NsTiming *timing, const NsSettings *settings, NsTimingProgress progress,
                   void *data, GError **error)
{
    timing->progress = progress;
    timing->data = data;
    ns_memory_reset_peak();
    timing->run = ns_run_new(settings, error);
    if (!timing->run) return false;
    while (timing->done < timing->warm_up) {
        step(timing);
        if (!go_on(timing, error)) return false;
    }
    /* Alternate blocks in the order with, without, without, with, ..., so that a drift in the
     * machine's speed affects both alike. */
    size_t steps = timing->steps;
    for (size_t turn = 0; timing->timed[false] < steps || timing->timed[true] < steps; turn++) {
        bool measuring = (turn + 1) / 2 % 2 == 0;
        ns_run_set_measuring(timing->run, measuring);
        for (size_t k = 0; k < TURN && timing->timed[measuring] < steps; k++) {
            timing->ms[measuring][timing->timed[measuring]] = step(timing);
            atomic_fetch_add(&timing->timed[measuring], 1);
            if (!go_on(timing, error)) return false;
        }
    }
    ns_run_set_measuring(timing->run, true);
    timing->peak_rss_mib = ns_memory_peak_mib();
    double seconds[NS_OP_COUNT];
    for (size_t k = 0; k < PROFILED; k++) {
        ns_clock_enable(true);
        double rest = step(timing);
        ns_clock_enable(false);
        ns_clock_read(seconds);
        for (size_t op = 0; op < NS_OP_COUNT; op++) rest -= timing->ops[op][k] = 1e3 * seconds[op];
        timing->ops[NS_OP_OTHER][k] = MAX(rest, 0);
        atomic_fetch_add(&timing->profiled, 1);
        if (!go_on(timing, error)) return false;
    }
    return true;
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
    ns_json_known(&json, "probe_share", speed->probe_share);
    ns_json_known(&json, "peak_rss_mib", speed->peak_rss_mib);
    ns_json_open(&json, "operators", '{');
    for (size_t op = 0; op < NS_OP_COUNT; op++) {
        g_autofree char *key = ns_json_key(ns_op_key((NsOp)op));
        ns_json_known(&json, key, speed->operators[op]);
    }
    ns_json_close(&json, '}');
    ns_json_known(&json, "ms_unmeasured", speed->ms_unmeasured);
    ns_json_int(&json, "steps", (int64_t)speed->steps);
    ns_json_doubles(&json, "each_ms", speed->each, speed->steps);
    ns_json_int(&json, "threads", speed->plan.threads);
    ns_json_int(&json, "parameters", (int64_t)speed->plan.parameters);
    ns_json_double(&json, "gflop_per_step", speed->plan.gflop_per_step);
    ns_json_int(&json, "memory_bytes", (int64_t)speed->plan.total_bytes);
    ns_json_settings(&json, settings);
    ns_json_program(&json);
    return ns_json_finish(&json);
}
