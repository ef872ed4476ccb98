/* The session behind a window: lanes and their settings, the run they train, earlier runs.
 * SPDX-License-Identifier: MIT
 *
 * A session is not a widget.  It lives on the main thread, never waits for a trainer, and is
 * updated by ns_session_poll, which a window calls once per frame while the session is busy.
 *
 * One to four lanes train in lockstep; one of them is active.  A setting is either linked, so that
 * a change applies to every lane, or split, so that it applies to the active lane only.
 *
 * A live setting reaches the running model at once, at most every NS_SESSION_SETTLE_MS; during a
 * drag once its slider has rested for NS_SESSION_REST_MS.  Any other setting also takes effect by
 * itself while the run has not begun, because nothing can be lost then: a new run is prepared once
 * the setting has not changed for NS_SESSION_SETTLE_MS.  Later such a change is pending until
 * ns_session_restart, ns_session_fork or ns_session_drop_pending is called.  An invalid setting is
 * a problem, described by a sentence and the key of the setting; the present run stays.
 *
 * Signals: "settings-changed": a value, a link, the lanes or the active lane changed; before it
 * comes "setting-changed", with the key as its detail, for each setting whose row has to be updated
 * or whose control shows a refused value.  "status-changed": the state, the problem, the pending
 * changes or the run changed.  "view-changed": another choice of what the charts show.
 * "runs-changed": the earlier runs or their pins changed.  "left": a lesson, a preset or a file
 * begins another experiment.  "checked": a gradient check has finished
 * or was canceled.  "notice" (with a sentence): something happened that a toast should report.
 * "housekeeping" (with a sentence): the same of what can wait until nothing else is reported. */
#pragma once

#include "core/base/digits.h"
#include "core/experiment/param.h"
#include "core/store/outside.h"
#include "core/train/checkpoints.h"
#include "core/train/continuation.h"
#include "core/train/trainer.h"
#include "ui/session/experiment_words.h"
#include "ui/session/library.h"
#include "ui/session/view.h"

#include <gio/gio.h>
#include <glib-object.h>

#define NS_SESSION_SETTLE_MS 150
#define NS_SESSION_REST_MS 400 /* of a slider */

#define NS_TYPE_SESSION (ns_session_get_type())
G_DECLARE_FINAL_TYPE(NsSession, ns_session, NS, SESSION, GObject)

/* Prepares a run of the experiment.  Settings that differ between lanes become split; settings that
 * all lanes must share (ns_experiment_share) are taken from the first lane. */
NsSession *ns_session_new(const NsExperiment *experiment);

/* Makes the object reference the session until it is finalized; returns the session. */
NsSession *ns_session_hold(NsSession *session, gpointer object);

/* Connects a callback, with the object as its first argument, to a signal of the session.  It is
 * disconnected with the object, as with g_signal_connect_object. */
void ns_session_listen(NsSession *session, const char *signal, GCallback callback, gpointer object);

/* Emits "notice" with this sentence. */
void ns_session_report(NsSession *session, const char *sentence);

/* Emits a notice about the placement of the active lane, and of the lanes linked to it: whether it
 * is in effect or pending. */
void ns_session_report_placement(NsSession *session);

/* ---- Lanes ---- */

void ns_session_set_active(NsSession *session, size_t lane);

/* n: 1 .. NS_LANES_MAX.  An added lane that was removed before gets its split settings back; any
 * other is a copy of the active lane with its placement split. */
void ns_session_set_lanes(NsSession *session, size_t n);

/* Adds a lane like the active one, with the next placement that no lane has, and makes it active.
 */
void ns_session_add_lane(NsSession *session);

/* Removes a lane; the lanes after it move up.  The last lane cannot be removed. */
void ns_session_remove_lane(NsSession *session, size_t lane);

/* ---- Settings ---- */

/* The settings of the active lane as the controls show them; borrowed. */
const NsSettings *ns_session_settings(NsSession *session);

/* The same for every change of what the row of this setting shows. */
void ns_session_follow(NsSession *session, const NsParam *param, GCallback callback,
                       gpointer object);

/* Sets one value from its text (see ns_settings_set) in the active lane, or in all lanes if the
 * setting is linked.  FALSE if it was refused: session->problem is the reason then. */
bool ns_session_set(NsSession *session, const char *key, const char *value);

/* The same during a drag; all changes of one drag are one step of undo. */
bool ns_session_slide(NsSession *session, const char *key, const char *value);

/* The same for one lane, which splits the setting if it can be split. */
bool ns_session_set_lane(NsSession *session, size_t lane, const char *key, const char *value);

/* Sets one value to its default. */
void ns_session_set_default(NsSession *session, const NsParam *param);

/* The experiment that a window begins with: the same model with its norms after and before the
 * branches, all else by default; and the words of its lanes. */
#define NS_FIRST_LANES 2
extern const char *const ns_first_lanes[NS_FIRST_LANES];
void ns_session_first_experiment(NsExperiment *experiment);

/* Sets all lanes to that experiment. */
void ns_session_set_defaults(NsSession *session);

/* Replaces all lanes and their settings in one change. */
void ns_session_open(NsSession *session, const NsExperiment *experiment);

/* Marks the border to another experiment, which a lesson, a preset or a file begins: no earlier run
 * stays pinned, the run on view will not be the previous run of the next one, and undo ends. */
void ns_session_leave_experiment(NsSession *session);

/* Linking a setting gives all lanes the value of the active lane. */
void ns_session_set_linked(NsSession *session, const NsParam *param, bool linked);

/* Undo and redo cover all changes of settings, lanes and links.  The words report what will
 * then be true: "Layers is 6 again"; NULL if there is nothing to undo or redo.  Free with g_free.
 */
void ns_session_undo(NsSession *session);
void ns_session_redo(NsSession *session);
char *ns_session_undo_words(NsSession *session);
char *ns_session_redo_words(NsSession *session);

/* ---- Pending changes ---- */

/* Whether the lanes, or a setting that is not live, differ from those of the run.  The change is
 * then pending or, if the run has not begun, a new run is about to be prepared. */
bool ns_session_differs(NsSession *session);

/* The number of pending changes: each setting counts once, however many lanes differ, and so does
 * each added or removed lane. */
size_t ns_session_pending(NsSession *session);
bool ns_session_is_pending(NsSession *session, const NsParam *param);

/* "2 pending changes: Norm placement of B, Layers", or of a run that goes on "Running without 2
 * pending changes: ..."; NULL if there are none.  Free with g_free. */
char *ns_session_pending_words(NsSession *session);

/* Whether the run has begun or was started, so that changes may wait; false while watching. */
bool ns_session_has_begun(NsSession *session);

/* Restarts all lanes from step 0 with the settings that the controls show; they run if they ran
 * before. */
bool ns_session_can_restart(NsSession *session);
void ns_session_restart(NsSession *session);

/* Writes the active lane as a program in PyTorch (core/store/pytorch.h), from its newest
 * checkpoint, whose step is in *step.  The errors of ns_pytorch_write, and NS_ERROR_SETTING if
 * there is no checkpoint. */
bool ns_session_save_pytorch(NsSession *session, const char *path, int64_t *step, GError **error);

/* Forks from the newest checkpoint at or before the shown step.  With one lane and no pending
 * change, a copy of the lane is added beside it. */
bool ns_session_can_fork(NsSession *session);
int64_t ns_session_fork_step(NsSession *session); /* where a fork would begin; negative if there can
                                                     be none */
void ns_session_fork(NsSession *session);

/* Sets the controls back to the settings of the run. */
void ns_session_drop_pending(NsSession *session);

/* ---- Time ---- */

/* Commands for the trainer.  A command that is impossible in the present state does nothing.  A
 * single step is made in slow motion if this is on. */
void ns_session_run(NsSession *session);
void ns_session_pause(NsSession *session);
void ns_session_step(NsSession *session, int64_t n);
void ns_session_run_to(NsSession *session, int64_t step);

/* Lets axes of steps extend to the step to which a run that rests will run. */
void ns_session_aim(NsSession *session, int64_t step);

/* Runs to a step with the settings that the controls show.  If these differ from the run's, or the
 * run is past that step, it restarts from step 0. */
void ns_session_run_again_to(NsSession *session, int64_t step);
void ns_session_run_until_loss(NsSession *session,
                               double loss); /* of any lane, smoothed as in the trainer */

/* Resets the run to its beginning, paused: the first returns to the fork point if the run is a
 * fork, the second always to step 0. */
void ns_session_reset(NsSession *session);
void ns_session_reset_to_start(NsSession *session);

/* The step at which the run ends according to its settings, or has ended; of another program's run
 * the newest; 0 if it has no end. */
int64_t ns_session_end_step(NsSession *session);

bool ns_session_can_run(NsSession *session);
bool ns_session_can_reset(NsSession *session);

/* 0 means as fast as possible. */
void ns_session_set_speed(NsSession *session, double steps_per_second);

/* Whether a run pauses at the first spike or divergence of any lane; true by default. */
void ns_session_set_pause_on_trouble(NsSession *session, bool pause);

/* In slow motion a step takes about four seconds.  Forward pass, loss and backward pass belong to
 * the shown step, and the update leads to the next one. */
typedef enum { NS_STAGE_FORWARD, NS_STAGE_LOSS, NS_STAGE_BACKWARD, NS_STAGE_UPDATE } NsStage;
void ns_session_set_slow_motion(NsSession *session, bool slow);

/* The stage of the present step in slow motion, and the progress through that stage, 0 .. 1. FALSE
 * if no step is in progress. */
bool ns_session_stage(NsSession *session, NsStage *stage, double *progress);

/* The first and the newest step of the run, and the step that is shown.  Showing a negative step
 * follows the newest one again.  During a run the newest step changes between two calls, so that
 * only ns_session_is_behind says whether an earlier step is shown. */
int64_t ns_session_first_step(NsSession *session);
int64_t ns_session_steps(NsSession *session);
int64_t ns_session_shown_step(NsSession *session);
bool ns_session_is_behind(NsSession *session);
void ns_session_show_step(NsSession *session, int64_t step);

/* Shows a step and selects a layer (0: none) in one change of the view. */
void ns_session_show_place(NsSession *session, int64_t step, int layer);

typedef enum {
    NS_SESSION_MARK_FORK, /* the run begins here and inherits the history of another one */
    NS_SESSION_MARK_SPIKE,
    NS_SESSION_MARK_STUCK, /* a loss that tells something: it stays on the plateau, or begins high
                            */
    NS_SESSION_MARK_DIVERGED,
    NS_SESSION_MARK_SETTING,   /* a live setting was changed */
    NS_SESSION_MARK_CHECKPOINT /* a fork can begin here */
} NsSessionMarkKind;

typedef struct {
    int64_t step;
    NsSessionMarkKind kind;
    int lane; /* -1: all */
    int seed; /* from 1; 0: there is only one, or all of them */
    const char *text;
    bool learned; /* since the run got stuck */
} NsSessionMark;

/* Ordered by step; borrowed until the next call or poll. */
const NsSessionMark *ns_session_marks(NsSession *session, size_t *n);

/* ---- Trouble ---- */

typedef struct {
    int lane;
    int seed; /* of the lane, from 0 */
    int64_t step;
    bool spike; /* otherwise the lane diverged */
    bool first; /* at step 0, before any update: caused by the model, not by training */
    bool huge;  /* the squares of its first gradients overflow, so the learning rate is irrelevant
                   too */
    const NsEvent *event;
    /* The event about a first loss far above that of a uniform guess, if the loss had not come down
     * from there: the forward pass is at fault, not the updates.  Else NULL. */
    const NsEvent *forward;
} NsTrouble;

/* The latest trouble, until it is dismissed or a run continues.  In one step a divergence outranks
 * a spike, a larger spike a smaller one, and then the first lane wins.  The event is borrowed until
 * the next poll. */
bool ns_session_trouble(NsSession *session, NsTrouble *trouble);
void ns_session_dismiss_trouble(NsSession *session);

/* A change of one setting that may help, and what it gave in a trial: the lane is trained alone, in
 * the background, from the newest checkpoint before the trouble, or from step 0 if it occurred
 * before any update, until NS_REMEDY_STEPS steps after the trouble; if none helps from there and
 * the trouble is early, again from the beginning.  It helps if no value diverges or jumps and the
 * loss does not end far above that of a uniform guess (NS_FAR_FROM_UNIFORM): a model that is worse
 * than no model has not been cured, however far its loss fell. */
#define NS_REMEDIES 6
#define NS_REMEDY_STEPS 20
typedef struct {
    const char *key;
    char value[32];
    enum { NS_REMEDY_WAITS, NS_REMEDY_IN_TRIAL, NS_REMEDY_HELPS, NS_REMEDY_FAILS } state;
    int64_t step; /* at the end of the trial */
    double loss;
} NsRemedy;

/* The remedies of the present trouble, and the step from which they are tried (0 in *from: from the
 * beginning).  The first call begins the trials, which ns_session_poll continues; "status-changed"
 * is emitted after each.  Borrowed until the next poll. */
const NsRemedy *ns_session_remedies(NsSession *session, size_t *n, int64_t *from);

/* Changes this one setting, forks from the newest checkpoint before the trouble and runs. Restarts
 * instead if the trouble occurred before any update.  FALSE if the value was refused or there is no
 * checkpoint. */
bool ns_session_remedy(NsSession *session, size_t lane, const char *key, const char *value);

/* ---- Gradient checks ---- */

/* Requests a check of a layer (from 1) of a lane of the run against finite differences, at the next
 * step.  "checked" is emitted when it is done, or when a pause or a reset canceled it. */
void ns_session_check(NsSession *session, size_t lane, unsigned layer);

/* ---- Expensive quantities ---- */

/* Measures the expensive quantities of the shown step in every lane, for the interval
 * “ablation-every” the loss without each layer, too, and for “curvature-every” the curvature of the
 * update that comes next, if the run is paused, has a checkpoint of that step, and these were not
 * measured yet.  They reach the view a moment later (ns_view_look_closer).
 */
void ns_session_look_closer(NsSession *session, const char *every);

/* ---- Questions to the models ---- */

#define NS_ANSWER_PROMPT 24

/* The tokens that the models of a step expect after a prompt. */
typedef struct {
    int64_t step;
    size_t lanes, n[NS_LANES_MAX]; /* n: number of tokens; 0 for a lane that has diverged */
    char prompt[NS_LANES_MAX][NS_ANSWER_PROMPT]; /* the end of a longer one */
    NsNextToken next[NS_LANES_MAX][NS_NEXT_TOKENS];
} NsAnswer;

/* Asks the models of the newest checkpoint at or before the shown step which token follows the
 * prompt, on a thread; `done` is called with a GTask, from which g_task_propagate_pointer takes the
 * NsAnswer, to be freed with g_free.  NULL: the prompt of the run, of which a decoder reads one
 * token more at every step, and then begins again. */
void ns_session_ask(NsSession *session, const char *prompt, GAsyncReadyCallback done,
                    gpointer data);

/* ---- Runs ---- */

/* A run begins with a restart, a fork or a reset.  Earlier runs stay in memory within a budget,
 * which spares the newest and the pinned ones; "housekeeping" reports each run that was removed,
 * unless it was recorded.
 * Checkpoints from which an earlier run can continue stay in memory while there is space, and in
 * its file. */
typedef struct {
    unsigned id, parent; /* id: from 1; parent: 0 if it began at step 0 */
    int64_t fork_step, last_step;
    int64_t checkpoint; /* from which an earlier run can continue; negative: it can only restart */
    const char *title;
    const char *differs; /* "Layers 6 → 12" relative to the run before it, or to the parent of a
                            fork; NULL for the first, and if nothing differs */
    double loss[NS_LANES_MAX]; /* the newest one; with several seeds, their mean */
    char *const *names; /* of the lanes of another program, borrowed; NULL: they have letters */
    size_t lanes;
    bool measured;        /* has records; false while its models are still being prepared */
    bool present, pinned; /* present: the run on view */
    bool outside; /* from another program: it has no settings, and trainer commands do not apply to
                     it */
} NsSessionRun;

/* Ordered from the oldest; borrowed until the next call or poll. */
const NsSessionRun *ns_session_runs(NsSession *session, size_t *n);

/* The curves of pinned runs are shown muted. */
void ns_session_pin_run(NsSession *session, unsigned id, bool pinned);

/* Pins the run in a file or folder without opening it, as an earlier run that stays live; unpins it
 * if it is pinned.  FALSE with NS_ERROR_USAGE if there is no space for its curves, with
 * NS_ERROR_FILE if it cannot be read. */
bool ns_session_pin_file(NsSession *session, const char *path, GError **error);

/* The paths of the pinned runs that a single file or folder stores; free with g_strfreev(). */
char **ns_session_pinned_files(NsSession *session);

/* The name and the color of a pinned run: that of a lane, or a shade (ui/plot/plot.h). */
typedef struct {
    char *words;
    unsigned lane;
    double shade;
} NsRunMark;

/* Takes over the marks (NsRunMark) of runs by their paths; NULL: runs have their numbers and the
 * colors of their lanes. */
void ns_session_mark_runs(NsSession *session, GHashTable *marks);

/* ---- Earlier runs on view ---- */

/* An earlier run takes the place of the present one, which becomes an earlier run, in the view and
 * in the controls; nothing trains.  If its checkpoints have to be read from its file, this happens
 * a moment later.  The next command that needs a trainer continues that run from its newest
 * checkpoint, or restarts it if it has no checkpoint or had finished.  One notice says which of the
 * two will happen, another one which happened. */
void ns_session_open_run(NsSession *session, unsigned id);

/* The same with a run read from a file, which becomes the newest run.  Takes `run`.  No thread may
 * write to its histories any more. */
void ns_session_open_saved(NsSession *session, NsPastRun *run);

/* The step from which the earlier run on view would continue; negative if it can only restart or no
 * earlier run is on view. */
int64_t ns_session_continues_from(NsSession *session);

/* ---- Prepared runs ---- */

/* A run that trains in the background to be shown later, with the threads and thus the bits that it
 * would have on view.  The experiment is copied; step 0: its model is made, and no step.  NULL with
 * an error of ns_trainer_start. */
typedef struct NsPreparedRun NsPreparedRun;
NsPreparedRun *ns_session_prepare(NsSession *session, const NsExperiment *experiment, int64_t step,
                                  GError **error);
void ns_prepared_run_free(NsPreparedRun *run);

/* Whether it has come to its step, or cannot; one that was shown before it came there goes on. */
bool ns_prepared_run_is_ready(NsPreparedRun *run);

/* The bytes of its models, checkpoints and histories. */
size_t ns_prepared_run_bytes(NsPreparedRun *run);

/* Begins another experiment, whose run is this one: it is shown as far as it has come, and
 * continues to its step.  Takes `run`.  A run that can be prepared again is neither recorded nor an
 * earlier run later, unless it makes another step.  Returns the prepared run that was shown before,
 * if it is as it was prepared, to be shown again; or NULL. */
NsPreparedRun *ns_session_show_prepared(NsSession *session, NsPreparedRun *run);

/* ---- Runs of other programs ---- */

/* Shows the runs in 1 to NS_LANES_MAX files side by side, live, as one run of the session
 * (core/store/outside.h).  "-" is standard input, which is saved if runs are recorded.  `paths`
 * ends with NULL.  FALSE with NS_ERROR_FILE, without any change, if a file cannot be read. Commands
 * that need a trainer are disabled; recorded data can be viewed, pinned and exported as usual. */
bool ns_session_watch(NsSession *session, const char *const *paths, GError **error);
bool ns_session_is_watching(NsSession *session);
bool ns_session_watches(NsSession *session, const char *path); /* this file is on view */

/* Of the watched run on view: the path of each of its sources (NULL after the last), and how it is
 * read, a reference (core/store/outside.h; NULL if it has no columns).  The sentences (char *) say
 * what was left out and why. */
const char *ns_session_source(NsSession *session, size_t i);
NsOutsideReading *ns_session_reading(NsSession *session, size_t i);
const GPtrArray *ns_session_watch_messages(NsSession *session);

/* Reads a source again with another choice of columns, which is remembered. */
void ns_session_map_columns(NsSession *session, size_t i, const char *map);

/* Prepares a run with the settings of the controls.  The watched run becomes an earlier run that
 * stays live, and is pinned if there is space for its curves. */
void ns_session_stop_watching(NsSession *session);

/* ---- Recording ---- */

/* From now on every run is recorded, from its first step, into a file of its own in this folder
 * (NULL: no recording); see core/store/run_writer.h.  When the run files there take more than
 * `most_bytes` (0: no limit), the oldest ones without a tag are moved to the trash, and a notice
 * reports it. */
void ns_session_set_recording(NsSession *session, const char *folder, guint64 most_bytes);

/* The file of the run on view; NULL if there is none.  Free with g_free. */
char *ns_session_path_on_view(NsSession *session);

/* How long the runs trained, present and earlier, that are in no file: the sum over runs of the
 * seconds of the longest lane.  `saved`: for each history that was saved elsewhere, the number of
 * its records that were written. */
double ns_session_unsaved_seconds(NsSession *session, GHashTable *saved);

/* The default of this limit. */
#define NS_SESSION_CHECKPOINT_BYTES ((size_t)256 << 20)

/* The limit of the bytes of checkpoints in memory of this run and the earlier ones together, and
 * how many bytes they take now.  The first and the newest checkpoint of the training run stay in
 * any case. */
void ns_session_set_checkpoint_bytes(NsSession *session, size_t bytes);
size_t ns_session_checkpoint_bytes(NsSession *session);

/* ---- State ---- */

NsTrainerState ns_session_lane_state(NsSession *session, size_t lane); /* of the run's lanes */

/* Polls the trainer.  FALSE if nothing can change any more without a command. */
bool ns_session_poll(NsSession *session);

/* ---- Memory and time ---- */

/* The plan of the trainer's run, summed over all lanes; false if there is none yet. */
bool ns_session_plan(NsSession *session, NsPlan *plan);

/* The size of the run in words: "1.21M parameters, 63.8 MiB".  If the controls
 * show other settings than the run's, the size with those settings, or why they cannot be used.
 * NULL while neither is known.  Free with g_free. */
char *ns_session_size(NsSession *session);

/* ---- The view ---- */

void ns_session_show_gradient(NsSession *session, NsQuantity quantity);
void ns_session_show_hidden(NsSession *session, NsQuantity quantity);
void ns_session_show_log(NsSession *session, bool log);
void ns_session_show_log_loss(NsSession *session, bool log);
void ns_session_show_smoothing(NsSession *session, NsSmoothing smoothing);
void ns_session_toggle_smoothing(NsSession *session); /* off, and on again as before */
void ns_session_show_theory(NsSession *session, bool theory);
void ns_session_show_heat(NsSession *session, NsHeatMode heat);

/* From 1; 0: none. */
void ns_session_select_layer(NsSession *session, int layer);

/* ---- In words.  Free with g_free. ---- */

/* Of the run: "Post-LN, 6 layers", "Post-LN vs Pre-LN, 6 layers". */
char *ns_session_title(NsSession *session);

/* For little space: "Post-LN vs Pre-LN", "4 lanes". */
char *ns_session_brief_title(NsSession *session);

/* "A Post-LN, B Pre-LN; all else equal."; NULL for a single lane. */
char *ns_session_differences(NsSession *session);

/* How much of the status to give: all of it, with the speed of a run of another program, for that
 * of the own one is beside the timeline; all but the speed; "step 1,240, loss 2.31"; "step 1,240".
 */
typedef enum {
    NS_STATUS_WHOLE,
    NS_STATUS_SHORT,
    NS_STATUS_BRIEF,
    NS_STATUS_STEP,
    NS_STATUS_LENGTHS
} NsStatusLength;

/* "paused at step 1,240, loss 2.31", "running at step 90, loss A 3.1, B 2.2; B
 * diverged at step 87". */
char *ns_session_status(NsSession *session, NsStatusLength length);

/* "Preparing 48 layers…", of the run that is being prepared. */
char *ns_session_preparing_words(NsSession *session);

/* The speed of the slowest lane over its newest steps, and the fraction of that time spent on
 * expensive quantities.  The speed is NaN in slow motion and if there are no steps to measure, the
 * fraction 0 without probes. */
typedef struct {
    double steps_per_second, probe_share;
    size_t records; /* that were averaged: at most NS_PACE_RECORDS, or those since the last
                       probes */
} NsPace;
#define NS_PACE_RECORDS ((size_t)4096)
NsPace ns_session_pace(NsSession *session);

/* ---- The session itself ---- */

/* Everybody may read the first fields.  What they point to is valid until the next call that
 * changes the session. */
struct _NsSession {
    GObject parent;
    NsExperiment experiment; /* all lanes as shown by the controls */
    size_t active;           /* one of these */
    GPtrArray *undo, *redo;  /* entries; empty if there is nothing to undo or redo */
    NsTrainerState state;
    bool wants_run;              /* runs, or will as soon as it is prepared */
    char *problem, *problem_key; /* a sentence, and the key of the setting that causes the problem;
                                    NULL if there is none */
    NsView *view;                /* what the charts show */
    double speed;                /* steps per second; 0: as fast as possible */
    bool pause_on_trouble;
    bool slow;                    /* in slow motion */
    int64_t fork_step;            /* where the run on view begins; 0: it is no fork */
    bool checking;                /* a gradient check is awaited */
    NsGradientCheck *check;       /* the newest of the present run, or NULL */
    char *folder;                 /* of run files; NULL: no recording */
    size_t most_checkpoint_bytes; /* limit in memory for all runs together */

    /* The rest is only for ui/session. */
    NsExperiment
        notified; /* state that rows were last notified of, with its active lane and problem key */
    size_t reported_active;
    char *reported_key;

    const NsExperiment *run; /* settings of the trainer's run, with live changes; a reference */
    NsTrainer *trainer;      /* NULL if the settings were refused */
    NsCheckpoint *origins[NS_LANES_MAX]; /* checkpoints that a fork begins from */
    NsHistory *pasts[NS_LANES_MAX];      /* earlier histories that a fork inherits, or NULL */
    gint64 launched;     /* monotonic time of the trainer's start, in microseconds */
    bool problem_is_run; /* the problem comes from the trainer, not from a setting */
    guint restart_source, live_source;
    gint64 live_at; /* monotonic time at which live settings last reached the trainer */

    gpointer estimate; /* the plan for the settings of the controls, or NULL */
    bool estimating;
    guint64 serial; /* changes with the settings of the controls */

    size_t records_seen[NS_LANES_MAX]; /* number of records at the last poll */
    NsSmoothing usual_smoothing;       /* chosen last, other than none */

    bool stepping;      /* slow motion has requested its update */
    bool single;        /* the step of slow motion is the only one */
    gint64 stage_since; /* when the present step of slow motion began; 0: no step */
    GArray *marks;      /* NsSessionMark */
    size_t events_seen[NS_LANES_MAX][NS_SEEDS_MAX];
    NsTrouble trouble; /* its event is NULL if there is none */
    NsRemedy remedies[NS_REMEDIES];
    size_t n_remedies;       /* 0 before ns_session_remedies was called */
    NsTrainer *trial;        /* of the remedy in trial, or NULL */
    guint64 remedies_for;    /* the serial of the settings that they change */
    int64_t remedies_before; /* the trials begin at the newest checkpoint up to this step */
    int64_t remedies_start;  /* which is that of this step */

    bool looking; /* a closer look at a step is being measured */

    GPtrArray *runs;          /* earlier runs, NsPastRun, sorted by id */
    GHashTable *run_marks;    /* of ns_session_mark_runs, or NULL */
    NsPastRun *opened;        /* the earlier run on view, or NULL */
    NsCheckpoints *left;      /* checkpoints of the run on view after its trainer was released, or
                                 NULL */
    GArray *run_list;         /* result of ns_session_runs */
    char *title, *differs;    /* of the present run, for the same call */
    unsigned id, forked_from; /* of the run on view */
    int64_t origin_step;      /* where the run begins that the trainer prepares */
    char *path;               /* file of the run on view after its trainer was released, or NULL */
    guint64 most_bytes;       /* limit of the bytes of run files; 0: none */
    struct NsAutosave *autosave; /* records the trainer's run, or NULL */
    char *continued_file;        /* file that the next trainer continues, or NULL */
    unsigned files;              /* number of files begun by the last poll */
    bool bounding;               /* a thread is enforcing the limit of the folder */
    unsigned opening;            /* the earlier run whose checkpoints are being read; 0: none */
    unsigned forking_from;       /* forked_from of the run that the trainer prepares */
    int64_t prepared_to, preparing_to; /* of the run on view, and of the one that the trainer has:
                                          the step to which it was prepared; negative: it was not */
    unsigned last_id;
    bool left_experiment; /* the next run belongs to another experiment than the one on view */

    guint watch_source;  /* polls runs of other programs while the window is idle */
    gint64 watch_minute; /* at the last such poll */
};
