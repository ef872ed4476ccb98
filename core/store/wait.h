/* What a card of a lesson waits for.  SPDX-License-Identifier: MIT
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
    NS_WAIT_STEP,
    NS_WAIT_SHOWN,
    NS_WAIT_LANES,
    NS_WAIT_PAGE,
    NS_WAIT_LAYER,
    NS_WAIT_SETTING,
    NS_WAIT_LOSS,
    NS_WAIT_DIVERGED,
    NS_WAIT_APPLIED,
    NS_WAIT_NEW_RUN,
    NS_WAIT_FORK,
    NS_WAIT_ANSWERED,
    NS_WAIT_DRAWN,
    NS_WAIT_RUNNING,
    NS_WAIT_PAUSED
} NsWaitKind;

typedef enum { NS_EQUAL, NS_AT_LEAST, NS_AT_MOST, NS_ABOVE, NS_BELOW } NsRelation;

/* One term. */
typedef struct {
    NsWaitKind kind;
    size_t lane;          /* SETTING, LOSS, DIVERGED: from 0 */
    const NsParam *param; /* SETTING */
    NsRelation relation;
    double number; /* what is compared with; of a choice, its row */
    char *word;    /* PAGE: the key; SETTING of a text: the text.  Else NULL */
} NsWait;

typedef struct {
    NsWait *term; /* [n] */
    size_t n;     /* 0: nothing is waited for */
} NsWaits;

/* NS_ERROR_SETTING says which term cannot be read; `waits` is then empty. */
bool ns_waits_read(NsWaits *waits, const char *text, GError **error);
void ns_waits_clear(NsWaits *waits);

/* Whether a number stands in the relation of a term; NaN stands in none. */
bool ns_wait_compare(const NsWait *wait, double number);

/* Whether a setting is as a term of kind SETTING asks for. */
bool ns_wait_setting(const NsWait *wait, const NsSettings *settings);
