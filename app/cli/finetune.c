/* Fine-tuning of a pretrained encoder.  SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/error.h"
#include "core/data/task.h"
#include "core/experiment/assignment.h"
#include "core/store/dump.h"
#include "core/store/run_reader.h"
#include "core/study/statistics.h"
#include "core/train/finetune.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

typedef struct {
    const NsArguments *a;
    char *name;               /* of the run or folder, for display */
    NsCheckpoint *checkpoint; /* the newest one, or the current one with --every-checkpoint */
    NsCorpus *vocabulary;
    NsSettings settings;
    NsLabeledFormat layout;
    NsPairRelation relation;
    NsLabeledLeftOut left_out;
} Finetune;

static void finetune_clear(Finetune *f)
{
    ns_checkpoint_unref(f->checkpoint);
    g_clear_pointer(&f->vocabulary, ns_corpus_unref);
    ns_settings_clear(&f->settings);
    g_free(f->name);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Finetune, finetune_clear)

/* ---- Results ---- */

/* The pairs for a seed: generated pairs depend on the seed, those of a file do not. */
static NsCorpus *open_pairs(Finetune *f, uint64_t seed, GError **error)
{
    if (f->a->pairs)
        return ns_labeled_new_from_file(f->vocabulary, f->a->pairs, f->layout, &f->left_out, error);
    return ns_labeled_new_generated(f->vocabulary, f->relation, seed, (size_t)f->a->generated,
                                    &f->left_out);
}

static void show(const Finetune *f, const char *start, int64_t step, size_t n,
                 const double *accuracy, const double *f1)
{
    NsMoments a = ns_moments(accuracy, n), b = ns_moments(f1, n);
    /* The interval of few seeds may be wider than what a share can be. */
    double a_low = MAX(a.mean - a.reach, 0), a_high = MIN(a.mean + a.reach, 1);
    double b_low = MAX(b.mean - b.reach, 0), b_high = MIN(b.mean + b.reach, 1);
    if (f->a->csv_lines && n > 1)
        printf("%s,%" PRId64 ",%zu,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f\n", start, step, n, a.mean, a_low,
               a_high, b.mean, b_low, b_high);
    else if (f->a->csv_lines)
        printf("%s,%" PRId64 ",%zu,%.6f,,,%.6f,,\n", start, step, n, a.mean, b.mean);
    else if (n > 1)
        printf("%-12s %8" PRId64 "   %5.1f%% [%.1f, %.1f]   %.3f [%.3f, %.3f]\n", start, step,
               100 * a.mean, 100 * a_low, 100 * a_high, b.mean, b_low, b_high);
    else
        printf("%-12s %8" PRId64 "   %5.1f%%                %.3f\n", start, step, 100 * a.mean,
               b.mean);
    fflush(stdout);
}

/* Fine-tunes with all seeds from one start; false without an error after Ctrl-C. */
static bool run_seeds(Finetune *f, const char *start, int64_t step, NsCheckpoint *from,
                      GError **error)
{
    size_t n = (size_t)f->a->seeds;
    g_autofree double *accuracy = g_new(double, n), *f1 = g_new(double, n);
    for (size_t k = 0; k < n; k++) {
        NsSettings s = f->settings; /* borrows the strings */
        s.seed += (int64_t)k;
        s.data_seed += (int64_t)k;
        g_autoptr(NsCorpus) pairs = open_pairs(f, (uint64_t)s.data_seed, error);
        NsFinetuned result;
        ns_interrupt_begin(NULL, NULL);
        const NsFinetuning finetuning = {.settings = &s, .pairs = pairs, .pretrained = from};
        bool good = pairs && ns_finetune(&finetuning, &result, error);
        ns_interrupt_end();
        if (!good || ns_interrupt_signal()) return false;
        if (result.diverged)
            fprintf(stderr, NS_CLI ": Seed %" PRId64 " diverged; its last weights are tested.\n",
                    s.seed);
        accuracy[k] = result.accuracy;
        f1[k] = result.f1;
    }
    show(f, start, step, n, accuracy, f1);
    return true;
}

/* Does once what all checkpoints share, and trains the encoder without pretraining. */
static bool begin(Finetune *f, GError **error)
{
    /* Rebuild the vocabulary from the text of the run. */
    const NsSettings *s = &f->checkpoint->settings;
    const char *task = ns_task(s->task)->choice.key;
    if (!g_str_equal(task, "mlm"))
        return ns_refuse(
            error, NS_ERROR_FILE,
            "“%s” was trained on the task %s, and an encoder of the task mlm is needed; "
            "train one with --set task=mlm --set arch=encoder --run FILE.",
            f->name, task);
    f->vocabulary = ns_corpus_open(s, error);
    if (!f->vocabulary) return false;
    if (!ns_finetune_can(f->vocabulary))
        return ns_refuse(
            error, NS_ERROR_TEXT,
            "The vocabulary of “%s” cannot tokenize other sentences; pre-train on a text "
            "of several lines with tokenizer=char or bpe.",
            f->name);

    ns_finetune_settings(&f->settings, &f->checkpoint->settings, f->a->timed_steps);
    for (char **word = f->a->set; word && *word; word++)
        if (!ns_settings_assign(&f->settings, *word, error)) return false;
    if (!ns_settings_check(&f->settings, error)) return false;
    g_autoptr(NsCorpus) pairs = open_pairs(f, 1, error);
    if (!pairs) return false;
    const NsLabeledLeftOut *out = &f->left_out;
    if (out->characters > 0)
        fprintf(stderr, NS_CLI ": The model has no token for %zu characters, which are left out.\n",
                out->characters);
    if (out->blank + out->empty > 0)
        fprintf(stderr,
                NS_CLI ": Blank lines (%zu) and pairs with an empty sentence (%zu) are left out.\n",
                out->blank, out->empty);
    NsFinetuned majority = ns_finetune_majority(pairs);
    if (f->a->csv_lines)
        puts("start,step,seeds,accuracy,accuracy_low,accuracy_high,f1,f1_low,f1_high");
    else
        printf("%s: %zu pairs, tested on %zu others; %" PRId64 " seeds, %" PRId64
               " steps of %" PRId64 " pairs, mean and 95%% interval\n\n"
               "start            step   accuracy               F1\n",
               pairs->name, pairs->n_train_pairs, pairs->n_pairs - pairs->n_train_pairs,
               f->a->seeds, f->settings.steps, f->settings.batch);
    double accuracy[] = {majority.accuracy}, f1[] = {majority.f1};
    show(f, "majority", 0, 1, accuracy, f1);

    return !f->a->scratch || run_seeds(f, "scratch", 0, NULL, error);
}

/* Fine-tunes from the checkpoint of a folder, or from one or all of a run. */
static bool run_all(Finetune *f, GError **error)
{
    if (f->a->checkpoint) {
        f->checkpoint = ns_dump_read(f->a->checkpoint, error);
        return f->checkpoint && begin(f, error) &&
               run_seeds(f, "pre-trained", f->checkpoint->step, f->checkpoint, error);
    }
    g_autoptr(NsRunReader) reader = ns_run_reader_open(f->a->run, error);
    g_autoptr(GArray) steps = reader ? ns_run_reader_checkpoint_steps(reader, error) : NULL;
    if (!steps) return false;
    if (steps->len == 0)
        return ns_refuse(error, NS_ERROR_FILE,
                         "“%s” has no checkpoint; train with --checkpoint-every N.", f->name);
    guint first = f->a->every_checkpoint ? 0 : steps->len - 1;
    for (guint i = first; i < steps->len; i++) {
        int64_t step = g_array_index(steps, int64_t, i);
        ns_checkpoint_unref(f->checkpoint);
        f->checkpoint = ns_run_reader_checkpoint(reader, 0, step, error);
        if (!f->checkpoint || (i == first && !begin(f, error)) ||
            !run_seeds(f, "pre-trained", step, f->checkpoint, error))
            return false;
    }
    return true;
}

/* ---- The command ---- */

static int run(NsArguments *a, GError **error)
{
    g_auto(Finetune)
        f = {.a = a, .name = g_filename_display_basename(a->run ? a->run : a->checkpoint)};
    /* The format of the file, or the kind of the generated pairs. */
    static const char *const formats[] = {"mrpc", "rte"}, *const tasks[] = {"paraphrase",
                                                                            "entailment"};
    const char *const *words = f.a->pairs ? formats : tasks;
    const char *word = f.a->format ? f.a->format : f.a->pairs ? "" : "entailment";
    bool second = g_str_equal(word, words[1]);
    f.layout = second ? NS_LABELED_RTE : NS_LABELED_MRPC;
    f.relation = second ? NS_ENTAILMENT : NS_PARAPHRASE;
    if (!second && !g_str_equal(word, words[0])) {
        ns_refuse(error, NS_ERROR_USAGE,
                  f.a->pairs ? "--pairs FILE needs --format mrpc or rte."
                             : "Without --pairs FILE, --format is paraphrase or entailment.");
        return NS_EXIT_USAGE;
    }
    ns_interrupt_catch();
    bool good = run_all(&f, error);
    return good || ns_interrupt_signal() ? ns_interrupt_status() : NS_EXIT_ERROR;
}

const NsCommand ns_cli_finetune = {
    .choice = {.key = "finetune", .purpose = "Fine-tune an encoder on labeled pairs of sentences"},
    .summary =
        "Fine-tunes a pre-trained encoder on pairs of sentences, with a new head on [CLS], "
        "and\n"
        "shows accuracy and F1 (of label 1) on held-out pairs, as mean and 95% interval\n"
        "(Student's t) over seeds, beside those of always answering the more frequent label "
        "(F1: label 1).\n"
        "The learning rate is 1e-3 with a tenth of the steps as warm-up and linear decay; all "
        "other\nsettings are those of the run.  Sentences that do not fit into seq are cut.",
    .examples = NS_CLI " train --set task=mlm --set arch=encoder --set tokenizer=bpe --set "
                       "vocab=500 --set seq=44 --steps 3000 --run bert.nsrun\n" NS_CLI
                       " finetune --run bert.nsrun --from-scratch\n" NS_CLI
                       " finetune --run bert.nsrun --pairs pairs.tsv --format rte --seeds 6",
    .run = run,
};
