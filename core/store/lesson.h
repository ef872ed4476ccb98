/* Lessons: cards that a student goes through at the window.  SPDX-License-Identifier: MIT
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
 *     title, text   of 60 words at most; text is repeatable, a paragraph each
 *     setup         the experiment with which the card begins, in place of the one before: settings
 *                   for all lanes, as “key=value key=value”; setup-a .. setup-d for one lane.
 *                   There are as many lanes as are named, at least one
 *     do, do-a ..   what the student is asked to set, in the same words; a button does it, too
 *     run           a button runs to this step
 *     page          of the window, shown when the card opens
 *     highlight     the setting, or the part of the window, that the card speaks of
 *     chart         the chart to look at, as “hidden-norm” or “hidden-norm:token-cosine”, where the
 *                   highlight is not that chart
 *     wait          what opens the next card (core/store/lesson_condition.h)
 *     ask           a question, with `choice` and once `right` for its answers in their order;
 *                   below each a `why`, what is said once it is chosen: why it is wrong, or right
 *     draw          a quantity of layers that the student draws before it is measured; `draw-lane`,
 *                   a to d, and `draw-step` say where (lane A, step 0)
 *     claim         what the card says, as a test measures it (tests/lessons): with the setup, and
 *                   with all that was to be done since and on this card
 *
 * The texts are found by xgettext --language=Desktop and translated where they are shown. */
#pragma once

#include "core/probe/quantity.h"
#include "core/store/lesson_condition.h"
#include "core/store/preset.h"

#define NS_CARD_WORDS 60
#define NS_CARDS_MIN 4
#define NS_CARDS_MAX 7
#define NS_CARD_CHOICES 5

/* Texts are owned; NULL where there is none. */
typedef struct {
    char *title, *page, *highlight, *chart;
    char **texts;           /* paragraphs; ends with NULL */
    NsExperiment begin;     /* n is 0 where the card has no setup */
    NsExperiment end;       /* when all is done that was asked for; n is 0 before the first setup */
    bool asks_for_settings; /* there is a do */
    int64_t run;            /* 0: none */
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

/* NULL with NS_ERROR_SETTING, which names the line, or the card that lacks something. */
NsLesson *ns_lesson_new(const char *text, size_t size, GError **error);
void ns_lesson_free(NsLesson *lesson);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLesson, ns_lesson_free)

/* The i-th lesson of the program (ns_lesson_choice). */
NsLesson *ns_lesson_open(size_t i, GError **error);
