/* SPDX-License-Identifier: MIT */
#include "core/store/lesson_condition.h"

#include "core/base/error.h"
#include "core/experiment/param.h"

#include <math.h>
#include <string.h>

/* The words that follow the name of a term. */
typedef enum { NOTHING, LANE, NUMBER, LANE_AND_NUMBER, LANE_AND_SETTING, WORD } Form;

static const struct {
    const char *name;
    Form form;
} terms[] = {
    [NS_CONDITION_STEP] = {"step", NUMBER},
    [NS_CONDITION_SHOWN] = {"shown", NUMBER},
    [NS_CONDITION_LANES] = {"lanes", NUMBER},
    [NS_CONDITION_PAGE] = {"page", WORD},
    [NS_CONDITION_LAYER] = {"layer", NOTHING},
    [NS_CONDITION_SETTING] = {"setting", LANE_AND_SETTING},
    [NS_CONDITION_LOSS] = {"loss", LANE_AND_NUMBER},
    [NS_CONDITION_DIVERGED] = {"diverged", LANE},
    [NS_CONDITION_APPLIED] = {"applied", NOTHING},
    [NS_CONDITION_NEW_RUN] = {"new-run", NOTHING},
    [NS_CONDITION_FORK] = {"fork", NOTHING},
    [NS_CONDITION_ANSWERED] = {"answered", NOTHING},
    [NS_CONDITION_DRAWN] = {"drawn", NOTHING},
    [NS_CONDITION_RUNNING] = {"running", NOTHING},
    [NS_CONDITION_PAUSED] = {"paused", NOTHING},
};

/* The number of words after the name, for each form. */
static const size_t lengths[] = {
    [NOTHING] = 0,          [LANE] = 1, [NUMBER] = 2, [LANE_AND_NUMBER] = 3,
    [LANE_AND_SETTING] = 4, [WORD] = 2};

static const char *const relations[] = {[NS_EQUAL] = "=",
                                        [NS_AT_LEAST] = ">=",
                                        [NS_AT_MOST] = "<=",
                                        [NS_ABOVE] = ">",
                                        [NS_BELOW] = "<"};

static bool read_lane(NsLessonCondition *condition, const char *word)
{
    condition->lane = ns_lane_find(word);
    return condition->lane < NS_LANES_MAX;
}

static bool read_relation(NsLessonCondition *condition, const char *word)
{
    for (size_t i = 0; i < G_N_ELEMENTS(relations); i++) {
        if (!g_str_equal(word, relations[i])) continue;
        condition->relation = (NsRelation)i;
        return true;
    }
    return false;
}

static bool read_number(NsLessonCondition *condition, char **words)
{
    char *end;
    condition->number = g_ascii_strtod(words[1], &end);
    return read_relation(condition, words[0]) && end != words[1] && !*end &&
           isfinite(condition->number);
}

/* Reads a setting, such as "warmup >= 100" or "placement = pre". */
static bool read_setting(NsLessonCondition *condition, char **words)
{
    condition->param = ns_param_find(words[0]);
    if (!condition->param) return false;
    if (ns_param_is_number(condition->param)) return read_number(condition, words + 1);
    if (!read_relation(condition, words[1]) || condition->relation != NS_EQUAL) return false;
    if (condition->param->type == NS_PARAM_CHOICE) {
        int row = ns_choices_find(condition->param->choices, words[2]);
        condition->number = row;
        return row >= 0;
    }
    condition->word = g_strdup(words[2]);
    return true;
}

static bool read_rest(NsLessonCondition *condition, Form form, char **words)
{
    switch (form) {
    case NOTHING:
        return true;
    case LANE:
        return read_lane(condition, words[0]);
    case NUMBER:
        return read_number(condition, words);
    case LANE_AND_NUMBER:
        return read_lane(condition, words[0]) && read_number(condition, words + 1);
    case LANE_AND_SETTING:
        return read_lane(condition, words[0]) && read_setting(condition, words + 1);
    case WORD:
        condition->word = g_strdup(words[1]);
        return read_relation(condition, words[0]) && condition->relation == NS_EQUAL;
    }
    return false;
}

/* Reads a term, whose words end before “and” or at the end of the text.  Returns the number of
 * words, or 0 on failure. */
static size_t read_term(NsLessonCondition *condition, char **words)
{
    size_t n = 0;
    while (words[n] && !g_str_equal(words[n], "and")) n++;
    for (size_t kind = 0; n > 0 && kind < G_N_ELEMENTS(terms); kind++) {
        if (!g_str_equal(words[0], terms[kind].name)) continue;
        condition->kind = (NsLessonConditionKind)kind;
        bool good =
            n == 1 + lengths[terms[kind].form] && read_rest(condition, terms[kind].form, words + 1);
        return good ? n : 0;
    }
    return 0;
}

bool ns_lesson_conditions_read(NsLessonConditions *conditions, const char *text, GError **error)
{
    *conditions = (NsLessonConditions){0};
    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    g_auto(GStrv) pieces = g_strsplit_set(text, " \t", -1);
    for (char **piece = pieces; *piece; piece++)
        if (**piece) g_strv_builder_add(list, *piece);
    g_auto(GStrv) words = g_strv_builder_end(list);
    for (char **at = words; *at;) {
        conditions->term = g_renew(NsLessonCondition, conditions->term, conditions->n + 1);
        NsLessonCondition *condition = &conditions->term[conditions->n++];
        *condition = (NsLessonCondition){0};
        size_t n = read_term(condition, at);
        bool last = n > 0 && !at[n];
        if (n == 0 || (!last && !at[n + 1])) {
            ns_refuse(error, NS_ERROR_SETTING,
                      "“%s” is not a condition to wait for: it cannot be read from “%s” on; write "
                      "terms such as “step >= 100”, joined by “and”.",
                      text, *at);
            ns_lesson_conditions_clear(conditions);
            return false;
        }
        at += last ? n : n + 1;
    }
    return true;
}

void ns_lesson_conditions_clear(NsLessonConditions *conditions)
{
    for (size_t i = 0; i < conditions->n; i++) g_free(conditions->term[i].word);
    g_free(conditions->term);
    *conditions = (NsLessonConditions){0};
}

bool ns_lesson_condition_compare(const NsLessonCondition *condition, double number)
{
    switch (condition->relation) {
    case NS_EQUAL:
        return number >= condition->number && number <= condition->number;
    case NS_AT_LEAST:
        return number >= condition->number;
    case NS_AT_MOST:
        return number <= condition->number;
    case NS_ABOVE:
        return number > condition->number;
    case NS_BELOW:
        return number < condition->number;
    }
    return false;
}

bool ns_lesson_condition_setting(const NsLessonCondition *condition, const NsSettings *settings)
{
    if (condition->param->type != NS_PARAM_TEXT)
        return ns_lesson_condition_compare(condition,
                                           ns_settings_get_number(settings, condition->param));
    g_autofree char *value = ns_settings_get(settings, condition->param);
    return g_str_equal(value, condition->word);
}
