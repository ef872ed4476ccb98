/* SPDX-License-Identifier: MIT */
#include "app/cli/journal.h"

#include "core/store/jsonl.h"
#include "core/train/trainer.h"

#include <math.h>
#include <stdio.h>

#define SPIKES_SHOWN 3

static bool write_line(NsJournal *journal, char *taken, GError **error)
{
    g_autofree char *line = taken;
    g_autofree char *in_lane = journal->lane ? ns_jsonl_in_lane(journal->lane, line) : NULL;
    return ns_lines_write(journal->lines, in_lane ? in_lane : line, error);
}

bool ns_journal_settings(NsJournal *journal, NsRun *run, GError **error)
{
    return !journal->lines || write_line(journal, ns_jsonl_settings(run), error);
}

bool ns_journal_news(NsJournal *journal, NsRun *run, GError **error)
{
    if (!journal->lines) return true;
    const NsHistory *history = ns_run_history(run);
    for (; journal->records < ns_history_steps(history); journal->records++)
        if (!write_line(journal, ns_jsonl_record(history, journal->records), error)) return false;
    return true;
}

bool ns_journal_summary(NsJournal *journal, NsRun *run, GError **error)
{
    return !journal->lines ||
           write_line(journal, ns_jsonl_summary(run, ns_journal_state(run)), error);
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
