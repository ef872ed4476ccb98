/* normscope-cli: what its commands share.  SPDX-License-Identifier: MIT
 *
 * A command reads its options, does its work and returns an exit status; where it sets an error
 * instead, main says it on stderr and derives the status from it.  To add a command, write one file
 * and add its row in main.c. */
#pragma once

#include "core/experiment/provenance.h"
#include "core/store/preset.h"
#include "core/train/checkpoint.h"

#include <glib.h>
#include <stdbool.h>

#define NS_CLI "normscope-cli"

/* Exit statuses; a run that a signal ended has NS_EXIT_SIGNAL and its number: 130 for Ctrl-C. */
enum { NS_EXIT_OK = 0, NS_EXIT_ERROR = 1, NS_EXIT_USAGE = 2, NS_EXIT_SIGNAL = 128 };

int ns_cli_train(int argc, char **argv, GError **error);
int ns_cli_probe(int argc, char **argv, GError **error);
int ns_cli_check(int argc, char **argv, GError **error);
int ns_cli_dump(int argc, char **argv, GError **error);
int ns_cli_chart(int argc, char **argv, GError **error);
int ns_cli_plot(int argc, char **argv, GError **error);
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

/* How a command is called. */
typedef struct {
    const char *command;         /* "train" */
    const char *words;           /* what may follow the options, "WHAT"; NULL for nothing */
    const char *summary;         /* what it does, with its exit statuses where they are special */
    const char *examples;        /* whole command lines, one a line */
    const GOptionEntry *entries; /* besides --set and --help */
    NsExperiment *experiment; /* initialized; takes --from, --preset, --set and --lane; or NULL */
    char **const *lanes;      /* the words of --lane; NULL for commands of one lane */
    NsNamed *named;           /* zero; what --set and --steps name; or NULL */
    NsProvenance *from;       /* initialized; what the file of --from says; or NULL */
    char **from_file;         /* the name of that file; or NULL */
    const char *const *steps; /* the text of --steps, if it has that; goes into setting “steps” */
    const char *one_seed; /* what it does of one seed, where setting “seeds” would change nothing */
    const char *trains; /* the option that says how far to train where setting “steps” does not */
    const char *const
        *lines; /* that of --jsonl, which must not name what --from or --preset read */
} NsOptions;

/* Reads the command line into the variables of the entries and into the settings; words stay in
 * argv.  FALSE if the command has nothing to do: with NS_ERROR_USAGE or NS_ERROR_SETTING, or with
 * no error where help was asked for and shown. */
bool ns_options_read(const NsOptions *options, int *argc, char ***argv, GError **error);

/* NS_ERROR_USAGE unless the number of an option lies between 1 and the most, or is 0, which it is
 * of an option that was not given, where `least` is. */
bool ns_option_check(const char *option, gint64 value, gint64 least, gint64 most, GError **error);

/* ---- checkpoint.c ---- */

/* The option --checkpoint of a command that reads what “dump” wrote. */
GOptionEntry ns_dump_entry(char **folder);

/* The option --checkpoint, which goes into `folder`. */
GOptionEntry ns_checkpoint_entry(char **folder);

/* The weights that a run of one lane begins with, from a folder in the layout of GPT-2, whose
 * settings then are the experiment's.  `folder` NULL: none, and no error.  NS_ERROR_SETTING where a
 * setting was named otherwise. */
bool ns_checkpoint_open(const char *folder, NsExperiment *experiment, NsNamed *named,
                        NsCheckpoint **checkpoint, GError **error);

/* ---- output.c ---- */

/* Lines to a file or, under the name "-", to standard output. */
typedef struct NsLines NsLines;

NsLines *ns_lines_open(const char *path, GError **error);
bool ns_lines_write(NsLines *lines, const char *line, GError **error);
bool ns_lines_flush(NsLines *lines, GError **error); /* else it is done ten times a second */
bool ns_lines_write_bytes(NsLines *lines, const void *bytes, size_t n, GError **error);

/* Writes out what is buffered, closes and frees; reports the first thing that went wrong. */
bool ns_lines_close(NsLines *lines, GError **error);

/* Sets NS_ERROR_FILE from errno, or G_FILE_ERROR_PIPE where the reader has gone away: then there
 * is nobody to tell.  `path` NULL: standard output. */
void ns_output_error(const char *path, int errno_, GError **error);

/* FALSE with NS_ERROR_FILE if a file could not be made at this path; touches nothing. */
bool ns_output_check(const char *path, GError **error);

/* FALSE with NS_ERROR_USAGE if both are the same file: `input` would be lost.  Either may be NULL
 * or not there. */
bool ns_output_spares(const char *path, const char *input, GError **error);

/* The same for every file that a lane learns from. */
bool ns_output_spares_data(const char *path, const NsExperiment *experiment, GError **error);

/* A line on a terminal's stderr that is written over; nothing where stderr is no terminal. */
typedef struct {
    bool on;
    gint64 shown; /* monotonic time, microseconds */
} NsProgress;

void ns_progress_start(NsProgress *progress, bool wanted);
/* At most ten times a second; `of` is 0 where there is no end. */
void ns_progress_step(NsProgress *progress, gint64 step, gint64 of, double loss);
/* The same for things that are done one after another, behind what they are (NULL: nothing); NaN
 * where the time left is not known. */
void ns_progress_cells(NsProgress *progress, const char *what, size_t done, size_t of,
                       double seconds_left);
/* The same for something of which a share from 0 to 1 is done. */
void ns_progress_share(NsProgress *progress, const char *what, double share);
void ns_progress_end(NsProgress *progress);

/* What stands in a table for a value that there is none of. */
#define NS_ABSENT "–"

/* A value for people; in words where it is not finite, as one of a run that has diverged is.  Free
 * with g_free. */
char *ns_output_number(const char *format, double value);

/* Appends a text, padded to a width in characters: on its left, or where the width is negative on
 * its right. */
void ns_output_pad(GString *line, const char *text, int width);

/* ---- interrupt.c ---- */

/* From now on the first SIGINT or SIGTERM is noted, so that a run can end after its step; the
 * second one ends the program. */
void ns_interrupt_catch(void);
int ns_interrupt_signal(void); /* its number, or 0 */

/* Begins work that cannot be broken off, such as a step.  Where it goes on for longer than half a
 * second after a signal, `finish` (NULL: there is nothing to write) is called on another thread:
 * it writes what there was before, and the program ends with the status of the signal.  So
 * `finish` must not read what that work is changing. */
typedef void NsInterruptFinish(void *data);
void ns_interrupt_begin(NsInterruptFinish *finish, void *data);

/* Ends it; does not return where `finish` was called. */
void ns_interrupt_end(void);

/* The exit status of a command that has done what it could: NS_EXIT_OK, or that of the signal. */
int ns_interrupt_status(void);
