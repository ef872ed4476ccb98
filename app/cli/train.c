/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/model/placement.h"
#include "core/store/jsonl.h"
#include "core/train/trainer.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define DEFAULT_STEPS 300

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_)
{
    interrupted = signal_;
}

/* The first signal ends the run after its step, the second one the program. */
static void catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* What of a history has been written. */
typedef struct {
    NsLines *lines;
    size_t steps;
} Written;

static bool write_line(Written *written, char *line, GError **error)
{
    bool ok = ns_lines_write(written->lines, line, error);
    g_free(line);
    return ok;
}

static bool write_news(Written *written, NsRun *run, GError **error)
{
    if (!written->lines) return true;
    const NsHistory *history = ns_run_history(run);
    for (; written->steps < ns_history_steps(history); written->steps++)
        if (!write_line(written, ns_jsonl_record(history, written->steps), error)) return false;
    return true;
}

static double newest_loss(NsRun *run)
{
    const NsHistory *history = ns_run_history(run);
    return ns_history_step(history, ns_history_steps(history) - 1)->loss;
}

/* A run of `limit` steps, or without an end if that is negative.  The validation loss at the end
 * belongs into the line of the last step, which therefore waits for it. */
static bool train(NsRun *run, gint64 limit, Written *written, NsProgress *progress, GError **error)
{
    while (!interrupted && !ns_run_diverged(run) && (limit < 0 || ns_run_steps(run) < limit)) {
        if (!write_news(written, run, error)) return false;
        ns_run_step(run);
        ns_progress_step(progress, ns_run_steps(run), limit, newest_loss(run));
    }
    if (!ns_run_diverged(run)) ns_run_evaluate(run);
    return write_news(written, run, error);
}

static NsTrainerState state_of(NsRun *run)
{
    if (ns_run_diverged(run)) return NS_TRAINER_DIVERGED;
    return interrupted ? NS_TRAINER_PAUSED : NS_TRAINER_FINISHED;
}

static void show_loss(const char *name, double first, double last)
{
    printf("%-16s", name);
    if (isfinite(first)) printf("%.4f → ", first);
    printf("%.4f nats per token\n", last);
}

/* The result for people. */
static void show_result(NsRun *run, const char *state)
{
    const NsHistory *history = ns_run_history(run);
    const NsSettings *settings = ns_run_settings(run);
    const NsCorpus *corpus = ns_run_corpus(run);
    size_t records = ns_history_steps(history), evaluations = ns_history_evaluations(history);
    double seconds = 0;
    for (size_t i = 1; i < records; i++) seconds += ns_history_step(history, i)->seconds;

    printf("%-16s%s, %zu characters, %zu distinct\n", "text", corpus->name, corpus->n, corpus->V);
    printf("%-16s%s, %" G_GINT64_FORMAT " layers, %zu parameters\n", "model",
           ns_placement(settings->placement)->choice.label, settings->layers,
           ns_run_plan(run).parameters);
    printf("%-16s%s after %zu steps\n", "state", state, records - 1);
    show_loss("training loss", records > 1 ? ns_history_step(history, 0)->loss : (double)NAN,
              ns_history_step(history, records - 1)->loss);
    if (evaluations)
        show_loss("validation loss",
                  evaluations > 1 ? ns_history_evaluation(history, 0)->loss : (double)NAN,
                  ns_history_evaluation(history, evaluations - 1)->loss);
    if (records > 1)
        printf("%-16s%.2f ms per step\n", "time", 1e3 * seconds / (double)(records - 1));
    for (size_t i = 0; i < ns_history_events(history); i++)
        if (ns_history_event(history, i)->kind == NS_EVENT_DIVERGED)
            printf("%s\n", ns_history_event(history, i)->text);
}

int ns_cli_train(int argc, char **argv, GError **error)
{
    g_autofree char *steps = NULL, *jsonl = NULL;
    const GOptionEntry entries[] = {
        {"steps", 'n', 0, G_OPTION_ARG_STRING, &steps,
         "Steps to train (default: setting “steps”, else 300)", "N"},
        {"jsonl", 'j', 0, G_OPTION_ARG_FILENAME, &jsonl,
         "Write one JSON object a line to a file, or to standard output if it is “-”", "FILE"},
        {0},
    };
    NsSettings settings;
    ns_settings_init(&settings);
    settings.steps = DEFAULT_STEPS;
    const NsOptions options = {
        .command = "train",
        .summary =
            "Trains a model.  Without --jsonl a short result is shown at the end.\n\n"
            "JSON lines: the settings, then one line a step from step 0 (before any update),\n"
            "with the validation loss and events where there are any, then the summary.  A\n"
            "value that is not finite is the string \"NaN\", \"Infinity\" or \"-Infinity\".\n\n"
            "A run that diverges is a result: the state says so, the exit status is 0.\n"
            "With --set steps=0 it goes on until Ctrl-C, which ends it after its step with\n"
            "the summary and exit status 130.",
        .examples = NS_CLI " train --set placement=pre --set layers=12 --steps 500\n" NS_CLI
                           " train --set text=book.txt --jsonl run.jsonl",
        .entries = entries,
        .settings = &settings,
        .steps = (const char *const *)&steps,
    };
    bool go = ns_options_read(&options, &argc, &argv, error);
    gint64 limit = !steps && settings.steps == 0 ? -1 : settings.steps;
    g_autoptr(NsRun) run = go ? ns_run_new(&settings, error) : NULL;
    ns_settings_clear(&settings);
    if (!run) return NS_EXIT_OK;

    Written written = {.lines = jsonl ? ns_lines_open(jsonl, error) : NULL};
    if (jsonl && !written.lines) return NS_EXIT_ERROR;
    NsProgress progress;
    ns_progress_start(&progress, !(jsonl && g_str_equal(jsonl, "-") && isatty(STDOUT_FILENO)));
    catch_interrupt();
    bool ok = !written.lines || write_line(&written, ns_jsonl_settings(run), error);
    ok = ok && train(run, limit, &written, &progress, error);
    ns_progress_end(&progress);

    const char *state = ns_trainer_state_word(state_of(run));
    if (written.lines) {
        ok = ok && write_line(&written, ns_jsonl_summary(run, state), error);
        ns_lines_close(written.lines, error);
    } else if (ok)
        show_result(run, state);
    return interrupted ? NS_EXIT_SIGNAL + (int)interrupted : NS_EXIT_OK;
}
