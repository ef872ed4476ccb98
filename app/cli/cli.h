/* Shared declarations of the commands of normscope-cli.  SPDX-License-Identifier: MIT
 *
 * To add an option, write its row in options.c and its field in NsArguments; to add a command,
 * write a file that ends in its NsCommand, and name it in main.c. */
#pragma once

#include "app/cli/picture.h"
#include "core/experiment/assignment.h"
#include "core/experiment/provenance.h"
#include "core/train/checkpoint.h"

#include <glib.h>
#include <stdbool.h>

#define NS_CLI "normscope-cli"

/* Exit statuses.  A command ended by a signal returns NS_EXIT_SIGNAL plus its number: 130 for
 * Ctrl-C. */
enum { NS_EXIT_OK = 0, NS_EXIT_ERROR = 1, NS_EXIT_USAGE = 2, NS_EXIT_SIGNAL = 128 };

/* ---- options.c ---- */

/* The command line: a field for every option, which has the default that the table of options names
 * if the option was not given.  Commands share a field where they share what it means. */
typedef struct {
    /* The run, and where it starts. */
    char *from, *preset, *steps, *checkpoint;
    char **set, **lanes;
    gint64 seeds, layer, step, timed_steps, lane, average, vocab, generated;

    /* Output. */
    char *out, *run, *jsonl, *csv, *results, *report, *pytorch, *format;
    gint64 every; /* steps between two checkpoints */
    gboolean json, json_lines, csv_lines;

    /* Figures. */
    char *figure, *names, *shown, *until, *quantity, *gradient, *hidden, *similarity;
    char *smooth, *heat, *theory, *x, *y;
    char **alongside;
    gboolean each, linear;
    NsPicture picture;

    /* The distribution of runs. */
    char *cells, *scale;
    gint64 jobs, chunk;
    double lease;
    gboolean print_jobs, slurm, network;

    /* Input of models that are trained already. */
    char *in, *pairs, *merges, *map;
    char **references;
    gint64 beam;
    double length_penalty;
    gboolean scratch, every_checkpoint, once;

    gboolean help;
    char **files; /* the arguments after the options; NULL-terminated, borrowed */
    int n_files;

    /* The result of --from, --preset, --set, --lane and --steps, of commands with settings. */
    NsExperiment experiment;
    NsNamed named;         /* the keys named by --set and --steps */
    NsProvenance recorded; /* the contents of the file of --from */
} NsArguments;

/* A command.  If it sets an error, main prints it on stderr and derives the exit status from it. */
typedef struct {
    NsChoice choice;   /* its key and its purpose */
    const char *words; /* the arguments after the options, "FILE…"; NULL for none */
    int least, most;   /* the number of them; most = 0: the command checks it */
    const char *wrong; /* the sentence for another number */
    const char
        *settings; /* of commands with an experiment: the defaults of their own, "steps=300" */
    const char *one_seed; /* what it does with one seed, if it refuses setting “seeds” */
    const char *trains;  /* the option for the training length, if setting “steps” is ignored */
    const char *summary; /* for --help: what it does, and its special exit statuses */
    NsChoices lists;     /* rows that the summary ends with, or NULL */
    const char *examples; /* complete command lines, one per line */
    int (*run)(NsArguments *arguments, GError **error);
} NsCommand;

extern const NsCommand ns_cli_bench, ns_cli_bleu, ns_cli_bpe, ns_cli_chart, ns_cli_check,
    ns_cli_compare, ns_cli_dump, ns_cli_export, ns_cli_finetune, ns_cli_handout, ns_cli_list,
    ns_cli_paper, ns_cli_probe, ns_cli_resume, ns_cli_runs, ns_cli_show, ns_cli_study, ns_cli_sweep,
    ns_cli_train, ns_cli_translate, ns_cli_watch;

/* NS_ERROR_USAGE: what is wrong with the command line.  Returns its exit status. */
int ns_usage(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Initializes the arguments and parses a command line, which they borrow, into them: checks number
 * and range of everything, and reads the settings.  FALSE if the command has nothing to do: with
 * NS_ERROR_USAGE or NS_ERROR_SETTING, or without an error if help was requested and printed. */
bool ns_arguments_read(NsArguments *arguments, const NsCommand *command, int argc, char **argv,
                       GError **error);
void ns_arguments_clear(NsArguments *arguments);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsArguments, ns_arguments_clear)

/* ---- output.c ---- */

/* Writes lines to a file or, if its path is "-", to standard output. */
typedef struct NsLines NsLines;

/* A file is written beside its target, which it replaces when it is closed; if `live`, under its
 * own name from the beginning, for others to follow. */
NsLines *ns_lines_open(const char *path, bool live, GError **error);
bool ns_lines_write(NsLines *lines, const char *line, GError **error);
bool ns_lines_flush(NsLines *lines, GError **error); /* otherwise flushed ten times per second */
bool ns_lines_write_bytes(NsLines *lines, const void *bytes, size_t n, GError **error);

/* Closes and frees.  If not `good`, because of an error that was set already, a file that was
 * written beside its target is removed.  Returns whether all was good. */
bool ns_lines_close(NsLines *lines, bool good, GError **error);

/* Sets NS_ERROR_FILE from errno, or G_FILE_ERROR_PIPE if the reader closed the pipe, which main
 * does not print.  path: NULL for standard output. */
void ns_output_error(const char *path, int errno_, GError **error);

/* FALSE with NS_ERROR_FILE if no file can be created or written at this path.  Touches no file. */
bool ns_output_check_place(const char *path, GError **error);

/* The same for every output but a run or results file.  It may replace neither of these, nor the
 * lines of a run or the log of another program. */
bool ns_output_check(const char *path, GError **error);

/* FALSE with NS_ERROR_USAGE if two outputs are the same file.  Either may be NULL. */
bool ns_outputs_differ(const char *a, const char *b, GError **error);

/* FALSE with NS_ERROR_USAGE if an output (NULL: none) is a data file of these settings, which would
 * be overwritten. */
bool ns_output_spares_data(const char *path, const NsSettings *settings, GError **error);

/* The same for every input of a command: the files of options and arguments, those in the folder of
 * --checkpoint, and the data files of its experiment. */
bool ns_output_spares_inputs(const char *path, const NsArguments *arguments, GError **error);

/* The same for every output that an option names. */
bool ns_outputs_spare_inputs(const NsArguments *arguments, GError **error);

/* A progress line on stderr that overwrites itself; silent if stderr is not a terminal. */
typedef struct {
    bool on;
    gint64 shown; /* monotonic time of the last update, in microseconds */
} NsProgress;

void ns_progress_start(NsProgress *progress, bool wanted);
/* Updates at most ten times per second; `of` is 0 if there is no last step. */
void ns_progress_step(NsProgress *progress, gint64 step, gint64 of, double loss);
/* The same for items done one after another.  what: a prefix, or NULL; seconds_left: NaN if
 * unknown. */
void ns_progress_cells(NsProgress *progress, const char *what, size_t done, size_t of,
                       double seconds_left);
/* The same for a fraction done, 0 to 1. */
void ns_progress_share(NsProgress *progress, const char *what, double share);
void ns_progress_end(NsProgress *progress);

/* Takes sentences (char *) and prints them on stderr. */
void ns_output_messages(GQueue *messages);

/* Shown in tables in place of a missing value. */
#define NS_ABSENT "–"

/* A value for display; a value that is not finite is shown as "diverged".  Free with g_free. */
char *ns_output_number(const char *format, double value);

/* Tables are printed row by row.  Appends a cell to a row: a text padded to a width in characters,
 * on the left, or on the right if the width is negative. */
void ns_row_add(GString *row, int width, const char *format, ...) G_GNUC_PRINTF(3, 4);
void ns_row_number(GString *row, int width, const char *format, double value); /* see above */
void ns_row_count(GString *row, int width, int64_t n);                         /* "12,345" */

/* Prints a row without blanks at its end, and empties it for the next one. */
void ns_row_print(GString *row);

/* ---- interrupt.c ---- */

/* From now on the first SIGINT or SIGTERM is only stored, so that a run can end after its step; the
 * second one ends the program. */
void ns_interrupt_catch(void);
int ns_interrupt_signal(void); /* its number, or 0 */

/* Begins work that cannot be interrupted, such as a step.  If it lasts longer than 0.3 seconds
 * after a signal, `finish` (NULL: nothing to write) is called on another thread: it writes the
 * results up to then, and the program ends with the status of the signal.  So `finish` must not
 * read data that the work is changing. */
typedef void NsInterruptFinish(void *data);
void ns_interrupt_begin(NsInterruptFinish *finish, void *data);

/* Ends that work.  Does not return if `finish` was called. */
void ns_interrupt_end(void);

/* NS_EXIT_OK, or the exit status of the signal. */
int ns_interrupt_status(void);
