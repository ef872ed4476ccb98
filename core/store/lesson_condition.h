/* The conditions that a card of a lesson waits for.  SPDX-License-Identifier: MIT
 *
 *     wait = setting A warmup >= 100 and applied and step >= 300
 *
 * A condition consists of terms joined by “and”, all of which have to hold:
 *
 *     step >= 300               number of updates of the run
 *     shown <= 10               the step that the window shows
 *     lanes = 2
 *     page = profile            the page of the window
 *     layer                     a layer is selected
 *     setting A warmup >= 100   a setting of a lane; for a choice, = and its key
 *     loss A < 2.5              the loss of the newest step
 *     diverged A
 *     applied                   no setting still needs Restart or Fork
 *     new-run, fork             a run or a fork was started while the card was shown
 *     answered, drawn           the question was answered, the prediction was drawn
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
    NS_CONDITION_LOSS, /* the newest loss, the mean if there are several seeds */
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

/* A term. */
typedef struct {
    NsLessonConditionKind kind;
    size_t lane;          /* SETTING, LOSS, DIVERGED: from 0 */
    const NsParam *param; /* SETTING */
    NsRelation relation;
    double number; /* the value to compare with; the row of a choice */
    char *word;    /* PAGE: the key; SETTING of a text: the text; otherwise NULL */
} NsLessonCondition;

typedef struct {
    NsLessonCondition *term; /* [n] */
    size_t n;                /* 0: no condition */
} NsLessonConditions;

/* Parses a condition.  NS_ERROR_SETTING names the term that cannot be read; `conditions` is then
 * empty. */
bool ns_lesson_conditions_read(NsLessonConditions *conditions, const char *text, GError **error);
void ns_lesson_conditions_clear(NsLessonConditions *conditions);

/* Whether a number satisfies the relation of a term.  NaN never does. */
bool ns_lesson_condition_compare(const NsLessonCondition *condition, double number);

/* Whether the settings satisfy a term of kind SETTING. */
bool ns_lesson_condition_setting(const NsLessonCondition *condition, const NsSettings *settings);
