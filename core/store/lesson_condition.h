/* The conditions that a card of a lesson waits for.  SPDX-License-Identifier: MIT
 *
 *     wait = setting A warmup >= 100 and applied and step >= 300
 *
 * Terms with “and” between them, all of which have to hold:
 *
 *     step >= 300               updates done by the run
 *     shown <= 10               the step that is looked at
 *     lanes = 2
 *     page = profile            the page of the window
 *     layer                     a layer is selected
 *     setting A warmup >= 100   a setting of a lane; a choice is compared by = with its key
 *     loss A < 2.5              of the newest step
 *     diverged A
 *     applied                   no setting waits for Restart or Fork
 *     new-run, fork             a run, or a fork, began while the card was shown
 *     answered, drawn           the question of the card, its prediction
 *     running, paused */
#pragma once

#include "core/experiment/param.h"

typedef enum {
    NS_CONDITION_STEP,
    NS_CONDITION_SHOWN,
    NS_CONDITION_LANES,
    NS_CONDITION_PAGE,
    NS_CONDITION_LAYER,
    NS_CONDITION_SETTING,
    NS_CONDITION_LOSS, /* the newest, a mean of several seeds */
    NS_CONDITION_DIVERGED,
    NS_CONDITION_APPLIED,
    NS_CONDITION_NEW_RUN,
    NS_CONDITION_FORK,
    NS_CONDITION_ANSWERED,
    NS_CONDITION_DRAWN,
    NS_CONDITION_RUNNING,
    NS_CONDITION_PAUSED
} NsLessonConditionKind;

typedef enum { NS_EQUAL, NS_AT_LEAST, NS_AT_MOST, NS_ABOVE, NS_BELOW } NsRelation;

/* One term. */
typedef struct {
    NsLessonConditionKind kind;
    size_t lane;          /* SETTING, LOSS, DIVERGED: from 0 */
    const NsParam *param; /* SETTING */
    NsRelation relation;
    double number; /* what is compared with; of a choice, its row */
    char *word;    /* PAGE: the key; SETTING of a text: the text.  Else NULL */
} NsLessonCondition;

typedef struct {
    NsLessonCondition *term; /* [n] */
    size_t n;                /* 0: nothing is waited for */
} NsLessonConditions;

/* NS_ERROR_SETTING says which term cannot be read; `conditions` is then empty. */
bool ns_lesson_conditions_read(NsLessonConditions *conditions, const char *text, GError **error);
void ns_lesson_conditions_clear(NsLessonConditions *conditions);

/* Whether a number stands in the relation of a term; NaN stands in none. */
bool ns_lesson_condition_compare(const NsLessonCondition *condition, double number);

/* Whether a setting is as a term of kind SETTING asks for. */
bool ns_lesson_condition_setting(const NsLessonCondition *condition, const NsSettings *settings);
