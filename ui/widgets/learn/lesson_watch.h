/* Whether a student has done what a card waits for.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/lesson.h"
#include "ui/session/session.h"

/* The state of the window besides the session. */
typedef struct {
    const char *page; /* the visible page, or NULL */
    unsigned run;     /* that of ns_lesson_run_before, when the card was opened */
    bool answered, sketched;
} NsLessonSituation;

/* How far the run is that is set up; what is on view while it is being prepared is the run before.
 */
int64_t ns_lesson_steps(NsSession *session);

/* Whether no run is being prepared. */
bool ns_lesson_is_prepared(NsSession *session);

/* A text with the numbers that it asks for, as measured in the run on view (ns_measure_fill); "…"
 * where there is none.  Free with g_free. */
char *ns_lesson_words(const char *text, NsSession *session);

/* The number of the present run. */
unsigned ns_lesson_present_run(NsSession *session);

/* The same; 0 if that run began with the settings that the card asks for, so that the card needs no
 * other. */
unsigned ns_lesson_run_before(const NsCard *card, NsSession *session);

/* Whether the controls show the settings that the terms ask for. */
bool ns_lesson_is_set(const NsLessonConditions *conditions, NsSession *session);

/* Whether every term holds; TRUE where there is none. */
bool ns_lesson_is_done(const NsLessonConditions *conditions, NsSession *session,
                       const NsLessonSituation *situation);

/* Whether the run has steps from before a card that asks for settings from step 0 on. */
bool ns_lesson_needs_new_run(const NsCard *card, NsSession *session,
                             const NsLessonSituation *situation);

/* Whether the step of a card (ns_lesson_data_step) has been measured or, if the card that runs
 * there waits for something else than a step, this has happened.  A card without numbers in its
 * text waits for nothing. */
bool ns_lesson_has_data(const NsLesson *lesson, size_t at, NsSession *session,
                        const NsLessonSituation *situation);

/* The step that a card is about (ns_lesson_data_step), once the run has gone past it; -1: none, as
 * for a card that runs itself, or shows no figure of a single step. */
int64_t ns_lesson_step(const NsLesson *lesson, size_t at, NsSession *session);

/* The values that a card asks the student to draw, free with g_free; NULL while they have not been
 * measured in the run on view. */
double *ns_lesson_measured(const NsCard *card, NsSession *session, size_t *n);

/* Whether the controls show these settings; and whether the run on view has them, too, and began
 * with others, or the same. */
bool ns_lesson_has_settings(NsSession *session, const NsExperiment *wanted);
bool ns_lesson_is_run_of(NsSession *session, const NsExperiment *began, const NsExperiment *wanted);

/* Whether the controls differ from the settings of a card, but only in those that it lets the
 * student try. */
bool ns_lesson_has_tried(NsSession *session, const NsCard *card);

/* The card with which the run of a card begins. */
size_t ns_lesson_origin(const NsLesson *lesson, size_t at);

/* The step of the first change, of the cards up to this one, that the run on view has gone past
 * without a changed setting; 0 if there is none. */
int64_t ns_lesson_missed_change(const NsLesson *lesson, size_t at, NsSession *session);
