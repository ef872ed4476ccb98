/* SPDX-License-Identifier: MIT */
#include "core/model/settings.h"

#include "core/base/error.h"
#include "core/data/task.h"
#include "core/model/init.h"
#include "core/model/placement.h"
#include "core/ops/activation.h"
#include "core/ops/norm.h"
#include "core/train/optimizer.h"
#include "core/train/schedule.h"

#include <math.h>
#include <string.h>

#define NUMBER_ROW(type_, field, key_, group_, label_, unit_, least_, most_, initial, scale_,      \
                   effect_, help_, source_)                                                        \
    {.key = key_,                                                                                  \
     .label = label_,                                                                              \
     .unit = unit_,                                                                                \
     .help = help_,                                                                                \
     .source = source_,                                                                            \
     .type = type_,                                                                                \
     .group = NS_GROUP_##group_,                                                                   \
     .scale = NS_SLIDER_##scale_,                                                                  \
     .effect = NS_EFFECT_##effect_,                                                                \
     .least = least_,                                                                              \
     .most = most_,                                                                                \
     .default_text = #initial,                                                                     \
     .offset = offsetof(NsSettings, field)},
#define INT_ROW(...) NUMBER_ROW(NS_PARAM_INT, __VA_ARGS__)
#define REAL_ROW(...) NUMBER_ROW(NS_PARAM_REAL, __VA_ARGS__)
#define CHOICE_ROW(field, key_, group_, label_, registry, initial, effect_, help_, source_)        \
    {.key = key_,                                                                                  \
     .label = label_,                                                                              \
     .help = help_,                                                                                \
     .source = source_,                                                                            \
     .type = NS_PARAM_CHOICE,                                                                      \
     .group = NS_GROUP_##group_,                                                                   \
     .effect = NS_EFFECT_##effect_,                                                                \
     .choices = registry,                                                                          \
     .default_text = initial,                                                                      \
     .offset = offsetof(NsSettings, field)},
#define TEXT_ROW(field, key_, group_, label_, initial, effect_, help_, source_)                    \
    {.key = key_,                                                                                  \
     .label = label_,                                                                              \
     .help = help_,                                                                                \
     .source = source_,                                                                            \
     .type = NS_PARAM_TEXT,                                                                        \
     .group = NS_GROUP_##group_,                                                                   \
     .effect = NS_EFFECT_##effect_,                                                                \
     .default_text = initial,                                                                      \
     .offset = offsetof(NsSettings, field)},

static const NsParam params[] = {NS_PARAMS(INT_ROW, REAL_ROW, CHOICE_ROW, TEXT_ROW)};

const NsParam *ns_param(size_t i)
{
    return i < G_N_ELEMENTS(params) ? &params[i] : NULL;
}

const NsParam *ns_param_find(const char *key)
{
    for (size_t i = 0; i < G_N_ELEMENTS(params); i++)
        if (g_str_equal(params[i].key, key)) return &params[i];
    return NULL;
}

static void *field(NsSettings *settings, const NsParam *param)
{
    return (char *)settings + param->offset;
}

static const void *const_field(const NsSettings *settings, const NsParam *param)
{
    return (const char *)settings + param->offset;
}

static bool is_number(const char *text, double *number)
{
    char *end = NULL;
    *number = g_ascii_strtod(text, &end);
    const char *rest = end;
    while (g_ascii_isspace(*rest)) rest++;
    return end != text && !*rest && !isnan(*number);
}

/* The number with a comma that was meant: 0.003 by 0,003, and 1000 by 1,000. */
static char *without_comma(const NsParam *param, const char *value)
{
    double number;
    g_auto(GStrv) parts = g_strsplit(value, ",", -1);
    char *meant = g_strjoinv(param->type == NS_PARAM_INT ? "" : ".", parts);
    if (parts[0] && parts[1] && is_number(meant, &number)) return meant;
    g_free(meant);
    return NULL;
}

static void refuse_number(const NsParam *param, const char *value, GError **error)
{
    g_autofree char *meant = without_comma(param, value);
    bool zero = g_str_equal(param->default_text, "0"), whole = param->type == NS_PARAM_INT;
    char least[G_ASCII_DTOSTR_BUF_SIZE], most[G_ASCII_DTOSTR_BUF_SIZE];
    if (meant)
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "“%s” is no number; did you mean %s, %s the comma?", value, meant,
                    whole ? "without" : "with a point for");
    else if (strchr(value, '='))
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "“%s” is no number; give every setting by itself, such as %s=%s.", value,
                    param->key, param->default_text);
    else
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "“%s” is no number; %s takes %s from %s to %s%s%s.", value, param->key,
                    whole ? "a whole one" : "one",
                    g_ascii_formatd(least, sizeof least, "%.10g", param->least),
                    g_ascii_formatd(most, sizeof most, "%.10g", param->most),
                    zero ? "" : ", such as ", zero ? "" : param->default_text);
}

static bool read_number(const NsParam *param, const char *value, double *number, GError **error)
{
    if (!is_number(value, number)) {
        refuse_number(param, value, error);
        return false;
    }
    if (*number < param->least || *number > param->most) {
        char least[G_ASCII_DTOSTR_BUF_SIZE], most[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(least, sizeof least, "%.10g", param->least);
        g_ascii_formatd(most, sizeof most, "%.10g", param->most);
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING, "%s is %s; it must lie between %s and %s.",
                    param->key, value, least, most);
        return false;
    }
    if (param->type == NS_PARAM_INT && floor(*number) != *number) {
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING, "%s is %s; it must be a whole number.",
                    param->key, value);
        return false;
    }
    return true;
}

static bool set_choice(NsSettings *settings, const NsParam *param, const char *value,
                       GError **error)
{
    g_autofree char *key = g_strstrip(g_strdup(value));
    int row = ns_choices_find(param->choices, key);
    if (row < 0) {
        const NsChoice *near = ns_choices_nearest(param->choices, key);
        g_autofree char *keys = ns_choices_keys(param->choices);
        if (near)
            g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                        "There is no %s “%s”; did you mean “%s”, or another of %s?", param->key,
                        key, near->key, keys);
        else
            g_set_error(error, NS_ERROR, NS_ERROR_SETTING, "There is no %s “%s”; choose one of %s.",
                        param->key, key, keys);
        return false;
    }
    *(unsigned *)field(settings, param) = (unsigned)row;
    return true;
}

/* A text to learn decides the task: naming one chooses `text`, taking it away the generated one. */
static void set_text(NsSettings *settings, const NsParam *param, const char *value)
{
    char **text = field(settings, param);
    char *copy = g_strdup(value); /* before the old text goes, which may be the same */
    g_free(*text);
    *text = copy;
    if (text != &settings->text) return;
    bool learns_file = g_str_equal(ns_task_choice(settings->task)->key, "text");
    if (*value && !learns_file)
        settings->task = (unsigned)MAX(0, ns_choices_find(ns_task_choice, "text"));
    else if (!*value && learns_file)
        settings->task = (unsigned)MAX(0, ns_choices_find(ns_task_choice, "grammar"));
}

static bool set_param(NsSettings *settings, const NsParam *param, const char *value, GError **error)
{
    double number;
    switch (param->type) {
    case NS_PARAM_INT:
        if (!read_number(param, value, &number, error)) return false;
        *(int64_t *)field(settings, param) = (int64_t)number;
        return true;
    case NS_PARAM_REAL:
        if (!read_number(param, value, &number, error)) return false;
        *(double *)field(settings, param) = number;
        return true;
    case NS_PARAM_CHOICE:
        return set_choice(settings, param, value, error);
    case NS_PARAM_TEXT:
        set_text(settings, param, value);
        return true;
    }
    return false;
}

void ns_settings_init(NsSettings *settings)
{
    memset(settings, 0, sizeof *settings);
    for (size_t i = 0; i < G_N_ELEMENTS(params); i++) {
        bool ok = set_param(settings, &params[i], params[i].default_text, NULL);
        g_assert(ok);
    }
}

void ns_settings_copy(NsSettings *to, const NsSettings *from)
{
    *to = *from;
    for (size_t i = 0; i < G_N_ELEMENTS(params); i++)
        if (params[i].type == NS_PARAM_TEXT) {
            char **text = field(to, &params[i]);
            *text = g_strdup(*text);
        }
}

void ns_settings_clear(NsSettings *settings)
{
    for (size_t i = 0; i < G_N_ELEMENTS(params); i++)
        if (params[i].type == NS_PARAM_TEXT)
            g_clear_pointer((char **)field(settings, &params[i]), g_free);
}

bool ns_settings_set(NsSettings *settings, const char *key, const char *value, GError **error)
{
    const NsParam *param = ns_param_find(key);
    if (param) return set_param(settings, param, value, error);

    NsNearest near = {0};
    for (size_t i = 0; i < G_N_ELEMENTS(params); i++) ns_nearest_look(&near, key, params[i].key);
    if (near.key)
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "There is no setting “%s”; did you mean “%s”?", key, near.key);
    else
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "There is no setting “%s”; “normscope-cli list settings” shows them all.", key);
    return false;
}

bool ns_settings_assign(NsSettings *settings, const char *assignment, GError **error)
{
    const char *equals = strchr(assignment, '=');
    if (!equals) {
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "“%s” sets nothing; write key=value, such as placement=pre.", assignment);
        return false;
    }
    g_autofree char *key = g_strndup(assignment, (size_t)(equals - assignment));
    return ns_settings_set(settings, g_strstrip(key), equals + 1, error);
}

bool ns_settings_assign_all(NsSettings *settings, const char *words, GError **error)
{
    g_auto(GStrv) assignments = NULL;
    g_autoptr(GError) wrong = NULL;
    if (!g_shell_parse_argv(words, NULL, &assignments, &wrong) &&
        !g_error_matches(wrong, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING)) {
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "“%s” cannot be read: its quotation marks do not match.", words);
        return false;
    }
    for (char **at = assignments; at && *at; at++)
        if (!ns_settings_assign(settings, *at, error)) return false;
    return true;
}

/* The shortest text that reads back to the same bits: 100 rather than 1e+02. */
static char *format_real(double x)
{
    char shortest[G_ASCII_DTOSTR_BUF_SIZE] = "";
    for (int digits = 1; digits <= 17; digits++) {
        char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];
        g_snprintf(format, sizeof format, "%%.%dg", digits);
        g_ascii_formatd(text, sizeof text, format, x);
        bool same = memcmp(&(double){g_ascii_strtod(text, NULL)}, &x, sizeof x) == 0;
        if (same && (!*shortest || strlen(text) < strlen(shortest)))
            g_strlcpy(shortest, text, sizeof shortest);
    }
    return g_strdup(shortest);
}

char *ns_settings_get(const NsSettings *settings, const NsParam *param)
{
    const void *value = const_field(settings, param);
    switch (param->type) {
    case NS_PARAM_INT:
        return g_strdup_printf("%" G_GINT64_FORMAT, *(const int64_t *)value);
    case NS_PARAM_REAL:
        return format_real(*(const double *)value);
    case NS_PARAM_CHOICE:
        return g_strdup(param->choices(*(const unsigned *)value)->key);
    case NS_PARAM_TEXT:
        return g_strdup(*(char *const *)value);
    }
    return NULL;
}

double ns_settings_get_number(const NsSettings *settings, const NsParam *param)
{
    const void *value = const_field(settings, param);
    switch (param->type) {
    case NS_PARAM_INT:
        return (double)*(const int64_t *)value;
    case NS_PARAM_REAL:
        return *(const double *)value;
    case NS_PARAM_CHOICE:
        return (double)*(const unsigned *)value;
    case NS_PARAM_TEXT:
        break;
    }
    return (double)NAN;
}

bool ns_settings_is_default(const NsSettings *settings, const NsParam *param)
{
    if (param->type == NS_PARAM_TEXT || param->type == NS_PARAM_CHOICE) {
        g_autofree char *value = ns_settings_get(settings, param);
        return g_str_equal(value, param->default_text);
    }
    double difference =
        ns_settings_get_number(settings, param) - g_ascii_strtod(param->default_text, NULL);
    return !(difference < 0 || difference > 0);
}

static bool refuse(GError **error, const char *message)
{
    g_set_error_literal(error, NS_ERROR, NS_ERROR_SETTING, message);
    return false;
}

bool ns_settings_check(const NsSettings *settings, GError **error)
{
    if (settings->d_model % settings->heads != 0) {
        g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                    "The width (d-model) is %" G_GINT64_FORMAT
                    " and cannot be shared by %" G_GINT64_FORMAT
                    " heads; make it a multiple of the heads.",
                    settings->d_model, settings->heads);
        return false;
    }
    if (settings->attention == NS_ATTENTION_UNIFORM && settings->heads != 1)
        return refuse(error, "Uniform attention has one head; set heads=1.");
    if (settings->attention == NS_ATTENTION_UNIFORM && settings->qk_norm == NS_SWITCH_ON)
        return refuse(error, "Uniform attention has no queries and keys that a norm could act on; "
                             "set qk-norm=off.");
    if (*settings->mixture && !ns_mixture_at(settings->mixture, 0, 1, error)) return false;
    if (g_str_equal(ns_task_choice(settings->task)->key, "text") && !*settings->text)
        return refuse(error, "The task “text” needs a file to learn; name one with text=PATH.");
    return true;
}

static void append_assignment(GString *line, const NsSettings *settings, const NsParam *param)
{
    g_autofree char *value = ns_settings_get(settings, param);
    bool plain = *value && !strpbrk(value, " \t\n\\'\"`$&|;<>()*?[]#~=%!{}");
    g_autofree char *quoted = plain ? g_strdup(value) : g_shell_quote(value);
    g_string_append_printf(line, "%s%s=%s", line->len ? " " : "", param->key, quoted);
}

char *ns_settings_line(const NsSettings *settings, bool all)
{
    GString *line = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(params); i++)
        if (all || !ns_settings_is_default(settings, &params[i]))
            append_assignment(line, settings, &params[i]);
    return g_string_free(line, FALSE);
}

static bool all_equal(const NsSettings *const *settings, size_t n, const NsParam *param)
{
    g_autofree char *first = ns_settings_get(settings[0], param);
    for (size_t i = 1; i < n; i++) {
        g_autofree char *other = ns_settings_get(settings[i], param);
        if (!g_str_equal(first, other)) return false;
    }
    return true;
}

char *ns_settings_special(const NsSettings *const *settings, size_t n, size_t which)
{
    GString *line = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(params); i++)
        if (!all_equal(settings, n, &params[i]))
            append_assignment(line, settings[which], &params[i]);
    return g_string_free(line, FALSE);
}

int64_t ns_settings_d_ff(const NsSettings *settings)
{
    return settings->d_ff ? settings->d_ff : 4 * settings->d_model;
}

int64_t ns_settings_encoder_layers(const NsSettings *settings)
{
    return settings->arch == NS_ARCH_DECODER ? 0 : settings->layers;
}

int64_t ns_settings_decoder_layers(const NsSettings *settings)
{
    switch (settings->arch) {
    case NS_ARCH_ENCODER:
        return 0;
    case NS_ARCH_ENCODER_DECODER:
        return settings->decoder_layers ? settings->decoder_layers : settings->layers;
    default:
        return settings->layers;
    }
}

int64_t ns_settings_source_seq(const NsSettings *settings)
{
    if (settings->arch != NS_ARCH_ENCODER_DECODER) return 0;
    return settings->source_seq ? settings->source_seq : settings->seq;
}
