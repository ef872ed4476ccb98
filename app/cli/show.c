/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/store/figure_file.h"
#include "core/store/run_reader.h"

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
        g_string_append_printf(comment,
                               "\na figure of the paper, which “" NS_CLI " paper %s” repeats",
                               provenance->study);
    if (provenance->changes)
        g_string_append_printf(comment,
                               "\n"
                               "changed during the run: %s",
                               provenance->changes);
    return g_string_free(comment, FALSE);
}

/* What a run file has recorded, in comments. */
static bool show_recorded(const char *path, GError **error)
{
    if (!ns_run_file_is(path)) return true;
    g_autoptr(NsRunReader) reader = ns_run_reader_open(path, error);
    if (!reader) return false;
    const NsExperiment *experiment = &ns_run_reader_provenance(reader)->experiment;
    size_t seeds = ns_run_reader_seeds(reader);
    for (size_t i = 0; i < experiment->n * seeds; i++) {
        NsRunLane lane = ns_run_reader_lane(reader, i / seeds, i % seeds);
        NsStep step;
        if (!ns_run_reader_steps((NsRecorded){reader, i / seeds, i % seeds}, lane.last, 1, &step,
                                 error))
            return false;
        g_autofree char *first = ns_group_digits(lane.first), *last = ns_group_digits(lane.last);
        g_autofree char *loss = ns_output_number("%.4f", step.loss);
        printf("# lane %s", ns_lane_letter(i / seeds));
        if (seeds > 1)
            printf(", seed %" G_GINT64_FORMAT,
                   experiment->lane[i / seeds].seed + (gint64)(i % seeds));
        printf(": steps %s to %s, last training loss %s%s\n", first, last, loss,
               lane.summary ? "" : "; it is still running or was interrupted");
    }
    return true;
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
    const GOptionEntry entries[] = {{0}};
    const NsOptions options = {
        .command = "show",
        .words = "FILE",
        .summary =
            "Shows the experiment of a figure (PNG, SVG, PDF, CSV or TeX), a run file, the JSON\n"
            "lines of a run or a preset: the settings that differ from the defaults, in the form "
            "of\n"
            "a preset that --from reads; of a figure of a study, the study.",
        .examples = NS_CLI " chart --figure loss --set placement=pre --out pre.pdf\n" NS_CLI
                           " show pre.pdf\n" NS_CLI " show pre.pdf > pre.preset",
        .entries = entries,
    };
    if (!ns_options_read(&options, &argc, &argv, error)) return NS_EXIT_OK;
    if (argc != 2) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE, "%s; write “" NS_CLI " show FILE”.",
                    argc < 2 ? "A file is missing" : "One file at a time can be shown");
        return NS_EXIT_USAGE;
    }
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    if (!ns_figure_file_read(&provenance, NULL, argv[1], NULL, error)) return NS_EXIT_ERROR;
    g_autofree char *comment = comment_of(&provenance, argv[1]);
    g_autofree char *preset = preset_of(&provenance, argv[1]);
    g_auto(GStrv) lines = g_strsplit(comment, "\n", -1);
    for (char **line = lines; *line; line++) printf("# %s\n", *line);
    if (!show_recorded(argv[1], error)) return NS_EXIT_ERROR;
    fputs(provenance.study_text ? provenance.study_text : preset, stdout);
    return NS_EXIT_OK;
}
