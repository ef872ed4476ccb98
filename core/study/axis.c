/* SPDX-License-Identifier: MIT */
#include "core/study/axis.h"

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/base/words.h"

#include <math.h>
#include <string.h>

/* Formats of the values of a range on an axis, and of values drawn from one. */
#define DIGITS "%.3g"
#define DRAW_DIGITS "%.4g"

static bool refuse(const char *text, const char *why, GError **error)
{
    return ns_refuse(error, NS_ERROR_SETTING,
                     N_("The axis “%s” %s; write it as in lr=1e-4:1e-1:7 or warmup=1,10,100."),
                     text, why);
}

bool ns_study_can_vary(const NsParam *param)
{
    /* The study itself sets these, or they only affect what is measured and at what cost. */
    static const char *const own[] = {"steps",          "seeds",        "threads",
                                      "eval-every",     "probe-every",  "curvature-every",
                                      "ablation-every", "sample-every", "temperature",
                                      "probe-batches",  "recompute",    NULL};
    return param->type != NS_PARAM_TEXT && !g_strv_contains(own, param->key);
}

static char *number_text(const NsParam *param, const char *format, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(text, sizeof text, format, value);
    if (param->type == NS_PARAM_INT)
        g_ascii_formatd(text, sizeof text, "%.0f", g_ascii_strtod(text, NULL));
    return g_strdup(text);
}

/* The value in canonical form, so that 1e-3 and 0.001 are the same; NULL if it is invalid. */
static char *canonical(const NsParam *param, const char *value, GError **error)
{
    g_auto(NsSettings) settings;
    ns_settings_init(&settings);
    bool good = ns_settings_set(&settings, param->key, value, error);
    return good ? ns_settings_get(&settings, param) : NULL;
}

static bool add(const NsParam *param, GPtrArray *values, const char *value, GError **error)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(value));
    char *text = canonical(param, trimmed, error);
    if (!text) return false;
    for (guint i = 0; i < values->len; i++)
        if (g_str_equal(values->pdata[i], text)) {
            g_free(text); /* a range may contain a whole number twice after rounding */
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

/* Whether the values of a range are spaced logarithmically. */
static bool is_log(const NsParam *param, double from, double to, const char *cut)
{
    if (*cut) return g_str_equal(cut, "log");
    return param->scale == NS_SLIDER_LOG && from > 0 && to > 0;
}

static bool add_range(const NsParam *param, GPtrArray *values, char **words, const char *text,
                      GError **error)
{
    double from, to, n;
    bool numbers =
        words[2] && read_end(words[0], &from) && read_end(words[1], &to) && read_end(words[2], &n);
    const char *cut = numbers && words[3] ? words[3] : "";
    bool known = !*cut || g_str_equal(cut, "log") || g_str_equal(cut, "linear");
    if (!numbers || (words[3] && words[4]) || !known)
        return refuse(text, _("has no range of two numbers and a count"), error);
    bool log_ = is_log(param, from, to, cut);
    if (log_ && !(from > 0 && to > 0))
        return refuse(text, _("is logarithmic and needs positive numbers"), error);
    if (n < 2 || n > NS_STUDY_VALUES || n != floor(n))
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The axis “%s” has %s values; a range has 2 to %d.", text, words[2],
                         NS_STUDY_VALUES);
    for (double i = 0; i < n; i++) {
        double t = i / (n - 1);
        double value = log_ ? from * pow(to / from, t) : from + t * (to - from);
        g_autofree char *word = number_text(param, DIGITS, value);
        if (!add(param, values, word, error)) return false;
    }
    return true;
}

static bool read_values(const NsParam *param, const char *list, const char *text, GPtrArray *values,
                        GError **error)
{
    g_auto(GStrv) ends = g_strsplit(list, ":", -1);
    if (ns_param_is_number(param) && ends[0] && ends[1])
        return add_range(param, values, ends, text, error);
    g_auto(GStrv) words = g_strsplit(list, ",", -1);
    for (char **word = words; *word; word++)
        if (!add(param, values, *word, error)) return false;
    if (values->len >= 1 && values->len <= NS_STUDY_VALUES) return true;
    return ns_refuse(error, NS_ERROR_SETTING,
                     N_("The axis “%s” has %u values; it must have 1 to %d."), text, values->len,
                     NS_STUDY_VALUES);
}

/* Reads the setting before the equals sign; *rest is the text after it. */
static const NsParam *read_key(const char *text, const char **rest, GError **error)
{
    const char *equals = strchr(text, '=');
    if (!equals) {
        refuse(text, _("does not name a setting and its values"), error);
        return NULL;
    }
    g_autofree char *key = g_strstrip(g_strndup(text, (size_t)(equals - text)));
    const NsParam *param = ns_param_find(key);
    if (!param) {
        ns_settings_unknown(key, NULL, error);
        return NULL;
    }
    *rest = equals + 1;
    if (ns_study_can_vary(param)) return param;
    return ns_refuse_null(
        error, NS_ERROR_SETTING,
        N_("%s cannot be on an axis; choose a setting of the model, the optimizer or the "
           "data, or the seed."),
        key);
}

bool ns_study_axis_read(NsStudyAxis *axis, const char *text, GError **error)
{
    const char *list;
    *axis = (NsStudyAxis){0};
    const NsParam *param = read_key(text, &list, error);
    if (!param) return false;
    g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
    if (!read_values(param, list, text, values, error)) return false;
    g_ptr_array_add(values, NULL);
    axis->param = param;
    axis->n = values->len - 1;
    axis->values = g_strdupv((char **)values->pdata);
    return true;
}

void ns_study_axis_clear(NsStudyAxis *axis)
{
    g_strfreev(axis->values);
    *axis = (NsStudyAxis){0};
}

char *ns_study_axis_text(const NsStudyAxis *axis)
{
    g_autofree char *values = g_strjoinv(",", axis->values);
    return g_strconcat(axis->param->key, "=", values, NULL);
}

/* ---- Distributions ---- */

bool ns_study_distribution_read(NsStudyDistribution *d, const char *text, GError **error)
{
    const char *list;
    *d = (NsStudyDistribution){0};
    const NsParam *param = read_key(text, &list, error);
    if (!param) return false;
    g_auto(GStrv) words = g_strsplit(list, ":", -1);
    if (ns_param_is_number(param) && words[0] && words[1]) {
        const char *cut = words[2] ? words[2] : "";
        bool known = !*cut || g_str_equal(cut, "log") || g_str_equal(cut, "linear");
        if (!read_end(words[0], &d->from) || !read_end(words[1], &d->to) || !known ||
            (words[2] && words[3]) || !(d->from < d->to))
            return ns_refuse(
                error, NS_ERROR_SETTING,
                "“%s” is not a range to draw from; write it as in lr=1e-4:1e-1:log, the "
                "smaller number first.",
                text);
        for (int i = 0; i < 2; i++) {
            g_autofree char *valid = canonical(param, words[i], error);
            if (!valid) return false;
        }
        d->log = is_log(param, d->from, d->to, cut);
        if (d->log && !(d->from > 0))
            return refuse(text, _("is logarithmic and needs positive numbers"), error);

    } else if (!ns_study_axis_read(&d->among, text, error))
        return false;
    d->param = param;
    return true;
}

void ns_study_distribution_clear(NsStudyDistribution *d)
{
    ns_study_axis_clear(&d->among);
    *d = (NsStudyDistribution){0};
}

char *ns_study_distribution_text(const NsStudyDistribution *d)
{
    if (d->among.n) return ns_study_axis_text(&d->among);
    char from[G_ASCII_DTOSTR_BUF_SIZE], to[G_ASCII_DTOSTR_BUF_SIZE];
    return g_strdup_printf("%s=%s:%s:%s", d->param->key, g_ascii_dtostr(from, sizeof from, d->from),
                           g_ascii_dtostr(to, sizeof to, d->to), d->log ? "log" : "linear");
}

char *ns_study_distribution_draw(const NsStudyDistribution *d, uint64_t seed, size_t draw)
{
    g_autofree char *name = g_strdup_printf("%s, draw %zu", d->param->key, draw);
    NsRng rng;
    ns_rng_init(&rng, seed, ns_rng_stream(name));
    if (d->among.n) return g_strdup(d->among.values[ns_rng_below(&rng, d->among.n)]);
    /* For whole numbers, the range is widened by half at both ends, so that each number has an
     * interval of the same width. */
    bool whole = d->param->type == NS_PARAM_INT;
    double from = whole ? d->from - 0.5 : d->from, to = whole ? d->to + 0.5 : d->to;
    double u = ns_rng_uniform(&rng);
    double value = d->log ? from * pow(to / from, u) : from + u * (to - from);
    if (whole) return g_strdup_printf("%.0f", CLAMP(round(value), d->from, d->to));
    g_autofree char *text = number_text(d->param, DRAW_DIGITS, value);
    /* Rounding may move it beyond an end. */
    value = CLAMP(g_ascii_strtod(text, NULL), d->from, d->to);
    g_autofree char *exact = g_malloc(G_ASCII_DTOSTR_BUF_SIZE);
    return canonical(d->param, g_ascii_dtostr(exact, G_ASCII_DTOSTR_BUF_SIZE, value), NULL);
}
