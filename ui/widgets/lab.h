/* The experiment behind a window: settings, the run they make, the run before it.
 * SPDX-License-Identifier: MIT
 *
 * A lab is no widget.  It lives on the main thread, never waits for a trainer, and is moved forward
 * by ns_lab_poll, which a window calls once a frame while the lab is busy.
 *
 * A live setting reaches the running model at once (at most every NS_LAB_SETTLE_MS while it is
 * being dragged).  Any other starts a new run once it has rested for that long, and leaves the run
 * before as the ghost of the view; the new run goes on by itself if the old one did.  A setting
 * that cannot be used is a problem: a sentence, the key, and the present run stays.
 *
 * Signals: "settings-changed", a value differs or a control shows one that was refused;
 * "status-changed", state, problem or run differ; "view-changed", what the charts show was chosen.
 */
#pragma once

#include "core/train/trainer.h"
#include "ui/widgets/view.h"

#include <glib-object.h>

#define NS_LAB_SETTLE_MS 150

#define NS_TYPE_LAB (ns_lab_get_type())
G_DECLARE_FINAL_TYPE(NsLab, ns_lab, NS, LAB, GObject)

/* Prepares a run with these settings. */
NsLab *ns_lab_new(const NsSettings *settings);

/* The settings as the controls show them. */
const NsSettings *ns_lab_settings(NsLab *lab);

/* Sets one value from its text, as ns_settings_set.  FALSE if it was refused: it is then the lab's
 * problem. */
bool ns_lab_set(NsLab *lab, const char *key, const char *value);

/* Sets one value back to its default. */
void ns_lab_set_default(NsLab *lab, const NsParam *param);

/* Sets every value back to its default. */
void ns_lab_set_defaults(NsLab *lab);

/* The commands of a trainer.  Those that make no sense in the present state do nothing. */
void ns_lab_run(NsLab *lab);
void ns_lab_pause(NsLab *lab);
void ns_lab_step(NsLab *lab, int64_t n);
void ns_lab_reset(NsLab *lab);

/* The plan of the run that is shown; false while there is none. */
bool ns_lab_plan(NsLab *lab, NsPlan *plan);

NsTrainerState ns_lab_state(NsLab *lab);
bool ns_lab_is_running(NsLab *lab); /* or will be as soon as it is prepared */
bool ns_lab_can_run(NsLab *lab);
bool ns_lab_can_reset(NsLab *lab);

/* The sentence of what is wrong, and the key of the setting that is to blame; NULL where there is
 * none. */
const char *ns_lab_problem(NsLab *lab);
const char *ns_lab_problem_key(NsLab *lab);

/* Updates done by the run that is shown. */
int64_t ns_lab_steps(NsLab *lab);

/* Looks at the trainer.  FALSE once nothing can change by itself any more. */
bool ns_lab_poll(NsLab *lab);

/* What the charts show; borrowed, valid until the next call that moves the lab. */
const NsView *ns_lab_view(NsLab *lab);
void ns_lab_show_gradient(NsLab *lab, NsQuantity quantity);
void ns_lab_show_hidden(NsLab *lab, NsQuantity quantity);
void ns_lab_show_log(NsLab *lab, bool log);
void ns_lab_show_smoothing(NsLab *lab, NsSmoothing smoothing);
void ns_lab_toggle_smoothing(NsLab *lab); /* off, and on again as it was */
void ns_lab_show_theory(NsLab *lab, bool theory);
void ns_lab_show_step(NsLab *lab, int64_t step); /* negative for the newest */

/* "Post-LN, 6 layers".  Free with g_free. */
char *ns_lab_title(NsLab *lab);

/* "paused at step 1,240, loss 2.31, 180 steps/s".  Free with g_free. */
char *ns_lab_status(NsLab *lab);

/* What the run that is shown takes: "1.21 M parameters, 63.8 MiB, step 0 in 12 ms".  NULL while
 * there is no run.  Free with g_free. */
char *ns_lab_size(NsLab *lab);

/* A count with its digits grouped in threes: "1,240".  Free with g_free. */
char *ns_group_digits(int64_t number);
