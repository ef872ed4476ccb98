/* SPDX-License-Identifier: MIT */
#include "app/cli/lanes.h"

#include "core/base/digits.h"
#include "core/base/instructions.h"
#include "core/data/pair_corpus.h"
#include "core/experiment/param.h"
#include "ui/figures/settings_caption.h"

#include <stdio.h>

/* `first` is NULL if there is only one value. */
static void show_loss(const char *name, const double *first, double last)
{
    g_autofree char *from = first ? ns_output_number("%.4f → ", *first) : g_strdup("");
    g_autofree char *to = ns_output_number("%.4f nats per token", last);
    printf("%-16s%s%s\n", name, from, to);
}

static void show_data(NsRun *run)
{
    const NsCorpus *corpus = run->corpus;
    size_t n = corpus->n + (corpus->source ? corpus->source->n : 0);
    g_autofree char *symbols = ns_group_digits((int64_t)n);
    g_autofree char *target = ns_group_digits((int64_t)corpus->V);
    g_autofree char *source = corpus->source ? ns_group_digits((int64_t)corpus->source->V) : NULL;
    g_autofree char *distinct =
        source ? g_strdup_printf("%s and %s", source, target) : g_strdup(target);
    if (corpus->n > 0)
        printf("%-16s%s, %s %s, %s %s\n", "text", corpus->name, symbols,
               corpus->words ? "tokens" : "characters", distinct,
               !corpus->words   ? "distinct"
               : corpus->source ? "in the vocabularies"
                                : "in the vocabulary");
    else
        printf("%-16s%s, %s of them to predict\n", "task", corpus->name, distinct);
    if (!corpus->lengths) return;
    double padding = 100 * ns_pair_lengths_padding(corpus->lengths, &run->batch);
    g_autofree char *share = ns_output_number("%.1f", padding);
    printf("%-16s%s%% of the positions of a batch on average\n", "padding", share);
}

/* Prints the result. */
static void show_result(NsLockstep *lockstep, void *data)
{
    (void)data;
    NsRun *run = ns_lockstep_run(lockstep, 0, 0);
    const NsHistory *history = run->history;
    size_t records = ns_history_steps(history), evaluations = ns_history_evaluations(history);

    size_t seeds = ns_lockstep_seeds(lockstep);
    if (seeds > 1)
        printf("%-16s%" G_GINT64_FORMAT ", the first of %zu\n", "seed", run->settings.seed, seeds);
    show_data(run);
    const NsSettings *settings = &run->settings;
    int64_t encoder = ns_settings_encoder_layers(settings);
    int64_t decoder = ns_settings_decoder_layers(settings);
    g_autofree char *placement = ns_settings_placement_words(settings);
    printf("%-16s%s, ", "model", placement);
    g_autofree char *encoders = ns_group_digits(encoder);
    if (encoder && decoder) printf("%s + ", encoders);
    g_autofree char *layers = ns_group_digits(decoder ? decoder : encoder);
    g_autofree char *parameters = ns_group_digits((int64_t)run->plan.parameters);
    printf("%s %s, %s parameters\n", layers, encoder + decoder == 1 ? "layer" : "layers",
           parameters);
    g_autofree char *steps = ns_group_digits((int64_t)records - 1);
    printf("%-16s%s after %s %s\n", "state", ns_journal_state(run), steps,
           records == 2 ? "step" : "steps");
    show_loss("training loss", records > 1 ? &ns_history_step(history, 0)->loss : NULL,
              ns_history_step(history, records - 1)->loss);
    if (evaluations)
        show_loss("validation loss",
                  evaluations > 1 ? &ns_history_evaluation(history, 0)->loss : NULL,
                  ns_history_evaluation(history, evaluations - 1)->loss);
    if (records > 1)
        printf("%-16s%.2f ms per step, %s\n", "time", ns_journal_ms_per_step(run),
               ns_instructions_choice(ns_instructions())->label);
    ns_journal_show_trouble(run, "");
    ns_journal_show_seeds(lockstep);
}

/* ---- The commands ---- */

/* Trains one lane or several, and shows the result unless it was written as JSON lines. */
static int train(NsArguments *a, NsJournalShow *show, GError **error)
{
    g_autoptr(NsCheckpoint) checkpoint = NULL;
    if (!ns_checkpoint_open(a, &checkpoint, error)) return NS_EXIT_OK;
    g_autoptr(NsLockstep) lockstep = ns_lanes_start(&a->experiment, checkpoint, error);
    if (!lockstep) return NS_EXIT_OK;
    g_auto(GStrv) names = ns_lanes_names(&a->experiment, a->lanes);
    int64_t steps = a->experiment.lane[0].steps;
    const NsJournalPlan plan = {
        .jsonl = a->jsonl,
        .run = a->run,
        .every = a->every,
        /* --set steps=0 trains until a signal; --steps 0 trains no step. */
        .limit = !a->steps && steps == 0 ? -1 : steps,
        .show = show,
        .data = names,
    };
    bool ok = ns_journal_run(lockstep, &plan, error);
    return ok || ns_interrupt_signal() ? ns_interrupt_status() : NS_EXIT_ERROR;
}

static int run_train(NsArguments *a, GError **error)
{
    return train(a, show_result, error);
}

static int run_compare(NsArguments *a, GError **error)
{
    if (a->experiment.n > 1) return train(a, ns_journal_show_lanes, error);
    return ns_usage(
        error,
        "This command compares two to %d lanes, but there is %s; give a --lane for each, such as "
        "--lane placement=post --lane placement=pre, or a --preset that has them.",
        NS_LANES_MAX, a->lanes ? "only one" : "none");
}

const NsCommand ns_cli_train = {
    .choice = {.key = "train",
               .purpose = "Train a model and write what was measured at every step"},
    .settings = "steps=300",
    .summary =
        "Trains a model.  Without --jsonl a short result is printed at the end.\n\n"
        "JSON lines; a value that is not finite is the string \"NaN\", \"Infinity\" or "
        "\"-Infinity\",\n"
        "and a value that does not exist is null:\n"
        "  settings    by their keys; then arch, layers, encoder_layers, decoder_layers,\n"
        "              parameters, vocab and vocab_in (symbols predicted and read),\n"
        "              vocab_source (those of a source with a vocabulary of its own), text,\n"
        "              training_characters, held_out_characters, padding (its share of a "
        "batch of\n"
        "              sentence pairs), threads, gflop_per_step, memory_bytes, program,\n"
        "              instructions\n"
        "  step        from 0, before any update; then loss (nats per token), lr, seconds,\n"
        "              probe_seconds (the part for expensive quantities), grad_norm (total, "
        "and\n"
        "              one number or one per layer for each parameter), and the other "
        "measured\n"
        "              quantities by the keys of “list quantities” with _ for - (hidden-sq as\n"
        "              hidden_norm_sq): one number, one per layer, one per hidden state, or "
        "one\n"
        "              per head of every layer; and, if there are any, validation_loss,\n"
        "              continuation (prompt and text), events, and the steps that were thinned\n"
        "  summary     state, steps, loss, validation_loss, validation_step, seconds, and\n"
        "              ms_per_step, the mean\n\n"
        "With --set seeds=K, “seed” in steps and summaries names the run.\n\n"
        "A run that diverges is a valid result: its state says so, and the exit status is 0.\n"
        "With --set steps=0 training continues until Ctrl-C, which ends it with the summary "
        "and\n"
        "exit status 130.",
    .examples = NS_CLI " train --set placement=pre --set layers=12 --steps 500\n" NS_CLI
                       " train --set text=book.txt --jsonl run.jsonl",
    .run = run_train,
};

const NsCommand ns_cli_compare = {
    .choice = {.key = "compare",
               .purpose = "Train two to four models in lockstep on the same batches"},
    .settings = "steps=300",
    .summary =
        "Trains two to four models in lockstep.  They start from the same weights wherever\n"
        "their tensors match, and see the same batches; --set applies to all of them, --lane "
        "to\n"
        "one.  Without --jsonl a short table is printed at the end.\n\n"
        "JSON lines are those of “train”, each with “lane”, counted from 1: the settings of\n"
        "every lane, then every step of every lane, then the summaries.  A lane that diverges\n"
        "stops, and the others continue.  With --set steps=0 training continues until Ctrl-C,\n"
        "which ends it with the summaries and exit status 130.",
    .examples = NS_CLI " compare --lane placement=pre --lane placement=post --steps 500\n" NS_CLI
                       " compare --set layers=12 --lane \"placement=post warmup=1\""
                       " --lane \"placement=post warmup=100\" --jsonl both.jsonl\n" NS_CLI
                       " compare --preset sgd-adam",
    .run = run_compare,
};
