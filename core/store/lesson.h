/* Lessons: cards that guide a student through the window.  SPDX-License-Identifier: MIT
 *
 *     title = Where the norm sits
 *     summary = Two models that differ in one place only.
 *
 *     [card]
 *     title = Two models, one difference
 *     text = Lane A is Post-LN, lane B is Pre-LN.  All else is the same.
 *     setup = layers=6 warmup=1
 *     setup-a = placement=post
 *     setup-b = placement=pre
 *     page = diagram
 *     highlight = placement
 *     do-b = placement=post
 *     run = 100
 *     wait = setting B placement = post and applied
 *
 * Of a card:
 *
 *     title, text   at most 60 words of text; `text` is repeatable, once per paragraph.  In braces
 *                   stands a number that is measured in the run on view, as “{loss(A, 100)}”
 *                   (core/store/lesson_measure.h)
 *     setup         a new experiment with which the card begins: settings for all lanes, as
 *                   “key=value key=value”; setup-a .. setup-d for one lane.  It has as many lanes
 *                   as are named, at least one
 *     do, do-a ..   what the student is asked to set, in the same format; a button does it, too.  A
 *                   run with it begins at step 0
 *     change, change-a ..  the same of settings that act on a running model: they change in the run
 *                   of a card before, at the step to which that card runs
 *     try           the keys of settings that the student may change on this card, as “placement
 *                   clip”: the card still applies then, says its `tried`, and leaving it puts them
 *                   back
 *     run           the step to which a button runs
 *     page          the page of the window that is shown when the card opens
 *     highlight     the setting, or the part of the window, that the card speaks of
 *     chart         the chart to look at, as “hidden-norm” or “hidden-norm:token-cosine”, if the
 *                   highlight is not that chart; on the page Diagram the direction, as “diagram” or
 *                   “diagram-gradient”
 *     fit           “all”: the card compares with an earlier run, which may extend the axes
 *     wait          the condition that opens the next card (core/store/lesson_condition.h)
 *     ask           a question, followed by its answers: `choice` for wrong ones, `right` once;
 *                   after each a `why`: the text shown after it is chosen, why it is wrong or right
 *     draw          a quantity of layers that the student predicts by drawing; `draw-lane`,
 *                   a to d, and `draw-step` say where (lane A, step 0)
 *     claim         a statement of the card that a test measures (tests/lessons), with the setup
 *                   and all `do` and `change` since then, including those of this card
 *
 * xgettext --language=Desktop finds the texts; they are translated where they are shown. */
#pragma once

#include "core/probe/quantity.h"
#include "core/store/lesson_condition.h"
#include "core/store/preset.h"

#define NS_CARD_WORDS 60
#define NS_CARDS_MIN 4
#define NS_CARDS_MAX 7
#define NS_CARD_CHOICES 5

/* Texts are owned; NULL if absent. */
typedef struct {
    char *title, *page, *highlight, *chart;
    char **texts;           /* paragraphs, NULL-terminated */
    NsExperiment begin;     /* n is 0 if the card has no setup */
    NsExperiment end;       /* after all that the card asks for; n is 0 before the first setup */
    bool asks_for_settings; /* the card has a `do` */
    bool theory;            /* computed values beside the measured ones */
    bool fit_all;           /* axes are as long as earlier runs need */
    char **tries;           /* keys of settings, NULL-terminated; NULL: none */
    char *tried;            /* what the card says when one of them has been changed */
    int64_t
        change;    /* step after which `end` acts, without a restart; 0: the card has no `change` */
    int64_t run;   /* step of the run button; 0: none */
    int64_t start; /* step to which the setup is trained before the student does anything */
    size_t data;   /* the card whose run this card speaks of; SIZE_MAX: none */
    NsLessonConditions conditions;
    char *ask;
    char *choices[NS_CARD_CHOICES], *why[NS_CARD_CHOICES];
    size_t n_choices, right;
    bool draws;
    NsQuantity quantity;
    size_t draw_lane;
    int64_t draw_step;
    char **claims; /* ends with NULL */
} NsCard;

typedef struct {
    char *title, *summary;
    NsCard *card; /* [n] */
    size_t n;
} NsLesson;

/* Parses a lesson.  Returns NULL with NS_ERROR_SETTING; the message names the line, or the card
 * that lacks something. */
NsLesson *ns_lesson_new(const char *text, size_t size, GError **error);
void ns_lesson_free(NsLesson *lesson);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLesson, ns_lesson_free)

/* Parses the i-th bundled lesson (ns_lesson_choice). */
NsLesson *ns_lesson_open(size_t i, GError **error);

/* The step whose records the text of a card speaks of; 0 if of none after the first. */
int64_t ns_lesson_data_step(const NsLesson *lesson, size_t at);
