/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/digits.h"
#include "core/store/figure_file.h"
#include "core/store/preset.h"
#include "core/store/recorded_run.h"

#include <stdio.h>

/* ---- Recorded runs, as comments ---- */

static bool show_recorded(const char *path, GError **error)
{
    g_autoptr(NsRecordedRun) run = ns_recorded_run_open(path, NULL, error);
    if (!run || !ns_recorded_run_read(run, G_MAXINT64, NULL, error)) return false;
    ns_output_messages(&run->messages);
    if (run->kind == NS_RECORDED_LOG) printf("# %s, a run of another program\n", run->name);
    for (size_t i = 0; i < run->lanes; i++)
        for (size_t k = 0; k < ns_history_seeds(run->histories[i]); k++) {
            const NsHistory *history = ns_history_seed(run->histories[i], k);
            size_t records = ns_history_steps(history);
            bool running = run->file && !ns_run_reader_lane(run->file, i, k).summary;
            g_autofree char *first = ns_group_digits(ns_history_first_step(history));
            g_autofree char *last = ns_group_digits(ns_history_last_step(history));
            g_autofree char *loss =
                ns_output_number("%.4f", ns_history_step(history, records - 1)->loss);
            g_autoptr(GString) lane = g_string_new("lane ");
            g_string_append(lane, ns_lane_letter(i));
            if (ns_history_seeds(run->histories[i]) > 1)
                g_string_append_printf(lane, ", seed %" G_GINT64_FORMAT,
                                       run->experiment.lane[i].seed + (int64_t)k);
            /* A log may have a validation loss alone. */
            printf("# %s: steps %s to %s, last %sloss %s%s\n", lane->str, first, last,
                   run->kind == NS_RECORDED_LOG ? "" : "training ", loss,
                   running ? "; it is still running or was interrupted" : "");
            size_t continuations = ns_history_continuations(history);
            if (continuations > 0) {
                const NsContinuation *of[] = {ns_history_continuation(history, 0),
                                              ns_history_continuation(history, continuations - 1)};
                for (size_t c = of[0] == of[1]; c < 2; c++) {
                    g_autofree char *at = ns_group_digits(of[c]->step);
                    g_autofree char *text = g_strconcat(of[c]->prompt, "|", of[c]->text, NULL);
                    g_strdelimit(text, "\n\t", ' ');
                    printf("# %s: at step %s it continues “%s”\n", lane->str, at, text);
                }
            }
            /* Changes during the run; the preset has the settings at its beginning. */
            for (size_t e = 0; e < ns_history_events(history); e++) {
                const NsEvent *event = ns_history_event(history, e);
                if (event->kind == NS_EVENT_SETTING) printf("# %s: %s\n", lane->str, event->text);
            }
        }
    return true;
}

static int run(NsArguments *a, GError **error)
{
    int files = a->n_files + (a->from != NULL);
    if (files != 1)
        return ns_usage(error, "%s; write “" NS_CLI " show FILE”.",
                        files < 1 ? "A file is missing" : "One file at a time can be shown");
    const char *path = a->from ? a->from : a->files[0];
    NsRecordedKind kind = ns_recorded_kind(path);
    if (kind == NS_RECORDED_LOG) return show_recorded(path, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    if (!ns_figure_file_read(&provenance, NULL, path, NULL, error)) return NS_EXIT_ERROR;
    g_autofree char *name = g_filename_display_basename(path);
    g_autofree char *step = ns_group_digits(provenance.step);
    g_autoptr(GString) comment = g_string_new(name);
    if (provenance.figure) g_string_append_printf(comment, ": figure %s", provenance.figure);
    if (provenance.step >= 0) g_string_append_printf(comment, ", step %s", step);
    if (provenance.version) g_string_append_printf(comment, ", Normscope %s", provenance.version);
    if (provenance.x && provenance.y)
        g_string_append_printf(comment,
                               "\na sweep, which “" NS_CLI " sweep --from” repeats: --x %s --y %s",
                               provenance.x, provenance.y);
    if (provenance.study_text)
        g_string_append(comment, "\nof a study, which “" NS_CLI " study” runs again:");
    if (provenance.study)
        g_string_append_printf(
            comment, "\na figure of the paper, which “" NS_CLI " paper %s%s%s%s%s” repeats",
            provenance.study, provenance.scale ? " --scale " : "",
            provenance.scale ? provenance.scale : "", provenance.options ? " " : "",
            provenance.options ? provenance.options : "");
    if (provenance.changes)
        g_string_append_printf(comment, "\nchanged during the run: %s", provenance.changes);
    g_auto(NsPreset) preset = {0};
    ns_experiment_copy(&preset.experiment, &provenance.experiment);
    g_free(preset.experiment.title);
    preset.experiment.title = g_steal_pointer(&name);
    g_autofree char *text = ns_preset_write(&preset);
    g_auto(GStrv) lines = g_strsplit(comment->str, "\n", -1);
    for (char **line = lines; *line; line++) printf("# %s\n", *line);
    if (kind != NS_RECORDED_NONE && !show_recorded(path, error)) return NS_EXIT_ERROR;
    fputs(provenance.study_text ? provenance.study_text : text, stdout);
    return NS_EXIT_OK;
}

const NsCommand ns_cli_show = {
    .choice = {.key = "show", .purpose = "Show the experiment of a figure, a run or a preset"},
    .words = "FILE",
    .summary =
        "Shows the experiment of a figure (PNG, GIF, SVG, PDF, CSV or TeX), a run file, the\n"
        "JSON lines of a run or a preset: the settings that differ from the defaults, in the\n"
        "form of a preset that --from reads; of a figure of a study, the study.  Of a run,\n"
        "also its last step and loss and the settings that were changed while it trained;\n"
        "that is all there is of a run of another program (JSON lines, CSV, TensorBoard).",
    .examples = NS_CLI " chart --figure loss --set placement=pre --out pre.pdf\n" NS_CLI
                       " show pre.pdf\n" NS_CLI " show pre.pdf > pre.preset",
    .run = run,
};
