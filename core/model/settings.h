/* The settings of a run.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/choice.h"
#include "core/model/params.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Integers are int64_t, choices are the row of their registry, texts are owned and never NULL. */
typedef struct {
#define NS_INT_FIELD(field, ...) int64_t field;
#define NS_REAL_FIELD(field, ...) double field;
#define NS_CHOICE_FIELD(field, ...) unsigned field;
#define NS_TEXT_FIELD(field, ...) char *field;
    NS_PARAMS(NS_INT_FIELD, NS_REAL_FIELD, NS_CHOICE_FIELD, NS_TEXT_FIELD)
#undef NS_INT_FIELD
#undef NS_REAL_FIELD
#undef NS_CHOICE_FIELD
#undef NS_TEXT_FIELD
} NsSettings;

typedef enum { NS_PARAM_INT, NS_PARAM_REAL, NS_PARAM_CHOICE, NS_PARAM_TEXT } NsParamType;
typedef enum {
    NS_GROUP_MODEL,
    NS_GROUP_REGULARISER,
    NS_GROUP_OPTIMIZER,
    NS_GROUP_DATA,
    NS_GROUP_RUN
} NsParamGroup;
typedef enum { NS_SLIDER_LINEAR, NS_SLIDER_LOG } NsSliderScale;
typedef enum { NS_EFFECT_LIVE, NS_EFFECT_FORK, NS_EFFECT_RESTART } NsParamEffect;

/* A row of the table, as data. */
typedef struct {
    const char *key;
    const char *label;
    const char *unit; /* NULL for a pure number */
    const char *help;
    const char *source; /* NULL where there is none */
    NsParamType type;
    NsParamGroup group;
    NsSliderScale scale;
    NsParamEffect effect;
    bool shared;              /* all lanes of a run have the same value */
    double least, most;       /* INT and REAL */
    NsChoices choices;        /* CHOICE */
    const char *default_text; /* the default, as ns_settings_set reads it */
    size_t offset;            /* of the field in NsSettings */
} NsParam;

/* The i-th row, or NULL past the end. */
const NsParam *ns_param(size_t i);
const NsParam *ns_param_find(const char *key);

/* The registry behind final-norm and embedding-norm: auto, on, off. */
enum { NS_SWITCH_AUTO, NS_SWITCH_ON, NS_SWITCH_OFF };
const NsChoice *ns_switch_choice(size_t i);

/* The registry behind qk-norm: auto, off, head (which older files call on), full. */
enum { NS_QK_NORM_AUTO, NS_QK_NORM_OFF, NS_QK_NORM_HEAD, NS_QK_NORM_FULL };
const NsChoice *ns_qk_norm_choice(size_t i);

/* The registry behind decay-scope: matrices, embeddings, all; each covers those before. */
enum { NS_DECAY_MATRICES, NS_DECAY_EMBEDDINGS, NS_DECAY_ALL };
const NsChoice *ns_decay_scope_choice(size_t i);

/* The registry behind settings that are off or on. */
enum { NS_TOGGLE_OFF, NS_TOGGLE_ON };
const NsChoice *ns_toggle_choice(size_t i);

/* The architectures.  `layers` is the depth of the only stack, or of the encoder of an
 * encoder-decoder. */
enum { NS_ARCH_DECODER, NS_ARCH_ENCODER, NS_ARCH_ENCODER_DECODER };
const NsChoice *ns_arch_choice(size_t i);

/* softmax, uniform (the paper's theory mode: every visible key weighs the same; W_Q, W_K, W_O and
 * their biases do not exist, one head). */
enum { NS_ATTENTION_SOFTMAX, NS_ATTENTION_UNIFORM };
const NsChoice *ns_attention_choice(size_t i);

/* learned, sinusoidal, none. */
enum { NS_POSITIONS_LEARNED, NS_POSITIONS_SINUSOIDAL, NS_POSITIONS_NONE };
const NsChoice *ns_positions_choice(size_t i);

/* Fills in the defaults.  Clear with ns_settings_clear. */
void ns_settings_init(NsSettings *settings);
void ns_settings_copy(NsSettings *to, const NsSettings *from); /* `to` is not initialised */
void ns_settings_clear(NsSettings *settings);

/* Sets one value from its text.  NS_ERROR_SETTING names an unknown key (and the nearest known one),
 * a value that is no number, or one outside its range; the settings then keep what they had.
 * Numbers are read in the C locale; 1e3 is an integer too.  The last word counts where two settings
 * exclude each other: a text chooses task text, another task clears the text; a mixture gives the
 * placement its default, a placement clears the mixture. */
bool ns_settings_set(NsSettings *settings, const char *key, const char *value, GError **error);

/* The same for "key=value". */
bool ns_settings_assign(NsSettings *settings, const char *assignment, GError **error);

/* The same for "key=value key='a value'", shell words with spaces between; for none where the text
 * is empty.  Those before a wrong one keep their effect. */
bool ns_settings_assign_all(NsSettings *settings, const char *words, GError **error);

/* What a person has named so far, on one command line or in one file; zero at the beginning. */
typedef struct {
    uint64_t all, here; /* a bit for every row of the table: anywhere, and in this list */
} NsNamed;

/* What goes on in a list of its own, such as that of a lane: there the settings that all lanes have
 * may be named again, with another value. */
NsNamed ns_named_below(const NsNamed *named);

/* Whether a setting was named. */
bool ns_named_has(const NsNamed *named, const char *key);

/* As ns_settings_set, for settings that a person names, in whichever order.  NS_ERROR_SETTING too
 * where one of two that exclude each other is named beside the other, or one in a list twice with
 * different values: none of them would have been what was meant. */
bool ns_settings_name(NsSettings *settings, NsNamed *named, const char *key, const char *value,
                      GError **error);

/* The same for "key=value", and for "key=value key='a value'". */
bool ns_settings_name_assignment(NsSettings *settings, NsNamed *named, const char *assignment,
                                 GError **error);
bool ns_settings_name_all(NsSettings *settings, NsNamed *named, const char *words, GError **error);

/* NS_ERROR_SETTING for a key that no setting has, nor one of `more` (ends with NULL; NULL for
 * none), with the nearest that there is. */
void ns_settings_unknown(const char *key, const char *const *more, GError **error);

/* The value as text, that ns_settings_set reads back to the same bits.  Free with g_free. */
char *ns_settings_get(const NsSettings *settings, const NsParam *param);

/* INT and REAL rows as a number (CHOICE: the row of the registry). */
double ns_settings_get_number(const NsSettings *settings, const NsParam *param);

/* Whether a setting has its default value. */
bool ns_settings_is_default(const NsSettings *settings, const NsParam *param);

/* Whether a setting has the same value in both. */
bool ns_settings_same(const NsSettings *a, const NsSettings *b, const NsParam *param);

/* Whether one corpus (core/data/corpus.h) serves both: the shared settings that a running model
 * cannot take over by a fork are the same. */
bool ns_settings_same_data(const NsSettings *a, const NsSettings *b);

/* Checks what no single value can show: d-model is a multiple of heads, a decay ends after its
 * start, task text has a file. */
bool ns_settings_check(const NsSettings *settings, GError **error);

/* "placement=pre layers=12": every setting that differs from its default, in table order; with
 * `all`, every setting.  Values with spaces are quoted for a shell.  Free with g_free. */
char *ns_settings_line(const NsSettings *settings, bool all);

/* What is special about one of n settings, from 0: the values that any two of them differ in, as
 * ns_settings_assign_all reads them.  Free with g_free. */
char *ns_settings_special(const NsSettings *const *settings, size_t n, size_t which);

/* Layers of the encoder and of the decoder; 0 where the architecture has none. */
int64_t ns_settings_encoder_layers(const NsSettings *settings);
int64_t ns_settings_decoder_layers(const NsSettings *settings);

/* Tokens in a source; 0 where the architecture has none. */
int64_t ns_settings_source_seq(const NsSettings *settings);

/* The width of the feed-forward network: d-ff, or 4 d where that is 0. */
int64_t ns_settings_d_ff(const NsSettings *settings);
