/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/digits.h"
#include "core/store/json.h"
#include "core/store/run_list.h"

#include <inttypes.h>
#include <stdio.h>

/* A run file, or the reason why it cannot be read. */
typedef struct {
    char *name, *settings;
    char *wrong; /* error message, or NULL */
    size_t lanes;
    int64_t step;
    double loss[NS_LANES_MAX]; /* the newest loss */
    int64_t bytes;
} Run;

static void run_free(void *data)
{
    Run *run = data;
    g_free(run->name);
    g_free(run->settings);
    g_free(run->wrong);
    g_free(run);
}

static bool read_run(Run *run, const char *path, GError **error)
{
    g_autoptr(NsRunReader) reader = ns_run_reader_open(path, error);
    if (!reader) return false;
    const NsProvenance *provenance = ns_run_reader_provenance(reader);
    run->lanes = provenance->experiment.n;
    run->step = provenance->step;
    run->settings = ns_provenance_differences(provenance);
    for (size_t i = 0; i < run->lanes; i++)
        if (!ns_run_last_loss(reader, i, &run->loss[i], error)) return false;
    return true;
}

static Run *run_new(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(GError) error = NULL;
    Run *run = g_new0(Run, 1);
    run->name = g_filename_display_name(name);
    run->bytes = (int64_t)ns_run_bytes(path);
    if (!read_run(run, path, &error)) run->wrong = g_strdup(error->message);
    return run;
}

static GPtrArray *find_runs(const char *folder, GError **error)
{
    g_autoptr(GPtrArray) names = ns_run_list(folder, error);
    if (!names) return NULL;
    GPtrArray *runs = g_ptr_array_new_with_free_func(run_free);
    for (guint i = 0; i < names->len; i++) g_ptr_array_add(runs, run_new(folder, names->pdata[i]));
    return runs;
}

static void show_json(const Run *run)
{
    NsJson json;
    ns_json_init(&json);
    ns_json_string(&json, "name", run->name);
    if (run->wrong) {
        ns_json_string(&json, "error", run->wrong);
    } else {
        ns_json_string(&json, "settings", run->settings);
        ns_json_int(&json, "lanes", (int64_t)run->lanes);
        ns_json_int(&json, "steps", run->step);
        ns_json_doubles(&json, "loss", run->loss, run->lanes);
    }
    ns_json_int(&json, "bytes", run->bytes);
    g_autofree char *line = ns_json_finish(&json);
    puts(line);
}

static void show_row(const Run *run, int width)
{
    g_autoptr(GString) line = g_string_new(NULL);
    g_autofree char *size = g_format_size_full((guint64)run->bytes, G_FORMAT_SIZE_IEC_UNITS);
    ns_output_pad(line, run->name, -width);
    if (run->wrong) {
        printf("%s  %s\n", line->str, run->wrong);
        return;
    }
    g_autofree char *steps = ns_group_digits(run->step);
    g_autofree char *lanes = g_strdup_printf("%zu", run->lanes);
    g_autoptr(GString) losses = g_string_new(NULL);
    for (size_t i = 0; i < run->lanes; i++) {
        g_autofree char *loss = ns_output_number("%.4f", run->loss[i]);
        g_string_append_printf(losses, "%s%s", i ? " " : "", loss);
    }
    ns_output_pad(line, lanes, 7);
    ns_output_pad(line, steps, 9);
    ns_output_pad(line, size, 12);
    g_string_append_printf(line, "  %s  %s", losses->str, run->settings);
    puts(g_strchomp(line->str));
}

static void show_table(const GPtrArray *runs)
{
    int width = 4;
    for (guint i = 0; i < runs->len; i++) {
        const Run *run = runs->pdata[i];
        width = MAX(width, (int)g_utf8_strlen(run->name, -1));
    }
    g_autoptr(GString) head = g_string_new(NULL);
    ns_output_pad(head, "name", -width);
    ns_output_pad(head, "lanes", 7);
    ns_output_pad(head, "steps", 9);
    ns_output_pad(head, "size", 12);
    printf("%s  last loss, what differs from the defaults\n", head->str);
    for (guint i = 0; i < runs->len; i++) show_row(runs->pdata[i], width);
}

int ns_cli_runs(int argc, char **argv, GError **error)
{
    gboolean json = FALSE;
    const GOptionEntry entries[] = {
        {"json", 'j', 0, G_OPTION_ARG_NONE, &json, "One JSON object per line for every file", NULL},
        {0},
    };
    const NsOptions options = {
        .command = "runs",
        .words = "[FOLDER]",
        .summary =
            "Lists the run files, *.nsrun, of a folder (default: the current one): lanes, steps,\n"
            "size, the last training loss of each lane (first seed), and the settings that differ\n"
            "from the defaults.",
        .examples = NS_CLI " runs\n" NS_CLI " runs results --json",
        .entries = entries,
    };
    if (!ns_options_read(&options, &argc, &argv, error)) return NS_EXIT_OK;
    if (argc > 2)
        return ns_usage(error,
                        "One folder at a time can be shown; write “" NS_CLI " runs FOLDER”.");
    g_autoptr(GPtrArray) runs = find_runs(argc > 1 ? argv[1] : ".", error);
    if (!runs) return NS_EXIT_ERROR;
    if (runs->len == 0 && !json) puts("There are no run files here.");
    if (runs->len > 0 && !json) show_table(runs);
    for (guint i = 0; json && i < runs->len; i++) show_json(runs->pdata[i]);
    return NS_EXIT_OK;
}
