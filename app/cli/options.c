/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/error.h"
#include "core/store/bundled.h"
#include "core/store/figure_file.h"
#include "core/store/outside_name.h"
#include "core/store/recorded_run.h"

#include <stdio.h>
#include <string.h>

int ns_usage(GError **error, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    g_autofree char *sentence = g_strdup_vprintf(format, words);
    va_end(words);
    ns_refuse(error, NS_ERROR_USAGE, "%s", sentence);
    return NS_EXIT_USAGE;
}

/* File names and settings are read as raw bytes, so that they stay unchanged in every locale. */
typedef struct {
    char *from, *preset, *map;
    char **set;
    gboolean help;
} Common;

static void common_clear(Common *common)
{
    g_free(common->from);
    g_free(common->preset);
    g_free(common->map);
    g_strfreev(common->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Common, common_clear)

/* The options of every command with settings; `entries` has space for COMMON and the terminator. */
#define COMMON 3
static void common_entries(Common *common, GOptionEntry *entries)
{
    const GOptionEntry rows[COMMON + 1] = {
        {"from", 0, 0, G_OPTION_ARG_FILENAME, &common->from,
         "The experiment of a figure (PNG, GIF, SVG, PDF, CSV or TeX), of a run file, of the JSON "
         "lines of a run, or of a preset (lines of “key = value”); --set changes it",
         "FILE"},
        {"preset", 'p', 0, G_OPTION_ARG_FILENAME, &common->preset,
         "One of “" NS_CLI " list presets”, or a file; --set changes all of its lanes", "NAME"},
        {"set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &common->set,
         "A setting; repeatable.  “" NS_CLI " list settings” shows them all", "KEY=VALUE"},
        {0},
    };
    memcpy(entries, rows, sizeof rows);
}

static void add_entries(GOptionContext *context, const NsOptions *options, Common *common)
{
    GOptionEntry set[COMMON + 1];
    common_entries(common, set);
    const GOptionEntry map[] = {
        {"map", 0, 0, G_OPTION_ARG_STRING, &common->map,
         "What columns of a log of another program mean, such as "
         "loss=COLUMN,step=COLUMN,layer='act/layer_{l}/rms'",
         "KEY=COLUMN,…"},
        {0},
    };
    const GOptionEntry help[] = {
        {"help", 'h', 0, G_OPTION_ARG_NONE, &common->help, "Show this help", NULL},
        {0},
    };
    if (options->experiment) g_option_context_add_main_entries(context, set, NULL);
    g_option_context_add_main_entries(context, options->entries, NULL);
    if (options->maps) g_option_context_add_main_entries(context, map, NULL);
    g_option_context_add_main_entries(context, help, NULL);
}

/* Replaces the experiment by that of a file. */
static bool read_from(const NsOptions *options, const char *path, GError **error)
{
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    ns_experiment_assign(&provenance.experiment, options->experiment);
    if (ns_recorded_kind(path) == NS_RECORDED_LOG) {
        g_autofree char *name = g_filename_display_basename(path);
        return options->from_file ||
               ns_refuse(error, NS_ERROR_USAGE,
                         "“%s” is a run of another program and contains no settings; “" NS_CLI
                         " chart --from” draws it and “watch --once” shows it.",
                         name);
    }
    if (!ns_figure_file_read(&provenance, NULL, path, NULL, error)) return false;
    ns_experiment_assign(options->experiment, &provenance.experiment);
    if (options->experiment->n > 1 && !options->lanes) {
        g_autofree char *name = g_filename_display_basename(path);
        fprintf(stderr, NS_CLI ": “%s” has %zu lanes; this is the first of them.\n", name,
                options->experiment->n);
        ns_experiment_resize(options->experiment, 1, 0);
    }
    if (!options->from) return true;
    ns_provenance_clear(options->from);
    *options->from = provenance;
    provenance = (NsProvenance){0};
    return true;
}

/* The values of --lane, or NULL. */
static char **lanes_of(const NsOptions *options)
{
    char **words = options->lanes ? *options->lanes : NULL;
    return words && *words ? words : NULL;
}

/* Replaces the experiment by that of a preset. */
static bool read_preset(const NsOptions *options, const char *name, GError **error)
{
    g_auto(NsPreset) preset = {0};
    ns_experiment_copy(&preset.experiment, options->experiment);
    if (!ns_preset_open(&preset, name, error)) return false;
    size_t n = preset.experiment.n;
    if (n > 1 && !options->lanes)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "The preset “%s” has %zu lanes; “" NS_CLI
                         " compare --preset %s” trains them.",
                         name, n, name);
    if (n > 1 && lanes_of(options))
        return ns_refuse(
            error, NS_ERROR_USAGE,
            "The preset has its own lanes; omit --lane, or name a preset with one lane.");
    ns_experiment_assign(options->experiment, &preset.experiment);
    return true;
}

/* Applies --set to every lane. */
static bool assign(const NsOptions *options, char **set, NsNamed *named, GError **error)
{
    NsExperiment *experiment = options->experiment;
    for (size_t lane = 0; lane < experiment->n; lane++) {
        *named = (NsNamed){0};
        for (char **word = set; word && *word; word++)
            if (!ns_settings_name_assignment(&experiment->lane[lane], named, *word, error))
                return false;
    }
    if (!options->trains || !ns_named_has(named, "steps")) return true;
    return ns_refuse(error, NS_ERROR_USAGE,
                     "“%s” takes %s, and the setting “steps” has no effect; omit it.",
                     options->command, options->trains);
}

/* --steps overrides setting “steps”, as its help says. */
static bool assign_steps(const NsOptions *options, NsNamed *named, GError **error)
{
    const char *steps = options->steps ? *options->steps : NULL;
    NsNamed last = ns_named_below(named);
    for (size_t lane = 0; steps && lane < options->experiment->n; lane++) {
        last = ns_named_below(named);
        if (!ns_settings_name(&options->experiment->lane[lane], &last, "steps", steps, error))
            return false;
    }
    named->all |= last.all;
    return true;
}

static bool read_lanes(const NsOptions *options, const NsNamed *named, GError **error)
{
    char **words = lanes_of(options);
    return !words || ns_experiment_read_lanes(options->experiment, (const char *const *)words,
                                              g_strv_length(words), named, error);
}

/* A setting without any effect is an error, wherever it comes from. */
static bool check_seeds(const NsOptions *options, GError **error)
{
    int64_t seeds = options->experiment->lane[0].seeds;
    if (!options->one_seed || seeds == 1) return true;
    return ns_refuse(error, NS_ERROR_USAGE,
                     "“%s” %s, and setting “seeds” is %" G_GINT64_FORMAT "; add --set seeds=1.",
                     options->command, options->one_seed, seeds);
}

static bool read_settings(const NsOptions *options, const Common *common, GError **error)
{
    if (!options->experiment) return true;
    const char *lines = options->lines ? *options->lines : NULL;
    if (!ns_output_spares(lines, common->from, error) ||
        !ns_output_spares(lines, common->preset, error))
        return false;
    if (common->from && common->preset)
        return ns_refuse(error, NS_ERROR_USAGE,
                         "--from and --preset both name an experiment; give only one of them.");
    NsNamed named = {0};
    if ((common->from && !read_from(options, common->from, error)) ||
        (common->preset && !read_preset(options, common->preset, error)) ||
        !assign(options, common->set, &named, error) || !read_lanes(options, &named, error) ||
        !assign_steps(options, &named, error) || !check_seeds(options, error))
        return false;
    if (options->named) *options->named = named;
    if (options->from_file) *options->from_file = g_strdup(common->from);
    ns_experiment_link(options->experiment);
    return ns_experiment_check(options->experiment, NULL, error);
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

/* ---- Repeated options ---- */

static const GOptionEntry *find_entry(const GOptionEntry *const tables[2], const char *name,
                                      size_t length)
{
    for (size_t t = 0; t < 2; t++)
        for (const GOptionEntry *e = tables[t]; e && e->long_name; e++)
            if (length == 1
                    ? e->short_name == *name
                    : strlen(e->long_name) == length && strncmp(e->long_name, name, length) == 0)
                return e;
    return NULL;
}

static bool takes_value(const GOptionEntry *entry)
{
    return entry && entry->arg != G_OPTION_ARG_NONE;
}

/* The option in an argument, if it takes a value; `apart`: the value is the next argument. */
static const GOptionEntry *option_of(const GOptionEntry *const tables[2], const char *word,
                                     bool *apart)
{
    if (word[0] != '-' || !word[1]) return NULL;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        const GOptionEntry *entry = length > 1 ? find_entry(tables, word + 2, length) : NULL;
        *apart = !word[2 + length];
        return takes_value(entry) ? entry : NULL;
    }
    for (const char *letter = word + 1; *letter; letter++) {
        const GOptionEntry *entry = find_entry(tables, letter, 1);
        *apart = !letter[1];
        if (!entry || takes_value(entry)) return entry;
    }
    return NULL;
}

/* Refuses a repeated option with a single value, because the last one would silently win. */
static bool check_once(const GOptionEntry *const tables[2], int argc, char **argv, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (int i = 1; i < argc && !g_str_equal(argv[i], "--"); i++) {
        bool apart = false;
        const GOptionEntry *entry = option_of(tables, argv[i], &apart);
        if (!entry) continue;
        i += apart;
        bool list =
            entry->arg == G_OPTION_ARG_FILENAME_ARRAY || entry->arg == G_OPTION_ARG_STRING_ARRAY;
        if (list || g_hash_table_add(seen, (gpointer)(uintptr_t)entry)) continue;
        return ns_refuse(error, NS_ERROR_USAGE, "--%s is given twice; omit one of them.",
                         entry->long_name);
    }
    return true;
}

bool ns_options_read(const NsOptions *options, int *argc, char ***argv, GError **error)
{
    g_autofree char *name = g_strconcat(NS_CLI " ", options->command, NULL);
    g_set_prgname(name);
    g_autoptr(GOptionContext) context = g_option_context_new(options->words);
    g_option_context_set_help_enabled(context, FALSE);
    g_auto(Common) common = {0};
    add_entries(context, options, &common);
    GOptionEntry shared[COMMON + 1];
    common_entries(&common, shared);
    const GOptionEntry *const tables[] = {options->entries, shared};
    if (!check_once(tables, *argc, *argv, error)) return false;

    g_autoptr(GError) wrong = NULL;
    bool read = g_option_context_parse(context, argc, argv, &wrong);
    if (!read)
        return ns_refuse(error, NS_ERROR_USAGE, "%s; “%s --help” shows what there is.",
                         wrong->message, name);
    if (common.help) {
        show_help(context, options);
        return false;
    }
    if (*argc > 1 && !options->words)
        return ns_refuse(error, NS_ERROR_USAGE, "“%s” was not expected; %s.", (*argv)[1],
                         options->experiment ? "settings are given as --set KEY=VALUE"
                                             : "name files with options, such as --run FILE");
    if (common.map && !ns_outside_map(common.map, error)) return false;
    return read_settings(options, &common, error);
}

bool ns_option_check(const char *option, gint64 value, gint64 least, gint64 most, GError **error)
{
    return (value >= least && value <= most) ||
           ns_refuse(error, NS_ERROR_USAGE, "--%s must lie between 1 and %" G_GINT64_FORMAT ".",
                     option, most);
}
