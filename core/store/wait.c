/* SPDX-License-Identifier: MIT */
#include "core/store/wait.h"

#include "core/base/error.h"
#include "core/experiment/param.h"
#include "core/store/preset.h"

#include <math.h>
#include <string.h>

/* What follows the name of a term. */
typedef enum { NOTHING, LANE, NUMBER, LANE_AND_NUMBER, LANE_AND_SETTING, WORD } Form;

static const struct {
    const char *name;
    Form form;
} terms[] = {
    [NS_WAIT_STEP] = {"step", NUMBER},          [NS_WAIT_SHOWN] = {"shown", NUMBER},
    [NS_WAIT_LANES] = {"lanes", NUMBER},        [NS_WAIT_PAGE] = {"page", WORD},
    [NS_WAIT_LAYER] = {"layer", NOTHING},       [NS_WAIT_SETTING] = {"setting", LANE_AND_SETTING},
    [NS_WAIT_LOSS] = {"loss", LANE_AND_NUMBER}, [NS_WAIT_DIVERGED] = {"diverged", LANE},
    [NS_WAIT_APPLIED] = {"applied", NOTHING},   [NS_WAIT_NEW_RUN] = {"new-run", NOTHING},
    [NS_WAIT_FORK] = {"fork", NOTHING},         [NS_WAIT_ANSWERED] = {"answered", NOTHING},
    [NS_WAIT_DRAWN] = {"drawn", NOTHING},       [NS_WAIT_RUNNING] = {"running", NOTHING},
    [NS_WAIT_PAUSED] = {"paused", NOTHING},
};

/* The words after the name, for each form. */
static const size_t lengths[] = {
    [NOTHING] = 0,          [LANE] = 1, [NUMBER] = 2, [LANE_AND_NUMBER] = 3,
    [LANE_AND_SETTING] = 4, [WORD] = 2};

static const char *const relations[] = {[NS_EQUAL] = "=",
                                        [NS_AT_LEAST] = ">=",
                                        [NS_AT_MOST] = "<=",
                                        [NS_ABOVE] = ">",
                                        [NS_BELOW] = "<"};

static bool read_lane(NsWait *wait, const char *word)
{
    for (wait->lane = 0; wait->lane < NS_LANES_MAX; wait->lane++)
        if (g_str_equal(word, ns_lane_letter(wait->lane))) return true;
    return false;
}

static bool read_relation(NsWait *wait, const char *word)
{
    for (size_t i = 0; i < G_N_ELEMENTS(relations); i++) {
        if (!g_str_equal(word, relations[i])) continue;
        wait->relation = (NsRelation)i;
        return true;
    }
    return false;
}

static bool read_number(NsWait *wait, char **words)
{
    char *end;
    wait->number = g_ascii_strtod(words[1], &end);
    return read_relation(wait, words[0]) && end != words[1] && !*end && isfinite(wait->number);
}

/* "warmup >= 100" or "placement = pre" */
static bool read_setting(NsWait *wait, char **words)
{
    wait->param = ns_param_find(words[0]);
    if (!wait->param) return false;
    if (wait->param->type == NS_PARAM_INT || wait->param->type == NS_PARAM_REAL)
        return read_number(wait, words + 1);
    if (!read_relation(wait, words[1]) || wait->relation != NS_EQUAL) return false;
    if (wait->param->type == NS_PARAM_CHOICE) {
        int row = ns_choices_find(wait->param->choices, words[2]);
        wait->number = row;
        return row >= 0;
    }
    wait->word = g_strdup(words[2]);
    return true;
}

static bool read_rest(NsWait *wait, Form form, char **words)
{
    switch (form) {
    case NOTHING:
        return true;
    case LANE:
        return read_lane(wait, words[0]);
    case NUMBER:
        return read_number(wait, words);
    case LANE_AND_NUMBER:
        return read_lane(wait, words[0]) && read_number(wait, words + 1);
    case LANE_AND_SETTING:
        return read_lane(wait, words[0]) && read_setting(wait, words + 1);
    case WORD:
        wait->word = g_strdup(words[1]);
        return read_relation(wait, words[0]) && wait->relation == NS_EQUAL;
    }
    return false;
}

/* A term of which the words are read up to “and” or the end; how many they were, or 0. */
static size_t read_term(NsWait *wait, char **words)
{
    size_t n = 0;
    while (words[n] && !g_str_equal(words[n], "and")) n++;
    for (size_t kind = 0; n > 0 && kind < G_N_ELEMENTS(terms); kind++) {
        if (!g_str_equal(words[0], terms[kind].name)) continue;
        wait->kind = (NsWaitKind)kind;
        bool good =
            n == 1 + lengths[terms[kind].form] && read_rest(wait, terms[kind].form, words + 1);
        return good ? n : 0;
    }
    return 0;
}

static char **split(const char *text)
{
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();
    g_auto(GStrv) pieces = g_strsplit_set(text, " \t", -1);
    for (char **piece = pieces; *piece; piece++)
        if (**piece) g_strv_builder_add(words, *piece);
    return g_strv_builder_end(words);
}

bool ns_waits_read(NsWaits *waits, const char *text, GError **error)
{
    *waits = (NsWaits){0};
    g_auto(GStrv) words = split(text);
    for (char **at = words; *at;) {
        waits->term = g_renew(NsWait, waits->term, waits->n + 1);
        NsWait *wait = &waits->term[waits->n++];
        *wait = (NsWait){0};
        size_t n = read_term(wait, at);
        bool last = n > 0 && !at[n];
        if (n == 0 || (!last && !at[n + 1])) {
            g_set_error(error, NS_ERROR, NS_ERROR_SETTING,
                        "“%s” cannot be waited for, from “%s” on; a wait is made of terms such as "
                        "“step >= 100” with “and” between them.",
                        text, *at);
            ns_waits_clear(waits);
            return false;
        }
        at += last ? n : n + 1;
    }
    return true;
}

void ns_waits_clear(NsWaits *waits)
{
    for (size_t i = 0; i < waits->n; i++) g_free(waits->term[i].word);
    g_free(waits->term);
    *waits = (NsWaits){0};
}

bool ns_wait_compare(const NsWait *wait, double number)
{
    switch (wait->relation) {
    case NS_EQUAL:
        return number >= wait->number && number <= wait->number;
    case NS_AT_LEAST:
        return number >= wait->number;
    case NS_AT_MOST:
        return number <= wait->number;
    case NS_ABOVE:
        return number > wait->number;
    case NS_BELOW:
        return number < wait->number;
    }
    return false;
}

bool ns_wait_setting(const NsWait *wait, const NsSettings *settings)
{
    if (wait->param->type != NS_PARAM_TEXT)
        return ns_wait_compare(wait, ns_settings_get_number(settings, wait->param));
    g_autofree char *value = ns_settings_get(settings, wait->param);
    return g_str_equal(value, wait->word);
}
