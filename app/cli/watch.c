/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/store/jsonl.h"
#include "core/store/recorded_run.h"
#include "core/train/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The longest delay before a signal takes effect. */
#define LOOK_MILLISECONDS 100

/* A lane of a file, and how much of it was shown. */
typedef struct {
    NsHistory *history; /* a reference */
    size_t records;     /* number of records shown */
    size_t number;      /* of the lane among all files, from 1; 0 before its first record */
} Shown;

typedef struct {
    NsRecordedRun *run;
    size_t replaced; /* how often that was reported */
    Shown lanes[NS_LANES_MAX];
} Source;

typedef struct {
    Source sources[NS_LANES_MAX];
    size_t n, lanes; /* lanes of all files */
    bool once;
    NsLines *lines; /* NULL without --jsonl */
    NsProgress progress;
} Watch;

static void watch_clear(Watch *watch)
{
    for (size_t i = 0; i < watch->n; i++) {
        Source *source = &watch->sources[i];
        for (size_t k = 0; k < NS_LANES_MAX; k++)
            g_clear_pointer(&source->lanes[k].history, ns_history_unref);
        ns_recorded_run_free(source->run);
    }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Watch, watch_clear)

static bool open_sources(Watch *watch, char **paths, GError **error)
{
    for (char **path = paths; *path; path++) {
        Source *source = &watch->sources[watch->n++];
        source->run = ns_recorded_run_follow(*path, NS_HISTORY_BUDGET / NS_LANES_MAX, error);
        if (!source->run) return false;
        bool there = g_str_equal(*path, "-") || g_file_test(*path, G_FILE_TEST_EXISTS);
        if (!there && watch->once)
            return ns_refuse(error, NS_ERROR_FILE,
                             "“%s” does not exist; omit --once to wait for it.", source->run->name);
        if (!there)
            fprintf(stderr, NS_CLI ": “%s” does not exist yet; waiting for it.\n",
                    source->run->name);
    }
    return true;
}

/* Whether a record was shown when it was in another history, also if its gradient norm arrived
 * later than the rest of the step. */
static bool was_shown(const NsHistory *old, size_t shown, const NsStep *step)
{
    int64_t record = old ? ns_history_record(old, step->step) : -1;
    if (record < 0 || (size_t)record >= shown) return false;
    const NsStep *a = ns_history_step(old, (size_t)record);
    return a->step == step->step && memcmp(&a->loss, &step->loss, sizeof a->loss) == 0 &&
           (a->grad_norm_absent ||
            memcmp(&a->grad_norm, &step->grad_norm, sizeof a->grad_norm) == 0);
}

static bool report_news(Watch *watch, Source *source, GError **error)
{
    NsRecordedRun *run = source->run;
    if (source->replaced < run->replaced)
        g_queue_push_head(&run->messages,
                          g_strdup_printf("“%s”: The file was replaced by another one; its run "
                                          "replaces the run read so far.",
                                          run->name));
    source->replaced = run->replaced;
    if (run->messages.length) ns_progress_end(&watch->progress);
    ns_output_messages(&run->messages);
    /* Another file of the run may replace or complete a record. */
    if (watch->once && run->state != NS_OUTSIDE_CLOSED) return true;
    bool partial = ns_recorded_run_is_partial(run);
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        Shown *shown = &source->lanes[i];
        NsHistory *history = run->histories[i];
        size_t records = history ? ns_history_steps(history) : 0;
        /* Each line is written only once, so it waits until its step is complete. */
        if (records && partial) records--;
        if (records && !shown->number) shown->number = ++watch->lanes;
        bool other = history != shown->history;
        for (size_t k = other ? 0 : shown->records; watch->lines && k < records; k++) {
            if (other && was_shown(shown->history, shown->records, ns_history_step(history, k)))
                continue;
            g_autofree char *line = ns_jsonl_record(history, k);
            bool several = watch->n > 1 || shown->number > 1;
            g_autofree char *own = ns_jsonl_of(several ? shown->number : 0, -1, line);
            if (!ns_lines_write(watch->lines, own, error)) return false;
        }
        if (other && shown->history) ns_history_unref(shown->history);
        if (other) shown->history = history ? ns_history_ref(history) : NULL;
        shown->records = records;
        if (!records) continue;
        const NsStep *newest = ns_history_step(shown->history, records - 1);
        ns_progress_step(&watch->progress, newest->step, 0, newest->loss);
    }
    return true;
}

/* Follows until a signal or the end of all pipes or, with --once, of all files. */
static bool follow_all(Watch *watch, GError **error)
{
    size_t going = watch->n;
    while (going && !ns_interrupt_signal()) {
        bool more = false;
        going = 0;
        for (size_t i = 0; i < watch->n; i++) {
            NsRecordedRun *run = watch->sources[i].run;
            if (run->state == NS_OUTSIDE_CLOSED) continue;
            int wait = watch->once && !g_str_equal(run->path, "-") ? 0 : LOOK_MILLISECONDS;
            bool news = ns_recorded_run_poll(run, more ? 0 : wait / (int)watch->n);
            more |= news;
            if (!news && wait == 0) ns_recorded_run_end(run);
            going += run->state != NS_OUTSIDE_CLOSED;
            if (!report_news(watch, &watch->sources[i], error)) return false;
        }
        if (!more && watch->lines && !ns_lines_flush(watch->lines, error)) return false;
    }
    for (size_t i = 0; i < watch->n; i++) {
        if (watch->sources[i].run->state == NS_OUTSIDE_CLOSED) continue;
        ns_recorded_run_end(watch->sources[i].run);
        if (!report_news(watch, &watch->sources[i], error)) return false;
    }
    return true;
}

/* ---- Table ---- */

#define CELL 14

static void show_table(const Watch *watch)
{
    g_autoptr(GString) row = g_string_new("lane");
    ns_row_add(row, 20, "steps");
    ns_row_add(row, 9, "records");
    ns_row_add(row, CELL, "last loss");
    ns_row_add(row, CELL, "lowest loss");
    if (!watch->lanes) g_string_assign(row, "No step was read.");
    ns_row_print(row);
    for (size_t i = 0; i < watch->n; i++)
        for (size_t k = 0; k < NS_LANES_MAX; k++) {
            const Shown *shown = &watch->sources[i].lanes[k];
            if (!shown->history) continue;
            const NsHistory *history = shown->history;
            size_t records = ns_history_steps(history), best = 0;
            for (size_t r = 1; r < records; r++) {
                double loss = ns_history_step(history, r)->loss,
                       least = ns_history_step(history, best)->loss;
                if (loss < least || (isnan(least) && !isnan(loss))) best = r;
            }
            const NsStep *last = ns_history_step(history, records - 1);
            const NsStep *lowest = ns_history_step(history, best);
            g_autofree char *from = ns_group_digits(ns_history_first_step(history));
            g_autofree char *to = ns_group_digits(last->step), *at = ns_group_digits(lowest->step);
            size_t L = ns_history_layout(history)->layers;
            g_autofree char *layers = ns_group_digits((int64_t)L);
            ns_row_add(row, 4, "%zu", shown->number);
            ns_row_add(row, 20, "%s to %s", from, to);
            ns_row_count(row, 9, (int64_t)records);
            ns_row_number(row, CELL, "%.4f", last->loss);
            if (isnan(lowest->loss))
                ns_row_add(row, CELL, NS_ABSENT);
            else
                ns_row_number(row, CELL, "%.4f", lowest->loss);
            g_string_append(row, "  at step ");
            ns_row_add(row, -8, "%s", at);
            if (L) g_string_append_printf(row, "%s layer%s  ", layers, L == 1 ? "" : "s");
            g_string_append(row, watch->sources[i].run->name);
            ns_row_print(row);
        }
    for (size_t i = 0; i < watch->n; i++) {
        const NsRecordedRun *run = watch->sources[i].run;
        const NsOutside *log = run->log ? ns_outside_file_run(run->log) : NULL;
        size_t wrong = log ? ns_outside_wrong_lines(log) : 0;
        if (wrong)
            printf("“%s”: %zu of %zu lines could not be read.\n", run->name, wrong,
                   ns_outside_lines(log));
    }
}

static int run(NsArguments *a, GError **error)
{
    g_auto(Watch) watch = {.once = a->once};
    if (a->n_files < 1 || a->n_files > NS_LANES_MAX)
        return ns_usage(error, "One to %d files are needed; write “" NS_CLI " watch FILE”.",
                        NS_LANES_MAX);
    if (!open_sources(&watch, a->files, error)) return NS_EXIT_ERROR;
    if (a->json_lines) watch.lines = ns_lines_open("-", true, error);
    ns_progress_start(&watch.progress, !(a->json_lines && isatty(STDOUT_FILENO)));
    ns_interrupt_catch();
    bool ok = follow_all(&watch, error);
    ns_progress_end(&watch.progress);
    if (watch.lines) ok = ns_lines_close(watch.lines, ok, error);
    if (ok && !watch.lanes && !ns_interrupt_signal())
        ok = ns_recorded_run_refuse_empty(watch.sources[0].run, error);
    else if (ok && !watch.lines)
        show_table(&watch);
    return ok ? ns_interrupt_status() : NS_EXIT_ERROR;
}

const NsCommand ns_cli_watch = {
    .choice = {.key = "watch",
               .purpose = "Follow runs of other programs through the logs that they write"},
    .words = "FILE…",
    .summary =
        "Follows runs of other programs through JSON lines that they append to a file or write\n"
        "to a pipe (“-”); up to four files side by side.  At the end, by Ctrl-C or when the "
        "pipe\n"
        "closes, a table is shown.  “chart --from FILE” draws the same runs.  A run file that\n"
        "another process writes is followed until its run has ended.\n\n"
        "A line is an object for one measured step.  The minimum is\n"
        "  {\"step\": 3, \"loss\": 2.1}\n"
        "Optional are “lr”, “seconds” and “validation_loss”; “grad_norm”, a number or an object\n"
        "with “total” and, by role (wq, wk, wv, wo, w1, w2, … or any name), an array of one\n"
        "number per layer; “hidden_norm”, an array with one more number, the embedding first;\n"
        "the other names of “train --jsonl”; and any other name with such an array, which\n"
        "“chart --figure profile:NAME” draws.  null means missing; NaN and Infinity mean\n"
        "diverged; “lane” (1 to 4) separates the runs in one file.  Steps may have gaps; a step\n"
        "that was already read restarts the run from there.  Lines that cannot be read are "
        "skipped\n"
        "and reported.  This is version 1 of the format (“format”).\n\n"
        "Logs of other kinds are read by what their names mean, whatever their separators:\n"
        "“train/loss”, “eval_loss”, “learning_rate”, “global_step”, “grad_norm/w2/3” (layer 3),\n"
        "“hidden_norm/0”, “act/layer_3/rms”.  They are TensorBoard event files, tables of\n"
        "separated values (also exports of Weights & Biases, TensorBoard, Lightning and Keras),\n"
        "JSON documents (trainer_state.json), trackio projects (PROJECT.db), runs of MLflow and\n"
        "DVCLive, and lines of text with “iter 100: loss 2.5”; gzip is decompressed.  --map names\n"
        "columns that are not recognized, “curve” and “none” what is drawn under its own name and\n"
        "left out; it is remembered for logs with the same columns, and “--map auto” forgets it.\n"
        "Without a step the epoch or the order is the step, and without a training loss that of\n"
        "validation is shown.  A folder is one run: its event files by time, its folders “train”,\n"
        "“validation” and those of single curves, or the newest log in it.\n"
        "Lines of earlier steps are put in their places; what is left out is counted.  The\n"
        "newest step of an event file is taken when the next one begins, or when nothing has\n"
        "come for half a second; with --jsonl not before its arrays are complete, since a line is\n"
        "written once.",
    .examples = NS_CLI " watch mine.jsonl\n"
                       "python3 train.py | " NS_CLI " watch -\n" NS_CLI
                       " watch a.jsonl b.jsonl --once --jsonl > both.jsonl\n" NS_CLI
                       " chart --from mine.jsonl --figure gradient-norm --out mine.pdf",
    .run = run,
};
