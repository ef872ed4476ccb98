/* What the axes of a sweep are called and how they are read.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/param.h"
#include "core/study/phase.h"

#include <math.h>
#include <string.h>

/* Of what a range is cut into. */
#define DIGITS "%.3g"

static bool refuse(const char *text, const char *why, GError **error)
{
    return ns_refuse(error, NS_ERROR_SETTING,
                     "The axis “%s” %s; write it as in lr=1e-4:1e-1:7 or warmup=1,10,100.", text,
                     why);
}

bool ns_phase_can_vary(const NsParam *param)
{
    static const char *const own[] = {"steps",       "threads",       "eval-every",
                                      "probe-every", "probe-batches", "recompute"};
    for (size_t i = 0; i < G_N_ELEMENTS(own); i++)
        if (g_str_equal(param->key, own[i])) return false;
    return param->type != NS_PARAM_TEXT;
}

static char *number_text(const NsParam *param, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(text, sizeof text, DIGITS, value);
    if (param->type == NS_PARAM_INT)
        g_ascii_formatd(text, sizeof text, "%.0f", g_ascii_strtod(text, NULL));
    return g_strdup(text);
}

/* The value as the setting keeps it, so that 1e-3 and 0.001 are the same; NULL where it cannot be
 * used. */
static char *canonical(const NsParam *param, const char *value, GError **error)
{
    NsSettings settings;
    ns_settings_init(&settings);
    bool good = ns_settings_set(&settings, param->key, value, error);
    char *text = good ? ns_settings_get(&settings, param) : NULL;
    ns_settings_clear(&settings);
    return text;
}

static bool add(const NsParam *param, GPtrArray *values, const char *value, GError **error)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(value));
    char *text = canonical(param, trimmed, error);
    if (!text) return false;
    for (guint i = 0; i < values->len; i++)
        if (g_str_equal(values->pdata[i], text)) {
            g_free(text); /* whole numbers that a range comes to twice */
            return true;
        }
    g_ptr_array_add(values, text);
    return true;
}

static bool read_end(const char *word, double *value)
{
    char *end = NULL;
    *value = g_ascii_strtod(word, &end);
    return end != word && !*end && isfinite(*value);
}

static bool add_range(const NsParam *param, GPtrArray *values, char **words, const char *text,
                      GError **error)
{
    double from, to, n;
    bool numbers =
        words[2] && read_end(words[0], &from) && read_end(words[1], &to) && read_end(words[2], &n);
    const char *cut = numbers && words[3] ? words[3] : "";
    bool log_ = g_str_equal(cut, "log"), linear = g_str_equal(cut, "linear");
    if (!numbers || (words[3] && words[4]) || (*cut && !log_ && !linear))
        return refuse(text, "has no range of two numbers and a count", error);
    if (log_ && !(from > 0 && to > 0))
        return refuse(text, "is logarithmic and needs positive numbers", error);
    if (n < 2 || n > NS_PHASE_VALUES || n != floor(n))
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The axis “%s” has %s values; a range has 2 to %d.", text, words[2],
                         NS_PHASE_VALUES);
    log_ |= !linear && param->scale == NS_SLIDER_LOG && from > 0 && to > 0;
    for (double i = 0; i < n; i++) {
        double t = i / (n - 1);
        double value = log_ ? from * pow(to / from, t) : from + t * (to - from);
        g_autofree char *word = number_text(param, value);
        if (!add(param, values, word, error)) return false;
    }
    return true;
}

static bool read_values(const NsParam *param, const char *list, const char *text, GPtrArray *values,
                        GError **error)
{
    bool number = param->type == NS_PARAM_INT || param->type == NS_PARAM_REAL;
    g_auto(GStrv) ends = g_strsplit(list, ":", -1);
    if (number && ends[0] && ends[1]) return add_range(param, values, ends, text, error);
    g_auto(GStrv) words = g_strsplit(list, ",", -1);
    for (char **word = words; *word; word++)
        if (!add(param, values, *word, error)) return false;
    if (values->len >= 1 && values->len <= NS_PHASE_VALUES) return true;
    return ns_refuse(error, NS_ERROR_SETTING, "The axis “%s” has %u values; it must have 1 to %d.",
                     text, values->len, NS_PHASE_VALUES);
}

bool ns_phase_axis_read(NsPhaseAxis *axis, const char *text, GError **error)
{
    *axis = (NsPhaseAxis){0};
    const char *equals = strchr(text, '=');
    if (!equals) return refuse(text, "does not name a setting and its values", error);
    g_autofree char *key = g_strstrip(g_strndup(text, (size_t)(equals - text)));
    const NsParam *param = ns_param_find(key);
    if (!param) {
        NsSettings none;
        ns_settings_init(&none);
        ns_settings_set(&none, key, "", error); /* names the nearest */
        ns_settings_clear(&none);
        return false;
    }
    if (!ns_phase_can_vary(param))
        return ns_refuse(
            error, NS_ERROR_SETTING,
            "A sweep cannot have %s on an axis; choose a setting of model, optimizer or "
            "data, or the seed.",
            key);
    g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
    if (!read_values(param, equals + 1, text, values, error)) return false;
    g_ptr_array_add(values, NULL);
    axis->param = param;
    axis->n = values->len - 1;
    axis->values = g_strdupv((char **)values->pdata);
    return true;
}

void ns_phase_axis_clear(NsPhaseAxis *axis)
{
    g_strfreev(axis->values);
    *axis = (NsPhaseAxis){0};
}

char *ns_phase_axis_text(const NsPhaseAxis *axis)
{
    g_autofree char *values = g_strjoinv(",", axis->values);
    return g_strconcat(axis->param->key, "=", values, NULL);
}
