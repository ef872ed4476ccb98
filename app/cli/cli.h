/* Shared declarations of the commands of normscope-cli.  SPDX-License-Identifier: MIT
 *
 * A command reads its options, does its work and returns an exit status.  If it sets an error, main
 * prints it on stderr and derives the exit status from it.  To add a command, write one file and
 * add its row in main.c. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/store/preset.h"
#include "core/train/checkpoint.h"

#include <glib.h>
#include <stdbool.h>

#define NS_CLI "normscope-cli"

/* Exit statuses.  A command ended by a signal returns NS_EXIT_SIGNAL plus its number: 130 for
 * Ctrl-C. */
enum { NS_EXIT_OK = 0, NS_EXIT_ERROR = 1, NS_EXIT_USAGE = 2, NS_EXIT_SIGNAL = 128 };

int ns_cli_train(int argc, char **argv, GError **error);
int ns_cli_probe(int argc, char **argv, GError **error);
int ns_cli_check(int argc, char **argv, GError **error);
int ns_cli_dump(int argc, char **argv, GError **error);
int ns_cli_chart(int argc, char **argv, GError **error);
int ns_cli_compare(int argc, char **argv, GError **error);
int ns_cli_bench(int argc, char **argv, GError **error);
int ns_cli_paper(int argc, char **argv, GError **error);
int ns_cli_sweep(int argc, char **argv, GError **error);
int ns_cli_study(int argc, char **argv, GError **error);
int ns_cli_translate(int argc, char **argv, GError **error);
int ns_cli_finetune(int argc, char **argv, GError **error);
int ns_cli_bleu(int argc, char **argv, GError **error);
int ns_cli_bpe(int argc, char **argv, GError **error);
int ns_cli_show(int argc, char **argv, GError **error);
int ns_cli_resume(int argc, char **argv, GError **error);
int ns_cli_runs(int argc, char **argv, GError **error);
int ns_cli_export(int argc, char **argv, GError **error);
int ns_cli_watch(int argc, char **argv, GError **error);
int ns_cli_list(int argc, char **argv, GError **error);

/* ---- options.c ---- */

/* NS_ERROR_USAGE: what is wrong with the command line.  Returns its exit status. */
int ns_usage(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The description of a command line. */
typedef struct {
    const char *command;         /* "train" */
    const char *words;           /* allowed arguments after the options, "WHAT"; NULL for none */
    const char *summary;         /* for --help: what it does, and its special exit statuses */
    const char *examples;        /* complete command lines, one per line */
    const GOptionEntry *entries; /* besides --set and --help */
    NsExperiment *experiment;    /* initialized; receives --from, --preset, --set and --lane; or
                                       NULL */
    char **const *lanes;         /* values of --lane; NULL for commands of one lane */
    NsNamed *named; /* zero-initialized; receives the keys named by --set and --steps; or NULL */
    NsProvenance *from; /* initialized; receives the contents of the file of --from; or NULL */
    char **from_file;   /* receives the path of that file; or NULL */
    char *const *steps; /* the value of --steps, if the command has it; sets setting
                                 “steps” */
    const char *one_seed; /* what the command does with one seed, if it refuses setting “seeds”; or
                             NULL */
    const char *trains; /* the option for the training length, if setting “steps” is ignored; or
                           NULL */
    char *const
        *lines; /* file of --jsonl, which must not overwrite the input of --from or --preset */
    bool maps;  /* it reads logs of other programs, so it has the option --map */
} NsOptions;

/* Parses the command line into the variables of the entries and into the settings; arguments stay
 * in argv.  FALSE if the command has nothing to do: with NS_ERROR_USAGE or NS_ERROR_SETTING, or
 * without an error if help was requested and printed. */
bool ns_options_read(const NsOptions *options, int *argc, char ***argv, GError **error);

/* NS_ERROR_USAGE unless the value of an option is between `least` and `most`.  Commands pass
 * `least` = 0 if 0 stands for an option that was not given. */
bool ns_option_check(const char *option, gint64 value, gint64 least, gint64 most, GError **error);

/* ---- checkpoint.c ---- */

/* The option --checkpoint for commands that read only the output of “dump”; stores the path in
 * `folder`. */
GOptionEntry ns_dump_entry(char **folder);

/* The option --checkpoint, which stores its path in `folder`. */
GOptionEntry ns_checkpoint_entry(char **folder);

/* Reads the weights that a run of one lane starts from, and its other settings, from a folder in
 * the layout of “dump” or of GPT-2.  NULL as `folder` does nothing and succeeds.  A named setting
 * overrides that of a dump; with GPT-2 it is NS_ERROR_SETTING if the two differ. */
bool ns_checkpoint_open(const char *folder, NsExperiment *experiment, NsNamed *named,
                        NsCheckpoint **checkpoint, GError **error);

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

/* The same for every output but a run or results file, neither of which it may replace. */
bool ns_output_check(const char *path, GError **error);

/* FALSE with NS_ERROR_USAGE if two outputs are the same file.  Either may be NULL. */
bool ns_outputs_differ(const char *a, const char *b, GError **error);

/* FALSE with NS_ERROR_USAGE if both paths are the same file, so that `input` would be overwritten.
 * Either may be NULL or missing. */
bool ns_output_spares(const char *path, const char *input, GError **error);

/* The same for every data file of the experiment. */
bool ns_output_spares_data(const char *path, const NsExperiment *experiment, GError **error);

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

/* Appends a text padded to a width in characters: on the left, or on the right if the width is
 * negative. */
void ns_output_pad(GString *line, const char *text, int width);

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
