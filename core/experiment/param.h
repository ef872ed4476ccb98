/* The rows of the table of settings: settings by key, and as text.  SPDX-License-Identifier: MIT
 *
 * A row refers to the registry of its values, so this file depends on placements, norms, tasks,
 * optimizers and schedules. */
#pragma once

#include "core/settings/settings.h"

typedef enum { NS_PARAM_INT, NS_PARAM_REAL, NS_PARAM_CHOICE, NS_PARAM_TEXT } NsParamType;
typedef enum {
    NS_GROUP_ARCH,
    NS_GROUP_NORM,
    NS_GROUP_REGULARIZER,
    NS_GROUP_OPTIMIZER,
    NS_GROUP_SCHEDULE,
    NS_GROUP_DATA,
    NS_GROUP_MEASURE,
    NS_GROUP_RUN,
    NS_GROUPS
} NsParamGroup;
typedef enum { NS_SLIDER_LINEAR, NS_SLIDER_LOG } NsSliderScale;
typedef enum { NS_EFFECT_LIVE, NS_EFFECT_FORK, NS_EFFECT_RESTART } NsParamEffect;

/* A row of the table. */
typedef struct {
    const char *key;
    const char *label;
    const char *unit; /* NULL for a dimensionless number */
    const char *help;
    const char *source; /* NULL without --report */
    NsParamType type;
    NsParamGroup group;
    NsSliderScale scale;
    NsParamEffect effect;
    bool shared;              /* all lanes of a run have the same value */
    double least, most;       /* range of INT and REAL */
    NsChoices choices;        /* registry of a CHOICE */
    const char *default_text; /* the default as text for ns_settings_set */
    size_t offset;            /* of the field in NsSettings */
} NsParam;

/* The number of rows. */
#define NS_PARAM_ONE(...) +1
enum { NS_PARAM_COUNT = NS_PARAMS(NS_PARAM_ONE, NS_PARAM_ONE, NS_PARAM_ONE, NS_PARAM_ONE) };
#undef NS_PARAM_ONE

/* The i-th row, or NULL past the end. */
const NsParam *ns_param(size_t i);
const NsParam *ns_param_find(const char *key);

/* The name of a group, untranslated: "Architecture". */
const char *ns_param_group_label(NsParamGroup group);

/* Whether a setting determines the function that the model computes. */
bool ns_param_is_of_model(const NsParam *param);

/* Whether a setting determines how a run is made and what is measured, and not what it trains. */
bool ns_param_is_of_run(const NsParam *param);

/* Initializes all settings to their defaults.  Clear with ns_settings_clear. */
void ns_settings_init(NsSettings *settings);

/* Sets one value from its text.  NS_ERROR_SETTING names an unknown key (and the nearest known one),
 * a value that is not a number, or one outside its range; the settings are then not changed.
 * Numbers are read in the C locale; 1e3 is also an integer; a choice may be named by its label in
 * any case ("Pre-LN").  If settings exclude each other, the
 * new value takes precedence: a text selects the task text, another task clears the text; a mixture
 * resets the placement to its default, a placement clears the mixture.  A formula as the value of
 * placement becomes the mixture. */
bool ns_settings_set(NsSettings *settings, const char *key, const char *value, GError **error);

/* The setting that ns_settings_set changes; NULL for an unknown key. */
const NsParam *ns_param_of(const char *key, const char *value);

/* Whether a setting has no effect because another one excludes it. */
bool ns_settings_is_idle(const NsSettings *settings, const NsParam *param);

/* Whether a setting acts together with the others: the files of pairs, for instance, on translation
 * alone, and the end of the decay with a schedule that has one. */
bool ns_settings_is_used(const NsSettings *settings, const NsParam *param);

/* Sets NS_ERROR_SETTING for a key that is neither a setting nor one of `more` (NULL-terminated, or
 * NULL); the message names the nearest of these.  Returns false. */
bool ns_settings_unknown(const char *key, const char *const *more, GError **error);

/* The value as text, which ns_settings_set reads back to the same bits.  Free with g_free. */
char *ns_settings_get(const NsSettings *settings, const NsParam *param);

/* The shortest text that reads back to the same bits: 100 rather than 1e+02.  Free with g_free. */
char *ns_number_text(double number);

/* The value that means no amount, "0", or "1" for the warm-up, and the translated word for it, such
 * as “off”; the word is NULL for a setting without such a value. */
const char *ns_param_none(const NsParam *param);
const char *ns_param_none_word(const NsParam *param);

/* The word for a value that is no amount; NULL for any other. */
const char *ns_param_word(const NsParam *param, const char *value);

/* INT and REAL. */
bool ns_param_is_number(const NsParam *param);

/* The value of an INT or REAL as a number; for a CHOICE, the row of its registry. */
double ns_settings_get_number(const NsSettings *settings, const NsParam *param);

/* Whether a setting has its default value. */
bool ns_settings_is_default(const NsSettings *settings, const NsParam *param);

/* Whether a setting has the same value in both. */
bool ns_settings_same(const NsSettings *a, const NsSettings *b, const NsParam *param);

/* Whether both use the same corpus (core/data/corpus.h): the shared settings that a fork cannot
 * change are equal. */
bool ns_settings_same_data(const NsSettings *a, const NsSettings *b);

/* Checks conditions on several settings: d-model is a multiple of heads, a decay ends after its
 * start, the task text has a file. */
bool ns_settings_check(const NsSettings *settings, GError **error);

/* The path in the i-th setting that names a file, "" if not set: text, then source, target,
 * valid-source and valid-target of the task translation.  NULL past the last.  The tokenizer may be
 * a file, too (core/data/tokenizer.h), but is not included. */
char **ns_settings_file(NsSettings *settings, size_t i);

/* Whether a setting names such a file. */
bool ns_param_is_file(const NsParam *param);
