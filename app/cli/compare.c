/* SPDX-License-Identifier: MIT */
#include "app/cli/journal.h"
#include "app/cli/lanes.h"

#include "core/base/error.h"

#include <stdio.h>

static bool check_several(const NsExperiment *experiment, char **words, GError **error)
{
    if (experiment->n > 1) return true;
    return ns_refuse(
        error, NS_ERROR_USAGE,
        "Two to %d lanes are compared, and there is %s; give a --lane for each, such as --lane "
        "placement=post --lane placement=pre, or a --preset that has them.",
        NS_LANES_MAX, words ? "only one" : "none");
}

/* ---- The result for people ---- */

#define CELL 14

static void pad_number(GString *line, bool there, const char *format, double value)
{
    g_autofree char *text = there ? ns_output_number(format, value) : g_strdup(NS_ABSENT);
    ns_output_pad(line, text, CELL);
}

static void show_lane(NsRun *run, size_t lane, const char *words)
{
    NsHistory *history = ns_run_history(run);
    size_t evaluations = ns_history_evaluations(history);
    double validation = evaluations ? ns_history_evaluation(history, evaluations - 1)->loss : 0;
    g_autoptr(GString) line = g_string_new(NULL);
    g_string_append_printf(line, "%4zu", lane);
    gint64 step = ns_history_step(history, ns_history_steps(history) - 1)->step;
    g_autofree char *steps = g_strdup_printf("%" G_GINT64_FORMAT, step);
    ns_output_pad(line, steps, 8);
    pad_number(line, true, "%.4f", ns_journal_newest_loss(run));
    pad_number(line, evaluations > 0, "%.4f", validation);
    pad_number(line, ns_history_steps(history) > 1, "%.2f", ns_journal_ms_per_step(run));
    g_string_append_printf(line, "  %-9s  %s", ns_journal_state(run), words);
    puts(g_strchomp(line->str));
    ns_journal_show_trouble(run, "      ");
}

static void show_result(NsLockstep *lockstep, void *data)
{
    char **words = data;
    static const char *const heads[] = {"training loss", "validation", "ms per step"};
    g_autoptr(GString) line = g_string_new("lane   steps");
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) ns_output_pad(line, heads[i], CELL);
    g_string_append(line, "  state      settings");
    puts(line->str);
    bool several = ns_lockstep_seeds(lockstep) > 1;
    for (size_t i = 0; i < ns_lockstep_lanes(lockstep); i++)
        for (size_t k = 0; k < ns_lockstep_seeds(lockstep); k++) {
            NsRun *run = ns_lockstep_run(lockstep, i, k);
            g_autofree char *seed =
                several ? g_strdup_printf("%s%sseed=%" G_GINT64_FORMAT, words[i],
                                          *words[i] ? " " : "", ns_run_settings(run)->seed)
                        : NULL;
            show_lane(run, i + 1, seed ? seed : words[i]);
        }
    ns_journal_show_seeds(lockstep);
}

int ns_cli_compare(int argc, char **argv, GError **error)
{
    g_autofree char *steps = NULL, *jsonl = NULL, *run = NULL;
    g_auto(GStrv) lanes = NULL;
    const GOptionEntry entries[] = {
        ns_lanes_entry(&lanes),
        {"steps", 'n', 0, G_OPTION_ARG_STRING, &steps,
         "Steps to train (default: setting “steps”, else 300)", "N"},
        {"jsonl", 'j', 0, G_OPTION_ARG_FILENAME, &jsonl,
         "Write one JSON object a line to a file, or to standard output if it is “-”", "FILE"},
        ns_journal_run_entry(&run),
        {0},
    };
    g_auto(NsExperiment) experiment;
    ns_experiment_init(&experiment);
    experiment.lane[0].steps = NS_JOURNAL_STEPS;
    const NsOptions options = {
        .command = "compare",
        .summary =
            "Trains two to four models step by step together.  They start from the same values\n"
            "wherever their tensors match, and see the same batches; --set holds for all of them,\n"
            "--lane for one.  Without --jsonl a short table is shown at the end.\n\n"
            "JSON lines are those of “train”, each with “lane”, counted from 1: the settings of\n"
            "every lane, then every step of every lane, then the summaries.  A lane that diverges\n"
            "stands still, the others go on.  With --set steps=0 it goes on until Ctrl-C, which\n"
            "ends it with the summaries and exit status 130.",
        .examples =
            NS_CLI " compare --lane placement=pre --lane placement=post --steps 500\n" NS_CLI
                   " compare --set layers=12 --lane \"placement=post warmup=1\""
                   " --lane \"placement=post warmup=100\" --jsonl both.jsonl\n" NS_CLI
                   " compare --preset sgd-adam",
        .entries = entries,
        .experiment = &experiment,
        .lanes = &lanes,
        .steps = (const char *const *)&steps,
        .lines = (const char *const *)&jsonl,
    };
    bool go =
        ns_options_read(&options, &argc, &argv, error) && check_several(&experiment, lanes, error);
    gint64 limit = ns_journal_limit(&experiment.lane[0], steps);
    g_autoptr(NsLockstep) lockstep = go ? ns_lanes_start(&experiment, jsonl, error) : NULL;
    if (!lockstep) return NS_EXIT_OK;
    g_auto(GStrv) names = ns_lanes_names(&experiment, lanes);
    const NsJournalPlan plan = {jsonl, run, limit, show_result, names};
    bool ok = ns_journal_run(lockstep, &plan, error);
    return ok || ns_interrupt_signal() ? ns_interrupt_status() : NS_EXIT_ERROR;
}
