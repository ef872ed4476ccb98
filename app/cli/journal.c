/* SPDX-License-Identifier: MIT */
#include "app/cli/journal.h"

#include "core/store/jsonl.h"
#include "core/train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define SPIKES_SHOWN 3

/* The lines of one lane. */
typedef struct {
    NsLines *lines; /* NULL: nothing is written */
    size_t lane;    /* counted from 1; 0 for a run on its own */
    size_t records; /* that have been written */
} Journal;

gint64 ns_journal_limit(const NsSettings *settings, const char *steps)
{
    return !steps && settings->steps == 0 ? -1 : settings->steps;
}

static bool write_line(Journal *journal, char *taken, GError **error)
{
    g_autofree char *line = taken;
    g_autofree char *in_lane = journal->lane ? ns_jsonl_in_lane(journal->lane, line) : NULL;
    return ns_lines_write(journal->lines, in_lane ? in_lane : line, error);
}

static bool write_settings(Journal *journal, NsRun *run, GError **error)
{
    return write_line(journal, ns_jsonl_settings(run), error);
}

/* Every record that has not been written yet. */
static bool write_news(Journal *journal, NsRun *run, GError **error)
{
    const NsHistory *history = ns_run_history(run);
    for (; journal->records < ns_history_steps(history); journal->records++)
        if (!write_line(journal, ns_jsonl_record(history, journal->records), error)) return false;
    return true;
}

static bool write_summary(Journal *journal, NsRun *run, GError **error)
{
    return write_line(journal, ns_jsonl_summary(run, ns_journal_state(run)), error);
}

typedef bool (*Write)(Journal *journal, NsRun *run, GError **error);

static bool write_lanes(Write write, Journal *journals, NsLockstep *lockstep, GError **error)
{
    if (!journals->lines) return true;
    for (size_t i = 0; i < ns_lockstep_lanes(lockstep); i++)
        if (!write(&journals[i], ns_lockstep_lane(lockstep, i), error)) return false;
    return true;
}

/* The validation loss at the end belongs into the lines of the last step, which therefore wait for
 * it. */
static bool train(NsLockstep *lockstep, gint64 limit, Journal *journals, NsProgress *progress,
                  GError **error)
{
    size_t lanes = ns_lockstep_lanes(lockstep);
    NsRun *first = ns_lockstep_lane(lockstep, 0);
    bool go = true;
    while (go && !ns_interrupt_signal() && (limit < 0 || ns_lockstep_steps(lockstep) < limit)) {
        if (!write_lanes(write_news, journals, lockstep, error)) return false;
        go = ns_lockstep_step(lockstep);
        ns_progress_step(progress, ns_lockstep_steps(lockstep), limit,
                         lanes > 1 ? (double)NAN : ns_journal_newest_loss(first));
    }
    for (size_t i = 0; i < lanes; i++) {
        NsRun *run = ns_lockstep_lane(lockstep, i);
        if (!ns_run_diverged(run)) ns_run_evaluate(run);
    }
    return write_lanes(write_news, journals, lockstep, error);
}

bool ns_journal_run(NsLockstep *lockstep, const char *jsonl, gint64 limit, GError **error)
{
    NsLines *lines = jsonl ? ns_lines_open(jsonl, error) : NULL;
    if (jsonl && !lines) return false;
    Journal journals[NS_LANES_MAX];
    for (size_t i = 0; i < NS_LANES_MAX; i++)
        journals[i] =
            (Journal){.lines = lines, .lane = ns_lockstep_lanes(lockstep) > 1 ? i + 1 : 0};

    NsProgress progress;
    ns_progress_start(&progress, !(jsonl && g_str_equal(jsonl, "-") && isatty(STDOUT_FILENO)));
    ns_interrupt_catch();
    bool ok = write_lanes(write_settings, journals, lockstep, error) &&
              train(lockstep, limit, journals, &progress, error);
    ns_progress_end(&progress);
    ok = ok && write_lanes(write_summary, journals, lockstep, error);
    return (!lines || ns_lines_close(lines, error)) && ok;
}

const char *ns_journal_state(NsRun *run)
{
    NsTrainerState state = ns_run_diverged(run)    ? NS_TRAINER_DIVERGED
                           : ns_interrupt_signal() ? NS_TRAINER_PAUSED
                                                   : NS_TRAINER_FINISHED;
    return ns_trainer_state_word(state);
}

void ns_journal_show_trouble(NsRun *run, const char *indent)
{
    const NsHistory *history = ns_run_history(run);
    size_t spikes = 0;
    for (size_t i = 0; i < ns_history_events(history); i++) {
        const NsEvent *event = ns_history_event(history, i);
        if (event->kind == NS_EVENT_SPIKE && ++spikes <= SPIKES_SHOWN)
            printf("%s%s\n", indent, event->text);
    }
    if (spikes > SPIKES_SHOWN)
        printf("%s%zu more jumps followed.\n", indent, spikes - SPIKES_SHOWN);
    size_t n = ns_history_events(history);
    const NsEvent *last = n ? ns_history_event(history, n - 1) : NULL;
    if (last && last->kind == NS_EVENT_DIVERGED) printf("%s%s\n", indent, last->text);
}

double ns_journal_newest_loss(NsRun *run)
{
    const NsHistory *history = ns_run_history(run);
    return ns_history_step(history, ns_history_steps(history) - 1)->loss;
}

double ns_journal_ms_per_step(NsRun *run)
{
    const NsHistory *history = ns_run_history(run);
    size_t records = ns_history_steps(history);
    double seconds = 0;
    for (size_t i = 1; i < records; i++) seconds += ns_history_step(history, i)->seconds;
    return records > 1 ? 1e3 * seconds / (double)(records - 1) : (double)NAN;
}
