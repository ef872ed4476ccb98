/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/digits.h"
#include "core/base/instructions.h"
#include "core/experiment/param.h"
#include "core/study/speed.h"
#include "ui/figures/settings_caption.h"

#include <math.h>
#include <stdio.h>

#define WARM_UP 3

static void show_table(const NsSpeed *speed, const NsSettings *settings)
{
    g_autofree char *words = ns_settings_words(settings);
    g_autofree char *steps = ns_group_digits((int64_t)speed->steps);
    g_autofree char *parameters = ns_group_digits((int64_t)speed->plan.parameters);
    printf("%s: medians of %s steps, %u %s, %s, %s parameters\n\n", words, steps,
           speed->plan.threads, speed->plan.threads == 1 ? "thread" : "threads",
           ns_instructions_choice(ns_instructions())->label, parameters);
    printf("%-16s%12.3f ms", "step", speed->ms_per_step);
    if (!isnan(speed->ms_unmeasured)) printf(", without measuring %.3f ms", speed->ms_unmeasured);
    putchar('\n');
    g_autofree char *tokens = ns_group_digits(llround(speed->tokens_per_s));
    printf("%-16s%12s tokens per second\n", "throughput", tokens);
    printf("%-16s%12.2f GFLOP/s in %.3f GFLOP of matrix products a step\n", "speed", speed->gflops,
           speed->plan.gflop_per_step);
    if (speed->probe_share < 0)
        printf("%-16s%12s\n", "measuring", "too little to be seen in these steps");
    else if (!isnan(speed->probe_share))
        printf("%-16s%11.1f%% of a step\n", "measuring", 100 * speed->probe_share);
    if (!isnan(speed->peak_rss_mib))
        printf("%-16s%12.1f MiB at its peak, %.1f of it planned\n", "memory", speed->peak_rss_mib,
               (double)speed->plan.total_bytes / (1 << 20));
    if (isnan(speed->operators[NS_OP_OTHER])) return;
    double all = 0;
    for (size_t op = 0; op < NS_OP_COUNT; op++) all += speed->operators[op];
    printf("\n%-16s%12s%8s\n", "operator", "ms a step", "share");
    for (size_t op = 0; op < NS_OP_COUNT; op++)
        printf("%-16s%12.3f%7.1f%%\n", ns_op_key((NsOp)op), speed->operators[op],
               all > 0 ? 100 * speed->operators[op] / all : 0);
}

/* A measurement in progress. */
typedef struct {
    const NsSettings *settings;
    bool json;
    NsTiming *timing;
    NsProgress progress;
} Going;

/* Shows the results up to now. */
static void show(void *data)
{
    Going *going = data;
    ns_progress_end(&going->progress);
    g_autoptr(NsSpeed) speed = ns_speed_new(going->timing);
    if (speed && going->json) {
        g_autofree char *text = ns_speed_json(speed, going->settings);
        puts(text);
    } else if (speed)
        show_table(speed, going->settings);
}

static bool look(void *data, int64_t done, int64_t of)
{
    Going *going = data;
    ns_progress_step(&going->progress, done, of, (double)NAN);
    return !ns_interrupt_signal();
}

static int run(NsArguments *a, GError **error)
{
    const NsSettings *settings = &a->experiment.lane[0];
    g_autoptr(NsTiming) timing = ns_timing_new(WARM_UP, (size_t)a->timed_steps);
    Going going = {.settings = settings, .json = a->json, .timing = timing};
    g_autoptr(GError) wrong = NULL;
    ns_progress_start(&going.progress, true);
    ns_interrupt_catch();
    ns_interrupt_begin(show, &going);
    ns_timing_run(timing, settings, look, &going, &wrong);
    ns_interrupt_end();
    if (!wrong) show(&going);
    ns_progress_end(&going.progress);
    if (wrong) g_propagate_error(error, g_steal_pointer(&wrong));
    return ns_interrupt_status();
}

const NsCommand ns_cli_bench = {
    .choice = {.key = "bench", .purpose = "Time the steps of a model and the cost of measuring"},
    .settings = "task=random eval-every=0",
    .one_seed = "times one seed",
    .trains = "--steps",
    .summary =
        "Times the steps of a model on random tokens: milliseconds per step, the share of a\n"
        "step spent on measuring, peak memory, and the time per operator.  Settings other "
        "than\n"
        "“task” (random) and “eval-every” (0) have their defaults.\n\n"
        "JSON: ms_per_step (the median), tokens_per_s, gflops (GFLOP/s), probe_share,\n"
        "peak_rss_mib, operators (ms per step), ms_unmeasured, steps, each_ms, threads,\n"
        "parameters, gflop_per_step, memory_bytes, settings, program, instructions.\n"
        "Ctrl-C prints the results up to then; unknown values are null.",
    .examples = NS_CLI " bench --set layers=100 --set vocab=96\n" NS_CLI
                       " bench --set placement=pre --steps 50 --json > bench.json",
    .run = run,
};
