/* The options of all commands: one table, from which parsing, ranges, exclusions and --help (with
 * the man page) follow.  SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/error.h"
#include "core/base/processors.h"
#include "core/data/merges.h"
#include "core/data/tokenizer.h"
#include "core/experiment/assignment.h"
#include "core/store/bundled.h"
#include "core/store/figure_file.h"
#include "core/store/outside_name.h"
#include "core/store/preset.h"
#include "core/store/recorded_run.h"
#include "core/study/study_store.h"

#include <stdio.h>
#include <string.h>

/* ---- The table ---- */

typedef struct {
    const char *commands; /* those that take it, "train compare" */
    const char *name;     /* NULL: the options of ns_export_choice stand here */
    char letter;          /* 0: it has only a name */
    GOptionArg type;
    size_t field; /* in NsArguments */
    const char *argument, *help;
    double least, most; /* of a number that is not the default; most = 0: no limit */
    double initial;
} Option;

/* Paths and settings are read as raw bytes, so that they stay unchanged in every locale. */
#define OPTION(kind, at, value)                                                                    \
    .type = G_OPTION_ARG_##kind, .field = offsetof(NsArguments, at), .argument = value
#define FLAG(field) OPTION(NONE, field, NULL)
#define TEXT(field, argument) OPTION(STRING, field, argument)
#define PATH(field, argument) OPTION(FILENAME, field, argument)
#define LIST(field, argument) OPTION(FILENAME_ARRAY, field, argument)
#define WHOLE(field, argument) OPTION(INT64, field, argument)
#define REAL(field, argument) OPTION(DOUBLE, field, argument)

#define WITH_SETTINGS "train compare probe check dump chart bench sweep"
#define MOST_JOBS 256
#define PROCESSORS (-1) /* as `initial`: one for every processor, up to the limit */

/* --help shows the options of a command in this order. */
static const Option options[] = {
    {WITH_SETTINGS, "from", 0, PATH(from, "FILE"),
     "The experiment of a figure (PNG, GIF, SVG, PDF, CSV or TeX), of a run file, of the JSON "
     "lines of a run, or of a preset (lines of “key = value”); --set changes it"},
    {WITH_SETTINGS, "preset", 'p', PATH(preset, "NAME"),
     "One of “" NS_CLI " list presets”, or a file; --set changes all of its lanes"},
    {WITH_SETTINGS, "set", 's', LIST(set, "KEY=VALUE"),
     "A setting; repeatable.  “" NS_CLI " list settings” shows them all"},
    {"compare chart", "lane", 'l', LIST(lanes, "SETTINGS"),
     "The settings of one lane, separated by spaces; given two to four times"},

    {"train compare", "steps", 'n', TEXT(steps, "N"),
     "Steps to train (default: setting “steps”, else 300)"},
    {"train compare", "jsonl", 'j', PATH(jsonl, "FILE"),
     "Write one JSON object per line to a file, which grows while others follow it, or to "
     "standard output if it is “-”"},
    {"train compare", "run", 'r', PATH(run, "FILE"),
     "Record the run in a new file, FILE.nsrun, at most a second behind the training; “chart”, "
     "“show” and “export” read it, “resume” continues from its newest checkpoint"},
    {"resume", "steps", 'n', TEXT(steps, "N"),
     "The step to train to (default: the last step of the run; 0: until Ctrl-C)"},
    {"resume", "set", 's', LIST(set, "KEY=VALUE"),
     "A live setting, which changes from here on; repeatable"},
    {"train compare resume", "checkpoint-every", 0, WHOLE(every, "N"),
     "Minimum number of steps between two checkpoints in the run file (default: every ten "
     "seconds, or less often so that they take at most 1% of the time; always one at the end)",
     .least = 1},
    {"dump", "out", 'o', PATH(out, "DIR"), "The folder to write to; it is created if needed"},
    {"dump", "pytorch", 'p', PATH(pytorch, "FILE.py"),
     "Write the model, its optimizer and its schedule as a PyTorch script, with the weights "
     "and ten batches next to it in FILE.safetensors; alone or with --out"},
    {"dump", "steps", 'n', TEXT(steps, "N"),
     "Steps to train before writing (default: setting “steps”, else 0)"},
    {"probe", "seeds", 'k', WHOLE(seeds, "K"),
     "Number of seeds to measure, starting at the setting “seed” (default: 5)", 1, 100000, 5},
    {"probe", "json", 'j', FLAG(json), "One JSON object with every quantity"},
    {"train probe dump", "checkpoint", 0, PATH(checkpoint, "FOLDER"),
     "Start from the weights in a folder that “dump” wrote (params.safetensors may have been "
     "trained further by another program), or in one in GPT-2's published layout: config.json, "
     "model.safetensors or its parts with an index and, for texts, vocab.json and merges.txt or "
     "tokenizer.json"},

    {"check", "layer", 'l', WHOLE(layer, "N"), "Layer to check, from 1 (default: 1)", .least = 1,
     .initial = 1},
    {"check", "step", 'k', WHOLE(step, "K"), "Steps to train before the check (default: 0)"},
    {"bench", "steps", 'n', WHOLE(timed_steps, "N"),
     "Steps to time, with measuring and as many without (default: 20)", 1, 1000000, 20},
    {"check bench", "json", 'j', FLAG(json), "One JSON object"},

    {"chart", "beside", 0, LIST(alongside, "FILE"),
     "A recorded run, of this program or another, that is drawn together with that of --from; "
     "repeatable, up to four lanes in all"},
    {"chart", "figure", 'f', TEXT(figure, "NAME"),
     "A figure of “" NS_CLI
     " list figures”, or several separated by commas, which become one lettered sheet.  "
     "NAME:QUANTITY chooses the quantity, and NAME(title=TEXT;x=0..200;y=0.1..4 "
     "log;hide=2,3;lane=B;grid=off;fit=all) sets the title, limits and scales of the axes, hidden "
     "curves, by their order in a CSV file, a single lane, and axes for earlier runs as well.  "
     "all: loss, gradient-norm, hidden-norm and gradient-heatmap"},
    {"chart", "names", 0, TEXT(names, "NAME;NAME"),
     "Names of the lanes in figures, separated by semicolons (default: A, B, C, D)"},
    {"chart", "each", 0, FLAG(each),
     "One file per figure, with the figure's name before the file extension"},
    {"chart", "steps", 'n', TEXT(steps, "N"),
     "Steps to train before drawing (default: setting “steps”, else 100)"},
    {"chart", "step", 0, TEXT(shown, "N"),
     "The step to show and to train to; --steps still sets the length of the run (default: its "
     "last step)"},
    {"chart", "until", 0, TEXT(until, "N"),
     "Step to train to, beyond --step; charts over steps show all steps, with a line at --step"},
    {"chart", "quantity", 'q', TEXT(quantity, "QUANTITY"),
     "The quantity in profile, steps, heatmap and heads, one of “" NS_CLI " list quantities”"},
    {"chart", "gradient", 'g', TEXT(gradient, "QUANTITY"),
     "The quantity in gradient-norm and gradient-heatmap (default: grad-w2)"},
    {"chart", "hidden", 0, TEXT(hidden, "QUANTITY"),
     "The quantity in hidden-norm (default: hidden-norm)"},
    {"chart", "similarity", 0, TEXT(similarity, "KEY"),
     "The measure in similarity: cka (default), cosine or angle"},
    {"chart", "linear", 0, FLAG(linear), "Linear axes for norms (default: logarithmic)"},
    {"chart", "smooth", 0, TEXT(smooth, "HOW"),
     "Smooth curves over steps: none (default), ema:WEIGHT, mean:STEPS, or auto, which is ema:0.9 "
     "for losses of 500 steps and more; the measured curves stay visible behind them"},
    {"chart", "heat", 0, TEXT(heat, "stacked|ratio"),
     "How heatmaps show lanes: stacked (default), or as the ratio of the first two"},
    {"chart", "theory", 0, TEXT(theory, "on|off"),
     "Draw theoretical values with the measured ones, where there are any (default: off)"},

    {"sweep", "x", 'x', TEXT(x, "KEY=VALUES"),
     "The setting of the columns: KEY=FROM:TO:COUNT or KEY=VALUE,VALUE,…"},
    {"sweep", "y", 'y', TEXT(y, "KEY=VALUES"), "The setting of the rows, likewise"},
    {"sweep", "steps", 'n', TEXT(steps, "N"), "Steps per run (default: setting “steps”, else 200)"},
    {"sweep", "workers", 'w', WHOLE(jobs, "N"),
     "Number of runs at a time, one thread each (default: one per processor)", 1, MOST_JOBS,
     PROCESSORS},
    {"sweep", "seeds", 0, WHOLE(seeds, "N"),
     "Seeds of every cell, whose mean is shown (default: setting “seeds”)", 1, NS_SEEDS_MAX},
    {"sweep", "results", 0, PATH(results, "FILE"),
     "Keep the result of every run in this file, *.nsstudy; the same command runs only what is "
     "missing there (default: beside the file of --out)"},
    {"sweep", "json", 'j', FLAG(json), "One JSON object with every cell"},
    {"sweep", "linear", 0, FLAG(linear), "Linear colors (default: logarithmic)"},
    {"chart", "out", 'o', PATH(out, "FILE"),
     "The output file; its extension png, svg, pdf, gif (an animation), csv or tex (pgfplots) sets "
     "the format"},
    {"sweep", "out", 'o', PATH(out, "FILE"),
     "The output file; its extension png, svg, pdf, csv or tex (pgfplots) sets the format"},

    {"study", "out", 'o', PATH(out, "FILE"),
     "The file of results (default: the name of the study with the extension nsstudy); with "
     "show the file of a chart, whose extension sets the format"},
    {"study", "set", 's', LIST(set, "KEY=VALUE"), "A setting of all lanes; repeatable"},
    {"study", "seeds", 0, WHOLE(seeds, "N"), "Seeds of every configuration", 1, NS_STUDY_SEEDS},
    {"paper", "json", 'j', FLAG(json), "One JSON object per line for every study, with its curves"},
    {"paper", "out", 'o', PATH(out, "FOLDER"),
     "Draw every study as NAME.pdf into this folder, which is created if it is missing, and "
     "keep its results there as NAME.nsstudy"},
    {"paper", "report", 'r', PATH(report, "FOLDER"),
     "Write one document of all studies, report.pdf and report.md, into this folder, with their "
     "figures as NAME.svg and their results as NAME.nsstudy"},
    {"paper", "scale", 0, TEXT(scale, "SCALE"),
     "small (default); desk: translation of the pairs of --set source=FILE --set target=FILE, "
     "overnight; or paper: the sizes, rates and steps of the paper where it names them"},
    {"paper", "set", 's', LIST(set, "KEY=VALUE"), "A setting of all runs; repeatable"},
    {"paper", "seeds", 0, WHOLE(seeds, "N"), "Seeds of every curve (default: those of the study)",
     1, NS_STUDY_SEEDS},
    {"study paper", "jobs", 'J', WHOLE(jobs, "N"),
     "Number of runs at a time, one thread each (default: one per processor)", 1, MOST_JOBS,
     PROCESSORS},
    {"paper", "list-jobs", 0, FLAG(print_jobs),
     "Print one command per run, for GNU parallel or a scheduler; then gather the results with "
     "the command that it names, and run the same command without this option"},
    {"study", "json", 'j', FLAG(json), "One JSON object with every cell"},
    {"study", "csv", 0, PATH(csv, "FILE"),
     "Write a table with a row for every cell; a name that a spreadsheet would take for a "
     "formula begins with '"},
    {"study", "print-jobs", 0, FLAG(print_jobs),
     "Print one command per part of the study, for GNU parallel or a scheduler; “merge” "
     "gathers their results"},
    {"study", "slurm", 0, FLAG(slurm),
     "Submit a job array to Slurm, wait for it and gather the results"},
    {"study", "chunk", 0, WHOLE(chunk, "N"),
     "Cells per part (default: 1; with --slurm as many as it takes to have at most 1,000 parts)", 1,
     NS_STUDY_CELLS_MAX},
    {"study", "cells", 0, TEXT(cells, "FIRST-LAST"), "Run only these cells, from 0"},
    {"study", "network", 0, FLAG(network), "The file of results is on a network file system"},
    {"study", "lease", 0, REAL(lease, "SECONDS"),
     "Time after which others take the cell of a process that was killed (default: 60)", .least = 1,
     .initial = NS_STUDY_LEASE},
    {"study", "figure", 0, TEXT(figure, "NAME"),
     "With show, the chart to draw: best-of, lr-sensitivity or phase"},
    {"study", "x", 'x', TEXT(x, "KEY"),
     "With --figure phase, the setting of the columns (default: the first of the section [grid])"},
    {"study", "y", 'y', TEXT(y, "KEY"),
     "The setting of the rows (default: the next one); every cell has the best over the other "
     "settings"},
    {.commands = "chart sweep study"},

    {"translate", "run", 'r', PATH(run, "FILE"), "The run file of a model of the task translation"},
    {"finetune", "run", 'r', PATH(run, "FILE"), "The run file of an encoder of the task mlm"},
    {"translate finetune", "checkpoint", 0, PATH(checkpoint, "FOLDER"),
     "Instead of --run: a folder that “dump” wrote, whose params.safetensors may have been "
     "trained further by another program"},
    {"translate", "in", 'i', PATH(in, "FILE"),
     "The sentences, one per line, plain or compressed by gzip"},
    {"translate", "out", 'o', PATH(out, "FILE"),
     "The file for the translations (default: standard output)"},
    {"translate", "beam", 'b', WHOLE(beam, "N"),
     "Beam width: hypotheses kept for each sentence (default: 4; 1: greedy)", 1, 64, 4},
    {"translate", "length-penalty", 'p', REAL(length_penalty, "A"),
     "Alpha in log P / ((5 + length) / 6)^alpha, by which hypotheses are ranked (default: 0.6; "
     "0: by their probability alone)",
     0, 10, 0.6},
    {"translate", "average", 'a', WHOLE(average, "N"),
     "Use the mean of the weights of the last N checkpoints (default: 1)", .least = 1,
     .initial = 1},
    {"translate", "lane", 'l', WHOLE(lane, "N"), "The lane of the run (default: 1)", .least = 1,
     .initial = 1},
    {"finetune", "pairs", 'p', PATH(pairs, "FILE"),
     "A table of labeled pairs, of which every fifth is held out (default: generated pairs)"},
    {"finetune", "format", 'f', TEXT(format, "FORMAT"),
     "Format of the file: mrpc or rte; or kind of generated pairs: entailment (default) or "
     "paraphrase"},
    {"finetune", "generated", 'g', WHOLE(generated, "N"),
     "Generated pairs to train on (default: 1,000)", .least = 1, .initial = 1000},
    {"finetune", "seeds", 'k', WHOLE(seeds, "K"),
     "Seeds of the new head, the order of the pairs and the generated pairs (default: 5)", 1, 1000,
     5},
    {"finetune", "steps", 'n', WHOLE(timed_steps, "N"), "Steps of fine-tuning (default: 300)",
     .least = 2, .initial = 300},
    {"finetune", "from-scratch", 0, FLAG(scratch),
     "Also train the same encoder without pre-training"},
    {"finetune", "every-checkpoint", 0, FLAG(every_checkpoint),
     "Start from every checkpoint of the run in turn, not only the newest"},
    {"finetune", "csv", 0, FLAG(csv_lines), "Write a CSV table"},
    {"finetune", "set", 's', LIST(set, "KEY=VALUE"),
     "A setting of the fine-tuning, such as lr or batch; repeatable"},

    {"handout", "out", 'o', PATH(out, "FILE"), "The PDF file to write"},
    {"bleu", "reference", 'r', LIST(references, "FILE"),
     "The reference translations, one per line; repeatable"},
    {"bleu", "json", 'j', FLAG(json), "Write one JSON object instead"},
    {"bpe", "vocab", 'v', WHOLE(vocab, "N"),
     "Learn until there are N symbols: the characters (inside words and at their ends), the "
     "newline "
     "and the merged symbols (default: 1000)",
     1, (double)NS_TOKENS_MAX, NS_LEARNED_TOKENS},
    {"bpe", "apply", 'a', PATH(merges, "FILE"),
     "Segment the texts with an existing merges file instead of learning merges"},
    {"bpe", "out", 'o', PATH(out, "FILE"), "The file to write to (default: standard output)"},
    {"export", "format", 0, TEXT(format, "FORMAT"), "csv, jsonl or safetensors"},
    {"export", "out", 'o', PATH(out, "PATH"),
     "The file to write, or standard output if it is “-” (default)"},
    {"show", "from", 0, PATH(from, "FILE"), "The file, as in “chart”"},
    {"runs", "json", 'j', FLAG(json), "One JSON object per line for every file"},
    {"runs", "csv", 0, PATH(csv, "FILE"),
     "Write a table with a row for every run and a column for every setting that differs"},
    {"list", "json", 'j', FLAG(json), "One JSON array of objects"},
    {"watch", "jsonl", 'j', FLAG(json_lines),
     "Write every record to standard output in the format of “train --jsonl”"},
    {"watch", "once", '1', FLAG(once),
     "Read the existing lines, then exit (default: wait for more until Ctrl-C)"},
    {"chart show watch", "map", 0, TEXT(map, "KEY=COLUMN,…"),
     "What columns of a log of another program mean, such as "
     "loss=COLUMN,step=COLUMN,layer='act/layer_{l}/rms'"},
    {NULL, "help", 'h', FLAG(help), "Show this help"},
};

/* Which options go with which: if `when` was given, or is NULL, then so must be at least `least`
 * and at most `most` of `others`. */
static const struct {
    const char *commands, *when, *others;
    unsigned least, most;
    const char *sentence;
} rules[] = {
    {WITH_SETTINGS, NULL, "from preset", 0, 1,
     "--from and --preset both name an experiment; give only one of them."},
    {"train compare", "checkpoint-every", "run", 1, 1,
     "--checkpoint-every needs --run, the file that holds the checkpoints."},
    {"dump", NULL, "out pytorch", 1, 2, "--out DIR or --pytorch FILE.py is missing."},
    {"chart", "beside", "from", 1, 1,
     "--beside needs --from FILE; the other runs are drawn next to it."},
    {"study", NULL, "cells print-jobs slurm", 0, 1,
     "--cells, --print-jobs and --slurm each say how the cells are run; give only one of them."},
    {"study", "x", "figure", 1, 1, "--x and --y choose the axes of --figure phase; omit them."},
    {"study", "y", "figure", 1, 1, "--x and --y choose the axes of --figure phase; omit them."},
    {"paper", NULL, "out report", 0, 1, "--report keeps its results in its folder; omit --out."},
    {"paper", "list-jobs", "out report", 1, 1,
     "--list-jobs needs --out or --report FOLDER, where the jobs leave their results."},
    {"translate", NULL, "in", 1, 1, "--in FILE is missing."},
    {"translate", NULL, "run checkpoint", 1, 1,
     "Name the model with --run FILE or with --checkpoint FOLDER."},
    {"translate", "checkpoint", "average lane", 0, 0,
     "A folder has one checkpoint of one lane; --average and --lane are for --run."},
    {"finetune", NULL, "run checkpoint", 1, 1,
     "Name the encoder with --run FILE or with --checkpoint FOLDER."},
    {"finetune", "checkpoint", "every-checkpoint", 0, 0,
     "A folder has one checkpoint; --every-checkpoint is for --run."},
    {"handout", NULL, "out", 1, 1, "--out FILE.pdf is missing."},
    {"bleu", NULL, "reference", 1, 1, "--reference FILE is missing."},
    {"export", NULL, "format", 1, 1,
     "A run file and a format are missing; write “" NS_CLI
     " export FILE --format csv”, or another (--help)."},
};

/* Whether a row of one of the tables is for this command. */
static bool is_for(const char *commands, const NsCommand *command)
{
    g_auto(GStrv) words = commands ? g_strsplit(commands, " ", -1) : NULL;
    return !words || g_strv_contains((const char *const *)words, command->choice.key);
}

static const Option *find_option(const NsCommand *command, const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(options); i++)
        if (g_strcmp0(options[i].name, name) == 0 && is_for(options[i].commands, command))
            return &options[i];
    return NULL;
}

static void *field_of(NsArguments *arguments, const Option *option)
{
    return (char *)arguments + option->field;
}

/* The value of a number that was not given. */
static double initial_of(const Option *option)
{
    return option->initial == PROCESSORS ? MIN(ns_processors(), option->most) : option->initial;
}

static double number_of(NsArguments *arguments, const Option *option)
{
    const void *field = field_of(arguments, option);
    return option->type == G_OPTION_ARG_INT64 ? (double)*(const gint64 *)field
                                              : *(const double *)field;
}

/* Initializes all fields, and lists the options of a command for GLib. */
static GArray *prepare(NsArguments *arguments, const NsCommand *command)
{
    GArray *entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
    *arguments = (NsArguments){0};
    ns_picture_init(&arguments->picture);
    ns_experiment_init(&arguments->experiment);
    ns_provenance_init(&arguments->recorded);
    for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
        const Option *o = &options[i];
        if (!is_for(o->commands, command)) continue;
        if (!o->name) {
            ns_picture_entries(&arguments->picture, entries, command->choice.key);
            continue;
        }
        const GOptionEntry entry = {o->name, o->letter,  0, o->type, field_of(arguments, o),
                                    o->help, o->argument};
        g_array_append_val(entries, entry);
        if (o->type == G_OPTION_ARG_INT64) *(gint64 *)entry.arg_data = (gint64)initial_of(o);
        if (o->type == G_OPTION_ARG_DOUBLE) *(double *)entry.arg_data = initial_of(o);
    }
    return entries;
}

void ns_arguments_clear(NsArguments *arguments)
{
    g_autoptr(GHashTable) freed = g_hash_table_new(NULL, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
        void *field = field_of(arguments, &options[i]);
        if (!options[i].name || !g_hash_table_add(freed, field)) continue;
        if (options[i].type == G_OPTION_ARG_FILENAME_ARRAY)
            g_strfreev(*(char ***)field);
        else if (options[i].type == G_OPTION_ARG_FILENAME || options[i].type == G_OPTION_ARG_STRING)
            g_free(*(char **)field);
    }
    ns_picture_clear(&arguments->picture);
    ns_experiment_clear(&arguments->experiment);
    ns_provenance_clear(&arguments->recorded);
}

/* ---- Checks ---- */

static bool is_number(const Option *option)
{
    return option->type == G_OPTION_ARG_INT64 || option->type == G_OPTION_ARG_DOUBLE;
}

static bool is_given(NsArguments *arguments, const NsCommand *command, const char *name)
{
    const Option *option = find_option(command, name);
    if (!option) return false;
    if (is_number(option)) return number_of(arguments, option) != initial_of(option);
    if (option->type == G_OPTION_ARG_NONE) return *(gboolean *)field_of(arguments, option);
    return *(void **)field_of(arguments, option) != NULL;
}

/* The option in an argument, if it takes a value; `apart`: the value is the next argument. */
static const GOptionEntry *option_of(const GArray *entries, const char *word, bool *apart)
{
    if (word[0] != '-' || !word[1]) return NULL;
    bool named = word[1] == '-';
    size_t length = named ? strcspn(word + 2, "=") : 1;
    for (const char *at = word + 1 + named; *at; at++) {
        const GOptionEntry *entry = (const GOptionEntry *)(const void *)entries->data;
        while (entry->long_name &&
               (named ? strlen(entry->long_name) != length || strncmp(entry->long_name, at, length)
                      : entry->short_name != *at))
            entry++;
        *apart = !at[length];
        if (entry->long_name && entry->arg != G_OPTION_ARG_NONE) return entry;
        if (named || !entry->long_name) return NULL;
    }
    return NULL;
}

/* Refuses a repeated option with a single value, because the last one would silently win.  The
 * names of those that have a value are added to `seen`. */
static bool check_once(const GArray *entries, int argc, char **argv, GHashTable *seen,
                       GError **error)
{
    for (int i = 1; i < argc && !g_str_equal(argv[i], "--"); i++) {
        bool apart = false;
        const GOptionEntry *entry = option_of(entries, argv[i], &apart);
        if (!entry) continue;
        i += apart;
        if (entry->arg == G_OPTION_ARG_FILENAME_ARRAY ||
            g_hash_table_add(seen, (gpointer)(uintptr_t)entry->long_name))
            continue;
        return ns_refuse(error, NS_ERROR_USAGE, "--%s is given twice; omit one of them.",
                         entry->long_name);
    }
    return true;
}

int ns_usage(GError **error, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    g_autofree char *sentence = g_strdup_vprintf(format, words);
    va_end(words);
    ns_refuse(error, NS_ERROR_USAGE, "%s", sentence);
    return NS_EXIT_USAGE;
}

/* ---- Settings ---- */

/* Replaces the experiment by that of a file. */
static bool read_from(NsArguments *a, const NsCommand *command, GError **error)
{
    g_autofree char *name = g_filename_display_basename(a->from);
    if (ns_recorded_kind(a->from) == NS_RECORDED_LOG)
        return find_option(command, "map") ||
               ns_refuse(error, NS_ERROR_USAGE,
                         "“%s” is a run of another program and contains no settings; “" NS_CLI
                         " chart --from” draws it and “watch --once” shows it.",
                         name);
    ns_experiment_assign(&a->recorded.experiment, &a->experiment);
    if (!ns_figure_file_read(&a->recorded, NULL, a->from, NULL, error)) return false;
    ns_experiment_assign(&a->experiment, &a->recorded.experiment);
    if (a->experiment.n > 1 && !find_option(command, "lane")) {
        fprintf(stderr, NS_CLI ": “%s” has %zu lanes; this is the first of them.\n", name,
                a->experiment.n);
        ns_experiment_resize(&a->experiment, 1, 0);
    }
    return true;
}

/* Replaces the experiment by that of a preset. */
static bool read_preset(NsArguments *a, const NsCommand *command, GError **error)
{
    g_auto(NsPreset) preset = {0};
    ns_experiment_copy(&preset.experiment, &a->experiment);
    if (!ns_preset_open(&preset, a->preset, error)) return false;
    size_t n = preset.experiment.n;
    if (n > 1 && !find_option(command, "lane"))
        return ns_refuse(error, NS_ERROR_USAGE,
                         "The preset “%s” has %zu lanes; “" NS_CLI
                         " compare --preset %s” trains them.",
                         a->preset, n, a->preset);
    if (n > 1 && a->lanes)
        return ns_refuse(
            error, NS_ERROR_USAGE,
            "The preset has its own lanes; omit --lane, or name a preset with one lane.");
    ns_experiment_assign(&a->experiment, &preset.experiment);
    return true;
}

/* Applies --set to every lane, then --lane, then --steps, which overrides setting “steps”. */
static bool assign(NsArguments *a, const NsCommand *command, GError **error)
{
    NsExperiment *experiment = &a->experiment;
    for (size_t lane = 0; lane < experiment->n; lane++) {
        a->named = (NsNamed){0};
        for (char **word = a->set; word && *word; word++)
            if (!ns_settings_name_assignment(&experiment->lane[lane], &a->named, *word, error))
                return false;
    }
    if (command->trains && ns_named_has(&a->named, "steps"))
        return ns_refuse(error, NS_ERROR_USAGE,
                         "“%s” takes %s, and the setting “steps” has no effect; omit it.",
                         command->choice.key, command->trains);
    if (a->lanes && !ns_experiment_read_lanes(experiment, (const char *const *)a->lanes,
                                              g_strv_length(a->lanes), &a->named, error))
        return false;
    NsNamed last = ns_named_below(&a->named);
    for (size_t lane = 0; a->steps && lane < experiment->n; lane++) {
        last = ns_named_below(&a->named);
        /* A model that is written within a run has the rate of that run; 0 is the constant one. */
        NsSettings *s = &experiment->lane[lane];
        if (command == &ns_cli_dump && s->schedule && s->steps > 0 && s->decay_steps == 0)
            s->decay_steps = s->steps;
        if (!ns_settings_name(&experiment->lane[lane], &last, "steps", a->steps, error))
            return false;
    }
    ns_named_add(&a->named, &last);
    return true;
}

static bool read_settings(NsArguments *a, const NsCommand *command, GError **error)
{
    if (!ns_settings_assign_all(&a->experiment.lane[0], command->settings, error) ||
        (a->from && !read_from(a, command, error)) ||
        (a->preset && !read_preset(a, command, error)) || !assign(a, command, error))
        return false;
    /* A setting without any effect is an error, wherever it comes from. */
    int64_t seeds = a->experiment.lane[0].seeds;
    if (command->one_seed && seeds != 1)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "“%s” %s, and setting “seeds” is %" G_GINT64_FORMAT "; add --set seeds=1.",
                         command->choice.key, command->one_seed, seeds);
    ns_experiment_link(&a->experiment);
    return ns_experiment_check(&a->experiment, NULL, error);
}

/* ---- The command line ---- */

bool ns_arguments_read(NsArguments *arguments, const NsCommand *command, int argc, char **argv,
                       GError **error)
{
    g_autofree char *name = g_strconcat(NS_CLI " ", command->choice.key, NULL);
    g_autoptr(GArray) entries = prepare(arguments, command);
    g_set_prgname(name);
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    if (!check_once(entries, argc, argv, seen, error)) return false;
    g_autoptr(GOptionContext) context = g_option_context_new(command->words);
    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_add_main_entries(context, (GOptionEntry *)(void *)entries->data, NULL);
    g_autoptr(GError) wrong = NULL;
    if (!g_option_context_parse(context, &argc, &argv, &wrong))
        return ns_refuse(error, NS_ERROR_USAGE, "%s; “%s --help” shows what there is.",
                         wrong->message, name);
    if (arguments->help) {
        g_auto(GStrv) lines = g_strsplit(command->examples, "\n", -1);
        g_autofree char *examples = g_strjoinv("\n  ", lines);
        g_autofree char *after = g_strconcat("Examples:\n  ", examples, "\n", NULL);
        g_autoptr(GString) summary = g_string_new(command->summary);
        const NsChoice *row;
        size_t longest = 0;
        for (size_t i = 0; command->lists && (row = command->lists(i)); i++)
            longest = MAX(longest, strlen(row->key));
        for (size_t i = 0; command->lists && (row = command->lists(i)); i++)
            g_string_append_printf(summary, "\n  %-*s  %s", (int)longest, row->key, row->purpose);
        g_option_context_set_summary(context, summary->str);
        g_option_context_set_description(context, after);
        g_autofree char *help = g_option_context_get_help(context, TRUE, NULL);
        fputs(help, stdout);
        return false;
    }
    /* GLib leaves a “--” where a name with a dash follows. */
    if (argc > 1 && g_str_equal(argv[1], "--")) argv++, argc--;
    arguments->picture.out = arguments->out;
    arguments->files = argv + 1;
    arguments->n_files = argc - 1;
    if (argc > 1 && !command->words)
        return ns_refuse(error, NS_ERROR_USAGE, "“%s” was not expected; %s.", argv[1],
                         command->settings ? "settings are given as --set KEY=VALUE"
                                           : "name files with options, such as --run FILE");
    for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
        const Option *o = &options[i];
        if (!o->name || !is_number(o) || !is_for(o->commands, command)) continue;
        double value = number_of(arguments, o);
        if (!g_hash_table_contains(seen, o->name) ||
            (value >= o->least && (!o->most || value <= o->most)))
            continue;
        if (o->most)
            return ns_refuse(error, NS_ERROR_USAGE,
                             "--%s must be between %.10g and %.10g, not %.10g.", o->name, o->least,
                             o->most, value);
        return ns_refuse(error, NS_ERROR_USAGE, "--%s must be at least %.10g, not %.10g.", o->name,
                         o->least, value);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        if (!is_for(rules[i].commands, command)) continue;
        if (rules[i].when && !is_given(arguments, command, rules[i].when)) continue;
        g_auto(GStrv) others = g_strsplit(rules[i].others, " ", -1);
        unsigned n = 0;
        for (char **other = others; *other; other++) n += is_given(arguments, command, *other);
        if (n < rules[i].least || n > rules[i].most)
            return ns_refuse(error, NS_ERROR_USAGE, "%s", rules[i].sentence);
    }

    if (command->wrong && (argc - 1 < command->least || argc - 1 > command->most))
        return ns_refuse(error, NS_ERROR_USAGE, "%s", command->wrong);
    if (arguments->map && !ns_outside_map_all(arguments->map, error)) return false;
    return (!command->settings || read_settings(arguments, command, error)) &&
           ns_outputs_spare_inputs(arguments, error);
}
