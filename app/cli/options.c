/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/error.h"
#include "core/store/figure_file.h"
#include "core/store/shelf.h"

#include <stdio.h>
#include <string.h>

/* File names and the texts of settings are bytes, so that they pass unchanged in every locale. */
typedef struct {
    char *from, *preset;
    char **set;
    gboolean help;
} Common;

static void common_clear(Common *common)
{
    g_free(common->from);
    g_free(common->preset);
    g_strfreev(common->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Common, common_clear)

static void add_entries(GOptionContext *context, const NsOptions *options, Common *common)
{
    const GOptionEntry set[] = {
        {"from", 0, 0, G_OPTION_ARG_FILENAME, &common->from,
         "The experiment inside a figure (PNG, SVG, PDF, CSV or TeX), of the JSON lines of a run, "
         "or of a preset, lines of “key = value”; --set changes it",
         "FILE"},
        {"preset", 'p', 0, G_OPTION_ARG_FILENAME, &common->preset,
         "One of “" NS_CLI " list presets”, or a file; --set changes all of its lanes", "NAME"},
        {"set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &common->set,
         "A setting; repeatable.  “" NS_CLI " list settings” shows them all", "KEY=VALUE"},
        {0},
    };
    const GOptionEntry help[] = {
        {"help", 'h', 0, G_OPTION_ARG_NONE, &common->help, "Show this help", NULL},
        {0},
    };
    if (options->settings) g_option_context_add_main_entries(context, set, NULL);
    g_option_context_add_main_entries(context, options->entries, NULL);
    g_option_context_add_main_entries(context, help, NULL);
}

/* The settings of a file in place of those there were. */
static bool read_from(const NsOptions *options, const char *path, GError **error)
{
    g_auto(NsExperiment) experiment;
    ns_experiment_init(&experiment);
    ns_settings_clear(&experiment.settings);
    ns_settings_copy(&experiment.settings, options->settings);
    if (!ns_figure_file_read(&experiment, path, NULL, error)) return false;
    if (experiment.unknown) {
        g_autofree char *name = g_filename_display_basename(path);
        fprintf(stderr, NS_CLI ": “%s” also names %s, which mean nothing here.\n", name,
                experiment.unknown);
    }
    ns_settings_clear(options->settings);
    ns_settings_copy(options->settings, &experiment.settings);
    if (experiment.n_lanes > 1 && (!options->from || options->one_lane)) {
        g_autofree char *name = g_filename_display_basename(path);
        fprintf(stderr, NS_CLI ": “%s” has %zu lanes, of which this is the first.\n", name,
                experiment.n_lanes);
    }
    if (!options->from) return true;
    ns_experiment_clear(options->from);
    *options->from = experiment;
    experiment = (NsExperiment){0};
    return true;
}

/* The settings of a preset in place of those there were; it has one lane, or the command takes all
 * that it has. */
static bool read_preset(const NsOptions *options, const char *name, GError **error)
{
    g_auto(NsPreset) preset = {.lanes = 1};
    ns_settings_copy(&preset.lane[0], options->settings);
    if (!ns_preset_open(&preset, name, error)) return false;
    if (preset.lanes > 1 && !options->preset) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "The preset “%s” has %zu lanes; “" NS_CLI " compare --preset %s” trains them.",
                    name, preset.lanes, name);
        return false;
    }
    if (preset.unknown)
        fprintf(stderr, NS_CLI ": “%s” also names %s, which mean nothing here.\n", name,
                preset.unknown);
    ns_settings_clear(options->settings);
    ns_settings_copy(options->settings, &preset.lane[0]);
    if (!options->preset) return true;
    ns_preset_clear(options->preset);
    *options->preset = preset;
    preset = (NsPreset){0};
    return true;
}

/* --set and --steps into one lane. */
static bool assign(const NsOptions *options, NsSettings *settings, char **set, GError **error)
{
    for (; set && *set; set++)
        if (!ns_settings_assign(settings, *set, error)) return false;
    if (options->steps && *options->steps &&
        !ns_settings_set(settings, "steps", *options->steps, error))
        return false;
    return ns_settings_check(settings, error);
}

/* --set has the last word on what a lane of a figure says of itself. */
static void add_to_lanes(NsExperiment *from, char **set)
{
    for (; set && *set; set++) {
        g_autofree char *quoted = g_shell_quote(*set);
        for (size_t i = 0; i < from->n_lanes; i++) {
            char *words = g_strconcat(from->lanes[i], " ", quoted, NULL);
            g_free(from->lanes[i]);
            from->lanes[i] = words;
        }
    }
}

static bool read_settings(const NsOptions *options, const Common *common, GError **error)
{
    if (!options->settings) return true;
    const char *lines = options->lines ? *options->lines : NULL;
    if (!ns_output_spares(lines, common->from, error) ||
        !ns_output_spares(lines, common->preset, error))
        return false;
    if (common->from && common->preset) {
        g_set_error_literal(error, NS_ERROR, NS_ERROR_USAGE,
                            "--from and --preset both say what to begin with; give one of them.");
        return false;
    }
    if (common->from && !read_from(options, common->from, error)) return false;
    if (common->preset && !read_preset(options, common->preset, error)) return false;
    if (!assign(options, options->settings, common->set, error)) return false;
    if (common->from && options->from) add_to_lanes(options->from, common->set);
    for (size_t i = 0; common->preset && options->preset && i < options->preset->lanes; i++)
        if (!assign(options, &options->preset->lane[i], common->set, error)) return false;
    return true;
}

static void show_help(GOptionContext *context, const NsOptions *options)
{
    g_autoptr(GString) after = g_string_new("Examples:\n");
    g_auto(GStrv) lines = g_strsplit(options->examples, "\n", -1);
    for (char **line = lines; *line; line++) g_string_append_printf(after, "  %s\n", *line);
    g_option_context_set_summary(context, options->summary);
    g_option_context_set_description(context, after->str);
    g_autofree char *help = g_option_context_get_help(context, TRUE, NULL);
    fputs(help, stdout);
}

bool ns_options_read(const NsOptions *options, int *argc, char ***argv, GError **error)
{
    g_autofree char *name = g_strconcat(NS_CLI " ", options->command, NULL);
    g_set_prgname(name);
    g_autoptr(GOptionContext) context = g_option_context_new(options->words);
    g_option_context_set_help_enabled(context, FALSE);
    g_auto(Common) common = {0};
    add_entries(context, options, &common);

    g_autoptr(GError) wrong = NULL;
    bool read = g_option_context_parse(context, argc, argv, &wrong);
    if (!read) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE, "%s; “%s --help” shows what there is.",
                    wrong->message, name);
        return false;
    }
    if (common.help) {
        show_help(context, options);
        return false;
    }
    if (*argc > 1 && !options->words) {
        g_set_error(error, NS_ERROR, NS_ERROR_USAGE,
                    "“%s” was not expected; settings are given as --set KEY=VALUE.", (*argv)[1]);
        return false;
    }
    return read_settings(options, &common, error);
}
