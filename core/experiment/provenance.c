/* The origin of a figure.  SPDX-License-Identifier: MIT */
#include "core/experiment/provenance.h"

#include "core/base/digits.h"
#include "core/base/error.h"

#include <string.h>

#define VERSION_KEY "normscope"
#define STEP_KEY "step"
#define UNTIL_KEY "until"
#define LANE_KEY "lane"
#define STUDY_TEXT_KEY "study-text"

/* Keys of a provenance that are not settings, in the order of the line. */
static const struct {
    const char *key;
    size_t offset;
} texts[] = {
    {VERSION_KEY, offsetof(NsProvenance, version)},
    {"figure", offsetof(NsProvenance, figure)},
    {"x", offsetof(NsProvenance, x)},
    {"y", offsetof(NsProvenance, y)},
    {"study", offsetof(NsProvenance, study)},
    {"scale", offsetof(NsProvenance, scale)},
    {"options", offsetof(NsProvenance, options)},
    {STUDY_TEXT_KEY, offsetof(NsProvenance, study_text)},
    {"axes", offsetof(NsProvenance, axes)},
    {"smooth", offsetof(NsProvenance, smooth)},
    {"theory", offsetof(NsProvenance, theory)},
    {"heat", offsetof(NsProvenance, heat)},
    {"names", offsetof(NsProvenance, names)},
    {"changes", offsetof(NsProvenance, changes)},
};

static char **slot(NsProvenance *provenance, size_t offset)
{
    return (char **)(void *)((char *)provenance + offset);
}

void ns_provenance_init(NsProvenance *provenance)
{
    *provenance = (NsProvenance){.step = -1};
    ns_experiment_init(&provenance->experiment);
}

void ns_provenance_clear(NsProvenance *provenance)
{
    ns_experiment_clear(&provenance->experiment);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_clear_pointer(slot(provenance, texts[i].offset), g_free);
}

/* Converts a text of several lines to one line: a line break is written as \\n. */
static char *join_lines(const char *text)
{
    GString *line = g_string_new(NULL);
    for (; *text; text++) {
        if (*text == '\n' || *text == '\\') g_string_append_c(line, '\\');
        g_string_append_c(line, *text == '\n' ? 'n' : *text);
    }
    return g_string_free(line, FALSE);
}

static char *split_lines(const char *line)
{
    GString *text = g_string_new(NULL);
    for (; *line; line++) {
        bool escaped = *line == '\\' && line[1];
        if (escaped) line++;
        g_string_append_c(text, escaped && *line == 'n' ? '\n' : *line);
    }
    return g_string_free(text, FALSE);
}

char *ns_provenance_line(const NsProvenance *provenance)
{
    GString *line = g_string_new(NULL);
    ns_assignment_append(line, VERSION_KEY, NS_VERSION);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        const char *value =
            *(char *const *)(const void *)((const char *)provenance + texts[i].offset);
        g_autofree char *joined = value ? join_lines(value) : NULL;
        bool lines = g_str_equal(texts[i].key, STUDY_TEXT_KEY);
        if (value && !g_str_equal(texts[i].key, VERSION_KEY))
            ns_assignment_append(line, texts[i].key, lines ? joined : value);
    }
    if (provenance->step >= 0)
        g_string_append_printf(line, " " STEP_KEY "=%" G_GINT64_FORMAT, provenance->step);
    if (provenance->until > 0)
        g_string_append_printf(line, " " UNTIL_KEY "=%" G_GINT64_FORMAT, provenance->until);
    const NsExperiment *experiment = &provenance->experiment;
    for (size_t lane = 0; experiment->n > 1 && lane < experiment->n; lane++) {
        g_autofree char *words = ns_experiment_lane_words(experiment, lane);
        ns_assignment_append(line, LANE_KEY, words);
    }
    g_autofree char *settings = ns_settings_line(&experiment->lane[0], true);
    g_string_append_printf(line, " %s", settings);
    /* In some formats the line is in a comment, which would end at a line break. */
    g_strdelimit(line->str, "\r\n", ' ');
    return g_string_free(line, FALSE);
}

/* The setting that an axis varies; NULL if there is none. */
static const NsParam *varied(const char *axis)
{
    g_autofree char *key = axis ? g_strndup(axis, strcspn(axis, "=")) : NULL;
    return key ? ns_param_find(key) : NULL;
}

char *ns_provenance_differences(const NsProvenance *provenance)
{
    const NsExperiment *experiment = &provenance->experiment;
    /* The settings that differ from the default, except those of single lanes and of axes. */
    const NsParam *const x = varied(provenance->x), *const y = varied(provenance->y), *param;
    g_auto(NsSettings) common;
    ns_settings_copy(&common, &experiment->lane[0]);
    for (size_t i = 0; (param = ns_param(i)); i++) {
        bool special = param == x || param == y; /* or in the words of a lane */
        for (size_t lane = 0; lane < experiment->n; lane++)
            special = special || ns_experiment_names(experiment, lane, param);
        if (special) ns_settings_set(&common, param->key, param->default_text, NULL);
    }
    g_autofree char *line = ns_settings_line(&common, false);

    g_auto(GStrv) names = g_strsplit(provenance->names ? provenance->names : "", ";", -1);
    size_t named = g_strv_length(names);
    GString *caption = g_string_new(NULL);
    for (size_t lane = 0; experiment->n > 1 && lane < experiment->n; lane++) {
        g_autofree char *words = ns_experiment_lane_words(experiment, lane);
        bool own = lane < named && *names[lane];
        /* Lanes may be identical. */
        if (!own && !*words) continue;
        g_string_append_printf(caption, "%s%s%s, ", own ? names[lane] : ns_lane_letter(lane),
                               *words ? ": " : "", words);
    }
    g_string_append(caption, line);
    return g_string_free(caption, FALSE);
}

char *ns_provenance_caption(const NsProvenance *provenance)
{
    const NsSettings *settings = &provenance->experiment.lane[0];
    g_autofree char *differences = ns_provenance_differences(provenance);
    GString *caption = g_string_new(differences);
    bool ends = !*differences || g_str_has_suffix(differences, " ");
    const NsParam *seed = ns_param_find("seed");
    bool varies = varied(provenance->x) == seed || varied(provenance->y) == seed;
    if (!varies && ns_settings_is_default(settings, seed))
        g_string_append_printf(caption, "%sseed=%" G_GINT64_FORMAT, ends ? "" : " ",
                               settings->seed);
    g_autofree char *step = ns_group_digits(provenance->step);
    g_autofree char *until = ns_group_digits(provenance->until);
    if (provenance->step >= 0) g_string_append_printf(caption, ", step %s", step);
    if (provenance->until > 0) g_string_append_printf(caption, " of %s", until);
    if (provenance->changes)
        g_string_append_printf(caption, ", changed during the run: %s", provenance->changes);
    g_string_append(caption, ", Normscope " NS_VERSION);
    return g_string_free(caption, FALSE);
}

static bool read_step(int64_t *step, const char *key, const char *value, GError **error)
{
    gint64 number;
    if (!g_ascii_string_to_signed(value, 10, 0, G_MAXINT64, &number, NULL))
        return ns_refuse(error, NS_ERROR_SETTING,
                         "%s is “%s”; it must be a whole number of at least 0.", key, value);
    *step = number;
    return true;
}

static bool take(NsProvenance *provenance, const char *key, const char *value, GError **error)
{
    if (g_str_equal(key, STEP_KEY)) return read_step(&provenance->step, key, value, error);
    if (g_str_equal(key, UNTIL_KEY)) return read_step(&provenance->until, key, value, error);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        if (!g_str_equal(key, texts[i].key)) continue;
        char **text = slot(provenance, texts[i].offset);
        g_free(*text);
        *text = g_str_equal(key, STUDY_TEXT_KEY) ? split_lines(value) : g_strdup(value);
        return true;
    }
    if (!ns_param_find(key)) {
        /* An unknown key is an error, because the experiment could not be repeated correctly. */
        const char *keys[G_N_ELEMENTS(texts) + 1] = {NULL};
        for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) keys[i] = texts[i].key;
        g_autoptr(GError) wrong = NULL;
        ns_settings_unknown(key, keys, &wrong);
        bool other = provenance->version && !g_str_equal(provenance->version, NS_VERSION);
        g_autofree char *who =
            other ? g_strdup_printf(", written by Normscope %s", provenance->version)
                  : g_strdup("");
        size_t what = strcspn(wrong->message, ";"); /* the nearest key follows */
        return ns_refuse(error, NS_ERROR_SETTING, "%.*s%s%s", (int)what, wrong->message, who,
                         wrong->message + what);
    }
    NsExperiment *experiment = &provenance->experiment;
    for (size_t lane = 0; lane < experiment->n; lane++)
        if (!ns_settings_set(&experiment->lane[lane], key, value, error)) return false;
    return true;
}

static bool refuse(GError **error)
{
    return ns_refuse(error, NS_ERROR_SETTING,
                     "This is not an experiment; an experiment is a line such as “normscope=0.1.0 "
                     "placement=pre”.");
}

bool ns_provenance_read(NsProvenance *provenance, const char *line, GError **error)
{
    g_auto(GStrv) words = NULL;
    if (!g_utf8_validate(line, -1, NULL) || !g_shell_parse_argv(line, NULL, &words, NULL))
        return refuse(error);
    g_autoptr(GPtrArray) lanes = g_ptr_array_new();
    for (char **word = words; *word; word++) {
        char *equals = strchr(*word, '=');
        if (!equals) return refuse(error);
        *equals = '\0';
        char *value = g_strstrip(equals + 1), *key = g_strstrip(*word);
        if (!*key) return refuse(error);
        if (g_str_equal(key, LANE_KEY))
            g_ptr_array_add(lanes, value);
        else if (!take(provenance, key, value, error))
            return false;
    }
    NsExperiment *experiment = &provenance->experiment;
    const char *const *of_lanes = (const char *const *)lanes->pdata;
    if (!ns_settings_check(&experiment->lane[0], error) ||
        (lanes->len && !ns_experiment_read_lanes(experiment, of_lanes, lanes->len, NULL, error)))
        return false;
    ns_experiment_link(experiment);
    return ns_experiment_check(experiment, NULL, error);
}
