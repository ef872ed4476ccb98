/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"
#include "app/cli/recorded.h"

#include "core/base/digits.h"
#include "core/store/figure_file.h"
#include "core/store/outside_file.h"
#include "core/store/run_reader.h"
#include "core/store/run_record.h"

#include <stdio.h>

static char *comment_of(const NsProvenance *provenance, const char *path)
{
    g_autofree char *name = g_filename_display_basename(path);
    g_autofree char *step = ns_group_digits(provenance->step);
    GString *comment = g_string_new(name);
    if (provenance->figure) g_string_append_printf(comment, ": figure %s", provenance->figure);
    if (provenance->step >= 0) g_string_append_printf(comment, ", step %s", step);
    if (provenance->version) g_string_append_printf(comment, ", Normscope %s", provenance->version);
    if (provenance->x && provenance->y)
        g_string_append_printf(comment,
                               "\na sweep, which “" NS_CLI " sweep --from” repeats: --x %s --y %s",
                               provenance->x, provenance->y);
    if (provenance->study_text)
        g_string_append(comment, "\nof a study, which “" NS_CLI " study” runs again:");
    if (provenance->study)
        g_string_append_printf(
            comment, "\na figure of the paper, which “" NS_CLI " paper %s%s%s%s%s” repeats",
            provenance->study, provenance->scale ? " --scale " : "",
            provenance->scale ? provenance->scale : "", provenance->options ? " " : "",
            provenance->options ? provenance->options : "");
    if (provenance->changes)
        g_string_append_printf(comment,
                               "\n"
                               "changed during the run: %s",
                               provenance->changes);
    return g_string_free(comment, FALSE);
}

/* ---- Recorded runs, as comments ---- */

static void show_lane(const char *lane, int64_t from, int64_t to, double loss, const char *end)
{
    g_autofree char *first = ns_group_digits(from), *last = ns_group_digits(to);
    g_autofree char *number = ns_output_number("%.4f", loss);
    printf("# %s: steps %s to %s, last training loss %s%s\n", lane, first, last, number, end);
}

/* Lists changes during the run; the preset has the settings at its beginning. */
static void show_changes(const char *lane, const NsHistory *history)
{
    for (size_t i = 0; i < ns_history_events(history); i++) {
        const NsEvent *event = ns_history_event(history, i);
        if (event->kind == NS_EVENT_SETTING) printf("# %s: %s\n", lane, event->text);
    }
}

static char *lane_words(size_t lane, size_t seeds, int64_t seed)
{
    if (seeds < 2) return g_strdup_printf("lane %s", ns_lane_letter(lane));
    return g_strdup_printf("lane %s, seed %" G_GINT64_FORMAT, ns_lane_letter(lane), seed);
}

static bool show_run_file(const char *path, GError **error)
{
    g_autoptr(NsRunReader) reader = ns_run_reader_open(path, error);
    if (!reader) return false;
    const NsExperiment *experiment = &ns_run_reader_provenance(reader)->experiment;
    size_t seeds = ns_run_reader_seeds(reader);
    for (size_t i = 0; i < experiment->n * seeds; i++) {
        NsRecorded of = {reader, i / seeds, i % seeds};
        NsRunLane lane = ns_run_reader_lane(reader, of.lane, of.seed);
        NsStep step;
        if (!ns_run_reader_steps(of, lane.last, 1, &step, error)) return false;
        g_autoptr(NsHistory) marks = ns_run_reader_marks(of, error);
        if (!marks) return false;
        g_autofree char *words =
            lane_words(of.lane, seeds, experiment->lane[of.lane].seed + (gint64)of.seed);
        show_lane(words, lane.first, lane.last, step.loss,
                  lane.summary ? "" : "; it is still running or was interrupted");
        show_changes(words, marks);
    }
    return true;
}

static void show_history(const char *lane, const NsHistory *history)
{
    size_t records = ns_history_steps(history);
    if (!records) return;
    show_lane(lane, ns_history_first_step(history), ns_history_last_step(history),
              ns_history_step(history, records - 1)->loss, "");
    show_changes(lane, history);
}

/* Shows the run in JSON lines; `experiment` is NULL for a run of another program. */
static bool show_lines(const char *path, const NsExperiment *experiment, GError **error)
{
    NsHistory *histories[NS_LANES_MAX] = {0};
    int64_t last = 0;
    bool good = ns_recorded_read(path, -1, histories, &last, error) &&
                ns_recorded_read(path, last, histories, &last, error);
    if (good && !experiment) {
        g_autofree char *name = g_filename_display_basename(path);
        printf("# %s, a run of another program\n", name);
    }
    for (size_t i = 0; i < NS_LANES_MAX && histories[i]; i++) {
        size_t seeds = ns_history_seeds(histories[i]);
        for (size_t k = 0; good && k < seeds; k++) {
            int64_t seed = experiment ? experiment->lane[i].seed + (int64_t)k : 0;
            g_autofree char *words = lane_words(i, seeds, seed);
            show_history(words, ns_history_seed(histories[i], k));
        }
        ns_history_unref(histories[i]);
    }
    return good;
}

static bool show_recorded(const char *path, const NsExperiment *experiment, GError **error)
{
    if (ns_run_file_is(path)) return show_run_file(path, error);
    return !ns_recorded_is(path) || show_lines(path, experiment, error);
}

static char *preset_of(const NsProvenance *provenance, const char *path)
{
    g_auto(NsPreset) preset = {0};
    ns_experiment_copy(&preset.experiment, &provenance->experiment);
    g_free(preset.experiment.title);
    preset.experiment.title = g_filename_display_basename(path);
    return ns_preset_write(&preset);
}

int ns_cli_show(int argc, char **argv, GError **error)
{
    g_autofree char *from = NULL;
    const GOptionEntry entries[] = {
        {"from", 0, 0, G_OPTION_ARG_FILENAME, &from, "The file, as in “chart”", "FILE"},
        {0},
    };
    const NsOptions options = {
        .command = "show",
        .words = "FILE",
        .summary =
            "Shows the experiment of a figure (PNG, GIF, SVG, PDF, CSV or TeX), a run file, the\n"
            "JSON lines of a run or a preset: the settings that differ from the defaults, in the\n"
            "form of a preset that --from reads; of a figure of a study, the study.  Of a run,\n"
            "also its last step and loss and the settings that were changed while it trained;\n"
            "that is all there is of a run of another program (JSON lines, CSV, TensorBoard).",
        .examples = NS_CLI " chart --figure loss --set placement=pre --out pre.pdf\n" NS_CLI
                           " show pre.pdf\n" NS_CLI " show pre.pdf > pre.preset",
        .entries = entries,
        .maps = true,
    };
    if (!ns_options_read(&options, &argc, &argv, error)) return NS_EXIT_OK;
    int files = argc - 1 + (from != NULL);
    if (files != 1)
        return ns_usage(error, "%s; write “" NS_CLI " show FILE”.",
                        files < 1 ? "A file is missing" : "One file at a time can be shown");
    const char *path = from ? from : argv[1];
    if (ns_outside_file_is(path) && !ns_run_record_is(path))
        return show_lines(path, NULL, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    if (!ns_figure_file_read(&provenance, NULL, path, NULL, error)) return NS_EXIT_ERROR;
    g_autofree char *comment = comment_of(&provenance, path);
    g_autofree char *preset = preset_of(&provenance, path);
    g_auto(GStrv) lines = g_strsplit(comment, "\n", -1);
    for (char **line = lines; *line; line++) printf("# %s\n", *line);
    if (!show_recorded(path, &provenance.experiment, error)) return NS_EXIT_ERROR;
    fputs(provenance.study_text ? provenance.study_text : preset, stdout);
    return NS_EXIT_OK;
}
