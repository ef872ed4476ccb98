/* A writer of JSON.  SPDX-License-Identifier: MIT */
#include "core/store/json.h"

#include "core/base/instructions.h"
#include "core/experiment/param.h"

#include <math.h>
#include <string.h>

static void append_quoted(GString *text, const char *value)
{
    g_autofree char *valid = NULL;
    if (!g_utf8_validate(value, -1, NULL)) value = valid = g_utf8_make_valid(value, -1);

    g_string_append_c(text, '"');
    for (const char *p = value; *p; p++) {
        if (*p == '"' || *p == '\\')
            g_string_append_printf(text, "\\%c", *p);
        else if ((guchar)*p < 0x20)
            g_string_append_printf(text, "\\u%04x", (unsigned)*p);
        else
            g_string_append_c(text, *p);
    }
    g_string_append_c(text, '"');
}

static void before_value(NsJson *json, const char *key)
{
    if (json->comma) g_string_append_c(json->text, ',');
    json->comma = true;
    if (key == NULL) return;
    append_quoted(json->text, key);
    g_string_append_c(json->text, ':');
}

static bool append_not_finite(GString *text, double value)
{
    if (isfinite(value)) return false;
    g_string_append(text, isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    return true;
}

void ns_json_init(NsJson *json)
{
    *json = (NsJson){.text = g_string_sized_new(4096)};
    g_string_append_c(json->text, '{');
}

char *ns_json_finish(NsJson *json)
{
    g_string_append_c(json->text, '}');
    return g_string_free(g_steal_pointer(&json->text), FALSE);
}

void ns_json_open(NsJson *json, const char *key, char bracket)
{
    before_value(json, key);
    g_string_append_c(json->text, bracket);
    json->comma = false;
}

void ns_json_close(NsJson *json, char bracket)
{
    g_string_append_c(json->text, bracket);
    json->comma = true;
}

void ns_json_null(NsJson *json, const char *key)
{
    before_value(json, key);
    g_string_append(json->text, "null");
}

void ns_json_bool(NsJson *json, const char *key, bool value)
{
    before_value(json, key);
    g_string_append(json->text, value ? "true" : "false");
}

void ns_json_int(NsJson *json, const char *key, int64_t value)
{
    before_value(json, key);
    g_string_append_printf(json->text, "%" G_GINT64_FORMAT, value);
}

void ns_json_double(NsJson *json, const char *key, double value)
{
    before_value(json, key);
    static const char *const formats[] = {"%.15g", "%.16g", "%.17g"};
    if (append_not_finite(json->text, value)) return;

    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        g_ascii_formatd(buffer, sizeof buffer, formats[i], value);
        double back = g_ascii_strtod(buffer, NULL);
        if (memcmp(&back, &value, sizeof value) == 0) break;
    }
    g_string_append(json->text, buffer);
}

void ns_json_known(NsJson *json, const char *key, double value)
{
    if (isnan(value))
        ns_json_null(json, key);
    else
        ns_json_double(json, key, value);
}

void ns_json_float(NsJson *json, const char *key, float value)
{
    char buffer[G_ASCII_DTOSTR_BUF_SIZE];
    before_value(json, key);
    if (append_not_finite(json->text, (double)value)) return;
    g_string_append(json->text, g_ascii_formatd(buffer, sizeof buffer, "%.9g", (double)value));
}

void ns_json_string(NsJson *json, const char *key, const char *value)
{
    if (value == NULL) {
        ns_json_null(json, key);
        return;
    }
    before_value(json, key);
    append_quoted(json->text, value);
}

void ns_json_values(NsJson *json, const char *key, const float *values, const bool *has, size_t n)
{
    ns_json_open(json, key, '[');
    for (size_t i = 0; i < n; i++)
        if (has[i])
            ns_json_float(json, NULL, values[i]);
        else
            ns_json_null(json, NULL);
    ns_json_close(json, ']');
}

void ns_json_doubles(NsJson *json, const char *key, const double *values, size_t n)
{
    ns_json_open(json, key, '[');
    for (size_t i = 0; i < n; i++) ns_json_double(json, NULL, values[i]);
    ns_json_close(json, ']');
}

char *ns_json_key(const char *key)
{
    return g_strdelimit(g_strdup(key), "-", '_');
}

void ns_json_settings(NsJson *json, const NsSettings *settings)
{
    ns_json_open(json, "settings", '{');
    const NsParam *param;
    for (size_t i = 0; (param = ns_param(i)) != NULL; i++) {
        g_autofree char *key = ns_json_key(param->key);
        double number = ns_settings_get_number(settings, param);
        switch (param->type) {
        case NS_PARAM_INT: /* every range is within ±2^53, so the conversion is exact */
            ns_json_int(json, key, (int64_t)number);
            break;
        case NS_PARAM_REAL:
            ns_json_double(json, key, number);
            break;
        case NS_PARAM_CHOICE:
        case NS_PARAM_TEXT: {
            g_autofree char *text = ns_settings_get(settings, param);
            ns_json_string(json, key, text);
            break;
        }
        }
    }
    ns_json_close(json, '}');
}

void ns_json_layers(NsJson *json, const NsSettings *settings)
{
    int64_t encoder = ns_settings_encoder_layers(settings);
    int64_t decoder = ns_settings_decoder_layers(settings);
    ns_json_string(json, "arch", ns_arch_choice(settings->arch)->key);
    ns_json_int(json, "layers", encoder + decoder);
    if (encoder == 0 || decoder == 0) return;
    ns_json_int(json, "encoder_layers", encoder);
    ns_json_int(json, "decoder_layers", decoder);
}

void ns_json_program(NsJson *json)
{
    ns_json_string(json, "program", "normscope " NS_VERSION);
    ns_json_string(json, "instructions", ns_instructions_choice(ns_instructions())->key);
}

const char *ns_json_quantity_key(NsQuantity quantity)
{
    /* Two quantities have longer names in files than their keys in the registry. */
    static const char *keys[NS_QUANTITY_COUNT] = {
        [NS_QUANTITY_HIDDEN_SQ] = "hidden_norm_sq",
        [NS_QUANTITY_FINAL_SQ] = "final_hidden_norm_sq",
    };
    static gsize ready;
    if ((unsigned)quantity >= NS_QUANTITY_COUNT) return ns_quantity(quantity)->choice.key;
    if (g_once_init_enter(&ready)) {
        for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++) {
            const char *key = ns_quantity((NsQuantity)q)->choice.key;
            if (!keys[q])
                keys[q] = ns_json_key(key + (q < NS_PARAMETER_COUNT ? strlen("grad-") : 0));
        }
        g_once_init_leave(&ready, 1);
    }
    return keys[quantity];
}
