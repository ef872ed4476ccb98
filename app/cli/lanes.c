/* Lanes in training: how they start, how they are trained, and what is written meanwhile.
 * SPDX-License-Identifier: MIT */
#include "app/cli/lanes.h"

#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/experiment/param.h"
#include "core/store/dump.h"
#include "core/store/gpt2.h"
#include "core/store/jsonl.h"
#include "core/store/run_writer.h"
#include "core/study/statistics.h"
#include "core/train/trainer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define SPIKES_SHOWN 3

char **ns_lanes_names(const NsExperiment *experiment, char **words)
{
    if (words) return g_strdupv(words);
    char **names = g_new0(char *, experiment->n + 1);
    for (size_t i = 0; i < experiment->n; i++) names[i] = ns_experiment_lane_words(experiment, i);
    return names;
}

bool ns_checkpoint_open(NsArguments *a, NsCheckpoint **checkpoint, GError **error)
{
    NsSettings *settings = &a->experiment.lane[0];
    if (!a->checkpoint) return true;
    if (ns_dump_is(a->checkpoint)) {
        *checkpoint = ns_dump_read(a->checkpoint, error);
        for (size_t i = 0; *checkpoint && i < NS_PARAM_COUNT; i++) {
            const char *key = ns_param(i)->key;
            g_autofree char *value = ns_settings_get(&(*checkpoint)->settings, ns_param(i));
            if (!ns_named_has(&a->named, key) && !ns_settings_set(settings, key, value, error))
                return false;
        }
        return *checkpoint && ns_outputs_spare_inputs(a, error);
    }
    g_autofree char *words = ns_gpt2_settings(a->checkpoint, error);
    if (!words || !ns_settings_name_all(settings, &a->named, words, error)) return false;
    g_autofree char *note = NULL;
    *checkpoint = ns_gpt2_read(a->checkpoint, &a->experiment, &note, error);
    if (note) fprintf(stderr, NS_CLI ": %s\n", note);
    return *checkpoint != NULL;
}

NsLockstep *ns_lanes_start(const NsExperiment *experiment, NsCheckpoint *first, GError **error)
{
    NsCheckpoint *origins[NS_LANES_MAX] = {first};
    g_autoptr(NsLockstep) lockstep =
        ns_lockstep_new(experiment, first ? origins : NULL, NULL, NULL, error);
    if (!lockstep || !first) return g_steal_pointer(&lockstep);
    const NsTensorTable *table = ns_model_tensors(ns_lockstep_run(lockstep, 0, 0)->model);
    return ns_checkpoint_fits(first, table, error) ? g_steal_pointer(&lockstep) : NULL;
}

gint64 ns_lanes_steps(NsLockstep *lockstep)
{
    gint64 steps = 0;
    for (size_t i = 0; i < ns_lockstep_lanes(lockstep); i++)
        for (size_t k = 0; k < ns_lockstep_seeds(lockstep); k++) {
            const NsHistory *history = ns_lockstep_run(lockstep, i, k)->history;
            steps = MAX(steps, ns_history_step(history, ns_history_steps(history) - 1)->step);
        }
    return steps;
}

void ns_lanes_train(NsLockstep *lockstep, gint64 limit, NsInterruptFinish *finish, void *data)
{
    NsProgress progress;
    ns_progress_start(&progress, limit > 0);
    ns_interrupt_catch();
    bool go = true;
    while (go && !ns_interrupt_signal() && ns_lanes_steps(lockstep) < limit) {
        ns_interrupt_begin(finish, data);
        go = ns_lockstep_step(lockstep);
        ns_interrupt_end();
        if (go) ns_progress_step(&progress, ns_lanes_steps(lockstep), limit, (double)NAN);
    }
    ns_progress_end(&progress);
}

void ns_lanes_report_end(NsLockstep *lockstep, gint64 limit)
{
    gint64 step = ns_lanes_steps(lockstep);
    if (step >= limit) return;
    const char *why = ns_interrupt_signal()             ? "Interrupted"
                      : ns_lockstep_seeds(lockstep) > 1 ? "The last seed diverged"
                      : ns_lockstep_lanes(lockstep) > 1 ? "The last lane diverged"
                                                        : "The run diverged";
    g_autofree char *at = ns_group_digits(step), *end = ns_group_digits(limit);
    fprintf(stderr, NS_CLI ": %s at step %s of %s; everything up to that step has been written.\n",
            why, at, end);
}

/* ---- Recorded training ---- */

/* Lanes in training, and their output. */
typedef struct {
    NsLockstep *lockstep;
    const NsJournalPlan *plan;
    NsLines *lines;                             /* NULL without --jsonl */
    NsRunWriter *writer;                        /* NULL: no run file, or it failed */
    bool run_is_complete;                       /* recording has not failed */
    size_t records[NS_LANES_MAX][NS_SEEDS_MAX]; /* of each run, that have been written */
    NsProgress progress;
} Journal;

/* Writes a line; with several lanes or seeds it names its own.  `run` is NULL for all seeds of a
 * lane. */
static bool write_line(const Journal *journal, size_t lane, NsRun *run, char *taken, GError **error)
{
    bool lanes = ns_lockstep_lanes(journal->lockstep) > 1;
    bool seeds = run && ns_lockstep_seeds(journal->lockstep) > 1;
    g_autofree char *line = taken;
    g_autofree char *own = ns_jsonl_of(lanes ? lane + 1 : 0, seeds ? run->settings.seed : -1, line);
    return ns_lines_write(journal->lines, own, error);
}

/* Writes something of every run, lane by lane. */
typedef bool (*Write)(Journal *journal, size_t lane, size_t seed, NsRun *run, GError **error);

static bool write_settings(Journal *journal, size_t lane, size_t seed, NsRun *run, GError **error)
{
    return seed > 0 || write_line(journal, lane, NULL, ns_jsonl_settings(run), error);
}

/* Writes every record that has not been written yet. */
static bool write_news(Journal *journal, size_t lane, size_t seed, NsRun *run, GError **error)
{
    const NsHistory *history = run->history;
    size_t *records = &journal->records[lane][seed];
    for (; *records < ns_history_steps(history); ++*records)
        if (!write_line(journal, lane, run, ns_jsonl_record(history, *records), error))
            return false;
    return true;
}

static bool write_summary(Journal *journal, size_t lane, size_t seed, NsRun *run, GError **error)
{
    (void)seed;
    return write_line(journal, lane, run, ns_jsonl_summary(run, ns_journal_state(run)), error);
}

static bool write_lanes(Write write, Journal *journal, GError **error)
{
    if (!journal->lines) return true;
    for (size_t i = 0; i < ns_lockstep_lanes(journal->lockstep); i++)
        for (size_t k = 0; k < ns_lockstep_seeds(journal->lockstep); k++)
            if (!write(journal, i, k, ns_lockstep_run(journal->lockstep, i, k), error))
                return false;
    return true;
}

/* ---- The run file ---- */

static void report(Journal *journal, const char *sentence)
{
    ns_progress_end(&journal->progress);
    fprintf(stderr, NS_CLI ": %s\n", sentence);
}

static void report_message(Journal *journal)
{
    g_autofree char *message = ns_run_writer_take_message(journal->writer);
    if (message) report(journal, message);
}

static void close_run(Journal *journal)
{
    if (!journal->writer) return;
    ns_run_writer_add(journal->writer, journal->lockstep);
    report_message(journal);
    char *summaries[NS_LANES_MAX * NS_SEEDS_MAX];
    size_t seeds = ns_lockstep_seeds(journal->lockstep);
    size_t n = ns_lockstep_lanes(journal->lockstep) * seeds;
    for (size_t i = 0; i < n; i++) {
        NsRun *run = ns_lockstep_run(journal->lockstep, i / seeds, i % seeds);
        summaries[i] = ns_jsonl_summary(run, ns_journal_state(run));
    }
    g_autoptr(GError) wrong = NULL;
    NsRunWriter *writer = g_steal_pointer(&journal->writer);
    if (!ns_run_writer_close(writer, summaries, &wrong)) journal->run_is_complete = false;
    if (wrong) report(journal, wrong->message);
    for (size_t i = 0; i < n; i++) g_free(summaries[i]);
}

/* ---- Training ---- */

/* Writes everything that is left, and the summaries. */
static bool finish(Journal *journal, GError **error)
{
    ns_progress_end(&journal->progress);
    close_run(journal);
    bool ok = write_lanes(write_news, journal, error) && write_lanes(write_summary, journal, error);
    if (!journal->lines) journal->plan->show(journal->lockstep, journal->plan->data);
    return ok;
}

static void finish_early(void *data)
{
    finish(data, NULL);
}

static double newest_loss(NsRun *run)
{
    const NsHistory *history = run->history;
    return ns_history_step(history, ns_history_steps(history) - 1)->loss;
}

/* Trains up to the limit.  The lines of the last step are written after it, because they include
 * the final validation loss. */
static bool train(Journal *journal, GError **error)
{
    NsLockstep *lockstep = journal->lockstep;
    gint64 limit = journal->plan->limit;
    size_t lanes = ns_lockstep_lanes(lockstep);
    bool go = true;
    while (go && !ns_interrupt_signal() && (limit < 0 || ns_lanes_steps(lockstep) < limit)) {
        if (!write_lanes(write_news, journal, error)) return false;
        if (journal->writer) {
            ns_run_writer_step(journal->writer, lockstep);
            report_message(journal);
        }
        ns_interrupt_begin(finish_early, journal);
        go = ns_lockstep_step(lockstep);
        ns_interrupt_end();
        ns_progress_step(&journal->progress, ns_lanes_steps(lockstep), limit,
                         lanes > 1 ? (double)NAN : newest_loss(ns_lockstep_run(lockstep, 0, 0)));
    }
    /* “resume” continues from this checkpoint. */
    if (journal->writer && !ns_run_writer_checkpoint(journal->writer, lockstep)) {
        report(journal,
               "There is not enough memory for a checkpoint of the last step; “resume” continues "
               "from the previous one.");
        journal->run_is_complete = false;
    }
    ns_interrupt_begin(finish_early, journal);
    ns_lockstep_evaluate(lockstep);
    ns_interrupt_end();
    return true;
}

bool ns_journal_run(NsLockstep *lockstep, const NsJournalPlan *plan, GError **error)
{
    Journal journal = {.lockstep = lockstep, .plan = plan, .run_is_complete = true};
    const char *jsonl = plan->jsonl;
    /* Check both files first, so that neither is touched if the other is refused. */
    if (!ns_outputs_differ(jsonl, plan->run, error) ||
        (jsonl && !g_str_equal(jsonl, "-") && !ns_output_check(jsonl, error)))
        return false;
    if (plan->run && !(journal.writer = (plan->resume ? ns_run_writer_resume : ns_run_writer_new)(
                           plan->run, lockstep, plan->every, error)))
        return false;
    if (jsonl) journal.lines = ns_lines_open(jsonl, true, error);
    bool ok = !jsonl || journal.lines;
    ns_progress_start(&journal.progress,
                      !(jsonl && g_str_equal(jsonl, "-") && isatty(STDOUT_FILENO)));
    ns_interrupt_catch();
    ok = ok && write_lanes(write_settings, &journal, error) && train(&journal, error);
    ok = ok && finish(&journal, error);
    close_run(&journal);
    ns_progress_end(&journal.progress);
    ok = journal.lines ? ns_lines_close(journal.lines, ok, error) : ok;
    return ok && journal.run_is_complete;
}

const char *ns_journal_state(NsRun *run)
{
    NsTrainerState state = run->diverged           ? NS_TRAINER_DIVERGED
                           : ns_interrupt_signal() ? NS_TRAINER_PAUSED
                                                   : NS_TRAINER_FINISHED;
    return ns_trainer_state_word(state);
}

void ns_journal_show_trouble(NsRun *run, const char *indent)
{
    const NsHistory *history = run->history;
    size_t spikes = 0;
    for (size_t i = 0; i < ns_history_events(history); i++) {
        const NsEvent *event = ns_history_event(history, i);
        if (event->kind == NS_EVENT_SPIKE && ++spikes <= SPIKES_SHOWN)
            printf("%s%s\n", indent, event->text);
    }
    if (spikes > SPIKES_SHOWN) {
        g_autofree char *more = ns_group_digits((int64_t)(spikes - SPIKES_SHOWN));
        printf("%s%s more spikes followed.\n", indent, more);
    }
    size_t n = ns_history_events(history);
    const NsEvent *last = n ? ns_history_event(history, n - 1) : NULL;
    if (last && last->kind == NS_EVENT_DIVERGED) printf("%s%s\n", indent, last->text);
}

void ns_journal_show_seeds(NsLockstep *lockstep)
{
    size_t lanes = ns_lockstep_lanes(lockstep), seeds = ns_lockstep_seeds(lockstep);
    for (size_t i = 0; seeds > 1 && i < lanes; i++) {
        size_t n = 0, diverged = ns_lockstep_diverged(lockstep, i);
        double losses[NS_SEEDS_MAX];
        for (size_t k = 0; k < seeds; k++) {
            NsRun *run = ns_lockstep_run(lockstep, i, k);
            if (!run->diverged) losses[n++] = newest_loss(run);
        }
        NsMoments moments = ns_moments(losses, n);
        if (lanes > 1) printf("lane %zu: ", i + 1);
        if (n > 1)
            printf("training loss %.4f ± %.4f, mean and s.d. of %zu seeds", moments.mean,
                   moments.sd, n);
        if (diverged) printf("%s%zu of %zu seeds diverged", n > 1 ? "; " : "", diverged, seeds);
        puts("");
    }
}

double ns_journal_ms_per_step(NsRun *run)
{
    const NsHistory *history = run->history;
    size_t records = ns_history_steps(history);
    double seconds = 0;
    for (size_t i = 1; i < records; i++) seconds += ns_history_step(history, i)->seconds;
    return records > 1 ? 1e3 * seconds / (double)(records - 1) : (double)NAN;
}

/* ---- Table ---- */

#define CELL 14

void ns_journal_show_lanes(NsLockstep *lockstep, void *data)
{
    char **words = data;
    g_autoptr(GString) row = g_string_new("lane   steps");
    ns_row_add(row, CELL, "training loss");
    ns_row_add(row, CELL, "validation");
    ns_row_add(row, CELL, "ms per step");
    g_string_append(row, "  state      settings");
    ns_row_print(row);
    size_t seeds = ns_lockstep_seeds(lockstep);
    for (size_t i = 0; i < ns_lockstep_lanes(lockstep) * seeds; i++) {
        size_t lane = i / seeds;
        NsRun *run = ns_lockstep_run(lockstep, lane, i % seeds);
        NsHistory *history = run->history;
        size_t records = ns_history_steps(history), evaluations = ns_history_evaluations(history);
        ns_row_add(row, 4, "%zu", lane + 1);
        ns_row_count(row, 8, ns_history_step(history, records - 1)->step);
        ns_row_number(row, CELL, "%.4f", newest_loss(run));
        const NsEvaluation *evaluation =
            evaluations ? ns_history_evaluation(history, evaluations - 1) : NULL;
        if (evaluation && evaluation->step == ns_history_step(history, records - 1)->step)
            ns_row_number(row, CELL, "%.4f", evaluation->loss);
        else
            ns_row_add(row, CELL, NS_ABSENT);
        if (records > 1)
            ns_row_number(row, CELL, "%.2f", ns_journal_ms_per_step(run));
        else
            ns_row_add(row, CELL, NS_ABSENT);
        g_string_append_printf(row, "  %-9s  %s", ns_journal_state(run), words[lane]);
        if (seeds > 1)
            g_string_append_printf(row, "%sseed=%" G_GINT64_FORMAT, *words[lane] ? " " : "",
                                   run->settings.seed);
        ns_row_print(row);
        ns_journal_show_trouble(run, "      ");
    }
    ns_journal_show_seeds(lockstep);
}
