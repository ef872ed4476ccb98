/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/store/json.h"
#include "core/store/run_list.h"
#include "core/store/run_table.h"

#include <inttypes.h>
#include <stdio.h>

static int run(NsArguments *a, GError **error)
{
    if (a->csv && !ns_output_check(a->csv, error)) return NS_EXIT_ERROR;
    g_autoptr(GPtrArray) runs = ns_run_list(a->n_files ? a->files[0] : ".", true, error);
    if (!runs || (a->csv && !ns_run_table_write(runs, a->csv, error))) return NS_EXIT_ERROR;
    if (a->csv) return NS_EXIT_OK;
    g_autofree char *path = g_canonicalize_filename(a->n_files ? a->files[0] : ".", NULL);
    g_autofree char *folder = g_filename_display_basename(path);
    if (runs->len == 0 && !a->json) printf("There are no runs in “%s”.\n", folder);
    if (runs->len > 0 && !a->json) {
        int width = 4;
        for (guint i = 0; i < runs->len; i++) {
            const NsRecordedRun *run = runs->pdata[i];
            width = MAX(width, (int)g_utf8_strlen(run->name, -1));
        }
        g_autoptr(GString) row = g_string_new(NULL);
        ns_row_add(row, -width, "name");
        ns_row_add(row, 7, "lanes");
        ns_row_add(row, 9, "steps");
        ns_row_add(row, 12, "size");
        g_string_append(row, "  last loss, what differs from the defaults");
        ns_row_print(row);
        for (guint i = 0; i < runs->len; i++) {
            const NsRecordedRun *run = runs->pdata[i];
            ns_row_add(row, -width, "%s", run->name);
            if (run->wrong) {
                g_string_append_printf(row, "  %s", run->wrong);
                ns_row_print(row);
                continue;
            }
            g_autofree char *size = g_format_size_full(run->bytes, G_FORMAT_SIZE_IEC_UNITS);
            ns_row_add(row, 7, "%zu", run->lanes);
            ns_row_count(row, 9, run->last);
            ns_row_add(row, 12, "%s", size);
            g_string_append_c(row, ' ');
            for (size_t k = 0; k < run->lanes; k++) {
                g_string_append_c(row, ' ');
                ns_row_number(row, 0, "%.4f", run->loss[k]);
            }
            if (run->settings) g_string_append_printf(row, "  %s", run->settings);
            ns_row_print(row);
        }
    }
    for (guint i = 0; a->json && i < runs->len; i++) {
        const NsRecordedRun *run = runs->pdata[i];
        NsJson json;
        ns_json_init(&json);
        ns_json_string(&json, "name", run->name);
        if (run->wrong) {
            ns_json_string(&json, "error", run->wrong);
        } else {
            ns_json_string(&json, "settings", run->settings ? run->settings : "");
            ns_json_int(&json, "lanes", (int64_t)run->lanes);
            ns_json_int(&json, "steps", run->last);
            ns_json_doubles(&json, "loss", run->loss, run->lanes);
        }
        ns_json_int(&json, "bytes", (int64_t)run->bytes);
        g_autofree char *line = ns_json_finish(&json);
        puts(line);
    }
    return NS_EXIT_OK;
}

const NsCommand ns_cli_runs = {
    .choice = {.key = "runs", .purpose = "Show the runs of a folder"},
    .words = "[FOLDER]",
    .least = 0,
    .most = 1,
    .wrong = "One folder at a time can be shown; write “" NS_CLI " runs FOLDER”.",
    .summary =
        "Lists the run files, *.nsrun, and the logs of other programs in a folder (default: the\n"
        "current one): lanes, steps, size, the last training loss of each lane (first seed), and\n"
        "the settings that differ from the defaults or, of logs, from each other.  The settings of "
        "a\n"
        "log are read from its event files, from config.json, hparams.yaml and similar files in "
        "its\n"
        "folder, and from its name, such as lr_1e-3_seed_2.",
    .examples =
        NS_CLI " runs\n" NS_CLI " runs results --json\n" NS_CLI " runs sweep --csv sweep.csv",
    .run = run,
};
