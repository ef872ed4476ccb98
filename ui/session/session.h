/* The experiment behind a window: lanes, their settings, the run they make, the runs before it.
 * SPDX-License-Identifier: MIT
 *
 * A session is not a widget.  It lives on the main thread, never waits for a trainer, and is moved
 * forward by ns_session_poll, which a window calls once a frame while the session is busy.
 *
 * One to four lanes run on one clock; one of them is active.  A setting is linked, so that a change
 * reaches every lane, or split, so that it reaches the active one.
 *
 * A live setting reaches the running model at once (at most every NS_SESSION_SETTLE_MS while it is
 * being dragged).  Any other acts at once too as long as the run stands at its beginning, where
 * there is nothing to lose: a new run is prepared as soon as the setting has rested for that long.
 * Else it is pending: it waits for ns_session_restart, ns_session_fork or ns_session_drop_pending.
 * A setting that cannot be used is a problem: a sentence, the key, and the present run stays.
 *
 * Signals: "settings-changed", a value, a link, the lanes or the active one differ; before it
 * "setting-changed", with the key as its detail, for each whose row shows something else now, or
 * whose control shows a value that was refused; "status-changed", state, problem, pending changes
 * or run differ; "view-changed", what the charts show was chosen; "runs-changed", earlier runs or
 * their pins; "checked", a check of gradients is there or was broken off; "notice" (sentence),
 * something happened that a toast should tell. */
#pragma once

#include "core/base/digits.h"
#include "core/experiment/param.h"
#include "core/train/checkpoints.h"
#include "core/train/trainer.h"
#include "ui/session/experiment_words.h"
#include "ui/session/library.h"
#include "ui/session/view.h"

#include <glib-object.h>

#define NS_SESSION_SETTLE_MS 150

#define NS_TYPE_SESSION (ns_session_get_type())
G_DECLARE_FINAL_TYPE(NsSession, ns_session, NS, SESSION, GObject)

/* Prepares a run of the experiment, whose settings are split where they differ; what all lanes
 * share (ns_experiment_share) is the first one's. */
NsSession *ns_session_new(const NsExperiment *experiment);

/* Returns the session, which lives at least as long as the object does from now on. */
NsSession *ns_session_hold(NsSession *session, gpointer object);

/* Gives notice of something with a sentence for the reader. */
void ns_session_tell(NsSession *session, const char *sentence);

/* Gives notice of the placement of the active lane, and of those that share it: whether it is so
 * now, or waits for a restart or a fork. */
void ns_session_tell_placement(NsSession *session);

/* ---- Lanes ---- */

size_t ns_session_lanes(NsSession *session);
size_t ns_session_active(NsSession *session);
void ns_session_set_active(NsSession *session, size_t lane);

/* 1 .. NS_LANES_MAX.  A new lane is a copy of the active one whose placement is split, or what it
 * was when it was taken away. */
void ns_session_set_lanes(NsSession *session, size_t n);

/* Removes a lane; those behind it move up.  The last lane cannot be removed. */
void ns_session_remove_lane(NsSession *session, size_t lane);

/* ---- Settings ---- */

/* Of the active lane and of any, as the controls show them; and all of them. */
const NsSettings *ns_session_settings(NsSession *session);
const NsSettings *ns_session_lane_settings(NsSession *session, size_t lane);
const NsExperiment *ns_session_experiment(NsSession *session);

/* Calls back, as g_signal_connect_object does with the object first, whenever what a row shows of
 * this setting differs. */
void ns_session_follow(NsSession *session, const NsParam *param, GCallback callback,
                       gpointer object);

/* Sets one value from its text, as ns_settings_set: of the active lane, or of all where the row is
 * linked.  FALSE if it was refused: it is then the session's problem. */
bool ns_session_set(NsSession *session, const char *key, const char *value);

/* The same, as one of many changes during one drag, which together are one step of undo. */
bool ns_session_slide(NsSession *session, const char *key, const char *value);

/* The same for one lane, which splits the row if it can be. */
bool ns_session_set_lane(NsSession *session, size_t lane, const char *key, const char *value);

/* Sets one value back to its default. */
void ns_session_set_default(NsSession *session, const NsParam *param);

/* Sets every value of the active lane back to its default, and those that are linked in all. */
void ns_session_set_defaults(NsSession *session);

/* Replaces all lanes and their settings, as one change. */
void ns_session_open(NsSession *session, const NsExperiment *experiment);

/* Linking gives all lanes the value of the active one. */
bool ns_session_is_linked(NsSession *session, const NsParam *param);
void ns_session_set_linked(NsSession *session, const NsParam *param, bool linked);

/* Undo and redo go through all changes of settings, lanes and links.  The words say what will
 * change: "layers 6 → 12"; NULL where there is nothing.  Free with g_free. */
bool ns_session_can_undo(NsSession *session);
bool ns_session_can_redo(NsSession *session);
void ns_session_undo(NsSession *session);
void ns_session_redo(NsSession *session);
char *ns_session_undo_words(NsSession *session);
char *ns_session_redo_words(NsSession *session);

/* ---- Changes that wait ---- */

/* Whether any setting or lane differs from the run's in a setting that is not live: the change is
 * pending, or the run, which has not begun, is about to be prepared again. */
bool ns_session_differs(NsSession *session);

/* How many wait: settings, counted once whatever the lanes, and lanes. */
size_t ns_session_pending(NsSession *session);
bool ns_session_is_pending(NsSession *session, const NsParam *param);

/* "2 changes wait: Norm placement of B, Layers"; NULL where nothing does.  Free with g_free. */
char *ns_session_pending_words(NsSession *session);

/* Restarts all lanes from step 0 with the settings that the controls show; they run if they ran
 * before. */
bool ns_session_can_restart(NsSession *session);
void ns_session_restart(NsSession *session);

/* From the newest checkpoint at or before the step that is shown.  With one lane and nothing
 * pending it opens a second one, a copy, beside it. */
bool ns_session_can_fork(NsSession *session);
int64_t
ns_session_fork_step(NsSession *session); /* where a fork would begin; negative if it cannot */
void ns_session_fork(NsSession *session);

/* The controls go back to what the run has. */
void ns_session_drop_pending(NsSession *session);

/* ---- Time ---- */

/* The commands of a trainer.  Those that make no sense in the present state do nothing. */
void ns_session_run(NsSession *session);
void ns_session_pause(NsSession *session);
void ns_session_step(NsSession *session, int64_t n);
void ns_session_run_to(NsSession *session, int64_t step);

/* Runs to a step with the settings that the controls show, from step 0 where the run has others or
 * is past that step. */
void ns_session_run_anew_to(NsSession *session, int64_t step);
void ns_session_run_until_loss(NsSession *session,
                               double loss); /* of any lane, smoothed as a trainer does */

/* Back to the beginning of the run, at rest: of a fork, to where it was forked; and from there, to
 * step 0. */
void ns_session_reset(NsSession *session);
void ns_session_reset_to_start(NsSession *session);

/* The step of the former; 0 where the run is no fork. */
int64_t ns_session_fork_point(NsSession *session);

/* The step at which the run ends by its settings, or has ended; 0: it has no end. */
int64_t ns_session_end_step(NsSession *session);

bool ns_session_is_running(NsSession *session); /* or will be as soon as it is prepared */
bool ns_session_can_run(NsSession *session);
bool ns_session_can_reset(NsSession *session);

/* 0: as fast as it can. */
void ns_session_set_speed(NsSession *session, double steps_per_second);
double ns_session_speed(NsSession *session);

/* Whether a run pauses at the first spike or divergence of any lane; it does at first. */
void ns_session_set_pause_on_trouble(NsSession *session, bool pause);
bool ns_session_pause_on_trouble(NsSession *session);

/* Slow motion takes about four seconds a step, whose forward pass, loss and backward pass are those
 * of the step that is shown, and whose update leads to the next. */
typedef enum { NS_STAGE_FORWARD, NS_STAGE_LOSS, NS_STAGE_BACKWARD, NS_STAGE_UPDATE } NsStage;
void ns_session_set_slow_motion(NsSession *session, bool slow);
bool ns_session_slow_motion(NsSession *session);

/* Where a step in slow motion is, and how far through that stage, 0 .. 1.  FALSE while there is
 * none. */
bool ns_session_stage(NsSession *session, NsStage *stage, double *progress);

/* The first and the newest step of the run, and the one that is shown, which a negative number
 * makes the newest again. */
int64_t ns_session_first_step(NsSession *session);
int64_t ns_session_steps(NsSession *session);
int64_t ns_session_shown_step(NsSession *session);
void ns_session_show_step(NsSession *session, int64_t step);

/* Shows a step and selects a layer (0: none), in one change of the view. */
void ns_session_show_place(NsSession *session, int64_t step, int layer);

typedef enum {
    NS_SESSION_MARK_FORK, /* the run begins here, with what it took over from another */
    NS_SESSION_MARK_SPIKE,
    NS_SESSION_MARK_DIVERGED,
    NS_SESSION_MARK_SETTING,   /* a live setting was changed */
    NS_SESSION_MARK_CHECKPOINT /* a fork can begin here */
} NsSessionMarkKind;

typedef struct {
    int64_t step;
    NsSessionMarkKind kind;
    int lane; /* -1: all */
    int seed; /* of several, from 1; 0: the only one, or all */
    const char *text;
} NsSessionMark;

/* In the order of steps; borrowed until the next call or poll. */
const NsSessionMark *ns_session_marks(NsSession *session, size_t *n);

/* ---- Trouble ---- */

typedef struct {
    int lane;
    int seed; /* of the lane, from 0 */
    int64_t step;
    bool spike; /* else the lane diverged */
    bool first; /* before any update: not what training did, but what the model is */
    bool huge;  /* the squares of its first gradients overflow: the rate does not matter either */
    const NsEvent *event;
} NsTrouble;

/* The last trouble that was neither dismissed nor continued from; of several in one step, a
 * divergence comes before a jump, a larger jump before a smaller one, and then the earlier lane.
 * The event is borrowed until the next poll. */
bool ns_session_trouble(NsSession *session, NsTrouble *trouble);
void ns_session_dismiss_trouble(NsSession *session);

/* Forks from the newest checkpoint before the trouble with this one change, and runs; where no
 * update was made before it, restarts.  FALSE if the value was refused or there is no checkpoint.
 */
bool ns_session_can_remedy(NsSession *session);
bool ns_session_remedy(NsSession *session, size_t lane, const char *key, const char *value);

/* ---- Gradient checks ---- */

/* Asks for a check of a layer (from 1) of a lane of the run against finite differences, at the next
 * step; "checked" tells when it is there, or was broken off by a pause or a reset. */
void ns_session_check(NsSession *session, size_t lane, unsigned layer);
bool ns_session_is_checking(NsSession *session);

/* The newest check of the present run; NULL while there is none. */
const NsGradientCheck *ns_session_last_check(NsSession *session);

/* ---- Expensive quantities ---- */

/* Requests the expensive quantities of the step shown, in every lane, if the run is at rest, has a
 * checkpoint of that step, and this was not requested before.  The view has it a moment later
 * (ns_view_look_closer). */
void ns_session_look_closer(NsSession *session);

/* ---- Runs ---- */

/* A run begins with a restart, a fork or a reset.  Earlier ones are kept within a budget, the
 * newest and those that are pinned; a notice tells which one went.  Steps from which an earlier one
 * can go on are kept too: in memory as long as there is room, and in its file. */
typedef struct {
    unsigned id, parent; /* from 1; 0: begun at step 0 */
    int64_t fork_step, last_step;
    int64_t checkpoint; /* from which an earlier one can go on; negative: it can only begin anew */
    const char *title;
    const char *differs; /* "Layers 6 → 12" beside the run before or, of a fork, beside the one that
                            it comes from; NULL for the first */
    double loss[NS_LANES_MAX]; /* the last one, a mean of several seeds */
    size_t lanes;
    bool measured;        /* there is one: its models may still be prepared */
    bool present, pinned; /* present: the one on view */
    bool outside;         /* another program's: it has no settings, and none of the commands of a
                             trainer is for it */
} NsSessionRun;

/* The oldest first; borrowed until the next call or poll. */
const NsSessionRun *ns_session_runs(NsSession *session, size_t *n);

/* Curves show pinned runs, muted. */
void ns_session_pin_run(NsSession *session, unsigned id, bool pinned);

/* ---- Earlier runs on view ---- */

/* An earlier run replaces the present one, which becomes an earlier one, in the view and in the
 * controls; nothing trains.  Where its checkpoints are read from its file, that is a moment later.
 * A command that needs a trainer then continues from the newest checkpoint of that run, or restarts
 * it if it has no checkpoint or had finished.  A notice says which of the two it will be, and which
 * it was. */
void ns_session_open_run(NsSession *session, unsigned id);

/* The same with a run out of a file, which is the newest and gives its checkpoints away.  Each of
 * its histories has a record, and nobody writes to it any more. */
void ns_session_open_saved(NsSession *session, NsSavedRun *run);

/* The step from which an earlier run that is on view goes on; negative where it can only begin
 * anew, or none is. */
int64_t ns_session_goes_on_from(NsSession *session);

/* ---- Runs of other programs ---- */

/* Puts the runs in 1 to NS_LANES_MAX files side by side on view, live, as one run of the session
 * (core/store/outside.h); "-" is standard input, which is saved where runs are recorded.  A NULL
 * ends the paths.  FALSE with NS_ERROR_FILE, and nothing changed, where one cannot be read.  No
 * command that needs a trainer is possible then; what they have recorded can be looked at, pinned
 * and exported as any other run. */
bool ns_session_watch(NsSession *session, const char *const *paths, GError **error);
bool ns_session_is_watching(NsSession *session);
bool ns_session_watches(NsSession *session, const char *path); /* this file is on view */

/* Prepares a run with the settings of the controls.  The one that was watched becomes an earlier
 * one that stays live, and is pinned where there is room. */
void ns_session_stop_watching(NsSession *session);

/* ---- Recording ---- */

/* From now on every run is recorded, from its first step, into a file of its own in this folder
 * (NULL: no run is), as core/store/run_writer.h has it.  When run files there take more than
 * `most_bytes` (0: any number), the oldest without a tag go to the trash, and a notice says so. */
void ns_session_set_recording(NsSession *session, const char *folder, guint64 most_bytes);
const char *ns_session_recording(NsSession *session); /* the folder */

/* The file of the run on view; NULL while there is none.  Free with g_free. */
char *ns_session_path_on_view(NsSession *session);

/* How long the runs trained, present and earlier, that no file has: seconds of the longest lane of
 * each.  `saved`: of histories whose records were written elsewhere, how many. */
double ns_session_unsaved_seconds(NsSession *session, GHashTable *saved);

/* What it is at first. */
#define NS_SESSION_CHECKPOINT_BYTES ((size_t)256 << 20)

/* The most bytes of checkpoints that this run and the earlier ones keep in memory together, and
 * what they take.  The first and the newest of the run that trains stay in any case. */
void ns_session_set_checkpoint_bytes(NsSession *session, size_t bytes);
size_t ns_session_checkpoint_most(NsSession *session);
size_t ns_session_checkpoint_bytes(NsSession *session);

/* ---- What is known ---- */

NsTrainerState ns_session_state(NsSession *session);
NsTrainerState ns_session_lane_state(NsSession *session, size_t lane); /* of the run's lanes */

/* The sentence of what is wrong, and the key of the setting that is to blame; NULL where there is
 * none. */
const char *ns_session_problem(NsSession *session);
const char *ns_session_problem_key(NsSession *session);

/* Polls the trainer.  FALSE once nothing can change without a command any more. */
bool ns_session_poll(NsSession *session);

/* ---- What it takes ---- */

/* The plan of the run that is shown, all lanes together; false while there is none. */
bool ns_session_plan(NsSession *session, NsPlan *plan);

/* The size of the run in words: "1.21 M parameters, 63.8 MiB, step 0 in 12 ms". If the settings
 * that the controls show are not the run's, the size with those settings, or why they cannot be
 * used.  NULL as long as neither is known.  Free with g_free. */
char *ns_session_size(NsSession *session);

/* ---- The view ---- */

/* What the charts show; borrowed, valid until the next call that moves the session. */
const NsView *ns_session_view(NsSession *session);
void ns_session_show_gradient(NsSession *session, NsQuantity quantity);
void ns_session_show_hidden(NsSession *session, NsQuantity quantity);
void ns_session_show_log(NsSession *session, bool log);
void ns_session_show_smoothing(NsSession *session, NsSmoothing smoothing);
void ns_session_toggle_smoothing(NsSession *session); /* off, and on again as it was */
void ns_session_show_theory(NsSession *session, bool theory);
void ns_session_show_heat(NsSession *session, NsHeatMode heat);

/* From 1; 0: none is selected. */
int ns_session_layer(NsSession *session);
void ns_session_select_layer(NsSession *session, int layer);

/* ---- In words.  Free with g_free. ---- */

/* Of the run: "Post-LN, 6 layers", "Post-LN vs Pre-LN, 6 layers". */
char *ns_session_title(NsSession *session);

/* "A Post-LN, B Pre-LN; all else equal."; NULL for a single lane. */
char *ns_session_differences(NsSession *session);

/* How much of the status: all; without the speed, which is also shown elsewhere; "step 1,240,
 * 2.31"; "step 1,240". */
typedef enum {
    NS_STATUS_WHOLE,
    NS_STATUS_SHORT,
    NS_STATUS_BRIEF,
    NS_STATUS_STEP,
    NS_STATUS_LENGTHS
} NsStatusLength;

/* "paused at step 1,240, loss 2.31, 180 steps/s", "running at step 90, loss A 3.1, B 2.2; B
 * diverged at step 87". */
char *ns_session_status(NsSession *session, NsStatusLength length);

/* How fast the newest steps of the slowest lane were, and what share of their time the expensive
 * quantities took: NaN where there is nothing to go by, 0 without probes. */
typedef struct {
    double steps_per_second, probe_share;
    size_t records; /* that tell it: NS_PACE_RECORDS at most, or those since the last probes */
} NsPace;
#define NS_PACE_RECORDS ((size_t)4096)
NsPace ns_session_pace(NsSession *session);
