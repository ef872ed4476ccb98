/* normscope-cli: training and charts without a display.  SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/error.h"
#include "core/base/instructions.h"
#include "core/base/memory.h"
#include "core/base/thread.h"
#include "core/ops/gemm.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* In the order of --help. */
static const NsCommand *const commands[] = {
    &ns_cli_train,     &ns_cli_compare,  &ns_cli_probe,  &ns_cli_check, &ns_cli_dump,
    &ns_cli_chart,     &ns_cli_bench,    &ns_cli_sweep,  &ns_cli_study, &ns_cli_paper,
    &ns_cli_translate, &ns_cli_finetune, &ns_cli_bleu,   &ns_cli_bpe,   &ns_cli_show,
    &ns_cli_resume,    &ns_cli_runs,     &ns_cli_export, &ns_cli_watch, &ns_cli_handout,
    &ns_cli_list,
};

static const NsChoice *command_choice(size_t i)
{
    return i < G_N_ELEMENTS(commands) ? &commands[i]->choice : NULL;
}

static int run_command(int argc, char **argv, GError **error)
{
    int i = ns_choices_find(command_choice, argv[0]);
    if (i >= 0) {
        g_auto(NsArguments) arguments;
        bool go = ns_arguments_read(&arguments, commands[i], argc, argv, error);
        return go ? commands[i]->run(&arguments, error) : NS_EXIT_OK;
    }
    if (*argv[0] == '-')
        return ns_usage(
            error,
            "“%s” is in the place of the command; write the command first, as in “" NS_CLI
            " train --set layers=12”.",
            argv[0]);
    ns_choices_unknown("command", argv[0], command_choice, error);
    return NS_EXIT_USAGE;
}

static int dispatch(int argc, char **argv, GError **error)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (!ns_instructions_check(error)) return NS_EXIT_USAGE;
    if (g_str_equal(word, "--version")) {
        printf(NS_CLI " %s\n", NS_VERSION);
        return NS_EXIT_OK;
    }
    bool help = g_str_equal(word, "help");
    if (help && argc > 2 && !g_str_has_suffix(argv[2], "help")) {
        char option[] = "--help";
        char *arguments[] = {argv[2], option, NULL};
        return run_command(2, arguments, error);
    }
    if (help || g_str_equal(word, "--help") || g_str_equal(word, "-h")) {
        printf("Usage:\n  " NS_CLI " COMMAND [OPTION…]\n\n"
               "Trains small Transformers and records the norms of every layer's gradients and\n"
               "hidden states.\n\nCommands:\n");
        for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
            printf("  %-11s%s\n", commands[i]->choice.key, commands[i]->choice.purpose);
        printf("  %-11s%s\n\n", "help", "Show this help, or the help of a command");
        printf("“" NS_CLI " COMMAND --help” shows the options of a command and examples.\n"
               "The environment variable NORMSCOPE_INSTRUCTIONS=avx512, avx2 or portable sets the\n"
               "processor's instruction set (unset: the best available; see “list instructions”).\n"
               "An output replaces an older file when it is complete; only --jsonl grows under\n"
               "its own name.  No output replaces a run, a log, results of a study or an input.\n"
               "Exit status: 0 success, 1 an error, 2 a wrong command line or setting; 130 if "
               "Ctrl-C and\n"
               "143 if SIGTERM ended the command, after everything measured up to then was "
               "written.\n");
        return NS_EXIT_OK;
    }
    if (*word) return run_command(argc - 1, argv + 1, error);
    g_autofree char *keys = ns_choices_keys(command_choice);
    return ns_usage(error, "A command is missing: %s, or help, which explains them.", keys);
}

static int report(const GError *error)
{
    if (g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_PIPE)) return NS_EXIT_ERROR;
    /* File names may contain control characters; replace them to stay on one line and protect
     * terminals. */
    g_autofree char *line = g_strdup(error->message);
    for (char *p = line; *p; p++)
        if (g_ascii_iscntrl(*p)) *p = ' ';
    fprintf(stderr, NS_CLI ": %s\n", line);
    bool usage = g_error_matches(error, NS_ERROR, NS_ERROR_USAGE) ||
                 g_error_matches(error, NS_ERROR, NS_ERROR_SETTING);
    return usage ? NS_EXIT_USAGE : NS_EXIT_ERROR;
}

/* GLib aborts if memory or a thread cannot be allocated.  Print one sentence instead of
 * crashing. */
static GLogWriterOutput write_log(GLogLevelFlags level, const GLogField *fields, gsize n,
                                  gpointer data)
{
    if (!(level & G_LOG_LEVEL_ERROR)) return g_log_writer_default(level, fields, n, data);
    for (gsize i = 0; i < n; i++)
        if (g_str_equal(fields[i].key, "MESSAGE"))
            fprintf(stderr,
                    NS_CLI ": The system refused memory or a thread (%s); raise the limits of the "
                           "process (ulimit) or close other programs.\n",
                    (const char *)fields[i].value);
    fflush(NULL);
    _exit(NS_EXIT_ERROR);
}

typedef struct {
    int argc;
    char **argv;
    int status;
} Command;

static void *run_thread(void *data)
{
    Command *command = data;
    g_autoptr(GError) error = NULL;
    command->status = dispatch(command->argc, command->argv, &error);
    if (!error && (fflush(stdout) != 0 || ferror(stdout))) ns_output_error(NULL, errno, &error);
    if (error) command->status = report(error);
    return NULL;
}

int main(int argc, char **argv)
{
    /* Must come first, while there is only one thread; a run reports failures later. */
    ns_memory_init();
    ns_gemm_init(NULL);
    g_log_set_writer_func(write_log, NULL, NULL);
    /* Only LC_CTYPE: numbers stay in the C locale, and system messages in English like all
     * others. */
    setlocale(LC_CTYPE, "");
    /* Writing then fails with an error that can be reported. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);

    Command command = {.argc = argc, .argv = argv};
    pthread_t thread;
    struct rlimit stack;
    /* With a small “ulimit -s” the command gets a thread with a stack that is large enough. */
    bool small = getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < NS_THREAD_STACK;
    if (small && ns_thread_start(&thread, run_thread, &command) == 0)
        pthread_join(thread, NULL);
    else
        run_thread(&command);
    return command.status;
}
