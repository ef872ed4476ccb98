/* Whether a student has done what a card waits for.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/lesson_condition.h"
#include "ui/session/session.h"

/* What is known besides the session. */
typedef struct {
    const char *page; /* that is shown, or NULL */
    unsigned run;     /* the present one when the card was opened */
    bool answered, drawn;
} NsLessonSituation;

/* How far the run is that is set up; what is on view while it is being prepared is the run before.
 */
int64_t ns_lesson_steps(NsSession *session);

/* The number of the present run. */
unsigned ns_lesson_present_run(NsSession *session);

/* Whether every term holds; TRUE where there is none. */
bool ns_lesson_is_done(const NsLessonConditions *conditions, NsSession *session,
                       const NsLessonSituation *situation);
