/* A writer of JSON.  SPDX-License-Identifier: MIT
 *
 * A line of a deep model has tens of thousands of numbers, so lines are written straight into a
 * string.  Numbers read back to the same value whatever the locale; NaN, Infinity and -Infinity are
 * strings.  `key` names a member of an object and is NULL for an element of an array. */
#pragma once

#include "core/probe/quantity.h"
#include "core/settings/settings.h"

typedef struct {
    GString *text;
    bool comma; /* before the next member or element */
} NsJson;

/* Starts the outermost object. */
void ns_json_init(NsJson *json);

/* Ends it and returns the text, without a newline.  Free with g_free. */
char *ns_json_finish(NsJson *json);

/* bracket: '{' or '['. */
void ns_json_open(NsJson *json, const char *key, char bracket);
void ns_json_close(NsJson *json, char bracket); /* '}' or ']' */

void ns_json_null(NsJson *json, const char *key);
void ns_json_bool(NsJson *json, const char *key, bool value);
void ns_json_int(NsJson *json, const char *key, int64_t value);
void ns_json_double(NsJson *json, const char *key,
                    double value); /* the shortest of 15 to 17 digits */
void ns_json_known(NsJson *json, const char *key, double value);       /* null where it is NaN */
void ns_json_float(NsJson *json, const char *key, float value);        /* nine digits */
void ns_json_string(NsJson *json, const char *key, const char *value); /* NULL is written as null */
void ns_json_values(NsJson *json, const char *key, const float *values, const bool *has,
                    size_t n); /* null where there is none; nine digits */
void ns_json_doubles(NsJson *json, const char *key, const double *values, size_t n);

/* The name in files of what has a key in a registry or among the settings, "d_model" of "d-model".
 * Free with g_free. */
char *ns_json_key(const char *key);

/* "settings": {key: value, ...}, every setting with its typed value by the name of its key; a
 * choice by its own. */
void ns_json_settings(NsJson *json, const NsSettings *settings);

/* "arch": key, "layers": all of them; with an encoder and a decoder also "encoder_layers" and
 * "decoder_layers". */
void ns_json_layers(NsJson *json, const NsSettings *settings);

/* "program": name and version; "instructions": the key of the set in use, on which bits depend. */
void ns_json_program(NsJson *json);

/* The name of a quantity in files: for the gradient of a parameter, inside "grad_norm", that of the
 * parameter; else that of the registry. */
const char *ns_json_quantity_key(NsQuantity quantity);
