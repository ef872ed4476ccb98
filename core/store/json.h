/* A writer of JSON.  SPDX-License-Identifier: MIT
 *
 * A line of a deep model contains tens of thousands of numbers, so text is appended directly to one
 * string.  Numbers read back to the same value in every locale; NaN, Infinity and -Infinity are
 * written as strings.  `key` is the name of a member of an object and is NULL for an element of an
 * array. */
#pragma once

#include "core/probe/quantity.h"
#include "core/settings/settings.h"

/* Beyond it not every whole number is one of JSON: no step in a file is larger. */
#define NS_JSON_LAST_INTEGER ((int64_t)1 << 53)

typedef struct {
    GString *text;
    bool comma; /* a comma is needed before the next member or element */
} NsJson;

/* Begins the outermost object. */
void ns_json_init(NsJson *json);

/* Ends the outermost object and returns the text, without a newline.  Free with g_free. */
char *ns_json_finish(NsJson *json);

/* `bracket` is '{' or '['. */
void ns_json_open(NsJson *json, const char *key, char bracket);
void ns_json_close(NsJson *json, char bracket); /* '}' or ']' */

void ns_json_null(NsJson *json, const char *key);
void ns_json_bool(NsJson *json, const char *key, bool value);
void ns_json_int(NsJson *json, const char *key, int64_t value);
void ns_json_double(NsJson *json, const char *key,
                    double value); /* the shortest of 15 to 17 digits */
void ns_json_known(NsJson *json, const char *key, double value);       /* NaN is written as null */
void ns_json_float(NsJson *json, const char *key, float value);        /* nine digits */
void ns_json_string(NsJson *json, const char *key, const char *value); /* NULL is written as null */
void ns_json_values(NsJson *json, const char *key, const float *values, const bool *has,
                    size_t n); /* null where `has` is false; nine digits */
void ns_json_doubles(NsJson *json, const char *key, const double *values, size_t n);

/* The name that a key of a registry or setting has in files: "d_model" for "d-model".  Free with
 * g_free. */
char *ns_json_key(const char *key);

/* Writes "settings": {key: value, ...}.  Every setting has its typed value; a choice is written as
 * its key. */
void ns_json_settings(NsJson *json, const NsSettings *settings);

/* Writes "arch": key and "layers": the total number; if there are an encoder and a decoder, also
 * "encoder_layers" and "decoder_layers". */
void ns_json_layers(NsJson *json, const NsSettings *settings);

/* Writes "program": name and version, and "instructions": the key of the instruction set in use,
 * because results depend on it in their last bits. */
void ns_json_program(NsJson *json);

/* The name of a quantity in files.  For the gradient of a parameter, which is inside "grad_norm",
 * it is the name of the parameter. */
const char *ns_json_quantity_key(NsQuantity quantity);
