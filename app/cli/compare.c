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
        "This command compares two to %d lanes, but there is %s; give a --lane for each, such as "
        "--lane placement=post --lane placement=pre, or a --preset that has them.",
        NS_LANES_MAX, words ? "only one" : "none");
}

int ns_cli_compare(int argc, char **argv, GError **error)
{
    g_autofree char *steps = NULL, *jsonl = NULL, *run = NULL;
    gint64 every = 0;
    g_auto(GStrv) lanes = NULL;
    const GOptionEntry entries[] = {
        ns_lanes_entry(&lanes),
        {"steps", 'n', 0, G_OPTION_ARG_STRING, &steps,
         "Steps to train (default: setting “steps”, else 300)", "N"},
        {"jsonl", 'j', 0, G_OPTION_ARG_FILENAME, &jsonl,
         "Write one JSON object per line to a file, or to standard output if it is “-”", "FILE"},
        ns_journal_run_entry(&run),
        ns_journal_every_entry(&every),
        {0},
    };
    g_auto(NsExperiment) experiment;
    ns_experiment_init(&experiment);
    experiment.lane[0].steps = NS_JOURNAL_STEPS;
    const NsOptions options = {
        .command = "compare",
        .summary =
            "Trains two to four models in lockstep.  They start from the same weights wherever\n"
            "their tensors match, and see the same batches; --set applies to all of them, --lane "
            "to\n"
            "one.  Without --jsonl a short table is printed at the end.\n\n"
            "JSON lines are those of “train”, each with “lane”, counted from 1: the settings of\n"
            "every lane, then every step of every lane, then the summaries.  A lane that diverges\n"
            "stops, and the others continue.  With --set steps=0 training continues until Ctrl-C,\n"
            "which ends it with the summaries and exit status 130.",
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
    const NsJournalPlan plan = {.jsonl = jsonl,
                                .run = run,
                                .every = every,
                                .limit = limit,
                                .show = ns_journal_show_lanes,
                                .data = names};
    bool ok = ns_journal_run(lockstep, &plan, error);
    return ok || ns_interrupt_signal() ? ns_interrupt_status() : NS_EXIT_ERROR;
}
