/* SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"

#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/task.h"
#include "core/model/init.h"
#include "core/model/wiring.h"
#include "core/ops/activation.h"
#include "core/ops/norm.h"
#include "core/optim/optimizer.h"
#include "core/optim/schedule.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A flag in the column of effects of the table. */
#define SHARED 4u
#define EFFECT(flags) ((NsParamEffect)((flags) & ~SHARED))
#define IS_SHARED(flags) (((flags)&SHARED) != 0)

/* The columns of every row. */
#define COLUMNS(type_, field, key_, group_, label_, effect_, help_, source_)                       \
    .key = key_, .label = label_, .help = help_, .source = source_, .type = type_,                 \
    .group = NS_GROUP_##group_, .effect = EFFECT(NS_EFFECT_##effect_),                             \
    .shared = IS_SHARED(NS_EFFECT_##effect_), .offset = offsetof(NsSettings, field)

#define NUMBER_ROW(type_, field, key_, group_, label_, unit_, least_, most_, initial, scale_,      \
                   effect_, help_, source_)                                                        \
    {COLUMNS(type_, field, key_, group_, label_, effect_, help_, source_),                         \
     .unit = unit_,                                                                                \
     .scale = NS_SLIDER_##scale_,                                                                  \
     .least = least_,                                                                              \
     .most = most_,                                                                                \
     .default_text = #initial},
#define INT_ROW(...) NUMBER_ROW(NS_PARAM_INT, __VA_ARGS__)
#define REAL_ROW(...) NUMBER_ROW(NS_PARAM_REAL, __VA_ARGS__)
#define CHOICE_ROW(field, key_, group_, label_, registry, initial, effect_, help_, source_)        \
    {COLUMNS(NS_PARAM_CHOICE, field, key_, group_, label_, effect_, help_, source_),               \
     .choices = registry, .default_text = initial},
#define TEXT_ROW(field, key_, group_, label_, initial, effect_, help_, source_)                    \
    {COLUMNS(NS_PARAM_TEXT, field, key_, group_, label_, effect_, help_, source_),                 \
     .default_text = initial},

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

const char *ns_param_group_label(NsParamGroup group)
{
    static const char *const labels[NS_GROUPS] = {
        [NS_GROUP_ARCH] = N_("Architecture"),          [NS_GROUP_NORM] = N_("Norm"),
        [NS_GROUP_REGULARIZER] = N_("Regularization"), [NS_GROUP_OPTIMIZER] = N_("Optimizer"),
        [NS_GROUP_SCHEDULE] = N_("Schedule"),          [NS_GROUP_DATA] = N_("Data"),
        [NS_GROUP_MEASURE] = N_("Measurement"),        [NS_GROUP_RUN] = N_("Run and seeds"),
    };
    return labels[group];
}

bool ns_param_is_of_model(const NsParam *param)
{
    return param->group == NS_GROUP_ARCH || param->group == NS_GROUP_NORM;
}

bool ns_param_is_of_run(const NsParam *param)
{
    return param->group == NS_GROUP_MEASURE || param->group == NS_GROUP_RUN;
}

bool ns_param_is_number(const NsParam *param)
{
    return param->type == NS_PARAM_INT || param->type == NS_PARAM_REAL;
}

/* ---- Words for values that are no amount ---- */

const char *ns_param_none(const NsParam *param)
{
    return g_str_equal(param->key, "warmup") ? "1" : "0"; /* a warm-up of one step is none */
}

static const char *none_word(const NsParam *param)
{
    static const struct {
        const char *key, *words;
    } WORDS[] = {
        {"decoder-layers", N_("same")},   {"base-width", N_("off")},
        {"kv-heads", N_("same")},         {"d-ff", "4 d"},
        {"dropout", N_("off")},           {"drop-path", N_("off")},
        {"label-smoothing", N_("off")},   {"z-loss", N_("off")},
        {"weight-decay", N_("off")},      {"clip", N_("off")},
        {"momentum", N_("off")},          {"warmup", N_("off")},
        {"decay-steps", N_("run end")},   {"vocab", N_("default")},
        {"batch-tokens", N_("off")},      {"source-seq", N_("same")},
        {"eval-every", N_("end only")},   {"bleu-sentences", N_("off")},
        {"steps", N_("no limit")},        {"probe-every", N_("never")},
        {"curvature-every", N_("never")}, {"layer-sharpness-every", N_("never")},
        {"ablation-every", N_("never")},  {"sample-every", N_("never")},
        {"threads", N_("all")},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(WORDS); i++)
        if (g_str_equal(WORDS[i].key, param->key)) return WORDS[i].words;
    return NULL;
}

const char *ns_param_none_word(const NsParam *param)
{
    const char *word = none_word(param);
    return word ? _(word) : NULL;
}

const char *ns_param_word(const NsParam *param, const char *value)
{
    return g_str_equal(value, ns_param_none(param)) ? ns_param_none_word(param) : NULL;
}

#define IS(param, field) ((param)->offset == offsetof(NsSettings, field))

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

static char *number_words(double number)
{
    char plain[G_ASCII_DTOSTR_BUF_SIZE];
    return ns_group_plain(g_ascii_formatd(plain, sizeof plain, "%.10g", number));
}

static bool read_number(const NsParam *param, const char *value, double *number, GError **error)
{
    /* "Peak learning rate (lr)", as the window and as files name it, or "Layers". */
    const char *label = _(param->label), *key = param->key;
    g_autofree char *name =
        g_ascii_strcasecmp(label, key) ? g_strdup_printf("%s (%s)", label, key) : g_strdup(label);
    g_autofree char *least = number_words(param->least), *most = number_words(param->most);
    g_autofree char *typed = g_strstrip(g_strdup(value));
    const char *word = none_word(param);
    bool none = word && g_ascii_strcasecmp(typed, word) == 0, integer = param->type == NS_PARAM_INT;
    g_autofree char *plain = integer ? ns_ungroup_digits(typed) : g_strdup(typed);
    if (is_number(none ? ns_param_none(param) : plain, number)) {
        if (IS(param, warmup) && *number == 0.0) *number = 1.0; /* zero steps are none, too */
    } else {
        g_autofree char *meant = g_strdelimit(g_strdup(value), ",", '.');
        if (!integer && is_number(meant, number))
            ns_refuse(error, NS_ERROR_SETTING,
                      N_("“%s” is not a number; did you mean %s, with a point for the comma?"),
                      value, meant);
        else if (strchr(value, '='))
            ns_refuse(error, NS_ERROR_SETTING,
                      "“%s” is not a number; give every setting separately, such as %s=%s.", value,
                      param->key, param->default_text);
        else
            ns_refuse(error, NS_ERROR_SETTING,
                      integer
                          ? N_("“%s” is not a number; %s takes a whole number, such as %s, from %s "
                               "to %s.")
                          : N_("“%s” is not a number; %s takes one, such as %s, from %s to %s."),
                      value, name, param->default_text, least, most);
        return false;
    }
    if (*number < param->least || *number > param->most) {
        g_autofree char *given = number_words(*number);
        return ns_refuse(error, NS_ERROR_SETTING, N_("%s is %s; it must lie between %s and %s."),
                         name, given, least, most);
    }
    /* "10.000" may be ten thousand or ten. */
    if (integer && (floor(*number) != *number || g_str_has_suffix(typed, ".000")))
        return ns_refuse(error, NS_ERROR_SETTING, N_("%s is %s; it must be a whole number."), name,
                         value);
    return true;
}

static void replace_text(char **text, const char *value)
{
    char *copy = g_strdup(value); /* `value` may point to the old text */
    g_free(*text);
    *text = copy;
}

/* ---- Settings that exclude each other ---- */

static bool learns_file(const NsSettings *settings)
{
    return g_str_equal(ns_task_choice(settings->task)->key, "text");
}

static bool masks(const NsSettings *settings)
{
    return g_str_equal(ns_task_choice(settings->task)->key, "mlm");
}

/* Whether the setting names a file that only the task translation reads. */
static bool is_pair_file(const NsParam *param)
{
    return ns_param_is_file(param) && !IS(param, text);
}

static unsigned task_row(const char *key)
{
    return (unsigned)MAX(0, ns_choices_find(ns_task_choice, key));
}

const NsParam *ns_param_of(const char *key, const char *value)
{
    const NsParam *param = ns_param_find(key);
    bool formula = param && IS(param, placement) && ns_placement_is_formula(value);
    return formula ? ns_param_find("mixture") : param;
}

bool ns_settings_is_idle(const NsSettings *settings, const NsParam *param)
{
    return IS(param, placement) && *settings->mixture;
}

/* Whether the wiring of any layer depends on the base depth. */
static bool has_base_depth(const NsSettings *settings)
{
    unsigned L = (unsigned)settings->layers;
    for (unsigned layer = 0; layer < L; layer++) {
        NsPosition position = {.layer = layer, .layers = L, .sublayers = 2 * L, .depth_ratio = 1};
        const NsPlacement *placement = ns_placement_at(settings, layer, L);
        double one = ns_placement_wiring(placement, &position).b;
        position.depth_ratio = 4;
        if (ns_placement_wiring(placement, &position).b < one) return true;
        if (!ns_settings_are_mixed(settings)) return false;
    }
    return false;
}

bool ns_settings_is_used(const NsSettings *settings, const NsParam *param)
{
    const NsSchedule *schedule = ns_schedule(settings->schedule);
    if (IS(param, decay_start)) return schedule->starts;
    if (IS(param, decay_steps)) return schedule->has_end;
    if (IS(param, base_layers)) return has_base_depth(settings);
    const char *task = ns_task_choice(settings->task)->key;
    if (is_pair_file(param) || IS(param, vocabularies) || IS(param, bleu_sentences))
        return ns_task_translates(settings);
    if (IS(param, decoder_layers) || IS(param, source_seq))
        return settings->arch == NS_ARCH_ENCODER_DECODER;
    if (IS(param, next_sentence)) return g_str_equal(task, "mlm");
    if (IS(param, tokenizer))
        return ns_task_translates(settings) || g_str_equal(task, "text") ||
               g_str_equal(task, "mlm");
    return true;
}

static bool set_param(NsSettings *settings, const NsParam *param, const char *value, GError **error)
{
    double number;
    switch (param->type) {
    case NS_PARAM_INT:
        if (!read_number(param, value, &number, error)) return false;
        *(int64_t *)field(settings, param) = (int64_t)number;
        break;
    case NS_PARAM_REAL:
        if (!read_number(param, value, &number, error)) return false;
        *(double *)field(settings, param) = number;
        break;
    case NS_PARAM_CHOICE: {
        g_autofree char *key = g_strstrip(g_strdup(value));
        int row = ns_choices_find(param->choices, key);
        for (size_t i = 0; row < 0 && param->choices(i); i++) /* by its label, "Pre-LN" */
            if (!g_ascii_strcasecmp(param->choices(i)->label, key)) row = (int)i;
        if (row < 0) {
            const NsChoice *near = ns_choices_nearest(param->choices, key);
            g_autofree char *keys = ns_choices_keys(param->choices);
            if (near)
                return ns_refuse(error, NS_ERROR_SETTING,
                                 "There is no %s “%s”; did you mean “%s”, or another of %s?",
                                 param->key, key, near->key, keys);
            return ns_refuse(error, NS_ERROR_SETTING, "There is no %s “%s”; choose one of %s.",
                             param->key, key, keys);
        }
        *(unsigned *)field(settings, param) = (unsigned)row;
    } break;
    case NS_PARAM_TEXT:
        replace_text(field(settings, param), value);
        break;
    }
    return true;
}

void ns_settings_init(NsSettings *settings)
{
    memset(settings, 0, sizeof *settings);
    for (size_t i = 0; i < G_N_ELEMENTS(params); i++) {
        bool ok = set_param(settings, &params[i], params[i].default_text, NULL);
        g_assert(ok);
    }
}

bool ns_settings_unknown(const char *key, const char *const *more, GError **error)
{
    NsNearest near = {0};
    for (size_t i = 0; i < G_N_ELEMENTS(params); i++) ns_nearest_look(&near, key, params[i].key);
    for (; more && *more; more++) ns_nearest_look(&near, key, *more);
    if (near.key)
        return ns_refuse(error, NS_ERROR_SETTING,
                         N_("There is no setting “%s”; did you mean “%s”?"), key, near.key);
    return ns_refuse(error, NS_ERROR_SETTING,
                     N_("There is no setting “%s”; “normscope-cli list settings” shows them all."),
                     key);
}

bool ns_settings_set(NsSettings *settings, const char *key, const char *value, GError **error)
{
    const NsParam *param = ns_param_of(key, value);
    if (!param) return ns_settings_unknown(key, NULL, error);
    if (!set_param(settings, param, value, error)) return false;
    /* The value that was just set takes precedence: settings that it excludes are reset. */
    if (IS(param, task) && !learns_file(settings) && !masks(settings))
        replace_text(&settings->text, "");
    if (IS(param, text) && *settings->text && !masks(settings)) settings->task = task_row("text");
    if (IS(param, text) && !*settings->text && learns_file(settings))
        settings->task = task_row("grammar");
    if (is_pair_file(param) && **(char **)field(settings, param)) {
        settings->task = task_row("translation");
        replace_text(&settings->text, "");
    }
    if ((IS(param, task) || IS(param, text)) && !ns_task_translates(settings)) {
        for (size_t i = 1; ns_settings_file(settings, i); i++)
            replace_text(ns_settings_file(settings, i), "");
    }
    if (IS(param, placement)) replace_text(&settings->mixture, "");
    if (IS(param, mixture) && *settings->mixture)
        settings->placement = (unsigned)MAX(
            0, ns_choices_find(ns_placement_choice, ns_param_find("placement")->default_text));

    return true;
}

char *ns_number_text(double number)
{
    char shortest[G_ASCII_DTOSTR_BUF_SIZE] = "";
    for (int digits = 1; digits <= 17; digits++) {
        char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];
        g_snprintf(format, sizeof format, "%%.%dg", digits);
        g_ascii_formatd(text, sizeof text, format, number);
        bool same = memcmp(&(double){g_ascii_strtod(text, NULL)}, &number, sizeof number) == 0;
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
        return ns_number_text(*(const double *)value);
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
    if (!ns_param_is_number(param)) {
        g_autofree char *value = ns_settings_get(settings, param);
        return g_str_equal(value, param->default_text);
    }
    double difference =
        ns_settings_get_number(settings, param) - g_ascii_strtod(param->default_text, NULL);
    return !(difference < 0 || difference > 0);
}

bool ns_settings_same(const NsSettings *a, const NsSettings *b, const NsParam *param)
{
    if (param->type != NS_PARAM_TEXT) {
        double x = ns_settings_get_number(a, param), y = ns_settings_get_number(b, param);
        return !(x < y || x > y);
    }
    return g_str_equal(*(char *const *)const_field(a, param),
                       *(char *const *)const_field(b, param));
}

bool ns_settings_same_data(const NsSettings *a, const NsSettings *b)
{
    for (size_t i = 0; i < G_N_ELEMENTS(params); i++) {
        bool data = params[i].shared && params[i].effect == NS_EFFECT_RESTART;
        if (data && !ns_settings_same(a, b, &params[i])) return false;
    }
    return true;
}

bool ns_settings_check(const NsSettings *settings, GError **error)
{
    if (!ns_wiring_check(settings, error) || !ns_schedule_check(settings, error)) return false;
    if (learns_file(settings) && !*settings->text)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The task “text” needs a text to train on; name its file with text=PATH.");
    if (settings->base_width && settings->tie_embeddings == NS_TOGGLE_ON)
        return ns_refuse(error, NS_ERROR_SETTING,
                         N_("With base-width the head has another rate than the embeddings; set "
                            "tie-embeddings=off."));
    if (settings->base_width && !ns_optimizer(settings->optimizer)->adam_moments)
        return ns_refuse(error, NS_ERROR_SETTING,
                         N_("The rules of base-width are those for Adam; set optimizer=adam, adamw "
                            "or radam."));
    int64_t last = (int64_t)ns_param_find("seed")->most;
    if (settings->seed > last - settings->seeds + 1)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "There are not %" PRId64 " seeds from %" PRId64
                         " on; the largest seed is %" PRId64 ".",
                         settings->seeds, settings->seed, last);
    return true;
}

/* ---- Files ---- */

static const size_t files[] = {offsetof(NsSettings, text), offsetof(NsSettings, source),
                               offsetof(NsSettings, target), offsetof(NsSettings, valid_source),
                               offsetof(NsSettings, valid_target)};

char **ns_settings_file(NsSettings *settings, size_t i)
{
    return i < G_N_ELEMENTS(files) ? (void *)((char *)settings + files[i]) : NULL;
}

bool ns_param_is_file(const NsParam *param)
{
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        if (param->offset == files[i]) return true;
    return false;
}
