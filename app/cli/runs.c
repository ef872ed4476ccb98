/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/digits.h"
#include "core/store/json.h"
#include "core/store/run_list.h"

#include <inttypes.h>
#include <stdio.h>

static void show_json(const NsRecordedRun *run)
{
    NsJson json;
    ns_json_init(&json);
    ns_json_string(&json, "name", run->name);
    if (run->wrong) {
        ns_json_string(&json, "error", run->wrong);
    } else {
        ns_json_string(&json, "settings", run->settings);
        ns_json_int(&json, "lanes", (int64_t)run->lanes);
        ns_json_int(&json, "steps", run->last);
        ns_json_doubles(&json, "loss", run->loss, run->lanes);
    }
    ns_json_int(&json, "bytes", (int64_t)run->bytes);
    g_autofree char *line = ns_json_finish(&json);
    puts(line);
}

static void show_row(const NsRecordedRun *run, int width)
{
    g_autoptr(GString) line = g_string_new(NULL);
    g_autofree char *size = g_format_size_full(run->bytes, G_FORMAT_SIZE_IEC_UNITS);
    ns_output_pad(line, run->name, -width);
    if (run->wrong) {
        printf("%s  %s\n", line->str, run->wrong);
        return;
    }
    g_autofree char *steps = ns_group_digits(run->last);
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
        const NsRecordedRun *run = runs->pdata[i];
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
    g_autoptr(GPtrArray) runs = ns_run_list(argc > 1 ? argv[1] : ".", error);
    if (!runs) return NS_EXIT_ERROR;
    if (runs->len == 0 && !json) puts("There are no run files here.");
    if (runs->len > 0 && !json) show_table(runs);
    for (guint i = 0; json && i < runs->len; i++) show_json(runs->pdata[i]);
    return NS_EXIT_OK;
}
