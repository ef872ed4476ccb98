/* What a figure says of where it comes from.  SPDX-License-Identifier: MIT */
#include "core/experiment/experiment.h"

#include "core/base/error.h"
#include "core/experiment/assignment.h"

#include <string.h>

#define VERSION_KEY "normscope"
#define STEP_KEY "step"
#define UNTIL_KEY "until"
#define LANE_KEY "lane"

/* Keys of an experiment that are no settings, in the order of the line. */
static const struct {
    const char *key;
    size_t offset;
} texts[] = {
    {VERSION_KEY, offsetof(NsExperiment, version)},
    {"figure", offsetof(NsExperiment, figure)},
    {"x", offsetof(NsExperiment, x)},
    {"y", offsetof(NsExperiment, y)},
    {"seeds", offsetof(NsExperiment, seeds)},
    {"study", offsetof(NsExperiment, study)},
    {"axes", offsetof(NsExperiment, axes)},
    {"smooth", offsetof(NsExperiment, smooth)},
    {"theory", offsetof(NsExperiment, theory)},
    {"heat", offsetof(NsExperiment, heat)},
    {"changes", offsetof(NsExperiment, changes)},
};

static char **slot(NsExperiment *experiment, size_t offset)
{
    return (char **)(void *)((char *)experiment + offset);
}

static const char *text_of(const NsExperiment *experiment, size_t offset)
{
    return *(char *const *)(const void *)((const char *)experiment + offset);
}

void ns_experiment_init(NsExperiment *experiment)
{
    *experiment = (NsExperiment){.step = -1};
    ns_settings_init(&experiment->settings);
}

static void clear_lanes(NsExperiment *experiment)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++) g_clear_pointer(&experiment->lanes[i], g_free);
    experiment->n_lanes = 0;
}

void ns_experiment_clear(NsExperiment *experiment)
{
    ns_settings_clear(&experiment->settings);
    clear_lanes(experiment);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_clear_pointer(slot(experiment, texts[i].offset), g_free);
}

void ns_experiment_set_lanes(NsExperiment *experiment, const NsSettings *const *lanes, size_t n)
{
    NsSettings first; /* before those go that it may be */
    ns_settings_copy(&first, lanes[0]);
    clear_lanes(experiment);
    for (size_t i = 0; n > 1 && i < n; i++)
        experiment->lanes[experiment->n_lanes++] = ns_settings_special(lanes, n, i);
    ns_settings_clear(&experiment->settings);
    experiment->settings = first;
}

void ns_experiment_lane(const NsExperiment *experiment, size_t lane, NsSettings *settings)
{
    ns_settings_copy(settings, &experiment->settings);
    if (lane < experiment->n_lanes) ns_settings_assign_all(settings, experiment->lanes[lane], NULL);
}

static void add_word(GString *line, const char *key, const char *value)
{
    bool plain =
        *value && strspn(value, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_.+:/,") == strlen(value);
    g_autofree char *quoted = plain ? g_strdup(value) : g_shell_quote(value);
    g_string_append_printf(line, "%s%s=%s", line->len ? " " : "", key, quoted);
}

char *ns_experiment_line(const NsExperiment *experiment)
{
    GString *line = g_string_new(NULL);
    add_word(line, VERSION_KEY, NS_VERSION);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        const char *value = text_of(experiment, texts[i].offset);
        if (value && !g_str_equal(texts[i].key, VERSION_KEY)) add_word(line, texts[i].key, value);
    }
    if (experiment->step >= 0)
        g_string_append_printf(line, " " STEP_KEY "=%" G_GINT64_FORMAT, experiment->step);
    if (experiment->until > 0)
        g_string_append_printf(line, " " UNTIL_KEY "=%" G_GINT64_FORMAT, experiment->until);
    for (size_t i = 0; i < experiment->n_lanes; i++) add_word(line, LANE_KEY, experiment->lanes[i]);
    g_autofree char *settings = ns_settings_line(&experiment->settings, true);
    g_string_append_printf(line, " %s", settings);
    /* It is a comment in some formats, which ends with its line. */
    g_strdelimit(line->str, "\r\n", ' ');
    return g_string_free(line, FALSE);
}

/* Gives the settings that a lane has words of its own for their defaults. */
static void forget_special(NsSettings *settings, const char *words)
{
    g_auto(GStrv) assignments = NULL;
    if (!g_shell_parse_argv(words, NULL, &assignments, NULL)) return;
    for (char **at = assignments; *at; at++) {
        *strchrnul(*at, '=') = '\0';
        const NsParam *param = ns_param_find(*at);
        if (param) ns_settings_set(settings, param->key, param->default_text, NULL);
    }
}

/* The setting that the values of an axis are of; NULL for none. */
static const NsParam *varied(const char *axis)
{
    g_autofree char *key = axis ? g_strndup(axis, strcspn(axis, "=")) : NULL;
    return key ? ns_param_find(key) : NULL;
}

/* What is not a default, no lane's own and on no axis. */
static char *common_line(const NsExperiment *experiment)
{
    NsSettings common;
    ns_settings_copy(&common, &experiment->settings);
    for (size_t i = 0; i < experiment->n_lanes; i++) forget_special(&common, experiment->lanes[i]);
    const NsParam *const axes[] = {varied(experiment->x), varied(experiment->y)};
    for (size_t i = 0; i < G_N_ELEMENTS(axes); i++)
        if (axes[i]) ns_settings_set(&common, axes[i]->key, axes[i]->default_text, NULL);
    char *line = ns_settings_line(&common, false);
    ns_settings_clear(&common);
    return line;
}

char *ns_experiment_caption(const NsExperiment *experiment)
{
    const NsSettings *settings = &experiment->settings;
    g_autofree char *line = common_line(experiment);
    GString *caption = g_string_new(NULL);
    for (size_t i = 0; i < experiment->n_lanes; i++)
        g_string_append_printf(caption, "%s: %s, ", ns_lane_letter(i), experiment->lanes[i]);
    g_string_append(caption, line);
    const NsParam *seed = ns_param_find("seed");
    bool varies = varied(experiment->x) == seed || varied(experiment->y) == seed;
    if (!varies && ns_settings_is_default(settings, seed))
        g_string_append_printf(caption, "%sseed=%" G_GINT64_FORMAT, *line ? " " : "",
                               settings->seed);
    if (experiment->seeds) g_string_append_printf(caption, ", mean of %s seeds", experiment->seeds);
    if (experiment->step >= 0)
        g_string_append_printf(caption, ", step %" G_GINT64_FORMAT, experiment->step);
    if (experiment->until > 0)
        g_string_append_printf(caption, " of %" G_GINT64_FORMAT, experiment->until);
    if (experiment->changes)
        g_string_append_printf(caption, ", changed on the way: %s", experiment->changes);
    g_string_append(caption, ", Normscope " NS_VERSION);
    return g_string_free(caption, FALSE);
}

static bool read_step(int64_t *step, const char *key, const char *value, GError **error)
{
    gint64 number;
    if (!g_ascii_string_to_signed(value, 10, 0, G_MAXINT64, &number, NULL)) {
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "%s is “%s”; it must be a whole number that is not negative.", key, value);
        return false;
    }
    *step = number;
    return true;
}

/* A program that knew the key may have done what this one cannot repeat. */
static bool refuse_key(const NsExperiment *experiment, const char *key, GError **error)
{
    const char *keys[G_N_ELEMENTS(texts) + 1] = {NULL};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) keys[i] = texts[i].key;
    g_autoptr(GError) wrong = NULL;
    ns_settings_unknown(key, keys, &wrong);
    bool other = experiment->version && !g_str_equal(experiment->version, NS_VERSION);
    g_autofree char *who =
        other ? g_strdup_printf(", which Normscope %s has written", experiment->version)
              : g_strdup("");
    size_t what = strcspn(wrong->message, ";"); /* behind it stands the nearest */
    g_set_error(error, NS_ERROR, NS_ERROR_SETTING, "%.*s%s%s", (int)what, wrong->message, who,
                wrong->message + what);
    return false;
}

static bool take(NsExperiment *experiment, const char *key, const char *value, GError **error)
{
    if (g_str_equal(key, STEP_KEY)) return read_step(&experiment->step, key, value, error);
    if (g_str_equal(key, UNTIL_KEY)) return read_step(&experiment->until, key, value, error);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        if (!g_str_equal(key, texts[i].key)) continue;
        char **text = slot(experiment, texts[i].offset);
        g_free(*text);
        *text = g_strdup(value);
        return true;
    }
    if (ns_param_find(key)) return ns_settings_set(&experiment->settings, key, value, error);
    return refuse_key(experiment, key, error);
}

/* Each is read when all settings are known that it is a change of. */
static bool take_lanes(NsExperiment *experiment, const GPtrArray *lanes, GError **error)
{
    if (!lanes->len) return true;
    if (lanes->len > NS_LANES_MAX) {
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "There are %u lanes; an experiment has at most %d, so leave some out.",
                    lanes->len, NS_LANES_MAX);
        return false;
    }
    clear_lanes(experiment);
    for (guint i = 0; i < lanes->len; i++) {
        NsSettings settings;
        ns_settings_copy(&settings, &experiment->settings);
        bool good = ns_settings_assign_all(&settings, lanes->pdata[i], error) &&
                    ns_settings_check(&settings, error);
        ns_settings_clear(&settings);
        if (!good) return false;
        experiment->lanes[experiment->n_lanes++] = g_strdup(lanes->pdata[i]);
    }
    return true;
}

/* "key = value" in two; NULL where there is no key. */
static char *split(char *assignment, char **value)
{
    char *equals = strchr(assignment, '=');
    if (!equals) return NULL;
    *equals = '\0';
    *value = g_strstrip(equals + 1);
    char *key = g_strstrip(assignment);
    return *key ? key : NULL;
}

static bool refuse(GError **error)
{
    g_set_error_literal(error, NS_ERROR, NS_ERROR_SETTING,
                        "This is no experiment; one is a line of words such as "
                        "“normscope=0.1.0 placement=pre”.");
    return false;
}

bool ns_experiment_read(NsExperiment *experiment, const char *line, GError **error)
{
    g_auto(GStrv) words = NULL;
    if (!g_utf8_validate(line, -1, NULL) || !g_shell_parse_argv(line, NULL, &words, NULL))
        return refuse(error);
    /* Of a text beside another task, which files had once, the task was learned. */
    const char *task = NULL;
    g_autoptr(GPtrArray) lanes = g_ptr_array_new();
    for (char **word = words; *word; word++) {
        char *value, *key = split(*word, &value);
        if (!key) return refuse(error);
        if (g_str_equal(key, "task"))
            task = value;
        else if (g_str_equal(key, LANE_KEY))
            g_ptr_array_add(lanes, value);
        else if (!take(experiment, key, value, error))
            return false;
    }
    return (!task || take(experiment, "task", task, error)) &&
           ns_settings_check(&experiment->settings, error) && take_lanes(experiment, lanes, error);
}
